//! From a decision to who implements it: `check --decisions`, and the block in a pull request.

use serde_json::{Value, json};

use crate::forge::{Fault, Forge, forge_of, git};
use crate::kit::{AT, BRANCH, ITEM, META, Sandbox, sandbox};

const WORDS: &str =
    "Decision: photos of FR-007 are kept for 10 days.\nDecision: the oldest photo goes first.\ndone\n";
const BEGIN: &str = "<!-- roundtable decisions -->";

/// An item of issue 12 whose two decisions are merged, and their ids.
fn decided() -> (Sandbox, [String; 2]) {
    let sandbox = sandbox();
    let meta = META.replace("\"slug\"", "\"source_id\": \"GH-12\",\n  \"slug\"");
    sandbox.commit(&[(&format!("{ITEM}/meta.json"), &meta)]);
    sandbox.elaborate(WORDS, &["--at", AT]).ok();
    git(&sandbox.root(), &["merge", "-q", "--ff-only", BRANCH]);
    let all = sandbox.run(&["show", "--decisions", "--json"]).json();
    let ids = [0, 1].map(|at: usize| all["decisions"][at]["id"].as_str().unwrap().to_owned());
    git(&sandbox.root(), &["branch", "-q", "-D", BRANCH]);
    (sandbox, ids)
}

/// A commit of a branch that implements, with this message and this file.
fn implement(sandbox: &Sandbox, message: &str, file: &str) {
    git(&sandbox.root(), &["checkout", "-q", "-B", "work"]);
    std::fs::create_dir_all(sandbox.root().join("src")).unwrap();
    std::fs::write(sandbox.root().join("src/photos.js"), file).unwrap();
    git(&sandbox.root(), &["add", "."]);
    git(&sandbox.root(), &["commit", "-q", "-m", message]);
}

fn forgotten(sandbox: &Sandbox, more: &[&str]) -> Vec<String> {
    let args = [&["check", "--base", "main", "--json"], more].concat();
    let report = sandbox.run(&args).json();
    assert_eq!(report["verdict"], "kept");
    let all = report["notices"].as_array().cloned().unwrap_or_default();
    all.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_decision_that_nothing_mentions_is_a_notice_and_the_verdict_stays() {
    let (sandbox, [first, second]) = decided();
    implement(&sandbox, "Keep photos\n\nCloses #12", "// FR-007\nconst DAYS = 10;\n");
    let told = forgotten(&sandbox, &["--decisions"]);
    assert_eq!(told.len(), 1, "an id that the decision has mentions it: {told:?}");
    assert!(told[0].contains(&second) && told[0].contains("the oldest photo goes first"), "{told:?}");
    assert!(forgotten(&sandbox, &[]).is_empty(), "only where it is asked for");
    let run = sandbox.run(&["check", "--base", "main", "--decisions", "--format", "github"]).ok();
    assert!(run.stdout.contains("::notice") && run.stdout.contains(&second), "{}", run.stdout);
    // The id in a message or a file settles it, a longer one does not.
    implement(&sandbox, "Sort photos", &format!("// {first}0 {second}0\n"));
    assert_eq!(forgotten(&sandbox, &["--decisions"]).len(), 2);
    implement(&sandbox, &format!("Sort photos ({second})"), &format!("// {first}\n"));
    assert!(forgotten(&sandbox, &["--decisions"]).is_empty());
}

#[test]
fn the_item_is_named_by_the_flag_a_line_or_the_issue() {
    let (sandbox, _) = decided();
    implement(&sandbox, "Keep photos, see #12", "const DAYS = 10;\n");
    assert_eq!(forgotten(&sandbox, &["--decisions=offline-mode"]).len(), 2);
    let run = sandbox.run(&["check", "--base", "main", "--decisions"]).ok();
    assert!(run.stderr.contains("no item is implemented here"), "{}", run.stderr);
    implement(&sandbox, &format!("Keep photos\n\nItem: {ITEM}"), "const DAYS = 11;\n");
    assert_eq!(forgotten(&sandbox, &["--decisions"]).len(), 2);
    let run = sandbox.run(&["check", "--base", "main", "--decisions=nothing"]);
    assert!(run.code == 2 && run.stderr.contains("nothing"), "{}", run.stderr);
}

/// A pull request that implements, as an event and on the server.
fn pull_request(sandbox: &Sandbox, name: &str, body: &str) -> (Forge, Value) {
    let forge = forge_of(sandbox, name);
    let (base, head) = (sandbox.tip("main").unwrap().to_string(), sandbox.tip("work").unwrap().to_string());
    let pull = json!({
        "number": 30, "body": body, "base": {"sha": base, "ref": "main"}, "head": {"sha": head, "ref": "work"},
    });
    forge.set(|state| state.pulls = vec![pull.clone()]);
    (forge, json!({"pull_request": pull}))
}

#[test]
fn a_pull_request_that_closes_the_issue_lists_the_decisions_and_keeps_its_own_text() {
    let (sandbox, ids) = decided();
    implement(&sandbox, "Keep photos", "const DAYS = 10;\n");
    let (forge, event) = pull_request(&sandbox, "forge", "Closes #12\r\n\r\n@kim, as we said.");
    forge.run(&sandbox, "pull_request", &event, &["run"]).ok();
    let text = forge.state().pulls[0]["body"].as_str().unwrap().to_owned();
    assert!(text.starts_with("Closes #12\r\n\r\n@kim, as we said.\n\n"), "{text}");
    for id in &ids {
        assert!(text.contains(&format!("- {id}: ")), "{id}: {text}");
    }
    // Again: nothing is written. What people add around it stays.
    let writes = forge.writes().len();
    forge.run(&sandbox, "pull_request", &event, &["run"]).ok();
    assert_eq!(forge.writes().len(), writes);
    forge.set(|state| {
        state.pulls[0]["body"] = json!(format!("Hello. {}", text.replace("10 days", "99 days")))
    });
    forge.run(&sandbox, "pull_request", &event, &["run"]).ok();
    let again = forge.state().pulls[0]["body"].as_str().unwrap().to_owned();
    assert_eq!(again, format!("Hello. {text}"));
}

#[test]
fn without_the_right_to_write_it_is_a_warning_and_others_get_no_block() {
    let (sandbox, _) = decided();
    implement(&sandbox, "Keep photos", "const DAYS = 10;\n");
    let (forge, event) = pull_request(&sandbox, "forge", "Fixes #12");
    let refused = json!({"message": "Resource not accessible by integration"});
    forge.set(|state| {
        state.faults.push(("PATCH".into(), "/pulls/30".into(), Fault::Status(403, vec![], refused)))
    });
    let run = forge.run(&sandbox, "pull_request", &event, &["run"]).ok();
    assert!(run.stderr.contains("is not told which decisions apply"), "{}", run.stderr);
    for (name, body) in [("a", "Refs #12"), ("b", "Closes #13"), ("c", "")] {
        let (forge, event) = pull_request(&sandbox, name, body);
        forge.run(&sandbox, "pull_request", &event, &["run"]).ok();
        assert!(forge.writes().is_empty() && !forge.state().pulls[0].to_string().contains(BEGIN), "{body}");
    }
}

#[test]
fn a_review_of_a_pull_request_annotates_and_never_fails() {
    let (sandbox, ids) = decided();
    implement(&sandbox, "Keep photos", &format!("// {}\n", ids[0]));
    // A line of the item is lost: that is for the gate to say.
    let spec = sandbox.root().join(ITEM).join("requirements-spec.md");
    let text = std::fs::read_to_string(&spec)
        .unwrap()
        .replace("Sync should be fast.", "- **R-9** The limit is TBD.");
    std::fs::write(&spec, text).unwrap();
    git(&sandbox.root(), &["commit", "-q", "-a", "-m", "Change the specification"]);
    let (forge, event) = pull_request(&sandbox, "forge", "Closes #12");
    let run = forge.run(&sandbox, "pull_request", &event, &["run", "--review"]).ok();
    for text in ["::notice ", "TBD", &ids[1], "title=roundtable decisions"] {
        assert!(run.stdout.contains(text), "{text}: {}{}", run.stdout, run.stderr);
    }
    assert!(!run.stdout.contains("::error") && !run.stdout.contains(&ids[0]), "{}", run.stdout);
    // The block names them all, and that is no mention.
    let now = json!({"pull_request": forge.state().pulls[0]});
    let again = forge.run(&sandbox, "pull_request", &now, &["run", "--review"]).ok();
    assert!(again.stdout.contains(&ids[1]), "{}", again.stdout);
    forge.run(&sandbox, "merge_group", &json!({}), &["run", "--review"]).ok();
}

#[test]
fn an_issue_that_names_an_item_leads_its_pull_request_there() {
    for (association, is_told) in [("MEMBER", true), ("NONE", false)] {
        let (sandbox, ids) = decided();
        implement(&sandbox, "Keep photos", "const DAYS = 10;\n");
        let (forge, event) = pull_request(&sandbox, "forge", "Closes #7");
        forge.set(|state| {
            state.issue["body"] = json!(format!("Photos pile up.\n\nItem: {ITEM}"));
            state.issue["author_association"] = json!(association);
        });
        forge.run(&sandbox, "pull_request", &event, &["run", "--review"]).ok();
        let text = forge.state().pulls[0]["body"].as_str().unwrap().to_owned();
        assert_eq!(text.contains(&ids[0]), is_told, "{association}: {text}");
    }
}
