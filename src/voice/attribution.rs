//! What a line says that somebody else has said, wants or has decided: their turns have it (V-5).
//!
//! A claim is told by grammar alone: a participant (a colleague, a user, "you", "we", "the user") and after it a verb in
//! a past form. It is held against that participant's own turns: half of its words and all of its figures are there, and
//! what it quotes is there word for word. Whether a paraphrase is fair cannot be told by structure, and is not.
//!
//! Over "Maya: Photos wait. Sam (user): Keep 64 answers.", "You decided to keep 64 answers" may be said, and "You decided
//! on night transfers" and "Maya said that photos are lost" may not.

use std::collections::BTreeSet;

use super::amounts::{Amount, amounts};
use super::basis::Basis;
use super::quotations::{has_words, quoted};
use super::verbs::{is_past, is_saying};
use crate::discussion::Said;
use crate::discussion::summary::USER;
use crate::item::DRAFT;
use crate::item::persona::{Cast, Persona};
use crate::text::plain;
use crate::text::sentences::sentences;
use crate::text::words::{Word, subjects, unquoted, words};

/// Words before a subject that leave open whether it did so.
const OPENING: [&str; 24] = [
    "are", "can", "could", "did", "do", "does", "had", "has", "have", "if", "is", "may", "once", "should",
    "unless", "until", "was", "were", "what", "when", "whether", "will", "would", "might",
];
/// Forms of "have", and words between a subject and its verb; adverbs in "ly" too.
const BETWEEN: [&str; 12] =
    ["here", "now", "all", "already", "also", "both", "had", "has", "have", "just", "then", "together"];
/// Of a claim's words, so many tell what it is about.
const ENOUGH: usize = 2;

/// Who has spoken before a line, and who is there.
pub(super) struct Others<'a> {
    pub persona: &'a Persona,
    pub cast: &'a Cast,
    pub earlier: &'a [Said<'a>],
    pub basis: &'a Basis<'a>,
}

impl Others<'_> {
    /// The first claim that is not in the turns of the one whom it names, from that name on.
    pub fn never_said(&self, text: &str) -> Option<String> {
        let own = unquoted(text);
        sentences(&own).into_iter().find_map(|sentence| {
            let start = sentence.as_ptr() as usize - own.as_ptr() as usize;
            let whole = text.get(start..start + sentence.len()).unwrap_or(sentence);
            let words = words(sentence);
            (0..words.len()).find_map(|at| {
                let (who, verb) = self.claimed_of(&words, at, sentence.ends_with('?'))?;
                let end = words.get(verb)?.end;
                // "Everybody, marked …" has no verb of theirs; "the tick that Alex named, …" tells nothing of the tick.
                let has_mark =
                    verb > at && sentence[words[at].end..words[verb].start].contains([',', ';', ':']);
                let is_led = at > 0 && matches!(words[at - 1].text.as_ref(), "as" | "to");
                if has_mark || !is_led && says_nothing(&whole[end..]) {
                    return None;
                }
                let is_said = match quotation(&whole[end..]) {
                    Some((before, quote)) if subjects(before).is_empty() => self.has_quoted(who, quote),
                    Some((_, quote)) => self.has_said(who, &sentence[end..]) && self.has_quoted(who, quote),
                    None => self.has_said(who, &sentence[end..]),
                };
                (!is_said).then(|| plain::cut(&whole[words[at].start..], 80))
            })
        })
    }

    /// The key of whom the words at `at` say that they said or decided something, and the verb's place; `asks` tells that
    /// they are of a question.
    fn claimed_of(&self, words: &[Word<'_>], at: usize, asks: bool) -> Option<(&str, usize)> {
        let is = |place: usize, wanted: &[&str]| {
            words.get(place).is_some_and(|word| wanted.contains(&word.text.as_ref()))
        };
        let (who, is_named) = self.participant(words, at)?;
        if at >= 2 && is(at - 2, &["according"]) && is(at - 1, &["to"]) {
            return Some((who, at));
        }
        // "Have you agreed …?", "if you decided …": nobody is said to have.
        let before = at.checked_sub(if at > 0 && is(at - 1, &["the"]) { 2 } else { 1 });
        if before.is_some_and(|before| is(before, &OPENING)) {
            return None;
        }
        let is_between = |word: &Word<'_>| BETWEEN.contains(&word.text.as_ref()) || word.text.ends_with("ly");
        let verb = (at + 1..words.len()).find(|at| !is_between(&words[*at]))?;
        let found = words[verb].text.as_ref();
        // Of the table itself only what it did is claimed: "we want" is how anybody speaks. "Is that what you want?" asks.
        let is_claim = is_past(found) || is_named && !asks && is_saying(found);
        is_claim.then_some((who, verb))
    }

    /// The participant that a word names, and whether it is a person: a colleague, a user, "you", or "the user".
    fn participant(&self, words: &[Word<'_>], at: usize) -> Option<(&str, bool)> {
        let word = words[at].text.as_ref();
        let mut others = self.cast.others(&self.persona.key);
        if let Some(other) = others.find(|one| one.first_name().eq_ignore_ascii_case(word)) {
            return Some((&other.key, true));
        }
        let is_first_name = |user: &String| {
            user.split(' ')
                .next()
                .is_some_and(|first| first.chars().nth(1).is_some() && first.to_lowercase() == word)
        };
        let is_the_user = matches!(word, "user" | "users") && at > 0 && words[at - 1].text == "the";
        match word {
            "we" | "we've" => Some((USER, false)),
            "you" | "you've" | "team" | "everyone" | "everybody" => Some((USER, true)),
            _ => (is_the_user || self.basis.users.iter().any(is_first_name)).then_some((USER, true)),
        }
    }

    /// The turns of somebody; of users, their issue's text too.
    fn said_by<'s>(&'s self, who: &'s str) -> impl Iterator<Item = &'s str> {
        let said = self.earlier.iter().filter(move |one| one.by == who).map(|one| one.text);
        let draft = self.basis.sources.filter(|_| who == USER).map(|sources| sources.of_file(DRAFT));
        let first = self.basis.first.filter(|_| who == USER);
        said.chain(first).chain(draft.into_iter().flatten())
    }

    /// Whether somebody's turns have half of the words of a claim, up to its first mark, and its figures.
    fn has_said(&self, who: &str, claim: &str) -> bool {
        let known: BTreeSet<String> = self.said_by(who).flat_map(subjects).collect();
        if known.is_empty() {
            return false;
        }
        let figures: Vec<Amount> = self.said_by(who).flat_map(amounts).collect();
        let claimed = claim.split([';', '.', ':']).next().map(amounts).unwrap_or_default();
        if claimed.iter().any(|one| !figures.iter().any(|known| one.is_same(known))) {
            return false;
        }
        let mut wanted: Vec<String> = Vec::new();
        for part in claim.split([',', ';', ':', '.', '(', ')']) {
            wanted.extend(subjects(part));
            if wanted.len() >= ENOUGH {
                break;
            }
        }
        wanted.iter().filter(|word| known.contains(*word)).count() * 2 >= wanted.len()
    }

    /// Whether a quotation is word for word somebody's.
    fn has_quoted(&self, who: &str, quote: &str) -> bool {
        words(quote).len() < ENOUGH || self.said_by(who).any(|text| has_words(text, quote))
    }
}

/// Whether a claim ends before it has said anything.
fn says_nothing(claim: &str) -> bool {
    let end = claim.find([',', ';', '(', ')']).unwrap_or(claim.len());
    let end = [". ", "? ", "! "].iter().filter_map(|mark| claim.find(mark)).min().unwrap_or(end).min(end);
    subjects(&claim[..end]).is_empty()
}

/// The first quotation of a claim, with what is before it.
fn quotation(claim: &str) -> Option<(&str, &str)> {
    quoted(claim).next().filter(|(before, _)| !before.contains([';', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::library::Library;
    use crate::text::echo::Echo;

    fn never_said(text: &str) -> Option<String> {
        let cast = Library::built_in().unwrap().cast;
        let said = [
            ("business-analyst", "Reports wait for the night."),
            (USER, "Keep 64 answers. A photo may go first."),
        ];
        let echoes: Vec<Echo> = said.iter().map(|(_, text)| Echo::of(text)).collect();
        let earlier = said.iter().zip(&echoes).map(|((by, text), echo)| Said { by, text, echo });
        let earlier: Vec<Said<'_>> = earlier.collect();
        let basis = Basis { users: ["Sam Roe".to_owned()].into(), ..Basis::default() };
        let persona = cast.get("system-designer").unwrap();
        Others { persona, cast: &cast, earlier: &earlier, basis: &basis }.never_said(text)
    }

    #[test]
    fn a_claim_is_in_the_turns_of_whom_it_names() {
        for text in [
            "You decided to keep 64 answers, so the rest is easy.",
            "You've already said that a photo may go.",
            "As Maya pointed out, reports wait.",
            "Sam wrote \"keep 64 answers\".",
            "Have you agreed on a server? If we decided that, nights would be free.",
            "Maya, what did you see?",
            "We need a list; is that what you want?",
            "To add to what Alex said, the queue lacks a limit.",
            "It offers limits to everybody, marked as new.",
            "It differs by the tick that Alex named. set_limit asks for more.",
            "Note which command you ran, what you pasted where, and what was lost.",
            "Nobody knows whether the team has agreed which one.",
        ] {
            assert_eq!(never_said(text), None, "{text}");
        }
    }

    #[test]
    fn a_claim_that_is_nowhere_is_shown_from_its_subject_on() {
        for (text, wanted) in [
            ("Nights are free, as you decided on satellites.", "you decided on satellites."),
            ("You asked to keep 65 answers.", "You asked to keep 65 answers."),
            ("As Alex said, satellites are dear.", "Alex said, satellites are dear."),
            ("You decided: satellites only.", "You decided: satellites only."),
            ("Sam wrote \"keep every answer\".", "Sam wrote \"keep every answer\"."),
            ("Alex has rightly warned of reports.", "Alex has rightly warned of reports."),
            ("According to Maya, tablets break.", "Maya, tablets break."),
            ("The team has settled on satellites.", "team has settled on satellites."),
            ("The user chose satellites over cables.", "user chose satellites over cables."),
        ] {
            assert_eq!(never_said(text).as_deref(), Some(wanted), "{text}");
        }
    }
}
