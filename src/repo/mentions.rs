//! Where the repository mentions an item's subject, counted with git's own objects.

use std::collections::BTreeMap;

use git2::{ObjectType, Oid};
use memchr::memmem::Finder;

use super::compare::Entries;
use super::packs::Bytes;
use super::{Entry, Error, Objects, kind_of};
use crate::voice::evidence::Mentions;

/// Bytes and files that are looked into; beyond them the counts are lower bounds.
const MOST_BYTES: usize = 128 * 1024;
const MOST_FILES: usize = 96;
/// Larger files are data, not text about something.
const LARGEST: u64 = 64 * 1024;
/// Tree entries that are visited at all.
const MOST_ENTRIES: usize = 50_000;

/// Folders are entered to this depth.
const DEEPEST: usize = 32;

struct Search<'a> {
    /// Each word with what finds it.
    words: Vec<(&'a str, Finder<'a>)>,
    /// The item's own folder, which mentions its subject anyway.
    own: &'a str,
    found: BTreeMap<String, Vec<String>>,
    bytes: usize,
    files: usize,
    entries: usize,
    partial: bool,
}

impl Objects {
    /// The files of a commit that mention one of some words, outside the folder `own`.
    ///
    /// # Errors
    /// An object that cannot be read.
    pub fn mentions(&self, commit: Oid, words: &[String], own: &str) -> Result<Mentions, Error> {
        let found = BTreeMap::new();
        let finders = words.iter().filter(|word| !word.is_empty());
        let finders = finders.map(|word| (word.as_str(), Finder::new(word))).collect();
        let mut search =
            Search { words: finders, own, found, bytes: 0, files: 0, entries: 0, partial: false };
        if !words.is_empty() {
            self.search(self.tree_of(commit)?, "", &mut search)?;
        }
        Ok(Mentions { paths: search.found, partial: search.partial })
    }

    fn search(&self, tree: Oid, prefix: &str, search: &mut Search<'_>) -> Result<(), Error> {
        let damaged = || Error::Damaged(format!("the tree {tree} cannot be read"));
        let bytes = self.tree(tree)?;
        for entry in Entries(&bytes) {
            search.entries += 1;
            if search.entries > MOST_ENTRIES {
                search.partial = true;
                return Ok(());
            }
            let entry = entry.and_then(|entry| entry.entry()).ok_or_else(damaged)?;
            let path = format!("{prefix}{}", String::from_utf8_lossy(entry.name));
            match kind_of(entry.object.mode) {
                Entry::Folder if prefix.matches('/').count() >= DEEPEST => search.partial = true,
                Entry::Folder if path == search.own || !crate::plain::is_clean(&path) => {}
                Entry::Folder => self.search(entry.object.id, &format!("{path}/"), search)?,
                Entry::File if crate::plain::is_clean(&path) => {
                    self.look_into(entry.object.id, &path, search)?
                }
                Entry::File | Entry::Foreign(_) => {}
            }
        }
        Ok(())
    }

    /// Looks into a file while that is affordable. An object that cannot be read is an error: left
    /// out silently, the same commit would give another discussion on another machine.
    fn look_into(&self, id: Oid, path: &str, search: &mut Search<'_>) -> Result<(), Error> {
        let mut text = path.as_bytes().to_vec();
        if search.bytes >= MOST_BYTES || search.files >= MOST_FILES {
            search.partial = true;
        } else if !is_generated(path) {
            match self.small(id)? {
                Some(blob) => {
                    search.bytes += blob.len();
                    search.files += 1;
                    if memchr::memchr(0, &blob).is_none() {
                        text.push(b'\n');
                        text.extend_from_slice(&blob);
                    }
                }
                None => search.partial = true,
            }
        }
        let lower = text.to_ascii_lowercase();
        for (word, finder) in &search.words {
            if mentions(&lower, &text, finder) {
                search.found.entry((*word).to_owned()).or_default().push(path.to_owned());
            }
        }
        Ok(())
    }

    /// The bytes of a file that is no larger than what is looked into; none of a larger one.
    fn small(&self, id: Oid) -> Result<Option<Bytes>, Error> {
        if let Some(blob) = self.plain(id, ObjectType::Blob, LARGEST) {
            return Ok(Some(blob));
        }
        let (size, kind) = self.repo()?.git().odb()?.read_header(id)?;
        let is_small = kind == ObjectType::Blob && size as u64 <= LARGEST;
        if is_small { self.blob(id).map(Some) } else { Ok(None) }
    }
}

/// Lock files, snapshots and drawings mention everything and mean nothing by it.
pub(super) fn is_generated(path: &str) -> bool {
    [".lock", "-lock.json", ".snap", ".svg", ".min.js", ".map"].iter().any(|suffix| path.ends_with(suffix))
}

/// A word of fewer letters begins too many others: "form" stands in "formic" and "formula".
const SHORT: usize = 5;

/// Whether a word stands in a text, given in lower case and as it is written: at the beginning of a word, a short one
/// as a word of its own or in one of its forms. `syncState` is two words.
fn mentions(lower: &[u8], text: &[u8], word: &Finder<'_>) -> bool {
    let length = word.needle().len();
    let begins = |at: usize| {
        at == 0
            || !lower[at - 1].is_ascii_alphanumeric()
            || text[at].is_ascii_uppercase() && !text[at - 1].is_ascii_uppercase()
    };
    let ends = |at: usize| {
        text.get(at).is_none_or(|next| !next.is_ascii_alphanumeric() || next.is_ascii_uppercase())
    };
    let forms: [&[u8]; 6] = [b"", b"s", b"d", b"ed", b"er", b"ing"];
    let is_form = |at: usize| forms.iter().any(|form| lower[at..].starts_with(form) && ends(at + form.len()));
    // A word that begins inside of another occurrence of itself is none of its own.
    word.find_iter(lower).any(|at| begins(at) && (length >= SHORT || is_form(at + length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_mentioned_in_its_forms_and_not_inside_of_others() {
        let says = |text: &str, word: &str| {
            mentions(text.to_ascii_lowercase().as_bytes(), text.as_bytes(), &Finder::new(word))
        };
        for text in ["the form", "Forms, please", "formState = 1", "tax_form()", "a taxForm"] {
            assert!(says(text, "form"), "{text}");
        }
        for text in ["formic acid", "a formula", "platform"] {
            assert!(!says(text, "form"), "{text}");
        }
        assert!(says("the inspection", "inspect") && says("syncing", "sync") && !says("", "sync"));
        assert!(says("a resync and a sync", "sync") && !says("resyncs", "sync"));
    }
}
