//! Rules that the user sets in a sentence that has a verb: what stays, what is a must or part of nothing, who takes
//! over, and who alone may.
//!
//! What was, what is told of others and what happens every day is no rule.

use super::decisions::with_reason;
use super::words::{lists, words};

/// What is set, and why.
type Norm = (String, Option<String>);

/// A rule that is set: `said` is a statement behind the words that lead in to it, `lower` the same in lower case.
pub(super) fn set(said: &str, lower: &str) -> Option<Norm> {
    let padded = format!(" {lower} ");
    if PAST.split('|').any(|word| padded.contains(word))
        || ["if ", "when "].iter().any(|c| lower.starts_with(c))
    {
        return None;
    }
    let is_set = stays(lower) || is_a_must(lower) || is_no_part(lower) || takes_over(lower);
    if is_set || is_alone(lower) || may_on_terms(lower) || is_left_out(lower) {
        return Some(with_reason(said));
    }
    value(said, lower)
}

/// Signs that something is told, and not set.
const PAST: &str = concat!(
    " ago | already | always | did | every day | every week | had | has been | have been | last |",
    " sometimes | still | today | used to | usually | was | were | yesterday ",
);

/// Words that begin the name of nothing.
const NO_NAME: &str = concat!(
    "and|because|but|everybody|he|how|i|if|it|nobody|people|she|so|somebody|someone|that|there|they|this|we|",
    "what|when|where|which|who|why|you",
);

/// Whether some words name a thing or a person: one to four of them, no clause.
fn is_name(name: &str) -> bool {
    let found = words(name);
    (1..=4).contains(&found.len())
        && !name.contains([',', ';', ':'])
        && found.first().is_some_and(|first| !lists(NO_NAME, &first.text))
}

/// Whether what stands behind a verb ends the clause there, or begins as one of some words do.
fn ends_or(after: &str, words: &[&str]) -> bool {
    let after = after.trim_start();
    after.is_empty()
        || after.starts_with(['.', ',', ';', '!'])
        || words.iter().any(|word| after.starts_with(word))
}

/// "Paper stays", "Guests stay out of our network".
fn stays(lower: &str) -> bool {
    let behind =
        ["the default", "out of ", "as it is", "as they are", "the way ", "where it is", "off", "on paper"];
    let verbs = [" stays", " stay", " stands"];
    let split = verbs.iter().find_map(|verb| lower.split_once(verb));
    split.is_some_and(|(name, after)| {
        let whole = after.is_empty() || after.starts_with([' ', '.', ',', ';', '!']);
        // "The question stands" settles nothing.
        let open = ["issue", "offer", "point", "problem", "question", "risk"];
        whole && is_name(name) && !open.iter().any(|word| name.ends_with(word)) && ends_or(after, &behind)
    })
}

/// "R5 is a must."
fn is_a_must(lower: &str) -> bool {
    let verbs = [" is a must", " are a must", " is not negotiable", " isn't negotiable"];
    verbs
        .iter()
        .any(|verb| lower.split_once(verb).is_some_and(|(name, after)| is_name(name) && ends_or(after, &[])))
}

/// "Video isn't part of it for now."
fn is_no_part(lower: &str) -> bool {
    let verbs = [" isn't part of ", " is not part of ", " aren't part of ", " are not part of "];
    let whole = ["it", "that", "the first ", "the project", "this", "our "];
    verbs.iter().any(|verb| {
        lower
            .split_once(verb)
            .is_some_and(|(name, after)| is_name(name) && whole.iter().any(|word| after.starts_with(word)))
    })
}

/// "Nina takes over the pump from the first of March": a person does, and no machine.
fn takes_over(lower: &str) -> bool {
    let split = lower.split_once(" takes over ").or_else(|| lower.split_once(" take over "));
    split.is_some_and(|(who, what)| {
        let things = ["a ", "an ", "another ", "each ", "every ", "one ", "our ", "some ", "the ", "your "];
        is_name(who) && !things.iter().any(|word| who.starts_with(word)) && !what.contains(" when ")
    })
}

/// "It's the mate who decides and nobody else", "Only the mate signs the list".
fn is_alone(lower: &str) -> bool {
    let others = [" nobody else", " no one else", " alone"];
    let cleft = ["it's ", "it is "].iter().any(|begin| format!(" {lower}").contains(&format!(" {begin}")))
        && lower.contains(" who ")
        && others.iter().any(|word| lower.contains(word));
    let verbs = [" changes ", " decides", " enters ", " may ", " sees ", " signs "];
    cleft || lower.starts_with("only ") && verbs.iter().any(|verb| lower.contains(verb))
}

/// "Nurses may move as many as they like, as long as they give their name."
fn may_on_terms(lower: &str) -> bool {
    let terms = [" as long as ", " but only ", " only if ", " only with ", " provided "];
    lower.split_once(" may ").is_some_and(|(who, after)| {
        is_name(who) && terms.iter().any(|term| format!(" {after}").contains(term))
    })
}

/// "No accounts": one to four words that name a thing, and nothing else.
fn is_left_out(lower: &str) -> bool {
    let idle = "chance|clue|comment|doubt|fun|idea|luck|need|news|one|problem|question|reason|sign|thank|thanks|trace|way|wonder|worries";
    let Some(what) = lower.trim_end_matches(['.', '!', ' ']).strip_prefix("no ") else { return false };
    let what = what.strip_suffix(" then").unwrap_or(what);
    let found = words(what);
    let named =
        found.iter().all(|word| word.text.len() > 2 || word.text.bytes().all(|byte| byte.is_ascii_digit()));
    let first = found.first().is_some_and(|first| !lists(idle, &first.text) && !lists(VERBS, &first.text));
    (1..=3).contains(&found.len()) && named && first && !found.iter().any(|word| lists(VERBS, &word.text))
}

/// Verbs that make a clause of a few words.
const VERBS: &str =
    "are|came|can|come|comes|could|does|gets|goes|got|has|have|helps|must|should|works|will|worked";

/// "Let's say 40 % for Q-7."
fn value(said: &str, lower: &str) -> Option<Norm> {
    let after = lower.strip_prefix("let's say ").or_else(|| lower.strip_prefix("say "))?;
    let after = after.trim_start_matches(',').trim_start();
    let first = words(after).first()?.text.to_string();
    let is_value = first.starts_with(|c: char| c.is_ascii_digit()) || super::words::is_number(&first);
    is_value.then(|| with_reason(&said[said.len() - after.len()..]))
}

#[cfg(test)]
mod tests {
    use crate::discussion::decisions::decisions_in;

    #[test]
    fn what_is_set_in_a_sentence_is_decided() {
        for (text, what) in [
            ("The old list stays.", "The old list stays"),
            ("Dogs stay out of the workshop.", "Dogs stay out of the workshop"),
            ("The whistle is a must.", "The whistle is a must"),
            ("Then the crane isn't part of it for now.", "The crane isn't part of it for now"),
            ("Ms Ito takes over the north pier from May.", "Ms Ito takes over the north pier from May"),
            (
                "Crews may swap as often as they like, as long as the mate knows.",
                "Crews may swap as often as they like, as long as the mate knows",
            ),
            (
                "At sea it's the mate who decides and nobody else.",
                "At sea it's the mate who decides and nobody else",
            ),
            ("Only the mate signs the list.", "Only the mate signs the list"),
            ("Let's say 12 knots for the tow.", "12 knots for the tow"),
            ("No helmets then.", "No helmets then"),
        ] {
            let found: Vec<String> = decisions_in(text, true).into_iter().map(|(what, _)| what).collect();
            assert_eq!(found, [what], "{text}");
        }
    }

    #[test]
    fn what_is_told_is_not_set() {
        for text in [
            "People stay on the line for an hour.",
            "The pilot stays with the boat.",
            "The old list stays in the drawer today.",
            "A second pump takes over when the first one fails.",
            "The clerk was the only one who knew.",
            "No idea.",
            "No boat came.",
            "No problem.",
            "If the whistle is a must, who pays?",
            "Visitors may come.",
            "Let's say it rains.",
        ] {
            assert_eq!(decisions_in(text, true), [], "{text}");
        }
    }
}
