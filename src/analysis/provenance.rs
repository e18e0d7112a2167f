//! From a line of an artifact to the answer that it rests on, by the step logs that are committed with what they
//! explain.
//!
//! An artifact's line is a form or a note, word for word: its parts are looked for in what was said.

use std::borrow::Cow;

use super::drafted::Drafted;
use super::event::{Event, Record};
use crate::discussion::summary::without_end;
use crate::item::MARKERS;
use crate::item::step::listed_as_open;
use crate::minutes::{Forms, decisions_in};
use crate::text::plain;
use crate::text::sentences::sentences;
use crate::text::time::Time;

/// A part of a line with fewer letters and digits explains nothing.
const MIN_SIGNS: usize = 2;

/// The log of one step.
pub struct Log {
    /// The path in the repository.
    pub path: String,
    pub records: Vec<Record>,
}

/// What a line rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin<'l> {
    pub log: &'l str,
    /// The line of the log, from one.
    pub line: usize,
    pub at: Time,
    pub kind: Kind,
    pub step_id: &'l str,
    pub title: &'l str,
    /// The question's number, and its words.
    pub question: Option<usize>,
    pub asked: &'l str,
    /// Who said it, and what; empty for a question that nobody has answered.
    pub by: &'l str,
    pub text: Cow<'l, str>,
}

/// What kind of event a line rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Answer,
    /// Said at the menu.
    Remark,
    /// Asked, and not answered.
    Open,
    /// Drawn together by a model.
    Draft,
}

/// What a user decided in an answer or at the menu of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepDecision {
    pub step_id: String,
    pub by: String,
    pub at: Time,
    pub text: String,
    pub reason: Option<String>,
    /// The message that it is from.
    pub message: String,
}

impl Log {
    /// What was decided in the step, in order.
    pub fn decisions(&self, forms: &Forms) -> Vec<StepDecision> {
        let Some(Event::Begun(begun)) = self.records.first().map(|record| &record.event) else {
            return Vec::new();
        };
        let decided = |record: &Record| {
            let (Event::Answered { by, text: message, .. } | Event::Feedback { by, text: message }) =
                &record.event
            else {
                return Vec::new();
            };
            let decision = |(text, reason)| StepDecision {
                step_id: begun.step.id.clone(),
                by: by.clone(),
                at: record.at,
                text,
                reason,
                message: message.clone(),
            };
            decisions_in(message, forms).into_iter().map(decision).collect()
        };
        self.records.iter().flat_map(decided).collect()
    }

    /// Reads a step's log; lines that are no events are left out.
    pub fn read(path: &str, text: &str) -> Log {
        let records = text.lines().filter_map(|line| Record::from_line(line).ok()).collect();
        Log { path: path.to_owned(), records }
    }

    /// How many questions and menus were answered, and how many questions stayed open.
    pub fn counts(&self) -> (usize, usize) {
        let is_answer = |event: &Event| matches!(event, Event::Answered { .. } | Event::Feedback { .. });
        let count =
            |is: &dyn Fn(&Event) -> bool| self.records.iter().filter(|record| is(&record.event)).count();
        (count(&is_answer), count(&|event| matches!(event, Event::Unanswered { .. })))
    }
}

/// The step and the time of a marker line: `<!-- Analysis: step 01-02, 2026-02-20T14:30:00.000Z -->`.
pub fn marker(line: &str) -> Option<(&str, Time)> {
    let inside = line.trim().trim_start_matches("# ").strip_prefix(MARKERS[1])?;
    let (step, at) = inside.strip_suffix(" -->")?.split_once(", ")?;
    Some((step, Time::parse(at).ok()?))
}

/// The marker that is above a line of a Markdown text, if nothing else was added in between.
pub fn marker_above(text: &str, line: usize) -> Option<(usize, &str, Time)> {
    let above: Vec<&str> = text.lines().take(line).collect();
    for (at, line) in above.iter().enumerate().rev() {
        if line.starts_with(MARKERS[0]) {
            return None;
        }
        if let Some((step, time)) = marker(line) {
            return Some((at + 1, step, time));
        }
    }
    None
}

/// What a line rests on: of the logs whose events hold its words, the one of the marked step first.
pub fn origin<'l>(line: &str, step: Option<&str>, logs: &'l [Log]) -> Option<Origin<'l>> {
    let parts = parts(line);
    let asked = bare(line);
    let mut best: Option<(usize, Origin<'l>)> = None;
    for log in logs {
        let Some(Event::Begun(begun)) = log.records.first().map(|record| &record.event) else { continue };
        for record in &log.records {
            let Some((mut found, words)) = told(record, &asked) else { continue };
            let score: usize = match &found.kind {
                Kind::Open if asked == plain::one_line(found.asked) => asked.len(),
                Kind::Open => 0,
                _ => shared(&parts, &words).max(decided(&record.event, &asked)),
            };
            let score = score * 2 + usize::from(score > 0 && step == Some(&begun.step.id));
            if score > best.as_ref().map_or(0, |(most, _)| *most) {
                found.log = &log.path;
                found.step_id = &begun.step.id;
                found.title = &begun.step.title;
                found.line =
                    log.records.iter().position(|own| std::ptr::eq(own, record)).map_or(1, |at| at + 1);
                best = Some((score, found));
            }
        }
    }
    best.map(|(_, found)| found)
}

/// What an event tells, and its words on one line.
fn told<'l>(record: &'l Record, line: &str) -> Option<(Origin<'l>, String)> {
    let origin = |kind, question, asked, by, text: &'l str| Origin {
        log: "",
        line: 0,
        at: record.at,
        kind,
        step_id: "",
        title: "",
        question,
        asked,
        by,
        text: text.into(),
    };
    let flat = |text: &str| plain::one_line(&plain::clean(text));
    Some(match &record.event {
        Event::Answered { question, asked, by, text } => {
            (origin(Kind::Answer, *question, asked, by, text), format!("{} {}", flat(text), flat(asked)))
        }
        Event::Feedback { by, text } => (origin(Kind::Remark, None, "", by, text), flat(text)),
        Event::Unanswered { question, asked } => {
            (origin(Kind::Open, *question, asked, "", ""), String::new())
        }
        Event::Drafted { voice, lines } => {
            let is_own =
                |words: &String| words.split(". ").any(|part| part.len() > MIN_SIGNS && line.contains(part));
            let words = lines.iter().map(|own| flat(&own.words()));
            let (at, words) = words.enumerate().find(|(_, words)| is_own(words))?;
            let draft = Drafted { voice: voice.clone(), lines: vec![lines[at].clone()], confirmed_by: None };
            let text = draft.shown().concat().into();
            (Origin { text, ..origin(Kind::Draft, None, "", voice, "") }, words)
        }
        _ => return None,
    })
}

/// How many characters of a line's parts were said, where the longest of them was.
fn shared(parts: &[String], words: &str) -> usize {
    let longest = parts.iter().max_by_key(|part| part.len());
    if !longest.is_some_and(|longest| words.contains(longest.as_str())) {
        return 0;
    }
    parts.iter().filter(|part| words.contains(part.as_str())).map(String::len).sum()
}

/// How many characters of a line are a sentence that an answer decides with: such a line names who decided.
fn decided(event: &Event, line: &str) -> usize {
    let (Event::Answered { by, text, .. } | Event::Feedback { by, text }) = event else { return 0 };
    if !line.contains(&format!("({by})")) {
        return 0;
    }
    let text = plain::clean(text);
    let said = text.lines().flat_map(sentences);
    let unlabelled = said.map(|said| said.split_once(": ").map_or(said, |(_, rest)| rest));
    let words = unlabelled.map(|said| plain::one_line(without_end(said.trim())));
    let own = words.filter(|words| words.len() > MIN_SIGNS && line.contains(words.as_str()));
    own.map(|words| words.len()).max().unwrap_or(0)
}

/// A line without our marks: the list's dash, the id in front, the bold of a question.
fn bare(line: &str) -> String {
    let line = listed_as_open(line).map_or(line, |(_, question)| question);
    let text = line.trim().trim_start_matches("- ").replace('\\', "");
    let text = match text.strip_prefix("**").and_then(|rest| rest.split_once("**: ")) {
        Some((_, rest)) => rest.to_owned(),
        None => text,
    };
    plain::one_line(text.trim_matches('*'))
}

/// The words of a line that somebody may have said: the cells of a row, the strings of data, else all of it.
fn parts(line: &str) -> Vec<String> {
    let line = line.trim();
    let strings = || line.split('"').skip(1).step_by(2).map(str::to_owned);
    let mut found: Vec<String> = if line.starts_with('|') {
        line.split('|').map(bare).collect()
    } else if line.ends_with([',', '{', '[']) || line.contains("\": ") || line.contains(": \"") {
        strings().collect()
    } else {
        vec![bare(line)]
    };
    // A row of CSV.
    if found.len() == 1 && line.matches(',').count() > 2 {
        found.extend(line.split(',').map(|cell| cell.trim_matches('"').to_owned()));
    }
    found.retain(|part| part.chars().filter(|c| c.is_alphanumeric()).count() >= MIN_SIGNS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = r#"{"kind":"begun","at":"2026-02-20T14:30:00.000Z","format":1,"item":"docs/a","item_name":"a","step":{"id":"01-05","title":"Quality","phase":"01-requirements","outputs":["nfr-matrix.md"]},"persona":"business-analyst","depth":"standard","base":"b","branch":"roundtable/a","voice":"secretary","user":"Sam","digests":{},"run":"r"}
{"kind":"answered","at":"2026-02-20T14:30:00.000Z","question":1,"asked":"How fast?","by":"Kim","text":"NFR: the sum is shown | target: 2 seconds\nNobody waits."}
{"kind":"unanswered","at":"2026-02-20T14:30:00.000Z","question":2,"asked":"Who pays?"}
{"kind":"feedback","at":"2026-02-20T14:30:00.000Z","by":"Sam","text":"The desk closes at noon."}
"#;

    #[test]
    fn a_line_leads_to_who_said_it_and_to_what_question() {
        let logs = [Log::read("docs/a/analysis/01-05-x.jsonl", LOG)];
        let found = |line: &str| origin(line, None, &logs);
        for (line, kind, by, at) in [
            ("| NFR-001 | the sum is shown | 2 seconds | -- |", Kind::Answer, "Kim", 2),
            ("- **NFR-001**: the sum is shown", Kind::Answer, "Kim", 2),
            ("  \"text\": \"the sum is shown\",", Kind::Answer, "Kim", 2),
            ("Nobody waits.", Kind::Answer, "Kim", 2),
            ("**How fast?**", Kind::Answer, "Kim", 2),
            ("- Step 01-05, question 2: Who pays?", Kind::Open, "", 3),
            ("The desk closes at noon.", Kind::Remark, "Sam", 4),
            ("- Decided 2026-02-20 (Sam): The desk closes at noon", Kind::Remark, "Sam", 4),
            ("- The desk closes at noon (Sam)", Kind::Remark, "Sam", 4),
        ] {
            let found = found(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((found.kind, found.by, found.line), (kind, by, at), "{line}");
            assert_eq!((found.step_id, found.log), ("01-05", logs[0].path.as_str()));
        }
        for line in [
            "The desk closes at noon (Kim)",
            "Six seconds",
            "",
            "## Quality",
            "| --- | --- |",
            "Nobody ever waits.",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn the_marker_above_a_line_names_its_step() {
        let text = "# A\n\n<!-- Analysis: step 01-05, 2026-02-20T14:30:00.000Z -->\n\nx\n<!-- Elaboration: step 01-05, 2026-02-20T14:30:00.000Z -->\ny\n";
        assert_eq!(marker_above(text, 5).map(|(line, step, _)| (line, step)), Some((3, "01-05")));
        assert_eq!((marker_above(text, 2), marker_above(text, 7)), (None, None));
    }
}
