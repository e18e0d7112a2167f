//! Which figure a question asks for, and whether a text gives one: "how long" asks for a span of time, "how many" for a
//! number.
//!
//! ```
//! use roundtable::voice::asked::Asked;
//!
//! let asked = Asked::by("How long are fees kept?");
//! assert!(asked.is_given_by("Fees are kept for 3 years.") && !asked.is_given_by("There are 3 kinds of fees."));
//! ```

use crate::text::units;
use crate::text::words::{Word, words};

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A span of time.
    Duration,
    /// How often something happens.
    Frequency,
    Number,
    /// No figure.
    Other,
}

/// What follows "how" in a question that asks for a number.
const AMOUNTS: [&str; 8] = ["big", "far", "fast", "few", "high", "large", "many", "much"];
/// Spans of time that are no units of measure, sorted.
const SPANS: [&str; 7] = ["forever", "indefinitely", "night", "nights", "quarter", "quarters", "y"];
/// Words that say how often, sorted.
const OFTEN: [&str; 14] = [
    "always",
    "annually",
    "daily",
    "each",
    "every",
    "hourly",
    "monthly",
    "never",
    "nightly",
    "once",
    "quarterly",
    "twice",
    "weekly",
    "yearly",
];

impl Asked {
    /// What a text asks for.
    pub fn by(text: &str) -> Asked {
        let words = words(text);
        let is_how = |pair: &[Word<'_>]| pair[0].text == "how";
        let Some(at) = words.windows(2).position(is_how) else { return Asked::Other };
        let pair = &words[at..];
        let after = pair.get(2).map(|word| word.text.as_ref());
        match pair[1].text.as_ref() {
            "long" | "soon" | "old" => Asked::Duration,
            "often" => Asked::Frequency,
            "many" | "much" if after.is_some_and(is_time) => Asked::Duration,
            amount if AMOUNTS.binary_search(&amount).is_ok() => Asked::Number,
            _ => Asked::Other,
        }
    }

    /// Whether a text gives a figure of this kind.
    pub fn is_given_by(self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let words = words(&lower);
        match self {
            Asked::Duration => words.iter().enumerate().any(|(at, word)| {
                let word = word.text.trim_start_matches(|c: char| c.is_ascii_digit() || ".,~".contains(c));
                let before = at.checked_sub(1).map(|before| words[before].text.as_ref());
                // "24h", "3 years", "three years", "forever".
                is_time(word)
                    && (word.len() < words[at].text.len()
                        || before.is_some_and(is_number)
                        || matches!(word, "forever" | "indefinitely"))
            }),
            Asked::Frequency => {
                words.iter().any(|word| OFTEN.binary_search(&word.text.as_ref()).is_ok())
                    || words
                        .windows(2)
                        .any(|pair| matches!(pair[0].text.as_ref(), "per" | "a") && is_time(&pair[1].text))
            }
            Asked::Number => words.iter().any(|word| is_number(&word.text)),
            Asked::Other => true,
        }
    }
}

/// Whether a word in lower case is a number, no name, date or id with digits.
fn is_number(word: &str) -> bool {
    let is_figure = word.starts_with(|c: char| c.is_ascii_digit()) && !word.contains(['-', '_', '/']);
    is_figure || word == "hundred" || units::number(word).is_some()
}

fn is_time(word: &str) -> bool {
    SPANS.binary_search(&word).is_ok() || units::unit(word).is_some_and(|(dimension, _)| dimension == "time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(AMOUNTS.is_sorted() && SPANS.is_sorted() && OFTEN.is_sorted());
    }

    #[test]
    fn figures_are_told_apart() {
        for (question, text, is_given) in [
            ("How long is a token valid?", "JWT (access 24h + refresh 7d)", true),
            ("How long is a token valid?", "Each token has 2 parts.", false),
            ("How long is it kept?", "It is kept indefinitely.", true),
            ("After how many days is it removed?", "It has 4 parts.", false),
            ("How often is it sent?", "Letters are sent weekly.", true),
            ("How often is it sent?", "Letters are sent by post.", false),
            ("How many books may a reader borrow?", "A reader may borrow five books.", true),
            ("How many books may a reader borrow?", "Since 2024-01-02 a reader may borrow books.", false),
            ("Who borrows?", "A reader.", true),
        ] {
            assert_eq!(Asked::by(question).is_given_by(text), is_given, "{question} {text}");
        }
    }
}
