//! Rules as files: `rules/review/RULE.yaml`, and a repository's own laid over them.
//!
//! A rule looks for patterns of the `regex` crate in blocks of text (`any`, `unless`), names a `check` of the program, or both.
//! It carries its message, why it matters, what helps, and examples that must be found (`yes`) and must not (`no`).
//! Invariant: a rule that loads can run; what is wrong with a file is a finding with its place.
//!
//! ```
//! use roundtable::review::Rules;
//!
//! assert!(Rules::built_in().unwrap().find("open-marker").is_ok());
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use regex::RegexSet;
use serde::{Deserialize, Serialize};

use super::facts::{self, Check};
use super::{Document, Files, Options, review};
use crate::item::library::review_files;
use crate::text::finding::{self, Severity, did_you_mean};
use crate::text::front_matter;
use crate::text::pattern::{Pattern, without_word_borders};

/// Which blocks the patterns of a rule read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Where {
    /// All text but code, quotations, comments and struck text.
    #[default]
    Text,
    /// Items and rows with an id, "must" or "shall", and acceptance criteria: a rule for wording.
    Requirement,
}

/// One text, or several documents by path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Example {
    Text(String),
    Documents(BTreeMap<String, String>),
}

impl Example {
    /// The documents of the example, by path.
    pub fn documents(&self) -> Vec<(String, String)> {
        match self {
            Example::Text(text) => vec![("example.md".to_owned(), text.clone())],
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
    pub persona: String,
    #[serde(default, rename = "where")]
    pub place: Where,
    /// It runs only where the settings give it a severity.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
    /// What is looked for; the quotation is the first group, else the whole match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub any: Vec<String>,
    /// What is no finding: a match of one of these that touches the quotation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// Headings whose sections are not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless_section: Vec<String>,
    /// The check of the program that the rule is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    pub message: String,
    /// The same without numbers of lines, for what documents keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    pub why: String,
    pub help: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yes: Vec<Example>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no: Vec<Example>,
}

/// A rule that can run.
#[derive(Clone, Debug)]
pub struct Rule {
    pub file: RuleFile,
    /// Path below the folder `rules/review`, or `review` of a repository's own rules.
    pub path: String,
    /// The repository's own.
    pub is_own: bool,
    pub(super) any: Vec<Pattern>,
    pub(super) unless: Vec<Pattern>,
    pub(super) unless_section: Vec<Pattern>,
    pub(super) check: Option<Check>,
}

impl Rule {
    fn read(path: &str, text: &str, is_own: bool) -> Result<Rule, finding::Finding> {
        let file: RuleFile = front_matter::parse(path, text, text, 0)?;
        let rule = Rule::new(path, file, is_own);
        rule.map_err(|(needle, message)| finding::Finding::near(path, text, &needle, message))
    }

    /// The rule, or what is wrong with which words of the file.
    fn new(path: &str, file: RuleFile, is_own: bool) -> Result<Rule, (String, String)> {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".yaml");
        if name != file.rule {
            let message = format!("the rule \"{}\" belongs into a file {0}.yaml, not {path}", file.rule);
            return Err((file.rule, message));
        }
        if file.any.is_empty() && file.check.is_none() {
            return Err(("rule".to_owned(), "a rule has `any`, `check` or both".to_owned()));
        }
        let all = |texts: &[String]| {
            texts.iter().map(|text| read_pattern(text, is_own)).collect::<Result<Vec<_>, _>>()
        };
        let check = file.check.as_deref().map(facts::find).transpose();
        let check = check.map_err(|message| (file.check.clone().unwrap_or_default(), message))?;
        let (any, unless, unless_section) = (all(&file.any)?, all(&file.unless)?, all(&file.unless_section)?);
        Ok(Rule { path: path.to_owned(), is_own, any, unless, unless_section, check, file })
    }

    /// The examples that the rules, run together, do not treat as the file says: those of `yes` first.
    pub fn broken_examples<'r>(&'r self, rules: &Rules) -> Vec<(&'r Example, bool)> {
        let yes = self.file.yes.iter().map(|example| (example, true));
        let all = yes.chain(self.file.no.iter().map(|example| (example, false)));
        all.filter(|(example, wanted)| self.is_found(example, rules) != *wanted).collect()
    }

    fn is_found(&self, example: &Example, rules: &Rules) -> bool {
        let texts = example.documents();
        let documents: Vec<Document<'_>> = texts.iter().map(|(path, text)| Document { path, text }).collect();
        let paths: BTreeSet<String> = texts.iter().map(|(path, _)| path.clone()).collect();
        let has = move |path: &str| {
            paths.iter().any(|known| known == path || known.starts_with(&format!("{path}/")))
        };
        let severity = BTreeMap::from([(self.file.rule.clone(), self.file.severity)]);
        let options = Options { files: Files::new(has), severity, ..Options::default() };
        review(&documents, rules, &options).findings.iter().any(|found| found.rule == self.file.rule)
    }

    /// Rules for wording are hints: they fail nothing unless the settings give them a severity.
    pub fn is_wording(&self) -> bool {
        self.file.place == Where::Requirement
    }
}

/// The pattern of a rule file, or its text and what is wrong with it. The tests check those that are built in.
fn read_pattern(text: &str, is_own: bool) -> Result<Pattern, (String, String)> {
    if !is_own {
        return Ok(Pattern::later(text));
    }
    Pattern::now(text)
        .map_err(|why| (text.to_owned(), format!("\"{text}\" is not a pattern of the regex crate: {why}")))
}

/// All rules, ready to run.
#[derive(Clone, Debug)]
pub struct Rules {
    pub(super) rules: Vec<Rule>,
    /// All patterns of `any`, in the rules' order.
    patterns: OnceLock<RegexSet>,
    /// The rule and the pattern of each.
    pub(super) pattern_of: Vec<(usize, usize)>,
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

    /// The built-in rules with files laid over them: a rule of the same name replaces one, a new one is added.
    ///
    /// # Errors
    /// All files that are wrong, each with its place.
    pub fn over(own: &[(String, String)]) -> Result<Rules, finding::Finding> {
        let is_built_in = own.is_empty();
        let own = own.iter().map(|(path, text)| (path.as_str(), text.as_str(), true));
        let built_in = review_files().map(|(path, text)| (path, text, false));
        let mut rules: BTreeMap<String, Rule> = BTreeMap::new();
        let mut wrong = Vec::new();
        for (path, text, is_own) in built_in.chain(own).filter(|(path, ..)| path.ends_with(".yaml")) {
            match Rule::read(path, text, is_own) {
                Ok(rule) => drop(rules.insert(rule.file.rule.clone(), rule)),
                Err(finding) => wrong.push(finding),
            }
        }
        if let Some(wrong) = finding::Finding::all(wrong) {
            return Err(wrong);
        }
        let rules = Rules::new(rules.into_values().collect());
        if !is_built_in {
            let set = rules.set().map_err(|error| finding::Finding::at("", "", 1, 1, error.to_string()))?;
            return Ok(Rules { patterns: OnceLock::from(set), ..rules });
        }
        Ok(rules)
    }

    fn new(rules: Vec<Rule>) -> Rules {
        let all = rules.iter().enumerate();
        let pattern_of =
            all.flat_map(|(rule, known)| (0..known.any.len()).map(move |at| (rule, at))).collect();
        Rules { rules, patterns: OnceLock::new(), pattern_of }
    }

    /// Which patterns of `any` may be in a block at all, in the order of `pattern_of`.
    pub(super) fn patterns(&self) -> &RegexSet {
        self.patterns.get_or_init(|| self.set().unwrap_or_default())
    }

    /// The set of all patterns of `any`, without the borders of words that they ask for.
    ///
    /// # Errors
    /// A pattern that is none, or a set that is too large.
    pub(super) fn set(&self) -> Result<RegexSet, regex::Error> {
        let patterns = self.rules.iter().flat_map(|rule| &rule.file.any);
        RegexSet::new(
            patterns.map(|pattern| without_word_borders(pattern).unwrap_or_else(|| pattern.clone())),
        )
    }

    /// All rules, by name.
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
