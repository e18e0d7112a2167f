//! How a line of a document is cited: by its id or its heading, with the line as it was read.
//!
//! An addition moves the lines below it, so a bare line number is wrong as soon as it is written. A heading and
//! the commit that the text was read at stay right.
//!
//! ```
//! use roundtable::synthesis::cited::{cite, within};
//!
//! let text = "# Fees\n\n## 3. User Journeys\n\n- A reader pays.\n- FR-007: A reader can object.\n";
//! let commit = "53bf0df4a0f1e2d3c4b5a69788796a5b4c3d2e1f";
//! assert_eq!(cite("spec.md", text, 5, commit), "at 3. User Journeys, line 5 of 53bf0df");
//! assert_eq!(cite("spec.md", text, 6, commit), "at FR-007, line 6 of 53bf0df");
//! assert_eq!(within("spec.md", text, 5).as_deref(), Some("3. User Journeys"));
//! ```

use super::outline::Outline;
use super::suffix;

/// An id is looked for in this many lines of data above a line.
const LINES_ABOVE: usize = 60;
/// A heading is cut after this many characters.
const LONGEST: usize = 80;
/// As many digits of a commit as git shows.
const DIGITS: usize = 7;

/// The place of a line (from one) of a text that was read at a commit: `at FR-007, line 72 of 53bf0df`. Where the
/// line has neither an id nor a heading it is `at line 72 of 53bf0df`.
pub fn cite(name: &str, text: &str, line: usize, commit: &str) -> String {
    let commit = commit.get(..DIGITS).unwrap_or(commit);
    match within(name, text, line) {
        Some(place) => format!("at {place}, line {line} of {commit}"),
        None => format!("at line {line} of {commit}"),
    }
}

/// What a line (from one) is part of: the id that it begins with, else the heading that it is under (in data, the
/// nearest `id` above).
pub fn within(name: &str, text: &str, line: usize) -> Option<String> {
    let own = text.lines().nth(line.checked_sub(1)?)?;
    match suffix(name).as_str() {
        "md" | "markdown" => leading_id(own).map(str::to_owned).or_else(|| heading(text, line)),
        "csv" => leading_id(own).map(str::to_owned),
        "json" | "yaml" | "yml" => nearest_id(text, line),
        _ => None,
    }
}

/// The heading of the innermost section of a line, a heading's own line included.
fn heading(text: &str, line: usize) -> Option<String> {
    let end = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    let outline = Outline::new(text);
    let above = outline.headings.partition_point(|heading| heading.start < end);
    let heading = outline.headings.get(above.checked_sub(1)?)?;
    Some(crate::plain::cut(&heading.text, LONGEST)).filter(|text| !text.is_empty())
}

/// The id that labels a line of text, a list, a table or a heading: capital letters, a hyphen and a number, then
/// a sign that ends a label.
fn leading_id(line: &str) -> Option<&str> {
    let is_mark = |c: char| c.is_whitespace() || "-*+#|>[]`_\"'".contains(c);
    let label = line.trim_start_matches(is_mark);
    let end = label.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(label.len());
    let (word, rest) = label.split_at(end);
    let rest = rest.trim_start_matches(['*', '_', '`', ']', '"', ' ']);
    let is_label = rest.is_empty() || rest.starts_with([':', '|', ',', '.', ')', '—', '–', '-']);
    let mut parts = word.split('-');
    let letters = parts.next()?;
    let is_name = (1..=8).contains(&letters.len()) && letters.bytes().all(|byte| byte.is_ascii_uppercase());
    let numbers: Vec<&str> = parts.collect();
    let is_number = |part: &&str| part.bytes().any(|b| b.is_ascii_digit()) && part.len() <= 8;
    let is_id = is_name && !numbers.is_empty() && numbers.iter().all(is_number);
    (is_id && (is_label || line.trim_start().starts_with('#'))).then_some(word)
}

/// The value of the nearest `id` in a line of data or above it.
fn nearest_id(text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().take(line).collect();
    lines.iter().rev().take(LINES_ABOVE).find_map(|line| {
        let (key, value) = line.split_once(':')?;
        let key = key.trim_start_matches(|c: char| c.is_whitespace() || "-{[,".contains(c)).trim_end();
        let is_id = matches!(key.trim_matches('"'), "id" | "story_id" | "requirement_id");
        let value = value.trim().split([',', '}']).next()?.trim().trim_matches(['"', '\'']);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        (is_id && !value.is_empty() && value.len() <= 40 && value.chars().all(is_plain))
            .then(|| value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_part_of_its_id_or_its_heading() {
        let text = "intro\n\n# T\n\n## 2. Rules `x`\n\n- one\n- **FR-001**: two\n| AC-008-03 | three |\n\n```\n# no\n```\n";
        for (line, wanted) in [
            (1, None),
            (3, Some("T")),
            (5, Some("2. Rules x")),
            (7, Some("2. Rules x")),
            (8, Some("FR-001")),
            (9, Some("AC-008-03")),
            (12, Some("2. Rules x")),
            (0, None),
            (99, None),
        ] {
            assert_eq!(within("a.md", text, line).as_deref(), wanted, "{line}");
        }
        assert_eq!(cite("a.md", text, 1, "53bf0df4a0"), "at line 1 of 53bf0df");
    }

    #[test]
    fn data_is_cited_by_the_nearest_id() {
        let json = "{\"stories\": [\n  {\n    \"id\": \"US-001\",\n    \"want\": \"x\"\n  }\n]}\n";
        assert_eq!(cite("a.json", json, 4, "53bf0df4a0"), "at US-001, line 4 of 53bf0df");
        assert_eq!(within("a.json", json, 1), None);
        assert_eq!(within("a.yaml", "- id: R-1\n  text: y\n", 2).as_deref(), Some("R-1"));
        assert_eq!(within("a.csv", "id,text\nFR-002,x\n", 2).as_deref(), Some("FR-002"));
        assert_eq!(within("a.txt", "FR-002", 1), None);
    }

    #[test]
    fn what_only_looks_like_an_id_is_none() {
        for line in ["- UTF-8 is read", "- 2026-02-20", "- X-ray", "- e-mail", "- A-B", "SHA-256 of it", "-"]
        {
            assert_eq!(leading_id(line), None, "{line}");
        }
        assert_eq!(leading_id("### US-003 Offline"), Some("US-003"));
    }
}
