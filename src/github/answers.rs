//! Answers to cards in comments: `2: …`, the question quoted and the answer below it, `yes to all`, `not sure`.
//!
//! Only these marks count. The other words of a comment are heard as they are, and an answer that asks something is a
//! question. Of two people who answer differently neither has decided.
//!
//! ```
//! use roundtable::github::answers::read;
//! use roundtable::github::cards::{Card, Cards};
//!
//! let cards = Cards::default().next(vec![Card::asks("How long is a reader blocked?")], &[], &|_| false);
//! let said = read(&cards, "1: 30 days\n\nWho tells them?");
//! assert_eq!((said.answers[0].number, said.answers[0].text.as_str()), (1, "30 days"));
//! assert_eq!(said.rest, "Who tells them?");
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::cards::{Card, Cards};
use crate::item::step::Prompt;
use crate::run::script::asked;
use crate::text::markdown::{self, Part};
use crate::text::plain::one_line;
use crate::text::source::own_words;

/// The words that take the recommended answer of a card, and those of a whole line that take all of them.
const CONSENTS: [&str; 3] = ["yes", "agreed", "ok"];
const YES_TO_ALL: &str = "yes to all";
const NOT_SURE: &str = "not sure";

/// What a comment says about cards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub answers: Vec<Answer>,
    pub unsure: Vec<u32>,
    /// Numbers before a colon that no card has any more.
    pub unknown: Vec<u32>,
    pub takes_all: bool,
    /// The other words.
    pub rest: String,
}

/// An answer to a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub number: u32,
    pub text: String,
}

impl Reply {
    /// Whether it says anything about a card.
    pub const fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.unsure.is_empty() && self.unknown.is_empty() && !self.takes_all
    }
}

/// Whom a part of a comment is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Addressee {
    Nobody,
    Card(u32),
    Gone(u32),
}

/// Reads a comment with what it quotes.
pub fn read(cards: &Cards, text: &str) -> Reply {
    let mut reply = Reply::default();
    let mut rest = String::new();
    for (target, text) in parts(cards, text) {
        match target {
            Addressee::Nobody => rest.push_str(&text),
            Addressee::Gone(number) => {
                reply.unknown.push(number);
                rest.push_str(&format!("{number}: {text}"));
            }
            Addressee::Card(number) if is_said(&text, NOT_SURE) => {
                reply.unsure.push(number);
                rest.push_str(&format!("{number}: {text}"));
            }
            Addressee::Card(number) => match cards.card(number).and_then(|card| answer(card, &text)) {
                Some(text) => reply.answers.push(Answer { number, text }),
                None => rest.push_str(&text),
            },
        }
    }
    own_words(&rest).trim().clone_into(&mut reply.rest);
    reply.takes_all = reply.rest.lines().any(|line| is_said(line, YES_TO_ALL));
    reply
}

/// Whether a text is these words, in any case and with any mark at its end.
fn is_said(text: &str, wanted: &str) -> bool {
    one_line(text).trim_end_matches(['.', '!', ',']).eq_ignore_ascii_case(wanted)
}

/// The answer that words give to a card: an option as it is written there, else the words; none where they say nothing
/// or ask.
fn answer(card: &Card, words: &str) -> Option<String> {
    let lines = markdown::read(words);
    let said = lines.iter().filter(|line| line.is_said() && line.part != Part::Quotation);
    let text: Vec<String> = said.map(markdown::VisibleLine::text).filter(|text| !text.is_empty()).collect();
    let text = one_line(&text.join("; "));
    let bare = text.trim_end_matches(['.', '!']);
    if text.is_empty() || text.ends_with(['?', '？', '؟']) {
        return None;
    }
    if let Some(option) = card.options.iter().find(|option| option.eq_ignore_ascii_case(bare)) {
        return Some(option.clone());
    }
    let is_consent = CONSENTS.iter().any(|word| bare.eq_ignore_ascii_case(word));
    if is_consent && !card.recommended.is_empty() {
        return Some(card.recommended.clone());
    }
    Some(text)
}

/// The parts of a comment: an answer is the line with the number, or the paragraph below the quotation.
fn parts(cards: &Cards, text: &str) -> Vec<(Addressee, String)> {
    let prompt = |card: &Card| Prompt {
        number: usize::try_from(card.number).ok(),
        text: card.question.clone(),
        ..Prompt::default()
    };
    let prompts: Vec<Prompt> = cards.all().map(prompt).collect();
    let mut found: Vec<(Addressee, String)> = vec![(Addressee::Nobody, String::new())];
    let (mut quoted, mut in_code) = (String::new(), false);
    for line in text.lines() {
        let bare = line.trim();
        in_code ^= bare.starts_with("```") || bare.starts_with("~~~");
        if let Some(quote) = bare.strip_prefix('>').filter(|_| !in_code) {
            quoted.push_str(&format!(" {}", quote.trim()));
            continue;
        }
        if bare.is_empty() && !in_code {
            // Below a quotation the answer begins after the blank line; else it ends there.
            if quoted.is_empty() {
                found.push((Addressee::Nobody, "\n".to_owned()));
            }
            continue;
        }
        if !quoted.is_empty() {
            let quote = std::mem::take(&mut quoted).replace(['*', '_'], "");
            let number =
                asked(&without_number(&quote), &prompts).and_then(|number| u32::try_from(number).ok());
            found.push((number.map_or(Addressee::Nobody, Addressee::Card), String::new()));
        }
        let (target, words) = match numbered(bare).filter(|_| !in_code) {
            Some((number, words)) if cards.card(number).is_some() => (Some(Addressee::Card(number)), words),
            Some((number, words)) if number <= cards.last => (Some(Addressee::Gone(number)), words),
            _ if !in_code && is_said(bare, YES_TO_ALL) => (Some(Addressee::Nobody), line),
            _ => (None, line),
        };
        found.extend(target.map(|target| (target, String::new())));
        if let Some((_, said)) = found.last_mut() {
            said.push_str(&format!("{words}\n"));
        }
    }
    found
}

/// `2: …`, bold or not.
fn numbered(line: &str) -> Option<(u32, &str)> {
    let line = line.trim_start_matches('*');
    let (digits, rest) = line.split_once(':')?;
    let number = digits.trim_end_matches('*').parse().ok()?;
    (rest.starts_with([' ', '*']) && digits.len() <= 6).then(|| (number, rest.trim_start_matches('*').trim()))
}

/// A quoted card's question without the number before it.
fn without_number(quote: &str) -> String {
    let quote = quote.trim();
    let digits = quote.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.strip_prefix(". ").unwrap_or(quote).to_owned()
}

/// Who answered what: the answers that everybody agrees on, by card, and the cards that have different ones. `all` has
/// each person's answers in the order of writing; of one person the last counts.
pub fn agreed(all: &[(String, Answer)]) -> (BTreeMap<u32, String>, BTreeSet<u32>) {
    let mut last: BTreeMap<(u32, &str), &str> = BTreeMap::new();
    for (by, answer) in all {
        last.insert((answer.number, by), &answer.text);
    }
    let mut found: BTreeMap<u32, String> = BTreeMap::new();
    let mut differ = BTreeSet::new();
    for ((number, _), text) in last {
        let known = found.entry(number).or_insert_with(|| text.to_owned());
        if !known.eq_ignore_ascii_case(text) {
            differ.insert(number);
        }
    }
    found.retain(|number, _| !differ.contains(number));
    (found, differ)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards() -> Cards {
        let card = |question: &str, recommended: &str| Card {
            options: vec![recommended.to_owned(), "never".to_owned()],
            recommended: recommended.to_owned(),
            ..Card::asks(question)
        };
        let all = vec![
            card("How long is a reader blocked?", "30 days"),
            card("Who pays for a lost book?", "the reader"),
        ];
        Cards::default().next(all, &[], &|_| false)
    }

    fn said(text: &str) -> Vec<(u32, String)> {
        read(&cards(), text).answers.into_iter().map(|one| (one.number, one.text)).collect()
    }

    #[test]
    fn an_answer_has_its_number_or_its_question() {
        for (text, wanted) in [
            ("1: 10 days", vec![(1, "10 days")]),
            ("**2:** Never.", vec![(2, "never")]),
            (
                "1: yes\n2: the desk, because it lent it",
                vec![(1, "30 days"), (2, "the desk, because it lent it")],
            ),
            ("> 1. How long is a reader blocked?\n\nTen days.", vec![(1, "Ten days.")]),
            ("> **Who pays for a lost book?**\nThe library.\n\nThanks!", vec![(2, "The library.")]),
        ] {
            let wanted: Vec<(u32, String)> =
                wanted.into_iter().map(|(n, text)| (n, text.to_owned())).collect();
            assert_eq!(said(text), wanted, "{text}");
        }
    }

    #[test]
    fn other_words_answer_nothing() {
        for text in [
            "1. First we do this.\n2. Then that.",
            "1: what do you mean?",
            "1:30 is the time",
            "> something else\n\n30 days",
            "```\n1: 30 days\n```",
            "1: ~~30 days~~",
            "1: <!-- 30 days -->",
            "3: 30 days",
        ] {
            assert_eq!(said(text), [], "{text}");
        }
    }

    #[test]
    fn what_else_a_comment_says_is_kept() {
        let read = |text: &str| read(&cards(), text);
        assert_eq!(read("Hello.\n1: 10 days\n\n- Keep it\n- Short").rest, "Hello.\n\n- Keep it\n- Short");
        assert_eq!(read("1: not sure.").unsure, [1]);
        assert_eq!(read("1: not sure.").rest, "1: not sure.");
        assert!(read("Yes to all!").takes_all && !read("I say yes to all of it").takes_all);
        assert!(!read("> yes to all\n\nno").takes_all);
        let both = read("1: ten days\nYes to all.");
        assert!(both.takes_all && both.answers[0].text == "ten days", "{both:?}");
        assert_eq!(read("1: Why?").rest, "Why?");
        assert_eq!(read("7: x").unknown, Vec::<u32>::new());
    }

    #[test]
    fn two_people_who_differ_have_not_decided() {
        let say =
            |by: &str, number: u32, text: &str| (by.to_owned(), Answer { number, text: text.to_owned() });
        let all = [
            say("sam", 1, "10 days"),
            say("sam", 1, "30 days"),
            say("kim", 1, "30 Days"),
            say("sam", 2, "a"),
            say("kim", 2, "b"),
        ];
        let (agreed, differ) = agreed(&all);
        assert_eq!(agreed.get(&1).map(String::as_str), Some("30 Days"));
        assert!(differ.contains(&2) && agreed.len() == 1);
    }
}
