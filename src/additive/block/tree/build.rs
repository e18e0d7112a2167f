//! The tree of a text, built from the parser's events.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Alignment, BlockQuoteKind, CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::mark::*;
use super::{BlockKind, Definition, HtmlPiece, NONE, Node, Tree, folded};
use crate::additive::block::html::Context;

/// A container that is open.
struct OpenContainer {
    node: u32,
    /// The depth of the context at its start, for those that end what was opened inside.
    depth: usize,
    /// A list: some paragraph is directly in an item, which only a loose list has.
    paragraphs: bool,
    /// A list: some text is directly in an item, which only a tight list has.
    bare: bool,
}

/// A block of inline content that is being read.
struct Leaf {
    node: u32,
    /// Where its rendering begins in the labels.
    rendered: usize,
    /// The last thing written was text: then more text belongs to it.
    in_text: bool,
    /// A tight item's text, which no event ends.
    implicit: bool,
}

/// What is known of a text while its events are read.
pub(super) struct Builder<'t> {
    tree: Tree<'t>,
    context: Context,
    open: Vec<OpenContainer>,
    /// The sections that are open: level and node.
    sections: Vec<(u8, u32)>,
    /// The last child of each node so far.
    lasts: Vec<u32>,
    leaf: Option<Leaf>,
    /// The row or table head that cells are read into.
    cells: Option<u32>,
    /// The number of the cell that is being read, from one.
    cell: u32,
    /// The HTML block that is being read, and its text.
    html_block: Option<u32>,
    html: Vec<u8>,
    /// The footnotes that are defined so far.
    footnotes: BTreeSet<String>,
}

impl<'t> Builder<'t> {
    /// Builds on a tree that has no nodes yet.
    pub fn of(tree: Tree<'t>) -> Builder<'t> {
        let mut builder = Builder {
            tree,
            context: Context::default(),
            open: Vec::new(),
            sections: Vec::new(),
            lasts: Vec::new(),
            leaf: None,
            cells: None,
            cell: 0,
            html_block: None,
            html: Vec::new(),
            footnotes: BTreeSet::new(),
        };
        builder.add(BlockKind::Document, 0..0);
        builder
    }

    pub fn read(mut self, parser: Parser<'t>) -> Tree<'t> {
        for (event, range) in parser.into_offset_iter() {
            self.take(event, range);
        }
        self.tree
    }

    /// A new node at the end of what its parent holds so far.
    fn add(&mut self, kind: BlockKind, range: Range<usize>) -> u32 {
        let at = self.tree.nodes.len() as u32;
        let parent = match self.open.last() {
            Some(open) => open.node,
            None => self.sections.last().map_or(0, |(_, node)| *node),
        };
        let context = self.written_context();
        let end = self.tree.labels.len() as u32;
        self.tree.nodes.push(Node {
            kind,
            content: end..end,
            context,
            parent,
            first: NONE,
            next: NONE,
            start: range.start as u32,
            end: range.end as u32,
        });
        self.lasts.push(NONE);
        if at > 0 {
            match self.lasts[parent as usize] {
                NONE => self.tree.nodes[parent as usize].first = at,
                last => self.tree.nodes[last as usize].next = at,
            }
            self.lasts[parent as usize] = at;
        }
        at
    }

    /// The number of the context as it is now.
    fn written_context(&mut self) -> u32 {
        if self.context.depth() == 0 {
            return 0;
        }
        let start = self.tree.labels.len();
        self.context.write(&mut self.tree.labels);
        let last = self
            .tree
            .contexts
            .last()
            .map_or(&[][..], |last| &self.tree.labels[last.start as usize..last.end as usize]);
        if last == &self.tree.labels[start..] {
            self.tree.labels.truncate(start);
        } else {
            self.tree.contexts.push(start as u32..self.tree.labels.len() as u32);
        }
        self.tree.contexts.len() as u32 - 1
    }

    /// Reads a piece of raw HTML of a node, which is the last that was written.
    fn read_html(&mut self, node: u32, html: &[u8], range: Range<u32>) {
        self.context.read(html);
        let place = match self.cells {
            Some(row) => (row, self.cell),
            None => (self.open.last().map_or(0, |open| open.node), 0),
        };
        self.tree.pieces.push(HtmlPiece { node, place, html: range });
    }

    /// A new node that is open until its end is read.
    fn begin(&mut self, kind: BlockKind, range: Range<usize>) -> u32 {
        let node = self.add(kind, range);
        let depth = self.context.depth();
        self.open.push(OpenContainer { node, depth, paragraphs: false, bare: false });
        node
    }

    /// Sets what a node is; `write` gets the labels to write it to.
    fn label(&mut self, node: u32, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.tree.labels.len() as u32;
        write(&mut self.tree.labels);
        self.tree.nodes[node as usize].content = start..self.tree.labels.len() as u32;
    }

    fn begin_leaf(&mut self, node: u32, implicit: bool) {
        self.leaf = Some(Leaf { node, rendered: self.tree.labels.len(), in_text: false, implicit });
    }

    /// Ends inline content: the label is the rendering and the source text.
    fn end_leaf(&mut self) {
        let Some(leaf) = self.leaf.take() else { return };
        let node = &self.tree.nodes[leaf.node as usize];
        let source = self.tree.text.get(node.start()..node.end()).unwrap_or_default().trim_end();
        self.tree.labels.extend([0, SOURCE]);
        self.tree.labels.extend_from_slice(source.as_bytes());
        let range = leaf.rendered as u32..self.tree.labels.len() as u32;
        self.tree.nodes[leaf.node as usize].content = range;
    }

    /// A tight item's text ends where anything but inline content follows.
    fn end_implicit(&mut self) {
        if self.leaf.as_ref().is_some_and(|leaf| leaf.implicit) {
            self.end_leaf();
        }
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(end) => self.end(end, range),
            // What indents a block of HTML is told as text.
            Event::Html(html) => self.html.extend_from_slice(html.as_bytes()),
            Event::Text(text) if self.html_block.is_some() => self.html.extend_from_slice(text.as_bytes()),
            Event::TaskListMarker(ticked) => self.task(ticked, range),
            Event::Rule => {
                self.end_implicit();
                let glued = self.is_glued(&range);
                let node = self.add(BlockKind::Rule, range);
                self.label(node, |labels| labels.extend(glued.then_some(b'g')));
            }
            inline => self.inline(&inline, range),
        }
    }

    /// Whether a line of dashes is right below a definition: cmark and GitHub read it as text then (the
    /// underline of a heading without words).
    fn is_glued(&self, range: &Range<usize>) -> bool {
        let text = self.tree.text;
        let dashes = text[range.clone()].trim_end().bytes().all(|byte| byte == b'-');
        let above = text[..range.start].trim_end_matches([' ', '\t']).strip_suffix('\n');
        let above =
            above.map(|above| above.strip_suffix('\r').unwrap_or(above).trim_end_matches([' ', '\t']));
        let Some(above) = above.filter(|_| dashes) else { return false };
        let line = above.rsplit('\n').next().unwrap_or_default().trim_start();
        let ends = |definition: &Definition| text[..definition.end].trim_end().len() == above.len();
        line.starts_with('[') && line.contains("]:")
            || !line.is_empty() && self.tree.definitions.values().any(ends)
    }

    /// The box of a task is part of its item, not of the text after it.
    fn task(&mut self, ticked: bool, range: Range<usize>) {
        let Some(item) = self.open.last().map(|open| open.node) else { return };
        self.label(item, |labels| labels.push(if ticked { b'x' } else { b' ' }));
        let text = self.tree.text.as_bytes();
        let blanks = text[range.end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if let Some(leaf) = &mut self.leaf {
            leaf.rendered = self.tree.labels.len();
            self.tree.nodes[leaf.node as usize].start = (range.end + blanks) as u32;
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. } => {
                return self.start_span(&tag, &range);
            }
            _ => self.end_implicit(),
        }
        match tag {
            Tag::Paragraph => {
                // A paragraph directly in an item: the list is loose.
                if let [.., list, item] = self.open.as_mut_slice()
                    && self.tree.nodes[item.node as usize].kind == BlockKind::Item
                {
                    list.paragraphs = true;
                }
                let node = self.add(BlockKind::Paragraph, range);
                self.begin_leaf(node, false);
            }
            Tag::Heading { level, .. } => self.start_heading(level as u8, range),
            Tag::BlockQuote(alert) => {
                let node = self.begin(BlockKind::Quote, range);
                self.label(node, |labels| labels.extend(alert.map(alert_mark)));
            }
            Tag::FootnoteDefinition(name) => self.start_footnote(&folded(&name), range),
            Tag::CodeBlock(kind) => self.start_code(&kind, range),
            Tag::HtmlBlock => {
                self.html_block = Some(self.add(BlockKind::Html, range));
                self.html.clear();
            }
            Tag::List(start) => {
                self.begin(if start.is_some() { BlockKind::Numbers } else { BlockKind::Bullets }, range);
            }
            Tag::Item => {
                self.begin(BlockKind::Item, range);
            }
            Tag::Table(alignments) => {
                let node = self.begin(BlockKind::Table, range);
                self.label(node, |labels| labels.extend(alignments.iter().map(alignment_mark)));
            }
            Tag::TableHead => {
                self.cells = self.open.last().map(|open| open.node);
                self.cell = 0;
            }
            Tag::TableRow => {
                self.cell = 0;
                let node = self.add(BlockKind::Row, range);
                self.cells = Some(node);
                self.label(node, |_| ());
            }
            Tag::TableCell => {
                self.cell += 1;
                if let Some(node) = self.cells {
                    self.begin_leaf(node, false);
                }
            }
            _ => {}
        }
    }

    /// Emphasis, a link or an image begins: inline content, with what text cannot show.
    fn start_span(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        self.ensure_leaf(range);
        self.mark(match tag {
            Tag::Emphasis => EMPHASIS,
            Tag::Strong => STRONG,
            Tag::Strikethrough => STRIKE,
            Tag::Link { .. } => LINK,
            _ => IMAGE,
        });
        if let Tag::Link { dest_url, title, .. } | Tag::Image { dest_url, title, .. } = tag {
            for part in [dest_url, title] {
                self.write_counted(part);
            }
        }
    }

    /// A top-level heading opens a section and closes those of its level and deeper.
    fn start_heading(&mut self, level: u8, range: Range<usize>) {
        let node = if self.open.is_empty() {
            while self.sections.last().is_some_and(|(above, _)| *above >= level) {
                self.sections.pop();
            }
            let node = self.add(BlockKind::Section, range);
            self.sections.push((level, node));
            node
        } else {
            self.add(BlockKind::Heading, range)
        };
        self.begin_leaf(node, false);
        self.tree.labels.push(level);
    }

    /// Of two definitions of one footnote the first counts.
    fn start_footnote(&mut self, name: &str, range: Range<usize>) {
        let node = self.begin(BlockKind::Footnote, range);
        let counts = if self.footnotes.insert(name.to_owned()) { b'1' } else { b'2' };
        self.label(node, |labels| {
            labels.push(counts);
            labels.extend_from_slice(name.as_bytes());
        });
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>, range: Range<usize>) {
        let node = self.add(BlockKind::Code, range);
        self.begin_leaf(node, false);
        let (mark, info) = match kind {
            CodeBlockKind::Indented => (1, ""),
            CodeBlockKind::Fenced(info) => (2, &**info),
        };
        self.tree.labels.push(mark);
        self.write_counted(info);
    }

    /// Writes a text after its length, so that what follows cannot be taken for it.
    fn write_counted(&mut self, text: &str) {
        self.tree.labels.extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.tree.labels.extend_from_slice(text.as_bytes());
    }

    fn end(&mut self, end: TagEnd, range: Range<usize>) {
        match end {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image => {
                self.mark(END);
                return;
            }
            _ => self.end_implicit(),
        }
        match end {
            TagEnd::Paragraph | TagEnd::Heading(_) => self.end_leaf(),
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::TableCell => self.end_cell(range),
            TagEnd::TableHead | TagEnd::TableRow => self.cells = None,
            TagEnd::BlockQuote(_) | TagEnd::Item | TagEnd::Table | TagEnd::FootnoteDefinition => {
                if let Some(open) = self.open.pop() {
                    self.context.leave(open.depth);
                }
            }
            TagEnd::List(_) => {
                if let Some(open) = self.open.pop() {
                    self.end_list(&open);
                }
            }
            _ => {}
        }
    }

    /// A last line of code without an end may gain one.
    fn end_code(&mut self) {
        let Some(leaf) = self.leaf.take() else { return };
        if leaf.in_text && self.tree.labels.last() != Some(&b'\n') {
            self.tree.labels.push(b'\n');
        }
        let range = leaf.rendered as u32..self.tree.labels.len() as u32;
        self.tree.nodes[leaf.node as usize].content = range;
    }

    fn end_html(&mut self) {
        let Some(node) = self.html_block.take() else { return };
        let html = std::mem::take(&mut self.html);
        self.label(node, |labels| labels.extend_from_slice(html.trim_ascii_end()));
        if memchr::memchr(b'<', &html).is_some() {
            let range = self.tree.nodes[node as usize].content.clone();
            self.read_html(node, &html, range);
        }
        self.html = html;
    }

    /// A cell's rendering and source go to the row; its elements end with it.
    fn end_cell(&mut self, range: Range<usize>) {
        let Some(leaf) = self.leaf.take() else { return };
        let source = self.tree.text.get(range).unwrap_or_default().trim();
        self.tree.labels.extend([0, SOURCE]);
        self.tree.labels.extend_from_slice(source.as_bytes());
        self.tree.labels.push(0xff);
        let end = self.tree.labels.len() as u32;
        self.tree.nodes[leaf.node as usize].content.end = end;
        if let Some(open) = self.open.last() {
            self.context.truncate(open.depth);
        }
    }

    /// A list's label: its marker, or delimiter and first number; tight or loose.
    fn end_list(&mut self, open: &OpenContainer) {
        let node = self.tree.node(open.node);
        let loose = open.paragraphs || (!open.bare && self.has_gaps(open.node));
        let first = if node.first == NONE { node.start() } else { self.tree.node(node.first).start() };
        let text = self.tree.text;
        let mark = text.get(first..).unwrap_or_default().trim_start_matches([' ', '\t']);
        let number = mark.len() - mark.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = mark[..number].trim_start_matches('0').to_owned();
        let sign = mark.trim_start_matches(|c: char| c.is_ascii_digit()).bytes().next().unwrap_or(b' ');
        self.label(open.node, |labels| {
            labels.extend([sign, if loose { b'l' } else { b't' }]);
            labels.extend_from_slice(number.as_bytes());
        });
    }

    /// Whether a blank line is between two items of a list or two blocks of an item: what makes
    /// a list loose that has no text of its own to show it.
    fn has_gaps(&self, list: u32) -> bool {
        let gap = |from: usize, to: usize| {
            let between = self.tree.text.get(from..to).unwrap_or_default();
            between.bytes().filter(|byte| *byte == b'\n').count() > 1
        };
        let ends_blank = |node: &Node| {
            let text = self.tree.text.get(node.start()..node.end()).unwrap_or_default();
            let blanks = text.len() - text.trim_end().len();
            text[text.len() - blanks..].bytes().filter(|byte| *byte == b'\n').count() > 1
        };
        let apart = |at: u32| {
            let node = self.tree.node(at);
            let next = node.next;
            next != NONE && (gap(node.end(), self.tree.node(next).start()) || ends_blank(node))
        };
        self.tree.children(list).any(|item| apart(item) || self.tree.children(item).any(apart))
    }

    /// Text directly in an item opens a paragraph of its own.
    fn ensure_leaf(&mut self, range: &Range<usize>) {
        if self.leaf.is_some() {
            if let Some(Leaf { implicit: true, node, .. }) = self.leaf {
                self.tree.nodes[node as usize].end = range.end as u32;
            }
            return;
        }
        let count = self.open.len();
        if count >= 2 {
            self.open[count - 2].bare = true;
        }
        let node = self.add(BlockKind::Paragraph, range.clone());
        self.begin_leaf(node, true);
    }

    /// Writes a sign that text cannot hold.
    fn mark(&mut self, sign: u8) {
        self.tree.labels.extend([0, sign]);
        if let Some(leaf) = &mut self.leaf {
            leaf.in_text = false;
        }
    }

    fn inline(&mut self, event: &Event<'_>, range: Range<usize>) {
        self.ensure_leaf(&range);
        match event {
            Event::Text(text) => {
                if self.leaf.as_ref().is_some_and(|leaf| !leaf.in_text) {
                    self.mark(TEXT);
                }
                self.tree.labels.extend_from_slice(text.as_bytes());
                if let Some(leaf) = &mut self.leaf {
                    leaf.in_text = true;
                }
            }
            Event::Code(code) => {
                self.mark(CODE);
                self.tree.labels.extend_from_slice(code.as_bytes());
            }
            Event::InlineHtml(html) => {
                self.mark(HTML);
                let start = self.tree.labels.len() as u32;
                self.tree.labels.extend_from_slice(html.as_bytes());
                if let Some(node) = self.leaf.as_ref().map(|leaf| leaf.node) {
                    self.read_html(node, html.as_bytes(), start..self.tree.labels.len() as u32);
                }
            }
            Event::SoftBreak => self.mark(SOFT_BREAK),
            Event::HardBreak => self.mark(HARD_BREAK),
            Event::FootnoteReference(name) => {
                self.mark(NOTE);
                self.tree.labels.extend_from_slice(folded(name).as_bytes());
            }
            _ => self.mark(OTHER),
        }
    }
}

fn alert_mark(kind: BlockQuoteKind) -> u8 {
    match kind {
        BlockQuoteKind::Note => b'n',
        BlockQuoteKind::Tip => b't',
        BlockQuoteKind::Important => b'i',
        BlockQuoteKind::Warning => b'w',
        BlockQuoteKind::Caution => b'c',
    }
}

fn alignment_mark(alignment: &Alignment) -> u8 {
    match alignment {
        Alignment::None => b'-',
        Alignment::Left => b'<',
        Alignment::Center => b'=',
        Alignment::Right => b'>',
    }
}
