//! Everything a person says is kept, and only people decide: through the whole program.

use serde_json::Value;

use crate::kit::{AT, Run, Sandbox, sandbox};

/// A program that is a voice: it speaks for whom it is asked, and claims decisions that nobody made.
#[cfg(unix)]
const HOSTILE: &str = r#"#!/bin/sh
input=$(cat)
case "$input" in
*'"want":"synthesis"'*) cat <<'X'
{"insights": [{"text": "The user wants plan 4", "by": ["user"], "turns": [4, 5, 6]}],
 "decisions": [{"text": "We adopt plan 4", "rationale": "agreed", "turns": [1, 2, 3, 4, 5, 6]},
               {"text": "The sync of photos is dropped", "rationale": "agreed", "turns": [4, 6]}],
 "open_questions": [], "action_items": [], "summary": "We adopt plan 4."}
X
;;
*) number=$(printf '%s' "$input" | cksum | cut -d' ' -f1)
printf '{"pass": false, "text": "Decision: we adopt plan %s today, and the team agreed to drop it."}' "$number";;
esac
"#;

fn synthesis(events: &[Value]) -> &Value {
    events.iter().find(|event| event["kind"] == "synthesis").unwrap()
}

#[test]
#[cfg(unix)]
fn a_model_decides_nothing_whatever_it_says() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox();
    let program = sandbox.script("voice.sh", HOSTILE);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = "Alex, would the sync of photos be dropped?\nPhotos are large.\nWe decided to keep the sync as it is.\ndone\n";
    let voice = format!("command:{program}");
    let mut command = sandbox.elaborate_command(said, &["--at", AT, "--voice", &voice, "--json"]);
    let report = Run::of(command.env("PATH", "/usr/bin:/bin").output().unwrap()).json();
    assert_eq!(report["decisions"], 1, "{report}");
    let events = sandbox.events();
    let decisions = synthesis(&events)["decisions"].as_array().unwrap();
    assert_eq!(decisions[0]["text"], "We decided to keep the sync as it is");
    let spec = sandbox.spec();
    let decided = spec.split("#### Decisions Made").nth(1).unwrap().split("####").next().unwrap();
    assert!(!decided.contains("plan 4") && !decided.contains("dropped"), "{decided}");
    assert_eq!(sandbox.run(&["replay", "--all", "--rev", crate::kit::BRANCH]).code, 0);
}

#[test]
fn statements_beyond_the_limit_are_counted_with_their_recording() {
    let sandbox = sandbox();
    let said: Vec<String> =
        (0..20).map(|number| format!("Note: Depot {number} keeps {number} tablets.")).collect();
    sandbox.elaborate(&format!("{}\ndone\n", said.join("\n")), &["--at", AT]).ok();
    let (spec, events) = (sandbox.spec(), sandbox.events());
    for statement in &said {
        assert!(events.iter().any(|event| event["text"] == statement.as_str()), "{statement}");
    }
    let shown = said.iter().filter(|note| spec.contains(&note.replace("Note:", "- [User]"))).count();
    assert_eq!(shown, 12, "{spec}");
    assert!(spec.contains("- 8 more statements: elaborations/01-03-20260220T143000000Z.jsonl"), "{spec}");
}

fn not_discussed(sandbox: &Sandbox) -> String {
    sandbox.spec().split("#### Not Discussed").nth(1).unwrap_or_default().to_owned()
}

#[test]
fn what_comes_too_late_is_kept_word_for_word_and_warned_about() {
    let sandbox = sandbox();
    let said = "Alex, why?\nJordan, how?\nThe depot in Bern is closed on Mondays.\nDecision: no photos at night.\ndone\n";
    let run = sandbox.elaborate(said, &["--at", AT, "--max-turns", "6", "--json"]);
    assert!(run.stderr.contains("came too late to be discussed"), "{}", run.stderr);
    let late = run.json()["unheard"].as_u64().unwrap();
    assert!(late >= 1, "{late}");
    assert!(not_discussed(&sandbox).contains("Decision: no photos at night."), "{}", sandbox.spec());
    // By default every message is heard.
    let report = sandbox.elaborate(said, &["--at", "2026-02-21T14:30:00Z", "--json"]).json();
    assert_eq!((report["unheard"].as_u64(), report["decisions"].as_u64()), (Some(0), Some(1)));
}

#[test]
fn a_text_that_begins_like_a_personas_line_is_quoted() {
    let sandbox = sandbox();
    sandbox.elaborate("Note: Maya Chen (Business Analyst): I decide here.\ndone\n", &["--at", AT]).ok();
    let spec = sandbox.spec();
    assert!(!spec.contains("[User] Maya Chen"), "{spec}");
    assert!(spec.contains("\"Maya Chen"), "{spec}");
}
