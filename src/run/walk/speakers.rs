//! Who speaks at which step: the settings may name a voice for each, and each voice is begun once.

use std::collections::BTreeMap;

use crate::run::voices::Choice;
use crate::voice::model::{Model, Prices};

/// A voice and its model.
pub struct Speaker {
    /// The voice as recordings name it.
    pub voice: String,
    /// Its model's name, where it has a choice of them.
    pub model: Option<String>,
    /// Who is asked; none: the secretary.
    pub asked: Option<Box<dyn Model>>,
}

/// The voice of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepVoice {
    /// Its place among the speakers.
    pub speaker: usize,
    /// What its tokens cost there.
    pub prices: Option<Prices>,
}

/// The voices of a walk.
pub struct WalkVoices {
    first: Speaker,
    more: Vec<Speaker>,
    /// By step.
    by_step: BTreeMap<String, StepVoice>,
    /// Models that list points beside them.
    readers: Vec<Choice>,
}

impl WalkVoices {
    /// The speakers, and which of them each step has; a step without one has the first.
    pub fn new(first: Speaker, more: Vec<Speaker>, by_step: BTreeMap<String, StepVoice>) -> WalkVoices {
        WalkVoices { first, more, by_step, readers: Vec::new() }
    }

    /// The same with other models that list points in discussions.
    #[must_use]
    pub fn beside(self, readers: Vec<Choice>) -> WalkVoices {
        WalkVoices { readers, ..self }
    }

    pub fn readers(&self) -> &[Choice] {
        &self.readers
    }

    /// Who speaks at a step.
    pub fn at(&self, step: &str) -> &Speaker {
        let place = self.by_step.get(step).map_or(0, |voice| voice.speaker);
        place.checked_sub(1).and_then(|place| self.more.get(place)).unwrap_or(&self.first)
    }

    /// The model that is asked at a step, and what its tokens cost; none: the secretary speaks.
    pub fn model(&mut self, step: &str) -> Option<(&mut (dyn Model + 'static), Option<Prices>)> {
        let voice = self.by_step.get(step);
        let (place, prices) = voice.map_or((0, None), |voice| (voice.speaker, voice.prices));
        let more = place.checked_sub(1).and_then(|place| self.more.get_mut(place));
        Some((more.unwrap_or(&mut self.first).asked.as_deref_mut()?, prices))
    }

    /// Whether a model speaks at a step.
    pub fn has_model(&self, step: &str) -> bool {
        self.at(step).asked.is_some()
    }

    /// The first voice's name, and the names of the others by step.
    pub fn names(&self) -> (String, BTreeMap<String, String>) {
        let others = self.by_step.keys().filter(|step| self.at(step).voice != self.first.voice);
        let others = others.map(|step| (step.clone(), self.at(step).voice.clone())).collect();
        (self.first.voice.clone(), others)
    }
}
