//! Words that say nearly the same, as far as a document is searched by them: who asks "who rings round at night?"
//! is answered by a line on whom "the manager phones in the evening". Everyday words; what a trade calls its things
//! stands in its own documents.

use super::index::line_of;

/// The groups of `near.txt` by their roots, one a line; a root may stand in several.
const GROUPS: &str = include_str!(concat!(env!("OUT_DIR"), "/near_groups.txt"));
/// A line a root, in order: the root, and where each of its groups begins.
const INDEX: &str = include_str!(concat!(env!("OUT_DIR"), "/near_index.txt"));

/// The roots that are near to a root, itself among them; none where nothing is.
pub(crate) fn near_to(one: &str) -> Vec<&'static str> {
    let starts = line_of(INDEX, one).unwrap_or_default().split(' ').filter_map(|start| start.parse().ok());
    let groups = starts.filter_map(|start: usize| GROUPS.get(start..)?.lines().next());
    let mut found: Vec<&str> = groups.flat_map(|group| group.split(' ')).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discussion::root::root;

    #[test]
    fn every_root_of_every_group_is_found() {
        let groups = include_str!("near.txt");
        for word in groups.split_whitespace() {
            assert!(near_to(&root(word)).contains(&root(word).as_str()), "{word}");
        }
        let near = near_to(&root("downtime"));
        assert!(["maintenance", "outage", "window"].iter().all(|word| near.contains(&root(word).as_str())));
        assert!(near_to("").is_empty() && near_to("zzz").is_empty() && near_to("a").is_empty());
    }

    #[test]
    fn a_word_is_near_to_those_of_its_group_in_any_form() {
        assert!(near_to(&root("phones")).contains(&root("rings").as_str()));
        assert!(near_to(&root("evenings")).contains(&root("night").as_str()));
        assert!(near_to("quartz").is_empty());
    }
}
