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

/// The first number that no document of the item uses.
pub fn next(item: &Item, kind: &str) -> u32 {
    of_item(item, kind).last().map_or(1, |last| last + 1)
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
    fn ids_are_whole_words_of_three_digits_and_more() {
        let text = "FR-001, NFR-002 (FR-010), AC-FR-003, FR-12, FR-0004";
        assert_eq!(of_text(text, "FR").into_iter().collect::<Vec<_>>(), [1, 4, 10]);
        assert_eq!(of_text(text, "NFR").into_iter().collect::<Vec<_>>(), [2]);
        assert_eq!(all("FR-002 and NFR-001, FR-001"), ["FR-001", "FR-002", "NFR-001"]);
        assert_eq!(show("US", 7), "US-007");
    }
}
