//! Which kind of answer a question asks for, and whether a text gives one: "how long" asks for a span of time, "who" for
//! a role, "why" for a reason.
//!
//! Figures are read here; roles, reasons, times and places are rules (`rules/en/answers.yaml`).
//!
//! ```
//! use roundtable::voice::asked::{Asked, Bound};
//!
//! let asked = Asked::by("How long are fees kept at most?");
//! assert_eq!(asked, Asked::Duration(Some(Bound::Upper)));
//! assert!(asked.is_figure_in("Fees are kept for at most 3 years.", &[]) && !asked.is_figure_in("There are 3 kinds.", &[]));
//! ```

use super::passages::Passage;
use crate::text::alike::alike;
use crate::text::rules::Book;
use crate::text::units;
use crate::text::words::{Word, is_significant, words};
use crate::text::{Language, Message, Sentence, sentences};

/// The rules of what gives which kind of answer, below the language's folder.
const ANSWERS: &str = "answers";
/// Words of a question's own that are passed over in a sentence.
const OWN: usize = 6;

/// What a question asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A span of time.
    Duration(Option<Bound>),
    /// How often something happens.
    Frequency,
    /// A number: of these things, by their stem, where they are named.
    Number(Option<Bound>, Option<String>),
    /// The rule that says which texts answer.
    Rule(&'static str),
    /// Anything else.
    Other,
}

/// Which end of a range a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Lower,
    Upper,
}

/// What follows "how" in a question that asks for a number, sorted.
const AMOUNTS: [&str; 8] = ["big", "far", "fast", "few", "high", "large", "many", "much"];
/// What "which" and "what is the" ask for, where that is a figure, sorted.
const MEASURES: [&str; 18] = [
    "amount",
    "deadline",
    "fee",
    "interval",
    "limit",
    "limits",
    "maximum",
    "minimum",
    "number",
    "percentage",
    "price",
    "quota",
    "rate",
    "size",
    "temperature",
    "threshold",
    "timeout",
    "weight",
];
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
/// The words that questions begin with, sorted.
const ASKS: [&str; 9] = ["how", "what", "when", "where", "which", "who", "whom", "whose", "why"];
/// A line of so many bytes with a colon names what its figure counts.
const LABELLED: usize = 80;
/// What "how many times" asks for, by its stem.
const TIMES: &str = "time";
/// A figure counts what follows it within so many words.
const COUNTED: usize = 4;

impl Asked {
    /// What a text asks for.
    pub fn by(text: &str) -> Asked {
        let question = sentences(text).into_iter().rfind(|one| one.contains('?')).unwrap_or(text);
        let all = words(question);
        let asks = |word: &Word<'_>| ASKS.binary_search(&word.text.as_ref()).is_ok();
        // "When the network fails, who is told?"
        let comma = question.find(',').unwrap_or_default();
        let first = all.iter().position(asks);
        let later = all.iter().position(|word| word.start > comma && comma > 0 && asks(word));
        let is_condition = |at: usize| matches!(all[at].text.as_ref(), "when" | "where");
        let Some(at) = first.map(|first| later.filter(|_| is_condition(first)).unwrap_or(first)) else {
            return Asked::Other;
        };
        let next = |ahead: usize| all.get(at + ahead).map_or("", |word| word.text.as_ref());
        let bound = bound(question);
        match all[at].text.as_ref() {
            "who" | "whom" | "whose" => Asked::Rule("who"),
            "why" => Asked::Rule("why"),
            "when" => Asked::Rule("when"),
            "where" => Asked::Rule("where"),
            "how" => match next(1) {
                "long" | "soon" | "old" | "quickly" => Asked::Duration(bound),
                "often" => Asked::Frequency,
                "many" | "much" if is_time(next(2)) => Asked::Duration(bound),
                "many" | "few" => Asked::Number(bound, counted(&all[at + 2..])),
                amount if AMOUNTS.binary_search(&amount).is_ok() => Asked::Number(bound, None),
                _ => Asked::Other,
            },
            _ => {
                let ahead = (1..=4).map(next);
                let mut ahead = ahead.skip_while(|word| matches!(*word, "is" | "are" | "the" | "was"));
                let is_measure = ahead.next().is_some_and(|word| MEASURES.binary_search(&word).is_ok());
                let is_reason = next(1) == "is" && matches!(next(3), "reason" | "rationale" | "purpose");
                match (is_reason, is_measure || bound.is_some()) {
                    (true, _) => Asked::Rule("why"),
                    (_, true) => Asked::Number(bound, None),
                    _ => Asked::Other,
                }
            }
        }
    }

    /// Whether a text gives a figure of this kind, and not only the other end of its range.
    /// `asked_of` are the stems of the question.
    pub fn is_figure_in(&self, text: &str, asked_of: &[String]) -> bool {
        let lower = text.to_lowercase();
        let words = words(&lower);
        match self {
            Asked::Duration(asked) => is_bound(*asked, &lower) && has_span(&words),
            Asked::Frequency => {
                words.iter().any(|word| OFTEN.binary_search(&word.text.as_ref()).is_ok())
                    || words
                        .windows(2)
                        .any(|pair| matches!(pair[0].text.as_ref(), "per" | "a") && is_time(&pair[1].text))
            }
            Asked::Number(asked, things) => {
                let is_label =
                    text.len() <= LABELLED && text.contains(':') && things.as_deref() != Some(TIMES);
                let is_row = text.starts_with('|') || is_label;
                let counts = |at: usize| {
                    let mut after =
                        words[at + 1..].iter().take(COUNTED).map(|word| Language::english().stem(&word.text));
                    // "How many times is it retried?" asks for "3 retries", too.
                    let is_asked = |stem: &str| asked_of.iter().any(|asked| stem.starts_with(asked.as_str()));
                    things.as_deref().is_none_or(|thing| {
                        is_row || after.any(|stem| stem == thing || thing == TIMES && is_asked(&stem))
                    })
                };
                let is_counted = |(at, word): (usize, &Word<'_>)| {
                    let is_pronoun = word.text == "one"
                        && words.get(at + 1).is_none_or(|next| !is_significant(&next.text));
                    is_number(&word.text) && !is_pronoun && counts(at)
                };
                is_bound(*asked, &lower) && words.iter().enumerate().any(is_counted)
            }
            Asked::Rule(_) | Asked::Other => false,
        }
    }
}

/// Whether passages give the kind of answer that is asked for, by the rules; without rules all may.
#[derive(Clone, Copy, Default)]
pub struct Gives<'b>(Option<&'b Book>);

impl<'b> Gives<'b> {
    /// By the rules of a book, where there is one.
    pub fn by(book: Option<&'b Book>) -> Gives<'b> {
        Gives(book)
    }

    /// Whether a passage or its heading gives it in other words than those that were `asked_of`, by their stems.
    pub fn is_given(self, asked: &Asked, passage: &Passage<'_>, asked_of: &[String]) -> bool {
        match (asked, self.0) {
            (Asked::Other, _) | (Asked::Rule(_), None) => true,
            (Asked::Rule(rule), Some(book)) => {
                let texts = [passage.text, passage.heading, passage.above];
                texts.into_iter().any(|text| {
                    let message = Message::new(text, Language::english());
                    message.sentences.iter().any(|one| gives(book, rule, one, asked_of))
                })
            }
            _ => asked.is_figure_in(passage.text, asked_of),
        }
    }
}

/// Whether a rule fits a sentence at other words than some.
fn gives(book: &Book, rule: &str, sentence: &Sentence<'_>, but: &[String]) -> bool {
    let mut tokens = book.tokens(sentence);
    for _ in 0..OWN {
        let hits = book.hits(ANSWERS, &tokens);
        let Some(hit) = hits.iter().find(|hit| hit.rule.id == rule) else { return false };
        let found = hit.found.range.clone();
        let words = sentence.words.get(found.clone()).unwrap_or_default();
        if found.len() != 1 || !words.iter().all(|word| but.iter().any(|stem| word.stem == *stem)) {
            return true;
        }
        tokens = tokens.without(found);
    }
    false
}

/// The thing that is counted: "how many late books may …" asks for books.
fn counted(after: &[Word<'_>]) -> Option<String> {
    let is_end = |word: &&Word<'_>| word.text.ends_with('s') && !matches!(word.text.as_ref(), "is" | "does");
    let thing = after.iter().take(3).find(is_end)?;
    let stem = Language::english().stem(&thing.text).into_owned();
    (!matches!(thing.text.as_ref(), "us" | "as")).then_some(stem)
}

/// Which end of a range a text speaks of: none where it speaks of both or neither.
pub fn bound(text: &str) -> Option<Bound> {
    let lower = text.to_lowercase();
    let words = words(&lower);
    let is_of = |end: &'static str| {
        let same = alike(end);
        move |word: &Word<'_>| {
            let stem = Language::english().stem(&word.text);
            stem == end || same.contains(&stem.as_ref()) && !matches!(stem.as_ref(), "most" | "least")
        }
    };
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let is_upper = says(&[
        "at most",
        "up to",
        "no more than",
        "not more than",
        "at the latest",
        "no later than",
        "within",
    ]) || words.iter().any(is_of("maximum"));
    let is_lower = says(&["at least", "no less than", "not less than", "more than", "no sooner than"])
        && !says(&["no more than", "not more than"])
        || words.iter().any(is_of("minimum"));
    match (is_lower, is_upper) {
        (true, false) => Some(Bound::Lower),
        (false, true) => Some(Bound::Upper),
        _ => None,
    }
}

/// Whether a text may give this end of a range.
fn is_bound(asked: Option<Bound>, text: &str) -> bool {
    asked.is_none_or(|asked| bound(text).is_none_or(|given| given == asked))
}

/// Whether there is a span of time: "24h", "3 years", "three years", "forever".
fn has_span(words: &[Word<'_>]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let bare = word.text.trim_start_matches(|c: char| c.is_ascii_digit() || ".,~".contains(c));
        let before = at.checked_sub(1).map(|before| words[before].text.as_ref());
        is_time(bare)
            && (bare.len() < word.text.len()
                || before.is_some_and(is_number)
                || matches!(bare, "forever" | "indefinitely"))
    })
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
        assert!(MEASURES.is_sorted() && ASKS.is_sorted());
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
            ("How many owners must a unit have?", "Add oneself as (the, or one of the) owners.", false),
            ("How long may it take at most?", "It takes at least 5 minutes.", false),
            ("How long may it take at most?", "It takes up to 5 minutes.", true),
            ("How many times is it retried?", "It is sent again (line 622).", false),
            ("How many times is it retried?", "There are 3 retries.", true),
            ("What is the smallest value?", "The minimum is 3.", true),
            ("What is the largest value?", "The minimum is 3.", false),
            ("Which limit has an upload?", "An upload has 20 MB.", true),
        ] {
            let given = Asked::by(question).is_figure_in(text, &["retri".to_owned()]);
            assert_eq!(given, is_given, "{question} {text}");
        }
    }

    #[test]
    fn a_question_asks_for_a_kind_of_answer() {
        for (question, asked) in [
            ("Alex, who decides when it ends?", Asked::Rule("who")),
            ("What happens when the network fails?", Asked::Other),
            ("When the network fails, who is told?", Asked::Rule("who")),
            ("We agreed. Where is it kept?", Asked::Rule("where")),
            ("What is the reason for two queues?", Asked::Rule("why")),
            ("Can members see it?", Asked::Other),
        ] {
            assert_eq!(Asked::by(question), asked, "{question}");
        }
    }
}
