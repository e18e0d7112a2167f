//! What to do about an error, apart from what is wrong.
//!
//! Invariant: a remedy is never cut out of a message; who makes the error says it.

use std::error::Error;
use std::fmt;

/// An error that may know what to do about it.
pub trait Remedy: Error {
    /// What to do, as a clause without a full stop.
    fn remedy(&self) -> Option<String>;
}

/// Something that is wrong, with what to do about it where that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub what: String,
    pub remedy: Option<String>,
}

impl Problem {
    /// What another error says.
    pub fn of(error: &dyn Remedy) -> Problem {
        Problem { what: error.to_string(), remedy: error.remedy() }
    }

    /// Both in one line.
    pub fn to_line(&self) -> String {
        self.remedy.as_ref().map_or(self.what.clone(), |remedy| format!("{}; {remedy}", self.what))
    }

    pub fn new(what: impl Into<String>) -> Problem {
        Problem { what: what.into(), remedy: None }
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn with(self, remedy: impl Into<String>) -> Problem {
        Problem { remedy: Some(remedy.into()), ..self }
    }
}

/// What is wrong alone.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for Problem {}

impl Remedy for Problem {
    fn remedy(&self) -> Option<String> {
        self.remedy.clone()
    }
}
