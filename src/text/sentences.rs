//! The one sentence splitter: Unicode's rules (UAX #29), with what looks like an end of a sentence and is none set
//! aside: a mark within a word, a path or an address, one that lower case or a digit follows ("see sec. 3"), the day
//! before a month, abbreviations, code, and what is between quotation marks or brackets.
//!
//! Where a sentence may go on, it does: a decision that is cut has lost words, one that is too long has not.
//!
//! ```
//! use roundtable::text::sentences::split_sentences;
//!
//! let text = "Use a queue, e.g. RabbitMQ. Is it set up?";
//! let found: Vec<&str> = split_sentences(text, &[]).into_iter().map(|range| &text[range]).collect();
//! assert_eq!(found, ["Use a queue, e.g. RabbitMQ.", "Is it set up?"]);
//! ```

use std::ops::Range;

use chrono::Month;
use unicode_segmentation::UnicodeSegmentation as _;

/// Marks that may end a sentence.
const END_MARKS: [char; 3] = ['.', '?', '!'];
/// Marks that close something after the end of a sentence.
const CLOSING_MARKS: &str = ".?!…)]}\"'”’»*_";
/// Words that end with a full stop before a capital letter, without it.
const ABBREVIATIONS: [&str; 16] = [
    "e.g", "i.e", "cf", "vs", "dr", "mr", "mrs", "ms", "prof", "fig", "st", "a.m", "p.m", "u.s", "jr", "inc",
];
/// The longest of them, in bytes.
const MAX_ABBREVIATION_BYTES: usize = 4;
/// Quotation marks that open, each with the one that closes.
const QUOTATION_MARKS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')];

/// The sentences of a line as ranges of it, without the white space around them. `opaque` are ranges that are code.
pub fn split_sentences(text: &str, opaque: &[Range<usize>]) -> Vec<Range<usize>> {
    if is_one_sentence(text) {
        let start = text.len() - text.trim_start().len();
        let whole = start..text.trim_end().len();
        return if whole.is_empty() { Vec::new() } else { vec![whole] };
    }
    let masked = mask(text, opaque);
    let mut found = Vec::new();
    for (at, piece) in masked.split_sentence_bound_indices() {
        let piece = &text[at..at + piece.len()];
        let trimmed = piece.trim();
        let start = at + (piece.len() - piece.trim_start().len());
        if !trimmed.is_empty() {
            found.push(start..start + trimmed.len());
        }
    }
    found
}

/// Whether a text is seen to be one sentence at first sight: plain ASCII, and no mark but one at its very end.
fn is_one_sentence(text: &str) -> bool {
    let bytes = text.trim_ascii_end().as_bytes();
    let (last, inner) = bytes.split_last().unwrap_or((&b' ', &[]));
    last.is_ascii() && inner.iter().all(|byte| byte.is_ascii() && !b".!?".contains(byte))
}

/// The sentences of every line of a text, each an exact slice of it.
pub fn sentences(text: &str) -> Vec<&str> {
    text.lines()
        .flat_map(|line| split_sentences(line, &[]).into_iter().map(move |range| &line[range]))
        .collect()
}

/// The text at the same length, without marks that end no sentence.
fn mask(text: &str, opaque: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in opaque.iter().cloned().chain(addresses(text)) {
        bytes[range].fill(b'X');
    }
    for range in quotations(text).into_iter().chain(brackets(text)) {
        // A mark just before the closing one ends the sentence around it, if it is a mark of words.
        let has_words = text[range.clone()].contains(char::is_alphanumeric);
        let last = if has_words { range.end.saturating_sub(1) } else { range.end };
        let inner = &mut bytes[range.start..last.max(range.start)];
        inner.iter_mut().filter(|byte| b".!?\n".contains(byte)).for_each(|byte| *byte = b',');
    }
    for (at, mark) in text.match_indices(END_MARKS) {
        if goes_on(&text[at + 1..], mark) || mark == "." && (ends_abbreviation(text, at) || is_day(text, at))
        {
            bytes[at] = b',';
        }
    }
    bytes.iter_mut().filter(|byte| b"\r\n".contains(byte)).for_each(|byte| *byte = b' ');
    // Whole characters were overwritten, so this is always text.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Whether a sentence goes on after a mark: without a blank (`page?id=3`, `../lib`), in lower case, after a full stop
/// with a number ("sec. 3"), or with the answer to a question ("How long? → 30 days").
fn goes_on(rest: &str, mark: &str) -> bool {
    let rest = rest.trim_start_matches(|found: char| CLOSING_MARKS.contains(found));
    let after = rest.trim_start();
    let Some(next) = after.chars().next() else { return false };
    let is_inside_word = after.len() == rest.len();
    is_inside_word
        || next.is_lowercase()
        || mark == "." && next.is_ascii_digit()
        || mark == "?" && next == '→'
}

/// Whether a full stop is that of a day before its month: "20. February".
fn is_day(text: &str, at: usize) -> bool {
    let head = text[..at].trim_end_matches(|found: char| found.is_ascii_digit());
    let is_number = head.len() < at && at - head.len() <= 2 && !head.ends_with(char::is_alphanumeric);
    let next = text[at + 1..].trim_start();
    let word = &next[..next.find(|found: char| !found.is_alphabetic()).unwrap_or(next.len())];
    is_number && word.parse::<Month>().is_ok()
}

/// Whether words end with an abbreviation and its full stop: "e.g."
pub fn is_abbreviated(words: &str) -> bool {
    words.strip_suffix('.').is_some_and(|head| ends_abbreviation(words, head.len()))
}

fn ends_abbreviation(text: &str, at: usize) -> bool {
    let mut from = at.saturating_sub(MAX_ABBREVIATION_BYTES + 1);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let head = &text[from..at];
    let word = head.rsplit(|found: char| found.is_whitespace() || "(,;".contains(found)).next();
    word.is_some_and(|word| ABBREVIATIONS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Web addresses, without the marks that end the sentence around them.
fn addresses(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.match_indices("://").map(move |(at, _)| {
        let rest = &text[at..];
        let is_end = |found: char| found.is_whitespace() || "<>\"".contains(found);
        let address = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        at..at + address.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']).len().max("://".len())
    })
}

/// A sentence without what is between quotation marks.
pub fn without_quotations(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut from = 0;
    for range in quotations(text) {
        own.push_str(&text[from..range.start]);
        from = range.end;
    }
    own.push_str(&text[from..]);
    own
}

/// What is between brackets that are closed, those within others set aside.
fn brackets(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, char)> = Vec::new();
    for (at, mark) in text.char_indices() {
        match mark {
            '(' => open.push((at + 1, ')')),
            '[' => open.push((at + 1, ']')),
            '{' => open.push((at + 1, '}')),
            ')' | ']' | '}' if open.last().is_some_and(|(_, close)| *close == mark) => {
                let start = open.pop().map_or(at, |(start, _)| start);
                if open.is_empty() {
                    found.push(start..at);
                }
            }
            _ => {}
        }
    }
    found
}

/// What is between quotation marks that are closed on the same line.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    for (at, mark) in text.char_indices() {
        match open {
            Some((start, close)) if mark == close => {
                found.push(start..at);
                open = None;
            }
            Some(_) => {}
            // 5" and a stray mark after a word open nothing.
            None if !before.is_alphanumeric() => {
                let pair = QUOTATION_MARKS.iter().find(|(opens, _)| *opens == mark);
                open = pair.map(|(opens, closes)| (at + opens.len_utf8(), *closes));
            }
            None => {}
        }
        before = mark;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        split_sentences(text, &[]).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn one_sentence_at_first_sight_is_one_to_the_rules() {
        for text in [
            "",
            " ",
            "One",
            " One two. ",
            "one\ntwo\n",
            "A: b; c!",
            "\"One\"?",
            "1)\t2\r\n3",
            "\u{b}a\u{c}b",
            ".",
        ] {
            assert!(is_one_sentence(text), "{text:?}");
            let masked = mask(text, &[]);
            let pieces: Vec<&str> =
                masked.split_sentence_bounds().map(str::trim).filter(|piece| !piece.is_empty()).collect();
            assert_eq!(split(text).len(), pieces.len(), "{text:?}");
        }
        assert!(!is_one_sentence("A. B") && !is_one_sentence("Stop.)") && !is_one_sentence("\u{e9}"));
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        for (text, wanted) in [
            ("One, e.g. Two. Three 3.5 is fine! four?", &["One, e.g. Two.", "Three 3.5 is fine! four?"][..]),
            ("Say \"Stop!\" to readers. A", &["Say \"Stop!\" to readers.", "A"]),
            ("Keep the \"?\" Key. A", &["Keep the \"?\" Key.", "A"]),
            ("It stays (see sec. 3.2. No. B) here. A", &["It stays (see sec. 3.2. No. B) here.", "A"]),
            ("See fig. 3, No. 5. A", &["See fig. 3, No. 5.", "A"]),
            ("Use /etc/x ../../Lib and .env only. A", &["Use /etc/x ../../Lib and .env only.", "A"]),
            ("Use Yahoo! for mail. A", &["Use Yahoo! for mail.", "A"]),
            ("On 20. February and 3. Mar. it ends. A", &["On 20. February and 3. Mar. it ends.", "A"]),
            ("Stop at 20. Go on.", &["Stop at 20.", "Go on."]),
            ("A name is [a-z]+? only. A", &["A name is [a-z]+? only.", "A"]),
            ("A ( b. C [ D) e. F", &["A ( b.", "C [ D) e.", "F"]),
            ("See http://x.org/a.B here. C", &["See http://x.org/a.B here.", "C"]),
            ("He wrote \"Stop. Now.\" and left. D", &["He wrote \"Stop. Now.\" and left.", "D"]),
            ("He wrote “We stop. We go.” Then he left.", &["He wrote “We stop. We go.”", "Then he left."]),
            ("Dr. Weber asks v1.2. OK", &["Dr. Weber asks v1.2.", "OK"]),
            ("St. Mary's opens at 8 a.m. Monday. OK", &["St. Mary's opens at 8 a.m. Monday.", "OK"]),
            ("A 5\" pipe. A 6\" pipe.", &["A 5\" pipe.", "A 6\" pipe."]),
            ("それで。はい", &["それで。", "はい"]),
            (
                "See page?id=3 and a!b. Really?! (Yes?) \"Who?\" D",
                &["See page?id=3 and a!b.", "Really?!", "(Yes?)", "\"Who?\"", "D"],
            ),
            (" \n", &[]),
        ] {
            assert_eq!(split(text), wanted, "{text}");
        }
        let text = "Use a.B now. C";
        let found = split_sentences(text, std::slice::from_ref(&(4..7)));
        assert_eq!(found, [0..12, 13..14]);
    }
}
