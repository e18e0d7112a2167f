//! The units of a document: what is looked for, word for word, wherever it is in the document.
//!
//! A unit is a sentence, a heading, a row, an entry of a list in data, a comment, a line. Its key says its text, its
//! links and the raw HTML it is in; it says nothing of its place, its marker, its number or its box. So a text that
//! was moved, reflowed or ticked has the same keys.
//!
//! ```
//! use roundtable::additive::Freedom;
//! use roundtable::additive::content::units::keys;
//!
//! let all = |text: &str| keys("a.md", &Freedom::default(), text.as_bytes(), &|_| true).unwrap();
//! assert_eq!(all("- Answer within\n  5 minutes.\n"), all("* Answer within 5 minutes\n"));
//! assert_ne!(all("- Answer within 5 minutes.\n"), all("- Answer within 50 minutes.\n"));
//! ```

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::pieces::{NONE, Pieces, Sort};
use super::{Outcome, data, life, page, pieces_of, pieces_of_lines, pieces_of_text, report};
use crate::additive::block::Parts;
use crate::additive::block::tree::Tree;
use crate::additive::{Demand, Finding, Format, Freedom, Kind, Rule, csv};

/// A unit by its text.
pub type Key = u64;

/// The units of a document on the lines that are asked for; none where the document cannot be read.
pub fn keys(
    path: &str,
    freedom: &Freedom,
    text: &[u8],
    is_asked: &dyn Fn(usize) -> bool,
) -> Option<Vec<Key>> {
    let pieces = read(Format::of(path), freedom, text)?;
    // Pieces are in the order of the text: an entry comes before what is in it.
    let (mut found, mut is_within) = (Vec::new(), vec![false; pieces.count()]);
    for at in 1..pieces.count() as u32 {
        let piece = pieces.at(at);
        if is_within[piece.parent as usize] {
            is_within[at as usize] = true;
            continue;
        }
        // A sentence has the lines of its paragraph.
        let last = if piece.sort.is_leaf() { piece.last_line.max(piece.line) } else { piece.line };
        if piece.is_free || !(piece.line..=last).any(|line| is_asked(line as usize)) {
            continue;
        }
        if let Some(key) = key(Format::of(path), &pieces, at) {
            found.push(key);
            is_within[at as usize] = is_entry(&pieces, at);
        }
    }
    Some(found)
}

/// How often each unit is in a document; none where the document cannot be read.
pub fn counts(path: &str, text: &[u8]) -> Option<HashMap<Key, usize>> {
    let pieces = read(Format::of(path), &Freedom::default(), text)?;
    let mut found = HashMap::new();
    for at in 1..pieces.count() as u32 {
        if let Some(key) = key(Format::of(path), &pieces, at) {
            *found.entry(key).or_default() += 1;
        }
    }
    Some(found)
}

/// What became of those units of an old text that are missing in a new one. What was only moved, put in another
/// order, numbered or unticked is no loss.
pub fn losses(
    path: &str,
    freedom: &Freedom,
    before: &[u8],
    after: &[u8],
    missing: &BTreeSet<Key>,
) -> Option<Vec<Finding>> {
    let format = Format::of(path);
    let (old, new) = (read(format, freedom, before)?, read(format, &Freedom::default(), after)?);
    let demand = Demand { freedom: freedom.clone(), ..Demand::of(Rule::Content) };
    let is_missing = |at: u32| {
        let mut at = at;
        while at != NONE && at != 0 {
            if key(format, &old, at).is_some_and(|key| missing.contains(&key)) {
                return true;
            }
            at = old.at(at).parent;
        }
        false
    };
    let mut outcome = Outcome::of(&demand, &old, &new);
    outcome.deviations.retain(|one| !is_kept(one.kind) && is_missing(one.old));
    Some(report::findings(&demand, &old, &new, &outcome.deviations))
}

/// Whether the words are all there, only elsewhere or with another mark.
const fn is_kept(kind: Kind) -> bool {
    matches!(kind, Kind::Moved | Kind::Reordered | Kind::Renumbered | Kind::Unticked | Kind::CodeExtended)
}

fn read(format: Format, freedom: &Freedom, text: &[u8]) -> Option<Pieces> {
    let mut pieces = match format {
        Format::Markdown => {
            let parts = Parts::of(std::str::from_utf8(text).ok()?);
            let tree = Tree::parse(parts.body);
            pieces_of(&parts, &tree).unwrap_or_else(|_| pieces_of_text(&parts, &tree))
        }
        Format::Json | Format::Meta => data::json(text).ok()?,
        Format::Csv => data::csv(text, csv::delimiter(text)),
        // What we add to YAML are comments and whole lines.
        Format::Yaml | Format::Text | Format::Log | Format::Opaque => {
            std::str::from_utf8(text).ok()?;
            pieces_of_lines(text)
        }
    };
    life::mark_free(&mut pieces, freedom);
    Some(pieces)
}

/// Whether a piece is one unit with everything in it: a row, or an object in a list.
fn is_entry(pieces: &Pieces, at: u32) -> bool {
    let piece = pieces.at(at);
    let is_in_list = piece.parent != NONE
        && pieces.at(piece.parent).sort == Sort::Array
        && pieces.at(piece.parent).tag != page::FRONT;
    piece.sort == Sort::Row || piece.sort == Sort::Names && is_in_list
}

/// The key of a piece, if it is a unit. Of meta.json only the records are.
fn key(format: Format, pieces: &Pieces, at: u32) -> Option<Key> {
    let piece = pieces.at(at);
    if is_entry(pieces, at) {
        return (format != Format::Meta || list_name(pieces, at) == Some("elaborations"))
            .then_some(piece.whole);
    }
    if format == Format::Meta {
        return None;
    }
    let mut hash = DefaultHasher::new();
    match piece.sort {
        Sort::Scalar => names_above(pieces, at).hash(&mut hash),
        Sort::Sentence if piece.parent != NONE && pieces.at(piece.parent).sort == Sort::Cell => return None,
        Sort::Section | Sort::Heading => "heading".hash(&mut hash),
        _ if piece.sort.is_leaf() => piece.sort.hash(&mut hash),
        _ => return None,
    }
    pieces.compared_text(at).hash(&mut hash);
    pieces.context_of(at).hash(&mut hash);
    pieces.links(at).for_each(|link| link.hash(&mut hash));
    Some(hash.finish())
}

/// The name of the list that an entry is in.
fn list_name(pieces: &Pieces, at: u32) -> Option<&str> {
    let above = |at: u32| (at != NONE).then(|| pieces.at(at).parent);
    let name = above(above(at)?)?;
    (name != NONE && pieces.at(name).sort == Sort::Name).then(|| pieces.text(name))
}

/// The names that lead to a value.
fn names_above(pieces: &Pieces, at: u32) -> Vec<&str> {
    let (mut names, mut at) = (Vec::new(), pieces.at(at).parent);
    while at != NONE {
        if pieces.at(at).sort == Sort::Name {
            names.push(pieces.text(at));
        }
        at = pieces.at(at).parent;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(path: &str, old: &str, new: &str) -> Vec<(Kind, String, Option<String>)> {
        let free = Freedom::default();
        let have = counts(path, new.as_bytes()).unwrap();
        let wanted = keys(path, &free, old.as_bytes(), &|_| true).unwrap();
        let missing: BTreeSet<Key> = wanted.into_iter().filter(|key| !have.contains_key(key)).collect();
        let found = losses(path, &free, old.as_bytes(), new.as_bytes(), &missing).unwrap();
        found.into_iter().map(|one| (one.kind, one.old, one.new)).collect()
    }

    #[test]
    fn what_is_moved_reflowed_ticked_or_continued_is_kept() {
        let old = "# A\n\n## B\n\n- [ ] Answer within 5 minutes.\n- Who pays?\n\n## C\n\n| a | b |\n| - | - |\n| 1 | 2 |\n";
        for new in [
            "# A\n\n## B\n\n## C\n\n- Who pays?\n- [x] Answer within\n  5 minutes.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
            "# A\n\n## C\n\n| a | b |\n| - | - |\n| 0 | 0 |\n| 1 | 2 |\n\n## B\n\n1. Answer within 5 minutes. Or sooner.\n2. Who pays?\n",
        ] {
            assert_eq!(lost("a.md", old, new), [], "{new}");
        }
        let json = "{\"elaborations\": [{\"step\": 1, \"text\": \"a\"}]}";
        assert_eq!(
            lost("a.json", json, "{\"x\": 2, \"elaborations\": [{\"text\": \"a\", \"step\": 1, \"y\": 3}]}"),
            []
        );
    }

    #[test]
    fn what_is_changed_struck_hidden_or_gone_is_lost() {
        let old = "# A\n\n- Answer within 5 minutes.\n- Who pays?\n";
        let answer =
            |new: &str| lost("a.md", old, new).into_iter().map(|(kind, ..)| kind).collect::<Vec<_>>();
        assert_eq!(answer("# A\n\n- Answer within 50 minutes.\n- Who pays?\n"), [Kind::Number]);
        assert_eq!(answer("# A\n\n- ~~Answer within 5 minutes.~~\n- Who pays?\n"), [Kind::Struck]);
        assert_eq!(answer("# A\n\n- Who pays?\n\n<!-- Answer within 5 minutes. -->\n"), [Kind::Gone]);
        assert_eq!(answer("# A\n\n- Answer within 5 minutes.\n"), [Kind::Gone]);
        let changed = lost("b.csv", "id,x\n1,High\n2,High\n", "id,x\n1,High\n2,Low\n");
        assert_eq!(changed.len(), 1, "{changed:?}");
        let json = "{\"elaborations\": [{\"step\": 1, \"text\": \"a\"}]}";
        assert_eq!(lost("a.json", json, "{\"elaborations\": [{\"step\": 1, \"text\": \"b\"}]}").len(), 1);
    }
}
