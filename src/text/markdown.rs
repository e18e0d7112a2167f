//! A message as the page people see it: GitHub Flavored Markdown, read once into visible lines and their sentences.
//!
//! What was struck out or hidden, code blocks, alternative texts, link definitions and footnotes that nothing refers
//! to are not there. Alerts and emphasis are the author's own words; inline code stays as text. Every sentence knows
//! its bytes in the source.
//!
//! ```
//! use roundtable::text::markdown::{Part, read};
//!
//! let lines = read("Decisions:\n- Keep **SQLite**.\n- ~~Drop it.~~\n\n> Why?\n");
//! let seen: Vec<(Part, String)> = lines.iter().map(|line| (line.part, line.text())).collect();
//! assert_eq!(seen[0], (Part::Paragraph, "Decisions:".to_owned()));
//! assert_eq!(seen[1], (Part::Item, "Keep SQLite.".to_owned()));
//! assert_eq!(seen[2], (Part::Quotation, "Why?".to_owned()));
//! assert_eq!(lines[1].lead, Some(0));
//! ```

mod block;
mod html;

pub use self::html::is_element;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use self::block::{VisibleBlock, link_leads};
use self::html::{Elements, Mark, Piece};

/// A line that people see: of a paragraph, an item of a list, a heading, a cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleLine {
    pub part: Part,
    /// Of an item of a task list: is its box ticked?
    pub ticked: Option<bool>,
    /// It is a heading, ends in a colon, or is wholly in bold: it may name what is below it.
    pub is_label: bool,
    /// The label above it, by its place among the lines.
    pub lead: Option<usize>,
    /// The line above its list that breaks off there, by its place among the lines.
    pub opening: Option<usize>,
    pub sentences: Vec<Sentence>,
}

/// Where a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Paragraph,
    Item,
    Heading,
    Cell,
    /// Words of somebody else.
    Quotation,
}

/// A sentence as it is seen, without marks of emphasis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    pub text: String,
    /// Bytes of the source, from its first to its last visible sign.
    pub range: Range<usize>,
}

impl VisibleLine {
    /// The whole line.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        texts.join(" ")
    }

    /// Whether the author says it: it is no quotation, and no box that is not ticked.
    pub fn is_said(&self) -> bool {
        self.part != Part::Quotation && self.ticked != Some(false)
    }
}

/// The visible lines of a message, in order.
pub fn read(source: &str) -> Vec<VisibleLine> {
    let blocks = blocks(source);
    let mut lines = Vec::new();
    let ends: Vec<usize> = blocks
        .iter()
        .map(|block| {
            lines.extend(block.lines());
            lines.len()
        })
        .collect();
    link_leads(&blocks, &ends, &mut lines);
    lines
}

/// What the author of a message says on the page, line by line as it was typed: the items of lists with a mark, tables
/// with their bars. What goes on with a line that was wrapped is indented. Quotations and boxes that are not ticked are
/// no words of the author's.
///
/// ```
/// use roundtable::text::markdown::said;
///
/// assert_eq!(said("FR: **white** letters\n\n> pink ones\n\n1. ~~Cards~~ Coins\n"), "FR: white letters\n- Coins\n");
/// ```
pub fn said(source: &str) -> String {
    let blocks = blocks(source);
    let own: Vec<&VisibleBlock> = blocks.iter().filter(|block| block.is_said()).collect();
    let mut text = String::new();
    for group in own.chunk_by(|a, b| a.row.is_some() && a.row == b.row) {
        let words = group.iter().map(|block| block.written());
        match group[0].row {
            Some(row) => {
                let cells: Vec<String> =
                    words.map(|cell| cell.replace('\n', " ").replace('|', "\\|")).collect();
                text.push_str(&format!("| {} |\n", cells.join(" | ")));
                if row.is_head {
                    text.push_str(&format!("|{}\n", " --- |".repeat(cells.len())));
                }
            }
            None => {
                let mark = if !group[0].lists.is_empty() && group[0].is_first { "- " } else { "" };
                text.extend(words.map(|words| format!("{mark}{words}\n")));
            }
        }
    }
    text
}

fn blocks(source: &str) -> Vec<VisibleBlock> {
    let mut reader = MessageReader::new(source);
    for (event, range) in Parser::new_ext(source, options()).into_offset_iter() {
        reader.take(event, range);
    }
    reader.flush();
    reader.blocks
}

/// Where each element has its last end.
fn ends_of_elements(source: &str) -> BTreeMap<String, usize> {
    let mut ends = BTreeMap::new();
    let has_ends = source.contains("</");
    for (event, range) in Parser::new_ext(source, options()).into_offset_iter().filter(|_| has_ends) {
        if let Event::InlineHtml(raw) | Event::Html(raw) = event {
            for piece in html::pieces(&raw) {
                if let Piece::Close { name } = piece {
                    ends.insert(name, range.end);
                }
            }
        }
    }
    ends
}

fn options() -> Options {
    Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
}

/// What is open while a message is read.
struct MessageReader {
    blocks: Vec<VisibleBlock>,
    open: VisibleBlock,
    /// Quotations that are no alerts, each true; alerts are false.
    quotes: Vec<bool>,
    /// The lists that are open, each with its number.
    lists: Vec<usize>,
    lists_seen: usize,
    items: Vec<Item>,
    is_heading: bool,
    is_cell: bool,
    row: TableRow,
    /// Code blocks, pictures, struck words and unused footnotes that are open.
    unseen: usize,
    strong: usize,
    elements: Elements,
    /// An HTML block, gathered from its lines, each with where it is in the source.
    html: String,
    html_lines: Vec<(usize, usize)>,
    /// The last end of each element, as a place of the source.
    ends: BTreeMap<String, usize>,
    /// Footnotes that the text refers to.
    notes: BTreeSet<String>,
    /// For each footnote that is open, whether nothing refers to it.
    unused: Vec<bool>,
}

/// A row of a table, by its number among all rows of the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TableRow {
    number: usize,
    is_head: bool,
}

/// An item of a list that is open.
struct Item {
    has_block: bool,
    /// Of this item's box, else of the one that it is below.
    ticked: Option<bool>,
}

impl MessageReader {
    fn new(source: &str) -> MessageReader {
        let refers = |event: Event<'_>| match event {
            Event::FootnoteReference(name) => Some(name.to_string()),
            _ => None,
        };
        let has_notes = source.contains("[^");
        let notes = Parser::new_ext(source, options()).filter(|_| has_notes).filter_map(refers).collect();
        MessageReader {
            blocks: Vec::new(),
            open: VisibleBlock::default(),
            quotes: Vec::new(),
            lists: Vec::new(),
            lists_seen: 0,
            items: Vec::new(),
            is_heading: false,
            is_cell: false,
            row: TableRow::default(),
            unseen: 0,
            strong: 0,
            elements: Elements::default(),
            html: String::new(),
            html_lines: Vec::new(),
            ends: ends_of_elements(source),
            notes,
            unused: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.say(&text, range, false),
            Event::Code(text) => self.say(&text, range, true),
            Event::SoftBreak => self.break_line(false),
            Event::HardBreak => self.break_line(true),
            Event::InlineHtml(raw) => self.read_html(&raw, &[(0, range.start)], true),
            Event::Html(raw) => {
                self.html_lines.push((self.html.len(), range.start));
                self.html.push_str(&raw);
            }
            Event::TaskListMarker(ticked) => {
                if let Some(item) = self.items.last_mut() {
                    item.ticked = Some(ticked);
                }
            }
            Event::Rule => self.flush(),
            _ => {}
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Strikethrough | Tag::Image { .. } => self.unseen += 1,
            Tag::Strong => self.strong += 1,
            Tag::Emphasis | Tag::Link { .. } => {}
            block => {
                self.flush();
                match block {
                    Tag::BlockQuote(kind) => self.quotes.push(kind.is_none()),
                    Tag::CodeBlock(_) | Tag::MetadataBlock(_) => self.unseen += 1,
                    Tag::FootnoteDefinition(name) => {
                        let is_unused = !self.notes.contains(name.as_ref());
                        self.unseen += usize::from(is_unused);
                        self.unused.push(is_unused);
                    }
                    Tag::List(_) => self.open_list(),
                    Tag::Item => self.open_item(),
                    Tag::Heading { .. } => self.is_heading = true,
                    Tag::TableHead | Tag::TableRow => {
                        let is_head = matches!(block, Tag::TableHead);
                        self.row = TableRow { number: self.row.number + 1, is_head };
                    }
                    Tag::TableCell => self.is_cell = true,
                    _ => {}
                }
            }
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strikethrough | TagEnd::Image => self.unseen = self.unseen.saturating_sub(1),
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Emphasis | TagEnd::Link => {}
            TagEnd::HtmlBlock => self.end_html(),
            block => {
                self.flush();
                match block {
                    TagEnd::BlockQuote(_) => drop(self.quotes.pop()),
                    TagEnd::CodeBlock | TagEnd::MetadataBlock(_) => {
                        self.unseen = self.unseen.saturating_sub(1);
                    }
                    TagEnd::FootnoteDefinition => {
                        let is_unused = self.unused.pop().unwrap_or_default();
                        self.unseen = self.unseen.saturating_sub(usize::from(is_unused));
                    }
                    TagEnd::List(_) => drop(self.lists.pop()),
                    TagEnd::Item => drop(self.items.pop()),
                    TagEnd::Heading(_) => self.is_heading = false,
                    TagEnd::TableCell => self.is_cell = false,
                    _ => {}
                }
            }
        }
    }

    fn end_html(&mut self) {
        let (html, lines) = (std::mem::take(&mut self.html), std::mem::take(&mut self.html_lines));
        self.read_html(&html, &lines, false);
    }

    fn open_list(&mut self) {
        self.lists_seen += 1;
        self.lists.push(self.lists_seen);
    }

    fn open_item(&mut self) {
        let ticked = self.items.last().and_then(|item| item.ticked);
        self.items.push(Item { has_block: false, ticked });
    }

    /// Takes visible words, where nothing hides them.
    fn say(&mut self, text: &str, range: Range<usize>, is_code: bool) {
        if self.unseen == 0 && !self.elements.has(Mark::Unseen) {
            let is_strong = self.strong > 0 || self.elements.has(Mark::Strong);
            self.open.push(text, range, is_code, is_strong);
        }
    }

    fn break_line(&mut self, is_hard: bool) {
        self.open.break_line(is_hard);
    }

    /// Takes raw HTML; `lines` says where each part of it is in the source. A tag within a line that nothing closes is
    /// words of its author, and so is one that would hide all that follows.
    fn read_html(&mut self, raw: &str, lines: &[(usize, usize)], is_inline: bool) {
        let in_source = |at: usize| {
            let line = lines.partition_point(|(start, _)| *start <= at).saturating_sub(1);
            lines.get(line).map_or(at, |(start, source)| source + (at - start))
        };
        for piece in html::pieces(raw) {
            match piece {
                Piece::Text(range) => self.say_html(&raw[range.clone()], in_source(range.start)),
                Piece::Open { name, mark, tag } => {
                    let at = in_source(tag.start);
                    let is_closed = self.ends.get(&name).is_some_and(|end| *end > at);
                    if !is_closed && html::needs_end(&name) && (is_inline || mark == Mark::Unseen) {
                        self.say_html(&raw[tag], at);
                    } else {
                        self.open_element(name, mark);
                    }
                }
                Piece::Close { name } => self.close_element(&name),
                Piece::Break => self.break_line(true),
            }
        }
    }

    fn say_html(&mut self, text: &str, at: usize) {
        let mut start = at;
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.break_line(false);
            }
            self.say(line, start..start + line.len(), false);
            start += line.len() + 1;
        }
    }

    fn open_element(&mut self, name: String, mark: Mark) {
        if html::is_block(&name) {
            self.flush();
        }
        match name.as_str() {
            "ul" | "ol" => self.open_list(),
            "li" => self.open_item(),
            _ => {}
        }
        self.elements.open(name, mark);
    }

    fn close_element(&mut self, name: &str) {
        if !self.elements.is_open(name) {
            return;
        }
        if html::is_block(name) {
            self.flush();
        }
        match name {
            "ul" | "ol" => drop(self.lists.pop()),
            "li" => drop(self.items.pop()),
            _ => {}
        }
        self.elements.close(name);
    }

    /// Ends the block that is open.
    fn flush(&mut self) {
        let mut block = std::mem::take(&mut self.open);
        // An empty cell is one, too.
        if block.is_empty() && !self.is_cell {
            return;
        }
        block.row = self.is_cell.then_some(self.row);
        let has = |mark| self.elements.has(mark);
        block.part = if self.quotes.contains(&true) || has(Mark::Quoted) {
            Part::Quotation
        } else if self.is_heading || has(Mark::Heading) {
            Part::Heading
        } else if self.is_cell || has(Mark::Cell) {
            Part::Cell
        } else if self.lists.is_empty() {
            Part::Paragraph
        } else {
            Part::Item
        };
        block.lists.clone_from(&self.lists);
        if let Some(item) = self.items.last_mut() {
            block.is_first = !std::mem::replace(&mut item.has_block, true);
            block.ticked = item.ticked;
        }
        self.blocks.push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::Part::{Cell, Heading, Item, Paragraph, Quotation};
    use super::*;

    fn seen(source: &str) -> Vec<(Part, String)> {
        read(source).iter().map(|line| (line.part, line.text())).collect()
    }

    fn check(source: &str, wanted: &[(Part, &str)]) {
        let wanted: Vec<(Part, String)> =
            wanted.iter().map(|(part, text)| (*part, (*text).to_owned())).collect();
        assert_eq!(seen(source), wanted, "{source}");
    }

    #[test]
    fn what_people_do_not_see_says_nothing() {
        for source in [
            "~~a b~~",
            "~a b~",
            "<del>a</del> <s>b</s> <strike>c</strike>",
            "<del>\n\na\n\n</del>",
            "```\na\n```",
            "    a",
            "<pre>a</pre>",
            "<pre>\na\n\nb</pre>",
            "<!-- a -->",
            "<!-- a\n\nb -->",
            "<!-- a",
            "<div hidden>a</div>",
            "<p hidden=\"hidden\">a</p>",
            "![a](b.png)",
            "<img alt=\"a\" src=\"b\">",
            "[a]: http://example.org 'b'",
            "[^1]: a b",
            "<script>a</script>",
        ] {
            check(source, &[]);
        }
    }

    #[test]
    fn what_people_see_is_read_as_it_looks() {
        for (source, wanted) in [
            ("We take ~~16~~ **18** _euros_.", &[(Paragraph, "We take 18 euros.")][..]),
            ("> [!NOTE]\n> a\n\n> b", &[(Paragraph, "a"), (Quotation, "b")]),
            ("> A\nB\n\nc", &[(Quotation, "A"), (Quotation, "B"), (Paragraph, "c")]),
            ("> > [!NOTE]\n> > a", &[(Quotation, "a")]),
            ("<details><summary>a</summary>\nb\n</details>", &[(Heading, "a"), (Paragraph, "b")]),
            ("<details>\n\n- a\n\n</details>", &[(Item, "a")]),
            ("<blockquote>a</blockquote>\n\nb", &[(Quotation, "a"), (Paragraph, "b")]),
            ("A `b c` &amp; [d](http://e.f).", &[(Paragraph, "A `b c` & d.")]),
            ("# A\nb", &[(Heading, "A"), (Paragraph, "b")]),
            ("| a | b |\n|-|-|\n| c | d |", &[(Cell, "a"), (Cell, "b"), (Cell, "c"), (Cell, "d")]),
            ("a[^1]\n\n[^1]: b", &[(Paragraph, "a"), (Paragraph, "b")]),
            ("A b\nC d", &[(Paragraph, "A b"), (Paragraph, "C d")]),
            ("It stops at\n20 euros.", &[(Paragraph, "It stops at 20 euros.")]),
            ("It is for the\nLibrary Club", &[(Paragraph, "It is for the Library Club")]),
            ("It is for\nDecision: a", &[(Paragraph, "It is for"), (Paragraph, "Decision: a")]),
            ("A line that is\nbroken", &[(Paragraph, "A line that is broken")]),
            ("Ten euros.\nwe ask e.g.\nsome", &[(Paragraph, "Ten euros."), (Paragraph, "we ask e.g. some")]),
            ("Ten euros. done", &[(Paragraph, "Ten euros. done")]),
            ("Ten euros\ndone", &[(Paragraph, "Ten euros"), (Paragraph, "done")]),
            ("A<br>B", &[(Paragraph, "A"), (Paragraph, "B")]),
            ("A<br>b  \nc", &[(Paragraph, "A b c")]),
            ("A.<br>b", &[(Paragraph, "A."), (Paragraph, "b")]),
            ("A:<br>b<br>c", &[(Paragraph, "A:"), (Paragraph, "b"), (Paragraph, "c")]),
            ("1 < 2 and <3", &[(Paragraph, "1 < 2 and <3")]),
            ("A `x-<b>` or y-<name> of Vec<Item>", &[(Paragraph, "A `x-<b>` or y-<name> of Vec<Item>")]),
            ("<ul><li>a</li><li>b</li></ul>", &[(Item, "a"), (Item, "b")]),
            ("a <small> step", &[(Paragraph, "a <small> step")]),
            ("the <title> of `</title>`", &[(Paragraph, "the <title> of `</title>`")]),
            ("<title> is\na", &[(Paragraph, "<title> is a")]),
            ("A <div hidden> b", &[(Paragraph, "A <div hidden> b")]),
            ("A <summary> b", &[(Paragraph, "A <summary> b")]),
            ("A <del>b", &[(Paragraph, "A")]),
            ("**A**<br>b", &[(Paragraph, "A"), (Paragraph, "b")]),
        ] {
            check(source, wanted);
        }
    }

    #[test]
    fn a_box_holds_for_its_item() {
        let ticked = |source| read(source).iter().map(|line| line.ticked).collect::<Vec<_>>();
        assert_eq!(ticked("- [ ] a\n  - b\n- [x] c\n- d"), [Some(false), Some(false), Some(true), None]);
    }

    #[test]
    fn a_label_names_the_list_or_paragraph_below_it() {
        let leads = |source| read(source).iter().map(|line| line.lead).collect::<Vec<_>>();
        assert_eq!(leads("A:\n- b\n- c\n\nd"), [None, Some(0), Some(0), None]);
        assert_eq!(leads("A:\n\n1. b\n   - c\n2. d"), [None, Some(0), None, Some(0)]);
        assert_eq!(leads("A:\n- b\n\n  more\n- c"), [None, Some(0), None, Some(0)]);
        assert_eq!(leads("## A\n\nb\nC\n\nd"), [None, Some(0), Some(0), None]);
        assert_eq!(leads("**A**\n\n- b"), [None, Some(0)]);
        assert_eq!(leads("A\n\n- b"), [None, None]);
        assert_eq!(leads("- A:\n  - b\n  - c\n- d"), [None, Some(0), Some(0), None]);
        assert_eq!(leads("A\nB:\nC\nD"), [None, None, Some(1), Some(1)]);
    }

    #[test]
    fn a_line_that_breaks_off_opens_the_list_below_it() {
        let openings = |source| read(source).iter().map(|line| line.opening).collect::<Vec<_>>();
        assert_eq!(openings("A\n- b\n- c\n\nd"), [None, Some(0), Some(0), None]);
        assert_eq!(openings("- A\n  1. b\n  2. c\n- d"), [None, Some(0), Some(0), None]);
        assert_eq!(openings("A.\n- b"), [None, None]);
        assert_eq!(openings("A:\n- b"), [None, None]);
        assert_eq!(openings("> A\n\n- b\n\n## C\n- d"), [None; 4]);
    }

    #[test]
    fn a_sentence_knows_its_bytes() {
        let source = "- **Maya**, we &amp; you.\n- Next `x`. Last\\*.";
        let slices: Vec<&str> = read(source)
            .iter()
            .flat_map(|line| &line.sentences)
            .map(|sentence| &source[sentence.range.clone()])
            .collect();
        assert_eq!(slices, ["Maya**, we &amp; you.", "Next `x`.", "Last\\*."]);
    }
}
