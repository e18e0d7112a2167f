//! What the user settles by replying to their own question: "Should we print a list?" – "Yes."; "How should people
//! hear of it?" – "They get a letter"; "Who looks after the keys? I'd say the pilot does it".

use super::arrangements::done_by;
use super::decisions::{statements, with_reason};
use super::extract::errand;
use super::rulings::Ruling;
use super::words::{VERBS_OF_A_QUESTION, is_significant, lists, unquoted, words};
use crate::plain::capital;

/// Words that take up a proposal, and those that turn it down.
const YES: &str = "absolutely|certainly|definitely|exactly|ja|sure|yeah|yep|yes";
const NO: &str = "nein|no|nope";
/// How a yes or a no goes on that is no more than that.
const BESIDE: &str = "absolutely|course|definitely|need|no|not|of|please|really|yes";

/// What a bare yes or no decides behind a question of what should be: "Yes, please", "No. Nobody reads it." Where a
/// colleague has read out an open line on it, `open`, behind "do we …?" too.
pub(super) fn assented(asked: &str, text: &str, open: bool) -> Option<Ruling> {
    let question = last_question(asked)?;
    let all = statements(text);
    // "That would need a second driver, so no."
    if let [said] = all.as_slice()
        && let Some((why, no)) = said.trim_end_matches(['.', '!', ' ']).rsplit_once(", so ")
        && matches!(no, "no" | "yes" | "no thanks" | "yes please")
    {
        let what =
            settled(question, no.starts_with("yes")).or_else(|| proposed(question, no.starts_with("yes")));
        return what.map(|what| (what, Some(reason_of(why))));
    }
    let (first, why) = match all.as_slice() {
        [first] => (first, None),
        [first, why] if !why.ends_with(['?', '？']) => (first, Some(why)),
        _ => return None,
    };
    let (answer, behind) = first.split_once(", ").map_or((first.as_str(), None), |(a, b)| (a, Some(b)));
    let found = words(answer);
    let opens = found.first()?;
    let is_yes = lists(YES, &opens.text) || answer.to_ascii_lowercase().starts_with("of course");
    let rest = found.get(1..).unwrap_or_default();
    let bare = rest.iter().all(|word| lists(BESIDE, &word.text));
    let denies = rest.iter().any(|word| word.text == "not");
    if !bare || !(is_yes || lists(NO, &opens.text)) {
        return None;
    }
    let behind =
        behind.filter(|text| !lists(BESIDE, &text.trim_end_matches(['.', '!']).to_ascii_lowercase()));
    let why = match (behind, why) {
        (Some(why), None) => Some(why),
        (None, why) => why.map(String::as_str),
        _ => return None,
    };
    // "Yes, but only on Sundays" says something else, and "no, it rains" gives no reason of ours.
    let hedges = |why: &str| {
        let lower = format!(" {} ", unquoted(why).to_ascii_lowercase());
        HEDGES.iter().any(|word| lower.contains(word))
    };
    if why.is_some_and(hedges) {
        return None;
    }
    let why = why.map(|why| reason_of(why.trim_end_matches(['.', '!', ' '])));
    let yes = is_yes && !denies;
    let does = || {
        let rest =
            question.strip_prefix("do we ").or_else(|| question.strip_prefix("Do we ")).filter(|_| open)?;
        Some(format!("We {}{rest}", if yes { "" } else { "do not " }))
    };
    settled(question, yes).or_else(does).map(|what| (what, why))
}

/// Whether a contribution ends with a question that "yes" would answer.
pub(super) fn asks_yes_or_no(said: &str) -> bool {
    let last = statements(said).pop().unwrap_or_default();
    let clause = last.rsplit([',', ':']).next().unwrap_or_default();
    last.ends_with(['?', '？'])
        && [last.as_str(), clause]
            .iter()
            .any(|part| words(part).first().is_some_and(|first| lists(VERBS_OF_A_QUESTION, &first.text)))
}

/// Words with which a reply says less than yes or no.
pub(super) const HEDGES: [&str; 12] = [
    " but ",
    " depends",
    " except ",
    " i think",
    " maybe ",
    " might ",
    " not sure",
    " only ",
    " or ",
    " perhaps ",
    " probably ",
    " unless ",
];

/// A reason without the word that opens it.
pub(super) fn reason_of(why: &str) -> String {
    let lower = why.to_ascii_lowercase();
    let opens = ["because ", "since ", "as "].iter().find(|word| lower.starts_with(**word));
    let why = why.get(opens.map_or(0, |word| word.len())..).unwrap_or(why);
    let mut letters = why.chars();
    letters.next().map_or(String::new(), |first| format!("{}{}", first.to_lowercase(), letters.as_str()))
}

/// What a question of what should be says, put as what is decided.
fn settled(question: &str, yes: bool) -> Option<String> {
    let lower = question.to_ascii_lowercase();
    let rest = |begin: &str| lower.starts_with(begin).then(|| question[begin.len()..].to_owned());
    if let Some(what) =
        ["should we ", "shall we ", "should i ", "shall i "].iter().find_map(|begin| rest(begin))
    {
        return Some(if yes { capital(&what) } else { format!("Do not {what}") });
    }
    let wants = ["do we need ", "do we want ", "do we have to "];
    if let Some((begin, what)) = wants.iter().find_map(|begin| {
        let begin = [*begin, &begin.replace("do we ", "do we really ")].map(str::to_owned);
        begin.into_iter().find_map(|begin| Some((begin.clone(), rest(&begin)?)))
    }) {
        let verb = begin.trim_start_matches("do we ").trim_start_matches("really ").trim_end();
        return Some(format!("We {}{verb} {what}", if yes { "" } else { "do not " }));
    }
    let modal = ["should ", "shall ", "must "].iter().any(|begin| lower.starts_with(begin));
    modal.then(|| format!("{}? {}", capital(question), if yes { "Yes" } else { "No" }))
}

/// What a question proposes by "could", with the answer behind it.
fn proposed(question: &str, yes: bool) -> Option<String> {
    let lower = question.to_ascii_lowercase();
    let proposes = ["could ", "can ", "would it "].iter().any(|begin| lower.starts_with(begin));
    proposes.then(|| format!("{}? {}", capital(question), if yes { "Yes" } else { "No" }))
}

/// The last question of a text, without its mark and the name it is put to.
fn last_question(asked: &str) -> Option<&str> {
    // "What about euros? Somebody sent some last month" goes on for a sentence.
    let at = asked.rfind('?').filter(|at| words(&asked[at + 1..]).len() <= BEHIND)?;
    let last = asked[..at].rsplit(['.', '!', '?']).next()?.trim_start();
    let named = |before: &str| words(before).len() <= 2 && before.starts_with(char::is_uppercase);
    Some(last.split_once(", ").filter(|(before, _)| named(before)).map_or(last, |(_, rest)| rest))
}

/// As many words may stand behind the question that a reply is to.
const BEHIND: usize = 12;

/// What the user answers their own "how should …?" with: "They get a letter", "By mail to the parents". Where a
/// colleague has read out an open line on what was asked, `open`, any "what" and "how" is answered so.
pub(super) fn laid_down(asked: &str, text: &str, open: bool) -> Option<Ruling> {
    let question = last_question(asked)?;
    let lower = question.to_ascii_lowercase();
    let begins =
        ["how ", "what ", "when ", "where ", "whom ", "who "].iter().any(|word| lower.starts_with(word));
    // "Which languages?" asks for what is to be chosen.
    let is_norm = lower.starts_with("which ") && words(question).len() <= 3
        || begins && (open || format!(" {lower} ").contains(" should "))
        || ["how do we ", "what about ", "what do we do", "when do we ", "where do we "]
            .iter()
            .any(|word| lower.starts_with(word));
    let all = statements(text);
    let [said] = all.as_slice() else { return None };
    let said = said.trim_end_matches(['.', '!', ' ']);
    let plain = format!(" {} ", unquoted(said).to_ascii_lowercase());
    let doubted = DOUBTED.iter().chain(&HEDGES[..4]).any(|word| plain.contains(word));
    let found = words(said);
    let word = |at: usize| found.get(at).map(|word| word.text.to_string()).unwrap_or_default();
    if !is_norm || doubted || said.ends_with(['?', '？']) || !(2..=25).contains(&found.len()) {
        return None;
    }
    // "By mail to the parents" says it of what was asked, and so does "a red flag on the mast".
    let is_thing = lists(THINGS, &word(0)) || word(0).starts_with(|c: char| c.is_ascii_digit());
    let aside = plain.contains(',')
        && (!lower.starts_with("how ") || ["by the way", "in short"].iter().any(|lead| plain.contains(lead)));
    let opens = lists(PREPOSITIONS, &word(0)) && !aside || is_thing && found.len() > 2;
    if opens && found.len() <= 14 && !has_a_verb(&found) {
        return Some((format!("{}? {}", capital(question), capital(said)), None));
    }
    // "Reject it with a clear message" is said to all at the table.
    let to_all = lists(ORDERS, &word(0)) && found.len() > 2 && !lists("me|us|you", &word(1));
    if to_all {
        return Some(with_reason(said)).map(|(what, why)| (capital(&what), why));
    }
    // "English first, German when we have time" to "which languages?"
    let ranks = lower.starts_with("which ") && plain.contains(" first, ");
    if ranks && !lists("he|i|it|she|that|the|they|we", &word(0)) {
        return Some((format!("{}? {}", capital(question), capital(said)), None));
    }
    // "Petra will tick it in the list."
    let named = said.starts_with(char::is_uppercase)
        && !lists("everything|he|i|it|nobody|she|somebody|that|they|this|we|who|you", &word(0));
    let asks_how = lower.starts_with("how ") || lower.starts_with("who ");
    let will = word(1) == "will" || word(2) == "will";
    if named && asks_how && found.len() > 3 && will && errand(said, true).is_none() {
        return Some(with_reason(said));
    }
    let somebody =
        matches!(word(0).as_str(), "they" | "it" | "he" | "she" | "everyone" | "everybody" | "people");
    // "We keep one calendar per office" to a line that asks how.
    let ours = open && word(0) == "we" && (lists(ORDERS, &word(1)) || lists(GETS, &word(1)));
    if ours && found.len() > 3 {
        return Some(with_reason(said));
    }
    let passive = matches!(word(1).as_str(), "is" | "are") && {
        let verb = word(2);
        verb.ends_with("ed") || lists(PARTICIPLES, &verb)
    };
    let does = lists(GETS, &word(1)) || passive;
    (somebody && does && found.len() > 3).then(|| with_reason(said))
}

/// Whether something is done in a text, and it is no part of a sentence.
fn has_a_verb(found: &[super::words::Word<'_>]) -> bool {
    const VERBS: &str = concat!(
        "are|asked|became|broke|came|can|cannot|did|do|does|fell|felt|found|gave|goes|got|had|happened|has|have|he|i|",
        "is|keeps|knew|knows|left|looks|lost|made|means|might|needs|paid|ran|said|saw|says|seems|sent|she|takes|that's|",
        "they|thinks|thought|told|took|wanted|wants|was|we|went|were|who|will|works|would|wrote|you",
    );
    found.iter().any(|word| lists(VERBS, &word.text))
}

/// Words with which a thing begins that nobody has spoken of before.
const THINGS: &str = "a|an|both|each|every|five|four|one|only|six|ten|three|two";

const PREPOSITIONS: &str = "at|by|during|every|in|on|once|through|under|via|with";
/// What somebody does where it is laid down, as it stands behind "they" and behind "he", sorted.
const GETS: &str = concat!(
    "call|calls|come|comes|get|gets|give|gives|go|goes|hear|hears|keep|keeps|lose|loses|must|pay|pays|receive|",
    "receives|remain|remains|see|sees|send|sends|show|shows|sign|signs|stay|stays|take|takes|use|uses|wait|waits",
);
/// What is said to all at the table, sorted.
pub(super) const ORDERS: &str = concat!(
    "accept|add|allow|archive|ask|block|call|cancel|close|delete|email|flag|forward|hide|ignore|keep|lock|log|mail|mark|",
    "move|notify|put|refuse|reject|remove|retry|return|round|send|show|skip|stop|store|tell|truncate|use|warn|write",
);
pub(super) const PARTICIPLES: &str =
    "given|hidden|kept|left|lent|made|paid|put|sent|shown|sold|split|taken|told|written";
/// Words with which an answer tells how things are, or doubts.
pub(super) const DOUBTED: [&str; 14] = [
    " already ",
    " always ",
    " could ",
    " currently ",
    " don't know",
    " last ",
    " now ",
    " often ",
    " should ",
    " sometimes ",
    " today ",
    " usually ",
    " would ",
    " yesterday ",
];

/// A short decision behind "yes" or "no" with the question that it answers: "Can somebody cancel? Yes, up to one week
/// before".
pub(super) fn answering(what: &str, text: &str, asked: &str) -> Option<String> {
    let question = last_question(asked)?;
    let said = statements(text);
    let [said] = said.as_slice() else { return None };
    let (yes, rest) = said.split_once(", ")?;
    let first = words(rest).first().map(|word| word.text.to_string()).unwrap_or_default();
    let is_part = lists(PREPOSITIONS, &first) || lists("after|before|from|only|until|up", &first);
    let is_yes = matches!(yes.to_ascii_lowercase().as_str(), "no" | "yes");
    let asks = words(question).first().is_some_and(|first| lists(VERBS_OF_A_QUESTION, &first.text));
    let same = rest.trim_end_matches(['.', '!', ' ']).eq_ignore_ascii_case(what);
    (is_part && is_yes && asks && same)
        .then(|| format!("{}? {yes}, {}", capital(question), rest.trim_end_matches(['.', '!', ' '])))
}

/// A short decision with the proposal that it takes up: "OK, two weeks it is" behind "I'd suggest that they watch for two
/// weeks first".
pub(super) fn taken_up(what: &str, asked: &str) -> Option<String> {
    let few = words(what);
    let all = statements(asked);
    let begins = [
        "i'd suggest that ",
        "i'd suggest ",
        "i suggest that ",
        "i suggest ",
        "i would suggest ",
        "i propose that ",
        "i propose ",
        "maybe ",
        "perhaps ",
        "how about ",
        "what about ",
    ];
    if few.len() > 3 || !few.iter().any(|word| is_significant(&word.text)) {
        return None;
    }
    all.iter().find_map(|said| {
        let lower = said.replace('’', "'").to_ascii_lowercase();
        let begin = begins.iter().find(|begin| lower.starts_with(**begin))?;
        let behind = said.get(begin.len()..)?.trim_end_matches(['.', '!', '?', ' ']);
        let named = lower.contains(&what.to_ascii_lowercase());
        (named && words(behind).len() > few.len() + 1 && !lower.contains(" or ")).then(|| capital(behind))
    })
}

/// What a message decides that asks who does something and names them: "Who looks after the keys? I'd say the pilot
/// does it, he is here every day."
pub(super) fn named_by_oneself(text: &str) -> Option<Ruling> {
    let all = statements(text);
    let at = all.iter().position(|one| one.to_ascii_lowercase().starts_with("who ") && one.ends_with('?'))?;
    let (asked, answer) = (all[at].trim_end_matches('?'), all.get(at + 1)?);
    let lower = answer.to_ascii_lowercase();
    let begins = ["i'd say ", "i would say ", "i say "];
    let begin = begins.iter().find(|begin| lower.starts_with(**begin))?;
    let said = answer[begin.len()..].trim_end_matches(['.', '!', ' ']);
    let (whom, why) = said.split_once(", ").map_or((said, None), |(whom, why)| (whom, Some(why)));
    let ends = [" does it", " does that", " should do it", " can do it", " is the one", " takes it"];
    let name = ends.iter().find_map(|end| whom.strip_suffix(end)).unwrap_or(whom);
    let first = name.split(' ').next().unwrap_or_default().to_ascii_lowercase();
    let is_name = name.starts_with(char::is_uppercase) || matches!(first.as_str(), "the" | "our" | "my");
    let short = (1..=4).contains(&words(name).len());
    (is_name && short && !answer.ends_with(['?', '？']) && all.len() <= at + 3).then(|| {
        let why = why.filter(|why| words(why).len() > 2).map(str::to_owned);
        (done_by(name, asked), why)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_yes_or_no_settles_what_should_be() {
        for (asked, text, what, why) in [
            ("Should we lend ropes to guests?", "Yes.", "Lend ropes to guests", None),
            (
                "Alex, shall we paint the hull?",
                "no, nobody sees it",
                "Do not paint the hull",
                Some("nobody sees it"),
            ),
            ("Do we need to keep the old pump?", "No.", "We do not need to keep the old pump", None),
            ("Do we want a second flag?", "Yes please", "We want a second flag", None),
            (
                "Do we really need a crane?",
                "Yes, three skippers asked for it.",
                "We need a crane",
                Some("three skippers asked for it"),
            ),
            ("Should the pilot sign for it?", "Of course.", "Should the pilot sign for it? Yes", None),
            (
                "Could the ferry leave at 10?",
                "That would need a second crew, so no.",
                "Could the ferry leave at 10? No",
                Some("that would need a second crew"),
            ),
            (
                "Should we lend ropes?",
                "Yes. Because the store is full.",
                "Lend ropes",
                Some("the store is full"),
            ),
        ] {
            let found = assented(asked, text, false);
            assert_eq!(found, Some((what.to_owned(), why.map(str::to_owned))), "{asked} {text}");
        }
        for (asked, text) in [
            ("Should we lend ropes?", "Yes, but only oars."),
            ("Should we lend ropes?", "Yes, I think so, maybe."),
            ("Should we lend ropes?", "Not sure."),
            ("Is the pump old?", "Yes."),
            ("Does the ferry run?", "No."),
            ("Should we lend ropes?", "Yes or no?"),
            ("We lend ropes.", "Yes."),
        ] {
            assert_eq!(assented(asked, text, false), None, "{asked} {text}");
        }
    }

    #[test]
    fn an_answer_to_ones_own_how_lays_it_down() {
        let of = |asked: &str, text: &str| laid_down(asked, text, false).map(|(what, _)| what);
        assert_eq!(
            of("Jordan, how should a skipper hear of it?", "They get a line on the board, no letters."),
            Some("They get a line on the board, no letters".to_owned())
        );
        assert_eq!(
            of("How should a skipper hear of it?", "By a note on the board."),
            Some("How should a skipper hear of it? By a note on the board".to_owned())
        );
        assert_eq!(
            of("Where do we put the oars?", "They are kept in the shed.").as_deref(),
            Some("They are kept in the shed")
        );
        for (asked, text) in [
            ("How should a skipper hear of it?", "They always get angry."),
            ("How should a skipper hear of it?", "They are rude people."),
            ("How does the pump work?", "It takes air in at noon."),
            ("How should a skipper hear of it?", "They get a letter today."),
            ("How should a skipper hear of it?", "I don't know."),
            ("How should a skipper hear of it?", "In June it was hot."),
        ] {
            assert_eq!(of(asked, text), None, "{asked} {text}");
        }
        let open = |asked: &str, text: &str| laid_down(asked, text, true).map(|(what, _)| what);
        assert_eq!(
            open("What does a skipper see when the lock is shut?", "A red flag on the mast.").as_deref(),
            Some("What does a skipper see when the lock is shut? A red flag on the mast")
        );
        let about = |text: &str| laid_down("What about a torn sail?", text, false).map(|(what, _)| what);
        assert_eq!(
            about("reject it with a clear message").as_deref(),
            Some("Reject it with a clear message")
        );
        assert_eq!(about("send me a note"), None);
        assert_eq!(
            open("Which languages?", "english first, german when we have time").as_deref(),
            Some("Which languages? English first, german when we have time")
        );
        for text in
            ["A nurse told me that once.", "Good question.", "A can of worms?", "One of them fell off."]
        {
            assert_eq!(open("What does a skipper see when the lock is shut?", text), None, "{text}");
        }
    }

    #[test]
    fn a_short_decision_has_the_proposal_that_it_takes_up() {
        let of = |what: &str, asked: &str| taken_up(what, asked);
        assert_eq!(
            of("Two weeks", "I'd suggest that guests watch for two weeks first.").as_deref(),
            Some("Guests watch for two weeks first")
        );
        assert_eq!(of("Two weeks", "How long do guests watch?"), None);
        assert_eq!(of("Two weeks", "I'd suggest one week or two weeks."), None);
        assert_eq!(of("Two weeks at the pier then", "I'd suggest two weeks at the pier then for all."), None);
    }

    #[test]
    fn a_part_of_a_sentence_behind_a_yes_has_its_question() {
        let of = |what: &str, text: &str| answering(what, text, "Can somebody cancel a berth?");
        assert_eq!(
            of("Up to one week before", "Yes, up to one week before.").as_deref(),
            Some("Can somebody cancel a berth? Yes, up to one week before")
        );
        assert_eq!(of("The pilot cancels it", "Yes, the pilot cancels it."), None);
    }

    #[test]
    fn who_it_is_may_stand_behind_its_question() {
        let of = |text: &str| named_by_oneself(text);
        assert_eq!(
            of("Who looks after the keys? I'd say Kim does it, she's here every day."),
            Some(("Kim looks after the keys".to_owned(), Some("she's here every day".to_owned())))
        );
        assert_eq!(
            of("Who opens the gate? I'd say the pilot."),
            Some(("The pilot opens the gate".to_owned(), None))
        );
        assert_eq!(of("Who opens the gate? I'd say we ask around."), None);
        assert_eq!(of("Who opens the gate? The pilot is ill."), None);
    }

    #[test]
    fn a_bare_no_settles_an_open_line_that_was_read_out() {
        let open = |text: &str| assented("do we keep the old list?", text, true).map(|(what, _)| what);
        assert_eq!(open("no").as_deref(), Some("We do not keep the old list"));
        assert_eq!(assented("do we keep the old list?", "no", false), None);
    }
}
