//! The laws of a discussion (tests/requirements.md, D-1 to D-11), on plain values.

use roundtable::discussion::Discussion;
use roundtable::discussion::event::{Event, NoticeKind, Purpose};
use roundtable::discussion::summary::Summary;
use roundtable::discussion::{Cue, Discussion as Talk};
use roundtable::item::library::Library;
use roundtable::voice::{Line, Rejected, SECRETARY, Speechless, Synthesis, Voice};

use crate::machine::held;

/// A voice that says what it is told, line by line, then passes.
struct Lines(Vec<Option<&'static str>>);

impl Voice for Lines {
    fn name(&self) -> &str {
        "lines"
    }

    fn line(&mut self, _: &Cue, _: &Talk<'_>, _: Option<&Rejected>) -> Result<Option<Line>, Speechless> {
        Ok(if self.0.is_empty() { None } else { self.0.remove(0).map(Line::plain) })
    }

    fn summary(&mut self, _: &Talk<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        Ok(Synthesis { summary: by_rule, critiques: Vec::new() })
    }
}

/// The log in a few words: who speaks, `|` before the user, notices by name.
fn told(talk: &Discussion<'_>) -> String {
    let name = |key: &str| talk.library().cast.get(key).unwrap().first_name().to_owned();
    let words: Vec<String> = talk
        .log()
        .iter()
        .filter_map(|record| match &record.event {
            Event::Contribution(said) => Some(name(&said.by)),
            Event::User(message) => Some(format!("| User({:?})", message.class)),
            Event::Unheard(_) => Some("| unheard".to_owned()),
            Event::Silence {} => Some("| silence".to_owned()),
            Event::Notice(notice) => Some(format!("<{:?}>", notice.notice)),
            Event::Synthesis(_) => Some("| synthesis".to_owned()),
            Event::Closed(closed) => Some(format!("{} {}", closed.exit, closed.turn_count)),
            Event::Points(_) => None,
            Event::Opened(_) | Event::Paused(_) | Event::Resumed(_) | Event::Critique(_) => None,
        })
        .collect();
    words.join(" ")
}

fn secretary(max_turns: u32, inputs: &[Option<&str>]) -> String {
    let library = Library::built_in().unwrap();
    told(&held(&library, "01-03", max_turns, inputs, None))
}

fn lines(max_turns: u32, inputs: &[Option<&str>], said: &[Option<&'static str>]) -> String {
    let library = Library::built_in().unwrap();
    let mut voice = Lines(said.to_vec());
    told(&held(&library, "01-03", max_turns, inputs, Some(&mut voice)))
}

const SAID: [Option<&str>; 3] = [
    Some("What happens to the answers of a day, and who sees them, Alex?"),
    Some("The tablet keeps them until the depot answers."),
    Some("The list of answers has an order and a limit."),
];

#[test]
fn rule_1_the_lead_is_the_phase_owner_and_the_others_stand_in_order() {
    let library = Library::built_in().unwrap();
    for (step, order) in [
        ("00-01", "Maya Alex Jordan"),
        ("01-03", "Maya Alex Jordan"),
        ("02-01", "Alex Maya Jordan"),
        ("03-01", "Alex Maya Jordan"),
        ("04-01", "Jordan Maya Alex"),
    ] {
        let talk = held(&library, step, 12, &[Some("done")], None);
        assert!(told(&talk).starts_with(order), "{step}: {}", told(&talk));
    }
}

#[test]
fn rule_2_the_lead_frames_then_the_others_then_the_user() {
    let library = Library::built_in().unwrap();
    let talk = held(&library, "01-03", 12, &[Some("done")], None);
    assert!(talk.introduction().unwrap().contains(
        "Bringing Alex Rivera (Solutions Architect) and Jordan Park (System Designer)\ninto the discussion."
    ));
    let said: Vec<_> = talk.contributions().collect();
    assert_eq!(said[0].purpose, Purpose::Framing);
    assert!(
        said[0]
            .text
            .contains("I think we could benefit from all our perspectives on this specific question: ")
    );
    assert!(said[0].text.ends_with("Alex, what is your take from an architecture perspective?"));
    assert_eq!(said.iter().map(|said| said.turn).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn rule_3_contributions_and_inputs_are_turns_and_nothing_else_is() {
    assert_eq!(
        lines(20, &[Some("the photos are the heaviest part of it"), None, Some("done")], &SAID),
        "Maya Alex Jordan | User(Default) Maya | silence | User(Exit) <Closing> | synthesis user-initiated 5"
    );
}

#[test]
fn rule_4_direct_group_and_default_answers_come_in_their_order() {
    let direct = lines(20, &[Some("Jordan, what breaks?"), Some("done")], &SAID);
    assert!(direct.contains("| User(Direct) Jordan |"), "{direct}");
    let both = secretary(20, &[Some("Jordan, Alex, what breaks?"), Some("done")]);
    assert!(both.contains("| User(Direct) Jordan Alex"), "{both}");
    let group = lines(20, &[Some("What do you all think about the sync?"), Some("done")], &SAID);
    assert!(group.contains("| User(Group) Maya Alex Jordan |"), "{group}");
    let default = lines(20, &[Some("The colour of the sky is nice"), Some("done")], &SAID);
    assert!(default.contains("| User(Default) Maya |"), "{default}");
}

#[test]
fn rule_4_an_unclear_exit_is_asked_about_and_the_next_input_settles_it() {
    let ended = lines(20, &[Some("are we done?"), Some("yes")], &SAID);
    assert_eq!(
        ended,
        "Maya Alex Jordan | User(Unclear) <Clarification> | User(Exit) <Closing> | synthesis user-initiated 4"
    );
    let going =
        lines(20, &[Some("are we done?"), Some("no, the colour of the sky matters"), Some("done")], &SAID);
    assert!(going.contains("<Clarification> | User(Default) Maya |"), "{going}");
}

#[test]
fn rule_5_who_has_nothing_to_add_is_silent_and_who_must_answer_does() {
    let passed = lines(20, &[Some("Alex, what breaks when the photos are lost?"), Some("done")], &SAID);
    assert!(passed.contains("| User(Direct) Alex | User(Exit)"), "{passed}");
    let mute = lines(20, &[Some("done")], &[None, None, None]);
    assert!(mute.starts_with("Maya Alex Jordan |"), "the secretary stands in: {mute}");
}

#[test]
fn rule_6_the_warning_comes_once_and_the_limit_ends_it_at_once() {
    assert_eq!(secretary(3, &[]), "Maya <Warning> Alex Jordan <Limit> | synthesis turn-limit 3");
    assert_eq!(
        secretary(4, &[Some("hello there")]),
        "Maya Alex <Warning> Jordan | User(Default) <Limit> | synthesis turn-limit 4"
    );
    assert_eq!(
        secretary(5, &[Some("What do you all think?"), Some("done")]),
        "Maya Alex Jordan <Warning> | User(Group) Maya <Limit> | synthesis turn-limit 5"
    );
}

#[test]
fn rule_6_turns_are_kept_back_for_messages_still_to_come() {
    let messages = [Some("Alex, what breaks?"), Some("Jordan, what is lost?"), Some("The depot is closed.")];
    let told = lines(9, &messages, &[SAID.as_slice(), &[Some("A line on photos."); 20]].concat());
    assert_eq!(told.matches("User(").count(), 3, "{told}");
    assert!(!told.contains("unheard"), "{told}");
    let told = secretary(6, &[messages.as_slice(), &[Some("done")]].concat());
    assert!(told.contains("<Limit> | unheard"), "{told}");
    assert_eq!(told.matches("User(").count() + told.matches("unheard").count(), 3, "{told}");
}

#[test]
fn rule_4_words_before_the_exit_words_are_heard() {
    let told =
        lines(20, &[Some("I'll ask legal by Friday. That's all, done."), Some("One more thing.")], &SAID);
    assert_eq!(told, "Maya Alex Jordan | User(Exit) <Closing> | unheard | synthesis user-initiated 4");
}

#[test]
fn rule_7_silence_brings_rounds_then_the_prompt_then_the_end() {
    assert_eq!(
        lines(20, &[], &SAID),
        "Maya Alex Jordan | silence | silence | silence <Inactivity> | silence <Closing> | synthesis inactivity 3"
    );
    let reset = lines(20, &[None, None, Some("the sky is blue"), None, None, None], &SAID);
    assert!(reset.ends_with("| User(Default) Maya | silence | silence | silence <Inactivity> | silence <Closing> | synthesis inactivity 5"), "{reset}");
    let rounds = secretary(30, &[]);
    assert!(rounds.contains("| silence"), "{rounds}");
}

#[test]
fn rule_8_a_redirected_input_is_a_turn_that_nobody_answers() {
    let asked = [Some("Alex, which comes first in the MoSCoW prioritization?"), Some("done")];
    assert_eq!(
        lines(20, &asked, &SAID),
        "Maya Alex Jordan | User(OffTopic) <Redirect> | User(Exit) <Closing> | synthesis user-initiated 4"
    );
    let library = Library::built_in().unwrap();
    let talk = held(&library, "01-03", 20, &asked, None);
    let redirect = talk.log().iter().find_map(|record| match &record.event {
        Event::Notice(notice) if notice.notice == NoticeKind::Redirect => Some(notice.text.clone()),
        _ => None,
    });
    let redirect = redirect.unwrap();
    assert!(redirect.starts_with("That is a great question for MoSCoW Prioritization (step 01-08). For now, let us focus on the question \""), "{redirect}");
}

#[test]
fn rule_8_a_persona_that_drifts_is_redirected_by_the_lead() {
    let said = [SAID[0], Some("Which photos come first in the MoSCoW prioritization?"), SAID[2]];
    let talk = lines(20, &[Some("done")], &said);
    assert!(talk.starts_with("Maya Alex <Redirect> Jordan |"), "{talk}");
}

#[test]
fn rule_9_a_disagreement_is_summed_up_and_put_to_the_user() {
    let said = [
        SAID[0],
        Some("I favor one queue because it keeps the order."),
        Some("Alex and I see this differently. I favor a table because it has a key."),
    ];
    let library = Library::built_in().unwrap();
    let talk = held(&library, "01-03", 20, &[Some("done")], Some(&mut Lines(said.to_vec())));
    let notice = talk.log().iter().find_map(|record| match &record.event {
        Event::Notice(notice) if notice.notice == NoticeKind::Disagreement => Some(notice.text.clone()),
        _ => None,
    });
    insta::assert_snapshot!(notice.unwrap(), @"Alex and Jordan see this differently. Alex favors one queue because it keeps the order. Jordan favors a table because it has a key. What matters more for your project: one queue or a table?");
}

#[test]
fn rule_11_what_breaks_the_voice_rules_is_not_recorded() {
    let said = [
        SAID[0],
        Some("Maya Chen (Business Analyst): I agree with Alex"),
        Some("The acceptance criteria are clear."),
        Some("Alex Rivera (Solutions Architect): The depot keeps a second copy."),
        SAID[2],
    ];
    let library = Library::built_in().unwrap();
    let talk = held(&library, "01-03", 20, &[Some("done")], Some(&mut Lines(said.to_vec())));
    let texts: Vec<&str> = talk.contributions().map(|said| said.text.as_str()).collect();
    assert_eq!(
        texts[1..],
        ["The depot keeps a second copy.", "The list of answers has an order and a limit."]
    );
}

#[test]
fn rule_11_a_soft_rule_is_asked_again_once_and_then_the_line_is_taken() {
    let said = [
        SAID[0],
        Some("The acceptance criteria are clear."),
        Some("Those acceptance criteria are few."),
        SAID[2],
    ];
    let library = Library::built_in().unwrap();
    let talk = held(&library, "01-03", 20, &[Some("done")], Some(&mut Lines(said.to_vec())));
    let texts: Vec<&str> = talk.contributions().map(|said| said.text.as_str()).collect();
    assert_eq!(texts[1], "Those acceptance criteria are few.");
}

#[test]
fn rule_11_where_an_answer_is_due_the_secretary_stands_in() {
    let library = Library::built_in().unwrap();
    let said = vec![Some("Jordan: no"); 40];
    let talk = held(&library, "01-03", 20, &[Some("done")], Some(&mut Lines(said)));
    assert!(
        talk.contributions().all(|said| said.voice.as_deref() == Some(SECRETARY) || said.voice.is_none())
    );
    assert_eq!(talk.contributions().count(), 3);
}

#[test]
fn section_5_every_entry_rests_on_turns_in_which_its_authors_spoke() {
    let library = Library::built_in().unwrap();
    let inputs = [
        Some("We decided to keep both answers because nobody may lose work."),
        Some("I'll ask the depot. Done."),
    ];
    let talk = held(&library, "01-03", 20, &inputs, None);
    let summary = talk.log().iter().find_map(|record| match &record.event {
        Event::Synthesis(summary) => Some(summary.clone()),
        _ => None,
    });
    let summary = summary.unwrap();
    assert_eq!(summary.decisions[0].text, "We decided to keep both answers because nobody may lose work");
    assert_eq!(summary.decisions[0].rationale, "nobody may lose work");
    for insight in &summary.insights {
        for key in &insight.by {
            assert!(insight.turns.iter().any(|turn| talk.speaker(*turn) == Some(key.as_str())));
        }
    }
    assert!(summary.summary.chars().count() <= 100);
}

#[test]
fn section_5_no_decision_is_lost_not_even_in_an_exit_or_a_redirected_input() {
    let library = Library::built_in().unwrap();
    let inputs = [
        Some("We decided to drop the MoSCoW prioritization for this release."),
        Some("Let's go with one queue. Done."),
    ];
    let talk = held(&library, "01-03", 20, &inputs, None);
    let summary = roundtable::minutes::summary(&talk, library.forms());
    let decided: Vec<&str> = summary.decisions.iter().map(|decision| decision.text.as_str()).collect();
    assert_eq!(
        decided,
        ["We decided to drop the MoSCoW prioritization for this release", "Let's go with one queue"]
    );
}
