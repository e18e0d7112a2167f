//! Open questions from one discussion to the next: they stand once, and a decision closes them where people read.

use crate::kit::{Sandbox, empty};

const SPEC: &str = "design/letters.md";
const OWN: &str = "roundtable/design";

fn repository(text: &str) -> Sandbox {
    let sandbox = empty();
    sandbox.commit(&[(SPEC, text)]);
    sandbox
}

/// Holds a discussion on a day, on the branch of the item.
fn talk(sandbox: &Sandbox, day: u32, script: &str) -> serde_json::Value {
    let name = sandbox.script("talk.txt", script);
    let at = format!("2026-03-{day:02}T09:00:00Z");
    let run =
        sandbox.run(&["elaborate", "design", "--step", "01-06", "--script", &name, "--at", &at, "--json"]);
    run.json()
}

fn text(sandbox: &Sandbox) -> String {
    sandbox.file(OWN, SPEC)
}

#[test]
fn a_decision_of_a_later_discussion_leaves_a_line_below_the_question_that_it_closes() {
    let sandbox = repository("# Letters\n\n- **FR-1**: letters are folded\n");
    talk(&sandbox, 1, "Alex, who folds the letters?\nMaya, when is FR-1 due?\nIs it white?\ndone\n");
    assert!(
        text(&sandbox).contains("- who folds the letters? (asked by User)\n- when is FR-1 due?"),
        "{}",
        text(&sandbox)
    );
    talk(&sandbox, 2, "Decision: who folds the letters → the desk\nDecision: FR-1 is due on Monday.\ndone\n");
    let now = text(&sandbox);
    for line in [
        "- who folds the letters? (asked by User)\n  - Decided 2026-03-02 (User): who folds the letters → the desk\n",
        "- when is FR-1 due? (asked by User)\n  - Decided 2026-03-02 (User): FR-1 is due on Monday\n",
        "- Is it white? (asked by User)\n",
    ] {
        assert!(now.contains(line), "{now}");
    }
    let shown = sandbox.run(&["show", "design", "--json"]).json();
    let open: Vec<&str> =
        shown["open_questions"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert_eq!(open, ["Is it white?"]);
    assert_eq!(sandbox.run(&["status", "--json"]).json()["items"][0]["open_questions"], 1);
    let found = sandbox.run(&["review", SPEC, "--rev", OWN]);
    assert!(found.stdout.contains("Is it white?") && !found.stdout.contains("who folds"), "{}", found.stdout);
    let at = now.lines().position(|line| line.contains("(User): who folds")).unwrap() + 1;
    let why = sandbox.run(&["why", &format!("{SPEC}:{at}"), "--rev", OWN]).ok().stdout;
    assert!(why.contains("Decision: who folds the letters"), "{why}");
    sandbox.run(&["replay", "--all", "--rev", OWN]).ok();
}

#[test]
fn the_same_script_again_adds_no_question_twice() {
    let sandbox = repository("# Letters\n\n- **FR-1**: letters are folded\n");
    talk(&sandbox, 1, "Who folds the letters?\ndone\n");
    let first = text(&sandbox);
    let report = talk(&sandbox, 2, "Maya, who folds the letters?\ndone\n");
    assert_eq!(text(&sandbox), first);
    assert_eq!(report["stays_in_recording"][0]["what"], "1 open question");
    talk(&sandbox, 3, "Who folds the letters?\nWho pays?\nDecision: FR-1 is due on Monday.\ndone\n");
    let now = text(&sandbox);
    assert_eq!(now.matches("ho folds the letters?").count(), 1, "{now}");
    let at = now.lines().position(|line| line.contains("- Who pays?")).unwrap() + 1;
    let why = sandbox.run(&["why", &format!("{SPEC}:{at}"), "--rev", OWN]).ok().stdout;
    assert!(why.contains("Who pays?") && why.contains("Open question"), "{why}");
    sandbox.run(&["replay", "--all", "--rev", OWN]).ok();
}

#[test]
fn a_question_of_an_earlier_discussion_is_not_what_the_next_one_opens_with() {
    let sandbox = repository("# Letters\n\n## Limits\n\nFees stop at TBD euros.\n");
    talk(&sandbox, 1, "Hey folks, shall we start?\ndone\n");
    let script = sandbox.script("t.txt", "Decision: letters are white.\ndone\n");
    let told = sandbox.run(&["elaborate", "design", "--script", &script, "--dry-run"]).ok().stdout;
    let framing = told.split("specific question:").nth(1).unwrap();
    assert!(framing.trim_start().starts_with("How do we settle \"Fees stop at TBD euros.\""), "{told}");
}

#[test]
fn a_later_decision_about_the_same_id_replaces_nothing_that_it_does_not_name() {
    let sandbox = repository("# Letters\n\n- **FR-1**: letters are folded\n");
    talk(&sandbox, 1, "Decision: FR-1 is due on Monday.\nDecision: letters are white.\ndone\n");
    talk(&sandbox, 2, "Decision: FR-1 is due on Friday.\ndone\n");
    let shown = sandbox.run(&["show", "design", "--decisions", "--json"]).json();
    let replaced: Vec<bool> = shown["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| !one["replaced_by"].as_array().unwrap().is_empty())
        .collect();
    assert_eq!(replaced, [false, false, false]);
    assert!(text(&sandbox).contains("due on Monday") && text(&sandbox).contains("due on Friday"));
}

#[test]
fn an_id_that_no_document_has_is_a_warning() {
    let sandbox = repository("# Letters\n\n- **FR-1**: letters are folded\n");
    let script = sandbox.script("t.txt", "Decision: FR-99 is dropped, and UTF-8 stays.\ndone\n");
    let run = sandbox.run(&["elaborate", "design", "--script", &script, "--dry-run"]).ok();
    assert!(run.stderr.contains("no document has FR-99") && !run.stderr.contains("UTF-8"), "{}", run.stderr);
    let sandbox = repository("# Letters\n\n- B1: letters are folded\n- B2: letters are on S3\n");
    let script = sandbox.script("t.txt", "Decision: B2 and B9 are dropped, and EC2 stays.\ndone\n");
    let run = sandbox.run(&["elaborate", "design", "--script", &script, "--dry-run"]).ok();
    assert!(run.stderr.contains("no document has B9") && !run.stderr.contains("EC2"), "{}", run.stderr);
}

#[test]
fn words_that_have_no_form_change_no_document_and_it_is_said_quietly_too() {
    let sandbox = repository("# Letters\n\n- **FR-1**: letters are folded\n");
    let name = sandbox.script("talk.txt", "Descision: letters are white\ndone\n");
    let args = ["elaborate", "design", "--step", "01-06", "--script", &name, "--quiet"];
    let run = sandbox.run(&args).ok();
    assert!(run.stderr.contains("warning: no document is changed: no message has a form"), "{}", run.stderr);
    assert_eq!(text(&sandbox), "# Letters\n\n- **FR-1**: letters are folded\n");
}

#[test]
#[cfg(unix)]
fn a_question_that_a_model_does_not_list_as_open_is_told_where_people_look() {
    let sandbox = repository("# Letters\n\n- **FR-1**: letters are folded\n");
    let body = r#"#!/bin/sh
case "$(cat)" in
*'"want":"synthesis"'*) echo '{"insights": [], "decisions": [], "open_questions": [], "action_items": []}' ;;
*'"want":"round"'*) echo '{"lines": []}' ;;
*'"want":"line"'*) echo '{"pass": true}' ;;
*) echo '[]' ;;
esac
"#;
    let voice = format!("command:/bin/sh {}", sandbox.script("voice.sh", body));
    let name = sandbox.script("talk.txt", "Who folds the letters?\ndone\n");
    let args = ["elaborate", "design", "--step", "01-06", "--script", &name, "--voice", &voice, "--dry-run"];
    let run = sandbox.run(&args).ok();
    let told = "asked by User, and not listed as open by the model: \"Who folds the letters?\"";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert!(run.stderr.contains("the synthesis of the model has no entry"), "{}", run.stderr);
    let report = sandbox.run(&[&args[..], &["--json"]].concat()).json();
    assert_eq!(report["unlisted_questions"][0]["text"], "Who folds the letters?", "{report}");
    let report =
        sandbox.run(&["elaborate", "design", "--step", "01-06", "--script", &name, "--dry-run", "--json"]);
    assert_eq!(report.json()["unlisted_questions"], serde_json::json!([]));
}
