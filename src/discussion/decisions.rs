//! What a message decides, by rule (contract, section 5: no decision is lost).
//!
//! Two kinds of words decide. Some say so wherever they stand and whoever says them ("we decided",
//! "agreed:", "let's go with"). Others decide only in the mouth of the user, who is there to decide:
//! "OK, we'll count working days", "then reminders become a Could", "import is out". A question, a
//! condition or a doubt decides nothing.

use super::extract::sentences;
use super::words::{unquoted, words};
use crate::plain::capital;

/// The statements of a text, cut finer than its sentences, for what may decide something: people
/// type in lower case, and a question may follow behind a comma.
pub fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for sentence in sentences(&text.replace(['*', '_'], "").replace('’', "'")) {
        let mut start = 0;
        for (at, c) in sentence.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | ';' | ',')) {
            let after = &sentence[at + 1..];
            let word = sentence[..at].rsplit(' ').next().unwrap_or_default().to_ascii_lowercase();
            let short = matches!(word.as_str(), "e.g" | "i.e" | "etc" | "vs" | "approx" | "no" | "ca");
            let ends = if c == ',' { after.starts_with(" but ") } else { after.starts_with(' ') && !short };
            if ends {
                found.push(sentence[start..=at].trim_matches([' ', ',', ';']).to_owned());
                start = at + 1;
            }
        }
        found.push(sentence[start..].trim().to_owned());
    }
    found
}

/// Words that open a decision wherever they stand; what follows them is decided.
const DECIDES: [&str; 28] = [
    "we decided",
    "we have decided",
    "we've decided",
    "i decided",
    "i've decided",
    "we decide to",
    "we decide on",
    "i decide:",
    "it is decided",
    "it was decided",
    "decided:",
    "decision:",
    "decision -",
    "the decision is",
    "my decision is",
    "approved:",
    "agreed:",
    "agreed,",
    "agreed that",
    "agreed to",
    "we agreed",
    "we've agreed",
    "we have agreed",
    "we agree on",
    "we agree that",
    "we agree to",
    "settled:",
    "we settled on",
];
/// Words that open a decision only at the beginning of what is said: elsewhere they tell of one.
const DECIDES_AT_START: [&str; 27] = [
    "let's go with",
    "lets go with",
    "let us go with",
    "go with",
    "we'll go with",
    "we will go with",
    "we go with",
    "i'd go with",
    "i would go with",
    "i'll go with",
    "we're going with",
    "we are going with",
    "i'm going with",
    "we've settled on",
    "we have settled on",
    "we settle on",
    "let's settle on",
    "we chose",
    "we choose",
    "i choose",
    "i pick",
    "we've chosen",
    "we have chosen",
    "we'll use",
    "we will use",
    "we pick",
    "going with",
];
/// Words that open a decision of the user's only: a persona may propose with them.
const USER_DECIDES: [&str; 12] = [
    "let's use",
    "lets use",
    "let us use",
    "let's adopt",
    "let's choose",
    "let's pick",
    "let's keep",
    "lets keep",
    "let us keep",
    "let us drop",
    "let's drop",
    "let's take",
];
/// Each of the words above has one of these in it: most sentences have none.
const ROOTS: [&str; 12] = [
    "decid", "decision", "agree", " with", "settle", "cho", "use", "let's ", "lets ", "let us ", "pick",
    "approved",
];
/// Words before a decision, in its own clause, that take it back.
const UNDECIDED: [&str; 20] = [
    "not ", "n't ", "never ", "if ", "whether ", "should ", "could ", "before ", "until ", "unless ",
    "maybe ", "perhaps ", "nobody ", "said ", "says ", "thinks ", "once ", "when ", "what ", "which ",
];
/// What may stand before words that have to come first.
const LEADS_IN: &str = " ok okay so then and yes yeah well right fine good great alright therefore thus now no also actually finally thanks i think ";
/// What follows "let's keep" and the like where nothing is decided, and after "agreed".
const NOTHING: [&str; 24] = [
    "in mind",
    "going",
    "it short",
    "it simple",
    "this short",
    "this simple",
    "it brief",
    "the subject",
    "the topic",
    "this subject",
    "this topic",
    "talking",
    "moving",
    "on track",
    "at it",
    "later",
    "this up",
    "it up",
    "this time",
    "a step",
    "a break",
    "disagree",
    "nothing",
    "it from",
];

/// What a statement decides, and why.
pub fn decided(sentence: &str, by_user: bool) -> Option<(String, Option<String>)> {
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    let sentence = sentence.replace('’', "'");
    // Blanks for what is quoted, ASCII letters in lower case: every byte keeps its place.
    let lower = unquoted(&sentence).to_ascii_lowercase();
    if !ROOTS.iter().any(|root| lower.contains(root)) && !lower.starts_with("go") {
        return None;
    }
    let (at, length) = opening(&lower, by_user)?;
    // A colleague who only quotes a decision decides nothing new.
    if !by_user && words(&lower[at + length..]).is_empty() {
        return None;
    }
    // "Let's drop the maps" decides to drop them: the verb is what is decided.
    let kept = [" drop", " keep", " take"].iter().find(|verb| lower[at..at + length].ends_with(**verb));
    let from = at + length - kept.map_or(0, |verb| verb.len());
    fn bare(text: &str) -> &str {
        let text = text.trim_start_matches([':', ',', ' ']);
        let small = ["that ", "to ", "on ", "in favor of "];
        small.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text)
    }
    let rest = bare(sentence.get(from..)?);
    let rest = rest.trim_end_matches(['.', '!', '。', ' ']);
    let begins = bare(sentence.get(at + length..)?).to_ascii_lowercase();
    if words(rest).is_empty() || NOTHING.iter().any(|word| find_word(&begins, word) == Some(0)) {
        return None;
    }
    let (what, why) = match reason(rest) {
        Some((at, length)) => (&rest[..at], Some(rest[at + length..].trim())),
        None => (rest, None),
    };
    Some((
        capital(what.trim_end_matches([',', ' '])),
        why.filter(|why| !words(why).is_empty()).map(str::to_owned),
    ))
}

/// Where in a statement the words stand that decide, and how long they are.
fn opening(lower: &str, by_user: bool) -> Option<(usize, usize)> {
    let clause = |at: usize| {
        let start = lower[..at].rfind([',', ';', ':']).map_or(0, |comma| comma + 1);
        format!("{} ", &lower[start..at])
    };
    let free = |at: usize| !UNDECIDED.iter().any(|word| clause(at).contains(word));
    let first = |at: usize| clause(at).split_whitespace().all(|word| LEADS_IN.contains(&format!(" {word} ")));
    let anywhere = DECIDES.iter().filter_map(|marker| Some((find_word(lower, marker)?, marker.len())));
    let own = if by_user { USER_DECIDES.iter() } else { [].iter() };
    let at_start = DECIDES_AT_START.iter().chain(own);
    let at_start = at_start.filter_map(|marker| Some((find_word(lower, marker)?, marker.len())));
    anywhere
        .filter(|(at, _)| free(*at))
        .chain(at_start.filter(|(at, _)| first(*at)))
        .min_by_key(|(at, length)| (*at, usize::MAX - length))
}

/// Where a reason begins, and how long the word is that opens it.
fn reason(text: &str) -> Option<(usize, usize)> {
    let opens = [" because ", " since ", " so that ", ", as ", " - ", " -- ", " — "];
    let found = opens.iter().filter_map(|word| {
        let at = text.find(word)?;
        // "since 2019" and "5 - 10" give no reason.
        let letters = text[at + word.len()..].starts_with(char::is_alphabetic)
            && (word.trim() != "-" || text[..at].ends_with(char::is_alphabetic));
        letters.then_some((at, word.len()))
    });
    found.min()
}

/// Where `phrase` stands in `text` at the beginning of a word.
fn find_word(text: &str, phrase: &str) -> Option<usize> {
    text.match_indices(phrase).map(|(at, _)| at).find(|&at| {
        let ends =
            phrase.ends_with([':', ',']) || !text[at + phrase.len()..].starts_with(char::is_alphanumeric);
        ends && !text[..at].ends_with(char::is_alphanumeric)
    })
}

/// Every decision of a message, with its reason where it gives one.
pub fn decisions_in(text: &str, by_user: bool) -> Vec<(String, Option<String>)> {
    let statements = statements(text);
    let mut found: Vec<(usize, (String, Option<String>))> = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| statements[before].to_ascii_lowercase());
        let after_decision = found.last().is_some_and(|(last, _)| last + 1 == at);
        let decision = by_user.then(|| closed(statement)).flatten();
        let decision = decision.or_else(|| decided(statement, by_user)).or_else(|| {
            let led = before.as_deref().is_some_and(is_only_leads);
            by_user.then(|| ruled(statement, led, after_decision)).flatten()
        });
        if let Some(decision) = decision {
            found.push((at, decision));
        } else if by_user && !after_decision && closes(statement) && at > 0 {
            found.push((at, with_reason(&statements[at - 1])));
        }
    }
    found.into_iter().map(|(_, decision)| decision).collect()
}

/// Words that lead in to what is settled; several may follow one another.
const LEADS: [&str; 30] = [
    "after some back and forth",
    "all right",
    "alright",
    "also",
    "and",
    "do that",
    "fair enough",
    "fair point",
    "fine",
    "good",
    "great",
    "gut",
    "let us do it that way",
    "let's do it that way",
    "ok",
    "okay",
    "perfect",
    "right",
    "settled",
    "settled then",
    "so",
    "so the answer is no",
    "so the answer is yes",
    "that means",
    "the answer is no",
    "the answer is yes",
    "then",
    "well",
    "yeah",
    "yes",
];

/// What is left of a statement, in lower case, behind the words that lead in; and whether there were any.
fn without_leads(lower: &str) -> (&str, bool) {
    let (mut rest, mut led) = (lower.trim_start(), false);
    loop {
        let stripped = LEADS.iter().filter_map(|lead| {
            let after = rest.strip_prefix(lead)?;
            let ends = after.is_empty() || after.starts_with([' ', ',', ':', '.', '!']);
            ends.then(|| after.trim_start_matches([' ', ',', ':', '.', '!']))
        });
        let Some(shorter) = stripped.min_by_key(|after| after.len()) else { return (rest, led) };
        (rest, led) = (shorter, true);
    }
}

fn is_only_leads(lower: &str) -> bool {
    let (rest, led) = without_leads(lower);
    led && words(rest).is_empty()
}

/// Words with which nothing is decided, wherever they stand in a statement of the user's.
const DOUBTS: [&str; 32] = [
    " ask ",
    " asked ",
    " could ",
    " either ",
    " guess ",
    " haven't ",
    " hope ",
    " idea ",
    " maybe ",
    " might ",
    " not decided",
    " not sure",
    " or not",
    " perhaps ",
    " probably ",
    " proposal ",
    " propose ",
    " suggest",
    " should ",
    " think",
    " thinks",
    " is unclear",
    " undecided",
    " unless ",
    " until we ",
    " what ",
    " whether ",
    " wonder",
    " would ",
    " hasn't ",
    " doubt",
    " open question",
];

/// Verbs behind "we'll" that settle nothing.
const IDLE: [&str; 26] = [
    "ask", "be", "check", "come", "discuss", "find", "get", "go", "have", "hear", "know", "let", "look",
    "meet", "move", "need", "never", "return", "see", "talk", "think", "try", "wait", "want", "all",
    "probably",
];

/// What the user settles without a word that says so.
fn ruled(statement: &str, led_before: bool, after_decision: bool) -> Option<(String, Option<String>)> {
    if statement.trim_end().ends_with(['?', '？']) || words(statement).len() < 3 {
        return None;
    }
    let lower = unquoted(statement).to_ascii_lowercase();
    // What is doubted in a reason is not what is decided, and MoSCoW's "a Should" is no doubt.
    let what = reason(&lower).map_or(lower.as_str(), |(at, _)| &lower[..at]);
    let padded = format!(" {what} ").replace(" a should ", " a want ").replace(" a could ", " a want ");
    if DOUBTS.iter().any(|doubt| padded.contains(doubt)) || lower.starts_with("if ") {
        return None;
    }
    let (rest, led) = without_leads(&lower);
    let is_settled = lower.trim_start().starts_with("settled");
    let led = led || led_before;
    // ASCII letters in lower case: every byte keeps its place.
    let said = &statement[statement.len() - rest.len()..];
    let first = |phrases: &[&str]| phrases.iter().find_map(|phrase| rest.strip_prefix(phrase)).map(str::len);
    // "We'll count working days": what will be done.
    if let Some(left) = first(&["we'll ", "we will ", "we are going to ", "we're going to "]) {
        let verb = words(&rest[rest.len() - left..]).first().map(|word| word.text.to_string());
        let idle = verb.is_none_or(|verb| IDLE.contains(&verb.as_str()));
        return (!idle).then(|| with_reason(&said[said.len() - left..]));
    }
    if let Some(left) = first(&[
        "then we ",
        "wir haben beschlossen, dass ",
        "wir haben beschlossen ",
        "wir haben entschieden, dass ",
    ]) {
        return Some(with_reason(&said[said.len() - left..]));
    }
    let takes = [
        "we've ruled out ",
        "we have ruled out ",
        "we won't ",
        "we will not ",
        "we stick with ",
        "we drop ",
        "we skip ",
        "we go for ",
        "we begin with ",
        "we start with ",
        "we postpone ",
        "we leave out ",
        "no new ",
        "no more ",
        "wir bleiben bei ",
        "es bleibt bei ",
        "wir nehmen ",
    ];
    let led_takes = [
        "we take ",
        "we keep ",
        "we leave ",
        "we add ",
        "we move ",
        "we split ",
        "we replace ",
        "we stop ",
        "we use ",
        "we make ",
        "we put ",
        "dann lassen wir ",
        "dann nehmen wir ",
        "lassen wir ",
    ];
    let gerund = rest.strip_prefix("we're ").or_else(|| rest.strip_prefix("we are ")).is_some_and(|after| {
        let verb = after.split(' ').next().unwrap_or_default();
        [
            "cutting",
            "dropping",
            "splitting",
            "keeping",
            "moving",
            "replacing",
            "skipping",
            "adding",
            "removing",
        ]
        .contains(&verb)
    });
    let is_took = rest.starts_with("we take ") && rest.contains(", not ");
    if first(&takes).is_some() || gerund || is_took || led && first(&led_takes).is_some() {
        return Some(with_reason(said));
    }
    if is_settled {
        return Some(with_reason(said));
    }
    let chosen = rest.starts_with("for ")
        && [" we choose ", " we take ", " we use ", " it's ", " it is "]
            .iter()
            .any(|verb| rest.contains(verb));
    if chosen {
        return Some(with_reason(said));
    }
    for agreed in [
        "agreed that ",
        "agreed yesterday that ",
        "agreed today that ",
        "agreed now that ",
        "agreed finally that ",
    ] {
        if let Some(at) = rest.find(agreed) {
            return Some(with_reason(&said[at + agreed.len()..]));
        }
    }
    // "Import is out", "retries stay at two days": a state that is laid down.
    let laid_down = [
        " are frozen",
        " is frozen",
        " from now on",
        " is out",
        " are out",
        " stay at ",
        " stays at ",
        " stay as ",
        " stays as ",
        " stays untouched",
        " stay untouched",
        " become a ",
        " becomes a ",
        " becomes the ",
        " become the ",
        " remains as ",
        " stays off ",
    ];
    let ends = |at: usize, length: usize| {
        let after = &rest[at + length..];
        !after.starts_with(char::is_alphanumeric) && !after.starts_with(" of ")
    };
    let lays_down = laid_down.iter().any(|phrase| {
        rest.match_indices(phrase).any(|(at, _)| phrase.ends_with(' ') || ends(at, phrase.len()))
    });
    let hearsay = ["i ", "you ", "there ", "it ", "he ", "she ", "my ", "that ", "this ", "not "];
    let own = !hearsay.iter().any(|word| rest.starts_with(word));
    if lays_down && own {
        return Some(with_reason(said));
    }
    // Behind "right." or "so", or behind another decision, a plain statement goes on with it.
    let states = [
        " is ", " are ", " gets ", " get ", " goes ", " moves ", " move ", " takes ", " take ", " wins",
        " loses ", " can't ", " cannot ", " must ",
    ];
    let goes_on = led && own && states.iter().any(|verb| padded.contains(verb));
    let follows = after_decision
        && own
        && [" are not ", " is not ", " are replaced", " is replaced", " are kept", " is kept"]
            .iter()
            .any(|verb| padded.contains(verb));
    (goes_on || follows).then(|| with_reason(said))
}

/// What a statement says before it closes with "so we do that" and the like.
fn closed(statement: &str) -> Option<(String, Option<String>)> {
    let lower = statement.to_ascii_lowercase();
    let ends = [
        ", so we do that",
        ", so we'll do that",
        ", we agreed on that",
        ", that's decided",
        ", that is decided",
        ", that's settled",
        ", that is settled",
    ];
    let at = ends.iter().find_map(|end| lower.find(end))?;
    let (rest, _) = without_leads(&lower[..at]);
    Some(with_reason(&statement[at - rest.len()..at]))
}

/// Whether a statement closes what stood before it: "That's decided."
fn closes(statement: &str) -> bool {
    let lower = statement.to_ascii_lowercase();
    let (rest, _) = without_leads(&lower);
    let rest = rest.trim_end_matches(['.', '!', ' ']);
    // Somebody who has to be asked has been asked.
    let approved =
        rest.ends_with(" said yes") || rest.ends_with(" has approved it") || rest.ends_with(" approved it");
    approved
        || [
            "that's decided",
            "that is decided",
            "that's settled",
            "that is settled",
            "that's final",
            "that is final",
            "decided",
            "so we decided",
            "we agreed on that",
        ]
        .contains(&rest)
}

/// A statement as a decision: what, and why where it says so.
fn with_reason(statement: &str) -> (String, Option<String>) {
    let rest = statement.trim().trim_end_matches(['.', '!', '。', ' ']);
    let (what, why) = match reason(rest) {
        Some((at, length)) => (&rest[..at], Some(rest[at + length..].trim())),
        None => (rest, None),
    };
    (capital(what.trim_end_matches([',', ' '])), why.filter(|why| !words(why).is_empty()).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Option<(String, Option<String>)> {
        decided(text, true)
    }

    #[test]
    fn decisions_are_recognised_with_their_reason() {
        for (text, what, why) in [
            ("We decided to keep the queue.", "Keep the queue", None),
            (
                "Let's go with merging because nobody may lose a photo.",
                "Merging",
                Some("nobody may lose a photo"),
            ),
            ("Agreed: one review screen", "One review screen", None),
            ("Ok, we'll go with option A since it is cheap", "Option A", Some("it is cheap")),
            ("Let’s use SQLite.", "SQLite", None),
            ("Decision: no cloud.", "No cloud", None),
            ("If two edits collide, we'll go with the newer one.", "The newer one", None),
            ("We do not need the cloud, so we decided to keep the data here.", "Keep the data here", None),
            ("We decided on a 5 - 10 second timeout.", "A 5 - 10 second timeout", None),
            ("We decided to keep everything since 2019.", "Keep everything since 2019", None),
            ("Go with option A.", "Option A", None),
        ] {
            assert_eq!(user(text), Some((what.to_owned(), why.map(str::to_owned))), "{text}");
        }
    }

    #[test]
    fn what_is_not_decided_is_no_decision() {
        for text in [
            "We haven't decided on the queue.",
            "Should we go with option A?",
            "If we decided to wait, what happens?",
            "She wrote \"we decided to wait\" on the board.",
            "Agreed.",
            "Let's keep going.",
            "Which database we'll use is still unclear.",
            "The option we chose last year failed.",
            "We have decided nothing yet.",
            "Nobody said we agreed to that plan.",
            "We agreed to disagree.",
            "He thinks we'll use Postgres",
            "Let's keep in mind that users are offline.",
            "Let's pick this up later",
            "The undecided: colours",
        ] {
            assert_eq!(user(text), None, "{text}");
        }
        assert_eq!(decided("Let's use SQLite.", false), None);
    }

    #[test]
    fn statements_are_cut_where_people_cut_them() {
        let cut = |text: &str| {
            statements(text).iter().filter_map(|one| user(one)).map(|found| found.0).collect::<Vec<_>>()
        };
        assert_eq!(cut("ok. let's go with sqlite. what about photos?"), ["Sqlite"]);
        assert_eq!(cut("Let's go with SQLite, but what about photos?"), ["SQLite"]);
        assert_eq!(cut("The file is 10\" wide. We agreed to drop photos. What next?"), ["Drop photos"]);
        assert_eq!(cut("**Decision:** SQLite for storage"), ["SQLite for storage"]);
    }

    #[test]
    fn every_word_that_decides_has_its_root() {
        for marker in DECIDES.iter().chain(&DECIDES_AT_START).chain(&USER_DECIDES) {
            assert!(ROOTS.iter().any(|root| marker.contains(root)), "{marker}");
        }
        assert_eq!(
            user("She’s quoting “it’s” but we decided on naïve “it’s” merging.").unwrap().0,
            "Naïve “it's” merging"
        );
    }

    #[test]
    fn the_user_settles_in_plain_words() {
        for (text, wanted) in [
            (
                "OK, we'll count working days instead of calendar days.",
                "Count working days instead of calendar days",
            ),
            ("Right, import is out. The director types it.", "Import is out"),
            (
                "Then reminders become a Could, and we look again in autumn.",
                "Reminders become a Could, and we look again in autumn",
            ),
            (
                "Fair point. Then we leave the relatives out for now, because the switchboard gets its own project.",
                "We leave the relatives out for now",
            ),
            ("So private phones are not supported.", "Private phones are not supported"),
            ("The newer one wins. That's decided.", "The newer one wins"),
            (
                "For storage it's the present hoster, because the price is fixed.",
                "For storage it's the present hoster",
            ),
            ("Retries stay at two bank days.", "Retries stay at two bank days"),
            ("We stick with our own script.", "We stick with our own script"),
            (
                "So the answer is no, we don't touch the debts, and the fee is kept.",
                "We don't touch the debts, and the fee is kept",
            ),
            ("Gut, dann lassen wir den Raumtausch weg.", "Dann lassen wir den Raumtausch weg"),
        ] {
            let found: Vec<String> = decisions_in(text, true).into_iter().map(|(what, _)| what).collect();
            assert!(found.iter().any(|one| one == wanted), "{text}: {found:?}");
            assert!(decisions_in(text, false).is_empty() || text.contains("decided"), "{text}");
        }
    }

    #[test]
    fn doubts_plans_to_talk_and_facts_settle_nothing() {
        for text in [
            "We'll see about that.",
            "OK, we'll discuss it with the board.",
            "I'm not sure the 7 days are right, over Christmas everybody is away.",
            "The head of the library thinks this is a small thing.",
            "There was a proposal to allow corrections until closing. We haven't decided.",
            "A code that was already used once has to be refused the second time.",
            "We keep the paper for ten years.",
            "What if the parcel is out of the box?",
            "So what does the courier see?",
            "Is import out?",
            "The stock is out of date.",
            "Maybe reminders become a Could.",
        ] {
            assert_eq!(decisions_in(text, true), Vec::new(), "{text}");
        }
    }
}
