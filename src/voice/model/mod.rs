//! A voice that asks a model, whichever: it builds the prompts, reads the answers tolerantly,
//! keeps count of what they cost, and stops before the token limit, never after it.
//!
//! The rules of the discussion are not asked of the model but enforced: what it says goes through
//! the [integrity](crate::voice::integrity) rules like anybody's words, and its synthesis through
//! [grounding], which asks once for what it refuses.

#[cfg(feature = "cli")]
pub mod anthropic;
pub mod clauses;
#[cfg(feature = "cli")]
pub mod command;
pub mod drafting;
pub mod evidence;
pub mod grounding;
pub mod meter;
#[cfg(feature = "cli")]
pub mod openai;
pub mod points;
pub mod prompt;
pub mod rounds;
pub mod tape;

use self::grounding::{Grounded, Grounds};
pub use self::meter::{Meter, Metered, Prices, Usage};
use self::prompt::{Prompt, Want};
pub use self::rounds::{schema, whole_schema};
use crate::discussion::event::Verdict;
use crate::discussion::points::{Point, Points, Refutation};
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion};
use crate::minutes::Forms;
use crate::text::echo::Echo;
use crate::text::plain;
use crate::voice::sources::Excerpt;
use crate::voice::{Exchange, Line, Rejected, SECRETARY, Speechless, Synthesis, Voice};

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

/// Tokens that are kept back for the answer to the request for a synthesis.
const SUMMED_UP: u64 = 1_024;

/// A model at the table.
pub struct Live<'m> {
    model: Metered<'m>,
    head: String,
    evidence: Vec<Excerpt>,
}

impl<'m> Live<'m> {
    /// A voice of a model, with the head of its prompts.
    pub fn new(model: &'m mut dyn Model, head: String, limit: Option<u64>) -> Live<'m> {
        Live { model: Metered::new(model, limit), head, evidence: Vec::new() }
    }

    /// The same with what its head shows of other files, which it may quote.
    #[must_use]
    pub fn reading(self, evidence: Vec<Excerpt>) -> Live<'m> {
        Live { evidence, ..self }
    }

    /// The same with what its tokens cost.
    #[must_use]
    pub fn priced(self, prices: Option<Prices>) -> Live<'m> {
        Live { model: self.model.priced(prices), ..self }
    }

    /// The same, and somebody is told what is asked for.
    #[must_use]
    pub fn watched(self, watch: meter::Watch<'m>) -> Live<'m> {
        Live { model: self.model.watched(watch), ..self }
    }

    pub const fn meter(&self) -> &Meter {
        self.model.meter()
    }

    /// What people should know of the synthesis: what was dropped and why.
    pub fn notes(&self) -> &[String] {
        &self.model.notes
    }

    /// The model's synthesis as it wrote it; none where it wrote nothing that can be read, twice.
    fn drafted(&mut self, talk: &Discussion<'_>) -> Result<Option<grounding::Said>, Speechless> {
        let mut wrong = String::new();
        for _ in 0..2 {
            let prompt = prompt::synthesis(&self.head, talk, &wrong)?;
            if !self.model.affords(&prompt, 0) {
                let note = "the token limit leaves nothing for a synthesis by the model";
                self.model.notes.push(note.to_owned());
                return Ok(None);
            }
            match grounding::read(&self.model.ask(talk.turn_count(), &prompt)?) {
                Ok(said) => return Ok(Some(said)),
                Err(why) => wrong = why,
            }
        }
        self.model.notes.push(format!("the model's synthesis is not used: {wrong}; it is made by rule"));
        Ok(None)
    }

    /// What of a synthesis rests on the discussion; what does not is asked for once in other words.
    fn repaired(
        &mut self,
        talk: &Discussion<'_>,
        grounds: &Grounds<'_>,
        mut said: grounding::Said,
    ) -> Result<Grounded, Speechless> {
        let held = grounds.hold(&said);
        let problems = held.problems();
        let asked = prompt::repair(&self.head, problems.clone(), talk)?;
        if problems.is_empty() || !self.model.affords(&asked, 0) {
            return Ok(held);
        }
        said.repair(&self.model.ask(talk.turn_count(), &asked)?);
        Ok(grounds.hold(&said).after(&problems))
    }

    fn said(line: Option<Line>, talk: &Discussion<'_>) -> Option<Line> {
        line.map(|line| if is_ours(&line.text, talk) { Line::plain("") } else { line })
    }

    /// Refuses a request after which a synthesis of as many words could not be paid.
    fn affords_line(&self, prompt: &Prompt) -> Result<(), Speechless> {
        let reserve = self.model.meter().estimate(prompt) + SUMMED_UP;
        match self.model.affords(prompt, reserve) {
            true => Ok(()),
            false => Err(self.model.spent()),
        }
    }
}

/// Whether a line is words of the request itself, which are no answer to it.
pub fn is_ours(text: &str, talk: &Discussion<'_>) -> bool {
    let ours = talk.library().templates.sources().filter(|(name, _)| name.starts_with("prompts/"));
    let goals = talk.step().validation.join("\n");
    let mut ours = ours.map(|(_, source)| source).chain([goals.as_str()]);
    let echo = Echo::of(text);
    ours.any(|source| echo.is_within(&Echo::of(source)))
}

impl Voice for Live<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn evidence(&self) -> &[Excerpt] {
        &self.evidence
    }

    fn round(
        &mut self,
        block: &[Exchange],
        talk: &Discussion<'_>,
    ) -> Result<Vec<Vec<Option<Line>>>, Speechless> {
        let prompt = prompt::round(&self.head, block, talk)?;
        self.affords_line(&prompt)?;
        let text = self.model.ask(talk.turn_count() + 1, &prompt)?;
        let Want::Round { exchanges, .. } = &prompt.want else { return Ok(Vec::new()) };
        let said = rounds::lines(&text, exchanges).into_iter();
        let own = |lines: Vec<Option<Line>>| lines.into_iter().map(|line| Self::said(line, talk)).collect();
        Ok(said.map(own).collect())
    }

    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        rejected: Option<&Rejected>,
    ) -> Result<Option<Line>, Speechless> {
        let prompt = prompt::line(&self.head, cue, talk, rejected)?;
        self.affords_line(&prompt)?;
        let text = self.model.ask(talk.turn_count() + 1, &prompt)?;
        Ok(Self::said(rounds::line(&text), talk))
    }

    fn points(&mut self, talk: &Discussion<'_>) -> Result<Option<Points>, Speechless> {
        let prompt = prompt::points(&self.head, talk)?;
        if !self.model.affords(&prompt, SUMMED_UP) {
            return Ok(None);
        }
        let points = points::read(&self.model.ask(0, &prompt)?);
        Ok(Some(Points { voice: self.name().to_owned(), model: talk.opened().model.clone(), points }))
    }

    fn refute(
        &mut self,
        points: &[Point],
        talk: &Discussion<'_>,
    ) -> Result<Vec<(usize, Refutation)>, Speechless> {
        let prompt = prompt::refute(&self.head, points, talk)?;
        match self.model.affords(&prompt, SUMMED_UP) {
            true => Ok(points::refutations(&self.model.ask(0, &prompt)?)),
            false => Ok(Vec::new()),
        }
    }

    fn summary(&mut self, talk: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        let forms = Forms::of(talk.library())?;
        let grounds = Grounds::new(talk, &forms, &by_rule);
        let by_rule_alone = |critiques| Synthesis {
            summary: Summary { voice: Some(SECRETARY.to_owned()), ..by_rule.clone() },
            critiques,
        };
        let Some(said) = self.drafted(talk)? else { return Ok(by_rule_alone(Vec::new())) };
        let grounded = self.repaired(talk, &grounds, said)?;
        if grounded.summary.is_empty() && !grounded.critiques.is_empty() {
            let note =
                "the model's synthesis is not used: no entry rests on the turns it names; it is made by rule";
            self.model.notes.push(note.to_owned());
            return Ok(by_rule_alone(grounded.critiques));
        }
        let whole = grounds.complete(grounded);
        for critique in whole.critiques.iter().filter(|critique| critique.outcome != Verdict::Kept) {
            let what = if critique.outcome == Verdict::Dropped { "left out of" } else { "changed in" };
            self.model.notes.push(format!("{what} the model's synthesis: {}", critique.problem));
        }
        for one in &whole.summary.possible_decisions {
            let text = plain::cut(&plain::shown(&one.text), 120);
            self.model
                .notes
                .push(format!("perhaps decided in turn {}, and not recorded: \"{text}\"", one.turn));
        }
        Ok(whole)
    }
}
