//! Answers of a model that are not what was asked: prose, a cut object, wrong entries. They are asked for once more, then
//! told, and nothing is made of them.

use serde_json::{Value, json};

use crate::kit::{AT, ITEM, Run, Sandbox, sandbox};

const PROSE: &str = "Sorry, I cannot help with that.";

/// A program that keeps what it is asked for, and gives an answer for each kind of request; a synthesis where it has none.
fn voice(sandbox: &Sandbox, answers: &[(&str, &str)]) -> String {
    let mut body = String::from(
        "#!/bin/sh\nread -r asked\nprintf '%s\\n' \"$asked\" >> \"$0.asked\"\ncase \"$asked\" in\n",
    );
    for (number, (want, answer)) in answers.iter().enumerate() {
        let file = sandbox.script(&format!("answer-{number}"), answer);
        body.push_str(&format!("*'\"want\":\"{want}\"'*) cat {file};;\n"));
    }
    let nothing = r#"{"insights": [], "decisions": [], "open_questions": [], "action_items": []}"#;
    body.push_str(&format!(
        "*'\"want\":\"synthesis\"'*) printf '%s' '{nothing}';;\n*) printf '%s' '{PROSE}';;\nesac\n"
    ));
    format!("command:/bin/sh {}", sandbox.script("voice.sh", body))
}

fn wants(sandbox: &Sandbox) -> Vec<String> {
    let asked = std::fs::read_to_string(sandbox.outside("voice.sh.asked")).unwrap_or_default();
    let want = |line: &str| serde_json::from_str::<Value>(line).unwrap()["want"].as_str().unwrap().to_owned();
    asked.lines().map(want).collect()
}

fn held(sandbox: &Sandbox, voice: &str, more: &[&str]) -> Run {
    sandbox.elaborate("Photos wait.\ndone\n", &[&["--voice", voice, "--at", AT], more].concat())
}

fn point(question: &str, quote: &str) -> Value {
    json!({
        "question": question, "quotes": [{"path": "requirements-spec.md", "line": 5, "quote": quote}], "why": "",
        "options": ["a"], "recommended": "a", "weight": "detail", "kind": "value",
    })
}

#[test]
fn prose_is_asked_for_again_told_and_never_said_by_anybody() {
    let sandbox = sandbox();
    let voice = voice(&sandbox, &[]);
    let run = held(&sandbox, &voice, &["--json"]);
    let report = run.json();
    assert_eq!(wants(&sandbox).iter().filter(|want| *want == "points").count(), 2);
    let warnings: Vec<&str> =
        report["warnings"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert!(warnings[0].starts_with("the model's list of open points could not be read, asked for twice"));
    assert!(warnings.iter().any(|one| one.contains("answers of the model were no JSON")), "{warnings:?}");
    let events = sandbox.events();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[..3], ["opened", "points", "critique"]);
    assert!(events.iter().all(|event| !event["text"].as_str().unwrap_or_default().contains("Sorry")));
    // It replays, and says so where it is asked how far the voices kept to their part.
    sandbox.run(&["replay", "--all", "--rev", crate::kit::BRANCH]).ok();
    let recording = format!("{}:{}", crate::kit::BRANCH, sandbox.recordings()[0]);
    let shown = sandbox.run(&["show", &recording, "--integrity"]);
    assert!(shown.stdout.contains("could not be read, asked for twice"), "{}", shown.stdout);
}

#[test]
fn a_point_that_the_referee_drops_is_counted_with_its_reason() {
    let sandbox = sandbox();
    let points = json!({"points": [
        null, point("How fast is fast?", "Sync should be fast."), point("Why so slow?", "Sync should be slow."),
    ]});
    let voice = voice(&sandbox, &[("points", &points.to_string()), ("refute", r#"{"refute": []}"#)]);
    let run = held(&sandbox, &voice, &[]).ok();
    assert!(run.stderr.contains("2 open points of the model were left out"), "{}", run.stderr);
    let critiques: Vec<Value> =
        sandbox.events().into_iter().filter(|event| event["kind"] == "critique").collect();
    let of = |on: &str| critiques.iter().find(|one| one["on"] == on).unwrap()["problem"].as_str().unwrap();
    assert_eq!(of("points/0"), "the entry is not an object");
    assert_eq!(of("points/1"), "Why so slow?: \"Sync should be slow.\" is not in requirements-spec.md");
    let recording = format!("{}:{}", crate::kit::BRANCH, sandbox.recordings()[0]);
    let shown = sandbox.run(&["show", &recording, "--integrity", "--json"]).json();
    assert_eq!(shown["left_out"][1]["on"], "points/1", "{shown}");
    // The same lines given again come to the same recording.
    let text = sandbox.file(crate::kit::BRANCH, &sandbox.recordings()[0]);
    let again = crate::kit::sandbox();
    let voice = format!("recorded:{}", again.script("held.jsonl", &text));
    let played = held(&again, &voice, &["--json"]).json();
    assert_eq!(played["commit"].as_str().map(str::len), Some(40), "{played}");
}

#[test]
fn a_review_never_calls_an_unreadable_answer_nothing() {
    let sandbox = sandbox();
    let first = voice(&sandbox, &[]);
    for _ in 0..2 {
        let run = sandbox.run(&["review", ITEM, "--voice", &first, "--fail-on", "none"]);
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("the model's answer could not be read"), "{}", run.stderr);
        assert!(run.stderr.contains("name another model"), "{}", run.stderr);
    }
    // Nothing was kept: each run asked twice.
    assert_eq!(wants(&sandbox), ["points"; 4]);
    // Only points that the referee drops: told, and asked again the next time.
    let slow = json!({"points": [point("Why so slow?", "Sync should be slow.")]});
    let second = voice(&sandbox, &[("points", &slow.to_string())]);
    for _ in 0..2 {
        let run = sandbox.run(&["review", ITEM, "--voice", &second, "--fail-on", "none"]).ok();
        assert!(run.stdout.contains("No open point was found"), "{}", run.stdout);
        assert!(run.stdout.contains("Left out, 1 point: Why so slow?"), "{}", run.stdout);
    }
    assert_eq!(wants(&sandbox), ["points"; 6]);
}

#[test]
fn what_a_failing_program_prints_is_masked() {
    let sandbox = sandbox();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8".repeat(3));
    let body = format!(
        "#!/bin/sh\ncat > /dev/null\nprintf '401 \\033[31mbad key {token} password=n0t-here' >&2\nexit 1\n"
    );
    let voice = format!("command:/bin/sh {}", sandbox.script("bad.sh", body));
    for more in [&[][..], &["--json"]] {
        let run = held(&sandbox, &voice, more);
        let all = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, 2, "{all}");
        assert!(all.contains("401") && all.contains("[masked: GitHub token]"), "{all}");
        assert!(!all.contains("a1B2c3D4") && !all.contains("n0t-here") && !all.contains('\u{1b}'), "{all}");
    }
}

#[test]
fn an_insight_names_the_user_it_rests_on_and_shows_its_places() {
    let sandbox = sandbox();
    let rests = json!([{"path": "requirements-spec.md", "line": 5, "quote": "Sync should be fast."}]);
    let line = json!({
        "message": null, "persona": "business-analyst", "rests": rests,
        "text": "Sync should be fast, and no line says for whom.",
    });
    let of_both = "The depot closes at noon on Saturdays, and sync should be fast";
    let of_user = "The depot closes at noon on Saturdays";
    let synthesis = json!({
        "insights": [
            {"text": of_both, "by": "User/Maya", "turns": [1, 2, 3, 4]},
            {"text": of_user, "by": ["user"], "turns": [2, 3, 4]},
        ],
        "decisions": [], "open_questions": [], "action_items": [],
    });
    let voice = voice(
        &sandbox,
        &[
            ("points", r#"{"points": []}"#),
            ("round", &json!({"lines": [line]}).to_string()),
            ("synthesis", &synthesis.to_string()),
        ],
    );
    let talk = "The depot closes at noon on Saturdays.\ndone\n";
    let run = sandbox.elaborate(talk, &["--voice", &voice, "--at", AT]).ok();
    assert!(run.stderr.contains("only a user said it, and the recording has those words"), "{}", run.stderr);
    let said = format!("[User/Maya] {of_both}");
    assert!(run.stdout.contains(&format!("{said} (requirements-spec.md:5)")), "{}", run.stdout);
    // A document's lines move: its place is a quotation.
    let written = format!("- {said} (requirements-spec.md \"Sync should be fast.\")");
    let spec = sandbox.spec();
    let at = spec.lines().position(|line| line == written).unwrap_or_else(|| panic!("{spec}")) + 1;
    let recording = format!("{}:{}", crate::kit::BRANCH, sandbox.recordings()[0]);
    for format in ["text", "markdown", "html"] {
        let shown = sandbox.run(&["show", &recording, "--format", format]).ok().stdout;
        assert!(shown.contains("requirements-spec.md:5"), "{format}: {shown}");
    }
    let place = format!("{ITEM}/requirements-spec.md:{at}");
    let why = sandbox.run(&["why", &place, "--rev", crate::kit::BRANCH]).ok().stdout;
    assert!(why.contains("places     requirements-spec.md:5"), "{why}");
    sandbox.run(&["replay", "--all", "--rev", crate::kit::BRANCH]).ok();
}

#[test]
fn a_file_of_the_base_that_was_not_sent_is_quoted_all_the_same() {
    let sandbox = sandbox();
    sandbox.commit(&[("src/upload.js", "export function upload() {\n  return 5; // times\n}\n")]);
    let with = |quote: &str| {
        let mut point = point("Is 5 right?", quote);
        point["quotes"][0]["path"] = json!("src/upload.js");
        point
    };
    let points = json!({"points": [with("return 5; // times"), with("return 6; // times")]});
    let voice = voice(&sandbox, &[("points", &points.to_string()), ("refute", r#"{"refute": []}"#)]);
    held(&sandbox, &voice, &[]).ok();
    let events = sandbox.events();
    assert_eq!(events[1]["points"].as_array().unwrap().len(), 1, "{}", events[1]);
    assert_eq!(events[1]["points"][0]["quotes"][0]["line"], 2);
    assert!(events[2]["problem"].as_str().unwrap().contains("is not in src/upload.js"), "{}", events[2]);
    sandbox.run(&["replay", "--all", "--rev", crate::kit::BRANCH]).ok();
}
