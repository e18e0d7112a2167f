//! A choice that was put to the user, and which words take one of its options.

use std::collections::{BTreeSet, HashMap};

use super::{Choice, Forms};
use crate::discussion::closing::AskedQuestions;
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
    asked: AskedQuestions,
}

impl<'s, 't> Pending<'s, 't> {
    pub fn new(turn: u32, choice: &'s Choice<'t>) -> Pending<'s, 't> {
        let options = choice.options.iter().map(|option| plain_words(option)).collect();
        let unit = shared_unit(&choice.options);
        let mut asked = AskedQuestions::default();
        asked.add(choice.on, 0);
        Pending { turn, choice, options, unit, is_next: true, asked }
    }

    /// Does a decision settle it? One on a point names its id or is one of its options; one on a disagreement names one
    /// option, and no other. Where all are amounts of one unit, so does the only amount of that unit in the message after
    /// the disagreement.
    pub fn is_settled_by(&self, decided: &str, message: &str, forms: &Forms) -> bool {
        if self.choice.is_point {
            return !self.asked.closed_by(decided, message).is_empty() || self.is_taken_by(decided, forms);
        }
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
        self.takes_in_order(said, forms) || self.is_taken_by(said, forms)
    }

    /// Is this one of the options word for word, whatever marks it has?
    pub fn has_option(&self, said: &str) -> bool {
        self.options.contains(&plain_words(said))
    }

    fn takes_in_order(&self, said: &str, forms: &Forms) -> bool {
        let answer = answer_in(said, forms);
        self.is_next && forms.file("choices").iter().any(|form| is_order(form, answer))
    }

    fn is_taken_by(&self, said: &str, forms: &Forms) -> bool {
        answers_in(said, forms).any(|answer| self.has_option(answer))
    }
}

/// Users' own questions that put a choice, such as "Weekly or monthly?", and are open.
#[derive(Default)]
pub(super) struct OwnChoices {
    asked: Vec<OwnChoice>,
    /// Their places, by the words at which an option ends or begins.
    by_word: HashMap<String, Vec<usize>>,
}

struct OwnChoice {
    question: usize,
    by: String,
    /// What an option is the end of: where it begins nobody can tell.
    before: Vec<Vec<String>>,
    /// What an option is the beginning of.
    after: Vec<String>,
}

impl OwnChoices {
    pub fn add(&mut self, text: &str, question: usize, by: &str, forms: &Forms) {
        let found = forms.file("choices").iter().find_map(|form| {
            let hit = form.find(text)?;
            Some((hit.part("before")?, hit.part("after")?))
        });
        let Some((before, after)) = found else { return };
        let (before, after) = (before.split(',').map(plain_words).collect(), plain_words(after));
        let choice = OwnChoice { question, by: by.to_owned(), before, after };
        for word in choice.before.iter().filter_map(|words| words.last()).chain(choice.after.first()) {
            self.by_word.entry(word.clone()).or_default().push(self.asked.len());
        }
        self.asked.push(choice);
    }

    /// The question of this user that a decision answers with one of its options, word for word.
    pub fn answered_by(&self, decided: &str, by: &str, forms: &Forms) -> Option<usize> {
        let answers: Vec<Vec<String>> = answers_in(decided, forms).map(plain_words).collect();
        let ends = answers.iter().flat_map(|answer| answer.first().into_iter().chain(answer.last()));
        let asked = ends.filter_map(|word| self.by_word.get(word)).flatten().map(|at| &self.asked[*at]);
        let is_answered = |one: &&OwnChoice| one.by == by && answers.iter().any(|answer| one.has(answer));
        let found: BTreeSet<usize> = asked.filter(is_answered).map(|one| one.question).collect();
        found.first().copied().filter(|_| found.len() == 1)
    }
}

impl OwnChoice {
    /// Whether this is one of its options, and no other.
    fn has(&self, answer: &[String]) -> bool {
        let ended = self.before.iter().filter(|words| words.ends_with(answer)).count();
        let is_after = self.after.starts_with(answer);
        let is_in_both = ended > 0 && self.after.ends_with(answer);
        !answer.is_empty() && !is_in_both && ended + usize::from(is_after) == 1
    }
}

/// What an answer may name as an option: itself, what comes before its reason or first mark, each also without "we take"
/// and its like.
fn answers_in<'t>(said: &'t str, forms: &Forms) -> impl Iterator<Item = &'t str> {
    let said = [said, without_reason(said, forms), answer_in(said, forms)];
    said.into_iter().flat_map(|answer| {
        let named = forms.file("choices").iter().filter_map(move |form| form.find(answer)?.part("name"));
        std::iter::once(answer).chain(named)
    })
}

/// What is said before its reason.
fn without_reason<'t>(said: &'t str, forms: &Forms) -> &'t str {
    let reason = forms.find("reasons", said).map_or(said.len(), |hit| hit.range().start);
    said[..reason].trim_end_matches([',', '.', '!', ' '])
}

/// What is said before its first mark or reason.
fn answer_in<'t>(said: &'t str, forms: &Forms) -> &'t str {
    let answer = without_reason(said, forms);
    let end = answer.find([',', ';', '(', '–', '—']).unwrap_or(answer.len());
    answer[..end].trim_end_matches(['.', '!', ' '])
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
