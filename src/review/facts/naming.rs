//! What the checks of ids share: folders and task lists by their paths, and hits that name many ids.

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
