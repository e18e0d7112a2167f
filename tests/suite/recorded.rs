//! `--voice recorded:FILE`: the lines of a recording go the whole way of a live discussion, or the run says where the
//! recording does not fit.

use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, ITEM, Run, SPEC, Sandbox, sandbox};
use crate::live::{KEY, LINES, answer, openai, sensible};
use crate::server::{Seen, Server};

const TALK: &str = "Alex, what happens when two tablets change one answer?\nWe decided to keep both answers, because a lost answer costs a day.\ndone\n";

/// The text of a recording that a model made of a talk, and what `elaborate` printed.
fn recorded(talk: &str) -> (String, Value) {
    recorded_by(sensible(), talk)
}

fn recorded_by(mut model: impl FnMut(&Seen) -> String + Send + 'static, talk: &str) -> (String, Value) {
    let sandbox = sandbox();
    let server = Server::start(move |seen| openai(seen, &model(seen)));
    let url = server.url("/v1");
    let voice = ["--voice", "openai", "--model", "small", "--base-url", &url, "--user", "Sam", "--json"];
    let mut command = sandbox.elaborate_command(talk, &[&voice[..], &["--at", AT]].concat());
    let report = Run::of(command.env("OPENAI_API_KEY", KEY).output().unwrap()).json();
    (sandbox.file(BRANCH, &sandbox.recordings()[0]), report)
}

/// The same by the secretary.
fn recorded_by_the_secretary() -> String {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--user", "Sam", "--at", AT]).ok();
    sandbox.file(BRANCH, &sandbox.recordings()[0])
}

fn play(sandbox: &Sandbox, recording: &str, talk: &str, more: &[&str]) -> Run {
    let voice = format!("recorded:{}", sandbox.script("held.jsonl", recording));
    let user: &[&str] = if more.contains(&"--user") { &[] } else { &["--user", "Sam"] };
    sandbox.elaborate(talk, &[&["--voice", &voice], user, more].concat())
}

/// The events of a recording without what belongs to its run.
fn told(recording: &str) -> Vec<Value> {
    let event = |line: &str| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        for own in ["at", "run", "voice", "digest"] {
            event.as_object_mut().unwrap().remove(own);
        }
        event
    };
    recording.lines().map(event).collect()
}

#[test]
fn a_models_recording_comes_to_the_same_documents_and_says_whose_lines_they_are() {
    let (recording, report) = recorded(TALK);
    let sandbox = sandbox();
    let played = play(&sandbox, &recording, TALK, &["--json", "--at", "2026-03-01T09:00:00Z"]).json();
    assert_eq!((&played["voice"], &played["model"]), (&json!("recorded:openai"), &json!("small")));
    assert_eq!(played["usage"]["requests"], 0);
    for same in ["turn_count", "exit", "artifacts", "synthesis_summary", "decisions", "open_questions"] {
        assert_eq!(played[same], report[same], "{same}");
    }
    assert_ne!(played["commit"], report["commit"]);
    let events = sandbox.events();
    assert_eq!((&events[0]["voice"], &events[0]["model"]), (&json!("recorded:openai"), &json!("small")));
    assert_eq!(told(&sandbox.file(BRANCH, &sandbox.recordings()[0])), told(&recording));
    let spec = sandbox.spec();
    assert!(spec.contains("[Maya] The inspector saves") && spec.contains("keep both answers"), "{spec}");
    // It replays as any other, and is a recording that can be played again.
    let replayed = sandbox.run(&["replay", "--all", "--rev", BRANCH, "--json"]).json();
    assert_eq!(replayed["reproduced"], true);
    let again = sandbox.file(BRANCH, &sandbox.recordings()[0]);
    let twice = play(&crate::kit::sandbox(), &again, TALK, &["--json"]).json();
    assert_eq!(twice["voice"], "recorded:openai");
    sandbox.assert_sound();
}

#[test]
fn the_terminal_says_whose_lines_they_are_and_nothing_is_asked() {
    let (recording, _) = recorded(TALK);
    let shown = play(&sandbox(), &recording, TALK, &["--dry-run"]).ok().stdout;
    assert!(shown.contains("The lines are those of openai (small), recorded 2026-02-20 in "), "{shown}");
    assert!(shown.contains("no model is asked now"), "{shown}");
    let plan = play(&sandbox(), &recording, TALK, &["--plan", "--json"]).json();
    assert_eq!(plan["requests"], 0);
    assert_eq!(plan["turns"], told(&recording).last().unwrap()["turn_count"]);
}

#[test]
fn a_recording_of_the_secretary_is_said_by_the_secretary() {
    let recording = recorded_by_the_secretary();
    let sandbox = sandbox();
    let played = play(&sandbox, &recording, TALK, &["--json", "--at", AT]).json();
    assert_eq!(played["voice"], "secretary");
    // The secretary says the same without a recording: it is the same run.
    assert_eq!(sandbox.file(BRANCH, &sandbox.recordings()[0]), recording);
}

#[test]
fn without_a_step_the_recorded_one_is_discussed() {
    let (recording, _) = recorded(TALK);
    let sandbox = sandbox();
    let (script, held) = (sandbox.script("script.txt", TALK), sandbox.script("held.jsonl", &recording));
    let voice = format!("recorded:{held}");
    let args =
        ["elaborate", "offline-mode", "--script", &script, "--voice", &voice, "--user", "Sam", "--json"];
    assert_eq!(sandbox.run(&args).json()["step_id"], "01-03");
}

#[test]
fn the_settings_and_a_revision_name_a_recording_too() {
    let (recording, _) = recorded(TALK);
    let sandbox = sandbox();
    sandbox.commit(&[
        ("held/talk.jsonl", &recording),
        (".roundtable.yaml", "voice: {01-03: \"recorded:held/talk.jsonl\"}\n"),
    ]);
    let played = sandbox.elaborate(TALK, &["--user", "Sam", "--json"]).json();
    assert_eq!(played["voice"], "recorded:openai");
    let voice = ["--voice", "recorded:HEAD:held/talk.jsonl", "--branch", "again"];
    let again = sandbox.elaborate(TALK, &[&voice[..], &["--user", "Sam", "--json"]].concat()).json();
    assert_eq!(again["voice"], "recorded:openai");
    // A walk asks for drafts, and a recording has none.
    let script = sandbox.script("answers.yaml", "inputs: [done]\n");
    let walk = sandbox.run(&["analyze", "offline-mode", "--script", &script]);
    assert_eq!(walk.code, 2);
    assert!(walk.stderr.contains("recorded:held/talk.jsonl is one discussion"), "{}", walk.stderr);
}

#[test]
fn a_recording_that_does_not_fit_ends_with_the_place_where_it_departs() {
    let (recording, _) = recorded(TALK);
    let other_words = TALK.replace("two tablets", "three tablets");
    let departs = |sandbox: &Sandbox, talk: &str, more: &[&str], wanted: &[&str]| {
        let run = play(sandbox, &recording, talk, more);
        assert_eq!(run.code, 2, "{}", run.stdout);
        for words in wanted {
            assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
        }
        assert_eq!(sandbox.tip(BRANCH), None);
    };
    departs(
        &sandbox(),
        &other_words,
        &[],
        &["does not fit this discussion: event 6", "three tablets", "roundtable show"],
    );
    departs(&sandbox(), TALK, &["--max-turns", "9"], &["does not fit", "--max-turns 11"]);
    departs(&sandbox(), TALK, &["--user", "Ana"], &["does not fit", "--user \"Sam\""]);
    let other_step = ["elaborate", "offline-mode", "--step", "01-02", "--script"];
    let sandbox = sandbox();
    let (script, held) = (sandbox.script("script.txt", TALK), sandbox.script("held.jsonl", &recording));
    let voice = format!("recorded:{held}");
    let run = sandbox.run(&[&other_step[..], &[&script, "--voice", &voice]].concat());
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("a discussion of step 01-03, and step 01-02"), "{}", run.stderr);
}

#[test]
fn a_line_whose_quotation_is_gone_is_refused_by_the_referee() {
    let mut next = 0;
    let (quoted, _) = recorded_by(
        move |seen| {
            answer(seen, &mut |_| {
                next += 1;
                let rests =
                    json!([{"path": "requirements-spec.md", "line": 5, "quote": "Sync should be fast"}]);
                json!({"pass": false, "text": LINES[(next - 1) % LINES.len()], "rests": rests})
            })
        },
        TALK,
    );
    let quoting = r#""quote":"Sync should be fast""#;
    let there = sandbox();
    play(&there, &quoted, TALK, &[]).ok();
    assert!(there.file(BRANCH, &there.recordings()[0]).contains(quoting));
    let gone = sandbox();
    gone.commit(&[(
        &format!("{ITEM}/requirements-spec.md"),
        &SPEC.replace("Sync should be fast.", "Sync is quick."),
    )]);
    let run = play(&gone, &quoted, TALK, &[]);
    assert_eq!(run.code, 2);
    for words in ["keeps the rule \"quotation\"", "other documents since: requirements-spec.md"] {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    assert_eq!(gone.tip(BRANCH), None);
}

#[test]
fn what_is_no_finished_discussion_is_refused() {
    let (recording, _) = recorded(TALK);
    let unfinished: String = recording.lines().take(4).map(|line| format!("{line}\n")).collect();
    let older = recording.replacen("\"format\":3", "\"format\":2", 1);
    for (text, wanted) in [
        (unfinished.as_str(), "has no end"),
        ("hello\n", "this is not an event of a recording"),
        ("", "the recording is empty"),
        (&older, "format 2"),
    ] {
        let run = play(&sandbox(), text, TALK, &[]);
        assert_eq!(run.code, 2, "{wanted}");
        assert!(run.stderr.contains(wanted), "{wanted}: {}", run.stderr);
    }
    let run = sandbox().elaborate(TALK, &["--voice", "recorded:nowhere.jsonl"]);
    assert!(run.code == 2 && run.stderr.contains("nowhere.jsonl does not exist"), "{}", run.stderr);
    let run = sandbox().elaborate(TALK, &["--voice", "recorded:"]);
    assert!(run.code == 2 && run.stderr.contains("names no recording"), "{}", run.stderr);
    let (recording, _) = recorded(TALK);
    let run = play(&sandbox(), &recording, TALK, &["--model", "other"]);
    assert!(run.code == 2 && run.stderr.contains("this one asks none"), "{}", run.stderr);
}
