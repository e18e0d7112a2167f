//! Rules as files: `<persona>/<rule>.yaml`, and beside them `scope.yaml` (kinds of sections) and `words.yaml` (lists).
//!
//! Invariant: a rule that loads can run; what is wrong with a file is a finding with its place. A rule looks for
//! phrases (`any`, with `all` and `unless`) or calls a measure by name, and carries examples that must match
//! (`yes`) and must not (`no`), which the tests run.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::measures::{self, Measure};
use super::pattern::{Compiler, First, Lists, Set};
use super::scope::{Entry, Scope};
use super::token::Vocabulary;
use crate::finding::{self, did_you_mean};
use crate::front_matter;

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

/// A rule that can run.
#[derive(Clone, Debug)]
pub struct Rule {
    pub file: RuleFile,
    /// Path below the rules folder.
    pub path: String,
    pub inside: u64,
    pub outside: u64,
    pub any: Set,
    pub all: Vec<Set>,
    pub unless: Set,
    pub unless_near: Set,
    pub unless_section: Set,
    pub unless_before: Set,
    pub measure: Option<Measure>,
    pub words: BTreeMap<String, Set>,
}

impl Rule {
    /// The phrases of a measure by their name; an empty set where the file has none.
    pub fn set(&self, name: &str) -> &Set {
        static NONE: OnceLock<Set> = OnceLock::new();
        self.words.get(name).unwrap_or_else(|| NONE.get_or_init(Set::default))
    }

    /// The rule reads sections of these kinds.
    pub fn is_for(&self, kinds: u64) -> bool {
        (self.inside == 0 || self.inside & kinds != 0) && self.outside & kinds == 0
    }
}

/// All rules, ready to run.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pub(super) rules: Vec<Rule>,
    pub(super) words: Vocabulary,
    pub(super) scope: Scope,
    /// "must", "shall" and the like.
    pub(super) binding: Set,
    /// Sentences of user stories and of their criteria.
    pub(super) story: Set,
    /// Words of a report: what was, what somebody thinks.
    pub(super) narrative: Set,
    /// Words of sentences beside the demands: plans, aims, and what the document says of itself.
    pub(super) beside: Set,
    /// Notes of the authors to themselves.
    pub(super) note: Set,
    /// Titles of documents that state what is to be.
    pub(super) specification: Set,
    /// Titles and file names of requirements.
    pub(super) requirements: Set,
    /// The pattern rules that may begin with a word, by its number.
    pub(super) by_word: Vec<Vec<(u16, u16)>>,
    pub(super) others: Vec<(First, u16, u16)>,
}

const SCOPE: &str = "scope.yaml";
const WORDS: &str = "words.yaml";

mod built_in {
    include!(concat!(env!("OUT_DIR"), "/review.rs"));
}

/// The built-in rule files as they are in the repository: path below `rules/review`, and text.
pub fn sources() -> &'static [(&'static str, &'static str)] {
    built_in::SOURCES
}

impl Rules {
    /// The built-in rules with a repository's own laid over them; where it has none, they are read once for all.
    ///
    /// # Errors
    /// A file that is no rule.
    pub fn of(own: &[(String, String)]) -> Result<Arc<Rules>, finding::Finding> {
        static BUILT_IN: OnceLock<Result<Arc<Rules>, finding::Finding>> = OnceLock::new();
        match own {
            [] => BUILT_IN.get_or_init(|| Rules::built_in().map(Arc::new)).clone(),
            own => Rules::over(own).map(Arc::new),
        }
    }

    /// The built-in rules.
    ///
    /// # Errors
    /// Never, as long as the tests pass.
    pub fn built_in() -> Result<Rules, finding::Finding> {
        Rules::over(&[])
    }

    /// The built-in rules with files laid over them: the same path replaces a file, a new one adds a rule.
    ///
    /// # Errors
    /// The first file that is wrong, with the place.
    pub fn over(files: &[(String, String)]) -> Result<Rules, finding::Finding> {
        let replaced = |path: &str| files.iter().any(|(other, _)| other == path);
        let (mut lists, mut scope, mut rules) = (Lists::new(), Vec::new(), Vec::new());
        for (path, json) in built_in::COMPILED.iter().filter(|(path, _)| !replaced(path)) {
            let wrong = |error: serde_json::Error| finding::Finding::at(path, json, 1, 1, error.to_string());
            match *path {
                SCOPE => scope = serde_json::from_str(json).map_err(wrong)?,
                WORDS => lists.extend(serde_json::from_str::<Lists>(json).map_err(wrong)?),
                _ => rules.push(((*path).to_owned(), serde_json::from_str(json).map_err(wrong)?)),
            }
        }
        for (path, text) in files {
            match path.as_str() {
                SCOPE => scope = front_matter::parse::<Vec<Entry>>(path, text, text, 0)?,
                WORDS => lists.extend(front_matter::parse::<Lists>(path, text, text, 0)?),
                _ => rules.push((path.clone(), front_matter::parse::<RuleFile>(path, text, text, 0)?)),
            }
        }
        Rules::compile(&lists, &scope, rules, files)
    }

    fn compile(
        lists: &Lists,
        scope: &[Entry],
        mut files: Vec<(String, RuleFile)>,
        texts: &[(String, String)],
    ) -> Result<Rules, finding::Finding> {
        files.sort_by(|(a, _), (b, _)| a.cmp(b));
        let text = |path: &str| texts.iter().find(|(other, _)| other == path).map_or("", |(_, text)| text);
        let mut compiler = Compiler::new(lists);
        let placed = |path: &str, message: String| misplaced(path, text(path), message);
        let scope = Scope::new(scope, &mut compiler).map_err(|message| placed(SCOPE, message))?;
        let mut rules: Vec<Rule> = Vec::with_capacity(files.len());
        for (path, file) in files {
            if rules.iter().any(|rule| rule.file.rule == file.rule) {
                return Err(placed(&path, format!("another file has the rule \"{}\" already", file.rule)));
            }
            let rule = Rule::compile(path.clone(), file, &scope, &mut compiler);
            rules.push(rule.map_err(|message| placed(&path, message))?);
        }
        let mut list = |name: &str| compiler.list(name).map_err(|message| placed(WORDS, message));
        let (binding, story) = (list("binding")?, list("story")?);
        let (narrative, beside) = (list("narrative")?, list("beside")?);
        let (by_word, others) = (Vec::new(), Vec::new());
        let (note, specification, requirements) =
            (list("note")?, list("specification")?, list("requirements")?);
        let mut all = Rules {
            rules,
            words: compiler.words,
            scope,
            binding,
            story,
            narrative,
            beside,
            note,
            specification,
            requirements,
            by_word,
            others,
        };
        all.index();
        Ok(all)
    }

    /// Finds the pattern rules by what they begin with.
    fn index(&mut self) {
        self.by_word = vec![Vec::new(); self.words.len()];
        for (at, rule) in (0..).zip(&self.rules) {
            for (first, phrase) in rule.any.firsts() {
                match first {
                    First::Words(words) => {
                        words.iter().for_each(|word| self.by_word[*word as usize].push((at, phrase as u16)));
                    }
                    other => self.others.push((other, at, phrase as u16)),
                }
            }
        }
    }

    /// All rules, by path.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// The rule of this name.
    ///
    /// # Errors
    /// A message that names the nearest rule.
    pub fn find(&self, name: &str) -> Result<&Rule, String> {
        self.rules.iter().find(|rule| rule.file.rule == name).ok_or_else(|| {
            let known: Vec<&str> = self.rules.iter().map(|rule| rule.file.rule.as_str()).collect();
            format!("no rule \"{name}\"{}", did_you_mean(name, &known))
        })
    }
}

impl Rule {
    fn compile(
        path: String,
        file: RuleFile,
        scope: &Scope,
        compiler: &mut Compiler<'_>,
    ) -> Result<Rule, String> {
        let (persona, name) = path.split_once('/').unwrap_or(("", path.as_str()));
        let name = name.strip_suffix(".yaml").unwrap_or(name);
        if persona != file.persona || name != file.rule {
            let expected = format!("{}/{}.yaml", file.persona, file.rule);
            return Err(format!("the file of this rule and persona is {expected}, not {path}"));
        }
        if file.any.is_empty() == file.measure.is_none() {
            return Err("a rule has either `any` or `measure`".to_owned());
        }
        let measure = file.measure.as_deref().map(measures::find).transpose()?;
        let mut set = |texts: &[String]| compiler.set(texts);
        let any = set(&file.any)?;
        let all = file.all.iter().map(|group| set(group)).collect::<Result<_, _>>()?;
        let (unless, unless_near) = (set(&file.unless)?, set(&file.unless_near)?);
        let (unless_section, unless_before) = (set(&file.unless_section)?, set(&file.unless_before)?);
        let named = file.words.iter().map(|(name, texts)| Ok((name.clone(), set(texts)?)));
        let named = named.collect::<Result<_, String>>()?;
        let (inside, outside) = (scope.bits(&file.inside)?, scope.bits(&file.outside)?);
        Ok(Rule {
            path,
            inside,
            outside,
            any,
            all,
            unless,
            unless_near,
            unless_section,
            unless_before,
            measure,
            words: named,
            file,
        })
    }
}

/// A finding at the word that a message quotes, where the file has it.
fn misplaced(path: &str, text: &str, message: String) -> finding::Finding {
    let needle = message.split('"').nth(1).unwrap_or_default().to_owned();
    if needle.is_empty() || !text.contains(&needle) {
        return finding::Finding::at(path, text, 1, 1, message);
    }
    finding::Finding::near(path, text, &needle, message)
}
