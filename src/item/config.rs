//! `.roundtable.yaml`: the repository's settings, every key optional.
//!
//! Nothing is guessed: a key that is not known is an error with its place and the nearest known one.
//!
//! ```
//! use roundtable::item::config::Config;
//!
//! assert_eq!(Config::default().items(), "docs/requirements");
//! assert_eq!(Config::read(".roundtable.yaml", b"items: specs").unwrap().items(), "specs");
//! let error = Config::read(".roundtable.yaml", b"item: specs").unwrap_err();
//! assert!(error.to_string().contains("did you mean \"items\"?"));
//! ```

pub mod github;

use std::collections::{BTreeMap, HashSet};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use crate::additive::Rule;
use crate::additive::policy::{Entry, ITEMS_PRESET, Policy, PolicyError, Preset};
use crate::item::{Author, Elsewhere, meta};
use crate::text::finding::Severity;
use crate::text::finding::{Finding, place};
use crate::text::front_matter;

/// The file's path in a repository.
pub const FILE: &str = ".roundtable.yaml";
/// Where items are where nothing says otherwise.
pub const ITEMS: &str = "docs/requirements";
/// What a version of the settings that is in no commit is called.
pub const ON_DISK: &str = "the file on disk";
/// The characters of all evidence where nothing else is said, and the most that can be asked for.
pub const MAX_CHARS: usize = 160_000;
const MOST_CHARS: usize = 1_000_000;
/// Larger files are refused before they are parsed.
const LIMIT: usize = 64 * 1024;

/// The settings of a repository.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "`key: value` lines")]
pub struct Config {
    /// The folder that holds the items, or several.
    pub items: Option<Folders>,
    /// The items of a commit that are in none of those folders; no file says them.
    #[serde(skip)]
    pub elsewhere: Vec<Elsewhere>,
    /// Who speaks: one voice, or one by phase or step.
    pub voice: Option<ByStep>,
    pub model: Option<ByStep>,
    /// What the voice's tokens cost: `IN,CACHED,OUT` in dollars for a million.
    pub price: Option<ByStep>,
    /// Other models that read for the finding round.
    pub readers: Option<Vec<NamedReader>>,
    pub max_turns: Option<u32>,
    /// A folder laid over the built-in steps.
    pub steps: Option<String>,
    /// A folder laid over the built-in templates.
    pub templates: Option<String>,
    /// A folder laid over the built-in rules.
    pub rules: Option<String>,
    /// A folder laid over the built-in layouts.
    pub layouts: Option<String>,
    /// The layouts of items that are recognised as another one: globs of their paths, and names.
    pub layout: Option<BTreeMap<String, String>>,
    /// What `check` protects, and how strictly.
    pub protect: Option<Vec<serde_yaml::Value>>,
    /// Whether a change may declare what it loses.
    pub losses: Option<Losses>,
    /// The day from which `check` refuses a loss: before it, losses are reported only.
    pub report_until: Option<String>,
    pub author: Option<Person>,
    /// Variables of the environment that a program as a voice gets on GitHub.
    pub voice_env: Option<Vec<String>>,
    pub github: Option<github::Settings>,
    pub evidence: Option<Evidence>,
    pub review: Option<Review>,
}

/// The most readers beside the voice.
pub const MOST_READERS: usize = 3;

/// A model that reads for the finding round beside the voice: a voice, or a voice with its model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a voice, or {voice: NAME, model: NAME}")]
pub enum NamedReader {
    Voice(String),
    WithModel(VoiceOfModel),
}

/// A voice and its model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VoiceOfModel {
    pub voice: String,
    pub model: String,
}

/// Whether a text is a day in the form of ISO 8601, which orders days as texts.
fn is_day(text: &str) -> bool {
    text.len() == 10 && chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

/// Whether a change may declare what it loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Losses {
    Declared,
    None,
}

/// What of the repository a model is sent besides the item's documents.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "`key: value` lines")]
pub struct Evidence {
    /// Whether anything is sent.
    pub repository: bool,
    /// The most characters of it.
    pub max_chars: usize,
    /// Files that are not sent; globs from the repository's root, a folder without a wildcard with all below it.
    pub exclude: Vec<String>,
}

impl Default for Evidence {
    fn default() -> Evidence {
        Evidence { repository: true, max_chars: MAX_CHARS, exclude: Vec::new() }
    }
}

impl Evidence {
    /// The files that are not sent.
    ///
    /// # Errors
    /// The first glob that is none, and why.
    pub fn excluded(&self) -> Result<GlobSet, BadGlob> {
        let mut set = GlobSetBuilder::new();
        for glob in &self.exclude {
            let path = glob.trim_start_matches("./").trim_end_matches('/');
            for form in [path.to_owned(), format!("{path}/**")] {
                let read = GlobBuilder::new(&form).literal_separator(true).build();
                let bad =
                    |error: globset::Error| BadGlob { glob: glob.clone(), why: error.kind().to_string() };
                set.add(read.map_err(bad)?);
            }
        }
        set.build().map_err(|error| BadGlob { glob: String::new(), why: error.to_string() })
    }
}

/// A glob that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGlob {
    pub glob: String,
    pub why: String,
}

/// How documents are reviewed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "`key: value` lines")]
pub struct Review {
    /// Rules that are not run.
    pub off: Vec<String>,
    /// Severities that replace those of the rules.
    pub severity: BTreeMap<String, Severity>,
    /// What is reviewed where no path is named; globs from the repository's root.
    pub paths: Vec<String>,
    /// From which severity on the program exits with 1.
    pub fail_on: Option<FailOn>,
}

/// From which severity on the answer is no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    Major,
    Minor,
    Note,
    None,
}

impl FailOn {
    /// Whether a finding of this severity makes the answer no.
    pub fn fails(self, severity: Severity) -> bool {
        match self {
            FailOn::Major => severity == Severity::Major,
            FailOn::Minor => severity <= Severity::Minor,
            FailOn::Note => true,
            FailOn::None => false,
        }
    }
}

/// One name for all steps, or names by phase or step: `{default: secretary, 03-architecture: anthropic, 01-03: openai}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByStep(BTreeMap<String, String>);

/// The key of the name for all other steps.
const DEFAULT: &str = "default";

impl ByStep {
    /// The name for a step: its own, else its phase's, else the default.
    pub fn of(&self, step: &str, phase: &str) -> Option<&str> {
        [step, phase, DEFAULT].iter().find_map(|key| self.0.get(*key)).map(String::as_str)
    }

    /// The first key that is neither a phase nor a step.
    fn unknown(&self) -> Option<&String> {
        let is_numbered = |key: &str| {
            key.len() > 3 && key.as_bytes()[..2].iter().all(u8::is_ascii_digit) && key[2..].starts_with('-')
        };
        self.0.keys().find(|key| *key != DEFAULT && !(key.is_ascii() && is_numbered(key)))
    }
}

impl<'de> Deserialize<'de> for ByStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByStep, D::Error> {
        struct OneOrMap;
        impl<'de> Visitor<'de> for OneOrMap {
            type Value = ByStep;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a name, or names by phase or step")
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<ByStep, E> {
                Ok(ByStep(BTreeMap::from([(DEFAULT.to_owned(), name.to_owned())])))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByStep, A::Error> {
                let mut names = BTreeMap::new();
                while let Some((key, name)) = map.next_entry()? {
                    names.insert(key, name);
                }
                Ok(ByStep(names))
            }
        }
        deserializer.deserialize_any(OneOrMap)
    }
}

/// One folder, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders(Vec<String>);

impl<'de> Deserialize<'de> for Folders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Folders, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Folders;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a folder, or a list of folders")
            }
            fn visit_str<E: serde::de::Error>(self, folder: &str) -> Result<Folders, E> {
                Ok(Folders(vec![folder.to_owned()]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Folders, A::Error> {
                let mut folders = Vec::new();
                while let Some(folder) = list.next_element()? {
                    folders.push(folder);
                }
                Ok(Folders(folders))
            }
        }
        deserializer.deserialize_any(OneOrMany)
    }
}

/// Who commits, as the settings name them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "`author: {name: …, email: …}`")]
pub struct Person {
    pub name: String,
    pub email: String,
}

impl Person {
    /// The author of a commit, signed off or not.
    pub fn author(&self, signed_off: bool) -> Author {
        Author { name: self.name.trim().to_owned(), email: self.email.trim().to_owned(), signed_off }
    }
}

impl Config {
    /// Reads a configuration file; an empty one is the default.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place; an unknown key names the nearest known one.
    pub fn read(path: &str, bytes: &[u8]) -> Result<Config, Finding> {
        let text = crate::text::json::utf8(path, bytes)?;
        if text.len() > LIMIT {
            return Err(Finding::at(path, text, 1, 1, format!("the file is over {LIMIT} bytes"))
                .hint("settings are a few lines"));
        }
        let says_nothing =
            text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if says_nothing {
            return Ok(Config::default());
        }
        let config: Config = front_matter::parse(path, text, text, 0)?;
        match Finding::all(config.findings(path, text)) {
            Some(finding) => Err(finding),
            None => Ok(config),
        }
    }

    /// Values that are of the right kind and cannot be used.
    fn findings(&self, path: &str, text: &str) -> Vec<Finding> {
        let mut found = Vec::new();
        let one = |folder: &Option<String>| folder.iter().cloned().collect::<Vec<_>>();
        let items = self.items.as_ref().map_or(Vec::new(), |folders| folders.0.clone());
        for (key, folders) in [
            ("items", items),
            ("steps", one(&self.steps)),
            ("templates", one(&self.templates)),
            ("rules", one(&self.rules)),
            ("layouts", one(&self.layouts)),
        ] {
            if folders.iter().any(|folder| !is_folder(folder)) {
                let message = format!("`{key}` must be a folder below the repository's root");
                found.push(
                    Finding::near(path, text, &format!("{key}:"), message)
                        .hint("write it like docs/requirements"),
                );
            }
        }
        if self.items.as_ref().is_some_and(|folders| folders.0.is_empty()) {
            let finding = Finding::near(path, text, "items:", "`items` names no folder");
            found.push(finding.hint("leave it out for docs/requirements"));
        }
        for (key, names) in [("voice", &self.voice), ("model", &self.model)] {
            if let Some(unknown) = names.as_ref().and_then(ByStep::unknown) {
                let message = format!("`{key}` names \"{unknown}\", which is neither a phase nor a step");
                let finding = Finding::near(path, text, unknown, message);
                found.push(
                    finding.hint(
                        "write it like {default: secretary, 03-architecture: anthropic, 01-03: openai}",
                    ),
                );
            }
        }
        let least = crate::item::LEAST_TURNS;
        if self.max_turns.is_some_and(|turns| turns < least) {
            let message = format!("`max_turns` must be at least {least}");
            found.push(Finding::near(path, text, "max_turns:", message).hint("leave it out for 10"));
        }
        if self.author.as_ref().is_some_and(|person| !person.author(false).is_plain()) {
            let message = "`author` needs a name and an address of one line each, without < and >".to_owned();
            found.push(
                Finding::near(path, text, "author:", message)
                    .hint("write it like {name: Sam Lee, email: sam@example.org}"),
            );
        }
        if let Some(Err(BadGlob { glob, why })) = self.evidence.as_ref().map(Evidence::excluded) {
            let message = format!("`evidence.exclude`: \"{glob}\" is not a glob: {why}");
            let finding = Finding::near(path, text, &glob, message);
            found.push(finding.hint("write it like [secret/**, '*.sql']"));
        }
        for (glob, error) in
            self.layout.iter().flatten().filter_map(|(glob, _)| Some((glob, glob_of(glob).err()?)))
        {
            let message = format!("`layout`: \"{glob}\" is not a glob: {}", error.kind());
            found.push(Finding::near(path, text, glob, message).hint("write it like {'specs/*': speckit}"));
        }
        let most = self.evidence.as_ref().map_or(0, |evidence| evidence.max_chars);
        if most > MOST_CHARS {
            let message = format!("`evidence.max_chars` must be at most {MOST_CHARS}");
            let finding = Finding::near(path, text, "max_chars:", message);
            found.push(finding.hint(format!("leave it out for {MAX_CHARS}")));
        }
        if self.readers.as_ref().is_some_and(|readers| readers.len() > MOST_READERS) {
            let message = format!("`readers` has more than {MOST_READERS} voices");
            found.push(Finding::near(path, text, "readers:", message).hint("leave some out"));
        }
        if let Some(day) = self.report_until.as_ref().filter(|day| !is_day(day)) {
            let message =
                format!("`report_until` is \"{}\", which is not a day", crate::text::plain::shown(day));
            found.push(Finding::near(path, text, "report_until:", message).hint("write it like 2026-12-03"));
        }
        for entry in self.protect.iter().flatten() {
            if let Err(error) = self.entries_of(entry) {
                found.push(of_entry(path, text, entry, &error));
            }
        }
        found
    }

    /// What is protected; the items by `content` where nothing is said.
    ///
    /// # Errors
    /// None: [`Config::read`] has read the entries before.
    pub fn policy(&self) -> Result<Policy, PolicyError> {
        let entries = match &self.protect {
            Some(entries) => {
                entries.iter().map(|entry| self.entries_of(entry)).collect::<Result<Vec<_>, _>>()?.concat()
            }
            None => self.implied_entries()?,
        };
        let mut policy = Policy::new(entries, self.losses != Some(Losses::None));
        policy.is_explicit = self.protect.is_some();
        policy.report_until.clone_from(&self.report_until);
        Ok(policy)
    }

    /// The entries of the policy that one of the settings stands for; `preset: items` is what holds where nothing is said.
    fn entries_of(&self, entry: &serde_yaml::Value) -> Result<Vec<Entry>, PolicyError> {
        if !is_preset_of_items(entry) {
            return Entry::read_all(entry);
        }
        if entry.as_mapping().is_some_and(|entry| entry.len() > 1) {
            let what = format!("`preset: {ITEMS_PRESET}` is alone in its entry");
            let hint = Some("add an entry of your own below it".to_owned());
            return Err(PolicyError { what, hint, word: Some(ITEMS_PRESET.to_owned()) });
        }
        self.implied_entries()
    }

    /// What holds where nothing is said: the content of items stays; records have the life cycle of their preset.
    fn implied_entries(&self) -> Result<Vec<Entry>, PolicyError> {
        let below = |folder: &str| format!("{}/**", escaped(folder));
        let beside = self.elsewhere.iter().filter_map(|item| item.document.as_deref());
        let globs: Vec<String> = self.folders().into_iter().map(below).chain(beside.map(escaped)).collect();
        let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
        let mut entries = vec![Entry::of(&globs, Rule::Content)?.implied()];
        for item in &self.elsewhere {
            let Some(preset) = &item.preset else { continue };
            let place = escaped(item.document.as_ref().unwrap_or(&item.folder));
            entries.extend(Preset::named(preset)?.entries(Some(&[place]))?);
            let state = format!("{}/{}", escaped(&item.folder), meta::FILE);
            entries.push(Entry::of(&[&state], Rule::Content)?.implied());
        }
        Ok(entries)
    }

    /// The folder that new items are made in, without a trailing slash: the first of them.
    pub fn items(&self) -> &str {
        self.roots().first().copied().unwrap_or(ITEMS)
    }

    /// The name of the layout that the settings give an item.
    pub fn layout_of(&self, item: &str) -> Option<&str> {
        let is_of = |glob: &str| glob_of(glob).is_ok_and(|glob| glob.compile_matcher().is_match(item));
        self.layout.iter().flatten().find(|(glob, _)| is_of(glob)).map(|(_, name)| name.as_str())
    }

    /// What of the repository a model is sent.
    pub fn evidence(&self) -> Evidence {
        self.evidence.clone().unwrap_or_default()
    }

    /// The folders that are or hold all items: those of `items`, and the items that were found elsewhere, without
    /// those that are in another one.
    pub fn folders(&self) -> Vec<&str> {
        let mut folders = self.roots();
        let mut known: HashSet<&str> = folders.iter().copied().collect();
        for Elsewhere { folder, .. } in &self.elsewhere {
            let is_inside = folder.match_indices('/').any(|(at, _)| known.contains(&folder[..at]));
            if !is_inside {
                known.insert(folder);
                folders.push(folder);
            }
        }
        folders
    }

    /// The folders of `items`, without trailing slashes.
    pub fn roots(&self) -> Vec<&str> {
        match &self.items {
            Some(folders) => folders.0.iter().map(|folder| folder.trim_end_matches('/')).collect(),
            None => vec![ITEMS],
        }
    }

    /// Reads a configuration as [`Config::read`] does; a finding says which version of the file it is in.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn read_version(path: &str, bytes: &[u8], version: &str) -> Result<Config, Finding> {
        Config::read(path, bytes).map_err(|finding| finding.of_version(version))
    }
}

/// Whether an entry of `protect` means all items, wherever they are.
pub fn is_preset_of_items(entry: &serde_yaml::Value) -> bool {
    entry.get("preset").and_then(serde_yaml::Value::as_str) == Some(ITEMS_PRESET)
}

/// What is wrong with an entry of `protect`, at the word that is wrong, else at its glob.
fn of_entry(path: &str, text: &str, entry: &serde_yaml::Value, error: &PolicyError) -> Finding {
    let glob = entry.get("paths").and_then(|paths| paths.as_str().or_else(|| paths.get(0)?.as_str()));
    let begin = text.find("protect:").unwrap_or(0);
    let mut words = error.word.as_deref().into_iter().chain(glob);
    let needle = words.find(|word| !word.is_empty() && text[begin..].contains(word));
    let offset = begin + needle.and_then(|needle| text[begin..].find(needle)).unwrap_or(0);
    let (line, column) = place(text, offset);
    let marked = needle.map_or("protect".len(), |needle| needle.chars().count());
    let hint = error.hint.as_deref().unwrap_or("docs/gate.md explains `protect`");
    let message = format!("`protect`: {}", error.what);
    Finding::at(path, text, line, column, message).marked(marked).hint(hint)
}

/// A glob of the settings: `*` is one name of a path.
fn glob_of(glob: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob.trim_start_matches("./").trim_end_matches('/')).literal_separator(true).build()
}

/// A folder's path as a glob that means this folder.
fn escaped(folder: &str) -> String {
    let sign = |c: char| if "*?[]{}!\\".contains(c) { format!("[{c}]") } else { c.to_string() };
    folder.chars().map(sign).collect()
}

/// A relative path of plain names.
fn is_folder(text: &str) -> bool {
    let trimmed = text.strip_suffix('/').unwrap_or(text);
    !trimmed.is_empty()
        && trimmed
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
        && !trimmed.contains(['\\', ':', '\0', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_optional() {
        assert_eq!(Config::read(FILE, b"").unwrap().items(), ITEMS);
        assert_eq!(Config::read(FILE, b"# nothing\n").unwrap().items(), ITEMS);
        let config = Config::read(
            FILE,
            b"items: specs/\nmax_turns: 5\nprotect: [{paths: ['specs/**'], rule: content}]\n",
        )
        .unwrap();
        assert_eq!((config.items(), config.max_turns), ("specs", Some(5)));
        let config = Config::read(FILE, b"items: [specs, docs/old/]\nrules: own\n").unwrap();
        assert_eq!((config.items(), config.folders()), ("specs", vec!["specs", "docs/old"]));
        assert!(config.policy().is_ok());
    }

    #[test]
    fn a_finding_says_which_version_was_read() {
        let finding = Config::read_version(FILE, b"max_turns: 2\n", "commit 53bf0df4a0").unwrap_err();
        assert_eq!(finding.hint.unwrap(), "leave it out for 10 (read from commit 53bf0df4a0)");
        let finding = Config::read_version(FILE, b"a: [\n", ON_DISK).unwrap_err().to_string();
        assert!(finding.contains("(read from the file on disk)"), "{finding}");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        insta::assert_snapshot!(Config::read(FILE, b"items: a\nmax_turn: 5\n").unwrap_err(), @r#"
        .roundtable.yaml:2:1: unknown key "max_turn"; did you mean "max_turns"?
         2 | max_turn: 5
           | ^^^^^^^^
           = help: the keys are items, voice, model, price, readers, max_turns, steps, templates, rules, layouts, layout, protect, losses, report_until, author, voice_env, github, evidence, review
        "#);
        for text in [
            "items: ../x",
            "items: /x",
            "items: ''",
            "items: []",
            "items: [a, ../b]",
            "items: {a: b}",
            "max_turns: 2",
            "max_turns: many",
            "- a",
            "steps: .git",
            "rules: /x",
        ] {
            assert!(Config::read(FILE, text.as_bytes()).is_err(), "{text}");
        }
        assert!(Config::read(FILE, b"\xff").unwrap_err().message.contains("UTF-8"));
    }
}
