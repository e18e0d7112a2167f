//! roundtable: three personas discuss a step of a requirement, a design or a decision with the
//! user; what they find is added to its documents in one commit, and nothing that stood there
//! changes.
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
//! `roundtable check` takes two commits to the same comparison, and writes nothing.
//!
//! Everything flows left to right; nothing on the left knows a type on its right.
//!
//! | at the table: values and decisions, no I/O | |
//! | --- | --- |
//! | [`persona`], [`lens`], [`step`], [`library`] | the cast, what each of them looks for, the steps, and all with the templates laid over the built-in ones |
//! | [`item`] | the files of an item folder as values; `meta`: meta.json; `path`: what may be written |
//! | [`script`] | the user's messages, wherever they came from |
//! | [`discussion`] | the state machine; `address`, `focus`, `ranking`, `positions`: its rules; `event`: the log; `transcript`: as people read it; `extract`: the synthesis by rule, with `insights` and `questions`; `decisions`: what a message decides, with `rulings` and `alternatives`; `summary`: its type; `words`: what rules compare |
//! | [`analysis`] | the walk over phases and steps, a fold of its log too, with a discussion as one of its states; `plan`: which step is next, `skip`: `skip_if`, `depth`, `menu`, `greeting`: what is said, `scan`: what the counts come to, `artifact`: answers into changes |
//! | [`synthesis`] | a finished discussion into changes; `outline`, `placement`: where; `data`: JSON, YAML, CSV |
//! | [`trace`] | the way back: from a line to the discussion and its turns |
//! | [`page`] | a recording as Markdown, HTML, a Mermaid diagram |
//! | [`additive`] | changes into [`additive::Additive`], or the losses; `text`: lines; `block`: Markdown as a tree (`tree`, `html`, and `segments`, the short way to a yes); `json`, `yaml`, `csv`: data |
//! | [`policy`] | what must only grow, by globs, states, branches |
//! | [`template`], [`plain`], [`json`], [`front_matter`], [`finding`] | texts: rendered, made harmless, placed, explained |
//! | [`config`] | `.roundtable.yaml` as a value |
//! | [`github`] | `trigger`: what an event asks for; `thread`: which words of an issue are the user's; `page`: what goes back |
//! | [`voice`] | who writes the lines; `offline` with its `evidence`, `lenses` and `wording`; `model`: a model at the table, with its `prompt`; `grounding`: what its synthesis rests on; `integrity`: in character? |
//! | [`session`] | the loop between a discussion, a voice and a script |
//!
//! | outside, each behind a feature | |
//! | --- | --- |
//! | `repo` (`git`) | reads an item at a commit (`mentions`, `census`: where the repository speaks of it; `codebase`: without commits of our own), writes an `Additive` as a commit (`commit`, with its `graft` and `pack`); `pending`: logs of what was cut off; `compare`, `range`, `objects`: two trees, what to compare, and reading fast; `remote`: fetch and push; no working tree |
//! | `walk` (`git`) | the loop between an analysis, a script and the repository: it alone commits steps (`land`); `talk`: a discussion inside of it, `earlier`: the same run, cut off before |
//! | `check` (`git`) | two trees and a policy into a report: the gate |
//! | `replay` (`git`) | a recording run again and compared, to the commit id |
//! | `audit` (`git`) | markers, records, recordings: do they agree? |
//! | `landing` (`git`) | the one way from a finished discussion to a commit |
//! | `http` (`net`) | the one HTTP client: deadlines, tries, secrets kept out of messages |
//! | `github::hub` (`net`) | GitHub's REST API |
//! | `voice::anthropic`, `voice::openai`, `voice::command` (`net`) | models behind HTTP, any program |
//! | `files` (`cli`) | steps and templates from a folder on disk |
//! | `cli` (`cli`) | arguments, environment, terminal, exit codes; a file a verb; `event`, `actions`, `service`: Actions and GitHub as the environment names them; `report`: the gate's words |
//!
//! # Invariants
//!
//! - A discussion is a function of its log: [`discussion::Discussion::replay`] gives the same state.
//! - Only [`additive::verify`] builds an [`additive::Additive`], and only that can be committed.
//! - Words of a user, a document or a model are values: never a template, never markup, never a path.
//!
//! # Not done yet
//!
//! A conversation on an issue that stays open between runs; mirrors and hosts other than GitHub.

#![deny(unsafe_code)]

pub mod additive;
pub mod analysis;
pub mod config;
pub mod discussion;
pub mod finding;
pub mod front_matter;
pub mod github;
pub mod item;
pub mod json;
pub mod lens;
pub mod library;
pub mod page;
pub mod persona;
pub mod plain;
pub mod policy;
pub mod script;
pub mod session;
pub mod step;
pub mod synthesis;
pub mod template;
pub mod trace;
pub mod voice;

#[cfg(feature = "git")]
pub mod audit;
#[cfg(feature = "git")]
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod files;
#[cfg(feature = "net")]
pub mod http;
#[cfg(feature = "git")]
pub mod landing;
#[cfg(feature = "git")]
pub mod replay;
#[cfg(feature = "git")]
pub mod repo;
#[cfg(feature = "git")]
pub mod walk;
