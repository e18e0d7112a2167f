//! How the program ends: three codes, and errors that say what, where and what to do.

use std::process::ExitCode;

use crate::discussion::Refused;
use crate::finding::Finding;
use crate::landing::NotLanded;
use crate::library::Unusable;
use crate::replay::{Unlanded, Unread};
use crate::repo;
use crate::session::Stopped;
use crate::template::Failed;
use crate::walk::Stumbled;

/// The exit codes (contract, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Done, and the answer is yes.
    Yes,
    /// Done, and the answer is no: findings, a difference, a violation.
    No,
    /// Could not be done; nothing was changed.
    Failed,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> ExitCode {
        ExitCode::from(match code {
            Code::Yes => 0,
            Code::No => 1,
            Code::Failed => 2,
        })
    }
}

/// An error as the user reads it.
#[derive(Debug)]
pub struct Fail {
    pub message: String,
}

impl Fail {
    pub fn new(message: impl Into<String>) -> Fail {
        Fail { message: message.into() }
    }
}

macro_rules! fail_from {
    ($($error:ty),*) => {$(
        impl From<$error> for Fail {
            fn from(error: $error) -> Fail {
                Fail::new(error.to_string())
            }
        }
    )*};
}

fail_from!(repo::Error, Finding, NotLanded, Unusable, Stopped, Refused, Failed, Unread, Unlanded, Stumbled);

/// Prints what clap has to say: help and version on standard output with 0, else 2.
pub fn usage(error: &clap::Error) -> Code {
    // Nothing can be said about a terminal that takes no more text.
    let _ = error.print();
    if error.use_stderr() { Code::Failed } else { Code::Yes }
}
