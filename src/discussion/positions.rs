//! Opposite positions in a round, for the disagreement summary (interface specification 3.8).
//!
//! A position is a sentence of the form "I favor X because Y". Two personas differ when each
//! states one in the same round and the options are not the same: they share less than half of
//! their words, or the later speaker says so by name.

use super::words::{stems, words};
use crate::persona::{Cast, Persona};

/// What a persona favors, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub option: String,
    pub reason: String,
}

/// Two personas who differ, the one that spoke first first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opposition<'a> {
    pub a: (&'a Persona, Position),
    pub b: (&'a Persona, Position),
}

const FAVORS: [&str; 7] = [
    "i favor ",
    "i favour ",
    "i would favor ",
    "i prefer ",
    "i would prefer ",
    "i recommend ",
    "i would choose ",
];

/// The position a text states, if any.
pub fn position(text: &str) -> Option<Position> {
    // Without a reason there is none.
    if !text.contains("because") {
        return None;
    }
    let text = crate::plain::one_line(text);
    // ASCII lower case keeps every byte where it stands.
    let lower = text.to_ascii_lowercase();
    for verb in FAVORS {
        let Some(at) = lower.find(verb) else { continue };
        let said = &text[at + verb.len()..];
        let said = &said[..said.find(['.', ';', '?', '!']).unwrap_or(said.len())];
        let Some((option, reason)) = said.split_once(" because ") else { continue };
        let (option, reason) = (option.trim().trim_end_matches(','), reason.trim());
        if !words(option).is_empty() && !words(reason).is_empty() {
            return Some(Position {
                option: crate::plain::cut(option, 120),
                reason: crate::plain::cut(reason, 200),
            });
        }
    }
    None
}

/// The first two personas of a round, given as `(persona key, text)` in order, who differ.
pub fn opposition<'a>(cast: &'a Cast, round: &[(String, String)]) -> Option<Opposition<'a>> {
    let stated: Vec<(&Persona, Position, &str)> = round
        .iter()
        .filter_map(|(key, text)| Some((cast.get(key)?, position(text)?, text.as_str())))
        .collect();
    for (at, (b, later, text)) in stated.iter().enumerate() {
        for (a, earlier, _) in &stated[..at] {
            let differ = differs_from(text, a)
                || shared(&earlier.option, &later.option) * 2 < 1 + stems(&later.option).len();
            if a.key != b.key && differ && stems(&earlier.option) != stems(&later.option) {
                return Some(Opposition { a: (a, earlier.clone()), b: (b, later.clone()) });
            }
        }
    }
    None
}

/// How many words two options share.
fn shared(a: &str, b: &str) -> usize {
    let a = stems(a);
    stems(b).iter().filter(|word| a.contains(word)).count()
}

/// Whether a text says that its speaker differs from a colleague.
fn differs_from(text: &str, colleague: &Persona) -> bool {
    let text = crate::plain::one_line(text).to_lowercase();
    let name = colleague.first_name().to_lowercase();
    [
        format!("{name} and i see this differently"),
        format!("i disagree with {name}"),
        format!("unlike {name}"),
    ]
    .iter()
    .any(|phrase| text.contains(phrase.as_str()))
}

/// An option in a few words, for the question at the end.
pub fn brief(option: &str) -> String {
    let short: Vec<&str> = option.split(' ').take(6).collect();
    short.join(" ").trim_end_matches([',', ':']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_positions_in_a_round_are_found() {
        let cast = crate::library::Library::built_in().unwrap().cast;
        let say = |key: &str, text: &str| (key.to_owned(), text.to_owned());
        let round = [
            say("business-analyst", "I favor a review screen because inspectors must see what changed."),
            say(
                "solutions-architect",
                "Maya and I see this differently. I favor last-write-wins because it needs no screen.",
            ),
        ];
        let found = opposition(&cast, &round).unwrap();
        assert_eq!((found.a.0.first_name(), found.a.1.option.as_str()), ("Maya", "a review screen"));
        assert_eq!((found.b.0.first_name(), found.b.1.reason.as_str()), ("Alex", "it needs no screen"));
    }

    #[test]
    fn agreement_or_a_position_alone_is_no_disagreement() {
        let cast = crate::library::Library::built_in().unwrap().cast;
        let say = |key: &str, text: &str| (key.to_owned(), text.to_owned());
        let same = [
            say("business-analyst", "I favor a queue because it is simple."),
            say("solutions-architect", "Maya and I see this differently. I favor a queue because it holds."),
        ];
        assert_eq!(opposition(&cast, &same), None);
        assert_eq!(opposition(&cast, &same[..1]), None);
        assert_eq!(position("We use a queue because it is simple."), None);
    }
}
