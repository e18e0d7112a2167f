//! Whether a text says the same as an earlier one: by its pairs of words.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

/// A text that others are compared with: does it say the same as an earlier one?
#[derive(Clone, Debug)]
pub struct Echo {
    length: usize,
    pairs: Vec<u64>,
}

impl Echo {
    pub fn of(text: &str) -> Echo {
        Echo { length: text.len(), pairs: pairs(text) }
    }

    /// Whether an earlier text says the same: nearly all of the words are shared, in pairs that
    /// follow one another, and neither text is half as long again as the other.
    pub fn repeats(&self, earlier: &Echo) -> bool {
        let (short, long) = (self.length.min(earlier.length), self.length.max(earlier.length));
        if long * 2 > short * 3 {
            return false;
        }
        let shared = self.shared(earlier);
        let all = self.pairs.len() + earlier.pairs.len() - shared;
        all > 0 && shared * 100 >= all * 80
    }

    /// Whether the text is little but a part of another: three in four of its pairs are there.
    pub fn is_within(&self, other: &Echo) -> bool {
        self.pairs.len() >= PART && self.shared(other) * 100 >= self.pairs.len() * 75
    }

    fn shared(&self, other: &Echo) -> usize {
        self.pairs.iter().filter(|pair| other.pairs.binary_search(pair).is_ok()).count()
    }
}

/// Texts of fewer pairs of words are no part of anything: everybody uses some words.
const PART: usize = 6;

/// The pairs of words that follow one another, each as a hash, sorted; a word that stands alone is one. Of the few
/// hundred pairs of a text no two share a hash in practice.
fn pairs(text: &str) -> Vec<u64> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let lower = |word: &str| word.chars().flat_map(char::to_lowercase).collect::<String>();
    let words: Vec<String> = words.map(lower).collect();
    let hash = |pair: &[String]| FixedState::default().hash_one(pair);
    let mut found: Vec<u64> = words.windows(words.len().clamp(1, 2)).map(hash).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats(a: &str, b: &str) -> bool {
        Echo::of(a).repeats(&Echo::of(b))
    }

    #[test]
    fn an_echo_is_recognised_and_a_variation_is_not() {
        assert!(repeats("The sync has no error path.", "the SYNC has no error path"));
        assert!(!repeats("The sync has no error path.", "The export has no owner."));
        assert!(!repeats("", ""));
    }
}
