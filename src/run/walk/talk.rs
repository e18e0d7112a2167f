//! A discussion inside of a walk: opened by the menu's `[E]`, held and landed as `elaborate` does.

use std::cell::RefCell;

use git2::Oid;
use serde_json::json;

use super::{Mode, Walk, WalkError, check_secrets};
use crate::analysis::event::Event;
use crate::discussion::event::{Event as Said, Opened, Record, SECRETARY, StepRef};
use crate::discussion::{self, Discussion, Finished, critiques};
use crate::git::{Pending, Repo};
use crate::item::library::sha256;
use crate::item::step::Step;
use crate::review::Rules;
use crate::run::Observer;
use crate::run::asked;
use crate::run::landing;
use crate::run::script::Script;
use crate::run::session::{SessionEnd, Stopped, hold};
use crate::run::voices;
use crate::run::{Held, Landed, Talk};
use crate::synthesis::{self, Outcome};
use crate::text::plain;
use crate::voice::Speechless;
use crate::voice::model::evidence::Evidence;
use crate::voice::model::prompt::{self, Subject};
use crate::voice::model::{Live, Meter};
use crate::voice::secretary::Secretary;

impl Walk<'_> {
    /// One discussion, from the menu and back to it.
    pub(super) fn discuss(&mut self, step: usize, observer: &dyn Observer) -> Result<(), WalkError> {
        let library = self.setup.library;
        let step = &library.steps[step];
        let run = talk_run(&self.setup.run, &step.id, self.talks);
        self.talks += 1;
        if let (Some(fixed), Mode::Each) = (self.setup.fixed, self.setup.mode) {
            let found = landing::recorded(self.setup.repo, self.at, &self.item, &step.id, fixed, &run)?;
            if let Some(recording) = found {
                return self.pass_by(step, recording, observer);
            }
        }
        let evidence = self.evidence(&step.id, self.said_of_step())?;
        let opening_run = run.clone();
        let opening = self.opening(step, run, &evidence)?;
        let first = Record { at: (self.setup.clock)(), event: Said::Opened(Box::new(opening)) };
        let begun = self.cut_off(&opening_run);
        let mut talk = match begun.is_empty() {
            true => Discussion::open(library, step, first)?,
            false => Discussion::replay(library, step, &begun)?,
        };
        observer.say(&format!("\n{}", talk.introduction()?));
        begun.iter().skip(1).for_each(|record| observer.say_record(record, &library.cast));
        let depth = self.analysis.current().map_or(step.depth, |talk| talk.depth);
        let item = self.item.clone();
        let rules =
            Rules::of(&library.own_review_rules()).map_err(Speechless::from).map_err(Stopped::Voice)?;
        let laid = synthesis::laid(talk.opened(), library);
        let mut stand_in = Secretary::new(item.documents(), &step.outputs, rules, depth)
            .adding_to(synthesis::targets(&item, &laid, step))
            .after(true)
            .knowing(landing::settled(self.setup.repo, self.at, &item)?);
        let mut script = self.setup.script.lend(&step.id);
        let mut log = self.keep_log(&talk, &script, observer);
        let held = self.hold(&mut talk, &mut stand_in, &mut script, &mut log, evidence, observer);
        self.setup.script.give_back(&step.id, script);
        let usage = held.map_err(|why| self.stopped(why, &talk, log.is_some()))?;
        let unfinished = || WalkError::Interrupted("the discussion did not come to its end".to_owned());
        let finished = talk.finish().ok_or_else(unfinished)?;
        observer.say(&format!("\n{}", synthesis::spoken_summary(&finished, library)?));
        let recording = self.land_talk(finished, usage, observer)?;
        log.into_iter().for_each(Pending::finish);
        self.record(Event::Elaborated { recording }, None)
    }

    /// The log of this very discussion, if the person at the keyboard stopped it before.
    fn cut_off(&self, run: &str) -> Vec<Record> {
        if !self.setup.script.is_live() || self.setup.mode != Mode::Each {
            return Vec::new();
        }
        let found = self.setup.repo.leftovers().into_iter().find(|left| left.run == run);
        found.map(|left| left.log).unwrap_or_default()
    }

    /// The log of a discussion with the person at the keyboard, for `elaborate --resume`: its step is committed by now.
    fn keep_log(&self, talk: &Discussion<'_>, script: &Script, observer: &dyn Observer) -> Option<Pending> {
        if !script.is_live() || self.setup.mode != Mode::Each {
            return None;
        }
        let begun = self.setup.repo.write_pending(&talk.opened().run, talk.log());
        begun.unwrap_or_else(|error| {
            observer.note(&format!("the discussion is not kept until it is committed: {error}"));
            None
        })
    }

    /// Why a discussion broke off, and how it is gone on with.
    fn stopped(&self, why: WalkError, talk: &Discussion<'_>, is_kept: bool) -> WalkError {
        if !is_kept {
            return why;
        }
        let opened = talk.opened();
        let slug = opened.item.rsplit('/').next().unwrap_or_default();
        let branch = match opened.branch == format!("roundtable/{slug}") {
            true => String::new(),
            false => format!(" --branch {}", plain::shown(&opened.branch)),
        };
        let voice = if opened.voice != SECRETARY { " and the same --voice" } else { "" };
        WalkError::Kept {
            why: Box::new(why),
            how: format!("roundtable elaborate {slug} --step {}{branch} --resume{voice}", opened.step.id),
        }
    }

    /// Answers and remarks of the step under way: they name files as well as a message does.
    fn said_of_step(&self) -> Vec<&str> {
        let Some(talk) = self.analysis.current() else { return Vec::new() };
        let answers = talk.answers.iter().filter_map(|answer| answer.said.as_ref());
        answers.chain(&talk.feedback).map(|(_, text)| text.as_str()).collect()
    }

    /// What of the repository a model reads; the secretary reads nothing else than the item's documents.
    pub(super) fn evidence(&self, step: &str, messages: Vec<&str>) -> Result<Evidence, WalkError> {
        let setup = &self.setup;
        if !setup.speakers.has_model(step) {
            return Ok(Evidence::default());
        }
        let items: Vec<&str> = setup.items.iter().map(String::as_str).collect();
        Ok(setup.repo.evidence(self.at, &self.item, messages, &setup.evidence, &items)?)
    }

    fn opening(&self, step: &Step, run: String, evidence: &Evidence) -> Result<Opened, WalkError> {
        let library = self.setup.library;
        let speaker = self.setup.speakers.at(&step.id);
        let laid = library.laid_item(&self.item, self.setup.layout.as_deref())?;
        Ok(Opened {
            format: discussion::event::FORMAT,
            item: self.item.path.clone(),
            item_name: self.item.name(),
            step: StepRef::from(step),
            lead: library.cast.lead(&step.phase).0.key.clone(),
            max_turns: self.setup.max_turns,
            base: self.at.to_string(),
            read: self.item.ids.clone(),
            branch: self.setup.branch.clone(),
            layout: laid.layout.name.clone(),
            document: laid.document,
            voice: speaker.voice.clone(),
            model: speaker.model.clone(),
            user: self.analysis.opened().user.clone(),
            digests: library.digests(step).into(),
            author: self.setup.author.clone(),
            run,
            new_meta: None,
            draft: None,
            comments: None,
            stays_open: false,
            is_live: self.setup.script.is_live(),
            evidence: evidence.sent.clone(),
        })
    }

    /// Lands a discussion as `elaborate` does; gives its recording.
    fn land_talk(
        &mut self,
        finished: Finished,
        usage: Meter,
        observer: &dyn Observer,
    ) -> Result<String, WalkError> {
        let library = self.setup.library;
        let base = self.at.to_string();
        let (commit, outcome, already_recorded) = if self.setup.mode == Mode::Each {
            self.commit_talk(&finished)?
        } else {
            let (outcome, additive) = landing::place(&self.item, &finished, library)?;
            self.grow(additive.changes())?;
            (None, outcome, false)
        };
        let talk = Talk::Finished(Box::new(finished));
        let held = Held { talk, usage, left_out: Vec::new() };
        let branch = self.setup.branch.clone();
        Ok(self.told(Landed { held, branch, base, commit, already_recorded, outcome }, observer))
    }

    /// Commits a discussion and goes on from there.
    fn commit_talk(&mut self, finished: &Finished) -> Result<(Option<Oid>, Outcome, bool), WalkError> {
        let landed = landing::land(self.setup.repo, self.setup.library, finished, self.at, &self.item)?;
        match landed.already_recorded {
            // A copy of this very run was faster, and may have gone on since.
            true => self.is_overtaken = true,
            false => self.commits.push(landed.commit),
        }
        self.at = landed.commit;
        self.item = self.setup.repo.item(landed.commit, &self.item.path)?;
        Ok((Some(landed.commit), landed.outcome, landed.already_recorded))
    }

    fn told(&mut self, landed: Landed, observer: &dyn Observer) -> String {
        observer.say("");
        for line in &landed.outcome.announcements {
            observer.say(line);
        }
        if let Some(commit) = landed.commit {
            let text =
                format!("Committed {} on {}: the discussion.", crate::git::short(commit), self.setup.branch);
            observer.say_strong(&text);
        }
        let recording = landed.outcome.recording.clone();
        self.elaborations.push(landed);
        recording
    }

    /// The one place where an analysis holds a discussion; what a model took for it.
    fn hold(
        &mut self,
        talk: &mut Discussion<'_>,
        stand_in: &mut Secretary<'_>,
        script: &mut Script,
        log: &mut Option<Pending>,
        evidence: Evidence,
        observer: &dyn Observer,
    ) -> Result<Meter, WalkError> {
        let (clock, library) = (self.setup.clock, self.setup.library);
        let is_live = script.is_live();
        let log = RefCell::new(log);
        let mut tell = |line: &Record| {
            check_secrets(&line.to_line())?;
            if let Some(log) = log.borrow_mut().as_mut() {
                log.append(line).map_err(|error| format!("what is said cannot be kept: {error}"))?;
            }
            // Who has typed a message has seen it.
            if !is_live || !matches!(line.event, Said::User(_)) {
                observer.say_record(line, &library.cast);
            }
            observer.check()
        };
        let (repo, at, item) = (self.setup.repo, self.at, &self.item);
        let settings = self.setup.evidence.clone();
        let items: Vec<String> = self.setup.items.to_vec();
        let readers = voices::ask_readers(self.setup.speakers.readers());
        let Some((model, prices)) = self.setup.speakers.model(&talk.step().id) else {
            while hold(talk, None, stand_in, script, clock, &mut tell)? == SessionEnd::WaitingForUser {
                asked::listen(talk, script, observer).map_err(WalkError::Interrupted)?;
            }
            return Ok(Meter::default());
        };
        let target = synthesis::target(&self.item, &synthesis::laid(talk.opened(), library), talk.step());
        let known: Vec<String> = script.inputs().flatten().map(|input| input.text.clone()).collect();
        let messages = known.iter().map(String::as_str).collect();
        let max_chars = self.setup.evidence.max_chars;
        let earlier = landing::decided(self.setup.repo, self.at, &self.item)?;
        let given = prompt::Given { evidence, earlier, target, messages, max_chars };
        let (head, _) = prompt::head(&Subject::new(talk), self.item.documents(), &given)?;
        check_secrets(&head).map_err(WalkError::Interrupted)?;
        let watch = |want: &prompt::Want, meter: &Meter| {
            observer.waiting(&voices::thinking(want, meter, &library.cast))
        };
        let more = |asked: &[String]| {
            let items: Vec<&str> = items.iter().map(String::as_str).collect();
            repo.more_evidence(at, item, asked, &given.evidence, &settings, &items).unwrap_or_default()
        };
        let live = Live::new(model, head, self.setup.tokens).reading(given.evidence.excerpts.clone());
        let mut live = live.asking(&more, None).beside(readers).priced(prices).watched(&watch);
        while hold(talk, Some(&mut live), stand_in, script, clock, &mut tell)? == SessionEnd::WaitingForUser {
            asked::listen(talk, script, observer).map_err(WalkError::Interrupted)?;
        }
        live.notes().iter().for_each(|note| observer.note(note));
        critiques::warnings(talk.log()).for_each(|one| observer.warn(one));
        critiques::counted(talk.log()).iter().for_each(|one| observer.note(one));
        observer.say(&format!("\n{}", live.meter().table()));
        Ok(live.meter().clone())
    }

    /// A discussion that this very run has held before it was cut off: its inputs are passed over.
    fn pass_by(&mut self, step: &Step, recording: String, observer: &dyn Observer) -> Result<(), WalkError> {
        observer.note(&format!("the discussion of step {} was held before", step.id));
        let finished = read_talk(self.setup.repo, self.at, &recording)?;
        let heard = finished.iter().flat_map(|finished| &finished.log);
        let heard = heard.filter(|line| matches!(line.event, Said::User(_) | Said::Silence {})).count();
        let mut script = self.setup.script.lend(&step.id);
        for _ in 0..heard {
            script.next_input();
        }
        self.setup.script.give_back(&step.id, script);
        self.record(Event::Elaborated { recording }, None)
    }
}

/// The id of a discussion's run inside of an analysis: with a fixed clock the same again.
pub(super) fn talk_run(run: &str, step: &str, number: usize) -> String {
    sha256(json!([run, step, number]).to_string().as_bytes())[..32].to_owned()
}

/// A recording that is at a commit.
pub(super) fn read_talk(repo: &Repo, commit: Oid, recording: &str) -> Result<Option<Finished>, WalkError> {
    let bytes = repo.file(commit, recording)?.unwrap_or_default();
    let text = crate::text::json::utf8(recording, &bytes)?;
    Ok(discussion::finished(discussion::event::from_lines(recording, text)?))
}
