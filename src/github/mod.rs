//! GitHub: from an event to a discussion, and back to one comment.
//!
//! `trigger` and `thread` are values and decisions: what an event asks for, and which words of an
//! issue are the user's. `hub` talks to the REST API. Everything that comes from there is data of
//! others, whoever wrote it.
//!
//! ```
//! use roundtable::item::config::github::Permission;
//!
//! // A role that is not known counts for nothing.
//! assert!(Permission::of("maintain", "write") > Permission::Write);
//! assert_eq!(Permission::of("unheard-of", ""), Permission::None);
//! ```

#[cfg(feature = "cli")]
pub mod actions;
#[cfg(feature = "cli")]
pub mod answers;
#[cfg(feature = "cli")]
pub mod cards;
#[cfg(feature = "cli")]
pub mod event;
#[cfg(feature = "cli")]
pub mod hub;
#[cfg(feature = "cli")]
pub mod implementing;
#[cfg(feature = "cli")]
pub mod job;
pub mod marker;
#[cfg(feature = "cli")]
pub mod page;
#[cfg(feature = "cli")]
pub mod possible;
#[cfg(feature = "cli")]
pub mod service;
pub mod thread;
pub mod trigger;

/// The user id of `github-actions[bot]`, the author of what a workflow's own token writes.
pub const ACTIONS_BOT: u64 = 41_898_282;
