//! A Markdown document as pieces. The tree is the one that `strict` compares; only the labels are others: a
//! paragraph is its sentences, a list its items, a table its rows.

use std::ops::Range;

use crate::additive::block::html::{self, Context, InlineTag};
use crate::additive::block::tree::{BlockKind, Tree, mark};
use crate::text::sentences::split_sentences;

use super::fold::{
    END_STRIKE, END_TARGET, OBJECT, STRIKE, TARGET, fold_into, fold_with, folded, is_unspaced, push_space,
};
use super::pieces::{Link, NO_NUMBER, Pieces, Sort};

/// Tags of the two pieces with names that a document has.
pub const FRONT: u8 = 1;
pub const DEFINITIONS: u8 = 2;
/// The box of a task, of the items that have one.
pub const NO_BOX: u8 = 0;
pub const OPEN_BOX: u8 = 1;
pub const TICKED_BOX: u8 = 2;
/// A sentence that holds raw HTML.
pub const HAS_TAG: u8 = 1;

/// Adds the blocks of a document to its pieces. `first_line` is the line that the tree's text begins on.
pub fn add_blocks(pieces: &mut Pieces, tree: &Tree<'_>, first_line: usize) {
    Page::new(pieces, tree, first_line).read();
}

struct Page<'a, 't> {
    pieces: &'a mut Pieces,
    tree: &'a Tree<'t>,
    first_line: usize,
    /// Where lines end in the tree's text.
    ends: Vec<usize>,
    /// The piece that the children of each node are put below.
    holders: Vec<u32>,
    /// The next number of each numbered list, by its node.
    numbers: Vec<u32>,
    definitions: u32,
}

impl<'a, 't> Page<'a, 't> {
    fn new(pieces: &'a mut Pieces, tree: &'a Tree<'t>, first_line: usize) -> Page<'a, 't> {
        let count = tree.nodes.len();
        let definitions = pieces.add(0, Sort::Names, "", first_line);
        pieces.at_mut(definitions).tag = DEFINITIONS;
        Page {
            pieces,
            tree,
            first_line,
            ends: memchr::memchr_iter(b'\n', tree.text.as_bytes()).collect(),
            holders: vec![0; count],
            numbers: vec![NO_NUMBER; count],
            definitions,
        }
    }

    fn read(mut self) {
        for (label, definition) in &self.tree.definitions {
            let line = self.line(definition.start);
            let title = definition.title.as_deref().unwrap_or_default();
            let name = self.pieces.add(self.definitions, Sort::Name, &format!("[{label}]"), line);
            let target = [definition.target.as_str(), title].join(" ");
            self.pieces.add(name, Sort::Scalar, target.trim_end(), line);
        }
        for at in 1..self.tree.nodes.len() as u32 {
            let holder = self.holders[self.tree.node(at).parent as usize];
            self.holders[at as usize] = self.add(at, holder);
        }
    }

    fn line(&self, at: usize) -> usize {
        self.first_line + self.ends.partition_point(|end| *end < at)
    }

    /// A piece with its place.
    fn piece(&mut self, node: u32, holder: u32, sort: Sort, text: &str) -> u32 {
        let (start, end) = (self.tree.node(node).start(), self.tree.node(node).end());
        let source = self.tree.text.get(start..end).unwrap_or_default().trim_end();
        let at = self.pieces.add(holder, sort, text, self.line(start));
        let last = self.line(start + source.len().saturating_sub(1)) as u32;
        let context = self.pieces.context(self.tree.context(node).to_vec());
        let piece = self.pieces.at_mut(at);
        (piece.block, piece.last_line, piece.context) = (node, last.max(piece.line), context);
        at
    }

    /// Adds a node; gives back what its children are put below.
    fn add(&mut self, node: u32, holder: u32) -> u32 {
        let content = self.tree.content(node);
        match self.tree.node(node).kind {
            BlockKind::Section | BlockKind::Heading => self.heading(node, holder),
            BlockKind::Paragraph => {
                self.inline(node, holder, content);
                holder
            }
            BlockKind::Code => {
                let text = code_lines(content);
                self.piece(node, holder, Sort::Code, &text)
            }
            BlockKind::Html => {
                let text = String::from_utf8_lossy(content);
                match html::is_comment(content) {
                    true => self.piece(node, holder, Sort::Comment, &folded(&text)),
                    false => {
                        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        self.piece(node, holder, Sort::Html, &text)
                    }
                }
            }
            BlockKind::Bullets => holder,
            BlockKind::Numbers => {
                let first = content.get(2..).and_then(|digits| std::str::from_utf8(digits).ok());
                self.numbers[node as usize] = first.and_then(|digits| digits.parse().ok()).unwrap_or(0);
                holder
            }
            BlockKind::Item => self.item(node, holder, content),
            BlockKind::Quote => {
                let at = self.piece(node, holder, Sort::Quote, "");
                self.pieces.at_mut(at).tag = content.first().copied().unwrap_or(0);
                at
            }
            BlockKind::Table => {
                let table = self.piece(node, holder, Sort::Table, "");
                self.row(node, table, content);
                table
            }
            BlockKind::Row => self.row(node, holder, content),
            BlockKind::Footnote => {
                let name = String::from_utf8_lossy(content.get(1..).unwrap_or_default()).into_owned();
                let mark = if content.first() == Some(&b'1') { "" } else { " again" };
                self.piece(node, self.definitions, Sort::Name, &format!("[^{name}]{mark}"))
            }
            BlockKind::Rule | BlockKind::Document => holder,
        }
    }

    fn item(&mut self, node: u32, holder: u32, content: &[u8]) -> u32 {
        let at = self.piece(node, holder, Sort::Item, "");
        let list = self.tree.node(node).parent as usize;
        let number = self.numbers[list];
        if number != NO_NUMBER {
            self.numbers[list] = number.saturating_add(1);
        }
        let piece = self.pieces.at_mut(at);
        piece.number = number;
        piece.tag = match content {
            b"" => NO_BOX,
            b" " => OPEN_BOX,
            _ => TICKED_BOX,
        };
        at
    }

    fn heading(&mut self, node: u32, holder: u32) -> u32 {
        let content = self.tree.content(node);
        let (level, content) = content.split_first().map_or((0, content), |(level, rest)| (*level, rest));
        let is_section = self.tree.node(node).kind == BlockKind::Section;
        let sort = if is_section { Sort::Section } else { Sort::Heading };
        let (leaf, _) = InlineText::decode(content);
        let at = self.piece(node, holder, sort, "");
        self.pieces.at_mut(at).tag = level;
        let end = leaf.text.len();
        self.set_leaf(at, &leaf, 0..end);
        let holder = if is_section { at } else { holder };
        for (_, comment) in &leaf.comments {
            self.piece(node, holder, Sort::Comment, comment);
        }
        holder
    }

    /// The sentences and comments of inline content; says how long its rendering is.
    fn inline(&mut self, node: u32, holder: u32, content: &[u8]) -> usize {
        let (leaf, used) = InlineText::decode(content);
        let mut comments = leaf.comments.iter().peekable();
        for range in split_sentences(&leaf.text, &[]) {
            while let Some((_, comment)) = comments.next_if(|(place, _)| *place <= range.start) {
                self.piece(node, holder, Sort::Comment, comment);
            }
            let at = self.piece(node, holder, Sort::Sentence, "");
            self.set_leaf(at, &leaf, range);
        }
        for (_, comment) in comments {
            self.piece(node, holder, Sort::Comment, comment);
        }
        used
    }

    /// Gives a piece a part of inline content, with its links.
    fn set_leaf(&mut self, at: u32, leaf: &InlineText, range: Range<usize>) {
        self.pieces.set_text(at, &leaf.written(&range, &[]));
        let styles = leaf.styles_in(&range);
        if !styles.is_empty() {
            self.pieces.set_verbatim(at, leaf.written(&range, styles));
        }
        let open = leaf.context_at(range.start);
        if !open.is_empty() {
            let context = [self.pieces.context_of(at), open].concat();
            let context = self.pieces.context(context);
            self.pieces.at_mut(at).context = context;
        }
        let first_tag = leaf.tags.partition_point(|(tag, _)| *tag < range.start);
        let has_tag = leaf.tags.get(first_tag).is_some_and(|(tag, _)| *tag < range.end);
        if has_tag && self.pieces.at(at).sort == Sort::Sentence {
            self.pieces.at_mut(at).tag |= HAS_TAG;
        }
        let full = range.end - usize::from(leaf.text[range.clone()].ends_with('.'));
        let first = leaf.links.partition_point(|(link, _)| link.end < range.start);
        for (link, target) in leaf.links[first..].iter().take_while(|(link, _)| link.start <= range.end) {
            let is_here = link.is_empty() || link.start < range.end && range.start < link.end;
            if is_here {
                let start = link.start.max(range.start).min(full);
                let end = link.end.min(full).max(start);
                let span = (start - range.start) as u32..(end - range.start) as u32;
                self.pieces.add_link(at, Link { span, target: target.clone() });
            }
        }
    }

    /// A row with its cells.
    fn row(&mut self, node: u32, holder: u32, content: &[u8]) -> u32 {
        let row = self.piece(node, holder, Sort::Row, "");
        // The header's cells come after the table's alignment.
        let first = content.iter().position(|byte| *byte == 0).unwrap_or(content.len());
        let mut rest = &content[first..];
        let mut cells = Vec::new();
        while !rest.is_empty() {
            let cell = self.piece(node, row, Sort::Cell, "");
            let used = self.inline(node, cell, rest);
            cells.push(cell);
            rest = rest.get(used..).unwrap_or_default();
            let end = rest.iter().position(|byte| *byte == 0xff).map_or(rest.len(), |end| end + 1);
            rest = &rest[end..];
        }
        let joined = |text: &dyn Fn(u32) -> String| {
            let cell = |cell: &u32| self.pieces.children(*cell).map(text).collect::<Vec<_>>().join(" ");
            cells.iter().map(cell).collect::<Vec<_>>().join(" | ")
        };
        let text = joined(&|at| self.pieces.text(at).to_owned());
        let verbatim = joined(&|at| self.pieces.verbatim(at).to_owned());
        self.pieces.set_text(row, &text);
        if verbatim != text {
            self.pieces.set_verbatim(row, verbatim);
        }
        row
    }
}

/// The lines of a code block without blank ones and without blanks at their ends.
fn code_lines(content: &[u8]) -> String {
    let info = content
        .get(1..5)
        .map_or(0, |length| u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize);
    let rest = String::from_utf8_lossy(content.get(5 + info..).unwrap_or_default()).into_owned();
    let rest = rest.replace(['\u{0}', '\u{7}'], "");
    let lines = rest.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Inline content: its text, and what is at which place of it.
#[derive(Default)]
struct InlineText {
    text: String,
    /// Where each [`OBJECT`] of the text is, and what it stands for.
    objects: Vec<(usize, String)>,
    /// Where the text is folded, and what is written there.
    styles: Vec<(Range<usize>, String)>,
    strikes: Vec<Range<usize>>,
    links: Vec<(Range<usize>, String)>,
    comments: Vec<(usize, String)>,
    /// Raw tags, with what is open after each.
    tags: Vec<(usize, Vec<u8>)>,
}

/// What is open while inline content is read.
enum Span {
    Plain,
    Strike(usize),
    Link(usize, String),
    Image(String),
}

impl InlineText {
    /// Reads the label of inline content up to its source text; says how long the rendering is.
    fn decode(label: &[u8]) -> (InlineText, usize) {
        let mut reader = InlineReader {
            leaf: InlineText::default(),
            open: Vec::new(),
            alt: None,
            context: Context::default(),
            strikes: Vec::new(),
            hidden: None,
            is_wrapped: false,
        };
        let mut at = 0;
        while let (Some(0), Some(sign)) = (label.get(at), label.get(at + 1)) {
            at += 2;
            if *sign == mark::SOURCE {
                break;
            }
            let end = memchr::memchr(0, &label[at..]).map_or(label.len(), |end| at + end);
            reader.go_on(*sign, &label[at..end]);
            match *sign {
                mark::SOFT_BREAK => reader.is_wrapped = true,
                mark::LINK | mark::IMAGE => {
                    let (target, after) = counted(label, at);
                    let (title, after) = counted(label, after);
                    at = after;
                    reader.begin_link(*sign == mark::IMAGE, &target, &title);
                }
                mark::TEXT | mark::CODE => {
                    reader.text(&String::from_utf8_lossy(&label[at..end]));
                    at = end;
                }
                mark::HTML => {
                    reader.html(&label[at..end]);
                    at = end;
                }
                mark::NOTE if reader.hidden.is_some() => at = end,
                mark::NOTE => {
                    let place = reader.leaf.text.len();
                    let name = String::from_utf8_lossy(&label[at..end]).into_owned();
                    reader.leaf.links.push((place..place, format!("^{name}")));
                    at = end;
                }
                mark::STRIKE => reader.open.push(Span::Strike(reader.leaf.text.len())),
                mark::EMPHASIS | mark::STRONG => reader.open.push(Span::Plain),
                mark::END => reader.end(),
                _ => reader.text(" "),
            }
        }
        let mut leaf = reader.finish();
        leaf.text.truncate(leaf.text.trim_end().len());
        leaf.sort();
        (leaf, at)
    }

    /// The styles of a part of the text.
    fn styles_in(&self, range: &Range<usize>) -> &[(Range<usize>, String)] {
        let first = self.styles.partition_point(|(place, _)| place.start < range.start);
        let last = self.styles.partition_point(|(place, _)| place.start < range.end);
        &self.styles[first..last]
    }

    /// A part of the text with its objects and strikes written out, and in these styles.
    fn written(&self, range: &Range<usize>, styles: &[(Range<usize>, String)]) -> String {
        let mut styles = styles.iter().peekable();
        let mut out = String::with_capacity(range.len());
        let first = self.objects.partition_point(|(place, _)| *place < range.start);
        let mut objects = self.objects[first..].iter();
        let first = self.strikes.partition_point(|strike| strike.end <= range.start);
        let mut strikes = self.strikes[first..].iter().peekable();
        let mut struck = false;
        for (at, sign) in self.text[range.clone()].char_indices() {
            let place = range.start + at;
            while strikes.next_if(|strike| strike.end <= place).is_some() {}
            let now = strikes.peek().is_some_and(|strike| strike.contains(&place));
            if now != struck {
                out.push(if now { STRIKE } else { END_STRIKE });
                struck = now;
            }
            if let Some((style, written)) = styles.peek()
                && style.contains(&place)
            {
                if style.start == place {
                    out.push_str(written);
                }
                if place + sign.len_utf8() >= style.end {
                    styles.next();
                }
                continue;
            }
            match sign {
                OBJECT => out.push_str(objects.next().map_or("", |(_, object)| object)),
                _ => out.push(sign),
            }
        }
        if struck {
            out.push(END_STRIKE);
        }
        out
    }

    /// The raw HTML that inline content has opened before a place.
    fn context_at(&self, at: usize) -> &[u8] {
        let before = self.tags.partition_point(|(tag, _)| *tag < at);
        before.checked_sub(1).map_or(&[], |last| &self.tags[last].1)
    }

    /// Sorts what is looked up by place; strikes inside of strikes are one.
    fn sort(&mut self) {
        self.links.sort_by_key(|(link, _)| (link.start, link.end));
        self.strikes.sort_by_key(|strike| strike.start);
        self.strikes.dedup_by(|inner, outer| {
            let is_inner = inner.start < outer.end;
            if is_inner {
                outer.end = outer.end.max(inner.end);
            }
            is_inner
        });
    }
}

/// Reads inline content.
struct InlineReader {
    leaf: InlineText,
    open: Vec<Span>,
    /// The text of the image that is open.
    alt: Option<String>,
    context: Context,
    /// Where the text inside of each `<del>` that is open begins.
    strikes: Vec<usize>,
    hidden: Option<HiddenText>,
    /// A line was wrapped just before.
    is_wrapped: bool,
}

/// The text inside of an element that is not shown.
struct HiddenText {
    name: Vec<u8>,
    /// How many elements of that name are open.
    depth: usize,
    text: String,
}

/// Elements whose text is struck out.
const STRIKES: [&[u8]; 3] = [b"del", b"s", b"strike"];

impl InlineReader {
    /// Goes on after a line that was wrapped: with a blank, unless signs of a script without blanks are on both sides.
    fn go_on(&mut self, sign: u8, label: &[u8]) {
        if !std::mem::take(&mut self.is_wrapped) {
            return;
        }
        let next =
            String::from_utf8_lossy(label.get(..4.min(label.len())).unwrap_or_default()).chars().next();
        let before = self.leaf.text.chars().next_back();
        let is_joined = sign == mark::TEXT
            && self.hidden.is_none()
            && self.alt.is_none()
            && [before, next].iter().all(|sign| sign.is_some_and(is_unspaced));
        if !is_joined {
            self.text(" ");
        }
    }

    fn text(&mut self, text: &str) {
        match (&mut self.hidden, &mut self.alt) {
            (Some(hidden), _) => fold_into(&mut hidden.text, text),
            (None, Some(alt)) => fold_into(alt, text),
            (None, None) => {
                let InlineText { text: out, styles, .. } = &mut self.leaf;
                fold_with(out, text, &mut |place, sign| styles.push((place, sign)));
            }
        }
    }

    fn begin_link(&mut self, is_image: bool, target: &str, title: &str) {
        let target = match title {
            "" => target.to_owned(),
            _ => format!("{target} \"{title}\""),
        };
        if self.alt.is_some() || self.hidden.is_some() {
            // An image inside of an image's text is text of that.
            self.open.push(Span::Plain);
        } else if is_image {
            self.alt = Some(String::new());
            self.open.push(Span::Image(target));
        } else {
            self.open.push(Span::Link(self.leaf.text.len(), target));
        }
    }

    fn end(&mut self) {
        let here = self.leaf.text.len();
        match self.open.pop() {
            Some(Span::Strike(start)) => self.leaf.strikes.push(start..here),
            Some(Span::Link(start, target)) => {
                let blanks = self.leaf.text[start..].len() - self.leaf.text[start..].trim_start().len();
                self.leaf.links.push((start + blanks..here.max(start + blanks), target));
            }
            Some(Span::Image(target)) => {
                let alt = self.alt.take().unwrap_or_default();
                self.object(format!("![{}]{TARGET}({target}){END_TARGET}", alt.trim()));
            }
            Some(Span::Plain) | None => {}
        }
    }

    fn object(&mut self, text: String) {
        self.leaf.objects.push((self.leaf.text.len(), text));
        self.leaf.text.push(OBJECT);
    }

    fn comment(&mut self, text: String) {
        self.leaf.comments.push((self.leaf.text.trim_end().len(), text));
    }

    /// Reads on inside of an element that is not shown, or into one: to a reader its text is a comment.
    fn hides(&mut self, tag: &InlineTag) -> bool {
        let Some(hidden) = &mut self.hidden else {
            if let InlineTag::Opens { name, hides: true } = tag {
                self.hidden = Some(HiddenText { name: name.clone(), depth: 1, text: String::new() });
            }
            return self.hidden.is_some();
        };
        match tag {
            InlineTag::Opens { name, .. } if *name == hidden.name => hidden.depth += 1,
            InlineTag::Closes { name } if *name == hidden.name => hidden.depth -= 1,
            _ => {}
        }
        if hidden.depth == 0 {
            self.show_again();
        }
        true
    }

    fn show_again(&mut self) {
        if let Some(hidden) = self.hidden.take() {
            self.comment(hidden.text.trim().to_owned());
        }
    }

    /// Reads a tag that strikes out the text after it, or ends that.
    fn strikes(&mut self, tag: &InlineTag) -> bool {
        match tag {
            InlineTag::Opens { name, .. } if STRIKES.contains(&name.as_slice()) => {
                self.strikes.push(self.leaf.text.len());
                true
            }
            InlineTag::Closes { name } if STRIKES.contains(&name.as_slice()) => {
                let start = self.strikes.pop();
                self.leaf.strikes.extend(start.map(|start| start..self.leaf.text.len()));
                true
            }
            _ => false,
        }
    }

    /// What was read; what is still open goes on to the end.
    fn finish(mut self) -> InlineText {
        self.show_again();
        let end = self.leaf.text.len();
        self.leaf.strikes.extend(self.strikes.iter().map(|start| *start..end));
        self.leaf
    }

    fn open_elements(&self) -> Vec<u8> {
        let mut open = Vec::new();
        self.context.write(&mut open);
        open
    }

    fn html(&mut self, tag: &[u8]) {
        let text = String::from_utf8_lossy(tag);
        if html::is_comment(tag) {
            self.comment(folded(&text));
            return;
        }
        let place = self.leaf.text.len();
        let is_read = html::inline_tag(tag).is_some_and(|tag| self.hides(&tag) || self.strikes(&tag));
        if is_read || self.hidden.is_some() {
            let open = self.open_elements();
            return self.leaf.tags.push((place, open));
        }
        self.context.read(tag);
        let open = self.open_elements();
        if is_line_break(&text) {
            push_space(&mut self.leaf.text);
            return;
        }
        self.object(text.split_whitespace().collect::<Vec<_>>().join(" "));
        self.leaf.tags.push((place, open));
    }
}

/// `<br>` is a hard break.
fn is_line_break(tag: &str) -> bool {
    let name = tag.trim_start_matches('<').trim_end_matches(['>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}

/// A text that is written after its length.
fn counted(label: &[u8], at: usize) -> (String, usize) {
    let length = label
        .get(at..at + 4)
        .map_or(0, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize);
    let text = label.get(at + 4..at + 4 + length).unwrap_or_default();
    (String::from_utf8_lossy(text).into_owned(), at + 4 + length)
}
