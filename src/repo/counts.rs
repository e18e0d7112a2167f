//! How often the words that evidence was sought by are in which files, kept in `roundtable/` of the git folder.
//!
//! Only words that somebody sought are counted, and of words that are nearly everywhere only in how many files: what is
//! kept stays small, whatever the files hold. A word that is sought for the first time is counted in all files, on all
//! threads. Counts that were cut off or altered are made anew.

use std::collections::{BTreeMap, BTreeSet};

use git2::Oid;

use super::{Objects, Repo};
use crate::code::sought::Sought;
use crate::library::sha256;
use crate::text::Language;
use crate::text::index::Index;

/// The first line of kept counts.
const FORMAT: &[u8] = b"roundtable counts 2\n";
/// What the files of kept counts are called.
const COUNTS: &str = "counts";
/// Of a file so many bytes are counted: what it is about is said by then.
const COUNTED: usize = 48 << 10;
/// How often a file's path counts.
const PATH: usize = 3;
/// Fewer files are counted faster than counts are kept.
const FEW: usize = 200;
/// Counts that are kept, the newest.
const KEPT: usize = 3;
/// Kept counts are at most so large; words that were sought before are forgotten then.
const LARGEST: usize = 8 << 20;

/// The files of a word, and how often it is in each.
type List = Vec<(u32, u32)>;

/// How often which stem is in which file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The words of each file.
    lengths: Vec<u32>,
    /// Of each stem that was sought, in how many files it is, and in which; a stem that is nearly everywhere has no list.
    stems: BTreeMap<String, (usize, List)>,
}

impl Counts {
    /// Those of these files and stems, kept or made; `common` is the number of files from which a stem says nothing.
    pub fn of(
        repo: &Repo,
        files: &[(String, Oid)],
        stems: &BTreeSet<String>,
        common: usize,
        objects: &Objects,
    ) -> Counts {
        let listing: Vec<String> = files.iter().map(|(path, id)| format!("{id} {path}\n")).collect();
        let id = &sha256(listing.concat().as_bytes())[..40];
        let mut counts = repo.kept(COUNTS, id).and_then(|bytes| Counts::read(&bytes, files.len()));
        let is_known = |stem: &&String| counts.as_ref().is_some_and(|kept| kept.stems.contains_key(*stem));
        let new: Vec<&str> = stems.iter().filter(|stem| !is_known(stem)).map(String::as_str).collect();
        if new.is_empty()
            && let Some(counts) = counts
        {
            return counts;
        }
        let mut made = Counts::make(files, &new, common, objects);
        if let Some(kept) = &mut counts {
            made.stems.append(&mut kept.stems);
        }
        if files.len() >= FEW {
            let mut bytes = made.bytes();
            if bytes.len() > LARGEST {
                made.stems.retain(|stem, _| stems.contains(stem));
                bytes = made.bytes();
            }
            repo.keep(COUNTS, id, KEPT, &bytes);
        }
        made
    }

    /// In how many files each of these stems is.
    pub fn spread(&self, stems: &BTreeSet<String>) -> BTreeMap<String, usize> {
        let spread = |stem: &String| Some((stem.clone(), self.stems.get(stem)?.0));
        stems.iter().filter_map(spread).filter(|(_, files)| *files > 0).collect::<BTreeMap<_, _>>()
    }

    /// The files that have these stems.
    pub fn index(&self, stems: &BTreeSet<String>) -> Index {
        let list = |stem: &String| Some((stem.clone(), self.stems.get(stem)?.1.clone()));
        let found =
            stems.iter().filter_map(list).filter(|(_, list)| !list.is_empty()).collect::<BTreeMap<_, _>>();
        Index::counted(found, self.lengths.clone())
    }

    /// Counts files on all threads. Each takes a run of them, so the order is that of the files.
    fn make(files: &[(String, Oid)], stems: &[&str], common: usize, objects: &Objects) -> Counts {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).clamp(1, 8);
        let size = files.len().div_ceil(threads).max(1);
        let chunks: Vec<_> = files.chunks(size).collect();
        let mut parts: Vec<(Vec<List>, Vec<u32>)> = Vec::new();
        parts.resize_with(chunks.len(), Default::default);
        rayon_core::in_place_scope(|scope| {
            for ((number, chunk), part) in chunks.iter().enumerate().zip(&mut parts) {
                let objects = objects.again();
                scope.spawn(move |_| *part = counted(chunk, number * size, stems, &objects));
            }
        });
        let lengths = parts.iter().flat_map(|(_, lengths)| lengths.iter().copied()).collect();
        let mut lists: Vec<List> = vec![List::new(); stems.len()];
        for (part, _) in parts {
            lists.iter_mut().zip(part).for_each(|(list, mut own)| list.append(&mut own));
        }
        let kept =
            |list: List| if list.len() > common { (list.len(), List::new()) } else { (list.len(), list) };
        let stems = stems
            .iter()
            .zip(lists)
            .map(|(stem, list)| ((*stem).to_owned(), kept(list)))
            .collect::<BTreeMap<_, _>>();
        Counts { lengths, stems }
    }

    /// As they are kept: the format, the digest of what follows, the words of each file, and each stem with its files.
    fn bytes(&self) -> Vec<u8> {
        let mut rest = Vec::new();
        add(&mut rest, self.lengths.len());
        self.lengths.iter().for_each(|length| add(&mut rest, *length as usize));
        for (stem, (files, list)) in &self.stems {
            add(&mut rest, stem.len());
            rest.extend_from_slice(stem.as_bytes());
            add(&mut rest, *files);
            add(&mut rest, list.len());
            let mut last = 0;
            for &(file, count) in list {
                add(&mut rest, (file - last) as usize);
                add(&mut rest, count as usize);
                last = file;
            }
        }
        [FORMAT, sha256(&rest).as_bytes(), &rest].concat()
    }

    /// Reads kept counts of so many files; none where anything is wrong with them.
    fn read(bytes: &[u8], files: usize) -> Option<Counts> {
        let rest = bytes.strip_prefix(FORMAT)?;
        let (digest, rest) = rest.split_at_checked(64)?;
        if sha256(rest).as_bytes() != digest {
            return None;
        }
        let mut at = 0;
        let count = number(rest, &mut at)?;
        if count != files {
            return None;
        }
        let lengths: Option<Vec<u32>> = (0..count).map(|_| number(rest, &mut at)?.try_into().ok()).collect();
        let mut stems = BTreeMap::new();
        while at < rest.len() {
            let length = number(rest, &mut at)?;
            let stem = rest.get(at..at.checked_add(length)?)?;
            at += length;
            let files = number(rest, &mut at)?;
            let listed = number(rest, &mut at)?;
            let mut file = 0_u32;
            let mut next = || {
                file = file.checked_add(number(rest, &mut at)?.try_into().ok()?)?;
                let count = number(rest, &mut at)?.try_into().ok()?;
                ((file as usize) < count_of(&lengths)).then_some((file, count))
            };
            let list: Option<List> = (0..listed).map(|_| next()).collect();
            stems.insert(String::from_utf8(stem.to_vec()).ok()?, (files, list?));
        }
        Some(Counts { lengths: lengths?, stems })
    }
}

fn count_of(lengths: &Option<Vec<u32>>) -> usize {
    lengths.as_ref().map_or(0, Vec::len)
}

/// Counts the sought stems of some files; `first` is the place of the first among all.
fn counted(
    files: &[(String, Oid)],
    first: usize,
    stems: &[&str],
    objects: &Objects,
) -> (Vec<List>, Vec<u32>) {
    let mut sought = Sought::new(stems.iter().copied(), Language::english());
    let mut lists: Vec<List> = vec![List::new(); stems.len()];
    let mut lengths = Vec::with_capacity(files.len());
    let mut text = Vec::new();
    for (number, (path, id)) in (first..).zip(files) {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let blob = super::evidence::bytes(objects, *id);
        // The beginning may end within a letter.
        let beginning = blob.as_ref().map_or(&[][..], |blob| &blob[..blob.len().min(COUNTED)]);
        text.clear();
        (0..PATH).for_each(|_| text.extend([path.as_bytes(), b" "].concat()));
        text.extend_from_slice(if memchr::memchr(0, beginning).is_some() { &[] } else { beginning });
        let (counted, length) = sought.count(&text);
        lengths.push(length);
        counted.into_iter().for_each(|(stem, count)| lists[stem as usize].push((number, count)));
    }
    (lists, lengths)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> Counts {
        let stems = [("fee", (2, vec![(0, 300), (2, 300)])), ("the", (3, vec![])), ("x2", (1, vec![(2, 1)]))];
        let stems = stems.map(|(stem, list)| (stem.to_owned(), list));
        Counts { lengths: vec![300, 1, 70_000], stems: stems.into() }
    }

    #[test]
    fn counts_are_read_as_they_were_written() {
        let read = Counts::read(&counts().bytes(), 3).unwrap();
        assert_eq!(read, counts());
        let wanted = ["a", "fee", "the", "x2", "z"].map(str::to_owned).into();
        let spread = [("fee", 2), ("the", 3), ("x2", 1)].map(|(stem, files)| (stem.to_owned(), files));
        assert_eq!(read.spread(&wanted), spread.into());
        let found = read.index(&wanted).find(&["fee".to_owned(), "x2".to_owned()].into(), 5);
        assert_eq!(found.iter().map(|hit| hit.passage).collect::<BTreeSet<_>>(), [0, 2].into());
    }

    #[test]
    fn counts_that_were_cut_off_or_altered_are_none() {
        let whole = counts().bytes();
        assert!(Counts::read(&whole, 4).is_none());
        for end in 0..whole.len() {
            assert!(Counts::read(&whole[..end], 3).is_none(), "{end}");
            let mut other = whole.clone();
            other[end] ^= 1;
            assert!(Counts::read(&other, 3).is_none(), "{end}");
        }
        // A number that never ends is none.
        assert_eq!(number(&[0xff; 12], &mut 0), None);
    }
}
