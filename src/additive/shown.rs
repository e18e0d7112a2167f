//! What findings show of the lines they are about: the old line beside the new one, the difference that nobody
//! sees by its name, and how much of a file is left.

use std::borrow::Cow;
use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;

use super::block::Parts;
use super::block::tree::{BlockKind, Tree};
use super::text::{self, Lines, without_end};
use super::{Finding, Format, Kind};

/// Names the other lines that are gone where a single one is told.
pub(super) fn with_gone_too(mut found: Vec<Finding>, before: &[u8], after: &[u8]) -> Vec<Finding> {
    if let [only] = &mut found[..]
        && only.kind == Kind::LineLost
    {
        only.message.push_str(&text::gone_too(before, after, only.line));
    }
    found
}

/// Fills in the old and the new line of findings that have no text of their own, and names a difference that
/// cannot be seen.
pub(super) fn show_lines(findings: &mut [Finding], before: &[u8], after: &[u8]) {
    if findings.is_empty() {
        return;
    }
    let old: Vec<&[u8]> = Lines::of(before).collect();
    let new: Vec<&[u8]> = Lines::of(after).collect();
    let shown = |line: &[u8]| String::from_utf8_lossy(without_end(line)).into_owned();
    for finding in findings {
        let Some(line) = finding.line.checked_sub(1).and_then(|at| old.get(at)) else { continue };
        // What is found in new text alone has no old text.
        if finding.old.is_empty() && !matches!(finding.kind, Kind::RawHtml | Kind::Control) {
            finding.old = shown(line);
        }
        let head = finding.head_line.and_then(|head| new.get(head.checked_sub(1)?));
        if finding.new.is_none() {
            finding.new = head.map(|line| shown(line));
        }
        if finding.kind == Kind::LineLost
            && let Some((twin, what)) = invisible_twin(line, &new)
        {
            finding.message = format!("only {what} of the line \"{}\"", super::quoted(&shown(line)));
            finding.new = Some(shown(new[twin]));
            finding.head_line = Some(twin + 1);
            finding.hint =
                "put the line back byte for byte; an editor or a formatter may have done it".to_owned();
        }
    }
}

/// A new line that looks the same as an old one, and what differs.
fn invisible_twin(line: &[u8], new: &[&[u8]]) -> Option<(usize, &'static str)> {
    let seen = as_seen(line);
    let looks_alike = |other: &&[u8]| **other != *line && as_seen(other) == seen;
    let twin = new.iter().position(looks_alike)?;
    Some((twin, difference(line, new[twin])))
}

/// A line without what nobody sees.
fn as_seen(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').replace(['\u{a0}', '\u{202f}', '\u{2007}'], " ");
    text.trim_end().nfc().collect()
}

/// The difference of two lines that look alike.
fn difference(was: &[u8], is: &[u8]) -> &'static str {
    let mark = "\u{feff}".as_bytes();
    let has_space = |line: &[u8]| {
        ["\u{a0}", "\u{202f}", "\u{2007}"]
            .iter()
            .any(|sign| memchr::memmem::find(line, sign.as_bytes()).is_some())
    };
    match (was.ends_with(b"\r\n"), is.ends_with(b"\r\n")) {
        _ if was.starts_with(mark) != is.starts_with(mark) => "a byte order mark (BOM) changed in front",
        _ if was.ends_with(b"\n") && !is.ends_with(b"\n") && without_end(was) == without_end(is) => {
            "the newline at the end of the file is gone: that"
        }
        (false, true) => "the line end changed, from LF to CRLF, at the end",
        (true, false) => "the line end changed, from CRLF to LF, at the end",
        _ if has_space(was) != has_space(is) => {
            "a space became a no-break space (U+00A0), or the reverse, in"
        }
        _ if without_end(was).trim_ascii_end() == without_end(is).trim_ascii_end() => {
            "blanks at the end changed: trailing spaces or tabs"
        }
        _ => "the Unicode normal form changed",
    }
}

/// The lines of a text that are not blank.
pub(super) fn count_lines(text: &[u8]) -> usize {
    Lines::of(text).filter(|line| !line.trim_ascii().is_empty()).count()
}

/// How many of the old lines that are not blank are kept, and how many there were. Lost are lines that a finding is
/// about and marks such as `---`, if the new text has no such line. A line in code or raw HTML is none that is shown.
pub(super) fn count_kept(
    format: Format,
    findings: &[Finding],
    before: &[u8],
    after: &[u8],
) -> (usize, usize) {
    let lines = count_lines(before);
    if findings.is_empty() {
        return (lines, lines);
    }
    let mut left: HashMap<(bool, Cow<'_, [u8]>), usize> = HashMap::new();
    for (line, is_aside) in Lines::of(after).zip(lines_aside(format, after)) {
        *left.entry((is_aside, line_key(line))).or_default() += 1;
    }
    let mut is_found = vec![false; Lines::of(before).count() + 2];
    let last = is_found.len() - 1;
    for finding in findings {
        // A finding of one line may be the first of many.
        let end =
            if finding.kind == Kind::LineLost || finding.old.is_empty() { last } else { finding.last_line };
        let (start, end) = (finding.line.min(last), end.min(last));
        if let Some(lines) = is_found.get_mut(start..=end) {
            lines.fill(true);
        }
    }
    let mut lost = 0;
    for ((number, line), is_aside) in (1..).zip(Lines::of(before)).zip(lines_aside(format, before)) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let count = left.get_mut(&(is_aside, line_key(line))).filter(|count| **count > 0);
        let is_there = count.map(|count| *count -= 1).is_some();
        lost += usize::from(!is_there && (is_found[number] || is_mark(line)));
    }
    (lines - lost, lines)
}

/// What a line is found again by: a mark is the same however long and padded it is.
fn line_key(line: &[u8]) -> Cow<'_, [u8]> {
    let line = line.trim_ascii();
    if !is_mark(line) {
        return Cow::Borrowed(line);
    }
    let mut signs: Vec<u8> = line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    signs.dedup();
    Cow::Owned(signs)
}

/// Whether a line has no words: a line across, a fence, a table's delimiters, the mark of an alert.
fn is_mark(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_matches(['>', ' ', '\t', '\r', '\n']);
    !text.contains(char::is_alphanumeric) || text.starts_with("[!") && text.ends_with(']')
}

/// For each line whether it is in a block of code or raw HTML.
fn lines_aside(format: Format, text: &[u8]) -> impl Iterator<Item = bool> + use<> {
    let mut is_aside = Vec::new();
    if let (Format::Markdown, Ok(text)) = (format, std::str::from_utf8(text)) {
        let parts = Parts::of(text);
        let (tree, above) = (Tree::parse(parts.body), parts.line(0) - 1);
        let ends: Vec<usize> = memchr::memchr_iter(b'\n', parts.body.as_bytes()).collect();
        let line = |at: usize| above + ends.partition_point(|end| *end < at);
        is_aside = vec![false; above + ends.len() + 1];
        let is_block = |at: &u32| matches!(tree.node(*at).kind, BlockKind::Code | BlockKind::Html);
        for at in (1..tree.nodes.len() as u32).filter(is_block) {
            let start = tree.node(at).start();
            let last = line(start + tree.source(at).len().saturating_sub(1));
            is_aside[line(start)..=last].fill(true);
        }
    }
    is_aside.into_iter().chain(std::iter::repeat(false))
}

#[cfg(test)]
mod tests {
    use crate::additive::{Demand, Rule, compare};

    fn said(path: &str, rule: Rule, before: &str, after: &str) -> String {
        let found = compare(path, &Demand::of(rule), before.as_bytes(), after.as_bytes()).findings;
        found.into_iter().map(|one| one.message).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn lines_that_are_kept_are_counted_as_people_see_them() {
        let list = "# A\n\n---\n\n- one\n- two\n";
        let table = "> [!NOTE]\n> one\n\n| k |\n| --- |\n| v |\n";
        for (before, after, kept) in [
            (list, "", (0, 4)),
            (list, "# A\n\n<!--\n- one\n- two\n-->\n", (1, 4)),
            (list, "# A\n\n---\n\n- one\n", (3, 4)),
            (list, "# A\n\n-----\n\n```\n- one\n- two\n```\n", (2, 4)),
            (list, "# A\n\n---\n\n- two\n- one\n", (4, 4)),
            (table, "", (0, 5)),
            (table, "> [!NOTE]\n> one\n\n|k|\n|-|\n|w|\n", (4, 5)),
            ("```sh\na\nb\n```\n", "```sh\na\n```\n", (3, 4)),
        ] {
            let found = compare("a.md", &Demand::of(Rule::Content), before.as_bytes(), after.as_bytes());
            assert_eq!((found.kept_lines, found.lines), kept, "{after:?}: {:?}", found.findings);
        }
    }

    #[test]
    fn a_difference_that_nobody_sees_is_named() {
        for (path, before, after, wanted) in [
            ("a.md", "at the desk\n", "at the desk", "only the newline at the end of the file is gone"),
            ("a.jsonl", "{}\r\n", "{}", "only the newline at the end of the file is gone"),
            ("a.md", "at the desk\n\nx\n", "at the desk \n\nx\n", "trailing spaces or tabs"),
        ] {
            let message = said(path, Rule::Strict, before, after);
            assert!(message.contains(wanted), "{before:?} -> {after:?}: {message}");
        }
    }
}
