//! Lines of the documents that say otherwise than a statement: another figure for the same thing, the opposite verb, its
//! negation, or a list of what the documents leave out.
//!
//! A line is told only where it speaks of what the statement speaks of, under the same conditions. In doubt nothing is
//! told: a wrong contradiction is worse than none.
//!
//! ```
//! use roundtable::text::Language;
//! use roundtable::voice::contradictions::{Difference, contradictions};
//! use roundtable::voice::passages::Passages;
//!
//! let spec = "# Fees\n\nFees stop at 10 euros.\n";
//! let passages = Passages::new(&[("spec.md", spec)], Language::english());
//! let found = contradictions("Fees stop at 20 euros.", &passages);
//! let there_and_said = Difference::Figure { there: "10 euros".into(), said: "20 euros".into() };
//! assert_eq!((found[0].line, &found[0].difference), (3, &there_and_said));
//! ```

use std::collections::BTreeSet;

use super::passages::{Candidate, Passage, Passages};
use super::quantities::{Quantity, quantities};
use crate::text::alike::{alike, opposites};
use crate::text::index::{is_form, stems};
use crate::text::words::is_significant;
use crate::text::{Language, Message, Word, sentences};

/// What is said of the upper end of a range, and of the lower.
const UPPER: [&str; 7] =
    ["at most", "up to", "no more than", "not more than", "at the latest", "no later than", "within"];
const LOWER: [&str; 5] = ["at least", "no less than", "not less than", "more than", "no sooner than"];

/// Which end of a range a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Lower,
    Upper,
}

/// Passages that a statement is held against.
const NEAR: usize = 8;
/// Contradictions that are told of one statement.
const TOLD: usize = 3;
/// A clause of more words is not held against a statement by its verb or negation alone.
const CLAUSE: usize = 25;
/// A figure is quoted in its sentence up to so many characters.
const SENTENCE: usize = 160;
/// A passage of what is left out names a thing down to this share of the words' weight.
const NAMED: f64 = 0.5;
/// Words of a limit, by their stems.
const BOUNDS: [&str; 11] =
    ["after", "befor", "each", "everi", "least", "maximum", "minimum", "most", "than", "until", "within"];
/// So many words after two figures are the same where they are of the same thing.
const ALIKE: usize = 3;
/// A reason comes after so many words.
const REASON: usize = 4;
/// Words of what something is done to.
const OBJECT: usize = 5;
/// Words that negate a clause.
const NEGATIONS: [&str; 4] = ["cannot", "never", "no", "not"];
/// Words that negate something else than the clause, or only a part of it.
const UNCLEAR: [&str; 7] = ["but", "just", "necessarily", "neither", "nor", "only", "without"];
/// Words between a negation and what is negated, by their stems.
const BETWEEN: [&str; 9] = ["abl", "actual", "current", "ever", "intend", "longer", "plan", "want", "yet"];
/// Where a clause ends.
const ENDS: [&str; 10] = ["(", ")", ":", ";", "although", "as", "because", "since", "whereas", "while"];
/// Words that make a clause hold in some cases only.
const CONDITIONS: [&str; 10] =
    ["after", "before", "during", "except", "if", "may", "only", "unless", "until", "when"];
/// Words that place a thing, sorted.
const PLACED: [&str; 17] = [
    "above", "at", "below", "between", "by", "from", "in", "inside", "into", "on", "outside", "over",
    "through", "under", "via", "with", "within",
];
/// What a verb that acts comes after, in its base form.
const ACTS: [&str; 18] = [
    "also", "and", "i", "i'll", "let's", "must", "now", "please", "shall", "should", "still", "they", "to",
    "we", "we'd", "we'll", "we've", "will",
];
/// What a participle comes after.
const IS: [&str; 9] = ["are", "be", "been", "being", "get", "gets", "i'm", "is", "we're"];
/// Who speaks of what everybody does.
const WE: [&str; 9] = ["i", "i'd", "i'll", "let's", "we", "we'd", "we'll", "we're", "we've"];

/// How a line says otherwise than the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Another figure for the same thing.
    Figure { there: String, said: String },
    /// A verb and its opposite.
    Verb { there: String, said: String },
    /// Only one of the two is negated.
    Negation,
    /// The documents leave the thing out.
    LeftOut,
}

/// A line of the documents that says otherwise than the user.
#[derive(Clone, Debug)]
pub struct Contradiction<'t> {
    pub passage: Passage<'t>,
    /// The line within the document.
    pub line: usize,
    pub quote: String,
    pub difference: Difference,
}

/// What a statement contradicts, at most three lines.
pub fn contradictions<'t>(text: &str, passages: &Passages<'t>) -> Vec<Contradiction<'t>> {
    let mut found: Vec<Contradiction<'t>> = Vec::new();
    let said = Message::new(text, Language::english());
    for sentence in said.sentences.iter().filter(|one| !one.text.contains('?')) {
        let (claim, words) = claim(&sentence.words, sentence.text, text);
        let near = passages.candidates(claim, NEAR);
        let clause = Clause { text: claim, words: unlabelled(words) };
        found.extend(left_out(&clause, &near));
        found.extend(other_figures(claim, &near));
        for one in &near {
            let there = Message::new(one.passage.text, Language::english());
            let clauses: Vec<Clause<'_, 't>> = there.sentences.iter().flat_map(Clause::all).collect();
            let told = clauses.iter().find_map(|there| {
                let difference = opposite(&clause, there, one).or_else(|| negated(&clause, there, one))?;
                Some(told(one.passage, there.text, difference))
            });
            found.extend(told);
        }
    }
    let mut kept: Vec<Contradiction<'t>> = Vec::new();
    for one in found {
        if kept.len() < TOLD && !kept.iter().any(|known| known.passage == one.passage) {
            kept.push(one);
        }
    }
    kept
}

/// A sentence before its reason, which speaks of something else: text and words.
fn claim<'w, 's>(words: &'w [Word<'s>], sentence: &'s str, source: &'s str) -> (&'s str, &'w [Word<'s>]) {
    let is_reason = |word: &Word<'_>| matches!(word.lower.as_ref(), "because" | "since");
    let reason = words.iter().skip(REASON).position(is_reason).map(|at| at + REASON);
    let Some(at) = reason else { return (sentence, words) };
    let start = sentence.as_ptr() as usize - source.as_ptr() as usize;
    (source.get(start..words[at].range.start).unwrap_or(sentence), &words[..at])
}

fn told<'t>(passage: &Passage<'t>, quote: &str, difference: Difference) -> Contradiction<'t> {
    let at = (quote.as_ptr() as usize).saturating_sub(passage.text.as_ptr() as usize);
    let line = passage.line + passage.text.get(..at).map_or(0, |before| before.matches('\n').count());
    Contradiction { line, passage: passage.clone(), quote: quote.to_owned(), difference }
}

/// The words of a sentence after its label: "Decision: …", "Maya, …".
fn unlabelled<'w, 't>(words: &'w [Word<'t>]) -> &'w [Word<'t>] {
    match words {
        [_, mark, rest @ ..] if matches!(mark.lower.as_ref(), ":" | ",") => rest,
        _ => words,
    }
}

/// A part of a sentence between marks or before its reason, with its words.
struct Clause<'w, 't> {
    text: &'t str,
    words: &'w [Word<'t>],
}

impl<'w, 't> Clause<'w, 't> {
    /// The clauses of a sentence; each is quoted with its sentence where that is short.
    fn all(sentence: &'w crate::text::Sentence<'t>) -> Vec<Clause<'w, 't>> {
        let parts = sentence.words.split(|word| ENDS.binary_search(&word.lower.as_ref()).is_ok());
        let is_short = sentence.text.chars().count() <= SENTENCE;
        let clause = |words: &'w [Word<'t>]| {
            let (first, last) = (words.first()?, words.last()?);
            let start = sentence.range.start;
            let (from, to) = (first.range.start - start, last.range.end - start);
            let closed = sentence.text.get(to..)?.trim_start_matches(['`', '"', '”']);
            let part = sentence.text.get(from..sentence.text.len() - closed.len())?;
            Some(Clause { text: if is_short { sentence.text } else { part }, words })
        };
        parts.filter_map(clause).collect()
    }

    fn stems(&self) -> impl Iterator<Item = &str> {
        let says = |word: &&Word<'_>| !word.is_mark && is_significant(&word.lower);
        self.words.iter().filter(says).map(|word| word.stem.as_ref())
    }

    fn has(&self, stem: &str) -> bool {
        self.words.iter().any(|word| is_same(&word.stem, stem))
    }

    /// Its words that are in a sorted list.
    fn words_of(&self, list: &[&str]) -> BTreeSet<&str> {
        let is_month = |word: &Word<'_>| self.text.contains(" May ") && word.lower == "may";
        let words = self.words.iter().filter(|word| !is_month(word)).map(|word| word.lower.as_ref());
        words.filter(|word| list.binary_search(word).is_ok()).collect()
    }

    /// Whether both hold in the same cases.
    fn holds_like(&self, other: &Clause<'_, '_>) -> bool {
        let (own, others) = (self.words_of(&PLACED), other.words_of(&PLACED));
        let is_never = |one: &Clause<'_, '_>| one.has("never") && one.words_of(&CONDITIONS).is_empty();
        self.words_of(&UNCLEAR) == other.words_of(&UNCLEAR)
            && (self.words_of(&CONDITIONS) == other.words_of(&CONDITIONS)
                || is_never(self)
                || is_never(other))
            && (own.is_subset(&others) || others.is_subset(&own))
    }

    /// What is negated, by its stem, where something is; none where that is unclear.
    fn negation(&self) -> Option<Option<&str>> {
        // In "reply NO" the word is what somebody writes, and denies nothing.
        let is_name = |word: &Word<'_>| word.lower == "no" && self.text.contains(" NO");
        let is_negation = |word: &Word<'_>| {
            (NEGATIONS.binary_search(&word.lower.as_ref()).is_ok() || word.lower.ends_with("n't"))
                && !is_name(word)
        };
        let mut places = (0..self.words.len()).filter(|at| is_negation(&self.words[*at]));
        let Some(at) = places.next() else { return Some(None) };
        // "Members that do not pay are listed": the sentence itself is not negated.
        let is_relative = |word: &Word<'_>| matches!(word.lower.as_ref(), "that" | "which" | "who" | "whose");
        if places.next().is_some() || self.words[..at].iter().any(is_relative) {
            return None;
        }
        let says = |word: &&Word<'_>| {
            is_significant(&word.lower) && BETWEEN.binary_search(&word.stem.as_ref()).is_err()
        };
        self.words[at + 1..].iter().find(says).map(|word| Some(word.stem.as_ref()))
    }

    /// The verbs with an opposite that say what is done, each with the stems of what it is done to, the nearest first.
    fn acts(&self) -> impl Iterator<Item = (&Word<'t>, Vec<&str>)> {
        let words = self.words;
        let says = |word: &Word<'_>| !word.is_mark && is_significant(&word.lower);
        let is_act = move |at: usize| {
            let word = &words[at];
            let before = at.checked_sub(1).map_or("", |before| words[before].lower.as_ref());
            let is_participle = is_past(&word.lower);
            let is_base = !is_participle && !word.lower.ends_with('s');
            let starts = at == 0 || matches!(before, ":" | "-" | "," | "." | ")");
            !opposites(&word.stem).is_empty()
                && (is_participle && IS.contains(&before)
                    || word.lower.ends_with("ing") && IS.contains(&before)
                    || is_base && (starts || ACTS.binary_search(&before).is_ok()))
        };
        (0..words.len()).filter(move |at| is_act(*at)).map(move |at| {
            let is_passive = is_past(&words[at].lower);
            let near: Vec<&Word<'t>> = match is_passive {
                true => words[..at].iter().rev().filter(|word| says(word)).take(OBJECT).collect(),
                false => words[at + 1..].iter().filter(|word| says(word)).take(OBJECT).collect(),
            };
            (&words[at], near.into_iter().map(|word| word.stem.as_ref()).collect())
        })
    }
}

/// Whether a verb is written as in "is removed" and "is kept".
fn is_past(word: &str) -> bool {
    word.ends_with("ed") || matches!(word, "hidden" | "kept" | "lost" | "shown")
}

/// Whether two stems are of the same word or of words that say much the same.
fn is_same(known: &str, asked: &str) -> bool {
    known == asked || is_form(known, asked) || is_form(asked, known) || alike(asked).contains(&known)
}

/// A passage below a heading such as "Non-Goals" that names what a statement wants.
fn left_out<'t>(said: &Clause<'_, '_>, near: &[Candidate<'_, 't>]) -> Option<Contradiction<'t>> {
    let best = near.first().filter(|best| best.passage.is_left_out && best.share >= NAMED)?;
    let removes = said.acts().any(|(verb, _)| is_same(&verb.stem, "remov") || is_same(&verb.stem, "exclud"));
    if said.negation() != Some(None) || removes {
        return None;
    }
    let quote = sentences(best.passage.text).first().map_or(best.passage.text, |first| *first);
    Some(told(best.passage, quote, Difference::LeftOut))
}

/// The figures of passages for the same thing, where they are others.
fn other_figures<'t>(sentence: &str, near: &[Candidate<'_, 't>]) -> Vec<Contradiction<'t>> {
    let mut figures: Vec<(Quantity<'t>, Contradiction<'t>)> =
        near.iter().filter_map(|one| other_figure(sentence, one)).collect();
    // Years are meant by years, where there are days as well.
    let is_of_unit = |told: &Contradiction<'_>| match &told.difference {
        Difference::Figure { there, said } => unit(there) == unit(said),
        _ => false,
    };
    if figures.iter().any(|(_, told)| is_of_unit(told)) {
        figures.retain(|(_, told)| is_of_unit(told));
    }
    // Where the documents give several figures, nobody can tell which one is meant.
    let is_one = figures.iter().all(|(figure, _)| figure.equals(&figures[0].0));
    figures.into_iter().filter(|_| is_one).map(|(_, told)| told).collect()
}

/// The figure of a passage for the same thing, where it is another one.
fn other_figure<'t>(sentence: &str, one: &Candidate<'_, 't>) -> Option<(Quantity<'t>, Contradiction<'t>)> {
    let passage = one.passage;
    let (said, there) = (quantities(sentence), quantities(passage.text));
    let differs = |own: &&Quantity<'_>| {
        let mut same = there.iter().filter(|other| other.is_of(own)).peekable();
        same.peek().is_some() && same.all(|other| !other.equals(own))
    };
    let own = said.iter().find(differs)?;
    let other = there.iter().find(|other| other.is_of(own))?;
    let around = sentences(passage.text).into_iter().find(|around| holds(around, other.text))?;
    // "At least 8" allows 12, and "at most 5" allows 3.
    let is_allowed = match (bound(around), bound(sentence)) {
        (Some(Bound::Lower), None) => own.is_above(other),
        (Some(Bound::Upper), None) => other.is_above(own),
        (Some(there), Some(said)) => there != said,
        _ => false,
    };
    // "One review is enough for small changes": nothing before the figure says that it is of something else.
    let before = stems(sentence.split(own.text).next().unwrap_or_default(), Language::english());
    let is_counted = own.counts_things()
        && there.iter().filter(|figure| figure.is_of(own)).count() == 1
        && !one.missing.iter().any(|stem| before.contains(stem));
    let is_half = one.missing.len() * 2 <= one.wanted.len();
    let is_alike =
        goes_on_alike(sentence, own, passage.text, other) || leads_alike(sentence, own, passage.text, other);
    let is_about = one.is_about_all("") || (is_counted || is_alike) && is_half;
    if is_allowed || !is_about {
        return None;
    }
    // A figure alone tells little.
    let quote = if around.chars().count() <= SENTENCE { around } else { other.text };
    let difference = Difference::Figure { there: other.text.to_owned(), said: own.text.to_owned() };
    Some((other.clone(), told(passage, quote, difference)))
}

/// Whether the same words follow both figures: "24 hours before the appointment".
fn goes_on_alike(said: &str, own: &Quantity<'_>, there: &str, other: &Quantity<'_>) -> bool {
    let after = |text: &str, figure: &Quantity<'_>| -> Vec<String> {
        let rest = text.split_once(figure.text).map_or("", |(_, rest)| rest);
        let rest = rest.split(['.', ',', ';', ':', '\n']).next().unwrap_or_default();
        rest.split_whitespace().take(ALIKE).map(str::to_lowercase).collect()
    };
    let words = after(said, own);
    words.len() == ALIKE && words == after(there, other)
}

/// The word of a figure's unit, by its stem.
fn unit(figure: &str) -> Option<String> {
    stems(figure, Language::english())
        .into_iter()
        .rfind(|stem| !stem.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether the same word leads to both figures, and what is before it in the statement is in the passage: "alarms are
/// muted for at most 60 minutes", "keep alarms muted for up to 2 hours".
fn leads_alike(said: &str, own: &Quantity<'_>, there: &str, other: &Quantity<'_>) -> bool {
    let before = |text: &str, figure: &Quantity<'_>| -> Vec<String> {
        let lead = text.split_once(figure.text).map_or("", |(lead, _)| lead);
        let says = |stem: &String| is_significant(stem) && !BOUNDS.contains(&stem.as_str());
        stems(lead, Language::english()).into_iter().filter(says).collect()
    };
    let (own, other) = (before(said, own), before(there, other));
    let [.., subject, lead] = own.as_slice() else { return false };
    other.last() == Some(lead) && other.contains(subject)
}

/// A verb of a clause that is the opposite of the statement's, done to the same thing.
fn opposite(said: &Clause<'_, '_>, there: &Clause<'_, '_>, one: &Candidate<'_, '_>) -> Option<Difference> {
    if there.words.len() > CLAUSE
        || said.negation() != Some(None)
        || there.negation() != Some(None)
        || !said.holds_like(there)
    {
        return None;
    }
    said.acts().find_map(|(verb, object)| {
        let object = object.first().filter(|object| !one.missing.iter().any(|stem| stem == *object))?;
        let others = opposites(&verb.stem);
        let (other, _) = there.acts().find(|(other, done_to)| {
            let is_shared = done_to.iter().any(|stem| said.has(stem)) || there.stems().count() <= 3;
            others.contains(&other.stem.as_ref()) && is_shared
        })?;
        let is_about = one.is_about_all(&verb.stem) && (there.has(object) || one.missing.is_empty());
        let written = |word: &Word<'_>| word.lower.to_string();
        is_about.then(|| Difference::Verb { there: written(other), said: written(verb) })
    })
}

/// Whether a clause has the words of a statement, and only one of the two is negated.
fn negated(said: &Clause<'_, '_>, there: &Clause<'_, '_>, one: &Candidate<'_, '_>) -> Option<Difference> {
    let target = match (said.negation()?, there.negation()?) {
        (Some(target), None) if there.has(target) => target,
        (None, Some(target)) if said.has(target) => target,
        _ => return None,
    };
    let missing = one.wanted.iter().filter(|stem| !there.has(stem)).count();
    let is_we = said.words.first().is_some_and(|word| WE.binary_search(&word.lower.as_ref()).is_ok());
    let (first, subject) =
        (said.stems().find(|stem| one.wanted.iter().any(|own| own == stem))?, there.stems().next()?);
    let is_it = there.has(first) && (is_we || said.has(subject) || subject == target);
    let is_said = one.wanted.len() >= 2 && missing * 4 <= one.wanted.len();
    let is_plain = there.words.len() <= CLAUSE && said.holds_like(there);
    (is_it && is_said && is_plain).then_some(Difference::Negation)
}

/// Whether a part of a text is in another part of it.
fn holds(text: &str, part: &str) -> bool {
    let at = part.as_ptr() as usize;
    (text.as_ptr() as usize..text.as_ptr() as usize + text.len()).contains(&at)
}

/// Which end of a range a text speaks of: none where it speaks of both or neither.
fn bound(text: &str) -> Option<Bound> {
    let lower = text.to_lowercase();
    let stems = stems(&lower, Language::english());
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let names = |end: &str| {
        let is_it = |stem: &str| stem == end || alike(end).contains(&stem);
        stems.iter().any(|stem| is_it(stem) && stem != "most" && stem != "least")
    };
    let is_upper = names("maximum") || says(&UPPER);
    let is_lower = names("minimum") || says(&LOWER) && !says(&["no more than", "not more than"]);
    match (is_lower, is_upper) {
        (true, false) => Some(Bound::Lower),
        (false, true) => Some(Bound::Upper),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(
            NEGATIONS.is_sorted() && CONDITIONS.is_sorted() && UNCLEAR.is_sorted() && BETWEEN.is_sorted()
        );
        assert!(ACTS.is_sorted() && WE.is_sorted() && ENDS.is_sorted() && PLACED.is_sorted());
    }

    #[test]
    fn a_statement_is_held_against_figures_verbs_negations_and_what_is_left_out() {
        let spec = "# Rules\n\nA session ends after 1 hour.\nIts cookie lives as long.\n\nThe answer has no text fallback.\n\n\
                    ## Health\n\n- Remove the endpoint `/health`.\n- A password has at least 8 characters.\n\n\
                    ## Non-Goals\n\n- A driver for each database\n";
        let passages = Passages::new(&[("spec.md", spec)], Language::english());
        for (said, wanted) in [
            ("Decision: a session ends after 24 hours.", Some((3, "A session ends after 1 hour."))),
            ("A session ends after 60 minutes.", None),
            ("The answer gets a text fallback.", Some((6, "The answer has no text fallback."))),
            ("We keep the health endpoint.", Some((10, "Remove the endpoint `/health`."))),
            ("We keep the status endpoint.", None),
            ("A password has 12 characters.", None),
            ("A password has 6 characters.", Some((11, "A password has at least 8 characters."))),
            ("We'll write a driver for each database.", Some((15, "A driver for each database"))),
            ("We won't write a driver for each database.", None),
            ("The report has 3 pages.", None),
        ] {
            let found = contradictions(said, &passages);
            let found = found.first().map(|one| (one.line, one.quote.as_str()));
            assert_eq!(found, wanted, "{said}");
        }
    }
}
