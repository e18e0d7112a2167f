//! The discussions of a revision with where they came from: each item's recordings, the commit that brought
//! each, who decided what on which words, and which lines of which documents it wrote.
//!
//! Invariant: what is told here is read from recordings and documents. Nothing is judged; whether it is true
//! is said by [`replay`](crate::replay).
//!
//! ```
//! use roundtable::provenance::items;
//! use roundtable::repo::{Error, Repo};
//!
//! fn decisions(repo: &Repo, item: &str) -> Result<usize, Error> {
//!     let found = items(repo, repo.resolve("HEAD")?, &[item.to_owned()])?;
//!     Ok(found.iter().flat_map(|item| &item.talks).map(|talk| talk.finished.summary.decisions.len()).sum())
//! }
//! ```

use std::collections::BTreeMap;

use git2::Oid;

use crate::analysis::provenance::Log;
use crate::decisions::Decisions;
use crate::discussion::event::{Event, Record, Time, from_any_lines};
use crate::discussion::{Finished, finished};
use crate::item::{File, Item};
use crate::library::sha256;
use crate::repo::{Brought, Error, Repo, Unwritten};
use crate::trace::{self, Trace};

/// An item with its discussions, the earliest first.
pub struct Dossier {
    pub item: Item,
    pub talks: Vec<Talk>,
    /// The logs of an analysis' steps, by path.
    pub logs: Vec<Log>,
    pub unread: Unread,
    pub decisions: Decisions,
}

/// Recordings that cannot be read or have no end yet, by their path, and why.
pub type Unread = Vec<(String, String)>;

/// A discussion that is over.
pub struct Talk {
    /// The recording's path in the repository.
    pub recording: String,
    pub sha256: String,
    /// The commit that brought the recording to the revision's history.
    pub commit: Option<Oid>,
    pub finished: Finished,
    /// What it wrote in the item's documents: the file's path in the repository, and the lines.
    pub written: Vec<(String, Trace)>,
}

impl Talk {
    /// When a turn was spoken.
    pub fn time_of(&self, turn: u32) -> Option<Time> {
        let is_turn = |record: &&Record| match &record.event {
            Event::User(message) => message.turn == Some(turn),
            Event::Contribution(said) => said.turn == turn,
            _ => false,
        };
        self.finished.log.iter().find(is_turn).map(|record| record.at)
    }
}

/// The items of these paths at a commit.
///
/// # Errors
/// An item or a history that cannot be read.
pub fn items(repo: &Repo, commit: Oid, paths: &[String]) -> Result<Vec<Dossier>, Error> {
    let objects = repo.objects(Unwritten::new()).of_history();
    let mut wanted = Vec::new();
    for path in paths {
        objects.recordings(commit, path, &mut |_, path, blob| {
            wanted.push((path.to_owned(), blob));
            true
        })?;
    }
    let brought = objects.brought(commit, &wanted)?;
    paths.iter().map(|path| dossier(repo, commit, path, &brought)).collect()
}

fn dossier(
    repo: &Repo,
    commit: Oid,
    path: &str,
    brought: &BTreeMap<String, Brought>,
) -> Result<Dossier, Error> {
    let item = repo.item(commit, path)?;
    let mut traces = Vec::new();
    for (name, file) in &item.files {
        let File::Bytes(bytes) = file else { continue };
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        let found = trace::traces(name, text);
        traces.extend(found.into_iter().map(|trace| (format!("{path}/{name}"), trace)));
    }
    let (recorded, unread) = recorded(repo, commit, &item)?;
    let talk = |one: Recorded| {
        let (step, at) = (&one.finished.opened.step.id, one.finished.at);
        let is_own = |(_, trace): &&(String, Trace)| trace.step_id == *step && trace.at == at;
        Talk {
            commit: brought.get(&one.path).map(|brought| brought.commit),
            written: traces.iter().filter(is_own).cloned().collect(),
            recording: one.path,
            sha256: one.sha256,
            finished: one.finished,
        }
    };
    let talks: Vec<Talk> = recorded.into_iter().map(talk).collect();
    let finished = talks.iter().map(|talk| (talk.recording.as_str(), &talk.finished));
    let decisions = Decisions::read(finished, item.documents());
    let mut logs = Vec::new();
    for name in item.files.keys().filter(|name| name.starts_with("analysis/") && name.ends_with(".jsonl")) {
        let log = format!("{path}/{name}");
        let bytes = repo.file(commit, &log)?.unwrap_or_default();
        logs.push(Log::read(&log, &String::from_utf8_lossy(&bytes)));
    }
    Ok(Dossier { item, talks, logs, unread, decisions })
}

/// A recording of a discussion that is over.
struct Recorded {
    path: String,
    sha256: String,
    finished: Finished,
}

/// The recordings of an item that can be read, the earliest first, and the others.
fn recorded(repo: &Repo, commit: Oid, item: &Item) -> Result<(Vec<Recorded>, Unread), Error> {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    for name in item.recordings.iter().filter(|name| name.ends_with(".jsonl")) {
        let path = format!("{}/elaborations/{name}", item.path);
        let bytes = repo.file(commit, &path)?.unwrap_or_default();
        let log = crate::json::utf8(&path, &bytes).and_then(|text| from_any_lines(&path, text));
        match log.map(|(log, _)| finished(log)) {
            Ok(Some(finished)) => found.push(Recorded { sha256: sha256(&bytes), path, finished }),
            Ok(None) => unread.push((path, "it has no end yet".to_owned())),
            Err(finding) => unread.push((path, finding.to_string())),
        }
    }
    found.sort_by(|a, b| (a.finished.at, &a.path).cmp(&(b.finished.at, &b.path)));
    Ok((found, unread))
}

/// The decisions of an item at a commit, and of a discussion that is not committed yet.
///
/// # Errors
/// A recording that git cannot read.
pub fn decisions(
    repo: &Repo,
    commit: Oid,
    item: &Item,
    new: Option<(&str, &Finished)>,
) -> Result<Decisions, Error> {
    let (recorded, _) = recorded(repo, commit, item)?;
    let old = recorded.iter().map(|one| (one.path.as_str(), &one.finished));
    Ok(Decisions::read(old.chain(new), item.documents()))
}
