//! Typed additions in Markdown: a row of the table, the next item of the list, or a block at the end of the section.
//!
//! Invariant: an addition has the pattern of its neighbours and no mark of its own, so it is found again by its words.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::form::{SectionText, repeated, unmarked, with_bold_words};
use super::{Addition, Found, Placing, cells, columns, keys, one_block, row};
use crate::discussion::additions::snake;
use crate::item::layout::Proposal;
use crate::item::library::Library;
use crate::synthesis::lists::{Item, Pattern, items_of};
use crate::synthesis::outline::{Heading, MARKDOWN, Outline, fits, insert};
use crate::text::ids::{family, ids, is_line_below, leading_id, mentioned_ids};
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
        let heading = match self.heading(text, &outline) {
            Ok(heading) => heading,
            Err(why) => return Ok(Err(why)),
        };
        if entry(text, self.addition, self.library)?.is_some() {
            return Ok(Err("it is there already".to_owned()));
        }
        if self.addition.several_lines {
            return Ok(Err("it has several lines, and an entry there has one".to_owned()));
        }
        let words = words(self.addition, self.library)?;
        if let Some(known) = repeated(text, &words) {
            let known = plain::cut(&plain::shown(&known), KNOWN);
            return Ok(Err(format!("it says again what is there: \"{known}\"")));
        }
        let section = SectionText::new(text, &outline, heading);
        let name = outline.headings[heading].text.clone();
        let placed = match self.as_row(text, &section.range) {
            Some(placed) => Ok(placed),
            None => self.as_entry(text, &section, &words),
        };
        Ok(placed.map(|placed| (placed, name)))
    }

    /// The heading whose section takes it, or why none does.
    pub(super) fn heading(&self, text: &str, outline: &Outline) -> Result<usize, String> {
        let anchored = self.anchored(text, outline);
        match self.misfit(outline, anchored) {
            Some(why) => Err(why),
            None => {
                let listed = self.listed(outline, anchored);
                let found = listed.or_else(|| self.of_series(text, outline, anchored)).or(anchored);
                found.ok_or_else(|| self.no_anchor())
            }
        }
    }

    /// The only heading below the anchored one, or of the document where none is anchored, that has entries of the
    /// kind's series right below it, or the kind's name; none where the anchored section has such entries itself.
    fn of_series(&self, text: &str, outline: &Outline, anchored: Option<usize>) -> Option<usize> {
        if anchored.is_none() && !self.addition.anchor.trim().is_empty() {
            return None;
        }
        let has_entries = |at: usize| {
            let own = outline.headings[at].start..outline.own_end(at);
            items_of(text, &own).iter().any(|item| self.has_own_id(text, item))
        };
        if anchored.is_some_and(has_entries) {
            return None;
        }
        let within = anchored.map_or(0..usize::MAX, |at| outline.headings[at].start + 1..outline.end(at));
        let keys = keys(self.addition);
        let takes = |at: &usize| {
            let heading = &outline.headings[*at];
            let is_named = || anchored.is_some() && keys.contains(&snake(&heading.text));
            !heading.added && within.contains(&heading.start) && (is_named() || has_entries(*at))
        };
        let mut found = (0..outline.headings.len()).filter(takes);
        found.next().filter(|_| found.next().is_none())
    }

    /// The text with an entry in the form of its section: an item more of its list, a paragraph after its prose.
    fn as_entry(&self, text: &str, section: &SectionText, words: &str) -> Result<String, String> {
        let items = items_of(text, &section.range);
        let is_counted = items.iter().any(|item| self.has_own_id(text, item));
        let entries = items.iter().filter(|item| !is_told(text, item));
        let leads: Option<Vec<Lead<'_>>> = entries.map(|item| lead(item.words(text))).collect();
        let paragraphs = paragraphs(&text[section.range.clone()]).filter_map(lead).collect();
        let leads = leads.filter(|leads| !leads.is_empty()).unwrap_or(paragraphs);
        let is_own_kind = |lead: &Lead<'_>| self.is_own(lead.id);
        if let Some(first) = leads.first().filter(|_| !is_counted && !leads.iter().any(is_own_kind)) {
            let series = family(first.id);
            let is_one_series = leads.iter().all(|lead| family(lead.id) == series);
            if !is_one_series || !self.addition.kind.is_counted_by(series, self.layout) {
                return Err("the entries there have ids of another kind".to_owned());
            }
            let place = Proposal { ids: vec![series.to_owned()], ..self.place.clone() };
            return Placing { place: &place, ..*self }.as_entry(text, section, words);
        }
        if let Some(pattern) = leads.last().filter(|_| !is_counted) {
            let id = self.next_id(&[&text[section.range.clone()], text]).unwrap_or_default();
            let words = words.strip_prefix("- ").unwrap_or(words);
            let inserted =
                insert(text, section.range.end, &format!("{}{id}{}{words}", pattern.before, pattern.after));
            let is_fitting = fits(text, &inserted);
            return is_fitting.then_some(inserted.text).ok_or("its place has no room for it".to_owned());
        }
        if let Some(placed) = self.as_item(text, &section.range, &items, words) {
            return Ok(placed);
        }
        if section.has_sections {
            return Err("its section has sections of its own, and none of them is named".to_owned());
        }
        if section.is_code {
            return Err("its section has only code".to_owned());
        }
        let id = self.next_id(&[&text[section.range.clone()], text]);
        let sentence = words.strip_prefix("- ").filter(|rest| id.is_none() && !rest.contains('\n'));
        let is_prose = section.has_text && (items.is_empty() || self.is_closed(text, &items));
        let lead = id.map(|id| format!("**{id}**: ")).unwrap_or_default();
        let body = match (sentence.filter(|_| is_prose), words.strip_prefix("- ")) {
            (Some(sentence), _) => sentence.to_owned(),
            (None, Some(rest)) => format!("- {lead}{rest}"),
            (None, None) => format!("{lead}{words}"),
        };
        let inserted = insert(text, section.range.end, &body);
        let is_fitting = fits(text, &inserted);
        is_fitting.then_some(inserted.text).ok_or("its place has no room for it".to_owned())
    }

    /// Whether an item begins with an id of the kind's series.
    fn has_own_id(&self, text: &str, item: &Item) -> bool {
        lead(item.words(text)).is_some_and(|lead| self.is_own(lead.id))
    }

    /// Whether the last list is the rest of a sentence that is above it, `The file has these columns:`: an item more
    /// would change what that says. A label, in bold or by the name of the kind, is the title of a list.
    fn is_closed(&self, text: &str, items: &[Item]) -> bool {
        let Some(mut first) = items.last() else { return false };
        for item in items.iter().rev().skip(1) {
            if !text[item.end..first.start].trim().is_empty() {
                break;
            }
            first = item;
        }
        let above = text[..first.start].trim_end();
        let paragraph = above.rsplit("\n\n").next().unwrap_or_default().trim();
        let is_label = paragraph.trim_end_matches([':', '*', '_']).starts_with(['*', '_', '#'])
            || keys(self.addition).iter().any(|key| snake(paragraph).contains(key.as_str()));
        paragraph.trim_end_matches(['*', '_']).ends_with(':') && !is_label
    }

    /// The heading of the kind's list: below what is anchored, else the only one of the document.
    fn listed(&self, outline: &Outline, anchored: Option<usize>) -> Option<usize> {
        let name = self.place.heading.as_ref()?;
        let is_it = |heading: &&Heading| !heading.added && heading.is_called(name);
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

    /// The text with a row more in a table of a section that has a column for everything: the one with the anchor, else
    /// the last with entries of the kind, else the last.
    fn as_row(&self, text: &str, section: &Range<usize>) -> Option<String> {
        let own = &text[section.clone()];
        let all = tables(own);
        let anchor = mentioned_ids(&self.addition.anchor).next();
        let has = |table: &Table, is_wanted: &dyn Fn(&str) -> bool| {
            let mut rows = table.rows.iter().flat_map(|row| cells(&own[row.clone()]));
            rows.any(|cell| leading_id(&cell) == Some(0..cell.len()) && is_wanted(&cell))
        };
        let has_anchor = |table: &&Table| has(table, &|id| Some(id) == anchor);
        let has_own = |table: &&Table| has(table, &|id| self.is_own(id));
        let fits = |table: &&Table| self.fits_columns(&table.columns(own));
        let fitting = || all.iter().filter(fits);
        let table = fitting()
            .find(has_anchor)
            .or_else(|| fitting().rfind(has_own))
            .or_else(|| fitting().next_back())?;
        let id = self.next_id(&[&own[table.rule.start..table.end], own, text]);
        let cells = row(self.addition, id, &table.columns(own))?;
        Some(with_line(text, section.start + table.end, &row_like(table.last_lines(own), &cells)))
    }

    /// The text with an item more in a list of a section: after the last item with an id of the series, else after the
    /// list that the section ends in.
    fn as_item(&self, text: &str, section: &Range<usize>, items: &[Item], words: &str) -> Option<String> {
        let counted = items.iter().rfind(|item| self.has_own_id(text, item));
        let last = items.iter().rfind(|item| !is_told(text, item));
        let is_last = |item: &&Item| {
            let rest = text[item.end..section.end].lines().filter(|line| !line.trim().is_empty());
            rest.into_iter().all(|line| is_line_below(line.trim()))
        };
        let last = last.filter(is_last);
        let last = last.filter(|_| !self.is_closed(text, items));
        let item = counted.or(last)?;
        let head = match counted.and_then(|item| lead(item.words(text))) {
            Some(lead) => {
                let id = self.next_id(&[item.words(text), &text[section.clone()], text])?;
                format!("{}{id}{}", lead.before.replace(['x', 'X'], " "), lead.after)
            }
            None => String::new(),
        };
        let pattern = item.pattern.next();
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let gap = if item.is_loose { end } else { "" };
        let body = words.strip_prefix("- ").unwrap_or(words);
        let is_named = head.is_empty() && items.iter().all(|item| names_its_subject(item.words(text)));
        let body = if is_named { with_bold_subject(body) } else { with_bold_words(body, text, items) };
        let mut lines = body.lines();
        let first = format!("{gap}{}{head}{}", pattern.mark(), lines.next().unwrap_or_default());
        let width = " ".repeat(pattern.mark().len());
        let below = lines.map(|line| format!("{end}{width}{}", line.trim_start()));
        Some(with_line(text, item.end, &std::iter::once(first).chain(below).collect::<String>()))
    }
}

/// The paragraphs of a text that are in nothing else.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    Parser::new_ext(text, MARKDOWN).into_offset_iter().filter_map(move |(event, range)| {
        let is_outer = depth == 0;
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        (is_outer && matches!(event, Event::Start(Tag::Paragraph))).then(|| &text[range])
    })
}

/// Whether an item is a line that a decision left below an id: it tells of the entry, and is none.
fn is_told(text: &str, item: &Item) -> bool {
    is_line_below(text[item.start..item.end].trim())
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
pub(super) struct Lead<'t> {
    pub(super) before: &'t str,
    pub(super) id: &'t str,
    pub(super) after: &'t str,
}

pub(super) fn lead(words: &str) -> Option<Lead<'_>> {
    let id = mentioned_ids(words).next()?;
    let start = words.find(id)?;
    let is_mark = |c: char| matches!(c, '*' | '_' | '`' | '[' | ']' | ' ' | 'x' | 'X');
    let rest = &words[start + id.len()..];
    let after = &rest[..after_id(rest)];
    // "S3 keeps photos" begins with a name; of what may be one a mark after it makes an id: "B2: …".
    let is_id = ids(id).next().is_some() || !after.trim().is_empty();
    let is_lead = is_id && words[..start].chars().all(is_mark);
    is_lead.then(|| Lead { before: &words[..start], id, after })
}

/// How long what parts an id from its words is: marks that close, one sign, blanks, a dash between blanks.
fn after_id(rest: &str) -> usize {
    const CLOSING: [char; 5] = ['*', '_', '`', ']', ')'];
    let mut words = rest.trim_start_matches(CLOSING);
    words = words.strip_prefix([':', '.', '：']).unwrap_or(words).trim_start_matches(CLOSING);
    words = words.trim_start_matches([' ', '\t']);
    if let Some(after) = words.strip_prefix(['-', '–', '—', ':', '|']).filter(|after| after.starts_with(' '))
    {
        words = after.trim_start();
    }
    rest.len() - words.len()
}

/// How much of an item is shown, in characters.
const KNOWN: usize = 80;

/// The words of an addition as its template has them: one block, without its id.
pub(super) fn words(addition: &Addition, library: &Library) -> Result<String, Failed> {
    let name = format!("additions/{}.md", addition.kind.name());
    let sentence = match super::written_row(addition) {
        Some(cells) => Some(cells.join("; ")),
        None => addition.text.as_deref().map(unmarked),
    };
    let block = super::block(&Addition { text: sentence, ..addition.clone() });
    Ok(one_block(&library.templates.render(&name, block)?))
}

/// The marks of bold, which an entry has where its neighbours have them.
const BOLD: &str = "**";

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
    let first = first.replace(BOLD, "");
    let mut at = 0;
    let all: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            (at - line.len(), line)
        })
        .collect();
    for (number, (start, line)) in all.iter().enumerate() {
        let Some(id) = item_id(&line.trim_end().replace(BOLD, ""), &first) else { continue };
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
        // A paragraph, which may begin with its id.
        None => head,
    };
    if bare.is_empty() {
        return Some(None);
    }
    let lead = lead(bare)?;
    (lead.before.len() + lead.id.len() + lead.after.len() == bare.len()).then(|| Some(lead.id.to_owned()))
}

fn in_table(text: &str, addition: &Addition) -> Option<PlacedAddition> {
    for table in tables(text) {
        let columns = table.columns(text);
        let id_column = columns.iter().position(|header| snake(header) == "id");
        for line in table.rows {
            let found = cells(&text[line.clone()]);
            let id = id_column.and_then(|at| found.get(at)).filter(|id| !id.is_empty()).cloned();
            let Some(own) = row(addition, id.clone(), &columns) else { continue };
            let shown = own.iter().map(|cell| plain::cell(cell)).collect::<Vec<_>>().join("|");
            if cells(&format!("|{shown}|")) == found {
                return Some(PlacedAddition { range: line, id });
            }
        }
    }
    None
}

/// A table of a text: its headers, the line below them, the lines of its rows, and where the last one ends.
struct Table {
    headers: Vec<String>,
    rule: Range<usize>,
    rows: Vec<Range<usize>>,
    end: usize,
}

impl Table {
    /// The last line, and the one above it.
    fn last_lines<'t>(&self, text: &'t str) -> (&'t str, &'t str) {
        let all: Vec<&Range<usize>> = std::iter::once(&self.rule).chain(&self.rows).collect();
        let line =
            |back: usize| all.len().checked_sub(back).map_or("", |at| text[all[at].clone()].trim_end());
        (line(2), line(1))
    }

    /// Its headers as a row is made for them.
    fn columns(&self, text: &str) -> Vec<String> {
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| cells(&text[row.clone()])).collect();
        columns(&self.headers, &rows)
    }
}

/// The tables of a text (GFM, 4.10).
fn tables(text: &str) -> Vec<Table> {
    let mut found: Vec<Table> = Vec::new();
    let line_of = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        start..text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
    };
    for (event, range) in Parser::new_ext(text, MARKDOWN).into_offset_iter() {
        match event {
            Event::Start(Tag::TableHead) => {
                let head = line_of(range.start);
                let rule = line_of(head.end.min(text.len()));
                let end = rule.end;
                found.push(Table { headers: cells(&text[head]), rule, rows: Vec::new(), end });
            }
            Event::Start(Tag::TableRow) => {
                if let Some(table) = found.last_mut() {
                    let line = line_of(range.start);
                    table.end = line.end;
                    table.rows.push(line);
                }
            }
            _ => {}
        }
    }
    found
}

/// A row in the form of the one above it: its indent, bold cells, and cells as wide as it and the line above it have
/// them.
fn row_like((above, last): (&str, &str), cells: &[String]) -> String {
    let line = last;
    let indent = &last[..last.len() - last.trim_start().len()];
    let parts =
        |line: &'_ str| line.trim().trim_matches('|').split('|').map(str::to_owned).collect::<Vec<_>>();
    let (above, last) = (parts(above), parts(last));
    let width = |line: &[String], at: usize| line.get(at).map_or(0, |cell| cell.chars().count());
    let is_bold = |cell: &str| cell.len() > 2 * BOLD.len() && cell.starts_with(BOLD) && cell.ends_with(BOLD);
    let shown = cells.iter().enumerate().map(|(at, cell)| {
        let cell = plain::cell(&unmarked(cell));
        let is_like = last.get(at).is_some_and(|last| is_bold(last.trim()));
        let cell = if is_like { format!("{BOLD}{cell}{BOLD}") } else { cell };
        let is_aligned = width(&above, at) == width(&last, at);
        let width = if is_aligned { width(&last, at).saturating_sub(2) } else { 0 };
        format!(" {cell:<width$} |")
    });
    let row = shown.collect::<String>();
    // A team may leave out the bars at the ends.
    match line.trim_start().starts_with('|') {
        true => format!("{indent}|{row}"),
        false => format!("{indent}{}", row.trim_end_matches('|').trim()),
    }
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
    fn a_row_is_like_the_one_above() {
        let cells = ["R-2".to_owned(), "Fire | water".to_owned()];
        for (above, last, wanted) in [
            ("|---------|---|", "| R-1     | x |", "| R-2     | Fire \\| water |"),
            ("|---|---|", "| R-1     | x |", "| R-2 | Fire \\| water |"),
            ("|---|---|", "  |R-1|x|", "  | R-2 | Fire \\| water |"),
            ("|---|---|", "| **R-1** | x |", "| **R-2** | Fire \\| water |"),
        ] {
            assert_eq!(row_like((above, last), &cells), wanted, "{last}");
        }
    }
}
