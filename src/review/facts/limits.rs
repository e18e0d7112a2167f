//! Two places that set one thing to two values: limits, sentences that differ in one word, and a decision against the
//! lines of its id.
//!
//! Nothing is understood here. Two sentences speak of one thing where they are equal except for one word, or where they
//! limit the same unit and every significant word of one is in the other.
//!
//! ```text
//! Accounts are locked after 5 failed attempts.
//! The system must lock the account after 3 failed login attempts.      5 or 3?
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use foldhash::fast::FixedState;
use regex::Regex;

use super::super::Hit;
use super::super::page::{Block, CODE, Kind, Page};
use super::super::settled::is_decision;
use super::Pages;
use super::ids::{key, leading_id, mentioned_ids};
use super::naming::folder_of;
use crate::text::sentences::split_sentences;
use crate::text::words::{is_small, stem, subjects};

/// Longer blocks are tales.
const MAX_BLOCK_BYTES: usize = 2000;
/// Words of a sentence that is compared.
const WORDS: std::ops::RangeInclusive<usize> = 5..=40;
/// Limits of one unit that a limit is compared with.
const MAX_COMPARED: usize = 60;
/// Significant words that two limits have to share.
const MIN_SHARED: usize = 3;

/// A place in a page's plain text.
#[derive(Clone)]
struct Spot {
    page: usize,
    plain: Range<usize>,
}

/// A sentence with its place.
struct Sentence<'p> {
    text: &'p str,
    page: usize,
    /// Where it begins in the plain text.
    start: usize,
}

impl Sentence<'_> {
    fn spot(&self, range: Range<usize>) -> Spot {
        Spot { page: self.page, plain: self.start + range.start..self.start + range.end }
    }
}

/// Paragraphs, items that hang below no other, and cells of rows with an id: elsewhere what is around says the subject.
fn is_read(page: &Page<'_>, block: &Block) -> bool {
    let is_text = match block.kind {
        Kind::Item(boxed) => boxed.is_none() && block.depth <= 1,
        Kind::Paragraph => block.depth == 0,
        Kind::Cell(cell) => {
            let first = page.row(cell.table, cell.row).first();
            cell.row > 0 && first.is_some_and(|first| leading_id(page.text_of(first)).is_some())
        }
        Kind::Heading | Kind::Value => false,
    };
    is_text && !block.is_quoted && block.plain.len() <= MAX_BLOCK_BYTES && !page.text_of(block).contains(CODE)
}

/// The sentences of a page's paragraphs, items and cells, without ids in front of them.
fn sentences<'p>(page: &'p Page<'_>, number: usize) -> Vec<Sentence<'p>> {
    let mut found = Vec::new();
    // What a scenario says holds for it alone.
    let in_scenario =
        page.for_sections(false, |heading, outer| outer || heading.trim_start().starts_with("Scenario"));
    let is_wanted = |block: &&Block| is_read(page, block) && !in_scenario[block.section];
    for block in page.blocks.iter().filter(is_wanted) {
        let text = page.text_of(block);
        let from = leading_id(text).map_or(0, |id| id.end);
        for range in split_sentences(&text[from..], &[]) {
            let start = block.plain.start + from + range.start;
            found.push(Sentence { text: &text[from..][range], page: number, start });
        }
    }
    found
}

/// Limits and sentences of a folder that contradict each other.
pub fn conflicting_limits(all: &Pages<'_, '_>) -> Vec<Hit> {
    let mut folders: BTreeMap<&str, Vec<Sentence<'_>>> = BTreeMap::new();
    for (number, page) in all.pages.iter().enumerate() {
        folders.entry(folder_of(page.path)).or_default().extend(sentences(page, number));
    }
    let mut found = Vec::new();
    for sentences in folders.values() {
        let mut pairs = differing_sentences(sentences);
        pairs.extend(differing_limits(sentences));
        let mut seen = BTreeSet::new();
        for (first, second) in pairs {
            if seen.insert((second.page, second.plain.start)) {
                found.push(contradiction(all, &first, &second));
            }
        }
    }
    found
}

/// The second place as a hit that names the first.
fn contradiction(all: &Pages<'_, '_>, first: &Spot, second: &Spot) -> Hit {
    let source = |spot: &Spot| all.pages[spot.page].source(spot.plain.clone());
    let other = &all.pages[first.page];
    let (line, quote) = (other.place(source(first).start).0, &other.plain[first.plain.clone()]);
    let hit = Hit::at(source(second))
        .with("other", quote.to_owned())
        .with("line", line.to_string())
        .with("path", other.path.to_owned());
    Hit { page: second.page, related: vec![(first.page, source(first))], ..hit }
}

/// What a sentence says at its place, where all that is left of it is the key.
struct Variant {
    key: u64,
    value: String,
    spot: Spot,
}

/// Sentences that are equal except for one word which both can't have.
fn differing_sentences(sentences: &[Sentence<'_>]) -> Vec<(Spot, Spot)> {
    let mut first: HashMap<u64, Variant> = HashMap::new();
    let mut found = Vec::new();
    for variant in sentences.iter().flat_map(variants) {
        match first.get(&variant.key) {
            None => drop(first.insert(variant.key, variant)),
            Some(known) if known.value != variant.value => found.push((known.spot.clone(), variant.spot)),
            Some(_) => {}
        }
    }
    found
}

/// The words of a sentence with their places, without marks around them.
fn words_of(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let is_mark = |sign: char| !sign.is_alphanumeric() && sign != '%';
        let core = word.trim_matches(is_mark);
        if !core.is_empty() {
            let from = start + (core.as_ptr() as usize - word.as_ptr() as usize);
            found.push((core.to_lowercase(), from..from + core.len()));
        }
    }
    found
}

/// What introduces the condition of "only".
const CONDITIONS: [&str; 12] =
    ["after", "at", "before", "by", "during", "for", "from", "if", "on", "when", "while", "with"];

fn variants(sentence: &Sentence<'_>) -> Vec<Variant> {
    let words = words_of(sentence.text);
    let has = |wanted: &[&str]| words.iter().any(|(word, _)| wanted.contains(&word.as_str()));
    if !WORDS.contains(&words.len()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if has(&["must", "shall", "only", "never", "most", "least", "maximum", "minimum"]) {
        found.extend(
            (0..words.len()).filter(|at| is_amount(&words, *at)).map(|at| masked(sentence, &words, at)),
        );
    }
    let only = words.iter().position(|(word, _)| word == "only");
    let condition =
        only.filter(|at| words.get(at + 1).is_some_and(|(word, _)| CONDITIONS.contains(&word.as_str())));
    if let Some(only) = condition {
        found.extend((only + 2..words.len()).map(|at| masked(sentence, &words, at)));
    }
    found.extend(polarity(sentence, &words));
    found
}

/// A number before a unit in small letters, or with one: "30 days", "30s", "95%".
fn is_amount(words: &[(String, Range<usize>)], at: usize) -> bool {
    let word = &words[at].0;
    let digits = word.bytes().take_while(|byte| byte.is_ascii_digit() || b".,".contains(byte)).count();
    let has_unit = words.get(at + 1).is_some_and(|(next, _)| next.chars().all(char::is_alphabetic));
    let rest = &word[digits..];
    digits > 0 && (rest == "%" || rest.chars().all(char::is_alphabetic) && (has_unit || !rest.is_empty()))
}

fn masked(sentence: &Sentence<'_>, words: &[(String, Range<usize>)], at: usize) -> Variant {
    let others =
        words.iter().enumerate().map(|(other, (word, _))| if other == at { "" } else { word.as_str() });
    let key = hash(others, at);
    Variant { key, value: words[at].0.clone(), spot: sentence.spot(words[at].1.clone()) }
}

fn hash<'w>(words: impl Iterator<Item = &'w str>, at: usize) -> u64 {
    use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
    let mut hasher = FixedState::with_seed(0).build_hasher();
    at.hash(&mut hasher);
    words.for_each(|word| word.hash(&mut hasher));
    hasher.finish()
}

/// "must" against "must not", "always" against "never": the sentence without that word, and the word.
fn polarity(sentence: &Sentence<'_>, words: &[(String, Range<usize>)]) -> Option<Variant> {
    const POLES: [&str; 4] = ["must", "shall", "always", "never"];
    let at = words.iter().position(|(word, _)| POLES.contains(&word.as_str()))?;
    let is_bound = matches!(words[at].0.as_str(), "must" | "shall");
    let is_denied = is_bound && words.get(at + 1).is_some_and(|(word, _)| word == "not");
    let skipped = at..at + 1 + usize::from(is_denied);
    let others = words.iter().enumerate().filter(|(other, _)| !skipped.contains(other));
    let key = hash(others.map(|(_, (word, _))| word.as_str()), WORDS.end() + usize::from(is_bound));
    let value = if is_bound { is_denied.to_string() } else { words[at].0.clone() };
    let range = words[at].1.start..words[skipped.end - 1].1.end;
    Some(Variant { key, value, spot: sentence.spot(range) })
}

/// How a limit limits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Bound {
    Most,
    Least,
    After,
}

struct Limit {
    number: String,
    /// The significant words of its sentence, without the number.
    words: BTreeSet<String>,
    /// All numbers of its sentence with this unit.
    numbers: Vec<String>,
    spot: Spot,
}

static LIMIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?xi)\b(?:
          (?<most>at\ most|no\ more\ than|not\ more\ than|up\ to|maximum(?:\ of)?|max\.?|limited\ to|limit\ of|within)
        | (?<least>at\ least|no\ fewer\ than|no\ less\ than|minimum(?:\ of)?|min\.?)
        | (?<after>after|every)
        )\s+(?<number>\d[\d.,]*)\s*(?<unit>%|[a-z]+(?:\ [a-z]+){0,2})",
    )
    .ok()
});

static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)(\d[\d.,]*)\s*(%|[a-z]+)").ok());

/// Limits of the same unit whose sentences have the same significant words.
fn differing_limits(sentences: &[Sentence<'_>]) -> Vec<(Spot, Spot)> {
    let mut known: HashMap<(Bound, String), Vec<Limit>> = HashMap::new();
    let mut found = Vec::new();
    for (bound, unit, limit) in sentences.iter().flat_map(limits) {
        let others = known.entry((bound, unit)).or_default();
        let other = others.iter().find(|other| contradict(other, &limit));
        if let Some(other) = other {
            found.push((other.spot.clone(), limit.spot.clone()));
        }
        if others.len() < MAX_COMPARED {
            others.push(limit);
        }
    }
    found
}

/// Every significant word of one is in the other, and neither names the other's number.
fn contradict(a: &Limit, b: &Limit) -> bool {
    let (few, many) = if a.words.len() <= b.words.len() { (a, b) } else { (b, a) };
    !a.numbers.contains(&b.number)
        && !b.numbers.contains(&a.number)
        && few.words.len() >= MIN_SHARED
        && few.words.iter().all(|word| many.words.iter().any(|other| are_forms(word, other)))
}

/// Letters that two forms of a word share: "lock" and "locked".
const MIN_FORM: usize = 4;

fn are_forms(a: &str, b: &str) -> bool {
    a == b || a.len().min(b.len()) >= MIN_FORM && (a.starts_with(b) || b.starts_with(a))
}

fn limits(sentence: &Sentence<'_>) -> Vec<(Bound, String, Limit)> {
    let Some(pattern) = LIMIT.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for captures in pattern.captures_iter(sentence.text) {
        let (Some(whole), Some(number), Some(unit)) =
            (captures.get(0), captures.name("number"), captures.name("unit"))
        else {
            continue;
        };
        let bound = match (captures.name("most"), captures.name("least")) {
            (Some(_), _) => Bound::Most,
            (_, Some(_)) => Bound::Least,
            _ => Bound::After,
        };
        let unit = unit_of(unit.as_str());
        found.push((
            bound,
            unit,
            Limit {
                number: plain_number(number.as_str()),
                words: significant(sentence.text),
                numbers: numbers(sentence.text),
                spot: sentence.spot(whole.range()),
            },
        ));
    }
    found
}

/// What is counted: the last word before a small one, "attempts" of "failed attempts within".
fn unit_of(words: &str) -> String {
    let words = words.split(' ').take_while(|word| !is_small(&word.to_lowercase()) && *word != "within");
    stem(&words.last().unwrap_or_default().to_lowercase()).into_owned()
}

/// "1,000" and "1000." are 1000.
fn plain_number(number: &str) -> String {
    number.trim_end_matches(['.', ',']).replace(',', "")
}

fn numbers(text: &str) -> Vec<String> {
    let Some(pattern) = AMOUNT.as_ref() else { return Vec::new() };
    pattern
        .captures_iter(text)
        .filter_map(|found| found.get(1))
        .map(|found| plain_number(found.as_str()))
        .collect()
}

fn significant(text: &str) -> BTreeSet<String> {
    subjects(text).into_iter().filter(|word| !word.starts_with(|sign: char| sign.is_ascii_digit())).collect()
}

/// Numbers with their unit that a text has, by unit.
fn amounts(text: &str) -> BTreeMap<String, Vec<(String, Range<usize>)>> {
    let mut found: BTreeMap<String, Vec<(String, Range<usize>)>> = BTreeMap::new();
    let Some(pattern) = AMOUNT.as_ref() else { return found };
    for captures in pattern.captures_iter(text) {
        if let (Some(whole), Some(number), Some(unit)) = (captures.get(0), captures.get(1), captures.get(2)) {
            let unit = stem(&unit.as_str().to_lowercase()).into_owned();
            found.entry(unit).or_default().push((plain_number(number.as_str()), whole.range()));
        }
    }
    found
}

/// Lines that give the subject of a decision, by its id, another value of the same unit; those above it in its own
/// document are what it decided about.
pub fn contradicted_decisions(all: &Pages<'_, '_>) -> Vec<Hit> {
    let mut decided: HashMap<(&str, String), Vec<Spot>> = HashMap::new();
    for (number, page) in all.pages.iter().enumerate() {
        for block in page.blocks.iter().filter(|block| !block.is_quoted && is_decision(page, block)) {
            let ids: BTreeSet<String> = mentioned_ids(page.text_of(block)).map(key).collect();
            if let [id] = ids.into_iter().collect::<Vec<_>>().as_slice() {
                let spot = Spot { page: number, plain: block.plain.clone() };
                decided.entry((folder_of(page.path), id.clone())).or_default().push(spot);
            }
        }
    }
    let mut found = Vec::new();
    for (number, page) in all.pages.iter().enumerate() {
        for block in page.blocks.iter().filter(|block| !block.is_quoted && !is_decision(page, block)) {
            let text = page.text_of(block);
            let Some(id) = leading_id(text).map(|id| key(&text[id])) else { continue };
            let decisions = decided.get(&(folder_of(page.path), id)).map(Vec::as_slice).unwrap_or_default();
            let later = |spot: &&Spot| spot.page != number || spot.plain.start < block.plain.start;
            // Of two decisions the last one counts, whichever that is.
            let [decision] = decisions else { continue };
            let hit =
                Some(decision).filter(later).and_then(|decision| other_value(all, number, block, decision));
            found.extend(hit);
        }
    }
    found
}

fn other_value(all: &Pages<'_, '_>, number: usize, block: &Block, decision: &Spot) -> Option<Hit> {
    let page = &all.pages[number];
    let decided = amounts(&all.pages[decision.page].plain[decision.plain.clone()]);
    for (unit, here) in amounts(page.text_of(block)) {
        let ([(value, place)], Some([(wanted, _)])) =
            (here.as_slice(), decided.get(&unit).map(Vec::as_slice))
        else {
            continue;
        };
        if value != wanted {
            let plain = block.plain.start + place.start..block.plain.start + place.end;
            return Some(contradiction(all, decision, &Spot { page: number, plain }));
        }
    }
    None
}
