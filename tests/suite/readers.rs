//! `readers`: other models list points beside the voice, each a whole program, in `elaborate` and in `analyze`.

use serde_json::{Value, json};

use crate::kit::{AT, Run, Sandbox, sandbox};

/// A program that keeps what it is asked, and answers the request for points after some prose; else it passes.
fn reader(sandbox: &Sandbox, name: &str, points: &Value) -> String {
    let answer = json!({ "points": points }).to_string();
    let body = format!(
        "#!/bin/sh\nread -r asked\nprintf '%s\\n' \"$asked\" >> \"$0.asked\"\ncase \"$asked\" in\n*'\"want\":\"points\"'*) printf '%s\\n' 'I read it [1]:' '{answer}';;\n*) echo '{{\"pass\": true}}';;\nesac\n"
    );
    format!("command:/bin/sh {}", sandbox.script(name, body))
}

fn point(question: &str, line: usize, quote: &str) -> Value {
    json!({
        "question": question, "quotes": [{"path": "requirements-spec.md", "line": line, "quote": quote}],
        "why": "Two people build it differently.", "options": ["a", "b"], "recommended": "a",
        "weight": "changes what gets built", "kind": "value",
    })
}

/// What each reader was asked for.
fn wants(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let asked = std::fs::read_to_string(sandbox.outside(&format!("{name}.asked"))).unwrap_or_default();
    let asked = asked.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    asked.map(|asked| asked["want"].as_str().unwrap().to_owned()).collect()
}

/// A voice and two readers, of which the second has nothing to quote.
fn with_readers() -> (Sandbox, String) {
    let sandbox = sandbox();
    let fast = point("How fast is fast?", 5, "Sync should be fast.");
    let voice = reader(&sandbox, "voice.sh", &json!([fast]));
    let same = point("What is fast?", 5, "Sync should be fast.");
    let photos = point("Which photos go first?", 13, "The server keeps 500 photos.");
    let one = reader(&sandbox, "one.sh", &json!([photos, same]));
    let two = reader(&sandbox, "two.sh", &json!([point("Why?", 5, "Sync should be slow.")]));
    sandbox.commit(&[(".roundtable.yaml", &format!("readers: [\"{one}\", \"{two}\"]\n"))]);
    (sandbox, voice)
}

fn questions(events: &[Value]) -> Vec<&str> {
    let points = events.iter().find(|event| event["kind"] == "points").unwrap();
    let points = points["points"].as_array().unwrap();
    points.iter().map(|point| point["question"].as_str().unwrap()).collect()
}

#[test]
fn the_points_of_two_readers_are_joined_and_each_place_counts_once() {
    let (sandbox, voice) = with_readers();
    let script = sandbox.script("script.txt", "Photos wait.\ndone\n");
    let args =
        ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT, "--voice", &voice];
    let run: Run = sandbox.run(&args).ok();
    assert_eq!(
        questions(&sandbox.events()),
        ["How fast is fast?", "Which photos go first?"],
        "{}",
        run.stderr
    );
    for name in ["one.sh", "two.sh"] {
        assert_eq!(wants(&sandbox, name), ["points"], "{name}");
    }
    assert!(wants(&sandbox, "voice.sh").contains(&"refute".to_owned()));
}

#[test]
fn a_discussion_of_an_analysis_has_the_same_readers() {
    let (sandbox, voice) = with_readers();
    let script = sandbox.script("script.txt", "a\nb\nx\ny\nE\nPhotos wait.\ndone\nC\n");
    sandbox.run(&["analyze", "offline-mode", "--script", &script, "--at", AT, "--voice", &voice]).ok();
    assert_eq!(questions(&sandbox.events()), ["How fast is fast?", "Which photos go first?"]);
    assert_eq!(wants(&sandbox, "one.sh"), ["points"]);
}

#[test]
fn a_reader_that_fails_is_a_note_and_the_discussion_goes_on() {
    let (sandbox, voice) = with_readers();
    let broken = sandbox.script("broken.sh", "#!/bin/sh\nexit 3\n");
    sandbox.commit(&[(".roundtable.yaml", &format!("readers: [\"command:/bin/sh {broken}\", gemini]\n"))]);
    let script = sandbox.script("script.txt", "Photos wait.\ndone\n");
    let args =
        ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT, "--voice", &voice];
    let run = sandbox.run(&args).ok();
    assert!(run.stderr.contains("reader 1 gave no points"), "{}", run.stderr);
    assert!(
        run.stderr.contains("reader 2 gave no points") && run.stderr.contains("gemini"),
        "{}",
        run.stderr
    );
    assert_eq!(questions(&sandbox.events()), ["How fast is fast?"]);
}
