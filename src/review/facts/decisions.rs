//! A decision against the lines of its id: the same unit, another number.
//!
//! Nothing is understood here.
//!
//! ```text
//! Decided: L-3 waits 24 hours.
//! - **L-3**: The desk waits 48 hours.      not what was decided
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::Hit;
use super::super::page::Block;
use super::super::settled::is_decision;
use super::Pages;
use super::ids::{key, leading_id, mentioned_ids};
use super::naming::folder_of;
use crate::text::words::stem;

/// A place in a page's plain text.
#[derive(Clone)]
struct Spot {
    page: usize,
    plain: Range<usize>,
}

/// The second place as a hit that names the first.
fn contradiction(all: &Pages<'_, '_>, first: &Spot, second: &Spot) -> Hit {
    let source = |spot: &Spot| all.pages[spot.page].source(spot.plain.clone());
    let other = &all.pages[first.page];
    let (line, quote) = (other.place(source(first).start).0, &other.plain[first.plain.clone()]);
    let hit = Hit::at(source(second))
        .with("other", quote.to_owned())
        .with("line", line.to_string())
        .with("path", other.path.to_owned());
    Hit { page: second.page, related: vec![(first.page, source(first))], ..hit }
}

static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)(\d[\d.,]*)\s*(%|[a-z]+)").ok());

/// "1,000" and "1000." are 1000.
fn plain_number(number: &str) -> String {
    number.trim_end_matches(['.', ',']).replace(',', "")
}

/// Numbers with their unit that a text has, by unit.
fn amounts(text: &str) -> BTreeMap<String, Vec<(String, Range<usize>)>> {
    let mut found: BTreeMap<String, Vec<(String, Range<usize>)>> = BTreeMap::new();
    let Some(pattern) = AMOUNT.as_ref() else { return found };
    for captures in pattern.captures_iter(text) {
        if let (Some(whole), Some(number), Some(unit)) = (captures.get(0), captures.get(1), captures.get(2)) {
            let unit = stem(&unit.as_str().to_lowercase()).into_owned();
            found.entry(unit).or_default().push((plain_number(number.as_str()), whole.range()));
        }
    }
    found
}

/// Lines that give the subject of a decision, by its id, another value of the same unit; those above it in its own
/// document are what it decided about.
pub fn contradicted_decisions(all: &Pages<'_, '_>) -> Vec<Hit> {
    let mut decided: HashMap<(&str, String), Vec<Spot>> = HashMap::new();
    for (number, page) in all.pages.iter().enumerate() {
        for block in page.blocks.iter().filter(|block| !block.is_quoted && is_decision(page, block)) {
            let ids: BTreeSet<String> = mentioned_ids(page.text_of(block)).map(key).collect();
            if let [id] = ids.into_iter().collect::<Vec<_>>().as_slice() {
                let spot = Spot { page: number, plain: block.plain.clone() };
                decided.entry((folder_of(page.path), id.clone())).or_default().push(spot);
            }
        }
    }
    let mut found = Vec::new();
    for (number, page) in all.pages.iter().enumerate() {
        for block in page.blocks.iter().filter(|block| !block.is_quoted && !is_decision(page, block)) {
            let text = page.text_of(block);
            let Some(id) = leading_id(text).map(|id| key(&text[id])) else { continue };
            let decisions = decided.get(&(folder_of(page.path), id)).map(Vec::as_slice).unwrap_or_default();
            let later = |spot: &&Spot| spot.page != number || spot.plain.start < block.plain.start;
            // Of two decisions the last one counts, whichever that is.
            let [decision] = decisions else { continue };
            let hit =
                Some(decision).filter(later).and_then(|decision| other_value(all, number, block, decision));
            found.extend(hit);
        }
    }
    found
}

fn other_value(all: &Pages<'_, '_>, number: usize, block: &Block, decision: &Spot) -> Option<Hit> {
    let page = &all.pages[number];
    let decided = amounts(&all.pages[decision.page].plain[decision.plain.clone()]);
    for (unit, here) in amounts(page.text_of(block)) {
        let ([(value, place)], Some([(wanted, _)])) =
            (here.as_slice(), decided.get(&unit).map(Vec::as_slice))
        else {
            continue;
        };
        if value != wanted {
            let plain = block.plain.start + place.start..block.plain.start + place.end;
            return Some(contradiction(all, decision, &Spot { page: number, plain }));
        }
    }
    None
}
