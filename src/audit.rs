//! Do markers, records and recordings agree? Every marker has its record in meta.json, every record
//! its recording, every recording replays, and what it added is still there as it came.
//!
//! A replay asks what a recording came to; an audit asks for today's documents. It counts how each recording
//! is proved: by commit, by content or by text.
//!
//! ```
//! use roundtable::replay::Replay;
//! use roundtable::repo::Error;
//!
//! fn agrees(replay: &Replay, revision: &str, item: &str) -> Result<bool, Error> {
//!     let commit = replay.repo().resolve(revision)?;
//!     Ok(roundtable::audit::item(replay, commit, item)?.misfits.is_empty())
//! }
//! ```

use std::collections::BTreeSet;

use git2::Oid;

use crate::analysis::provenance::marker;
use crate::discussion::event::{Event, Time, from_lines};
use crate::discussion::{Finished, open};
use crate::item::{File, Item, meta};
use crate::replay::{By, Place, Recording, Replay, Replayed, Unread};
use crate::repo;
use crate::trace::{self, Trace};

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Misfit {
    /// The file in the repository.
    pub path: String,
    /// Its line, where one can be named.
    pub line: Option<usize>,
    pub what: String,
}

/// What was looked at, and what does not fit.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    pub markers: usize,
    pub records: usize,
    pub recordings: usize,
    /// Logs of an analysis' steps.
    pub logs: usize,
    /// How many of the recordings are proved by commit, by content and by text.
    pub proofs: [usize; 3],
    pub misfits: Vec<Misfit>,
    /// Worth knowing, and no misfit.
    pub notes: Vec<String>,
}

/// Step and time: what markers, records and recordings have in common.
type Key = (String, Time);

fn key(trace: &Trace) -> Key {
    (trace.step_id.clone(), trace.at)
}

/// Audits one item at a commit.
///
/// # Errors
/// A repository that cannot be read; an item that cannot be is a misfit.
pub fn item(replay: &Replay, commit: Oid, path: &str) -> Result<Audit, repo::Error> {
    let mut audit = Audit::default();
    let item = match replay.repo().item(commit, path) {
        Ok(item) => item,
        Err(error @ repo::Error::Git(_)) => return Err(error),
        Err(error) => {
            audit.misfit(&format!("{path}/{}", meta::FILE), None, error.to_string());
            return Ok(audit);
        }
    };
    let files: Vec<(&str, &str, Vec<Trace>)> = item
        .files
        .iter()
        .filter_map(|(name, file)| match file {
            File::Bytes(bytes) => {
                let text = std::str::from_utf8(bytes).ok()?;
                Some((name.as_str(), text, trace::traces(name, text)))
            }
            _ => None,
        })
        .collect();
    let traces = |name: &str| files.iter().find(|(other, ..)| *other == name).map(|(.., traces)| traces);
    let records: BTreeSet<Key> = traces(meta::FILE).into_iter().flatten().map(key).collect();
    let recorded = audit.recordings(replay, commit, &item, &files)?;
    for (name, _, traces) in &files {
        let at = format!("{path}/{name}");
        for found in traces {
            let (step, time) = (crate::plain::shown(&found.step_id), found.at);
            let is_record = *name == meta::FILE;
            let what = if is_record { "record" } else { "marker" };
            if is_record {
                audit.records += 1;
            } else {
                audit.markers += 1;
            }
            if !is_record && !records.contains(&key(found)) {
                let missing = format!("the marker of step {step}, {time}, has no record in meta.json");
                audit.misfit(&at, Some(found.line), missing);
            }
            if !recorded.contains(&key(found)) {
                audit.misfit(
                    &at,
                    Some(found.line),
                    format!("the {what} of step {step}, {time}, has no recording"),
                );
            }
        }
    }
    audit.steps(replay, commit, &item, &files)?;
    let all = item.meta.elaborations().len();
    let told = traces(meta::FILE).map_or(0, Vec::len);
    if told < all {
        let what = format!("{} of {all} records name no step or no time", all - told);
        audit.misfit(&format!("{path}/{}", meta::FILE), None, what);
    }
    audit.misfits.sort();
    Ok(audit)
}

impl Audit {
    fn misfit(&mut self, path: &str, line: Option<usize>, what: String) {
        self.misfits.push(Misfit { path: crate::plain::shown(path), line, what });
    }

    /// Adds what another one found.
    pub fn and(&mut self, other: Audit) {
        self.markers += other.markers;
        self.records += other.records;
        self.recordings += other.recordings;
        self.logs += other.logs;
        for (own, other) in self.proofs.iter_mut().zip(other.proofs) {
            *own += other;
        }
        self.misfits.extend(other.misfits);
        self.notes.extend(other.notes);
    }

    /// Runs every recording of an item again, and looks for what it added. Gives their steps and
    /// times.
    fn recordings(
        &mut self,
        replay: &Replay,
        commit: Oid,
        item: &Item,
        files: &[(&str, &str, Vec<Trace>)],
    ) -> Result<BTreeSet<Key>, repo::Error> {
        let mut keys = BTreeSet::new();
        for name in &item.recordings {
            self.recordings += 1;
            let path = format!("{}/elaborations/{name}", item.path);
            let bytes = match replay.file_at(commit, &path) {
                Ok(bytes) => bytes.unwrap_or_default(),
                Err(error @ repo::Error::Git(_)) => return Err(error),
                Err(error) => {
                    self.misfit(&path, None, error.to_string());
                    continue;
                }
            };
            let place = Place { commit, path: path.clone() };
            let recording = Recording { name: path.clone(), bytes, place: Some(place.clone()) };
            let replayed = replay.run(&recording, None);
            let key = match replayed.as_ref().map(|found| &found.finished) {
                Ok(Some(finished)) => Some((finished.opened.step.id.clone(), finished.at)),
                _ => identity(&recording.bytes),
            };
            if let Some((step, at)) = &key
                && !name.starts_with(&format!("{step}-{}", at.digits()))
            {
                self.misfit(&path, None, format!("it is of step {step}, {at}, and its name says another"));
            }
            keys.extend(key);
            match replayed {
                Ok(found) => {
                    self.replayed(&path, item, &found, files);
                    if let (Some(By::Content), None, Some(finished)) =
                        (found.by, &found.rehearsed, &found.finished)
                    {
                        self.in_documents(replay, &place, finished);
                    }
                }
                Err(Unread::Repo(error @ repo::Error::Git(_))) => return Err(error),
                Err(unread) => self.misfit(&path, None, format!("it cannot be run again: {unread}")),
            }
        }
        Ok(keys)
    }

    /// Whether every marker of an analysis has the log of its step, and every log can be read.
    fn steps(
        &mut self,
        replay: &Replay,
        commit: Oid,
        item: &Item,
        files: &[(&str, &str, Vec<Trace>)],
    ) -> Result<(), repo::Error> {
        let is_log = |name: &&String| name.starts_with("analysis/") && name.ends_with(".jsonl");
        let logs: Vec<&String> = item.files.keys().filter(is_log).collect();
        for name in &logs {
            self.logs += 1;
            let path = format!("{}/{name}", item.path);
            let bytes = replay.repo().file(commit, &path)?.unwrap_or_default();
            let lines = String::from_utf8_lossy(&bytes);
            let wrong = (1..).zip(lines.lines()).find_map(|(line, text)| {
                Some((line, crate::analysis::event::Record::from_line(text).err()?))
            });
            if let Some((line, error)) = wrong {
                self.misfit(&path, Some(line), format!("this is no event of a step's log: {error}"));
            }
        }
        for (name, text, _) in files {
            let marked = (1..).zip(text.lines()).filter_map(|(line, text)| Some((line, marker(text)?)));
            for (line, (step, at)) in marked {
                self.markers += 1;
                let stem = format!("analysis/{step}-{}", at.digits());
                if !logs.iter().any(|log| log.starts_with(&stem)) {
                    let step = crate::plain::shown(step);
                    let missing = format!("the marker of step {step}, {at}, has no log in analysis/");
                    self.misfit(&format!("{}/{name}", item.path), Some(line), missing);
                }
            }
        }
        Ok(())
    }

    /// Whether what a recording added is in today's documents, where the documents of then are not here.
    fn in_documents(&mut self, replay: &Replay, place: &Place, finished: &Finished) {
        match replay.missing(place, finished) {
            Ok(None) => {}
            Ok(Some(missing)) => {
                let (step, at) = (crate::plain::shown(&finished.opened.step.id), finished.at);
                let what = format!("the addition of step {step}, {at}, is not as it was recorded");
                self.misfit(&missing.what, None, what);
            }
            Err(unread) => self.misfit(&place.path, None, format!("it cannot be run again: {unread}")),
        }
    }

    fn replayed(&mut self, path: &str, item: &Item, found: &Replayed, files: &[(&str, &str, Vec<Trace>)]) {
        if let Some(by) = found.by {
            self.proofs[by as usize] += 1;
        }
        if let Some(other) = &found.divergence {
            let what = match other.event {
                Some(_) => {
                    format!("it is not reproduced: expected {}, found {}", other.expected, other.found)
                }
                None => format!("it is not reproduced: {} comes out differently", other.what),
            };
            self.misfit(path, other.event, what);
        }
        if found.paused.is_some() && found.divergence.is_none() {
            self.notes.push(format!("{path} is open: its discussion waits for the user"));
        }
        let (Some(finished), Some(rehearsed)) = (&found.finished, &found.rehearsed) else { return };
        let wanted = (finished.opened.step.id.clone(), finished.at);
        for change in rehearsed.additive.changes() {
            let Some(name) = change.path.strip_prefix(&format!("{}/", item.path)) else { continue };
            let Ok(then) = std::str::from_utf8(&change.after) else { continue };
            let Some(came) = trace::traces(name, then).into_iter().rfind(|trace| key(trace) == wanted) else {
                continue;
            };
            let what = if name == meta::FILE { "record" } else { "addition" };
            let now = files.iter().find(|(other, ..)| *other == name);
            let stands: Vec<&Trace> = now
                .into_iter()
                .flat_map(|(.., traces)| traces)
                .filter(|trace| key(trace) == wanted)
                .collect();
            let (step, at) = &wanted;
            match (now, stands.first()) {
                (Some((_, text, _)), Some(first)) => {
                    if !stands.iter().any(|trace| trace::kept(name, then, &came, text, trace)) {
                        let changed = format!("the {what} of step {step}, {at}, is not as it was recorded");
                        self.misfit(&change.path, Some(first.line), changed);
                    }
                }
                _ => self.misfit(&change.path, None, format!("the {what} of step {step}, {at}, is gone")),
            }
        }
    }
}

/// Step and closing time of a recording, read without judging the way there.
fn identity(bytes: &[u8]) -> Option<Key> {
    let log = from_lines("", std::str::from_utf8(bytes).ok()?).ok()?;
    let Event::Opened(opened) = &log.first()?.event else { return None };
    Some((opened.step.id.clone(), open::moment(&log)?))
}
