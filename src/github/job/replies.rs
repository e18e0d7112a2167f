//! What comments and ticks answer to the cards of our last comment.
//!
//! Invariant: an answer was written after its card was shown, and by somebody with the right to write. A comment keeps
//! its other words; what answers a card is said as a decision, with its question.

use std::collections::{BTreeMap, BTreeSet};

use super::read::Read;
use crate::github::answers::{self, Answer, Reply};
use crate::github::cards::Cards;
use crate::github::possible::answers_text;
use crate::github::trigger::What;
use crate::text::plain::count;
use crate::text::sentence_forms::Forms;

/// Who answered what by ticks: by card and login.
type Ticked = BTreeMap<(u32, String), BTreeSet<String>>;

impl Read {
    /// Makes decisions of the answers to cards, and notes what else was said about them.
    pub(super) fn take_answers(&mut self, forms: &Forms) {
        let Some((cards, shown)) = self.asked_cards.clone() else { return };
        if self.asked.what == What::Analysis {
            return;
        }
        let heard = std::mem::take(&mut self.heard);
        let new = self.thread.new_comments(&heard);
        let mut replies = Vec::new();
        for said in new.filter(|said| said.created.is_some_and(|created| created > shown)) {
            let reply = answers::read(&cards, &said.whole, forms);
            if !reply.is_empty() {
                let by = said.input.by.clone().unwrap_or_default();
                replies.push((by, reply, said));
            }
        }
        let all: Vec<(String, Answer)> = replies
            .iter()
            .flat_map(|(by, reply, _)| own_answers(&cards, reply).into_iter().map(|one| (by.clone(), one)))
            .collect();
        let ticked = ticked(&cards, &self.ticks);
        let (agreed, mut differ) = answers::agreed(&with_ticks(&all, &ticked));
        let comments = |key: &(u32, String)| all.iter().any(|(by, one)| (one.number, by) == (key.0, &key.1));
        let twice = ticked.iter().filter(|(key, options)| options.len() > 1 && !comments(key));
        differ.extend(twice.map(|((number, _), _)| *number));
        self.unsure = unsure(&replies, &agreed, &differ);
        self.notes = notes(&cards, &replies, &self.unsure, &differ);
        for (_, reply, said) in replies {
            said.input.text = message(&cards, &reply, &agreed, &differ, &said.input.text);
        }
        self.ticks.retain(|tick| match number_of(&cards, tick.listed.question.as_deref()) {
            Some(number) if differ.contains(&number) => false,
            Some(number) => {
                agreed.get(&number).is_none_or(|text| text.eq_ignore_ascii_case(&tick.listed.text))
            }
            None => true,
        });
        self.heard = heard;
    }
}

fn number_of(cards: &Cards, question: Option<&str>) -> Option<u32> {
    let card = cards.all().find(|card| Some(card.question.as_str()) == question)?;
    Some(card.number)
}

/// The answers of one comment, with those that "yes to all" takes: of the cards before the fold, which it is read with.
fn own_answers(cards: &Cards, reply: &Reply) -> Vec<Answer> {
    let is_answered = |number: u32| {
        reply.unsure.contains(&number) || reply.answers.iter().any(|answer| answer.number == number)
    };
    let open = cards.cards.iter().filter(|card| reply.takes_all && !card.recommended.is_empty());
    let taken = open
        .filter(|card| !is_answered(card.number))
        .map(|card| Answer { number: card.number, text: card.recommended.clone() });
    reply.answers.iter().cloned().chain(taken).collect()
}

fn ticked(cards: &Cards, ticks: &[crate::github::possible::Tick]) -> Ticked {
    let mut found = Ticked::new();
    for tick in ticks {
        if let Some(number) = number_of(cards, tick.listed.question.as_deref()) {
            found.entry((number, tick.by.login.clone())).or_default().insert(tick.listed.text.clone());
        }
    }
    found
}

/// All answers in the order in which they count: a comment after a tick of the same person.
fn with_ticks(all: &[(String, Answer)], ticked: &Ticked) -> Vec<(String, Answer)> {
    let of_ticks = ticked.iter().flat_map(|((number, by), options)| {
        options.iter().map(|text| (by.clone(), Answer { number: *number, text: text.clone() }))
    });
    of_ticks.chain(all.iter().cloned()).collect()
}

/// A comment's words as they are heard: the others first, then what it decides. A comment that decides nothing stays
/// as it is.
fn message(
    cards: &Cards,
    reply: &Reply,
    agreed: &BTreeMap<u32, String>,
    differ: &BTreeSet<u32>,
    text: &str,
) -> String {
    let own = own_answers(cards, reply);
    if own.iter().any(|answer| differ.contains(&answer.number)) {
        return text.to_owned();
    }
    let mut decided: Vec<(&str, &str)> = Vec::new();
    let mut rest = reply.rest.clone();
    for answer in &own {
        let question = cards.card(answer.number).map(|card| card.question.as_str()).unwrap_or_default();
        match agreed.get(&answer.number).is_some_and(|text| text.eq_ignore_ascii_case(&answer.text)) {
            true => decided.push((question, &answer.text)),
            // A later answer of the same person counts.
            false => rest.push_str(&format!("\n{}: {}", answer.number, answer.text)),
        }
    }
    match (decided.is_empty(), rest.trim()) {
        (true, _) => text.to_owned(),
        (false, "") => answers_text(&decided),
        (false, rest) => format!("{rest}\n\n{}", answers_text(&decided)),
    }
}

/// The cards that somebody is not sure about and nobody has answered.
fn unsure<T>(
    replies: &[(String, Reply, T)],
    agreed: &BTreeMap<u32, String>,
    differ: &BTreeSet<u32>,
) -> Vec<u32> {
    let all: BTreeSet<u32> = replies.iter().flat_map(|(_, reply, _)| reply.unsure.iter().copied()).collect();
    all.into_iter().filter(|number| !agreed.contains_key(number) && !differ.contains(number)).collect()
}

/// What was understood, a sentence each.
fn notes<T>(
    cards: &Cards,
    replies: &[(String, Reply, T)],
    unsure: &[u32],
    differ: &BTreeSet<u32>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (by, reply, _) in replies {
        if reply.takes_all {
            let taken = own_answers(cards, reply).split_off(reply.answers.len());
            let numbers: Vec<u32> = taken.iter().map(|answer| answer.number).collect();
            found.push(took_all(cards, by, &numbers));
        }
        let open = reply.unsure.iter().copied().filter(|number| unsure.contains(number));
        let is_again = |number: &u32| cards.card(*number).is_some_and(|card| card.is_smaller);
        let (again, first): (Vec<u32>, Vec<u32>) = open.partition(is_again);
        for (numbers, end) in [(first, "asked once more"), (again, "left open")] {
            let subject = if numbers.len() == 1 { "it is" } else { "they are" };
            if !numbers.is_empty() {
                found.push(format!("{by} is not sure about {}, so {subject} {end}.", listed(&numbers)));
            }
        }
        if !reply.unknown.is_empty() {
            let verb = if reply.unknown.len() == 1 { "answers" } else { "answer" };
            found.push(format!("{} by {by} {verb} no card that is asked.", listed(&reply.unknown)));
        }
        found.extend(reply.undecided.iter().map(|line| format!("`{line}` by {by} decides nothing.")));
        found.extend(looks_like_answers(by, &reply.lookalikes));
    }
    found.extend(differ.iter().map(|number| {
        format!(
            "{number} has different answers, so it is not decided. Agree on one: leave one tick, or write it."
        )
    }));
    found
}

/// That lines of a comment look like answers and aren't, and how the first of them is written.
fn looks_like_answers(by: &str, lines: &[(String, String)]) -> Option<String> {
    let ((first, form), more) = lines.split_first()?;
    let more = match more {
        [] => String::new(),
        _ => format!(" (and {})", count(more.len(), "other line")),
    };
    Some(format!("`{first}`{more} by {by} looks like an answer and is none: write `{form}`."))
}

/// What "yes to all" took.
fn took_all(cards: &Cards, by: &str, numbers: &[u32]) -> String {
    let (noun, them) = if numbers.len() == 1 { ("answer", "card") } else { ("answers", "cards") };
    let taken = match numbers {
        [] => "took nothing: no card that it reaches recommends an answer".to_owned(),
        _ => format!("took the recommended {noun} of {them} {}", listed(numbers)),
    };
    let without = cards.cards.iter().filter(|card| card.recommended.is_empty());
    let without: Vec<u32> = without.map(|card| card.number).collect();
    let without = match without.as_slice() {
        [_, ..] if !numbers.is_empty() => format!("; no answer is recommended for {}", listed(&without)),
        _ => String::new(),
    };
    let folded = if cards.folded.is_empty() { "" } else { ", and none in the fold" };
    format!("`yes to all` by {by} {taken}{without}{folded}.")
}

fn listed(numbers: &[u32]) -> String {
    let all: Vec<String> = numbers.iter().map(u32::to_string).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
