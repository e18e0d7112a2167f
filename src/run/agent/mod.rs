//! An agent at the table: its own model speaks for the personas, and the machine referees.
//!
//! Lines and messages come from outside, in whatever order an agent sends them. [`Referee`] says who is
//! due, takes a line that keeps the rules and refuses any other with a reason; [`state`] tells where a
//! discussion is. `tools` describes the moves, and `server` is the protocol around them.
//!
//! Invariant: a refused move leaves the discussion as it was. A line may be said
//! [`TRIES`](crate::run::session::TRIES) times; then its persona passes, or, where an answer is owed, the
//! secretary speaks. A line that was good while one before it was not is kept until that one is
//! settled.
//!
//! ```
//! use roundtable::run::agent::tools;
//!
//! let names: Vec<&str> = tools::all().iter().map(|tool| tool.name).collect();
//! assert_eq!(names, ["review", "open", "say", "hear", "close", "read", "decisions"]);
//! ```

pub mod tools;

#[cfg(feature = "cli")]
pub mod discussions;
#[cfg(feature = "cli")]
pub mod server;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::discussion::event::{Critique, Event, Purpose, Record, Rest, Time, Unheard, Verdict};
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion};
use crate::minutes;
use crate::run::script::Input;
use crate::run::session::{self, Awaited, Judge, Stopped, TRIES, advance};
use crate::text::plain;
use crate::voice::basis::Basis;
use crate::voice::model::grounding::{self, Grounds};
use crate::voice::names::absent_names;
use crate::voice::quotations::PASSAGES;
use crate::voice::rules::{Breach, Rule};
use crate::voice::secretary::Secretary;
use crate::voice::sources::{Excerpt, Sources};
use crate::voice::{Line, Voice};

/// The voice's name, as recordings carry it.
pub use crate::discussion::event::AGENT as NAME;

/// Who `refused` names where the move was the user's.
const USER: &str = crate::discussion::summary::USER;
/// The rule of a move that is not asked for now.
const OUT_OF_TURN: &str = "out-of-turn";

/// Where a discussion is, as the tools answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct State {
    pub discussion: String,
    pub turn: u32,
    pub max_turns: u32,
    pub stage: Stage,
    pub due: Vec<Due>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedLine>,
}

/// What a discussion waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Lines of the personas in `due`.
    Round,
    /// A message of the user.
    User,
    /// The synthesis.
    Closing,
    Closed,
}

/// A persona that may speak now, or has to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Due {
    pub persona: String,
    pub purpose: Purpose,
    pub owed: bool,
}

/// A move that was not taken, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedLine {
    pub persona: String,
    pub rule: String,
    pub reason: String,
}

/// What an agent says for a persona: a line, or that it passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The persona's key or name.
    pub persona: String,
    /// None: the persona passes.
    pub text: Option<String>,
    pub rests: Vec<Rest>,
    /// Names and wordings of the text that no file has.
    pub absent: Vec<String>,
}

/// What a discussion needs beside its log while it goes on.
pub struct AgentTable<'t, 'd> {
    pub secretary: &'t mut Secretary<'d>,
    /// The text of a file of the repository, which a line may quote.
    pub file: &'t dyn Fn(&str) -> Option<String>,
    pub clock: &'t dyn Fn() -> Time,
    pub tell: &'t mut dyn FnMut(&Record) -> Result<(), String>,
}

/// What the log does not hold: who has passed, what was refused, and lines that wait for one before them.
#[derive(Clone, Debug, Default)]
pub struct Referee {
    passed: usize,
    tries: BTreeMap<String, Tries>,
    waiting: BTreeMap<String, Said>,
    /// How often the synthesis was refused.
    syntheses: usize,
}

/// The tries at one line, and what the last one broke.
#[derive(Clone, Debug, Default)]
struct Tries {
    count: usize,
    broken: Vec<Breach>,
}

/// What came of a line.
enum Judged {
    Good(Box<Line>),
    Passes,
    Wrong(Vec<Breach>),
}

impl RefusedLine {
    fn new(persona: &str, rule: &str, reason: impl Into<String>) -> RefusedLine {
        RefusedLine { persona: persona.to_owned(), rule: rule.to_owned(), reason: reason.into() }
    }

    fn of(persona: &str, breach: &Breach) -> RefusedLine {
        let words = &breach.words;
        let reason = match breach.rule {
            Rule::Echo => format!("this was said before: \"{words}\"; say what is new, or pass"),
            Rule::Prefix => {
                format!("a line begins like another speaker's: \"{words}\"; send the words alone")
            }
            Rule::Silence => {
                "an answer is owed; say what the documents say of it, or that they don't".to_owned()
            }
            _ => breach.reason(),
        };
        let nearest = breach.nearest.as_ref().filter(|line| !reason.contains(line.as_str()));
        let reason = nearest.map_or(reason.clone(), |line| format!("{reason}; the nearest line is {line}"));
        RefusedLine::new(persona, breach.rule.name(), reason)
    }
}

/// Where a discussion is. `id` is what the tools call it by.
pub fn state(talk: &Discussion<'_>, id: &str, awaited: &Awaited, referee: &Referee) -> State {
    let is_round = matches!(awaited, Awaited::Line(_));
    let due = referee.due(talk).filter(|cue| is_round && !referee.waiting.contains_key(&cue.persona));
    let due = due.map(|cue| Due { persona: cue.persona.clone(), purpose: cue.purpose, owed: cue.owed });
    State {
        discussion: id.to_owned(),
        turn: talk.turn_count(),
        max_turns: talk.opened().max_turns,
        stage: match awaited {
            Awaited::Line(_) => Stage::Round,
            Awaited::User => Stage::User,
            Awaited::Summary => Stage::Closing,
            Awaited::Nothing => Stage::Closed,
        },
        due: due.collect(),
        refused: Vec::new(),
    }
}

impl Referee {
    /// Who may speak now, in order.
    fn due<'t>(&self, talk: &'t Discussion<'_>) -> impl Iterator<Item = &'t Cue> {
        talk.waiting().skip(self.passed)
    }

    /// Goes on as far as nobody has to act.
    ///
    /// # Errors
    /// A template fails, or the log cannot be written.
    pub fn advance(
        &mut self,
        talk: &mut Discussion<'_>,
        table: &mut AgentTable<'_, '_>,
    ) -> Result<Awaited, Stopped> {
        advance(talk, &mut self.passed, table.clock, table.tell)
    }

    /// Lines for the personas that are due; what is refused of them.
    ///
    /// # Errors
    /// The secretary or a template fails, or the log cannot be written.
    pub fn say(
        &mut self,
        talk: &mut Discussion<'_>,
        lines: Vec<Said>,
        table: &mut AgentTable<'_, '_>,
    ) -> Result<Vec<RefusedLine>, Stopped> {
        let awaited = self.advance(talk, table)?;
        let is_round = matches!(awaited, Awaited::Line(_));
        let (mut named, mut refused) = (BTreeSet::new(), Vec::new());
        for said in lines {
            let is_due = |cue: &&Cue| is_round && is_of(talk, &cue.persona, &said.persona);
            let key = self.due(talk).find(is_due).map(|cue| cue.persona.clone());
            match key {
                Some(key) if named.insert(key.clone()) => drop(self.waiting.insert(key, said)),
                Some(key) => {
                    refused.push(RefusedLine::new(&key, OUT_OF_TURN, "a persona has one line in a round"));
                }
                None => refused.push(self.nobody_due(talk, &said.persona, &awaited)),
            }
        }
        self.take_turns(talk, table, &mut refused)?;
        self.refuse_early(talk, &named, &mut refused);
        Ok(refused)
    }

    /// Takes the lines that wait, in the order of who is due, up to the first that is missing or refused.
    fn take_turns(
        &mut self,
        talk: &mut Discussion<'_>,
        table: &mut AgentTable<'_, '_>,
        refused: &mut Vec<RefusedLine>,
    ) -> Result<(), Stopped> {
        while let Awaited::Line(cue) = self.advance(talk, table)? {
            if self.is_exhausted(&cue.persona) {
                self.speak_instead(talk, cue, table)?;
                continue;
            }
            let Some(said) = self.waiting.remove(&cue.persona) else { return Ok(()) };
            match self.judge(&said, &cue, talk, table) {
                Judged::Good(line) => self.record(talk, cue, *line, None, table)?,
                Judged::Passes => self.passed += 1,
                Judged::Wrong(broken) => {
                    self.refuse(&cue, broken, refused);
                    if !self.is_exhausted(&cue.persona) {
                        self.judge_waiting(talk, table, refused);
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn is_exhausted(&self, persona: &str) -> bool {
        self.tries.get(persona).is_some_and(|tries| tries.count >= TRIES)
    }

    fn refuse(&mut self, cue: &Cue, broken: Vec<Breach>, refused: &mut Vec<RefusedLine>) {
        refused.extend(broken.iter().map(|breach| RefusedLine::of(&cue.persona, breach)));
        let tries = self.tries.entry(cue.persona.clone()).or_default();
        tries.count += 1;
        tries.broken = broken;
    }

    /// Judges the lines that wait for one before them: what is wrong with them is told at once.
    fn judge_waiting(
        &mut self,
        talk: &Discussion<'_>,
        table: &AgentTable<'_, '_>,
        refused: &mut Vec<RefusedLine>,
    ) {
        let cues: Vec<Cue> = self.due(talk).skip(1).cloned().collect();
        for cue in cues {
            let Some(said) = self.waiting.get(&cue.persona) else { continue };
            if let Judged::Wrong(broken) = self.judge(said, &cue, talk, table) {
                self.waiting.remove(&cue.persona);
                self.refuse(&cue, broken, refused);
            }
        }
    }

    fn judge(&self, said: &Said, cue: &Cue, talk: &Discussion<'_>, table: &AgentTable<'_, '_>) -> Judged {
        let Some(text) = &said.text else {
            let silence = || vec![Breach::new(Rule::Silence, "an answer is owed")];
            return if cue.owed { Judged::Wrong(silence()) } else { Judged::Passes };
        };
        let Some(persona) = talk.library().cast.get(&cue.persona) else { return Judged::Passes };
        let before = self.tries.get(&cue.persona).map_or(&[][..], |tries| &tries.broken);
        let quoted = quoted_files(&said.rests, table.file);
        let sources = Sources::new(table.secretary.documents(), &quoted);
        let basis = Basis { sources: Some(&sources), code: table.secretary.code(), ..Basis::default() };
        let judge = Judge { basis, forms: talk.library().forms() };
        let absent = absent_names(said.absent.iter().map(String::as_str), text);
        let line = Line { rests: said.rests.clone(), absent, ..Line::plain(text) };
        let (line, wrong) = judge.judge(line, persona, talk, before);
        if wrong.is_empty() { Judged::Good(Box::new(line)) } else { Judged::Wrong(wrong) }
    }

    fn record(
        &mut self,
        talk: &mut Discussion<'_>,
        cue: Cue,
        line: Line,
        voice: Option<String>,
        table: &mut AgentTable<'_, '_>,
    ) -> Result<(), Stopped> {
        self.tries.remove(&cue.persona);
        self.passed = 0;
        let said = Event::Contribution(session::contribution(talk, cue, line, voice));
        session::record_at(talk, (table.clock)(), said, table.tell)
    }

    /// After the last try: the persona passes, or the secretary gives the answer that is owed.
    fn speak_instead(
        &mut self,
        talk: &mut Discussion<'_>,
        cue: Cue,
        table: &mut AgentTable<'_, '_>,
    ) -> Result<(), Stopped> {
        self.tries.remove(&cue.persona);
        let line = if cue.owed { table.secretary.line(&cue, talk, None)? } else { None };
        match line {
            Some(line) => {
                let line = Line { text: plain::clean(&line.text), ..line };
                self.record(talk, cue, line, Some(table.secretary.name().to_owned()), table)
            }
            None if cue.owed => Err(Stopped::Watcher(format!("nobody answers for {}", cue.persona))),
            None => {
                self.passed += 1;
                Ok(())
            }
        }
    }

    /// A line of somebody who is not due.
    fn nobody_due(&self, talk: &Discussion<'_>, persona: &str, awaited: &Awaited) -> RefusedLine {
        let cast = &talk.library().cast;
        let known = cast.iter().find(|one| is_of(talk, &one.key, persona));
        let Some(known) = known else {
            let names: Vec<&str> = cast.iter().map(|one| one.key.as_str()).collect();
            let shown = plain::cut(&plain::shown(persona), 60);
            return RefusedLine::new(
                &shown,
                "unknown-persona",
                format!("at the table are {}", names.join(", ")),
            );
        };
        self.not_now(talk, &known.key, awaited)
    }

    /// A move that is not asked for now.
    fn not_now(&self, talk: &Discussion<'_>, by: &str, awaited: &Awaited) -> RefusedLine {
        let reason = match awaited {
            Awaited::Line(_) => {
                let due: Vec<&str> = self.due(talk).map(|cue| cue.persona.as_str()).collect();
                format!("due now: {}", due.join(", "))
            }
            Awaited::User => "the user is next; pass on what they say with `hear`".to_owned(),
            Awaited::Summary => "the discussion is over; send its synthesis with `close`".to_owned(),
            Awaited::Nothing => return RefusedLine::new(by, "closed", "the discussion is closed"),
        };
        RefusedLine::new(by, OUT_OF_TURN, reason)
    }

    /// Lines that came before somebody who is due and was not given a line.
    fn refuse_early(
        &mut self,
        talk: &Discussion<'_>,
        named: &BTreeSet<String>,
        refused: &mut Vec<RefusedLine>,
    ) {
        let first = self.due(talk).next().map(|cue| cue.persona.clone());
        let is_retried = first.as_ref().is_some_and(|key| self.tries.contains_key(key));
        for key in named {
            if !is_retried && self.waiting.remove(key).is_some() {
                let reason = match &first {
                    Some(first) => format!("{first} is due first; send a line or a pass"),
                    None => "the turn limit is reached".to_owned(),
                };
                refused.push(RefusedLine::new(key, OUT_OF_TURN, reason));
            }
        }
    }

    /// A message of the user, or silence; none is the user's where a persona still owes a line. After the
    /// end it is kept as unheard.
    ///
    /// # Errors
    /// A template fails, or the log cannot be written.
    pub fn hear(
        &mut self,
        talk: &mut Discussion<'_>,
        input: Option<Input>,
        table: &mut AgentTable<'_, '_>,
    ) -> Result<Vec<RefusedLine>, Stopped> {
        let mut awaited = self.advance(talk, table)?;
        if matches!(awaited, Awaited::Line(_)) && self.due(talk).all(|cue| !cue.owed) {
            // Who owes nothing and said nothing has passed.
            self.passed = talk.waiting().count();
            awaited = self.advance(talk, table)?;
        }
        let event = match (&awaited, input) {
            (Awaited::User, Some(input)) => Event::User(session::message_of(talk, &input)),
            (Awaited::User, None) => Event::Silence {},
            (Awaited::Summary, Some(input)) => {
                let Input { by, text, comment, .. } = input;
                let by = by.unwrap_or_else(|| talk.opened().user.clone());
                Event::Unheard(Unheard { by, text, comment })
            }
            (Awaited::Summary, None) => return Ok(Vec::new()),
            _ => return Ok(vec![self.not_now(talk, USER, &awaited)]),
        };
        *self = Referee { syntheses: self.syntheses, ..Referee::default() };
        session::record_at(talk, (table.clock)(), event, table.tell)?;
        Ok(Vec::new())
    }

    /// The end: the agent's synthesis, or, where it gives none, the one by rule. Two times a wrong one is
    /// refused; the third time what is wrong is left out.
    ///
    /// # Errors
    /// The rules cannot be read, a template fails, or the log cannot be written.
    pub fn close(
        &mut self,
        talk: &mut Discussion<'_>,
        synthesis: Option<&str>,
        table: &mut AgentTable<'_, '_>,
    ) -> Result<Vec<RefusedLine>, Stopped> {
        let awaited = self.advance(talk, table)?;
        let lead = talk.lead().key.clone();
        match awaited {
            Awaited::Summary => {}
            Awaited::Nothing => return Ok(Vec::new()),
            Awaited::User => {
                let reason = "the user ends the discussion; pass on their \"done\" with `hear`";
                return Ok(vec![RefusedLine::new(&lead, OUT_OF_TURN, reason)]);
            }
            Awaited::Line(_) => return Ok(vec![self.not_now(talk, &lead, &awaited)]),
        }
        let by_rule = minutes::summary(talk, talk.library().forms());
        let (summary, wrong) = match synthesis {
            Some(text) => summed_up(talk, text, by_rule, &lead),
            None => (by_rule, Vec::new()),
        };
        self.syntheses += 1;
        if !wrong.is_empty() && self.syntheses < TRIES {
            return Ok(wrong);
        }
        session::record_at(talk, (table.clock)(), Event::Synthesis(summary), table.tell)?;
        self.advance(talk, table)?;
        Ok(wrong)
    }
}

/// The files of the repository that a line says it quotes, whole.
fn quoted_files(rests: &[Rest], file: &dyn Fn(&str) -> Option<String>) -> Vec<Excerpt> {
    let mut paths: Vec<&str> = rests.iter().take(PASSAGES).map(|rest| rest.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let excerpt = |path: &str| Some(Excerpt { path: path.to_owned(), line: 1, text: file(path)? });
    paths.into_iter().filter_map(excerpt).collect()
}

/// The agent's synthesis as far as it rests on the discussion, and what of it does not.
fn summed_up(talk: &Discussion<'_>, text: &str, by_rule: Summary, lead: &str) -> (Summary, Vec<RefusedLine>) {
    let said = match grounding::read(text) {
        Ok(said) => said,
        Err(why) => return (by_rule, vec![RefusedLine::new(lead, "synthesis", why)]),
    };
    let grounds = Grounds::new(talk, talk.library().forms(), &by_rule);
    let whole = grounds.complete(grounds.hold(&said));
    let undecided = whole.summary.possible_decisions.iter().map(|one| {
        let reason = format!("\"{}\" is not to the letter in turn {}, or it asks", one.text, one.turn);
        RefusedLine::new(lead, "decision", reason)
    });
    let undecided: Vec<RefusedLine> = undecided.collect();
    let dropped = whole.critiques.into_iter().filter(|one| one.outcome == Verdict::Dropped);
    let refused = |one: Critique| {
        let rule = if one.on.starts_with("decisions/") { "decision" } else { "grounding" };
        RefusedLine::new(lead, rule, one.problem)
    };
    (minutes::with_limits(whole.summary, talk), undecided.into_iter().chain(dropped.map(refused)).collect())
}

/// Whether a persona is called so: by key, name or first name, in any case.
fn is_of(talk: &Discussion<'_>, key: &str, name: &str) -> bool {
    let is = |known: &str| known.eq_ignore_ascii_case(name.trim());
    is(key) || talk.library().cast.get(key).is_some_and(|one| is(&one.name) || is(one.first_name()))
}
