//! The trees and the commit that a change makes, built by libgit2 in memory. Nothing is written to disk here: a commit
//! is made from the same objects that a replay asks for their id.
//!
//! Invariant: a commit changes only the files of its [`Additive`](crate::additive::Additive), each from the bytes it
//! was compared with. A change of `docs/a.md` makes a blob, the trees of `docs` and of the root, and the commit.

use std::collections::BTreeSet;
use std::path::Path;

use git2::build::TreeUpdateBuilder;
use git2::{FileMode, ObjectType, Oid, Signature, Tree};

use super::compare::sound_entries;
use super::pack::PackedObject;
use super::{Error, FOLDER, Repo, Wanted};
use crate::item::Change;

/// A commit that is not in the repository yet.
pub struct NewCommit {
    pub id: Oid,
    /// The commit, its new trees and its new files.
    pub objects: Vec<PackedObject>,
}

/// The commit that is wanted, or none where the parent's files are not those that were compared.
///
/// # Errors
/// A parent that cannot be read, a path or an author that git has no form for.
pub(crate) fn build_commit(repo: &Repo, wanted: &Wanted<'_>) -> Result<Option<NewCommit>, Error> {
    let memory = repo.in_memory()?;
    let git = memory.git();
    let parent = git.find_commit(wanted.parent)?;
    let before = parent.tree()?;
    let mut update = TreeUpdateBuilder::new();
    let mut ids = BTreeSet::new();
    for change in wanted.additive.changes() {
        let Some(mode) = mode_of(&memory, &before, change)? else { return Ok(None) };
        let blob = git.blob(&change.after)?;
        ids.insert(blob);
        update.upsert(change.path.as_str(), blob, mode);
    }
    let tree = git.find_tree(update.create_updated(git, &before)?)?;
    ids.insert(tree.id());
    for change in wanted.additive.changes() {
        for folder in Path::new(&change.path).ancestors().skip(1).filter(|path| *path != Path::new("")) {
            ids.insert(tree.get_path(folder)?.id());
        }
    }
    let who = signature(wanted)?;
    let bytes = git.commit_create_buffer(&who, &who, wanted.message, &tree, &[&parent])?;
    let odb = git.odb()?;
    let id = odb.write(ObjectType::Commit, &bytes)?;
    ids.insert(id);
    let read = |id: Oid| -> Result<PackedObject, Error> {
        let object = odb.read(id)?;
        Ok(PackedObject { id, kind: object.kind(), data: object.data().to_vec() })
    };
    Ok(Some(NewCommit { id, objects: ids.into_iter().map(read).collect::<Result<_, _>>()? }))
}

fn signature(wanted: &Wanted<'_>) -> Result<Signature<'static>, Error> {
    if !wanted.author.is_plain() {
        return Err(Error::Author(crate::text::plain::shown(&wanted.author.name)));
    }
    Ok(Signature::new(&wanted.author.name, &wanted.author.email, &git2::Time::new(wanted.time, 0))?)
}

/// The mode to write a file with, or none where the tree does not hold what was compared.
fn mode_of(repo: &Repo, root: &Tree<'_>, change: &Change) -> Result<Option<FileMode>, Error> {
    let refused =
        || Error::Foreign { path: crate::text::plain::shown(&change.path), what: "no path of a tree" };
    let is_refused = |name: &str| {
        matches!(name, "" | "." | "..") || name.contains('\0') || name.eq_ignore_ascii_case(".git")
    };
    if change.path.split('/').any(is_refused) {
        return Err(refused());
    }
    let mut names: Vec<&str> = change.path.split('/').collect();
    let file = names.pop().ok_or_else(refused)?;
    let mut folder = Some(root.clone());
    // libgit2 would put a tree that is out of order in order, and so change other files.
    check_order(root)?;
    for name in names {
        let entry = folder.as_ref().and_then(|tree| tree.get_name(name));
        folder = match entry.map(|entry| (entry.id(), entry.filemode_raw().unsigned_abs())) {
            Some((id, FOLDER)) => Some(repo.git().find_tree(id)?),
            Some(_) => return Ok(None),
            None => None,
        };
        folder.as_ref().map_or(Ok(()), check_order)?;
    }
    let found = folder.as_ref().and_then(|tree| tree.get_name(file));
    let (Some(found), Some(before)) = (&found, &change.before) else {
        return Ok((found.is_none() && change.before.is_none()).then_some(FileMode::Blob));
    };
    let is_same = Oid::hash_object(ObjectType::Blob, before)? == found.id();
    Ok(match found.filemode_raw() {
        0o100_644 | 0o100_664 if is_same => Some(FileMode::Blob),
        0o100_755 if is_same => Some(FileMode::BlobExecutable),
        _ => None,
    })
}

fn check_order(tree: &Tree<'_>) -> Result<(), Error> {
    let wrong = || {
        Error::Damaged(
            "a tree on the way cannot be read, or is out of order; `git fsck` says more".to_owned(),
        )
    };
    sound_entries(tree).map(drop).ok_or_else(wrong)
}
