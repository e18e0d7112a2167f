//! The hooks of agents: `init --agent` writes them, and what they run refuses a loss in the agent's own form.

use serde_json::{Value, json};

use crate::kit::{Run, Sandbox, empty};

const SPEC: &str = "docs/requirements/late-fees/spec.md";
const TEXT: &str = "# Late fees\n\n## Scope\n\n- one letter a month\n- payment at the desk\n";

/// A repository with one item.
fn library() -> Sandbox {
    let sandbox = empty();
    let meta = "{\"slug\": \"late-fees\", \"name\": \"late fees\"}\n";
    sandbox.commit(&[(SPEC, TEXT), ("docs/requirements/late-fees/meta.json", meta)]);
    sandbox
}

/// Runs a command as an agent would, with an event on standard input.
fn hook(sandbox: &Sandbox, command: &str, event: &Value) -> Run {
    use std::io::Write as _;
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let mut command = sandbox.command(&words);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

/// The answer, or none.
#[track_caller]
fn answer(run: &Run) -> Option<Value> {
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    (!run.stdout.is_empty()).then(|| serde_json::from_str(&run.stdout).unwrap())
}

fn edit(sandbox: &Sandbox, old: &str, new: &str) -> Value {
    let path = sandbox.root().join(SPEC);
    json!({"hook_event_name": "PreToolUse", "cwd": sandbox.root(), "tool_name": "Edit",
        "tool_input": {"file_path": path, "old_string": old, "new_string": new}})
}

fn stop(sandbox: &Sandbox, again: bool) -> Value {
    json!({"hook_event_name": "Stop", "cwd": sandbox.root(), "stop_hook_active": again})
}

/// The commands that `init --agent claude` has written for an event.
fn command(sandbox: &Sandbox, event: &str) -> String {
    let text = std::fs::read_to_string(sandbox.root().join(".claude/settings.json")).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    value["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn an_agent_is_told_before_it_writes_and_can_repair_its_write() {
    let sandbox = library();
    sandbox.run(&["init", "--agent", "claude"]).ok();
    let run = command(&sandbox, "PreToolUse");
    let refused =
        answer(&hook(&sandbox, &run, &edit(&sandbox, "- payment at the desk\n", "- cards\n"))).unwrap();
    assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny");
    let why = refused["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(why.contains("payment at the desk") && why.split_whitespace().count() <= 60, "{why}");
    assert!(!why.contains("declare") && !why.contains(".roundtable"), "{why}");
    // Also where the agent has gone elsewhere meanwhile.
    let mut elsewhere = edit(&sandbox, "- payment at the desk\n", "");
    elsewhere["cwd"] = json!(sandbox.outside("home"));
    assert!(answer(&hook(&sandbox, &run, &elsewhere)).is_some());
    // It does what it was told: the old text stays, and the new text is below it.
    let repaired = edit(&sandbox, "- payment at the desk\n", "- payment at the desk\n- cards\n");
    assert_eq!(answer(&hook(&sandbox, &run, &repaired)), None);
    for harmless in [
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
        json!({"hook_event_name": "PreToolUse", "cwd": sandbox.root(), "tool_name": "Write", "tool_input": {"file_path": "src/x.rs", "content": ""}}),
        json!({"hook_event_name": "PreToolUse", "cwd": sandbox.root(), "tool_name": "Write", "tool_input": {"file_path": "/elsewhere/x.md", "content": ""}}),
        edit(&sandbox, "no such text", ""),
    ] {
        assert_eq!(answer(&hook(&sandbox, &run, &harmless)), None, "{harmless}");
    }
    assert_eq!(std::fs::read_to_string(sandbox.root().join(SPEC)).unwrap(), TEXT, "nothing was written");
}

#[test]
fn the_end_of_a_turn_sends_an_agent_back_once() {
    let sandbox = library();
    sandbox.run(&["init", "--agent", "claude"]).ok();
    let run = command(&sandbox, "Stop");
    assert_eq!(answer(&hook(&sandbox, &run, &stop(&sandbox, false))), None);
    std::fs::write(sandbox.root().join(SPEC), TEXT.replace("- one letter a month\n", "")).unwrap();
    let refused = answer(&hook(&sandbox, &run, &stop(&sandbox, false))).unwrap();
    assert_eq!(refused["decision"], "block");
    let why = refused["reason"].as_str().unwrap();
    assert!(why.contains("one letter a month") && why.split_whitespace().count() <= 60, "{why}");
    assert!(!why.contains("declare") && !why.contains(".roundtable"), "{why}");
    assert_eq!(answer(&hook(&sandbox, &run, &stop(&sandbox, true))), None, "not for ever");
    std::fs::write(sandbox.root().join(SPEC), TEXT).unwrap();
    assert_eq!(answer(&hook(&sandbox, &run, &stop(&sandbox, false))), None);
}

#[test]
fn every_agent_hears_it_in_its_own_form() {
    let sandbox = library();
    let path = sandbox.root().join(SPEC).display().to_string();
    let patch =
        format!("*** Begin Patch\n*** Update File: {SPEC}\n@@\n-- payment at the desk\n*** End Patch");
    let arguments = json!({"path": path, "file_text": "# Late fees\n"}).to_string();
    let folder = sandbox.root();
    for (agent, file, event, place) in [
        (
            "codex",
            ".codex/hooks.json",
            json!({"hook_event_name": "PreToolUse", "cwd": folder, "tool_name": "apply_patch", "tool_input": {"command": patch}}),
            "/hookSpecificOutput/permissionDecision",
        ),
        (
            "cursor",
            ".cursor/hooks.json",
            json!({"hook_event_name": "preToolUse", "cwd": folder, "tool_name": "Write", "tool_input": {"file_path": path, "content": ""}}),
            "/permission",
        ),
        (
            "copilot",
            ".github/hooks/roundtable.json",
            json!({"timestamp": 1, "cwd": folder, "toolName": "create", "toolArgs": arguments}),
            "/permissionDecision",
        ),
    ] {
        sandbox.run(&["init", "--agent", agent]).ok();
        let written = std::fs::read_to_string(sandbox.root().join(file)).unwrap();
        let run = format!("roundtable check --hook {agent}");
        assert!(written.contains(&run), "{written}");
        let refused = answer(&hook(&sandbox, &run, &event)).unwrap();
        assert_eq!(refused.pointer(place), Some(&json!("deny")), "{refused}");
        assert!(refused.to_string().contains("late-fees/spec.md"), "{refused}");
    }
}

#[test]
fn what_cannot_be_looked_at_keeps_no_agent_from_working() {
    let sandbox = library();
    let run = "roundtable check --hook claude";
    sandbox.commit(&[(".roundtable.yaml", "protcet: []\n")]);
    let told = hook(&sandbox, run, &edit(&sandbox, "- payment at the desk\n", ""));
    assert!(
        told.code == 1 && told.stdout.is_empty() && told.stderr.contains("protcet"),
        "{}{}",
        told.stdout,
        told.stderr
    );
    let told = hook(&sandbox, run, &json!("no event"));
    assert!(told.code == 1 && told.stderr.contains("not what a hook of claude sends"), "{}", told.stderr);
    // Outside of a repository there is nothing to lose.
    let outside =
        json!({"hook_event_name": "Stop", "cwd": sandbox.outside("home"), "stop_hook_active": false});
    assert_eq!(answer(&hook(&sandbox, run, &outside)), None);
}

#[test]
fn a_week_of_reports_passes_and_says_so() {
    let sandbox = library();
    let settings = "report_until: 2026-03-08\n";
    sandbox.commit(&[(".roundtable.yaml", settings), (SPEC, TEXT)]);
    std::fs::write(sandbox.root().join(SPEC), "# Late fees\n").unwrap();
    // Two days before, and on the day.
    for (moment, code) in [("1772755200", 0), ("1772928000", 1)] {
        let mut command = sandbox.command(&["check", "--worktree"]);
        let run = Run::of(command.env("SOURCE_DATE_EPOCH", moment).output().unwrap());
        assert_eq!(run.code, code, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("payment at the desk"), "{}", run.stdout);
        assert_eq!(run.stderr.contains("reported only, until 2026-03-08"), code == 0, "{}", run.stderr);
    }
    sandbox.commit(&[(".roundtable.yaml", "report_until: soon\n"), (SPEC, TEXT)]);
    let run = sandbox.run(&["check", "--worktree"]);
    assert!(run.code == 2 && run.stderr.contains("write it like 2026-12-03"), "{}", run.stderr);
}
