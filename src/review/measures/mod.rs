//! What a phrase cannot say, as named measures: over one page, or over all documents of a run.
//!
//! A measure has no words of its own: lists come from the rule's file (`words:`), so that a repository can change
//! them. Invariant: each is linear or n log n in the text. `measure: boundaries` finds "above 6 … below 6".

mod cells;
mod clock;
mod decisions;
mod figures;
mod gaps;
mod ids;
mod logic;
mod names;
mod questions;
mod rules_against;
mod siblings;
mod states;
mod stories;
mod terms;

use std::ops::Range;

use super::Hit;
use super::page::{Page, Unit};
use super::rule::{Rule, Rules};
use super::token::Token;

/// One page, for a measure.
pub struct OnPage<'a, 't> {
    pub page: &'a Page<'t>,
    pub rules: &'a Rules,
    pub rule: &'a Rule,
}

/// All pages of a run, for a measure.
pub struct Across<'a, 't> {
    pub pages: &'a [Page<'t>],
    /// Recordings, as the pages after the last one.
    pub records: &'a [Page<'t>],
    pub rules: &'a Rules,
    pub rule: &'a Rule,
}

impl<'a, 't> Across<'a, 't> {
    /// A page by its number: a document, or after these a recording.
    fn page(&self, number: u32) -> &'a Page<'t> {
        let at = number as usize;
        self.pages.get(at).unwrap_or_else(|| &self.records[at - self.pages.len()])
    }
}

/// A named measure.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    Page(fn(&OnPage<'_, '_>) -> Vec<Hit>),
    Across(fn(&Across<'_, '_>) -> Vec<Hit>),
}

/// All measures by name.
const ALL: &[(&str, Measure)] = &[
    ("bare-numbers", Measure::Page(figures::bare_numbers)),
    ("boundaries", Measure::Page(logic::boundaries)),
    ("broken-sentences", Measure::Page(gaps::broken_sentences)),
    ("conflicting-figures", Measure::Across(figures::conflicts)),
    ("contradictions", Measure::Across(rules_against::contradictions)),
    ("contradicted-decisions", Measure::Across(decisions::contradicted)),
    ("dangling-ids", Measure::Across(ids::dangling)),
    ("dangling-sections", Measure::Across(ids::sections)),
    ("duplicate-ids", Measure::Page(ids::duplicates)),
    ("empty-cells", Measure::Page(cells::empty)),
    ("empty-sections", Measure::Page(gaps::empty_sections)),
    ("ignores", Measure::Page(nothing)),
    ("missing-mark", Measure::Page(siblings::missing_mark)),
    ("mixed-logic", Measure::Page(logic::mixed)),
    ("one-way-states", Measure::Across(states::one_way)),
    ("questions", Measure::Page(questions::unresolved)),
    ("rare-wording", Measure::Page(logic::rare_wording)),
    ("several-duties", Measure::Page(logic::several_duties)),
    ("sibling-without", Measure::Page(siblings::without)),
    ("stories-without-criteria", Measure::Page(stories::without_criteria)),
    ("two-names", Measure::Page(names::two_names)),
    ("undefined-acronyms", Measure::Across(terms::undefined)),
];

/// # Errors
/// A message that names the nearest measure.
pub fn find(name: &str) -> Result<Measure, String> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, measure)| *measure).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|(known, _)| *known).collect();
        format!("there is no measure \"{name}\"{}", crate::finding::did_you_mean(name, &known))
    })
}

/// The rule is reported by another part of the review.
fn nothing(_: &OnPage<'_, '_>) -> Vec<Hit> {
    Vec::new()
}

/// A hit on the page of the measure.
fn hit(range: Range<usize>) -> Hit {
    Hit { rule: 0, page: 0, range, values: Vec::new(), related: Vec::new() }
}

/// A hit on tokens.
fn hit_on(tokens: &[Token]) -> Option<Hit> {
    Page::span(tokens).map(hit)
}

impl Hit {
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Hit {
        self.values.push((name, value.into()));
        self
    }
}

/// The units that the rule reads: judged text of its kinds of sections.
fn judged<'a>(on: &'a OnPage<'_, '_>) -> impl Iterator<Item = &'a Unit> {
    on.page.units.iter().filter(|unit| unit.is_judged && on.rule.is_for(unit.kinds))
}
