//! `.roundtable.yaml`: the repository's settings, every key optional (contract, section 3).
//!
//! Nothing is guessed: a key that is not known is an error with its place and the nearest known one.
//!
//! ```
//! use roundtable::config::Config;
//!
//! assert_eq!(Config::default().items(), "docs/requirements");
//! assert_eq!(Config::read(".roundtable.yaml", b"items: specs").unwrap().items(), "specs");
//! let error = Config::read(".roundtable.yaml", b"item: specs").unwrap_err();
//! assert!(error.to_string().contains("did you mean \"items\"?"));
//! ```

use serde::Deserialize;

use crate::finding::{Finding, place};
use crate::front_matter;
use crate::policy::{Entry, Policy};

/// The file's path in a repository.
pub const FILE: &str = ".roundtable.yaml";
/// Where items stand where nothing says otherwise.
pub const ITEMS: &str = "docs/requirements";
/// Larger files are refused before they are parsed.
const LIMIT: usize = 64 * 1024;

/// The settings of a repository.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "`key: value` lines")]
pub struct Config {
    /// The folder that holds the items.
    pub items: Option<String>,
    pub voice: Option<String>,
    pub model: Option<String>,
    pub max_turns: Option<u32>,
    /// A folder laid over the built-in steps.
    pub steps: Option<String>,
    /// A folder laid over the built-in templates.
    pub templates: Option<String>,
    /// What the additive check protects.
    pub append_only: Option<Vec<serde_yaml::Value>>,
    pub allow_exceptions: Option<bool>,
    pub github: Option<crate::github::Settings>,
}

impl Config {
    /// Reads a configuration file; an empty one is the default.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place; an unknown key names the nearest known one.
    pub fn read(path: &str, bytes: &[u8]) -> Result<Config, Finding> {
        let text = crate::json::utf8(path, bytes)?;
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
        for (key, folder) in [("items", &self.items), ("steps", &self.steps), ("templates", &self.templates)]
        {
            if folder.as_ref().is_some_and(|folder| !is_folder(folder)) {
                let message = format!("`{key}` must be a folder below the repository's root");
                found.push(
                    Finding::near(path, text, &format!("{key}:"), message)
                        .hint("write it like docs/requirements"),
                );
            }
        }
        let least = crate::discussion::LEAST_TURNS;
        if self.max_turns.is_some_and(|turns| turns < least) {
            let message = format!("`max_turns` must be at least {least}");
            found.push(Finding::near(path, text, "max_turns:", message).hint("leave it out for 10"));
        }
        for entry in self.append_only.iter().flatten() {
            if let Err(message) = Entry::read_all(entry) {
                found.push(of_entry(path, text, entry, &message));
            }
        }
        found
    }

    /// What must only grow; everything in the items' folder where nothing is said.
    ///
    /// # Errors
    /// None: [`Config::read`] has read the entries before.
    pub fn policy(&self) -> Result<Policy, String> {
        let entries = match &self.append_only {
            Some(entries) => entries.iter().map(Entry::read_all).collect::<Result<Vec<_>, _>>()?.concat(),
            None => vec![Entry::of(&format!("{}/**", escaped(self.items())))?],
        };
        let mut policy = Policy::new(entries, self.allow_exceptions.unwrap_or(false));
        policy.is_explicit = self.append_only.is_some();
        Ok(policy)
    }

    /// The folder that holds the items, without a trailing slash.
    pub fn items(&self) -> &str {
        self.items.as_deref().unwrap_or(ITEMS).trim_end_matches('/')
    }
}

/// What is wrong with an entry of `append_only`, at the word that the message names, else at its glob.
fn of_entry(path: &str, text: &str, entry: &serde_yaml::Value, message: &str) -> Finding {
    let glob = entry.as_str().or_else(|| entry.get("path").and_then(serde_yaml::Value::as_str));
    let named = message.split('"').nth(1).into_iter().chain(glob);
    let begin = text.find("append_only:").unwrap_or(0);
    let needle = named.filter(|word| !word.is_empty()).find(|word| text[begin..].contains(word));
    let (message, hint) =
        message.rsplit_once("; ").unwrap_or((message, "docs/gate.md explains `append_only`"));
    let offset = begin + needle.and_then(|needle| text[begin..].find(needle)).unwrap_or(0);
    let (line, column) = place(text, offset);
    let marked = needle.map_or("append_only".len(), |needle| needle.chars().count());
    Finding::at(path, text, line, column, format!("`append_only`: {message}")).marked(marked).hint(hint)
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
        let config = Config::read(FILE, b"items: specs/\nmax_turns: 5\nappend_only: ['specs/**']\n").unwrap();
        assert_eq!((config.items(), config.max_turns), ("specs", Some(5)));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        insta::assert_snapshot!(Config::read(FILE, b"items: a\nmax_turn: 5\n").unwrap_err(), @r#"
        .roundtable.yaml:2:1: unknown key "max_turn"; did you mean "max_turns"?
         2 | max_turn: 5
           | ^^^^^^^^
           = help: the keys are items, voice, model, max_turns, steps, templates, append_only, allow_exceptions, github
        "#);
        for text in
            ["items: ../x", "items: /x", "items: ''", "max_turns: 2", "max_turns: many", "- a", "steps: .git"]
        {
            assert!(Config::read(FILE, text.as_bytes()).is_err(), "{text}");
        }
        assert!(Config::read(FILE, b"\xff").unwrap_err().message.contains("UTF-8"));
    }
}
