//! The minutes of a discussion as its synthesis (discussion FR-008): what was said, from its log.
//!
//! A persona's line counts by what it carries: its rule and the passages it rests on. Its prose is never read.

use super::{Choice, Forms, Speaker, Spoken, draw};
use crate::discussion::Discussion;
use crate::discussion::event::{Class, Contribution, Event, NoticeKind};
use crate::discussion::points::{Point, untaken};
use crate::discussion::positions::opposition;
use crate::discussion::summary::{
    Decision, Insight, ONE_LINE, Question, Recognised, Summary, USER, without_end,
};
use crate::text::plain::{count, cut, one_line};
use crate::text::words::subjects;

/// The most findings of the rules that become insights.
const MAX_FINDINGS: usize = 3;

/// A line that was said, with what is computed of it.
struct SpokenLine<'l> {
    turn: u32,
    speaker: Speaker<'l>,
    text: &'l str,
    options: Vec<String>,
    has_seen: bool,
    off_topic: Option<String>,
}

/// The synthesis of a discussion, by rule.
pub fn summary(talk: &Discussion<'_>, forms: &Forms) -> Summary {
    let entries = entries(talk);
    let said: Vec<Spoken<'_>> = entries.iter().map(SpokenLine::spoken).collect();
    let names: Vec<&str> = talk.library().cast.iter().map(|persona| persona.first_name()).collect();
    let minutes = draw(&said, forms, &names);
    let findings = talk.contributions().filter_map(finding).take(MAX_FINDINGS);
    let said: Vec<&Contribution> = talk.contributions().collect();
    let points = untaken(talk.points(), &said).map(of_point);
    let notes = minutes.notes.iter().map(|one| insight(&one.text, one.turn));
    let decided: Vec<&str> = minutes.decisions.iter().map(|one| one.text.as_str()).collect();
    let open: Vec<&str> = minutes.open_questions.iter().map(|one| one.text.as_str()).collect();
    Summary {
        insights: findings.chain(notes).collect(),
        decisions: minutes.decisions.iter().map(decision).collect(),
        open_questions: minutes.open_questions.iter().map(question).chain(points).collect(),
        action_items: minutes.action_items.iter().map(action).collect(),
        additions: Vec::new(),
        possible_decisions: Vec::new(),
        lands: None,
        summary: in_one_line(&decided, &open, talk),
        voice: None,
    }
}

/// What a text decides, each with its reason where one is given.
pub fn decisions_in(text: &str, forms: &Forms) -> Vec<(String, Option<String>)> {
    let minutes = draw(&[Spoken::by_user(1, USER, text)], forms, &[]);
    minutes
        .decisions
        .into_iter()
        .map(|one| (without_end(&one_line(&one.text)).to_owned(), one.reason))
        .collect()
}

/// Whether a text has no word of a subject.
pub fn says_nothing(text: &str) -> bool {
    subjects(text).is_empty()
}

impl<'l> SpokenLine<'l> {
    fn new(turn: u32, speaker: Speaker<'l>, text: &'l str) -> SpokenLine<'l> {
        SpokenLine { turn, speaker, text, options: Vec::new(), has_seen: false, off_topic: None }
    }

    fn spoken(&self) -> Spoken<'_> {
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        Spoken {
            turn: self.turn,
            speaker: self.speaker,
            text: self.text,
            choice: (!options.is_empty()).then_some(Choice { on: asked(self.text), options }),
            has_seen: self.has_seen,
            off_topic: self.off_topic.as_deref(),
        }
    }
}

/// The context of a choice that was put to the user and that nobody made.
pub const NOT_SETTLED: &str = "put to the user and not settled";

/// The question that a notice ends with.
pub(super) fn asked(notice: &str) -> &str {
    let end = notice.trim_end();
    let before = end.trim_end_matches('?');
    // A mark within a word ends nothing: `product.dart`.
    let ends = [". ", "! ", "? "].iter().filter_map(|mark| before.rfind(mark)).max();
    ends.map_or(end, |at| end[at + 1..].trim_start())
}

/// What was said, in order. A disagreement puts a choice to the user; it counts in the turn that caused it.
fn entries<'l>(talk: &'l Discussion<'_>) -> Vec<SpokenLine<'l>> {
    let (mut found, mut round, mut last) = (Vec::new(), Vec::new(), 0);
    // A script that is known from the start answers no choice that comes up in it.
    let mut has_seen = talk.opened().is_live;
    for record in talk.log() {
        match &record.event {
            Event::Contribution(said) => {
                last = said.turn;
                round.push(said.clone());
            }
            Event::User(message) => {
                round.clear();
                let Some(turn) = message.turn else { continue };
                last = turn;
                let drift = talk.drift_of(&message.text).map(|drift| drift.belongs);
                let off_topic = drift.filter(|_| message.class == Class::OffTopic);
                let entry = SpokenLine::new(turn, Speaker::User(&message.by), &message.text);
                found.push(SpokenLine { has_seen, off_topic, ..entry });
            }
            Event::Notice(notice) if notice.notice == NoticeKind::Disagreement => {
                let sides = opposition(&talk.library().cast, &round);
                let options = sides.map(|sides| vec![sides.a.1.favors, sides.b.1.favors]).unwrap_or_default();
                has_seen = talk.opened().is_live;
                found.push(SpokenLine {
                    options,
                    ..SpokenLine::new(last, Speaker::Persona(&notice.by), &notice.text)
                });
            }
            Event::Resumed(_) => has_seen = true,
            Event::Silence {} => round.clear(),
            _ => {}
        }
    }
    found
}

/// A finding as it was said.
fn finding(said: &Contribution) -> Option<Insight> {
    said.rule.as_ref()?;
    let (text, rests) = (one_line(&said.text), &said.rests);
    Some(Insight { text, by: vec![said.by.clone()], turns: vec![said.turn], rests: rests.to_vec() })
}

fn insight(text: &str, turn: u32) -> Insight {
    Insight { text: one_line(text), by: vec![USER.to_owned()], turns: vec![turn], rests: Vec::new() }
}

fn decision(one: &super::Decision) -> Decision {
    Decision::new(&one.text, one.reason.as_deref(), &one.by, one.turns.clone(), Recognised::Form)
}

fn question(one: &super::OpenQuestion) -> Question {
    let context = match (&one.by, &one.step) {
        (Some(by), Some(step)) => format!("asked by {by}; it belongs to {step}"),
        (Some(by), None) => format!("asked by {by}"),
        (None, _) => NOT_SETTLED.to_owned(),
    };
    Question { text: one_line(&one.text), context, turns: one.turns.clone() }
}

/// A point that nobody took up, with its options.
fn of_point(point: &Point) -> Question {
    let options = match point.options.is_empty() {
        true => String::new(),
        false => format!("; options: {}", point.options.join(" / ")),
    };
    let why = if point.why.is_empty() { "nobody took it up" } else { without_end(&point.why) };
    Question {
        text: point.question.clone(),
        context: format!("{}{options}", one_line(why)),
        turns: Vec::new(),
    }
}

/// What is to be done, with who does it.
fn action(one: &super::ActionItem) -> Insight {
    let text = one_line(&one.text);
    let owned = match &one.owner {
        Some(owner) if text.trim_start_matches('@').starts_with(owner.as_str()) => text,
        Some(owner) => format!("{owner}: {text}"),
        None => format!("{text} (unassigned)"),
    };
    insight(&owned, one.turn)
}

/// The one sentence of the record: the first decision, else the first open question, else what the talk was about.
pub fn in_one_line(decisions: &[&str], open_questions: &[&str], talk: &Discussion<'_>) -> String {
    let more = |count: usize| if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
    let with = |begin: &str, text: &str, more: String| {
        let room = ONE_LINE.saturating_sub(begin.chars().count() + more.chars().count());
        format!("{begin}{}{more}", cut(&one_line(text), room))
    };
    if let Some(first) = decisions.first() {
        return with("Decided: ", first, more(decisions.len()));
    }
    if let Some(first) = open_questions.first() {
        return with("Open: ", first, more(open_questions.len()));
    }
    let messages = talk.log().iter().filter(|record| matches!(record.event, Event::User(_))).count();
    with("", &format!("{} on {}", count(messages, "message"), talk.step().title), String::new())
}
