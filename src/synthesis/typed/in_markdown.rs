//! Typed additions in Markdown: a row of the table, the next item of the list, or a block at the end of the section.
//!
//! Invariant: an addition has the pattern of its neighbours and no mark of its own, so it is found again by its words.

use std::ops::Range;

use super::{Addition, Found, Placing, cells, one_block, row};
use crate::item::library::Library;
use crate::synthesis::lists::{Item, Pattern, items_of};
use crate::synthesis::outline::{Heading, Outline, fits, insert};
use crate::text::ids::ids;
use crate::text::plain;
use crate::text::template::Failed;

/// An addition that was found in a text: its bytes, up to the end of its last line, and the id that it got.
pub struct PlacedAddition {
    pub range: Range<usize>,
    pub id: Option<String>,
}

impl Placing<'_> {
    /// Below a heading, or in the section that has an id.
    pub(super) fn markdown(&self, text: &str) -> Found<(String, String)> {
        let outline = Outline::new(text);
        let anchored = self.anchored(text, &outline);
        let Some(heading) = self.listed(&outline, anchored).or(anchored) else {
            return Ok(Err(self.no_anchor()));
        };
        if entry(text, self.addition, self.library)?.is_some() {
            return Ok(Err("it is there already".to_owned()));
        }
        let section = outline.headings[heading].text.clone();
        let range = outline.headings[heading].start..own_end(text, &outline, heading);
        let words = words(self.addition, self.library)?;
        let placed = self.as_row(text, &range).or_else(|| self.as_item(text, &range, &words));
        if let Some(placed) = placed {
            return Ok(Ok((placed, section)));
        }
        let id = self.next_id(&[&text[range.clone()], text]);
        let lead = id.map(|id| format!("**{id}**: ")).unwrap_or_default();
        let body = match words.strip_prefix("- ") {
            Some(rest) => format!("- {lead}{rest}"),
            None => format!("{lead}{words}"),
        };
        let mut places = [range.end, outline.end(heading)].into_iter().map(|at| insert(text, at, &body));
        let fitting = places.find(|inserted| fits(text, inserted));
        Ok(fitting.map(|inserted| (inserted.text, section)).ok_or("its place has no room for it".to_owned()))
    }

    /// The heading of the kind's list: below what is anchored, else the only one of the document.
    fn listed(&self, outline: &Outline, anchored: Option<usize>) -> Option<usize> {
        let name = self.place.heading.as_ref()?;
        let is_it = |heading: &&Heading| !heading.added && heading.text.eq_ignore_ascii_case(name);
        let within = |range: Range<usize>| {
            let all = outline.headings.iter().enumerate();
            all.filter(move |(_, heading)| range.contains(&heading.start)).filter(move |(_, one)| is_it(one))
        };
        let below = anchored.map(|at| outline.headings[at].start..outline.end(at));
        if let Some((at, _)) = below.and_then(|range| within(range).next()) {
            return Some(at);
        }
        let mut all = within(0..usize::MAX);
        all.next().filter(|_| all.next().is_none()).map(|(at, _)| at)
    }

    /// The text with a row more in the last table of a section that has a column for everything.
    fn as_row(&self, text: &str, section: &Range<usize>) -> Option<String> {
        let tables = tables(&text[section.clone()]);
        let table = tables.into_iter().rfind(|table| self.fits_columns(&table.headers))?;
        let at = section.start + table.end;
        let last = &text[section.start + table.last.start..section.start + table.last.end];
        let id = self.next_id(&[&text[section.clone()], text]);
        let cells = row(self.addition, id, &table.headers)?;
        Some(with_line(text, at, &row_like(last, &cells)))
    }

    /// The text with an item more in a list of a section: after the last item with an id of the series, else after the
    /// list that the section ends in.
    fn as_item(&self, text: &str, section: &Range<usize>, words: &str) -> Option<String> {
        let items = items_of(text, section);
        let has_id = |item: &&Item| {
            let id = lead(item.words(text)).map(|lead| lead.id);
            id.is_some_and(|id| self.is_own(id))
        };
        let counted = items.iter().rfind(has_id);
        let last = items.last().filter(|item| text[item.end..section.end].trim().is_empty());
        let item = counted.or(last)?;
        let head = match counted.and_then(|item| lead(item.words(text))) {
            Some(lead) => {
                let id = self.next_id(&[&text[section.clone()], text])?;
                format!("{}{id}{}", lead.before.replace(['x', 'X'], " "), lead.after)
            }
            None => String::new(),
        };
        let pattern = item.pattern.next();
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let gap = if item.is_loose { end } else { "" };
        let body = words.strip_prefix("- ").unwrap_or(words);
        let is_named = head.is_empty() && items.iter().all(|item| names_its_subject(item.words(text)));
        let body = if is_named { with_bold_subject(body) } else { body.to_owned() };
        let mut lines = body.lines();
        let first = format!("{gap}{}{head}{}", pattern.mark(), lines.next().unwrap_or_default());
        let width = " ".repeat(pattern.mark().len());
        let below = lines.map(|line| format!("{end}{width}{}", line.trim_start()));
        Some(with_line(text, item.end, &std::iter::once(first).chain(below).collect::<String>()))
    }
}

/// Whether an item begins with its subject in bold: `**Desk**: where readers pay`.
fn names_its_subject(words: &str) -> bool {
    let inner = words.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    inner.is_some_and(|(subject, rest)| subject.ends_with(':') || rest.starts_with(':'))
}

/// Words with what is before their first colon in bold.
fn with_bold_subject(words: &str) -> String {
    match words.split_once(": ") {
        Some((subject, rest)) if !subject.contains('*') => format!("**{subject}**: {rest}"),
        _ => words.to_owned(),
    }
}

/// A text with a line more at the beginning of a line, or at its end.
fn with_line(text: &str, at: usize, line: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if text[..at].ends_with('\n') { "" } else { end };
    format!("{}{gap}{line}{end}{}", &text[..at], &text[at..])
}

/// How an item names its id: `**FR-001**: ` is the id with what is before and after it.
struct Lead<'t> {
    before: &'t str,
    id: &'t str,
    after: &'t str,
}

fn lead(words: &str) -> Option<Lead<'_>> {
    let id = ids(words).next()?;
    let start = words.find(id)?;
    let is_mark = |c: char| matches!(c, '*' | '_' | '`' | '[' | ']' | ' ' | 'x' | 'X');
    let rest = &words[start + id.len()..];
    let length = rest.find(|c: char| c.is_alphanumeric()).unwrap_or(rest.len());
    words[..start].chars().all(is_mark).then(|| Lead { before: &words[..start], id, after: &rest[..length] })
}

/// The words of an addition as its template has them: one block, without its id.
pub(super) fn words(addition: &Addition, library: &Library) -> Result<String, Failed> {
    let name = format!("additions/{}.md", addition.kind.name());
    let sentence = super::written_row(addition)
        .map(|cells| Addition { text: Some(cells.join("; ")), ..addition.clone() });
    let block = super::block(sentence.as_ref().unwrap_or(addition));
    Ok(one_block(&library.templates.render(&name, block)?))
}

/// Where an addition is in a text, as it was added; none where it is not there, or was changed.
///
/// # Errors
/// A template that cannot be rendered.
pub fn entry(text: &str, addition: &Addition, library: &Library) -> Result<Option<PlacedAddition>, Failed> {
    let words = words(addition, library)?;
    let mut lines = words.strip_prefix("- ").unwrap_or(&words).lines();
    let (first, rest) = (lines.next().unwrap_or_default(), lines.collect::<Vec<_>>());
    if first.is_empty() {
        return Ok(None);
    }
    let bold = with_bold_subject(first);
    let mut at = 0;
    let all: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            (at - line.len(), line)
        })
        .collect();
    for (number, (start, line)) in all.iter().enumerate() {
        let own = line.trim_end();
        let Some(id) = item_id(own, first).or_else(|| item_id(own, &bold)) else { continue };
        let below = all.get(number + 1..number + 1 + rest.len()).unwrap_or_default();
        let is_whole = below.len() == rest.len()
            && below.iter().zip(&rest).all(|((_, line), own)| line.trim() == own.trim());
        if is_whole {
            let (last, line) = below.last().copied().unwrap_or((*start, line));
            return Ok(Some(PlacedAddition { range: *start..last + line.len(), id }));
        }
    }
    Ok(in_table(text, addition))
}

/// The id of an item that says these words; none of another line.
fn item_id(line: &str, words: &str) -> Option<Option<String>> {
    let head = line.strip_suffix(words)?;
    let bare = match Pattern::of(head) {
        Some(pattern) => &head[pattern.mark().len().min(head.len())..],
        None if head.is_empty() => head,
        None => return None,
    };
    if bare.is_empty() {
        return Some(None);
    }
    let lead = lead(bare)?;
    (lead.before.len() + lead.id.len() + lead.after.len() == bare.len()).then(|| Some(lead.id.to_owned()))
}

fn in_table(text: &str, addition: &Addition) -> Option<PlacedAddition> {
    for table in tables(text) {
        let id_column = table.headers.iter().position(|header| super::snake(header) == "id");
        for line in table.rows {
            let found = cells(&text[line.clone()]);
            let id = id_column.and_then(|at| found.get(at)).filter(|id| *id != "--").cloned();
            let Some(own) = row(addition, id.clone(), &table.headers) else { continue };
            let shown = own.iter().map(|cell| plain::markdown(cell)).collect::<Vec<_>>().join("|");
            if cells(&format!("|{shown}|")) == found {
                return Some(PlacedAddition { range: line, id });
            }
        }
    }
    None
}

/// A table of a text: its headers, the lines of its rows, the last line, and where that ends.
struct Table {
    headers: Vec<String>,
    rows: Vec<Range<usize>>,
    last: Range<usize>,
    end: usize,
}

fn tables(text: &str) -> Vec<Table> {
    let (mut found, mut at) = (Vec::<Table>::new(), 0);
    let mut above: Option<Range<usize>> = None;
    let mut is_open = false;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.trim_end_matches(['\r', '\n']).len();
        at += line.len();
        let bare = line.trim();
        let is_row = bare.starts_with('|');
        let is_rule =
            is_row && bare.contains("--") && bare.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
        match (is_rule, above.clone().filter(|_| !is_open)) {
            (true, Some(header)) => {
                let headers = cells(&text[header]);
                found.push(Table { headers, rows: Vec::new(), last: range.clone(), end: at });
                is_open = true;
            }
            _ if is_row && is_open => {
                if let Some(table) = found.last_mut() {
                    table.rows.push(range.start..at);
                    (table.last, table.end) = (range.clone(), at);
                }
            }
            _ => is_open = false,
        }
        above = is_row.then_some(range);
    }
    found
}

/// A row in the form of the one above it: its indent, and cells as wide where they are filled up with blanks.
fn row_like(last: &str, cells: &[String]) -> String {
    let indent = &last[..last.len() - last.trim_start().len()];
    let widths: Vec<usize> =
        last.trim().trim_matches('|').split('|').map(|cell| cell.chars().count()).collect();
    let shown = cells.iter().enumerate().map(|(at, cell)| {
        let cell = plain::markdown(cell);
        let width = widths.get(at).copied().unwrap_or(0).saturating_sub(2);
        format!(" {cell:<width$} |")
    });
    format!("{indent}|{}", shown.collect::<String>())
}

/// Where a section's own text ends: before its first sub-section, and before the marker above that.
fn own_end(text: &str, outline: &Outline, heading: usize) -> usize {
    let Some(next) = outline.headings.get(heading + 1) else { return text.len() };
    let above = text[..next.start].trim_end();
    let line = above.rfind('\n').map_or(0, |at| at + 1);
    if above[line..].starts_with("<!-- Elaboration: step ") { line } else { next.start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_told_by_its_words_and_has_an_id() {
        for (line, wanted) in [
            ("- **FR-004**: Letters are white", Some(Some("FR-004"))),
            ("3. Letters are white", Some(None)),
            ("Letters are white", Some(None)),
            ("- [ ] `FR-004` - Letters are white", Some(Some("FR-004"))),
            ("- No: Letters are white", None),
            ("Not Letters are white", None),
        ] {
            let wanted = wanted.map(|id: Option<&str>| id.map(str::to_owned));
            assert_eq!(item_id(line, "Letters are white"), wanted, "{line}");
        }
    }

    #[test]
    fn a_row_is_as_wide_as_the_one_above() {
        let cells = ["R-2".to_owned(), "Fire | water".to_owned()];
        assert_eq!(row_like("| R-1     | x |", &cells), "| R-2     | Fire \\| water |");
        assert_eq!(row_like("  |R-1|x|", &cells), "  | R-2 | Fire \\| water |");
    }
}
