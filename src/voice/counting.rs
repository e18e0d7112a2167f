//! What a text counts, and the names in it that code would have.

use crate::discussion::words::{is_significant, words};

/// "200 MB", "22,400 meters", "18 company phones": each number with what it counts. Versions, prices, years, dates,
/// times of day, ids and numbers that name something ("Hall 4", "line 12") count nothing.
pub(super) fn numbers_with_units(text: &str) -> Vec<String> {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let found = words(text);
    // An apostrophe is inside of a word.
    let digits = |at: usize| {
        let text = found[at].text.as_bytes();
        text[0].is_ascii_digit() && text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'\'')
    };
    let between = |at: usize| text.get(found[at].end..found[at + 1].start).unwrap_or_default();
    let mut all = Vec::new();
    let mut at = 0;
    while at + 1 < found.len() {
        if !digits(at) {
            at += 1;
            continue;
        }
        let first = at;
        // 22,400 and 22 400 and 22'400 are one number, and so is 2.5.
        while at + 1 < found.len() && digits(at + 1) && is_grouped(between(at), found[at + 1].text.len()) {
            at += 1;
        }
        all.extend(counts(text, &found, first, at).then(|| named(text, &found, first, at)).flatten());
        at += 1;
    }
    all
}

/// Whether digits behind `sign` go on with the number before it.
fn is_grouped(sign: &str, length: usize) -> bool {
    match sign {
        "," | "'" | " " | "\u{a0}" | "\u{202f}" => length == 3,
        "." => true,
        _ => false,
    }
}

/// Words before a number that is the name of something, or a price.
const NAMED: [&str; 26] = [
    "version", "release", "firmware", "line", "step", "section", "chapter", "page", "no", "nr", "number",
    "figure", "table", "level", "option", "phase", "class", "type", "eur", "chf", "usd", "gbp", "journey",
    "since", "until", "id",
];

/// Whether the number of the words `first..=last` can count something.
fn counts(text: &str, found: &[crate::discussion::words::Word<'_>], first: usize, last: usize) -> bool {
    let before = &text[..found[first].start];
    let glued = before.ends_with([':', '.', ',', '-', '/', '#', '§', '$', '€', '£', '+', '('])
        && !before.ends_with("(");
    let previous = first.checked_sub(1).map(|at| &found[at]);
    // "Hall 4" and "Android 10" are names; a sentence may well begin with a capital letter.
    let name = previous.is_some_and(|word| {
        let capital = text[word.start..].starts_with(char::is_uppercase);
        let adjoins = text[word.end..found[first].start] == *" ";
        adjoins && (NAMED.contains(&word.text.as_ref()) || capital && first > 1)
    });
    let digits = found[first].text.len();
    let year = first == last && digits == 4 && matches!(&found[first].text[..2], "19" | "20");
    !glued && !name && !year && found[last].text.len() < 10
}

/// The number with the word or the two that say what it counts.
fn named(
    text: &str,
    found: &[crate::discussion::words::Word<'_>],
    first: usize,
    last: usize,
) -> Option<String> {
    let joined = |at: usize| at + 1 < found.len() && &text[found[at].end..found[at + 1].start] == " ";
    let unit = found.get(last + 1).filter(|unit| {
        joined(last)
            && unit.text.chars().all(char::is_alphabetic)
            && is_significant(&unit.text)
            && !is_money(&unit.text)
    })?;
    let plural =
        |at: usize| found.get(at).is_some_and(|word| word.text.ends_with('s') && is_significant(&word.text));
    let longer = !plural(last + 1) && joined(last + 1) && plural(last + 2);
    let end = if longer { found[last + 2].end } else { unit.end };
    Some(text[found[first].start..end].to_owned())
}

fn is_money(unit: &str) -> bool {
    [
        "eur", "euro", "euros", "chf", "usd", "gbp", "dollar", "dollars", "cent", "cents", "franc", "francs",
        "uhr", "percent",
    ]
    .contains(&unit)
}

/// A name as code writes it: `syncState`, `sync_state`, `sync()`.
pub(super) fn identifier(text: &str) -> Option<String> {
    // Most lines have none.
    let capital = |pair: &[u8]| pair[1].is_ascii_uppercase() && !pair[0].is_ascii_uppercase();
    let inside = |pair: &[u8]| pair[0].is_ascii_alphanumeric() && capital(pair);
    if !text.contains('_') && !text.contains("()") && !text.as_bytes().windows(2).any(inside) {
        return None;
    }
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '(' && c != ')'))
        .find_map(|word| {
            let plain = word.trim_end_matches("()");
            let called = plain.len() < word.len();
            let snake = plain.contains('_') && !plain.starts_with('_');
            let camel =
                plain.chars().next().is_some_and(char::is_lowercase) && plain.chars().any(char::is_uppercase);
            let named = plain.len() > 3 && plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (named && (called || snake || camel)).then(|| plain.to_owned())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_recognised() {
        assert_eq!(
            numbers_with_units("holds 500 photos at once").first().map(String::as_str),
            Some("500 photos")
        );
        assert_eq!(numbers_with_units("see line 12 there").first().cloned(), None);
        assert_eq!(
            numbers_with_units("has 22,400 water meters").first().map(String::as_str),
            Some("22,400 water meters")
        );
        assert_eq!(
            numbers_with_units("for 22'400 meters").first().map(String::as_str),
            Some("22'400 meters")
        );
        for none in [
            "Version 2.5 changes the format",
            "costs 240 EUR and",
            "EUR 240 apiece",
            "In 2024 there",
            "at 19:15 people",
            "FR-001 says",
            "The Hall 4 gate",
            "on Android 10 phones",
        ] {
            assert_eq!(numbers_with_units(none).first().cloned(), None, "{none}");
        }
        assert_eq!(
            numbers_with_units("about 18 400 data sets need it").first().map(String::as_str),
            Some("18 400 data sets")
        );
        assert_eq!(
            numbers_with_units("18 company phones, 13 private").first().map(String::as_str),
            Some("18 company phones")
        );
        assert_eq!(identifier("then `syncState()` runs"), Some("syncState".to_owned()));
        assert_eq!(identifier("then it runs"), None);
    }
}
