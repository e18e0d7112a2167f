//! Choices that the user makes in few words: "C then, and we look again in May", "End of February, not January",
//! "Batches of a hundred, please, otherwise it drowns".
//!
//! Each form has no verb of its own: what has one tells how things are.

use super::decisions::with_reason;
use super::words::{lists, words};

/// What is chosen, and why.
type Choice = (String, Option<String>);

/// A choice by its name: `said` is a statement behind the words that lead in to it, `lower` the same in lower
/// case; `led` says whether there were any.
pub(super) fn chosen(said: &str, lower: &str, led: bool) -> Option<Choice> {
    let few =
        then(said, lower).or_else(|| not_the_other(said, lower, led)).or_else(|| asked_for(said, lower));
    few.or_else(|| moved(said, lower)).or_else(|| whose(said, lower))
}

/// "I'd move US-5 from could to must."
fn moved(said: &str, lower: &str) -> Option<Choice> {
    let verb =
        ["i'd move ", "i would move ", "i move ", "move "].iter().find(|verb| lower.starts_with(**verb))?;
    let (_, to) = lower.split_once(" from ")?;
    let start = verb.len() - "move ".len();
    to.contains(" to ").then(|| with_reason(&said[start..]))
}

/// "Nina has the last word on the money": who decides from now on. "The clerk signs the list" tells of a day.
fn whose(said: &str, lower: &str) -> Option<Choice> {
    let verbs = [" has the last word ", " have the last word ", " signs for ", " signs off ", " sign off "];
    let at = verbs.iter().filter_map(|verb| lower.find(verb)).min()?;
    let who = words(&lower[..at]);
    let vague = ["nobody", "who", "everybody", "somebody", "someone", "he", "she", "they", "it", "today"];
    let named = (1..=6).contains(&who.len()) && !who.iter().any(|word| vague.contains(&word.text.as_ref()));
    let past = [" today", " always ", " usually ", " now "].iter().any(|word| lower.contains(word));
    (named && !past).then(|| with_reason(said))
}

/// "C then, and we look again at 1 million pages."
fn then(said: &str, lower: &str) -> Option<Choice> {
    let (name, after) = lower.split_once(" then")?;
    let ends = after.is_empty() || after.starts_with([',', '.', ':', '!']);
    let found = words(name);
    let opens = found.first().is_some_and(|first| lists(NO_NAME, &first.text));
    let is_name = (1..=3).contains(&found.len()) && !opens && !name.contains(',');
    let tail = &said[said.len() - after.len()..];
    (ends && is_name).then(|| with_reason(&format!("{}{tail}", &said[..name.len()])))
}

/// "Kraken, not Transkribus: the machine is idle at night". A figure that is put right is a fact.
fn not_the_other(said: &str, lower: &str, led: bool) -> Option<Choice> {
    let (name, after) = lower.split_once(", not ")?;
    let why = after.find(": ").map(|colon| said[said.len() - after.len() + colon + 2..].trim());
    let other = after.split([':', ',', '.']).next().unwrap_or_default();
    let counts = name.starts_with(|c: char| c.is_ascii_digit());
    if !is_a_thing(name) || counts && !led || !(1..=4).contains(&words(other).len()) {
        return None;
    }
    let end = why.map_or(said.len(), |why| said.rfind(why).unwrap_or(said.len()));
    let (what, behind) = with_reason(said[..end].trim_end_matches([' ', ':']));
    let why = why.map(|why| why.trim_end_matches(['.', '!', ' ']).to_owned());
    Some((what, why.filter(|why| !why.is_empty()).or(behind)))
}

/// "Batches of up to 100, please, otherwise the big shop drowns": a thing with a figure or a reason.
fn asked_for(said: &str, lower: &str) -> Option<Choice> {
    let (what, _) = lower.split_once(", please")?;
    let found = words(what);
    let first = found.first()?.text.to_string();
    let idle = ["a", "another", "one", "your", "slowly", "next", "more", "give", "tell", "show", "wait"];
    let verb = found.iter().any(|word| lists(VERBS, &word.text));
    let (text, why) = with_reason(said);
    let figure = what.contains(|c: char| c.is_ascii_digit());
    let is_thing = (2..=9).contains(&found.len()) && !idle.contains(&first.as_str()) && !verb;
    (is_thing && (figure || why.is_some())).then_some((text, why))
}

/// Whether some words are the name of a thing, and no clause: one or two, or a longer one with a preposition.
fn is_a_thing(name: &str) -> bool {
    let found = words(name);
    let first = found.first().map(|word| word.text.to_string()).unwrap_or_default();
    let joins = |word: &str| {
        matches!(
            word,
            "after" | "at" | "before" | "by" | "for" | "from" | "in" | "of" | "on" | "per" | "with"
        )
    };
    let verb = found.iter().any(|word| lists(VERBS, &word.text));
    let long = found.len() == 3 || found.len() == 4;
    let named = (1..=2).contains(&found.len()) || long && found.iter().any(|word| joins(&word.text));
    named && !verb && !lists(NO_NAME, &first)
}

/// Words that begin no name.
const NO_NAME: &str = concat!(
    "and|back|because|before|bis|but|by|bye|certainly|clearly|even|every|fair|fine|first|from|good|great|",
    "he|here|how|i|i'm|if|it|just|later|let's|maybe|me|next|no|not|now|of|okay|only|or|perhaps|right|see|",
    "she|since|so|sometimes|still|sure|thanks|that|there|these|they|this|those|tomorrow|true|until|we|",
    "well|what|when|where|who|why|yes|you",
);

/// Verbs that make a clause of a few words.
const VERBS: &str = concat!(
    "are|can|come|comes|could|do|does|get|gets|go|goes|had|has|have|is|must|should|take|takes|was|were|",
    "will",
);

#[cfg(test)]
mod tests {
    use crate::discussion::decisions::decisions_in;

    #[test]
    fn a_choice_needs_no_verb() {
        for (text, what, why) in [
            ("B then, and we count again in May.", "B, and we count again in May", None),
            ("Rope, not chain: the quay is soft.", "Rope, not chain", Some("the quay is soft")),
            (
                "Beginning of March, not April. The crew has to live with it.",
                "Beginning of March, not April",
                None,
            ),
            (
                "Lots of up to 40, please, otherwise the crane waits.",
                "Lots of up to 40",
                Some("otherwise the crane waits"),
            ),
            ("I'd move R-5 from could to must.", "Move R-5 from could to must", None),
            ("Nina has the last word on the money.", "Nina has the last word on the money", None),
            (
                "And the mate of the boat signs off the training of each pilot.",
                "The mate of the boat signs off the training of each pilot",
                None,
            ),
        ] {
            assert_eq!(decisions_in(text, true), [(what.to_owned(), why.map(str::to_owned))], "{text}");
        }
        for text in [
            "Until then, nobody lands.",
            "We were there then, and it rained.",
            "6 hours, not 2.",
            "The pilot scans the buoy, not the rope.",
            "A moment, please.",
            "Your list, please, because I lost mine.",
            "What then?",
            "Nobody signs off the list.",
            "Nina should not have the last word on the money.",
            "The clerk counts the crates and signs the list.",
        ] {
            assert_eq!(decisions_in(text, true), [], "{text}");
        }
    }
}
