//! Which section takes an addition (interface specification 5.2).

use super::outline::Outline;
use crate::text::words::{stems, subjects};

/// The heading that additions stand under where no section fits.
pub const ELSEWHERE: &str = "Additional Insights from Elaboration";

/// A place for an addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub at: usize,
    /// The level of the addition's own heading; over 6 it becomes bold text.
    pub level: u8,
    /// The heading of the section, as announced.
    pub section: String,
    /// A heading to write first.
    pub opens: Option<&'static str>,
}

/// The places for an addition, the best first: the section's end, then the ends of the sections
/// around it, then the end of the file.
pub fn spots(outline: &Outline, title: &str, length: usize) -> Vec<Spot> {
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
        found.push(Spot { at: length, level: 4, section: ELSEWHERE.to_owned(), opens: Some(ELSEWHERE) });
    }
    found
}

fn elsewhere(outline: &Outline) -> Option<usize> {
    outline.headings.iter().position(|heading| heading.text == ELSEWHERE)
}

/// The section that the step's title names: by all of it, or by the most of its key words. Of
/// equals the one with fewer other words, then the deeper than the document's title, then the
/// first.
fn best(outline: &Outline, title: &str) -> Option<usize> {
    let whole = stems(title);
    let keys = subjects(title);
    let mut chosen: Option<(usize, (usize, i64, bool))> = None;
    for (at, heading) in outline.headings.iter().enumerate().filter(|(_, heading)| !heading.added) {
        let text = heading.text.to_lowercase();
        let words: Vec<String> =
            stems(&text).into_iter().filter(|word| !word.chars().all(|c| c.is_ascii_digit())).collect();
        let exact = words == whole || crate::text::words::find_run(&words, &whole).is_some();
        let shared = keys.iter().filter(|key| text.contains(key.as_str())).count();
        if !exact && shared == 0 {
            continue;
        }
        let overlap = if exact { usize::MAX } else { shared };
        let rank = (overlap, -(words.len() as i64), heading.level > 1);
        if chosen.as_ref().is_none_or(|(_, best)| rank > *best) {
            chosen = Some((at, rank));
        }
    }
    chosen.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str, title: &str) -> String {
        spots(&Outline::new(text), title, text.len())[0].section.clone()
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
        let found: Vec<(String, u8)> = spots(&Outline::new(text), "User Journeys", text.len())
            .into_iter()
            .map(|spot| (spot.section, spot.level))
            .collect();
        let wanted = [("User Journeys", 4), ("A", 3), ("T", 2), (ELSEWHERE, 4)];
        assert_eq!(found, wanted.map(|(section, level)| (section.to_owned(), level)));
    }

    #[test]
    fn additions_go_under_their_own_heading_again() {
        let text = "# T\n\n### Additional Insights from Elaboration\n\n<!-- Elaboration: step 01-08, x -->\n#### Elaboration Insights (Step 01-08: MoSCoW Prioritization)\n";
        let spots = spots(&Outline::new(text), "MoSCoW Prioritization", text.len());
        assert_eq!((spots[0].section.as_str(), spots[0].level, spots[0].opens), (ELSEWHERE, 4, None));
    }
}
