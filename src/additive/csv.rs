//! The record rule for CSV (S7): the first record is unchanged, the old records follow in order with
//! equal cells, read as RFC 4180 says. Rows may stand between rows, since no row changes by it.

use csv::{ByteRecord, ReaderBuilder};

use super::{Code, Found, Layer, quoted};

/// What the new records lose of the old ones; the lines were compared before.
pub fn losses(before: &[u8], after: &[u8]) -> Vec<Found> {
    let (old, new) = (records(before), records(after));
    let (Some(first), rest) = (old.first(), old.get(1..).unwrap_or_default()) else { return Vec::new() };
    let found = |code, record: &ByteRecord, message: String| {
        let line = record.position().map_or(1, csv::Position::line) as usize;
        vec![Found::new(Layer::Data, code, line, message)]
    };
    // A blank line above the header is a record to many readers.
    let blank = |text: &[u8]| matches!(bare(text).first(), Some(b'\n' | b'\r'));
    if new.first() != Some(first) || blank(after) && !blank(before) {
        return found(Code::CsvHeader, first, "the first record is not what it was".to_owned());
    }
    let mut kept = new[1..].iter();
    match rest.iter().find(|record| !kept.any(|new| new == *record)) {
        None => Vec::new(),
        Some(lost) => {
            let cells: Vec<_> = lost.iter().map(String::from_utf8_lossy).collect();
            let message = format!(
                "the record \"{}\" does not read as it did: a quotation mark before it may be open",
                quoted(&cells.join(", "))
            );
            found(Code::LineLost, lost, message)
        }
    }
}

/// A text without its byte order mark.
fn bare(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

fn records(text: &[u8]) -> Vec<ByteRecord> {
    let text = bare(text);
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
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
        assert_eq!(codes("id,x\n1,a\n", "new\nid,x\n1,a\n"), [Code::CsvHeader]);
        assert_eq!(codes("id,x\n1,a\n", "\nid,x\n1,a\n"), [Code::CsvHeader]);
    }

    #[test]
    fn a_record_inside_of_quotation_marks_is_lost() {
        let found = losses(b"id,x\n1,a\n2,b\n", b"id,x\n1,a\n3,\"\n2,b\n\"\n");
        assert_eq!((found[0].code, found[0].line), (Code::LineLost, 3));
    }
}
