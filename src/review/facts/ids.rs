//! Identifiers of requirements and their like: `FR-001`, `FR-001a`, `A4/1`, `NFR-SEC-2`, `US10`, `T090`.
//!
//! An id has capitals, then a number, then perhaps a letter or more numbers. A heading, an item or a row that begins with
//! one and goes on with a colon or a dash defines it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, Cell, Kind, Page};
use super::naming::is_task_list;
use crate::text::ids::id_at;
pub use crate::text::ids::{leading_id, mentioned_ids};

/// An id that a text names, or one that a range or an abbreviation includes.
pub struct Mention {
    /// As [`key`] makes it.
    pub key: String,
    pub range: Range<usize>,
    /// Not only included.
    pub is_written: bool,
    /// It may abbreviate several: `FR-001/002`.
    pub is_list: bool,
}

/// Ids between the ends of a range, at most.
const MAX_RANGE: u32 = 500;

/// The ids that a text names, with those of ranges (`T012-T018`, `FR-001 to FR-009`) and of abbreviations
/// (`FR-001/002`).
pub fn mentions(text: &str) -> impl Iterator<Item = Mention> {
    let mut last: Option<Range<usize>> = None;
    mentioned_ids(text).flat_map(move |id| {
        let start = id.as_ptr() as usize - text.as_ptr() as usize;
        let range = start..start + id.len();
        let parts = parts(id);
        let is_list = !parts.is_empty();
        let mut found = vec![Mention { key: key(id), range: range.clone(), is_written: true, is_list }];
        let included = |key: String| Mention { key, range: range.clone(), is_written: false, is_list: false };
        found.extend(parts.into_iter().map(included));
        let before = last.replace(range.clone());
        if let Some(before) = before.filter(|before| joins_range(&text[before.end..start])) {
            found.extend(between(&text[before], id).into_iter().map(included));
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

/// Both are written in one way: the same letters and signs, and numbers of the same width, or that grow from 9 to 10.
pub fn is_alike(known: &str, id: &str) -> bool {
    let numbers = |id: &str| -> Vec<String> {
        let numbers = id.split(|sign: char| !sign.is_ascii_digit());
        numbers.filter(|number| !number.is_empty()).map(str::to_owned).collect()
    };
    let signs = |id: &str| -> String {
        id.trim_end_matches(|sign: char| sign.is_ascii_lowercase())
            .split(|sign: char| sign.is_ascii_digit())
            .collect()
    };
    let (a, b) = (numbers(known), numbers(id));
    let is_wide = |(a, b): (&String, &String)| {
        let is_padded = a.starts_with('0') || b.starts_with('0');
        a.len() == b.len() || !is_padded && a.len().abs_diff(b.len()) == 1
    };
    signs(known) == signs(id) && a.len() == b.len() && a.iter().zip(&b).all(is_wide)
}

/// The id that a text begins with, whatever it is joined with: `T031-MIN` begins with `T031`.
pub fn loose_id(text: &str) -> Option<Range<usize>> {
    let head = &text[..floor(text, MAX_BEGINNING)];
    let start = head.find(|sign: char| sign.is_ascii_uppercase())?;
    let letters = head[start..].find(|sign: char| !sign.is_ascii_uppercase() && !"-_".contains(sign))?;
    let digits = head[start + letters..].bytes().take_while(u8::is_ascii_digit).count();
    let is_first = !head[..start].contains(char::is_alphabetic);
    let end = id_at(text, start).map_or(start + letters + digits, |id| id.end);
    (is_first && digits > 0).then_some(start..end)
}

/// Bytes in which a text has to begin with its id.
const MAX_BEGINNING: usize = 64;

fn floor(text: &str, most: usize) -> usize {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
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
    let mut defined: Vec<(Group, &str, Range<usize>)> =
        page.blocks.iter().filter_map(|block| definition(page, block)).collect();
    drop_repeated_lists(page, &mut defined);
    let is_item = |group: &Group| matches!(group, Group::List { .. });
    let titled: HashSet<&str> =
        defined.iter().filter(|(group, ..)| !is_item(group)).map(|(_, name, _)| *name).collect();
    // One id alone shows no scheme: it may be a name, such as C4.
    let mut families: BTreeMap<(Group, String), BTreeSet<&str>> = BTreeMap::new();
    for (group, name, _) in &defined {
        families.entry((*group, family(&key(name)).to_owned())).or_default().insert(name);
    }
    let has_scheme = |group: Group, name: &str| {
        families.get(&(group, family(&key(name)).to_owned())).is_some_and(|names| names.len() > 1)
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

/// Leaves out the tasks of a section that names earlier tasks alone: it refers to them.
fn drop_repeated_lists(page: &Page<'_>, defined: &mut Vec<(Group, &str, Range<usize>)>) {
    let mut known: HashSet<&str> = HashSet::new();
    let mut kept = Vec::with_capacity(defined.len());
    let mut rest = std::mem::take(defined).into_iter().peekable();
    let section_of = |range: &Range<usize>| page.block_before(range.start).map(|at| page.blocks[at].section);
    while let Some(first) = rest.next() {
        let section = section_of(&first.2);
        let mut list = vec![first];
        while let Some(next) = rest.next_if(|next| section_of(&next.2) == section) {
            list.push(next);
        }
        let is_task = list.iter().all(|(group, ..)| *group == Group::Tasks);
        let refers = is_task && list.len() > 1 && list.iter().all(|(_, name, _)| known.contains(name));
        if !refers {
            known.extend(list.iter().map(|(_, name, _)| *name));
            kept.append(&mut list);
        }
    }
    *defined = kept;
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
    Some((group, &text[id], range))
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
