//! Two names for one thing: "courier" all over the document, and "driver" once; "routing slip" in the glossary, and
//! "transit slip" in a use case.
//!
//! The rule's file has groups of names that mostly mean the same (`words`). Invariant: a name is a finding only where
//! it is rare beside another one, in a specification, and where the document does not tell the two apart.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Hit, OnPage, hit};
use crate::review::page::{Page, Style, Unit, UnitKind};
use crate::review::pattern::{Set, Several};
use crate::review::token::{CAPITAL, Kind, QUOTED, STRONG, Token, root};

/// A name is rare with at most so many uses,
const MAX_RARE: usize = 2;
/// beside another one with so many.
const MIN_USUAL: usize = 6;
/// The name of a glossary has so many.
const MIN_TERM: usize = 1;
/// The list of words that tell no things apart ("the", "new").
const STOP: &str = "stop";

/// How often a name is used, and where first.
#[derive(Default)]
struct Uses {
    count: usize,
    first: Option<Range<usize>>,
    is_defined: bool,
}

impl Uses {
    fn add(&mut self, range: Range<usize>) {
        self.count += 1;
        self.first.get_or_insert(range);
    }
}

pub fn two_names(on: &OnPage<'_, '_>) -> Vec<Hit> {
    if on.page.register.style == Style::Prose {
        return Vec::new();
    }
    let mut found: Vec<Hit> = of_groups(on);
    found.extend(of_terms(on));
    found
}

/// Names of one group of the rule's file.
fn of_groups(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let page = on.page;
    let mut groups: BTreeMap<&str, BTreeMap<u16, Uses>> = BTreeMap::new();
    let mut together: BTreeSet<&str> = BTreeSet::new();
    let (names, sets): (Vec<&str>, Vec<&Set>) = on
        .rule
        .words
        .iter()
        .filter(|(name, _)| *name != STOP)
        .map(|(name, set)| (name.as_str(), set))
        .unzip();
    let sets = Several::new(sets);
    for unit in page.units.iter().filter(|unit| !unit.is_quotation) {
        let tokens = page.tokens_of(unit);
        let mut seen = BTreeMap::new();
        for (set, at, _, phrase) in sets.all(tokens) {
            let uses = groups.entry(names[set]).or_default().entry(phrase).or_default();
            uses.add(tokens[at].range());
            uses.is_defined |= is_definition(on, unit);
            // Who writes both in one paragraph means two things.
            if *seen.entry(set).or_insert(phrase) != phrase {
                together.insert(names[set]);
            }
        }
    }
    groups.retain(|name, _| !together.contains(name));
    groups.values().flat_map(|group| rare(page, group.values())).collect()
}

fn rare<'u>(page: &Page<'_>, names: impl Iterator<Item = &'u Uses> + Clone) -> Vec<Hit> {
    let usual = names.clone().max_by_key(|uses| uses.count).filter(|uses| uses.count >= MIN_USUAL);
    let Some(usual) = usual.and_then(|uses| uses.first.clone()) else { return Vec::new() };
    let rare =
        names.filter(|uses| uses.count <= MAX_RARE && !uses.is_defined).filter_map(|uses| uses.first.clone());
    rare.map(|range| named_twice(page, range, usual.clone())).collect()
}

fn named_twice(page: &Page<'_>, range: Range<usize>, usual: Range<usize>) -> Hit {
    let other = page.text[usual.clone()].to_owned();
    let hit = hit(range).with("other", other).with("line", page.line(usual.start).to_string());
    Hit { related: vec![(0, usual)], ..hit }
}

/// The unit says what something is: in a glossary, or with bold words first.
fn is_definition(on: &OnPage<'_, '_>, unit: &Unit) -> bool {
    let tokens = on.page.tokens_of(unit);
    unit.kinds & on.rules.scope.bit("glossary") != 0
        && (unit.cell.is_none_or(|cell| cell.column == 0)
            || tokens.first().is_some_and(|one| one.has(STRONG)))
}

/// "transit slip", where the glossary has "routing slip".
fn of_terms(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let page = on.page;
    let terms: BTreeSet<(String, String)> = page
        .units
        .iter()
        .filter(|unit| is_definition(on, unit))
        .filter_map(|unit| term(page, unit))
        .collect();
    let heads: BTreeSet<&String> = terms.iter().map(|(_, head)| head).collect();
    if heads.is_empty() {
        return Vec::new();
    }
    let mut uses: BTreeMap<(String, String), Uses> = BTreeMap::new();
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for token in page.tokens.iter().filter(|token| token.kind == Kind::Word) {
        *words.entry(root(page.word(token))).or_default() += 1;
    }
    for unit in page.units.iter().filter(|unit| !unit.is_quotation && unit.kind != UnitKind::Heading) {
        for pair in page.tokens_of(unit).windows(2).filter(|pair| is_plain(on, pair)) {
            let (modifier, head) = (root(page.word(&pair[0])), root(page.word(&pair[1])));
            if heads.contains(&head) {
                let range = pair[0].start as usize..pair[1].end as usize;
                uses.entry((modifier, head)).or_default().add(range);
            }
        }
    }
    let mut found = Vec::new();
    for (term, usual) in terms.iter().filter_map(|term| Some((term, uses.get(term)?))) {
        let Some(first) = usual.first.clone().filter(|_| usual.count >= MIN_TERM) else { continue };
        let others = uses.iter().filter(|(pair, one)| {
            // A word with a life of its own in the document makes another thing: "data type" and "event type".
            pair.1 == term.1 && one.count <= MAX_RARE && words.get(&pair.0) == Some(&one.count)
        });
        let others: Vec<Range<usize>> = others.filter_map(|(_, one)| one.first.clone()).collect();
        // Many kinds of one thing are kinds.
        if let [only] = others.as_slice() {
            found.push(named_twice(page, only.clone(), first));
        }
    }
    found
}

/// The two words that a unit of the glossary explains.
fn term(page: &Page<'_>, unit: &Unit) -> Option<(String, String)> {
    let tokens = page.tokens_of(unit);
    let named = tokens.iter().take_while(|token| token.has(STRONG) || unit.cell.is_some());
    let words: Vec<&Token> = named.filter(|token| token.kind == Kind::Word).collect();
    match words.as_slice() {
        [modifier, head] => Some((root(page.word(modifier)), root(page.word(head)))),
        _ => None,
    }
}

/// Two words in small letters of which the first is no article, number or adjective.
fn is_plain(on: &OnPage<'_, '_>, pair: &[Token]) -> bool {
    let is_word = |token: &Token| token.kind == Kind::Word && !token.has(QUOTED | CAPITAL);
    pair.iter().all(is_word)
        && on.page.word(&pair[0]).len() > 3
        && on.rule.set(STOP).at(&pair[..1], 0).is_none()
        && !["ed", "er", "est", "ly", "al", "ous", "ful", "ive", "ble"]
            .iter()
            .any(|ending| on.page.word(&pair[0]).ends_with(ending))
}
