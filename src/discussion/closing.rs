//! Which open questions a decision closes, and when two questions are the same.
//!
//! Invariant: decided by what is written alone. A decision closes a question when both name an id, when it begins with
//! the question's words, or when the message that it is in quotes the question.
//!
//! ```
//! use roundtable::discussion::closing::AskedQuestions;
//!
//! let mut asked = AskedQuestions::default();
//! asked.add("Who folds the letters?", 0);
//! asked.add("When is FR-002 due?", 1);
//! let closed = |decision: &str, message: &str| asked.closed_by(decision, message).into_iter().collect::<Vec<_>>();
//! assert_eq!(closed("who folds the letters → the desk", ""), [0]);
//! assert_eq!(closed("the desk", "> Who folds the letters?\n\nDecision: the desk."), [0]);
//! assert_eq!(closed("FR-002 is due on Monday", ""), [1]);
//! assert!(closed("letters are white", "").is_empty());
//! ```

use std::collections::{BTreeSet, HashMap, HashSet};

use super::summary::Summary;
use crate::text::ids::ids;
use crate::text::markdown::{Part, read};
use crate::text::words::words;

/// Questions by their ids and by their words, each with the number that it was added with.
#[derive(Clone, Debug, Default)]
pub struct AskedQuestions {
    by_id: HashMap<String, Vec<usize>>,
    by_words: HashMap<String, Vec<usize>>,
    /// The words that the longest of them has.
    longest: usize,
}

impl AskedQuestions {
    pub fn add(&mut self, question: &str, number: usize) {
        let named: BTreeSet<&str> = ids(question).collect();
        for id in named {
            self.by_id.entry(id.to_owned()).or_default().push(number);
        }
        let key = key(question);
        if !key.is_empty() {
            self.longest = self.longest.max(key.split(' ').count());
            self.by_words.entry(key).or_default().push(number);
        }
    }

    /// The questions that a decision closes which was made in a message.
    pub fn closed_by(&self, decision: &str, message: &str) -> BTreeSet<usize> {
        let mut closed: BTreeSet<usize> =
            ids(decision).filter_map(|id| self.by_id.get(id)).flatten().copied().collect();
        let mut begun = String::new();
        for word in words(decision).into_iter().take(self.longest) {
            if !begun.is_empty() {
                begun.push(' ');
            }
            begun.push_str(&word.text);
            closed.extend(self.by_words.get(&begun).into_iter().flatten());
        }
        let quotations = || read(message).into_iter().filter(|line| line.part == Part::Quotation);
        if message.contains('>') && !self.by_words.is_empty() {
            let quoted = quotations().filter_map(|line| self.by_words.get(&key(&line.text())));
            closed.extend(quoted.flatten());
        }
        closed
    }
}

/// What the discussions of an item have left open, the earliest first.
#[derive(Clone, Debug, Default)]
pub struct OpenQuestions {
    asked: AskedQuestions,
    /// Of each question the discussion and its number there.
    places: Vec<(usize, usize)>,
    keys: Vec<String>,
    open: BTreeSet<usize>,
    open_keys: HashSet<String>,
}

impl OpenQuestions {
    /// Takes the next discussion: its decisions close what was asked before, and its questions are open. `message` is
    /// what a user said in these turns.
    pub fn add<'m>(&mut self, talk: usize, summary: &Summary, message: impl Fn(&[u32]) -> &'m str) {
        for decision in &summary.decisions {
            for closed in self.asked.closed_by(&decision.text, message(&decision.turns)) {
                self.open.remove(&closed);
                self.open_keys.remove(&self.keys[closed]);
            }
        }
        for (number, question) in summary.open_questions.iter().enumerate() {
            let key = key(&question.text);
            if self.open_keys.insert(key.clone()) {
                self.asked.add(&question.text, self.places.len());
                self.open.insert(self.places.len());
                self.places.push((talk, number));
                self.keys.push(key);
            }
        }
    }

    /// Those that no later decision has closed: the discussion of each, and its number there.
    pub fn places(&self) -> BTreeSet<(usize, usize)> {
        self.open.iter().map(|at| self.places[*at]).collect()
    }
}

/// What tells a question from others: its words, up to its last question mark.
pub fn key(question: &str) -> String {
    let end = question.rfind(['?', '？', '؟']).unwrap_or(question.len());
    let words: Vec<String> = words(&question[..end]).into_iter().map(|word| word.text.into_owned()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::summary::{Decision, Question, Recognised};
    use super::*;

    #[test]
    fn a_question_is_told_by_its_words() {
        assert_eq!(key("Who folds the letters?"), key("who folds the letters ? (asked by Sam)"));
        assert_ne!(key("Who folds the letters?"), key("Who folds letters?"));
    }

    #[test]
    fn a_later_discussion_closes_what_an_earlier_one_left_open() {
        let summary = |asked: &[&str], decided: &[&str]| Summary {
            open_questions: asked
                .iter()
                .map(|text| Question { text: (*text).into(), context: String::new(), turns: vec![] })
                .collect(),
            decisions: decided
                .iter()
                .map(|text| Decision::new(text, None, "Sam", vec![4], Recognised::Form))
                .collect(),
            ..Summary::default()
        };
        let mut open = OpenQuestions::default();
        open.add(0, &summary(&["Who folds?", "When is FR-1 due?"], &["FR-1 is due"]), |_| "");
        assert_eq!(open.places().into_iter().collect::<Vec<_>>(), [(0, 0), (0, 1)]);
        open.add(1, &summary(&["Who folds?", "Who pays?"], &["FR-1 is due on Monday"]), |_| "");
        assert_eq!(open.places().into_iter().collect::<Vec<_>>(), [(0, 0), (1, 1)]);
        open.add(2, &summary(&[], &["the desk"]), |_| "> who pays?\n\nDecision: the desk");
        assert_eq!(open.places().into_iter().collect::<Vec<_>>(), [(0, 0)]);
    }

    #[test]
    fn a_decision_that_only_has_some_words_of_a_question_closes_nothing() {
        let mut asked = AskedQuestions::default();
        asked.add("Who pays?", 0);
        for decision in ["the one who pays is told", "who", "pay at the desk", "FR-002 is dropped"] {
            assert!(asked.closed_by(decision, decision).is_empty(), "{decision}");
        }
        assert!(asked.closed_by("we pay", "Who pays? > nobody").is_empty());
    }
}
