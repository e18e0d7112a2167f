//! Criteria of Kiro: "Requirement 2" with its third acceptance criterion is `2.3`, and tasks name it so.
//!
//! ```text
//! requirements.md: ### Requirement 1 … #### Acceptance Criteria 1. WHEN … 2. WHEN …
//! tasks.md:        - [ ] 1. Lock the gate  - _Requirements: 1.1_           no task names criterion 1.2
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Kind, Page};
use super::Pages;
use super::naming::{folded, folder_of, is_task_list};

/// Criteria of a requirement: how many, and where each is.
type Criteria = BTreeMap<u32, Vec<Range<usize>>>;

/// `2.3`, or a whole requirement: `2`.
type Name = (u32, Option<u32>);

/// Criteria that a range names, at most.
const MAX_RANGE: u32 = 100;

/// What the requirements of each folder number.
fn requirements<'p>(all: &Pages<'p, '_>) -> BTreeMap<&'p str, (usize, Criteria)> {
    let mut found = BTreeMap::new();
    for (number, page) in all.pages.iter().enumerate() {
        if page.path.rsplit('/').next() == Some("requirements.md") {
            let criteria = criteria_of(page);
            if criteria.values().any(|places| !places.is_empty()) {
                found.insert(folder_of(page.path), (number, criteria));
            }
        }
    }
    found
}

fn criteria_of(page: &Page<'_>) -> Criteria {
    let requirement =
        page.for_sections(None, |heading, outer: Option<u32>| requirement_number(heading).or(outer));
    let is_criteria = page
        .for_sections(false, |heading, _| heading.trim().to_lowercase().starts_with("acceptance criteria"));
    let mut found: Criteria = requirement.iter().flatten().map(|number| (*number, Vec::new())).collect();
    for block in page.blocks.iter().filter(|block| is_criteria[block.section] && block.depth == 1) {
        if let (Kind::Item(_), Some(number)) = (block.kind, requirement[block.section]) {
            found.entry(number).or_default().push(page.source(block.plain.clone()));
        }
    }
    found
}

/// "Requirement 2", "Requirement 2: Fees".
fn requirement_number(heading: &str) -> Option<u32> {
    let rest = heading.strip_prefix("Requirement ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_whole = !rest[digits..].starts_with(['.', '-', '/']);
    rest[..digits].parse().ok().filter(|_| is_whole)
}

/// What tasks name after "Requirements:"; none where an entry is in words, such as "All".
fn names(page: &Page<'_>) -> Option<BTreeSet<Name>> {
    let mut found = BTreeSet::new();
    for block in &page.blocks {
        let Some((_, list)) = page.text_of(block).split_once("Requirements:") else { continue };
        for entry in list.trim_matches([' ', '.', '_', '*']).split([',', ';']) {
            found.extend(parse_entry(entry.trim())?);
        }
    }
    Some(found)
}

/// `2.3`, `2`, `2.3 (again)`, or the criteria of `2.1-2.4`.
fn parse_entry(entry: &str) -> Option<Vec<Name>> {
    let name = entry.split(' ').next().unwrap_or_default();
    let Some((first, last)) = name.split_once(['-', '–']) else { return Some(vec![parse_name(name)?]) };
    match (parse_name(first)?, parse_name(last)?) {
        ((one, Some(from)), (other, Some(to))) if one == other && to - from.min(to) < MAX_RANGE => {
            Some((from..=to).map(|at| (one, Some(at))).collect())
        }
        _ => None,
    }
}

fn parse_name(text: &str) -> Option<Name> {
    match text.split_once('.') {
        Some((requirement, criterion)) => Some((requirement.parse().ok()?, Some(criterion.parse().ok()?))),
        None => Some((text.parse().ok()?, None)),
    }
}

/// Criteria that no task names, where at least half are named: one finding a document.
pub fn untraced_criteria(all: &Pages<'_, '_>) -> Vec<Hit> {
    let known = requirements(all);
    let mut named: HashMap<&str, (usize, BTreeSet<Name>)> = HashMap::new();
    for (number, page) in all.pages.iter().enumerate().filter(|(_, page)| is_task_list(page.path)) {
        named.extend(names(page).map(|names| (folder_of(page.path), (number, names))));
    }
    let mut found = Vec::new();
    for (folder, (number, criteria)) in known {
        let Some((tasks, names)) = named.get(folder) else { continue };
        let each = criteria.iter().flat_map(|(requirement, places)| {
            places.iter().zip(1..).map(move |(place, at)| (*requirement, at, place))
        });
        let each: Vec<(u32, u32, &Range<usize>)> = each.collect();
        let is_named = |requirement: u32, at: u32| {
            names.contains(&(requirement, Some(at))) || names.contains(&(requirement, None))
        };
        let missing: Vec<_> =
            each.iter().filter(|(requirement, at, _)| !is_named(*requirement, *at)).collect();
        if let Some((.., place)) = missing.first()
            && missing.len() * 2 <= each.len()
        {
            let texts: Vec<String> = missing.iter().map(|(one, at, _)| format!("{one}.{at}")).collect();
            let hit = folded((*place).clone(), &texts, each.len(), all.pages[*tasks].path);
            found.push(Hit { page: number, ..hit });
        }
    }
    found
}
