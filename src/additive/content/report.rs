//! Deviations as findings: one for each block or cell, the old text beside the new, and what exactly differs.

use std::collections::HashMap;

use super::change;
use super::fold::shown;
use super::page::{NO_BOX, OPEN_BOX, TICKED_BOX};
use super::pair::{Deviation, opening};
use super::pieces::{NO_NUMBER, NONE, Pieces, Sort};
use crate::additive::shown::invisible_difference;
use crate::additive::{Class, Demand, Finding, Kind, quoted};

/// So many differences of one block are told in words.
const TOLD: usize = 3;

pub fn findings(demand: &Demand, old: &Pieces, new: &Pieces, deviations: &[Deviation]) -> Vec<Finding> {
    let mut blocks: Vec<Vec<&Deviation>> = Vec::new();
    let mut known: HashMap<(u32, u32), usize> = HashMap::new();
    for deviation in deviations {
        let piece = old.at(deviation.old);
        if piece.sort != Sort::Sentence {
            blocks.push(vec![deviation]);
            continue;
        }
        let next = blocks.len();
        let at = *known.entry((piece.block, piece.parent)).or_insert(next);
        match blocks.get_mut(at) {
            Some(block) => block.push(deviation),
            None => blocks.push(vec![deviation]),
        }
    }
    blocks.iter().map(|block| finding(demand, old, new, block)).collect()
}

/// The finding for what deviates in one block.
fn finding(demand: &Demand, old: &Pieces, new: &Pieces, block: &[&Deviation]) -> Finding {
    let first = block[0];
    let class = block.iter().map(|one| one.class).max().unwrap_or(Class::Changed);
    let kind = block.iter().map(|one| one.kind).min().unwrap_or(first.kind);
    // A text that is both moved and changed deviates twice.
    let (mut olds, mut news): (Vec<u32>, Vec<u32>) =
        (block.iter().map(|one| one.old).collect(), block.iter().filter_map(|one| one.new).collect());
    olds.dedup();
    news.dedup();
    let was: Vec<String> = olds.iter().map(|at| text_of(old, *at, kind)).collect();
    let is: Vec<String> = news.iter().map(|at| text_of(new, *at, kind)).collect();
    let (was, is) = (was.join(" "), (!is.is_empty()).then(|| is.join(" ")));
    let sort = old.at(first.old).sort;
    let mut found = Finding::new(kind, line(old, first.old), String::new());
    found.class = class;
    found.severity = demand.severity(class, kind, matches!(sort, Sort::Item | Sort::Row));
    found.last_line = old.at(first.old).last_line as usize;
    found.head_line = block.iter().find_map(|one| one.new).map(|new_at| line(new, new_at));
    found.message = message(old, new, block, kind, &was, is.as_deref());
    if kind == Kind::Unticked && first.new.is_some_and(|at| new.at(at).tag == NO_BOX) {
        found.hint = "put the box back".to_owned();
    }
    (found.old, found.new) = (was, is);
    found
}

fn line(pieces: &Pieces, at: u32) -> usize {
    (pieces.at(at).line as usize).max(1)
}

/// What people call a piece: the block that a sentence is in.
fn name_of(pieces: &Pieces, at: u32) -> &'static str {
    let piece = pieces.at(at);
    let parent = if piece.parent == NONE { Sort::Root } else { pieces.at(piece.parent).sort };
    match (piece.sort, parent) {
        (Sort::Sentence, Sort::Item | Sort::Cell | Sort::Quote) => parent.name(),
        (Sort::Sentence, Sort::Name) => "footnote",
        (Sort::Sentence, _) => "paragraph",
        (Sort::Scalar, Sort::Cell) => "cell",
        (Sort::Section, _) => "heading",
        (sort, _) => sort.name(),
    }
}

/// The text of a piece as people see it, and as a declaration names it.
fn text_of(pieces: &Pieces, at: u32, kind: Kind) -> String {
    let piece = pieces.at(at);
    match piece.sort {
        Sort::Scalar | Sort::Name | Sort::Names | Sort::Array if !is_in_cell(pieces, at) => {
            let path = path_of(pieces, at);
            let text = pieces.text(at);
            match piece.sort {
                Sort::Scalar if path.is_empty() => text.to_owned(),
                Sort::Scalar => format!("{path}: {text}"),
                _ => path,
            }
        }
        Sort::Item | Sort::Quote => {
            let sentences = pieces.children(at).filter(|child| pieces.at(*child).sort == Sort::Sentence);
            let text = sentences.map(|child| pieces.verbatim(child)).collect::<Vec<_>>().join(" ");
            let mark = match piece.tag {
                _ if kind == Kind::Renumbered && piece.number != NO_NUMBER => format!("{}. ", piece.number),
                OPEN_BOX if kind == Kind::Unticked => "[ ] ".to_owned(),
                TICKED_BOX if kind == Kind::Unticked => "[x] ".to_owned(),
                _ => String::new(),
            };
            shown(&format!("{mark}{text}"))
        }
        Sort::Section if kind == Kind::Moved => {
            format!("{} {}", "#".repeat(piece.tag.into()), shown(pieces.verbatim(at)))
        }
        _ if kind == Kind::Retargeted => {
            let targets: Vec<String> = pieces.links(at).map(|link| format!("<{}>", link.target)).collect();
            [shown(pieces.verbatim(at)), targets.join(" ")].join(" ").trim_end().to_owned()
        }
        _ => shown(pieces.verbatim(at)),
    }
}

fn is_in_cell(pieces: &Pieces, at: u32) -> bool {
    let parent = pieces.at(at).parent;
    parent != NONE && pieces.at(parent).sort == Sort::Cell
}

/// Where a value is: keys with dots between them, and the numbers of elements.
fn path_of(pieces: &Pieces, at: u32) -> String {
    let (mut parts, mut here) = (Vec::new(), at);
    while here != 0 && here != NONE {
        let piece = pieces.at(here);
        let parent = piece.parent;
        if piece.sort == Sort::Name {
            parts.push(format!(".{}", pieces.text(here)));
        } else if parent != NONE
            && parent != 0
            && pieces.at(parent).sort == Sort::Array
            && pieces.at(parent).tag == 0
        {
            parts.push(format!("[{}]", pieces.place_of(here)));
        }
        here = parent;
    }
    parts.reverse();
    parts.concat().trim_start_matches('.').to_owned()
}

fn message(
    old: &Pieces,
    new: &Pieces,
    block: &[&Deviation],
    kind: Kind,
    was: &str,
    is: Option<&str>,
) -> String {
    let first = block[0];
    let what = format!("the {} \"{}\"", name_of(old, first.old), quoted(was));
    let note = block.iter().find_map(|one| one.note);
    if let Some(note) = note {
        return format!("{what} {note}");
    }
    match (kind, is, first.new) {
        (Kind::Gone, None, _) => format!("{what} is gone"),
        (Kind::Gone, Some(is), _) => format!("{what} is gone; \"{}\" is there now", quoted(is)),
        (Kind::Moved, _, Some(at)) => {
            format!("{what} is {} now, and was {}", place(new, at), place(old, first.old))
        }
        (Kind::Reordered, ..) => format!("{what} is in another place of its {} now", holder(old, first.old)),
        (Kind::Struck, ..) => format!("{what} is struck out, or no longer is"),
        (Kind::Folded, ..) => format!("{what} is folded into <details> now"),
        (Kind::Unticked, _, Some(at)) if new.at(at).tag == NO_BOX => format!("{what} has no box any more"),
        (Kind::Unticked, ..) => format!("{what} is not ticked any more"),
        (Kind::Renumbered, _, Some(at)) => {
            let number = |pieces: &Pieces, at: u32| match pieces.at(at).number {
                NO_NUMBER => "none".to_owned(),
                number => number.to_string(),
            };
            format!("{what} had the number {}, and has {} now", number(old, first.old), number(new, at))
        }
        (Kind::CodeExtended, ..) => format!("{what} has more lines now"),
        (Kind::Retargeted, ..) => format!("a link or an image of {what} leads elsewhere now"),
        (_, Some(is), _) => match invisible_difference(was, is) {
            Some(difference) => format!("only {difference} {what}"),
            None => format!("{what}: {}", differences(was, is)),
        },
        _ => format!("{what} changed"),
    }
}

/// The words that differ, the first of them, and whether the id did.
fn differences(was: &str, is: &str) -> String {
    let (taken, put) = change::differences(was, is);
    let words = |text: &str, ranges: &[std::ops::Range<usize>]| -> Vec<String> {
        ranges.iter().take(TOLD).map(|range| format!("\"{}\"", quoted(&text[range.clone()]))).collect()
    };
    let (taken, put) = (words(was, &taken), words(is, &put));
    match (taken.is_empty(), put.is_empty()) {
        (false, false) => format!("{} became {}", taken.join(", "), put.join(", ")),
        (false, true) => format!("{} is gone", taken.join(", ")),
        (true, false) => format!("{} was put in", put.join(", ")),
        (true, true) => "it is read in another way".to_owned(),
    }
}

/// What holds a piece.
fn holder(pieces: &Pieces, at: u32) -> &'static str {
    match pieces.at(at).sort {
        Sort::Item => "list",
        Sort::Row => "table",
        _ => "section",
    }
}

/// Under which heading a piece is.
fn place(pieces: &Pieces, at: u32) -> String {
    let parent = pieces.at(at).parent;
    let within = if parent != NONE { pieces.at(parent).sort } else { Sort::Root };
    let section = pieces.section_of(at);
    let heading = match section {
        0 => "under no heading".to_owned(),
        _ => format!("under \"{}\"", quoted(&shown(pieces.verbatim(section)))),
    };
    let text = opening(pieces, parent).filter(|_| within == Sort::Item);
    match (within, text) {
        (Sort::Item, Some(text)) => {
            format!("in the {} \"{}\" {heading}", within.name(), quoted(&shown(&text)))
        }
        (Sort::Item | Sort::Quote | Sort::Cell, _) => format!("in a {} {heading}", within.name()),
        _ => heading,
    }
}

/// The visible texts, with how often each is there: of blocks, and of the sentences in them.
pub fn texts(pieces: &Pieces) -> HashMap<String, usize> {
    let mut found: HashMap<String, usize> = HashMap::new();
    let mut block: Vec<&str> = Vec::new();
    let mut last = NONE;
    let mut close = |block: &mut Vec<&str>| {
        if block.len() > 1 {
            *found.entry(shown(&block.join(" "))).or_default() += 1;
        }
        for text in block.drain(..) {
            *found.entry(shown(text)).or_default() += 1;
        }
    };
    for at in 1..pieces.count() as u32 {
        let piece = pieces.at(at);
        if piece.sort == Sort::Sentence && piece.block != last {
            close(&mut block);
            last = piece.block;
        }
        let is_text =
            matches!(piece.sort, Sort::Section | Sort::Heading | Sort::Row | Sort::Line | Sort::Sentence);
        if is_text && piece.sort == Sort::Sentence {
            block.push(pieces.text(at));
        } else if is_text {
            close(&mut block);
            block.push(pieces.text(at));
            close(&mut block);
            last = NONE;
        }
    }
    close(&mut block);
    found
}
