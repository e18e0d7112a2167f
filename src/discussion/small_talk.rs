//! What is said at a table and has nothing to do with it: the weather, the train, a birthday.

use super::extract::Said;
use super::facts::placed;
use super::summary::USER;
use super::words::{lists, words};
use crate::voice::wording::keeps_out;

/// What people talk about beside the matter, sorted. Where the documents speak of it, it is a matter.
const TOPICS: &str = concat!(
    "birthday|breakfast|cheers|coffee|concert|congratulations|daughter|dinner|doorbell|football|haircut|",
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

/// What a sentence speaks of that is nobody's matter, unless the documents have it.
pub(crate) fn small_talk(sentence: &str) -> Option<&'static str> {
    let found = words(sentence);
    let matter = found.iter().any(|word| lists(OF_THE_MATTER, &word.text));
    let counts = sentence.contains(|c: char| c.is_ascii_digit());
    let topic = TOPICS.split('|').find(|topic| found.iter().any(|word| word.text == *topic));
    topic.filter(|_| !matter && !counts && found.len() <= LONGEST)
}

/// Whether a message of the user's is said in passing: nobody had a line of a document on it.
pub(super) fn is_in_passing(one: &Said, said: &[Said]) -> bool {
    let all = || one.sentences.iter().all(|sentence| small_talk(sentence).is_some());
    let answers = || said.iter().filter(|other| other.turn > one.turn).take_while(|other| other.by != USER);
    let read_out =
        || answers().flat_map(|other| &other.sentences).any(|sentence| !placed(sentence).is_empty());
    // The voice has held it against the documents.
    let kept_out =
        || answers().next().is_some_and(|first| first.sentences.iter().any(|said| keeps_out(said)));
    one.by == USER && !one.sentences.is_empty() && !read_out() && (all() || kept_out())
}

/// Whether a sentence tells of the speaker alone: "I've lost my blue pen". Whether that is nobody's matter, the
/// documents say.
pub(crate) fn is_of_oneself(sentence: &str) -> bool {
    let found = words(sentence);
    let says = |all: &[&str]| found.iter().any(|word| all.contains(&word.text.as_ref()));
    let own = says(&["i", "i've", "i'm", "i'd", "my", "me", "ich", "mein", "meine", "mir"]);
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
        "wir",
        "uns",
    ]);
    let counts = sentence.contains(|c: char| c.is_ascii_digit());
    let matter = found.iter().any(|word| lists(OF_THE_MATTER, &word.text));
    own && !of_all && !counts && !matter && found.len() <= LONGEST && !sentence.ends_with(['?', '？'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_in_passing_is_told_from_a_matter() {
        assert_eq!(small_talk("My train was forty minutes late this morning"), Some("train"));
        assert_eq!(small_talk("Is there any coffee left in the other room?"), Some("coffee"));
        assert!(is_of_oneself("I've lost my blue pen again") && !is_of_oneself("I want our pump back"));
        assert_eq!(small_talk("The train must stop at the gate"), None);
        assert_eq!(small_talk("The train leaves at 14:50"), None);
        assert_eq!(small_talk("The pump stops at noon"), None);
    }
}
