//! What is told of a run: pull request, comment, labels, outputs, the job's summary. What fails here
//! is a warning, because the commit stands.

use git2::Oid;
use serde_json::{Value, json};

use super::super::exit::Fail;
use super::super::{actions, service, table};
use super::reading::Read;
use super::seat::Seat;
use super::{Answered, Job};
use crate::discussion::event::{Event as Talked, Record, from_lines};
use crate::discussion::{finished, open};
use crate::github::page::{self, Links, Part, Told};
use crate::github::thread::Unused;
use crate::github::trigger::Asked;
use crate::http::Failed;
use crate::library::Library;

/// A discussion that was committed.
pub(super) struct Landed {
    report: Value,
    commit: Oid,
    log: Vec<Record>,
}

impl Job<'_> {
    pub(super) fn tell_analysis(
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

    /// The same event again: everything stands already, our comment `ours` too, and whoever reads the outputs gets the
    /// same ones.
    pub(super) fn already(&mut self, seat: &Seat, ours: Option<u64>) -> Result<Answered, Fail> {
        self.screen.say(&format!("Already answered: {} carries this run. Nothing was changed.", seat.branch));
        let tip = self.repo.tip(&seat.branch)?.map(|tip| tip.to_string()).unwrap_or_default();
        let open = self.hub.open_pull_request(&seat.branch);
        let pull = self.warn("the pull request cannot be read", open).flatten().unwrap_or_default();
        let comment = ours.map(|id| self.hub.comment_at(id));
        let comment =
            comment.and_then(|told| self.warn("the comment cannot be read", told)).unwrap_or_default();
        actions::outputs(&[
            ("commit", &tip),
            ("branch", &seat.branch),
            ("pull-request", &pull),
            ("comment", &comment),
        ])?;
        self.screen.json(&json!({
            "done": true, "already_recorded": true, "branch": seat.branch, "commit": tip,
            "pull_request": pull, "comment": comment,
        }));
        Ok(Answered::Before)
    }

    /// The sign that somebody looks at it; whose it is says who we are.
    pub(super) fn look(&mut self, number: u64) -> Option<u64> {
        let seen = self.hub.react(number, "eyes");
        self.warn("the issue takes no reaction", seen).flatten()
    }

    pub(super) fn warn<T>(&self, what: &str, done: Result<T, Failed>) -> Option<T> {
        match done {
            Ok(value) => Some(value),
            Err(failed) => {
                self.screen.warn(&format!("{what}: {failed}"));
                None
            }
        }
    }

    /// What stands in the commit, read back.
    pub(super) fn landed(&self, report: Value, commit: Oid) -> Result<Landed, Fail> {
        let path = report["recording"].as_str().unwrap_or_default().to_owned();
        let bytes = self.repo.file(commit, &path)?.unwrap_or_default();
        let log = from_lines(&path, crate::json::utf8(&path, &bytes)?)?;
        Ok(Landed { report, commit, log })
    }

    /// Pull request, comment, outputs, summary: what fails here is a warning, the commit stands.
    pub(super) fn tell(&mut self, read: &Read, landed: &Landed) -> Result<Answered, Fail> {
        let Landed { report, commit, log } = landed;
        if open::stays_open(log) {
            return self.tell_part(read, report, *commit, log);
        }
        let Some(finished) = &finished(log.clone()) else {
            return Err(Fail::new("the recording that was committed has no end"));
        };
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
        let unused = read.unused(log);
        let mut told = Told {
            finished,
            library: &library,
            number,
            links,
            unused: &unused,
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
        report["unused"] = left_out(&unused);
        self.screen.json(&report);
        Ok(Answered::Now)
    }

    /// One run of a discussion that stays open: a comment of its own, and the pull request at the end.
    pub(super) fn tell_part(
        &mut self,
        read: &Read,
        report: &Value,
        commit: Oid,
        log: &[Record],
    ) -> Result<Answered, Fail> {
        let Some(Record { event: Talked::Opened(opened), .. }) = log.first() else {
            return Err(Fail::new("the recording that was committed has no beginning"));
        };
        let number = read.thread.number;
        let config = table::config(self.global, &self.repo, commit)?;
        let library = table::BuiltIn::begin().library(&self.repo, commit, &config)?;
        let recording = report["recording"].as_str().unwrap_or_default();
        let mut links = Links {
            branch_url: service::page(&self.hub, &format!("tree/{}", opened.branch))?,
            recording_url: service::page(&self.hub, &format!("blob/{commit}/{recording}"))?,
            pull_request: String::new(),
        };
        let ended = finished(log.to_vec());
        let unused = read.unused(log);
        if let Some(finished) = &ended {
            let announcements = announcements(report);
            let told = Told {
                finished,
                library: &library,
                number,
                links: Links::default(),
                unused: &unused,
                announcements: &announcements,
                usage: &report["usage"],
            };
            let (title, body) = told.pull_request()?;
            let made = self.hub.pull_request(&opened.branch, &self.base, &title, &body, self.settings.draft);
            links.pull_request = self.warn("the branch has no pull request", made).unwrap_or_default();
        }
        let label = read
            .asked
            .comment
            .is_none()
            .then(|| read.asked.label.clone().unwrap_or_else(|| self.settings.label.clone()));
        let part =
            Part { log, opened, library: &library, label: label.as_deref(), links: &links, unused: &unused };
        let run = open::run_id(log);
        let marker = page::marker(number, &run);
        let text = part.comment(&marker)?;
        let (own, _) = read.known_as(self.me);
        let written = self.hub.comment(number, read.part(&own, &run), &marker, &own, &text);
        let comment = self.warn("the issue has no comment", written).unwrap_or_default();
        let id = commit.to_string();
        let outputs = [
            ("commit", id.as_str()),
            ("branch", &opened.branch),
            ("pull-request", &links.pull_request),
            ("comment", &comment),
        ];
        let shown: String = text.lines().skip(2).map(|line| format!("{line}\n")).collect();
        if let Err(fail) = actions::outputs(&outputs).and_then(|()| actions::summary(&shown)) {
            self.screen.warn(&fail.message);
        }
        let mut report = report.clone();
        report["pull_request"] = json!(links.pull_request);
        report["comment"] = json!(comment);
        report["unused"] = left_out(&unused);
        self.screen.json(&report);
        Ok(if ended.is_some() { Answered::Over } else { Answered::Open })
    }

    /// The end, whatever it was: the trigger label goes, so that it can be set again.
    /// None is a failure.
    pub(super) fn label(&mut self, asked: &Asked, answered: Option<Answered>) {
        let number = asked.number;
        let ours = self.settings.label.clone();
        let (reaction, label) = match answered {
            Some(Answered::Open) => (None, self.settings.open_label()),
            Some(_) => (Some("rocket"), format!("{ours}:done")),
            None => (Some("confused"), format!("{ours}:failed")),
        };
        if let Some(reaction) = reaction {
            let reacted = self.hub.react(number, reaction);
            self.warn("the issue takes no reaction", reacted);
        }
        let added = self.hub.add_label(number, &label);
        self.warn("the issue takes no label", added);
        // What is over is not open; what failed is as open as it was.
        let over = (answered == Some(Answered::Over)).then(|| self.settings.open_label());
        for label in asked.label.iter().chain(&over) {
            let removed = self.hub.remove_label(number, label);
            self.warn("the label stays on the issue", removed);
        }
    }
}

/// The comments that were not used, for `--json`.
fn left_out(unused: &[Unused]) -> Value {
    let one = |one: &Unused| json!({"id": one.id, "by": one.by, "why": one.why});
    unused.iter().map(one).collect()
}

/// What stands in the documents now, a line each.
pub(super) fn announcements(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = report["artifacts"].as_array().into_iter().flatten().map(|one| {
        format!("{}, section {}: {}", text(&one["path"]), text(&one["section"]), text(&one["description"]))
    });
    lines.collect()
}
