//! Records of decisions, and the fields at the head of documents: an accepted record without a decision, two statuses of
//! one document, dates in the wrong order, a record that is in force and superseded.
//!
//! `0004-queue.md` says "Status: Accepted", and `0007-broker.md` says "Supersedes `ADR-0004`".

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, Kind, Page};
use super::Pages;
use super::naming::folder_of;

/// Bytes of a document in which its head is.
const MAX_HEAD: usize = 4000;

/// A field: its name in small letters, its value, and the value's place.
struct Field<'t> {
    name: String,
    value: &'t str,
    place: Range<usize>,
}

/// The fields before the first heading of the second level, front matter included.
fn head_fields<'t>(page: &Page<'t>) -> Vec<Field<'t>> {
    let inner = page.sections.iter().skip(1).find(|section| section.level > 1);
    let end =
        inner.and_then(|section| section.heading).map_or(page.text.len(), |at| page.blocks[at].range.start);
    fields(page, 0..floor(page.text, end.min(MAX_HEAD)))
}

fn floor(text: &str, mut end: usize) -> usize {
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// `Status: Draft`, `**Status**: Draft`, `* **Status:** Draft` and `| Status | Draft |` in lines of their own.
fn fields<'t>(page: &Page<'t>, range: Range<usize>) -> Vec<Field<'t>> {
    let is_mark = |sign: char| " *_->|`".contains(sign);
    let mut found = Vec::new();
    let mut start = range.start;
    for line in page.text[range].split_inclusive('\n') {
        let cells = line.trim_start().strip_prefix('|').and_then(|row| row.split_once('|'));
        let cells = cells.filter(|(_, rest)| rest.matches('|').count() < 2);
        if let Some((name, value)) = cells.or_else(|| line.split_once(':')) {
            let name = name.trim_matches(is_mark).to_lowercase();
            let value = value.trim().trim_matches(|sign: char| is_mark(sign) || "\"'".contains(sign));
            let from = start + (value.as_ptr() as usize - line.as_ptr() as usize);
            if !value.is_empty() && name.split(' ').count() <= 2 {
                found.push(Field { name, value, place: from..from + value.len() });
            }
        }
        start += line.len();
    }
    found
}

/// The status of a document: a field of its head, or what its section "Status" begins with.
fn status_of(page: &Page<'_>) -> Option<(String, Range<usize>)> {
    let of_head = head_fields(page).into_iter().find(|field| field.name == "status");
    if let Some(field) = of_head {
        return Some((first_word(field.value), field.place));
    }
    let block = status_blocks(page).next()?;
    Some((first_word(page.text_of(block)), page.source(block.plain.clone())))
}

/// What is below a heading "Status" of the second level; a deeper one is about a part of the document.
fn status_blocks<'p>(page: &'p Page<'_>) -> impl Iterator<Item = &'p Block> {
    page.blocks.iter().filter(|block| {
        let is_status =
            page.sections[block.section].level <= 2 && is_named(page.heading(block.section), "status");
        is_status && block.kind != Kind::Heading && !block.is_quoted
    })
}

/// Statuses of a document that nobody works on any more.
const FINAL: [&str; 9] = [
    "archived",
    "closed",
    "deprecated",
    "done",
    "implemented",
    "obsolete",
    "rejected",
    "superseded",
    "withdrawn",
];

/// The document is history, by its status or its folder: what it leaves open, nobody has to decide.
pub fn is_over(page: &Page<'_>) -> bool {
    let folders = page.path.split('/').rev().skip(1);
    let is_archived =
        |name: &str| ["archive", "archived"].iter().any(|known| name.eq_ignore_ascii_case(known));
    folders.into_iter().any(is_archived)
        || status_of(page).is_some_and(|(status, _)| FINAL.contains(&status.as_str()))
}

fn is_named(heading: &str, name: &str) -> bool {
    heading.trim_matches(|sign: char| !sign.is_alphabetic()).eq_ignore_ascii_case(name)
}

fn first_word(text: &str) -> String {
    let text = text.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    text.split(|sign: char| !sign.is_alphabetic()).next().unwrap_or_default().to_lowercase()
}

/// Records that are accepted, and whose section of the decision is empty.
pub fn undecided_records(page: &Page<'_>) -> Vec<Hit> {
    let is_accepted = status_of(page).is_some_and(|(status, _)| status == "accepted");
    let mut found = Vec::new();
    for (at, section) in page.sections.iter().enumerate().skip(1).filter(|_| is_accepted) {
        let is_decision =
            ["decision", "decisions", "decision outcome"].iter().any(|name| is_named(page.heading(at), name));
        let Some(heading) = section.heading.filter(|_| is_decision) else { continue };
        let next = page.sections[at + 1..].iter().find(|next| next.level <= section.level);
        let end =
            next.and_then(|next| next.heading).map_or(page.text.len(), |next| page.blocks[next].range.start);
        let block = &page.blocks[heading];
        let below = page.text.get(block.range.end..end).unwrap_or_default();
        // A heading below it may name the option that was taken.
        if below.trim().is_empty() {
            found.push(Hit::at(page.source(block.plain.clone())));
        }
    }
    found
}

/// Fields, statuses and dates that contradict each other.
pub fn conflicting_fields(all: &Pages<'_, '_>) -> Vec<Hit> {
    let mut found = Vec::new();
    for (number, page) in all.pages.iter().enumerate() {
        let within = dates_in_wrong_order(page, number).into_iter().chain(two_statuses(page, number));
        found.extend(within.map(|hit| Hit { page: number, ..hit }));
    }
    found.extend(superseded_records(all));
    found.extend(superseded_by_rejected(all));
    found.extend(listed_status(all));
    found
}

/// Fields that say when a document was begun, and those that say when it was last changed.
const BEGUN: [&str; 3] = ["created", "created on", "date created"];
const CHANGED: [&str; 6] =
    ["last modified", "last updated", "modified", "updated", "date updated", "date modified"];

/// A document that was changed before it was begun: two fields, each an ISO date.
fn dates_in_wrong_order(page: &Page<'_>, number: usize) -> Option<Hit> {
    let fields = head_fields(page);
    let date = |names: &[&str]| {
        let mut named = fields.iter().filter(|field| names.contains(&field.name.as_str()));
        named.next().filter(|_| named.next().is_none()).filter(|field| is_date(field.value))
    };
    let (begun, changed) = (date(&BEGUN)?, date(&CHANGED)?);
    let is_wrong = changed.value < begun.value;
    is_wrong.then(|| conflict(page, &changed.place, &begun.place, (number, page), &begun.name))
}

/// `2026-03-04`.
fn is_date(text: &str) -> bool {
    let is_sign =
        |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(is_sign)
}

/// A field of the head and the one line below the heading "Status" that contradict each other.
fn two_statuses(page: &Page<'_>, number: usize) -> Option<Hit> {
    let field = head_fields(page).into_iter().find(|field| field.name == "status")?;
    let mut blocks = status_blocks(page);
    let block = blocks.next().filter(|block| block.range.start > field.place.end)?;
    let (a, b) = (only_status(field.value)?, only_status(page.text_of(block))?);
    let place = page.source(block.plain.clone());
    let is_alone = blocks.next().is_none();
    (is_alone && a != b).then(|| conflict(page, &place, &field.place, (number, page), &field.name))
}

/// What a status says of a document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    InForce,
    Gone,
}

fn stage_of(status: &str) -> Option<Stage> {
    match status {
        "draft" | "proposed" => Some(Stage::Open),
        "accepted" | "approved" | "implemented" => Some(Stage::InForce),
        "deprecated" | "rejected" | "superseded" => Some(Stage::Gone),
        _ => None,
    }
}

/// The stage that a text begins with, where it names no other status.
fn only_status(text: &str) -> Option<Stage> {
    let text = text.to_lowercase();
    let words = text.split(|sign: char| !sign.is_alphabetic()).filter(|word| stage_of(word).is_some());
    (words.count() == 1).then(|| stage_of(&first_word(&text))).flatten()
}

fn conflict(
    page: &Page<'_>,
    place: &Range<usize>,
    other: &Range<usize>,
    (other_number, other_page): (usize, &Page<'_>),
    name: &str,
) -> Hit {
    let line = other_page.place(other.start).0.to_string();
    let hit =
        Hit::at(place.clone()).with("line", line).with("other", other_page.text[other.clone()].to_owned());
    let path = if other_page.path == page.path { String::new() } else { format!(" of {}", other_page.path) };
    let hit = hit.with("path", path).with("name", name.to_owned());
    Hit { related: vec![(other_number, other.clone())], ..hit }
}

/// Records by folder and number: `0007-broker.md`, `adr-0007.md`.
fn records<'p>(all: &Pages<'p, '_>) -> BTreeMap<(&'p str, u32), Vec<usize>> {
    let mut found: BTreeMap<(&str, u32), Vec<usize>> = BTreeMap::new();
    for (at, page) in all.pages.iter().enumerate() {
        let name = page.path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let digits = name.trim_start_matches("adr").trim_start_matches(['-', '_']);
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(number) = digits[..count].parse().ok().filter(|_| (1..=4).contains(&count)) {
            found.entry((folder_of(page.path), number)).or_default().push(at);
        }
    }
    found
}

/// Records with the status "accepted" that another record of the folder, itself accepted, says it supersedes.
fn superseded_records(all: &Pages<'_, '_>) -> Vec<Hit> {
    let records = records(all);
    let mut found = Vec::new();
    for ((folder, number), pages) in &records {
        let [at] = pages.as_slice() else { continue };
        let page = &all.pages[*at];
        let is_accepted = status_of(page).is_some_and(|(status, _)| status == "accepted");
        let claim = head_fields(page).into_iter().find(|field| field.name == "supersedes");
        let Some(claim) = claim.filter(|_| is_accepted) else { continue };
        for older in numbers(claim.value).into_iter().filter(|older| older != number) {
            let Some([old]) = records.get(&(*folder, older)).map(Vec::as_slice) else { continue };
            let other = &all.pages[*old];
            if let Some((_, place)) = status_of(other).filter(|(status, _)| status == "accepted") {
                let hit = conflict(other, &place, &claim.place, (*at, page), "supersedes");
                found.push(Hit { page: *old, ..hit });
            }
        }
    }
    found
}

/// Numbers of records in a value that names nothing else: `ADR-0004`, `0004, 0005`, `[ADR-4](0004-queue.md)`.
fn numbers(value: &str) -> Vec<u32> {
    let value = super::links::without_targets(value);
    let is_other = |word: &str| !word.is_empty() && !word.eq_ignore_ascii_case("adr");
    if value.split(|sign: char| !sign.is_alphabetic()).any(is_other) {
        return Vec::new();
    }
    let parts = value.split(|sign: char| !sign.is_ascii_digit()).filter(|part| (1..=4).contains(&part.len()));
    let mut found: Vec<u32> = parts.filter_map(|part| part.parse().ok()).collect();
    found.dedup();
    found
}

/// Records that are superseded by one that is rejected.
fn superseded_by_rejected(all: &Pages<'_, '_>) -> Vec<Hit> {
    let records = records(all);
    let mut found = Vec::new();
    for ((folder, number), pages) in &records {
        let [at] = pages.as_slice() else { continue };
        let page = &all.pages[*at];
        let Some((_, place)) = status_of(page).filter(|(status, _)| status == "superseded") else { continue };
        let Some((_, by)) = page.text[place.clone()].split_once(" by ") else { continue };
        let [newer] = numbers(by)[..] else { continue };
        let Some([new]) = records.get(&(*folder, newer)).map(Vec::as_slice) else { continue };
        let other = &all.pages[*new];
        let rejected = status_of(other).filter(|(status, _)| status == "rejected" && newer != *number);
        if let Some((_, other_place)) = rejected {
            let hit = conflict(page, &place, &other_place, (*new, other), "status");
            found.push(Hit { page: *at, ..hit });
        }
    }
    found
}

/// Rows that link to a record, with another status than the record has.
fn listed_status(all: &Pages<'_, '_>) -> Vec<Hit> {
    let by_path: HashMap<&str, usize> =
        all.pages.iter().enumerate().map(|(at, page)| (page.path, at)).collect();
    let mut found = Vec::new();
    for (number, page) in all.pages.iter().enumerate() {
        for (at, block) in page.blocks.iter().enumerate() {
            let Kind::Cell(cell) = block.kind else { continue };
            let listed = stage_of(&page.text_of(block).trim().to_lowercase());
            if cell.row == 0 || listed.is_none() {
                continue;
            }
            let first = &page.blocks[at - cell.column.min(at)];
            let from = page.links.partition_point(|link| link.range.start < first.range.start);
            let links = page.links[from..].iter().take_while(|link| link.range.start < block.range.start);
            let targets: Vec<usize> = links
                .filter_map(|link| {
                    super::links::resolve(page.path, link.target.split('#').next().unwrap_or_default())
                })
                .filter_map(|path| by_path.get(path.as_str()).copied())
                .collect();
            let [target] = targets.as_slice() else { continue };
            let other = &all.pages[*target];
            if let Some((status, place)) = status_of(other)
                && stage_of(&status).is_some_and(|stage| Some(stage) != listed)
            {
                let place_here = page.source(block.plain.clone());
                let hit = conflict(page, &place_here, &place, (*target, other), "status");
                found.push(Hit { page: number, ..hit });
            }
        }
    }
    found
}
