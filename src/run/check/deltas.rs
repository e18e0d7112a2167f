//! Descriptions that a change brings along of what becomes of a document: the deltas that OpenSpec archives.
//!
//! A delta names requirements below headings that say what becomes of them. What it names is declared: the loss is
//! meant, and the file says so for good.
//!
//! ```text
//! ## MODIFIED Requirements
//! ### Requirement: Late fees
//! ## REMOVED Requirements
//! ### Requirement: Payment at the desk
//! ## RENAMED Requirements
//! - FROM: `### Requirement: Cards`
//! ```

use crate::additive::content::{Heading, headings};
use crate::additive::{Declared, Finding, Kind};

/// What becomes of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Modified,
    Removed,
    Renamed,
}

impl Fate {
    /// What the heading of a part of a delta says.
    fn of(heading: &str) -> Option<Fate> {
        match heading.split_whitespace().next()? {
            "MODIFIED" => Some(Fate::Modified),
            "REMOVED" => Some(Fate::Removed),
            "RENAMED" => Some(Fate::Renamed),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Fate::Modified => "MODIFIED",
            Fate::Removed => "REMOVED",
            Fate::Renamed => "RENAMED",
        }
    }

    /// Whether a finding is what this fate brings, on the heading's own line or below it.
    fn brings(self, finding: &Finding, is_heading: bool) -> bool {
        match self {
            Fate::Modified => !is_heading,
            Fate::Removed => true,
            Fate::Renamed => is_heading || finding.kind == Kind::Moved,
        }
    }
}

/// The requirements that a delta names, with what becomes of each.
fn named(delta: &[u8]) -> Vec<(Fate, String)> {
    let (mut found, mut fate) = (Vec::new(), None);
    for heading in headings(delta) {
        match fate {
            _ if heading.level <= 2 => fate = Fate::of(&heading.text),
            Some(fate) if heading.level == 3 => found.push((fate, heading.text)),
            _ => {}
        }
    }
    let text = String::from_utf8_lossy(delta);
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '+']).trim();
        let Some(from) = line.strip_prefix("FROM:") else { continue };
        let name = from.trim().trim_matches('`').trim_start_matches('#').trim();
        found.push((Fate::Renamed, name.to_owned()));
    }
    found
}

/// Marks the findings of a document that deltas declare; the deltas are given with their paths.
pub fn cover(findings: &mut [Finding], before: &[u8], deltas: &[(String, Vec<u8>)]) {
    let headings: Vec<Heading> = headings(before).into_iter().filter(|heading| heading.level <= 3).collect();
    for (file, delta) in deltas {
        let named = named(delta);
        for finding in findings.iter_mut().filter(|finding| finding.fails() && !finding.is_of_file) {
            let after = headings.partition_point(|heading| heading.line <= finding.line);
            let Some(heading) = after.checked_sub(1).map(|at| &headings[at]) else { continue };
            let is_heading = heading.line == finding.line;
            let found =
                named.iter().find(|(fate, name)| *name == heading.text && fate.brings(finding, is_heading));
            if let Some((fate, name)) = found {
                let reason = format!("{} {name}", fate.name());
                finding.declared = Some(Declared { file: file.clone(), reason });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::{Demand, Rule, compare};

    const SPEC: &str = "# Fees\n\n## Requirements\n\n### Requirement: Late fees\nThe desk SHALL ask for 2 euros.\n\n#### Scenario: Late\n- **WHEN** a book is late\n\n### Requirement: Cards\nCards SHALL be read.\n\n### Requirement: Cash\nCash SHALL be counted.\n";

    /// The lines of what is lost and not declared.
    fn open(after: &str, delta: &str) -> Vec<usize> {
        let mut found =
            compare("spec.md", &Demand::of(Rule::Content), SPEC.as_bytes(), after.as_bytes()).findings;
        cover(&mut found, SPEC.as_bytes(), &[("delta.md".to_owned(), delta.as_bytes().to_vec())]);
        found.iter().filter(|finding| finding.fails()).map(|finding| finding.line).collect()
    }

    #[test]
    fn a_delta_declares_what_it_names_and_nothing_else() {
        let modified = SPEC.replace("2 euros", "3 euros");
        let removed = SPEC.replace("### Requirement: Cash\nCash SHALL be counted.\n", "");
        let renamed = SPEC.replace("Requirement: Cards", "Requirement: Tokens");
        let none = "## ADDED Requirements\n### Requirement: Late fees\n";
        let late = "## MODIFIED Requirements\n### Requirement: Late fees\nThe desk SHALL ask for 3 euros.\n";
        let cash = "## REMOVED Requirements\n### Requirement: Cash\n**Reason**: no till\n";
        let cards =
            "## RENAMED Requirements\n- FROM: `### Requirement: Cards`\n- TO: `### Requirement: Tokens`\n";
        assert_eq!((open(&modified, none), open(&modified, late)), (vec![6], vec![]));
        assert_eq!((open(&removed, late), open(&removed, cash)), (vec![14, 15], vec![]));
        assert_eq!((open(&renamed, cash), open(&renamed, cards)), (vec![11], vec![]));
        // The heading of what is modified stays.
        let gone = SPEC.replace("### Requirement: Late fees\n", "### TBD\n");
        assert!(open(&gone, late).contains(&5));
    }
}
