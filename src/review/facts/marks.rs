//! Exact marks that are all there is in their place, where plain text does not show them: a lone `?`, a mark in a code
//! span (`<<TODO>>`), in a quotation (`> Deadline: TBD`), in a comment or as a link's target.

use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, CODE, Kind, Page};
use super::leaves_nothing_open;
use super::values::{Value, values};

/// The marks, and those of them that no status of a task is called.
pub const MARKS: [&str; 6] = ["TBD", "TBC", "TBA", "TODO", "FIXME", "XXX"];
const UNKNOWN: [&str; 3] = ["TBD", "TBC", "TBA"];

/// What a comment begins with where the text is to come.
const PROMISES: [&str; 6] =
    ["to be added", "to be completed", "to be decided", "to be defined", "to be filled", "to be written"];

pub fn marks_alone(page: &Page<'_>) -> Vec<Hit> {
    if leaves_nothing_open(page) {
        return Vec::new();
    }
    let mut found: Vec<Hit> = Vec::new();
    for block in page.blocks.iter().filter(|block| block.kind != Kind::Item(Some(true))) {
        let is_open = |value: &Value<'_>| {
            is_question_mark(block, value)
                || is_mark_in_code(page, block, value)
                || block.is_quoted && begins_with_mark(value.text)
        };
        let open = values(page, block).into_iter().filter(is_open);
        found.extend(open.map(|value| Hit::at(page.source(value.plain))));
    }
    let to_nowhere = page.links.iter().filter(|link| MARKS.contains(&link.target.as_str()));
    found.extend(to_nowhere.map(|link| Hit::at(link.range.clone())));
    found.extend(page.html.iter().filter_map(|range| mark_in_comment(page, range.clone())).map(Hit::at));
    found
}

/// `| Price | ? |`, `Owner: ?`, `Owner: (?)`, `:question: ?`.
fn is_question_mark(block: &Block, value: &Value<'_>) -> bool {
    let text = value.text.rsplit([' ', '\u{a0}']).next().unwrap_or_default();
    let before = value.text[..value.text.len() - text.len()].trim();
    let is_sign = before.is_empty() || before.starts_with(':') && before.ends_with(':');
    let is_value = match block.kind {
        Kind::Cell(cell) => cell.column > 0,
        Kind::Heading => false,
        Kind::Item(_) | Kind::Paragraph | Kind::Value => !value.label.is_empty(),
    };
    let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    is_value && is_sign && !text.is_empty() && text.chars().all(|sign| sign == '?')
}

fn is_mark_in_code(page: &Page<'_>, block: &Block, value: &Value<'_>) -> bool {
    if value.text.trim_end_matches('.') != CODE.encode_utf8(&mut [0; 3]) {
        return false;
    }
    let code = page.text[page.source(value.plain.clone())].trim_end_matches('.').trim_matches('`').trim();
    let inner = code.trim_start_matches(['<', '[']);
    let marks: &[&str] = match block.kind {
        _ if inner.len() < code.len() => return begins_with_mark(inner.trim_end_matches(['>', ']'])),
        Kind::Paragraph if value.label.is_empty() => &MARKS,
        Kind::Item(_) if value.label.is_empty() => &[],
        _ => &UNKNOWN,
    };
    marks.contains(&code)
}

/// A mark and the end, or what it is about: `TBD (in May)`, `TODO: write`.
fn begins_with_mark(text: &str) -> bool {
    let rest = MARKS.iter().find_map(|mark| text.strip_prefix(mark));
    rest.is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.is_empty() || rest.starts_with([':', '(', '.', ',', ';', '–', '—', '-'])
    })
}

/// A comment, or a line of one, that begins with a mark: `<!-- TODO: draw it -->`.
fn mark_in_comment(page: &Page<'_>, range: Range<usize>) -> Option<Range<usize>> {
    let text = &page.text[range.clone()];
    let inner = text.trim_start().trim_start_matches("<!--").trim_start_matches([' ', '-', '*', '\t']);
    let start = range.start + text.len() - inner.len();
    let inner = inner.split("-->").next().unwrap_or_default().trim_end();
    let around =
        page.block_before(start).map(|at| &page.blocks[at]).filter(|block| block.range.contains(&start));
    // `TBD <!-- TODO -->`
    let is_said = around.is_some_and(|block| MARKS.iter().any(|mark| page.text_of(block).contains(mark)));
    let is_open =
        begins_with_mark(inner) || PROMISES.iter().any(|words| inner.to_lowercase().starts_with(words));
    (is_open && !is_said).then_some(start..start + inner.len())
}
