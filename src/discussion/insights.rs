//! Key insights by rule: what each contribution says that is more than an occasion, near-duplicates together,
//! the weightiest first.
//!
//! | counts | for |
//! | --- | --- |
//! | 6 | a line that stands against what was just decided |
//! | 4 | a position, with its reason, that a colleague differed from |
//! | 3 | an answer to what the user asked |
//! | 3 | a place in a document; 1 a quotation; 1 a figure |
//! | 2 | having to do with what the user said anywhere; two for each further voice that said it |
//!
//! Of equals the earlier one stands first. docs/offline.md has the rule for readers.

use super::event::{Class, Purpose};
use super::extract::{ENTRY, Said};
use super::positions::position;
use super::summary::{Decision, Insight, USER};
use super::words::{subjects, words};
use crate::plain::{capital, cut};

/// Insights beyond these are left to the recording.
const MOST: usize = 8;

/// An insight that is still weighed.
struct Weighed {
    insight: Insight,
    weight: usize,
    subjects: Vec<String>,
}

/// The insights of what was said, ranked.
pub(super) fn insights(said: &[Said], decisions: &[Decision]) -> Vec<Insight> {
    let mut found: Vec<Weighed> = Vec::new();
    for (at, one) in said.iter().enumerate().filter(|(_, one)| speaks(one)) {
        let Some(text) = telling(one, said, decisions) else { continue };
        let weight = weight(&text, one, &said[..at], said);
        let (text, subjects) = (cut(&text, ENTRY), subjects(&text));
        match found.iter_mut().find(|other| is_same(&other.insight.text, &other.subjects, &text, &subjects)) {
            Some(same) => same.join(one, weight),
            None => {
                let insight = Insight { text, by: vec![one.by.clone()], turns: vec![one.turn] };
                found.push(Weighed { insight, weight, subjects });
            }
        }
    }
    // Stable: of equals the earlier one stands first.
    found.sort_by_key(|one| std::cmp::Reverse(one.weight));
    found.truncate(MOST);
    found.into_iter().map(|one| one.insight).collect()
}

impl Weighed {
    /// The same, said again: by one voice more, it weighs more.
    fn join(&mut self, one: &Said, weight: usize) {
        let Insight { by, turns, .. } = &mut self.insight;
        turns.push(one.turn);
        self.weight = self.weight.max(weight);
        if !by.contains(&one.by) {
            by.push(one.by.clone());
            self.weight += 2;
        }
    }
}

fn speaks(one: &Said) -> bool {
    one.is_turn
        && one.purpose != Some(Purpose::Framing)
        && !matches!(one.class, Some(Class::OffTopic | Class::Unclear))
}

/// How much an insight matters, as the table above has it.
fn weight(text: &str, one: &Said, before: &[Said], said: &[Said]) -> usize {
    let place = has_place(text);
    let quoted = text.contains('"');
    let figure = text.contains(|c: char| c.is_ascii_digit());
    let against = text.contains(STILL);
    let differs = position(&one.text).is_some() && is_opposed(one, said);
    let asked = before.iter().rev().find(|other| other.by == USER);
    let answers = one.purpose == Some(Purpose::Answer)
        && asked.is_some_and(|asked| asked.text.trim_end().ends_with('?'));
    let about = subjects(text);
    let shared = |other: &Said| subjects(&other.text).iter().filter(|word| about.contains(word)).count() >= 2;
    let near = one.by != USER && said.iter().any(|other| other.by == USER && shared(other));
    let counted = [(against, 6), (differs, 4), (answers, 3), (place, 3), (quoted, 1), (figure, 1), (near, 2)];
    counted.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum()
}

/// Whether a colleague states a position too, in the same round.
fn is_opposed(one: &Said, said: &[Said]) -> bool {
    let near = |other: &&Said| other.by != one.by && other.by != USER && other.turn.abs_diff(one.turn) <= 2;
    said.iter().filter(near).any(|other| position(&other.text).is_some())
}

/// "… line 12", as contributions name a place.
fn has_place(text: &str) -> bool {
    text.split(" line ").skip(1).any(|after| after.starts_with(|c: char| c.is_ascii_digit()))
}

/// What stands against a decision says so with these words.
const STILL: &str = " still says \"";

/// Two texts about the same: at least two thirds of their subjects are shared, or they quote the same and
/// point at the same place.
fn is_same(a: &str, of_a: &[String], b: &str, of_b: &[String]) -> bool {
    let quotes = |text: &str| {
        text.split('"').skip(1).step_by(2).map(str::to_lowercase).collect::<std::collections::BTreeSet<_>>()
    };
    let quoted = quotes(a);
    let alike = !quoted.is_empty() && quoted == quotes(b) && places(a) == places(b) && has_place(a);
    alike || is_alike(of_a, of_b)
}

fn places(text: &str) -> Vec<&str> {
    let number = |after: &'_ str| after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    text.split(" line ").skip(1).map(|after| &after[..number(after)]).collect()
}

/// Two texts, given by their subjects, about the same: at least two thirds of them are shared.
pub(super) fn is_alike(a: &[String], b: &[String]) -> bool {
    let shared = a.iter().filter(|word| b.contains(word)).count();
    let all = a.len() + b.len() - shared;
    all > 0 && shared * 3 >= all * 2
}

/// How a sentence begins that only shows what a document says, or comes back to what was asked.
const OCCASIONS: [&str; 13] = [
    "What people can read on \"",
    "On \"",
    "For \"",
    "Whoever looks for \"",
    "That speaks to ",
    "Nobody has taken up ",
    "Before people leave this table, ",
    "Still without an owner is ",
    "One risk stays on the list, ",
    "One entry has no value yet, ",
    "The contract has a hole ",
    "The closest a person gets is ",
    "The nearest thing to build on is ",
];

/// Whether a sentence is only the occasion for what follows it.
fn is_occasion(sentence: &str) -> bool {
    // A reference to a colleague (interface specification 3.3) leads in to what is meant.
    let refers = sentence.starts_with("I agree with ") && sentence.ends_with(" matters here.")
        || sentence.ends_with(" and I see this differently.")
        || sentence.contains(" raises a good point about \"") && sentence.ends_with("\".");
    let points = sentence.starts_with("For \"") && !sentence.contains("the text to hold on to is");
    let shows = OCCASIONS.iter().any(|begin| sentence.starts_with(begin)) && !points;
    refers || shows || sentence.contains("\" is not defined ") || sentence.contains("\" is not defined ")
}

/// The statement of a contribution that it is about: the first that names a place, a number or somebody's
/// words, asks nothing, and is no occasion. What takes up a decision is one already, and no insight
/// beside it, but for what stands against it.
fn telling(one: &Said, said: &[Said], decisions: &[Decision]) -> Option<String> {
    let mine = one.by == USER;
    let least = if mine { 4 } else { 6 };
    let takes_up = !mine && one.sentences.first().is_some_and(|first| quotes_a_decision(first, decisions));
    let statements = one.sentences.iter().filter(|sentence| {
        !is_occasion(sentence)
            && (!takes_up || sentence.contains(STILL))
            && !sentence.ends_with(['?', '？', ':'])
            && words(sentence).len() >= least
            && super::decisions::decisions_in(sentence, mine).is_empty()
            && (mine || !only_repeats(sentence, said))
    });
    let statements: Vec<&String> = statements.collect();
    let named =
        |sentence: &&&String| sentence.contains('"') || sentence.contains(|c: char| c.is_ascii_digit());
    let first =
        statements.iter().find(|sentence| sentence.contains(STILL)).or_else(|| statements.iter().find(named));
    // `max_by_key` gives the last of equals; the first is wanted.
    let most = || statements.iter().rev().max_by_key(|sentence| subjects(sentence).len().min(12));
    let best = if mine { most() } else { first.or_else(most) }?;
    Some(without_opening(best))
}

/// Whether a sentence quotes the beginning of a decision.
pub(super) fn quotes_a_decision(sentence: &str, decisions: &[Decision]) -> bool {
    let lower = sentence.to_lowercase();
    let begins = |text: &str| text.chars().take(24).collect::<String>().to_lowercase().replace('"', "'");
    decisions.iter().any(|one| lower.contains(&format!("\"{}", begins(&one.text))))
}

/// Whether a persona's sentence rests on the user's own words alone, which stand for themselves.
pub(super) fn only_repeats(sentence: &str, said: &[Said]) -> bool {
    let quoted: Vec<&str> =
        sentence.split('"').skip(1).step_by(2).map(|quoted| quoted.trim_end_matches(['…', ' '])).collect();
    let of_user = |quoted: &&str| {
        said.iter().any(|one| one.by == USER && crate::plain::one_line(&one.text).contains(*quoted))
    };
    !quoted.is_empty() && !has_place(sentence) && quoted.iter().all(of_user)
}

/// A sentence without the reference to a colleague that leads into it.
pub(super) fn without_opening(sentence: &str) -> String {
    let openings = ["Building on ", "To add to what ", "On \"", "From a ", "From an "];
    let opened = openings.iter().any(|opening| sentence.starts_with(opening));
    let sentence = sentence.strip_prefix("However, ").unwrap_or(sentence);
    let tail = opened.then(|| sentence.split_once(": ")).flatten().map(|(_, tail)| tail);
    capital(tail.unwrap_or(sentence).trim_end_matches('.'))
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
            purpose: (by != USER).then_some(Purpose::Answer),
            decides: Vec::new(),
        }
    }

    #[test]
    fn what_stands_against_a_decision_comes_first_and_the_same_gap_is_named_together() {
        let talk = [
            said(
                1,
                "solutions-architect",
                "With \"Number\" left empty for \"NFR-7\" at nfr.md line 9, no option can be ruled out.",
            ),
            said(
                2,
                "system-designer",
                "\"NFR-7\" has an empty \"Number\" cell in nfr.md line 9, and no test asserts a blank.",
            ),
            said(3, USER, "We take two minutes, not ten."),
            said(
                4,
                "business-analyst",
                "So we agree on \"We take two minutes, not ten\". nfr.md line 11 still says \"at most 10 minutes\", and whoever reads that goes by it.",
            ),
        ];
        let decided =
            Decision { text: "We take two minutes, not ten".into(), rationale: "x".into(), turns: vec![3] };
        let found = insights(&talk, &[decided]);
        assert!(found[0].text.starts_with("nfr.md line 11 still says"), "{found:?}");
        assert_eq!(found[1].by, ["solutions-architect", "system-designer"]);
        assert_eq!(found[1].turns, [1, 2]);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn an_occasion_and_the_users_own_words_are_no_insight() {
        let talk = [
            said(1, USER, "The returns desk uses the old numbers."),
            said(
                2,
                "business-analyst",
                "You say \"The returns desk uses the old numbers\". How often does that happen?",
            ),
            said(
                3,
                "solutions-architect",
                "On \"returns desk\", spec.md line 4 says \"the desk is closed at night\".",
            ),
        ];
        let found = insights(&talk, &[]);
        assert_eq!(found.iter().map(|one| one.by.join("/")).collect::<Vec<_>>(), [USER]);
    }
}
