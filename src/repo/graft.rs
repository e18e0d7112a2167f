//! The trees and the commit that a change makes, as bytes: only the folders on the way to a changed
//! file are written anew (git's tree and commit formats). Nothing is written here; the same bytes
//! are hashed when a commit is made and when a replay asks which commit it would be.

use std::collections::BTreeMap;

use git2::{ObjectType, Oid, Signature};
use sha1::{Digest as _, Sha1};

use super::compare::{Entry, FOLDER, entries, find};
use super::pack::Object;
use super::{Error, Objects, Wanted};
use crate::item::Change;

/// A commit that is not in the repository yet, and every object it is new with.
pub struct Graft {
    pub commit: Oid,
    pub objects: Vec<Object>,
}

/// The commit that is wanted, or none where the parent's files are not those that were compared.
///
/// # Errors
/// A parent that cannot be read, a path or an author that git has no form for.
pub fn graft(objects: &Objects, wanted: &Wanted<'_>) -> Result<Option<Graft>, Error> {
    let mut root = Folder::default();
    for change in wanted.additive.changes() {
        root.add(&change.path, change)?;
    }
    let mut made = Vec::new();
    let parent = objects.tree_of(wanted.parent)?;
    let Some(tree) = root.tree(objects, Some(parent), &mut made)? else { return Ok(None) };
    let who = Signature::new(&wanted.author.name, &wanted.author.email, &git2::Time::new(wanted.time, 0))?;
    let mut bytes = format!("tree {tree}\nparent {}\n", wanted.parent).into_bytes();
    for role in ["author", "committer"] {
        let parts: [&[u8]; 5] = [role.as_bytes(), b" ", who.name_bytes(), b" <", who.email_bytes()];
        bytes.extend(parts.concat());
        bytes.extend(format!("> {} +0000\n", wanted.time).bytes());
    }
    bytes.push(b'\n');
    bytes.extend(wanted.message.bytes());
    let commit = keep(ObjectType::Commit, bytes, &mut made)?;
    Ok(Some(Graft { commit, objects: made }))
}

/// The changes of a folder.
#[derive(Default)]
struct Folder<'a> {
    files: BTreeMap<&'a str, &'a Change>,
    folders: BTreeMap<&'a str, Folder<'a>>,
}

impl<'a> Folder<'a> {
    fn add(&mut self, path: &'a str, change: &'a Change) -> Result<(), Error> {
        let (name, rest) = path.split_once('/').map_or((path, None), |(name, rest)| (name, Some(rest)));
        if matches!(name, "" | "." | "..") || name.contains('\0') || name.eq_ignore_ascii_case(".git") {
            return Err(Error::Foreign {
                path: crate::plain::shown(&change.path),
                what: "no path of a tree",
            });
        }
        match rest {
            Some(rest) => self.folders.entry(name).or_default().add(rest, change)?,
            None => drop(self.files.insert(name, change)),
        }
        Ok(())
    }

    /// The folder's tree with its changes; none where something else stands than was compared.
    fn tree(
        &self,
        objects: &Objects,
        old: Option<Oid>,
        made: &mut Vec<Object>,
    ) -> Result<Option<Oid>, Error> {
        let bytes = old.map(|old| objects.tree(old)).transpose()?;
        let Some(mut found) = entries(bytes.as_ref().map_or(&[], |bytes| bytes.as_slice())) else {
            return Err(Error::Damaged("a tree on the way cannot be read".to_owned()));
        };
        for (name, change) in &self.files {
            let stands = found.iter().find(|entry| entry.name == name.as_bytes());
            let Some(mode) = mode(stands, change)? else { return Ok(None) };
            let id = keep(ObjectType::Blob, change.after.clone(), made)?;
            put(&mut found, name.as_bytes(), super::compare::Object { id, mode });
        }
        for (name, folder) in &self.folders {
            let stands = find(&found, name.as_bytes(), true).map(|entry| entry.object.id);
            if stands.is_none() && find(&found, name.as_bytes(), false).is_some() {
                return Ok(None);
            }
            let Some(id) = folder.tree(objects, stands, made)? else { return Ok(None) };
            put(&mut found, name.as_bytes(), super::compare::Object { id, mode: FOLDER });
        }
        let mut tree = Vec::with_capacity(found.len() * 40);
        for entry in &found {
            tree.extend(format!("{:o} ", entry.object.mode).bytes());
            tree.extend(entry.name);
            tree.push(0);
            tree.extend(entry.object.id.as_bytes());
        }
        Ok(Some(keep(ObjectType::Tree, tree, made)?))
    }
}

/// The mode to write a file with, or none where the tree does not hold what was compared.
fn mode(stands: Option<&Entry<'_>>, change: &Change) -> Result<Option<u32>, Error> {
    let (Some(entry), Some(before)) = (stands, &change.before) else {
        return Ok((stands.is_none() && change.before.is_none()).then_some(0o100_644));
    };
    let same = hash(ObjectType::Blob, before)? == entry.object.id;
    Ok(match entry.object.mode {
        0o100_644 | 0o100_664 if same => Some(0o100_644),
        0o100_755 if same => Some(0o100_755),
        _ => None,
    })
}

/// Puts an entry at its place in git's order.
fn put<'t>(entries: &mut Vec<Entry<'t>>, name: &'t [u8], object: super::compare::Object) {
    let folder = object.mode == FOLDER;
    match entries.binary_search_by(|entry| entry.order(name, folder)) {
        Ok(at) => entries[at].object = object,
        Err(at) => entries.insert(at, Entry { name, object }),
    }
}

/// The id of an object (gitformat-loose: the hash over kind, size and bytes). Whatever is committed is
/// read back through libgit2, whose own hash looks for collisions.
fn hash(kind: ObjectType, data: &[u8]) -> Result<Oid, Error> {
    let mut all = Sha1::new();
    all.update(format!("{} {}\0", kind.str(), data.len()));
    all.update(data);
    Ok(Oid::from_bytes(&all.finalize())?)
}

fn keep(kind: ObjectType, data: Vec<u8>, made: &mut Vec<Object>) -> Result<Oid, Error> {
    let id = hash(kind, &data)?;
    made.push(Object { id, kind, data });
    Ok(id)
}
