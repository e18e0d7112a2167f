//! The passages of an item's documents, and which of them have the words of a question.
//!
//! A passage is what a reader would quote as a whole: a paragraph, a list item below the sentence that leads to it, a
//! table row below its header, the lines of a block of code below their caption, a line of data. Its text is an exact
//! slice of its document, and its place is the line it begins on, under the heading it belongs to. It is found by the
//! words of its heading, of what leads to it, and its own ([`Index`]). Whether it answers anything is for people.
//!
//! ```
//! use roundtable::voice::passages::Passages;
//!
//! let spec = "# Late fees\n\n## Limits\n\nFees stop at 10 euros.\n\nLetters are sent weekly.\n";
//! let passages = Passages::new(&[("spec.md", spec)]);
//! let found = passages.closest("Where do the fees stop?", 3);
//! assert_eq!((found[0].text, found[0].line, found[0].heading), ("Fees stop at 10 euros.", 5, "Limits"));
//! assert!(passages.closest("Who writes invoices?", 3).is_empty());
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::text::blocks::{Block, Place, blocks};
use crate::text::ids::{ids, leading_id, mentioned_ids, record_numbers};
use crate::text::index::{Hit, Index, query};

/// A sentence that leads to a list is shown with so many lines of it.
const SHOWN_LINES: usize = 15;
/// So many bytes of a heading, and of what leads to a passage, are words that it is found by.
const MAX_LEAD_BYTES: usize = 1_000;

/// A piece of a document that is quoted as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage<'t> {
    /// The document's path within the item folder.
    pub path: &'t str,
    /// The line it begins on, from one.
    pub line: usize,
    /// The line it ends on.
    last_line: usize,
    /// The text of the heading it is under; empty before the first.
    pub heading: &'t str,
    /// The heading above that one, where the document has several of that text.
    pub above: &'t str,
    /// What it is read with: the sentence that leads to its list, the header of its table, the caption of its code.
    pub lead: &'t str,
    pub text: &'t str,
    /// Whether its lines are shown as such: code, and a sentence with its list.
    pub is_lines: bool,
    /// The text that it is found by: without the list that a sentence leads to, whose items are found by themselves.
    own: &'t str,
}

impl Passage<'_> {
    /// Whether a line of a document is one of the passage's.
    pub fn has_line(&self, path: &str, line: usize) -> bool {
        self.line <= line && line <= self.last_line && self.path == path
    }

    fn overlaps(&self, other: &Passage<'_>) -> bool {
        let start = |one: &Passage<'_>| one.text.as_ptr() as usize;
        start(self) < start(other) + other.text.len() && start(other) < start(self) + self.text.len()
    }
}

/// All passages of some documents, with an index over their words.
pub struct Passages<'t> {
    /// By document, in the order of their lines.
    all: Vec<Passage<'t>>,
    /// Where the passages of each document are among all.
    documents: BTreeMap<&'t str, Range<usize>>,
    with_id: HashMap<&'t str, Vec<usize>>,
    index: Index,
}

impl<'t> Passages<'t> {
    /// The passages of documents, given by path and text.
    pub fn new(documents: &[(&'t str, &'t str)]) -> Passages<'t> {
        let (mut all, mut ranges): (Vec<Passage<'t>>, _) = (Vec::new(), BTreeMap::new());
        for (path, text) in documents {
            let (reader, first) = (Reader::new(path, text), all.len());
            all.extend(if is_prose(path) { reader.read() } else { reader.read_data() });
            ranges.insert(*path, first..all.len());
        }
        let words: Vec<String> = all.iter().map(words).collect();
        let index = Index::new(words.iter().map(String::as_str));
        let mut with_id: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, passage) in all.iter().enumerate() {
            let own = leading_id(passage.text).map(|id| &passage.text[id]);
            ids(passage.text).chain(own).for_each(|id| with_id.entry(id).or_default().push(number));
        }
        Passages { all, documents: ranges, with_id, index }
    }

    /// The best passages that have any word of a question; none of them overlap. Where it names a decision record,
    /// those of the record.
    pub fn closest(&self, question: &str, limit: usize) -> Vec<&Passage<'t>> {
        let hits = self.index.find(&query(question), usize::MAX);
        let of_records = self.of_records(question, &hits, limit);
        if !of_records.is_empty() {
            return of_records;
        }
        distinct(hits.iter().map(|hit| &self.all[hit.passage]), limit)
    }

    /// The passages with an id that a statement names, or of a record that it names, else the best of those with several
    /// of its words.
    pub fn on(&self, statement: &str, limit: usize) -> Vec<&Passage<'t>> {
        let named: BTreeSet<&str> = mentioned_ids(statement).collect();
        let with_id = named.into_iter().filter_map(|id| self.with_id.get(id)).flatten();
        let with_id = distinct(with_id.map(|number| &self.all[*number]), limit);
        let wanted = query(statement);
        let hits = self.index.find(&wanted, usize::MAX);
        let of_records = self.of_records(statement, &hits, limit);
        if !of_records.is_empty() {
            return of_records;
        }
        if !with_id.is_empty() {
            return with_id;
        }
        let has_several = hits.iter().filter(|hit| hit.matched.len() >= wanted.len().min(2));
        distinct(has_several.map(|hit| &self.all[hit.passage]), limit)
    }

    /// The passages of the records that a text names by their numbers: those with its words first, else the first.
    fn of_records(&self, text: &str, hits: &[Hit], limit: usize) -> Vec<&Passage<'t>> {
        let numbers = record_numbers(text);
        let is_named = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            record_numbers(name).first().is_some_and(|number| numbers.contains(number))
        };
        let named = self.documents.iter().filter(|(path, _)| !numbers.is_empty() && is_named(path));
        let mut ranges: Vec<Range<usize>> = named.map(|(_, range)| range.clone()).collect();
        ranges.sort_by_key(|range| range.start);
        let is_in = |hit: &&Hit| ranges.iter().any(|range| range.contains(&hit.passage));
        let found = hits.iter().filter(is_in).map(|hit| hit.passage);
        distinct(found.chain(ranges.iter().cloned().flatten()).map(|number| &self.all[number]), limit)
    }

    /// The passage that a line of a document is in.
    pub fn at(&self, path: &str, line: usize) -> Option<&Passage<'t>> {
        let own = &self.all[self.documents.get(path)?.clone()];
        let after = own.partition_point(|passage| passage.line <= line);
        own[..after].last().filter(|passage| passage.has_line(path, line))
    }
}

/// What a passage is found by. A document's title is on all of its passages, and tells none from another.
fn words(passage: &Passage<'_>) -> String {
    [passage.heading, passage.lead]
        .into_iter()
        .map(beginning)
        .chain([passage.own])
        .collect::<Vec<_>>()
        .join("\n")
}

fn beginning(text: &str) -> &str {
    let ends = (0..=MAX_LEAD_BYTES.min(text.len())).rev();
    &text[..ends.into_iter().find(|end| text.is_char_boundary(*end)).unwrap_or_default()]
}

/// The first passages that don't overlap.
fn distinct<'p, 't>(passages: impl Iterator<Item = &'p Passage<'t>>, limit: usize) -> Vec<&'p Passage<'t>> {
    let mut found: Vec<&Passage<'t>> = Vec::new();
    for passage in passages {
        if found.len() == limit {
            break;
        }
        if !found.iter().any(|known| known.overlaps(passage)) {
            found.push(passage);
        }
    }
    found
}

fn is_prose(path: &str) -> bool {
    let suffix = path.rsplit_once('.').map_or("", |(_, suffix)| suffix).to_ascii_lowercase();
    matches!(suffix.as_str(), "md" | "markdown" | "txt")
}

/// Reads the passages of a document.
struct Reader<'t> {
    path: &'t str,
    text: &'t str,
    found: Vec<Passage<'t>>,
    lines: LineCounter<'t>,
    /// The headings above, each with its level.
    headings: Vec<(usize, &'t str)>,
    /// What the next item, row or code is read with.
    lead: &'t str,
    /// The list items that the next one may be below, each with its depth.
    parents: Vec<(usize, &'t str)>,
}

impl<'t> Reader<'t> {
    fn new(path: &'t str, text: &'t str) -> Reader<'t> {
        let lines = LineCounter { text, at: 0, line: 1 };
        let (found, headings, parents) = (Vec::new(), Vec::new(), Vec::new());
        Reader { path, text, found, lines, headings, lead: "", parents }
    }

    /// The lines of data, each a passage.
    fn read_data(mut self) -> Vec<Passage<'t>> {
        self.add_lines(0..self.text.len());
        self.found
    }

    fn read(mut self) -> Vec<Passage<'t>> {
        let front = self.front_matter();
        self.add_lines(0..front);
        let blocks = blocks(self.text, front);
        for (at, block) in blocks.iter().enumerate() {
            let text = &self.text[block.range.clone()];
            match block.place {
                Place::Heading(level) => self.open(level, text),
                Place::Code => self.add_code(block),
                _ if is_reference(text) => {}
                Place::TableHead => self.lead = text,
                Place::TableRow => self.add(block.range.clone(), self.lead, false),
                Place::Item(depth) => self.add_item(block, depth, &blocks[at + 1..]),
                Place::Paragraph => self.add_paragraph(block, &blocks[at + 1..]),
            }
        }
        self.name_ambiguous_headings()
    }

    /// Where the front matter ends.
    fn front_matter(&self) -> usize {
        let end = self.text.strip_prefix("---\n").and_then(|rest| rest.find("\n---"));
        end.map_or(0, |end| end + "---\n".len())
    }

    fn add_lines(&mut self, range: Range<usize>) {
        let mut start = range.start;
        for line in self.text[range].split_inclusive('\n') {
            if line.contains(char::is_alphanumeric) {
                self.add(start..start + line.len(), "", false);
            }
            start += line.len();
        }
    }

    /// Goes on below a heading.
    fn open(&mut self, level: usize, text: &'t str) {
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, text));
        self.lead = "";
        self.parents.clear();
    }

    fn add(&mut self, range: Range<usize>, lead: &'t str, is_lines: bool) {
        self.add_leading(range.clone(), range.end, lead, is_lines);
    }

    /// A passage that is shown with more than its own words, up to an end.
    fn add_leading(&mut self, range: Range<usize>, end: usize, lead: &'t str, is_lines: bool) {
        let line = self.lines.line_of(range.start);
        let last_line = line + self.text[range.start..end].trim_end().matches('\n').count();
        let (text, own) = (self.text[range.start..end].trim_end(), &self.text[range]);
        let mut headings = self.headings.iter().rev().map(|(_, heading)| *heading);
        let (heading, above) = (headings.next().unwrap_or_default(), headings.next().unwrap_or_default());
        self.found.push(Passage {
            path: self.path,
            line,
            last_line,
            heading,
            above,
            lead,
            text,
            is_lines,
            own,
        });
    }

    /// A paragraph; one that leads to a list, a table or code, with the beginning of it.
    fn add_paragraph(&mut self, block: &Block, below: &[Block]) {
        self.parents.clear();
        self.lead = "";
        let text = &self.text[block.range.clone()];
        let is_led = |block: &&Block| matches!(block.place, Place::Item(_) | Place::TableHead | Place::Code);
        let first = below.first().filter(is_led).map(|block| std::mem::discriminant(&block.place));
        let is_alike = |block: &&Block| {
            Some(std::mem::discriminant(&block.place)) == first
                || first.is_some() && block.place == Place::TableRow
        };
        let led = below.iter().take_while(is_alike);
        let end = if leads_in(text) { self.end_of_shown(block.range.start, led) } else { None };
        self.add_leading(block.range.clone(), end.unwrap_or(block.range.end), "", end.is_some());
        if leads_in(text) {
            self.lead = text;
        }
    }

    /// A list item below the item or the sentence that leads to it; one that leads to a list of its own, with it.
    fn add_item(&mut self, block: &Block, depth: usize, below: &[Block]) {
        self.parents.retain(|(other, _)| *other < depth);
        let text = &self.text[block.range.clone()];
        let is_below = |other: &&Block| matches!(other.place, Place::Item(other) if other > depth);
        let nested = below.iter().take_while(is_below);
        let end = if leads_in(text) { self.end_of_shown(block.range.start, nested) } else { None };
        let lead = self.parents.last().map_or(self.lead, |(_, parent)| *parent);
        self.add_leading(block.range.clone(), end.unwrap_or(block.range.end), lead, end.is_some());
        self.parents.push((depth, text));
    }

    /// The paragraphs of a block of code, each below the caption.
    fn add_code(&mut self, block: &Block) {
        let code = &self.text[block.range.clone()];
        for part in code.split("\n\n").filter(|part| part.contains(char::is_alphanumeric)) {
            let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
            self.add(start..start + part.len(), self.lead, true);
        }
    }

    /// Where the last of these blocks ends that is shown with what begins at `start`.
    fn end_of_shown<'b>(&self, start: usize, led: impl Iterator<Item = &'b Block>) -> Option<usize> {
        let fits = |block: &&Block| self.text[start..block.range.end].lines().count() <= SHOWN_LINES;
        led.take(SHOWN_LINES).take_while(fits).last().map(|block| block.range.end)
    }

    /// Keeps the heading above only where the document has several headings of the same text.
    fn name_ambiguous_headings(mut self) -> Vec<Passage<'t>> {
        let mut above: HashMap<&str, Option<&str>> = HashMap::new();
        for one in &self.found {
            let known = above.entry(one.heading).or_insert(Some(one.above));
            *known = known.filter(|known| *known == one.above);
        }
        let found = self.found.iter_mut();
        found.filter(|one| above[one.heading].is_some()).for_each(|one| one.above = "");
        self.found
    }
}

/// Whether a block only points elsewhere: a table of contents, link definitions, a line of marks.
fn is_reference(text: &str) -> bool {
    let is_definition = |line: &str| line.trim_start().starts_with('[') && line.contains("]: ");
    let is_entry = text.starts_with('[')
        && text.find("](#").is_some_and(|at| text[at..].find(')') == Some(text.len() - at - 1));
    // Pictures and other tags without words between them.
    let is_said =
        |piece: &str| piece.split_once('>').is_some_and(|(_, said)| said.contains(char::is_alphanumeric));
    let is_markup = text.starts_with('<') && !text.split('<').any(is_said);
    !text.contains(char::is_alphanumeric) || is_markup || is_entry || text.lines().all(is_definition)
}

/// Whether a sentence leads to what is below it.
fn leads_in(text: &str) -> bool {
    text.trim_end_matches(['*', '_', ' ']).ends_with(':')
}

/// Counts lines up to places that only go forward.
struct LineCounter<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    fn line_of(&mut self, at: usize) -> usize {
        self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..at]).count();
        self.at = at;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Fees\n\nIntro text here.\n\n## Letters\n\nA letter is sent when:\n\n- a book is late\n- a fee is due\n\n| what | price |\n| --- | --- |\n| letter | 2 euros |\n\nThe event:\n\n```json\n{\"kind\": \"letter\"}\n```\n";

    fn first<'t>(documents: &[(&'t str, &'t str)], question: &str) -> Passage<'t> {
        Passages::new(documents).closest(question, 1)[0].clone()
    }

    #[test]
    fn a_sentence_is_shown_with_its_list() {
        let found = first(&[("spec.md", SPEC)], "When is a letter sent?");
        assert_eq!(found.text, "A letter is sent when:\n\n- a book is late\n- a fee is due");
        assert_eq!((found.line, found.heading), (7, "Letters"));
    }

    #[test]
    fn an_item_and_a_row_are_shown_with_what_leads_to_them() {
        let found = first(&[("spec.md", SPEC)], "What price has a letter in euros?");
        assert_eq!((found.lead, found.text), ("| what | price |", "| letter | 2 euros |"));
        let spec = format!("The desk does:\n\n{}- call the reader\n", "- write a letter\n".repeat(20));
        let found = first(&[("spec.md", &spec)], "Whom does the desk call?");
        assert_eq!((found.lead, found.text, found.line), ("The desk does:", "call the reader", 23));
    }

    #[test]
    fn an_item_is_shown_with_its_own_list() {
        let spec = "# Desk\n\n- Letters are sent weekly.\n- After three letters the desk:\n  - blocks the card\n  - calls the reader\n- Fees stop.\n";
        let found = first(&[("spec.md", spec)], "What happens after three letters?");
        assert_eq!(found.text, "After three letters the desk:\n  - blocks the card\n  - calls the reader");
    }

    #[test]
    fn code_is_found_by_its_caption() {
        let found = first(&[("spec.md", SPEC)], "What is in the event?");
        assert!(found.text.starts_with("The event:") && found.text.contains("\"kind\""), "{}", found.text);
    }

    #[test]
    fn front_matter_and_data_are_shown_by_their_lines() {
        let spec = "---\ntitle: Bell tower\nowner: TBD\n---\n\n# Bells\n\nThe bells ring at noon.\n";
        let passages = Passages::new(&[("spec.md", spec), ("a.csv", "id,name\n1,late\n")]);
        let at = |path, line| passages.at(path, line).map(|one| one.text);
        assert_eq!(at("spec.md", 2), Some("title: Bell tower"));
        assert_eq!((at("spec.md", 8), at("a.csv", 2)), (Some("The bells ring at noon."), Some("1,late")));
    }

    #[test]
    fn every_passage_is_at_its_line() {
        for passage in Passages::new(&[("spec.md", SPEC), ("a.csv", "id,name\n1,late\n")]).all {
            let text = if passage.path == "spec.md" { SPEC } else { "id,name\n1,late\n" };
            let line = text.lines().nth(passage.line - 1).unwrap();
            assert!(line.contains(passage.text.lines().next().unwrap()), "{passage:?}");
        }
    }

    #[test]
    fn a_statement_is_compared_by_its_ids_or_by_several_words() {
        let spec = "# Fees\n\nFR-1: Letters are sent weekly.\n\nFR-2: A letter costs 2 euros.\n";
        let passages = Passages::new(&[("spec.md", spec)]);
        let lines = |text| passages.on(text, 3).iter().map(|one| one.line).collect::<Vec<_>>();
        assert_eq!(lines("Decision: FR-2 is dropped, letters leave weekly."), [5]);
        assert_eq!(lines("A letter is 3 euros."), [5]);
        assert!(lines("The price of the euro does not matter.").is_empty());
    }
}
