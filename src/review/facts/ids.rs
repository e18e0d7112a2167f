//! Identifiers of requirements and their like: `FR-001`, `FR-001a`, `A4/1`, `NFR-SEC-2`, `US10`, `T090`.
//!
//! An id has capitals, then a number, then perhaps a letter or more numbers. A heading, an item or a row that begins with
//! one and goes on with a colon or a dash defines it.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, Cell, Kind, Page};

/// Letters of a prefix.
const MAX_PREFIX: usize = 16;

/// The id at a place of a text.
fn id_at(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[start..];
    let mut prefix = 0;
    while prefix < bytes.len().min(MAX_PREFIX) {
        let next_is_letter = bytes.get(prefix + 1).is_some_and(u8::is_ascii_uppercase);
        let next_is_digit = bytes.get(prefix + 1).is_some_and(u8::is_ascii_digit);
        match bytes[prefix] {
            byte if byte.is_ascii_uppercase() => prefix += 1,
            b'-' | b'_' if next_is_letter || next_is_digit => prefix += 1,
            _ => break,
        }
    }
    let digits = bytes[prefix..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if prefix == 0 || digits == 0 || digits > 5 {
        return None;
    }
    let mut end = prefix + digits;
    if bytes.get(end).is_some_and(u8::is_ascii_lowercase)
        && !bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric)
    {
        end += 1;
    }
    while let [b'.' | b'-' | b'/', digit, ..] = &bytes[end..]
        && digit.is_ascii_digit()
    {
        end += 1 + bytes[end + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    let after = &text[start + end..];
    let mut next = after.chars();
    let is_joined = match next.next() {
        Some('.' | ':' | '-' | '/') => next.next().is_some_and(char::is_alphanumeric),
        Some(sign) => sign.is_alphanumeric() || sign == '_' || sign == '=',
        None => false,
    };
    (!is_joined).then_some(start..start + end)
}

/// The id that a text begins with, behind marks such as `[P]` and quotation marks.
pub fn leading_id(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start_matches(|sign: char| !sign.is_alphanumeric()).len();
    id_at(text, start).filter(|_| text.as_bytes().get(start).is_some_and(u8::is_ascii_uppercase))
}

/// The ids that a text names.
pub fn mentioned_ids(text: &str) -> impl Iterator<Item = &str> {
    let mut next = 0;
    std::iter::from_fn(move || {
        while next < text.len() {
            let at = next + text[next..].find(|sign: char| sign.is_ascii_uppercase())?;
            let is_inside = text[..at].ends_with(|sign: char| sign.is_alphanumeric() || "-_".contains(sign));
            let id = id_at(text, at).filter(|_| !is_inside);
            next = id.as_ref().map_or(at + 1, |id| id.end);
            if let Some(id) = id {
                return Some(&text[id]);
            }
        }
        None
    })
}

/// What holds definitions that belong together: equal ids in it are one id for two things.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    List { section: usize, depth: usize },
    Column(usize),
    Headings(u8),
}

/// Ids that two items of a list, rows of a table or headings of a level define. Items below a heading or a row of the id
/// are about it and define nothing.
pub fn duplicate_ids(page: &Page<'_>) -> Vec<Hit> {
    let defined: Vec<(Group, &str, Range<usize>)> =
        page.blocks.iter().filter_map(|block| definition(page, block)).collect();
    let is_item = |group: &Group| matches!(group, Group::List { .. });
    let titled: HashSet<&str> =
        defined.iter().filter(|(group, ..)| !is_item(group)).map(|(_, name, _)| *name).collect();
    let mut first: BTreeMap<(Group, &str), Range<usize>> = BTreeMap::new();
    let mut found = Vec::new();
    for (group, name, range) in defined {
        if is_item(&group) && titled.contains(name) {
            continue;
        }
        match first.get(&(group, name)) {
            Some(first) => {
                let line = page.place(first.start).0.to_string();
                let hit = Hit::at(range).with("line", line);
                found.push(Hit { related: vec![(0, first.clone())], ..hit });
            }
            None => drop(first.insert((group, name), range)),
        }
    }
    found
}

/// The id that a block defines, with its group and its place.
fn definition<'p>(page: &'p Page<'_>, block: &Block) -> Option<(Group, &'p str, Range<usize>)> {
    let group = group_of(page, block).filter(|_| !block.is_quoted)?;
    let text = page.text_of(block);
    let id = leading_id(text).filter(|id| is_definition(&text[id.end..], block.kind))?;
    let range = page.source(block.plain.start + id.start..block.plain.start + id.end);
    Some((group, &text[id], range))
}

fn group_of(page: &Page<'_>, block: &Block) -> Option<Group> {
    match block.kind {
        Kind::Item(_) => Some(Group::List { section: block.section, depth: block.depth }),
        Kind::Cell(Cell { table, row, column: 0 }) if row > 0 && is_id_column(page, table) => {
            Some(Group::Column(table))
        }
        Kind::Heading => Some(Group::Headings(page.sections[block.section].level)),
        _ => None,
    }
}

/// The header of the first column names ids, so that a row is what the id stands for.
fn is_id_column(page: &Page<'_>, table: usize) -> bool {
    let header = page.row(table, 0).first().map_or("", |block| page.text_of(block)).to_lowercase();
    header.split(|sign: char| !sign.is_alphanumeric()).any(|word| matches!(word, "id" | "ids" | "identifier"))
}

/// What follows an id where it is defined: a colon, a dash, a full stop; in a cell, nothing.
fn is_definition(rest: &str, kind: Kind) -> bool {
    let rest = rest.trim_start_matches(['*', '_', ')', ']', '`', ' ']);
    match kind {
        Kind::Cell(_) => rest.is_empty(),
        _ => rest.starts_with([':', '.', '-', '–', '—']),
    }
}
