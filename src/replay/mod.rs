//! A recording run again: the machine over its log, the placement in the item as it was, the commit
//! it comes to. Nothing of it is taken on trust, and nothing is written.
//!
//! What users and voices said are inputs. Everything else is computed anew and compared: classes,
//! turn numbers, notices, who may speak, the digest that the log was closed over, the artifacts,
//! meta.json, the commit message and the commit's id (P-1).
//!
//! A recording is proved in one of three ways, and the answer says which ([`By`]):
//! - by commit: the commit that it comes to is in the history. Its id is a hash over the base, every byte of
//!   every file, the message, the author and the time, so nothing else needs to be compared;
//! - by content: the history was rewritten, and the item's files before and after are the same bytes;
//! - by text: the earlier text is not there, or was edited in the same commit, and what the recording renders is in
//!   the documents letter by letter ([`rewritten`]).
//!
//! Where none of them holds, the first thing that differs is shown.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use roundtable::item::library::Library;
//! use roundtable::replay::Replay;
//! use roundtable::run::played::Recording;
//! use roundtable::git::Repo;
//!
//! let repo = Repo::open(std::path::Path::new(".")).unwrap();
//! let replay = Replay::new(repo, Arc::new(Library::built_in().unwrap()), None);
//! let bytes = std::fs::read("talk.jsonl").unwrap();
//! let replayed = replay.run(&Recording { name: "talk.jsonl".into(), bytes, place: None }, None).unwrap();
//! assert!(replayed.divergence.is_none());
//! ```

mod live;
pub mod onto;
pub mod rewritten;
pub mod today;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use git2::Oid;

pub use self::live::other_words;
use self::rewritten::{Groups, Proof};
pub use crate::discussion::divergence::Divergence;
use crate::discussion::event::{Event, Opened, OtherForm, Record, SECRETARY, from_any_lines};
use crate::discussion::runs::{self, PausedDiscussion};
use crate::discussion::{Discussion, Finished, Refused};
use crate::git::{self, AtPath, Repo, short};
use crate::item::Item;
use crate::item::config::{self, Config};
use crate::item::library::{Library, Overlays, Unusable};
use crate::item::step::Step;
use crate::run::Fail;
use crate::run::landing::{self, NotLanded, Rehearsed};
use crate::run::played::{CommittedPath, Recording};
use crate::synthesis::typed;
use crate::text::finding::Finding;
use crate::text::path;
use crate::text::path::is_markdown;
use crate::text::plain;
use crate::text::remedy::Remedy;
use crate::voice::basis::Basis;
use crate::voice::breaches::breaches;
use path::OutputPath;

/// How a recording was proved, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// The commit it comes to is in the history.
    Commit,
    /// The item's files before and after are the same bytes, in another commit.
    Content,
    /// What it renders is in the documents letter by letter, as the commit that brought it has them.
    Text,
}

impl std::fmt::Display for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            By::Commit => "commit",
            By::Content => "content",
            By::Text => "text",
        })
    }
}

/// What became of a recording that could be read.
pub struct Replayed {
    /// The first thing that differs; none where it is proved, or nothing carries it yet.
    pub divergence: Option<Divergence>,
    /// How it was proved; none where something differs, or nothing carries it yet.
    pub by: Option<By>,
    /// The commit it comes to; where the history was rewritten, the one that carries it.
    pub commit: Option<Oid>,
    /// Such a commit is in the repository.
    pub is_committed: bool,
    /// Files of steps, personas and templates that are not those it was made with.
    pub moved: Vec<Moved>,
    /// The discussion, where the rules would have made it so.
    pub finished: Option<Finished>,
    /// The discussion, where it stays open and waits for its user.
    pub paused: Option<PausedDiscussion>,
    /// What it does to its item, where it can be placed.
    pub rehearsed: Option<Rehearsed>,
}

impl Replayed {
    fn new() -> Replayed {
        Replayed {
            divergence: None,
            by: None,
            commit: None,
            is_committed: false,
            moved: Vec::new(),
            finished: None,
            paused: None,
            rehearsed: None,
        }
    }

    /// The step of a recording in a library, and the files that have changed since.
    fn step_of<'l>(&mut self, library: &'l Library, opened: &Opened) -> Option<&'l Step> {
        let Ok(step) = library.step(&opened.step.id) else {
            let known = "one of the steps at the base".to_owned();
            self.divergence = Some(first_event(known, &format!("step {}", plain::shown(&opened.step.id))));
            return None;
        };
        if *opened.digests != library.digests(step) {
            self.moved = moved(&opened.digests, &library.digests(step));
        }
        if !path::is_plain(&opened.item) {
            let shown = plain::shown(&opened.item);
            self.divergence = Some(first_event("an item's path".to_owned(), &format!("\"{shown}\"")));
            return None;
        }
        Some(step)
    }

    fn is_named(&mut self, item: &Item, opened: &Opened) -> bool {
        let fits = item.name() == opened.item_name;
        if !fits {
            let expected = format!("the item's name \"{}\"", item.name());
            let found = format!("\"{}\"", plain::shown(&opened.item_name));
            self.divergence = Some(first_event(expected, &found));
        }
        fits
    }

    /// What the rules make of the log; none where they make another one.
    fn fold(&mut self, library: &Library, step: &Step, log: Vec<Record>) -> Result<Option<End>, Unread> {
        match fold(library, step, log, self.moved.is_empty()) {
            Ok(end) => Ok(Some(end)),
            Err(Stop::Divergence(divergence)) => {
                self.divergence = Some(divergence);
                Ok(None)
            }
            Err(Stop::Template(failed)) => Err(failed.into()),
        }
    }

    fn placed(&mut self, rehearsed: Result<Rehearsed, NotLanded>) -> Result<Option<Rehearsed>, Unread> {
        match rehearsed {
            Ok(rehearsed) => {
                self.commit = Some(rehearsed.commit);
                Ok(Some(rehearsed))
            }
            Err(NotLanded::Repo(error)) => Err(error.into()),
            Err(refused) => {
                self.divergence = Some(not_placed(&refused));
                Ok(None)
            }
        }
    }

    /// What another history says.
    fn settle(&mut self, proof: Proof) {
        match proof {
            Proof::By(by, commit) => {
                (self.by, self.divergence, self.is_committed) = (Some(by), None, true);
                self.commit = commit.or(self.commit);
            }
            Proof::Not(divergence) => self.divergence = Some(divergence),
        }
    }

    fn end(&mut self, end: End, other_form: Option<OtherForm>) {
        match end {
            End::Closed(finished) => self.finished = Some(*finished),
            End::Open(paused) => self.paused = Some(*paused),
        }
        // The same events in other bytes are another file, and would be another commit.
        if let (None, Some(form)) = (&self.divergence, other_form) {
            let (what, expected, found) = ("form of a line".to_owned(), form.ours, form.theirs);
            self.divergence = Some(Divergence { event: Some(form.line), what, expected, found });
            self.by = None;
        }
    }
}

/// A recording that could be parsed.
struct Read {
    log: Vec<Record>,
    other_form: Option<OtherForm>,
    opened: Opened,
}

impl Read {
    fn of(recording: &Recording) -> Result<Read, Unread> {
        let name = &recording.name;
        let text = crate::text::json::utf8(name, &recording.bytes)?;
        let (log, other_form) = from_any_lines(name, text)?;
        let Some(Record { event: Event::Opened(opened), .. }) = log.first() else {
            return Err(Finding::at(name, text, 1, 1, "a recording begins with the event `opened`").into());
        };
        let opened = opened.as_ref().clone();
        Ok(Read { log, other_form, opened })
    }

    /// The documents that decide what comes of it.
    fn wanted_files(&self) -> impl Fn(&str) -> bool + use<> {
        let additions = self.log.iter().rev().find_map(|record| match &record.event {
            Event::Synthesis(summary) => Some(summary.additions.as_slice()),
            _ => None,
        });
        let additions = typed::files(&self.opened.item, additions.unwrap_or_default());
        let outputs = [output_files(&self.opened), additions].concat();
        // A decision may name an id or a record of any Markdown file.
        move |name| is_markdown(name) || outputs.iter().any(|output| output == name)
    }

    /// The commit that its last run builds on.
    fn base(&self) -> String {
        runs::base(&self.log).unwrap_or(&self.opened.base).to_owned()
    }
}

/// A file that has another digest than the recording says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moved {
    Changed(String),
    /// It was used then and does not exist now.
    Gone(String),
    /// It is used now and did not exist then.
    New(String),
}

impl std::fmt::Display for Moved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Moved::Changed(name) => write!(f, "{name} has changed"),
            Moved::Gone(name) => write!(f, "{name} is gone"),
            Moved::New(name) => write!(f, "{name} is new"),
        }
    }
}

/// Why a recording could not be run again: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    #[error("{0}")]
    File(#[from] Finding),
    #[error("{0}")]
    Repo(#[from] git::Error),
    #[error("{0}")]
    Library(#[from] Unusable),
    #[error("{0}")]
    Template(#[from] crate::text::template::Failed),
    #[error("{name}: its base {base} is not in this repository")]
    NoBase { name: String, base: String, hint: &'static str },
}

impl Remedy for Unread {
    fn remedy(&self) -> Option<String> {
        match self {
            Unread::Repo(error) => error.remedy(),
            Unread::NoBase { hint, .. } => Some((*hint).to_owned()),
            Unread::File(_) | Unread::Library(_) | Unread::Template(_) => None,
        }
    }
}

/// Runs recordings of one repository again; each thread has its own.
pub struct Replay {
    repo: Repo,
    /// The operator's settings, which win over a commit's own.
    config: Option<Config>,
    built_in: Arc<Library>,
    /// What was read last of settings and overlays, and the library they make.
    last: RefCell<Option<Last>>,
    /// Every commit that a recording may be carried by, where that was asked for once for all.
    history: Option<Arc<HashSet<Oid>>>,
    /// What is known of commits that carry recordings in another history than their own.
    groups: Arc<Groups>,
}

/// Settings and overlays by their objects: most commits have the same ones.
struct Last {
    settings: AtPath,
    folders: [AtPath; 4],
    names: [Option<String>; 4],
    library: Arc<Library>,
}

impl Replay {
    pub fn new(repo: Repo, built_in: Arc<Library>, config: Option<Config>) -> Replay {
        Replay { repo, config, built_in, last: RefCell::default(), history: None, groups: Arc::default() }
    }

    /// The same for recordings at one commit, whose history is walked once for all of them.
    ///
    /// # Errors
    /// A history that cannot be read.
    pub fn at(mut self, commit: Oid) -> Result<Replay, git::Error> {
        self.history = Some(Arc::new(self.repo.history(commit)?));
        Ok(self)
    }

    /// Another one of these, for another thread.
    ///
    /// # Errors
    /// A repository that cannot be opened once more.
    pub fn again(&self) -> Result<Replay, git::Error> {
        Ok(Replay {
            repo: self.repo.again()?,
            config: self.config.clone(),
            built_in: Arc::clone(&self.built_in),
            last: RefCell::default(),
            history: self.history.clone(),
            groups: Arc::clone(&self.groups),
        })
    }

    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// The settings at a commit.
    ///
    /// # Errors
    /// Settings that cannot be read.
    pub fn config(&self, commit: Oid) -> Result<Config, Unread> {
        if let Some(config) = &self.config {
            return Ok(config.clone());
        }
        Ok(match self.repo.file(commit, config::FILE)? {
            Some(bytes) => Config::read_version(config::FILE, &bytes, &format!("commit {}", short(commit)))?,
            None => Config::default(),
        })
    }

    /// Steps, cast and templates at a commit.
    fn library(&self, commit: Oid) -> Result<Arc<Library>, Unread> {
        let settings = match self.config {
            Some(_) => Some(AtPath::Nothing),
            None => self.repo.look_up(commit, config::FILE),
        };
        let stands = |folder: &Option<String>| match folder {
            Some(folder) => {
                let there = self.repo.look_up(commit, folder.trim_end_matches('/'));
                there.filter(|there| matches!(there, AtPath::Folder(_)))
            }
            None => Some(AtPath::Nothing),
        };
        if let Some(last) = self.last.borrow().as_ref().filter(|last| Some(last.settings) == settings)
            && [0, 1, 2, 3].iter().all(|at| stands(&last.names[*at]) == Some(last.folders[*at]))
        {
            return Ok(Arc::clone(&last.library));
        }
        let config = self.config(commit)?;
        let overlays = Overlays::read(&config, |folder| self.repo.overlay(commit, folder))?;
        let library = match overlays.is_empty() {
            true => Arc::clone(&self.built_in),
            false => Arc::new(Library::new(&overlays)?),
        };
        let names = [config.steps, config.templates, config.rules, config.layouts];
        let folders: Option<Vec<AtPath>> = names.iter().map(stands).collect();
        if let (Some(settings), Some(folders)) = (settings, folders.and_then(|all| all.try_into().ok())) {
            let library = Arc::clone(&library);
            *self.last.borrow_mut() = Some(Last { settings, folders, names, library });
        }
        Ok(library)
    }

    /// Runs a recording again on its base; where that is not here, on `instead`, or on what the history that
    /// carries the recording has.
    ///
    /// # Errors
    /// A recording, or something it was made from, that cannot be read.
    pub fn run(&self, recording: &Recording, instead: Option<Oid>) -> Result<Replayed, Unread> {
        let read = Read::of(recording)?;
        let place = match (&recording.place, instead) {
            (Some(place), _) => Some(place.clone()),
            (None, Some(_)) => None,
            (None, None) => self.place_of(recording, &read.opened)?,
        };
        let is_here = self.is_here(&read.opened.base) && self.is_here(&read.base());
        match place {
            Some(place) if !is_here && instead.is_none() => self.elsewhere(recording, read, &place),
            place => self.on_base(recording, read, place, instead),
        }
    }

    /// The usual way: the base is here, or another commit was named for it.
    fn on_base(
        &self,
        recording: &Recording,
        read: Read,
        place: Option<CommittedPath>,
        instead: Option<Oid>,
    ) -> Result<Replayed, Unread> {
        let name = &recording.name;
        let opened = &read.opened;
        let begun = self.commit_of(name, &opened.base, instead)?;
        // The last run of a discussion that stayed open builds on what was there by then.
        let last = read.base();
        let base = self.commit_of(name, &last, instead)?;
        let library = self.library(begun)?;
        let mut found = Replayed::new();
        let Some(step) = found.step_of(&library, opened) else { return Ok(found) };
        let wanted = read.wanted_files();
        let item = |commit: Oid| self.repo.item_with_files(commit, &opened.item, opened.into(), &wanted);
        let begin = item(begun)?;
        if !found.is_named(&begin, opened) {
            return Ok(found);
        }
        let quotation = self.other_quotation(&read.log, opened);
        let Some(end) = found.fold(&library, step, read.log)? else { return Ok(found) };
        if let Some(quotation) = quotation {
            found.divergence = Some(quotation);
            return Ok(found);
        }
        let other_form = read.other_form;
        let item = if base == begun { begin } else { item(base)? };
        let rehearsed = found.placed(match &end {
            End::Closed(finished) => landing::rehearse(&self.repo, &library, finished, &item, base),
            End::Open(paused) => landing::rehearse_pause(&self.repo, &library, paused, &item, base),
        })?;
        if let (Some(rehearsed), true) = (&rehearsed, base.to_string() == last) {
            found.is_committed = self.carries(recording, rehearsed.commit)?;
            found.by = found.is_committed.then_some(By::Commit);
            if !found.is_committed && place.is_none() {
                found.divergence = self.compare(recording, &opened.branch, rehearsed)?;
            }
        }
        if let (None, Some(place), None) = (found.by, &place, &other_form) {
            found.settle(self.prove(recording, place, &end, &library)?);
        }
        found.rehearsed = rehearsed;
        found.end(end, other_form);
        Ok(found)
    }

    /// The base is not here, and the recording is: only another history can say whether it is right.
    fn elsewhere(
        &self,
        recording: &Recording,
        read: Read,
        place: &CommittedPath,
    ) -> Result<Replayed, Unread> {
        let mut found = Replayed::new();
        let library = self.fitting_library(&read.opened, &self.around(place)?);
        let Some(step) = found.step_of(&library, &read.opened) else { return Ok(found) };
        let Read { log, other_form, .. } = read;
        let Some(end) = found.fold(&library, step, log)? else { return Ok(found) };
        if other_form.is_none() {
            found.settle(self.prove(recording, place, &end, &library)?);
        }
        found.end(end, other_form);
        Ok(found)
    }

    fn is_here(&self, base: &str) -> bool {
        Oid::from_str(base).is_ok_and(|base| self.repo.has(base))
    }

    /// The commit of a recording, or what is to be taken for it where it is not here.
    fn commit_of(&self, name: &str, base: &str, instead: Option<Oid>) -> Result<Oid, Unread> {
        let here = Oid::from_str(base).ok().filter(|base| self.repo.has(*base));
        here.or(instead).ok_or_else(|| Unread::NoBase {
            name: name.to_owned(),
            base: plain::cut(&plain::shown(base), 40),
            hint: if self.repo.is_shallow() {
                "this is a shallow clone: fetch all of it, in actions/checkout with `fetch-depth: 0`"
            } else {
                "fetch the branch it was made on, or place it elsewhere with --onto REV"
            },
        })
    }

    /// Whether the repository has a commit of this id: in the history of the place that was named,
    /// else anywhere.
    fn carries(&self, recording: &Recording, commit: Oid) -> Result<bool, Unread> {
        Ok(match (&self.history, &recording.place) {
            (Some(history), Some(_)) => history.contains(&commit),
            (None, Some(place)) => self.repo.has(commit) && self.repo.is_ancestor(commit, place.commit)?,
            (_, None) => self.repo.has(commit),
        })
    }

    /// What a commit that has another recording in this one's place has that the outcome has not; none
    /// where nothing is there yet.
    fn compare(
        &self,
        recording: &Recording,
        branch: &str,
        outcome: &Rehearsed,
    ) -> Result<Option<Divergence>, Unread> {
        let path = &outcome.outcome.recording;
        let Some(place) = self.carrier(path, branch)? else { return Ok(None) };
        let carrier = self.repo.introducing_commit(place.commit, path)?;
        let tree = self.repo.tree_of(carrier)?;
        let there = self.repo.blob_at(tree, path)?;
        // A recording that grows: what is there is the beginning that this run went on from, or goes on
        // from this one.
        let grown = outcome.additive.changes().iter().find(|change| change.path == *path);
        if let Some(before) = grown.and_then(|change| change.before.as_deref())
            && there.as_deref() == Some(before)
        {
            return Ok(None);
        }
        for change in outcome.additive.changes() {
            let stands = self.repo.blob_at(tree, &change.path)?;
            if stands.as_deref() != Some(&change.after) {
                return Ok(Some(file_differs(&change.path, &change.after, stands.as_deref())));
            }
        }
        let found = there.unwrap_or_default();
        Ok(Some(file_differs(path, &recording.bytes, Some(&found))))
    }

    /// Where there is a recording of this path: on its branch, else at HEAD.
    fn carrier(&self, path: &str, branch: &str) -> Result<Option<CommittedPath>, Unread> {
        let has = |commit: &Oid| self.repo.file(*commit, path).is_ok_and(|file| file.is_some());
        let commit = self.tips(branch)?.into_iter().find(has);
        Ok(commit.map(|commit| CommittedPath { commit, path: path.to_owned() }))
    }

    /// Where this very recording is, whatever its folder is called there: on its branch, else at HEAD.
    fn place_of(&self, recording: &Recording, opened: &Opened) -> Result<Option<CommittedPath>, Unread> {
        let wanted = Oid::hash_object(git2::ObjectType::Blob, &recording.bytes).map_err(git::Error::from)?;
        for commit in self.tips(&opened.branch)? {
            let mut place = None;
            for folder in self.repo.with_items(commit, self.config(commit)?)?.folders() {
                self.repo.recordings(commit, folder, &mut |_, path, blob| {
                    if blob == wanted {
                        place = Some(CommittedPath { commit, path: path.to_owned() });
                    }
                    place.is_none()
                })?;
            }
            if place.is_some() {
                return Ok(place);
            }
        }
        Ok(None)
    }

    /// The tip of a branch that a recording names, if it is here, and HEAD.
    fn tips(&self, branch: &str) -> Result<Vec<Oid>, Unread> {
        let tip = git::is_branch_name(branch).then(|| self.repo.tip(branch).ok().flatten()).flatten();
        Ok(tip.into_iter().chain(self.repo.head()?).collect())
    }

    /// Lands a recording that was run again, on a branch, at its tip or at `start`.
    ///
    /// # Errors
    /// Rules or templates that have changed there, or anything that keeps it from landing.
    pub fn land(
        &self,
        mut finished: Finished,
        branch: &str,
        start: Oid,
    ) -> Result<landing::LandedCommit, Unlanded> {
        finished.redirect(branch);
        finished.rebase(&start.to_string());
        let library = self.rules(&finished.log, start)?;
        let opened = &finished.opened;
        let step = library.step(&opened.step.id).map_err(Unread::from)?;
        // The new recording runs again with the files that are there.
        match fold(&library, step, finished.log.clone(), false) {
            Ok(_) => {}
            Err(Stop::Divergence(found)) => {
                return Err(Unlanded::Rules { commit: short(start), found: Box::new(found) });
            }
            Err(Stop::Template(failed)) => return Err(Unread::from(failed).into()),
        }
        let item = self.repo.item_or_new(start, &opened.item, opened.into()).map_err(Unread::from)?;
        Ok(landing::land(&self.repo, &library, &finished, start, &item)?)
    }

    /// Lands the last run of a discussion that waits for its user, on its branch.
    ///
    /// # Errors
    /// Another run went on with it meanwhile, or anything that keeps it from landing.
    pub fn pause(&self, paused: &PausedDiscussion, start: Oid) -> Result<landing::LandedCommit, Unlanded> {
        let library = self.rules(&paused.log, start)?;
        Ok(landing::pause(&self.repo, &library, paused, start)?)
    }

    /// Steps, personas and templates for a discussion that goes to `start`: one that stayed open
    /// keeps those it was opened with.
    fn rules(&self, log: &[Record], start: Oid) -> Result<Arc<Library>, Unread> {
        let first = runs::before(log).and(log.first()).map(|first| &first.event);
        match first {
            Some(Event::Opened(opened)) => {
                self.library(self.commit_of(&opened.item, &opened.base, Some(start))?)
            }
            _ => self.library(start),
        }
    }
}

/// Why a recording did not land. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Unlanded {
    #[error("{0}")]
    Unread(#[from] Unread),
    #[error("{0}")]
    NotLanded(#[from] NotLanded),
    #[error("the steps, personas or templates at {commit} are not those of the discussion: event {}: expected {}, found {}",
        found.event.unwrap_or_default(), found.expected, found.found)]
    Rules { commit: String, found: Box<Divergence> },
}

impl Remedy for Unlanded {
    fn remedy(&self) -> Option<String> {
        match self {
            Unlanded::Unread(error) => error.remedy(),
            Unlanded::NotLanded(error) => error.remedy(),
            Unlanded::Rules { .. } => Some("place it on a commit that has them".to_owned()),
        }
    }
}

impl From<Unread> for Fail {
    fn from(error: Unread) -> Fail {
        Fail::remediable(&error)
    }
}

impl From<Unlanded> for Fail {
    fn from(error: Unlanded) -> Fail {
        Fail::remediable(&error)
    }
}

enum Stop {
    Divergence(Divergence),
    Template(crate::text::template::Failed),
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Stop {
        match refused {
            Refused::Unexpected { number, expected, found } => Stop::Divergence(Divergence {
                event: Some(number),
                what: "event".to_owned(),
                expected,
                found,
            }),
            Refused::Template(failed) => Stop::Template(failed),
        }
    }
}

fn not_placed(refused: &NotLanded) -> Divergence {
    let expected = "an addition that the artifacts can take".to_owned();
    Divergence { event: None, what: "placement".to_owned(), expected, found: refused.to_string() }
}

fn file_differs(path: &str, expected: &[u8], found: Option<&[u8]>) -> Divergence {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let found = found.map_or_else(String::new, text);
    Divergence { event: None, what: path.to_owned(), expected: text(expected), found }
}

/// The files that a step writes into.
fn output_files(opened: &Opened) -> Vec<String> {
    let outputs = opened.step.outputs.iter().filter_map(|output| OutputPath::parse(output).ok());
    opened.document.iter().cloned().chain(outputs.map(|output| output.file())).collect()
}

fn first_event(expected: String, found: &str) -> Divergence {
    Divergence { event: Some(1), what: "event".to_owned(), expected, found: found.to_owned() }
}

/// What a log comes to.
enum End {
    Closed(Box<Finished>),
    Open(Box<PausedDiscussion>),
}

impl End {
    fn opened(&self) -> &Opened {
        match self {
            End::Closed(finished) => &finished.opened,
            End::Open(paused) => &paused.opened,
        }
    }
}

/// The rules over a log, to its end, or to where it waits for its user. `derives`: its synthesis is held against what
/// was said.
fn fold(library: &Library, step: &Step, log: Vec<Record>, derives: bool) -> Result<End, Stop> {
    let length = log.len();
    let first = log.iter().find_map(|record| match &record.event {
        Event::User(message) => Some(message.text.clone()),
        _ => None,
    });
    // The files are not read again: what is said of them is not judged.
    let basis = Basis { first: first.as_deref(), ..Basis::default() };
    let mut records = (1..).zip(log);
    let Some((_, opening)) = records.next() else {
        return Err(Stop::Divergence(first_event("an opening".to_owned(), "nothing")));
    };
    let mut talk = Discussion::open(library, step, opening)?;
    for (number, record) in records {
        let differs = |expected: String, found: String| {
            Stop::Divergence(Divergence { event: Some(number), what: "event".to_owned(), expected, found })
        };
        if let Event::Contribution(said) = &record.event
            && said.voice.as_deref().unwrap_or(&talk.opened().voice) != SECRETARY
            && let Some(persona) = library.cast.get(&said.by)
            && let Some(breach) =
                breaches(&said.text, persona, &talk, &basis).iter().find(|one| one.is_hard())
        {
            let why = format!("a breach of the rule \"{}\": \"{}\"", breach.rule.name(), breach.words);
            return Err(differs(format!("a line of {}", persona.name), why));
        }
        let is_commits = number == length;
        let late = is_commits && u32::try_from(record.at.seconds()).is_err();
        if late {
            let expected = "a time of a commit, from 1970 to 2105".to_owned();
            return Err(differs(expected, record.at.to_string()));
        }
        talk.record(record)?;
    }
    if talk.is_closed() {
        if derives && let Some(other) = live::other_synthesis(&talk) {
            return Err(Stop::Divergence(other));
        }
        // Closed means that everything is there that a finished discussion has.
        let missing = || Stop::Divergence(first_event("a whole discussion".to_owned(), "a part of one"));
        return talk.finish().map(|finished| End::Closed(Box::new(finished))).ok_or_else(missing);
    }
    let expected = talk.awaited().map_err(Stop::Template)?;
    talk.pause().map(|paused| End::Open(Box::new(paused))).ok_or_else(|| {
        Stop::Divergence(Divergence {
            event: Some(length + 1),
            what: "event".to_owned(),
            expected: plain::cut(&plain::one_line(&expected), 200),
            found: "nothing: the recording stops here".to_owned(),
        })
    })
}

/// What has another digest now.
fn moved(
    then: &std::collections::BTreeMap<String, String>,
    now: &std::collections::BTreeMap<String, String>,
) -> Vec<Moved> {
    let names: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let told = |name: &String| plain::shown(name);
    names
        .into_iter()
        .filter_map(|name| match (then.get(name), now.get(name)) {
            (Some(then), Some(now)) if then == now => None,
            (Some(_), Some(_)) => Some(Moved::Changed(told(name))),
            (Some(_), None) => Some(Moved::Gone(told(name))),
            _ => Some(Moved::New(told(name))),
        })
        .collect()
}
