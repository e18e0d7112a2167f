//! The trees and the commit that a change makes, as bytes: only the folders on the way to a changed
//! file are written anew (git's tree and commit formats). Nothing is written here; the same bytes
//! are hashed when a commit is made and when a replay asks which commit it would be.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use git2::{ObjectType, Oid, Signature};
use sha1::{Digest as _, Sha1};

use super::compare::{Entries, FOLDER, Object as Stands, order};
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
    let mut made = Made { kept: Some(Vec::new()) };
    let commit = made.commit(objects, wanted)?;
    Ok(commit.map(|commit| Graft { commit, objects: made.kept.unwrap_or_default() }))
}

/// The id of the commit that is wanted: the same bytes, hashed and not kept.
///
/// # Errors
/// As [`graft`].
pub fn id(objects: &Objects, wanted: &Wanted<'_>) -> Result<Option<Oid>, Error> {
    Made { kept: None }.commit(objects, wanted)
}

/// What is made on the way to a commit, where it is kept.
struct Made {
    kept: Option<Vec<Object>>,
}

impl Made {
    fn commit(&mut self, objects: &Objects, wanted: &Wanted<'_>) -> Result<Option<Oid>, Error> {
        let mut root = Folder::default();
        for change in wanted.additive.changes() {
            root.add(&change.path, change)?;
        }
        let parent = objects.tree_of(wanted.parent)?;
        let Some(tree) = root.tree(objects, Some(parent), self)? else { return Ok(None) };
        if !wanted.author.is_plain() {
            return Err(Error::Author(crate::text::plain::shown(&wanted.author.name)));
        }
        let who =
            Signature::new(&wanted.author.name, &wanted.author.email, &git2::Time::new(wanted.time, 0))?;
        let mut bytes = format!("tree {tree}\nparent {}\n", wanted.parent).into_bytes();
        for role in ["author", "committer"] {
            let parts: [&[u8]; 5] = [role.as_bytes(), b" ", who.name_bytes(), b" <", who.email_bytes()];
            parts.iter().for_each(|part| bytes.extend_from_slice(part));
            bytes.extend_from_slice(format!("> {} +0000\n", wanted.time).as_bytes());
        }
        bytes.push(b'\n');
        bytes.extend_from_slice(wanted.message.as_bytes());
        self.keep(ObjectType::Commit, &[&bytes]).map(Some)
    }

    /// The id of an object whose bytes come in pieces.
    fn keep(&mut self, kind: ObjectType, pieces: &[&[u8]]) -> Result<Oid, Error> {
        let id = hash(kind, pieces)?;
        if let Some(kept) = &mut self.kept {
            kept.push(Object { id, kind, data: pieces.concat() });
        }
        Ok(id)
    }
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
                path: crate::text::plain::shown(&change.path),
                what: "no path of a tree",
            });
        }
        match rest {
            Some(rest) => self.folders.entry(name).or_default().add(rest, change)?,
            None => drop(self.files.insert(name, change)),
        }
        Ok(())
    }

    /// The folder's tree with its changes; none where something else is than was compared.
    fn tree(&self, objects: &Objects, old: Option<Oid>, made: &mut Made) -> Result<Option<Oid>, Error> {
        let bytes = old.map(|old| objects.tree(old)).transpose()?;
        let bytes = bytes.as_ref().map_or(&[][..], |bytes| bytes.as_slice());
        let files = self.files.keys().map(|name| Place::of(name, false));
        let mut places: Vec<Place<'_>> =
            files.chain(self.folders.keys().map(|name| Place::of(name, true))).collect();
        let Some(bytes) = find(bytes, &mut places) else {
            return Err(Error::Damaged(
                "a tree on the way cannot be read, or is out of order; `git fsck` says more".to_owned(),
            ));
        };
        let (files, folders) = places.split_at_mut(self.files.len());
        for (place, change) in files.iter_mut().zip(self.files.values()) {
            let Some(mode) = mode(place.stands, change)? else { return Ok(None) };
            let id = made.keep(ObjectType::Blob, &[&change.after])?;
            place.becomes = Stands { id, mode };
        }
        for (place, folder) in folders.iter_mut().zip(self.folders.values()) {
            if place.stands.is_some_and(|stands| stands.mode != FOLDER) {
                return Ok(None);
            }
            let stands = place.stands.map(|stands| stands.id);
            let Some(id) = folder.tree(objects, stands, made)? else { return Ok(None) };
            place.becomes = Stands { id, mode: FOLDER };
        }
        let pieces = with(&bytes, places);
        let pieces: Vec<&[u8]> = pieces.iter().map(AsRef::as_ref).collect();
        made.keep(ObjectType::Tree, &pieces).map(Some)
    }
}

/// Where in a tree's bytes an entry is or belongs, and what it becomes.
struct Place<'a> {
    name: &'a [u8],
    folder: bool,
    stands: Option<Stands>,
    /// The bytes of the entry; where there is none, no bytes where it belongs in git's order.
    at: Range<usize>,
    becomes: Stands,
}

impl Place<'_> {
    fn of(name: &str, folder: bool) -> Place<'_> {
        let becomes = Stands { id: Oid::ZERO_SHA1, mode: 0 };
        Place { name: name.as_bytes(), folder, stands: None, at: 0..0, becomes }
    }
}

/// Looks for entries in a tree's bytes: the bytes, in git's form. None where they are no tree, or out of git's order.
fn find<'t>(bytes: &'t [u8], places: &mut [Place<'_>]) -> Option<Cow<'t, [u8]>> {
    let mut starts = Vec::with_capacity(bytes.len() / 32);
    let mut all = Entries(bytes);
    let mut before: Option<(&[u8], bool)> = None;
    while !all.0.is_empty() {
        let start = bytes.len() - all.0.len();
        // Old programs wrote modes with a zero in front.
        if bytes[start] == b'0' {
            let bytes = canonical(bytes)?;
            return find(&bytes, places).map(|bytes| Cow::Owned(bytes.into_owned()));
        }
        let entry = all.next()??;
        let this = (entry.name, entry.mode == FOLDER);
        // Twice the same name, or none in its place: git would find one of them only.
        if before.is_some_and(|before| order(before, this) != Ordering::Less) {
            return None;
        }
        before = Some(this);
        starts.push(start);
    }
    let start = |at: usize| starts.get(at).copied().unwrap_or(bytes.len());
    let entry = |start: usize| Entries(&bytes[start..]).next().flatten();
    for place in places {
        let of = |folder: bool| {
            starts.binary_search_by(|start| match entry(*start) {
                Some(entry) => order((entry.name, entry.mode == FOLDER), (place.name, folder)),
                None => Ordering::Greater,
            })
        };
        // As what it is to be, else as what may not be there.
        match of(place.folder).or_else(|at| of(!place.folder).map_err(|_| at)) {
            Ok(at) => {
                let entry = entry(start(at))?;
                place.stands = Some(Stands { id: entry.id()?, mode: entry.mode });
                place.at = start(at)..start(at + 1);
            }
            Err(at) => place.at = start(at)..start(at),
        }
    }
    Some(Cow::Borrowed(bytes))
}

fn canonical(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    for entry in Entries(bytes) {
        let entry = entry?.entry()?;
        write(entry.name, entry.object, &mut out);
    }
    Some(out)
}

/// A tree's bytes with some entries as they become, in pieces; all others stay as they are.
fn with<'t>(bytes: &'t [u8], mut places: Vec<Place<'_>>) -> Vec<Cow<'t, [u8]>> {
    places.sort_by(|a, b| {
        let in_order = || order((a.name, a.folder), (b.name, b.folder));
        a.at.start.cmp(&b.at.start).then_with(in_order)
    });
    let (mut pieces, mut from) = (Vec::with_capacity(places.len() * 2 + 1), 0);
    for place in &places {
        pieces.push(Cow::Borrowed(&bytes[from..place.at.start]));
        let mut entry = Vec::with_capacity(place.name.len() + 28);
        write(place.name, place.becomes, &mut entry);
        pieces.push(Cow::Owned(entry));
        from = place.at.end;
    }
    pieces.push(Cow::Borrowed(&bytes[from..]));
    pieces
}

fn write(name: &[u8], object: Stands, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{:o} ", object.mode).as_bytes());
    out.extend_from_slice(name);
    out.push(0);
    out.extend_from_slice(object.id.as_bytes());
}

/// The mode to write a file with, or none where the tree does not hold what was compared.
fn mode(stands: Option<Stands>, change: &Change) -> Result<Option<u32>, Error> {
    let (Some(stands), Some(before)) = (stands, &change.before) else {
        return Ok((stands.is_none() && change.before.is_none()).then_some(0o100_644));
    };
    let same = hash(ObjectType::Blob, &[before])? == stands.id;
    Ok(match stands.mode {
        0o100_644 | 0o100_664 if same => Some(0o100_644),
        0o100_755 if same => Some(0o100_755),
        _ => None,
    })
}

/// The id of an object (gitformat-loose: the hash over kind, size and bytes). Whatever is committed is
/// read back through libgit2, whose own hash looks for collisions.
fn hash(kind: ObjectType, pieces: &[&[u8]]) -> Result<Oid, Error> {
    let mut all = Sha1::new();
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    all.update(format!("{} {length}\0", kind.str()));
    pieces.iter().for_each(|piece| all.update(piece));
    Ok(Oid::from_bytes(&all.finalize())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[(&str, u32, u8)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, mode, id) in entries {
            write(
                name.as_bytes(),
                Stands { id: Oid::from_bytes(&[*id; 20]).unwrap(), mode: *mode },
                &mut out,
            );
        }
        out
    }

    fn edited(bytes: &[u8], edits: &[(&str, bool, u8)]) -> Vec<u8> {
        let mut places: Vec<Place<'_>> =
            edits.iter().map(|(name, folder, _)| Place::of(name, *folder)).collect();
        let bytes = find(bytes, &mut places).unwrap();
        for (place, (_, folder, id)) in places.iter_mut().zip(edits) {
            let mode = if *folder { FOLDER } else { 0o100_644 };
            place.becomes = Stands { id: Oid::from_bytes(&[*id; 20]).unwrap(), mode };
        }
        with(&bytes, places).concat()
    }

    #[test]
    fn an_entry_is_replaced_in_its_place_or_goes_to_gits() {
        let (file, folder) = (0o100_644, FOLDER);
        let old = tree(&[("a.b", file, 1), ("a", folder, 2), ("b", file, 3)]);
        let new = [("a", true, 9), ("A", false, 7), ("a0", false, 8), ("c", true, 6), ("ca", false, 5)];
        let wanted = [
            ("A", file, 7),
            ("a.b", file, 1),
            ("a", folder, 9),
            ("a0", file, 8),
            ("b", file, 3),
            ("c", folder, 6),
            ("ca", file, 5),
        ];
        assert_eq!(edited(&old, &new), tree(&wanted));
        assert_eq!(edited(b"", &new[3..]), tree(&wanted[5..]));
    }

    #[test]
    fn a_mode_with_a_zero_in_front_is_written_without() {
        let old = [&b"100644 a\0aaaaaaaaaaaaaaaaaaaa"[..], b"040000 b\0bbbbbbbbbbbbbbbbbbbb"].concat();
        let wanted = tree(&[("a", 0o100_644, b'a'), ("b", FOLDER, b'b'), ("c", 0o100_644, b'c')]);
        assert_eq!(edited(&old, &[("c", false, b'c')]), wanted);
    }

    #[test]
    fn a_damaged_tree_is_none() {
        assert!(find(b"100644 a\0short", &mut []).is_none());
    }
}
