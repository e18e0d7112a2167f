//! The decisions of an item: each with an id, and which of them a later one replaces.
//!
//! Documents only grow, so a decision is never edited. A later one names it: a user's message that decides something and
//! says `replaces D-4f2a91c` or `supersedes ADR-0003`, or a decision record that says so. Invariant: a decision replaces
//! only what it names and what was decided before it, and an id depends on the recording's name and the decision's number
//! alone, so it stays the same after a merge or a move of the folder.
//!
//! ```
//! use roundtable::history::decisions::named;
//!
//! assert_eq!(named("Decision: 20 euros, replaces D-4f2a91c and ADR-12."), ["D-4f2a91c", "ADR-0012"]);
//! assert!(named("The new card replaces the old one.").is_empty());
//! ```

use std::collections::HashMap;

use crate::discussion::Finished;
use crate::item::library::sha256;
use crate::text::plain::one_line;
use crate::text::source::own_words;

/// The words before the ids of what is replaced.
const KEYWORDS: [&str; 2] = ["replaces", "supersedes"];
/// Digits of the digest in an id.
const ID_DIGITS: usize = 7;

/// A decision of a discussion, or a decision record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDecision {
    pub id: String,
    pub text: String,
    pub source: Source,
    /// The ids that it says it replaces and that are decisions of the item.
    pub replaces: Vec<String>,
    /// The ids of later decisions that replace it.
    pub replaced_by: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The discussion and the decision in its synthesis, both counted from 0.
    Discussion { talk: usize, number: usize },
    /// A decision record's path in the item folder.
    Record(String),
}

/// The decisions of an item, in the order of its discussions; decision records at the end.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    entries: Vec<ListedDecision>,
    /// Ids that a decision names and that no earlier decision of the item has: who names them, and the id.
    pub unknown: Vec<(String, String)>,
}

impl Decisions {
    /// Reads discussions, each with its recording, and the documents of an item.
    pub fn read<'t>(
        talks: impl Iterator<Item = (&'t str, &'t Finished)>,
        documents: impl Iterator<Item = (&'t str, &'t str)>,
    ) -> Decisions {
        let mut entries = Vec::new();
        for (talk, (name, finished)) in talks.enumerate() {
            let replaced = replaced_in(finished);
            for (number, decision) in finished.summary.decisions.iter().enumerate() {
                entries.push(ListedDecision {
                    id: id(name, number),
                    text: decision.text.clone(),
                    source: Source::Discussion { talk, number },
                    replaces: replaced.get(&number).cloned().unwrap_or_default(),
                    replaced_by: Vec::new(),
                });
            }
        }
        entries.extend(documents.filter_map(|(name, text)| record(name, text)));
        Decisions { entries, unknown: Vec::new() }.linked()
    }

    /// Marks what is replaced.
    fn linked(mut self) -> Decisions {
        let places: HashMap<String, usize> =
            self.entries.iter().enumerate().map(|(at, entry)| (entry.id.clone(), at)).collect();
        for at in 0..self.entries.len() {
            let own = self.entries[at].id.clone();
            let (mut known, is_record) = (Vec::new(), self.entries[at].is_record());
            for wanted in std::mem::take(&mut self.entries[at].replaces) {
                // A record has no time: it and a discussion's decision may replace each other.
                let is_earlier = |other: &usize| *other < at || self.entries[*other].is_record() != is_record;
                match places.get(&wanted).copied().filter(is_earlier) {
                    Some(other) if known.contains(&self.entries[other].id) => {}
                    Some(other) => {
                        self.entries[other].replaced_by.push(own.clone());
                        known.push(wanted);
                    }
                    None => self.unknown.push((own.clone(), wanted)),
                }
            }
            self.entries[at].replaces = known;
        }
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = &ListedDecision> {
        self.entries.iter()
    }

    /// The decisions of discussions, in the order they were made.
    pub fn of_discussions(&self) -> impl Iterator<Item = &ListedDecision> {
        self.iter().filter(|entry| !entry.is_record())
    }

    /// What a later decision replaces.
    pub fn replaced(&self) -> impl Iterator<Item = &ListedDecision> {
        self.iter().filter(|entry| !entry.replaced_by.is_empty())
    }
}

impl ListedDecision {
    pub const fn is_record(&self) -> bool {
        matches!(self.source, Source::Record(_))
    }
}

/// The id of a decision, by its recording's path or file name and its number from 0.
pub fn id(recording: &str, number: usize) -> String {
    let stem = recording.rsplit('/').next().unwrap_or(recording).trim_end_matches(".jsonl");
    format!("D-{}", &sha256(format!("{stem} {number}").as_bytes())[..ID_DIGITS])
}

/// A decision record by its name in the item folder: `adr/0003-title.md`.
fn record(name: &str, text: &str) -> Option<ListedDecision> {
    let number = record_number(name)?;
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
    let title = title.split_once(": ").map_or(title, |(label, rest)| {
        if label.to_ascii_uppercase().starts_with("ADR") { rest } else { title }
    });
    Some(ListedDecision {
        id: record_id(number),
        text: title.trim().to_owned(),
        source: Source::Record(name.to_owned()),
        replaces: own_words(text).lines().flat_map(named).collect(),
        replaced_by: Vec::new(),
    })
}

/// The number of a decision record, by its name in the item folder.
pub fn record_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("adr/")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

fn record_id(number: u32) -> String {
    format!("ADR-{number:04}")
}

/// The ids that each decision of a discussion names, by the decision's number. Of several decisions in one message the
/// last one before the id names it.
fn replaced_in(finished: &Finished) -> HashMap<usize, Vec<String>> {
    let mut found: HashMap<usize, Vec<String>> = HashMap::new();
    let decisions = &finished.summary.decisions;
    let last_turns: Vec<u32> = decisions.iter().filter_map(|one| one.turns.last().copied()).collect();
    for message in finished.entries().messages(&last_turns) {
        let of_turn = |number: &usize| decisions[*number].turns.last() == message.turn.as_ref();
        let numbers: Vec<usize> = (0..decisions.len()).filter(of_turn).collect();
        for line in own_words(&message.text).lines() {
            let ids = named(line);
            if ids.is_empty() {
                continue;
            }
            let line = one_line(line);
            let is_in_line = |number: &&usize| line.contains(&decisions[**number].text);
            let number = numbers.iter().rfind(is_in_line).or(numbers.last());
            if let Some(number) = number {
                found.entry(*number).or_default().extend(ids);
            }
        }
    }
    found
}

/// The ids that a text says it replaces: `replaces D-4f2a91c`, `supersedes ADR-0003 and ADR-4`.
pub fn named(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if !KEYWORDS.contains(&bare(word).to_ascii_lowercase().as_str()) {
            continue;
        }
        while let Some(next) = words.peek() {
            let word = bare(next);
            match id_in(word) {
                Some(id) => found.push(id),
                None if is_filler(word) => {}
                None => break,
            }
            words.next();
        }
    }
    found
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// What may be between the keyword and an id: "replaces our decision ADR-3 and ADR-4".
fn is_filler(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "" | "and" | "the" | "our" | "decision" | "decisions")
}

/// The id that a word begins with.
fn id_in(word: &str) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    let digits =
        |rest: &str, is_digit: fn(&char) -> bool| rest.chars().take_while(is_digit).collect::<String>();
    if let Some(rest) = lower.strip_prefix("d-") {
        let hex = digits(rest, char::is_ascii_hexdigit);
        return (hex.len() == ID_DIGITS).then(|| format!("D-{hex}"));
    }
    let rest = lower.strip_prefix("adr-").or_else(|| lower.strip_prefix("adr/"))?;
    digits(rest, char::is_ascii_digit).parse().ok().map(record_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_after_a_keyword_only() {
        let cases: [(&str, &[&str]); 9] = [
            ("Decision: 20 euros; replaces D-4F2A91C.", &["D-4f2a91c"]),
            (
                "This supersedes our decision `D-4f2a91c`, D-0000001 and ADR-7.",
                &["D-4f2a91c", "D-0000001", "ADR-0007"],
            ),
            ("Replaces: [ADR-0001](adr/0001-storage.md)", &["ADR-0001"]),
            ("(supersedes adr/0012-queue.md)", &["ADR-0012"]),
            ("Replaces D-4f2a91c because D-0000001 is still true.", &["D-4f2a91c"]),
            ("It replaces the printer D-4f2a91c.", &[]),
            ("Replaces D-4f2a and D-4f2a91c00.", &[]),
            ("D-4f2a91c is kept.", &[]),
            ("Does it replace D-4f2a91c?", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(named(text), expected, "{text}");
        }
    }

    #[test]
    fn a_record_replaces_an_earlier_one_and_never_a_later_one() {
        let documents = [
            ("adr/0001-storage.md", "# ADR 0001: Storage in files\n\nSupersedes ADR-0002.\n"),
            (
                "adr/0002-storage.md",
                "# ADR 0002: Storage in SQLite\n\n## Decision\n\nSQLite. It supersedes ADR-0001.\n",
            ),
            ("spec.md", "Supersedes ADR-0002.\n"),
        ];
        let all = Decisions::read(std::iter::empty(), documents.into_iter());
        let replaced: Vec<(&str, &[String])> =
            all.replaced().map(|entry| (entry.text.as_str(), entry.replaced_by.as_slice())).collect();
        assert_eq!(replaced, [("Storage in files", &["ADR-0002".to_owned()][..])]);
        assert_eq!(all.unknown, [("ADR-0001".to_owned(), "ADR-0002".to_owned())]);
    }
}
