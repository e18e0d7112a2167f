//! What an answer has to have beside the words of its question: a figure, people, a case.

use super::evidence::Line;
use super::spoken;
use crate::discussion::names_people;
use crate::discussion::near::near_to;
use crate::discussion::root::root;
use crate::discussion::words::{Word, words};

/// Whether a text asks for something that a line has or has not: a figure, people, a span, a time, a place, a reason.
pub(super) fn wants_a_fact(text: &str) -> bool {
    let wants = Wants::of(text);
    let places = format!(" {} ", crate::discussion::words::phrase(text));
    let fact = wants.figure || wants.money || wants.people || wants.span || wants.why || wants.clock;
    text.contains(['?', '？']) && (fact || places.contains(" where "))
}

/// What a line should have that answers a message, beside its words.
#[derive(Clone, Debug, Default)]
pub(super) struct Wants {
    /// "What happens if …": a line that says what holds in a case.
    pub case: bool,
    /// "How long", "bis wann": a line with a figure.
    pub figure: bool,
    /// "What does it cost": a line that speaks of money.
    pub money: bool,
    /// Who tells something speaks to a line that is open.
    pub open: bool,
    /// "Who has to …": a line that names people.
    pub people: bool,
    /// "How long": a line with a span of time.
    pub span: bool,
    /// "Why …": a line with a reason.
    pub why: bool,
    /// "Who may export …": what somebody may, can or must do, by its root.
    pub done: Option<String>,
    /// "How many stops …": what is counted, by its root.
    pub counted: Option<String>,
    /// "How many of us …": a line that counts people.
    pub heads: bool,
    /// "At what time …": a line with a time of the day.
    pub clock: bool,
    /// "Who approves …": what somebody does, by its root.
    pub does: Option<String>,
    /// "Where do they wait?": a line with a place.
    pub place: bool,
    /// "When do we have to be finished?": a line with a day by which something is done.
    pub deadline: bool,
    /// "How high …": the units of a line that tells it.
    pub size: &'static [&'static str],
}

/// Whether a line has a figure of something, given by its root.
pub(super) fn counts(line: &Line, noun: &str) -> bool {
    line.words.windows(2).any(|pair| is_figure(&pair[0]) && root(&pair[1]) == noun)
}

/// Whether a line counts people: "34 singers".
fn counts_heads(line: &Line) -> bool {
    line.words
        .windows(2)
        .any(|pair| is_figure(&pair[0]) && (names_people(&pair[1], "") || is_of_people(&pair[1])))
}

/// Words for several people that are no role: whoever does something.
fn is_of_people(word: &str) -> bool {
    let all = [
        "adults",
        "attendees",
        "guests",
        "heads",
        "kids",
        "people",
        "persons",
        "players",
        "singers",
        "visitors",
    ];
    all.contains(&word)
}

/// Whether a text names a time of the day: "05:30", "6 am", "noon".
fn has_a_clock(text: &str) -> bool {
    let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, ':' | '.'))).collect();
    let digits = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let time = |word: &&str| {
        let word = word.trim_end_matches(['.', ':']);
        let minutes = |part: &str| part.len() == 2 && digits(part);
        word.split_once([':', '.'])
            .is_some_and(|(hour, rest)| digits(hour) && minutes(rest.get(..2).unwrap_or_default()))
            || ["am", "pm"]
                .iter()
                .any(|half| word.to_ascii_lowercase().strip_suffix(half).is_some_and(digits))
    };
    let named =
        |word: &&str| matches!(word.to_ascii_lowercase().as_str(), "noon" | "midnight" | "o'clock" | "uhr");
    let apart = words
        .windows(2)
        .any(|pair| digits(pair[0]) && matches!(pair[1], "am" | "pm" | "a.m." | "p.m." | "h"));
    words.iter().any(time) || words.iter().any(named) || apart
}

/// Whether a word is a figure, in digits or written out.
fn is_figure(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || word == "one" || spoken::digits(word).is_some()
}

/// Whether a word names a month; "may" mostly is another word.
fn is_of_the_year(word: &str) -> bool {
    word != "may" && spoken::MONTHS.contains(&word)
}

/// What "how high" and the like are measured in.
const SIZES: [(&str, &[&str]); 7] = [
    ("deep", LENGTHS),
    ("far", LENGTHS),
    ("heavy", &["gram", "grams", "kg", "kilo", "kilos", "lb", "pounds", "ton", "tons", "tonnes"]),
    ("high", LENGTHS),
    ("tall", LENGTHS),
    ("thick", LENGTHS),
    ("wide", LENGTHS),
];
const LENGTHS: &[&str] = &[
    "centimetres",
    "cm",
    "feet",
    "foot",
    "ft",
    "inches",
    "kilometres",
    "km",
    "m",
    "meters",
    "metre",
    "metres",
    "miles",
    "mm",
];

/// Words before what somebody may, can or must do.
const MODALS: [&str; 7] = ["allowed", "can", "has", "have", "may", "must", "shall"];

/// What stands behind such a word, by its root, with "to" or "only" in between or not.
fn behind_a_modal<'t>(said: impl Iterator<Item = &'t str> + Clone) -> impl Iterator<Item = String> {
    let mut behind = said.clone();
    said.filter_map(move |word| {
        behind.next();
        let mut next = behind.clone().skip_while(|next| matches!(*next, "to" | "only" | "also" | "be"));
        let to = behind.clone().next() == Some("to");
        // "Has three copies" is no duty.
        let is_modal = MODALS.contains(&word) && (to || !matches!(word, "has" | "have" | "allowed"));
        is_modal.then(|| next.next().map(root)).flatten()
    })
}

/// Words with which a line speaks of money.
const MONEY: [&str; 18] = [
    "amount", "budget", "cent", "cents", "cost", "costs", "dollar", "dollars", "eur", "euro", "euros", "fee",
    "free", "paid", "percent", "pound", "pounds", "price",
];

impl Wants {
    pub fn of(text: &str) -> Wants {
        let lower = format!(" {} ", crate::discussion::words::phrase(text));
        let says = |all: &[&str]| all.iter().any(|words| lower.contains(words));
        let case = [
            "what if",
            "what happens if",
            "what happens when",
            "what happens to",
            "what then",
            "what now",
            "what do we do if",
            "what do we do when",
            "was passiert wenn",
            "was ist wenn",
        ];
        let figure = [
            "by when",
            "how expensive",
            "how long",
            "how many",
            "how much",
            "how often",
            "until when",
            "what percentage",
            "what share",
            "what temperature",
            "what time",
            "what voltage",
            "wann",
            "wie lange",
            "wie oft",
            "wie viel",
            "wie viele",
        ];
        let whole = |all: &[&str]| all.iter().any(|words| lower.contains(&format!(" {words} ")));
        let money =
            text.contains(['?', '？']) && whole(&["cost", "costs", "price", "charge", "budget", "money"]);
        let figure =
            money || whole(&figure) || says(&[" when do ", " when does ", " when is ", " when will "]);
        let people = whole(&["who", "whose", "whom", "wer", "wem", "wen"]);
        let open = !text.contains(['?', '？']);
        let found = words(text);
        let counts =
            |pair: &[Word<'_>]| pair[0].text == "how" && matches!(pair[1].text.as_ref(), "many" | "much");
        let behind = found.windows(2).position(counts).map(|at| &found[at + 2..]).unwrap_or_default();
        // "How many of the boats" counts boats.
        let small = |word: &&Word<'_>| {
            matches!(word.text.as_ref(), "of" | "the" | "our" | "your" | "these" | "those")
        };
        let of = behind.iter().find(|word| !small(word)).map(|word| word.text.as_ref());
        let heads = of.is_some_and(|of| matches!(of, "us" | "you" | "them" | "people" | "persons" | "heads"));
        let counted = of.filter(|_| !heads).map(root);
        // "Who approves it?", and not "who may", which tells what somebody may do.
        let behind_who =
            found.windows(2).find(|pair| pair[0].text == "who").map(|pair| pair[1].text.as_ref());
        let small = |word: &str| {
            MODALS.contains(&word)
                || matches!(word, "are" | "does" | "is" | "was" | "will" | "would" | "should")
        };
        let does = behind_who.filter(|word| people && !open && !small(word)).map(root);
        let size = found.windows(2).find_map(|pair| {
            let unit = |(measure, _): &&(&str, &[&str])| pair[0].text == "how" && pair[1].text == *measure;
            SIZES.iter().find(unit).map(|(_, units)| *units)
        });
        let size = size.unwrap_or_default();
        let place = !open && found.first().is_some_and(|first| first.text == "where");
        let ends =
            ["complete", "completed", "deadline", "done", "due", "finish", "finished", "live", "ready"];
        let asks_when = !open && whole(&["when", "by when", "until when", "deadline"]);
        let deadline = asks_when && found.iter().any(|word| ends.contains(&word.text.as_ref()));
        let clock = whole(&["what time", "time of day", "time of the day", "what hour", "um wie viel uhr"]);
        let span =
            whole(&["how long", "wie lange", "how soon", "how late", "how quick", "how quickly", "how fast"]);
        let why = !open && whole(&["why", "how come", "what for", "warum", "wieso", "weshalb"]);
        let people = people && !open;
        let done =
            people.then(|| behind_a_modal(found.iter().map(|word| word.text.as_ref())).next()).flatten();
        Wants {
            case: whole(&case),
            figure,
            people,
            open,
            span,
            money,
            why,
            done,
            counted,
            heads,
            clock,
            does,
            deadline,
            place,
            size,
        }
    }

    /// Whether a line holds what is asked for: an amount of money, a span of time, a figure, or people whom the question
    /// does not name.
    pub fn is_met(&self, line: &Line, question: &str) -> bool {
        let gives = |all: &[&str]| line.words.iter().any(|word| all.contains(&word.as_str()));
        let figure = || line.words.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        if self.clock {
            return has_a_clock(&line.text);
        }
        let asked = match (self.money, self.span) {
            (true, _) => line.gives_a_number() && (gives(&MONEY) || line.text.contains(['€', '$', '£', '%'])),
            (false, true) => self.is_span(line) || line.words.iter().any(|word| is_of_the_year(word)),
            (false, false) => self.figure && figure(),
        };
        asked || self.people && names_people(&line.text, question) || self.is_done(line)
    }

    /// Whether a line says who may, can or must do what is asked for: "A user with the role can export …".
    pub fn is_done(&self, line: &Line) -> bool {
        let Some(done) = &self.done else { return false };
        let first = line.words.first().map(String::as_str).unwrap_or_default();
        let said = line.words.iter().map(String::as_str);
        !line.text.contains('?') && !MODALS.contains(&first) && behind_a_modal(said).any(|verb| verb == *done)
    }

    /// Whether a line tells a span of time where one is asked for: "12 hours".
    pub fn is_span(&self, line: &Line) -> bool {
        let units = [
            "second", "minute", "hour", "day", "week", "month", "year", "tag", "stunde", "woche", "monat",
            "jahr",
        ];
        let is_unit =
            |word: &str| units.iter().any(|unit| word.starts_with(unit) && word.len() <= unit.len() + 2);
        let spans = |pair: &[String]| is_figure(&pair[0]) && is_unit(&pair[1]);
        self.span && line.words.windows(2).any(spans)
    }

    /// Whether a line counts what is asked for: "18 stops".
    pub fn is_counted(&self, line: &Line) -> bool {
        self.counted.as_ref().is_some_and(|noun| counts(line, noun)) || self.heads && counts_heads(line)
    }

    /// Whether a line tells where something is: "in the cafeteria".
    pub fn is_placed(line: &Line) -> bool {
        let lead = |word: &str| {
            matches!(word, "at" | "behind" | "below" | "beside" | "in" | "inside" | "near" | "on" | "under")
        };
        let the = |word: &str| matches!(word, "our" | "the");
        line.words.windows(2).any(|pair| lead(&pair[0]) && the(&pair[1]))
    }

    /// Whether a line tells by which day something is done: "by 30 September".
    pub fn is_due(&self, line: &Line) -> bool {
        let day = |at: usize| line.words.iter().skip(at + 1).take(3).any(|word| is_of_the_year(word));
        let by = line.words.iter().position(|word| matches!(word.as_str(), "before" | "by" | "until"));
        self.deadline && by.is_some_and(day)
    }

    /// Whether a line tells how high or heavy something is: "11 metres".
    pub fn is_sized(&self, line: &Line) -> bool {
        line.words.windows(2).any(|pair| is_figure(&pair[0]) && self.size.contains(&pair[1].as_str()))
    }

    /// Whether a line says who does what is asked for, before the verb: "Team leads approve …".
    pub fn is_doer(&self, line: &Line) -> bool {
        let Some(does) = &self.does else { return false };
        let at = line.words.iter().position(|word| root(word) == *does && !word.ends_with("al"));
        at.is_some_and(|at| {
            at > 0 && at <= 6 && line.words.get(..at).is_some_and(|who| names_people(&who.join(" "), ""))
        })
    }

    /// Whether a line says the verb of "who approves …" at all.
    pub fn is_done_there(&self, line: &Line) -> bool {
        self.does.as_ref().is_none_or(|does| {
            let near = near_to(does);
            line.words
                .iter()
                .map(|word| root(word))
                .any(|word| word == *does || near.contains(&word.as_str()))
        })
    }

    /// Whether a line gives a reason.
    pub fn is_reason(line: &Line) -> bool {
        let signs = ["because", "since", "otherwise", "weil", "damit", "sonst"];
        let told = ["reason is", "reason:", "reasons are", "that is why"];
        let lower = line.text.to_lowercase();
        line.words.iter().any(|word| signs.contains(&word.as_str()))
            || told.iter().any(|words| lower.contains(words))
    }

    /// Whether a line says what holds in a case.
    pub fn is_case(line: &Line) -> bool {
        let says = |word: &str| line.words.iter().any(|said| said == word);
        let first = line.words.first().map(String::as_str).unwrap_or_default();
        ["if", "falls", "unless", "wenn"].iter().any(|word| says(word)) || matches!(first, "when" | "where")
    }
}
