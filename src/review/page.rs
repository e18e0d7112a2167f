//! A document as units of text (headings, paragraphs, list items, table cells) with their sentences.
//!
//! Code blocks, HTML and link targets belong to no unit; block quotations and quoted words are marked. Invariant:
//! a unit's tokens are places of the document, so every finding can quote them exactly. The table row
//! `| F-1 | must be fast |` is two units with the same row.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::scope::Scope;
use super::token::{CAPITAL, EMPHASIS, Kind, LINK, PLACEHOLDER, QUOTED, STRONG, Token, Vocabulary, split};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    Heading,
    Paragraph,
    Item,
    Cell,
    /// A line of the front matter; only rules that read anything look at it.
    Field,
}

/// A place in a table; row 0 is the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub table: u32,
    pub row: u32,
    pub column: u32,
}

/// A heading, paragraph, list item or cell.
#[derive(Clone, Debug)]
pub struct Unit {
    pub kind: UnitKind,
    /// Bytes of the document.
    pub start: u32,
    pub end: u32,
    pub tokens: Range<u32>,
    pub sentences: Range<u32>,
    /// Index in [`Page::sections`].
    pub section: u32,
    pub cell: Option<Cell>,
    /// Number of the list, 0 outside of lists.
    pub list: u32,
    pub is_numbered: bool,
    /// Kinds of its section and of a line above its list, as bits of the [`Scope`].
    pub kinds: u64,
    /// The scope has it judged, and it's no quotation.
    pub is_judged: bool,
    pub is_quotation: bool,
    /// What kind of text it is: its document's, but what is under "Requirements" is a specification.
    pub style: Style,
}

/// A heading with what is below it; the first section has no heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// Index of the heading in [`Page::units`].
    pub heading: Option<u32>,
    pub level: u8,
    pub parent: u32,
    pub kinds: u64,
    /// Index of the first unit after the section and all sections below it.
    pub end: u32,
}

/// A table: the units of its cells, row by row.
#[derive(Clone, Debug)]
pub struct Table {
    pub columns: u32,
    pub units: Range<u32>,
    pub section: u32,
}

/// A link inside of the document: `#target`.
#[derive(Clone, Debug)]
pub struct Anchor {
    pub target: String,
    pub range: Range<usize>,
    pub unit: u32,
}

/// What kind of text a document is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Many of its sentences are labelled, numbered, steps of a story or say "shall".
    Specification,
    /// Too short to tell.
    #[default]
    Note,
    /// A proposal, a design, a report: it explains and argues.
    Prose,
}

/// How a document makes demands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Register {
    /// What kind of text it is.
    pub style: Style,
    /// It writes MUST and SHOULD in capitals (BCP 14): what has neither demands nothing.
    pub has_capitals: bool,
    /// It is a form that others fill in, or minutes: nothing in it is judged.
    pub is_unjudged: bool,
}

/// A document taken apart.
#[derive(Debug)]
pub struct Page<'t> {
    pub path: &'t str,
    pub text: &'t str,
    /// The byte at which each line begins.
    pub lines: Vec<u32>,
    pub tokens: Vec<Token>,
    /// Token ranges.
    pub sentences: Vec<Range<u32>>,
    pub units: Vec<Unit>,
    pub sections: Vec<Section>,
    pub tables: Vec<Table>,
    pub anchors: Vec<Anchor>,
    /// HTML comments and inline HTML.
    pub html: Vec<Range<usize>>,
    pub register: Register,
    /// Of data: the byte at which a text begins, and the path of keys to it.
    pub keys: Vec<(u32, Box<str>)>,
    /// Terms that it defines, in lower case.
    pub terms: std::collections::BTreeSet<String>,
}

impl<'t> Page<'t> {
    /// A page without units.
    pub fn empty(path: &'t str, text: &'t str) -> Page<'t> {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1);
        Page {
            path,
            text,
            lines: std::iter::once(0).chain(ends).collect(),
            tokens: Vec::with_capacity(text.len() / 5),
            sentences: Vec::new(),
            units: Vec::new(),
            sections: vec![Section { heading: None, level: 0, parent: 0, kinds: 0, end: 0 }],
            tables: Vec::new(),
            anchors: Vec::new(),
            html: Vec::new(),
            register: Register::default(),
            keys: Vec::new(),
            terms: std::collections::BTreeSet::new(),
        }
    }

    /// Takes a Markdown document apart.
    pub fn markdown(path: &'t str, text: &'t str, words: &Vocabulary, scope: &Scope) -> Page<'t> {
        let mut builder = Builder::new(path, text, words, scope);
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let inner = unwrapped(text);
        for (event, range) in Parser::new_ext(&text[inner.clone()], options).into_offset_iter() {
            builder.event(event, inner.start + range.start..inner.start + range.end);
        }
        builder.finish()
    }

    /// The folder of the document; one item's documents are judged together, with the recordings below it.
    pub fn folder(&self) -> &'t str {
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_record = self.path.ends_with(".jsonl");
        folder
            .strip_suffix("elaborations")
            .filter(|_| is_record)
            .map_or(folder, |item| item.trim_end_matches('/'))
    }

    pub fn line_count(&self) -> usize {
        self.lines.len() - usize::from(self.text.is_empty() || self.text.ends_with('\n'))
    }

    pub fn line(&self, byte: usize) -> usize {
        self.lines.partition_point(|start| *start as usize <= byte)
    }

    pub fn word(&self, token: &Token) -> &'t str {
        &self.text[token.range()]
    }

    pub fn tokens_of(&self, unit: &Unit) -> &[Token] {
        &self.tokens[unit.tokens.start as usize..unit.tokens.end as usize]
    }

    pub fn sentences_of(&self, unit: &Unit) -> impl Iterator<Item = &[Token]> {
        let sentences = &self.sentences[unit.sentences.start as usize..unit.sentences.end as usize];
        sentences.iter().map(|range| &self.tokens[range.start as usize..range.end as usize])
    }

    /// The bytes of tokens, as one range.
    pub fn span(tokens: &[Token]) -> Option<Range<usize>> {
        Some(tokens.first()?.start as usize..tokens.last()?.end as usize)
    }

    /// The heading of a section, as written.
    pub fn heading(&self, section: u32) -> &'t str {
        let heading = self.sections[section as usize].heading;
        heading.map_or("", |unit| self.unit_text(&self.units[unit as usize]))
    }

    pub fn unit_text(&self, unit: &Unit) -> &'t str {
        Page::span(self.tokens_of(unit)).map_or("", |range| &self.text[range])
    }

    /// The unit at a byte, or the last one before it.
    pub fn unit_at(&self, byte: usize) -> Option<&Unit> {
        let after = self.units.partition_point(|unit| unit.start as usize <= byte);
        self.units.get(after.saturating_sub(1))
    }

    /// The units of a table row, by column; a missing one is no unit.
    pub fn row(&self, table: &Table, row: u32) -> &[Unit] {
        let units = &self.units[table.units.start as usize..table.units.end as usize];
        let begin = units.partition_point(|unit| unit.cell.is_some_and(|cell| cell.row < row));
        let end = units.partition_point(|unit| unit.cell.is_some_and(|cell| cell.row <= row));
        &units[begin..end]
    }

    /// The rows of a table, its header included.
    pub fn rows(&self, table: &Table) -> u32 {
        let last = table.units.end.checked_sub(1).filter(|last| *last >= table.units.start);
        last.and_then(|last| self.units[last as usize].cell).map_or(0, |cell| cell.row + 1)
    }

    /// The units of a section and of all below it, its heading first.
    pub fn units_below(&self, section: u32) -> &[Unit] {
        let section = &self.sections[section as usize];
        let begin = section.heading.unwrap_or(0) as usize;
        &self.units[begin..(section.end as usize).max(begin)]
    }
}

/// Data that somebody printed: `{'id': 'R-1', 'text': …}`.
fn is_dump(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "[(*-".contains(c));
    text.starts_with("{'") || text.starts_with("{\"") || text.starts_with("['")
}

/// A document that is one block of Markdown code as a whole, as chats give it out, without the fences around it.
fn unwrapped(text: &str) -> Range<usize> {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let mark = first.trim_end().strip_suffix("markdown").or_else(|| first.trim_end().strip_suffix("md"));
    let Some(mark) = mark.map(str::trim_end).filter(|mark| matches!(*mark, "```" | "````" | "~~~")) else {
        return 0..text.len();
    };
    let start = text.len() - text.trim_start().len() + first.len();
    let end = text.trim_end().strip_suffix(mark).map_or(text.len(), str::len);
    start..end.max(start)
}

/// Says the line and column of places one after the other: the columns of a line are counted once, however long it is.
#[derive(Default)]
pub struct Cursor {
    page: u32,
    line: usize,
    byte: usize,
    column: usize,
}

impl Cursor {
    /// The line and column of a byte, both from 1; columns count characters.
    pub fn place(&mut self, page: &Page<'_>, number: u32, byte: usize) -> (usize, usize) {
        let line = page.line(byte);
        let is_after = (self.page, self.line) == (number, line) && self.byte <= byte;
        let (from, column) =
            if is_after { (self.byte, self.column) } else { (page.lines[line - 1] as usize, 1) };
        let column = column + page.text[from..byte].chars().count();
        *self = Cursor { page: number, line, byte, column };
        (line, column)
    }
}

/// Collects the units of a page; also for documents that are no Markdown.
pub struct Builder<'t, 'r> {
    pub page: Page<'t>,
    words: &'r Vocabulary,
    scope: &'r Scope,
    /// What the unit that is open began with.
    open: Option<(UnitKind, usize, usize)>,
    pending: Range<usize>,
    flags: u8,
    quotations: u32,
    hidden: u32,
    /// In the front matter.
    is_front: bool,
    lists: Vec<(u32, bool)>,
    next_list: u32,
    cell: Option<Cell>,
    section: u32,
    /// The kinds that a short line above a list gives to the list.
    introduced: u64,
    level: u8,
}

impl<'t, 'r> Builder<'t, 'r> {
    pub fn new(path: &'t str, text: &'t str, words: &'r Vocabulary, scope: &'r Scope) -> Builder<'t, 'r> {
        let page = Page::empty(path, text);
        Builder {
            page,
            words,
            scope,
            open: None,
            pending: 0..0,
            flags: 0,
            quotations: 0,
            hidden: 0,
            is_front: false,
            lists: Vec::new(),
            next_list: 0,
            cell: None,
            section: 0,
            introduced: 0,
            level: 0,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(_) if self.is_front => self.fields(range),
            Event::Text(_) if self.hidden == 0 => self.text(range),
            Event::Code(_) if self.hidden == 0 => self.code(range),
            Event::Html(_) => self.page.html.push(range),
            Event::InlineHtml(_) => self.html(range),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph if self.open.is_none() => self.begin(UnitKind::Paragraph, range.start),
            Tag::Heading { level, .. } => {
                self.level = *level as u8;
                self.begin(UnitKind::Heading, range.start);
            }
            Tag::BlockQuote(_) => self.quotations += 1,
            // What is struck out is no longer said.
            Tag::CodeBlock(_) | Tag::Image { .. } | Tag::Strikethrough => self.hidden += 1,
            Tag::MetadataBlock(_) => self.is_front = true,
            Tag::List(first) => {
                self.close(range.start);
                self.next_list += 1;
                self.lists.push((self.next_list, first.is_some()));
            }
            Tag::Item => self.begin(UnitKind::Item, range.start),
            Tag::Table(_) => {
                let units = self.page.units.len() as u32;
                self.page.tables.push(Table { columns: 0, units: units..units, section: self.section });
                self.cell = Some(Cell { table: self.page.tables.len() as u32 - 1, row: 0, column: 0 });
            }
            Tag::TableRow => {
                if let Some(cell) = &mut self.cell {
                    *cell = Cell { row: cell.row + 1, column: 0, ..*cell };
                }
            }
            Tag::TableCell => self.begin(UnitKind::Cell, range.start),
            Tag::Strong => self.flush_with(STRONG),
            Tag::Emphasis => self.flush_with(EMPHASIS),
            Tag::Link { dest_url, .. } => {
                self.flush_with(LINK);
                if let Some(target) = dest_url.strip_prefix('#') {
                    let unit = self.page.units.len() as u32;
                    self.page.anchors.push(Anchor { target: target.to_lowercase(), range, unit });
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item => self.close(range.end),
            TagEnd::TableCell => {
                self.close(range.end);
                if let Some(cell) = &mut self.cell {
                    cell.column += 1;
                }
            }
            TagEnd::Table => {
                self.cell = None;
                let end = self.page.units.len() as u32;
                if let Some(table) = self.page.tables.last_mut() {
                    table.units.end = end;
                }
            }
            TagEnd::BlockQuote(_) => self.quotations = self.quotations.saturating_sub(1),
            TagEnd::CodeBlock | TagEnd::Image | TagEnd::Strikethrough => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            TagEnd::MetadataBlock(_) => self.is_front = false,
            TagEnd::List(_) => {
                self.close(range.end);
                self.lists.pop();
            }
            TagEnd::Strong => self.flush_without(STRONG),
            TagEnd::Emphasis => self.flush_without(EMPHASIS),
            TagEnd::Link => self.flush_without(LINK),
            _ => {}
        }
    }

    fn flush_with(&mut self, flag: u8) {
        self.flush();
        self.flags |= flag;
    }

    fn flush_without(&mut self, flag: u8) {
        self.flush();
        self.flags &= !flag;
    }

    /// Begins a unit; one that is open ends here.
    pub fn begin(&mut self, kind: UnitKind, start: usize) {
        self.close(start);
        self.open = Some((kind, start, self.page.tokens.len()));
    }

    /// Text of the open unit; parts that touch each other are one text.
    pub fn text(&mut self, range: Range<usize>) {
        if self.open.is_none() {
            self.begin(UnitKind::Paragraph, range.start);
        }
        if self.pending.end == range.start && !self.pending.is_empty() {
            self.pending.end = range.end;
        } else {
            self.flush();
            self.pending = range;
        }
    }

    /// The lines of the front matter, without comments.
    fn fields(&mut self, range: Range<usize>) {
        let mut begin = range.start;
        for line in self.page.text[range].split_inclusive('\n') {
            let body = line.split(" #").next().unwrap_or(line).trim_end();
            self.begin(UnitKind::Field, begin);
            self.text(begin..begin + body.len());
            begin += line.len();
            self.close(begin);
        }
    }

    /// HTML says nothing; `<name of the owner>` is a place for words that are missing.
    fn html(&mut self, range: Range<usize>) {
        let inner = self.page.text[range.clone()].trim_matches(['<', '>', ' ']);
        let is_words = inner.contains(' ')
            && inner.chars().all(|found| found.is_alphanumeric() || " ,.'-".contains(found));
        if is_words && self.open.is_some() && self.hidden == 0 {
            self.flush();
            let (start, end, word) = (range.start as u32, range.end as u32, self.words.number(PLACEHOLDER));
            self.page.tokens.push(Token { start, end, word, kind: Kind::Sign, flags: self.flags });
        }
        self.page.html.push(range);
    }

    fn code(&mut self, range: Range<usize>) {
        self.flush();
        if self.open.is_some() {
            let (start, end) = (range.start as u32, range.end as u32);
            self.page.tokens.push(Token { start, end, word: 0, kind: Kind::Code, flags: self.flags });
        }
    }

    fn flush(&mut self) {
        let range = std::mem::replace(&mut self.pending, 0..0);
        if !range.is_empty() {
            split(self.page.text, range, self.flags, self.words, &mut self.page.tokens);
        }
    }

    /// Ends the open unit. Empty ones are dropped, except for cells.
    pub fn close(&mut self, end: usize) {
        self.flush();
        let Some((kind, start, from)) = self.open.take() else { return };
        let cell = self.cell.filter(|_| kind == UnitKind::Cell);
        if self.page.tokens.len() == from && cell.is_none() {
            return;
        }
        mark_quotations(&mut self.page.tokens[from..], self.page.text);
        let first = self.page.sentences.len() as u32;
        self.sentences(from);
        if kind == UnitKind::Heading {
            self.open_section(from);
        } else if kind == UnitKind::Paragraph && self.lists.is_empty() && cell.is_none() {
            self.introduce(from);
        }
        let (list, is_numbered) = self.lists.last().copied().unwrap_or_default();
        let has_intro = list > 0 || cell.is_some();
        let section = &self.page.sections[self.section as usize];
        let kinds = section.kinds | if has_intro { self.introduced } else { 0 };
        let is_quotation = self.quotations > 0 || kind == UnitKind::Field;
        self.page.units.push(Unit {
            kind,
            start: start as u32,
            end: end as u32,
            tokens: from as u32..self.page.tokens.len() as u32,
            sentences: first..self.page.sentences.len() as u32,
            section: self.section,
            cell,
            list,
            is_numbered,
            kinds,
            is_judged: !is_quotation && self.scope.is_judged(kinds) && !is_dump(&self.page.text[start..end]),
            is_quotation,
            style: Style::default(),
        });
        if let (Some(cell), Some(table)) = (cell, self.page.tables.last_mut()) {
            table.columns = table.columns.max(cell.column + 1);
        }
    }

    fn open_section(&mut self, from: usize) {
        let unit = self.page.units.len() as u32;
        let mut parent = self.section;
        while parent > 0 && self.page.sections[parent as usize].level >= self.level {
            self.page.sections[parent as usize].end = unit;
            parent = self.page.sections[parent as usize].parent;
        }
        let words = self.page.tokens[from..].iter().filter(|token| token.kind == Kind::Word).count();
        // The title of a document ("Keep the order history") is no kind of section.
        let is_title = self.level == 1 && self.page.sections.len() == 1 && words > 2;
        let own = if is_title { 0 } else { self.scope.kinds(&self.page.tokens[from..]) };
        let kinds = if own == 0 { self.page.sections[parent as usize].kinds } else { own };
        // "What are the reasonable service levels?" is answered below, and nothing is demanded.
        let is_question =
            self.page.tokens[from..].last().is_some_and(|last| &self.page.text[last.range()] == "?");
        let kinds = if is_question { kinds & !self.scope.demanding } else { kinds };
        self.section = self.page.sections.len() as u32;
        self.page.sections.push(Section { heading: Some(unit), level: self.level, parent, kinds, end: 0 });
        self.introduced = 0;
    }

    /// `Non-goals` in a line of its own gives its kind to the list below it.
    fn introduce(&mut self, from: usize) {
        let tokens = &self.page.tokens[from..];
        let is_short =
            tokens.len() <= 6 && tokens.iter().filter(|token| token.kind == Kind::Word).count() <= 4;
        self.introduced = if is_short { self.scope.kinds(tokens) } else { 0 };
    }

    /// Splits the tokens of a unit into sentences.
    fn sentences(&mut self, from: usize) {
        let tokens = &self.page.tokens;
        let mut start = from;
        for at in from..tokens.len() {
            let is_end = at + 1 - start >= MAX_SENTENCE_TOKENS;
            if is_end || ends_sentence(self.page.text, &tokens[from..], at - from) {
                self.page.sentences.push(start as u32..at as u32 + 1);
                start = at + 1;
            }
        }
        if start < tokens.len() {
            self.page.sentences.push(start as u32..tokens.len() as u32);
        }
    }

    pub fn finish(mut self) -> Page<'t> {
        self.close(self.page.text.len());
        let end = self.page.units.len() as u32;
        for section in &mut self.page.sections {
            if section.end == 0 {
                section.end = end;
            }
        }
        self.page
    }

    /// Opens a table of a document that is no Markdown.
    pub fn table(&mut self) {
        self.start(&Tag::Table(Vec::new()), 0..0);
    }

    pub fn end_cell(&mut self, end: usize) {
        self.end(TagEnd::TableCell, end..end);
    }

    pub fn next_row(&mut self) {
        self.start(&Tag::TableRow, 0..0);
    }

    pub fn end_table(&mut self, end: usize) {
        self.end(TagEnd::Table, end..end);
    }
}

/// A longer sentence is read in parts, so that no text takes quadratic time.
const MAX_SENTENCE_TOKENS: usize = 200;

/// Abbreviations after which a sentence goes on.
const ABBREVIATIONS: [&str; 24] = [
    "e.g", "i.e", "eg", "ie", "etc", "vs", "approx", "no", "fig", "sec", "cf", "resp", "incl", "max", "min",
    "dr", "mr", "ms", "mrs", "st", "ca", "pp", "vol", "ed",
];

/// The sentence ends with this token: a full stop, a question or exclamation mark before a capital.
fn ends_sentence(text: &str, tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if token.kind != Kind::Sign || !matches!(&text[token.range()], "." | "?" | "!" | "\u{2026}") {
        return closes_after_end(text, tokens, at);
    }
    let Some(next) = tokens.get(at + 1) else { return false };
    if next.has(super::token::TIGHT) {
        return false;
    }
    let starts = next.has(CAPITAL) || matches!(next.kind, Kind::Number | Kind::Code | Kind::Id | Kind::Sign);
    starts && !is_abbreviation(text, tokens, at)
}

/// A closing quotation mark or bracket right after the end.
fn closes_after_end(text: &str, tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let closes = token.kind == Kind::Sign && matches!(&text[token.range()], "\"" | ")" | "\u{201d}");
    let Some(before) = at.checked_sub(1).map(|before| &tokens[before]).filter(|_| closes) else {
        return false;
    };
    let is_end = before.kind == Kind::Sign && matches!(&text[before.range()], "." | "?" | "!");
    is_end && tokens.get(at + 1).is_some_and(|next| next.has(CAPITAL) && !next.has(super::token::TIGHT))
}

fn is_abbreviation(text: &str, tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &tokens[before]) else { return false };
    if before.kind != Kind::Word || &text[tokens[at].range()] != "." {
        return false;
    }
    let word = text[before.range()].to_ascii_lowercase();
    // "8 °C." and "5 V." end with a unit.
    let is_unit = at
        .checked_sub(2)
        .is_some_and(|at| tokens[at].kind == Kind::Number || &text[tokens[at].range()] == "°");
    let is_initial = word.len() == 1 && before.has(CAPITAL) && at >= 2 && !is_unit;
    // "e.g." and "i.e." are two words of one letter.
    let is_short = word.len() == 1 && at >= 2 && &text[tokens[at - 2].range()] == ".";
    let goes_on = word == "etc" && tokens.get(at + 1).is_some_and(|next| next.has(CAPITAL));
    is_initial || is_short || (!goes_on && ABBREVIATIONS.contains(&word.as_str()))
}

/// Marks what is between quotation marks.
fn mark_quotations(tokens: &mut [Token], text: &str) {
    let is = |token: &Token, sign: &str| token.kind == Kind::Sign && &text[token.range()] == sign;
    let straight = tokens.iter().filter(|token| is(token, "\"")).count();
    let mut left = straight - straight % 2;
    let mut inside = false;
    for token in tokens {
        if is(token, "\"") && left > 0 {
            left -= 1;
            inside = !inside;
        } else if is(token, "\u{201c}") || is(token, "\u{ab}") || is(token, "\u{201e}") {
            inside = true;
        } else if is(token, "\u{201d}") || is(token, "\u{bb}") {
            inside = false;
        } else if inside {
            token.flags |= QUOTED;
        }
    }
}
