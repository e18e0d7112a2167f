//! Today's documents against what recordings added to them.
//!
//! A replayed run says which lines it added to which document. Their [units] must still be in that document at the
//! revision that is asked about, wherever they are now. What is missing is compared with the document by the gate's
//! own comparison, so a loss is told as `check` tells it: the old text beside the new. A loss that a file below
//! `.roundtable/losses` names is declared.
//!
//! What an analysis wrote is told by the commit that brought the log of its step: all lines that this commit added,
//! where it is the step's own, else those that the log explains.
//!
//! Invariant: a document is compared only where something of a recording is missing in it, and then once for all
//! recordings that the latest of them builds on. So the work grows with the recordings, not with their pairs. What was
//! added to a draft that is a draft today may be rewritten: it is not compared, and its recording is named.
//!
//! ```no_run
//! use roundtable::additive::policy::Policy;
//! use roundtable::replay::today::Today;
//! use roundtable::replay::{Replay, Unread};
//! use roundtable::run::played::{CommittedPath, Recording};
//!
//! fn is_there(replay: &Replay, policy: Policy, place: CommittedPath, bytes: Vec<u8>) -> Result<bool, Unread> {
//!     let recording = Recording { name: place.path.clone(), bytes, place: Some(place.clone()) };
//!     let found = replay.run(&recording, None)?;
//!     let mut today = Today::new(replay, place.commit, policy, &[]);
//!     today.hold(replay.parts(&place, &found, &today.policy)?);
//!     Ok(today.losses()?.is_empty())
//! }
//! ```
//!
//! [units]: crate::additive::content::units

use std::collections::{BTreeMap, BTreeSet, HashMap};

use git2::Oid;

use super::rewritten::{item_folder, moment};
use super::{Replay, Replayed, Unread, output_files};
use crate::additive::content::units::{self, Key};
use crate::additive::declared::{Declaration, DeclaredTexts};
use crate::additive::policy::Policy;
use crate::additive::{Declared, Finding, Freedom, Kind, Rule};
use crate::analysis::provenance::{Log, marker, origin};
use crate::discussion::Finished;
use crate::discussion::event::Opened;
use crate::git::{self, Introduction, trailers};
use crate::history::trace;
use crate::item::{File, is_document, meta};
use crate::run::played::{CommittedPath, Recording};
use crate::synthesis::typed;
use crate::text::path;

/// What is wrong with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A kind of loss, as the gate names it.
    Loss(Kind),
    /// A record, a marker or a recording without its counterpart.
    Alone,
    /// A recording with the name of another one.
    Misnamed,
}

impl Wrong {
    pub const fn name(self) -> &'static str {
        match self {
            Wrong::Loss(kind) => kind.name(),
            Wrong::Alone => "alone",
            Wrong::Misnamed => "misnamed",
        }
    }
}

/// Something that was recorded, and is not in today's documents as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The document.
    pub path: String,
    /// Its line, where something is there.
    pub line: Option<usize>,
    /// What was recorded.
    pub old: String,
    /// What is there now.
    pub new: Option<String>,
    pub kind: Wrong,
    pub message: String,
    /// The recording, or the log of the step.
    pub recording: Option<String>,
    /// The commit that brought it, where that is known.
    pub commit: Option<Oid>,
    /// Its line in the document as it was recorded.
    pub recorded_line: usize,
    pub declared: Option<Declared>,
}

impl Lost {
    /// Something without its counterpart, or with a wrong name.
    pub fn of_place(path: &str, line: Option<usize>, kind: Wrong, message: String) -> Lost {
        let path = crate::text::plain::shown(path);
        let (old, new, recording, commit, declared) = (String::new(), None, None, None, None);
        Lost { path, line, old, new, kind, message, recording, commit, recorded_line: 0, declared }
    }
}

/// What one recording added to one document.
pub struct Part {
    /// The document's path today.
    path: String,
    /// Its path when it was recorded.
    recorded: String,
    source: Source,
    keys: Vec<Key>,
    /// The document's life cycle left it free when it was recorded.
    was_draft: bool,
}

/// Where the text of then can be had from.
#[derive(Clone)]
enum Source {
    /// A recording, by its path, and the commit that carries it.
    Recording(String, Option<Oid>),
    /// The log of a step, and the commit that brought it.
    Log(String, Oid),
}

impl Source {
    fn name(&self) -> &str {
        match self {
            Source::Recording(path, _) | Source::Log(path, _) => path,
        }
    }

    fn commit(&self) -> Option<Oid> {
        match self {
            Source::Recording(_, commit) => *commit,
            Source::Log(_, commit) => Some(*commit),
        }
    }
}

/// A document as a recording left it.
struct Written {
    path: String,
    recorded: String,
    text: Vec<u8>,
    /// The numbers of the lines that it added, rising.
    lines: Vec<usize>,
}

/// The recordings of a revision against its documents.
pub struct Today<'r> {
    replay: &'r Replay,
    commit: Oid,
    pub policy: Policy,
    declared: DeclaredTexts,
    documents: BTreeMap<String, Vec<Part>>,
    /// The recordings of which a document was a draft, and still may be rewritten.
    pub uncompared: BTreeSet<String>,
}

impl<'r> Today<'r> {
    pub fn new(replay: &'r Replay, commit: Oid, policy: Policy, declarations: &[Declaration]) -> Today<'r> {
        let declared = DeclaredTexts::of(declarations);
        Today { replay, commit, policy, declared, documents: BTreeMap::new(), uncompared: BTreeSet::new() }
    }

    /// Takes what a recording added.
    pub fn hold(&mut self, parts: Vec<Part>) {
        for part in parts {
            self.documents.entry(part.path.clone()).or_default().push(part);
        }
    }

    /// What of it is not in today's documents.
    ///
    /// # Errors
    /// A repository that cannot be read.
    pub fn losses(&mut self) -> Result<Vec<Lost>, Unread> {
        let mut all = Vec::new();
        for (path, parts) in std::mem::take(&mut self.documents) {
            all.extend(self.in_document(&path, parts)?);
        }
        Ok(all)
    }

    fn in_document(&mut self, path: &str, mut parts: Vec<Part>) -> Result<Vec<Lost>, Unread> {
        let now = self.replay.file_at(self.commit, path)?;
        if now.as_ref().is_none_or(|now| is_draft(&self.policy, path, now)) {
            let drafts = parts.extract_if(.., |part| part.was_draft);
            self.uncompared.extend(drafts.map(|part| part.source.name().to_owned()));
        }
        parts.sort_by(|a, b| moment(b.source.name()).cmp(moment(a.source.name())));
        let Some(latest) = parts.first() else { return Ok(Vec::new()) };
        let Some(now) = now else {
            let message = "the document is not there any more".to_owned();
            return Ok(vec![self.of_file(path, latest, Kind::PathLost, message)]);
        };
        let Some(have) = units::counts(path, &now) else {
            let message = "the document cannot be read any more".to_owned();
            return Ok(vec![self.of_file(path, latest, Kind::Unparsable, message)]);
        };
        let mut need: BTreeMap<Key, usize> = BTreeMap::new();
        for key in parts.iter().flat_map(|part| &part.keys) {
            *need.entry(*key).or_default() += 1;
        }
        let is_missing = |(key, count): (&Key, &usize)| have.get(key).is_none_or(|here| here < count);
        let missing: BTreeSet<Key> =
            need.iter().filter(|one| is_missing(*one)).map(|(key, _)| *key).collect();
        self.compare(path, &parts, &now, missing)
    }

    /// Compares the document with what the recordings left that something is missing of, the latest first. What
    /// one of these texts has is judged with it.
    fn compare(
        &self,
        path: &str,
        parts: &[Part],
        now: &[u8],
        missing: BTreeSet<Key>,
    ) -> Result<Vec<Lost>, Unread> {
        let mut owners: HashMap<Key, &Part> = HashMap::new();
        for part in parts {
            for key in part.keys.iter().filter(|key| missing.contains(key)) {
                owners.entry(*key).or_insert(part);
            }
        }
        let (mut open, mut all) = (missing, Vec::new());
        for part in parts {
            if !part.keys.iter().any(|key| open.contains(key)) {
                continue;
            }
            let Some(then) = self.replay.text_of(self.commit, part)? else { continue };
            let of = |text| freedom(&self.policy, path, text);
            let freedom = of(&then).or_else(|| of(now)).unwrap_or_default();
            let Some(judged) = units::counts(path, &then) else { continue };
            // One recording after the other, so that each loss names its own.
            let mut by_owner: BTreeMap<&str, (&Source, BTreeSet<Key>)> = BTreeMap::new();
            for key in open.iter().filter(|key| judged.contains_key(key)) {
                let owner = owners.get(key).map_or(&part.source, |owner| &owner.source);
                by_owner.entry(owner.name()).or_insert_with(|| (owner, BTreeSet::new())).1.insert(*key);
            }
            for (owner, keys) in by_owner.into_values() {
                let found = units::losses(path, &freedom, &then, now, &keys).unwrap_or_default();
                all.extend(found.into_iter().map(|finding| self.lost(path, part, owner, finding)));
                open.retain(|key| !keys.contains(key));
            }
        }
        Ok(all)
    }

    fn lost(&self, path: &str, part: &Part, owner: &Source, finding: Finding) -> Lost {
        let declared =
            [path, part.recorded.as_str()].iter().find_map(|path| self.declared.find(path, &finding));
        Lost {
            path: crate::text::plain::shown(path),
            line: finding.head_line,
            old: finding.old,
            new: finding.new,
            kind: Wrong::Loss(finding.kind),
            message: finding.message,
            recording: Some(owner.name().to_owned()),
            commit: owner.commit(),
            recorded_line: finding.line,
            declared,
        }
    }

    /// A loss of the whole document.
    fn of_file(&self, path: &str, latest: &Part, kind: Kind, message: String) -> Lost {
        let mut finding = Finding::new(kind, 1, message);
        finding.is_of_file = true;
        self.lost(path, latest, &latest.source, finding)
    }
}

/// What of a document may change all the same; none where a life cycle says that all of it may.
fn freedom(policy: &Policy, path: &str, text: &[u8]) -> Option<Freedom> {
    let entries = policy.applying(path.as_bytes(), None, &mut Vec::new);
    let entry = entries.into_iter().max_by_key(|entry| entry.rule())?;
    // What a file beside said then is not known: then every rule holds.
    let demand = entry.demand(text, &|_| None);
    (demand.rule != Rule::None || entry.rule() == Rule::None).then_some(demand.freedom)
}

/// Whether a life cycle says that a document, as it was then, may be rewritten.
fn is_draft(policy: &Policy, path: &str, text: &[u8]) -> bool {
    let entries = policy.applying(path.as_bytes(), None, &mut Vec::new);
    !entries.is_empty() && freedom(policy, path, text).is_none()
}

/// The lines of a text that are not in the one before it, rising.
fn added_lines(before: &[u8], after: &[u8]) -> Vec<usize> {
    let lines = |text| -> Vec<&[u8]> { <[u8]>::split(text, |byte| *byte == b'\n').collect() };
    let (old, new) = (lines(before), lines(after));
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let left = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(a, b)| a == b).count();
    let mut kept = old[start..old.len() - end].iter().peekable();
    let middle = (start + 1..).zip(&new[start..new.len() - end]);
    middle.filter(|(_, line)| kept.next_if(|old| old == line).is_none()).map(|(number, _)| number).collect()
}

/// A path below an item's folder of then, below its folder of today.
fn moved(path: &str, then: &str, now: &str) -> String {
    match path.strip_prefix(then).and_then(|name| name.strip_prefix('/')) {
        Some(name) => format!("{now}/{name}"),
        None => path.to_owned(),
    }
}

impl Replay {
    /// What a replayed recording added to documents. One that does not replay added nothing that can be told.
    ///
    /// # Errors
    /// A repository that cannot be read.
    pub fn parts(
        &self,
        place: &CommittedPath,
        found: &Replayed,
        policy: &Policy,
    ) -> Result<Vec<Part>, Unread> {
        let source = Source::Recording(place.path.clone(), found.commit.filter(|_| found.is_committed));
        let written = self.written(place, found)?;
        Ok(written.into_iter().filter_map(|one| part(one, &source, policy)).collect())
    }

    fn written(&self, place: &CommittedPath, found: &Replayed) -> Result<Vec<Written>, Unread> {
        let (Some(finished), None) = (&found.finished, &found.divergence) else { return Ok(Vec::new()) };
        let Some(folder) = item_folder(&place.path) else { return Ok(Vec::new()) };
        let Some(rehearsed) = &found.rehearsed else {
            return self.written_elsewhere(place, finished, folder);
        };
        let own = format!("{}/elaborations/", finished.opened.item);
        let changes = rehearsed.additive.changes().iter().filter(|change| !change.path.starts_with(&own));
        let beside = self.document_beside(place.commit, folder, &finished.opened)?;
        Ok(changes
            .map(|change| Written {
                path: match &beside {
                    Some((then, now)) if *then == change.path => now.clone(),
                    _ => moved(&change.path, &finished.opened.item, folder),
                },
                recorded: change.path.clone(),
                lines: added_lines(change.before.as_deref().unwrap_or_default(), &change.after),
                text: change.after.clone(),
            })
            .collect())
    }

    /// The document beside the item's folder: its path when it was recorded, and that of today.
    fn document_beside(
        &self,
        commit: Oid,
        folder: &str,
        opened: &Opened,
    ) -> Result<Option<(String, String)>, Unread> {
        let Some(then) = &opened.document else { return Ok(None) };
        let file = format!("{folder}/{}", meta::FILE);
        let bytes = self.file_at(commit, &file)?.unwrap_or_default();
        let read = meta::Meta::read(&file, &bytes);
        let now = read.ok().and_then(|meta| meta.document().map(str::to_owned));
        Ok(now.map(|now| (path::beside(&opened.item, then), path::beside(folder, &now))))
    }

    /// The base is not here: the lines below the discussion's marker, as the commit that brought it has them.
    fn written_elsewhere(
        &self,
        place: &CommittedPath,
        finished: &Finished,
        folder: &str,
    ) -> Result<Vec<Written>, Unread> {
        let Some(brought) = self.brought(place)? else { return Ok(Vec::new()) };
        let then = item_folder(&brought.path).unwrap_or_default().to_owned();
        let additions = typed::files(&finished.opened.item, &finished.summary.additions);
        let mut names = [output_files(&finished.opened), additions, vec![meta::FILE.to_owned()]].concat();
        names.sort_unstable();
        names.dedup();
        let mut all = Vec::new();
        for name in names {
            let recorded = self.path_at(brought.commit, &then, &name)?;
            let Some(text) = self.file_at(brought.commit, &recorded)? else { continue };
            let traces =
                std::str::from_utf8(&text).map(|text| trace::traces(&name, text)).unwrap_or_default();
            let own = |one: &&trace::Trace| one.step_id == finished.opened.step.id && one.at == finished.at;
            let lines = traces.iter().filter(own).flat_map(|one| one.line..=one.end).collect();
            let path = self.path_at(place.commit, folder, &name)?;
            all.push(Written { path, recorded, text, lines });
        }
        Ok(all)
    }

    /// The document of a part, as its recording left it.
    fn text_of(&self, commit: Oid, part: &Part) -> Result<Option<Vec<u8>>, Unread> {
        match &part.source {
            Source::Log(_, brought) => Ok(self.file_at(*brought, &part.recorded)?),
            Source::Recording(path, _) => {
                let place = CommittedPath { commit, path: path.clone() };
                let bytes = self.file_at(commit, path)?.unwrap_or_default();
                let recording = Recording { name: path.clone(), bytes, place: Some(place.clone()) };
                let written = self.written(&place, &self.run(&recording, None)?)?;
                Ok(written.into_iter().find(|one| one.path == part.path).map(|one| one.text))
            }
        }
    }

    /// What the steps of an item's analysis added to its documents.
    ///
    /// # Errors
    /// A repository that cannot be read.
    pub fn analysis_parts(
        &self,
        commit: Oid,
        items: &[String],
        policy: &Policy,
    ) -> Result<Vec<Part>, Unread> {
        let mut wanted = Vec::new();
        for item in items {
            let logs = self.repo.logs(commit, item)?;
            let logs = logs.into_iter().filter(|(name, _)| name.starts_with("analysis/"));
            wanted.extend(logs.map(|(name, blob)| (format!("{item}/{name}"), blob)));
        }
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let brought = self.repo.introductions(commit, &wanted)?;
        let mut groups: BTreeMap<(Oid, &str), Vec<(&str, &Introduction)>> = BTreeMap::new();
        for (path, one) in &brought {
            let item = analysis_folder(path).unwrap_or_default();
            groups.entry((one.commit, item)).or_default().push((path, one));
        }
        let mut all = Vec::new();
        for ((_, item), logs) in groups {
            all.extend(self.parts_of_steps(item, &logs, policy)?);
        }
        Ok(all)
    }

    /// The log that a commit brought, where its trailers say that the commit is this step's and nobody else's.
    fn own_log<'l>(&self, commit: Oid, logs: &[(&'l str, &Introduction)]) -> Result<Option<&'l str>, Unread> {
        let [(log, one)] = logs else { return Ok(None) };
        let trailers = trailers(&self.repo.message_of(commit)?);
        let is_own = |name: &str| {
            let step = trailers.get("Step").filter(|step| name.starts_with(&format!("{step}-")));
            step.is_some()
                && trailers.get("Item").is_some_and(|item| one.path.starts_with(&format!("{item}/")))
        };
        Ok(one.path.rsplit('/').next().filter(|name| is_own(name)).map(|_| *log))
    }

    /// What the steps added whose logs one commit brought.
    fn parts_of_steps(
        &self,
        item: &str,
        logs: &[(&str, &Introduction)],
        policy: &Policy,
    ) -> Result<Vec<Part>, Unread> {
        let Some((_, brought)) = logs.first() else { return Ok(Vec::new()) };
        let folder = analysis_folder(&brought.path).unwrap_or_default();
        let mut read = Vec::new();
        for (path, one) in logs {
            let bytes = self.file_at(one.commit, &one.path)?.unwrap_or_default();
            read.push(Log::read(path, &String::from_utf8_lossy(&bytes)));
        }
        let Ok(then) = self.repo.item(brought.commit, folder) else { return Ok(Vec::new()) };
        let own = self.own_log(brought.commit, logs)?;
        let mut all = Vec::new();
        for (name, file) in &then.files {
            let is_log = name.starts_with("analysis/") || name == meta::FILE;
            let File::Bytes(text) = file else { continue };
            if is_log || !is_document(name) {
                continue;
            }
            let recorded = match &then.beside {
                Some(document) if document == name => path::beside(folder, name),
                _ => format!("{folder}/{name}"),
            };
            let before = match brought.parent {
                Some(parent) => self.file_at(parent, &recorded)?,
                None => None,
            };
            let lines = added_lines(before.as_deref().unwrap_or_default(), text);
            let by_log = match own {
                Some(log) => BTreeMap::from([(log, lines)]),
                None => explained_lines(&lines, text, &read),
            };
            for (log, lines) in by_log {
                let (path, recorded) = (moved(&recorded, folder, item), recorded.clone());
                let written = Written { path, recorded, text: text.clone(), lines };
                all.extend(part(written, &Source::Log(log.to_owned(), brought.commit), policy));
            }
        }
        Ok(all)
    }
}

/// The folder of the item that a step's log is in.
fn analysis_folder(path: &str) -> Option<&str> {
    path.rsplit_once('/')?.0.strip_suffix("/analysis")
}

/// The lines that are words of a log, or the marker of its step, by that log: whatever else came in the same commit is
/// somebody else's.
fn explained_lines<'l>(lines: &[usize], text: &[u8], logs: &'l [Log]) -> BTreeMap<&'l str, Vec<usize>> {
    let text = String::from_utf8_lossy(text);
    let all: Vec<&str> = text.split('\n').collect();
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for number in lines {
        let Some(line) = all.get(number - 1) else { continue };
        let marked = marker(line).and_then(|(step, at)| {
            let name = format!("/analysis/{step}-{}", at.digits());
            logs.iter().find(|log| log.path.contains(&name)).map(|log| log.path.as_str())
        });
        if let Some(log) = marked.or_else(|| origin(line, None, logs).map(|origin| origin.log)) {
            found.entry(log).or_default().push(*number);
        }
    }
    found
}

/// What a recording added to a document, as units; none where that is nothing.
fn part(written: Written, source: &Source, policy: &Policy) -> Option<Part> {
    let Written { path, recorded, text, lines } = written;
    if lines.is_empty() {
        return None;
    }
    let was_draft = is_draft(policy, &path, &text);
    let freedom = freedom(policy, &path, &text).unwrap_or_default();
    let keys = units::keys(&path, &freedom, &text, &|line| lines.binary_search(&line).is_ok())?;
    (!keys.is_empty()).then(|| Part { path, recorded, source: source.clone(), keys, was_draft })
}

/// What of an item's records, markers, recordings and logs has no counterpart, and how many recordings and logs it
/// has.
///
/// # Errors
/// A repository that cannot be read; an item that cannot be is told as one of them.
pub fn alone(replay: &Replay, commit: Oid, path: &str) -> Result<(Vec<Lost>, [usize; 2]), git::Error> {
    let mut all = Vec::new();
    let item = match replay.repo().item(commit, path) {
        Ok(item) => item,
        Err(error @ git::Error::Git(_)) => return Err(error),
        Err(error) => {
            let at = format!("{path}/{}", meta::FILE);
            let wrong = Wrong::Loss(Kind::Unparsable);
            return Ok((vec![Lost::of_place(&at, None, wrong, error.to_string())], [1, 0]));
        }
    };
    let has_recording = |one: &trace::Trace| {
        let stem = format!("{}-{}", one.step_id, one.at.digits());
        item.recordings.iter().any(|name| name.starts_with(&stem))
    };
    let is_log = |name: &&String| name.starts_with("analysis/") && name.ends_with(".jsonl");
    let logs: Vec<&String> = item.files.keys().filter(is_log).collect();
    let mut records = 0;
    for (name, file) in &item.files {
        let File::Bytes(bytes) = file else { continue };
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        let at = format!("{path}/{name}");
        let what = if name == meta::FILE { "record" } else { "marker" };
        let traces = trace::traces(name, text);
        records += if name == meta::FILE { traces.len() } else { 0 };
        for one in traces.iter().filter(|one| !has_recording(one)) {
            let step = crate::text::plain::shown(&one.step_id);
            let message =
                format!("the {what} of the discussion of step {step}, {}, has no recording", one.at);
            all.push(Lost::of_place(&at, Some(one.line), Wrong::Alone, message));
        }
        for (line, (step, time)) in (1..).zip(text.lines()).filter_map(|(n, line)| Some((n, marker(line)?))) {
            let stem = format!("analysis/{step}-{}", time.digits());
            if !logs.iter().any(|log| log.starts_with(&stem)) {
                let step = crate::text::plain::shown(step);
                let message = format!("the marker of the analysis of step {step}, {time}, has no log");
                all.push(Lost::of_place(&at, Some(line), Wrong::Alone, message));
            }
        }
    }
    let told = item.meta.elaborations().len();
    if records < told {
        let message = format!("{} of {told} records name no step or no time", told - records);
        all.push(Lost::of_place(&format!("{path}/{}", meta::FILE), None, Wrong::Alone, message));
    }
    for name in &logs {
        all.extend(unreadable_log(replay, commit, &format!("{path}/{name}"))?);
    }
    Ok((all, [item.recordings.len(), logs.len()]))
}

/// The first line of a step's log that is no event.
fn unreadable_log(replay: &Replay, commit: Oid, path: &str) -> Result<Option<Lost>, git::Error> {
    let bytes = replay.file_at(commit, path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let read = crate::analysis::event::Record::from_line;
    let wrong = (1..).zip(text.lines()).find_map(|(line, text)| Some((line, read(text).err()?)));
    Ok(wrong.map(|(line, error)| {
        let message = format!("this is not an event of a step's log: {error}");
        Lost::of_place(path, Some(line), Wrong::Loss(Kind::Unparsable), message)
    }))
}

/// An item that has recordings and no meta.json any more.
pub fn without_meta(path: &str) -> Lost {
    let message = "the item's meta.json is not there any more, and its recordings are".to_owned();
    Lost::of_place(&format!("{path}/{}", meta::FILE), None, Wrong::Loss(Kind::PathLost), message)
}

/// What is wrong with the name of a recording, if anything is.
pub fn misnamed(path: &str, finished: &Finished) -> Option<Lost> {
    let (step, at) = (&finished.opened.step.id, finished.at);
    let name = path.rsplit('/').next().unwrap_or_default();
    let message = format!(
        "it is the recording of step {}, {at}, and its name says another",
        crate::text::plain::shown(step)
    );
    let is_own = name.starts_with(&format!("{step}-{}", at.digits()));
    (!is_own).then(|| Lost::of_place(path, None, Wrong::Misnamed, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_are_told_by_their_numbers() {
        for (before, after, wanted) in [
            ("", "a\nb\n", vec![1, 2]),
            ("a\nb\n", "a\nx\nb\ny\n", vec![2, 4]),
            ("a\n", "a\n", vec![]),
            ("a\n\n## B\n", "a\n\n## X\n\nt\n\n## B\n", vec![3, 4, 5, 6]),
        ] {
            assert_eq!(added_lines(before.as_bytes(), after.as_bytes()), wanted, "{after:?}");
        }
    }

    #[test]
    fn paths_follow_their_item() {
        assert_eq!(moved("docs/a/spec.md", "docs/a", "specs/b"), "specs/b/spec.md");
        assert_eq!(moved("docs/ab/spec.md", "docs/a", "specs/b"), "docs/ab/spec.md");
    }
}
