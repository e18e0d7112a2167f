//! What a message is recorded as, for the voice that tells the user so.
//!
//! ```
//! use roundtable::item::library::Library;
//! use roundtable::minutes::kinds_in;
//!
//! let library = Library::built_in().unwrap();
//! let text = "Maya, we decided to keep SQLite. Who writes the migration?";
//! let kinds = kinds_in(text, library.forms(), &["Maya"]);
//! assert!(kinds.asks && kinds.decides && !kinds.states);
//! ```

use super::Forms;
use super::message::{Kind, entries};

/// Which kinds of sentences a message has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    pub decides: bool,
    pub takes_action: bool,
    pub notes: bool,
    pub states: bool,
    pub asks: bool,
}

impl Kinds {
    /// Whether it says nothing of a subject.
    pub fn is_empty(self) -> bool {
        self == Kinds::default()
    }

    /// Whether it states something, and neither decides, asks nor takes anything on.
    pub fn is_only_statement(self) -> bool {
        self == Kinds { states: true, ..Kinds::default() }
    }
}

/// The sentences of a message that follow a decision on its line and are no part of it.
pub fn left_behind(text: &str, forms: &Forms, names: &[&str]) -> Vec<String> {
    let found = entries(text, forms, names).into_iter();
    found.filter(|entry| entry.is_left_behind).map(|entry| entry.text).collect()
}

/// The kinds of a message's sentences, in a discussion of people with these first names; thanks and mere agreement
/// are none.
pub fn kinds_in(text: &str, forms: &Forms, names: &[&str]) -> Kinds {
    let mut kinds = Kinds::default();
    for entry in entries(text, forms, names) {
        match entry.kind {
            Kind::Decision => kinds.decides = true,
            Kind::Question => kinds.asks = true,
            Kind::Action { .. } => kinds.takes_action = true,
            Kind::Note => kinds.notes = true,
            Kind::Statement => {
                let label = entry.text.trim_end_matches([':', '：']);
                kinds.states |= !forms.fits("acknowledgements", &entry.text) && !forms.fits("labels", label);
            }
        }
    }
    kinds
}
