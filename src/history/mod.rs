//! What a repository holds of earlier discussions: the decisions, the way from a line back to its turns, and the
//! recordings as pages. It reads; running a recording again is the room `replay`.

pub mod decisions;
pub mod page;
pub mod trace;

#[cfg(feature = "cli")]
pub mod provenance;
#[cfg(feature = "cli")]
pub mod site;
