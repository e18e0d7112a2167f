//! The block rule for Markdown (S4): the old document's tree embeds in the new one.
//!
//! Both texts are parsed into a [tree](tree::Tree). An embedding sends root to root, every node to
//! a node with an equal label, and the children of a node, in order, to children of its image.
//!
//! Taking the first child that fits is complete: whether a node embeds in another depends on their
//! two subtrees alone, and the children of the image stand in one row, so the exchange argument of
//! the [line rule](super::text) holds at every level. In an ordered list the old items must be the
//! first ones. Every new node is compared with at most one old node (its parent was), so the whole
//! takes as many comparisons as there are new nodes. An explicit stack does it, since a line can
//! open thousands of quotes.
//!
//! Where whole sections are the same byte for byte, `segments` finds the embedding without parsing
//! them. Only a failure is explained, with a bounded effort: which old node finds no place, and where its
//! text stands now.

pub mod html;
mod segments;
pub use self::segments::{Segment, segments};
pub mod tree;

use self::html::Context;
use self::tree::{Kind, NONE, Tree, same};
use super::text::Lines;
use super::{Code, Found, Layer, quoted, yaml};

/// What came out of comparing two documents.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    pub found: Vec<Found>,
    /// Blocks that are new.
    pub added: usize,
}

/// As many losses are explained in one file.
const EXPLAINED: usize = 20;

/// How many blocks a change of a document adds, where it can be told without comparing all of it
/// that it only adds; see `segments`.
pub fn added(before: &[u8], after: &[u8]) -> Option<usize> {
    let (old, new) = (std::str::from_utf8(before).ok()?, std::str::from_utf8(after).ok()?);
    if memchr::memchr(0, after).is_some() || new.len() > LARGEST {
        return None;
    }
    let (old, new) = (Parts::of(old), Parts::of(new));
    // A byte order mark and front matter are the same, or not for here.
    let head = |text: &str, body: &str| text.len() - body.len();
    if old.text[..head(old.text, old.body)] != new.text[..head(new.text, new.body)] {
        return None;
    }
    segments::added(old.body, new.body)
}

/// Larger texts are not read as Markdown.
const LARGEST: usize = 1 << 30;

/// Compares two documents whose lines only grew.
pub fn compare(before: &[u8], after: &[u8]) -> Blocks {
    let unreadable = |text: &[u8]| text.contains(&0) || std::str::from_utf8(text).is_err();
    let one = |code: Code, message: &str| Blocks {
        found: vec![Found::new(Layer::Block, code, 1, message.to_owned())],
        ..Blocks::default()
    };
    if unreadable(before) {
        return one(Code::Opaque, "the old text is not UTF-8, so not one byte of it may change");
    }
    let (Ok(old), Ok(new)) = (std::str::from_utf8(before), std::str::from_utf8(after)) else {
        return one(Code::Unparsable, "the new text is not UTF-8");
    };
    if unreadable(after) {
        return one(Code::Unparsable, "the new text holds a NUL byte");
    }
    // Places in a tree are kept in 32 bits.
    if new.len() > LARGEST {
        return one(Code::Opaque, "the text is over 1 GiB, too large to be read as Markdown");
    }
    let (old, new) = (Parts::of(old), Parts::of(new));
    let mut found = front_matter(&old, &new);
    let (u, v) = (Tree::parse(old.body), Tree::parse(new.body));
    let mut search = Search::new(&u, &v);
    let embeds = search.embeds(0, 0);
    let images = std::mem::take(&mut search.images);
    let places = Places { old: &old, new: &new };
    if embeds {
        found.extend(hostile(&u, &v, &images, &places));
    } else {
        found.extend(Explanation { old: &u, new: &v, places: &places, found: Vec::new(), effort: 0 }.of());
    }
    Blocks { found, added: v.nodes.len().saturating_sub(u.nodes.len()) }
}

/// As [`compare`], for what roundtable wrote alone: each marker and the block it stands before are
/// kept whole and in order. What stands around them may change.
pub fn compare_written(before: &[u8], after: &[u8]) -> Blocks {
    let (Ok(old), Ok(new)) = (std::str::from_utf8(before), std::str::from_utf8(after)) else {
        let same = memchr::memmem::find(before, MARKER.as_bytes()).is_none();
        let message = "the text is not UTF-8, so what roundtable wrote in it must stay as it is".to_owned();
        let found = Found::new(Layer::Block, Code::Opaque, 1, message);
        return Blocks { found: if same { Vec::new() } else { vec![found] }, ..Blocks::default() };
    };
    let (old, new) = (Parts::of(old), Parts::of(new));
    let (u, v) = (Tree::parse(old.body), Tree::parse(new.body));
    let (mut blocks, mut cursor) = (Blocks::default(), 1);
    for written in written(&u) {
        let mut at = cursor;
        let image = loop {
            if at as usize >= v.nodes.len() {
                break None;
            }
            if same(&u, written, &v, at) && Search::new(&u, &v).embeds(written, at) {
                break Some(at);
            }
            at += 1;
        };
        match image {
            Some(at) => cursor = v.after(at),
            None if blocks.found.len() < EXPLAINED => {
                let shown = quoted(u.source(written));
                let message = format!("\"{shown}\", which roundtable wrote, is lost, changed or moved");
                let line = old.line(u.node(written).start);
                blocks.found.push(Found::new(Layer::Block, Code::BlockLost, line, message));
            }
            None => {}
        }
    }
    blocks
}

/// What a traceability marker begins with.
const MARKER: &str = "<!-- Elaboration: step ";

/// The markers of a document and the blocks they stand before: the section behind a marker, or,
/// where the heading is bold text, everything up to the next section or marker.
fn written(tree: &Tree<'_>) -> Vec<u32> {
    let is_marker =
        |at: u32| tree.node(at).kind == Kind::Html && tree.content(at).starts_with(MARKER.as_bytes());
    let mut found = Vec::new();
    for at in (1..tree.nodes.len() as u32).filter(|at| is_marker(*at)) {
        found.push(at);
        let next = tree.after(at);
        if (next as usize) < tree.nodes.len() && tree.node(next).kind == Kind::Section {
            found.push(next);
            continue;
        }
        let mut next = tree.node(at).next;
        while next != NONE && tree.node(next).kind != Kind::Section && !is_marker(next) {
            found.push(next);
            next = tree.node(next).next;
        }
    }
    found
}

/// A document with its front matter apart.
pub(crate) struct Parts<'t> {
    text: &'t str,
    /// The YAML between the two lines, if there is front matter.
    front: Option<&'t str>,
    pub(crate) body: &'t str,
}

impl<'t> Parts<'t> {
    pub(crate) fn of(text: &'t str) -> Parts<'t> {
        let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
        match front(bare) {
            Some((yaml, body)) => Parts { text, front: Some(yaml), body },
            None => Parts { text, front: None, body: bare },
        }
    }

    /// The line of a byte of the body.
    fn line(&self, at: usize) -> usize {
        let at = self.text.len() - self.body.len() + at;
        1 + memchr::memchr_iter(b'\n', &self.text.as_bytes()[..at.min(self.text.len())]).count()
    }

    fn lines(&self) -> usize {
        Lines::of(self.text.as_bytes()).count()
    }
}

/// The YAML of front matter and what follows it.
fn front(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for (index, line) in Lines::of(text.as_bytes()).enumerate() {
        let bare = line.trim_ascii_end();
        let start = at;
        at += line.len();
        match (index, bare) {
            (0, b"---") => {}
            (0, _) => return None,
            (_, b"---" | b"...") => {
                let first = memchr::memchr(b'\n', text.as_bytes())? + 1;
                return Some((text.get(first..start)?, &text[at..]));
            }
            _ => {}
        }
    }
    None
}

/// Front matter stays on line 1 and is compared as data (S5).
fn front_matter(old: &Parts<'_>, new: &Parts<'_>) -> Vec<Found> {
    match (old.front, new.front) {
        (None, _) => Vec::new(),
        (Some(_), None) => {
            let message = "the front matter is no longer the first thing in the file".to_owned();
            vec![Found::new(Layer::Block, Code::FrontMatter, 1, message).head(1)]
        }
        (Some(old), Some(new)) if old == new => Vec::new(),
        (Some(old), Some(new)) => {
            let found = yaml::losses(old.as_bytes(), new.as_bytes()).into_iter();
            found.map(|found| found.below(1)).collect()
        }
    }
}

/// Lines of both texts.
struct Places<'a> {
    old: &'a Parts<'a>,
    new: &'a Parts<'a>,
}

/// New raw HTML that is not closed, or that takes over the page.
fn hostile(u: &Tree<'_>, v: &Tree<'_>, images: &[u32], places: &Places<'_>) -> Vec<Found> {
    let mut is_image = vec![false; v.nodes.len()];
    for image in images {
        is_image[*image as usize] = true;
    }
    let (mut found, mut before) = (Vec::new(), 0);
    let mut kept = 0_u32;
    for at in 1..v.nodes.len() as u32 {
        if is_image[at as usize] {
            // Embeddings keep the order, so the old nodes go along with their images.
            kept = (kept + 1).min(u.nodes.len() as u32 - 1);
            before = u.node(kept).start;
            continue;
        }
        let node = v.node(at);
        let what = match (node.seen.banned, node.seen.unterminated) {
            (true, _) => "holds an HTML element that takes over the page",
            (_, true) => "holds HTML that does not end",
            _ => continue,
        };
        let message = format!("the new {} \"{}\" {what}", node.kind.name(), quoted(v.source(at)));
        let line = places.old.line(before).min(places.old.lines().max(1));
        found.push(Found::new(Layer::Block, Code::RawHtml, line, message).head(places.new.line(node.start)));
        if found.len() == EXPLAINED {
            break;
        }
    }
    found
}

/// The search for an embedding.
struct Search<'a> {
    old: &'a Tree<'a>,
    new: &'a Tree<'a>,
    /// The images found so far.
    images: Vec<u32>,
}

/// A pair of nodes with equal labels, whose children are being placed.
struct Frame {
    /// The next old child to place, and the next new child to try.
    u: u32,
    v: u32,
    /// An ordered list: nothing may stand before an old item.
    fixed: bool,
    /// How many images there were before this pair's.
    images: usize,
}

impl<'a> Search<'a> {
    fn new(old: &'a Tree<'a>, new: &'a Tree<'a>) -> Search<'a> {
        Search { old, new, images: Vec::new() }
    }

    fn frame(&self, u: u32, v: u32) -> Frame {
        Frame {
            u: self.old.node(u).first,
            v: self.new.node(v).first,
            fixed: self.old.node(u).kind == Kind::Numbers,
            images: self.images.len(),
        }
    }

    /// Whether the subtree of `u` embeds in that of `v`, which has an equal label.
    fn embeds(&mut self, u: u32, v: u32) -> bool {
        let mut stack = vec![self.frame(u, v)];
        while let Some(top) = stack.last_mut() {
            let placed = if top.u == NONE {
                true
            } else if top.v == NONE {
                false
            } else if same(self.old, top.u, self.new, top.v) {
                let (u, v) = (top.u, top.v);
                let frame = self.frame(u, v);
                self.images.push(v);
                stack.push(frame);
                continue;
            } else if top.fixed {
                false
            } else {
                top.v = self.new.node(top.v).next;
                continue;
            };
            // This pair is decided: its parent goes on.
            let images = top.images;
            stack.pop();
            if !placed {
                self.images.truncate(images);
            }
            let Some(above) = stack.last_mut() else { return placed };
            if placed {
                above.u = self.old.node(above.u).next;
                above.v = self.new.node(above.v).next;
            } else if above.fixed {
                above.v = NONE;
            } else {
                above.v = self.new.node(above.v).next;
            }
        }
        true
    }
}

/// Finds the old nodes that have no place, and says where their text stands now.
struct Explanation<'a> {
    old: &'a Tree<'a>,
    new: &'a Tree<'a>,
    places: &'a Places<'a>,
    found: Vec<Found>,
    /// Nodes looked at so far.
    effort: usize,
}

/// Explanations go no deeper than this.
const DEEP: usize = 64;

impl Explanation<'_> {
    fn of(mut self) -> Vec<Found> {
        self.children(0, 0, 0);
        if self.found.is_empty() {
            // The effort ran out before the place was found: then the first line has to do.
            let message = "the old blocks are not all kept in order".to_owned();
            self.found.push(Found::new(Layer::Block, Code::BlockLost, 1, message));
        }
        self.found
    }

    fn is_spent(&self) -> bool {
        self.found.len() >= EXPLAINED || self.effort > 40 * (self.old.nodes.len() + self.new.nodes.len())
    }

    /// Explains the children of `u` that find no place among those of `v`.
    fn children(&mut self, u: u32, v: u32, depth: usize) {
        let mut cursor = self.new.node(v).first;
        let fixed = self.old.node(u).kind == Kind::Numbers;
        for child in self.old.children(u).collect::<Vec<_>>() {
            if self.is_spent() {
                return;
            }
            let (mut at, mut near) = (cursor, NONE);
            let image = loop {
                if at == NONE {
                    break NONE;
                }
                self.effort += 1;
                if same(self.old, child, self.new, at) {
                    let mut search = Search::new(self.old, self.new);
                    let embeds = search.embeds(child, at);
                    self.effort += search.images.len() + 1;
                    if embeds {
                        break at;
                    }
                    if near == NONE && self.begins_alike(child, at) {
                        near = at;
                    }
                }
                at = if fixed { NONE } else { self.new.node(at).next };
            };
            if image != NONE {
                cursor = self.new.node(image).next;
            } else if fixed && self.stands_later(child, cursor) {
                self.lost(child, v, cursor, true);
                return;
            } else if near != NONE && depth < DEEP {
                self.children(child, near, depth + 1);
                cursor = self.new.node(near).next;
            } else {
                self.lost(child, v, cursor, false);
                if fixed {
                    return;
                }
            }
        }
    }

    /// Whether two nodes with equal labels are meant for each other: items and quotes have labels
    /// that say nothing, so there it is what they begin with that counts.
    fn begins_alike(&self, u: u32, v: u32) -> bool {
        let (a, b) = (self.old.node(u).first, self.new.node(v).first);
        match self.old.node(u).kind {
            Kind::Item | Kind::Quote => a == NONE || b != NONE && self.old.content(a) == self.new.content(b),
            _ => true,
        }
    }

    /// Whether two items begin with the same source text.
    fn begins_with_same_words(&self, u: u32, v: u32) -> bool {
        let (a, b) = (self.old.node(u).first, self.new.node(v).first);
        a != NONE && b != NONE && self.old.source(a) == self.new.source(b)
    }

    /// Whether an item of a numbered list stands further down in the list.
    fn stands_later(&self, u: u32, mut from: u32) -> bool {
        while from != NONE {
            if self.begins_alike(u, from)
                && self.new.source(from).trim_start_matches(|c: char| c.is_ascii_digit())
                    == self.old.source(u).trim_start_matches(|c: char| c.is_ascii_digit())
            {
                return true;
            }
            from = self.new.node(from).next;
        }
        false
    }

    /// Says what became of an old node that has no place below `v`, from `cursor` on.
    fn lost(&mut self, u: u32, v: u32, cursor: u32, fixed: bool) {
        let (kind, text) = (self.old.node(u).kind, quoted(self.old.source(u)));
        let what = match kind {
            Kind::Rule | Kind::Quote | Kind::Item if text.is_empty() => format!("the {}", kind.name()),
            _ => format!("the {} \"{text}\"", kind.name()),
        };
        let (code, now, head) = if fixed {
            (Code::Renumbered, "is not where its number was".to_owned(), cursor)
        } else {
            self.fate(u, v, cursor)
        };
        let line = self.places.old.line(self.old.node(u).start).min(self.places.old.lines().max(1));
        let mut found = Found::new(Layer::Block, code, line, format!("{what} {now}"));
        if head != NONE {
            found = found.head(self.places.new.line(self.new.node(head).start));
        }
        self.found.push(found);
    }

    /// What became of an old node, and the new node that shows it.
    fn fate(&mut self, u: u32, v: u32, cursor: u32) -> (Code, String, u32) {
        let (old, new) = (self.old, self.new);
        let (kind, source) = (old.node(u).kind, old.source(u));
        self.effort += new.nodes.len();
        let all = 1..new.nodes.len() as u32;
        let same_content = |at: &u32| new.node(*at).kind == kind && new.content(*at) == old.content(u);
        if kind == Kind::Item {
            // An item is known by what it holds.
            let alike = |at: &u32| new.node(*at).kind == Kind::Item && new.source(*at) == source;
            return match all.clone().find(alike) {
                Some(at)
                    if new.node(at).parent == v
                        && self.begins_with_same_words(u, at)
                        && !self.begins_alike(u, at) =>
                {
                    let now = "reads the same and renders otherwise: a link leads elsewhere, or brackets became one";
                    (Code::LinkTarget, now.to_owned(), at)
                }
                Some(at) if new.node(at).parent != v => {
                    (Code::ListSplit, "stands in another list now".to_owned(), at)
                }
                Some(at) => (Code::BlockLost, "stands in another place of its list now".to_owned(), at),
                None if old.node(u).first != NONE => self.fate(old.node(u).first, v, cursor),
                None => (Code::BlockLost, "is not what it was".to_owned(), cursor),
            };
        }
        // The same text, but inside of raw HTML that it was not in (or no longer inside of it).
        if !matches!(kind, Kind::Quote | Kind::Rule)
            && let Some(at) = all.clone().find(|at| same_content(at) && new.context(*at) != old.context(u))
        {
            let now = match (Context::name(new.context(at)), Context::name(old.context(u))) {
                (Some(now), Some(was)) if now == was => format!("stands inside of another <{now}> now"),
                (Some(now), Some(was)) => {
                    format!("stands inside of <{now}> now, and stood inside of <{was}>")
                }
                (Some(now), None) => format!("stands inside of <{now}> now"),
                (None, was) => {
                    format!("stands outside of the <{}> that it stood in", was.unwrap_or("element"))
                }
            };
            return (Code::Hidden, now, at);
        }
        if matches!(kind, Kind::Bullets | Kind::Numbers)
            && let Some(outcome) = self.list_fate(u, v, cursor)
        {
            return outcome;
        }
        // The same text elsewhere.
        if !source.is_empty()
            && kind != Kind::Quote
            && let Some(at) = all.clone().find(|at| same_content(at))
        {
            let (was, is) = (old.section_of(old.node(u).parent), new.section_of(new.node(at).parent));
            if old.content(was) != new.content(is) {
                let title = |tree: &Tree<'_>, at: u32| match at {
                    0 => "no heading".to_owned(),
                    _ => format!("\"{}\"", quoted(tree.source(at))),
                };
                let now = format!("stands under {} now, and stood under {}", title(new, is), title(old, was));
                return (Code::SectionMoved, now, at);
            }
            if old.node(old.node(u).parent).kind == Kind::Item
                || new.node(new.node(at).parent).kind == Kind::Item
            {
                return (Code::BlockLost, "hangs at another list item now".to_owned(), at);
            }
            return (Code::BlockLost, "stands in another place now".to_owned(), at);
        }
        // The same source, read otherwise.
        if !source.is_empty() {
            for at in all {
                let node = new.node(at);
                let now = new.source(at);
                if new.content(at).is_empty() && node.kind != Kind::Rule || !now.contains(source) {
                    continue;
                }
                match node.kind {
                    Kind::Code => return (Code::Hidden, "is inside of a code block now".to_owned(), at),
                    Kind::Html => {
                        return (Code::Hidden, "is inside of raw HTML or a comment now".to_owned(), at);
                    }
                    Kind::Paragraph if now != source => {
                        return (Code::ParagraphChanged, "runs on into other text now".to_owned(), at);
                    }
                    Kind::Paragraph if kind != Kind::Paragraph => {
                        return (Code::BlockLost, "has become a paragraph".to_owned(), at);
                    }
                    node if node == kind && now == source => {
                        let now = "reads the same and renders otherwise: a link leads elsewhere, or brackets became one";
                        return (Code::LinkTarget, now.to_owned(), at);
                    }
                    Kind::Section | Kind::Heading if now != source && kind == Kind::Paragraph => {
                        return (Code::ParagraphChanged, "has become a heading".to_owned(), at);
                    }
                    Kind::Table => return (Code::ParagraphChanged, "has become a table".to_owned(), at),
                    _ => {}
                }
            }
        }
        let code = if kind == Kind::Paragraph { Code::ParagraphChanged } else { Code::BlockLost };
        (code, "is not what it was".to_owned(), cursor)
    }

    /// What became of a list: set apart, cut, or numbered anew.
    fn list_fate(&self, u: u32, v: u32, cursor: u32) -> Option<(Code, String, u32)> {
        let (old, new) = (self.old, self.new);
        let first = old.node(u).first;
        let text = |tree: &Tree<'_>, item: u32| tree.node(item).first;
        let begins_alike = |list: u32| {
            let (a, b) = (text(old, first), text(new, new.node(list).first));
            a != NONE && b != NONE && old.content(a) == new.content(b)
        };
        let from = if cursor == NONE { new.node(v).first } else { cursor };
        let mut at = from;
        while at != NONE {
            if new.node(at).kind == old.node(u).kind && first != NONE {
                let (was, is) = (old.content(u), new.content(at));
                if was.first() == is.first() && was.get(2..) == is.get(2..) && was.get(1) != is.get(1) {
                    let now = match is.get(1) {
                        Some(b'l') => "is set apart by a blank line now: every item becomes a paragraph",
                        _ => "is drawn together now: its items were paragraphs",
                    };
                    return Some((Code::ListLoosened, now.to_owned(), at));
                }
                if was != is && begins_alike(at) {
                    return Some((Code::Renumbered, "counts from another number now".to_owned(), at));
                }
            }
            at = new.node(at).next;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(before: &str, after: &str) -> Vec<Code> {
        super::super::compare("a.md", super::super::Rule::Markdown, before.as_bytes(), after.as_bytes())
            .losses
            .into_iter()
            .map(|loss| loss.code)
            .collect()
    }

    /// The left column of the table "What follows, in user terms".
    #[test]
    fn what_only_adds_passes() {
        for (before, after) in [
            ("a\n\nb\n", "a\n\nnew\n\nb\n"),
            ("a\n\nb\n", "a\n\n- new\n- list\n\nb\n"),
            ("a\n\nb\n", "a\n\n```\nnew\n```\n\nb\n"),
            ("a\n\nb\n", "a\n\n<!-- new -->\n\nb\n"),
            ("a\n\nb\n", "a\n\n> new\n\nb\n"),
            ("- a\n- b\n", "- new\n- a\n- new\n- b\n- new\n"),
            ("- a\n- b\n", "- a\n  - new\n- b\n"),
            ("1. a\n2. b\n", "1. a\n2. b\n3. c\n"),
            ("| h |\n|---|\n| a |\n", "| h |\n|---|\n| a |\n| b |\n"),
            ("| h |\n|---|\n| a |\n", "| h |\n|---|\n| a |\n\n| k |\n|---|\n| b |\n"),
            ("# A\n\nx\n\n### D\n\ny\n", "# A\n\nx\n\n### D\n\ny\n\n## New\n\nz\n"),
            ("# A\n\nx\n\n# B\n", "# A\n\nx\n\n# New\n\ny\n\n# B\n"),
            ("# A\n\nx [l]\n\n[l]: u\n", "# A\n\nx [l]\n\n[l]: u\n\n[m]: w\n\n[l]: later\n"),
            ("a\n\nb\n", "a\n\n<details>\n\nnew\n\n</details>\n\nb\n"),
            ("a", "a\n"),
            ("a", "a\n\nb\n"),
            ("---\nk: 1\n---\na\n", "---\nk: 1\nl: 2\n---\na\n"),
            ("a\n", "---\nk: 1\n---\na\n"),
            ("> a\n", "> a\n>\n> b\n"),
            ("\u{feff}# A\n", "\u{feff}# A\n\nb\n"),
            ("", "# A\n"),
        ] {
            assert_eq!(codes(before, after), [], "{before:?} -> {after:?}");
            let crlf = |text: &str| text.replace('\n', "\r\n");
            assert_eq!(codes(&crlf(before), &crlf(after)), [], "with CRLF: {before:?} -> {after:?}");
        }
    }

    /// The right column of the same table.
    #[test]
    fn what_loses_or_changes_fails() {
        use Code::*;
        for (before, after, code) in [
            ("a\nb\n", "a\nnew\nb\n", ParagraphChanged),
            ("a\n\nb\n", "a\nnew\n\nb\n", ParagraphChanged),
            ("- a\n- b\n", "- a\n  new\n- b\n", ParagraphChanged),
            ("```\na\n```\n", "```\na\nnew\n```\n", BlockLost),
            ("```\n```\n", "```\n\n```\n", BlockLost),
            ("<!-- a\n-->\n", "<!-- a\nnew\n-->\n", BlockLost),
            ("1. a\n2. b\n", "1. a\n1. new\n2. b\n", Renumbered),
            ("- a\n- b\n", "- a\n\nnew\n\n- b\n", ListSplit),
            ("- a\n- b\n", "- a\n<!-- c -->\n- b\n", ListSplit),
            ("- a\n  - x\n- b\n", "- a\n- new\n  - x\n- b\n", BlockLost),
            ("| h |\n|---|\n| a |\n| b |\n", "| h |\n|---|\n| a |\n\n| b |\n", BlockLost),
            ("a\n\nb\n", "a\n|---|\n\nb\n", ParagraphChanged),
            ("# A\n\nx\n\ny\n", "# A\n\nx\n\n## New\n\ny\n", SectionMoved),
            ("# A\n\n### D\n\ny\n", "# A\n\n## New\n\n### D\n\ny\n", SectionMoved),
            ("x [l]\n\n[l]: u\n", "[l]: w\n\nx [l]\n\n[l]: u\n", LinkTarget),
            ("x [l] y\n", "x [l] y\n\n[l]: u\n", LinkTarget),
            ("a\n\nb\n", "a\n\n<details>\n\nb\n", Hidden),
            ("a\n\nb\n", "a\n\n<canvas>\n\nb\n\n</canvas>\n", Hidden),
            ("<div>\n\na\n\n</div>\n", "<div>\n\n</div>\n\n<div hidden>\n\na\n\n</div>\n", Hidden),
            (
                "<details>\n<summary>A</summary>\n\na\n\n</details>\n",
                "<details>\n<summary>A</summary>\n\n</details>\n\n<details>\n<summary>B</summary>\n\na\n\n</details>\n",
                Hidden,
            ),
            ("a\n\nb\n", "a\n\n- <s>x\n\nb\n", Hidden),
            ("- [x] a\n- [ ] b\n", "- [x] a\n- [ ] b\n\n[x]: /u\n", LinkTarget),
            ("a\n\nb\n", "a\n\n<!--\n\nb\n", Hidden),
            ("a\n\nb\n\nc\n", "a\n\n<!--\n\nb\n\n-->\n\nc\n", Hidden),
            ("a\n\nb\n", "a\n\n```\n\nb\n", Hidden),
            ("a\n\nb\n", "a\n===\n\nb\n", ParagraphChanged),
            ("- a\n- b\n", "- a\n\n- new\n- b\n", ListLoosened),
            ("a\n\nb\n", "a\n\nnew <b>bold\n\nb\n", Hidden),
            ("a\n", "a\n\n<title>x</title>\n", RawHtml),
            ("a\n", "a\n\n<!-- new\n", RawHtml),
            ("---\nk: 1\n---\na\n", "new\n\n---\nk: 1\n---\na\n", FrontMatter),
            ("---\nk: 1\n---\na\n", "---\nk: 1\nk: 2\n---\na\n", DuplicateKey),
            ("    code\n", "- new\n\n    code\n", BlockLost),
        ] {
            let found = codes(before, after);
            assert_eq!(found.first(), Some(&code), "{before:?} -> {after:?}: {found:?}");
            let crlf = |text: &str| text.replace('\n', "\r\n");
            assert!(!codes(&crlf(before), &crlf(after)).is_empty(), "with CRLF: {before:?} -> {after:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        let code = |before: &[u8], after: &[u8]| compare(before, after).found[0].code;
        assert_eq!(code(b"a\xff\n", b"a\xff\n\nb\n"), Code::Opaque);
        assert_eq!(code(b"a\n", b"a\n\n\xff\n"), Code::Unparsable);
        assert_eq!(code(b"a\n", b"a\n\n\0\n"), Code::Unparsable);
    }

    #[test]
    fn nesting_without_end_is_no_harm() {
        let deep = format!("{} a\n", ">".repeat(5_000));
        assert_eq!(codes(&deep, &format!("{deep}\nb\n")), []);
        assert!(!codes(&deep, &format!("```\n{deep}")).is_empty());
        // What is open is a digest, not a list that every block would carry.
        let open = "<div>\n\n".repeat(20_000);
        assert_eq!(codes(&open, &format!("{open}b\n")), []);
        let closed = "</b>".repeat(20_000);
        assert_eq!(codes(&open, &format!("{open}b {closed}\n")), []);
        let long = format!("{}\n", "[".repeat(100_000));
        assert_eq!(codes(&long, &format!("{long}\nb\n")), []);
    }
}
