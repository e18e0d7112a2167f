//! The points of a finding round, held against the files: each quotation is there, a clash has two, and an answer that
//! quotes a file puts a point after the others (V-10).
//!
//! Invariant: no point is dropped because it was answered, and a clash is never answered away.
//!
//! A reader's point about "spec.md:9: fees stop" is kept at line 3, where these words are; one about "fees rise" is not.

use super::breaches::forged;
use super::quotations::real_quotes;
use super::sources::Sources;
use crate::discussion::points::{Point, PointKind, Refutation};
use crate::item::config::MOST_READERS;
use crate::item::persona::Cast;
use crate::voice::model::points::MOST_OF_A_READER;

/// The most points of a discussion: those of a voice and its readers.
const POINTS: usize = MOST_OF_A_READER * (MOST_READERS + 1);

/// The points whose quotations are in the files, each at its place and once.
pub fn real_points(points: Vec<Point>, sources: &Sources<'_>, cast: &Cast) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    for point in points {
        let Some(quotes) = real_quotes(&point.quotes, sources) else { continue };
        let texts = [&point.question, &point.why, &point.recommended];
        // A reader may give no reason, and recommend nothing.
        let is_forged = |text: &String| !text.is_empty() && forged(text, cast).is_some();
        let is_forged = texts.into_iter().chain(&point.options).any(is_forged);
        let is_known = found.iter().any(|known| known.question == point.question || known.quotes == quotes);
        let needed = if point.kind == PointKind::Clash { 2 } else { 1 };
        if !is_forged && !is_known && quotes.len() >= needed {
            found.push(Point { quotes, ..point });
        }
    }
    found.truncate(POINTS);
    found
}

/// Notes what answers a point, where the answer quotes a file, and puts these points after the others. A contradiction
/// has an answer on each side: no answer settles it.
pub fn refute(points: &mut [Point], answers: Vec<(usize, Refutation)>, sources: &Sources<'_>, cast: &Cast) {
    for (on, answer) in answers {
        let Some(point) = points.get_mut(on).filter(|point| point.kind != PointKind::Clash) else { continue };
        let quotes = real_quotes(&answer.quotes, sources).filter(|quotes| !quotes.is_empty());
        if let Some(quotes) = quotes
            && forged(&answer.answer, cast).is_none()
        {
            point.refuted.get_or_insert(Refutation { quotes, ..answer });
        }
    }
    points.sort_by_key(|point| point.refuted.is_some());
}
