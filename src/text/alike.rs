//! Words that say much the same, and words that say the opposite: a few verbs and measures that every domain uses.
//!
//! The lines are data (`rules/en/alike.txt`). They widen a search and tell a decision to keep from one to remove; they
//! are no dictionary.
//!
//! ```
//! use roundtable::text::alike::{alike, opposites};
//!
//! assert!(alike("begin").contains(&"launch") && opposites("keep").contains(&"delet"));
//! assert!(alike("lorri").is_empty());
//! ```

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::Language;

/// By stem: the stems of the other words on its side of a line, and of those on the other side.
type Lines = BTreeMap<String, [Vec<String>; 2]>;

fn lines() -> &'static Lines {
    static LINES: OnceLock<Lines> = OnceLock::new();
    LINES.get_or_init(|| {
        let stem = |word: &str| Language::english().stem(word).into_owned();
        let mut found = Lines::new();
        for line in include_str!("../../rules/en/alike.txt").lines().filter(|line| !line.starts_with('#')) {
            let sides: Vec<Vec<String>> =
                line.split('|').map(|side| side.split_whitespace().map(stem).collect()).collect();
            for (at, side) in sides.iter().enumerate() {
                for word in side {
                    let [alike, opposite] = found.entry(word.clone()).or_default();
                    alike.extend(side.iter().filter(|other| *other != word).cloned());
                    opposite.extend(sides.iter().skip(1 - at).take(sides.len() - 1).flatten().cloned());
                }
            }
        }
        found
    })
}

fn side(stem: &str, at: usize) -> Vec<&'static str> {
    lines().get(stem).map_or(Vec::new(), |sides| sides[at].iter().map(String::as_str).collect())
}

/// The stems of words that say much the same as one with this stem.
pub fn alike(stem: &str) -> Vec<&'static str> {
    side(stem, 0)
}

/// The stems of words that say the opposite of one with this stem.
pub fn opposites(stem: &str) -> Vec<&'static str> {
    side(stem, 1)
}
