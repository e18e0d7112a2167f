//! A document as an editor has it: its text, and places counted in UTF-16 as LSP counts them.
//!
//! Invariant: a place outside the text is the nearest one inside it, and never in the middle of a character.

use serde_json::{Value, json};

/// A text and the version that the editor gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub text: String,
    pub version: Option<i64>,
}

impl Document {
    /// Takes a change: a range and what replaces it, or the whole text.
    pub fn change(&mut self, change: &Value) {
        let text = change["text"].as_str().unwrap_or_default();
        match (&change["range"]["start"], &change["range"]["end"]) {
            (start @ Value::Object(_), end @ Value::Object(_)) => {
                let (start, end) = (offset(&self.text, start), offset(&self.text, end));
                self.text.replace_range(start.min(end)..end.max(start), text);
            }
            _ => text.clone_into(&mut self.text),
        }
    }
}

/// The byte of a position.
fn offset(text: &str, position: &Value) -> usize {
    let number = |key: &str| position[key].as_u64().map_or(usize::MAX, |number| number as usize);
    let line = number("line");
    let start = match line {
        0 => 0,
        line => match text.match_indices('\n').nth(line - 1) {
            Some((at, _)) => at + 1,
            None => return text.len(),
        },
    };
    let rest = text[start..].split('\n').next().unwrap_or_default();
    let rest = rest.strip_suffix('\r').unwrap_or(rest);
    let (wanted, mut units) = (number("character"), 0);
    for (at, sign) in rest.char_indices() {
        if units >= wanted {
            return start + at;
        }
        units += sign.len_utf16();
    }
    start + rest.len()
}

/// The position of a line and column that count from 1, the column in characters.
pub fn position(lines: &[&str], line: usize, column: usize) -> Value {
    let line = line.saturating_sub(1);
    let text = lines.get(line).copied().unwrap_or_default();
    let character: usize = text.chars().take(column.saturating_sub(1)).map(char::len_utf16).sum();
    json!({"line": line, "character": character})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: (u64, u64), to: (u64, u64)) -> Value {
        let at = |(line, character): (u64, u64)| json!({"line": line, "character": character});
        json!({"start": at(from), "end": at(to)})
    }

    #[test]
    fn changes_are_applied_where_utf_16_says() {
        let mut document = Document { text: "a😀b\r\nzwei\n".to_owned(), version: None };
        document.change(&json!({"range": range((0, 3), (0, 4)), "text": "ü"}));
        assert_eq!(document.text, "a😀ü\r\nzwei\n");
        document.change(&json!({"range": range((1, 0), (9, 0)), "text": "drei"}));
        assert_eq!(document.text, "a😀ü\r\ndrei");
        // In the middle of a pair, after a line's end, and backwards.
        document.change(&json!({"range": range((0, 2), (0, 99)), "text": ""}));
        assert_eq!(document.text, "a😀\r\ndrei");
        document.change(&json!({"range": range((1, 4), (1, 1)), "text": "x"}));
        assert_eq!(document.text, "a😀\r\ndx");
        document.change(&json!({"text": "new"}));
        assert_eq!(document.text, "new");
        document.change(&json!({"range": {"start": 7}, "text": 7}));
        assert_eq!(document.text, "");
    }

    #[test]
    fn columns_become_utf_16() {
        let lines = ["a😀b", "x"];
        assert_eq!(position(&lines, 1, 3), json!({"line": 0, "character": 3}));
        assert_eq!(position(&lines, 9, 9), json!({"line": 8, "character": 0}));
    }
}
