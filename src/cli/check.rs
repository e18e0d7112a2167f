//! `roundtable check`: does a change lose anything? (tests/requirements.md)

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use git2::Oid;
use serde_json::json;

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, report};
use crate::git::{IndexKind, Repo, short};
use crate::github::event::Event;
use crate::github::implementing::without_block;
use crate::run::check::agent_hook::Agent;
use crate::run::check::candidate::{self, When};
use crate::run::check::decisions::{Implements, implemented, unmentioned};
use crate::run::check::ranges::{CheckRequest, Checked, Known, Target, check};
use crate::run::check::{Report, hook, losses};
use crate::run::parted;
use crate::text::plain;

#[derive(Debug, Default, Args)]
#[command(
    after_help = "Examples: roundtable check --base origin/main\n          roundtable check --staged\n          roundtable check --staged --declare \"the desk has no till any more\"\n\nExit codes: 0 nothing is lost; 1 something is lost or changed; 2 not done: wrong use, or something that cannot be read."
)]
pub struct CheckArgs {
    /// Files and folders to look at; all that the policy protects where none is named
    paths: Vec<PathBuf>,
    /// What the change is to be merged into [default: the event in Actions, else the upstream]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The change [default: HEAD]
    #[arg(long, value_name = "REV")]
    head: Option<String>,
    /// Compare with the base itself, not with the common ancestor
    #[arg(long)]
    direct: bool,
    /// Compare the index with HEAD, as a pre-commit hook does
    #[arg(long, conflicts_with_all = ["base", "head", "direct", "each"])]
    staged: bool,
    /// Compare the files as they are on disk with HEAD
    #[arg(long, conflicts_with_all = ["base", "head", "direct", "each", "staged", "stdin"])]
    worktree: bool,
    /// Compare the text on standard input, which would be written to PATH, with what is there
    #[arg(long, value_name = "PATH", conflicts_with_all = ["paths", "base", "head", "direct", "each", "staged", "stdin", "worktree"])]
    candidate: Option<PathBuf>,
    /// Answer the hook of an agent, which sends what its tool is about to write, or that its turn ends
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["paths", "base", "head", "direct", "each", "staged", "stdin", "worktree", "candidate", "declare", "format"])]
    hook: Option<Agent>,
    /// Declare what is lost, and why: writes a file below .roundtable/losses
    #[arg(long, value_name = "REASON", conflicts_with_all = ["candidate", "stdin", "each"])]
    declare: Option<String>,
    /// Read `old new ref` lines from standard input, as a pre-receive hook does
    #[arg(long, conflicts_with_all = ["base", "head", "direct", "staged"])]
    stdin: bool,
    /// Judge every commit on the way, not only the sum
    #[arg(long)]
    each: bool,
    /// Also list the decisions of ITEM that no changed file and no commit mentions [default: of the items whose issues the change closes]; this never changes the exit code
    #[arg(long, value_name = "ITEM", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with_all = ["staged", "worktree", "candidate", "hook", "stdin", "declare"])]
    decisions: Option<String>,
    /// How to report [default: github in Actions, else human]
    #[arg(long, value_name = "FORMAT")]
    format: Option<CheckFormat>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    Human,
    Json,
    Github,
    Sarif,
}

impl CheckFormat {
    /// The format that the flags ask for; in Actions the runner's, unless another is named.
    pub fn wanted(given: Option<CheckFormat>, screen: &Screen) -> Result<CheckFormat, Fail> {
        match (given, screen.is_json()) {
            (Some(CheckFormat::Json) | None, true) => Ok(CheckFormat::Json),
            (Some(_), true) => {
                Err(Fail::new("--json and --format say different things").with_hint("leave one of them out"))
            }
            (Some(format), false) => Ok(format),
            (None, false) if screen.is_runner() => Ok(CheckFormat::Github),
            (None, false) => Ok(CheckFormat::Human),
        }
    }
}

/// Judges, and reports in the wanted form.
pub fn run(global: &Global, options: &CheckArgs, screen: &Screen) -> Result<Code, Fail> {
    if let Some(agent) = options.hook {
        return answer_hook(global, agent, screen);
    }
    let format = CheckFormat::wanted(options.format, screen)?;
    let repo = global.workspace.open_in_hook()?;
    repo.trust_objects();
    if let Some(path) = &options.candidate {
        return check_candidate(global, &repo, path, format, screen);
    }
    let mut checked = check(&global.workspace, &repo, &options.request(&repo)?, screen)?;
    if let Some(reason) = &options.declare {
        let may = checked.allows_losses;
        let file = losses::declare(&repo, &checked.reports, reason, options.staged, may, screen)?;
        screen.json(&json!({ "declared": file }));
        return Ok(Code::Yes);
    }
    if let Some(item) = &options.decisions {
        checked.notices.extend(options.forgotten(global, &repo, item, &checked, screen)?);
    }
    checked.notices.extend(options.parted(&repo)?);
    let declare = options.declare_command(&repo, &checked)?;
    report::write(&checked.reports, &checked.notices, &checked.unused, declare.as_deref(), format, screen)?;
    screen.check().map_err(Fail::new)?;
    match &checked.reported_until {
        _ if checked.is_kept() => Ok(Code::Yes),
        Some(day) => {
            screen.note(&format!("reported only, until {day}: from that day on this fails"));
            Ok(Code::Yes)
        }
        None => Ok(Code::No),
    }
}

impl CheckArgs {
    /// The command that finds the same losses and declares them, where the policy lets losses be declared.
    fn declare_command(&self, repo: &Repo, checked: &Checked) -> Result<Option<String>, Fail> {
        let mut lost = checked.reports.iter().filter(|(report, _)| !report.is_kept());
        let Some((report, _)) = lost.next().filter(|_| checked.allows_losses) else { return Ok(None) };
        let index = if self.staged { repo.index_kind()? } else { IndexKind::Own };
        let mut words = vec!["roundtable check".to_owned()];
        match report.head == Oid::ZERO_SHA1 {
            true if self.staged && index == IndexKind::Own => words.push("--staged".to_owned()),
            // git throws away the index of a commit that is refused.
            true => words.push("--worktree".to_owned()),
            false => words.push(format!("--base {}", short(report.base))),
        }
        words.extend(
            self.head
                .as_deref()
                .filter(|head| *head != "HEAD")
                .map(|head| format!("--head {}", plain::word(head))),
        );
        words.push("--declare REASON".to_owned());
        match index == IndexKind::OfNamedFiles {
            true => {
                let lost = report.files.iter().filter(|file| !file.is_kept());
                words.extend(lost.map(|file| plain::word(&file.path)));
            }
            false => words.extend(self.paths.iter().map(|path| plain::word(&path.display().to_string()))),
        }
        Ok(Some(words.join(" ")))
    }

    /// What the flags ask for; without a base the event of Actions, where there is one.
    fn request(&self, repo: &Repo) -> Result<CheckRequest, Fail> {
        let target = match &self.base {
            _ if self.staged => Target::Index,
            _ if self.worktree => Target::Disk,
            _ if self.stdin => Target::Pushed,
            Some(base) => Target::Revision(base.clone()),
            None => match Event::read()? {
                Some(event) => {
                    let (base, head, direct) = event.range(repo)?;
                    Target::Known(Known { base, head, direct, branch: event.branch() })
                }
                None => Target::Upstream,
            },
        };
        let (paths, head) = (self.paths.clone(), self.head.clone());
        Ok(CheckRequest { paths, target, head, direct: self.direct, each: self.each })
    }
}

impl CheckArgs {
    /// What of the change git cannot merge into the base, because that has discussions of the same items since.
    fn parted(&self, repo: &Repo) -> Result<Vec<String>, Fail> {
        let Some(base) = self.base.as_deref().filter(|_| !self.direct) else { return Ok(Vec::new()) };
        let head = self.head.as_deref().unwrap_or("HEAD");
        parted::notes(repo, (base, repo.resolve(base)?), (head, repo.resolve(head)?))
    }

    /// `--decisions`: the decisions that nothing of the change mentions.
    fn forgotten(
        &self,
        global: &Global,
        repo: &Repo,
        item: &str,
        checked: &Checked,
        screen: &Screen,
    ) -> Result<Vec<String>, Fail> {
        let Some((report, _)) = checked.reports.iter().rfind(|(_, of_each)| !of_each) else {
            return Ok(Vec::new());
        };
        if report.base == Oid::ZERO_SHA1 || report.head == Oid::ZERO_SHA1 {
            return Ok(Vec::new());
        }
        let event = Event::read()?;
        let of_event = event.as_ref().filter(|event| self.base.is_none() && event.name() == "pull_request");
        let decided_at = match (&self.base, of_event) {
            (Some(base), _) => repo.resolve(base)?,
            (None, Some(event)) => event.range(repo)?.0.unwrap_or(report.base),
            (None, None) => report.base,
        };
        let text = of_event.and_then(|event| event.payload().pointer("/pull_request/body")?.as_str());
        let text = text.map(without_block);
        let item = Some(item).filter(|item| !item.is_empty());
        let (base, head) = (report.base, report.head);
        let change = Implements { base, head, decided_at, item, text: text.as_deref().unwrap_or_default() };
        let config = global.workspace.settings_at(repo, decided_at)?;
        let implemented = implemented(repo, &config, &change)?;
        if implemented.is_empty() {
            screen.note("no item is implemented here: neither the pull request nor a commit closes an issue that has one (\"Closes #12\") or has a line \"Item: PATH\"");
        }
        unmentioned(repo, &config, &change, &implemented)
    }
}

/// `--candidate`: one short text that says what to put back.
fn check_candidate(
    global: &Global,
    repo: &Repo,
    path: &Path,
    format: CheckFormat,
    screen: &Screen,
) -> Result<Code, Fail> {
    let found = candidate::judge(&global.workspace, repo, path)?;
    let Some(file) = found.filter(|file| !file.is_kept() || format == CheckFormat::Json) else {
        return Ok(Code::Yes);
    };
    let is_kept = file.is_kept();
    if format == CheckFormat::Json {
        let base = repo.head()?.unwrap_or(Oid::ZERO_SHA1);
        let report = Report { base, head: Oid::ZERO_SHA1, files: vec![file], unprotected: 0 };
        report::write(&[(report, false)], &BTreeSet::new(), &[], None, format, screen)?;
    } else {
        screen.say(&candidate::answer(&file, When::Before));
    }
    screen.check().map_err(Fail::new)?;
    Ok(if is_kept { Code::Yes } else { Code::No })
}

/// `--hook`: the answer in the agent's own form.
fn answer_hook(global: &Global, agent: Agent, screen: &Screen) -> Result<Code, Fail> {
    match hook::judge(&global.workspace, agent, screen) {
        Ok(refusal) => {
            if let Some(refusal) = refusal {
                screen.say(&refusal.to_string());
            }
            screen.check().map_err(Fail::new)?;
            Ok(Code::Yes)
        }
        Err(fail) => {
            screen.error(&fail);
            Ok(Code::No)
        }
    }
}

/// What a report calls the two sides.
pub fn sides(report: &Report) -> (String, String) {
    let name = |id: Oid, empty: &str| if id == Oid::ZERO_SHA1 { empty.to_owned() } else { short(id) };
    (name(report.base, "nothing"), name(report.head, "what is not committed yet"))
}
