//! The block rule for Markdown (G-S4): the old document's tree embeds in the new one.
//!
//! Both texts are parsed into a [tree](tree::Tree). An embedding sends root to root, every node to
//! a node with an equal label, and the children of a node, in order, to children of its image.
//!
//! Taking the first child that fits is complete: whether a node embeds in another depends on their
//! two subtrees alone, and the children of the image are in one row, so the exchange argument of
//! the [line rule](super::text) holds at every level. In an ordered list the old items must be the
//! first ones. Every new node is compared with at most one old node (its parent was), so the whole
//! takes as many comparisons as there are new nodes. An explicit stack does it, since a line can
//! open thousands of quotes.
//!
//! Where there is no embedding, [`soft`] looks for one that allows what a policy may allow: a task
//! that was ticked, a comment that changed, a paragraph that goes on, a list that was loosened. If that
//! fails too, `explain` says which old node finds no place, with a bounded effort.
//!
//! Besides the embedding: link definitions keep their target and title, new raw HTML is balanced on its
//! own, and no new line holds a control character.

mod explain;
pub mod html;
mod soft;
pub mod tree;

use self::html::{Balance, OpenTag};
use self::tree::{BlockKind, NONE, Tree, same};
use super::text::{self, Lines};
use super::{Finding, Kind, quoted, yaml};
use crate::text::ids::is_line_below;
use crate::text::time::is_day;

/// As many losses are explained in one file.
const EXPLAINED: usize = 20;

/// Larger texts are not read as Markdown.
const LARGEST: usize = 1 << 30;

/// Compares two documents: lines and blocks.
pub fn compare(before: &[u8], after: &[u8]) -> Vec<Finding> {
    let lines = text::losses(before, after);
    let (old, new) = match readable(before, after) {
        Ok(documents) => documents,
        Err(unreadable) => return if lines.is_empty() { vec![*unreadable] } else { lines },
    };
    let (u, v) = (Tree::parse(old.body), Tree::parse(new.body));
    let both = Both { old: &u, new: &v, places: &Places { old: &old, new: &new } };
    let mut found = front_matter(&old, &new);
    found.extend(text::control(before, after));
    if lines.is_empty() {
        let mut search = Search::new(&u, &v);
        if search.embeds(0, 0) {
            found.extend(both.beside(&search.images));
            return found;
        }
    }
    match soft::losses(&both, before, after) {
        Ok((allowed, images)) => {
            // Allowed changes are reported; a lost line without a report is lost.
            found.extend(if allowed.is_empty() { lines } else { allowed });
            found.extend(both.beside(&images));
        }
        Err(lost) => found.extend(lost),
    }
    found
}

/// Both documents, if they can be read as Markdown.
pub(super) fn readable<'t>(
    before: &'t [u8],
    after: &'t [u8],
) -> Result<(Parts<'t>, Parts<'t>), Box<Finding>> {
    let refused = |code: Kind, message: &str| Err(Box::new(Finding::new(code, 1, message.to_owned())));
    let Some(old) = std::str::from_utf8(before).ok().filter(|_| memchr::memchr(0, before).is_none()) else {
        return refused(Kind::Opaque, "the old text is not UTF-8, so not one byte of it may change");
    };
    let Ok(new) = std::str::from_utf8(after) else {
        return refused(Kind::Unparsable, "the new text is not UTF-8");
    };
    if memchr::memchr(0, after).is_some() {
        return refused(Kind::Unparsable, "the new text holds a NUL byte");
    }
    // Places in a tree are kept in 32 bits.
    if new.len() > LARGEST {
        return refused(Kind::Opaque, "the text is over 1 GiB, too large to be read as Markdown");
    }
    if tree::is_too_deep(old) || tree::is_too_deep(new) {
        return refused(
            Kind::Unparsable,
            "a line opens more than 256 quotations or lists inside of each other",
        );
    }
    if tree::has_lazy_alert(old) || tree::has_lazy_alert(new) {
        return refused(
            Kind::Unparsable,
            "text without > is right below the first line of an alert; readers disagree on where it belongs",
        );
    }
    Ok((Parts::of(old), Parts::of(new)))
}

/// What a traceability marker begins with.
pub(super) const MARKER: &str = "<!-- Elaboration: step ";

/// Whether an item is a line that a discussion leaves outside of its block: `Decided 2026-02-20 (Sam): …`,
/// `Accepted 2026-02-20 (Sam).`, or an entry with its author in one of the sessions of Clarifications.
fn is_own_line(tree: &Tree<'_>, at: u32) -> bool {
    if tree.node(at).kind != BlockKind::Item {
        return false;
    }
    if is_line_below(tree.source(at)) {
        return true;
    }
    let text = tree.source(at).trim_start_matches(['-', '*', '+', ' ']);
    let entry = text.split_once(" Reason: ").map_or(text, |(entry, _)| entry);
    let heading = tree.source(tree.section_of(at)).trim_start_matches(['#', ' ']);
    entry.ends_with(')') && entry.contains(" (") && heading.strip_prefix("Session ").is_some_and(is_day)
}

/// The markers of a document and the blocks they are before: the section after a marker, or,
/// where the heading is bold text, everything up to the next section or marker. Besides, the lines that a discussion
/// leaves elsewhere.
pub(super) fn written(tree: &Tree<'_>) -> Vec<u32> {
    let is_marker =
        |at: u32| tree.node(at).kind == BlockKind::Html && tree.content(at).starts_with(MARKER.as_bytes());
    let mut found: Vec<u32> = (1..tree.nodes.len() as u32).filter(|at| is_own_line(tree, *at)).collect();
    for at in (1..tree.nodes.len() as u32).filter(|at| is_marker(*at)) {
        found.push(at);
        let next = tree.after(at);
        if (next as usize) < tree.nodes.len() && tree.node(next).kind == BlockKind::Section {
            found.push(next);
            continue;
        }
        let mut next = tree.node(at).next;
        while next != NONE && tree.node(next).kind != BlockKind::Section && !is_marker(next) {
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
    pub(super) front: Option<&'t str>,
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

    /// The document as if it had no front matter.
    pub(crate) fn without_front(self) -> Parts<'t> {
        Parts { front: None, ..self }
    }

    /// The line of a byte of the body.
    pub(crate) fn line(&self, at: usize) -> usize {
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

/// Front matter stays on line 1 and is compared as data (G-S5).
fn front_matter(old: &Parts<'_>, new: &Parts<'_>) -> Vec<Finding> {
    match (old.front, new.front) {
        (None, _) => Vec::new(),
        (Some(_), None) => {
            let message = "the front matter is no longer the first thing in the file".to_owned();
            vec![Finding::new(Kind::FrontMatter, 1, message).head(1)]
        }
        (Some(old), Some(new)) if old == new => Vec::new(),
        (Some(old), Some(new)) => {
            let found = yaml::losses(old.as_bytes(), new.as_bytes()).into_iter();
            found.map(|found| found.below(1)).collect()
        }
    }
}

/// Lines of both texts.
pub(super) struct Places<'a> {
    pub(super) old: &'a Parts<'a>,
    pub(super) new: &'a Parts<'a>,
}

/// Two documents that are compared.
pub(super) struct Both<'a> {
    pub(super) old: &'a Tree<'a>,
    pub(super) new: &'a Tree<'a>,
    pub(super) places: &'a Places<'a>,
}

impl Both<'_> {
    /// The line of an old node.
    pub(super) fn old_line(&self, node: u32) -> usize {
        self.places.old.line(self.old.node(node).start()).min(self.places.old.lines().max(1))
    }

    fn new_line(&self, node: u32) -> usize {
        self.places.new.line(self.new.node(node).start())
    }

    /// What an embedding does not tell: link definitions, and raw HTML that is new.
    fn beside(&self, images: &[u32]) -> Vec<Finding> {
        let mut found = self.lost_definitions();
        if self.new.has_html() {
            found.extend(self.unbalanced_html(images));
        }
        found
    }

    /// Link definitions that lead elsewhere, or are none any more.
    fn lost_definitions(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        // `[x]` is a box to one reader, and a link to another once it is defined.
        let is_task = |node: &tree::Node| node.kind == BlockKind::Item && !node.is_bare();
        if let Some(new) = self.new.definitions.get("x").filter(|_| !self.old.definitions.contains_key("x"))
            && let Some(at) = self.old.nodes.iter().position(is_task)
        {
            let message = "the boxes of tasks may become links: [x] is defined now".to_owned();
            let line = self.old_line(at as u32);
            let head = self.places.new.line(new.start);
            found.push(Finding::new(Kind::LinkTarget, line, message).head(head));
        }
        for (label, old) in &self.old.definitions {
            let new = self.new.definitions.get(label);
            if new.is_some_and(|new| (&new.target, &new.title) == (&old.target, &old.title)) {
                continue;
            }
            let line = self.places.old.line(old.start);
            let shown = quoted(label);
            let lost = match new {
                Some(new) => {
                    let target = quoted(&new.target);
                    let message = format!(
                        "the definition of [{shown}] leads to \"{target}\" now, or has another title"
                    );
                    Finding::new(Kind::LinkTarget, line, message).head(self.places.new.line(new.start))
                }
                None => {
                    let message = format!("[{shown}] is not defined any more");
                    Finding::new(Kind::LinkTarget, line, message)
                }
            };
            found.push(lost);
            if found.len() == EXPLAINED {
                break;
            }
        }
        found
    }

    /// New raw HTML that is not balanced on its own, or that takes over the page.
    pub(super) fn unbalanced_html(&self, images: &[u32]) -> Vec<Finding> {
        let mut is_image = vec![false; self.new.nodes.len()];
        images.iter().for_each(|image| is_image[*image as usize] = true);
        let (mut found, mut balance) = (Vec::new(), Balance::default());
        // Embeddings keep the order, so the old nodes go along with their images.
        let mut kept = 0_u32;
        let unclosed =
            |kept: u32, open: OpenTag| self.raw(open.node, kept, &format!("<{}> is not closed", open.name()));
        for at in 1..self.new.nodes.len() as u32 {
            found.extend(balance.leave(&|place| self.has_left(place, at)).map(|open| unclosed(kept, open)));
            if is_image[at as usize] {
                balance.go_around();
                kept = (kept + 1).min(self.old.nodes.len() as u32 - 1);
                continue;
            }
            for (place, html) in self.new.pieces(at) {
                let is_other = |open: html::Place| open.0 == place.0 && open.1 != place.1;
                found.extend(balance.leave(&is_other).map(|open| unclosed(kept, open)));
                let (wrong, around) = balance.read(html, place, at);
                // Old text inside of an element that is known says so itself.
                for open in around.iter().filter(|open| !open.is_context()) {
                    let told = format!("<{}> is opened above old text and closed below it", open.name());
                    let found_here = self.raw(open.node, kept, &told);
                    found.push(Finding { hint: "close it above the old text".to_owned(), ..found_here });
                }
                if let Some(wrong) = wrong {
                    found.push(self.raw(at, kept, &wrong));
                    balance.begin_anew();
                    break;
                }
            }
            if found.len() >= EXPLAINED {
                return found;
            }
        }
        found.extend(balance.leave(&|_| true).map(|open| unclosed(kept, open)));
        found
    }

    /// Whether a node follows the item, quotation or cell that an element was opened in.
    fn has_left(&self, (node, cell): html::Place, at: u32) -> bool {
        node != 0 && (at >= self.new.after(node) || cell != 0 && at != node)
    }

    fn raw(&self, at: u32, kept: u32, wrong: &str) -> Finding {
        let node = self.new.node(at);
        let message = format!("the new {} \"{}\": {wrong}", node.kind.name(), quoted(self.new.source(at)));
        let found = Finding::new(Kind::RawHtml, self.old_line(kept), message).head(self.new_line(at));
        Finding { new: Some(self.new.source(at).to_owned()), ..found }
    }
}

/// Whether a node can be the image of another.
fn fits(soft: bool, old: &Tree<'_>, u: u32, new: &Tree<'_>, v: u32) -> bool {
    if soft { soft::fits(old, u, new, v) } else { same(old, u, new, v) }
}

/// The search for an embedding.
struct Search<'a> {
    old: &'a Tree<'a>,
    new: &'a Tree<'a>,
    /// What a policy may allow is allowed; see [`soft`].
    soft: bool,
    /// Old nodes that may be left out; none where it is empty.
    skipped: &'a [bool],
    /// The images found so far, and what they are images of.
    images: Vec<u32>,
    kept: Vec<u32>,
    /// Pairs compared so far.
    effort: usize,
}

/// A pair of nodes with equal labels, whose children are being placed.
struct Frame {
    /// The next old child to place, and the next new child to try.
    u: u32,
    v: u32,
    /// An ordered list: nothing may be before an old item.
    fixed: bool,
    /// How many images there were before this pair's.
    images: usize,
}

impl<'a> Search<'a> {
    fn new(old: &'a Tree<'a>, new: &'a Tree<'a>) -> Search<'a> {
        Search { old, new, soft: false, skipped: &[], images: Vec::new(), kept: Vec::new(), effort: 0 }
    }

    fn frame(&self, u: u32, v: u32) -> Frame {
        Frame {
            u: self.old.node(u).first,
            v: self.new.node(v).first,
            fixed: self.old.node(u).kind == BlockKind::Numbers,
            images: self.images.len(),
        }
    }

    /// Whether the subtree of `u` embeds in that of `v`, which has an equal label.
    fn embeds(&mut self, u: u32, v: u32) -> bool {
        let mut stack = vec![self.frame(u, v)];
        while let Some(top) = stack.last_mut() {
            self.effort += 1;
            while top.u != NONE && self.skipped.get(top.u as usize) == Some(&true) {
                top.u = self.old.node(top.u).next;
            }
            let placed = if top.u == NONE {
                true
            } else if top.v == NONE {
                false
            } else if fits(self.soft, self.old, top.u, self.new, top.v) {
                let (u, v) = (top.u, top.v);
                let frame = self.frame(u, v);
                self.images.push(v);
                self.kept.push(u);
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
                self.kept.truncate(images);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(before: &str, after: &str) -> Vec<Kind> {
        compare(before.as_bytes(), after.as_bytes()).into_iter().map(|found| found.kind).collect()
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
        use Kind::*;
        for (before, after, code) in [
            ("a\nb\n", "a\nnew\nb\n", ParagraphChanged),
            ("a\n\nb\n", "a\nnew\n\nb\n", ParagraphExtended),
            ("- a\n- b\n", "- a\n  new\n- b\n", ParagraphExtended),
            ("```\na\n```\n", "```\na\nnew\n```\n", BlockLost),
            ("```\n```\n", "```\n\n```\n", BlockLost),
            ("<!-- a\n-->\n", "<!-- a\nnew\n-->\n", CommentChanged),
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
            ("a\n\n---\n", "a\n\n[b]: /u\n---\n", LinkTarget),
        ] {
            let found = codes(before, after);
            assert!(found.contains(&code), "{before:?} -> {after:?}: {found:?}");
            let crlf = |text: &str| text.replace('\n', "\r\n");
            assert!(!codes(&crlf(before), &crlf(after)).is_empty(), "with CRLF: {before:?} -> {after:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        let code = |before: &[u8], after: &[u8]| compare(before, after)[0].kind;
        assert_eq!(code(b"a\xff\n", b"a\xff\n\nb\n"), Kind::Opaque);
        assert_eq!(code(b"a\n", b"a\n\n\xff\n"), Kind::Unparsable);
        assert_eq!(code(b"a\n", b"a\n\n\0\n"), Kind::Unparsable);
    }

    #[test]
    fn nesting_without_end_is_no_harm() {
        let deep = format!("{} a\n", ">".repeat(200));
        assert_eq!(codes(&deep, &format!("{deep}\nb\n")), []);
        assert!(!codes(&deep, &format!("```\n{deep}")).is_empty());
        for too_deep in [">".repeat(5_000), "- ".repeat(300), "1. > ".repeat(200)] {
            assert_eq!(codes(&too_deep, &format!("{too_deep}\n\nb\n")), [Kind::Unparsable]);
        }
        // What is open is a digest, not a list that every block would carry.
        let open = "<div>\n\n".repeat(20_000);
        assert_eq!(codes(&open, &format!("{open}b\n")).len(), 1);
        let closed = "</b>".repeat(20_000);
        assert_eq!(codes("a\n", &format!("a\n\nb {closed}\n")).len(), 1);
        let long = format!("{}\n", "[".repeat(100_000));
        assert_eq!(codes(&long, &format!("{long}\nb\n")), []);
    }
}
