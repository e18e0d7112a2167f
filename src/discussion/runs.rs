//! A discussion that stays open between runs: each run adds what was said to the log and stops where
//! the floor is the user's ([`Event::Paused`]); the next one begins with [`Event::Resumed`] and goes on.
//!
//! The log alone says everything: the base of the outcome is that of the last run, and what was in
//! the recording before that run is the log up to its beginning. So the recording only grows, and
//! replay needs no history.

use std::collections::BTreeSet;

use super::event::{self, Event, Opened, Paused, Record, Resumed, Time, to_lines};
use super::recordable::is_hex;
use super::{Discussion, Refused, Stage};
use crate::text::template::Failed;

/// A discussion that waits for its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PausedDiscussion {
    pub opened: Opened,
    pub turn_count: u32,
    pub log: Vec<Record>,
}

impl PausedDiscussion {
    /// The same discussion, its last run on another commit.
    pub fn rebase(&mut self, base: &str) {
        rebase(&mut self.log, base);
        close_again(&mut self.log);
        if let Some(Record { event: Event::Opened(opened), .. }) = self.log.first() {
            self.opened = opened.as_ref().clone();
        }
    }

    /// The discussion of a log that was committed, as it waits.
    pub fn read(log: Vec<Record>) -> Option<PausedDiscussion> {
        let Event::Opened(opened) = &log.first()?.event else { return None };
        let Event::Paused(paused) = &log.last()?.event else { return None };
        let (opened, turn_count) = (opened.as_ref().clone(), paused.turn_count);
        Some(PausedDiscussion { opened, turn_count, log })
    }

    /// When the last run ended: the time of its commit.
    pub fn ended(&self) -> Option<Time> {
        self.log.last().map(|last| last.at)
    }
}

impl Discussion<'_> {
    /// The end of a run, where the discussion stays open and the floor is its user's.
    ///
    /// # Errors
    /// A notice's template that cannot be rendered.
    pub fn pausing(&self) -> Result<Option<Paused>, Failed> {
        let waits = self.opened.stays_open && self.has_floor() && self.disagreement()?.is_none();
        let paused = || Paused { turn_count: self.state.turn, digest: event::digest(&self.log) };
        Ok(waits.then(paused))
    }

    pub(super) fn record_paused(&mut self, paused: &Paused, record: &Record) -> Result<(), Refused> {
        let is_idle = matches!(self.log.last(), Some(Record { event: Event::Resumed(_), .. }));
        if is_idle || self.pausing()?.as_ref() != Some(paused) {
            return Err(self.refuse(&record.event)?);
        }
        self.takes_no_time(record)?;
        self.state.stage = Stage::Paused;
        Ok(())
    }

    /// Everybody who could speak has passed: it is the user's turn.
    pub(super) fn record_resumed(&mut self, resumed: &Resumed, event: &Event) -> Result<(), Refused> {
        if self.state.stage != Stage::Paused || !is_hex(&resumed.base, 40) {
            return Err(self.refuse(event)?);
        }
        self.state.stage = Stage::Listening;
        Ok(())
    }
}

/// Whether a log is of a discussion that stays open between runs.
pub fn stays_open(log: &[Record]) -> bool {
    matches!(log.first(), Some(Record { event: Event::Opened(opened), .. }) if opened.stays_open)
}

/// The moment a discussion is known by: when it was closed, or opened where it stays open.
pub fn moment(log: &[Record]) -> Option<Time> {
    let known = if stays_open(log) { log.first() } else { log.last() };
    known.map(|record| record.at)
}

/// Where the last run begins in the log.
fn last_run(log: &[Record]) -> usize {
    log.iter().rposition(|record| matches!(record.event, Event::Resumed(_))).unwrap_or(0)
}

/// What the last run added, from its beginning on.
pub fn added(log: &[Record]) -> &[Record] {
    &log[last_run(log)..]
}

/// The recording as it was before the last run; none where that was the first.
pub fn before(log: &[Record]) -> Option<String> {
    Some(last_run(log)).filter(|at| *at > 0).map(|at| to_lines(&log[..at]))
}

/// The commit that the last run builds on.
pub fn base(log: &[Record]) -> Option<&str> {
    log.get(last_run(log)).and_then(|record| match &record.event {
        Event::Opened(opened) => Some(opened.base.as_str()),
        Event::Resumed(resumed) => Some(resumed.base.as_str()),
        _ => None,
    })
}

/// Writes the digest at the end of a log anew, over what is before it now.
pub(super) fn close_again(log: &mut [Record]) {
    let digest = event::digest(log);
    match log.last_mut().map(|last| &mut last.event) {
        Some(Event::Closed(closed)) => closed.digest = digest,
        Some(Event::Paused(paused)) => paused.digest = digest,
        _ => {}
    }
}

/// Puts the last run on another commit; the end has to be written anew then.
pub(super) fn rebase(log: &mut [Record], base: &str) {
    let at = last_run(log);
    match log.get_mut(at).map(|record| &mut record.event) {
        Some(Event::Opened(opened)) => base.clone_into(&mut opened.base),
        Some(Event::Resumed(resumed)) => base.clone_into(&mut resumed.base),
        _ => {}
    }
}

/// Puts the discussion on another branch.
pub(super) fn redirect(log: &mut [Record], branch: &str) {
    if let Some(Record { event: Event::Opened(opened), .. }) = log.first_mut() {
        branch.clone_into(&mut opened.branch);
    }
}

/// Every comment that was heard so far, by its id. One that came after the end is heard by a later discussion.
pub fn heard(log: &[Record]) -> Vec<u64> {
    let of = |record: &Record| match &record.event {
        Event::Opened(opened) => opened.comments.clone().unwrap_or_default(),
        Event::Resumed(resumed) => resumed.comments.clone(),
        Event::User(message) => message.comment.into_iter().collect(),
        _ => Vec::new(),
    };
    let unheard = unheard(log);
    log.iter().flat_map(of).filter(|id| !unheard.contains(id)).collect()
}

/// The comments that came after the end, by their ids.
pub fn unheard(log: &[Record]) -> BTreeSet<u64> {
    let of = |record: &Record| match &record.event {
        Event::Unheard(late) => late.comment,
        _ => None,
    };
    log.iter().filter_map(of).collect()
}

/// The log to the end of the run that began at a moment, if one did.
pub fn until(log: &[Record], at: Time) -> Option<&[Record]> {
    let begins = |record: &Record| matches!(record.event, Event::Opened(_) | Event::Resumed(_));
    let begin = log.iter().position(|record| begins(record) && record.at == at)?;
    let next = log[begin + 1..].iter().position(begins);
    Some(&log[..next.map_or(log.len(), |next| begin + 1 + next)])
}

/// The id of the last run: each has its own.
pub fn run_id(log: &[Record]) -> String {
    let run = match log.first().map(|first| &first.event) {
        Some(Event::Opened(opened)) => opened.run.as_str(),
        _ => "",
    };
    let runs = 1 + log.iter().filter(|record| matches!(record.event, Event::Resumed(_))).count();
    crate::item::library::sha256(format!("{run} {runs}").as_bytes())[..32].to_owned()
}
