//! `roundtable elaborate`: one discussion, from a script to a commit.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::keyboard;
use super::landed::{say_change, to_json};
use super::screen::Screen;
use super::voices;
use super::{CommitOptions, Global, RARE, open};
use crate::discussion::event::Record;
use crate::git::short;
use crate::github::{job, service};
use crate::item::meta::Source;
use crate::run::clock::now;
use crate::run::diff::unified;
use crate::run::elaborate::{announce, begin, discuss, head, not_committed, stand_in};
use crate::run::files::read_script;
use crate::run::landing;
use crate::run::place;
use crate::run::played::Played;
use crate::run::push;
use crate::run::resume::Log;
use crate::run::script::{Prompter, Script};
use crate::run::session::hold;
use crate::run::voices::Wanted;
use crate::run::{
    ElaborateRequest, Held, Landed, Medium, RunRequest, Setup, hold_and_keep, hold_and_land, plan, set_up,
};
use crate::text::plain;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable elaborate docs/late-fees/requirements.md --script talk.txt\n          roundtable elaborate late-fees --step 01-03 --script talk.txt --voice claude"
)]
pub struct ElaborateArgs {
    /// The document or folder to discuss: its path in the repository, or the slug of an item
    pub(super) item: String,
    /// What you say: .txt (one message per line), .yaml or .json; - is standard input [default on a terminal: you are asked]
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// What people say: an issue on GitHub and its comments
    #[arg(long, value_name = "N", conflicts_with = "script")]
    issue: Option<u64>,
    /// The step to discuss: `roundtable steps list` [default: the one that the documents leave most open]
    #[arg(long, value_name = "NN-NN")]
    step: Option<String>,
    /// Print the diff and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Go on with the discussion of this item and step that was cut off
    #[arg(long, conflicts_with = "dry_run")]
    resume: bool,
    /// Push the branch when the discussion is committed [default remote: origin]
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, default_missing_value = "origin", conflicts_with_all = ["dry_run", "out"])]
    push: Option<String>,
    #[command(flatten)]
    voice: voices::VoiceArgs,
    /// Print the turns, requests and tokens that the discussion would take; no model is asked
    #[arg(long, conflicts_with_all = ["dry_run", "out", "resume", "push"], help_heading = voices::MODEL)]
    plan: bool,
    /// Who speaks, where a message does not say it [default: the script's user, else git's user.name]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new(), help_heading = RARE)]
    user: Option<String>,
    #[command(flatten)]
    commit: CommitOptions,
    /// The turn limit, at least 3 [default: the item's, the settings', else max(10, 3 + 4 × messages)]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=100_000), help_heading = RARE)]
    max_turns: Option<u32>,
    /// Write the recording to this file and commit nothing
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run", help_heading = RARE)]
    out: Option<PathBuf>,
}

/// Holds one discussion and lands it.
pub fn run(global: &Global, options: ElaborateArgs, screen: &Screen) -> Result<Code, Fail> {
    let remote = options.push.as_ref().map(|name| service::named_remote(&open(global)?, name)).transpose()?;
    let task = options.task(global)?;
    let setup = set_up(open(global)?, &global.workspace.settings()?, task, screen)?;
    if options.plan {
        screen.json(&plan(&setup, screen)?);
        return Ok(Code::Yes);
    }
    if let Some(path) = &options.out {
        can_be_written(path)?;
        screen.json(&to_json(&hold_and_keep(&setup, path, screen)?));
        return Ok(Code::Yes);
    }
    if options.dry_run {
        let step = setup.library.step(&setup.opened.step.id)?;
        return rehearse(&setup, &discuss(&setup, step, &mut Log::none(), screen)?, screen);
    }
    let mut landed = hold_and_land(&setup, screen)?;
    let mut report = to_json(&landed);
    if let Some(remote) = &remote {
        landed = push::discussion(&setup, remote, landed, screen)?;
        report = to_json(&landed);
        report["pushed"] = json!(options.push);
    }
    screen.json(&report);
    // Too late to change nothing: then the error says what was committed.
    screen.check().map_err(|message| committed_but(message, &landed))?;
    Ok(Code::Yes)
}

/// Refuses a file whose folder does not exist and one that is no recording, before the discussion is held.
fn can_be_written(path: &Path) -> Result<(), Fail> {
    let is_other = path.is_file()
        && std::fs::read(path)
            .is_ok_and(|bytes| !bytes.is_empty() && !bytes.starts_with(b"{\"kind\":\"opened\""));
    if is_other {
        return Err(Fail::new(format!(
            "--out: {} is there already and is not a recording",
            plain::shown(&path.display().to_string())
        ))
        .with_hint("name a new file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(Fail::new(format!(
            "--out: {} cannot be written: there is no folder {}",
            plain::shown(&path.display().to_string()),
            plain::shown(&folder.display().to_string())
        ))
        .with_hint("make it first")),
        _ if path.is_dir() => Err(Fail::new(format!(
            "--out: {} cannot be written: it is a folder",
            plain::shown(&path.display().to_string())
        ))
        .with_hint("name a file in it")),
        _ => Ok(()),
    }
}

/// A failure after the commit.
fn committed_but(message: impl std::fmt::Display, landed: &Landed) -> Fail {
    let commit = landed.commit.map(short).unwrap_or_default();
    Fail::new(format!("{message}; the commit {commit} on {} was made", landed.branch))
}

impl ElaborateArgs {
    /// What the flags ask for.
    fn task(&self, global: &Global) -> Result<ElaborateRequest, Fail> {
        let mut medium = Medium::Script;
        let (script, new, comments) = match (&self.script, self.issue) {
            (Some(path), _) => {
                let (name, bytes) = read_script(path)?;
                (Script::read(&name, &bytes)?, None, None)
            }
            (None, Some(number)) => {
                let thread = job::thread(&open(global)?, &global.workspace.settings()?, number)?;
                let new = Some((Source::GitHub(number), thread.title.clone()));
                (thread.script(), new, Some(thread.comments()))
            }
            (None, None) => {
                keyboard::must_be_there("elaborate", "messages", global.json || self.plan)?;
                medium = Medium::Keyboard;
                (Script::asking(Prompter(keyboard::ask)), None, None)
            }
        };
        let run = RunRequest {
            item: place::forward(&self.item),
            new,
            script: script.spoken_by(self.user.as_deref()),
            voice: Wanted { is_only_planned: self.plan, ..self.voice.wanted() },
            max_turns: self.max_turns,
            ..self.commit.request()?
        };
        let (step, resume) = (self.step.clone(), self.resume);
        Ok(ElaborateRequest { run, step, resume, comments, open: None, medium })
    }
}

/// `--plan`: the discussion held in memory, and every request counted that a model would get. What `--json` prints.
pub fn plan(setup: &Setup, screen: &Screen) -> Result<Value, Fail> {
    let step = setup.library.step(&setup.opened.step.id)?;
    let clock = || setup.fixed.unwrap_or_else(now);
    let mut talk = begin(setup, step, &clock)?;
    let (mut first, mut second) = (stand_in(setup, step)?, stand_in(setup, step)?);
    let mut script = setup.script.clone();
    let mut tell = |_: &Record| Ok(());
    let mut plan = plan::Plan::default();
    if !setup.voice.asks_a_model() {
        hold(&mut talk, None, &mut first, &mut script, &clock, &mut tell)?;
    } else {
        let head = head(setup, &talk, screen)?;
        let voice = &setup.opened.voice;
        let mut rehearsal = plan::Rehearsal::new(&mut first, voice, head, setup.readers.len());
        hold(&mut talk, Some(&mut rehearsal), &mut second, &mut script, &clock, &mut tell)?;
        plan = rehearsal.plan();
    }
    plan.turns = setup.played.as_ref().map_or_else(|| talk.turn_count(), Played::turn_count);
    screen.say(&plan.text(&setup.opened, &setup.evidence));
    let mut report = plan.value();
    report["item"] = json!(setup.opened.item);
    report["step_id"] = json!(setup.opened.step.id);
    report["voice"] = json!(setup.opened.voice);
    report["model"] = json!(setup.opened.model);
    report["max_turns"] = json!(setup.opened.max_turns);
    report["evidence"] = plan::evidence_value(&setup.evidence);
    Ok(report)
}

/// `--dry-run`: the same change, verified, and shown instead of committed.
fn rehearse(setup: &Setup, held: &Held, screen: &Screen) -> Result<Code, Fail> {
    let Some(finished) = held.finished() else {
        return Err(Fail::new("a discussion that stays open is not rehearsed"));
    };
    let (outcome, additive) = landing::place(&setup.item, finished, &setup.library)?;
    let diff: String = additive.changes().iter().map(unified).collect();
    screen.say("");
    additive.changes().iter().for_each(|change| say_change(change, screen));
    announce(&outcome, screen);
    screen.say("\nNothing was written (--dry-run).");
    let mut report = to_json(&not_committed(setup, held.clone(), outcome));
    report["diff"] = json!(diff);
    screen.json(&report);
    Ok(Code::Yes)
}
