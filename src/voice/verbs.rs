//! Verbs that give somebody's words, will or decision: "decided", "said", "wants".
//!
//! A closed list, as prefixes and markers are one: what somebody is told to have *done* is nobody's business here.

/// Regular verbs, without the ending of their past.
const REGULAR: [&str; 37] = [
    "accept",
    "agree",
    "answer",
    "approve",
    "ask",
    "assert",
    "claim",
    "complain",
    "confirm",
    "conclude",
    "decide",
    "demand",
    "endorse",
    "explain",
    "favor",
    "favour",
    "insist",
    "mention",
    "note",
    "observe",
    "opt",
    "pick",
    "plan",
    "point",
    "prefer",
    "promise",
    "propose",
    "raise",
    "recommend",
    "reject",
    "request",
    "rule",
    "settle",
    "suggest",
    "vote",
    "want",
    "warn",
];
/// Past forms of irregular ones.
const IRREGULAR: [&str; 6] = ["chose", "chosen", "said", "told", "wrote", "written"];
/// The present of verbs that give somebody's words or will.
const PRESENT: [&str; 20] = [
    "agree",
    "agrees",
    "ask",
    "asks",
    "believe",
    "believes",
    "prefer",
    "prefers",
    "propose",
    "proposes",
    "recommend",
    "recommends",
    "say",
    "says",
    "suggest",
    "suggests",
    "think",
    "thinks",
    "want",
    "wants",
];

/// Whether a word is a past form of such a verb.
pub fn is_past(word: &str) -> bool {
    let base = word.strip_suffix("ed").unwrap_or_default();
    let is_regular = |verb: &&str| *verb == base || verb.strip_suffix('e').is_some_and(|verb| verb == base);
    // "opted" doubles its letter, "planned" too.
    let once = base.char_indices().next_back().map_or("", |(at, _)| &base[..at]);
    let is_doubled = once.ends_with(|last| base.ends_with(last)) && REGULAR.contains(&once);
    IRREGULAR.contains(&word) || !base.is_empty() && (is_doubled || REGULAR.iter().any(is_regular))
}

/// Past forms of the verbs that settle something: what somebody only asked is no ground for them.
const SETTLING: [&str; 5] = ["agreed", "chose", "chosen", "decided", "settled"];
/// What somebody has who settled something.
const SETTLED: [&str; 3] = ["agreement", "choice", "decision"];

/// Whether a word says that something was settled.
pub fn is_settling(word: &str) -> bool {
    SETTLING.contains(&word)
}

/// Whether a word is what was settled, as in "Sam's decision".
pub fn is_settled(word: &str) -> bool {
    SETTLED.contains(&word)
}

/// Whether a verb in the present gives somebody's words or will.
pub fn is_saying(word: &str) -> bool {
    PRESENT.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_these_verbs_are_told_from_other_words() {
        for word in
            ["decided", "agreed", "chose", "said", "told", "planned", "opted", "raised", "ruled", "preferred"]
        {
            assert!(is_past(word), "{word}");
        }
        for word in ["need", "red", "says", "had", "ed", "changed", "guaranteed", "opened", "choose", ""] {
            assert!(!is_past(word), "{word}");
        }
    }
}
