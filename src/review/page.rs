//! A document as blocks of plain text: headings, paragraphs, list items, table cells and values of data.
//!
//! All blocks of a page share one plain text, a line each, without markup; code spans are one [`CODE`] character there.
//! Left out of it: code, comments and HTML, struck text, images, front matter's comments; a quotation has `is_quoted`,
//! as an insight of an earlier discussion has.
//! Invariant: [`Page::source`] of a range of the plain text is the range of the document that says it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What a code span is in the plain text.
pub const CODE: char = '\u{fffc}';

/// What the marker above a block of a discussion begins with, and the heading of its insights.
const MARKER: &str = "<!-- Elaboration: step ";
const INSIGHTS: &str = "Key Insights";

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Heading,
    Paragraph,
    /// The first text of a list item; with its box, where it has one.
    Item(Option<bool>),
    Cell(Cell),
    /// A value of front matter, JSON or YAML.
    Value,
}

/// Where a cell is; row 0 is the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub table: usize,
    pub row: usize,
    pub column: usize,
}

/// A piece of text of its own.
#[derive(Clone, Debug)]
pub struct Block {
    pub kind: Kind,
    /// In the document.
    pub range: Range<usize>,
    /// In the plain text.
    pub plain: Range<usize>,
    pub section: usize,
    /// How many lists it is in.
    pub depth: usize,
    pub is_quoted: bool,
}

/// A heading with what is below it; the first has no heading.
#[derive(Clone, Debug)]
pub struct Section {
    pub heading: Option<usize>,
    pub level: u8,
    pub parent: usize,
}

#[derive(Clone, Debug)]
pub struct Table {
    /// Its cells, row by row.
    pub blocks: Range<usize>,
    pub columns: usize,
}

/// A link or image with its target.
#[derive(Clone, Debug)]
pub struct Link {
    pub target: String,
    pub range: Range<usize>,
}

/// A document, read.
#[derive(Clone, Debug)]
pub struct Page<'t> {
    pub path: &'t str,
    pub text: &'t str,
    pub plain: String,
    /// Where pieces of the plain text are in the document: (start in the plain text, start in the document).
    pieces: Vec<(usize, usize)>,
    pub blocks: Vec<Block>,
    pub sections: Vec<Section>,
    pub tables: Vec<Table>,
    pub links: Vec<Link>,
    /// Comments and other HTML.
    pub html: Vec<Range<usize>>,
    /// Struck text.
    pub struck: Vec<Range<usize>>,
    /// In data, the path inside of a value, by where the value begins.
    pub keys: Vec<(usize, String)>,
    /// Where lines begin.
    lines: Vec<usize>,
    /// The characters before each part of the document, so that a place in a long line is found at once.
    characters: Vec<usize>,
}

/// Bytes of such a part.
const PART: usize = 1024;

fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| *byte & 0xc0 != 0x80).count()
}

impl<'t> Page<'t> {
    pub fn markdown(path: &'t str, text: &'t str) -> Page<'t> {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_GFM;
        let mut builder = Builder::new(path, text);
        let front = front_matter(text);
        builder.read_fields(front.clone());
        let body = with_blanks_in_delimiters(&text[front.end..]);
        for (event, range) in Parser::new_ext(&body, options).into_offset_iter() {
            builder.read(event, range.start + front.end..range.end + front.end);
        }
        builder.finish()
    }

    /// The plain text of a block.
    pub fn text_of(&self, block: &Block) -> &str {
        &self.plain[block.plain.clone()]
    }

    /// The block that a place of the document is in or after.
    pub fn block_before(&self, at: usize) -> Option<usize> {
        self.blocks.partition_point(|block| block.range.start <= at).checked_sub(1)
    }

    /// The range of the document for a range of the plain text that is not empty.
    pub fn source(&self, plain: Range<usize>) -> Range<usize> {
        let last = self.plain[..plain.end].chars().next_back().map_or(1, char::len_utf8);
        let (start, _) = self.place_of(plain.start);
        let (end, is_code) = self.place_of(plain.end.saturating_sub(last));
        if is_code {
            return start..self.end_of_code(end).max(start);
        }
        start..(end + last).min(self.text.len()).max(start)
    }

    /// The lines of a block as the document has them, as ranges of the plain text.
    pub fn lines_of(&self, block: &Block) -> Vec<Range<usize>> {
        let from = self.pieces.partition_point(|(plain, _)| *plain < block.plain.start);
        let pieces = self.pieces[from..].iter().take_while(|(plain, _)| *plain < block.plain.end);
        let is_break = |(plain, source): &&(usize, usize)| {
            let rest = self.text[*source..].trim_start_matches([' ', '\\', '\r']);
            self.plain[*plain..].starts_with(' ') && rest.starts_with('\n')
        };
        let mut lines = Vec::new();
        let mut start = block.plain.start;
        for (at, _) in pieces.filter(is_break) {
            lines.push(start..*at);
            start = at + 1;
        }
        lines.push(start..block.plain.end);
        lines
    }

    fn place_of(&self, plain: usize) -> (usize, bool) {
        let piece = self.pieces.partition_point(|(start, _)| *start <= plain).saturating_sub(1);
        let (start, source) = self.pieces.get(piece).copied().unwrap_or_default();
        (
            source + plain - start,
            self.plain[plain..].starts_with(CODE) && !self.text[source..].starts_with(CODE),
        )
    }

    /// Where a code span ends that begins at a place.
    fn end_of_code(&self, start: usize) -> usize {
        let ticks = self.text[start..].bytes().take_while(|byte| *byte == b'`').count();
        let close = self.text[start + ticks..].find(&self.text[start..start + ticks]);
        close.map_or(self.text.len(), |at| start + ticks + at + ticks)
    }

    /// Line and column of a place, from one; columns count characters.
    pub fn place(&self, at: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= at);
        (line, self.characters_before(at) - self.characters_before(self.lines[line - 1]) + 1)
    }

    fn characters_before(&self, at: usize) -> usize {
        let part = at / PART;
        self.characters[part] + count_characters(&self.text.as_bytes()[part * PART..at])
    }

    pub fn line_count(&self) -> usize {
        self.text.lines().count()
    }

    /// The heading that a section has, as plain text.
    pub fn heading(&self, section: usize) -> &str {
        self.sections[section].heading.map_or("", |block| self.text_of(&self.blocks[block]))
    }

    /// Something of each section that may depend on that of the section around it.
    pub fn for_sections<T: Copy>(&self, first: T, make: impl Fn(&str, T) -> T) -> Vec<T> {
        let mut made = Vec::with_capacity(self.sections.len());
        for (at, section) in self.sections.iter().enumerate() {
            let outer = if at == 0 { first } else { made[section.parent] };
            made.push(make(self.heading(at), outer));
        }
        made
    }

    /// The cells of a row.
    pub fn row(&self, table: usize, row: usize) -> &[Block] {
        let cells = &self.blocks[self.tables[table].blocks.clone()];
        let row_of = |block: &Block| if let Kind::Cell(cell) = block.kind { cell.row } else { 0 };
        let start = cells.partition_point(|block| row_of(block) < row);
        let end = cells.partition_point(|block| row_of(block) <= row);
        &cells[start..end]
    }
}

/// Collects the blocks of a document.
pub struct Builder<'t> {
    pub page: Page<'t>,
    open: Option<(Kind, usize, usize)>,
    lists: usize,
    quotations: usize,
    hidden: usize,
    cell: Option<Cell>,
    section: usize,
    level: u8,
}

impl<'t> Builder<'t> {
    pub fn new(path: &'t str, text: &'t str) -> Builder<'t> {
        let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let counts = text.as_bytes().chunks(PART).map(count_characters);
        let sums = counts.scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        let page = Page {
            path,
            text,
            plain: String::with_capacity(text.len()),
            pieces: Vec::new(),
            blocks: Vec::new(),
            sections: vec![Section { heading: None, level: 0, parent: 0 }],
            tables: Vec::new(),
            links: Vec::new(),
            html: Vec::new(),
            struck: Vec::new(),
            keys: Vec::new(),
            lines: std::iter::once(0).chain(starts).collect(),
            characters: std::iter::once(0).chain(sums).collect(),
        };
        Builder { page, open: None, lists: 0, quotations: 0, hidden: 0, cell: None, section: 0, level: 0 }
    }

    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag, range.end),
            Event::Text(_) if self.hidden == 0 => self.text(range),
            Event::Code(_) if self.hidden == 0 => self.push(range.start, CODE),
            Event::SoftBreak | Event::HardBreak if self.hidden == 0 => self.push(range.start, ' '),
            Event::InlineHtml(_) if self.hidden == 0 && is_placeholder(&self.page.text[range.clone()]) => {
                self.text(range);
            }
            // A line `<TODO>` is HTML to CommonMark.
            Event::Html(_) if self.hidden == 0 && is_placeholder(self.page.text[range.clone()].trim()) => {
                self.line_of_text(range);
            }
            Event::Html(_) | Event::InlineHtml(_) => self.page.html.push(range),
            Event::TaskListMarker(is_done) => {
                if let Some((Kind::Item(boxed), ..)) = &mut self.open {
                    *boxed = Some(is_done);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph if self.is_at_item() => {}
            Tag::Paragraph => self.begin(Kind::Paragraph, range.start),
            Tag::Heading { level, .. } => {
                self.level = *level as u8;
                self.begin(Kind::Heading, range.start);
            }
            Tag::BlockQuote(_) => self.quotations += 1,
            Tag::CodeBlock(_) => {
                self.close(range.start);
                self.hidden += 1;
            }
            Tag::Strikethrough => {
                self.page.struck.push(range);
                self.hidden += 1;
            }
            Tag::List(_) => {
                self.close(range.start);
                self.lists += 1;
            }
            Tag::Item => self.begin(Kind::Item(None), range.start),
            Tag::Table(_) => {
                let from = self.page.blocks.len();
                self.page.tables.push(Table { blocks: from..from, columns: 0 });
                self.cell = Some(Cell { table: self.page.tables.len() - 1, row: 0, column: 0 });
            }
            Tag::TableRow => self.next_row(),
            Tag::TableCell => self.begin_cell(range.start),
            Tag::Image { dest_url, .. } => {
                self.hidden += 1;
                self.page.links.push(Link { target: dest_url.to_string(), range });
            }
            Tag::Link { dest_url, .. } => {
                self.page.links.push(Link { target: dest_url.to_string(), range });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, end: usize) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item => self.close(end),
            TagEnd::TableCell => self.end_cell(end),
            TagEnd::Table => self.end_table(),
            TagEnd::BlockQuote(_) => self.quotations = self.quotations.saturating_sub(1),
            TagEnd::CodeBlock | TagEnd::Image | TagEnd::Strikethrough => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            TagEnd::List(_) => {
                self.close(end);
                self.lists -= 1;
            }
            _ => {}
        }
    }

    /// An item is open and has no text yet.
    fn is_at_item(&self) -> bool {
        matches!(self.open, Some((Kind::Item(_), _, from)) if from == self.page.plain.len())
    }

    /// Begins a block; one that is open ends here.
    pub fn begin(&mut self, kind: Kind, start: usize) {
        self.close(start);
        self.open = Some((kind, start, self.page.plain.len()));
    }

    /// Text of the open block.
    pub fn text(&mut self, range: Range<usize>) {
        if self.open.is_none() {
            self.begin(Kind::Paragraph, range.start);
        }
        let mut from = range.start;
        // A line end within a text would end the block's line.
        for at in memchr::memchr_iter(b'\n', self.page.text[range.clone()].as_bytes()) {
            self.piece(from..range.start + at);
            self.push(range.start + at, ' ');
            from = range.start + at + 1;
        }
        self.piece(from..range.end);
    }

    /// A line that is a block of its own, or the text of an item that has none yet.
    fn line_of_text(&mut self, range: Range<usize>) {
        let line = &self.page.text[range.clone()];
        let start = range.start + line.len() - line.trim_start().len();
        if !self.is_at_item() {
            self.begin(Kind::Paragraph, start);
        }
        self.text(start..start + line.trim().len());
        self.close(range.end);
    }

    fn piece(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.page.pieces.push((self.page.plain.len(), range.start));
            self.page.plain.push_str(&self.page.text[range]);
        }
    }

    fn push(&mut self, at: usize, sign: char) {
        if self.open.is_some() {
            self.page.pieces.push((self.page.plain.len(), at));
            self.page.plain.push(sign);
        }
    }

    /// The values of front matter: what follows `key:`, or a list's `-`, without comments and quotation marks.
    fn read_fields(&mut self, range: Range<usize>) {
        let mut begin = range.start;
        for line in self.page.text[range].split_inclusive('\n') {
            let body = line.split(" #").next().unwrap_or(line);
            let value =
                body.split_once(": ").map_or(body.trim_start().trim_start_matches("- "), |(_, value)| value);
            let value = value.trim().trim_matches(['"', '\'']);
            let from = begin + (value.as_ptr() as usize - line.as_ptr() as usize);
            if !value.is_empty() && value != "---" {
                self.value(from..from + value.len());
            }
            begin += line.len();
        }
    }

    /// A value of data as a block.
    pub fn value(&mut self, range: Range<usize>) {
        self.begin(Kind::Value, range.start);
        self.text(range.clone());
        self.close(range.end);
    }

    /// Ends the open block. Empty ones are dropped, except for cells and headings.
    pub fn close(&mut self, end: usize) {
        let Some((kind, start, from)) = self.open.take() else { return };
        let is_kept = matches!(kind, Kind::Cell(_) | Kind::Heading);
        if self.page.plain.len() == from && !is_kept {
            return;
        }
        let plain = from..self.page.plain.len();
        self.page.pieces.push((plain.end, end));
        self.page.plain.push('\n');
        if kind == Kind::Heading {
            self.open_section();
        }
        self.page.blocks.push(Block {
            kind,
            range: start..end,
            plain,
            section: self.section,
            depth: self.lists,
            is_quoted: self.quotations > 0,
        });
    }

    fn open_section(&mut self) {
        let sections = &mut self.page.sections;
        let mut parent = self.section;
        while parent > 0 && sections[parent].level >= self.level {
            parent = sections[parent].parent;
        }
        self.section = sections.len();
        sections.push(Section { heading: Some(self.page.blocks.len()), level: self.level, parent });
    }

    /// Opens a table.
    pub fn begin_table(&mut self) {
        self.start(&Tag::Table(Vec::new()), 0..0);
    }

    pub fn begin_cell(&mut self, start: usize) {
        if let Some(cell) = self.cell {
            self.begin(Kind::Cell(cell), start);
        }
    }

    pub fn end_cell(&mut self, end: usize) {
        self.close(end);
        if let Some(cell) = &mut self.cell {
            cell.column += 1;
            let table = &mut self.page.tables[cell.table];
            table.columns = table.columns.max(cell.column);
        }
    }

    pub fn next_row(&mut self) {
        if let Some(cell) = &mut self.cell {
            *cell = Cell { row: cell.row + 1, column: 0, ..*cell };
        }
    }

    pub fn end_table(&mut self) {
        let end = self.page.blocks.len();
        if let Some(cell) = self.cell.take() {
            self.page.tables[cell.table].blocks.end = end;
        }
    }

    pub fn finish(mut self) -> Page<'t> {
        self.close(self.page.text.len());
        self.page.mark_insights();
        self.page
    }
}

impl Page<'_> {
    /// The insights of an earlier discussion quote what was open then: `- [Maya] …` in a block below its marker.
    fn mark_insights(&mut self) {
        let markers = self.html.iter().filter(|html| self.text[html.start..html.end].starts_with(MARKER));
        let below = markers.filter_map(|html| {
            let at = self.blocks.partition_point(|block| block.range.start < html.end);
            self.blocks.get(at).filter(|block| block.kind == Kind::Heading).map(|block| block.section)
        });
        let ours: HashSet<usize> = below.collect();
        let is_ours =
            |section: usize| ours.contains(&section) || ours.contains(&self.sections[section].parent);
        let is_insight = |block: &Block| {
            matches!(block.kind, Kind::Item(None))
                && self.text_of(block).starts_with('[')
                && is_ours(block.section)
                && self.heading(block.section) == INSIGHTS
        };
        let insights: Vec<usize> =
            (0..self.blocks.len()).filter(|at| is_insight(&self.blocks[*at])).collect();
        insights.into_iter().for_each(|at| self.blocks[at].is_quoted = true);
    }
}

/// The text with blanks for the tabs of a table's second line, `|---\t|`, which GitHub reads and the parser does not.
fn with_blanks_in_delimiters(text: &str) -> Cow<'_, str> {
    let is_delimiter = |line: &str| {
        line.contains('\t')
            && line.contains("---")
            && line.trim_end().bytes().all(|byte| b"|:- \t".contains(&byte))
    };
    if !text.contains("\t|") && !text.contains("|\t") || !text.lines().any(is_delimiter) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n');
    Cow::Owned(
        lines
            .map(|line| if is_delimiter(line) { line.replace('\t', " ") } else { line.to_owned() })
            .collect(),
    )
}

/// The front matter at the beginning of a document, up to the line that ends it; elsewhere `---` is a rule.
pub(super) fn front_matter(text: &str) -> Range<usize> {
    let Some(first) = text.find('\n').filter(|end| text[..*end].trim_end() == "---") else { return 0..0 };
    let mut at = first + 1;
    for line in text[at..].split_inclusive('\n') {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return 0..at;
        }
    }
    0..0
}

/// `<name of the owner>`: several words and no attribute's value, a word that HTML does not have, `<owner>`, or an exact
/// mark, `<TODO>`. Tags with attributes of one word are HTML.
fn is_placeholder(tag: &str) -> bool {
    const WITH_FLAGS: [&str; 9] =
        ["audio", "button", "details", "iframe", "input", "ol", "option", "script", "video"];
    const MARKS: [&str; 5] = ["FIXME", "TBC", "TBD", "TO", "TODO"];
    let Some(words) = tag.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else { return false };
    let words: Vec<&str> = words.split_whitespace().collect();
    let is_word = |word: &&str| word.chars().all(|sign| sign.is_alphanumeric() || "'’-".contains(sign));
    let Some(name) = words.first().filter(|name| name.starts_with(char::is_alphabetic)) else { return false };
    let is_mark = MARKS.contains(name) && (words.len() > 1 || *name != "TO");
    if words.len() == 1 && !is_mark {
        let is_plain = name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_lowercase());
        return is_plain && !crate::text::markdown::is_element(name);
    }
    // No attribute has a comma.
    let is_prose = words.len() > 2 && !tag.contains(['=', '/', '"']) && tag.contains(", ");
    is_mark || is_prose || words.iter().all(is_word) && !WITH_FLAGS.contains(name)
}
