//! A choice that was put to the user, and which words take one of its options.

use super::{Choice, Forms};
use crate::text::words::words;

/// A choice that was put and not answered yet.
pub(super) struct Pending<'s, 't> {
    pub turn: u32,
    pub choice: &'s Choice<'t>,
    /// For each option its words.
    options: Vec<Vec<String>>,
    /// No user has spoken since: "the first" is meant of it.
    pub is_next: bool,
}

impl<'s, 't> Pending<'s, 't> {
    pub fn new(turn: u32, choice: &'s Choice<'t>) -> Pending<'s, 't> {
        let options = choice.options.iter().map(|option| plain_words(option)).collect();
        Pending { turn, choice, options, is_next: true }
    }

    /// Does a decision name one option, and no other?
    pub fn is_named_in(&self, decided: &str) -> bool {
        let said = plain_words(decided);
        let is_there = |option: &&Vec<String>| {
            !option.is_empty() && said.windows(option.len()).any(|window| window == option.as_slice())
        };
        self.options.iter().filter(is_there).count() == 1
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

/// The words of an option or answer, without an article at its beginning.
fn plain_words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = words(text).into_iter().map(|word| word.text.into_owned()).collect();
    if found.len() > 1 && matches!(found[0].as_str(), "the" | "a" | "an") {
        found.remove(0);
    }
    found
}
