//! What a model drafts of a step: in brief depth before the one question, else once the questions are answered.
//! Without a model nothing is drafted: a draft from documents alone would be a guess.

use std::collections::BTreeMap;

use super::{Drafting, Walk, WalkError, check_secrets};
use crate::analysis::Talk;
use crate::analysis::answer_forms::Label;
use crate::analysis::drafted::{Drafted, wanted};
use crate::analysis::event::Event;
use crate::analysis::greeting;
use crate::run::Observer;
use crate::run::session::Stopped;
use crate::run::voices;
use crate::voice::Speechless;
use crate::voice::model::drafting::{Answered, Material};
use crate::voice::model::prompt::{Earlier, Given, Want};
use crate::voice::model::{Meter, Metered};

impl Walk<'_> {
    /// Lets a model draft the step under way, once, and shows what may be taken.
    pub(super) fn draft_step(&mut self, observer: &dyn Observer) -> Result<(), WalkError> {
        let Some(talk) = self.analysis.current().filter(|talk| talk.may_be_drafted()) else { return Ok(()) };
        let (library, depth, is_brief) = (self.setup.library, talk.depth, talk.is_brief());
        let step = &library.steps[talk.step];
        if !self.setup.speakers.has_model(&step.id) {
            return Ok(());
        }
        let answers = answers(talk);
        let said = answers.iter().map(|answer| answer.said).collect();
        let given =
            Given { evidence: self.evidence(&step.id, said)?, earlier: self.earlier(), ..Given::default() };
        let (item_name, wanted) = (self.item.name(), wanted(step));
        let persona = self.analysis.persona(step).0;
        let documents = self.item.documents().collect();
        let material = Material {
            library,
            step,
            depth,
            persona,
            item_name: &item_name,
            documents,
            given: &given,
            answers: &answers,
            wanted: &wanted,
        };
        let prompt = material.prompt(&[]).map_err(Stopped::Voice)?;
        // A key of the environment that somebody wrote into a document stays here.
        check_secrets(&prompt.head).map_err(WalkError::Interrupted)?;
        let voice = self.setup.speakers.at(&step.id).voice.clone();
        let Some((model, prices)) = self.setup.speakers.model(&step.id) else { return Ok(()) };
        let watch = |want: &Want, meter: &Meter| {
            observer.waiting(&voices::thinking(want, meter, &library.cast));
        };
        let mut metered = Metered::new(model, self.setup.tokens).priced(prices).watched(&watch);
        let draft = match material.draft(&mut metered) {
            Err(Speechless::Spent(limit)) => {
                observer.note(&format!("the limit of {limit} tokens leaves no draft of step {}", step.id));
                Default::default()
            }
            drafted => drafted.map_err(Stopped::Voice)?,
        };
        metered.notes.iter().for_each(|note| observer.note(note));
        let meter = metered.meter().clone();
        for refused in &draft.refused {
            observer.note(&format!("left out of the draft: \"{}\": {}", refused.text, refused.why));
        }
        if meter.requests() > 0 {
            observer.say(&format!("\n{}", meter.table()));
            let step = step.id.clone();
            self.drafts.push(Drafting { step, voice: voice.clone(), usage: meter.clone() });
        }
        let drafted = Drafted { voice: voice.clone(), lines: draft.lines.clone(), confirmed_by: None };
        check_secrets(&drafted.shown().join("\n")).map_err(WalkError::Interrupted)?;
        if drafted.lines.is_empty() {
            observer
                .note(&format!("the voice has drafted nothing of step {} that rests on anything", step.id));
        } else {
            let text = greeting::drafted(library, persona, &drafted.shown(), is_brief)?;
            observer.say(&format!("\n{text}"));
        }
        self.record(Event::Drafted { voice, lines: draft.lines }, None)
    }

    /// What the discussions of earlier steps came to, by step.
    fn earlier(&self) -> Vec<Earlier> {
        let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (step, summary) in &self.analysis.opened().elaborations {
            found.entry(step).or_default().push(summary);
        }
        for finished in self.elaborations.iter().filter_map(|landed| landed.held.finished()) {
            let said = &finished.summary.summary;
            found.entry(&finished.opened.step.id).or_default().push(said);
        }
        let earlier = |(step, said): (&str, Vec<&str>)| Earlier {
            path: format!("steps/{step}"),
            text: said.join("\n"),
        };
        found.into_iter().map(earlier).collect()
    }
}

/// What was answered, by the number of its question.
fn answers(talk: &Talk) -> Vec<Answered<'_>> {
    let said = talk.answers.iter().filter_map(|answer| Some((answer, &answer.said.as_ref()?.1)));
    let answered = (1..).zip(said).map(|(number, (answer, said))| Answered {
        number: answer.question.unwrap_or(number),
        asked: &answer.asked,
        said,
        decides: answer.asks.contains(&Label::Decision),
    });
    answered.collect()
}
