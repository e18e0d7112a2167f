//! Which commit brought a recording, or the log of an analysis' step, to a history. Folders are moved, and histories rewritten: so a
//! recording is known by its blob, not by its path.
//!
//! Invariant: a commit brings a recording if it has it and none of its parents has it at the same path, or
//! has it at another path that the commit empties: that is a move, and the walk goes on there. It ends as soon
//! as every recording that is asked for was found.
//!
//! ```
//! use git2::Oid;
//! use roundtable::git::{Error, Repo, Unwritten};
//!
//! fn first(repo: &Repo, tip: Oid, path: &str, blob: Oid) -> Result<Option<Oid>, Error> {
//!     let found = repo.objects(Unwritten::new()).brought(tip, &[(path.to_owned(), blob)])?;
//!     Ok(found.get(path).map(|brought| brought.commit))
//! }
//! ```

use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use git2::{ObjectType, Oid};

use super::compare::{Entry, differing, find};
use super::objects::parse;
use super::range::Step;
use super::{Error, Objects};

/// Where a recording came into a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brought {
    pub commit: Oid,
    /// The recording's path in that commit.
    pub path: String,
    /// The first parent; none for a first commit, and where a shallow clone ends.
    pub parent: Option<Oid>,
}

/// A recording that was not found yet: where it is at the tip, and where it was at the commit the walk is at.
struct Sought {
    at_tip: String,
    path: String,
}

/// Folders inside of folders to this depth.
const DEEPEST: usize = 64;

impl Objects {
    /// The commits of a history that brought these recordings, paths and blobs of its tip; by their path there.
    ///
    /// # Errors
    /// A commit or tree that is missing or damaged; a history that ends early (a shallow clone) is none.
    pub fn brought(&self, tip: Oid, wanted: &[(String, Oid)]) -> Result<BTreeMap<String, Brought>, Error> {
        let mut sought: HashMap<Oid, Vec<Sought>> = HashMap::new();
        for (path, blob) in wanted {
            let entry = Sought { at_tip: path.clone(), path: path.clone() };
            sought.entry(*blob).or_default().push(entry);
        }
        let mut found = BTreeMap::new();
        let (mut open, mut seen) = (BinaryHeap::new(), HashSet::from([tip]));
        open.extend(self.step(tip)?.map(|(step, time)| (time, step.commit)));
        while let Some((_, commit)) = open.pop().filter(|_| !sought.is_empty()) {
            let Some((step, _)) = self.step(commit)? else { continue };
            let mut parents = Vec::new();
            for parent in &step.parents {
                if let Some((parent, time)) = self.step(*parent)? {
                    if seen.insert(parent.commit) {
                        open.push((time, parent.commit));
                    }
                    parents.push(parent);
                }
            }
            let parent = parents.first().map(|parent| parent.commit);
            for (blob, path, from) in self.new_recordings(&step, &parents, &sought)? {
                let Some(all) = sought.get_mut(&blob) else { continue };
                if let Some(from) = from {
                    let moved = all.iter_mut().filter(|one| one.path == path);
                    moved.for_each(|one| one.path.clone_from(&from));
                    continue;
                }
                for one in all.extract_if(.., |one| one.path == path) {
                    found.insert(one.at_tip, Brought { commit, path: path.clone(), parent });
                }
                if all.is_empty() {
                    sought.remove(&blob);
                }
            }
        }
        Ok(found)
    }

    /// A commit; none where a shallow clone does not have it.
    fn step(&self, commit: Oid) -> Result<Option<(Step, i64)>, Error> {
        let damaged = || Error::Damaged(format!("the commit {commit} cannot be read"));
        match self.read(commit, ObjectType::Commit).ok() {
            Some(bytes) => parse(commit, &bytes).map(Some).ok_or_else(damaged),
            None if !self.has(commit) => Ok(None),
            None => parse(commit, &self.read(commit, ObjectType::Commit)?).map(Some).ok_or_else(damaged),
        }
    }

    /// The recordings that a commit has and none of its parents has at the same path; with the path that each
    /// was moved from, if it was.
    fn new_recordings(
        &self,
        step: &Step,
        parents: &[Step],
        sought: &HashMap<Oid, Vec<Sought>>,
    ) -> Result<Vec<(Oid, String, Option<String>)>, Error> {
        let mut new: Option<Vec<(Oid, String, Option<String>)>> = None;
        let trees = parents.iter().map(|parent| Some(parent.tree));
        for parent in trees.chain(parents.is_empty().then_some(None)) {
            let mut difference = Difference { sought, added: Vec::new(), removed: HashMap::new() };
            self.compare_recordings(parent, Some(step.tree), "", 0, &mut difference)?;
            let Difference { added, mut removed, .. } = difference;
            let is_new = |path: &String| {
                new.as_ref()
                    .is_none_or(|new: &Vec<(Oid, String, _)>| new.iter().any(|(_, other, _)| other == path))
            };
            let added = added.into_iter().filter(|(_, path)| is_new(path));
            new = Some(
                added
                    .map(|(blob, path)| {
                        let from = removed.get_mut(&blob).and_then(Vec::pop);
                        (blob, path, from)
                    })
                    .collect(),
            );
            if new.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        Ok(new.unwrap_or_default())
    }

    fn compare_recordings(
        &self,
        old: Option<Oid>,
        new: Option<Oid>,
        path: &str,
        depth: usize,
        difference: &mut Difference<'_>,
    ) -> Result<(), Error> {
        if old == new || depth > DEEPEST {
            return Ok(());
        }
        let read = |tree: Option<Oid>| tree.map(|tree| self.tree(tree)).transpose();
        let (before, after) = (read(old)?, read(new)?);
        let damaged = || Error::Damaged(format!("a tree at /{path} cannot be read"));
        let before = before.as_ref().map_or(&[][..], |bytes| bytes.as_slice());
        let after = after.as_ref().map_or(&[][..], |bytes| bytes.as_slice());
        let (before, after) = differing(before, after).ok_or_else(damaged)?;
        let is_ours = matches!(path.rsplit('/').next(), Some("elaborations" | "analysis"));
        let differs = |entry: &Entry<'_>, others: &[Entry<'_>]| {
            find(others, entry.name, entry.is_folder()).is_none_or(|other| other.object.id != entry.object.id)
        };
        for entry in before.iter().filter(|entry| differs(entry, &after)) {
            if entry.is_folder() {
                let now = find(&after, entry.name, true).map(|entry| entry.object.id);
                let below = joined(path, entry.name);
                self.compare_recordings(Some(entry.object.id), now, &below, depth + 1, difference)?;
            } else if is_ours && difference.sought.contains_key(&entry.object.id) {
                difference.removed.entry(entry.object.id).or_default().push(joined(path, entry.name));
            }
        }
        for entry in after.iter().filter(|entry| differs(entry, &before)) {
            if entry.is_folder() && find(&before, entry.name, true).is_none() {
                let below = joined(path, entry.name);
                self.compare_recordings(None, Some(entry.object.id), &below, depth + 1, difference)?;
            } else if is_ours && difference.sought.contains_key(&entry.object.id) {
                difference.added.push((entry.object.id, joined(path, entry.name)));
            }
        }
        Ok(())
    }
}

/// The recordings that one tree has more, and less, than another.
struct Difference<'w> {
    sought: &'w HashMap<Oid, Vec<Sought>>,
    added: Vec<(Oid, String)>,
    removed: HashMap<Oid, Vec<String>>,
}

fn joined(path: &str, name: &[u8]) -> String {
    let slash = if path.is_empty() { "" } else { "/" };
    format!("{path}{slash}{}", String::from_utf8_lossy(name))
}
