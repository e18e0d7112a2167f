//! What a shell is told when somebody presses tab: verbs and flags, and the items, steps and branches
//! of the repository around the current folder. The scripts of `roundtable completions` ask the program
//! itself, so that they know of what was added a moment ago. Nothing here is an error: where nothing can
//! be read, nothing is offered.

use std::sync::Arc;

use clap::ValueEnum as _;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::table;
use crate::config::{self, Config};
use crate::library::Library;
use crate::order::Order as _;
use crate::repo::Repo;

/// The variable by which a shell's script asks.
const VARIABLE: &str = "ROUNDTABLE_COMPLETE";

/// Answers a shell that asks, and ends the program then.
pub fn answer() {
    CompleteEnv::with_factory(<super::Cli as clap::CommandFactory>::command).var(VARIABLE).complete();
}

/// Prints the script that a shell reads at its start.
pub fn script(shell: Shell, screen: &Screen) -> Result<Code, Fail> {
    let name = shell.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let mut text = Vec::new();
    if let Some(shell) = Shells::builtins().completer(&name) {
        let written = shell.write_registration(VARIABLE, "roundtable", "roundtable", "roundtable", &mut text);
        written.map_err(|error| Fail::new(format!("the completions cannot be made: {error}")))?;
    }
    if shell == Shell::Zsh {
        text.extend_from_slice(AUTOLOADED);
    }
    screen.document(&String::from_utf8_lossy(&text))?;
    Ok(Code::Yes)
}

/// zsh reads a file of its `fpath` when tab is pressed for the first time, and wants an answer then, too.
const AUTOLOADED: &[u8] =
    b"if [[ ${funcstack[1]} == _roundtable ]]; then _clap_dynamic_completer_roundtable; fi\n";

fn repository() -> Option<Repo> {
    Repo::open(&super::current_folder().ok()?).ok()
}

/// The slugs of all items: at HEAD, and on branches of their own.
pub fn items() -> Vec<CompletionCandidate> {
    repository()
        .and_then(|repo| slugs(&repo))
        .unwrap_or_default()
        .into_iter()
        .map(CompletionCandidate::new)
        .collect()
}

fn slugs(repo: &Repo) -> Option<Vec<String>> {
    let own = repo.branches("roundtable/").ok()?;
    let mut found: Vec<String> = own.iter().map(|branch| table::slug(branch).to_owned()).collect();
    if let Ok(head) = repo.resolve("HEAD") {
        for folder in settings(repo).folders() {
            let items = repo.items(head, folder).unwrap_or_default();
            found.extend(items.iter().map(|path| table::slug(path).to_owned()));
        }
    }
    found.order();
    found.dedup();
    Some(found)
}

fn settings(repo: &Repo) -> Config {
    let read =
        || Config::read(config::FILE, &repo.file(repo.resolve("HEAD").ok()?, config::FILE).ok()??).ok();
    read().unwrap_or_default()
}

/// The ids of all steps, the repository's own among them, with their titles.
pub fn steps() -> Vec<CompletionCandidate> {
    let of_repository = || {
        let repo = repository()?;
        let head = repo.resolve("HEAD").ok()?;
        table::BuiltIn::begin().library(&repo, head, &settings(&repo)).ok()
    };
    let library = of_repository().or_else(|| Library::built_in().map(Arc::new).ok());
    let steps = library.map(|library| library.steps.clone()).unwrap_or_default();
    let candidate = |step: crate::step::Step| CompletionCandidate::new(step.id).help(Some(step.title.into()));
    steps.into_iter().map(candidate).collect()
}

/// The built-in review rules.
pub fn review_rules() -> Vec<CompletionCandidate> {
    let rules = crate::review::Rules::built_in().unwrap_or_default();
    let candidate = |rule: &crate::review::Rule| {
        CompletionCandidate::new(rule.file.rule.clone()).help(Some(rule.file.title.clone().into()))
    };
    rules.iter().map(candidate).collect()
}

/// The branches of the repository.
pub fn branches() -> Vec<CompletionCandidate> {
    let found = repository().and_then(|repo| repo.branches("").ok()).unwrap_or_default();
    found.into_iter().map(CompletionCandidate::new).collect()
}

/// Names of commits: HEAD and the branches.
pub fn revisions() -> Vec<CompletionCandidate> {
    std::iter::once(CompletionCandidate::new("HEAD")).chain(branches()).collect()
}
