//! Life cycles of records: which state a document is in, and what of it may change.

use super::pieces::{Link, NONE, Pieces, Sort};
use super::{Parts, data, holds_marker, page, pieces_of};
use crate::additive::Freedom;
use crate::additive::block::tree::{BlockKind, Tree};

/// Where a document says which state it is in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StateSource {
    /// A key of front matter.
    Front(String),
    /// A line that begins with this word and a colon.
    Line(String),
    /// The first text below a heading.
    Section(String),
    /// A key of a YAML file in the same folder.
    Beside { file: String, key: String },
}

/// The state that a Markdown document is in: the first word of the first source that is there, in lower case.
/// `beside` reads a file of its folder.
pub fn state_of(
    text: &[u8],
    sources: &[StateSource],
    beside: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let parts = Parts::of(text);
    let tree = Tree::parse(parts.body);
    let pieces = pieces_of(&parts, &tree).ok()?;
    let value = sources.iter().find_map(|source| match source {
        StateSource::Beside { file, key } => value_beside(&beside(file)?, key),
        StateSource::Line(label) => value_of_line(&tree, label),
        _ => value_of(&pieces, source),
    })?;
    let state = value.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
    (!state.is_empty()).then_some(state)
}

/// The first word after a label at the beginning of a line of a paragraph.
fn value_of_line(tree: &Tree<'_>, label: &str) -> Option<String> {
    let paragraphs = tree.nodes.iter().filter(|node| node.kind == BlockKind::Paragraph);
    let lines =
        paragraphs.flat_map(|node| tree.text.get(node.start()..node.end()).unwrap_or_default().lines());
    lines.into_iter().find_map(|line| {
        let bare = line.replace(['*', '_', '`'], "");
        Some(field(&bare, label)?.split_whitespace().next()?.to_owned())
    })
}

/// The value of a key of a YAML file.
fn value_beside(file: &[u8], key: &str) -> Option<String> {
    let (pieces, _) = data::yaml(file, false).ok()?;
    let top = pieces.children(0).find(|at| pieces.at(*at).sort == Sort::Names)?;
    let name = pieces.children(top).find(|at| same(pieces.text(*at), key))?;
    let value = pieces.children(name).find(|at| pieces.at(*at).sort == Sort::Scalar)?;
    Some(pieces.text(value).split_whitespace().next()?.to_owned())
}

fn value_of(pieces: &Pieces, source: &StateSource) -> Option<String> {
    let all = 0..pieces.count() as u32;
    match source {
        StateSource::Front(key) => {
            let name = all.into_iter().find(|at| {
                pieces.at(*at).sort == Sort::Name && is_front(pieces, *at) && same(pieces.text(*at), key)
            })?;
            let value = pieces.children(name).next()?;
            Some(pieces.text(value).to_owned())
        }
        StateSource::Line(_) | StateSource::Beside { .. } => None,
        StateSource::Section(heading) => {
            let section = all
                .into_iter()
                .find(|at| pieces.at(*at).sort == Sort::Section && same(pieces.text(*at), heading))?;
            let text = first_sentence(pieces, section)?;
            Some(pieces.text(text).split_whitespace().next()?.to_owned())
        }
    }
}

/// The first sentence below a piece, in an item or quotation if need be.
fn first_sentence(pieces: &Pieces, holder: u32) -> Option<u32> {
    let first = pieces.children(holder).find(|child| pieces.at(*child).sort != Sort::Comment)?;
    match pieces.at(first).sort {
        Sort::Sentence => Some(first),
        Sort::Item | Sort::Quote => first_sentence(pieces, first),
        _ => None,
    }
}

/// What a line says after its label and a colon.
fn field<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let (name, rest) = text.split_once(':')?;
    same(name, label).then_some(rest)
}

/// The labels of a line that begins with one of them.
pub fn labels_of<'f>(text: &str, fields: &'f [String]) -> Vec<&'f str> {
    if !fields.iter().any(|label| field(text, label).is_some()) {
        return Vec::new();
    }
    fields.iter().map(String::as_str).filter(|label| has_label(text, label)).collect()
}

/// Whether a text has a label, as one of the lines of a paragraph has.
pub fn has_label(text: &str, label: &str) -> bool {
    text.to_lowercase().contains(&format!("{}:", label.to_lowercase()))
}

fn same(text: &str, name: &str) -> bool {
    text.trim().eq_ignore_ascii_case(name)
}

/// Whether a name is a key of the front matter itself.
fn is_front(pieces: &Pieces, at: u32) -> bool {
    let above = |at: u32| if at == NONE { NONE } else { pieces.at(at).parent };
    let holder = above(above(at));
    holder != NONE && pieces.at(holder).tag == page::FRONT && pieces.at(holder).sort == Sort::Array
}

/// Marks what may change.
pub fn mark_free(pieces: &mut Pieces, freedom: &Freedom) {
    if *freedom == Freedom::default() {
        return;
    }
    let has = |list: &[String], text: &str| list.iter().any(|name| same(text, name));
    for at in 1..pieces.count() as u32 {
        let parent = pieces.at(at).parent;
        let text = pieces.text(at);
        let is_free = match pieces.at(at).sort {
            _ if pieces.at(parent).is_free => true,
            Sort::Name if is_front(pieces, at) => has(&freedom.fields, text),
            Sort::Name => has(&freedom.links, text.trim_matches(['[', ']'])),
            Sort::Section => has(&freedom.drafts, text.trim_matches(['[', ']'])),
            Sort::Sentence | Sort::Item | Sort::Quote if is_value_below(pieces, at, &freedom.sections) => {
                true
            }
            Sort::Sentence => freedom.fields.iter().any(|label| field(text, label).is_some()),
            Sort::Comment => freedom.comments && !holds_marker(text.as_bytes()),
            Sort::Item if freedom.contents && pieces.at(parent).sort != Sort::Item => {
                is_of_contents(pieces, at)
            }
            _ => false,
        };
        let may_go = match pieces.at(at).sort {
            Sort::Name => is_front(pieces, at) && has(&freedom.passing, pieces.text(at)),
            Sort::Item => is_free && freedom.contents && is_of_contents(pieces, at),
            _ => false,
        };
        let piece = pieces.at_mut(at);
        (piece.is_free, piece.may_go) = (is_free, may_go);
    }
}

/// Whether an item is nothing but a link to a heading of the document, and so is everything below it.
fn is_of_contents(pieces: &Pieces, at: u32) -> bool {
    pieces.children(at).all(|child| match pieces.at(child).sort {
        Sort::Item => is_of_contents(pieces, child),
        Sort::Sentence => {
            let mut links = pieces.links(child);
            let is_whole = |link: &Link| {
                link.target.starts_with('#')
                    && link.span.start == 0
                    && link.span.end as usize >= pieces.compared_text(child).len()
            };
            links.next().is_some_and(is_whole)
        }
        _ => false,
    })
}

/// Whether a piece is of the first block below a heading of these.
fn is_value_below(pieces: &Pieces, at: u32, headings: &[String]) -> bool {
    let parent = pieces.at(at).parent;
    pieces.at(parent).sort == Sort::Section
        && headings.iter().any(|heading| same(pieces.text(parent), heading))
        && pieces
            .children(parent)
            .find(|child| pieces.at(*child).sort != Sort::Comment)
            .is_some_and(|first| pieces.at(first).block == pieces.at(at).block)
}
