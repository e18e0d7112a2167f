//! The rule for living documents: a line may leave a document when the same change adds it, word for word
//! and as a whole block, to an archive.
//!
//! An [`Archive`] is what the files of the archive gained in a change. What a document lost is taken out of
//! it, so that one archived line does not answer for two lost ones. Blank lines do not count, and lines and
//! blocks may be in another order than they were. The files of the archive are compared by rules of their own.
//!
//! ```
//! use roundtable::additive::kept::{Archive, losses};
//!
//! let (before, after) = (b"# Fees\n\nOne letter a month.\n", b"# Fees\n\nOne letter a week.\n");
//! let mut archive = Archive::default();
//! assert_eq!(losses(before, after, true, &mut archive).len(), 1);
//! archive.gain(b"", b"# Archive\n\nOne letter a month.\n", true);
//! assert!(losses(before, after, true, &mut archive).is_empty());
//! ```

use std::collections::HashMap;

use super::block::Parts;
use super::block::tree::{self, Kind, Tree};
use super::text::{Lines, without_end};
use super::{Code, Found, Layer, quoted};

/// As many losses of one file are told.
const TOLD: usize = 20;

/// What a person does about a line that is in no archive.
const HINT: &str = "move the text with roundtable archive FILE:LINE, or put it back";

/// What the files of an archive have gained.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    lines: HashMap<Vec<u8>, usize>,
    blocks: HashMap<Vec<u8>, usize>,
}

impl Archive {
    /// Adds what one file of the archive gained.
    pub fn gain(&mut self, before: &[u8], after: &[u8], is_markdown: bool) {
        for (line, count) in surplus(lines(after), lines(before)) {
            *self.lines.entry(line.to_vec()).or_default() += count;
        }
        if is_markdown {
            let (old, new) = (blocks(before), blocks(after));
            let keys = |blocks: &[Block]| blocks.iter().map(|block| block.key.clone()).collect::<Vec<_>>();
            for (key, count) in surplus(keys(&new).into_iter(), keys(&old).into_iter()) {
                *self.blocks.entry(key).or_default() += count;
            }
        }
    }

    /// Takes one line or block out.
    fn take(from: &mut HashMap<Vec<u8>, usize>, what: &[u8]) -> bool {
        from.get_mut(what).filter(|count| **count > 0).map(|count| *count -= 1).is_some()
    }
}

/// What a document lost that its archive has not gained.
pub fn losses(before: &[u8], after: &[u8], is_markdown: bool, archive: &mut Archive) -> Vec<Found> {
    let mut found = lost_lines(before, after, archive);
    if found.is_empty() && is_markdown {
        found = lost_blocks(before, after, archive);
    }
    found.truncate(TOLD);
    found
}

fn lost_lines(before: &[u8], after: &[u8], archive: &mut Archive) -> Vec<Found> {
    let mut kept = counted(lines(after));
    let mut found = Vec::new();
    for (at, line) in Lines::of(before).enumerate() {
        let line = without_end(line);
        if line.trim_ascii().is_empty() || take(&mut kept, line) || Archive::take(&mut archive.lines, line) {
            continue;
        }
        let shown = quoted(&String::from_utf8_lossy(line));
        let message = format!("the line \"{shown}\" left the document and is not in its archive");
        found.push(Found::new(Layer::Line, Code::LineLost, at + 1, message).hint(HINT));
    }
    found
}

fn lost_blocks(before: &[u8], after: &[u8], archive: &mut Archive) -> Vec<Found> {
    let mut kept = counted(blocks(after).into_iter().map(|block| block.key));
    let mut found = Vec::new();
    for block in blocks(before) {
        if take(&mut kept, &block.key) || Archive::take(&mut archive.blocks, &block.key) {
            continue;
        }
        let message = format!(
            "the {} \"{}\" left the document and is not in its archive as a whole block",
            block.kind, block.shown
        );
        found.push(Found::new(Layer::Block, Code::BlockLost, block.line, message).hint(HINT));
    }
    found
}

/// Lines of a document that are moved to its archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The document without them.
    pub document: String,
    /// What the archive gains: the whole blocks that they belong to.
    pub archived: String,
    /// The lines of the document that were archived, which may be more than those that left it.
    pub lines: (usize, usize),
}

/// Takes the lines `from` to `to` (from one, both included) out of a document. None where it has no such lines.
///
/// A block of which one line leaves is archived as a whole, and a row of a table with the table's header.
pub fn take_lines(document: &str, from: usize, to: usize, is_markdown: bool) -> Option<Move> {
    let all: Vec<&str> = document.split_inclusive('\n').collect();
    if from == 0 || from > to || to > all.len() {
        return None;
    }
    let (mut first, mut last, mut header) = (from, to, None);
    if is_markdown {
        for block in blocks(document.as_bytes()) {
            if block.line <= to && block.last >= from && block.code != Kind::Table {
                (first, last) = (first.min(block.line), last.max(block.last));
            }
            // A row is a row below its header only.
            if block.code == Kind::Table && block.line < from && block.last >= from {
                header = Some(block.line);
            }
        }
    }
    let header = header.filter(|header| *header < first);
    let head = header.map_or(&[][..], |header| &all[header - 1..(header + 1).min(first - 1)]);
    let mut archived = [head, &all[first - 1..last]].concat().concat();
    archived = archived.trim_end_matches(['\n', '\r']).trim_start_matches(['\n', '\r']).to_owned() + "\n";
    let mut rest = [&all[..from - 1], &all[to..]].concat();
    // One blank line is enough where the text was.
    let is_blank = |at: usize| rest.get(at).is_none_or(|line| line.trim().is_empty());
    if from > 1 && is_blank(from - 2) && is_blank(from - 1) && from - 1 < rest.len() {
        rest.remove(from - 1);
    }
    Some(Move { document: rest.concat(), archived, lines: (first, last) })
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    Lines::of(text).map(without_end).filter(|line| !line.trim_ascii().is_empty())
}

fn counted<T: std::hash::Hash + Eq>(all: impl Iterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    all.for_each(|one| *counts.entry(one).or_default() += 1);
    counts
}

fn take<Q: std::hash::Hash + Eq + ?Sized, T: std::hash::Hash + Eq + std::borrow::Borrow<Q>>(
    from: &mut HashMap<T, usize>,
    what: &Q,
) -> bool {
    from.get_mut(what).filter(|count| **count > 0).map(|count| *count -= 1).is_some()
}

/// What there is more of in `new` than in `old`.
fn surplus<T: std::hash::Hash + Eq>(
    new: impl Iterator<Item = T>,
    old: impl Iterator<Item = T>,
) -> HashMap<T, usize> {
    let mut counts = counted(new);
    for one in old {
        if let Some(count) = counts.get_mut(&one) {
            *count = count.saturating_sub(1);
        }
    }
    counts.retain(|_, count| *count > 0);
    counts
}

/// A block that holds text of its own.
struct Block {
    /// Its kind and source text.
    key: Vec<u8>,
    kind: &'static str,
    code: Kind,
    shown: String,
    /// Its first and its last line.
    line: usize,
    last: usize,
}

/// The blocks of a document; none where it cannot be read as Markdown: then its lines have to do.
fn blocks(text: &[u8]) -> Vec<Block> {
    let Some(text) = std::str::from_utf8(text).ok().filter(|text| !tree::is_too_deep(text)) else {
        return Vec::new();
    };
    let parts = Parts::of(text);
    let tree = Tree::parse(parts.body);
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', parts.body.as_bytes()).collect();
    let above = parts.line(0);
    let line = |at: usize| above + ends.partition_point(|end| *end < at);
    let mut found = Vec::new();
    for at in 1..tree.nodes.len() as u32 {
        let (node, source) = (tree.node(at), tree.source(at));
        let own: &[u8] = match node.kind {
            Kind::Section | Kind::Heading | Kind::Paragraph | Kind::Html => source.as_bytes(),
            Kind::Code | Kind::Table | Kind::Row => tree.content(at),
            _ => continue,
        };
        let kind = if node.kind == Kind::Heading { Kind::Section } else { node.kind };
        found.push(Block {
            key: [&[kind as u8], own].concat(),
            kind: node.kind.name(),
            code: node.kind,
            shown: quoted(source),
            line: line(node.start()),
            last: line(node.start() + source.len().saturating_sub(1)),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(before: &str, after: &str, archived: &str) -> Vec<Code> {
        let mut archive = Archive::default();
        archive.gain(b"# Archive\n", format!("# Archive\n\n{archived}").as_bytes(), true);
        let found = losses(before.as_bytes(), after.as_bytes(), true, &mut archive);
        found.into_iter().map(|found| found.at("").code).collect()
    }

    #[test]
    fn what_leaves_a_document_arrives_in_its_archive() {
        for (before, after, archived) in [
            ("# A\n\nold\n", "# A\n\nnew\n", "old\n"),
            ("# A\n\nold\n\nx\n", "# A\n\nx\n", "old\n"),
            ("- a\n- b\n", "- b\n", "- a\n"),
            ("## A\n\nold\n", "## B\n\nold\n", "## A\n"),
            ("a\nb\n", "a\n", "a\nb\n"),
            ("x\n\ny\n", "y\n\nx\n", ""),
            ("| h |\n|---|\n| a |\n| b |\n", "| h |\n|---|\n| b |\n", "| h |\n|---|\n| a |\n"),
            ("```\na\nb\n```\n", "```\na\nc\n```\n", "```\na\nb\n```\n"),
        ] {
            assert_eq!(lost(before, after, archived), [], "{before:?} -> {after:?} + {archived:?}");
        }
    }

    #[test]
    fn lines_are_taken_out_with_their_whole_blocks() {
        let moved = |document: &str, from, to| {
            take_lines(document, from, to, true).map(|found| (found.document, found.archived, found.lines))
        };
        let told = |a: &str, b: &str, lines| Some((a.to_owned(), b.to_owned(), lines));
        assert_eq!(moved("# A\n\nold\n\nx\n", 3, 3), told("# A\n\nx\n", "old\n", (3, 3)));
        assert_eq!(moved("a\nb\n\nx\n", 2, 2), told("a\n\nx\n", "a\nb\n", (1, 2)));
        assert_eq!(moved("- a\n- b\n", 2, 2), told("- a\n", "- b\n", (2, 2)));
        let table = "| h |\n|---|\n| a |\n| b |\n";
        assert_eq!(moved(table, 4, 4), told("| h |\n|---|\n| a |\n", "| h |\n|---|\n| b |\n", (4, 4)));
        assert_eq!(moved("```\na\nb\n```\n", 2, 2), told("```\nb\n```\n", "```\na\nb\n```\n", (1, 4)));
        assert_eq!((moved("a\n", 2, 2), moved("a\n", 0, 1)), (None, None));
    }

    #[test]
    fn what_does_not_arrive_whole_is_lost() {
        use Code::*;
        for (before, after, archived, code) in [
            ("old\n", "new\n", "", LineLost),
            ("old\n", "new\n", "Old\n", LineLost),
            ("old\n\nold\n", "new\n", "old\n", LineLost),
            ("old\n", "new\n", "glued\nold\n", BlockLost),
            ("a\nb\n", "a\n", "b\n", BlockLost),
            ("old\n", "new\n", "```\nold\n```\n", BlockLost),
            ("# old\n", "old\n", "", LineLost),
            ("a\n\nb\n", "a\nb\n", "", BlockLost),
        ] {
            let found = lost(before, after, archived);
            assert_eq!(found.first(), Some(&code), "{before:?} -> {after:?} + {archived:?}: {found:?}");
        }
    }
}
