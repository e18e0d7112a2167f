//! The events of one discussion and their form as JSON Lines (R-1).
//!
//! A line is one event: `kind` first, then its time `at`, then the fields in the order they have
//! below. The log holds everything the outcome depends on, and no secret.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::additions::Proposal;
use super::points::Points;
use super::summary::Summary;
pub use crate::item::Author;
use crate::item::Begin;
use crate::item::step::Step;
use crate::text::finding::Finding;
pub use crate::text::time::Time;
use crate::text::wording;

/// The format number of the recordings this version writes and reads.
pub const FORMAT: u32 = 3;

/// The name of the built-in voice in recordings. It speaks by rules, and speaks where another voice fails.
pub const SECRETARY: &str = "secretary";

/// The name of the voice whose lines come from outside, by the Model Context Protocol.
pub const AGENT: &str = "agent";

/// An event and when it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub at: Time,
    pub event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The discussion began (D-2). Always first.
    Opened(Box<Opened>),
    /// What a reader found open, before the first turn.
    Points(Points),
    /// A persona spoke.
    Contribution(Contribution),
    /// The user wrote something.
    User(Message),
    /// A message of the user that came after the turn limit or after an exit: kept, not discussed.
    Unheard(Unheard),
    /// The user said nothing.
    Silence {},
    /// The run is over, and the discussion waits for its user: the end of a recording that stays
    /// open.
    Paused(Paused),
    /// Another run goes on with a discussion that waited for its user.
    Resumed(Resumed),
    /// The lead said something that is no turn.
    Notice(Notice),
    /// What was wrong with an entry of a drafted synthesis, and what became of it.
    Critique(Critique),
    /// What the talk came to (discussion FR-008).
    Synthesis(Summary),
    /// The discussion is over. Always last.
    Closed(Closed),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    pub format: u32,
    /// The item folder's path in the repository.
    pub item: String,
    pub item_name: String,
    pub step: StepRef,
    /// The lead's persona key.
    pub lead: String,
    pub max_turns: u32,
    /// The commit everything was read from.
    pub base: String,
    /// The item's files as they were read: the blob id of each, by its path below the item folder.
    pub read: BTreeMap<String, String>,
    pub branch: String,
    /// The name of the item's layout.
    pub layout: String,
    /// The main document, where the layout has one: its name within the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    pub voice: String,
    pub model: Option<String>,
    /// What the user is called where a message does not say.
    pub user: String,
    /// SHA-256 of the step, persona, rule and template files used, by path.
    #[serde(with = "shared")]
    pub digests: Arc<BTreeMap<String, String>>,
    pub author: Author,
    /// The run id: a digest of item, step, inputs, configuration, voice and clock.
    pub run: String,
    /// The meta.json of an item that is made together with the discussion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_meta: Option<String>,
    /// The draft.md that is made together with the discussion: the text of an issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// The comments on GitHub that the first run was to hear, by their ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comments: Option<Vec<u64>>,
    /// The discussion stays open between runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays_open: bool,
    /// Messages come one by one: each was written when all before it had been shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_live: bool,
    /// What a model was sent of the repository besides the item's documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Sent>,
}

/// A part of a file that was sent to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// From the repository's root.
    pub path: String,
    pub blob: String,
    /// First and last lines, from one.
    pub lines: Vec<(usize, usize)>,
}

/// What a run of an open discussion ends with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paused {
    pub turn_count: u32,
    /// SHA-256 of every line before this one, as at the end.
    pub digest: String,
}

/// What another run of an open discussion begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resumed {
    /// The commit that this run goes on from, and builds on.
    pub base: String,
    /// The comments that this run heard, by their ids.
    pub comments: Vec<u64>,
}

/// The step under discussion, as far as the outcome depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRef {
    pub id: String,
    pub title: String,
    pub phase: String,
    pub outputs: Vec<String>,
}

impl From<&Step> for StepRef {
    fn from(step: &Step) -> StepRef {
        let Step { id, title, phase, outputs, .. } = step.clone();
        StepRef { id, title, phase, outputs }
    }
}

impl<'a> From<&'a Opened> for Begin<'a> {
    fn from(opened: &'a Opened) -> Begin<'a> {
        Begin { meta: opened.new_meta.as_deref(), draft: opened.draft.as_deref() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contribution {
    pub turn: u32,
    /// The persona's key.
    pub by: String,
    /// The voice that spoke, where it is not the discussion's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voice: Option<String>,
    pub purpose: Purpose,
    /// The words, without the prefix.
    pub text: String,
    /// The passages that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests: Vec<Rest>,
    /// Its passages are only the closest ones to a question, which stays open.
    #[serde(default, rename = "closest", skip_serializing_if = "std::ops::Not::not")]
    pub is_closest: bool,
    /// The review rule that found what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The side it takes, where it takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// The points that it raises, by their places in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<usize>,
    /// What it proposes for a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
    /// Names and quoted wordings of it that no document or file has: it proposes them, or they belong to others' code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
}

/// What a critic or a check found wrong with an entry of a drafted synthesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Critique {
    /// The list of the draft and the entry's place in it, from zero: `insights/0`.
    pub on: String,
    /// What is wrong, with the entry's words.
    pub problem: String,
    pub outcome: Verdict,
}

/// What became of an entry that was criticised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Kept,
    Changed,
    Dropped,
}

impl Verdict {
    /// As recordings and people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Kept => "kept",
            Verdict::Changed => "changed",
            Verdict::Dropped => "dropped",
        }
    }
}

/// A passage that something rests on: where it is, and its exact words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rest {
    /// Within the item folder, else from the repository's root.
    pub path: String,
    /// From one, in the file as it was read.
    pub line: usize,
    pub quote: String,
}

/// A side that a persona takes on something that is to be decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// What is to be decided.
    pub on: String,
    pub favors: String,
    pub because: String,
    /// The key of the colleague who favors something else, or `nobody`; where a voice says neither, the words decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
}

/// Why a persona speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// The lead states the focus question (D-2).
    Framing,
    /// The user's message is for this persona, or for the lead, or for everyone.
    Answer,
    /// Somebody else was asked; this persona has something to add.
    FollowUp,
    /// Everybody's turn: the first round, and a round after silence.
    Round,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// None for an exit without content.
    pub turn: Option<u32>,
    pub by: String,
    pub text: String,
    pub class: Class,
    /// Who must answer, in answering order.
    pub to: Vec<String>,
    /// The comment on GitHub that it was, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<u64>,
}

/// A message that came too late to be discussed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unheard {
    pub by: String,
    pub text: String,
    /// The comment on GitHub that it was, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<u64>,
}

/// What a message of the user is (D-4, D-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    Exit,
    Unclear,
    Direct,
    Group,
    Default,
    OffTopic,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    pub notice: NoticeKind,
    pub by: String,
    pub text: String,
}

/// A line of the lead that is no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    Warning,
    Limit,
    Inactivity,
    Clarification,
    Redirect,
    Disagreement,
    Closing,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    pub exit: Exit,
    pub turn_count: u32,
    /// SHA-256 of every line before this one: what was closed is what is read.
    pub digest: String,
}

/// Why a discussion ended (D-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    UserInitiated,
    TurnLimit,
    Inactivity,
    Budget,
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exit::UserInitiated => "user-initiated",
            Exit::TurnLimit => "turn-limit",
            Exit::Inactivity => "inactivity",
            Exit::Budget => "budget",
        })
    }
}

impl Record {
    /// The event as one line, without the line end.
    pub fn to_line(&self) -> String {
        let mut line = Vec::with_capacity(512);
        self.write_line(&mut line);
        String::from_utf8(line).unwrap_or_default()
    }

    /// Writes the line into a buffer, whose former contents go.
    fn write_line(&self, line: &mut Vec<u8>) {
        line.clear();
        // Writing into memory does not fail.
        let _ = serde_json::to_writer(&mut *line, &self.event);
        // The kind is the first field and a plain word: the time goes after it.
        if let Some(end) = line.iter().position(|byte| matches!(byte, b',' | b'}')) {
            let at = format!(",\"at\":\"{}\"", self.at);
            line.splice(end..end, at.bytes());
        }
    }

    /// Reads one line.
    ///
    /// # Errors
    /// What is wrong with the line, in words.
    pub fn from_line(line: &str) -> Result<Record, String> {
        if let Some(Ok(record)) = Record::from_our_line(line) {
            return Ok(record);
        }
        let said = |error: serde_json::Error| wording::json(&error.to_string()).message;
        let value: Value = serde_json::from_str(line).map_err(said)?;
        let Value::Object(mut fields) = value else { return Err("not an object".to_owned()) };
        let mut take =
            |key: &str| match fields.shift_remove(key) {
                Some(Value::String(text)) => Ok(text),
                _ => Err(if key == "at" { "the event has no time `at`" } else { "the event has no `kind`" }
                    .to_owned()),
            };
        let at = Time::parse(&take("at")?).map_err(|error| error.to_string())?;
        let kind = take("kind")?;
        let event = Event::read(&kind, &Value::Object(fields).to_string()).map_err(said)?;
        Ok(Record { at, event })
    }

    /// Reads a line in the form we write, the short way: no map of its fields is made. None for any other.
    fn from_our_line(line: &str) -> Option<Result<Record, serde_json::Error>> {
        let (kind, rest) = line.strip_prefix("{\"kind\":\"")?.split_once("\",\"at\":\"")?;
        let (at, rest) = rest.split_once('"')?;
        let at = Time::parse(at).ok()?;
        let event = Event::read(kind, &format!("{{{}", rest.strip_prefix(',').unwrap_or(rest)));
        Some(event.map(|event| Record { at, event }))
    }
}

impl Event {
    /// Reads the fields of an event, without its kind and time.
    fn read(kind: &str, fields: &str) -> Result<Event, serde_json::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Nothing {}
        fn read<T: serde::de::DeserializeOwned>(fields: &str) -> Result<T, serde_json::Error> {
            serde_json::from_str(fields)
        }
        Ok(match kind {
            "opened" => Event::Opened(read(fields)?),
            "points" => Event::Points(read(fields)?),
            "contribution" => Event::Contribution(read(fields)?),
            "user" => Event::User(read(fields)?),
            "unheard" => Event::Unheard(read(fields)?),
            "silence" => read(fields).map(|Nothing {}| Event::Silence {})?,
            "paused" => Event::Paused(read(fields)?),
            "resumed" => Event::Resumed(read(fields)?),
            "notice" => Event::Notice(read(fields)?),
            "critique" => Event::Critique(read(fields)?),
            "synthesis" => Event::Synthesis(read(fields)?),
            "closed" => Event::Closed(read(fields)?),
            _ => return Err(serde::de::Error::unknown_variant(kind, &[])),
        })
    }
}

/// A whole log as JSON Lines.
pub fn to_lines(log: &[Record]) -> String {
    log.iter().map(|record| record.to_line() + "\n").collect()
}

/// The digest that the end of a log, or of a run, carries of everything before it.
pub fn digest(log: &[Record]) -> String {
    let before = match log.split_last() {
        Some((Record { event: Event::Closed(_) | Event::Paused(_), .. }, before)) => before,
        _ => log,
    };
    let (mut all, mut line) = (Sha256::new(), Vec::with_capacity(4096));
    for record in before {
        record.write_line(&mut line);
        line.push(b'\n');
        all.update(&line);
    }
    crate::item::library::hex(&all.finalize())
}

/// Reads a recording. Every line must be what this version would write, to the byte.
///
/// # Errors
/// The lines that are not, each with its place.
pub fn from_lines(path: &str, text: &str) -> Result<Vec<Record>, Finding> {
    read(path, text, |_, ours, line| {
        let same = ours.iter().zip(line.bytes()).take_while(|(ours, theirs)| **ours == *theirs).count();
        let column = crate::text::finding::place(line, same).1;
        Err((column, "the line is not in the form recordings are written in".to_owned(), CHANGED))
    })
}

/// A line that says what an event says, in other bytes than it is written in: other blanks, another order of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherForm {
    /// From one.
    pub line: usize,
    /// As it is written.
    pub ours: String,
    pub theirs: String,
}

/// Reads a recording in any form that JSON Lines may have, with the first line whose form is not ours.
///
/// # Errors
/// The lines that are no events, each with its place.
pub fn from_any_lines(path: &str, text: &str) -> Result<(Vec<Record>, Option<OtherForm>), Finding> {
    let mut other = None;
    let log = read(path, text, |line, ours, theirs| {
        let ours = String::from_utf8_lossy(ours).into_owned();
        other.get_or_insert_with(|| OtherForm { line, ours, theirs: theirs.to_owned() });
        Ok(())
    })?;
    Ok((log, other))
}

/// What is wrong with a line: the column, what it is, and what to do.
type Wrong = (usize, String, &'static str);

/// Reads the lines of a recording; `other` is told of each that has another form, with how it is written.
fn read(
    path: &str,
    text: &str,
    mut other: impl FnMut(usize, &[u8], &str) -> Result<(), Wrong>,
) -> Result<Vec<Record>, Finding> {
    let (mut log, mut ours) = (Vec::new(), Vec::with_capacity(4096));
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let read = from_line(line, &mut ours).and_then(|record| {
            let body = line.strip_suffix('\n').unwrap_or(line);
            if ours != body.as_bytes() {
                other(number, &ours, body)?;
            }
            Ok(record)
        });
        match read {
            Ok(record) => log.push(record),
            Err((column, message, hint)) => {
                let finding = Finding::at(path, text, number, column, message).hint(hint);
                findings.push(crate::text::front_matter::at_key(text, finding));
            }
        }
        // A file that is something else altogether is one finding, not one a line.
        let is_other = number == 1 && !findings.is_empty();
        if is_other || findings.len() >= crate::text::finding::MOST {
            break;
        }
    }
    if log.is_empty() && findings.is_empty() {
        findings.push(Finding::at(path, text, 1, 1, "the recording is empty").hint(NO_RECORDING));
    }
    Finding::all(findings).map_or(Ok(log), Err)
}

const NO_RECORDING: &str = "name a recording, such as <item>/elaborations/01-03-….jsonl";
const CHANGED: &str =
    "a recording is JSON Lines, one event a line, unchanged; `git log` of the file says who changed it";

/// One line with its line end; `ours` gets it as it is written.
fn from_line(line: &str, ours: &mut Vec<u8>) -> Result<Record, Wrong> {
    let body = line.strip_suffix('\n').ok_or_else(|| {
        (line.chars().count(), "the last line has no line end: the file may be cut off".to_owned(), CHANGED)
    })?;
    if !body.starts_with('{') {
        return Err((1, "this is not an event of a recording".to_owned(), NO_RECORDING));
    }
    if let Some(format) = other_format(body) {
        let message = format!("the recording has format {format}; this version reads format {FORMAT}");
        return Err((1, message, "hold the discussion again from its script"));
    }
    let record = Record::from_line(body).map_err(|message| {
        let column = serde_json::from_str::<Value>(body).err().map_or(1, |error| error.column().max(1));
        let hint = if body.starts_with("{\"kind\"") { CHANGED } else { NO_RECORDING };
        (column, message, hint)
    })?;
    record.write_line(ours);
    Ok(record)
}

/// The format number of an opening that has another one than ours.
fn other_format(line: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Opening {
        kind: String,
        format: u64,
    }
    let is_opening = line.get(..24).is_some_and(|begin| begin.contains("opened"));
    let opening: Opening = is_opening.then(|| serde_json::from_str(line).ok()).flatten()?;
    (opening.kind == "opened" && opening.format != u64::from(FORMAT)).then_some(opening.format)
}

/// Values that an opening and its copies have in common: a discussion is copied more often than it is read.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, to: S) -> Result<S::Ok, S::Error> {
        value.as_ref().serialize(to)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Arc<T>, D::Error> {
        T::deserialize(from).map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_kind_first_then_its_time() {
        let at = Time::parse("2026-02-20T15:30:00+01:00").unwrap();
        let record = Record { at, event: Event::Silence {} };
        assert_eq!(record.to_line(), r#"{"kind":"silence","at":"2026-02-20T14:30:00.000Z"}"#);
        assert_eq!(Record::from_line(&record.to_line()).unwrap(), record);
        assert_eq!(at.digits(), "20260220T143000000Z");
    }

    #[test]
    fn numbers_and_absent_turns_survive_the_round_trip() {
        let message = Message {
            turn: None,
            by: "Sam".into(),
            text: "done".into(),
            class: Class::Exit,
            to: vec![],
            comment: None,
        };
        let record = Record { at: Time::parse("2026-01-01T00:00:00Z").unwrap(), event: Event::User(message) };
        let line = record.to_line();
        assert!(line.contains(r#""turn":null"#), "{line}");
        assert_eq!(Record::from_line(&line).unwrap(), record);
    }

    #[test]
    fn what_is_not_a_recording_is_refused_with_its_line() {
        for (text, wanted) in [
            ("", "empty"),
            ("{}\n", "no time"),
            ("{\"kind\":\"silence\",\"at\":\"2026-02-20T14:30:00.000Z\"}", "line end"),
            ("{\"kind\": \"silence\",\"at\":\"2026-02-20T14:30:00.000Z\"}\n", "form"),
            ("{\"kind\":\"silence\",\"at\":\"2026-02-20T14:30:00.000Z\",\"x\":1}\n", "unknown key"),
            ("{\"kind\":\"opened\",\"at\":\"2026-02-20T14:30:00.000Z\",\"format\":1}\n", "has format 1"),
            ("{\"kind\":\"other\",\"at\":\"2026-02-20T14:30:00.000Z\"}\n", "unknown word"),
        ] {
            let refused = from_lines("r.jsonl", text).unwrap_err();
            assert!(refused.to_string().contains(wanted), "{text}: {refused}");
        }
    }
}
