//! Phrases of rules, matched against the tokens of a sentence. [`super::phrases`] says how they are written.
//!
//! Invariant: matching reads a bounded number of tokens for each start, so a page takes linear time.

use std::borrow::Cow;

use super::phrases::{
    ANY, CAPITAL, CODE, END, GAP, ID, MAYBE, NUMBER, ONE_OF, START, WORDS, next_atom, sequences,
};
use super::token::{self, Kind, QUOTED, Token};

/// What is to be matched after a sequence.
struct Rest<'a> {
    code: &'a [u16],
    next: Option<&'a Rest<'a>>,
}

/// Matches a sequence and what comes after it; the end of the match.
fn walk(mut code: &[u16], rest: Option<&Rest<'_>>, tokens: &[Token], mut at: usize) -> Option<usize> {
    while let Some((kind, body, after)) = next_atom(code) {
        match kind {
            WORDS => match tokens.get(at) {
                Some(token) if has(body, token.word) => at += 1,
                _ => return None,
            },
            ONE_OF => {
                let then = Rest { code: after, next: rest };
                return sequences(body).find_map(|one| walk(one, Some(&then), tokens, at));
            }
            MAYBE => {
                let then = Rest { code: after, next: rest };
                if let Some(end) = walk(body, Some(&then), tokens, at) {
                    return Some(end);
                }
            }
            GAP..WORDS => {
                let last = tokens.len().min(at + usize::from(kind - GAP));
                return (at..=last).find_map(|next| walk(after, rest, tokens, next));
            }
            START if is_start(tokens, at) => {}
            END if is_end(tokens, at) => {}
            START | END => return None,
            _ => match tokens.get(at) {
                Some(token) if is_one(kind, token) => at += 1,
                _ => return None,
            },
        }
        code = after;
    }
    rest.map_or(Some(at), |rest| walk(rest.code, rest.next, tokens, at))
}

/// A sorted list, mostly a short one, has a word.
fn has(words: &[u16], word: u16) -> bool {
    match words {
        [only] => *only == word,
        _ => words.binary_search(&word).is_ok(),
    }
}

/// The atom is this token.
fn is_one(kind: u16, token: &Token) -> bool {
    if kind == CAPITAL { token.has(token::CAPITAL) } else { begins(kind, token) }
}

/// A phrase whose first atom is no word may begin at this token.
#[inline]
pub fn begins(kind: u16, token: &Token) -> bool {
    kind_bits(token) >> kind & 1 == 1
}

/// What a phrase may begin with at this token, a bit for each kind of atom.
#[inline]
fn kind_bits(token: &Token) -> u16 {
    let own = match token.kind {
        Kind::Number => 1 << NUMBER,
        Kind::Id => 1 << ID,
        Kind::Code => 1 << CODE,
        Kind::Word | Kind::Sign => 0,
    };
    own | 1 << ANY
}

/// What phrases begin with: most tokens begin none.
#[derive(Clone, Debug, Default)]
pub struct Starts {
    /// A bit for each word.
    words: Vec<u64>,
    /// A bit for each kind of atom.
    kinds: u16,
}

impl Starts {
    /// What the phrases of any of some sets begin with.
    pub fn of_any<'s>(sets: impl IntoIterator<Item = &'s Set>) -> Starts {
        let mut all = Starts::default();
        for set in sets {
            let Starts { words, kinds } = &set.starts;
            all.words.resize(all.words.len().max(words.len()), 0);
            all.words.iter_mut().zip(words).for_each(|(bits, more)| *bits |= more);
            all.kinds |= kinds;
        }
        all
    }

    /// Whether a phrase may begin at this token; one in quotation marks begins none.
    #[inline]
    pub fn has(&self, token: &Token) -> bool {
        let word = usize::from(token.word);
        let is_word = self.words.get(word / 64).is_some_and(|bits| bits >> (word % 64) & 1 == 1);
        (is_word || self.kinds != 0 && self.kinds & kind_bits(token) != 0) && !token.has(QUOTED)
    }

    /// Where a match may begin.
    pub fn places(&self, tokens: &[Token]) -> impl Iterator<Item = usize> {
        tokens.iter().enumerate().filter(|(_, token)| self.has(token)).map(|(at, _)| at)
    }
}

/// Nothing but a label and signs is before this place: `**F-01.** The …`.
fn is_start(tokens: &[Token], at: usize) -> bool {
    at <= 4 && tokens[..at].iter().all(|token| matches!(token.kind, Kind::Sign | Kind::Id | Kind::Number))
}

/// Nothing but signs is after this place.
fn is_end(tokens: &[Token], at: usize) -> bool {
    tokens.get(at..).is_some_and(|rest| rest.iter().take(4).all(|token| token.kind == Kind::Sign))
        && tokens.len() <= at + 4
}

/// Phrases that are looked for together, as [`super::phrases::Compiler::set`] makes them.
#[derive(Clone, Debug)]
pub struct Set {
    code: Cow<'static, [u16]>,
    starts: Starts,
}

impl Default for Set {
    fn default() -> Set {
        Set { code: Cow::Borrowed(&[0; HEAD]), starts: Starts::default() }
    }
}

/// The numbers before the parts of a set.
const HEAD: usize = 3;

impl Set {
    pub fn new(code: impl Into<Cow<'static, [u16]>>) -> Set {
        let set = Set { code: code.into(), starts: Starts::default() };
        let last = set.pairs().last().map_or(0, |[word, _]| usize::from(*word));
        let mut words = vec![0; last / 64 + 1];
        set.pairs().iter().for_each(|[word, _]| words[usize::from(*word) / 64] |= 1 << (word % 64));
        let kinds = set.others().iter().fold(0, |kinds, [kind, _]| kinds | 1 << kind);
        Set { starts: Starts { words, kinds }, ..set }
    }

    /// How many phrases, pairs and others there are.
    fn counts(&self) -> [usize; HEAD] {
        [0, 1, 2].map(|at| usize::from(self.code[at]))
    }

    pub fn is_empty(&self) -> bool {
        self.code[0] == 0
    }

    /// Words with the phrases that begin with them, sorted.
    pub fn pairs(&self) -> &[[u16; 2]] {
        let [phrases, pairs, _] = self.counts();
        self.code[HEAD + phrases..][..2 * pairs].as_chunks().0
    }

    /// Phrases that begin with no word: what with, and which.
    pub fn others(&self) -> &[[u16; 2]] {
        let [phrases, pairs, others] = self.counts();
        self.code[HEAD + phrases + 2 * pairs..][..2 * others].as_chunks().0
    }

    /// How many phrases there are.
    pub fn len(&self) -> u16 {
        self.code[0]
    }

    /// The atoms of a phrase.
    pub fn phrase(&self, number: u16) -> &[u16] {
        let [phrases, pairs, others] = self.counts();
        let (ends, all) = (&self.code[HEAD..], &self.code[HEAD + phrases + 2 * (pairs + others)..]);
        let number = usize::from(number);
        let from = number.checked_sub(1).map_or(0, |before| usize::from(ends[before]));
        &all[from..usize::from(ends[number])]
    }

    /// The end of a match of one phrase that begins at `at`.
    pub fn matches(&self, phrase: u16, tokens: &[Token], at: usize) -> Option<usize> {
        walk(self.phrase(phrase), None, tokens, at)
    }

    /// The ends of the matches that begin at `at`, with the numbers of their phrases.
    #[inline]
    fn all_at(&self, tokens: &[Token], at: usize) -> impl Iterator<Item = (usize, u16)> {
        let token = tokens.get(at).filter(|token| self.starts.has(token));
        let phrases = token.into_iter().flat_map(|token| {
            let pairs = self.pairs();
            let from = pairs.partition_point(|[word, _]| *word < token.word);
            let words = pairs[from..].iter().take_while(|[word, _]| *word == token.word);
            words.chain(self.others().iter().filter(|[kind, _]| begins(*kind, token)))
        });
        phrases.filter_map(move |[_, phrase]| Some((self.matches(*phrase, tokens, at)?, *phrase)))
    }

    /// The longest match that begins at `at`.
    pub fn at(&self, tokens: &[Token], at: usize) -> Option<usize> {
        self.longest(tokens, at).map(|(end, _)| end)
    }

    /// The end of the longest match that begins at `at`, and the number of its phrase.
    pub fn longest(&self, tokens: &[Token], at: usize) -> Option<(usize, u16)> {
        self.all_at(tokens, at).max()
    }

    /// The first match outside of quotation marks.
    pub fn find(&self, tokens: &[Token]) -> Option<(usize, usize)> {
        self.starts.places(tokens).find_map(|at| Some((at, self.at(tokens, at)?)))
    }

    pub fn is_in(&self, tokens: &[Token]) -> bool {
        self.starts.places(tokens).any(|at| self.all_at(tokens, at).next().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::phrases::{Compiler, Lists};
    use crate::review::token::{Vocabulary, split};

    fn found(phrase: &str, text: &str) -> Option<String> {
        let lists = Lists::from([("modal".to_owned(), vec!["must".to_owned(), "has to".to_owned()])]);
        let mut compiler = Compiler::new(&lists, std::iter::empty());
        let phrase = Set::new(compiler.set(&[phrase.to_owned()]).unwrap());
        let words = Vocabulary::new(compiler.words().into_iter().map(Cow::Owned));
        let mut tokens = Vec::new();
        split(text, 0..text.len(), 0, &words, &mut tokens);
        let (from, to) = phrase.find(&tokens)?;
        Some(text[tokens[from].start as usize..tokens[to - 1].end as usize].to_owned())
    }

    #[test]
    fn phrases_match_words_lists_gaps_and_ends() {
        let text = "F-01. It has to be changed within 30 days, or stop.";
        assert_eq!(found("@modal _3 changed", text).as_deref(), Some("has to be changed"));
        assert_eq!(found("change~", text).as_deref(), Some("changed"));
        assert_eq!(found("within # day|days ,", text).as_deref(), Some("within 30 days,"));
        assert_eq!(found("< it has", text).as_deref(), Some("It has"));
        assert_eq!(found("stop >", text).as_deref(), Some("stop"));
        assert_eq!(found("days >", text), None);
        assert_eq!(found("be really? changed", text).as_deref(), Some("be changed"));
        assert_eq!(found("ID", text).as_deref(), Some("F-01"));
    }

    #[test]
    fn a_phrase_that_cannot_match_is_refused() {
        for text in ["", "_3 word", "@nothing", "_99 x", "a| b", "a ,|>"] {
            assert!(
                Compiler::new(&Lists::new(), std::iter::empty()).set(&[text.to_owned()]).is_err(),
                "{text}"
            );
        }
    }
}
