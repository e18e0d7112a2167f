//! What a discussion knows of earlier ones of its item, and which questions stay open.

use crate::kit::{ITEM, Sandbox, sandbox};

fn with_spec(text: &str) -> Sandbox {
    let sandbox = sandbox();
    sandbox.commit(&[(&format!("{ITEM}/requirements-spec.md"), text)]);
    sandbox
}

#[test]
fn nothing_that_was_answered_is_asked_again() {
    let sandbox = with_spec(
        "# Requirements\n\n## 2. User Needs\n\nPhotos wait for TBD days.\n\nAnswers wait for TBD days.\n\n\
         ## 3. User Journeys\n\nThe inspector saves an answer.\n",
    );
    let asked = |message: &str, at: &str| {
        let run = sandbox.elaborate(&format!("{message}\ndone\n"), &["--at", at]).ok();
        let (_, rest) = run.stdout.split_once("specific question: ").unwrap();
        rest.lines().next().unwrap().to_owned()
    };
    let first = asked("Two days for photos.", "2026-11-01T10:00:00Z");
    assert!(first.contains("\"Photos wait for TBD days.\""), "{first}");
    // The document has grown, and the lines of both have moved or stayed.
    let second = asked("Answers wait three days.", "2026-11-02T10:00:00Z");
    assert!(second.contains("\"Answers wait for TBD days.\""), "{second}");
    let third = asked("Thanks.", "2026-11-03T10:00:00Z");
    assert!(!third.contains("TBD"), "{third}");
}

#[test]
fn a_question_stays_open_whatever_passages_were_shown() {
    let sandbox = with_spec(
        "# Requirements\n\n## 2. User Needs\n\n- FR-1: The letter must arrive quickly.\n\
         - FR-2: Photos are sent by mail.\n- FR-3: Photos are kept in the archive.\n",
    );
    let script = "How soon must the letter arrive?\nWho may see the photos?\nHow are photos sent?\ndone\n";
    let run = sandbox.elaborate(script, &[]).ok();
    let (_, open) = run.stdout.split_once("#### Open Questions").unwrap();
    let is_open = |question: &str| open.contains(question);
    assert!(is_open("How soon must the letter arrive?"), "{}", run.stdout);
    assert!(is_open("Who may see the photos?"), "{}", run.stdout);
    assert!(is_open("How are photos sent?"), "{}", run.stdout);
}
