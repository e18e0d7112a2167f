//! What one statement lays down by itself: it calls something good enough ("For the licence, the open one is fine"), ends
//! so that nothing is left open ("…, nothing else"), names its matter first ("the lost key thing: we send a mail"), or says
//! that somebody has decided.

use super::decisions::with_reason;
use super::replies::{DOUBTED, HEDGES, ORDERS, PARTICIPLES, reason_of};
use super::rulings::Ruling;
use super::words::{lists, unquoted, words};
use crate::plain::capital;

/// What a statement lays down behind a decision in the same message: "Lost keys are reported on the same day".
pub(super) fn goes_with_it(statement: &str) -> Option<Ruling> {
    let lower = unquoted(statement).to_ascii_lowercase();
    let plain = format!(" {} ", lower.trim_end_matches(['.', '!', ' ']));
    let found = words(&lower);
    let first = found.first().map(|word| word.text.to_string()).unwrap_or_default();
    let passive = found.windows(2).take(10).any(|pair| {
        matches!(pair[0].text.as_ref(), "is" | "are")
            && (pair[1].text.ends_with("ed") || lists(PARTICIPLES, &pair[1].text))
    });
    let due = [
        " at once ",
        " at the latest ",
        " immediately ",
        " no later than ",
        " on the same day ",
        " right away ",
        " within ",
    ];
    let tells = lists("he|i|it|she|that|there|they|this|you", &first);
    let doubted = DOUBTED.iter().chain(&HEDGES[..4]).any(|word| plain.contains(word));
    let is_due = due.iter().any(|word| plain.contains(word));
    (passive && is_due && !tells && !doubted && !statement.ends_with(['?', '？']))
        .then(|| with_reason(statement))
}

/// What a statement lays down of the matter that it names first: "OK and the expired key thing: we send a mail".
fn on_a_matter(statement: &str) -> Option<Ruling> {
    let lower = unquoted(statement).to_ascii_lowercase();
    let leads = ["ok and ", "okay and ", "and ", "ok, ", "ok "];
    let bare = leads.iter().find_map(|lead| lower.strip_prefix(lead)).unwrap_or(&lower);
    let (matter, rule) = bare.split_once(": ")?;
    let named = ["about the ", "as for the ", "for the ", "on the ", "the "]
        .iter()
        .any(|begin| matter.starts_with(begin));
    let found = words(rule);
    let word = |at: usize| found.get(at).map(|word| word.text.to_string()).unwrap_or_default();
    let does = found.len() > 3 && word(0) == "we" && lists(ORDERS, &word(1));
    let plain = format!(" {} ", rule.trim_end_matches(['.', '!', ' ']));
    let doubted = DOUBTED.iter().chain(&HEDGES).any(|word| plain.contains(word) && *word != " only ");
    let is_rule = named && words(matter).len() <= 7 && does && !doubted && !rule.contains('?');
    let said = &statement[statement.len() - bare.len()..];
    is_rule.then(|| with_reason(said)).map(|(what, why)| (capital(&what), why))
}

/// What a statement says that somebody has decided: "Missed lessons can't be made up, that was decided by the board".
fn decided_elsewhere(statement: &str) -> Option<Ruling> {
    let lower = unquoted(statement).to_ascii_lowercase();
    let signs = [
        ", that was decided",
        ", that is decided",
        ", that's decided",
        ", this was decided",
        ", that was agreed",
        ", it was decided",
        ", that has been decided",
    ];
    let (at, sign) = signs.iter().filter_map(|sign| Some((lower.find(sign)?, sign.len()))).min()?;
    let behind = statement[at + sign..].trim_end_matches(['.', '!', ' ']);
    let denied = lower[at..].contains(" not ") || lower.trim_end().ends_with('?');
    (!denied && words(&statement[..at]).len() > 2)
        .then(|| (capital(&statement[..at]), Some(format!("decided{behind}"))))
}

/// What a statement concludes with "should" and "then": "Gloves should be free then".
fn should_then(statement: &str) -> Option<Ruling> {
    let lower = unquoted(statement).to_ascii_lowercase();
    let bare = lower.trim_end_matches(['.', '!', ' ']).strip_suffix(" then")?;
    let first = words(bare).first().map(|word| word.text.to_string()).unwrap_or_default();
    let doubted = [" maybe ", " perhaps ", " probably ", " i think "]
        .iter()
        .any(|word| format!(" {bare} ").contains(word));
    let tells = lists("he|i|it|she|somebody|someone|that|there|they|this|what|who|you", &first);
    let concludes = bare.contains(" should ") && !tells && !doubted && words(bare).len() > 3;
    concludes.then(|| with_reason(&statement[..bare.len()]))
}

/// How a statement ends that leaves nothing open: "German and English for the labels, nothing else".
const ENDS: [&str; 11] = [
    " and nothing else",
    " and nothing more",
    " for a start",
    " to begin with",
    " to start with",
    ", end of story",
    ", full stop",
    ", no exceptions",
    ", nothing else",
    ", nothing more",
    ", period",
];

/// What the user lays down to the last: a statement that ends so.
fn to_the_last(statement: &str) -> Option<Ruling> {
    let lower = unquoted(statement).to_ascii_lowercase();
    let bare = lower.trim_end_matches(['.', '!', ' ']);
    let ends = ENDS.iter().any(|end| bare.ends_with(end));
    let first = words(bare).first().map(|word| word.text.to_string()).unwrap_or_default();
    let tells = lists("he|i|i'm|it|she|that|there|this|you", &first);
    let past =
        [" was ", " were ", " had ", " did ", " said ", " told "].iter().any(|word| bare.contains(word));
    let doubted = HEDGES[..2].iter().chain(&DOUBTED).any(|word| format!(" {bare} ").contains(word));
    (ends && !tells && !past && !doubted && words(bare).len() > 4)
        .then(|| with_reason(statement.trim_end_matches(['.', '!', ' '])))
}

/// What the user calls good enough: "For the licence, the open one is fine, the lawyers have nodded".
pub(super) fn suffices(statement: &str) -> Option<Ruling> {
    let told =
        to_the_last(statement).or_else(|| on_a_matter(statement)).or_else(|| decided_elsewhere(statement));
    if let Some(last) = told.or_else(|| should_then(statement)) {
        return Some(last);
    }
    let lower = unquoted(statement).to_ascii_lowercase();
    let for_what = ["as a ", "as the ", "for "].iter().any(|begin| lower.starts_with(begin));
    let (of, rest) = lower.split_once(", ").filter(|_| for_what)?;
    let enough = [
        " is fine",
        " are fine",
        " is good enough",
        " are good enough",
        " is enough",
        " are enough",
        " is ok",
        " is okay",
        " are ok",
        " will do",
    ];
    let at = enough.iter().filter_map(|word| Some((rest.find(word)?, word.len()))).min()?;
    let (what, behind) = (&rest[..at.0], &rest[at.0 + at.1..]);
    let first = words(what).first().map(|word| word.text.to_string()).unwrap_or_default();
    let vague = lists("everything|he|it|nothing|she|that|there|these|they|this|what", &first)
        || first == "one" && words(what).len() == 1;
    let for_now = [
        "as a rule",
        "for all",
        "for example",
        "for instance",
        "for me",
        "for now",
        "for once",
        "for sure",
        "for the moment",
        "for the record",
        "for the rest",
        "for the time being",
        "for us",
    ];
    let ends = behind.is_empty() || behind.starts_with([',', '.', '!', ';', ' ']);
    let plain = format!(" {lower} ");
    let meant = |word: &str| !matches!(word, " already " | " or ");
    let hedged = HEDGES.iter().chain(&DOUBTED).any(|word| plain.contains(word) && meant(word));
    if vague || !ends || hedged || for_now.contains(&of) || words(what).len() > 8 || lower.ends_with('?') {
        return None;
    }
    let said = &statement[..statement.len() - behind.len()];
    let why = behind.trim_start_matches([',', ';', ' ']).trim_end_matches(['.', '!', ' ']);
    let why =
        &statement[statement.len() - behind.len()..][behind.find(why).unwrap_or_default()..][..why.len()];
    Some((capital(said), (words(why).len() > 2).then(|| reason_of(why))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_goes_with_a_decision() {
        let of = |text: &str| goes_with_it(text).map(|(what, _)| what);
        let said = "Keys of boats that leave are revoked on the same day";
        assert_eq!(of(said).as_deref(), Some(said));
        for text in [
            "The tickets are sold out.",
            "It is repaired within a week.",
            "Keys are usually lost within a week.",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_fine_for_something_is_chosen() {
        let of = |text: &str| suffices(text);
        assert_eq!(
            of("For the licence, CC BY 4.0 is fine, the lawyers already nodded."),
            Some((
                "For the licence, CC BY 4.0 is fine".to_owned(),
                Some("the lawyers already nodded".to_owned())
            ))
        );
        assert_eq!(
            of("For the small pump, two valves are enough."),
            Some(("For the small pump, two valves are enough".to_owned(), None))
        );
        assert!(of("For crews of two or three, one pilot is enough.").is_some());
        assert_eq!(
            of("ok and the lost key thing: we send a mail 7 days before").map(|(what, _)| what).as_deref(),
            Some("The lost key thing: we send a mail 7 days before")
        );
        assert_eq!(
            of("German and English for the labels, nothing else."),
            Some(("German and English for the labels, nothing else".to_owned(), None))
        );
        for text in [
            "He said it was the pump and nothing else.",
            "The thing is: we send far too many letters already.",
            "The board said: we send a letter now.",
            "For the moment, the old pump is fine.",
            "For me, the pump is fine.",
            "For the ferry, it is fine.",
            "For the children, the boat is fine but too slow.",
            "The boat is fine.",
            "For the ferry, the old pump is usually fine.",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn what_was_decided_elsewhere_and_what_should_be_then_is_decided() {
        let of = |text: &str| suffices(text);
        assert_eq!(
            of("Missed tours can't be made up, that was decided by the board last night."),
            Some((
                "Missed tours can't be made up".to_owned(),
                Some("decided by the board last night".to_owned())
            ))
        );
        assert_eq!(
            of("Gloves and oars should be free then."),
            Some(("Gloves and oars should be free".to_owned(), None))
        );
        assert_eq!(of("Gloves should be free."), None);
        assert_eq!(of("That should do then."), None);
    }
}
