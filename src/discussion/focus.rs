//! Topic focus: whether a text belongs to another step (4.4.5, contract 4.8).
//!
//! Precision first, since a wrong redirect is worse than a missed one: a text drifts only when it
//! uses a phrase that marks another step unmistakably (a step file's `topics`, or its whole
//! title), none that marks this step, and none that the item itself is about. Two steps marked
//! equally often leave the text where it is.

use super::words::{find_run, is_significant, stems, subjects, unquoted};
use crate::step::Step;

/// The phrases that mark each step.
#[derive(Clone, Debug)]
pub struct Focus {
    here: Vec<(Vec<String>, String)>,
    elsewhere: Vec<Place>,
    /// What the item is about: its name's subjects.
    subject: Vec<String>,
}

#[derive(Clone, Debug)]
struct Place {
    id: String,
    title: String,
    phrases: Vec<(Vec<String>, String)>,
}

/// Where a text belongs instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The phrase that gave it away.
    pub subject: String,
    /// The step it belongs to, as the redirect names it.
    pub belongs: String,
    pub step_id: String,
}

impl Focus {
    pub fn new(step: &Step, steps: &[Step], item_name: &str) -> Focus {
        let phrases = |step: &Step| -> Vec<(Vec<String>, String)> {
            let title = stems(&step.title);
            let telling = title.iter().filter(|word| is_significant(word)).count() >= 3;
            let title = telling.then(|| (title, step.title.clone()));
            step.topics.iter().map(|topic| (stems(topic), topic.clone())).chain(title).collect()
        };
        let here = phrases(step);
        let others = steps.iter().filter(|other| other.id != step.id);
        let elsewhere = others
            .map(|other| Place { id: other.id.clone(), title: other.title.clone(), phrases: phrases(other) })
            .collect();
        Focus { here, elsewhere, subject: subjects(item_name) }
    }

    /// Where the text belongs, if it is not here.
    pub fn drift(&self, text: &str) -> Option<Drift> {
        let text = without_files(&unquoted(text));
        let said = stems(&text);
        // A name with capitals inside counts as it is written: MoSCoW is no city.
        let says = |phrase: &[String], topic: &str| {
            let capitals = topic.chars().skip(1).any(char::is_uppercase) && !topic.contains(' ');
            find_run(&said, phrase).is_some() && (!capitals || text.contains(topic))
        };
        if self.here.iter().any(|(phrase, topic)| says(phrase, topic)) {
            return None;
        }
        let mut best: Option<(usize, Drift)> = None;
        let mut tie = false;
        for place in &self.elsewhere {
            let marks: Vec<&(Vec<String>, String)> = place
                .phrases
                .iter()
                .filter(|(phrase, _)| !phrase.iter().all(|word| self.subject.contains(word)))
                .filter(|(phrase, topic)| says(phrase, topic))
                .collect();
            let Some((_, subject)) = marks.iter().max_by_key(|(phrase, _)| phrase.len()) else { continue };
            let weight: usize = marks.iter().map(|(phrase, _)| phrase.len()).sum();
            tie = best.as_ref().is_some_and(|(most, _)| *most == weight);
            if best.as_ref().is_none_or(|(most, _)| *most < weight) {
                let belongs = format!("{} (step {})", place.title, place.id);
                best = Some((weight, Drift { subject: subject.clone(), belongs, step_id: place.id.clone() }));
            }
        }
        best.filter(|_| !tie).map(|(_, drift)| drift)
    }
}

/// The text without names of files: naming a document is no talk about its subject.
fn without_files(text: &str) -> String {
    let suffixes = [".md", ".json", ".csv", ".yaml", ".yml"];
    let is_file = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
        suffixes.iter().any(|suffix| word.ends_with(suffix))
    };
    text.split_whitespace().filter(|word| !is_file(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    fn drift(step: &str, item: &str, text: &str) -> Option<String> {
        let library = Library::built_in().unwrap();
        let focus = Focus::new(library.step(step).unwrap(), &library.steps, item);
        focus.drift(text).map(|drift| drift.step_id)
    }

    #[test]
    fn a_text_that_belongs_to_another_step_drifts() {
        for (text, wanted) in [
            ("Which of these would you put first in the MoSCoW prioritization?", "01-08"),
            ("Alex, how should we prioritize these journeys?", "01-08"),
            ("Is this a must have or a should have?", "01-08"),
            ("Let's talk about Technology Decisions for a moment", "03-02"),
            ("Which tech stack would we use?", "03-02"),
        ] {
            assert_eq!(drift("01-03", "offline mode", text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn ordinary_talk_stays() {
        for text in [
            "What about error handling?",
            "Alex, how does this affect scalability?",
            "What do you all think about caching?",
            "the sync must have a timeout",
            "Let's wrap up our discussion of error handling",
            "Which risk do you see, and what does the user see?",
            "I agree with Maya, the acceptance criteria come first",
            "The function signature would be sync(local, remote)",
            "Our users are in Moscow.",
            "The queue should prioritize small uploads over photos.",
            "The journey shows an unmet need: the photo is lost.",
            "nfr-matrix.md line 5 names no figure, and tech-stack-decision.md is empty.",
            "he wrote \"MoSCoW prioritization\" on the board",
        ] {
            assert_eq!(drift("01-03", "offline mode", text), None, "{text}");
        }
    }

    #[test]
    fn what_the_step_or_the_item_is_about_is_no_drift() {
        assert_eq!(drift("01-08", "offline mode", "MoSCoW prioritization then"), None);
        assert_eq!(drift("01-04", "offline mode", "the tech stack today is Rails"), None);
        assert_eq!(drift("01-03", "prioritization of jobs", "the prioritization of jobs"), None);
    }
}
