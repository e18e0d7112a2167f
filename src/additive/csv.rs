//! The record rule for CSV (G-S7): the first record is unchanged, the old records follow in order with
//! equal cells, read as RFC 4180 says, and every new record has as many cells as the first. Rows may be
//! added between rows, since no row changes by it.
//!
//! The delimiter is the header's: a comma, else a semicolon, else a tab.

use std::collections::HashMap;

use csv::{ByteRecord, ReaderBuilder};

use super::{Finding, Kind, quoted};

/// What the new records lose of the old ones; the lines were compared before.
pub fn losses(before: &[u8], after: &[u8]) -> Vec<Finding> {
    let delimiter = delimiter(if before.trim_ascii().is_empty() { after } else { before });
    let (mut old, mut new) = (Records::of(before, delimiter), Records::of(after, delimiter));
    let header = match (old.next().cloned(), new.next().cloned()) {
        (None, None) => return Vec::new(),
        (None, Some(header)) => header,
        // A blank line above the header is a record to many readers.
        (Some(first), header)
            if header.as_ref() != Some(&first) || begins_blank(after) && !begins_blank(before) =>
        {
            return vec![found(Kind::CsvHeader, &first, "the first record is not what it was".to_owned())];
        }
        (Some(first), _) => first,
    };
    let mut added = Added { columns: header.len(), last: None, wrong: None };
    while let Some(record) = old.next() {
        loop {
            match new.next() {
                Some(image) if image == record => break,
                Some(image) => added.take(image),
                None => {
                    let cells: Vec<_> = record.iter().map(String::from_utf8_lossy).collect();
                    let message = format!(
                        "the record \"{}\" does not read as it did: a quotation mark before it may be open",
                        quoted(&cells.join(", "))
                    );
                    return vec![found(Kind::LineLost, record, message)];
                }
            }
        }
    }
    while let Some(record) = new.next() {
        added.take(record);
    }
    added.ragged(after, delimiter)
}

/// What is wrong with the form of new records: each has as many cells as the new header or, where that is the
/// old one, and no quotation mark is left open.
pub(super) fn ragged(before: &[u8], after: &[u8]) -> Vec<Finding> {
    let delimiter = delimiter(if before.trim_ascii().is_empty() { after } else { before });
    let mut known: HashMap<Vec<Vec<u8>>, usize> = HashMap::new();
    let mut old = Records::of(before, delimiter);
    while let Some(record) = old.next() {
        *known.entry(cells_of(record)).or_default() += 1;
    }
    let mut new = Records::of(after, delimiter);
    let Some(header) = new.next().cloned() else { return Vec::new() };
    let old_columns = Records::of(before, delimiter).next().map_or(header.len(), ByteRecord::len);
    let mut added = Added { columns: header.len(), last: None, wrong: None };
    while let Some(record) = new.next() {
        match known.get_mut(&cells_of(record)).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            // An old record may be as short as it was, and one that was filled in as short as its header.
            None if record.len() == old_columns => added.last = Some(line(record)),
            None => added.take(record),
        }
    }
    added.ragged(after, delimiter)
}

fn cells_of(record: &ByteRecord) -> Vec<Vec<u8>> {
    record.iter().map(<[u8]>::to_vec).collect()
}

/// Records that are new.
struct Added {
    columns: usize,
    /// The line of the last one.
    last: Option<usize>,
    /// The cells and the line of the first that has too many or too few.
    wrong: Option<(usize, usize)>,
}

impl Added {
    fn take(&mut self, record: &ByteRecord) {
        self.last = Some(line(record));
        if record.len() != self.columns && self.wrong.is_none() {
            self.wrong = Some((record.len(), line(record)));
        }
    }

    /// New records that do not have a cell for each column.
    fn ragged(&self, after: &[u8], delimiter: u8) -> Vec<Finding> {
        let Some(last) = self.last else { return Vec::new() };
        let (message, line) = match self.wrong {
            _ if is_open(after, delimiter) => ("a quotation mark is left open".to_owned(), last),
            Some((1, line)) => (format!("a new record has 1 cell, and the first one {}", self.columns), line),
            Some((cells, line)) => {
                (format!("a new record has {cells} cells, and the first one {}", self.columns), line)
            }
            None => return Vec::new(),
        };
        vec![Finding::new(Kind::CsvRagged, 1, message).head(line)]
    }
}

fn begins_blank(text: &[u8]) -> bool {
    matches!(bare(text).first(), Some(b'\n' | b'\r'))
}

fn found(code: Kind, record: &ByteRecord, message: String) -> Finding {
    Finding::new(code, line(record), message)
}

fn line(record: &ByteRecord) -> usize {
    record.position().map_or(1, csv::Position::line) as usize
}

/// The sign between the cells of the header.
pub(super) fn delimiter(text: &[u8]) -> u8 {
    let header = text.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let header = header.unwrap_or_default();
    [b',', b';', b'\t'].into_iter().find(|sign| header.contains(sign)).unwrap_or(b',')
}

/// Whether a text ends inside of quotation marks: then a record after it is none.
fn is_open(text: &[u8], delimiter: u8) -> bool {
    let more = [bare(text), b"\nx\n"].concat();
    let mut records = Records::of(&more, delimiter);
    let mut is_whole = false;
    while let Some(record) = records.next() {
        is_whole = record.len() == 1 && record.get(0) == Some(b"x");
    }
    !is_whole
}

/// A text without its byte order mark.
fn bare(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// The records of a text, one after the other.
struct Records<'t> {
    reader: csv::Reader<&'t [u8]>,
    record: ByteRecord,
}

impl<'t> Records<'t> {
    fn of(text: &'t [u8], delimiter: u8) -> Records<'t> {
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter);
        Records { reader: builder.from_reader(bare(text)), record: ByteRecord::new() }
    }

    fn next(&mut self) -> Option<&ByteRecord> {
        // Reading from memory, with any number of cells, has no way to fail.
        self.reader.read_byte_record(&mut self.record).is_ok_and(|read| read).then_some(&self.record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(before: &str, after: &str) -> Vec<Kind> {
        losses(before.as_bytes(), after.as_bytes()).into_iter().map(|found| found.kind).collect()
    }

    #[test]
    fn records_stay_and_rows_are_added() {
        assert!(codes("id,x\n1,a\n", "id,x\n1,a\n2,b\n").is_empty());
        assert!(codes("id,x\n1,a\n2,b", "id,x\n1,a\n3,c\n2,b\n").is_empty());
        assert!(codes("", "id\n").is_empty());
        assert!(codes("id;x\n1;a, b\n", "id;x\n1;a, b\n2;c\n").is_empty());
        assert!(codes("id\tx\n", "id\tx\n2\tc, d; e\n").is_empty());
        // An old record may be what it is.
        assert!(codes("id,x\n1\n", "id,x\n1\n2,b\n").is_empty());
        assert_eq!(codes("id,x\n", "id,x\n1\n"), [Kind::CsvRagged]);
        assert_eq!(codes("id,x\n", "id,x\n1,2,3\n"), [Kind::CsvRagged]);
        assert_eq!(codes("id;x\n", "id;x\n1,2\n"), [Kind::CsvRagged]);
        assert_eq!(codes("id,x\n", "id,x\n1,\"open\n"), [Kind::CsvRagged]);
        assert_eq!(codes("id,x\n1,a\n", "new\nid,x\n1,a\n"), [Kind::CsvHeader]);
        assert_eq!(codes("id,x\n1,a\n", "\nid,x\n1,a\n"), [Kind::CsvHeader]);
    }

    #[test]
    fn a_record_inside_of_quotation_marks_is_lost() {
        let found = losses(b"id,x\n1,a\n2,b\n", b"id,x\n1,a\n3,\"\n2,b\n\"\n");
        assert_eq!((found[0].kind, found[0].line), (Kind::LineLost, 3));
    }
}
