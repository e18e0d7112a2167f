//! A BM25 index over the passages of documents: which of them speak of the same as a question, by stems.
//!
//! Other than in [`text::index`](crate::text::index) a passage counts with its own words in full, and with those around
//! it (its heading, the sentence that leads to it) in part; a word that no passage has counts in other forms.
//!
//! ```
//! use roundtable::text::Language;
//! use roundtable::voice::ranking::Ranking;
//!
//! let language = Language::new("en");
//! let mut index = Ranking::new(&language);
//! for passage in ["Fees stop at 10 euros.", "Letters are sent weekly."] {
//!     let own = index.stems(passage);
//!     index.add(&own, []);
//! }
//! let found = index.find(&["fee".to_owned(), "stop".to_owned()]);
//! assert_eq!(found[0].passage, 0);
//! assert_eq!(found[0].matched, [("fee".to_owned(), 1.0), ("stop".to_owned(), 1.0)]);
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::RandomState;

use crate::text::Language;
use crate::text::alike::alike;
use crate::text::index::{is_form, parts, tokens};

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

/// The number of a stem.
pub type Stem = u32;

/// Passages by the stems in them. Every word is stemmed once.
pub struct Ranking<'t> {
    language: &'t Language,
    /// The stems of each word as it is written: its own and those of its parts.
    words: HashMap<&'t str, Vec<Stem>, RandomState>,
    stems: BTreeMap<String, Stem>,
    /// By stem.
    postings: Vec<Vec<Posting>>,
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

impl<'t> Ranking<'t> {
    pub fn new(language: &'t Language) -> Ranking<'t> {
        let (words, stems) = (HashMap::default(), BTreeMap::new());
        Ranking { language, words, stems, postings: Vec::new(), lengths: Vec::new() }
    }

    /// The stems of a text.
    pub fn stems(&mut self, text: &'t str) -> Vec<Stem> {
        let mut found = Vec::new();
        for word in tokens(text) {
            if let Some(known) = self.words.get(word) {
                found.extend_from_slice(known);
                continue;
            }
            let stems = self.stems_of(word);
            found.extend_from_slice(&stems);
            self.words.insert(word, stems);
        }
        found
    }

    /// The stems of a word and of its parts.
    fn stems_of(&mut self, word: &str) -> Vec<Stem> {
        let whole = std::iter::once(word.trim_matches('_'));
        let mut found = Vec::new();
        for part in whole.chain(parts(word)) {
            let lower = part.to_lowercase().replace('’', "'");
            let stem = self.language.stem(&lower);
            let next = Stem::try_from(self.postings.len()).unwrap_or(Stem::MAX);
            let number = match self.stems.get(stem.as_ref()) {
                Some(known) => *known,
                None => {
                    self.stems.insert(stem.into_owned(), next);
                    self.postings.push(Vec::new());
                    next
                }
            };
            found.push(number);
        }
        found
    }

    /// Adds a passage: its own stems, and what is around it with how much that counts.
    pub fn add<'s>(&mut self, own: &[Stem], around: impl IntoIterator<Item = (&'s [Stem], f64)>) {
        let passage = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        self.lengths.push(u32::try_from(own.len()).unwrap_or(u32::MAX));
        for stem in own {
            let list = &mut self.postings[*stem as usize];
            match list.last_mut() {
                Some(last) if last.passage == passage => last.count += 1.0,
                _ => list.push(Posting { passage, count: 1.0, share: 1.0 }),
            }
        }
        for (stems, share) in around {
            for stem in stems {
                let list = &mut self.postings[*stem as usize];
                if list.last().is_none_or(|last| last.passage != passage) {
                    list.push(Posting { passage, count: share, share });
                }
            }
        }
    }

    fn list(&self, stem: &str) -> Option<&[Posting]> {
        self.stems.get(stem).map(|number| self.postings[*number as usize].as_slice())
    }

    /// How rare a stem is among the passages: 0 where it is in none.
    pub fn weight(&self, stem: &str) -> f64 {
        let Some(list) = self.list(stem) else { return 0.0 };
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
        let is_known = |stem: &&str| self.stems.contains_key(*stem);
        let alike = alike(stem).into_iter().filter(is_known).map(|other| (other, ALIKE));
        if is_known(&stem) {
            return std::iter::once((stem, 1.0)).chain(alike).collect();
        }
        // All forms begin with the same four letters.
        let begin = stem.get(..4).unwrap_or(stem);
        let known = self.stems.range(begin.to_owned()..).map(|(known, _)| known.as_str());
        let forms = known.take_while(|known| known.starts_with(begin)).filter(|known| is_form(known, stem));
        forms.map(|form| (form, FORM)).chain(alike).collect()
    }

    /// The passages that have any of some stems, best first; of equal ones, the earlier first.
    pub fn find(&self, wanted: &[String]) -> Vec<Hit> {
        let mean =
            self.lengths.iter().copied().map(f64::from).sum::<f64>() / self.lengths.len().max(1) as f64;
        let wanted: Vec<&str> =
            wanted.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
        // Passage, number of the stem, score and share.
        let mut found: Vec<(u32, usize, f64, f64)> = Vec::new();
        for (at, stem) in wanted.iter().enumerate() {
            let weight = self.weight_asked(stem);
            for (form, part) in self.forms(stem) {
                for one in self.list(form).into_iter().flatten() {
                    let length = f64::from(self.lengths[one.passage as usize]) / mean.max(1.0);
                    let often = one.count * (K1 + 1.0) / (one.count + K1 * (1.0 - B + B * length));
                    found.push((one.passage, at, weight * part * often, one.share * part));
                }
            }
        }
        found.sort_by_key(|(passage, at, _, _)| (*passage, *at));
        let best = |same: &[(u32, usize, f64, f64)]| {
            let best =
                same.iter().fold((0.0, 0.0), |best, one| if one.2 > best.0 { (one.2, one.3) } else { best });
            (same[0].1, best)
        };
        let hit = |all: &[(u32, usize, f64, f64)]| {
            let stems: Vec<_> = all.chunk_by(|a, b| a.1 == b.1).map(best).collect();
            Hit {
                passage: all[0].0 as usize,
                score: stems.iter().map(|(_, (score, _))| score).sum(),
                matched: stems.iter().map(|(at, (_, share))| (wanted[*at].to_owned(), *share)).collect(),
            }
        };
        let mut hits: Vec<Hit> = found.chunk_by(|a, b| a.0 == b.0).map(hit).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
        hits
    }
}
