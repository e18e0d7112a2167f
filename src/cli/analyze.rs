//! `roundtable analyze`: the whole analysis of an item, phase by phase (analysis FR-001 to FR-012).

mod planned;
mod questions;
mod speakers;

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use git2::Oid;
use serde_json::{Map, Value, json};

use self::speakers::Table;
pub use self::speakers::{Answers, Kept};
use super::exit::{Code, Fail};
use super::landed::{say_change, to_json};
use super::push::Committed as _;
use super::screen::Screen;
use super::unified::unified;
use super::{Clock, Global, keyboard, open, push, table};
use crate::analysis::Stopped;
use crate::analysis::event::to_lines;
use crate::discussion;
use crate::discussion::event::{Author, Record, Time};
use crate::git::{Repo, short};
use crate::item::config::Config;
use crate::item::library::Library;
use crate::item::meta::{self, Source};
use crate::item::persona::Cast;
use crate::item::step::Depth;
use crate::run::before;
use crate::run::check_outputs;
use crate::run::clock::now;
use crate::run::identity;
use crate::run::landing;
use crate::run::place;
use crate::run::run_id::{message, run_id};
use crate::run::script::{Asked, Input, Script, comments};
use crate::run::settings::review_options;
use crate::run::voices::{self, Wanted};
use crate::run::walk::{Audience, Drafting, Mode, Setup, Walked, walk};
use crate::text::plain::{self, count};
use crate::voice::model::Meter;
use crate::voice::model::prompt::Want;

#[derive(Debug, Args)]
#[command(
    after_help = "Each question takes one input of the script, then the menu takes one: C continues, E starts a discussion of the step, S skips the rest of the phase, anything else is added to the step. The run ends where the script ends; run it again with more answers to continue.\n\nExample: roundtable analyze late-fees --script answers.yaml"
)]
pub struct Options {
    /// The item: its folder's path in the repository, or its slug
    pub(super) item: String,
    /// The answers, in order: .txt (one per line), .yaml or .json, which may name them by step; - is standard input [default on a terminal: you are asked]
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// The answers: an issue on GitHub and its comments, in order
    #[arg(long, value_name = "N", conflicts_with = "script")]
    issue: Option<u64>,
    /// How much every phase asks [default: what the quick scan says, else the step files]
    #[arg(long, value_name = "DEPTH", value_parser = PossibleValuesParser::new(["brief", "standard", "deep"]))]
    depth: Option<String>,
    /// Print an answers file with every open question, to fill in and pass to --script
    #[arg(long, conflicts_with_all = ["script", "issue", "dry_run", "out", "one_commit", "push"])]
    questions: bool,
    /// The branch to commit on [default: roundtable/<slug>]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Where a new branch starts [default: HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Who speaks, where a message does not say it [default: the script's user, else git's user.name]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    user: Option<String>,
    /// The turn limit of a discussion, at least 3 [default: the item's, the settings', else 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=100_000))]
    max_turns: Option<u32>,
    #[command(flatten)]
    clock: Clock,
    /// End the commit message with a Signed-off-by line of the author
    #[arg(long)]
    signoff: bool,
    /// Print the diff and write nothing
    #[arg(long, conflicts_with = "one_commit")]
    dry_run: bool,
    /// Write the log of the run to this file and commit nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dry_run", "one_commit"])]
    out: Option<PathBuf>,
    /// One commit for the whole run instead of one per step
    #[arg(long)]
    one_commit: bool,
    /// Continue where meta.json says the item is, as every run does
    #[arg(long)]
    resume: bool,
    /// Push the branch at the end [default remote: origin]
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, default_missing_value = "origin", conflicts_with_all = ["dry_run", "out"])]
    push: Option<String>,
    #[command(flatten)]
    voice: super::voices::Options,
    /// Print what a model would be sent at the next step that has one, and what a discussion of it would take; no model is asked
    #[arg(long, conflicts_with_all = ["dry_run", "out", "one_commit", "resume", "push", "questions"], help_heading = "The voice")]
    plan: bool,
}

/// An analysis that is to be walked, whichever verb asks for it.
pub struct Task {
    /// The item's path or slug.
    pub item: String,
    /// What to make of the item where it does not exist: its source and its name.
    pub new: Option<(Source, String)>,
    pub script: Script,
    pub branch: Option<String>,
    pub base: Option<String>,
    pub voice: Wanted,
    pub max_turns: Option<u32>,
    /// The depth of every phase.
    pub depth: Option<Depth>,
    pub fixed: Option<Time>,
    /// The commits say so with a trailer.
    pub signed_off: bool,
    /// A branch whose discussions are merged already is left, and the next free one taken.
    pub leaves_merged: bool,
    pub mode: Mode,
    pub answers: Answers,
}

/// A walk that came to its end, and where.
pub struct Went {
    pub walked: Walked,
    path: String,
    pub branch: String,
}

impl Went {
    /// What `--json` prints.
    pub fn to_json(&self) -> Value {
        report(&self.walked, &self.path, &self.branch)
    }
}

impl push::Committed for Went {
    fn commit(&self) -> Option<Oid> {
        self.walked.commits.last().copied()
    }
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
    fn thinks(&self, want: &Want, meter: &Meter) {
        self.screen.waiting(&voices::thinking(want, meter, self.cast));
    }
    fn check(&self) -> Result<(), String> {
        self.screen.check()
    }
    fn hears(&self, text: &str) -> Result<(), String> {
        voices::refuse_secrets("the next line", text).map_err(|fail| fail.to_line())
    }
}

/// Walks the item through its steps.
pub fn run(global: &Global, options: Options, screen: &Screen) -> Result<Code, Fail> {
    if options.questions {
        return questions::run(global, &options, screen);
    }
    if options.plan {
        return planned::run(global, &options, screen);
    }
    if let Some(remote) = &options.push {
        push::possible(&open(global)?, remote)?;
    }
    let task = options.task(global)?;
    let (mode, again) = (task.mode, options.push.is_some().then(|| options.task(global)).transpose()?);
    let mut went = walk_item(global, task, screen)?;
    if let Some(out) = &options.out {
        let shown = plain::shown(&out.display().to_string());
        crate::run::files::write_whole(out, to_lines(&went.walked.log).as_bytes())
            .map_err(|error| Fail::new(format!("{shown} cannot be written: {error}")))?;
        screen.say_strong(&format!("Recorded in {shown}; nothing was committed."));
    }
    let mut more = Map::new();
    if mode == Mode::Dry && options.dry_run {
        let diff: String = went.walked.pending.iter().map(unified).collect();
        screen.say("");
        went.walked.pending.iter().for_each(|change| say_change(change, screen));
        screen.say("\nNothing was written (--dry-run).");
        more.insert("diff".to_owned(), diff.into());
    }
    if let (Some(remote), Some(_), Some(task)) = (&options.push, went.commit(), again) {
        let (repo, branch) = (open(global)?, went.branch.clone());
        let mut walk_again = |_: &Went, _| {
            let went = walk_item(global, task.again(), screen)?;
            let has_commit = went.commit().is_some();
            if has_commit { Ok(went) } else { Err(Fail::new("the remote has this analysis already")) }
        };
        went = push::named(&repo, remote, &branch, went, &mut walk_again, screen)?;
        more.insert("pushed".to_owned(), remote.as_str().into());
    }
    let mut report = went.to_json();
    report.as_object_mut().into_iter().for_each(|report| report.extend(more.clone()));
    screen.json(&report);
    Ok(Code::Yes)
}

impl Options {
    /// What the flags ask for.
    fn task(&self, global: &Global) -> Result<Task, Fail> {
        let (script, new) = match (&self.script, self.issue) {
            (Some(path), _) => {
                let (name, bytes) = table::script(path)?;
                (Script::for_analysis(&name, &bytes)?, None)
            }
            (None, Some(number)) => {
                let thread = super::github::thread(global, number)?;
                (thread.script().by_number(), Some((Source::GitHub(number), thread.title)))
            }
            (None, None) if self.plan => (Script::default(), None),
            (None, None) => {
                keyboard::must_be_there("analyze", "answers", global.json)?;
                (Script::asking(None, Asked(keyboard::answer)), None)
            }
        };
        let mode = match (&self.out, self.dry_run, self.one_commit) {
            (None, false, true) => Mode::One,
            (None, false, false) => Mode::Each,
            _ => Mode::Dry,
        };
        let script = script.spoken_by(self.user.as_deref());
        Ok(Task {
            item: table::forward(&self.item),
            new,
            script,
            branch: self.branch.clone(),
            base: self.base.clone(),
            voice: Wanted { is_only_planned: self.plan, ..self.voice.wanted() },
            max_turns: self.max_turns,
            depth: self.depth.as_deref().and_then(Depth::from_word),
            fixed: self.clock.fixed()?,
            signed_off: self.signoff,
            leaves_merged: true,
            mode,
            answers: Answers::Asked,
        })
    }
}

impl Task {
    /// The same once more, after somebody else's commits.
    pub fn again(&self) -> Task {
        Task {
            item: self.item.clone(),
            new: self.new.clone(),
            script: self.script.clone(),
            branch: self.branch.clone(),
            base: self.base.clone(),
            voice: self.voice.clone(),
            max_turns: self.max_turns,
            depth: self.depth,
            fixed: self.fixed,
            signed_off: self.signed_off,
            leaves_merged: self.leaves_merged,
            mode: self.mode,
            answers: self.answers.clone(),
        }
    }
}

/// Walks an item through its steps and says how far it is.
pub fn walk_item(global: &Global, task: Task, screen: &Screen) -> Result<Went, Fail> {
    let built_in = table::BuiltIn::begin();
    let (repo, settings) = (open(global)?, table::settings(global)?);
    let branch = before::Branch {
        name: task.branch.as_deref(),
        base: task.base.as_deref(),
        leaves_merged: task.leaves_merged,
    };
    let mut place = before::place(&settings, &repo, &task.item, &branch, screen)?;
    let config = settings.at(&repo, place.base)?;
    let trusted = settings.trusted(&repo, &place, &config)?;
    let author = identity::author(&repo, &trusted, task.signed_off);
    let library = built_in.library(&repo, place.base, &config)?;
    let table = Table { options: &task.voice, config: &trusted, library: &library };
    let chosen = table.chosen(&task.answers, &done(&repo, &task, &place, &config))?;
    let path = find_or_add(&repo, &library, &task, &mut place, &config, &author)?;
    let item = repo.item(place.base, &path)?;
    before::edited(&repo, &item, screen)?;
    before::newer(&repo, &place, &item, screen)?;
    // Every step may come to be walked.
    check_outputs(&library.steps)?;
    let mut script = task.script;
    script.depth = task.depth.or(script.depth);
    script.user = identity::user(&repo, script.user.as_deref());
    check_script(&script, &library, screen)?;
    let max_turns = task.max_turns.or_else(|| item.meta.max_turns()).or(config.max_turns);
    let max_turns = max_turns.unwrap_or(if script.is_live() {
        discussion::TURNS_ONE_BY_ONE
    } else {
        discussion::TURNS_AT_A_MENU
    });
    let run = id_of(&path, &script, max_turns, &library, &config, &chosen.spoken_by(&table), task.fixed);
    let tokens = chosen.tokens();
    let clock = || task.fixed.unwrap_or_else(now);
    let setup = Setup {
        repo: &repo,
        library: &library,
        item,
        script,
        branch: place.branch.clone(),
        base: place.base,
        author: author.clone(),
        speakers: chosen.begin(&task.answers)?,
        tokens,
        has_critic: !task.voice.no_critic,
        review: review_options(&config),
        evidence: trusted.evidence(),
        max_turns,
        mode: task.mode,
        run,
        items: config.roots().into_iter().map(str::to_owned).collect(),
        fixed: task.fixed,
        clock: &clock,
    };
    let seats = Seats { screen, cast: &library.cast };
    let walked = walk(setup, &seats)?;
    tell(&walked, &place.branch, task.mode, screen);
    note_commits(&walked, &repo, &author, screen);
    Ok(Went { walked, path, branch: place.branch })
}

/// The steps that the item has behind it: their voices are not asked any more.
fn done(repo: &Repo, task: &Task, place: &place::Place, config: &Config) -> Vec<String> {
    let found = repo.find_item(place.base, &task.item, &config.folders());
    let item = found.ok().and_then(|path| repo.item(place.base, &path).ok());
    item.map(|item| item.meta.steps_completed()).unwrap_or_default()
}

/// Says what the script has to be told of, and refuses answers to steps that there are not, and credentials.
fn check_script(script: &Script, library: &Library, screen: &Screen) -> Result<(), Fail> {
    comments::told(&script.left_out).iter().for_each(|told| screen.warn(told));
    script.notes.iter().for_each(|note| screen.note(note));
    script.warnings.iter().for_each(|warning| screen.warn(warning));
    let secrets = |input: &Input| voices::refuse_secrets("the script", &input.text);
    for (step, mut inputs) in script.answers() {
        library.step(step).map_err(|unknown| {
            Fail::new(format!("the script's `answers` name a step that there is not: {unknown}"))
        })?;
        inputs.try_for_each(|(_, input)| input.map_or(Ok(()), secrets))?;
    }
    script.inputs().flatten().try_for_each(secrets)
}

/// The item's path; one that is to be made is added first, with a commit of its own.
fn find_or_add(
    repo: &Repo,
    library: &Library,
    task: &Task,
    place: &mut place::Place,
    config: &Config,
    author: &Author,
) -> Result<String, Fail> {
    let found = repo.find_item(place.base, &task.item, &config.folders());
    let at = task.fixed.unwrap_or_else(now);
    let (path, text) = match (&found, &task.new) {
        (Err(crate::git::Error::NoItem { .. }), Some((source, name))) => {
            let path = table::new_path(&task.item, config.items())?;
            let text = meta::new_item(*source, table::slug(&path), name, at, &place.base.to_string());
            (path, Some(text))
        }
        _ => {
            let path = found.map_err(|error| {
                before::not_there(repo, error, &task.item, task.base.as_deref(), place, config)
            })?;
            let text = place::new_meta(repo, place.base, &path, &task.item, at)?;
            (path, text)
        }
    };
    let Some(text) = text.filter(|_| task.mode != Mode::Dry) else { return Ok(path) };
    let draft = task.script.source.as_ref().map(|source| source.draft());
    let new = landing::NewItem {
        path: &path,
        meta: &text,
        draft: draft.as_deref(),
        branch: &place.branch,
        start: place.base,
        author,
        time: at.seconds(),
    };
    place.base = landing::add(repo, library, &new)?;
    place.exists = true;
    Ok(path)
}

/// The run id: a digest of item, inputs, configuration, library and clock.
fn id_of(
    item: &str,
    script: &Script,
    max_turns: u32,
    library: &Library,
    config: &Config,
    voice: &str,
    fixed: Option<Time>,
) -> String {
    let depth = script.depth.map(|depth| depth.to_string());
    let inputs: Vec<Value> = script.inputs().map(message).collect();
    let answers: Vec<Value> = script
        .answers()
        .map(|(step, inputs)| {
            let numbered = inputs.map(|(number, input)| json!([number, message(input)]));
            json!([step, numbered.collect::<Vec<_>>()])
        })
        .collect();
    let digests = library.steps.first().map(|step| library.digests(step));
    let folders = config.roots().join(" ");
    let parts =
        json!(["analyze", depth, item, script.user, inputs, answers, max_turns, digests, folders, voice]);
    run_id(parts, fixed)
}

/// How far the analysis is, in words.
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

/// What people may not expect of the commits.
fn note_commits(walked: &Walked, repo: &Repo, author: &Author, screen: &Screen) {
    if !walked.commits.is_empty() && !walked.already_recorded {
        identity::note_commit(repo, author, screen);
    }
}

fn drafted(draft: &Drafting) -> Value {
    json!({"step_id": draft.step, "voice": draft.voice, "usage": draft.usage.value()})
}

/// What `--json` prints.
fn report(walked: &Walked, item: &str, branch: &str) -> Value {
    let commits: Vec<String> = walked.commits.iter().map(ToString::to_string).collect();
    let mut report = json!({
        "item": item,
        "branch": branch,
        "commit": commits.last(),
        "commits": commits,
        "steps_completed": walked.item.meta.steps_completed(),
        "phases_completed": walked.item.meta.phases_completed(),
        "phase": walked.phase,
        "next_step": walked.next_step,
        "elaborations": walked.elaborations.iter().map(to_json).collect::<Vec<_>>(),
        "stopped": match walked.stopped {
            Stopped::Complete => "complete",
            Stopped::OutOfAnswers => "out-of-answers",
        },
    });
    if !walked.drafts.is_empty() {
        report["drafts"] = walked.drafts.iter().map(drafted).collect();
    }
    report
}
