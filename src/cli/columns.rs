//! Rows of cells as lines of text, and text that fits the terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Between two columns.
const GAP: usize = 2;

/// The lines of a table, each column as wide as what is in it.
pub fn lines(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..count).map(|at| width(at).unwrap_or(0) + GAP).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let padded = cells.map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.width())));
        padded.collect::<String>().trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A text of at most so many columns; what is too long loses its end.
pub fn end_cut(text: &str, room: usize) -> String {
    if text.width() <= room { text.to_owned() } else { format!("{}…", head(text, room.saturating_sub(1))) }
}

/// A text in lines of at most so many columns, broken between words; the first line begins after `used` columns. Lines
/// that fit stay as they are, and what continues a line is set in as far as it is.
pub fn wrapped(text: &str, used: usize, width: usize) -> String {
    let mut lines = Vec::new();
    let mut used = used;
    for line in text.split('\n') {
        let indent = &line[..line.len() - line.trim_start().len()];
        let (mut out, mut at) = (String::new(), used);
        for word in line.split_inclusive(' ') {
            let is_first = out.is_empty() && at == used;
            if !is_first && at + word.trim_end().width() > width {
                let full = std::mem::replace(&mut out, indent.to_owned());
                lines.push(full.trim_end().to_owned());
                at = indent.width();
            }
            out.push_str(word);
            at += word.width();
        }
        lines.push(out);
        used = 0;
    }
    lines.join("\n")
}

/// The beginning of a text, of at most so many columns.
fn head(text: &str, room: usize) -> String {
    let mut width = 0;
    let fits = |found: &char| {
        width += found.width().unwrap_or(0);
        width <= room
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(cells: &[[&str; 3]]) -> Vec<Vec<String>> {
        cells.iter().map(|row| row.map(str::to_owned).to_vec()).collect()
    }

    #[test]
    fn columns_stand_below_each_other_whatever_signs_are_in_them() {
        let rows =
            rows(&[["docs/日本語", "raw", "1 step"], ["docs/é🙂", "partial", "2 steps"], ["x", "raw", ""]]);
        assert_eq!(
            lines(&rows),
            ["docs/日本語  raw      1 step", "docs/é🙂     partial  2 steps", "x            raw"]
        );
    }

    #[test]
    fn a_text_is_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 4, 9), "one\ntwo three");
        assert_eq!(wrapped("one two\n  three four", 0, 9), "one two\n  three\n  four");
        assert_eq!(wrapped("abcdefghijkl mno", 3, 6), "abcdefghijkl\nmno");
        assert_eq!(wrapped("短い 文", 0, 5), "短い\n文");
        assert_eq!(wrapped("", 0, 0), "");
    }

    #[test]
    fn what_is_too_long_loses_its_end() {
        assert_eq!((end_cut("日本語", 5).as_str(), end_cut("日本", 5).as_str()), ("日本…", "日本"));
        assert!(lines(&[]).is_empty());
    }
}
