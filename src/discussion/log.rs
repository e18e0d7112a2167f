//! A log together with the text it is written as. The text is what a recording holds and what digests are
//! made of; kept beside the events, it is written once, and not at all where it was read.

use std::borrow::Cow;
use std::ops::Deref;

use sha2::{Digest, Sha256};

use super::event::{OtherForm, Record, from_any_lines, from_lines};
use crate::text::finding::Finding;

/// Events in their order, and their lines: always what [`to_lines`](super::event::to_lines) would write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    records: Vec<Record>,
    text: String,
}

/// An event, and the line it is written as, with its end.
#[derive(Clone, Debug)]
pub struct LogLine<'t> {
    record: Record,
    text: Cow<'t, str>,
}

impl Log {
    /// Reads a recording. Every line must be what this version would write, to the byte.
    ///
    /// # Errors
    /// The lines that are not, each with its place.
    pub fn read(path: &str, text: &str) -> Result<Log, Finding> {
        Ok(Log { records: from_lines(path, text)?, text: text.to_owned() })
    }

    /// Reads a recording in any form of its lines, with the first that has another than ours; the text is ours.
    ///
    /// # Errors
    /// The lines that are no events, each with its place.
    pub fn read_any(path: &str, text: &str) -> Result<(Log, Option<OtherForm>), Finding> {
        let (records, other) = from_any_lines(path, text)?;
        let text = if other.is_some() { super::event::to_lines(&records) } else { text.to_owned() };
        Ok((Log { records, text }, other))
    }

    /// All lines, each with its end.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of all lines, in hexadecimal digits.
    pub fn digest(&self) -> String {
        crate::item::library::hex(&Sha256::digest(self.text.as_bytes()))
    }

    /// Its events and its text apart, so that passing them on line by line copies none of them.
    pub fn into_parts(self) -> (Vec<Record>, String) {
        (self.records, self.text)
    }

    /// The lines of a log that are passed on one by one.
    pub fn lines(&self) -> impl Iterator<Item = LogLine<'_>> {
        lines(self.records.iter().cloned(), &self.text)
    }

    pub(super) fn push(&mut self, line: LogLine<'_>) {
        self.text.push_str(&line.text);
        self.records.push(line.record);
    }

    /// Changes events in their places.
    pub(super) fn edit(&mut self, change: impl FnOnce(&mut [Record])) {
        change(&mut self.records);
        self.text = super::event::to_lines(&self.records);
    }
}

/// Events beside the lines they are written as.
pub fn lines(records: impl Iterator<Item = Record>, text: &str) -> impl Iterator<Item = LogLine<'_>> {
    let texts = text.split_inclusive('\n').map(Cow::Borrowed);
    records.zip(texts).map(|(record, text)| LogLine { record, text })
}

impl LogLine<'_> {
    pub fn record(&self) -> &Record {
        &self.record
    }
}

impl From<Record> for LogLine<'_> {
    fn from(record: Record) -> Self {
        let text = record.to_line() + "\n";
        LogLine { record, text: Cow::Owned(text) }
    }
}

impl From<LogLine<'_>> for Log {
    fn from(first: LogLine<'_>) -> Log {
        Log { records: vec![first.record], text: first.text.into_owned() }
    }
}

impl From<&[Record]> for Log {
    fn from(records: &[Record]) -> Log {
        Log::from(records.to_vec())
    }
}

impl From<Vec<Record>> for Log {
    fn from(records: Vec<Record>) -> Log {
        let text = super::event::to_lines(&records);
        Log { records, text }
    }
}

impl Deref for Log {
    type Target = [Record];

    fn deref(&self) -> &[Record] {
        &self.records
    }
}

impl<'l> IntoIterator for &'l Log {
    type Item = &'l Record;
    type IntoIter = std::slice::Iter<'l, Record>;

    fn into_iter(self) -> Self::IntoIter {
        self.records.iter()
    }
}
