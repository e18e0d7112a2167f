//! Topic focus: whether a question belongs to another step (D-8).
//!
//! Precision first, since a wrong redirect is worse than a missed one. Only questions are redirected, and only by
//! names: another step's title, one of its `topics`, its number, or its phase. A question that names this step,
//! or what the item itself is about, stays; so does one that names two other steps equally often. A message that
//! also states something is never redirected.
//!
//! ```
//! use roundtable::discussion::focus::Focus;
//! use roundtable::item::library::Library;
//!
//! let library = Library::built_in().unwrap();
//! let focus = Focus::new(&library, library.step("01-03").unwrap(), "late fees");
//! assert_eq!(focus.drift("Which tech stack should we use?").unwrap().step_id, "03-02");
//! assert!(focus.drift("The tech stack is Rails.").is_none());
//! ```

use std::collections::BTreeMap;

use super::Discussion;
use super::event::Purpose;
use crate::item::library::Library;
use crate::item::marks::{Marks, Phrase};
use crate::item::persona::PHASES;
use crate::item::step::Step;
use crate::text::markdown::{VisibleLine, read};
use crate::text::plain;
use crate::text::sentence_forms::Forms;
use crate::text::sentences::without_quotations;
use crate::text::words::{stems_of, subjects, words};

/// What one discussion is about: a step among others, for an item.
#[derive(Clone, Debug)]
pub struct Focus<'l> {
    marks: &'l Marks,
    steps: &'l [Step],
    /// The step under discussion.
    step: &'l Step,
    /// What the item itself is about, as stems.
    subject: Vec<String>,
    forms: &'l Forms,
}

/// Where a question belongs instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The phrase that gave it away.
    pub subject: String,
    /// The step it belongs to, as the redirect names it.
    pub belongs: String,
    pub step_id: String,
}

impl<'l> Focus<'l> {
    pub fn new(library: &'l Library, step: &'l Step, item_name: &str) -> Focus<'l> {
        let (marks, steps, forms) = (library.marks(), library.steps.as_slice(), library.forms());
        Focus { marks, steps, step, subject: subjects(item_name), forms }
    }

    /// Where a question belongs, if it is not here. A text that states something is no question.
    pub fn drift(&self, text: &str) -> Option<Drift> {
        let text = self.asked(text)?;
        let words = words(&text);
        let said = stems_of(&words);
        // Every phrase that is said, once, with the step it names and its length.
        let mut named: BTreeMap<usize, BTreeMap<&str, usize>> = BTreeMap::new();
        for (at, first) in said.iter().enumerate() {
            for phrase in self.marks.beginning_with(first) {
                let is_said = said.len() - at >= phrase.stems.len()
                    && phrase.stems.iter().zip(&said[at..]).all(|(stem, said)| stem == said)
                    && (!phrase.is_exact || text.contains(&phrase.topic));
                if !is_said || phrase.stems.iter().all(|word| self.subject.contains(word)) {
                    continue;
                }
                if self.steps.get(phrase.step)?.id == self.step.id || self.is_own_phase(phrase) {
                    return None;
                }
                named.entry(phrase.step).or_default().insert(&phrase.topic, phrase.stems.len());
            }
        }
        self.nearest(&named)
    }

    /// What a text asks, where every sentence of it is a question, or thanks.
    fn asked(&self, text: &str) -> Option<String> {
        let lines = read(text).into_iter().filter(VisibleLine::is_said);
        let mut asked = String::new();
        for sentence in lines.flat_map(|line| line.sentences) {
            if sentence.text.ends_with(['?', '？', '؟']) {
                asked.push_str(&without_quotations(&sentence.text));
                asked.push('\n');
            } else if !self.forms.fits("acknowledgements", &sentence.text) {
                return None;
            }
        }
        (!asked.is_empty()).then_some(asked)
    }

    fn is_own_phase(&self, phrase: &Phrase) -> bool {
        let own = PHASES.iter().find(|(phase, _)| *phase == self.step.phase);
        own.is_some_and(|(_, name)| phrase.topic.strip_suffix(" phase") == Some(name))
    }

    /// The step that is named by most words, if there is one.
    fn nearest(&self, named: &BTreeMap<usize, BTreeMap<&str, usize>>) -> Option<Drift> {
        let weight = |said: &BTreeMap<&str, usize>| said.values().sum::<usize>();
        let most = named.values().map(weight).max()?;
        let mut nearest = named.iter().filter(|(_, said)| weight(said) == most);
        let (Some((step, said)), None) = (nearest.next(), nearest.next()) else { return None };
        let place = self.steps.get(*step)?;
        let (subject, _) = said.iter().max_by_key(|(_, length)| **length)?;
        let belongs = match subject.ends_with(" phase") {
            true => format!("the {subject}"),
            false => format!("{} (step {})", place.title, place.id),
        };
        Some(Drift { subject: (*subject).to_owned(), belongs, step_id: place.id.clone() })
    }
}

impl Discussion<'_> {
    /// What the talk is to stay focused on: the question of the framing, or the step's title.
    pub(super) fn focus_of_talk(&self) -> String {
        match self.focus_question() {
            // One that a document asks is quoted already.
            Some(question) => format!("the question \"{}\"", question.trim_matches('"')),
            None => self.step.title.clone(),
        }
    }

    /// The step whose work a question asks for, if it is another's.
    pub fn drift_of(&self, text: &str) -> Option<Drift> {
        self.focus.drift(text)
    }

    /// The focus question the lead stated (discussion AC-004-03): what follows "question: " on its line, else the first question.
    pub fn focus_question(&self) -> Option<String> {
        let framing = self.contributions().find(|said| said.purpose == Purpose::Framing)?;
        let stated =
            framing.text.split_once("question: ").map(|(_, asked)| asked.lines().next().unwrap_or_default());
        let text = plain::one_line(stated.unwrap_or(&framing.text));
        let end = if stated.is_some() { text.rfind('?')? } else { text.find('?')? };
        let is_one = stated.is_some();
        let start = if is_one { 0 } else { text[..end].rfind(['.', '!']).map_or(0, |at| at + 1) };
        Some(plain::cut(text[start..=end].trim(), 200))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drift(step: &str, item: &str, text: &str) -> Option<String> {
        let library = Library::built_in().unwrap();
        let focus = Focus::new(&library, library.step(step).unwrap(), item);
        focus.drift(text).map(|drift| drift.step_id)
    }

    #[test]
    fn a_question_that_names_another_step_drifts() {
        for (text, wanted) in [
            ("Which of these would you put first in the MoSCoW prioritization?", "01-08"),
            ("Alex, how should we prioritize these journeys?", "01-08"),
            ("Can we talk about Technology Decisions for a moment?", "03-02"),
            ("Which tech stack should we use?", "03-02"),
            ("Thanks. When do we get to Interface Contracts?", "04-02"),
            ("Is that a question for step 04-04?", "04-04"),
            ("Should that wait for the architecture phase?", "03-01"),
        ] {
            assert_eq!(drift("01-03", "offline mode", text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn statements_are_never_redirected() {
        for text in [
            "The MoSCoW prioritization stays as it is.",
            "We decided on the tech stack last week.",
            "Our tech stack is old. Which technology stack should we use?",
            "Let's talk about Technology Decisions for a moment",
        ] {
            assert_eq!(drift("01-03", "offline mode", text), None, "{text}");
        }
    }

    #[test]
    fn ordinary_questions_stay() {
        for text in [
            "What about error handling?",
            "Alex, how does this affect scalability?",
            "What do you all think about caching?",
            "Which risk do you see, and what does the user see?",
            "Are our users in Moscow?",
            "Should the queue prioritize small uploads over photos?",
            "Who wrote \"MoSCoW prioritization\" on the board?",
            "What do the requirements say about the design?",
        ] {
            assert_eq!(drift("01-03", "offline mode", text), None, "{text}");
        }
    }

    #[test]
    fn what_the_step_or_the_item_is_about_is_no_drift() {
        assert_eq!(drift("01-08", "offline mode", "Is MoSCoW prioritization enough?"), None);
        assert_eq!(drift("01-04", "offline mode", "Is the tech stack still Rails?"), None);
        assert_eq!(drift("01-03", "prioritization of jobs", "How does the prioritization work?"), None);
        assert_eq!(drift("03-02", "offline mode", "Does that belong to the architecture phase?"), None);
    }

    #[test]
    fn a_question_that_names_two_steps_equally_stays() {
        let text = "Is that the data flow diagram or the integration pattern?";
        assert!(drift("01-03", "offline mode", text).is_some(), "three words against two");
        let text = "Is that a journey map, a code hotspot or an integration pattern?";
        assert_eq!(drift("01-01", "offline mode", text), None);
    }
}
