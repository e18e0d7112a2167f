//! A discussion that is over.

use super::address::only_ends;
use super::event::{Class, Closed, Event, Message, Opened, Record, Time, Unheard};
use super::runs;
use super::summary::Summary;
use crate::item::library::Library;
use crate::item::meta::Elaboration;
use crate::item::persona::Cast;
use crate::text::{markdown, plain};

/// A discussion that is over: what the landing makes a commit of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub opened: Opened,
    pub summary: Summary,
    pub closed: Closed,
    /// The timestamp of marker, record and recording: when it was closed, and when it was opened
    /// where it stayed open between runs.
    pub at: Time,
    pub log: Vec<Record>,
}

/// What documents take of a discussion, or of a step's answers: entries, and the words that they come from.
#[derive(Clone, Copy)]
pub struct LandingEntries<'a> {
    /// The name of the item's layout.
    pub layout: &'a str,
    /// The main document, where the layout has one.
    pub document: Option<&'a str>,
    /// What the step writes.
    pub outputs: &'a [String],
    /// Who wrote the insights.
    pub voice: &'a str,
    pub at: Time,
    pub summary: &'a Summary,
    pub log: &'a [Record],
}

impl<'a> LandingEntries<'a> {
    /// The messages of the turns that something rests on.
    pub fn messages<'t>(self, turns: &'t [u32]) -> impl Iterator<Item = &'a Message> + use<'a, 't> {
        let is_of_turns = move |message: &&Message| message.turn.is_some_and(|turn| turns.contains(&turn));
        messages(self.log).filter(is_of_turns)
    }
}

/// What users said in turns.
fn messages(log: &[Record]) -> impl Iterator<Item = &Message> {
    log.iter().filter_map(|record| match &record.event {
        Event::User(message) => Some(message),
        _ => None,
    })
}

impl Finished {
    /// What of it lands in documents.
    pub fn entries(&self) -> LandingEntries<'_> {
        LandingEntries {
            layout: &self.opened.layout,
            document: self.opened.document.as_deref(),
            outputs: &self.opened.step.outputs,
            voice: self.summary.voice.as_deref().unwrap_or(&self.opened.voice),
            at: self.at,
            summary: &self.summary,
            log: &self.log,
        }
    }

    /// What meta.json keeps of it.
    pub fn elaboration<'a>(&'a self, personas: &'a [String]) -> Elaboration<'a> {
        Elaboration {
            step_id: &self.opened.step.id,
            turn_count: self.closed.turn_count,
            personas,
            at: self.at,
            summary: &self.summary.summary,
        }
    }
}

/// The parts of a log that is closed, read without judging the way there.
pub fn finished(log: Vec<Record>) -> Option<Finished> {
    let Event::Opened(opened) = &log.first()?.event else { return None };
    let opened = opened.as_ref().clone();
    let summary = log.iter().find_map(|record| match &record.event {
        Event::Synthesis(summary) => Some(summary.clone()),
        _ => None,
    })?;
    let last = log.last()?;
    let Event::Closed(closed) = &last.event else { return None };
    Some(Finished { opened, summary, closed: closed.clone(), at: runs::moment(&log)?, log })
}

impl Finished {
    /// What users said in turns.
    pub fn messages_of_users(&self) -> impl Iterator<Item = &Message> {
        messages(&self.log)
    }

    /// What users said in turns, and when, by turn.
    pub fn timed_messages(&self) -> impl Iterator<Item = (u32, (Time, &Message))> {
        self.log.iter().filter_map(|record| match &record.event {
            Event::User(message) => Some((message.turn?, (record.at, message))),
            _ => None,
        })
    }

    /// Messages that came too late to be discussed.
    pub fn unheard(&self) -> impl Iterator<Item = &Unheard> {
        self.log.iter().filter_map(|record| match &record.event {
            Event::Unheard(late) => Some(late),
            _ => None,
        })
    }

    /// What documents say of messages that came too late: who wrote each, and its words as the page shows them. One that
    /// only ends or thanks says nothing.
    pub fn late_words(&self, library: &Library) -> Vec<(&str, String)> {
        let is_aside =
            |text: &str| only_ends(text, &library.cast) || library.forms().fits("acknowledgements", text);
        let late =
            self.unheard().map(|late| (late.by.as_str(), plain::one_line(&markdown::said(&late.text))));
        late.filter(|(_, text)| !text.is_empty() && !is_aside(text)).collect()
    }

    /// Whether no user said anything but that it should end: then no document says anything of it.
    pub fn is_wordless(&self, cast: &Cast) -> bool {
        let ends = |message: &Message| {
            let is_unclear = message.class == Class::Unclear && only_ends(&message.text, cast);
            message.turn.is_none() || is_unclear
        };
        self.unheard().all(|late| only_ends(&late.text, cast)) && self.messages_of_users().all(ends)
    }

    /// The recording's path within the item folder, where no other of the same step and moment has it already.
    pub fn recording(&self) -> String {
        format!("elaborations/{}-{}.jsonl", self.opened.step.id, self.at.digits())
    }

    /// The commit that its outcome is built on.
    pub fn base(&self) -> &str {
        runs::base(&self.log).unwrap_or_default()
    }

    /// When it was closed: the time of its commit.
    pub fn ended(&self) -> Time {
        self.log.last().map_or(self.at, |last| last.at)
    }

    /// The same discussion on another commit: what it says of its base, in every place.
    pub fn rebase(&mut self, base: &str) {
        if self.base() != base {
            runs::rebase(&mut self.log, base);
            self.close_again();
        }
    }

    /// The same discussion for another branch.
    pub fn redirect(&mut self, branch: &str) {
        if self.opened.branch != branch {
            runs::redirect(&mut self.log, branch);
            self.close_again();
        }
    }

    /// Takes what the log says of base and branch now, and of its end.
    fn close_again(&mut self) {
        runs::close_again(&mut self.log);
        if let Some(Record { event: Event::Opened(opened), .. }) = self.log.first() {
            self.opened = opened.as_ref().clone();
        }
        if let Some(Record { event: Event::Closed(closed), .. }) = self.log.last() {
            self.closed.clone_from(closed);
        }
    }
}
