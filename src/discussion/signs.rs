//! What the user concludes in words that no form tells: "ok so the two of them sign it then", "in that case a copy
//! of 3 and 7", "scrap the export".
//!
//! One sign alone settles nothing. Each sign has a weight; a statement decides where one of them is an act (a verb
//! that tells what to do, a "then" at the end, "in that case") and their sum is enough. A doubt, the past and the
//! speaker's own taste settle nothing, whatever else stands there.

use super::decisions::{main_clause, with_reason};
use super::rulings::{DOUBTS, without_leads};
use super::words::{is_number, lists, unquoted, words};
use crate::plain::capital;

/// What the signs of a decision come to at least.
const ENOUGH: usize = 3;

/// Verbs that take something out: said to all at the table, each settles a matter by itself.
const ENDS: &str = "abandon|axe|bin|cancel|ditch|drop|kill|postpone|scrap|scratch|shelve|skip";
/// Verbs that lay something down, beside another sign.
const SETS: &str = concat!(
    "add|allow|ban|begin|cap|charge|cut|delete|double|enlarge|extend|forbid|freeze|halve|hide|increase|keep|leave|",
    "limit|lock|lower|make|merge|move|pay|print|publish|put|raise|reduce|remove|rename|replace|require|round|send|",
    "set|shorten|show|shrink|split|start|stick|store|swap|switch|take|use",
);
/// What those verbs are said with where nothing is decided.
const IDIOMS: [&str; 23] = [
    "cut to",
    "drop me",
    "keep in mind",
    "keep it up",
    "leave it at",
    "leave it to",
    "leave it with",
    "leave that",
    "leave them",
    "leave this",
    "leave me",
    "make sure",
    "make up",
    "move on",
    "put it down",
    "put it this",
    "put it like",
    "put that down",
    "put this down",
    "round of",
    "skip to",
    "take a",
    "take your",
];
/// Words before "then" that make it a time or a question.
const BEFORE_THEN: &str =
    "and|back|but|by|even|every|how|just|now|only|or|since|so|till|until|well|what|when|where|who|why";
/// Who begins a statement that tells something: of itself, of a third, of what was said.
const TELLS: &str =
    "he|he's|i|i'd|i'll|i'm|i've|it|it's|she|she's|that|that's|there|there's|they're|this|you|you're|your";
/// Signs of the past, and of what happens anyway.
const PAST: [&str; 14] = [
    " ago ",
    " always ",
    " been ",
    " came ",
    " did ",
    " had ",
    " happened ",
    " last ",
    " usually ",
    " was ",
    " went ",
    " were ",
    " yesterday ",
    " already ",
];
/// What stands behind a verb that is said to all at the table.
const OBJECTS: [&str; 18] = [
    "a", "all", "an", "any", "both", "each", "every", "it", "its", "our", "that", "the", "their", "them",
    "these", "this", "those", "us",
];
/// Whom nothing is decided about: "we keep to ourselves".
const PERSONS: [&str; 6] = [" ourselves ", " my ", " me ", " them ", " you ", " your "];
/// Verbs behind "we'd rather" that settle nothing.
const IDLY: &str = "be|go|have|hear|know|not|say|see|sleep|talk|think|try";
/// How a choice goes on that was weighed: "…, even if it takes nine weeks".
const CONCEDES: [&str; 7] = [", because", ", but", ", even", ", otherwise", ", since", ", so ", ", though"];
/// What tells that something is done anyway.
const HABIT: [&str; 7] =
    [" at the moment ", " currently ", " each ", " every ", " now ", " often ", " today "];
/// Signs that what is said is to last.
const LASTS: [&str; 11] = [
    " go to ",
    " goes to ",
    " stay ",
    " stays ",
    " from now on ",
    " no longer ",
    " only ",
    " for now ",
    " instead ",
    " instead of ",
    " rather than ",
];

/// What a statement of the user's settles by its signs, and why.
pub(super) fn concluded(statement: &str) -> Option<(String, Option<String>)> {
    // ASCII letters in lower case: every byte keeps its place.
    let lower = unquoted(statement).to_ascii_lowercase();
    let signs = Signs::of(&lower)?;
    if !signs.acts() || signs.sum() < ENOUGH {
        return None;
    }
    let said = &statement[statement.len() - signs.rest.len()..];
    let (what, why) = match signs.then {
        Some(left) => with_reason(&format!("{}{}", &said[..left.len()], &said[signs.clause.len()..])),
        None => with_reason(said),
    };
    Some((capital(&what), why))
}

/// What speaks for a decision in a statement, in lower case.
struct Signs<'t> {
    /// The statement behind the words that lead in to it, and the first clause of that.
    rest: &'t str,
    clause: &'t str,
    /// The clause before its "then".
    then: Option<&'t str>,
    /// Somebody is right, and something follows from it.
    approved: bool,
    led: bool,
    in_case: bool,
    /// "We'd rather …", "we keep to …", "then rope, …".
    taken: bool,
    ends: bool,
    sets: bool,
    /// "We take minus five to fifty, the other range is …": one is taken of several.
    takes: bool,
    figure: bool,
    denied: bool,
    lasts: bool,
}

impl<'t> Signs<'t> {
    /// The signs of a statement; none where something in it settles nothing.
    fn of(lower: &'t str) -> Option<Signs<'t>> {
        let (begun, approved) = without_approval(lower);
        let (rest, led) = without_leads(begun);
        let case = rest.strip_prefix("in that case").map(|rest| rest.trim_start_matches([',', ' ']));
        let rest = case.unwrap_or(rest);
        let behind = |openings: &[&str]| openings.iter().find_map(|words| rest.strip_prefix(words));
        let preferred = behind(&["we'd rather ", "we would rather "]);
        let rest = preferred.unwrap_or(rest);
        let clause = first_clause(rest);
        let found = words(clause);
        let first = found.first()?.text.as_ref();
        // "Until somebody has found one" doubts nothing.
        let padded = format!(" {} ", main_clause(clause));
        let says = |signs: &[&str]| signs.iter().any(|sign| padded.contains(sign));
        let begins = |openings: &[&str]| openings.iter().any(|words| rest.starts_with(words));
        let tells = preferred.is_none() && lists(TELLS, first);
        let doubts = DOUBTS.split('|').any(|doubt| padded.contains(doubt));
        let hangs = begins(&["if ", "when ", "because ", "but ", "unless "]);
        let opens_with_then = lower.trim_start().starts_with("then ");
        let idiom = IDIOMS.iter().any(|idiom| clause.starts_with(idiom));
        if tells || doubts || hangs || idiom || says(&PAST) || found.len() < 2 && !opens_with_then {
            return None;
        }
        let then = clause.strip_suffix(" then").map(|left| left.trim_end_matches(','));
        let figure = found.iter().any(|word| is_number(&word.text));
        let held = begins(&["we keep to ", "we stick to ", "we stay with "])
            && !says(&PERSONS)
            && !rest.contains(" when ")
            || begins(&["we leave it at "]) && figure;
        let goes_on = CONCEDES.iter().any(|word| rest[clause.len()..].starts_with(word));
        let named = opens_with_then && goes_on && found.len() <= 4 && !has_a_verb(clause);
        let second = found.get(1).map(|word| word.text.as_ref()).unwrap_or_default();
        // "Scrap the list" tells what to do; "scrap metal is stored here" tells of metal.
        let has_object = OBJECTS.contains(&second);
        let preferred = preferred.filter(|_| !lists(IDLY, first));
        Some(Signs {
            rest,
            clause,
            then: then.filter(|left| !ends_as_a_time(left)),
            approved,
            led,
            in_case: case.is_some(),
            taken: preferred.is_some() || held || named,
            ends: lists(ENDS, first) && found.len() > 2 && has_object,
            sets: lists(SETS, first) && has_object,
            takes: begins(&["we take "]) && rest.contains(',') && !says(&HABIT),
            figure,
            denied: first == "no",
            lasts: says(&LASTS) || rest.contains(", not "),
        })
    }

    /// Whether one of them is an act.
    fn acts(&self) -> bool {
        self.then.is_some() || self.in_case || self.taken || self.ends || self.sets || self.takes
    }

    fn sum(&self) -> usize {
        let weighed = [
            (self.approved, 1),
            (self.led, 2),
            (self.then.is_some(), 2),
            (self.in_case, 2),
            (self.taken, 3),
            (self.ends, 3),
            (self.sets, 2),
            (self.takes, 2),
            (self.figure, 1),
            (self.denied, 1),
            (self.lasts, 1),
        ];
        weighed.iter().filter(|(sign, _)| *sign).map(|(_, weight)| weight).sum()
    }
}

/// What a statement says before its first pause; "…, then" at its end belongs to it.
fn first_clause(rest: &str) -> &str {
    let whole = rest.trim_end_matches(['.', '!', ' ']);
    let clause = match whole.strip_suffix(", then") {
        Some(left) if !left.contains(',') => whole,
        _ => whole.split([',', ';', ':']).next().unwrap_or_default(),
    };
    clause.trim_end_matches(['.', '!', ' '])
}

/// What is left behind words that say somebody is right: "Sam is right about that, …".
fn without_approval(lower: &str) -> (&str, bool) {
    let lower = lower.trim_start();
    let whole = ["true, ", "good point, ", "fair point, ", "makes sense, ", "that makes sense, ", "agreed, "];
    if let Some(rest) = whole.iter().find_map(|words| lower.strip_prefix(words)) {
        return (rest, true);
    }
    let Some((clause, rest)) = lower.split_once(", ") else { return (lower, false) };
    let right = [
        "is right",
        "are right",
        "'re right",
        "'s right",
        "has a point",
        "have a point",
        "'s true",
        "'s fair",
    ];
    let says = |words: &&str| clause.find(*words).is_some_and(|at| clause[..at].split(' ').count() <= 4);
    match right.iter().any(says) && clause.split(' ').count() <= 7 {
        true => (rest, true),
        false => (lower, false),
    }
}

/// Verbs that make a clause of a few words, and what names nothing.
const CLAUSES: &str = concat!(
    "again|am|are|can|come|comes|did|do|does|ends|get|gets|go|goes|happened|happens|has|have|is|leave|leaves|let|look|",
    "nobody|nothing|see|starts|stop|tell|what|who|why|how|wait|will|works",
);

fn has_a_verb(clause: &str) -> bool {
    words(clause).iter().any(|word| lists(CLAUSES, &word.text) || word.text.ends_with("ed"))
}

/// Whether a "then" behind these words is a time or a question, and no conclusion.
fn ends_as_a_time(left: &str) -> bool {
    words(left).last().is_none_or(|last| lists(BEFORE_THEN, &last.text))
}

#[cfg(test)]
mod tests {
    use crate::discussion::decisions::decisions_in;

    #[test]
    fn several_signs_decide_together() {
        for (text, what) in [
            (
                "Nina is right about that, make it five for the ferry and two for the rest",
                "Make it five for the ferry and two for the rest",
            ),
            (
                "We take minus five to fifty, the other range is of the old buoy.",
                "We take minus five to fifty, the other range is of the old buoy",
            ),
            ("B2 waits 24 hours instead of 6, then.", "B2 waits 24 hours instead of 6"),
            (
                "we'd rather wait with the lamps until someone has found a dry place",
                "Wait with the lamps until someone has found a dry place",
            ),
            ("Then rope, even if it takes nine weeks.", "Rope, even if it takes nine weeks"),
            (
                "In that case they go to the north pier, from the third on.",
                "They go to the north pier, from the third on",
            ),
            ("Bin the weekly list, the harbour can wait.", "Bin the weekly list, the harbour can wait"),
            ("Six months stands, the crew lives with it.", "Six months stands, the crew lives with it"),
            ("ok so the two pilots tow it then", "The two pilots tow it"),
            (
                "In that case copies of 3 and 7, the charts stay on board",
                "Copies of 3 and 7, the charts stay on board",
            ),
            (
                "scrap the paper list, nobody at the quay could tell me who reads it",
                "Scrap the paper list, nobody at the quay could tell me who reads it",
            ),
            (
                "No landing at night then, they wait at the buoy like now.",
                "No landing at night, they wait at the buoy like now",
            ),
            (
                "we'd rather wait with the crane until a second boat asks",
                "Wait with the crane until a second boat asks",
            ),
        ] {
            let found: Vec<String> = decisions_in(text, true).into_iter().map(|(what, _)| what).collect();
            assert_eq!(found, [what], "{text}");
        }
    }

    #[test]
    fn one_sign_or_a_doubt_decides_nothing() {
        for text in [
            "ok so what happened then",
            "We were all there back then",
            "Make sure you eat something.",
            "maybe leave the flags out for now",
            "Take a seat.",
            "We take two photos every day.",
            "We use the ferry now.",
            "In that case we have a problem.",
            "In that case nobody pays.",
            "Then lunch, I'm hungry.",
            "Then Monday.",
            "We'd rather not talk about it.",
            "We would rather have a bigger boat.",
            "We keep to ourselves.",
            "We stay with my parents.",
            "We leave it at the door.",
            "We stick to the seats when it is hot.",
            "The question stands.",
            "Scrap metal is stored at the quay.",
            "Bin bags are collected on Monday.",
            "Use case 3 is missing.",
            "Store 5 is closed.",
            "Leave requests only go to the boss.",
            "Put two and two together, folks.",
            "Raise your hand only when asked.",
            "The letter is late, I agreed that with nobody.",
            "Then nothing happened.",
            "Then the ferry left.",
            "Nina is right about that.",
            "I'd rather sleep.",
            "Use is low at the moment.",
            "In that case I wonder who pays.",
        ] {
            assert_eq!(decisions_in(text, true), [], "{text}");
        }
    }
}
