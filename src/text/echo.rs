//! Whether a text says the same as an earlier one: by its pairs of words.

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

/// The pairs of words that follow one another, each as a hash (FNV-1a): equal pairs are meant,
/// and of the few hundred of a text no two others share one in practice.
fn pairs(text: &str) -> Vec<u64> {
    let mut found = Pairs::default();
    if text.is_ascii() {
        for byte in text.bytes() {
            match byte.is_ascii_alphanumeric() {
                true => found.letter(u32::from(byte.to_ascii_lowercase())),
                false => found.end_word(),
            }
        }
    } else {
        for letter in text.chars() {
            match letter.is_alphanumeric() {
                true => letter.to_lowercase().for_each(|lower| found.letter(u32::from(lower))),
                false => found.end_word(),
            }
        }
    }
    found.all()
}

/// The pairs of a text that is read letter by letter.
#[derive(Default)]
struct Pairs {
    found: Vec<u64>,
    last: Option<u64>,
    /// The hash of the word that is being read; zero between words.
    word: u64,
}

impl Pairs {
    fn letter(&mut self, letter: u32) {
        let start = if self.word == 0 { 0xcbf2_9ce4_8422_2325 } else { self.word };
        self.word = (start ^ u64::from(letter)).wrapping_mul(0x0100_0000_01b3);
    }

    fn end_word(&mut self) {
        if self.word == 0 {
            return;
        }
        self.found.extend(self.last.map(|last| last.rotate_left(32) ^ self.word));
        self.last = Some(std::mem::take(&mut self.word));
    }

    /// All of them, sorted; a word that stands alone is one.
    fn all(mut self) -> Vec<u64> {
        self.end_word();
        if self.found.is_empty() {
            self.found.extend(self.last);
        }
        self.found.sort_unstable();
        self.found.dedup();
        self.found
    }
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
