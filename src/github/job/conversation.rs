//! What a run on an issue goes on from: the comments that were heard, a discussion that waits for its user, and
//! whether this event was answered before.
//!
//! Invariant: a comment is heard by one run. What was heard is read from the recordings on the branch and the default
//! branch, and from the markers of our own comments.

use std::collections::BTreeSet;

use git2::Oid;

use super::read::Read;
use super::target::Target;
use super::{Answered, Done, Job, Outcome};
use crate::discussion::event::{Event as Talked, Record, from_lines};
use crate::discussion::runs;
use crate::github::trigger::What;
use crate::item::{Item, is_document, meta};
use crate::run::Fail;
use crate::run::script::{Input, Script};
use crate::run::{Held, Landed, OpenRun};
use crate::synthesis;

/// What the branch says of an issue's conversation.
pub(super) enum Conversation {
    /// None is open: a discussion begins.
    None,
    /// One is open, with this recording so far.
    Open(Vec<Record>),
    /// A run has answered this very event: its path, and the recording to the end of that run.
    Answered(String, Vec<Record>),
    /// There is nothing to go on with, and why.
    Silent(&'static str),
    /// No comment is new and no document changed since the step was discussed.
    NothingNew,
}

/// What a discussion hears in this run.
pub(super) struct Words {
    pub(super) script: Script,
    pub(super) comments: Vec<u64>,
    /// What it goes on from, where it stays open.
    pub(super) open: Option<OpenRun>,
}

/// A recording of the item, and where it is.
struct Found {
    path: String,
    log: Vec<Record>,
}

impl Job<'_> {
    /// The target of the issue, with what was heard so far; the branch is where the remote has it.
    pub(super) fn prepare(&mut self, read: &mut Read) -> Result<Target, Fail> {
        let target = self.find_target(&read.thread)?;
        self.follow(&target)?;
        self.has_no_own_templates(&target)?;
        let mut recorded = BTreeSet::new();
        for commit in [self.start(&target)?, self.repo.resolve("HEAD")?] {
            for found in self.recordings(commit, &target.item)? {
                recorded.extend(runs::heard(&found.log));
                let said = |record: &Record| match &record.event {
                    Talked::User(message) => Some((message.by.clone(), message.text.clone())),
                    _ => None,
                };
                let said: Vec<(String, String)> = found.log.iter().filter_map(said).collect();
                read.ticks.retain(|tick| !said.contains(&(tick.by.login.clone(), tick.listed.decision())));
                read.said.extend(said);
            }
        }
        let markers = read.markers();
        let marked = |id: &u64| markers.iter().any(|marker| marker.has_heard(*id));
        let by_marker: Vec<u64> = read.thread.comments().into_iter().filter(marked).collect();
        let lost = by_marker.iter().filter(|id| !recorded.contains(id)).count();
        read.heard = recorded.into_iter().chain(by_marker).collect::<BTreeSet<_>>();
        read.take_answers(self.library()?.forms());
        let heard = read.heard.clone();
        for said in read.thread.new_comments(&heard).filter(|said| said.is_earlier) {
            let by = crate::text::plain::markdown(said.input.by.as_deref().unwrap_or_default());
            read.edited.push(format!(
                "A comment by {by} was edited after this run was asked for, and is heard as it was. Write what changed in a new comment."
            ));
        }
        read.leaves = target.leaves.iter().chain(&read.edited).cloned().collect();
        if lost > 0 && target.leaves.is_empty() && !self.has_analysis(&target)? {
            read.leaves.push(format!(
                "{} heard by a run whose recording is on no branch any more; this run does not hear them again.",
                crate::text::plain::count(lost, "comment")
            ));
        }
        Ok(target)
    }

    /// Whether an analysis of the item was recorded: its logs carry no comments.
    fn has_analysis(&self, target: &Target) -> Result<bool, Fail> {
        Ok(self.repo.exists(self.start(target)?, &format!("{}/analysis", target.item))?)
    }

    /// Looks for the conversation on the item's branch.
    pub(super) fn conversation(&self, read: &Read, target: &Target) -> Result<Conversation, Fail> {
        let step = match &read.asked.what {
            What::Discussion(step) => step.clone(),
            What::Close => None,
            What::Analysis => return Ok(Conversation::None),
        };
        let (mut waiting, mut last) = (None, None);
        let start = self.start(target)?;
        for Found { path, log } in self.recordings(start, &target.item)? {
            let Some(Record { event: Talked::Opened(opened), .. }) = log.first() else { continue };
            if step.as_ref().is_some_and(|step| *step != opened.step.id) {
                continue;
            }
            let is_here = opened.branch == target.branch;
            // A label is set at one moment, and that is one run; comments are known by their ids.
            if let Some(at) = read.at.filter(|_| read.asked.label.is_some() && opened.comments.is_some())
                && let Some(until) = runs::until(&log, at)
            {
                return Ok(Conversation::Answered(path, until.to_vec()));
            }
            let is_over = matches!(log.last(), Some(Record { event: Talked::Closed(_), .. }));
            if !is_over && is_here && runs::stays_open(&log) {
                waiting = Some(log.clone());
            }
            if is_over {
                last = Some((path, log));
            }
        }
        let by_comment = read.asked.comment.is_some() && read.asked.label.is_none();
        let new = read.thread.since(&read.heard).1.len() + read.ticks.len();
        Ok(match waiting {
            Some(_) if by_comment && new == 0 => {
                Conversation::Silent("what was said is heard already, or is not used")
            }
            Some(log) => Conversation::Open(log),
            None if read.asked.what == What::Close => {
                Conversation::Silent("no discussion is open on the issue")
            }
            None if by_comment && !read.asked.is_tick => {
                Conversation::Silent("no discussion is open on the issue")
            }
            None if by_comment && read.ticks.is_empty() && !read.notes.is_empty() => Conversation::NothingNew,
            None if by_comment && read.ticks.is_empty() => {
                Conversation::Silent("no new tick decides anything")
            }
            None if new == 0 => self.without_words(read, target, start, last)?,
            None => Conversation::None,
        })
    }

    /// No comment is new: the step is discussed if it never was, or if documents changed since.
    fn without_words(
        &self,
        read: &Read,
        target: &Target,
        start: Oid,
        last: Option<(String, Vec<Record>)>,
    ) -> Result<Conversation, Fail> {
        let Some((path, log)) = last else { return Ok(Conversation::None) };
        let Some(Record { event: Talked::Opened(opened), .. }) = log.first() else {
            return Ok(Conversation::None);
        };
        let step = match &read.asked.what {
            What::Discussion(Some(step)) => step.clone(),
            _ => self.current_step(target)?,
        };
        if opened.step.id != step {
            return Ok(Conversation::None);
        }
        // A run that was cut off before it told anybody is told now.
        if opened.comments.is_some() && !runs::stays_open(&log) && !read.tells_of(&opened.run) {
            return Ok(Conversation::Answered(path, log));
        }
        let then = self.repo.item(self.repo.introducing_commit(start, &path)?, &target.item)?;
        let now = self.repo.item(start, &target.item)?;
        Ok(if documents(&then) == documents(&now) { Conversation::NothingNew } else { Conversation::None })
    }

    /// The item's recordings at a commit, the oldest first. What is damaged is left out: `replay --all` tells of it.
    fn recordings(&self, commit: Oid, item: &str) -> Result<Vec<Found>, Fail> {
        let mut found = Vec::new();
        if !self.repo.exists(commit, &format!("{item}/{}", meta::FILE))? {
            return Ok(found);
        }
        for name in self.repo.item(commit, item)?.recordings {
            let path = format!("{item}/elaborations/{name}");
            let bytes = self.repo.file(commit, &path)?.unwrap_or_default();
            let log = crate::text::json::utf8(&path, &bytes).and_then(|text| from_lines(&path, text));
            match log {
                Ok(log) => found.push(Found { path, log }),
                Err(error) => self.observer.warn(&format!("a recording is left out: {error}")),
            }
        }
        found.sort_by_key(|found| runs::moment(&found.log));
        Ok(found)
    }

    /// What the discussion hears in this run, and what it goes on from, where it stays open.
    pub(super) fn next_words(&self, read: &Read, log: Vec<Record>) -> Words {
        let (mut script, comments) = read.thread.since(&read.heard);
        for tick in &read.ticks {
            let by = Some(tick.by.login.clone());
            script.push(Some(Input { text: tick.listed.decision(), by, at: None, comment: None }));
        }
        if read.asked.what == What::Close {
            let by = read.asked.sender.as_ref().map(|sender| sender.login.clone());
            script.push(Some(Input { text: "done".to_owned(), by, at: None, comment: None }));
        }
        let goes_on = !log.is_empty();
        if goes_on && script.inputs().next().is_none() {
            // Asked to go on with nothing new to say: that is silence.
            script.push(None);
        }
        let may_stay = goes_on || !read.asked.is_tick;
        script.stays_open = self.settings.live && may_stay;
        let open = (goes_on || script.stays_open).then_some(OpenRun { log });
        Words { script, comments, open }
    }

    /// The same label again: what the run before has left untold is told.
    pub(super) fn answered(
        &mut self,
        read: &Read,
        target: &Target,
        path: &str,
        log: Vec<Record>,
    ) -> Result<Outcome, Fail> {
        let held = Held::read(log).ok_or_else(|| Fail::new(format!("{path} has no beginning")))?;
        let landed = Landed {
            branch: target.branch.clone(),
            base: held.opened().base.clone(),
            commit: Some(self.start(target)?),
            already_recorded: true,
            outcome: synthesis::Outcome::nothing(path),
            held,
        };
        let opened = landed.held.opened();
        if opened.stays_open {
            return match read.part(&read.own, &runs::run_id(landed.held.log())) {
                Some(ours) => self.already(target, Some(ours)),
                None => self.report_discussion(read, target, landed),
            };
        }
        if read.tells_of(&opened.run) {
            return self.already(target, read.known_id());
        }
        self.report_discussion(read, target, landed)
    }

    /// Nothing is done, and why.
    pub(super) fn nothing(&self, why: &str) -> Result<Outcome, Fail> {
        self.observer.say(&format!("Nothing to do: {why}."));
        Ok((Answered::Never, Done::Nothing(why.to_owned())))
    }
}

/// The item's documents, each by the id of its text.
fn documents(item: &Item) -> Vec<(&String, &String)> {
    let is_one = |(name, _): &(&String, &String)| {
        is_document(name) && name.as_str() != meta::FILE && !name.starts_with("analysis/")
    };
    item.ids.iter().filter(is_one).collect()
}
