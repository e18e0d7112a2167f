//! The passages of an item's documents, and which of them a question is about.
//!
//! A passage is a paragraph, a sentence of a long one, a sentence with the list that it leads to, a list item, a table
//! row, or a line of data: what a reader would quote as a whole. Its text is an exact slice of its document, and its
//! place is the line it begins on, under the heading it belongs to. Which passages match is a question of words (BM25);
//! whether one answers is for people.
//!
//! ```
//! use roundtable::text::Language;
//! use roundtable::voice::passages::Passages;
//!
//! let language = Language::new("en");
//! let spec = "# Late fees\n\n## Limits\n\nFees stop at 10 euros.\n\nLetters are sent weekly.\n";
//! let passages = Passages::new(&[("spec.md", spec)], &language);
//! let found = passages.about("Where do the fees stop?", 3);
//! let fees = found.passages[0];
//! assert_eq!((fees.text, fees.line, fees.heading), ("Fees stop at 10 euros.", 5, "Limits"));
//! assert!(passages.about("Who writes the invoices?", 3).passages.is_empty());
//! ```

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::quantities::quantities;
use super::ranking::{Hit, Ranking, Stem};
use crate::text::index::stems;
use crate::text::words::is_significant;
use crate::text::{Block, Language, Message, Place, Word, blocks, sentences};

/// A list that belongs to a sentence is shown with it up to so many lines.
const LIST: usize = 15;
/// An item of a list of so many lines is shown with the whole list.
const SHORT_LIST: usize = 9;
/// A paragraph of more bytes is quoted by its sentences.
const PARAGRAPH: usize = 450;
/// How much the words of a passage's heading count.
const HEADING: f64 = 0.5;
/// How much the words of its paragraph, or of the sentence that leads to its list, count.
const AROUND: f64 = 0.3;
/// How much the words of a table's header count for its rows.
const HEADER: f64 = 0.55;
/// How much a passage of code counts.
const CODE: f64 = 0.7;
/// How much the words of the list item that a passage is below count.
const PARENT: f64 = 0.55;
/// How much an item of a task list counts: it says what is to be done.
const TASK: f64 = 0.5;
/// A passage is sure to be about a question where it has this share of the weight of the question's words.
const SURE: f64 = 0.85;
/// Further ones are shown beside a sure one down to this share.
const BESIDE: f64 = 0.45;
/// A passage is shown as one of the closest down to this share.
const CLOSE: f64 = 0.2;
/// A passage speaks of the same as a statement down to this share.
const SAME: f64 = 0.34;
/// Further passages are shown down to this share of the best one's score.
const NEAR: f64 = 0.35;
/// A word that only another passage of the same section has counts so much for a passage.
const SECTION: f64 = 0.4;
/// Words of questions and decisions that say nothing about their subject, by their stems.
const ASKING: [&str; 20] = [
    "agre", "anoth", "anybodi", "choos", "chosen", "decid", "decis", "exact", "happen", "kind", "long",
    "mani", "may", "mean", "new", "often", "person", "somebodi", "think", "two",
];
/// Words of decisions that change or negate something and say nothing about what, by their stems.
const CHANGING: [&str; 22] = [
    "also", "anymor", "cannot", "chang", "current", "decreas", "enough", "extend", "from", "increas",
    "instead", "least", "longer", "lower", "maximum", "minimum", "never", "rais", "reduc", "set", "switch",
    "total",
];
/// What a sentence begins with that cannot be read without the one before it.
const REFERRING: [&str; 10] =
    ["however", "instead", "it", "otherwise", "such", "that", "then", "therefore", "these", "this"];

/// Words that deny something.
const NEGATIONS: [&str; 10] =
    ["cannot", "fails", "missing", "neither", "never", "no", "nobody", "none", "not", "without"];
/// Sections of an earlier discussion: what was said there is shown after the documents' own words.
const RECORDS: [&str; 4] = ["Action Items", "Key Insights", "Not Discussed", "Open Questions"];
/// What an open question says of who has asked it.
const ASKED_BY: &str = ": asked by ";
/// How much a passage of these counts.
const RECORD: f64 = 0.4;
/// Marks of what is still to be decided or written.
const OPEN: [&str; 5] = ["tbd", "tbc", "tba", "todo", "fixme"];

/// What headings call a list of things that are left out.
const LEFT_OUT: [&str; 7] =
    ["deferred", "non goal", "nongoal", "non requirement", "not in scope", "not planned", "out of scope"];

/// A piece of a document that is quoted as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage<'t> {
    /// The document's path within the item folder.
    pub path: &'t str,
    /// The line it begins on, from one.
    pub line: usize,
    /// The text of the heading it is under; empty before the first.
    pub heading: &'t str,
    /// The heading above that one, where the document has several of that text.
    pub above: &'t str,
    /// Whether it is below a heading such as "Non-Goals".
    pub is_left_out: bool,
    pub text: &'t str,
}

impl Passage<'_> {
    /// Whether a line of a document is one of the passage's.
    pub fn has_line(&self, path: &str, line: usize) -> bool {
        self.line <= line && self.path == path && line < self.line + self.text.lines().count()
    }

    /// Whether it leaves something open itself: it asks, is marked, or is listed under open questions. It is shown, and
    /// answers nothing.
    fn is_open(&self) -> bool {
        let is_marked = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            OPEN.iter().any(|mark| word.eq_ignore_ascii_case(mark))
        };
        self.heading.to_lowercase().contains("open question")
            || self.text.trim_end().ends_with('?')
            || self.text.contains("???")
            || self.text.split_whitespace().any(is_marked)
    }

    /// Whether it is a question that an earlier discussion has left open.
    fn is_asked_before(&self) -> bool {
        RECORDS.contains(&self.heading) && self.text.contains(ASKED_BY)
    }

    fn overlaps(&self, other: &Passage<'_>) -> bool {
        let range =
            |one: &Passage<'_>| one.text.as_ptr() as usize..one.text.as_ptr() as usize + one.text.len();
        let (own, other) = (range(self), range(other));
        own.start < other.end && other.start < own.end
    }
}

/// What is found for a question.
#[derive(Debug, Default)]
pub struct Found<'p, 't> {
    /// The best first; none of them overlap.
    pub passages: Vec<&'p Passage<'t>>,
    /// Whether they have most of the words. Else they are only the closest ones.
    pub is_sure: bool,
}

/// A passage that a statement is held against.
#[derive(Debug)]
pub struct Candidate<'p, 't> {
    pub passage: &'p Passage<'t>,
    /// The stems of the statement that say something about its subject, figures left out.
    pub wanted: Vec<String>,
    /// Those of them that the passage and what is around it don't have.
    pub missing: Vec<String>,
    /// Its share of the words' weight.
    pub share: f64,
}

impl Candidate<'_, '_> {
    /// Whether it has more than two thirds of the words, this one left aside.
    pub fn is_about_all(&self, aside: &str) -> bool {
        let count = |stems: &[String]| stems.iter().filter(|stem| *stem != aside).count();
        count(&self.missing) * 3 < count(&self.wanted)
    }
}

/// All passages of some documents, with an index over their words.
pub struct Passages<'t> {
    all: Vec<Passage<'t>>,
    /// How much each counts by its kind: code and tasks tell less than prose.
    kinds: Vec<f64>,
    /// Of each the list that it is shown in as an answer, by its place in `lists`.
    list_of: Vec<Option<usize>>,
    lists: Vec<Passage<'t>>,
    index: Ranking<'t>,
    language: &'t Language,
}

impl<'t> Passages<'t> {
    /// The passages of documents, given by path and text.
    pub fn new(documents: &[(&'t str, &'t str)], language: &'t Language) -> Passages<'t> {
        let index = Ranking::new(language);
        let (all, kinds, list_of, lists) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut passages = Passages { all, kinds, list_of, lists, index, language };
        for (path, text) in documents {
            match is_markdown(path) {
                true => Reader::new(path, text, &mut passages).read(),
                false => passages.add_lines(path, text),
            }
        }
        passages
    }

    /// The lines of data, each a passage.
    fn add_lines(&mut self, path: &'t str, text: &'t str) {
        let says = |line: &str| line.contains(char::is_alphanumeric);
        for (line, text) in (1..).zip(text.lines()).filter(|(_, line)| says(line)) {
            let text = value(text);
            let own = self.index.stems(text);
            self.index.add(&own, []);
            self.all.push(Passage { path, line, heading: "", above: "", is_left_out: false, text });
            self.kinds.push(1.0);
            self.list_of.push(None);
        }
    }

    /// The passages that a question is about: those that surely are, else the closest ones; at most `limit`.
    pub fn about(&self, question: &str, limit: usize) -> Found<'_, 't> {
        let wanted = self.wanted(question);
        let mut rated = self.ranked(question);
        self.share_in_sections(&mut rated, question);
        let is_close = |one: &&Rated| one.share + one.around >= CLOSE && self.is_prose(one);
        // What was asked before and left open is known, and answers nothing.
        rated.sort_by_key(|one| self.all[one.passage].is_asked_before());
        let Some(best) = rated.iter().find(is_close) else { return Found::default() };
        // One word is enough only where it is a name ("GA", "FR-009"), and no word may be one that no passage has.
        let is_enough = best.matched.len() > 1 || question.split_whitespace().any(is_name);
        let is_known = |stem: &String| self.index.is_known(stem);
        let shown = &self.all[best.passage];
        // "Which requirement has no test?" is not answered by one that has.
        let is_other =
            shown.is_open() || asks_for_lack(question) || negates(question) && !negates(shown.text);
        let is_sure = !is_other
            && self.kinds[best.passage] > CODE
            && best.share >= SURE
            && (best.has_several || best.matched.len() > 1)
            && is_enough
            && wanted.iter().all(is_known);
        let is_as_good =
            |one: &&Rated| one.score >= best.score * NEAR && one.has_several && one.share >= BESIDE;
        let passages = match is_sure {
            true => self.distinct(rated.iter().filter(is_close).filter(is_as_good), limit, true),
            false => self.distinct(
                rated.iter().filter(is_close).filter(|one| one.score >= best.score * NEAR),
                limit,
                true,
            ),
        };
        Found { passages, is_sure }
    }

    /// The passages that speak of the same as a statement: at most `limit`.
    pub fn on(&self, statement: &str, limit: usize) -> Vec<&Passage<'t>> {
        let rated = self.ranked(statement);
        let is_same = |one: &&Rated| {
            self.is_prose(one) && (one.has_several && one.share >= SAME || one.has_name(statement))
        };
        let Some(best) = rated.iter().find(is_same) else { return Vec::new() };
        let is_near = |one: &&Rated| one.score >= best.score * NEAR;
        self.distinct(rated.iter().filter(is_same).filter(is_near), limit, false)
    }

    /// Code has many words by accident.
    fn is_prose(&self, one: &Rated) -> bool {
        one.share >= SURE || self.kinds[one.passage] > CODE
    }

    /// The first passages that don't overlap; a question is answered with the whole list that one is in.
    fn distinct<'r>(
        &self,
        rated: impl Iterator<Item = &'r Rated>,
        limit: usize,
        is_whole: bool,
    ) -> Vec<&Passage<'t>> {
        let mut found: Vec<&Passage<'t>> = Vec::new();
        for one in rated {
            let list = self.list_of[one.passage].filter(|_| is_whole);
            let passage = list.map_or(&self.all[one.passage], |list| &self.lists[list]);
            if found.len() == limit {
                break;
            }
            if !found.iter().any(|known| known.overlaps(passage)) {
                found.push(passage);
            }
        }
        found
    }

    /// A hit with the share of the weight of all words that it has.
    fn rated(&self, hit: Hit, weights: &BTreeMap<&str, f64>) -> Rated {
        let has = |(stem, share): &(String, f64)| weights[stem.as_str()] * share;
        let all: f64 = weights.values().sum();
        let share = hit.matched.iter().map(has).sum::<f64>() / all.max(f64::MIN_POSITIVE);
        let whole = hit.matched.iter().filter(|(_, share)| *share > HEADING).count();
        let is_name = hit.matched.len() == 1 && share > SURE;
        let matched = hit.matched.into_iter().map(|(stem, _)| stem).collect();
        let record = if RECORDS.contains(&self.all[hit.passage].heading) { RECORD } else { 1.0 };
        let score = hit.score * share * share * self.kinds[hit.passage] * record;
        Rated { passage: hit.passage, score, share, around: 0.0, has_several: whole > 1 || is_name, matched }
    }

    /// The passage that a line of a document is in.
    pub fn at(&self, path: &str, line: usize) -> Option<&Passage<'t>> {
        self.all.iter().find(|passage| passage.has_line(path, line))
    }

    /// The passages that share most with a statement, the best first, whether much or little.
    pub fn candidates(&self, text: &str, limit: usize) -> Vec<Candidate<'_, 't>> {
        let rated = self.ranked(text).into_iter().take(limit);
        // What is counted is compared by itself.
        let words =
            quantities(text).iter().fold(text.to_owned(), |words, one| words.replacen(one.text, " ", 1));
        let all = self.wanted(&words);
        let candidate = |one: Rated| {
            let has = |stem: &&String| one.matched.contains(*stem);
            let says = |stem: &str| CHANGING.binary_search(&stem).is_err() && !stem.ends_with("n't");
            let counts = |stem: &&String| has(stem) || says(stem);
            let wanted: Vec<String> = all.iter().filter(counts).cloned().collect();
            let missing = wanted.iter().filter(|stem| !has(stem)).cloned().collect();
            let share = if one.has_several { one.share } else { 0.0 };
            Candidate { passage: &self.all[one.passage], wanted, missing, share }
        };
        rated.map(candidate).collect()
    }

    /// All passages with any word of a text, the best first.
    fn ranked(&self, text: &str) -> Vec<Rated> {
        let wanted = self.wanted(text);
        let weights: BTreeMap<&str, f64> =
            wanted.iter().map(|stem| (stem.as_str(), self.index.weight_asked(stem))).collect();
        let hits = self.index.find(&wanted);
        let mut rated: Vec<Rated> = hits.into_iter().map(|hit| self.rated(hit, &weights)).collect();
        rated.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
        rated
    }

    /// Words that other passages of its section have count for a passage, too: a section speaks of one matter.
    fn share_in_sections(&self, rated: &mut [Rated], question: &str) {
        let section = |one: &Rated| {
            let passage = &self.all[one.passage];
            (passage.path, passage.heading.as_ptr())
        };
        let wanted = self.wanted(question);
        let weights: Vec<f64> = wanted.iter().map(|stem| self.index.weight_asked(stem)).collect();
        let all = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let mut sections: HashMap<(&str, *const u8), Vec<bool>> = HashMap::new();
        for one in rated.iter() {
            let has = sections.entry(section(one)).or_insert_with(|| vec![false; wanted.len()]);
            for (has, stem) in has.iter_mut().zip(&wanted) {
                *has |= one.matched.contains(stem);
            }
        }
        for one in rated.iter_mut() {
            let has = wanted.iter().zip(&weights).zip(&sections[&section(one)]);
            let others = has.filter(|((stem, _), has)| **has && !one.matched.contains(*stem));
            one.around = others.map(|((_, weight), _)| weight).sum::<f64>() * SECTION / all;
            let whole = one.share + one.around;
            one.score *= (whole / one.share.max(f64::MIN_POSITIVE)).powi(2);
        }
        rated.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
    }

    /// The stems of a text that say something about a subject.
    fn wanted(&self, text: &str) -> Vec<String> {
        let message = Message::new(text, self.language);
        let is_question = is_question(text);
        let words = message.sentences.iter().flat_map(|sentence| unlabelled(&sentence.words));
        let says = |word: &Word<'_>| {
            let written = &text[word.range.clone()];
            // A short word in capitals is a name ("GA", "UI"), and one with a digit a figure.
            let is_name = written.chars().filter(|c| c.is_uppercase()).count() > 1;
            let is_figure = written.starts_with(|c: char| c.is_ascii_digit());
            let is_small = !is_significant(&word.lower) || !is_significant(&word.stem) && word.stem.len() > 2;
            !is_small || is_name || is_figure && is_question
        };
        let mut found: Vec<String> = words
            .filter(|word| !word.is_mark && says(word))
            .filter(|word| ASKING.binary_search(&word.stem.as_ref()).is_err())
            .map(|word| word.stem.to_string())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether any passage says a word or phrase.
    pub fn mentions(&self, phrase: &str) -> bool {
        let stems = stems(phrase, self.language);
        !stems.is_empty() && stems.iter().all(|stem| self.index.weight(stem) > 0.0)
    }
}

/// A hit as it is ranked.
struct Rated {
    passage: usize,
    score: f64,
    /// Of the weight of all words that were asked for.
    share: f64,
    /// Of the same, what other passages of its section have.
    around: f64,
    /// It has more than one of them, or the only one.
    has_several: bool,
    /// The stems that it has, or has around it.
    matched: Vec<String>,
}

impl Rated {
    /// Whether it has a word with a digit among letters, as names of versions and products have: "armv7", "Neo4j".
    fn has_name(&self, text: &str) -> bool {
        let is_mixed = |word: &&str| {
            word.len() > 3
                && word.starts_with(char::is_alphabetic)
                && word.chars().any(|c| c.is_ascii_digit())
                && word.chars().all(char::is_alphanumeric)
        };
        let names = text.split(|c: char| !c.is_alphanumeric()).filter(is_mixed);
        names.map(str::to_lowercase).any(|name| self.matched.contains(&name))
    }
}

/// Whether a word is written as a name or an id.
fn is_name(word: &str) -> bool {
    word.chars().filter(|c| c.is_uppercase() || c.is_ascii_digit()).count() > 1
}

/// Whether a message asks something.
pub fn is_question(text: &str) -> bool {
    text.contains(['?', '？'])
}

/// The words of a sentence after its label or address: "Decision: …", "TODO: …", "Alex, …".
fn unlabelled<'w, 't>(words: &'w [Word<'t>]) -> &'w [Word<'t>] {
    match words {
        [_, mark, rest @ ..] if mark.lower == ":" || mark.lower == "," => rest,
        _ => words,
    }
}

fn is_markdown(path: &str) -> bool {
    let suffix = path.rsplit_once('.').map_or("", |(_, suffix)| suffix).to_ascii_lowercase();
    matches!(suffix.as_str(), "md" | "markdown" | "txt")
}

/// A line of data without the comma after it and, where it is one string, without its quotation marks.
fn value(line: &str) -> &str {
    let line = line.trim().trim_end_matches(',');
    let inside = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.filter(|text| !text.contains('"')).unwrap_or(line)
}

/// Reads the passages of a Markdown document.
struct Reader<'p, 't> {
    path: &'t str,
    text: &'t str,
    into: &'p mut Passages<'t>,
    lines: LineCounter<'t>,
    /// The headings above, each with its level.
    headings: Vec<(usize, &'t str)>,
    heading_stems: Vec<Stem>,
    /// The stems of the sentence that leads to a list, or of a table's first row.
    lead: Vec<Stem>,
    /// The list items that the next one may be below, each with its column and stems.
    parents: Vec<(usize, Vec<Stem>)>,
    /// The short list that is being read, from the line it begins on.
    list: Option<(usize, &'t str)>,
}

impl<'p, 't> Reader<'p, 't> {
    fn new(path: &'t str, text: &'t str, into: &'p mut Passages<'t>) -> Reader<'p, 't> {
        let lines = LineCounter { text, at: 0, line: 1 };
        let (headings, heading_stems, lead, parents) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Reader { path, text, into, lines, headings, heading_stems, lead, parents, list: None }
    }

    fn read(mut self) {
        let first = self.into.all.len();
        let blocks = blocks(self.text);
        let front = self.add_front_matter();
        for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.range.start >= front) {
            let text = &self.text[block.range.clone()];
            if block.place != Place::Item {
                self.list = None;
            } else if at.checked_sub(1).is_none_or(|before| blocks[before].place != Place::Item) {
                self.list = self.list_at(&blocks, at);
            }
            match block.place {
                Place::Heading => self.open(block),
                Place::Comment => {}
                Place::Code => self.add_code(text, block.range.start),
                _ if is_reference(text) => {}
                Place::Table if is_ruled(blocks.get(at + 1), self.text) => self.lead = self.stems(text),
                Place::Item => self.add_item(block, &blocks[at + 1..]),
                Place::Table => {
                    let own = self.stems(text);
                    self.add_below(block.range.clone(), &own, 1.0, HEADER);
                }
                _ => self.add_paragraph(block, &blocks[at + 1..]),
            }
        }
        self.name_ambiguous(first);
    }

    /// The lines of the front matter, each a passage; where they end.
    fn add_front_matter(&mut self) -> usize {
        let rest = self.text.strip_prefix("---\n");
        let rest = rest.filter(|rest| rest.lines().next().is_some_and(is_field));
        let Some(end) = rest.and_then(|rest| rest.find("\n---")) else { return 0 };
        let (mut start, end) = (0, end + "---\n".len());
        for line in self.text[..end].split_inclusive('\n') {
            let own = self.stems(line);
            if line.contains(char::is_alphanumeric) {
                self.add(start..start + line.len(), &own, TASK);
            }
            start += line.len();
        }
        end
    }

    /// The list that begins with a block, with the sentence that leads to it; none where it is long or nothing leads
    /// to it.
    fn list_at(&self, blocks: &[Block], at: usize) -> Option<(usize, &'t str)> {
        let lead = at.checked_sub(1).map(|before| &blocks[before].range)?;
        let count = blocks[at..].iter().take_while(|block| block.place == Place::Item).count();
        let text = self.text[lead.start..blocks[at + count - 1].range.end].trim_end();
        let is_short = text.len() <= PARAGRAPH && text.lines().count() <= SHORT_LIST;
        let above = self.text.as_bytes().get(self.lines.at..lead.start)?;
        let above = memchr::memchr_iter(b'\n', above).count();
        (is_short && leads_in(&self.text[lead.clone()])).then_some((self.lines.line + above, text))
    }

    fn stems(&mut self, text: &'t str) -> Vec<Stem> {
        self.into.index.stems(text)
    }

    /// A list item, with the sentence that leads to its list and the items it is below; one that leads to a list of its
    /// own is shown with it.
    fn add_item(&mut self, block: &Block, below: &[Block]) {
        let column = self.column(block);
        // The items of a numbered list begin at column 3 or 4.
        self.parents.retain(|(other, _)| other + 1 < column);
        let text = &self.text[block.range.clone()];
        let own = self.stems(text);
        let is_below = |other: &&Block| other.place == Place::Item && column + 1 < self.column(other);
        let nested = if leads_in(text) { below.iter().take_while(is_below).count() } else { 0 };
        let end = fitting(&below[..nested], self.text).map_or(block.range.end, |last| last.range.end);
        if block.task.is_some() || nested > 0 || !self.add_sentences(text) {
            let kind = if block.task.is_some() { TASK } else { 1.0 };
            self.add(block.range.start..end, &own, kind);
        }
        self.parents.push((column, own));
    }

    fn column(&self, block: &Block) -> usize {
        block.range.start - self.text[..block.range.start].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Goes on below a heading.
    fn open(&mut self, block: &Block) {
        let written = &self.text[block.range.clone()];
        let before = &self.text[..block.range.end - written.trim_start_matches('#').len()];
        let before = before.trim_end_matches([' ', '\t']);
        let level = before.len() - before.trim_end_matches('#').len();
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, written.trim_matches(['#', ' '])));
        self.heading_stems = self.stems(written);
        self.lead.clear();
        self.parents.clear();
    }

    /// A passage after what leads to it.
    fn add(&mut self, range: Range<usize>, own: &[Stem], kind: f64) {
        self.add_below(range, own, kind, AROUND);
    }

    fn add_below(&mut self, range: Range<usize>, own: &[Stem], kind: f64, lead: f64) {
        let line = self.lines.of(range.start);
        let text = self.text[range].trim_end();
        let mut headings = self.headings.iter().rev().map(|(_, heading)| *heading);
        let (heading, above) = (headings.next().unwrap_or_default(), headings.next().unwrap_or_default());
        let parents = self.parents.iter().map(|(_, stems)| (stems.as_slice(), PARENT));
        let around = [(self.heading_stems.as_slice(), HEADING), (self.lead.as_slice(), lead)];
        self.into.index.add(own, parents.chain(around));
        let is_left_out = self.headings.iter().any(|(_, heading)| leaves_out(heading));
        self.into.all.push(Passage { path: self.path, line, heading, above, is_left_out, text });
        self.into.kinds.push(kind);
        let list = self.list.map(|(line, text)| {
            let list = Passage { line, text, ..self.into.all[self.into.all.len() - 1].clone() };
            match self.into.lists.last() {
                Some(last) if last.path == list.path && last.line == list.line => {}
                _ => self.into.lists.push(list),
            }
            self.into.lists.len() - 1
        });
        self.into.list_of.push(list);
    }

    fn add_code(&mut self, code: &'t str, start: usize) {
        self.lead.clear();
        for piece in pieces(code) {
            let own = self.stems(piece);
            let from = start + piece.as_ptr() as usize - code.as_ptr() as usize;
            self.add(from..from + piece.len(), &own, CODE);
        }
    }

    /// A paragraph as a whole, with the list it leads to, or by its sentences where it is long.
    fn add_paragraph(&mut self, block: &Block, below: &[Block]) {
        self.lead.clear();
        self.parents.clear();
        let text = &self.text[block.range.clone()];
        if leads_in(text) {
            let end = items(below, self.text).map_or(block.range.end, |last| last.range.end);
            let own = self.stems(text);
            self.add(block.range.start..end, &own, 1.0);
            self.lead = own;
            return;
        }
        if !self.add_sentences(text) {
            let own = self.stems(text);
            self.add(block.range.clone(), &own, 1.0);
        }
    }

    /// The sentences of a long text, each with those around it; false where it is short or one sentence.
    fn add_sentences(&mut self, text: &'t str) -> bool {
        let split = if text.len() <= PARAGRAPH { Vec::new() } else { sentences(text) };
        if split.len() < 2 {
            return false;
        }
        let lead = std::mem::take(&mut self.lead);
        let stems: Vec<Vec<Stem>> = split.iter().map(|sentence| self.stems(sentence)).collect();
        for (at, sentence) in split.iter().enumerate() {
            let before = at.checked_sub(1);
            self.lead = before.map_or(Vec::new(), |before| stems[before].clone());
            self.lead.extend(stems.get(at + 1).into_iter().flatten());
            let first = before.filter(|_| refers(sentence)).unwrap_or(at);
            let start = |sentence: &str| sentence.as_ptr() as usize - self.text.as_ptr() as usize;
            let range = start(split[first])..start(sentence) + sentence.len();
            self.add(range, &stems[at], 1.0);
        }
        self.lead = lead;
        true
    }

    /// Keeps the heading above only where the document has several headings of the same text.
    fn name_ambiguous(self, first: usize) {
        let mut above: HashMap<&str, Option<&str>> = HashMap::new();
        let own = &mut self.into.all[first..];
        for one in own.iter() {
            let known = above.entry(one.heading).or_insert(Some(one.above));
            *known = known.filter(|known| *known == one.above);
        }
        own.iter_mut().filter(|one| above[one.heading].is_some()).for_each(|one| one.above = "");
        let lists = self.into.lists.iter_mut().filter(|list| list.path == self.path);
        lists.filter(|list| above[list.heading].is_some()).for_each(|list| list.above = "");
    }
}

/// Whether a line of the front matter is `key: value`.
fn is_field(line: &str) -> bool {
    line.split_once(':').is_some_and(|(key, _)| !key.is_empty() && !key.contains(' '))
}

/// Whether a heading is that of a list of what the documents leave out.
fn leaves_out(heading: &str) -> bool {
    let heading = heading.to_lowercase().replace('-', " ");
    LEFT_OUT.iter().any(|name| heading.contains(name))
}

/// Whether a question asks for what lacks something: what there is does not tell.
fn asks_for_lack(text: &str) -> bool {
    let text = text.to_lowercase();
    ["has no ", "have no ", "lacks ", "lack ", "is missing", "are missing"]
        .iter()
        .any(|lack| text.contains(lack))
}

/// Whether a text denies something.
fn negates(text: &str) -> bool {
    let is_negation = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        word.ends_with("n't") || word.ends_with("n’t") || NEGATIONS.contains(&word.as_str())
    };
    text.split_whitespace().any(is_negation)
}

/// Whether a block only points elsewhere: a table of contents, link definitions, a line of marks.
fn is_reference(text: &str) -> bool {
    let is_definition = |line: &str| line.trim_start().starts_with('[') && line.contains("]: ");
    let is_anchor =
        text.starts_with('[') && text.contains("](#") && text.ends_with(')') && !text.contains(' ');
    let is_entry = text.starts_with('[')
        && text.find("](#").is_some_and(|at| text[at..].find(')') == Some(text.len() - at - 1));
    // Pictures and other tags without words between them.
    let is_said =
        |piece: &str| piece.split_once('>').is_some_and(|(_, said)| said.contains(char::is_alphanumeric));
    let is_markup = text.starts_with('<') && !text.split('<').any(is_said);
    !text.contains(char::is_alphanumeric)
        || is_markup
        || is_anchor
        || is_entry
        || text.lines().all(is_definition)
}

/// Whether the row below a table's row is the line that follows its header.
fn is_ruled(below: Option<&Block>, text: &str) -> bool {
    let is_rule = |block: &&Block| text[block.range.clone()].chars().all(|c| "|-: \t".contains(c));
    below.filter(|block| block.place == Place::Table).filter(is_rule).is_some()
}

/// A block of code in pieces of at most [`LIST`] lines.
fn pieces(code: &str) -> impl Iterator<Item = &str> {
    let mut ends: Vec<usize> =
        memchr::memchr_iter(b'\n', code.as_bytes()).skip(LIST - 1).step_by(LIST).collect();
    ends.push(code.len());
    let mut from = 0;
    let pieces = ends.into_iter().map(move |end| &code[std::mem::replace(&mut from, end).min(end)..end]);
    pieces.map(|piece| piece.trim_matches('\n').trim_end()).filter(|piece| !piece.trim().is_empty())
}

/// Whether a sentence cannot be read without the one before it.
fn refers(sentence: &str) -> bool {
    let first = sentence.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    REFERRING.binary_search(&first.as_str()).is_ok()
}

/// Whether a paragraph leads in to the list below it.
fn leads_in(text: &str) -> bool {
    text.trim_end_matches(['*', '_', ' ']).ends_with(':')
}

/// The last block of the list that begins here and is shown with its sentence; of other text, the first.
fn items<'b>(blocks: &'b [Block], text: &str) -> Option<&'b Block> {
    let kind = blocks.first()?.place;
    let listed = match kind {
        Place::Item | Place::Table => blocks.iter().take_while(|block| block.place == kind).count(),
        Place::Prose | Place::Code => 1,
        _ => 0,
    };
    fitting(&blocks[..listed], text)
}

/// The last of the first blocks that have at most [`LIST`] lines together.
fn fitting<'b>(blocks: &'b [Block], text: &str) -> Option<&'b Block> {
    let start = blocks.first()?.range.start;
    let fits = |block: &&Block| text[start..block.range.end].lines().count() <= LIST;
    blocks.iter().take(LIST).take_while(fits).last()
}

/// Counts lines up to places that only go forward.
struct LineCounter<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    fn of(&mut self, at: usize) -> usize {
        self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..at]).count();
        self.at = at;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Fees\n\nIntro text here.\n\n## Letters\n\nA letter is sent when:\n\n- a book is late\n- a fee is due\n\n| what | price |\n| --- | --- |\n| letter | 2 euros |\n";

    #[test]
    fn a_sentence_is_shown_with_its_list() {
        let language = Language::new("en");
        let passages = Passages::new(&[("spec.md", SPEC)], &language);
        let found = passages.about("When is a letter sent?", 1).passages;
        assert_eq!(found[0].text, "A letter is sent when:\n\n- a book is late\n- a fee is due");
        assert_eq!((found[0].line, found[0].heading), (7, "Letters"));
    }

    #[test]
    fn what_leaves_something_open_answers_nothing() {
        let language = Language::new("en");
        let spec = "# Desk\n\n## Rules\n\n- Late parcels are moved to TBD.\n- Each locker has a key.\n\n## Open Questions\n\n- Who pays for a lost key?: asked by Sam in turn 4 and not answered\n\n## Time\n\n| what | kept for |\n| --- | --- |\n| lost key | 12 weeks |\n";
        let passages = Passages::new(&[("spec.md", spec)], &language);
        for (question, is_sure) in [
            ("Where are late parcels moved to?", false),
            ("Who pays for a lost key?", false),
            ("Which locker has no key?", false),
            ("Has each locker a key?", true),
        ] {
            let found = passages.about(question, 3);
            assert_eq!(found.is_sure, is_sure, "{question}: {found:?}");
        }
    }

    #[test]
    fn a_question_of_an_earlier_discussion_comes_last() {
        let language = Language::new("en");
        let spec = "# Desk\n\n## Open Questions\n\n- Who pays for a lost key?: asked by Sam in turn 4 and not answered\n\n## Keys\n\nA reader who lost the key of a locker pays for a new lock.\n";
        let passages = Passages::new(&[("spec.md", spec)], &language);
        let found = passages.about("Who pays for a lost key?", 3).passages;
        assert_eq!(found.iter().map(|one| one.line).collect::<Vec<_>>(), [9, 5]);
    }

    #[test]
    fn an_item_is_shown_with_its_own_list() {
        let language = Language::new("en");
        let spec = "# Desk\n\n- Letters are sent weekly.\n- After three letters the desk:\n  - blocks the card\n  - calls the reader\n- Fees stop.\n";
        let spec = format!("{spec}{}", "- Nothing more.\n".repeat(9));
        let passages = Passages::new(&[("spec.md", &spec)], &language);
        let found = passages.about("What happens after three letters?", 1).passages;
        assert_eq!(found[0].text, "After three letters the desk:\n  - blocks the card\n  - calls the reader");
    }

    #[test]
    fn an_item_of_a_short_list_is_shown_with_it() {
        let language = Language::new("en");
        let spec = "# Desk\n\nThe desk has:\n\n- 20 lockers\n- of which 15 are for guests\n\nText.\n\n- Letters leave daily.\n- Fees stop.\n\n<figure><img alt=\"fees\"></figure>\n\n```\na\nkey:\n```\n- one\n- two\n";
        let passages = Passages::new(&[("spec.md", spec)], &language);
        let found = |question| passages.about(question, 1).passages[0];
        let lockers = found("How many lockers are there?");
        assert_eq!((lockers.line, lockers.text.lines().count()), (3, 4));
        assert_eq!(found("When do letters leave?").text, "Letters leave daily.");
        assert_eq!(passages.about("When do fees stop?", 3).passages.len(), 1);
    }

    #[test]
    fn front_matter_is_shown_by_its_lines() {
        let language = Language::new("en");
        let spec = "---\ntitle: Bell tower\nowner: TBD\n---\n\n# Bells\n\nThe bells ring at noon.\n";
        let passages = Passages::new(&[("spec.md", spec)], &language);
        let at = |line| passages.at("spec.md", line).map(|one| one.text);
        assert_eq!(
            [at(2), at(3), at(8)],
            [Some("title: Bell tower"), Some("owner: TBD"), Some("The bells ring at noon.")]
        );
    }

    #[test]
    fn a_long_item_is_shown_by_its_sentences() {
        let filler = "The clerk writes the date of the loan in the green book. ".repeat(8);
        let spec = format!("# Desk\n\n- Letters are sent weekly. {filler}Fees stop at 10 euros.\n");
        let language = Language::new("en");
        let passages = Passages::new(&[("spec.md", &spec)], &language);
        let found = passages.about("Where do the fees stop?", 1).passages;
        assert_eq!(found[0].text, "Fees stop at 10 euros.");
    }

    #[test]
    fn every_passage_is_at_its_line() {
        let language = Language::new("en");
        for passage in Passages::new(&[("spec.md", SPEC), ("a.csv", "id,name\n1,late\n")], &language).all {
            let text = if passage.path == "spec.md" { SPEC } else { "id,name\n1,late\n" };
            let line = text.lines().nth(passage.line - 1).unwrap();
            assert!(line.contains(passage.text.lines().next().unwrap()), "{passage:?}");
        }
    }

    #[test]
    fn a_statement_needs_more_of_its_words() {
        let language = Language::new("en");
        let passages = Passages::new(&[("spec.md", SPEC)], &language);
        assert!(passages.on("Decision: the invoice of a letter costs nothing.", 1).is_empty());
        assert_eq!(passages.on("Agreed: a letter is 3 euros.", 1).len(), 1);
        assert!(passages.mentions("letters") && !passages.mentions("endpoint"));
    }
}
