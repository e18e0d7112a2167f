//! The files of `rules/<language>/`: rules for users' words, with the examples that test them.
//!
//! ```yaml
//! # families.yaml: words that rules share; each entry is a pattern
//! families:
//!   we: [we, "the (team|board)"]
//! ```
//! ```yaml
//! # decisions.yaml
//! unless: ["? $"]                  # holds for every rule of the file
//! aside: reasons                   # what rules of that file capture is set aside first; may be left out
//! rules:
//!   - rule: we-drop
//!     title: A body says that it drops something
//!     sure: true                   # may be left out
//!     any: ["<we> drop~ {what}"]   # one of these matches
//!     all: []                      # and each of these
//!     unless: ["might"]            # and none of these
//!     yes: ["We drop Windows 7.", "The board dropped it.", "We're fine, the team drops it."]
//!     no: ["We might drop it."]
//! ```
//! [`super::pattern`] says how patterns are written. [`check`] runs every example. A file `decisions-ours.yaml` adds
//! rules to `decisions.yaml`, and `families-ours.yaml` families.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::pattern::{Match, Pattern, Tokens, Vocabulary};
use super::{Language, Message, Sentence};
use crate::finding::Finding;
use crate::front_matter;

/// A rule proves itself on at least so many sentences.
const MIN_YES: usize = 3;
/// The file that holds the families.
const FAMILIES: &str = "families";

/// The rule files of a language that somebody asked for, compiled.
pub struct Book {
    pub language: Language,
    vocabulary: Vocabulary,
    sets: BTreeMap<String, Vec<RuleSet>>,
}

/// The rules of a file.
#[derive(Default)]
struct RuleSet {
    rules: Vec<Rule>,
    unless: Vec<Pattern>,
    aside: Option<String>,
}

/// A rule of a file.
pub struct Rule {
    /// The file it is in, below the folder `rules`.
    pub path: String,
    pub id: String,
    pub sure: bool,
    /// As the file has them.
    pub written: Written,
    any: Vec<Pattern>,
    all: Vec<Pattern>,
    unless: Vec<Pattern>,
}

/// A rule that fits a sentence.
pub struct Hit<'r> {
    pub rule: &'r Rule,
    pub found: Match,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a rule with `rule`, `title`, `any`, `yes` and `no`")]
pub struct Written {
    pub rule: String,
    pub title: String,
    #[serde(default = "yes")]
    pub sure: bool,
    pub any: Vec<String>,
    #[serde(default)]
    pub all: Vec<String>,
    #[serde(default)]
    pub unless: Vec<String>,
    pub yes: Vec<String>,
    pub no: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a list `rules`")]
struct RuleFile {
    #[serde(default)]
    unless: Vec<String>,
    /// A file whose captures are set aside before these rules read a sentence.
    aside: Option<String>,
    rules: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a list of patterns for each name under `families`")]
struct FamilyFile {
    families: BTreeMap<String, Vec<String>>,
}

/// Reads a rule file: YAML, or the JSON that the build makes of a built-in one.
fn file_of<T: DeserializeOwned>(path: &str, text: &str) -> Result<T, Finding> {
    let compiled = text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten();
    compiled.map_or_else(|| front_matter::parse(path, text, text, 0), Ok)
}

fn yes() -> bool {
    true
}

/// Is this the path of a file of rules for users' words, below the folder `rules`?
pub fn is_rules(path: &str, language: &str) -> bool {
    name_of(path, language).is_some_and(|name| !is_part(name, FAMILIES))
}

/// The name of a YAML file of a language.
fn name_of<'p>(path: &'p str, language: &str) -> Option<&'p str> {
    let name = path.strip_prefix(language)?.strip_prefix('/')?.strip_suffix(".yaml")?;
    (!name.contains('/')).then_some(name)
}

/// Does a file add to `wanted`: by that name, or by `wanted-…`?
fn is_part(name: &str, wanted: &str) -> bool {
    name.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

impl Book {
    /// Reads the files `wanted` ("decisions" for `en/decisions.yaml`), and the families they use; a path is below the
    /// folder `rules`, and the last file of a path replaces those before it.
    ///
    /// # Errors
    /// A file that is no YAML, has an unknown key, or a pattern that cannot be compiled.
    pub fn read<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
        language: &str,
        wanted: &[&str],
    ) -> Result<Book, Finding> {
        let files: BTreeMap<&str, &str> = files.into_iter().collect();
        let mut book =
            Book { language: Language::new(language), vocabulary: Vocabulary::new(), sets: BTreeMap::new() };
        let parts = |wanted: &str| {
            let is_wanted = |path: &str| name_of(path, language).is_some_and(|name| is_part(name, wanted));
            files.iter().filter(move |(path, _)| is_wanted(path)).map(|(path, text)| (*path, *text)).collect()
        };
        let parts: &dyn Fn(&str) -> Vec<(&'f str, &'f str)> = &parts;
        book.families(&parts(FAMILIES))?;
        let mut wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
        while let Some(name) = wanted.pop() {
            if book.sets.contains_key(&name) {
                continue;
            }
            let sets = parts(&name).into_iter().map(|(path, text)| book.set_of(path, text));
            let sets = sets.collect::<Result<Vec<_>, _>>()?;
            wanted.extend(sets.iter().filter_map(|set| set.aside.clone()));
            book.sets.insert(name, sets);
        }
        Ok(book)
    }

    /// The rules of a file, none where there is no such file.
    pub fn rules(&self, name: &str) -> impl Iterator<Item = &Rule> {
        self.sets(name).flat_map(|set| &set.rules)
    }

    fn sets(&self, name: &str) -> impl Iterator<Item = &RuleSet> {
        self.sets.get(name).into_iter().flatten()
    }

    /// A sentence as the rules read it: made once for all of them.
    pub fn tokens(&self, sentence: &Sentence<'_>) -> Tokens {
        self.vocabulary.tokens(sentence)
    }

    /// The rules of a file that fit a sentence, in the file's order.
    pub fn hits(&self, name: &str, tokens: &Tokens) -> Vec<Hit<'_>> {
        let found = self.sets(name).flat_map(|set| {
            let aside =
                set.aside.iter().flat_map(|other| self.sets(other)).flat_map(|aside| aside.hits(tokens));
            let captured = aside.flat_map(|hit| hit.found.captures);
            set.hits(&captured.fold(tokens.clone(), |tokens, (_, range)| tokens.without(range)))
        });
        found.collect()
    }

    fn families(&mut self, files: &[(&str, &str)]) -> Result<(), Finding> {
        let mut left = Vec::new();
        for (path, text) in files {
            let file: FamilyFile = file_of(path, text)?;
            left.extend(file.families.into_iter().map(|(name, entries)| (*path, *text, name, entries)));
        }
        // A family may use others: those come first.
        while !left.is_empty() {
            let names: BTreeSet<String> = left.iter().map(|(_, _, name, _)| name.clone()).collect();
            let waits = |entries: &[String]| {
                let mut used = entries.iter().flat_map(|entry| entry.split('<').skip(1));
                used.any(|rest| rest.split_once('>').is_some_and(|(name, _)| names.contains(name)))
            };
            let (mut waiting, mut ready): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|(_, _, _, entries)| waits(entries));
            if ready.is_empty() {
                // They use themselves or each other, which is wrong.
                std::mem::swap(&mut waiting, &mut ready);
            }
            for (path, text, name, entries) in ready {
                let made = self.vocabulary.family(&name, &entries, &self.language);
                made.map_err(|wrong| {
                    Finding::near(path, text, &format!("{name}:"), format!("<{name}>: {wrong}"))
                })?;
            }
            left = waiting;
        }
        Ok(())
    }

    fn set_of(&mut self, path: &str, text: &str) -> Result<RuleSet, Finding> {
        let file: RuleFile = file_of(path, text)?;
        let (mut findings, mut rules) = (Vec::new(), Vec::new());
        let unless = self.patterns(path, text, "", &file.unless, &mut findings);
        for written in file.rules {
            let id = &written.rule;
            let mut patterns = |list: &[String]| self.patterns(path, text, id, list, &mut findings);
            let (any, all) = (patterns(&written.any), patterns(&written.all));
            let unless = patterns(&written.unless);
            let (id, sure) = (written.rule.clone(), written.sure);
            rules.push(Rule { path: path.to_owned(), id, sure, written, any, all, unless });
        }
        Finding::all(findings).map_or(Ok(RuleSet { rules, unless, aside: file.aside }), Err)
    }

    fn patterns(
        &mut self,
        path: &str,
        text: &str,
        rule: &str,
        list: &[String],
        findings: &mut Vec<Finding>,
    ) -> Vec<Pattern> {
        let mut compiled = Vec::new();
        for pattern in list {
            match self.vocabulary.compile(pattern, &self.language) {
                Ok(pattern) => compiled.push(pattern),
                Err(wrong) => {
                    findings.push(at(path, text, start_of(text, rule), pattern, wrong.message));
                }
            }
        }
        compiled
    }
}

impl RuleSet {
    fn hits(&self, tokens: &Tokens) -> Vec<Hit<'_>> {
        let found = self.rules.iter().filter_map(|rule| rule.find(tokens).map(|found| Hit { rule, found }));
        let found: Vec<Hit<'_>> = found.collect();
        let is_silenced =
            !found.is_empty() && self.unless.iter().any(|pattern| pattern.find(tokens).is_some());
        if is_silenced { Vec::new() } else { found }
    }
}

impl Rule {
    /// Where the rule fits, the file's own exceptions aside.
    fn find(&self, tokens: &Tokens) -> Option<Match> {
        let found = self.any.iter().find_map(|pattern| pattern.find(tokens))?;
        let has = |pattern: &Pattern| pattern.find(tokens).is_some();
        (self.all.iter().all(has) && !self.unless.iter().any(has)).then_some(found)
    }
}

/// Where a rule begins in its file.
fn start_of(text: &str, id: &str) -> usize {
    text.find(&format!("rule: {id}\n")).unwrap_or_default()
}

/// A finding at the first place after a byte where a text is found.
fn at(path: &str, text: &str, from: usize, needle: &str, message: impl Into<String>) -> Finding {
    let offset = text[from..].find(needle).map_or(from, |at| from + at);
    let (line, column) = crate::finding::place(text, offset);
    Finding::at(path, text, line, column, message).marked(needle.chars().count())
}

/// What is wrong with the rules of a language: files that cannot be read, ids that are used twice, too few examples,
/// and examples that come out wrong.
pub fn check<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>, language: &str) -> Vec<Finding> {
    let files: BTreeMap<&str, &str> = files.into_iter().collect();
    let mut findings = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| is_rules(path, language)) {
        let Some(name) = name_of(path, language) else { continue };
        match Book::read(files.iter().map(|(path, text)| (*path, *text)), language, &[name]) {
            Ok(book) => check_rules(path, text, &book, name, &mut findings),
            Err(finding) => findings.extend(finding.apart()),
        }
    }
    let mut seen = BTreeSet::new();
    findings.retain(|finding| {
        seen.insert((finding.path.clone(), finding.line, finding.column, finding.message.clone()))
    });
    findings
}

fn check_rules(path: &str, text: &str, book: &Book, name: &str, findings: &mut Vec<Finding>) {
    let mut ids = BTreeSet::new();
    for rule in book.rules(name).filter(|rule| rule.path == path) {
        let written = &rule.written;
        let from = start_of(text, &rule.id);
        let mut wrong = |needle: &str, message: String| findings.push(at(path, text, from, needle, message));
        if !ids.insert(&rule.id) {
            wrong(&rule.id, format!("another rule of this file is named \"{}\"", rule.id));
        }
        if written.any.is_empty() {
            wrong(&rule.id, format!("the rule \"{}\" has no pattern under `any`", rule.id));
        }
        if written.yes.len() < MIN_YES || written.no.is_empty() {
            wrong(&rule.id, format!("a rule has at least {MIN_YES} examples under `yes` and one under `no`"));
        }
        for (examples, expected) in [(&written.yes, true), (&written.no, false)] {
            for example in examples.iter().filter(|example| fits(book, name, rule, example) != expected) {
                let not = if expected { "does not match" } else { "matches" };
                wrong(example, format!("the rule \"{}\" {not} this example", rule.id));
            }
        }
    }
}

/// Does a rule fit one of the writer's own sentences in a text?
fn fits(book: &Book, name: &str, rule: &Rule, text: &str) -> bool {
    let message = Message::new(text, &book.language);
    let mut own = message.sentences.iter().filter(|sentence| sentence.is_own());
    own.any(|sentence| {
        let tokens = book.tokens(sentence);
        book.hits(name, &tokens).iter().any(|hit| std::ptr::eq(hit.rule, rule))
    })
}
