//! Forms of English verbs that a claim is told by: who "decided", "said" or "wants" has done so.
//!
//! Regular past forms are told by their ending; the others are the closed list of irregular ones.

use crate::text::words::is_small;

/// English past forms and participles that do not end in "ed".
const IRREGULAR: [&str; 58] = [
    "began",
    "begun",
    "bound",
    "bought",
    "broke",
    "brought",
    "built",
    "came",
    "chose",
    "chosen",
    "cut",
    "did",
    "done",
    "drew",
    "drawn",
    "fell",
    "felt",
    "forbade",
    "forbidden",
    "found",
    "gave",
    "given",
    "gone",
    "got",
    "grew",
    "heard",
    "held",
    "kept",
    "knew",
    "known",
    "laid",
    "led",
    "left",
    "lost",
    "made",
    "meant",
    "met",
    "paid",
    "put",
    "ran",
    "said",
    "sent",
    "set",
    "showed",
    "shown",
    "shut",
    "spoke",
    "spoken",
    "stood",
    "taken",
    "taught",
    "thought",
    "told",
    "took",
    "understood",
    "went",
    "written",
    "wrote",
];
/// The present of verbs that give somebody's words or will.
const PRESENT: [&str; 6] = ["ask", "asks", "say", "says", "want", "wants"];
/// Whether a word is a past form of a verb.
pub fn is_past(word: &str) -> bool {
    // "Need", "feed", "speed" are present; "agreed", "guaranteed" are not.
    let is_present = word.ends_with("eed") && !word.ends_with("reed") && !word.ends_with("teed");
    let is_regular = word.ends_with("ed") && !is_present && word.len() > "ed".len() + 2;
    (is_regular || IRREGULAR.contains(&word)) && !is_small(word)
}

/// Whether a verb in the present gives somebody's words or will.
pub fn is_saying(word: &str) -> bool {
    PRESENT.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn past_forms_are_told_from_other_words() {
        for word in ["decided", "agreed", "guaranteed", "chose", "said", "told", "planned"] {
            assert!(is_past(word), "{word}");
        }
        for word in ["need", "speed", "red", "bed", "says", "had", "read", "choose"] {
            assert!(!is_past(word), "{word}");
        }
    }
}
