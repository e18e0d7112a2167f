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
    /// Let a tick in a comment of roundtable start a run, which records the decision
    #[arg(long)]
    ticks: bool,
    /// Write the workflow for an organisation: other repositories call it
    #[arg(long)]
    reusable: bool,
    /// The action that the workflow uses, as OWNER/REPOSITORY@COMMIT; a released program knows its own
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

impl Voice {
    /// The name of its key among the secrets.
    const fn secret(self) -> Option<&'static str> {
        match self {
            Voice::Reviewer => None,
            Voice::Anthropic => Some("ANTHROPIC_API_KEY"),
            Voice::Openai => Some("OPENAI_API_KEY"),
        }
    }
}

/// A file that the repository should have.
struct Wanted {
    path: &'static str,
    text: String,
    is_program: bool,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    Missing,
    Same,
    Other,
}

impl FileState {
    const fn name(self, dry: bool) -> &'static str {
        match (self, dry) {
            (FileState::Missing, true) => "would write",
            (FileState::Missing, false) => "wrote",
            (FileState::Same, _) => "exists already",
            (FileState::Other, _) => "left as it is",
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
        let state = state_of(&root, &file)?;
        found.push((file, state));
    }
    for (file, state) in &found {
        if *state == FileState::Missing && !options.dry_run {
            write(&root, file)?;
        }
        screen.say(&format!("{}: {}", file.path, state.name(options.dry_run)));
        if options.dry_run && *state == FileState::Missing {
            let added: String = file.text.lines().map(|line| format!("+{line}\n")).collect();
            screen.say_diff(&added);
        }
        if *state == FileState::Other {
            screen.note(&format!(
                "{} exists already with other content; roundtable init --dry-run in an empty repository shows what would be written",
                file.path
            ));
        }
    }
    next(options, &found, screen);
    let files: Vec<Value> = found
        .iter()
        .map(|(file, state)| json!({"path": file.path, "written": *state == FileState::Missing && !options.dry_run, "result": state.name(options.dry_run)}))
        .collect();
    screen.json(&json!({"dry_run": options.dry_run, "action": action, "files": files}));
    Ok(Code::Yes)
}

/// What is left to do by hand, as commands in order.
fn next(options: &Options, found: &[(Wanted, FileState)], screen: &Screen) {
    if options.dry_run {
        screen.say("\nNothing was written (--dry-run).");
        return;
    }
    let paths: Vec<&str> = found.iter().map(|(file, _)| file.path).collect();
    screen.say("\n1. Commit the files, and turn on the hook that checks each commit in this clone:");
    screen.say("  git config core.hooksPath .githooks");
    screen.say(&format!("  git add {}", paths.join(" ")));
    screen.say("  git commit -m \"Set up roundtable\"");
    screen.say("  git push");
    screen.say("2. Make the labels (a step has one of its own, such as roundtable:01-03):");
    for (label, what) in LABELS {
        if options.live || !label.ends_with(":close") {
            screen.say(&format!("  gh label create {label} --force --description \"{what}\""));
        }
    }
    screen.say("3. Let Actions open pull requests, and require the check:");
    screen.say("  gh api --method PUT repos/{owner}/{repo}/actions/permissions/workflow -f default_workflow_permissions=read -F can_approve_pull_request_reviews=true");
    screen.say("  gh api --method POST repos/{owner}/{repo}/rulesets -f name=roundtable -f target=branch -f enforcement=active -f \"conditions[ref_name][include][]=~DEFAULT_BRANCH\" -f \"conditions[ref_name][exclude][]\" -f \"rules[][type]=required_status_checks\" -F \"rules[][parameters][strict_required_status_checks_policy]=false\" -f \"rules[][parameters][required_status_checks][][context]=additive\"");
    let Some(secret) = options.voice.secret() else { return };
    screen.say(
        "4. Make the environment of the model's key, for the default branch only, and put the key there:",
    );
    screen.say("  gh api --method PUT repos/{owner}/{repo}/environments/roundtable-model -F \"deployment_branch_policy[protected_branches]=false\" -F \"deployment_branch_policy[custom_branch_policies]=true\"");
    screen.say("  gh api --method POST repos/{owner}/{repo}/environments/roundtable-model/deployment-branch-policies -f name=\"$(gh repo view --json defaultBranchRef --jq .defaultBranchRef.name)\"");
    screen.say(&format!("  gh secret set {secret} --env roundtable-model"));
    if options.voice == Voice::Openai {
        screen.note("the voice openai has no default model: name one in .roundtable.yaml");
    }
}

/// The labels that are made by hand; the program makes those of the results.
const LABELS: [(&str, &str); 3] = [
    ("roundtable", "Discuss this issue"),
    ("roundtable:analyze", "Go on with the analysis of this issue"),
    ("roundtable:close", "End the open discussion"),
];

/// The action that workflows are to use.
fn action(options: &Options) -> Result<String, Fail> {
    let Some(named) = options.action.as_deref().or(ACTION) else {
        return Err(Fail::new(
            "this build does not know the address of its action; give it with --action OWNER/REPOSITORY@COMMIT: the repository that roundtable's source is in on GitHub, and the 40 digits of a commit (gh api repos/OWNER/REPOSITORY/commits/HEAD --jq .sha prints the newest)",
        ));
    };
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
        Some(_) => Ok(named.to_owned()),
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
        let text = listening(&text, options);
        let text = if options.reusable { callable(&text, options.voice) } else { text };
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
        file(
            ".github/workflows/roundtable-check.yml",
            filled(include_str!("init/roundtable-check.yml")),
            false,
        ),
        file(".roundtable.yaml", settings(options.live, layouts), false),
        file(".githooks/pre-commit", include_str!("init/pre-commit").to_owned(), true),
    ];
    if options.backlog {
        let text = filled(include_str!("init/roundtable-backlog.yml"));
        files.push(file(".github/workflows/roundtable-backlog.yml", text, false));
    }
    files
}

/// A workflow that listens to comments, too, where that is asked for. A stranger's comment starts no job.
fn listening(workflow: &str, options: &Options) -> String {
    let types = match (options.live, options.ticks) {
        (true, true) => "created, edited",
        (true, false) => "created",
        (false, true) => "edited",
        (false, false) => return workflow.to_owned(),
    };
    let comments = format!(
        "  # A comment goes on with a discussion that is open, and begins none; a tick in a comment of roundtable is a\n  # decision. The program asks whose it is before it reads a word.\n  issue_comment: # zizmor: ignore[dangerous-triggers] no word of the event is in this file\n    types: [{types}]\n"
    );
    let open = "      (github.event_name == 'issue_comment' && github.event.action == 'created' && !github.event.issue.pull_request &&\n      contains(github.event.issue.labels.*.name, 'roundtable:open') && github.event.sender.type == 'User' &&\n      !contains(fromJSON('[\"NONE\", \"FIRST_TIMER\", \"FIRST_TIME_CONTRIBUTOR\", \"MANNEQUIN\"]'), github.event.comment.author_association)) ||\n";
    let tick = "      (github.event_name == 'issue_comment' && github.event.action == 'edited' && !github.event.issue.pull_request &&\n      startsWith(github.event.comment.body, '<!-- roundtable:') && github.event.comment.user.type == 'Bot' &&\n      github.event.sender.type == 'User') ||\n";
    let begins = format!("{}{}", if options.live { open } else { "" }, if options.ticks { tick } else { "" });
    let after = |text: &str, line: &str, more: &str| text.replacen(line, &format!("{line}{more}"), 1);
    let text = after(workflow, "    types: [labeled]\n", &comments);
    after(&text, "      github.event_name == 'workflow_dispatch' ||\n", &begins)
}

/// A workflow that other repositories of an organisation call.
fn callable(workflow: &str, voice: Voice) -> String {
    let mut call =
        "on:\n  # Called by a workflow of another repository, whose event it answers.\n  workflow_call:\n"
            .to_owned();
    if voice.secret().is_some() {
        // The name of the key is filled in with the voice.
        call.push_str("    secrets:\n      ANTHROPIC_API_KEY:\n        required: true\n");
    }
    workflow.replacen("on:\n", &call, 1)
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
fn state_of(root: &Path, file: &Wanted) -> Result<FileState, Fail> {
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
