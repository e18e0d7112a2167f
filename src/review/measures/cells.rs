//! Table cells that are empty although their column is filled.
//!
//! Only columns count whose header the rule names (`columns`), of which most cells have words, and in rows that say
//! something. A column of ticks is no column of words.

use super::{Hit, OnPage, hit};
use crate::review::page::{Page, Table, Unit};
use crate::review::token::Kind;

/// Rows without the header, at least.
const MIN_ROWS: u32 = 3;
/// So many of 100 cells of the column are filled.
const MIN_FILLED_PERCENT: usize = 60;

pub fn empty(on: &OnPage<'_, '_>) -> Vec<Hit> {
    on.page.tables.iter().flat_map(|table| in_table(on, table)).collect()
}

fn in_table(on: &OnPage<'_, '_>, table: &Table) -> Vec<Hit> {
    let (page, rows) = (on.page, on.page.rows(table));
    let mut found = Vec::new();
    if rows <= MIN_ROWS {
        return found;
    }
    let header = page.row(table, 0);
    for (column, head) in header.iter().enumerate() {
        if !head.is_judged || !on.rule.set("columns").is_in(page.tokens_of(head)) {
            continue;
        }
        let cells: Vec<(u32, &Unit)> =
            (1..rows).filter_map(|row| Some((row, page.row(table, row).get(column)?))).collect();
        let filled = cells.iter().filter(|(_, cell)| says_something(page, cell)).count();
        if filled * 100 < cells.len() * MIN_FILLED_PERCENT {
            continue;
        }
        let name = page.unit_text(head);
        let is_value = on.rule.set("value-columns").is_in(page.tokens_of(head));
        for (row, cell) in cells {
            let label = page.row(table, row).first();
            let says = |name| label.is_some_and(|label| on.rule.set(name).is_in(page.tokens_of(label)));
            // "Readiness level | high": a word is the value.
            if !says("totals") && is_empty(on, cell, is_value && !says("rated")) {
                found.extend(row_hit(page, table, row, cell).map(|hit| hit.with("column", name)));
            }
        }
    }
    found
}

/// The row as the quotation: an empty cell has no text to quote.
fn row_hit(page: &Page<'_>, table: &Table, row: u32, cell: &Unit) -> Option<Hit> {
    let units = page.row(table, row);
    // "| Path parameters: | | |" is a heading among the rows, and "| … | … |" stands for more rows.
    let is_heading = table.columns > 2 && !units.iter().skip(1).any(|unit| says_something(page, unit));
    if is_heading || !units.iter().any(|unit| says_something(page, unit)) {
        return None;
    }
    if let Some(own) = Page::span(page.tokens_of(cell)) {
        return Some(hit(own).with("row", page.unit_text(units.first()?)));
    }
    let with_text: Vec<&Unit> = units.iter().filter(|unit| !unit.tokens.is_empty()).collect();
    let range = Page::span(page.tokens_of(with_text.first()?))?;
    let label = page.text[range.clone()].to_owned();
    let next = with_text.get(1).filter(|_| label.len() < 8).and_then(|unit| Page::span(page.tokens_of(unit)));
    let range = next.map_or(range.clone(), |next| range.start..next.end);
    Some(hit(range).with("row", label))
}

fn says_something(page: &Page<'_>, cell: &Unit) -> bool {
    page.tokens_of(cell).iter().any(|token| token.kind != Kind::Sign)
}

/// No word, or where a value belongs only words such as "various" that the rule lists.
fn is_empty(on: &OnPage<'_, '_>, cell: &Unit, is_value: bool) -> bool {
    let tokens = on.page.tokens_of(cell);
    let is_blank = tokens.iter().all(|token| matches!(on.page.word(token), "?" | "_" | "\u{2026}" | "."));
    is_blank
        || is_value
            && on.rule.set("empty").find(tokens).is_some_and(|(from, to)| from == 0 && to == tokens.len())
}
