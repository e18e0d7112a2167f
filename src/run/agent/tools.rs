//! The seven tools that an agent plays with: their names, what they are for, and what they take.
//!
//! Every word here is paid for by everybody who connects the server, in every conversation: together at
//! most 1,500 tokens.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::discussion::event::Rest;

/// A tool as a client lists it.
pub struct Tool {
    pub name: &'static str,
    pub about: &'static str,
    /// It changes nothing.
    pub only_reads: bool,
    /// The JSON schema of its arguments.
    pub takes: Value,
}

/// What a client is told when it connects.
pub const INSTRUCTIONS: &str = "Three personas discuss one step of an item's documents with the user. \
You speak for them, this server referees and commits what was said. Start with `open`, then follow `stage`: \
round: `say` for who is `due`; user: ask the user and pass their exact words to `hear`; closing: `close`. \
What is `refused` changed nothing: say it better, or pass. Show `show` to the user. Only the user decides.";

/// All tools, in the order they are listed.
#[allow(clippy::too_many_lines)] // A table: an entry a tool.
pub fn all() -> [Tool; 7] {
    let text = || json!({"type": "string"});
    let rests = || {
        let line = json!({"type": "integer"});
        list(object(json!({"path": text(), "line": line, "quote": text()}), &["path", "line", "quote"]))
    };
    let item = json!({"type": "string", "description": "folder or slug"});
    let step = || json!({"type": "string", "description": "NN-NN"});
    let discussion = || json!({"type": "string"});
    let line = json!({"persona": text(), "text": text(), "rests": rests(), "absent": list(text()),
        "pass": {"type": "boolean"}});
    [
        tool(
            "review",
            "What documents leave open: findings with place, reason and suggestion.",
            true,
            object(json!({"paths": list(text()), "item": item, "step": step()}), &[]),
        ),
        tool(
            "open",
            "Begins the discussion of a step, or resumes it. Answers with its state.",
            false,
            object(
                json!({
                    "item": item,
                    "step": step(),
                    "user": {"type": "string", "description": "the user's name"},
                    "max_turns": {"type": "integer", "minimum": 3},
                    "at": {"type": "string", "description": "fixed clock, RFC 3339"},
                }),
                &["item", "step"],
            ),
        ),
        tool(
            "say",
            "Lines of the personas in `due`, in that order. A line about a document quotes it in `rests`, \
             word for word. A persona that owes nothing may pass.",
            false,
            object(
                json!({"discussion": discussion(), "lines": list(object(line, &["persona"]))}),
                &["discussion", "lines"],
            ),
        ),
        tool(
            "hear",
            "The user's message in their own words; empty for silence. \"done\" ends the discussion.",
            false,
            object(
                json!({"discussion": discussion(), "text": text(), "by": text()}),
                &["discussion", "text"],
            ),
        ),
        tool(
            "close",
            "Commits the discussion. Every entry of the synthesis names the turns it rests on; a decision \
             is the user's exact words in one turn. Without a synthesis it is made by rule.",
            false,
            object(
                json!({
                    "discussion": discussion(),
                    "synthesis": synthesis(),
                }),
                &["discussion"],
            ),
        ),
        tool(
            "read",
            "An item's committed documents, evidence from the repository and, with a step, what the step asks \
             and how the personas speak.",
            true,
            object(json!({"item": item, "step": step()}), &["item"]),
        ),
        tool(
            "decisions",
            "What people decided, for who implements it: of an item, or about a file. Keep to them and name \
             their ids.",
            true,
            object(json!({"item": item, "path": text()}), &[]),
        ),
    ]
}

/// The synthesis.
fn synthesis() -> Value {
    let text = || json!({"type": "string"});
    let turns = || list(json!({"type": "integer"}));
    let said =
        || list(object(json!({"text": text(), "by": list(text()), "turns": turns()}), &["text", "turns"]));
    let turn = || json!({"type": "integer"});
    object(
        json!({
            "insights": said(),
            "decisions": list(object(json!({"turn": turn(), "text": text(), "answers": turn(), "accepts": text()}), &["turn", "text"])),
            "open_questions": list(object(json!({"text": text(), "context": text(), "turns": turns()}), &["text", "turns"])),
            "action_items": said(),
        }),
        &[],
    )
}

fn tool(name: &'static str, about: &'static str, only_reads: bool, takes: Value) -> Tool {
    Tool { name, about, only_reads, takes }
}

fn object(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

/// A call of one of the tools.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Review(Review),
    Open(OpenCall),
    Say(Say),
    Hear(Hear),
    Close(Close),
    Read(Read),
    Decisions(DecisionsCall),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    #[serde(default)]
    pub paths: Vec<String>,
    pub item: Option<String>,
    pub step: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenCall {
    pub item: String,
    pub step: String,
    pub user: Option<String>,
    pub max_turns: Option<u32>,
    pub at: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Say {
    pub discussion: String,
    pub lines: Vec<AgentLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentLine {
    pub persona: String,
    pub text: Option<String>,
    #[serde(default)]
    pub rests: Vec<Rest>,
    #[serde(default)]
    pub absent: Vec<String>,
    #[serde(default)]
    pub pass: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hear {
    pub discussion: String,
    pub text: String,
    pub by: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Close {
    pub discussion: String,
    pub synthesis: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    pub item: String,
    pub step: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionsCall {
    pub item: Option<String>,
    pub path: Option<String>,
}

impl Call {
    /// Reads a call by the tool's name.
    ///
    /// # Errors
    /// An unknown tool, or what is wrong with the arguments.
    pub fn read(name: &str, arguments: Value) -> Result<Call, String> {
        fn of<T: serde::de::DeserializeOwned>(arguments: Value) -> Result<T, String> {
            serde_json::from_value(arguments)
                .map_err(|error| crate::text::wording::json(&error.to_string()).message)
        }
        Ok(match name {
            "review" => Call::Review(of(arguments)?),
            "open" => Call::Open(of(arguments)?),
            "say" => Call::Say(of(arguments)?),
            "hear" => Call::Hear(of(arguments)?),
            "close" => Call::Close(of(arguments)?),
            "read" => Call::Read(of(arguments)?),
            "decisions" => Call::Decisions(of(arguments)?),
            _ => {
                let names: Vec<&str> = all().iter().map(|tool| tool.name).collect();
                return Err(format!("there is no tool of that name; the tools are {}", names.join(", ")));
            }
        })
    }
}

impl From<AgentLine> for super::Said {
    fn from(line: AgentLine) -> super::Said {
        let AgentLine { persona, text, rests, absent, pass } = line;
        super::Said { persona, text: text.filter(|_| !pass), rests, absent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_are_small() {
        let all: String = all()
            .iter()
            .map(|tool| {
                json!({"name": tool.name, "description": tool.about, "inputSchema": tool.takes}).to_string()
            })
            .collect();
        let characters = all.chars().count() + INSTRUCTIONS.chars().count();
        assert!(characters <= 1_500 * 4, "{characters} characters are more than 1,500 tokens of four");
    }

    #[test]
    fn a_call_is_read_or_says_what_is_wrong() {
        let say = json!({"discussion": "d", "lines": [{"persona": "Maya", "pass": true}]});
        let Call::Say(read) = Call::read("say", say).unwrap() else { panic!() };
        assert_eq!(super::super::Said::from(read.lines[0].clone()).text, None);
        for (name, arguments, wrong) in [
            ("say", json!({"lines": []}), "discussion"),
            ("open", json!({"item": "a", "step": "01-03", "turns": 4}), "turns"),
            ("hear", json!([]), ""),
            ("shout", json!({}), "review, open, say, hear, close, read, decisions"),
        ] {
            let message = Call::read(name, arguments).unwrap_err();
            assert!(message.contains(wrong), "{message}");
        }
    }
}
