//! `roundtable init --agent`: the server and the skill where an agent looks for them.
//!
//! Invariant: a file that exists is left as it is; what would have to be in it is printed. Only AGENTS.md,
//! and only where it is asked for, gets a block of ours at its end.

use std::path::Path;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::{FileState, Options, Wanted, state_of, write};
use crate::cli::exit::{Code, Fail};
use crate::cli::screen::Screen;

/// An agent whose places are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Agent {
    Claude,
    Copilot,
    Cursor,
    Codex,
}

const SKILL: &str = include_str!("../../../skills/roundtable/SKILL.md");
const AGENTS: &str = "AGENTS.md";
const BEGIN: &str = "<!-- roundtable:begin -->";
const END: &str = "<!-- roundtable:end -->";

impl Agent {
    /// Where it looks for the servers of a project, and how they are written there.
    fn server(self) -> (&'static str, String) {
        let server = json!({"command": "roundtable", "args": ["mcp"]});
        let json = |value: Value| format!("{value:#}\n");
        match self {
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
    const fn skill(self) -> &'static str {
        match self {
            Agent::Claude => ".claude/skills/roundtable/SKILL.md",
            Agent::Copilot => ".github/skills/roundtable/SKILL.md",
            Agent::Cursor => ".cursor/skills/roundtable/SKILL.md",
            Agent::Codex => ".agents/skills/roundtable/SKILL.md",
        }
    }
}

/// Writes what the agent lacks.
pub fn run(root: &Path, agent: Agent, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let (path, server) = agent.server();
    let wanted = [
        Wanted { path, text: server, is_program: false },
        Wanted { path: agent.skill(), text: SKILL.to_owned(), is_program: false },
    ];
    let mut found = Vec::new();
    for file in wanted {
        let state = state_of(root, &file)?;
        found.push((file, state));
    }
    let block = options.agents_md.then(|| agents_md(root)).transpose()?;
    let mut files = Vec::new();
    for (file, state) in &found {
        if *state == FileState::Missing && !options.dry_run {
            write(root, file)?;
        }
        tell(file, *state, options.dry_run, screen);
        files.push(told(file.path, *state, options.dry_run));
    }
    if let Some((file, state)) = &block {
        if *state == FileState::Missing && !options.dry_run {
            write(root, file)?;
        }
        screen.say(&format!("{AGENTS}: {}", state.name(options.dry_run)));
        files.push(told(AGENTS, *state, options.dry_run));
    }
    if options.dry_run {
        screen.say("\nNothing was written (--dry-run).");
    } else {
        screen.say("\nNext: commit these files, start the agent anew in this folder, and allow the server when it asks.");
    }
    screen.json(&json!({"dry_run": options.dry_run, "files": files}));
    Ok(Code::Yes)
}

fn told(path: &str, state: FileState, dry: bool) -> Value {
    json!({"path": path, "written": state == FileState::Missing && !dry, "result": state.name(dry)})
}

fn tell(file: &Wanted, state: FileState, dry: bool, screen: &Screen) {
    screen.say(&format!("{}: {}", file.path, state.name(dry)));
    let added = || file.text.lines().map(|line| format!("+{line}\n")).collect::<String>();
    if state == FileState::Missing && dry {
        screen.say_diff(&added());
    }
    if state == FileState::Other {
        screen.note(&format!("{} exists already with other content; add to it what follows", file.path));
        screen.say_diff(&added());
    }
}

/// AGENTS.md with our block, and whether that is to be written.
fn agents_md(root: &Path) -> Result<(Wanted, FileState), Fail> {
    let block = format!(
        "{BEGIN}\nRequirements items are discussed with the `roundtable` MCP server (skill `roundtable`): `review` shows what \
         documents leave open, `open` begins a discussion of a step. Only the user decides.\n{END}\n"
    );
    let file = |text: String| Wanted { path: AGENTS, text, is_program: false };
    if state_of(root, &file(block.clone()))? == FileState::Missing {
        return Ok((file(block), FileState::Missing));
    }
    let text = std::fs::read_to_string(root.join(AGENTS))
        .map_err(|error| Fail::new(format!("{AGENTS} cannot be read: {error}")))?;
    let ours = text.find(BEGIN).zip(text.find(END)).filter(|(begin, end)| begin < end);
    let after = match ours {
        Some((begin, end)) => format!("{}{}{}", &text[..begin], block.trim_end(), &text[end + END.len()..]),
        None => format!("{text}{}{block}", if text.ends_with('\n') { "\n" } else { "\n\n" }),
    };
    let state = if after == text { FileState::Same } else { FileState::Missing };
    Ok((file(after), state))
}
