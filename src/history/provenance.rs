//! The discussions of a revision with where they came from: each item's recordings, the commit that brought
//! each, and who decided what on which words.
//!
//! Invariant: what is told here is read from recordings and documents. Nothing is judged; whether it is true
//! is said by [`replay`](crate::replay).
//!
//! ```
//! use roundtable::history::provenance::items;
//! use roundtable::git::{Error, Repo};
//! use roundtable::item::library::Library;
//!
//! fn decisions(repo: &Repo, item: &str, library: &Library) -> Result<usize, Error> {
//!     let found = items(repo, repo.resolve("HEAD")?, &[item.to_owned()], library.forms())?;
//!     Ok(found.iter().flat_map(|item| &item.talks).map(|talk| talk.finished.summary.decisions.len()).sum())
//! }
//! ```

use std::collections::BTreeMap;

use git2::Oid;

use crate::analysis::provenance::{Log, StepDecision};
use crate::discussion::event::from_any_lines;
use crate::discussion::{Finished, finished};
use crate::git::{Error, Introduction, Repo};
use crate::history::decisions::{self, Decisions};
use crate::item::Item;
use crate::text::sentence_forms::Forms;

/// An item with its discussions, the earliest first.
pub struct Dossier {
    pub item: Item,
    pub talks: Vec<Talk>,
    /// The logs of an analysis' steps, by path.
    pub logs: Vec<Log>,
    pub unread: Unread,
    pub decisions: Decisions,
    /// What was decided in the steps, each with its id and its log.
    pub of_steps: Vec<(String, String, StepDecision)>,
}

/// Recordings that cannot be read or have no end yet, by their path, and why.
pub type Unread = Vec<(String, String)>;

/// A discussion that is over.
pub struct Talk {
    /// The recording's path in the repository.
    pub recording: String,
    /// The commit that brought the recording to the revision's history.
    pub commit: Option<Oid>,
    pub finished: Finished,
}

/// The items of these paths at a commit; `forms` say what of an answer to a step decides.
///
/// # Errors
/// An item or a history that cannot be read.
pub fn items(repo: &Repo, commit: Oid, paths: &[String], forms: &Forms) -> Result<Vec<Dossier>, Error> {
    let mut wanted = Vec::new();
    for path in paths {
        repo.recordings(commit, path, &mut |_, path, blob| {
            wanted.push((path.to_owned(), blob));
            true
        })?;
    }
    let brought = repo.introductions(commit, &wanted)?;
    paths.iter().map(|path| dossier(repo, commit, path, &brought, forms)).collect()
}

fn dossier(
    repo: &Repo,
    commit: Oid,
    path: &str,
    brought: &BTreeMap<String, Introduction>,
    forms: &Forms,
) -> Result<Dossier, Error> {
    let item = repo.item_or_documents(commit, path)?;
    let (mut talks, unread) = talks(repo, commit, &item)?;
    for talk in &mut talks {
        talk.commit = brought.get(&talk.recording).map(|brought| brought.commit);
    }
    let finished = talks.iter().map(|talk| (talk.recording.as_str(), &talk.finished));
    let decisions = Decisions::read(finished, item.documents());
    let mut logs = Vec::new();
    for name in item.files.keys().filter(|name| name.starts_with("analysis/") && name.ends_with(".jsonl")) {
        let log = format!("{path}/{name}");
        let bytes = repo.file(commit, &log)?.unwrap_or_default();
        logs.push(Log::read(&log, &String::from_utf8_lossy(&bytes)));
    }
    let of_log = |log: &Log| {
        let id = |(number, one)| (decisions::id(&log.path, number), log.path.clone(), one);
        log.decisions(forms).into_iter().enumerate().map(id).collect::<Vec<_>>()
    };
    let of_steps = logs.iter().flat_map(of_log).collect();
    Ok(Dossier { item, talks, logs, unread, decisions, of_steps })
}

/// The discussions of an item that are over, the earliest first, without their commits; and what cannot be read.
///
/// # Errors
/// A recording that git cannot read.
pub fn talks(repo: &Repo, commit: Oid, item: &Item) -> Result<(Vec<Talk>, Unread), Error> {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    for name in item.recordings.iter().filter(|name| name.ends_with(".jsonl")) {
        let recording = format!("{}/elaborations/{name}", item.path);
        let bytes = repo.file(commit, &recording)?.unwrap_or_default();
        let log =
            crate::text::json::utf8(&recording, &bytes).and_then(|text| from_any_lines(&recording, text));
        match log.map(|(log, _)| finished(log)) {
            Ok(Some(finished)) => found.push(Talk { recording, commit: None, finished }),
            Ok(None) => unread.push((recording, "it has no end yet".to_owned())),
            Err(finding) => unread.push((recording, finding.to_string())),
        }
    }
    found.sort_by(|a, b| (a.finished.at, &a.recording).cmp(&(b.finished.at, &b.recording)));
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
    let (talks, _) = talks(repo, commit, item)?;
    let old = talks.iter().map(|talk| (talk.recording.as_str(), &talk.finished));
    Ok(Decisions::read(old.chain(new), item.documents()))
}
