//! What a text claims: its words, figures and ids, and which of its clauses deny something.
//!
//! A text is supported by others that have its words, figures and ids, and deny what it denies.

use std::collections::BTreeSet;

use crate::text::words::{is_significant, stem, subjects, words};
use crate::voice::sources::{figures, ids};

/// Words that turn a clause into its opposite.
const NEGATIONS: [&str; 11] =
    ["cannot", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing", "nowhere", "without"];
/// Words that a negation may replace.
const LACKS: [&str; 14] = [
    "absent",
    "empty",
    "fail",
    "failed",
    "fails",
    "gap",
    "gone",
    "lack",
    "lacks",
    "missing",
    "refused",
    "refuses",
    "unclear",
    "undefined",
];

/// A sentence, or a part of one: its words, and whether it is turned into its opposite.
struct Clause {
    words: BTreeSet<String>,
    /// The words that follow a negation.
    denied: BTreeSet<String>,
    is_negated: bool,
    lacks: bool,
}

/// What a text claims.
pub struct Claimed {
    pub words: BTreeSet<String>,
    figures: BTreeSet<String>,
    ids: BTreeSet<String>,
    sentences: Vec<Clause>,
    clauses: Vec<Clause>,
}

impl Claimed {
    pub fn new(text: &str) -> Claimed {
        Claimed {
            words: subjects(text).into_iter().collect::<BTreeSet<_>>(),
            figures: figures(text).into_iter().collect::<BTreeSet<_>>(),
            ids: ids(text).map(str::to_owned).collect::<BTreeSet<_>>(),
            sentences: sentences(text).collect(),
            clauses: clauses(text).collect(),
        }
    }
}

/// What a text has that its grounds do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Most of its words.
    Words,
    /// A figure or an id.
    Unsaid(String),
    Denial,
    /// They say the opposite.
    Opposite,
}

impl Lack {
    /// The same for people; `grounds` is what the text names: "the turns it names".
    pub fn told(&self, grounds: &str) -> String {
        match self {
            Lack::Words => format!("it is in none of {grounds}"),
            Lack::Unsaid(what) => format!("{grounds} do not have \"{what}\""),
            Lack::Denial => format!("nobody denied that in {grounds}"),
            Lack::Opposite => format!("{grounds} say the opposite"),
        }
    }
}

/// How much of a text its grounds must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Words of a hundred.
    pub near: usize,
    /// It may deny what its grounds do not speak of, as a proposal does.
    pub may_deny: bool,
}

/// Whether these grounds say a text with these subjects.
///
/// # Errors
/// What they lack.
pub fn supports(text: &str, words: &[String], grounds: &[&Claimed], demand: Demand) -> Result<(), Lack> {
    let shared = words.iter().filter(|word| grounds.iter().any(|one| one.words.contains(*word))).count();
    if shared * 100 < words.len() * demand.near {
        return Err(Lack::Words);
    }
    let figure =
        figures(text).into_iter().find(|one| !grounds.iter().any(|ground| ground.figures.contains(one)));
    let id = || ids(text).find(|one| !grounds.iter().any(|ground| ground.ids.contains(*one)));
    if let Some(unsaid) = figure.or_else(|| id().map(str::to_owned)) {
        return Err(Lack::Unsaid(unsaid));
    }
    let sentences: Vec<&Clause> = grounds.iter().flat_map(|one| &one.sentences).collect();
    let clauses: Vec<&Clause> = grounds.iter().flat_map(|one| &one.clauses).collect();
    keeps_negations(text, &sentences, &clauses, demand.may_deny)
}

/// Whether what a text negates is negated where it was said, and nothing else is.
fn keeps_negations(text: &str, sentences: &[&Clause], said: &[&Clause], may_deny: bool) -> Result<(), Lack> {
    for own in clauses(text).filter(|own| own.words.len() >= 2) {
        let shared = |other: &Clause| own.words.intersection(&other.words).count();
        // One word in common is no subject in common.
        let is_near = |other: &&&Clause| shared(other) >= 2 && shared(other) * 3 >= own.words.len();
        let is_same = |other: &&&Clause| shared(other) * 5 >= own.words.len() * 3;
        if own.is_negated {
            let mut near = sentences.iter().filter(is_near).peekable();
            let is_new = may_deny && near.peek().is_none();
            if !is_new && !near.any(|one| one.is_negated || one.lacks) {
                return Err(Lack::Denial);
            }
        } else {
            let mut same = said.iter().filter(is_same).peekable();
            if same.peek().is_some() && same.all(|one| !one.denied.is_disjoint(&own.words)) {
                return Err(Lack::Opposite);
            }
        }
    }
    Ok(())
}

fn sentences(text: &str) -> impl Iterator<Item = Clause> {
    parts(text, |c| matches!(c, '.' | ';' | '?' | '!' | '\n'))
}

fn clauses(text: &str) -> impl Iterator<Item = Clause> {
    parts(text, |c| matches!(c, '.' | ';' | '?' | '!' | '\n' | ',' | ':' | '(' | ')'))
}

/// The parts between marks that a blank follows.
fn parts(text: &str, is_mark: fn(char) -> bool) -> impl Iterator<Item = Clause> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.char_indices().find(|(at, c)| {
            is_mark(*c) && !text[at + c.len_utf8()..].starts_with(|next: char| next.is_alphanumeric())
        });
        rest = end.map(|(at, c)| &text[at + c.len_utf8()..]);
        let part = end.map_or(text, |(at, _)| &text[..at]);
        let all = words(part);
        let negations = all
            .iter()
            .enumerate()
            .filter(|(_, word)| NEGATIONS.contains(&word.text.as_ref()) || word.text.ends_with("n't"));
        let negations: Vec<usize> = negations.map(|(at, _)| at).collect();
        let next = |at: usize| all[at + 1..].iter().find(|word| is_significant(&word.text));
        Some(Clause {
            words: subjects(part).into_iter().collect(),
            denied: negations
                .iter()
                .filter_map(|at| next(*at))
                .map(|word| stem(&word.text).into_owned())
                .collect(),
            is_negated: !negations.is_empty(),
            lacks: all.iter().any(|word| LACKS.contains(&word.text.as_ref())),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negation_is_kept() {
        let turn = "The queue does not lose photos. Reports wait for the night and nobody says what the screen shows; nobody reads reports.";
        let said = Claimed::new(turn);
        let keeps = |text: &str| supports(text, &[], &[&said], Demand { near: 0, may_deny: false }).is_ok();
        for text in ["The queue never loses photos", "Reports wait for the night", "Nobody reads reports"] {
            assert!(keeps(text), "{text}");
        }
        for text in ["The queue loses photos", "Photos do not wait for sync"] {
            assert!(!keeps(text), "{text}");
        }
    }
    #[test]
    fn a_proposal_may_deny_what_nobody_spoke_of() {
        let said = Claimed::new("The queue does not lose photos. Reports wait for the night.");
        let lacks = |text: &str, may_deny| supports(text, &[], &[&said], Demand { near: 0, may_deny }).err();
        assert_eq!(lacks("Nothing blocks the upload", false), Some(Lack::Denial));
        assert_eq!(lacks("Nothing blocks the upload", true), None);
        assert_eq!(lacks("Reports never wait for the night", true), Some(Lack::Denial));
        assert_eq!(lacks("The queue loses photos", true), Some(Lack::Opposite));
        assert_eq!(lacks("Reports wait for 3 nights", true), Some(Lack::Unsaid("3".to_owned())));
    }
}
