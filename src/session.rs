//! The loop between a discussion, a voice and a script; the only place that waits for anybody.
//!
//! Whatever a voice says passes the rules before it is recorded, and every discussion ends: by its turn limit, or by silence.
//! [The example of the crate](crate#a-discussion-as-a-library) holds one.

use crate::discussion::event::{Contribution, Event, Record, Time};
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion, Next, Refused};
use crate::plain;
use crate::script::Script;
use crate::voice::integrity::{Breach, breaches, without_prefix};
use crate::voice::offline::Offline;
use crate::voice::{Speechless, Voice};

/// How often a voice is asked again for a line that breaks the rules.
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
enum Line {
    Said {
        text: String,
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

/// Holds a discussion from where it stands to its end, or to where it waits for its user.
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
    stand_in: &mut Offline,
    script: &mut Script,
    clock: &dyn Fn() -> Time,
    tell: &mut dyn FnMut(&Record) -> Result<(), String>,
) -> Result<Went, Stopped> {
    let mut passed = 0;
    loop {
        let mut at = None;
        let next = talk.next_after(passed)?;
        let pausing = (next == Next::User && script.waits()).then(|| talk.pausing()).transpose()?.flatten();
        if let Some(paused) = pausing {
            // As the end of it all, the end of a run takes no time.
            let at = talk.log().last().map_or_else(clock, |last| last.at);
            let record = Record { at, event: Event::Paused(paused) };
            talk.record(record.clone())?;
            tell(&record).map_err(Stopped::Watcher)?;
            return Ok(Went::Waiting);
        }
        let event = match next {
            Next::Line(cue) => match speak(&cue, talk, &mut voice, stand_in)? {
                Line::Said { text, by_stand_in } => {
                    let voice = (by_stand_in && voice.is_some()).then(|| stand_in.name().to_owned());
                    let turn = talk.turn_count() + 1;
                    Event::Contribution(Contribution {
                        turn,
                        by: cue.persona,
                        voice,
                        purpose: cue.purpose,
                        text,
                    })
                }
                Line::Passed => {
                    passed += 1;
                    continue;
                }
                Line::Spent => Event::Synthesis(sum_up(talk, &mut voice, stand_in)?),
            },
            Next::User => match script.next_input() {
                Some(input) => {
                    at = input.at;
                    let by = input.by.unwrap_or_else(|| talk.opened().user.clone());
                    Event::User(talk.hear(&by, &input.text))
                }
                None => Event::Silence {},
            },
            Next::Notice(notice) => Event::Notice(notice),
            Next::Summary => Event::Synthesis(sum_up(talk, &mut voice, stand_in)?),
            Next::Close(closed) => {
                at = talk.log().last().map(|last| last.at);
                Event::Closed(closed)
            }
            Next::Nothing => return Ok(Went::Through),
        };
        passed = 0;
        let record = Record { at: at.unwrap_or_else(clock), event };
        talk.record(record.clone())?;
        tell(&record).map_err(Stopped::Watcher)?;
    }
}

fn sum_up(
    talk: &Discussion<'_>,
    voice: &mut Option<&mut dyn Voice>,
    stand_in: &mut Offline,
) -> Result<Summary, Speechless> {
    match voice {
        Some(voice) => voice.summary(talk),
        None => stand_in.summary(talk),
    }
}

/// A line that keeps the rules, and whether the stand-in gave it.
fn speak(
    cue: &Cue,
    talk: &Discussion<'_>,
    voice: &mut Option<&mut dyn Voice>,
    stand_in: &mut Offline,
) -> Result<Line, Stopped> {
    let Some(persona) = talk.library().cast.get(&cue.persona) else { return Ok(Line::Passed) };
    if let Some(voice) = voice {
        let mut broken = Vec::new();
        for _ in 0..TRIES {
            let text = match voice.line(cue, talk, &broken) {
                Ok(Some(text)) => text,
                Ok(None) if cue.owed => {
                    let words = "an answer is due".to_owned();
                    broken = vec![Breach { rule: "silence".to_owned(), words }];
                    continue;
                }
                Ok(None) => break,
                // What was said so far is worth a synthesis.
                Err(Speechless::Spent(_)) if talk.turn_count() > 0 => return Ok(Line::Spent),
                Err(failed) => return Err(failed.into()),
            };
            let text = plain::clean(without_prefix(&text, persona)).trim().to_owned();
            broken = breaches(&text, persona, talk);
            if broken.is_empty() {
                return Ok(Line::Said { text, by_stand_in: false });
            }
        }
        if !cue.owed {
            return Ok(Line::Passed);
        }
    }
    Ok(match stand_in.line(cue, talk, &[])? {
        Some(text) => Line::Said { text: plain::clean(&text), by_stand_in: true },
        None => Line::Passed,
    })
}
