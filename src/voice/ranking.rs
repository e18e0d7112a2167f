//! A BM25 index over the passages of documents: which of them speak of the same as a question, by stems.
//!
//! Other than in [`text::index`](crate::text::index) a passage counts with its own words in full, and with those around
//! it (its heading, the sentence that leads to it) in part; a word that no passage has counts in other forms.
//!
//! ```
//! use roundtable::text::{Language, index::stems};
//! use roundtable::voice::ranking::Ranking;
//!
//! let language = Language::new("en");
//! let mut index = Ranking::default();
//! for passage in ["Fees stop at 10 euros.", "Letters are sent weekly."] {
//!     index.add(stems(passage, &language), []);
//! }
//! let found = index.find(&stems("When do the fees stop?", &language));
//! assert_eq!(found[0].passage, 0);
//! assert_eq!(found[0].matched, [("fee".to_owned(), 1.0), ("stop".to_owned(), 1.0)]);
//! ```

use std::collections::BTreeMap;

use crate::text::alike::alike;
use crate::text::index::is_form;

/// How soon more of the same word counts no more.
const K1: f64 = 1.2;
/// How much a passage's length counts.
const B: f64 = 0.3;
/// How much another form of a word counts, as a part of the word itself.
const FORM: f64 = 0.6;
/// How much a word that says much the same counts.
const ALIKE: f64 = 0.6;
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
pub struct Ranking {
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

impl Ranking {
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

    /// Whether any passage has a stem, another form of it, or a word that says much the same.
    pub fn is_known(&self, stem: &str) -> bool {
        !self.forms(stem).is_empty()
    }

    /// The weight of a stem of a query, known or not.
    pub fn weight_asked(&self, stem: &str) -> f64 {
        let known = self.forms(stem).into_iter().map(|(form, _)| self.weight(form)).fold(0.0, f64::max);
        let rarest = (1.0 + (self.lengths.len() as f64 - 0.5) / 1.5).ln();
        if known > 0.0 { known } else { rarest * UNKNOWN }
    }

    /// The stems of the passages that a stem of a query means, and how much each counts: itself, else what begins like
    /// it ("expiry" and "expire"), and words that say much the same.
    fn forms<'s>(&'s self, stem: &'s str) -> Vec<(&'s str, f64)> {
        let is_known = |stem: &&str| self.postings.contains_key(*stem);
        let alike = alike(stem).into_iter().filter(is_known).map(|other| (other, ALIKE));
        if is_known(&stem) {
            return std::iter::once((stem, 1.0)).chain(alike).collect();
        }
        // All forms begin with the same four letters.
        let begin = stem.get(..4).unwrap_or(stem);
        let known = self.postings.range(begin.to_owned()..).map(|(known, _)| known.as_str());
        let forms = known.take_while(|known| known.starts_with(begin)).filter(|known| is_form(known, stem));
        forms.map(|form| (form, FORM)).chain(alike).collect()
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
