//! `roundtable github`: from an event of Actions to a discussion on an issue, and back to one
//! comment, one pull request and the labels; or to the gate.
//!
//! Nothing is written before the discussion stands in a commit that was pushed. What fails behind
//! that is a warning: the commit is what counts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use git2::Oid;
use serde_json::{Value, json};

use super::elaborate::{self, Task};
use super::event::Event;
use super::exit::{Code, Fail};
use super::screen::Screen;
use super::voices;
use super::{Global, actions, analyze, check, open, push, read_file, service, table};
use crate::config::Config;
use crate::discussion::event::{Event as Talked, Time, from_lines};
use crate::discussion::{Finished, finished};
use crate::github::hub::Hub;
use crate::github::page::{self, Links, Told};
use crate::github::thread::{self, Comment, Thread};
use crate::github::trigger::{self, Asked, Person, Trigger, What};
use crate::github::{ACTIONS_BOT, Permission, Settings};
use crate::http::Failed;
use crate::item::meta::{Meta, Source};
use crate::library::{Library, sha256};
use crate::plain;
use crate::replay::{Recording, Replay};
use crate::repo::Repo;
use crate::repo::remote::Remote;
use crate::script;
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
/// Name of the recording in the folder that is handed over.
const HANDED: &str = "recording.jsonl";

/// Does what is asked for.
pub fn run(global: &Global, options: Options, screen: &Screen) -> Result<Code, Fail> {
    match options.what.unwrap_or(Wanted::Run(Box::default())) {
        Wanted::Run(run) => answer(global, &run, screen),
        Wanted::Plan => plan(global, screen),
    }
}

fn failed(failed: Failed) -> Fail {
    Fail::new(failed.to_string())
}

fn answer(global: &Global, run: &Run, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
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
        Trigger::Check => check::run(global, &check::Options::default(), screen),
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
    Ok(Trigger::Issue(Asked { number, what, label: Some(label.to_owned()), sender: None, issue: None }))
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

/// What was read of an issue.
struct Read {
    asked: Asked,
    at: Option<Time>,
    own: Vec<u64>,
    /// Comments that are marked as ours, by whoever: author, id and text.
    marked: Vec<(u64, u64, String)>,
    /// Our comment from before: its id and text.
    known: Option<(u64, String)>,
    thread: Thread,
}

impl Read {
    /// The same, as one of our own ids is learned: a token of an app does not say whose it is.
    fn known_as(&self, id: Option<u64>) -> (Vec<u64>, Option<u64>) {
        let own: Vec<u64> = self.own.iter().copied().chain(id).collect();
        let ours = self.marked.iter().rfind(|(author, ..)| own.contains(author)).map(|(_, id, _)| *id);
        (own, ours)
    }
}

/// Whether the event was answered by this run or by one before it.
enum Answered {
    Now,
    Before,
}

/// Where the item of an issue stands, or will.
struct Seat {
    item: String,
    branch: String,
}

/// A discussion that was committed.
struct Landed {
    report: Value,
    commit: Oid,
    finished: Finished,
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
            Ok(Answered::Now) => self.label(&label, true),
            Ok(Answered::Before) => {}
            Err(_) => self.label(&label, false),
        }
        done.map(|_| Code::Yes)
    }

    /// When the label was set and by whom; or why nothing is done about it.
    fn when(&mut self, mut asked: Asked) -> Result<Result<(Asked, Option<Time>), String>, Fail> {
        let mut at = None;
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
        let values = minijinja::context! { why => why };
        actions::summary(&library.templates.render("github/refused.md", values)?)?;
        self.screen.json(&json!({"done": false, "reason": why}));
        Ok(Code::Yes)
    }

    fn read(&mut self, asked: Asked, at: Option<Time>) -> Result<Read, Fail> {
        let own = own_ids(&mut self.hub);
        let mut marked = Vec::new();
        let thread = read_thread(&mut self.hub, &asked, at, &own, &self.settings, &mut marked)?;
        let ours = marked.iter().rfind(|(author, ..)| own.contains(author));
        let known = ours.map(|(_, id, body)| (*id, body.clone()));
        for one in &thread.unused {
            self.screen.note(&format!("comment {} by {} is not used: {}", one.id, one.by, one.why));
        }
        Ok(Read { asked, at, own, marked, known, thread })
    }

    /// The item of the issue: the one that says so, on the default branch or on one of ours, else
    /// one that is named by the issue's title.
    fn seat(&self, thread: &Thread) -> Result<Seat, Fail> {
        let items = self.config.items();
        let of_path = |path: String| {
            let branch = format!("roundtable/{}", table::slug(&path));
            Seat { item: path, branch }
        };
        // The remote knows of branches that this clone has never seen.
        let mut places: Vec<(Option<String>, Oid)> = vec![(None, self.repo.resolve("HEAD")?)];
        let remote = self.repo.fetch_below(&service::remote(&self.hub)?, "roundtable")?;
        places.extend(remote.into_iter().map(|(name, tip)| (Some(name), tip)));
        places
            .extend(self.repo.branches_below("roundtable")?.into_iter().map(|(name, tip)| (Some(name), tip)));
        for (branch, commit) in &places {
            for path in self.repo.items(*commit, items)? {
                if self.is_of(*commit, &path, thread.number)? {
                    let seat = of_path(path);
                    return Ok(Seat { branch: branch.clone().unwrap_or(seat.branch), ..seat });
                }
            }
        }
        let plain = slug_of(&thread.title, thread.number);
        let numbered = std::iter::successors(Some(format!("{plain}-{}", thread.number)), |last| {
            Some(format!("{last}-{}", thread.number))
        });
        for slug in std::iter::once(plain.clone()).chain(numbered).take(20) {
            let (name, path) = (format!("roundtable/{slug}"), format!("{items}/{slug}"));
            let mut is_taken = false;
            for (branch, commit) in &places {
                is_taken |= branch.as_deref() == Some(name.as_str()) || self.repo.exists(*commit, &path)?;
            }
            if !is_taken {
                return Ok(of_path(path));
            }
        }
        Err(Fail::new(format!(
            "no name is free for an item of the issue {}; add one by hand with roundtable add ITEM --issue {}",
            thread.number, thread.number
        )))
    }

    /// Whether the item at a path is the one of an issue.
    fn is_of(&self, commit: Oid, path: &str, number: u64) -> Result<bool, Fail> {
        let file = format!("{path}/{}", crate::item::meta::FILE);
        let bytes = self.repo.file(commit, &file)?.unwrap_or_default();
        let id = Source::GitHub(number).id();
        Ok(Meta::read(&file, &bytes).is_ok_and(|meta| meta.source_id() == id.as_deref()))
    }

    /// Refuses a commit on which another issue has taken the item meanwhile.
    fn still_ours(&self, commit: Oid, seat: &Seat, number: u64) -> Result<(), Fail> {
        if self.repo.exists(commit, &seat.item)? && !self.is_of(commit, &seat.item, number)? {
            return Err(Fail::new(format!(
                "{} has become another issue's item meanwhile; set the label again",
                seat.item
            )));
        }
        Ok(())
    }

    fn task(&self, read: &Read, seat: &Seat) -> Result<Task, Fail> {
        let What::Discussion(step) = &read.asked.what else {
            return Err(Fail::new("an analysis is not handed over as a recording; run it in one job"));
        };
        let step = match step {
            Some(step) => step.clone(),
            None => self.current_step(seat)?,
        };
        Ok(Task {
            item: seat.item.clone(),
            new: Some((Source::GitHub(read.thread.number), read.thread.title.clone())),
            step,
            script: read.thread.script.clone(),
            branch: Some(seat.branch.clone()),
            base: None,
            voice: self.run.voice.clone(),
            max_turns: None,
            fixed: read.at,
            resume: false,
        })
    }

    /// The last of the item's completed steps, else the first of all.
    fn current_step(&self, seat: &Seat) -> Result<String, Fail> {
        let commit = match self.repo.tip(&seat.branch)? {
            Some(tip) => tip,
            None => self.repo.resolve("HEAD")?,
        };
        let file = format!("{}/{}", seat.item, crate::item::meta::FILE);
        let steps = match self.repo.file(commit, &file)? {
            Some(bytes) => Meta::read(&file, &bytes)?.steps_completed(),
            None => Vec::new(),
        };
        Ok(steps
            .last()
            .filter(|step| crate::step::is_step_id(step))
            .cloned()
            .unwrap_or_else(|| "00-01".to_owned()))
    }

    /// Brings the branch to where the remote has it.
    fn follow(&self, seat: &Seat) -> Result<(), Fail> {
        let remote = service::remote(&self.hub)?;
        if let Some(tip) = self.repo.fetch(&remote, &seat.branch)? {
            self.repo.follow(&seat.branch, tip, None)?;
        }
        Ok(())
    }

    /// The first of two jobs: the recording and its digest, and nothing else.
    fn hand_over(&self, read: &Read) -> Result<Code, Fail> {
        let seat = self.seat(&read.thread)?;
        self.follow(&seat)?;
        let folder = self.run.out.clone().unwrap_or_default();
        let made = std::fs::create_dir_all(&folder);
        made.map_err(|error| {
            Fail::new(format!("{} cannot be made: {error}", plain::shown(&folder.display().to_string())))
        })?;
        let setup = elaborate::set_up(self.global, self.task(read, &seat)?, self.screen)?;
        let told = read.known.as_ref().and_then(|(_, body)| page::run_of(body));
        if told == Some(setup.opened().run.as_str()) {
            self.already(&seat)?;
            return Ok(Code::Yes);
        }
        let path = folder.join(HANDED);
        let mut report = elaborate::hold_and_keep(&setup, &path, self.screen)?;
        let digest = sha256(&read_file(&path, script::LARGEST as u64 * 4)?);
        actions::outputs(&[("digest", &digest)])?;
        report["digest"] = json!(digest);
        self.screen.say(&format!("Its SHA-256 is {digest}."));
        self.screen.json(&report);
        Ok(Code::Yes)
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
        let (report, commit) = if self.run.recording.is_some() {
            let (recording, replay) = self.handed_over(&seat)?;
            if told(&recording_run(&recording)?) {
                return self.already(&seat);
            }
            self.fits(&recording, read, &seat)?;
            self.me = self.look(number);
            let landed = self.land_recording(&recording, &replay, &seat)?;
            let mut again =
                |_: &(Value, Oid), tip| land_at(&replay, &recording, &seat.branch, tip, self.screen);
            push::forward(&self.repo, &seat.branch, &remote, landed, &mut again, self.screen)?
        } else {
            let setup = elaborate::set_up(self.global, self.task(read, &seat)?, self.screen)?;
            if told(&setup.opened().run) {
                return self.already(&seat);
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
        if self.run.recording.is_some() {
            return Err(Fail::new("an analysis is not handed over as a recording; run it in one job"));
        }
        let number = read.thread.number;
        let heard: Vec<&str> =
            read.thread.script.inputs().flatten().map(|input| input.text.as_str()).collect();
        let at = read.at.map(|at| at.to_string());
        let run = sha256(json!(["analyze", number, at, heard]).to_string().as_bytes())[..32].to_owned();
        if read.known.as_ref().is_some_and(|(_, body)| page::run_of(body) == Some(run.as_str())) {
            return self.already(seat);
        }
        self.me = self.look(number);
        let task = analyze::Task {
            item: seat.item.clone(),
            new: Some((Source::GitHub(number), read.thread.title.clone())),
            script: read.thread.script.clone(),
            branch: Some(seat.branch.clone()),
            base: None,
            voice: self.run.voice.clone(),
            max_turns: None,
            fixed: read.at,
            mode: Mode::Each,
        };
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

    fn tell_analysis(
        &mut self,
        read: &Read,
        seat: &Seat,
        mut report: Value,
        run: &str,
    ) -> Result<Answered, Fail> {
        let library = Library::built_in()?;
        let text = |key: &str| report[key].as_str().map(str::to_owned);
        let steps = report["steps_completed"].as_array().into_iter().flatten();
        let mut walked = page::Walked {
            name: &read.thread.title,
            slug: table::slug(&seat.item),
            branch: &seat.branch,
            number: read.thread.number,
            is_complete: report["stopped"] == "complete",
            done: steps.filter_map(|step| step.as_str().map(str::to_owned)).collect(),
            next_step: text("next_step"),
            links: Links {
                branch_url: service::page(&self.hub, &format!("tree/{}", seat.branch))?,
                ..Links::default()
            },
            unused: &read.thread.unused,
        };
        let (title, body) = walked.pull_request();
        let opened = self.hub.pull_request(&seat.branch, &self.base, &title, &body, self.settings.draft);
        walked.links.pull_request = self.warn("the branch has no pull request", opened).unwrap_or_default();
        let marker = page::marker(read.thread.number, run);
        let comment = walked.comment(&library, &marker)?;
        let (own, known) = read.known_as(self.me);
        let written = self.hub.comment(read.thread.number, known, &marker, &own, &comment);
        let address = self.warn("the issue has no comment", written).unwrap_or_default();
        let commit = text("commit").unwrap_or_default();
        actions::outputs(&[
            ("commit", &commit),
            ("branch", &seat.branch),
            ("pull-request", &walked.links.pull_request),
            ("comment", &address),
        ])?;
        actions::summary(comment.split_once('\n').map_or("", |(_, rest)| rest))?;
        report["pull_request"] = json!(walked.links.pull_request);
        report["comment"] = json!(address);
        self.screen.json(&report);
        Ok(Answered::Now)
    }

    /// The same event again: everything stands already.
    fn already(&self, seat: &Seat) -> Result<Answered, Fail> {
        self.screen.say(&format!("Already answered: {} carries this run. Nothing was changed.", seat.branch));
        let tip = self.repo.tip(&seat.branch)?.map(|tip| tip.to_string()).unwrap_or_default();
        actions::outputs(&[("branch", &seat.branch), ("commit", &tip)])?;
        self.screen
            .json(&json!({"done": true, "already_recorded": true, "branch": seat.branch, "commit": tip}));
        Ok(Answered::Before)
    }

    /// The sign that somebody looks at it; whose it is says who we are.
    fn look(&mut self, number: u64) -> Option<u64> {
        let seen = self.hub.react(number, "eyes");
        self.warn("the issue takes no reaction", seen).flatten()
    }

    fn warn<T>(&self, what: &str, done: Result<T, Failed>) -> Option<T> {
        match done {
            Ok(value) => Some(value),
            Err(failed) => {
                self.screen.warn(&format!("{what}: {failed}"));
                None
            }
        }
    }

    /// The recording of the first job, if it is the one that was announced and is for this issue.
    fn handed_over(&self, seat: &Seat) -> Result<(Recording, Replay), Fail> {
        let folder = self.run.recording.as_deref().unwrap_or(Path::new("."));
        let path = folder.join(HANDED);
        let bytes = read_file(&path, script::LARGEST as u64 * 4)?;
        let digest = sha256(&bytes);
        if Some(digest.as_str()) != self.run.digest.as_deref().map(str::trim) {
            return Err(Fail::new(format!(
                "the recording that was handed over has the SHA-256 {digest}, and another was announced; nothing was done"
            )));
        }
        let recording = Recording { name: HANDED.to_owned(), bytes, place: None };
        let opened = recording
            .opened()
            .ok_or_else(|| Fail::new("the recording that was handed over has no opening"))?;
        if opened.item != seat.item {
            return Err(Fail::new(format!(
                "the recording that was handed over is about {}, and the issue's item is {}; nothing was done",
                plain::shown(&opened.item),
                seat.item
            )));
        }
        let replay =
            Replay::new(self.repo.again()?, Arc::new(Library::built_in()?), table::operators(self.global)?);
        Ok((recording, replay))
    }

    /// Refuses a recording that says something else than what this run would have heard itself.
    fn fits(&self, recording: &Recording, read: &Read, seat: &Seat) -> Result<(), Fail> {
        let other = |what: &str| {
            Fail::new(format!(
                "the recording that was handed over has another {what} than this issue gives; nothing was done"
            ))
        };
        let log = from_lines(HANDED, crate::json::utf8(HANDED, &recording.bytes)?)?;
        let (Some(opened), Some(first)) = (recording.opened(), log.first()) else {
            return Err(other("beginning"));
        };
        if opened.author != elaborate::author() {
            return Err(other("author"));
        }
        if self.task(read, seat)?.step != opened.step.id {
            return Err(other("step"));
        }
        if read.at.is_some_and(|at| log.iter().any(|record| record.at != at)) {
            return Err(other("time"));
        }
        let at = read.at.unwrap_or(first.at);
        let source = Source::GitHub(read.thread.number);
        let meta = crate::item::meta::new_item(
            source,
            table::slug(&seat.item),
            &read.thread.title,
            at,
            &opened.base,
        );
        if opened.new_meta.as_ref().is_some_and(|text| *text != meta) {
            return Err(other("item"));
        }
        let mut script = read.thread.script.clone();
        let user = script.user.clone().unwrap_or_else(|| "User".to_owned());
        for record in &log {
            let heard = match &record.event {
                Talked::User(message) => Some((message.by.clone(), message.text.clone())),
                Talked::Silence {} => None,
                _ => continue,
            };
            let said = script.next_input();
            let said = said.map(|input| (input.by.unwrap_or_else(|| user.clone()), input.text));
            if heard != said {
                return Err(other("message"));
            }
        }
        Ok(())
    }

    fn land_recording(
        &self,
        recording: &Recording,
        replay: &Replay,
        seat: &Seat,
    ) -> Result<(Value, Oid), Fail> {
        let start = match self.repo.tip(&seat.branch)? {
            Some(tip) => tip,
            None => self.repo.resolve("HEAD")?,
        };
        land_at(replay, recording, &seat.branch, start, self.screen)
    }

    /// What stands in the commit, read back.
    fn landed(&self, report: Value, commit: Oid) -> Result<Landed, Fail> {
        let path = report["recording"].as_str().unwrap_or_default().to_owned();
        let bytes = self.repo.file(commit, &path)?.unwrap_or_default();
        let log = from_lines(&path, crate::json::utf8(&path, &bytes)?)?;
        let finished = finished(log).ok_or_else(|| Fail::new(format!("{path} has no end")))?;
        Ok(Landed { report, commit, finished })
    }

    /// Pull request, comment, outputs, summary: what fails here is a warning, the commit stands.
    fn tell(&mut self, read: &Read, landed: &Landed) -> Result<Answered, Fail> {
        let Landed { report, commit, finished } = landed;
        let number = read.thread.number;
        let branch = finished.opened.branch.clone();
        let library = table::BuiltIn::begin().library(&self.repo, *commit, &self.config)?;
        let recording = report["recording"].as_str().unwrap_or_default();
        let links = Links {
            branch_url: service::page(&self.hub, &format!("tree/{branch}"))?,
            recording_url: service::page(&self.hub, &format!("blob/{commit}/{recording}"))?,
            pull_request: String::new(),
        };
        let announcements = announcements(report);
        let mut told = Told {
            finished,
            library: &library,
            number,
            links,
            unused: &read.thread.unused,
            announcements: &announcements,
            usage: &report["usage"],
        };
        let (title, body) = told.pull_request()?;
        let opened = self.hub.pull_request(&branch, &self.base, &title, &body, self.settings.draft);
        told.links.pull_request = self.warn("the branch has no pull request", opened).unwrap_or_default();
        let marker = page::marker(number, &finished.opened.run);
        let text = told.comment(&marker)?;
        let (own, known) = read.known_as(self.me);
        let written = self.hub.comment(number, known, &marker, &own, &text);
        let comment = self.warn("the issue has no comment", written).unwrap_or_default();
        let id = commit.to_string();
        let outputs = [
            ("commit", id.as_str()),
            ("branch", &branch),
            ("pull-request", &told.links.pull_request),
            ("comment", &comment),
        ];
        // The commit stands: what cannot be told of it is a warning.
        let shown = actions::outputs(&outputs).and_then(|()| actions::summary(&told.job_summary()?));
        if let Err(fail) = shown {
            self.screen.warn(&fail.message);
        }
        let mut report = report.clone();
        report["pull_request"] = json!(told.links.pull_request);
        report["comment"] = json!(comment);
        report["unused"] = json!(
            read.thread
                .unused
                .iter()
                .map(|one| json!({"id": one.id, "by": one.by, "why": one.why}))
                .collect::<Vec<_>>()
        );
        self.screen.json(&report);
        Ok(Answered::Now)
    }

    /// The end, whatever it was: the trigger label goes, so that it can be set again.
    fn label(&mut self, asked: &Asked, is_done: bool) {
        let number = asked.number;
        let reacted = self.hub.react(number, if is_done { "rocket" } else { "confused" });
        self.warn("the issue takes no reaction", reacted);
        let label = format!("{}:{}", self.settings.label, if is_done { "done" } else { "failed" });
        let added = self.hub.add_label(number, &label);
        self.warn("the issue takes no label", added);
        if let Some(label) = &asked.label {
            let removed = self.hub.remove_label(number, label);
            self.warn("the label stays on the issue", removed);
        }
    }
}

fn recording_run(recording: &Recording) -> Result<String, Fail> {
    let opened = recording.opened().ok_or_else(|| Fail::new("the recording has no opening"))?;
    Ok(opened.run.clone())
}

/// Runs a recording again and commits it on a branch that stands at `start`.
fn land_at(
    replay: &Replay,
    recording: &Recording,
    branch: &str,
    start: Oid,
    screen: &Screen,
) -> Result<(Value, Oid), Fail> {
    let found = replay.run(recording, Some(start))?;
    let (Some(finished), None) = (&found.finished, &found.divergence) else {
        let why = found.divergence.map_or_else(String::new, |found| {
            format!(": expected {}, found {}", found.expected, found.found)
        });
        return Err(Fail::new(format!(
            "the recording that was handed over is not what the rules make of it{why}; nothing was committed"
        )));
    };
    super::replay::land_on(replay, finished.clone(), branch, start, screen)
}

fn moment(of: &Value, key: &str) -> Option<Time> {
    Time::parse(of.get(key)?.as_str()?).ok()
}

/// Who writes our comments: a workflow's own bot, and the user of any other token.
fn own_ids(hub: &mut Hub) -> Vec<u64> {
    let mut own = vec![ACTIONS_BOT];
    if hub.has_token() && service::variable("GITHUB_TOKEN").is_none_or(|token| !token.starts_with("ghs_")) {
        own.extend(hub.own_id());
    }
    own
}

/// Reads an issue and its comments; `known` gets our own comment.
fn read_thread(
    hub: &mut Hub,
    asked: &Asked,
    at: Option<Time>,
    own: &[u64],
    settings: &Settings,
    marked: &mut Vec<(u64, u64, String)>,
) -> Result<Thread, Fail> {
    let issue = match &asked.issue {
        Some(issue) => issue.clone(),
        None => hub.issue(asked.number).map_err(failed)?,
    };
    if issue.get("number").and_then(Value::as_u64) != Some(asked.number) {
        return Err(Fail::new(format!(
            "what GitHub gives for the issue {} is another one: it was transferred, or is none",
            asked.number
        )));
    }
    let issue = match at {
        Some(at) if asked.issue.is_none() => as_it_was(hub, issue, at)?,
        _ => issue,
    };
    let mut comments: Vec<Comment> = hub.comments(asked.number).map_err(failed)?;
    // Pages shift when a comment goes while they are read, and another one is missed.
    let counted = issue.get("comments").and_then(Value::as_u64).unwrap_or_default();
    if (comments.len() as u64) < counted {
        comments.extend(hub.comments(asked.number).map_err(failed)?);
    }
    let of = |one: &Comment| Some((one.author.as_ref()?.id, one.id, one.body.clone()));
    *marked = comments.iter().filter(|one| one.is_marked(asked.number)).filter_map(of).collect();
    let mut asked_for: Vec<(Person, Permission)> = Vec::new();
    if let (Some(sender), true) = (&asked.sender, at.is_some()) {
        asked_for.push((sender.clone(), settings.min_permission));
    }
    let mut may = |person: &Person, association: &str| {
        if let Some((_, found)) = asked_for.iter().find(|(known, _)| known.login == person.login) {
            return Ok(*found);
        }
        let found = match hub.has_token() {
            true => hub.permission(person)?,
            false => Permission::of_association(association),
        };
        asked_for.push((person.clone(), found));
        Ok(found)
    };
    thread::thread(&issue, comments, at, own, settings, &mut may).map_err(failed)
}

/// An issue that is read now, with the title it had when the label was set. A body that was edited
/// since cannot be had any more: then nothing is done.
fn as_it_was(hub: &mut Hub, mut issue: Value, at: Time) -> Result<Value, Fail> {
    if moment(&issue, "updated_at").is_none_or(|updated| updated <= at) {
        return Ok(issue);
    }
    let number = issue.get("number").and_then(Value::as_u64).unwrap_or_default();
    let events = hub.events(number).map_err(failed)?;
    let renamed = events.iter().filter(|event| {
        event.get("event").and_then(Value::as_str) == Some("renamed")
            && moment(event, "created_at").is_none_or(|when| when > at)
    });
    let first = renamed.min_by_key(|event| moment(event, "created_at").map(Time::seconds));
    if let Some(from) = first.and_then(|event| event.pointer("/rename/from")) {
        issue["title"] = from.clone();
    }
    match hub.body_edited(number).map_err(failed)? {
        Some(edited) if edited > at => Err(Fail::new(format!(
            "the issue {number} was edited after its label was set, and what it said before cannot be read; set the label again"
        ))),
        _ => Ok(issue),
    }
}

/// An issue as a script, for `--issue` from anywhere.
pub fn thread(global: &Global, number: u64, screen: &Screen) -> Result<Thread, Fail> {
    let repo = open(global)?;
    let config = table::config(global, &repo, repo.resolve("HEAD")?)?;
    let settings = config.github.unwrap_or_default();
    let mut hub = service::hub(&repo)?;
    let asked = Asked { number, what: What::Discussion(None), label: None, sender: None, issue: None };
    let own = own_ids(&mut hub);
    let thread = read_thread(&mut hub, &asked, None, &own, &settings, &mut Vec::new())?;
    for one in &thread.unused {
        screen.note(&format!("comment {} by {} is not used: {}", one.id, one.by, one.why));
    }
    Ok(thread)
}

/// An issue's title.
pub fn title(global: &Global, number: u64) -> Result<String, Fail> {
    let mut hub = service::hub(&open(global)?)?;
    let issue = hub.issue(number).map_err(failed)?;
    let title = issue.get("title").and_then(Value::as_str).map(plain::shown).unwrap_or_default();
    if title.is_empty() {
        return Err(Fail::new(format!("the issue {number} has no title; name the item with --name")));
    }
    Ok(title)
}

/// What stands in the documents now, a line each.
fn announcements(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = report["artifacts"].as_array().into_iter().flatten().map(|one| {
        format!("{}, section {}: {}", text(&one["path"]), text(&one["section"]), text(&one["description"]))
    });
    lines.collect()
}

/// A slug of an issue's title: letters, digits and hyphens, at most six words.
pub fn slug_of(title: &str, number: u64) -> String {
    let lower = title.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words.take(6) {
        if slug.len() + word.len() > 48 {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    if slug.is_empty() { format!("issue-{number}") } else { slug }
}

/// All issues that wait, as a matrix.
fn plan(global: &Global, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_made_of_plain_words() {
        for (title, slug) in [
            ("Late fees for library books", "late-fees-for-library-books"),
            ("../../.git/config", "git-config"),
            ("Überfällige Bücher", "berf-llige-b-cher"),
            ("延滞料金", "issue-7"),
            ("-x --upload-pack=evil", "x-upload-pack-evil"),
            ("one two three four five six seven", "one-two-three-four-five-six"),
        ] {
            assert_eq!(slug_of(title, 7), slug, "{title}");
        }
        assert!(slug_of(&"word".repeat(100), 7) == "issue-7");
    }
}
