//! The names by which steps are called: their titles, topics and numbers, and their phases.
//!
//! ```
//! use roundtable::item::library::Library;
//!
//! let library = Library::built_in().unwrap();
//! let named: Vec<&str> = library.marks().beginning_with("moscow").map(|phrase| phrase.topic.as_str()).collect();
//! assert!(named.contains(&"MoSCoW"));
//! ```

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::item::persona::PHASES;
use crate::item::step::Step;
use crate::text::words::{is_significant, stems};

/// The phrases that name steps: the same for every discussion of a library.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The phrases of all steps, by their first stem: most words of a text begin none.
    phrases: HashMap<String, Vec<Phrase>, RandomState>,
}

/// A phrase that names a step.
#[derive(Clone, Debug)]
pub struct Phrase {
    pub stems: Vec<String>,
    /// As it is written in the step's file.
    pub topic: String,
    /// It counts only as it is written: "Error Handling" is a step, "error handling" a matter of everybody's.
    pub is_exact: bool,
    /// The step it names, as an index; a phase is named by its first step.
    pub step: usize,
}

impl Marks {
    /// The names of these steps and of their phases.
    pub fn new(steps: &[Step]) -> Marks {
        let mut marks = Marks::default();
        for (number, step) in steps.iter().enumerate() {
            let title = stems(&step.title);
            let is_telling = title.iter().filter(|word| is_significant(word)).count() >= 3;
            if title.len() > 1 {
                marks.add(&step.title, !is_telling, number);
            }
            step.topics.iter().for_each(|topic| marks.add(topic, is_name_in_capitals(topic), number));
            marks.add(&format!("step {}", step.id), false, number);
        }
        for (phase, name) in PHASES {
            let first = steps.iter().position(|step| step.phase == phase);
            first.into_iter().for_each(|step| marks.add(&format!("{name} phase"), false, step));
        }
        marks
    }

    /// The phrases that begin with a stem.
    pub fn beginning_with(&self, stem: &str) -> impl Iterator<Item = &Phrase> {
        self.phrases.get(stem).into_iter().flatten()
    }

    fn add(&mut self, topic: &str, is_exact: bool, step: usize) {
        let stems = stems(topic);
        let Some(first) = stems.first().cloned() else { return };
        let phrase = Phrase { stems, topic: topic.to_owned(), is_exact, step };
        self.phrases.entry(first).or_default().push(phrase);
    }
}

/// Whether a topic is a name with capitals inside: MoSCoW is no city.
fn is_name_in_capitals(topic: &str) -> bool {
    topic.chars().skip(1).any(char::is_uppercase) && !topic.contains(' ')
}
