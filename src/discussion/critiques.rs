//! What of a model's answers could not be used, as a recording tells it.
//!
//! A critique is of one entry (`points/2`, `insights/0`), or of a whole answer that could not be read (`points`): then its
//! problem is a sentence for people. Those of points are recorded right after the points, the others before the synthesis.
//!
//! ```
//! use roundtable::discussion::critiques::{counted, dropped, warnings};
//! use roundtable::discussion::event::{Event, Record, Time};
//!
//! let at = Time::parse("2026-02-20T09:00:00Z").unwrap();
//! let log = [("points/1", "its words are in no file"), ("refute", "The answers could not be read")]
//!     .map(|(on, why)| Record { at, event: Event::Critique(dropped(on, why)) });
//! assert_eq!(warnings(&log).collect::<Vec<_>>(), ["The answers could not be read"]);
//! assert_eq!(counted(&log).unwrap(), "1 open point of the model was left out; `show RECORDING --integrity` says why");
//! ```

use super::event::{Critique, Event, Record, Verdict};
use crate::text::plain::{clean, count, cut, one_line};

/// The longest problem, in characters.
const LONGEST: usize = 600;

/// A critique of an entry, or of a whole answer, that is left out.
pub fn dropped(on: &str, problem: &str) -> Critique {
    let problem = cut(&one_line(&clean(problem)), LONGEST).trim().to_owned();
    Critique { on: on.to_owned(), problem, outcome: Verdict::Dropped }
}

/// All critiques of a log, in its order.
pub fn critiques(log: &[Record]) -> impl Iterator<Item = &Critique> {
    log.iter().filter_map(|record| match &record.event {
        Event::Critique(critique) => Some(critique),
        _ => None,
    })
}

/// Whether it is of what comes before the first turn.
pub fn is_of_points(critique: &Critique) -> bool {
    ["points", "refute"].contains(&list(critique))
}

/// What people have to know: the answers that could not be read, a sentence each.
pub fn warnings(log: &[Record]) -> impl Iterator<Item = &str> {
    critiques(log).filter(|one| !one.on.contains('/')).map(|one| one.problem.as_str())
}

/// How many points were left out; none where all were kept.
pub fn counted(log: &[Record]) -> Option<String> {
    let is_left_out = |one: &&Critique| one.on.starts_with("points/") && one.outcome == Verdict::Dropped;
    let (what, were) = match critiques(log).filter(is_left_out).count() {
        0 => return None,
        1 => ("1 open point".to_owned(), "was"),
        many => (count(many, "open point"), "were"),
    };
    Some(format!("{what} of the model {were} left out; `show RECORDING --integrity` says why"))
}

fn list(critique: &Critique) -> &str {
    critique.on.split('/').next().unwrap_or_default()
}
