//! `why`: from a line to the turns it rests on.

use crate::kit::{AT, BRANCH, ITEM, Sandbox, sandbox};

const TALK: &str =
    "Alex, what breaks first?\nWe decided to keep both answers because nobody may lose work.\ndone\n";

fn spec() -> String {
    format!("{ITEM}/requirements-spec.md")
}

/// The number of the first line of the artifact on the branch that holds these words.
fn line_of(sandbox: &Sandbox, path: &str, words: &str) -> usize {
    let text = sandbox.file(BRANCH, path);
    text.lines().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {text}")) + 1
}

fn why(sandbox: &Sandbox, path: &str, line: usize) -> serde_json::Value {
    sandbox.run(&["why", &format!("{path}:{line}"), "--rev", BRANCH, "--json"]).json()
}

#[test]
fn a_decision_leads_to_the_turn_it_was_made_in() {
    let sandbox = sandbox();
    let report = sandbox.elaborate(TALK, &["--at", AT, "--json"]).json();
    let line = line_of(&sandbox, &spec(), "eep both answers");
    let found = why(&sandbox, &spec(), line);
    assert_eq!(found["by"], "discussion");
    assert_eq!(found["finding"]["kind"], "decision");
    assert_eq!(found["commit"], report["commit"]);
    assert_eq!(found["recording"], report["recording"]);
    assert_eq!(found["record"]["step_id"], "01-03");
    assert_eq!(found["marker"]["line"], line_of(&sandbox, &spec(), "<!-- Elaboration"));
    let turns = found["turns"].as_array().unwrap();
    assert!(
        turns.iter().any(|turn| turn["text"].as_str().unwrap().starts_with("We decided to keep")),
        "{found}"
    );
    let told = sandbox.run(&["why", &format!("{}:{line}", spec()), "--rev", BRANCH]).ok().stdout;
    for words in [
        "Decision, from turn",
        "marker     line",
        "meta.json, 1 of 1",
        "elaborations/01-03-",
        "We decided to keep",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn a_document_beside_its_own_folder_leads_to_its_discussion() {
    let sandbox = sandbox();
    let texts = [("design/fees.md", "# Fees\n\nFees are charged.\n"), ("design/other.md", "# Other\n")];
    sandbox.commit(&texts);
    let script = sandbox.script("s.txt", TALK);
    let args = ["elaborate", "design/fees.md", "--script", &script, "--at", AT, "--json"];
    let branch = sandbox.run(&args).json()["branch"].as_str().unwrap().to_owned();
    let text = sandbox.file(&branch, "design/fees.md");
    let line = 1 + text.lines().position(|line| line.contains("keep both answers")).unwrap();
    let place = format!("design/fees.md:{line}");
    let found = sandbox.run(&["why", &place, "--rev", &branch, "--json"]).json();
    assert_eq!(
        (&found["by"], &found["finding"]["kind"]),
        (&"discussion".into(), &"decision".into()),
        "{found}"
    );
    let listed = sandbox.run(&["why", "design/fees.md", "--rev", &branch]).ok().stdout;
    assert!(!listed.contains("No discussion"), "{listed}");
}

#[test]
fn every_finding_of_every_kind_of_artifact_leads_to_its_turns() {
    let mut seen = 0;
    for file in ["a.md", "b.json", "c.yaml", "d.csv"] {
        seen += findings_that_lead_back(file);
    }
    assert!(seen >= 12, "{seen}");
}

/// How many findings of a discussion that writes into this artifact lead to their turns: all of them.
fn findings_that_lead_back(file: &str) -> usize {
    let sandbox = sandbox();
    let step = format!(
        "---\nstep_id: \"01-09\"\ntitle: Everything\npersona: business-analyst\ndepth: brief\noutputs: [{file}]\n---\n## Brief Mode\n1. Which users matter most?\n## Standard Mode\n1. Which users matter most?\n## Deep Mode\n1. Which users matter most?\n## Validation\n- Each user is named.\n## Artifacts\n- x\n"
    );
    sandbox.commit(&[(".roundtable.yaml", "steps: own\n"), ("own/01-requirements/09-all.md", &step)]);
    let talk = format!("Note: Last week 12 inspectors lost an answer in a basement.\n{TALK}");
    let script = sandbox.script("s.txt", &talk);
    sandbox.run(&["elaborate", "offline-mode", "--step", "01-09", "--script", &script, "--at", AT]).ok();
    let synthesis = sandbox.events().into_iter().find(|event| event["kind"] == "synthesis").unwrap();
    let path = format!("{ITEM}/{file}");
    let text = sandbox.file(BRANCH, &path);
    let mut seen = 0;
    for (kind, key) in
        [("insight", "insights"), ("decision", "decisions"), ("open question", "open_questions")]
    {
        for wanted in synthesis[key].as_array().unwrap() {
            // The words may be escaped: the first few that are plain find the line.
            let is_plain = |c: &char| c.is_alphanumeric() || " ,.".contains(*c);
            let words: String = wanted["text"].as_str().unwrap().chars().take_while(is_plain).collect();
            let lines = text.lines().enumerate().filter(|(_, line)| line.contains(words.trim()));
            let found = lines.map(|(at, _)| why(&sandbox, &path, at + 1));
            let fits = |found: &serde_json::Value| {
                found["finding"]["text"] == wanted["text"]
                    && found["finding"]["kind"] == kind
                    && found["finding"]["turns"] == wanted["turns"]
            };
            assert!(found.into_iter().any(|found| fits(&found)), "{file}: {wanted}\n{text}");
            seen += 1;
        }
    }
    assert_eq!(sandbox.run(&["replay", "--all", "--rev", BRANCH]).code, 0);
    seen
}

#[test]
fn what_people_wrote_is_theirs_inside_an_addition_too() {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    let text = sandbox.file(BRANCH, &spec());
    let own = text.replace("#### Decisions Made\n", "Somebody's note.\n\n#### Decisions Made\n");
    assert_ne!(own, text);
    sandbox.git.set_head(&format!("refs/heads/{BRANCH}")).unwrap();
    sandbox.git.checkout_head(Some(git2::build::CheckoutBuilder::new().force())).unwrap();
    let commit = sandbox.commit(&[(&spec(), &own)]);
    let found = why(&sandbox, &spec(), line_of(&sandbox, &spec(), "Somebody's note"));
    assert_eq!(
        (found["by"].as_str(), found["commit"].as_str()),
        (Some("commit"), Some(commit.to_string().as_str()))
    );
    assert_eq!(found["author"], "Sam");
    // The lines around it still lead to the discussion, and nothing is amiss.
    assert_eq!(why(&sandbox, &spec(), line_of(&sandbox, &spec(), "eep both answers"))["by"], "discussion");
    assert_eq!(sandbox.run(&["replay", "--all"]).code, 0);
    // What was there before is the first commit's.
    let old = why(&sandbox, &spec(), 5);
    assert_eq!((old["by"].as_str(), old["subject"].as_str()), (Some("commit"), Some("documents")));
}

#[test]
fn without_a_line_every_discussion_is_listed() {
    let sandbox = sandbox();
    for at in [AT, "2026-02-21T14:30:00Z"] {
        sandbox.elaborate(TALK, &["--at", at]).ok();
    }
    let all = sandbox.run(&["why", &spec(), "--rev", BRANCH, "--json"]).json();
    let found = all["discussions"].as_array().unwrap();
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|one| one["recording"].is_string()), "{all}");
    assert!(found[0]["end"].as_u64() < found[1]["line"].as_u64());
    let none = sandbox.run(&["why", "src/sync.rs"]).ok();
    assert!(none.stdout.contains("No discussion has written"), "{}", none.stdout);
}

#[test]
fn records_and_recordings_explain_themselves() {
    let sandbox = sandbox();
    let report = sandbox.elaborate(TALK, &["--at", AT, "--json"]).json();
    let meta = format!("{ITEM}/meta.json");
    let record = why(&sandbox, &meta, line_of(&sandbox, &meta, "synthesis_summary"));
    assert_eq!((record["by"].as_str(), &record["recording"]), (Some("discussion"), &report["recording"]));
    let event = why(&sandbox, report["recording"].as_str().unwrap(), 2);
    assert_eq!(
        (event["by"].as_str(), event["event"]["kind"].as_str()),
        (Some("recording"), Some("contribution"))
    );
    assert_eq!(event["commit"], report["commit"]);
}

#[test]
fn lines_and_files_that_are_not_there_are_exit_2() {
    let sandbox = sandbox();
    for (place, words) in [
        ("nowhere.md:1", "no file nowhere.md"),
        ("docs/requirements/offline-mode/requirements-spec.md:0", "no line 0"),
        ("docs/requirements/offline-mode/requirements-spec.md:999", "no line 999"),
        ("../x.md:1", "not a path"),
        ("docs:1", "a folder"),
        ("", "not a path"),
    ] {
        let run = sandbox.run(&["why", place]);
        assert_eq!(run.code, 2, "{place}: {}", run.stdout);
        assert!(run.stderr.contains(words), "{place}: {}", run.stderr);
    }
}

#[test]
fn a_file_is_named_from_the_current_folder() {
    let sandbox = sandbox();
    let mut command = crate::kit::program(&sandbox.root().join(ITEM), &sandbox.outside("home"));
    command.args(["why", "requirements-spec.md:3", "--json"]);
    let found = crate::kit::Run::of(command.output().unwrap()).json();
    assert_eq!(found["path"], spec());
}
