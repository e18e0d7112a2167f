//! What has a way in and no way out: "A session is locked" in documents that never say how it is unlocked, "The code
//! is sent by text message" in documents that never say what happens when it does not arrive.
//!
//! The rule's file names the phrases of a way in (`lock`) and of its way out (`lock-ends`). Invariant: one finding
//! for a pair and folder, at the first way in that a specification or a demand states.

use std::collections::{BTreeMap, BTreeSet};

use super::{Across, Hit, hit_on};
use crate::review::demand::is_demand;
use crate::review::introduces;
use crate::review::page::{Page, Unit};
use crate::review::pattern::{Set, Several};
use crate::review::token::Token;

/// A way in and its way out, with what the documents say of them.
struct Pair<'r> {
    enter: &'r Set,
    leave: &'r Set,
    first: Option<Hit>,
    is_left: bool,
}

pub fn one_way(across: &Across<'_, '_>) -> Vec<Hit> {
    let mut folders: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (number, page) in (0..).zip(across.pages) {
        folders.entry(page.folder()).or_default().push(number);
    }
    folders.values().flat_map(|pages| in_folder(across, pages)).collect()
}

/// The pairs of the rule's file: the partner of `lock` is the name that begins with `lock-`.
fn pairs<'r>(across: &Across<'r, '_>) -> Vec<Pair<'r>> {
    let words = &across.rule.words;
    let partner = |name: &String| words.iter().find(|(other, _)| other.starts_with(&format!("{name}-")));
    let both = words.iter().filter_map(|(name, enter)| Some((enter, partner(name)?.1)));
    both.map(|(enter, leave)| Pair { enter, leave, first: None, is_left: false }).collect()
}

fn in_folder(across: &Across<'_, '_>, pages: &[u32]) -> Vec<Hit> {
    let mut pairs = pairs(across);
    let sets = Several::new(pairs.iter().flat_map(|pair| [pair.enter, pair.leave]).collect());
    for number in pages {
        let page = &across.pages[*number as usize];
        for unit in page.units.iter().filter(|unit| !unit.is_quotation) {
            for sentence in page.sentences_of(unit) {
                let mut seen = BTreeSet::new();
                // The first place of each set; a way in is an even one, and the way out the next.
                let found: Vec<_> = sets.all(sentence).filter(|(set, ..)| seen.insert(*set)).collect();
                found
                    .iter()
                    .filter(|(set, ..)| set % 2 == 1)
                    .for_each(|(set, ..)| pairs[set / 2].is_left = true);
                for (set, from, to, _) in found.into_iter().filter(|(set, ..)| set % 2 == 0) {
                    let pair = &mut pairs[set / 2];
                    if pair.first.is_none() && !pair.is_left {
                        let hit = way_in(across, page, unit, sentence, (from, to));
                        pair.first = hit.map(|hit| Hit { page: *number, ..hit });
                    }
                }
            }
        }
    }
    pairs.into_iter().filter(|pair| !pair.is_left).filter_map(|pair| pair.first).collect()
}

fn way_in(
    across: &Across<'_, '_>,
    page: &Page<'_>,
    unit: &Unit,
    sentence: &[Token],
    (from, to): (usize, usize),
) -> Option<Hit> {
    // "While the account is locked, …": a case of another rule.
    let clause = sentence[..from].rsplit(|token| page.word(token) == ",").next().unwrap_or_default();
    let is_stated = across.rule.is_for(unit.kinds)
        && is_demand(page, unit, sentence, across.rules)
        && !across.rule.set("condition").is_in(clause)
        && !introduces(page, sentence)
        && !across.rule.unless.is_in(sentence);
    is_stated.then(|| hit_on(&sentence[from..to])).flatten()
}
