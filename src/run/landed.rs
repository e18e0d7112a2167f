//! What a discussion came to, whichever verb held it.

use git2::Oid;

use crate::discussion::event::{Event, Opened, Record};
use crate::discussion::runs::{self, PausedDiscussion};
use crate::discussion::{self, Finished};
use crate::run::script::comments::LeftOut;
use crate::synthesis::Outcome;
use crate::voice::model::Meter;

/// How far a discussion came.
#[derive(Clone)]
pub enum Talk {
    Finished(Box<Finished>),
    /// It stays open between runs, and waits for its user.
    Open(Box<PausedDiscussion>),
}

/// A discussion as it was held, and what it took.
#[derive(Clone)]
pub struct Held {
    pub talk: Talk,
    /// What a model took.
    pub usage: Meter,
    /// The comments of an exported thread that were not heard.
    pub left_out: Vec<LeftOut>,
}

/// A discussion with where it is.
#[derive(Clone)]
pub struct Landed {
    pub held: Held,
    /// The branch that it is on, or would be.
    pub branch: String,
    /// The commit that it was added to.
    pub base: String,
    /// None where nothing was committed.
    pub commit: Option<Oid>,
    /// The branch carried this run before.
    pub already_recorded: bool,
    pub outcome: Outcome,
}

impl Held {
    /// A discussion that is read from its recording; none where that has no beginning.
    pub fn read(log: Vec<Record>) -> Option<Held> {
        let talk = match discussion::finished(log.clone()) {
            Some(finished) => Talk::Finished(Box::new(finished)),
            None => Talk::Open(Box::new(PausedDiscussion::read(log)?)),
        };
        Some(Held { talk, usage: Meter::default(), left_out: Vec::new() })
    }

    pub fn opened(&self) -> &Opened {
        match &self.talk {
            Talk::Finished(finished) => &finished.opened,
            Talk::Open(paused) => &paused.opened,
        }
    }

    pub fn log(&self) -> &[Record] {
        match &self.talk {
            Talk::Finished(finished) => &finished.log,
            Talk::Open(paused) => &paused.log,
        }
    }

    /// The discussion, if it came to its end.
    pub fn finished(&self) -> Option<&Finished> {
        match &self.talk {
            Talk::Finished(finished) => Some(finished),
            Talk::Open(_) => None,
        }
    }

    pub fn turn_count(&self) -> u32 {
        match &self.talk {
            Talk::Finished(finished) => finished.closed.turn_count,
            Talk::Open(paused) => paused.turn_count,
        }
    }

    /// How many messages of this run came too late to be discussed.
    pub fn unheard(&self) -> usize {
        let all: &[Record] = self.log();
        let new = if self.opened().stays_open { runs::added(all) } else { all };
        new.iter().filter(|record| matches!(record.event, Event::Unheard(_))).count()
    }
}
