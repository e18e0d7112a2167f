//! What a run says before it starts: documents that are edited and not committed or have
//! newer text elsewhere, a branch that is merged already, a script that was recorded before.
//!
//! Invariant: nothing is changed here. A merged branch is left as it is, and the run goes to the next free name.

use std::path::Path;

use git2::Oid;
use serde_json::json;
use walkdir::{DirEntry, WalkDir};

use super::clock::now;
use super::documents::text_of;
use super::parted;
use super::place::{self, Place};
use super::settings::Settings;
use super::{Fail, Observer, RunRequest};
use crate::discussion::event::{Event, Exit, Opened, Record};
use crate::git::{Error, Repo, short, trailers};
use crate::item::config::{self, Config};
use crate::item::meta;
use crate::item::{self, Begin, File, Item};
use crate::run::landing;
use crate::run::script::Script;
use crate::text::plain::count;

/// A branch is numbered at most up to this.
const MOST_BRANCHES: usize = 100;
/// Only the last recordings of a step are compared with a script.
const MOST_RECORDINGS: usize = 30;
/// At most this many files are named.
const MOST_NAMES: usize = 5;
/// New documents are looked for this many folders deep, and at most this many are counted.
const MAX_DEPTH: usize = 8;
const MAX_NEW: usize = 100;

/// Where a run goes.
///
/// # Errors
/// As [`place::place`] and [`unmerged`].
pub fn place(settings: &Settings, repo: &Repo, run: &RunRequest) -> Result<Place, Fail> {
    let base = run.base.as_deref();
    let place = place::place(settings, repo, &run.item, run.branch.as_deref(), base)?;
    if run.leaves_merged { unmerged(repo, place, base) } else { Ok(place) }
}

/// Says where a run goes, where that is not what was asked for: once nothing else can be wrong with the item.
pub fn tell_place(place: &Place, run: &RunRequest, observer: &dyn Observer) {
    if let Some(left) = &place.left {
        observer.warn(left);
    }
    if place.exists && run.base.is_some() {
        let name = &place.branch;
        observer
            .note(&format!("the branch {name} exists; --base says where a new one starts and is not used"));
    }
}

/// The place for a run on this branch; where the branch's discussions are merged already, the next free
/// branch of its name, which starts from the base.
///
/// # Errors
/// A branch that cannot be read, or is checked out.
fn unmerged(repo: &Repo, place: Place, base: Option<&str>) -> Result<Place, Fail> {
    let Ok(start) = repo.resolve(base.unwrap_or("HEAD")) else { return Ok(place) };
    if !place.exists || !is_merged(repo, place.base, start)? {
        return Ok(place);
    }
    for number in 2..=MOST_BRANCHES {
        let branch = format!("{}-{number}", place.branch);
        let tip = repo.tip(&branch)?;
        if let Some(tip) = tip
            && is_merged(repo, tip, start)?
        {
            continue;
        }
        repo.refuse_checked_out(&branch)?;
        let left = format!(
            "{} is merged already; this run goes to {branch}, which {} {}",
            place.branch,
            if tip.is_some() { "is at" } else { "starts from" },
            short(tip.unwrap_or(start))
        );
        return Ok(Place { branch, base: tip.unwrap_or(start), exists: tip.is_some(), left: Some(left) });
    }
    Ok(place)
}

/// Whether everything that was discussed on a branch is in a commit: the branch is part of its history, or
/// (after a squash or a rebase) it has the same recordings.
///
/// # Errors
/// A commit that cannot be read.
pub fn is_merged(repo: &Repo, tip: Oid, start: Oid) -> Result<bool, Fail> {
    // Nothing is on it that the base does not have.
    if tip != start && repo.is_ancestor(tip, start)? {
        return Ok(true);
    }
    // A branch that somebody has only made here, or has gone on with, is theirs.
    let trailers = trailers(&repo.message_of(tip)?);
    let Some(item) = trailers.get("Item") else { return Ok(false) };
    let logs = repo.logs(tip, item)?;
    if logs.is_empty() {
        return Ok(false);
    }
    if tip == start {
        return Ok(true);
    }
    let merged = repo.logs(start, item)?;
    Ok(logs.iter().all(|log| merged.contains(log)))
}

/// Says that a branch has discussions which git cannot merge into HEAD any more, and which command does it.
pub fn parted(repo: &Repo, place: &Place, observer: &dyn Observer) -> Result<(), Fail> {
    let Some(head) = repo.head()?.filter(|_| place.exists) else { return Ok(()) };
    let notes = parted::notes(repo, ("HEAD", head), (&place.branch, place.base))?;
    notes.iter().for_each(|note| observer.warn(note));
    Ok(())
}

/// The item's path, and the text it begins with where it does not exist yet.
///
/// # Errors
/// No such item, or a path that cannot be one.
pub fn find_or_begin(
    repo: &Repo,
    run: &RunRequest,
    place: &Place,
    config: &Config,
) -> Result<(String, Option<String>), Fail> {
    let (named, at) = (run.item.as_str(), run.fixed.unwrap_or_else(now));
    let found = repo.find_item(place.base, named, &config.folders());
    if let (Err(Error::NoItem { .. }), Some((source, name))) = (&found, &run.new) {
        let path = place::new_path(named, config.items())?;
        let text = meta::new_item(*source, place::slug(&path), name, at, &place.base.to_string());
        return Ok((path, Some(text)));
    }
    let path = found.map_err(|error| not_there(repo, error, named, run.base.as_deref(), place, config))?;
    let document = named.trim_start_matches("./");
    if repo.is_file(place.base, document) {
        text_of(document, repo.file(place.base, document)?.unwrap_or_default())?;
    }
    let text = place::new_meta(repo, place.base, &path, named, at)?;
    Ok((path, text))
}

/// The error of an item that is not on its branch: where the base has it, the branch is older than the item.
pub fn not_there(
    repo: &Repo,
    error: Error,
    item: &str,
    base: Option<&str>,
    place: &Place,
    config: &Config,
) -> Fail {
    let Ok(start) = repo.resolve(base.unwrap_or("HEAD")) else { return error.into() };
    let is_missing = matches!(error, Error::NoItem { .. }) && place.exists && start != place.base;
    let Some(path) = is_missing.then(|| repo.find_item(start, item, &config.folders()).ok()).flatten() else {
        return error.into();
    };
    let (branch, path) = (&place.branch, crate::text::plain::shown(&path));
    let from = base.map_or_else(|| repo.current_branch().unwrap_or_else(|| short(start)), str::to_owned);
    Fail::new(format!("the branch {branch} has commits of its own and is older than the item {path}, which {from} has")).with_hint(format!("bring it up to date with `git switch {branch}` and `git merge {from}`, switch back and try again, or name another branch with --branch"))
}

/// Whether a recording that a new branch begins with is of this branch before it was merged: of its name, or
/// of the one that it was numbered from.
///
/// # Errors
/// A recording that cannot be read from the repository.
pub fn is_of_branch(repo: &Repo, commit: Oid, path: &str, branch: &str) -> Result<bool, Fail> {
    let bytes = repo.file(commit, path)?.unwrap_or_default();
    let first = std::str::from_utf8(&bytes).ok().and_then(|text| text.lines().next());
    let Some(Ok(Record { event: Event::Opened(then), .. })) = first.map(Record::from_line) else {
        return Ok(false);
    };
    let number = branch.strip_prefix(&then.branch);
    Ok(number.is_some_and(|rest| {
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        rest.is_empty() || digits.len() < rest.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }))
}

/// The item's documents in the work tree that are edited, or new, and not committed.
///
/// # Errors
/// A commit that cannot be read.
pub fn edited_names(repo: &Repo, item: &Item) -> Result<Vec<String>, Fail> {
    let (Some(root), Ok(head)) = (repo.work_tree(), repo.resolve("HEAD")) else { return Ok(Vec::new()) };
    let folder = root.join(&item.path);
    if item.beside.is_none() && !repo.exists(head, &item.path)? {
        return Ok(Vec::new());
    }
    let Some(committed) = at_commit(repo, head, item) else { return Ok(Vec::new()) };
    let is_edited = |name: &str, bytes: &[u8]| {
        let path = root.join(committed.path_of(name));
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|file| file.is_file());
        is_file && std::fs::read(&path).is_ok_and(|edited| !is_same(bytes, &edited))
    };
    let edited = committed.files.iter().filter(|(name, file)| match file {
        File::Bytes(bytes) => item::is_document(name) && is_edited(name, bytes),
        _ => false,
    });
    let mut names: Vec<String> = edited.map(|(name, _)| name.clone()).collect();
    names.extend(new_names(repo, &folder, &item.path, head));
    Ok(names)
}

/// An item as another commit has it, with a meta.json or without.
fn at_commit(repo: &Repo, commit: Oid, item: &Item) -> Option<Item> {
    let meta = item.beside.as_ref().map_or(json!({}), |document| json!({"document": document})).to_string();
    repo.item_or_new(commit, &item.path, Begin { meta: Some(&meta), draft: None }).ok()
}

/// Warns of the item's documents that are not text: nothing is read of them, and nothing is added to them.
pub fn unread(item: &Item, observer: &dyn Observer) {
    let is_unread = |file: &File| match file {
        File::Bytes(bytes) => bytes.contains(&0) || std::str::from_utf8(bytes).is_err(),
        _ => false,
    };
    let files = item.files.iter().filter(|(name, file)| item::is_document(name) && is_unread(file));
    let names: Vec<String> = files.map(|(name, _)| name.clone()).collect();
    if !names.is_empty() {
        observer.warn(&format!("not UTF-8 text, and left out: {}; save it as UTF-8 text", list(&names)));
    }
}

/// The documents in an item's folder that no commit has yet and git does not ignore.
fn new_names(repo: &Repo, folder: &Path, item: &str, head: Oid) -> Vec<String> {
    let is_own = |entry: &DirEntry| entry.depth() == 1 && entry.file_name() == "elaborations";
    let entries = WalkDir::new(folder).max_depth(MAX_DEPTH).sort_by_file_name().into_iter();
    let files =
        entries.filter_entry(|entry| !is_own(entry)).flatten().filter(|entry| entry.file_type().is_file());
    let names = files.filter_map(|entry| {
        let name = entry.path().strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
        let path = format!("{item}/{name}");
        let is_new = item::is_document(&name) && name != "meta.json" && !repo.is_file(head, &path);
        (is_new && !repo.is_ignored(&path)).then_some(name)
    });
    names.take(MAX_NEW).collect()
}

/// Names the item's documents that the base has changed since a branch left it: what is read is the branch.
///
/// # Errors
/// A commit that cannot be read.
pub fn newer(repo: &Repo, place: &Place, item: &Item, observer: &dyn Observer) -> Result<(), Fail> {
    let Ok(head) = repo.resolve("HEAD") else { return Ok(()) };
    if !place.exists || repo.is_ancestor(head, place.base)? {
        return Ok(());
    }
    let Ok(begun) = repo.merge_base(place.base, head) else { return Ok(()) };
    let ids_at = |commit: Oid| at_commit(repo, commit, item).map(|item| item.ids).unwrap_or_default();
    let (then, now) = (ids_at(begun), ids_at(head));
    let changed = now.iter().filter(|(name, id)| {
        item::is_document(name)
            && *name != "meta.json"
            && then.get(*name) != Some(id)
            && item.ids.get(*name) != Some(id)
    });
    let names: Vec<String> = changed.map(|(name, _)| name.clone()).collect();
    if !names.is_empty() {
        let branch = &place.branch;
        observer.warn(&format!(
            "{} changed on HEAD after {branch} began; the text on {branch} is discussed; to discuss the new text, \
             merge HEAD into {branch} first",
            list(&names)
        ));
    }
    Ok(())
}

/// The first names of a list, and how many more there are.
fn list(names: &[String]) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let mut shown = names[..names.len() - more].join(", ");
    if more > 0 {
        shown.push_str(&format!(" and {}", count(more, "more file")));
    }
    crate::text::plain::shown(&shown)
}

/// Names the item's documents that are edited and not committed: what is read is the commit.
///
/// # Errors
/// A commit that cannot be read.
pub fn edited(repo: &Repo, item: &Item, observer: &dyn Observer) -> Result<(), Fail> {
    unread(item, observer);
    let names = edited_names(repo, item)?;
    if !names.is_empty() {
        let (is, text) = if names.len() == 1 { ("is", "text is") } else { ("are", "texts are") };
        observer
            .warn(&format!("{} {is} edited and not committed; the committed {text} discussed", list(&names)));
    }
    Ok(())
}

/// Names the settings that count where those on disk are others.
///
/// # Errors
/// A commit that cannot be read.
pub fn edited_settings(repo: &Repo, commit: Oid, observer: &dyn Observer) -> Result<(), Fail> {
    let Some(root) = repo.work_tree() else { return Ok(()) };
    let on_disk = std::fs::read(root.join(config::FILE)).ok();
    let committed = repo.file(commit, config::FILE)?;
    let is_edited = match (&committed, &on_disk) {
        (Some(committed), Some(on_disk)) => !is_same(committed, on_disk),
        (committed, on_disk) => committed.is_some() != on_disk.is_some(),
    };
    if is_edited {
        let which = match committed {
            Some(_) => format!("the settings of commit {} count", short(commit)),
            None => format!("commit {} has no settings, so the defaults count", short(commit)),
        };
        let what =
            if on_disk.is_some() { "is edited and not committed" } else { "is gone here and committed" };
        observer.note(&format!("{} {what}; {which}", config::FILE));
        if let Some(Err(finding)) = on_disk.map(|bytes| Config::read(config::FILE, &bytes)) {
            observer.warn(&format!("{} cannot be read as it is on disk: {finding}", config::FILE));
        }
    }
    Ok(())
}

/// Whether two texts are the same except for the line ends that git writes into a work tree.
fn is_same(committed: &[u8], edited: &[u8]) -> bool {
    let lines = |bytes: &[u8]| -> Vec<u8> {
        let mut kept = bytes.to_vec();
        kept.retain(|byte| *byte != b'\r');
        kept
    };
    committed == edited || lines(committed) == lines(edited)
}

/// Names a recording of the step in which the same messages were discussed by another run.
///
/// # Errors
/// A recording that cannot be read from the repository.
pub fn recorded(
    repo: &Repo,
    commit: Oid,
    item: &Item,
    opened: &Opened,
    script: &Script,
    observer: &dyn Observer,
) -> Result<(), Fail> {
    let messages: Vec<&str> = script.inputs().flatten().map(|input| input.text.as_str()).collect();
    if messages.is_empty() {
        return Ok(());
    }
    let stem = format!("{}-", opened.step.id);
    let mut before = None;
    for (path, log) in
        landing::recordings(repo, commit, item, |name| name.starts_with(&stem), MOST_RECORDINGS)?
    {
        match log.first().map(|first| &first.event) {
            // This very run: what is said of it is that it is recorded already.
            Some(Event::Opened(then)) if then.run == opened.run => return Ok(()),
            Some(Event::Opened(then)) if !then.stays_open && is_of(&log, &messages) => {
                before.get_or_insert(path);
            }
            _ => {}
        }
    }
    if let Some(path) = before {
        observer.warn(&format!("this script was recorded before, in {path}; it is discussed again"));
    }
    Ok(())
}

/// Whether a discussion heard exactly these messages, as far as it came.
fn is_of(log: &[Record], messages: &[&str]) -> bool {
    let heard: Vec<&str> = log
        .iter()
        .filter_map(|record| match &record.event {
            Event::User(message) => Some(message.text.as_str()),
            _ => None,
        })
        .collect();
    let was_cut = log.iter().any(|record| match &record.event {
        Event::Closed(closed) => matches!(closed.exit, Exit::TurnLimit | Exit::UserInitiated | Exit::Budget),
        _ => false,
    });
    !heard.is_empty() && messages.starts_with(&heard) && (heard.len() == messages.len() || was_cut)
}
