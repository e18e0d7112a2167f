//! The rule `written`: what roundtable wrote in a document, by `content`, and nothing else.
//!
//! Every marker and what it is before has to be there, and every line of a decision, of a consent or of a session, in the
//! order of the old document and below whatever heading: the authors' own text around it is theirs.

use std::collections::HashMap;

use super::embed::Embedding;
use super::pair::{Pairing, opening};
use super::pieces::{Pieces, Sort};
use super::{pieces_of_text, report};
use crate::additive::block::tree::Tree;
use crate::additive::block::{self, Parts};
use crate::additive::{Demand, Finding, Kind};

/// So many pieces that begin alike are compared with an old one.
const CANDIDATES: usize = 16;

/// What `after` loses or alters of that which roundtable wrote in `before`.
pub fn compare(demand: &Demand, before: &[u8], after: &[u8]) -> Vec<Finding> {
    let (old, new) = match block::readable(before, after) {
        Ok(documents) => documents,
        Err(unreadable) => return vec![*unreadable],
    };
    let (u, v) = (Tree::parse(old.body), Tree::parse(new.body));
    let (a, b) = (body_of(old, &u), body_of(new, &v));
    if a.is_too_deep || b.is_too_deep {
        let message = "lists and quotations are nested too deep to be compared".to_owned();
        return vec![Finding::new(Kind::Unparsable, 1, message)];
    }
    let mut pairing = Pairing::new(&a, &b, &demand.freedom);
    let counterparts = counterparts(demand, &a, &b, &written(&a, &u));
    pairing.run_with(&counterparts);
    report::findings(demand, &a, &b, &pairing.deviations)
}

/// A document without its front matter, which is the authors'.
fn body_of(parts: Parts<'_>, tree: &Tree<'_>) -> Pieces {
    pieces_of_text(&parts.without_front(), tree)
}

/// The uppermost pieces of what roundtable wrote, in the order of the document.
fn written(pieces: &Pieces, tree: &Tree<'_>) -> Vec<u32> {
    let mut is_written = vec![false; tree.nodes.len()];
    block::written(tree).into_iter().for_each(|node| is_written[node as usize] = true);
    for node in 1..tree.nodes.len() {
        is_written[node] |= is_written[tree.node(node as u32).parent as usize];
    }
    let is_ours = |at: u32| is_written.get(pieces.at(at).block as usize) == Some(&true);
    (1..pieces.count() as u32).filter(|at| is_ours(*at) && !is_ours(pieces.at(*at).parent)).collect()
}

/// What each of some old pieces has become: the first piece after the last one's in which it embeds, else the first
/// that begins as it does.
fn counterparts(demand: &Demand, old: &Pieces, new: &Pieces, wanted: &[u32]) -> Vec<(u32, Option<u32>)> {
    let mut places: HashMap<(Sort, String), Vec<u32>> = HashMap::new();
    for at in 1..new.count() as u32 {
        if let Some(key) = opening(new, at) {
            places.entry((new.at(at).sort, key)).or_default().push(at);
        }
    }
    let (mut found, mut cursor) = (Vec::new(), 0);
    for at in wanted {
        let key = opening(old, *at).map(|key| (old.at(*at).sort, key));
        let alike = key.and_then(|key| places.get(&key)).map_or(&[][..], Vec::as_slice);
        let later = &alike[alike.partition_point(|place| *place <= cursor)..];
        let mut search = Embedding::new(old, new, &demand.freedom);
        let kept = later.iter().take(CANDIDATES).find(|place| search.embeds(*at, **place));
        let image = kept.or(later.first()).copied();
        cursor = image.unwrap_or(cursor);
        found.push((*at, image));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::{Kind, Rule};

    const SPEC: &str = "---\ntitle: Fees\n---\n\n# Fees\n\nOne letter a month.\n\n<!-- Elaboration: step 01-02 -->\n### Elaboration Insights\n\n- The desk must ask first.\n- Cards are read.\n\n## Rules\n\nTwo euros.\n\n<!-- Elaboration: step 01-03 -->\n### Elaboration Insights\n\n- Letters are printed.\n";

    fn kinds(edit: (&str, &str)) -> Vec<(Kind, usize)> {
        assert!(SPEC.contains(edit.0), "{}", edit.0);
        let after = SPEC.replacen(edit.0, edit.1, 1);
        let found = compare(&Demand::of(Rule::Written), SPEC.as_bytes(), after.as_bytes());
        found.iter().map(|finding| (finding.kind, finding.line)).collect()
    }

    #[test]
    fn what_we_wrote_is_kept_by_content_and_nothing_else_is() {
        for edit in [
            ("title: Fees", "title: Fines"),
            ("One letter a month.", "No letters."),
            ("## Rules\n\nTwo euros.\n", ""),
            ("- Cards are read.", "* Cards\n  are **read**."),
            ("- Cards are read.\n", "- Cards are read.\n- Tokens, too.\n"),
        ] {
            assert_eq!(kinds(edit), [], "{edit:?}");
        }
    }

    #[test]
    fn the_lines_of_a_discussion_outside_of_its_block_are_ours_too() {
        let text = "# Fees\n\n## Clarifications\n\n### Session 2026-02-20\n\n- Q: Who pays? → A: The guest (Sam)\n- Q: Theirs? → A: Yes\n\n- **FR-1**: Fees stop at TBD.\n  - Decided 2026-02-20 (Sam): FR-1 stops at 10 euros.\n  - Accepted 2026-02-20 (Sam).\n";
        assert!(crate::additive::content::holds_written(text.as_bytes()));
        assert!(!crate::additive::content::holds_written(b"- Decided in May: (no).\n"));
        for (edit, wanted) in [
            (("The guest (Sam)", "The host (Sam)"), 1),
            (("  - Decided 2026-02-20 (Sam): FR-1 stops at 10 euros.\n", ""), 1),
            (("stops at 10", "stops at 20"), 1),
            (("  - Accepted 2026-02-20 (Sam).\n", ""), 1),
            (("- Q: Theirs? → A: Yes\n", ""), 0),
            (("stop at TBD", "stop at 10"), 0),
        ] {
            let after = text.replacen(edit.0, edit.1, 1);
            assert_ne!(after, text);
            let found = compare(&Demand::of(Rule::Written), text.as_bytes(), after.as_bytes());
            assert_eq!(found.len(), wanted, "{edit:?}: {found:?}");
        }
    }

    #[test]
    fn what_we_wrote_and_is_lost_is_told_by_its_kind() {
        for (edit, wanted) in [
            (("- The desk must ask first.", "- The desk may ask first."), vec![(Kind::Weakened, 12)]),
            (("- Cards are read.\n", ""), vec![(Kind::Gone, 13)]),
            (("<!-- Elaboration: step 01-03 -->\n", ""), vec![(Kind::Gone, 19)]),
            (("- Letters are printed.", "~~Letters are printed.~~"), vec![(Kind::Struck, 22)]),
        ] {
            assert_eq!(kinds(edit), wanted, "{edit:?}");
        }
        // The first discussion's text put below the second one's.
        let first = &SPEC[SPEC.find("<!-- Elaboration: step 01-02").unwrap()..SPEC.find("## Rules").unwrap()];
        let after = format!("{}\n{first}", SPEC.replace(first, ""));
        let found = compare(&Demand::of(Rule::Written), SPEC.as_bytes(), after.as_bytes());
        assert!(!found.is_empty() && found.iter().all(|one| one.kind == Kind::Moved), "{found:?}");
    }
}
