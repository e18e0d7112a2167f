//! Recordings in a history that was rewritten: squashed, rebased, picked, cut off, or moved to another folder.
//!
//! The commit that a recording comes to is not there; its item's files may be. The commit that brought the
//! recording is looked up, wherever the item's folder was then, and its recordings are taken off one by one,
//! the last first: what each was added to is found by the blob ids that it says it read, in the repository or
//! by removing its addition, and what it makes of that must be the bytes that are there (by content).
//! Where that chain breaks, what a recording renders must be in today's documents letter by letter (by text).
//!
//! Invariant: nothing is proved by what could be somebody's edit: once a file is not what a recording makes
//! of it, nothing that was written into it earlier is proved by content.
//!
//! ```
//! use roundtable::replay::{By, Replay, Unread};
//! use roundtable::run::played::Recording;
//!
//! fn survives(replay: &Replay, recording: &Recording) -> Result<bool, Unread> {
//!     Ok(matches!(replay.run(recording, None)?.by, Some(By::Content | By::Text)))
//! }
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock};

use git2::{ObjectType, Oid};

use super::{By, Divergence, End, Read, Replay, Replayed, Unread, file_differs, not_placed, output_files};
use crate::discussion::additions::{Addition as Proposed, Kind};
use crate::discussion::event::{Opened, Time};
use crate::discussion::{Finished, closing};
use crate::git::Introduction;
use crate::git::{self, AtPath, short};
use crate::history::trace;
use crate::item::library::{Library, sha256};
use crate::item::{Change, DRAFT, File, Item, Meta, meta};
use crate::run::landing;
use crate::run::played::{CommittedPath, Recording};
use crate::synthesis::{self, known, lists, records, removal, typed};
use crate::text::path::suffix;
use crate::text::{path, plain};

/// What a rewritten history says of a recording.
pub(super) enum Proof {
    /// How it is proved, and the commit that carries it.
    By(By, Option<Oid>),
    Not(Divergence),
}

/// The recordings of one item that one commit brought, each with whether its files are the same bytes.
type Group = BTreeMap<String, Option<Divergence>>;
/// Where recordings came from, by their path at the tip.
type Index = BTreeMap<String, Introduction>;

/// Values by a commit and an item's folder, each made once.
type Cells<V> = Mutex<HashMap<(Oid, String), Arc<OnceLock<V>>>>;

/// What is asked for once, by the thread that comes first.
#[derive(Default)]
pub(super) struct Groups {
    indexes: Cells<Index>,
    groups: Cells<Group>,
}

/// How many recordings are tried before a chain of additions counts as broken: two discussions may have
/// run at the same time.
const TRIES: usize = 4;

/// A recording of a group, as far as its place in the order needs it.
struct Member {
    blob: Oid,
    path: String,
    ended: Time,
}

/// A file's bytes; none where it does not exist.
type Bytes = Option<Vec<u8>>;

/// The item's files at one moment, by their name below its folder, as far as they were asked for.
struct Files<'r> {
    replay: &'r Replay,
    commit: Oid,
    item: String,
    known: BTreeMap<String, Bytes>,
    /// Somebody else has written in them since.
    is_broken: bool,
}

impl Files<'_> {
    fn get(&mut self, name: &str) -> Result<Bytes, git::Error> {
        if let Some(bytes) = self.known.get(name) {
            return Ok(bytes.clone());
        }
        let path = self.replay.path_at(self.commit, &self.item, name)?;
        let bytes = self.replay.file_at(self.commit, &path)?;
        self.known.insert(name.to_owned(), bytes.clone());
        Ok(bytes)
    }

    /// The name of a document that lies beside the item's folder, where it does.
    fn beside(&self, document: Option<&str>) -> Result<Option<String>, git::Error> {
        let Some(name) = document else { return Ok(None) };
        let path = self.replay.path_at(self.commit, &self.item, name)?;
        Ok((path == path::beside(&self.item, name)).then(|| name.to_owned()))
    }

    /// Puts the files back to what a recording read, if they are what it makes of that; else what differs.
    fn take_off(&mut self, recording: &Recording, made: Made) -> Result<Option<Divergence>, Unread> {
        let name = recording.name.rsplit('/').next().unwrap_or_default();
        let mut earlier = Vec::new();
        for change in made.changes {
            let is_beside = |name: &&str| change.path == path::beside(&made.item, name);
            let file = match made.beside.as_deref().filter(is_beside) {
                Some(name) => name,
                None => change.path.strip_prefix(&format!("{}/", made.item)).unwrap_or_default(),
            };
            let found = match file.strip_prefix("elaborations/") {
                Some(own) if own == name => Some(recording.bytes.clone()),
                Some(_) => None,
                None => self.get(file)?,
            };
            if found.as_deref() != Some(&change.after) {
                let path = format!("{}/{file}", self.item);
                return Ok(Some(file_differs(&path, &change.after, found.as_deref())));
            }
            if !file.starts_with("elaborations/") {
                earlier.push((file.to_owned(), made.before.get(file).cloned().unwrap_or(change.before)));
            }
        }
        self.known.extend(earlier);
        Ok(None)
    }
}

/// What a recording makes of its item's files.
struct Made {
    /// The item's path in the recording.
    item: String,
    /// The document that lies beside its folder.
    beside: Option<String>,
    changes: Vec<Change>,
    /// The files that it read and may have written in.
    before: BTreeMap<String, Bytes>,
}

impl Made {
    fn nothing(item: String) -> Made {
        Made { item, beside: None, changes: Vec::new(), before: BTreeMap::new() }
    }
}

/// A recording whose files of then cannot be told.
fn unproved(found: &str) -> Divergence {
    let (what, expected) = ("earlier text".to_owned(), "the files that it read".to_owned());
    Divergence { event: None, what, expected, found: found.to_owned() }
}

/// The folder of the item that a recording is in.
pub(super) fn item_folder(path: &str) -> Option<&str> {
    path.rsplit_once('/')?.0.strip_suffix("/elaborations")
}

/// What a document should hold and does not.
fn not_in(path: &str, expected: String, found: &str) -> Divergence {
    Divergence { event: None, what: path.to_owned(), expected, found: found.to_owned() }
}

/// Whether files of this kind take additions.
fn takes_additions(name: &str) -> bool {
    matches!(suffix(name).as_str(), "md" | "markdown" | "json" | "yaml" | "yml" | "csv")
}

fn blob_id(bytes: &[u8]) -> Result<Oid, git::Error> {
    Ok(Oid::hash_object(ObjectType::Blob, bytes)?)
}

impl Replay {
    /// What the history that carries a recording says of it.
    pub(super) fn prove(
        &self,
        recording: &Recording,
        place: &CommittedPath,
        end: &End,
        library: &Library,
    ) -> Result<Proof, Unread> {
        let brought = self.brought(place)?;
        if let Some(divergence) = self.denied_by_branch(recording, place, end)? {
            return Ok(Proof::Not(divergence));
        }
        let mut differs = None;
        if let Some(brought) = &brought {
            if let Some(divergence) = self.denied_by_trailer(brought, end, &recording.bytes)? {
                return Ok(Proof::Not(divergence));
            }
            match self.group(place, brought)?.get().and_then(|group| group.get(&brought.path)) {
                Some(None) => return Ok(Proof::By(By::Content, Some(brought.commit))),
                Some(Some(divergence)) => differs = Some(divergence.clone()),
                None => {}
            }
        }
        let commit = brought.as_ref().map(|brought| brought.commit);
        Ok(match (self.missing_text(place, end, library)?, differs) {
            (None, _) => Proof::By(By::Text, commit),
            // The whole file tells more, where it could be made.
            (Some(text), Some(content)) => {
                Proof::Not(if content.what.contains('/') && content.what == text.what {
                    content
                } else {
                    text
                })
            }
            (Some(text), None) => Proof::Not(text),
        })
    }

    /// Steps, personas and templates that a recording may have been made with: those of its base, else of the
    /// commits around the one that carries it; the first with the recorded digests.
    pub(super) fn fitting_library(&self, opened: &Opened, around: &[Oid]) -> Arc<Library> {
        let base = Oid::from_str(&opened.base).ok().filter(|base| self.repo.has(*base));
        let mut first = None;
        for commit in base.into_iter().chain(around.iter().copied()) {
            let Ok(library) = self.library(commit) else { continue };
            if library.step(&opened.step.id).is_ok_and(|step| *opened.digests == library.digests(step)) {
                return library;
            }
            first = first.or(Some(library));
        }
        first.unwrap_or_else(|| Arc::clone(&self.built_in))
    }

    /// The commits around the one that brought a recording to a place, where its rules may be.
    pub(super) fn around(&self, place: &CommittedPath) -> Result<Vec<Oid>, Unread> {
        let brought = self.brought(place)?;
        let found = brought.iter().flat_map(|brought| brought.parent.into_iter().chain([brought.commit]));
        Ok(found.chain([place.commit]).collect())
    }

    /// The commit that brought a recording to the history of a place.
    pub(super) fn brought(&self, place: &CommittedPath) -> Result<Option<Introduction>, Unread> {
        let folder = if self.history.is_some() { "" } else { item_folder(&place.path).unwrap_or_default() };
        let cell = self.index(place);
        if let Some(index) = cell.get() {
            return Ok(index.get(&place.path).cloned());
        }
        let mut wanted = Vec::new();
        let folders: Vec<String> = match folder {
            "" => {
                let config = self.repo.with_items(place.commit, self.config(place.commit)?)?;
                config.folders().iter().map(ToString::to_string).collect()
            }
            folder => vec![folder.to_owned()],
        };
        for folder in folders {
            self.repo.recordings(place.commit, &folder, &mut |_, path, blob| {
                wanted.push((path.to_owned(), blob));
                true
            })?;
        }
        let index = self.repo.introductions(place.commit, &wanted)?;
        Ok(cell.get_or_init(|| index).get(&place.path).cloned())
    }

    /// The paths of the recordings that a commit brought, as they are in that commit.
    fn brought_by(&self, place: &CommittedPath, commit: Oid) -> HashSet<String> {
        let cell = self.index(place);
        let all = cell.get().into_iter().flat_map(BTreeMap::values);
        all.filter(|brought| brought.commit == commit).map(|brought| brought.path.clone()).collect()
    }

    fn index(&self, place: &CommittedPath) -> Arc<OnceLock<Index>> {
        let folder = if self.history.is_some() { "" } else { item_folder(&place.path).unwrap_or_default() };
        cell(&self.groups.indexes, (place.commit, folder.to_owned()))
    }

    /// The recordings that came with one, each judged by the bytes of its files.
    fn group(&self, place: &CommittedPath, brought: &Introduction) -> Result<Arc<OnceLock<Group>>, Unread> {
        let item = item_folder(&brought.path).unwrap_or_default().to_owned();
        let cell = cell(&self.groups.groups, (brought.commit, item.clone()));
        if cell.get().is_none() {
            let group = self.judge(place, brought, item)?;
            cell.get_or_init(|| group);
        }
        Ok(cell)
    }

    fn judge(&self, place: &CommittedPath, brought: &Introduction, item: String) -> Result<Group, Unread> {
        let commit = brought.commit;
        let around: Vec<Oid> = brought.parent.into_iter().chain([commit]).collect();
        let mut left = self.members(place, commit, &item)?;
        let mut files = Files { replay: self, commit, item, known: BTreeMap::new(), is_broken: false };
        let mut group = Group::new();
        while !left.is_empty() {
            let last = left.len() - 1;
            let (mut proved, mut differs) = (None, None);
            for at in (0..=last).rev().take(TRIES) {
                match self.take_off(&left[at], &around, &mut files)? {
                    None => {
                        proved = Some(at);
                        break;
                    }
                    Some(divergence) => differs = differs.or(Some(divergence)),
                }
            }
            // Where none of them is what was written last, nothing before it can be told.
            files.is_broken |= proved.is_none();
            group.insert(left.remove(proved.unwrap_or(last)).path, differs.filter(|_| proved.is_none()));
        }
        Ok(group)
    }

    /// The recordings of an item that a commit brought, in the order in which they ended.
    fn members(&self, place: &CommittedPath, commit: Oid, item: &str) -> Result<Vec<Member>, Unread> {
        let mut found = Vec::new();
        self.repo.recordings(commit, item, &mut |of, path, blob| {
            if of == item {
                found.push((path.to_owned(), blob));
            }
            true
        })?;
        let ours = self.brought_by(place, commit);
        let mut members = Vec::new();
        for (path, blob) in found {
            if !ours.contains(&path) {
                continue;
            }
            let bytes = self.repo.bytes(blob)?;
            // The last line says when it ended; whatever else is wrong with it is found when it is run.
            let last = bytes.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
            let text = String::from_utf8_lossy(last);
            let at = text.split("\"at\":\"").nth(1).and_then(|rest| rest.split('"').next());
            if let Some(ended) = at.and_then(|at| Time::parse(at).ok()) {
                members.push(Member { blob, path, ended });
            }
        }
        members.sort_by(|a, b| (a.ended, &a.path).cmp(&(b.ended, &b.path)));
        Ok(members)
    }

    /// Whether the files are what a recording makes of the ones it read; if so, they become those.
    fn take_off(
        &self,
        member: &Member,
        around: &[Oid],
        files: &mut Files<'_>,
    ) -> Result<Option<Divergence>, Unread> {
        if files.is_broken {
            return Ok(Some(unproved("files that were edited after it, in the same commit")));
        }
        let bytes = self.repo.bytes(member.blob)?.to_vec();
        let recording = Recording { name: member.path.clone(), bytes, place: None };
        match self.made(&recording, around, files)? {
            Ok(made) => files.take_off(&recording, made),
            Err(divergence) => Ok(Some(divergence)),
        }
    }

    /// What a recording makes of the files that it read.
    fn made(
        &self,
        recording: &Recording,
        around: &[Oid],
        files: &mut Files<'_>,
    ) -> Result<Result<Made, Divergence>, Unread> {
        let Ok(read) = Read::of(recording) else { return Ok(Err(unproved("a recording that is damaged"))) };
        if read.other_form.is_some() {
            return Ok(Err(unproved("a recording in another form than ours")));
        }
        let library = self.fitting_library(&read.opened, around);
        let mut run = Replayed::new();
        let end = match run.step_of(&library, &read.opened) {
            Some(step) => run.fold(&library, step, read.log)?,
            None => None,
        };
        let differs = |run: Replayed| run.divergence.unwrap_or_else(|| unproved("another discussion"));
        let Some(end) = end else { return Ok(Err(differs(run))) };
        let item = read.opened.item.clone();
        let unread = || unproved("a meta.json that cannot be read");
        let finished = match end {
            End::Closed(finished) => finished,
            // It changes nothing but itself, and a new item begins with it.
            End::Open(paused) => {
                let Some(new) = &paused.opened.new_meta else { return Ok(Ok(Made::nothing(item))) };
                let Ok(begun) = Item::new(&item, new) else { return Ok(Err(unread())) };
                let changes = synthesis::pause(&begun, &paused).changes;
                return Ok(Ok(Made { changes, ..Made::nothing(item) }));
            }
        };
        let before = match self.before(&finished, &library, files)? {
            Ok(before) => before,
            Err(missing) => return Ok(Err(unproved(&missing))),
        };
        let Some(mut begun) = item_of(&read.opened, &recording.name, &before) else {
            return Ok(Err(unread()));
        };
        begun.beside = files.beside(read.opened.document.as_deref())?;
        if !run.is_named(&begun, &read.opened) {
            return Ok(Err(differs(run)));
        }
        Ok(match landing::place(&begun, &finished, &library) {
            Ok((_, additive)) => {
                Ok(Made { item, beside: begun.beside, changes: additive.changes().to_vec(), before })
            }
            Err(refused) => Err(not_placed(&refused)),
        })
    }

    /// The bytes of the files that a discussion read and may have written in, as it read them; else the one that
    /// cannot be found.
    fn before(
        &self,
        finished: &Finished,
        library: &Library,
        files: &mut Files<'_>,
    ) -> Result<Result<BTreeMap<String, Bytes>, String>, Unread> {
        let mut found = BTreeMap::new();
        let opened = &finished.opened;
        let additions = typed::files(&opened.item, &finished.summary.additions);
        for name in output_files(opened).into_iter().chain(additions).chain([meta::FILE.to_owned()]) {
            if found.contains_key(&name) {
                continue;
            }
            let Some(wanted) = opened.read.get(&name) else {
                found.insert(name, None);
                continue;
            };
            let bytes = match Oid::from_str(wanted) {
                Ok(wanted) => self.bytes_of(wanted, &name, finished, library, files)?,
                Err(_) => None,
            };
            let Some(bytes) = bytes else {
                let (name, wanted) = (plain::shown(&name), plain::cut(&plain::shown(wanted), 40));
                return Ok(Err(format!(
                    "{name} as it was read, blob {wanted}: it is neither here nor below what was added"
                )));
            };
            found.insert(name, Some(bytes));
        }
        Ok(Ok(found))
    }

    fn bytes_of(
        &self,
        wanted: Oid,
        name: &str,
        finished: &Finished,
        library: &Library,
        files: &mut Files<'_>,
    ) -> Result<Bytes, Unread> {
        let now = files.get(name)?;
        if let Some(now) = &now
            && blob_id(now)? == wanted
        {
            return Ok(Some(now.clone()));
        }
        if let Ok(bytes) = self.repo.bytes(wanted) {
            return Ok(Some(bytes.to_vec()));
        }
        let Some(now) = now.as_deref().and_then(|now| std::str::from_utf8(now).ok()) else { return Ok(None) };
        let is_it = |text: &str| blob_id(text.as_bytes()).is_ok_and(|id| id == wanted);
        let placed = trace::as_placed(name, now, finished);
        let before = removal::earlier(name, now, &placed, library, &is_it)?;
        Ok(before.map(String::into_bytes))
    }

    /// The branch that a recording names may have another recording of the same run.
    fn denied_by_branch(
        &self,
        recording: &Recording,
        place: &CommittedPath,
        end: &End,
    ) -> Result<Option<Divergence>, Unread> {
        let opened = end.opened();
        let path =
            format!("{}/elaborations/{}", opened.item, place.path.rsplit('/').next().unwrap_or_default());
        for tip in self.tips(&opened.branch)? {
            let Some(other) = self.file_at(tip, &path)? else { continue };
            // A discussion that stays open grows.
            if other.starts_with(&recording.bytes) || recording.bytes.starts_with(&other) {
                continue;
            }
            let other = Recording { name: path.clone(), bytes: other, place: None };
            if other.opened().is_some_and(|other| other.run == opened.run) {
                return Ok(Some(file_differs(&path, &other.bytes, Some(&recording.bytes))));
            }
        }
        Ok(None)
    }

    /// A commit that names the recording of a run by its digest says what that recording was.
    fn denied_by_trailer(
        &self,
        brought: &Introduction,
        end: &End,
        recording: &[u8],
    ) -> Result<Option<Divergence>, Unread> {
        let opened = end.opened();
        let message = self.repo.message_of(brought.commit)?;
        let (mut digest, mut told) = (None, Vec::new());
        for line in message.lines().map(str::trim) {
            if let Some(value) = line.strip_prefix("Roundtable-Recording: ") {
                digest = Some(value);
            } else if let Some(run) = line.strip_prefix("Roundtable-Run: ") {
                told.extend(digest.take().filter(|_| run == opened.run));
            }
        }
        let own = sha256(recording);
        Ok((!told.is_empty() && !told.contains(&own.as_str())).then(|| Divergence {
            event: None,
            what: "recording".to_owned(),
            expected: format!(
                "the digest {}, which commit {} names",
                told.join(" or "),
                short(brought.commit)
            ),
            found: own,
        }))
    }

    fn missing_text(
        &self,
        place: &CommittedPath,
        end: &End,
        library: &Library,
    ) -> Result<Option<Divergence>, Unread> {
        match end {
            End::Closed(finished) => self.missing_of(place, finished, library),
            End::Open(_) => Ok(None),
        }
    }

    fn missing_of(
        &self,
        place: &CommittedPath,
        finished: &Finished,
        library: &Library,
    ) -> Result<Option<Divergence>, Unread> {
        let Some(folder) = item_folder(&place.path) else { return Ok(None) };
        let record = self.file_at(place.commit, &format!("{folder}/{}", meta::FILE))?.unwrap_or_default();
        if !removal::holds_record(&String::from_utf8_lossy(&record), finished, library) {
            let expected = format!("the record of step {}, {}", finished.opened.step.id, finished.at);
            let found = "no such record, or another text of it";
            return Ok(Some(not_in(&format!("{folder}/{}", meta::FILE), expected, found)));
        }
        match self.missing_synthesis(place.commit, folder, finished, library)? {
            None => self.missing_typed(place.commit, folder, finished, library),
            missing => Ok(missing),
        }
    }

    /// The synthesis, which is in one of the step's outputs.
    fn missing_synthesis(
        &self,
        commit: Oid,
        folder: &str,
        finished: &Finished,
        library: &Library,
    ) -> Result<Option<Divergence>, Unread> {
        if let Some(missing) = self.missing_entry(commit, folder, finished, library)? {
            return Ok(Some(missing));
        }
        if !synthesis::has_block(finished, library) {
            return Ok(None);
        }
        let mut first = None;
        for name in output_files(&finished.opened) {
            let bytes = self.file_at(commit, &self.path_at(commit, folder, &name)?)?;
            let Some(now) = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
                continue;
            };
            let is_of_issue = name == DRAFT && finished.opened.draft.is_some();
            let is_new = !finished.opened.read.contains_key(&name) && !is_of_issue;
            let placed = trace::as_placed(&name, now, finished);
            if removal::holds_addition(&name, now, is_new, &placed, library)? {
                return Ok(None);
            }
            first = first.or(Some(name));
        }
        // Files of other kinds take no addition, and none of them was written in.
        if !output_files(&finished.opened).iter().any(|name| takes_additions(name)) {
            return Ok(None);
        }
        let name =
            first.unwrap_or_else(|| output_files(&finished.opened).into_iter().next().unwrap_or_default());
        let addition = synthesis::addition_text(finished, library, 4)?;
        Ok(Some(not_in(&format!("{folder}/{name}"), addition, "")))
    }

    /// The entries of the layout's lists, each a line of the main document.
    fn missing_entry(
        &self,
        commit: Oid,
        folder: &str,
        finished: &Finished,
        library: &Library,
    ) -> Result<Option<Divergence>, Unread> {
        let Some(name) = &finished.opened.document else { return Ok(None) };
        let path = self.path_at(commit, folder, name)?;
        let bytes = self.file_at(commit, &path)?.unwrap_or_default();
        let now = String::from_utf8_lossy(&bytes);
        for entry in
            lists::sections(finished.entries(), library)?.into_iter().flat_map(|section| section.entries)
        {
            let is_it = |line: &str| line.trim_end().strip_suffix(&entry.text).is_some_and(lists::is_mark);
            // A question that was there before stands where it was.
            let is_asked = || known::asked_in(&now).any(|asked| asked == closing::key(&entry.text));
            if !now.lines().any(is_it) && !is_asked() {
                return Ok(Some(not_in(&path, entry.text, "")));
            }
        }
        Ok(None)
    }

    /// The typed additions, each in the document that it names, and the decision records. One that found no place
    /// then cannot be told from one that is gone: where a document was read that could have taken it, it counts as
    /// missing.
    fn missing_typed(
        &self,
        commit: Oid,
        folder: &str,
        finished: &Finished,
        library: &Library,
    ) -> Result<Option<Divergence>, Unread> {
        let (read, additions) = (&finished.opened.read, finished.summary.landing_additions());
        let names = typed::files(&finished.opened.item, additions);
        let text = |name: &str| -> Result<Option<String>, Unread> {
            let bytes = self.file_at(commit, &self.path_at(commit, folder, name)?)?;
            Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
        };
        let mut held: BTreeMap<&str, Vec<&Proposed>> = BTreeMap::new();
        for (name, addition) in names.iter().zip(additions) {
            let has_place = read.contains_key(name) && takes_additions(name) && name != meta::FILE;
            if addition.kind == Kind::DecisionRecord || !has_place {
                continue;
            }
            if !held.contains_key(name.as_str()) {
                let numbers = match text(name)? {
                    Some(now) => trace::typed_in(name, &now, finished, library)?,
                    None => BTreeSet::new(),
                };
                held.insert(name, numbers.into_iter().map(|number| &additions[number]).collect());
            }
            if !held[name.as_str()].contains(&addition) {
                let expected = format!("the {} \"{}\"", addition.kind.words(), addition.shown());
                return Ok(Some(not_in(&format!("{folder}/{name}"), expected, "")));
            }
        }
        for (name, record) in records::new_files(read, finished, library)? {
            let now = text(&name)?.unwrap_or_default();
            if !trace::holds_lines_of(&now, &record) {
                return Ok(Some(not_in(&format!("{folder}/{name}"), record, &now)));
            }
        }
        Ok(None)
    }

    /// The path of an item's document at a commit: in the item's folder, or beside one that is named after it.
    pub(super) fn path_at(&self, commit: Oid, folder: &str, name: &str) -> Result<String, git::Error> {
        let within = format!("{folder}/{name}");
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        let is_named_after = folder.rsplit('/').next() == stem;
        let is_missing = is_named_after && self.file_at(commit, &within)?.is_none();
        Ok(if is_missing { path::beside(folder, name) } else { within })
    }

    /// The bytes of a file at a commit, if it exists.
    ///
    /// # Errors
    /// An object that cannot be read.
    pub fn file_at(&self, commit: Oid, path: &str) -> Result<Bytes, git::Error> {
        match self.repo.look_up(commit, path) {
            Some(AtPath::File(id)) => Ok(Some(self.repo.bytes(id)?.to_vec())),
            Some(_) => Ok(None),
            None => self.repo.file(commit, path),
        }
    }
}

/// The item as a recording says it was read.
fn item_of(opened: &Opened, path: &str, before: &BTreeMap<String, Bytes>) -> Option<Item> {
    let text = match (before.get(meta::FILE), &opened.new_meta) {
        (Some(Some(bytes)), _) => String::from_utf8(bytes.clone()).ok()?,
        (_, Some(new)) => new.clone(),
        _ => return None,
    };
    let mut item = Item::new(&opened.item, &text).ok()?;
    item.meta = Meta::read(&format!("{}/{}", opened.item, meta::FILE), text.as_bytes()).ok()?;
    for (name, id) in &opened.read {
        let file = match before.get(name) {
            Some(Some(bytes)) => File::Bytes(bytes.clone()),
            _ => File::Opaque,
        };
        item.files.insert(name.clone(), file);
        item.ids.insert(name.clone(), id.clone());
    }
    item.recordings = earlier_recordings(path);
    Some(item.with_draft(opened.draft.as_deref()))
}

/// The names that were taken when a recording got its own: `…-2.jsonl` came second.
fn earlier_recordings(path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.strip_suffix(".jsonl").unwrap_or(name);
    let Some((first, number)) = stem.rsplit_once("Z-").and_then(|(first, n)| Some((first, n.parse().ok()?)))
    else {
        return Vec::new();
    };
    let number: u32 = number;
    let others = (2..number.min(1_000)).map(|other| format!("{first}Z-{other}.jsonl"));
    [format!("{first}Z.jsonl")].into_iter().chain(others).collect()
}

/// The cell of a key, made where there is none yet.
fn cell<V>(cells: &Cells<V>, key: (Oid, String)) -> Arc<OnceLock<V>> {
    match cells.lock() {
        Ok(mut cells) => Arc::clone(cells.entry(key).or_default()),
        Err(poisoned) => Arc::clone(poisoned.into_inner().entry(key).or_default()),
    }
}
