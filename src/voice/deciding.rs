//! What a decision of the user's means to each of the three, and the line that it touches.

use std::collections::BTreeSet;

use super::asking::Asked;
use super::evidence::{Line, snippet};
use super::left_open::is_open;
use super::messages::{ELLIPTIC, brief};
use super::naming::telling;
use super::offline::{Speaker, places_in};
use super::spoken::digits;
use super::wants::counts;
use super::wording;
use crate::discussion::event::{Event, Message};
use crate::discussion::root::root;
use crate::discussion::words::{is_number, words};

impl Speaker<'_> {
    /// What a settled matter means to this persona, each decision in words of its own.
    pub(super) fn reactions(&self, message: &Message) -> Vec<String> {
        let Some((what, why)) = self.heard.ruling() else { return Vec::new() };
        // "How should people hear of it? By a letter": the question was said before.
        let answer =
            what.rsplit_once("? ").map(|(_, answer)| answer).filter(|answer| words(answer).len() > 2);
        let (whole, what) = (snippet(what, 160), brief(answer.unwrap_or(what)));
        let reason = why.as_ref().map(|why| format!(" (\"{}\")", snippet(why, 80))).unwrap_or_default();
        let before = self.talk.log().iter().rev().filter_map(|record| match &record.event {
            Event::User(other) if other.turn != message.turn => Some(other.text.as_str()),
            _ => None,
        });
        let before = before.take(1).next();
        let clash = self.evidence.contradicts(&message.text, before.unwrap_or_default());
        let answered = || self.evidence.lines.get(self.heard.answered_line()?);
        let quoted = || self.line_replied_to(&message.text);
        let touched =
            || quoted().or_else(answered).or_else(|| self.touched_by(&whole, before.unwrap_or_default()));
        let line = clash.or_else(touched);
        let mut ways = match line.filter(|line| clash.is_none() && is_open(line)) {
            Some(line) => wording::settles_open(self.speech, &what, &reason, line),
            None => wording::settled(self.speech, &what, &reason, line),
        };
        if let (Some(line), true) = (clash, self.is_first_to_answer()) {
            let first = wording::settled(self.speech, &what, &reason, None).remove(0);
            ways.insert(0, format!("{first} {}", wording::still_says(self.speech, line)));
        }
        let start =
            if clash.is_some() { 0 } else { (what.len() + self.talk.turn_count() as usize) % ways.len() };
        ways.rotate_left(start);
        ways
    }

    /// The line that a message quotes as a reply does: "> 95 percent of the invoices …".
    fn line_replied_to(&self, text: &str) -> Option<&Line> {
        let quotes = text.lines().filter_map(|line| line.trim_start().strip_prefix('>'));
        let quotes = quotes.map(|quote| quote.trim_matches([' ', '-', '*', '.', '>']));
        quotes
            .filter(|quote| words(quote).len() > 2)
            .find_map(|quote| self.evidence.lines.iter().find(|line| line.text.contains(quote)))
    }

    /// The line that a decision is about: by its object, which stands before the first "for" or "until"; a
    /// short one is of what was said before.
    pub(super) fn touched_by(&self, what: &str, before: &str) -> Option<&Line> {
        let before_any = |text: &str, ends: &[&str]| {
            let end = ends.iter().filter_map(|word| text.find(word)).min().unwrap_or(text.len());
            text[..end].to_owned()
        };
        // "48 hours for swaps, not 24" is about the line that has 24 hours.
        let denied = denied_figure(what);
        let what = denied.as_deref().unwrap_or(what);
        if let Some(line) = self.figure_just_shown(what) {
            return Some(line);
        }
        if let Some(line) = self.figure_shown_before(what) {
            return Some(line);
        }
        let main = before_any(what, &[" otherwise ", " because ", " since ", " so that ", ", so "]);
        let object =
            self.asked(&before_any(&main, &[" for ", " from ", " until ", " before ", " after ", " with "]));
        let (whole, with_before) = (self.asked(&main), || self.asked(&format!("{main} {before}")));
        // "A small delivery on Sundays, sheets only": the first clause names it.
        let clause = self.asked(&before_any(&main, &[", "]));
        let told = [&object, &whole, &clause].into_iter().find(|asked| asked.common() > 1);
        let own = told.and_then(Asked::best);
        // "Both directions" is of what was asked, and a whole sentence of itself.
        let named = match telling(&main).len() <= ELLIPTIC {
            true => {
                let by_itself = whole.best().filter(|_| !whole.is_by_chance());
                // "The caretaker opens it" is of the open line that was asked about right before.
                let points = words(&main)
                    .iter()
                    .any(|word| matches!(word.text.as_ref(), "it" | "that" | "them" | "this"));
                let asked_before = || self.asked(before).best().filter(|line| points && is_open(line));
                asked_before().or(own).or(by_itself).or_else(|| with_before().best()).or(whole.best())
            }
            // One shared word is chance.
            false => own,
        };
        named.or_else(|| self.open_line_on(&whole))
    }

    /// A line with a figure that the last round read out, and that a decision with a figure shares a word with: "one item
    /// per guest, then" is of "each guest may bring two".
    fn figure_just_shown(&self, what: &str) -> Option<&Line> {
        let counts = |text: &str| words(text).iter().any(|word| is_number(&word.text));
        if !counts(what) {
            return None;
        }
        let decided = self.asked(what);
        // Before the user's last message, and behind the one before that.
        let mut users = 0;
        let round = self.talk.log().iter().rev().filter_map(|record| {
            users += usize::from(matches!(&record.event, Event::User(_)));
            match &record.event {
                Event::Contribution(said) if users == 1 => Some(said),
                _ => None,
            }
        });
        let places: BTreeSet<String> = round.flat_map(|said| places_in(&said.text)).collect();
        let lines = places.iter().filter_map(|place| self.evidence.line_at(place.trim_end()));
        let figured = lines.filter(|line| counts(&line.text) && !is_open(line));
        figured.max_by_key(|line| decided.shared(line)).filter(|line| decided.shared(line) > 0)
    }

    /// The line that was read out last with a figure of the same unit, where a decision sets "it" to one: "Shorten it to
    /// 4 hours".
    fn figure_shown_before(&self, what: &str) -> Option<&Line> {
        let lower = what.to_lowercase();
        let (verb, rest) = lower.split_once(' ')?;
        let sets =
            ["change", "cut", "extend", "increase", "limit", "lower", "raise", "reduce", "set", "shorten"];
        let to = ["it to ", "that to ", "this to "].iter().find_map(|word| rest.strip_prefix(word))?;
        let found = words(to);
        let [figure, unit, ..] = found.as_slice() else { return None };
        if !sets.contains(&verb) || !is_number(&figure.text) {
            return None;
        }
        let unit = root(&unit.text);
        let said: Vec<_> = self.talk.contributions().collect();
        let places = said.iter().rev().flat_map(|said| places_in(&said.text));
        let mut lines = places.filter_map(|place| self.evidence.line_at(place.trim_end()));
        lines.find(|line| counts(line, &unit))
    }

    /// A line that is open, was read out in this discussion, and shares a word with a decision: that is what it
    /// settles.
    fn open_line_on(&self, decided: &Asked<'_>) -> Option<&Line> {
        let shown: BTreeSet<String> =
            self.talk.contributions().flat_map(|said| places_in(&said.text)).collect();
        let lines = shown.iter().filter_map(|place| self.evidence.line_at(place.trim_end()));
        let open = lines.filter(|line| is_open(line) || crate::discussion::is_left_open(&line.text));
        open.max_by_key(|line| decided.shared(line)).filter(|line| decided.shared(line) > 0)
    }
}

/// What a decision puts another figure for, with the figure that it denies: "24 hours for swaps".
fn denied_figure(what: &str) -> Option<String> {
    let (said, after) =
        [", not ", " instead of ", " rather than "].iter().find_map(|sign| what.split_once(sign))?;
    let is_figure = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_digit()) || digits(&word.to_ascii_lowercase()).is_some()
    };
    let denied = after.split_whitespace().next()?.trim_end_matches(['.', ',', ';', ':']);
    let denied = Some(denied).filter(is_figure)?;
    let figure = said.split_whitespace().find(is_figure)?;
    Some(said.replacen(figure, denied, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_that_denies_a_figure_is_about_the_line_that_has_it() {
        for (what, wanted) in [
            ("48 hours for swaps, not 24", Some("24 hours for swaps")),
            ("Thirty days, not fourteen", Some("fourteen days")),
            ("B2 waits 24 hours instead of 6", Some("B2 waits 6 hours")),
            ("Rope, not chain", None),
            ("48 hours for swaps", None),
        ] {
            assert_eq!(denied_figure(what).as_deref(), wanted, "{what}");
        }
    }
}
