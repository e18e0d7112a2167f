//! roundtable finds what requirements leave open, discusses it with the user, and commits what was said and
//! decided to the documents. Nothing that is in the documents changes.
//!
//! ```text
//! a commit ─► Step, Item ──┐                 ┌─ next(): Line(cue) | Notice | User | Summary ─► session ─► Voice   the lines
//! script ──────────────────┼─► Discussion ◄──┤                                                   │
//!                          │  fold of a log  └─ record(event) ◄──────────────────────────────────┴─────► Script  the user
//!                          ▼
//!                       Finished ─► synthesis + templates ─► Change… ─► additive::verify ─┬─► losses: refused
//!                                                                                         └─► Additive ─► Repo::commit
//! ```
//!
//! `roundtable check` compares two commits in the same way and writes nothing. `roundtable review` shows the
//! findings of [`review`] without a discussion.
//!
//! Data flows from left to right; nothing on the left knows a type on its right. `tests/suite/house.rs` has every
//! arrow between rooms.
//!
//! | at the table: values and decisions, no I/O | |
//! | --- | --- |
//! | [`text`] | what people see of a text: `markdown`, `blocks`, `sentences`, `words`, one `index`; texts made harmless (`plain`, `secrets`), rendered (`template`), placed and explained (`finding`, `remedy`); `json`, `front_matter`, `time`, `path` |
//! | [`item`] | the files of an item folder as values; `meta`: meta.json; `config`: `.roundtable.yaml`; `persona`, `step`, `library`: the cast, the steps, and both with templates and rules, a repository's own over the built-in ones |
//! | [`discussion`] | the state machine; `address`, `focus`, `positions`: its rules; `event`, `log`: what a recording holds; `transcript`: as people read it; `summary`, `additions`: the types of a synthesis |
//! | [`minutes`] | a finished discussion into its summary: decisions, questions, action items, by their forms |
//! | [`review`] | documents into findings: `page`, `facts`, `rule`, `patterns`, `ignore` |
//! | [`voice`] | who writes the lines: `secretary`, the built-in voice; `rules`: what a line must keep, `breaches`, `attribution`, `claims`, `quotations`: what breaks a rule; `sources`: the texts that may be quoted; `model`: a model at the table |
//! | [`synthesis`] | a finished discussion into changes; `outline`, `section_choice`: where; `data`: JSON, YAML, CSV |
//! | [`analysis`] | the walk over phases and steps, a fold of its log too; `plan`, `depth`, `menu`, `artifact` |
//! | [`additive`] | changes into [`additive::Additive`], or the losses: the rules `content` and `strict` over Markdown and data; `policy`: which rule holds for which files; `declared`: losses that a change declares |
//!
//! | outside, with the feature `cli` | |
//! | --- | --- |
//! | `git` | reads an item at a commit, writes an `Additive` as a commit; no working tree |
//! | [`history`] | earlier discussions at a commit: `decisions`, `trace` (from a line back to its turns), `page`, `site` |
//! | [`run`] | the one road of a run, for every verb that holds one: `script`, `session`, `elaborate`, `analyze`, `walk`, `landing`, `push`, `agent`; `check`: two trees and a policy into a report; `documents`: what a review reads; `workspace`: the repository and the settings |
//! | `replay` | runs a recording again and compares, to the commit id |
//! | [`github`] | from an event to a discussion, and back to one comment: `event`, `trigger`, `thread`, `job`, `page`, `hub` |
//! | `http` | the one HTTP client: deadlines, retries, no secrets in messages |
//! | `cli` | arguments, environment, terminal, exit codes; one file per verb |
//!
//! # Invariants
//!
//! - A discussion is a function of its log: [`discussion::Discussion::replay`] gives the same state.
//! - Only [`additive::verify`] builds an [`additive::Additive`], and only that can be committed.
//! - A decision rests on words of a user; what a persona says of a document quotes it, with its place.
//! - Words of a user, a document or a model are values: never a template, never markup, never a path.
//!
//! # The check, as a library
//!
//! [`additive::verify`] compares two texts per path. [`additive::policy`] says which rule applies to a path, and `check`
//! judges two commits of a repository.
//!
//! ```
//! use roundtable::additive::verify;
//! use roundtable::item::Change;
//!
//! let change = Change {
//!     path: "docs/spec.md".into(),
//!     before: Some(b"# Fees\n\nOne letter a month.\n".to_vec()),
//!     after: b"# Fees\n\nOne letter a month.\nOr two.\n".to_vec(),
//! };
//! // No byte is lost, and yet the paragraph is another one.
//! let losses = verify(vec![change]).unwrap_err();
//! assert_eq!(losses[0].to_string(), "docs/spec.md:3: the paragraph \"One letter a month.\" goes on now (paragraph-extended)");
//! ```
//!
//! # A discussion, as a library
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! use roundtable::discussion::event::{Author, Event, FORMAT, Opened, Record, StepRef, Time};
//! use roundtable::discussion::{Discussion, Next};
//! use roundtable::item::library::Library;
//! use roundtable::review::Rules;
//! use roundtable::run::script::Script;
//! use roundtable::run::session::hold;
//! use roundtable::item::step::Depth;
//! use roundtable::voice::secretary::Secretary;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let library = Library::built_in()?;
//! let step = library.step("01-03")?;
//! let at = Time::parse("2026-02-20T14:30:00Z")?;
//! let opened = Opened {
//!     format: FORMAT,
//!     item: "docs/requirements/late-fees".into(),
//!     item_name: "late fees".into(),
//!     step: StepRef {
//!         id: step.id.clone(),
//!         title: step.title.clone(),
//!         phase: step.phase.clone(),
//!         outputs: step.outputs.clone(),
//!     },
//!     lead: library.cast.lead(&step.phase).0.key.clone(),
//!     max_turns: 10,
//!     base: "0".repeat(40),
//!     read: BTreeMap::new(),
//!     branch: "roundtable/late-fees".into(),
//!     layout: "isdlc".into(),
//!     document: None,
//!     voice: "secretary".into(),
//!     model: None,
//!     user: "Sam".into(),
//!     digests: library.digests(step).into(),
//!     author: Author { name: "Sam".into(), email: "sam@example.org".into(), signed_off: false },
//!     run: "0".repeat(32),
//!     new_meta: None,
//!     draft: None,
//!     comments: None,
//!     stays_open: false,
//!     is_live: false,
//!     evidence: Vec::new(),
//! };
//! let first = Record { at, event: Event::Opened(Box::new(opened)) };
//! let mut talk = Discussion::open(&library, step, first)?;
//!
//! // The machine says who is next; it waits for nobody.
//! assert!(matches!(talk.next()?, Next::Line(cue) if cue.persona == "business-analyst"));
//!
//! // The loop around it: the secretary speaks from the documents, the script is the user.
//! let documents = [("requirements-spec.md", "# Late fees\n\nThe letter should arrive quickly.\n")];
//! let rules = Arc::new(Rules::built_in()?);
//! let mut secretary = Secretary::new(documents.into_iter(), &step.outputs, rules, Depth::Standard);
//! let mut script = Script::read("talk.txt", b"We decided to stop fees at 10 euros.\ndone\n")?;
//! hold(&mut talk, None, &mut secretary, &mut script, &|| at, &mut |_| Ok(()))?;
//!
//! // The log is the discussion: replayed, it is in the same state.
//! assert_eq!(Discussion::replay(&library, step, talk.log())?.turn_count(), talk.turn_count());
//! let finished = talk.finish().ok_or("the discussion has no end")?;
//! assert_eq!(finished.summary.decisions[0].text, "We decided to stop fees at 10 euros");
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | none (`default-features = false`) | everything at the table; no clock, disk, network or environment |
//! | `cli` (default) | the program: repositories, models and GitHub over HTTP, arguments and the terminal |
//!
//! # What is stable
//!
//! Versions follow Semantic Versioning; before 1.0 a minor version may break what is stable, and the change log says so. Stable are the
//! program (verbs, flags, exit codes, `--json`), the settings, the formats of recordings, records, steps and rules, and of the library
//! [`additive`], [`item`], [`review`], [`discussion`] with its `event` and `summary`, [`run::script`], [`run::session`], [`synthesis`],
//! [`text::template`], and [`voice`]'s trait. Everything else is public for the program and its tests, and may
//! change at any time; `cli` is no library at all. New variants of an enum and new fields of a struct count as breaking.
//!
//! # Unsafe code
//!
//! Forbidden in this crate, with every feature. libgit2, zlib and TLS are dependencies.
//!
//! # Not done yet
//!
//! Mirrors and hosts other than GitHub.

#![forbid(unsafe_code)]

pub mod additive;
pub mod analysis;
pub mod discussion;
pub mod github;
pub mod history;
pub mod item;
pub mod minutes;
pub mod review;
pub mod run;
pub mod synthesis;
pub mod text;
pub mod voice;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod git;
#[cfg(feature = "cli")]
pub mod http;
#[cfg(feature = "cli")]
pub mod replay;
