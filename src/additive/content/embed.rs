//! The question whose answer is *kept*: does the old tree embed in the new one?
//!
//! An embedding sends root to root, every piece to one that [fits](Embedding::fits), and the children of a piece,
//! in order, to children of its image. Whether a piece fits depends on the two alone, so taking the leftmost
//! image is complete (exchange argument), and each new piece is compared with one old piece at most.

use std::collections::HashMap;

use super::life::{has_label, labels_of};
use super::pieces::{Link, NO_NUMBER, NONE, Order, Pieces, Sort};
use crate::additive::Freedom;
use crate::additive::json::decimal;

/// Types of values.
pub const NULL: u8 = 1;
pub const NUMBER: u8 = 2;

/// The search for an embedding of subtrees.
pub struct Embedding<'a> {
    pub old: &'a Pieces,
    pub new: &'a Pieces,
    pub freedom: &'a Freedom,
    /// Pairs of pieces of the embedding that was found last.
    pub pairs: Vec<(u32, u32)>,
}

impl<'a> Embedding<'a> {
    pub fn new(old: &'a Pieces, new: &'a Pieces, freedom: &'a Freedom) -> Embedding<'a> {
        Embedding { old, new, freedom, pairs: Vec::new() }
    }

    /// Whether the subtree of `u` embeds in that of `v`; if so, its pairs are there.
    pub fn embeds(&mut self, u: u32, v: u32) -> bool {
        let mark = self.pairs.len();
        let is_embedded = self.fits(u, v) && {
            self.pairs.push((u, v));
            self.children(u, v)
        };
        if !is_embedded {
            self.pairs.truncate(mark);
        }
        is_embedded
    }

    fn children(&mut self, u: u32, v: u32) -> bool {
        if self.is_empty_value(u) {
            return true;
        }
        match self.old.at(u).sort.order() {
            Order::Sequence => self.in_sequence(u, v),
            Order::Positions => self.by_position(u, v),
            Order::Named => self.by_name(u, v),
        }
    }

    fn in_sequence(&mut self, u: u32, v: u32) -> bool {
        if self.lost_value(u, v).is_some() {
            return false;
        }
        let mut cursor = self.new.at(v).first;
        let mut child = self.old.at(u).first;
        while child != NONE {
            let next = self.old.at(child).next;
            if !self.old.at(child).is_free {
                loop {
                    if cursor == NONE {
                        return false;
                    }
                    let candidate = cursor;
                    cursor = self.new.at(candidate).next;
                    if self.embeds(child, candidate) {
                        break;
                    }
                }
            }
            child = next;
        }
        true
    }

    fn by_position(&mut self, u: u32, v: u32) -> bool {
        let (mut a, mut b) = (self.old.at(u).first, self.new.at(v).first);
        while a != NONE {
            let is_kept = match b {
                NONE => self.old.at(a).first == NONE,
                _ => self.embeds(a, b),
            };
            if !is_kept {
                return false;
            }
            a = self.old.at(a).next;
            b = if b == NONE { NONE } else { self.new.at(b).next };
        }
        true
    }

    fn by_name(&mut self, u: u32, v: u32) -> bool {
        let (old, new) = (self.old, self.new);
        let names = names_of(new, v);
        old.children(u).all(|child| match names.get(old.text(child)) {
            Some(image) if old.at(child).is_free => self.keeps_a_value(child, *image),
            Some(image) => self.embeds(child, *image),
            None => old.at(child).may_go,
        })
    }

    /// Whether a key that had a value has one, be it another.
    pub fn keeps_a_value(&self, u: u32, v: u32) -> bool {
        let has = |pieces: &Pieces, at: u32| {
            let value = pieces.at(at).first;
            value != NONE && !is_empty_value(pieces, value)
        };
        !has(self.old, u) || has(self.new, v)
    }

    /// The text among the children of `u` that may become another one, where nothing in `v` is in its place.
    pub fn lost_value(&self, u: u32, v: u32) -> Option<u32> {
        let is_value = |at: &u32| self.old.at(*at).is_free && !self.old.at(*at).may_go;
        let texts = || self.old.children(u).filter(|at| is_text(self.old, at));
        texts().find(is_value).filter(|_| !self.old.at(u).is_free)?;
        let bound = texts().filter(|at| !is_value(at)).count();
        let has_room = self.new.children(v).filter(|at| is_text(self.new, at)).count() > bound;
        texts().filter(is_value).find(|value| !self.keeps_labels(*value, v, has_room))
    }

    /// Whether a text that may become another one has its labels below `v`, or, without any, room there.
    pub fn keeps_labels(&self, value: u32, v: u32, has_room: bool) -> bool {
        let labels = labels_of(self.old.text(value), &self.freedom.fields);
        let is_said = |label: &&str| self.new.children(v).any(|at| has_label(self.new.text(at), label));
        if labels.is_empty() { has_room } else { labels.iter().all(is_said) }
    }

    /// Whether a piece may be the image of another, its children apart.
    pub fn fits(&self, u: u32, v: u32) -> bool {
        let (a, b) = (self.old.at(u), self.new.at(v));
        if self.is_empty_value(u) {
            return matches!(b.sort, Sort::Scalar | Sort::Names | Sort::Array);
        }
        a.sort == b.sort
            && self.fits_text(u, v)
            && self.fits_tag(u, v)
            && (a.number == NO_NUMBER || a.sort != Sort::Item || a.number == b.number)
            && self.fits_context(u, v)
            && self.fits_links(u, v)
    }

    pub fn fits_context(&self, u: u32, v: u32) -> bool {
        self.old.context_of(u) == self.new.context_of(v)
    }

    pub fn fits_text(&self, u: u32, v: u32) -> bool {
        let (was, is) = (self.old.compared_text(u), self.new.compared_text(v));
        let piece = self.old.at(u);
        match piece.sort {
            Sort::Row => true,
            Sort::Scalar if (piece.tag, self.new.at(v).tag) == (NUMBER, NUMBER) => {
                was == is || decimal(was) == decimal(is)
            }
            Sort::Section => was == is || self.gained_suffix(was, is),
            _ => was == is,
        }
    }

    /// Whether a heading has gained what its life cycle gives it.
    fn gained_suffix(&self, was: &str, is: &str) -> bool {
        let suffix = is.strip_prefix(was).map(|rest| rest.trim().trim_matches(['[', ']', '(', ')']));
        suffix.is_some_and(|suffix| {
            self.freedom.suffixes.iter().any(|known| known.eq_ignore_ascii_case(suffix))
        })
    }

    /// Whether level, box, alert or type fit. A task may be ticked.
    pub fn fits_tag(&self, u: u32, v: u32) -> bool {
        let (was, is) = (self.old.at(u).tag, self.new.at(v).tag);
        match self.old.at(u).sort {
            Sort::Item => was <= is,
            Sort::Sentence => true,
            _ => was == is,
        }
    }

    /// Whether every old link is there, at the same words and with the same target; http may become https.
    pub fn fits_links(&self, u: u32, v: u32) -> bool {
        let mut new = self.new.links(v);
        let leads_there = |was: &str, is: &str| {
            was == is
                || was.strip_prefix("http://").is_some_and(|was| is.strip_prefix("https://") == Some(was))
        };
        let is_same =
            |link: &Link, other: &Link| link.span == other.span && leads_there(&link.target, &other.target);
        self.old.links(u).all(|link| new.any(|other| is_same(link, other)))
    }

    /// A value of nothing, which may be filled.
    pub fn is_empty_value(&self, u: u32) -> bool {
        is_empty_value(self.old, u)
    }
}

fn is_empty_value(pieces: &Pieces, at: u32) -> bool {
    let piece = pieces.at(at);
    piece.sort == Sort::Scalar && (piece.tag == NULL || pieces.text(at).is_empty()) && piece.first == NONE
}

/// Whether a piece is text that a state may be written in.
pub fn is_text(pieces: &Pieces, at: &u32) -> bool {
    matches!(pieces.at(*at).sort, Sort::Sentence | Sort::Item | Sort::Quote)
}

/// The children of a piece by their names; of two with one name the first.
pub fn names_of(pieces: &Pieces, of: u32) -> HashMap<&str, u32> {
    let mut names = HashMap::new();
    for child in pieces.children(of) {
        names.entry(pieces.text(child)).or_insert(child);
    }
    names
}
