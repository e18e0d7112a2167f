//! What checks share: what a document is by its path, and hits that name many ids.

use std::ops::Range;

use super::super::Hit;

/// Ids that a message names.
const SHOWN: usize = 8;

/// The folder of a path, with its slash.
pub fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

/// `tasks.md`, as spec-kit, OpenSpec and Kiro have it.
pub fn is_task_list(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("tasks.md"))
}

/// Instructions for an agent, `.claude/commands/plan.md`, `skills/review/SKILL.md`: what is in brackets there, the agent
/// fills in.
pub fn is_instruction(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_file = name == "SKILL.md"
        || [".agent.md", ".instructions.md", ".prompt.md"].iter().any(|ending| name.ends_with(ending));
    let is_hidden = folders.split('/').any(|folder| folder.starts_with(['.', '_']) && folder.len() > 2);
    let is_folder = |folder: &str| match folder {
        "prompts" | "skills" => true,
        "agents" | "commands" | "rules" | "workflows" => is_hidden,
        _ => false,
    };
    is_file || folders.split('/').any(is_folder)
}

/// One hit for all that no task names.
pub fn folded(place: Range<usize>, names: &[String], total: usize, tasks: &str) -> Hit {
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    let shown = names[..names.len().min(SHOWN)].join(", ");
    Hit::at(place)
        .with("names", format!("{shown}{more}"))
        .with("count", names.len().to_string())
        .with("total", total.to_string())
        .with("path", tasks.to_owned())
}
