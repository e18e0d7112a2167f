//! The synthesis by rule: what a discussion came to, read off its log (FR-008).
//!
//! Every entry is taken from the words of the turns it names; nothing is added to them. Decisions
//! come first: no decision is lost, one in a redirected input or in an exit message neither.

use super::Discussion;
use super::address::own_words;
use super::alternatives::{answer_to, answer_to_itself, figure_for};
use super::arrangements::told_oneself;
use super::decisions::decisions_in;
use super::event::{Class, Event, NoticeKind, Purpose, Record};
use super::facts::{is_open, placed, told};
use super::in_brief::in_one_line;
use super::insights::insights;
use super::open_points::settles;
use super::questions::questions;
use super::replies::{answering, asks_yes_or_no, assented, laid_down, named_by_oneself, taken_up};
use super::rulings::consented;
use super::summary::{Decision, Insight, Summary, USER};
use super::words::{lists, with_its_mark, words};
use crate::beside::shared;
use crate::persona::Persona;
use crate::plain::{capital, cut, one_line};
use crate::voice::forms::shows_an_answer;

/// The longest entry of a synthesis, in characters.
pub(super) const ENTRY: usize = 400;

/// Something said, with the turn an entry made of it rests on.
pub(super) struct Said {
    pub turn: u32,
    pub by: String,
    pub text: String,
    pub sentences: Vec<String>,
    /// An exit message is no turn: what it decides rests on the turn before it.
    pub is_turn: bool,
    pub class: Option<Class>,
    pub purpose: Option<Purpose>,
    /// What it decides, and why.
    pub decides: Vec<(String, Option<String>)>,
}

/// What a message of the user's decides, and why, `before` being the log up to it: by its own words, or
/// as the answer to a choice, the user's own or the one that a disagreement was put to.
pub fn decided_by(text: &str, before: &[Record]) -> Vec<(String, Option<String>)> {
    let text = own_words(text);
    let mut found = decisions_in(&text, true);
    if found.is_empty() {
        return implied(&text, before);
    }
    let asked = before.iter().rev().find_map(|record| match &record.event {
        Event::User(message) => Some(message.text.as_str()),
        _ => None,
    });
    if let (Some(asked), [(what, _)]) = (asked, found.as_mut_slice())
        && let Some(whole) = taken_up(what, asked).or_else(|| answering(what, &text, asked))
    {
        *what = whole;
    }
    found
}

/// What the user decides without saying so: by an answer to what they asked themselves, or were asked before.
pub fn implied(text: &str, before: &[Record]) -> Vec<(String, Option<String>)> {
    if let Some(own) = answer_to_itself(text).or_else(|| named_by_oneself(text)) {
        return vec![own];
    }
    let asked = before.iter().rev().find_map(|record| match &record.event {
        Event::User(message) => Some(message.text.as_str()),
        Event::Notice(notice) if notice.notice == NoticeKind::Disagreement => Some(notice.text.as_str()),
        _ => None,
    });
    let since = || {
        let since = before.iter().rev().take_while(|record| !matches!(record.event, Event::User(_)));
        since.filter_map(|record| match &record.event {
            Event::Contribution(said) => Some(said.text.as_str()),
            _ => None,
        })
    };
    // "Yes" behind a colleague's own question is an answer to that one.
    let asked_back = || since().any(asks_yes_or_no);
    let open_shown = || since().flat_map(placed).any(|(_, line)| is_open(&line));
    // What nobody could answer out of the documents is open as well.
    let answered = || since().flat_map(sentences).any(|said| shows_an_answer(&said));
    let asks_how = || asked.is_some_and(|asked| format!(" {}", asked.to_lowercase()).contains(" how "));
    let unanswered = || asks_how() && since().next().is_some() && !answered();
    let answer = |asked: &str| {
        answer_to(asked, text)
            .or_else(|| figure_for(asked, text))
            .or_else(|| consented(asked, text))
            .or_else(|| told_oneself(asked, text))
            .or_else(|| laid_down(asked, text, open_shown() || unanswered()))
            .or_else(|| assented(asked, text, open_shown()).filter(|(_, why)| why.is_some() || !asked_back()))
    };
    asked.and_then(answer).into_iter().collect()
}

/// What a statement settles of a line that leaves something open: the line is the documents' own question.
pub(crate) fn settled_of(open: &str, text: &str) -> Option<(String, Option<String>)> {
    settles(open, text)
}

/// Reads the synthesis off a discussion.
pub fn summary(talk: &Discussion<'_>) -> Summary {
    let said = said(talk);
    let decisions = decisions(&said, talk);
    let told = told(&said, &decisions, &talk.library().cast);
    let open_questions = questions(&said, &decisions, &told, talk);
    let insights = insights(&said, &decisions, &told, &open_questions, talk);
    let action_items = actions(&said);
    let summary = in_one_line(&decisions, &insights, &open_questions, &said, &talk.step().title);
    Summary { insights, decisions, open_questions, action_items, summary, voice: None }
}

fn said(talk: &Discussion<'_>) -> Vec<Said> {
    let words: Vec<_> = talk
        .log()
        .iter()
        .enumerate()
        .filter_map(|(at, record)| match &record.event {
            Event::Contribution(said) => {
                Some((at, Some(said.turn), said.by.as_str(), &said.text, None, Some(said.purpose)))
            }
            Event::User(message) => Some((at, message.turn, USER, &message.text, Some(message.class), None)),
            _ => None,
        })
        .collect();
    let taken_apart = shared(words.len(), |number| match words[number] {
        (at, _, USER, text, ..) => {
            (decided_by(text, &talk.log()[..at]), sentences(below_heading(&own_words(text))))
        }
        (_, _, _, text, ..) => (decisions_in(text, false), sentences(text)),
    });
    let mut last = 0;
    let said = words.into_iter().zip(taken_apart);
    let mut said: Vec<Said> = said
        .map(|((_, turn, by, text, class, purpose), (decides, sentences))| {
            last = turn.unwrap_or(last);
            Said {
                turn: last,
                by: by.to_owned(),
                text: text.clone(),
                sentences,
                is_turn: turn.is_some(),
                class,
                purpose,
                decides,
            }
        })
        .collect();
    settled_where_it_stands(&mut said);
    said
}

/// What the user states on a line that asks for it is decided, where the answer reads that line out.
fn settled_where_it_stands(said: &mut [Said]) {
    for at in 0..said.len() {
        let Some((one, later)) = said.get_mut(at..).and_then(<[Said]>::split_first_mut) else { return };
        if one.by == USER && one.is_turn && one.decides.is_empty() && one.class != Some(Class::OffTopic) {
            let answers = later.iter().take_while(|next| next.by != USER);
            let lines = answers.flat_map(|next| &next.sentences).flat_map(|sentence| placed(sentence));
            let mut open = lines.filter(|(_, line)| is_open(line));
            one.decides.extend(open.find_map(|(_, line)| settles(&line, &one.text)));
        }
    }
}

/// A message without the heading it begins with, as an issue's title stands above its text: one line
/// that ends like no sentence, and a blank line below it.
fn below_heading(text: &str) -> &str {
    match text.split_once("\n\n") {
        Some((first, rest))
            if !first.contains('\n')
                && !first.trim_end().ends_with(['.', '!', '?', ':', ';', '…', '。', '？', '！'])
                && !rest.trim().is_empty() =>
        {
            rest
        }
        _ => text,
    }
}

/// The sentences of a text, each on one line. A full stop ends a sentence before white space and
/// a capital letter, a digit, a quotation mark or a file's name, unless it shortens a word; what is quoted
/// stays whole.
pub fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(one_line) {
        let line = with_its_mark(&line);
        let whole = split(&line, true);
        // A quotation mark that nobody closes quotes nothing.
        found.extend(whole.unwrap_or_else(|| split(&line, false).unwrap_or_default()));
    }
    found.retain(|sentence| sentence.contains(char::is_alphanumeric));
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
        let shortens = c == '.' && is_shortened(&line[start..at], next);
        // The place of a line stands behind its quotation: "Who pays?" (spec.md line 3).
        let placed = c == '"' && next.starts_with('(');
        let ends = (c != '"' || matches!(last, '.' | '?' | '!')) && !shortens && !placed;
        if ends && (after.is_empty() || begins || c == '。') {
            found.push(line[start..at + c.len_utf8()].trim().to_owned());
            start = at + c.len_utf8();
        }
    }
    found.push(line[start..].trim().to_owned());
    (!open).then_some(found)
}

/// Words that are written short with a full stop, in lower case, sorted; more follows them.
const SHORT: [&str; 26] = [
    "abs", "approx", "art", "bzw", "ca", "cf", "dr", "e.g", "fig", "frau", "hr", "i.e", "jr", "mr", "mrs",
    "ms", "nr", "p", "pp", "prof", "resp", "sen", "st", "vgl", "vs", "z.b",
];

/// Whether a text ends in a word written short: its full stop ends no sentence. "No." does where no number
/// follows it.
pub(super) fn is_shortened(text: &str, next: &str) -> bool {
    if next.is_empty() {
        return false;
    }
    // The longest of them has six letters: what stands further to the front is not looked at.
    let bytes = text.as_bytes();
    let near = &bytes[bytes.len().saturating_sub(8)..];
    let from = near.iter().rposition(|byte| b" (\"/".contains(byte)).map_or(0, |at| at + 1);
    let lower = near[from..].to_ascii_lowercase();
    let numbered = lower == b"no" && next.starts_with(|c: char| c.is_ascii_digit());
    numbered || SHORT.binary_search_by(|short| short.as_bytes().cmp(lower.as_slice())).is_ok()
}

fn decisions(said: &[Said], talk: &Discussion<'_>) -> Vec<Decision> {
    let mut found: Vec<Decision> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    for one in said.iter().filter(|one| one.turn > 0 && one.purpose != Some(Purpose::Framing)) {
        for (text, why) in one.decides.clone() {
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

pub(super) fn name(by: &str, talk: &Discussion<'_>) -> String {
    talk.library().cast.get(by).map_or("the user", Persona::first_name).to_owned()
}

/// Words that open something to do, and are no part of it.
const MARKS: [&str; 5] = ["action:", "action item:", "to do:", "todo:", "next step:"];
/// Words with which somebody takes something on, or says that somebody has to.
const TAKES_ON: [&str; 18] = [
    "i will ",
    "i'll ",
    "i am going to ",
    "i'm going to ",
    "somebody needs to ",
    "someone needs to ",
    "somebody has to ",
    "someone has to ",
    "somebody must ",
    "someone must ",
    "we need to ask ",
    "we need to check ",
    "we need to find out ",
    "we have to ask ",
    "we have to check ",
    "we have to find out ",
    "we must ask ",
    "we still have to ",
];
/// What a person named at the beginning of a sentence "will" do for it to be something to do.
const ERRANDS: [&str; 20] = [
    "ask", "book", "bring", "call", "check", "collect", "count", "draft", "find", "invite", "look",
    "measure", "order", "phone", "prepare", "print", "send", "talk", "test", "write",
];

fn actions(said: &[Said]) -> Vec<Insight> {
    let mut found: Vec<Insight> = Vec::new();
    for one in said.iter().filter(|one| one.is_turn && one.class != Some(Class::OffTopic)) {
        for sentence in &one.sentences {
            let Some(text) = errand(sentence, one.by == USER).filter(|text| words(text).len() >= 2) else {
                continue;
            };
            let text = cut(&capital(text.trim_end_matches('.')), ENTRY);
            if !found.iter().any(|other| other.text == text) {
                found.push(Insight { text, by: vec![one.by.clone()], turns: vec![one.turn] });
            }
        }
    }
    found
}

/// Whether somebody named does something on a day to come: "Sam brings the camera on Monday".
fn brings(sentence: &str) -> bool {
    let found = words(sentence);
    let [who, verb, ..] = found.as_slice() else { return false };
    let base = verb.text.strip_suffix('s').unwrap_or_default();
    let base = base.strip_suffix('e').filter(|base| ERRANDS.contains(base)).unwrap_or(base);
    let does = ERRANDS.contains(&base)
        || matches!(base, "document" | "fix" | "paint" | "pay" | "repair" | "set" | "write");
    let lower = format!(" {} ", sentence.trim_end_matches(['.', '!']).to_ascii_lowercase());
    let days = [
        " by ",
        " in april ",
        " in august ",
        " in december ",
        " in february ",
        " in january ",
        " in july ",
        " in june ",
        " in march ",
        " in may ",
        " in november ",
        " in october ",
        " in september ",
        " next ",
        " on friday ",
        " on monday ",
        " on saturday ",
        " on sunday ",
        " on thursday ",
        " on tuesday ",
        " on wednesday ",
        " this week ",
        " today ",
        " tomorrow ",
        " tonight ",
    ];
    let is_name = sentence.starts_with(char::is_uppercase)
        && who.text.len() > 1
        && !lists("he|it|she|that|this|what|who", &who.text);
    is_name && does && days.iter().any(|day| lower.contains(day)) && !lower.contains(" every ")
}

/// What a sentence gives somebody to do.
pub(crate) fn errand(sentence: &str, by_user: bool) -> Option<&str> {
    let lower = sentence.replace('’', "'").to_ascii_lowercase();
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    if let Some(mark) = MARKS.iter().find(|mark| lower.starts_with(**mark)) {
        return Some(sentence[mark.len()..].trim());
    }
    let idle = ["i will not ", "i'll not ", "i will be ", "i'll be ", "i'll never ", "i will never "];
    let takes_on = TAKES_ON.iter().any(|words| lower.starts_with(words))
        && !idle.iter().any(|words| lower.starts_with(words));
    let will = lower.find(" will ").or_else(|| lower.find("'ll "));
    let named = by_user
        && will.is_some_and(|at| {
            let verb = lower[at..]
                .trim_start_matches("'ll ")
                .trim_start_matches(" will ")
                .split(' ')
                .next()
                .unwrap_or_default();
            let who = words(&lower[..at]).len();
            (1..=4).contains(&who) && !lower.starts_with("we ") && ERRANDS.contains(&verb)
        });
    let errand = takes_on || named || by_user && brings(sentence);
    (errand && decisions_in(sentence, true).is_empty()).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_no_sentence_of_a_message() {
        for (text, rest) in [
            ("Late fees\n\nWho computes them?", "Who computes them?"),
            ("We stop at 10 euros.\n\nWho computes them?", "We stop at 10 euros.\n\nWho computes them?"),
            ("Late fees\nWho computes them?", "Late fees\nWho computes them?"),
            ("Late fees", "Late fees"),
        ] {
            assert_eq!(below_heading(text), rest);
        }
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

    #[test]
    fn a_word_written_short_ends_no_sentence() {
        for text in [
            "The office counts them in a sheet that Mr. Keller keeps.",
            "Use a short form, e.g. \"A1\", i.e. What fits on a label.",
            "See No. 5 and Fig. 3 of St. Anne's plan by Dr. Weber.",
        ] {
            assert_eq!(sentences(text), [text]);
        }
        assert_eq!(sentences("She said no. Then she left. Ask Mr. Then what?").len(), 3);
    }
}
