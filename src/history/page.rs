//! A recorded discussion as a page: Markdown or HTML. The templates
//! under `templates/pages/` say how it looks; what is here is what they are given.
//!
//! Every word of a user, a voice or a document is a value, and the template's ending says how it is
//! made harmless ([`crate::text::template`]).
//!
//! ```
//! use roundtable::discussion::Finished;
//! use roundtable::item::library::Library;
//! use roundtable::history::page::{Format, render};
//! use roundtable::text::template::Failed;
//!
//! fn html(finished: &Finished, library: &Library) -> Result<String, Failed> {
//!     render(&finished.log, &finished.opened, library, Format::Html)
//! }
//! ```

use minijinja::context;
use minijinja::value::Serde;
use serde::Serialize;

use crate::discussion::event::{Class, Event, NoticeKind, Opened, Purpose, Record, SECRETARY};
use crate::discussion::points::Point;
use crate::discussion::summary::{Insight, Summary, attribution};
use crate::discussion::transcript::{listed, notes, sources, user_label, with_sources};
use crate::discussion::{finished, introduction};
use crate::item::library::Library;
use crate::text::plain;
use crate::text::template::{Failed, safe};

/// How a discussion is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Html,
}

impl Format {
    const fn template(self) -> &'static str {
        match self {
            Format::Markdown => "pages/discussion.md",
            Format::Html => "pages/discussion.html",
        }
    }
}

/// Seats have a colour each; who sits further down shares one.
const COLOURS: usize = 6;

/// Somebody at the table; those who are not of this cast sit after it.
#[derive(Serialize)]
struct Participant {
    name: String,
    role: String,
    /// Its colour.
    seat: usize,
    #[serde(skip)]
    key: String,
}

/// Something that was said.
#[derive(Serialize)]
pub(crate) struct TranscriptEntry {
    kind: &'static str,
    seat: usize,
    name: String,
    role: String,
    turn: Option<u32>,
    note: &'static str,
    /// What was said; `lines` has the places below it as well.
    paragraphs: Vec<String>,
    lines: Vec<String>,
    /// Where what it rests on is.
    places: String,
    points: Vec<ListedPoint>,
}

/// A point that a reader found.
#[derive(Serialize)]
struct ListedPoint {
    question: String,
    places: String,
    why: String,
    options: Vec<PointOption>,
    /// What answers it already, with its place.
    answer: String,
}

#[derive(Serialize)]
struct PointOption {
    text: String,
    is_recommended: bool,
}

impl ListedPoint {
    fn of(point: &Point) -> Self {
        let option = |text: &String| PointOption {
            text: plain::clean(text),
            is_recommended: *text == point.recommended,
        };
        let answer = point
            .refuted
            .as_ref()
            .map(|found| format!("{} ({})", found.answer, sources(found.quotes.iter())));
        ListedPoint {
            question: plain::clean(&point.question),
            places: plain::clean(&sources(point.quotes.iter())),
            why: plain::clean(&point.why),
            options: if answer.is_some() { Vec::new() } else { point.options.iter().map(option).collect() },
            answer: plain::clean(&answer.unwrap_or_default()),
        }
    }
}

#[derive(Serialize)]
struct Said {
    attribution: String,
    text: String,
    turns: Vec<u32>,
    /// Where what it rests on is.
    places: String,
}

/// Renders a recording, whether it has an end or not.
///
/// # Errors
/// A template that cannot be rendered.
pub fn render(log: &[Record], opened: &Opened, library: &Library, format: Format) -> Result<String, Failed> {
    let end = finished(log.to_vec());
    // A discussion that was cut off after its synthesis has one all the same.
    let found = log.iter().find_map(|record| match &record.event {
        Event::Synthesis(summary) => Some(summary),
        _ => None,
    });
    let table = Table { seats: seats(log, library) };
    let entries: Vec<TranscriptEntry> = log.iter().filter_map(|record| table.entry(&record.event)).collect();
    let turns = entries.iter().filter_map(|entry| entry.turn).max().unwrap_or(0);
    let synthesis = match &end {
        Some(end) => crate::synthesis::summary_text(end, library)?,
        None => String::new(),
    };
    let values = context! {
        item_name => plain::shown(&opened.item_name),
        item => plain::shown(&opened.item),
        step => context! {
            id => plain::shown(&opened.step.id),
            title => plain::shown(&opened.step.title),
            phase => plain::shown(&opened.step.phase),
        },
        at => log.last().map_or_else(String::new, |last| last.at.to_string()),
        closed => end.is_some(),
        exit => end.as_ref().map_or_else(String::new, |end| end.closed.exit.to_string()),
        turn_count => turns,
        max_turns => opened.max_turns,
        voice => plain::shown(&opened.voice),
        model => opened.model.as_deref().map(plain::shown),
        branch => plain::shown(&opened.branch),
        base => plain::shown(&opened.base),
        run => plain::shown(&opened.run),
        introduction => paragraphs(introduction(library, opened)?.trim_matches(['-', '\n'])),
        personas => Serde(&table.seats),
        entries => Serde(&entries),
        summary => found.map(|found| summary(found, &opened.voice, library)),
        synthesis => safe(synthesis),
    };
    let mut text = library.templates.render(format.template(), values)?;
    text.push('\n');
    Ok(text)
}

/// What was said in a discussion, for a template.
#[cfg(feature = "cli")]
pub(crate) fn entries(log: &[Record], library: &Library) -> Vec<TranscriptEntry> {
    let table = Table { seats: seats(log, library) };
    log.iter().filter_map(|record| table.entry(&record.event)).collect()
}

fn summary(of: &Summary, voice: &str, library: &Library) -> minijinja::Value {
    // What a rule found says its place.
    let is_secretarys = of.voice.as_deref().unwrap_or(voice) == SECRETARY;
    let said = |list: &[Insight]| -> Vec<Said> {
        let one = |one: &Insight| Said {
            attribution: attribution(&one.by, &library.cast),
            text: plain::clean(&one.text),
            turns: one.turns.clone(),
            places: if is_secretarys { String::new() } else { plain::clean(&sources(one.rests.iter())) },
        };
        list.iter().map(one).collect()
    };
    context! {
        insights => Serde(&said(&of.insights)),
        decisions => Serde(&of.decisions),
        open_questions => Serde(&of.open_questions),
        action_items => Serde(&said(&of.action_items)),
        text => plain::clean(&of.summary),
    }
}

fn paragraphs(text: &str) -> Vec<String> {
    let text = plain::clean(text);
    let parts = text.split("\n\n").map(|part| part.trim_matches('\n').to_owned());
    parts.filter(|part| !part.trim().is_empty()).collect()
}

/// All speakers: the cast, and others who spoke, in the order they came.
fn seats(log: &[Record], library: &Library) -> Vec<Participant> {
    let seat = |at: usize, name: String, role: String, key: &str| Participant {
        name,
        role,
        seat: at % COLOURS,
        key: key.to_owned(),
    };
    let cast = library.cast.iter().enumerate();
    let mut seats: Vec<Participant> =
        cast.map(|(at, one)| seat(at, one.name.clone(), one.role.clone(), &one.key)).collect();
    for record in log {
        let by = match &record.event {
            Event::Contribution(said) => &said.by,
            Event::Notice(notice) => &notice.by,
            _ => continue,
        };
        if !seats.iter().any(|seat| seat.key == *by) {
            let name = Some(plain::shown(by)).filter(|name| !name.is_empty());
            let name = name.unwrap_or_else(|| "somebody".to_owned());
            seats.push(seat(seats.len(), name, "nobody of this cast".to_owned(), by));
        }
    }
    seats
}

/// Who sits where.
struct Table {
    seats: Vec<Participant>,
}

impl Table {
    fn entry(&self, event: &Event) -> Option<TranscriptEntry> {
        Some(match event {
            Event::Contribution(said) => TranscriptEntry {
                turn: Some(said.turn),
                paragraphs: paragraphs(&said.text),
                places: plain::clean(&notes(said)),
                ..self.said("persona", &said.by, purpose(said.purpose), &with_sources(said))
            },
            Event::Notice(notice) => self.said("notice", &notice.by, kind(notice.notice), &notice.text),
            Event::User(message) => {
                let label = user_label(&message.by);
                let note = match message.class {
                    Class::OffTopic => "off topic",
                    Class::Unclear => "unclear",
                    _ => "",
                };
                TranscriptEntry {
                    name: label.trim_end_matches(':').to_owned(),
                    role: String::new(),
                    turn: message.turn,
                    ..self.said("user", "", note, &message.text)
                }
            }
            Event::Unheard(late) => TranscriptEntry {
                name: user_label(&late.by).trim_end_matches(':').to_owned(),
                role: String::new(),
                ..self.said("user", "", "not discussed", &late.text)
            },
            Event::Silence {} => TranscriptEntry { name: String::new(), ..self.said("silence", "", "", "") },
            Event::Points(found) => TranscriptEntry {
                name: "Points".to_owned(),
                role: String::new(),
                points: found.points.iter().map(ListedPoint::of).collect(),
                ..self.said("notice", "", "found before the discussion", &listed(found)?)
            },
            Event::Critique(one) => TranscriptEntry {
                name: format!("Critique of {}", plain::shown(&one.on)),
                role: String::new(),
                ..self.said("notice", "", one.outcome.name(), &one.problem)
            },
            Event::Opened(_)
            | Event::Paused(_)
            | Event::Resumed(_)
            | Event::Synthesis(_)
            | Event::Closed(_) => return None,
        })
    }

    fn said(&self, kind: &'static str, by: &str, note: &'static str, text: &str) -> TranscriptEntry {
        let seat = self.seats.iter().find(|seat| seat.key == by);
        let clean = plain::clean(text);
        TranscriptEntry {
            kind,
            seat: seat.map_or(0, |seat| seat.seat),
            name: seat.map_or_else(String::new, |seat| seat.name.clone()),
            role: seat.map_or_else(String::new, |seat| seat.role.clone()),
            turn: None,
            note,
            paragraphs: paragraphs(text),
            lines: clean.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect(),
            places: String::new(),
            points: Vec::new(),
        }
    }
}

const fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Framing => "framing",
        Purpose::Answer => "answer",
        Purpose::FollowUp => "follow-up",
        Purpose::Round => "round",
    }
}

const fn kind(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::Warning => "warning",
        NoticeKind::Limit => "turn limit",
        NoticeKind::Inactivity => "inactivity",
        NoticeKind::Clarification => "clarification",
        NoticeKind::Redirect => "redirect",
        NoticeKind::Disagreement => "disagreement",
        NoticeKind::Closing => "closing",
    }
}
