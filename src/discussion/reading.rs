//! What can be read of a discussion at any time.

use super::{Cue, Discussion, Stage, introduction};
use crate::discussion::event::{Contribution, Event, Message, Opened, Record};
use crate::discussion::finished::{Finished, finished};
use crate::discussion::runs::PausedDiscussion;
use crate::discussion::summary::USER;
use crate::item::library::Library;
use crate::item::persona::Persona;
use crate::item::step::Step;
use crate::text::echo::Echo;
use crate::text::template::Failed;

/// Something that was said, by whom, and what other texts are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Said<'t> {
    /// A persona's key, or [`USER`].
    pub by: &'t str,
    pub text: &'t str,
    pub echo: &'t Echo,
}

impl<'l> Discussion<'l> {
    /// Who spoke in a turn: a persona's key, or [`USER`].
    pub fn speaker(&self, turn: u32) -> Option<&str> {
        self.log.iter().find_map(|record| match &record.event {
            Event::Contribution(said) if said.turn == turn => Some(said.by.as_str()),
            Event::User(message) if message.turn == Some(turn) => Some(USER),
            _ => None,
        })
    }

    /// What the personas said, in order.
    pub fn contributions(&self) -> impl Iterator<Item = &Contribution> {
        self.log.iter().filter_map(|record| match &record.event {
            Event::Contribution(said) => Some(said),
            _ => None,
        })
    }

    /// What anybody said, in order, each with what other texts are compared with: taken from the words
    /// once, not in each turn again.
    pub fn said(&self) -> impl Iterator<Item = Said<'_>> {
        self.log.iter().zip(&self.echoes).filter_map(|(record, echo)| {
            let (by, text) = match &record.event {
                Event::Contribution(said) => (said.by.as_str(), &said.text),
                Event::User(message) => (USER, &message.text),
                _ => return None,
            };
            Some(Said { by, text, echo: echo.get_or_init(|| Echo::of(text)) })
        })
    }

    /// The user's last message, if the user has spoken.
    pub fn last_message(&self) -> Option<&Message> {
        self.log.iter().rev().find_map(|record| match &record.event {
            Event::User(message) => Some(message),
            _ => None,
        })
    }

    pub fn log(&self) -> &[Record] {
        &self.log
    }

    pub fn library(&self) -> &'l Library {
        self.library
    }

    pub fn step(&self) -> &'l Step {
        self.step
    }

    pub fn lead(&self) -> &'l Persona {
        self.lead
    }

    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Turns so far; never more than the limit.
    pub fn turn_count(&self) -> u32 {
        self.state.turn
    }

    /// Who may still speak before the floor is the user's, in order.
    pub fn waiting(&self) -> impl Iterator<Item = &Cue> {
        let cues = match &self.state.stage {
            Stage::Speaking(cues) => Some(cues.iter()),
            _ => None,
        };
        cues.into_iter().flatten()
    }

    /// The introduction (discussion AC-001-03), turn 0.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn introduction(&self) -> Result<String, Failed> {
        introduction(self.library, &self.opened)
    }

    /// Whether it is over.
    pub fn is_closed(&self) -> bool {
        self.state.stage == Stage::Done
    }

    /// Takes the discussion apart once it is closed.
    pub fn finish(self) -> Option<Finished> {
        finished(self.log)
    }

    /// Takes a discussion apart that waits for its user.
    pub fn pause(self) -> Option<PausedDiscussion> {
        let waits = self.state.stage == Stage::Paused;
        waits.then_some(PausedDiscussion { turn_count: self.state.turn, opened: self.opened, log: self.log })
    }
}
