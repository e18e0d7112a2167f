//! The points of a finding round, held against the files: each quotation is there, a clash has two, and an answer that
//! quotes a file puts a point after the others (V-10).
//!
//! Invariant: no point is dropped because it was answered, and a clash is never answered away.
//!
//! A reader's point about "spec.md:9: fees stop" is kept at line 3, where these words are; one about "fees rise" is not.

use super::breaches::forged;
use super::quotations::{misquoted, real_quotes, unreal_quotation};
use super::sources::Sources;
use crate::discussion::critiques::dropped;
use crate::discussion::event::{Critique, Rest};
use crate::discussion::points::{Point, PointKind, Refutation};
use crate::item::config::MOST_READERS;
use crate::item::library::Library;
use crate::item::persona::Cast;
use crate::minutes::decisions_in;
use crate::voice::model::points::MOST_OF_A_READER;

/// The most points of a discussion: those of a voice and its readers.
const POINTS: usize = MOST_OF_A_READER * (MOST_READERS + 1);

/// The points whose quotations are in the files, each at its place and once; and why the others are left out.
pub fn real_points(
    points: Vec<Point>,
    sources: &Sources<'_>,
    library: &Library,
) -> (Vec<Point>, Vec<Critique>) {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for (at, point) in points.into_iter().enumerate() {
        let question = point.question.clone();
        match real_point(point, &found, sources, library) {
            Ok(point) => found.push(point),
            Err(why) => left_out.push(dropped(&format!("points/{at}"), &format!("{question}: {why}"))),
        }
    }
    (found, left_out)
}

/// A point with its quotations at their places, or what is wrong with it.
fn real_point(
    point: Point,
    found: &[Point],
    sources: &Sources<'_>,
    library: &Library,
) -> Result<Point, String> {
    if !decisions_in(&point.question, library.forms()).is_empty() {
        return Err("only users decide".to_owned());
    }
    let is_real = |quote: &&Rest| real_quotes(&[(*quote).clone()], sources).is_some();
    let quotes = real_quotes(&point.quotes, sources).ok_or_else(|| {
        let unreal = point.quotes.iter().find(|quote| !is_real(quote));
        unreal.map_or_else(String::new, |one| format!("\"{}\" is not in {}", one.quote, one.path))
    })?;
    // Who asks may make words up, or quote a message; who states them says that they are there.
    let stated = Some(point.question.as_str()).filter(|text| !text.trim_end().ends_with('?'));
    if let Some(quote) = stated.and_then(|text| unreal_quotation(text, false, sources, &[], &[])) {
        return Err(format!("\"{quote}\" is in no document"));
    }
    let texts = || [&point.question, &point.why, &point.recommended].into_iter().chain(&point.options);
    // An option may be a wording of its own, but says of no file what it does not say.
    if let Some(quote) = texts().find_map(|text| misquoted(text, sources)) {
        return Err(format!("\"{quote}\" is in no document"));
    }
    // A reader may give no reason, and recommend nothing.
    let is_forged = |text: &String| !text.is_empty() && forged(text, &library.cast).is_some();
    if texts().any(is_forged) {
        return Err("it has a prefix, a marker or a heading in its words".to_owned());
    }
    if found.iter().any(|known| known.question == point.question || known.quotes == quotes) {
        return Err("another point asks it, or quotes the same".to_owned());
    }
    if point.kind == PointKind::Clash && quotes.len() < 2 {
        return Err("a clash has two quotations".to_owned());
    }
    if found.len() >= POINTS {
        return Err(format!("a list has at most {POINTS} points"));
    }
    Ok(Point { quotes, ..point })
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
