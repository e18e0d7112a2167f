//! The record rule for CSV (S7): the first record is unchanged, the old records follow in order with
//! equal cells, read as RFC 4180 says, and every new record has as many cells as the first. Rows may be
//! added between rows, since no row changes by it.
//!
//! The delimiter is the header's: a comma, else a semicolon, else a tab.

use csv::{ByteRecord, ReaderBuilder};

use super::{Code, Found, Layer, quoted};

/// What the new records lose of the old ones; the lines were compared before.
pub fn losses(before: &[u8], after: &[u8]) -> Vec<Found> {
    let delimiter = delimiter(if before.trim_ascii().is_empty() { after } else { before });
    let (old, new) = (records(before, delimiter), records(after, delimiter));
    let (Some(first), rest) = (old.first(), old.get(1..).unwrap_or_default()) else {
        return new.first().map_or_else(Vec::new, |header| ragged(&new[1..], header.len(), after, delimiter));
    };
    // A blank line above the header is a record to many readers.
    let blank = |text: &[u8]| matches!(bare(text).first(), Some(b'\n' | b'\r'));
    if new.first() != Some(first) || blank(after) && !blank(before) {
        return vec![found(Code::CsvHeader, first, "the first record is not what it was".to_owned())];
    }
    let (mut added, mut kept) = (Vec::new(), new[1..].iter());
    for record in rest {
        loop {
            match kept.next() {
                Some(new) if new == record => break,
                Some(new) => added.push(new.clone()),
                None => {
                    let cells: Vec<_> = record.iter().map(String::from_utf8_lossy).collect();
                    let message = format!(
                        "the record \"{}\" does not read as it did: a quotation mark before it may be open",
                        quoted(&cells.join(", "))
                    );
                    return vec![found(Code::LineLost, record, message)];
                }
            }
        }
    }
    added.extend(kept.cloned());
    if added.is_empty() { Vec::new() } else { ragged(&added, first.len(), after, delimiter) }
}

/// New records that do not have a cell for each column.
fn ragged(added: &[ByteRecord], columns: usize, after: &[u8], delimiter: u8) -> Vec<Found> {
    if is_open(after, delimiter) {
        let message = "a quotation mark is left open".to_owned();
        let line = added.last().map_or(1, line);
        return vec![Found::new(Layer::Data, Code::CsvRagged, 1, message).head(line)];
    }
    let Some(wrong) = added.iter().find(|record| record.len() != columns) else { return Vec::new() };
    let count = |cells: usize| if cells == 1 { "1 cell".to_owned() } else { format!("{cells} cells") };
    let message = format!("a new record has {}, and the first one {}", count(wrong.len()), columns);
    vec![Found::new(Layer::Data, Code::CsvRagged, 1, message).head(line(wrong))]
}

fn found(code: Code, record: &ByteRecord, message: String) -> Found {
    Found::new(Layer::Data, code, line(record), message)
}

fn line(record: &ByteRecord) -> usize {
    record.position().map_or(1, csv::Position::line) as usize
}

/// The sign between the cells of the header.
fn delimiter(text: &[u8]) -> u8 {
    let header = text.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let header = header.unwrap_or_default();
    [b',', b';', b'\t'].into_iter().find(|sign| header.contains(sign)).unwrap_or(b',')
}

/// Whether a text ends inside of quotation marks: then a record after it is none.
fn is_open(text: &[u8], delimiter: u8) -> bool {
    let more = [bare(text), b"\nx\n"].concat();
    let last = records(&more, delimiter).pop();
    last.is_none_or(|last| last.len() != 1 || last.get(0) != Some(b"x"))
}

/// A text without its byte order mark.
fn bare(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

fn records(text: &[u8], delimiter: u8) -> Vec<ByteRecord> {
    let text = bare(text);
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    // Reading from memory, with any number of cells, has no way to fail.
    reader.byte_records().map_while(Result::ok).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(before: &str, after: &str) -> Vec<Code> {
        losses(before.as_bytes(), after.as_bytes()).into_iter().map(|found| found.code).collect()
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
        assert_eq!(codes("id,x\n", "id,x\n1\n"), [Code::CsvRagged]);
        assert_eq!(codes("id,x\n", "id,x\n1,2,3\n"), [Code::CsvRagged]);
        assert_eq!(codes("id;x\n", "id;x\n1,2\n"), [Code::CsvRagged]);
        assert_eq!(codes("id,x\n", "id,x\n1,\"open\n"), [Code::CsvRagged]);
        assert_eq!(codes("id,x\n1,a\n", "new\nid,x\n1,a\n"), [Code::CsvHeader]);
        assert_eq!(codes("id,x\n1,a\n", "\nid,x\n1,a\n"), [Code::CsvHeader]);
    }

    #[test]
    fn a_record_inside_of_quotation_marks_is_lost() {
        let found = losses(b"id,x\n1,a\n2,b\n", b"id,x\n1,a\n3,\"\n2,b\n\"\n");
        assert_eq!((found[0].code, found[0].line), (Code::LineLost, 3));
    }
}
