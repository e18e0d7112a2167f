//! Answers to cards in comments: `2: …`, the question quoted and the answer below it, `yes to all`, `not sure`.
//!
//! Only these marks count. What looks like one of them and isn't decides nothing and is told. The other words of a comment
//! are heard as they are, and an answer that asks something is a question. Of two people who answer differently neither
//! has decided.
//!
//! ```
//! use roundtable::github::answers::read;
//! use roundtable::github::cards::{Card, Cards};
//! use roundtable::item::library::Library;
//!
//! let library = Library::built_in().unwrap();
//! let cards = Cards::default().next(vec![Card::asks("How long is a reader blocked?")], &[], &|_| false);
//! let said = read(&cards, "1: 30 days\n\nWho tells them?", library.forms());
//! assert_eq!((said.answers[0].number, said.answers[0].text.as_str()), (1, "30 days"));
//! assert_eq!(said.rest, "Who tells them?");
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::cards::{Card, Cards};
use crate::item::step::Prompt;
use crate::run::script::asked;
use crate::text::markdown::{self, Part};
use crate::text::plain::{cut, one_line};
use crate::text::sentence_forms::Forms;
use crate::text::source::own_words;

/// The words that take the recommended answer of a card, and those of a whole line that take all of them.
const CONSENTS: [&str; 3] = ["yes", "agreed", "ok"];
const YES_TO_ALL: &str = "yes to all";
/// How an answer begins that leaves a card open.
const NOT_SURE: &str = "not sure";
/// The highest number that is told as no card's: what is higher is a year or a sum.
const MAX_NUMBER: u32 = 99;
/// The characters of a line that is shown again.
const MAX_SHOWN: usize = 60;

/// What a comment says about cards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub answers: Vec<Answer>,
    pub unsure: Vec<u32>,
    /// Numbers before a colon that no card has, or has any more.
    pub unknown: Vec<u32>,
    /// Lines to a card that ask something, or say that it is open.
    pub undecided: Vec<String>,
    /// Lines that look like answers and aren't, each with the form of an answer.
    pub lookalikes: Vec<(String, String)>,
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
    pub fn is_empty(&self) -> bool {
        Reply { rest: String::new(), ..self.clone() } == Reply::default()
    }
}

/// Whom a part of a comment is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Addressee {
    Nobody,
    Card(u32),
    Unknown(u32),
}

/// What the words to a card mean.
enum Meaning {
    /// An answer, and the words after it.
    Answer(String, String),
    Unsure,
    /// A question, or that it is open.
    Undecided,
    Nothing,
}

/// Reads a comment with what it quotes.
pub fn read(cards: &Cards, text: &str, forms: &Forms) -> Reply {
    let mut reply = Reply::default();
    let mut rest = String::new();
    for (target, text) in parts(cards, text) {
        let numbered = |number: u32| format!("{number}: {text}");
        match target {
            Addressee::Nobody => rest.push_str(&text),
            Addressee::Unknown(number) => {
                reply.unknown.push(number);
                rest.push_str(&numbered(number));
            }
            Addressee::Card(number) => {
                let card = cards.card(number);
                match card.map_or(Meaning::Nothing, |card| meaning(card, &text, forms)) {
                    Meaning::Answer(text, after) => {
                        reply.answers.push(Answer { number, text });
                        rest.push_str(&after);
                    }
                    Meaning::Unsure => {
                        reply.unsure.push(number);
                        rest.push_str(&numbered(number));
                    }
                    Meaning::Undecided => {
                        reply.undecided.push(shown(&numbered(number)));
                        rest.push_str(&text);
                    }
                    Meaning::Nothing => rest.push_str(&text),
                }
            }
        }
    }
    own_words(&rest).trim().clone_into(&mut reply.rest);
    reply.takes_all = reply.rest.lines().any(|line| is_said(line, YES_TO_ALL));
    reply.lookalikes = lookalikes(cards, &reply.rest);
    reply
}

/// Whether a text is these words, in any case and with any mark at its end.
fn is_said(text: &str, wanted: &str) -> bool {
    one_line(text).trim_end_matches(['.', '!', ',']).eq_ignore_ascii_case(wanted)
}

/// Whether a text begins with these words, in any case.
fn begins_with(text: &str, wanted: &str) -> bool {
    let is_same = text.get(..wanted.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(wanted));
    is_same && !text[wanted.len()..].starts_with(char::is_alphanumeric)
}

/// A line as it is shown again, as code.
fn shown(line: &str) -> String {
    cut(&one_line(line).replace('`', ""), MAX_SHOWN)
}

/// The lines of a text as people see them, without those that say nothing.
fn visible(text: &str) -> Vec<String> {
    let lines = markdown::read(text);
    let said = lines.iter().filter(|line| line.is_said() && line.part != Part::Quotation);
    said.map(markdown::VisibleLine::text).filter(|text| !text.is_empty()).collect()
}

fn asks(line: &str) -> bool {
    line.ends_with(['?', '？', '؟'])
}

/// What words to a card mean. Where a line below the first asks something, the first alone is the answer.
fn meaning(card: &Card, words: &str, forms: &Forms) -> Meaning {
    let (first, below) = words.trim_start().split_once('\n').unwrap_or((words, ""));
    let (said, after) = match visible(below).iter().any(|line| asks(line)) {
        true => (visible(first), below),
        false => (visible(words), ""),
    };
    let text = one_line(&said.join("; "));
    let bare = text.trim_end_matches(['.', '!']);
    if text.is_empty() {
        return Meaning::Nothing;
    }
    if let Some(option) = card.options.iter().find(|option| option.eq_ignore_ascii_case(bare)) {
        return Meaning::Answer(option.clone(), after.to_owned());
    }
    if begins_with(&text, NOT_SURE) {
        return Meaning::Unsure;
    }
    if visible(first).iter().any(|line| asks(line)) || forms.fits("no-decisions", &text) {
        return Meaning::Undecided;
    }
    let is_consent = CONSENTS.iter().any(|word| bare.eq_ignore_ascii_case(word));
    let text = if is_consent && !card.recommended.is_empty() { card.recommended.clone() } else { text };
    Meaning::Answer(text, after.to_owned())
}

/// The parts of a comment: an answer is the line with the number and those below it, or the paragraph below the
/// quotation. The next line with a number ends it.
fn parts(cards: &Cards, text: &str) -> Vec<(Addressee, String)> {
    let mut found: Vec<(Addressee, String)> = vec![(Addressee::Nobody, String::new())];
    let (mut quoted, mut in_code) = (String::new(), false);
    for line in text.lines() {
        let bare = line.trim();
        in_code ^= is_fence(bare);
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
            found.push((quoted_card(cards, &std::mem::take(&mut quoted)), String::new()));
        }
        let (target, words) = match in_code {
            true => (None, line),
            false => addressed(cards, found.last(), line),
        };
        found.extend(target.map(|target| (target, String::new())));
        if let Some((_, said)) = found.last_mut() {
            said.push_str(&format!("{words}\n"));
        }
    }
    found
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Whom a line is for, where it is not for whom the one before it was, and its words.
fn addressed<'l>(
    cards: &Cards,
    before: Option<&(Addressee, String)>,
    line: &'l str,
) -> (Option<Addressee>, &'l str) {
    let opens_list = before.is_some_and(|(target, said)| {
        matches!(target, Addressee::Card(_)) && said.lines().next().is_some_and(|first| first.ends_with(':'))
    });
    match NumberedLine::of(line.trim()) {
        Some(one) if one.is_answer => match one.number {
            number if cards.card(number).is_some() => (Some(Addressee::Card(number)), one.words),
            number if number <= cards.last.max(MAX_NUMBER) => (Some(Addressee::Unknown(number)), one.words),
            _ => (Some(Addressee::Nobody), line),
        },
        // A list of the answer's own.
        Some(_) if opens_list => (None, line),
        Some(_) => (Some(Addressee::Nobody), line),
        None if begins_with(line.trim(), YES_TO_ALL) => (Some(Addressee::Nobody), line),
        None => (None, line),
    }
}

/// The card whose question is quoted.
fn quoted_card(cards: &Cards, quote: &str) -> Addressee {
    let prompt = |card: &Card| Prompt {
        number: usize::try_from(card.number).ok(),
        text: card.question.clone(),
        ..Prompt::default()
    };
    let prompts: Vec<Prompt> = cards.all().map(prompt).collect();
    let number = asked(&without_number(&quote.replace(['*', '_'], "")), &prompts);
    number.and_then(|number| u32::try_from(number).ok()).map_or(Addressee::Nobody, Addressee::Card)
}

/// What is between a number and its words: of an answer, and of what people take for one.
const MARKS: [&str; 8] = [": ", ":*", ":_", ". ", ") ", " - ", " – ", " — "];

/// A line that begins with a number: `2: …`, bold or in a list or not; or what people take for it: `2. …`, `2) …`,
/// `2 - …`, `#2: …`.
struct NumberedLine<'l> {
    number: u32,
    words: &'l str,
    is_answer: bool,
}

impl<'l> NumberedLine<'l> {
    fn of(line: &'l str) -> Option<NumberedLine<'l>> {
        let line = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line);
        let line = line.trim_start();
        let bare = line.trim_start_matches(['*', '_']);
        let emphasis = &line[..line.len() - bare.len()];
        let digits = bare.trim_start_matches('#');
        let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = digits[..digits.len() - after.len()].parse().ok()?;
        let mark = after.trim_start_matches(['*', '_']);
        let found = MARKS.iter().find_map(|one| Some((mark.strip_prefix(one)?, one.starts_with(':'))));
        let (words, is_colon) = match mark.strip_prefix(':') {
            Some("") => ("", true),
            Some(words) if words.starts_with(char::is_alphabetic) => (words, false),
            _ => found?,
        };
        let words = match mark.len() < after.len() || mark.starts_with(":*") || mark.starts_with(":_") {
            true => words.trim_start_matches(['*', '_']),
            // The emphasis goes on to the line's end.
            false => words.trim_end().strip_suffix(emphasis).unwrap_or(words),
        };
        Some(NumberedLine { number, words: words.trim(), is_answer: is_colon && digits.len() == bare.len() })
    }
}

/// The lines that look like answers and aren't. A list with a number that no card has is one of the author's own.
fn lookalikes(cards: &Cards, rest: &str) -> Vec<(String, String)> {
    let mut in_code = false;
    let lines = rest.lines().map(str::trim).filter(|line| {
        in_code ^= is_fence(line);
        !in_code
    });
    let (mut found, mut numbered) = (Vec::new(), Vec::new());
    for line in lines {
        match NumberedLine::of(line).filter(|one| !one.is_answer) {
            Some(one) => numbered.push((line, one)),
            None if begins_with(line, YES_TO_ALL) && !is_said(line, YES_TO_ALL) => {
                found.push((shown(line), YES_TO_ALL.to_owned()));
            }
            None => {}
        }
    }
    if numbered.iter().all(|(_, one)| cards.card(one.number).is_some()) {
        let answer = |one: &NumberedLine<'_>| shown(&format!("{}: {}", one.number, one.words));
        found.extend(numbered.iter().map(|(line, one)| (shown(line), answer(one))));
    }
    found
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
    use crate::item::library::Library;

    fn read(cards: &Cards, text: &str) -> Reply {
        super::read(cards, text, Library::built_in().unwrap().forms())
    }

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
            ("**2: the desk**", vec![(2, "the desk")]),
            ("- 1: 10 days\n- 2: never", vec![(1, "10 days"), (2, "never")]),
            ("1:\n10 days", vec![(1, "10 days")]),
            ("1: both:\n1. 10 days\n2. never", vec![(1, "both:; 10 days; never")]),
            // The next line with a number ends an answer, whosever it is.
            ("1: 10 days\n9: Monday\n2) never", vec![(1, "10 days")]),
            // What is asked below an answer is asked besides.
            ("1: 10 days\nand what about children?", vec![(1, "10 days")]),
            ("1: 10 days\nbecause of the holidays", vec![(1, "10 days because of the holidays")]),
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
            "1: not sure yet",
            "1: Not sure, I would have to ask Kim.",
            "1: TBD",
            "1: none",
            "1: pending, ask legal",
            "#1: 30 days",
            "1 - 30 days",
            "1) 30 days",
            "1:never",
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
        assert_eq!(read("1: ten days\nWhy so long?").rest, "Why so long?");
        assert_eq!(read("1: not sure yet, ask Kim").rest, "1: not sure yet, ask Kim");
    }

    #[test]
    fn what_decides_nothing_is_told() {
        let told = |text: &str| {
            let reply = read(&cards(), text);
            let alike = reply.lookalikes.into_iter().map(|(line, form)| format!("{line} | {form}"));
            let unknown = reply.unknown.iter().map(u32::to_string);
            alike.chain(unknown).chain(reply.undecided).collect::<Vec<_>>()
        };
        for (text, wanted) in [
            ("1. 30 days\n#2: never", vec!["1. 30 days | 1: 30 days", "#2: never | 2: never"]),
            ("1: ten days\n2) never", vec!["2) never | 2: never"]),
            ("yes to all except 2", vec!["yes to all except 2 | yes to all"]),
            ("1: ten days\n9: never", vec!["9"]),
            ("1: why `this`?\n2: TBD", vec!["1: why this?", "2: TBD"]),
            // A list of one's own, a year, code.
            ("1. First.\n2. Then.\n3. Last.", vec![]),
            ("2024: a year", vec![]),
            ("```\n1. a\n```", vec![]),
        ] {
            assert_eq!(told(text), wanted, "{text}");
        }
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
