//! What earlier discussions of an item have settled, so that the reviewer asks nothing twice (contract, 4.2).
//!
//! It reads recordings, not prose: a framing's focus is the first passage that the framing rests on. A focus that a
//! user spoke after counts as answered, and what was decided is no open point.
//!
//! ```
//! use roundtable::voice::memory::Memory;
//!
//! assert!(!Memory::of(&[]).has_settled("spec.md", "Every call is recorded."));
//! ```

use std::collections::BTreeSet;

use crate::discussion::event::{Class, Event, Purpose, Record};
use crate::text::words::subjects;

/// Points and questions that were put to a user who then spoke, and what was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Path and quotation of each.
    points: BTreeSet<(String, String)>,
    framings: Vec<String>,
    /// Path and quotation of each finding that was said.
    said: BTreeSet<(String, String)>,
    /// The significant stems of each decision.
    decisions: Vec<BTreeSet<String>>,
}

impl Memory {
    /// What is remembered of these recordings.
    pub fn of(recordings: &[Vec<Record>]) -> Memory {
        let mut memory = Memory::default();
        recordings.iter().for_each(|log| memory.add(log));
        memory
    }

    fn add(&mut self, log: &[Record]) {
        let mut framing = None;
        for record in log {
            match &record.event {
                Event::Contribution(said) if said.purpose == Purpose::Framing => {
                    framing = framing.or(Some(said))
                }
                Event::Contribution(said) if said.rule.is_some() => {
                    self.said.extend(said.rests.iter().map(|rest| (rest.path.clone(), rest.quote.clone())));
                }
                Event::User(message) if message.class != Class::Exit => {
                    let Some(said) = framing.take() else { continue };
                    let focus = said.rests.first();
                    self.points.extend(focus.map(|rest| (rest.path.clone(), rest.quote.clone())));
                    self.framings.push(said.text.clone());
                }
                Event::Synthesis(summary) => {
                    let decided =
                        summary.decisions.iter().map(|one| subjects(&one.text).into_iter().collect());
                    self.decisions.extend(decided);
                }
                _ => {}
            }
        }
    }

    /// Was the open point with this quotation put to a user who answered, or was it decided?
    pub fn has_settled(&self, path: &str, quote: &str) -> bool {
        if self.points.contains(&(path.to_owned(), quote.to_owned())) {
            return true;
        }
        let words = subjects(quote);
        let is_decided = |decision: &BTreeSet<String>| {
            let shared = words.iter().filter(|word| decision.contains(*word)).count();
            // Most of what the line speaks of.
            shared >= 3 && shared * 3 >= words.len() * 2
        };
        self.decisions.iter().any(is_decided)
    }

    /// Was a finding with this quotation said before? It is in the documents then.
    pub fn has_said(&self, path: &str, quote: &str) -> bool {
        self.said.contains(&(path.to_owned(), quote.to_owned()))
    }

    /// Was this question asked before, and did a user speak after it?
    pub fn has_asked(&self, question: &str) -> bool {
        self.framings.iter().any(|text| text.contains(question))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENING: &str = r#"{"kind":"contribution","at":"2026-02-20T14:30:00Z","turn":1,"by":"business-analyst","purpose":"framing","text":"How long? Alex?","rests":[{"path":"spec.md","line":3,"quote":"as soon as possible"}]}"#;
    const ANSWER: &str = r#"{"kind":"user","at":"2026-02-20T14:31:00Z","turn":4,"by":"User","text":"Two days.","class":"default","to":[]}"#;

    fn log(lines: &[&str]) -> Vec<Record> {
        lines.iter().map(|line| Record::from_line(line).unwrap()).collect()
    }

    #[test]
    fn a_focus_is_settled_when_a_user_spoke_after_it() {
        let open = Memory::of(&[log(&[OPENING])]);
        assert!(!open.has_settled("spec.md", "as soon as possible") && !open.has_asked("How long?"));
        let settled = Memory::of(&[log(&[OPENING, ANSWER])]);
        assert!(settled.has_settled("spec.md", "as soon as possible") && settled.has_asked("How long?"));
        assert!(!settled.has_settled("other.md", "as soon as possible"));
    }
}
