//! Objects read in large numbers, for comparing trees: one reader a thread. Trees that are in memory only are read as
//! if they were in the repository.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use git2::{ObjectType, Oid};

use super::cut_off::{cut_off, with_alternates};
use super::range::{Step, Unwritten};
use super::{Error, Repo};

/// An object's bytes, shared by those who keep them.
pub type Bytes = Arc<Vec<u8>>;

/// A reader of objects; each thread has its own.
pub struct Objects {
    /// Where the repository is, and whether git's own variables say so.
    place: PathBuf,
    from_env: bool,
    /// It is opened when it is asked for something.
    repo: OnceCell<Repo>,
    /// The folders of objects: the repository's own, and those that it borrows from.
    folders: Arc<Vec<PathBuf>>,
    /// Trees that are in memory only.
    unwritten: Arc<Unwritten>,
    /// The trees of a history that were read.
    trees: Option<RefCell<Trees>>,
    /// The commit that was asked for last, and its tree.
    last: Cell<Option<(Oid, Oid)>>,
}

#[derive(Default)]
struct Trees {
    found: HashMap<Oid, Bytes>,
    size: usize,
}

impl Repo {
    /// A reader of this repository's objects, and of trees that are in memory only.
    pub fn objects(&self, unwritten: Unwritten) -> Objects {
        let mut folders = Vec::new();
        with_alternates(self.git.commondir().join("objects"), 0, &mut folders);
        Objects {
            place: self.git.path().to_owned(),
            from_env: self.from_env,
            repo: OnceCell::new(),
            folders: Arc::new(folders),
            unwritten: Arc::new(unwritten),
            trees: None,
            last: Cell::default(),
        }
    }
}

/// Bytes of trees that are remembered of a history (64 MiB).
const TREES: usize = 64 << 20;

impl Objects {
    /// Another reader, for another thread.
    pub fn again(&self) -> Objects {
        Objects {
            place: self.place.clone(),
            from_env: self.from_env,
            repo: OnceCell::new(),
            folders: Arc::clone(&self.folders),
            unwritten: Arc::clone(&self.unwritten),
            trees: self.trees.as_ref().map(|_| RefCell::default()),
            last: Cell::default(),
        }
    }

    /// The same reader for many commits of one history, which have most of their trees in common: it remembers them.
    pub fn of_history(mut self) -> Objects {
        self.trees = Some(RefCell::default());
        self
    }

    /// The way from `head` back to `base` along first parents: the short way to learn that `base` is
    /// an ancestor. It is given up where the way leads back before the time of `base`, and where a commit
    /// cannot be read: in a shallow clone that is no error.
    pub fn way_back(&self, base: Oid, head: Oid) -> WayBack {
        let commit = |id: Oid| parse(id, &self.read(id, ObjectType::Commit).ok()?);
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
    pub fn tree(&self, id: Oid) -> Result<Bytes, Error> {
        if let Some(found) = self.unwritten.get(&id) {
            return Ok(Arc::clone(found));
        }
        let Some(trees) = &self.trees else { return self.read(id, ObjectType::Tree) };
        if let Some(found) = trees.borrow().found.get(&id) {
            return Ok(Arc::clone(found));
        }
        let bytes = self.read(id, ObjectType::Tree)?;
        let mut trees = trees.borrow_mut();
        if trees.size > TREES {
            *trees = Trees::default();
        }
        trees.size += bytes.len();
        trees.found.insert(id, Arc::clone(&bytes));
        Ok(bytes)
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// A commit that is missing or damaged.
    pub fn tree_of(&self, commit: Oid) -> Result<Oid, Error> {
        if let Some(root) = self.root(commit) {
            return Ok(root);
        }
        let bytes = self.read(commit, ObjectType::Commit)?;
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

    /// The tree of a commit, if it can be read. Of one commit it is asked for often.
    pub(super) fn root(&self, commit: Oid) -> Option<Oid> {
        if let Some((_, tree)) = self.last.get().filter(|(last, _)| *last == commit) {
            return Some(tree);
        }
        let bytes = self.read(commit, ObjectType::Commit).ok()?;
        let tree = parse(commit, &bytes)?.0.tree;
        self.last.set(Some((commit, tree)));
        Some(tree)
    }

    /// Reads an object of no more than so many bytes; none where it is larger, another kind, or cannot be read.
    pub(super) fn read_small(&self, id: Oid, kind: ObjectType, most: u64) -> Option<Bytes> {
        let (size, found) = self.repo().ok()?.git.odb().ok()?.read_header(id).ok()?;
        (found == kind && size as u64 <= most).then(|| self.read(id, kind).ok())?
    }

    /// Reads an object.
    ///
    /// # Errors
    /// An object that is missing, damaged, or of another kind.
    pub fn read(&self, id: Oid, kind: ObjectType) -> Result<Bytes, Error> {
        if let Some(found) = self.unwritten.get(&id) {
            return Ok(Arc::clone(found));
        }
        let name = id.to_string();
        let (begin, rest) = name.split_at(2);
        // libgit2 never comes back from an object that is cut off.
        if let Some(error) = self.folders.iter().find_map(|folder| cut_off(&folder.join(begin).join(rest))) {
            return Err(error);
        }
        let odb = self.repo()?.git.odb()?;
        let object = odb.read(id)?;
        if object.kind() != kind {
            return Err(Error::Damaged(format!("{id} is not the {kind} it should be")));
        }
        Ok(Arc::new(object.data().to_vec()))
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
pub(super) fn parse(commit: Oid, bytes: &[u8]) -> Option<(Step, i64)> {
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
