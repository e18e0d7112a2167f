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
//! | [`discussion`] | the state machine; `address`, `focus`, `ranking`, `positions`: its rules; `event`: its events; `log`: them with the text they are written as; `open`: a log that goes on in another run; `transcript`: as people read it; `extract`: the synthesis by rule, with `facts` (`figures`: which clash), `insights`, `questions` (`answered`: which are; `settler`: who answers the others) and `in_brief`: the one sentence; `decisions`: what a message decides, with `rulings`, `choices`, `closings`, `norms`, `signs`, `arrangements`, `replies`, `outright`, `open_points` and `alternatives`; `small_talk`: what is said in passing; `views`: what is asked of the three themselves; `summary`: its type; `words`, `root`, `near`, `index`: what rules compare |
//! | [`analysis`] | the walk over phases and steps, a fold of its log too, with a discussion as one of its states; `plan`: which step is next, `skip`: `skip_if`, `depth`, `menu`, `greeting`: what is said, `scan`: what the counts come to, `artifact`: answers into changes |
//! | [`synthesis`] | a finished discussion into changes; `outline`, `placement`: where; `data`: JSON, YAML, CSV |
//! | [`trace`] | the way back: from a line to the discussion and its turns |
//! | [`page`] | a recording as Markdown, HTML, a Mermaid diagram |
//! | [`additive`] | changes into [`additive::Additive`], or the losses; `text`: lines; `block`: Markdown as a tree (`tree`, `html`, and `segments`, the short way to a yes); `json`, `yaml`, `csv`: data |
//! | [`policy`] | what must only grow, by globs, states, branches |
//! | [`template`], [`plain`], [`json`], [`front_matter`], [`finding`] | texts: rendered, made harmless, placed, explained; `sections`: of our own files; `wording`: what parsers say, in our words |
//! | [`config`] | `.roundtable.yaml` as a value |
//! | [`github`] | `trigger`: what an event asks for; `thread`: which words of an issue are the user's; `page`: what goes back |
//! | [`voice`] | who writes the lines; `offline` with its `evidence` (`paragraphs`), `asking` (`quoting`: how its lines are quoted; `runs`: what a text names; `naming`: what a word can name; `parts`: which of several; `superlatives`: the most and the least of a column; `spoken`: figures as people say them; `wants`: what an answer must have), `lenses` (`point`: what one finds; `counting`: what a text counts), `answering` (`messages`: how a message is read; `second_voices`), `probes` (what is asked next), `left_open`, `deciding` (what a decision means), `heard` (what was said so far), `forms` (in which lines are shown) and `wording`; `model`: a model at the table, with its `prompt`; `grounding`: what its synthesis rests on; `integrity`: in character?; `tape`: a model's answers, written down and given again |
//! | [`session`] | the loop between a discussion, a voice and a script |
//! | `beside` | the second thread: what is done while something else is |
//!
//! | outside, each behind a feature | |
//! | --- | --- |
//! | `repo` (`git`) | reads an item at a commit (`mentions`, `census`: where the repository speaks of it; `codebase`: without commits of our own), writes an `Additive` as a commit (`commit`, with its `graft`, `pack` and `reflog`); `pending`: logs of what was cut off; `compare`, `range`, `objects` with its `packs` (`cut_off`: what libgit2 would hang on), and `reading`: two trees, what to compare, and reading fast; `remote`: fetch and push, with git's protocol over HTTP (`wire`); no working tree |
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
//! # The check, as a library
//!
//! [`additive::verify`] is a function of two texts a path. [`policy`] says which rule holds for a path, and `check` (feature
//! `git`) judges two commits of a repository.
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
//! assert_eq!(losses[0].to_string(), "docs/spec.md:3: the paragraph \"One letter a month.\" runs on into other text now (paragraph-changed)");
//! ```
//!
//! # A discussion, as a library
//!
//! ```
//! use roundtable::discussion::event::{Author, Event, Opened, Record, StepRef, Time};
//! use roundtable::discussion::{Discussion, Next};
//! use roundtable::library::Library;
//! use roundtable::script::Script;
//! use roundtable::session::hold;
//! use roundtable::step::Depth;
//! use roundtable::voice::evidence::Evidence;
//! use roundtable::voice::offline::Offline;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let library = Library::built_in()?;
//! let step = library.step("01-03")?;
//! let at = Time::parse("2026-02-20T14:30:00Z")?;
//! let opened = Opened {
//!     format: 1,
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
//!     branch: "roundtable/late-fees".into(),
//!     voice: "offline".into(),
//!     model: None,
//!     user: "Sam".into(),
//!     digests: library.digests(step),
//!     author: Author { name: "roundtable".into(), email: "roundtable@localhost".into(), signed_off: false },
//!     run: "0".repeat(32),
//!     new_meta: None,
//!     comments: None,
//! };
//! let first = Record { at, event: Event::Opened(Box::new(opened)) };
//! let mut talk = Discussion::open(&library, step, first)?;
//!
//! // Whoever is to speak is asked for; the machine itself waits for nobody.
//! assert!(matches!(talk.next()?, Next::Line(cue) if cue.persona == "business-analyst"));
//!
//! // The loop around it: the offline voice speaks from the documents, the script is the user.
//! let spec = "# Late fees\n\n- Letters should arrive quickly.\n";
//! let mut voice = Offline::new(Evidence::new([("spec.md", spec)], &step.outputs), Depth::Standard);
//! let mut script = Script::read("talk.txt", b"We decided to stop fees at 10 euros.\ndone\n")?;
//! hold(&mut talk, None, &mut voice, &mut script, &|| at, &mut |_| Ok(()))?;
//!
//! // The log is the discussion: replayed, it is in the same state.
//! assert_eq!(Discussion::replay(&library, step, talk.log())?.turn_count(), talk.turn_count());
//! let finished = talk.finish().expect("the user said done");
//! assert!(finished.summary.decisions[0].text.starts_with("Stop fees at 10 euros"));
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | none (`default-features = false`) | everything at the table: no clock, disk, network or environment |
//! | `git` | repositories: `repo`, `check`, `landing`, `replay`, `audit`, `walk` |
//! | `net` | models and GitHub over HTTP: `http`, `github::hub`, `voice::anthropic`, `voice::openai`, `voice::command` |
//! | `cli` | the program itself, with both |
//!
//! # What is stable
//!
//! Versions follow Semantic Versioning; before 1.0 a minor version may break what is stable, and the change log says so. Stable are the
//! program (verbs, flags, exit codes, `--json`), the settings, the formats of recordings, records and step files, and of the library
//! [`additive`], [`policy`], [`config`], [`item`], [`script`], [`step`], [`persona`], [`lens`], [`library`], [`template`], [`discussion`] with its
//! `event` and `summary`, [`session`], [`synthesis`], and [`voice`]'s trait. All else is public for the program's own use and its tests, and may
//! change at any time; `cli` is no library at all. New variants of an enum and new fields of a struct count as breaking.
//!
//! # Unsafe code
//!
//! Forbidden in this crate, whatever its features. libgit2, zlib and TLS are others'.
//!
//! # Not done yet
//!
//! Mirrors and hosts other than GitHub.

#![forbid(unsafe_code)]

pub mod additive;
pub mod analysis;
pub mod config;
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
pub mod persona;
pub mod plain;
pub mod policy;
pub mod review;
pub mod script;
pub mod secrets;
mod sections;
pub mod session;
pub mod step;
pub mod synthesis;
pub mod template;
pub mod text;
pub mod trace;
pub mod voice;
mod wording;

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
