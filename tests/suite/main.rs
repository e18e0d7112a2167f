//! One test binary, so that libgit2 links once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

mod add;
mod analyze;
mod answers;
mod attacks;
mod cases;
mod conversation;
mod decisions;
mod determinism;
#[cfg(unix)]
mod documents;
#[cfg(target_os = "linux")]
mod faults;
mod forge;
mod gate;
mod github;
mod hostile;
mod init;
mod kit;
mod live;
mod machine;
mod minutes;
mod mistakes;
mod mutations;
mod newcomer;
mod odd;
mod placement;
mod reading;
mod refusals;
mod replay;
mod resume;
mod rules;
mod server;
mod steps;
mod terminal;
mod text;
mod trace;
mod wire;
