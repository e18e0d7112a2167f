//! The trees and the commit that a change makes. libgit2 builds them in memory: the repository has none of them until
//! their pack is published.

use std::collections::BTreeSet;
use std::path::Path;

use git2::build::TreeUpdateBuilder;
use git2::{ErrorCode, FileMode, ObjectType, Oid, Repository, Signature, Tree};

use super::compare::sound;
use super::{Error, Objects, Repo, Wanted};
use crate::item::Change;

/// Before the backends that write to disk, whose priorities are 1 and 2.
const IN_MEMORY: i32 = 1_000;

/// A commit in memory, and every object that it is new with.
pub struct NewCommit {
    pub id: Oid,
    repo: Repo,
    objects: BTreeSet<Oid>,
}

impl NewCommit {
    /// The commit that is wanted, or none where the parent's files are not those that were compared.
    ///
    /// # Errors
    /// A parent that cannot be read, a path or an author that git has no form for.
    pub fn build(objects: &Objects, wanted: &Wanted<'_>) -> Result<Option<NewCommit>, Error> {
        if !wanted.author.is_plain() {
            return Err(Error::Author(crate::plain::shown(&wanted.author.name)));
        }
        let repo = objects.reopen()?;
        let mut new = BTreeSet::new();
        let id = {
            let (git, odb) = (repo.git(), repo.git().odb()?);
            odb.add_new_mempack_backend(IN_MEMORY)?;
            let parent = git.find_commit(wanted.parent)?;
            let Some(tree) = update_tree(git, &parent.tree()?, wanted.additive.changes(), &mut new)? else {
                return Ok(None);
            };
            let time = git2::Time::new(wanted.time, 0);
            let author = Signature::new(&wanted.author.name, &wanted.author.email, &time)?;
            let bytes = git.commit_create_buffer(&author, &author, wanted.message, &tree, &[&parent])?;
            odb.write(ObjectType::Commit, &bytes)?
        };
        new.insert(id);
        Ok(Some(NewCommit { id, repo, objects: new }))
    }

    /// Writes its objects as one pack into a folder; the pack's name.
    ///
    /// # Errors
    /// A pack that cannot be written.
    pub fn write_pack(&self, folder: &Path) -> Result<String, Error> {
        let mut builder = self.repo.git().packbuilder()?;
        builder.set_threads(1);
        for id in &self.objects {
            builder.insert_object(*id, None)?;
        }
        builder.write(folder, 0o444)?;
        let name = builder.name()?.map(str::to_owned);
        name.ok_or_else(|| Error::NotWritten(folder.display().to_string()))
    }
}

/// The tree with its changes, or none where it does not hold what was compared; `new` gets the ids of what is written.
fn update_tree<'r>(
    git: &'r Repository,
    old: &Tree<'r>,
    changes: &[Change],
    new: &mut BTreeSet<Oid>,
) -> Result<Option<Tree<'r>>, Error> {
    let mut update = TreeUpdateBuilder::new();
    for change in changes {
        refuse_odd_path(&change.path)?;
        refuse_damaged_folders(git, old, &change.path)?;
        let Some(mode) = mode_of(old, change)? else { return Ok(None) };
        let blob = git.blob(&change.after)?;
        new.insert(blob);
        update.upsert(change.path.as_str(), blob, mode);
    }
    let tree = git.find_tree(update.create_updated(git, old)?)?;
    new.insert(tree.id());
    for change in changes {
        for folder in folders_of(&change.path) {
            new.insert(tree.get_path(Path::new(folder))?.id());
        }
    }
    Ok(Some(tree))
}

/// The folders on the way to a file, without the root: `a`, `a/b` for `a/b/c.md`.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

fn refuse_odd_path(path: &str) -> Result<(), Error> {
    let is_odd = |name: &str| {
        matches!(name, "" | "." | "..") || name.contains('\0') || name.eq_ignore_ascii_case(".git")
    };
    match path.split('/').any(is_odd) {
        true => Err(Error::Foreign { path: crate::plain::shown(path), what: "no path of a tree" }),
        false => Ok(()),
    }
}

/// A folder with a name twice, or out of order, would lose an entry silently when it is written anew.
fn refuse_damaged_folders(git: &Repository, root: &Tree<'_>, path: &str) -> Result<(), Error> {
    let odb = git.odb()?;
    let below = folders_of(path).filter_map(|folder| root.get_path(Path::new(folder)).ok());
    let folders = below.filter(|entry| entry.kind() == Some(ObjectType::Tree)).map(|entry| entry.id());
    for tree in std::iter::once(root.id()).chain(folders) {
        if sound(odb.read(tree)?.data()).is_none() {
            return Err(Error::Damaged(
                "a tree on the way cannot be read, or is out of order; `git fsck` says more".to_owned(),
            ));
        }
    }
    Ok(())
}

/// The mode to write a file with, or none where the tree does not hold what was compared.
fn mode_of(old: &Tree<'_>, change: &Change) -> Result<Option<FileMode>, Error> {
    for folder in folders_of(&change.path) {
        if find_entry(old, folder)?.is_some_and(|(_, mode)| mode != FileMode::Tree) {
            return Ok(None);
        }
    }
    let entry = find_entry(old, &change.path)?;
    let (Some((id, mode)), Some(before)) = (&entry, &change.before) else {
        return Ok((entry.is_none() && change.before.is_none()).then_some(FileMode::Blob));
    };
    let is_same = Oid::hash_object(ObjectType::Blob, before)? == *id;
    Ok(match mode {
        FileMode::Blob | FileMode::BlobGroupWritable if is_same => Some(FileMode::Blob),
        FileMode::BlobExecutable if is_same => Some(FileMode::BlobExecutable),
        _ => None,
    })
}

fn find_entry(tree: &Tree<'_>, path: &str) -> Result<Option<(Oid, FileMode)>, Error> {
    match tree.get_path(Path::new(path)) {
        Ok(entry) => Ok(Some((entry.id(), mode_from(entry.filemode())))),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn mode_from(mode: i32) -> FileMode {
    match mode {
        0o040_000 => FileMode::Tree,
        0o100_644 => FileMode::Blob,
        0o100_664 => FileMode::BlobGroupWritable,
        0o100_755 => FileMode::BlobExecutable,
        0o120_000 => FileMode::Link,
        0o160_000 => FileMode::Commit,
        _ => FileMode::Unreadable,
    }
}
