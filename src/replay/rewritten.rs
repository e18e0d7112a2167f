//! Recordings in a history that was rewritten: squashed, rebased, picked, cut off, or moved to another folder.
//!
//! The commit that a recording comes to is not there; its item's files may be. The commit that brought the
//! recording is looked up, wherever the item's folder was then. Its recordings are placed again, each in the files
//! that it says it read: the repository has them by their blob ids, or another of these recordings makes them. What
//! the last one makes must be the bytes of the commit, and what each one before makes the bytes that the next one
//! read (by content). Where a text of then is not there, or that chain breaks, what a recording renders must be in
//! the documents of the commit that brought it, letter by letter (by text). What became of them since is
//! [`today`](super::today)'s to tell.
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
use crate::discussion::event::Opened;
use crate::discussion::{Finished, closing};
use crate::git::Introduction;
use crate::git::{self, AtPath, short};
use crate::history::trace;
use crate::item::library::{Library, sha256};
use crate::item::{Change, DRAFT, File, Item, Meta, is_document, meta};
use crate::run::landing;
use crate::run::played::{CommittedPath, Recording};
use crate::synthesis::{self, known, lists, records, typed};
use crate::text::path::{is_markdown, suffix};
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

/// A file's bytes; none where it does not exist.
type Bytes = Option<Vec<u8>>;

/// Recordings in the order in which they were made: their paths, and the changes that each makes, by the names of
/// files in the item's folder.
type Made = Vec<(String, Vec<Change>)>;

/// Texts that recordings made, by their blob ids.
type Texts = HashMap<Oid, Vec<u8>>;

/// A recording whose files of then cannot be told.
fn unproved(found: &str) -> Divergence {
    let (what, expected) = ("earlier text".to_owned(), "the files that it read".to_owned());
    Divergence { event: None, what, expected, found: found.to_owned() }
}

/// The folder of the item that a recording is in.
pub(super) fn item_folder(path: &str) -> Option<&str> {
    path.rsplit_once('/')?.0.strip_suffix("/elaborations")
}

/// The time in the name of a recording or log: the digits order as the times do.
pub(super) fn moment(path: &str) -> &str {
    path.rsplit('/').next().and_then(|name| name.get(6..)).unwrap_or_default()
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
        let there = brought.map(|brought| CommittedPath { commit: brought.commit, path: brought.path });
        Ok(match (self.missing_text(there.as_ref().unwrap_or(place), end, library)?, differs) {
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
        let item = item_folder(&brought.path).unwrap_or_default();
        let cell = cell(&self.groups.groups, (brought.commit, item.to_owned()));
        if cell.get().is_none() {
            let group = self.judge(place, brought, item)?;
            cell.get_or_init(|| group);
        }
        Ok(cell)
    }

    fn judge(&self, place: &CommittedPath, brought: &Introduction, item: &str) -> Result<Group, Unread> {
        let (made, mut group) = self.made_of_all(place, brought, item)?;
        let mut files: BTreeMap<String, Bytes> = BTreeMap::new();
        for change in made.iter().flat_map(|(_, changes)| changes) {
            let path = self.path_at(brought.commit, item, &change.path)?;
            files.insert(change.path.clone(), self.file_at(brought.commit, &path)?);
        }
        for (path, changes) in made.into_iter().rev() {
            let other = changes.iter().find(|change| files[&change.path].as_ref() != Some(&change.after));
            let differs = other.map(|other| {
                let found = files[&other.path].as_deref();
                file_differs(&format!("{item}/{}", other.path), &other.after, found)
            });
            if differs.is_none() {
                files.extend(changes.into_iter().map(|change| (change.path, change.before)));
            }
            group.insert(path, differs);
        }
        Ok(group)
    }

    /// The recordings of an item that one commit brought, placed again; and why some cannot be.
    fn made_of_all(
        &self,
        place: &CommittedPath,
        brought: &Introduction,
        item: &str,
    ) -> Result<(Made, Group), Unread> {
        let mut left = Vec::new();
        let ours = self.brought_by(place, brought.commit);
        self.repo.recordings(brought.commit, item, &mut |of, path, blob| {
            let is_own = of == item && ours.contains(path);
            left.extend(is_own.then(|| (path.to_owned(), blob)));
            true
        })?;
        left.sort_by(|(a, _), (b, _)| moment(a).cmp(moment(b)));
        let (mut made, mut texts) = (Made::new(), Texts::new());
        loop {
            let (before, mut group) = (made.len(), Group::new());
            for (path, blob) in std::mem::take(&mut left) {
                match self.made(brought, item, (&path, blob), &texts)? {
                    Ok(changes) => {
                        for change in &changes {
                            texts.insert(blob_id(&change.after)?, change.after.clone());
                        }
                        made.push((path, changes));
                    }
                    Err(why) => {
                        group.insert(path.clone(), Some(why));
                        left.push((path, blob));
                    }
                }
            }
            // What one of them made may be what another one read.
            if made.len() == before {
                return Ok((made, group));
            }
        }
    }

    /// What a recording makes of the files that it read.
    fn made(
        &self,
        brought: &Introduction,
        folder: &str,
        (path, blob): (&str, Oid),
        texts: &Texts,
    ) -> Result<Result<Vec<Change>, Divergence>, Unread> {
        let bytes = self.repo.bytes(blob)?.to_vec();
        let recording = Recording { name: path.to_owned(), bytes, place: None };
        let Ok(read) = Read::of(&recording) else { return Ok(Err(unproved("a recording that is damaged"))) };
        if read.other_form.is_some() {
            return Ok(Err(unproved("a recording in another form than ours")));
        }
        let mut item = match self.item_as_read(&read, texts) {
            Ok(item) => item,
            Err(missing) => return Ok(Err(unproved(&missing))),
        };
        if let Some(document) = &read.opened.document {
            let is_beside = self.path_at(brought.commit, folder, document)? == path::beside(folder, document);
            item.beside = is_beside.then(|| document.clone());
        }
        let around: Vec<Oid> = brought.parent.into_iter().chain([brought.commit]).collect();
        let library = self.fitting_library(&read.opened, &around);
        let mut run = Replayed::new();
        let end = match run.step_of(&library, &read.opened) {
            Some(step) if run.is_named(&item, &read.opened) => run.fold(&library, step, read.log)?,
            _ => None,
        };
        let changes = match &end {
            Some(End::Closed(finished)) => match landing::place(&item, finished, &library) {
                Ok((_, additive)) => additive.changes().to_vec(),
                Err(refused) => return Ok(Err(not_placed(&refused))),
            },
            Some(End::Open(paused)) => synthesis::pause(&item, paused).changes,
            None => return Ok(Err(run.divergence.unwrap_or_else(|| unproved("another discussion")))),
        };
        let named = |change: Change| Change { path: item.name_of(&change.path).to_owned(), ..change };
        let changes = changes.into_iter().map(named);
        Ok(Ok(changes.filter(|change| !change.path.starts_with("elaborations/")).collect()))
    }

    /// The item as a recording says that it was read, or what of it cannot be read any more.
    fn item_as_read(&self, read: &Read, texts: &Texts) -> Result<Item, String> {
        let (opened, is_wanted) = (&read.opened, read.wanted_files());
        let mut files = BTreeMap::new();
        for (name, id) in &opened.read {
            let file = match is_document(name) && (name == meta::FILE || is_wanted(name)) {
                true => self.file_of(id, texts).ok_or_else(|| {
                    let (name, id) = (plain::shown(name), plain::cut(&plain::shown(id), 40));
                    format!("{name} as it was read, blob {id}, is not in the repository")
                })?,
                false => File::Opaque,
            };
            files.insert(name.clone(), file);
        }
        let text = match (files.get(meta::FILE), &opened.new_meta) {
            (Some(File::Bytes(bytes)), _) => String::from_utf8_lossy(bytes).into_owned(),
            (_, new) => new.clone().unwrap_or_default(),
        };
        let item =
            Item::new(&opened.item, &text).map_err(|_| "a meta.json that cannot be read".to_owned())?;
        Ok(Item { files, ids: opened.read.clone(), ..item }.with_draft(opened.draft.as_deref()))
    }

    fn file_of(&self, id: &str, texts: &Texts) -> Option<File> {
        let id = Oid::from_str(id).ok()?;
        match texts.get(&id) {
            Some(text) => Some(File::Bytes(text.clone())),
            None => self.repo.read_document(id).ok(),
        }
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
        let file = format!("{folder}/{}", meta::FILE);
        let meta = Meta::read(&file, &self.file_at(place.commit, &file)?.unwrap_or_default());
        let record = finished.elaboration(&library.cast.keys()).record();
        if !meta.is_ok_and(|meta| meta.elaborations().contains(&record)) {
            let expected = format!("the record of step {}, {}", finished.opened.step.id, finished.at);
            let found = "no such record, or another text of it";
            return Ok(Some(not_in(&file, expected, found)));
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
            if trace::holds_addition(&name, now, is_new, finished, library)? {
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
            let is_asked = || known::asked_in(&now).contains(&closing::key(&entry.text));
            if !now.lines().any(is_it) && !is_asked() {
                return Ok(Some(not_in(&path, entry.text, "")));
            }
        }
        Ok(None)
    }

    /// The typed additions, each in the document that it names, and the decision records. One that found no place
    /// then cannot be told from one that is gone: where a document was read that could have taken it, it counts as
    /// missing. What a Markdown document has no section for had none then.
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
        let layout = library.layout(&finished.opened.layout);
        let takes = |name: &&String| read.contains_key(*name) && takes_additions(name) && *name != meta::FILE;
        for name in names.iter().filter(takes).collect::<BTreeSet<_>>() {
            let now = text(name)?;
            let held = match &now {
                Some(now) => trace::typed_in(name, now, finished, library)?,
                None => BTreeSet::new(),
            };
            let is_own = |(number, addition): &(usize, &Proposed)| {
                names[*number] == *name && addition.kind != Kind::DecisionRecord && !held.contains(number)
            };
            for (_, addition) in additions.iter().enumerate().filter(is_own) {
                let has_section =
                    |now: &String| !is_markdown(name) || typed::has_section(now, addition, layout, library);
                if now.as_ref().is_none_or(has_section) {
                    let expected = format!("the {} \"{}\"", addition.kind.words(), addition.shown());
                    return Ok(Some(not_in(&format!("{folder}/{name}"), expected, "")));
                }
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

/// The cell of a key, made where there is none yet.
fn cell<V>(cells: &Cells<V>, key: (Oid, String)) -> Arc<OnceLock<V>> {
    match cells.lock() {
        Ok(mut cells) => Arc::clone(cells.entry(key).or_default()),
        Err(poisoned) => Arc::clone(poisoned.into_inner().entry(key).or_default()),
    }
}
