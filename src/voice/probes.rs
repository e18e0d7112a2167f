//! What each of the three asks next: of a line by its limit, its role or what it leaves open, else as of any line; of the
//! line that only comes nearest; where there is none; and of the user's own words, where they are a figure, a proposal or a
//! view. Who reads out a line and stops there leaves the work to the reader.

use std::sync::LazyLock;

use super::forms::Form;
use super::naming::{is_of_the_calendar, is_preposition, is_unit, names_something};
use super::spoken::digits;
use super::wording::Speech;
use crate::discussion::words::{Word, is_significant, lists, stem, unquoted, words};

/// What a text has that something can be asked of, with the words that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Hold {
    Limit(String),
    Figure(String),
    Role(String),
    Proposal,
    View,
    Open,
}

/// The questions of each persona to each of these, in several ways.
type Ways = [[&'static str; 3]; 3];

const LIMIT: Ways = [
    [
        "Who may make an exception from \"{}\", and whom does it hit first?",
        "Whom did we ask before \"{}\" was set, and who has to live with it?",
        "People will ask why it is \"{}\". Who can tell them?",
    ],
    [
        "Past \"{}\" something has to give: refuse, wait or pay more. Which of the three is cheapest to undo?",
        "What does it cost to hold \"{}\" on the worst day, and what fails first?",
        "If \"{}\" is missed once, what else falls over with it?",
    ],
    [
        "A test needs both sides of \"{}\": a value that just passes, and one that just fails.",
        "Does \"{}\" include its own edge, and from which exact moment does it count?",
        "Which exact answer comes back on the first value beyond \"{}\"?",
    ],
];
/// Of a count only the analyst asks something.
const FIGURE: [&str; 3] = [
    "Who counted \"{}\", and does it still hold for the people it is about?",
    "Behind \"{}\" stand people. Which of them would notice first if it changed?",
    "Is \"{}\" a count or a guess, and which person would know?",
];
const ROLE: Ways = [
    [
        "Who has asked the {}, and which person stands in on a day off?",
        "What would the {} say who reads this, and has anybody asked?",
        "What does the {} have to leave undone to have time for it?",
    ],
    [
        "All of it waits for the {}: who takes over when nobody answers, and at what cost?",
        "The {} is a single point of failure as long as no second name is on record.",
        "Which part would go on without the {}, and which would stop?",
    ],
    [
        "What exactly does the {} see at that moment, and what can be changed there?",
        "Which answers can the {} give, and which exact result follows from each?",
        "What holds, word for word, until the {} has answered?",
    ],
];
const PROPOSAL: Ways = [
    [
        "It is a proposal so far: which people would have to say yes to it, and who has to live with it?",
        "Before it is settled, which of the people it touches should hear of it?",
        "For whom would the next day be easier with it, and for whom harder?",
    ],
    [
        "As an option it wants its price on record, and one alternative beside it, to do nothing among them.",
        "What would it cost to take back after a month?",
        "Which option would it replace, and who pays for both meanwhile?",
    ],
    [
        "As one exact sentence, what would it say, and what would it rule out?",
        "Which two examples would show that it works, and which one that it does not?",
        "What is the smallest version of it that a test could hold?",
    ],
];
const VIEW: Ways = [
    [
        "What happened that makes you say so, and to which people?",
        "Who sees it as you do, and which people would object?",
        "What would have to be different for you, and for whom else?",
    ],
    [
        "Which option would you take then, and at what cost?",
        "What would you give up for it?",
        "If you are right, what should be built later, or not at all?",
    ],
    [
        "Which exact value or wording would you write instead?",
        "Which case would show you to be right?",
        "Word for word, how would the line read if it were yours to write?",
    ],
];

const OPEN: Ways = [
    [
        "Who could answer it by next week, and who has to ask them?",
        "Which people wait for the answer, and since when?",
        "Whom of the people it touches do we ask first?",
    ],
    [
        "What has to wait until it is answered, and what does a week of that cost?",
        "Which of the possible answers is the cheapest to take back?",
        "Which option do we take if nobody answers, and who carries that risk?",
    ],
    [
        "Which exact answer would you write down today, to be corrected later?",
        "What does a test assert there until it is answered?",
        "Which exact value holds in the meantime, to the letter?",
    ],
];

/// Of any line.
const ANY: [[&str; 10]; 3] = [
    [
        "Which of the people it concerns do not know that yet?",
        "Who has to hear of it when that changes?",
        "How do people really do it today?",
        "What would somebody new have to ask people there?",
        "Who asked for that, and do they still want it?",
        "Which people will stumble over it first, and what do they do then?",
        "Who is left out by that, and have we told them?",
        "What would people expect there who have never read it?",
        "Whom should we ask before we rely on it?",
        "For whom is that easy to live with, and for whom is it not?",
    ],
    [
        "What else has to change if that changes, and at what cost?",
        "Which parts of the plan depend on it?",
        "What does it cost to undo if that turns out wrong, and who carries the risk?",
        "Which option is left if it has to hold ten times as much?",
        "What is the price of changing it later?",
        "Which option did the plan give up for it?",
        "Which risk do we carry if nobody keeps to it?",
        "Which cheaper option would do the same?",
        "What does the plan fall back on when it fails?",
        "What has to be in place before it, and at what cost?",
    ],
    [
        "Which case does that sentence not cover, and what is the expected result there?",
        "Which two values would a test use to show that it holds?",
        "What exactly is the result otherwise?",
        "Which single example would break that sentence?",
        "Which word in it could be read in two ways?",
        "What exactly is the result when it is not met?",
        "From which moment to which does it hold?",
        "In which order does it happen, word for word?",
        "What is the smallest example that a test could use?",
        "Which value in it is checked first, and what is the result?",
    ],
];
/// Of the nearest line, which may not be what was meant.
const PERHAPS: [[&str; 4]; 3] = [
    [
        "Who could tell us whether that is meant?",
        "If it is not that, which person could tell us?",
        "What would people still miss in that answer?",
        "Who could tell us the rest?",
    ],
    [
        "If that does not cover it, what would you lean towards?",
        "If you mean something else, the plan has no option for it yet.",
        "If it is not that, I would keep the part easy to change until we know.",
        "What can the plan not do until it is settled?",
    ],
    [
        "If that is meant, one more sentence of the text should say so.",
        "If it is not, which sentence is missing?",
        "Which sentence is missing, if it is not that one?",
        "What would the missing sentence say?",
    ],
];
/// Where no document has an answer.
const NOTHING: [[&str; 5]; 3] = [
    [
        "Who could tell us, and by when?",
        "Whom of the people it touches could we ask?",
        "Which person would know without looking it up?",
        "Which people had the trouble last time?",
        "Who has to live with it until we know?",
    ],
    [
        "What would you lean towards?",
        "What does it hold up as long as it is open, and at what cost?",
        "Which answer would be the cheapest to take back?",
        "Which risk do we take if we build without it?",
        "What would we have to change if the answer is no?",
    ],
    [
        "What would the sentence say?",
        "Under which heading should the sentence stand?",
        "Which two examples should the sentence settle?",
        "What should the text say in the meantime, word for word?",
        "Which sentence would you write down today?",
    ],
];

/// What a persona may ask next of a line that is open itself.
pub(super) fn of_open(speech: Speech) -> Vec<String> {
    said(speech, std::iter::once(Hold::Open))
}

/// What a persona may ask next of a line: of what it has, else as of any, another one first in each turn.
pub(super) fn of_line(speech: Speech, text: &str, turn: u32) -> Vec<String> {
    let mut found = of_its_own(speech, text);
    found.extend(in_turn(speech, &ANY, turn));
    found
}

/// What a persona may ask of what a line has, and nothing where it has nothing of the kind.
pub(super) fn of_its_own(speech: Speech, text: &str) -> Vec<String> {
    said(speech, [limit(text).map(Hold::Limit), role(text).map(Hold::Role)].into_iter().flatten())
}

/// What a persona may ask of the line that only comes nearest.
pub(super) fn of_nearest(speech: Speech, turn: u32) -> Vec<String> {
    in_turn(speech, &PERHAPS, turn)
}

/// What a persona may ask where there is no line.
pub(super) fn of_nothing(speech: Speech, turn: u32) -> Vec<String> {
    in_turn(speech, &NOTHING, turn)
}

fn in_turn<const N: usize>(speech: Speech, ways: &'static [[&'static str; N]; 3], turn: u32) -> Vec<String> {
    let [analyst, architect, designer] = ways;
    let mut ways: Vec<String> =
        speech.one_of(analyst, architect, designer).iter().map(|way| (*way).to_owned()).collect();
    ways.rotate_left(turn as usize % N);
    ways
}

/// What a persona may ask next of what the user says.
pub(super) fn of_message(speech: Speech, text: &str) -> Vec<String> {
    let own = if suggests(text) { Some(Hold::Proposal) } else { is_view(text).then_some(Hold::View) };
    let counted = figure(text).filter(|_| speech == Speech::Analyst);
    said(speech, own.into_iter().chain(counted.map(Hold::Figure)))
}

/// Whether a sentence asks one of these: of the text that it quotes, and of nothing that stays open in the documents.
/// The synthesis knows these sentences again.
pub(crate) fn is_probe(sentence: &str) -> bool {
    static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
        let three = [LIMIT, ROLE, VIEW, OPEN];
        let ways = three.iter().flatten().flatten().chain(&FIGURE).chain(ANY.iter().flatten());
        let ways = ways.chain(PERHAPS.iter().flatten()).chain(NOTHING.iter().flatten());
        // Of two sentences each is one.
        ways.flat_map(|way| way.split_inclusive(['.', '?']).map(str::trim).map(Form::new)).collect()
    });
    FORMS.iter().any(|form| form.is_of(sentence))
}

fn said(speech: Speech, holds: impl Iterator<Item = Hold>) -> Vec<String> {
    let of = |[analyst, architect, designer]: &'static Ways| speech.one_of(analyst, architect, designer);
    let ways = |hold: Hold| {
        let (ways, words) = match hold {
            Hold::Limit(words) => (of(&LIMIT), words),
            Hold::Figure(words) => (&FIGURE, words),
            Hold::Role(words) => (of(&ROLE), words),
            Hold::Proposal => (of(&PROPOSAL), String::new()),
            Hold::View => (of(&VIEW), String::new()),
            Hold::Open => (of(&OPEN), String::new()),
        };
        ways.iter().map(|way| way.replacen("{}", &words.replace('"', "'"), 1)).collect::<Vec<_>>()
    };
    holds.flat_map(ways).collect()
}

/// Words that bound a figure.
const BOUNDS: [&str; 12] = [
    "at most",
    "at least",
    "no more than",
    "not more than",
    "no less than",
    "not less than",
    "up to",
    "within",
    "under",
    "below",
    "höchstens",
    "mindestens",
];

/// Who works for it, and may be away: a patient and a customer are asked nothing of that kind.
const STAFF: &str = concat!(
    "accountant|administrator|caretaker|clerk|conductor|courier|director|doctor|driver|editor|inspector|",
    "librarian|manager|nurse|officer|operator|pharmacist|porter|receptionist|registrar|secretary|supervisor|teacher|",
    "technician|treasurer",
);

/// A bound with its figure and what it counts: "at most 4 late shifts".
fn limit(text: &str) -> Option<String> {
    // ASCII letters in lower case: every byte keeps its place.
    let lower = unquoted(text).to_ascii_lowercase();
    let found = BOUNDS.iter().filter_map(|bound| {
        let at = lower.find(bound)?;
        let whole = !lower[..at].ends_with(char::is_alphanumeric);
        let behind = lower[at + bound.len()..].strip_prefix(' ')?;
        let counts = whole && behind.starts_with(|c: char| c.is_ascii_digit());
        counts.then_some((at, at + bound.len() + 1))
    });
    let (at, figure) = found.min()?;
    let near = near(&text[figure..]);
    let found = words(near);
    text.get(at..figure + counted(near, &found))
        .map(str::to_owned)
        .filter(|limit| limit.chars().any(|c| c.is_ascii_digit()))
}

/// As much of a text as a figure with its unit takes.
fn near(text: &str) -> &str {
    let end = text.char_indices().map(|(at, _)| at).nth(NEAR).unwrap_or(text.len());
    &text[..end]
}

/// A figure with what it counts is no longer, in characters.
const NEAR: usize = 80;

/// Where the words end that say what the figure counts that a text begins with, `found` being its words.
fn counted(text: &str, found: &[Word<'_>]) -> usize {
    let Some(figure) = found.first() else { return 0 };
    let mut end = figure.end;
    // "10,000.00" is one figure.
    let mut parts = found.iter().skip(1).peekable();
    while let Some(part) = parts.next_if(|part| {
        part.start == end + 1
            && part.text.starts_with(|c: char| c.is_ascii_digit())
            && text[end..].starts_with([',', '.', ':'])
    }) {
        end = part.end;
    }
    if text[end..].starts_with(" %") {
        return end + 2;
    }
    if text[end..].starts_with('%') {
        return end + 1;
    }
    // "Late shifts" are two words, "days go" is one.
    let joined = |end: usize, part: &Word<'_>| text[end..part.start] == *" " && is_unit(&part.text);
    let plural = |part: &Word<'_>| stem(&part.text).len() < part.text.len();
    let Some(first) = parts.next().filter(|part| joined(end, part)) else { return end };
    end = first.end;
    match parts.next().filter(|second| !plural(first) && plural(second) && joined(end, second)) {
        Some(second) => second.end,
        None => end,
    }
}

/// A figure with what it counts: "420 meals", "seventeen people".
fn figure(text: &str) -> Option<String> {
    words(text).iter().find_map(|word| {
        // A small number is seen at once, and a time has its own questions.
        let in_digits = word.text.bytes().all(|byte| byte.is_ascii_digit()).then_some(word.text.as_ref());
        let is_large = in_digits.or_else(|| digits(&word.text)).is_some_and(|digits| digits.len() > 1);
        let free = !text[..word.start].ends_with(['-', '.', ',', ':', '/', '#', '§']);
        if !free || !is_large {
            return None;
        }
        let near = near(&text[word.start..]);
        let found = words(near);
        let said = &near[..counted(near, &found)];
        let unit = said.rsplit(' ').next().unwrap_or_default().to_lowercase();
        // "31 March" is a day.
        let is_day = is_of_the_calendar(&unit);
        let counts = said.contains(' ') && names_something(&unit) && !is_day && !said.contains(':');
        counts.then(|| said.to_owned())
    })
}

/// Whom a text names by their role, with the word that says which: "duty manager".
fn role(text: &str) -> Option<String> {
    let found = words(text);
    let at = found.iter().position(|word| lists(STAFF, &word.text))?;
    let which = at.checked_sub(1).map(|before| &found[before]).filter(|word| {
        let names = is_significant(&word.text) && !is_preposition(&word.text);
        names && text[word.end..found[at].start] == *" " && !word.text.ends_with("'s")
    });
    Some(text[which.map_or(found[at].start, |word| word.start)..found[at].end].to_owned())
}

/// Whether somebody proposes something and has not settled it. "Could somebody else do it?" only asks.
pub(super) fn suggests(text: &str) -> bool {
    let lower = format!(" {} ", text.to_lowercase().replace('’', "'"));
    let lower = match text.trim_end().ends_with(['?', '？']) {
        true => lower.replace(" could we ", " maybe ").replace(" could ", " "),
        false => lower,
    };
    let lower = lower.replace(" could not ", " ");
    let signs = [
        " could ",
        " maybe ",
        " perhaps ",
        " how about ",
        " what if we ",
        " i suggest ",
        " i'd suggest ",
        " i would suggest ",
        " i propose ",
        " my proposal",
    ];
    signs.iter().any(|sign| lower.contains(sign))
}

/// Whether somebody says how they see something.
fn is_view(text: &str) -> bool {
    let lower = format!(" {} ", text.to_lowercase().replace('’', "'"));
    let signs = [
        " i think ",
        " i don't think ",
        " i doubt ",
        " i'm not convinced ",
        " i am not convinced ",
        " differently ",
        " i'd say ",
        " i would say ",
        " if you ask me",
        " i disagree ",
        " i believe ",
        " too many ",
        " too few ",
        " too long ",
        " too late ",
        " too little ",
        " i worry ",
        " worries me ",
        " i'd have ",
        " can't be right",
    ];
    signs.iter().any(|sign| lower.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_asked_of_what_it_has() {
        assert_eq!(limit("At most 4 late shifts in a row").as_deref(), Some("At most 4 late shifts"));
        assert_eq!(limit("Amount: at most 10,000.00, two decimals").as_deref(), Some("at most 10,000.00"));
        assert_eq!(limit("Humidity stays below 55 % all day").as_deref(), Some("below 55 %"));
        assert_eq!(limit("Over the hills"), None);
        assert_eq!(figure("We had seventeen sheep").as_deref(), Some("seventeen sheep"));
        assert_eq!(figure("FR-007 The pump stops"), None);
        assert_eq!(role("The duty manager phones the bank list").as_deref(), Some("duty manager"));
        assert_eq!(of_line(Speech::Analyst, "The sea is blue", 11)[0], ANY[0][1]);
        assert!(!of_message(Speech::Architect, "We could ask for a deposit").is_empty());
    }

    #[test]
    fn letters_that_change_their_length_in_lower_case_are_no_danger() {
        for text in [
            "the quay İẞ noon 12 boats",
            "For İİ the harbour is at most 9ẞẞ rooms.",
            "at most 9 ẞ",
            "höchstens 12 ﬁ",
        ] {
            let _ = (figure(text), limit(text), role(text));
        }
        assert_eq!(figure("İİ 12 boats wait").as_deref(), Some("12 boats"));
    }

    #[test]
    fn no_two_ways_are_the_same() {
        let all: Vec<&str> =
            [LIMIT, ROLE, PROPOSAL, VIEW, OPEN].iter().flatten().flatten().chain(&FIGURE).copied().collect();
        let all: Vec<&str> = all
            .into_iter()
            .chain(ANY.iter().flatten().copied())
            .chain(PERHAPS.iter().flatten().copied())
            .chain(NOTHING.iter().flatten().copied())
            .collect();
        let once: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(once.len(), all.len());
    }
}
