//! Exact marks that are all there is in their place, where plain text does not show them: a lone `?`, a mark in a code
//! span (`<<TODO>>`), in a quotation (`> Deadline: TBD`), in a comment, or as a link's target or the end of an address.

use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, CODE, Kind, Link, Page};
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
    let to_nowhere = page.links.iter().filter(|link| leads_nowhere(page, link));
    found.extend(to_nowhere.map(|link| Hit::at(link.range.clone())));
    found.extend(page.blocks.iter().flat_map(|block| open_addresses(page, block)).map(Hit::at));
    found.extend(open_definitions(page).into_iter().map(Hit::at));
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

/// `[here](TBD)`, `[TODO the issue]()`, `[#XXXX](https://github.com/kim/bells/pull/XXXX)`.
fn leads_nowhere(page: &Page<'_>, link: &Link) -> bool {
    let text = &page.text[link.range.clone()];
    let is_inline = text.contains(&link.target);
    let says_mark = || MARKS.iter().any(|mark| text.trim_start_matches('[').starts_with(mark));
    match link.target.as_str() {
        "" => text.ends_with("]()") && says_mark(),
        target => MARKS.contains(&target) || is_inline && is_open_address(target),
    }
}

/// Words of plain text that are addresses with a mark at their end, and `#XXX` as all of a value.
fn open_addresses(page: &Page<'_>, block: &Block) -> Vec<Range<usize>> {
    let text = page.text_of(block);
    if block.is_quoted
        || block.kind == Kind::Item(Some(true))
        || !text.contains("TB") && !text.contains("XXX") && !text.contains("/0000")
    {
        return Vec::new();
    }
    let is_around = |sign: char| "()[]<>.,;\"".contains(sign);
    let words = text.split([' ', '\u{a0}']).map(|word| word.trim_matches(is_around));
    let place = |word: &str| {
        let start = block.plain.start + word.as_ptr() as usize - text.as_ptr() as usize;
        start..start + word.len()
    };
    let is_address = |word: &str| word.starts_with("http") && word.contains("://") && is_open_address(word);
    let mut found: Vec<Range<usize>> = words.filter(|word| is_address(word)).map(place).collect();
    let is_number = |value: &Value<'_>| {
        let name = value.text.trim_matches(is_around);
        let number = name.rsplit(['#', '/']).next().unwrap_or_default();
        let before = name[..name.len() - number.len()]
            .trim_start_matches(|sign: char| sign.is_alphanumeric() || "-_./".contains(sign));
        !number.is_empty()
            && !value.label.is_empty()
            && (before == "#" || name.starts_with("pull/") || name.starts_with("issues/"))
            && is_open_end(number)
    };
    found
        .extend(values(page, block).iter().filter(|value| is_number(value)).map(|value| value.plain.clone()));
    found.into_iter().map(|plain| page.source(plain)).collect()
}

/// `[plan]: plan.md#XXXX`
fn open_definitions(page: &Page<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in page.text.split_inclusive('\n') {
        let target =
            line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target.trim());
        if let Some(target) = target.filter(|target| is_open_address(target)) {
            let from = start + target.as_ptr() as usize - line.as_ptr() as usize;
            found.push(from..from + target.len());
        }
        start += line.len();
    }
    found
}

/// The address of something that has no number or name yet: `issues/TBD`, `pull/0000`, `browse/BELL-XXXX`, `plan.md#XXXX`.
fn is_open_address(target: &str) -> bool {
    // Nothing has the number 0.
    let is_zero = ["pull", "issues"].iter().any(|kind| target.ends_with(&format!("/{kind}/0000")));
    if is_zero {
        return true;
    }
    let Some(at) = target.rfind(['/', '#', '=', '-']) else { return false };
    let (before, end) = target.split_at(at);
    let is_made_of_x = !before.ends_with(['X', 'x']) && end[1..].starts_with("XXX");
    is_open_end(&end[1..]) && (is_made_of_x || end.starts_with(['/', '=']))
}

/// A mark that is no name of a file, or three to five X.
fn is_open_end(text: &str) -> bool {
    UNKNOWN.contains(&text) || (3..=5).contains(&text.len()) && text.bytes().all(|byte| byte == b'X')
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
