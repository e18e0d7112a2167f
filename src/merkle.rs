//! The hash tree of RFC 6962 (section 2.1) over a list of texts: one root for all of them, a short proof that
//! one of them is among them, and a short proof that a longer list goes on from a shorter one.
//!
//! Invariant: what is verified here rests on the root and the proof alone; nothing else is read.
//!
//! ```
//! use roundtable::merkle::{Tree, leaf};
//!
//! let tree = Tree::new(vec![leaf(b"one"), leaf(b"two"), leaf(b"three")]);
//! let proof = tree.inclusion(1).unwrap();
//! assert!(roundtable::merkle::includes(&tree.root(), 3, 1, &leaf(b"two"), &proof));
//! assert!(!roundtable::merkle::includes(&tree.root(), 3, 1, &leaf(b"four"), &proof));
//! ```

use sha2::{Digest as _, Sha256};

/// A SHA-256.
pub type Hash = [u8; 32];

/// The hash of a leaf: no leaf can be taken for a node.
pub fn leaf(bytes: &[u8]) -> Hash {
    let mut hash = Sha256::new();
    hash.update([0]);
    hash.update(bytes);
    hash.finalize().into()
}

fn node(left: &Hash, right: &Hash) -> Hash {
    let mut hash = Sha256::new();
    hash.update([1]);
    hash.update(left);
    hash.update(right);
    hash.finalize().into()
}

/// Leaves and every whole level above them.
pub struct Tree {
    /// `levels[n][i]` is the hash over the leaves from `i * 2^n`, as far as they are all there.
    levels: Vec<Vec<Hash>>,
}

impl Tree {
    pub fn new(leaves: Vec<Hash>) -> Tree {
        let mut levels = vec![leaves];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let above = last.chunks_exact(2).map(|pair| node(&pair[0], &pair[1])).collect();
            levels.push(above);
        }
        Tree { levels }
    }

    pub fn len(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The root over all leaves; of none, the hash of nothing.
    pub fn root(&self) -> Hash {
        if self.is_empty() { Sha256::digest([]).into() } else { self.over(0, self.len()) }
    }

    /// The root over the first leaves, as it was when there were no more.
    pub fn root_of(&self, size: usize) -> Option<Hash> {
        (size <= self.len()).then(|| if size == 0 { Sha256::digest([]).into() } else { self.over(0, size) })
    }

    /// The hash over the leaves from one index to another, which is not among them.
    fn over(&self, from: usize, to: usize) -> Hash {
        let size = to - from;
        if size.is_power_of_two() && from.is_multiple_of(size) {
            return self.levels[size.trailing_zeros() as usize][from / size];
        }
        let split = from + split(size);
        node(&self.over(from, split), &self.over(split, to))
    }

    /// The hashes that lead from a leaf to the root.
    pub fn inclusion(&self, index: usize) -> Option<Vec<Hash>> {
        let mut path = Vec::new();
        let (mut from, mut to) = (0, self.len());
        (index < to).then_some(())?;
        while to - from > 1 {
            let middle = from + split(to - from);
            if index < middle {
                path.push(self.over(middle, to));
                to = middle;
            } else {
                path.push(self.over(from, middle));
                from = middle;
            }
        }
        path.reverse();
        Some(path)
    }

    /// The hashes that lead from the root over the first leaves to the root over all; none where there were
    /// not so many, or none at all.
    pub fn consistency(&self, size: usize) -> Option<Vec<Hash>> {
        let mut path = Vec::new();
        let (mut from, mut to, mut is_whole) = (0, self.len(), true);
        (size > 0 && size <= to).then_some(())?;
        while size != to {
            let middle = from + split(to - from);
            if size <= middle {
                path.push(self.over(middle, to));
                to = middle;
            } else {
                path.push(self.over(from, middle));
                from = middle;
                is_whole = false;
            }
        }
        if !is_whole {
            path.push(self.over(from, to));
        }
        path.reverse();
        Some(path)
    }
}

/// The largest power of two below a number over one.
fn split(size: usize) -> usize {
    (size.next_power_of_two() / 2).max(1)
}

/// Whether a leaf is at an index of the list of that size and root (RFC 9162, section 2.1.3.2).
pub fn includes(root: &Hash, size: usize, index: usize, leaf: &Hash, proof: &[Hash]) -> bool {
    if index >= size {
        return false;
    }
    let (mut at, mut last, mut hash) = (index, size - 1, *leaf);
    for step in proof {
        if last == 0 {
            return false;
        }
        if at % 2 == 1 || at == last {
            hash = node(step, &hash);
            while at % 2 == 0 && at != 0 {
                (at, last) = (at / 2, last / 2);
            }
        } else {
            hash = node(&hash, step);
        }
        (at, last) = (at / 2, last / 2);
    }
    last == 0 && hash == *root
}

/// Whether a list goes on from a shorter one: nothing in that was changed, taken out or put in between (RFC
/// 9162, section 2.1.4.2).
pub fn continues(old: (&Hash, usize), new: (&Hash, usize), proof: &[Hash]) -> bool {
    let ((old_root, old_size), (new_root, new_size)) = (old, new);
    if old_size == new_size {
        return proof.is_empty() && old_root == new_root;
    }
    if old_size == 0 || old_size > new_size {
        return false;
    }
    let (mut at, mut last) = (old_size - 1, new_size - 1);
    while at % 2 == 1 {
        (at, last) = (at / 2, last / 2);
    }
    let mut steps = proof.iter();
    let first = if old_size.is_power_of_two() { Some(old_root) } else { steps.next() };
    let Some(first) = first else { return false };
    let (mut old_hash, mut new_hash) = (*first, *first);
    for step in steps {
        if last == 0 {
            return false;
        }
        if at % 2 == 1 || at == last {
            old_hash = node(step, &old_hash);
            new_hash = node(step, &new_hash);
            while at % 2 == 0 && at != 0 {
                (at, last) = (at / 2, last / 2);
            }
        } else {
            new_hash = node(&new_hash, step);
        }
        (at, last) = (at / 2, last / 2);
    }
    last == 0 && old_hash == *old_root && new_hash == *new_root
}

/// A hash from its hexadecimal digits.
pub fn parse(digits: &str) -> Option<Hash> {
    let is_hex = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(digits.get(at * 2..at * 2 + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = is_hex.then(|| (0..32).map(byte).collect()).flatten();
    bytes?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(size: usize) -> Tree {
        Tree::new((0..size).map(|at| leaf(&[at as u8, (at >> 8) as u8])).collect())
    }

    #[test]
    fn the_roots_are_those_of_the_rfc() {
        let hex = |hash: &Hash| crate::library::hex(hash);
        assert_eq!(hex(&tree(0).root()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        // The test vectors of Certificate Transparency.
        let texts: [&[u8]; 8] = [
            b"",
            b"\0",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            b"\x50\x51\x52\x53\x54\x55\x56\x57",
            b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        ];
        let whole = Tree::new(texts.iter().map(|text| leaf(text)).collect());
        for (size, root) in [
            (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
            (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
            (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
        ] {
            assert_eq!(hex(&whole.root_of(size).unwrap()), root);
        }
    }

    #[test]
    fn every_leaf_of_every_size_is_proved_and_no_other() {
        for size in 1..40 {
            let tree = tree(size);
            for index in 0..size {
                let (proof, own) = (tree.inclusion(index).unwrap(), leaf(&[index as u8, 0]));
                assert!(includes(&tree.root(), size, index, &own, &proof), "{index} of {size}");
                assert!(!includes(&tree.root(), size, index, &leaf(b"x"), &proof));
                assert!(!includes(&tree.root(), size, index + 1, &own, &proof));
            }
            assert!(tree.inclusion(size).is_none());
        }
    }

    #[test]
    fn every_longer_list_goes_on_from_every_shorter_one() {
        for size in 1..40 {
            let new = tree(size);
            for old in 1..=size {
                let proof = new.consistency(old).unwrap();
                let before = tree(old).root();
                assert!(continues((&before, old), (&new.root(), size), &proof), "{old} of {size}");
                assert!(!continues((&leaf(b"x"), old), (&new.root(), size), &proof));
                assert!(!continues((&before, old), (&leaf(b"x"), size), &proof));
            }
        }
        assert_eq!(parse(&"ab".repeat(32)), Some([0xab; 32]));
        assert_eq!((parse("ab"), parse(&"é".repeat(32))), (None, None));
    }
}
