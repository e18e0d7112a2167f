//! OpenSpec: do the requirements that a change adds, modifies or removes fit the specification that it is for, and has
//! each a scenario? `openspec archive` and `openspec validate` refuse what this finds.
//!
//! ```text
//! openspec/changes/slots/specs/booking/spec.md:  ## MODIFIED Requirements  ### Requirement: Slot length
//! openspec/specs/booking/spec.md:                has no "### Requirement: Slot length"
//! ```

use std::collections::{HashMap, HashSet};

use super::super::Hit;
use super::super::page::Page;
use super::Pages;

/// What a change does with the requirements below a heading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Delta {
    Added,
    Modified,
    Removed,
}

impl Delta {
    fn of(heading: &str) -> Option<Delta> {
        match heading.trim().to_lowercase().as_str() {
            "added requirements" => Some(Delta::Added),
            "modified requirements" => Some(Delta::Modified),
            "removed requirements" => Some(Delta::Removed),
            _ => None,
        }
    }
}

/// Requirements of changes that their specification lacks, or has already; requirements without a scenario.
pub fn deltas(all: &Pages<'_, '_>) -> Vec<Hit> {
    let by_path: HashMap<&str, &Page<'_>> = all.pages.iter().map(|page| (page.path, page)).collect();
    let mut found = Vec::new();
    for (number, page) in all.pages.iter().enumerate().filter(|(_, page)| is_spec(page.path)) {
        let target = specification_of(page.path);
        let known = target.as_ref().and_then(|path| by_path.get(path.as_str())).map(|page| names(page));
        let is_lost = target.as_ref().is_some_and(|path| known.is_none() && all.options.files.lacks(path));
        let deltas = page.for_sections(None, |heading, outer: Option<Delta>| Delta::of(heading).or(outer));
        for (section, delta) in deltas.iter().enumerate() {
            let Some(name) = requirement_name(page.heading(section)) else { continue };
            let problem = match (delta, &known) {
                (Some(Delta::Added), Some(known)) if known.contains(&name) => Some("has it already"),
                (Some(Delta::Modified | Delta::Removed), Some(known)) if !known.contains(&name) => {
                    Some("lacks it")
                }
                (Some(Delta::Modified | Delta::Removed), None) if is_lost => Some("does not exist"),
                _ if target.is_some() && delta.is_none() => None,
                _ if *delta != Some(Delta::Removed) && !has_scenario(page, section) => Some(""),
                _ => None,
            };
            let Some((problem, heading)) = problem.zip(page.sections[section].heading) else { continue };
            let message = match (problem, &target) {
                ("", _) => "has no scenario".to_owned(),
                (problem, target) => {
                    format!("is in this change, and {} {problem}", target.as_deref().unwrap_or(""))
                }
            };
            let hit = Hit::at(page.source(page.blocks[heading].plain.clone())).with("problem", message);
            found.push(Hit { page: number, ..hit });
        }
    }
    found
}

/// A specification, or a change of one that is not archived.
fn is_spec(path: &str) -> bool {
    let is_of_openspec = path.starts_with("openspec/") || path.contains("/openspec/");
    is_of_openspec && path.ends_with("/spec.md") && path.contains("/specs/") && !is_archived(path)
}

/// A document of a change that is done: OpenSpec moves it there.
pub fn is_archived(path: &str) -> bool {
    path.contains("openspec/changes/archive/")
}

/// The specification that a change's file is for.
fn specification_of(path: &str) -> Option<String> {
    let (root, rest) = path.split_once("openspec/changes/")?;
    let (_, capability) = rest.split_once("/specs/")?;
    Some(format!("{root}openspec/specs/{capability}"))
}

fn names(page: &Page<'_>) -> HashSet<String> {
    (0..page.sections.len()).filter_map(|section| requirement_name(page.heading(section))).collect()
}

/// "Requirement: Slot length", as it is compared.
fn requirement_name(heading: &str) -> Option<String> {
    let name = heading.trim().strip_prefix("Requirement:")?;
    Some(name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase())
}

fn has_scenario(page: &Page<'_>, section: usize) -> bool {
    let level = page.sections[section].level;
    let below = (section + 1..page.sections.len()).take_while(|at| page.sections[*at].level > level);
    below.into_iter().any(|at| page.heading(at).trim_start().starts_with("Scenario"))
}
