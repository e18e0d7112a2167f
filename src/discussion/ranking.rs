//! Which step's text a message is nearest to: BM25 (Robertson and Zaragoza, "The Probabilistic
//! Relevance Framework: BM25 and Beyond", 2009) over everything the steps ask, in whole numbers.
//!
//! A discussion is replayed on other machines, where a logarithm in floating point may differ in
//! its last digit and a message fall to the other side of a margin. So weights are computed in
//! thousandths, logarithms by squaring.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;

use super::index::line_of;
use super::words::{Word, is_significant, stem, words};
use crate::step::Step;

/// How soon a term that is said again stops to count (k1), and how far a long text is held against
/// it (b), in thousandths.
const K1: u64 = 1_200;
const B: u64 = 600;
/// A term of a title or a topic counts as if it were said so often more.
const MARKED: u64 = 4;
/// How much nearer another step must be than this one, and than any third, in thousandths. Measured
/// on messages marked by hand: below these margins one redirect in ten is wrong.
const FROM_HERE: u64 = 8_000;
const FROM_NEXT: u64 = 4_000;

/// The texts of all steps, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranking {
    terms: Terms,
    /// The number of terms of each step, and of all of them.
    lengths: Vec<u64>,
    total: u64,
}

/// The steps that say a term, as indices, with how often.
type Places = Vec<(usize, u64)>;

/// Every term of the steps, and who says it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Terms {
    /// The number of each, and by its number its places.
    Counted(HashMap<String, usize, RandomState>, Vec<Places>),
    /// A line a term, as [`Ranking::written`] gives them.
    Written(&'static str),
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::Counted(HashMap::default(), Vec::new())
    }
}

/// The step a message is nearest to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The step, as an index.
    pub step: usize,
    /// The word of the message that speaks for it most.
    pub word: String,
}

impl Ranking {
    /// Counts the steps' texts.
    pub fn new(steps: &[Step]) -> Ranking {
        let mut counts = Counts::default();
        for step in steps {
            counts.lengths.push(0);
            let asked = [&step.brief, &step.artifacts].into_iter();
            let asked = asked.chain(&step.standard).chain(&step.deep).chain(&step.validation);
            asked.for_each(|text| counts.count(text, 1));
            step.topics.iter().chain([&step.title]).for_each(|text| counts.count(text, MARKED));
        }
        let Counts { numbers, places, lengths, .. } = counts;
        let total = lengths.iter().sum();
        Ranking { terms: Terms::Counted(numbers, places), lengths, total }
    }

    /// What was [written](Ranking::written) as the program was built: nothing is left to count.
    pub fn read(lengths: &str, terms: &'static str) -> Ranking {
        let lengths: Vec<u64> = lengths.split(' ').filter_map(|length| length.parse().ok()).collect();
        let total = lengths.iter().sum();
        Ranking { terms: Terms::Written(terms), lengths, total }
    }

    /// The length of each step, and a line a term, in their order: the term, and each step that says it with how
    /// often.
    pub fn written(&self) -> (String, String) {
        let lengths: Vec<String> = self.lengths.iter().map(u64::to_string).collect();
        let text = match &self.terms {
            Terms::Written(text) => (*text).to_owned(),
            Terms::Counted(numbers, places) => {
                let mut text = String::new();
                for (term, at) in BTreeMap::from_iter(numbers) {
                    text.push_str(term);
                    for (step, count) in &places[*at] {
                        text.push_str(&format!(" {step}:{count}"));
                    }
                    text.push('\n');
                }
                text
            }
        };
        (lengths.join(" "), text)
    }

    /// The steps that say a term.
    fn places(&self, term: &str) -> Cow<'_, [(usize, u64)]> {
        match &self.terms {
            Terms::Counted(numbers, places) => {
                let places = numbers.get(term).and_then(|at| places.get(*at));
                Cow::Borrowed(places.map_or(&[], Vec::as_slice))
            }
            Terms::Written(text) => {
                let places = line_of(text, term).unwrap_or_default().split(' ');
                let place = |place: &str| {
                    let (step, count) = place.split_once(':')?;
                    Some((step.parse().ok()?, count.parse().ok()?))
                };
                Cow::Owned(places.filter_map(place).collect())
            }
        }
    }

    /// The step that a message clearly belongs to instead of `here`; terms of `subject` are what the
    /// item itself is about and say nothing.
    pub fn elsewhere(&self, text: &str, here: usize, subject: &str) -> Option<Nearest> {
        let about: Vec<String> = terms(subject).into_iter().map(|(term, _)| term).collect();
        let mut said = terms(text);
        said.retain(|(term, _)| !about.contains(term));
        said.sort();
        said.dedup_by(|a, b| a.0 == b.0);
        let mut scores = vec![0; self.lengths.len()];
        let mut best_words: Vec<(u64, &str)> = vec![(0, ""); self.lengths.len()];
        for (term, word) in &said {
            let places = self.places(term);
            let rarity = self.rarity(places.len());
            for &(step, count) in places.iter() {
                let weight = rarity * self.share(step, count) / 1_000;
                scores[step] += weight;
                if weight > best_words[step].0 {
                    best_words[step] = (weight, word);
                }
            }
        }
        let (step, best) = scores.iter().enumerate().max_by_key(|(at, score)| (**score, usize::MAX - at))?;
        let next = scores.iter().enumerate().filter(|(at, _)| *at != step).map(|(_, score)| *score).max()?;
        let far = step != here
            && best.saturating_sub(*scores.get(here)?) >= FROM_HERE
            && best.saturating_sub(next) >= FROM_NEXT;
        far.then(|| Nearest { step, word: best_words[step].1.to_owned() })
    }

    /// ln(1 + (N - n + 1/2) / (n + 1/2)) in thousandths, for a term that n of N texts have.
    fn rarity(&self, having: usize) -> u64 {
        let (all, having) = (self.lengths.len() as u64, having as u64);
        thousandths_of_ln(2 * all + 2, 2 * having + 1)
    }

    /// What a term that a text says so often is worth there, in thousandths.
    fn share(&self, step: usize, count: u64) -> u64 {
        let all = self.lengths.len() as u64;
        let length = self.lengths.get(step).copied().unwrap_or_default();
        // Its length against the average one, in thousandths.
        let long = (length * all * 1_000).checked_div(self.total).unwrap_or(1_000);
        let hold = K1 * (1_000 - B + B * long / 1_000) / 1_000;
        count * (K1 + 1_000) * 1_000 / (count * 1_000 + hold)
    }
}

/// The steps' texts as they are counted.
#[derive(Default)]
struct Counts {
    numbers: HashMap<String, usize, RandomState>,
    places: Vec<Places>,
    lengths: Vec<u64>,
    /// The number of the term of each word so far, where it has one: the steps use few words, often.
    known: HashMap<String, Option<usize>, RandomState>,
}

impl Counts {
    /// Counts the terms of a text of the last step, each so many times.
    fn count(&mut self, text: &str, times: u64) {
        let step = self.lengths.len() - 1;
        for word in words(text) {
            let term = self.known.get(word.text.as_ref()).copied().unwrap_or_else(|| {
                let term = says_something(&word).then(|| self.number(&root(&word.text)));
                self.known.insert(word.text.into_owned(), term);
                term
            });
            let Some(places) = term.and_then(|term| self.places.get_mut(term)) else { continue };
            self.lengths[step] += times;
            match places.last_mut() {
                Some((last, count)) if *last == step => *count += times,
                _ => places.push((step, times)),
            }
        }
    }

    /// The number of a term, a new one where it has none.
    fn number(&mut self, term: &str) -> usize {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        self.numbers.insert(term.to_owned(), self.places.len());
        self.places.push(Vec::new());
        self.places.len() - 1
    }
}

/// The natural logarithm of a fraction of at least one, in thousandths: the whole part of the
/// logarithm to base 2 by halving, 16 more binary digits by squaring.
fn thousandths_of_ln(numerator: u64, denominator: u64) -> u64 {
    const ONE: u128 = 1 << 32;
    let mut x = u128::from(numerator) * ONE / u128::from(denominator.max(1));
    let mut log: u128 = 0;
    while x >= 2 * ONE {
        x /= 2;
        log += 1 << 16;
    }
    for digit in (0..16).rev() {
        x = x * x / ONE;
        if x >= 2 * ONE {
            x /= 2;
            log += 1 << digit;
        }
    }
    // ln 2 is 0.693147.
    u64::try_from(log * 693_147 / (1 << 16) / 1_000).unwrap_or(u64::MAX)
}

/// The significant words of a text by their roots, each with the word as it stands.
fn terms(text: &str) -> Vec<(String, String)> {
    let of = |word: &Word<'_>| (root(&word.text).into_owned(), text[word.start..word.end].to_owned());
    words(text).iter().filter(|word| says_something(word)).map(of).collect()
}

/// Whether a word says something about a subject: what somebody won't take is no list of Won'ts.
fn says_something(word: &Word<'_>) -> bool {
    is_significant(&word.text) && word.text.starts_with(char::is_alphabetic) && !word.text.ends_with("n't")
}

/// Endings that are taken off, the longest first.
const ENDINGS: [&str; 33] = [
    "ational", "ations", "ation", "ments", "ment", "ings", "ing", "ities", "ity", "ies", "ness", "ers", "er",
    "ors", "or", "ions", "ion", "ives", "ive", "ally", "edly", "ly", "ed", "able", "ible", "ance", "ence",
    "al", "ful", "es", "s", "e", "y",
];

/// A word without its ending, where four letters are left: journeys and journey are one, and so
/// are prioritize and prioritization.
fn root(word: &str) -> Cow<'_, str> {
    let word = stem(word);
    let last = word.bytes().last();
    // Most endings are told apart by their last letter.
    let cut = |ending: &&str| {
        let length = word.len().checked_sub(ending.len()).filter(|length| *length >= 4)?;
        (ending.bytes().last() == last && word.ends_with(*ending)).then_some(length)
    };
    match ENDINGS.iter().find_map(cut) {
        None => word,
        Some(length) => match word {
            Cow::Borrowed(word) => Cow::Borrowed(&word[..length]),
            Cow::Owned(mut word) => {
                word.truncate(length);
                Cow::Owned(word)
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    #[test]
    fn logarithms_are_right_to_a_thousandth() {
        for (numerator, denominator) in [(1, 1), (2, 1), (50, 3), (50, 49), (1_000_000, 7)] {
            let wanted = (numerator as f64 / denominator as f64).ln() * 1_000.0;
            let found = thousandths_of_ln(numerator, denominator) as f64;
            assert!((wanted - found).abs() <= 1.5, "{numerator}/{denominator}: {found}, wanted {wanted}");
        }
    }

    #[test]
    fn words_of_one_root_are_one_term() {
        assert_eq!(root("prioritization"), root("prioritize"));
        assert_eq!(root("journeys"), root("journey"));
        assert_eq!(root("requirements"), root("requirement"));
        assert_eq!(root("is"), "is");
    }

    #[test]
    fn what_the_build_has_counted_is_what_the_steps_say() {
        let library = Library::built_in().unwrap();
        let counted = Ranking::new(&library.steps);
        let written = library.marks().ranking(&library.steps);
        assert!(matches!(written.terms, Terms::Written(_)) && written.lengths == counted.lengths);
        assert_eq!(written.written(), counted.written());
        for (word, is_said) in [("interface", true), ("journeys", true), ("", false), ("zzz", false)] {
            let places = written.places(&root(word));
            assert_eq!(places, counted.places(&root(word)), "{word}");
            assert_eq!(!places.is_empty(), is_said, "{word}");
        }
    }

    #[test]
    fn a_message_in_other_words_is_nearest_to_its_step_and_small_talk_to_none() {
        let library = Library::built_in().unwrap();
        let ranking = Ranking::new(&library.steps);
        let here = library.steps.iter().position(|step| step.id == "01-03").unwrap();
        let found = |text: &str| {
            let nearest = ranking.elsewhere(text, here, "offline mode")?;
            Some(library.steps[nearest.step].id.clone())
        };
        for text in ["Yes.", "What does the inspector see next?", "Alex, is that safe?", "", "ok, go on"] {
            assert_eq!(found(text), None, "{text}");
        }
        // What a step asks is nearest to that step.
        let mut right = 0;
        let mut all = 0;
        for step in library.steps.iter().filter(|step| step.id != "01-03") {
            for question in &step.standard {
                all += 1;
                let near = found(question);
                right += usize::from(near.as_deref() == Some(&step.id));
                assert!(near.is_none() || near.as_deref() == Some(&step.id), "{question}: {near:?}");
            }
        }
        assert!(right * 2 > all, "{right} of {all}");
    }
}
