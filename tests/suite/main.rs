//! One test binary, so that libgit2 links once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]
// Tables of cases, and whole runs that are read from top to bottom.
#![allow(clippy::too_many_lines)]

mod add;
mod agent_hooks;
mod agents;
mod analyze;
mod attacks;
mod author;
mod before_run;
mod below;
mod cards;
mod cases;
mod closing;
mod content;
mod conversation;
mod determinism;
mod doctor;
#[cfg(unix)]
mod documents;
mod domains;
mod drafted;
mod drafts;
mod evidence;
#[cfg(target_os = "linux")]
mod faults;
mod forge;
mod forged;
mod gate;
mod github;
mod guards;
mod headless;
mod hearing;
mod hostile;
mod house;
mod implementing;
mod incidents;
mod init;
mod issue_items;
mod items;
mod keyboard;
mod kit;
mod layouts;
mod live;
mod machine;
mod memory;
mod minutes;
mod misled;
mod mistakes;
mod mutations;
mod newcomer;
mod odd;
mod packages;
mod placement;
mod presets;
mod readers;
mod recorded;
mod refusals;
mod remote;
mod replay;
mod replay_rewritten;
mod resume;
mod review;
mod rounds;
mod rules;
mod scripts;
mod server;
mod show;
mod speakers;
mod spec;
mod steps;
mod strict;
mod terminal;
mod text;
mod thread;
mod today;
mod trace;
mod typed;
mod typed_rewritten;
mod unread;
mod unreadable;
