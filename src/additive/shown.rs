//! What findings show of the lines they are about: the old line beside the new one, the difference that nobody
//! sees by its name, and how much of a file is left.

use std::borrow::Cow;
use std::collections::HashMap;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization as _;

use super::block::Parts;
use super::block::tree::{BlockKind, Tree};
use super::content::change::common;
use super::text::{self, Lines, without_end};
use super::{Finding, Format, Kind};

/// What a rule finds between an old text and a new one.
type Compare<'c> = &'c dyn Fn(&[u8], &[u8]) -> Vec<Finding>;

/// Findings with one for each line that is lost, and with what is changed beside these: a declaration covers the line
/// that it names and no other.
pub(super) fn one_by_one(
    found: Vec<Finding>,
    (before, after): (&[u8], &[u8]),
    compare: Compare<'_>,
) -> Vec<Finding> {
    let is_line = |finding: &Finding| finding.kind == Kind::LineLost;
    let places = if found.iter().any(is_line) { text::lost_lines(before, after) } else { Vec::new() };
    if places.is_empty() {
        return found;
    }
    let (kept, numbers) = text::without_lines(before, &places);
    let number = |line: usize| numbers.get(line.saturating_sub(1)).copied().unwrap_or(line);
    let beside = compare(&kept, after).into_iter().map(|finding| Finding {
        line: number(finding.line),
        last_line: number(finding.last_line),
        ..finding
    });
    let mut all = text::lost_one_by_one(before, &places);
    for finding in found.into_iter().chain(beside).filter(|one| !is_line(one)) {
        if !all.iter().any(|known| (known.kind, known.line) == (finding.kind, finding.line)) {
            all.push(finding);
        }
    }
    all
}

/// Fills in where the new text would have what it has lost: below the last line above it that both have.
pub(super) fn find_near_lines(findings: &mut [Finding], before: &[u8], after: &[u8]) {
    if !findings.iter().any(|finding| finding.head_line.is_none()) {
        return;
    }
    let (old, new): (Vec<&[u8]>, Vec<&[u8]>) = (Lines::of(before).collect(), Lines::of(after).collect());
    let common = common(&old, &new);
    let places = |is_common: Vec<bool>| (1..).zip(is_common).filter(|(_, is)| *is).map(|(at, _)| at);
    let pairs: Vec<(usize, usize)> = places(common.old).zip(places(common.new)).collect();
    for finding in findings.iter_mut().filter(|finding| finding.head_line.is_none()) {
        let above = pairs.partition_point(|(line, _)| *line < finding.line).checked_sub(1);
        finding.near_line = above.map(|at| pairs[at].1);
    }
}

/// Kinds of findings about a line that may look as it did.
const SHOWN_LINES: [Kind; 3] = [Kind::LineLost, Kind::Scalar, Kind::Opaque];

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
        let twin = Some(finding.kind).filter(|kind| SHOWN_LINES.contains(kind));
        if let Some((twin, what)) = twin.and_then(|_| invisible_twin(line, &new)) {
            let what = match super::quoted(&shown(line)) {
                text if text.is_empty() => format!("only {what} a blank line"),
                text => format!("only {what} the line \"{text}\""),
            };
            finding.message = match finding.kind {
                Kind::LineLost => what,
                _ => format!("{}: {what}", finding.message),
            };
            finding.new = Some(shown(new[twin]));
            finding.head_line = Some(twin + 1);
            finding.hint =
                "put the line back byte for byte; an editor or a formatter may have done it".to_owned();
        }
    }
}

/// A new line that looks the same as an old one, and what differs.
fn invisible_twin(line: &[u8], new: &[&[u8]]) -> Option<(usize, String)> {
    let seen = as_seen(&String::from_utf8_lossy(line));
    let looks_alike = |other: &&[u8]| **other != *line && as_seen(&String::from_utf8_lossy(other)) == seen;
    let twin = new.iter().position(looks_alike)?;
    let what = invisible_difference(&String::from_utf8_lossy(line), &String::from_utf8_lossy(new[twin]));
    Some((twin, what?))
}

/// What differs in two texts that look alike, up to the word before the text; none where people see it.
pub(super) fn invisible_difference(was: &str, is: &str) -> Option<String> {
    if was == is || !looks_alike(was, is) {
        return None;
    }
    let bare = |text: &str| text.trim_end_matches(['\r', '\n']).to_owned();
    let has_space = |text: &str| text.contains(is_hard_space);
    let count = |text: &str, sign: char| text.matches(sign).count();
    let mut hidden = was.chars().chain(is.chars()).filter(|sign| is_hidden(*sign));
    let hidden = hidden.find(|sign| count(was, *sign) != count(is, *sign));
    Some(match (was.ends_with("\r\n"), is.ends_with("\r\n")) {
        _ if was.starts_with(BOM) != is.starts_with(BOM) => {
            "a byte order mark (BOM) changed in front of".to_owned()
        }
        _ if was.ends_with('\n') && !is.ends_with('\n') && bare(was) == bare(is) => {
            "the newline at the end of the file is gone after".to_owned()
        }
        (false, true) => "the line end changed, from LF to CRLF, at the end of".to_owned(),
        (true, false) => "the line end changed, from CRLF to LF, at the end of".to_owned(),
        _ if has_space(was) != has_space(is) => {
            "a space became a no-break space (U+00A0), or the reverse, in".to_owned()
        }
        _ if hidden.is_some() => {
            format!("an invisible character (U+{:04X}) changed in", hidden.map_or(0, u32::from))
        }
        _ if bare(was).trim_end() == bare(is).trim_end() => {
            "blanks at the end changed: trailing spaces or tabs of".to_owned()
        }
        _ if was.split_whitespace().eq(is.split_whitespace()) => "blanks between words changed in".to_owned(),
        _ => "the Unicode normal form changed in".to_owned(),
    })
}

/// Whether people see no difference between two texts.
pub fn looks_alike(was: &str, is: &str) -> bool {
    as_seen(was) == as_seen(is)
}

const BOM: char = '\u{feff}';

const fn is_hard_space(sign: char) -> bool {
    matches!(sign, '\u{a0}' | '\u{202f}' | '\u{2007}')
}

/// Whether a sign has no shape of its own: Unicode's Cf.
fn is_hidden(sign: char) -> bool {
    get_general_category(sign) == GeneralCategory::Format
}

/// A text without what nobody sees. How far it is indented is seen.
fn as_seen(text: &str) -> String {
    let text: String = text.nfc().filter(|sign| !is_hidden(*sign)).collect();
    let indent = text.len() - text.trim_start().len();
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("{}{}", text.get(..indent).filter(|_| !words.is_empty()).unwrap_or_default(), words.join(" "))
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
        let hidden = |sign: &str| format!("at{sign} the desk\n");
        let (zero_width, hyphen, override_) = (hidden("\u{200b}"), hidden("\u{ad}"), hidden("\u{202e}"));
        for (path, before, after, wanted) in [
            (
                "a.md",
                "at the desk\n",
                "at the desk",
                "the newline at the end of the file is gone after the line",
            ),
            ("a.jsonl", "{}\r\n", "{}", "the newline at the end of the file is gone after the line"),
            ("a.md", "at the desk\n\nx\n", "at the desk \n\nx\n", "trailing spaces or tabs of the line"),
            ("a.md", "x\n\ny\n", "x\n \ny\n", "trailing spaces or tabs of a blank line"),
            ("a.md", "at the desk\n", "at  the desk\n", "blanks between words changed in the line"),
            ("a.md", "at the desk\n", "at\u{a0}the desk\n", "(U+00A0), or the reverse, in the line"),
            ("a.md", "at the desk\n", &zero_width, "(U+200B) changed in the line"),
            ("a.md", "at the desk\n", &hyphen, "(U+00AD) changed in the line"),
            ("a.md", "at the desk\n", &override_, "(U+202E) changed in the line"),
            (
                "a.txt",
                "a\nb\n",
                "a\r\nb\r\n",
                "stay as it is: only the line end changed, from LF to CRLF, at",
            ),
            ("a.txt", "a\n", "\u{feff}a\n", "only a byte order mark (BOM) changed in front of the line"),
            ("a.yaml", "a: x y\n", "a: x\u{a0}y\n", "of /a changed: only a space became a no-break space"),
        ] {
            let message = said(path, Rule::Strict, before, after);
            assert!(message.contains(wanted), "{before:?} -> {after:?}: {message}");
        }
        for (path, before, after, wanted) in [
            ("a.md", "at the desk\n", zero_width.as_str(), "only an invisible character (U+200B) changed in"),
            ("a.md", "- at the desk\n", "- at the\u{2060} desk\n", "(U+2060) changed in the list item"),
            ("a.yaml", "a: x y\n", "a: x\u{a0}y\n", "only a space became a no-break space (U+00A0), or"),
            ("a.json", "{\"a\": \"x y\"}", "{\"a\": \"x\u{a0}y\"}", "in the value \"a: x y\""),
            ("a.md", "at the desk\n", "at the gate\n", "\"desk\" became \"gate\""),
        ] {
            let message = said(path, Rule::Content, before, after);
            assert!(message.contains(wanted), "{before:?} -> {after:?}: {message}");
        }
    }
}
