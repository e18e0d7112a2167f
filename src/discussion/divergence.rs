//! Where two logs of one discussion part: the first event, and in it the first field, that is another.
//!
//! ```
//! use roundtable::discussion::divergence::differs;
//! use roundtable::discussion::event::{Event, Record, Time};
//!
//! let silence = Record { at: Time::parse("2026-03-02T10:00:00Z").unwrap(), event: Event::Silence {} };
//! assert_eq!(differs(3, Some(&silence), None).to_string(), "event 4: expected silence, found nothing");
//! ```

use serde_json::Value;

use super::describe;
use super::event::Record;
use crate::text::plain;

/// The longest words of an event in a message, in characters.
pub const SHOWN: usize = 200;

/// The first thing that does not come out as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The event, from one, which is also its line in the recording; none where the log is what the
    /// rules make of it and its outcome differs.
    pub event: Option<usize>,
    /// What differs: an event's kind, a file's path, the commit.
    pub what: String,
    /// As the rules make it.
    pub expected: String,
    /// As it is in the recording or its commit.
    pub found: String,
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = |text: &str| plain::cut(&plain::one_line(text), 200);
        let (what, expected, found) = (&self.what, short(&self.expected), short(&self.found));
        match self.event {
            Some(event) if what == "event" => write!(f, "event {event}: expected {expected}, found {found}"),
            Some(event) => write!(f, "event {event}, {what}: expected {expected}, found {found}"),
            None => write!(f, "in {what}: expected {expected}, found {found}"),
        }
    }
}

/// What is at a place of the log and what belongs there: where both are of a kind, the first field that differs.
pub fn differs(at: usize, made: Option<&Record>, recorded: Option<&Record>) -> Divergence {
    let event = Some(at + 1);
    let words = |record: Option<&Record>| {
        record.map_or_else(|| "nothing".to_owned(), |record| describe(&record.event))
    };
    let values = made.zip(recorded).and_then(|(made, recorded)| {
        let value = |record: &Record| serde_json::to_value(&record.event).ok();
        let (made, recorded) = (value(made)?, value(recorded)?);
        (made["kind"] == recorded["kind"]).then(|| first_other(&made, &recorded, String::new()))?
    });
    let (what, expected, found) =
        values.unwrap_or_else(|| ("event".to_owned(), words(made), words(recorded)));
    Divergence { event, what, expected, found }
}

/// The place where two values differ first, such as `decisions/0/text`, and what each has there.
fn first_other(made: &Value, recorded: &Value, place: String) -> Option<(String, String, String)> {
    if made == recorded {
        return None;
    }
    let below = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}/{name}") };
    let found = match (made, recorded) {
        (Value::Object(own), Value::Object(other)) => {
            let names = own.keys().chain(other.keys().filter(|name| !own.contains_key(*name)));
            let null = &Value::Null;
            names.into_iter().find_map(|name| {
                first_other(own.get(name).unwrap_or(null), other.get(name).unwrap_or(null), below(name))
            })
        }
        (Value::Array(own), Value::Array(other)) => (0..own.len().max(other.len())).find_map(|at| {
            let null = &Value::Null;
            first_other(own.get(at).unwrap_or(null), other.get(at).unwrap_or(null), below(&at.to_string()))
        }),
        _ => None,
    };
    let shown = |value: &Value| match value {
        Value::Null => "nothing".to_owned(),
        value => plain::cut(&plain::shown(&value.to_string()), SHOWN),
    };
    found.or_else(|| Some((place, shown(made), shown(recorded))))
}
