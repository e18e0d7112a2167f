//! `roundtable doctor`: what is not set up here, each with its fix. It changes nothing here: the hook is run in a
//! repository in a temporary folder. A model is asked one short question where `--voice` names one.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::commit_hook::{self, Hook, State, Trial};
use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open, voices};
use crate::git::Repo;
use crate::item::Item;
use crate::item::config::Config;
use crate::item::layout::Laid;
use crate::item::library::Library;
use crate::run::before;
use crate::run::check::ranges::{self, NOTHING_PROTECTED, WHAT_PROTECTS, protects_nothing};
use crate::run::documents;
use crate::run::identity;
use crate::run::probe::{Probe, probe};
use crate::run::settings;
use crate::run::voices::{self as voices_of_run, Choice, Wanted};
use crate::text::plain::{self, count, shown};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable doctor\n          roundtable doctor --offline\n          roundtable doctor --voice claude\n\nNothing is changed. A model's service is asked for its list of models only, which costs nothing; with --voice one short question is asked.\n\nExit codes: 0 all is set up; 1 there is something to fix; 2 it could not be looked at."
)]
pub struct DoctorArgs {
    /// Do not ask the voice's service whether it can be reached
    #[arg(long, conflicts_with = "voice")]
    offline: bool,
    #[command(flatten)]
    voice: voices::VoiceArgs,
}

/// How a check came out.
enum Finding {
    Good(String),
    /// Works, and is worth knowing; what to do about it.
    Note(String, String),
    /// To be fixed; how.
    Wrong(String, String),
}

/// A check with its name.
type Check = (&'static str, Finding);

/// Looks at everything.
pub fn run(global: &Global, options: &DoctorArgs, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let mut asked = None;
    let mut checks = vec![version(), repository(&repo), identity(&repo)];
    checks.extend(signing(&repo));
    match settings(global, &repo) {
        Ok(config) => {
            checks.push(("settings", Finding::Good("the settings can be read".to_owned())));
            checks.extend(library(&repo, &config));
            checks.extend(review_rules(global).err().map(|fail| ("review", wrong(&fail))));
            checks.extend(
                ranges::unknown_protected(&repo, &config).err().map(|fail| ("protect", wrong(&fail))),
            );
            checks.push(match options.voice.voice {
                Some(_) => named_voice(&config, &options.voice.wanted(), &mut asked),
                None => voice(&repo, &config, options),
            });
            checks.extend(item_documents(&repo, &config)?);
            checks.extend(nothing_to_review(&repo, &config)?);
            let note = || Finding::Note(NOTHING_PROTECTED.to_owned(), WHAT_PROTECTS.to_owned());
            // A repository that can't be read is told above.
            let has_nothing = protects_nothing(&repo, &config).unwrap_or(false);
            checks.extend(has_nothing.then(|| ("protection", note())));
        }
        Err(fail) => checks.push(("settings", wrong(&fail))),
    }
    checks.push(hook(&repo));
    checks.extend(workflows(&repo));
    checks.extend(leftovers(&repo));
    say(&checks, asked.as_ref(), screen);
    let is_wrong = checks.iter().any(|(_, found)| matches!(found, Finding::Wrong(..)));
    Ok(if is_wrong { Code::No } else { Code::Yes })
}

fn say(checks: &[Check], asked: Option<&Probe>, screen: &Screen) {
    let mut values = Vec::new();
    for (check, found) in checks {
        let (result, message, fix) = match found {
            Finding::Good(message) => ("ok", message, None),
            Finding::Note(message, fix) => ("note", message, Some(fix)),
            Finding::Wrong(message, fix) => ("fix", message, Some(fix)),
        };
        screen.say(&format!("{result:<5}{check}: {message}"));
        if let Some(fix) = fix {
            screen.say(&format!("     {fix}"));
        }
        values.push(json!({"check": check, "result": result, "message": message, "fix": fix}));
    }
    let to_fix = values.iter().filter(|value| value["result"] == "fix").count();
    let last = match to_fix {
        0 => "Nothing to fix.".to_owned(),
        many => format!("{} to fix.", count(many, "thing")),
    };
    screen.say(&format!("\n{last}"));
    let mut report = json!({"checks": Value::Array(values), "to_fix": to_fix});
    if let Some(Probe { seconds, is_in_form, usage, context, cost }) = asked {
        report["asked"] = json!({
            "seconds": seconds, "input_tokens": usage.input, "output_tokens": usage.output,
            "context": context, "cost": cost, "is_in_form": is_in_form,
        });
    }
    screen.json(&report);
}

/// An error as a finding: what is wrong, and what to do about it.
fn wrong(fail: &Fail) -> Finding {
    let help = fail.remedy().unwrap_or("correct it, and run this again");
    Finding::Wrong(fail.message.clone(), help.to_owned())
}

fn version() -> Check {
    ("version", Finding::Good(format!("roundtable {}", env!("CARGO_PKG_VERSION"))))
}

fn repository(repo: &Repo) -> Check {
    let found = match repo.resolve("HEAD") {
        Err(crate::git::Error::Unborn) => Finding::Wrong(
            "the repository has no commit yet".to_owned(),
            "git add . && git commit -m \"Begin\"".to_owned(),
        ),
        Err(error) => Finding::Wrong(error.to_string(), repo.hint_for_lost_objects()),
        Ok(_) if repo.is_shallow() => Finding::Note(
            "the clone is shallow: `check` may lack its base, and `replay` compares texts only".to_owned(),
            "git fetch --unshallow (in Actions: fetch-depth: 0)".to_owned(),
        ),
        Ok(_) => Finding::Good("the repository can be read".to_owned()),
    };
    ("repository", found)
}

fn identity(repo: &Repo) -> Check {
    let found = match identity::of_git(repo).is_some() {
        true => Finding::Good("git knows who commits".to_owned()),
        false => Finding::Note(
            "git has no identity: commits are by roundtable <roundtable@localhost>".to_owned(),
            "git config user.name \"…\" && git config user.email \"…\", or `author` in .roundtable.yaml"
                .to_owned(),
        ),
    };
    ("identity", found)
}

/// Commits of roundtable's are not signed, whatever git's setting says.
fn signing(repo: &Repo) -> Option<Check> {
    let fix = format!("{}, or the branch's commits before you push them", identity::SIGN);
    let note = || Finding::Note(identity::UNSIGNED.to_owned(), fix);
    identity::signs(repo).then(|| ("signing", note()))
}

/// The settings of the working tree, where there is one: they are what is committed next.
pub fn settings(global: &Global, repo: &Repo) -> Result<Config, Fail> {
    let on_disk = repo.work_tree().filter(|root| root.join(crate::item::config::FILE).exists());
    match (on_disk, repo.resolve("HEAD")) {
        (None, Ok(head)) => global.workspace.settings_at(repo, head),
        (root, Ok(head)) => Ok(repo.with_items(head, global.workspace.settings_on_disk(root)?)?),
        (root, Err(_)) => global.workspace.settings_on_disk(root),
    }
}

/// Steps, templates and rules of the repository's own.
fn library(repo: &Repo, config: &Config) -> Option<Check> {
    let head = repo.resolve("HEAD").ok()?;
    let found = match settings::library(repo, head, config) {
        Ok(library) => Finding::Good(format!("{} can be read", count(library.steps.len(), "step file"))),
        Err(fail) => wrong(&fail),
    };
    Some(("steps", found))
}

/// The rules of a review, and those that the settings name.
fn review_rules(global: &Global) -> Result<(), Fail> {
    let (config, own) = documents::on_disk(&global.workspace)?;
    documents::review_wanted(&config, &documents::rules_over(&config, &own)?).map(drop)
}

/// The voices that the settings name, of every step.
fn voice(repo: &Repo, config: &Config, options: &DoctorArgs) -> Check {
    let found = match choices(repo, config) {
        Err(fail) => wrong(&fail),
        Ok(choices) => {
            let names: Vec<String> = choices.iter().map(Choice::name).collect();
            let names = names.join(", ");
            let is_asked = !options.offline && choices.iter().any(Choice::asks_a_model);
            match choices.iter().filter(|_| is_asked).try_for_each(Choice::reach) {
                Ok(()) if is_asked => Finding::Good(format!("{names} can be reached")),
                Ok(()) => Finding::Good(names),
                Err(fail) => wrong(&fail),
            }
        }
    };
    ("voice", found)
}

/// The voice of `--voice`, asked one short question.
fn named_voice(config: &Config, wanted: &Wanted, asked: &mut Option<Probe>) -> Check {
    let ask = || {
        let choice = Choice::of(wanted, config, "", "")?;
        let prices = voices_of_run::prices(wanted, config, "", "")?;
        let model = choice.model().map_or(String::new(), |model| format!(" ({})", shown(&model)));
        let name = format!("{}{model}", choice.name());
        match choice.asks_a_model() {
            true => probe(&choice, prices).map(|probe| (format!("{name} {}", probe.told()), Some(probe))),
            false => Ok((format!("{name} asks no model"), None)),
        }
    };
    let found = match ask() {
        Ok((told, probe)) => {
            *asked = probe;
            match asked.as_ref().is_none_or(|probe| probe.is_in_form) {
                true => Finding::Good(told),
                false => Finding::Note(
                    format!(
                        "{told}; it is not the JSON that was asked for, and such lines are refused at the table"
                    ),
                    "name another --model, or let the program answer as docs/voices.md says".to_owned(),
                ),
            }
        }
        Err(fail) => wrong(&fail),
    };
    ("voice", found)
}

/// The voices of all steps, each once.
fn choices(repo: &Repo, config: &Config) -> Result<Vec<Choice>, Fail> {
    let flags = Wanted::default();
    let head = repo.resolve("HEAD").ok();
    let library = head.and_then(|head| settings::library(repo, head, config).ok());
    let mut found: Vec<Choice> = Vec::new();
    for step in library.iter().flat_map(|library| &library.steps) {
        let choice = Choice::of(&flags, config, &step.id, &step.phase)?;
        voices_of_run::prices(&flags, config, &step.id, &step.phase)?;
        if !found.iter().any(|known| known.identity() == choice.identity()) {
            found.push(choice);
        }
    }
    // Steps that cannot be read are told elsewhere.
    if found.is_empty() {
        found.push(Choice::of(&flags, config, "", "")?);
    }
    Ok(found)
}

/// Items with documents that are edited and not committed.
fn item_documents(repo: &Repo, config: &Config) -> Result<Vec<Check>, Fail> {
    let Ok(head) = repo.resolve("HEAD") else { return Ok(Vec::new()) };
    let library = settings::library(repo, head, config).ok();
    let mut found = Vec::new();
    for folder in config.folders() {
        let is_set = config.items.is_some();
        if is_set && !repo.exists(head, folder)? {
            let message = format!("`items` names {}, and HEAD has no such folder", shown(folder));
            let fix = "correct `items` in .roundtable.yaml, or commit a document there".to_owned();
            found.push(("items", Finding::Wrong(message, fix)));
        }
        for path in repo.items(head, folder)? {
            let item = match repo.item(head, &path) {
                Ok(item) => item,
                Err(error) => {
                    found.push(("items", wrong(&error.into())));
                    continue;
                }
            };
            found.extend(layout(library.as_deref(), &item, config));
            let names = before::edited_names(repo, &item)?;
            if !names.is_empty() {
                let message =
                    format!("{} of {} not committed", count(names.len(), "edited document"), shown(&path));
                let fix = format!("git commit -- {}: a discussion reads what is committed", shown(&path));
                found.push(("documents", Finding::Note(message, fix)));
            }
        }
    }
    Ok(found)
}

/// Without an item `review` has to be told what to read.
fn nothing_to_review(repo: &Repo, config: &Config) -> Result<Option<Check>, Fail> {
    let Ok(head) = repo.resolve("HEAD") else { return Ok(None) };
    let has_paths = config.review.as_ref().is_some_and(|review| !review.paths.is_empty());
    let is_there = |folder: &&str| {
        let is_on_disk = repo.work_tree().is_some_and(|root| root.join(folder).exists());
        is_on_disk || repo.exists(head, folder).unwrap_or_default()
    };
    if has_paths || config.folders().iter().any(is_there) {
        return Ok(None);
    }
    let message = format!(
        "there is no item yet, and no folder {}: `review` alone has nothing to read",
        shown(config.items())
    );
    let fix = "name what to read: roundtable review PATH; roundtable elaborate PATH makes the first item"
        .to_owned();
    Ok(Some(("items", Finding::Note(message, fix))))
}

/// The layout that an item is recognised as; a wrong library is told elsewhere.
fn layout(library: Option<&Library>, item: &Item, config: &Config) -> Option<Check> {
    let found = match library?.laid_item(item, config.layout_of(&item.path)) {
        Ok(Laid { layout, document }) => {
            let document = document.map(|name| format!(", in {}", shown(&name))).unwrap_or_default();
            Finding::Good(format!("{} is {}{document}", shown(&item.path), layout.name))
        }
        Err(error) => wrong(&Fail::from(error)),
    };
    Some(("layout", found))
}

/// The hook that git runs before a commit here, and whether it refuses a loss.
fn hook(repo: &Repo) -> Check {
    let found = match repo.work_tree() {
        Some(_) => look_at(&Hook::find(repo)),
        None => Finding::Note(
            "a bare repository has no commit hook".to_owned(),
            "a pre-receive hook with `exec roundtable check --stdin` judges what is pushed".to_owned(),
        ),
    };
    ("hook", found)
}

fn look_at(hook: &Hook) -> Finding {
    let path = hook.shown(&hook.path);
    match hook.state {
        State::Missing if hook.chosen.is_none() => Finding::Note(
            "there is no hook: commits in this clone are not checked".to_owned(),
            "roundtable init --hook writes one".to_owned(),
        ),
        State::Missing => Finding::Note(
            format!("git looks for hooks where core.hooksPath says, and there is no {path}"),
            hook.advice(),
        ),
        State::NotExecutable => {
            Finding::Wrong(format!("git ignores {path}: it is not executable"), format!("chmod +x {path}"))
        }
        State::NoInterpreter => Finding::Wrong(
            format!("git cannot run {path}: its first line names no program, and every commit fails"),
            "correct its first line, as in #!/bin/sh, and end its lines with LF".to_owned(),
        ),
        State::Calls if hook.tool.can_be_tried() => tried(hook, &path),
        State::Calls => Finding::Note(
            format!("{} calls the check; whether that refuses a loss is not known", hook.shown(&hook.place)),
            "commit without a line of a document to see it: git says what is lost".to_owned(),
        ),
        State::Other => Finding::Note(
            format!(
                "{path} is {}hook and does not call the check",
                hook.tool.name().map_or("another ".to_owned(), |name| format!("{name}'s "))
            ),
            hook.advice(),
        ),
        State::Ours => tried(hook, &path),
    }
}

/// The hook is run, in a repository made for it.
fn tried(hook: &Hook, path: &str) -> Finding {
    match commit_hook::try_out(hook) {
        Ok(Trial::Refused) => Finding::Good(format!("{path} refuses a commit that loses a line")),
        Ok(Trial::Committed) => Finding::Wrong(
            format!("git ran {path}, and a commit that loses a line went through"),
            match hook.state {
                State::Ours => {
                    "roundtable on the PATH may be another program: `command -v roundtable` names it"
                        .to_owned()
                }
                _ => hook.advice(),
            },
        ),
        // What else it does may need files that a trial has not.
        Ok(Trial::Failed(said)) if hook.state == State::Calls => Finding::Note(
            format!(
                "whether {path} refuses a loss is not known; a trial of it ended with: {}",
                plain::cut(&said, 200)
            ),
            hook.advice(),
        ),
        Ok(Trial::Failed(said)) => Finding::Wrong(
            format!("{path} refuses every commit: {}", plain::cut(&said, 200)),
            "put the folder of roundtable on the PATH".to_owned(),
        ),
        Err(error) => Finding::Note(
            format!("{path} could not be tried: {error}"),
            "put git on the PATH, and see whether temporary files can be written".to_owned(),
        ),
    }
}

/// The step of a workflow in place of the action's, where nobody has told its address.
pub const NO_ADDRESS_STEP: &str = "- name: the address of the action is missing";

/// Workflows that still name no repository for the action.
fn workflows(repo: &Repo) -> Vec<Check> {
    let Some(folder) = repo.work_tree().map(|root| root.join(".github/workflows")) else { return Vec::new() };
    let mut paths: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    paths.sort_by_key(std::fs::DirEntry::file_name);
    let text = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let ours = paths.iter().map(|entry| (entry.file_name(), text(&entry.path())));
    ours.filter(|(_, text)| text.contains("roundtable"))
        .map(|(name, text)| {
            let name = shown(&name.to_string_lossy());
            let line = text.lines().position(|line| {
                line.trim() == NO_ADDRESS_STEP || line.trim_start().starts_with("- uses: OWNER/")
            });
            let found = match line {
                Some(at) => Finding::Wrong(
                    format!(".github/workflows/{name}, line {}, names no repository for the action", at + 1),
                    "run `roundtable init --github --action OWNER/REPOSITORY@COMMIT`".to_owned(),
                ),
                None => Finding::Good(format!(".github/workflows/{name}")),
            };
            ("workflow", found)
        })
        .collect()
}

/// Discussions that were cut off.
fn leftovers(repo: &Repo) -> Option<Check> {
    let left = repo.leftovers().len();
    let message = format!("{} cut off", count(left, "discussion"));
    let fix = "roundtable status shows them: go on with --resume, or drop them".to_owned();
    (left > 0).then_some(("discussions", Finding::Note(message, fix)))
}
