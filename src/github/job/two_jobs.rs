//! Two jobs: the one with a model's key ends in a recording, the one that may write commits it.

use std::path::Path;
use std::sync::Arc;

use git2::Oid;

use super::conversation::Conversation;
use super::read::Read;
use super::target::Target;
use super::{Done, Job, walk_id};
use crate::discussion::event::{Event as Talked, Record, Time, from_lines};
use crate::discussion::runs;
use crate::git::short;
use crate::github::actions;
use crate::github::trigger::What;
use crate::item::library::{Library, sha256};
use crate::item::meta::Source;
use crate::replay::onto::land_on;
use crate::replay::{Replay, other_words};
use crate::run::analyze::{AnswerLog, AnswerSource, analyze};
use crate::run::files::{read_file, write_whole};
use crate::run::played::Recording;
use crate::run::settings;
use crate::run::{Fail, Held, Landed, Observer, Talk, hold_and_keep, identity, place, script, set_up};
use crate::text::plain;
use crate::voice::model::Meter;
use crate::voice::model::tape::Tape;

/// Name of the recording in the folder that is handed over.
const RECORDING: &str = "recording.jsonl";
/// Name of a model's answers in an analysis, in that folder.
const ANSWERS: &str = "answers.jsonl";

impl Job<'_> {
    /// The first of two jobs: the recording and its digest, and nothing else.
    pub(super) fn record(&mut self, read: &mut Read) -> Result<Done, Fail> {
        let target = self.prepare(read)?;
        let folder = self.request.out.clone().unwrap_or_default();
        let made = std::fs::create_dir_all(&folder);
        made.map_err(|error| {
            Fail::new(format!("{} cannot be made: {error}", plain::shown(&folder.display().to_string())))
        })?;
        if read.asked.what == What::Analysis {
            return self.record_answers(read, &target, &folder);
        }
        let log = match self.conversation(read, &target)? {
            Conversation::Silent(why) => return self.nothing(why).map(|(_, done)| done),
            Conversation::Open(log) => log,
            Conversation::None => Vec::new(),
            // No voice is needed for it: the other job tells it.
            Conversation::Answered(..) | Conversation::NothingNew => {
                self.observer.say("No voice is needed: the other job tells what is there.");
                self.record_nothing(&folder)?;
                return Ok(Done::NothingToRecord);
            }
        };
        let setup = set_up(self.repo.again()?, self.own, self.task(read, &target, log)?, self.observer)?;
        let path = folder.join(RECORDING);
        let landed = hold_and_keep(&setup, &path, self.observer)?;
        Ok(Done::Recorded(Box::new(landed), self.digest_of(&path)?))
    }

    /// An empty recording: nothing is to be committed, and the other job has something to tell.
    pub(super) fn record_nothing(&self, folder: &Path) -> Result<(), Fail> {
        let written =
            std::fs::create_dir_all(folder).and_then(|()| write_whole(&folder.join(RECORDING), b""));
        written.map_err(|error| Fail::new(format!("the recording cannot be written: {error}")))?;
        actions::outputs(&[("digest", &sha256(b""))])
    }

    /// The SHA-256 of what is handed over, said and given to the other job.
    fn digest_of(&self, path: &Path) -> Result<String, Fail> {
        let digest = sha256(&read_file(path, script::LARGEST as u64 * 4)?);
        actions::outputs(&[("digest", &digest)])?;
        self.observer.say(&format!("Its SHA-256 is {digest}."));
        Ok(digest)
    }

    /// The first of two jobs, for an analysis: what the model answered. The walk itself is made again
    /// by the other job; the commits of this one go with its clone.
    fn record_answers(&mut self, read: &Read, target: &Target, folder: &Path) -> Result<Done, Fail> {
        let run = walk_id(read);
        if read.tells_of(&run) {
            return self.already(target, read.known_id()).map(|(_, done)| done);
        }
        let before = self.repo.tip(&target.branch)?;
        let kept = AnswerLog::default();
        let task = self.walk(read, target, AnswerSource::Kept(kept.clone()));
        let analyzed = analyze(&self.repo, self.own, task, self.observer);
        // This job moves no branch, whatever the result.
        if let Some(tip) = self.repo.tip(&target.branch)? {
            self.repo.put_back(&target.branch, tip, before)?;
        }
        let analyzed = analyzed?;
        let path = folder.join(ANSWERS);
        let shown = plain::shown(&path.display().to_string());
        write_whole(&path, kept.text().as_bytes())
            .map_err(|error| Fail::new(format!("{shown} cannot be written: {error}")))?;
        self.observer.say_strong(&format!("The model's answers are in {shown}; nothing was committed."));
        Ok(Done::RecordedAnswers(Box::new(analyzed), self.digest_of(&path)?))
    }

    /// What was handed over under this name, if it is what was announced.
    fn announced(&self, name: &str) -> Result<Vec<u8>, Fail> {
        let folder = self.request.recording.as_deref().unwrap_or(Path::new("."));
        let bytes = read_file(&folder.join(name), script::LARGEST as u64 * 4)?;
        let digest = sha256(&bytes);
        if Some(digest.as_str()) != self.request.digest.as_deref().map(str::trim) {
            return Err(Fail::new(format!(
                "the recording that was handed over has the SHA-256 {digest}, and another was announced; nothing was done"
            )));
        }
        Ok(bytes)
    }

    /// A model's answers from the first job.
    pub(super) fn received_answers(&self) -> Result<Tape, Fail> {
        let bytes = self.announced(ANSWERS)?;
        Ok(Tape::read(ANSWERS, crate::text::json::utf8(ANSWERS, &bytes)?)?)
    }

    /// The recording of the first job, if it is the one that was announced and is for this issue.
    pub(super) fn received_recording(&self, target: &Target) -> Result<(Recording, Replay), Fail> {
        let bytes = self.announced(RECORDING)?;
        let recording = Recording { name: RECORDING.to_owned(), bytes, place: None };
        let opened = recording
            .opened()
            .ok_or_else(|| Fail::new("the recording that was handed over has no opening"))?;
        if opened.item != target.item {
            return Err(Fail::new(format!(
                "the recording that was handed over is about {}, and the issue's item is {}; nothing was done",
                plain::shown(&opened.item),
                target.item
            )));
        }
        let replay =
            Replay::new(self.repo.again()?, Arc::new(Library::built_in()?), self.own.operators.clone());
        Ok((recording, replay))
    }

    /// Refuses a recording that says something else than what this run would have heard itself.
    /// `before` is what the branch carries of a discussion that is open.
    pub(super) fn fits(
        &self,
        recording: &Recording,
        read: &Read,
        target: &Target,
        before: &[Record],
    ) -> Result<(), Fail> {
        let other = |what: &str| {
            Fail::new(format!(
                "the recording that was handed over has another {what} than this issue gives; nothing was done"
            ))
        };
        let log = from_lines(RECORDING, crate::text::json::utf8(RECORDING, &recording.bytes)?)?;
        let (Some(opened), Some(first)) = (recording.opened(), log.first()) else {
            return Err(other("beginning"));
        };
        // A discussion that stays open keeps the author it began with.
        let author = match before.first().map(|first| &first.event) {
            Some(Talked::Opened(begun)) => begun.author.clone(),
            _ => identity::author(&self.repo, &self.config, false),
        };
        if opened.author != author {
            return Err(other("author"));
        }
        let task = self.task(read, target, before.to_vec())?;
        if task.step.as_deref() != Some(opened.step.id.as_str()) {
            return Err(other("step"));
        }
        let Some(new) = log.strip_prefix(before) else { return Err(other("beginning")) };
        if !before.is_empty() && runs::added(&log) != new {
            return Err(other("beginning"));
        }
        let heard = match new.first().map(|record| &record.event) {
            Some(Talked::Opened(opened)) => opened.comments.as_ref(),
            Some(Talked::Resumed(resumed)) => Some(&resumed.comments),
            _ => None,
        };
        if heard != task.comments.as_ref() {
            return Err(other("list of comments"));
        }
        if read.at.is_some_and(|at| new.iter().any(|record| record.at != at)) {
            return Err(other("time"));
        }
        let at = read.at.unwrap_or(first.at);
        let meta = self.expected_meta(read, target, at, &opened.base)?;
        if before.is_empty() && opened.new_meta.is_some() && opened.new_meta != meta {
            return Err(other("item"));
        }
        let draft = task.run.script.source.as_ref().map(crate::text::source::Source::draft);
        if before.is_empty() && opened.draft.is_some() && opened.draft != draft {
            return Err(other("draft"));
        }
        let library = settings::library(&self.repo, self.start(target)?, &self.config)?;
        let user = task.run.script.user.clone().unwrap_or_else(|| "User".to_owned());
        let begin = log.len() - new.len();
        match other_words(&log, begin, task.run.script, &user, &library.cast) {
            Some(found) => Err(Fail::new(format!(
                "the recording that was handed over has another message than this issue gives: {found}; nothing was done"
            ))),
            None => Ok(()),
        }
    }

    /// The `meta.json` that a discussion of the issue may begin with.
    fn expected_meta(
        &self,
        read: &Read,
        target: &Target,
        at: Time,
        base: &str,
    ) -> Result<Option<String>, Fail> {
        if target.is_named {
            return place::new_meta(&self.repo, self.start(target)?, &target.item, &target.item, at);
        }
        let source = Source::GitHub(read.thread.number);
        let slug = place::slug(&target.item);
        Ok(Some(crate::item::meta::new_item(source, slug, &read.thread.title, at, base)))
    }

    pub(super) fn land_recording(
        &self,
        recording: &Recording,
        replay: &Replay,
        target: &Target,
    ) -> Result<Landed, Fail> {
        land_at(replay, recording, &target.branch, self.start(target)?, self.observer)
    }
}

/// Runs a recording again and commits it on a branch that is at `start`.
pub(super) fn land_at(
    replay: &Replay,
    recording: &Recording,
    branch: &str,
    start: Oid,
    observer: &dyn Observer,
) -> Result<Landed, Fail> {
    let found = replay.run_for_landing(recording, start, None)?;
    if let (Some(paused), None) = (&found.paused, &found.divergence) {
        let grown = replay.pause(paused, start)?;
        observer.say_strong(&format!("Committed {} on {branch}.", short(grown.commit)));
        return Ok(Landed {
            held: Held {
                talk: Talk::Open(Box::new(paused.clone())),
                usage: Meter::default(),
                left_out: Vec::new(),
            },
            branch: branch.to_owned(),
            base: grown.parent.to_string(),
            commit: Some(grown.commit),
            already_recorded: grown.already_recorded,
            outcome: grown.outcome,
        });
    }
    let (Some(finished), None) = (&found.finished, &found.divergence) else {
        let why = found.divergence.map_or_else(String::new, |found| format!(": {found}"));
        return Err(Fail::new(format!(
            "the recording that was handed over is not what the rules make of it{why}; nothing was committed"
        )));
    };
    land_on(replay, finished.clone(), branch, start, observer)
}
