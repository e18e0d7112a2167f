//! A run on an issue: from what an event asks for to a discussion or an analysis, and back to one comment, one pull
//! request and the labels.
//!
//! Nothing is written before the discussion is in a commit that was pushed. What fails after it
//! that is a warning: the commit is what counts.

mod conversation;
mod read;
mod replies;
mod report;
mod target;
mod two_jobs;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use self::conversation::{Conversation, Words};
use self::read::Read;
pub use self::read::{text, thread};
use self::target::Target;
use self::two_jobs::land_at;
use super::event::Event;
use super::hub::Hub;
use super::thread::Unused;
use super::trigger::{Asked, Person, What};
use super::{actions, page, service};
use crate::discussion::event::{Event as Talked, Record, Time};
use crate::git::Repo;
use crate::git::remote::Remote;
use crate::item::config::Config;
use crate::item::config::github::Settings;
use crate::item::library::{Library, sha256};
use crate::item::meta::Source;
use crate::run::analyze::{self, Analyzed, AnswerSource, analyze};
use crate::run::environment::variable;
use crate::run::push::{self, Committed as _};
use crate::run::script::Script;
use crate::run::walk::Mode;
use crate::run::{
    ElaborateRequest, Fail, Landed, Observer, RunRequest, hold_and_land, land_again, set_up, settings, voices,
};
use crate::text::plain;
use crate::text::template::safe;

/// What a run is given besides its event.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The first of two jobs: the folder that gets the recording and nothing else is written.
    pub out: Option<PathBuf>,
    /// The second of two jobs: the folder with the recording to commit.
    pub recording: Option<PathBuf>,
    /// The SHA-256 that the recording must have.
    pub digest: Option<String>,
    pub voice: voices::Wanted,
    /// Whether it runs in a job of Actions, which may hold a token that may write.
    pub is_in_actions: bool,
}

/// What a run came to.
pub enum Done {
    /// Nothing was to be done, and why.
    Nothing(String),
    /// Another job has all that is needed: an empty recording.
    NothingToRecord,
    /// All of it was there before this run.
    Already(Reported),
    /// No comment is new and no document changed.
    NothingNew(Reported, Vec<Unused>),
    Discussed(Box<Landed>, Reported, Vec<Unused>),
    Analyzed(Box<Analyzed>, Reported),
    /// The first of two jobs: the discussion, and the digest of its recording.
    Recorded(Box<Landed>, String),
    /// The same for an analysis: the digest of the model's answers.
    RecordedAnswers(Box<Analyzed>, String),
}

/// Where people find what a run came to.
pub struct Reported {
    pub branch: String,
    pub commit: String,
    /// Empty where there is none.
    pub pull_request: String,
    pub comment: String,
}

/// How often an issue gets another name, where others of its title were faster.
const MAX_NAMES: usize = 3;

/// The branch that pull requests go to.
fn base_branch(event: Option<&Event>) -> String {
    let of_event = event.and_then(|event| event.payload().pointer("/repository/default_branch")?.as_str());
    let name = of_event.map(str::to_owned).or_else(|| variable("GITHUB_REF_NAME"));
    name.filter(|name| crate::git::is_branch_name(name)).unwrap_or_else(|| "main".to_owned())
}

/// Everything a run on an issue needs.
pub struct Job<'a> {
    request: &'a Request,
    observer: &'a dyn Observer,
    repo: Repo,
    /// The operator's settings, which win over those of a commit.
    own: &'a settings::Settings,
    config: Config,
    settings: Settings,
    hub: Hub,
    base: String,
    /// Our own id, where GitHub has told it.
    me: Option<u64>,
    /// Another issue has taken the item's name meanwhile.
    is_overtaken: Cell<bool>,
    /// What could not be done on GitHub, and why.
    undone: RefCell<Vec<String>>,
}

/// How the event was answered, and what was done.
type Outcome = (Answered, Done);

/// How the event was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answered {
    Now,
    /// Now, and cards wait for answers.
    Asked,
    /// The discussion waits for what its user says next.
    Open,
    /// A discussion that stayed open is over.
    Over,
    /// By a run before this one.
    Before,
    /// It asks for nothing.
    Never,
}

impl<'a> Job<'a> {
    /// A run in this repository.
    ///
    /// # Errors
    /// Settings or an address of GitHub that cannot be used.
    pub fn new(
        repo: Repo,
        own: &'a settings::Settings,
        request: &'a Request,
        event: Option<&Event>,
        observer: &'a dyn Observer,
    ) -> Result<Job<'a>, Fail> {
        let config = own.at(&repo, repo.resolve("HEAD")?)?;
        Ok(Job {
            request,
            observer,
            own,
            settings: config.github.clone().unwrap_or_default(),
            config,
            hub: service::hub(&repo)?,
            repo,
            base: base_branch(event),
            me: None,
            is_overtaken: Cell::new(false),
            undone: RefCell::new(Vec::new()),
        })
    }
}

impl Job<'_> {
    /// Does what is asked for.
    ///
    /// # Errors
    /// Whatever kept it from being done; the issue and the job's summary say so, too.
    pub fn answer(mut self, asked: Asked) -> Result<Done, Fail> {
        let label = asked.clone();
        let (asked, at) = match self.when(asked) {
            Ok(Ok(known)) => known,
            Ok(Err(why)) => return self.refuse(&label, &why),
            // The asker is not known: no comment is written, but the label does not look like a request any more.
            Err(fail) => return Err(self.failed_early(&label, fail)),
        };
        if self.request.out.is_some() {
            let done = self.read(asked, at).and_then(|mut read| self.record(&mut read));
            return done.map_err(|fail| self.failed(fail));
        }
        // From here on the label is answered, whatever comes of it.
        let mut known = None;
        let done = self.read(asked, at).and_then(|mut read| {
            known = read.known(&read.own).cloned();
            self.land_and_report(&mut read)
        });
        match done {
            Ok((answered, done)) => {
                match answered {
                    Answered::Before => {}
                    Answered::Never => self.take_off(&label),
                    answered => self.label(&label, Some(answered)),
                }
                self.summarise_undone();
                Ok(done)
            }
            Err(fail) => {
                let fail = self.report_failure(&label, known.as_ref(), fail);
                self.summarise_undone();
                Err(fail)
            }
        }
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
            let events = self.hub.newest_events(asked.number, &is_it)?;
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
            let may = self.hub.permission(&sender)?;
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
    fn refuse(&mut self, asked: &Asked, why: &str) -> Result<Done, Fail> {
        self.observer.warn(&format!("nothing was done: {why}"));
        let library = Library::built_in()?;
        let label = asked.label.as_ref().filter(|_| self.request.out.is_none());
        let values = minijinja::context! {
            why => safe(page::inert(&plain::markdown(why))),
            label => label.map(|label| safe(page::inert(&plain::markdown(label)))),
        };
        actions::summary(&library.templates.render("github/refused.md", values)?)?;
        match &self.request.out {
            // The other job takes the label off.
            Some(folder) if asked.label.is_some() => self.record_nothing(folder)?,
            Some(_) => {}
            None => self.take_off(asked),
        }
        Ok(Done::Nothing(why.to_owned()))
    }

    fn read(&mut self, asked: Asked, at: Option<Time>) -> Result<Read, Fail> {
        let own = read::own_ids(&mut self.hub);
        let read = read::read_thread(&mut self.hub, asked, at, own, &self.settings)?;
        for one in &read.thread.unused {
            self.observer.note(&format!("comment {} by {} is not used: {}", one.id, one.by, one.why));
        }
        Ok(read)
    }

    /// The discussion that is asked for: a new one, or the next run of one that is open.
    fn task(&self, read: &Read, target: &Target, log: Vec<Record>) -> Result<ElaborateRequest, Fail> {
        let step = match &read.asked.what {
            What::Discussion(step) => step,
            What::Close => &None,
            What::Analysis => return Err(Fail::new("an analysis is not a discussion")),
        };
        let step = match (log.first().map(|first| &first.event), step) {
            (Some(Talked::Opened(opened)), _) => opened.step.id.clone(),
            (_, Some(step)) => step.clone(),
            (_, None) => match read.ticks.first().filter(|_| read.asked.is_tick) {
                Some(tick) => tick.listed.step.clone(),
                None => self.current_step(target)?,
            },
        };
        let Words { script, comments, open } = self.next_words(read, log);
        let run = self.run_request(read, target, script);
        Ok(ElaborateRequest { run, step: Some(step), comments: Some(comments), open, ..Default::default() })
    }

    /// Who speaks: no program in a job of Actions that may write.
    fn voice(&self) -> voices::Wanted {
        let may_write = self.request.out.is_none() && self.request.recording.is_none();
        let refuses_programs = may_write && self.request.is_in_actions;
        voices::Wanted { refuses_programs, ..self.request.voice.clone() }
    }

    /// The analysis that is asked for.
    fn walk(&self, read: &Read, target: &Target, answers: AnswerSource) -> analyze::AnalyzeRequest {
        let script = read.thread.answers(&read.heard).by_number();
        let run = self.run_request(read, target, script);
        analyze::AnalyzeRequest { run, depth: None, mode: Mode::Each, answers }
    }

    /// What a run on the issue's item is asked for.
    fn run_request(&self, read: &Read, target: &Target, script: Script) -> RunRequest {
        RunRequest {
            item: target.item.clone(),
            new: Some((Source::GitHub(read.thread.number), read.thread.title.clone())),
            script,
            branch: Some(target.branch.clone()),
            voice: self.voice(),
            fixed: read.at,
            ..RunRequest::default()
        }
    }

    fn land_and_report(&mut self, read: &mut Read) -> Result<Outcome, Fail> {
        let mut target = self.prepare(read)?;
        for _ in 0..MAX_NAMES {
            let remote = service::remote(&self.hub)?;
            let done = match read.asked.what {
                What::Analysis => self.analyze(read, &target, &remote),
                _ => self.discuss(read, &target, &remote),
            };
            if !self.is_overtaken.replace(false) {
                return done;
            }
            // An issue of the same title was faster: this one gets another name.
            target = self.prepare(read)?;
        }
        Err(Fail::new("other issues kept taking the item's name").with_hint("set the label again"))
    }

    /// A discussion on the issue, from its words to the comment.
    fn discuss(&mut self, read: &Read, target: &Target, remote: &Remote) -> Result<Outcome, Fail> {
        let number = read.thread.number;
        let log = match self.conversation(read, target)? {
            Conversation::Answered(path, log) => return self.answered(read, target, &path, log),
            Conversation::Silent(why) => return self.nothing(why),
            Conversation::NothingNew => return self.nothing_new(read, target),
            Conversation::Open(log) => log,
            Conversation::None => Vec::new(),
        };
        let landed = if self.request.recording.is_some() {
            let (recording, replay) = self.received_recording(target)?;
            self.fits(&recording, read, target, &log)?;
            self.me = self.look(number);
            let landed = self.land_recording(&recording, &replay, target)?;
            let mut again = |_: &Landed, tip| {
                self.still_ours(tip, target, number)?;
                land_at(&replay, &recording, &target.branch, tip, self.observer)
            };
            push::forward(&self.repo, &target.branch, remote, landed, &mut again, self.observer)?
        } else {
            let task = self.task(read, target, log)?;
            let setup = set_up(self.repo.again()?, self.own, task, self.observer)?;
            self.me = self.look(number);
            let landed = hold_and_land(&setup, self.observer)?;
            let mut again = |landed: &Landed, tip| {
                self.still_ours(tip, target, number)?;
                land_again(&setup, landed, tip, self.observer)
            };
            push::forward(setup.repo(), &target.branch, remote, landed, &mut again, self.observer)?
        };
        self.report_discussion(read, target, landed)
    }

    /// The whole analysis of the issue's item, as far as its comments answer.
    fn analyze(&mut self, read: &Read, target: &Target, remote: &Remote) -> Result<Outcome, Fail> {
        let number = read.thread.number;
        let run = walk_id(read);
        if read.tells_of(&run) {
            return self.already(target, read.known_id());
        }
        let answers = match self.request.recording.is_some() {
            true => AnswerSource::Given(Box::new(self.received_answers()?)),
            false => AnswerSource::Asked,
        };
        self.me = self.look(number);
        let task = self.walk(read, target, answers);
        let mut analyzed = analyze(&self.repo, self.own, task.clone(), self.observer)?;
        // Nothing new: then the branch is as it is, and is only told of.
        if analyzed.commit().or(self.repo.tip(&target.branch)?).is_some() {
            let mut again = |_: &Analyzed, tip| {
                self.still_ours(tip, target, number)?;
                analyze(&self.repo, self.own, task.clone(), self.observer)
            };
            analyzed =
                push::forward(&self.repo, &target.branch, remote, analyzed, &mut again, self.observer)?;
        }
        self.report_analysis(read, target, analyzed, &run)
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
