//! Phrases of rules, matched against the tokens of a sentence. [`super::phrases`] says how they are written.
//!
//! Invariant: matching reads a bounded number of tokens for each start, so a page takes linear time.

use std::borrow::Cow;

use super::phrases::{
    ANY, CAPITAL, CODE, END, GAP, ID, MAYBE, NUMBER, ONE_OF, START, WORDS, first, next_atom, sequences,
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
                let mut likely = sequences(body).filter(|one| may_match(one, tokens, at));
                return likely.find_map(|one| walk(one, Some(&then), tokens, at));
            }
            MAYBE => {
                let then = Rest { code: after, next: rest };
                if let Some(end) = walk(body, Some(&then), tokens, at) {
                    return Some(end);
                }
            }
            GAP..WORDS => {
                let last = tokens.len().min(at + usize::from(kind - GAP));
                let mut likely = (at..=last).filter(|next| may_match(after, tokens, *next));
                return likely.find_map(|next| walk(after, rest, tokens, next));
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

/// Whether a sequence that begins with words begins with this token: most don't, and that is told at once.
#[inline]
fn may_match(code: &[u16], tokens: &[Token], at: usize) -> bool {
    match next_atom(code) {
        Some((WORDS, body, _)) => tokens.get(at).is_some_and(|token| has(body, token.word)),
        _ => true,
    }
}

/// Lists of so many words are read from their begin.
const FEW: usize = 8;

/// A sorted list, mostly a short one, has a word.
fn has(words: &[u16], word: u16) -> bool {
    word != 0 && if words.len() <= FEW { words.contains(&word) } else { words.binary_search(&word).is_ok() }
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

/// Several sets, looked for together.
pub struct Several<'s> {
    sets: Vec<&'s Set>,
    /// Words with the sets that have a phrase beginning with them, sorted.
    by_word: Vec<u32>,
    /// Those that have one beginning with no word.
    others: Vec<u16>,
    starts: Starts,
}

impl<'s> Several<'s> {
    pub fn new(sets: Vec<&'s Set>) -> Several<'s> {
        let numbered = || (0_u16..).zip(&sets);
        let words = numbered().flat_map(|(at, set)| set.pairs().map(move |[word, _]| pair(word, at)));
        let mut by_word: Vec<u32> = words.collect();
        by_word.sort_unstable();
        by_word.dedup();
        let others = numbered().filter(|(_, set)| !set.others.is_empty()).map(|(at, _)| at).collect();
        let starts = Starts::of_any(sets.iter().copied());
        Several { sets, by_word, others, starts }
    }

    /// The longest match of each set at each place: set, place, end and phrase, by place.
    pub fn all(&self, tokens: &[Token]) -> impl Iterator<Item = (usize, usize, usize, u16)> {
        let sets = |at: usize| {
            let words = of_word(&self.by_word, tokens[at].word);
            words.chain(self.others.iter().copied()).map(move |set| (usize::from(set), at))
        };
        self.starts.places(tokens).flat_map(sets).filter_map(|(set, at)| {
            let (end, phrase) = self.sets[set].longest(tokens, at)?;
            Some((set, at, end, phrase))
        })
    }
}

/// A word and a number as one, so that pairs are sorted by word.
fn pair(word: u16, number: u16) -> u32 {
    u32::from(word) << 16 | u32::from(number)
}

/// The numbers that sorted pairs have for a word.
fn of_word(pairs: &[u32], word: u16) -> impl Iterator<Item = u16> {
    let from = pairs.partition_point(|found| *found < pair(word, 0));
    pairs[from..].iter().take_while(move |found| *found >> 16 == u32::from(word)).map(|found| *found as u16)
}

/// Phrases that are looked for together.
#[derive(Clone, Debug)]
pub struct Set {
    /// As [`super::phrases::Compiler::set`] makes it.
    code: Cow<'static, [u16]>,
    /// Words with the phrases that begin with them, sorted.
    pairs: Vec<u32>,
    /// Phrases that begin with no word: what with, and which.
    others: Vec<[u16; 2]>,
    starts: Starts,
}

impl Default for Set {
    fn default() -> Set {
        Set::new(&[0][..])
    }
}

impl Set {
    pub fn new(code: impl Into<Cow<'static, [u16]>>) -> Set {
        let mut set =
            Set { code: code.into(), pairs: Vec::new(), others: Vec::new(), starts: Starts::default() };
        let (mut words, mut pairs) = (Vec::new(), Vec::new());
        for number in 0..set.len() {
            words.clear();
            match first(set.phrase(number), &mut words) {
                None => pairs.extend(words.iter().map(|word| pair(*word, number))),
                Some(kind) => set.others.push([kind, number]),
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        set.pairs = pairs;
        let mut starts = vec![0; set.pairs().next_back().map_or(0, |[word, _]| usize::from(word)) / 64 + 1];
        set.pairs().for_each(|[word, _]| starts[usize::from(word) / 64] |= 1 << (word % 64));
        let kinds = set.others.iter().fold(0, |kinds, [kind, _]| kinds | 1 << kind);
        Set { starts: Starts { words: starts, kinds }, ..set }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = [u16; 2]> {
        self.pairs.iter().map(|pair| [(pair >> 16) as u16, *pair as u16])
    }

    pub fn others(&self) -> &[[u16; 2]] {
        &self.others
    }

    /// How many phrases there are.
    pub fn len(&self) -> u16 {
        self.code[0]
    }

    /// The atoms of a phrase.
    pub fn phrase(&self, number: u16) -> &[u16] {
        let (ends, atoms) = self.code[1..].split_at(usize::from(self.len()));
        let number = usize::from(number);
        let from = number.checked_sub(1).map_or(0, |before| ends[before]);
        &atoms[usize::from(from)..usize::from(ends[number])]
    }

    /// The end of a match of one phrase that begins at `at`.
    pub fn matches(&self, phrase: u16, tokens: &[Token], at: usize) -> Option<usize> {
        walk(self.phrase(phrase), None, tokens, at)
    }

    /// The ends of the matches that begin at `at`, with the numbers of their phrases.
    fn all_at(&self, tokens: &[Token], at: usize) -> impl Iterator<Item = (usize, u16)> {
        let token = tokens.get(at).filter(|token| self.starts.has(token));
        let phrases = token.into_iter().flat_map(|token| {
            let others = self.others.iter().filter(|[kind, _]| begins(*kind, token));
            of_word(&self.pairs, token.word).chain(others.map(|[_, phrase]| *phrase))
        });
        phrases.filter_map(move |phrase| Some((self.matches(phrase, tokens, at)?, phrase)))
    }

    /// The longest match that begins at `at`.
    pub fn at(&self, tokens: &[Token], at: usize) -> Option<usize> {
        self.longest(tokens, at).map(|(end, _)| end)
    }

    /// The end of the longest match that begins at `at`, and the number of its phrase.
    #[inline(never)] // It is called in a hundred places.
    pub fn longest(&self, tokens: &[Token], at: usize) -> Option<(usize, u16)> {
        self.all_at(tokens, at).max()
    }

    /// The first match outside of quotation marks.
    pub fn find(&self, tokens: &[Token]) -> Option<(usize, usize)> {
        self.starts.places(tokens).find_map(|at| Some((at, self.at(tokens, at)?)))
    }

    #[inline(never)] // As above.
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
