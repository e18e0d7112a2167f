//! Rules as files: `<persona>/<rule>.yaml`, and beside them `scope.yaml` (kinds of sections) and `words.yaml` (lists).
//!
//! Invariant: a rule that loads can run; what is wrong with a file is a finding with its place. A rule looks for
//! phrases (`any`, with `all` and `unless`) or calls a measure by name, and carries examples that must match
//! (`yes`) and must not (`no`), which the tests run.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;

use super::file::LISTS;
pub use super::file::{Entry, Example, RuleFile, Severity, Where};
use super::firsts::Firsts;
use super::measures::{self, Measure};
use super::pattern::Set;
use super::phrases::{Compiler, Lists, sequences};
use super::scope::Scope;
use super::token::Vocabulary;
use crate::finding::{self, did_you_mean};
use crate::front_matter;

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
    /// Names of files that are no documents to be judged.
    pub(super) unjudged: Set,
    pub(super) firsts: Firsts,
}

const SCOPE: &str = "scope.yaml";
const WORDS: &str = "words.yaml";

mod built_in {
    use super::Stored;

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
        let mut own: BTreeMap<&str, &str> = BTreeMap::new();
        if files.iter().any(|(path, _)| path == WORDS) {
            // Other lists make other rules of the built-in files.
            own.extend(sources().iter().copied());
        }
        let stored = if own.is_empty() { &built_in::STORED } else { &Stored::NOTHING };
        own.extend(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        Rules::read(stored, &own)
    }

    fn read(stored: &Stored, own: &BTreeMap<&str, &str>) -> Result<Rules, finding::Finding> {
        let placed = |path: &str, message: String| {
            misplaced(path, own.get(path).copied().unwrap_or_default(), message)
        };
        let lists: Lists = match own.get(WORDS) {
            Some(text) => front_matter::parse(WORDS, text, text, 0)?,
            None if own.is_empty() => Lists::new(),
            None => front_matter::parse(WORDS, stored.lists, stored.lists, 0)?,
        };
        let known = stored.words.split_terminator('\n').filter(|_| !own.is_empty());
        let mut compiler = Compiler::new(&lists, known);
        let mut compiled = |texts: &[String]| compiler.set(texts).map(Set::new);
        let mut sets = stored.sets();
        let mut kept = |_: &[String]| Ok(sets.next().unwrap_or_default());

        let entries: Vec<Entry> = json(SCOPE, stored.scope)?;
        let built_in = Scope::new(&entries, &mut kept).map_err(|message| placed(SCOPE, message))?;
        let scope = match own.get(SCOPE) {
            Some(text) => {
                let entries: Vec<Entry> = front_matter::parse(SCOPE, text, text, 0)?;
                Scope::new(&entries, &mut compiled).map_err(|message| placed(SCOPE, message))?
            }
            None => built_in,
        };
        let list = |name: &str| match lists.get(name).filter(|_| stored.words.is_empty()) {
            Some(texts) => compiled(texts).map_err(|message| placed(WORDS, message)),
            None => kept(&[]).map_err(|message| placed(WORDS, message)),
        };
        let [binding, story, narrative, beside, note, specification, requirements, unjudged] =
            each(LISTS, list)?;
        let mut rules = Vec::with_capacity(stored.rules.len() + own.len());
        for (path, text) in stored.rules {
            let rule = Rule::new((*path).to_owned(), json(path, text)?, &scope, &mut kept);
            let rule = rule.map_err(|message| placed(path, message))?;
            rules.extend((!own.contains_key(path)).then_some(rule));
        }
        for (path, text) in own.iter().filter(|(path, _)| !matches!(**path, SCOPE | WORDS)) {
            let file: RuleFile = front_matter::parse(path, text, text, 0)?;
            let rule =
                file.check(path).and_then(|()| Rule::new((*path).to_owned(), file, &scope, &mut compiled));
            rules.push(rule.map_err(|message| placed(path, message))?);
        }
        let rules = in_order(rules).map_err(|(path, message)| placed(&path, message))?;
        let words = match own.is_empty() {
            true => Vocabulary::new(stored.words.split_terminator('\n').map(Cow::Borrowed)),
            false => Vocabulary::new(compiler.words().into_iter().map(Cow::Owned)),
        };
        let firsts = Firsts::of(&rules, words.len());
        Ok(Rules {
            rules,
            words,
            scope,
            binding,
            story,
            narrative,
            beside,
            note,
            specification,
            requirements,
            unjudged,
            firsts,
        })
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

impl RuleFile {
    /// # Errors
    /// What no rule may be.
    fn check(&self, path: &str) -> Result<(), String> {
        let (persona, name) = path.split_once('/').unwrap_or(("", path));
        let name = name.strip_suffix(".yaml").unwrap_or(name);
        if persona != self.persona || name != self.rule {
            let expected = format!("{}/{}.yaml", self.persona, self.rule);
            return Err(format!("the file of this rule and persona is {expected}, not {path}"));
        }
        if self.any.is_empty() == self.measure.is_none() {
            return Err("a rule has either `any` or `measure`".to_owned());
        }
        Ok(())
    }
}

impl Rule {
    fn new(
        path: String,
        mut file: RuleFile,
        scope: &Scope,
        set: &mut dyn FnMut(&[String]) -> Result<Set, String>,
    ) -> Result<Rule, String> {
        let measure = file.measure.as_deref().map(measures::find).transpose()?;
        let groups = file.all.len();
        let mut sets = file.phrases().map(|texts| set(texts)).collect::<Result<Vec<_>, _>>()?.into_iter();
        let mut next = || sets.next().unwrap_or_default();
        let (any, all) = (next(), (0..groups).map(|_| next()).collect());
        let (unless, unless_near, unless_section, unless_before) = (next(), next(), next(), next());
        let words = file.words.keys().cloned().zip(sets).collect::<BTreeMap<_, _>>();
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
            words,
            file,
        })
    }
}

/// The built-in rules as the build has stored them.
pub struct Stored {
    /// `scope.yaml` and the rules as JSON, without phrases and examples; `words.yaml` as it is.
    scope: &'static str,
    lists: &'static str,
    rules: &'static [(&'static str, &'static str)],
    /// The words that phrases name, a line each, in the order of their numbers.
    words: &'static str,
    /// The compiled phrases: of the scope, of [`LISTS`], and of the rules, each set after its length.
    sets: &'static [u16],
}

impl Stored {
    const NOTHING: Stored = Stored { scope: "[]", lists: "", rules: &[], words: "", sets: &[] };

    fn sets(&self) -> impl Iterator<Item = Set> {
        sequences(self.sets).map(Set::new)
    }
}

/// What the build has stored.
fn json<T: DeserializeOwned>(path: &str, text: &str) -> Result<T, finding::Finding> {
    serde_json::from_str(text).map_err(|error| finding::Finding::at(path, text, 1, 1, error.to_string()))
}

/// Rules by their paths.
///
/// # Errors
/// The path of a file whose rule another one has already.
fn in_order(mut rules: Vec<Rule>) -> Result<Vec<Rule>, (String, String)> {
    rules.sort_by(|a, b| a.path.cmp(&b.path));
    let mut names = BTreeSet::new();
    match rules.iter().find(|rule| !names.insert(&rule.file.rule)) {
        Some(Rule { path, file, .. }) => {
            Err((path.clone(), format!("another file has the rule \"{}\" already", file.rule)))
        }
        None => Ok(rules),
    }
}

/// Something of each name.
fn each<T, E, const N: usize>(names: [&str; N], mut of: impl FnMut(&str) -> Result<T, E>) -> Result<[T; N], E>
where
    T: Default + Clone,
{
    let mut all = std::array::from_fn(|_| T::default());
    for (one, name) in all.iter_mut().zip(names) {
        *one = of(name)?;
    }
    Ok(all)
}

/// A finding at the word that a message quotes, where the file has it.
fn misplaced(path: &str, text: &str, message: String) -> finding::Finding {
    let needle = message.split('"').nth(1).unwrap_or_default().to_owned();
    if needle.is_empty() || !text.contains(&needle) {
        return finding::Finding::at(path, text, 1, 1, message);
    }
    finding::Finding::near(path, text, &needle, message)
}
