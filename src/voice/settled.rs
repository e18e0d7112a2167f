//! What earlier discussions of an item have asked and decided, so that nothing is asked twice (D-2).
//!
//! Only what is equal counts: the same point of a document, the same question, an id that a decision names.
//!
//! ```
//! use roundtable::voice::settled::Settled;
//!
//! assert!(!Settled::read(&[]).has_asked("Who pays?"));
//! ```

use std::collections::BTreeSet;

use crate::discussion::closing;
use crate::discussion::event::{Class, Contribution, Event, Purpose, Record, Rest};
use crate::text::ids::{ids, leading_id, mentioned_ids};

/// What was put to a user who then spoke, what was found, and which ids were decided on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// The texts of framings.
    framings: Vec<String>,
    /// The points that framings asked about, by path and quotation.
    asked: BTreeSet<(String, String)>,
    /// The findings that were said, by path and quotation.
    found: BTreeSet<(String, String)>,
    decided_ids: BTreeSet<String>,
    /// The questions that discussions have left open, by what tells them from others.
    left_open: BTreeSet<String>,
}

impl Settled {
    /// What is settled in these recordings.
    pub fn read(recordings: &[Vec<Record>]) -> Settled {
        let mut settled = Settled::default();
        recordings.iter().for_each(|log| settled.add(log));
        settled
    }

    fn add(&mut self, log: &[Record]) {
        let mut framing = None;
        for record in log {
            match &record.event {
                Event::Contribution(said) if said.purpose == Purpose::Framing => framing = Some(said),
                Event::Contribution(said) if said.rule.is_some() => self.found.extend(first_rest(said)),
                // Who only asks something back has not answered.
                Event::User(message) if message.class != Class::Exit && !is_question(&message.text) => {
                    if let Some(said) = framing.take() {
                        self.asked.extend(first_rest(said));
                        self.framings.push(said.text.clone());
                    }
                }
                Event::Synthesis(summary) => {
                    let decided = summary.decisions.iter().flat_map(|one| mentioned_ids(&one.text));
                    self.decided_ids.extend(decided.map(str::to_owned));
                    self.left_open.extend(summary.open_questions.iter().map(|one| closing::key(&one.text)));
                }
                _ => {}
            }
        }
    }

    /// Was this point asked before, or does a decision name an id of it?
    pub fn has_settled(&self, point: &Rest) -> bool {
        let own = leading_id(&point.quote).map(|id| &point.quote[id]);
        self.asked.contains(&key(point))
            || ids(&point.quote).chain(own).any(|id| self.decided_ids.contains(id))
    }

    /// Is this a question that an earlier discussion has left open?
    pub fn has_left_open(&self, question: &str) -> bool {
        !self.left_open.is_empty() && self.left_open.contains(&closing::key(question))
    }

    /// Was this finding said before? It is known then.
    pub fn has_found(&self, finding: &Rest) -> bool {
        self.found.contains(&key(finding))
    }

    /// Was this question asked before, and did a user speak after it?
    pub fn has_asked(&self, question: &str) -> bool {
        self.framings.iter().any(|text| text.contains(question))
    }
}

fn is_question(text: &str) -> bool {
    text.trim_end().ends_with(['?', '？', '؟'])
}

fn key(rest: &Rest) -> (String, String) {
    (rest.path.clone(), rest.quote.clone())
}

fn first_rest(said: &Contribution) -> Option<(String, String)> {
    said.rests.first().map(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENING: &str = r#"{"kind":"contribution","at":"2026-02-20T14:30:00Z","turn":1,"by":"business-analyst","purpose":"framing","text":"How long? Alex?","rests":[{"path":"spec.md","line":3,"quote":"It waits as soon as possible."}]}"#;
    const ANSWER: &str = r#"{"kind":"user","at":"2026-02-20T14:31:00Z","turn":4,"by":"User","text":"Two days.","class":"default","to":[]}"#;
    const SYNTHESIS: &str = r#"{"kind":"synthesis","at":"2026-02-20T14:31:00Z","insights":[],"decisions":[{"text":"FR-009 allows 14 days","rationale":"","turns":[4]}],"open_questions":[],"action_items":[],"additions":[],"summary":""}"#;

    fn log(lines: &[&str]) -> Vec<Record> {
        lines.iter().map(|line| Record::from_line(line).unwrap()).collect()
    }

    fn point(quote: &str) -> Rest {
        Rest { path: "spec.md".to_owned(), line: 41, quote: quote.to_owned() }
    }

    #[test]
    fn a_question_is_answered_when_a_user_spoke_after_it() {
        let open = Settled::read(&[log(&[OPENING])]);
        assert!(!open.has_asked("How long?") && !open.has_settled(&point("It waits as soon as possible.")));
        let answered = Settled::read(&[log(&[OPENING, ANSWER])]);
        assert!(answered.has_asked("How long?") && !answered.has_asked("How often?"));
        assert!(answered.has_settled(&point("It waits as soon as possible.")));
        let asked = Settled::read(&[log(&[OPENING, &ANSWER.replace("Two days.", "Why two days?")])]);
        assert!(!asked.has_asked("How long?"));
        assert!(!answered.has_settled(&point("It waits as soon as it can.")));
    }

    #[test]
    fn what_a_decision_names_is_no_open_point() {
        let settled = Settled::read(&[log(&[SYNTHESIS])]);
        assert!(settled.has_settled(&point("FR-009: Reports leave the tablet after TBD days.")));
        assert!(!settled.has_settled(&point("FR-010: Reports leave the tablet after TBD days.")));
    }
}
