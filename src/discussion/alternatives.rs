//! An answer to "A or B?" decides: "They count as one, since the translators get a single sheet."
//!
//! The question is the user's own, or the choice that a disagreement was put to. An answer takes up one of the
//! two by words that only this one has, or by its place ("the second"). A doubt takes up neither.

use super::decisions::with_reason;
use super::words::{is_significant, stem, words};
use crate::plain::capital;

/// What an answer to a question of the form "A or B?" decides, and why.
pub fn answer_to(asked: &str, text: &str) -> Option<(String, Option<String>)> {
    let [one, other] = alternatives(asked)?;
    let statement = super::decisions::statements(text).into_iter().next()?;
    let lower = format!(" {} ", statement.to_ascii_lowercase().trim_end_matches(['.', '!', ' ']));
    if statement.ends_with(['?', '？']) || DOUBTS.iter().any(|doubt| lower.contains(doubt)) {
        return None;
    }
    if let Some(second) = by_place(&lower) {
        return Some((capital(if second { &other } else { &one }), None));
    }
    let said = telling(&statement);
    let takes = |own: &str, others: &str| {
        let others = telling(others);
        telling(own).iter().any(|word| !others.contains(word) && said.contains(word))
    };
    (takes(&one, &other) != takes(&other, &one)).then(|| with_reason(&statement))
}

/// Words of an answer that takes up nothing.
const DOUBTS: [&str; 18] = [
    " ask ",
    " both ",
    " could ",
    " depends ",
    " don't know",
    " either ",
    " guess ",
    " last year",
    " maybe ",
    " might ",
    " neither ",
    " no idea",
    " not sure",
    " perhaps ",
    " should ",
    " think ",
    " was ",
    " would ",
];

/// "The second": whether the later of the two is meant.
fn by_place(lower: &str) -> Option<bool> {
    if words(lower).len() > 4 {
        return None;
    }
    let says = |places: [&str; 3]| places.iter().any(|place| lower.contains(place));
    let (first, second) =
        (says([" first ", " former ", " first one "]), says([" second ", " latter ", " second one "]));
    (first != second).then_some(second)
}

/// Words that begin an alternative: where the second has one, so has the first.
const BEGINS: [&str; 12] =
    ["as", "at", "by", "for", "from", "in", "into", "on", "per", "to", "under", "with"];

/// The two alternatives of a question.
fn alternatives(asked: &str) -> Option<[String; 2]> {
    let asked = super::decisions::statements(asked).into_iter().rev().find(|one| one.ends_with('?'))?;
    let (before, after) = asked.trim_end_matches('?').rsplit_once(" or ")?;
    let after = after.trim();
    let first = after.split(' ').next()?.to_ascii_lowercase();
    let begins = BEGINS
        .contains(&first.as_str())
        .then(|| before.to_ascii_lowercase().rfind(&format!(" {first} ")))
        .flatten();
    let one = match (before.rsplit_once(": "), begins) {
        (Some((_, one)), _) => one,
        (None, Some(at)) => before.get(at + 1..)?,
        (None, None) => {
            // As many words as the second has.
            let found = words(before);
            let from = found.len().saturating_sub(words(after).len().max(1));
            before.get(found.get(from)?.start..)?
        }
    };
    let is_open = words(after).is_empty() || matches!(after, "not" | "so" | "what" | "something");
    (!is_open).then(|| [one.trim_matches([' ', ',']).to_owned(), after.to_owned()])
}

/// The stems that tell alternatives apart; small numbers too.
fn telling(text: &str) -> Vec<String> {
    let numbers = ["one", "two", "three", "four", "five", "six", "ten"];
    let words = words(text);
    let telling =
        words.iter().filter(|word| is_significant(&word.text) || numbers.contains(&word.text.as_ref()));
    telling.map(|word| stem(&word.text).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alternatives_of_a_question_are_told_apart() {
        let of = |asked: &str| alternatives(asked).map(|two| two.join(" | "));
        assert_eq!(of("Does it count as one file or as five?").as_deref(), Some("as one file | as five"));
        assert_eq!(of("Is it red or blue?").as_deref(), Some("red | blue"));
        assert_eq!(of("What matters more: one place or two?").as_deref(), Some("one place | two"));
        assert_eq!(of("Is that so or not?"), None);
        assert_eq!(of("What next?"), None);
    }
}
