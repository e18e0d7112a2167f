//! A BM25 index over passages: which passages speak of the same as a query, by stems.
//!
//! ```
//! use std::collections::BTreeSet;
//!
//! use roundtable::text::{Language, index::Index};
//!
//! let language = Language::new("en");
//! let index = Index::new(["Fees stop at 10 euros.", "Letters are sent weekly."], &language);
//! let found = index.find(&BTreeSet::from(["fee".to_owned(), "stop".to_owned()]), 3);
//! assert_eq!(found[0].passage, 0);
//! assert_eq!(found[0].matched, ["fee", "stop"]);
//! ```

use std::collections::{BTreeMap, BTreeSet};

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Language, Message, Word};

/// How soon more of the same word counts no more.
const K1: f64 = 1.2;
/// How much a passage's length counts.
const B: f64 = 0.75;

/// Passages by the stems in them.
pub struct Index {
    /// For each stem the passages it is in, and how often.
    postings: BTreeMap<String, Vec<(u32, u32)>>,
    lengths: Vec<u32>,
    mean: f64,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its number in the order the passages were given.
    pub passage: usize,
    pub score: f64,
    /// The stems of the query that are in it, in alphabetical order.
    pub matched: Vec<String>,
}

impl Index {
    pub fn new<'p>(passages: impl IntoIterator<Item = &'p str>, language: &Language) -> Index {
        let mut postings: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
        let mut lengths = Vec::new();
        for (number, passage) in (0..).zip(passages) {
            let stems = stems(passage, language);
            lengths.push(u32::try_from(stems.len()).unwrap_or(u32::MAX));
            for stem in stems {
                let list = postings.entry(stem).or_default();
                match list.last_mut() {
                    Some((last, count)) if *last == number => *count += 1,
                    _ => list.push((number, 1)),
                }
            }
        }
        Index::counted(postings, lengths)
    }

    /// Passages that were counted before: of each stem that is asked for those it is in, and how often, and of each
    /// passage how many words it has.
    pub fn counted(postings: BTreeMap<String, Vec<(u32, u32)>>, lengths: Vec<u32>) -> Index {
        let all: f64 = lengths.iter().copied().map(f64::from).sum();
        let mean = if lengths.is_empty() { 1.0 } else { (all / lengths.len() as f64).max(1.0) };
        Index { postings, lengths, mean }
    }

    /// The passages that a stem is in, and how often.
    pub fn with(&self, stem: &str) -> &[(u32, u32)] {
        self.postings.get(stem).map_or(&[], Vec::as_slice)
    }

    /// How rare a stem is among the passages: 0 where it is in none.
    pub fn weight(&self, stem: &str) -> f64 {
        let (all, found) = (self.lengths.len() as f64, self.with(stem).len() as f64);
        if found == 0.0 { 0.0 } else { (1.0 + (all - found + 0.5) / (found + 0.5)).ln() }
    }

    /// The best passages for stems, best first; of equal ones, the earlier first.
    pub fn find(&self, wanted: &BTreeSet<String>, limit: usize) -> Vec<Hit> {
        let mut found: BTreeMap<u32, (f64, Vec<String>)> = BTreeMap::new();
        for stem in wanted {
            let weight = self.weight(stem);
            for &(passage, count) in self.with(stem) {
                let length = f64::from(self.lengths[passage as usize]) / self.mean;
                let count = f64::from(count);
                let (score, matched) = found.entry(passage).or_default();
                *score += weight * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
                matched.push(stem.clone());
            }
        }
        let mut hits: Vec<Hit> = found
            .into_iter()
            .map(|(passage, (score, matched))| Hit { passage: passage as usize, score, matched })
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
        hits.truncate(limit);
        hits
    }
}

/// The words of a text as they are indexed: letters and digits, with what joins them ("it's", "1,000", "main.rs").
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let (text, other) = if text.is_ascii() { (text, "") } else { ("", text) };
    let bytes = text.as_bytes();
    let mut at = 0;
    let plain = std::iter::from_fn(move || {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let from = at + bytes.get(at..)?.iter().position(is_word)?;
        at = from + 1;
        while let Some(next) = bytes.get(at) {
            let around = (bytes[at - 1], bytes.get(at + 1).copied().unwrap_or_default());
            let joins = match next {
                b'.' | b'\'' => around.0.is_ascii_alphabetic() && around.1.is_ascii_alphabetic(),
                b':' => around.0.is_ascii_alphabetic() && around.1.is_ascii_alphabetic(),
                _ => false,
            };
            let counts = matches!(next, b'.' | b'\'' | b',' | b';')
                && around.0.is_ascii_digit()
                && around.1.is_ascii_digit();
            if !is_word(next) && !joins && !counts {
                break;
            }
            at += 1;
        }
        // A mention is a word with its mark.
        let from = if from > 0 && bytes[from - 1] == b'@' { from - 1 } else { from };
        Some(&text[from..at])
    });
    plain.chain(other.unicode_words())
}

/// Whether a stem that is known may be another form of one that is asked for: both begin alike.
pub fn is_form(known: &str, asked: &str) -> bool {
    let same = known.bytes().zip(asked.bytes()).take_while(|(a, b)| a == b).count();
    let (more, left) = (known.len() - same, asked.len() - same);
    same >= 5 && left <= 2 && more <= 3 || same >= 4 && left == 0 && more <= 4
}

/// The stems of a text's words, in order.
pub fn stems(text: &str, language: &Language) -> Vec<String> {
    let message = Message::new(text, language);
    message.sentences.iter().flat_map(|sentence| stems_of(&sentence.words, text, language)).collect()
}

/// The stems of some words of a text, in order. Code counts: names are what people look for. A name such as
/// `retry_limit` or `RetryLimit` counts as a whole and by its parts.
pub fn stems_of(words: &[Word<'_>], text: &str, language: &Language) -> Vec<String> {
    let mut found = Vec::with_capacity(words.len());
    for word in words.iter().filter(|word| !word.is_mark) {
        found.push(word.stem.to_string());
        let parts = parts(&text[word.range.clone()]);
        found.extend(parts.map(|part| language.stem(&part.to_lowercase()).into_owned()));
    }
    found
}

/// The parts of a name: at underscores and dots, and where a capital letter follows a small one. None for a plain word.
pub(crate) fn parts(word: &str) -> impl Iterator<Item = &str> {
    let starts = |(at, pair): (usize, &[u8])| {
        let is_hump = pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
        is_hump.then_some(at + 1)
    };
    let humps = word.as_bytes().windows(2).enumerate().filter_map(starts);
    let mut cuts: Vec<usize> = humps.collect();
    let is_name = !cuts.is_empty() || word.contains(['_', '.']);
    cuts.push(word.len());
    let mut from = 0;
    let pieces = cuts.into_iter().map(move |to| &word[std::mem::replace(&mut from, to)..to]);
    let pieces = pieces.flat_map(|piece| piece.split(['_', '.'])).filter(|piece| !piece.is_empty());
    pieces.filter(move |_| is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_split_as_a_message_splits_them() {
        let text = "It's 1,000 ms (v1.2.3) in main.rs: back-end/API `retry_limit`, e.g. a:b; 3.5kg @sam x_ _y 5'6 end.";
        let message = Message::new(text, Language::english());
        let words =
            message.sentences.iter().flat_map(|sentence| &sentence.words).filter(|word| !word.is_mark);
        let words: Vec<&str> = words.map(|word| &text[word.range.clone()]).collect();
        assert_eq!(tokens(text).collect::<Vec<_>>(), words);
        assert_eq!(tokens("Größe — 2 m").collect::<Vec<_>>(), ["Größe", "2", "m"]);
    }
}
