//! The loop between an [`Analysis`], a script and the repository: what [`crate::run::session`] is to a
//! discussion. It alone waits for anybody, reads the repository and commits.
//!
//! - Each step is one commit: artifacts, the step's log, meta.json. What has landed is what a later
//!   run goes on from; it reads meta.json and artifacts, and no logs (analysis AC-NFR-003-03).
//! - A commit carries the run and how much of the script it has heard. So the same run, repeated with a
//!   fixed clock after it was cut off, goes on where it was and ends in the same commits.
//! - With `--one-commit` and `--dry-run` the item grows in memory, and lands at the end, or not at all.

mod drafting;
mod earlier;
mod land;
mod speakers;
mod talk;
mod typed;

use std::collections::{BTreeMap, BTreeSet};

use git2::Oid;

use self::earlier::{Earlier, earlier, earlier_talks, recorded};
pub use self::speakers::{Speaker, StepVoice, WalkVoices};
use crate::analysis::artifact::{self, Draft, Known, draft};
use crate::analysis::event::{Event, Landed, Opened, Record};
use crate::analysis::menu::Choice;
use crate::analysis::plan::Unplannable;
use crate::analysis::scan::{KeywordCounts, Measure, keywords, measure};
use crate::analysis::{Analysis, Next, Stopped, Unopened, answer_forms, depth, greeting, menu};
use crate::discussion;
use crate::discussion::event::{Author, Time};
use crate::git::{Error, Repo};
use crate::item::config;
use crate::item::library::{Library, Unusable};
use crate::item::persona::Persona;
use crate::item::step::{Prompt, Step};
use crate::item::{Change, Item, Meta};
use crate::run;
use crate::run::Observer;
use crate::run::landing::NotLanded;
use crate::run::script::{AskedAt, Script, Taken};
use crate::run::session::Stopped as Broken;
use crate::run::voices;
use crate::synthesis::Unplaced;
use crate::text::plain;
use crate::text::remedy::Remedy;
use crate::text::template::Failed;
use crate::voice::model::Meter;
use crate::voice::passages::Passages;

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
pub struct WalkSetup<'r> {
    pub repo: &'r Repo,
    pub library: &'r Library,
    pub item: Item,
    pub script: Script,
    pub branch: String,
    /// The branch's tip, or where it will start.
    pub base: Oid,
    pub author: Author,
    /// Who speaks in discussions and drafts.
    pub speakers: WalkVoices,
    /// The most tokens that a discussion may take.
    pub tokens: Option<u64>,
    /// What of the repository a model is sent.
    pub evidence: config::Evidence,
    pub max_turns: u32,
    pub mode: Mode,
    /// The run id.
    pub run: String,
    /// The folders that hold items.
    pub items: Vec<String>,
    /// The layout that the settings give the item.
    pub layout: Option<String>,
    /// A fixed clock, with which the same run is the same commits.
    pub fixed: Option<Time>,
    pub clock: &'r dyn Fn() -> Time,
}

/// A step that a model was asked to draft.
pub struct Drafting {
    pub step: String,
    /// The voice as the step's log names it.
    pub voice: String,
    /// What the model took.
    pub usage: Meter,
}

/// How a walk ended.
pub struct Walked {
    pub stopped: Stopped,
    /// The commits of the run, the oldest first.
    pub commits: Vec<Oid>,
    /// Everything was done by an earlier run of the same id.
    pub already_recorded: bool,
    pub item: Item,
    /// Changes that were not committed, against what is on the branch.
    pub pending: Vec<Change>,
    pub elaborations: Vec<run::Landed>,
    pub drafts: Vec<Drafting>,
    pub phase: Option<String>,
    pub next_step: Option<String>,
    /// The comments that nothing was written of: what they answer is not finished.
    pub unwritten: BTreeSet<u64>,
    /// The log of the walk.
    pub log: Vec<Record>,
}

/// Why a walk broke off. What had landed is kept.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    #[error("{0}")]
    Plan(#[from] Unplannable),
    #[error("{0}")]
    Unopened(#[from] Unopened),
    #[error("{0}")]
    Library(#[from] Unusable),
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
    Finding(#[from] crate::text::finding::Finding),
    #[error("another run has finished step {0} meanwhile")]
    Overtaken(String),
    #[error("{0}")]
    Interrupted(String),
    /// A discussion broke off whose log is kept.
    #[error("{why}; nothing of the discussion was committed, and what was said is kept")]
    Kept { why: Box<WalkError>, how: String },
    /// Too late to have changed nothing: then the error says what was committed.
    #[error("{why}; what was done before is kept in the commit {commit} on {branch}")]
    AfterCommit { why: Box<WalkError>, commit: String, branch: String },
}

impl Remedy for WalkError {
    fn remedy(&self) -> Option<String> {
        match self {
            WalkError::NotLanded(error) => error.remedy(),
            WalkError::Broken(error) => error.remedy(),
            WalkError::Library(error) => error.remedy(),
            WalkError::Overtaken(_) => Some("run the same command again to continue after it".to_owned()),
            WalkError::Kept { how, .. } => Some(format!("{how} goes on with it")),
            WalkError::AfterCommit { why, .. } => {
                let first = why.remedy().map(|remedy| format!("{remedy}, and ")).unwrap_or_default();
                Some(format!("{first}the same command continues after it"))
            }
            _ => None,
        }
    }
}

impl From<Error> for WalkError {
    fn from(error: Error) -> WalkError {
        WalkError::NotLanded(error.into())
    }
}

impl From<Unplaced> for WalkError {
    fn from(error: Unplaced) -> WalkError {
        WalkError::NotLanded(error.into())
    }
}

/// Whether a line may be heard and kept: a voice may have said what is secret.
fn check_secrets(text: &str) -> Result<(), String> {
    voices::refuse_secrets("the next line", text).map_err(|fail| fail.to_line())
}

/// What was at a path, and what is there now.
type FileChange = (Option<Vec<u8>>, Vec<u8>);

/// A walk under way.
struct Walk<'r> {
    setup: WalkSetup<'r>,
    analysis: Analysis<'r>,
    item: Item,
    /// Where the item was read.
    at: Oid,
    commits: Vec<Oid>,
    /// Paths that grew in memory.
    grown: BTreeMap<String, FileChange>,
    /// How much the script held.
    total: Script,
    counted: BTreeMap<Vec<String>, KeywordCounts>,
    /// The parts of artifacts that the library's steps name.
    parts: Vec<draft::Named>,
    elaborations: Vec<run::Landed>,
    drafts: Vec<Drafting>,
    /// Discussions of the step under way.
    talks: usize,
    /// The commit that the walk began on, and the item there.
    start: (Oid, Item),
    /// How often the same was said after a landing of its step.
    told: BTreeMap<String, usize>,
    /// What the script held before the last input was taken.
    left_at_choice: (usize, usize),
    /// Commits that an earlier run of the same id had made.
    recorded: usize,
    /// How many remarks had been announced when the menu was last shown; none before it was.
    announced: Option<usize>,
    /// The comments that were heard since the last landing.
    unwritten: BTreeSet<u64>,
    /// A copy of this very run is ahead.
    is_overtaken: bool,
    codebase: Oid,
}

/// Walks from the item's next step until everything is done or the answers run out.
///
/// # Errors
/// Anything that keeps the walk from going on; what has landed is kept.
pub fn walk(setup: WalkSetup<'_>, observer: &dyn Observer) -> Result<Walked, WalkError> {
    let mut setup = setup;
    let earlier = match setup.fixed {
        Some(_) if setup.mode != Mode::Dry => earlier(&setup)?,
        _ => Earlier::default(),
    };
    let total = setup.script.clone();
    let is_recorded = !earlier.commits.is_empty() && (earlier.is_outrun || setup.mode == Mode::One);
    if is_recorded {
        return recorded(&setup, earlier);
    }
    let mut at_menu = None;
    if let Some((step, heard)) = &earlier.at {
        observer
            .note(&format!("the branch carries this run up to the menu of step {step}; going on from there"));
        setup.script.skip(step, *heard);
        at_menu = Some(step.clone());
    }
    let item = setup.item.clone();
    let is_resumed = item.meta.steps_completed().iter().any(|step| !earlier.steps.contains(step));
    setup.script.is_by_number = is_resumed || setup.script.is_by_number && setup.script.names_questions();
    let event = Event::Opened(Box::new(opened(&setup, at_menu)));
    let first = Record { at: (setup.clock)(), event };
    let analysis = Analysis::open(setup.library, first)?;
    if setup.script.is_live() {
        typed::go_on(&mut setup, analysis.standing().0.map(|step| step.id.as_str()), observer);
    }
    let codebase = setup.repo.codebase(setup.base)?;
    let elaborations = earlier_talks(&setup, &earlier)?;
    let earlier_commits = earlier.commits.len();
    let start = (setup.base, setup.item.clone());
    let mut walk = Walk {
        at: setup.base,
        item,
        analysis,
        commits: earlier.commits,
        grown: BTreeMap::new(),
        total,
        counted: BTreeMap::new(),
        parts: artifact::parts_of(setup.library),
        elaborations,
        drafts: Vec::new(),
        talks: earlier.talks_before,
        start,
        told: BTreeMap::new(),
        left_at_choice: (0, 0),
        recorded: earlier_commits,
        announced: None,
        unwritten: BTreeSet::new(),
        is_overtaken: false,
        codebase,
        setup,
    };
    let stopped = walk.migrate(observer).and_then(|()| walk.go(observer));
    match stopped {
        Ok(stopped) => {
            walk.say_unused(observer);
            walk.end(stopped)
        }
        Err(why) => Err(walk.broken_off(why)),
    }
}

/// The first event: what the walk starts from.
fn opened(setup: &WalkSetup<'_>, at_menu: Option<String>) -> Opened {
    let item = &setup.item;
    let facts = facts(setup, item);
    let (voice, voices) = setup.speakers.names();
    Opened {
        format: crate::analysis::event::FORMAT,
        item: item.path.clone(),
        item_name: item.name(),
        base: setup.base.to_string(),
        branch: setup.branch.clone(),
        voice,
        voices,
        user: setup.script.user.clone().unwrap_or_else(|| "User".to_owned()),
        run: setup.run.clone(),
        steps_completed: item.meta.steps_completed(),
        phases_completed: item.meta.phases_completed(),
        depth_overrides: item.meta.depth_overrides(),
        scope: facts.scope,
        complexity: facts.complexity,
        elaborations: elaborations(&item.meta),
        at_menu,
        depth: setup.script.depth,
    }
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
fn facts(setup: &WalkSetup<'_>, item: &Item) -> Landed {
    let (scope, complexity) = depth::stated(scan(setup, item));
    Landed { scope, complexity }
}

/// The quick scan of an item: a document of its own, else what the analysis added to the one that its layout has.
fn scan<'i>(setup: &WalkSetup<'_>, item: &'i Item) -> &'i str {
    let text_of = |name: &str| item.documents().find(|(known, _)| *known == name).map(|(_, text)| text);
    if let Some(text) = text_of("quick-scan.md") {
        return text;
    }
    let laid = setup.library.laid_item(item, setup.layout.as_deref()).ok();
    let text = laid.as_ref().and_then(artifact::laid::document).and_then(text_of);
    text.map_or("", |text| depth::before_ours(text).1)
}

impl Walk<'_> {
    fn go(&mut self, observer: &dyn Observer) -> Result<Stopped, WalkError> {
        loop {
            observer.check().map_err(WalkError::Interrupted)?;
            match self.analysis.next()? {
                Next::Begin(beginning) => {
                    let step = &self.setup.library.steps[beginning.step];
                    if self.setup.script.is_over(&step.id) {
                        self.record(Event::Chosen { choice: Choice::Stop }, None)?;
                        continue;
                    }
                    for (id, why) in &beginning.left_out {
                        observer.warn(&format!("step {id} is left out: {why}"));
                    }
                    self.warn_of_strangers(step, observer);
                    let said = greeting::beginning(&self.analysis, &beginning, &Known::read(&self.item))?;
                    let (header, before) =
                        said.split_last().map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
                    for text in before {
                        observer.say(&format!("\n{text}"));
                    }
                    observer.say("");
                    observer.say_strong(header);
                    self.talks = 0;
                    self.announced = None;
                    let base = self.at.to_string();
                    self.record(self.analysis.begun(beginning.step, beginning.depth, &base), None)?;
                    if let Some(talk) = self.analysis.current() {
                        let id = &self.setup.library.steps[talk.step].id;
                        self.setup.script.begin(id, &talk.prompts);
                    }
                }
                Next::Ask(prompt) => self.ask(&prompt, observer)?,
                Next::Choose(found) => self.choose(&found, observer)?,
                Next::Land(landing) => {
                    self.land(&landing, observer)?;
                    self.unwritten.clear();
                    self.announced = None;
                    let facts = facts(&self.setup, &self.item);
                    self.record(Event::Landed(facts), None)?;
                    self.drop_typed();
                }
                Next::Discuss { step } => self.discuss(step, observer)?,
                Next::Stop(stopped) => return Ok(stopped),
            }
        }
    }

    /// Warns of answers to steps that are not asked in this run.
    fn say_unused(&self, observer: &dyn Observer) {
        let (next, left_out) = self.analysis.standing();
        for step in self.setup.script.unused() {
            let why = if self.analysis.progress().0.iter().any(|done| done == step) {
                format!("it is completed, and `roundtable elaborate --step {step}` discusses it")
            } else if let Some((_, why)) = left_out.iter().find(|(id, _)| id == step) {
                format!("it is left out, because {why}")
            } else {
                next.map_or_else(
                    || "it is not a step".to_owned(),
                    |next| format!("step {} comes first", next.id),
                )
            };
            observer.warn(&format!("answers to step {} are not used: {why}", plain::shown(step)));
        }
    }

    /// An error with the last commit that was made.
    fn broken_off(&self, why: WalkError) -> WalkError {
        let Some(last) = self.commits.last() else { return why };
        let (commit, branch) = (crate::git::short(*last), self.setup.branch.clone());
        WalkError::AfterCommit { why: Box::new(why), commit, branch }
    }

    fn record(&mut self, event: Event, at: Option<Time>) -> Result<(), WalkError> {
        let at = at.unwrap_or_else(|| (self.setup.clock)());
        Ok(self.analysis.record(Record { at, event })?)
    }

    fn step(&self) -> Option<&'_ Step> {
        self.analysis.current().map(|talk| &self.setup.library.steps[talk.step])
    }

    /// A persona or a phase that nobody knows falls to somebody, and that is said (analysis AC-003-06).
    fn warn_of_strangers(&self, step: &Step, observer: &dyn Observer) {
        let (lead, is_known) = self.setup.library.cast.lead(&step.phase);
        if !is_known {
            observer.warn(&format!("nobody leads the phase \"{}\"; {} leads it", step.phase, lead.name));
        }
        let (persona, is_known) = self.analysis.persona(step);
        if !is_known {
            let unknown = plain::shown(&step.persona);
            observer.warn(&format!(
                "step {} names the persona \"{unknown}\", who is not at the table; {} asks",
                step.id, persona.name
            ));
        }
    }

    fn ask(&mut self, prompt: &Prompt, observer: &dyn Observer) -> Result<(), WalkError> {
        self.draft_step(observer)?;
        let Some(talk) = self.analysis.current() else { return Ok(()) };
        let library = self.setup.library;
        let step = &library.steps[talk.step];
        let is_drafted = talk.drafted.as_ref().is_some_and(|drafted| !drafted.lines.is_empty());
        observer.say(&format!("\n{}", greeting::prompt(library, prompt, talk.depth, is_drafted)?));
        let (id, said) = (step.id.clone(), talk.answers.len());
        self.left_at_choice = self.setup.script.left(&id);
        match self.take(&id, AskedAt::Question(prompt.number.unwrap_or(1)), observer) {
            Taken::Said(input) => {
                let by = input.by.clone().unwrap_or_else(|| self.analysis.opened().user.clone());
                let event = self.analysis.hear(&by, &input.text);
                if matches!(event, Event::Answered { .. }) {
                    let persona = self.analysis.persona(step).0;
                    observer.say(&greeting::reflection(library, persona, &input.text, said)?);
                }
                self.forget_numbers(&event);
                self.record(event, input.at)?;
                self.keep_typed(observer);
                Ok(())
            }
            Taken::Silence | Taken::Through => {
                observer.say("(no answer; it stays open)");
                self.record(self.analysis.silence(), None)?;
                self.keep_typed(observer);
                Ok(())
            }
            Taken::Failed(why) => Err(WalkError::Interrupted(why)),
            Taken::End => {
                self.say_kept(observer);
                self.record(Event::Chosen { choice: Choice::Stop }, None)
            }
        }
    }

    /// The next input of the script; what somebody types is on the screen already.
    fn take(&mut self, step: &str, at: AskedAt, observer: &dyn Observer) -> Taken {
        let is_live = self.setup.script.is_typed_now();
        let taken = self.setup.script.take(step, at);
        if let Taken::Said(input) = &taken {
            self.unwritten.extend(input.comment);
        }
        if is_live {
            std::mem::take(&mut self.setup.script.warnings).iter().for_each(|one| observer.warn(one));
        } else if let Taken::Said(input) = &taken {
            let by = input.by.as_deref().unwrap_or(&self.analysis.opened().user);
            observer.say_user(by, &input.text);
        }
        taken
    }

    /// Another depth has other questions.
    fn forget_numbers(&mut self, event: &Event) {
        if let (Event::Depth { .. }, Some(id)) = (event, self.step().map(|step| step.id.clone())) {
            self.setup.script.forget_numbers(&id);
        }
    }

    fn choose(&mut self, found: &menu::Menu, observer: &dyn Observer) -> Result<(), WalkError> {
        self.draft_step(observer)?;
        if self.analysis.current().is_some_and(|talk| talk.is_fresh()) {
            self.announce(observer)?;
        }
        observer.say(&format!("\n{}", menu::text(found, self.setup.library)?));
        let id = self.step().map(|step| step.id.clone()).unwrap_or_default();
        let said = self.analysis.current().map_or(0, |talk| talk.answers.len() + talk.feedback.len());
        self.left_at_choice = self.setup.script.left(&id);
        match self.take(&id, AskedAt::Menu, observer) {
            Taken::Said(input) => {
                let by = input.by.clone().unwrap_or_else(|| self.analysis.opened().user.clone());
                let event = self.analysis.hear(&by, &input.text);
                if matches!(event, Event::Feedback { .. })
                    && let Some(step) = self.step()
                {
                    let persona = self.analysis.persona(step).0;
                    let text = match answer_forms::questions(&input.text).first() {
                        Some(question) => self.passages(persona, question),
                        None => greeting::reflection(self.setup.library, persona, &input.text, said)?,
                    };
                    observer.say(&text);
                }
                self.forget_numbers(&event);
                let was_confirmed = self.is_confirmed();
                self.record(event, input.at)?;
                if self.is_confirmed() != was_confirmed {
                    // All of the step is announced anew.
                    self.announced = None;
                }
                self.keep_typed(observer);
                Ok(())
            }
            Taken::Silence => self.record(Event::Waited {}, None),
            Taken::Through => self.record(Event::Chosen { choice: Choice::Continue }, None),
            Taken::Failed(why) => Err(WalkError::Interrupted(why)),
            Taken::End => self.record(Event::Chosen { choice: Choice::Stop }, None),
        }
    }

    /// Says what would land, before anything is chosen (analysis AC-007-01, AC-007-04).
    fn announce(&mut self, observer: &dyn Observer) -> Result<(), WalkError> {
        let Some(talk) = self.analysis.current() else { return Ok(()) };
        let step = step_of(self.setup.library, talk);
        // A remark is announced by itself: what came before it was, when it was said.
        let before = self.announced.replace(talk.feedback.len());
        let again = talk.is_landed() || before.is_some();
        let draft = match before {
            Some(before) => {
                draft::draft(&[], talk.feedback.get(before..).unwrap_or_default(), false, self.setup.library)
            }
            None => self.draft(),
        };
        draft.problems.iter().for_each(|problem| observer.note(&format!("kept as a note: {problem}")));
        let measured = self.measured(step, &draft, again)?;
        let at = (self.setup.clock)();
        let outcome = self.outcome(&self.item, step, &draft, measured.as_ref(), again, at)?;
        observer.say("");
        outcome.announcements.iter().for_each(|line| observer.say(line));
        let Some(talk) = self.analysis.current() else { return Ok(()) };
        // A remark alone is held against no criteria.
        let uncovered = (!again).then(|| draft::uncovered(step, &draft));
        for text in greeting::closing(&self.analysis, talk, uncovered.as_deref())? {
            observer.say(&text);
        }
        Ok(())
    }

    /// The passages of the item's documents with the words of a question at the menu.
    fn passages(&self, persona: &Persona, question: &str) -> String {
        let documents: Vec<(&str, &str)> = self.item.documents().collect();
        let passages = Passages::new(&documents);
        let quoted = passages.closest(question, 3).into_iter().map(|one| {
            let text = plain::cut(&plain::shown(one.text), 400);
            format!("{}:{}: \"{text}\"\n", one.path, one.line)
        });
        let quoted: String = quoted.collect();
        let first = persona.first_name();
        match quoted.is_empty() {
            true => format!("{first}: No passage has these words. The question is listed as open."),
            false => format!("{first}: Closest passages:\n{quoted}The question is listed as open."),
        }
    }

    /// The user has confirmed the draft of the step under way.
    fn is_confirmed(&self) -> bool {
        let drafted = self.analysis.current().and_then(|talk| talk.drafted.as_ref());
        drafted.is_some_and(|drafted| drafted.confirmed_by.is_some())
    }

    /// What was said of the step under way.
    fn draft(&self) -> Draft {
        let Some(talk) = self.analysis.current() else { return Draft::default() };
        let is_confirmed = talk.drafted.as_ref().is_some_and(|drafted| drafted.confirmed_by.is_some());
        let mut draft = draft::draft(&talk.answers, &talk.feedback, is_confirmed, self.setup.library);
        if let Some(drafted) = &talk.drafted {
            draft.take(drafted);
        }
        draft
    }

    /// The quick scan's counts, where the step writes them.
    fn measured(&mut self, step: &Step, draft: &Draft, again: bool) -> Result<Option<Measure>, WalkError> {
        let counts = |output: &String| output == "quick-scan.md" || output == "impact-analysis.md";
        if again || !step.outputs.iter().any(counts) {
            return Ok(None);
        }
        let mut words = keywords(&self.item.name(), draft.said().filter(|_| step.phase.starts_with("00-")));
        for word in table_words(scan(&self.setup, &self.item)) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        if !self.counted.contains_key(&words) {
            let own = [self.item.path.clone(), ".roundtable".to_owned(), ".roundtable.yaml".to_owned()];
            let leave_out = [self.setup.items.as_slice(), &own].concat();
            let counted = self.setup.repo.count_keywords(self.codebase, &words, &leave_out)?;
            self.counted.insert(words.clone(), counted);
        }
        Ok(self.counted.get(&words).map(measure))
    }

    fn outcome(
        &self,
        item: &Item,
        step: &Step,
        draft: &Draft,
        measure: Option<&Measure>,
        again: bool,
        at: Time,
    ) -> Result<artifact::Outcome, WalkError> {
        let persona = self.analysis.persona(step).0;
        let laid = self.setup.library.laid_item(item, self.setup.layout.as_deref())?;
        let source = artifact::Source {
            item,
            laid: &laid,
            library: self.setup.library,
            parts: &self.parts,
            step,
            persona,
            draft,
            measure,
            again,
            at,
        };
        Ok(artifact::outcome(&source)?)
    }

    /// The end of the walk: one commit for all of it where that is wanted.
    fn end(mut self, stopped: Stopped) -> Result<Walked, WalkError> {
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
            self.setup.item = self.item.clone();
            let found = earlier(&self.setup)?;
            // A copy of this run has held some of the discussions.
            let mut own = std::mem::take(&mut self.elaborations);
            for mut landed in earlier_talks(&self.setup, &found)? {
                let is_same = |one: &run::Landed| one.held.opened().run == landed.held.opened().run;
                if let Some(at) = own.iter().position(is_same) {
                    landed = run::Landed { commit: landed.commit, ..own.swap_remove(at) };
                }
                self.elaborations.push(landed);
            }
            self.commits = found.commits;
        }
        let (next, _) = self.analysis.standing();
        let already_recorded = self.recorded > 0 && self.recorded == self.commits.len();
        self.unwritten.extend(self.setup.script.comments());
        Ok(Walked {
            unwritten: self.unwritten,
            phase: next.map(|step| step.phase.clone()),
            next_step: next.map(|step| step.id.clone()),
            stopped,
            commits: self.commits,
            already_recorded,
            item: self.item,
            pending,
            elaborations: self.elaborations,
            drafts: self.drafts,
            log: self.analysis.log().to_vec(),
        })
    }
}

/// The step that is talked about.
fn step_of<'l>(library: &'l Library, talk: &crate::analysis::Talk) -> &'l Step {
    &library.steps[talk.step]
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
