//! What neighbours have and one of them lacks.
//!
//! Two assumptions with an owner and one without: the one without is the finding.

use std::collections::BTreeMap;

use super::{Hit, OnPage, hit_on, judged};
use crate::review::demand::label;
use crate::review::page::{Style, Unit, UnitKind};
use crate::review::pattern::Set;
use crate::review::token::Kind;

/// Shorter items, such as formulas, claim nothing.
const MIN_WORDS: usize = 4;

/// Items or paragraphs of a section that lack what a sibling has (`has`), and have no excuse.
pub fn without(on: &OnPage<'_, '_>) -> Vec<Hit> {
    if on.page.register.style == Style::Prose {
        return Vec::new();
    }
    let mut groups: BTreeMap<u32, Vec<&Unit>> = BTreeMap::new();
    for unit in judged(on) {
        let is_text = matches!(unit.kind, UnitKind::Item | UnitKind::Paragraph);
        // A line above a list ("Assumptions:") makes no section.
        let is_inside = on.rule.is_for(on.page.sections[unit.section as usize].kinds);
        let words = on.page.tokens_of(unit).iter().filter(|token| token.kind == Kind::Word).count();
        if is_text && is_inside && words >= MIN_WORDS {
            groups.entry(unit.section).or_default().push(unit);
        }
    }
    groups.values().flat_map(|group| lacking(on, group)).collect()
}

fn lacking(on: &OnPage<'_, '_>, group: &[&Unit]) -> Vec<Hit> {
    let (set, excuse) = (on.rule.set("has"), on.rule.set("excuse"));
    let says = |unit: &Unit, set: &Set| on.page.sentences_of(unit).any(|sentence| set.is_in(sentence));
    let (with, without): (Vec<&&Unit>, Vec<&&Unit>) = group.iter().partition(|unit| says(unit, set));
    let ends_with_colon =
        |unit: &Unit| on.page.tokens_of(unit).last().is_some_and(|last| on.page.word(last) == ":");
    let is_claim = |unit: &&&Unit| !ends_with_colon(unit) && !says(unit, excuse);
    let Some(example) = with.first() else { return Vec::new() };
    let example = on.page.unit_text(example);
    let hits = without.into_iter().filter(is_claim).filter_map(|unit| {
        let first = on.page.sentences_of(unit).next()?;
        let sentence = if first.len() < 4 { on.page.tokens_of(unit) } else { first };
        Some(hit_on(sentence)?.with("sibling", example))
    });
    hits.collect()
}

/// Headings of a series of which most have a mark (`mark`) and one has none: `### RET-06 Gifts` among `(P1)`.
pub fn missing_mark(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let set = on.rule.set("mark");
    let mut groups: BTreeMap<u8, Vec<&Unit>> = BTreeMap::new();
    for unit in on.page.units.iter().filter(|unit| unit.kind == UnitKind::Heading) {
        if label(on.page.tokens_of(unit)).is_some_and(|token| token.kind == Kind::Id) {
            groups.entry(on.page.sections[unit.section as usize].level).or_default().push(unit);
        }
    }
    let mut found = Vec::new();
    for group in groups.values() {
        let has = |unit: &&&Unit| set.is_in(on.page.tokens_of(unit));
        let (with, without): (Vec<&&Unit>, Vec<&&Unit>) = group.iter().partition(|unit| has(unit));
        if with.len() >= 3 && with.len() >= 3 * without.len() {
            found.extend(without.iter().filter_map(|unit| hit_on(on.page.tokens_of(unit))));
        }
    }
    found
}
