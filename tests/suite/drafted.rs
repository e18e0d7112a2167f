//! A model drafts the steps of an analysis: what it drafted is marked until somebody says yes, and then it is what a
//! person would have written.

#![cfg(unix)]

use serde_json::{Value, json};

use crate::analyze::{begun, repository};
use crate::kit::{AT, BRANCH, ITEM, Run, Sandbox};

const NOTES: &str = "# Notes\n\nThe desk sums all open fees of a reader by hand.\n\nA letter goes out 3 days after the due date.\n";

/// A line that rests on the notes.
fn line(kind: &str, words: Value) -> Value {
    let rest = json!({"path": "notes.md", "line": 3, "quote": "sums all open fees of a reader"});
    let mut line = json!({"kind": kind, "rests": [rest]});
    for (key, value) in words.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

/// An item whose first phase is done, and a program that drafts these lines of a step, and nothing of any other.
struct Table {
    sandbox: Sandbox,
    voice: String,
}

/// What the voice of these tests is called.
const VOICE: &str = "command:/bin/sh";

impl Table {
    fn new(step: &str, lines: &[Value]) -> Table {
        let sandbox = repository(3, &begun(&["00-quick-scan"]));
        sandbox.commit(&[(&format!("{ITEM}/notes.md"), NOTES)]);
        let answer = sandbox.script("answer.json", json!({"lines": lines}).to_string());
        let program = format!(
            "#!/bin/sh\nif grep -q '\"step\":\"{step}\"'; then cat {answer}; else echo '{{\"lines\":[]}}'; fi\n"
        );
        let path = sandbox.script("draft.sh", program);
        Table { sandbox, voice: format!("command:/bin/sh {path}") }
    }

    fn analyze(&self, script: &str, depth: &str) -> Run {
        let script = self.sandbox.script("answers.yaml", script);
        let args = ["analyze", "offline-mode", "--script", &script, "--at", AT, "--depth", depth];
        self.sandbox.run(&[&args[..], &["--voice", &self.voice]].concat()).ok()
    }

    fn file(&self, name: &str) -> String {
        self.sandbox.file(BRANCH, &format!("{ITEM}/{name}"))
    }
}

/// One answer to each step before this one, and these to it.
fn answers(step: &str, said: &str) -> String {
    let library = roundtable::item::library::Library::built_in().unwrap();
    let before = library.steps.iter().map(|step| step.id.as_str());
    let before = before.filter(|id| id.starts_with(&step[..3]) && *id < step);
    let before: String = before.map(|id| format!("  \"{id}\": [The desk knows]\n")).collect();
    format!("user: Sam\nanswers:\n{before}  \"{step}\": {said}\n")
}

fn requirement() -> Value {
    line("requirement", json!({"text": "The system sums all open fees of a reader"}))
}

#[test]
fn in_brief_depth_the_draft_comes_before_the_one_question_and_yes_takes_it_over() {
    let table = Table::new("01-06", &[requirement()]);
    let found = table.analyze(&answers("01-06", "[\"yes\"]"), "brief").stdout;
    let draft = "Maya's draft, each line with what it rests on:\n- FR: The system sums all open fees of a reader (notes.md:3)";
    let at = found.find(draft).unwrap_or_else(|| panic!("{found}"));
    assert!(found[at..].contains("Sound right, or should we dig deeper?"), "{found}");
    let spec = table.file("requirements-spec.md");
    assert!(spec.contains("- **FR-001**: The system sums all open fees of a reader\n"), "{spec}");
    assert!(spec.replace('\\', "").contains(&format!("*Drafted by {VOICE}, confirmed by Sam*")), "{spec}");
    // The question is answered by the yes.
    assert!(!spec.contains("- Step 01-06"), "{spec}");
    let line = spec.lines().position(|line| line.contains("**FR-001**")).unwrap() + 1;
    let place = format!("{ITEM}/requirements-spec.md:{line}");
    let why = table.sandbox.run(&["why", &place, "--rev", BRANCH]).ok().stdout;
    assert!(why.contains(&format!("Drafted by {VOICE} in step 01-06")), "{why}");
    assert!(why.contains("The system sums all open fees of a reader (notes.md:3)"), "{why}");
    table.sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
    table.sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
}

#[test]
fn what_nobody_confirms_is_written_as_drafted_and_defines_nothing() {
    let table = Table::new("01-06", &[requirement()]);
    table.analyze(&answers("01-06", "[\"The slips are what hurts\"]"), "brief");
    let spec = table.file("requirements-spec.md");
    let marked = format!("Drafted by {VOICE}, not confirmed:\n\n- FR: The system sums all open fees");
    assert!(spec.replace('\\', "").contains(&marked), "{spec}");
    assert!(!spec.contains("FR-001") && spec.contains("The slips are what hurts"), "{spec}");
}

#[test]
fn after_the_answers_yes_at_the_menu_takes_the_draft_over_and_a_correction_is_added() {
    let option = line(
        "option",
        json!({"fields": {"option": "sum all open fees at night", "for": "the desk", "against": "by hand"}}),
    );
    let table = Table::new("01-06", &[requirement(), option]);
    let said = "{1: The slips, menu: [\"yes\", \"The sum leaves waived fees out\", C]}";
    let found = table.analyze(&answers("01-06", said), "standard");
    // The kinds of the step: an option is none of them.
    assert!(found.stderr.contains("left out of the draft"), "{}", found.stderr);
    let spec = table.file("requirements-spec.md");
    assert!(spec.contains("- **FR-001**: The system sums all open fees of a reader\n"), "{spec}");
    assert!(spec.contains("The sum leaves waived fees out") && !spec.contains("not confirmed"), "{spec}");
}

#[test]
fn goals_that_a_model_finds_unmet_become_open_questions_and_data_stays_valid() {
    let goal = "Each story names a role, sums all open fees of a reader";
    let verdict = line(
        "verdict",
        json!({"fields": {"criterion": goal, "verdict": "not met", "because": "all open fees of a reader are sums by hand"}}),
    );
    let story = line(
        "user-story",
        json!({"fields": {"as_a": "reader", "i_want": "all open fees", "so_that": "the desk sums"}}),
    );
    let table = Table::new("01-07", &[verdict, story]);
    table.analyze(&answers("01-07", "[\"I do not know the desk\"]"), "brief");
    let stories: Value = serde_json::from_str(&table.file("user-stories.json")).unwrap();
    crate::analyze::valid(&stories, &crate::analyze::schema("user-stories"));
    assert_eq!(stories["stories"], json!([]), "{stories}");
    let notes = stories["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["question"] == "Drafted, not confirmed"), "{stories}");
    let asks = |note: &Value| note["open"] == true && note["question"].as_str().unwrap().starts_with(goal);
    assert!(notes.iter().any(asks), "{stories}");
}

#[test]
fn a_key_of_the_environment_in_a_document_is_sent_to_no_model() {
    let table = Table::new("01-01", &[requirement()]);
    let key = "key-0123456789abcdef";
    table.sandbox.commit(&[(&format!("{ITEM}/setup.md"), &format!("# Setup\n\nCall it with {key}.\n"))]);
    let script = table.sandbox.script("answers.yaml", answers("01-01", "[\"yes\"]"));
    let asked = table.sandbox.outside("asked");
    let program = table.sandbox.script("asked.sh", format!("touch {}\n", asked.display()));
    let voice = format!("command:/bin/sh {program}");
    let args =
        ["analyze", "offline-mode", "--script", &script, "--at", AT, "--depth", "brief", "--voice", &voice];
    let run = Run::of(table.sandbox.command(&args).env("ANTHROPIC_API_KEY", key).output().unwrap());
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("the value of ANTHROPIC_API_KEY"), "{}", run.stderr);
    assert!(!asked.exists() && table.sandbox.tip(BRANCH).is_none());
}
