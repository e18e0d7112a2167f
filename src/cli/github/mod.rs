//! `roundtable github`: from an event of Actions to a discussion on an issue, and back to one
//! comment, one pull request and the labels; or to the gate.
//!
//! Nothing is written before the discussion is in a commit that was pushed. What fails after it
//! that is a warning: the commit is what counts.

mod handed;
mod open;
mod reading;
mod seat;
mod telling;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use self::handed::land_at;
use self::open::{Conversation, Words};
use self::reading::Read;
pub use self::reading::{text, thread};
use self::seat::Seat;
use super::analyze::{Answers, Went};
use super::event::Event;
use super::exit::{Code, Fail};
use super::push::Committed as _;
use super::screen::Screen;
use super::{Global, actions, analyze, check, open as open_repo, push, replay, review, service, table};
use crate::discussion::event::{Event as Talked, Record, Time};
use crate::git::Repo;
use crate::git::remote::Remote;
use crate::github::hub::Hub;
use crate::github::page;
use crate::github::trigger::{self, Asked, Person, Trigger, What};
use crate::http::Failed;
use crate::item::config::Config;
use crate::item::config::github::Settings;
use crate::item::library::{Library, sha256};
use crate::item::meta::Source;
use crate::review::Review;
use crate::run::voices;
use crate::run::walk::Mode;
use crate::run::{Landed, Medium, Task, hold_and_land, land_again, set_up};
use crate::text::plain;
use crate::text::template::safe;

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
    voice: super::voices::Options,
}

/// How often an issue gets another name, where others of its title were faster.
const SEATS: usize = 3;
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
                screen.warn(&fail.to_line());
            }
        }
        Ok(_) => {}
        Err(fail) => screen.warn(&format!("the documents could not be reviewed: {}", fail.to_line())),
    }
}

fn failed(failed: Failed) -> Fail {
    failed.into_problem().into()
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
            return Err(Fail::new("there is no event of GitHub Actions here")
                .with_hint("name an issue with --issue N, or use roundtable elaborate --issue N"));
        }
    };
    match trigger {
        Trigger::Check => {
            let mut code = check::run(global, &check::Options::default(), screen)?;
            if event.as_ref().is_some_and(is_default_push) && code == Code::Yes {
                code = replay::pushed(global, screen)?;
            }
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
            Job {
                global,
                run,
                screen,
                repo,
                config,
                settings,
                hub,
                base,
                me: None,
                is_overtaken: Cell::new(false),
            }
            .answer(asked)
        }
    }
}

fn by_hand(number: u64, label: Option<&str>, settings: &Settings) -> Result<Trigger, Fail> {
    let label = label.unwrap_or(&settings.label);
    let what = trigger::asked(label, &settings.label).ok_or_else(|| {
        Fail::new(format!("\"{}\" is none of roundtable's labels", plain::shown(label)))
            .with_hint(format!("they begin with {}", settings.label))
    })?;
    Ok(Trigger::Issue(Asked {
        number,
        what,
        label: Some(label.to_owned()),
        comment: None,
        is_tick: false,
        sender: None,
        issue: None,
    }))
}

/// Whether an event is a push to the default branch: what is there now is what everybody goes on from.
fn is_default_push(event: &Event) -> bool {
    let text = |pointer: &str| event.payload().pointer(pointer).and_then(|value| value.as_str());
    let name = text("/ref").and_then(|name| name.strip_prefix("refs/heads/"));
    event.name() == "push" && name.is_some() && name == text("/repository/default_branch")
}

/// The branch that pull requests go to.
fn base_branch(event: Option<&Event>) -> String {
    let of_event = event.and_then(|event| event.payload().pointer("/repository/default_branch")?.as_str());
    let name = of_event.map(str::to_owned).or_else(|| service::variable("GITHUB_REF_NAME"));
    name.filter(|name| crate::git::is_branch_name(name)).unwrap_or_else(|| "main".to_owned())
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
    /// Another issue has taken the item's name meanwhile.
    is_overtaken: Cell<bool>,
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
        let label = asked.clone();
        let (asked, at) = match self.when(asked) {
            Ok(Ok(known)) => known,
            Ok(Err(why)) => return self.refuse(&label, &why),
            // The asker is not known: no comment is written.
            Err(fail) => return Err(self.failed(fail)),
        };
        if self.run.out.is_some() {
            let done = self.read(asked, at).and_then(|mut read| self.hand_over(&mut read));
            return done.map_err(|fail| self.failed(fail));
        }
        // From here on the label is answered, whatever comes of it.
        let mut known = None;
        let done = self.read(asked, at).and_then(|mut read| {
            known = read.known(&read.own).cloned();
            self.land_and_tell(&mut read)
        });
        match done {
            Ok(Answered::Before) => {}
            Ok(Answered::Never) => self.take_off(&label),
            Ok(answered) => self.label(&label, Some(answered)),
            Err(fail) => return Err(self.told_failure(&label, known.as_ref(), fail)),
        }
        Ok(Code::Yes)
    }

    /// When the label was set and by whom; or why nothing is done about it.
    fn when(&mut self, mut asked: Asked) -> Result<Result<(Asked, Option<Time>), String>, Fail> {
        let mut at = asked.comment;
        if let Some(label) = &asked.label {
            let is_it = |entry: &Value| {
                let name = entry.pointer("/label/name").and_then(Value::as_str).unwrap_or_default();
                entry.get("event").and_then(Value::as_str) == Some("labeled")
                    && name.eq_ignore_ascii_case(label)
            };
            let events = self.hub.newest_events(asked.number, &is_it).map_err(failed)?;
            let newest = events.iter().max_by_key(|entry| moment(entry, "created_at").map(Time::seconds));
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
                let opener = asked.issue.as_ref().and_then(|issue| issue.get("user")).and_then(Person::of);
                let form = match opener.is_some_and(|opener| opener.login == sender.login) {
                    true => "; an issue form has set it when they opened the issue",
                    false => "",
                };
                return Ok(Err(format!(
                    "{} has the permission {may}, and {} is needed to ask for a discussion{form}",
                    sender.login, self.settings.min_permission
                )));
            }
        }
        Ok(Ok((asked, at)))
    }

    /// A stranger must not paint a run red, and gets no comment that could be abused. The label goes, so that
    /// it does not look like a request that is still worked on.
    fn refuse(&mut self, asked: &Asked, why: &str) -> Result<Code, Fail> {
        self.screen.warn(&format!("nothing was done: {why}"));
        let library = Library::built_in()?;
        let label = asked.label.as_ref().filter(|_| self.run.out.is_none());
        let values = minijinja::context! {
            why => safe(page::inert(&plain::markdown(why))),
            label => label.map(|label| safe(page::inert(&plain::markdown(label)))),
        };
        actions::summary(&library.templates.render("github/refused.md", values)?)?;
        match &self.run.out {
            // The other job takes the label off.
            Some(folder) if asked.label.is_some() => self.hand_over_nothing(folder)?,
            Some(_) => {}
            None => self.take_off(asked),
        }
        self.screen.json(&json!({"done": false, "reason": why}));
        Ok(Code::Yes)
    }

    fn read(&mut self, asked: Asked, at: Option<Time>) -> Result<Read, Fail> {
        let own = reading::own_ids(&mut self.hub);
        let read = reading::read_thread(&mut self.hub, asked, at, own, &self.settings)?;
        for one in &read.thread.unused {
            self.screen.note(&format!("comment {} by {} is not used: {}", one.id, one.by, one.why));
        }
        Ok(read)
    }

    /// The discussion that is asked for: a new one, or the next run of one that is open.
    fn task(&self, read: &Read, seat: &Seat, log: Vec<Record>) -> Result<Task, Fail> {
        let step = match &read.asked.what {
            What::Discussion(step) => step,
            What::Close => &None,
            What::Analysis => return Err(Fail::new("an analysis is no discussion")),
        };
        let step = match (log.first().map(|first| &first.event), step) {
            (Some(Talked::Opened(opened)), _) => opened.step.id.clone(),
            (_, Some(step)) => step.clone(),
            (_, None) => match read.ticks.first().filter(|_| read.asked.is_tick) {
                Some(tick) => tick.listed.step.clone(),
                None => self.current_step(seat)?,
            },
        };
        let Words { script, comments, open } = self.next_words(read, log);
        Ok(Task {
            item: seat.item.clone(),
            new: Some((Source::GitHub(read.thread.number), read.thread.title.clone())),
            step: Some(step),
            script,
            branch: Some(seat.branch.clone()),
            base: None,
            voice: self.voice(),
            max_turns: None,
            fixed: read.at,
            signed_off: false,
            leaves_merged: false,
            resume: false,
            comments: Some(comments),
            open,
            medium: Medium::Script,
        })
    }

    /// Who speaks: no program in a job of Actions that may write.
    fn voice(&self) -> voices::Wanted {
        let may_write = self.run.out.is_none() && self.run.recording.is_none();
        let refuses_programs = may_write && self.screen.is_runner();
        voices::Wanted { refuses_programs, ..self.run.voice.wanted() }
    }

    /// The analysis that is asked for.
    fn walk(&self, read: &Read, seat: &Seat, answers: Answers) -> analyze::Task {
        analyze::Task {
            item: seat.item.clone(),
            new: Some((Source::GitHub(read.thread.number), read.thread.title.clone())),
            script: read.thread.answers(&read.heard).by_number(),
            branch: Some(seat.branch.clone()),
            base: None,
            voice: self.voice(),
            max_turns: None,
            depth: None,
            fixed: read.at,
            signed_off: false,
            leaves_merged: false,
            mode: Mode::Each,
            answers,
        }
    }

    fn land_and_tell(&mut self, read: &mut Read) -> Result<Answered, Fail> {
        let mut seat = self.settle(read)?;
        for _ in 0..SEATS {
            let remote = service::remote(&self.hub)?;
            let done = match read.asked.what {
                What::Analysis => self.analyze(read, &seat, &remote),
                _ => self.discuss(read, &seat, &remote),
            };
            if !self.is_overtaken.replace(false) {
                return done;
            }
            // An issue of the same title was faster: this one gets another name.
            seat = self.settle(read)?;
        }
        Err(Fail::new("other issues kept taking the item's name").with_hint("set the label again"))
    }

    /// A discussion on the issue, from its words to the comment.
    fn discuss(&mut self, read: &Read, seat: &Seat, remote: &Remote) -> Result<Answered, Fail> {
        let number = read.thread.number;
        let log = match self.conversation(read, seat)? {
            Conversation::Answered(path, log) => return self.answered(read, seat, &path, log),
            Conversation::Silent(why) => return self.nothing(why),
            Conversation::NothingNew => return self.nothing_new(read, seat),
            Conversation::Open(log) => log,
            Conversation::None => Vec::new(),
        };
        let landed = if self.run.recording.is_some() {
            let (recording, replay) = self.handed_over(seat)?;
            self.fits(&recording, read, seat, &log)?;
            self.me = self.look(number);
            let landed = self.land_recording(&recording, &replay, seat)?;
            let mut again = |_: &Landed, tip| {
                self.still_ours(tip, seat, number)?;
                land_at(&replay, &recording, &seat.branch, tip, self.screen)
            };
            push::forward(&self.repo, &seat.branch, remote, landed, &mut again, self.screen)?
        } else {
            let task = self.task(read, seat, log)?;
            let setup = set_up(
                open_repo(self.global)?,
                &table::settings(self.global)?,
                task,
                table::BuiltIn::begin(),
                self.screen,
            )?;
            self.me = self.look(number);
            let landed = hold_and_land(&setup, self.screen)?;
            let mut again = |landed: &Landed, tip| {
                self.still_ours(tip, seat, number)?;
                land_again(&setup, landed, tip, self.screen)
            };
            push::forward(setup.repo(), &seat.branch, remote, landed, &mut again, self.screen)?
        };
        self.tell(read, seat, &landed)
    }

    /// The whole analysis of the issue's item, as far as its comments answer.
    fn analyze(&mut self, read: &Read, seat: &Seat, remote: &Remote) -> Result<Answered, Fail> {
        let number = read.thread.number;
        let run = walk_id(read);
        if read.tells_of(&run) {
            return self.already(seat, read.known_id());
        }
        let answers = match self.run.recording.is_some() {
            true => Answers::Given(Box::new(self.handed_answers()?)),
            false => Answers::Asked,
        };
        self.me = self.look(number);
        let task = self.walk(read, seat, answers);
        let mut went = analyze::walk_item(self.global, task.again(), self.screen)?;
        // Nothing new: then the branch is as it is, and is only told of.
        if went.commit().or(self.repo.tip(&seat.branch)?).is_some() {
            let mut again = |_: &Went, tip| {
                self.still_ours(tip, seat, number)?;
                analyze::walk_item(self.global, task.again(), self.screen)
            };
            went = push::forward(&self.repo, &seat.branch, remote, went, &mut again, self.screen)?;
        }
        self.tell_analysis(read, seat, &went, &run)
    }
}

/// What tells this run of an analysis from others.
fn walk_id(read: &Read) -> String {
    let script = read.thread.answers(&BTreeSet::new());
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
