//! How a message of the user's is read: what it asks, proposes or objects to, and how it is quoted.

use super::evidence::snippet;
use super::naming::telling;
use crate::discussion::decisions::statements;
use crate::discussion::looked_for;
use crate::discussion::words::{with_its_mark, words};
use crate::plain;

/// What a sentence says behind "I disagree with you, …", where that is a sentence of its own.
pub(super) fn without_objecting(said: &str) -> String {
    let begins =
        ["i disagree with you", "i don't agree with you", "i disagree", "i don't agree", "honestly", "sorry"];
    let lower = said.replace('’', "'").to_ascii_lowercase();
    let behind = begins.iter().find_map(|begin| {
        let rest = lower.strip_prefix(begin)?.trim_start_matches([',', ':', ' ']);
        let paused = lower[begin.len()..].starts_with([',', ':']);
        (paused && lower.len() == said.len() && words(rest).len() > 3)
            .then(|| &said[said.len() - rest.len()..])
    });
    behind.map_or_else(|| said.to_owned(), plain::capital)
}

/// The sentence with which a message ends.
pub(super) fn last_sentence(message: &str) -> String {
    statements(message).pop().unwrap_or_default()
}

/// What is quoted of a long sentence: its first clause, where that says enough.
pub(super) fn brief(said: &str) -> String {
    // What stands before a colon only announces.
    let clause = said.split([',', ';']).next().unwrap_or_default();
    let enough = !clause.contains(": ")
        && said.chars().count() > BRIEF
        && clause.chars().count() >= CLAUSE
        && words(clause).len() > 3;
    if enough { snippet(clause, BRIEF) } else { snippet(said, BRIEF + CLAUSE) }
}

/// Characters of a sentence that is quoted whole, and of a clause that stands for one: a decision is known again by so
/// many.
const BRIEF: usize = 70;
const CLAUSE: usize = 24;

/// What a long question comes to: its last clause, where that is one of its own.
pub(super) fn last_clause(question: &str) -> String {
    let clause = question.rsplit_once([',', ':', ';']).map(|(_, clause)| clause.trim());
    let asks = [
        "are", "can", "could", "did", "do", "does", "how", "may", "shall", "should", "what", "when", "where",
        "which", "who", "whom", "whose", "why", "will", "would",
    ];
    let by_itself = |clause: &&str| {
        let found = words(clause);
        found.len() >= 4 && found.first().is_some_and(|first| asks.contains(&first.text.as_ref()))
    };
    let clause = clause.filter(by_itself).unwrap_or(question);
    snippet(clause, 60)
}

/// A topic as it is quoted.
pub(super) fn title(topic: &str) -> String {
    let topic = topic.strip_suffix("'s").or_else(|| topic.strip_suffix("’s")).unwrap_or(topic);
    plain::cut(topic, 60).replace('"', "'")
}

/// A decision that names no more is short for what was asked before.
pub(super) const ELLIPTIC: usize = 2;

/// How a sentence begins that proposes what to talk about.
const PROPOSES: [&str; 6] = [
    "let's talk about ",
    "let us talk about ",
    "let's discuss ",
    "can we talk about ",
    "i'd like to talk about ",
    "reden wir über ",
];

/// Whether a message wants an answer.
pub(super) fn asks(message: &str) -> bool {
    let misses = || statements(message).iter().any(|one| looked_for(one).is_some());
    with_its_mark(message).contains(['?', '？']) || proposes(message) || misses()
}

pub(super) fn proposes(sentence: &str) -> bool {
    let lower = sentence.replace('’', "'").to_lowercase();
    PROPOSES.iter().any(|begins| lower.contains(begins))
}

/// The questions among some sentences and what they propose to talk about, each with the sentence that its "that"
/// points back to.
pub(super) fn questions(sentences: &[String]) -> String {
    let mut found: Vec<String> = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        // "I could not find who pays" asks who does.
        found.extend(looked_for(sentence).map(|clause| format!("{}?", plain::capital(clause))));
        if !sentence.ends_with(['?', '？']) && !proposes(sentence) {
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| sentences.get(before));
        found.extend(before.filter(|_| is_elliptic(sentence)).cloned());
        found.push(sentence.clone());
    }
    found.join(" ")
}

/// Whether a question says "that" and names nothing by itself: "Who decided that?"
pub(super) fn is_elliptic(question: &str) -> bool {
    let points =
        |word: &str| matches!(word, "that" | "this" | "it" | "them" | "those" | "das" | "davon" | "darüber");
    words(question).iter().any(|word| points(&word.text)) && telling(question).len() <= 1
}

/// What a sentence objects to: the clause behind "I disagree that".
pub(super) fn objection(sentence: &str) -> Option<&str> {
    let begins = [
        "i disagree that ",
        "i disagree with ",
        "i don't agree that ",
        "i don't agree with ",
        "i do not agree that ",
        "i do not agree with ",
        "i don't think that ",
        "i don't think ",
        "i do not think that ",
        "i do not think ",
        "i doubt that ",
        "i doubt ",
        "ich bin nicht einverstanden, dass ",
        "ich bin dagegen, dass ",
    ];
    let lower = sentence.replace('’', "'").to_ascii_lowercase();
    if lower.len() != sentence.len() {
        return None;
    }
    begins.iter().find_map(|begin| sentence.get(lower.find(begin)? + begin.len()..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_points_back_is_asked_with_the_sentence_before() {
        let of = |text: &str| questions(&statements(text));
        assert_eq!(of("The pump stood still. Who decided that?"), "The pump stood still. Who decided that?");
        assert_eq!(of("The pump stood still. Who repairs the valve?"), "Who repairs the valve?");
        assert_eq!(of("The pump stood still."), "");
        assert_eq!(
            of("Let's talk about the colour of the pump."),
            "Let's talk about the colour of the pump."
        );
    }

    #[test]
    fn an_objection_is_about_what_it_objects_to() {
        assert_eq!(objection("Alex, I disagree that a pump can wait."), Some("a pump can wait."));
        assert_eq!(objection("I don't think the pump is small."), Some("the pump is small."));
        assert_eq!(objection("The pump is small."), None);
        assert!(asks("Let's talk about pumps.") && !asks("We talk."));
    }

    #[test]
    fn a_view_is_quoted_without_what_leads_in_to_it() {
        assert_eq!(without_objecting("I disagree with you, members will not pay"), "Members will not pay");
        assert_eq!(without_objecting("I disagree with that rule"), "I disagree with that rule");
        assert!(
            brief("A loan record should contain: member, tool, date out, date due, date back, and damage")
                .contains("member")
        );
    }
}
