//! Which lines of a file are sent: all of a short one, of a long one those around what it was chosen for.

use std::collections::{BTreeMap, BTreeSet};

use super::{query, shown};
use crate::text::plain;
use crate::voice::sources::Excerpt;

/// Lines before and after one that is wanted: as many as there is room for.
const AROUND: [(usize, usize); 4] = [(6, 18), (3, 9), (1, 4), (0, 0)];
/// Lines that two pieces are joined over.
const GAP: usize = 3;
/// What a line is worth that is named by its number.
const NAMED: f64 = 1_000.0;
/// How much more a line is worth that defines what it names.
const DEFINES: f64 = 2.0;
/// Words that definitions begin with, in most languages.
const DEFINING: [&str; 14] = [
    "class",
    "const",
    "def",
    "enum",
    "fn",
    "func",
    "function",
    "impl",
    "interface",
    "module",
    "struct",
    "trait",
    "type",
    "var",
];

/// What is looked for in a file.
pub struct Wanted {
    /// Lines that were named, by file.
    pub lines: BTreeMap<usize, BTreeSet<usize>>,
    /// What a line is worth that has a stem.
    pub weights: BTreeMap<String, f64>,
}

/// The pieces of a file that fit into so many characters, in order.
pub fn of(path: &str, text: &str, file: usize, wanted: &Wanted, room: usize) -> Vec<Excerpt> {
    let lines = visible_lines(text);
    let piece = |first: usize, last: usize| Excerpt {
        path: path.to_owned(),
        line: first + 1,
        text: lines[first..last].join("\n"),
    };
    let size = |piece: &Excerpt| shown(piece).chars().count();
    if lines.iter().all(|line| line.trim().is_empty()) {
        return Vec::new();
    }
    // The whole file, if it is short enough; each line has at least a number and a line end.
    let whole = (text.len() / 4 + lines.len() * 4 <= room).then(|| piece(0, lines.len()));
    if let Some(whole) = whole.filter(|whole| size(whole) <= room) {
        return vec![whole];
    }
    let named = wanted.lines.get(&file);
    let mut places = best_first(&lines, named, &wanted.weights);
    if places.is_empty() {
        places.push(0);
    }
    let mut taken: Vec<(usize, usize)> = Vec::new();
    for at in places {
        let fits = AROUND.iter().find_map(|&(before, after)| {
            let window = (at.saturating_sub(before), (at + 1 + after).min(lines.len()));
            let next = joined(taken.iter().copied().chain([window]).collect());
            let whole: usize = next.iter().map(|&(first, last)| size(&piece(first, last))).sum();
            (whole <= room).then_some(next)
        });
        let Some(next) = fits else { break };
        taken = next;
    }
    taken.into_iter().map(|(first, last)| piece(first, last)).collect()
}

/// The lines of a file without what cannot be seen: as many as the file has.
pub fn visible_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| plain::clean(line).replace('\n', " ")).collect()
}

/// The lines that are worth something, the best first.
fn best_first(
    lines: &[String],
    named: Option<&BTreeSet<usize>>,
    weights: &BTreeMap<String, f64>,
) -> Vec<usize> {
    let worth = |(at, line): (usize, &String)| {
        let by_words: f64 = query(line).iter().filter_map(|stem| weights.get(stem)).sum();
        let by_words = by_words * if defines(line) { DEFINES } else { 1.0 };
        let by_number = if named.is_some_and(|named| named.contains(&(at + 1))) { NAMED } else { 0.0 };
        (by_words + by_number, at)
    };
    let mut found: Vec<(f64, usize)> =
        lines.iter().enumerate().map(worth).filter(|(worth, _)| *worth > 0.0).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(64);
    found.into_iter().map(|(_, at)| at).collect()
}

fn defines(line: &str) -> bool {
    let mut words = line.split_whitespace().take(4);
    words.any(|word| DEFINING.contains(&word)) || line.starts_with('#')
}

/// Windows in order; those that touch are one.
fn joined(mut windows: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    windows.sort_unstable();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (first, last) in windows {
        match found.last_mut() {
            Some(before) if first <= before.1 + GAP => before.1 = before.1.max(last),
            _ => found.push((first, last)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_touch_are_one() {
        assert_eq!(joined(vec![(40, 50), (0, 10), (12, 20)]), [(0, 20), (40, 50)]);
    }

    #[test]
    fn a_named_line_is_sent_before_everything_else() {
        let text: String =
            (1..=300).map(|number| format!("line {number} of nothing much at all\n")).collect();
        let wanted = Wanted {
            lines: BTreeMap::from([(0, BTreeSet::from([250]))]),
            weights: BTreeMap::from([("line".to_owned(), 1.0)]),
        };
        let found = of("a.txt", &text, 0, &wanted, 1_200);
        assert!(found.iter().any(|piece| piece.line == 244 && piece.text.contains("line 250")), "{found:?}");
        assert!(of("a.txt", " \n\n", 0, &wanted, 1_200).is_empty());
        assert!(of("a.txt", &text, 0, &wanted, 10).is_empty());
    }
}
