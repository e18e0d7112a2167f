//! Why an old document does not embed in a new one: which old nodes find no place, and where their text
//! is now. Only a failure is explained, and the effort is bounded.

use super::html::Context;
use super::tree::{BlockKind, NONE, Tree};
use super::{Both, EXPLAINED, Search, fits};
use crate::additive::{Finding, Kind, quoted};

/// Explanations go no deeper than this.
const DEEP: usize = 64;

/// What became of an old node: a code, a sentence's end, and the new node that shows it.
type NodeOutcome = (Kind, String, u32);

/// Finds the old nodes that have no place, and says where their text is now.
pub(super) struct Explanation<'a> {
    both: &'a Both<'a>,
    old: &'a Tree<'a>,
    new: &'a Tree<'a>,
    /// Old nodes that may be left out.
    skipped: &'a [bool],
    /// New nodes that are images of old ones: no other old node is there.
    taken: Vec<bool>,
    found: Vec<Finding>,
    /// Nodes looked at so far.
    effort: usize,
}

impl<'a> Explanation<'a> {
    pub fn new(both: &'a Both<'a>, skipped: &'a [bool]) -> Explanation<'a> {
        let taken = vec![false; both.new.nodes.len()];
        Explanation { both, old: both.old, new: both.new, skipped, taken, found: Vec::new(), effort: 0 }
    }

    pub fn losses(mut self) -> Vec<Finding> {
        self.children(0, 0, 0);
        if self.found.is_empty() {
            // The effort ran out before the place was found: then the first line has to do.
            let message = "the old blocks are not all kept in order".to_owned();
            self.found.push(Finding::new(Kind::BlockLost, 1, message));
        }
        self.found
    }

    fn is_spent(&self) -> bool {
        self.found.len() >= EXPLAINED || self.effort > 40 * (self.old.nodes.len() + self.new.nodes.len())
    }

    /// Explains the children of `u` that find no place among those of `v`.
    fn children(&mut self, u: u32, v: u32, depth: usize) {
        let mut cursor = self.new.node(v).first;
        let fixed = self.old.node(u).kind == BlockKind::Numbers;
        let skipped = self.skipped;
        let is_wanted = |at: &u32| skipped.get(*at as usize) != Some(&true);
        for child in self.old.children(u).filter(is_wanted).collect::<Vec<_>>() {
            if self.is_spent() {
                return;
            }
            let (image, near) = self.place(child, cursor, fixed);
            if image != NONE {
                cursor = self.new.node(image).next;
            } else if fixed && self.is_later(child, cursor) {
                self.lost(child, v, cursor, true);
                return;
            } else if near != NONE && depth < DEEP {
                self.taken[near as usize] = true;
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

    /// The image of an old node among the new ones from `cursor` on, or the first that is meant for it.
    fn place(&mut self, child: u32, cursor: u32, fixed: bool) -> (u32, u32) {
        let (mut at, mut near) = (cursor, NONE);
        while at != NONE && !self.is_spent() {
            self.effort += 1;
            if fits(true, self.old, child, self.new, at) {
                let mut search =
                    Search { soft: true, skipped: self.skipped, ..Search::new(self.old, self.new) };
                let embeds = search.embeds(child, at);
                self.effort += search.effort + 1;
                if embeds {
                    self.taken[at as usize] = true;
                    search.images.iter().for_each(|image| self.taken[*image as usize] = true);
                    return (at, near);
                }
                if near == NONE && self.begins_alike(child, at) {
                    near = at;
                }
            }
            at = if fixed { NONE } else { self.new.node(at).next };
        }
        (NONE, near)
    }

    /// Whether two nodes with equal labels are meant for each other: items and quotes have labels
    /// that say nothing, so there it is what they begin with that counts.
    fn begins_alike(&self, u: u32, v: u32) -> bool {
        let (a, b) = (self.old.node(u).first, self.new.node(v).first);
        match self.old.node(u).kind {
            BlockKind::Item | BlockKind::Quote => {
                a == NONE || b != NONE && self.old.content(a) == self.new.content(b)
            }
            _ => true,
        }
    }

    /// Whether two items begin with the same source text.
    fn begins_with_same_words(&self, u: u32, v: u32) -> bool {
        let (a, b) = (self.old.node(u).first, self.new.node(v).first);
        a != NONE && b != NONE && self.old.source(a) == self.new.source(b)
    }

    /// Whether an item of a numbered list is further down in the list.
    fn is_later(&mut self, u: u32, mut from: u32) -> bool {
        let bare = |text: &'a str| text.trim_start_matches(|c: char| c.is_ascii_digit());
        while from != NONE && !self.is_spent() {
            self.effort += 1;
            if self.begins_alike(u, from) && bare(self.new.source(from)) == bare(self.old.source(u)) {
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
            BlockKind::Rule | BlockKind::Quote | BlockKind::Item if text.is_empty() => {
                format!("the {}", kind.name())
            }
            _ => format!("the {} \"{text}\"", kind.name()),
        };
        let (code, now, head) = if fixed {
            (Kind::Renumbered, "is not where its number was".to_owned(), cursor)
        } else {
            self.explain_loss(u, v, cursor)
        };
        let same_kind = head != NONE && self.new.node(head).kind == kind;
        let (line, head_line) = match head {
            NONE => (self.both.old_line(u), None),
            _ if same_kind && matches!(code, Kind::BlockLost | Kind::ParagraphChanged | Kind::Hidden) => {
                let (line, head_line) = first_difference(self.both, u, head);
                (line, Some(head_line))
            }
            _ => (self.both.old_line(u), Some(self.both.new_line(head))),
        };
        let found = Finding::new(code, line, format!("{what} {now}"));
        self.found.push(Finding { head_line, ..found });
    }

    /// What became of an old node, and the new node that shows it.
    fn explain_loss(&mut self, u: u32, v: u32, cursor: u32) -> NodeOutcome {
        let kind = self.old.node(u).kind;
        self.effort += self.old.nodes.len() + self.new.nodes.len();
        if kind == BlockKind::Item {
            return self.lost_item(u, v, cursor);
        }
        if matches!(kind, BlockKind::Bullets | BlockKind::Numbers)
            && let Some(outcome) = self.lost_list(u, v, cursor)
        {
            return outcome;
        }
        if let Some(outcome) = self.in_other_html(u) {
            return outcome;
        }
        let source = self.old.source(u);
        if source.is_empty() {
            return (Kind::BlockLost, "is not what it was".to_owned(), cursor);
        }
        if let Some(outcome) = self.elsewhere(u).or_else(|| self.read_otherwise(u)) {
            return outcome;
        }
        let code = if kind == BlockKind::Paragraph { Kind::ParagraphChanged } else { Kind::BlockLost };
        (code, "is not what it was".to_owned(), self.counterpart(u, cursor))
    }

    /// New nodes that are the image of no old one, those in the same place first.
    fn free(&self) -> impl Iterator<Item = u32> + '_ {
        (1..self.new.nodes.len() as u32).filter(|at| !self.taken[*at as usize])
    }

    fn has_same_content(&self, u: u32, at: u32) -> bool {
        self.new.node(at).kind == self.old.node(u).kind && self.new.content(at) == self.old.content(u)
    }

    /// Whether a new node is where another old node with the same text was: then that one is meant by it.
    fn is_of_another(&self, u: u32, at: u32) -> bool {
        let heading = self.new.content(self.new.section_of(self.new.node(at).parent));
        let is_there = |other: u32| {
            other != u
                && self.old.node(other).kind == self.old.node(u).kind
                && self.old.content(other) == self.old.content(u)
                && self.old.content(self.old.section_of(self.old.node(other).parent)) == heading
        };
        let own = self.old.content(self.old.section_of(self.old.node(u).parent)) == heading;
        !own && (1..self.old.nodes.len() as u32).any(is_there)
    }

    fn lost_item(&mut self, u: u32, v: u32, cursor: u32) -> NodeOutcome {
        // An item is known by what it holds.
        let source = self.old.source(u);
        let alike = |at: &u32| self.new.node(*at).kind == BlockKind::Item && self.new.source(*at) == source;
        let found = self.free().find(alike);
        match found {
            Some(at)
                if self.new.node(at).parent == v
                    && self.begins_with_same_words(u, at)
                    && !self.begins_alike(u, at) =>
            {
                (Kind::LinkTarget, self.renders_otherwise(source), at)
            }
            Some(at) if self.new.node(at).parent != v => {
                (Kind::ListSplit, "is in another list now".to_owned(), at)
            }
            Some(at) => (Kind::BlockLost, "is in another place of its list now".to_owned(), at),
            None if self.old.node(u).first != NONE => self.explain_loss(self.old.node(u).first, v, cursor),
            None => (Kind::BlockLost, "is not what it was".to_owned(), cursor),
        }
    }

    /// The same text, but inside of raw HTML that it was not in, or no longer inside of it.
    fn in_other_html(&self, u: u32) -> Option<NodeOutcome> {
        let (old, new) = (self.old, self.new);
        if matches!(old.node(u).kind, BlockKind::Quote | BlockKind::Rule) {
            return None;
        }
        let other = |at: &u32| new.context(*at) != old.context(u) && self.has_same_content(u, *at);
        if let Some(at) = self.free().find(other) {
            let now = match (Context::name(new.context(at)), Context::name(old.context(u))) {
                (Some(now), Some(was)) if now == was => format!("is inside of another <{now}> now"),
                (Some(now), Some(was)) => format!("is inside of <{now}> now, and was inside of <{was}>"),
                (Some(now), None) => format!("is inside of <{now}> now"),
                (None, was) => format!("is outside of the <{}> that it was in", was.unwrap_or("element")),
            };
            return Some((Kind::Hidden, now, at));
        }
        let grown = |at: &u32| new.region(*at) != old.region(u) && self.has_same_content(u, *at);
        let at = self.free().find(grown)?;
        let now = match old.region(u) {
            Some(_) => "opens an element that holds other text now; nothing may be added inside of raw HTML",
            None => "leaves an element open, which holds new text now",
        };
        Some((Kind::RawHtml, now.to_owned(), at))
    }

    /// The same text elsewhere.
    fn elsewhere(&self, u: u32) -> Option<NodeOutcome> {
        let (old, new) = (self.old, self.new);
        if old.node(u).kind == BlockKind::Quote {
            return None;
        }
        let at = self.free().find(|at| self.has_same_content(u, *at) && !self.is_of_another(u, *at))?;
        let (was, is) = (old.section_of(old.node(u).parent), new.section_of(new.node(at).parent));
        if old.content(was) != new.content(is) {
            let title = |tree: &Tree<'_>, at: u32| match at {
                0 => "no heading".to_owned(),
                _ => format!("\"{}\"", quoted(tree.source(at))),
            };
            let now = format!("is under {} now, and was under {}", title(new, is), title(old, was));
            return Some((Kind::SectionMoved, now, at));
        }
        let in_item = |tree: &Tree<'_>, at: u32| tree.node(tree.node(at).parent).kind == BlockKind::Item;
        let now = match in_item(old, u) || in_item(new, at) {
            true => "is at another list item now",
            false => "is in another place now",
        };
        Some((Kind::BlockLost, now.to_owned(), at))
    }

    /// The same source, read otherwise.
    fn read_otherwise(&self, u: u32) -> Option<NodeOutcome> {
        let (new, kind, source) = (self.new, self.old.node(u).kind, self.old.source(u));
        for at in self.free() {
            let node = new.node(at);
            let now = new.source(at);
            if new.content(at).is_empty() && node.kind != BlockKind::Rule || !now.contains(source) {
                continue;
            }
            let (code, told) = match node.kind {
                BlockKind::Code if kind != BlockKind::Code => (Kind::Hidden, "is inside of a code block now"),
                BlockKind::Html if kind != BlockKind::Html => {
                    (Kind::Hidden, "is inside of raw HTML or a comment now")
                }
                BlockKind::Paragraph if now != source => {
                    (Kind::ParagraphChanged, "runs on into other text now")
                }
                BlockKind::Paragraph if kind != BlockKind::Paragraph => {
                    (Kind::BlockLost, "has become a paragraph")
                }
                node if node == kind && now == source => {
                    return Some((Kind::LinkTarget, self.renders_otherwise(source), at));
                }
                BlockKind::Section | BlockKind::Heading if now != source && kind == BlockKind::Paragraph => {
                    (Kind::ParagraphChanged, "has become a heading")
                }
                BlockKind::Table if kind != BlockKind::Table => {
                    (Kind::ParagraphChanged, "has become a table")
                }
                _ => continue,
            };
            return Some((code, told.to_owned(), at));
        }
        None
    }

    /// Says which definition makes a text render otherwise, if one does.
    fn renders_otherwise(&self, source: &str) -> String {
        let text = super::tree::folded(source);
        let (old, new) = (&self.old.definitions, &self.new.definitions);
        let is_meant = |label: &str| text.contains(&format!("[{label}]"));
        let changed = new.iter().find(|(label, now)| {
            is_meant(label)
                && old.get(*label).is_none_or(|was| was.target != now.target || was.title != now.title)
        });
        if let Some((label, now)) = changed {
            let (label, line) = (quoted(label), self.both.places.new.line(now.start));
            return format!("reads the same and renders otherwise: line {line} defines [{label}]");
        }
        if let Some((label, _)) = old.iter().find(|(label, _)| is_meant(label) && !new.contains_key(*label)) {
            return format!(
                "reads the same and renders otherwise: [{}] is not defined any more",
                quoted(label)
            );
        }
        let footnote = |at: &u32| {
            self.new.node(*at).kind == BlockKind::Footnote
                && text.contains(&format!("[^{}]", String::from_utf8_lossy(&self.new.content(*at)[1..])))
        };
        if let Some(at) = self.free().find(footnote) {
            let line = self.both.new_line(at);
            return format!("reads the same and renders otherwise: line {line} defines its footnote");
        }
        "reads the same and renders otherwise: a link leads elsewhere, or brackets became one".to_owned()
    }

    /// The new node that most likely is what an old one has become: the next of its kind that begins with
    /// the same line, else the next of its kind.
    fn counterpart(&mut self, u: u32, cursor: u32) -> u32 {
        let first = self.old.source(u).lines().next();
        let (mut at, mut next) = (cursor, NONE);
        while at != NONE {
            if self.new.node(at).kind == self.old.node(u).kind && !self.taken[at as usize] {
                if self.new.source(at).lines().next() == first {
                    next = at;
                    break;
                }
                next = if next == NONE { at } else { next };
            }
            at = self.new.node(at).next;
        }
        if next == NONE {
            return cursor;
        }
        self.taken[next as usize] = true;
        next
    }

    /// What became of a list: set apart, cut, or numbered anew.
    fn lost_list(&self, u: u32, v: u32, cursor: u32) -> Option<NodeOutcome> {
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
                    return Some((Kind::ListLoosened, now.to_owned(), at));
                }
                if was != is && begins_alike(at) {
                    return Some((Kind::Renumbered, "counts from another number now".to_owned(), at));
                }
            }
            at = new.node(at).next;
        }
        None
    }
}

/// The first line of an old node that differs from its counterpart, and that of the counterpart.
pub(super) fn first_difference(both: &Both<'_>, u: u32, v: u32) -> (usize, usize) {
    let (old, new) = (both.old.source(u), both.new.source(v));
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    let last = |text: &str| text.lines().count().saturating_sub(1);
    (both.old_line(u) + same.min(last(old)), both.new_line(v) + same.min(last(new)))
}
