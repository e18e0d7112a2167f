//! `roundtable init --agent`: the server, the skill and the hooks where an agent looks for them.
//!
//! Invariant: a file that exists is left as it is; what would have to be in it is printed.
//!
//! The hooks run `roundtable check --hook AGENT` before a tool writes and at the end of a turn ([`crate::run::check::agent_hook`]
//! reads what they are given): `.claude/settings.json` has them under `PreToolUse` and `Stop`.

use serde_json::{Value, json};

use super::SetupFile;
use crate::run::check::agent_hook::Agent;

const SKILL: &str = include_str!("../../../skills/roundtable/SKILL.md");

/// What an agent needs, in files of its own.
pub fn files(agent: Agent) -> Vec<SetupFile> {
    let (server, hooks) = (server(agent), hooks(agent));
    vec![
        SetupFile::text(server.0, server.1),
        SetupFile::text(skill(agent), SKILL),
        SetupFile::text(hooks.0, format!("{:#}\n", hooks.1)),
    ]
}

/// Where it looks for the servers of a project, and how they are written there.
fn server(agent: Agent) -> (&'static str, String) {
    let server = json!({"command": "roundtable", "args": ["mcp"]});
    let json = |value: Value| format!("{value:#}\n");
    match agent {
        Agent::Claude => (".mcp.json", json(json!({"mcpServers": {"roundtable": server}}))),
        Agent::Copilot => {
            let server = json!({"type": "stdio", "command": "roundtable", "args": ["mcp"]});
            (".vscode/mcp.json", json(json!({"servers": {"roundtable": server}})))
        }
        Agent::Cursor => (".cursor/mcp.json", json(json!({"mcpServers": {"roundtable": server}}))),
        Agent::Codex => (
            ".codex/config.toml",
            "[mcp_servers.roundtable]\ncommand = \"roundtable\"\nargs = [\"mcp\"]\n".to_owned(),
        ),
    }
}

/// Where it looks for the skills of a project.
const fn skill(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => ".claude/skills/roundtable/SKILL.md",
        Agent::Copilot => ".github/skills/roundtable/SKILL.md",
        Agent::Cursor => ".cursor/skills/roundtable/SKILL.md",
        Agent::Codex => ".agents/skills/roundtable/SKILL.md",
    }
}
/// Where it looks for the hooks of a project, and ours as they are written there.
fn hooks(agent: Agent) -> (&'static str, Value) {
    let call = format!("roundtable check --hook {}", agent.name());
    let run = json!({"type": "command", "command": call});
    match agent {
        Agent::Claude => (
            ".claude/settings.json",
            json!({"hooks": {
                "PreToolUse": [{"matcher": "Write|Edit|MultiEdit", "hooks": [run]}],
                "Stop": [{"hooks": [run]}],
            }}),
        ),
        Agent::Codex => (
            ".codex/hooks.json",
            json!({"hooks": {
                "PreToolUse": [{"matcher": "apply_patch|Write|Edit", "hooks": [run]}],
                "Stop": [{"hooks": [run]}],
            }}),
        ),
        Agent::Cursor => (
            ".cursor/hooks.json",
            json!({"version": 1, "hooks": {
                "preToolUse": [{"command": call, "matcher": "Write|StrReplace|Edit|Delete"}],
                "stop": [{"command": call}],
            }}),
        ),
        Agent::Copilot => {
            let run = json!({"type": "command", "bash": call, "powershell": call, "timeoutSec": 30});
            (
                ".github/hooks/roundtable.json",
                json!({"version": 1, "hooks": {"preToolUse": [run], "agentStop": [run]}}),
            )
        }
    }
}
