//! Which section takes an addition (L-7).
//!
//! Invariant: an addition goes to the end of a section that its step names, or to a section of its own that
//! is no part of another. The members of a series (`Option 1`, `Journey 2: …`, `US-003 …`) are alternatives or
//! entries beside each other: an addition to all of them goes after them, into the section that holds them.

use super::outline::{Heading, Outline};
use crate::text::words::{find_run, stems, subjects};

/// The heading of additions for which no section fits.
pub const ELSEWHERE: &str = "Additional Insights from Elaboration";
/// The level that it usually has; higher up where it would be inside another section.
const ELSEWHERE_LEVEL: u8 = 3;

/// A place for an addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub at: usize,
    /// The level of the addition's own heading; over 6 it becomes bold text.
    pub level: u8,
    /// The heading of the section, as announced.
    pub section: String,
    /// A heading to write first, with its level.
    pub opens: Option<(&'static str, u8)>,
}

/// The places for an addition, the best first: the section's end, then the ends of the sections
/// around it, then the end of the file.
pub fn rank_spots(outline: &Outline, title: &str, length: usize) -> Vec<Spot> {
    let mut found = Vec::new();
    let mut next = best(outline, title).or_else(|| elsewhere(outline));
    while let Some(heading) = next {
        let Some(section) = outline.headings.get(heading) else { break };
        found.push(Spot {
            at: outline.end(heading),
            level: section.level + 1,
            section: section.text.clone(),
            opens: None,
        });
        next = outline.parent(heading);
    }
    if elsewhere(outline).is_none() {
        let level = level_beside(outline);
        let opens = Some((ELSEWHERE, level));
        found.push(Spot { at: length, level: level + 1, section: ELSEWHERE.to_owned(), opens });
    }
    found
}

fn elsewhere(outline: &Outline) -> Option<usize> {
    outline.headings.iter().position(|heading| heading.text == ELSEWHERE)
}

/// The level of our own heading at the end of the file: the usual one, but that of a member of a series
/// which ends there, and which it would be inside of.
fn level_beside(outline: &Outline) -> u8 {
    let mut level = ELSEWHERE_LEVEL;
    let mut next = outline.headings.len().checked_sub(1);
    while let Some(at) = next {
        let heading = &outline.headings[at];
        if is_member(&heading.text) {
            level = level.min(heading.level);
        }
        next = outline.parent(at);
    }
    level
}

/// How well a section fits: how many key words it shares (all of them for the whole title), how few other
/// words it has, and whether it is deeper than the document's title.
type Rank = (usize, i64, bool);

/// The section that the step's title names: by all of it, or by the most of its key words. Of equals the
/// first.
fn best(outline: &Outline, title: &str) -> Option<usize> {
    let (whole, keys) = (stems(title), subjects(title));
    let is_exact = |heading: &Heading| find_run(&without_numbers(&heading.text), &whole).is_some();
    let exact = outline.headings.iter().filter(|heading| !heading.added && is_exact(heading)).count();
    let mut chosen: Option<(usize, Rank)> = None;
    for (at, heading) in outline.headings.iter().enumerate().filter(|(_, heading)| !heading.added) {
        let text = heading.text.to_lowercase();
        let shared = keys.iter().filter(|key| text.contains(key.as_str())).count();
        let (fits, overlap) = match series(outline, at) {
            None if is_exact(heading) => (Some(at), usize::MAX),
            None => (Some(at), shared),
            // A member that alone has the whole title is what the step is about.
            Some(_) if exact == 1 && is_exact(heading) => (Some(at), usize::MAX),
            Some(holder) => (holder, shared),
        };
        let Some(fits) = fits.filter(|_| overlap > 0) else { continue };
        let section = &outline.headings[fits];
        let rank = (overlap, -(without_numbers(&section.text).len() as i64), section.level > 1);
        if chosen.as_ref().is_none_or(|(_, best)| rank > *best) {
            chosen = Some((fits, rank));
        }
    }
    chosen.map(|(at, _)| at)
}

/// The stems of a heading's words, without its numbers.
fn without_numbers(heading: &str) -> Vec<String> {
    let is_number = |word: &String| word.chars().all(|c| c.is_ascii_digit());
    stems(&heading.to_lowercase()).into_iter().filter(|word| !is_number(word)).collect()
}

/// Where a heading is a member of a series, or below one: the section that holds the series, if it is more
/// than the document's title.
fn series(outline: &Outline, heading: usize) -> Option<Option<usize>> {
    let mut found = None;
    let mut next = Some(heading);
    while let Some(at) = next {
        next = outline.parent(at);
        if is_member(&outline.headings[at].text) {
            found = Some(next.filter(|holder| outline.headings[*holder].level > 1));
        }
    }
    found
}

/// Whether a heading begins with a word and its number or letter (`Option 1`, `Alternative B: …`), or with
/// an id (`US-003 …`).
fn is_member(heading: &str) -> bool {
    let mut words = heading.split([' ', ':', '.', '(', ')']).filter(|word| !word.is_empty());
    let (Some(first), second) = (words.next(), words.next()) else { return false };
    let is_id = first.split_once('-').is_some_and(|(name, number)| {
        name.chars().all(|c| c.is_ascii_uppercase())
            && !name.is_empty()
            && number.split('-').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    });
    let is_word = first.chars().count() > 1 && first.chars().all(char::is_alphabetic);
    let is_number = |word: &str| {
        word.trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 4
            || matches!(word.as_bytes(), [b'A'..=b'Z'])
            || !word.is_empty() && word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X'))
    };
    is_id || is_word && second.is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str, title: &str) -> String {
        rank_spots(&Outline::new(text), title, text.len())[0].section.clone()
    }

    #[test]
    fn the_section_is_found_by_title_then_by_key_words() {
        let text = "# Requirements\n\n## 2. User Needs\n\n## 3. User Journeys\n\n## 4. Technical Context and Limits\n";
        assert_eq!(section(text, "User Experience & Journeys"), "3. User Journeys");
        assert_eq!(section(text, "User Needs Discovery"), "2. User Needs");
        assert_eq!(section(text, "Technical Context"), "4. Technical Context and Limits");
        assert_eq!(section(text, "MoSCoW Prioritization"), ELSEWHERE);
        assert_eq!(section("# User stuff\n\n## User stuff\n", "User Needs"), "User stuff");
    }

    #[test]
    fn the_next_places_are_the_sections_around_it() {
        let text = "# T\n\n## A\n\n### User Journeys\n\nx\n\n## B\n";
        let found: Vec<(String, u8)> = rank_spots(&Outline::new(text), "User Journeys", text.len())
            .into_iter()
            .map(|spot| (spot.section, spot.level))
            .collect();
        let wanted = [("User Journeys", 4), ("A", 3), ("T", 2), (ELSEWHERE, 4)];
        assert_eq!(found, wanted.map(|(section, level)| (section.to_owned(), level)));
    }

    #[test]
    fn additions_go_under_their_own_heading_again() {
        let text = "# T\n\n### Additional Insights from Elaboration\n\n<!-- Elaboration: step 01-08, x -->\n#### Elaboration Insights (Step 01-08: MoSCoW Prioritization)\n";
        let spots = rank_spots(&Outline::new(text), "MoSCoW Prioritization", text.len());
        assert_eq!((spots[0].section.as_str(), spots[0].level, spots[0].opens), (ELSEWHERE, 4, None));
    }

    #[test]
    fn an_addition_is_inside_no_member_of_a_series() {
        for (text, title, wanted) in [
            (
                "# T\n\n## Considered Options\n\n### Option 1\n\n### Option 2\n",
                "Solution Options",
                "Considered Options",
            ),
            (
                "# T\n\n## 4. Ways\n\n### Option A: sync\n\n### Option B: no sync\n",
                "Sync Strategy",
                "4. Ways",
            ),
            ("# T\n\n## Ways\n\n### Option 1\n\n#### Costs\n\n### Option 2\n\n#### Costs\n", "Costs", "Ways"),
            (
                "# T\n\n## Stories\n\n### US-001: User logs in\n\n### US-002: User leaves\n",
                "User Needs",
                "Stories",
            ),
            ("# T\n\n## Alternative 1: cache\n\n## Alternative 2: no cache\n", "Cache Design", ELSEWHERE),
            // The whole title in one place is meant, whatever is beside it.
            (
                "# T\n\n## Part 1: Context\n\n### User Needs\n\n## Part 2: Design\n",
                "User Needs",
                "User Needs",
            ),
            ("# T\n\n## Step 2: User Needs\n\n## Step 3: Users\n", "User Needs", "Step 2: User Needs"),
            // Numbers of sections are no series.
            ("# T\n\n## 1. Users\n\n## 2. User Needs\n", "User Needs", "2. User Needs"),
            ("# T\n\n## Sync in 2026\n\n## B\n", "Sync Strategy", "Sync in 2026"),
        ] {
            assert_eq!(section(text, title), wanted, "{text}");
        }
    }

    #[test]
    fn our_own_heading_is_inside_no_member_of_a_series() {
        for (text, level) in [
            ("", 3),
            ("# T\n\n## A\n\n## B\n", 3),
            ("# T\n\n## Option 1\n\n## Option 2\n", 2),
            ("# T\n\n## Option 1\n\n### Costs\n", 2),
            ("# T\n\n## Options\n\n#### Option 1\n", 3),
        ] {
            let spots = rank_spots(&Outline::new(text), "MoSCoW Prioritization", text.len());
            assert_eq!(spots[0].opens, Some((ELSEWHERE, level)), "{text}");
        }
    }
}
