//! Who writes the contributions and the synthesis: the offline voice, or a model.
//!
//! A voice only writes: who speaks, when, and whether it stands is decided by [`crate::discussion`] and
//! [`crate::session`]. What may not be said is found by [`integrity`]:
//!
//! ```
//! use roundtable::library::Library;
//! use roundtable::voice::integrity::without_prefix;
//!
//! let library = Library::built_in().unwrap();
//! let maya = library.cast.get("business-analyst").unwrap();
//! assert_eq!(without_prefix("Maya Chen (Business Analyst): Why?", maya), "Why?");
//! ```

mod answering;
#[cfg(feature = "net")]
pub mod anthropic;
pub mod asking;
#[cfg(feature = "net")]
pub mod command;
mod counting;
mod deciding;
pub mod drafting;
pub mod evidence;
pub mod forms;
pub mod grounding;
mod heard;
pub mod integrity;
mod left_open;
pub mod lenses;
mod messages;
pub mod model;
pub mod naming;
pub mod offline;
#[cfg(feature = "net")]
pub mod openai;
mod paragraphs;
pub mod parts;
pub mod point;
pub(crate) mod probes;
pub mod prompt;
mod quoting;
mod runs;
mod second_voices;
mod spoken;
mod superlatives;
pub mod tape;
mod wants;
pub mod wording;

use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion};

use self::integrity::Breach;

/// A voice speaks for every persona at the table.
pub trait Voice {
    /// The voice's name, as recordings carry it.
    fn name(&self) -> &str;

    /// The words of a persona's line without the prefix, or none where the persona passes.
    /// `broken` holds what was wrong with the last try at this line; it is empty at the first.
    ///
    /// # Errors
    /// When the voice cannot speak at all.
    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        broken: &[Breach],
    ) -> Result<Option<String>, Speechless>;

    /// The synthesis of a discussion.
    ///
    /// # Errors
    /// When the voice cannot speak at all.
    fn summary(&mut self, talk: &Discussion<'_>) -> Result<Summary, Speechless>;
}

/// A voice that cannot speak.
#[derive(Debug, thiserror::Error)]
pub enum Speechless {
    #[error("{0}")]
    Template(#[from] crate::template::Failed),
    #[error("{0}")]
    Lenses(#[from] crate::finding::Finding),
    /// The next line could take more tokens than are left; nothing is wrong with the voice.
    #[error("the token limit of {0} leaves nothing for another line")]
    Spent(u64),
    /// A model that gave no answer, and why.
    #[error("the voice {voice} cannot speak: {why}")]
    Model { voice: String, why: String },
}
