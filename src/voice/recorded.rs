//! A voice that gives the lines, points and synthesis of a recording, each at its place in the log.
//!
//! It is asked by a replay, and by a discussion that a recording is given to (`--voice recorded:FILE`). What it says
//! passes the same judge and referee as any voice's words; nothing of it is taken on trust. [`departure`] says where a
//! discussion goes another way than the recording.
//!
//! ```
//! use roundtable::voice::recorded::{original, played_name};
//!
//! assert_eq!(played_name("anthropic"), "recorded:anthropic");
//! assert_eq!(original("recorded:anthropic"), "anthropic");
//! // What the secretary says follows from the documents: it says it itself.
//! assert_eq!(played_name("secretary"), "secretary");
//! ```

use crate::discussion::critiques::is_of_points;
use crate::discussion::divergence::{Divergence, differs};
use crate::discussion::event::{AGENT, Critique, Event, Exit, Record, SECRETARY};
use crate::discussion::points::{Need, Point, Points, Refutation};
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion, describe};
use crate::minutes::{Forms, with_limits};
use crate::voice::model::grounding::Grounds;
use crate::voice::model::is_ours;
use crate::voice::rules::Breach;
use crate::voice::sources::Excerpt;
use crate::voice::{Line, Needed, Rejected, Speechless, Synthesis, Voice};

/// What `--voice` begins with for this voice, and the name of the voice that it plays in a recording.
pub const PREFIX: &str = "recorded:";

/// The name of a voice whose recording is played.
pub fn played_name(voice: &str) -> String {
    match original(voice) {
        SECRETARY => SECRETARY.to_owned(),
        original => format!("{PREFIX}{original}"),
    }
}

/// The voice that said the words first.
pub fn original(voice: &str) -> &str {
    voice.strip_prefix(PREFIX).unwrap_or(voice)
}

/// A voice that says what is recorded.
pub struct Recorded<'r> {
    /// Its first record is the opening.
    log: &'r [Record],
    voice: &'r str,
    excerpts: Vec<Excerpt>,
    /// The words of what it asked for later.
    later: Vec<Excerpt>,
    /// What it asks for now.
    asked: Option<Needed>,
    /// The place of the last line in the log that was refused, and what it broke.
    refused: Option<(usize, Breach)>,
    /// What of the points was left out.
    left_out: Vec<Critique>,
}

impl<'r> Recorded<'r> {
    /// The voice of this name, with what it read besides the item's documents.
    pub fn new(log: &'r [Record], voice: &'r str, excerpts: Vec<Excerpt>) -> Recorded<'r> {
        Recorded { log, voice, excerpts, later: Vec::new(), asked: None, refused: None, left_out: Vec::new() }
    }

    /// The same with the words of what it asked for in the middle of the discussion.
    #[must_use]
    pub fn and_later(self, later: Vec<Excerpt>) -> Recorded<'r> {
        Recorded { later, ..self }
    }

    fn next<'t>(&'t self, talk: &Discussion<'_>) -> &'t [Record] {
        let next = self.log.get(talk.log().len()..).unwrap_or_default();
        // What was asked for is recorded before what was said with it.
        let is_need = talk.log().len() > 1 && next.first().and_then(need_of).is_some();
        &next[usize::from(is_need)..]
    }

    /// Whether something was asked for here.
    fn ask(&mut self, talk: &Discussion<'_>) {
        let need = self.log.get(talk.log().len()).and_then(need_of);
        self.asked = need.map(|need| Needed { need: need.clone(), excerpts: self.later.clone() });
    }

    /// Where a discussion departs from the recording: where the line there was refused, because it was.
    pub fn explained(&self, other: Divergence) -> Divergence {
        let refused = self.refused.as_ref().filter(|(at, _)| other.event == Some(at + 1));
        match refused.and_then(|(at, breach)| Some((*at, breach, self.log.get(*at)?))) {
            Some((at, breach, recorded)) => broken(at, breach, recorded),
            None => other,
        }
    }

    /// Whether the discussion ended here, as nothing was left to pay for another line.
    fn is_spent(&self, talk: &Discussion<'_>) -> bool {
        let ended = |record: &Record| match &record.event {
            Event::Closed(closed) => Some(closed.exit),
            _ => None,
        };
        let next = self.next(talk).first().map(|record| &record.event);
        talk.turn_count() > 0
            && matches!(next, Some(Event::Unheard(_) | Event::Critique(_) | Event::Synthesis(_)))
            && self.log.last().and_then(ended) == Some(Exit::Budget)
    }
}

impl Voice for Recorded<'_> {
    fn name(&self) -> &str {
        self.voice
    }

    fn evidence(&self) -> &[Excerpt] {
        &self.excerpts
    }

    fn needed(&mut self) -> Option<Needed> {
        self.asked.take()
    }

    fn left_out(&mut self) -> Vec<Critique> {
        std::mem::take(&mut self.left_out)
    }

    fn points(&mut self, talk: &Discussion<'_>) -> Result<Option<Points>, Speechless> {
        self.ask(talk);
        let next = self.next(talk);
        let Some(Event::Points(found)) = next.first().map(|record| &record.event) else {
            return Ok(None);
        };
        let left_out = next.iter().skip(1).map_while(critique_of).filter(|one| is_of_points(one));
        let left_out = left_out.cloned().collect();
        let open = |point: &Point| Point { refuted: None, ..point.clone() };
        let found = Points { points: found.points.iter().map(open).collect(), ..found.clone() };
        self.left_out = left_out;
        Ok(Some(found))
    }

    fn refute(
        &mut self,
        points: &[Point],
        talk: &Discussion<'_>,
    ) -> Result<Vec<(usize, Refutation)>, Speechless> {
        let Some(Event::Points(found)) = self.next(talk).first().map(|record| &record.event) else {
            return Ok(Vec::new());
        };
        let answer = |(at, point): (usize, &Point)| {
            let known = found.points.iter().find(|known| known.question == point.question)?;
            Some((at, known.refuted.clone()?))
        };
        Ok(points.iter().enumerate().filter_map(answer).collect())
    }

    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        rejected: Option<&Rejected>,
    ) -> Result<Option<Line>, Speechless> {
        if let Some(breach) = rejected.and_then(|rejected| rejected.breaches.iter().find(|one| one.is_hard()))
        {
            self.refused = Some((talk.log().len(), breach.clone()));
        }
        self.ask(talk);
        if self.is_spent(talk) {
            return Err(Speechless::Spent(0));
        }
        let Some(Event::Contribution(said)) = self.next(talk).first().map(|record| &record.event) else {
            return Ok(None);
        };
        if said.by != cue.persona || said.purpose != cue.purpose || said.voice.is_some() {
            return Ok(None);
        }
        // An agent is sent no prompt of ours that it could repeat.
        let is_echo = original(self.voice) != AGENT && is_ours(&said.text, talk);
        let text = if is_echo { "" } else { &said.text };
        let (rests, position) = (said.rests.clone(), said.position.clone());
        let (proposal, absent) = (said.proposal.clone(), said.absent.clone());
        Ok(Some(Line { rests, position, proposal, absent, ..Line::plain(text) }))
    }

    fn summary(&mut self, talk: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        self.ask(talk);
        let next = self.next(talk);
        let critiques: Vec<Critique> = next.iter().map_while(critique_of).cloned().collect();
        let said = match next.get(critiques.len()).map(|record| &record.event) {
            Some(Event::Synthesis(said)) => said,
            _ => &Summary::default(),
        };
        let summary = summed_up(talk, by_rule, said, talk.library().forms());
        Ok(Synthesis { summary, critiques })
    }
}

fn critique_of(record: &Record) -> Option<&Critique> {
    match &record.event {
        Event::Critique(critique) => Some(critique),
        _ => None,
    }
}

/// What a model asked for, where an event says so.
pub fn need_of(record: &Record) -> Option<&Need> {
    match &record.event {
        Event::Points(found) => found.need.as_ref(),
        _ => None,
    }
}

/// What the referee makes of a recorded synthesis: itself, if it follows from the discussion.
pub fn summed_up(talk: &Discussion<'_>, by_rule: Summary, said: &Summary, forms: &Forms) -> Summary {
    match &said.voice {
        Some(_) => {
            let made = Summary { voice: Some(SECRETARY.to_owned()), ..by_rule };
            if said.lands.is_some() { with_limits(made, talk) } else { made }
        }
        None if talk.opened().voice == SECRETARY => by_rule,
        None => Grounds::new(talk, forms, &by_rule).again(said),
    }
}

/// Where a discussion goes another way than a recording: what was recorded now, and what the recording has at that
/// place. Times, the digest over them, and the ids of comments are those of this run.
pub fn departure(at: usize, now: &Record, log: &[Record]) -> Option<Divergence> {
    let is_same = log.get(at).is_some_and(|then| timeless(&then.event) == timeless(&now.event));
    if is_same {
        return None;
    }
    let bare = |record: &Record| Record { at: now.at, event: timeless(&record.event) };
    Some(differs(at, Some(&bare(now)), log.get(at).map(bare).as_ref()))
}

fn timeless(event: &Event) -> Event {
    let mut event = event.clone();
    match &mut event {
        Event::User(message) => message.comment = None,
        Event::Unheard(late) => late.comment = None,
        Event::Closed(closed) => closed.digest.clear(),
        _ => {}
    }
    event
}

/// A line that may not be said.
fn broken(at: usize, breach: &Breach, recorded: &Record) -> Divergence {
    let expected = format!("a line that keeps the rule \"{}\": {}", breach.rule.name(), breach.reason());
    let found = describe(&recorded.event);
    Divergence { event: Some(at + 1), what: "text".to_owned(), expected, found }
}
