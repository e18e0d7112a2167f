//! What the lenses of a persona find in the evidence: points, each with the place it stands at. A lens
//! that has nothing to point at says nothing. What there is to look for is data ([`crate::lens`]).

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use foldhash::fast::RandomState;

use super::counting::{identifier, numbers_with_units};
use super::evidence::{Evidence, Gap, Line, LineKind, Mentions, snippet};
use super::paragraphs::sentences;
use super::point::{Point, sentence_with};
use super::wording::place;
use crate::discussion::figures::are_apart;
use crate::discussion::root::root;
use crate::discussion::words::{numbers, subjects, words};
use crate::lens::{Lens, Measure, Texts, Where, filled};
use crate::plain;
use crate::step::Step;

/// The points of a persona's lenses, in the order of the evidence.
pub fn points<'a>(
    lenses: &'a [Lens],
    evidence: &'a Evidence,
    vocabulary: &'a Vocabulary<'a>,
    step: &Step,
) -> Vec<Point> {
    let mut found = Looking::new(lenses, evidence, vocabulary).points();
    // What is left out has no gaps.
    found.retain(|point| {
        let line = point.line().and_then(|line| evidence.lines.get(line));
        line.is_none_or(|line| !line.is_left_out())
    });
    let near = subjects(&step.title);
    let is_software = evidence.is_of_software();
    for point in &mut found {
        // A bakery's day plan has no endpoint that could time out.
        let lens = point.lens.and_then(|lens| lenses.get(lens));
        if !is_software && lens.is_some_and(is_of_software) {
            point.weight /= 3;
        }
        point.weight += point.touches(&near, evidence) * 5;
        if step.outputs.iter().any(|output| point.names(output)) {
            point.weight += 10;
        }
    }
    found
}

/// Words with which a lens speaks of programs.
const OF_SOFTWARE: [&str; 65] = [
    "->",
    "(input)",
    "account",
    "api",
    "backoff",
    "batch",
    "buffer",
    "cache",
    "call",
    "caller",
    "cardinality",
    "client",
    "code point",
    "contract",
    "database",
    "digit",
    "deploy",
    "encoding",
    "endpoint",
    "enum",
    "error",
    "failover",
    "feature flag",
    "field",
    "http",
    "idempot",
    "identifier",
    "identity",
    "illegal",
    "index",
    "json",
    "key(",
    "lock",
    "log",
    "message",
    "memory",
    "method",
    "module",
    "null",
    "offset",
    "operation",
    "parameter",
    "parser",
    "payload",
    "process",
    "queue",
    "record",
    "request",
    "response",
    "result(",
    "retry",
    "returns",
    "rfc",
    "schema",
    "server",
    "service",
    "software",
    "system",
    "the structure",
    "token",
    "transition",
    "trust boundary",
    "type",
    "writer",
    "writes",
];

/// Whether a lens speaks of programs, in what it says or asks for.
pub(super) fn is_of_software(lens: &Lens) -> bool {
    speaks_of_software(&format!("{} {}", lens.says, lens.asks))
}

/// Whether a text has a word of those who write programs.
pub(super) fn speaks_of_software(text: &str) -> bool {
    let text = format!(" {text} ").to_lowercase();
    OF_SOFTWARE.iter().any(|word| {
        text.match_indices(word).any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric()))
    })
}

/// Lines with a number of one unit that are held against each other.
const OF_A_UNIT: usize = 40;
/// As many findings of one lens are kept: a discussion has room for a few, the first come first.
const OF_A_KIND: usize = 40;
/// Shorter words have no forms.
const FORM: usize = 5;
/// What settles a finding may stand as many lines below it.
const NEAR: usize = 3;
/// A section that has fewer lines is not there yet.
const SECTION: usize = 3;
/// A sentence of more words is long.
const LONG: usize = 35;

/// Which of a lens's lists a phrase stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Any,
    With,
    Unless,
}

/// What a lens finds of one of its lists, in the order of the lines: the line, and the phrase it says.
type Hits<'a> = Vec<(usize, &'a str)>;

/// The words of the evidence as numbers: a phrase is held against a line without comparing texts, and
/// most phrases have a word that stands nowhere.
pub struct Vocabulary<'a> {
    numbers: HashMap<&'a str, u32, RandomState>,
    /// The words of each root.
    forms: HashMap<String, Vec<u32>, RandomState>,
    /// The words of each line.
    lines: Vec<Vec<u32>>,
    /// What each line counts, and the lines that clash: looked for once, by the first lens that asks.
    counted: Vec<OnceLock<Vec<String>>>,
    clashes: OnceLock<Vec<(usize, usize)>>,
}

impl<'a> Vocabulary<'a> {
    pub fn of(evidence: &'a Evidence) -> Vocabulary<'a> {
        let mut numbers: HashMap<&'a str, u32, RandomState> = HashMap::default();
        let mut forms: HashMap<String, Vec<u32>, RandomState> = HashMap::default();
        let mut number = |word: &'a String| {
            let next = numbers.len() as u32;
            *numbers.entry(word.as_str()).or_insert_with(|| {
                if word.len() >= FORM {
                    forms.entry(root(word)).or_default().push(next);
                }
                next
            })
        };
        let lines = evidence.lines.iter().map(|line| line.words.iter().map(&mut number).collect()).collect();
        let counted = evidence.lines.iter().map(|_| OnceLock::new()).collect();
        Vocabulary { numbers, forms, lines, counted, clashes: OnceLock::new() }
    }

    /// The other forms of a word: what is told of "encryption" is told where something is "encrypted".
    fn forms(&self, word: &str) -> impl Iterator<Item = u32> {
        let other =
            (word.len() >= FORM && !word.contains(' ')).then(|| self.forms.get(&root(word))).flatten();
        let own = self.numbers.get(word).copied();
        other.into_iter().flatten().copied().filter(move |form| Some(*form) != own)
    }

    /// The words of a phrase; none where one of them stands nowhere.
    fn phrase(&self, phrase: &str) -> Option<(u32, Vec<u32>)> {
        // Of most phrases the first word stands nowhere, and no other is looked up.
        let Some((first, others)) = phrase.split_once(' ') else {
            return Some((*self.numbers.get(phrase)?, Vec::new()));
        };
        let first = *self.numbers.get(first)?;
        let others = others.split(' ').map(|word| self.numbers.get(word).copied());
        Some((first, others.collect::<Option<Vec<u32>>>()?))
    }
}

/// A phrase of a lens by the numbers of its words behind the first.
struct Phrase<'a> {
    text: &'a str,
    rest: Vec<u32>,
    lens: usize,
    list: List,
}

/// The lenses of one persona over the evidence.
struct Looking<'a> {
    lenses: &'a [Lens],
    evidence: &'a Evidence,
    /// What each lens finds of its three lists.
    hits: Vec<[Hits<'a>; 3]>,
    vocabulary: &'a Vocabulary<'a>,
    found: Vec<Point>,
    counts: Vec<usize>,
}

impl<'a> Looking<'a> {
    fn new(lenses: &'a [Lens], evidence: &'a Evidence, vocabulary: &'a Vocabulary<'a>) -> Looking<'a> {
        // By the first word; those of one word in the order of the lenses and their lists.
        let mut phrases: Vec<Vec<Phrase<'a>>> = Vec::new();
        phrases.resize_with(vocabulary.numbers.len(), Vec::new);
        for (lens, one) in lenses.iter().enumerate() {
            for (list, all) in [(List::Any, &one.any), (List::With, &one.with), (List::Unless, &one.unless)] {
                for text in all.iter() {
                    // What is said to stand nowhere is looked for in every form.
                    if list == List::Unless && one.place != Where::Line {
                        for form in vocabulary.forms(text) {
                            phrases[form as usize].push(Phrase { text, rest: Vec::new(), lens, list });
                        }
                    }
                    let Some((first, rest)) = vocabulary.phrase(text) else { continue };
                    phrases[first as usize].push(Phrase { text, rest, lens, list });
                }
            }
        }
        let mut hits = Vec::new();
        hits.resize_with(lenses.len(), <[Hits<'a>; 3]>::default);
        for (number, words) in vocabulary.lines.iter().enumerate() {
            for (at, word) in words.iter().enumerate() {
                let said = &words[at + 1..];
                let denied = || is_denied(&evidence.lines[number].words[..at]);
                let says = |phrase: &&Phrase<'_>| {
                    said.starts_with(&phrase.rest) && !(phrase.list == List::Any && denied())
                };
                for phrase in phrases[*word as usize].iter().filter(says) {
                    hits[phrase.lens][phrase.list as usize].push((number, phrase.text));
                }
            }
        }
        Looking { lenses, evidence, hits, vocabulary, found: Vec::new(), counts: vec![0; lenses.len()] }
    }

    fn points(mut self) -> Vec<Point> {
        for (number, lens) in self.lenses.iter().enumerate() {
            let before = self.found.len();
            match (lens.measure, lens.place) {
                (Some(gap @ (Measure::EmptyCell | Measure::EmptyFigure | Measure::OpenCell)), _) => {
                    self.gaps(lens, gap);
                }
                (Some(Measure::Reach), _) => self.found.extend(reach(&self.evidence.mentions, lens)),
                (Some(Measure::Clash), _) => self.clashes(lens),
                (_, Where::Line) => self.lines(number, lens),
                (_, Where::Section) => self.sections(number, lens),
                (_, Where::Item) => self.item(number, lens),
            }
            self.found[before..].iter_mut().for_each(|point| point.lens = Some(number));
        }
        self.found
    }

    /// The first phrase of a lens's list that a line says.
    fn says(&self, at: usize, lens: usize, list: List) -> Option<&'a str> {
        let hits = &self.hits[lens][list as usize];
        let (line, phrase) = hits.get(hits.partition_point(|(line, _)| *line < at))?;
        (*line == at).then_some(*phrase)
    }

    /// What a line counts: each number with its unit.
    fn counted(&self, at: usize) -> &'a [String] {
        let (vocabulary, evidence) = (self.vocabulary, self.evidence);
        vocabulary.counted[at].get_or_init(|| numbers_with_units(&evidence.lines[at].text))
    }

    /// Whether the line, or one of the next ones, says what settles the matter.
    fn is_settled(&self, at: usize, lens: usize) -> bool {
        let line = &self.evidence.lines[at];
        let near = self.evidence.lines[at..]
            .iter()
            .enumerate()
            .take_while(|(_, other)| other.document == line.document && other.number <= line.number + NEAR);
        near.into_iter().any(|(below, _)| self.says(at + below, lens, List::Unless).is_some())
    }

    fn lines(&mut self, number: usize, lens: &Lens) {
        if lens.measure.is_none() && self.hits[number][List::Any as usize].is_empty() {
            return;
        }
        let says: Arc<str> = lens.says.as_ref().into();
        let evidence = self.evidence;
        for (at, line) in prose(evidence) {
            if self.counts[number] >= OF_A_KIND {
                return;
            }
            let word = match lens.measure {
                None => self.says(at, number, List::Any).map(str::to_owned),
                Some(Measure::Load) => self
                    .counted(at)
                    .iter()
                    .find(|unit| is_load(lens, unit))
                    .filter(|word| lens.any.is_empty() || says_one(&lens.any, &sentence_with(line, word)))
                    .cloned(),
                Some(Measure::Number) => self.counted(at).first().cloned(),
                Some(measure) => measured(measure, line),
            };
            let Some(word) = word.filter(|word| !is_story(line) && !is_asked(line, word)) else { continue };
            let narrowed = !lens.is_narrowed(&word) || self.says(at, number, List::With).is_some();
            if narrowed && !self.is_settled(at, number) && is_of_one(lens, line, &word) {
                self.counts[number] += 1;
                self.found.push(Point::on((at, line), &word, lens, &says));
            }
        }
    }

    /// Sections whose heading says so, and in which nothing settles it.
    fn sections(&mut self, number: usize, lens: &Lens) {
        let lines = &self.evidence.lines;
        if self.hits[number][List::Any as usize].is_empty() {
            return;
        }
        for (at, heading) in lines.iter().enumerate() {
            let Some(word) = self.says(at, number, List::Any).filter(|_| heading.kind == LineKind::Heading)
            else {
                continue;
            };
            let length = self.evidence.below(at);
            let lines_below = lines[at + 1..=at + length].iter();
            let told = lines_below.filter(|line| line.kind != LineKind::Heading).count();
            let is_met = |list| (at..=at + length).any(|line| self.says(line, number, list).is_some());
            let narrowed = !lens.is_narrowed(word) || is_met(List::With);
            if told >= SECTION && narrowed && !is_met(List::Unless) {
                let place = format!("\"{}\" in {}", snippet(&heading.text, 60), heading.document);
                let statement = filled(&lens.says, &place, &snippet(&heading.text, 60), word);
                let asks = filled(&lens.asks, &place, "", word);
                self.found.push(Point::new(lens.weight, &heading.text, statement, &asks));
            }
        }
    }

    /// Something that is mentioned, where what it needs is mentioned nowhere.
    fn item(&mut self, number: usize, lens: &Lens) {
        let evidence = self.evidence;
        if !self.hits[number][List::Unless as usize].is_empty() {
            return;
        }
        let first = prose(evidence).find(|(at, _)| {
            let word = self.says(*at, number, List::Any);
            word.is_some_and(|word| !lens.is_narrowed(word) || self.says(*at, number, List::With).is_some())
        });
        if let Some((at, line)) = first
            && let Some(word) = self.says(at, number, List::Any)
        {
            self.found.push(Point::on((at, line), word, lens, &lens.says.as_ref().into()));
        }
    }

    /// Two lines about the same, each with a number of its own for it.
    fn clashes(&mut self, lens: &Lens) {
        let vocabulary = self.vocabulary;
        for &(one, other) in vocabulary.clashes.get_or_init(|| clashes(self.evidence)) {
            let (one, other) = (&self.evidence.lines[one], &self.evidence.lines[other]);
            let second = format!("{} says \"{}\"", place(other), snippet(&other.text, 90));
            let statement = filled(&lens.says, &place(one), &snippet(&one.text, 90), &second);
            self.found.push(Point::new(lens.weight, &one.text, statement, &lens.asks));
        }
    }

    /// The cells that wait for a value: blank ones of columns of figures, other blank ones, and those that hold
    /// a mark instead.
    fn gaps(&mut self, lens: &Lens, wanted: Measure) {
        let kind = |gap: &&Gap| match gap.is_blank {
            true if self.evidence.is_figure(gap) => Measure::EmptyFigure,
            true => Measure::EmptyCell,
            false => Measure::OpenCell,
        };
        let gaps = self.evidence.gaps.iter().filter(|gap| kind(gap) == wanted).take(OF_A_KIND);
        let point = |gap: &Gap| {
            let Gap { document, number, row, column, .. } = gap;
            let statement = filled(&lens.says, &format!("{document} line {number}"), row, column);
            Point::new(lens.weight, column, statement, &filled(&lens.asks, "", "", column))
        };
        self.found.extend(gaps.map(point));
    }
}

/// Words that deny what follows them, and small words that may stand in between.
const DENIES: [&str; 9] = ["no", "not", "without", "never", "neither", "nor", "kein", "keine", "ohne"];
const BETWEEN: [&str; 9] = ["a", "an", "any", "the", "be", "been", "longer", "more", "need"];

/// Whether the words before a place deny what stands there: "a link that needs no password" has none.
fn is_denied(before: &[String]) -> bool {
    let mut nearest = before.iter().rev().map(String::as_str);
    let denies = |word: Option<&str>| word.is_some_and(|word| DENIES.contains(&word));
    match nearest.next() {
        Some(word) if BETWEEN.contains(&word) => denies(nearest.next()),
        word => denies(word),
    }
}

/// What a line has of a form.
fn measured(measure: Measure, line: &Line) -> Option<String> {
    match measure {
        Measure::Requirement => requirement(line),
        Measure::Name => identifier(&line.text),
        // A sentence has no more words than its line.
        Measure::Long if line.words.len() <= LONG => None,
        Measure::Long => {
            let longest = crate::discussion::extract::sentences(&line.text);
            let longest = longest.iter().map(|sentence| words(sentence).len()).max().unwrap_or(0);
            (line.kind == LineKind::Prose && longest > LONG).then(|| longest.to_string())
        }
        // Not found line by line, or counted once for all lenses.
        Measure::EmptyCell | Measure::EmptyFigure | Measure::OpenCell => None,
        Measure::Reach | Measure::Clash | Measure::Load | Measure::Number => None,
    }
}

/// What the folder is called that holds all others.
const TOP: &str = "the top folder";

/// How far the subject reaches in the repository.
fn reach(mentions: &Mentions, lens: &Lens) -> Vec<Point> {
    let mut found = Vec::new();
    // What stands in one file reaches nowhere.
    for (word, paths) in mentions.paths.iter().filter(|(_, paths)| paths.len() > 1) {
        let mut folders: Vec<&str> =
            paths.iter().map(|path| path.rsplit_once('/').map_or(TOP, |(folder, _)| folder)).collect();
        folders.sort_unstable();
        let most =
            folders.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).rev().max().unwrap_or((0, TOP));
        let count = folders.chunk_by(|a, b| a == b).count();
        let least = if mentions.partial { "at least " } else { "" };
        let files = plain::count(paths.len(), "file");
        let folders = plain::count(count, "folder");
        let extent = format!("{least}{files} in {folders}");
        let statement = filled(&lens.says, most.1, &extent, word);
        let asks = filled(&lens.asks, most.1, "", word);
        found.push(Point::new(lens.weight, word, statement, &asks));
    }
    found
}

/// Headings of sections that tell what happened, and order nothing.
const STORIES: [&str; 9] = [
    "wrong",
    "incident",
    "lesson",
    "retrospective",
    "postmortem",
    "mistake",
    "tried",
    "anecdote",
    "accident",
];

/// Whether a line tells what once happened: a story is no rule that could lack a case.
fn is_story(line: &Line) -> bool {
    let tried = line.words.starts_with(&["we".to_owned(), "tried".to_owned()]);
    tried || line.section_stems.iter().any(|stem| STORIES.contains(&stem.as_str()))
}

/// Whether a line says a word in a question, which promises nothing.
fn is_asked(line: &Line, word: &str) -> bool {
    line.text.contains('?') && sentence_with(line, word).ends_with('?')
}

/// Whether a text says one of some phrases.
fn says_one(phrases: &Texts, text: &str) -> bool {
    let said = crate::discussion::words::phrase(text);
    phrases.iter().any(|phrase| {
        let is_whole = |(at, found): (usize, &str)| {
            let (before, behind) = (&said[..at], &said[at + found.len()..]);
            (before.is_empty() || before.ends_with(' ')) && (behind.is_empty() || behind.starts_with(' '))
        };
        said.match_indices(phrase).any(is_whole)
    })
}

/// As many words behind a figure may narrow it: "500 photos maximum".
const BEHIND: usize = 2;

/// Whether the words that narrow a figure stand at it, in a sentence which states and does not ask: before it with
/// no other figure in between, or right behind it. "140 are refunded within 8 weeks" limits no 140.
fn is_of_one(lens: &Lens, line: &Line, word: &str) -> bool {
    if lens.measure != Some(Measure::Number) {
        return true;
    }
    let sentence =
        sentences(&line.text).into_iter().find(|sentence| sentence.contains(word)).unwrap_or_default();
    if sentence.ends_with('?') || lens.with.is_empty() {
        return !sentence.ends_with('?');
    }
    let Some((before, behind)) = sentence.split_once(word) else { return false };
    let before = before.rfind(|c: char| c.is_ascii_digit()).map_or(before, |figure| &before[figure + 1..]);
    let (behind, next) = behind.split_at(words(behind).get(BEHIND - 1).map_or(behind.len(), |word| word.end));
    // "20 rooms at most 5" narrows the 5.
    let of_next = next.trim_start().starts_with(|c: char| c.is_ascii_digit());
    says_one(&lens.with, before) || !of_next && says_one(&lens.with, behind)
}

/// Two lines with a number each for the same unit, which share no value and speak of the same: at least
/// three other subjects, and two thirds of those of the shorter. Rows of one table are made alike.
fn clashes(evidence: &Evidence) -> Vec<(usize, usize)> {
    let mut by_unit: BTreeMap<String, Vec<(usize, Vec<u64>)>> = BTreeMap::new();
    for (at, line) in evidence.lines.iter().enumerate().filter(|(_, line)| line.kind != LineKind::Heading) {
        if !line.gives_a_number() {
            continue;
        }
        for (value, unit) in numbers(&line.text) {
            let lines = by_unit.entry(unit).or_default();
            if lines.last().is_none_or(|(last, _)| *last != at) && lines.len() < OF_A_UNIT {
                lines.push((at, Vec::new()));
            }
            let same = lines.last_mut().filter(|(last, _)| *last == at);
            same.into_iter().for_each(|(_, values)| values.push(value));
        }
    }
    let mut found = Vec::new();
    for (unit, lines) in &by_unit {
        for (number, (one, values)) in lines.iter().enumerate() {
            let other = lines[number + 1..].iter().find(|(other, others)| {
                !values.iter().any(|value| others.contains(value))
                    && speak_of_the_same(evidence, *one, *other, unit)
                    && !are_apart(&evidence.lines[*one].text, &evidence.lines[*other].text)
            });
            found.extend(other.map(|(other, _)| (*one, *other)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn speak_of_the_same(evidence: &Evidence, one: usize, other: usize, unit: &str) -> bool {
    let (a, b) = (&evidence.lines[one], &evidence.lines[other]);
    let rows = a.document == b.document && (a.kind != LineKind::Prose || b.kind != LineKind::Prose);
    // An example may well go past the limit that it is about.
    let example = |line: &Line| {
        line.words
            .first()
            .is_some_and(|word| matches!(word.as_str(), "given" | "when" | "then" | "example" | "and"))
    };
    if rows || example(a) || example(b) {
        return false;
    }
    let of = |line: &Line| {
        let all = subjects(&line.text).into_iter();
        all.filter(|word| word != unit && !word.contains(|c: char| c.is_ascii_digit())).collect::<Vec<_>>()
    };
    let (a, b) = (of(a), of(b));
    let shared = a.iter().filter(|word| b.contains(word)).count();
    shared >= 3 && shared * 3 >= a.len().min(b.len()) * 2
}

/// The lines that say something, with their index.
fn prose(evidence: &Evidence) -> impl Iterator<Item = (usize, &Line)> {
    let telling = |line: &Line| matches!(line.kind, LineKind::Prose | LineKind::Row) && line.stems.len() >= 3;
    evidence.lines.iter().enumerate().filter(move |(_, line)| telling(line))
}

/// The requirement id a line starts with, such as `FR-001`.
fn requirement(line: &Line) -> Option<String> {
    let first = line.words.first()?;
    let (head, tail) = first.split_once('-')?;
    let id =
        head.len() >= 2 && head.chars().all(char::is_alphabetic) && tail.chars().all(|c| c.is_ascii_digit());
    (id && !tail.is_empty()).then(|| first.to_uppercase())
}

/// Whether what is counted is one of a lens's `with`: "22,400 water meters" are meters.
fn is_load(lens: &Lens, counted: &str) -> bool {
    let said = crate::discussion::words::phrase(counted);
    lens.with.iter().any(|noun| said.strip_suffix(noun).is_some_and(|rest| rest.ends_with(' ')))
}

/// Each persona takes every n-th of what a step lists, so that no two bring up the same.
pub fn share_of(persona: &str) -> usize {
    match persona {
        "solutions-architect" => 1,
        "system-designer" => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(persona: &str, text: &str) -> Vec<String> {
        let library = crate::library::Library::built_in().unwrap();
        let mut step = library.step("01-03").unwrap().clone();
        step.validation.clear();
        step.standard.clear();
        step.deep.clear();
        let evidence = Evidence::new([("spec.md", text)], &["spec.md".into()]);
        let lenses = library.lenses(persona);
        points(lenses, &evidence, &Vocabulary::of(&evidence), &step)
            .iter()
            .map(|point| point.text(&evidence))
            .collect()
    }

    fn own(lens: &str, text: &str) -> Vec<String> {
        let library = crate::library::Library::built_in().unwrap();
        let mut step = library.step("01-03").unwrap().clone();
        step.validation.clear();
        let lenses = crate::lens::read("l.yaml", lens).unwrap();
        let evidence = Evidence::new([("spec.md", text)], &["spec.md".into()]);
        points(&lenses, &evidence, &Vocabulary::of(&evidence), &step)
            .iter()
            .map(|point| point.text(&evidence))
            .collect()
    }

    const HEAD: &str = "- lens: a\n  from: x\n  weight: 10\n";

    #[test]
    fn a_lens_names_the_line_and_the_words() {
        let lens = format!(
            "{HEAD}  any: [fast]\n  says: '{{place}} says \"{{quote}}\".'\n  asks: 'How {{word}}?'\n"
        );
        assert_eq!(
            own(&lens, "The sync should be fast."),
            ["spec.md line 1 says \"The sync should be fast\". How fast?"]
        );
        assert_eq!(own(&lens, "The sync takes its time."), Vec::<String>::new());
    }

    #[test]
    fn what_is_denied_or_asked_is_not_there() {
        let lens = format!("{HEAD}  any: [password, not allowed]\n  says: '{{place}} {{word}}'\n");
        assert_eq!(own(&lens, "A link asks for a password."), ["spec.md line 1 password"]);
        assert_eq!(own(&lens, "Paper is not allowed there."), ["spec.md line 1 not allowed"]);
        for text in
            ["A link that needs no password.", "It opens without a password.", "It is not a password."]
        {
            assert!(own(&lens, text).is_empty(), "{text}");
        }
        assert_eq!(own(&lens, "No one knows the password of it.").len(), 1);
        assert!(own(&lens, "Shall the link ask for a password?").is_empty());
    }

    #[test]
    fn an_everyday_sense_of_a_word_is_no_finding() {
        for text in [
            "Tenants in a wheelchair get a door near the floor.",
            "A lesson in the laboratory needs a teacher with a safety certificate.",
            "The protocol of the meeting hangs in the hall.",
            "Visitors queue at the door, and the topic of the evening is read out.",
            "The crash team is called at night.",
            "A flag hangs over the harbour.",
        ] {
            let all = ["business-analyst", "solutions-architect", "system-designer"];
            let said: Vec<String> = all.iter().flat_map(|persona| found(persona, text)).collect();
            assert!(
                said.iter().all(|said| !said.contains("tenan") || !said.contains("common ground")),
                "{said:?}"
            );
            for word in
                ["A date on which work", "Nothing caps", "starts no clock", "A shape is fixed", "third state"]
            {
                assert!(said.iter().all(|said| !said.contains(word)), "{text}: {said:?}");
            }
        }
        let tls = found("solutions-architect", "The server presents a TLS certificate to the gateway.");
        assert!(tls.iter().any(|said| said.starts_with("A date on which work stops")), "{tls:?}");
        let data = found("solutions-architect", "The database holds the records of all tenants.");
        assert!(data.iter().any(|said| said.contains("common ground")), "{data:?}");
    }

    #[test]
    fn a_lens_is_narrowed_and_settled() {
        let lens = format!(
            "{HEAD}  any: [as soon as]\n  with: [sync]\n  unless: [seconds]\n  says: '{{place}} {{word}}'\n"
        );
        assert_eq!(own(&lens, "The sync runs as soon as it gets dark."), ["spec.md line 1 as soon as"]);
        assert!(own(&lens, "The walk begins as soon as it gets dark.").is_empty());
        assert!(
            own(&lens, "The sync runs as soon as it gets dark.\n\nThat is 20 seconds later on.").is_empty()
        );
        assert_eq!(
            own(&lens, "The sync runs as soon as it gets dark.\n\n\n\nThat is 20 seconds later on.").len(),
            1
        );
    }

    #[test]
    fn what_is_missing_is_missed_in_a_section_and_in_an_item() {
        let section = format!(
            "{HEAD}  where: section\n  any: [journey]\n  unless: [fails]\n  says: '{{place}} tells one way.'\n"
        );
        let text = "# The journey\n\nThe user opens it.\nThe user saves it.\nThe user closes it.\n";
        assert_eq!(own(&section, text), ["\"The journey\" in spec.md tells one way."]);
        assert!(own(&section, &format!("{text}When it fails, it says so.\n")).is_empty());
        let item = format!(
            "{HEAD}  where: item\n  any: [upload]\n  unless: [megabytes]\n  says: '{{place}} has {{word}}.'\n"
        );
        assert_eq!(
            own(&item, "You may upload some photos.\n\nYou may upload a film too."),
            ["spec.md line 1 has upload."]
        );
        assert!(
            own(&item, "You may upload some photos.\n\n# Limits\n\nTwenty megabytes at most.").is_empty()
        );
    }

    #[test]
    fn what_is_told_in_another_form_is_told_and_a_story_orders_nothing() {
        let item = format!(
            "{HEAD}  where: item\n  any: [upload]\n  unless: [encrypted]\n  says: '{{place}} has {{word}}.'\n"
        );
        assert_eq!(own(&item, "You may upload some photos.").len(), 1);
        assert!(own(&item, "You may upload some photos.\n\n# Open\n\nShall encryption be on?").is_empty());
        let line = format!("{HEAD}  any: [deleted]\n  says: '{{place}} says {{word}}.'\n");
        assert_eq!(own(&line, "# Rules\n\nA plan is deleted on Monday.").len(), 1);
        assert!(own(&line, "# Things that went wrong\n\nSomebody deleted the plan once.").is_empty());
        let load = format!("{HEAD}  measure: load\n  with: [meters]\n  says: '{{place}} has {{word}}.'\n");
        assert_eq!(
            own(&load, "The town has 22,400 water meters of 2.5 kg."),
            ["spec.md line 1 has 22,400 water meters."]
        );
        assert!(own(&load, "Within 5 minutes the meters answer.").is_empty());
    }

    #[test]
    fn a_figure_is_narrowed_by_the_words_at_it_and_a_mean_has_a_figure() {
        let limit = format!(
            "{HEAD}  measure: number\n  with: [within, at most, maximum]\n  says: '{{place}} has {{word}}.'\n"
        );
        for text in [
            "A call takes at most 30 seconds.",
            "It keeps 500 photos maximum.",
            "Of 20 rooms at most 5 rooms.",
        ] {
            let wanted = usize::from(!text.starts_with("Of"));
            assert_eq!(own(&limit, text).len(), wanted, "{text}");
        }
        assert!(own(&limit, "About 140 donations a year are refunded, most within 8 weeks.").is_empty());
        let mean = format!(
            "{HEAD}  measure: load\n  any: [a day]\n  with: [visits]\n  says: '{{place}} has {{word}}.'\n"
        );
        assert_eq!(own(&mean, "There are 70 visits a day.").len(), 1);
        assert!(own(&mean, "There were 70 visits. A guard comes once a day.").is_empty());
    }

    #[test]
    fn a_word_in_another_sense_is_no_finding() {
        for (text, sign) in [
            (
                "Training: 30 minutes for each nurse, by a colleague of the ward (super user).",
                "Power concentrates",
            ),
            ("The device shall record the tube number, the patient and the nurse.", "Law singles out"),
            ("There are 70 telephone calls a day about lost tubes.", "gives a mean"),
            ("A secret cannot be changed; delete the subscription and make a new one.", "No way back"),
        ] {
            let said = found("solutions-architect", text);
            assert!(said.iter().all(|said| !said.contains(sign)), "{said:?}");
        }
        for (text, sign) in [
            ("A super user has rights on every account.", "Power concentrates"),
            ("The diagnosis of a patient is sent to the insurer.", "Law singles out"),
            ("The shop handles 4,100 orders a day.", "gives a mean"),
            ("The courier deletes the list.", "No way back"),
        ] {
            let said = found("solutions-architect", text);
            assert!(said.iter().any(|said| said.contains(sign)), "{text}: {said:?}");
        }
        let risks = "# Risks\n\n- The nurses go on printing labels. Measure: no printers.\n- Two devices are offline.\n- The badge breaks the sign-in.\n";
        for (text, wanted) in [(risks.to_owned(), false), (risks.replace("Measure", "Guess"), true)] {
            let said = found("solutions-architect", &text);
            assert_eq!(said.iter().any(|said| said.contains("Exposure is listed")), wanted, "{said:?}");
        }
        for (text, wanted) in [("Patches stay undone for years.", false), ("A booking can be undone.", true)]
        {
            let said = found("system-designer", text);
            assert_eq!(said.iter().any(|said| said.contains("at no stated point")), wanted, "{said:?}");
        }
        let maya = |text: &str| found("business-analyst", text);
        assert!(
            maya("FR-01 The device shall show the open orders of the patient.")
                .iter()
                .all(|said| !said.contains("criterion"))
        );
        assert!(
            maya("FR-02 The system shall support the nurses.").iter().any(|said| said.contains("criterion"))
        );
    }

    #[test]
    fn a_remedy_speaks_of_numbers_where_the_column_has_numbers() {
        let table = "| dish | price | traces |\n|---|---|---|\n| dal | 4.20 | nuts |\n| tofu | 5 EUR | soy |\n| soup | | |\n| rice | ? | none |\n";
        let said = found("system-designer", table);
        let of = |column: &str| said.iter().filter(|said| said.contains(column)).cloned().collect::<Vec<_>>();
        assert!(
            of("\"price\"").iter().any(|said| said.contains("spec.md line 5") && said.contains("a unit")),
            "{said:?}"
        );
        assert!(of("\"traces\"").iter().all(|said| !said.contains("a unit")), "{said:?}");
        let open = said.iter().find(|said| said.contains("spec.md line 6")).unwrap();
        assert!(!open.contains("empty") && !open.contains("blank"), "{open}");
    }

    #[test]
    fn two_sides_speak_of_the_same_thing_or_they_are_none() {
        let side = |name: &str, any: &str, against: &str| {
            format!(
                "- lens: {name}\n  from: x\n  weight: 10\n  any: [{any}]\n  says: '{{place}} {{quote}}'\n  favors: {name}\n  because: '{{quote}} is so'\n  against: [{against}]\n"
            )
        };
        let read = |text: &str| crate::lens::read("l.yaml", text).unwrap();
        let (mine, theirs) = (read(&side("one", "nightly", "two")), read(&side("two", "at once", "one")));
        let step = crate::library::Library::built_in().unwrap().step("01-03").unwrap().clone();
        let differ = |text: &str| {
            let evidence = Evidence::new([("spec.md", text)], &["spec.md".into()]);
            let of = |lenses: &[Lens]| points(lenses, &evidence, &Vocabulary::of(&evidence), &step);
            of(&mine)[0].opposes(&of(&theirs)[0], &evidence)
        };
        assert!(differ("The stock is copied nightly.\n\nA change of the stock is seen at once."));
        assert!(!differ("The stock is copied nightly.\n\nThe app opens at once."));
    }

    #[test]
    fn a_lens_without_anything_to_point_at_says_nothing() {
        for persona in ["business-analyst", "solutions-architect", "system-designer"] {
            assert_eq!(
                found(persona, "# Title\n\nThe gate opens to the north side.\n"),
                Vec::<String>::new()
            );
            assert_eq!(found(persona, ""), Vec::<String>::new());
        }
    }

    #[test]
    fn a_quotation_holds_the_word_that_it_is_about() {
        let lens = format!("{HEAD}  any: [loaded fast]\n  says: '{{place}} says \"{{quote}}\".'\n");
        let text = format!("The {} list is loaded fast.", "very ".repeat(40).trim());
        let said = own(&lens, &text);
        assert!(said[0].contains("says \"…very very very very list is loaded fast\""), "{}", said[0]);
    }
}
