//! The loop between an [`Analysis`], a script and the repository: what [`crate::session`] is to a
//! discussion. It alone waits for anybody, reads the repository and commits.
//!
//! - Each step is one commit: artifacts, the step's log, meta.json. What has landed is what a later
//!   run goes on from; it reads meta.json and artifacts, and no logs (AC-NFR-003-03).
//! - A commit carries the run and how much of the script it has heard. So the same run, repeated with a
//!   fixed clock after it was cut off, goes on where it was and ends in the same commits.
//! - With `--one-commit` and `--dry-run` the item grows in memory, and lands at the end, or not at all.

use std::collections::BTreeMap;

use git2::Oid;
use minijinja::context;
use serde_json::json;

use crate::additive;
use crate::analysis::artifact::{self, Draft, Known, Material, draft};
use crate::analysis::event::{Event, Landed, Opened, Record, to_lines};
use crate::analysis::menu::Choice;
use crate::analysis::plan::Unplannable;
use crate::analysis::scan::{Census, Measure, keywords, measure};
use crate::analysis::{Analysis, Landing, Next, Stopped, Unopened, depth, greeting, menu};
use crate::discussion::event::{Author, Event as Said, Opened as Opening, Record as Line, StepRef, Time};
use crate::discussion::{self, Discussion, Finished};
use crate::item::meta::{self, Advance};
use crate::item::{Change, File, Item, Meta};
use crate::landing::{self, NotLanded, TRIES, with_trailers};
use crate::library::{Library, sha256};
use crate::plain;
use crate::repo::{Committed, Error, Repo, Wanted, trailers};
use crate::script::{Script, Taken};
use crate::session::{Stopped as Broken, hold};
use crate::step::{Depth, Step};
use crate::synthesis::{self, Outcome, Unplaced};
use crate::template::Failed;
use crate::voice::evidence::{Evidence, search_words};
use crate::voice::offline::Offline;

/// Commits of a run that are looked at to find where it was cut off.
const MOST: usize = 2_000;
/// Commits of others above a run's own that are passed on the way.
const FOREIGN: usize = 64;

/// Who watches the walk.
pub trait Audience {
    fn say(&self, text: &str);
    /// A line that stands out: a step's header, a commit.
    fn strong(&self, text: &str);
    fn user(&self, by: &str, text: &str);
    fn note(&self, text: &str);
    fn warn(&self, text: &str);
    /// An entry of a discussion's transcript.
    fn line(&self, record: &Line);
    /// Whether there is still somebody there.
    ///
    /// # Errors
    /// A full disk behind standard output, for instance.
    fn check(&self) -> Result<(), String>;
}

/// How what is found lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A commit a step.
    Each,
    /// One commit for all of it.
    One,
    /// Nothing is written.
    Dry,
}

/// What a walk starts from.
pub struct Setup<'r> {
    pub repo: &'r Repo,
    pub library: &'r Library,
    pub item: Item,
    pub script: Script,
    pub branch: String,
    /// The branch's tip, or where it will start.
    pub base: Oid,
    pub author: Author,
    pub voice: String,
    pub max_turns: u32,
    pub mode: Mode,
    /// The run id.
    pub run: String,
    /// The folder that items stand in.
    pub items: String,
    /// A fixed clock, with which the same run is the same commits.
    pub fixed: Option<Time>,
    pub clock: &'r dyn Fn() -> Time,
}

/// A discussion that was held in a menu.
pub struct Held {
    pub finished: Finished,
    pub outcome: Outcome,
    pub base: String,
    pub commit: Option<Oid>,
    pub already_recorded: bool,
}

/// How a walk ended.
pub struct Walked {
    pub stopped: Stopped,
    /// The commits of the run, the oldest first.
    pub commits: Vec<Oid>,
    /// Everything was done by an earlier run of the same id.
    pub already_recorded: bool,
    pub item: Item,
    /// Changes that were not committed, against what stands on the branch.
    pub pending: Vec<Change>,
    pub elaborations: Vec<Held>,
    pub phase: Option<String>,
    pub next_step: Option<String>,
    /// The log of the walk.
    pub log: Vec<Record>,
}

/// Why a walk broke off. What had landed stands.
#[derive(Debug, thiserror::Error)]
pub enum Stumbled {
    #[error("{0}")]
    Plan(#[from] Unplannable),
    #[error("{0}")]
    Unopened(#[from] Unopened),
    #[error("{0}")]
    Refused(#[from] crate::analysis::Refused),
    #[error("{0}")]
    Talk(#[from] discussion::Refused),
    #[error("{0}")]
    Broken(#[from] Broken),
    #[error("{0}")]
    Template(#[from] Failed),
    #[error("{0}")]
    NotLanded(#[from] NotLanded),
    #[error("{0}")]
    Finding(#[from] crate::finding::Finding),
    #[error("another run has finished step {0} meanwhile; run the same command again to go on behind it")]
    Overtaken(String),
    #[error("{0}")]
    Audience(String),
}

impl From<Error> for Stumbled {
    fn from(error: Error) -> Stumbled {
        Stumbled::NotLanded(error.into())
    }
}

impl From<Unplaced> for Stumbled {
    fn from(error: Unplaced) -> Stumbled {
        Stumbled::NotLanded(error.into())
    }
}

/// What stood at a path, and what stands there now.
type Grown = (Option<Vec<u8>>, Vec<u8>);

/// A walk under way.
struct Walk<'r> {
    setup: Setup<'r>,
    analysis: Analysis<'r>,
    item: Item,
    /// Where the item was read.
    at: Oid,
    commits: Vec<Oid>,
    /// Paths that grew in memory.
    grown: BTreeMap<String, Grown>,
    /// How much the script held.
    total: Script,
    censuses: BTreeMap<Vec<String>, Census>,
    elaborations: Vec<Held>,
    /// Discussions of the step under way.
    talks: usize,
    /// What the script held before the last input was taken.
    left_at_choice: (usize, usize),
    /// A copy of this very run is ahead.
    is_overtaken: bool,
    codebase: Oid,
}

/// Walks from where the item stands until everything is done or the answers run out.
///
/// # Errors
/// Anything that keeps the walk from going on; what has landed stands.
pub fn walk(setup: Setup<'_>, audience: &dyn Audience) -> Result<Walked, Stumbled> {
    let mut setup = setup;
    let earlier = match setup.fixed {
        Some(_) if setup.mode != Mode::Dry => earlier(&setup)?,
        _ => Earlier::default(),
    };
    let total = setup.script.clone();
    let is_recorded = !earlier.commits.is_empty() && (!earlier.is_tip || setup.mode == Mode::One);
    if is_recorded {
        audience.say("This run is on the branch already. Nothing was changed.");
        return recorded(&setup, earlier);
    }
    let mut at_menu = None;
    if let Some((step, heard)) = &earlier.at {
        audience.note(&format!("going on with the run that was cut off, at the menu of step {step}"));
        setup.script.skip(step, *heard);
        at_menu = Some(step.clone());
    }
    let item = setup.item.clone();
    let facts = facts(&item);
    let opened = Opened {
        format: crate::analysis::event::FORMAT,
        item: item.path.clone(),
        item_name: item.name(),
        base: setup.base.to_string(),
        branch: setup.branch.clone(),
        voice: setup.voice.clone(),
        user: setup.script.user.clone().unwrap_or_else(|| "User".to_owned()),
        run: setup.run.clone(),
        steps_completed: item.meta.steps_completed(),
        phases_completed: item.meta.phases_completed(),
        depth_overrides: item.meta.depth_overrides(),
        scope: facts.scope,
        complexity: facts.complexity,
        elaborations: elaborations(&item.meta),
        at_menu,
    };
    let first = Record { at: (setup.clock)(), event: Event::Opened(Box::new(opened)) };
    let analysis = Analysis::open(setup.library, first)?;
    let codebase = setup.repo.codebase(setup.base)?;
    let elaborations = earlier_talks(&setup, &earlier)?;
    let mut walk = Walk {
        at: setup.base,
        item,
        analysis,
        commits: earlier.commits,
        grown: BTreeMap::new(),
        total,
        censuses: BTreeMap::new(),
        elaborations,
        talks: 0,
        left_at_choice: (0, 0),
        is_overtaken: false,
        codebase,
        setup,
    };
    walk.migrate(audience)?;
    let stopped = walk.go(audience)?;
    walk.end(stopped)
}

/// Step and summary of each discussion that meta.json records.
fn elaborations(meta: &Meta) -> Vec<(String, String)> {
    let field = |record: &serde_json::Value, key: &str| {
        record.get(key).and_then(|value| value.as_str()).map(plain::shown)
    };
    let pair = |record| Some((field(record, "step_id")?, field(record, "synthesis_summary")?));
    meta.elaborations().iter().filter_map(pair).collect()
}

/// What the quick scan says.
fn facts(item: &Item) -> Landed {
    let text = item.documents().find(|(name, _)| *name == "quick-scan.md").map_or("", |(_, text)| text);
    let (scope, complexity) = depth::stated(text);
    Landed { scope, complexity }
}

impl Walk<'_> {
    fn go(&mut self, audience: &dyn Audience) -> Result<Stopped, Stumbled> {
        loop {
            audience.check().map_err(Stumbled::Audience)?;
            match self.analysis.next()? {
                Next::Begin(beginning) => {
                    let step = &self.setup.library.steps[beginning.step];
                    if self.setup.script.is_over(&step.id) {
                        self.record(Event::Chosen { choice: Choice::Stop }, None)?;
                        continue;
                    }
                    for (id, why) in &beginning.left_out {
                        audience.warn(&format!("step {id} is left out: {why}"));
                    }
                    self.warn_of_strangers(step, audience);
                    let said = greeting::beginning(&self.analysis, &beginning, &Known::read(&self.item))?;
                    let (header, before) =
                        said.split_last().map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
                    for text in before {
                        audience.say(&format!("\n{text}"));
                    }
                    audience.say("");
                    audience.strong(header);
                    self.talks = 0;
                    let base = self.at.to_string();
                    self.record(self.analysis.begun(beginning.step, beginning.depth, &base), None)?;
                }
                Next::Ask(prompt) => self.ask(&prompt, audience)?,
                Next::Choose(found) => self.choose(&found, audience)?,
                Next::Land(landing) => {
                    self.land(&landing, audience)?;
                    let facts = facts(&self.item);
                    self.record(Event::Landed(facts), None)?;
                }
                Next::Discuss { step } => self.discuss(step, audience)?,
                Next::Stop(stopped) => return Ok(stopped),
            }
        }
    }

    fn record(&mut self, event: Event, at: Option<Time>) -> Result<(), Stumbled> {
        let at = at.unwrap_or_else(|| (self.setup.clock)());
        Ok(self.analysis.record(Record { at, event })?)
    }

    fn step(&self) -> Option<&'_ Step> {
        self.analysis.current().map(|talk| &self.setup.library.steps[talk.step])
    }

    /// A persona or a phase that nobody knows falls to somebody, and that is said (AC-003-06).
    fn warn_of_strangers(&self, step: &Step, audience: &dyn Audience) {
        let (lead, is_known) = self.setup.library.cast.lead(&step.phase);
        if !is_known {
            audience.warn(&format!("nobody leads the phase \"{}\"; {} leads it", step.phase, lead.name));
        }
        let (persona, is_known) = self.analysis.persona(step);
        if !is_known {
            let unknown = plain::shown(&step.persona);
            audience.warn(&format!(
                "step {} names the persona \"{unknown}\", who is not at the table; {} asks",
                step.id, persona.name
            ));
        }
    }

    fn ask(&mut self, prompt: &crate::step::Prompt, audience: &dyn Audience) -> Result<(), Stumbled> {
        let Some(talk) = self.analysis.current() else { return Ok(()) };
        let library = self.setup.library;
        let step = &library.steps[talk.step];
        let drafted = self.drafted(step, talk.depth);
        audience.say(&format!("\n{}", greeting::prompt(library, prompt, talk.depth, &drafted)?));
        let (id, said) = (step.id.clone(), talk.answers.len());
        self.left_at_choice = self.setup.script.left(&id);
        match self.setup.script.take(&id, false) {
            Taken::Said(input) => {
                let by = input.by.clone().unwrap_or_else(|| self.analysis.opened().user.clone());
                audience.user(&by, &input.text);
                let event = self.analysis.hear(&by, &input.text);
                if matches!(event, Event::Answered { .. }) {
                    let persona = self.analysis.persona(step).0;
                    audience.say(&greeting::reflection(library, persona, &input.text, said)?);
                }
                self.record(event, input.at)
            }
            Taken::Silence | Taken::Through => {
                audience.say("(no answer; it stays open)");
                self.record(self.analysis.silence(), None)
            }
            Taken::End => {
                audience.say("(the answers end here)");
                self.record(Event::Chosen { choice: Choice::Stop }, None)
            }
        }
    }

    /// The lines that a brief prompt asks to confirm.
    fn drafted(&self, step: &Step, depth: Depth) -> Vec<draft::Line> {
        if depth == Depth::Brief { artifact::drafted(&self.item, step) } else { Vec::new() }
    }

    fn choose(&mut self, found: &menu::Menu, audience: &dyn Audience) -> Result<(), Stumbled> {
        let Some(talk) = self.analysis.current() else { return Ok(()) };
        let step = &self.setup.library.steps[talk.step];
        if talk.is_fresh() {
            let draft = self.draft();
            let again = talk.is_landed();
            // What would land, before anything is chosen (AC-007-01, AC-007-04).
            let measured = self.measured(step, &draft, again)?;
            let Some(talk) = self.analysis.current() else { return Ok(()) };
            let outcome = self.outcome(
                &self.item,
                step_of(self.setup.library, talk),
                &draft,
                measured.as_ref(),
                again,
            )?;
            audience.say("");
            for line in &outcome.announcements {
                audience.say(line);
            }
            let uncovered = draft::uncovered(step_of(self.setup.library, talk), &draft);
            for text in greeting::closing(&self.analysis, talk, if again { &[] } else { &uncovered })? {
                audience.say(&text);
            }
        }
        audience.say(&format!("\n{}", menu::text(found, self.setup.library)?));
        let id = self.step().map(|step| step.id.clone()).unwrap_or_default();
        let said = self.analysis.current().map_or(0, |talk| talk.answers.len() + talk.feedback.len());
        self.left_at_choice = self.setup.script.left(&id);
        match self.setup.script.take(&id, true) {
            Taken::Said(input) => {
                let by = input.by.clone().unwrap_or_else(|| self.analysis.opened().user.clone());
                audience.user(&by, &input.text);
                let event = self.analysis.hear(&by, &input.text);
                if matches!(event, Event::Feedback { .. })
                    && let Some(step) = self.step()
                {
                    let persona = self.analysis.persona(step).0;
                    audience.say(&greeting::reflection(self.setup.library, persona, &input.text, said)?);
                }
                self.record(event, input.at)
            }
            Taken::Silence => self.record(Event::Waited {}, None),
            Taken::Through => self.record(Event::Chosen { choice: Choice::Continue }, None),
            Taken::End => self.record(Event::Chosen { choice: Choice::Stop }, None),
        }
    }

    /// What was said of the step under way.
    fn draft(&self) -> Draft {
        let Some(talk) = self.analysis.current() else { return Draft::default() };
        let drafted = self.drafted(&self.setup.library.steps[talk.step], talk.depth);
        draft::draft(&talk.answers, &talk.feedback, &drafted)
    }

    /// The quick scan's counts, where the step writes them.
    fn measured(&mut self, step: &Step, draft: &Draft, again: bool) -> Result<Option<Measure>, Stumbled> {
        let counts = |output: &String| output == "quick-scan.md" || output == "impact-analysis.md";
        if again || !step.outputs.iter().any(counts) {
            return Ok(None);
        }
        let scan =
            self.item.documents().find(|(name, _)| *name == "quick-scan.md").map_or("", |(_, text)| text);
        let mut words = keywords(&self.item.name(), draft.said().filter(|_| step.phase.starts_with("00-")));
        for word in table_words(scan) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        if !self.censuses.contains_key(&words) {
            let leave_out = [
                self.setup.items.clone(),
                self.item.path.clone(),
                ".roundtable".to_owned(),
                ".roundtable.yaml".to_owned(),
            ];
            let census = self.setup.repo.census(self.codebase, &words, &leave_out)?;
            self.censuses.insert(words.clone(), census);
        }
        Ok(self.censuses.get(&words).map(measure))
    }

    fn outcome(
        &self,
        item: &Item,
        step: &Step,
        draft: &Draft,
        measure: Option<&Measure>,
        again: bool,
    ) -> Result<artifact::Outcome, Stumbled> {
        let depth = self.analysis.current().map_or(step.depth, |talk| talk.depth);
        let persona = self.analysis.persona(step).0;
        let at = (self.setup.clock)();
        let material =
            Material { item, library: self.setup.library, step, persona, depth, draft, measure, again, at };
        Ok(artifact::outcome(&material)?)
    }

    /// Commits what the step has come to, or lets the item grow in memory.
    fn land(&mut self, landing: &Landing, audience: &dyn Audience) -> Result<(), Stumbled> {
        if !landing.has_words && landing.phases.is_empty() {
            return Ok(());
        }
        let library = self.setup.library;
        let step = &library.steps[landing.step];
        let draft = self.draft();
        let measure = self.measured(step, &draft, landing.again)?;
        let at = (self.setup.clock)();
        let log = to_lines(&self.analysis.step_log(&self.at.to_string(), at));
        if self.setup.mode == Mode::Each && self.stands(landing, step, &log)? {
            return Ok(());
        }
        let codebase = self.codebase.to_string();
        let mut build = |item: &Item| -> Result<Vec<Change>, Stumbled> {
            let mut changes = Vec::new();
            if landing.has_words {
                changes = self.outcome(item, step, &draft, measure.as_ref(), landing.again)?.changes;
                let path = log_path(item, step, at);
                changes.push(Change { path, before: None, after: log.clone().into_bytes() });
            }
            let steps = [step.id.clone()];
            let advance = Advance {
                steps: &steps,
                phases: &landing.phases,
                depths: &landing.depths,
                codebase: codebase.get(..7).filter(|_| !landing.phases.is_empty()),
            };
            changes.extend(meta_change(item, item.meta.advanced(&advance)?));
            Ok(changes)
        };
        if self.setup.mode != Mode::Each {
            let changes = build(&self.item)?;
            let additive = additive::verify(changes).map_err(|losses| NotLanded::Losses { losses })?;
            self.grow(additive.changes())?;
            return Ok(());
        }
        let body = self.message(landing, step, &draft)?;
        let heard = self.heard(&step.id);
        let mut trailers = vec![("Item", self.item.path.clone()), ("Step", step.id.clone())];
        if landing.has_words {
            trailers.push(("Log", sha256(log.as_bytes())));
        }
        trailers.push(("Heard", format!("{} {}", heard.0, heard.1)));
        trailers.push(("Run", self.setup.run.clone()));
        let message = with_trailers(&body, &trailers);
        let done = self.item.meta.steps_completed().contains(&step.id);
        let landed = commit(&self.setup, self.at, &self.item, &message, at, &mut build, &|item| {
            !done && item.meta.steps_completed().contains(&step.id)
        })?;
        self.landed(landed, &step.id, audience)
    }

    /// Whether a copy of this very run has landed this before.
    fn stands(&self, landing: &Landing, step: &Step, log: &str) -> Result<bool, Stumbled> {
        if !self.is_overtaken {
            return Ok(false);
        }
        if !landing.again {
            return Ok(self.item.meta.steps_completed().contains(&step.id));
        }
        if !landing.has_words {
            let phases = self.item.meta.phases_completed();
            return Ok(landing.phases.iter().all(|phase| phases.contains(phase)));
        }
        // All but the beginning, which names the commit it was read from.
        let words = |log: &str| log.split_once('\n').map(|(_, rest)| rest.to_owned());
        let stem = format!("analysis/{}-", step.id);
        for name in self.item.files.keys().filter(|name| name.starts_with(&stem)) {
            let bytes = self.setup.repo.file(self.at, &format!("{}/{name}", self.item.path))?;
            if words(&String::from_utf8_lossy(&bytes.unwrap_or_default())) == words(log) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes on from a commit.
    fn landed(&mut self, landed: Stood, step: &str, audience: &dyn Audience) -> Result<(), Stumbled> {
        match landed {
            Stood::Done(commit) => {
                audience.strong(&format!(
                    "Committed {} on {}: step {step}.",
                    crate::repo::short(commit),
                    self.setup.branch
                ));
                self.commits.push(commit);
                self.at = commit;
            }
            // A copy of this very run was faster.
            Stood::Overtaken(tip) => {
                let message = self.setup.repo.message_of(tip)?;
                let found = trailers(&message);
                if found.get("Run") != Some(&self.setup.run) {
                    return Err(Stumbled::Overtaken(step.to_owned()));
                }
                self.is_overtaken = true;
                self.at = tip;
            }
        }
        self.item = self.setup.repo.item(self.at, &self.item.path)?;
        Ok(())
    }

    fn message(&self, landing: &Landing, step: &Step, draft: &Draft) -> Result<String, Failed> {
        let open = match draft.open.len() {
            0 => String::new(),
            1 => "1 question".to_owned(),
            many => format!("{many} questions"),
        };
        let values = context! {
            slug => self.item.slug(),
            step_id => step.id.as_str(),
            phase => step.phase.as_str(),
            open,
            again => landing.again,
        };
        let template = if landing.has_words { "commit-step" } else { "commit-close" };
        self.setup.library.templates.render(&format!("analysis/{template}.txt"), values)
    }

    /// How much of the script was heard before the choice at hand: a run that is cut off behind the
    /// commit hears the choice again.
    fn heard(&self, step: &str) -> (usize, usize) {
        let (total, left) = (self.total.left(step), self.left_at_choice);
        (total.0.saturating_sub(left.0), total.1.saturating_sub(left.1))
    }

    /// What an older field of meta.json stands for is said by the newer ones, in a commit of its own
    /// (contract, section 8).
    fn migrate(&mut self, audience: &dyn Audience) -> Result<(), Stumbled> {
        if !self.item.meta.owed_by_legacy() {
            return Ok(());
        }
        let at = (self.setup.clock)();
        let none = BTreeMap::new();
        let advance = Advance { steps: &[], phases: &[], depths: &none, codebase: None };
        let mut build = |item: &Item| -> Result<Vec<Change>, Stumbled> {
            Ok(meta_change(item, item.meta.advanced(&advance)?).into_iter().collect())
        };
        if self.setup.mode != Mode::Each {
            let changes = build(&self.item)?;
            return self.grow(&changes);
        }
        let body = self
            .setup
            .library
            .templates
            .render("analysis/commit-migrate.txt", context! { slug => self.item.slug() })?;
        let trailers = [("Item", self.item.path.clone()), ("Run", self.setup.run.clone())];
        let message = with_trailers(&body, &trailers);
        let is_done = |item: &Item| !item.meta.owed_by_legacy();
        let stood = commit(&self.setup, self.at, &self.item, &message, at, &mut build, &is_done)?;
        self.landed(stood, "meta.json", audience)
    }

    /// Lets the item grow in memory.
    fn grow(&mut self, changes: &[Change]) -> Result<(), Stumbled> {
        for change in changes {
            let grown = self.grown.entry(change.path.clone());
            grown.or_insert_with(|| (change.before.clone(), Vec::new())).1.clone_from(&change.after);
            let Some(name) = change.path.strip_prefix(&format!("{}/", self.item.path)) else { continue };
            if let Some(recording) = name.strip_prefix("elaborations/") {
                self.item.recordings.push(recording.to_owned());
                continue;
            }
            if name == meta::FILE {
                self.item.meta = Meta::read(&change.path, &change.after)?;
            }
            let is_document = crate::item::is_document(name);
            let file = if is_document { File::Bytes(change.after.clone()) } else { File::Opaque };
            self.item.files.insert(name.to_owned(), file);
        }
        Ok(())
    }

    /// One discussion, from the menu and back to it.
    fn discuss(&mut self, step: usize, audience: &dyn Audience) -> Result<(), Stumbled> {
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
        let first = Line { at: (self.setup.clock)(), event: Said::Opened(Box::new(opening)) };
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

    fn opening(&self, step: &Step, run: String) -> Opening {
        let library = self.setup.library;
        Opening {
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
            self.item.documents().map(|(name, text)| (name, without_questions(text))).collect();
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

    /// The end of the walk: one commit for all of it where that is wanted.
    fn end(mut self, stopped: Stopped) -> Result<Walked, Stumbled> {
        let changes: Vec<Change> = std::mem::take(&mut self.grown)
            .into_iter()
            .map(|(path, (before, after))| Change { path, before, after })
            .filter(|change| change.before.as_deref() != Some(&change.after))
            .collect();
        let mut pending = Vec::new();
        match self.setup.mode {
            Mode::One if !changes.is_empty() => self.commit_all(changes)?,
            _ => pending = changes,
        }
        if self.is_overtaken {
            self.setup.base = self.at;
            self.commits = earlier(&self.setup)?.commits;
        }
        let (next, _) = self.analysis.standing();
        Ok(Walked {
            phase: next.map(|step| step.phase.clone()),
            next_step: next.map(|step| step.id.clone()),
            stopped,
            commits: self.commits,
            already_recorded: false,
            item: self.item,
            pending,
            elaborations: self.elaborations,
            log: self.analysis.log().to_vec(),
        })
    }

    fn commit_all(&mut self, changes: Vec<Change>) -> Result<(), Stumbled> {
        let before = self.analysis.opened().steps_completed.len();
        let steps = self.analysis.progress().0.get(before..).unwrap_or_default().to_vec();
        let shown = match steps.as_slice() {
            [] => "the item".to_owned(),
            [one] => format!("step {one}"),
            [first, .., last] => format!("steps {first} to {last}"),
        };
        let values = context! { slug => self.item.slug(), steps => shown };
        let body = self.setup.library.templates.render("analysis/commit-all.txt", values)?;
        let trailers =
            [("Item", self.item.path.clone()), ("Steps", steps.join(" ")), ("Run", self.setup.run.clone())];
        let message = with_trailers(&body, &trailers);
        let at = (self.setup.clock)();
        let mut build = |_: &Item| Ok(changes.clone());
        let stood = commit(&self.setup, self.at, &self.setup.item, &message, at, &mut build, &|_| true)?;
        match stood {
            Stood::Done(commit) => self.commits.push(commit),
            Stood::Overtaken(tip) if self.setup.repo.message_of(tip)? == message => self.commits.push(tip),
            Stood::Overtaken(_) => return Err(NotLanded::Busy(self.setup.branch.clone()).into()),
        }
        for held in &mut self.elaborations {
            held.commit = self.commits.last().copied();
        }
        Ok(())
    }
}

/// A document with our own questions blanked, line by line: they are nobody's word, and no evidence.
fn without_questions(text: &str) -> String {
    let mut open = false;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        open = bare.starts_with(artifact::OPEN) || open && (bare.is_empty() || bare.starts_with("- "));
        let asks = bare.starts_with("**") && bare.ends_with("?**") || bare.contains(", asked by ");
        if !(open || asks) {
            out.push_str(bare);
        }
        out.push_str(&line[bare.len()..]);
    }
    out
}

/// The step that is talked about.
fn step_of<'l>(library: &'l Library, talk: &crate::analysis::Talk) -> &'l Step {
    &library.steps[talk.step]
}

/// The one place where an analysis holds a discussion.
fn hold_with(
    talk: &mut Discussion<'_>,
    stand_in: &mut Offline,
    script: &mut Script,
    clock: &dyn Fn() -> Time,
    audience: &dyn Audience,
) -> Result<(), Stumbled> {
    let mut tell = |line: &Line| {
        audience.line(line);
        audience.check()
    };
    Ok(hold(talk, None, stand_in, script, clock, &mut tell)?)
}

/// The id of a discussion's run inside of an analysis: with a fixed clock the same again.
fn talk_run(run: &str, step: &str, number: usize) -> String {
    sha256(json!([run, step, number]).to_string().as_bytes())[..32].to_owned()
}

/// A recording that stands at a commit.
fn read_talk(repo: &Repo, commit: Oid, recording: &str) -> Result<Option<Finished>, Stumbled> {
    let bytes = repo.file(commit, recording)?.unwrap_or_default();
    let text = crate::json::utf8(recording, &bytes)?;
    Ok(discussion::finished(discussion::event::from_lines(recording, text)?))
}

/// Where a step's log goes; a second one of the same moment gets a number.
fn log_path(item: &Item, step: &Step, at: Time) -> String {
    let stem = format!("analysis/{}-{}", step.id, at.digits());
    let mut name = format!("{stem}.jsonl");
    let mut number = 2;
    while item.files.contains_key(&name) {
        name = format!("{stem}-{number}.jsonl");
        number += 1;
    }
    format!("{}/{name}", item.path)
}

/// The change of meta.json, if it changes.
fn meta_change(item: &Item, after: String) -> Option<Change> {
    let Some(File::Bytes(before)) = item.files.get(meta::FILE) else { return None };
    (*before != after.as_bytes()).then(|| Change {
        path: format!("{}/{}", item.path, meta::FILE),
        before: Some(before.clone()),
        after: after.into_bytes(),
    })
}

/// The keywords that a quick scan of ours lists in its table.
fn table_words(scan: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut within = false;
    for line in scan.lines() {
        within = line.starts_with('|') && (within || line.starts_with("| Keyword |"));
        let word = line.trim_matches('|').split('|').next().unwrap_or_default().trim().replace('\\', "");
        if within && !word.is_empty() && word != "Keyword" && !word.starts_with("--") {
            found.push(word.to_lowercase());
        }
    }
    found
}

/// How a commit ended.
enum Stood {
    Done(Oid),
    /// Somebody else has brought what was to be committed; the branch's tip.
    Overtaken(Oid),
}

/// Commits changes on the branch, made anew on its tip when somebody else has moved it.
fn commit(
    setup: &Setup<'_>,
    start: Oid,
    read: &Item,
    message: &str,
    at: Time,
    build: &mut dyn FnMut(&Item) -> Result<Vec<Change>, Stumbled>,
    is_done: &dyn Fn(&Item) -> bool,
) -> Result<Stood, Stumbled> {
    let repo = setup.repo;
    let mut lock = repo.lock()?;
    for _ in 0..TRIES {
        let tip = repo.tip(&setup.branch)?;
        repo.refuse_checked_out(&setup.branch)?;
        let parent = tip.unwrap_or(start);
        let moved;
        let item = if parent == start {
            read
        } else {
            moved = repo.item(parent, &read.path)?;
            if is_done(&moved) {
                return Ok(Stood::Overtaken(parent));
            }
            &moved
        };
        let changes = build(item)?;
        let additive = additive::verify(changes).map_err(|losses| NotLanded::Losses { losses })?;
        let wanted = Wanted {
            branch: &setup.branch,
            tip,
            parent,
            additive: &additive,
            message,
            author: &setup.author,
            time: at.seconds(),
        };
        if let Committed::Done(commit) = repo.commit(&mut lock, &wanted)? {
            return Ok(Stood::Done(commit));
        }
    }
    Err(NotLanded::Busy(setup.branch.clone()).into())
}

/// What an earlier run of the same id has left on the branch.
#[derive(Default)]
struct Earlier {
    /// Its commits, the oldest first.
    commits: Vec<Oid>,
    /// The last step it landed, and how much it had heard by then.
    at: Option<(String, (usize, usize))>,
    /// Nobody has gone on since.
    is_tip: bool,
    /// The discussions among them: the commit, the step, the discussion's run.
    talks: Vec<(Oid, String, String)>,
}

/// Looks for commits of this run along the branch's first parents.
fn earlier(setup: &Setup<'_>) -> Result<Earlier, Error> {
    let mut found = Earlier { is_tip: true, ..Earlier::default() };
    let (mut at, mut foreign) = (setup.base, 0);
    for _ in 0..MOST {
        let message = setup.repo.message_of(at)?;
        let trailers = trailers(&message);
        let get = |name: &str| trailers.get(name).map(String::as_str).unwrap_or_default();
        let is_item = get("Item") == setup.item.path;
        let (run, step) = (get("Run"), get("Step"));
        let is_talk = is_item
            && !get("Recording").is_empty()
            && (0..FOREIGN).any(|number| talk_run(&setup.run, step, number) == run);
        if is_item && (run == setup.run || is_talk) {
            found.commits.push(at);
            if is_talk {
                found.talks.push((at, step.to_owned(), run.to_owned()));
            } else if found.at.is_none() && !step.is_empty() {
                found.at = Some((step.to_owned(), pair(get("Heard"))));
            }
        } else if !found.commits.is_empty() || foreign >= FOREIGN {
            break;
        } else {
            found.is_tip = false;
            foreign += 1;
        }
        match setup.repo.parents_of(at)?.first() {
            Some(parent) => at = *parent,
            None => break,
        }
    }
    found.commits.reverse();
    found.talks.reverse();
    Ok(found)
}

/// Two numbers with a blank between.
fn pair(text: &str) -> (usize, usize) {
    let (a, b) = text.split_once(' ').unwrap_or((text, "0"));
    (a.parse().unwrap_or(0), b.parse().unwrap_or(0))
}

/// The discussions that an earlier run of the same id has held.
fn earlier_talks(setup: &Setup<'_>, earlier: &Earlier) -> Result<Vec<Held>, Stumbled> {
    let Some(fixed) = setup.fixed else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (commit, step, run) in &earlier.talks {
        let Some(path) = landing::recorded(setup.repo, *commit, &setup.item, step, fixed, run)? else {
            continue;
        };
        if let Some(finished) = read_talk(setup.repo, *commit, &path)? {
            let base = finished.opened.base.clone();
            let outcome = Outcome::nothing(&path);
            found.push(Held { finished, outcome, base, commit: Some(*commit), already_recorded: true });
        }
    }
    Ok(found)
}

/// The report of a run that is on the branch already.
fn recorded(setup: &Setup<'_>, earlier: Earlier) -> Result<Walked, Stumbled> {
    let facts = facts(&setup.item);
    let opened = Opened {
        item: setup.item.path.clone(),
        item_name: setup.item.name(),
        steps_completed: setup.item.meta.steps_completed(),
        phases_completed: setup.item.meta.phases_completed(),
        depth_overrides: setup.item.meta.depth_overrides(),
        scope: facts.scope,
        complexity: facts.complexity,
        ..Opened::default()
    };
    let first = Record { at: (setup.clock)(), event: Event::Opened(Box::new(opened)) };
    let analysis = Analysis::open(setup.library, first)?;
    let (next, _) = analysis.standing();
    Ok(Walked {
        stopped: if next.is_some() { Stopped::OutOfAnswers } else { Stopped::Complete },
        phase: next.map(|step| step.phase.clone()),
        next_step: next.map(|step| step.id.clone()),
        elaborations: earlier_talks(setup, &earlier)?,
        commits: earlier.commits,
        already_recorded: true,
        item: setup.item.clone(),
        pending: Vec::new(),
        log: analysis.log().to_vec(),
    })
}
