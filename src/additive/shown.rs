//! What findings show of the lines they are about: the old line beside the new one, the difference that nobody
//! sees by its name, and how much of a file is left.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;

use super::text::{self, Lines, without_end};
use super::{Finding, Kind};

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

/// How many of the old lines that are not blank are kept, and how many there were: all but those that a
/// finding is about and whose words are nowhere in the new text.
pub(super) fn count_kept(findings: &[Finding], before: &[u8], after: &[u8]) -> (usize, usize) {
    let lines = count_lines(before);
    if findings.is_empty() {
        return (lines, lines);
    }
    let mut left: HashMap<&[u8], usize> = HashMap::new();
    Lines::of(after).for_each(|line| *left.entry(line.trim_ascii()).or_default() += 1);
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
    for (number, line) in (1..).zip(Lines::of(before)) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let count = left.get_mut(line).filter(|count| **count > 0);
        let is_there = count.map(|count| *count -= 1).is_some();
        lost += usize::from(!is_there && is_found[number]);
    }
    (lines - lost, lines)
}

#[cfg(test)]
mod tests {
    use crate::additive::{Demand, Rule, compare};

    fn said(path: &str, rule: Rule, before: &str, after: &str) -> String {
        let found = compare(path, &Demand::of(rule), before.as_bytes(), after.as_bytes()).findings;
        found.into_iter().map(|one| one.message).collect::<Vec<_>>().join("; ")
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
