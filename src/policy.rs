//! What must only grow: the `append_only` entries of the settings, as the base of a change has them.
//!
//! Of several entries that match a path, the last one decides, as in `.gitignore`; an entry that
//! begins with `!` protects nothing. `*` does not cross `/`, `**` does, and an entry that ends in
//! `/` stands for everything below.
//!
//! ```yaml
//! append_only:
//!   - docs/requirements/**                       # by the kind of each file
//!   - { path: docs/audit/*.md, rule: log }       # only at the end
//!   - { path: docs/drafts/**, rule: lines, when: { status: [raw, partial], branch: main } }
//!   - { path: docs/notes/**, when: { written_by: roundtable }, warn: [list-loosened] }
//! ```
//!
//! The table of rules and conditions stands in `docs/gate.md`.
//!
//! ```
//! use roundtable::config::Config;
//!
//! let settings = b"append_only: [docs/**, '!docs/drafts/**']";
//! let policy = Config::read(".roundtable.yaml", settings).unwrap().policy().unwrap();
//! let protects = |path: &str| policy.entry(path.as_bytes(), None, &mut || None).is_some();
//! assert!(protects("docs/spec.md"));
//! assert!(!protects("docs/drafts/idea.md"));
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
    /// The folder that everything it matches stands in; empty for the root.
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
const KEYS: [&str; 4] = ["path", "rule", "when", "warn"];
const WHEN: [&str; 3] = ["status", "branch", "written_by"];

impl Entry {
    /// An entry that is a glob alone.
    ///
    /// # Errors
    /// A glob that cannot be read.
    pub fn of(glob: &str) -> Result<Entry, String> {
        let (lifts, glob) = glob.strip_prefix('!').map_or((false, glob), |rest| (true, rest));
        let whole = if glob.ends_with('/') { format!("{glob}**") } else { glob.to_owned() };
        if whole.is_empty() || whole.starts_with('/') || whole.split('/').any(|part| part == "..") {
            return Err(format!("\"{glob}\" is no glob below the repository's root; write it like docs/**"));
        }
        let literal = whole.find(['*', '?', '[', '{', '\\']).unwrap_or(whole.len());
        let folder = whole[..literal].rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let entry = Entry {
            glob: Pattern::of(&whole)?,
            folder,
            lifts,
            rule: None,
            status: Vec::new(),
            branch: None,
            written: false,
            warn: Vec::new(),
        };
        Ok(entry)
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

/// A glob that can be read, compiled when something is first held against it: every run reads the settings, and
/// few ask what they protect.
#[derive(Clone, Debug)]
struct Pattern {
    glob: Glob,
    compiled: OnceLock<GlobMatcher>,
}

impl Pattern {
    fn of(glob: &str) -> Result<Pattern, String> {
        let read = GlobBuilder::new(glob).literal_separator(true).build();
        let wrong = |error: globset::Error| {
            format!("\"{glob}\" is no glob: {}", error.kind().to_string().replace("; ", ", "))
        };
        Ok(Pattern { glob: read.map_err(wrong)?, compiled: OnceLock::new() })
    }

    fn matcher(&self) -> &GlobMatcher {
        self.compiled.get_or_init(|| self.glob.compile_matcher())
    }
}

/// The entries of a repository, and whether exceptions count.
#[derive(Clone, Debug)]
pub struct Policy {
    entries: Vec<Entry>,
    pub allow_exceptions: bool,
}

impl Policy {
    pub fn new(entries: Vec<Entry>, allow_exceptions: bool) -> Policy {
        Policy { entries, allow_exceptions }
    }

    /// Whether anything in a folder, given without a slash at its end, may be protected.
    pub fn reaches(&self, folder: &[u8]) -> bool {
        let within = |outer: &[u8], inner: &[u8]| {
            outer.is_empty()
                || inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        let entries = self.entries.iter().filter(|entry| !entry.lifts);
        entries
            .map(|entry| entry.folder.as_bytes())
            .any(|own| folder.is_empty() || within(own, folder) || within(folder, own))
    }

    /// The entry that decides for a path, if one protects it. `status` tells the state of the item
    /// that the path belongs to; what is not known is protected.
    pub fn entry<'p>(
        &'p self,
        path: &[u8],
        branch: Option<&str>,
        status: &mut dyn FnMut() -> Option<String>,
    ) -> Option<&'p Entry> {
        let candidate = Candidate::from_bytes(path);
        let mut of_item = None;
        let found = self.entries.iter().rev().find(|entry| {
            if !entry.glob.matcher().is_match_candidate(&candidate) {
                return false;
            }
            let here = match (&entry.branch, branch) {
                (Some(glob), Some(branch)) => glob.matcher().is_match(branch),
                _ => true,
            };
            here && (entry.status.is_empty()
                || of_item
                    .get_or_insert_with(&mut *status)
                    .as_ref()
                    .is_none_or(|is| entry.status.contains(is)))
        });
        found.filter(|entry| !entry.lifts)
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
        policy.entry(path.as_bytes(), None, &mut || None).is_some()
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
            some.entry(b"d/x.md", branch, &mut || status.map(str::to_owned)).is_some()
        };
        assert!(holds(None, None));
        assert!(holds(Some("release/1"), Some("analyzed")));
        assert!(!holds(Some("main"), Some("analyzed")));
        assert!(!holds(Some("release/1"), Some("raw")));
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
