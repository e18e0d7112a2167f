//! `roundtable github`: from an event of Actions to a discussion on an issue, and back to one
//! comment, one pull request and the labels; or to the gate.
//!
//! Nothing is written before the discussion stands in a commit that was pushed. What fails behind
//! that is a warning: the commit is what counts.

mod handed;
mod open;
mod reading;
mod seat;
mod telling;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use git2::Oid;
use serde_json::{Value, json};

use self::handed::{land_at, recording_run};
use self::open::Conversation;
use self::reading::Read;
pub use self::reading::{thread, title};
use self::seat::Seat;
pub use self::seat::slug_of;
use super::analyze::Answers;
use super::elaborate::{self, Medium, Task};
use super::event::Event;
use super::exit::{Code, Fail};
use super::screen::Screen;
use super::voices;
use super::{Global, actions, analyze, check, open as open_repo, push, review, service, table};
use crate::config::Config;
use crate::discussion::event::{Event as Talked, Record, Time};
use crate::github::Settings;
use crate::github::hub::Hub;
use crate::github::page;
use crate::github::trigger::{self, Asked, Person, Trigger, What};
use crate::http::Failed;
use crate::item::meta::Source;
use crate::library::{Library, sha256};
use crate::plain;
use crate::repo::Repo;
use crate::repo::remote::Remote;
use crate::review::Review;
use crate::template::safe;
use crate::walk::Mode;

#[derive(Debug, Args)]
pub struct Options {
    #[command(subcommand)]
    what: Option<Wanted>,
}

#[derive(Debug, Subcommand)]
enum Wanted {
    /// Do what the event of this Actions run asks for
    Run(Box<Run>),
    /// Print all issues that wait with a label, as a matrix for `strategy.matrix`
    #[command(after_help = "Example: roundtable github plan")]
    Plan,
}

#[derive(Debug, Default, Args)]
#[group(id = "github")]
#[command(after_help = "Example: roundtable github run --issue 12 --label roundtable:01-03")]
struct Run {
    /// An issue to work on, whatever the event is
    #[arg(long, value_name = "N")]
    issue: Option<u64>,
    /// The label that asks for it [default: the one of the settings]
    #[arg(long, value_name = "NAME", requires = "issue")]
    label: Option<String>,
    /// Write the recording and its digest into this folder, and nothing anywhere else
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Commit the recording in this folder instead of holding a discussion; no voice speaks
    #[arg(long, value_name = "FOLDER", conflicts_with = "out", requires = "digest")]
    recording: Option<PathBuf>,
    /// The SHA-256 that the recording must have
    #[arg(long, value_name = "SHA256", requires = "recording")]
    digest: Option<String>,
    #[command(flatten)]
    voice: voices::Options,
}

/// Jobs that a matrix may have.
const MATRIX: usize = 256;

/// Does what is asked for.
pub fn run(global: &Global, options: Options, screen: &Screen) -> Result<Code, Fail> {
    match options.what.unwrap_or(Wanted::Run(Box::default())) {
        Wanted::Run(run) => answer(global, &run, screen),
        Wanted::Plan => plan(global, screen),
    }
}

/// What the changed lines of a pull request leave open, as notices: they fail nothing.
fn notices(global: &Global, repo: &Repo, event: &Event, screen: &Screen) {
    let found = || -> Result<Option<Review>, Fail> {
        let (Some(base), Some(head), _) = event.range(repo)? else { return Ok(None) };
        let options = review::Options {
            base: Some(base.to_string()),
            rev: Some(head.to_string()),
            ..review::Options::default()
        };
        let source = review::Source::open(global, &options)?;
        if source.texts.is_empty() {
            return Ok(None);
        }
        review::reviewed(&source, &options, screen).map(Some)
    };
    match found() {
        Ok(Some(found)) if !screen.is_json() => {
            let lines = super::report::review::annotations(&found, Some("notice"));
            if let Err(fail) = screen.commands(&lines) {
                screen.warn(&fail.message);
            }
        }
        Ok(_) => {}
        Err(fail) => screen.warn(&format!("the documents could not be reviewed: {}", fail.message)),
    }
}

fn failed(failed: Failed) -> Fail {
    Fail::new(failed.to_string())
}

fn answer(global: &Global, run: &Run, screen: &Screen) -> Result<Code, Fail> {
    let repo = open_repo(global)?;
    let config = table::config(global, &repo, repo.resolve("HEAD")?)?;
    let settings = config.github.clone().unwrap_or_default();
    let event = Event::read()?;
    let trigger = match (run.issue, &event) {
        (Some(number), _) => by_hand(number, run.label.as_deref(), &settings)?,
        (None, Some(event)) => trigger::trigger(event.name(), event.payload(), &settings),
        (None, None) => {
            return Err(Fail::new(
                "there is no event of GitHub Actions here; name an issue with --issue N, or use roundtable elaborate --issue N",
            ));
        }
    };
    match trigger {
        Trigger::Check => {
            let code = check::run(global, &check::Options::default(), screen)?;
            if let Some(event) = event.filter(|event| event.name() == "pull_request") {
                notices(global, &repo, &event, screen);
            }
            Ok(code)
        }
        Trigger::Nothing(why) => {
            screen.say(&format!("Nothing to do: {why}."));
            screen.json(&json!({"done": false, "reason": why}));
            Ok(Code::Yes)
        }
        Trigger::Issue(asked) => {
            let hub = service::hub(&repo)?;
            let base = base_branch(event.as_ref());
            Job { global, run, screen, repo, config, settings, hub, base, me: None }.answer(asked)
        }
    }
}

fn by_hand(number: u64, label: Option<&str>, settings: &Settings) -> Result<Trigger, Fail> {
    let label = label.unwrap_or(&settings.label);
    let what = trigger::asked(label, &settings.label).ok_or_else(|| {
        Fail::new(format!(
            "\"{}\" is none of roundtable's labels; they begin with {}",
            plain::shown(label),
            settings.label
        ))
    })?;
    Ok(Trigger::Issue(Asked {
        number,
        what,
        label: Some(label.to_owned()),
        comment: None,
        sender: None,
        issue: None,
    }))
}

/// The branch that pull requests go to.
fn base_branch(event: Option<&Event>) -> String {
    let of_event = event.and_then(|event| event.payload().pointer("/repository/default_branch")?.as_str());
    let name = of_event.map(str::to_owned).or_else(|| service::variable("GITHUB_REF_NAME"));
    name.filter(|name| crate::repo::is_branch_name(name)).unwrap_or_else(|| "main".to_owned())
}

/// Everything a run on an issue needs.
struct Job<'a> {
    global: &'a Global,
    run: &'a Run,
    screen: &'a Screen,
    repo: Repo,
    config: Config,
    settings: Settings,
    hub: Hub,
    base: String,
    /// Our own id, where GitHub has told it.
    me: Option<u64>,
}

/// How the event was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answered {
    Now,
    /// The discussion waits for what its user says next.
    Open,
    /// A discussion that stayed open is over.
    Over,
    /// By a run before this one.
    Before,
    /// It asks for nothing.
    Never,
}

impl Job<'_> {
    fn answer(mut self, asked: Asked) -> Result<Code, Fail> {
        let (asked, at) = match self.when(asked)? {
            Ok(known) => known,
            Err(why) => return self.refuse(&why),
        };
        if self.run.out.is_some() {
            return self.read(asked, at).and_then(|read| self.hand_over(&read));
        }
        // From here on the label is answered, whatever comes of it.
        let label = asked.clone();
        let done = self.read(asked, at).and_then(|read| self.land_and_tell(&read));
        match &done {
            Ok(answered @ (Answered::Now | Answered::Open | Answered::Over)) => {
                self.label(&label, Some(*answered))
            }
            Ok(Answered::Before | Answered::Never) => {}
            Err(_) => self.label(&label, None),
        }
        done.map(|_| Code::Yes)
    }

    /// When the label was set and by whom; or why nothing is done about it.
    fn when(&mut self, mut asked: Asked) -> Result<Result<(Asked, Option<Time>), String>, Fail> {
        let mut at = asked.comment;
        if let Some(label) = &asked.label {
            let events = self.hub.events(asked.number).map_err(failed)?;
            let is_it = |entry: &&Value| {
                let name = entry.pointer("/label/name").and_then(Value::as_str).unwrap_or_default();
                entry.get("event").and_then(Value::as_str) == Some("labeled")
                    && name.eq_ignore_ascii_case(label)
            };
            let newest = events
                .iter()
                .filter(is_it)
                .max_by_key(|entry| moment(entry, "created_at").map(Time::seconds));
            at = newest.and_then(|entry| moment(entry, "created_at"));
            if asked.sender.is_none() {
                asked.sender = newest.and_then(|entry| entry.get("actor")).and_then(Person::of);
                if asked.sender.is_none() {
                    return Ok(Err(format!("nobody has set the label {}", plain::shown(label))));
                }
            }
            // Setting a label changes no issue: an entry from before its last change is an old one.
            let updated = asked.issue.as_ref().and_then(|issue| moment(issue, "updated_at"));
            at = at.max(updated);
        }
        if let Some(sender) = asked.sender.clone() {
            if sender.is_bot {
                return Ok(Err(format!("{} is an app, and apps ask for nothing here", sender.login)));
            }
            let may = self.hub.permission(&sender).map_err(failed)?;
            if may < self.settings.min_permission {
                return Ok(Err(format!(
                    "{} has the permission {may}, and {} is needed to ask for a discussion",
                    sender.login, self.settings.min_permission
                )));
            }
        }
        Ok(Ok((asked, at)))
    }

    /// A stranger must not paint a run red, and gets no comment that could be abused.
    fn refuse(&self, why: &str) -> Result<Code, Fail> {
        self.screen.warn(&format!("nothing was done: {why}"));
        let library = Library::built_in()?;
        let values = minijinja::context! { why => safe(page::inert(&plain::markdown(why))) };
        actions::summary(&library.templates.render("github/refused.md", values)?)?;
        self.screen.json(&json!({"done": false, "reason": why}));
        Ok(Code::Yes)
    }

    fn read(&mut self, asked: Asked, at: Option<Time>) -> Result<Read, Fail> {
        let own = reading::own_ids(&mut self.hub);
        let mut marked = Vec::new();
        let thread = reading::read_thread(&mut self.hub, &asked, at, &own, &self.settings, &mut marked)?;
        for one in &thread.unused {
            self.screen.note(&format!("comment {} by {} is not used: {}", one.id, one.by, one.why));
        }
        let mut read = Read { asked, at, own, marked, known: None, thread };
        read.known = read.ours(&read.own).map(|(id, body)| (id, body.to_owned()));
        Ok(read)
    }

    /// The discussion that is asked for: a new one, or the next run of one that is open.
    fn task(&self, read: &Read, seat: &Seat, log: Vec<Record>) -> Result<Task, Fail> {
        let What::Discussion(step) = &read.asked.what else {
            return Err(Fail::new("an analysis is no discussion"));
        };
        let step = match (log.first().map(|first| &first.event), step) {
            (Some(Talked::Opened(opened)), _) => opened.step.id.clone(),
            (_, Some(step)) => step.clone(),
            (_, None) => self.current_step(seat)?,
        };
        let (script, open) = self.next_words(read, log);
        Ok(Task {
            item: seat.item.clone(),
            new: Some((Source::GitHub(read.thread.number), read.thread.title.clone())),
            step,
            script,
            branch: Some(seat.branch.clone()),
            base: None,
            voice: self.run.voice.clone(),
            max_turns: None,
            fixed: read.at,
            signed_off: false,
            leaves_merged: false,
            resume: false,
            open,
            medium: Medium::Script,
        })
    }

    /// The analysis that is asked for.
    fn walk(&self, read: &Read, seat: &Seat, answers: Answers) -> analyze::Task {
        analyze::Task {
            item: seat.item.clone(),
            new: Some((Source::GitHub(read.thread.number), read.thread.title.clone())),
            script: read.thread.script(),
            branch: Some(seat.branch.clone()),
            base: None,
            voice: self.run.voice.clone(),
            max_turns: None,
            fixed: read.at,
            signed_off: false,
            leaves_merged: false,
            mode: Mode::Each,
            answers,
        }
    }

    fn land_and_tell(&mut self, read: &Read) -> Result<Answered, Fail> {
        let seat = self.seat(&read.thread)?;
        self.follow(&seat)?;
        let remote = service::remote(&self.hub)?;
        if read.asked.what == What::Analysis {
            return self.analyze(read, &seat, &remote);
        }
        let number = read.thread.number;
        let told = |run: &str| read.known.as_ref().is_some_and(|(_, body)| page::run_of(body) == Some(run));
        let log = match self.conversation(read, &seat)? {
            Conversation::Answered(log) => return self.answered(read, &seat, log),
            Conversation::Silent(why) => return self.nothing(why),
            Conversation::Open(log) => log,
            Conversation::None => Vec::new(),
        };
        let (report, commit) = if self.run.recording.is_some() {
            let (recording, replay) = self.handed_over(&seat)?;
            if told(&recording_run(&recording)?) {
                return self.already(&seat, read.known_id());
            }
            self.fits(&recording, read, &seat, &log)?;
            self.me = self.look(number);
            let landed = self.land_recording(&recording, &replay, &seat)?;
            let mut again =
                |_: &(Value, Oid), tip| land_at(&replay, &recording, &seat.branch, tip, self.screen);
            push::forward(&self.repo, &seat.branch, &remote, landed, &mut again, self.screen)?
        } else {
            let setup = elaborate::set_up(
                self.global,
                self.task(read, &seat, log)?,
                table::BuiltIn::begin(),
                self.screen,
            )?;
            if told(&setup.opened().run) {
                return self.already(&seat, read.known_id());
            }
            self.me = self.look(number);
            let landed = elaborate::hold_and_land(&setup, self.screen)?;
            let mut again =
                |landed: &(Value, Oid), tip| elaborate::land_again(&setup, landed, tip, self.screen);
            push::forward(setup.repo(), &seat.branch, &remote, landed, &mut again, self.screen)?
        };
        let landed = self.landed(report, commit)?;
        self.tell(read, &landed)
    }

    /// The whole analysis of the issue's item, as far as its comments answer.
    fn analyze(&mut self, read: &Read, seat: &Seat, remote: &Remote) -> Result<Answered, Fail> {
        let number = read.thread.number;
        let run = walk_id(read);
        if read.known.as_ref().is_some_and(|(_, body)| page::run_of(body) == Some(run.as_str())) {
            return self.already(seat, read.known_id());
        }
        let answers = match self.run.recording.is_some() {
            true => Answers::Given(Box::new(self.handed_answers()?)),
            false => Answers::Asked,
        };
        self.me = self.look(number);
        let task = self.walk(read, seat, answers);
        let mut went = analyze::walk_item(self.global, task.again(), self.screen)?;
        let (mut report, commit) = went.report();
        // Nothing new: then the branch stands as it is, and is only told of.
        let tip = self.repo.tip(&seat.branch)?;
        if let Some(commit) = commit.or(tip) {
            let mut again = |_: &(Value, Oid), tip| {
                self.still_ours(tip, seat, number)?;
                went = analyze::walk_item(self.global, task.again(), self.screen)?;
                let (report, commit) = went.report();
                Ok((report, commit.unwrap_or(tip)))
            };
            (report, _) =
                push::forward(&self.repo, &seat.branch, remote, (report, commit), &mut again, self.screen)?;
        }
        self.tell_analysis(read, seat, report, &run)
    }
}

/// What tells this run of an analysis from others.
fn walk_id(read: &Read) -> String {
    let script = read.thread.script();
    let heard: Vec<&str> = script.inputs().flatten().map(|input| input.text.as_str()).collect();
    let at = read.at.map(|at| at.to_string());
    sha256(json!(["analyze", read.thread.number, at, heard]).to_string().as_bytes())[..32].to_owned()
}

fn moment(of: &Value, key: &str) -> Option<Time> {
    Time::parse(of.get(key)?.as_str()?).ok()
}

/// All issues that wait, as a matrix.
fn plan(global: &Global, screen: &Screen) -> Result<Code, Fail> {
    let repo = open_repo(global)?;
    let config = table::config(global, &repo, repo.resolve("HEAD")?)?;
    let settings = config.github.unwrap_or_default();
    let mut hub = service::hub(&repo)?;
    let mut include = Vec::new();
    for label in hub.labels().map_err(failed)? {
        if trigger::asked(&label, &settings.label).is_some() {
            for issue in hub.labeled(&label).map_err(failed)? {
                include.extend(
                    issue.get("number").and_then(Value::as_u64).map(|number| (number, label.clone())),
                );
            }
        }
    }
    include.sort();
    // A matrix holds no more; the next plan finds the rest.
    include.truncate(MATRIX);
    let include: Vec<Value> =
        include.into_iter().map(|(issue, label)| json!({"issue": issue, "label": label})).collect();
    let matrix = json!({"include": include});
    actions::outputs(&[("matrix", &matrix.to_string())])?;
    screen.raw(&format!("{matrix}\n"))?;
    Ok(Code::Yes)
}
