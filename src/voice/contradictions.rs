//! Lines of the documents that say otherwise than a statement: another figure for the same thing, its negation, or a list
//! of what the documents leave out.
//!
//! A line is told only where it speaks of what the statement speaks of: it has the statement's first word of substance
//! and more than two thirds of the others. In doubt nothing is told; the line is then shown among those to compare.
//!
//! ```
//! use roundtable::review::Rules;
//! use roundtable::text::Language;
//! use roundtable::voice::{contradictions::contradictions, passages::Passages};
//!
//! let spec = "# Fees\n\nFees stop at 10 euros.\n";
//! let passages = Passages::new(&[("spec.md", spec)], Language::english());
//! let found = contradictions("Fees stop at 20 euros.", &passages, &Rules::built_in().unwrap());
//! assert_eq!((found[0].line, found[0].quote.as_str(), found[0].said.as_str()), (3, "Fees stop at 10 euros.", "20 euros"));
//! ```

use super::passages::{Candidate, Passage, Passages};
use super::quantities::{Quantity, quantities};
use crate::plain;
use crate::review::{Document, Options, Rules, review};
use crate::text::index::{is_form, stems};
use crate::text::words::words;
use crate::text::{Language, sentences};

/// Review rules that hold two lines against each other.
const CONTRADICTS: [&str; 2] = ["conflicting-figures", "contradicting-rules"];
/// What a statement is called among the documents that it is reviewed with.
const SAID: &str = "said.md";
/// Passages that a statement is held against.
const NEAR: usize = 8;
/// Contradictions that are told of one statement.
const TOLD: usize = 3;
/// A clause of more words is not held against a statement by its negation alone.
const CLAUSE: usize = 25;
/// A figure is quoted in its sentence up to so many characters.
const SENTENCE: usize = 160;
/// Words that negate a clause.
const NEGATIONS: [&str; 6] = ["cannot", "neither", "never", "no", "not", "without"];
/// Words that make a clause hold in some cases only.
const CONDITIONS: [&str; 8] = ["except", "if", "may", "only", "should", "unless", "until", "when"];

/// A line of the documents that says otherwise than the user.
#[derive(Clone, Debug)]
pub struct Contradiction<'t> {
    pub passage: Passage<'t>,
    /// The line within the document.
    pub line: usize,
    pub quote: String,
    /// The user's words for the same; none where the documents leave the thing out.
    pub said: String,
}

/// What a statement contradicts, at most three lines.
pub fn contradictions<'t>(text: &str, passages: &Passages<'t>, rules: &Rules) -> Vec<Contradiction<'t>> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let candidates = passages.candidates(sentence, NEAR);
        found.extend(left_out(sentence, &candidates));
        let held: Vec<&Candidate<'_, 't>> = candidates.iter().filter(|one| one.is_about_all()).collect();
        let figures: Vec<(Quantity<'t>, Contradiction<'t>)> =
            held.iter().filter_map(|one| other_figure(sentence, one.passage)).collect();
        // Where the documents give several figures, nobody can tell which one is meant.
        if figures.iter().all(|(figure, _)| figure.equals(&figures[0].0)) {
            found.extend(figures.into_iter().map(|(_, told)| told));
        }
        found.extend(held.iter().filter_map(|one| negated(sentence, &one.wanted, one.passage)));
    }
    found.extend(by_rule(text, passages, rules));
    let mut kept: Vec<Contradiction<'t>> = Vec::new();
    for one in found {
        let is_new = !kept.iter().any(|known| known.passage == one.passage);
        if kept.len() < TOLD && is_new {
            kept.push(one);
        }
    }
    kept
}

/// What the review rules find between the statement and the passages that are nearest to it.
fn by_rule<'t>(text: &str, passages: &Passages<'t>, rules: &Rules) -> Vec<Contradiction<'t>> {
    let near: Vec<Candidate<'_, 't>> = passages.candidates(text, NEAR);
    let names: Vec<String> = (0..near.len()).map(|at| format!("{at}.md")).collect();
    let mut documents = vec![Document { path: SAID, text }];
    documents.extend(names.iter().zip(&near).map(|(path, one)| Document { path, text: one.passage.text }));
    let mut options = Options::default();
    options.rules.extend(CONTRADICTS.map(str::to_owned));
    let at = |path: &str| near.get(path.strip_suffix(".md")?.parse::<usize>().ok()?);
    let found = review(&documents, rules, &options).findings;
    let pairs = found.iter().flat_map(|one| one.related.iter().map(move |other| (one, other)));
    let sides = pairs.filter_map(|(one, other)| {
        let (said, there) = ((&one.path, one.line, &one.quote), (&other.path, other.line, &other.quote));
        let (said, (path, line, quote)) = if *said.0 == SAID { (said, there) } else { (there, said) };
        let one = at(path).filter(|one| *said.0 == SAID && one.is_about_all())?;
        let line = one.passage.line + line - 1;
        Some(Contradiction { line, passage: one.passage.clone(), quote: quote.clone(), said: said.2.clone() })
    });
    sides.collect()
}

/// A passage below a heading such as "Non-Goals" that names what a statement wants.
fn left_out<'t>(sentence: &str, candidates: &[Candidate<'_, 't>]) -> Option<Contradiction<'t>> {
    let best = candidates
        .first()
        .filter(|best| best.is_same && best.passage.is_left_out && !is_negated(sentence))?;
    let quote = sentences(best.passage.text).first().map_or(best.passage.text, |first| *first).to_owned();
    Some(Contradiction { line: best.passage.line, passage: best.passage.clone(), quote, said: String::new() })
}

/// The figure of a passage for the same thing, where it is another one.
fn other_figure<'t>(sentence: &str, passage: &Passage<'t>) -> Option<(Quantity<'t>, Contradiction<'t>)> {
    let (said, there) = (quantities(sentence), quantities(passage.text));
    let differs = |own: &&Quantity<'_>| {
        let mut same = there.iter().filter(|other| other.is_of(own)).peekable();
        same.peek().is_some() && same.all(|other| !other.equals(own))
    };
    let own = said.iter().find(differs)?;
    let other = there.iter().find(|other| other.is_of(own))?;
    // A figure alone tells little.
    let around = sentences(passage.text).into_iter().find(|around| holds(around, other.text));
    let quote = around.filter(|around| around.chars().count() <= SENTENCE).unwrap_or(other.text);
    let line = passage.line + lines_before(passage.text, quote);
    let told =
        Contradiction { line, passage: passage.clone(), quote: quote.to_owned(), said: own.text.to_owned() };
    Some((other.clone(), told))
}

/// The clause of a passage that has all words of a statement, where only one of the two is negated.
fn negated<'t>(sentence: &str, wanted: &[String], passage: &Passage<'t>) -> Option<Contradiction<'t>> {
    let is_held = |clause: &&str| {
        let known = stems(clause, Language::english());
        let has = |stem: &String| known.iter().any(|known| known == stem || is_form(known, stem));
        words(clause).len() <= CLAUSE && wanted.iter().all(has)
    };
    let is_plain =
        |text: &str| !words(text).iter().any(|word| CONDITIONS.binary_search(&word.text.as_ref()).is_ok());
    let clauses = sentences(passage.text).into_iter().flat_map(|sentence| sentence.split([':', ';']));
    let clause = clauses.filter(|clause| is_plain(clause)).find(is_held)?.trim();
    if wanted.len() < 2 || is_negated(clause) == is_negated(sentence) || !is_plain(sentence) {
        return None;
    }
    let line = passage.line + lines_before(passage.text, clause);
    Some(Contradiction {
        line,
        passage: passage.clone(),
        quote: clause.to_owned(),
        said: sentence.to_owned(),
    })
}

/// Whether a sentence says that something is not so.
fn is_negated(text: &str) -> bool {
    let lower = plain::one_line(text).to_lowercase();
    words(&lower)
        .iter()
        .any(|word| NEGATIONS.binary_search(&word.text.as_ref()).is_ok() || word.text.ends_with("n't"))
}

/// Whether a part of a text is in another part of it.
fn holds(text: &str, part: &str) -> bool {
    let at = part.as_ptr() as usize;
    (text.as_ptr() as usize..text.as_ptr() as usize + text.len()).contains(&at)
}

/// The lines of a text before a part of it.
fn lines_before(text: &str, part: &str) -> usize {
    let at = part.as_ptr() as usize - text.as_ptr() as usize;
    text.get(..at).map_or(0, |before| before.matches('\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(NEGATIONS.is_sorted() && CONDITIONS.is_sorted());
    }

    #[test]
    fn a_statement_is_held_against_figures_negations_and_what_is_left_out() {
        let spec = "# Rules\n\nA session ends after 1 hour.\nIts cookie lives as long.\n\nThe answer has no text fallback.\n\n\
                    ## Non-Goals\n\n- A driver for each database\n";
        let passages = Passages::new(&[("spec.md", spec)], Language::english());
        let rules = Rules::built_in().unwrap();
        for (said, wanted) in [
            ("Decision: a session ends after 24 hours.", Some((3, "A session ends after 1 hour."))),
            ("A session ends after 60 minutes.", None),
            ("The answer gets a text fallback.", Some((6, "The answer has no text fallback."))),
            ("We'll write a driver for each database.", Some((10, "A driver for each database"))),
            ("We won't write a driver for each database.", None),
            ("The report has 3 pages.", None),
        ] {
            let found = contradictions(said, &passages, &rules);
            let found = found.first().map(|one| (one.line, one.quote.as_str()));
            assert_eq!(found, wanted, "{said}");
        }
    }
}
