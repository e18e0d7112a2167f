//! A choice that was put to the user, and which words take one of its options.

use super::{Choice, Forms};
use crate::text::words::words;

/// A choice that was put and not answered yet.
pub(super) struct Pending<'s, 't> {
    pub turn: u32,
    pub choice: &'s Choice<'t>,
    /// For each option its words.
    options: Vec<Vec<String>>,
    /// What all options are amounts of: `euros` of "10 euros" and "20 euros".
    unit: Option<String>,
    /// No user has spoken since: "the first" is meant of it.
    pub is_next: bool,
}

impl<'s, 't> Pending<'s, 't> {
    pub fn new(turn: u32, choice: &'s Choice<'t>) -> Pending<'s, 't> {
        let options = choice.options.iter().map(|option| plain_words(option)).collect();
        let unit = shared_unit(&choice.options);
        Pending { turn, choice, options, unit, is_next: true }
    }

    /// Does a decision name one option, and no other? Where all are amounts of one unit, so does the only amount of that
    /// unit in the message after the choice.
    pub fn is_named_in(&self, decided: &str) -> bool {
        let said = plain_words(decided);
        let is_there = |option: &&Vec<String>| {
            !option.is_empty() && said.windows(option.len()).any(|window| window == option.as_slice())
        };
        let unit = self.unit.as_ref().filter(|_| self.is_next);
        let is_amount = unit.is_some_and(|unit| amounts(decided, unit) == 1);
        is_amount || self.options.iter().filter(is_there).count() == 1
    }

    /// Does a statement take one of the options, and say nothing else before its first mark or reason?
    pub fn is_answered_by(&self, said: &str, forms: &Forms) -> bool {
        let end = said.find([',', ';', '(', '–', '—']).unwrap_or(said.len());
        let reason = forms.find("reasons", said).map_or(said.len(), |hit| hit.range().start);
        let answer = said[..end.min(reason)].trim_end_matches(['.', '!', ' ']);
        let is_order = self.is_next && forms.file("choices").iter().any(|form| is_order(form, answer));
        let named = forms.file("choices").iter().filter_map(|form| form.find(answer)?.part("name"));
        let is_option = |name: &str| self.options.contains(&plain_words(name));
        is_order || self.options.contains(&plain_words(answer)) || named.into_iter().any(is_option)
    }
}

fn is_order(form: &crate::text::sentence_forms::Form, answer: &str) -> bool {
    form.find(answer).is_some_and(|hit| hit.part("which").is_some())
}

/// The unit of options that are nothing but amounts of one.
fn shared_unit(options: &[&str]) -> Option<String> {
    let unit = |option: &&str| {
        let parts: Vec<&str> = option.split_whitespace().collect();
        let [number, unit] = parts.as_slice() else { return None };
        is_number(number).then(|| unit.to_lowercase())
    };
    let units: Option<Vec<String>> = options.iter().map(unit).collect();
    let mut units = units?.into_iter();
    let first = units.next()?;
    units.all(|unit| unit == first).then_some(first)
}

/// How many amounts of a unit a text has.
fn amounts(text: &str, unit: &str) -> usize {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let is_unit = |part: &str| part.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase() == unit;
    parts.windows(2).filter(|pair| is_number(pair[0]) && is_unit(pair[1])).count()
}

/// Whether a text is digits, with marks between them: `1,000`, `0.5`.
fn is_number(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_part)
}

/// The words of an option or answer, without an article at its beginning.
fn plain_words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = words(text).into_iter().map(|word| word.text.into_owned()).collect();
    if found.len() > 1 && matches!(found[0].as_str(), "the" | "a" | "an") {
        found.remove(0);
    }
    found
}
