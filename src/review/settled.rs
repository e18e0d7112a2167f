//! A finding that a later line settles: a decision that names the id of the block it is in, or a line below that block
//! with the same id: an item nested in it, or a paragraph that begins with the id. Documents that only grow are answered this way. A question or a marker is settled as well where the
//! task list beside it has every box ticked: what it left open has been built.
//!
//! Decided by ids, labels and boxes alone; whether the answer is a good one is for people.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::ids::{leading_id, mentioned_ids};
use super::facts::naming::{folder_of, is_task_list};
use super::page::{Block, Kind, Page};
use super::{Hit, Rules};

/// Labels that a decision begins with.
const LABELS: [&str; 5] = ["Accepted", "Agreed", "Decided", "Decision", "Resolved"];
/// Headings that have decisions below them.
const HEADINGS: [&str; 3] = ["clarifications", "decisions", "decisions made"];

/// Rules for what somebody has still to decide.
const GAPS: [&str; 2] = ["open-marker", "unresolved-question"];

/// The place that settles a hit: a page and a block of it.
pub type Place = (usize, usize);

/// Takes the hits away that are settled, each with where; and those in the question that a decision answers.
pub fn apply(pages: &[Page<'_>], mut hits: Vec<Hit>, rules: &Rules) -> (Vec<Hit>, Vec<(Hit, Place)>) {
    hits.retain(|hit| !is_answered_there(pages, hit));
    let open: BTreeSet<Place> =
        hits.iter().filter_map(|hit| Some((hit.page, block_of(pages, hit)?))).collect();
    let decided = decisions(pages, &open);
    let done = finished_tasks(pages);
    let built = |hit: &Hit| {
        let is_gap = GAPS.contains(&rules.rules[hit.rule].file.rule.as_str());
        done.get(folder_of(pages[hit.page].path)).copied().filter(|(tasks, _)| is_gap && *tasks != hit.page)
    };
    let (mut kept, mut settled) = (Vec::with_capacity(hits.len()), Vec::new());
    for hit in hits {
        match place_that_settles(pages, &hit, &decided, &open).or_else(|| built(&hit)) {
            Some(place) => settled.push((hit, place)),
            None => kept.push(hit),
        }
    }
    (kept, settled)
}

/// The last task of each folder whose list of tasks has every box ticked.
fn finished_tasks<'p>(pages: &'p [Page<'_>]) -> BTreeMap<&'p str, Place> {
    let mut found = BTreeMap::new();
    for (at, page) in pages.iter().enumerate().filter(|(_, page)| is_task_list(page.path)) {
        let is_left = page.blocks.iter().any(|block| block.kind == Kind::Item(Some(false)));
        let last = page.blocks.iter().rposition(|block| block.kind == Kind::Item(Some(true)));
        found.extend(last.filter(|_| !is_left).map(|last| (folder_of(page.path), (at, last))));
    }
    found
}

/// Whether a hit is in the question of a decision: "Decided 2026-11-20 (kim): Is it TBD days? → 10 days".
fn is_answered_there(pages: &[Page<'_>], hit: &Hit) -> bool {
    let page = &pages[hit.page];
    let block = block_of(pages, hit).map(|number| &page.blocks[number]);
    block.is_some_and(|block| {
        let after = page.text.get(hit.range.end..block.range.end).unwrap_or_default();
        after.contains("? → ") && is_decision(page, block)
    })
}

fn block_of(pages: &[Page<'_>], hit: &Hit) -> Option<usize> {
    pages[hit.page].block_before(hit.range.start)
}

/// The decisions that name an id, by id.
fn decisions<'p>(pages: &'p [Page<'_>], open: &BTreeSet<Place>) -> BTreeMap<&'p str, Place> {
    let mut found = BTreeMap::new();
    for (at, page) in pages.iter().enumerate() {
        let is_decision = |(number, block): &(usize, &Block)| {
            !block.is_quoted && !open.contains(&(at, *number)) && is_decision(page, block)
        };
        for (number, block) in page.blocks.iter().enumerate().filter(is_decision) {
            for id in mentioned_ids(page.text_of(block)) {
                found.entry(id).or_insert((at, number));
            }
        }
    }
    found
}

/// Whether a block is labelled as a decision, or is below such a heading.
pub fn is_decision(page: &Page<'_>, block: &Block) -> bool {
    let text = page.text_of(block);
    let text = leading_id(text).map_or(text, |id| &text[id.end..]);
    let text = text.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let is_label = |label: &str| {
        text.strip_prefix(label)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric) && rest.contains(':'))
    };
    if LABELS.into_iter().any(is_label) {
        return true;
    }
    let heading = page.heading(block.section).trim().to_lowercase();
    block.kind != Kind::Heading && HEADINGS.contains(&heading.as_str())
}

fn place_that_settles(
    pages: &[Page<'_>],
    hit: &Hit,
    decided: &BTreeMap<&str, Place>,
    open: &BTreeSet<Place>,
) -> Option<Place> {
    let page = &pages[hit.page];
    let number = block_of(pages, hit)?;
    let id = id_of(page, number)?;
    let below =
        line_below(page, number, id).map(|below| (hit.page, below)).filter(|below| !open.contains(below));
    let decided = || decided.get(id).copied().filter(|place| *place != (hit.page, number));
    below.or_else(decided).filter(|place| !is_related(pages, hit, *place))
}

/// The place is part of the finding: a line that contradicts a decision is not settled by it.
fn is_related(pages: &[Page<'_>], hit: &Hit, (page, block): Place) -> bool {
    let range = &pages[page].blocks[block].range;
    hit.related.iter().any(|(other, place)| *other == page && range.contains(&place.start))
}

/// The id that a block, its row or its heading begins with.
fn id_of<'p>(page: &'p Page<'_>, number: usize) -> Option<&'p str> {
    let block = &page.blocks[number];
    let first = match block.kind {
        Kind::Cell(cell) => number.checked_sub(cell.column)?,
        _ => number,
    };
    let heading = page.sections[block.section].heading;
    [Some(first), heading].into_iter().flatten().find_map(|at| {
        let text = page.text_of(page.blocks.get(at)?);
        leading_id(text).map(|id| &text[id])
    })
}

/// An item below an item that names its id, else a paragraph below that begins with it.
fn line_below(page: &Page<'_>, number: usize, id: &str) -> Option<usize> {
    let depth = page.blocks[number].depth;
    let below = || page.blocks.iter().enumerate().skip(number + 1);
    let nested = below().take_while(|(_, block)| depth > 0 && block.depth > depth);
    let begins = |block: &Block| {
        let text = page.text_of(block);
        leading_id(text).is_some_and(|range| &text[range] == id)
    };
    nested
        .into_iter()
        .find(|(_, block)| mentioned_ids(page.text_of(block)).any(|one| one == id))
        .or_else(|| {
            below().find(|(_, block)| block.kind == Kind::Paragraph && !block.is_quoted && begins(block))
        })
        .map(|(at, _)| at)
}
