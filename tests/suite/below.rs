//! A decision that names an id leaves a line below that id; replay and `why` know it as ours.

use crate::kit::{AT, BRANCH, ITEM, sandbox};

const NOTES: &str = "# Notes\n\n- **FR-002**: the fee is named\n- FR-003: an answer\n";

#[test]
fn a_decision_is_below_its_id_once_for_each_id_and_replays() {
    let sandbox = sandbox();
    let path = format!("{ITEM}/a-notes.md");
    sandbox.commit(&[(&path, NOTES)]);
    let talk = "Decision: FR-002 and FR-003 hold for letters, because letters take days.\ndone\n";
    let script = sandbox.script("s.txt", talk);
    sandbox.run(&["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT]).ok();
    let line = "  - Decided 2026-02-20 (Sam): FR-002 and FR-003 hold for letters, because letters take days";
    let wanted = format!("# Notes\n\n- **FR-002**: the fee is named\n{line}\n- FR-003: an answer\n{line}\n");
    let commit = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    let entry = commit.tree().unwrap().get_path(std::path::Path::new(&path)).unwrap();
    let after = String::from_utf8(sandbox.git.find_blob(entry.id()).unwrap().content().to_vec()).unwrap();
    let by = after.split_once("2026-02-20 (").unwrap().1.split_once(')').unwrap().0.to_owned();
    assert_eq!(after.replace(&format!("({by})"), "(Sam)"), wanted);
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    sandbox.assert_sound();
}

#[test]
fn what_a_persona_proposed_is_accepted_by_its_id_and_nothing_else_is() {
    let sandbox = sandbox();
    let path = format!("{ITEM}/a-notes.md");
    let notes = "# Notes\n\n- **FR-002**: the fee is named (proposed by Jordan)\n- FR-003: an answer\n- **FR-006**: paper (proposed by Alex)\n\n| FR-004 | a row (proposed by Alex) |\n";
    sandbox.commit(&[(&path, notes)]);
    let talk = "Accepted: FR-002, FR-003 and FR-004\n> Accepted: FR-002\nIs FR-003 accepted: FR-003?\nAccepted: FR-006?\nAccepted: not FR-006\nAccepted: FR-006 if it is cheap\nAccepted: FR-004, but not FR-006\ndone\n";
    let script = sandbox.script("s.yaml", serde_json::json!({"user": "Sam", "inputs": [talk]}).to_string());
    sandbox.run(&["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT]).ok();
    let after = sandbox.file(BRANCH, &path);
    let wanted = notes.replace("Jordan)\n", "Jordan)\n  - Accepted 2026-02-20 (Sam).\n");
    assert_eq!(after, wanted);
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
}

#[test]
fn a_proposal_is_accepted_once() {
    let sandbox = sandbox();
    let path = format!("{ITEM}/a-notes.md");
    sandbox.commit(&[(&path, "# Notes\n\n- **FR-002**: the fee is named (proposed by Jordan)\n")]);
    let accept = |at: &str, id: &str| {
        let script = sandbox.script("s.txt", format!("Accepted: {id}\ndone\n"));
        sandbox.run(&["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", at]).ok()
    };
    accept(AT, "FR-002");
    let again = accept("2026-03-20T14:30:00Z", "FR-002");
    assert_eq!(sandbox.file(BRANCH, &path).matches("- Accepted ").count(), 1);
    assert!(
        again
            .stderr
            .contains("the proposal FR-002 is accepted already, so \"Accepted: FR-002\" adds nothing"),
        "{}",
        again.stderr
    );
    let none = accept("2026-04-20T14:30:00Z", "FR-007");
    assert!(none.stderr.contains("no document of it has a proposal FR-007"), "{}", none.stderr);
}

/// A voice whose designer proposes a criterion in the opening.
const PROPOSING: &str = r#"#!/bin/sh
case "$(cat)" in
*'"want":"round"'*) echo '{"lines": [
  {"message": null, "persona": "business-analyst", "text": "Nobody says what happens to a letter that comes back; who sees it?"},
  {"message": null, "persona": "solutions-architect", "text": "A wrong address costs a stamp each month until somebody strikes it."},
  {"message": null, "persona": "system-designer", "text": "It needs an answer of its own.",
   "proposal": {"document": "requirements.md", "anchor": "Requirement 1", "kind": "acceptance-criterion", "text": "WHEN a letter comes back, THE Desk SHALL strike the address"}}]}' ;;
*'"want":"synthesis"'*) echo '{"insights": [], "decisions": [], "open_questions": [], "action_items": [], "proposals": [3]}' ;;
*'"want":"line"'*) echo '{"pass": true}' ;;
*) echo '[]' ;;
esac
"#;

#[test]
#[cfg(unix)]
fn a_proposed_criterion_is_the_next_number_where_kiro_has_them() {
    let sandbox = crate::kit::empty();
    let folder = ".kiro/specs/letters";
    let requirements = "# Requirements Document\n\n## Requirements\n\n### Requirement 1: Send letters\n\n#### Acceptance Criteria\n\n1. WHEN a month ends, THE Desk SHALL send one letter\n2. IF nobody pays, THEN THE Desk SHALL call\n\n### Requirement 2: Answer letters\n\n#### Acceptance Criteria\n\n1. WHEN a reader answers, THE Desk SHALL stop the fee\n";
    sandbox.commit(&[(&format!("{folder}/requirements.md"), requirements)]);
    let (voice, script) = (
        sandbox.script("voice.sh", PROPOSING),
        sandbox.script("s.txt", "Decision: letters are white.\ndone\n"),
    );
    let voice = format!("command:/bin/sh {voice}");
    let args = [
        "elaborate",
        folder,
        "--step",
        "01-06",
        "--script",
        &script,
        "--at",
        AT,
        "--voice",
        &voice,
        "--json",
    ];
    let report = sandbox.run(&args).json();
    let after = sandbox.file(report["branch"].as_str().unwrap(), &format!("{folder}/requirements.md"));
    let wanted = "2. IF nobody pays, THEN THE Desk SHALL call\n3. WHEN a letter comes back, THE Desk SHALL strike the address (proposed by Jordan)\n\n### Requirement 2";
    assert!(after.contains(wanted), "{after}");
    assert_eq!(after.matches("comes back").count(), 1, "{after}");
    assert!(after.find("letters are white") > after.find("stop the fee"), "{after}");
    // It is accepted by its number.
    let script = sandbox.script("yes.txt", "Accepted: 1.3\ndone\n");
    let args = ["elaborate", folder, "--step", "01-06", "--script", &script, "--at", "2026-03-20T14:30:00Z"];
    let report = sandbox.run(&[&args[..], &["--json"]].concat()).json();
    let after = sandbox.file(report["branch"].as_str().unwrap(), &format!("{folder}/requirements.md"));
    assert!(after.contains("(proposed by Jordan)\n   - Accepted 2026-03-20 (User).\n"), "{after}");
}

#[test]
fn a_decision_about_a_requirement_of_kiro_is_after_its_criteria() {
    let sandbox = crate::kit::empty();
    let path = ".kiro/specs/letters/requirements.md";
    let requirements = "# Requirements Document\n\n## Requirements\n\n### Requirement 1: Send letters\n\n#### Acceptance Criteria\n\n1. WHEN a month ends, THE Desk SHALL send one letter\n2. IF nobody pays, THEN THE Desk SHALL call\n\n### Requirement 12: Answer letters\n\n#### Acceptance Criteria\n\n1. WHEN a reader answers, THE Desk SHALL stop the fee\n";
    sandbox.commit(&[(path, requirements)]);
    let talk = "We decided to send letters in white because Requirement 1 names no colour.\nWe decided to stop in 3 days, as Requirement 7 has it.\ndone\n";
    let script = sandbox.script(
        "s.yaml",
        serde_json::json!({"user": "Sam", "inputs": talk.lines().collect::<Vec<_>>()}).to_string(),
    );
    let args =
        ["elaborate", ".kiro/specs/letters", "--step", "01-06", "--script", &script, "--at", AT, "--json"];
    let report = sandbox.run(&args).json();
    let branch = report["branch"].as_str().unwrap();
    let after = sandbox.file(branch, path);
    let wanted = "2. IF nobody pays, THEN THE Desk SHALL call\n\n- Decided 2026-02-20 (Sam): We decided to send letters in white because Requirement 1 names no colour\n\n### Requirement 12";
    assert!(after.contains(wanted), "{after}");
    assert_eq!(after.matches("stop in 3 days").count(), 1, "{after}");
    sandbox.run(&["replay", "--all", "--rev", branch]).ok();
}

#[test]
#[cfg(unix)]
fn words_that_a_model_names_accept_what_an_earlier_discussion_proposed() {
    let synthesis = serde_json::json!({"insights": [], "open_questions": [], "action_items": [], "proposals": [],
        "decisions": [{"turn": 4, "text": "Let us take the fee as it is proposed", "accepts": "FR-002"}]});
    let voice = format!(
        "#!/bin/sh\ncase \"$(cat)\" in\n*'\"want\":\"synthesis\"'*) cat <<'END'\n{synthesis}\nEND\n;;\n\
         *'\"want\":\"line\"'*) echo '{{\"pass\": true}}' ;;\n*) echo '[]' ;;\nesac\n"
    );
    let said = "Thanks, all. Let us take the fee as it is proposed.";
    let sandbox = sandbox();
    let path = format!("{ITEM}/a-notes.md");
    let notes = "# Notes\n\n- **FR-002**: the fee is named (proposed by Jordan)\n- FR-003: an answer\n";
    sandbox.commit(&[(&path, notes)]);
    let voice = format!("command:/bin/sh {}", sandbox.script("voice.sh", voice));
    let script = sandbox.script("s.txt", format!("{said}\ndone\n"));
    let args =
        ["elaborate", "offline-mode", "--step", "01-03", "--at", AT, "--user", "Sam", "--voice", &voice];
    sandbox.run(&[&args[..], &["--script", &script]].concat()).ok();
    assert_eq!(sandbox.file(BRANCH, &path), notes, "a script that was known from the start has seen nothing");
}
