//! The menu at the end of a step: `[E]`, `[C]`, `[S]`, or words (analysis FR-007).

use minijinja::context;
use serde::{Deserialize, Serialize};

use crate::item::library::Library;
use crate::text::template::Failed;

/// What the user chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// `[E]`: all personas discuss the step.
    Elaborate,
    /// `[C]`: the next step, or the next phase after a phase's last step.
    Continue,
    /// `[S]`: the rest of the phase is left out.
    Skip,
    /// The answers ran out: the analysis stops here.
    Stop,
}

/// Which menu it is (analysis AC-007-05).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Menu {
    /// More steps of the phase follow.
    MidPhase,
    /// The phase ends here; the next one's name.
    PhaseEnd { next: String },
    /// The analysis ends here.
    Final,
}

/// The choice that a message at a menu is: a letter, in brackets or not, or the word after it.
pub fn choice(text: &str) -> Option<Choice> {
    let word = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    letter(text).or(match word.as_str() {
        "continue" | "go on" | "next" | "next step" | "complete analysis" => Some(Choice::Continue),
        "elaborate" | "elaboration" | "elaboration mode" => Some(Choice::Elaborate),
        "skip" | "skip remaining steps" | "skip the rest" => Some(Choice::Skip),
        _ => None,
    })
}

/// The choice that a single letter is. At a question only this counts: a word may be an answer.
pub fn letter(text: &str) -> Option<Choice> {
    match text.trim().to_ascii_lowercase().as_str() {
        "c" | "[c]" => Some(Choice::Continue),
        "e" | "[e]" => Some(Choice::Elaborate),
        "s" | "[s]" => Some(Choice::Skip),
        _ => None,
    }
}

/// The menu as people read it.
///
/// # Errors
/// A template that cannot be rendered.
pub fn text(menu: &Menu, library: &Library) -> Result<String, Failed> {
    let (next, is_final) = match menu {
        Menu::MidPhase => ("", false),
        Menu::PhaseEnd { next } => (next.as_str(), false),
        Menu::Final => ("", true),
    };
    library.templates.render("analysis/menu.txt", context! { next, is_final })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_chooses_and_a_sentence_does_not() {
        for (text, wanted) in [
            ("C", Some(Choice::Continue)),
            (" [c] ", Some(Choice::Continue)),
            ("e", Some(Choice::Elaborate)),
            ("[S]", Some(Choice::Skip)),
            ("Continue.", Some(Choice::Continue)),
            ("skip", Some(Choice::Skip)),
            ("C is the language of the firmware", None),
            ("let's continue with the export", None),
            ("", None),
        ] {
            assert_eq!(choice(text), wanted, "{text}");
        }
        assert_eq!(
            (letter("c"), letter("continue"), letter("[E]")),
            (Some(Choice::Continue), None, Some(Choice::Elaborate))
        );
    }

    #[test]
    fn ac_007_01_05_06_the_three_menus_read_as_specified() {
        let library = Library::built_in().unwrap();
        insta::assert_snapshot!(text(&Menu::MidPhase, &library).unwrap(), @r"
        ---
        [E] Elaboration Mode -- bring all perspectives to discuss this topic
        [C] Continue -- move to the next step
        [S] Skip remaining steps in this phase
        Or type naturally to provide feedback.
        ---
        ");
        let end = text(&Menu::PhaseEnd { next: "Impact Analysis".into() }, &library).unwrap();
        assert!(end.contains("\n[C] Continue to Impact Analysis\n"), "{end}");
        let last = text(&Menu::Final, &library).unwrap();
        assert!(last.contains("\n[C] Complete analysis\n"), "{last}");
    }
}
