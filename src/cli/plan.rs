//! `--plan`: what a discussion would take, before anything is asked of a model.
//!
//! The reviewer holds the discussion in the model's place, in memory; every line it is asked
//! for is a request, and its prompts are the ones the model would get.

use serde_json::{Value, json};

use crate::discussion::event::Opened;
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion};
use crate::model::prompt::{self, Prompt};
use crate::model::{Meter, Usage};
use crate::plain;
use crate::voice::integrity::Breach;
use crate::voice::reviewer::Reviewer;
use crate::voice::{Line, Speechless, Voice};

/// Tokens of an answer, as lines and syntheses are long on average.
const LINE: u64 = 120;
const SYNTHESIS: u64 = 700;

/// What a discussion would take.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub turns: u32,
    requests: u64,
    meter: Meter,
}

impl Plan {
    fn count(&mut self, turn: u32, prompt: &Prompt, output: u64) {
        let input = self.meter.estimate(prompt);
        self.requests += 1;
        self.meter.add(turn, prompt, Usage { input, output, ..Usage::default() });
    }

    /// The plan for `--json`.
    pub fn value(&self) -> Value {
        let usage = self.meter.value();
        json!({
            "turns": self.turns,
            "requests": self.requests,
            "tokens": self.meter.tokens(),
            "input_tokens": usage["input_tokens"],
            "output_tokens": usage["output_tokens"],
            "prompt_characters": usage["prompt_characters"],
            "billed_equivalent_characters": usage["billed_equivalent_characters"],
        })
    }

    /// The plan for people.
    pub fn text(&self, opened: &Opened) -> String {
        let who = match &opened.model {
            Some(model) => format!("{} ({})", opened.voice, plain::shown(model)),
            None => opened.voice.clone(),
        };
        let usage = self.meter.value();
        let number = |name: &str| usage[name].as_u64().unwrap_or_default();
        let mut lines = vec![
            format!("Step {} of {}, spoken by {who}:", opened.step.id, opened.item),
            format!("  turns     {:>9}  of at most {}", self.turns, opened.max_turns),
            format!("  requests  {:>9}", self.requests),
        ];
        if self.requests > 0 {
            lines.push(format!(
                "  tokens    {:>9}  about: {} in, {} out",
                self.meter.tokens(),
                number("input_tokens"),
                number("output_tokens")
            ));
            let (sent, billed) = (number("prompt_characters"), number("billed_equivalent_characters"));
            lines.push(format!(
                "  cached    {:>8}%  of the prompts' characters, where the service caches",
                sent.saturating_sub(billed) * 100 / sent.max(1)
            ));
        }
        lines.push("Nothing was asked (--plan).".to_owned());
        lines.join("\n")
    }
}

/// A voice that counts what a model would be asked.
pub struct Rehearsal<'v> {
    reviewer: &'v mut Reviewer<'v>,
    name: String,
    head: String,
    plan: Plan,
}

impl<'v> Rehearsal<'v> {
    pub fn new(reviewer: &'v mut Reviewer<'v>, name: &str, head: String) -> Rehearsal<'v> {
        Rehearsal { reviewer, name: name.to_owned(), head, plan: Plan::default() }
    }

    pub fn plan(self) -> Plan {
        self.plan
    }
}

impl Voice for Rehearsal<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        broken: &[Breach],
    ) -> Result<Option<Line>, Speechless> {
        let prompt = prompt::line(&self.head, cue, talk, &[])?;
        self.plan.count(talk.turn_count() + 1, &prompt, LINE);
        self.reviewer.line(cue, talk, broken)
    }

    fn summary(&mut self, talk: &Discussion<'_>, by_rule: Summary) -> Result<Summary, Speechless> {
        let prompt = prompt::synthesis(&self.head, talk, "")?;
        self.plan.count(talk.turn_count(), &prompt, SYNTHESIS);
        let summary = self.reviewer.summary(talk, by_rule)?;
        Ok(Summary { voice: Some(self.reviewer.name().to_owned()), ..summary })
    }
}
