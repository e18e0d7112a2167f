//! A BM25 index over passages: which passages speak of the same as a query, by stems.
//!
//! A passage counts with its own words in full, and with those around it (its heading, the sentence that leads to it)
//! in part.
//!
//! ```
//! use roundtable::text::{Language, index::{Index, stems}};
//!
//! let language = Language::new("en");
//! let mut index = Index::default();
//! for passage in ["Fees stop at 10 euros.", "Letters are sent weekly."] {
//!     index.add(stems(passage, &language), []);
//! }
//! let found = index.find(&stems("When do the fees stop?", &language));
//! assert_eq!(found[0].passage, 0);
//! assert_eq!(found[0].matched, [("fee".to_owned(), 1.0), ("stop".to_owned(), 1.0)]);
//! ```

use std::collections::BTreeMap;

use super::{Language, Message, Word};

/// How soon more of the same word counts no more.
const K1: f64 = 1.2;
/// How much a passage's length counts.
const B: f64 = 0.3;
/// How much another form of a word counts, as a part of the word itself.
const FORM: f64 = 0.6;
/// What a word that no passage has weighs, as a part of the rarest word's weight: it may be another word for one that
/// they have.
const UNKNOWN: f64 = 0.7;

/// A word in a passage: the passage's number, how often it counts, and whether it is one of the passage's own.
struct Posting {
    passage: u32,
    count: f64,
    /// 1 for the passage's own words, less for those around it.
    share: f64,
}

/// Passages by the stems in them.
#[derive(Default)]
pub struct Index {
    postings: BTreeMap<String, Vec<Posting>>,
    lengths: Vec<u32>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its number in the order the passages were added.
    pub passage: usize,
    pub score: f64,
    /// The stems of the query that it has, in alphabetical order, and how much of each.
    pub matched: Vec<(String, f64)>,
}

impl Index {
    /// Adds a passage: its own stems, and what is around it with how much that counts.
    pub fn add<'s>(&mut self, own: Vec<String>, around: impl IntoIterator<Item = (&'s [String], f64)>) {
        let passage = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        self.lengths.push(u32::try_from(own.len()).unwrap_or(u32::MAX));
        for stem in own {
            let list = self.postings.entry(stem).or_default();
            match list.last_mut() {
                Some(last) if last.passage == passage => last.count += 1.0,
                _ => list.push(Posting { passage, count: 1.0, share: 1.0 }),
            }
        }
        for (stem, share) in
            around.into_iter().flat_map(|(stems, share)| stems.iter().map(move |one| (one, share)))
        {
            let posting = Posting { passage, count: share, share };
            match self.postings.get_mut(stem) {
                Some(list) if list.last().is_some_and(|last| last.passage == passage) => {}
                Some(list) => list.push(posting),
                None => drop(self.postings.insert(stem.clone(), vec![posting])),
            }
        }
    }

    /// How rare a stem is among the passages: 0 where it is in none.
    pub fn weight(&self, stem: &str) -> f64 {
        let Some(list) = self.postings.get(stem) else { return 0.0 };
        let own = list.iter().filter(|one| one.share >= 1.0).count().max(1) as f64;
        (1.0 + (self.lengths.len() as f64 - own + 0.5) / (own + 0.5)).ln()
    }

    /// The weight of a stem of a query, known or not.
    pub fn weight_asked(&self, stem: &str) -> f64 {
        let known = self.forms(stem).into_iter().map(|(form, _)| self.weight(form)).fold(0.0, f64::max);
        let rarest = (1.0 + (self.lengths.len() as f64 - 0.5) / 1.5).ln();
        if known > 0.0 { known } else { rarest * UNKNOWN }
    }

    /// The stems of the passages that a stem of a query means, and how much each counts: itself, else what begins like
    /// it ("expiry" and "expire").
    fn forms<'s>(&'s self, stem: &'s str) -> Vec<(&'s str, f64)> {
        if self.postings.contains_key(stem) {
            return vec![(stem, 1.0)];
        }
        // All forms begin with the same four letters.
        let begin = stem.get(..4).unwrap_or(stem);
        let alike = self.postings.range(begin.to_owned()..).map(|(known, _)| known.as_str());
        let forms = alike.take_while(|known| known.starts_with(begin)).filter(|known| is_form(known, stem));
        forms.map(|form| (form, FORM)).collect()
    }

    /// The passages that have any of some stems, best first; of equal ones, the earlier first.
    pub fn find(&self, wanted: &[String]) -> Vec<Hit> {
        let mean =
            self.lengths.iter().copied().map(f64::from).sum::<f64>() / self.lengths.len().max(1) as f64;
        let mut found: BTreeMap<u32, BTreeMap<&str, (f64, f64)>> = BTreeMap::new();
        for stem in wanted {
            let weight = self.weight_asked(stem);
            for (form, part) in self.forms(stem) {
                for one in self.postings.get(form).into_iter().flatten() {
                    let length = f64::from(self.lengths[one.passage as usize]) / mean.max(1.0);
                    let often = one.count * (K1 + 1.0) / (one.count + K1 * (1.0 - B + B * length));
                    let best = found.entry(one.passage).or_default().entry(stem).or_default();
                    if weight * part * often > best.0 {
                        *best = (weight * part * often, one.share * part);
                    }
                }
            }
        }
        let hit = |(passage, stems): (u32, BTreeMap<&str, (f64, f64)>)| Hit {
            passage: passage as usize,
            score: stems.values().map(|(score, _)| score).sum(),
            matched: stems.into_iter().map(|(stem, (_, share))| (stem.to_owned(), share)).collect(),
        };
        let mut hits: Vec<Hit> = found.into_iter().map(hit).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
        hits
    }
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
fn parts(word: &str) -> impl Iterator<Item = &str> {
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
