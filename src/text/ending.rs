//! What a sentence says about ending the talk: the exit words of the specification (D-4), and what is said beside them.
//!
//! An exit word counts when its clause says nothing else; it does not when it is negated, put off, or a part of what is
//! talked about ("exit code", "the back button").

use crate::text::words::{Word, words};

/// What one clause says about ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clause {
    /// It asks to end, and says so in more than the bare word.
    Exit { bare: bool },
    /// It may ask to end.
    Maybe,
    /// It says something else.
    Content,
    /// Thanks, names, small words.
    Filler,
}

/// A clause and what is around it.
pub struct JudgedClause {
    pub clause: Clause,
    pub question: bool,
    /// It says that the talk is not over: "but …", "continue", "next".
    pub goes_on: bool,
    words: usize,
}

/// Whether words only ask to end, with thanks and small words at most: "done", "ok, that's it, wrap up".
pub fn only_asks_to_end(text: &str) -> bool {
    let mut pieces = Vec::new();
    read_clauses(text, false, &[], &mut pieces);
    let is_end = |piece: &JudgedClause| matches!(piece.clause, Clause::Exit { .. });
    pieces.iter().any(is_end) && pieces.iter().all(|piece| is_end(piece) || piece.clause == Clause::Filler)
}

/// Adds the clauses of a sentence, judged each by itself and by its neighbours. `listed`: it is an item of a list or a
/// heading, and names something. `names` are first names in lower case that say nothing beside an exit word.
pub fn read_clauses(sentence: &str, listed: bool, names: &[String], found: &mut Vec<JudgedClause>) {
    let question = sentence.ends_with(['?', '？']);
    // How many clauses of the sentence have said something, and how long the last is.
    let (mut said, mut last) = (0, 0);
    for (after, clause) in clauses(sentence) {
        let words = words(clause);
        let mut piece = JudgedClause {
            clause: judge(&words, question, names),
            question,
            goes_on: after == Joint::But || words.iter().any(|word| within(FURTHER, &word.text)),
            words: words.len(),
        };
        let named = listed || is_named(said, last, &words, after);
        if named && !matches!(piece.clause, Clause::Filler) {
            piece.clause = Clause::Content;
        }
        if piece.clause == Clause::Content {
            (said, last) = (said + 1, piece.words);
        }
        found.push(piece);
    }
}

/// What is between two clauses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    Start,
    Comma,
    /// A colon or a dash: what follows explains.
    Colon,
    But,
}

/// The clauses of a sentence with what is before each.
fn clauses(sentence: &str) -> Vec<(Joint, &str)> {
    let mut found = Vec::new();
    let (mut start, mut joint) = (0, Joint::Start);
    let mut at = 0;
    while at < sentence.len() {
        let rest = &sentence[at..];
        let (length, next) = match rest.chars().next().unwrap_or(' ') {
            ',' | '，' | '、' => (rest.chars().next().map_or(1, char::len_utf8), Joint::Comma),
            ':' | '—' | '–' | '：' => (rest.chars().next().map_or(1, char::len_utf8), Joint::Colon),
            ' ' if rest.starts_with(" - ") => (3, Joint::Colon),
            ' ' if rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(" but ")) => (5, Joint::But),
            ' ' if rest.get(..9).is_some_and(|word| word.eq_ignore_ascii_case(" and wrap")) => {
                (4, Joint::Comma)
            }
            other => {
                at += other.len_utf8();
                continue;
            }
        };
        found.push((joint, &sentence[start..at]));
        at += length;
        (start, joint) = (at, next);
    }
    found.push((joint, &sentence[start..]));
    // ", but": the comma before it joins nothing.
    found.retain(|(_, clause)| !clause.trim().is_empty());
    found
}

/// Whether a clause only names a word: the last of a list, or what a colon introduces. "Save,
/// Cancel, Done." and "The label reads: Done" ask for nothing; "nothing more to add, done" does.
fn is_named(said: usize, last: usize, words: &[Word<'_>], joint: Joint) -> bool {
    let short = words.len() <= 2;
    let then = words.iter().any(|word| word.text == "then");
    said > 0 && (joint == Joint::Colon || then || (short && (last <= 2 || said > 1)))
}

/// What a clause says that turns down what was offered, or waves it off, and nothing beside: "no, we're done".
const REFUSALS: &str = "|don't worry|good job|good work|great work|i have nothing more to add|i have nothing to add|never mind|nice work|no|no further questions|no more questions|no problem|no questions|no thank you|no thanks|nope|nothing else|nothing else to add|nothing more|nothing more to add|nothing to add|";

/// Words that say that there is more to come.
const FURTHER: &str = " continue next first further further's except keep ";

/// Small words that say nothing beside an exit word.
pub const FILLER: &str = " ok okay k alright right well great good perfect fine nice cool super excellent thanks thank thx ty cheers you u so yes yeah yep yup sure please pls now then and i i'm im i'd i'll we we're we'll we've i've are am is it it's its that's that this all everything here for today me us let's lets let guess think believe suppose just really very much lot a the our my to everyone everybody team folks guys both bye goodbye hi hello hey with of yet dusted discussion conversation session meeting talk chat roundtable elaboration mode menu main can could may shall should will would want wanna need like must ready time go going have has had been be do already immediately help day talking discussing done exit back aren't isn't ";
/// Words that take an exit word back or put it off.
const AGAINST: &str = " not no never don't dont doesn't isn't aren't wasn't weren't haven't hasn't can't cannot won't wouldn't shouldn't nowhere far almost nearly hardly barely half before until till unless once when whenever if while after without rather instead how what why where which who ";
const HEDGE: &str = " maybe might perhaps probably possibly ";
const DETERMINER: &str =
    " a an the this that our my your its their his her on of early no every each any one's ";
const TALK: &str = " discussion conversation session meeting roundtable elaboration talk ";

/// Whether a word is in a list of words between blanks.
pub fn within(list: &str, word: &str) -> bool {
    list.contains(&format!(" {word} "))
}

/// The exit words of a clause, with their places: its kind, and the words it takes.
struct Found {
    kind: ExitKind,
    from: usize,
    to: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ExitKind {
    Done,
    Exit,
    WrapUp,
    Back,
}

fn find(words: &[&str]) -> Option<Found> {
    let found = |kind, from, to| Some(Found { kind, from, to });
    for (at, word) in words.iter().enumerate() {
        match *word {
            "done" => return found(ExitKind::Done, at, at + 1),
            "exit" => return found(ExitKind::Exit, at, at + 1),
            "back" => return found(ExitKind::Back, at, at + 1),
            "wrap-up" | "wrapup" => return found(ExitKind::WrapUp, at, at + 1),
            "wrap" | "wrapping" => {
                // "wrap up", "wrap it up", "wrap this discussion up"
                let up = words[at + 1..].iter().take(7).position(|word| *word == "up");
                if let Some(up) = up
                    && {
                        let between = &words[at + 1..at + 1 + up];
                        between.iter().all(|word| within(FILLER, word) || *word == "things")
                            || between.last().is_some_and(|word| within(TALK, word))
                    }
                {
                    return found(ExitKind::WrapUp, at, at + up + 2);
                }
            }
            _ => {}
        }
    }
    None
}

fn judge(clause: &[Word<'_>], question: bool, names: &[String]) -> Clause {
    let words: Vec<&str> = clause.iter().map(|word| word.text.as_ref()).collect();
    let says = |word: &&&str| !within(FILLER, word) && !names.iter().any(|name| name == **word);
    if REFUSALS.contains(&format!("|{}|", words.join(" "))) {
        return Clause::Filler;
    }
    let Some(Found { kind, from, to }) = find(&words) else {
        return if words.iter().any(|word| says(&word)) { Clause::Content } else { Clause::Filler };
    };
    let (before, after) = (&words[..from], &words[to..]);
    let previous = before.last().copied().unwrap_or_default();
    if before.iter().any(|word| within(AGAINST, word)) || after.first() == Some(&"yet") && !question {
        return Clause::Content;
    }
    let hedged = before.iter().chain(after).any(|word| within(HEDGE, word));
    let rest = before.iter().chain(after).filter(says).filter(|word| !within(HEDGE, word)).count();
    let polite = before.iter().any(|word| matches!(*word, "can" | "could" | "may" | "please"));
    let verdict = match kind {
        ExitKind::Done => done(before, after, rest, question),
        ExitKind::Exit if within(DETERMINER, previous) || rest > 0 => Clause::Content,
        // "Can I exit?" may be about the program.
        ExitKind::Exit if question && before.contains(&"i") => Clause::Maybe,
        ExitKind::Exit => Clause::Exit { bare: words.len() == 1 },
        ExitKind::WrapUp => wrap_up(
            before,
            after,
            previous,
            before.iter().filter(says).filter(|word| !within(HEDGE, word)).count(),
            rest,
        ),
        ExitKind::Back => back(before, after, previous),
    };
    match verdict {
        Clause::Exit { .. } if hedged || (question && !polite) => Clause::Maybe,
        other => other,
    }
}

fn done(before: &[&str], after: &[&str], rest: usize, question: bool) -> Clause {
    let previous = before.last().copied().unwrap_or_default();
    // "well done", "get it done", "to be done", "I want this done": done by somebody, some day.
    let has = |words: &[&str]| before.iter().any(|word| words.contains(word));
    let thing = has(&["it", "it's", "that", "that's", "this", "its", "everything"]);
    let us = has(&["we", "we're", "i", "i'm", "im", "all", "i've", "we've"]);
    // "I might be done", "we may have been done": may be meant of the talk.
    if matches!(previous, "be" | "been") && us && !thing && rest == 0 {
        return Clause::Maybe;
    }
    if matches!(previous, "well" | "nicely" | "get" | "gets" | "be" | "been")
        || (thing && has(&["want", "need", "have", "had", "can", "could", "should", "must"]))
    {
        return Clause::Content;
    }
    // "I have done that" tells of something, and "let's call it done" may mean the talk.
    if matches!(after.first(), Some(&("it" | "that" | "this"))) {
        return Clause::Content;
    }
    if before.ends_with(&["call", "it"]) {
        return Clause::Maybe;
    }
    if rest > 0 {
        if question && before == ["are", "we"] {
            return Clause::Maybe;
        }
        // "we're done with error handling": with that, or with the discussion?
        let speaker = before.is_empty() || has(&["we", "we're", "i", "i'm", "im"]);
        return if speaker && after.first() == Some(&"with") { Clause::Maybe } else { Clause::Content };
    }
    if thing && !us { Clause::Maybe } else { Clause::Exit { bare: before.is_empty() && after.is_empty() } }
}

fn wrap_up(before: &[&str], after: &[&str], previous: &str, said_before: usize, rest: usize) -> Clause {
    // "To wrap up: …" leads in to a summary.
    let leads_in = before.first() == Some(&"to");
    let asks = before.contains(&"you");
    if within(DETERMINER, previous) || leads_in || (asks && rest > 0) {
        return Clause::Content;
    }
    if said_before > 0 {
        // "should we continue or wrap up?"
        let offers = matches!(before.first(), Some(&("should" | "shall" | "do"))) && before.contains(&"we");
        return if offers { Clause::Maybe } else { Clause::Content };
    }
    if rest == 0 || after.iter().take(8).any(|word| within(TALK, word)) {
        return Clause::Exit { bare: false };
    }
    let topic = after.iter().take(3).any(|word| matches!(*word, "topic" | "subject" | "point"));
    match after.first() {
        Some(
            &("for" | "with" | "by" | "and" | "now" | "here" | "on" | "at" | "then" | "because" | "so"
            | "soon"),
        ) => Clause::Maybe,
        _ if topic => Clause::Maybe,
        _ => Clause::Content,
    }
}

fn back(before: &[&str], after: &[&str], previous: &str) -> Clause {
    if within(DETERMINER, previous)
        || matches!(previous, "i'm" | "im" | "we're" | "am" | "are" | "is" | "be" | "was")
    {
        return Clause::Content;
    }
    // "back", "go back", "take me back", "let's go back to the menu": short frames and no other,
    // so that "call me back" and "I need it back" stay what they are.
    const FRAME: &str = " ok okay so now then please pls and i i'd we let's lets let us like want to go going can could take me get head would yes thanks well right alright ";
    let moves = before.is_empty()
        || before.iter().any(|word| matches!(*word, "go" | "going" | "head" | "let's" | "lets"))
        || (before.iter().any(|word| matches!(*word, "take" | "get")) && matches!(previous, "me" | "us"))
        || before
            .iter()
            .all(|word| within(" ok okay so now then please pls and yes thanks well right alright ", word));
    let target: Vec<&str> = after
        .iter()
        .copied()
        .filter(|word| !matches!(*word, "please" | "now" | "then" | "thanks" | "ok"))
        .collect();
    let menu = matches!(
        target.as_slice(),
        ["to", "menu"]
            | ["to", "the", "menu"]
            | ["to", "main", "menu"]
            | ["to", "the", "main" | "step", "menu"]
    );
    if !moves || !before.iter().all(|word| within(FRAME, word)) || !(target.is_empty() || menu) {
        return Clause::Content;
    }
    let together =
        before.iter().any(|word| matches!(*word, "let's" | "lets" | "we" | "you" | "can" | "could"));
    if together && !menu {
        Clause::Maybe
    } else {
        Clause::Exit { bare: before.is_empty() && after.is_empty() }
    }
}
