//! The passages of an item's documents, and which of them a question is about.
//!
//! A passage is a paragraph with the list below it, a list item, a table row, or a line of data: what a reader would
//! quote as a whole. Its text is an exact slice of its document, and its place is the line it begins on, under the
//! heading it belongs to. Which passages match is a question of words (BM25); whether one answers is for people.
//!
//! ```
//! use roundtable::text::Language;
//! use roundtable::voice::passages::Passages;
//!
//! let language = Language::new("en");
//! let spec = "# Late fees\n\n## Limits\n\nFees stop at 10 euros.\n\nLetters are sent weekly.\n";
//! let passages = Passages::new(&[("spec.md", spec)], &language);
//! let found = passages.about("When do the fees stop?", 3);
//! assert_eq!((found[0].text, found[0].line, found[0].heading), ("Fees stop at 10 euros.", 5, "Limits"));
//! assert!(passages.about("Who writes the invoices?", 3).is_empty());
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use crate::text::index::{Hit, Index, stems};
use crate::text::words::{is_significant, words};
use crate::text::{Language, Message, Place, Word};

/// A list that belongs to a sentence is shown with it up to so many lines.
const LIST: usize = 15;
/// A passage is shown where it has this share of the weight of a question's words, in percent.
const ENOUGH: f64 = 42.0;
/// Two of a question's words together are enough with this share.
const ENOUGH_OF_TWO: f64 = 25.0;
/// What a word that no passage has weighs, as a part of the rarest word's weight.
const UNKNOWN: f64 = 0.7;
/// Passages that are ranked by how many of the words they have.
const CANDIDATES: usize = 60;
/// Words of questions that say nothing about their subject, by their stems.
const ASKING: [&str; 14] = [
    "anoth", "anybodi", "exact", "happen", "kind", "long", "mani", "may", "mean", "often", "person",
    "somebodi", "think", "two",
];
/// Further passages are shown down to this share of the best one's score, in percent.
const NEAR: f64 = 70.0;

/// How much more a passage with a figure counts for a question that asks for one.
const FIGURE: f64 = 2.0;
/// What follows "how" in a question that asks for a figure.
const AMOUNTS: [&str; 9] = ["big", "far", "fast", "few", "large", "long", "many", "much", "often"];

/// Whether a text gives a figure or asks for one: "how long", "how many", "when".
fn wants_figure(text: &str) -> bool {
    let words = words(text);
    if words.iter().any(|word| word.text.starts_with(|c: char| c.is_ascii_digit())) {
        return true;
    }
    let next = |at: usize| words.get(at + 1).map(|word| word.text.as_ref());
    let asks_how = |at: usize| next(at).is_some_and(|word| AMOUNTS.binary_search(&word).is_ok());
    words.iter().enumerate().any(|(at, word)| match word.text.as_ref() {
        "how" => asks_how(at),
        "when" => at == 0,
        _ => false,
    })
}

/// A piece of a document that is quoted as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage<'t> {
    /// The document's path within the item folder.
    pub path: &'t str,
    /// The line it begins on, from one.
    pub line: usize,
    /// The text of the heading it is under; empty before the first.
    pub heading: &'t str,
    pub text: &'t str,
}

impl Passage<'_> {
    /// Whether a line of a document is one of the passage's.
    pub fn has_line(&self, path: &str, line: usize) -> bool {
        self.path == path && (self.line..self.line + self.text.lines().count()).contains(&line)
    }
}

/// All passages of some documents, with an index over their words.
pub struct Passages<'t> {
    all: Vec<Passage<'t>>,
    index: Index<'t>,
    language: &'t Language,
}

impl<'t> Passages<'t> {
    /// The passages of documents, given by path and text.
    pub fn new(documents: &[(&'t str, &'t str)], language: &'t Language) -> Passages<'t> {
        let of = |(path, text): &(&'t str, &'t str)| match is_markdown(path) {
            true => markdown(path, text, language),
            false => lines(path, text),
        };
        let all: Vec<Passage<'t>> = documents.iter().flat_map(of).collect();
        // What a section is about is often said in its heading only.
        let texts: Vec<String> = all.iter().map(|one| format!("{}\n\n{}", one.heading, one.text)).collect();
        let index = Index::new(texts.iter().map(String::as_str), language);
        Passages { all, index, language }
    }

    /// The passages that a question or statement is about, the best first, at most `limit`; none where too few of
    /// its words are in any of them.
    pub fn about(&self, text: &str, limit: usize) -> Vec<&Passage<'t>> {
        let wanted = self.wanted(text);
        // A word that no passage has may be another word for one that they have.
        let unknown = self.index.rarest() * UNKNOWN;
        let weight =
            |stem: &String| Some(self.index.weight(stem)).filter(|found| *found > 0.0).unwrap_or(unknown);
        let all: f64 = wanted.iter().map(weight).sum();
        let is_question = text.contains(['?', '？']);
        let is_about = |hit: &Hit| {
            let matched: f64 = hit.matched.iter().map(weight).sum();
            let count = hit.matched.len();
            let share = matched * 100.0 / all.max(f64::MIN_POSITIVE);
            share >= ENOUGH
                || count > 1 && (count * 2 >= wanted.len() || is_question && share >= ENOUGH_OF_TWO)
        };
        let wants_figure = wants_figure(text);
        // A passage that has more of the words comes first, whatever their number in it.
        let score = |hit: &Hit| {
            let has_figure = self.all[hit.passage].text.contains(|c: char| c.is_ascii_digit());
            let fits = if wants_figure && has_figure { FIGURE } else { 1.0 };
            hit.score * fits * hit.matched.len() as f64
        };
        let mut hits = self.index.find(&wanted, CANDIDATES);
        hits.retain(is_about);
        hits.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.passage.cmp(&b.passage)));
        let best = hits.first().map_or(0.0, score);
        let near = hits.into_iter().take(limit).filter(|hit| score(hit) * 100.0 >= best * NEAR);
        near.map(|hit| &self.all[hit.passage]).collect()
    }

    /// The passage that a line of a document is in.
    pub fn at(&self, path: &str, line: usize) -> Option<&Passage<'t>> {
        self.all.iter().find(|passage| passage.has_line(path, line))
    }

    /// The passages that share most with a text, the best first, whether much or little.
    pub fn near(&self, text: &str, limit: usize) -> Vec<&Passage<'t>> {
        let hits = self.index.find(&self.wanted(text), limit);
        hits.into_iter().map(|hit| &self.all[hit.passage]).collect()
    }

    /// The stems of a text that say something about a subject.
    fn wanted(&self, text: &str) -> BTreeSet<String> {
        let message = Message::new(text, self.language);
        let words = message.sentences.iter().flat_map(|sentence| unlabelled(&sentence.words));
        // A short word in capitals is a name: "GA", "UI".
        let is_name =
            |word: &Word<'_>| text[word.range.clone()].chars().filter(|c| c.is_uppercase()).count() > 1;
        words
            .filter(|word| !word.is_mark && (is_significant(&word.lower) || is_name(word)))
            .filter(|word| ASKING.binary_search(&word.stem.as_ref()).is_err())
            .map(|word| word.stem.to_string())
            .collect()
    }

    /// Whether any passage says a word or phrase.
    pub fn mentions(&self, phrase: &str) -> bool {
        let stems = stems(phrase, self.language);
        !stems.is_empty() && stems.iter().all(|stem| self.index.weight(stem) > 0.0)
    }
}

/// The words of a sentence after its label: "Decision: …", "TODO: …".
fn unlabelled<'w, 't>(words: &'w [Word<'t>]) -> &'w [Word<'t>] {
    match words {
        [_, colon, rest @ ..] if colon.lower == ":" => rest,
        _ => words,
    }
}

fn is_markdown(path: &str) -> bool {
    let suffix = path.rsplit_once('.').map_or("", |(_, suffix)| suffix).to_ascii_lowercase();
    matches!(suffix.as_str(), "md" | "markdown" | "txt")
}

/// The lines of data, each a passage.
fn lines<'t>(path: &'t str, text: &'t str) -> Vec<Passage<'t>> {
    let numbered = (1..).zip(text.lines());
    let says = |line: &str| line.contains(char::is_alphanumeric);
    numbered
        .filter(|(_, line)| says(line))
        .map(|(number, line)| Passage { path, line: number, heading: "", text: value(line) })
        .collect()
}

/// A line of data without the comma after it and, where it is one string, without its quotation marks.
fn value(line: &str) -> &str {
    let line = line.trim().trim_end_matches(',');
    let inside = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.filter(|text| !text.contains('"')).unwrap_or(line)
}

/// A paragraph, list item, table row or heading of a Markdown document.
struct Block {
    place: Place,
    range: Range<usize>,
}

fn markdown<'t>(path: &'t str, text: &'t str, language: &Language) -> Vec<Passage<'t>> {
    let blocks = blocks(text, language);
    let mut lines = LineCounter { text, at: 0, line: 1 };
    let (mut found, mut heading, mut at) = (Vec::new(), "", 0);
    while let Some(block) = blocks.get(at) {
        at += 1;
        match block.place {
            Place::Heading => heading = text[block.range.clone()].trim_matches(['#', ' ']),
            Place::Comment => {}
            Place::Code => {
                let code = &text[block.range.clone()];
                let line = lines.of(block.range.start);
                found.extend(pieces(code).map(|(from, text)| Passage {
                    path,
                    line: line + from,
                    heading,
                    text,
                }));
            }
            _ => {
                let line = lines.of(block.range.start);
                let list = if leads_in(&text[block.range.clone()]) { items(&blocks[at..], text) } else { 0 };
                let end = if list > 0 { blocks[at + list - 1].range.end } else { block.range.end };
                let text = text[block.range.start..end].trim_end();
                found.push(Passage { path, line, heading, text });
            }
        }
    }
    found
}

/// A block of code in pieces of at most [`LIST`] lines, each with its first line from zero.
fn pieces(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut ends: Vec<usize> =
        memchr::memchr_iter(b'\n', code.as_bytes()).skip(LIST - 1).step_by(LIST).collect();
    ends.push(code.len());
    let mut from = 0;
    let pieces = ends.into_iter().map(move |end| &code[std::mem::replace(&mut from, end).min(end)..end]);
    let pieces =
        pieces.enumerate().map(|(number, piece)| (number * LIST, piece.strip_prefix('\n').unwrap_or(piece)));
    pieces.map(|(line, piece)| (line, piece.trim_end())).filter(|(_, piece)| !piece.trim().is_empty())
}

/// The blocks of a document with the bytes they take.
fn blocks(text: &str, language: &Language) -> Vec<Block> {
    let mut found: Vec<(usize, Block)> = Vec::new();
    for sentence in Message::new(text, language).sentences {
        match found.last_mut() {
            Some((number, block)) if *number == sentence.block => block.range.end = sentence.range.end,
            _ => found.push((sentence.block, Block { place: sentence.place, range: sentence.range })),
        }
    }
    found.into_iter().map(|(_, block)| block).collect()
}

/// Whether a paragraph leads in to the list below it.
fn leads_in(text: &str) -> bool {
    text.trim_end_matches(['*', '_', ' ']).ends_with(':')
}

/// How many blocks of a list begin here that are shown with their sentence.
fn items(blocks: &[Block], text: &str) -> usize {
    let Some(kind) = blocks.first().map(|block| block.place) else { return 0 };
    let is_listed = |block: &&Block| block.place == kind && matches!(kind, Place::Item | Place::Table);
    let listed = blocks.iter().take_while(is_listed).count();
    let lines = |count: &usize| {
        let (first, last) = (&blocks[0], &blocks[count - 1]);
        text[first.range.start..last.range.end].lines().count() <= LIST
    };
    (1..=listed.min(LIST)).rfind(lines).unwrap_or(0)
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
        let found = passages.about("When is a letter sent?", 1);
        assert_eq!(found[0].text, "A letter is sent when:\n\n- a book is late\n- a fee is due");
        assert_eq!((found[0].line, found[0].heading), (7, "Letters"));
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
        assert!(passages.about("Decision: the invoice of a letter costs nothing.", 1).is_empty());
        assert_eq!(passages.about("Agreed: a letter costs 3 euros.", 1).len(), 1);
        assert!(passages.mentions("letters") && !passages.mentions("endpoint"));
    }
}
