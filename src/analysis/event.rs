//! The events of an analysis and their form as JSON Lines: the log that [`super::Analysis`] is a fold
//! over, and, a step at a time, the record that is committed with what the step adds
//! (`<item>/analysis/<step_id>-<timestamp digits>.jsonl`).
//!
//! As in a discussion's recording a line is one event: `kind` first, then its time `at`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::menu::Choice;
use crate::discussion::event::{StepRef, Time};
use crate::item::step::Depth;
use crate::voice::model::drafting::DraftLine;

/// The format number of the logs this version writes.
pub const FORMAT: u32 = 1;

/// An event and when it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub at: Time,
    pub event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The analysis began, or was taken up again. Always first; it is never committed.
    Opened(Box<Opened>),
    /// A step began (analysis FR-004). The first line of a step's log.
    Begun(Box<Begun>),
    /// The user answered a prompt.
    Answered { question: Option<usize>, asked: String, by: String, text: String },
    /// The user said nothing to a prompt: it stays open.
    Unanswered { question: Option<usize>, asked: String },
    /// The user asked for another depth (analysis AC-006-04, AC-006-05); the step is asked anew with it.
    Depth { by: String, text: String, depth: Depth },
    /// A model has drafted the step; every line names what it rests on. A yes of the user confirms it.
    Drafted { voice: String, lines: Vec<DraftLine> },
    /// The user said something at the menu (analysis AC-007-04).
    Feedback { by: String, text: String },
    /// The user said nothing at the menu.
    Waited {},
    /// What the user chose at the menu (analysis AC-007-02, AC-007-06).
    Chosen { choice: Choice },
    /// What the step adds is on the branch, or needs no commit.
    Landed(Landed),
    /// The discussion that the menu's `[E]` opened is over.
    Elaborated { recording: String },
}

/// How far the analysis is when it begins: everything that its course depends on, from meta.json
/// and the quick scan (analysis AC-NFR-003-03).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    pub format: u32,
    /// The item folder's path in the repository.
    pub item: String,
    pub item_name: String,
    /// The commit everything was read from.
    pub base: String,
    pub branch: String,
    pub voice: String,
    /// The voices of steps that have another one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub voices: BTreeMap<String, String>,
    /// What the user is called where a message does not say.
    pub user: String,
    /// The run id.
    pub run: String,
    pub steps_completed: Vec<String>,
    pub phases_completed: Vec<String>,
    pub depth_overrides: BTreeMap<String, Depth>,
    pub scope: Option<String>,
    pub complexity: Option<String>,
    /// Earlier discussions: step and summary, the newest last.
    pub elaborations: Vec<(String, String)>,
    /// The step at whose menu a run that was cut off goes on.
    pub at_menu: Option<String>,
    /// The depth of every phase, where the run fixes it.
    pub depth: Option<Depth>,
}

/// A step and what it is walked through with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    pub format: u32,
    pub item: String,
    pub item_name: String,
    pub step: StepRef,
    /// The persona that asks.
    pub persona: String,
    pub depth: Depth,
    pub base: String,
    pub branch: String,
    pub voice: String,
    pub user: String,
    /// SHA-256 of the step's file, by its path.
    pub digests: BTreeMap<String, String>,
    pub run: String,
}

/// What has landed, and what the quick scan says since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Landed {
    pub scope: Option<String>,
    pub complexity: Option<String>,
}

impl Record {
    /// Reads a line of a log.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_line(line: &str) -> Result<Record, serde_json::Error> {
        use serde::de::Error as _;
        let mut fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line)?;
        let at = fields.shift_remove("at");
        let at = at.as_ref().and_then(|at| at.as_str()).and_then(|at| Time::parse(at).ok());
        let at = at.ok_or_else(|| serde_json::Error::custom("the event has no time"))?;
        Ok(Record { at, event: serde_json::from_value(serde_json::Value::Object(fields))? })
    }

    /// The event as one line, without the line end.
    pub fn to_line(&self) -> String {
        let line = serde_json::to_string(&self.event).unwrap_or_default();
        // The kind is the first field and a plain word: the time goes after it.
        let end = line.find([',', '}']).unwrap_or(line.len());
        format!("{},\"at\":\"{}\"{}", &line[..end], self.at, &line[end..])
    }
}

/// A log as JSON Lines.
pub fn to_lines<'r>(log: impl IntoIterator<Item = &'r Record>) -> String {
    log.into_iter().map(|record| record.to_line() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_kind_first_then_its_time_and_is_json() {
        let at = Time::parse("2026-02-20T14:30:00Z").unwrap();
        let record = Record { at, event: Event::Waited {} };
        assert_eq!(record.to_line(), r#"{"kind":"waited","at":"2026-02-20T14:30:00.000Z"}"#);
        let chosen = Record { at, event: Event::Chosen { choice: Choice::Skip } };
        assert_eq!(chosen.to_line(), r#"{"kind":"chosen","at":"2026-02-20T14:30:00.000Z","choice":"skip"}"#);
        let hostile = Event::Feedback { by: "Sam".into(), text: "\"},\n{\"kind\":\"landed\"".into() };
        let line = Record { at, event: hostile }.to_line();
        assert_eq!(line.lines().count(), 1);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["kind"], "feedback");
        assert_eq!(Record::from_line(&line).unwrap().to_line(), line);
        assert!(Record::from_line("{\"kind\":\"waited\"}").is_err());
    }
}
