//! A voice that asks a model, whichever: it builds the prompts, reads the answers tolerantly,
//! keeps count of what they cost, and stops before the token limit, never after it.
//!
//! The rules of the discussion are not asked of the model but enforced: what it says goes through
//! the [rules](crate::voice::rules) like anybody's words, and its synthesis through
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
pub mod ollama;
#[cfg(feature = "cli")]
pub mod openai;
pub mod points;
#[cfg(feature = "cli")]
pub mod preset;
#[cfg(feature = "cli")]
pub mod process;
pub mod prompt;
pub mod reading;
pub mod rounds;
pub mod tape;
pub mod truncation;

use self::evidence::Evidence;
use self::grounding::{Grounded, Grounds};
pub use self::meter::{Meter, Metered, Prices, Usage};
use self::prompt::{Prompt, Want};
pub use self::rounds::{schema, whole_schema};
use crate::discussion::critiques::dropped;
use crate::discussion::event::{Critique, Verdict};
use crate::discussion::points::{Need, Point, Points, Refutation};
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion};
use crate::minutes::with_limits;
use crate::text::echo::Echo;
use crate::text::plain;
use crate::text::remedy::Problem;
use crate::voice::sources::Excerpt;
use crate::voice::{Exchange, Line, Needed, Rejected, SECRETARY, Speechless, Synthesis, Voice};

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

    /// The tokens that prompt and answer have together, as far as it was told by now.
    fn context(&self) -> Option<u64> {
        None
    }

    /// The most tokens that an answer may take.
    fn most_tokens(&self, want: &Want) -> u64 {
        want.most_tokens()
    }
}

/// Tokens for what a model thinks before it answers.
const REASONING: u64 = 16_384;

/// How long an answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerLimit {
    /// So many tokens (`--max-answer-tokens`).
    Tokens(u64),
    /// As its form needs, with room for reasoning.
    Roomy,
    /// As its form needs, and no more: the tokens of the discussion are limited.
    Form,
}

impl AnswerLimit {
    /// The most tokens of an answer.
    pub fn tokens(self, want: &Want) -> u64 {
        match self {
            AnswerLimit::Tokens(tokens) => tokens,
            AnswerLimit::Roomy => want.most_tokens() + REASONING,
            AnswerLimit::Form => want.most_tokens(),
        }
    }

    /// A shorter one, after a server has refused this; none where it is what was asked for.
    pub fn shorter(self) -> Option<AnswerLimit> {
        (self == AnswerLimit::Roomy).then_some(AnswerLimit::Form)
    }

    /// Whether a refusal is about the length of prompt or answer.
    pub fn is_meant(refusal: &str) -> bool {
        ["context", "too large", "maximum"].iter().any(|words| refusal.contains(words))
    }
}

/// That nothing was left of an answer's tokens for its words.
pub fn thought_only(voice: &str, tokens: u64) -> Speechless {
    let why = Problem::new(format!("its answer was cut after {tokens} tokens, before the first word of it"))
        .with(format!("give it more with --max-answer-tokens {}", tokens.saturating_mul(2)));
    Speechless::Model { voice: voice.to_owned(), why }
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
    /// Answers what the model asks for beyond its evidence.
    library: Option<More<'m>>,
    /// Other models that list points, too.
    readers: Vec<OtherReader<'m>>,
    /// What it asked for and was given, as its prompts show it.
    granted: Option<String>,
    /// The same, until somebody asks.
    needed: Option<Needed>,
    /// What of its answers before the first turn could not be used.
    left_out: Vec<Critique>,
    /// Answers to requests for lines that could not be read.
    unread: usize,
}

/// Another model that is asked once for points, and why it gave no answer.
pub type OtherReader<'m> = Box<dyn FnOnce(&Prompt) -> Result<Answer, String> + Send + 'm>;

/// What of the repository has these names.
pub type More<'m> = &'m dyn Fn(&[String]) -> Evidence;

impl<'m> Live<'m> {
    /// A voice of a model, with the head of its prompts.
    pub fn new(model: &'m mut dyn Model, head: String, limit: Option<u64>) -> Live<'m> {
        let model = Metered::new(model, limit);
        Live {
            model,
            head,
            evidence: Vec::new(),
            library: None,
            readers: Vec::new(),
            granted: None,
            needed: None,
            left_out: Vec::new(),
            unread: 0,
        }
    }

    /// The same with what its head shows of other files, which it may quote.
    #[must_use]
    pub fn reading(self, evidence: Vec<Excerpt>) -> Live<'m> {
        Live { evidence, ..self }
    }

    /// The same with other models that list points at the same time.
    #[must_use]
    pub fn beside(self, readers: Vec<OtherReader<'m>>) -> Live<'m> {
        Live { readers, ..self }
    }

    /// The points of the other readers, and the model's own answer to the same prompt.
    fn lists(&mut self, prompt: &Prompt, talk: &Discussion<'_>) -> Result<Vec<Vec<Point>>, Speechless> {
        let readers = std::mem::take(&mut self.readers);
        let shared = self.with_granted(prompt.clone(), talk);
        let (own, others) = std::thread::scope(|scope| {
            let ask = |reader: OtherReader<'m>| scope.spawn(|| reader(&shared));
            let others: Vec<_> = readers.into_iter().map(ask).collect();
            let own = self.readable(prompt, points::POINTS, &points::read, talk);
            let failed = |_| Err("it ended in the middle".to_owned());
            (own, others.into_iter().map(|one| one.join().unwrap_or_else(failed)).collect::<Vec<_>>())
        });
        let mut lists = vec![own?.unwrap_or_default()];
        for (number, answer) in (1..).zip(others) {
            let list = answer.and_then(|answer| {
                self.model.count_other(&shared, &answer);
                points::read(&answer.text)
            });
            match list {
                Ok(list) => lists.push(list),
                Err(why) => {
                    let why = format!("reader {number} gave no points: {why}");
                    self.left_out.push(dropped(points::POINTS, &why));
                }
            }
        }
        let left_out = lists.iter_mut().flat_map(|list| std::mem::take(&mut list.left_out));
        self.left_out.extend(left_out);
        Ok(lists.into_iter().map(|list| list.points).collect())
    }

    /// What can be read of the answer to a prompt. What cannot is asked for once more; then it is left out, and told.
    fn readable<T>(
        &mut self,
        prompt: &Prompt,
        on: &str,
        read: &dyn Fn(&str) -> Result<T, String>,
        talk: &Discussion<'_>,
    ) -> Result<Option<T>, Speechless> {
        let why = match read(&self.answer(0, prompt.clone(), talk)?) {
            Ok(answer) => return Ok(Some(answer)),
            Err(why) => why,
        };
        let again = prompt::again(talk.library(), prompt, &why)?;
        let why = match self.model.affords(&again, SUMMED_UP) {
            true => match read(&self.answer(0, again, talk)?) {
                Ok(answer) => return Ok(Some(answer)),
                Err(why) => why,
            },
            false => why,
        };
        self.left_out.push(points::unread(on, &why));
        Ok(None)
    }

    /// Counts an answer to a request for lines that is none.
    fn count_unread(&mut self, answer: &str) {
        self.unread += usize::from(!rounds::is_said(answer));
    }

    /// What is to be known of answers to requests for lines.
    fn unread_lines(&self) -> Option<Critique> {
        let them = match self.unread {
            0 => return None,
            1 => "1 answer of the model was".to_owned(),
            many => format!("{many} answers of the model were"),
        };
        let what = "no JSON, or broke off; where a persona owed an answer, the secretary gave it";
        Some(dropped("lines", &format!("{them} {what}")))
    }

    /// The same, and it may ask once for more; `given` is what it was given before the run was cut off.
    #[must_use]
    pub fn asking(self, library: More<'m>, given: Option<String>) -> Live<'m> {
        Live { library: Some(library), granted: given, ..self }
    }

    /// The answer to a prompt: where it asks for more, once, the answer to the same prompt with that.
    fn answer(&mut self, turn: u32, prompt: Prompt, talk: &Discussion<'_>) -> Result<String, Speechless> {
        let text = self.model.ask(turn, &self.with_granted(prompt.clone(), talk))?;
        if !self.grant(&text, talk)? {
            return Ok(text);
        }
        let again = self.with_granted(prompt, talk);
        match self.model.affords(&again, SUMMED_UP) {
            true => self.model.ask(turn, &again),
            false => Ok(text),
        }
    }

    /// Takes what an answer asks for, where nothing was asked for before.
    fn grant(&mut self, answer: &str, talk: &Discussion<'_>) -> Result<bool, Speechless> {
        let Some(library) = self.library.filter(|_| self.granted.is_none() && talk.need().is_none()) else {
            return Ok(false);
        };
        let asked = rounds::need(answer);
        if asked.is_empty() {
            return Ok(false);
        }
        let found = library(&asked);
        self.granted = Some(prompt::needed(talk.library(), &asked, &found)?);
        let need = Need { asked, given: found.sent };
        self.needed = Some(Needed { need, excerpts: found.excerpts });
        Ok(true)
    }

    /// A prompt with what was granted, at the place in the talk where it came: so that each prompt begins with the one
    /// before it.
    fn with_granted(&self, mut prompt: Prompt, talk: &Discussion<'_>) -> Prompt {
        if let Some(granted) = &self.granted {
            let at = prompt::place_of_need(talk).unwrap_or(prompt.talk.len());
            prompt.talk.insert(at.min(prompt.talk.len()), granted.clone());
        }
        prompt
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
    fn drafted(&mut self, talk: &Discussion<'_>) -> Result<Option<grounding::ModelSynthesis>, Speechless> {
        let mut wrong = String::new();
        for _ in 0..2 {
            let prompt = prompt::synthesis(&self.head, talk, &wrong)?;
            if !self.model.affords(&prompt, 0) {
                let note = "the token limit leaves nothing for a synthesis by the model";
                self.model.notes.push(note.to_owned());
                return Ok(None);
            }
            match grounding::read(&self.answer(talk.turn_count(), prompt, talk)?) {
                Ok(said) => return Ok(Some(said)),
                Err(why) => wrong = why,
            }
        }
        let why = format!("the model's synthesis is not used: {wrong}; it is made by rule");
        self.left_out.push(dropped("synthesis", &why));
        Ok(None)
    }

    /// What of a synthesis rests on the discussion; what does not is asked for once in other words.
    fn repaired(
        &mut self,
        talk: &Discussion<'_>,
        grounds: &Grounds<'_>,
        mut said: grounding::ModelSynthesis,
    ) -> Result<Grounded, Speechless> {
        let held = grounds.hold(&said);
        let mut problems = held.problems();
        let mut long = said.long_insights();
        long.retain(|one| problems.iter().all(|refused| refused.on != one.on));
        problems.extend(long.iter().cloned());
        let asked = prompt::repair(&self.head, problems.clone(), talk)?;
        if problems.is_empty() || !self.model.affords(&asked, 0) {
            return Ok(held);
        }
        let first = said.clone();
        said.repair(&self.answer(talk.turn_count(), asked, talk)?);
        said.keep_refused(&first, &long, &grounds.hold(&said));
        // One that stays long was not refused, and is kept.
        problems.retain(|one| !long.contains(one) || said.is_changed(&first, &one.on));
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

    fn needed(&mut self) -> Option<Needed> {
        self.needed.take()
    }

    fn left_out(&mut self) -> Vec<Critique> {
        std::mem::take(&mut self.left_out)
    }

    fn round(
        &mut self,
        block: &[Exchange],
        talk: &Discussion<'_>,
    ) -> Result<Vec<Vec<Option<Line>>>, Speechless> {
        let prompt = prompt::round(&self.head, block, talk)?;
        self.affords_line(&prompt)?;
        let want = prompt.want.clone();
        let text = self.answer(talk.turn_count() + 1, prompt, talk)?;
        self.count_unread(&text);
        let Want::Round { exchanges, .. } = &want else { return Ok(Vec::new()) };
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
        let text = self.answer(talk.turn_count() + 1, prompt, talk)?;
        self.count_unread(&text);
        Ok(Self::said(rounds::line(&text), talk))
    }

    fn points(&mut self, talk: &Discussion<'_>) -> Result<Option<Points>, Speechless> {
        let prompt = prompt::points(&self.head, talk)?;
        let each = self.model.meter().estimate(&prompt) + prompt.want.most_tokens();
        if !self.model.affords(&prompt, SUMMED_UP + each * self.readers.len() as u64) {
            return Ok(None);
        }
        let points = points::union(self.lists(&prompt, talk)?);
        let (voice, model) = (self.name().to_owned(), talk.opened().model.clone());
        Ok(Some(Points { voice, model, points, need: None }))
    }

    fn refute(
        &mut self,
        points: &[Point],
        talk: &Discussion<'_>,
    ) -> Result<Vec<(usize, Refutation)>, Speechless> {
        let prompt = prompt::refute(&self.head, points, talk)?;
        match self.model.affords(&prompt, SUMMED_UP) {
            true => {
                let found = self.readable(&prompt, points::REFUTE, &points::refutations, talk)?;
                Ok(found.unwrap_or_default())
            }
            false => Ok(Vec::new()),
        }
    }

    fn summary(&mut self, talk: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        let grounds = Grounds::new(talk, talk.library().forms(), &by_rule);
        let by_rule_alone = |critiques| Synthesis {
            summary: with_limits(Summary { voice: Some(SECRETARY.to_owned()), ..by_rule.clone() }, talk),
            critiques,
        };
        let drafted = self.drafted(talk)?;
        let unread = self.unread_lines().into_iter().chain(std::mem::take(&mut self.left_out));
        let unread: Vec<Critique> = unread.collect();
        let Some(said) = drafted else { return Ok(by_rule_alone(unread)) };
        let mut grounded = self.repaired(talk, &grounds, said)?;
        grounded.critiques.splice(0..0, unread);
        if grounded.summary.is_empty() && grounded.critiques.iter().any(|one| one.on.contains('/')) {
            let note =
                "the model's synthesis is not used: no entry rests on the turns it names; it is made by rule";
            self.model.notes.push(note.to_owned());
            return Ok(by_rule_alone(grounded.critiques));
        }
        let mut whole = grounds.complete(grounded);
        whole.summary = with_limits(whole.summary, talk);
        let of_entries = whole.critiques.iter().filter(|one| one.on.contains('/'));
        for critique in of_entries.filter(|critique| critique.outcome != Verdict::Kept) {
            let what = if critique.outcome == Verdict::Dropped { "left out of" } else { "changed in" };
            self.model.notes.push(format!("{what} the model's synthesis: {}", critique.problem));
        }
        for one in &whole.summary.possible_decisions {
            let text = plain::cut(&plain::shown(&one.text), 120);
            self.model
                .notes
                .push(format!("perhaps decided in turn {}, and not recorded: \"{text}\"", one.turn));
        }
        self.model.notes.extend(whole.summary.unlisted());
        Ok(whole)
    }
}
