//! User stories that lack acceptance criteria while their neighbours have some.

use super::{Hit, OnPage, hit_on};
use crate::review::page::{Style, Unit, UnitKind};

/// So many stories of the document have criteria: otherwise they are kept elsewhere.
const MIN_WITH_CRITERIA: usize = 2;

pub fn without_criteria(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let (page, story, criteria) = (on.page, on.rule.set("story"), on.rule.set("criteria"));
    // A proposal tells stories to explain itself.
    if page.register.style == Style::Prose {
        return Vec::new();
    }
    let mut with = 0;
    let mut without = Vec::new();
    for section in 1..page.sections.len() as u32 {
        let units: Vec<&Unit> =
            page.units_below(section).iter().filter(|unit| unit.section == section).collect();
        let says = |set: &crate::review::pattern::Set| {
            units.iter().any(|unit| page.sentences_of(unit).any(|sentence| set.is_in(sentence)))
        };
        if !units.first().is_some_and(|unit| unit.is_judged) || !says(story) {
            continue;
        }
        let has_list = units.iter().any(|unit| unit.list > 0 || unit.kind == UnitKind::Cell);
        let is_leaf = page.units_below(section).len() == units.len();
        if has_list || says(criteria) || !is_leaf {
            with += 1;
        } else {
            without.extend(units.first().and_then(|unit| hit_on(page.tokens_of(unit))));
        }
    }
    if with < MIN_WITH_CRITERIA { Vec::new() } else { without }
}
