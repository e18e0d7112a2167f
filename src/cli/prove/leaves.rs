//! The leaves of a revision: the hashes of its recordings, byte for byte, in the order in which its first-parent
//! history got them; several at once by their time.
//!
//! A commit never gets other leaves, so they are kept: a proof over ten thousand recordings then reads no object
//! of the history. Kept leaves count only if they are of this very commit and these folders, and if the digest at
//! their end is that of all before it; otherwise they are made anew.

use std::collections::{HashMap, HashSet};

use git2::Oid;
use sha2::{Digest as _, Sha256};

use crate::cli::exit::Fail;
use crate::cli::{Global, table};
use crate::library::sha256;
use crate::merkle::{Hash, leaf};
use crate::repo::{Repo, Unwritten};

/// What the files of kept leaves are called.
const KIND: &str = "leaves";
/// So many revisions keep their leaves, the newest.
const KEPT: usize = 8;
/// The bytes of a hash.
const HASH: usize = size_of::<Hash>();

/// The recordings of a revision.
pub struct Leaves {
    pub commit: Oid,
    pub hashes: Vec<Hash>,
    /// Their paths, a line each.
    paths: String,
}

impl Leaves {
    pub fn of(global: &Global, repo: &Repo, revision: &str) -> Result<Leaves, Fail> {
        let commit = repo.resolve(revision)?;
        if repo.is_shallow() {
            return Err(Fail::new(
                "this is a shallow clone, and the order of the recordings is in the history; fetch all of it (git fetch --unshallow, in actions/checkout `fetch-depth: 0`)",
            ));
        }
        let config = table::config(global, repo, commit)?;
        let folders = config.folders();
        let head = head(commit, &folders);
        let id = &sha256(head.as_bytes())[..40];
        if let Some(kept) = repo.kept(KIND, id).and_then(|bytes| Leaves::read(commit, &head, &bytes)) {
            return Ok(kept);
        }
        let made = Leaves::make(repo, commit, &folders)?;
        // A path may hold a line's end.
        if made.paths().count() == made.hashes.len() {
            repo.keep(KIND, id, KEPT, &made.to_bytes(&head));
        }
        Ok(made)
    }

    /// The first recording that another revision does not have in the same place.
    pub fn first_that_differs(&self, other: &Leaves) -> Option<&str> {
        let mut all = self.hashes.iter().zip(self.paths()).enumerate();
        let differs = all.find(|(at, (hash, _))| other.hashes.get(*at) != Some(*hash));
        differs.map(|(_, (_, path))| path)
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.split_terminator('\n')
    }

    fn make(repo: &Repo, commit: Oid, folders: &[&str]) -> Result<Leaves, Fail> {
        let objects = repo.objects(Unwritten::new()).of_history();
        let mut wanted = Vec::new();
        for folder in folders {
            objects.recordings(commit, folder, &mut |_, path, blob| {
                wanted.push((path.to_owned(), blob));
                true
            })?;
        }
        let brought = objects.brought(commit, &wanted)?;
        let arrived = arrivals(repo, commit, &brought.values().map(|brought| brought.commit).collect())?;
        let place = |path: &String| {
            let came = brought.get(path).and_then(|brought| arrived.get(&brought.commit));
            // `01-03-20260220T143000000Z.jsonl`: the time is what recordings of one commit are ordered by.
            let name = path.rsplit('/').next().unwrap_or_default();
            (
                came.copied().unwrap_or(usize::MAX),
                name.get(6..).unwrap_or_default().to_owned(),
                name.to_owned(),
            )
        };
        let mut ordered = Vec::new();
        for (path, blob) in wanted {
            ordered.push((place(&path), leaf(&objects.blob(blob)?), path));
        }
        ordered.sort();
        let (hashes, paths) = ordered.into_iter().map(|(_, hash, path)| (hash, path + "\n")).unzip();
        Ok(Leaves { commit, paths, hashes })
    }

    fn to_bytes(&self, head: &str) -> Vec<u8> {
        let mut bytes = head.as_bytes().to_vec();
        bytes.extend(format!("{}\n", self.hashes.len()).as_bytes());
        self.hashes.iter().for_each(|hash| bytes.extend(hash));
        bytes.extend(self.paths.as_bytes());
        let digest = Sha256::digest(&bytes);
        bytes.extend(digest);
        bytes
    }

    /// Leaves as they were kept; none where a byte of them is another.
    fn read(commit: Oid, head: &str, bytes: &[u8]) -> Option<Leaves> {
        let (all, digest) = bytes.split_last_chunk::<HASH>()?;
        if Sha256::digest(all)[..] != digest[..] {
            return None;
        }
        let rest = all.strip_prefix(head.as_bytes())?;
        let (count, rest) = rest.split_at_checked(memchr::memchr(b'\n', rest)?)?;
        let count: usize = std::str::from_utf8(count).ok()?.parse().ok()?;
        let (hashes, paths) = rest[1..].split_at_checked(count.checked_mul(HASH)?)?;
        let hashes = hashes.as_chunks::<HASH>().0.to_vec();
        let paths = std::str::from_utf8(paths).ok()?.to_owned();
        Some(Leaves { commit, hashes, paths })
    }
}

/// What leaves are kept under: all that decides what they are.
fn head(commit: Oid, folders: &[&str]) -> String {
    format!("roundtable leaves 1\n{commit}\n{folders:?}\n")
}

/// For each commit, which step of the first-parent history brought it: the first is 0.
fn arrivals(repo: &Repo, tip: Oid, wanted: &HashSet<Oid>) -> Result<HashMap<Oid, usize>, Fail> {
    let mut line = vec![tip];
    while let Some(parent) = repo.parents_of(line[line.len() - 1])?.first() {
        line.push(*parent);
    }
    line.reverse();
    let on_line: HashSet<Oid> = line.iter().copied().collect();
    let (mut found, mut seen) = (HashMap::new(), HashSet::new());
    for (number, commit) in line.iter().enumerate() {
        let mut open = vec![*commit];
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            if wanted.contains(&next) {
                found.insert(next, number);
            }
            open.extend(repo.parents_of(next)?.into_iter().filter(|parent| !on_line.contains(parent)));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_leaves_are_read_only_as_they_were_written() {
        let commit = Oid::from_bytes(&[7; 20]).unwrap();
        let hashes = (0..3).map(|number| leaf(&[number])).collect();
        let made = Leaves { commit, hashes, paths: "a.jsonl\nb.jsonl\nc.jsonl\n".to_owned() };
        let head = head(commit, &["docs"]);
        let bytes = made.to_bytes(&head);
        let read = Leaves::read(commit, &head, &bytes).unwrap();
        assert_eq!((read.paths, read.hashes), (made.paths, made.hashes));
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(Leaves::read(commit, &head, &other).is_none(), "byte {at}");
            assert!(Leaves::read(commit, &head, &bytes[..at]).is_none(), "cut off at {at}");
        }
        assert!(Leaves::read(commit, &super::head(commit, &["other"]), &bytes).is_none());
    }
}
