//! The analysis of an item as a pure state machine: the walk over
//! phases and steps (analysis FR-001, FR-003 to FR-008, FR-011), holding a discussion as one of its states.
//!
//! [`Analysis::next`] only reads and says what is wanted; [`Analysis::record`] alone changes, and
//! refuses what does not answer what is wanted. The state is a fold of the log: `Analysis::open` and
//! `record` for each event give it again. Nothing is read, written or waited for here.
//!
//! ```text
//!           ┌────────────── the next step ◄─────────────┬──────────────┐
//!           ▼                                           │ [C]          │
//! Begin ─► Ask … Ask ─► Choose ─► Land ─► carry out ────┼─► Discuss ─► Choose
//!           ▲  another depth │ words: Choose again      │ [S]: the next phase
//!           └────────────────┘                          └─► Stop
//! ```
//!
//! A step is landed when its menu is left, so that what is said at the menu is part of its one commit.
//!
//! ```
//! use roundtable::analysis::menu::{Choice, letter};
//!
//! assert!(matches!(letter("[E]"), Some(Choice::Elaborate)));
//! assert!(letter("continue with the letters").is_none());
//! ```

pub mod answer_forms;
pub mod artifact;
pub mod depth;
pub mod drafted;
pub mod event;
pub mod greeting;
pub mod menu;
pub mod plan;
pub mod provenance;
pub mod scan;
pub mod skip;
mod talk;

use std::collections::{BTreeMap, BTreeSet};

use self::drafted::Drafted;
use self::event::{Begun, Event, FORMAT, Opened, Record};
use self::menu::{Choice, Menu};
use self::plan::{Plan, Progress, Unplannable};
use self::skip::Facts;
pub use self::talk::{Answer, Talk};
use crate::discussion::event::{StepRef, Time};
use crate::item::library::Library;
use crate::item::persona::{PHASES, Persona};
use crate::item::step::{Depth, Prompt, Step};
use crate::voice::model::drafting::DraftLine;

/// Why the analysis has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Complete,
    OutOfAnswers,
}

/// What is wanted next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A step begins: its texts are to be shown, then [`Event::Begun`].
    Begin(Box<Beginning>),
    /// The user's answer to a prompt.
    Ask(Prompt),
    /// The user's choice.
    Choose(Menu),
    /// What the step adds is to be committed, then [`Event::Landed`].
    Land(Landing),
    /// A discussion of the step, then [`Event::Elaborated`].
    Discuss {
        step: usize,
    },
    Stop(Stopped),
}

/// What is to be said before a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    pub step: usize,
    pub depth: Depth,
    /// Steps left out on the way, and why.
    pub left_out: Vec<(String, String)>,
    /// The phase begins, or the analysis is taken up again in it.
    pub opening: Option<Opening>,
    /// The depth was chosen by the quick scan, and is said (analysis AC-006-01, AC-006-03).
    pub says_depth: bool,
}

/// How a phase is opened (analysis FR-008, FR-011).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The phase before, where another persona led it.
    pub handed_over_from: Option<String>,
    /// The phase before, where this run has just completed it.
    pub completed: Option<String>,
    /// The persona introduces itself.
    pub introduces: bool,
    /// The analysis is taken up again: the titles of what was completed, and the discussions of the phase.
    pub recovered: Option<Recovered>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    pub titles: Vec<String>,
    /// Step and summary, at most the three newest (M-6).
    pub elaborations: Vec<(String, String)>,
}

/// What a landing writes beside the artifacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    pub step: usize,
    /// Phases that are completed with it, in their order.
    pub phases: Vec<String>,
    /// Depths that were selected (analysis AC-006-06).
    pub depths: BTreeMap<String, Depth>,
    /// Answers or feedback are to be committed; else only meta.json.
    pub has_words: bool,
    /// The step counts as completed.
    pub is_done: bool,
    /// The step was committed before: what is added came later.
    pub again: bool,
    pub choice: Choice,
}

/// An event that nobody waits for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the analysis does not wait for {0}")]
pub struct Refused(&'static str);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    /// Between steps.
    Walking,
    /// Prompts are put.
    Asking(Box<Talk>),
    /// At the menu.
    Choosing(Box<Talk>),
    /// The choice is made; first what was said has to land.
    Landing(Box<Talk>, Choice),
    Discussing(Box<Talk>),
    Done(Stopped),
}

/// One run over an item.
#[derive(Clone, Debug)]
pub struct Analysis<'l> {
    library: &'l Library,
    opened: Opened,
    log: Vec<Record>,
    steps: Vec<String>,
    phases: Vec<String>,
    /// What meta.json holds, and what was asked for since.
    depths: BTreeMap<String, Depth>,
    scope: Option<String>,
    complexity: Option<String>,
    /// The phase that the last step was of, in this run.
    phase: Option<String>,
    /// Steps of which it was said that they are left out.
    told: BTreeSet<String>,
    stage: Stage,
}

impl<'l> Analysis<'l> {
    /// Begins with the first record, which must be the opening.
    ///
    /// # Errors
    /// Another record, or steps that cannot be walked.
    pub fn open(library: &'l Library, first: Record) -> Result<Analysis<'l>, Unopened> {
        let Event::Opened(opened) = &first.event else {
            return Err(Refused("anything but its opening").into());
        };
        let opened = opened.as_ref().clone();
        let mut analysis = Analysis {
            library,
            steps: opened.steps_completed.clone(),
            phases: opened.phases_completed.clone(),
            depths: opened.depth_overrides.clone(),
            scope: opened.scope.clone(),
            complexity: opened.complexity.clone(),
            phase: None,
            told: BTreeSet::new(),
            stage: Stage::Walking,
            log: vec![first],
            opened,
        };
        if let Some(depth) = analysis.opened.depth {
            let phases = library.steps.iter().map(|step| (step.phase.clone(), depth));
            analysis.depths.extend(phases);
        }
        plan::check(&library.steps, &analysis.facts())?;
        analysis.return_to_menu();
        Ok(analysis)
    }

    /// A run that was cut off was at the menu of a step that has landed.
    fn return_to_menu(&mut self) {
        let Some(id) = &self.opened.at_menu else { return };
        let Some(at) = self.library.steps.iter().position(|step| step.id == *id) else { return };
        let step = &self.library.steps[at];
        self.phase = Some(step.phase.clone());
        let mut talk = self.talk(at, self.depth(step));
        talk.landed = true;
        talk.fresh = false;
        talk.put = talk.prompts.len();
        self.stage = Stage::Choosing(Box::new(talk));
    }

    pub fn library(&self) -> &'l Library {
        self.library
    }

    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    pub fn log(&self) -> &[Record] {
        &self.log
    }

    /// The step under way, as far as it was talked through.
    pub fn current(&self) -> Option<&Talk> {
        match &self.stage {
            Stage::Asking(talk)
            | Stage::Choosing(talk)
            | Stage::Landing(talk, _)
            | Stage::Discussing(talk) => Some(talk),
            Stage::Walking | Stage::Done(_) => None,
        }
    }

    /// The steps and phases that are done.
    pub fn progress(&self) -> (&[String], &[String]) {
        (&self.steps, &self.phases)
    }

    /// What is wanted next.
    ///
    /// # Errors
    /// A `skip_if` that cannot be used with what is known by now.
    pub fn next(&self) -> Result<Next, Unplannable> {
        Ok(match &self.stage {
            Stage::Walking => {
                let plan = self.plan(&self.steps, &self.phases)?;
                match plan.next {
                    Some(step) => Next::Begin(Box::new(self.beginning(step, plan))),
                    None => Next::Stop(Stopped::Complete),
                }
            }
            Stage::Asking(talk) => match talk.prompts.get(talk.put) {
                Some(prompt) => Next::Ask(prompt.clone()),
                None => Next::Choose(self.menu(talk)?),
            },
            Stage::Choosing(talk) => Next::Choose(self.menu(talk)?),
            Stage::Landing(talk, choice) => Next::Land(self.landing(talk, *choice)?),
            Stage::Discussing(talk) => Next::Discuss { step: talk.step },
            Stage::Done(stopped) => Next::Stop(*stopped),
        })
    }

    /// The event that a message of the user is here.
    pub fn hear(&self, by: &str, text: &str) -> Event {
        let (by, text) = (by.to_owned(), text.to_owned());
        match &self.stage {
            Stage::Asking(talk) => {
                if let Some(choice) = menu::letter(&text) {
                    return Event::Chosen { choice };
                }
                if let Some(depth) = depth::spoken(&text) {
                    return Event::Depth { by, text, depth };
                }
                let prompt = talk.prompts.get(talk.put);
                let asked = prompt.map(|prompt| prompt.text.clone()).unwrap_or_default();
                Event::Answered { question: prompt.and_then(|prompt| prompt.number), asked, by, text }
            }
            _ => match (menu::choice(&text), depth::spoken(&text)) {
                (Some(choice), _) => Event::Chosen { choice },
                (None, Some(depth)) => Event::Depth { by, text, depth },
                _ => Event::Feedback { by, text },
            },
        }
    }

    /// The event that silence is here.
    pub fn silence(&self) -> Event {
        match &self.stage {
            Stage::Asking(talk) => {
                let prompt = talk.prompts.get(talk.put);
                let asked = prompt.map(|prompt| prompt.text.clone()).unwrap_or_default();
                Event::Unanswered { question: prompt.and_then(|prompt| prompt.number), asked }
            }
            _ => Event::Waited {},
        }
    }

    /// The beginning of a step as an event, on the commit `base`.
    pub fn begun(&self, step: usize, depth: Depth, base: &str) -> Event {
        let step = &self.library.steps[step];
        let mut digests = self.library.digests(step);
        digests.retain(|path, _| *path == format!("steps/{}", step.path));
        Event::Begun(Box::new(Begun {
            format: FORMAT,
            item: self.opened.item.clone(),
            item_name: self.opened.item_name.clone(),
            step: StepRef {
                id: step.id.clone(),
                title: step.title.clone(),
                phase: step.phase.clone(),
                outputs: step.outputs.clone(),
            },
            persona: self.persona(step).0.key.clone(),
            depth,
            base: base.to_owned(),
            branch: self.opened.branch.clone(),
            voice: self.opened.voices.get(&step.id).unwrap_or(&self.opened.voice).clone(),
            user: self.opened.user.clone(),
            digests,
            run: self.opened.run.clone(),
        }))
    }

    /// Records an event.
    ///
    /// # Errors
    /// An event that nobody waits for; nothing changes then.
    pub fn record(&mut self, record: Record) -> Result<(), Refused> {
        let stage = std::mem::replace(&mut self.stage, Stage::Walking);
        match self.fold(stage, &record.event) {
            Ok(stage) => {
                self.stage = stage;
                self.log.push(record);
                Ok(())
            }
            Err((stage, refused)) => {
                self.stage = *stage;
                Err(refused)
            }
        }
    }

    /// The stage after an event; one that nobody waits for leaves the stage it came to.
    fn fold(&mut self, stage: Stage, event: &Event) -> Result<Stage, (Box<Stage>, Refused)> {
        match (stage, event) {
            (Stage::Walking, Event::Begun(begun)) => {
                self.begin(begun).map_err(|refused| (Box::new(Stage::Walking), refused))
            }
            // The answers ran out before the step had begun.
            (Stage::Walking, Event::Chosen { choice: Choice::Stop }) => {
                Ok(Stage::Done(Stopped::OutOfAnswers))
            }
            (Stage::Asking(mut talk), Event::Answered { question, asked, by, text }) => {
                if talk.is_brief() {
                    talk.confirm(by, text);
                }
                Ok(answered(talk, *question, asked, Some((by.clone(), text.clone()))))
            }
            (Stage::Asking(talk), Event::Unanswered { question, asked }) => {
                Ok(answered(talk, *question, asked, None))
            }
            (Stage::Asking(talk) | Stage::Choosing(talk), Event::Depth { depth, .. }) => {
                Ok(self.at_depth(talk, *depth))
            }
            // A step that the answers do not reach the end of is not done; what was added to one that is
            // done is.
            (Stage::Asking(talk), Event::Chosen { choice: Choice::Stop })
                if talk.put < talk.prompts.len() && !(talk.landed && talk.has_words()) =>
            {
                Ok(Stage::Done(Stopped::OutOfAnswers))
            }
            (Stage::Asking(mut talk), Event::Chosen { choice }) => {
                talk.leave(*choice);
                Ok(Stage::Landing(talk, *choice))
            }
            (Stage::Choosing(talk), Event::Chosen { choice }) => Ok(Stage::Landing(talk, *choice)),
            (Stage::Choosing(mut talk), Event::Feedback { by, text }) => {
                talk.confirm(by, text);
                talk.feedback.push((by.clone(), text.clone()));
                talk.fresh = true;
                Ok(Stage::Choosing(talk))
            }
            (Stage::Choosing(mut talk), Event::Drafted { voice, lines }) if talk.may_be_drafted() => {
                talk.drafted = Some(drafted(voice, lines));
                Ok(Stage::Choosing(talk))
            }
            (Stage::Asking(mut talk), Event::Drafted { voice, lines }) if talk.may_be_drafted() => {
                talk.drafted = Some(drafted(voice, lines));
                Ok(Stage::Asking(talk))
            }
            (Stage::Choosing(talk), Event::Waited {}) => Ok(Stage::Choosing(talk)),
            (Stage::Landing(talk, choice), Event::Landed(landed)) => Ok(self.landed(talk, choice, landed)),
            (Stage::Discussing(talk), Event::Elaborated { .. }) => Ok(Stage::Choosing(talk)),
            (stage, event) => Err((Box::new(stage), Refused(name(event)))),
        }
    }

    fn begin(&mut self, begun: &Begun) -> Result<Stage, Refused> {
        let at = self.library.steps.iter().position(|step| step.id == begun.step.id);
        let at = at.ok_or(Refused("a step that there is not"))?;
        let plan = self.plan(&self.steps, &self.phases).unwrap_or_default();
        self.told.extend(plan.left_out.into_iter().map(|(id, _)| id));
        self.phase = Some(self.library.steps[at].phase.clone());
        Ok(Stage::Asking(Box::new(self.talk(at, begun.depth))))
    }

    fn talk(&self, step: usize, depth: Depth) -> Talk {
        let prompts = self.library.steps[step].prompts(depth);
        Talk {
            step,
            depth,
            prompts,
            answers: Vec::new(),
            feedback: Vec::new(),
            drafted: None,
            put: 0,
            from: self.log.len(),
            fresh: true,
            landed: false,
            dropped: false,
        }
    }

    /// The step is asked anew with the prompts of another depth; what was answered stays.
    fn at_depth(&mut self, mut talk: Box<Talk>, depth: Depth) -> Stage {
        let step = &self.library.steps[talk.step];
        self.depths.insert(step.phase.clone(), depth);
        let asked = |prompt: &Prompt| {
            talk.answers.iter().any(|answer| answer.said.is_some() && answer.asked == prompt.text)
        };
        let prompts: Vec<Prompt> = step.prompts(depth).into_iter().filter(|prompt| !asked(prompt)).collect();
        // What was passed over in silence is asked again only if the new depth asks it.
        talk.answers.retain(|answer| answer.said.is_some());
        talk.depth = depth;
        talk.prompts = prompts;
        talk.put = 0;
        talk.fresh = true;
        if talk.prompts.is_empty() { Stage::Choosing(talk) } else { Stage::Asking(talk) }
    }

    fn landed(&mut self, mut talk: Box<Talk>, choice: Choice, landed: &event::Landed) -> Stage {
        let step = &self.library.steps[talk.step];
        if let Ok(landing) = self.landing(&talk, choice) {
            self.phases.extend(landing.phases);
            self.depths.extend(landing.depths);
        }
        if !talk.dropped && !self.steps.contains(&step.id) {
            self.steps.push(step.id.clone());
        }
        self.scope = landed.scope.clone();
        self.complexity = landed.complexity.clone();
        talk.from = self.log.len() + 1;
        talk.fresh = false;
        talk.landed = true;
        talk.answers.clear();
        talk.feedback.clear();
        talk.drafted = None;
        match choice {
            Choice::Elaborate => Stage::Discussing(talk),
            Choice::Continue | Choice::Skip => Stage::Walking,
            Choice::Stop => Stage::Done(self.end()),
        }
    }

    /// Out of answers at the last step's menu is the end all the same.
    fn end(&self) -> Stopped {
        let plan = self.plan(&self.steps, &self.phases);
        if plan.is_ok_and(|plan| plan.next.is_none()) { Stopped::Complete } else { Stopped::OutOfAnswers }
    }

    fn facts(&self) -> Facts {
        Facts {
            scope: self.scope.clone(),
            complexity: self.complexity.clone(),
            phase: self.phase.clone().unwrap_or_default(),
            depth: Depth::Standard.to_string(),
            item: self.opened.item.clone(),
            item_name: self.opened.item_name.clone(),
        }
    }

    fn plan(&self, steps: &[String], phases: &[String]) -> Result<Plan, Unplannable> {
        let depths = self.library.steps.iter().map(|step| (step.phase.clone(), self.depth(step).to_string()));
        let progress = Progress { steps, phases, facts: self.facts(), depths: depths.collect() };
        plan::plan(&self.library.steps, &progress)
    }

    /// How far the analysis is: the phase and the step that come next.
    pub fn standing(&self) -> (Option<&Step>, Vec<(String, String)>) {
        let plan = self.plan(&self.steps, &self.phases).unwrap_or_default();
        (plan.next.map(|at| &self.library.steps[at]), plan.left_out)
    }

    /// What was said of the step under way since it began or landed, in order; none is silence.
    pub fn said_so_far(&self) -> Vec<Option<String>> {
        let is_bound =
            |event: &Event| matches!(event, Event::Begun(_) | Event::Landed(_) | Event::Elaborated { .. });
        let last = self.log.iter().rposition(|record| is_bound(&record.event));
        let own = self.log.get(last.map_or(0, |at| at + 1)..).unwrap_or_default();
        let said = own.iter().filter_map(|record| match &record.event {
            Event::Answered { text, .. } | Event::Feedback { text, .. } | Event::Depth { text, .. } => {
                Some(Some(text.clone()))
            }
            Event::Unanswered { .. } => Some(None),
            _ => None,
        });
        said.collect()
    }

    /// The depth of a step: the user's or the stored one of its phase; the quick scan's; else
    /// standard in the first phase (analysis AC-006-07), and the step's own in later ones.
    fn depth(&self, step: &Step) -> Depth {
        let chosen = self.depths.get(&step.phase).copied();
        depth_of(step, chosen, self.scope.as_deref(), self.complexity.as_deref())
    }

    /// The depth that the quick scan asks for; it does not judge the phase it is made in.
    fn selected(&self, phase: &str) -> Option<Depth> {
        if is_first(phase) {
            return None;
        }
        depth::selected(self.scope.as_deref(), self.complexity.as_deref())
    }

    /// Who asks a step's questions; false where its persona is nobody at the table.
    pub fn persona(&self, step: &Step) -> (&'l Persona, bool) {
        match self.library.cast.get(&step.persona) {
            Some(persona) => (persona, true),
            None => (self.library.cast.lead(&step.phase).0, false),
        }
    }

    fn beginning(&self, step: usize, plan: Plan) -> Beginning {
        let found = &self.library.steps[step];
        let opening = (self.phase.as_ref() != Some(&found.phase)).then(|| self.opening(found));
        let says_depth = opening.is_some()
            && !self.opened.depth_overrides.contains_key(&found.phase)
            && self.depths.get(&found.phase).is_none_or(|depth| Some(*depth) == self.selected(&found.phase))
            && self.selected(&found.phase).is_some();
        // A step is said to be left out when its phase is come to, and not again.
        let left_out = plan.left_out.into_iter().filter(|(id, _)| !self.told.contains(id)).collect();
        Beginning { step, depth: self.depth(found), left_out, opening, says_depth }
    }

    fn opening(&self, step: &Step) -> Opening {
        let phases = self.library_phases();
        let before: Vec<&String> = phases.iter().take_while(|phase| **phase != step.phase).collect();
        let lead = |phase: &str| self.library.cast.lead(phase).0.key.as_str();
        // Another persona's phase is over only if something was done in it.
        let done =
            |phase: &str| self.phases.iter().any(|known| known == phase) || !self.titles(phase).is_empty();
        let last = before.iter().rev().find(|phase| done(phase)).map(|phase| (*phase).clone());
        // The last speaker of this run hands over, whatever is in between.
        let last = self.phase.clone().or(last);
        let handed_over_from = last.clone().filter(|last| lead(last) != lead(&step.phase));
        let is_first_of_run = self.phase.is_none();
        let own = self.titles(&step.phase);
        let recovered = match (is_first_of_run, own.is_empty(), &handed_over_from) {
            (true, false, _) => Some(own),
            // The phase has changed since last time (analysis AC-011-03).
            (true, true, Some(from)) => Some(self.titles(from)).filter(|titles| !titles.is_empty()),
            _ => None,
        };
        let is_resumed_here = is_first_of_run && !self.titles(&step.phase).is_empty();
        Opening {
            introduces: !is_resumed_here && (is_first_of_run || handed_over_from.is_some()),
            handed_over_from: handed_over_from.filter(|_| !is_resumed_here),
            completed: if is_first_of_run { None } else { self.phase.clone() },
            recovered: recovered.map(|titles| Recovered { titles, elaborations: self.recent(&step.phase) }),
        }
    }

    /// The titles of the completed steps of a phase.
    fn titles(&self, phase: &str) -> Vec<String> {
        let steps = self.library.steps.iter().filter(|step| step.phase == phase);
        steps.filter(|step| self.steps.contains(&step.id)).map(|step| step.title.clone()).collect()
    }

    /// The three newest discussions of a phase, in their order.
    fn recent(&self, phase: &str) -> Vec<(String, String)> {
        let prefix = format!("{}-", phase.split('-').next().unwrap_or_default());
        let of_phase = |(id, _): &&(String, String)| id.starts_with(&prefix);
        let found: Vec<_> = self.opened.elaborations.iter().filter(of_phase).cloned().collect();
        found[found.len().saturating_sub(3)..].to_vec()
    }

    fn library_phases(&self) -> Vec<String> {
        let mut phases: Vec<String> = self.library.steps.iter().map(|step| step.phase.clone()).collect();
        phases.dedup();
        phases
    }

    /// The menu after a step: what would come next if it were done.
    fn menu(&self, talk: &Talk) -> Result<Menu, Unplannable> {
        let step = &self.library.steps[talk.step];
        let mut steps = self.steps.clone();
        steps.push(step.id.clone());
        Ok(match self.plan(&steps, &self.phases)?.next.map(|at| &self.library.steps[at].phase) {
            Some(phase) if *phase == step.phase => Menu::MidPhase,
            Some(phase) => Menu::PhaseEnd { next: phase_name(phase) },
            None => Menu::Final,
        })
    }

    fn landing(&self, talk: &Talk, choice: Choice) -> Result<Landing, Unplannable> {
        let step = &self.library.steps[talk.step];
        let mut steps = self.steps.clone();
        if !talk.dropped && !steps.contains(&step.id) {
            steps.push(step.id.clone());
        }
        let mut phases = self.phases.clone();
        if choice == Choice::Skip && !phases.contains(&step.phase) {
            phases.push(step.phase.clone());
        }
        let next = self.plan(&steps, &phases)?.next.map(|at| self.library.steps[at].phase.clone());
        // Every phase before the next step is completed.
        for phase in self.library_phases().into_iter().take_while(|phase| Some(phase) != next.as_ref()) {
            if !phases.contains(&phase) {
                phases.push(phase);
            }
        }
        let mut depths: BTreeMap<String, Depth> = self.depths.clone();
        if let Some(selected) = self.selected(&step.phase) {
            depths.entry(step.phase.clone()).or_insert(selected);
        }
        depths.retain(|phase, depth| self.opened.depth_overrides.get(phase) != Some(depth));
        Ok(Landing {
            step: talk.step,
            phases: phases.into_iter().filter(|phase| !self.phases.contains(phase)).collect(),
            depths,
            has_words: talk.fresh && !talk.dropped,
            is_done: !talk.dropped,
            again: talk.landed,
            choice,
        })
    }

    /// The records of the step under way that have not landed, its beginning first. Behind an earlier
    /// landing it begins anew, on the commit `base`.
    pub fn step_log(&self, base: &str, at: Time) -> Vec<Record> {
        let Some(talk) = self.current() else { return Vec::new() };
        let own = self.log.iter().skip(talk.from).cloned();
        let begins = matches!(self.log.get(talk.from).map(|first| &first.event), Some(Event::Begun(_)));
        if begins {
            return own.collect();
        }
        let event = self.begun(talk.step, talk.depth, base);
        [Record { at, event }].into_iter().chain(own).collect()
    }
}

fn drafted(voice: &str, lines: &[DraftLine]) -> Drafted {
    Drafted { voice: voice.to_owned(), lines: lines.to_vec(), confirmed_by: None }
}

fn answered(
    mut talk: Box<Talk>,
    question: Option<usize>,
    asked: &str,
    said: Option<(String, String)>,
) -> Stage {
    let form = talk.prompts.get(talk.put).map_or("", |prompt| prompt.form.as_str());
    let asks = answer_forms::asked_by(form);
    talk.answers.push(Answer { question, asked: asked.to_owned(), asks, said });
    talk.put += 1;
    if talk.put < talk.prompts.len() { Stage::Asking(talk) } else { Stage::Choosing(talk) }
}

/// The depth that a step is walked with: what was chosen for its phase, what the quick scan says, standard in
/// the first phase, else the step's own.
pub fn depth_of(step: &Step, chosen: Option<Depth>, scope: Option<&str>, complexity: Option<&str>) -> Depth {
    let is_first = is_first(&step.phase);
    let selected = || depth::selected(scope, complexity).filter(|_| !is_first);
    chosen.or_else(selected).unwrap_or(if is_first { Depth::Standard } else { step.depth })
}

/// The first phase measures what the depth of the others is chosen by.
fn is_first(phase: &str) -> bool {
    phase == PHASES[0].0
}

/// What people call a phase.
pub fn phase_name(phase: &str) -> String {
    match PHASES.iter().find(|(known, _)| *known == phase) {
        Some((_, name)) => (*name).to_owned(),
        None => {
            let words = phase.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
            words.split('-').map(crate::text::plain::capital).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Why an analysis cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum Unopened {
    #[error("{0}")]
    Refused(#[from] Refused),
    #[error("{0}")]
    Plan(#[from] Unplannable),
}

const fn name(event: &Event) -> &'static str {
    match event {
        Event::Opened(_) => "another opening",
        Event::Begun(_) => "the beginning of a step",
        Event::Answered { .. } | Event::Unanswered { .. } => "an answer",
        Event::Depth { .. } => "another depth",
        Event::Drafted { .. } => "a draft of the step",
        Event::Feedback { .. } | Event::Waited {} => "a word at the menu",
        Event::Chosen { .. } => "a choice",
        Event::Landed(_) => "a landing",
        Event::Elaborated { .. } => "the end of a discussion",
    }
}

#[cfg(test)]
mod tests;
