//! The phrases of pattern rules by the words they begin with, so that a sentence meets few of them.
//!
//! Invariant: a phrase that is left out cannot match. `must _3 quickly` is looked for where a sentence has "must", and
//! only if it has "quickly" as well.

use std::ops::Range;

use super::pattern::{Set, begins};
use super::phrases::{WORDS, next_atom};
use super::rule::Rule;
use super::token::Token;

/// Longer lists of words are not looked for: mostly a sentence has one of them.
const MAX_NEEDED: usize = 64;

/// A phrase of a rule.
#[derive(Clone, Debug)]
struct Begin {
    rule: u16,
    phrase: u16,
    /// Words of which the sentence must have one, in [`Firsts::needed`]; none where that is not known.
    needs: Range<u32>,
}

/// The phrases of all pattern rules.
#[derive(Clone, Debug, Default)]
pub struct Firsts {
    /// Where the phrases of a word begin, by its number.
    starts: Vec<u32>,
    by_word: Vec<Begin>,
    /// Those that begin with no word, each with what it begins with.
    others: Vec<(u16, Begin)>,
    needed: Vec<u16>,
}

impl Firsts {
    /// The phrases of rules, whose words are below a number.
    pub fn of(rules: &[Rule], words: usize) -> Firsts {
        let mut all = Firsts { starts: vec![0; words + 1], ..Firsts::default() };
        let mut found = Vec::new();
        for (rule, file) in (0..).zip(rules) {
            let needs: Vec<Range<u32>> =
                (0..file.any.len()).map(|phrase| all.need(&file.any, phrase)).collect();
            let begin = |phrase: u16| Begin { rule, phrase, needs: needs[usize::from(phrase)].clone() };
            found.extend(file.any.pairs().map(|[word, phrase]| (word, begin(phrase))));
            all.others.extend(file.any.others().iter().map(|[kind, phrase]| (*kind, begin(*phrase))));
        }
        found.iter().for_each(|(word, _)| all.starts[usize::from(*word) + 1] += 1);
        (1..all.starts.len()).for_each(|at| all.starts[at] += all.starts[at - 1]);
        let mut next = all.starts.clone();
        all.by_word = vec![Begin { rule: 0, phrase: 0, needs: 0..0 }; found.len()];
        for (word, begin) in found {
            let at = &mut next[usize::from(word)];
            all.by_word[*at as usize] = begin;
            *at += 1;
        }
        all
    }

    /// Keeps the shortest list of words that a match has after its begin.
    fn need(&mut self, set: &Set, phrase: u16) -> Range<u32> {
        let mut rest = next_atom(set.phrase(phrase)).map_or(&[][..], |(_, _, rest)| rest);
        let mut needed: &[u16] = &[];
        while let Some((kind, body, after)) = next_atom(rest) {
            if kind == WORDS && body.len() <= MAX_NEEDED && (needed.is_empty() || body.len() < needed.len()) {
                needed = body;
            }
            rest = after;
        }
        let from = self.needed.len() as u32;
        self.needed.extend(needed);
        from..self.needed.len() as u32
    }

    /// Rule and phrase of those that may match at a token of a sentence with these words.
    pub fn at<'f>(&'f self, token: &'f Token, seen: &'f Seen) -> impl Iterator<Item = (u16, u16)> {
        let word = usize::from(token.word);
        let words = &self.by_word[self.starts[word] as usize..self.starts[word + 1] as usize];
        let others = self.others.iter().filter(|(kind, _)| begins(*kind, token)).map(|(_, begin)| begin);
        let may_match = |begin: &&Begin| {
            let needed = &self.needed[begin.needs.start as usize..begin.needs.end as usize];
            needed.is_empty() || needed.iter().any(|word| seen.has(*word))
        };
        words.iter().chain(others).filter(may_match).map(|begin| (begin.rule, begin.phrase))
    }
}

/// The words of the sentence that is read.
pub struct Seen {
    /// For each word the last sentence that had it.
    last: Vec<u32>,
    sentence: u32,
}

impl Seen {
    /// For words below a number.
    pub fn new(words: usize) -> Seen {
        Seen { last: vec![0; words], sentence: 0 }
    }

    /// Goes on to a sentence.
    pub fn read(&mut self, sentence: &[Token]) {
        self.sentence += 1;
        sentence.iter().for_each(|token| self.last[usize::from(token.word)] = self.sentence);
    }

    fn has(&self, word: u16) -> bool {
        self.last[usize::from(word)] == self.sentence
    }
}
