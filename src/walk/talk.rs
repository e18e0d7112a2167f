//! A discussion inside of a walk: opened by the menu's `[E]`, held and landed as `elaborate` does.

use git2::Oid;
use serde_json::json;

use super::{Audience, Held, Mode, Stumbled, Walk};
use crate::analysis::artifact::draft::statements;
use crate::analysis::event::Event;
use crate::discussion::event::{Event as Said, Opened, Record, StepRef, Time};
use crate::discussion::{self, Discussion, Finished};
use crate::landing;
use crate::library::sha256;
use crate::repo::Repo;
use crate::script::Script;
use crate::session::hold;
use crate::step::Step;
use crate::synthesis::{self, Outcome};
use crate::voice::evidence::{Evidence, search_words};
use crate::voice::offline::Offline;

impl Walk<'_> {
    /// One discussion, from the menu and back to it.
    pub(super) fn discuss(&mut self, step: usize, audience: &dyn Audience) -> Result<(), Stumbled> {
        let library = self.setup.library;
        let step = &library.steps[step];
        let run = talk_run(&self.setup.run, &step.id, self.talks);
        self.talks += 1;
        if let (Some(fixed), Mode::Each) = (self.setup.fixed, self.setup.mode) {
            let found = landing::recorded(self.setup.repo, self.at, &self.item, &step.id, fixed, &run)?;
            if let Some(recording) = found {
                return self.pass_by(step, recording, audience);
            }
        }
        let opening = self.opening(step, run);
        let first = Record { at: (self.setup.clock)(), event: Said::Opened(Box::new(opening)) };
        let mut talk = Discussion::open(library, step, first)?;
        audience.say(&format!("\n{}", talk.introduction()?));
        let depth = self.analysis.current().map_or(step.depth, |talk| talk.depth);
        let mut stand_in = Offline::new(self.evidence(step)?, depth);
        let mut script = self.setup.script.lend(&step.id);
        let held = hold_with(&mut talk, &mut stand_in, &mut script, self.setup.clock, audience);
        self.setup.script.give_back(&step.id, script);
        held?;
        let unfinished = || Stumbled::Audience("the discussion did not come to its end".to_owned());
        let finished = talk.finish().ok_or_else(unfinished)?;
        audience.say(&format!("\n{}", synthesis::summary_text(&finished, library)?));
        let recording = self.land_talk(finished, audience)?;
        self.record(Event::Elaborated { recording }, None)
    }

    fn opening(&self, step: &Step, run: String) -> Opened {
        let library = self.setup.library;
        Opened {
            format: discussion::event::FORMAT,
            item: self.item.path.clone(),
            item_name: self.item.name(),
            step: StepRef {
                id: step.id.clone(),
                title: step.title.clone(),
                phase: step.phase.clone(),
                outputs: step.outputs.clone(),
            },
            lead: library.cast.lead(&step.phase).0.key.clone(),
            max_turns: self.setup.max_turns,
            base: self.at.to_string(),
            branch: self.setup.branch.clone(),
            voice: self.setup.voice.clone(),
            model: None,
            user: self.analysis.opened().user.clone(),
            digests: library.digests(step),
            author: self.setup.author.clone(),
            run,
        }
    }

    fn evidence(&self, step: &Step) -> Result<Evidence, Stumbled> {
        let spoken: Vec<(&str, String)> =
            self.item.documents().map(|(name, text)| (name, statements(text))).collect();
        let files = spoken.iter().map(|(name, text)| (*name, text.as_str()));
        let mut evidence = Evidence::new(files, &step.outputs);
        let words = search_words(&self.item.name());
        evidence.mentions = self.setup.repo.mentions(self.at, &words, &self.item.path)?;
        Ok(evidence)
    }

    /// Lands a discussion as `elaborate` does; gives its recording.
    fn land_talk(&mut self, finished: Finished, audience: &dyn Audience) -> Result<String, Stumbled> {
        let library = self.setup.library;
        let base = self.at.to_string();
        if self.setup.mode != Mode::Each {
            let (outcome, additive) = landing::place(&self.item, &finished, library)?;
            self.grow(additive.changes())?;
            return Ok(self.told(finished, outcome, base, None, audience));
        }
        let landed = landing::land(self.setup.repo, library, &finished, self.at, &self.item)?;
        let (commit, outcome) = match landed {
            landing::Landing::Done(landed) => (landed.commit, landed.outcome),
            landing::Landing::Recorded { commit, recording } => (commit, Outcome::nothing(&recording)),
        };
        self.at = commit;
        self.item = self.setup.repo.item(commit, &self.item.path)?;
        self.commits.push(commit);
        Ok(self.told(finished, outcome, base, Some(commit), audience))
    }

    fn told(
        &mut self,
        finished: Finished,
        outcome: Outcome,
        base: String,
        commit: Option<Oid>,
        audience: &dyn Audience,
    ) -> String {
        audience.say("");
        for line in &outcome.announcements {
            audience.say(line);
        }
        if let Some(commit) = commit {
            let text =
                format!("Committed {} on {}: the discussion.", crate::repo::short(commit), self.setup.branch);
            audience.strong(&text);
        }
        let recording = outcome.recording.clone();
        self.elaborations.push(Held { finished, outcome, base, commit, already_recorded: false });
        recording
    }

    /// A discussion that this very run has held before it was cut off: its inputs are passed over.
    fn pass_by(&mut self, step: &Step, recording: String, audience: &dyn Audience) -> Result<(), Stumbled> {
        audience.note(&format!("the discussion of step {} was held before", step.id));
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

/// The one place where an analysis holds a discussion.
fn hold_with(
    talk: &mut Discussion<'_>,
    stand_in: &mut Offline,
    script: &mut Script,
    clock: &dyn Fn() -> Time,
    audience: &dyn Audience,
) -> Result<(), Stumbled> {
    let mut tell = |line: &Record| {
        audience.line(line);
        audience.check()
    };
    Ok(hold(talk, None, stand_in, script, clock, &mut tell)?)
}

/// The id of a discussion's run inside of an analysis: with a fixed clock the same again.
pub(super) fn talk_run(run: &str, step: &str, number: usize) -> String {
    sha256(json!([run, step, number]).to_string().as_bytes())[..32].to_owned()
}

/// A recording that stands at a commit.
pub(super) fn read_talk(repo: &Repo, commit: Oid, recording: &str) -> Result<Option<Finished>, Stumbled> {
    let bytes = repo.file(commit, recording)?.unwrap_or_default();
    let text = crate::json::utf8(recording, &bytes)?;
    Ok(discussion::finished(discussion::event::from_lines(recording, text)?))
}
