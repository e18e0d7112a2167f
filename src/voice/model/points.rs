//! The finding round: what a reader answers to the request for points, and a refuter to that for answers (V-10).
//!
//! Both are read tolerantly: an entry without what it needs is left out. Whether a quotation is there is for the
//! [other points](crate::voice::points).
//!
//! ```
//! use roundtable::voice::model::points::read;
//!
//! let answer = r#"{"points": [{"question": "How long?", "quotes": [{"path": "spec.md", "line": 3, "quote": "soon"}], "kind": "value"}]}"#;
//! assert_eq!(read(answer)[0].question, "How long?");
//! assert!(read("none").is_empty());
//! ```

use serde_json::Value;

use super::rounds::{list, rest};
use crate::discussion::event::Rest;
use crate::discussion::points::{Point, PointKind, Refutation, Weight};
use crate::text::plain::{clean, cut, one_line};

/// The longest text of a point, in characters.
const LONGEST: usize = 400;
/// The most answers to choose from.
const OPTIONS: usize = 5;

/// The points of an answer, in its order.
pub fn read(answer: &str) -> Vec<Point> {
    list(answer, "points").unwrap_or_default().iter().filter_map(point).collect()
}

/// The most points of a reader.
pub const MOST_OF_A_READER: usize = 9;

/// The points of several readers, best first: a place that two of them quote counts once, for the first of them.
pub fn union(lists: Vec<Vec<Point>>) -> Vec<Point> {
    let mut found: Vec<(usize, Point)> = Vec::new();
    let mut lists: Vec<_> = lists.into_iter().map(|list| list.into_iter().take(MOST_OF_A_READER)).collect();
    for _ in 0..MOST_OF_A_READER {
        for (reader, list) in lists.iter_mut().enumerate() {
            let Some(point) = list.next() else { continue };
            let is_known =
                |(other, known): &(usize, Point)| *other != reader && known.is_raised_by(&point.quotes);
            if !found.iter().any(is_known) {
                found.push((reader, point));
            }
        }
    }
    found.into_iter().map(|(_, point)| point).collect()
}

/// What answers points, by their places.
pub fn refutations(answer: &str) -> Vec<(usize, Refutation)> {
    let read = |one: &Value| {
        let on = one.get("on")?.as_u64()?.try_into().ok()?;
        let refutation = Refutation { answer: text(one, "answer"), quotes: quotes(one) };
        (!refutation.answer.is_empty()).then_some((on, refutation))
    };
    list(answer, "refute").unwrap_or_default().iter().filter_map(read).collect()
}

fn point(value: &Value) -> Option<Point> {
    let kind = text(value, "kind");
    let kind = PointKind::ALL.into_iter().find(|known| known.name() == kind).unwrap_or(PointKind::Ambiguity);
    let weight = text(value, "weight");
    let weight = Weight::ALL.into_iter().find(|known| known.name() == weight).unwrap_or(Weight::Built);
    let options = value.get("options").and_then(Value::as_array).into_iter().flatten();
    let options = options.filter_map(Value::as_str).map(short).filter(|option| !option.is_empty());
    let point = Point {
        question: text(value, "question"),
        quotes: quotes(value),
        why: text(value, "why"),
        options: options.take(OPTIONS).collect(),
        recommended: text(value, "recommended"),
        weight,
        kind,
        refuted: None,
    };
    (!point.question.is_empty() && !point.quotes.is_empty()).then_some(point)
}

fn quotes(value: &Value) -> Vec<Rest> {
    value.get("quotes").and_then(Value::as_array).into_iter().flatten().filter_map(rest).collect()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).map(short).unwrap_or_default()
}

fn short(text: &str) -> String {
    cut(&one_line(&clean(text)), LONGEST).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_two_readers_quote_counts_once() {
        let point = |question: &str, line: usize| Point {
            question: question.to_owned(),
            quotes: vec![Rest { path: "spec.md".to_owned(), line, quote: "x".to_owned() }],
            ..Point::new(PointKind::Value)
        };
        // A reader may ask two things about one line.
        let first = vec![point("a", 1), point("b", 2), point("c", 2)];
        let second = vec![point("d", 2), point("e", 7), point("f", 1)];
        let found: Vec<String> = union(vec![first, second]).into_iter().map(|point| point.question).collect();
        assert_eq!(found, ["a", "d", "e"]);
        assert_eq!(union(vec![(0..20).map(|at| point("x", at)).collect()]).len(), MOST_OF_A_READER);
    }
}
