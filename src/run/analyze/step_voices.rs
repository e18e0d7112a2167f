//! Which voice speaks at which step of an analysis: the flags and settings, or a tape of what voices have answered.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::item::config::Config;
use crate::item::library::Library;
use crate::run::Fail;
use crate::run::voices::{self, Choice, Wanted};
use crate::run::walk::{Speaker, StepVoice, WalkVoices};
use crate::voice::SECRETARY;
use crate::voice::model::tape::{self, Lines, Tape, Taping};
use crate::voice::model::{Model, Prices};

/// Where a model's answers come from, and whether they are kept.
#[derive(Clone, Debug)]
pub enum AnswerSource {
    /// From the model.
    Asked,
    /// From the model, and written down.
    Kept(AnswerLog),
    /// From where they were written down.
    Given(Box<Tape>),
}

/// AnswerSource that are written down during a walk.
#[derive(Clone, Debug, Default)]
pub struct AnswerLog(Rc<RefCell<Option<Lines>>>);

impl AnswerLog {
    /// The tape, once the walk is over.
    pub fn text(&self) -> String {
        self.0.borrow().as_ref().map(Lines::text).unwrap_or_default()
    }
}

/// What voices are chosen by.
pub(super) struct Chooser<'a> {
    pub options: &'a Wanted,
    pub config: &'a Config,
    pub library: &'a Library,
}

/// The voices of the steps, each once.
pub(super) struct StepVoices {
    voices: Vec<Voice>,
    by_step: BTreeMap<String, StepVoice>,
    /// The most tokens that a discussion may take.
    tokens: Option<u64>,
}

/// A voice, and where its answers come from.
struct Voice {
    is: tape::Speaker,
    /// None: from a tape.
    choice: Option<Choice>,
}

impl Chooser<'_> {
    /// Who speaks at which step. The voices of steps that are `done` need no key.
    ///
    /// # Errors
    /// A voice that cannot speak, or a flag that is for one of several.
    pub fn choose(&self, answers: &AnswerSource, done: &[String]) -> Result<StepVoices, Fail> {
        if let AnswerSource::Given(tape) = answers {
            return self.of_tape(tape);
        }
        let mut chosen = StepVoices {
            voices: Vec::new(),
            by_step: BTreeMap::new(),
            tokens: self.options.max_tokens_total,
        };
        for step in &self.library.steps {
            let is_only_planned = done.contains(&step.id);
            let options = Wanted { is_only_planned, ..self.options.clone() };
            let choice = Choice::of_walk(&options, self.config, &step.id, &step.phase)?;
            let prices = voices::prices(self.options, self.config, &step.id, &step.phase)?;
            chosen.add(&step.id, choice, prices);
        }
        if chosen.voices.iter().all(|voice| voice.is.voice == SECRETARY) {
            voices::needs_a_model(self.options)?;
        }
        chosen.share_flags(self.options)?;
        Ok(chosen)
    }

    /// The voices of a tape.
    fn of_tape(&self, tape: &Tape) -> Result<StepVoices, Fail> {
        let voices = tape.head.voices.iter().map(|is| Voice { is: is.clone(), choice: None }).collect();
        let mut by_step = BTreeMap::new();
        for step in &self.library.steps {
            let speaker = *tape.head.steps.get(&step.id).ok_or_else(|| {
                Fail::new(format!("the model's answers name no voice for step {}", step.id))
                    .with_hint("record them again")
            })?;
            let prices = voices::prices(self.options, self.config, &step.id, &step.phase)?;
            by_step.insert(step.id.clone(), StepVoice { speaker, prices });
        }
        Ok(StepVoices { voices, by_step, tokens: tape.head.tokens })
    }
}

impl StepVoices {
    fn add(&mut self, step: &str, choice: Choice, prices: Option<Prices>) {
        let identity = choice.identity();
        let known = self.voices.iter().position(|voice| voice.is.identity == identity);
        let speaker = known.unwrap_or(self.voices.len());
        if known.is_none() {
            let is = tape::Speaker { voice: choice.name(), model: choice.model(), identity };
            self.voices.push(Voice { is, choice: Some(choice) });
        }
        self.by_step.insert(step.to_owned(), StepVoice { speaker, prices });
    }

    /// A service's address and a model belong to one voice.
    fn share_flags(&self, options: &Wanted) -> Result<(), Fail> {
        let services = self.voices.iter().filter(|voice| voice.is.model.is_some());
        let mut names: Vec<&str> = services.map(|voice| voice.is.voice.as_str()).collect();
        names.sort();
        names.dedup();
        let [first, second, ..] = names[..] else { return Ok(()) };
        let flags = [("--model", options.model.is_some()), ("--base-url", options.base_url.is_some())];
        match flags.iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Fail::new(format!("{flag} is for one voice, and the settings name {first} and {second}")).with_hint(format!("name one with --voice, or leave {flag} out (ANTHROPIC_BASE_URL, OPENAI_BASE_URL and `model` in the settings tell them apart)"))),
            None => Ok(()),
        }
    }

    pub const fn tokens(&self) -> Option<u64> {
        self.tokens
    }

    /// The models that list points beside the voices: where one is asked, and nothing is written down for another job.
    ///
    /// # Errors
    /// As [`voices::readers`].
    pub fn readers(&self, by: &Chooser<'_>, answers: &AnswerSource) -> Result<Vec<Choice>, Fail> {
        let asks = |voice: &Voice| voice.choice.as_ref().is_some_and(Choice::asks_a_model);
        match (answers, by.library.steps.first()) {
            (AnswerSource::Asked, Some(step)) if self.voices.iter().any(asks) => {
                voices::readers(by.options, by.config, &step.id, &step.phase)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What tells this run's voices from another's, for the run id.
    pub fn spoken_by(&self, by: &Chooser<'_>) -> String {
        let spoken_by = |voice: &Voice| voices::spoken_by(&voice.is.identity, by.config);
        match &self.voices[..] {
            [one] => spoken_by(one),
            several => {
                let of_step = |(step, voice): (&String, &StepVoice)| {
                    format!("{step} {}", several.get(voice.speaker).map(spoken_by).unwrap_or_default())
                };
                self.by_step.iter().map(of_step).collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// The speakers, their answers written down or read where that is asked for.
    pub fn begin(self, answers: &AnswerSource) -> Result<WalkVoices, Fail> {
        let steps = self.by_step.iter().map(|(step, voice)| (step.clone(), voice.speaker)).collect();
        let all: Vec<tape::Speaker> = self.voices.iter().map(|voice| voice.is.clone()).collect();
        let lines = match answers {
            AnswerSource::Kept(kept) => {
                let lines = Lines::begin(all, steps, self.tokens);
                *kept.0.borrow_mut() = Some(lines.clone());
                Some(lines)
            }
            _ => None,
        };
        let mut speakers = Vec::new();
        for (by, voice) in self.voices.into_iter().enumerate() {
            let asked = match (&voice.choice, answers) {
                (Some(choice), _) => choice.begin()?,
                (None, AnswerSource::Given(tape)) if voice.is.voice != SECRETARY => {
                    tape.played(by).map(|played| Box::new(played) as Box<dyn Model>)
                }
                (None, _) => None,
            };
            let asked = match (asked, &lines) {
                (Some(model), Some(lines)) => {
                    Some(Box::new(Taping::new(model, by, lines.clone())) as Box<dyn Model>)
                }
                (asked, _) => asked,
            };
            speakers.push(Speaker { voice: voice.is.voice, model: voice.is.model, asked });
        }
        let mut speakers = speakers.into_iter();
        let first =
            speakers.next().ok_or_else(|| Fail::new("there is no step that a voice could speak at"))?;
        Ok(WalkVoices::new(first, speakers.collect(), self.by_step))
    }
}
