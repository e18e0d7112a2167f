//! Ids that documents refer to each other by: FR-NNN, NFR-NNN, US-NNN. An id is given once and never
//! again; the next one is behind the highest that any document of the item has.

use std::collections::BTreeSet;

use crate::item::Item;

/// The ids of a kind in a text, in order of their numbers.
pub fn of_text(text: &str, kind: &str) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mark = format!("{kind}-");
    for (at, _) in text.match_indices(&mark) {
        // `NFR-001` holds no FR-001.
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '-') {
            continue;
        }
        let digits: String = text[at + mark.len()..].chars().take_while(char::is_ascii_digit).collect();
        if (3..=6).contains(&digits.len()) {
            found.extend(digits.parse::<u32>());
        }
    }
    found
}

/// The ids of a kind in all documents of an item.
pub fn of_item(item: &Item, kind: &str) -> BTreeSet<u32> {
    item.documents().flat_map(|(_, text)| of_text(text, kind)).collect()
}

/// The first number behind those that the item's documents use. One far off is no count of anything.
pub fn next(item: &Item, kind: &str) -> u32 {
    of_item(item, kind).into_iter().rfind(|number| *number <= FAR).map_or(1, |last| last + 1)
}

/// Numbers above this one are somebody's joke or another system's.
const FAR: u32 = 9_999;

/// The id that a text begins with, and the rest: `FR-003: drafts are kept`.
pub fn leading<'t>(text: &'t str, kind: &str) -> Option<(u32, &'t str)> {
    let rest = text.trim_start_matches(['*', '_', '[']).strip_prefix(kind)?.strip_prefix('-')?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok().filter(|number| digits >= 3 && *number <= FAR)?;
    let rest = rest[digits..].trim_start_matches(['*', '_', ']', ':', '.', ')', ',', '-', '–', '—', ' ']);
    (!rest.is_empty()).then_some((number, rest))
}

/// Entries under ids: one that begins with an id nobody uses yet keeps it, one that begins with a used
/// one is what stands there already, every other gets the next that is free. Gives the number, the
/// words and the entry as it was said.
pub fn numbered(item: &Item, kind: &str, entries: &[String]) -> Vec<(u32, String, String)> {
    let used = of_item(item, kind);
    let mut taken: BTreeSet<u32> = BTreeSet::new();
    let own: Vec<Option<(u32, &str)>> = entries.iter().map(|entry| leading(entry, kind)).collect();
    let highest = own.iter().flatten().map(|(number, _)| number + 1).max().unwrap_or_default();
    let mut free = next(item, kind).max(highest);
    let mut found = Vec::new();
    for (entry, own) in entries.iter().zip(own) {
        match own {
            Some((number, words)) if !used.contains(&number) && taken.insert(number) => {
                found.push((number, words.to_owned(), entry.clone()));
            }
            Some(_) => {}
            None => {
                found.push((free, entry.clone(), entry.clone()));
                free += 1;
            }
        }
    }
    found
}

/// `FR-001`.
pub fn show(kind: &str, number: u32) -> String {
    format!("{kind}-{number:03}")
}

/// All ids of a text, in order of kind and number.
pub fn all(text: &str) -> Vec<String> {
    let of = |kind: &'static str| of_text(text, kind).into_iter().map(move |number| show(kind, number));
    of("FR").chain(of("NFR")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_keeps_the_id_it_begins_with() {
        assert_eq!(leading("FR-001: save drafts", "FR"), Some((1, "save drafts")));
        assert_eq!(leading("**FR-012** - save", "FR"), Some((12, "save")));
        for text in ["Drafts replace FR-012", "FR-1: x", "FR-999999: x", "FR-001", "NFR-001: x"] {
            assert_eq!(leading(text, "FR"), None, "{text}");
        }
        let item = Item::new("x", "{}").unwrap();
        let entries = ["FR-001: save".to_owned(), "print".to_owned(), "what FR-012 did".to_owned()];
        let found: Vec<(u32, String)> =
            numbered(&item, "FR", &entries).into_iter().map(|(number, words, _)| (number, words)).collect();
        assert_eq!(found, [(1, "save".into()), (2, "print".into()), (3, "what FR-012 did".into())]);
    }

    #[test]
    fn ids_are_whole_words_of_three_digits_and_more() {
        let text = "FR-001, NFR-002 (FR-010), AC-FR-003, FR-12, FR-0004";
        assert_eq!(of_text(text, "FR").into_iter().collect::<Vec<_>>(), [1, 4, 10]);
        assert_eq!(of_text(text, "NFR").into_iter().collect::<Vec<_>>(), [2]);
        assert_eq!(all("FR-002 and NFR-001, FR-001"), ["FR-001", "FR-002", "NFR-001"]);
        assert_eq!(show("US", 7), "US-007");
    }
}
