//! An answer to "A or B?" decides: "They count as one, since the translators get a single sheet."
//!
//! The question is the user's own, or the choice that a disagreement was put to. An answer takes up one of the
//! two by words that only this one has, or by its place ("the second"). A doubt takes up neither.

use super::decisions::{main_clause, reason_behind, with_reason};
use super::words::{is_number, is_significant, stem, words};
use crate::plain::capital;

/// What an answer to a question of the form "A or B?" decides, and why.
pub fn answer_to(asked: &str, text: &str) -> Option<(String, Option<String>)> {
    let [one, other] = alternatives(asked)?;
    let mut statements = super::decisions::statements(text).into_iter();
    let statement = statements.next()?;
    let lower = statement.to_ascii_lowercase();
    let main = main_clause(lower.trim_end_matches(['.', '!', ' ']));
    let lower = format!(" {main} ");
    // What the question says itself is no doubt: "both directions" to "… or seven days in both directions?".
    let own = format!(" {one} {other} ").to_ascii_lowercase();
    let asks = format!(" {}", asked.to_ascii_lowercase()).contains(" should ");
    let taken_up = |doubt: &str| own.contains(doubt) || asks && doubt == " should ";
    let doubts = |doubt: &str| lower.contains(doubt) && !taken_up(doubt);
    if statement.ends_with(['?', '？']) || DOUBTS.iter().any(|doubt| doubts(doubt)) {
        return None;
    }
    let next = statements.next();
    let why_behind = next.as_deref().and_then(reason_behind);
    if let Some(second) = by_place(&lower) {
        return Some((capital(if second { &other } else { &one }), why_behind));
    }
    let said = telling(main);
    let takes = |own: &str, others: &str| {
        let others = telling(others);
        telling(own).iter().any(|word| !others.contains(word) && said.contains(word))
    };
    let (first, second) = (takes(&one, &other), takes(&other, &one));
    (first != second).then(|| {
        let (what, why) = with_reason(&statement);
        let (chosen, left) = if first { (&one, &other) } else { (&other, &one) };
        let speaks_against = || next.as_deref().and_then(|next| against(next, left, chosen));
        let why = why.or(why_behind).or_else(speaks_against);
        let whole = completed(asked, &one, chosen, &what).or_else(|| named(asked, &what));
        (whole.unwrap_or(what), why)
    })
}

/// What a figure decides that stands for itself behind "how many …?": "Sixteen. Nobody has asked for more."
pub fn figure_for(asked: &str, text: &str) -> Option<(String, Option<String>)> {
    // "How far back may it go? I forgot." asks with its first sentence.
    let questions = super::decisions::statements(asked);
    let asked = questions.iter().rfind(|one| one.ends_with('?')).map_or(asked, String::as_str);
    let lower = asked.to_ascii_lowercase();
    let counts = [
        "how many ",
        "how much ",
        "how long ",
        "how often ",
        "how far ",
        "how soon ",
        "how late ",
        "how early ",
        "by when ",
        "until when ",
        "wie viele ",
        "wie lange ",
    ];
    let question = asked.trim_end_matches(['?', ' ']);
    let asks = asked.trim_end().ends_with('?') && counts.iter().any(|word| lower.contains(word));
    let statements = super::decisions::statements(text);
    let first = statements.first()?.trim_end_matches(['.', '!', ' ']);
    let found = words(first);
    let is_figure = found.len() <= 2 && found.first().is_some_and(|word| is_number(&word.text));
    (asks && is_figure && !first.ends_with('?') && words(question).len() > 3).then(|| {
        let why = statements.get(1).filter(|_| statements.len() == 2 && !statements[1].ends_with('?'));
        let why = why.map(|why| why.trim_end_matches(['.', '!', ' ']).to_owned());
        (format!("{}: {}", capital(question), first.to_lowercase()), why)
    })
}

/// What a message decides that asks "A or B?" and says which one itself: "By card or IP? I'd say card, half of them
/// have no IP". It stands behind its question.
pub fn answer_to_itself(text: &str) -> Option<(String, Option<String>)> {
    let statements = super::decisions::statements(text);
    let at = statements.iter().position(|one| one.ends_with('?') && one.contains(" or "))?;
    let (asked, answer) = (&statements[at], statements.get(at + 1)?);
    let lower = answer.to_ascii_lowercase();
    let opening =
        ["i'd say ", "i would say ", "i say "].iter().find(|opening| lower.starts_with(**opening))?;
    let said = answer[opening.len()..].trim_end_matches(['.', '!', ' ']);
    answer_to(asked, said)?;
    let (choice, why) = match said.split_once(", ") {
        Some((choice, why)) if words(why).len() > 3 => (choice, Some(why.to_owned())),
        _ => (said, None),
    };
    Some((format!("{} {}", capital(asked), capital(choice)), why))
}

/// What would come of the alternative that was left: "One pump would break every winter."
fn against(next: &str, left: &str, chosen: &str) -> Option<String> {
    let (said, chosen) = (telling(next), telling(chosen));
    let names = telling(left).iter().any(|word| said.contains(word) && !chosen.contains(word));
    let would = next.contains(" would ") && !next.ends_with(['?', '？']) && !next.contains(" if ");
    (names && would).then(|| next.trim_end_matches(['.', '!', ' ']).to_owned())
}

/// An answer that is only a part of a sentence, with what it says it of: "At every boot" to "check the
/// signature at every boot, or only once?" is "Check the signature at every boot". A question that cannot
/// be turned round by its form stands before the answer as it is.
fn completed(asked: &str, one: &str, chosen: &str, answer: &str) -> Option<String> {
    let known = telling(chosen);
    let said = words(answer);
    let first = said.first()?.text.to_string();
    let elliptic = telling(answer).iter().all(|word| known.contains(word))
        && said.len() <= words(chosen).len() + 1
        && !matches!(first.as_str(), "it" | "they" | "we" | "that" | "this" | "he" | "she" | "i" | "you");
    if !elliptic {
        return None;
    }
    let asked = super::decisions::statements(asked).into_iter().rev().find(|one| one.ends_with('?'))?;
    let head = &asked[..asked.find(one)?];
    let head = head.rsplit_once(": ").map_or(head, |(_, tail)| tail);
    let head = head.rsplit_once(", ").map_or(head, |(_, tail)| tail).trim();
    if head.is_empty() {
        return of_first(one, chosen);
    }
    // "Only" belongs to the first of the two.
    let head = &if one == chosen { head.to_owned() } else { without_only(head) };
    turned(head).map(|turned| capital(&format!("{turned} {chosen}"))).or_else(|| {
        let is_yes_or_no = words(head).first().is_some_and(|word| ASKS.contains(&word.text.as_ref()));
        is_yes_or_no.then(|| format!("{asked} {}", capital(answer)))
    })
}

/// Verbs that open a question which an answer alone says too little to.
const ASKS: [&str; 10] = ["can", "could", "do", "does", "may", "must", "shall", "should", "will", "would"];

/// The chosen of two alternatives, where the first one says what both are about.
fn of_first(one: &str, chosen: &str) -> Option<String> {
    if one == chosen {
        return Some(capital(chosen));
    }
    let first = chosen.split(' ').next()?.to_ascii_lowercase();
    let begins =
        || BEGINS.iter().chain(&["after", "before", "during", "every", "only", "once", "until", "with"]);
    let is_part = begins().any(|word| *word == first);
    let lower = one.to_ascii_lowercase();
    let ends = begins().filter_map(|word| lower.find(&format!(" {word} "))).min();
    let head = ends.filter(|at| is_part && words(&one[..*at]).len() > 1)?;
    Some(capital(&format!("{} {chosen}", &one[..head])))
}

/// "He should read the plate" to "should the guard read the plate …?" as "The guard should read the plate": of
/// whom the question speaks stands between its article and the verb that both have.
fn named(asked: &str, answer: &str) -> Option<String> {
    let said = words(answer);
    let pronoun = said.first().filter(|first| matches!(first.text.as_ref(), "he" | "she" | "it" | "they"))?;
    let verb = said.iter().skip(1).find(|word| !ASKS.contains(&word.text.as_ref()))?;
    let asked = super::decisions::statements(asked).into_iter().rev().find(|one| one.ends_with('?'))?;
    let of = words(&asked);
    let to = of.iter().position(|word| stem(&word.text) == stem(&verb.text))?;
    let from = of[..to].iter().rposition(|word| matches!(word.text.as_ref(), "the" | "a" | "an"))?;
    let asks = from.checked_sub(1).is_some_and(|at| ASKS.contains(&of[at].text.as_ref()));
    let whom = asked.get(of[from].start..of[to].start)?.trim();
    (asks && (2..=4).contains(&(to - from))).then(|| capital(&format!("{whom}{}", &answer[pronoun.end..])))
}

fn without_only(head: &str) -> String {
    let kept = head.split(' ').filter(|word| !matches!(word.to_ascii_lowercase().as_str(), "only" | "just"));
    kept.collect::<Vec<_>>().join(" ")
}

/// "Should we bill" as "bill", "should people book" as "people should book".
fn turned(head: &str) -> Option<String> {
    let lower = head.to_ascii_lowercase();
    let (verb, rest) = lower.split_once(' ').filter(|(verb, _)| ASKS.contains(verb))?;
    if let Some(own) = ["we ", "i "].iter().find_map(|us| rest.strip_prefix(us)) {
        return Some(head[head.len() - own.len()..].to_owned());
    }
    let said = &head[head.len() - rest.len()..];
    let parts: Vec<&str> = said.split(' ').collect();
    let modal = matches!(verb, "can" | "may" | "must" | "shall" | "should" | "will");
    match parts.as_slice() {
        [who, does] if modal => Some(format!("{who} {verb} {does}")),
        // "Sign in", "hand over".
        [who, does, on @ ("in" | "off" | "on" | "out" | "over" | "up")] if modal => {
            Some(format!("{who} {verb} {does} {on}"))
        }
        [the @ ("the" | "a" | "an"), who, does] if modal => Some(format!("{the} {who} {verb} {does}")),
        _ => None,
    }
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
    fn an_answer_in_part_of_a_sentence_takes_its_object_from_the_question() {
        let of = |asked: &str, answer: &str| answer_to(asked, answer).map(|(what, _)| what);
        for (asked, answer, what) in [
            (
                "What do you think: weigh the crates at every stop, or only once at the depot?",
                "At every stop, please.",
                "Weigh the crates at every stop",
            ),
            (
                "What do you think: weigh the crates at every stop, or only once at the depot?",
                "Once at the depot.",
                "Weigh the crates only once at the depot",
            ),
            (
                "Should guests pay by card or by invoice?",
                "By invoice, because the club has no terminal.",
                "Guests should pay by invoice",
            ),
            ("Shall we bill in March or in September?", "In September.", "Bill in September"),
            (
                "Does a dog count as a guest or as luggage?",
                "As luggage.",
                "Does a dog count as a guest or as luggage? As luggage",
            ),
            (
                "Does a dog count as a guest or as luggage?",
                "It counts as luggage.",
                "A dog counts as luggage",
            ),
            ("Shall we bill in March or in May?", "It has to be in May.", "It has to be in May"),
        ] {
            assert_eq!(of(asked, answer).as_deref(), Some(what), "{asked} {answer}");
        }
        let asked = "Does the valve count as one part, or as two parts in both lists?";
        assert_eq!(of(asked, "Maybe in both lists."), None);
        let asked =
            "Everyone, do we look only against the gate of the day, or three gates in both directions?";
        let (what, why) =
            answer_to(asked, "Both directions. A look at one day would miss the night.").unwrap();
        assert_eq!(what, "Look against three gates in both directions");
        assert_eq!(why.as_deref(), Some("A look at one day would miss the night"));
        let asked =
            "What do you think: should the guard read the plate as well, or only the number of seats?";
        assert_eq!(
            answer_to(asked, "He should read the plate too, because most tickets are for wrong coaches."),
            Some((
                "The guard should read the plate too".to_owned(),
                Some("most tickets are for wrong coaches".to_owned())
            ))
        );
        let costly = answer_to("Shall we bill in March or in May?", "In May. It costs us two months.");
        assert_eq!(costly.unwrap().1.as_deref(), Some("it costs us two months"));
    }

    #[test]
    fn who_asks_and_says_which_one_has_decided() {
        let of = |text: &str| answer_to_itself(text);
        assert_eq!(
            of("By rope or chain? I'd say rope, half of the boats have no cleat."),
            Some(("By rope or chain? Rope".to_owned(), Some("half of the boats have no cleat".to_owned())))
        );
        assert_eq!(of("By rope or chain? I'd say we ask the pilot."), None);
        assert_eq!(of("By rope or chain? The boats have no cleat."), None);
    }

    #[test]
    fn the_alternatives_of_a_question_are_told_apart() {
        let of = |asked: &str| alternatives(asked).map(|two| two.join(" | "));
        assert_eq!(of("Does it count as one file or as five?").as_deref(), Some("as one file | as five"));
        assert_eq!(of("Is it red or blue?").as_deref(), Some("red | blue"));
        assert_eq!(of("What matters more: one place or two?").as_deref(), Some("one place | two"));
        assert_eq!(of("Is that so or not?"), None);
        assert_eq!(of("What next?"), None);
    }

    #[test]
    fn a_figure_alone_answers_how_many() {
        let decided = figure_for("How many buoys may I set?", "Six. Nobody has ever asked for more.");
        let (what, why) = decided.unwrap();
        assert_eq!(what, "How many buoys may I set: six");
        assert_eq!(why.as_deref(), Some("Nobody has ever asked for more"));
        assert_eq!(figure_for("Who sets the buoy?", "Six."), None);
        assert_eq!(figure_for("How many buoys may I set?", "Six skippers came."), None);
        assert_eq!(figure_for("How many buoys may I set?", "Six?"), None);
    }
}
