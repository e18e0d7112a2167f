//! `roundtable analyze`: the whole analysis of an item, phase by phase (FR-001 to FR-012).

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::elaborate::author;
use super::exit::{Code, Fail};
use super::landed::{held, unified};
use super::screen::Screen;
use super::{Clock, Global, nanoseconds, now, open, table};
use crate::analysis::Stopped;
use crate::analysis::event::to_lines;
use crate::discussion::event::{Record, Time};
use crate::item::path::OutputPath;
use crate::library::{Library, sha256};
use crate::persona::Cast;
use crate::plain::{self, count};
use crate::repo::short;
use crate::script::{Input, Script};
use crate::voice::offline;
use crate::walk::{Audience, Mode, Setup, Walked, walk};

/// The turn limit of a discussion where nothing says another (AC-007-03).
const DEFAULT_TURNS: u32 = 10;

#[derive(Debug, Args)]
#[command(
    after_help = "Each question takes one input of the script, then the menu: C goes on, E lets the three discuss the step, S skips the rest of the phase, anything else adds to the step. The run ends where the script does; run it again with more to go on.\n\nExample: roundtable analyze late-fees --script answers.yaml"
)]
pub struct Options {
    /// The item: its folder's path in the repository, or its slug
    item: String,
    /// The answers, in order: .txt (one a line), .yaml or .json, which may name them by step; - is standard input
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    /// The branch to commit on [default: roundtable/<slug>]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Where a new branch starts [default: HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Who speaks in discussions [default: offline]
    #[arg(long, value_name = "VOICE")]
    voice: Option<String>,
    /// The turn limit of a discussion, at least 3 [default: the item's, else 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=100_000))]
    max_turns: Option<u32>,
    #[command(flatten)]
    clock: Clock,
    /// Print the diff and write nothing
    #[arg(long, conflicts_with = "one_commit")]
    dry_run: bool,
    /// Write the log of the run to this file and commit nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dry_run", "one_commit"])]
    out: Option<PathBuf>,
    /// One commit for the whole run instead of one a step
    #[arg(long)]
    one_commit: bool,
    /// Go on where meta.json says the item stands, as every run does
    #[arg(long)]
    resume: bool,
}

/// The screen as the audience of a walk.
struct Seats<'s> {
    screen: &'s Screen,
    cast: &'s Cast,
}

impl Audience for Seats<'_> {
    fn say(&self, text: &str) {
        self.screen.say(text);
    }
    fn strong(&self, text: &str) {
        self.screen.say_strong(text);
    }
    fn user(&self, by: &str, text: &str) {
        self.screen.say_user(by, text);
    }
    fn note(&self, text: &str) {
        self.screen.note(text);
    }
    fn warn(&self, text: &str) {
        self.screen.warn(text);
    }
    fn line(&self, record: &Record) {
        self.screen.say_record(record, self.cast);
    }
    fn check(&self) -> Result<(), String> {
        self.screen.check()
    }
}

/// Walks the item through its steps.
pub fn run(global: &Global, options: Options, screen: &Screen) -> Result<Code, Fail> {
    let built_in = table::BuiltIn::begin();
    let repo = open(global)?;
    let place = table::place(&repo, &options.item, options.branch.as_deref(), options.base.as_deref())?;
    if place.exists && options.base.is_some() {
        screen.note(&format!(
            "the branch {} exists; --base says where a new one starts and is not used",
            place.branch
        ));
    }
    let config = table::config(global, &repo, place.base)?;
    let voice = voice(options.voice.as_deref().or(config.voice.as_deref()))?;
    let path = repo.find_item(place.base, &options.item, config.items())?;
    let fixed = options.clock.fixed()?;
    let item = repo.item(place.base, &path)?;
    let library = built_in.library(&repo, place.base, &config)?;
    check_outputs(&library)?;
    let (name, bytes) = table::script(&options.script)?;
    let script = Script::for_analysis(&name, &bytes)?;
    for note in &script.notes {
        screen.note(note);
    }
    for (step, _) in script.answers() {
        library.step(step).map_err(|unknown| {
            Fail::new(format!("{name}: `answers` names a step that there is not: {unknown}"))
        })?;
    }
    let max_turns =
        options.max_turns.or_else(|| item.meta.max_turns()).or(config.max_turns).unwrap_or(DEFAULT_TURNS);
    let run = run_id(&path, &script, max_turns, &library, config.items(), fixed);
    let mode = match (&options.out, options.dry_run, options.one_commit) {
        (None, false, true) => Mode::One,
        (None, false, false) => Mode::Each,
        _ => Mode::Dry,
    };
    let clock = || fixed.unwrap_or_else(now);
    let setup = Setup {
        repo: &repo,
        library: &library,
        item,
        script,
        branch: place.branch.clone(),
        base: place.base,
        author: author(),
        voice,
        max_turns,
        mode,
        run,
        items: config.items().to_owned(),
        fixed,
        clock: &clock,
    };
    let seats = Seats { screen, cast: &library.cast };
    let walked = walk(setup, &seats)?;
    tell(&walked, &place.branch, mode, screen);
    if let Some(out) = &options.out {
        super::elaborate::write_whole(out, to_lines(&walked.log).as_bytes()).map_err(|error| {
            Fail::new(format!("{} cannot be written: {error}", plain::shown(&out.display().to_string())))
        })?;
        screen.say_strong(&format!(
            "Recorded in {}; nothing was committed.",
            plain::shown(&out.display().to_string())
        ));
    }
    let mut report = report(&walked, &path, &place.branch);
    if options.dry_run {
        let diff: String = walked.pending.iter().map(unified).collect();
        screen.say("");
        screen.say_diff(&diff);
        screen.say("\nNothing was written (--dry-run).");
        report["diff"] = json!(diff);
    }
    screen.json(&report);
    Ok(Code::Yes)
}

/// The voice that is asked for.
fn voice(wanted: Option<&str>) -> Result<String, Fail> {
    match wanted {
        None | Some(offline::NAME) => Ok(offline::NAME.to_owned()),
        Some(other) => Err(Fail::new(format!(
            "the voice \"{}\" is not built yet for an analysis; use --voice {}",
            plain::shown(other),
            offline::NAME
        ))),
    }
}

/// Every step may come to be walked: an output that must not be written is refused before the first.
fn check_outputs(library: &Library) -> Result<(), Fail> {
    for step in &library.steps {
        for output in &step.outputs {
            OutputPath::parse(output)
                .map_err(|refused| Fail::new(format!("step {} ({}): {refused}", step.id, step.path)))?;
        }
    }
    Ok(())
}

/// The run id: a digest of item, inputs, configuration, library and clock. Without a fixed clock
/// every run is its own.
fn run_id(
    item: &str,
    script: &Script,
    max_turns: u32,
    library: &Library,
    items: &str,
    fixed: Option<Time>,
) -> String {
    let one = |input: Option<&Input>| {
        input.map_or(Value::Null, |input| json!([input.text, input.by, input.at.map(|at| at.to_string())]))
    };
    let inputs: Vec<Value> = script.inputs().map(one).collect();
    let answers: Vec<Value> =
        script.answers().map(|(step, inputs)| json!([step, inputs.map(one).collect::<Vec<_>>()])).collect();
    let clock = match fixed {
        Some(at) => json!(at.to_string()),
        None => json!([nanoseconds().to_string(), std::process::id()]),
    };
    let digests = library.steps.first().map(|step| library.digests(step));
    let all = json!(["analyze", item, script.user, inputs, answers, max_turns, digests, items, clock]);
    sha256(all.to_string().as_bytes())[..32].to_owned()
}

/// Where the analysis stands, in words.
fn tell(walked: &Walked, branch: &str, mode: Mode, screen: &Screen) {
    let done = walked.item.meta.steps_completed().len();
    screen.say("");
    match (walked.stopped, &walked.next_step) {
        (Stopped::Complete, _) => {
            screen.say_strong(&format!("The analysis is complete: {} done.", count(done, "step")))
        }
        (Stopped::OutOfAnswers, Some(next)) => {
            screen.say_strong(&format!(
                "Out of answers: {} done, step {next} comes next.",
                count(done, "step")
            ));
        }
        (Stopped::OutOfAnswers, None) => screen.say_strong("Out of answers."),
    }
    match (walked.commits.as_slice(), mode) {
        ([], Mode::Dry) => {}
        (commits, _) if walked.already_recorded => {
            let last = commits.last().map(|commit| short(*commit)).unwrap_or_default();
            screen.say(&format!(
                "Already recorded: {branch} carries this run up to {last}. Nothing was changed."
            ));
        }
        ([], _) => screen.say("Nothing was committed."),
        (commits, _) => {
            let last = commits.last().map(|commit| short(*commit)).unwrap_or_default();
            screen.say(&format!(
                "{} on {branch}, the last is {last}. See them with: git log -p {branch}",
                count(commits.len(), "commit")
            ));
        }
    }
}

/// What `--json` prints (contract, section 2).
fn report(walked: &Walked, item: &str, branch: &str) -> Value {
    let commits: Vec<String> = walked.commits.iter().map(ToString::to_string).collect();
    json!({
        "item": item,
        "branch": branch,
        "commit": commits.last(),
        "commits": commits,
        "steps_completed": walked.item.meta.steps_completed(),
        "phases_completed": walked.item.meta.phases_completed(),
        "phase": walked.phase,
        "next_step": walked.next_step,
        "elaborations": walked.elaborations.iter().map(held).collect::<Vec<_>>(),
        "stopped": match walked.stopped {
            Stopped::Complete => "complete",
            Stopped::OutOfAnswers => "out-of-answers",
        },
    })
}
