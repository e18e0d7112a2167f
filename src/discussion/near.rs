//! Words that say nearly the same, as far as a document is searched by them: who asks "who rings round at night?"
//! is answered by a line on whom "the manager phones in the evening". Everyday words; what a trade calls its things
//! stands in its own documents.

use super::root::root;

/// Groups of words, one a line; a word may stand in several.
const GROUPS: &str = include_str!("near.txt");

/// The roots that are near to a root, itself among them; none where nothing is.
pub(crate) fn near_to(one: &str) -> Vec<String> {
    // The list is searched as it stands: to make a table of it would take longer than all that is asked of it.
    let Some(begin) = one.get(..2) else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    let mut last = usize::MAX;
    for (at, _) in GROUPS.match_indices(begin) {
        let word = GROUPS[at..].split([' ', '\n']).next().unwrap_or_default();
        let begins = GROUPS[..at].ends_with([' ', '\n']) || at == 0;
        if !begins || root(word) != one {
            continue;
        }
        let start = GROUPS[..at].rfind('\n').map_or(0, |end| end + 1);
        let group = GROUPS[start..].lines().next().unwrap_or_default();
        if start != last {
            last = start;
            found.extend(group.split(' ').map(root));
        }
    }
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_near_to_those_of_its_group_in_any_form() {
        assert!(near_to(&root("phones")).contains(&root("rings")));
        assert!(near_to(&root("evenings")).contains(&root("night")));
        assert!(near_to("quartz").is_empty());
    }
}
