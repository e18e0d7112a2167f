//! Objects read in large numbers, for comparing trees: gitoxide's object database, which reads packs
//! several times faster than libgit2 and is shared between threads. What it does not know (objects
//! in a push's quarantine, trees that are in memory only) is asked of libgit2.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use git2::{ObjectType, Oid};
use gix_object::Find as _;

use super::range::Unwritten;
use super::{Error, Repo};

/// A reader of objects; each thread has its own.
pub struct Objects {
    repo: Repo,
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
    ///
    /// # Errors
    /// A repository that cannot be opened once more.
    pub fn objects(&self, unwritten: Unwritten) -> Result<Objects, Error> {
        let folder = self.git.commondir().join("objects");
        // Where it cannot be had, libgit2 reads everything.
        let fast = gix_odb::at(folder, gix_hash::Kind::Sha1).and_then(gix_odb::Handle::into_arc).ok();
        Ok(Objects { repo: self.again()?, fast, unwritten: Arc::new(unwritten), trees: None })
    }
}

/// Memory of a reader of history for the bases that objects in packs are made from, and for trees.
const BASES: usize = 96 << 20;
const TREES: usize = 64 << 20;

impl Objects {
    /// Another reader, for another thread.
    ///
    /// # Errors
    /// A repository that cannot be opened once more.
    pub fn again(&self) -> Result<Objects, Error> {
        let unwritten = Arc::clone(&self.unwritten);
        Ok(Objects { repo: self.repo.again()?, fast: self.fast.clone(), unwritten, trees: None })
    }

    /// The same reader for many commits of one history, which have most of their trees, and the
    /// bases of their objects, in common: it remembers them.
    pub fn of_history(mut self) -> Objects {
        if let Some(fast) = &mut self.fast {
            fast.set_pack_cache(|| Box::new(gix_pack::cache::lru::MemoryCappedHashmap::new(BASES)));
        }
        self.trees = Some(RefCell::default());
        self
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

    /// The repository itself.
    pub fn repo(&self) -> &Repo {
        &self.repo
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
        let odb = self.repo.git.odb()?;
        let object = odb.read(id)?;
        if object.kind() != kind {
            return Err(Error::Damaged(format!("{id} is not the {kind} it should be")));
        }
        buffer.clear();
        buffer.extend_from_slice(object.data());
        Ok(())
    }
}

fn is(found: gix_object::Kind, wanted: ObjectType) -> bool {
    matches!(
        (found, wanted),
        (gix_object::Kind::Blob, ObjectType::Blob)
            | (gix_object::Kind::Tree, ObjectType::Tree)
            | (gix_object::Kind::Commit, ObjectType::Commit)
    )
}
