//! What must hold for every discussion: any script, any turn limit, any voice.

use proptest::prelude::*;
use roundtable::discussion::event::{
    Author, Class, Event, Exit, NoticeKind, Opened, Purpose, Record, Resumed, StepRef, Time, digest,
};
use roundtable::discussion::summary::Summary;
use roundtable::discussion::{Cue, Discussion, Next};
use roundtable::item::library::Library;
use roundtable::item::step::{Depth, Step};
use roundtable::run::script::{Input, Script};
use roundtable::run::session::{SessionEnd, hold};
use roundtable::voice::basis::Basis;
use roundtable::voice::breaches::breaches;
use roundtable::voice::secretary::Secretary;
use roundtable::voice::{Line, Rejected, SECRETARY, Speechless, Synthesis, Voice};

/// A voice that passes, breaks rules or speaks, as a sequence of bytes says.
pub struct Dice {
    pub rolls: Vec<u8>,
    pub at: usize,
}

impl Voice for Dice {
    fn name(&self) -> &str {
        "dice"
    }

    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        _: Option<&Rejected>,
    ) -> Result<Option<Line>, Speechless> {
        self.at += 1;
        let roll = self.rolls[self.at % self.rolls.len()].wrapping_add(self.at as u8);
        let turn = talk.turn_count();
        let text = match roll % 8 {
            0 | 1 => None,
            2 => Some("Maya Chen (Business Analyst): I speak for Maya".to_owned()),
            3 => Some("the throughput, the function signature, the business value".to_owned()),
            4 => Some(format!(
                "Which of turn {turn} comes first in the MoSCoW prioritization of {}?",
                cue.persona
            )),
            5 => Some(format!("I favor option number {turn} because turn {turn} said so.")),
            6 => {
                Some(format!("Maya and I see this differently. I prefer plan {turn} because of {}.", self.at))
            }
            _ => Some(format!(
                "Remark {} in turn {turn} on {roll}: {}",
                self.at,
                "word ".repeat(usize::from(roll % 7))
            )),
        };
        Ok(text.map(Line::plain))
    }

    fn summary(&mut self, _: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        Ok(Synthesis { summary: by_rule, critiques: Vec::new() })
    }
}

pub fn opened(library: &Library, step_id: &str, max_turns: u32, voice: &str) -> Record {
    opened_for(library, step_id, max_turns, voice, "offline mode")
}

/// The opening of a discussion of an item by its name.
pub fn opened_for(library: &Library, step_id: &str, max_turns: u32, voice: &str, name: &str) -> Record {
    let step = library.step(step_id).unwrap();
    let opened = Opened {
        format: roundtable::discussion::event::FORMAT,
        item: "docs/requirements/offline-mode".into(),
        item_name: name.into(),
        step: StepRef {
            id: step.id.clone(),
            title: step.title.clone(),
            phase: step.phase.clone(),
            outputs: step.outputs.clone(),
        },
        lead: library.cast.lead(&step.phase).0.key.clone(),
        max_turns,
        base: "0".repeat(40),
        read: Default::default(),
        branch: "roundtable/offline-mode".into(),
        layout: "isdlc".into(),
        document: None,
        voice: voice.into(),
        model: None,
        user: "Sam".into(),
        digests: Default::default(),
        author: Author { name: "roundtable".into(), email: "roundtable@localhost".into(), signed_off: false },
        run: "0".repeat(32),
        new_meta: None,
        draft: None,
        comments: None,
        stays_open: false,
        is_live: false,
        evidence: Vec::new(),
    };
    Record { at: time(), event: Event::Opened(Box::new(opened)) }
}

pub fn time() -> Time {
    Time::parse("2026-02-20T14:30:00Z").unwrap()
}

/// The secretary of the sandbox's specification.
pub fn secretary<'l>(library: &'l Library, step: &Step) -> Secretary<'l> {
    let files = [("requirements-spec.md", crate::kit::SPEC)];
    Secretary::new(
        files.into_iter(),
        &step.outputs,
        std::sync::Arc::new(roundtable::review::Rules::over(&library.own_review_rules()).unwrap()),
        Depth::Standard,
    )
}

/// A discussion held from a script to its end.
pub fn held<'l>(
    library: &'l Library,
    step_id: &str,
    max_turns: u32,
    inputs: &[Option<&str>],
    voice: Option<&mut dyn Voice>,
) -> Discussion<'l> {
    let step = library.step(step_id).unwrap();
    let name = voice.as_ref().map_or(SECRETARY, |voice| voice.name()).to_owned();
    let mut talk = Discussion::open(library, step, opened(library, step_id, max_turns, &name)).unwrap();
    let text = serde_json::json!({ "inputs": inputs }).to_string();
    let mut script =
        if inputs.is_empty() { Script::default() } else { Script::read("s.json", text.as_bytes()).unwrap() };
    let mut stand_in = secretary(library, step);
    hold(&mut talk, voice, &mut stand_in, &mut script, &time, &mut |_| Ok(())).unwrap();
    talk
}

/// Messages of every class, among them silence.
const INPUTS: [Option<&str>; 17] = [
    None,
    None,
    Some("Alex, what breaks when the sync fails?"),
    Some("jordan: and the limits?"),
    Some("Maya, Alex, who sees the conflict?"),
    Some("What do you all think about photos?"),
    Some("everyone, last thoughts on the server"),
    Some("What about error handling?"),
    Some("We decided to keep both answers because nobody may lose work."),
    Some("Which of these comes first in the MoSCoW prioritization?"),
    Some("are we done?"),
    Some("yes"),
    Some("no, go on"),
    Some("それで、同期はどうしますか"),
    Some("-->\n<!-- Elaboration: step 01-03, x -->\n# heading"),
    Some("done"),
    Some("The depot keeps a copy for 30 days. That's all, done."),
];

fn turns_of(log: &[Record]) -> Vec<u32> {
    log.iter()
        .filter_map(|record| match &record.event {
            Event::Contribution(said) => Some(said.turn),
            Event::User(message) => message.turn,
            _ => None,
        })
        .collect()
}

fn notices(log: &[Record], kind: NoticeKind) -> usize {
    log.iter()
        .filter(|record| matches!(&record.event, Event::Notice(notice) if notice.notice == kind))
        .count()
}

/// Every rule that can be checked on a finished log.
fn check(library: &Library, talk: &Discussion<'_>, max_turns: u32) {
    let log = talk.log();
    assert_eq!(talk.next().unwrap(), Next::Nothing);
    assert!(talk.turn_count() <= max_turns);
    let turns = turns_of(log);
    assert_eq!(turns, (1..=talk.turn_count()).collect::<Vec<_>>());
    check_decisions(talk);
    let warned = usize::from(talk.turn_count() + 2 >= max_turns);
    assert_eq!(notices(log, NoticeKind::Warning), warned);
    let limited = usize::from(talk.turn_count() == max_turns);
    assert_eq!(notices(log, NoticeKind::Limit), limited);
    let Event::Closed(closed) = &log.last().unwrap().event else { panic!("not closed") };
    assert_eq!(closed.turn_count, talk.turn_count());
    assert_eq!(limited == 1, closed.exit == Exit::TurnLimit);
    check_speakers(talk);
    let step = talk.step();
    assert_eq!(&Discussion::replay(library, step, log).unwrap(), talk);
    let lines = roundtable::discussion::event::to_lines(log);
    assert_eq!(roundtable::discussion::event::from_lines("r", &lines).unwrap(), log[..]);
}

/// Every message is heard or kept as not discussed, word for word and in order; "done" alone is no message.
fn check_messages(talk: &Discussion<'_>, inputs: &[Option<&str>]) {
    let kept: Vec<&str> = talk
        .log()
        .iter()
        .filter_map(|record| match &record.event {
            Event::User(message) => Some(message.text.as_str()),
            Event::Unheard(late) => Some(late.text.as_str()),
            _ => None,
        })
        .filter(|text| *text != "done")
        .collect();
    let said: Vec<&str> = inputs.iter().flatten().copied().filter(|text| *text != "done").collect();
    assert_eq!(kept, said);
}

/// Only people decide: a decision rests on a turn of the user.
fn check_decisions(talk: &Discussion<'_>) {
    let summary = talk.log().iter().find_map(|record| match &record.event {
        Event::Synthesis(summary) => Some(summary),
        _ => None,
    });
    for decision in &summary.unwrap().decisions {
        assert!(decision.turns.iter().any(|turn| talk.speaker(*turn) == Some("user")), "{decision:?}");
    }
}

/// Who speaks when: the framer first; after a message those it is for, in their order; nobody
/// after an exit, an unclear or a redirected message; nobody twice in a round.
fn check_speakers(talk: &Discussion<'_>) {
    let mut wanted: Vec<String> = Vec::new();
    let mut round: Vec<&str> = Vec::new();
    let (mut silent, mut is_free) = (false, false);
    for record in talk.log() {
        match &record.event {
            Event::Contribution(said) => {
                assert!(!silent, "somebody answers what nobody answers");
                if said.purpose == Purpose::Framing {
                    assert_eq!((said.turn, said.by.as_str()), (1, talk.lead().key.as_str()));
                }
                assert!(!round.contains(&said.by.as_str()), "twice in a round");
                if said.purpose == Purpose::Answer {
                    let at =
                        wanted.iter().position(|key| *key == said.by).expect("nobody asked for this answer");
                    assert!(at == 0 || is_free, "somebody who owes an answer was skipped");
                    wanted.drain(..=at);
                } else {
                    assert!(wanted.is_empty() || is_free, "somebody who owes an answer was skipped");
                }
                round.push(&said.by);
            }
            Event::User(message) => {
                assert!(wanted.is_empty() || is_free, "somebody who owes an answer was skipped");
                wanted = message.to.clone();
                is_free = talk.owes_no_answer(&message.text);
                silent = matches!(message.class, Class::Exit | Class::Unclear | Class::OffTopic);
                assert!(!silent || wanted.is_empty());
                round.clear();
            }
            Event::Silence {} => {
                silent = false;
                round.clear();
            }
            Event::Notice(notice) => assert_eq!(notice.by, talk.lead().key),
            _ => {}
        }
        if matches!(&record.event, Event::Notice(notice) if notice.notice == NoticeKind::Limit) {
            wanted.clear();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn however_it_is_cut_into_runs_a_discussion_is_the_same(
        picks in proptest::collection::vec(0..INPUTS.len(), 1..8),
        cuts in proptest::collection::vec(0..3usize, 0..4),
    ) {
        let library = Library::built_in().unwrap();
        let inputs: Vec<Option<&str>> = picks.iter().map(|pick| INPUTS[*pick]).collect();
        let events = |talk: &Discussion<'_>| -> Vec<String> {
            let counts = |record: &&Record| {
                !matches!(
                    record.event,
                    Event::Opened(_) | Event::Paused(_) | Event::Resumed(_) | Event::Unheard(_) | Event::Closed(_)
                )
            };
            talk.log().iter().filter(counts).map(Record::to_line).collect()
        };
        let (whole, parts) = (held_in_runs(&library, &inputs, &[]), held_in_runs(&library, &inputs, &cuts));
        prop_assert_eq!(events(&whole), events(&parts));
        let again = Discussion::replay(&library, library.step("01-03").unwrap(), parts.log()).unwrap();
        prop_assert_eq!(again, parts);
    }

    #[test]
    fn every_discussion_ends_within_its_bound_and_replays(
        max_turns in 3_u32..=40,
        step in prop::sample::select(vec!["00-01", "01-03", "02-03", "03-01", "04-02"]),
        picks in prop::collection::vec(0..INPUTS.len(), 0..24),
        rolls in prop::option::of(prop::collection::vec(any::<u8>(), 1..16)),
    ) {
        let library = Library::built_in().unwrap();
        let inputs: Vec<Option<&str>> = picks.iter().map(|&pick| INPUTS[pick]).collect();
        let mut dice = rolls.map(|rolls| Dice { rolls, at: 0 });
        let voice = dice.as_mut().map(|dice| dice as &mut dyn Voice);
        let talk = held(&library, step, max_turns, &inputs, voice);
        check(&library, &talk, max_turns);
        check_messages(&talk, &inputs);
    }

    #[test]
    fn a_log_that_was_tampered_with_is_refused_or_the_same(
        picks in prop::collection::vec(0..INPUTS.len(), 0..8),
        at in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        let library = Library::built_in().unwrap();
        let inputs: Vec<Option<&str>> = picks.iter().map(|&pick| INPUTS[pick]).collect();
        let talk = held(&library, "01-03", 12, &inputs, None);
        let (at, to) = (at.index(talk.log().len()), to.index(talk.log().len()));
        let mut swapped = talk.log().to_vec();
        swapped.swap(at, to);
        let mut dropped = talk.log().to_vec();
        dropped.remove(at);
        let mut doubled = talk.log().to_vec();
        doubled.insert(at, talk.log()[at].clone());
        for log in [swapped, dropped, doubled] {
            let whole = Discussion::replay(&library, talk.step(), &log).is_ok_and(|again| again.finish().is_some());
            prop_assert!(!whole || log == talk.log()[..]);
            // Closed again over what it holds now: silence may stand twice, and a round in which
            // somebody passed is a round.
            let again = sealed(log.clone());
            let whole = Discussion::replay(&library, talk.step(), &again).is_ok_and(|again| again.finish().is_some());
            let events = |log: &[Record]| -> Vec<Record> {
                let free = |r: &&Record| {
                    let event = &r.event;
                    !matches!(event, Event::Silence {} | Event::Contribution(_) | Event::Unheard(_) | Event::Closed(_))
                };
                log.iter().filter(free).cloned().collect()
            };
            prop_assert!(!whole || log == talk.log()[..] || events(&log) == events(talk.log()));
        }
    }
}

/// A discussion that stays open, held in runs that hear so many inputs each; the last one closes it.
fn held_in_runs<'l>(library: &'l Library, inputs: &[Option<&str>], cuts: &[usize]) -> Discussion<'l> {
    let step = library.step("01-03").unwrap();
    let mut first = opened(library, "01-03", 80, SECRETARY);
    if let Event::Opened(opened) = &mut first.event {
        opened.comments = Some(Vec::new());
        opened.stays_open = true;
    }
    let mut talk = Discussion::open(library, step, first).unwrap();
    let mut rest = inputs;
    for (run, cut) in cuts.iter().map(|cut| cut + 1).chain([usize::MAX]).enumerate() {
        let (now, later) = rest.split_at(cut.min(rest.len()));
        rest = later;
        if run > 0 {
            let base = format!("{run:040x}");
            let resumed = Resumed { base, comments: Vec::new() };
            talk.record(Record { at: time(), event: Event::Resumed(resumed) }).unwrap();
        }
        let input = |text: &Option<&str>| {
            text.map(|text| Input { text: text.to_owned(), by: None, at: None, comment: None })
        };
        let mut script = Script::of(None, now.iter().map(input).collect());
        script.stays_open = !rest.is_empty();
        let mut voice = secretary(library, step);
        if hold(&mut talk, None, &mut voice, &mut script, &time, &mut |_| Ok(())).unwrap()
            == SessionEnd::Complete
        {
            break;
        }
    }
    talk
}

#[test]
fn a_run_begins_only_where_the_one_before_has_ended() {
    let library = Library::built_in().unwrap();
    let talk = held_in_runs(&library, &INPUTS[2..6], &[0, 0]);
    let log = talk.log().to_vec();
    let step = library.step("01-03").unwrap();
    let begins = |record: &&Record| matches!(record.event, Event::Resumed(_));
    let resumed = log.iter().find(begins).unwrap().clone();
    assert!(log.iter().filter(begins).count() == 2, "{log:?}");
    for at in 1..=log.len() {
        let mut other = log.clone();
        other.insert(at, resumed.clone());
        let is_there = log.get(at).is_some_and(|next| matches!(next.event, Event::Resumed(_)));
        // Two beginnings, or one in the middle: the rules ask for neither.
        assert!(Discussion::replay(&library, step, &other).is_err(), "{at} {is_there}");
    }
    // A discussion that does not stay open knows no runs.
    let mut closed = log.clone();
    if let Event::Opened(opened) = &mut closed[0].event {
        opened.comments = None;
        opened.stays_open = false;
    }
    assert!(Discussion::replay(&library, step, &closed).is_err());
}

/// A log whose end carries the digest of what stands before it now.
fn sealed(mut log: Vec<Record>) -> Vec<Record> {
    let digest = digest(&log);
    if let Some(Record { event: Event::Closed(closed), .. }) = log.last_mut() {
        closed.digest = digest;
    }
    log
}

#[test]
fn the_secretary_says_nothing_without_its_place_and_breaks_no_hard_rule() {
    let library = Library::built_in().unwrap();
    for step in &library.steps {
        let inputs: Vec<Option<&str>> = INPUTS[2..9].iter().copied().chain([None, None]).collect();
        let talk = held(&library, &step.id, 40, &inputs, None);
        for (at, record) in talk.log().iter().enumerate() {
            let Event::Contribution(said) = &record.event else { continue };
            let before = Discussion::replay(&library, step, &talk.log()[..at]).unwrap();
            let persona = library.cast.get(&said.by).unwrap();
            let broken = breaches(&said.text, persona, &before, &Basis::default());
            let hard: Vec<_> =
                broken.iter().filter(|one| one.is_hard() && one.rule.name() != "echo").collect();
            assert!(hard.is_empty(), "{} in step {}: {}: {hard:?}", said.by, step.id, said.text);
            for rest in &said.rests {
                let line = crate::kit::SPEC.lines().nth(rest.line - 1).unwrap_or_default();
                assert!(line.contains(rest.quote.lines().next().unwrap()), "{rest:?}");
            }
        }
    }
}

/// Turn, speaker, purpose, class and addressees follow from the rules: a log in which one of them
/// was changed is refused.
#[test]
fn a_field_that_follows_from_the_rules_cannot_be_changed() {
    let library = Library::built_in().unwrap();
    let inputs = [INPUTS[2], INPUTS[5], INPUTS[7], INPUTS[9], INPUTS[10], INPUTS[12], INPUTS[15]];
    let talk = held(&library, "01-03", 40, &inputs, None);
    let mut changed = 0;
    for at in 1..talk.log().len() {
        let line: serde_json::Value = serde_json::from_str(&talk.log()[at].to_line()).unwrap();
        for (field, values) in [
            ("turn", vec![serde_json::json!(99), serde_json::json!(null), serde_json::json!(1)]),
            (
                "purpose",
                ["framing", "answer", "follow-up", "round"].map(|word| serde_json::json!(word)).to_vec(),
            ),
            (
                "class",
                ["exit", "unclear", "direct", "group", "default", "off-topic"]
                    .map(|word| serde_json::json!(word))
                    .to_vec(),
            ),
            ("to", vec![serde_json::json!([]), serde_json::json!(["system-designer"])]),
            (
                "notice",
                ["warning", "limit", "inactivity", "closing"].map(|word| serde_json::json!(word)).to_vec(),
            ),
            ("exit", ["turn-limit", "inactivity", "budget"].map(|word| serde_json::json!(word)).to_vec()),
            ("turn_count", vec![serde_json::json!(1)]),
        ] {
            for value in values.iter().filter(|value| line.get(field).is_some_and(|was| was != *value)) {
                let mut other = line.clone();
                other[field] = value.clone();
                let Ok(record) = Record::from_line(&other.to_string()) else { continue };
                let mut log = talk.log().to_vec();
                log[at] = record;
                assert!(
                    Discussion::replay(&library, talk.step(), &sealed(log)).is_err(),
                    "{field} of event {}: {other}",
                    at + 1
                );
                changed += 1;
            }
        }
    }
    assert!(changed > 100, "{changed}");
}
