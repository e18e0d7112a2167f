//! The one road of a discussion: what a run starts from, and what it comes to.
//!
//! Invariant: a result is typed until it is shown; nobody reads it back out of a report.

pub mod agent;
pub mod script;
pub mod session;

#[cfg(feature = "cli")]
pub mod analyze;
#[cfg(feature = "cli")]
mod asked;
#[cfg(feature = "cli")]
pub mod before;
#[cfg(feature = "cli")]
pub mod check;
#[cfg(feature = "cli")]
pub mod clock;
#[cfg(feature = "cli")]
pub mod decided;
#[cfg(feature = "cli")]
pub mod diff;
#[cfg(feature = "cli")]
pub mod documents;
#[cfg(feature = "cli")]
pub mod elaborate;
#[cfg(feature = "cli")]
pub mod environment;
#[cfg(feature = "cli")]
mod fail;
#[cfg(feature = "cli")]
pub mod files;
#[cfg(feature = "cli")]
pub mod identity;
#[cfg(feature = "cli")]
mod landed;
#[cfg(feature = "cli")]
pub mod landing;
#[cfg(feature = "cli")]
pub mod observer;
#[cfg(feature = "cli")]
pub mod open_points;
#[cfg(feature = "cli")]
mod open_step;
#[cfg(feature = "cli")]
pub mod parted;
#[cfg(feature = "cli")]
pub mod place;
#[cfg(feature = "cli")]
pub mod plan;
#[cfg(feature = "cli")]
pub mod played;
#[cfg(feature = "cli")]
pub mod probe;
#[cfg(feature = "cli")]
pub mod push;
#[cfg(feature = "cli")]
pub mod resume;
#[cfg(feature = "cli")]
pub mod run_id;
#[cfg(feature = "cli")]
pub mod settings;
#[cfg(feature = "cli")]
mod setup;
#[cfg(feature = "cli")]
pub mod voices;
#[cfg(feature = "cli")]
pub mod walk;
#[cfg(feature = "cli")]
pub mod workspace;

#[cfg(feature = "cli")]
pub use elaborate::{
    ElaborateRequest, Medium, OpenRun, RunRequest, Setup, hold_and_keep, hold_and_land, land_again,
};
#[cfg(feature = "cli")]
pub use fail::Fail;
#[cfg(feature = "cli")]
pub use landed::{Held, Landed, Talk};
#[cfg(feature = "cli")]
pub use observer::Observer;
#[cfg(feature = "cli")]
pub use setup::{check_outputs, set_up};
