//! The loop between a discussion, a voice and a script; the only place that waits for anybody.
//!
//! [`hold`] runs it to its end. Where lines and messages come from outside, one by one, [`advance`] goes as
//! far as it can without them and [`Judge`] says whether a line may be recorded: `hold` is made of the same
//! two.
//!
//! Everything that a voice says passes the rules before it is recorded, and every discussion ends: by its turn limit, or by silence.
//! Every message of the script is heard, or recorded as [unheard](Event::Unheard): turns are kept back for the messages
//! still to come, and what comes too late is kept word for word.
//! A voice is asked once a round; each of its lines is judged alone, and only a refused one is asked for again.
//! [The example of the crate](crate#a-discussion-as-a-library) holds one.

use std::collections::{BTreeSet, VecDeque};

use crate::discussion::additions;
use crate::discussion::address::{Address, address};
use crate::discussion::event::{
    Class, Contribution, Critique, Event, Message, Purpose, Record, Time, Unheard,
};
use crate::discussion::points::{Need, Points};
use crate::discussion::summary::USER;
use crate::discussion::{Cue, Discussion, Next, Refused, Said};
use crate::item::persona::Persona;
use crate::minutes::{self, Forms};
use crate::run::script::{Input, Script};
use crate::text::plain;
use crate::text::remedy::Remedy;
use crate::text::words::{subjects, unquoted};
use crate::voice::basis::Basis;
use crate::voice::breaches::{breaches, forged, without_prefix};
use crate::voice::points::{real_points, refute};
use crate::voice::quotations::verified;
use crate::voice::rules::{Breach, Rule};
use crate::voice::secretary::Secretary;
use crate::voice::sources::{Later, Sources};
use crate::voice::{Exchange, Line, Needed, Rejected, Speechless, Synthesis, Voice};

/// How often a voice is asked for a line before another one speaks in its place.
pub const TRIES: usize = 3;

/// Why a discussion could not be held to its end.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    #[error("{0}")]
    Voice(#[from] Speechless),
    #[error("{0}")]
    Refused(#[from] Refused),
    #[error("{0}")]
    Template(#[from] crate::text::template::Failed),
    /// The observer of the discussion could not go on, for instance a full disk behind stdout.
    #[error("{0}")]
    Watcher(String),
}

impl Remedy for Stopped {
    fn remedy(&self) -> Option<String> {
        match self {
            Stopped::Voice(error) => error.remedy(),
            Stopped::Refused(_) | Stopped::Template(_) | Stopped::Watcher(_) => None,
        }
    }
}

/// What came of a request for a line.
enum Spoken {
    Said {
        line: Box<Line>,
        /// Who spoke, where it is not the discussion's voice.
        voice: Option<String>,
    },
    Passed,
    /// No tokens are left for another line.
    Spent,
}

/// How far a discussion went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// To its end.
    Complete,
    /// To where the floor is the user's, and a script that stays open has no more.
    WaitingForUser,
}

/// Who has to act before a discussion goes on; everything that the rules say by themselves is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// A line of this persona, or a pass where none is owed.
    Line(Cue),
    /// The user's message, or silence.
    User,
    Summary,
    /// It is over, or goes on in another run.
    Nothing,
}

/// Records notices and the end, up to where somebody has to act. `passed` counts those who had nothing to
/// add since the last event.
///
/// # Errors
/// A notice's template fails, or `tell` does.
pub fn advance(
    talk: &mut Discussion<'_>,
    passed: &mut usize,
    clock: &dyn Fn() -> Time,
    tell: &mut dyn FnMut(&Record) -> Result<(), String>,
) -> Result<Awaited, Stopped> {
    loop {
        let (at, event) = match talk.next_after(*passed)? {
            Next::Notice(notice) => (clock(), Event::Notice(notice)),
            // The end takes no time.
            Next::Close(closed) => (last_moment(talk, clock), Event::Closed(closed)),
            Next::Line(cue) => return Ok(Awaited::Line(cue)),
            Next::User => return Ok(Awaited::User),
            Next::Summary => return Ok(Awaited::Summary),
            Next::Nothing => return Ok(Awaited::Nothing),
        };
        *passed = 0;
        record_at(talk, at, event, tell)?;
    }
}

/// What lines are held against.
pub struct Judge<'a> {
    pub basis: Basis<'a>,
    pub forms: &'a Forms,
}

impl Judge<'_> {
    /// A line as it may be recorded, and what it breaks: nothing, or it may not be; hard rules first. `broken` is what
    /// the try before it broke: a soft rule is held against a line once.
    pub fn judge(
        &self,
        line: Line,
        persona: &Persona,
        talk: &Discussion<'_>,
        broken: &[Breach],
    ) -> (Line, Vec<Breach>) {
        let text = plain::clean(without_prefix(&line.text, persona)).trim().to_owned();
        let had_soft = !broken.is_empty() && broken.iter().all(|breach| !breach.is_hard());
        let earlier: Vec<Said<'_>> = talk.said().collect();
        let (line, unreal) = match self.basis.sources {
            Some(sources) => verified(line, sources, &earlier),
            None => (line, Vec::new()),
        };
        let (cited, absent) = (line.rests.clone(), line.absent.clone());
        let basis = Basis { cited, absent, ..self.basis.clone() };
        let mut found = breaches(&text, persona, talk, &basis);
        found.extend(
            self.decides(&text, talk).filter(|_| found.iter().all(|breach| breach.rule != Rule::Length)),
        );
        // A side is put before the user in the lead's words: it may say no more than a line.
        let position = line.position.filter(|side| {
            let words = format!("{}. {}. {}.", side.on, side.favors, side.because);
            let breaks = breaches(&words, persona, talk, &basis);
            self.decides(&words, talk).is_none()
                && breaks.iter().all(|one| !one.is_hard() || one.rule == Rule::Echo)
        });
        let line = Line { text, position, ..line };
        found.extend(unreal);
        found.extend(self.wrong_proposal(&line, talk));
        found.sort_by_key(|breach| !breach.is_hard());
        if had_soft && found.iter().all(|breach| !breach.is_hard()) {
            found.clear();
        }
        (line, found)
    }

    /// What makes a proposal unfit for a document: another's prefix, markup, or a decision of nobody.
    fn wrong_proposal(&self, line: &Line, talk: &Discussion<'_>) -> Option<Breach> {
        let proposal = line.proposal.as_ref()?;
        let words = proposal.addition("", 0, None).words();
        // The form of a decision record has this label; the record is marked as proposed.
        let own = if proposal.kind == additions::Kind::DecisionRecord {
            words.replace("Decision:", "")
        } else {
            words
        };
        forged(&own, &talk.library().cast).or_else(|| self.decides(&own, talk))
    }

    /// A sentence that decides, where users have not said three quarters of it before.
    fn decides(&self, text: &str, talk: &Discussion<'_>) -> Option<Breach> {
        let decided = minutes::decisions_in(&unquoted(text), self.forms);
        let users = || talk.said().filter(|one| one.by == USER).map(|one| one.text).chain(self.basis.first);
        let is_theirs = |decision: &str| {
            let known: BTreeSet<String> = users().flat_map(subjects).collect();
            let words = subjects(decision);
            words.iter().filter(|word| known.contains(*word)).count() * 4 >= words.len() * 3
        };
        let own = decided.into_iter().find(|(decision, _)| !is_theirs(decision))?;
        Some(Breach::new(Rule::Decides, &own.0))
    }
}

/// Turns that the messages still to come will take.
struct Reserve {
    /// Of each message to come, its own turn and the answers that it is owed.
    owed: VecDeque<u32>,
    sum: u32,
}

impl Reserve {
    /// The messages of a script up to the first that ends the discussion.
    fn of(script: &Script, talk: &Discussion<'_>) -> Reserve {
        let (mut owed, mut sum, mut has_ended) = (VecDeque::new(), 0_u32, false);
        for input in script.inputs().flatten() {
            let turns = if has_ended { 0 } else { talk.turns_owed(&input.text) };
            has_ended |= talk.hear("", &input.text).class == Class::Exit;
            owed.push_back(turns);
            sum = sum.saturating_add(turns);
        }
        Reserve { owed, sum }
    }

    /// The next message was taken from the script.
    fn take(&mut self) {
        self.sum = self.sum.saturating_sub(self.owed.pop_front().unwrap_or_default());
    }

    /// Whether a line that nobody is owed would take a turn from a message still to come.
    fn is_short(&self, talk: &Discussion<'_>) -> bool {
        talk.turns_left() <= self.sum
    }
}

/// Holds a discussion from where it is to its end, or to where it waits for its user.
///
/// `stand_in` speaks where an answer is due and `voice` (none: the stand-in itself) cannot give a
/// line that keeps the rules. `tell` sees each event after it is recorded. A voice whose token
/// limit is reached ends the discussion in its synthesis (exit `budget`).
///
/// # Errors
/// When the voice fails, a template fails, or `tell` says so. What was recorded stays in `talk`.
pub fn hold(
    talk: &mut Discussion<'_>,
    voice: Option<&mut dyn Voice>,
    stand_in: &mut Secretary<'_>,
    script: &mut Script,
    clock: &dyn Fn() -> Time,
    tell: &mut dyn FnMut(&Record) -> Result<(), String>,
) -> Result<SessionEnd, Stopped> {
    let forms = talk.library().forms();
    let evidence = voice.as_ref().map_or(Vec::new(), |voice| voice.evidence().to_vec());
    let later = Later::default();
    let code = stand_in.code();
    let sources = Sources::new(stand_in.documents(), &evidence).and_later(&later).and_code(code.as_deref());
    let first = script.inputs().flatten().next().map(|input| input.text.clone());
    let basis =
        Basis { sources: Some(&sources), first: first.as_deref(), code: stand_in.code(), ..Basis::default() };
    let judge = Judge { basis, forms };
    let mut table =
        Table { voice, stand_in, judge, later: &later, need: None, ready: VecDeque::new(), taken: 0 };
    table.open(talk, clock, tell)?;
    let (mut passed, mut reserve) = (0, Reserve::of(script, talk));
    loop {
        let next = advance(talk, &mut passed, clock, tell)?;
        if next == Awaited::User && script.waits() {
            // What stays open ends here for now; a person at the keyboard is only asked.
            if let Some(paused) = talk.pausing()? {
                record_at(talk, last_moment(talk, clock), Event::Paused(paused), tell)?;
            }
            return Ok(SessionEnd::WaitingForUser);
        }
        let (at, event) = match next {
            Awaited::Line(cue) if !cue.owed && reserve.is_short(talk) => {
                passed += 1;
                continue;
            }
            Awaited::Line(cue) => {
                let spoken = table.speak(&Now::new(&cue, talk, script, passed, &reserve))?;
                table.keep_need(talk, clock, tell)?;
                match spoken {
                    Spoken::Said { line, voice } => {
                        (None, Event::Contribution(contribution(talk, cue, *line, voice)))
                    }
                    Spoken::Passed => {
                        passed += 1;
                        continue;
                    }
                    Spoken::Spent => {
                        keep_unheard(talk, script, clock, tell)?;
                        (None, table.sum_up(talk, clock, tell)?)
                    }
                }
            }
            Awaited::User => {
                table.taken += 1;
                heard(talk, script, &mut reserve)
            }
            Awaited::Summary => {
                keep_unheard(talk, script, clock, tell)?;
                (None, table.sum_up(talk, clock, tell)?)
            }
            Awaited::Nothing => return Ok(SessionEnd::Complete),
        };
        passed = 0;
        record_at(talk, at.unwrap_or_else(clock), event, tell)?;
    }
}

/// The next message of a script, or silence.
fn heard(talk: &Discussion<'_>, script: &mut Script, reserve: &mut Reserve) -> (Option<Time>, Event) {
    let Some(input) = script.next_input() else { return (None, Event::Silence {}) };
    reserve.take();
    (input.at, Event::User(message_of(talk, &input)))
}

fn last_moment(talk: &Discussion<'_>, clock: &dyn Fn() -> Time) -> Time {
    talk.log().last().map_or_else(clock, |last| last.at)
}

pub(crate) fn record_at(
    talk: &mut Discussion<'_>,
    at: Time,
    event: Event,
    tell: &mut dyn FnMut(&Record) -> Result<(), String>,
) -> Result<(), Stopped> {
    let record = Record { at, event };
    talk.record(record.clone())?;
    tell(&record).map_err(Stopped::Watcher)
}

/// What is recorded of a line.
pub(crate) fn contribution(
    talk: &Discussion<'_>,
    cue: Cue,
    line: Line,
    voice: Option<String>,
) -> Contribution {
    let Line { text, rests, is_closest, rule, position, proposal, absent } = line;
    let (turn, by, purpose) = (talk.turn_count() + 1, cue.persona, cue.purpose);
    let raised = talk.points().iter().enumerate().filter(|(_, point)| point.is_raised_by(&rests));
    let points = raised.map(|(at, _)| at).collect();
    Contribution {
        turn,
        by,
        voice,
        purpose,
        text,
        rests,
        is_closest,
        rule,
        position,
        points,
        proposal,
        absent,
    }
}

/// Who wrote an input: its own author, else the script's user.
fn author(talk: &Discussion<'_>, input: &Input) -> String {
    input.by.clone().unwrap_or_else(|| talk.opened().user.clone())
}

/// What is recorded of a message.
pub(crate) fn message_of(talk: &Discussion<'_>, input: &Input) -> Message {
    Message { comment: input.comment, ..talk.hear(&author(talk, input), &input.text) }
}

/// Records the messages that the discussion did not come to; "done" alone is none.
fn keep_unheard(
    talk: &mut Discussion<'_>,
    script: &mut Script,
    clock: &dyn Fn() -> Time,
    tell: &mut dyn FnMut(&Record) -> Result<(), String>,
) -> Result<(), Stopped> {
    for input in script.rest() {
        let only_ends = Address::Exit { has_content: false };
        if address(&input.text, &talk.library().cast, false) == only_ends {
            continue;
        }
        let by = author(talk, &input);
        let late = Unheard { by, text: input.text, comment: input.comment };
        record_at(talk, input.at.unwrap_or_else(clock), Event::Unheard(late), tell)?;
    }
    Ok(())
}

/// The messages that one request answers at most.
const BLOCK: usize = 4;

/// Who speaks, and what of the last answer is not said yet.
struct Table<'v, 's, 't, 'j> {
    voice: Option<&'v mut dyn Voice>,
    stand_in: &'s mut Secretary<'t>,
    judge: Judge<'j>,
    /// What of the repository the voice asked for, which may be quoted then.
    later: &'j Later,
    /// The same, to be recorded.
    need: Option<Need>,
    /// What the voice has for the next exchanges.
    ready: VecDeque<Ready>,
    /// Messages and silences that were taken from the script.
    taken: usize,
}

/// What a voice says after so many messages.
struct Ready {
    taken: usize,
    lines: VecDeque<(Cue, Option<Line>)>,
}

/// Where a discussion is when a line is wanted.
struct Now<'a, 'l> {
    cue: &'a Cue,
    talk: &'a Discussion<'l>,
    /// Holds the messages still to come.
    script: &'a Script,
    passed: usize,
    /// No turn is left for a line that nobody is owed.
    is_short: bool,
}

impl<'a, 'l> Now<'a, 'l> {
    fn new(
        cue: &'a Cue,
        talk: &'a Discussion<'l>,
        script: &'a Script,
        passed: usize,
        reserve: &Reserve,
    ) -> Now<'a, 'l> {
        Now { cue, talk, script, passed, is_short: reserve.is_short(talk) }
    }
}

impl Table<'_, '_, '_, '_> {
    /// Records what a reader finds open, where nobody has spoken yet.
    fn open(
        &mut self,
        talk: &mut Discussion<'_>,
        clock: &dyn Fn() -> Time,
        tell: &mut dyn FnMut(&Record) -> Result<(), String>,
    ) -> Result<(), Stopped> {
        let found = if talk.log().len() == 1 { self.points(talk)? } else { None };
        let Some((found, left_out)) = found else { return Ok(()) };
        record_at(talk, clock(), Event::Points(found), tell)?;
        for critique in left_out {
            record_at(talk, clock(), Event::Critique(critique), tell)?;
        }
        Ok(())
    }

    /// What a reader finds open in the documents, as far as its quotations are there, and what of it is left out; what is
    /// answered already goes after the others.
    fn points(&mut self, talk: &Discussion<'_>) -> Result<Option<(Points, Vec<Critique>)>, Stopped> {
        let (Some(voice), Some(sources)) = (self.voice.as_mut(), self.judge.basis.sources) else {
            return Ok(None);
        };
        let Some(mut found) = voice.points(talk)? else { return Ok(None) };
        found.need = needed(&mut **voice, self.later);
        let (points, unreal) = real_points(found.points, sources, talk.library());
        found.points = points;
        if !found.points.is_empty() {
            let answers = voice.refute(&found.points, talk)?;
            found.need = found.need.or_else(|| needed(&mut **voice, self.later));
            refute(&mut found.points, answers, sources, &talk.library().cast);
        }
        let left_out = voice.left_out().into_iter().chain(unreal).collect();
        Ok(Some((found, left_out)))
    }

    /// Records what the voice has asked for, where that is new.
    fn keep_need(
        &mut self,
        talk: &mut Discussion<'_>,
        clock: &dyn Fn() -> Time,
        tell: &mut dyn FnMut(&Record) -> Result<(), String>,
    ) -> Result<(), Stopped> {
        let (Some(need), Some(voice)) = (self.need.take(), self.voice.as_ref()) else { return Ok(()) };
        let (voice, model) = (voice.name().to_owned(), talk.opened().model.clone());
        let points = Points { voice, model, points: Vec::new(), need: Some(need) };
        record_at(talk, clock(), Event::Points(points), tell)
    }

    /// A line that keeps the rules.
    fn speak(&mut self, now: &Now<'_, '_>) -> Result<Spoken, Stopped> {
        if self.voice.is_some() {
            match self.ask(now) {
                Ok(Some(line)) => return Ok(Spoken::Said { line: Box::new(line), voice: None }),
                Ok(None) if now.cue.owed => {}
                Ok(None) => return Ok(Spoken::Passed),
                // What was said so far is worth a synthesis.
                Err(Speechless::Spent(_)) if now.talk.turn_count() > 0 => return Ok(Spoken::Spent),
                Err(failed) => return Err(failed.into()),
            }
        }
        let voice = self.voice.is_some().then(|| self.stand_in.name().to_owned());
        Ok(match self.stand_in.line(now.cue, now.talk, None)? {
            Some(line) => Spoken::Said { line: Box::new(cleaned(line)), voice },
            None => Spoken::Passed,
        })
    }

    /// The voice's line: again where it breaks a hard rule, and once more where it breaks a soft one.
    fn ask(&mut self, now: &Now<'_, '_>) -> Result<Option<Line>, Speechless> {
        let (cue, talk) = (now.cue, now.talk);
        let Some(persona) = talk.library().cast.get(&cue.persona) else { return Ok(None) };
        if !cue.owed && is_silent_again(talk) {
            return Ok(None);
        }
        let mut said = self.next_said(now)?;
        let mut rejected: Option<Rejected> = None;
        for tries in 1..=TRIES {
            let text = said.as_ref().map_or(String::new(), |line| line.text.clone());
            let broken = rejected.as_ref().map_or(&[][..], |rejected| &rejected.breaches);
            let breaches = match said {
                None if cue.owed => vec![Breach::new(Rule::Silence, "")],
                None => return Ok(None),
                Some(line) => match self.judge.judge(line, persona, talk, broken) {
                    (line, breaches) if breaches.is_empty() => return Ok(Some(line)),
                    (_, breaches) => breaches,
                },
            };
            let Some(voice) = self.voice.as_mut().filter(|_| tries < TRIES) else { break };
            let refused = Rejected { text, breaches };
            said = match voice.line(cue, talk, Some(&refused)) {
                // The answer at hand is paid: what else is in it is still said.
                Err(Speechless::Spent(_)) => break,
                said => said?,
            };
            self.need = needed(&mut **voice, self.later).or_else(|| self.need.take());
            rejected = Some(refused);
        }
        Ok(None)
    }

    /// What the voice says to a cue: of the answer at hand, or of a new one for the messages from here on.
    fn next_said(&mut self, now: &Now<'_, '_>) -> Result<Option<Line>, Speechless> {
        while self.ready.front().is_some_and(|ready| ready.taken < self.taken) {
            self.ready.pop_front();
        }
        if let Some(ready) = self.ready.front_mut().filter(|ready| ready.taken == self.taken) {
            while let Some((cue, line)) = ready.lines.pop_front() {
                if cue == *now.cue {
                    return Ok(line);
                }
            }
        }
        let block = self.block(now);
        let Some(voice) = self.voice.as_mut() else { return Ok(None) };
        let exchanges: Vec<Exchange> = block.iter().map(|(_, exchange)| exchange.clone()).collect();
        let lines = voice.round(&exchanges, now.talk)?;
        self.need = needed(&mut **voice, self.later);
        self.ready = block
            .into_iter()
            .zip(lines)
            .map(|((taken, exchange), lines)| Ready {
                taken,
                lines: exchange.cues.into_iter().zip(lines).collect(),
            })
            .collect();
        let first = self.ready.front_mut().and_then(|ready| ready.lines.pop_front());
        Ok(first.and_then(|(_, line)| line))
    }

    /// What one request answers: what is at hand, and the messages of the script that come next, each with the number
    /// of messages taken by then.
    fn block(&self, now: &Now<'_, '_>) -> Vec<(usize, Exchange)> {
        let talk = now.talk;
        let may_speak = |at: usize, cue: &Cue| cue.owed || at >= now.passed && !now.is_short;
        let waiting = talk.waiting().enumerate().filter(|(at, cue)| may_speak(*at, cue));
        let cues = waiting.map(|(_, cue)| cue.clone()).collect();
        let is_answer = matches!(now.cue.purpose, Purpose::Answer | Purpose::FollowUp);
        let message = talk.last_message().filter(|_| is_answer);
        let mut block = vec![(self.taken, Exchange { message: message.cloned(), cues })];
        // A message that is written after the answer to the one before it is not known yet.
        let messages = match talk.opened().is_live {
            true => 0,
            false if is_answer => BLOCK - 1,
            false => BLOCK,
        };
        for (at, input) in (self.taken + 1..).zip(now.script.inputs()).take(messages) {
            let Some(message) = input.map(|input| message_of(talk, input)) else { break };
            if matches!(message.class, Class::Exit | Class::Unclear) {
                break;
            }
            let cues: Vec<Cue> =
                talk.cues_to(&message).into_iter().filter(|cue| cue.owed || !now.is_short).collect();
            if !cues.is_empty() {
                block.push((at, Exchange { message: Some(message), cues }));
            }
        }
        block
    }

    /// The synthesis; what was wrong with its drafts is recorded before it.
    fn sum_up(
        &mut self,
        talk: &mut Discussion<'_>,
        clock: &dyn Fn() -> Time,
        tell: &mut dyn FnMut(&Record) -> Result<(), String>,
    ) -> Result<Event, Stopped> {
        let by_rule = minutes::summary(talk, self.judge.forms);
        let Some(voice) = self.voice.as_mut() else { return Ok(Event::Synthesis(by_rule)) };
        let Synthesis { summary, critiques } = voice.summary(talk, by_rule)?;
        self.need = needed(&mut **voice, self.later);
        self.keep_need(talk, clock, tell)?;
        for critique in critiques {
            record_at(talk, clock(), Event::Critique(critique), tell)?;
        }
        Ok(Event::Synthesis(summary))
    }
}

/// Whether the user is silent again and nobody had anything to say to the first silence: who passed then has heard
/// nothing since.
fn is_silent_again(talk: &Discussion<'_>) -> bool {
    let mut last = talk.log().iter().rev();
    let mut is_silence = || last.next().is_some_and(|record| matches!(record.event, Event::Silence {}));
    is_silence() && is_silence()
}

/// What a voice has asked for by now; its words may be quoted from here on.
fn needed(voice: &mut dyn Voice, later: &Later) -> Option<Need> {
    let Needed { need, excerpts } = voice.needed()?;
    later.give(excerpts);
    Some(need)
}

/// The line without what cannot be seen.
fn cleaned(line: Line) -> Line {
    Line { text: plain::clean(&line.text), ..line }
}
