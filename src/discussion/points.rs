//! Points: what a reader found open before the first turn, for the table to decide (V-10).
//!
//! A point quotes the documents. A reader ranks them; a refuter may answer one, which then goes after the others.
//! Nothing here judges a quotation: [`voice::points`](crate::voice::points) does, before they are recorded.
//!
//! ```
//! use roundtable::discussion::points::{Point, PointKind, untaken};
//!
//! let point = Point { question: "How long?".into(), ..Point::new(PointKind::Value) };
//! assert_eq!(untaken(&[point], &[]).count(), 1);
//! ```

use serde::{Deserialize, Serialize};

use super::event::{Contribution, Event, Rest, Sent};
use super::recordable::{is_hex, is_one_clean_line, is_place};
use super::summary::Question;
use super::{Discussion, Refused, Stage};
use crate::text::plain;

/// The points of a discussion, best first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Points {
    pub voice: String,
    pub model: Option<String>,
    pub points: Vec<Point>,
    /// What a model asked for beyond what it was sent: with the points, or later, without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<Need>,
}

/// What a model asked for, once a discussion, and what it was given of the base commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// Paths, and names of functions, types or settings.
    pub asked: Vec<String>,
    pub given: Vec<Sent>,
}

/// Something open in the documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub question: String,
    pub quotes: Vec<Rest>,
    /// Why it matters.
    pub why: String,
    /// Answers to choose from.
    pub options: Vec<String>,
    /// What the reader would choose; empty where it would not.
    pub recommended: String,
    pub weight: Weight,
    pub kind: PointKind,
    /// What answers it already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuted: Option<Refutation>,
}

/// An answer to a point, found in the documents, the code or a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refutation {
    pub answer: String,
    pub quotes: Vec<Rest>,
}

/// What hangs on a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Weight {
    #[serde(rename = "changes what gets built")]
    Built,
    #[serde(rename = "detail")]
    Detail,
}

impl Weight {
    pub const ALL: [Weight; 2] = [Weight::Built, Weight::Detail];

    /// As recordings and prompts have it.
    pub const fn name(self) -> &'static str {
        match self {
            Weight::Built => "changes what gets built",
            Weight::Detail => "detail",
        }
    }
}

/// What is open about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PointKind {
    /// A value or a criterion is missing.
    Value,
    Ambiguity,
    /// Two places contradict each other.
    Clash,
    Code,
    Risk,
}

impl PointKind {
    pub const ALL: [PointKind; 5] =
        [PointKind::Value, PointKind::Ambiguity, PointKind::Clash, PointKind::Code, PointKind::Risk];

    /// As recordings and prompts have it.
    pub const fn name(self) -> &'static str {
        match self {
            PointKind::Value => "value",
            PointKind::Ambiguity => "ambiguity",
            PointKind::Clash => "clash",
            PointKind::Code => "code",
            PointKind::Risk => "risk",
        }
    }
}

impl Point {
    /// A point of a kind that says nothing yet.
    pub fn new(kind: PointKind) -> Point {
        Point {
            question: String::new(),
            quotes: Vec::new(),
            why: String::new(),
            options: Vec::new(),
            recommended: String::new(),
            weight: Weight::Built,
            kind,
            refuted: None,
        }
    }

    /// Whether a line that rests on these passages speaks of it.
    pub fn is_raised_by(&self, rests: &[Rest]) -> bool {
        let is_same = |quote: &Rest, rest: &Rest| quote.path == rest.path && quote.line == rest.line;
        self.quotes.iter().any(|quote| rests.iter().any(|rest| is_same(quote, rest)))
    }
}

/// The points that nothing answers and nobody has raised.
pub fn untaken<'p>(points: &'p [Point], said: &[&Contribution]) -> impl Iterator<Item = &'p Point> {
    let raised: Vec<usize> = said.iter().flat_map(|one| one.points.iter().copied()).collect();
    let is_open = move |(at, point): &(usize, &Point)| point.refuted.is_none() && !raised.contains(at);
    points.iter().enumerate().filter(is_open).map(|(_, point)| point)
}

/// Which open point each of those who open a round speaks of: the one who frames of the best, each other of the best of
/// the kinds that the persona takes, else of the best that is left. `seats` has of each whether it frames, and its kinds.
pub fn assigned(points: &[Point], raised: &[usize], seats: &[(bool, &[String])]) -> Vec<Option<usize>> {
    let is_open = |at: &usize| points[*at].refuted.is_none() && !raised.contains(at);
    let mut left: Vec<usize> = (0..points.len()).filter(is_open).collect();
    let mut found = Vec::new();
    for (frames, kinds) in seats {
        let is_own = |at: &&usize| kinds.iter().any(|kind| kind == points[**at].kind.name());
        let own = left.iter().find(is_own).filter(|_| !frames);
        let taken = own.or(left.first()).copied();
        left.retain(|at| Some(*at) != taken);
        found.push(taken);
    }
    found
}

impl Discussion<'_> {
    /// What a reader found comes before everything that is said; what a model asked for may come once whenever a voice is
    /// asked for words.
    pub(super) fn record_points(&self, found: &Points, event: &Event) -> Result<(), Refused> {
        let clean = |text: &String| plain::is_clean(text) && !text.contains('\n');
        let is_quoted = |quotes: &[Rest]| !quotes.is_empty() && quotes.iter().all(is_place);
        let is_point = |point: &Point| {
            let texts = [&point.question, &point.why, &point.recommended];
            let is_answered = |by: &Refutation| clean(&by.answer) && is_quoted(&by.quotes);
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

    /// Whether a question is a point that nobody took up: it was asked in no turn.
    pub(super) fn is_point(&self, question: &Question) -> bool {
        question.turns.is_empty() && self.points().iter().any(|point| point.question == question.text)
    }
}

/// Whether what a model asked for is named in clean lines, and what it was given has places.
fn is_need_of_files(need: &Need) -> bool {
    let is_file = |sent: &Sent| {
        is_one_clean_line(&sent.path)
            && is_hex(&sent.blob, 40)
            && sent.lines.iter().all(|(first, last)| 0 < *first && first <= last)
    };
    !need.asked.is_empty()
        && need.asked.iter().all(|name| is_one_clean_line(name))
        && need.given.iter().all(is_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_framing_has_the_best_point_and_each_other_the_best_of_its_kinds() {
        let of = |kind| Point { question: "x?".to_owned(), ..Point::new(kind) };
        let kinds = [PointKind::Clash, PointKind::Value, PointKind::Clash, PointKind::Risk, PointKind::Code];
        let mut points: Vec<Point> = kinds.into_iter().map(of).collect();
        let takes = |kinds: &[PointKind]| -> Vec<String> {
            kinds.iter().map(|kind| kind.name().to_owned()).collect()
        };
        let (value, code, clash) = (
            takes(&[PointKind::Value]),
            takes(&[PointKind::Code, PointKind::Risk]),
            takes(&[PointKind::Clash, PointKind::Ambiguity]),
        );
        let opening = [(true, value.as_slice()), (false, &code), (false, &clash)];
        assert_eq!(assigned(&points, &[], &opening), [Some(0), Some(3), Some(2)]);
        // What was raised, or is answered, is open no more; who has none of its kinds takes the best that is left.
        points[2].refuted = Some(Refutation { answer: "No.".to_owned(), quotes: Vec::new() });
        assert_eq!(assigned(&points, &[0, 3], &opening), [Some(1), Some(4), None]);
        assert_eq!(assigned(&[], &[], &opening), [None, None, None]);
    }
}
