//! The synthesis by rule: what a discussion came to, read off its log (FR-008).
//!
//! Every entry is taken from the words of the turns it names; nothing is added to them. Decisions
//! come first: no decision is lost, one in a redirected input or in an exit message neither.

use super::Discussion;
use super::event::{Class, Event, Purpose};
use super::summary::{Decision, Insight, ONE_LINE, Question, Summary, USER};
use super::words::{subjects, unquoted, words};
use crate::persona::Persona;
use crate::plain::{capital, cut, one_line};

/// The longest entry of a synthesis, in characters.
const ENTRY: usize = 400;
/// Entries of a kind beyond these are left to the recording; decisions are never left out.
const MOST_INSIGHTS: usize = 8;
const MOST_QUESTIONS: usize = 6;

/// Something said, with the turn an entry made of it rests on.
struct Said {
    turn: u32,
    by: String,
    text: String,
    sentences: Vec<String>,
    /// An exit message is no turn: what it decides rests on the turn before it.
    is_turn: bool,
    class: Option<Class>,
    purpose: Option<Purpose>,
}

/// Reads the synthesis off a discussion.
pub fn summary(talk: &Discussion<'_>) -> Summary {
    let said = said(talk);
    let decisions = decisions(&said, talk);
    let insights = insights(&said);
    let open_questions = questions(&said, &decisions, talk);
    let action_items = actions(&said);
    let summary = in_one_line(&decisions, &insights, &open_questions, talk);
    Summary { insights, decisions, open_questions, action_items, summary }
}

fn said(talk: &Discussion<'_>) -> Vec<Said> {
    let mut last = 0;
    let mut found = Vec::new();
    for record in talk.log() {
        let (turn, by, text, class, purpose) = match &record.event {
            Event::Contribution(said) => {
                (Some(said.turn), said.by.as_str(), &said.text, None, Some(said.purpose))
            }
            Event::User(message) => (message.turn, USER, &message.text, Some(message.class), None),
            _ => continue,
        };
        last = turn.unwrap_or(last);
        found.push(Said {
            turn: last,
            by: by.to_owned(),
            text: text.clone(),
            sentences: sentences(text),
            is_turn: turn.is_some(),
            class,
            purpose,
        });
    }
    found
}

/// The sentences of a text, each on one line. A full stop ends a sentence before white space and
/// a capital letter, a digit or a quotation mark; `requirements-spec.md line 4` holds none.
pub fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(one_line) {
        let mut start = 0;
        let mut open = false;
        for (at, c) in line.char_indices() {
            open ^= c == '"';
            if open || !matches!(c, '.' | '!' | '?' | '"' | '。' | '？') {
                continue;
            }
            let after = &line[at + c.len_utf8()..];
            // Only what stands behind a blank can begin a sentence.
            let next = after.strip_prefix(' ').and_then(|after| after.split(' ').next()).unwrap_or_default();
            // A file's name may open a sentence in lower case.
            let file = next.trim_end_matches('.').contains('.');
            let begins = after.starts_with(' ') && (file || !next.starts_with(char::is_lowercase));
            let ends = c != '"' || line[..at].ends_with(['.', '?', '!']);
            if ends && (after.is_empty() || begins || c == '。') {
                found.push(line[start..at + c.len_utf8()].trim().to_owned());
                start = at + c.len_utf8();
            }
        }
        found.push(line[start..].trim().to_owned());
    }
    found.retain(|sentence| !words(sentence).is_empty());
    found
}

/// Words that open a decision; what follows them is decided.
const DECIDES: [&str; 34] = [
    "we decided",
    "we have decided",
    "we've decided",
    "i decided",
    "i've decided",
    "it is decided",
    "decided:",
    "decision:",
    "the decision is",
    "agreed:",
    "agreed,",
    "agreed that",
    "agreed to",
    "we agreed",
    "we agree on",
    "we agree that",
    "we agree to",
    "let's go with",
    "lets go with",
    "let us go with",
    "we'll go with",
    "we will go with",
    "we go with",
    "i'd go with",
    "i would go with",
    "i'll go with",
    "we're going with",
    "we settled on",
    "we settle on",
    "let's settle on",
    "settled:",
    "we chose",
    "we choose",
    "we'll use",
];
/// Words that open a decision of the user's only: a persona may propose with them.
const USER_DECIDES: [&str; 9] = [
    "let's use",
    "lets use",
    "let us use",
    "we will use",
    "let's adopt",
    "let's choose",
    "let's pick",
    "let's keep",
    "let's drop",
];
/// Each of the words above has one of these in it: most sentences have none.
const ROOTS: [&str; 10] =
    ["decid", "decision", "agree", " with", "settle", "cho", "use", "let's ", "lets ", "let us "];
/// Words before a decision that take it back.
const UNDECIDED: [&str; 12] = [
    "not ", "n't ", "never ", "if ", "whether ", "should ", "could ", "before ", "until ", "unless ",
    "maybe ", "perhaps ",
];

/// What a sentence decides, and why.
pub fn decided(sentence: &str, by_user: bool) -> Option<(String, Option<String>)> {
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    let sentence = sentence.replace('’', "'");
    // Blanks for what is quoted, ASCII letters in lower case: every byte keeps its place.
    let lower = unquoted(&sentence).to_ascii_lowercase();
    if !ROOTS.iter().any(|root| lower.contains(root)) {
        return None;
    }
    let markers = DECIDES.iter().chain(if by_user { USER_DECIDES.iter() } else { [].iter() });
    let found = markers.filter_map(|marker| Some((find_word(&lower, marker)?, marker.len()))).min();
    let (at, length) = found?;
    let before = format!("{} ", &lower[..at]);
    if UNDECIDED.iter().any(|word| before.contains(word)) || lower[at..].starts_with("let's keep going") {
        return None;
    }
    // A colleague who only quotes a decision decides nothing new.
    if !by_user && words(&lower[at + length..]).is_empty() {
        return None;
    }
    let rest = sentence.get(at + length..)?.trim_start_matches([':', ',', ' ']);
    let rest = ["that ", "to ", "on ", "in favor of "]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
        .unwrap_or(rest);
    let rest = rest.trim_end_matches(['.', '!', '。', ' ']);
    if words(rest).is_empty() {
        return None;
    }
    let reasons = [" because ", " since ", " so that ", ", as ", " - ", " -- ", " — "];
    let reason = reasons.iter().filter_map(|word| Some((rest.find(word)?, word.len()))).min();
    let (what, why) = match reason {
        Some((at, length)) => (&rest[..at], Some(rest[at + length..].trim())),
        None => (rest, None),
    };
    Some((
        capital(what.trim_end_matches([',', ' '])),
        why.filter(|why| !words(why).is_empty()).map(str::to_owned),
    ))
}

/// Where `phrase` stands in `text` at the beginning of a word.
fn find_word(text: &str, phrase: &str) -> Option<usize> {
    text.match_indices(phrase).map(|(at, _)| at).find(|&at| {
        let ends =
            phrase.ends_with([':', ',']) || !text[at + phrase.len()..].starts_with(char::is_alphanumeric);
        ends && !text[..at].ends_with(char::is_alphanumeric)
    })
}

fn decisions(said: &[Said], talk: &Discussion<'_>) -> Vec<Decision> {
    let mut found: Vec<Decision> = Vec::new();
    for one in said.iter().filter(|one| one.turn > 0 && one.purpose != Some(Purpose::Framing)) {
        for sentence in &one.sentences {
            let Some((text, why)) = decided(sentence, one.by == USER) else { continue };
            let settled = format!("settled by {} in turn {}", name(&one.by, talk), one.turn);
            if let Some(same) = found.iter_mut().find(|same| is_same(&same.text, &text)) {
                if !same.turns.contains(&one.turn) {
                    same.turns.push(one.turn);
                }
                if let (Some(why), true) = (why, same.rationale.starts_with("settled by ")) {
                    same.rationale = cut(&why, ENTRY);
                }
                continue;
            }
            let rationale = cut(&why.unwrap_or(settled), ENTRY);
            found.push(Decision { text: cut(&text, ENTRY), rationale, turns: vec![one.turn] });
        }
    }
    found
}

fn name(by: &str, talk: &Discussion<'_>) -> String {
    talk.library().cast.get(by).map_or("the user", Persona::first_name).to_owned()
}

/// Two texts about the same: at least two thirds of their subjects are shared.
fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (subjects(a), subjects(b));
    let shared = a.iter().filter(|word| b.contains(word)).count();
    let all = a.len() + b.len() - shared;
    all > 0 && shared * 3 >= all * 2
}

fn insights(said: &[Said]) -> Vec<Insight> {
    let mut found: Vec<Insight> = Vec::new();
    let speaks = |one: &&Said| {
        one.is_turn
            && one.purpose != Some(Purpose::Framing)
            && !matches!(one.class, Some(Class::OffTopic | Class::Unclear))
    };
    for one in said.iter().filter(speaks) {
        let Some(text) = telling(one) else { continue };
        if let Some(same) = found.iter_mut().find(|same| is_same(&same.text, &text)) {
            for (list, key) in [(&mut same.by, &one.by)] {
                if !list.contains(key) {
                    list.push(key.clone());
                }
            }
            same.turns.push(one.turn);
            continue;
        }
        found.push(Insight { text: cut(&text, ENTRY), by: vec![one.by.clone()], turns: vec![one.turn] });
    }
    found.truncate(MOST_INSIGHTS);
    found
}

/// The statement of a contribution that says most: it names a place, a number or somebody's
/// words, and asks nothing.
fn telling(one: &Said) -> Option<String> {
    let least = if one.by == USER { 4 } else { 6 };
    let statements = one.sentences.iter().filter(|sentence| {
        !sentence.ends_with(['?', '？', ':'])
            // A colleague who sums up a decision adds nothing to it.
            && !sentence.starts_with("So we agree on ")
            && words(sentence).len() >= least
            && decided(sentence, one.by == USER).is_none()
    });
    let weight = |sentence: &&String| {
        let named =
            sentence.contains('"') as usize + sentence.contains(|c: char| c.is_ascii_digit()) as usize;
        (named, subjects(sentence).len().min(12))
    };
    // `max_by_key` gives the last of equals; the first is wanted.
    let best = statements.collect::<Vec<_>>().into_iter().rev().max_by_key(weight)?;
    Some(without_opening(best))
}

/// A sentence without the reference to a colleague that leads into it.
fn without_opening(sentence: &str) -> String {
    let openings = ["Building on ", "To add to what ", "On \"", "From a ", "From an "];
    let opened = openings.iter().any(|opening| sentence.starts_with(opening));
    let sentence = sentence.strip_prefix("However, ").unwrap_or(sentence);
    let tail = opened.then(|| sentence.split_once(": ")).flatten().map(|(_, tail)| tail);
    capital(tail.unwrap_or(sentence).trim_end_matches('.'))
}

fn questions(said: &[Said], decisions: &[Decision], talk: &Discussion<'_>) -> Vec<Question> {
    let mut found: Vec<Question> = Vec::new();
    for (at, one) in said.iter().enumerate().rev() {
        if !one.is_turn || one.purpose == Some(Purpose::Framing) {
            continue;
        }
        let Some(text) = one.sentences.iter().rfind(|sentence| sentence.ends_with(['?', '？'])) else {
            continue;
        };
        let text = without_opening(text);
        let doubled = found.iter().any(|other| is_same(&other.text, &text));
        if words(&text).len() < 3 || doubled || is_settled(one, &text, &said[at + 1..], decisions) {
            continue;
        }
        let who = capital(&name(&one.by, talk));
        let why = match one.class {
            Some(Class::OffTopic) => "set aside as another step's business; it belongs there".to_owned(),
            Some(_) => "the discussion ended before an answer; the item's owner settles it".to_owned(),
            None => "no answer in the discussion; the item's owner settles it".to_owned(),
        };
        let context = format!("{who} asked in turn {}; {why}", one.turn);
        found.push(Question { text: cut(&text, ENTRY), context, turns: vec![one.turn] });
    }
    found.truncate(MOST_QUESTIONS);
    found.reverse();
    found
}

/// Whether something later answers a question: for the user's, a persona's answer; for a
/// persona's, a message of the user or a decision about the same.
fn is_settled(one: &Said, question: &str, later: &[Said], decisions: &[Decision]) -> bool {
    if one.class == Some(Class::OffTopic) {
        return false;
    }
    if one.by == USER {
        return later.iter().any(|next| next.purpose == Some(Purpose::Answer));
    }
    let asked = subjects(question);
    let about = |text: &str| {
        let said = subjects(text);
        let shared = asked.iter().filter(|word| said.contains(word)).count();
        shared >= 2.min(asked.len().max(1))
    };
    let told = later.iter().filter(|next| next.by == USER && next.class != Some(Class::OffTopic));
    told.into_iter().any(|next| !next.text.trim_end().ends_with('?') && about(&next.text))
        || decisions
            .iter()
            .any(|decision| decision.turns.iter().any(|turn| *turn > one.turn) && about(&decision.text))
}

/// Words that open something to do.
const ACTS: [&str; 9] = [
    "action:",
    "action item:",
    "to do:",
    "todo:",
    "next step:",
    "i will ",
    "i'll ",
    "somebody needs to ",
    "someone needs to ",
];

fn actions(said: &[Said]) -> Vec<Insight> {
    let mut found = Vec::new();
    for one in said.iter().filter(|one| one.is_turn && one.class != Some(Class::OffTopic)) {
        for sentence in &one.sentences {
            let lower = sentence.to_ascii_lowercase();
            let acts = ACTS.iter().find(|marker| lower.starts_with(**marker));
            let Some(marker) = acts.filter(|_| decided(sentence, true).is_none()) else { continue };
            let whole = marker.starts_with("i") || marker.starts_with("some");
            let text = if whole { sentence.as_str() } else { sentence[marker.len()..].trim() };
            if words(text).len() >= 2 {
                let text = cut(&capital(text.trim_end_matches('.')), ENTRY);
                found.push(Insight { text, by: vec![one.by.clone()], turns: vec![one.turn] });
            }
        }
    }
    found
}

/// One sentence for the record in meta.json: what was decided, or what was found, and how much.
fn in_one_line(
    decisions: &[Decision],
    insights: &[Insight],
    open: &[Question],
    talk: &Discussion<'_>,
) -> String {
    let counted =
        Summary { insights: insights.to_vec(), open_questions: open.to_vec(), ..Summary::default() };
    let rest = counted.description();
    let Some(first) = decisions.first() else {
        return cut(&format!("{} on {}", capital(&rest), talk.step().title), ONE_LINE);
    };
    let more = match decisions.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let tail = format!("{more}; {rest}");
    let room = ONE_LINE.saturating_sub(tail.chars().count() + "Decided: ".len());
    format!("Decided: {}{tail}", cut(&first.text, room.max(20)))
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
            "The undecided: colours",
        ] {
            assert_eq!(user(text), None, "{text}");
        }
        assert_eq!(decided("Let's use SQLite.", false), None);
    }

    #[test]
    fn every_word_that_decides_has_its_root() {
        for marker in DECIDES.iter().chain(&USER_DECIDES) {
            assert!(ROOTS.iter().any(|root| marker.contains(root)), "{marker}");
        }
        assert_eq!(
            user("She’s quoting “it’s” but we decided on naïve “it’s” merging.").unwrap().0,
            "Naïve “it's” merging"
        );
    }

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        let text = "requirements-spec.md line 4 says \"Fast. Very fast.\" today. What is fast? v1.2 is out\nNext line";
        assert_eq!(
            sentences(text),
            [
                "requirements-spec.md line 4 says \"Fast. Very fast.\" today.",
                "What is fast?",
                "v1.2 is out",
                "Next line"
            ]
        );
    }
}
