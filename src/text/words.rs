//! Plain words of a text, for the rules of the discussion: addressing, exit, focus, placement.
//!
//! These rules belong to the format of recordings, so they have a tokenizer that never changes with a library.

use std::borrow::Cow;

/// A word in lower case, with where it is. Most words are written so already and are borrowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    pub text: Cow<'t, str>,
    pub start: usize,
    pub end: usize,
}

/// The words of a text: runs of letters and digits, with apostrophes and hyphens inside them, so
/// that `Jordan's` and `back-end` are words of their own.
pub fn words(text: &str) -> Vec<Word<'_>> {
    let mut found: Vec<Word<'_>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if !first.is_alphanumeric() {
            continue;
        }
        let mut end = start + first.len_utf8();
        while let Some(&(at, next)) = chars.peek() {
            let inside = matches!(next, '\'' | '’' | '-' | '‑')
                && text[at + next.len_utf8()..].starts_with(char::is_alphanumeric);
            if !next.is_alphanumeric() && !inside {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        let word = &text[start..end];
        let is_plain = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let text = match is_plain {
            true => Cow::Borrowed(word),
            false => Cow::Owned(word.to_lowercase().replace('’', "'").replace('‑', "-")),
        };
        found.push(Word { text, start, end });
    }
    found
}

/// Only the texts of [`words`], hyphens splitting, plural endings taken off: what phrases and
/// overlaps are compared by.
pub fn stems(text: &str) -> Vec<String> {
    stems_of(&words(text)).into_iter().map(Cow::into_owned).collect()
}

/// The same of words that are at hand.
pub fn stems_of<'w>(words: &'w [Word<'_>]) -> Vec<Cow<'w, str>> {
    let mut found = Vec::with_capacity(words.len());
    for word in words {
        found.extend(word.text.split('-').map(stem));
    }
    found
}

/// A word without possessive and plural ending.
pub fn stem(word: &str) -> Cow<'_, str> {
    let word = if word.as_bytes().ends_with(b"'s") { &word[..word.len() - 2] } else { word };
    match word.as_bytes() {
        [head @ .., b'i', b'e', b's'] if head.len() > 2 => Cow::Owned([&word[..head.len()], "y"].concat()),
        [_, _, .., before, b's'] if !matches!(before, b's' | b'u') => Cow::Borrowed(&word[..word.len() - 1]),
        _ => Cow::Borrowed(word),
    }
}

/// Articles, pronouns, determiners, auxiliaries, question words, conjunctions and the commonest prepositions, sorted: a
/// closed list.
const SMALL: [&str; 122] = [
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been",
    "before", "being", "between", "both", "but", "by", "can", "could", "did", "do", "does", "each", "every",
    "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "i'd", "i'll", "i'm", "i've", "if",
    "in", "into", "is", "isn't", "it", "it's", "its", "just", "let's", "may", "me", "might", "more", "most",
    "much", "must", "my", "no", "nor", "not", "of", "off", "on", "only", "or", "other", "our", "out", "over",
    "own", "same", "shall", "she", "should", "so", "some", "such", "than", "that", "that's", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under", "until",
    "us", "very", "was", "we", "we'd", "we'll", "we're", "we've", "were", "what", "what's", "when", "where",
    "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "without", "would", "you",
    "your",
];

/// Whether a word is one of the small words of English.
pub fn is_small(word: &str) -> bool {
    SMALL.binary_search(&word).is_ok()
}

/// Whether a word carries a subject: long enough, and none of the small words of English.
pub fn is_significant(word: &str) -> bool {
    word.chars().nth(2).is_some() && !is_small(word)
}

/// The significant stems of a text, in order, without doubles.
pub fn subjects(text: &str) -> Vec<String> {
    let words = words(text);
    let significant = words.iter().filter(|word| is_significant(&word.text));
    let mut seen = std::collections::BTreeSet::new();
    significant
        .map(|word| stem(&word.text))
        .filter(|stem| seen.insert(stem.clone()))
        .map(Cow::into_owned)
        .collect()
}

/// Whether a text in lower case says a phrase as whole words.
pub fn says(text: &str, phrase: &str) -> bool {
    // That a phrase is nowhere is found out much faster than where it is.
    text.contains(phrase)
        && text.match_indices(phrase).any(|(at, _)| {
            let wordy = phrase.starts_with(char::is_alphanumeric);
            !wordy
                || !text[..at].ends_with(char::is_alphanumeric)
                    && !text[at + phrase.len()..].starts_with(char::is_alphanumeric)
        })
}

/// Where `phrase` first occurs in `stems`, as a run.
pub fn find_run(stems: &[String], phrase: &[String]) -> Option<usize> {
    if phrase.is_empty() {
        return None;
    }
    stems.windows(phrase.len()).position(|window| window == phrase)
}

/// The text with what is in double quotation marks or backticks taken out; quoted lines of a
/// reply (`> …`) and fenced code too. The bytes taken out become blanks, so that offsets hold.
pub fn unquoted(text: &str) -> Cow<'_, str> {
    if !text.contains(['"', '`', '>', '~', '“', '„', '«']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            blank(&mut out, line);
        } else if fenced || trimmed.starts_with('>') {
            blank(&mut out, line);
        } else {
            out.push_str(line);
        }
    }
    for (open, close) in [("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»"), ("`", "`")] {
        if out.contains(open) {
            out = without_pairs(&out, open, close);
        }
    }
    Cow::Owned(out)
}

fn blank(out: &mut String, text: &str) {
    out.extend(text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

fn without_pairs(text: &str, open: &str, close: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        let after = &rest[at + open.len()..];
        let Some(end) = after.find(close) else { break };
        out.push_str(&rest[..at]);
        let to = at + open.len() + end + close.len();
        blank(&mut out, &rest[at..to]);
        rest = &rest[to..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.text.into_owned()).collect()
    }

    #[test]
    fn a_phrase_counts_as_whole_words_outside_quotes() {
        assert!(says("the schema is missing", "schema"));
        assert!(!says("the schematic is missing", "schema"));
        assert!(!says(&unquoted("you wrote \"the schema\""), "schema"));
        assert!(says("f(x) -> y", "->"));
    }

    #[test]
    fn small_words_carry_no_subject() {
        assert!(SMALL.is_sorted() && SMALL.iter().all(|word| !is_significant(word)));
        for word in ["sync", "befores", "thee", "übers", "çab"] {
            assert!(is_significant(word), "{word}");
        }
        assert!(!is_significant("") && !is_significant("ab") && !is_significant("éé"));
    }

    #[test]
    fn possessives_and_compounds_are_words_of_their_own() {
        assert_eq!(texts("Jordan’s back-end, isn't it? -x-"), ["jordan's", "back-end", "isn't", "it", "x"]);
        assert_eq!(texts("«Что» 42"), ["что", "42"]);
    }

    #[test]
    fn stems_lose_plural_and_possessive() {
        assert_eq!(
            stems("Journeys, stories and Maya's class-status"),
            ["journey", "story", "and", "maya", "class", "status"]
        );
        assert_eq!(subjects("How should the sync handle the syncs?"), ["sync", "handle"]);
    }

    #[test]
    fn quoted_words_become_blanks() {
        assert_eq!(unquoted("it says \"exit\" here").trim_end(), "it says        here");
        assert_eq!(unquoted("> done\nno").trim(), "no");
        assert_eq!(unquoted("a `b` c").len(), 7);
    }
}
