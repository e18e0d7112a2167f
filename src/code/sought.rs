//! Stems that are sought in many files: how often each is in a file, without a list of all other words.
//!
//! A file is split as [`Words`](super::Words) splits it, and a word is stemmed only where its first letters may be those
//! of a sought stem.
//!
//! ```
//! use roundtable::code::sought::Sought;
//! use roundtable::text::Language;
//!
//! let mut sought = Sought::new(["retri", "retrylimit"], Language::english());
//! let (counted, words) = sought.count(b"fn retry_limit() { retries() } let retryLimit;");
//! assert_eq!((counted, words), (vec![(0, 3), (1, 1)], 9));
//! ```

use std::collections::{HashMap, HashSet};

use super::{identifiers, parts};
use crate::text::Language;

/// So many different words are remembered with their stems.
const REMEMBERED: usize = 1 << 18;
/// A word is at most so many bytes longer than its stem.
const SUFFIX: usize = 12;
/// Names of several parts, which are seldom sought, are told apart by so many of their first letters.
const TOLD: usize = 6;

type Map<V> = HashMap<Vec<u8>, V, foldhash::fast::FixedState>;

/// The stems that are sought, by their places in the list that they were given in.
pub struct Sought<'l> {
    language: &'l Language,
    numbers: Map<u32>,
    /// By the first four letters of a word, the length of the longest stem that it may have.
    longest: Vec<u8>,
    /// The first letters of long stems.
    told: HashSet<Vec<u8>, foldhash::fast::FixedState>,
    known: Map<Option<u32>>,
    /// How often each is in the file at hand.
    counts: Vec<u32>,
    /// A word in lower case.
    word: Vec<u8>,
}

impl<'l> Sought<'l> {
    pub fn new<'s>(stems: impl IntoIterator<Item = &'s str>, language: &'l Language) -> Sought<'l> {
        let stems: Vec<&[u8]> = stems.into_iter().map(str::as_bytes).collect();
        let numbers: Map<u32> = (0..).zip(&stems).map(|(number, stem)| (stem.to_vec(), number)).collect();
        let mut longest = vec![0; 1 << 20];
        let mut may_begin = |first: usize, free: usize, length: usize| {
            let first = first >> free << free;
            let length = u8::try_from(length).unwrap_or(u8::MAX);
            longest[first..first + (1 << free)].iter_mut().for_each(|known| *known = length.max(*known));
        };
        for stem in &stems {
            // The last letter of a stem may be another than its word's: "cry" and "cri".
            let same = stem.len().saturating_sub(1).min(4);
            may_begin(place(stem), 5 * (4 - same), stem.len());
            if let [first, b'i', b'e'] = **stem {
                // "dying" and "die".
                may_begin(place(&[first, b'y', b'i']), 5, stem.len());
            }
        }
        let told = stems.iter().filter_map(|stem| Some(stem.get(..TOLD)?.to_vec())).collect();
        let counts = vec![0; numbers.len()];
        Sought { language, numbers, longest, told, known: Map::default(), counts, word: Vec::new() }
    }

    /// Which stems a file has and how often, in the order of their places; and how many words it has in all.
    pub fn count(&mut self, bytes: &[u8]) -> (Vec<(u32, u32)>, u32) {
        let mut found: Vec<u32> = Vec::new();
        let mut length = 0_u32;
        for run in identifiers(bytes) {
            length = length.saturating_add(if run.is_ascii() {
                self.ascii(run, &mut found)
            } else {
                self.other(run, &mut found)
            });
        }
        found.sort_unstable();
        let counted = found.into_iter().map(|id| (id, std::mem::take(&mut self.counts[id as usize])));
        (counted.collect(), length)
    }

    /// A name without other letters, cut where [`parts`] cuts it; the number of its words.
    fn ascii(&mut self, run: &[u8], found: &mut Vec<u32>) -> u32 {
        let (mut from, mut words) = (0, 0);
        for at in 1..=run.len() {
            let is_gap = run.get(at).is_none_or(|byte| *byte == b'_');
            if !is_gap && !super::is_hump(run, at) {
                continue;
            }
            let part = &run[from..at];
            let part = part.strip_prefix(b"_").unwrap_or(part);
            if part.len() > 1 {
                words += 1;
                self.see(part, false, found);
            }
            from = at;
        }
        if words > 1 {
            words += 1;
            self.see(run, true, found);
        }
        words
    }

    fn other(&mut self, run: &[u8], found: &mut Vec<u32>) -> u32 {
        let Ok(name) = std::str::from_utf8(run) else { return 0 };
        let parts = parts(name);
        let whole = (parts.len() > 1).then(|| name.to_lowercase());
        let mut words = 0;
        for word in whole.into_iter().chain(parts) {
            words += 1;
            let stem = self.language.stem(&word);
            let number = self.numbers.get(stem.as_bytes()).copied();
            self.add(number, found);
        }
        words
    }

    /// Counts a word if its stem is sought.
    fn see(&mut self, word: &[u8], is_whole: bool, found: &mut Vec<u32>) {
        let longest = usize::from(self.longest[place(word)]);
        if longest == 0 || word.len() > longest + SUFFIX {
            return;
        }
        self.word.clear();
        self.word.extend(word.iter().map(u8::to_ascii_lowercase));
        if is_whole && word.len() > TOLD + SUFFIX && !self.told.contains(&self.word[..TOLD]) {
            return;
        }
        // A stemmer takes letters away.
        if word.last().is_some_and(u8::is_ascii_digit) {
            let number = self.numbers.get(self.word.as_slice()).copied();
            return self.add(number, found);
        }
        if let Some(number) = self.known.get(self.word.as_slice()) {
            return self.add(*number, found);
        }
        let stem = std::str::from_utf8(&self.word).map(|word| self.language.stem(word));
        let number = stem.ok().and_then(|stem| self.numbers.get(stem.as_bytes()).copied());
        if self.known.len() < REMEMBERED {
            self.known.insert(self.word.clone(), number);
        }
        self.add(number, found);
    }

    fn add(&mut self, number: Option<u32>, found: &mut Vec<u32>) {
        let Some(number) = number else { return };
        let count = &mut self.counts[number as usize];
        if *count == 0 {
            found.push(number);
        }
        *count += 1;
    }
}

/// Where a word belongs by its first four bytes, large or small.
fn place(word: &[u8]) -> usize {
    word.iter().take(4).fold(0, |bits, byte| bits << 5 | usize::from(*byte & 0x1f))
        << (5 * 4_usize.saturating_sub(word.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::Words;

    const STEMS: [&str; 12] = [
        "retri",
        "cri",
        "die",
        "retrylimit",
        "sync",
        "syncqueu",
        "ab",
        "x1",
        "größ",
        "queue_id",
        "limit",
        "checklistitem",
    ];

    proptest! {
        #[test]
        fn sought_stems_are_counted_as_all_are(text in "([_ .]|retry|Retry|RETRIES|cry|cried|dying|sync|Sync|queue|Id|ab|abed|x1|größe|checklist|Item|items|limits|Limit|LIMIT|[a-zA-Z]{1,3}){0,40}") {
            let language = Language::english();
            let (mut all, mut sought) = (Words::new(language), Sought::new(STEMS, language));
            let counted = all.count(text.as_bytes());
            let length: u32 = counted.iter().map(|(_, count)| count).sum();
            let number = |id: u32| STEMS.iter().position(|stem| *stem == all.stems()[id as usize]);
            let mut wanted: Vec<(u32, u32)> =
                counted.iter().filter_map(|(id, count)| Some((number(*id)? as u32, *count))).collect();
            wanted.sort_unstable();
            prop_assert_eq!(sought.count(text.as_bytes()), (wanted, length));
        }
    }
}
