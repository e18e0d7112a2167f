//! Opposite positions in a round, for the disagreement summary (D-9).
//!
//! A persona takes a side by a recorded [`Position`], or by the form "I favor X because Y". Two differ when each takes
//! a side in the same round, and the later one says whom it is against; where it does not say: on the same matter with
//! another favorite, or in prose for another option. What comes of it is a choice that the lead puts to the user.

use super::event::{Contribution, Position};
use crate::item::persona::{Cast, Persona};
use crate::text::plain::one_line;
use crate::text::words::{stems, words};

/// Two personas who differ, the one that spoke first first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opposition<'a> {
    pub a: (&'a Persona, Position),
    pub b: (&'a Persona, Position),
}

/// How the form begins, in lower case.
const FAVORS: [&str; 4] = ["i favor ", "i favour ", "i'd favor ", "i would favor "];

/// The side that a text takes in the form; it names no matter.
pub fn position(text: &str) -> Option<Position> {
    // Without a reason there is none.
    if !text.contains("because") {
        return None;
    }
    let text = one_line(text).replace('’', "'");
    // ASCII lower case keeps every byte where it is.
    let lower = text.to_ascii_lowercase();
    let (at, form) = FAVORS.iter().filter_map(|form| Some((lower.find(form)?, form))).min()?;
    let said = &text[at + form.len()..];
    let said = &said[..said.find(['.', ';', '?', '!']).unwrap_or(said.len())];
    let (favors, because) = said.split_once(" because ")?;
    let (favors, because) = (favors.trim().trim_end_matches(','), because.trim());
    let is_whole = !words(favors).is_empty() && !words(because).is_empty();
    is_whole.then(|| Position {
        on: String::new(),
        favors: favors.to_owned(),
        because: because.to_owned(),
        against: None,
    })
}

/// The first two personas of a round who differ.
pub fn opposition<'a>(cast: &'a Cast, round: &[Contribution]) -> Option<Opposition<'a>> {
    let sides: Vec<(&Persona, Position)> = round
        .iter()
        .filter_map(|said| {
            let side = said.position.clone().or_else(|| position(&said.text))?;
            Some((cast.get(&said.by)?, side))
        })
        .collect();
    let pairs = sides.iter().enumerate().flat_map(|(at, b)| sides[..at].iter().map(move |a| (a, b)));
    let found = pairs.into_iter().find(|(a, b)| a.0.key != b.0.key && differ(a, b))?;
    Some(Opposition { a: found.0.clone(), b: found.1.clone() })
}

/// Whether two sides differ: the later one says whom it is against, or is on the same matter and favors something else.
fn differ((other, a): &(&Persona, Position), (_, b): &(&Persona, Position)) -> bool {
    match &b.against {
        Some(against) => [other.key.as_str(), other.first_name()].contains(&against.as_str()),
        None => stems(&a.on) == stems(&b.on) && stems(&a.favors) != stems(&b.favors),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discussion::event::Purpose;

    fn say(key: &str, text: &str) -> Contribution {
        Contribution {
            turn: 1,
            by: key.to_owned(),
            voice: None,
            purpose: Purpose::Round,
            text: text.to_owned(),
            rests: vec![],
            is_closest: false,
            rule: None,
            position: None,
            points: vec![],
            proposal: None,
            absent: Vec::new(),
        }
    }

    fn side(key: &str, on: &str, favors: &str) -> Contribution {
        let (on, favors, because) = (on.into(), favors.into(), "it is cheaper".into());
        let position = Position { on, favors, because, against: None };
        Contribution { position: Some(position), ..say(key, "A line.") }
    }

    #[test]
    fn opposite_positions_in_a_round_are_found() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        let round = [
            say("business-analyst", "I favor a review screen because inspectors must see what changed."),
            say(
                "solutions-architect",
                "Maya and I see this differently. I favor last-write-wins because it needs no screen.",
            ),
        ];
        let found = opposition(&cast, &round).unwrap();
        assert_eq!((found.a.0.first_name(), found.a.1.favors.as_str()), ("Maya", "a review screen"));
        assert_eq!((found.b.0.first_name(), found.b.1.because.as_str()), ("Alex", "it needs no screen"));
    }

    #[test]
    fn recorded_positions_differ_on_the_same_matter_only() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        let differ = |a: (&str, &str), b: (&str, &str)| {
            let round = [side("business-analyst", a.0, a.1), side("system-designer", b.0, b.1)];
            opposition(&cast, &round).is_some()
        };
        assert!(differ(("storage", "one file"), ("storage", "a database")));
        assert!(!differ(("storage", "one file"), ("storage", "one file")));
        assert!(!differ(("storage", "one file"), ("transport", "a queue")));
        // Who says whom a side is against is believed: other words may mean the same, and other matters be one.
        let against = |key: &str| {
            let mut other = side("system-designer", "where it is kept", "a database");
            other.position.as_mut().unwrap().against = Some(key.to_owned());
            opposition(&cast, &[side("business-analyst", "storage", "one file"), other]).is_some()
        };
        assert!(against("business-analyst") && against("Maya"));
        assert!(!against("nobody") && !against("solutions-architect"));
    }

    #[test]
    fn agreement_or_a_position_alone_is_no_disagreement() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        let same = [
            say("business-analyst", "I favor a queue because it is simple."),
            say("solutions-architect", "I favor a queue because it holds."),
        ];
        assert_eq!(opposition(&cast, &same), None);
        assert_eq!(opposition(&cast, &same[..1]), None);
        assert_eq!(position("We use a queue because it is simple."), None);
    }
}
