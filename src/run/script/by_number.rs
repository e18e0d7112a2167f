//! Answers by the number of their question: as an answers file writes them, and as people write them in a
//! comment (`2. …`, or below the quoted question). What names no question is a note of the step, and never an
//! answer to another one.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::{Input, RawInput};
use crate::item::step::Prompt;
use crate::text::plain;

/// Where the next input is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedAt {
    /// At a question, by its number; the one prompt of a brief step is number 1.
    Question(usize),
    Menu,
}

/// What is meant for one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    numbered: BTreeMap<usize, Option<Input>>,
    /// In order: all of it, or, where questions have numbers, what is said at the menu.
    list: VecDeque<Option<Input>>,
    is_numbered: bool,
    /// It was taken from the plain list, which goes on after it.
    is_of_list: bool,
}

impl Answers {
    pub fn list(list: VecDeque<Option<Input>>) -> Answers {
        Answers { list, ..Answers::default() }
    }

    pub fn numbered(numbered: BTreeMap<usize, Option<Input>>, menu: VecDeque<Option<Input>>) -> Answers {
        Answers { numbered, list: menu, is_numbered: true, is_of_list: false }
    }

    /// The next input: silence at a question that has none; nothing after the end.
    pub(super) fn take(&mut self, at: AskedAt) -> Option<Option<Input>> {
        match at {
            AskedAt::Question(number) if self.is_numbered => Some(self.numbered.remove(&number).flatten()),
            AskedAt::Question(_) => self.list.pop_front(),
            // A number that no question has: said all the same, and a note.
            AskedAt::Menu => loop {
                match self.numbered.pop_first() {
                    Some((_, Some(input))) => return Some(Some(input)),
                    Some((_, None)) => {}
                    None => return self.list.pop_front(),
                }
            },
        }
    }

    pub(super) fn forget_numbers(&mut self) {
        for (_, input) in
            std::mem::take(&mut self.numbered).into_iter().rev().filter(|(_, input)| input.is_some())
        {
            self.list.push_front(input);
        }
    }

    /// What a discussion gets; none where the plain list goes on.
    pub(super) fn lend(&mut self) -> Option<VecDeque<Option<Input>>> {
        (!self.is_of_list).then(|| std::mem::take(&mut self.list))
    }

    pub(super) fn give_back(&mut self, rest: VecDeque<Option<Input>>) {
        self.list = rest;
    }

    pub(super) const fn is_of_list(&self) -> bool {
        self.is_of_list
    }

    pub(super) fn len(&self) -> usize {
        self.numbered.len() + self.list.len()
    }

    /// Passes over so many, in the order in which they are taken.
    pub(super) fn skip(&mut self, mut count: usize) {
        while count > 0 && self.numbered.pop_first().is_some() {
            count -= 1;
        }
        self.list.drain(..count.min(self.list.len()));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Option<usize>, Option<&Input>)> {
        let numbered = self.numbered.iter().map(|(number, input)| (Some(*number), input.as_ref()));
        numbered.chain(self.list.iter().map(|input| (None, input.as_ref())))
    }
}

/// Gives each message to the questions that it names, and the rest to the menu as notes. A later answer to the
/// same question is a note, too: the first is not replaced.
pub(super) fn distribute(inputs: impl Iterator<Item = Input>, prompts: &[Prompt]) -> Answers {
    let mut answers = Answers { is_numbered: true, is_of_list: true, ..Answers::default() };
    for input in inputs {
        for (number, text) in parts(&input.text, prompts) {
            let part = Input { text, ..input.clone() };
            match number {
                Some(number) if !answers.numbered.contains_key(&number) => {
                    answers.numbered.insert(number, Some(part));
                }
                _ => answers.list.push_back(Some(part)),
            }
        }
    }
    answers
}

/// Whether a message names a question: its first line is numbered or quoted.
pub(super) fn names_questions(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| line.starts_with('>') || number(line).is_some())
}

/// Whether every part of a message names one of these questions.
pub(super) fn answers_only(text: &str, prompts: &[Prompt]) -> bool {
    parts(text, prompts).iter().all(|(number, _)| number.is_some())
}

/// A message in the parts that answer a question each, and what answers none.
fn parts(text: &str, prompts: &[Prompt]) -> Vec<(Option<usize>, String)> {
    let mut found: Vec<(Option<usize>, String)> = Vec::new();
    let mut quoted: Vec<&str> = Vec::new();
    let is_asked = |number: usize| prompts.iter().any(|prompt| prompt.number.unwrap_or(1) == number);
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with('>') {
            quoted.push(bare);
            continue;
        }
        if !quoted.is_empty() && !bare.is_empty() {
            let quote = std::mem::take(&mut quoted);
            match asked(&unquoted(&quote), prompts) {
                Some(number) => found.push((Some(number), String::new())),
                // Words of somebody else, or an alert of the author's own.
                None => found.push((None, format!("{}\n\n", quote.join("\n")))),
            }
        }
        let named = number(bare);
        let (own, words) = match named.filter(|(number, _)| is_asked(*number)) {
            Some((number, words)) => (Some(number), words),
            None => (None, line),
        };
        match found.last_mut() {
            // A number that no question has ends the answer before it.
            Some((_, said)) if named.is_none() => {
                said.push_str(words);
                said.push('\n');
            }
            _ => found.push((own, format!("{words}\n"))),
        }
    }
    if !quoted.is_empty() {
        found.push((None, quoted.join("\n")));
    }
    // Blanks before the first word make it code.
    let trimmed = found.into_iter().map(|(number, text)| {
        let text = text.trim_end();
        let start = text.len() - text.trim_start().len();
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        (number, text[line..].to_owned())
    });
    trimmed.filter(|(_, text)| !text.is_empty()).collect()
}

/// The words of a quotation on one line.
fn unquoted(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim_start_matches('>').trim()).collect::<Vec<_>>().join(" ")
}

/// `2. …`, `2) …` and `2: …`, bold or not.
fn number(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches('*');
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = line[digits..].trim_start_matches('*');
    let rest = [". ", ") ", ": "].iter().find_map(|mark| rest.strip_prefix(mark))?;
    let number = line[..digits].parse().ok().filter(|number| (1..=99).contains(number))?;
    Some((number, rest.trim_start_matches('*').trim()))
}

/// The question that a quotation is of: its text, with or without its number.
pub fn asked(quote: &str, prompts: &[Prompt]) -> Option<usize> {
    let bare = |text: &str| {
        let text = plain::one_line(text).to_lowercase();
        text.chars().filter(|c| c.is_alphanumeric()).collect::<String>()
    };
    let trimmed = quote.trim();
    let (given, words) = number(trimmed).map_or((None, trimmed), |(number, words)| (Some(number), words));
    let said = bare(words);
    let matches = |prompt: &&Prompt| {
        let asked = bare(&prompt.text);
        // A part of the question that is long enough to be of no other.
        said.len() >= 12 && (asked.contains(&said) || said.contains(&asked))
    };
    let found: Vec<&Prompt> = prompts.iter().filter(matches).collect();
    match found.as_slice() {
        [only] => Some(only.number.unwrap_or(1)),
        _ => given.filter(|given| found.iter().any(|prompt| prompt.number == Some(*given))),
    }
}

/// The answers to a step as `.yaml` and `.json` write them.
#[derive(Debug)]
pub(super) enum RawAnswers {
    List(Vec<Option<RawInput>>),
    Numbered(BTreeMap<usize, Option<RawInput>>, Vec<Option<RawInput>>),
}

impl RawAnswers {
    pub(super) fn len(&self) -> usize {
        match self {
            RawAnswers::List(list) => list.len(),
            RawAnswers::Numbered(numbered, menu) => numbered.len() + menu.len(),
        }
    }
}

impl<'de> Deserialize<'de> for RawAnswers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawAnswers, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = RawAnswers;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of answers, or answers by the number of their question")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawAnswers, A::Error> {
                let mut found = Vec::new();
                while let Some(input) = list.next_element()? {
                    found.push(input);
                }
                Ok(RawAnswers::List(found))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawAnswers, A::Error> {
                let (mut numbered, mut menu) = (BTreeMap::new(), Vec::new());
                while let Some(key) = map.next_key::<Key>()? {
                    match key {
                        Key::Menu => menu = map.next_value()?,
                        Key::Number(number) => {
                            if numbered.insert(number, map.next_value()?).is_some() {
                                return Err(A::Error::custom(format!("question {number} is answered twice")));
                            }
                        }
                    }
                }
                Ok(RawAnswers::Numbered(numbered, menu))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A question's number, or `menu`.
enum Key {
    Number(usize),
    Menu,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        struct Word;
        impl Visitor<'_> for Word {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the number of a question, or `menu`")
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Key, E> {
                match usize::try_from(number) {
                    Ok(number) if (1..=99).contains(&number) => Ok(Key::Number(number)),
                    _ => Err(E::custom(format!("no question has the number {number}"))),
                }
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Key, E> {
                match (word, word.parse::<u64>()) {
                    ("menu", _) => Ok(Key::Menu),
                    (_, Ok(number)) => self.visit_u64(number),
                    _ => Err(E::custom(format!(
                        "\"{}\" is not a question's number; write a number, or `menu`",
                        plain::cut(&plain::shown(word), 40)
                    ))),
                }
            }
        }
        deserializer.deserialize_any(Word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::script::{Script, Taken};

    fn prompts() -> Vec<Prompt> {
        let asked = ["Which groups of users will this serve?", "What workaround did they fall back on?"];
        let prompt = |(at, text): (usize, &str)| Prompt {
            number: Some(at + 1),
            text: text.into(),
            ..Prompt::default()
        };
        asked.into_iter().enumerate().map(prompt).collect()
    }

    fn said(taken: Taken) -> String {
        match taken {
            Taken::Said(input) => input.text,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn answers_go_to_their_numbers_and_the_menu_takes_the_rest() {
        let yaml = "depth: deep\nanswers:\n  \"00-01\":\n    2: two\n    7: seven\n    1: null\n    menu: [more, C]\n";
        let mut script = Script::for_analysis("s.yaml", yaml.as_bytes()).unwrap();
        assert_eq!(script.depth, Some(crate::item::step::Depth::Deep));
        let mut take = |at| said(script.take("00-01", at));
        let found = [1, 2, 3].map(|number| take(AskedAt::Question(number)));
        assert_eq!(found, ["Silence", "two", "Silence"]);
        let menu = [(); 4].map(|()| take(AskedAt::Menu));
        assert_eq!(menu, ["seven", "more", "C", "Through"]);
        let json = r#"{"answers": {"00-01": {"1": "one", "menu": ["C"]}}}"#;
        assert!(Script::for_analysis("s.json", json.as_bytes()).is_ok());
        for (bad, why) in [
            ("answers: {\"00-01\": {first: x}}\n", "not a question's number"),
            ("answers: {\"00-01\": {0: x}}\n", "no question has the number 0"),
            ("answers: {\"00-01\": text}\n", "by the number of their question"),
            ("depth: shallow\nanswers: {\"00-01\": [x]}\n", "shallow"),
        ] {
            let error = Script::for_analysis("s.yaml", bad.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn another_depth_makes_numbered_answers_notes() {
        let mut script = Script::for_analysis("s.yaml", b"answers: {\"00-01\": {1: one, 2: two}}\n").unwrap();
        script.forget_numbers("00-01");
        assert_eq!(said(script.take("00-01", AskedAt::Question(1))), "Silence");
        assert_eq!([(); 2].map(|()| said(script.take("00-01", AskedAt::Menu))), ["one", "two"]);
    }

    #[test]
    fn a_comment_answers_by_number_or_quotation_in_any_order() {
        let found = |text: &str| parts(text, &prompts());
        assert_eq!(
            found("    code\n\n> [!NOTE]\n> We send letters.\n\n2. white"),
            [
                (None, "    code".to_owned()),
                (None, "> [!NOTE]\n> We send letters.".to_owned()),
                (Some(2), "white".to_owned())
            ]
        );
        assert_eq!(
            found("Some thoughts:\n2. paper slips\nand phone calls\n1) librarians"),
            [
                (None, "Some thoughts:".to_owned()),
                (Some(2), "paper slips\nand phone calls".to_owned()),
                (Some(1), "librarians".to_owned())
            ]
        );
        assert_eq!(
            found(
                "> 2. What workaround did they\n> fall back on?\n\npaper\n\n> Which groups of users\nreaders"
            ),
            [(Some(2), "paper".to_owned()), (Some(1), "readers".to_owned())]
        );
        assert_eq!(
            found("1. nobody\n5. nothing"),
            [(Some(1), "nobody".to_owned()), (None, "5. nothing".to_owned())]
        );
        // What names nothing that was asked answers nothing.
        for text in ["7. a year as a number", "> Nobody asked this\nno", "2024: a year", "just words"] {
            assert!(found(text).iter().all(|(number, _)| number.is_none()), "{text}");
        }
        let mut script =
            Script::read("s.yaml", b"inputs: [\"2. paper\", \"noise\", C, \"1. later\"]\n").unwrap();
        script.is_by_number = true;
        script.begin("01-02", &prompts());
        let taken: Vec<String> = [AskedAt::Question(1), AskedAt::Question(2), AskedAt::Menu, AskedAt::Menu]
            .into_iter()
            .map(|at| said(script.take("01-02", at)))
            .collect();
        assert_eq!(taken, ["Silence", "paper", "noise", "C"]);
        // A list that begins a run: by number where each message names a question, else in order.
        for (inputs, first, second) in [
            ("[\"2. paper\", \"1. readers\", C]", "readers", "paper"),
            ("[\"2. paper\\n1. readers\", null, C]", "readers", "paper"),
            ("[\"> What workaround did they fall back on?\\n\\npaper\", C]", "Silence", "paper"),
            ("[\"1. a desk\\n3. a bell\", \"2. paper\", C]", "1. a desk\n3. a bell", "2. paper"),
            ("[null, \"1. a desk\", C]", "Silence", "1. a desk"),
        ] {
            let mut script = Script::read("s.yaml", format!("inputs: {inputs}\n").as_bytes()).unwrap();
            script.begin("01-02", &prompts());
            let taken = [1, 2].map(|number| said(script.take("01-02", AskedAt::Question(number))));
            assert_eq!(taken, [first, second], "{inputs}");
        }
    }
}
