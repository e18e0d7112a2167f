//! What a discussion came to, in one sentence for the record in `meta.json`.

use super::extract::Said;
use super::facts::placed;
use super::summary::{Decision, Insight, ONE_LINE, Question, USER};
use super::words::words;
use crate::plain::{capital, cut};

/// What was decided; else the first insight; and how much stayed open.
pub(super) fn in_one_line(
    decisions: &[Decision],
    insights: &[Insight],
    open: &[Question],
    said: &[Said],
    title: &str,
) -> String {
    let left = match open.len() {
        0 => String::new(),
        count => format!("; {} left", crate::plain::count(count, "open question")),
    };
    if let Some(first) = decisions.first() {
        let more = match decisions.len() {
            1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        return fitting("Decided: ", &told(first, said), &format!("{more}{left}"));
    }
    // What rests on no line and on no word of the user's says little by itself, and so does a question.
    let telling = |one: &&Insight| {
        !one.text.ends_with(['?', '？'])
            && (one.text.contains(" line ") || one.by.iter().any(|by| by == USER))
    };
    match insights.iter().find(telling) {
        Some(first) => match disputed(&first.text) {
            Some(what) => fitting("Disputed: ", &capital(what), &left),
            None => fitting("", &first.text, &left),
        },
        None => cut(&format!("Nothing settled on {title}{left}"), ONE_LINE),
    }
}

/// A name of so many words says nothing by itself.
const NAME: usize = 3;

/// A decision in words that can stand alone: a bare name with what the line that it labels says, or with its
/// reason; the answer to a question before the question.
fn told(decision: &Decision, said: &[Said]) -> String {
    let text = &decision.text;
    if let Some((asked, answer)) = text.split_once("? ").filter(|(_, answer)| !answer.is_empty()) {
        return format!("{answer}, to \"{asked}?\"");
    }
    if words(text).len() > NAME {
        return text.clone();
    }
    let why = Some(&decision.rationale).filter(|why| !why.starts_with("settled by "));
    match (labelled(text, said), why) {
        (Some(what), _) => format!("{text}: {what}"),
        (None, Some(why)) => format!("{text}: {why}"),
        (None, None) => text.clone(),
    }
}

/// What a line says that was read out and begins with a name and a colon: "Option B: …".
fn labelled(name: &str, said: &[Said]) -> Option<String> {
    let begins = |line: &str| {
        let head = line.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
        line[head.len()..].strip_prefix([':', '–', '(']).map(|what| what.trim().to_owned())
    };
    let lines = said.iter().flat_map(|one| &one.sentences).flat_map(|sentence| placed(sentence));
    lines.filter_map(|(_, line)| begins(&line)).max_by_key(String::len)
}

/// What somebody says not to hold: "I disagree that …".
fn disputed(text: &str) -> Option<&str> {
    let openings = [
        "I disagree that ",
        "I disagree with ",
        "I don't agree that ",
        "I don't agree with ",
        "I do not agree that ",
        "I do not agree with ",
        "I don't think that ",
        "I don't think ",
        "I do not think ",
        "I'm not convinced that ",
        "Ich bin nicht einverstanden, dass ",
        "Ich glaube nicht, dass ",
    ];
    openings.iter().find_map(|opening| text.strip_prefix(opening))
}

/// A sentence of at most [`ONE_LINE`] characters whose middle gives way, at the end of a clause where there is one.
fn fitting(before: &str, text: &str, after: &str) -> String {
    let room = ONE_LINE.saturating_sub(before.chars().count() + after.chars().count()).max(20);
    if text.chars().count() <= room {
        return cut(&format!("{before}{text}{after}"), ONE_LINE);
    }
    let short = cut(text, room);
    let clause = [", ", "; ", ": ", " and ", " because "].iter().filter_map(|end| short.rfind(end)).max();
    let balanced = |at: &usize| {
        short[..*at].matches('"').count().is_multiple_of(2) && short[..*at].chars().count() >= 24
    };
    let kept = clause
        .filter(balanced)
        .map_or(short.clone(), |at| format!("{}…", short[..at].trim_end_matches([',', ' '])));
    cut(&format!("{before}{}{after}", closed_quote(&kept)), ONE_LINE)
}

/// A text that was cut inside of a quotation, with the quotation closed.
fn closed_quote(text: &str) -> String {
    if text.matches('"').count().is_multiple_of(2) {
        text.to_owned()
    } else {
        format!("{}…\"", text.trim_end_matches('…').trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Said {
        Said {
            turn: 2,
            by: "business-analyst".to_owned(),
            text: text.to_owned(),
            sentences: crate::discussion::extract::sentences(text),
            is_turn: true,
            class: None,
            purpose: None,
            decides: Vec::new(),
        }
    }

    #[test]
    fn a_sentence_says_what_was_decided_and_not_only_its_name() {
        let read = [said("spec.md line 4 says \"Plan B: the small boats get a berth at the inner quay\".")];
        let of = |text: &str, rationale: &str| {
            let decision = Decision { text: text.into(), rationale: rationale.into(), turns: vec![3] };
            in_one_line(&[decision], &[], &[], &read, "Berths")
        };
        let why = "the outer quay is closed in winter";
        assert_eq!(of("Plan B", why), "Decided: Plan B: the small boats get a berth at the inner quay");
        assert_eq!(of("Plan C", why), "Decided: Plan C: the outer quay is closed in winter");
        assert_eq!(of("Plan C", "settled by the user in turn 3"), "Decided: Plan C");
        assert_eq!(of("The boats leave at ten", why), "Decided: The boats leave at ten");
        assert_eq!(
            of("Does a raft count as a boat or as cargo? As cargo", why),
            "Decided: As cargo, to \"Does a raft count as a boat or as cargo?\""
        );
    }

    #[test]
    fn a_sentence_is_no_question_and_names_what_is_disputed() {
        let insight = |text: &str| Insight { text: text.into(), by: vec![USER.into()], turns: vec![3] };
        let of = |texts: &[&str]| {
            let insights: Vec<Insight> = texts.iter().map(|text| insight(text)).collect();
            in_one_line(&[], &insights, &[], &[], "Berths")
        };
        assert_eq!(of(&["Which boat?", "The ferry froze in twice"]), "The ferry froze in twice");
        assert_eq!(of(&["I disagree that a raft can wait"]), "Disputed: A raft can wait");
        assert_eq!(of(&[]), "Nothing settled on Berths");
        let long =
            "I don't think a raft can wait ".to_owned() + &"for the ferry and the mail boat ".repeat(5);
        assert!(of(&[&long]).starts_with("Disputed: A raft") && of(&[&long]).chars().count() <= ONE_LINE);
    }
}
