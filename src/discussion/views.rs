//! Questions for what each of the three sees: "What is the biggest problem here?", "Did we forget something?" They
//! are answered by whoever answers, and no document is missing a line on them.

use super::words::phrase;

/// What is not there …
const MISSING: [&str; 19] = [
    "anything missing",
    "anything we forgot",
    "anything we have forgotten",
    "anything we missed",
    "anything we've forgotten",
    "anything we've missed",
    "are we missing",
    "did we forget",
    "did we miss",
    "did i forget",
    "do you miss",
    "have we forgotten",
    "is anything missing",
    "is missing",
    "what else is there",
    "what do we still need",
    "what is left",
    "what's left",
    "what's missing",
];
/// … and what weighs most.
const WEIGHS: [&str; 43] = [
    "any concerns",
    "any objections",
    "any risks",
    "any worries",
    "biggest concern",
    "biggest concerns",
    "biggest problem",
    "biggest problems",
    "biggest risk",
    "biggest risks",
    "biggest worries",
    "biggest worry",
    "could go wrong",
    "good idea",
    "do you see a problem",
    "do you see any",
    "greatest risk",
    "greatest risks",
    "main problem",
    "main problems",
    "main risk",
    "main risks",
    "most important thing",
    "most urgent",
    "weak point",
    "weak spot",
    "weakest part",
    "weakest point",
    "what bothers you",
    "what concerns you",
    "what do you all think",
    "what do you see",
    "what do you think of it",
    "what do you think of this",
    "what worries you",
    "where is it weak",
    "where would you begin",
    "where would you start",
    "worries you most",
    "would you build it",
    "would you change",
    "would you do it",
    "your concerns",
];

/// What a question for views wants to hear of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Views {
    pub missing: bool,
    pub weighed: bool,
}

/// What a text asks the three for that they have found themselves.
pub(crate) fn views_asked_for(text: &str) -> Views {
    let lower = format!(" {} ", phrase(text));
    let says = |all: &[&str]| all.iter().any(|words| lower.contains(&format!(" {words} ")));
    // "What's left in the box?" asks for the box.
    let left = ["what is left ", "what's left "].iter().filter_map(|words| lower.split_once(words)).next();
    if left.is_some_and(|(_, rest)| !rest.is_empty() && !rest.starts_with("to ")) {
        return Views::default();
    }
    let of_you = says(&["you"]) && says(&["bothers", "concerns", "worries", "worry"]) && says(&["what"]);
    Views { missing: says(&MISSING), weighed: says(&WEIGHS) || of_you }
}

/// How a question begins that only asks what the others think.
const OPINIONS: [&str; 6] =
    ["do you like ", "do you think ", "what do you think ", "what would you ", "would you ", "your opinion "];

/// Whether a question asks what weighs most with the three, or what they miss, and names nothing else.
pub(super) fn asks_for_views(question: &str) -> bool {
    let bare = phrase(question);
    let bare = [" something", " anything", " here", " so far"]
        .iter()
        .fold(bare.as_str(), |bare, end| bare.strip_suffix(end).unwrap_or(bare));
    let before = ["what's missing before", "what is missing before", "what do we still need before"];
    let opinion = || OPINIONS.iter().any(|begin| bare.starts_with(begin));
    views_asked_for(question).weighed
        || opinion()
        || before.iter().any(|words| bare.starts_with(words))
        || MISSING.iter().any(|words| bare.ends_with(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_three_have_found_is_asked_for_in_such_words() {
        for text in
            ["What worries you most about the ferry?", "What's the biggest risk here?", "Any concerns?"]
        {
            assert!(asks_for_views(text), "{text}");
        }
        assert!(views_asked_for("Did we forget something?").missing && asks_for_views("What did we forget?"));
        assert!(
            asks_for_views("What worries each of you most?")
                && asks_for_views("Is there anything we have forgotten?")
        );
        assert!(!asks_for_views("Which risk does the ferry have at night?"));
        assert!(
            !asks_for_views("Did we forget the pump?") && !views_asked_for("What's left in the box?").missing
        );
    }
}
