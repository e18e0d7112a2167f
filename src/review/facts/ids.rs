//! Identifiers of requirements and their like: `FR-001`, `FR-001a`, `A4/1`, `NFR-SEC-2`, `US10`, `T090`.
//!
//! An id has capitals, then a number, then perhaps a letter or more numbers. A heading, an item or a row that begins with
//! one and goes on with a colon or a dash defines it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, Cell, Kind, Page};
use super::naming::is_task_list;
pub use crate::text::ids::{leading_id, mentioned_ids};

/// Ids between the ends of a range, at most.
const MAX_RANGE: u32 = 500;

/// The keys of the ids that a text names, with those of ranges (`T012-T018`, `FR-001 to FR-009`) and of abbreviations
/// (`FR-001/002`).
pub fn mentioned_keys(text: &str) -> impl Iterator<Item = String> {
    let mut last: Option<Range<usize>> = None;
    mentioned_ids(text).flat_map(move |id| {
        let start = id.as_ptr() as usize - text.as_ptr() as usize;
        let mut found = vec![key(id)];
        found.extend(parts(id));
        let before = last.replace(start..start + id.len());
        if let Some(before) = before.filter(|before| joins_range(&text[before.end..start])) {
            found.extend(between(&text[before], id));
        }
        found
    })
}

/// The ids that `FR-001/002` or `FR-001-003` may abbreviate.
fn parts(id: &str) -> Vec<String> {
    let Some(digit) = id.find(|sign: char| sign.is_ascii_digit()) else { return Vec::new() };
    let numbers: Vec<&str> = id[digit..].split(['/', '-']).collect();
    // `A4/1` and `1.1-2` are numbers within numbers.
    let width = numbers[0].len();
    let is_list = numbers.len() > 1 && width > 1 && numbers.iter().all(|number| number.len() == width);
    if !is_list {
        return Vec::new();
    }
    let mut found: Vec<String> =
        numbers.iter().map(|number| key(&format!("{}{number}", &id[..digit]))).collect();
    if numbers.len() == 2 && id.contains('-') {
        let ends = numbers.iter().map(|number| format!("{}{number}", &id[..digit])).collect::<Vec<_>>();
        found.extend(between(&ends[0], &ends[1]));
    }
    found
}

fn joins_range(text: &str) -> bool {
    matches!(text.trim_matches([' ', '*', '_', '`']), "-" | "–" | "—" | ".." | "..." | "…" | "to" | "through")
}

/// The keys between two ids of a family.
fn between(first: &str, last: &str) -> Vec<String> {
    let (first, last) = (key(first), key(last));
    let family = family(&first);
    let number = |key: &str| key.strip_prefix(family).and_then(|number| number.parse::<u32>().ok());
    let (Some(from), Some(to)) = (number(&first), number(&last)) else { return Vec::new() };
    if to <= from || to - from > MAX_RANGE {
        Vec::new()
    } else {
        (from..to).map(|at| format!("{family}{at}")).collect()
    }
}

/// An id as ids are compared across documents: `US-01`, `US1` and "US 1" are one.
pub fn key(id: &str) -> String {
    let mut key = String::with_capacity(id.len());
    let mut signs = id.chars().peekable();
    let mut in_number = false;
    while let Some(sign) = signs.next() {
        let is_zero = sign == '0' && !in_number && signs.peek().is_some_and(char::is_ascii_digit);
        let is_joint = matches!(sign, '-' | '_') && !key.contains(|sign: char| sign.is_ascii_digit());
        in_number = sign.is_ascii_digit() && !is_zero;
        if !is_zero && !is_joint {
            key.push(if sign == '-' { '.' } else { sign });
        }
    }
    key
}

/// The letters that a key begins with.
pub fn family(key: &str) -> &str {
    key.find(|sign: char| sign.is_ascii_digit()).map_or(key, |at| &key[..at])
}

/// The id that a block defines: it begins with it, and says something about it.
pub fn definition_in(page: &Page<'_>, block: &Block) -> Option<Range<usize>> {
    let text = page.text_of(block);
    let id = leading_id(text)?;
    let rest = &text[id.end..];
    let is_defined = match block.kind {
        Kind::Cell(Cell { row, column, .. }) => row > 0 && column == 0 && rest.trim().is_empty(),
        Kind::Item(Some(_)) => rest.starts_with([' ', ':', '.']) || is_definition(rest, block.kind),
        Kind::Value => false,
        _ => is_definition(rest, block.kind) || is_bold(page, block, &id),
    };
    is_defined.then_some(id)
}

/// The id is emphasised: "**`FR-001`** The gate locks."
fn is_bold(page: &Page<'_>, block: &Block, id: &Range<usize>) -> bool {
    let place = page.source(block.plain.start + id.start..block.plain.start + id.end);
    page.text[place.end..].starts_with("**")
}

/// What holds definitions that belong together: equal ids in it are one id for two things.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    List {
        section: usize,
        depth: usize,
    },
    /// Those of a section that begin with an id in bold.
    Paragraphs(usize),
    Column(usize),
    Headings(u8),
    /// The tasks of a task list, whatever phase they are in.
    Tasks,
}

/// Ids that two items of a list, rows of a table or headings of a level define. Items below a heading or a row of the id
/// are about it and define nothing.
pub fn duplicate_ids(page: &Page<'_>) -> Vec<Hit> {
    let defined: Vec<(Group, &str, Range<usize>)> =
        page.blocks.iter().filter_map(|block| definition(page, block)).collect();
    let is_item = |group: &Group| matches!(group, Group::List { .. });
    let titled: HashSet<&str> =
        defined.iter().filter(|(group, ..)| !is_item(group)).map(|(_, name, _)| *name).collect();
    // One id alone shows no scheme: it may be a name, such as C4. Where several repeat, lines speak about ids.
    let mut families: BTreeMap<(Group, String), (usize, BTreeSet<&str>)> = BTreeMap::new();
    for (group, name, _) in &defined {
        let (count, names) = families.entry((*group, family(&key(name)).to_owned())).or_default();
        *count += 1;
        names.insert(name);
    }
    let has_scheme = |group: Group, name: &str| {
        let family = families.get(&(group, family(&key(name)).to_owned()));
        family.is_some_and(|(count, names)| names.len() > 1 && *count == names.len() + 1)
    };
    let mut first: BTreeMap<(Group, &str), Range<usize>> = BTreeMap::new();
    let mut found = Vec::new();
    for (group, name, range) in defined {
        if is_item(&group) && titled.contains(name) || !has_scheme(group, name) {
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
    let id = match group {
        Group::Tasks => definition_in(page, block)?,
        _ => leading_id(text).filter(|id| is_definition(&text[id.end..], block.kind))?,
    };
    let range = page.source(block.plain.start + id.start..block.plain.start + id.end);
    // A mark such as ✅ before it says that it is checked there.
    text[..id.start].is_ascii().then(|| (group, &text[id], range))
}

fn group_of(page: &Page<'_>, block: &Block) -> Option<Group> {
    match block.kind {
        Kind::Item(Some(_)) if is_task_list(page.path) => Some(Group::Tasks),
        Kind::Paragraph if leading_id(page.text_of(block)).is_some_and(|id| is_bold(page, block, &id)) => {
            Some(Group::Paragraphs(block.section))
        }
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
        // `ADR-0074..ADR-0138` is a range.
        _ => rest.starts_with([':', '.', '-', '–', '—']) && !rest.starts_with(".."),
    }
}
