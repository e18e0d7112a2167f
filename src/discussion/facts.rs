//! What the user states as a fact: a figure, a rule, what happened, who said what, a cause, a worry.
//!
//! A fact is quoted whole, with the sentence that points back at it ("That must not happen again"). What
//! the user asks, decides, gives as the reason of a decision, doubts or says in passing is none. A line that a
//! colleague read out and that is about the same stands beside it, and says so where it holds another figure.

use std::ops::Range;

use super::address::unaddressed;
use super::decisions::decisions_in;
use super::event::Class;
use super::extract::{ENTRY, Said};
use super::summary::{Decision, USER};
use super::words::{is_number, numbers, subjects, words};
use crate::persona::Cast;
use crate::plain::{capital, cut};

/// A statement of the user's.
pub(super) struct Fact {
    pub text: String,
    /// It holds a figure, a rule, something that happened, or somebody's words.
    pub is_telling: bool,
}

/// Facts of one message beyond these are left to the recording.
const MOST: usize = 3;

/// Sentences of one message that are looked at, and decisions of it that they are held against.
const LOOKED_AT: usize = 100;

/// The facts of a message, each a run of sentences.
fn facts(one: &Said, decisions: &[Decision], cast: &Cast) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    let mut open = false;
    let decided = Decided::new(one, decisions);
    for sentence in one.sentences.iter().take(LOOKED_AT) {
        let said = unaddressed(sentence, cast);
        let is_free = !said.ends_with(['?', '？', ':']) && !decided.holds(sentence);
        let joins = open && is_free && (points_back(said) || is_fact(said));
        if joins {
            // The whole of a run fits an entry, or stands apart.
            let last = found.last_mut().filter(|last| last.text.len() + said.len() + 2 <= ENTRY);
            if let Some(last) = last {
                last.is_telling |= is_telling(said);
                last.text = format!("{}. {}", last.text, ended(&capital(said)));
                continue;
            }
        }
        open = is_free && is_fact(said);
        if open {
            found.push(Fact { text: cut(&ended(&capital(said)), ENTRY), is_telling: is_telling(said) });
        }
    }
    // Stable: the telling ones first.
    found.sort_by_key(|fact| !fact.is_telling);
    found.truncate(MOST);
    found
}

fn ended(sentence: &str) -> String {
    sentence.trim_end_matches(['.', ' ']).to_owned()
}

/// What a message decides, and why.
struct Decided {
    /// In lower case.
    texts: Vec<String>,
    /// What each decision is about.
    about: Vec<Vec<String>>,
}

impl Decided {
    fn new(one: &Said, decisions: &[Decision]) -> Decided {
        let own = one.decides.iter().map(|(what, why)| (what.as_str(), why.as_deref().unwrap_or_default()));
        let of_turn = decisions.iter().filter(|decision| decision.turns.contains(&one.turn));
        let of_turn = of_turn.map(|decision| (decision.text.as_str(), decision.rationale.as_str()));
        let all: Vec<(&str, &str)> = own.take(LOOKED_AT).chain(of_turn.take(LOOKED_AT)).collect();
        let texts = all.iter().flat_map(|(what, why)| [what, why]).filter(|text| !text.is_empty());
        Decided {
            texts: texts.map(|text| text.to_lowercase()).collect(),
            about: all.iter().map(|(what, _)| subjects(what)).collect(),
        }
    }

    /// Whether a sentence is a decision, the reason of one, or a part of one: "At every boot, please".
    fn holds(&self, sentence: &str) -> bool {
        let lower = sentence.to_lowercase().replace('’', "'");
        let mut about = subjects(sentence);
        about.retain(|word| word != "please");
        !decisions_in(sentence, true).is_empty()
            || self.texts.iter().any(|text| lower.contains(text.as_str()))
            || self.about.iter().any(|known| about.iter().all(|word| known.contains(word)))
    }
}

/// How a sentence begins that says nothing by itself.
const IDLE: [&str; 38] = [
    "agreed",
    "depends",
    "exactly",
    "fair ",
    "fine",
    "good ",
    "great",
    "hard to ",
    "i agree",
    "i can't say",
    "i don't know",
    "i don't think",
    "i guess",
    "i have no ",
    "i hope",
    "i lean",
    "i like",
    "i mean",
    "i see",
    "i suppose",
    "i think",
    "i wonder",
    "i would ",
    "i'd ",
    "i'm not sure",
    "i'm ok",
    "it depends",
    "it should ",
    "it would be ",
    "maybe",
    "no idea",
    "ok",
    "perhaps",
    "please",
    "sorry",
    "sounds ",
    "thank",
    "whatever",
];

/// Subjects of the talk itself, which make no fact.
const OF_THE_TALK: [&str; 14] = [
    "agree",
    "discussion",
    "document",
    "doesn't",
    "don't",
    "idea",
    "meeting",
    "point",
    "question",
    "really",
    "step",
    "thing",
    "think",
    "way",
];

fn is_fact(said: &str) -> bool {
    let lower = said.replace('’', "'").to_lowercase();
    let about = subjects(said);
    let own = |word: &&String| !OF_THE_TALK.contains(&word.as_str()) && !is_number(word);
    let about = about.iter().filter(own).count();
    words(said).len() >= 4
        && !IDLE.iter().any(|idle| lower.starts_with(idle))
        && (about >= 2 || about == 1 && is_telling(said))
}

/// Whether a sentence goes on with the one before it.
fn points_back(said: &str) -> bool {
    let lower = said.replace('’', "'").to_lowercase();
    let begins =
        ["that ", "this ", "it ", "they ", "these ", "those ", "because ", "i don't know whether that "];
    words(said).len() >= 3
        && begins.iter().any(|word| lower.starts_with(word))
        && !lower.starts_with("that's it")
}

/// Words of rules, of what happened, of hearsay, causes and worries.
const TELLING: [&str; 52] = [
    " afraid ",
    " again",
    " ago",
    " allowed",
    " always ",
    " april",
    " ashamed",
    " at all",
    " august",
    " because ",
    " cannot ",
    " can't ",
    " complain",
    " costs ",
    " december",
    " every ",
    " february",
    " forbidden",
    " had ",
    " has to ",
    " have to ",
    " incident",
    " january",
    " july",
    " june",
    " last month",
    " last week",
    " last year",
    " law ",
    " may not ",
    " must ",
    " never ",
    " nobody ",
    " no one ",
    " november",
    " october",
    " often ",
    " only ",
    " refuse",
    " requires ",
    " said ",
    " september",
    " since ",
    " sometimes ",
    " still ",
    " told ",
    " wants ",
    " was ",
    " were ",
    " worried ",
    " yesterday",
    " no ",
];

fn is_telling(said: &str) -> bool {
    let lower = format!(" {} ", said.replace('’', "'").trim_end_matches(['.', '!']).to_lowercase());
    said.contains(|c: char| c.is_ascii_digit())
        || !numbers(said).is_empty()
        || TELLING.iter().any(|word| lower.contains(word))
}

/// A fact with the turn it was stated in, and the line that stands beside it.
pub(super) struct Told {
    pub turn: u32,
    pub fact: Fact,
    pub beside: Option<Beside>,
}

/// A line that a colleague read out.
#[derive(Clone)]
pub(super) struct Beside {
    pub by: String,
    pub turn: u32,
    pub place: String,
    pub quote: String,
    /// It gives another figure for the same.
    pub contradicts: bool,
}

/// Everything the user states as a fact.
pub(super) fn told(said: &[Said], decisions: &[Decision], cast: &Cast) -> Vec<Told> {
    let lines = lines(said);
    let users = || said.iter().filter(|one| one.by == USER && one.turn > 0);
    let heard =
        users().filter(|one| one.is_turn && !matches!(one.class, Some(Class::OffTopic | Class::Unclear)));
    let told = heard.flat_map(|one| {
        let facts = facts(one, decisions, cast);
        let next = || users().find(|next| next.turn > one.turn).map_or(u32::MAX, |next| next.turn);
        let until = if facts.is_empty() { 0 } else { next() };
        let beside = |fact: Fact| {
            let beside = beside(&fact.text, one.turn..until, &lines);
            Told { turn: one.turn, fact, beside }
        };
        facts.into_iter().map(beside).collect::<Vec<_>>()
    });
    told.collect()
}

/// A line that was read out, with what it is about and what it counts.
struct Line {
    read: Beside,
    about: Vec<String>,
    counts: Vec<(u64, String)>,
}

/// The lines that colleagues read out.
fn lines(said: &[Said]) -> Vec<Line> {
    let mut found = Vec::new();
    for one in said.iter().filter(|one| one.by != USER) {
        for (place, quote) in one.sentences.iter().flat_map(|sentence| placed(sentence)) {
            let (about, counts) = (subjects(&quote), numbers(&quote));
            let read = Beside { by: one.by.clone(), turn: one.turn, place, quote, contradicts: false };
            found.push(Line { read, about, counts });
        }
    }
    found
}

/// The line that stands beside a fact: of the answers to its message one that shares two subjects with it, or
/// one of the whole discussion that gives another figure for the same.
fn beside(fact: &str, answers: Range<u32>, lines: &[Line]) -> Option<Beside> {
    let (about, counted) = (subjects(fact), numbers(fact));
    let mut best: Option<((bool, usize), &Line)> = None;
    for line in lines {
        let shared = about.iter().filter(|word| line.about.contains(word)).count();
        let contradicts = shared >= 2 && is_other_figure(&counted, &line.counts);
        let rank = (contradicts, shared);
        let stands = contradicts || shared >= 2 && answers.contains(&line.read.turn);
        if stands && best.is_none_or(|(other, _)| rank > other) {
            best = Some((rank, line));
        }
    }
    best.map(|((contradicts, _), line)| Beside { contradicts, ..line.read.clone() })
}

/// Whether two texts count the same to another number, and nothing of the same to the same.
fn is_other_figure(one: &[(u64, String)], other: &[(u64, String)]) -> bool {
    let of_one = |unit: &str| one.iter().any(|(_, own)| own == unit);
    let same = one.iter().any(|figure| other.contains(figure));
    !same && other.iter().any(|(_, unit)| of_one(unit))
}

/// The places a sentence names, each with what it quotes next to it.
pub(super) fn placed(sentence: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, line) in sentence.match_indices(" line ") {
        let start = sentence[..at].rfind([' ', '(', '"']).map_or(0, |blank| blank + 1);
        let number = at + line.len();
        let after = &sentence[number..];
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        if digits == 0 || !sentence[start..at].contains('.') {
            continue;
        }
        let place = sentence[start..number + digits].to_owned();
        let behind = quoted(&sentence[number + digits..]);
        // "… in "the text" (name line 4)": the quotation may stand in front.
        let before = || sentence[..start].rsplit('"').nth(1).map(str::to_owned);
        let is_closed = sentence[..start].matches('"').count().is_multiple_of(2);
        let quote = behind.or_else(|| before().filter(|_| is_closed));
        if let Some(quote) = quote.filter(|quote| words(quote).len() >= 3) {
            found.push((place, quote));
        }
    }
    found
}

/// Whether a line leaves something open itself: it asks, or says that nobody has settled it.
pub(super) fn is_open(line: &str) -> bool {
    let says = [
        "not decided",
        "not settled",
        "not yet decided",
        "not yet settled",
        "not defined",
        "not known",
        "undecided",
        "unsettled",
        "unclear",
        "to be decided",
        "to be defined",
        "to be discussed",
        "tbd",
        "tbc",
        "offen:",
        "ist offen",
        "open question",
        "is open",
        "are open",
        "still open",
        "noch offen",
        "nicht entschieden",
    ];
    let lower = line.to_lowercase();
    lower.contains(['?', '？']) || says.iter().any(|says| lower.contains(says))
}

/// The first longer quotation of a text.
fn quoted(text: &str) -> Option<String> {
    let mut quotes = text.split('"').skip(1).step_by(2);
    quotes.find(|quote| words(quote).len() >= 3).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(turn: u32, by: &str, text: &str) -> Said {
        Said {
            turn,
            by: by.to_owned(),
            text: text.to_owned(),
            sentences: crate::discussion::extract::sentences(text),
            is_turn: true,
            class: None,
            purpose: None,
            decides: decisions_in(text, by == USER),
        }
    }

    fn of(text: &str) -> Vec<String> {
        let cast = crate::library::Library::built_in().unwrap().cast;
        facts(&said(4, USER, text), &[], &cast).into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn a_fact_is_quoted_whole_and_a_question_or_small_talk_is_none() {
        for (text, wanted) in [
            (
                "Last winter the ferry froze in for nine days. That must never happen again.",
                vec!["Last winter the ferry froze in for nine days. That must never happen again"],
            ),
            (
                "Alex, the skippers told me they refuse a tablet.",
                vec!["The skippers told me they refuse a tablet"],
            ),
            ("What about the rope? A rope holds 300 kg.", vec!["A rope holds 300 kg"]),
            ("We will buy two pumps. That way one may fail.", vec![]),
            ("By post, then. But some have no letter box at all.", vec!["Some have no letter box at all"]),
            ("The two documents don't agree.", vec![]),
            ("I don't know.", vec![]),
            ("It should just work, like any other ferry.", vec![]),
            ("Hm, depends really.", vec![]),
            ("Maya, where should we start?", vec![]),
        ] {
            assert_eq!(of(text), wanted, "{text}");
        }
    }

    #[test]
    fn the_line_about_the_same_stands_beside_a_fact_and_another_figure_is_told_apart() {
        let talk = [
            said(4, USER, "The harbour master answers after 6 hours, not 2."),
            said(5, "business-analyst", "spec.md line 9 says \"The harbour master answers within 2 hours\"."),
            said(6, USER, "The mooring fee is paid in cash."),
            said(7, "system-designer", "In \"a mooring fee is due\" (spec.md line 12) no case is named."),
        ];
        let cast = crate::library::Library::built_in().unwrap().cast;
        let told = told(&talk, &[], &cast);
        let [first, second] = told.as_slice() else { panic!("{}", told.len()) };
        let found = first.beside.as_ref().unwrap();
        assert_eq!((found.place.as_str(), found.contradicts), ("spec.md line 9", true));
        let found = second.beside.as_ref().unwrap();
        assert_eq!((found.quote.as_str(), found.contradicts), ("a mooring fee is due", false));
        assert!(beside("Nobody reads letters", 4..9, &lines(&talk)).is_none());
    }
}
