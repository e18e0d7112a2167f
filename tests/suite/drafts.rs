//! A step's draft by a model: what of an answer is taken, what is refused and why, and the request and reply of a program.

use roundtable::item::library::Library;
use roundtable::voice::model::drafting::{Answered, Draft, Kind, Material};
use roundtable::voice::model::evidence::Evidence;
use roundtable::voice::model::prompt::{Earlier, Given};
use roundtable::voice::sources::Excerpt;
use serde_json::{Value, json};

use crate::kit::{AT, Run, Sandbox, sandbox};

const SPEC: &str = "# Spec\n\nFR-001: A photo waits at most 30 seconds.\n\nFR-002: The queue keeps 64 photos.\n\nNothing is lost when the battery dies.\n";
const CODE: &str = "fn send(photo: &Photo) -> Result<Receipt, Refused> {\n    retry(3, photo)\n}\n";

/// What is taken of such lines, for a step with three answers, a document, a file of code and an earlier step.
fn judged(lines: &Value) -> Draft {
    let library = Library::built_in().unwrap();
    let step = library.step("01-03").unwrap();
    let excerpt = Excerpt { path: "src/send.rs".into(), line: 40, text: CODE.into() };
    let earlier = Earlier { path: "steps/00-01".into(), text: "Tablets are offline for 8 hours.".into() };
    let evidence = Evidence { excerpts: vec![excerpt], ..Evidence::default() };
    let given = Given { evidence, earlier: vec![earlier], ..Given::default() };
    let answer = |number, asked, said, decides| Answered { number, asked, said, decides };
    let answers = [
        answer(
            1,
            "Who is affected?",
            "Inspectors save answers without a network.\nInspectors never see a spinner there.",
            false,
        ),
        answer(
            2,
            "What happens on a conflict?",
            "We decided to keep both answers, because a lost one costs a day.",
            false,
        ),
        answer(3, "Which store?", "One file for each day.", true),
    ];
    let kinds: Vec<Kind> =
        Kind::ALL.iter().map(|(kind, _)| *kind).filter(|kind| *kind != Kind::Flow).collect();
    let material = Material {
        library: &library,
        step,
        depth: step.depth,
        persona: library.cast.get("business-analyst").unwrap(),
        item_name: "offline mode",
        documents: vec![("spec.md", SPEC)],
        given: &given,
        answers: &answers,
        wanted: &kinds,
    };
    material.judge(&json!({"lines": lines}).to_string()).unwrap()
}

fn rest(path: &str, quote: &str) -> Value {
    json!({"path": path, "line": 1, "quote": quote})
}

#[test]
fn a_line_of_a_draft_may_rest_on_answers_documents_code_and_earlier_steps() {
    let lines = json!([
        {"kind": "summary", "text": "Inspectors save answers without a network", "rests": [rest("answers/1", "save answers without a network")]},
        {"kind": "requirement", "text": "A saved photo waits at most 30 seconds", "anchor": "FR-001", "rests": [rest("spec.md", "a photo waits at most 30 seconds")]},
        {"kind": "operation", "fields": {"name": "send", "input": "photo", "output": "Receipt", "errors": "Refused"}, "rests": [{"path": "src/send.rs", "line": 40}]},
        {"kind": "risk", "fields": [{"name": "risk", "text": "Tablets are offline longer than 8 hours"}, {"name": "owner", "text": "Maya Chen"}, {"name": "id", "text": "R-9"}], "rests": [rest("steps/00-01", "offline for 8 hours")]},
        {"kind": "acceptance-criterion", "text": "Given an inspector without a network, When an answer is saved, Then no dialog blocks the next one", "rests": [rest("answers/1", "")]},
        {"kind": "decision-record", "fields": {"title": "Conflicts", "decision": "Keep both answers", "consequences": "Both answers need room"}, "rests": [rest("answers/2", "keep both answers")]},
        {"kind": "decision-record", "fields": {"title": "Store", "decision": "One file for each day"}, "rests": [rest("answers/3", "One file for each day")]},
    ]);
    let draft = judged(&lines);
    assert_eq!(draft.refused, []);
    let places: Vec<(&str, usize)> =
        draft.lines.iter().map(|line| (line.rests[0].path.as_str(), line.rests[0].line)).collect();
    let wanted = [("answers/1", 1), ("spec.md", 3), ("src/send.rs", 40), ("steps/00-01", 1)];
    assert_eq!(places[..4], wanted);
    // Nobody at the table owns anything, and ids are the program's.
    assert_eq!(draft.lines[3].fields["owner"].text(), "unassigned");
    assert!(!draft.lines[3].fields.contains_key("id"));
    // A place without a quotation is quoted as it is.
    assert!(draft.lines[2].rests[0].quote.starts_with("fn send(photo"));
    let log = serde_json::to_string(&draft.lines[1]).unwrap();
    assert_eq!(
        log,
        r#"{"kind":"requirement","anchor":"FR-001","text":"A saved photo waits at most 30 seconds","rests":[{"path":"spec.md","line":3,"quote":"A photo waits at most 30 seconds"}]}"#
    );
}

#[test]
fn a_line_of_a_draft_that_rests_on_nothing_is_refused_with_the_reason() {
    let said = |kind: &str, text: &str, path: &str, quote: &str| json!({"kind": kind, "text": text, "rests": [rest(path, quote)]});
    let summary = |text: &str| said("summary", text, "answers/1", "save answers without a network");
    for (line, why) in [
        (json!({"kind": "summary", "text": "Inspectors save answers"}), "names nothing that it rests on"),
        (
            said("summary", "Inspectors save answers", "answers/9", "save answers"),
            "a passage that there is not",
        ),
        (
            said("summary", "Inspectors save answers", "answers/1", "save questions"),
            "the nearest line is answers/1:1",
        ),
        (said("summary", "Inspectors save answers", "step", "Each"), "a passage that there is not"),
        (summary("Inspectors save answers for 5 days"), "do not have \"5\""),
        (summary("Inspectors save answers as FR-002 says"), "do not have \"FR-002\""),
        (summary("Inspectors save answers as FR-009 says"), "an id is one of the documents'"),
        (summary("A satellite link replaces every warehouse"), "is in none of"),
        (summary("Inspectors save answers, as Alex wants"), "do not have \"alex\""),
        (summary("We decided to save answers"), "only users decide"),
        (summary("spec.md, line 3, says \"inspectors save answers at once\""), "quotation"),
        (
            summary("<think>Inspectors save answers without a network</think>"),
            "only what is meant to be said",
        ),
        (summary("Alex Rivera (Solutions Architect): Inspectors save answers"), "another speaker"),
        (summary("# Inspectors save answers without a network"), "no headings"),
        (
            json!({"kind": "decision-record", "fields": {"title": "x", "decision": "Keep one answer of 2"}, "rests": [rest("answers/2", "keep both answers")]}),
            "only users decide",
        ),
        (
            json!({"kind": "decision-record", "fields": {"decision": "Save answers without a network"}, "rests": [rest("answers/1", "save answers without a network")]}),
            "only users decide",
        ),
        (
            json!({"kind": "decision-record", "fields": {"options": "Keep both answers"}, "rests": [rest("answers/2", "keep both answers")]}),
            "needs a decision",
        ),
        (
            json!({"kind": "flow", "fields": {"from": "tablet"}, "rests": [rest("answers/1", "save answers")]}),
            "takes no line of the kind flow",
        ),
        (said("summary", "…", "answers/1", "save answers"), "it says nothing"),
        (said("note", "**", "answers/1", "save answers"), "it says nothing"),
        (
            said("requirement", "To be determined", "answers/1", "save answers"),
            "it is in none of the passages",
        ),
        (
            said("summary", "Let's move on to the next question.", "answers/1", "save answers"),
            "in none of the passages",
        ),
        (
            json!({"kind": "verdict", "fields": {"criterion": "…", "verdict": "not met", "because": "inspectors save answers"}, "rests": [rest("answers/1", "save answers")]}),
            "it says nothing",
        ),
        (
            json!({"kind": "verdict", "fields": {"verdict": "not met", "because": "inspectors save answers"}, "rests": [rest("answers/1", "save answers")]}),
            "it says nothing",
        ),
        (json!({"kind": "joke", "text": "x"}), "not a kind of a line"),
        (json!({"kind": "note", "fields": {"id": "FR-1"}}), "neither text nor fields"),
        (json!(7), "not a kind of a line"),
    ] {
        let draft = judged(&json!([line]));
        assert!(draft.lines.is_empty(), "{line}");
        assert!(draft.refused[0].why.contains(why), "{line}: {}", draft.refused[0].why);
    }
    // One that says what another one says is taken once; of summaries there are few.
    let many: Vec<Value> = (0..200).map(|_| summary("Inspectors save answers without a network")).collect();
    assert_eq!(judged(&json!(many)).lines.len(), 1);
}

#[test]
fn a_program_drafts_a_step_and_the_user_sees_what_was_left_out() {
    let sandbox = sandbox();
    let script =
        sandbox.script("script.txt", "Sync runs at night\nPhotos of the day\nOne tablet\nThe queue\nC\n");
    let program = sandbox.script(
        "draft.sh",
        "#!/bin/sh\nread -r asked\nprintf '%s\\n' \"$asked\" >> \"$0.asked\"\nprintf '%s' '{\"lines\": [{\"kind\": \"summary\", \"text\": \"Sync runs at night\", \"rests\": [{\"path\": \"answers/1\", \"line\": 1, \"quote\": \"Sync runs at night\"}]}, {\"kind\": \"summary\", \"text\": \"Sync runs at night for 20 minutes\", \"rests\": [{\"path\": \"answers/1\", \"line\": 1, \"quote\": \"Sync runs\"}]}]}'\n",
    );
    let voice = format!("command:/bin/sh {program}");
    let run = sandbox.run(&["analyze", "offline-mode", "--script", &script, "--at", AT, "--voice", &voice]);
    let run: Run = run.ok();
    assert!(
        run.stderr.contains(
            "left out of the draft: \"Sync runs at night for 20 minutes\": the passages it rests on do not have \"20\""
        ),
        "{}",
        run.stderr
    );
    let asked = std::fs::read_to_string(format!("{program}.asked")).unwrap();
    let asked: Value = serde_json::from_str(asked.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&asked["want"], &asked["step"], &asked["depth"]),
        (&json!("draft"), &json!("00-01"), &json!("standard"))
    );
    assert!(asked["prompt"].as_str().unwrap().contains("1| Sync runs at night"));
}

/// A program that keeps what it is asked, and passes.
fn passing(sandbox: &Sandbox) -> String {
    let program =
        "#!/bin/sh\nread -r asked\nprintf '%s\\n' \"$asked\" >> \"$0.asked\"\necho '{\"pass\": true}'\n";
    sandbox.script("pass.sh", program)
}

#[test]
fn a_price_is_in_the_table_and_in_json_and_a_wrong_one_is_refused() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "Photos wait.\ndone\n");
    let voice = format!("command:/bin/sh {}", passing(&sandbox));
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT, "--dry-run"];
    let with = |more: &[&str]| sandbox.run(&[&args[..], &["--voice", &voice], more].concat());
    let usage = with(&["--price", "3,0.3,15", "--json"]).json()["usage"].clone();
    assert!(usage["cost"].as_f64().unwrap() > 0.0, "{usage}");
    assert!(with(&["--json"]).json()["usage"].get("cost").is_none());
    let table = with(&["--price", "3,0.3,15"]).ok().stdout;
    assert!(table.contains("   output     cost\n") && table.contains(" in all "), "{table}");
    let refused = with(&["--price", "3,15"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("--price: \"3,15\" is not a price\n  = help: write dollars"),
        "{}",
        refused.stderr
    );
    let refused = sandbox.run(&[&args[..], &["--price", "1,1,1"]].concat());
    assert!(refused.stderr.contains("--price needs a voice with a model"), "{}", refused.stderr);
}

#[test]
fn a_model_is_told_what_was_decided_before() {
    let sandbox = sandbox();
    let first = sandbox
        .script("1.txt", "We decided to keep both answers, because a lost answer costs a day.\ndone\n");
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--at", AT, "--script"];
    sandbox.run(&[&args[..], &[&first]].concat()).ok();
    let program = passing(&sandbox);
    let (second, voice) =
        (sandbox.script("2.txt", "Photos wait.\ndone\n"), format!("command:/bin/sh {program}"));
    sandbox.run(&[&args[..], &[&second, "--voice", &voice, "--dry-run"]].concat()).ok();
    let asked = std::fs::read_to_string(format!("{program}.asked")).unwrap();
    let asked: Value = serde_json::from_str(asked.lines().next().unwrap()).unwrap();
    let (_, earlier) = asked["prompt"].as_str().unwrap().split_once("Settled or answered earlier").unwrap();
    assert!(
        earlier.contains("```elaborations/01-03-20260220")
            && earlier.contains("1| We decided to keep both answers"),
        "{earlier}"
    );
}
