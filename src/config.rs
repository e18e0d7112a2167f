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

use crate::finding::{Finding, did_you_mean};
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

const KEYS: [&str; 9] = [
    "items",
    "voice",
    "model",
    "max_turns",
    "steps",
    "templates",
    "append_only",
    "allow_exceptions",
    "github",
];

impl Config {
    /// Reads a configuration file; an empty one is the default.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place; an unknown key names the nearest known one.
    pub fn read(path: &str, bytes: &[u8]) -> Result<Config, Finding> {
        let text = crate::json::utf8(path, bytes)?;
        if text.len() > LIMIT {
            return Err(Finding::at(path, text, 1, 1, format!("the file is over {LIMIT} bytes")));
        }
        let says_nothing =
            text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if says_nothing {
            return Ok(Config::default());
        }
        let config: Config =
            front_matter::parse(path, text, text, 0).map_err(|finding| with_nearest(path, text, finding))?;
        for (key, folder) in
            [("items", &config.items), ("steps", &config.steps), ("templates", &config.templates)]
        {
            if folder.as_ref().is_some_and(|folder| !is_folder(folder)) {
                let message = format!("`{key}` must be a folder below the repository's root");
                return Err(Finding::near(path, text, &format!("{key}:"), message)
                    .hint("write it like docs/requirements"));
            }
        }
        if config.max_turns.is_some_and(|turns| turns < crate::discussion::LEAST_TURNS) {
            let message = format!("`max_turns` must be at least {}", crate::discussion::LEAST_TURNS);
            return Err(Finding::near(path, text, "max_turns:", message));
        }
        for entry in config.append_only.iter().flatten() {
            if let Err(message) = Entry::read(entry) {
                return Err(Finding::near(path, text, "append_only:", format!("`append_only`: {message}")));
            }
        }
        Ok(config)
    }

    /// What must only grow; everything in the items' folder where nothing is said.
    ///
    /// # Errors
    /// None: [`Config::read`] has read the entries before.
    pub fn policy(&self) -> Result<Policy, String> {
        let entries = match &self.append_only {
            Some(entries) => entries.iter().map(Entry::read).collect::<Result<_, _>>()?,
            None => vec![Entry::of(&format!("{}/**", escaped(self.items())))?],
        };
        Ok(Policy::new(entries, self.allow_exceptions.unwrap_or(false)))
    }

    /// The folder that holds the items, without a trailing slash.
    pub fn items(&self) -> &str {
        self.items.as_deref().unwrap_or(ITEMS).trim_end_matches('/')
    }
}

/// An unknown key's finding, at the key and with the nearest known one.
fn with_nearest(path: &str, text: &str, finding: Finding) -> Finding {
    let Some(key) = finding.message.split('`').nth(1).filter(|_| finding.message.contains("unknown field"))
    else {
        return finding;
    };
    let message = format!("unknown key \"{key}\"{}", did_you_mean(key, &KEYS));
    Finding::near(path, text, &format!("{key}:"), message).hint(format!("the keys are {}", KEYS.join(", ")))
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
           | ^
           = the keys are items, voice, model, max_turns, steps, templates, append_only, allow_exceptions, github
        "#);
        for text in
            ["items: ../x", "items: /x", "items: ''", "max_turns: 2", "max_turns: many", "- a", "steps: .git"]
        {
            assert!(Config::read(FILE, text.as_bytes()).is_err(), "{text}");
        }
        assert!(Config::read(FILE, b"\xff").unwrap_err().message.contains("UTF-8"));
    }
}
