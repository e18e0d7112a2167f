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
use crate::discussion::event::{Event, Message, Record, Time, from_any_lines};
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
    /// Recordings that cannot be read or have no end yet, by their path, and why.
    pub unread: Vec<(String, String)>,
}

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
    /// The messages of the turns that something rests on.
    pub fn messages<'t>(&'t self, turns: &'t [u32]) -> impl Iterator<Item = &'t Message> {
        self.finished.log.iter().filter_map(move |record| match &record.event {
            Event::User(message) if message.turn.is_some_and(|turn| turns.contains(&turn)) => Some(message),
            _ => None,
        })
    }

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
    let (mut talks, mut unread) = (Vec::new(), Vec::new());
    for name in item.recordings.iter().filter(|name| name.ends_with(".jsonl")) {
        let recording = format!("{path}/elaborations/{name}");
        let bytes = repo.file(commit, &recording)?.unwrap_or_default();
        let log = crate::json::utf8(&recording, &bytes).and_then(|text| from_any_lines(&recording, text));
        let end = match log {
            Ok((log, _)) => finished(log).ok_or_else(|| "it has no end yet".to_owned()),
            Err(finding) => Err(finding.to_string()),
        };
        match end {
            Err(why) => unread.push((recording, why)),
            Ok(finished) => {
                let (step, at) = (&finished.opened.step.id, finished.at);
                let is_own = |(_, trace): &&(String, Trace)| trace.step_id == *step && trace.at == at;
                talks.push(Talk {
                    sha256: sha256(&bytes),
                    commit: brought.get(&recording).map(|brought| brought.commit),
                    written: traces.iter().filter(is_own).cloned().collect(),
                    recording,
                    finished,
                });
            }
        }
    }
    talks.sort_by(|a, b| (a.finished.at, &a.recording).cmp(&(b.finished.at, &b.recording)));
    let mut logs = Vec::new();
    for name in item.files.keys().filter(|name| name.starts_with("analysis/") && name.ends_with(".jsonl")) {
        let log = format!("{path}/{name}");
        let bytes = repo.file(commit, &log)?.unwrap_or_default();
        logs.push(Log::read(&log, &String::from_utf8_lossy(&bytes)));
    }
    Ok(Dossier { item, talks, logs, unread })
}
