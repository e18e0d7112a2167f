//! What a rule's file says. The build script is made of this file too, so it uses no other of the program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Major,
    Minor,
    Note,
}

impl Severity {
    pub const ALL: [Severity; 3] = [Severity::Major, Severity::Minor, Severity::Note];

    pub fn name(self) -> &'static str {
        match self {
            Severity::Major => "major",
            Severity::Minor => "minor",
            Severity::Note => "note",
        }
    }
}

/// Which sentences a rule reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Where {
    /// Sentences that demand something: all claims of a specification; elsewhere those with an id, and items and rows
    /// under a heading such as "Requirements".
    Duty,
    /// All judged text but headings.
    #[default]
    Text,
    /// The same, except in running prose: in specifications, and in notes of a few lines.
    Specification,
    /// Headings as well, and sections that are not judged.
    Anywhere,
}

/// One text, or the blocks of one, or several documents by path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Example {
    Text(String),
    Blocks(Vec<String>),
    Documents(BTreeMap<String, String>),
}

impl Example {
    /// The documents of the example, by path.
    pub fn documents(&self) -> Vec<(String, String)> {
        match self {
            Example::Text(text) => vec![("example.md".to_owned(), text.clone())],
            Example::Blocks(blocks) => vec![("example.md".to_owned(), blocks.join("\n\n"))],
            Example::Documents(all) => all.clone().into_iter().collect(),
        }
    }
}

/// A rule's file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "`key: value` lines")]
pub struct RuleFile {
    pub rule: String,
    pub title: String,
    pub reference: String,
    pub severity: Severity,
    /// The severity in a document that explains and argues; the same where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_prose: Option<Severity>,
    pub persona: String,
    #[serde(default, rename = "where")]
    pub place: Where,
    /// Kinds of sections that the rule is for; all where none is named.
    #[serde(default, rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<String>,
    #[serde(default, rename = "not_in", skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// One of these phrases is the finding's quotation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub any: Vec<String>,
    /// The sentence has a phrase of each of these groups as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub all: Vec<Vec<String>>,
    /// No phrase of these is in the sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// No phrase of these is in the paragraph, item or table row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless_near: Vec<String>,
    /// No phrase of these is in the section.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless_section: Vec<String>,
    /// No phrase of these is before the match: "because", "so that".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless_before: Vec<String>,
    /// Only paragraphs, items and cells of at most so many sentences: longer ones are a tale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_sentences: Option<usize>,
    /// More than two equal findings in a table, or elsewhere in a document, are one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fold: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// Phrases that the measure looks for, by a name that the measure knows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, Vec<String>>,
    pub message: String,
    pub why: String,
    pub suggest: String,
    /// Answers to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yes: Vec<Example>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no: Vec<Example>,
}

impl RuleFile {
    /// All phrases of the file, set by set: the order in which the build keeps the compiled ones.
    pub fn phrases(&mut self) -> impl Iterator<Item = &mut Vec<String>> {
        let RuleFile { any, all, unless, unless_near, unless_section, unless_before, words, .. } = self;
        let sets = std::iter::once(any).chain(all);
        sets.chain([unless, unless_near, unless_section, unless_before]).chain(words.values_mut())
    }
}

/// An entry of `scope.yaml`: a kind of sections.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub kind: String,
    /// Rules look at such sections; false for history, examples and the like.
    #[serde(default = "yes")]
    pub judged: bool,
    /// Phrases; one that matches in a heading gives the section this kind.
    pub headings: Vec<String>,
}

fn yes() -> bool {
    true
}

/// The lists of `words.yaml` that rules don't name and the review itself reads.
pub const LISTS: [&str; 8] =
    ["binding", "story", "narrative", "beside", "note", "specification", "requirements", "unjudged"];
