//! Words that say nearly the same, as far as a document is searched by them: who asks "who rings round at night?"
//! is answered by a line on whom "the manager phones in the evening". Everyday words; what a trade calls its things
//! stands in its own documents.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::root::root;

/// Groups of words, one a line; a word may stand in several.
const GROUPS: &str = include_str!("near.txt");

/// The groups in which a root stands.
static PLACES: LazyLock<HashMap<String, Vec<&str>, RandomState>> = LazyLock::new(|| {
    let mut places: HashMap<String, Vec<&str>, RandomState> = HashMap::default();
    for group in GROUPS.lines() {
        for word in group.split(' ') {
            places.entry(root(word)).or_default().push(group);
        }
    }
    places
});

/// Makes the table of groups: another thread may do so before anything is looked up in it.
pub(crate) fn prepare() {
    LazyLock::force(&PLACES);
}

/// The roots that are near to a root, itself among them; none where nothing is.
pub(crate) fn near_to(one: &str) -> Vec<String> {
    let groups = PLACES.get(one).map_or(&[][..], Vec::as_slice);
    let mut found: Vec<String> = groups.iter().flat_map(|group| group.split(' ')).map(root).collect();
    found.sort_unstable();
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
