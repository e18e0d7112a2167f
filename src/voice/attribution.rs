//! What a line says that somebody else has said, wants or has decided: their turns have it (V-5).
//!
//! Grammar alone says what a claim is: a participant (a colleague, a user, "you", "we", "the user") and a verb in a past
//! form; "as" with "decided" or "agreed"; "Sam's decision was"; "it was decided that"; "I agree with Sam that". The turns
//! of that participant must have it: one turn has half of its words, the turns have all of its figures, and what it quotes
//! is there word for word. A question settles nothing. Structure cannot say whether a paraphrase is fair, so nothing does.
//!
//! Over "Maya: Photos wait. Sam (user): Keep 64 answers.", "You decided to keep 64 answers" may be said, and "You decided
//! on night transfers" and "Maya said that photos are lost" may not.

use std::collections::BTreeSet;

use super::amounts::{Amount, amounts};
use super::basis::Basis;
use super::quotations::{has_words, quoted};
use super::sources::Sources;
use super::verbs::{is_past, is_saying, is_settled, is_settling};
use crate::discussion::Said;
use crate::discussion::summary::USER;
use crate::item::DRAFT;
use crate::item::persona::{Cast, Persona};
use crate::text::plain;
use crate::text::sentences::sentences;
use crate::text::words::{Word, is_small, subjects, unquoted, words};

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

/// That somebody said or decided something.
struct Attribution<'a> {
    /// None where it is nobody of the table: then turns and documents may say so.
    who: Option<&'a str>,
    /// The place of the verb: what is claimed comes after it.
    verb: usize,
    /// It is said to be settled: what was only asked is no ground.
    is_settled: bool,
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
                let asks = sentence.ends_with('?');
                let claim = self.claimed_of(&words, at, asks).or_else(|| self.settled_by(&words, at))?;
                let end = words.get(claim.verb)?.end;
                // "Everybody, marked …" has no verb of theirs; "the tick that Alex named, …" tells nothing of the tick.
                let has_mark = claim.verb > at
                    && sentence[words[at].end..words[claim.verb].start].contains([',', ';', ':']);
                let led = (at.saturating_sub(1)..=at).find(|led| words[*led].text == "as");
                let is_led = led.is_some() || at > 0 && words[at - 1].text == "to";
                if has_mark || !is_led && says_nothing(&whole[end..]) {
                    return None;
                }
                let is_said = match (quotation(&whole[end..]), led) {
                    (Some((before, quote)), _) if subjects(before).is_empty() => {
                        self.has_quoted(claim.who, quote)
                    }
                    (Some((_, quote)), _) => {
                        self.has_said(&claim, &sentence[end..]) && self.has_quoted(claim.who, quote)
                    }
                    // "Letters are white, as agreed."
                    (None, led) => {
                        let before = led.map_or("", |led| last_clause(&sentence[..words[led].start]));
                        let is_before = says_nothing(&sentence[end..]) && !subjects(before).is_empty();
                        self.has_said(&claim, if is_before { before } else { &sentence[end..] })
                    }
                };
                (!is_said).then(|| plain::cut(&whole[words[at].start..], 80))
            })
        })
    }

    /// What the words at `at` say that somebody said or decided; `asks` tells that they are of a question.
    fn claimed_of(&self, words: &[Word<'_>], at: usize, asks: bool) -> Option<Attribution<'_>> {
        let is = |place: usize, wanted: &[&str]| {
            words.get(place).is_some_and(|word| wanted.contains(&word.text.as_ref()))
        };
        let (who, is_named) = self.participant(words, at)?;
        let who = Some(who);
        let is_of_words = at >= 2 && is(at - 2, &["according"]) && is(at - 1, &["to"]);
        let is_shared = at >= 2 && is(at - 2, &["agree", "disagree"]) && is(at - 1, &["with"]);
        if is_of_words || is_shared && is_named && is(at + 1, &["that"]) {
            return Some(Attribution { who, verb: at, is_settled: false });
        }
        // "Have you agreed …?", "if you decided …": nobody is said to have.
        let before = at.checked_sub(if at > 0 && is(at - 1, &["the"]) { 2 } else { 1 });
        if before.is_some_and(|before| is(before, &OPENING)) {
            return None;
        }
        let verb = (at + 1..words.len()).find(|at| !is_between(&words[*at]))?;
        if is_named && !asks && is(verb, &["is", "was"]) && is(verb + 1, &["certain", "convinced", "sure"]) {
            return Some(Attribution { who, verb: verb + 1, is_settled: false });
        }
        let found = words[verb].text.as_ref();
        // Of the table itself only what it did is claimed: "we want" is how anybody speaks. "Is that what you want?" asks.
        let is_claim = is_past(found) || is_named && !asks && is_saying(found);
        is_claim.then(|| Attribution { who, verb, is_settled: is_settling(found) })
    }

    /// What is said to be settled by words that name nobody of the table, or only whose it is: "as agreed", "as Ines
    /// decided", "it was decided that", "Sam's decision was".
    fn settled_by(&self, words: &[Word<'_>], at: usize) -> Option<Attribution<'_>> {
        let word = |place: usize| words.get(place).map_or("", |word| word.text.as_ref());
        if word(at) == "as" && (at < 2 || word(at - 2) != "as") {
            let mut rest = (at + 1..words.len()).filter(|at| !is_between(&words[*at]) && word(*at) != "the");
            let (first, second) = (rest.next()?, rest.next());
            if is_settling(word(first)) {
                return Some(Attribution { who: Some(USER), verb: first, is_settled: true });
            }
            let is_other = self.participant(words, first).is_none() && !is_small(word(first));
            let verb = second.filter(|verb| is_other && is_settling(word(*verb)))?;
            return Some(Attribution { who: None, verb, is_settled: true });
        }
        // "It was decided that letters are white."
        if word(at) == "it" && matches!(word(at + 1), "is" | "was") {
            let verb = (at + 2..words.len())
                .find(|at| !is_between(&words[*at]))
                .filter(|at| is_settling(word(*at)))?;
            let is_claim = word(verb + 1) == "that";
            return is_claim.then_some(Attribution { who: None, verb, is_settled: true });
        }
        let noun = at + 1;
        let is_told = matches!(word(noun + 1), "was" | "were" | "to" | "that");
        if !is_settled(word(noun)) || !is_told {
            return None;
        }
        let who = match word(at) {
            "your" | "our" => USER,
            owner => self.named(owner.strip_suffix("'s")?)?,
        };
        Some(Attribution { who: Some(who), verb: noun, is_settled: true })
    }

    /// The participant that a word names, and whether it is a person: a colleague, a user, "you", or "the user".
    fn participant(&self, words: &[Word<'_>], at: usize) -> Option<(&str, bool)> {
        let word = words[at].text.as_ref();
        if let Some(who) = self.named(word) {
            return Some((who, true));
        }
        let is_the_user = matches!(word, "user" | "users") && at > 0 && words[at - 1].text == "the";
        match word {
            "we" | "we've" => Some((USER, false)),
            "you" | "you've" | "team" | "everyone" | "everybody" => Some((USER, true)),
            _ => is_the_user.then_some((USER, true)),
        }
    }

    /// The participant who has a first name, in lower case.
    fn named(&self, name: &str) -> Option<&str> {
        let mut others = self.cast.others(&self.persona.key);
        if let Some(other) = others.find(|one| one.first_name().eq_ignore_ascii_case(name)) {
            return Some(&other.key);
        }
        let is_first_name = |user: &String| {
            user.split(' ')
                .next()
                .is_some_and(|first| first.chars().nth(1).is_some() && first.to_lowercase() == name)
        };
        self.basis.users.iter().any(is_first_name).then_some(USER)
    }

    /// The turns of somebody, of all where it is nobody of the table; of users, their issue's text too.
    fn said_by<'s>(&'s self, who: Option<&'s str>) -> impl Iterator<Item = &'s str> {
        let is_users = who.is_none_or(|who| who == USER);
        let said = self.earlier.iter().filter(move |one| who.is_none_or(|who| one.by == who));
        let draft = self.basis.sources.filter(|_| is_users).map(|sources| sources.of_file(DRAFT));
        let others = self.basis.sources.filter(|_| who.is_none()).map(Sources::all);
        let first = self.basis.first.filter(|_| is_users);
        let documents = others.into_iter().flatten().flat_map(str::lines);
        said.map(|one| one.text).chain(first).chain(draft.into_iter().flatten()).chain(documents)
    }

    /// Whether a turn has half of the words of a claim, up to its first mark, and the turns have its figures.
    fn has_said(&self, claim: &Attribution<'_>, words: &str) -> bool {
        let figures: Vec<Amount> = self.said_by(claim.who).flat_map(amounts).collect();
        let claimed = words.split([';', '.', ':']).next().map(amounts).unwrap_or_default();
        let is_said = |one: &Amount| one.is_article() || figures.iter().any(|known| one.is_same(known));
        if !claimed.iter().all(is_said) {
            return false;
        }
        let mut wanted: Vec<String> = Vec::new();
        for part in words.split([',', ';', ':', '.', '(', ')']) {
            wanted.extend(subjects(part));
            if wanted.len() >= ENOUGH {
                break;
            }
        }
        let says = |text: &str| {
            let told = sentences(text).into_iter().filter(|one| !claim.is_settled || !one.ends_with('?'));
            let known: BTreeSet<String> = told.flat_map(subjects).collect();
            !known.is_empty()
                && wanted.iter().filter(|word| known.contains(*word)).count() * 2 >= wanted.len()
        };
        self.said_by(claim.who).any(says)
    }

    /// Whether a quotation is word for word somebody's.
    fn has_quoted(&self, who: Option<&str>, quote: &str) -> bool {
        words(quote).len() < ENOUGH || self.said_by(who).any(|text| has_words(text, quote))
    }
}

/// Whether a word may be between a subject and its verb.
fn is_between(word: &Word<'_>) -> bool {
    BETWEEN.contains(&word.text.as_ref()) || word.text.ends_with("ly")
}

/// What is before the last mark of a text that ends in one, as far as it says something.
fn last_clause(text: &str) -> &str {
    let text = text.trim_end().trim_end_matches(',');
    let start = text.rfind([',', ';', ':', '.']).map_or(0, |at| at + 1);
    if subjects(&text[start..]).len() < ENOUGH { text } else { &text[start..] }
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
            (USER, "Keep 64 answers. A photo may go first. Are tablets green?"),
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
            "As agreed, we keep 64 answers.",
            "We keep 64 answers, as already decided.",
            "Sam's decision was to keep 64 answers.",
            "It needs your decision on tablets.",
            "As Ines decided, 64 answers are to be kept.",
            "You asked whether tablets are green.",
            "It goes on as soon as agreed limits are there.",
            "I agree with Maya that reports wait.",
            "It was decided that a photo may go first.",
            "Maya thinks that reports wait for the night.",
            "It is not decided that satellites are dear.",
            "What does Alex think of satellites?",
            "Do you prefer satellites?",
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
            ("As agreed, satellites are dear.", "As agreed, satellites are dear."),
            ("Satellites are dear, as agreed.", "as agreed."),
            ("Reports wait, and satellites are dear, as you decided.", "you decided."),
            ("As Ines decided, satellites are dear.", "As Ines decided, satellites are dear."),
            (
                "As the council had decided, satellites are dear.",
                "As the council had decided, satellites are dear.",
            ),
            ("Sam's decision was satellites.", "Sam's decision was satellites."),
            ("Your decision to buy satellites holds.", "Your decision to buy satellites holds."),
            ("As you decided, tablets are green.", "you decided, tablets are green."),
            ("I agree with Maya that satellites are dear.", "Maya that satellites are dear."),
            (
                "It was already agreed that satellites are dear.",
                "It was already agreed that satellites are dear.",
            ),
            ("Maya thinks that satellites are dear.", "Maya thinks that satellites are dear."),
            ("Sam prefers satellites.", "Sam prefers satellites."),
            ("Alex is sure that satellites are dear.", "Alex is sure that satellites are dear."),
        ] {
            assert_eq!(never_said(text).as_deref(), Some(wanted), "{text}");
        }
    }
}
