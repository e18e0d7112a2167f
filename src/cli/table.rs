//! What the verbs set up alike, from their arguments.

use std::io::Read as _;
use std::path::Path;

use git2::Oid;

use super::screen::Screen;
use super::{Global, exit::Fail};
use crate::git::Repo;
use crate::item::config::Config;
use crate::run::files::read_file;
pub use crate::run::library::BuiltIn;
pub use crate::run::place::{ahead, forward, new_path, own_branch, slug};
use crate::run::settings::Settings;

/// Where this run's settings come from.
pub fn settings(global: &Global) -> Result<Settings, Fail> {
    global.workspace.settings()
}

/// The settings at a commit, or those of `--config`.
pub fn config(global: &Global, repo: &Repo, commit: Oid) -> Result<Config, Fail> {
    global.workspace.settings_at(repo, commit)
}

/// The bytes of a script, with its name; `-` is standard input.
pub fn script(path: &Path) -> Result<(String, Vec<u8>), Fail> {
    let limit = crate::run::script::LARGEST as u64;
    if path != Path::new("-") {
        // A pipe has no name that says anything: `--script <(…)`.
        let is_named = std::fs::metadata(path).map_or(true, |file| file.is_file() || file.is_dir());
        let name =
            if is_named { crate::text::plain::shown(&path.display().to_string()) } else { "-".to_owned() };
        return Ok((name, read_file(path, limit)?));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
    Ok(("-".to_owned(), bytes))
}

/// Says where to look, when a commit holds nothing of what was asked for: what is new is on branches of
/// its own until they are merged.
pub fn note_nothing(repo: &Repo, what: &str, revision: &str, screen: &Screen) {
    let branches = repo.branches("roundtable/").unwrap_or_default();
    let Some(branch) = branches.iter().find(|branch| branch.as_str() != revision) else { return };
    let revision = crate::text::plain::shown(revision);
    screen.note(&format!("there is no {what} at {revision}; --rev {branch} looks at that branch"));
}
