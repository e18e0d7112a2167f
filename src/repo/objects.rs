//! Objects read in large numbers, for comparing trees: gitoxide's object database, which reads packs
//! several times faster than libgit2 and is shared between threads. What it does not know (objects
//! in a push's quarantine, trees that are in memory only) is asked of libgit2.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use git2::{ObjectType, Oid};
use gix_object::Find as _;

use super::range::{Step, Unwritten};
use super::{Error, Repo};

/// A reader of objects; each thread has its own.
pub struct Objects {
    /// Where the repository is, and whether git's own variables say so.
    place: PathBuf,
    from_env: bool,
    /// It is opened when it is asked for something.
    repo: OnceCell<Repo>,
    fast: Option<gix_odb::HandleArc>,
    /// Trees that are in memory only.
    unwritten: Arc<Unwritten>,
    /// The trees of a history that were read.
    trees: Option<RefCell<Trees>>,
}

#[derive(Default)]
struct Trees {
    found: HashMap<Oid, Arc<[u8]>>,
    size: usize,
}

impl Repo {
    /// A reader of this repository's objects, and of trees that are in memory only.
    pub fn objects(&self, unwritten: Unwritten) -> Objects {
        let folder = self.git.commondir().join("objects");
        // Where it cannot be had, libgit2 reads everything.
        let fast = gix_odb::at(folder, gix_hash::Kind::Sha1).and_then(gix_odb::Handle::into_arc).ok();
        Objects {
            place: self.git.path().to_owned(),
            from_env: self.from_env,
            repo: OnceCell::new(),
            fast,
            unwritten: Arc::new(unwritten),
            trees: None,
        }
    }
}

/// Memory of a reader of history for the bases that objects in packs are made from, and for trees.
const BASES: usize = 96 << 20;
const TREES: usize = 64 << 20;

impl Objects {
    /// Another reader, for another thread.
    pub fn again(&self) -> Objects {
        Objects {
            place: self.place.clone(),
            from_env: self.from_env,
            repo: OnceCell::new(),
            fast: self.fast.clone(),
            unwritten: Arc::clone(&self.unwritten),
            trees: None,
        }
    }

    /// The same reader for many commits of one history, which have most of their trees, and the
    /// bases of their objects, in common: it remembers them.
    pub fn of_history(mut self) -> Objects {
        self = self.remembering(BASES);
        self.trees = Some(RefCell::default());
        self
    }

    /// The same reader with this many bytes of memory for the bases of objects in packs.
    pub fn remembering(mut self, bytes: usize) -> Objects {
        if let Some(fast) = &mut self.fast {
            fast.set_pack_cache(move || Box::new(gix_pack::cache::lru::MemoryCappedHashmap::new(bytes)));
        }
        self
    }

    /// The way from `head` back to `base` along first parents: the short way to learn that `base` is
    /// an ancestor. It is given up where the way leads behind the time of `base`, and where a commit
    /// cannot be read: in a shallow clone that is no error.
    pub fn way_back(&self, base: Oid, head: Oid) -> WayBack {
        let mut buffer = Vec::new();
        let mut commit = |id: Oid| {
            self.read(id, ObjectType::Commit, &mut buffer).ok()?;
            parse(id, &buffer)
        };
        let Some((_, time)) = commit(base) else { return WayBack::Unknown };
        // Clocks of machines differ.
        let earliest = time.saturating_sub(24 * 3600);
        let (mut at, mut steps, mut is_straight) = (head, Vec::new(), true);
        while at != base {
            let Some((step, _)) = commit(at).filter(|(_, time)| *time >= earliest) else {
                return WayBack::Unknown;
            };
            let Some(parent) = step.parents.first().copied() else { return WayBack::Unknown };
            is_straight &= step.parents.len() == 1;
            steps.push(step);
            at = parent;
        }
        steps.reverse();
        if is_straight { WayBack::Straight(steps) } else { WayBack::Ancestor }
    }

    /// The bytes of a tree.
    ///
    /// # Errors
    /// A tree that is missing or damaged.
    pub fn tree(&self, id: Oid) -> Result<Arc<[u8]>, Error> {
        if let Some(found) = self.unwritten.get(&id) {
            return Ok(Arc::clone(found));
        }
        if let Some(found) = self.trees.as_ref().and_then(|trees| trees.borrow().found.get(&id).cloned()) {
            return Ok(found);
        }
        let mut bytes = Vec::new();
        self.read(id, ObjectType::Tree, &mut bytes)?;
        let bytes: Arc<[u8]> = bytes.into();
        if let Some(trees) = &self.trees {
            let mut trees = trees.borrow_mut();
            if trees.size > TREES {
                *trees = Trees::default();
            }
            trees.size += bytes.len();
            trees.found.insert(id, Arc::clone(&bytes));
        }
        Ok(bytes)
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// A commit that is missing or damaged.
    pub fn tree_of(&self, commit: Oid) -> Result<Oid, Error> {
        let mut bytes = Vec::new();
        self.read(commit, ObjectType::Commit, &mut bytes)?;
        let found = parse(commit, &bytes).map(|(step, _)| step.tree);
        found.ok_or_else(|| Error::Damaged(format!("the commit {commit} cannot be read")))
    }

    /// The repository itself.
    ///
    /// # Errors
    /// A repository that cannot be opened once more.
    pub fn repo(&self) -> Result<&Repo, Error> {
        if self.repo.get().is_none() {
            // Set once: nobody else has this cell.
            let _ = self.repo.set(Repo::reopen(&self.place, self.from_env)?);
        }
        self.repo.get().ok_or_else(|| Error::Damaged("the repository cannot be opened".to_owned()))
    }

    /// Reads an object into a buffer, whose former contents go.
    ///
    /// # Errors
    /// An object that is missing, damaged, or of another kind.
    pub fn read(&self, id: Oid, kind: ObjectType, buffer: &mut Vec<u8>) -> Result<(), Error> {
        if let (Some(fast), Ok(hash)) = (&self.fast, gix_hash::oid::try_from_bytes(id.as_bytes())) {
            match fast.try_find(hash, buffer) {
                Ok(Some(found)) if is(found.kind, kind) => return Ok(()),
                Ok(Some(_)) => return Err(Error::Damaged(format!("{id} is not the {kind} it should be"))),
                // libgit2 says what is wrong, or has it.
                Ok(None) | Err(_) => {}
            }
        }
        let odb = self.repo()?.git.odb()?;
        let object = odb.read(id)?;
        if object.kind() != kind {
            return Err(Error::Damaged(format!("{id} is not the {kind} it should be")));
        }
        buffer.clear();
        buffer.extend_from_slice(object.data());
        Ok(())
    }
}

/// What is known of the way between two commits.
pub enum WayBack {
    /// The base is an ancestor, and these are all commits between, the oldest first.
    Straight(Vec<Step>),
    /// The base is an ancestor; there are merges on the way.
    Ancestor,
    Unknown,
}

/// Tree, parents and time of a commit's bytes.
fn parse(commit: Oid, bytes: &[u8]) -> Option<(Step, i64)> {
    let id = |hex: &[u8]| Oid::from_str(std::str::from_utf8(hex).ok()?).ok();
    let (mut tree, mut parents) = (None, Vec::new());
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Some(hex) = line.strip_prefix(b"tree ") {
            tree = id(hex);
        } else if let Some(hex) = line.strip_prefix(b"parent ") {
            parents.push(id(hex)?);
        } else if let Some(who) = line.strip_prefix(b"committer ") {
            let time = std::str::from_utf8(who.rsplit(|byte| *byte == b' ').nth(1)?).ok()?.parse().ok()?;
            return Some((Step { commit, tree: tree?, parents }, time));
        }
    }
    None
}

fn is(found: gix_object::Kind, wanted: ObjectType) -> bool {
    matches!(
        (found, wanted),
        (gix_object::Kind::Blob, ObjectType::Blob)
            | (gix_object::Kind::Tree, ObjectType::Tree)
            | (gix_object::Kind::Commit, ObjectType::Commit)
    )
}
