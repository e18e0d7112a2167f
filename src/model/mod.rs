//! A voice that asks a model, whichever: it builds the prompts, reads the answers tolerantly,
//! keeps count of what they cost, and stops before the token limit, never behind it.
//!
//! The rules of the discussion are not asked of the model but enforced: what it says goes through
//! the [integrity](crate::voice::integrity) rules like anybody's words, and its synthesis through
//! [grounding]; then a [critic] judges what is left.

#[cfg(feature = "net")]
pub mod anthropic;
#[cfg(feature = "net")]
pub mod command;
pub mod critic;
pub mod drafting;
pub mod evidence;
pub mod grounding;
#[cfg(feature = "net")]
pub mod openai;
pub mod prompt;
pub mod rounds;
pub mod tape;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::grounding::{Grounded, Grounds};
use self::prompt::Prompt;
pub use self::rounds::{schema, whole_schema};
use crate::discussion::event::Verdict;
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion};
use crate::minutes::Forms;
use crate::plain;
use crate::secrets;
use crate::text::echo::Echo;
use crate::voice::sources::Excerpt;
use crate::voice::{Line, REVIEWER, Rejected, Speechless, Synthesis, Voice};

/// Something that answers a prompt: a service behind HTTP, a command.
pub trait Model {
    /// The voice's name, as recordings carry it.
    fn name(&self) -> &str;

    /// The answer to a prompt.
    ///
    /// # Errors
    /// Why there is none, in words for people, without secrets.
    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless>;

    /// How many requests were sent so far, tries included.
    fn requests(&self) -> u64;
}

/// What a model answered, and what that took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    /// None where the service does not say.
    pub usage: Option<Usage>,
}

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All of the prompt, whether cached or not.
    pub input: u64,
    /// Of these, read from a cache.
    pub cached: u64,
    /// Of these, written to a cache.
    pub written: u64,
    pub output: u64,
}

impl Usage {
    fn add(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.written = self.written.saturating_add(other.written);
        self.output = self.output.saturating_add(other.output);
    }

    const fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    fn value(self) -> Value {
        json!({
            "input_tokens": self.input,
            "cached_input_tokens": self.cached,
            "cache_write_input_tokens": self.written,
            "output_tokens": self.output,
        })
    }
}

/// What a request of the discussion took.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    turn: u32,
    by: String,
    purpose: String,
    usage: Usage,
}

/// What a discussion took so far.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    requests: u64,
    total: Usage,
    /// What tries without an answer may have taken.
    tries: u64,
    rows: Vec<Row>,
    /// Characters of all prompts.
    sent: u64,
    /// The same where a written character counts 1.25, one read again 0.1: in twentieths.
    billed: u64,
    /// Head and talk of the last prompt, as a cache would hold it.
    cached: Option<(usize, usize)>,
    /// The most bytes of a prompt that were one token, in hundredths; learned from the usage.
    hundredths: u64,
}

/// Bytes a token, in hundredths, as long as no service has said otherwise: less than English has.
const CAREFUL: u64 = 300;
/// Tokens that are kept back for the answer to the request for a synthesis.
const SUMMED_UP: u64 = 1_024;
/// What a protocol adds to a prompt, in tokens.
const FRAME: u64 = 64;

impl Meter {
    /// Tokens that a prompt will take, rather too many than too few. Letters beyond ASCII are a
    /// token a byte at worst, until a service has said what they are.
    pub fn estimate(&self, prompt: &Prompt) -> u64 {
        let bytes = prompt.len() as u64;
        if self.hundredths > 0 {
            return bytes.saturating_mul(110) / self.hundredths.min(CAREFUL) + FRAME;
        }
        let plain = |text: &str| text.bytes().filter(u8::is_ascii).count() as u64;
        let ascii = plain(&prompt.head)
            + prompt.talk.iter().map(|entry| plain(entry)).sum::<u64>()
            + plain(&prompt.wanted);
        ascii.saturating_mul(110) / CAREFUL + bytes.saturating_sub(ascii) + FRAME
    }

    /// Tokens so far; tries whose answers broke off may have been billed, and count as estimated.
    pub const fn tokens(&self) -> u64 {
        self.total.total().saturating_add(self.tries)
    }

    /// Takes in tries that came to no answer.
    fn retried(&mut self, prompt: &Prompt, tries: u64) {
        self.tries = self.tries.saturating_add(tries.saturating_mul(self.estimate(prompt)));
    }

    /// Takes in a prompt that was sent and what came of it.
    pub fn count(&mut self, turn: u32, prompt: &Prompt, answer: &Answer) {
        let bytes = prompt.len();
        // Nothing for a prompt is no answer to what it took.
        let said = answer.usage.filter(|usage| usage.input > 0);
        let usage = said.unwrap_or_else(|| Usage {
            input: self.estimate(prompt),
            output: answer.text.len() as u64 / 3 + 1,
            ..Usage::default()
        });
        if said.is_some() {
            let rate = (bytes as u64 * 100 / usage.input).max(50);
            self.hundredths = if self.hundredths == 0 { rate } else { self.hundredths.min(rate) };
        }
        self.add(turn, prompt, usage);
    }

    /// Takes in a prompt and what it takes.
    pub fn add(&mut self, turn: u32, prompt: &Prompt, usage: Usage) {
        self.total.add(usage);
        let (by, purpose) = (prompt.want.who(), prompt.want.name().to_owned());
        self.rows.push(Row { turn, by, purpose, usage });
        self.weigh(prompt);
    }

    /// The prompt in characters, as a prefix cache bills it.
    fn weigh(&mut self, prompt: &Prompt) {
        let head = prompt.head.chars().count();
        let talk: usize = prompt.talk.iter().map(|entry| entry.chars().count()).sum();
        let wanted = prompt.wanted.chars().count();
        let read = self.cached.map_or(0, |(head, talk)| head + talk).min(head + talk);
        let written = head + talk - read;
        self.sent += (head + talk + wanted) as u64;
        self.billed += (read * 2 + written * 25 + wanted * 20) as u64;
        self.cached = Some((head, talk));
    }

    /// `usage` of `--json`.
    pub fn value(&self) -> Value {
        let mut value = json!({"requests": self.requests});
        if let (Value::Object(all), Value::Object(total)) = (&mut value, self.total.value()) {
            all.extend(total);
        }
        value["prompt_characters"] = json!(self.sent);
        value["billed_equivalent_characters"] = json!(self.billed / 20);
        value["turns"] = self
            .rows
            .iter()
            .map(|row| {
                let mut one = json!({"turn": row.turn, "by": row.by, "purpose": row.purpose});
                if let (Value::Object(one), Value::Object(usage)) = (&mut one, row.usage.value()) {
                    one.extend(usage);
                }
                one
            })
            .collect();
        value
    }

    /// The same as a table for people.
    pub fn table(&self) -> String {
        let mut lines =
            vec![format!("{:>4}  {:<20}{:>9}{:>9}{:>9}", "turn", "by", "input", "cached", "output")];
        for row in &self.rows {
            let Usage { input, cached, output, .. } = row.usage;
            let by = match row.by.split(", ").count() {
                1 => row.by.clone(),
                count => format!("a round of {count}"),
            };
            lines.push(format!("{:>4}  {by:<20}{input:>9}{cached:>9}{output:>9}", row.turn));
        }
        let Usage { input, cached, output, .. } = self.total;
        let all = format!(
            "{} in all",
            plain::count(usize::try_from(self.requests).unwrap_or(usize::MAX), "request")
        );
        lines.push(format!("{:>4}  {all:<20}{input:>9}{cached:>9}{output:>9}", ""));
        lines.join("\n")
    }
}

/// A model at the table.
pub struct Live<'m> {
    model: &'m mut dyn Model,
    head: String,
    meter: Meter,
    /// The most tokens the discussion may take.
    limit: Option<u64>,
    notes: Vec<String>,
    evidence: Vec<Excerpt>,
    has_critic: bool,
}

impl<'m> Live<'m> {
    /// A voice of a model, with the head of its prompts.
    pub fn new(model: &'m mut dyn Model, head: String, limit: Option<u64>) -> Live<'m> {
        let (meter, notes, evidence) = (Meter::default(), Vec::new(), Vec::new());
        Live { model, head, meter, limit, notes, evidence, has_critic: true }
    }

    /// The same with what its head shows of other files, which it may quote.
    #[must_use]
    pub fn reading(self, evidence: Vec<Excerpt>) -> Live<'m> {
        Live { evidence, ..self }
    }

    /// The same with a critic of its synthesis, or without.
    #[must_use]
    pub fn criticised(self, has_critic: bool) -> Live<'m> {
        Live { has_critic, ..self }
    }

    pub const fn meter(&self) -> &Meter {
        &self.meter
    }

    /// What people should know of the synthesis: what was dropped and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether a prompt, the longest answer to it, and so much more stay within the limit.
    fn affords(&self, prompt: &Prompt, more: u64) -> bool {
        let wanted = self.meter.estimate(prompt) + prompt.want.most_tokens() + more;
        self.limit.is_none_or(|limit| self.meter.tokens().saturating_add(wanted) <= limit)
    }

    fn ask(&mut self, turn: u32, prompt: &Prompt) -> Result<String, Speechless> {
        let before = self.model.requests();
        let asked = self.model.ask(prompt);
        self.meter.requests = self.model.requests();
        self.meter.retried(prompt, self.meter.requests.saturating_sub(before).saturating_sub(1));
        let answer = asked?;
        self.meter.count(turn, prompt, &answer);
        let Some((text, masked)) = secrets::mask(&answer.text) else { return Ok(answer.text) };
        self.notes.push(format!("the model's answer held {}; it is masked", secrets::named(&masked)));
        Ok(text)
    }

    /// The model's synthesis, and whether it can be used: nothing can where it gave nothing that rests on turns twice.
    fn summed_up(
        &mut self,
        talk: &Discussion<'_>,
        grounds: &Grounds<'_>,
    ) -> Result<(Grounded, bool), Speechless> {
        let (mut wrong, mut last) = (String::new(), Grounded::default());
        for _ in 0..2 {
            let prompt = prompt::synthesis(&self.head, talk, &wrong)?;
            if !self.affords(&prompt, 0) {
                self.notes.push("the token limit leaves nothing for a synthesis by the model".to_owned());
                break;
            }
            let text = self.ask(talk.turn_count(), &prompt)?;
            match grounding::read(&text) {
                Ok(said) => {
                    let grounded = grounds.hold(said);
                    if !grounded.summary.is_empty() || grounded.critiques.is_empty() {
                        return Ok((grounded, true));
                    }
                    last = grounded;
                    "no entry rests on the turns it names".clone_into(&mut wrong);
                }
                Err(why) => wrong = why,
            }
        }
        if !wrong.is_empty() {
            self.notes.push(format!("the model's synthesis is not used: {wrong}; it is made by rule"));
        }
        Ok((last, false))
    }

    /// What the model finds wrong with a draft, and what it makes of that.
    fn criticised_draft(
        &mut self,
        talk: &Discussion<'_>,
        grounds: &Grounds<'_>,
        mut draft: Synthesis,
    ) -> Result<Synthesis, Speechless> {
        let entries = critic::entries(&draft.summary);
        let asked = prompt::critique(&self.head, talk, &entries)?;
        if !self.has_critic || entries.is_empty() || !self.affords(&asked, 0) {
            return Ok(draft);
        }
        let problems = critic::problems(&self.ask(talk.turn_count(), &asked)?, &entries);
        if problems.is_empty() {
            return Ok(draft);
        }
        let shown = critic::judged(&draft.summary, &entries, &problems, grounds);
        let fixes = match prompt::refine(&self.head, talk, &shown)? {
            asked if !shown.is_empty() && self.affords(&asked, 0) => {
                critic::fixes(&self.ask(talk.turn_count(), &asked)?)
            }
            _ => Vec::new(),
        };
        let critiques = critic::apply(&mut draft.summary, &entries, &problems, &fixes, grounds);
        draft.critiques.extend(critiques);
        Ok(draft)
    }

    /// Whether a line is words of the request itself, which are no answer to it.
    fn is_ours(text: &str, talk: &Discussion<'_>) -> bool {
        let ours = talk.library().templates.sources().filter(|(name, _)| name.starts_with("prompts/"));
        let goals = talk.step().validation.join("\n");
        let mut ours = ours.map(|(_, source)| source).chain([goals.as_str()]);
        let echo = Echo::of(text);
        ours.any(|source| echo.is_within(&Echo::of(source)))
    }

    fn said(line: Option<Line>, talk: &Discussion<'_>) -> Option<Line> {
        line.map(|line| if Self::is_ours(&line.text, talk) { Line::plain("") } else { line })
    }

    /// Refuses a request after which a synthesis of as many words could not be paid.
    fn affords_line(&self, prompt: &Prompt) -> Result<(), Speechless> {
        let reserve = self.meter.estimate(prompt) + SUMMED_UP;
        match self.affords(prompt, reserve) {
            true => Ok(()),
            false => Err(Speechless::Spent(self.limit.unwrap_or_default())),
        }
    }
}

impl Voice for Live<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn evidence(&self) -> &[Excerpt] {
        &self.evidence
    }

    fn round(&mut self, cues: &[Cue], talk: &Discussion<'_>) -> Result<Vec<Option<Line>>, Speechless> {
        let prompt = prompt::round(&self.head, cues, talk)?;
        self.affords_line(&prompt)?;
        let text = self.ask(talk.turn_count() + 1, &prompt)?;
        let keys: Vec<&str> = cues.iter().map(|cue| cue.persona.as_str()).collect();
        Ok(rounds::lines(&text, &keys).into_iter().map(|line| Self::said(line, talk)).collect())
    }

    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        rejected: Option<&Rejected>,
    ) -> Result<Option<Line>, Speechless> {
        let prompt = prompt::line(&self.head, cue, talk, rejected)?;
        self.affords_line(&prompt)?;
        let text = self.ask(talk.turn_count() + 1, &prompt)?;
        Ok(Self::said(rounds::line(&text), talk))
    }

    fn summary(&mut self, talk: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        let forms = Forms::of(talk.library())?;
        let grounds = Grounds::new(talk, &forms, &by_rule);
        let (grounded, is_usable) = self.summed_up(talk, &grounds)?;
        if !is_usable {
            let summary = Summary { voice: Some(REVIEWER.to_owned()), ..by_rule.clone() };
            return Ok(Synthesis { summary, critiques: grounded.critiques });
        }
        let draft = grounds.complete(grounded);
        let mut whole = self.criticised_draft(talk, &grounds, draft)?;
        if !grounds.sums_up(&whole.summary.summary, &whole.summary) {
            by_rule.summary.clone_into(&mut whole.summary.summary);
        }
        for critique in whole.critiques.iter().filter(|critique| critique.outcome != Verdict::Kept) {
            let what = if critique.outcome == Verdict::Dropped { "left out of" } else { "changed in" };
            self.notes.push(format!("{what} the model's synthesis: {}", critique.problem));
        }
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::prompt::Want;
    use super::*;

    fn prompt(head: usize, talk: usize) -> Prompt {
        Prompt {
            head: "h".repeat(head),
            talk: vec!["t".repeat(talk)],
            wanted: "w".repeat(100),
            want: Want::Synthesis,
        }
    }

    #[test]
    fn what_was_sent_before_is_billed_as_read() {
        let mut meter = Meter::default();
        let none = Answer::default();
        meter.count(1, &prompt(1000, 0), &none);
        assert_eq!(meter.billed / 20, 1250 + 100);
        meter.count(2, &prompt(1000, 400), &none);
        assert_eq!(meter.billed / 20, 1350 + 100 + 500 + 100);
        assert_eq!(meter.sent, 1100 + 1500);
    }

    #[test]
    fn the_estimate_learns_from_the_dearest_answer_and_never_gets_cheaper_than_careful() {
        let mut meter = Meter::default();
        assert_eq!(meter.estimate(&prompt(2900, 0)), 1100 + FRAME);
        let usage = |input| Answer { usage: Some(Usage { input, ..Usage::default() }), ..Answer::default() };
        meter.count(1, &prompt(800, 0), &usage(100));
        assert_eq!(meter.estimate(&prompt(2900, 0)), 1100 + FRAME);
        meter.count(2, &prompt(800, 0), &usage(600));
        assert_eq!(meter.estimate(&prompt(2900, 0)), 2200 + FRAME);
    }
}
