//! One discussion: a state machine as a fold over its log.
//!
//! ENTRY is [`Event::Opened`]; TOPIC_FRAMING, DISCUSSION_LOOP, SYNTHESIS and STATE_PERSIST are
//! stages. [`Discussion::next`] only reads and says what is wanted; [`Discussion::record`] is the
//! only thing that changes a discussion, and refuses what the rules would not have asked for.
//! There is no clock, no file and no network here, so the same log always gives the same state:
//! [`Discussion::replay`] of a log equals the discussion that wrote it.
//!
//! A persona that passes leaves no event. The state therefore keeps the whole queue of who may
//! speak, and [`Discussion::next_after`] skips those who have passed since the last event.
//!
//! | where | what |
//! | --- | --- |
//! | `opening` | ENTRY: what an opening must say, and the introduction |
//! | `contribution`, `points` | what a persona says, and the open points that it speaks of |
//! | `message`, [`address`], [`focus`] | what the user says: its class, who answers it, and whether it belongs to another step |
//! | `silence`, [`turn_limit`], `notices`, [`positions`] | rounds without the user, the limit, the lead's notices, disagreements |
//! | `ending`, [`runs`] | the synthesis and the end; a discussion that stays open between runs |
//! | [`event`], `log`, `recordable` | what a recording holds, and which words may be recorded |
//! | `reading`, `finished`, [`summary`], [`closing`], [`additions`], [`critiques`] | what can be read of a discussion, and what it comes to |
//! | [`transcript`], `describe`, [`divergence`] | a log as people read it, and where two logs part |
//!
//! [The example of the crate](crate#a-discussion-as-a-library) opens one, holds it, and replays its log.

pub mod additions;
pub mod address;
pub mod closing;
pub mod consent;
mod contribution;
pub mod critiques;
mod describe;
pub mod divergence;
mod ending;
pub mod event;
mod finished;
pub mod focus;
mod message;
mod notices;
mod opening;
pub mod points;
pub mod positions;
mod reading;
mod recordable;
pub mod runs;
mod silence;
pub mod summary;
pub mod transcript;
pub mod turn_limit;

use std::collections::VecDeque;
use std::sync::OnceLock;

pub use self::describe::describe;
use self::event::{Closed, Contribution, Event, Exit, Notice, Opened, Purpose, Record};
pub use self::finished::{Finished, LandingEntries, finished};
use self::focus::{Drift, Focus};
pub use self::opening::introduction;
pub use self::reading::Said;
pub use self::recordable::{MARKUP, is_speakable};
use crate::item::library::Library;
use crate::item::persona::Persona;
use crate::item::step::Step;
use crate::text::echo::Echo;
use crate::text::template::Failed;

/// Who is to speak, why, and whether silence is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cue {
    /// The persona's key.
    pub persona: String,
    pub purpose: Purpose,
    /// A persona that owes a line must say something; any other may pass.
    pub owed: bool,
}

/// What a discussion wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A line of this persona, or, where none is owed, a pass.
    Line(Cue),
    /// A notice that the rules demand, word for word.
    Notice(Notice),
    /// The user's next message, or silence.
    User,
    /// The synthesis.
    Summary,
    /// The end, as the rules have it.
    Close(Closed),
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    /// Lines are owed or allowed, the first in the queue first; never empty.
    Speaking(VecDeque<Cue>),
    /// The floor is the user's.
    Listening,
    Summarizing(Exit),
    Closing(Exit),
    /// The run is over; another one goes on.
    Paused,
    Done,
}

/// A notice that must come before anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Due {
    Warning,
    Limit,
    Inactivity,
    Clarification,
    Closing,
    RedirectUser(Drift),
    RedirectPersona(String, Drift),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    stage: Stage,
    due: VecDeque<Due>,
    turn: u32,
    /// Silences in a row.
    silences: u32,
    /// The lead has asked whether to end; the next message settles it.
    asked: bool,
    /// What was said since the user's last message or silence.
    round: Vec<Contribution>,
    /// The round's disagreement has been summed up.
    disagreed: bool,
}

/// A discussion and everything it was made of.
#[derive(Clone, Debug)]
pub struct Discussion<'l> {
    library: &'l Library,
    step: &'l Step,
    lead: &'l Persona,
    focus: Focus<'l>,
    opened: Opened,
    log: Vec<Record>,
    /// Of each event of the log, what is compared of its words: empty until it is asked for.
    echoes: Vec<OnceLock<Echo>>,
    state: State,
}

impl PartialEq for Discussion<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.log == other.log && self.state == other.state
    }
}

/// An event that does not answer what the discussion wants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("event {number}: expected {expected}, found {found}")]
    Unexpected { number: usize, expected: String, found: String },
    #[error("{0}")]
    Template(#[from] Failed),
}

impl<'l> Discussion<'l> {
    /// Runs the rules again over a log.
    ///
    /// # Errors
    /// The first event that the rules would not have asked for.
    pub fn replay(library: &'l Library, step: &'l Step, log: &[Record]) -> Result<Discussion<'l>, Refused> {
        let Some((first, rest)) = log.split_first() else {
            let (expected, found) = ("the opening".to_owned(), "nothing".to_owned());
            return Err(Refused::Unexpected { number: 1, expected, found });
        };
        let mut talk = Discussion::open(library, step, first.clone())?;
        rest.iter().try_for_each(|record| talk.record(record.clone()))?;
        Ok(talk)
    }

    /// What is wanted now.
    ///
    /// # Errors
    /// A notice's template that cannot be rendered.
    pub fn next(&self) -> Result<Next, Failed> {
        self.next_after(0)
    }

    /// What is wanted when the first `passed` of those who may speak have nothing to add.
    ///
    /// # Errors
    /// A notice's template that cannot be rendered.
    pub fn next_after(&self, passed: usize) -> Result<Next, Failed> {
        if let Some(due) = self.state.due.front() {
            return Ok(Next::Notice(self.notice(due)?));
        }
        Ok(match &self.state.stage {
            Stage::Speaking(cues) => {
                match cues.iter().enumerate().find(|(at, cue)| *at >= passed || cue.owed) {
                    Some((_, cue)) => Next::Line(cue.clone()),
                    None => self.floor()?,
                }
            }
            Stage::Listening => self.floor()?,
            Stage::Summarizing(_) => Next::Summary,
            Stage::Closing(exit) => {
                let digest = event::digest(&self.log);
                Next::Close(Closed { exit: *exit, turn_count: self.state.turn, digest })
            }
            Stage::Paused | Stage::Done => Next::Nothing,
        })
    }

    /// What comes when nobody at the table speaks: the disagreement of the round, or the user.
    fn floor(&self) -> Result<Next, Failed> {
        Ok(self.disagreement()?.map_or(Next::User, Next::Notice))
    }

    fn everyone(&self) -> impl Iterator<Item = &'l Persona> {
        self.library.cast.lead_then_alphabetical(&self.lead.key).into_iter()
    }

    /// Takes an event into the log.
    ///
    /// # Errors
    /// An event that does not answer [`next`](Discussion::next); the discussion is then unchanged.
    pub fn record(&mut self, record: Record) -> Result<(), Refused> {
        match &record.event {
            Event::Opened(_) => return Err(self.refuse(&record.event)?),
            Event::Notice(notice) => self.record_notice(notice, &record.event)?,
            Event::Points(points) => self.record_points(points, &record.event)?,
            Event::Contribution(said) => self.record_contribution(said, &record.event)?,
            Event::User(message) => self.record_message(message, &record.event)?,
            Event::Unheard(late) => self.record_unheard(late, &record.event)?,
            Event::Silence {} => self.record_silence(&record.event)?,
            Event::Paused(paused) => self.record_paused(paused, &record)?,
            Event::Resumed(resumed) => self.record_resumed(resumed, &record.event)?,
            Event::Critique(critique) => self.record_critique(critique, &record.event)?,
            Event::Synthesis(summary) => self.record_summary(summary, &record.event)?,
            Event::Closed(closed) => {
                if self.next()? != Next::Close(closed.clone()) {
                    return Err(self.refuse(&record.event)?);
                }
                self.takes_no_time(&record)?;
                self.state.stage = Stage::Done;
            }
        }
        self.log.push(record);
        self.echoes.push(OnceLock::new());
        Ok(())
    }

    fn refuse(&self, found: &Event) -> Result<Refused, Failed> {
        let (number, expected) = (self.log.len() + 1, self.awaited()?);
        Ok(Refused::Unexpected { number, expected, found: describe(found) })
    }

    /// What comes next, as people read it.
    ///
    /// # Errors
    /// A template that fails.
    pub fn awaited(&self) -> Result<String, Failed> {
        Ok(match self.next()? {
            Next::Line(cue) => {
                let owed = if cue.owed { "" } else { ", or what follows if nobody speaks" };
                format!("turn {} by {} ({:?}){owed}", self.state.turn + 1, cue.persona, cue.purpose)
            }
            Next::Notice(notice) => describe(&Event::Notice(notice)),
            Next::User => "the user's message or silence, classified by the rules".to_owned(),
            Next::Summary => "a synthesis that names turns and who spoke in them".to_owned(),
            Next::Close(closed) => describe(&Event::Closed(closed)),
            Next::Nothing if self.is_closed() => "nothing: the discussion is closed".to_owned(),
            Next::Nothing => "another run: the discussion waits for its user".to_owned(),
        })
    }

    /// Whether the voice's words cost something, so that a limit may end the discussion.
    pub fn is_metered(&self) -> bool {
        self.opened.voice != event::SECRETARY
    }

    /// The floor is the user's: no notice is due and nobody owes a line.
    fn has_floor(&self) -> bool {
        let free = match &self.state.stage {
            Stage::Speaking(cues) => cues.iter().all(|cue| !cue.owed),
            stage => *stage == Stage::Listening,
        };
        free && self.state.due.is_empty()
    }
}

fn cue(persona: &Persona, purpose: Purpose, owed: bool) -> Cue {
    Cue { persona: persona.key.clone(), purpose, owed }
}
