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
    if text.is_ascii() {
        return ascii_words(text);
    }
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
        let text = match word.is_ascii() {
            true => lower(word),
            false => Cow::Owned(word.to_lowercase().replace('’', "'").replace('‑', "-")),
        };
        found.push(Word { text, start, end });
    }
    found
}

/// As [`words`], for the texts that most are.
fn ascii_words(text: &str) -> Vec<Word<'_>> {
    let bytes = text.as_bytes();
    // A word and what follows it have six bytes or more, mostly.
    let mut found = Vec::with_capacity(bytes.len() / 6 + 1);
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(u8::is_ascii_alphanumeric).map(|gap| at + gap) {
        at = start;
        while let Some(byte) = bytes.get(at) {
            let joins = matches!(byte, b'\'' | b'-');
            let inside = || joins && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
            if !byte.is_ascii_alphanumeric() && !inside() {
                break;
            }
            at += 1;
        }
        found.push(Word { text: lower(&text[start..at]), start, end: at });
    }
    found
}

/// An ASCII word in lower case.
fn lower(word: &str) -> Cow<'_, str> {
    match word.as_bytes().iter().any(u8::is_ascii_uppercase) {
        true => Cow::Owned(word.to_ascii_lowercase()),
        false => Cow::Borrowed(word),
    }
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
    // Every word of every text comes here, and most end in no "s": bytes are looked at, not texts.
    let word = if word.as_bytes().ends_with(b"'s") { &word[..word.len() - 2] } else { word };
    match word.as_bytes() {
        [head @ .., b'i', b'e', b's'] if head.len() > 2 => Cow::Owned([&word[..head.len()], "y"].concat()),
        [_, _, .., before, b's'] if !matches!(before, b's' | b'u') => Cow::Borrowed(&word[..word.len() - 1]),
        _ => Cow::Borrowed(word),
    }
}

/// Words that say nothing about a subject, sorted.
const STOP: &[&str] = &[
    "a", "about", "after", "again", "all", "already", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "been", "before", "being", "between", "both", "but", "by", "can", "could", "did", "do", "does",
    "doing", "done", "each", "even", "every", "for", "from", "get", "go", "going", "had", "has", "have",
    "having", "he", "her", "here", "him", "his", "how", "i", "i'd", "i'll", "i'm", "i've", "if", "in",
    "into", "is", "isn't", "it", "it's", "its", "just", "let", "let's", "like", "make", "me", "might",
    "more", "most", "much", "must", "my", "name", "named", "names", "need", "no", "nor", "not", "now", "of",
    "off", "on", "once", "one", "only", "or", "other", "our", "out", "over", "own", "rather", "same", "say",
    "see", "she", "should", "so", "some", "still", "such", "than", "that", "that's", "the", "their", "them",
    "then", "there", "these", "they", "thing", "think", "this", "those", "through", "to", "too", "under",
    "until", "up", "us", "use", "very", "want", "was", "way", "we", "we'd", "we'll", "we're", "we've",
    "well", "were", "what", "what's", "when", "where", "which", "while", "who", "whose", "why", "will",
    "with", "without", "would", "yet", "you", "your",
];

/// The longest of them.
const STOP_BYTES: usize = 7;

/// Whether a word carries a subject: long enough, and none of the small words of English.
pub fn is_significant(word: &str) -> bool {
    word.chars().nth(2).is_some() && (word.len() > STOP_BYTES || STOP.binary_search(&word).is_err())
}

/// Whether a text is English, by the share of small words among its words of three letters or more: a third in English
/// prose, a tenth in terse lists, next to none in other languages. Lists of names and code have none either: it is another
/// language only where small words of one, or letters outside of ASCII, say so. None where nobody can tell.
pub fn is_english<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<bool> {
    let (mut small, mut foreign, mut all) = (0_usize, 0_usize, 0_usize);
    for word in texts.into_iter().flat_map(words).filter(|word| word.text.chars().nth(2).is_some()) {
        let is_short = word.text.len() <= FOREIGN_BYTES;
        let is_foreign =
            is_short && FOREIGN.binary_search(&word.text.as_ref()).is_ok() || !word.text.is_ascii();
        all += 1;
        small += usize::from(!is_significant(&word.text));
        foreign += usize::from(is_foreign);
    }
    match (small * 100 >= all * 7, foreign * 100 >= all * 5) {
        // A few words are enough where they are small words of another language and none of English.
        _ if all < 12 => (small == 0 && foreign >= 1 && all >= 4).then_some(false),
        (true, _) => Some(true),
        (false, is_foreign) => is_foreign.then_some(false),
    }
}

/// Small words of the commonest other languages in Latin letters, sorted.
const FOREIGN: [&str; 40] = [
    "aan", "auf", "avec", "che", "como", "con", "dans", "das", "del", "della", "dem", "den", "der", "des",
    "die", "dos", "een", "ein", "eine", "est", "het", "ist", "las", "les", "los", "mit", "nicht", "och",
    "par", "para", "por", "pour", "que", "sich", "sono", "und", "une", "van", "voor", "wird",
];

/// The longest of them.
const FOREIGN_BYTES: usize = 5;

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
    // Most of what is said quotes nothing; the last two are what the marks that are no ASCII begin with.
    let may_quote = text.bytes().any(|byte| matches!(byte, b'"' | b'`' | b'>' | b'~' | 0xe2 | 0xc2));
    if !may_quote || !text.contains(['"', '`', '>', '~', '“', '„', '«']) {
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
    fn small_words_carry_no_subject() {
        assert!(STOP.is_sorted() && STOP.iter().all(|word| !is_significant(word)));
        assert!(FOREIGN.is_sorted() && FOREIGN.iter().all(|word| word.len() <= FOREIGN_BYTES));
        for word in ["sync", "befores", "thee", "übers", "çab"] {
            assert!(is_significant(word), "{word}");
        }
        assert!(!is_significant("") && !is_significant("ab") && !is_significant("éé"));
    }

    #[test]
    fn english_is_known_by_its_small_words() {
        let english =
            "The queue has to keep what was typed while the phone is offline, and it has to be sent once.";
        let german = "Die Warteschlange muss jede Eingabe behalten, bis das Netz wieder da ist, und sie muss jede genau \
                      einmal senden. Danach zeigt sie dem Benutzer, was gesendet wurde und was noch fehlt.";
        let french =
            "La file doit garder ce qui a été saisi hors ligne, et les messages sont envoyés une seule fois.";
        assert_eq!(is_english([english]), Some(true));
        assert_eq!((is_english([german]), is_english([french])), (Some(false), Some(false)));
        let list = "Set up: clone repository; install dependencies; run tests; build image; push image; check the logs.";
        assert_eq!(is_english([list]), Some(true));
        assert_eq!(is_english(["Yes, the second."]), None);
        assert_eq!(is_english(["Die Seite muss schnell sein."]), Some(false));
        assert_eq!((is_english(["Die casting, milling."]), is_english(["Kim, Sam"])), (None, None));
    }

    #[test]
    fn possessives_and_compounds_are_words_of_their_own() {
        assert_eq!(texts("Jordan’s back-end, isn't it? -x-"), ["jordan's", "back-end", "isn't", "it", "x"]);
        assert_eq!(texts("«Что» 42"), ["что", "42"]);
    }

    #[test]
    fn plain_text_has_the_same_words_either_way() {
        for text in ["", "It's a back-end -- isn't it? 'quoted' x-", "a1-2b 3.4", "--a''b"] {
            let widened = format!("{text} é");
            let mut other = words(&widened);
            other.pop();
            assert_eq!(words(text), other, "{text}");
        }
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
