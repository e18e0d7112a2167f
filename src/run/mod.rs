//! The one road of a discussion: what a run starts from, and what it comes to.
//!
//! Invariant: a result is typed until it is shown; nobody reads it back out of a report.

pub mod before;
pub mod clock;
pub mod elaborate;
pub mod environment;
mod fail;
pub mod identity;
mod landed;
pub mod library;
mod observer;
mod open_step;
pub mod place;
pub mod plan;
pub mod resume;
pub mod run_id;
pub mod settings;
mod setup;
pub mod voices;
pub mod walk;

pub use elaborate::{Medium, Open, Setup, Task, hold_and_keep, hold_and_land, land_again};
pub use fail::Fail;
pub use landed::{Held, Landed, Talk};
pub use observer::Observer;
pub use setup::{check_outputs, set_up};
