//! Something a persona can say, with the place it points at, and the words of a line that it quotes.

use std::sync::Arc;

use super::evidence::{Evidence, Line, snippet};
use super::paragraphs::sentences;
use super::runs::shared_nouns;
use super::wording::place;
use crate::discussion::words::{subjects, words};
use crate::lens::{Lens, Stance, Where, filled};

/// Something a persona can say, grounded in the evidence.
#[derive(Clone, Debug)]
pub struct Point {
    finding: Statement,
    /// What it asks for, if anything.
    pub ask: String,
    /// How much it matters by itself; higher is said earlier.
    pub weight: usize,
    /// The place it points at, with a blank behind it: `requirements-spec.md line 12 `.
    pub place: String,
    /// What it is about, for relevance; a point on a line is about the line and its heading too.
    stems: Vec<String>,
    /// The side that the lens takes, if it takes one.
    stance: Option<Stance>,
    /// The lens, by its index among those of the persona.
    pub lens: Option<usize>,
    /// Whether it says of the whole item that something stands nowhere.
    pub of_item: bool,
}

/// What a persona speaks for, and why, as the parts of "I favor … because …".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    pub favors: String,
    pub because: String,
}

impl Side {
    /// The position as a sentence.
    pub fn sentence(&self) -> String {
        format!("I favor {} because {}.", self.favors, self.because)
    }
}

/// What was found. Of a hundred findings in a document a discussion says ten: the sentence on a
/// line is written when it is wanted.
#[derive(Clone, Debug)]
enum Statement {
    Written(String),
    /// A word of a line, by its index in the evidence, and the lens's sentence about them.
    OnLine {
        at: usize,
        word: String,
        says: Arc<str>,
    },
}

impl Point {
    pub(super) fn new(weight: usize, about: &str, statement: String, ask: &str) -> Point {
        let stems = subjects(&format!("{about} {statement}"));
        let place = place_in(&statement).unwrap_or_default();
        let finding = Statement::Written(statement);
        Point { finding, ask: ask.to_owned(), weight, place, stems, stance: None, lens: None, of_item: false }
    }

    /// A point on a line: it is about what the line and its heading are about.
    pub(super) fn on((at, line): (usize, &Line), word: &str, lens: &Lens, says: &Arc<str>) -> Point {
        let place = if line.document.contains(' ') { String::new() } else { format!("{} ", place(line)) };
        let finding = Statement::OnLine { at, word: word.to_owned(), says: Arc::clone(says) };
        let ask = filled(&lens.asks, "", "", word);
        let (stance, of_item) = (lens.stance.clone(), lens.place == Where::Item);
        Point { finding, ask, weight: lens.weight, place, stems: Vec::new(), stance, lens: None, of_item }
    }

    /// How many of some subjects it is about.
    pub fn touches(&self, subjects: &[String], evidence: &Evidence) -> usize {
        let line = match self.finding {
            Statement::OnLine { at, .. } => evidence.lines.get(at),
            Statement::Written(_) => None,
        };
        let about = |word: &&String| match line {
            None => self.stems.contains(word),
            Some(line) => line.stems.contains(word) || line.section_stems.contains(word),
        };
        subjects.iter().filter(about).count()
    }

    /// What it rests on: the sentence of the line that it quotes, or its own.
    pub fn rests_on(&self, evidence: &Evidence) -> String {
        match &self.finding {
            Statement::Written(statement) => statement.clone(),
            Statement::OnLine { at, word, .. } => {
                evidence.lines.get(*at).map(|line| sentence_with(line, word)).unwrap_or_default()
            }
        }
    }

    /// Whether it names a document: in its own words, or as its place.
    pub fn names(&self, document: &str) -> bool {
        match &self.finding {
            Statement::Written(statement) => statement.contains(document),
            Statement::OnLine { .. } => self.place.contains(document),
        }
    }

    /// The line it is on, as an index of the evidence.
    pub fn line(&self) -> Option<usize> {
        match self.finding {
            Statement::OnLine { at, .. } => Some(at),
            Statement::Written(_) => None,
        }
    }

    /// Whether it takes a side.
    pub fn is_sided(&self) -> bool {
        self.stance.is_some()
    }

    /// The side it takes, in words.
    pub fn side(&self, evidence: &Evidence) -> Option<Side> {
        let (Statement::OnLine { at, word, .. }, Some(stance)) = (&self.finding, &self.stance) else {
            return None;
        };
        let quote = in_one_clause(&around(evidence.lines.get(*at)?, word));
        let said = |text: &str| filled(text, "", &quote, word);
        Some(Side { favors: said(&stance.favors), because: said(&stance.because) })
    }

    /// Whether a colleague's point takes the other side, in a sentence that speaks of the same thing: the two
    /// share a noun that few lines have.
    pub fn opposes(&self, other: &Point, evidence: &Evidence) -> bool {
        let (Some(mine), Some(theirs)) = (&self.stance, &other.stance) else { return false };
        if !mine.opposes(theirs) || self.line().is_none() || other.line().is_none() {
            return false;
        }
        let shared = shared_nouns(&self.rests_on(evidence), &other.rests_on(evidence));
        shared.iter().any(|noun| evidence.is_telling(noun))
    }

    /// The same finding without what it asks for.
    pub fn alone(&self) -> Point {
        Point { ask: String::new(), ..self.clone() }
    }

    /// The finding: one sentence that names what it rests on.
    pub fn statement(&self, evidence: &Evidence) -> String {
        match &self.finding {
            Statement::Written(statement) => statement.clone(),
            Statement::OnLine { at, word, says } => {
                let say = |line| filled(says, &place(line), &around(line, word), word);
                evidence.lines.get(*at).map(say).unwrap_or_default()
            }
        }
    }

    /// The sentence, and what it asks for.
    pub fn text(&self, evidence: &Evidence) -> String {
        let statement = self.statement(evidence);
        if self.ask.is_empty() { statement } else { format!("{statement} {}", self.ask) }
    }
}

/// A sentence of fewer words is a label.
const LABEL: usize = 4;

/// The sentence of a line that says a word.
pub(super) fn sentence_with(line: &Line, word: &str) -> String {
    let phrase: Vec<&str> = word.split(' ').collect();
    let says = |sentence: &String| {
        let found = words(sentence);
        found.windows(phrase.len()).any(|run| run.iter().zip(&phrase).all(|(word, part)| word.text == *part))
    };
    let found = sentences(&line.text).into_iter().find(says);
    // "Silent overwrites." is a label of what follows it.
    found.filter(|sentence| words(sentence).len() >= LABEL).unwrap_or_else(|| line.text.clone())
}

/// The sentence of a line that says a word, cut to what can be quoted.
fn around(line: &Line, word: &str) -> String {
    let sentence = sentence_with(line, word);
    let last = word.rsplit(' ').next().unwrap_or(word);
    let phrase = word.split(' ').count();
    let word = word.split(' ').next().unwrap_or(word);
    let quoted = snippet(&sentence, 90);
    if words(&quoted).iter().any(|found| found.text == last) {
        return quoted;
    }
    // The word stands behind the cut: quote from a few words before it.
    let found = words(&sentence);
    let said = |at: &usize| {
        found[*at].text == word
            && (phrase < 2 || found.get(at + phrase - 1).is_some_and(|end| end.text == last))
    };
    let Some(at) = (0..found.len()).find(said) else { return quoted };
    let from = found[at.saturating_sub(6)].start;
    format!("…{}", snippet(&sentence[from..], 90))
}

/// A quotation that can stand inside of "I favor … because …": what ends a sentence ends it, and so does
/// another "because".
fn in_one_clause(quote: &str) -> String {
    let quote = quote.trim_start_matches('…');
    let end = quote.find(['.', ';', '?', '!']).into_iter().chain(quote.find(" because ")).min();
    snippet(&quote[..end.filter(|end| *end > 0).unwrap_or(quote.len())], 80)
}

/// The first place that a statement names, up to the blank behind its line number.
fn place_in(statement: &str) -> Option<String> {
    statement.match_indices(" line ").find_map(|(at, found)| {
        let start = statement[..at].rfind([' ', '(', '"']).map_or(0, |blank| blank + 1);
        let number = at + found.len();
        let digits =
            statement[number..].find(|c: char| !c.is_ascii_digit()).unwrap_or(statement.len() - number);
        let is_place = digits > 0 && statement[start..at].contains('.');
        is_place.then(|| format!("{} ", &statement[start..number + digits]))
    })
}
