//! What is protected, and how strictly: the `protect` entries of the settings.
//!
//! Of several entries that match a path, the last one decides, as in `.gitignore`. `*` does not cross `/`, `**`
//! does. A path without a wildcard is a file, or a folder with everything below it.
//!
//! ```yaml
//! protect:
//!   - { paths: ["docs/requirements/**"], rule: content }
//!   - { paths: ["docs/signed/**"], rule: strict }           # append-only, byte for byte
//!   - { paths: ["docs/guides/**"], rule: living, deny: [date] }
//!   - { paths: ["docs/drafts/**"], rule: none }
//!   - { paths: ["docs/specs/**"], rule: content, when: { status: [analyzed], branch: main } }
//!   - { preset: adr }                                       # a layout with its life cycle
//! ```
//!
//! Recordings and declared losses are always `strict`. Conditions fail closed: where one cannot be told, both
//! outcomes count. Where two policies are in force, that of the merge base and that of the branch's tip, the
//! stricter rule of the two holds for each path.
//!
//! ```
//! use roundtable::item::config::Config;
//!
//! let settings = b"protect: [{paths: docs, rule: content}, {paths: 'docs/drafts/**', rule: none}]";
//! let policy = Config::read(".roundtable.yaml", settings).unwrap().policy().unwrap();
//! assert!(policy.protects(b"docs/spec.md"));
//! assert!(!policy.protects(b"docs/drafts/idea.md"));
//! ```

mod preset;

use std::sync::{Arc, OnceLock};

use globset::{Candidate, Glob, GlobBuilder, GlobMatcher};
use serde_yaml::Value;

pub use self::preset::{Cycle, Deltas, ITEMS_PRESET, Preset};
use crate::additive::content::state_of;
use crate::additive::{Demand, Kind, Rule};
use crate::text::finding::did_you_mean;

/// One entry of `protect`.
#[derive(Clone, Debug)]
pub struct Entry {
    paths: Vec<Pattern>,
    /// Paths that it is not about.
    except: Vec<Pattern>,
    demand: Demand,
    /// States of the item (`analysis_status`) that it holds for; none for all.
    status: Vec<String>,
    branch: Option<Pattern>,
    /// The life cycle of the documents.
    cycle: Option<Arc<Cycle>>,
    /// Nobody wrote it down: what it names need not exist.
    is_implied: bool,
}

const KEYS: [&str; 6] = ["paths", "rule", "warn", "deny", "when", "preset"];
const WHEN: [&str; 2] = ["status", "branch"];

/// What is wrong with an entry of a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct PolicyError {
    pub what: String,
    pub hint: Option<String>,
    /// The word that is wrong, as it is written: its place.
    pub word: Option<String>,
}

impl PolicyError {
    fn new(what: impl Into<String>) -> PolicyError {
        PolicyError { what: what.into(), hint: None, word: None }
    }

    fn with(self, hint: impl Into<String>) -> PolicyError {
        PolicyError { hint: Some(hint.into()), ..self }
    }

    fn at(self, word: &str) -> PolicyError {
        PolicyError { word: Some(word.to_owned()), ..self }
    }
}

impl Entry {
    /// An entry for some globs with one rule.
    ///
    /// # Errors
    /// A glob that cannot be read.
    pub fn of(globs: &[&str], rule: Rule) -> Result<Entry, PolicyError> {
        let paths = globs.iter().map(|glob| Pattern::of(glob)).collect::<Result<_, _>>()?;
        Ok(Entry {
            paths,
            except: Vec::new(),
            demand: Demand::of(rule),
            status: Vec::new(),
            branch: None,
            cycle: None,
            is_implied: false,
        })
    }

    /// As it is, and what it names need not exist.
    pub fn implied(self) -> Entry {
        Entry { is_implied: true, ..self }
    }

    /// Reads an entry, or all entries that a preset stands for.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn read_all(value: &Value) -> Result<Vec<Entry>, PolicyError> {
        let Value::Mapping(mapping) = value else {
            return Err(PolicyError::new("an entry is a mapping")
                .with("write it like {paths: [docs/**], rule: content}"));
        };
        known(mapping, &KEYS)?;
        let get = |key: &str| mapping.get(Value::from(key));
        let paths = get("paths")
            .map(|paths| texts(paths).ok_or_else(|| PolicyError::new("`paths` is a list of globs")));
        let paths = paths.transpose()?;
        let Some(name) = get("preset") else { return Ok(vec![Entry::read(mapping, paths)?]) };
        if mapping.keys().any(|key| !matches!(key.as_str(), Some("preset" | "paths"))) {
            return Err(PolicyError::new("`preset` goes with `paths` alone")
                .with("add an entry of your own below it"));
        }
        Preset::named(name.as_str().unwrap_or_default())?.entries(paths.as_deref())
    }

    fn read(mapping: &serde_yaml::Mapping, paths: Option<Vec<String>>) -> Result<Entry, PolicyError> {
        let get = |key: &str| mapping.get(Value::from(key));
        let paths = paths.filter(|paths| !paths.is_empty());
        let without = || {
            PolicyError::new("an entry needs the key `paths` with globs")
                .with("write it like paths: [docs/**]")
        };
        let paths = paths.ok_or_else(without)?;
        let rule =
            get("rule").ok_or_else(|| PolicyError::new("an entry needs the key `rule`").with(rules()))?;
        let rule = rule.as_str().unwrap_or_default();
        let unknown = || {
            let names = Rule::ALL.map(Rule::name);
            let what = format!("\"{rule}\" is not a rule{}", did_you_mean(rule, &names));
            PolicyError::new(what).with(rules()).at(rule)
        };
        let globs: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut entry = Entry::of(&globs, Rule::parse(rule).ok_or_else(unknown)?)?;
        entry.demand.warn = kinds("warn", get("warn"))?;
        entry.demand.deny = kinds("deny", get("deny"))?;
        if let Some(when) = get("when") {
            entry.read_when(when)?;
        }
        Ok(entry)
    }

    fn read_when(&mut self, when: &Value) -> Result<(), PolicyError> {
        let Value::Mapping(when) = when else {
            return Err(PolicyError::new(format!("`when` is a mapping with the keys {}", WHEN.join(", "))));
        };
        known(when, &WHEN)?;
        if let Some(status) = when.get(Value::from("status")) {
            self.status = texts(status)
                .ok_or_else(|| PolicyError::new("`status` is a list of values of analysis_status"))?;
        }
        if let Some(branch) = when.get(Value::from("branch")) {
            let glob =
                branch.as_str().ok_or_else(|| PolicyError::new("`branch` is a glob of branch names"))?;
            self.branch = Some(Pattern::of(glob)?);
        }
        Ok(())
    }

    /// The paths that it names, where they have no wildcard and are protected: each must exist.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let paths = self.paths.iter().filter(|_| self.is_meant());
        paths.filter_map(|path| path.literal.as_deref())
    }

    /// The globs as they are written.
    pub fn globs(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|path| path.glob.glob())
    }

    /// Whether a path is one that it is about.
    pub fn matches(&self, path: &[u8]) -> bool {
        let candidate = Candidate::from_bytes(path);
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(&candidate, path));
        any(&self.paths) && !any(&self.except)
    }

    /// Whether it should match something: it protects, and somebody wrote it down.
    pub fn is_meant(&self) -> bool {
        !self.is_implied && self.protects()
    }

    fn protects(&self) -> bool {
        self.demand.rule != Rule::None
    }

    /// Whether a folder may hold what it is about.
    pub fn reaches(&self, folder: &[u8]) -> bool {
        let may_hold = |path: &Pattern| {
            let own = path.folder.as_bytes();
            is_within(own, folder) || is_within(folder, own)
        };
        folder.is_empty() || self.paths.iter().any(may_hold)
    }

    /// Whether both judge a path alike.
    pub fn judges_like(&self, other: &Entry) -> bool {
        let same_cycle = match (&self.cycle, &other.cycle) {
            (Some(a), Some(b)) => a == b,
            (None, None) => true,
            _ => false,
        };
        self.demand == other.demand && same_cycle
    }

    /// What it asks of a document that was like this: nothing, where its life cycle says that it is a draft.
    /// `beside` reads a file of the document's folder, as it was.
    pub fn demand(&self, before: &[u8], beside: &dyn Fn(&str) -> Option<Vec<u8>>) -> Demand {
        let cycle = self.cycle.as_ref().filter(|cycle| !cycle.free.is_empty());
        let state = cycle.and_then(|cycle| state_of(before, &cycle.sources, beside));
        let is_free = |state: &String| cycle.is_some_and(|cycle| cycle.free.iter().any(|free| free == state));
        match state {
            Some(state) if is_free(&state) => Demand { rule: Rule::None, ..self.demand.clone() },
            _ => self.demand.clone(),
        }
    }

    /// The states of a record that becomes a draft again: its text would be free from then on. `beside` reads a file of
    /// the record's folder, as it was.
    pub fn goes_back(
        &self,
        before: &[u8],
        after: &[u8],
        beside: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Option<(String, String)> {
        let cycle = self.cycle.as_ref().filter(|cycle| !cycle.free.is_empty())?;
        let was = state_of(before, &cycle.sources, beside)?;
        let is = state_of(after, &cycle.sources, &|_| None)?;
        (!cycle.free.contains(&was) && cycle.free.contains(&is)).then_some((was, is))
    }

    /// Whether a record may go from one path to another.
    pub fn may_move(&self, from: &str, to: &str) -> bool {
        self.cycle.as_ref().is_some_and(|cycle| cycle.may_move(from, to))
    }

    /// Where the changes of a document are described that a change may bring along.
    pub fn deltas(&self) -> Option<&Deltas> {
        self.cycle.as_ref()?.deltas.as_ref()
    }

    /// The rule without regard to a life cycle.
    pub fn rule(&self) -> Rule {
        self.demand.rule
    }

    /// Whether it holds where the item's state and the branch are these; none where that is not known.
    fn holds(&self, status: Option<&str>, branch: Option<&str>) -> Option<bool> {
        let here = match (&self.branch, branch) {
            (None, _) => Some(true),
            (Some(_), None) => None,
            (Some(glob), Some(branch)) => Some(glob.matches(&Candidate::new(branch), branch.as_bytes())),
        };
        let in_state = match status {
            _ if self.status.is_empty() => Some(true),
            None => None,
            Some(status) => Some(self.status.iter().any(|wanted| wanted == status)),
        };
        match (here, in_state) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

fn rules() -> String {
    format!("the rules are {}", Rule::ALL.map(Rule::name).join(", "))
}

/// The kinds of change that a list names.
fn kinds(key: &str, value: Option<&Value>) -> Result<Vec<Kind>, PolicyError> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let names =
        texts(value).ok_or_else(|| PolicyError::new(format!("`{key}` is a list of kinds of change")))?;
    let read = |name: &String| {
        let unknown = || {
            PolicyError::new(format!("\"{name}\" is not a kind of change{}", did_you_mean(name, &known)))
                .at(name)
        };
        Kind::parse(name).ok_or_else(unknown)
    };
    names.iter().map(read).collect()
}

/// A mapping's keys are all known ones.
fn known(mapping: &serde_yaml::Mapping, keys: &[&str]) -> Result<(), PolicyError> {
    for key in mapping.keys() {
        let key = key.as_str().unwrap_or_default();
        if !keys.contains(&key) {
            let what = format!("unknown key \"{key}\"{}", did_you_mean(key, keys));
            return Err(PolicyError::new(what).with(format!("the keys are {}", keys.join(", "))).at(key));
        }
    }
    Ok(())
}

/// A list of texts; one text is a list of one.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Sequence(all) => all.iter().map(|one| one.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn has_wildcard(glob: &str) -> bool {
    glob.contains(['*', '?', '[', '{', '\\'])
}

/// A glob that can be read, compiled when something is first held against it: every run reads the settings, and
/// few ask what they protect.
#[derive(Clone, Debug)]
struct Pattern {
    glob: Glob,
    /// A path without a wildcard: a file, or a folder with all below it.
    literal: Option<String>,
    /// The folder that everything it matches is in; empty for the root.
    folder: String,
    compiled: OnceLock<GlobMatcher>,
}

impl Pattern {
    fn of(glob: &str) -> Result<Pattern, PolicyError> {
        if glob.starts_with('!') {
            let hint = "write an entry with `rule: none` for what is not protected";
            return Err(PolicyError::new(format!("\"{glob}\" begins with !")).with(hint).at(glob));
        }
        let whole = match glob.strip_suffix('/') {
            Some(folder) if has_wildcard(folder) => format!("{glob}**"),
            folder => folder.unwrap_or(glob).to_owned(),
        };
        if whole.is_empty() || whole.starts_with('/') || whole.split('/').any(|part| part == "..") {
            let what = format!("\"{glob}\" is not a glob below the repository's root");
            return Err(PolicyError::new(what).with("write it like docs/**").at(glob));
        }
        let read = GlobBuilder::new(&whole).literal_separator(true).build();
        let wrong = |error: globset::Error| {
            PolicyError::new(format!("\"{glob}\" is not a glob: {}", error.kind())).at(glob)
        };
        let first = whole.find(['*', '?', '[', '{', '\\']).unwrap_or(whole.len());
        let folder = match has_wildcard(&whole) {
            true => whole[..first].rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
            false => whole.clone(),
        };
        let literal = (!has_wildcard(&whole)).then(|| whole.clone());
        Ok(Pattern { glob: read.map_err(wrong)?, literal, folder, compiled: OnceLock::new() })
    }

    fn matches(&self, candidate: &Candidate<'_>, path: &[u8]) -> bool {
        match &self.literal {
            Some(literal) => is_within(literal.as_bytes(), path),
            None => self.compiled.get_or_init(|| self.glob.compile_matcher()).is_match_candidate(candidate),
        }
    }
}

/// Whether a path is a folder or below it; the root is given as nothing.
fn is_within(folder: &[u8], path: &[u8]) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// The folder of declared losses.
pub const LOSSES: &str = ".roundtable/losses";
/// Recordings of discussions.
const RECORDINGS: &str = "**/elaborations/*.jsonl";

/// The entries of a repository.
#[derive(Clone, Debug)]
pub struct Policy {
    entries: Vec<Entry>,
    /// What is always strict.
    always: Vec<Entry>,
    /// Whether a change may declare what it loses.
    pub allows_losses: bool,
    /// Whether anybody wrote the entries down.
    pub is_explicit: bool,
    /// Before this day (`2026-12-03`) losses are reported, and refused from then on.
    pub report_until: Option<String>,
}

impl Policy {
    pub fn new(entries: Vec<Entry>, allows_losses: bool) -> Policy {
        let always = Entry::of(&[LOSSES, RECORDINGS], Rule::Strict).map(Entry::implied);
        Policy {
            always: always.into_iter().collect(),
            entries,
            allows_losses,
            is_explicit: true,
            report_until: None,
        }
    }

    /// The entries, in their order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether anything in a folder, given without a slash at its end, may be protected.
    pub fn reaches(&self, folder: &[u8]) -> bool {
        let mut entries = self.entries.iter().filter(|entry| entry.protects()).chain(&self.always);
        entries.any(|entry| entry.reaches(folder))
    }

    /// Whether a path may be protected, whatever the conditions are.
    pub fn protects(&self, path: &[u8]) -> bool {
        !self.applying(path, None, &mut Vec::new).is_empty()
    }

    /// The entries that apply to a path: none where it is not protected, several where a condition cannot be
    /// told. `states` tells the states of the items that the path may belong to, an unknown one as none.
    pub fn applying<'p>(
        &'p self,
        path: &[u8],
        branch: Option<&str>,
        states: &mut dyn FnMut() -> Vec<Option<String>>,
    ) -> Vec<&'p Entry> {
        let mut found: Vec<&Entry> = self.always.iter().filter(|entry| entry.matches(path)).collect();
        if !found.is_empty() {
            return found;
        }
        let entries: Vec<&Entry> = self.entries.iter().rev().filter(|entry| entry.matches(path)).collect();
        let mut all = match entries.iter().any(|entry| !entry.status.is_empty()) {
            true => states(),
            false => Vec::new(),
        };
        if all.is_empty() {
            all.push(None);
        }
        for status in &all {
            for entry in &entries {
                let holds = entry.holds(status.as_deref(), branch);
                let is_told = found.iter().any(|known| std::ptr::eq(*known, *entry));
                if holds != Some(false) && entry.protects() && !is_told {
                    found.push(entry);
                }
                if holds == Some(true) {
                    break;
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(yaml: &str) -> Result<Vec<Entry>, PolicyError> {
        Entry::read_all(&serde_yaml::from_str(yaml).unwrap())
    }

    fn policy(entries: &[&str]) -> Policy {
        Policy::new(entries.iter().flat_map(|yaml| read(yaml).unwrap()).collect(), true)
    }

    fn protects(policy: &Policy, path: &str) -> bool {
        policy.protects(path.as_bytes())
    }

    #[test]
    fn globs_do_not_cross_slashes_and_the_last_entry_decides() {
        let some = policy(&[
            "{paths: ['docs/*.md', logs/, 'a/**/b.md'], rule: content}",
            "{paths: 'logs/tmp/**', rule: none}",
        ]);
        for (path, protected) in [
            ("docs/a.md", true),
            ("docs/x/a.md", false),
            ("docs/a.txt", false),
            ("logs/x/y", true),
            ("logs/tmp/y", false),
            ("a/b.md", true),
            ("a/x/y/b.md", true),
            (".roundtable/losses/x.yaml", true),
            ("any/item/elaborations/01-03-2.jsonl", true),
        ] {
            assert_eq!(protects(&some, path), protected, "{path}");
        }
        for (folder, reached) in [("", true), ("docs", true), ("docs/x", true), ("a/x", true)] {
            assert_eq!(some.reaches(folder.as_bytes()), reached, "{folder}");
        }
    }

    #[test]
    fn a_condition_that_cannot_be_told_holds() {
        let some = policy(&["{paths: d/**, rule: content, when: {status: analyzed, branch: 'release/*'}}"]);
        let holds = |branch, status: Option<&str>| {
            !some.applying(b"d/x.md", branch, &mut || vec![status.map(str::to_owned)]).is_empty()
        };
        assert!(holds(None, None));
        assert!(holds(Some("release/1"), Some("analyzed")));
        assert!(!holds(Some("main"), Some("analyzed")));
        assert!(!holds(Some("release/1"), Some("raw")));
    }

    #[test]
    fn what_would_lift_a_rule_has_to_be_known() {
        let count = |entries: &[&str], states: &[Option<&str>]| {
            let states: Vec<Option<String>> = states.iter().map(|state| state.map(str::to_owned)).collect();
            policy(entries).applying(b"d/x.md", None, &mut || states.clone()).len()
        };
        let all = "{paths: d/**, rule: content}";
        let lifted = [all, "{paths: 'd/**', rule: none, when: {status: raw}}"];
        assert_eq!(count(&lifted, &[Some("raw")]), 0);
        assert_eq!((count(&lifted, &[None]), count(&lifted, &[])), (1, 1));
        // A second meta.json, nearer to the file, lifts nothing that the first one holds.
        assert_eq!(count(&lifted, &[Some("raw"), Some("analyzed")]), 1);
        let relaxed = [all, "{paths: d/**, rule: living, when: {status: raw}}"];
        assert_eq!((count(&relaxed, &[Some("raw")]), count(&relaxed, &[Some("raw"), Some("x")])), (1, 2));
    }

    #[test]
    fn a_path_without_a_wildcard_is_a_file_or_a_folder() {
        for path in ["docs/x", "docs/x/"] {
            let some = policy(&[&format!("{{paths: [{path}], rule: content}}")]);
            assert!(protects(&some, "docs/x") && protects(&some, "docs/x/y/z.md"));
            assert!(!protects(&some, "docs/xy") && !protects(&some, "docs"));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (yaml, message) in [
            ("docs/**", "an entry is a mapping"),
            ("{rule: content}", "needs the key `paths`"),
            ("{paths: a}", "needs the key `rule`"),
            ("{paths: a, rule: livin}", "did you mean \"living\"?"),
            ("{paths: a, rule: off}", "the rules are content, living, strict, written, none"),
            ("{paths: a, rule: content, warn: [wordin]}", "did you mean \"wording\"?"),
            ("{paths: a, rule: content, wen: 1}", "did you mean \"when\"?"),
            ("{paths: a, rule: content, when: {stat: 1}}", "did you mean \"status\"?"),
            ("{paths: /a, rule: content}", "below the repository's root"),
            ("{paths: '!a', rule: content}", "`rule: none`"),
            ("{paths: 'a[b', rule: content}", "is not a glob"),
            ("{preset: add}", "did you mean \"adr\"?"),
            ("{preset: adr, rule: content}", "`preset` goes with `paths` alone"),
        ] {
            let error = read(yaml).unwrap_err();
            let said = format!("{error}; {}", error.hint.as_deref().unwrap_or_default());
            assert!(said.contains(message), "{yaml}: {said}");
        }
    }
}
