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
//! Data flows from left to right; nothing on the left knows a type on its right.
//!
//! | at the table: values and decisions, no I/O | |
//! | --- | --- |
//! | [`text`] | a text as sentences, words and stems; `index`: BM25 over passages; `pattern`, `rules`: the engine that reads `rules/<language>/`; `echo`: what repeats |
//! | [`review`] | documents into findings: `scope` (which text is judged), `rule`, `pattern`, `measures` (what a pattern can't say), `ignore` |
//! | [`persona`], [`step`], [`library`] | the cast, the steps, and both with templates and rules, a repository's own over the built-in ones; [`marks`]: the names of steps |
//! | [`item`] | the files of an item folder as values; `meta`: meta.json; `path`: what may be written |
//! | [`additions`] | typed additions as values: an acceptance criterion, a risk, a decision record |
//! | [`script`], [`secrets`] | the user's messages, wherever they came from; credentials in them, masked |
//! | [`discussion`] | the state machine; `address`, `focus`, `positions`: its rules; `event`: its events; `log`: the events with the text they are written as; `open`: a log that another run continues; `transcript`: as people read it; `summary`: the type of a synthesis |
//! | [`minutes`] | a finished discussion into its summary: statements, decisions, questions, action items, by the forms of `rules/` |
//! | [`voice`] | who writes the lines: `secretary`, the built-in voice; `passages`: which passages have the words of a question; `integrity`: what a persona may not say; `referee`, `sources`: what it says of files, held against them |
//! | [`model`] | a model at the table: `prompt`, `rounds` (the forms of answers), `critic`, `grounding` (what its synthesis rests on), `drafting`, `tape` (its answers, recorded and given again) |
//! | [`session`] | the loop between a discussion, a voice and a script |
//! | [`agent`] | an agent at the table: `tools`, the moves it has; who is due and what is refused; `quotation`: whether a quotation is there; `server`: the Model Context Protocol |
//! | [`analysis`] | the walk over phases and steps, a fold of its log too, with a discussion as one of its states; `plan`: which step is next; `skip`: `skip_if`; `depth`; `menu`; `greeting`; `scan`: the counts of the quick scan; `artifact`: answers into changes |
//! | [`synthesis`] | a finished discussion into changes; `outline`, `placement`: where; `data`: JSON, YAML, CSV |
//! | [`trace`] | from a line back to the discussion and its turns |
//! | [`decisions`] | the decisions of an item, each with its id, and which a later one replaces |
//! | [`page`] | a recording as Markdown, HTML, or a Mermaid diagram |
//! | [`additive`] | changes into [`additive::Additive`], or the losses; `text`: lines; `block`: Markdown as a tree (`tree`, `html`) by the rule `strict`; `content`: what people see, by the rules `content` and `living`; `declared`: losses that a change declares; `json`, `yaml`, `csv`: data |
//! | [`policy`] | which rule holds for which files, by globs, states, branches; `preset`: life cycles |
//! | [`template`], [`plain`], [`json`], [`front_matter`], [`finding`] | texts: rendered, made harmless, placed, explained; `sections`: of our own files; `wording`: messages of parsers in our words |
//! | [`config`] | `.roundtable.yaml` as a value |
//! | [`github`] | `trigger`: what an event asks for; `thread`: which words of an issue are the user's; `page`: what is written back |
//!
//! | outside, with the feature `cli` | |
//! | --- | --- |
//! | `repo` | reads an item at a commit, writes an `Additive` as a commit; no working tree. `commit`, `graft`, `pack`: writing; `objects`, `reading`, `compare`, `range`: reading; `census`, `codebase`: where the repository mentions an item; `pending`: logs of runs that were cut off; `remote`: fetch and push by `git`; `cut_off`: broken objects |
//! | `run` | the one road of a run, for every verb that holds one: `settings`, `place`, `before`, `setup`: what it starts from; `elaborate`: one discussion to its commit; `walk`: an analysis step by step; `voices`, `identity`, `resume`; `Landed`: what it came to; `Observer`: who watches |
//! | `check` | two trees and a policy into a report: the gate |
//! | `replay` | runs a recording again and compares, to the commit id |
//! | `landing` | the one way from a finished discussion to a commit |
//! | `http` | the one HTTP client: deadlines, retries, no secrets in messages |
//! | `github::hub` | GitHub's REST API |
//! | `model::anthropic`, `model::openai`, `model::command` | models over HTTP, any program |
//! | `files` | steps, templates and rules from a folder on disk |
//! | `cli` | arguments, environment, terminal, exit codes; one file per verb; `event`, `actions`, `service`: Actions and GitHub as the environment names them; `report`: reports of `check` and `review` |
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
//! [`additive::verify`] compares two texts per path. [`policy`] says which rule applies to a path, and `check`
//! (feature `git`) judges two commits of a repository.
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
//! use roundtable::library::Library;
//! use roundtable::review::Rules;
//! use roundtable::script::Script;
//! use roundtable::session::hold;
//! use roundtable::step::Depth;
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
//! [`additive`], [`policy`], [`config`], [`item`], [`script`], [`step`], [`persona`], [`review`], [`library`], [`template`], [`discussion`] with its
//! `event` and `summary`, [`session`], [`synthesis`], and [`voice`]'s trait. Everything else is public for the program and its tests, and may
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

pub mod additions;
pub mod additive;
pub mod agent;
pub mod analysis;
pub mod config;
pub mod decisions;
pub mod discussion;
pub mod finding;
pub mod front_matter;
pub mod github;
pub mod item;
pub mod json;
pub mod library;
pub mod marks;
pub mod minutes;
pub mod model;
pub mod page;
pub mod path;
pub mod persona;
pub mod plain;
pub mod policy;
pub mod remedy;
pub mod review;
pub mod script;
pub mod secrets;
mod sections;
pub mod session;
pub mod source;
pub mod step;
pub mod synthesis;
pub mod template;
pub mod text;
pub mod time;
pub mod trace;
pub mod voice;
mod wording;

#[cfg(feature = "cli")]
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod files;
#[cfg(feature = "cli")]
pub mod http;
#[cfg(feature = "cli")]
pub mod landing;
#[cfg(feature = "cli")]
pub mod provenance;
#[cfg(feature = "cli")]
pub mod replay;
#[cfg(feature = "cli")]
pub mod repo;
#[cfg(feature = "cli")]
pub mod run;
#[cfg(feature = "cli")]
pub mod site;
