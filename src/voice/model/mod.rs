//! A voice that asks a model, whichever: it builds the prompts, reads the answers tolerantly,
//! keeps count of what they cost, and stops before the token limit, never after it.
//!
//! The rules of the discussion are not asked of the model but enforced: what it says goes through
//! the [integrity](crate::voice::integrity) rules like anybody's words, and its synthesis through
//! [grounding]; then a [critic] judges what is left.

#[cfg(feature = "cli")]
pub mod anthropic;
pub mod clauses;
#[cfg(feature = "cli")]
pub mod command;
pub mod critic;
pub mod drafting;
pub mod evidence;
pub mod grounding;
pub mod meter;
#[cfg(feature = "cli")]
pub mod openai;
pub mod prompt;
pub mod rounds;
pub mod tape;

use self::grounding::{Grounded, Grounds};
pub use self::meter::{Meter, Metered, Prices, Usage};
use self::prompt::Prompt;
pub use self::rounds::{schema, whole_schema};
use crate::discussion::event::Verdict;
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion};
use crate::minutes::Forms;
use crate::text::echo::Echo;
use crate::voice::sources::Excerpt;
use crate::voice::{Line, Rejected, SECRETARY, Speechless, Synthesis, Voice};

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
    has_critic: bool,
}

impl<'m> Live<'m> {
    /// A voice of a model, with the head of its prompts.
    pub fn new(model: &'m mut dyn Model, head: String, limit: Option<u64>) -> Live<'m> {
        Live { model: Metered::new(model, limit), head, evidence: Vec::new(), has_critic: true }
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

    /// The same with a critic of its synthesis, or without.
    #[must_use]
    pub fn criticised(self, has_critic: bool) -> Live<'m> {
        Live { has_critic, ..self }
    }

    pub const fn meter(&self) -> &Meter {
        self.model.meter()
    }

    /// What people should know of the synthesis: what was dropped and why.
    pub fn notes(&self) -> &[String] {
        &self.model.notes
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
            if !self.model.affords(&prompt, 0) {
                self.model
                    .notes
                    .push("the token limit leaves nothing for a synthesis by the model".to_owned());
                break;
            }
            let text = self.model.ask(talk.turn_count(), &prompt)?;
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
            self.model.notes.push(format!("the model's synthesis is not used: {wrong}; it is made by rule"));
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
        if !self.has_critic || entries.is_empty() || !self.model.affords(&asked, 0) {
            return Ok(draft);
        }
        let problems = critic::problems(&self.model.ask(talk.turn_count(), &asked)?, &entries);
        if problems.is_empty() {
            return Ok(draft);
        }
        let shown = critic::judged(&draft.summary, &entries, &problems, grounds);
        let fixes = match prompt::refine(&self.head, talk, &shown)? {
            asked if !shown.is_empty() && self.model.affords(&asked, 0) => {
                critic::fixes(&self.model.ask(talk.turn_count(), &asked)?)
            }
            _ => Vec::new(),
        };
        let critiques = critic::apply(&mut draft.summary, &entries, &problems, &fixes, grounds);
        draft.critiques.extend(critiques);
        Ok(draft)
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

    fn round(&mut self, cues: &[Cue], talk: &Discussion<'_>) -> Result<Vec<Option<Line>>, Speechless> {
        let prompt = prompt::round(&self.head, cues, talk)?;
        self.affords_line(&prompt)?;
        let text = self.model.ask(talk.turn_count() + 1, &prompt)?;
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
        let text = self.model.ask(talk.turn_count() + 1, &prompt)?;
        Ok(Self::said(rounds::line(&text), talk))
    }

    fn summary(&mut self, talk: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        let forms = Forms::of(talk.library())?;
        let grounds = Grounds::new(talk, &forms, &by_rule);
        let (grounded, is_usable) = self.summed_up(talk, &grounds)?;
        if !is_usable {
            let summary = Summary { voice: Some(SECRETARY.to_owned()), ..by_rule.clone() };
            return Ok(Synthesis { summary, critiques: grounded.critiques });
        }
        let draft = grounds.complete(grounded);
        let Synthesis { summary, critiques } = self.criticised_draft(talk, &grounds, draft)?;
        // What a critic drops may have been there instead of a user's own words.
        let mut whole = grounds.complete(Grounded { summary, critiques });
        if !grounds.sums_up(&whole.summary.summary, &whole.summary) {
            by_rule.summary.clone_into(&mut whole.summary.summary);
        }
        for critique in whole.critiques.iter().filter(|critique| critique.outcome != Verdict::Kept) {
            let what = if critique.outcome == Verdict::Dropped { "left out of" } else { "changed in" };
            self.model.notes.push(format!("{what} the model's synthesis: {}", critique.problem));
        }
        Ok(whole)
    }
}
