//! The minutes of a discussion as its synthesis (discussion FR-008): what was said, from its log.
//!
//! A persona's line counts by what it carries: its rule and the passages it rests on. Its prose is never read.

use std::collections::HashSet;

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
    /// What it puts to the user, and the options.
    on: &'l str,
    options: Vec<String>,
    is_point: bool,
    shown: u32,
    off_topic: Option<String>,
}

/// The synthesis of a discussion, by rule.
pub fn summary(talk: &Discussion<'_>, forms: &Forms) -> Summary {
    let entries = entries(talk);
    let said: Vec<Spoken<'_>> = entries.iter().map(SpokenLine::spoken).collect();
    let mut names = people(talk);
    let minutes = draw(&said, forms, &names);
    names.extend(said.iter().filter_map(|spoken| match spoken.speaker {
        Speaker::User(name) => name.split(' ').next(),
        Speaker::Persona(_) => None,
    }));
    let findings = talk.contributions().filter_map(finding).take(MAX_FINDINGS);
    let said: Vec<&Contribution> = talk.contributions().collect();
    let points = untaken(talk.points(), &said).map(of_point);
    let notes = minutes.notes.iter().map(|one| insight(&one.text, one.turn));
    let decided: Vec<&str> = minutes.decisions.iter().map(|one| one.text.as_str()).collect();
    let open: Vec<&str> = minutes.open_questions.iter().map(|one| one.text.as_str()).collect();
    Summary {
        insights: findings.chain(notes).collect(),
        decisions: minutes.decisions.iter().map(decision).collect(),
        open_questions: minutes.open_questions.iter().map(|one| question(one, talk)).chain(points).collect(),
        action_items: minutes.action_items.iter().map(|one| action(one, &names)).collect(),
        additions: Vec::new(),
        accepted: Vec::new(),
        possible_decisions: Vec::new(),
        unlisted_questions: Vec::new(),
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
        let options = Vec::new();
        SpokenLine { turn, speaker, text, on: "", options, is_point: false, shown: 0, off_topic: None }
    }

    fn spoken(&self) -> Spoken<'_> {
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        Spoken {
            turn: self.turn,
            speaker: self.speaker,
            text: self.text,
            choice: (!self.on.is_empty()).then_some(Choice { on: self.on, options, is_point: self.is_point }),
            shown: self.shown,
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

/// The people that a message may name, besides those who write in the thread: the personas, the user and the author of the
/// commit, by their first names.
pub fn people<'t>(talk: &'t Discussion<'_>) -> Vec<&'t str> {
    let opened = talk.opened();
    let others = [opened.user.as_str(), opened.author.name.as_str()];
    let cast = talk.library().cast.iter().map(|persona| persona.first_name());
    cast.chain(others.into_iter().filter_map(first_name)).collect()
}

/// The first of a person's names.
pub(super) fn first_name(name: &str) -> Option<&str> {
    name.split(' ').next().filter(|first| !first.is_empty())
}

/// What was said, in order. A disagreement puts a choice to the user, and so does who raises a point; it counts in the
/// turn that caused it.
fn entries<'l>(talk: &'l Discussion<'_>) -> Vec<SpokenLine<'l>> {
    let (mut found, mut round, mut last) = (Vec::new(), Vec::new(), 0);
    let mut raised: HashSet<usize> = HashSet::new();
    // A script that is known from the start answers no choice that comes up in it.
    let mut shown = if talk.opened().is_live { u32::MAX } else { 0 };
    for record in talk.log() {
        match &record.event {
            Event::Contribution(said) => {
                last = said.turn;
                round.push(said.clone());
                let new = said.points.iter().filter(|point| raised.insert(**point));
                let points = new.filter_map(|point| talk.points().get(*point));
                found.extend(points.filter(|point| point.refuted.is_none()).map(|point| put(point, said)));
            }
            Event::User(message) => {
                round.clear();
                let Some(turn) = message.turn else { continue };
                last = turn;
                let drift = talk.drift_of(&message.text).map(|drift| drift.belongs);
                let off_topic = drift.filter(|_| message.class == Class::OffTopic);
                let entry = SpokenLine::new(turn, Speaker::User(&message.by), &message.text);
                found.push(SpokenLine { shown, off_topic, ..entry });
            }
            Event::Notice(notice) if notice.notice == NoticeKind::Disagreement => {
                let Some(sides) = opposition(&talk.library().cast, &round) else { continue };
                let options = vec![sides.a.1.favors, sides.b.1.favors];
                let entry = SpokenLine::new(last, Speaker::Persona(&notice.by), &notice.text);
                found.push(SpokenLine { on: asked(&notice.text), options, ..entry });
            }
            Event::Resumed(_) => shown = shown.max(last),
            Event::Silence {} => round.clear(),
            _ => {}
        }
    }
    found
}

/// A point that a persona raised, as the choice that it puts to the user.
fn put<'l>(point: &'l Point, said: &'l Contribution) -> SpokenLine<'l> {
    let entry = SpokenLine::new(said.turn, Speaker::Persona(&said.by), &said.text);
    SpokenLine { on: &point.question, options: point.options.clone(), is_point: true, ..entry }
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

fn question(one: &super::OpenQuestion, talk: &Discussion<'_>) -> Question {
    let context = match (&one.by, &one.step) {
        (Some(by), Some(step)) => format!("asked by {by}; it belongs to {step}"),
        (Some(by), None) => format!("asked by {by}"),
        (None, _) => match talk.points().iter().find(|point| point.question == one.text) {
            Some(point) => context_of(point, NOT_SETTLED),
            None => NOT_SETTLED.to_owned(),
        },
    };
    Question { text: one_line(&one.text), context, turns: one.turns.clone() }
}

/// A point that nobody took up, with its options.
fn of_point(point: &Point) -> Question {
    let context = context_of(point, "nobody took it up");
    Question { text: point.question.clone(), context, turns: Vec::new() }
}

/// Why a point matters, or else what became of it, and its options.
fn context_of(point: &Point, became: &str) -> String {
    let options = match point.options.is_empty() {
        true => String::new(),
        false => format!("; options: {}", point.options.join(" / ")),
    };
    let why = if point.why.is_empty() { became } else { without_end(&point.why) };
    format!("{}{options}", one_line(why))
}

/// What is to be done, with who does it: of somebody known the sentence says so itself.
fn action(one: &super::ActionItem, names: &[&str]) -> Insight {
    let text = one_line(&one.text);
    let first = text.split(' ').next().unwrap_or_default();
    let is_somebodys = names.iter().any(|name| name.eq_ignore_ascii_case(first));
    let owned = match &one.owner {
        Some(owner) if text.trim_start_matches('@').starts_with(owner.as_str()) => text,
        Some(owner) => format!("{owner}: {text}"),
        None if is_somebodys => text,
        None => format!("{} (unassigned)", without_end(&text)),
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
