//! The one road of a discussion: what a run starts from, and what it comes to.
//!
//! Invariant: a result is typed until it is shown; nobody reads it back out of a report.

mod landed;

pub use landed::{Held, Landed, Talk};
