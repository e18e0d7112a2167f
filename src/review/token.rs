//! A text as words, numbers, identifiers, code and signs, each with its place in the source.
//!
//! Invariant: tokens are in order, don't overlap, and `text[start..end]` is the token as written. Words that
//! a rule mentions carry their number in the [`Vocabulary`]; all others carry 0. `FB-11 waits 30 s.` is an
//! identifier, a word, a number, a word and a sign.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::text::Language;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// `30`, `1,130`, `0.01`, and the label `4.2`.
    Number,
    /// `FR-001`, `D213`, `SRS-PWR`.
    Id,
    /// A code span, as one token.
    Code,
    Sign,
}

/// A token, in bytes of the document.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub start: u32,
    pub end: u32,
    /// Number in the vocabulary, 0 where no rule mentions it.
    pub word: u16,
    pub kind: Kind,
    pub flags: u8,
}

/// Inside quotation marks.
pub const QUOTED: u8 = 1;
/// Bold.
pub const STRONG: u8 = 2;
/// Emphasis with one star or underscore.
pub const EMPHASIS: u8 = 4;
/// The first letter is a capital.
pub const CAPITAL: u8 = 8;
/// Follows the token before without white space.
pub const TIGHT: u8 = 16;
/// In the text of a link.
pub const LINK: u8 = 32;

impl Token {
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The word of a text such as `<name of the owner>`.
pub const PLACEHOLDER: &str = "<...>";

/// The words that rules mention, numbered from 1.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    words: HashMap<Cow<'static, str>, u16, foldhash::fast::FixedState>,
}

/// Longer words are in no vocabulary.
const MAX_WORD_BYTES: usize = 32;

impl Vocabulary {
    /// These words in lower case.
    pub fn new(words: impl Iterator<Item = Cow<'static, str>>) -> Vocabulary {
        Vocabulary { words: words.zip(1..).collect() }
    }

    /// One more than the largest number.
    pub fn len(&self) -> usize {
        self.words.len() + 1
    }

    /// The number of a word in any case; 0 where it is unknown.
    pub fn number(&self, word: &str) -> u16 {
        let mut buffer = [0_u8; MAX_WORD_BYTES];
        if word.is_ascii() {
            let Some(lower) = buffer.get_mut(..word.len()) else { return 0 };
            lower.copy_from_slice(word.as_bytes());
            lower.make_ascii_lowercase();
            return std::str::from_utf8(lower)
                .ok()
                .and_then(|lower| self.words.get(lower))
                .copied()
                .unwrap_or(0);
        }
        let mut length = 0;
        for found in word.chars() {
            let found = if found == '\u{2019}' { '\'' } else { found.to_ascii_lowercase() };
            let width = found.len_utf8();
            if length + width > MAX_WORD_BYTES {
                return 0;
            }
            found.encode_utf8(&mut buffer[length..]);
            length += width;
        }
        let lower = std::str::from_utf8(&buffer[..length]).unwrap_or_default();
        self.words.get(lower).copied().unwrap_or(0)
    }
}

/// Adds the tokens of a part of a text.
pub fn split(text: &str, range: Range<usize>, flags: u8, words: &Vocabulary, out: &mut Vec<Token>) {
    let (end, mut at) = (range.end, range.start);
    while at < end {
        let Some(first) = text[at..end].chars().next() else { return };
        let start = at;
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let tight = out.last().is_some_and(|last| last.end as usize == start);
        let mut flags = if tight { flags | TIGHT } else { flags };
        let kind = if first.is_ascii_digit() {
            at = end_of_number(text, start, end);
            Kind::Number
        } else if first.is_alphabetic() {
            at = end_of_word(text, start, end);
            if first.is_uppercase() {
                flags |= CAPITAL;
            }
            if is_id(&text[start..at]) { Kind::Id } else { Kind::Word }
        } else {
            at += first.len_utf8();
            Kind::Sign
        };
        let word = if kind == Kind::Number { 0 } else { words.number(&text[start..at]) };
        out.push(Token { start: start as u32, end: at as u32, word, kind, flags });
    }
}

/// Digits, with dots and commas between digits.
fn end_of_number(text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < end {
        let joins = matches!(bytes[at], b'.' | b',') && at + 1 < end && bytes[at + 1].is_ascii_digit();
        if !bytes[at].is_ascii_digit() && !joins {
            break;
        }
        at += 1;
    }
    at
}

/// Letters and digits, with hyphens, apostrophes and underscores between them; dots in identifiers.
fn end_of_word(text: &str, start: usize, end: usize) -> usize {
    let mut at = start;
    let mut has_digit = false;
    while let Some(found) = text[at..end].chars().next() {
        let width = found.len_utf8();
        let next = || text[at + width..end].chars().next();
        let joins = match found {
            '-' | '\'' | '\u{2019}' | '_' => next().is_some_and(char::is_alphanumeric),
            '.' => has_digit && next().is_some_and(|next| next.is_ascii_digit()),
            _ => false,
        };
        if !found.is_alphanumeric() && !joins {
            break;
        }
        has_digit |= found.is_ascii_digit();
        at += width;
    }
    at
}

/// Capitals with a number (`UC-09`, `D213`), or joined capitals (`SRS-PWR`).
fn is_id(word: &str) -> bool {
    let bytes = word.as_bytes();
    if !bytes[0].is_ascii_uppercase() || word.len() > MAX_WORD_BYTES {
        return false;
    }
    let has = |test: fn(&u8) -> bool| bytes.iter().any(test);
    let (digit, lower, hyphen) =
        (has(u8::is_ascii_digit), has(u8::is_ascii_lowercase), bytes.contains(&b'-'));
    (digit && (!lower || hyphen && bytes.last().is_some_and(u8::is_ascii_digit)))
        || (hyphen && !lower && word.is_ascii())
}

/// The stem of a word in any case, without what follows an apostrophe.
pub fn root(word: &str) -> String {
    let lower = word.to_lowercase();
    let end = lower.find(['\'', '\u{2019}']).unwrap_or(lower.len());
    Language::english().stem(&lower[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(String, Kind)> {
        let mut out = Vec::new();
        split(text, 0..text.len(), 0, &Vocabulary::default(), &mut out);
        out.iter().map(|token| (text[token.range()].to_owned(), token.kind)).collect()
    }

    #[test]
    fn words_numbers_and_identifiers_are_told_apart() {
        let found = kinds("FB-11 isn't 1,130.5 MB, user-friendly (REQ-1.2).");
        let expected = [
            ("FB-11", Kind::Id),
            ("isn't", Kind::Word),
            ("1,130.5", Kind::Number),
            ("MB", Kind::Word),
            (",", Kind::Sign),
            ("user-friendly", Kind::Word),
            ("(", Kind::Sign),
            ("REQ-1.2", Kind::Id),
            (")", Kind::Sign),
            (".", Kind::Sign),
        ];
        assert_eq!(found, expected.map(|(text, kind)| (text.to_owned(), kind)));
        assert_eq!(kinds("10MB §5 ünïcode🙂").len(), 6);
    }

    #[test]
    fn forms_of_a_word_have_one_root() {
        for words in [
            ["block", "blocks", "blocked", "blocking"],
            ["delete", "deletes", "deleted", "deleting"],
            ["stop", "stops", "stopped", "stopping"],
            ["query", "queries", "queried", "queries"],
        ] {
            let roots: Vec<String> = words.iter().map(|word| root(word)).collect();
            assert!(roots.iter().all(|found| *found == roots[0]), "{roots:?}");
        }
    }
}
