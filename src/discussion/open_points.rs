//! What the user settles by stating it: the documents leave a point open ("Who keeps the keys?", "How long photos are kept
//! is not settled"), and somebody at the table says how it is ("Sam keeps the keys", "photos are deleted after 30 days").
//!
//! The line itself says that nobody has settled it; so what is stated on it, and not doubted, told of the past or only
//! felt, settles it.

use super::decisions::{statements, with_reason};
use super::near::near_to;
use super::replies::{DOUBTED, HEDGES};
use super::root::root;
use super::rulings::Ruling;
use super::words::{Word, is_number, is_significant, lists, unquoted, words};

/// Words between "who" and what somebody does.
const MODALS: &str = "can|could|did|does|has|is|may|must|shall|should|to|will|would";
/// Who begins a statement that tells of itself or points back.
const TELLS: &str =
    "he|i|i'd|i'm|i've|it|it's|nobody|nothing|she|somebody|someone|that|that's|there|this|those|what|who|you";
/// Signs of the past, of a wish, and of what somebody feels.
const TOLD: [&str; 30] = [
    " ago ",
    " asked ",
    " bad ",
    " been ",
    " can't ",
    " did ",
    " difficult ",
    " don't know ",
    " fear ",
    " had ",
    " hard ",
    " hate ",
    " hope ",
    " much ",
    " must ask ",
    " need to ask ",
    " never ",
    " not sure ",
    " problem ",
    " said ",
    " says ",
    " so many ",
    " told ",
    " too ",
    " unfair ",
    " want ",
    " was ",
    " were ",
    " wish ",
    " worry ",
];

/// What a statement of the user's settles of a line that leaves something open.
pub(super) fn settles(open: &str, text: &str) -> Option<Ruling> {
    let all = statements(text);
    let [said] = all.as_slice() else { return None };
    let said = said.trim_end_matches(['.', '!', ' ']);
    let plain = format!(" {} ", unquoted(said).to_ascii_lowercase());
    let found = words(said);
    let first = found.first().map(|word| word.text.to_string()).unwrap_or_default();
    let doubted = || {
        DOUBTED.iter().chain(&HEDGES).any(|word| plain.contains(word) && *word != " only " && *word != " or ")
    };
    let told = || lists(TELLS, &first) || TOLD.iter().any(|word| plain.contains(word));
    if found.len() < 4 || said.ends_with(['?', '？']) || told() || doubted() {
        return None;
    }
    (names_who(open, &found) || states(open, &found)).then(|| with_reason(said))
}

/// Whether somebody whom the line does not name does what it asks about: "who may open the lock" and "the deputy opens
/// the lock".
fn names_who(open: &str, said: &[Word<'_>]) -> bool {
    let lower = open.to_ascii_lowercase();
    let (of_open, asked) = (words(&lower), roots(&words(&lower)));
    let Some(who) = of_open.iter().position(|word| word.text == "who") else { return false };
    let mut behind = of_open.iter().skip(who + 1);
    let Some(verb) = behind.find(|word| !lists(MODALS, &word.text)).map(|word| root(&word.text)) else {
        return false;
    };
    let does = |word: &Word<'_>| {
        let own = root(&word.text);
        let sees_to_it = lists("calls|does|goes|handles|takes|talks", &word.text);
        !word.text.ends_with("ed") && (own == verb || sees_to_it || near_to(&verb).contains(&own.as_str()))
    };
    let Some(at) = said.iter().position(does) else { return false };
    let is_new = |word: &Word<'_>| is_significant(&word.text) && !asked.contains(&root(&word.text));
    let named = (1..=5).contains(&at) && said.iter().take(at).any(is_new);
    // What it is done to is named by both: "opens the lock".
    let object = behind.filter(|word| is_significant(&word.text)).map(|word| root(&word.text)).take(2);
    let own = roots(said);
    named && object.into_iter().any(|root| own.contains(&root))
}

/// Whether a statement says how it is with what the line asks: two of its matters, or one and the span or figure that it
/// asks for, and something that the line does not say.
fn states(open: &str, said: &[Word<'_>]) -> bool {
    let lower = open.to_ascii_lowercase();
    // The case that it asks about is no matter of its own.
    let main = [" when ", " if "]
        .iter()
        .filter_map(|word| lower.find(word))
        .min()
        .map_or(&*lower, |at| &lower[..at]);
    if main.starts_with("who ") || main.contains(": who ") {
        return false;
    }
    let asked = roots(&words(main));
    let own = roots(said);
    let says = |root: &&String| {
        own.contains(root) || near_to(root).into_iter().any(|near| own.iter().any(|one| one == near))
    };
    let exact = asked.iter().filter(|root| own.contains(root)).count();
    let shared = asked.iter().filter(says).count();
    let is_new = own.iter().any(|root| !asked.contains(root));
    let counts = ["how long", "how many", "how much", "how often", "how soon", "by when", "until when"];
    let figured = counts.iter().any(|word| lower.contains(word))
        && said
            .iter()
            .any(|word| word.text.starts_with(|c: char| c.is_ascii_digit()) || is_number(&word.text));
    let acts = said.iter().any(|word| lists(ACTS, &word.text));
    let enough = shared >= 2 && exact >= 1 && shared * 5 >= asked.len() * 2 || figured && exact >= 1;
    // "One mail per customer" takes one of two.
    let chooses = lower.contains(" or ") && exact >= 2;
    enough && is_new && (acts || figured || chooses)
}

/// Verbs and signs of a statement that lays something down, sorted.
const ACTS: &str = concat!(
    "are|become|becomes|bring|brings|call|calls|check|checks|come|comes|convert|converts|decide|decides|delete|",
    "get|gets|give|gives|go|goes|has|have|is|keep|keeps|leave|leaves|may|move|moves|must|offer|offers|open|opens|pay|pays|",
    "post|posts|put|puts|say|send|sends|show|shows|sign|signs|start|starts|stay|stays|stop|stops|take|takes|use|uses|write|",
    "writes",
);

fn roots(words: &[Word<'_>]) -> Vec<String> {
    let significant = words.iter().filter(|word| is_significant(&word.text) && !lists(SMALL, &word.text));
    let mut found: Vec<String> = significant.map(|word| root(&word.text)).collect();
    found.dedup();
    found
}

/// Words that tell no matter from another.
const SMALL: &str = concat!(
    "after|agreed|before|clear|decided|do|does|far|item|items|known|long|make|many|may|much|open|people|question|settled|",
    "should|tbd|thing|things|time|unclear|us|yet",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_settles_the_line_that_asks_for_it() {
        let open = "Who may open the lock when the harbour master is away?";
        let of = |text: &str| settles(open, text).map(|(what, _)| what);
        let said = "The deputy opens the lock when the harbour master is away";
        assert_eq!(of(said).as_deref(), Some(said));
        for text in [
            "The harbour master is away on Sundays.",
            "The lock is a mess when the harbour master is away.",
            "The deputy should open the lock when the harbour master is away.",
            "The deputy opened the lock last week when the harbour master was away.",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
        let keys = "It is unclear who keeps the keys of the rope room.";
        assert!(settles(keys, "Sam keeps the keys, he lives next door.").is_some());
        assert_eq!(settles(keys, "The keys are lost."), None);
        assert_eq!(settles("How old is the lock of the harbour?", "The lock of the harbour is old."), None);
    }

    #[test]
    fn a_statement_on_an_open_point_settles_it() {
        let of = |open: &str, text: &str| settles(open, text).is_some();
        let forms = "What do we do with the 180 PDF forms?";
        assert!(of(forms, "PDF forms: we convert the 20 most used ones, the rest stays PDF."));
        assert!(of(
            "How long are photos kept after an oar was returned?",
            "photos are deleted after 30 days"
        ));
        assert!(of("Do we send oars by post, and who pays?", "We post oars if the owner pays for it."));
        assert!(of(
            "Does a skipper with several boats get one letter or several?",
            "One letter per skipper with all boats in it."
        ));
        assert!(of("Who asks the police for the closing of the quay?", "Nora goes to the police."));
        for (open, text) in [
            (forms, "The PDF forms are a problem for everybody."),
            (forms, "We got 20 PDF forms too many last week."),
            (forms, "I convert forms every day."),
            ("How long are photos kept?", "Photos were kept for 30 days."),
            ("How long are photos kept?", "The pump takes 30 litres."),
            ("Do we send oars by post, and who pays?", "Should we post oars if somebody pays?"),
        ] {
            assert!(!of(open, text), "{text}");
        }
    }
}
