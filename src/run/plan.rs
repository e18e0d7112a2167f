//! `--plan`: what a discussion would take, before anything is asked of a model.
//!
//! The secretary holds the discussion in the model's place, in memory; every round is a request, and its prompts are
//! the ones the model would get.

use serde_json::{Value, json};

use crate::discussion::event::{Opened, Sent};
use crate::discussion::points::Points;
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion};
use crate::item::{is_document, meta};
use crate::text::plain;
use crate::voice::model::evidence::Evidence;
use crate::voice::model::prompt::{self, Prompt};
use crate::voice::model::{Meter, Usage};
use crate::voice::secretary::Secretary;
use crate::voice::{Exchange, Line, Rejected, Speechless, Synthesis, Voice};

/// Tokens of an answer, as lines and syntheses are long on average.
const LINE: u64 = 120;
const SYNTHESIS: u64 = 700;
/// The same of a list of points, of what answers them, and of a repair.
const POINTS: u64 = 1_500;
const REFUTED: u64 = 400;
const REPAIR: u64 = 200;

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
        let Usage { input, output, .. } = self.meter.total();
        json!({
            "turns": self.turns,
            "requests": self.requests,
            "tokens": self.meter.tokens(),
            "input_tokens": input,
            "output_tokens": output,
        })
    }

    /// The plan for people.
    pub fn text(&self, opened: &Opened, evidence: &Evidence) -> String {
        let who = match &opened.model {
            Some(model) => format!("{} ({})", opened.voice, plain::shown(model)),
            None => opened.voice.clone(),
        };
        let mut lines = vec![
            format!("Step {} of {}, spoken by {who}:", opened.step.id, opened.item),
            format!("  turns     {:>9}  of at most {}", self.turns, opened.max_turns),
            format!("  requests  {:>9}", self.requests),
        ];
        if self.requests > 0 {
            let Usage { input, output, .. } = self.meter.total();
            let tokens = self.meter.tokens();
            lines.push(format!("  tokens    {tokens:>9}  about: {input} in, {output} out"));
            lines.extend(sent(opened, evidence));
        }
        lines.push("Nothing was asked (--plan).".to_owned());
        lines.join("\n")
    }
}

/// What would be sent of each file, for `--json`.
pub fn evidence_value(given: &Evidence) -> Value {
    let file = |sent: &Sent| json!({"path": sent.path, "blob": sent.blob, "lines": sent.lines, "characters": given.size_of(&sent.path)});
    given.sent.iter().map(file).collect()
}

/// The files that would be sent, with their lines.
fn sent(opened: &Opened, given: &Evidence) -> Vec<String> {
    let documents = opened.read.keys().filter(|name| is_document(name) && *name != meta::FILE);
    let documents = documents.map(|name| format!("    {}/{name}", opened.item));
    let piece = |(first, last): &(usize, usize)| format!("{first}-{last}");
    let evidence = opened.evidence.iter().map(|sent| {
        let lines: Vec<String> = sent.lines.iter().map(piece).collect();
        let (path, size) = (plain::shown(&sent.path), given.size_of(&sent.path));
        format!("    {path}, lines {}, {}", lines.join(", "), plain::count(size, "character"))
    });
    let mut lines = vec!["  files that would be sent:".to_owned()];
    lines.extend(documents.chain(evidence));
    let names = given.listing.lines().count();
    lines.push(format!(
        "  evidence  {:>9}  characters in all, with a list of {} or folders and the commits of {}",
        given.size(),
        plain::count(names, "file"),
        plain::count(given.commits.len(), "file"),
    ));
    lines
}

/// A voice that counts what a model would be asked.
pub struct Rehearsal<'v, 's> {
    secretary: &'v mut Secretary<'s>,
    name: String,
    head: String,
    /// How many other models list points.
    readers: usize,
    plan: Plan,
    /// What the last request was for.
    asked: Vec<Exchange>,
}

impl<'v, 's> Rehearsal<'v, 's> {
    pub fn new(
        secretary: &'v mut Secretary<'s>,
        name: &str,
        head: String,
        readers: usize,
    ) -> Rehearsal<'v, 's> {
        let (name, plan, asked) = (name.to_owned(), Plan::default(), Vec::new());
        Rehearsal { secretary, name, head, readers, plan, asked }
    }

    pub fn plan(self) -> Plan {
        self.plan
    }
}

impl Voice for Rehearsal<'_, '_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn points(&mut self, talk: &Discussion<'_>) -> Result<Option<Points>, Speechless> {
        for _ in 0..=self.readers {
            self.plan.count(0, &prompt::points(&self.head, talk)?, POINTS);
        }
        self.plan.count(0, &prompt::refute(&self.head, &[], talk)?, REFUTED);
        Ok(None)
    }

    fn round(
        &mut self,
        block: &[Exchange],
        talk: &Discussion<'_>,
    ) -> Result<Vec<Vec<Option<Line>>>, Speechless> {
        // The secretary speaks one by one; a model was asked for the whole block before.
        let Some(first) = block.first() else { return Ok(Vec::new()) };
        // The turn of a message that is still to come is not known yet.
        let words =
            |exchange: &Exchange| exchange.message.as_ref().map(|one| (one.by.clone(), one.text.clone()));
        let has_first = |known: &Exchange| {
            words(known) == words(first) && first.cues.iter().all(|cue| known.cues.contains(cue))
        };
        if !self.asked.iter().any(has_first) {
            let prompt = prompt::round(&self.head, block, talk)?;
            let lines: usize = block.iter().map(|exchange| exchange.cues.len()).sum();
            self.plan.count(talk.turn_count() + 1, &prompt, LINE * lines as u64);
            self.asked = block.to_vec();
        }
        let line = first.cues.first().map(|cue| self.secretary.line(cue, talk, None)).transpose()?;
        Ok(vec![line.into_iter().collect()])
    }

    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        rejected: Option<&Rejected>,
    ) -> Result<Option<Line>, Speechless> {
        // A model is not expected to break the rules.
        self.secretary.line(cue, talk, rejected)
    }

    fn summary(&mut self, talk: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        let prompt = prompt::synthesis(&self.head, talk, "")?;
        self.plan.count(talk.turn_count(), &prompt, SYNTHESIS);
        self.plan.count(talk.turn_count(), &prompt::repair(&self.head, Vec::new(), talk)?, REPAIR);
        let summary = Summary { voice: Some(self.secretary.name().to_owned()), ..by_rule };
        Ok(Synthesis { summary, critiques: Vec::new() })
    }
}
