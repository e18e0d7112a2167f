//! The part of a text that is about an id, a section or a name in code: found by indentation and marks alone.
//!
//! Of an id it is the list item, row or paragraph that has it, or the section under its heading; of a name in code its
//! line and what is indented below.
//!
//! ```
//! use roundtable::voice::own_text::{of_id, of_name};
//!
//! let spec = "- FR-1: Photos wait.\n  - 30 seconds at most\n- FR-2: Reports don't.\n";
//! assert_eq!(of_id(spec, "FR-1"), ["- FR-1: Photos wait.\n  - 30 seconds at most\n"]);
//! assert_eq!(of_name("fn send() {\n    retry(3)\n}\n", "send"), ["fn send() {\n    retry(3)\n"]);
//! ```

use std::collections::BTreeSet;

use crate::text::ids::mentioned_ids;

/// Blocks of a text that are looked at for one id or name.
const MOST: usize = 200;

/// The lines of a text, each with its end.
struct TextLines<'t> {
    text: &'t str,
    lines: Vec<&'t str>,
    /// Where each line begins, and the end of the text.
    starts: Vec<usize>,
}

impl<'t> TextLines<'t> {
    fn new(text: &'t str) -> TextLines<'t> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let ends = lines.iter().scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        let starts = [0].into_iter().chain(ends).collect();
        TextLines { text, lines, starts }
    }

    fn slice(&self, first: usize, end: usize) -> &'t str {
        &self.text[self.starts[first]..self.starts[end]]
    }

    /// The first line of the block that a line is in.
    fn begin(&self, at: usize) -> usize {
        let before = self.lines[..=at].iter().rposition(|line| is_blank(line) || begins_block(line));
        before.map_or(0, |first| if is_blank(self.lines[first]) { first + 1 } else { first })
    }

    /// The line after the block that begins at a line.
    fn end(&self, first: usize) -> usize {
        let own = self.lines[first];
        let rest = || (first + 1..self.lines.len()).map(|at| (at, self.lines[at]));
        let end = match heading_level(own) {
            0 => rest().find(|(at, line)| self.ends_block(own, *at, line)),
            level => rest().find(|(_, line)| (1..=level).contains(&heading_level(line))),
        };
        end.map_or(self.lines.len(), |(at, _)| at)
    }

    /// Whether a line comes after the block that another one begins. A list below a paragraph belongs to it.
    fn ends_block(&self, own: &str, at: usize, line: &str) -> bool {
        let is_item = begins_block(own);
        if is_blank(line) {
            let next = self.lines[at..].iter().find(|line| !is_blank(line));
            return !is_item || next.is_none_or(|next| indent(next) <= indent(own));
        }
        heading_level(line) > 0 || is_item && begins_block(line) && indent(line) <= indent(own)
    }

    /// The end of what is indented below a line.
    fn indented_end(&self, first: usize) -> usize {
        let own = indent(self.lines[first]);
        let is_after = |at: &usize| !is_blank(self.lines[*at]) && indent(self.lines[*at]) <= own;
        (first + 1..self.lines.len()).find(is_after).unwrap_or(self.lines.len())
    }
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The number of signs that a heading begins with, 0 of other lines.
fn heading_level(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b'#').count()
}

/// Whether a line begins a list item, a row or a section.
pub fn begins_block(line: &str) -> bool {
    let bare = line.trim_start();
    let after = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after.len() < bare.len() && (after.starts_with(". ") || after.starts_with(") "));
    ["- ", "* ", "+ ", "|", "#"].iter().any(|mark| bare.starts_with(mark)) || is_numbered
}

/// Whether a passage stays within one paragraph, list item or row.
pub fn is_one_block(passage: &str) -> bool {
    passage.lines().skip(1).all(|line| !is_blank(line) && !begins_block(line))
}

/// The blocks that have an id.
pub fn of_id<'t>(text: &'t str, id: &str) -> Vec<&'t str> {
    if !text.contains(id) {
        return Vec::new();
    }
    let lines = TextLines::new(text);
    let has =
        |at: &usize| lines.lines[*at].contains(id) && mentioned_ids(lines.lines[*at]).any(|one| one == id);
    let begins: BTreeSet<usize> = (0..lines.lines.len()).filter(has).map(|at| lines.begin(at)).collect();
    begins.into_iter().take(MOST).map(|first| lines.slice(first, lines.end(first))).collect()
}

/// The sections whose headings begin with a number, each with it: "3" and "4.1".
pub fn numbered_sections(text: &str) -> Vec<(&str, &str)> {
    let lines = TextLines::new(text);
    let number = |line: &'_ str| -> Option<usize> {
        let heading = line.trim_start_matches('#').trim_start();
        let digits = heading.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        (heading_level(line) > 0 && heading[..digits].starts_with(|c: char| c.is_ascii_digit()))
            .then_some(digits)
    };
    let section = |at: usize| {
        let heading = lines.lines[at].trim_start_matches('#').trim_start();
        let digits = number(lines.lines[at])?;
        Some((heading[..digits].trim_end_matches('.'), lines.slice(at, lines.end(at))))
    };
    (0..lines.lines.len()).filter_map(section).collect()
}

/// The lines that have a name as a whole word, each with what is indented below it.
pub fn of_name<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    if !text.contains(name) {
        return Vec::new();
    }
    let lines = TextLines::new(text);
    let has = |at: &usize| has_name(lines.lines[*at], name);
    let found = (0..lines.lines.len()).filter(has).take(MOST);
    found.map(|first| lines.slice(first, lines.indented_end(first))).collect()
}

/// Whether a text has a name in code as a whole word.
pub fn has_name(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Spec\n\n## 2. Limits\n\n- **FR-1**: Photos wait\n  30 seconds.\n\n  Then they go.\n- FR-2: x\n\n\
        FR-3: y\n- below FR-3\n\n| FR-4 | 5 |\n| FR-5 | 6 |\n\n### FR-6\n\na\n\nb\n\n## 10.1 Last\n\nc\n";

    #[test]
    fn a_block_is_an_item_a_row_a_paragraph_or_a_section() {
        for (id, wanted) in [
            ("FR-1", "- **FR-1**: Photos wait\n  30 seconds.\n\n  Then they go.\n"),
            ("FR-2", "- FR-2: x\n"),
            ("FR-4", "| FR-4 | 5 |\n"),
            ("FR-6", "### FR-6\n\na\n\nb\n\n"),
        ] {
            assert_eq!(of_id(SPEC, id), [wanted], "{id}");
        }
        assert_eq!(of_id(SPEC, "FR-3"), ["FR-3: y\n- below FR-3\n", "- below FR-3\n"]);
        assert!(of_id(SPEC, "FR-7").is_empty() && of_id("", "FR-1").is_empty());
    }

    #[test]
    fn sections_have_the_number_of_their_heading() {
        let found = numbered_sections(SPEC);
        assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), ["2", "10.1"]);
        assert_eq!(found[1].1, "## 10.1 Last\n\nc\n");
    }

    #[test]
    fn a_name_has_what_is_indented_below_it() {
        let code = "const MAX = 3;\nfunction send() {\n  retry(MAX);\n\n  end();\n}\nresend();\n";
        assert_eq!(of_name(code, "send"), ["function send() {\n  retry(MAX);\n\n  end();\n"]);
        assert_eq!(of_name(code, "MAX"), ["const MAX = 3;\n", "  retry(MAX);\n\n"]);
    }
}
