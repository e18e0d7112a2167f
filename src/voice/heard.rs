//! What a voice has heard of a discussion: each record is looked at once, however many lines follow it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::asking::{Asked, Matched};
use super::evidence::Evidence;
use super::offline::{CHOICE, without_reference};
use crate::discussion::address::{own_words, unaddressed};
use crate::discussion::decisions::decisions_in;
use crate::discussion::event::{Event, Record};
use crate::discussion::words::words;
use crate::discussion::{Discussion, extract};

/// What was said so far, by anybody.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard {
    /// The records that were looked at.
    records: usize,
    /// The sentences of the contributions, and what those are without what they quote.
    sentences: BTreeSet<String>,
    skeletons: BTreeSet<String>,
    /// The records in which the user decides something, and the lines that this speaks of.
    decided: BTreeSet<usize>,
    /// The first decision of the user's last message, and why.
    ruling: Option<(String, Option<String>)>,
    /// The open line that it settles.
    answers: Option<usize>,
    settled: Vec<usize>,
    /// The open lines that these settle.
    closed: Vec<usize>,
    /// What was asked about, by its text: three answer one message, and each looks at it more than once.
    asked: RefCell<BTreeMap<String, Rc<Matched>>>,
    /// What the discussion is about, with the number of records that this was told by.
    about: RefCell<(usize, String)>,
}

/// As many texts are kept.
const KEPT: usize = 64;

impl Heard {
    /// Looks at what was said since the last time.
    pub fn listen(&mut self, talk: &Discussion<'_>, evidence: &Evidence) {
        if talk.log().len() < self.records {
            *self = Heard::default();
        }
        for (at, record) in talk.log().iter().enumerate().skip(self.records) {
            self.hear(at, record, talk, evidence);
        }
        self.records = talk.log().len();
    }

    fn hear(&mut self, at: usize, record: &Record, talk: &Discussion<'_>, evidence: &Evidence) {
        match &record.event {
            Event::Contribution(said) => {
                for sentence in extract::sentences(&said.text) {
                    self.skeletons.extend(skeleton(&sentence));
                    self.sentences.insert(sentence);
                }
            }
            Event::User(message) => {
                self.answers = None;
                let own = own_words(&message.text);
                let outright = !decisions_in(&own, true).is_empty();
                let mut decided = extract::decided_by(&message.text, &talk.log()[..at]);
                let mut stated = None;
                if decided.is_empty() {
                    let text = unaddressed(&message.text, &talk.library().cast);
                    let asked = self.asked(evidence, talk, text);
                    let open = asked.near_open();
                    let lines = open.iter().filter_map(|at| Some((*at, evidence.lines.get(*at)?)));
                    let settled = lines
                        .into_iter()
                        .find_map(|(at, line)| Some((at, extract::settled_of(&line.text, text)?)));
                    stated = settled.as_ref().map(|(at, _)| *at);
                    decided.extend(settled.map(|(_, ruling)| ruling));
                }
                if let Some((what, _)) = decided.first() {
                    self.decided.insert(at);
                    let before = talk.log()[..at].iter().rev().find_map(|record| match &record.event {
                        Event::User(before) => Some(unaddressed(&before.text, &talk.library().cast)),
                        _ => None,
                    });
                    // "They get a letter" is about what was asked before.
                    let whole = format!("{} {what}", before.unwrap_or_default());
                    let text = if outright { &message.text } else { &whole };
                    let asked = self.asked(evidence, talk, text);
                    self.settled.extend(asked.lines.iter().take(CHOICE));
                    let open = |asked: &Asked<'_>| asked.close_open();
                    let before = (!outright).then(|| self.asked(evidence, talk, before.unwrap_or_default()));
                    let closes = stated.or_else(|| open(&asked)).or_else(|| before.as_ref().and_then(open));
                    self.closed.extend(closes);
                    self.answers = closes.filter(|_| !outright);
                }
                self.ruling = decided.into_iter().next();
            }
            _ => {}
        }
    }

    /// What a text asks about, held against the documents; of lines that share as much, one that has to do with the
    /// step or with the focus question is first.
    pub fn asked<'e>(&self, evidence: &'e Evidence, talk: &Discussion<'_>, text: &str) -> Asked<'e> {
        let (mut asked, mut about) = (self.asked.borrow_mut(), self.about.borrow_mut());
        if about.0 != talk.log().len() {
            let now = format!("{} {}", talk.step().title, talk.focus_question().unwrap_or_default());
            if about.1 != now || asked.len() > KEPT {
                asked.clear();
            }
            *about = (talk.log().len(), now);
        }
        if let Some(known) = asked.get(text) {
            return Asked::again(evidence, Rc::clone(known));
        }
        let matched = Rc::new(Matched::of(evidence, text, &about.1));
        asked.insert(text.to_owned(), Rc::clone(&matched));
        Asked::again(evidence, matched)
    }

    /// Whether a sentence was said, word for word.
    pub fn has(&self, sentence: &str) -> bool {
        self.sentences.contains(sentence)
    }

    /// What the sentences are without what they quote.
    pub fn skeletons(&self) -> &BTreeSet<String> {
        &self.skeletons
    }

    /// The open line that an answer of the user's to their own question settles.
    pub fn answered_line(&self) -> Option<usize> {
        self.answers
    }

    /// Whether the user decides something in a record, given by its index.
    pub fn decides(&self, record: usize) -> bool {
        self.decided.contains(&record)
    }

    /// What the user's last message decides first, and why.
    pub fn ruling(&self) -> Option<&(String, Option<String>)> {
        self.ruling.as_ref()
    }

    /// Whether a decision of the user's speaks of a line: what is settled is no matter to differ about.
    pub fn is_settled(&self, line: usize) -> bool {
        self.settled.contains(&line)
    }

    /// Whether a decision of the user's closes an open line.
    pub fn is_closed(&self, line: usize) -> bool {
        self.closed.contains(&line)
    }
}

/// A sentence without what it quotes, points at and counts, and without the reference it opens with: who says
/// the same of two lines fills a form. None where little is left.
pub(super) fn skeleton(sentence: &str) -> Option<String> {
    // "On "x", …" shows a line, and the words around it are its form.
    let sentence = if sentence.starts_with("On \"") { sentence } else { without_reference(sentence) };
    let unquoted = sentence.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let named = |word: &&str| !word.contains(['.', '/']) && !word.contains(|c: char| c.is_ascii_digit());
    let plain: String =
        unquoted.trim_end_matches(['.', '?', '!']).split(' ').filter(named).collect::<Vec<_>>().join(" ");
    let words: Vec<_> = words(&plain).into_iter().map(|word| word.text.into_owned()).collect();
    (words.len() > 3).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_with_another_quotation_in_it_is_the_same_form() {
        let of = |text: &str| skeleton(text).unwrap();
        let one = of("On \"night\", what people are told today is spec.md line 9: \"TBD: two nurses\".");
        assert_eq!(
            one,
            of("On \"band\", what people are told today is req.md line 51: \"the same: always\".")
        );
        assert_eq!(one, "on what people are told today is line");
        // The reference to a colleague is no part of it.
        let led = of(
            "To add to what Alex said about \"boot: slot\": nobody acts at spec.md line 3, since \"it\" hides it.",
        );
        assert_eq!(led, of("Nobody acts at spec.md line 8, since \"is sent\" hides it."));
        assert_eq!(skeleton("On \"a\", spec.md line 3."), None);
    }
}
