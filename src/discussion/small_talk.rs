//! What is said at a table and has nothing to do with it: the weather, the train, a birthday.

use super::event::Purpose;
use super::extract::Said;
use super::facts::placed;
use super::summary::USER;
use super::words::{lists, words};
use crate::voice::forms::keeps_out;

/// What people talk about beside the matter, sorted. Where the documents speak of it, it is a matter.
const TOPICS: &str = concat!(
    "birthday|breakfast|cake|cat|cheers|coffee|concert|congratulations|daughter|dinner|dog|doorbell|football|freezing|haircut|",
    "headache|hungry|husband|lunch|match|movie|picnic|pizza|rain|raining|rains|sandwich|smells|",
    "sneezed|snow|snowing|soccer|son|stuffy|sunny|traffic|train|umbrella|vacation|weather|weekend|wife|window",
);
/// A sentence of more words, or with a figure, says more.
const LONGEST: usize = 18;
/// Words with which a matter is spoken of, whatever it is.
const OF_THE_MATTER: &str = concat!(
    "allow|app|cancel|change|customer|customers|decide|decided|must|need|needed|needs|require|requirement|shall|should|",
    "support|system|user|users",
);

/// Signs that somebody speaks of the moment, or of themselves.
const OF_THE_MOMENT: [&str; 20] = [
    " by the way",
    " congratulations",
    " happy ",
    " hold on",
    " i ",
    " i'm ",
    " i've ",
    " almost a pity",
    " in here",
    " isn't it",
    " just so you know",
    " last night",
    " lovely ",
    " my ",
    " out there",
    " sorry",
    " this morning",
    " today",
    " what a ",
    " yesterday",
];
/// What people ask of each other at a table.
const ASKED_AT_A_TABLE: [&str; 12] = [
    " any coffee",
    " anybody else ",
    " anyone else ",
    " could somebody ",
    " did anybody ",
    " did anyone ",
    " did somebody ",
    " did you see ",
    " has anybody seen ",
    " is it just me",
    " or is it me",
    " who took my ",
];
/// What happens to a speaker and to nobody else.
const HAPPENS: [&str; 9] =
    ["bought", "dreamt", "forgot", "forgotten", "lost", "misplaced", "overslept", "saw", "spilled"];

/// How long a speaker has, and when they go.
const LEAVES: [&str; 5] =
    [" i have to go ", " i have to leave ", " i must go ", " i need to leave ", " i only have "];

/// What a sentence speaks of that is nobody's matter, unless the documents have it.
pub(crate) fn small_talk(sentence: &str) -> Option<&'static str> {
    let found = words(sentence);
    let matter = found.iter().any(|word| lists(OF_THE_MATTER, &word.text));
    let counts = sentence.contains(|c: char| c.is_ascii_digit());
    let padded = format!(" {} ", sentence.to_lowercase().replace('’', "'"));
    let says = |signs: &[&str]| signs.iter().any(|sign| padded.contains(sign));
    let asks = sentence.trim_end().ends_with(['?', '？']);
    let in_passing = if asks { says(&ASKED_AT_A_TABLE) } else { says(&OF_THE_MOMENT) };
    let topic = TOPICS.split('|').find(|topic| found.iter().any(|word| word.text == *topic));
    topic.filter(|_| in_passing && !matter && !counts && found.len() <= LONGEST)
}

/// Whether a sentence only fills a pause: "Anyway."
pub(crate) fn is_filler(sentence: &str) -> bool {
    !sentence.ends_with(['?', '？']) && words(sentence).iter().all(|word| lists(FILLERS, &word.text))
}

/// What fills a pause.
const FILLERS: &str = "afternoon|ah|all|alright|anyway|everybody|everyone|good|hello|hi|hm|hmm|morning|oh|ok|okay|right|so|sorry|then|well";

/// Whether a message of the user's is said in passing: nobody had a line of a document on it.
pub(super) fn is_in_passing(one: &Said, said: &[Said]) -> bool {
    let all = || {
        one.sentences.iter().any(|sentence| small_talk(sentence).is_some())
            && one.sentences.iter().all(|sentence| small_talk(sentence).is_some() || is_filler(sentence))
    };
    // What is said in a silence answers nothing.
    let to_it = |other: &&Said| matches!(other.purpose, Some(Purpose::Answer | Purpose::FollowUp));
    let behind = || said.iter().filter(|other| other.turn > one.turn).take_while(|other| other.by != USER);
    let answers = || behind().filter(to_it);
    let read_out =
        || answers().flat_map(|other| &other.sentences).any(|sentence| !placed(sentence).is_empty());
    // The voice has held it against the documents.
    let kept_out =
        || answers().next().is_some_and(|first| first.sentences.iter().any(|said| keeps_out(said)));
    one.by == USER && !one.sentences.is_empty() && !read_out() && (all() || kept_out())
}

/// Whether a sentence tells of what happened to the speaker alone: "I've lost my blue pen". Whether that is nobody's
/// matter, the documents say.
pub(crate) fn is_of_oneself(sentence: &str) -> bool {
    let found = words(sentence);
    let says = |all: &[&str]| found.iter().any(|word| all.contains(&word.text.as_ref()));
    let own = says(&["i", "i've"]);
    let of_all = says(&[
        "we",
        "we've",
        "us",
        "our",
        "they",
        "customers",
        "users",
        "people",
        "everybody",
        "every",
        "always",
    ]);
    let counts = sentence.contains(|c: char| c.is_ascii_digit());
    let matter = found.iter().any(|word| lists(OF_THE_MATTER, &word.text));
    let padded = format!(" {} ", sentence.to_lowercase());
    let leaves = LEAVES.iter().any(|sign| padded.contains(sign));
    own && (says(&HAPPENS) || leaves)
        && !of_all
        && !counts
        && !matter
        && found.len() <= LONGEST
        && !sentence.ends_with(['?', '？'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_in_passing_is_told_from_a_matter() {
        for text in [
            "My train was forty minutes late this morning",
            "Is there any coffee left in the other room?",
            "The weather is awful for November, isn't it.",
            "Happy birthday to whoever brought the cake",
            "Is anyone else freezing in here?",
            "Hold on, the dog wants out.",
            "Did somebody take my umbrella from the hall?",
        ] {
            assert!(small_talk(text).is_some(), "{text}");
        }
        for text in [
            "The train must stop at the gate",
            "The train leaves at 14:50",
            "The pump stops at noon",
            "Our train drivers refuse the new tablet.",
            "Rain ruins the sensors.",
            "Traffic on the bridge delays every delivery.",
            "Who pays for lunch?",
            "What happens in rain?",
        ] {
            assert_eq!(small_talk(text), None, "{text}");
        }
        assert!(is_of_oneself("I've lost my blue pen again"));
        assert!(is_of_oneself("I only have half an hour, the plumber comes at ten."));
        assert!(is_filler("Morning everyone!") && !is_filler("Morning boats"));
        for text in ["My auditors want receipts kept forever.", "I am blind and rely on a screen reader."] {
            assert!(!is_of_oneself(text), "{text}");
        }
    }
}
