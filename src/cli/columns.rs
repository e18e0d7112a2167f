//! Rows of cells as lines of text: columns as wide as what is in them on a terminal, and no
//! wider together than the terminal is.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Between two columns.
const GAP: usize = 2;
/// The first column is not cut below this.
const LEAST: usize = 12;

/// The lines of a table. Where they do not fit in `room` columns of a terminal, the first cell of
/// each row loses its middle, then the line its end. A last cell is not padded.
pub fn lines(rows: &[Vec<String>], room: Option<usize>) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..count)
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or(0))
        .collect();
    let total = widths.iter().sum::<usize>() + GAP * count.saturating_sub(1);
    if let (Some(room), Some(first)) = (room, widths.first_mut()) {
        *first = (*first).saturating_sub(total.saturating_sub(room)).max(LEAST.min(*first));
    }
    rows.iter().map(|row| line(row, &widths, room)).collect()
}

fn line(row: &[String], widths: &[usize], room: Option<usize>) -> String {
    let mut out = String::new();
    for (at, (cell, &width)) in row.iter().zip(widths).enumerate() {
        let shown = if at == 0 { middle_cut(cell, width) } else { cell.clone() };
        out.push_str(&shown);
        if at + 1 < row.len() {
            out.push_str(&" ".repeat(width.saturating_sub(shown.width()) + GAP));
        }
    }
    let out = out.trim_end();
    room.map_or_else(|| out.to_owned(), |room| end_cut(out, room))
}

/// A text of at most so many columns; what is too long loses its middle, since names differ at
/// their ends.
fn middle_cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let front = head(text, room.saturating_sub(1) / 2);
    let reversed: String = text.chars().rev().collect();
    let back: String = head(&reversed, room.saturating_sub(1 + front.width())).chars().rev().collect();
    format!("{front}…{back}")
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
            lines(&rows, None),
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
    fn a_table_fits_the_terminal_and_a_pipe_has_no_width() {
        let rows = rows(&[["docs/requirements/a-rather-long-name-of-an-item", "partial", "3 steps done"]]);
        for room in [30, 40, 60] {
            let lines = lines(&rows, Some(room));
            assert!(lines[0].width() <= room, "{room}: {}", lines[0]);
        }
        assert_eq!(lines(&rows, Some(40)), ["docs/req…-an-item  partial  3 steps done"]);
        assert_eq!(lines(&rows, Some(200)), lines(&rows, None));
        assert_eq!(end_cut("日本語", 5), "日本…");
        assert!(lines(&[], Some(1)).is_empty());
    }
}
