//! What a message decides, by rule (contract, section 5: no decision is lost).
//!
//! Two kinds of words decide. Some say so wherever they stand and whoever says them ("we decided",
//! "agreed:", "let's go with"). Others decide only in the mouth of the user, who is there to decide:
//! "OK, we'll count working days", "then reminders become a Could", "import is out". A question, a
//! condition or a doubt decides nothing. What needs no word that says so is in `rulings` and `signs`, an
//! answer to "A or B?" in `alternatives`.

use super::arrangements::arranged;
use super::closings::{behind_consent, closed, closes, figures_out, turns_down};
use super::extract::{is_shortened, sentences};
use super::outright::{goes_with_it, suffices};
use super::rulings::{is_only_leads, names_a_body, ruled, without_leads};
use super::signs::concluded;
use super::words::{lists, unquoted, words};
use crate::plain::capital;

/// The statements of a text, cut finer than its sentences, for what may decide something: people
/// type in lower case, and a question may follow behind a comma.
pub fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for sentence in sentences(&without_emphasis(text).replace('’', "'")) {
        let mut start = 0;
        for (at, c) in sentence.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | ';' | ',')) {
            let after = &sentence[at + 1..];
            let ends = match c {
                ',' => after.starts_with(" but "),
                _ => after.starts_with(' ') && !is_short(&sentence[..at], after),
            };
            if ends {
                found.push(sentence[start..=at].trim_matches([' ', ',', ';']).to_owned());
                start = at + 1;
            }
        }
        found.push(sentence[start..].trim().to_owned());
    }
    found
}

/// Whether a text ends in a word written short, with something behind it.
fn is_short(text: &str, after: &str) -> bool {
    let next = after.trim_start().split(' ').next().unwrap_or_default();
    text.ends_with(" etc") || is_shortened(text, next)
}

/// A text without the signs of emphasis. What multiplies, stands for any name or begins one is none: `2*3`, `docs/**`,
/// `*.md`, `__init__`.
fn without_emphasis(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut closing, mut ends) = (0, Vec::new(), [Ends::default(); 6]);
    while let Some(c) = text[at..].chars().next() {
        if !matches!(c, '*' | '_') {
            out.push(c);
            at += c.len_utf8();
            continue;
        }
        let length = text[at..].len() - text[at..].trim_start_matches(c).len();
        let kind = length.wrapping_sub(1) * 2 + usize::from(c == '_');
        let opened = closing.iter().position(|end| *end == at);
        let end =
            ends.get_mut(kind).filter(|_| opened.is_none()).and_then(|ends| ends.behind(text, at, length));
        match (opened, end) {
            (Some(open), _) => closing.truncate(open),
            (None, Some(end)) => closing.push(end),
            (None, None) => out.push_str(&text[at..at + length]),
        }
        at += length;
    }
    out
}

/// Signs of emphasis close again within so many bytes.
const EMPHASIZED: usize = 1_000;

/// What is known of where the emphasis of one kind of signs ends: each part of a text is looked through once.
#[derive(Clone, Copy, Default)]
struct Ends {
    /// Up to here.
    seen: usize,
    next: Option<usize>,
}

impl Ends {
    /// Where the emphasis ends that a run of signs at `at` opens, if it does.
    fn behind(&mut self, text: &str, at: usize, length: usize) -> Option<usize> {
        let (sign, inside) = text[at..].split_at(length);
        let joins = |c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '/' | '.');
        let begins =
            |c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | '(' | '[' | '$' | '€' | '*' | '_');
        if text[..at].ends_with(joins) || !inside.starts_with(begins) {
            return None;
        }
        let from = at + length;
        if self.next.is_none_or(|next| next <= from) {
            let start = self.seen.max(from);
            let mut stop = (from + EMPHASIZED).min(text.len()).max(start);
            while !text.is_char_boundary(stop) {
                stop -= 1;
            }
            let line = text[start..stop].split('\n').next().unwrap_or_default();
            let mut places = line.char_indices().map(|(offset, _)| start + offset);
            self.next = places.find(|end| *end > from && Ends::is_one(text, *end, sign));
            self.seen = self.next.unwrap_or(start + line.len());
        }
        // A name between underscores keeps them.
        let is_name = |end: &usize| sign == "__" && !text[from..*end].contains(' ');
        self.next.filter(|end| *end <= from + EMPHASIZED && !is_name(end))
    }

    /// Whether a run of signs at a place may close.
    fn is_one(text: &str, at: usize, sign: &str) -> bool {
        let (before, behind) = text.split_at(at);
        let closes = behind.strip_prefix(sign).is_some_and(|rest| {
            rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && !sign.starts_with(c) && c != '/')
        });
        closes && !before.ends_with(char::is_whitespace) && !before.ends_with(|c| sign.starts_with(c))
    }
}

/// Words that open a decision wherever they stand; what follows them is decided.
const DECIDES: &str = concat!(
    "we decided|we have decided|we've decided|i decided|i've decided|we decide to|we decide on|i decide:|",
    "it is decided|it was decided|decided:|decision:|decision -|the decision is|my decision is|approved:|",
    "agreed:|agreed,|agreed that|agreed to|we agreed|we've agreed|we have agreed|we agree on|",
    "we agree that|we agree to|settled:|we settled on",
);
/// Words that open a decision only at the beginning of what is said: elsewhere they tell of one.
const DECIDES_AT_START: &str = concat!(
    "we opted for|we've opted for|we opt for|our choice is|my choice is|i approve|i hereby approve|",
    "we'll go for|let's go with|lets go with|let us go with|go with|we'll go with|we will go with|",
    "we go with|i'll go with|we're going with|we are going with|",
    "i'm going with|we've settled on|we have settled on|we settle on|let's settle on|we chose|we choose|",
    "i choose|i pick|we've chosen|we have chosen|we'll use|we will use|we pick|going with",
);
/// Words that open a decision of the user's only: a persona may propose with them.
const USER_DECIDES: &str = concat!(
    "let's go for|let's use|lets use|let us use|let's adopt|let's choose|let's pick|let's keep|lets keep|",
    "let us keep|let us drop|let's drop|let's take|confirmed:|confirmed,|confirmed that|deal:|deal,|",
    "i'd go with|i would go with",
);
/// Verbs behind "let's" that settle nothing: what people do at a table.
const AT_THE_TABLE: &str = concat!(
    "agree|ask|assume|be|begin|break|call|check|clarify|come|consider|continue|discuss|explore|face|",
    "figure|find|finish|focus|forget|get|give|go|have|hear|hope|hurry|imagine|know|listen|look|meet|move|",
    "pause|pretend|read|remember|return|review|rush|say|see|speak|start|stay|step|stop|suppose|take|talk|",
    "think|turn|wait|walk|wrap",
);

/// Verbs behind "let's not" that put something off.
const PUT_OFF: &str = "answer|close|commit|decide|fix|open|promise|resolve|settle|solve";

/// What "let's …" decides: any verb that is not one of the table's. "Let's not …" decides too.
fn urged(sentence: &str) -> Option<(String, Option<String>)> {
    let lower = unquoted(sentence).to_ascii_lowercase();
    let (rest, _) = without_leads(&lower);
    let left = ["let's ", "lets ", "let us "].iter().find_map(|opening| rest.strip_prefix(opening))?;
    let verb = left.strip_prefix("not ").unwrap_or(left).split([' ', ',', '.']).next().unwrap_or_default();
    let begins = left.split_once(' ').map_or("", |(_, object)| object);
    let nothing = NOTHING.split('|').any(|word| find_word(begins, word) == Some(0));
    let puts_off = left.starts_with("not ") && lists(PUT_OFF, verb);
    // "Let's try one a member" settles something, "let's try to find out" and "let's try again" do not.
    let object = begins.split([' ', ',', '.']).next().unwrap_or_default();
    let puts_off = puts_off
        || matches!(verb, "try")
            && matches!(object, "" | "again" | "and" | "harder" | "it" | "not" | "that" | "this" | "to");
    let idle = lists(AT_THE_TABLE, verb) || puts_off;
    (!idle && !nothing && words(left).len() > 1)
        .then(|| denied(with_reason(&sentence[sentence.len() - left.len()..])))
}

/// Each of the words above has one of these in it: most sentences have none.
const ROOTS: [&str; 16] = [
    "decid",
    "decision",
    "agree",
    " with",
    "settle",
    "cho",
    "use",
    "let's ",
    "lets ",
    "let us ",
    "pick",
    "approve",
    " opt",
    " go for",
    "confirmed",
    "deal",
];
/// Words before a decision, in its own clause, that take it back.
const UNDECIDED: &str = concat!(
    "told |claims |heard |last year |years ago |back then | in 19| in 20|not |n't |never |if |whether |",
    "should |could |before |until |unless |maybe |perhaps |nobody |said |says |thinks |once |when |what |",
    "which ",
);
/// What may stand before words that have to come first.
const LEADS_IN: &str = " ok okay so then and yes yeah well right fine good great alright therefore thus now no also actually finally thanks i think ";
/// What follows "let's keep" and the like where nothing is decided, and after "agreed".
const NOTHING: &str = concat!(
    "by|still|open|due|pending|up to|yours|theirs|made|easy|in mind|going|it short|it simple|this short|",
    "this simple|it brief|the subject|the topic|this subject|this topic|talking|moving|on track|at it|",
    "later|this up|it up|this time|a step|a break|disagree|nothing|it from",
);

/// What a statement decides, and why.
pub fn decided(sentence: &str, by_user: bool) -> Option<(String, Option<String>)> {
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    let sentence = sentence.replace('’', "'");
    // Blanks for what is quoted, ASCII letters in lower case: every byte keeps its place.
    let lower = unquoted(&sentence).to_ascii_lowercase();
    if !ROOTS.iter().any(|root| lower.contains(root)) && !lower.starts_with("go") {
        return None;
    }
    let (at, length) = opening(&lower, by_user)?;
    // A colleague who only quotes a decision decides nothing new.
    let quotes = sentence[at + length..].trim_start().starts_with(['"', '“', '„', '«']);
    if !by_user && (quotes || words(&lower[at + length..]).is_empty()) {
        return None;
    }
    // "Let's drop the maps" decides to drop them: the verb is what is decided.
    let kept = [" drop", " keep", " take"].iter().find(|verb| lower[at..at + length].ends_with(**verb));
    let from = at + length - kept.map_or(0, |verb| verb.len());
    fn bare(text: &str) -> &str {
        let text = text.trim_start_matches([':', ',', ' ']);
        let small = ["that ", "to ", "on ", "in favor of "];
        small.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text)
    }
    let rest = bare(sentence.get(from..)?);
    // "Letters stay in the house, I've agreed that with the owner": what was agreed stands before.
    let told =
        ["with ", "that with ", "this with ", "it with "].iter().find_map(|with| rest.strip_prefix(with));
    let clause = sentence[..at].rfind(", ").map(|comma| &sentence[..comma]);
    let own = |clause: &&str| words(clause).len() > 2 && lower[clause.len()..at].split(' ').count() <= 4;
    if let (true, Some(whom), Some(what)) =
        (by_user && lower[at..].contains("agreed"), told, clause.filter(own))
    {
        let whom = whom.trim_end_matches(['.', '!', ' ']);
        let nobody = ["nobody", "no one", "none", "never"].iter().any(|word| whom.starts_with(word));
        return (!nobody).then(|| (capital(what), Some(format!("agreed with {whom}"))));
    }
    let rest = rest.trim_end_matches(['.', '!', '。', ' ']);
    let agreed = lower[at..at + length].contains("agree");
    // "We decided with the park that …" says with whom; "with two against one to wait" says how.
    let decided = lower[at..at + length].contains("decid");
    let is_told = |whom: &str, what: &str| {
        rest.find(what).is_some_and(|at| rest[..at].ends_with(&format!("{whom} that ")))
    };
    let (whom, rest) = match with_whom(rest) {
        Some((whom, rest)) if agreed => (Some(format!("agreed with {whom}")), rest),
        Some((whom, what)) if decided && is_told(whom, what) => (Some(format!("decided with {whom}")), what),
        _ => (None, rest),
    };
    let begins = bare(sentence.get(at + length..)?).to_ascii_lowercase();
    if words(rest).is_empty() || NOTHING.split('|').any(|word| find_word(&begins, word) == Some(0)) {
        return None;
    }
    let (what, why) = with_reason(rest);
    Some((
        what,
        whom.map_or(why.clone(), |whom| Some(why.map_or(whom.clone(), |why| format!("{why} ({whom})")))),
    ))
}

/// Where in a statement the words stand that decide, and how long they are.
fn opening(lower: &str, by_user: bool) -> Option<(usize, usize)> {
    let clause = |at: usize| {
        let start = lower[..at].rfind([',', ';', ':']).map_or(0, |comma| comma + 1);
        format!(" {} ", &lower[start..at])
    };
    let free = |at: usize| !UNDECIDED.split('|').any(|word| clause(at).contains(word));
    // "After a long evening we chose …" begins with the choice too.
    let first = |at: usize| {
        let clause = clause(at);
        clause.starts_with(" after ")
            || clause.split_whitespace().all(|word| LEADS_IN.contains(&format!(" {word} ")))
    };
    let anywhere = DECIDES.split('|').filter_map(|marker| Some((find_word(lower, marker)?, marker.len())));
    let own = by_user.then(|| USER_DECIDES.split('|')).into_iter().flatten();
    let at_start = DECIDES_AT_START.split('|').chain(own);
    let at_start = at_start.filter_map(|marker| Some((find_word(lower, marker)?, marker.len())));
    // "The supplier agreed to deliver" tells what others do.
    let ours = |at: usize| {
        let clause = clause(at);
        let who = words(&clause);
        !lower[at..].starts_with("agreed")
            || who.iter().all(|word| is_one_of_us(&word.text))
            || names_a_body(&who)
    };
    anywhere
        .filter(|(at, _)| free(*at) && ours(*at))
        .chain(at_start.filter(|(at, _)| first(*at)))
        .min_by_key(|(at, length)| (*at, usize::MAX - length))
}

/// Words before "agreed" that make it ours.
fn is_one_of_us(word: &str) -> bool {
    let us = [
        "we",
        "we've",
        "have",
        "all",
        "i",
        "i've",
        "everybody",
        "everyone",
        "both",
        "yesterday",
        "today",
        "finally",
        "now",
        "just",
    ];
    us.contains(&word) || LEADS_IN.contains(&format!(" {word} "))
}

/// Where a reason begins, and how long the word is that opens it.
pub(super) fn reason(text: &str) -> Option<(usize, usize)> {
    let opens = [
        " because ",
        " since ",
        " so that ",
        ", as ",
        " - ",
        " -- ",
        " — ",
        " weil ",
        ", da ",
        ", damit ",
        ", denn ",
    ];
    // What would be otherwise is the reason, with the word that says so.
    let otherwise = [", otherwise ", "; otherwise ", ", or else ", "; that way ", ", that way "];
    let otherwise = otherwise.iter().filter_map(|word| text.find(word).map(|at| (at, 2)));
    let found = opens.iter().filter_map(|word| {
        let at = text.find(word)?;
        // "since 2019" and "5 - 10" give no reason.
        let behind = &text[at + word.len()..];
        let says_why = matches!(*word, " because " | " weil " | " so that ");
        let letters = (says_why || behind.starts_with(char::is_alphabetic))
            && (word.trim() != "-" || text[..at].ends_with(char::is_alphabetic));
        // "As long as", "as well": how, and not why.
        let how = *word == ", as " && HOW.iter().any(|how| text[at + word.len()..].starts_with(how));
        (letters && !how).then_some((at, word.len()))
    });
    found.chain(otherwise).min()
}

/// What makes of "as" another word than a reason's.
const HOW: [&str; 6] = ["before", "far as", "long as", "soon as", "usual", "well"];

/// A statement in lower case up to its reason and to the first clause that hangs on it: whoever says "until
/// somebody has confirmed it" doubts nothing.
pub(super) fn main_clause(lower: &str) -> &str {
    let what = reason(lower).map_or(lower, |(at, _)| &lower[..at]);
    let hangs = [" and if ", " as soon as ", " that ", " until ", " when "];
    let hangs = hangs.iter().filter_map(|word| {
        let mut found = what.match_indices(word).map(|(at, _)| at);
        found.find(|at| words(&what[..*at]).len() >= 3 && !(*word == " that " && says_what(&what[..*at])))
    });
    hangs.min().map_or(what, |at| &what[..at])
}

/// Whether "that" behind some words opens what they say, and does not hang on a thing: "agreed that …".
fn says_what(before: &str) -> bool {
    const SAYING: &str = concat!(
        "agree|agreed|are|believe|clear|decide|decided|do|doubt|feel|finally|guess|heard|hope|is|know|",
        "means|now|possible|ruled|said|say|says|suggest|sure|think|thinks|today|told|was|yesterday",
    );
    words(before).last().is_some_and(|word| lists(SAYING, &word.text))
}

/// "Not store it" as "Do not store it": behind "we will" and "let's" the "not" is of a verb.
pub(super) fn denied((what, why): (String, Option<String>)) -> (String, Option<String>) {
    let verb = what.strip_prefix("Not ");
    (verb.map_or(what.clone(), |verb| format!("Do not {verb}")), why)
}

/// How a statement begins that gives the reason of the one before it; the second part is left away.
const REASONS: [(&str, bool); 14] = [
    ("because ", true),
    ("the reason is that ", true),
    ("the reason is ", true),
    ("the reason: ", true),
    ("otherwise ", false),
    ("that way ", false),
    ("this way ", false),
    ("so that ", false),
    ("it costs ", false),
    ("that costs ", false),
    ("it saves ", false),
    ("that saves ", false),
    ("it avoids ", false),
    ("that avoids ", false),
];

/// The reason that a statement gives for the decision before it.
pub(super) fn reason_behind(statement: &str) -> Option<String> {
    let lower = statement.to_ascii_lowercase();
    let (opens, is_taken_off) = REASONS.iter().find(|(opens, _)| lower.starts_with(opens))?;
    let from = if *is_taken_off { opens.len() } else { 0 };
    let why = statement[from..].trim().trim_end_matches(['.', '!', '。', ' ']);
    let asks = statement.ends_with(['?', '？']);
    let first = why.chars().next().filter(|_| !asks && words(why).len() > 1)?;
    let lower_first = if *is_taken_off { first } else { first.to_ascii_lowercase() };
    Some(format!("{lower_first}{}", &why[first.len_utf8()..]))
}

/// What stands behind a decision and a semicolon, or says what it costs or who has to live with it: "The crew will
/// have to live with it".
fn tells_why(statement: &str, decision: &str, text: &str) -> Option<String> {
    let lower = statement.to_ascii_lowercase();
    let opens = ["and ", "also ", "but ", "by the way", "i ", "let", "so ", "then ", "we "];
    let is_new = opens.iter().any(|word| lower.starts_with(word)) || statement.ends_with(['?', '？']);
    let says = [" costs us ", " have to live with ", " only pays ", " would cost "];
    let why =
        says.iter().any(|says| lower.contains(says)) || text.contains(&format!("{decision}; {statement}"));
    let is_free = !is_new && words(statement).len() > 3;
    (why && is_free).then(|| statement.trim_end_matches(['.', '!', ' ']).to_owned())
}

/// "With the canton that …": with whom something was agreed, and what stands behind that.
fn with_whom(rest: &str) -> Option<(&str, &str)> {
    let lower = rest.to_ascii_lowercase();
    let with = lower.strip_prefix("with ")?;
    let ends = [" that ", " to ", " on ", ": "];
    let (at, end) = ends.iter().filter_map(|end| Some((with.find(end)?, end.len()))).min()?;
    let from = "with ".len();
    let (whom, what) = (&rest[from..from + at], &rest[from + at + end..]);
    ((1..=5).contains(&words(whom).len()) && words(what).len() > 1).then_some((whom, what))
}

/// Where `phrase` stands in `text` at the beginning of a word.
fn find_word(text: &str, phrase: &str) -> Option<usize> {
    // Most phrases stand nowhere, and that is told faster than where.
    if !text.contains(phrase) {
        return None;
    }
    text.match_indices(phrase).map(|(at, _)| at).find(|&at| {
        let ends =
            phrase.ends_with([':', ',']) || !text[at + phrase.len()..].starts_with(char::is_alphanumeric);
        ends && !text[..at].ends_with(char::is_alphanumeric)
    })
}

/// Every decision of a message, with its reason where it gives one.
pub fn decisions_in(text: &str, by_user: bool) -> Vec<(String, Option<String>)> {
    let statements = statements(text);
    let mut found: Vec<(usize, (String, Option<String>))> = Vec::new();
    for (at, statement) in
        statements.iter().map(|one| if by_user { behind_consent(one) } else { one }).enumerate()
    {
        let before = at.checked_sub(1).map(|before| statements[before].to_ascii_lowercase());
        let after_decision = found.last().is_some_and(|(last, _)| last + 1 == at);
        if after_decision
            && let Some(why) = reason_behind(statement)
                .or_else(|| by_user.then(|| tells_why(statement, &statements[at - 1], text)).flatten())
            && let Some((_, (_, given @ None))) = found.last_mut()
        {
            *given = Some(why);
            continue;
        }
        // "If it takes longer, A" goes on with the decision.
        let lower = statement.to_ascii_lowercase();
        let goes_on = ["if it ", "if they ", "if that "].iter().any(|word| lower.starts_with(word));
        if by_user
            && after_decision
            && goes_on
            && !statement.ends_with(['?', '？'])
            && let Some((_, (what, None))) = found.last_mut()
        {
            *what = format!("{what}. {}", statement.trim_end_matches(['.', '!', ' ']));
            continue;
        }
        let earlier = || at.checked_sub(1).and_then(|before| statements.get(before)).map(String::as_str);
        // "Settled with the harbour office" decides nothing by itself.
        if by_user && at > 0 && closes(statement) {
            let said = earlier().filter(|before| !after_decision && !before.ends_with(['?', '？']));
            found.extend(said.map(|before| (at, with_reason(before))));
            continue;
        }
        let decision =
            by_user.then(|| closed(statement).or_else(|| figures_out(statement, earlier()))).flatten();
        let decision = decision.or_else(|| decided(statement, by_user)).or_else(|| {
            let led = before.as_deref().is_some_and(is_only_leads);
            let ruled = || {
                let by_form = urged(statement).or_else(|| ruled(statement, led, after_decision));
                let by_form = by_form.or_else(|| concluded(statement)).or_else(|| arranged(statement));
                by_form
                    .or_else(|| suffices(statement))
                    .or_else(|| goes_with_it(statement).filter(|_| after_decision))
            };
            (by_user && !statement.ends_with(['?', '？'])).then(ruled).flatten()
        });
        if let Some(decision) = decision {
            let before = at.checked_sub(1).and_then(|before| statements.get(before));
            found.push((at, with_its_subject(decision, before.map(String::as_str))));
        } else if by_user
            && !after_decision
            && let Some(before) = earlier().filter(|before| !before.ends_with(['?', '？']))
        {
            let now = || words(statement).len() > 3 && !statement.ends_with(['?', '？']);
            if turns_down(before) && now() {
                found.push((at, with_reason(statement)));
            }
        }
    }
    // What will be done comes before what will not.
    found.sort_by_key(|(at, _)| {
        statements[*at].contains("don't want ") || statements[*at].contains("do not want ")
    });
    found.into_iter().map(|(_, decision)| decision).collect()
}

/// "That goes out of the schema" with the thing that the statement before it names.
fn with_its_subject((what, why): (String, Option<String>), before: Option<&str>) -> (String, Option<String>) {
    let points = ["That becomes ", "That gets ", "That goes ", "That moves ", "That stays "];
    let thing = before.filter(|before| {
        !before.ends_with(['?', '？']) && points.iter().any(|begin| what.starts_with(begin))
    });
    let thing = thing.map(|thing| thing.rsplit_once(": ").map_or(thing, |(_, tail)| tail));
    match thing.map(|thing| thing.trim_end_matches(['.', '!', ' '])).filter(|thing| words(thing).len() > 1) {
        Some(thing) => (format!("{}: t{}", capital(thing), &what[1..]), why),
        None => (what, why),
    }
}

/// A statement as a decision: what, and why where it says so.
pub(super) fn with_reason(statement: &str) -> (String, Option<String>) {
    let rest = statement.trim().trim_end_matches(['.', '!', '。', ' ']);
    let (what, why) = match reason(rest) {
        // "Because of the tide" is a reason with its first word.
        Some((at, _)) if rest[at..].starts_with(" because of ") => (&rest[..at], Some(rest[at..].trim())),
        Some((at, length)) => (&rest[..at], Some(rest[at + length..].trim())),
        None => (rest, None),
    };
    // "B then: our own hosts" is "B: our own hosts".
    let what = without_courtesy(what).replace(" then: ", ": ");
    (capital(what.trim_end_matches([',', ' '])), why.filter(|why| !words(why).is_empty()).map(str::to_owned))
}

/// "At every boot, please": what is asked for is not that it be asked for kindly.
fn without_courtesy(what: &str) -> &str {
    let what = what.trim_end_matches([',', ' ']);
    let kind = [", please", " please", ", thanks", ", thank you"];
    let left = kind.iter().find_map(|kind| {
        let at = what.len().checked_sub(kind.len())?;
        what.get(at..).filter(|end| end.eq_ignore_ascii_case(kind)).map(|_| &what[..at])
    });
    left.unwrap_or(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_may_stand_in_the_next_statement_or_behind_otherwise() {
        for (text, what, why) in [
            (
                "We will number the crates. That way a missing one is seen.",
                "Number the crates",
                "that way a missing one is seen",
            ),
            ("We'll number the crates. Because two went missing.", "Number the crates", "two went missing"),
            (
                "Numbering the crates it is, otherwise one goes missing.",
                "Numbering the crates",
                "otherwise one goes missing",
            ),
            ("We decided on two pumps. It costs a day's work.", "Two pumps", "it costs a day's work"),
            (
                "Let's keep the fax out of it; people came to fish, not to write.",
                "Keep the fax out of it",
                "people came to fish, not to write",
            ),
            (
                "We decided on two pumps. A broken one costs us 12 boats.",
                "Two pumps",
                "A broken one costs us 12 boats",
            ),
        ] {
            assert_eq!(decisions_in(text, true), [(what.to_owned(), Some(why.to_owned()))], "{text}");
        }
        // A question gives no reason, and a reason that is there stays.
        assert_eq!(decisions_in("We decided on two pumps. Otherwise what?", true)[0].1, None);
        assert_eq!(
            decisions_in("We decided on two pumps because one broke. That way we sleep.", true)[0]
                .1
                .as_deref(),
            Some("one broke")
        );
    }

    #[test]
    fn what_is_taken_wanted_or_bounded_is_decided() {
        for (text, what, why) in [
            (
                "We take labels on every bike and not chips, because chips cost 9 euros each.",
                "We take labels on every bike and not chips",
                Some("chips cost 9 euros each"),
            ),
            (
                "We want to share the fuel by miles, not by trips, since a trip may be long.",
                "Share the fuel by miles, not by trips",
                Some("a trip may be long"),
            ),
            ("No dogs in the first version, that's clear.", "No dogs in the first version", None),
            ("No dogs in the first round.", "No dogs in the first round", None),
            ("Rope it is. If it breaks in winter, chain.", "Rope. If it breaks in winter, chain", None),
            ("Fine: one buoy at the quay, no rope.", "One buoy at the quay, no rope", None),
            (
                "The harbour came back: no photo of the crew. So that goes out of the form.",
                "No photo of the crew: that goes out of the form",
                None,
            ),
            (
                "Good, so numbers come from the harbour and the book goes away.",
                "Numbers come from the harbour and the book goes away",
                None,
            ),
        ] {
            assert_eq!(decisions_in(text, true), [(what.to_owned(), why.map(str::to_owned))], "{text}");
        }
        for text in [
            "We take the list every day because the ferry is late.",
            "We take the mail along.",
            "We want to know who pays, not when.",
            "No dogs came.",
            "Fine, one more thing.",
            "So that goes without saying?",
            "A rope breaks so that nobody can land.",
        ] {
            assert_eq!(decisions_in(text, true), [], "{text}");
        }
    }

    #[test]
    fn a_doubt_in_a_clause_that_hangs_on_the_decision_is_none_of_it() {
        for (text, what, why) in [
            (
                "OK, we'll ring the owner and keep the dog until somebody has called, as the shelter demands that.",
                "Ring the owner and keep the dog until somebody has called",
                Some("the shelter demands that"),
            ),
            (
                "We'll keep the key that someone could lose in the safe.",
                "Keep the key that someone could lose in the safe",
                None,
            ),
            ("We'll go with B, as long as the price holds.", "B, as long as the price holds", None),
            ("Two pumps it is, one always breaks.", "Two pumps", Some("one always breaks")),
            ("We will not sort the crates by size.", "Do not sort the crates by size", None),
            ("Let's not count the birds.", "Do not count the birds", None),
            (
                "Wir haben beschlossen, dass der Verein im Mai spielt, weil der Platz trocken ist.",
                "Der Verein im Mai spielt",
                Some("der Platz trocken ist"),
            ),
        ] {
            assert_eq!(decisions_in(text, true), [(what.to_owned(), why.map(str::to_owned))], "{text}");
        }
        for text in [
            "OK, we could ring the owner until somebody has called.",
            "Right, the plan is that we might drop it.",
            "The trouble with it is, nobody reads it.",
        ] {
            assert_eq!(decisions_in(text, true), [], "{text}");
        }
    }

    #[test]
    fn that_we_agree_is_no_reason() {
        for begin in ["Ok, agreed", "Agreed", "We agreed", "Fine, we all agreed"] {
            let found =
                decisions_in(&format!("{begin}: the gate shows the time in hours and minutes."), true);
            assert_eq!(found, [("The gate shows the time in hours and minutes".to_owned(), None)], "{begin}");
        }
    }

    #[test]
    fn what_is_put_off_is_not_decided() {
        for text in [
            "I'd say the mate, but the pilot is here more often. Let's not settle that today",
            "Let's not decide this now.",
            "Leave that one with Sam for now.",
        ] {
            assert_eq!(decisions_in(text, true), [], "{text}");
        }
        assert_eq!(
            decisions_in("Good, let's do it that way, a second pilot from 220 boats on.", true)[0].0,
            "A second pilot from 220 boats on"
        );
    }

    #[test]
    fn emphasis_is_taken_off_and_what_is_no_emphasis_stays() {
        for (text, bare) in [
            ("**Agreed:** one key", "Agreed: one key"),
            ("we do _not_ want *two* keys", "we do not want two keys"),
            ("***Decided***, (*all of it*).", "Decided, (all of it)."),
            ("**a *b* c**", "a b c"),
            ("a *star\nand *two* keys", "a *star\nand two keys"),
            ("ü *ä ö* é", "ü ä ö é"),
        ] {
            assert_eq!(without_emphasis(text), bare);
        }
        for text in [
            "{{ 7*7 }}",
            "keep width*height below 4*1024",
            "globs like docs/**/*.md and *.jsonl",
            "name it __init__, picker_id and _id",
            "5 * 3 * 2",
            "a ** b",
            "x*y*z",
            "*",
            "** and __",
            "src/*, lib/*",
        ] {
            assert_eq!(without_emphasis(text), text);
        }
        assert_eq!(user("We decided to use {{ 7*7 }}.").unwrap().0, "Use {{ 7*7 }}");
    }

    #[test]
    fn with_whom_it_was_agreed_is_no_part_of_a_decision() {
        assert_eq!(
            user("We agreed with the harbour that nobody lands after ten, because of the tide."),
            Some((
                "Nobody lands after ten".to_owned(),
                Some("because of the tide (agreed with the harbour)".to_owned())
            ))
        );
        assert_eq!(user("We agreed with Sam on two keys.").unwrap().0, "Two keys");
        assert_eq!(
            user("We decided with the harbour this morning that French is there too.").unwrap().0,
            "French is there too"
        );
        assert_eq!(
            user("Confirmed, boats on the north quay only.").unwrap().0,
            "Boats on the north quay only"
        );
        assert_eq!(
            user("We decided with two against one to wait a year.").unwrap().0,
            "With two against one to wait a year"
        );
    }

    fn user(text: &str) -> Option<(String, Option<String>)> {
        decided(text, true)
    }

    #[test]
    fn decisions_are_recognised_with_their_reason() {
        for (text, what, why) in [
            ("We decided to keep the queue.", "Keep the queue", None),
            (
                "Let's go with merging because nobody may lose a photo.",
                "Merging",
                Some("nobody may lose a photo"),
            ),
            ("Agreed: one review screen", "One review screen", None),
            ("Ok, we'll go with option A since it is cheap", "Option A", Some("it is cheap")),
            ("Let’s use SQLite.", "SQLite", None),
            ("Decision: no cloud.", "No cloud", None),
            ("If two edits collide, we'll go with the newer one.", "The newer one", None),
            ("We do not need the cloud, so we decided to keep the data here.", "Keep the data here", None),
            ("We decided on a 5 - 10 second timeout.", "A 5 - 10 second timeout", None),
            ("We decided to keep everything since 2019.", "Keep everything since 2019", None),
            ("Go with option A.", "Option A", None),
        ] {
            assert_eq!(user(text), Some((what.to_owned(), why.map(str::to_owned))), "{text}");
        }
    }

    #[test]
    fn what_is_not_decided_is_no_decision() {
        for text in [
            "We haven't decided on the queue.",
            "Should we go with option A?",
            "If we decided to wait, what happens?",
            "She wrote \"we decided to wait\" on the board.",
            "Agreed.",
            "Let's keep going.",
            "Which database we'll use is still unclear.",
            "The option we chose last year failed.",
            "We have decided nothing yet.",
            "Nobody said we agreed to that plan.",
            "We agreed to disagree.",
            "He thinks we'll use Postgres",
            "Let's keep in mind that users are offline.",
            "Let's pick this up later",
            "The undecided: colours",
        ] {
            assert_eq!(user(text), None, "{text}");
        }
        assert_eq!(decided("Let's use SQLite.", false), None);
        assert_eq!(decided("So we agree on \"SQLite\", and no document says so.", false), None);
    }

    #[test]
    fn statements_are_cut_where_people_cut_them() {
        let cut = |text: &str| {
            statements(text).iter().filter_map(|one| user(one)).map(|found| found.0).collect::<Vec<_>>()
        };
        assert_eq!(cut("ok. let's go with sqlite. what about photos?"), ["Sqlite"]);
        assert_eq!(cut("Let's go with SQLite, but what about photos?"), ["SQLite"]);
        assert_eq!(cut("The file is 10\" wide. We agreed to drop photos. What next?"), ["Drop photos"]);
        assert_eq!(cut("**Decision:** SQLite for storage"), ["SQLite for storage"]);
        assert_eq!(cut("_Decision:_ keep picker_id as it is"), ["Keep picker_id as it is"]);
    }

    #[test]
    fn every_word_that_decides_has_its_root() {
        for marker in [DECIDES, DECIDES_AT_START, USER_DECIDES].iter().flat_map(|list| list.split('|')) {
            assert!(ROOTS.iter().any(|root| marker.contains(root)), "{marker}");
        }
        assert_eq!(
            user("She’s quoting “it’s” but we decided on naïve “it’s” merging.").unwrap().0,
            "Naïve “it's” merging"
        );
    }

    #[test]
    fn the_user_settles_in_plain_words() {
        for (text, wanted) in [
            (
                "OK, we'll count working days instead of calendar days.",
                "Count working days instead of calendar days",
            ),
            ("Right, import is out. The director types it.", "Import is out"),
            (
                "Then reminders become a Could, and we look again in autumn.",
                "Reminders become a Could, and we look again in autumn",
            ),
            (
                "Fair point. Then we leave the relatives out for now, because the switchboard gets its own project.",
                "We leave the relatives out for now",
            ),
            ("So private phones are not supported.", "Private phones are not supported"),
            ("The newer one wins. That's decided.", "The newer one wins"),
            (
                "For storage it's the present hoster, because the price is fixed.",
                "For storage it's the present hoster",
            ),
            ("Retries stay at two bank days.", "Retries stay at two bank days"),
            ("We stick with our own script.", "We stick with our own script"),
            (
                "So the answer is no, we don't touch the debts, and the fee is kept.",
                "We don't touch the debts, and the fee is kept",
            ),
            ("Gut, dann lassen wir den Raumtausch weg.", "Dann lassen wir den Raumtausch weg"),
        ] {
            let found: Vec<String> = decisions_in(text, true).into_iter().map(|(what, _)| what).collect();
            assert!(found.iter().any(|one| one == wanted), "{text}: {found:?}");
            assert!(decisions_in(text, false).is_empty() || text.contains("decided"), "{text}");
        }
    }

    #[test]
    fn doubts_plans_to_talk_and_facts_settle_nothing() {
        for text in [
            "We'll see about that.",
            "OK, we'll discuss it with the board.",
            "I'm not sure the 7 days are right, over Christmas everybody is away.",
            "The head of the library thinks this is a small thing.",
            "There was a proposal to allow corrections until closing. We haven't decided.",
            "A code that was already used once has to be refused the second time.",
            "We keep the paper for ten years.",
            "What if the parcel is out of the box?",
            "So what does the courier see?",
            "Is import out?",
            "The stock is out of date.",
            "Maybe reminders become a Could.",
        ] {
            assert_eq!(decisions_in(text, true), Vec::new(), "{text}");
        }
    }
}
