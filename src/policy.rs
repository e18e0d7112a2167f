//! What must only grow: the `append_only` entries of the settings.
//!
//! Of several entries that match a path, the last one decides, as in `.gitignore`; an entry that
//! begins with `!` protects nothing. `*` does not cross `/`, `**` does. An entry without a wildcard is a
//! file, or a folder with everything below it.
//!
//! ```yaml
//! append_only:
//!   - docs/requirements/**                       # by the kind of each file
//!   - { path: docs/audit/*.md, rule: log }       # only at the end
//!   - { path: docs/drafts/**, rule: lines, when: { status: [raw, partial], branch: main } }
//!   - { path: docs/notes/**, when: { written_by: roundtable }, warn: [list-loosened] }
//!   - { preset: adr }
//! ```
//!
//! Conditions fail closed. Where a condition cannot be told, both outcomes count, and every rule that may
//! hold is applied. The same is done where two policies are in force, that of the merge base and that of the
//! branch's tip: rules of which neither is the stricter one for all texts are not ranked, they all apply.
//!
//! The table of rules, conditions and presets is in `docs/gate.md`.
//!
//! ```
//! use roundtable::config::Config;
//!
//! let settings = b"append_only: [docs, '!docs/drafts/**']";
//! let policy = Config::read(".roundtable.yaml", settings).unwrap().policy().unwrap();
//! assert!(policy.protects(b"docs/spec.md"));
//! assert!(!policy.protects(b"docs/drafts/idea.md"));
//! ```

use std::sync::OnceLock;

use globset::{Candidate, Glob, GlobBuilder, GlobMatcher};
use serde_yaml::Value;

use crate::additive::{Code, Rule};
use crate::finding::did_you_mean;

/// One entry of `append_only`.
#[derive(Clone, Debug)]
pub struct Entry {
    glob: Pattern,
    /// The folder that everything it matches is in; empty for the root.
    folder: String,
    /// It takes protection away.
    lifts: bool,
    rule: Option<Rule>,
    /// States of the item (`analysis_status`) that it holds for; none for all.
    pub status: Vec<String>,
    branch: Option<Pattern>,
    /// It holds for what roundtable wrote: from a marker to the end of its block.
    pub written: bool,
    /// Findings of these codes are warnings.
    pub warn: Vec<Code>,
    /// It comes from a preset: what it names need not exist.
    is_preset: bool,
}

const RULES: [(&str, Rule); 7] = [
    ("lines", Rule::Lines),
    ("markdown", Rule::Markdown),
    ("json", Rule::Json),
    ("yaml", Rule::Yaml),
    ("csv", Rule::Csv),
    ("log", Rule::Log),
    ("frozen", Rule::Frozen),
];
const KEYS: [&str; 5] = ["path", "rule", "when", "warn", "preset"];
const WHEN: [&str; 3] = ["status", "branch", "written_by"];

impl Entry {
    /// An entry that is a glob alone.
    ///
    /// # Errors
    /// A glob that cannot be read.
    pub fn of(glob: &str) -> Result<Entry, String> {
        let (lifts, glob) = glob.strip_prefix('!').map_or((false, glob), |rest| (true, rest));
        let whole = match glob.strip_suffix('/') {
            Some(folder) if has_wildcard(folder) => format!("{glob}**"),
            folder => folder.unwrap_or(glob).to_owned(),
        };
        if whole.is_empty() || whole.starts_with('/') || whole.split('/').any(|part| part == "..") {
            return Err(format!("\"{glob}\" is no glob below the repository's root; write it like docs/**"));
        }
        let literal = whole.find(['*', '?', '[', '{', '\\']).unwrap_or(whole.len());
        let folder = match has_wildcard(&whole) {
            true => whole[..literal].rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
            false => whole.clone(),
        };
        let entry = Entry {
            glob: Pattern::of(&whole)?,
            folder,
            lifts,
            rule: None,
            status: Vec::new(),
            branch: None,
            written: false,
            warn: Vec::new(),
            is_preset: false,
        };
        Ok(entry)
    }

    /// Reads an entry, or all entries that a preset stands for.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn read_all(value: &Value) -> Result<Vec<Entry>, String> {
        let Some(name) = value.get("preset") else { return Ok(vec![Entry::read(value)?]) };
        if value.as_mapping().is_some_and(|mapping| mapping.len() > 1) {
            return Err("`preset` goes with no other key; add an entry of your own below it".to_owned());
        }
        let (name, presets) = (name.as_str().unwrap_or_default(), Preset::all());
        let known: Vec<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
        let Some(preset) = presets.iter().find(|preset| preset.name == name) else {
            let meant = did_you_mean(name, &known);
            return Err(format!("\"{name}\" is no preset{meant}; the presets are {}", known.join(", ")));
        };
        let entries = preset
            .entries
            .iter()
            .map(|entry| Entry::read(entry).map(|entry| Entry { is_preset: true, ..entry }));
        entries.collect()
    }

    /// Reads an entry: a glob, or a mapping with the key `path`.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn read(value: &Value) -> Result<Entry, String> {
        let Value::Mapping(mapping) = value else {
            let glob = value.as_str().ok_or("an entry is a glob, or a mapping with the key `path`")?;
            return Entry::of(glob);
        };
        let get = |key: &str| mapping.get(Value::from(key));
        known(mapping, &KEYS)?;
        let glob = get("path").and_then(Value::as_str).ok_or("an entry needs the key `path` with a glob")?;
        let mut entry = Entry::of(glob)?;
        if let Some(rule) = get("rule") {
            let rule = rule.as_str().unwrap_or_default();
            let found = RULES.iter().find(|(name, _)| *name == rule);
            let names = RULES.map(|(name, _)| name);
            let unknown = || {
                format!(
                    "\"{rule}\" is no rule{}; the rules are {}",
                    did_you_mean(rule, &names),
                    names.join(", ")
                )
            };
            entry.rule = Some(found.ok_or_else(unknown)?.1);
        }
        if let Some(warn) = get("warn") {
            let codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
            for name in texts(warn).ok_or("`warn` is a list of finding codes")? {
                let unknown = || format!("\"{name}\" is no finding code{}", did_you_mean(&name, &codes));
                entry.warn.push(Code::parse(&name).ok_or_else(unknown)?);
            }
        }
        if let Some(when) = get("when") {
            let Value::Mapping(when) = when else {
                return Err(format!("`when` is a mapping with the keys {}", WHEN.join(", ")));
            };
            known(when, &WHEN)?;
            if let Some(status) = when.get(Value::from("status")) {
                entry.status = texts(status).ok_or("`status` is a list of values of analysis_status")?;
            }
            if let Some(branch) = when.get(Value::from("branch")) {
                entry.branch =
                    Some(Pattern::of(branch.as_str().ok_or("`branch` is a glob of branch names")?)?);
            }
            match when.get(Value::from("written_by")).map(Value::as_str) {
                None => {}
                Some(Some("roundtable")) => entry.written = true,
                Some(_) => return Err("`written_by` can only be roundtable".to_owned()),
            }
        }
        Ok(entry)
    }

    /// The path that it names, where it has no wildcard and protects something: that must exist.
    pub fn named(&self) -> Option<&str> {
        self.glob.literal.as_deref().filter(|_| self.is_meant())
    }

    /// The glob as it is written.
    pub fn glob(&self) -> &str {
        self.glob.glob.glob()
    }

    /// Whether a path is one that it is about.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.glob.matches(&Candidate::from_bytes(path), path)
    }

    /// Whether it should match something: it protects, and somebody wrote it down.
    pub const fn is_meant(&self) -> bool {
        !self.is_preset && !self.lifts
    }

    /// Whether a folder may hold what it is about.
    pub fn reaches(&self, folder: &[u8]) -> bool {
        let own = self.folder.as_bytes();
        folder.is_empty() || is_within(own, folder) || is_within(folder, own)
    }

    /// The folder that everything it matches is in, empty for the root; a path without a wildcard itself.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Whether both judge a path alike.
    pub fn judges_like(&self, other: &Entry) -> bool {
        (self.rule, self.written, &self.warn) == (other.rule, other.written, &other.warn)
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

    /// How a path is judged by this entry.
    pub fn rule(&self, path: &str) -> Rule {
        match (self.rule, Rule::of(path)) {
            // meta.json has a rule of its own within that of JSON.
            (None | Some(Rule::Json), Rule::Meta) => Rule::Meta,
            (Some(rule), _) => rule,
            (None, rule) => rule,
        }
    }
}

/// A mapping's keys are all known ones.
fn known(mapping: &serde_yaml::Mapping, keys: &[&str]) -> Result<(), String> {
    for key in mapping.keys() {
        let key = key.as_str().unwrap_or_default();
        if !keys.contains(&key) {
            return Err(format!(
                "unknown key \"{key}\"{}; the keys are {}",
                did_you_mean(key, keys),
                keys.join(", ")
            ));
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

/// A layout that people have, as entries of a policy.
pub struct Preset {
    pub name: String,
    /// Folders and files by which it is recognised.
    pub places: Vec<String>,
    /// What a file among them has to say.
    pub says: Option<String>,
    entries: Vec<Value>,
}

impl Preset {
    /// Every preset there is, in the order of the file.
    pub fn all() -> Vec<Preset> {
        let read: Value = serde_yaml::from_str(include_str!("presets.yaml")).unwrap_or_default();
        let presets = read.as_mapping().into_iter().flatten();
        let list = |value: &Value, key: &str| {
            value.get(key).and_then(Value::as_sequence).cloned().unwrap_or_default()
        };
        presets
            .map(|(name, preset)| Preset {
                name: name.as_str().unwrap_or_default().to_owned(),
                places: list(preset, "folders")
                    .iter()
                    .filter_map(|place| place.as_str().map(str::to_owned))
                    .collect(),
                says: preset.get("says").and_then(Value::as_str).map(str::to_owned),
                entries: list(preset, "entries"),
            })
            .collect()
    }
}

/// A glob that can be read, compiled when something is first held against it: every run reads the settings, and
/// few ask what they protect.
#[derive(Clone, Debug)]
struct Pattern {
    glob: Glob,
    /// A path without a wildcard: a file, or a folder with all below it.
    literal: Option<String>,
    compiled: OnceLock<GlobMatcher>,
}

impl Pattern {
    fn of(glob: &str) -> Result<Pattern, String> {
        let read = GlobBuilder::new(glob).literal_separator(true).build();
        let wrong = |error: globset::Error| {
            format!("\"{glob}\" is no glob: {}", error.kind().to_string().replace("; ", ", "))
        };
        let literal = (!has_wildcard(glob)).then(|| glob.to_owned());
        Ok(Pattern { glob: read.map_err(wrong)?, literal, compiled: OnceLock::new() })
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

/// The entries of a repository, and whether exceptions count.
#[derive(Clone, Debug)]
pub struct Policy {
    entries: Vec<Entry>,
    pub allow_exceptions: bool,
    /// Whether anybody wrote the entries down.
    pub is_explicit: bool,
}

impl Policy {
    pub fn new(entries: Vec<Entry>, allow_exceptions: bool) -> Policy {
        Policy { entries, allow_exceptions, is_explicit: true }
    }

    /// The entries, in their order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether anything in a folder, given without a slash at its end, may be protected.
    pub fn reaches(&self, folder: &[u8]) -> bool {
        self.entries.iter().any(|entry| !entry.lifts && entry.reaches(folder))
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
        let candidate = Candidate::from_bytes(path);
        let matching = |entry: &&Entry| entry.glob.matches(&candidate, path);
        let entries: Vec<&Entry> = self.entries.iter().rev().filter(matching).collect();
        let mut found: Vec<&Entry> = Vec::new();
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
                if holds != Some(false) && !entry.lifts && !is_told {
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

    fn entry(yaml: &str) -> Result<Entry, String> {
        Entry::read(&serde_yaml::from_str(yaml).unwrap())
    }

    fn policy(entries: &[&str]) -> Policy {
        Policy::new(entries.iter().map(|yaml| entry(yaml).unwrap()).collect(), false)
    }

    fn protects(policy: &Policy, path: &str) -> bool {
        policy.protects(path.as_bytes())
    }

    #[test]
    fn globs_do_not_cross_slashes_and_the_last_entry_decides() {
        let some = policy(&["docs/*.md", "logs/", "'!logs/tmp/**'", "a/**/b.md"]);
        for (path, protected) in [
            ("docs/a.md", true),
            ("docs/x/a.md", false),
            ("docs/a.txt", false),
            ("logs/x/y", true),
            ("logs/tmp/y", false),
            ("a/b.md", true),
            ("a/x/y/b.md", true),
        ] {
            assert_eq!(protects(&some, path), protected, "{path}");
        }
        for (folder, reached) in [("", true), ("docs", true), ("docs/x", true), ("doc", false), ("a/x", true)]
        {
            assert_eq!(some.reaches(folder.as_bytes()), reached, "{folder}");
        }
    }

    #[test]
    fn a_condition_that_cannot_be_told_holds() {
        let some = policy(&["{path: d/**, when: {status: analyzed, branch: 'release/*'}}"]);
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
        let lifted = ["d/**", "{path: '!d/**', when: {status: raw}}"];
        assert_eq!(count(&lifted, &[Some("raw")]), 0);
        assert_eq!((count(&lifted, &[None]), count(&lifted, &[])), (1, 1));
        // A second meta.json, nearer to the file, lifts nothing that the first one holds.
        assert_eq!(count(&lifted, &[Some("raw"), Some("analyzed")]), 1);
        let relaxed = ["d/**", "{path: d/**, rule: lines, when: {status: raw}}"];
        assert_eq!((count(&relaxed, &[Some("raw")]), count(&relaxed, &[Some("raw"), Some("x")])), (1, 2));
    }

    #[test]
    fn a_path_without_a_wildcard_is_a_file_or_a_folder() {
        for entry in ["docs/x", "docs/x/"] {
            let some = policy(&[entry]);
            assert!(protects(&some, "docs/x") && protects(&some, "docs/x/y/z.md"));
            assert!(!protects(&some, "docs/xy") && !protects(&some, "docs"));
        }
    }

    #[test]
    fn presets_can_be_read() {
        for preset in Preset::all() {
            let value = serde_yaml::from_str(&format!("{{preset: {}}}", preset.name)).unwrap();
            let entries = Entry::read_all(&value).unwrap();
            assert!(!entries.is_empty() && !preset.places.is_empty(), "{}", preset.name);
        }
        let read = |yaml: &str| Entry::read_all(&serde_yaml::from_str(yaml).unwrap());
        assert!(read("{preset: add}").unwrap_err().contains("did you mean \"adr\"?"));
        assert!(read("{preset: adr, rule: lines}").is_err());
        let adr = Policy::new(read("{preset: adr}").unwrap(), false);
        assert!(protects(&adr, "docs/adr/0001-use-git.md") && !protects(&adr, "docs/adr/README.md"));
        let kep = Policy::new(read("{preset: kep}").unwrap(), false);
        assert!(protects(&kep, "keps/sig/README.md") && kep.reaches(b"keps/sig"));
    }

    #[test]
    fn rules_can_be_bound_to_globs() {
        let rule = |yaml: &str, path: &str| entry(yaml).unwrap().rule(path);
        assert_eq!(rule("a/**", "a/x.md"), Rule::Markdown);
        assert_eq!(rule("{path: a/**, rule: log}", "a/x.md"), Rule::Log);
        assert_eq!(rule("{path: a/**, rule: json}", "a/meta.json"), Rule::Meta);
        assert_eq!(rule("{path: a/**, rule: frozen}", "a/meta.json"), Rule::Frozen);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (yaml, message) in [
            ("3", "an entry is a glob"),
            ("{rule: log}", "needs the key `path`"),
            ("{path: a, rule: line}", "did you mean \"lines\"?"),
            ("{path: a, warn: [list-loose]}", "did you mean \"list-loosened\"?"),
            ("{path: a, wen: 1}", "did you mean \"when\"?"),
            ("{path: a, when: {stat: 1}}", "did you mean \"status\"?"),
            ("{path: a, when: {written_by: me}}", "can only be roundtable"),
            ("/a", "below the repository's root"),
            ("'a[b'", "is no glob"),
        ] {
            let error = entry(yaml).unwrap_err();
            assert!(error.contains(message), "{yaml}: {error}");
        }
    }
}
