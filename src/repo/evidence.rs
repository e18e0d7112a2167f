//! The files that a model's [evidence](crate::model::evidence) is taken from, as a commit has them.
//!
//! All files are counted once, word by word, on all threads, and the counts are kept in `roundtable/` of the git
//! folder under the id of what was counted. It is that of a list of paths and blobs without the folders of items: a
//! discussion that is committed doesn't change it. Counts that were cut off or altered are made anew.

use std::collections::{BTreeMap, BTreeSet};

use git2::{ObjectType, Oid};
use globset::GlobSet;

use super::{Error, Objects, Repo, There, trailers};
use crate::code::Words;
use crate::config;
use crate::discussion::event::Sent;
use crate::item::Item;
use crate::library::sha256;
use crate::model::evidence::{
    Asked, Evidence, Files, Listed, again, commits, gather, is_prose_or_code, is_readable,
};
use crate::plain;
use crate::secrets;
use crate::text::Language;
use crate::text::index::Index;
use crate::voice::sources::Excerpt;

/// The first line of kept counts.
const FORMAT: &[u8] = b"roundtable counts 1\n";
/// What the files of kept counts are called.
const COUNTS: &str = "counts";
/// Larger files are data.
const LARGEST: u64 = 1 << 20;
/// Of a file so many bytes are counted: what it is about is said by then.
const COUNTED: usize = 48 << 10;
/// How often a file's path counts.
const PATH: usize = 3;
/// Fewer files are counted faster than counts are kept.
const FEW: usize = 200;
/// Counts that are kept, the newest.
const KEPT: usize = 3;
/// Commits that are looked at for those that touched a file.
const WALKED: usize = 400;
/// The longest subject of a commit, in characters.
const SUBJECT: usize = 90;

/// What evidence leaves out, besides what is never sent.
#[derive(Clone, Debug, Default)]
pub struct Apart<'a> {
    /// The item's own folder: its documents are sent as such.
    pub item: &'a str,
    /// Folders whose files are sent only where they are named: those of other items.
    pub only_named: Vec<&'a str>,
    pub exclude: GlobSet,
}

/// The files of a commit.
pub struct Code {
    objects: Objects,
    commit: Oid,
    /// Those that were counted come first.
    listed: Vec<Listed>,
    counts: Counts,
}

impl Repo {
    /// The evidence for an item and these messages, as the settings allow it.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub fn evidence(
        &self,
        commit: Oid,
        item: &Item,
        messages: Vec<&str>,
        settings: &config::Evidence,
        items: &[&str],
    ) -> Result<Evidence, Error> {
        if !settings.repository || settings.max_chars == 0 {
            return Ok(Evidence::default());
        }
        // The settings were read before: their globs are some.
        let exclude = settings.excluded().unwrap_or_default();
        let code = self.code(commit, &Apart { item: &item.path, only_named: items.to_vec(), exclude })?;
        let (subject, documents) = (item.name(), item.documents().collect());
        Ok(gather(&Asked { subject: &subject, documents, messages, max_chars: settings.max_chars }, &code))
    }

    /// Lists and counts the files of a commit.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub fn code(&self, commit: Oid, apart: &Apart<'_>) -> Result<Code, Error> {
        let is_in = |path: &str, folder: &str| {
            path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        };
        let files = self.tree_files(self.tree_of(commit)?)?.into_iter();
        let files = files.filter(|(path, _)| {
            is_readable(path) && !is_in(path, apart.item) && !apart.exclude.is_match(path)
        });
        let (named, counted): (Vec<_>, Vec<_>) =
            files.partition(|(path, _)| apart.only_named.iter().any(|folder| is_in(path, folder)));
        let listed = |(path, id): &(String, Oid)| Listed { path: path.clone(), blob: id.to_string() };
        let listed: Vec<Listed> = counted.iter().chain(&named).map(listed).collect();
        let objects = self.objects(super::Unwritten::new());
        let counts = self.counts(&counted, &objects);
        Ok(Code { objects: objects.of_history(), commit, listed, counts })
    }

    /// The counts of these files, kept or made.
    fn counts(&self, files: &[(String, Oid)], objects: &Objects) -> Counts {
        let listing: Vec<String> = files.iter().map(|(path, id)| format!("{id} {path}\n")).collect();
        let id = &sha256(listing.concat().as_bytes())[..40];
        let kept = self.kept(COUNTS, id).and_then(|bytes| Counts::read(bytes, files.len()));
        kept.unwrap_or_else(|| {
            let made = Counts::make(files, objects);
            if files.len() >= FEW {
                self.keep(COUNTS, id, KEPT, &made.bytes);
            }
            made
        })
    }

    /// The evidence of a recording, as its commit has it.
    pub fn sent(&self, commit: Oid, sent: &[Sent]) -> Evidence {
        let objects = self.objects(super::Unwritten::new()).of_history();
        let text = |sent: &Sent| text(&objects, Oid::from_str(&sent.blob).ok()?);
        let excerpts: Vec<Excerpt> = again(sent, &text);
        let counts = Counts::default();
        let code = Code {
            objects: self.objects(super::Unwritten::new()).of_history(),
            commit,
            listed: Vec::new(),
            counts,
        };
        Evidence { excerpts, sent: sent.to_vec(), commits: commits(sent, &code, usize::MAX) }
    }
}

/// The text of a blob that may be sent.
fn text(objects: &Objects, blob: Oid) -> Option<String> {
    let bytes = bytes(objects, blob)?;
    is_prose_or_code(&bytes).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The bytes of a blob that is not too large.
fn bytes(objects: &Objects, blob: Oid) -> Option<super::packs::Bytes> {
    objects.plain(blob, ObjectType::Blob, LARGEST).or_else(|| {
        let repo = objects.repo().ok()?;
        let (size, kind) = repo.git().odb().ok()?.read_header(blob).ok()?;
        (kind == ObjectType::Blob && size as u64 <= LARGEST).then(|| objects.blob(blob).ok()).flatten()
    })
}

impl Files for Code {
    fn listed(&self) -> &[Listed] {
        &self.listed
    }

    fn spread(&self, stems: &BTreeSet<String>) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        self.counts.each(stems, |stem, files, _| {
            found.insert(stem.to_owned(), files);
        });
        found
    }

    fn index(&self, stems: &BTreeSet<String>) -> Index {
        let mut found = BTreeMap::new();
        self.counts
            .each(stems, |stem, files, list| drop(found.insert(stem.to_owned(), postings(files, list))));
        Index::counted(found, self.counts.lengths.clone())
    }

    fn text(&self, number: usize) -> Option<String> {
        let blob = Oid::from_str(&self.listed.get(number)?.blob).ok()?;
        text(&self.objects, blob)
    }

    fn touched(&self, paths: &[&str], most: usize) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = vec![Vec::new(); paths.len()];
        let there = |commit: Oid| -> Vec<Option<There>> {
            paths.iter().map(|path| self.objects.there(commit, path)).collect()
        };
        let (mut at, mut now) = (self.commit, there(self.commit));
        for _ in 0..WALKED {
            // In a shallow clone nobody knows who touched what came before.
            let Some(parents) = parents(&self.objects, at) else { break };
            let before = match parents.first() {
                Some(parent) if self.objects.has(*parent) => there(*parent),
                Some(_) => break,
                None => vec![Some(There::Nothing); paths.len()],
            };
            for (number, (now, before)) in now.iter().zip(&before).enumerate() {
                let is_other = now.is_some() && before.is_some() && now != before;
                if is_other && found[number].len() < most {
                    found[number].extend(described(&self.objects, at));
                }
            }
            let Some(parent) = parents.first() else { break };
            if found.iter().all(|lines| lines.len() >= most) {
                break;
            }
            (at, now) = (*parent, before);
        }
        found
    }
}

fn parents(objects: &Objects, commit: Oid) -> Option<Vec<Oid>> {
    let bytes = objects.read(commit, ObjectType::Commit).ok()?;
    super::objects::parse(commit, &bytes).map(|(step, _)| step.parents)
}

/// A commit in one line: id, day and subject; those of ours touch no code.
fn described(objects: &Objects, commit: Oid) -> Option<String> {
    let bytes = objects.read(commit, ObjectType::Commit).ok()?;
    let (_, time) = super::objects::parse(commit, &bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let message = text.split_once("\n\n").map_or("", |(_, message)| message);
    let subject = plain::cut(&plain::shown(message.lines().next().unwrap_or_default()), SUBJECT);
    if trailers(message).contains_key("Item") || secrets::mask(&subject).is_some() {
        return None;
    }
    let day = chrono::DateTime::from_timestamp(time, 0)?.format("%Y-%m-%d");
    Some(format!("{} {day} {subject}", super::short(commit)))
}

/// How often which stem is in which file.
#[derive(Default)]
struct Counts {
    /// All of it as it is kept: the format, the digest of what follows, the number of files, the words of each, and
    /// the stems in order, each with its files.
    bytes: Vec<u8>,
    /// The words of each file.
    lengths: Vec<u32>,
    /// Where the stems begin.
    stems: usize,
}

/// What a thread has counted: of each stem, its files and how often it is in them.
type Part = BTreeMap<String, Vec<(u32, u32)>>;

impl Counts {
    /// Reads kept counts of so many files; none where anything is wrong with them.
    fn read(bytes: Vec<u8>, files: usize) -> Option<Counts> {
        let rest = bytes.strip_prefix(FORMAT)?;
        let (digest, rest) = rest.split_at_checked(64)?;
        if sha256(rest).as_bytes() != digest {
            return None;
        }
        let mut at = FORMAT.len() + 64;
        let count = number(&bytes, &mut at)?;
        if count != files {
            return None;
        }
        let lengths: Option<Vec<u32>> =
            (0..count).map(|_| number(&bytes, &mut at)?.try_into().ok()).collect();
        Some(Counts { lengths: lengths?, stems: at, bytes })
    }

    /// Counts files on all threads. Each takes a run of them, so the order is that of the files.
    fn make(files: &[(String, Oid)], objects: &Objects) -> Counts {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).clamp(1, 8);
        let size = files.len().div_ceil(threads).max(1);
        let mut parts: Vec<(Part, Vec<u32>)> = Vec::new();
        let chunks: Vec<_> = files.chunks(size).collect();
        parts.resize_with(chunks.len(), Default::default);
        rayon_core::in_place_scope(|scope| {
            for ((number, chunk), part) in chunks.iter().enumerate().zip(&mut parts) {
                let objects = objects.again().remembering(16 << 20);
                scope.spawn(move |_| *part = counted(chunk, number * size, &objects));
            }
        });
        let lengths: Vec<u32> = parts.iter().flat_map(|(_, lengths)| lengths.iter().copied()).collect();
        Counts::written(lengths, parts.into_iter().map(|(part, _)| part))
    }

    fn written(lengths: Vec<u32>, parts: impl Iterator<Item = Part>) -> Counts {
        let mut whole = Part::new();
        for part in parts {
            if whole.is_empty() {
                whole = part;
                continue;
            }
            for (stem, mut list) in part {
                whole.entry(stem).or_default().append(&mut list);
            }
        }
        let mut rest = Vec::new();
        add(&mut rest, lengths.len());
        lengths.iter().for_each(|length| add(&mut rest, *length as usize));
        let stems = FORMAT.len() + 64 + rest.len();
        let mut list_bytes = Vec::new();
        for (stem, list) in &whole {
            list_bytes.clear();
            let mut last = 0;
            for &(file, count) in list {
                add(&mut list_bytes, (file - last) as usize);
                add(&mut list_bytes, count as usize);
                last = file;
            }
            add(&mut rest, stem.len());
            rest.extend_from_slice(stem.as_bytes());
            add(&mut rest, list.len());
            add(&mut rest, list_bytes.len());
            rest.extend_from_slice(&list_bytes);
        }
        let bytes = [FORMAT, sha256(&rest).as_bytes(), &rest].concat();
        Counts { bytes, lengths, stems }
    }

    /// Each of these stems that is in a file, with the number of its files and their list.
    fn each(&self, wanted: &BTreeSet<String>, mut see: impl FnMut(&str, usize, &[u8])) {
        let (mut at, bytes) = (self.stems, self.bytes.as_slice());
        let mut wanted = wanted.iter().map(String::as_str).peekable();
        while at < bytes.len() && wanted.peek().is_some() {
            let Some((stem, files, list)) = entry(bytes, &mut at) else { return };
            while wanted.next_if(|one| one.as_bytes() < stem).is_some() {}
            if let Some(one) = wanted.next_if(|one| one.as_bytes() == stem) {
                see(one, files, list);
            }
        }
    }
}

/// The stem at a place of kept counts, the number of its files and their list.
fn entry<'b>(bytes: &'b [u8], at: &mut usize) -> Option<(&'b [u8], usize, &'b [u8])> {
    let length = number(bytes, at)?;
    let stem = bytes.get(*at..at.checked_add(length)?)?;
    *at += length;
    let files = number(bytes, at)?;
    let length = number(bytes, at)?;
    let list = bytes.get(*at..at.checked_add(length)?)?;
    *at += length;
    Some((stem, files, list))
}

/// The files of a stem, and how often it is in them.
fn postings(files: usize, list: &[u8]) -> Vec<(u32, u32)> {
    let (mut at, mut file) = (0, 0_u32);
    let next = |_| {
        file = file.checked_add(number(list, &mut at)?.try_into().ok()?)?;
        Some((file, number(list, &mut at)?.try_into().ok()?))
    };
    (0..files).map_while(next).collect()
}

/// Seven bits a byte, the lowest first.
fn add(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn number(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let (mut number, mut shift) = (0_usize, 0);
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= ((byte & 0x7f) as usize).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
        if shift > 28 {
            return None;
        }
    }
}

/// Counts some files; `first` is the place of the first among all.
fn counted(files: &[(String, Oid)], first: usize, objects: &Objects) -> (Part, Vec<u32>) {
    let mut words = Words::new(Language::english());
    let mut lists: Vec<Vec<(u32, u32)>> = Vec::new();
    let mut lengths = Vec::with_capacity(files.len());
    for (number, (path, id)) in (first..).zip(files) {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let blob = bytes(objects, *id);
        // The beginning may end within a letter.
        let beginning = blob.as_ref().map_or(&[][..], |blob| &blob[..blob.len().min(COUNTED)]);
        let counted = words.count(&with_path(path, if beginning.contains(&0) { &[] } else { beginning }));
        lists.resize(words.stems().len(), Vec::new());
        lengths.push(counted.iter().fold(0_u32, |all, (_, count)| all.saturating_add(*count)));
        for (stem, count) in counted {
            lists[stem as usize].push((number, count));
        }
    }
    (words.stems().iter().cloned().zip(lists).collect(), lengths)
}

/// What is counted of a file.
fn with_path(path: &str, bytes: &[u8]) -> Vec<u8> {
    let mut all = format!("{path} ").repeat(PATH).into_bytes();
    all.extend_from_slice(bytes);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> Counts {
        let part = |file: u32| {
            Part::from([("fee".to_owned(), vec![(file, 300)]), (format!("x{file}"), vec![(file, 1)])])
        };
        Counts::written(vec![300, 1, 70_000], [part(0), part(2)].into_iter())
    }

    #[test]
    fn counts_are_read_as_they_were_written() {
        let made = counts();
        let read = Counts::read(made.bytes.clone(), 3).unwrap();
        assert_eq!((read.lengths.as_slice(), read.stems), (&[300, 1, 70_000][..], made.stems));
        let wanted = ["a", "fee", "x2", "z"].map(str::to_owned).into();
        let mut found = Vec::new();
        read.each(&wanted, |stem, files, list| found.push((stem.to_owned(), postings(files, list))));
        assert_eq!(found, [("fee".to_owned(), vec![(0, 300), (2, 300)]), ("x2".to_owned(), vec![(2, 1)])]);
    }

    #[test]
    fn counts_that_were_cut_off_or_altered_are_none() {
        let whole = counts().bytes;
        assert!(Counts::read(whole.clone(), 4).is_none());
        for end in 0..whole.len() {
            assert!(Counts::read(whole[..end].to_vec(), 3).is_none(), "{end}");
            let mut other = whole.clone();
            other[end] ^= 1;
            assert!(Counts::read(other, 3).is_none(), "{end}");
        }
        // A number that never ends is none.
        assert_eq!(number(&[0xff; 12], &mut 0), None);
    }
}
