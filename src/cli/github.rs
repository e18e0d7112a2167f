//! `roundtable github`: what an event of Actions asks for: a run on an issue, or the gate; and the issues that wait.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::landed::{analysis_to_json, to_json};
use super::screen::Screen;
use super::{Global, check, open, replay};
use crate::git::Repo;
use crate::github::event::Event;
use crate::github::job::{Done, Job, Reported, Request};
use crate::github::thread::Unused;
use crate::github::trigger::{self, Trigger, What};
use crate::github::{actions, implementing, service};
use crate::item::config::Config;
use crate::item::library::sha256;
use crate::review::Review;
use crate::run::documents::{self, ReviewInput};
use crate::run::voices::{self, Wanted};
use crate::text::plain;

#[derive(Debug, Args)]
pub struct GithubArgs {
    #[command(subcommand)]
    what: Option<GithubVerb>,
}

#[derive(Debug, Subcommand)]
enum GithubVerb {
    /// Do what the event of this Actions run asks for
    Run(Box<Run>),
    /// Print all issues that wait with a label, as a matrix for `strategy.matrix`
    Plan(Plan),
}

#[derive(Debug, Args)]
#[group(id = "plan")]
#[command(after_help = "Example: roundtable github plan --limit 20 --max-tokens-total 200000")]
struct Plan {
    /// The most issues, the oldest first; the next plan finds the rest
    #[arg(long, value_name = "N", default_value_t = MATRIX, value_parser = limit)]
    limit: usize,
    /// What each run may use: each entry gets it as `max_tokens`, and as `max_cost` what that costs at most at the price of the settings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_tokens_total: Option<u64>,
    /// Dollars for a million tokens: of prompts, of prompts read from a cache, and of answers
    #[arg(long, value_name = "IN,CACHED,OUT", requires = "max_tokens_total")]
    price: Option<String>,
}

fn limit(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MATRIX).contains(number));
    number.ok_or_else(|| format!("it is a number from 1 to {MATRIX}, the most that a matrix holds"))
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
    /// On a pull request: annotate what its changed lines leave open and which decisions apply; nothing is judged, and nothing fails
    #[arg(long, conflicts_with_all = ["issue", "out", "recording"])]
    review: bool,
    #[command(flatten)]
    voice: super::voices::VoiceArgs,
}

/// Jobs that a matrix may have.
const MATRIX: usize = 256;

/// Does what is asked for.
pub fn run(global: &Global, options: GithubArgs, screen: &Screen) -> Result<Code, Fail> {
    match options.what.unwrap_or(GithubVerb::Run(Box::default())) {
        GithubVerb::Run(run) => answer(global, &run, screen),
        GithubVerb::Plan(options) => plan(global, &options, screen),
    }
}

/// Does what the event asks for.
fn answer(global: &Global, run: &Run, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let own = global.workspace.settings()?;
    let settings = own.at(&repo, repo.resolve("HEAD")?)?.github.unwrap_or_default();
    let event = Event::read()?;
    let trigger = match (run.issue, &event) {
        (Some(number), _) => {
            let label = run.label.as_deref().unwrap_or(&settings.label);
            trigger::by_label(number, label, &settings).ok_or_else(|| {
                Fail::new(format!("\"{}\" is none of roundtable's labels", plain::shown(label)))
                    .with_hint(format!("they begin with {}", settings.label))
            })?
        }
        (None, Some(event)) => trigger::trigger(event.name(), event.payload(), &settings),
        (None, None) => {
            return Err(Fail::new("there is no event of GitHub Actions here")
                .with_hint("name an issue with --issue N, or use roundtable elaborate --issue N"));
        }
    };
    match trigger {
        _ if run.review => {
            let event = event.filter(|event| event.name() == "pull_request");
            match &event {
                Some(event) => review_change(global, &repo, event, screen)?,
                None => screen.say("Nothing to do: the event is not a pull request."),
            }
            screen.json(&json!({"done": event.is_some()}));
            Ok(Code::Yes)
        }
        Trigger::Check => check_change(global, &repo, event.as_ref(), screen),
        Trigger::Nothing(why) => {
            screen.say(&format!("Nothing to do: {why}."));
            screen.json(&as_json(&Done::Nothing(why)));
            Ok(Code::Yes)
        }
        Trigger::Unusable(why) => {
            let fail = Fail::new(why).with_hint("start the workflow again with a value that fits");
            annotate(&fail, screen);
            Err(fail)
        }
        Trigger::Issue(asked) => {
            let request = run.request(screen);
            let job = Job::new(repo, &own, &request, event.as_ref(), screen);
            let done = job.and_then(|job| job.answer(asked));
            if let Err(fail) = &done {
                annotate(fail, screen);
            }
            screen.json(&as_json(&done?));
            Ok(Code::Yes)
        }
    }
}

impl Run {
    fn request(&self, screen: &Screen) -> Request {
        Request {
            out: self.out.clone(),
            recording: self.recording.clone(),
            digest: self.digest.clone(),
            voice: self.voice.wanted(),
            is_in_actions: screen.is_runner(),
        }
    }
}

/// The gate; on the default branch the recordings, too, and on a pull request what its changed lines leave open.
fn check_change(global: &Global, repo: &Repo, event: Option<&Event>, screen: &Screen) -> Result<Code, Fail> {
    let mut code = check::run(global, &check::CheckArgs::default(), screen)?;
    if event.is_some_and(Event::is_push_to_default) && code == Code::Yes {
        code = replay::pushed(global, screen)?;
    }
    if let Some(event) = event.filter(|event| event.name() == "pull_request") {
        review_change(global, repo, event, screen)?;
    }
    Ok(code)
}

/// What the changed lines of a pull request leave open, and the decisions that apply to it: notices and a block.
fn review_change(global: &Global, repo: &Repo, event: &Event, screen: &Screen) -> Result<(), Fail> {
    notices(global, repo, event, screen);
    let config = global.workspace.settings_at(repo, repo.resolve("HEAD")?)?;
    match implementing::tell(repo, &config, event, screen) {
        Ok(forgotten) if !screen.is_json() => {
            let line = |one: &String| {
                format!("::notice title=roundtable decisions::{}\n", actions::data(&plain::shown(one)))
            };
            screen.commands(&forgotten.iter().map(line).collect::<String>())?;
        }
        Ok(_) => {}
        Err(fail) => {
            screen.warn(&format!("the decisions of the pull request cannot be told: {}", fail.to_line()))
        }
    }
    Ok(())
}

/// An error as an annotation of the run.
fn annotate(fail: &Fail, screen: &Screen) {
    if !screen.is_runner() || screen.is_json() {
        return;
    }
    let message = actions::data(&plain::shown(&fail.to_line()));
    if let Err(fail) = screen.commands(&format!("::error title=roundtable::{message}\n")) {
        screen.warn(&fail.to_line());
    }
}

/// What `--json` prints of a run.
fn as_json(done: &Done) -> Value {
    let (mut value, reported) = match done {
        Done::Nothing(why) => return json!({"done": false, "reason": why}),
        Done::NothingToRecord => return json!({"done": false, "digest": sha256(b"")}),
        Done::Recorded(landed, digest) => {
            let mut value = to_json(landed);
            value["digest"] = json!(digest);
            return value;
        }
        Done::RecordedAnswers(analyzed, digest) => {
            let mut value = analysis_to_json(analyzed);
            value["digest"] = json!(digest);
            return value;
        }
        Done::Already(reported) => {
            let Reported { branch, commit, .. } = reported;
            (json!({"done": true, "already_recorded": true, "branch": branch, "commit": commit}), reported)
        }
        Done::NothingNew(reported, unused) => {
            let Reported { branch, commit, .. } = reported;
            let value = json!({
                "done": true, "nothing_new": true, "branch": branch, "commit": commit,
                "left_out": left_out(unused),
            });
            (value, reported)
        }
        Done::Discussed(landed, reported, unused) => {
            let mut value = to_json(landed);
            value["left_out"] = left_out(unused);
            (value, reported)
        }
        Done::Analyzed(analyzed, reported) => (analysis_to_json(analyzed), reported),
    };
    value["pull_request"] = json!(reported.pull_request);
    value["comment"] = json!(reported.comment);
    value
}

/// The comments that were not used.
fn left_out(unused: &[Unused]) -> Value {
    unused.iter().map(|one| json!({"id": one.id, "by": one.by, "reason": one.why})).collect()
}

/// All issues that wait, as a matrix.
fn plan(global: &Global, options: &Plan, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let config = global.workspace.settings_at(&repo, repo.resolve("HEAD")?)?;
    let settings = config.github.clone().unwrap_or_default();
    let mut hub = service::hub(&repo)?;
    let mut include = Vec::new();
    for label in hub.labels()? {
        if trigger::asked(&label, &settings.label).is_some() {
            for issue in hub.labeled(&label)? {
                include.extend(issue["number"].as_u64().map(|number| (number, label.clone())));
            }
        }
    }
    include.sort();
    let left = include.len().saturating_sub(options.limit);
    include.truncate(options.limit);
    if left > 0 {
        screen.note(&format!("{left} more wait; the next plan finds them"));
    }
    let entries = include.into_iter().map(|(issue, label)| {
        let mut entry = json!({"issue": issue, "label": label});
        if let Some(tokens) = options.max_tokens_total {
            entry["max_tokens"] = json!(tokens);
            entry["max_cost"] = json!(options.max_cost(tokens, &config, &label, &settings.label)?);
        }
        Ok(entry)
    });
    let include: Vec<Value> = entries.collect::<Result<_, Fail>>()?;
    let matrix = json!({"include": include});
    actions::outputs(&[("matrix", &matrix.to_string())])?;
    screen.raw(&format!("{matrix}\n"))?;
    Ok(Code::Yes)
}

impl Plan {
    /// What so many tokens cost at most, in dollars: at the highest price of the step that the label names. None without
    /// a price.
    fn max_cost(&self, tokens: u64, config: &Config, label: &str, ours: &str) -> Result<Option<f64>, Fail> {
        let wanted = Wanted { price: self.price.clone(), ..Wanted::default() };
        let step = match trigger::asked(label, ours) {
            Some(What::Discussion(Some(step))) => step,
            _ => String::new(),
        };
        let prices = voices::prices(&wanted, config, &step, "")?;
        Ok(prices.map(|prices| (prices.highest() * tokens as f64 / 1_000_000.0 * 100.0).ceil() / 100.0))
    }
}

/// What the changed lines of a pull request leave open, as notices: they fail nothing.
fn notices(global: &Global, repo: &Repo, event: &Event, screen: &Screen) {
    let found = || -> Result<Option<Review>, Fail> {
        let (Some(base), Some(head), _) = event.range(repo)? else { return Ok(None) };
        let (base, rev) = (Some(base.to_string()), Some(head.to_string()));
        let request = documents::ReviewRequest { base, rev, ..documents::ReviewRequest::default() };
        let source = ReviewInput::open(&global.workspace, &request)?;
        if source.texts.is_empty() {
            return Ok(None);
        }
        documents::review(&source, &request, screen).map(Some)
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
