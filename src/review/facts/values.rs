//! What a document has in one place: a cell, a line, what follows its label, the name in a heading.
//!
//! `**Owner**: [Name]` is the value `[Name]` with the label `Owner`; of `# Plan: [FEATURE]` it is `[FEATURE]`.

use std::ops::Range;

use super::super::page::{Block, Kind, Page};
use super::marks::MARKS;

/// Words of a label; what is longer is a sentence with a colon.
const MAX_LABEL_WORDS: usize = 6;

/// A text that has a place for itself.
#[derive(Clone, Debug)]
pub struct Value<'p> {
    /// What says what belongs here: the words before the colon, a column's header, a key of front matter.
    pub label: &'p str,
    /// Without blanks around it.
    pub text: &'p str,
    /// In the plain text.
    pub plain: Range<usize>,
}

/// The values of a block: all of it, and its lines where it has several. Headers of tables have none.
pub fn values<'p>(page: &'p Page<'_>, block: &Block) -> Vec<Value<'p>> {
    match block.kind {
        Kind::Cell(cell) if cell.row == 0 => Vec::new(),
        Kind::Cell(cell) => {
            let header = page.row(cell.table, 0).get(cell.column).map_or("", |block| page.text_of(block));
            vec![trimmed(page, header.trim(), block.plain.clone())]
        }
        Kind::Heading => of_heading(page, block),
        Kind::Value => vec![trimmed(page, key_of(page, block), block.plain.clone())],
        Kind::Item(_) | Kind::Paragraph => of_text(page, block),
    }
}

fn trimmed<'p>(page: &'p Page<'_>, label: &'p str, plain: Range<usize>) -> Value<'p> {
    let all = &page.plain[plain.clone()];
    let text = all.trim();
    let start = plain.start + all.len() - all.trim_start().len();
    Value { label, text, plain: start..start + text.len() }
}

/// All of the heading, and what follows its last `: ` or ` - ` or is in `<…>` at its end, without a remark in brackets after
/// it.
fn of_heading<'p>(page: &'p Page<'_>, block: &Block) -> Vec<Value<'p>> {
    let text = page.text_of(block).trim_end();
    let end = if text.ends_with(')') { text.rfind(" (").unwrap_or(text.len()) } else { text.len() };
    let last = if text[..end].ends_with('>') { text[..end].rfind(" <").map(|at| at + 1) } else { None };
    let name =
        [": ", " - ", " – ", " — "].iter().filter_map(|sign| Some(text[..end].rfind(sign)? + sign.len()));
    let name = last.into_iter().chain(name);
    let whole = block.plain.start..block.plain.start + end;
    let name = name.max().map(|at| trimmed(page, text[..at].trim_end(), whole.start + at..whole.end));
    std::iter::once(trimmed(page, "", whole)).chain(name).collect()
}

fn of_text<'p>(page: &'p Page<'_>, block: &Block) -> Vec<Value<'p>> {
    let lines = page.lines_of(block);
    let mut found = vec![after_label(page, block.plain.clone())];
    let parts: Vec<Range<usize>> = lines.into_iter().flat_map(|line| fields(page, line)).collect();
    if parts.len() > 1 {
        found.extend(parts.into_iter().map(|part| after_label(page, part)));
    }
    found
}

/// `Branch: a | Date: b` is two fields.
fn fields(page: &Page<'_>, line: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = line.start;
    for part in page.plain[line].split(" | ") {
        found.push(start..start + part.len());
        start += part.len() + " | ".len();
    }
    found
}

fn after_label<'p>(page: &'p Page<'_>, plain: Range<usize>) -> Value<'p> {
    let all = &page.plain[plain.clone()];
    let is_label = |label: &str| {
        !label.contains(['[', '{', '(', '"', '.', '?'])
            && label.contains('<') == label.contains('>')
            && !MARKS.contains(&label)
            && (1..=MAX_LABEL_WORDS).contains(&label.split_whitespace().count())
    };
    // Chinese and Japanese have a sign of their own.
    let sign = if all.contains(": ") { ": " } else { "：" };
    match all.split_once(sign).filter(|(label, _)| is_label(label)) {
        Some((label, _)) => trimmed(page, label.trim(), plain.start + label.len() + sign.len()..plain.end),
        None => trimmed(page, "", plain),
    }
}

/// The key of a value of front matter: what its line has before it.
fn key_of<'p>(page: &'p Page<'_>, block: &Block) -> &'p str {
    let before = &page.text[..block.range.start];
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    line.trim().trim_end_matches(['"', '\'']).trim_end().trim_end_matches(':')
}
