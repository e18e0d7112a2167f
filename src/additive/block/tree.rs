//! A Markdown text as the tree that G-S4 compares: document, sections, blocks, items, rows.

mod build;

use std::collections::BTreeMap;
use std::ops::Range;

use build::Builder;
use pulldown_cmark::{Options, Parser};
use sha2::{Digest as _, Sha256};

use super::html::Place;
use crate::additive::text::Lines;

/// The Markdown that documents are compared as: CommonMark with GFM's tables, strikethrough, footnotes,
/// task boxes and alerts. Front matter is taken off before, since only line 1 can begin it.
const MARKDOWN: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM);

/// What stands after a NUL in the label of inline content, which text cannot hold.
pub mod mark {
    pub const EMPHASIS: u8 = 1;
    pub const STRONG: u8 = 2;
    pub const STRIKE: u8 = 3;
    /// A link or an image: its target and title follow, each after its length in four bytes.
    pub const LINK: u8 = 4;
    pub const IMAGE: u8 = 5;
    /// Emphasis, a strike, a link or an image ends.
    pub const END: u8 = 6;
    pub const TEXT: u8 = 7;
    pub const CODE: u8 = 8;
    pub const HTML: u8 = 9;
    pub const SOFT_BREAK: u8 = 10;
    pub const HARD_BREAK: u8 = 11;
    pub const OTHER: u8 = 12;
    pub const NOTE: u8 = 13;
    /// The rendering is over, and the source text follows.
    pub const SOURCE: u8 = 14;
}

/// No node.
pub const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
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

impl BlockKind {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Document => "document",
            BlockKind::Section => "section",
            BlockKind::Heading => "heading",
            BlockKind::Paragraph => "paragraph",
            BlockKind::Code => "code block",
            BlockKind::Html => "HTML block",
            BlockKind::Bullets => "list",
            BlockKind::Numbers => "numbered list",
            BlockKind::Item => "list item",
            BlockKind::Quote => "quotation",
            BlockKind::Rule => "line across",
            BlockKind::Table => "table",
            BlockKind::Row => "table row",
            BlockKind::Footnote => "footnote",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Node {
    pub kind: BlockKind,
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
pub struct HtmlPiece {
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
    pieces: Vec<HtmlPiece>,
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
        let mut tree = Builder::of(tree).read(parser);
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
        while !matches!(self.node(at).kind, BlockKind::Section | BlockKind::Document) {
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
                let content =
                    if matches!(node.kind, BlockKind::Bullets | BlockKind::Numbers) { b"" } else { content };
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

/// Whether two nodes have equal labels (G-S4).
pub fn same(old: &Tree<'_>, u: u32, new: &Tree<'_>, v: u32) -> bool {
    old.node(u).kind == new.node(v).kind
        && old.content(u) == new.content(v)
        && old.context(u) == new.context(v)
        && old.region(u) == new.region(v)
}

#[cfg(test)]
mod tests {
    use super::super::html::Context;
    use super::*;

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
            let list = matches!(tree.node(at).kind, BlockKind::Bullets | BlockKind::Numbers);
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
