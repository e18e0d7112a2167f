//! Which commit introduced a recording, or the log of an analysis' step, to a history. Folders are moved, and histories
//! rewritten: so a recording is known by its blob, not by its path.
//!
//! Invariant: a commit introduces a recording if it has it and none of its parents has it at the same path, or
//! has it at another path that the commit empties: that is a move, and the walk goes on there. It ends as soon
//! as every recording that is asked for was found.
//!
//! ```
//! use git2::Oid;
//! use roundtable::git::{Error, Repo};
//!
//! fn first(repo: &Repo, tip: Oid, path: &str, blob: Oid) -> Result<Option<Oid>, Error> {
//!     let found = repo.introductions(tip, &[(path.to_owned(), blob)])?;
//!     Ok(found.get(path).map(|introduction| introduction.commit))
//! }
//! ```

use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::path::Path;

use git2::{Commit, ErrorCode, Oid};

use super::compare::{After, differing_paths};
use super::{Error, Repo};

/// Where a recording came into a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduction {
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

/// A recording that a commit has at a path where a parent has not; with the path that it was moved from, if it was.
struct New {
    blob: Oid,
    path: String,
    from: Option<String>,
}

impl Repo {
    /// The commit that introduced a file to a history: it has the file, and none of its parents has the
    /// same. Recordings are never changed, so there is one way back to it.
    ///
    /// # Errors
    /// An object that cannot be read.
    pub(crate) fn introducing_commit(&self, tip: Oid, path: &str) -> Result<Oid, Error> {
        let path = Path::new(path);
        let blob_of = |commit: &Commit<'_>| -> Result<Option<Oid>, Error> {
            Ok(commit.tree()?.get_path(path).ok().map(|entry| entry.id()))
        };
        let mut found = self.git.find_commit(tip)?;
        let wanted = blob_of(&found)?;
        loop {
            let mut next = None;
            for parent in found.parents() {
                if blob_of(&parent)? == wanted {
                    next = Some(parent);
                    break;
                }
            }
            match next {
                Some(parent) => found = parent,
                None => return Ok(found.id()),
            }
        }
    }

    /// The commits of a history that introduced these recordings, paths and blobs of its tip; by their path there.
    ///
    /// # Errors
    /// A commit or tree that is missing or damaged; a history that ends early (a shallow clone) is none.
    pub fn introductions(
        &self,
        tip: Oid,
        wanted: &[(String, Oid)],
    ) -> Result<BTreeMap<String, Introduction>, Error> {
        let mut sought: HashMap<Oid, Vec<Sought>> = HashMap::new();
        for (path, blob) in wanted {
            let entry = Sought { at_tip: path.clone(), path: path.clone() };
            sought.entry(*blob).or_default().push(entry);
        }
        let mut found = BTreeMap::new();
        let (mut open, mut seen) = (BinaryHeap::new(), HashSet::from([tip]));
        open.extend(self.commit_if_here(tip)?.map(|commit| (commit.time().seconds(), tip)));
        while let Some((_, id)) = open.pop().filter(|_| !sought.is_empty()) {
            let Some(commit) = self.commit_if_here(id)? else { continue };
            let mut parents = Vec::new();
            for parent in commit.parent_ids() {
                if let Some(parent) = self.commit_if_here(parent)? {
                    if seen.insert(parent.id()) {
                        open.push((parent.time().seconds(), parent.id()));
                    }
                    parents.push(parent);
                }
            }
            let parent = parents.first().map(Commit::id);
            for New { blob, path, from } in self.new_recordings(&commit, &parents, &sought)? {
                let Some(all) = sought.get_mut(&blob) else { continue };
                if let Some(from) = from {
                    let moved = all.iter_mut().filter(|one| one.path == path);
                    moved.for_each(|one| one.path.clone_from(&from));
                    continue;
                }
                for one in all.extract_if(.., |one| one.path == path) {
                    found.insert(one.at_tip, Introduction { commit: id, path: path.clone(), parent });
                }
                if all.is_empty() {
                    sought.remove(&blob);
                }
            }
        }
        Ok(found)
    }

    /// A commit; none where a shallow clone does not have it.
    fn commit_if_here(&self, id: Oid) -> Result<Option<Commit<'_>>, Error> {
        match self.git.find_commit(id) {
            Ok(commit) => Ok(Some(commit)),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The recordings that a commit has and none of its parents has at the same path.
    fn new_recordings(
        &self,
        commit: &Commit<'_>,
        parents: &[Commit<'_>],
        sought: &HashMap<Oid, Vec<Sought>>,
    ) -> Result<Vec<New>, Error> {
        let trees: Vec<Option<Oid>> = match parents {
            [] => vec![None],
            parents => parents.iter().map(|parent| Some(parent.tree_id())).collect(),
        };
        let mut new: Option<Vec<New>> = None;
        for parent in trees {
            let mut added = self.recordings_of_one_tree(Some(commit.tree_id()), parent, sought)?;
            if let Some(new) = &new {
                added.retain(|(_, path)| new.iter().any(|known| known.path == *path));
            }
            if added.is_empty() {
                return Ok(Vec::new());
            }
            let mut removed: HashMap<Oid, Vec<String>> = HashMap::new();
            for (blob, path) in self.recordings_of_one_tree(parent, Some(commit.tree_id()), sought)? {
                removed.entry(blob).or_default().push(path);
            }
            let with_origin =
                |(blob, path)| New { blob, path, from: removed.get_mut(&blob).and_then(Vec::pop) };
            new = Some(added.into_iter().map(with_origin).collect());
        }
        Ok(new.unwrap_or_default())
    }

    /// The recordings that a tree has and another has not at the same path.
    fn recordings_of_one_tree(
        &self,
        tree: Option<Oid>,
        other: Option<Oid>,
        sought: &HashMap<Oid, Vec<Sought>>,
    ) -> Result<Vec<(Oid, String)>, Error> {
        let mut found = Vec::new();
        differing_paths(self, tree, other, &|_| true, &mut |one| {
            let path = String::from_utf8_lossy(&one.path).into_owned();
            let is_ours = matches!(path.rsplit('/').nth(1), Some("elaborations" | "analysis"));
            let is_same = matches!(one.after, After::Object(after) if after.id == one.old.id);
            if is_ours && !is_same && sought.contains_key(&one.old.id) {
                found.push((one.old.id, path));
            }
        })?;
        Ok(found)
    }
}
