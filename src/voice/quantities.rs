//! The figures of a text with what they count, so that two texts can be held against each other.
//!
//! ```
//! use roundtable::voice::quantities::quantities;
//!
//! let (said, there) = (quantities("It is kept for 4h."), quantities("It is kept for three days."));
//! assert!(there[0].is_of(&said[0]) && !there[0].equals(&said[0]));
//! ```

use crate::text::Language;
use crate::text::units;

/// A figure with its unit or what it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity<'t> {
    /// The figure and its unit, as they are written.
    pub text: &'t str,
    value: f64,
    unit: Unit,
}

#[derive(Clone, Debug, PartialEq)]
enum Unit {
    /// The value is in one of this dimension.
    Of(&'static str),
    /// A version; the value is of its parts.
    Version,
    /// Things, by the stems of the words after the figure.
    Things(Vec<String>),
    /// Nothing follows the figure; the stem before it.
    Bare(String),
}

impl Quantity<'_> {
    /// Whether both figures are of the same kind of thing.
    pub fn is_of(&self, other: &Quantity<'_>) -> bool {
        match (&self.unit, &other.unit) {
            (Unit::Things(own), Unit::Things(other)) => own.iter().any(|stem| other.contains(stem)),
            (own, other) => own == other,
        }
    }

    /// Whether a figure of the same kind is smaller.
    pub fn is_above(&self, other: &Quantity<'_>) -> bool {
        self.value > other.value
    }

    /// Whether it counts things: no measure of time, size or money.
    pub fn counts_things(&self) -> bool {
        matches!(self.unit, Unit::Things(_))
    }

    /// Whether both figures are equal.
    pub fn equals(&self, other: &Quantity<'_>) -> bool {
        (self.value - other.value).abs() < 1e-9
    }
}

/// The figures of a text, in order.
pub fn quantities(text: &str) -> Vec<Quantity<'_>> {
    let tokens = tokens(text);
    (0..tokens.len()).filter_map(|at| quantity(text, &tokens, at)).collect()
}

/// The words of a text without marks around them; `ends` is true where a mark follows.
struct Token<'t> {
    text: &'t str,
    start: usize,
    ends: bool,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '%';
    let token = |word: &'_ str| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let inner = word.trim_start_matches(is_mark);
        let start = start + word.len() - inner.len();
        let bare = inner.trim_end_matches(is_mark);
        let ends = inner[bare.len()..].contains(['.', ',', ';', ':', ')', '?', '!']);
        Token { text: &text[start..start + bare.len()], start, ends }
    };
    text.split_whitespace().map(token).filter(|token| !token.text.is_empty()).collect()
}

fn quantity<'t>(text: &'t str, tokens: &[Token<'t>], at: usize) -> Option<Quantity<'t>> {
    let token = &tokens[at];
    let lower = token.text.to_lowercase();
    let until = |last: &Token<'t>| &text[token.start..last.start + last.text.len()];
    if let Some(version) = lower.strip_prefix('v').filter(|rest| is_version(rest)) {
        return Some(Quantity { text: token.text, value: version_value(version)?, unit: Unit::Version });
    }
    let (value, suffix) = value(token.text)?;
    if let Some((dimension, factor)) = units::unit(suffix) {
        return Some(Quantity { text: token.text, value: value * factor, unit: Unit::Of(dimension) });
    }
    if !suffix.is_empty() {
        return None;
    }
    let next: Vec<&Token<'t>> = tokens[at + 1..].iter().take(if token.ends { 0 } else { 2 }).collect();
    if let Some((first, (dimension, factor))) =
        next.first().and_then(|first| Some((first, units::unit(first.text)?)))
    {
        return Some(Quantity { text: until(first), value: value * factor, unit: Unit::Of(dimension) });
    }
    // What is counted ends with the first plural: "20 euros per reader", "20 maximum options".
    let is_last = |token: &&Token<'t>| token.ends || token.text.ends_with('s');
    let taken = next.iter().position(is_last).map_or(next.len(), |at| at + 1);
    let stem = |token: &Token<'t>| Language::english().stem(&token.text.to_lowercase()).into_owned();
    let things: Vec<String> =
        next[..taken].iter().map(|token| stem(token)).filter(|stem| is_thing(stem)).collect();
    if things.is_empty() {
        // "One" and its like alone are no figures.
        let before = at.checked_sub(1).map(|before| stem(&tokens[before]))?;
        let is_digit = lower.starts_with(|c: char| c.is_ascii_digit());
        return is_digit.then_some(Quantity { text: token.text, value, unit: Unit::Bare(before) });
    }
    let last = next[..taken].iter().rfind(|token| is_thing(&stem(token)))?;
    Some(Quantity { text: until(last), value, unit: Unit::Things(things) })
}

/// Whether a stem can be what is counted.
fn is_thing(stem: &str) -> bool {
    crate::text::words::is_significant(stem) && !stem.starts_with(|c: char| c.is_ascii_digit())
}

/// The number that a word begins with, and the rest of the word.
fn value(word: &str) -> Option<(f64, &str)> {
    if let Some(value) = units::number(word) {
        return Some((value, ""));
    }
    let end = word.find(|c: char| !(c.is_ascii_digit() || ".,".contains(c))).unwrap_or(word.len());
    let number = word[..end].trim_end_matches(['.', ',']).replace(',', "");
    (!number.is_empty()).then(|| number.parse().ok()).flatten().map(|value| (value, &word[end..]))
}

fn is_version(text: &str) -> bool {
    text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The parts of a version as one number.
fn version_value(version: &str) -> Option<f64> {
    version.split('.').try_fold(0.0, |all, part| Some(all * 10_000.0 + part.parse::<f64>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_with_what_they_count() {
        for (one, other, is_same_kind, is_equal) in [
            ("after 24 hours", "after 1 day", true, true),
            ("access 4h", "access 24h + more", true, false),
            ("at 25%", "a limit of 50%", true, false),
            ("at most 10 options", "20 maximum options", true, false),
            ("in v1.28", "GA (v1.30)", true, false),
            ("20 MB", "1,000 entries", false, false),
            ("five languages", "at least three languages.", true, false),
            ("defaults to 3.", "and defaults to `1`.", true, false),
            ("3 books", "3 readers", false, false),
        ] {
            let (own, other) = (quantities(one), quantities(other));
            assert_eq!(own[0].is_of(&other[0]), is_same_kind, "{one} {other:?}");
            assert_eq!(is_same_kind && own[0].equals(&other[0]), is_equal, "{one} {other:?}");
        }
        assert!(quantities("One of the readers, FR-001 and B2 say no.").is_empty());
    }
}
