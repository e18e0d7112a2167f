//! States with a way in and no way out: "A session is locked" in documents that never say how it is unlocked.
//!
//! The rule's file names the phrases of a way in (`lock`) and of its way out (`unlock`). Invariant: one finding for
//! a pair and folder, at the first way in that a specification or a demand states.

use std::collections::BTreeMap;

use super::{Across, Hit, hit_on};
use crate::review::page::UnitKind;
use crate::review::{demands, is_claim};

/// The phrases of a way in, and those of its way out, by their names in the rule's file.
const PAIRS: [(&str, &str); 8] = [
    ("lock", "unlock"),
    ("block", "unblock"),
    ("freeze", "unfreeze"),
    ("suspend", "resume"),
    ("disable", "enable"),
    ("reserve", "release"),
    ("ban", "unban"),
    ("quarantine", "discharge"),
];

pub fn one_way(across: &Across<'_, '_>) -> Vec<Hit> {
    let mut folders: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (number, page) in (0..).zip(across.pages) {
        folders.entry(page.path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default().push(number);
    }
    let in_folder =
        |pages: &Vec<u32>| PAIRS.iter().filter_map(|pair| in_pages(across, pages, *pair)).collect();
    folders.values().flat_map(|pages| -> Vec<Hit> { in_folder(pages) }).collect()
}

/// The first way in, where no page has a way out.
fn in_pages(across: &Across<'_, '_>, pages: &[u32], (enter, leave): (&str, &str)) -> Option<Hit> {
    let (enter, leave) = (across.rule.set(enter), across.rule.set(leave));
    let mut first = None;
    for number in pages {
        let page = &across.pages[*number as usize];
        for unit in page.units.iter().filter(|unit| !unit.is_quotation) {
            for sentence in page.sentences_of(unit) {
                if leave.is_in(sentence) {
                    return None;
                }
                let is_read = first.is_none()
                    && unit.is_judged
                    && unit.kind != UnitKind::Heading
                    && across.rule.is_for(unit.kinds);
                let place = if is_read { enter.find(sentence) } else { None };
                let Some((from, to)) = place else { continue };
                if is_claim(sentence, across.rules) && demands(page, unit, sentence, across.rules) {
                    first = hit_on(&sentence[from..to]).map(|hit| Hit { page: *number, ..hit });
                }
            }
        }
    }
    first
}
