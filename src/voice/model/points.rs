//! The finding round: what a reader answers to the request for points, and a refuter to that for answers (V-10).
//!
//! An entry without what it needs is left out alone, and told. An answer without a list is none: it is asked for once
//! more. Whether a quotation is there is for the [other points](crate::voice::points).
//!
//! ```
//! use roundtable::voice::model::points::read;
//!
//! let answer = r#"{"points": [{"question": "How long?", "quotes": [{"path": "spec.md", "line": 3, "quote": "soon"}], "kind": "value"}]}"#;
//! assert_eq!(read(answer).unwrap().points[0].question, "How long?");
//! assert!(read("none").is_err());
//! ```

use serde_json::Value;

use super::rounds::{list, object, rest};
use crate::discussion::critiques::dropped;
use crate::discussion::event::{Critique, Rest};
use crate::discussion::points::{Point, PointKind, Refutation, Weight};
use crate::text::plain::{clean, cut, one_line};

/// The longest text of a point, in characters.
const LONGEST: usize = 400;
/// The most answers to choose from.
const OPTIONS: usize = 5;

/// What an answer has of points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointList {
    /// In its order.
    pub points: Vec<Point>,
    /// The entries that are no points, and why.
    pub left_out: Vec<Critique>,
}

/// The points of an answer.
///
/// # Errors
/// It has no list of points, and what it has instead.
pub fn read(answer: &str) -> Result<PointList, String> {
    let list = listed_in(answer, POINTS)?;
    let mut listed = PointList::default();
    for (at, value) in list.iter().enumerate() {
        match point(value) {
            Ok(point) => listed.points.push(point),
            Err(why) => listed.left_out.push(dropped(&format!("{POINTS}/{at}"), why)),
        }
    }
    Ok(listed)
}

/// The name of the list of points, and of that of answers to them.
pub const POINTS: &str = "points";
pub const REFUTE: &str = "refute";

/// The list of an answer, empty where it passes; else what it has instead.
fn listed_in(answer: &str, name: &str) -> Result<Vec<Value>, String> {
    match (list(answer, name), object(answer)) {
        (Some(list), _) => Ok(list),
        (None, Some(object)) if object.get("pass") == Some(&Value::Bool(true)) => Ok(Vec::new()),
        (None, Some(_)) => Err(format!("its JSON has no list \"{name}\"")),
        (None, None) => Err("it was no JSON, or it broke off".to_owned()),
    }
}

/// That an answer could not be read, asked for twice.
pub fn unread(on: &str, why: &str) -> Critique {
    let what = if on == POINTS { "list of open points" } else { "answers to the open points" };
    dropped(on, &format!("the model's {what} could not be read, asked for twice: {why}"))
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
///
/// # Errors
/// As [`read`].
pub fn refutations(answer: &str) -> Result<Vec<(usize, Refutation)>, String> {
    let read = |one: &Value| {
        let on = one.get("on")?.as_u64()?.try_into().ok()?;
        let refutation = Refutation { answer: text(one, "answer"), quotes: quotes(one) };
        (!refutation.answer.is_empty()).then_some((on, refutation))
    };
    let list = listed_in(answer, REFUTE)?;
    Ok(list.iter().filter_map(read).collect())
}

/// A point, or what keeps an entry from being one.
fn point(value: &Value) -> Result<Point, &'static str> {
    if !value.is_object() {
        return Err("the entry is not an object");
    }
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
    match (point.question.is_empty(), point.quotes.is_empty()) {
        (true, _) => Err("the entry has no question"),
        (_, true) => Err("the entry quotes nothing"),
        _ => Ok(point),
    }
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
    fn a_wrong_entry_is_left_out_alone_and_an_answer_without_a_list_is_none() {
        let good = r#"{"question": "How long?", "quotes": [{"path": "a.md", "line": 1, "quote": "soon"}]}"#;
        let answer = format!(r#"{{"points": [null, {good}, {{"question": "Who?"}}, 7]}}"#);
        let found = read(&answer).unwrap();
        assert_eq!(found.points.len(), 1);
        let told: Vec<(&str, &str)> =
            found.left_out.iter().map(|one| (one.on.as_str(), one.problem.as_str())).collect();
        let object = "the entry is not an object";
        let wanted = [("points/0", object), ("points/2", "the entry quotes nothing"), ("points/3", object)];
        assert_eq!(told, wanted);
        for nothing in [r#"{"points": []}"#, r#"{"pass": true}"#] {
            assert_eq!(read(nothing).unwrap(), PointList::default());
        }
        for (answer, wanted) in [
            ("I cannot help with that.", "it was no JSON, or it broke off"),
            (r#"{"points": [{"question": "cut o"#, "it was no JSON, or it broke off"),
            (r#"{"points": null}"#, "its JSON has no list \"points\""),
        ] {
            assert_eq!(read(answer).unwrap_err(), wanted, "{answer}");
        }
    }

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
