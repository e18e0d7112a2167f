//! `roundtable elaborate`: one discussion, from a script to a commit.

mod open_step;
mod setup;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use git2::Oid;
use serde_json::{Value, json};

pub use self::setup::{check_outputs, set_up};
use super::exit::{Code, Fail};
use super::keyboard::{self, Conversation};
use super::landed::{announce, say_change, to_json};
use super::resume::{Log, catch_up};
use super::screen::Screen;
use super::unified::unified;
use super::voices::{self, Choice};
use super::{Clock, Global, before_run, identity, now, open, plan, push, table, write_whole};
use crate::decisions;
use crate::discussion::event::{Event, Exit, Opened, Record, Time};
use crate::discussion::open::Paused;
use crate::discussion::{self, Discussion, Finished, Refused};
use crate::item::Item;
use crate::item::meta::Source;
use crate::landing::{self, Landing};
use crate::library::Library;
use crate::model::evidence::Evidence;
use crate::model::prompt;
use crate::model::prompt::Want;
use crate::model::{Live, Meter, Prices};
use crate::plain;
use crate::provenance;
use crate::repo::{Repo, short};
use crate::review::Rules;
use crate::run::{Held, Landed, Talk};
use crate::script::Script;
use crate::session::hold;
use crate::step::Step;
use crate::synthesis::{self, Outcome};
use crate::voice::Voice;
use crate::voice::secretary::Secretary;

#[derive(Debug, Args)]
#[command(after_help = "Example: roundtable elaborate offline-mode --step 01-03 --script talk.txt")]
pub struct Options {
    /// The item: its folder's path in the repository, or its slug
    pub(super) item: String,
    /// The step to discuss [default: the one that the documents leave most open]
    #[arg(long, value_name = "NN-NN")]
    step: Option<String>,
    /// What the user says: .txt (one message per line), .yaml or .json; - is standard input [default on a terminal: you are asked]
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// What the user says: an issue on GitHub and its comments
    #[arg(long, value_name = "N", conflicts_with = "script")]
    issue: Option<u64>,
    /// The branch to commit on [default: roundtable/<slug>]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Where a new branch starts [default: HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Who speaks, where a message does not say it [default: the script's user, else git's user.name]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    user: Option<String>,
    /// The turn limit, at least 3 [default: the item's, the settings', else max(10, 3 + 4 × messages)]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=100_000))]
    max_turns: Option<u32>,
    #[command(flatten)]
    clock: Clock,
    /// End the commit message with a Signed-off-by line of the author
    #[arg(long)]
    signoff: bool,
    /// Print the diff and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write the recording to this file and commit nothing
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    out: Option<PathBuf>,
    /// Go on with the discussion of this item and step that was cut off
    #[arg(long, conflicts_with = "dry_run")]
    resume: bool,
    /// Push the branch when the discussion is committed [default remote: origin]
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, default_missing_value = "origin", conflicts_with_all = ["dry_run", "out"])]
    push: Option<String>,
    #[command(flatten)]
    voice: voices::Options,
    /// Print the turns, requests and tokens that the discussion would take; no model is asked
    #[arg(long, conflicts_with_all = ["dry_run", "out", "resume", "push"], help_heading = "The voice")]
    plan: bool,
}

/// A discussion that is to be held, whichever verb asks for it.
pub struct Task {
    /// The item's path or slug.
    pub item: String,
    /// What to make of the item where it does not exist: its source and its name.
    pub new: Option<(Source, String)>,
    /// None for the one that the documents leave most open.
    pub step: Option<String>,
    pub script: Script,
    pub branch: Option<String>,
    pub base: Option<String>,
    pub voice: voices::Options,
    pub max_turns: Option<u32>,
    pub fixed: Option<Time>,
    /// The commit says so with a trailer.
    pub signed_off: bool,
    /// A branch whose discussions are merged already is left, and the next free one taken.
    pub leaves_merged: bool,
    pub resume: bool,
    /// The comments of an issue that this run hears, by their ids.
    pub comments: Option<Vec<u64>>,
    pub open: Option<Open>,
    pub medium: Medium,
}

/// Where the user's messages come from: known from the start, or one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    Script,
    Keyboard,
    /// An agent passes them on, and speaks for the personas.
    Agent,
}

/// One run of a discussion that stays open between runs.
pub struct Open {
    /// Its recording so far; empty where this run opens it.
    pub log: Vec<Record>,
}

/// Everything a run starts from.
pub struct Setup {
    pub(super) repo: Repo,
    pub(super) library: Arc<Library>,
    pub(super) item: Item,
    pub(super) script: Script,
    pub(super) opened: Opened,
    pub(super) voice: Choice,
    pub(super) rules: Arc<Rules>,
    /// The most tokens that may be taken.
    tokens: Option<u64>,
    /// A model's synthesis is criticised before it is committed.
    has_critic: bool,
    prices: Option<Prices>,
    /// What a model is sent of the repository.
    pub(super) evidence: Evidence,
    pub(super) base: Oid,
    pub(super) fixed: Option<Time>,
    /// The branch exists already.
    exists: bool,
    /// The events of a run that was cut off, to go on from.
    pub(super) begun: Vec<Record>,
    medium: Medium,
}

impl Setup {
    pub const fn opened(&self) -> &Opened {
        &self.opened
    }

    pub const fn repo(&self) -> &Repo {
        &self.repo
    }

    /// Whether the discussion stays open between runs.
    const fn stays_open(&self) -> bool {
        self.opened.stays_open
    }
}

/// Holds one discussion and lands it.
pub fn run(global: &Global, options: Options, screen: &Screen) -> Result<Code, Fail> {
    let built_in = table::BuiltIn::for_a_discussion();
    if let Some(remote) = &options.push {
        push::possible(&open(global)?, remote)?;
    }
    let setup = set_up(global, options.task(global)?, built_in, screen)?;
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
    if let Some(remote) = &options.push {
        landed = push::to_remote(&setup, remote, landed, screen)?;
        report = to_json(&landed);
        report["pushed"] = json!(remote);
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
            "--out: {} is there already and is no recording",
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

impl Options {
    /// What the flags ask for.
    fn task(&self, global: &Global) -> Result<Task, Fail> {
        let fixed = self.clock.fixed()?;
        let mut medium = Medium::Script;
        let (script, new, comments) = match (&self.script, self.issue) {
            (Some(path), _) => {
                let (name, bytes) = table::script(path)?;
                (Script::read(&name, &bytes)?, None, None)
            }
            (None, Some(number)) => {
                let thread = super::github::thread(global, number)?;
                let new = Some((Source::GitHub(number), thread.title.clone()));
                (thread.script(), new, Some(thread.comments()))
            }
            (None, None) => {
                keyboard::must_be_there("elaborate", "messages", global.json || self.plan)?;
                medium = Medium::Keyboard;
                (Script::default(), None, None)
            }
        };
        let script = script.spoken_by(self.user.as_deref());
        Ok(Task {
            item: table::forward(&self.item),
            new,
            step: self.step.clone(),
            script,
            branch: self.branch.clone(),
            base: self.base.clone(),
            voice: voices::Options { is_only_planned: self.plan, ..self.voice.clone() },
            max_turns: self.max_turns,
            fixed,
            signed_off: self.signoff,
            leaves_merged: true,
            resume: self.resume,
            comments,
            open: None,
            medium,
        })
    }
}

/// Holds the discussion and commits it.
pub fn hold_and_land(setup: &Setup, screen: &Screen) -> Result<Landed, Fail> {
    let step = &setup.opened.step.id;
    if let Some(fixed) = setup.fixed.filter(|_| !setup.stays_open()) {
        let item = &setup.item;
        let opened = &setup.opened;
        let found = landing::recorded(&setup.repo, setup.base, item, step, fixed, &opened.run)?;
        if let Some(path) = found
            && (setup.exists || before_run::is_of_branch(&setup.repo, setup.base, &path, &opened.branch)?)
        {
            // A run that was killed after its commit may have left something to clear.
            setup.repo.lock()?;
            let _ = setup.repo.drop_pending(&setup.opened.run);
            return already_recorded(setup, setup.base, &path, screen);
        }
    }
    with_log(setup, screen, |held| land(setup, held, screen))
}

/// Holds the discussion and writes its recording to a file; nothing is committed.
pub fn hold_and_keep(setup: &Setup, path: &Path, screen: &Screen) -> Result<Landed, Fail> {
    with_log(setup, screen, |held| keep(setup, held, path, screen))
}

/// Places a discussion that was committed anew, on the tip that somebody else's commits have.
pub fn land_again(setup: &Setup, landed: &Landed, tip: Oid, screen: &Screen) -> Result<Landed, Fail> {
    let held = landed.held.clone();
    let finished = match &held.talk {
        Talk::Open(paused) => return pause(setup, paused.as_ref().clone(), held, tip, screen),
        Talk::Finished(finished) => finished,
    };
    // What was read of the item is at another commit: it is read again on this one.
    match landing::land(&setup.repo, &setup.library, finished, tip, &read_at(setup, tip)?)? {
        Landing::Recorded { commit, recording } => already_recorded(setup, commit, &recording, screen),
        Landing::Done(placed) => Ok(done(setup, held, *placed)),
    }
}

fn read_at(setup: &Setup, commit: Oid) -> Result<Item, Fail> {
    let opened = &setup.opened;
    Ok(setup.repo.item_or_new(commit, &opened.item, opened.into())?)
}

/// Holds the discussion with its log in the git folder, and does something about its outcome.
fn with_log(
    setup: &Setup,
    screen: &Screen,
    then: impl FnOnce(Held) -> Result<Landed, Fail>,
) -> Result<Landed, Fail> {
    let step = setup.library.step(&setup.opened.step.id)?;
    // What stays open goes on from the branch.
    let mut log = match setup.stays_open() {
        true => Log::none(),
        false => Log::begin(&setup.repo, &setup.opened.run, &setup.begun, screen),
    };
    let done = discuss(setup, step, &mut log, screen).and_then(|held| {
        screen.check().map_err(Fail::new)?;
        then(held)
    });
    let is_cheap = setup.voice.is_secretary() && setup.medium == Medium::Script;
    log.end(is_cheap, done.is_ok(), &setup.begun, screen);
    done
}

/// Commits the discussion and says where it is.
fn land(setup: &Setup, held: Held, screen: &Screen) -> Result<Landed, Fail> {
    let finished = match &held.talk {
        Talk::Open(paused) => return pause(setup, paused.as_ref().clone(), held, setup.base, screen),
        Talk::Finished(finished) => finished,
    };
    match landing::land(&setup.repo, &setup.library, finished, setup.base, &setup.item)? {
        Landing::Recorded { commit, recording } => already_recorded(setup, commit, &recording, screen),
        Landing::Done(placed) => {
            announce(&placed.outcome, screen);
            let branch = &setup.opened.branch;
            screen.say_strong(&format!("\nCommitted {} on {branch}.", short(placed.commit)));
            screen.say(&format!("See it with: git show {branch}"));
            identity::note_commit(&setup.repo, &setup.opened.author, screen);
            Ok(done(setup, held, *placed))
        }
    }
}

/// A discussion that was placed and committed.
fn done(setup: &Setup, held: Held, placed: landing::Landed) -> Landed {
    Landed {
        held,
        branch: setup.opened.branch.clone(),
        base: placed.parent.to_string(),
        commit: Some(placed.commit),
        already_recorded: false,
        outcome: placed.outcome,
    }
}

/// Commits what this run has added to the recording of a discussion that stays open.
fn pause(setup: &Setup, paused: Paused, held: Held, start: Oid, screen: &Screen) -> Result<Landed, Fail> {
    let grown = landing::pause(&setup.repo, &setup.library, &paused, start)?;
    let branch = &setup.opened.branch;
    if grown.stood {
        screen.say(&format!("Already recorded: {branch} carries this run in {}.", grown.recording));
    } else {
        screen.say_strong(&format!("\nCommitted {} on {branch}.", short(grown.commit)));
        screen.say("The discussion is open: the next run continues from its recording.");
        identity::note_commit(&setup.repo, &setup.opened.author, screen);
    }
    Ok(Landed {
        held,
        branch: branch.clone(),
        base: grown.parent.to_string(),
        commit: Some(grown.commit),
        already_recorded: grown.stood,
        outcome: Outcome::nothing(&grown.recording),
    })
}

/// Holds the discussion, told line by line; with it comes what it took.
fn discuss(setup: &Setup, step: &Step, log: &mut Log, screen: &Screen) -> Result<Held, Fail> {
    let clock = || setup.fixed.unwrap_or_else(now);
    let mut talk = begin(setup, step, &clock)?;
    if setup.begun.is_empty() {
        talk.log().iter().for_each(|first| log.append(first, screen));
    }
    screen.say(&talk.introduction()?);
    let mut stand_in = stand_in(setup, step)?;
    let cast = &setup.library.cast;
    let mut script = setup.script.clone();
    for record in &setup.begun {
        screen.say_record(record, cast);
    }
    if !setup.stays_open() && setup.medium == Medium::Script {
        catch_up(&mut script, &setup.begun)?;
    }
    waiting(setup, screen);
    let usage = match setup.voice.begin()? {
        None => {
            converse(setup, &mut talk, None, &mut stand_in, &mut script, log, screen)?;
            Meter::default()
        }
        Some(mut model) => {
            let watch = |want: &Want, meter: &Meter| screen.waiting(&voices::thinking(want, meter, cast));
            let mut live = Live::new(model.as_mut(), head(setup, &talk, screen)?, setup.tokens);
            live = live.criticised(setup.has_critic).reading(setup.evidence.excerpts.clone());
            live = live.priced(setup.prices).watched(&watch);
            converse(setup, &mut talk, Some(&mut live), &mut stand_in, &mut script, log, screen)?;
            live.notes().iter().for_each(|note| screen.note(note));
            screen.say(&format!("\n{}", live.meter().table()));
            live.meter().clone()
        }
    };
    voices::refuse_secrets("the discussion", talk.log().text())?;
    let unfinished = || Fail::new("the discussion did not come to its end");
    let held = |talk| Held { talk, usage, left_out: setup.script.left_out.clone() };
    if !talk.is_closed() {
        let paused = talk.pause().ok_or_else(unfinished)?;
        return Ok(held(Talk::Open(Box::new(paused))));
    }
    let finished = talk.finish().ok_or_else(unfinished)?;
    screen.say(&format!("\n{}", synthesis::spoken_summary(&finished, &setup.library)?));
    say_replaced(setup, &finished, screen)?;
    let exit = finished.closed.exit;
    let held = held(Talk::Finished(Box::new(finished)));
    say_limits(setup, &held, exit, screen);
    Ok(held)
}

/// Says what the discussion could not do with what was read or said.
fn say_limits(setup: &Setup, held: &Held, exit: Exit, screen: &Screen) {
    if held.finished().is_some_and(|finished| finished.is_wordless(&setup.library.cast)) {
        screen.note("no user said anything, so no document is changed");
    }
    if held.unheard() > 0 {
        let messages = plain::count(held.unheard(), "message");
        screen.warn(&format!(
            "{messages} came too late to be discussed (exit {exit}, turn limit {}); kept under \"Not Discussed\"",
            setup.opened.max_turns
        ));
    }
}

/// Holds the discussion to its end, with the script or with the person at the keyboard.
#[allow(clippy::too_many_arguments)] // It only passes them on.
fn converse(
    setup: &Setup,
    talk: &mut Discussion<'_>,
    voice: Option<&mut dyn Voice>,
    stand_in: &mut Secretary<'_>,
    script: &mut Script,
    log: &mut Log,
    screen: &Screen,
) -> Result<(), Fail> {
    if setup.medium == Medium::Keyboard {
        return Conversation { setup, log, screen }.hold(talk, voice, stand_in, script);
    }
    let clock = || setup.fixed.unwrap_or_else(now);
    let mut tell = |record: &Record| announced(record, setup, log, screen);
    hold(talk, voice, stand_in, script, &clock, &mut tell)?;
    Ok(())
}

/// Keeps an event in the log and shows it.
pub(super) fn announced(
    record: &Record,
    setup: &Setup,
    log: &mut Log,
    screen: &Screen,
) -> Result<(), String> {
    voices::refuse_secrets("the next line", &record.to_line()).map_err(|fail| fail.to_line())?;
    log.append(record, screen);
    // The person who typed it has seen it.
    if setup.medium != Medium::Keyboard || !matches!(record.event, Event::User(_)) {
        screen.say_record(record, &setup.library.cast);
    }
    waiting(setup, screen);
    screen.check()
}

/// Shows that a model is being waited for.
fn waiting(setup: &Setup, screen: &Screen) {
    if !setup.voice.is_secretary() {
        screen.waiting(&format!("waiting for {}", setup.opened.voice));
    }
}

/// Which decisions the new ones replace; an id that no decision of the item has is a warning.
fn say_replaced(setup: &Setup, finished: &Finished, screen: &Screen) -> Result<(), Fail> {
    let mut messages = finished.messages_of_users();
    if messages.all(|message| decisions::named(&message.text).is_empty()) {
        return Ok(());
    }
    let name = finished.recording();
    let all = provenance::decisions(&setup.repo, setup.base, &setup.item, Some((&name, finished)))?;
    let is_new =
        |id: &String| (0..finished.summary.decisions.len()).any(|at| decisions::id(&name, at) == *id);
    for entry in all.replaced().filter(|entry| entry.replaced_by.iter().any(is_new)) {
        screen.say(&format!("Replaces {}: {}", entry.id, plain::one_line(&plain::clean(&entry.text))));
    }
    for (_, wanted) in all.unknown.iter().filter(|(id, _)| is_new(id)) {
        screen.warn(&format!(
            "{wanted} is no earlier decision of this item, so nothing is marked as replaced; `roundtable show {}` lists the ids",
            table::slug(&setup.item.path)
        ));
    }
    if finished.summary.decisions.is_empty() {
        screen
            .warn("no decision was recorded, so none is replaced; write it as \"Decision: …, replaces D-…\"");
    }
    Ok(())
}

/// The discussion as it begins, or where it was cut off.
pub(super) fn begin<'s>(
    setup: &'s Setup,
    step: &'s Step,
    clock: &dyn Fn() -> Time,
) -> Result<Discussion<'s>, Fail> {
    if setup.begun.is_empty() {
        let first = Record { at: clock(), event: Event::Opened(Box::new(setup.opened.clone())) };
        return Ok(Discussion::open(&setup.library, step, first)?);
    }
    let gone = |refused: Refused| {
        Fail::new(format!("--resume: the log of run {} cannot be continued: {refused}", setup.opened.run))
    };
    Discussion::replay(&setup.library, step, &setup.begun.as_slice().into()).map_err(gone)
}

/// The secretary: it speaks itself, or for a model that gave no line.
pub(super) fn stand_in<'s>(setup: &'s Setup, step: &Step) -> Result<Secretary<'s>, Fail> {
    let is_covered = setup.item.meta.steps_completed().contains(&step.id);
    let rules = Arc::clone(&setup.rules);
    Ok(landing::stand_in(&setup.repo, &setup.item, setup.base, step, rules, is_covered)?)
}

/// The head of a model's prompts.
fn head(setup: &Setup, talk: &Discussion<'_>, screen: &Screen) -> Result<String, Fail> {
    let step = setup.library.step(&setup.opened.step.id)?;
    let target = synthesis::target(&setup.item, step);
    let first = setup.script.inputs().flatten().next().map(|input| input.text.as_str());
    let earlier = landing::decided(&setup.repo, setup.base, &setup.item)?;
    let given = prompt::Given { evidence: setup.evidence.clone(), earlier, target, first };
    let (head, cut) = prompt::head(&prompt::Subject::new(talk), setup.item.documents(), &given)?;
    for name in cut {
        screen.note(&format!(
            "{name}: the model gets only its beginning (all documents together are cut at {} characters)",
            prompt::DOCUMENTS
        ));
    }
    voices::refuse_secrets("the item", &head)?;
    Ok(head)
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
    if setup.voice.is_secretary() {
        hold(&mut talk, None, &mut first, &mut script, &clock, &mut tell)?;
    } else {
        let head = head(setup, &talk, screen)?;
        let voice = &setup.opened.voice;
        let mut rehearsal = plan::Rehearsal::new(&mut first, voice, head, setup.has_critic);
        hold(&mut talk, Some(&mut rehearsal), &mut second, &mut script, &clock, &mut tell)?;
        plan = rehearsal.plan();
    }
    plan.turns = talk.turn_count();
    screen.say(&plan.text(&setup.opened));
    let mut report = plan.value();
    report["item"] = json!(setup.opened.item);
    report["step_id"] = json!(setup.opened.step.id);
    report["voice"] = json!(setup.opened.voice);
    report["model"] = json!(setup.opened.model);
    report["max_turns"] = json!(setup.opened.max_turns);
    report["evidence"] = json!(setup.opened.evidence);
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

/// A discussion that is committed nowhere.
fn not_committed(setup: &Setup, held: Held, outcome: Outcome) -> Landed {
    let (branch, base) = (setup.opened.branch.clone(), setup.base.to_string());
    Landed { held, branch, base, commit: None, already_recorded: false, outcome }
}

/// `--out`: the recording goes to a file of the user's, and nothing is committed.
fn keep(setup: &Setup, held: Held, path: &Path, screen: &Screen) -> Result<Landed, Fail> {
    let outcome = match &held.talk {
        Talk::Finished(finished) => landing::place(&setup.item, finished, &setup.library)?.0,
        Talk::Open(paused) => Outcome::nothing(&synthesis::open_recording(&paused.opened.item, &paused.log)),
    };
    screen.check().map_err(Fail::new)?;
    let shown = plain::shown(&path.display().to_string());
    write_whole(path, held.log().text().as_bytes())
        .map_err(|error| Fail::new(format!("{shown} cannot be written: {error}")))?;
    screen.say_strong(&format!("\nRecorded in {shown}; nothing was committed."));
    Ok(not_committed(setup, held, outcome))
}

fn already_recorded(setup: &Setup, commit: Oid, recording: &str, screen: &Screen) -> Result<Landed, Fail> {
    let branch = &setup.opened.branch;
    let bytes = setup.repo.file(commit, recording)?.unwrap_or_default();
    let log = discussion::Log::read(recording, crate::json::utf8(recording, &bytes)?)?;
    let step = setup.library.step(&setup.opened.step.id)?;
    let finished = Discussion::replay(&setup.library, step, &log)?.finish();
    let finished = finished.ok_or_else(|| Fail::new(format!("{recording} has no end")))?;
    let carrier = if setup.exists { branch.clone() } else { format!("commit {}", short(commit)) };
    screen.say(&format!("Already recorded: {carrier} carries this run in {recording}. Nothing was changed."));
    Ok(Landed {
        branch: branch.clone(),
        base: finished.opened.base.clone(),
        commit: Some(setup.repo.brought(commit, recording)?),
        already_recorded: true,
        outcome: Outcome::nothing(recording),
        held: Held {
            talk: Talk::Finished(Box::new(finished)),
            usage: Meter::default(),
            left_out: setup.script.left_out.clone(),
        },
    })
}
