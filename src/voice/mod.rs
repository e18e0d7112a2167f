//! Who writes the contributions and the synthesis: the secretary, or a model.
//!
//! A voice only writes: who speaks, when, and whether the words are accepted is decided by [`crate::discussion`] and
//! [`crate::run::session`]. What may not be said is in [`rules`], and found by [`breaches`]:
//!
//! ```
//! use roundtable::item::library::Library;
//! use roundtable::voice::breaches::without_prefix;
//!
//! let library = Library::built_in().unwrap();
//! let maya = library.cast.get("business-analyst").unwrap();
//! assert_eq!(without_prefix("Maya Chen (Business Analyst): Why?", maya), "Why?");
//! ```

pub mod amounts;
mod attribution;
pub mod basis;
pub mod breaches;
pub mod claims;
pub mod model;
pub mod names;
pub mod own_text;
pub mod passages;
pub mod points;
pub mod quotations;
pub mod recorded;
pub mod rules;
pub mod secretary;
pub mod settled;
pub mod sources;
mod verbs;

use crate::discussion::additions::Proposal;
pub use crate::discussion::event::SECRETARY;
use crate::discussion::event::{Critique, Message, Position, Rest};
use crate::discussion::points::{Need, Point, Points, Refutation};
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion};
use crate::text::remedy::{Problem, Remedy};

use self::rules::Breach;
use self::sources::Excerpt;

/// What a persona says, and what that rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The words, without the prefix.
    pub text: String,
    pub rests: Vec<Rest>,
    /// What it rests on is only the closest to a question.
    pub is_closest: bool,
    /// The review rule that found it.
    pub rule: Option<String>,
    pub position: Option<Position>,
    pub proposal: Option<Proposal>,
    /// Names and quoted wordings of it that no document or file has, as it says itself.
    pub absent: Vec<String>,
}

impl Line {
    /// A line of words alone.
    pub fn plain(text: impl Into<String>) -> Line {
        Line { text: text.into(), ..Line::default() }
    }
}

/// A line that was refused, and the rules that it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The words as they were said.
    pub text: String,
    /// Never empty; hard rules first.
    pub breaches: Vec<Breach>,
}

/// A synthesis, and what was wrong with the drafts before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synthesis {
    pub summary: Summary,
    pub critiques: Vec<Critique>,
}

/// What is answered together: a message and the personas who may speak to it. The opening, and a round after silence,
/// have no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Taken from the discussion, or still to come.
    pub message: Option<Message>,
    pub cues: Vec<Cue>,
}

/// What a voice asked for, and the words of what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    pub need: Need,
    pub excerpts: Vec<Excerpt>,
}

/// A voice speaks for every persona at the table.
pub trait Voice {
    /// The voice's name, as recordings carry it.
    fn name(&self) -> &str;

    /// What it reads besides the item's documents, and may quote.
    fn evidence(&self) -> &[Excerpt] {
        &[]
    }

    /// What it asked for since this was called last, and was given: it may quote that, too.
    fn needed(&mut self) -> Option<Needed> {
        None
    }

    /// What of its answers before the first turn could not be used, since this was called last.
    fn left_out(&mut self) -> Vec<Critique> {
        Vec::new()
    }

    /// What a reader finds open in the documents, before anybody speaks; none where the voice has no reader.
    ///
    /// # Errors
    /// When the voice cannot speak at all.
    fn points(&mut self, _: &Discussion<'_>) -> Result<Option<Points>, Speechless> {
        Ok(None)
    }

    /// What already answers some of these points, each with the point's place.
    ///
    /// # Errors
    /// When the voice cannot speak at all.
    fn refute(&mut self, _: &[Point], _: &Discussion<'_>) -> Result<Vec<(usize, Refutation)>, Speechless> {
        Ok(Vec::new())
    }

    /// What the personas say in the first of these exchanges, in their order: a line for each cue, none where a persona
    /// passes. Cues and exchanges that the answer does not have are asked for again when it is their turn.
    ///
    /// # Errors
    /// When the voice cannot speak at all.
    fn round(
        &mut self,
        block: &[Exchange],
        talk: &Discussion<'_>,
    ) -> Result<Vec<Vec<Option<Line>>>, Speechless> {
        let first = block.first().and_then(|exchange| exchange.cues.first());
        let line = first.map(|cue| self.line(cue, talk, None)).transpose()?;
        Ok(line.map(|line| vec![vec![line]]).unwrap_or_default())
    }

    /// A persona's line, or none where the persona passes. `rejected` is the last try at it.
    ///
    /// # Errors
    /// When the voice cannot speak at all.
    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        rejected: Option<&Rejected>,
    ) -> Result<Option<Line>, Speechless>;

    /// The synthesis of a discussion, from the one that the rules have drawn up.
    ///
    /// # Errors
    /// When the voice cannot speak at all.
    fn summary(&mut self, talk: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless>;
}

/// A voice that cannot speak.
#[derive(Debug, thiserror::Error)]
pub enum Speechless {
    #[error("{0}")]
    Template(#[from] crate::text::template::Failed),
    #[error("{0}")]
    Rules(#[from] crate::text::finding::Finding),
    /// The next line could take more tokens than are left; nothing is wrong with the voice.
    #[error("the token limit of {0} leaves nothing for another line")]
    Spent(u64),
    /// A model that gave no answer, and why.
    #[error("the voice {voice} cannot speak: {why}")]
    Model { voice: String, why: Problem },
    /// A model whose answer could not be read, and what was wrong with it.
    #[error("{voice}: {why}")]
    Unreadable { voice: String, why: Problem },
}

impl Remedy for Speechless {
    fn remedy(&self) -> Option<String> {
        match self {
            Speechless::Model { why, .. } | Speechless::Unreadable { why, .. } => why.remedy(),
            Speechless::Template(_) | Speechless::Rules(_) | Speechless::Spent(_) => None,
        }
    }
}
