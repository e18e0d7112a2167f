//! Questions that a document asks and doesn't answer.
//!
//! A question is open where nothing follows it: it ends its list item, its row has an empty cell after it, or
//! the next heading or question comes right after it. `*Who pays?* The buyer.` is answered.

use super::{Hit, OnPage, hit_on};
use crate::review::page::{Unit, UnitKind};
use crate::review::token::{EMPHASIS, Kind, QUOTED, STRONG, Token};

pub fn unresolved(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let page = on.page;
    let mut found: Vec<(u32, Hit)> = Vec::new();
    for (at, unit) in page.units.iter().enumerate() {
        let is_open_section = on.rule.inside & unit.kinds != 0;
        if unit.is_quotation || !(unit.is_judged || is_open_section) || unit.kind == UnitKind::Heading {
            continue;
        }
        let Some(question) = page.sentences_of(unit).last().filter(|last| is_question(on, last)) else {
            continue;
        };
        let is_open = match unit.cell {
            Some(cell) => cell.row > 0 && is_row_open(on, unit),
            None => {
                is_open_section && unit.list > 0 && !has_children(on, at)
                    || is_open_section && is_asked_last(on, at)
                    || is_asked_alone(on, at, question)
            }
        };
        if is_open && !is_answered(on, at) && !has_heading(on, question) {
            found.extend(hit_on(question).map(|hit| (unit.section, hit)));
        }
    }
    found_by_section(found)
}

/// Words that a section, or the heading after it, begins with.
const OPENING: usize = 4;

/// The section says at its begin that it is resolved, or the next one answers it ("Recommended default").
fn is_answered(on: &OnPage<'_, '_>, at: usize) -> bool {
    let page = on.page;
    let Some(section) = page.sections.get(page.units[at].section as usize) else { return false };
    let says = |at: usize| {
        let first = page.units.get(at).and_then(|unit| page.sentences_of(unit).next());
        first.is_some_and(|first| on.rule.set("answer").is_in(&first[..first.len().min(OPENING)]))
    };
    let first = section.heading.map_or(0, |heading| heading as usize + 1);
    let next = section.end as usize;
    let is_heading = page.units.get(next).is_some_and(|next| next.kind == UnitKind::Heading);
    first < at && says(first) || is_heading && says(next)
}

/// The question is asked again as a heading, with its answer below.
fn has_heading(on: &OnPage<'_, '_>, question: &[Token]) -> bool {
    let text = |tokens: &[Token]| -> Vec<String> {
        let words = tokens.iter().filter(|token| token.kind == Kind::Word);
        words.map(|token| on.page.word(token).to_lowercase()).collect()
    };
    let asked = text(question);
    let headings = on.page.sections.iter().filter_map(|section| section.heading);
    headings.take(MAX_HEADINGS).any(|unit| text(on.page.tokens_of(&on.page.units[unit as usize])) == asked)
}

/// So many headings are looked at for the question.
const MAX_HEADINGS: usize = 200;

/// A paragraph that ends with its question, before a heading, another such one or the end.
fn is_asked_last(on: &OnPage<'_, '_>, at: usize) -> bool {
    let (page, unit) = (on.page, &on.page.units[at]);
    let asks = |next: &Unit| page.sentences_of(next).last().is_some_and(|last| is_question(on, last));
    let next = page.units.get(at + 1);
    unit.kind == UnitKind::Paragraph
        && unit.list == 0
        && next.is_none_or(|next| next.kind == UnitKind::Heading || asks(next))
}

/// A list of more questions is one finding: its author knows that they are open.
const MAX_SINGLE: usize = 3;

fn found_by_section(found: Vec<(u32, Hit)>) -> Vec<Hit> {
    let groups = found.chunk_by(|(a, _), (b, _)| a == b);
    let kept = groups.flat_map(|group| {
        let count = if group.len() > MAX_SINGLE { 1 } else { group.len() };
        let more =
            if count == group.len() { String::new() } else { format!(" and {} more", group.len() - 1) };
        group[..count].iter().map(move |(_, hit)| hit.clone().with("more", more.clone()))
    });
    kept.collect()
}

fn is_question(on: &OnPage<'_, '_>, sentence: &[Token]) -> bool {
    let last = sentence.iter().rev().find(|token| on.page.word(token) != "\"");
    let words = sentence.iter().filter(|token| token.kind == Kind::Word).count();
    words >= 3
        && last.is_some_and(|last| on.page.word(last) == "?" && !last.has(QUOTED))
        && !on.rule.unless.is_in(sentence)
}

/// Cells of a row that are looked at.
const MAX_CELLS: usize = 64;

/// A cell after the question is empty, and none has words.
fn is_row_open(on: &OnPage<'_, '_>, unit: &Unit) -> bool {
    let Some(cell) = unit.cell else { return false };
    let row = on.page.row(&on.page.tables[cell.table as usize], cell.row);
    let after: Vec<&Unit> = row.iter().take(MAX_CELLS).filter(|other| other.start > unit.start).collect();
    !after.is_empty() && after.iter().all(|other| other.tokens.is_empty())
}

/// The next unit is a part of this list item: an answer.
fn has_children(on: &OnPage<'_, '_>, at: usize) -> bool {
    let unit = &on.page.units[at];
    on.page.units.get(at + 1).is_some_and(|next| {
        next.kind != UnitKind::Heading
            && (next.list > unit.list || next.kind == UnitKind::Paragraph && next.list > 0)
    })
}

/// A paragraph that is nothing but an emphasised question, before a heading, another such one or the end.
fn is_asked_alone(on: &OnPage<'_, '_>, at: usize, question: &[Token]) -> bool {
    let (page, unit) = (on.page, &on.page.units[at]);
    let is_whole = unit.sentences.len() == 1;
    let is_marked =
        question.iter().filter(|token| token.kind == Kind::Word).all(|t| t.flags & (EMPHASIS | STRONG) != 0);
    let next = page.units.get(at + 1);
    let is_last = next.is_none_or(|next| next.kind == UnitKind::Heading);
    let is_asked_again = next.is_some_and(|next| {
        page.tokens_of(next).first().is_some_and(|token| token.flags & (EMPHASIS | STRONG) != 0)
    });
    is_whole && is_marked && unit.kind == UnitKind::Paragraph && (is_last || is_asked_again)
}
