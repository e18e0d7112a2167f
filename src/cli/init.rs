//! `roundtable init`: the files that a repository needs, shown before they are written. Existing files are
//! never overwritten.

mod agent;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open};
use crate::plain;
use crate::policy::Preset;

/// The action of this build, `OWNER/REPOSITORY@COMMIT`; set in releases.
const ACTION: Option<&str> = option_env!("ROUNDTABLE_ACTION");
/// What is written where nobody knows.
const UNKNOWN: &str = "OWNER/roundtable@0000000000000000000000000000000000000000";

#[derive(Debug, Args)]
#[command(after_help = "Examples: roundtable init --dry-run\n          roundtable init --agent claude")]
pub struct Options {
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Who speaks on labels; with a model, the workflow has two jobs: one with the key, one with the
    /// right to write
    #[arg(long, value_name = "VOICE", default_value = "reviewer")]
    voice: Voice,
    /// Add a workflow that works off every issue that waits with the label
    #[arg(long)]
    backlog: bool,
    /// Let discussions stay open: a comment goes on with them, until one says "done"
    #[arg(long)]
    live: bool,
    /// The action that the workflow uses, as OWNER/REPOSITORY@COMMIT
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// Set up an agent instead: its entry for the server of `roundtable mcp`, and the skill
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["voice", "backlog", "live", "action"])]
    agent: Option<agent::Agent>,
    /// Keep a paragraph on roundtable in AGENTS.md, too
    #[arg(long, requires = "agent")]
    agents_md: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Voice {
    #[value(alias = "offline")]
    Reviewer,
    Anthropic,
    Openai,
}

/// A file that the repository should have.
struct Wanted {
    path: &'static str,
    text: String,
    is_program: bool,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    Missing,
    Same,
    Other,
}

impl Stands {
    const fn name(self, dry: bool) -> &'static str {
        match (self, dry) {
            (Stands::Missing, true) => "would write",
            (Stands::Missing, false) => "wrote",
            (Stands::Same, _) => "exists already",
            (Stands::Other, _) => "left as it is",
        }
    }
}

/// Writes what is missing.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let root = repo
        .work_tree()
        .ok_or_else(|| {
            Fail::new("a bare repository has no files; run it in a clone and push what it writes")
        })?
        .to_owned();
    if let Some(agent) = options.agent {
        return agent::run(&root, agent, options, screen);
    }
    let action = action(options)?;
    let mut found = Vec::new();
    // First all is looked at, then all is written: a file that cannot be written stops the rest.
    for file in wanted(options, &action, &layouts(&root)) {
        let stands = stands(&root, &file)?;
        found.push((file, stands));
    }
    for (file, stands) in &found {
        if *stands == Stands::Missing && !options.dry_run {
            write(&root, file)?;
        }
        screen.say(&format!("{}: {}", file.path, stands.name(options.dry_run)));
        if options.dry_run && *stands == Stands::Missing {
            let added: String = file.text.lines().map(|line| format!("+{line}\n")).collect();
            screen.say_diff(&added);
        }
        if *stands == Stands::Other {
            screen.note(&format!(
                "{} exists already with other content; roundtable init --dry-run in an empty repository shows what would be written",
                file.path
            ));
        }
    }
    next(options, &action, screen);
    let files: Vec<Value> = found
        .iter()
        .map(|(file, stands)| json!({"path": file.path, "written": *stands == Stands::Missing && !options.dry_run, "result": stands.name(options.dry_run)}))
        .collect();
    screen.json(&json!({"dry_run": options.dry_run, "action": action, "files": files}));
    Ok(Code::Yes)
}

/// What a person does next.
fn next(options: &Options, action: &str, screen: &Screen) {
    if action == UNKNOWN {
        screen.note("this build does not know the address of its action: replace OWNER/roundtable@000… in the workflow with the repository and commit of roundtable, or give it with --action");
    }
    if options.dry_run {
        screen.say("\nNothing was written (--dry-run).");
        return;
    }
    screen.say("\nNext:");
    screen.say("  git config core.hooksPath .githooks");
    screen.say("  git add .github .githooks .roundtable.yaml && git commit -m \"Set up roundtable\"");
    screen.say("  roundtable add my-item --name \"my item\"");
    // Beside the command it would be an argument for a shell that takes no remarks when it is typed at.
    screen.say("The first command turns the hook on: it checks each commit in this clone.");
    screen.say("On GitHub: make a label \"roundtable\", require the check \"additive\", and allow Actions to create pull requests.");
    match options.voice {
        Voice::Reviewer => {}
        Voice::Anthropic => screen.say("Put the key into the environment \"roundtable-model\", as the secret ANTHROPIC_API_KEY."),
        Voice::Openai => screen.say("Put the key into the environment \"roundtable-model\", as the secret OPENAI_API_KEY, and name the model in .roundtable.yaml."),
    }
}

/// The action that workflows are to use.
fn action(options: &Options) -> Result<String, Fail> {
    let Some(named) = &options.action else { return Ok(ACTION.unwrap_or(UNKNOWN).to_owned()) };
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
    };
    let parts = named.split_once('@').filter(|(name, at)| {
        is_word(name)
            && name.matches('/').count() == 1
            && !named.contains("..")
            && at.len() == 40
            && at.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    match parts {
        Some(_) => Ok(named.clone()),
        None => Err(Fail::new(format!(
            "--action is \"{}\"; write it like OWNER/REPOSITORY@COMMIT, with the commit's 40 digits",
            plain::shown(named)
        ))),
    }
}

/// Every file, as this repository is to have it.
fn wanted(options: &Options, action: &str, layouts: &[String]) -> Vec<Wanted> {
    let filled = |text: &str| {
        let version = concat!("v", env!("CARGO_PKG_VERSION"));
        let text = text.replace("__ACTION__", action).replace("__VERSION__", version);
        let text = if options.live { listening(&text) } else { text };
        match options.voice {
            Voice::Openai => text
                .replace("voice: anthropic", "voice: openai")
                .replace("anthropic-api-key", "openai-api-key")
                .replace("ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
            Voice::Reviewer | Voice::Anthropic => text,
        }
    };
    let workflow = match options.voice {
        Voice::Reviewer => include_str!("init/roundtable.yml"),
        Voice::Anthropic | Voice::Openai => include_str!("init/roundtable-model.yml"),
    };
    let file = |path, text: String, is_program| Wanted { path, text, is_program };
    let mut files = vec![
        file(".github/workflows/roundtable.yml", filled(workflow), false),
        file(".roundtable.yaml", settings(options.live, layouts), false),
        file(".githooks/pre-commit", include_str!("init/pre-commit").to_owned(), true),
    ];
    if options.backlog {
        let text = filled(include_str!("init/roundtable-backlog.yml"));
        files.push(file(".github/workflows/roundtable-backlog.yml", text, false));
    }
    files
}

/// A workflow that listens to comments, too.
fn listening(workflow: &str) -> String {
    let comments = "  # A comment goes on with a discussion that is open, and begins none. The program asks whose it is before it reads a word.\n  issue_comment: # zizmor: ignore[dangerous-triggers] no word of the event is in this file\n    types: [created]\n";
    let is_open = "      (github.event_name == 'issue_comment' && !github.event.issue.pull_request &&\n      contains(github.event.issue.labels.*.name, 'roundtable:open')) ||\n";
    let behind = |text: &str, line: &str, more: &str| text.replacen(line, &format!("{line}{more}"), 1);
    let text = behind(workflow, "    types: [labeled]\n", comments);
    let text = behind(&text, "      github.event_name == 'workflow_dispatch' ||\n", is_open);
    let check = "if: github.event_name != 'issues'";
    text.replace(&format!("    {check}\n"), &format!("    {check} && github.event_name != 'issue_comment'\n"))
}

/// The presets whose layout a repository has.
fn layouts(root: &Path) -> Vec<String> {
    let has = |preset: &Preset| {
        preset.places.iter().map(|place| root.join(place)).any(|place| match &preset.says {
            None => place.is_dir(),
            Some(says) => std::fs::read_to_string(place).is_ok_and(|text| text.contains(says)),
        })
    };
    Preset::all().into_iter().filter(has).map(|preset| preset.name).collect()
}

/// The settings' file, with the presets that the repository's layout asks for.
fn settings(live: bool, layouts: &[String]) -> String {
    let text = include_str!("init/roundtable.yaml");
    let presets: String = layouts.iter().map(|name| format!("  - {{ preset: {name} }}\n")).collect();
    let default = "# append_only:\n#   - docs/requirements/**\n";
    let protects = format!("append_only:\n  - docs/requirements/**\n{presets}");
    let text = if layouts.is_empty() { text.to_owned() } else { text.replace(default, &protects) };
    if !live {
        return text;
    }
    text.replace("# github:\n", "github:\n").replace("#   live: false\n", "  live: true\n")
}

/// What is at a file's path; a link on the way there is not followed.
fn stands(root: &Path, file: &Wanted) -> Result<Stands, Fail> {
    let mut at = root.to_owned();
    for part in Path::new(file.path) {
        at.push(part);
        match std::fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                let message = "is a symbolic link, which is not followed; put the file there by hand";
                return Err(Fail::new(format!("{} {message}", shown(root, &at))));
            }
            Ok(found) if found.is_file() && at != root.join(file.path) => {
                return Err(Fail::new(format!(
                    "{} is a file, and a folder is needed there",
                    shown(root, &at)
                )));
            }
            Ok(found) if found.is_dir() && at == root.join(file.path) => {
                return Err(Fail::new(format!(
                    "{} is a folder, and a file is needed there",
                    shown(root, &at)
                )));
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Stands::Missing),
            Err(error) => return Err(Fail::new(format!("{} cannot be read: {error}", shown(root, &at)))),
        }
    }
    let text =
        std::fs::read(&at).map_err(|error| Fail::new(format!("{} cannot be read: {error}", file.path)))?;
    Ok(if text == file.text.as_bytes() { Stands::Same } else { Stands::Other })
}

fn shown(root: &Path, at: &Path) -> String {
    plain::shown(&at.strip_prefix(root).unwrap_or(at).display().to_string())
}

fn write(root: &Path, file: &Wanted) -> Result<(), Fail> {
    let path: PathBuf = root.join(file.path);
    let folder = path.parent().unwrap_or(root);
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| super::write_whole(&path, file.text.as_bytes()))
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
