//! What the user states as a fact: a figure, a rule, what happened, who said what, a cause, a worry.
//!
//! A fact is quoted whole, with the sentence that points back at it ("That must not happen again"). What
//! the user asks, decides, gives as the reason of a decision, doubts or says in passing is none. A line that a
//! colleague read out and that is about the same stands beside it, and says so where it holds another figure.

use std::ops::Range;

use super::address::unaddressed;
use super::closings::{closes, turns_down};
use super::decisions::decisions_in;
use super::event::Class;
use super::extract::{ENTRY, Said, errand};
use super::figures::Stated;
use super::rulings::without_leads;
use super::small_talk::is_in_passing;
use super::summary::{Decision, USER};
use super::words::{is_number, lists, numbers, subjects, words};
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
    let (mut open, mut drifts) = (false, false);
    let decided = Decided::new(one, decisions);
    for sentence in one.sentences.iter().take(LOOKED_AT) {
        let said = uncounted(unaddressed(sentence, cast));
        // Of what is said behind "let's talk about …" only what tells something counts.
        drifts |= opens_another(said);
        let is_free = !said.ends_with(['?', '？', ':'])
            && !is_courtesy(said)
            && errand(said, true).is_none()
            && !finds_nothing(said)
            && !is_before_a_question(said, one)
            && !closes(said)
            && !turns_down(said)
            && !decided.holds(sentence)
            && !(drifts && (opens_another(said) || !is_telling(said)));
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

/// Whether a sentence only leads in to what its message asks: "Somebody rents a boat. What do they sign?", "I thought
/// I had read something else."
fn is_before_a_question(said: &str, one: &Said) -> bool {
    let asks = one.sentences.iter().any(|sentence| sentence.ends_with(['?', '？']));
    let lower = said.replace('’', "'").to_lowercase();
    let recalls = [
        "i thought ",
        "i remember ",
        "just an idea",
        "just asking",
        "no idea",
        "notes from ",
        "i've got ",
        "i saw ",
        "i've heard ",
        "i've read ",
        "i read ",
    ];
    let found = words(said);
    let counts = found.iter().any(|word| is_number(&word.text));
    asks && (recalls.iter().any(|begins| lower.starts_with(begins)) || found.len() <= LEAD_IN && !counts)
}

/// A sentence of no more words before a question tells of its case.
const LEAD_IN: usize = 5;

/// What a sentence says behind "First, …" and "One more: …".
fn uncounted(said: &str) -> &str {
    let counts = [
        "also",
        "another one",
        "another point",
        "finally",
        "first",
        "firstly",
        "last",
        "lastly",
        "one more",
        "one more point",
        "one more thing",
        "ps",
        "second",
        "secondly",
        "third",
        "thirdly",
    ];
    let split = said.find([',', ':']).map(|at| (&said[..at], said[at + 1..].trim_start()));
    let counted =
        split.filter(|(lead, rest)| counts.contains(&lead.to_ascii_lowercase().as_str()) && !rest.is_empty());
    counted.map_or(said, |(_, rest)| rest)
}

/// Whether a sentence greets, thanks or says that somebody has read the documents, and tells nothing of them.
fn is_courtesy(said: &str) -> bool {
    let begins = [
        "a few ",
        "good work",
        "great work",
        "i had a look",
        "i have read ",
        "i like ",
        "i mostly like ",
        "i read ",
        "i went through ",
        "i've read ",
        "looks good",
        "nice work",
        "some thoughts",
        "thank you",
        "thanks",
        "two things",
    ];
    let lower = said.replace('’', "'").to_lowercase();
    begins.iter().any(|begin| lower.starts_with(begin)) && numbers(said).iter().all(|(value, _)| *value < 4)
}

/// Whether a sentence says that somebody has looked for something in the documents, and it is not there.
pub(super) fn finds_nothing(said: &str) -> bool {
    let begins = [
        "i can not find ",
        "i can't find ",
        "i cannot find ",
        "i could not find ",
        "i couldn't find ",
        "i did not find ",
        "i didn't find ",
        "i don't see ",
        "i find nothing ",
        "i found nothing ",
        "i only see ",
        "i see no ",
        "i see nothing ",
        "it does not say ",
        "it doesn't say ",
        "nowhere does it say ",
        "there is nothing about ",
        "there is nothing on ",
        "there's nothing about ",
        "there's nothing on ",
    ];
    let lower = said.replace('’', "'").to_lowercase();
    begins.iter().any(|begin| lower.starts_with(begin))
}

/// What is missing by such a sentence: the clause that asks, or the thing.
pub(crate) fn looked_for(said: &str) -> Option<&str> {
    let said = uncounted(said);
    let own = finds_nothing(said) && !said.to_lowercase().starts_with("i only see ");
    let asks = ["how ", "what ", "when ", "where ", "whether ", "which ", "who ", "whose ", "why "];
    let lower = said.to_ascii_lowercase();
    let at = asks.iter().filter_map(|word| lower.find(&format!(" {word}")).map(|at| at + 1)).min()?;
    let clause = said.get(at..)?.trim_end_matches(['.', '!', ' ']);
    (own && words(clause).len() > 3).then_some(clause)
}

/// Whether a sentence only names what somebody would rather talk about.
fn opens_another(said: &str) -> bool {
    let openings = [
        "can we talk about ",
        "could we talk about ",
        "how about ",
        "let us discuss ",
        "let us talk about ",
        "let's discuss ",
        "let's talk about ",
        "shall we talk about ",
        "und was ist mit ",
        "was ist mit ",
        "we should talk about ",
        "what about ",
        "reden wir über ",
        "sprechen wir über ",
    ];
    let lower = said.replace('’', "'").to_lowercase();
    openings.iter().any(|opening| lower.starts_with(opening))
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
const IDLE: &str = concat!(
    "agreed|depends|exactly|fair |fine|good |great|hard to |i agree|i can't say|i don't know|",
    "i don't think so|i guess|i have no |i hope|i lean|i like|i mean|i see|i suppose|i think|i wonder|",
    "i would |i'd |i'm not sure|i'm ok|it depends|it should |it would be |maybe|no idea|ok|perhaps|",
    "please|sorry|sounds |thank|whatever",
);

/// Subjects of the talk itself, which make no fact.
const OF_THE_TALK: &str =
    "agree|discussion|document|doesn't|don't|idea|meeting|point|question|really|step|thing|think|way";

fn is_fact(said: &str) -> bool {
    let lower = said.replace('’', "'").to_lowercase();
    let about = subjects(said);
    let own = |word: &&String| !lists(OF_THE_TALK, word) && !is_number(word);
    let about = about.iter().filter(own).count();
    // "OK, my proposal: …" says something behind the word that opens it.
    let (rest, _) = without_leads(&lower);
    words(rest).len() >= 4
        && !IDLE.split('|').any(|idle| rest.starts_with(idle))
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
const TELLING: &str = concat!(
    " afraid | again| ago| allowed| always | april| ashamed| at all| august| because | cannot | can't |",
    " complain| costs | december| every | february| forbidden| had | has to | have to | incident|",
    " january| july| june| last month| last week| last year| law | may not | must | never | nobody |",
    " no one | november| october| often | only | refuse| requires | said | september| since | sometimes |",
    " still | told | wants | was | were | worried | yesterday| no ",
);

fn is_telling(said: &str) -> bool {
    let lower = format!(" {} ", said.replace('’', "'").trim_end_matches(['.', '!']).to_lowercase());
    said.contains(|c: char| c.is_ascii_digit())
        || !numbers(said).is_empty()
        || TELLING.split('|').any(|word| lower.contains(word))
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
    // The word that ends the discussion is no turn, and cuts no answer off.
    let users = || said.iter().filter(|one| one.by == USER && one.is_turn);
    let heard =
        users().filter(|one| one.turn > 0 && !matches!(one.class, Some(Class::OffTopic | Class::Unclear)));
    let told = heard.filter(|one| !is_in_passing(one, said)).flat_map(|one| {
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
}

/// The lines that colleagues read out.
fn lines(said: &[Said]) -> Vec<Line> {
    let mut found = Vec::new();
    for one in said.iter().filter(|one| one.by != USER) {
        for (place, quote) in one.sentences.iter().flat_map(|sentence| placed(sentence)) {
            let about = subjects(&quote);
            let read = Beside { by: one.by.clone(), turn: one.turn, place, quote, contradicts: false };
            found.push(Line { read, about });
        }
    }
    found
}

/// The line that stands beside a fact: of the answers to its message one that shares two subjects with it, or
/// one of the whole discussion that gives another figure for the same.
fn beside(fact: &str, answers: Range<u32>, lines: &[Line]) -> Option<Beside> {
    let (about, stated) = (subjects(fact), Stated::new(fact, ""));
    let mut best: Option<((bool, usize), &Line)> = None;
    for line in lines {
        let shared = about.iter().filter(|word| line.about.contains(word)).count();
        let quote = &line.read.quote;
        let contradicts = shared >= 2 && stated.clashes(quote) || stated.is_denied(quote);
        let rank = (contradicts, shared);
        let stands = contradicts || shared >= 2 && answers.contains(&line.read.turn);
        if stands && best.is_none_or(|(other, _)| rank > other) {
            best = Some((rank, line));
        }
    }
    best.map(|((contradicts, _), line)| Beside { contradicts, ..line.read.clone() })
}

/// The places a sentence names, each with what it quotes there: in brackets the quotation right before it, else
/// the next one behind it, else the one before it; no other place stands between.
pub(super) fn placed(sentence: &str) -> Vec<(String, String)> {
    let quotes = quotes(sentence);
    let inside = |place: &Range<usize>| quotes.iter().any(|quote| quote.contains(&place.start));
    let places: Vec<Range<usize>> = places(sentence).into_iter().filter(|place| !inside(place)).collect();
    // "… in "the text" (name line 4)".
    let in_brackets = |quote: &Range<usize>, place: &Range<usize>| {
        sentence.get(quote.end..place.start).is_some_and(|between| between == "\" (")
    };
    let is_taken = |quote: &Range<usize>| places.iter().any(|place| in_brackets(quote, place));
    let mut found = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let from = at.checked_sub(1).map_or(0, |before| places[before].end);
        let to = places.get(at + 1).map_or(sentence.len(), |next| next.start);
        let own = quotes.iter().find(|quote| in_brackets(quote, place));
        let mut near =
            quotes.iter().filter(|quote| from <= quote.start && quote.end <= to && !is_taken(quote));
        let behind = || near.clone().find(|quote| quote.start > place.start);
        let quote = own.or_else(behind).or_else(|| near.rfind(|quote| quote.start < place.start));
        if let Some(quote) = quote {
            found.push((sentence[place.clone()].to_owned(), sentence[quote.clone()].to_owned()));
        }
    }
    found
}

/// Where a sentence names places: "spec.md line 4".
fn places(sentence: &str) -> Vec<Range<usize>> {
    let found = sentence.match_indices(" line ").filter_map(|(at, line)| {
        let start = sentence[..at].rfind([' ', '(', '"']).map_or(0, |blank| blank + 1);
        let number = at + line.len();
        let after = &sentence[number..];
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        (digits > 0 && sentence[start..at].contains('.')).then_some(start..number + digits)
    });
    found.collect()
}

/// Where a sentence quotes three words or more.
fn quotes(sentence: &str) -> Vec<Range<usize>> {
    let marks: Vec<usize> = sentence.match_indices('"').map(|(at, _)| at).collect();
    let pairs = marks.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]);
    pairs.filter(|quote| words(&sentence[quote.clone()]).len() >= 3).collect()
}

/// Whether a line leaves something open itself: it asks, or says that nobody has settled it.
pub(crate) fn is_open(line: &str) -> bool {
    let says = [
        "not agreed",
        "not decided",
        "not settled",
        "not yet decided",
        "not yet settled",
        "not defined",
        "not known",
        "doesn't say",
        "does not say",
        "no one has said",
        "nobody has said",
        "nobody knows",
        "never written down",
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
            ("Let's talk about the flags, the blue is ugly.", vec![]),
            ("What about the flags, the blue is ugly.", vec![]),
            ("Let's talk about the flags. The blue one is ugly.", vec![]),
            (
                "I don't think the tide is a small risk. In 2022 it cost us 40 boats.",
                vec!["I don't think the tide is a small risk. In 2022 it cost us 40 boats"],
            ),
            ("I don't think so.", vec![]),
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

    #[test]
    fn a_fact_of_the_last_message_keeps_its_line() {
        let mut talk = [
            said(4, USER, "The mooring fee is paid in cash, 20 euros a night."),
            said(5, "business-analyst", "spec.md line 9 says \"The mooring fee is sent by post\"."),
            said(5, USER, "done"),
        ];
        talk[2].is_turn = false;
        let cast = crate::library::Library::built_in().unwrap().cast;
        let told = told(&talk, &[], &cast);
        assert_eq!(told[0].beside.as_ref().map(|line| line.place.as_str()), Some("spec.md line 9"));
    }

    #[test]
    fn a_quotation_belongs_to_the_place_beside_it() {
        let of = |sentence: &str| {
            let found = placed(sentence).into_iter().map(|(place, quote)| format!("{place}: {quote}"));
            found.collect::<Vec<_>>()
        };
        assert_eq!(
            of("It rests on \"the first of two\" (a.md line 1), beside b.md line 2: \"the second of two\"."),
            ["a.md line 1: the first of two", "b.md line 2: the second of two"]
        );
        assert_eq!(
            of(
                "On \"the boats\" it is \"the first of two\" (a.md line 1), not \"the second of two\" (b.md line 2)."
            ),
            ["a.md line 1: the first of two", "b.md line 2: the second of two"]
        );
        assert_eq!(
            of("a.md line 1 has \"it\" (\"a b c, see c.md line 3\")."),
            ["a.md line 1: a b c, see c.md line 3"]
        );
    }
}
