//! How thoroughly a phase is talked through (analysis FR-006): from the quick scan's scope and complexity, or
//! from what the user asks for.

use crate::item::step::Depth;
use crate::text::words::{find_run, words};

/// The size of a change, or how hard it is: three classes each (analysis AC-006-01 to AC-006-03).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    Small,
    Medium,
    Large,
}

impl Size {
    /// The class of a number of affected files: fewer than 5, 5 to 15, more than 15.
    pub const fn of(files: usize) -> Size {
        match files {
            0..=4 => Size::Small,
            5..=15 => Size::Medium,
            _ => Size::Large,
        }
    }

    /// As a scope: small, medium, large.
    pub const fn scope(self) -> &'static str {
        match self {
            Size::Small => "small",
            Size::Medium => "medium",
            Size::Large => "large",
        }
    }

    /// As a complexity: low, medium, high.
    pub const fn complexity(self) -> &'static str {
        match self {
            Size::Small => "low",
            Size::Medium => "medium",
            Size::Large => "high",
        }
    }

    /// The class that a word names, of either kind.
    pub fn from_word(word: &str) -> Option<Size> {
        match word {
            "small" | "low" => Some(Size::Small),
            "medium" => Some(Size::Medium),
            "large" | "high" => Some(Size::Large),
            _ => None,
        }
    }

    const fn depth(self) -> Depth {
        match self {
            Size::Small => Depth::Brief,
            Size::Medium => Depth::Standard,
            Size::Large => Depth::Deep,
        }
    }
}

/// The depth that scope and complexity ask for: the deeper of what each does.
pub fn selected(scope: Option<&str>, complexity: Option<&str>) -> Option<Depth> {
    let sizes = [scope, complexity].into_iter().flatten().filter_map(Size::from_word);
    sizes.max().map(Size::depth)
}

/// Scope and complexity as a quick scan states them: ours, or one that others wrote. Additions are
/// below what they correct, so the last statement counts.
pub fn stated(quick_scan: &str) -> (Option<String>, Option<String>) {
    let (mut scope, mut complexity) = (None, None);
    let mut heading = String::new();
    let mut first = false;
    let (theirs, ours) = before_ours(quick_scan);
    for line in theirs.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix('#') {
            heading = title.trim_start_matches('#').trim().to_lowercase();
            first = true;
            continue;
        }
        let plain = line.replace(['*', '_', '`', '|', '"'], " ").to_lowercase();
        let plain = plain.trim().trim_start_matches("- ").trim();
        if let Some(size) = behind(plain, &["scope", "size", "size class"]) {
            scope = Some(size.scope().to_owned());
        } else if let Some(size) = behind(plain, &["complexity"]) {
            complexity = Some(size.complexity().to_owned());
        } else if first && heading == "scope" {
            // A paragraph that begins with its verdict: "Large. Inspectors must …".
            let word = plain.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            if let Some(size) = Size::from_word(word) {
                scope = Some(size.scope().to_owned());
            }
        }
        first = false;
    }
    // Among what we added are answers, which state nothing here: only our own markup does.
    for line in ours.lines() {
        let said = |label: &str| Size::from_word(line.strip_prefix(label)?.trim());
        scope = said("- **Scope**: ").map(|size| size.scope().to_owned()).or(scope);
        complexity = said("- **Complexity**: ").map(|size| size.complexity().to_owned()).or(complexity);
    }
    (scope, complexity)
}

/// A document parted at the first thing that an analysis or a discussion added: what people wrote, and
/// what holds answers, which are words and nothing else.
pub fn before_ours(text: &str) -> (&str, &str) {
    let marks = ["<!-- Analysis: step ", "<!-- Elaboration: step "];
    let at = marks.iter().filter_map(|mark| text.find(mark)).min();
    text.split_at(at.unwrap_or(text.len()))
}

/// The class that follows a label: `scope: small`, `scope  medium`.
fn behind(line: &str, labels: &[&str]) -> Option<Size> {
    let rest = labels.iter().filter_map(|label| line.strip_prefix(label)).min_by_key(|rest| rest.len())?;
    let rest = rest.trim_start_matches(|c: char| c == ':' || c == '=' || c.is_whitespace());
    Size::from_word(rest.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default())
}

/// Phrases that ask for more (analysis AC-006-04) and for less (analysis AC-006-05).
const DEEPER: [&str; 8] = [
    "deep",
    "deeper",
    "more detail",
    "more details",
    "let's dig in",
    "lets dig in",
    "dig deeper",
    "the full treatment",
];
const BRIEFER: [&str; 6] = ["brief", "briefly", "skip ahead", "keep it short", "keep it brief", "shorter"];

/// Words that may be beside such a phrase without making the message an answer.
const BESIDE: [&str; 22] = [
    "go", "please", "let's", "lets", "us", "do", "make", "it", "be", "a", "the", "mode", "ok", "okay", "yes",
    "i", "want", "give", "me", "can", "we", "for",
];

/// The depth that a message asks for, if that is all it says.
pub fn spoken(text: &str) -> Option<Depth> {
    let said: Vec<String> =
        words(&text.replace('’', "'")).into_iter().map(|word| word.text.into_owned()).collect();
    if said.is_empty() || said.len() > 8 {
        return None;
    }
    let asks = |phrases: &[&str]| {
        phrases.iter().any(|phrase| {
            let phrase: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
            let Some(at) = find_run(&said, &phrase) else { return false };
            let mut rest = said.iter().take(at).chain(said.iter().skip(at + phrase.len()));
            rest.all(|word| BESIDE.contains(&word.as_str()))
        })
    };
    match (asks(&DEEPER), asks(&BRIEFER)) {
        (true, false) => Some(Depth::Deep),
        (false, true) => Some(Depth::Brief),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_006_01_02_03_scope_and_complexity_select_the_depth() {
        for (scope, complexity, wanted) in [
            (Some("small"), Some("low"), Some(Depth::Brief)),
            (Some("small"), None, Some(Depth::Brief)),
            (Some("medium"), Some("medium"), Some(Depth::Standard)),
            (Some("small"), Some("medium"), Some(Depth::Standard)),
            (Some("large"), Some("high"), Some(Depth::Deep)),
            (Some("small"), Some("large"), Some(Depth::Deep)),
            (None, None, None),
        ] {
            assert_eq!(selected(scope, complexity), wanted, "{scope:?} {complexity:?}");
        }
        let classes = [0, 4, 5, 15, 16].map(|files| Size::of(files).scope());
        assert_eq!(classes, ["small", "small", "medium", "medium", "large"]);
    }

    #[test]
    fn a_quick_scan_is_read_as_it_is_written() {
        let read = |text: &str| {
            let (scope, complexity) = stated(text);
            format!("{} {}", scope.unwrap_or("-".into()), complexity.unwrap_or("-".into()))
        };
        assert_eq!(read("# Q\n\n## Scope\n\nLarge. Inspectors must be able to open it.\n"), "large -");
        assert_eq!(read("- **Scope**: medium\n- **Complexity**: High (many files)\n"), "medium high");
        assert_eq!(read("| Scope | small |\n| Complexity | low |\n"), "small low");
        assert_eq!(read("Scope: small\n\nlater\n\n- **Size**: large\n"), "large -");
        assert_eq!(read("The scope is not known; small talk.\n"), "- -");
        // An answer states nothing.
        let ours =
            "<!-- Analysis: step 00-01, x -->\n\n- **Scope**: small\n\nScope: large\n\n- Scope: large\n";
        assert_eq!(read(ours), "small -");
        assert_eq!(read(&format!("Scope: large\n\n{ours}")), "small -");
    }

    #[test]
    fn ac_006_04_05_only_a_message_that_asks_for_a_depth_changes_it() {
        for text in ["deep", "Deep!", "more detail please", "let's dig in", "Let’s go deeper", "go deep"] {
            assert_eq!(spoken(text), Some(Depth::Deep), "{text}");
        }
        for text in ["brief", "skip ahead", "keep it short", "OK, keep it short please", "make it brief"] {
            assert_eq!(spoken(text), Some(Depth::Brief), "{text}");
        }
        for text in [
            "The water is deep",
            "A brief outage of the depot network loses nothing",
            "brief or deep",
            "",
            "Inspectors want more detail in the report of each inspection they finish",
        ] {
            assert_eq!(spoken(text), None, "{text}");
        }
    }
}
