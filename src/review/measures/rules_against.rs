//! A rule and its negation: "Accounts are blocked after 3 reminders" and "Accounts of children are never blocked".
//!
//! A predicate is an auxiliary with a verb. Two sentences contradict each other where the verb is the same, one is
//! negated, and they speak of the same things. Invariant: predicates are compared only within one verb.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Across, Hit, hit};
use crate::review::page::{Page, Unit, UnitKind};
use crate::review::token::{Kind, QUOTED, Token, root};

/// What a sentence says of something.
struct Predicate {
    page: u32,
    range: Range<usize>,
    is_negated: bool,
    /// "never": it admits no exception.
    is_absolute: bool,
    has_exception: bool,
    /// What the sentence speaks of first.
    head: String,
    things: BTreeSet<String>,
}

/// Verbs with more predicates are no sign of anything.
const MAX_PREDICATES: usize = 40;

/// Longer documents are read only where they are specifications.
const MAX_PROSE_UNITS: usize = 60;

pub fn contradictions(across: &Across<'_, '_>) -> Vec<Hit> {
    let mut found = Vec::new();
    let mut folders: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (number, page) in (0..).zip(across.pages) {
        folders.entry(page.path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default().push(number);
    }
    for pages in folders.values() {
        let mut verbs: BTreeMap<String, Vec<Place<'_>>> = BTreeMap::new();
        for number in pages {
            let page = &across.pages[*number as usize];
            // In long prose sentences speak of different cases far apart.
            if !page.register.is_specification && page.units.len() > MAX_PROSE_UNITS {
                continue;
            }
            let units = page.units.iter().filter(|unit| unit.is_judged && unit.kind != UnitKind::Heading);
            for unit in units.filter(|unit| across.rule.is_for(unit.kinds)) {
                in_unit(across, page, *number, unit, &mut verbs);
            }
        }
        let is_disputed = |all: &&Vec<Place<'_>>| {
            all.iter().any(|one| one.is_negated) && all.iter().any(|one| !one.is_negated)
        };
        for all in verbs.values().filter(is_disputed) {
            let all: Vec<Predicate> = all.iter().filter_map(|place| described(across, place)).collect();
            if all.len() <= MAX_PREDICATES {
                found.extend(opposed(across, &all));
            }
        }
    }
    found
}

/// Where a predicate is.
struct Place<'p> {
    page: u32,
    sentence: &'p [Token],
    at: usize,
    end: usize,
    is_negated: bool,
    is_absolute: bool,
}

fn in_unit<'p>(
    across: &Across<'_, '_>,
    page: &'p Page<'_>,
    number: u32,
    unit: &Unit,
    verbs: &mut BTreeMap<String, Vec<Place<'p>>>,
) {
    for sentence in page.sentences_of(unit) {
        let is_question = sentence.last().is_some_and(|last| page.word(last) == "?");
        let mut at = 0;
        while at < sentence.len() && !is_question {
            match predicate(across, page, sentence, at) {
                Some((verb, is_negated, is_absolute, end)) => {
                    let place = Place { page: number, sentence, at, end, is_negated, is_absolute };
                    verbs.entry(verb).or_default().push(place);
                    at = end;
                }
                None => at += 1,
            }
        }
    }
}

/// The verb of an auxiliary at `at`, whether it is negated, by "never", and where it ends.
fn predicate(
    across: &Across<'_, '_>,
    page: &Page<'_>,
    sentence: &[Token],
    at: usize,
) -> Option<(String, bool, bool, usize)> {
    let rule = across.rule;
    if sentence[at].has(QUOTED) {
        return None;
    }
    let (negated, mut end) =
        match (rule.set("negation").at(sentence, at), rule.set("auxiliary").at(sentence, at)) {
            (Some(end), _) => (true, end),
            (None, Some(end)) => (false, end),
            (None, None) => return None,
        };
    while let Some(skipped) = rule.set("skip").at(sentence, end) {
        end = skipped;
    }
    let verb = sentence.get(end).filter(|token| token.kind == Kind::Word)?;
    let absolute = sentence[at..end].iter().any(|token| page.word(token).eq_ignore_ascii_case("never"));
    (page.word(verb).len() > 3).then(|| (root(page.word(verb)), negated, absolute, end + 1))
}

fn described(across: &Across<'_, '_>, place: &Place<'_>) -> Option<Predicate> {
    let (page, sentence, at) = (&across.pages[place.page as usize], place.sentence, place.at);
    let begin = sentence[..at]
        .iter()
        .rposition(|token| matches!(page.word(token), ";" | "," | ":"))
        .map_or(0, |at| at + 1);
    // What holds under a condition or of "those that …" is no rule of its own.
    if across.rule.set("condition").is_in(&sentence[begin..at]) {
        return None;
    }
    let content = |token: &&Token| {
        token.kind == Kind::Word
            && page.word(token).len() > 3
            && across.rule.set("stop").at(std::slice::from_ref(*token), 0).is_none()
    };
    let before: Vec<&Token> = sentence[begin..at].iter().filter(content).collect();
    let all = sentence[..at].iter().chain(&sentence[place.end..]).filter(content);
    Some(Predicate {
        page: place.page,
        range: Page::span(sentence)?,
        is_negated: place.is_negated,
        is_absolute: place.is_absolute,
        has_exception: across.rule.set("exception").is_in(sentence),
        head: before.first().map(|token| root(page.word(token))).unwrap_or_default(),
        things: all.map(|token| root(page.word(token))).collect(),
    })
}

fn opposed(across: &Across<'_, '_>, all: &[Predicate]) -> Vec<Hit> {
    let mut found = Vec::new();
    for negated in all.iter().filter(|one| one.is_negated && !one.has_exception) {
        let others = all
            .iter()
            .filter(|other| !other.is_negated && !other.has_exception && other.range != negated.range);
        let Some(other) = others.into_iter().find(|other| contradicts(negated, other)) else { continue };
        let text = across.pages[other.page as usize].text[other.range.clone()].to_owned();
        let line = across.pages[other.page as usize].line(other.range.start).to_string();
        let related = vec![(other.page, other.range.clone())];
        let hit = hit(negated.range.clone()).with("other", text).with("line", line);
        found.push(Hit { page: negated.page, related, ..hit });
    }
    found
}

fn contradicts(negated: &Predicate, other: &Predicate) -> bool {
    let shared = negated.things.intersection(&other.things).count();
    let fewer = negated.things.len().min(other.things.len());
    let same_head = !negated.head.is_empty() && negated.head == other.head;
    (same_head && negated.is_absolute && shared * 2 >= fewer)
        || (shared >= 3 && shared * 5 >= fewer * 3)
        || (same_head && shared >= 2 && shared * 5 >= fewer * 3)
}
