//! `roundtable analyze`: the whole analysis of an item, phase by phase (analysis FR-001 to FR-012).

mod plan;
mod questions;

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use super::exit::{Code, Fail};
use super::landed::{analysis_to_json, say_change};
use super::screen::Screen;
use super::{CommitOptions, Global, RARE, keyboard, open, voices};
use crate::analysis::event::to_lines;
use crate::github::{job, service};
use crate::item::meta::Source;
use crate::item::step::Depth;
use crate::run::RunRequest;
use crate::run::analyze::{AnalyzeRequest, Analyzed, AnswerSource, analyze};
use crate::run::diff::unified;
use crate::run::files::read_script;
use crate::run::place;
use crate::run::push::{Committed as _, forward};
use crate::run::script::{Prompter, Script};
use crate::run::voices::Wanted;
use crate::run::walk::Mode;
use crate::text::plain;

#[derive(Debug, Args)]
#[command(
    after_help = "Each question takes one input of the script, then the menu takes one: C continues, E starts a discussion of the step, S skips the rest of the phase, anything else is added to the step. The run ends where the script ends; later runs take answers by step or number.\n\nExample: roundtable analyze late-fees --script answers.yaml"
)]
pub struct AnalyzeArgs {
    /// The item: its folder's path in the repository, or its slug
    pub(super) item: String,
    /// The answers, in order: .txt (one per line), .yaml or .json, which may name them by step; - is standard input [default on a terminal: you are asked]
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// The answers: an issue on GitHub and its comments, in order
    #[arg(long, value_name = "N", conflicts_with = "script")]
    issue: Option<u64>,
    /// Print an answers file with every open question, to fill in and pass to --script
    #[arg(long, conflicts_with_all = ["script", "issue", "dry_run", "out", "one_commit", "push"])]
    questions: bool,
    /// How much every phase asks [default: what the quick scan says, else the step files]
    #[arg(long, value_name = "DEPTH", value_parser = PossibleValuesParser::new(["brief", "standard", "deep"]))]
    depth: Option<String>,
    /// Print the diff and write nothing
    #[arg(long, conflicts_with = "one_commit")]
    dry_run: bool,
    /// Push the branch at the end [default remote: origin]
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, default_missing_value = "origin", conflicts_with_all = ["dry_run", "out"])]
    push: Option<String>,
    #[command(flatten)]
    voice: voices::VoiceArgs,
    /// Print what a model would be sent at the next step that has one, and what a discussion of it would take; no model is asked
    #[arg(long, conflicts_with_all = ["dry_run", "out", "one_commit", "resume", "push", "questions"], help_heading = voices::MODEL)]
    plan: bool,
    /// Who speaks, where a message does not say it [default: the script's user, else git's user.name]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new(), help_heading = RARE)]
    user: Option<String>,
    #[command(flatten)]
    commit: CommitOptions,
    /// The turn limit of a discussion, at least 3 [default: the item's, the settings', else 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=100_000), help_heading = RARE)]
    max_turns: Option<u32>,
    /// Write the log of the run to this file and commit nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dry_run", "one_commit"], help_heading = RARE)]
    out: Option<PathBuf>,
    /// One commit for the whole run instead of one per step
    #[arg(long, help_heading = RARE)]
    one_commit: bool,
    /// Continue where meta.json says the item is, as every run does
    #[arg(long, help_heading = RARE)]
    resume: bool,
}

/// Walks the item through its steps.
pub fn run(global: &Global, options: AnalyzeArgs, screen: &Screen) -> Result<Code, Fail> {
    if options.questions {
        return questions::run(global, &options, screen);
    }
    if options.plan {
        return plan::run(global, &options, screen);
    }
    let (repo, settings) = (open(global)?, global.workspace.settings()?);
    let remote = options.push.as_ref().map(|name| service::named_remote(&repo, name)).transpose()?;
    let task = options.task(global)?;
    let mut analyzed = analyze(&repo, &settings, task.clone(), screen)?;
    if let Some(out) = &options.out {
        let shown = plain::shown(&out.display().to_string());
        crate::run::files::write_whole(out, to_lines(&analyzed.walked.log).as_bytes())
            .map_err(|error| Fail::new(format!("{shown} cannot be written: {error}")))?;
        screen.say_strong(&format!("Recorded in {shown}; nothing was committed."));
    }
    let pending = &analyzed.walked.pending;
    let diff: Option<String> = options.dry_run.then(|| pending.iter().map(unified).collect());
    if options.dry_run {
        screen.say("");
        pending.iter().for_each(|change| say_change(change, screen));
        screen.say("\nNothing was written (--dry-run).");
    }
    let pushed = options.push.as_ref().filter(|_| analyzed.commit().is_some());
    if let (Some(remote), Some(_)) = (&remote, pushed) {
        let branch = analyzed.branch.clone();
        let mut again = |_: &Analyzed, _| {
            let again = analyze(&repo, &settings, task.clone(), screen)?;
            let has_commit = again.commit().is_some();
            if has_commit { Ok(again) } else { Err(Fail::new("the remote has this analysis already")) }
        };
        analyzed = forward(&repo, &branch, remote, analyzed, &mut again, screen)?;
    }
    let mut report = analysis_to_json(&analyzed);
    if let Some(diff) = diff {
        report["diff"] = json!(diff);
    }
    if let Some(name) = pushed {
        report["pushed"] = json!(name);
    }
    screen.json(&report);
    Ok(Code::Yes)
}

impl AnalyzeArgs {
    /// What the flags ask for.
    fn task(&self, global: &Global) -> Result<AnalyzeRequest, Fail> {
        let (script, new) = match (&self.script, self.issue) {
            (Some(path), _) => {
                let (name, bytes) = read_script(path)?;
                (Script::for_analysis(&name, &bytes)?, None)
            }
            (None, Some(number)) => {
                let thread = job::thread(&open(global)?, &global.workspace.settings()?, number)?;
                (thread.script().by_number(), Some((Source::GitHub(number), thread.title)))
            }
            (None, None) if self.plan => (Script::default(), None),
            (None, None) => {
                keyboard::must_be_there("analyze", "answers", global.json)?;
                (Script::asking(Prompter(keyboard::ask)), None)
            }
        };
        let mode = match (&self.out, self.dry_run, self.one_commit) {
            (None, false, true) => Mode::One,
            (None, false, false) => Mode::Each,
            _ => Mode::Dry,
        };
        let run = RunRequest {
            item: place::forward(&self.item),
            new,
            script: script.spoken_by(self.user.as_deref()),
            voice: Wanted { is_only_planned: self.plan, ..self.voice.wanted() },
            max_turns: self.max_turns,
            ..self.commit.request()?
        };
        let depth = self.depth.as_deref().and_then(Depth::from_word);
        Ok(AnalyzeRequest { run, depth, mode, answers: AnswerSource::Asked })
    }
}
