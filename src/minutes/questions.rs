//! Which questions of users are open when a discussion ends.
//!
//! A question is taken up when a passage was shown for it, a later message quotes it or addresses its author, or the
//! next message of another person states something. A message that closes the matter takes up
//! only what it speaks of: where it shares no word with the question's message, the question stays open. What is left is
//! open; so is what was redirected to another step.

use std::collections::{BTreeMap, BTreeSet};

use super::{Forms, Heard, OpenQuestion, Role};
use crate::text::words::is_significant;
use crate::text::{Place, Sentence};

/// The open questions, in the order they were asked.
pub(super) fn open<'t>(heard: &[Heard<'_, 't>], forms: &Forms) -> Vec<OpenQuestion<'t>> {
    let later = Later::new(heard);
    let mut found = Vec::new();
    for (at, one) in heard.iter().enumerate() {
        let Some(by) = one.user else { continue };
        let step = one.spoken.off_topic;
        let is_taken_up = later.is_taken_up(heard, at, by, forms);
        let questions = one.sentences().filter(|(_, role)| *role == Role::Question);
        let is_open =
            |sentence: &Sentence<'_>| step.is_some() || !(is_taken_up || later.quotes(at, sentence));
        found.extend(questions.filter(|(sentence, _)| is_open(sentence)).map(|(sentence, _)| OpenQuestion {
            text: sentence.text,
            by: Some(by),
            step,
            turns: vec![one.spoken.turn],
        }));
    }
    found
}

/// What comes after each message, found in one pass from the end.
struct Later {
    /// For each sentence that is quoted, the last message that does.
    quoted: BTreeMap<String, usize>,
    /// For each name that is addressed, the last message that does.
    addressed: BTreeMap<String, usize>,
    /// For each message the next one of another person.
    next: Vec<Option<usize>>,
}

impl Later {
    fn new(heard: &[Heard<'_, '_>]) -> Later {
        let mut later =
            Later { quoted: BTreeMap::new(), addressed: BTreeMap::new(), next: vec![None; heard.len()] };
        let mut next: Option<usize> = None;
        for (at, one) in heard.iter().enumerate().rev().filter(|(_, one)| one.user.is_some()) {
            later.next[at] = next.and_then(|next| match heard[next].user == one.user {
                true => later.next[next],
                false => Some(next),
            });
            next = Some(at);
            for sentence in &one.message.sentences {
                if sentence.place == Place::Quote {
                    later.quoted.entry(words(sentence)).or_insert(at);
                } else if sentence.is_own() {
                    addressed(sentence, |name| {
                        later.addressed.entry(name.to_owned()).or_insert(at);
                    });
                }
            }
        }
        later
    }

    /// Was the message at `at` of `by` answered by a passage, by another person's next message, or by name?
    fn is_taken_up(&self, heard: &[Heard<'_, '_>], at: usize, by: &str, forms: &Forms) -> bool {
        let shown = heard[at + 1..].iter().take_while(|one| one.user.is_none()).any(|one| one.spoken.rests);
        let is_answer = self.next[at].is_some_and(|next| takes_up(&heard[next], &heard[at], forms));
        let name = by.to_lowercase();
        let names = [name.as_str(), name.split(' ').next().unwrap_or_default()];
        let is_named = names.iter().any(|name| self.addressed.get(*name).is_some_and(|&later| later > at));
        shown || is_answer || is_named
    }

    fn quotes(&self, at: usize, sentence: &Sentence<'_>) -> bool {
        self.quoted.get(&words(sentence)).is_some_and(|&later| later > at)
    }
}

/// Does the next message of another person take up what an earlier one asks?
fn takes_up(next: &Heard<'_, '_>, asked: &Heard<'_, '_>, forms: &Forms) -> bool {
    let states = next.roles.contains(&Role::Statement);
    states && (!next.closes(forms) || !subjects(next).is_disjoint(&subjects(asked)))
}

/// The stems of the words that say what a message is about.
fn subjects<'h>(one: &'h Heard<'_, '_>) -> BTreeSet<&'h str> {
    let words = one.message.sentences.iter().filter(|sentence| sentence.is_own()).flat_map(|one| &one.words);
    words
        .filter(|word| !word.is_mark && is_significant(&word.lower))
        .map(|word| word.stem.as_ref())
        .collect::<BTreeSet<_>>()
}

/// Whom a sentence addresses: "@sam", or "Sam," at its start.
fn addressed(sentence: &Sentence<'_>, mut note: impl FnMut(&str)) {
    let first = sentence.words.first().filter(|_| sentence.words.get(1).is_some_and(|word| word.is_mark));
    let mentions = sentence.words.iter().filter_map(|word| word.lower.strip_prefix('@'));
    mentions.chain(first.map(|word| word.lower.as_ref())).for_each(&mut note);
}

/// A sentence's words, whatever is between them.
fn words(sentence: &Sentence<'_>) -> String {
    let words = sentence.words.iter().filter(|word| !word.is_mark);
    words.map(|word| word.lower.as_ref()).collect::<Vec<_>>().join(" ")
}
