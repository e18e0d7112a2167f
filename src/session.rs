//! The loop between a discussion, a voice and a script; the only place that waits for anybody.
//!
//! [`hold`] runs it to its end. Where lines and messages come from outside, one by one, [`advance`] goes as
//! far as it can without them and [`judge`] says whether a line may be recorded: `hold` is made of the same
//! two.
//!
//! Whatever a voice says passes the rules before it is recorded, and every discussion ends: by its turn
//! limit, or by silence. Every message of the script is heard, or recorded as [unheard](Event::Unheard):
//! turns are kept back for the messages still to come, and what comes too late is kept word for word. [The
//! example of the crate](crate#a-discussion-as-a-library) holds one.

use crate::discussion::address::{Address, address};
use crate::discussion::event::{Class, Contribution, Event, Message, Record, Time, Unheard};
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion, Next, Refused};
use crate::minutes::{self, Forms};
use crate::persona::Persona;
use crate::plain;
use crate::script::{Input, Script};
use crate::voice::integrity::{Breach, breaches, without_prefix};
use crate::voice::reviewer::Reviewer;
use crate::voice::{Line, Speechless, Voice};

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
    Template(#[from] crate::template::Failed),
    /// Whoever watches the discussion could not go on, for instance a full disk behind stdout.
    #[error("{0}")]
    Watcher(String),
}

/// What came of a request for a line.
enum Spoken {
    Said {
        line: Line,
        by_stand_in: bool,
    },
    Passed,
    /// No tokens are left for another line.
    Spent,
}

/// How far a discussion went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Went {
    /// To its end.
    Through,
    /// To where the floor is the user's, and a script that stays open has no more.
    Waiting,
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

/// A line as it may be recorded, and what it breaks: nothing, or it may not be. `broken` is what the try
/// before it broke: a soft rule is held against a line once. `knows` tells whether the documents say a
/// word.
pub fn judge(
    line: Line,
    persona: &Persona,
    talk: &Discussion<'_>,
    broken: &[Breach],
    knows: &dyn Fn(&str) -> bool,
) -> (Line, Vec<Breach>) {
    let text = plain::clean(without_prefix(&line.text, persona)).trim().to_owned();
    let had_soft = !broken.is_empty() && broken.iter().all(|breach| !breach.is_hard);
    let mut found = breaches(&text, persona, talk, knows);
    if had_soft && found.iter().all(|breach| !breach.is_hard) {
        found.clear();
    }
    (Line { text, ..line }, found)
}

/// Turns that the messages still to come will take.
struct Reserve {
    /// Of each message to come, its own turn and the answers that it is owed.
    owed: std::collections::VecDeque<u32>,
    sum: u32,
}

impl Reserve {
    /// The messages of a script up to the first that ends the discussion.
    fn of(script: &Script, talk: &Discussion<'_>) -> Reserve {
        let (mut owed, mut sum, mut has_ended) = (std::collections::VecDeque::new(), 0_u32, false);
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
    mut voice: Option<&mut dyn Voice>,
    stand_in: &mut Reviewer<'_>,
    script: &mut Script,
    clock: &dyn Fn() -> Time,
    tell: &mut dyn FnMut(&Record) -> Result<(), String>,
) -> Result<Went, Stopped> {
    let forms = Forms::of(talk.library()).map_err(Speechless::from)?;
    let (mut passed, mut reserve) = (0, Reserve::of(script, talk));
    loop {
        let next = advance(talk, &mut passed, clock, tell)?;
        if next == Awaited::User && script.waits() {
            // What stays open ends here for now; a person at the keyboard is only asked.
            if let Some(paused) = talk.pausing()? {
                record_at(talk, last_moment(talk, clock), Event::Paused(paused), tell)?;
            }
            return Ok(Went::Waiting);
        }
        let (at, event) = match next {
            Awaited::Line(cue) if !cue.owed && reserve.is_short(talk) => {
                passed += 1;
                continue;
            }
            Awaited::Line(cue) => match speak(&cue, talk, &mut voice, stand_in)? {
                Spoken::Said { line, by_stand_in } => {
                    let voice = (by_stand_in && voice.is_some()).then(|| stand_in.name().to_owned());
                    (None, Event::Contribution(contribution(talk, cue, line, voice)))
                }
                Spoken::Passed => {
                    passed += 1;
                    continue;
                }
                Spoken::Spent => {
                    keep_unheard(talk, script, clock, tell)?;
                    (None, Event::Synthesis(sum_up(talk, &mut voice, &forms)?))
                }
            },
            Awaited::User => {
                let input = script.next_input();
                if input.is_some() {
                    reserve.take();
                }
                match input {
                    Some(input) => (input.at, Event::User(message(talk, &input))),
                    None => (None, Event::Silence {}),
                }
            }
            Awaited::Summary => {
                keep_unheard(talk, script, clock, tell)?;
                (None, Event::Synthesis(sum_up(talk, &mut voice, &forms)?))
            }
            Awaited::Nothing => return Ok(Went::Through),
        };
        passed = 0;
        record_at(talk, at.unwrap_or_else(clock), event, tell)?;
    }
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
    let Line { text, rests, rule, position } = line;
    let turn = talk.turn_count() + 1;
    Contribution { turn, by: cue.persona, voice, purpose: cue.purpose, text, rests, rule, position }
}

/// Who wrote an input: its own author, else the script's user.
fn author(talk: &Discussion<'_>, input: &Input) -> String {
    input.by.clone().unwrap_or_else(|| talk.opened().user.clone())
}

/// What is recorded of a message.
pub(crate) fn message(talk: &Discussion<'_>, input: &Input) -> Message {
    Message { comment: input.comment, ..talk.hear(&author(talk, input), &input.text) }
}

/// Records the messages that the discussion did not come to; "done" alone is none.
fn keep_unheard(
    talk: &mut Discussion<'_>,
    script: &mut Script,
    clock: &dyn Fn() -> Time,
    tell: &mut dyn FnMut(&Record) -> Result<(), String>,
) -> Result<(), Stopped> {
    if script.is_shared {
        return Ok(());
    }
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

fn sum_up(
    talk: &Discussion<'_>,
    voice: &mut Option<&mut dyn Voice>,
    forms: &Forms,
) -> Result<Summary, Speechless> {
    let by_rule = minutes::summary(talk, forms);
    match voice {
        Some(voice) => voice.summary(talk, by_rule),
        None => Ok(by_rule),
    }
}

/// A line that keeps the rules, and whether the stand-in gave it.
fn speak(
    cue: &Cue,
    talk: &Discussion<'_>,
    voice: &mut Option<&mut dyn Voice>,
    stand_in: &mut Reviewer<'_>,
) -> Result<Spoken, Stopped> {
    if let Some(voice) = voice {
        match ask(cue, talk, *voice, stand_in)? {
            Spoken::Passed if cue.owed => {}
            spoken => return Ok(spoken),
        }
    }
    Ok(match stand_in.line(cue, talk, &[])? {
        Some(line) => {
            Spoken::Said { line: Line { text: plain::clean(&line.text), ..line }, by_stand_in: true }
        }
        None => Spoken::Passed,
    })
}

/// Asks a voice for a line: again where it breaks a hard rule, and once more where it breaks a soft one.
fn ask(
    cue: &Cue,
    talk: &Discussion<'_>,
    voice: &mut dyn Voice,
    stand_in: &Reviewer<'_>,
) -> Result<Spoken, Stopped> {
    let Some(persona) = talk.library().cast.get(&cue.persona) else { return Ok(Spoken::Passed) };
    let mut broken: Vec<Breach> = Vec::new();
    for _ in 0..TRIES {
        let line = match voice.line(cue, talk, &broken) {
            Ok(Some(line)) => line,
            Ok(None) if cue.owed => {
                broken = vec![Breach::hard("silence", "an answer is due")];
                continue;
            }
            Ok(None) => return Ok(Spoken::Passed),
            // What was said so far is worth a synthesis.
            Err(Speechless::Spent(_)) if talk.turn_count() > 0 => return Ok(Spoken::Spent),
            Err(failed) => return Err(failed.into()),
        };
        let (line, found) = judge(line, persona, talk, &broken, &|words| stand_in.mentions(words));
        if found.is_empty() {
            return Ok(Spoken::Said { line, by_stand_in: false });
        }
        broken = found;
    }
    Ok(Spoken::Passed)
}
