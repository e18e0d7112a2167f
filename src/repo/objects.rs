//! Objects read in large numbers, for comparing trees: gitoxide's object database, which reads packs
//! several times faster than libgit2 and is shared between threads. What it does not know (objects
//! in a push's quarantine, trees that are in memory only) is asked of libgit2.

use git2::{ObjectType, Oid};
use gix_object::Find as _;

use super::{Error, Repo};

/// A reader of objects; each thread has its own.
pub struct Objects {
    repo: Repo,
    fast: Option<gix_odb::HandleArc>,
}

impl Repo {
    /// A reader of this repository's objects.
    ///
    /// # Errors
    /// A repository that cannot be opened once more.
    pub fn objects(&self) -> Result<Objects, Error> {
        let folder = self.git.commondir().join("objects");
        // Where it cannot be had, libgit2 reads everything.
        let fast = gix_odb::at(folder, gix_hash::Kind::Sha1).and_then(gix_odb::Handle::into_arc).ok();
        Ok(Objects { repo: self.again()?, fast })
    }
}

impl Objects {
    /// Another reader, for another thread.
    ///
    /// # Errors
    /// A repository that cannot be opened once more.
    pub fn again(&self) -> Result<Objects, Error> {
        Ok(Objects { repo: self.repo.again()?, fast: self.fast.clone() })
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
