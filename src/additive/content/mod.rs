//! The rules `content` and `living`: what a document says is there, in its place and order, however it is written.
//!
//! Both texts become [pieces](pieces): sentences, items, rows, keys, lines, below their headings and lists. The
//! old tree must [embed](embed) in the new one; then all is *kept*. Else every old piece is [paired](pair) with its
//! counterpart: one that differs is *changed*, one without any is *gone*.
//!
//! White space, line ends, emphasis, escapes, markers and the like are no content ([fold]); links keep their
//! targets, and what is hidden in raw HTML, a comment or a fence is lost.
//!
//! ```
//! use roundtable::additive::{Class, Demand, Kind, Rule, compare};
//!
//! let old = "# Swap\n\n- FR-1: A swap must be answered\n  within 24 hours.\n- FR-2: Both see it.\n";
//! let found = |new: &str| {
//!     let outcome = compare("spec.md", &Demand::of(Rule::Content), old.as_bytes(), new.as_bytes());
//!     outcome.findings.iter().map(|one| (one.class, one.kind, one.line)).collect::<Vec<_>>()
//! };
//! let reflowed = "Swap\n====\n\n* FR-1: A swap **must** be answered within 24 hours. Or earlier.\n* FR-2: Both see it\n";
//! assert_eq!(found(reflowed), []);
//! assert_eq!(found(&old.replace("must", "should")), [(Class::Changed, Kind::Weakened, 3)]);
//! assert_eq!(found(&old.replace("- FR-2: Both see it.\n", "")), [(Class::Gone, Kind::Gone, 5)]);
//! ```

pub mod change;
pub mod data;
pub mod embed;
pub mod fold;
mod life;
mod page;
pub mod pair;
pub mod pieces;
mod report;
pub mod units;
pub mod written;

use std::collections::HashMap;

use self::data::Unreadable;
use self::embed::Embedding;
use self::pair::{Deviation, Pairing};
use self::pieces::{Pieces, Sort};
use super::block::tree::{BlockKind, Tree};
use super::block::{self, Both, Parts, Places};
use super::{Demand, Finding, Format, Kind, csv, frozen, json, text};

pub use life::{StateSource, state_of};

/// What `after` loses or alters of `before`.
pub fn compare(format: Format, demand: &Demand, before: &[u8], after: &[u8]) -> Vec<Finding> {
    match format {
        Format::Markdown => markdown(demand, before, after),
        Format::Json => read_both(before, after, &data::json, &|old, new| found(demand, old, new)),
        Format::Yaml => yaml(demand, before, after),
        Format::Csv => {
            let delimiter = data::delimiter_of(before, after);
            let mut all = found(demand, &data::csv(before, delimiter), &data::csv(after, delimiter));
            all.extend(csv::ragged(before, after));
            all
        }
        Format::Text => plain_lines(demand, before, after),
        Format::Meta => json::meta_losses(before, after),
        Format::Log => text::log_losses(before, after),
        Format::Opaque => vec![frozen(before, after)],
    }
}

/// A heading of a Markdown document, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    pub level: u8,
    pub text: String,
    pub line: usize,
}

/// The headings that open the sections of a Markdown document; none where it cannot be read.
pub fn headings(text: &[u8]) -> Vec<Heading> {
    let Ok(text) = std::str::from_utf8(text) else { return Vec::new() };
    let parts = Parts::of(text);
    let tree = Tree::parse(parts.body);
    let Ok(pieces) = pieces_of(&parts, &tree) else { return Vec::new() };
    let sections = (0..pieces.count() as u32).filter(|at| pieces.at(*at).sort == Sort::Section);
    let heading = |at| Heading {
        level: pieces.at(at).tag,
        text: fold::shown(pieces.text(at)),
        line: pieces.at(at).line as usize,
    };
    sections.map(heading).collect()
}

/// Whether a discussion left its marker in a document.
pub fn holds_marker(text: &[u8]) -> bool {
    memchr::memmem::find(text, block::MARKER.as_bytes()).is_some()
}

/// Whether roundtable wrote anything in a document, with a marker or in a line of its own.
pub fn holds_written(text: &[u8]) -> bool {
    let body = || std::str::from_utf8(text).map(|text| Tree::parse(Parts::of(text).body));
    holds_marker(text) || body().is_ok_and(|tree| !block::written(&tree).is_empty())
}

/// The visible texts of a document, with how often each is there: of blocks, and of the sentences in them.
pub fn texts(format: Format, text: &[u8]) -> HashMap<String, usize> {
    let pieces = match format {
        Format::Markdown => std::str::from_utf8(text).ok().and_then(|text| {
            let parts = Parts::of(text);
            let tree = Tree::parse(parts.body);
            pieces_of(&parts, &tree).ok()
        }),
        Format::Json | Format::Meta => data::json(text).ok(),
        Format::Yaml => data::yaml(text, false).ok().map(|(pieces, _)| pieces),
        Format::Csv => Some(data::csv(text, csv::delimiter(text))),
        Format::Text => Some(pieces_of_lines(text)),
        Format::Log | Format::Opaque => None,
    };
    pieces.map(|pieces| report::texts(&pieces)).unwrap_or_default()
}

/// Two texts that were read, compared; or why one of them cannot be.
fn read_both(
    before: &[u8],
    after: &[u8],
    read: &dyn Fn(&[u8]) -> Result<Pieces, Unreadable>,
    compare: &dyn Fn(&Pieces, &Pieces) -> Vec<Finding>,
) -> Vec<Finding> {
    let old = match read(before) {
        Ok(old) => old,
        Err(unreadable) => {
            let message =
                format!("the old text cannot be read, so it must stay as it is: {}", unreadable.message);
            return vec![Finding::new(Kind::Unparsable, unreadable.line.max(1), message)];
        }
    };
    match read(after) {
        Ok(new) => compare(&old, &new),
        Err(Unreadable { line, message, .. }) => {
            let message = format!("the new text cannot be read: {message}");
            vec![Finding::new(Kind::Unparsable, 1, message).head(line)]
        }
    }
}

fn yaml(demand: &Demand, before: &[u8], after: &[u8]) -> Vec<Finding> {
    let merges = |text: &[u8]| data::yaml(text, false).is_ok_and(|(_, merges)| merges);
    let plain = |text: &[u8]| data::yaml(text, false).map(|(pieces, _)| pieces);
    let mut all = read_both(before, after, &plain, &|old, new| found(demand, old, new));
    // A key that is added to an anchor must not override what is merged in.
    if all.is_empty() && (merges(before) || merges(after)) {
        let merged = |text: &[u8]| data::yaml(text, true).map(|(pieces, _)| pieces);
        all = read_both(before, after, &merged, &|old, new| found(demand, old, new));
    }
    all
}

fn pieces_of_lines(text: &[u8]) -> Pieces {
    let mut pieces = Pieces::new();
    data::lines(text, 0, 0, &mut pieces);
    pieces.finish();
    pieces
}

fn plain_lines(demand: &Demand, before: &[u8], after: &[u8]) -> Vec<Finding> {
    let is_text = |text: &[u8]| memchr::memchr(0, text).is_none() && std::str::from_utf8(text).is_ok();
    match (is_text(before), is_text(after)) {
        (false, _) => {
            let message = "the old text is not UTF-8, so not one byte of it may change".to_owned();
            vec![Finding { message, ..frozen(before, after) }]
        }
        (true, false) => {
            let message = "the new text is not UTF-8, or holds a NUL byte".to_owned();
            vec![Finding::new(Kind::Unparsable, 1, message)]
        }
        (true, true) => {
            let mut all = found(demand, &pieces_of_lines(before), &pieces_of_lines(after));
            all.extend(text::control(before, after));
            all
        }
    }
}

fn markdown(demand: &Demand, before: &[u8], after: &[u8]) -> Vec<Finding> {
    let (old, new) = match block::readable(before, after) {
        Ok(documents) => documents,
        Err(unreadable) => return vec![*unreadable],
    };
    let ((u, a), (v, b)) = side_by_side(&old, &new, before.len() + after.len());
    let mut a = match a {
        Ok(pieces) => pieces,
        // Front matter that is no YAML is a few lines of text.
        Err(_) => pieces_of_text(&old, &u),
    };
    let b = match b {
        Ok(pieces) if !a.has_front_lines() => pieces,
        Ok(_) => pieces_of_text(&new, &v),
        Err(_) if a.has_front_lines() => pieces_of_text(&new, &v),
        Err(Unreadable { line, message, .. }) => {
            let message = format!("the front matter cannot be read: {message}");
            return vec![Finding::new(Kind::Unparsable, 1, message).head(line)];
        }
    };
    if a.is_too_deep || b.is_too_deep {
        let message = "lists and quotations are nested too deep to be compared".to_owned();
        return vec![Finding::new(Kind::Unparsable, 1, message)];
    }
    life::mark_free(&mut a, &demand.freedom);
    let outcome = Outcome::of(demand, &a, &b);
    let mut all = report::findings(demand, &a, &b, &outcome.deviations);
    let both = Both { old: &u, new: &v, places: &Places { old: &old, new: &new } };
    let mut beside: Vec<Finding> = text::control(before, after).into_iter().collect();
    beside.extend(tasks_that_become_links(&both));
    if v.has_html() {
        beside.extend(both.unbalanced_html(&kept_nodes(&b, &outcome.is_taken, v.nodes.len())));
    }
    for finding in &mut beside {
        finding.severity = demand.severity(finding.class, finding.kind, false);
    }
    all.extend(beside);
    all
}

/// Texts of this size together are read on two processors.
const LARGE: usize = 128 * 1024;

/// A tree with its pieces.
type Read<'t> = (Tree<'t>, Result<Pieces, Unreadable>);

/// Both documents, read; two large ones at the same time.
fn side_by_side<'t>(old: &Parts<'t>, new: &Parts<'t>, size: usize) -> (Read<'t>, Read<'t>) {
    let read = |parts: &Parts<'t>| {
        let tree = Tree::parse(parts.body);
        let pieces = pieces_of(parts, &tree);
        (tree, pieces)
    };
    if size < LARGE {
        return (read(old), read(new));
    }
    rayon_core::join(|| read(old), || read(new))
}

/// `[x]` is a box to one reader, and a link to another once it is defined.
fn tasks_that_become_links(both: &Both<'_>) -> Option<Finding> {
    let defined = both.new.definitions.get("x").filter(|_| !both.old.definitions.contains_key("x"))?;
    let is_task = |node: &block::tree::Node| node.kind == BlockKind::Item && !node.is_bare();
    let at = both.old.nodes.iter().position(is_task)?;
    let message = "the boxes of tasks may become links: [x] is defined now".to_owned();
    let found = Finding::new(Kind::LinkTarget, both.old_line(at as u32), message);
    Some(found.head(both.places.new.line(defined.start)))
}

/// The nodes of the new tree that hold old content: new raw HTML is in none of them.
fn kept_nodes(new: &Pieces, is_taken: &[bool], count: usize) -> Vec<u32> {
    let (mut is_kept, mut has_new_tags) = (vec![false; count], vec![false; count]);
    for at in 0..new.count() as u32 {
        let piece = new.at(at);
        let Some(kept) = is_kept.get_mut(piece.block as usize) else { continue };
        *kept |= is_taken[at as usize];
        if !is_taken[at as usize] && piece.sort == Sort::Sentence && piece.tag & page::HAS_TAG != 0 {
            has_new_tags[piece.block as usize] = true;
        }
    }
    (0..count as u32).filter(|at| is_kept[*at as usize] && !has_new_tags[*at as usize]).collect()
}

/// A Markdown document as pieces.
fn pieces_of(parts: &Parts<'_>, tree: &Tree<'_>) -> Result<Pieces, Unreadable> {
    let mut pieces = Pieces::new();
    if let Some(front) = parts.front {
        let stream = super::yaml::read(front.as_bytes())
            .map_err(|unreadable| Unreadable { line: unreadable.line + 1, ..unreadable })?;
        let holder = pieces.add(0, Sort::Array, "", 1);
        pieces.at_mut(holder).tag = page::FRONT;
        data::add_yaml(&mut pieces, holder, &stream, false, 1)?;
    }
    page::add_blocks(&mut pieces, tree, parts.line(0));
    pieces.finish();
    Ok(pieces)
}

/// A Markdown document as pieces, its front matter as lines.
fn pieces_of_text(parts: &Parts<'_>, tree: &Tree<'_>) -> Pieces {
    let mut pieces = Pieces::new();
    if let Some(front) = parts.front {
        let holder = pieces.add(0, Sort::Array, "", 1);
        pieces.at_mut(holder).tag = page::FRONT;
        data::lines(front.as_bytes(), holder, 1, &mut pieces);
    }
    page::add_blocks(&mut pieces, tree, parts.line(0));
    pieces.finish();
    pieces
}

/// What became of all old pieces.
struct Outcome {
    deviations: Vec<Deviation>,
    is_taken: Vec<bool>,
}

impl Outcome {
    fn of(demand: &Demand, old: &Pieces, new: &Pieces) -> Outcome {
        let mut search = Embedding::new(old, new, &demand.freedom);
        if search.embeds(0, 0) {
            let mut is_taken = vec![false; new.count()];
            search.pairs.iter().for_each(|(_, image)| is_taken[*image as usize] = true);
            return Outcome { deviations: Vec::new(), is_taken };
        }
        let mut pairing = Pairing::new(old, new, &demand.freedom);
        pairing.run();
        Outcome { deviations: pairing.deviations, is_taken: pairing.is_taken }
    }
}

fn found(demand: &Demand, old: &Pieces, new: &Pieces) -> Vec<Finding> {
    report::findings(demand, old, new, &Outcome::of(demand, old, new).deviations)
}
