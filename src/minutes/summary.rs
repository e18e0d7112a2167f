//! The minutes of a discussion as its synthesis (FR-008, contract section 5): what was said, from its log.
//!
//! A persona's line counts by what it carries: its rule and the passages it rests on. Its prose is never read.

use std::collections::{BTreeMap, HashSet};

use super::{Choice, Forms, Minutes, Speaker, Spoken, draw};
use crate::discussion::Discussion;
use crate::discussion::address::{Address, address};
use crate::discussion::event::{CONTRADICTED, Contribution, Event, NoticeKind, REVIEWER, Rest};
use crate::discussion::positions::opposition;
use crate::discussion::summary::{Decision, Insight, ONE_LINE, Question, Summary, USER};
use crate::plain::{capital, count, cut, one_line};
use crate::text::words::subjects;

/// The rule of a decision that begins with a label.
const LABEL: &str = "label";

/// Passages that an entry names by their places.
const PLACES: usize = 3;

/// A line that was said, with what is computed of it.
struct Entry<'l> {
    turn: u32,
    speaker: Speaker<'l>,
    text: &'l str,
    rests: bool,
    options: Vec<String>,
    off_topic: Option<String>,
}

/// The synthesis of a discussion, by rule.
pub fn summary(talk: &Discussion<'_>, forms: &Forms) -> Summary {
    let entries = entries(talk);
    let said: Vec<Spoken<'_>> = entries.iter().map(Entry::spoken).collect();
    let minutes = draw(&said, forms);
    let shown = shown(talk);
    let base: String = talk.opened().base.chars().take(7).collect();
    let findings = talk.contributions().filter_map(|said| finding(said, &base));
    let only_ends = Address::Exit { has_content: false };
    let says = |text: &str| address(text, &talk.library().cast, false) != only_ends;
    // What somebody is to do is listed once, among the action items.
    let actions: HashSet<&str> = minutes.action_items.iter().map(|one| one.text).collect();
    let statements = minutes.statements.iter().filter(|one| says(one.text) && !actions.contains(one.text));
    let statements = statements.map(|one| insight(one.text, one.turns.clone()));
    Summary {
        insights: findings.chain(statements).collect(),
        decisions: minutes.decisions.iter().map(|one| decision(one, &shown)).collect(),
        open_questions: minutes.open_questions.iter().map(|one| question(one, &shown)).collect(),
        action_items: minutes.action_items.iter().map(action).collect(),
        additions: Vec::new(),
        summary: in_one_line(&minutes, &talk.step().title),
        voice: None,
    }
}

/// A sentence of a user that may decide something: somebody has to confirm it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Possible {
    pub text: String,
    pub by: String,
    pub turn: u32,
}

/// What may be decisions, in the order it was said.
pub fn possible_decisions(talk: &Discussion<'_>, forms: &Forms) -> Vec<Possible> {
    let entries = entries(talk);
    let said: Vec<Spoken<'_>> = entries.iter().map(Entry::spoken).collect();
    let possible = |one: &super::Decision<'_>| Possible {
        text: one_line(one.text),
        by: one.by.to_owned(),
        turn: one.turns.last().copied().unwrap_or_default(),
    };
    draw(&said, forms).possible_decisions.iter().map(possible).collect()
}

/// What a text decides by a form that is sure, each with its reason where one is given.
pub fn decisions_in(text: &str, forms: &Forms) -> Vec<(String, Option<String>)> {
    let minutes = draw(&[Spoken::by_user(1, USER, text)], forms);
    let found = minutes.decisions.iter();
    found.map(|one| (decided(one), one.reason.map(one_line))).collect()
}

/// Whether a text says nothing of a subject: it has no word of one, or speaks of the talk alone.
pub fn says_nothing(text: &str, forms: &Forms) -> bool {
    subjects(text).is_empty() || forms.is_about_the_talk(text)
}

impl<'l> Entry<'l> {
    fn new(turn: u32, speaker: Speaker<'l>, text: &'l str) -> Entry<'l> {
        Entry { turn, speaker, text, rests: false, options: Vec::new(), off_topic: None }
    }

    fn spoken(&self) -> Spoken<'_> {
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        Spoken {
            turn: self.turn,
            speaker: self.speaker,
            text: self.text,
            rests: self.rests,
            choice: (!options.is_empty()).then_some(Choice { on: self.text, options }),
            off_topic: self.off_topic.as_deref(),
        }
    }
}

/// What was said, in order. A disagreement puts a choice to the user; it counts in the turn that caused it.
fn entries<'l>(talk: &'l Discussion<'_>) -> Vec<Entry<'l>> {
    let (mut found, mut round, mut last) = (Vec::new(), Vec::new(), 0);
    for record in talk.log() {
        match &record.event {
            Event::Contribution(said) => {
                last = said.turn;
                round.push(said.clone());
                let entry = Entry::new(said.turn, Speaker::Persona(&said.by), &said.text);
                found.push(Entry { rests: said.shows_passage(), ..entry });
            }
            Event::User(message) => {
                round.clear();
                let Some(turn) = message.turn else { continue };
                last = turn;
                let drift = talk.drift_of(&message.text).map(|drift| drift.belongs);
                let off_topic = drift.filter(|_| message.class == crate::discussion::event::Class::OffTopic);
                found
                    .push(Entry { off_topic, ..Entry::new(turn, Speaker::User(&message.by), &message.text) });
            }
            Event::Notice(notice) if notice.notice == NoticeKind::Disagreement => {
                let sides = opposition(&talk.library().cast, &round);
                let options = sides.map(|sides| vec![sides.a.1.favors, sides.b.1.favors]).unwrap_or_default();
                found.push(Entry { options, ..Entry::new(last, Speaker::Persona(&notice.by), &notice.text) });
            }
            Event::Silence {} => round.clear(),
            _ => {}
        }
    }
    found
}

/// A finding as it was said, with the commit that its lines are of.
fn finding(said: &Contribution, base: &str) -> Option<Insight> {
    let (text, rests) = said.found()?;
    let text = format!("{} (lines of {base})", one_line(text));
    Some(Insight { text, by: vec![said.by.clone()], turns: vec![said.turn], rests: rests.to_vec() })
}

fn insight(text: &str, turns: Vec<u32>) -> Insight {
    Insight { text: one_line(text), by: vec![USER.to_owned()], turns, rests: Vec::new() }
}

/// The words of a decision, without the full stop: a reason follows them.
fn decided(one: &super::Decision<'_>) -> String {
    one_line(one.text).trim_end_matches(['.', '!']).to_owned()
}

fn decision(one: &super::Decision<'_>, shown: &BTreeMap<u32, Shown<'_>>) -> Decision {
    let turn = one.turns.last().copied().unwrap_or_default();
    // Lines on the same matter, which a reader has to hold beside it.
    let lines = match shown.get(&turn) {
        Some(shown) if shown.is_contradiction => {
            format!("; {} say{} otherwise", shown.places(), if shown.rests.len() == 1 { "s" } else { "" })
        }
        Some(shown) if !shown.is_closest && one.reason.is_none() => format!("; compare {}", shown.places()),
        _ => String::new(),
    };
    let rationale = one.reason.map_or_else(|| format!("settled by {} in turn {turn}", one.by), one_line);
    Decision { text: decided(one), rationale: format!("{rationale}{lines}"), turns: one.turns.clone() }
}

/// Passages that the reviewer has shown to a message.
struct Shown<'l> {
    turn: u32,
    rests: &'l [Rest],
    is_closest: bool,
    /// They say otherwise than the message.
    is_contradiction: bool,
}

impl Shown<'_> {
    /// `spec.md:12, spec.md:40`.
    fn places(&self) -> String {
        let places: Vec<String> = self
            .rests
            .iter()
            .take(PLACES)
            .map(|rest| format!("{}:{}", one_line(&rest.path), rest.line))
            .collect();
        places.join(", ")
    }
}

/// The passages that the reviewer has shown, by the turn of the message; a finding is an insight of its own.
fn shown<'l>(talk: &'l Discussion<'_>) -> BTreeMap<u32, Shown<'l>> {
    let (mut found, mut asked) = (BTreeMap::new(), 0);
    for record in talk.log() {
        match &record.event {
            Event::User(message) => asked = message.turn.unwrap_or_default(),
            Event::Contribution(said)
                if said.voice.as_deref().unwrap_or(&talk.opened().voice) == REVIEWER =>
            {
                let is_contradiction = said.rule.as_deref() == Some(CONTRADICTED);
                let is_shown =
                    !said.rests.is_empty() && (said.is_closest || is_contradiction || said.rule.is_none());
                let (turn, rests, is_closest) = (said.turn, &said.rests, said.is_closest);
                let shown = Shown { turn, rests, is_closest, is_contradiction };
                is_shown.then(|| found.entry(asked).or_insert(shown));
            }
            _ => {}
        }
    }
    found
}

fn question(one: &super::OpenQuestion<'_>, shown: &BTreeMap<u32, Shown<'_>>) -> Question {
    let turn = one.turns.last().copied().unwrap_or_default();
    let context = match (one.by, one.step) {
        (Some(by), Some(step)) => format!("asked by {by} in turn {turn}; it belongs to {step}"),
        (Some(by), None) => match shown.get(&turn).filter(|shown| shown.is_closest) {
            Some(shown) => {
                let passages = if shown.rests.len() == 1 { "passage" } else { "passages" };
                let places = shown.places();
                format!(
                    "asked by {by} in turn {turn}; turn {} quotes the closest {passages} ({places})",
                    shown.turn
                )
            }
            None => format!("asked by {by} in turn {turn} and not answered"),
        },
        (None, _) => format!("put to the user in turn {turn} and not settled"),
    };
    Question { text: one_line(one.text), context, turns: one.turns.clone() }
}

fn action(one: &super::ActionItem<'_>) -> Insight {
    let text = one_line(one.text);
    let text = if one.owner.is_some() { text } else { format!("{text} (unassigned)") };
    insight(&text, one.turns.clone())
}

/// The one sentence of the record: the first decision, else the first open question, else what the talk was about.
fn in_one_line(minutes: &Minutes<'_>, title: &str) -> String {
    let more = |count: usize| if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
    let with = |begin: &str, text: &str, more: String| {
        let room = ONE_LINE.saturating_sub(begin.chars().count() + more.chars().count());
        format!("{begin}{}{more}", cut(&one_line(text), room))
    };
    if let Some(first) = minutes.decisions.first() {
        // "Decision: …" says so itself.
        let begin = if first.rule.as_deref() == Some(LABEL) { "" } else { "Decided: " };
        return with(begin, first.text, more(minutes.decisions.len()));
    }
    if let Some(first) = minutes.open_questions.first() {
        return with("Open: ", first.text, more(minutes.open_questions.len()));
    }
    let statements = count(minutes.statements.len(), "statement");
    with("", &format!("{} on {title}", capital(&statements)), String::new())
}
