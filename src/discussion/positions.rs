//! Opposite positions in a round, for the disagreement summary (interface specification 3.8).
//!
//! A position is a sentence of the form "I favor X because Y", or against X. Two personas differ when each
//! states one in the same round and the options are not the same: they share less than half of
//! their words, one is for what the other is against, or the later speaker says so by name.

use super::words::{stems, words};
use crate::persona::{Cast, Persona};

/// What a persona favors, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub option: String,
    pub reason: String,
    /// It is a position against something.
    against: bool,
    /// "We should …": people who advise two different things need not differ.
    is_advice: bool,
}

/// Two personas who differ, the one that spoke first first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opposition<'a> {
    pub a: (&'a Persona, Position),
    pub b: (&'a Persona, Position),
}

/// Words that state a position, what the option that follows them is led by, and whether they stand against it.
const STATES: [(&str, &str, bool); 24] = [
    ("i favor ", "", false),
    ("i favour ", "", false),
    ("i'd favor ", "", false),
    ("i would favor ", "", false),
    ("i prefer ", "", false),
    ("i'd prefer ", "", false),
    ("i would prefer ", "", false),
    ("i recommend ", "", false),
    ("i'd recommend ", "", false),
    ("i would recommend ", "", false),
    ("i'd choose ", "", false),
    ("i would choose ", "", false),
    ("i'd go with ", "", false),
    ("i would go with ", "", false),
    ("i am for ", "", false),
    ("i'm for ", "", false),
    ("i am against ", "not ", true),
    ("i'm against ", "not ", true),
    ("i oppose ", "not ", true),
    ("i would not go with ", "not ", true),
    ("i wouldn't go with ", "not ", true),
    ("we should not ", "not to ", true),
    ("we shouldn't ", "not to ", true),
    ("we should ", "to ", false),
];

/// The position a text states, if any.
pub fn position(text: &str) -> Option<Position> {
    // Without a reason there is none.
    if !text.contains("because") {
        return None;
    }
    let text = crate::plain::one_line(text).replace('’', "'");
    // ASCII lower case keeps every byte where it stands.
    let lower = text.to_ascii_lowercase();
    for (verb, leads, against) in STATES {
        let Some(at) = lower.find(verb) else { continue };
        let said = &text[at + verb.len()..];
        let said = &said[..said.find(['.', ';', '?', '!']).unwrap_or(said.len())];
        let Some((option, reason)) = said.split_once(" because ") else { continue };
        let (option, reason) = (option.trim().trim_end_matches(','), reason.trim());
        if !words(option).is_empty() && !words(reason).is_empty() {
            return Some(Position {
                option: crate::plain::cut(&format!("{leads}{option}"), 120),
                reason: crate::plain::cut(reason, 200),
                against,
                is_advice: verb.starts_with("we "),
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
            let common = shared(&earlier.option, &later.option) * 2;
            let all = stems(&later.option).len();
            let opposed = earlier.against != later.against && common >= all && common > 0;
            let both = |of: fn(&Position) -> bool| of(earlier) && of(later);
            let other = both(|one| !one.is_advice && !one.against) && common < 1 + all;
            let differ = differs_from(text, a) || opposed || other;
            let is_same = stems(&earlier.option) == stems(&later.option) && !opposed;
            if a.key != b.key && differ && !is_same {
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
    fn who_is_against_what_another_is_for_differs() {
        let cast = crate::library::Library::built_in().unwrap().cast;
        let differ = |a: &str, b: &str| {
            let round =
                [("business-analyst".to_owned(), a.to_owned()), ("system-designer".to_owned(), b.to_owned())];
            opposition(&cast, &round).map(|found| (found.a.1.option, found.b.1.option))
        };
        for (a, b) in [
            ("I favor polling because it is simple.", "I am against polling because it costs."),
            ("We should use locks because of clashes.", "We should not use locks because they wait."),
            (
                "I would go with polling, because it is simple.",
                "Maya and I see this differently. I would go with push instead of polling, because it is fast.",
            ),
        ] {
            assert!(differ(a, b).is_some(), "{a} {b}");
        }
        assert_eq!(
            differ("I favor polling because it is simple.", "I'm against polling because it costs."),
            Some(("polling".to_owned(), "not polling".to_owned()))
        );
        for (a, b) in [
            ("We should ask Sam because he knows.", "We should measure first because nobody has."),
            ("I favor polling because it is simple.", "I am against downtime because people wait."),
            ("I am against polling because it costs.", "I'm against polling because it is slow."),
        ] {
            assert_eq!(differ(a, b), None, "{a} {b}");
        }
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
