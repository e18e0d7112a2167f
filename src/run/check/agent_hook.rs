//! What an agent's hooks tell and want to hear: which text a tool is about to write, and the answer in its own form.
//!
//! Each agent sends one JSON object. Its keys differ (`file_path`, `path`, `toolArgs` as text in JSON), what they
//! say does not; so one reader takes all spellings. Invariant: what cannot be read as a write is no write; nothing
//! is refused that was not looked at, and nothing here reads or writes a file.
//!
//! ```
//! use roundtable::run::check::agent_hook::{Agent, Moment};
//!
//! let event = br##"{"hook_event_name": "PreToolUse", "tool_name": "Edit", "cwd": "/r",
//!     "tool_input": {"file_path": "/r/a.md", "old_string": "one", "new_string": "two"}}"##;
//! let Ok(Moment::BeforeWrite { writes, .. }) = Moment::read(event) else { panic!() };
//! assert_eq!(writes[0].path, "/r/a.md");
//! assert_eq!(writes[0].result(Some("one letter")).as_deref(), Some("two letter"));
//! let answer = Agent::Claude.refuse_write("Put it back.");
//! assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
//! ```

use serde_json::{Map, Value, json};

/// An agent whose hooks are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Agent {
    Claude,
    Codex,
    Cursor,
    Copilot,
}

impl Agent {
    pub const fn name(self) -> &'static str {
        match self {
            Agent::Claude => "claude",
            Agent::Codex => "codex",
            Agent::Cursor => "cursor",
            Agent::Copilot => "copilot",
        }
    }

    /// The answer that keeps a tool from writing, and tells the model why.
    pub fn refuse_write(self, why: &str) -> Value {
        let specific = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": why});
        match self {
            Agent::Claude | Agent::Codex => json!({"hookSpecificOutput": specific}),
            Agent::Cursor => json!({"permission": "deny", "agent_message": why, "user_message": why}),
            // The first two for the command line and the cloud, the last for the editor.
            Agent::Copilot => {
                json!({"permissionDecision": "deny", "permissionDecisionReason": why, "hookSpecificOutput": specific})
            }
        }
    }

    /// The answer that lets the agent go on at the end of its turn, and tells the model why.
    pub fn refuse_end(self, why: &str) -> Value {
        match self {
            Agent::Claude | Agent::Codex => json!({"decision": "block", "reason": why}),
            Agent::Cursor => json!({"followup_message": why}),
            Agent::Copilot => json!({
                "decision": "block", "reason": why,
                "hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": why},
            }),
        }
    }
}

/// When a hook runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A tool is about to write; without writes it is a tool that writes no file.
    BeforeWrite { writes: Vec<Write>, folder: Option<String> },
    /// The agent has done what it was asked for; `again` where a hook has sent it back already.
    EndOfTurn { again: bool, folder: Option<String> },
}

/// A file that a tool is about to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    pub path: String,
    edit: Edit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Edit {
    Whole(String),
    Replace(Vec<Replacement>),
    /// The lines of a patch, hunk by hunk.
    Patch(Vec<Hunk>),
    Delete,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Replacement {
    old: String,
    new: String,
    everywhere: bool,
}

/// A hunk of a patch: lines in a row, and what they become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Hunk {
    /// A line before them that says where to look.
    below: Option<String>,
    old: Vec<String>,
    new: Vec<String>,
}

impl Moment {
    /// Reads what an agent sends.
    ///
    /// # Errors
    /// No JSON object; what the parser says of it.
    pub fn read(bytes: &[u8]) -> Result<Moment, String> {
        let value: Map<String, Value> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let first = || value.get("workspace_roots")?.get(0)?.as_str();
        let folder = text_of(&value, &["cwd"]).or_else(first).map(str::to_owned);
        let Some(tool) = text_of(&value, &["tool_name", "toolName"]) else {
            let again = |key: &str| match value.get(key) {
                Some(Value::Bool(again)) => *again,
                Some(Value::Number(times)) => times.as_u64() != Some(0),
                _ => false,
            };
            return Ok(Moment::EndOfTurn { again: again("stop_hook_active") || again("loop_count"), folder });
        };
        let input = ["tool_input", "toolArgs"].iter().find_map(|key| value.get(*key));
        let writes = match input {
            // A call's arguments may be JSON in a text, or a patch as it is.
            Some(Value::String(text)) => match serde_json::from_str::<Map<String, Value>>(text) {
                Ok(input) => writes_of(tool, &input),
                Err(_) => read_patch(text),
            },
            Some(Value::Object(input)) => writes_of(tool, input),
            _ => Vec::new(),
        };
        Ok(Moment::BeforeWrite { writes, folder })
    }
}

/// The first of these keys that is a text.
fn text_of<'v>(value: &'v Map<String, Value>, keys: &[&str]) -> Option<&'v str> {
    keys.iter().find_map(|key| value.get(*key)?.as_str())
}

const PATHS: [&str; 4] = ["file_path", "filePath", "path", "target_file"];
const TEXTS: [&str; 4] = ["content", "contents", "file_text", "fileText"];
const OLD: [&str; 4] = ["old_string", "old_str", "oldString", "oldStr"];
const NEW: [&str; 4] = ["new_string", "new_str", "newString", "newStr"];
const PATCHES: [&str; 3] = ["command", "patch", "input"];

/// The writes of a call.
fn writes_of(tool: &str, input: &Map<String, Value>) -> Vec<Write> {
    if let Some(patch) = text_of(input, &PATCHES).filter(|text| text.trim_start().starts_with(BEGIN)) {
        return read_patch(patch);
    }
    let Some(path) = text_of(input, &PATHS) else { return Vec::new() };
    let edit = match text_of(input, &TEXTS) {
        Some(text) => Edit::Whole(text.to_owned()),
        None => match replacements(input) {
            Some(replacements) => Edit::Replace(replacements),
            None if tool.eq_ignore_ascii_case("delete") => Edit::Delete,
            None => return Vec::new(),
        },
    };
    vec![Write { path: path.to_owned(), edit }]
}

/// The replacements of an editing tool: one, or a list of them.
fn replacements(input: &Map<String, Value>) -> Option<Vec<Replacement>> {
    let one = |input: &Map<String, Value>| {
        Some(Replacement {
            old: text_of(input, &OLD)?.to_owned(),
            new: text_of(input, &NEW)?.to_owned(),
            everywhere: ["replace_all", "replaceAll"]
                .iter()
                .any(|key| input.get(*key) == Some(&Value::Bool(true))),
        })
    };
    match input.get("edits") {
        Some(Value::Array(edits)) => edits.iter().map(|edit| one(edit.as_object()?)).collect(),
        _ => one(input).map(|edit| vec![edit]),
    }
}

const BEGIN: &str = "*** Begin Patch";

/// The files of a patch in the form of `apply_patch`.
fn read_patch(patch: &str) -> Vec<Write> {
    let mut writes: Vec<Write> = Vec::new();
    for line in patch.lines() {
        let begun = [("*** Add File: ", Edit::Whole(String::new())), ("*** Delete File: ", Edit::Delete)]
            .into_iter()
            .chain([("*** Update File: ", Edit::Patch(Vec::new()))])
            .find_map(|(mark, edit)| Some(Write { path: line.strip_prefix(mark)?.trim().to_owned(), edit }));
        if let Some(write) = begun {
            writes.push(write);
            continue;
        }
        let moved = line.strip_prefix("*** Move to: ").map(str::trim);
        match (writes.last_mut(), moved) {
            // What is moved away is gone from where it was.
            (Some(write), Some(_)) => write.edit = Edit::Delete,
            (Some(Write { edit: Edit::Whole(text), .. }), None) if line.starts_with('+') => {
                text.push_str(&line[1..]);
                text.push('\n');
            }
            (Some(Write { edit: Edit::Patch(hunks), .. }), None) => add_to_hunks(hunks, line),
            _ => {}
        }
    }
    writes
}

fn add_to_hunks(hunks: &mut Vec<Hunk>, line: &str) {
    if let Some(below) = line.strip_prefix("@@") {
        let below = Some(below.trim().to_owned()).filter(|below| !below.is_empty());
        hunks.push(Hunk { below, ..Hunk::default() });
        return;
    }
    if line.starts_with("***") {
        return;
    }
    if hunks.is_empty() {
        hunks.push(Hunk::default());
    }
    let Some(hunk) = hunks.last_mut() else { return };
    let rest = line.get(1..).unwrap_or_default().to_owned();
    match line.chars().next() {
        Some('-') => hunk.old.push(rest),
        Some('+') => hunk.new.push(rest),
        _ => {
            hunk.old.push(rest.clone());
            hunk.new.push(rest);
        }
    }
}

impl Write {
    /// The text of the file after the write; none where the tool itself will fail. A file that is deleted is empty.
    pub fn result(&self, before: Option<&str>) -> Option<String> {
        match &self.edit {
            Edit::Whole(text) => Some(text.clone()),
            Edit::Delete => Some(String::new()),
            Edit::Replace(replacements) => {
                let mut text = before.unwrap_or_default().to_owned();
                for Replacement { old, new, everywhere } in replacements {
                    // Tools take an empty old text for a new file.
                    if !text.contains(old.as_str()) || old.is_empty() && !text.is_empty() {
                        return None;
                    }
                    text = text.replacen(old.as_str(), new, if *everywhere { usize::MAX } else { 1 });
                }
                Some(text)
            }
            Edit::Patch(hunks) => patched(before?, hunks),
        }
    }
}

/// A text after the hunks of a patch.
fn patched(before: &str, hunks: &[Hunk]) -> Option<String> {
    let lines: Vec<&str> = before.lines().collect();
    let mut done: Vec<&str> = Vec::new();
    let mut at = 0;
    for hunk in hunks {
        let from = match &hunk.below {
            Some(below) => {
                lines[at..].iter().position(|line| line.trim() == below).map_or(at, |found| at + found + 1)
            }
            None => at,
        };
        let place = place_of(&lines, &hunk.old, from).or_else(|| place_of(&lines, &hunk.old, at))?;
        done.extend(&lines[at..place]);
        done.extend(hunk.new.iter().map(String::as_str));
        at = place + hunk.old.len();
    }
    done.extend(&lines[at..]);
    let mut text = done.join("\n");
    if before.is_empty() || before.ends_with('\n') {
        text.push('\n');
    }
    Some(text)
}

/// Where lines stand in a row; blanks at their ends don't count. No lines are at the end.
fn place_of(lines: &[&str], wanted: &[String], from: usize) -> Option<usize> {
    if wanted.is_empty() {
        return Some(lines.len());
    }
    let fits =
        |row: &[&str]| row.iter().zip(wanted).all(|(line, wanted)| line.trim_end() == wanted.trim_end());
    lines.get(from..)?.windows(wanted.len()).position(fits).map(|found| from + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(event: &Value) -> Vec<Write> {
        match Moment::read(event.to_string().as_bytes()) {
            Ok(Moment::BeforeWrite { writes, .. }) => writes,
            other => panic!("{other:?}"),
        }
    }

    const BEFORE: &str = "# Fees\n\n- one letter\n- two letters\n";

    #[test]
    fn every_agent_says_what_it_writes() {
        let replaced = Some(BEFORE.replace("one", "1"));
        let inner = json!({"path": "a.md", "old_str": "one", "new_str": "1"}).to_string();
        for event in [
            json!({"tool_name": "Edit", "tool_input": {"file_path": "a.md", "old_string": "one", "new_string": "1"}}),
            json!({"tool_name": "MultiEdit", "tool_input": {"file_path": "a.md", "edits": [
                {"old_string": "one", "new_string": "two"}, {"old_string": "- two letter\n", "new_string": "- 1 letter\n"}]}}),
            json!({"toolName": "edit", "toolArgs": inner}),
            json!({"tool_name": "Write", "tool_input": {"path": "a.md", "contents": BEFORE.replace("one", "1")}}),
            json!({"tool_name": "apply_patch", "tool_input": {"command":
                "*** Begin Patch\n*** Update File: a.md\n@@ # Fees\n-- one letter\n+- 1 letter\n - two letters\n*** End Patch"}}),
        ] {
            let found = writes(&event);
            assert_eq!((found.len(), found[0].path.as_str()), (1, "a.md"), "{event}");
            assert_eq!(found[0].result(Some(BEFORE)), replaced, "{event}");
        }
    }

    #[test]
    fn what_writes_nothing_or_fails_anyhow_is_no_write() {
        for event in [
            json!({"tool_name": "Bash", "tool_input": {"command": "rm a.md"}}),
            json!({"tool_name": "Read", "tool_input": {"file_path": "a.md"}}),
            json!({"toolName": "view", "toolArgs": "{\"path\": \"a.md\"}"}),
            json!({"tool_name": "Odd"}),
        ] {
            assert!(writes(&event).is_empty(), "{event}");
        }
        let event = json!({"tool_name": "Edit", "tool_input": {"file_path": "a.md", "old_string": "ten", "new_string": "x"}});
        assert_eq!(writes(&event)[0].result(Some(BEFORE)), None);
        let patch = "*** Begin Patch\n*** Update File: a.md\n-nowhere\n+x\n*** End Patch";
        assert_eq!(read_patch(patch)[0].result(Some(BEFORE)), None);
    }

    #[test]
    fn a_patch_adds_deletes_moves_and_appends() {
        let patch = "*** Begin Patch\n*** Add File: new.md\n+# New\n+\n+x\n*** Delete File: old.md\n*** Update File: b.md\n*** Move to: c.md\n-x\n*** Update File: a.md\n@@\n+- three letters\n*** End of File\n*** End Patch";
        let found = read_patch(patch);
        let paths: Vec<&str> = found.iter().map(|write| write.path.as_str()).collect();
        assert_eq!(paths, ["new.md", "old.md", "b.md", "a.md"]);
        assert_eq!(found[0].result(None).as_deref(), Some("# New\n\nx\n"));
        assert_eq!(found[1].result(Some(BEFORE)).as_deref(), Some(""));
        assert_eq!(found[2].result(Some("x\n")).as_deref(), Some(""));
        assert_eq!(
            found[3].result(Some(BEFORE)).as_deref(),
            Some("# Fees\n\n- one letter\n- two letters\n- three letters\n")
        );
    }

    #[test]
    fn the_end_of_a_turn_says_whether_it_was_sent_back() {
        for (event, wanted) in [
            (json!({"hook_event_name": "Stop", "stop_hook_active": false, "cwd": "/r"}), false),
            (json!({"hook_event_name": "Stop", "stop_hook_active": true}), true),
            (json!({"hook_event_name": "stop", "status": "completed", "loop_count": 0}), false),
            (json!({"hook_event_name": "stop", "loop_count": 2}), true),
            (json!({"timestamp": 1, "stopReason": "end_turn"}), false),
        ] {
            match Moment::read(event.to_string().as_bytes()) {
                Ok(Moment::EndOfTurn { again, .. }) => assert_eq!(again, wanted, "{event}"),
                other => panic!("{other:?}"),
            }
        }
        assert!(Moment::read(b"[]").is_err() && Moment::read(b"").is_err());
    }
}
