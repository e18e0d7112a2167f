//! Lines that contradict what was decided: "Decision: fees stop at 10 euros", and a requirement with 20.
//!
//! The decisions are those of the recordings beside the documents. A line contradicts one where the two have the same
//! quantity with two values, or the same verb once with "not". Invariant: a line that agrees with any decision on the
//! same quantity is no finding, so that a later decision may replace an earlier one.

use std::collections::BTreeMap;
use std::ops::Range;

use super::figures::{Figure, Reader, agreement, differ};
use super::rules_against::{self, Place, Predicate};
use super::{Across, Hit, hit};
use crate::review::page::{Page, UnitKind};

pub fn contradicted(across: &Across<'_, '_>) -> Vec<Hit> {
    let mut folders: BTreeMap<&str, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    let first = across.pages.len() as u32;
    for (number, record) in (first..).zip(across.records) {
        folders.entry(record.folder()).or_default().1.push(number);
    }
    if folders.is_empty() {
        return Vec::new();
    }
    for (number, page) in (0..).zip(across.pages) {
        if let Some((pages, _)) = folders.get_mut(page.folder()) {
            pages.push(number);
        }
    }
    folders.values().flat_map(|(pages, records)| in_folder(across, pages, records)).collect()
}

fn in_folder(across: &Across<'_, '_>, pages: &[u32], records: &[u32]) -> Vec<Hit> {
    let mut reader = Reader::new(across, 0);
    let (lines, decided) = (figures_of(&mut reader, across, pages), figures_of(&mut reader, across, records));
    let mut by_dimension: BTreeMap<u32, Vec<&Figure<'_>>> = BTreeMap::new();
    for figure in &decided {
        let same = by_dimension.entry(figure.dimension).or_default();
        // Of very many decisions the first are compared.
        if same.len() < MAX_COMPARED {
            same.push(figure);
        }
    }
    let mut found = Vec::new();
    for line in &lines {
        let same = by_dimension.get(&line.dimension).into_iter().flatten();
        let about: Vec<&&Figure<'_>> = same.filter(|one| agreement(line, one).is_some()).collect();
        let other = about.iter().find(|one| differ(line, one));
        if let Some(other) = other.filter(|_| about.iter().all(|one| differ(line, one))) {
            found.push(against(across, line.page, line.range.clone(), other.page, other.range.start));
        }
    }
    found.extend(denied(across, pages, records));
    found
}

/// So many decisions are compared with a line.
const MAX_COMPARED: usize = 200;

fn figures_of<'t>(reader: &mut Reader<'_, 't>, across: &Across<'_, 't>, numbers: &[u32]) -> Vec<Figure<'t>> {
    let mut all = Vec::new();
    for number in numbers {
        let page = across.page(*number);
        let units =
            (0..).zip(&page.units).filter(|(_, unit)| unit.is_judged && unit.kind != UnitKind::Heading);
        for (at, unit) in units.filter(|(_, unit)| across.rule.is_for(unit.kinds)) {
            reader.read(page, *number, at, unit, &mut all);
        }
    }
    all
}

/// Sentences that deny what was decided, or say what was ruled out.
fn denied(across: &Across<'_, '_>, pages: &[u32], records: &[u32]) -> Vec<Hit> {
    let (lines, decided) = (verbs_of(across, pages), verbs_of(across, records));
    let mut found = Vec::new();
    for (verb, decisions) in &decided {
        let decisions: Vec<Predicate> = described(across, decisions);
        for line in described(across, lines.get(verb).map_or(&[], Vec::as_slice)) {
            let opposed = decisions.iter().take(MAX_COMPARED).find(|one| {
                one.is_negated != line.is_negated
                    && rules_against::contradicts(negated(one, &line), positive(one, &line))
            });
            if let Some(one) = opposed {
                found.push(against(across, line.page, line.range.clone(), one.page, one.range.start));
            }
        }
    }
    found
}

fn negated<'p>(a: &'p Predicate, b: &'p Predicate) -> &'p Predicate {
    if a.is_negated { a } else { b }
}

fn positive<'p>(a: &'p Predicate, b: &'p Predicate) -> &'p Predicate {
    if a.is_negated { b } else { a }
}

fn verbs_of<'a>(across: &'a Across<'_, '_>, numbers: &[u32]) -> BTreeMap<String, Vec<Place<'a>>> {
    let mut verbs = BTreeMap::new();
    for number in numbers {
        let page = across.page(*number);
        let units = page.units.iter().filter(|unit| unit.is_judged && unit.kind != UnitKind::Heading);
        for unit in units.filter(|unit| across.rule.is_for(unit.kinds)) {
            rules_against::in_unit(across, page, *number, unit, &mut verbs);
        }
    }
    verbs
}

fn described(across: &Across<'_, '_>, places: &[Place<'_>]) -> Vec<Predicate> {
    places
        .iter()
        .filter_map(|place| rules_against::described(across, place))
        .filter(|one| !one.has_exception)
        .collect()
}

/// A hit on a line, with the decision that it contradicts.
fn against(across: &Across<'_, '_>, page: u32, range: Range<usize>, record: u32, at: usize) -> Hit {
    let decision = across.page(record);
    let unit = decision.units.partition_point(|unit| unit.start as usize <= at).saturating_sub(1);
    let place =
        decision.units.get(unit).and_then(|unit| Page::span(decision.tokens_of(unit))).unwrap_or(at..at);
    let text = decision.text[place.clone()].to_owned();
    Hit {
        page,
        related: vec![(record, place)],
        ..hit(range).with("decision", text).with("record", decision.path)
    }
}
