//! One tokenizer and one BM25 index: which passages of documents have the words of a query.
//!
//! A text is cut into words as Unicode cuts it (UAX 29), a name at its humps and underscores too; what is compared are
//! stems in lower case. The small words of English are left out. Nothing else is known of a language, and nothing is
//! tuned: the two constants are those that BM25 is usually given (Robertson and Zaragoza, 2009).
//!
//! ```
//! use roundtable::text::index::{Index, query};
//!
//! let index = Index::new(["Fees stop at 10 euros.", "Letters are sent weekly by `sendLetter`."]);
//! let found = index.find(&query("Where do the fees stop?"), 3);
//! assert_eq!((found[0].passage, found[0].matched.as_slice()), (0, &["fee".to_owned(), "stop".to_owned()][..]));
//! assert_eq!(index.find(&query("How is a letter sent?"), 3)[0].passage, 1);
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::OnceLock;

use snowball_stemmers_rs::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation as _;

use super::words::is_small;

/// How soon more of the same word counts no more.
const K1: f64 = 1.2;
/// How much a passage's length counts.
const B: f64 = 0.75;
/// Longer runs of letters are data, no words.
const LONGEST: usize = 64;

/// Passages by the terms in them.
#[derive(Debug, Default)]
pub struct Index {
    /// For each term the passages it is in, and how often.
    postings: BTreeMap<String, Vec<(u32, u32)>>,
    /// Of each passage how many terms it has.
    lengths: Vec<u32>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its number in the order the passages were given.
    pub passage: usize,
    pub score: f64,
    /// The terms of the query that are in it, in alphabetical order.
    pub matched: Vec<String>,
}

impl Index {
    pub fn new<'p>(passages: impl IntoIterator<Item = &'p str>) -> Index {
        let (mut index, mut reader) = (Index::default(), TermReader::default());
        for (number, passage) in (0..).zip(passages) {
            let mut length = 0;
            reader.read(passage, |term| {
                length += 1;
                index.count(term, number);
            });
            index.lengths.push(length);
        }
        index
    }

    fn count(&mut self, term: &str, passage: u32) {
        let list = match self.postings.get_mut(term) {
            Some(list) => list,
            None => self.postings.entry(term.to_owned()).or_default(),
        };
        match list.last_mut() {
            Some((last, count)) if *last == passage => *count += 1,
            _ => list.push((passage, 1)),
        }
    }

    /// The passages that a term is in, and how often.
    fn with(&self, term: &str) -> &[(u32, u32)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }

    /// How rare a term is among the passages: 0 where it is in none.
    pub fn weight(&self, term: &str) -> f64 {
        let (all, found) = (self.lengths.len() as f64, self.with(term).len() as f64);
        if found == 0.0 { 0.0 } else { (1.0 + (all - found + 0.5) / (found + 0.5)).ln() }
    }

    /// The best passages that have any of these terms, best first; of equal ones, the earlier first.
    pub fn find(&self, wanted: &BTreeSet<String>, limit: usize) -> Vec<Hit> {
        let all: f64 = self.lengths.iter().copied().map(f64::from).sum();
        let mean = (all / self.lengths.len().max(1) as f64).max(1.0);
        let mut found: BTreeMap<u32, (f64, Vec<String>)> = BTreeMap::new();
        for term in wanted {
            let weight = self.weight(term);
            for &(passage, count) in self.with(term) {
                let length = f64::from(self.lengths[passage as usize]) / mean;
                let count = f64::from(count);
                let (score, matched) = found.entry(passage).or_default();
                *score += weight * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
                matched.push(term.clone());
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

/// The terms of a text, each once.
pub fn query(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().collect()
}

/// The terms of a text, in order.
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    TermReader::default().read(text, |term| found.push(term.to_owned()));
    found
}

/// Reads terms; a word that comes again is not cut and stemmed again.
#[derive(Default)]
struct TermReader<'t> {
    known: HashMap<&'t str, Rc<[String]>>,
}

impl<'t> TermReader<'t> {
    fn read(&mut self, text: &'t str, mut take: impl FnMut(&str)) {
        let words = text.unicode_words().flat_map(members);
        for word in words.filter(|word| word.len() <= LONGEST) {
            let terms = self.known.entry(word).or_insert_with(|| terms_of(word).into());
            terms.iter().for_each(|term| take(term));
        }
    }
}

/// The names that full stops and colons join to one word, as in `queue.push`; a figure such as "3.5" stays whole.
fn members(word: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    word.split(move |c: char| {
        let joins = matches!(c, '.' | ':') && !before.is_ascii_digit();
        before = c;
        joins
    })
}

/// A word in lower case as its stem, and the stems of its parts where it is a name of several.
fn terms_of(word: &str) -> Vec<String> {
    let parts = parts(word);
    let whole = word.trim_matches('_').to_lowercase().replace('’', "'");
    let others = parts.into_iter().filter(|part| *part != whole);
    let words: Vec<String> = std::iter::once(whole.clone()).chain(others).collect();
    let is_term = |word: &&String| !word.is_empty() && !is_small(word);
    words.iter().filter(is_term).map(|word| stem(word)).collect()
}

/// The stem of a lower-case English word. A stemmer takes time in the square of a word's length: longer ones stay whole.
fn stem(word: &str) -> String {
    static STEMMER: OnceLock<Stemmer> = OnceLock::new();
    let stemmer = STEMMER.get_or_init(|| Stemmer::create(Algorithm::English));
    if word.len() <= LONGEST { stemmer.stem(word).into_owned() } else { word.to_owned() }
}

/// The parts of a name in lower case: at underscores and humps. A plain word is its only part.
pub fn parts(name: &str) -> Vec<String> {
    let bytes = name.as_bytes();
    let humps = (1..bytes.len()).filter(|at| is_hump(bytes, *at));
    let cuts: Vec<usize> = std::iter::once(0).chain(humps).chain([bytes.len()]).collect();
    let pieces = cuts.windows(2).flat_map(|pair| name[pair[0]..pair[1]].split('_'));
    pieces.filter(|piece| !piece.is_empty()).map(str::to_lowercase).collect()
}

/// Whether a name is cut before this place: "retry|Limit", "HTTP|Retry".
fn is_hump(name: &[u8], at: usize) -> bool {
    let (before, here) = (name[at - 1], name[at]);
    let next_is_small = || name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    here.is_ascii_uppercase()
        && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && next_is_small())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_where_people_cut_it() {
        for (name, wanted) in [
            ("retryLimit", vec!["retry", "limit"]),
            ("RETRY_LIMIT", vec!["retry", "limit"]),
            ("__init__", vec!["init"]),
            ("parseHTTPHeader", vec!["parse", "http", "header"]),
            ("sha256", vec!["sha256"]),
            ("größeMax", vec!["größe", "max"]),
            ("_", vec![]),
        ] {
            assert_eq!(parts(name), wanted, "{name}");
        }
    }

    #[test]
    fn a_text_is_its_stems_without_the_small_words() {
        let text = "It's the FIRST of 1,000 retries in `self.retry_limit`: FR-001, Größe!";
        let wanted =
            ["first", "1,000", "retri", "self", "retry_limit", "retri", "limit", "fr", "001", "größe"];
        assert_eq!(terms(text), wanted);
    }
}
