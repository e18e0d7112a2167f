//! An error of a run: what is wrong, where, and what to do about it.

use std::error::Error;

use crate::discussion::Refused;
use crate::git;
use crate::http;
use crate::item::library::Unusable;
use crate::run::landing::NotLanded;
use crate::run::session::Stopped;
use crate::run::walk::WalkError;
use crate::synthesis::Unplaced;
use crate::text::finding::Finding;
use crate::text::remedy::{Problem, Remedy};
use crate::text::template::Failed;
use crate::voice::Speechless;

/// An error as the user reads it, and the place in a file that it is about.
#[derive(Debug)]
pub struct Fail {
    pub message: String,
    /// What to do about it, where it is known apart from the message.
    hint: Option<String>,
    /// The place in a file that it is about.
    pub finding: Option<Box<Finding>>,
    /// An object of the repository is missing or cannot be read.
    pub lacks_object: bool,
}

impl Fail {
    pub fn new(message: impl Into<String>) -> Fail {
        Fail { message: message.into(), hint: None, finding: None, lacks_object: false }
    }

    /// The same with what to do about it.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Fail {
        self.hint = Some(hint.into());
        self
    }

    /// An error whose causes may include a finding in a file, or a fault of the repository.
    pub fn caused_by(error: &(dyn Error + 'static)) -> Fail {
        let mut fail = Fail::new(error.to_string());
        let mut cause = Some(error);
        while let Some(error) = cause {
            if let Some(finding) = error.downcast_ref::<Finding>() {
                fail.finding = Some(Box::new(finding.clone()));
                break;
            }
            fail.hint = fail.hint.or_else(|| remedy_of(error));
            fail.lacks_object |= error.downcast_ref::<git::Error>().is_some_and(git::Error::lacks_object);
            cause = error.source();
        }
        fail
    }

    /// An error with a remedy of its own, whatever its causes say.
    pub fn remediable(error: &(impl Remedy + 'static)) -> Fail {
        let fail = Fail::caused_by(error);
        match error.remedy() {
            Some(hint) => fail.with_hint(hint),
            None => fail,
        }
    }

    /// What to do about it, where the message does not say so already.
    pub fn remedy(&self) -> Option<&str> {
        self.hint.as_deref().filter(|_| self.finding.is_none())
    }

    /// What to do about it, if anybody knows.
    pub fn help(&self) -> Option<&str> {
        let of_finding = || self.finding.as_deref().and_then(|finding| finding.hint.as_deref());
        self.hint.as_deref().or_else(of_finding)
    }

    /// What is wrong with its remedy, without a place.
    pub fn into_problem(self) -> Problem {
        Problem { remedy: self.remedy().map(str::to_owned), what: self.message }
    }

    /// All of it in one line.
    pub fn to_line(&self) -> String {
        match self.remedy() {
            Some(help) => format!("{}; {help}", self.message),
            None => self.message.clone(),
        }
    }
}

/// What to do about an error of ours.
fn remedy_of(error: &(dyn Error + 'static)) -> Option<String> {
    fn of<E: Remedy + 'static>(error: &(dyn Error + 'static)) -> Option<String> {
        error.downcast_ref::<E>()?.remedy()
    }
    of::<git::Error>(error)
        .or_else(|| of::<NotLanded>(error))
        .or_else(|| of::<Unplaced>(error))
        .or_else(|| of::<WalkError>(error))
        .or_else(|| of::<Unusable>(error))
        .or_else(|| of::<Speechless>(error))
        .or_else(|| of::<Stopped>(error))
        .or_else(|| of::<Problem>(error))
        .or_else(|| error.downcast_ref::<git::Fault>().map(|fault| fault.hint.clone()))
}

impl From<http::Failed> for Fail {
    fn from(failed: http::Failed) -> Fail {
        Fail::from(failed.into_problem())
    }
}

macro_rules! fail_from {
    ($($error:ty),*) => {$(
        impl From<$error> for Fail {
            fn from(error: $error) -> Fail {
                Fail::caused_by(&error)
            }
        }
    )*};
}

fail_from!(
    Problem,
    Speechless,
    git::Error,
    Finding,
    NotLanded,
    Unusable,
    Stopped,
    Refused,
    Failed,
    WalkError
);
