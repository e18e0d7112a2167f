//! Headings with nothing below them, and cells that all other rows of their table fill.

use super::super::Hit;
use super::super::page::{Block, Kind, Page};
use super::ids::leading_id;
use super::records::is_over;

/// Fewer rows show no custom.
const MIN_ROWS: usize = 4;
/// A heading of more words says something itself.
const MAX_HEADING_WORDS: usize = 4;

/// Headings that are followed by nothing, up to the next one of the same or a higher level, or the end.
pub fn empty_sections(page: &Page<'_>) -> Vec<Hit> {
    if is_over(page) {
        return Vec::new();
    }
    let headings: Vec<usize> = page.sections.iter().filter_map(|section| section.heading).collect();
    let mut found = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        let block = &page.blocks[*heading];
        let section = &page.sections[block.section];
        let next = headings.get(at + 1).map(|next| &page.blocks[*next]);
        let end = next.map_or(page.text.len(), |next| next.range.start);
        // What has a heading of a higher level or a numbered one below it may only have the wrong level.
        let goes_on = next.is_some_and(|next| {
            page.sections[next.section].level != section.level
                || page.text_of(next).starts_with(|sign: char| sign.is_ascii_digit())
        });
        let has_begun = page.blocks[..*heading].iter().any(|block| block.kind != Kind::Heading);
        let text = page.text_of(block);
        // A title, a version, "Severity: high", a story as a heading: they are content.
        let is_name = text.split_whitespace().count() <= MAX_HEADING_WORDS
            && !text.is_empty()
            && !text.contains([':', '?', '/', '[', '(', '`', super::super::page::CODE])
            && !text.contains(|sign: char| sign.is_ascii_digit());
        let has_link = {
            let next = page.links.partition_point(|link| link.range.start < block.range.start);
            page.links.get(next).is_some_and(|link| link.range.start < block.range.end)
        };
        let below = page.text.get(block.range.end..end).unwrap_or_default();
        let is_empty =
            below.trim_matches(|sign: char| sign.is_whitespace() || "-*_".contains(sign)).is_empty();
        if section.level > 1
            && !goes_on
            && has_begun
            && is_name
            && !has_link
            && is_empty
            && !block.is_quoted
            && headings.len() > 1
        {
            found.push(Hit::at(page.source(block.plain.clone())));
        }
    }
    found
}

/// Empty cells of a column that every other row fills, in tables of some rows.
pub fn empty_cells(page: &Page<'_>) -> Vec<Hit> {
    let mut found = Vec::new();
    for (number, table) in page.tables.iter().enumerate() {
        // Of each column: its rows, those that are filled, the last one that is not.
        let mut columns = vec![(0_usize, 0_usize, 0_usize); table.columns];
        for block in &page.blocks[table.blocks.clone()] {
            let Kind::Cell(cell) = block.kind else { continue };
            let (rows, filled, empty) = &mut columns[cell.column];
            *rows += usize::from(cell.row > 0);
            match is_empty(page, block) {
                false => *filled += usize::from(cell.row > 0),
                true => *empty = cell.row,
            }
        }
        for (column, (rows, filled, empty)) in columns.into_iter().enumerate().skip(1) {
            if rows >= MIN_ROWS && filled + 1 == rows && !page.blocks[table.blocks.start].is_quoted {
                found.extend(empty_cell(page, number, empty, column));
            }
        }
    }
    found
}

/// A cell has neither text nor an image.
fn is_empty(page: &Page<'_>, block: &Block) -> bool {
    page.text[block.range.clone()].trim_matches(|sign: char| sign.is_whitespace() || sign == '|').is_empty()
}

/// The row's first cell as the quotation of a hit, where it is an id and the row has just this gap: elsewhere an empty
/// cell often says "none".
fn empty_cell(page: &Page<'_>, table: usize, row: usize, column: usize) -> Option<Hit> {
    let cells = page.row(table, row);
    let gaps = cells.iter().filter(|block| is_empty(page, block)).count();
    let header = page.row(table, 0).get(column).map_or("", |block| page.text_of(block)).trim();
    let first = cells.first().filter(|block| leading_id(page.text_of(block)).is_some())?;
    let hit = Hit::at(page.source(first.plain.clone())).with("column", header.to_owned());
    (gaps == 1 && !header.is_empty()).then_some(hit)
}
