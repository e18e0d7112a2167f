//! The one way from a finished discussion to a commit: synthesis, verification, commit. Whichever
//! verb the discussion came from, this is how it lands.
//!
//! ```
//! use roundtable::discussion::Finished;
//! use roundtable::run::landing::{LandedCommit, NotLanded, land};
//! use roundtable::item::library::Library;
//! use roundtable::git::Repo;
//!
//! fn commit(repo: &Repo, library: &Library, finished: &Finished) -> Result<LandedCommit, NotLanded> {
//!     let start = repo.resolve(&finished.opened.base)?;
//!     let item = repo.item(start, &finished.opened.item)?;
//!     land(repo, library, finished, start, &item)
//! }
//! ```

use std::rc::Rc;
use std::sync::Arc;

use git2::Oid;
use minijinja::context;

use crate::additive::{self, Loss};
use crate::discussion::Finished;
use crate::discussion::event::{Author, Event, Exit, Opened, Record, Time, to_lines};
use crate::discussion::runs::{self, PausedDiscussion};
use crate::git::{Committed, Error, Lock, Repo, Wanted};
use crate::item::layout::Laid;
use crate::item::library::{Library, sha256};
use crate::item::step::Step;
use crate::item::{Change, DRAFT, Item};
use crate::review::Rules;
use crate::synthesis::{self, Outcome, Unplaced};
use crate::text::remedy::Remedy;
use crate::text::template::{Failed, safe};
use crate::voice::model::prompt::Earlier;
use crate::voice::secretary::Secretary;
use crate::voice::settled::Settled;

/// How often additions are placed anew when somebody else moves the branch.
pub(crate) const TRIES: usize = 20;

/// So many recordings of an item are remembered in the next discussion.
const REMEMBERED: usize = 30;

/// A discussion that has landed, or the last run of one that stays open.
pub struct LandedCommit {
    pub commit: Oid,
    /// What the commit is built on; where the branch had it already, the commit itself.
    pub parent: Oid,
    pub outcome: Outcome,
    /// The branch carried this very run before, in the outcome's recording.
    pub already_recorded: bool,
}

impl LandedCommit {
    /// What a branch carries already.
    fn carried(tip: Oid, recording: &str) -> LandedCommit {
        let outcome = Outcome::nothing(recording);
        LandedCommit { commit: tip, parent: tip, outcome, already_recorded: true }
    }
}

/// The last recordings of an item, at most so many, the latest first: each with its path. What is no recording is
/// left out.
///
/// # Errors
/// A file that cannot be read from the repository.
pub fn recordings(
    repo: &Repo,
    commit: Oid,
    item: &Item,
    wanted: impl Fn(&str) -> bool,
    most: usize,
) -> Result<Vec<(String, Vec<Record>)>, Error> {
    let names = item.recordings.iter().rev().filter(|name| wanted(name)).take(most);
    let read = |name: &String| {
        let path = format!("{}/elaborations/{name}", item.path);
        let bytes = repo.file(commit, &path)?.unwrap_or_default();
        let lines = std::str::from_utf8(&bytes).unwrap_or_default().lines();
        let log = lines.filter_map(|line| Record::from_line(line).ok()).collect();
        Ok((path, log))
    };
    names.map(read).collect()
}

/// What the earlier discussions of an item have asked and decided.
///
/// # Errors
/// A recording that cannot be read from the repository.
pub fn settled(repo: &Repo, commit: Oid, item: &Item) -> Result<Settled, Error> {
    let found = recordings(repo, commit, item, |_| true, REMEMBERED)?;
    Ok(Settled::read(&found.into_iter().map(|(_, log)| log).collect::<Vec<_>>()))
}

/// The built-in voice for a discussion of an item as it is at a commit. `is_covered`: the step was worked through
/// before.
///
/// # Errors
/// A recording that cannot be read from the repository.
pub fn stand_in<'i>(
    repo: &'i Repo,
    item: &'i Item,
    commit: Oid,
    (step, laid): (&Step, &Laid<'_>),
    rules: Arc<Rules>,
    is_covered: bool,
) -> Result<Secretary<'i>, Error> {
    let depth = item.meta.depth(&step.phase).unwrap_or(step.depth);
    let secretary = Secretary::new(item.documents(), &step.outputs, rules, depth);
    let secretary = secretary.beside(Rc::new(repo.names(commit)));
    let settled = settled(repo, commit, item)?;
    let secretary = secretary.adding_to(synthesis::targets(item, laid, step));
    Ok(secretary.after(is_covered).knowing(settled))
}

/// The characters of earlier decisions that a model is told.
const DECIDED: usize = 4_000;

/// What the earlier discussions of an item have decided, the latest first.
///
/// # Errors
/// A recording that cannot be read from the repository.
pub fn decided(repo: &Repo, commit: Oid, item: &Item) -> Result<Vec<Earlier>, Error> {
    let mut left = DECIDED;
    let mut found = Vec::new();
    for (path, log) in recordings(repo, commit, item, |_| true, REMEMBERED)? {
        let summary = log.iter().rev().find_map(|record| match &record.event {
            Event::Synthesis(summary) => Some(summary),
            _ => None,
        });
        let decisions = summary.map(|summary| summary.decisions.as_slice()).unwrap_or_default();
        let line = |one: &crate::discussion::summary::Decision| match one.rationale.as_str() {
            "" => one.text.clone(),
            reason => format!("{}: {reason}", one.text),
        };
        let lines: Vec<String> = decisions.iter().map(line).collect();
        let text = lines.join("\n");
        let characters = text.chars().count();
        if characters > left {
            break;
        }
        if !text.is_empty() {
            left -= characters;
            let path = path.strip_prefix(&format!("{}/", item.path)).unwrap_or(&path).to_owned();
            found.push(Earlier { path, text });
        }
    }
    Ok(found)
}

/// Why a discussion did not land. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum NotLanded {
    #[error("{0}")]
    Repo(#[from] Error),
    #[error("{0}")]
    Unplaced(#[from] Unplaced),
    #[error("{0}")]
    Template(#[from] Failed),
    #[error("refused, because the change would not only add: {}", losses.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Losses { losses: Vec<Loss> },
    #[error("the branch {0} kept moving")]
    Busy(String),
    #[error("another run has gone on with the discussion in {path} meanwhile")]
    GoneOn { path: String },
}

impl Remedy for NotLanded {
    fn remedy(&self) -> Option<String> {
        match self {
            NotLanded::Repo(error) => error.remedy(),
            NotLanded::Unplaced(error) => error.remedy(),
            NotLanded::Busy(_) => Some("try again".to_owned()),
            NotLanded::GoneOn { .. } => Some("ask again, and the next run goes on from there".to_owned()),
            NotLanded::Template(_) | NotLanded::Losses { .. } => None,
        }
    }
}

/// Commits a finished discussion on its branch. `start` is where the branch is or begins, as
/// the discussion found it, and `read` the item there.
///
/// # Errors
/// Anything that keeps the discussion from landing; nothing is changed then.
pub fn land(
    repo: &Repo,
    library: &Library,
    finished: &Finished,
    start: Oid,
    read: &Item,
) -> Result<LandedCommit, NotLanded> {
    let opened = &finished.opened;
    on_tip(repo, &opened.branch, start, |lock, tip, parent| {
        // What was read for the discussion is still there, unless somebody moved the branch.
        let again = || repo.item_or_new(parent, &opened.item, opened.into());
        let item = if parent == start { read.clone() } else { again()? };
        if let (Some(tip), Some(recording)) = (tip, already_recorded(repo, parent, &item, finished)?) {
            return Ok(Some(LandedCommit::carried(tip, &recording)));
        }
        // The recording names the commit that the additions are on: after a race, the new tip.
        let mut moved = finished.clone();
        moved.rebase(&parent.to_string());
        let finished = &moved;
        let (outcome, additive) = place(&item, finished, library)?;
        let message = message(library, finished, recording(&outcome, &additive))?;
        let wanted = wanted(finished, &additive, &message, tip, parent);
        Ok(match repo.commit(lock, &wanted)? {
            Committed::Done(commit) => {
                Some(LandedCommit { commit, parent, outcome, already_recorded: false })
            }
            Committed::Moved => None,
        })
    })
}

/// Tries on the branch's tip, under the lock, until it holds still.
fn on_tip<T>(
    repo: &Repo,
    branch: &str,
    start: Oid,
    mut once: impl FnMut(&mut Lock, Option<Oid>, Oid) -> Result<Option<T>, NotLanded>,
) -> Result<T, NotLanded> {
    let mut lock = repo.lock()?;
    for _ in 0..TRIES {
        let tip = repo.tip(branch)?;
        repo.refuse_checked_out(branch)?;
        if let Some(done) = once(&mut lock, tip, tip.unwrap_or(start))? {
            return Ok(done);
        }
    }
    Err(NotLanded::Busy(branch.to_owned()))
}

/// The recording of this very discussion, if the commit carries it already.
fn already_recorded(
    repo: &Repo,
    commit: Oid,
    item: &Item,
    finished: &Finished,
) -> Result<Option<String>, NotLanded> {
    let opened = &finished.opened;
    if runs::stays_open(&finished.log) {
        return grown(repo, commit, &finished.log);
    }
    Ok(recorded(repo, commit, item, &opened.step.id, finished.at, &opened.run)?)
}

/// The recording of a discussion that stays open, if the commit carries all of it already. Where
/// it carries something else than what the last run goes on from, nothing may be added.
fn grown(repo: &Repo, commit: Oid, log: &[Record]) -> Result<Option<String>, NotLanded> {
    let Some(Record { event: Event::Opened(opened), .. }) = log.first() else { return Ok(None) };
    let path = synthesis::open_recording(&opened.item, log);
    let there = repo.file(commit, &path)?;
    if there.as_deref() == Some(to_lines(log).as_bytes()) {
        return Ok(Some(path));
    }
    let before = runs::before(log);
    if there.is_none() || there.as_deref() == before.as_deref().map(str::as_bytes) {
        return Ok(None);
    }
    Err(NotLanded::GoneOn { path })
}

/// Commits what the last run of an open discussion has added to its recording.
///
/// # Errors
/// Another run went on with it meanwhile, or anything that keeps it from landing; nothing is
/// changed then.
pub fn pause(
    repo: &Repo,
    library: &Library,
    paused: &PausedDiscussion,
    start: Oid,
) -> Result<LandedCommit, NotLanded> {
    let opened = &paused.opened;
    on_tip(repo, &opened.branch, start, |lock, tip, parent| {
        let item = repo.item_or_new(parent, &opened.item, opened.into())?;
        if let (Some(tip), Some(recording)) = (tip, grown(repo, parent, &paused.log)?) {
            return Ok(Some(LandedCommit::carried(tip, &recording)));
        }
        let mut paused = paused.clone();
        paused.rebase(&parent.to_string());
        let rehearsed = Pause::new(library, &paused, &item)?;
        let wanted = rehearsed.wanted(tip, parent);
        Ok(match repo.commit(lock, &wanted)? {
            Committed::Done(commit) => {
                let outcome = Outcome::nothing(&rehearsed.outcome.recording);
                Some(LandedCommit { commit, parent, outcome, already_recorded: false })
            }
            Committed::Moved => None,
        })
    })
}

/// Everything that the commit of an open discussion's last run is made of.
struct Pause<'p> {
    paused: &'p PausedDiscussion,
    outcome: Outcome,
    additive: additive::Additive,
    message: String,
}

impl Pause<'_> {
    fn new<'p>(library: &Library, paused: &'p PausedDiscussion, item: &Item) -> Result<Pause<'p>, NotLanded> {
        let mut outcome = synthesis::pause(item, paused);
        let additive = verified(&mut outcome)?;
        let opened = &paused.opened;
        let values = context! {
            slug => opened.item.rsplit('/').next(),
            item => opened.item.as_str(),
            step_id => opened.step.id.as_str(),
            turn_count => paused.turn_count,
        };
        let body = library.templates.render("commit-open.txt", values)?;
        let message = with_trailers(
            &body,
            &trailers(opened, paused.turn_count, None, recording(&outcome, &additive)),
            &opened.author,
        );
        Ok(Pause { paused, outcome, additive, message })
    }

    fn wanted(&self, tip: Option<Oid>, parent: Oid) -> Wanted<'_> {
        let Pause { paused, additive, message, .. } = self;
        let (branch, author) = (&paused.opened.branch, &paused.opened.author);
        let time = paused.ended().map_or(0, Time::seconds);
        Wanted { branch, tip, parent, additive, message, author, time }
    }
}

/// What a landing would come to.
pub struct Rehearsed {
    pub outcome: Outcome,
    pub additive: additive::Additive,
    /// The commit it would be.
    pub commit: Oid,
}

/// Everything of a landing on `parent` but the writing.
///
/// # Errors
/// Anything that would keep the discussion from landing there.
pub fn rehearse(
    repo: &Repo,
    library: &Library,
    finished: &Finished,
    item: &Item,
    parent: Oid,
) -> Result<Rehearsed, NotLanded> {
    let (outcome, additive) = place(item, finished, library)?;
    let message = message(library, finished, recording(&outcome, &additive))?;
    let wanted = wanted(finished, &additive, &message, None, parent);
    let commit = id_of(&wanted, repo, item)?;
    Ok(Rehearsed { outcome, additive, commit })
}

/// The same for a discussion that waits for its user.
///
/// # Errors
/// Anything that would keep its last run from landing there.
pub fn rehearse_pause(
    repo: &Repo,
    library: &Library,
    paused: &PausedDiscussion,
    item: &Item,
    parent: Oid,
) -> Result<Rehearsed, NotLanded> {
    let pause = Pause::new(library, paused, item)?;
    let commit = id_of(&pause.wanted(None, parent), repo, item)?;
    Ok(Rehearsed { commit, outcome: pause.outcome, additive: pause.additive })
}

fn id_of(wanted: &Wanted<'_>, repo: &Repo, item: &Item) -> Result<Oid, NotLanded> {
    let moved = || Error::Damaged(format!("the item {} is not what was read of it", item.path));
    Ok(wanted.id(repo)?.ok_or_else(moved)?)
}

fn wanted<'a>(
    finished: &'a Finished,
    additive: &'a additive::Additive,
    message: &'a str,
    tip: Option<Oid>,
    parent: Oid,
) -> Wanted<'a> {
    let opened = &finished.opened;
    let time = finished.ended().seconds();
    Wanted { branch: &opened.branch, tip, parent, additive, message, author: &opened.author, time }
}

/// Places a finished discussion in its item and verifies that the change only adds.
///
/// # Errors
/// No place for it, or a change that loses something.
pub fn place(
    item: &Item,
    finished: &Finished,
    library: &Library,
) -> Result<(Outcome, additive::Additive), NotLanded> {
    let mut outcome = synthesis::outcome(item, finished, library)?;
    let additive = verified(&mut outcome)?;
    Ok((outcome, additive))
}

/// The changes of an outcome, verified: they are in the one or in the other.
fn verified(outcome: &mut Outcome) -> Result<additive::Additive, NotLanded> {
    additive::verify(std::mem::take(&mut outcome.changes)).map_err(|losses| NotLanded::Losses { losses })
}

/// The bytes of the recording among the changes.
fn recording<'a>(outcome: &Outcome, additive: &'a additive::Additive) -> &'a [u8] {
    let change = additive.changes().iter().find(|change| change.path == outcome.recording);
    change.map_or(&[], |change| change.after.as_slice())
}

/// The recording of a run on the branch, if it carries the run already. With a fixed clock its
/// name is known, so no history is walked.
///
/// # Errors
/// A recording that cannot be read from the repository.
pub fn recorded(
    repo: &Repo,
    commit: Oid,
    item: &Item,
    step_id: &str,
    at: Time,
    run: &str,
) -> Result<Option<String>, Error> {
    let stem = format!("{step_id}-{}", at.digits());
    for name in item.recordings.iter().filter(|name| name.starts_with(&stem)) {
        let path = format!("{}/elaborations/{name}", item.path);
        let bytes = repo.file(commit, &path)?.unwrap_or_default();
        let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let opened = std::str::from_utf8(first).ok().and_then(|line| Record::from_line(line).ok());
        if let Some(Record { event: Event::Opened(opened), .. }) = opened
            && opened.run == run
        {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The commit message: from a template and the rules, no word of it from the discussion. The
/// trailers are not the template's to leave out.
fn message(library: &Library, finished: &Finished, recording: &[u8]) -> Result<String, Failed> {
    let opened = &finished.opened;
    let values = context! {
        slug => opened.item.rsplit('/').next(),
        item => opened.item.as_str(),
        step_id => opened.step.id.as_str(),
        turn_count => finished.closed.turn_count,
        exit => safe(finished.closed.exit.to_string()),
    };
    let body = library.templates.render("commit-elaborate.txt", values)?;
    let closed = &finished.closed;
    let trailers = trailers(opened, closed.turn_count, Some(closed.exit), recording);
    Ok(with_trailers(&body, &trailers, &opened.author))
}

/// What a commit says of the discussion it holds; no exit where that is still open.
fn trailers(
    opened: &Opened,
    turn_count: u32,
    exit: Option<Exit>,
    recording: &[u8],
) -> Vec<(&'static str, String)> {
    let exit = exit.map(|exit| ("Exit", exit.to_string()));
    let digest = sha256(recording);
    [("Item", opened.item.clone()), ("Step", opened.step.id.clone()), ("Turns", turn_count.to_string())]
        .into_iter()
        .chain(exit)
        .chain([("Recording", digest), ("Run", opened.run.clone())])
        .collect()
}

/// A message with its trailers in a paragraph of their own; the author's sign-off is the last.
pub(crate) fn with_trailers(body: &str, trailers: &[(&str, String)], author: &Author) -> String {
    let mut lines: String =
        trailers.iter().map(|(name, value)| format!("Roundtable-{name}: {value}\n")).collect();
    if author.signed_off {
        lines.push_str(&format!("Signed-off-by: {} <{}>\n", author.name.trim(), author.email.trim()));
    }
    format!("{}\n\n{lines}", body.trim())
}

/// An item that is to be made.
pub struct NewItem<'a> {
    pub path: &'a str,
    pub meta: &'a str,
    /// The text of draft.md, where the item comes from an issue.
    pub draft: Option<&'a str>,
    pub branch: &'a str,
    pub start: Oid,
    pub author: &'a Author,
    /// Seconds since the epoch.
    pub time: i64,
}

/// Whether something is at the path of a new item that cannot become one: an item, or no folder at all.
/// Documents without a meta.json are what an item is made of.
fn is_taken(repo: &Repo, commit: Oid, path: &str, meta: &str) -> Result<bool, Error> {
    let becomes_one = || matches!(repo.item(commit, path), Err(Error::NoMeta { .. }));
    Ok(repo.exists(commit, path)? && (!becomes_one() || repo.exists(commit, meta)?))
}

/// Commits the meta.json of a new item; documents that are in its folder already belong to it.
///
/// # Errors
/// The item exists, or anything that keeps the commit from being made.
pub fn add(repo: &Repo, library: &Library, new: &NewItem<'_>) -> Result<Oid, NotLanded> {
    on_tip(repo, new.branch, new.start, |lock, tip, parent| {
        let path = format!("{}/{}", new.path, crate::item::meta::FILE);
        if is_taken(repo, parent, new.path, &path)? {
            let path = new.path.to_owned();
            let is_file = matches!(repo.item(parent, &path), Err(Error::NoItem { .. }));
            return Err(if is_file { Error::IsFile { path } } else { Error::Exists { path } }.into());
        }
        let mut changes = vec![Change { path, before: None, after: new.meta.as_bytes().to_vec() }];
        if let Some(draft) = new.draft {
            let path = format!("{}/{DRAFT}", new.path);
            if !repo.exists(parent, &path)? {
                changes.push(Change { path, before: None, after: draft.as_bytes().to_vec() });
            }
        }
        let additive = additive::verify(changes).map_err(|losses| NotLanded::Losses { losses })?;
        let values = context! { slug => new.path.rsplit('/').next(), item => new.path };
        let body = library.templates.render("commit-add.txt", values)?;
        let message = with_trailers(&body, &[("Item", new.path.to_owned())], new.author);
        let wanted = Wanted {
            branch: new.branch,
            tip,
            parent,
            additive: &additive,
            message: &message,
            author: new.author,
            time: new.time,
        };
        Ok(match repo.commit(lock, &wanted)? {
            Committed::Done(commit) => Some(commit),
            Committed::Moved => None,
        })
    })
}
