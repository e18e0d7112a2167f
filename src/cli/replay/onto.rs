//! `roundtable replay --onto`: one recording, run again, held again, and committed.
//!
//! Invariant: nothing is written before every check has passed.

use std::path::{Path, PathBuf};

use clap::Args;
use git2::Oid;
use serde_json::{Value, json};

use crate::cli::exit::{Code, Fail};
use crate::cli::landed::artifacts;
use crate::cli::screen::Screen;
use crate::cli::{Global, open};
use crate::discussion::Finished;
use crate::discussion::event::{Author, from_lines};
use crate::git::Repo;
use crate::item::library::Library;
use crate::replay::onto::land_on;
use crate::replay::{Divergence, Replay, Replayed, other_words};
use crate::run::Landed;
use crate::run::files::read_script;
use crate::run::identity;
use crate::run::landing;
use crate::run::parted;
use crate::run::place;
use crate::run::played::{self, Recording};
use crate::run::script::Script;
use crate::text::plain::{self, count};

/// A branch is numbered at most up to this.
const MAX_BRANCHES: usize = 100;

#[derive(Debug, Args)]
#[group(id = "landing")]
pub struct OntoArgs {
    /// Commit the outcome on a new branch from this commit, after all checks of a discussion
    #[arg(long, value_name = "REV", conflicts_with = "all")]
    onto: Option<String>,
    /// The branch to commit on, at its tip where it exists [default: the item's next free branch]
    #[arg(long, value_name = "NAME", requires = "onto")]
    branch: Option<String>,
    /// What the users said: the recording must have these words
    #[arg(long, value_name = "FILE", requires = "onto")]
    script: Option<PathBuf>,
    /// The turn limit that the discussion was given
    #[arg(long, value_name = "N", requires = "onto")]
    max_turns: Option<u32>,
    /// The discussion was held with --signoff
    #[arg(long, requires = "onto")]
    signoff: bool,
}

impl OntoArgs {
    pub const fn is_asked(&self) -> bool {
        self.onto.is_some()
    }
}

/// Runs a recording again and commits it.
pub fn land(
    global: &Global,
    recordings: &[String],
    options: &OntoArgs,
    replay: &Replay,
    screen: &Screen,
) -> Result<Code, Fail> {
    let [argument] = recordings else {
        return Err(Fail::new("--onto takes one recording at a time, or a branch with all that it has")
            .with_hint("the order of commits is yours to say"));
    };
    let repo = replay.repo();
    let onto = repo.resolve(options.onto.as_deref().unwrap_or("HEAD"))?;
    let names = recordings_of(repo, argument, onto)?;
    let (mut branch, mut entries) = (options.branch.clone(), Vec::new());
    for (number, name) in names.iter().flatten().chain(names.is_none().then_some(argument)).enumerate() {
        let on = if number == 0 {
            onto
        } else {
            branch.as_ref().map_or(Ok(None), |one| repo.tip(one))?.unwrap_or(onto)
        };
        let entry = land_one(global, name, options, replay, (branch.as_deref(), on), screen);
        let entry = entry.map_err(|fail| after_others(fail, &entries, number))?;
        branch = entry["branch"].as_str().map(str::to_owned);
        entries.push(entry);
    }
    if let (Some(branch), Some(_)) = (&branch, &names) {
        screen.say(&format!("Merge it with: git merge {branch}"));
    }
    screen.json(&json!({"reproduced": true, "recordings": entries}));
    Ok(Code::Yes)
}

/// An error after what was committed before it.
fn after_others(fail: Fail, entries: &[Value], number: usize) -> Fail {
    let Some(last) = entries.last() else { return fail };
    let (commit, branch) = (last["commit"].as_str().unwrap_or_default(), &last["branch"]);
    fail.with_hint(format!(
        "{} before it are on {}, the last is {commit}",
        count(number, "discussion"),
        branch.as_str().unwrap_or_default()
    ))
}

/// The recordings that a revision has and the other lacks, in the order of their moments; none where a recording is
/// named.
fn recordings_of(repo: &Repo, argument: &str, onto: Oid) -> Result<Option<Vec<String>>, Fail> {
    if Path::new(argument).exists() || argument.contains(':') {
        return Ok(None);
    }
    let Ok(tip) = repo.resolve(argument) else { return Ok(None) };
    let found = parted::missing(repo, onto, tip)?;
    if found.is_empty() {
        return Err(Fail::new(format!("{} has no discussion that is not there yet", plain::shown(argument)))
            .with_hint("name a recording: a file, or REV:PATH in the repository"));
    }
    let paths = found.iter().flat_map(|missing| &missing.recordings);
    Ok(Some(paths.map(|path| format!("{argument}:{path}")).collect()))
}

/// Runs one recording again and commits it; what `--json` says of it.
fn land_one(
    global: &Global,
    argument: &str,
    options: &OntoArgs,
    replay: &Replay,
    (wanted, onto): (Option<&str>, Oid),
    screen: &Screen,
) -> Result<Value, Fail> {
    let repo = replay.repo();
    let recording = played::find(argument, || open(global))?;
    let refused = |why: &str| Fail::new(format!("{}: {why}; nothing was committed", recording.name));
    let Some(opened) = recording.opened() else { return Err(refused("it has no opening")) };
    if let Some(branch) = wanted {
        repo.tip(branch)?;
        repo.refuse_checked_out(branch)?;
    }
    let found = replay.run_for_landing(&recording, onto, options.max_turns)?;
    if found.paused.is_some() && found.divergence.is_none() {
        return Err(refused(
            "the discussion waits for its user, and is committed by the run that goes on with it",
        ));
    }
    let other = other_inputs(global, options, replay, &recording, &found)?;
    if let Some(other) = found.divergence.as_ref().or(other.as_ref()) {
        return Err(refused(&other.to_string()));
    }
    let Some(finished) = found.finished else { return Err(refused("the discussion has no end")) };
    let branch = match wanted {
        Some(branch) => branch.to_owned(),
        None => next_branch(replay, &opened.item, &finished, onto)?,
    };
    let tip = repo.tip(&branch)?;
    if tip.is_some_and(|tip| tip != onto) && options.branch.is_some() {
        screen
            .note(&format!("the branch {branch} exists; --onto says where a new one starts and is not used"));
    }
    let landed = land_on(replay, finished, &branch, tip.unwrap_or(onto), screen)?;
    let mut entry = to_entry(&landed);
    entry["path"] = json!(recording.name);
    entry["reproduced"] = json!(true);
    entry["by"] = json!("commit");
    entry["divergence"] = json!(null);
    entry["moved"] = found.moved.iter().map(ToString::to_string).collect();
    Ok(entry)
}

/// What of the recording's inputs is not what is known of them here: its author, and the words of the script.
fn other_inputs(
    global: &Global,
    options: &OntoArgs,
    replay: &Replay,
    recording: &Recording,
    found: &Replayed,
) -> Result<Option<Divergence>, Fail> {
    let log = from_lines(&recording.name, crate::text::json::utf8(&recording.name, &recording.bytes)?)?;
    let Some(opened) = recording.opened() else { return Ok(None) };
    if let Some(path) = &options.script {
        let (name, bytes) = read_script(path)?;
        let script = Script::read(&name, &bytes)?;
        let draft = script.source.as_ref().map(crate::text::source::Source::draft);
        if opened.draft.is_some() && opened.draft != draft {
            let (expected, found) =
                ("the issue's text as the script has it".to_owned(), "another text".to_owned());
            return Ok(Some(Divergence { event: Some(1), what: "draft".to_owned(), expected, found }));
        }
        let user = script.user.clone().unwrap_or_else(|| opened.user.clone());
        let cast = Library::built_in()?.cast;
        if let Some(other) = other_words(&log, 0, script, &user, &cast) {
            return Ok(Some(other));
        }
    }
    // Where its very commit is here, git knows the author.
    if found.is_committed {
        return Ok(None);
    }
    let repo = replay.repo();
    let settings = match repo.resolve("HEAD") {
        Ok(head) => global.workspace.settings_at(repo, head)?,
        Err(_) => global.workspace.own_settings()?.unwrap_or_default(),
    };
    Ok(other_author(&opened.author, &identity::author(repo, &settings, options.signoff)))
}

fn other_author(recorded: &Author, own: &Author) -> Option<Divergence> {
    let person = |author: &Author| format!("{} <{}>", author.name, author.email);
    let sign = |author: &Author| if author.signed_off { "a sign-off" } else { "no sign-off" };
    let (expected, found) = match () {
        () if person(recorded) != person(own) => {
            let help =
                "set `author` in .roundtable.yaml, or git's user.name and user.email, if that is right";
            (format!("{} as in the settings here", person(own)), format!("{} ({help})", person(recorded)))
        }
        () if recorded != own => {
            let help =
                if recorded.signed_off { "add --signoff if that is right" } else { "leave --signoff out" };
            (sign(own).to_owned(), format!("{} ({help})", sign(recorded)))
        }
        () => return None,
    };
    Some(Divergence { event: Some(1), what: "author".to_owned(), expected, found })
}

/// The branch of an item that carries the discussion on this commit already, else the next free one.
fn next_branch(replay: &Replay, item: &str, finished: &Finished, onto: Oid) -> Result<String, Fail> {
    let (repo, first) = (replay.repo(), format!("roundtable/{}", place::slug(item)));
    for number in 1..=MAX_BRANCHES {
        let branch = if number == 1 { first.clone() } else { format!("{first}-{number}") };
        let Some(tip) = repo.tip(&branch)? else { return Ok(branch) };
        let Ok(read) = repo.item(tip, item) else { continue };
        let (step, run) = (&finished.opened.step.id, &finished.opened.run);
        let is_there = landing::recorded(repo, tip, &read, step, finished.at, run)?.is_some();
        if is_there && repo.is_ancestor(onto, tip)? {
            return Ok(branch);
        }
    }
    Err(Fail::new(format!("{first} has {MAX_BRANCHES} numbered branches"))
        .with_hint("name one with --branch"))
}

/// What `--json` says of it beside the recording.
fn to_entry(landed: &Landed) -> Value {
    json!({
        "branch": landed.branch,
        "already_recorded": landed.already_recorded,
        "base": landed.base,
        "recording": landed.outcome.recording,
        "artifacts": artifacts(&landed.outcome),
        "commit": landed.commit.map(|commit| commit.to_string()),
    })
}
