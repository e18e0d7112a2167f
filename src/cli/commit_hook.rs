//! The hook that git runs before a commit: where git looks for it, whose it is, and whether it refuses a loss.
//!
//! `init --hook` writes ours only where git finds none and nobody chose another folder; `doctor` lets git run it, and others that call the check.
//! Invariant: `core.hooksPath` and a hook of another tool are never changed; what to add to them is printed.
//!
//! A repository with `core.hooksPath = .husky/_` gets the line for `.husky/pre-commit`, and keeps both.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::git::Repo;
use crate::text::plain;

/// The hook as `init --hook` writes it.
pub const TEXT: &str = include_str!("init/pre-commit");
/// What a hook has to call.
pub const CALL: &str = "roundtable check --staged";
const NAME: &str = "pre-commit";

/// What git finds when it looks for its hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Missing,
    /// It exists, and git ignores it.
    NotExecutable,
    /// Its first line names a program that is not there, as one with CRLF does.
    NoInterpreter,
    /// As `init --hook` writes it.
    Ours,
    /// Another's, which calls the check.
    Calls,
    /// Another's, which does not.
    Other,
}

/// A tool that manages hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Husky,
    Lefthook,
    PreCommit,
    /// A hook that somebody wrote, or a tool that is not known here.
    Unknown,
}

/// The hook of a repository.
pub struct Hook {
    /// The file that git runs.
    pub path: PathBuf,
    /// `core.hooksPath`, or the folder where `hooks` is a link to one: somebody's choice.
    pub chosen: Option<String>,
    pub tool: Tool,
    pub state: State,
    /// The file in which the call is written, or has to be.
    pub place: PathBuf,
    root: PathBuf,
}

impl Hook {
    /// The hook as git would find it.
    pub fn find(repo: &Repo) -> Hook {
        let (folder, setting) = repo.hooks_folder();
        let root = repo.work_tree().unwrap_or(repo.path()).to_owned();
        let path = folder.join(NAME);
        let is_link = folder.is_symlink();
        let chosen = setting.or_else(|| is_link.then(|| folder.display().to_string()));
        let text = std::fs::read_to_string(&path).ok();
        let tool = Tool::recognise(&root, &folder, text.as_deref().unwrap_or_default());
        let place = tool.place(&root).unwrap_or_else(|| path.clone());
        let calls =
            |text: &str| text.lines().any(|line| !line.trim_start().starts_with('#') && is_call(line));
        let called = || {
            [&path, &place].into_iter().any(|at| std::fs::read_to_string(at).is_ok_and(|text| calls(&text)))
        };
        let state = match &text {
            None if path.is_file() => State::Other,
            None => State::Missing,
            Some(_) if !is_executable(&path) => State::NotExecutable,
            Some(text) if !has_interpreter(text) => State::NoInterpreter,
            Some(text) if text == TEXT => State::Ours,
            Some(_) if called() => State::Calls,
            Some(_) => State::Other,
        };
        Hook { path, chosen, tool, state, place, root }
    }

    /// A path as people name it in this repository.
    pub fn shown(&self, path: &Path) -> String {
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let below =
            |path: &Path| path.strip_prefix(&root).or(path.strip_prefix(&self.root)).ok().map(Path::to_owned);
        let path = path.canonicalize().ok().and_then(|path| below(&path)).or_else(|| below(path));
        plain::shown(&path.unwrap_or_else(|| self.path.clone()).display().to_string())
    }

    /// What to write into which file, so that the check runs with the other hooks.
    pub fn advice(&self) -> String {
        let place = self.shown(&self.place);
        match self.tool {
            Tool::Husky => format!("add this line to {place}:\n  {CALL}"),
            Tool::Lefthook => {
                format!(
                    "add this to {place}:\n  pre-commit:\n    commands:\n      roundtable:\n        run: {CALL}"
                )
            }
            Tool::PreCommit => format!(
                "add this below `repos:` in {place}:\n  - repo: local\n    hooks:\n      - id: roundtable\n        name: roundtable\n        entry: {CALL}\n        language: system\n        pass_filenames: false\n        always_run: true"
            ),
            Tool::Unknown if self.state == State::Missing => format!(
                "write {place} with these two lines, and make it executable (chmod +x {place}):\n  #!/bin/sh\n  exec {CALL}"
            ),
            Tool::Unknown => {
                format!("add this line to {place}, before anything that ends it:\n  {CALL} || exit")
            }
        }
    }
}

fn is_call(line: &str) -> bool {
    line.contains("roundtable check") && line.contains("--staged") || line.contains("id: roundtable-check")
}

impl Tool {
    /// Whether the hook is all that it needs: the others read settings that a trial has not.
    pub const fn can_be_tried(self) -> bool {
        matches!(self, Tool::Husky | Tool::Unknown)
    }

    pub const fn name(self) -> Option<&'static str> {
        match self {
            Tool::Husky => Some("husky"),
            Tool::Lefthook => Some("lefthook"),
            Tool::PreCommit => Some("pre-commit"),
            Tool::Unknown => None,
        }
    }

    /// The tool whose mark is in the hook or its folder.
    fn recognise(root: &Path, folder: &Path, text: &str) -> Tool {
        let is_below = |name: &str| folder.components().any(|part| part.as_os_str() == name);
        if is_below(".husky") {
            return Tool::Husky;
        }
        if text.contains("lefthook") && Tool::Lefthook.place(root).is_some_and(|place| place.exists()) {
            return Tool::Lefthook;
        }
        if text.contains("File generated by pre-commit") || text.contains("File generated by prek") {
            return Tool::PreCommit;
        }
        Tool::Unknown
    }

    /// The file in which the tool is told what to run.
    fn place(self, root: &Path) -> Option<PathBuf> {
        let first = |names: &[&str]| {
            let all = names.iter().map(|name| root.join(name));
            all.clone().find(|path| path.is_file()).or_else(|| all.clone().next())
        };
        match self {
            Tool::Husky => Some(root.join(".husky/pre-commit")),
            Tool::Lefthook => first(&["lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml"]),
            Tool::PreCommit => first(&[".pre-commit-config.yaml", ".pre-commit-config.yml"]),
            Tool::Unknown => None,
        }
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

/// Whether the program that a hook's first line names exists. Git for Windows brings its own.
fn has_interpreter(text: &str) -> bool {
    let line = text.strip_prefix("#!").and_then(|text| text.split('\n').next());
    let program = line.and_then(|line| line.trim_start_matches(' ').split([' ', '\t']).next());
    !cfg!(unix) || program.is_none_or(|program| Path::new(program).is_file())
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// What came of a commit that loses a line.
pub enum Trial {
    Refused,
    /// git committed it.
    Committed,
    /// It was refused for another reason than the loss; the first line of what was said.
    Failed(String),
}

const LOST: &str = "Payment at the desk.";

/// Lets git run a hook where a commit loses a line, in a repository of its own in a temporary folder.
///
/// # Errors
/// A folder that cannot be made, or no git on the PATH.
pub fn try_out(hook: &Hook) -> std::io::Result<Trial> {
    let folder = tempfile::tempdir()?;
    let path = hook.path.canonicalize()?;
    let hooks = path.parent().unwrap_or(&path);
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        command.current_dir(folder.path());
        command.args(["-c", "user.name=doctor", "-c", "user.email=doctor@localhost"]);
        command.args(["-c", "commit.gpgsign=false", "-c", &format!("core.hooksPath={}", hooks.display())]);
        command.args(args).stdin(std::process::Stdio::null()).output()
    };
    let spec = folder.path().join("docs/requirements/trial/spec.md");
    let write = |text: &str| std::fs::write(&spec, text);
    std::fs::create_dir_all(spec.parent().unwrap_or(&spec))?;
    std::fs::write(spec.with_file_name("meta.json"), "{\"slug\": \"trial\", \"name\": \"trial\"}\n")?;
    write(&format!("# Trial\n\nOne letter a month.\n\n{LOST}\n"))?;
    git(&["init", "--quiet"])?;
    git(&["add", "."])?;
    git(&["commit", "--quiet", "--no-verify", "--message", "Begin"])?;
    write("# Trial\n\nOne letter a month.\n")?;
    git(&["add", "."])?;
    let done = git(&["commit", "--quiet", "--message", "Lose a line"])?;
    let said = [done.stdout, done.stderr].concat();
    let said = plain::clean(&String::from_utf8_lossy(&said));
    Ok(match done.status.success() {
        true => Trial::Committed,
        false if said.contains(LOST) => Trial::Refused,
        false => {
            Trial::Failed(said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned())
        }
    })
}
