//! The synthesis by rule: what a discussion came to, read off its log (FR-008).
//!
//! Every entry is taken from the words of the turns it names; nothing is added to them. Decisions
//! come first: no decision is lost, one in a redirected input or in an exit message neither.

use super::Discussion;
use super::decisions::decisions_in;
use super::event::{Class, Event, Purpose};
use super::summary::{Decision, Insight, ONE_LINE, Question, Summary, USER};
use super::words::{subjects, words};
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
    Summary { insights, decisions, open_questions, action_items, summary, voice: None }
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
/// a capital letter, a digit, a quotation mark or a file's name; what is quoted stays whole.
pub fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(one_line) {
        let whole = split(&line, true);
        // A quotation mark that nobody closes quotes nothing.
        found.extend(whole.unwrap_or_else(|| split(&line, false).unwrap_or_default()));
    }
    found.retain(|sentence| !words(sentence).is_empty());
    found
}

/// The sentences of a line; none where `quotes` count and one of them stays open.
fn split(line: &str, quotes: bool) -> Option<Vec<String>> {
    let (mut found, mut start, mut open, mut before) = (Vec::new(), 0, false, ' ');
    for (at, c) in line.char_indices() {
        if c == '"' && quotes {
            // 10" is a measure: a quotation begins at a word's beginning.
            open = !open && (before == ' ' || before == '(');
        }
        let last = std::mem::replace(&mut before, c);
        if open || !matches!(c, '.' | '!' | '?' | '"' | '。' | '？') {
            continue;
        }
        let after = &line[at + c.len_utf8()..];
        // Only what stands behind a blank can begin a sentence.
        let next = after.strip_prefix(' ').and_then(|after| after.split(' ').next()).unwrap_or_default();
        // A file's name may open a sentence in lower case.
        let file = next.trim_end_matches('.').contains('.');
        let begins = after.starts_with(' ') && (file || !next.starts_with(char::is_lowercase));
        let ends = c != '"' || matches!(last, '.' | '?' | '!');
        if ends && (after.is_empty() || begins || c == '。') {
            found.push(line[start..at + c.len_utf8()].trim().to_owned());
            start = at + c.len_utf8();
        }
    }
    found.push(line[start..].trim().to_owned());
    (!open).then_some(found)
}

fn decisions(said: &[Said], talk: &Discussion<'_>) -> Vec<Decision> {
    let mut found: Vec<Decision> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    for one in said.iter().filter(|one| one.turn > 0 && one.purpose != Some(Purpose::Framing)) {
        for (text, why) in decisions_in(&one.text, one.by == USER) {
            let settled = match one.is_turn {
                true => format!("settled by {} in turn {}", name(&one.by, talk), one.turn),
                false => "settled by the user as the discussion ended".to_owned(),
            };
            let at = *known.entry(same_words(&text)).or_insert(found.len());
            if let Some(same) = found.get_mut(at) {
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

/// What two decisions must share to be one: every word but the articles. A number or a "not"
/// makes another decision of it.
fn same_words(text: &str) -> std::collections::BTreeSet<String> {
    let small = ["a", "an", "the", "to", "on", "that"];
    let words = words(text).into_iter().map(|word| word.text);
    words.filter(|word| !small.contains(&word.as_ref())).map(std::borrow::Cow::into_owned).collect()
}

fn name(by: &str, talk: &Discussion<'_>) -> String {
    talk.library().cast.get(by).map_or("the user", Persona::first_name).to_owned()
}

/// Two texts, given by their subjects, about the same: at least two thirds of them are shared.
fn is_same(a: &[String], b: &[String]) -> bool {
    let shared = a.iter().filter(|word| b.contains(word)).count();
    let all = a.len() + b.len() - shared;
    all > 0 && shared * 3 >= all * 2
}

fn insights(said: &[Said]) -> Vec<Insight> {
    let (mut found, mut about): (Vec<Insight>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    let speaks = |one: &&Said| {
        one.is_turn
            && one.purpose != Some(Purpose::Framing)
            && !matches!(one.class, Some(Class::OffTopic | Class::Unclear))
    };
    for one in said.iter().filter(speaks) {
        let Some(text) = telling(one) else { continue };
        let text = cut(&text, ENTRY);
        let subjects = subjects(&text);
        if let Some(at) = about.iter().position(|same| is_same(same, &subjects)) {
            let same = &mut found[at];
            for (list, key) in [(&mut same.by, &one.by)] {
                if !list.contains(key) {
                    list.push(key.clone());
                }
            }
            same.turns.push(one.turn);
            continue;
        }
        found.push(Insight { text, by: vec![one.by.clone()], turns: vec![one.turn] });
        about.push(subjects);
    }
    found.truncate(MOST_INSIGHTS);
    found
}

/// How a colleague takes up a decision: it is one already, and no insight beside it.
const TAKES_UP: [&str; 9] = [
    "So we agree on \"",
    "So what changes for people is \"",
    "So if somebody is used to the old way, \"",
    "\" fixes the contract",
    " is an architectural decision, and ",
    "The price of \"",
    " closes one option and opens a dependency at ",
    "To write \"",
    " becomes checkable with one case: ",
];

/// The statement of a contribution that says most: it names a place, a number or somebody's
/// words, and asks nothing.
fn telling(one: &Said) -> Option<String> {
    if one.by != USER
        && one.sentences.first().is_some_and(|first| TAKES_UP.iter().any(|way| first.contains(way)))
    {
        return None;
    }
    let least = if one.by == USER { 4 } else { 6 };
    let statements = one.sentences.iter().filter(|sentence| {
        let empty = sentence.starts_with("On \"")
            && ["says nothing yet.", "says anything yet.", "could say anything."]
                .iter()
                .any(|end| sentence.ends_with(end));
        !empty
            && !sentence.ends_with(['?', '？', ':'])
            && words(sentence).len() >= least
            && decisions_in(sentence, one.by == USER).is_empty()
    });
    let weight = |sentence: &&String| {
        let named =
            sentence.contains('"') as usize + sentence.contains(|c: char| c.is_ascii_digit()) as usize;
        // What a document says is the occasion; what a persona makes of it is the insight.
        (!sentence.starts_with("On \""), named, subjects(sentence).len().min(12))
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
    let (mut found, mut about): (Vec<Question>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    for (at, one) in said.iter().enumerate().rev() {
        if !one.is_turn || one.purpose == Some(Purpose::Framing) {
            continue;
        }
        let Some(text) = one.sentences.iter().rfind(|sentence| sentence.ends_with(['?', '？'])) else {
            continue;
        };
        let text = bare_question(&without_opening(text));
        let subjects = subjects(&text);
        let doubled = about.iter().any(|other| is_same(other, &subjects));
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
        about.push(subjects);
    }
    found.truncate(MOST_QUESTIONS);
    found.reverse();
    found
}

/// A question without the words that lead in to it: what stands behind the last colon, where that is a
/// question by itself.
fn bare_question(text: &str) -> String {
    let tail = text.rsplit_once(": ").map(|(_, tail)| tail);
    let whole = tail.filter(|tail| tail.starts_with(char::is_uppercase) && words(tail).len() >= 4);
    whole.unwrap_or(text).to_owned()
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
            let idle = ["i will not ", "i'll not ", "i will be ", "i'll be "]
                .iter()
                .any(|words| lower.starts_with(words));
            let Some(marker) = acts.filter(|_| !idle && decisions_in(sentence, true).is_empty()) else {
                continue;
            };
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
