//! Criteria of Kiro: "Requirement 2" with its third acceptance criterion is `2.3`, and tasks name it so.
//!
//! ```text
//! requirements.md: ### Requirement 1 … #### Acceptance Criteria 1. WHEN … 2. WHEN …
//! tasks.md:        - [ ] 1. Lock the gate  - _Requirements: 1.1, 1.4_      there is no criterion 1.4
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Kind, Page};
use super::Pages;
use super::naming::{Dangling, folded, folder_of, is_task_list};

/// Criteria of a requirement: how many, and where each is.
type Criteria = BTreeMap<u32, Vec<Range<usize>>>;

/// `2.3`, or a whole requirement: `2`.
type Name = (u32, Option<u32>);

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

/// What tasks name after "Requirements:", with its place in the plain text.
fn names(page: &Page<'_>) -> Vec<(Name, Range<usize>)> {
    let mut found = Vec::new();
    for block in &page.blocks {
        let text = page.text_of(block);
        let Some(at) = text.find("Requirements:").map(|at| at + "Requirements:".len()) else { continue };
        let mut start = block.plain.start + at;
        for part in text[at..].split(',') {
            let name = part.trim();
            let from = start + (part.len() - part.trim_start().len());
            start += part.len() + 1;
            match parse_name(name) {
                Some(number) => found.push((number, from..from + name.len())),
                // `6.1a` is another way to number; words end the list.
                None if name.starts_with(|sign: char| sign.is_ascii_digit()) => {}
                None => break,
            }
        }
    }
    found
}

fn parse_name(text: &str) -> Option<Name> {
    match text.split_once('.') {
        Some((requirement, criterion)) => Some((requirement.parse().ok()?, Some(criterion.parse().ok()?))),
        None => Some((text.parse().ok()?, None)),
    }
}

/// Names of criteria that their requirement does not have.
pub fn dangling_criteria(all: &Pages<'_, '_>) -> Vec<Dangling> {
    let known = requirements(all);
    let mut found = Vec::new();
    for (number, page) in all.pages.iter().enumerate().filter(|(_, page)| is_task_list(page.path)) {
        let Some((_, criteria)) = known.get(folder_of(page.path)) else { continue };
        let mut seen = BTreeSet::new();
        for ((requirement, criterion), plain) in names(page) {
            let places = criteria.get(&requirement);
            let is_known = places.is_some_and(|places| {
                criterion.is_none_or(|at| places.is_empty() || (1..=places.len()).contains(&(at as usize)))
            });
            if !is_known && seen.insert((requirement, criterion)) {
                found.push(Dangling { page: number, family: String::new(), place: page.source(plain) });
            }
        }
    }
    found
}

/// Criteria that no task names, where at least half are named: one finding a document.
pub fn untraced_criteria(all: &Pages<'_, '_>) -> Vec<Hit> {
    let known = requirements(all);
    let mut named: HashMap<&str, (usize, BTreeSet<Name>)> = HashMap::new();
    for (number, page) in all.pages.iter().enumerate().filter(|(_, page)| is_task_list(page.path)) {
        let all_names = names(page).into_iter().map(|(name, _)| name).collect();
        named.insert(folder_of(page.path), (number, all_names));
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
