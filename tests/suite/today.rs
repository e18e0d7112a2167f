//! `replay --all` holds today's documents against what was recorded.

use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, ITEM, Sandbox, empty, sandbox};
use crate::replay_rewritten::git;

const TALK: &str =
    "Alex, what breaks first?\nWe decided to answer within 5 minutes because nobody may wait.\ndone\n";
const DECISION: &str = "We decided to answer within 5 minutes";

fn spec() -> String {
    format!("{ITEM}/requirements-spec.md")
}

fn meta() -> String {
    format!("{ITEM}/meta.json")
}

/// A discussion, squashed into `main`, which is checked out.
fn squashed() -> Sandbox {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    squash(&sandbox, BRANCH);
    sandbox
}

fn squash(sandbox: &Sandbox, branch: &str) {
    git(&sandbox.root(), &["reset", "--quiet", "--hard"]);
    git(&sandbox.root(), &["merge", "--quiet", "--squash", branch]);
    git(&sandbox.root(), &["commit", "--quiet", "--message", "squashed"]);
}

/// Commits a file with other words; without a file where nothing is left of it.
fn edit(sandbox: &Sandbox, path: &str, change: impl Fn(&str) -> String) {
    let text = sandbox.file("main", path);
    let changed = change(&text);
    assert_ne!(changed, text, "{path}");
    std::fs::write(sandbox.root().join(path), changed).unwrap();
    git(&sandbox.root(), &["commit", "--quiet", "--all", "--message", "changed"]);
}

fn remove(sandbox: &Sandbox, path: &str) {
    git(&sandbox.root(), &["rm", "--quiet", "-r", path]);
    git(&sandbox.root(), &["commit", "--quiet", "--message", "removed"]);
}

/// The exit code and what is said of the documents.
fn held(sandbox: &Sandbox) -> (i32, Vec<Value>) {
    let run = sandbox.run(&["replay", "--all", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr));
    assert_eq!(report["reproduced"], json!(true), "{report}");
    (run.code, report["documents"].as_array().unwrap().clone())
}

fn told(sandbox: &Sandbox) -> String {
    sandbox.run(&["replay", "--all"]).stdout
}

/// The line of a text in a file of `main`.
fn line_of(sandbox: &Sandbox, path: &str, words: &str) -> usize {
    let text = sandbox.file("main", path);
    1 + text.lines().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {text}"))
}

#[test]
fn an_item_of_any_folder_is_held_whatever_became_of_its_meta_json() {
    let sandbox = sandbox();
    sandbox.commit(&[("design/late/notes.md", "# Notes\n\nFees are charged.\n")]);
    let script = sandbox.script("s.txt", TALK);
    let args = ["elaborate", "design/late", "--step", "01-03", "--script", &script, "--at", AT, "--json"];
    let branch = sandbox.run(&args).json()["branch"].as_str().unwrap().to_owned();
    squash(&sandbox, &branch);
    assert_eq!(held(&sandbox), (0, vec![]));
    for broken in ["{\n", "[]\n", "", "{\"slug\": 5}\n"] {
        edit(&sandbox, "design/late/meta.json", |_| broken.to_owned());
        for verb in [&["replay", "--all"][..], &["status"]] {
            let run = sandbox.run(verb);
            let said = format!("{}{}", run.stdout, run.stderr);
            assert_ne!((run.code, verb[0]), (0, "replay"), "{broken}: {said}");
            assert!(said.contains("design/late"), "{verb:?} {broken}: {said}");
        }
    }
}

#[test]
fn nothing_is_said_of_documents_that_hold_everything() {
    let sandbox = squashed();
    assert_eq!(held(&sandbox), (0, vec![]));
    let said = told(&sandbox);
    assert!(said.contains("1 recording: 1 reproduced"), "{said}");
    assert!(said.contains("Documents: everything recorded is still there"), "{said}");
    // On the branch of the discussion as well.
    let run = sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    assert!(run.stdout.contains("Documents: everything recorded is still there"), "{}", run.stdout);
}

#[test]
fn an_item_without_a_recording_is_said_to_have_none() {
    let sandbox = sandbox();
    let run = sandbox.run(&["replay", "--all"]).ok();
    assert!(run.stdout.contains("Nothing is recorded here yet: 0 recordings"), "{}", run.stdout);
    let report = sandbox.run(&["replay", "--all", "--json"]).json();
    assert_eq!((&report["recordings"], &report["documents"]), (&json!([]), &json!([])));
}

#[test]
fn a_changed_number_is_shown_beside_the_recorded_one() {
    let sandbox = squashed();
    edit(&sandbox, &spec(), |text| text.replace("within 5 minutes", "within 50 minutes"));
    let (code, found) = held(&sandbox);
    assert_eq!((code, found.len()), (1, 1), "{found:?}");
    let one = &found[0];
    assert_eq!((&one["path"], &one["kind"]), (&json!(spec()), &json!("number")));
    assert_eq!(one["line"], json!(line_of(&sandbox, &spec(), "50 minutes")));
    assert!(one["old"].as_str().unwrap().starts_with(DECISION), "{one}");
    assert!(one["new"].as_str().unwrap().starts_with("We decided to answer within 50 minutes"), "{one}");
    assert_eq!(one["recording"], json!(sandbox.recordings()[0]));
    let said = told(&sandbox);
    for words in
        ["  recorded   We decided to answer within 5 min", "  now        We decided to answer within 50 min"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    // Of the revision before the change nothing is said.
    sandbox.run(&["replay", "--all", "--rev", "HEAD~1"]).ok();
}

#[test]
fn a_loss_can_be_declared_as_the_output_says() {
    let sandbox = squashed();
    edit(&sandbox, &spec(), |text| text.replace("within 5 minutes", "within 50 minutes"));
    let said = told(&sandbox);
    let remedy = said.lines().find_map(|line| line.split("commit the file: roundtable ").nth(1)).unwrap();
    let mut args: Vec<&str> = remedy.split(' ').collect();
    *args.last_mut().unwrap() = "measured at the desk";
    sandbox.run(&args).ok();
    sandbox.commit_all();
    let (code, found) = held(&sandbox);
    assert_eq!((code, found.len()), (0, 1), "{found:?}");
    assert_eq!(found[0]["declared"]["reason"], json!("measured at the desk"));
    let file = found[0]["declared"]["file"].as_str().unwrap();
    assert!(file.starts_with(".roundtable/losses/"), "{file}");
    let said = told(&sandbox);
    assert!(said.contains(&format!("declared as lost in {file}: measured at the desk")), "{said}");
    assert!(said.contains("everything recorded is still there, except for 1 declared as lost"), "{said}");
    // One that cannot be read is an error, and nothing else is printed.
    sandbox.commit(&[(".roundtable/losses/bad.yaml", "losses: []\n")]);
    let run = sandbox.run(&["replay", "--all", "--json"]);
    let error: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(run.code == 2 && error["error"]["message"].as_str().unwrap().contains("bad.yaml"), "{error}");
    remove(&sandbox, ".roundtable/losses/bad.yaml");
    // A declaration covers its own text alone.
    edit(&sandbox, &spec(), |text| text.replace("what breaks first?", "what breaks last?"));
    let (code, found) = held(&sandbox);
    assert_eq!((code, found.len()), (1, 2), "{found:?}");
}

#[test]
fn decisions_and_questions_that_are_deleted_changed_struck_or_hidden_are_found() {
    let decision = |text: &str| text.lines().find(|line| line.contains(DECISION)).unwrap().to_owned();
    type Edit<'e> = &'e dyn Fn(&str) -> String;
    let edits: [(&str, Edit<'_>); 6] = [
        ("a deleted decision", &|text| text.replace(&format!("{}\n", decision(text)), "")),
        ("a struck decision", &|text| text.replace(DECISION, &format!("~~{DECISION}~~"))),
        ("a decision in a comment", &|text| {
            let line = decision(text);
            text.replace(&line, &format!("<!--\n{line}\n-->"))
        }),
        ("a decision that is folded away", &|text| {
            let line = decision(text);
            text.replace(&line, &format!("<details>\n\n{line}\n\n</details>"))
        }),
        ("a changed question", &|text| text.replace("what breaks first?", "what breaks last?")),
        ("a deleted marker", &|text| text.replace("<!-- Elaboration: step 01-03", "<!-- step 01-03")),
    ];
    for (case, change) in edits {
        let sandbox = squashed();
        edit(&sandbox, &spec(), change);
        let (code, found) = held(&sandbox);
        assert!(code == 1 && !found.is_empty(), "{case}: {found:?}");
        assert!(found.iter().all(|one| one["path"] == json!(spec())), "{case}: {found:?}");
    }
}

#[test]
fn what_is_moved_reflowed_or_ticked_is_kept() {
    let sandbox = squashed();
    edit(&sandbox, &spec(), |text| {
        let line = text.lines().find(|line| line.contains(DECISION)).unwrap();
        let reflowed = line.replacen("- We decided to answer", "* [x] We decided\n  to answer", 1);
        let rest = text.replace(&format!("{line}\n"), "");
        rest.replacen("## 2. User Needs\n", &format!("## 2. User Needs\n\n{reflowed}\n"), 1)
    });
    assert_eq!(held(&sandbox), (0, vec![]), "{}", sandbox.file("main", &spec()));
    // Words of people between the lines, and below a line, are theirs.
    edit(&sandbox, &spec(), |text| text.replace("## 4.", "A note.\n\n## 4."));
    assert_eq!(held(&sandbox), (0, vec![]));
}

#[test]
fn a_document_a_record_or_a_recording_that_is_gone_is_found() {
    let says = |sandbox: &Sandbox, words: &str| {
        let run = sandbox.run(&["replay", "--all"]);
        assert_eq!(run.code, 1, "{words}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    };
    let sandbox = squashed();
    remove(&sandbox, &spec());
    says(&sandbox, &format!("{}: the document is not there any more", spec()));
    let sandbox = squashed();
    remove(&sandbox, &meta());
    says(&sandbox, "the item's meta.json is not there any more, and its recordings are");
    let sandbox = squashed();
    edit(&sandbox, &meta(), |_| "{}\n".to_owned());
    says(&sandbox, &format!("{}: recorded, and gone", meta()));
    let sandbox = squashed();
    edit(&sandbox, &meta(), |text| text.replace("\"turn_count\": ", "\"turn_count\": 1"));
    says(&sandbox, "elaborations[0].turn_count");
    let sandbox = squashed();
    edit(&sandbox, &meta(), |_| "{\n".to_owned());
    says(&sandbox, "not valid JSON");
    let sandbox = squashed();
    edit(&sandbox, &meta(), |text| text.replacen("\"elaborations\": [", "\"elaborations\": [7,", 1));
    says(&sandbox, "1 of 2 records name no step or no time");
    let sandbox = squashed();
    remove(&sandbox, &sandbox.recordings()[0]);
    says(&sandbox, "the marker of the discussion of step 01-03, 2026-02-20T14:30:00.000Z, has no recording");
    says(&sandbox, "the record of the discussion of step 01-03, 2026-02-20T14:30:00.000Z, has no recording");
    let sandbox = squashed();
    let recording = sandbox.recordings()[0].clone();
    git(&sandbox.root(), &["mv", &recording, &recording.replace("01-03-", "01-04-")]);
    git(&sandbox.root(), &["commit", "--quiet", "--message", "named"]);
    says(&sandbox, "it is the recording of step 01-03, 2026-02-20T14:30:00.000Z, and its name says another");
}

#[test]
fn each_discussion_of_a_document_is_held_for_its_own_words() {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    squash(&sandbox, BRANCH);
    // A person writes between the two, and the second discussion places its text beside the first one's.
    edit(&sandbox, &spec(), |text| {
        text.replace("### Elaboration Insights", "A note.\n\n### Elaboration Insights")
    });
    let second = "Maya, who pays?\nWe decided to keep 30 photos because the phone is small.\ndone\n";
    let script = sandbox.script("second.txt", second);
    let args = ["elaborate", ITEM, "--step", "01-03", "--script", &script, "--at", "2026-02-21T14:30:00Z"];
    sandbox.run(&[&args[..], &["--branch", "roundtable/second"]].concat()).ok();
    squash(&sandbox, "roundtable/second");
    assert_eq!(held(&sandbox), (0, vec![]));
    edit(&sandbox, &spec(), |text| {
        text.replace("within 5 minutes", "within 6 minutes").replace("keep 30", "keep 20")
    });
    let (code, found) = held(&sandbox);
    assert_eq!((code, found.len()), (1, 2), "{found:?}");
    for (number, day) in [("5 minutes", "20260220"), ("30 photos", "20260221")] {
        let one = found.iter().find(|one| one["old"].as_str().unwrap().contains(number)).unwrap();
        assert!(one["recording"].as_str().unwrap().contains(day), "{one}");
    }
    // The same words twice are two lines: one of them alone is not enough.
    let sandbox = squashed();
    let script = sandbox.script("again.txt", TALK);
    let args = ["elaborate", ITEM, "--step", "01-03", "--script", &script, "--at", "2026-02-21T14:30:00Z"];
    sandbox.run(&[&args[..], &["--branch", "roundtable/again"]].concat()).ok();
    squash(&sandbox, "roundtable/again");
    assert_eq!(held(&sandbox), (0, vec![]));
    let twice = sandbox.file("main", &spec()).matches(DECISION).count();
    edit(&sandbox, &spec(), |text| text.replacen("within 5 minutes", "within 7 minutes", 1));
    assert_eq!(sandbox.file("main", &spec()).matches(DECISION).count(), twice - 1);
    assert_eq!(held(&sandbox).0, 1);
}

#[test]
fn what_an_analysis_wrote_is_held_as_well() {
    let sandbox = sandbox();
    let script = sandbox.script(
        "answers.yaml",
        "user: Sam\nanswers:\n  \"00-01\":\n    1: The desk answers within 5 minutes.\n    menu: [C]\n",
    );
    sandbox.run(&["analyze", "offline-mode", "--script", &script, "--at", AT]).ok();
    // Squashed together with somebody's own line, which is theirs.
    git(&sandbox.root(), &["reset", "--quiet", "--hard"]);
    git(&sandbox.root(), &["merge", "--quiet", "--squash", BRANCH]);
    std::fs::write(sandbox.root().join(ITEM).join("notes.md"), "# Notes\n\nSomebody's note.\n").unwrap();
    sandbox.commit_all();
    assert_eq!(held(&sandbox), (0, vec![]));
    let said = told(&sandbox);
    assert!(said.starts_with("0 recordings of discussions, 1 log of an analysis"), "{said}");
    assert!(said.contains("Documents: everything recorded is still there"), "{said}");
    let scan = format!("{ITEM}/quick-scan.md");
    edit(&sandbox, &format!("{ITEM}/notes.md"), |text| text.replace("Somebody's", "Nobody's"));
    assert_eq!(held(&sandbox), (0, vec![]));
    edit(&sandbox, &scan, |text| text.replace("within 5 minutes", "within 9 minutes"));
    let (code, found) = held(&sandbox);
    assert_eq!((code, found.len()), (1, 1), "{found:?}");
    assert_eq!((&found[0]["path"], &found[0]["kind"]), (&json!(scan), &json!("number")));
    // A paragraph is one place.
    let first = usize::try_from(found[0]["line"].as_u64().unwrap()).unwrap();
    let text = sandbox.file("main", &scan);
    let mut paragraph = text.lines().skip(first - 1).take_while(|line| !line.is_empty());
    assert!(paragraph.any(|line| line.contains("9 minutes")), "{first}: {text}");
    assert!(found[0]["recording"].as_str().unwrap().contains("/analysis/00-01-"), "{found:?}");
}

#[test]
fn what_was_added_to_a_draft_is_counted_and_compared_once_it_is_accepted() {
    let sandbox = empty();
    let record = |status: &str| format!("# 3. Fees\n\n## Status\n\n{status}\n\n## Decision\n\nTBD\n");
    let other = record("Accepted").replace("3. Fees", "2. Desk");
    let path = "docs/adr/0003-fees.md";
    sandbox.commit(&[
        (".roundtable.yaml", "protect: [{preset: adr}]\n"),
        ("docs/adr/0002-desk.md", &other),
        (path, &record("Proposed")),
    ]);
    let script = sandbox.script("s.txt", "Decision: fees stop at 10 euros.\ndone\n");
    let args = ["elaborate", path, "--step", "01-03", "--script", &script, "--at", AT, "--json"];
    let branch = sandbox.run(&args).json()["branch"].as_str().unwrap().to_owned();
    squash(&sandbox, &branch);
    let added = sandbox.file("main", path);
    let kept = |text: &str| !text.contains("10 euros");
    let without = |text: &str| {
        text.lines().filter(|line| kept(line)).fold(String::new(), |all, line| all + line + "\n")
    };
    edit(&sandbox, path, without);
    let said = sandbox.run(&["replay", "--all"]).ok().stdout;
    assert!(said.contains("Documents: everything that was compared is still there"), "{said}");
    assert!(said.contains("1 recording not compared: its document was a draft"), "{said}");
    let report = sandbox.run(&["replay", "--all", "--json"]).json();
    assert_eq!(report["not_compared"].as_array().map(Vec::len), Some(1), "{report}");
    // Nothing is free any more.
    edit(&sandbox, path, |text| text.replace("Proposed", "Accepted"));
    let (code, found) = held(&sandbox);
    assert_eq!((code, found.len()), (1, 1), "{found:?}");
    assert!(found[0]["old"].as_str().unwrap().contains("10 euros"), "{found:?}");
    edit(&sandbox, path, |_| added.replace("Proposed", "Accepted"));
    let said = sandbox.run(&["replay", "--all"]).ok().stdout;
    assert!(said.contains("Documents: everything recorded is still there"), "{said}");
}

/// Of the commit of a step, each line is its own: also what no words of an answer are, as the rows of a table.
#[test]
fn every_line_of_the_commit_of_a_step_is_held() {
    let sandbox = sandbox();
    let steps = ["00-01", "00-02", "00-03", "01-01"]
        .map(|step| format!("  \"{step}\": [null, null, null, null, null, null, null, null, null]\n"));
    let answers =
        "  \"01-02\":\n    1: |\n      FR: The desk sends one letter a month.\n      Must: FR-002\n";
    let script = sandbox.script("answers.yaml", format!("user: Sam\nanswers:\n{}{answers}", steps.concat()));
    sandbox.run(&["analyze", "offline-mode", "--script", &script, "--depth", "standard", "--at", AT]).ok();
    git(&sandbox.root(), &["reset", "--quiet", "--hard"]);
    git(&sandbox.root(), &["merge", "--quiet", "--ff-only", BRANCH]);
    assert_eq!(held(&sandbox), (0, vec![]));
    let scan = format!("{ITEM}/quick-scan.md");
    let row =
        sandbox.file("main", &scan).lines().find(|line| line.starts_with("| offline")).unwrap().to_owned();
    edit(&sandbox, &scan, |text| text.replace(&format!("{row}\n"), ""));
    let (code, found) = held(&sandbox);
    assert_eq!((code, found.len()), (1, 1), "{found:?}");
    assert!(found[0]["recording"].as_str().unwrap().contains("/analysis/00-0"), "{found:?}");
}
