//! A rule and its negation: "Accounts are blocked after 3 reminders" and "Accounts of children are never blocked".
//!
//! A predicate is an auxiliary with a verb. Two sentences contradict each other where the verb is the same, one is
//! negated, and they speak of the same things. Invariant: predicates are compared only within one verb.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Across, Hit, hit};
use crate::review::page::{Page, Style, Unit, UnitKind};
use crate::review::pattern::{Set, Starts};
use crate::review::token::{Kind, QUOTED, Token, root};

/// What a sentence says of something.
pub(super) struct Predicate {
    pub(super) page: u32,
    pub(super) range: Range<usize>,
    pub(super) is_negated: bool,
    /// "never": it admits no exception.
    is_absolute: bool,
    /// It says itself that there are other cases.
    pub(super) has_exception: bool,
    /// What the sentence speaks of first, and what is just before the verb.
    head: String,
    last: String,
    /// What the clause speaks of, with its condition.
    clause: BTreeSet<String>,
    /// The words of its condition.
    case: BTreeSet<String>,
    /// What the sentence speaks of.
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
        folders.entry(page.folder()).or_default().push(number);
    }
    for pages in folders.values() {
        let mut verbs: Verbs<'_> = BTreeMap::new();
        let units: Vec<(u32, &Unit)> = pages.iter().flat_map(|number| units(across, *number)).collect();
        for (number, unit) in &units {
            in_unit(across, across.page(*number), *number, unit, &mut verbs);
        }
        verbs.retain(|_, places| places.len() <= MAX_PREDICATES && places.iter().any(|one| one.is_negated));
        let mut said: BTreeMap<String, Vec<Predicate>> = BTreeMap::new();
        for (verb, places) in verbs {
            said.insert(verb, places.iter().filter_map(|place| described(across, place)).collect());
        }
        plain_uses(across, &units, &mut said);
        for all in said.values() {
            found.extend(opposed(across, all));
        }
    }
    found
}

/// The units of a page that are read.
fn units<'a>(across: &'a Across<'_, '_>, number: u32) -> impl Iterator<Item = (u32, &'a Unit)> {
    let page = &across.pages[number as usize];
    // In long prose sentences speak of different cases far apart.
    let is_read = page.register.style != Style::Prose || page.units.len() <= MAX_PROSE_UNITS;
    // Each "THEN the page SHALL NOT …" holds in its own scenario.
    let is_step = |unit: &Unit| {
        let first = page.tokens_of(unit).first().map_or("", |token| page.word(token));
        matches!(first, "GIVEN" | "WHEN" | "THEN" | "AND" | "BUT")
    };
    let units = page.units.iter().filter(move |unit| {
        is_read
            && !is_step(unit)
            && unit.is_judged
            && unit.kind != UnitKind::Heading
            && across.rule.is_for(unit.kinds)
    });
    units.map(move |unit| (number, unit))
}

/// Adds what is said without an auxiliary: "the pump runs" beside "the pump never runs". The word before the verb is
/// the same, so that nobody has to tell verbs from nouns.
fn plain_uses(across: &Across<'_, '_>, units: &[(u32, &Unit)], said: &mut BTreeMap<String, Vec<Predicate>>) {
    let stem = |word: &str| {
        let letters: [u8; SHORTEST] = word.get(..SHORTEST)?.as_bytes().try_into().ok()?;
        Some(letters.map(|letter| letter.to_ascii_lowercase()))
    };
    let begins: BTreeSet<[u8; SHORTEST]> = said.keys().filter_map(|verb| stem(verb)).collect();
    if begins.is_empty() {
        return;
    }
    for (number, unit) in units {
        let page = across.page(*number);
        for sentence in page.sentences_of(unit) {
            for at in 1..sentence.len() {
                let is_known = || stem(page.word(&sentence[at])).is_some_and(|word| begins.contains(&word));
                if sentence[at].kind != Kind::Word || sentence[at].has(QUOTED) || !is_known() {
                    continue;
                }
                let Some(all) = said.get_mut(&root(page.word(&sentence[at]))) else { continue };
                let place =
                    Place { page: *number, sentence, at, end: at + 1, is_negated: false, is_absolute: false };
                let before = root(page.word(&sentence[at - 1]));
                if all.len() <= MAX_PREDICATES && all.iter().any(|one| one.is_negated && one.last == before) {
                    all.extend(described(across, &place));
                }
            }
        }
    }
}

/// Verbs by their root.
type Verbs<'p> = BTreeMap<String, Vec<Place<'p>>>;

/// Where a predicate is.
pub(super) struct Place<'p> {
    pub(super) page: u32,
    pub(super) sentence: &'p [Token],
    at: usize,
    end: usize,
    is_negated: bool,
    is_absolute: bool,
}

pub(super) fn in_unit<'p>(
    across: &Across<'_, '_>,
    page: &'p Page<'_>,
    number: u32,
    unit: &Unit,
    verbs: &mut Verbs<'p>,
) {
    let words = Words::of(across);
    for sentence in page.sentences_of(unit) {
        // The list below "must not use:" says what is meant.
        let is_question = sentence.last().is_some_and(|last| matches!(page.word(last), "?" | ":"));
        let mut at = 0;
        while at < sentence.len() && !is_question {
            match words.predicate(page, sentence, at) {
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

/// The letters of the shortest verb: "pay", "run".
const SHORTEST: usize = 3;

/// The rule's words around a verb.
struct Words<'r> {
    negation: &'r Set,
    auxiliary: &'r Set,
    skip: &'r Set,
    /// What a negation or an auxiliary begins with.
    starts: Starts,
}

impl<'r> Words<'r> {
    fn of(across: &Across<'r, '_>) -> Words<'r> {
        let [negation, auxiliary, skip] = ["negation", "auxiliary", "skip"].map(|name| across.rule.set(name));
        Words { negation, auxiliary, skip, starts: Starts::of_any([negation, auxiliary]) }
    }

    /// The verb of an auxiliary at `at`, whether it is negated, by "never", and where it ends.
    fn predicate(
        &self,
        page: &Page<'_>,
        sentence: &[Token],
        at: usize,
    ) -> Option<(String, bool, bool, usize)> {
        if !self.starts.has(&sentence[at]) {
            return None;
        }
        let negated = self.negation.at(sentence, at);
        let mut end = negated.or_else(|| self.auxiliary.at(sentence, at))?;
        while let Some(skipped) = self.skip.at(sentence, end) {
            end = skipped;
        }
        let verb = sentence.get(end).filter(|token| token.kind == Kind::Word)?;
        let absolute = sentence[at..end].iter().any(|token| page.word(token).eq_ignore_ascii_case("never"));
        let is_long = page.word(verb).len() >= SHORTEST;
        is_long.then(|| (root(page.word(verb)), negated.is_some(), absolute, end + 1))
    }
}

pub(super) fn described(across: &Across<'_, '_>, place: &Place<'_>) -> Option<Predicate> {
    let (page, sentence, at) = (across.page(place.page), place.sentence, place.at);
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
    let roots = |tokens: &[Token]| -> Vec<String> {
        tokens.iter().filter(content).map(|token| root(page.word(token))).collect()
    };
    let before = roots(&sentence[begin..at]);
    let case = case(across, page, sentence).map(roots).unwrap_or_default();
    let end = sentence[place.end..]
        .iter()
        .position(|token| matches!(page.word(token), ";" | "," | ":"))
        .map_or(sentence.len(), |end| place.end + end);
    let clause = before.iter().cloned().chain(roots(&sentence[place.end..end])).chain(case.iter().cloned());
    Some(Predicate {
        page: place.page,
        range: Page::span(sentence)?,
        is_negated: place.is_negated,
        is_absolute: place.is_absolute,
        has_exception: across.rule.set("exception").is_in(sentence),
        head: before.first().cloned().unwrap_or_default(),
        last: before.last().cloned().unwrap_or_default(),
        clause: clause.collect(),
        case: case.into_iter().collect(),
        things: roots(&sentence[..at]).into_iter().chain(roots(&sentence[place.end..])).collect(),
    })
}

/// The condition of a sentence: what follows "when" up to the next sign.
fn case<'s>(across: &Across<'_, '_>, page: &Page<'_>, sentence: &'s [Token]) -> Option<&'s [Token]> {
    let (_, begin) = across.rule.set("case").find(sentence)?;
    let end = sentence[begin..].iter().position(|token| matches!(page.word(token), ";" | "," | ":" | "."));
    Some(&sentence[begin..end.map_or(sentence.len(), |end| begin + end)])
}

fn opposed(across: &Across<'_, '_>, all: &[Predicate]) -> Vec<Hit> {
    let mut found = Vec::new();
    let text = |one: &Predicate| &across.pages[one.page as usize].text[one.range.clone()];
    for negated in all.iter().filter(|one| one.is_negated && !one.has_exception) {
        let others = all
            .iter()
            .filter(|other| !other.is_negated && !other.has_exception && other.range != negated.range)
            .filter(|other| text(other) != text(negated));
        let Some(other) = others.into_iter().find(|other| contradicts(negated, other)) else { continue };
        let text = across.pages[other.page as usize].text[other.range.clone()].to_owned();
        let line = across.pages[other.page as usize].line(other.range.start).to_string();
        let related = vec![(other.page, other.range.clone())];
        let hit = hit(negated.range.clone()).with("other", text).with("line", line);
        found.push(Hit { page: negated.page, related, ..hit });
    }
    found
}

/// A denial contradicts what is said of all that it speaks of; "never" contradicts what is said of its subject.
pub(super) fn contradicts(negated: &Predicate, other: &Predicate) -> bool {
    // A denial under a condition that the other does not have makes two cases; one without a condition holds always.
    let is_same_case = negated.case.is_empty() || other.case.is_subset(&negated.things);
    if !negated.case.is_subset(&other.things) || !is_same_case {
        return false;
    }
    let shared = negated.clause.intersection(&other.things).count();
    let fewer = negated.clause.len().min(other.things.len());
    let is_same_subject = !negated.head.is_empty() && negated.head == other.head;
    let is_of_all = shared == negated.clause.len() && (shared >= 2 || is_same_subject);
    is_of_all || negated.is_absolute && is_same_subject && shared * 2 >= fewer
}
