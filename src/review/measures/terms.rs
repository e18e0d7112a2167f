//! Acronyms that a document uses once or twice and nowhere explains.
//!
//! An acronym is explained where it is in brackets beside its words, in a glossary, or at the start of a row, item or
//! definition. Those of the rule's list (`PDF`, `HTTP`) are known to everybody; one used often is a name the readers know.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Across, Hit, hit};
use crate::review::demand::is_demand;
use crate::review::page::{Page, Style, Unit, UnitKind};
use crate::review::token::{CAPITAL, Kind, LINK, QUOTED, Token};

/// An acronym that is used more often is a name.
const MAX_USES: usize = 2;

/// So many are explained nowhere in a document that explains its words.
const MAX_UNKNOWN: usize = 2;

/// What the pages say about an acronym.
#[derive(Default)]
struct Uses {
    count: usize,
    is_explained: bool,
    first: Option<(u32, Range<usize>)>,
}

pub fn undefined(across: &Across<'_, '_>) -> Vec<Hit> {
    let mut all: BTreeMap<&str, Uses> = BTreeMap::new();
    let glossary = across.rules.scope.bit("glossary");
    for (number, page) in (0..).zip(across.pages) {
        for unit in &page.units {
            read(across, page, number, unit, glossary, &mut all);
        }
    }
    // A proposal among colleagues explains none; a specification or a document with a glossary does.
    let explains = |page: u32| {
        let page = &across.pages[page as usize];
        page.register.style == Style::Specification || has_glossary(page, glossary)
    };
    all.retain(|_, uses| {
        !uses.is_explained
            && uses.count <= MAX_USES
            && uses.first.as_ref().is_some_and(|(page, _)| explains(*page))
    });
    let words = written_small(across.pages, all.keys().copied());
    let unknown = all.into_iter().filter(|(name, _)| !words.contains(&name.to_lowercase()));
    let unknown: Vec<(u32, Range<usize>)> = unknown.filter_map(|(_, uses)| uses.first).collect();
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    unknown.iter().for_each(|(page, _)| *counts.entry(*page).or_default() += 1);
    // Where many are explained nowhere, and none in a glossary, the readers know them.
    let is_told =
        |page: u32| counts[&page] <= MAX_UNKNOWN || has_glossary(&across.pages[page as usize], glossary);
    let unknown = unknown.into_iter().filter(|(page, _)| is_told(*page));
    unknown.map(|(page, range)| Hit { page, ..hit(range) }).collect()
}

/// The names that are also written in small letters somewhere: they are words.
fn written_small<'n>(pages: &[Page<'_>], names: impl Iterator<Item = &'n str>) -> BTreeSet<String> {
    let wanted: BTreeSet<String> = names.map(str::to_lowercase).collect();
    let mut found = BTreeSet::new();
    if wanted.is_empty() {
        return found;
    }
    let tokens = pages.iter().flat_map(|page| page.tokens.iter().map(move |token| (page, token)));
    for (page, token) in tokens.filter(|(_, token)| token.kind == Kind::Word && !token.has(CAPITAL)) {
        let word = page.word(token);
        if (3..=6).contains(&word.len()) && wanted.contains(word) {
            found.insert(word.to_owned());
        }
    }
    found
}

fn has_glossary(page: &Page<'_>, glossary: u64) -> bool {
    page.sections.iter().any(|section| section.kinds & glossary != 0)
}

fn read<'t>(
    across: &Across<'_, '_>,
    page: &Page<'t>,
    number: u32,
    unit: &Unit,
    glossary: u64,
    all: &mut BTreeMap<&'t str, Uses>,
) {
    let tokens = page.tokens_of(unit);
    for (at, token) in tokens.iter().enumerate() {
        if !is_acronym(page, token) || across.rule.set("known").at(tokens, at).is_some() {
            continue;
        }
        let uses = all.entry(page.word(token)).or_default();
        uses.count += 1;
        uses.is_explained |= has_words(page, tokens, at)
            || unit.kind == UnitKind::Heading
            || unit.kinds & glossary != 0
            || unit.cell.is_some_and(|cell| cell.row == 0 || cell.column == 0)
            || is_explained(across, page, tokens, at)
            || is_shouted(page, tokens, at)
            || is_series(page, tokens, at);
        let demands = || {
            let mut sentences = page.sentences_of(unit);
            let of_token = sentences.find(|sentence| sentence.iter().any(|one| one.start == token.start));
            of_token.is_some_and(|sentence| is_demand(page, unit, sentence, across.rules))
        };
        let is_use = !token.has(QUOTED | LINK) && across.rule.is_for(unit.kinds);
        if is_use && uses.first.is_none() && demands() {
            uses.first = Some((number, token.range()));
        }
    }
}

fn is_acronym(page: &Page<'_>, token: &Token) -> bool {
    let word = page.word(token);
    token.kind == Kind::Word
        && token.has(CAPITAL)
        && (3..=6).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Identifiers are looked for among so many tokens before and after.
const NEAR_TOKENS: usize = 40;

/// It is the prefix of identifiers here, or a part of the file's name.
fn is_series(page: &Page<'_>, tokens: &[Token], at: usize) -> bool {
    let name = page.word(&tokens[at]);
    let is_prefix = |token: &Token| token.kind == Kind::Id && page.word(token).starts_with(name);
    let near = &tokens[at.saturating_sub(NEAR_TOKENS)..(at + NEAR_TOKENS).min(tokens.len())];
    near.iter().any(is_prefix)
        || page.path.to_uppercase().contains(name)
        || page.sections.len() > 1
            && page
                .tokens_of(&page.units[page.sections[1].heading.unwrap_or(0) as usize])
                .iter()
                .any(is_prefix)
}

/// `format SCA`, `SCA 2.4`, `(SCA`, `SCA)`, `SCA (`, `SCA:`, `SCA =`, `SCA means`, or the first word of an item.
fn is_explained(across: &Across<'_, '_>, page: &Page<'_>, tokens: &[Token], at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| page.word(token));
    let (before, after) = (word(at.checked_sub(1)), word(Some(at + 1)));
    let is_named = || across.rule.set("kind").at(tokens, at.wrapping_sub(1)).is_some();
    let is_version = || tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Number);
    at == 0
        || is_named()
        || is_version()
        || matches!(before, "(" | "{" | "/" | "=" | ":" | "\"" | "-" | "as" | "called")
        || matches!(after, "(" | ":" | "=" | "/" | "\u{2013}" | "\u{2014}" | "-" | "means" | "stands")
}

/// Its words are beside it, one of the two in brackets: "quality of service (QOS)", "QOS (quality of service)".
fn has_words(page: &Page<'_>, tokens: &[Token], at: usize) -> bool {
    let letters = page.word(&tokens[at]).to_lowercase();
    let is_bracket =
        |at: Option<usize>| at.and_then(|at| tokens.get(at)).is_some_and(|t| page.word(t) == "(");
    let initials = |range: &[Token]| -> String {
        let words = range.iter().filter(|token| token.kind == Kind::Word);
        words.filter_map(|token| page.word(token).chars().next()).flat_map(char::to_lowercase).collect()
    };
    let before = &tokens[at.saturating_sub(letters.len() + 4)..at];
    let after = &tokens[at + 1..(at + letters.len() + 4).min(tokens.len())];
    (is_bracket(at.checked_sub(1)) && initials(before).contains(&letters))
        || (is_bracket(Some(at + 1)) && initials(after).contains(&letters))
}

/// A neighbour, maybe after a comma, is in capitals too: a shouted sentence, or names of several words.
fn is_shouted(page: &Page<'_>, tokens: &[Token], at: usize) -> bool {
    let near = tokens[at.saturating_sub(2)..(at + 3).min(tokens.len())].iter();
    let others = near.filter(|token| token.start != tokens[at].start && token.kind == Kind::Word);
    let is_shouted = |word: &str| word.chars().nth(1).is_some() && word.chars().all(char::is_uppercase);
    others.map(|token| page.word(token)).any(is_shouted)
}
