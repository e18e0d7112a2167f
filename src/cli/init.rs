//! `roundtable init`: the files that a repository needs, shown before they are written. Existing files are
//! never overwritten.
//!
//! Alone it writes the configuration; `--hook` adds git's hook, `--github` the workflows, `--agent` what an agent
//! needs. Invariant: first all is looked at, then all is written, so a file that cannot be written stops the rest.

mod agent;
mod github;
mod protection;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::commit_hook::{self, Hook, State};
use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open};
use crate::additive::policy::Preset;
use crate::item::config::{self, Config};
use crate::run::check::agent_hook::Agent;
use crate::run::check::ranges::{NOTHING_PROTECTED, WHAT_PROTECTS, protects_nothing};
use crate::text::plain;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable init --dry-run\n          roundtable init --hook\n          roundtable init --agent claude\n          roundtable init --github\n          roundtable init --github --only check"
)]
pub struct InitArgs {
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Only report losses for a week, and do not fail: writes the end date into the settings
    #[arg(long, conflicts_with_all = ["hook", "agent"])]
    report_only: bool,
    /// Write git's pre-commit hook in this clone: it refuses a commit that loses text
    #[arg(long)]
    hook: bool,
    /// Set up an agent: the server of `roundtable mcp`, the skill, and hooks that check what it writes
    #[arg(long, value_name = "AGENT")]
    agent: Option<Agent>,
    /// Write the workflows for GitHub Actions, and an entry in CODEOWNERS for declared losses
    #[arg(long)]
    github: bool,
    /// Who speaks on labels; with a model, the workflow has two jobs: one with the key, one with the
    /// right to write
    #[arg(long, requires = "github", value_name = "VOICE", default_value = "secretary")]
    voice: Voice,
    /// Add a workflow that runs every night for each issue with a label
    #[arg(long, requires = "github")]
    backlog: bool,
    /// Let discussions stay open: a comment goes on with them, until one says "done"
    #[arg(long, requires = "github")]
    live: bool,
    /// Let a tick in a comment of roundtable start a run, which records the decision
    #[arg(long, requires = "github")]
    ticks: bool,
    /// Write one of the workflows alone: the check of pull requests, or their review
    #[arg(long, requires = "github", value_name = "WORKFLOW", conflicts_with_all = ["voice", "backlog", "live", "ticks"])]
    only: Option<Only>,
    /// The action that the workflow uses, as OWNER/REPOSITORY@COMMIT; a released program knows its own
    #[arg(long, requires = "github", value_name = "ACTION")]
    action: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Voice {
    #[value(alias = "offline")]
    Secretary,
    Anthropic,
    Openai,
}

/// A workflow that may be written alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Only {
    Check,
    Review,
}

impl Voice {
    /// The name of its key among the secrets.
    const fn secret(self) -> Option<&'static str> {
        match self {
            Voice::Secretary => None,
            Voice::Anthropic => Some("ANTHROPIC_API_KEY"),
            Voice::Openai => Some("OPENAI_API_KEY"),
        }
    }
}

/// A file that the repository should have.
struct SetupFile {
    path: String,
    text: String,
    is_program: bool,
}

impl SetupFile {
    fn text(path: impl Into<String>, text: impl Into<String>) -> SetupFile {
        SetupFile { path: path.into(), text: text.into(), is_program: false }
    }
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    Missing,
    Same,
    Other,
    /// Ours, and it lacked the address of the action, which is known now.
    WithoutAddress,
}

impl FileState {
    const fn name(self, dry: bool) -> &'static str {
        match (self, dry) {
            (FileState::Missing, true) => "would write",
            (FileState::Missing, false) => "wrote",
            (FileState::Same, _) => "exists already",
            (FileState::Other, _) => "left as it is",
            (FileState::WithoutAddress, true) => "would write the address",
            (FileState::WithoutAddress, false) => "wrote the address",
        }
    }

    /// Whether the file has to be written.
    fn is_due(self) -> bool {
        matches!(self, FileState::Missing | FileState::WithoutAddress)
    }
}

/// Writes what is missing.
pub fn run(global: &Global, options: &InitArgs, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let bare = || {
        Fail::new("a bare repository has no files").with_hint("run it in a clone, and push what it writes")
    };
    let root = repo.work_tree().ok_or_else(bare)?.to_owned();
    let action = github::action(options)?;
    let mut wanted = Vec::new();
    if options.github || !(options.hook || options.agent.is_some()) {
        wanted.push(SetupFile::text(config::FILE, settings(options, &layouts(&root))?));
    }
    if options.github {
        wanted.extend(github::workflows(options, action.as_deref()));
        wanted.extend(github::actionlint(&root, options));
        wanted.extend(github::owners(&root, &repo));
    }
    wanted.extend(options.agent.into_iter().flat_map(agent::files));
    let mut found = Vec::new();
    for file in wanted {
        let state = state_of(&root, &file)?;
        found.push((file, state));
    }
    if let Some(action) = action.as_deref().filter(|_| options.github) {
        write_address(&root, action, &mut found)?;
    }
    if options.report_only {
        refuse_other_settings(&root, &found)?;
    }
    let hook = options.hook.then(|| Hook::find(&repo));
    let mut told = Vec::new();
    for (file, state) in &found {
        let is_written = state.is_due() && !options.dry_run;
        if is_written {
            write(&root, file)?;
        }
        tell(file, *state, options, screen);
        told.push(json!({"path": file.path, "written": is_written, "result": state.name(options.dry_run)}));
    }
    if let Some((file, _)) = found.iter().find(|(file, _)| file.path == config::FILE) {
        protection::tell(&root, &file.text, screen);
    }
    if options.github {
        github::tell_owners(&root, &found, screen);
    }
    if let Some(hook) = &hook {
        told.push(hang_up(hook, options.dry_run, screen)?);
        // `doctor` says what is wrong with settings that cannot be read.
        let config = super::doctor::settings(global, &repo).ok();
        if config.is_some_and(|config| protects_nothing(&repo, &config).unwrap_or_default()) {
            screen.note(&format!("{NOTHING_PROTECTED}; {WHAT_PROTECTS}"));
        }
    }
    next(options, action.as_deref(), &found, screen);
    screen.json(&json!({"dry_run": options.dry_run, "action": action, "files": told}));
    Ok(Code::Yes)
}

/// The workflows that were written before the action's address was known, with the address.
fn write_address(root: &Path, action: &str, found: &mut Vec<(SetupFile, FileState)>) -> Result<(), Fail> {
    for path in github::WORKFLOWS {
        let here = found.iter().position(|(file, _)| file.path == path);
        let empty = SetupFile::text(path, "");
        if state_of(root, &empty)? != FileState::Other {
            continue;
        }
        let text = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let Some(text) = github::with_address(&text, action) else { continue };
        let complete = (SetupFile::text(path, text), FileState::WithoutAddress);
        match here {
            Some(at) => found[at] = complete,
            None => found.push(complete),
        }
    }
    Ok(())
}

/// Refuses `--report-only` where the settings are written already and have no day: they are not changed here.
fn refuse_other_settings(root: &Path, found: &[(SetupFile, FileState)]) -> Result<(), Fail> {
    let is_settings = |file: &SetupFile| file.path == config::FILE;
    if !found.iter().any(|(file, state)| is_settings(file) && *state == FileState::Other) {
        return Ok(());
    }
    let text = std::fs::read(root.join(config::FILE)).unwrap_or_default();
    if Config::read(config::FILE, &text).is_ok_and(|config| config.report_until.is_some()) {
        return Ok(());
    }
    let day = crate::run::clock::fixed_or_now()?.after_days(7).day();
    Err(Fail::new(format!("{} is there already, so --report-only changes nothing", config::FILE))
        .with_hint(format!("add this line to it: `report_until: {day}`")))
}

/// Says what became of a file, and shows what is in it where that has to be known.
fn tell(file: &SetupFile, state: FileState, options: &InitArgs, screen: &Screen) {
    screen.say(&format!("{}: {}", file.path, state.name(options.dry_run)));
    let added = || file.text.lines().map(|line| format!("+{line}\n")).collect::<String>();
    let is_for_agent =
        options.agent.is_some_and(|agent| agent::files(agent).iter().any(|own| own.path == file.path));
    match state {
        FileState::Missing | FileState::WithoutAddress if options.dry_run => screen.say_diff(&added()),
        FileState::Other if is_for_agent => {
            screen.note(&format!("{} exists already with other content; add to it what follows", file.path));
            screen.say_diff(&added());
        }
        FileState::Other => screen.note(&format!(
            "{} exists already with other content; roundtable init --dry-run in an empty repository shows what would be written",
            file.path
        )),
        _ => {}
    }
}

/// Writes git's hook where git finds none, or says what to add to the one that it finds.
fn hang_up(hook: &Hook, dry_run: bool, screen: &Screen) -> Result<Value, Fail> {
    let path = hook.shown(&hook.path);
    let state = match hook.state {
        State::Missing if hook.chosen.is_none() => FileState::Missing,
        State::Ours | State::Calls => FileState::Same,
        State::Missing | State::NotExecutable | State::NoInterpreter | State::Other => FileState::Other,
    };
    if state == FileState::Missing && !dry_run {
        let written = std::fs::create_dir_all(hook.path.parent().unwrap_or(&hook.path))
            .and_then(|()| crate::run::files::write_whole(&hook.path, commit_hook::TEXT.as_bytes()))
            .and_then(|()| make_program(&hook.path));
        written.map_err(|error| Fail::new(format!("{path} cannot be written: {error}")))?;
    }
    screen.say(&format!("{path}: {}", state.name(dry_run)));
    if state == FileState::Missing && dry_run {
        screen.say_diff(&commit_hook::TEXT.lines().map(|line| format!("+{line}\n")).collect::<String>());
    }
    if state == FileState::Other {
        screen.say(&in_use(hook));
    }
    let is_written = state == FileState::Missing && !dry_run;
    Ok(json!({"path": path, "written": is_written, "result": state.name(dry_run)}))
}

/// Whose hook there is, and what to add to it.
fn in_use(hook: &Hook) -> String {
    if hook.state == State::NotExecutable {
        let path = hook.shown(&hook.path);
        return format!(
            "The hook is there, and git ignores it: it is not executable. Run\n  chmod +x {path}"
        );
    }
    let whose = match (hook.tool.name(), &hook.chosen) {
        (Some(tool), _) => format!("The hooks of this clone are {tool}'s; they stay as they are."),
        (None, Some(folder)) => {
            format!(
                "core.hooksPath is {}: the hooks of this clone are there, and stay as they are.",
                plain::shown(folder)
            )
        }
        (None, None) => "There is a pre-commit hook already; it stays as it is.".to_owned(),
    };
    format!("{whose} To check commits, too, {}", hook.advice())
}

/// What is left to do by hand.
fn next(options: &InitArgs, action: Option<&str>, found: &[(SetupFile, FileState)], screen: &Screen) {
    if options.dry_run {
        screen.say("\nNothing was written (--dry-run).");
        return;
    }
    if options.agent.is_some() {
        screen.say("\nNext: commit these files, start the agent anew in this folder, and allow the server and the hooks when it asks.");
    }
    if options.github {
        github::next(options, action, found, screen);
    }
    if !options.github && !options.hook && options.agent.is_none() {
        if !options.report_only {
            screen.say("\nTo see first what would be stopped, write `report_until: DAY` into .roundtable.yaml: before that day losses are reported, and pass.");
        }
        screen.say("\nNext: commit the file. Then, as you need them:");
        screen.say("  roundtable init --hook            checks each commit in this clone");
        screen.say(
            "  roundtable init --agent claude    checks what an agent writes (also codex, cursor, copilot)",
        );
        screen.say("  roundtable init --github          checks pull requests, and answers labels");
    }
}

/// The presets whose layout a repository has.
fn layouts(root: &Path) -> Vec<String> {
    let has = |preset: &Preset| {
        preset.places.iter().any(|place| match &preset.says {
            None => protection::holds_a_document(root, preset, place),
            Some(says) => std::fs::read_to_string(root.join(place)).is_ok_and(|text| text.contains(says)),
        })
    };
    Preset::all().into_iter().filter(has).map(|preset| preset.name.to_owned()).collect()
}

/// The settings' file, with the presets that the repository's layout asks for.
fn settings(options: &InitArgs, layouts: &[String]) -> Result<String, Fail> {
    let text = include_str!("init/roundtable.yaml");
    let presets: String = layouts.iter().map(|name| format!("  - {{ preset: {name} }}\n")).collect();
    let default = "# protect:\n#   - { preset: items }\n";
    let protects = format!("protect:\n  - {{ preset: items }}\n{presets}");
    let text = if layouts.is_empty() { text.to_owned() } else { text.replace(default, &protects) };
    let text = match options.report_only {
        false => text,
        true => {
            let day = crate::run::clock::fixed_or_now()?.after_days(7).day();
            text.replace("# report_until: 2026-12-03\n", &format!("report_until: {day}\n"))
        }
    };
    if !options.live {
        return Ok(text);
    }
    Ok(text.replace("# github:\n", "github:\n").replace("#   live: false\n", "  live: true\n"))
}

/// What is at a file's path; a link on the way there is not followed.
fn state_of(root: &Path, file: &SetupFile) -> Result<FileState, Fail> {
    let mut at = root.to_owned();
    for part in Path::new(&file.path) {
        at.push(part);
        match std::fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                return Err(Fail::new(format!(
                    "{} is a symbolic link, which is not followed",
                    shown(root, &at)
                ))
                .with_hint("put the file there by hand"));
            }
            Ok(found) if found.is_file() && at != root.join(&file.path) => {
                return Err(Fail::new(format!("{} is a file", shown(root, &at)))
                    .with_hint("move it away: a folder of this name is needed"));
            }
            Ok(found) if found.is_dir() && at == root.join(&file.path) => {
                return Err(Fail::new(format!("{} is a folder", shown(root, &at)))
                    .with_hint("move it away: a file of this name is needed"));
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(FileState::Missing),
            Err(error) => return Err(Fail::new(format!("{} cannot be read: {error}", shown(root, &at)))),
        }
    }
    let text =
        std::fs::read(&at).map_err(|error| Fail::new(format!("{} cannot be read: {error}", file.path)))?;
    Ok(if text == file.text.as_bytes() { FileState::Same } else { FileState::Other })
}

fn shown(root: &Path, at: &Path) -> String {
    plain::shown(&at.strip_prefix(root).unwrap_or(at).display().to_string())
}

fn write(root: &Path, file: &SetupFile) -> Result<(), Fail> {
    let path: PathBuf = root.join(&file.path);
    let folder = path.parent().unwrap_or(root);
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| crate::run::files::write_whole(&path, file.text.as_bytes()))
        .and_then(|()| if file.is_program { make_program(&path) } else { Ok(()) });
    written.map_err(|error| Fail::new(format!("{} cannot be written: {error}", file.path)))
}

#[cfg(unix)]
fn make_program(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_program(_: &Path) -> std::io::Result<()> {
    Ok(())
}
