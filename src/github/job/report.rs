//! What is told of a run: pull request, comment, labels, outputs, the job's summary. What fails here
//! is a warning, because the commit is made.

use std::collections::{BTreeMap, BTreeSet};

use super::read::Read;
use super::target::Target;
use super::{Answered, Done, Job, Outcome, Reported};
use crate::analysis::event::Event;
use crate::analysis::provenance::Log;
use crate::analysis::{Stopped, depth, depth_of};
use crate::discussion::critiques;
use crate::discussion::event::{Event as Talked, Record};
use crate::discussion::points::Point;
use crate::discussion::runs;
use crate::github::ACTIONS_BOT;
use crate::github::cards::{Card, MAX_CARDS};
use crate::github::hub::PullState;
use crate::github::marker::Marker;
use crate::github::page::{self, Links, Part, Result as Shown, Told, Tone, Understood};
use crate::github::possible::{self, Listed};
use crate::github::thread::Comment;
use crate::github::trigger::Asked;
use crate::github::{actions, service};
use crate::http::Failed;
use crate::item::library::{Library, sha256};
use crate::item::step::{Depth, Prompt, Step};
use crate::item::{DRAFT, Item};
use crate::review::{self, Document};
use crate::run::analyze::Analyzed;
use crate::run::push::Committed as _;
use crate::run::settings;
use crate::run::settings::{review_options, review_rules};
use crate::run::{Fail, Landed, place};
use crate::synthesis::below::open_proposals;
use crate::text::{path, plain};
use git2::Oid;
use path::OutputPath;

/// Proposals of a comment, and the characters of one, at most.
const MAX_PROPOSALS: usize = 10;
const MAX_PROPOSAL: usize = 160;

/// A step by id and title.
fn titled(library: &Library, id: &str) -> String {
    library.step(id).map_or_else(|_| id.to_owned(), |step| format!("{id} {}", step.title))
}

/// A question as the comment shows it, with the form of its answer.
fn with_form(prompt: Prompt) -> String {
    if prompt.form.is_empty() { prompt.text } else { format!("{} Form: {}", prompt.text, prompt.form) }
}

impl Job<'_> {
    pub(super) fn report_analysis(
        &mut self,
        read: &Read,
        target: &Target,
        analyzed: Analyzed,
        run: &str,
    ) -> Result<Outcome, Fail> {
        let library = self.library()?;
        let walked = &analyzed.walked;
        let unused = read.unused(&[]);
        let item = self.repo.item(self.start(target)?, &target.item)?;
        let next = walked.next_step.as_ref().and_then(|id| library.step(id).ok());
        // The questions are numbered as the next run asks them.
        let scan = item.documents().find(|(name, _)| *name == "quick-scan.md").map_or("", |(_, text)| text);
        let (scope, complexity) = depth::stated(scan);
        let depth = |step: &Step| {
            let chosen = item.meta.depth_overrides().get(&step.phase).copied();
            depth_of(step, chosen, scope.as_deref(), complexity.as_deref())
        };
        let depth = next.map(depth);
        let prompts = next.zip(depth).map(|(step, depth)| step.prompts(depth)).unwrap_or_default();
        let questions: Vec<String> = prompts.into_iter().map(with_form).collect();
        let understood = self.understood(read, target, &item)?;
        let leaves: Vec<String> = read.leaves.iter().cloned().chain(still_waits(&walked.unwritten)).collect();
        let mut told = page::Walked {
            name: &read.thread.title,
            slug: place::slug(&target.item),
            branch: &target.branch,
            number: read.thread.number,
            is_complete: walked.stopped == Stopped::Complete,
            done: walked.item.meta.steps_completed().iter().map(|id| titled(&library, id)).collect(),
            next: next.map(|step| (step.id.as_str(), step.title.as_str())),
            questions: &questions,
            understood: &understood,
            label: format!("{}:analyze", self.settings.label),
            links: self.links(read, target, None)?,
            leaves: &leaves,
            unused: &unused,
        };
        let (title, body) = told.pull_request();
        told.links.pull_request = self.pull_request(target, &title, &body)?;
        let marker = read.marker(run, &walked.unwritten);
        let comment = told.comment(&library, &marker)?;
        let address = self.write(read, &marker, &comment, true);
        let commit = analyzed.commit().map(|commit| commit.to_string()).unwrap_or_default();
        self.summarise(&comment, 1);
        let reported = self.reported(commit, &target.branch, told.links.pull_request, address);
        let answered = if questions.is_empty() { Answered::Now } else { Answered::Asked };
        Ok((answered, Done::Analyzed(Box::new(analyzed), reported)))
    }

    /// What this run took as answers, from the logs that it committed.
    fn understood(&self, read: &Read, target: &Target, item: &Item) -> Result<Vec<Understood>, Fail> {
        let Some(at) = read.at else { return Ok(Vec::new()) };
        let (digits, commit) = (at.digits(), self.start(target)?);
        let mut found = Vec::new();
        for name in item.files.keys().filter(|name| name.starts_with("analysis/") && name.contains(&digits)) {
            let path = format!("{}/{name}", item.path);
            let bytes = self.repo.file(commit, &path)?.unwrap_or_default();
            let step = name.trim_start_matches("analysis/").get(..5).unwrap_or_default();
            for record in Log::read(&path, &String::from_utf8_lossy(&bytes)).records {
                let (asked, by, text) = match record.event {
                    Event::Answered { asked, by, text, .. } => (asked, by, text),
                    Event::Feedback { by, text } => (String::new(), by, text),
                    _ => continue,
                };
                found.push(Understood { step: step.to_owned(), asked, by, text });
            }
        }
        Ok(found)
    }

    /// The same event again: all of it is there, our comment `ours` too, and the outputs are the same.
    pub(super) fn already(&mut self, target: &Target, ours: Option<u64>) -> Result<Outcome, Fail> {
        self.observer
            .say(&format!("Already answered: {} carries this run. Nothing was changed.", target.branch));
        let tip = self.repo.tip(&target.branch)?.map(|tip| tip.to_string()).unwrap_or_default();
        let pull = target.pull.clone().unwrap_or_default();
        let comment = ours.map(|id| self.hub.comment_at(id));
        let comment =
            comment.and_then(|told| self.warn("the comment cannot be read", told)).unwrap_or_default();
        let reported = self.reported(tip, &target.branch, pull, comment);
        Ok((Answered::Before, Done::Already(reported)))
    }

    /// No comment is new and no document changed: our comment says so, and nothing is committed.
    pub(super) fn nothing_new(&mut self, read: &Read, target: &Target) -> Result<Outcome, Fail> {
        let note = match read.notes.is_empty() {
            true => {
                "Nothing is new since the last discussion of this step: no comment to hear, and no document changed. Write a comment and set the label again."
            }
            false => "Nothing new decides anything.",
        };
        self.observer.say(note);
        let unused = read.unused(&[]);
        let told: Vec<String> = read.notes.iter().chain(&read.leaves).cloned().collect();
        told.iter().for_each(|one| self.observer.say(one));
        let text = page::note_text(note, &told, &unused);
        let address = self.write_note(read.known(&read.own), read.thread.number, Tone::Note, &text);
        let tip = self.start(target)?.to_string();
        let pull = target.pull.clone().unwrap_or_default();
        let reported = self.reported(tip, &target.branch, pull, address);
        actions::summary(&text)?;
        let answered = if read.has_cards() { Answered::Asked } else { Answered::Now };
        Ok((answered, Done::NothingNew(reported, unused)))
    }

    /// Puts a note above our comment, or makes a comment of it.
    fn write_note(&mut self, known: Option<&Comment>, number: u64, tone: Tone, text: &str) -> String {
        let now = known.map(|known| self.hub.comment_now(known.id));
        let now = now.and_then(|now| self.warn("our comment cannot be read", now)).flatten();
        let marker = Marker { run: sha256(text.as_bytes())[..32].to_owned(), ..Marker::default() };
        let marker = marker.line(number);
        let body = match &now {
            Some(now) => page::noted(&now.body, tone, text),
            None => page::noted(&marker, tone, text),
        };
        let own: Vec<u64> = [ACTIONS_BOT].into_iter().chain(self.me).collect();
        let written = self.hub.comment(number, now.map(|now| now.id), &marker, &own, &body);
        self.warn("the issue has no comment", written).unwrap_or_default()
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
                let undone = format!("{what}: {failed}");
                self.observer.warn(&undone);
                self.undone.borrow_mut().push(undone);
                None
            }
        }
    }

    /// Pull request, comment, outputs, summary: what fails here is a warning, the commit is made. A run of a
    /// discussion that stays open has a comment of its own, and the last one the pull request.
    pub(super) fn report_discussion(
        &mut self,
        read: &Read,
        target: &Target,
        landed: Landed,
    ) -> Result<Outcome, Fail> {
        let (log, opened, commit) = (landed.held.log(), landed.held.opened(), committed(&landed)?);
        let (finished, is_part) = (landed.held.finished(), runs::stays_open(log));
        let library = self.library()?;
        let unused = read.unused(log);
        let label = label_of(read, &self.settings.label);
        let open = match finished {
            Some(_) => Some(self.open_points(read, &library, commit, log)?),
            None => None,
        };
        let earlier = read.leaves.iter().filter(|_| !is_part).cloned();
        let leaves: Vec<String> = earlier.chain(not_used(log)).collect();
        let mut links = self.links(read, target, Some((commit, &landed.outcome.recording)))?;
        let mut told = finished.zip(open.as_ref()).map(|(finished, open)| Told {
            finished,
            library: &library,
            number: read.thread.number,
            links: links.clone(),
            unused: &unused,
            label: &label,
            outcome: Shown { open, leaves: &leaves, notes: &read.notes },
        });
        if let Some(told) = &mut told {
            let (title, body) = told.pull_request()?;
            links.pull_request = self.pull_request(target, &title, &body)?;
            told.links.pull_request.clone_from(&links.pull_request);
        }
        let run = if is_part { runs::run_id(log) } else { opened.run.clone() };
        let marker = read.marker(&run, &runs::unheard(log));
        let text = match &told {
            Some(told) if !is_part => told.comment(&marker)?,
            told => {
                let result = match told {
                    Some(told) => Some((told.heading(), told.result()?)),
                    None => None,
                };
                let part = Part {
                    log,
                    opened,
                    library: &library,
                    label: read.asked.comment.is_none().then_some(label.as_str()),
                    links: &links,
                    unused: &unused,
                    leaves: &read.leaves,
                    result: result.as_ref().map(|(heading, text)| (heading.as_str(), text.as_str())),
                };
                part.comment(&marker)?
            }
        };
        let comment = self.write(read, &marker, &text, !is_part);
        self.summarise(&text, if is_part { 2 } else { 1 });
        let reported = self.reported(commit.to_string(), &landed.branch, links.pull_request, comment);
        let answered = match &open {
            None => Answered::Open,
            Some(open) if !open.is_settled() => Answered::Asked,
            Some(_) if is_part => Answered::Over,
            Some(_) => Answered::Now,
        };
        Ok((answered, Done::Discussed(Box::new(landed), reported, unused)))
    }

    /// Templates and rules of the default branch: a branch of a discussion has no say in what is told.
    pub(super) fn library(&self) -> Result<std::sync::Arc<Library>, Fail> {
        settings::library(&self.repo, self.repo.resolve("HEAD")?, &self.config)
    }

    fn links(&self, read: &Read, target: &Target, landed: Option<(Oid, &str)>) -> Result<Links, Fail> {
        let number = read.thread.number;
        let page = |path: &str| service::page(&self.hub, path);
        let recording = match landed {
            Some((commit, recording)) => page(&format!("blob/{commit}/{recording}"))?,
            None => String::new(),
        };
        Ok(Links {
            branch_url: page(&format!("tree/{}", target.branch))?,
            recording_url: recording,
            issue_url: page(&format!("issues/{number}"))?,
            blob_url: landed.map_or(Ok(String::new()), |(commit, _)| page(&format!("blob/{commit}")))?,
            compare_url: page(&format!("compare/{}...{}", self.base, target.branch))? + "?expand=1",
            pull_request: String::new(),
            // GitHub starts no workflow for what a workflow's own token opens.
            needs_approval: self.me == Some(ACTIONS_BOT),
        })
    }

    /// The pull request of the branch: the open one, else a new one.
    fn pull_request(&mut self, target: &Target, title: &str, body: &str) -> Result<String, Fail> {
        let known = match &target.pull {
            None if target.is_new => {
                let pulls = self.hub.pulls(&target.branch);
                let pulls = self.warn("the pull requests cannot be read", pulls).unwrap_or_default();
                pulls.into_iter().find(|pull| pull.state == PullState::Open).map(|pull| pull.address)
            }
            known => known.clone(),
        };
        // What is told again may be merged already, and its branch gone.
        let is_merged = self.start(target)? == self.repo.resolve("HEAD")?;
        if let Some(known) = known {
            let retold = self.retell(&known, body);
            self.warn("the pull request keeps its text", retold);
            return Ok(known);
        }
        if is_merged {
            return Ok(String::new());
        }
        let opened = self.hub.pull_request(&target.branch, &self.base, title, body, self.settings.draft);
        Ok(self.warn("the branch has no pull request", opened).unwrap_or_default())
    }

    /// Writes our part of a pull request's text anew.
    fn retell(&mut self, address: &str, body: &str) -> Result<(), Failed> {
        let number = address.rsplit('/').next().and_then(|number| number.parse().ok());
        let Some(number) = number else { return Ok(()) };
        let text = self.hub.pull_text(number)?.replace("\r\n", "\n");
        match page::retold(&text, body).filter(|retold| *retold != text) {
            Some(retold) => self.hub.write_pull_text(number, &retold),
            None => Ok(()),
        }
    }

    /// Writes our comment: over the one that is there, or as one more of a conversation.
    fn write(&mut self, read: &Read, marker: &str, text: &str, is_batch: bool) -> String {
        let own = read.known_as(self.me);
        let run = Marker::of(marker, read.thread.number).map(|marker| marker.run).unwrap_or_default();
        let known = match is_batch {
            true => read.known(&own).map(|known| known.id),
            false => read.part(&own, &run),
        };
        let written = self.hub.comment(read.thread.number, known, marker, &own, text);
        self.warn("the issue has no comment", written).unwrap_or_default()
    }

    /// Our comment as the job's summary, without the lines of its marker.
    fn summarise(&self, comment: &str, marker_lines: usize) {
        let shown: Vec<&str> = comment.lines().skip(marker_lines).collect();
        if let Err(fail) = actions::summary(&shown.join("\n")) {
            self.observer.warn(&fail.to_line());
        }
    }

    /// What could not be done on GitHub, in the job's summary: a permission that is missing is found there.
    pub(super) fn summarise_undone(&self) {
        let undone = self.undone.take();
        if undone.is_empty() {
            return;
        }
        let lines: String = undone.iter().map(|one| format!("- {}\n", page::failure(one))).collect();
        if let Err(fail) = actions::summary(&format!("### Not done\n\n{lines}")) {
            self.observer.warn(&fail.to_line());
        }
    }

    /// What is told of the run to the next steps of the job, and to who started it.
    fn reported(&self, commit: String, branch: &str, pull_request: String, comment: String) -> Reported {
        let outputs = [
            ("commit", commit.as_str()),
            ("branch", branch),
            ("pull-request", &pull_request),
            ("comment", &comment),
        ];
        if let Err(fail) = actions::outputs(&outputs) {
            self.observer.warn(&fail.to_line());
        }
        Reported { branch: branch.to_owned(), commit, pull_request, comment }
    }

    /// What the item's document and those of the step leave open, the worst first.
    fn gaps(&self, library: &Library, commit: Oid, log: &[Record]) -> Result<Vec<review::Finding>, Fail> {
        let Some(Record { event: Talked::Opened(opened), .. }) = log.first() else { return Ok(Vec::new()) };
        let item: Item = self.repo.item(commit, &opened.item)?;
        let outputs = opened.step.outputs.iter().filter_map(|output| OutputPath::parse(output).ok());
        let mut names: Vec<String> = outputs.map(|output| output.file()).collect();
        names.extend(opened.document.clone());
        names.push(DRAFT.to_owned());
        let documents: Vec<Document<'_>> = item
            .documents()
            .filter(|(path, _)| names.iter().any(|name| name == path))
            .map(|(path, text)| Document { path, text })
            .collect();
        let rules = review_rules(library, &self.config)?;
        let mut found = review::review(&documents, &rules, &review_options(&self.config)).findings;
        found.sort_by_key(|finding| finding.severity);
        Ok(found)
    }

    /// What is open: the cards, what is answered already, what may be decisions.
    fn open_points(
        &mut self,
        read: &Read,
        library: &Library,
        commit: Oid,
        log: &[Record],
    ) -> Result<page::OpenPoints, Fail> {
        let mut gaps = self.gaps(library, commit, log)?;
        let points = log.iter().find_map(|record| match &record.event {
            Talked::Points(found) => Some(found.points.as_slice()),
            _ => None,
        });
        let (mut answered, found): (Vec<Point>, Vec<Point>) =
            points.unwrap_or_default().iter().cloned().partition(|point| point.refuted.is_some());
        let said: Vec<&str> = read.said.iter().map(|(_, text)| text.as_str()).chain(said_in(log)).collect();
        let is_decided = |question: &str| said.iter().any(|text| possible::decides(text, question));
        let before = read.asked_cards.as_ref().map(|(cards, _)| cards.clone()).unwrap_or_default();
        let is_open = |card: &Card| !is_decided(&card.question) && !before.left.contains(&card.question);
        answered.retain(|point| !is_decided(&point.question));
        gaps.retain(|gap| !is_decided(&Card::of_finding(gap).question));
        let mut cards: Vec<Card> = found.iter().map(Card::of_point).filter(is_open).collect();
        // Without a point that is open: facts, and without a model the questions of the step.
        if cards.is_empty() {
            cards = facts(&gaps, is_open);
            cards.extend(points.is_none().then(|| questions(library, log)).into_iter().flatten());
        } else {
            gaps = besides(gaps, log);
        }
        let cards = before.next(cards, &read.unsure, &is_decided);
        let proposals = self.proposals(library, commit, log)?;
        Ok(page::OpenPoints { cards, answered, gaps, possible: self.possible(read, log), proposals })
    }

    /// What personas proposed in the item's documents, and nobody has accepted.
    fn proposals(&self, library: &Library, commit: Oid, log: &[Record]) -> Result<Vec<Listed>, Fail> {
        let Some(Record { event: Talked::Opened(opened), .. }) = log.first() else { return Ok(Vec::new()) };
        let item = self.repo.item(commit, &opened.item)?;
        let layout = library.layout(&opened.layout);
        let texts = item.documents().filter(|(name, _)| name.ends_with(".md"));
        let found = texts.flat_map(|(_, text)| open_proposals(text, layout));
        let listed = |(id, words): (String, String)| {
            Listed::proposal(&opened.step.id, &id, &plain::cut(&plain::one_line(&words), MAX_PROPOSAL))
        };
        Ok(found.take(MAX_PROPOSALS).map(listed).collect())
    }

    /// What may be decisions: those of our comment that nobody has ticked yet, and what this discussion's model took
    /// for one.
    fn possible(&mut self, read: &Read, log: &[Record]) -> Vec<(bool, Listed)> {
        let mut all: Vec<(bool, Listed)> = Vec::new();
        let heard = |listed: &Listed| read.ticks.iter().any(|tick| tick.listed == *listed);
        // Read again, because somebody may have ticked a line meanwhile: that is for the next run.
        let known = read.known(&read.own).map(|known| (known.body.clone(), known.id));
        if let Some((before, id)) = known {
            let now = self.hub.comment_now(id);
            let now = self.warn("our comment cannot be read", now).flatten();
            let before = Listed::all(&before);
            for (is_ticked, listed) in now.map(|now| Listed::all(&now.body)).unwrap_or_default() {
                let is_known = all.iter().any(|(_, known)| *known == listed);
                if heard(&listed) || is_known || listed.question.is_some() || listed.is_proposal {
                    continue;
                }
                // A tick of somebody who may not decide is taken back.
                let is_new = !before.contains(&(true, listed.clone()));
                all.push((is_ticked && is_new, listed));
            }
        }
        for listed in possible_of(log) {
            if !heard(&listed) && !all.iter().any(|(_, known)| *known == listed) {
                all.push((false, listed));
            }
        }
        all
    }

    /// The end, whatever it was: the trigger label goes, so that it can be set again.
    /// None is a failure.
    pub(super) fn label(&mut self, asked: &Asked, answered: Option<Answered>) {
        let number = asked.number;
        let ours = self.settings.label.clone();
        let (reaction, label) = match answered {
            Some(Answered::Open) => (None, self.settings.open_label()),
            Some(Answered::Asked) => (Some("rocket"), self.settings.open_label()),
            Some(_) => (Some("rocket"), format!("{ours}:done")),
            None => (Some("confused"), format!("{ours}:failed")),
        };
        if let Some(reaction) = reaction {
            let reacted = self.hub.react(number, reaction);
            self.warn("the issue takes no reaction", reacted);
        }
        let added = self.hub.add_label(number, &label);
        self.warn("the issue takes no label", added);
        // What is over is not open, and what is open is not done; what failed is as open as it was.
        let other = match answered {
            Some(Answered::Over | Answered::Now) => Some(self.settings.open_label()),
            Some(Answered::Asked) => Some(format!("{ours}:done")),
            _ => None,
        };
        let may_be_there = |other: &String| answered == Some(Answered::Over) || asked.has_label(other);
        if let Some(other) = other.filter(may_be_there) {
            let removed = self.hub.remove_label(number, &other);
            self.warn("the label stays on the issue", removed);
        }
        self.take_off(asked);
    }

    /// Takes the trigger label off.
    pub(super) fn take_off(&mut self, asked: &Asked) {
        if let Some(label) = &asked.label {
            let removed = self.hub.remove_label(asked.number, label);
            self.warn("the label stays on the issue", removed);
        }
    }

    /// Tells of a failure in the job's summary.
    pub(super) fn failed(&self, fail: Fail) -> Fail {
        let reason = page::failure(&fail.to_line());
        if let Err(fail) = actions::summary(&format!("## roundtable failed\n\n{reason}")) {
            self.observer.warn(&fail.to_line());
        }
        fail
    }

    /// Tells of a failure before anybody is known to ask: in the job's summary, and with labels as far as GitHub answers.
    pub(super) fn failed_early(&mut self, asked: &Asked, fail: Fail) -> Fail {
        let fail = self.failed(fail);
        let is_first_of_two = self.request.out.is_some();
        if !is_first_of_two && !self.hub.is_limited() {
            self.label(asked, None);
            self.summarise_undone();
        }
        fail
    }

    /// Tells of a failure on the issue, too: in our comment and with a label. Where GitHub asks to wait,
    /// nothing is written there.
    pub(super) fn report_failure(&mut self, asked: &Asked, known: Option<&Comment>, fail: Fail) -> Fail {
        let fail = self.failed(fail);
        if self.hub.is_limited() {
            self.observer.warn("GitHub asks to wait, so the issue is not told; set the label again later");
            return fail;
        }
        self.label(asked, None);
        let reason = page::failure(&plain::capital(&fail.to_line()));
        let again = match &asked.label {
            Some(label) => format!(
                " When it is fixed, set the label `{}` again: no comment is lost.",
                plain::shown(label)
            ),
            None => String::new(),
        };
        let log = actions::run_of_job().and_then(|run| service::page(&self.hub, &run).ok());
        let log = log.map_or_else(String::new, |url| format!(" ([log]({url}))"));
        let text = format!("**The last run failed.** {}.{again}{log}", reason.trim_end_matches('.'));
        self.write_note(known, asked.number, Tone::Warning, &text);
        fail
    }
}

/// The commit of a discussion that is told.
fn committed(landed: &Landed) -> Result<Oid, Fail> {
    landed.commit.ok_or_else(|| Fail::new("the discussion was not committed"))
}

/// The label that asks again.
fn label_of(read: &Read, ours: &str) -> String {
    read.asked.label.clone().unwrap_or_else(|| ours.to_owned())
}

/// These findings without the questions that the discussion itself has left open: they are told as its own.
fn besides(mut gaps: Vec<review::Finding>, log: &[Record]) -> Vec<review::Finding> {
    let summaries = log.iter().filter_map(|record| match &record.event {
        Talked::Synthesis(summary) => Some(summary),
        _ => None,
    });
    let asked: Vec<&str> =
        summaries.flat_map(|summary| &summary.open_questions).map(|one| one.text.as_str()).collect();
    gaps.retain(|finding| {
        let quote = finding.quote.replace('\\', "");
        !asked.iter().any(|question| quote.contains(question))
    });
    gaps
}

/// That comments wait for the step that they belong to.
fn still_waits(unwritten: &BTreeSet<u64>) -> Option<String> {
    let (count, them) = match unwritten.len() {
        0 => return None,
        1 => ("1 comment is".to_owned(), "it"),
        many => (format!("{many} comments are"), "them"),
    };
    Some(format!(
        "{count} not written yet, because this step is not finished. The next run hears {them} again; nobody has to repeat anything."
    ))
}

/// What of a model's answers could not be used, a sentence each.
fn not_used(log: &[Record]) -> impl Iterator<Item = String> {
    // What the referee dropped is in the fold with the discussion, each with its reason.
    critiques::warnings(log).map(|one| {
        let mut rest = one.chars();
        let first = rest.next().map_or_else(String::new, |first| first.to_uppercase().to_string());
        format!("{}.", plain::markdown(&format!("{first}{}", rest.as_str())))
    })
}

/// What users said in a discussion.
fn said_in(log: &[Record]) -> impl Iterator<Item = &str> {
    log.iter().filter_map(|record| match &record.event {
        Talked::User(message) => Some(message.text.as_str()),
        _ => None,
    })
}

/// The questions of a discussion's step.
fn questions(library: &Library, log: &[Record]) -> Vec<Card> {
    let step = log.first().and_then(|first| match &first.event {
        Talked::Opened(opened) => library.step(&opened.step.id).ok(),
        _ => None,
    });
    let questions = step.map(|step| step.prompts(Depth::Standard)).unwrap_or_default();
    questions.iter().map(|one| Card::asks(&one.text)).collect()
}

/// The worst findings as cards, each question once.
fn facts(gaps: &[review::Finding], is_open: impl Fn(&Card) -> bool) -> Vec<Card> {
    let mut asked = BTreeSet::new();
    let cards = gaps.iter().map(Card::of_finding).filter(is_open);
    cards.filter(|card| asked.insert(card.question.clone())).take(MAX_CARDS).collect()
}

/// What the model of a discussion took for decisions.
fn possible_of(log: &[Record]) -> Vec<Listed> {
    let mut step = String::new();
    let mut said = BTreeMap::new();
    let mut found = Vec::new();
    for record in log {
        match &record.event {
            Talked::Opened(opened) => step.clone_from(&opened.step.id),
            Talked::User(message) => drop(message.turn.map(|turn| said.insert(turn, message.by.as_str()))),
            Talked::Synthesis(summary) => found.extend(summary.possible_decisions.iter().map(|one| {
                let by = said.get(&one.turn).copied().unwrap_or_default();
                Listed::said(&step, by, &one.text)
            })),
            _ => {}
        }
    }
    found
}
