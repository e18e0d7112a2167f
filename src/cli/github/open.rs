//! A discussion on an issue that stays open between runs (`github: { live: true }`): where it stands,
//! what it hears next, and whether this event was answered before.

use serde_json::json;

use super::super::elaborate::Open;
use super::super::exit::Fail;
use super::reading::Read;
use super::seat::Seat;
use super::{Answered, Job};
use crate::discussion::event::{Event as Talked, Record, from_lines};
use crate::discussion::open;
use crate::github::trigger::What;
use crate::script::Script;

/// What the branch says of an issue's conversation.
pub(super) enum Conversation {
    /// None is open: a discussion begins.
    None,
    /// One is open, with this recording so far.
    Open(Vec<Record>),
    /// A run has answered this very event: the recording to the end of that run.
    Answered(Vec<Record>),
    /// There is nothing to go on with, and why.
    Silent(&'static str),
}

impl Job<'_> {
    /// Looks for the conversation on the item's branch.
    pub(super) fn conversation(&self, read: &Read, seat: &Seat) -> Result<Conversation, Fail> {
        let What::Discussion(step) = &read.asked.what else { return Ok(Conversation::None) };
        let mut waiting = None;
        for log in self.conversations(seat)? {
            let Some(Record { event: Talked::Opened(opened), .. }) = log.first() else { continue };
            if step.as_ref().is_some_and(|step| *step != opened.step.id) {
                continue;
            }
            // A label is set at one moment, and that is one run; comments are known by their ids.
            if let Some(at) = read.at.filter(|_| read.asked.label.is_some())
                && let Some(until) = open::until(&log, at)
            {
                return Ok(Conversation::Answered(until.to_vec()));
            }
            if !matches!(log.last(), Some(Record { event: Talked::Closed(_), .. })) {
                waiting = Some(log);
            }
        }
        let by_comment = read.asked.comment.is_some();
        Ok(match waiting {
            Some(log) if by_comment && read.thread.since(&open::heard(&log)).1.is_empty() => {
                Conversation::Silent("what was said is heard already, or is not used")
            }
            Some(log) => Conversation::Open(log),
            None if by_comment => Conversation::Silent("no discussion is open on the issue"),
            None => Conversation::None,
        })
    }

    /// The recordings of the item's conversations, the oldest first.
    fn conversations(&self, seat: &Seat) -> Result<Vec<Vec<Record>>, Fail> {
        let commit = match self.repo.tip(&seat.branch)? {
            Some(tip) => tip,
            None => self.repo.resolve("HEAD")?,
        };
        let mut found = Vec::new();
        if !self.repo.exists(commit, &seat.item)? {
            return Ok(found);
        }
        for name in self.repo.item(commit, &seat.item)?.recordings {
            let path = format!("{}/elaborations/{name}", seat.item);
            let bytes = self.repo.file(commit, &path)?.unwrap_or_default();
            // Most recordings are of discussions that were held in one run: their first line says so.
            let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let first = std::str::from_utf8(first).ok().and_then(|line| Record::from_line(line).ok());
            if first.is_some_and(|first| open::stays_open(&[first])) {
                found.push(from_lines(&path, crate::json::utf8(&path, &bytes)?)?);
            }
        }
        found.sort_by_key(|log| open::moment(log));
        Ok(found)
    }

    /// What the discussion hears in this run, and what it goes on from, where it stays open.
    pub(super) fn next_words(&self, read: &Read, log: Vec<Record>) -> (Script, Option<Open>) {
        if log.is_empty() {
            let mut script = read.thread.script();
            script.stays_open = self.settings.live;
            let comments = read.thread.comments();
            return (script, self.settings.live.then_some(Open { log, comments }));
        }
        let (mut script, comments) = read.thread.since(&open::heard(&log));
        if comments.is_empty() {
            // Asked to go on with nothing new to say: that is silence.
            script = Script::of(script.user, vec![None]);
        }
        script.stays_open = self.settings.live;
        (script, Some(Open { log, comments }))
    }

    /// The same label again: what the run before has left untold is told.
    pub(super) fn answered(&mut self, read: &Read, seat: &Seat, log: Vec<Record>) -> Result<Answered, Fail> {
        let run = open::run_id(&log);
        if let Some(ours) = read.part(&read.own, &run) {
            return self.already(seat, Some(ours));
        }
        let tip = self.repo.tip(&seat.branch)?.ok_or_else(|| Fail::new("the branch is gone"))?;
        let path = crate::synthesis::open_recording(&seat.item, &log);
        self.tell_part(read, &json!({"recording": path, "branch": seat.branch}), tip, &log)
    }

    /// Nothing is done, and why.
    pub(super) fn nothing(&self, why: &str) -> Result<Answered, Fail> {
        self.screen.say(&format!("Nothing to do: {why}."));
        self.screen.json(&json!({"done": false, "reason": why}));
        Ok(Answered::Never)
    }
}
