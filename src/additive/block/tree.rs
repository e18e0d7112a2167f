//! A Markdown text as the tree that S4 compares: document, sections, blocks, items, rows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Alignment, BlockQuoteKind, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use sha2::{Digest as _, Sha256};

use super::html::{Context, Place};
use crate::additive::text::Lines;

/// The Markdown that documents are compared as: CommonMark with GFM's tables, strikethrough, footnotes,
/// task boxes and alerts. Front matter is taken off before, since only line 1 can begin it.
const MARKDOWN: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM);

/// No node.
pub const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Document,
    /// A top-level heading with everything below it.
    Section,
    /// A heading inside a quote or an item.
    Heading,
    Paragraph,
    Code,
    Html,
    Bullets,
    Numbers,
    Item,
    Quote,
    Rule,
    Table,
    Row,
    /// The definition of a footnote.
    Footnote,
}

impl Kind {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Document => "document",
            Kind::Section => "section",
            Kind::Heading => "heading",
            Kind::Paragraph => "paragraph",
            Kind::Code => "code block",
            Kind::Html => "HTML block",
            Kind::Bullets => "list",
            Kind::Numbers => "numbered list",
            Kind::Item => "list item",
            Kind::Quote => "quotation",
            Kind::Rule => "line across",
            Kind::Table => "table",
            Kind::Row => "table row",
            Kind::Footnote => "footnote",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    /// What the node is, without what is around it; in the tree's labels.
    content: Range<u32>,
    /// The raw HTML elements that are open where it starts; in the tree's contexts.
    context: u32,
    pub parent: u32,
    pub first: u32,
    pub next: u32,
    /// Its place in the text. A section's is that of its heading.
    start: u32,
    end: u32,
}

impl Node {
    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// Whether its label says nothing.
    pub fn is_bare(&self) -> bool {
        self.content.is_empty()
    }

    pub fn end(&self) -> usize {
        self.end as usize
    }
}

/// A piece of raw HTML.
pub struct Piece {
    /// The node that it is in.
    pub node: u32,
    /// The item, quotation or cell that its elements end with.
    pub place: Place,
    html: Range<u32>,
}

/// A link definition: what it is known by, where it leads, and where it is.
#[derive(Clone, Debug)]
pub struct Definition {
    pub target: String,
    pub title: Option<String>,
    pub start: usize,
    pub end: usize,
}

/// A text, parsed.
pub struct Tree<'t> {
    pub text: &'t str,
    pub nodes: Vec<Node>,
    labels: Vec<u8>,
    /// Contexts as they are written; the first is that of nothing.
    contexts: Vec<Range<u32>>,
    pieces: Vec<Piece>,
    /// Nodes that open an element, with a digest of everything up to the node that closes it.
    regions: Vec<(u32, [u8; 16])>,
    /// The link definitions that count, by label.
    pub definitions: BTreeMap<String, Definition>,
}

impl<'t> Tree<'t> {
    /// Parses a text without front matter. Linear in its length, as far as the parser is.
    pub fn parse(text: &'t str) -> Tree<'t> {
        let parser = Parser::new_ext(text, MARKDOWN);
        let definitions = parser.reference_definitions().iter().map(|(label, found)| {
            let title = found.title.as_ref().map(ToString::to_string);
            (
                folded(label),
                Definition {
                    target: found.dest.to_string(),
                    title,
                    start: found.span.start,
                    end: found.span.end,
                },
            )
        });
        let tree = Tree {
            text,
            nodes: Vec::with_capacity(text.len() / 64 + 1),
            labels: Vec::with_capacity(text.len() + text.len() / 2),
            contexts: Vec::from([Range::default()]),
            pieces: Vec::new(),
            regions: Vec::new(),
            definitions: definitions.collect(),
        };
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
        builder.add(Kind::Document, 0..0);
        for (event, range) in parser.into_offset_iter() {
            builder.take(event, range);
        }
        let mut tree = builder.tree;
        tree.find_regions();
        // Of a large text it is two trees that are in memory.
        if tree.nodes.len() > 10_000 {
            tree.nodes.shrink_to_fit();
            tree.labels.shrink_to_fit();
        }
        tree
    }

    pub fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    /// What a node is, without what is around it.
    pub fn content(&self, at: u32) -> &[u8] {
        let range = &self.node(at).content;
        &self.labels[range.start as usize..range.end as usize]
    }

    /// The raw HTML elements that are open where a node starts.
    pub fn context(&self, at: u32) -> &[u8] {
        let range = &self.contexts[self.node(at).context as usize];
        &self.labels[range.start as usize..range.end as usize]
    }

    /// Where a node opens a raw HTML element that does not end in it: a digest of all up to its end.
    pub fn region(&self, at: u32) -> Option<&[u8; 16]> {
        let found = self.regions.binary_search_by_key(&at, |(opener, _)| *opener).ok()?;
        Some(&self.regions[found].1)
    }

    /// The pieces of raw HTML that are in a node.
    pub fn pieces(&self, at: u32) -> impl Iterator<Item = (Place, &[u8])> {
        let first = self.pieces.partition_point(|piece| piece.node < at);
        let own = self.pieces[first..].iter().take_while(move |piece| piece.node == at);
        own.map(|piece| (piece.place, &self.labels[piece.html.start as usize..piece.html.end as usize]))
    }

    pub fn has_html(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// A node's source text, without blanks at its end.
    pub fn source(&self, at: u32) -> &'t str {
        let node = self.node(at);
        self.text.get(node.start()..node.end()).unwrap_or_default().trim_end()
    }

    /// The nodes below a node.
    pub fn children(&self, of: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.node(of).first;
        std::iter::from_fn(move || {
            let found = (next != NONE).then_some(next)?;
            next = self.node(found).next;
            Some(found)
        })
    }

    /// The first node after a node and everything below it.
    pub fn after(&self, mut at: u32) -> u32 {
        loop {
            match self.node(at) {
                Node { next: NONE, .. } if at == 0 => return self.nodes.len() as u32,
                Node { next: NONE, parent, .. } => at = *parent,
                Node { next, .. } => return *next,
            }
        }
    }

    /// The section a node is in, itself included; the document where there is none.
    pub fn section_of(&self, mut at: u32) -> u32 {
        while !matches!(self.node(at).kind, Kind::Section | Kind::Document) {
            at = self.node(at).parent;
        }
        at
    }

    /// Finds the nodes between which raw HTML elements are open: nothing new may be there, so such a
    /// region is known by all that is in it.
    fn find_regions(&mut self) {
        if self.contexts.len() == 1 {
            return;
        }
        let mut at = 1;
        while at < self.nodes.len() {
            if self.nodes[at].context == 0 {
                at += 1;
                continue;
            }
            let opener = at as u32 - 1;
            let mut hash = Sha256::new();
            while let Some(node) = self.nodes.get(at).filter(|node| node.context != 0) {
                let content = self.content(at as u32);
                // A list goes on after the region's end.
                let content = if matches!(node.kind, Kind::Bullets | Kind::Numbers) { b"" } else { content };
                hash.update([node.kind as u8]);
                hash.update((content.len() as u32).to_le_bytes());
                hash.update(content);
                at += 1;
            }
            self.regions.push((opener, half(hash)));
        }
    }
}

/// Containers inside of each other that one line may open; more are nobody's document.
const DEEPEST: usize = 256;

/// Whether a line opens more quotations and lists inside of each other than [`DEEPEST`].
pub fn is_too_deep(text: &str) -> bool {
    Lines::of(text.as_bytes()).filter(|line| line.len() > DEEPEST).any(|line| {
        let (mut at, mut opened) = (0, 0);
        while opened <= DEEPEST {
            at += line[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let rest = &line[at..];
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let marker = match rest.get(digits) {
                Some(b'>') if digits == 0 => 1,
                Some(b'-' | b'*' | b'+') if digits == 0 && matches!(rest.get(1), Some(b' ' | b'\t')) => 1,
                Some(b'.' | b')') if digits > 0 && matches!(rest.get(digits + 1), Some(b' ' | b'\t')) => {
                    digits + 1
                }
                _ => return false,
            };
            (at, opened) = (at + marker, opened + 1);
        }
        true
    })
}

/// Whether a text goes on right below the first line of an alert without a `>`: that is text of the alert to one
/// reader, and after it to another.
pub fn has_lazy_alert(text: &str) -> bool {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_alert = holds_alert(line.as_bytes()) && line.contains('>') && line.trim_end().ends_with(']');
        let next = lines.peek().map_or("", |next| next.trim());
        if is_alert && !next.is_empty() && !next.contains('>') {
            return true;
        }
    }
    false
}

/// Whether a text holds what may be the mark of an alert: `[!NOTE]`, but not `[![`.
pub fn holds_alert(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b"[!").any(|at| bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic))
}

/// A label as it is compared: letter case and blanks do not count.
pub fn folded(label: &str) -> String {
    label.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The first half of a digest.
fn half(hash: Sha256) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.finalize()[..16]);
    half
}

/// How many nodes the tree of a text has below its document: all that is read of what nothing is
/// against.
pub fn count(text: &str) -> usize {
    let (mut found, mut in_leaf) = (0, false);
    for event in Parser::new_ext(text, MARKDOWN) {
        // The nodes that a block begins, and whether inline content follows.
        let (nodes, leaf) = match event {
            Event::Start(
                Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. },
            ) => (usize::from(!in_leaf), true),
            Event::End(
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image,
            )
            | Event::Html(_) => continue,
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_)) => (1, true),
            Event::Start(Tag::TableCell) => (0, true),
            // What indents the block is text in it.
            Event::Start(Tag::HtmlBlock) => (1, true),
            Event::Start(
                Tag::BlockQuote(_)
                | Tag::List(_)
                | Tag::Item
                | Tag::Table(_)
                | Tag::FootnoteDefinition(_)
                | Tag::TableRow,
            )
            | Event::Rule => (1, false),
            Event::Start(_) | Event::End(_) => (0, false),
            // It is before the item's text.
            Event::TaskListMarker(_) => continue,
            // Directly in an item it is a paragraph that no event begins or ends.
            _ => (usize::from(!in_leaf), true),
        };
        found += nodes;
        in_leaf = leaf;
    }
    found
}

/// Whether two nodes have equal labels (S4).
pub fn same(old: &Tree<'_>, u: u32, new: &Tree<'_>, v: u32) -> bool {
    old.node(u).kind == new.node(v).kind
        && old.content(u) == new.content(v)
        && old.context(u) == new.context(v)
        && old.region(u) == new.region(v)
}

/// A container that is open.
struct Open {
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

struct Builder<'t> {
    tree: Tree<'t>,
    context: Context,
    open: Vec<Open>,
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

impl Builder<'_> {
    /// A new node at the end of what its parent holds so far.
    fn add(&mut self, kind: Kind, range: Range<usize>) -> u32 {
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
        self.tree.pieces.push(Piece { node, place, html: range });
    }

    fn begin(&mut self, kind: Kind, range: Range<usize>) {
        let node = self.add(kind, range);
        let depth = self.context.depth();
        self.open.push(Open { node, depth, paragraphs: false, bare: false });
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
        self.tree.labels.push(0);
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
                let node = self.add(Kind::Rule, range);
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
                self.ensure_leaf(&range);
                self.mark(match tag {
                    Tag::Emphasis => 1,
                    Tag::Strong => 2,
                    Tag::Strikethrough => 3,
                    Tag::Link { .. } => 4,
                    _ => 5,
                });
                if let Tag::Link { dest_url, title, .. } | Tag::Image { dest_url, title, .. } = tag {
                    for part in [dest_url, title] {
                        self.tree.labels.extend_from_slice(&(part.len() as u32).to_le_bytes());
                        self.tree.labels.extend_from_slice(part.as_bytes());
                    }
                }
                return;
            }
            _ => self.end_implicit(),
        }
        match tag {
            Tag::Paragraph => {
                // A paragraph directly in an item: the list is loose.
                if let [.., list, item] = self.open.as_mut_slice()
                    && self.tree.nodes[item.node as usize].kind == Kind::Item
                {
                    list.paragraphs = true;
                }
                let node = self.add(Kind::Paragraph, range);
                self.begin_leaf(node, false);
            }
            Tag::Heading { level, .. } => {
                let level = level as u8;
                let node = if self.open.is_empty() {
                    while self.sections.last().is_some_and(|(above, _)| *above >= level) {
                        self.sections.pop();
                    }
                    let node = self.add(Kind::Section, range);
                    self.sections.push((level, node));
                    node
                } else {
                    self.add(Kind::Heading, range)
                };
                self.begin_leaf(node, false);
                self.tree.labels.push(level);
            }
            Tag::BlockQuote(kind) => {
                self.begin(Kind::Quote, range);
                let alert = kind.map(|kind| match kind {
                    BlockQuoteKind::Note => b'n',
                    BlockQuoteKind::Tip => b't',
                    BlockQuoteKind::Important => b'i',
                    BlockQuoteKind::Warning => b'w',
                    BlockQuoteKind::Caution => b'c',
                });
                if let Some(node) = self.open.last().map(|open| open.node) {
                    self.label(node, |labels| labels.extend(alert));
                }
            }
            Tag::FootnoteDefinition(name) => {
                self.begin(Kind::Footnote, range);
                // Of two definitions of one footnote the first counts.
                let name = folded(&name);
                let counts = if self.footnotes.insert(name.clone()) { b'1' } else { b'2' };
                if let Some(node) = self.open.last().map(|open| open.node) {
                    self.label(node, |labels| {
                        labels.push(counts);
                        labels.extend_from_slice(name.as_bytes());
                    });
                }
            }
            Tag::CodeBlock(kind) => {
                let node = self.add(Kind::Code, range);
                self.begin_leaf(node, false);
                let (mark, info) = match &kind {
                    CodeBlockKind::Indented => (1, ""),
                    CodeBlockKind::Fenced(info) => (2, &**info),
                };
                self.tree.labels.push(mark);
                self.tree.labels.extend_from_slice(&(info.len() as u32).to_le_bytes());
                self.tree.labels.extend_from_slice(info.as_bytes());
            }
            Tag::HtmlBlock => {
                self.html_block = Some(self.add(Kind::Html, range));
                self.html.clear();
            }
            Tag::List(start) => {
                self.begin(if start.is_some() { Kind::Numbers } else { Kind::Bullets }, range);
            }
            Tag::Item => self.begin(Kind::Item, range),
            Tag::Table(alignments) => {
                self.begin(Kind::Table, range);
                let Some(node) = self.open.last().map(|open| open.node) else { return };
                let aligned = |alignment: &Alignment| match alignment {
                    Alignment::None => b'-',
                    Alignment::Left => b'<',
                    Alignment::Center => b'=',
                    Alignment::Right => b'>',
                };
                self.label(node, |labels| labels.extend(alignments.iter().map(aligned)));
            }
            Tag::TableHead => {
                self.cells = self.open.last().map(|open| open.node);
                self.cell = 0;
            }
            Tag::TableRow => {
                self.cell = 0;
                let node = self.add(Kind::Row, range);
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

    fn end(&mut self, end: TagEnd, range: Range<usize>) {
        match end {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image => {
                self.mark(6);
                return;
            }
            _ => self.end_implicit(),
        }
        match end {
            TagEnd::Paragraph | TagEnd::Heading(_) => self.end_leaf(),
            TagEnd::CodeBlock => {
                if let Some(leaf) = self.leaf.take() {
                    // A last line without an end may gain one.
                    if leaf.in_text && self.tree.labels.last() != Some(&b'\n') {
                        self.tree.labels.push(b'\n');
                    }
                    let range = leaf.rendered as u32..self.tree.labels.len() as u32;
                    self.tree.nodes[leaf.node as usize].content = range;
                }
            }
            TagEnd::HtmlBlock => {
                let Some(node) = self.html_block.take() else { return };
                let html = std::mem::take(&mut self.html);
                self.label(node, |labels| labels.extend_from_slice(html.trim_ascii_end()));
                if memchr::memchr(b'<', &html).is_some() {
                    let range = self.tree.nodes[node as usize].content.clone();
                    self.read_html(node, &html, range);
                }
                self.html = html;
            }
            TagEnd::TableCell => {
                // A cell's rendering and source go to the row; its elements end with it.
                let Some(leaf) = self.leaf.take() else { return };
                let source = self.tree.text.get(range).unwrap_or_default().trim();
                self.tree.labels.push(0);
                self.tree.labels.extend_from_slice(source.as_bytes());
                self.tree.labels.push(0xff);
                let end = self.tree.labels.len() as u32;
                self.tree.nodes[leaf.node as usize].content.end = end;
                if let Some(open) = self.open.last() {
                    self.context.truncate(open.depth);
                }
            }
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

    /// A list's label: its marker, or delimiter and first number; tight or loose.
    fn end_list(&mut self, open: &Open) {
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
        let node = self.add(Kind::Paragraph, range.clone());
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
                    self.mark(7);
                }
                self.tree.labels.extend_from_slice(text.as_bytes());
                if let Some(leaf) = &mut self.leaf {
                    leaf.in_text = true;
                }
            }
            Event::Code(code) => {
                self.mark(8);
                self.tree.labels.extend_from_slice(code.as_bytes());
            }
            Event::InlineHtml(html) => {
                self.mark(9);
                let start = self.tree.labels.len() as u32;
                self.tree.labels.extend_from_slice(html.as_bytes());
                if let Some(node) = self.leaf.as_ref().map(|leaf| leaf.node) {
                    self.read_html(node, html.as_bytes(), start..self.tree.labels.len() as u32);
                }
            }
            Event::SoftBreak => self.mark(10),
            Event::HardBreak => self.mark(11),
            Event::FootnoteReference(name) => {
                self.mark(13);
                self.tree.labels.extend_from_slice(folded(name).as_bytes());
            }
            _ => self.mark(12),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nodes_are_counted_as_the_tree_has_them(
            parts in prop::collection::vec(prop::sample::select(PARTS.to_vec()), 0..24)
        ) {
            let text = parts.concat();
            prop_assert_eq!(count(&text), Tree::parse(&text).nodes.len() - 1, "{:?}", text);
        }
    }

    /// What makes blocks, begins and ends them, and is in them.
    const PARTS: [&str; 38] = [
        "\n",
        "\n\n",
        " ",
        "    ",
        "\t",
        "a",
        "b c",
        "# ",
        "## ",
        "===",
        "---\n",
        "***\n",
        "- ",
        "* ",
        "1. ",
        "2) ",
        "> ",
        "```\n",
        "~~~x\n",
        "| a | b |\n|---|---|\n",
        "| *c* | `d` |\n",
        "|",
        "*",
        "**",
        "~~",
        "`",
        "[",
        "](x)",
        "![",
        "[r]: /u\n",
        "<b>",
        "</b>",
        "<div>\n",
        "</div>\n",
        "<!-- ",
        " -->\n",
        "\\\n",
        "&amp;",
    ];

    /// The tree as one line a node, indented by depth.
    fn drawn(text: &str) -> String {
        let tree = Tree::parse(text);
        let mut out = String::new();
        for at in 1..tree.nodes.len() as u32 {
            let (mut depth, mut above) = (0, tree.node(at).parent);
            while above != 0 {
                (depth, above) = (depth + 1, tree.node(above).parent);
            }
            let source = tree.source(at).lines().next().unwrap_or_default();
            let context = Context::name(tree.context(at)).unwrap_or_default();
            let list = matches!(tree.node(at).kind, Kind::Bullets | Kind::Numbers);
            let label =
                if list { String::from_utf8_lossy(tree.content(at)).into_owned() } else { source.into() };
            out.push_str(&format!(
                "{}{} [{label}] {context}\n",
                "  ".repeat(depth),
                tree.node(at).kind.name()
            ));
        }
        out
    }

    #[test]
    fn headings_nest_and_lists_hold_their_items() {
        insta::assert_snapshot!(drawn("pre\n# A\ntext *x*\n### C\n- one\n- two\n  1) deep\n## B\n> q\n> - i\n>\n> - j\n\n| h |\n|---|\n| c |\n"), @r"
        paragraph [pre] 
        section [# A] 
          paragraph [text *x*] 
          section [### C] 
            list [-t] 
              list item [- one] 
                paragraph [one] 
              list item [- two] 
                paragraph [two] 
                numbered list [)t1] 
                  list item [1) deep] 
                    paragraph [deep] 
          section [## B] 
            quotation [> q] 
              paragraph [q] 
              list [-l] 
                list item [- i] 
                  paragraph [i] 
                list item [- j] 
                  paragraph [j] 
            table [| h |] 
              table row [| c |] 
        ");
    }

    #[test]
    fn open_elements_are_the_context_of_what_follows() {
        insta::assert_snapshot!(drawn("<details>\n\na <b>x\n\n- <i>in\n\nb\n\n</details>\n\nc\n"), @r"
        HTML block [<details>] 
        paragraph [a <b>x] details
        list [-t] b
          list item [- <i>in] b
            paragraph [<i>in] b
        paragraph [b] i
        HTML block [</details>] i
        paragraph [c] 
        ");
    }

    #[test]
    fn a_list_without_text_is_loose_by_its_blank_lines() {
        let label = |text: &str| {
            let tree = Tree::parse(text);
            String::from_utf8_lossy(tree.content(1)).into_owned()
        };
        assert_eq!(label("- ```\n  a\n  ```\n- ```\n  b\n  ```\n"), "-t");
        assert_eq!(label("- ```\n  a\n  ```\n\n- ```\n  b\n  ```\n"), "-l");
        assert_eq!(label("007. x\n"), ".t7");
    }
}
