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
//! [The example of the crate](crate#a-discussion-as-a-library) opens one, holds it, and replays its log.

pub mod additions;
pub mod address;
mod describe;
pub mod divergence;
pub mod event;
mod finished;
pub mod focus;
mod log;
pub mod open;
pub mod points;
pub mod positions;
mod reading;
mod speakable;
pub mod summary;
pub mod transcript;

use std::collections::VecDeque;
use std::sync::OnceLock;

use minijinja::context;

use self::additions::Proposal;
use self::address::{Address, address, without_vocative};
pub use self::describe::describe;
use self::describe::describe_text;
use self::event::{
    Class, Closed, Contribution, Critique, Event, Exit, Message, Notice, NoticeKind, Opened, Purpose, Record,
    Resumed, Unheard,
};
pub use self::finished::{Finished, finished};
use self::focus::{Drift, Focus};
pub use self::log::{Line, Log, lines};
use self::points::{Need, Point, Points};
pub use self::speakable::{MARKUP, is_speakable};
use self::summary::{Summary, USER};
use crate::item::LEAST_TURNS;
use crate::item::library::Library;
use crate::item::persona::{Cast, Persona};
use crate::item::step::Step;
use crate::text::echo::Echo;
use crate::text::markdown::{self, read};
use crate::text::plain;
use crate::text::template::Failed;

/// The turn limit where messages come one by one and nothing says another.
pub const TURNS_ONE_BY_ONE: u32 = 60;

/// The turn limit of a discussion at a menu of an analysis that has a script, where nothing says another.
pub const TURNS_AT_A_MENU: u32 = 10;

/// The turn limit where all messages are known and nothing says another (D-6): every message is heard and
/// answered. "done" alone is no message.
pub fn default_turns<'t>(messages: impl Iterator<Item = &'t str>, cast: &Cast) -> u32 {
    let only_ends = Address::Exit { has_content: false };
    let count = messages.filter(|text| address(text, cast, false) != only_ends).count();
    u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(4).saturating_add(3).clamp(10, 100_000)
}

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
    log: Log,
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
    /// Opens a discussion of `step`.
    ///
    /// # Errors
    /// An opening that contradicts the library: another lead, another step, too few turns.
    pub fn open(library: &'l Library, step: &'l Step, first: Record) -> Result<Discussion<'l>, Refused> {
        Discussion::open_line(library, step, Line::from(first))
    }

    /// The same for an opening with its line, as it was read.
    ///
    /// # Errors
    /// An opening that contradicts the library.
    pub fn open_line(
        library: &'l Library,
        step: &'l Step,
        first: Line<'_>,
    ) -> Result<Discussion<'l>, Refused> {
        let refused = |expected: String, found: String| Refused::Unexpected { number: 1, expected, found };
        let event = &first.record().event;
        let Event::Opened(opened) = event else {
            return Err(refused("the opening".to_owned(), describe(event)));
        };
        let opened = opened.as_ref().clone();
        let (lead, _) = library.cast.lead(&step.phase);
        let facts = [
            ("format", event::FORMAT.to_string(), opened.format.to_string()),
            ("step", step.id.clone(), opened.step.id.clone()),
            ("title", step.title.clone(), opened.step.title.clone()),
            ("phase", step.phase.clone(), opened.step.phase.clone()),
            ("outputs", step.outputs.join(", "), opened.step.outputs.join(", ")),
            ("lead", lead.key.clone(), opened.lead.clone()),
        ];
        for (what, expected, found) in facts {
            if expected != found {
                return Err(refused(format!("{what} \"{expected}\""), format!("\"{found}\"")));
            }
        }
        if opened.max_turns < LEAST_TURNS {
            return Err(refused(
                format!("a turn limit of at least {LEAST_TURNS}"),
                opened.max_turns.to_string(),
            ));
        }
        let Opened { author, branch, voice, .. } = &opened;
        let names =
            [&opened.item_name, &opened.user, &opened.item, branch, voice, &author.name, &author.email];
        if let Some(name) = names.into_iter().chain(&opened.model).find(|text| !is_one_clean_line(text)) {
            return Err(refused("names on one line of visible characters".to_owned(), describe_text(name)));
        }
        // Both end up in a commit: nothing but what we write ourselves may be there.
        for (what, text, length) in [("base", &opened.base, 40), ("run", &opened.run, 32)] {
            if !is_hex(text, length) {
                return Err(refused(format!("a {what} of {length} hexadecimal digits"), describe_text(text)));
            }
        }
        if [&author.name, &author.email].iter().any(|text| text.contains(['<', '>'])) {
            return Err(refused("an author without < and >".to_owned(), describe_text(&author.name)));
        }
        let mut cues = VecDeque::from([cue(lead, Purpose::Framing, true)]);
        cues.extend(library.cast.others(&lead.key).map(|persona| cue(persona, Purpose::Round, true)));
        let state = State {
            stage: Stage::Speaking(cues),
            due: VecDeque::new(),
            turn: 0,
            silences: 0,
            asked: false,
            round: Vec::new(),
            disagreed: false,
        };
        let focus = Focus::new(library, step, &opened.item_name);
        let echoes = vec![OnceLock::new()];
        Ok(Discussion { library, step, lead, focus, opened, log: Log::from(first), echoes, state })
    }

    /// Runs the rules again over a log.
    ///
    /// # Errors
    /// The first event that the rules would not have asked for.
    pub fn replay(library: &'l Library, step: &'l Step, log: &Log) -> Result<Discussion<'l>, Refused> {
        let mut lines = log.lines();
        let Some(first) = lines.next() else {
            let (expected, found) = ("the opening".to_owned(), "nothing".to_owned());
            return Err(Refused::Unexpected { number: 1, expected, found });
        };
        let mut talk = Discussion::open_line(library, step, first)?;
        lines.try_for_each(|line| talk.record_line(line))?;
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
                let digest = self.log.digest();
                Next::Close(Closed { exit: *exit, turn_count: self.state.turn, digest })
            }
            Stage::Paused | Stage::Done => Next::Nothing,
        })
    }

    /// What comes when nobody at the table speaks: the disagreement of the round, or the user.
    fn floor(&self) -> Result<Next, Failed> {
        Ok(self.disagreement()?.map_or(Next::User, Next::Notice))
    }

    /// A user's message as the rules see it, ready to be recorded. Its class depends on exit words, address
    /// and named topics only, never on what it may decide.
    pub fn hear(&self, by: &str, text: &str) -> Message {
        let message = |turn: Option<u32>, class: Class, to: Vec<String>| Message {
            turn,
            by: by.to_owned(),
            text: text.to_owned(),
            class,
            to,
            comment: None,
        };
        let turn = Some(self.state.turn + 1);
        match address(text, &self.library.cast, self.state.asked) {
            Address::Exit { has_content } => message(turn.filter(|_| has_content), Class::Exit, Vec::new()),
            Address::Unclear => message(turn, Class::Unclear, Vec::new()),
            _ if self.focus.drift(text).is_some() => message(turn, Class::OffTopic, Vec::new()),
            Address::Direct(keys) => message(turn, Class::Direct, keys),
            Address::Group => message(turn, Class::Group, self.everyone().map(|p| p.key.clone()).collect()),
            Address::Neither => message(turn, Class::Default, vec![self.lead.key.clone()]),
        }
    }

    /// How many turns a message takes as long as nobody speaks who owes no answer: its own and the answers
    /// that it is owed. None for a message that only ends the discussion.
    pub fn turns_owed(&self, text: &str) -> u32 {
        let message = self.hear("", text);
        match message.class {
            Class::Exit => u32::from(message.turn.is_some()),
            Class::Unclear | Class::OffTopic => 1,
            _ if self.owes_no_answer(text) => 1,
            _ => 1 + u32::try_from(message.to.len()).unwrap_or(u32::MAX - 1),
        }
    }

    /// Who may speak to a message that is heard now, in order: nobody where it ends the discussion, or is about
    /// something else.
    pub fn cues_to(&self, message: &Message) -> Vec<Cue> {
        match message.class {
            Class::Exit | Class::Unclear | Class::OffTopic => Vec::new(),
            Class::Direct | Class::Group | Class::Default => self.answers(message).into(),
        }
    }

    /// Turns until the limit.
    pub fn turns_left(&self) -> u32 {
        self.opened.max_turns.saturating_sub(self.state.turn)
    }

    fn everyone(&self) -> impl Iterator<Item = &'l Persona> {
        self.library.cast.lead_then_alphabetical(&self.lead.key).into_iter()
    }

    /// Takes an event into the log.
    ///
    /// # Errors
    /// An event that does not answer [`next`](Discussion::next); the discussion is then unchanged.
    pub fn record(&mut self, record: Record) -> Result<(), Refused> {
        self.record_line(Line::from(record))
    }

    /// The same for an event with its line, as it was read.
    ///
    /// # Errors
    /// An event that the rules would not have asked for; then nothing is changed.
    pub fn record_line(&mut self, line: Line<'_>) -> Result<(), Refused> {
        let record = line.record();
        match &record.event {
            Event::Opened(_) => return Err(self.refuse(&record.event)?),
            Event::Notice(notice) => self.record_notice(notice, &record.event)?,
            Event::Points(points) => self.record_points(points, &record.event)?,
            Event::Contribution(said) => self.record_contribution(said, &record.event)?,
            Event::User(message) => self.record_message(message, &record.event)?,
            Event::Unheard(late) => self.record_unheard(late, &record.event)?,
            Event::Silence {} => self.record_silence(&record.event)?,
            Event::Paused(paused) => self.record_paused(paused, record)?,
            Event::Resumed(resumed) => self.record_resumed(resumed, &record.event)?,
            Event::Critique(critique) => self.record_critique(critique, &record.event)?,
            Event::Synthesis(summary) => self.record_summary(summary, &record.event)?,
            Event::Closed(closed) => {
                if self.next()? != Next::Close(closed.clone()) {
                    return Err(self.refuse(&record.event)?);
                }
                self.takes_no_time(record)?;
                self.state.stage = Stage::Done;
            }
        }
        self.log.push(line);
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

    fn record_notice(&mut self, notice: &Notice, event: &Event) -> Result<(), Refused> {
        if let Some(due) = self.state.due.front() {
            if *notice != self.notice(due)? {
                return Err(self.refuse(event)?);
            }
            self.state.due.pop_front();
        } else if self.has_floor() && self.disagreement()?.as_ref() == Some(notice) {
            self.state.stage = Stage::Listening;
            self.state.disagreed = true;
        } else {
            return Err(self.refuse(event)?);
        }
        Ok(())
    }

    /// What a reader found comes before everything that is said; what a model asked for may come once whenever a voice is
    /// asked for words.
    fn record_points(&self, found: &Points, event: &Event) -> Result<(), Refused> {
        let clean = |text: &String| plain::is_clean(text) && !text.contains('\n');
        let is_quoted = |quotes: &[event::Rest]| !quotes.is_empty() && quotes.iter().all(is_place);
        let is_point = |point: &Point| {
            let texts = [&point.question, &point.why, &point.recommended];
            let is_answered = |by: &points::Refutation| clean(&by.answer) && is_quoted(&by.quotes);
            texts.into_iter().chain(&point.options).all(clean)
                && !point.question.is_empty()
                && is_quoted(&point.quotes)
                && point.refuted.iter().all(is_answered)
        };
        let is_asked = self.state.due.is_empty()
            && matches!(self.state.stage, Stage::Speaking(_) | Stage::Summarizing(_));
        let is_need = found.points.is_empty() && found.need.is_some() && self.need().is_none() && is_asked;
        let fits = (self.log.len() == 1 || is_need)
            && found.need.iter().all(is_need_of_files)
            && self.is_metered()
            && is_one_clean_line(&found.voice)
            && found.model.iter().all(|model| is_one_clean_line(model))
            && found.points.iter().all(is_point);
        if fits { Ok(()) } else { Err(self.refuse(event)?) }
    }

    /// What a model asked for beyond what it was sent.
    pub fn need(&self) -> Option<&Need> {
        self.log.iter().find_map(|record| match &record.event {
            Event::Points(found) => found.need.as_ref(),
            _ => None,
        })
    }

    /// The points that a reader found, best first.
    pub fn points(&self) -> &[Point] {
        self.log
            .iter()
            .find_map(|record| match &record.event {
                Event::Points(found) => Some(found.points.as_slice()),
                _ => None,
            })
            .unwrap_or_default()
    }

    fn record_contribution(&mut self, said: &Contribution, event: &Event) -> Result<(), Refused> {
        let Some(at) = self.cue_of(said) else { return Err(self.refuse(event)?) };
        let Stage::Speaking(cues) = &mut self.state.stage else { return Err(self.refuse(event)?) };
        cues.drain(..=at);
        let over = cues.is_empty();
        if over {
            self.state.stage = Stage::Listening;
        }
        self.state.turn += 1;
        self.state.round.push(said.clone());
        if self.reached_limit() {
            return Ok(());
        }
        let is_built_in = said.voice.as_deref().unwrap_or(&self.opened.voice) == event::SECRETARY;
        if !is_built_in
            && said.by != self.lead.key
            && let Some(drift) = self.focus.drift(&said.text)
        {
            self.state.due.push_back(Due::RedirectPersona(said.by.clone(), drift));
        }
        self.warn();
        Ok(())
    }

    /// The place in the queue that a contribution answers: nobody who owes a line is before
    /// it, and turn, purpose and words are what they have to be.
    fn cue_of(&self, said: &Contribution) -> Option<usize> {
        let Stage::Speaking(cues) = &self.state.stage else { return None };
        let fits = self.state.due.is_empty()
            && said.turn == self.state.turn + 1
            && said.voice.as_ref() != Some(&self.opened.voice)
            && is_speakable(&said.text, &self.library.cast)
            && said.rests.iter().all(is_place)
            && said.position.iter().all(is_side)
            && said.points.iter().all(|at| *at < self.points().len())
            && said.proposal.iter().all(Proposal::is_clean);
        let at = cues.iter().position(|cue| cue.persona == said.by && cue.purpose == said.purpose)?;
        (fits && cues.iter().take(at).all(|cue| !cue.owed)).then_some(at)
    }

    fn record_message(&mut self, message: &Message, event: &Event) -> Result<(), Refused> {
        let spoken = is_one_clean_line(&message.by)
            && plain::is_clean(&message.text)
            && !message.text.trim().is_empty();
        if !self.has_floor()
            || self.disagreement()?.is_some()
            || !spoken
            || *message != (Message { comment: message.comment, ..self.hear(&message.by, &message.text) })
        {
            return Err(self.refuse(event)?);
        }
        let state = &mut self.state;
        state.silences = 0;
        state.round.clear();
        state.disagreed = false;
        state.asked = message.class == Class::Unclear;
        state.stage = Stage::Listening;
        if message.class == Class::Exit {
            // What it says beside the exit words is a turn like any other.
            if message.turn.is_some() {
                self.state.turn += 1;
                if self.reached_limit() {
                    return Ok(());
                }
                self.warn();
            }
            self.end(Exit::UserInitiated);
            return Ok(());
        }
        self.state.turn += 1;
        if self.reached_limit() {
            return Ok(());
        }
        match message.class {
            Class::Unclear => self.state.due.push_back(Due::Clarification),
            Class::OffTopic => {
                let drift = self.focus.drift(&message.text);
                self.state.due.extend(drift.map(Due::RedirectUser));
            }
            _ => self.state.stage = Stage::Speaking(self.answers(message)),
        }
        self.warn();
        Ok(())
    }

    /// A message that came too late: after the limit, after an exit, or when no tokens are left.
    fn record_unheard(&mut self, late: &Unheard, event: &Event) -> Result<(), Refused> {
        let is_message =
            is_one_clean_line(&late.by) && plain::is_clean(&late.text) && !late.text.trim().is_empty();
        self.ends_by(self.ending().filter(|_| is_message), event)
    }

    /// What was wrong with a draft of the synthesis; only another voice than the secretary's makes drafts.
    fn record_critique(&mut self, critique: &Critique, event: &Event) -> Result<(), Refused> {
        let fits = self.is_metered()
            && [&critique.on, &critique.problem].into_iter().all(|text| is_one_clean_line(text));
        self.ends_by(self.ending().filter(|_| fits), event)
    }

    /// How the discussion ends, where its last words may be recorded now.
    fn ending(&self) -> Option<Exit> {
        match &self.state.stage {
            Stage::Summarizing(exit) => Some(*exit),
            // Before its time a synthesis can only come of a voice that counts tokens.
            Stage::Speaking(_) if self.may_run_out() => Some(Exit::Budget),
            _ => None,
        }
        .filter(|_| self.state.due.is_empty())
    }

    fn ends_by(&mut self, exit: Option<Exit>, event: &Event) -> Result<(), Refused> {
        let Some(exit) = exit else { return Err(self.refuse(event)?) };
        self.state.stage = Stage::Summarizing(exit);
        Ok(())
    }

    /// Whether the discussion may end here because no tokens are left.
    fn may_run_out(&self) -> bool {
        self.is_metered() && self.state.turn > 0
    }

    /// Who answers a message, in order (D-5): those who must, then those who have something to add.
    fn answers(&self, message: &Message) -> VecDeque<Cue> {
        let cast = &self.library.cast;
        let owed = !self.owes_no_answer(&message.text);
        let answering = message.to.iter().filter_map(|key| cast.get(key));
        let mut cues: VecDeque<Cue> = answering.map(|persona| cue(persona, Purpose::Answer, owed)).collect();
        let others = cast.lead_first(&self.lead.key);
        let others = others.into_iter().filter(|persona| !message.to.contains(&persona.key));
        cues.extend(others.map(|persona| cue(persona, Purpose::FollowUp, false)));
        cues
    }

    /// Whether a message is nothing but action items, thanks or mere agreement: nobody has to answer it.
    pub fn owes_no_answer(&self, text: &str) -> bool {
        let names: Vec<&str> = self.library.cast.iter().map(Persona::first_name).collect();
        let lines = read(text).into_iter().filter(markdown::Line::is_said);
        let sentences: Vec<_> = lines.flat_map(|line| line.sentences).collect();
        let is_aside = |sentence: &markdown::Sentence| {
            let said = without_vocative(&sentence.text, &names);
            ["acknowledgements", "actions"].iter().any(|file| self.library.forms().fits(file, said))
        };
        !sentences.is_empty() && sentences.iter().all(is_aside)
    }

    fn record_silence(&mut self, event: &Event) -> Result<(), Refused> {
        if !self.has_floor() || self.disagreement()?.is_some() {
            return Err(self.refuse(event)?);
        }
        self.state.silences += 1;
        self.state.round.clear();
        self.state.disagreed = false;
        match self.state.silences {
            1 | 2 => {
                let all = self.library.cast.lead_first(&self.lead.key);
                let cues = all.into_iter().map(|persona| cue(persona, Purpose::Round, false));
                self.state.stage = Stage::Speaking(cues.collect());
            }
            3 => {
                self.state.stage = Stage::Listening;
                self.state.due.push_back(Due::Inactivity);
            }
            _ => self.end(Exit::Inactivity),
        }
        Ok(())
    }

    /// The end of a run, where the discussion stays open and the floor is its user's.
    ///
    /// # Errors
    /// A notice's template that cannot be rendered.
    pub fn pausing(&self) -> Result<Option<event::Paused>, Failed> {
        let waits = self.opened.stays_open && self.has_floor() && self.disagreement()?.is_none();
        let paused = || event::Paused { turn_count: self.state.turn, digest: self.log.digest() };
        Ok(waits.then(paused))
    }

    fn record_paused(&mut self, paused: &event::Paused, record: &Record) -> Result<(), Refused> {
        let is_idle = matches!(self.log.last(), Some(Record { event: Event::Resumed(_), .. }));
        if is_idle || self.pausing()?.as_ref() != Some(paused) {
            return Err(self.refuse(&record.event)?);
        }
        self.takes_no_time(record)?;
        self.state.stage = Stage::Paused;
        Ok(())
    }

    /// Everybody who could speak has passed: it is the user's turn.
    fn record_resumed(&mut self, resumed: &Resumed, event: &Event) -> Result<(), Refused> {
        if self.state.stage != Stage::Paused || !is_hex(&resumed.base, 40) {
            return Err(self.refuse(event)?);
        }
        self.state.stage = Stage::Listening;
        Ok(())
    }

    /// An end takes no time, so that the digest before it vouches for its time too.
    fn takes_no_time(&self, record: &Record) -> Result<(), Refused> {
        match self.log.last().filter(|last| last.at != record.at) {
            None => Ok(()),
            Some(last) => {
                let (expected, found) = (format!("the end at {}", last.at), record.at.to_string());
                Err(Refused::Unexpected { number: self.log.len() + 1, expected, found })
            }
        }
    }

    fn record_summary(&mut self, summary: &Summary, event: &Event) -> Result<(), Refused> {
        // Only the secretary speaks for another voice.
        let stands_in = |voice: &String| voice == event::SECRETARY && self.is_metered();
        let is_known = summary.voice.as_ref().is_none_or(stands_in);
        match self.ending().filter(|_| is_known && self.is_grounded(summary)) {
            Some(exit) => self.state.stage = Stage::Closing(exit),
            None => return Err(self.refuse(event)?),
        }
        Ok(())
    }

    /// Whether the voice's words cost something, so that a limit may end the discussion.
    fn is_metered(&self) -> bool {
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

    fn end(&mut self, exit: Exit) {
        self.state.due.push_back(Due::Closing);
        self.state.stage = Stage::Summarizing(exit);
    }

    /// Reaching the turn limit ends the discussion at once, in the middle of a round too.
    fn reached_limit(&mut self) -> bool {
        let reached = self.state.turn >= self.opened.max_turns;
        if reached {
            self.state.due.push_back(Due::Limit);
            self.state.stage = Stage::Summarizing(Exit::TurnLimit);
        }
        reached
    }

    fn warn(&mut self) {
        if self.state.turn + 2 == self.opened.max_turns {
            self.state.due.push_back(Due::Warning);
        }
    }

    fn notice(&self, due: &Due) -> Result<Notice, Failed> {
        let words = |name: &str, values: minijinja::Value| {
            self.library.templates.render(&format!("notices/{name}.txt"), values)
        };
        let fixed = |name: &str| self.library.templates.fixed(&format!("notices/{name}.txt"));
        let focus = || self.focus_of_talk();
        let (notice, text) = match due {
            Due::Warning => (NoticeKind::Warning, fixed("warning")?),
            Due::Limit => (NoticeKind::Limit, fixed("limit")?),
            Due::Inactivity => (NoticeKind::Inactivity, fixed("inactivity")?),
            Due::Clarification => (NoticeKind::Clarification, fixed("clarification")?),
            Due::Closing => (NoticeKind::Closing, fixed("closing")?),
            Due::RedirectUser(drift) => {
                let values = context! { focus => focus(), belongs => drift.belongs.as_str(), subject => drift.subject.as_str() };
                (NoticeKind::Redirect, words("redirect-user", values)?)
            }
            Due::RedirectPersona(key, drift) => {
                let drifter = self.library.cast.get(key).map_or(key.as_str(), Persona::first_name);
                let values = context! { drifter, focus => focus(), belongs => drift.belongs.as_str(), subject => drift.subject.as_str() };
                (NoticeKind::Redirect, words("redirect-persona", values)?)
            }
        };
        Ok(Notice { notice, by: self.lead.key.clone(), text: plain::clean(&text) })
    }

    /// The round's disagreement, summed up by the lead (D-9).
    fn disagreement(&self) -> Result<Option<Notice>, Failed> {
        let found = (!self.state.disagreed)
            .then(|| positions::opposition(&self.library.cast, &self.state.round))
            .flatten();
        let Some(found) = found else { return Ok(None) };
        let side = |(persona, side): &(&Persona, event::Position)| {
            context! { name => persona.first_name(), option => side.favors.as_str(), reason => side.because.as_str() }
        };
        let values = context! { a => side(&found.a), b => side(&found.b) };
        let text = self.library.templates.render("notices/disagreement.txt", values)?;
        Ok(Some(Notice {
            notice: NoticeKind::Disagreement,
            by: self.lead.key.clone(),
            text: plain::clean(&text),
        }))
    }

    /// What the talk is to stay focused on: the question of the framing, or the step's title.
    fn focus_of_talk(&self) -> String {
        match self.focus_question() {
            Some(question) => format!("the question \"{question}\""),
            None => self.step.title.clone(),
        }
    }

    /// The step whose work a question asks for, if it is another's.
    pub fn drift_of(&self, text: &str) -> Option<Drift> {
        self.focus.drift(text)
    }

    /// The focus question the lead stated (discussion AC-004-03): what follows "question: " on its line, else the first question.
    pub fn focus_question(&self) -> Option<String> {
        let framing = self.contributions().find(|said| said.purpose == Purpose::Framing)?;
        let stated =
            framing.text.split_once("question: ").map(|(_, asked)| asked.lines().next().unwrap_or_default());
        let text = plain::one_line(stated.unwrap_or(&framing.text));
        let end = if stated.is_some() { text.rfind('?')? } else { text.find('?')? };
        let is_one = stated.is_some();
        let start = if is_one { 0 } else { text[..end].rfind(['.', '!']).map_or(0, |at| at + 1) };
        Some(plain::cut(text[start..=end].trim(), 200))
    }

    /// Whether a question is a point that nobody took up: it was asked in no turn.
    fn is_point(&self, question: &summary::Question) -> bool {
        question.turns.is_empty() && self.points().iter().any(|point| point.question == question.text)
    }

    /// Whether every entry names turns, and only those who spoke in them.
    fn is_grounded(&self, summary: &Summary) -> bool {
        let spoke = |turn: u32| self.speaker(turn);
        let rests = |turns: &[u32]| !turns.is_empty() && turns.iter().all(|turn| spoke(*turn).is_some());
        let said = |by: &[String], turns: &[u32]| {
            !by.is_empty()
                && rests(turns)
                && by.iter().all(|key| turns.iter().any(|turn| spoke(*turn) == Some(key.as_str())))
        };
        let clean = |text: &str| plain::is_clean(text) && !text.contains('\n');
        // Only people decide.
        let by_a_user = |turns: &[u32]| turns.iter().any(|turn| spoke(*turn) == Some(USER));
        summary
            .insights
            .iter()
            .chain(&summary.action_items)
            .all(|one| said(&one.by, &one.turns) && clean(&one.text) && one.rests.iter().all(is_place))
            && summary.decisions.iter().all(|one| {
                rests(&one.turns) && by_a_user(&one.turns) && clean(&one.text) && clean(&one.rationale)
            })
            && summary.open_questions.iter().all(|one| {
                (rests(&one.turns) || self.is_point(one)) && clean(&one.text) && clean(&one.context)
            })
            && clean(&summary.summary)
    }
}

/// Something that was said, by whom, and what other texts are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Said<'t> {
    /// A persona's key, or [`USER`].
    pub by: &'t str,
    pub text: &'t str,
    pub echo: &'t Echo,
}

/// The introduction of a discussion, from its opening.
///
/// # Errors
/// A template that cannot be rendered.
pub fn introduction(library: &Library, opened: &Opened) -> Result<String, Failed> {
    let others: Vec<_> = library
        .cast
        .others(&opened.lead)
        .map(|persona| context! { name => persona.name.as_str(), role => persona.role.as_str() })
        .collect();
    let step = context! { id => plain::shown(&opened.step.id), title => plain::shown(&opened.step.title) };
    let values = context! { others, step, item_name => plain::shown(&opened.item_name), max_turns => opened.max_turns };
    library.templates.render("introduction.txt", values)
}

fn cue(persona: &Persona, purpose: Purpose, owed: bool) -> Cue {
    Cue { persona: persona.key.clone(), purpose, owed }
}

/// Whether a passage has a place and words, in characters that are shown.
fn is_place(rest: &event::Rest) -> bool {
    is_one_clean_line(&rest.path) && rest.line > 0 && plain::is_clean(&rest.quote)
}

/// Whether what a model asked for is named in clean lines, and what it was given has places.
fn is_need_of_files(need: &Need) -> bool {
    let is_file = |sent: &event::Sent| {
        is_one_clean_line(&sent.path)
            && is_hex(&sent.blob, 40)
            && sent.lines.iter().all(|(first, last)| 0 < *first && first <= last)
    };
    !need.asked.is_empty()
        && need.asked.iter().all(|name| is_one_clean_line(name))
        && need.given.iter().all(is_file)
}

/// Whether a position names what it is on, what it favors and why.
fn is_side(position: &event::Position) -> bool {
    [&position.on, &position.favors, &position.because].into_iter().all(|text| is_one_clean_line(text))
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_one_clean_line(text: &str) -> bool {
    !text.trim().is_empty() && plain::is_clean(text) && !text.contains(['\n', '\t'])
}
