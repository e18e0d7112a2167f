//! Consent of a user to what a persona proposed.
//!
//! Invariant: only a message that was written after the proposal was shown consents to it: in a script that was known
//! from the start nobody has seen anything. A whole message that says yes without an id is to the one proposal that was
//! made since the user spoke last; where there are several, nobody knows to which. Words within a longer message
//! consent where a model names them and they are found there ([`Acceptance`]).

use super::Discussion;
use super::event::{Event, Record};
use super::summary::{Acceptance, Proposed};
use crate::text::markdown;
use crate::text::sentence_forms::Forms;

/// What a whole message says yes to: an id that it names, or what was shown last. None where it says more, or else.
pub fn consent(text: &str, forms: &Forms) -> Option<Option<String>> {
    let mut lines = markdown::read(text).into_iter().filter(markdown::VisibleLine::is_said);
    let (line, None) = (lines.next()?, lines.next()) else { return None };
    let said: Vec<&str> = line.sentences.iter().map(|sentence| sentence.text.trim()).collect();
    // A word of code is shown, not said.
    if text.trim_start().starts_with('`') {
        return None;
    }
    let hit = forms.find("consents", said.first().filter(|_| said.len() == 1)?)?;
    Some(hit.part("id").map(str::to_uppercase))
}

/// The last turn that the writer of a message had seen: none where it was known before anything was shown.
pub fn seen_before(message: u32, log: &[Record]) -> Option<u32> {
    let (mut seen, mut last) = (None, 0);
    for record in log {
        match &record.event {
            Event::Opened(opened) if opened.is_live => seen = Some(u32::MAX),
            Event::Resumed(_) => seen = seen.max(Some(last)),
            Event::Contribution(said) => last = said.turn,
            Event::User(said) if said.turn == Some(message) => break,
            Event::User(said) => last = said.turn.unwrap_or(last),
            _ => {}
        }
    }
    seen
}

/// Whether a user accepted what was proposed in a turn: `named` are the words that a model found.
pub fn is_accepted(turn: u32, named: &[Acceptance], talk: &Discussion<'_>) -> bool {
    if named.iter().any(|one| one.of == Proposed::Turn(turn)) {
        return true;
    }
    let (forms, mut shown) = (talk.library().forms(), Vec::new());
    for record in talk.log() {
        match &record.event {
            Event::Contribution(said) if said.proposal.is_some() => shown.push(said.turn),
            Event::User(message) => {
                let consents = || consent(&message.text, forms) == Some(None);
                let seen = || seen_before(message.turn?, talk.log());
                if shown == [turn] && consents() && seen().is_some_and(|seen| turn <= seen) {
                    return true;
                }
                shown.clear();
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::library::Library;

    #[test]
    fn a_whole_message_consents_and_a_part_of_one_does_not() {
        let library = Library::built_in().unwrap();
        let said = |text: &str| consent(text, library.forms());
        assert_eq!(said("Yes."), Some(None));
        assert_eq!(said("agreed: fr-004"), Some(Some("FR-004".to_owned())));
        for text in ["> Yes.", "Yes.\n\nBut later.", "Yes. And no.", "~~Yes~~", "Yes, take it.", "", "`ok`"] {
            assert_eq!(said(text), None, "{text}");
        }
    }
}
