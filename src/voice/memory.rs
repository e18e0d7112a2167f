//! What earlier discussions of an item have settled, so that the reviewer asks nothing twice (contract, 4.2).
//!
//! A question that a user spoke after counts as answered, and what a user has said or decided is no open point.
//!
//! ```
//! use roundtable::voice::memory::Memory;
//!
//! assert!(!Memory::of(&[]).has_settled("Every call is recorded."));
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::discussion::event::{Class, Event, Purpose, Record};
use crate::text::words::subjects;

/// Who a user's insights are by.
const USER: &str = "User";

/// Questions that were put to a user who then spoke, findings that were said, and what users said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The framings, without the numbers of lines.
    framings: Vec<String>,
    /// How often a finding with this path and quotation was said.
    said: BTreeMap<(String, String), usize>,
    /// The significant stems of each decision and statement.
    settled: Vec<BTreeSet<String>>,
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
                Event::Contribution(said) => {
                    if let Some(rest) = said.found().and_then(|(_, rests)| rests.first()) {
                        *self.said.entry((rest.path.clone(), rest.quote.clone())).or_default() += 1;
                    }
                }
                Event::User(message) if message.class != Class::Exit => {
                    self.framings.extend(framing.take().map(|said| without_lines(&said.text)));
                }
                Event::Synthesis(summary) => {
                    let decisions = summary.decisions.iter().map(|one| &one.text);
                    let by_user = summary.insights.iter().filter(|one| one.by.iter().any(|by| by == USER));
                    let texts = decisions.chain(by_user.map(|one| &one.text));
                    self.settled.extend(texts.map(|text| subjects(text).into_iter().collect()));
                }
                _ => {}
            }
        }
    }

    /// Whether there was no earlier discussion.
    pub fn is_empty(&self) -> bool {
        *self == Memory::default()
    }

    /// Has a user said or decided most of what a sentence speaks of?
    pub fn has_settled(&self, sentence: &str) -> bool {
        let words = subjects(sentence);
        self.settled.iter().any(|settled| {
            let shared = words.iter().filter(|word| settled.contains(*word)).count();
            shared >= 3 && shared * 3 >= words.len() * 2
        })
    }

    /// How many findings with this quotation were said before? They are in the documents then.
    pub fn times_said(&self, path: &str, quote: &str) -> usize {
        self.said.get(&(path.to_owned(), quote.to_owned())).copied().unwrap_or_default()
    }

    /// Was this question asked before, and did a user speak after it?
    pub fn has_asked(&self, question: &str) -> bool {
        let question = without_lines(question);
        self.framings.iter().any(|text| text.contains(&question))
    }
}

/// A text without the numbers of lines, which move with each addition.
fn without_lines(text: &str) -> String {
    let mut parts = text.split(", line ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENING: &str = r#"{"kind":"contribution","at":"2026-02-20T14:30:00Z","turn":1,"by":"business-analyst","purpose":"framing","text":"How long (spec.md, line 3)? Alex?","rests":[{"path":"spec.md","line":3,"quote":"as soon as possible"}]}"#;
    const ANSWER: &str = r#"{"kind":"user","at":"2026-02-20T14:31:00Z","turn":4,"by":"User","text":"Two days.","class":"default","to":[]}"#;

    const SYNTHESIS: &str = r#"{"kind":"synthesis","at":"2026-02-20T14:31:00Z","insights":[{"text":"Synced inspections leave the tablet after 14 days.","by":["User"],"turns":[4],"rests":[]}],"decisions":[],"open_questions":[],"action_items":[],"additions":[],"summary":""}"#;

    fn log(lines: &[&str]) -> Vec<Record> {
        lines.iter().map(|line| Record::from_line(line).unwrap()).collect()
    }

    #[test]
    fn a_question_is_answered_when_a_user_spoke_after_it() {
        assert!(!Memory::of(&[log(&[OPENING])]).has_asked("How long (spec.md, line 3)?"));
        let answered = Memory::of(&[log(&[OPENING, ANSWER])]);
        assert!(answered.has_asked("How long (spec.md, line 41)?") && !answered.has_asked("How often?"));
    }

    #[test]
    fn what_a_user_said_is_no_open_point() {
        let memory = Memory::of(&[log(&[SYNTHESIS])]);
        assert!(memory.has_settled("FR-009: Synced inspections leave the tablet after TBD days."));
        assert!(!memory.has_settled("Synced photos are kept for TBD days."));
    }
}
