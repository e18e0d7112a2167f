//! A regular expression of a rule file, compiled when a text first needs it: most runs need few of a file's patterns.
//!
//! ```
//! use roundtable::text::pattern::Pattern;
//!
//! assert!(Pattern::later("^Note:").is_match("Note: a"));
//! assert_eq!(Pattern::now("(a").unwrap_err(), "unclosed group");
//! ```

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// A pattern takes at most so much memory once it is compiled.
const MAX_BYTES: usize = 1 << 20;

/// A pattern of the regex crate.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern that a test has checked; one that can't be read matches nothing.
    pub fn later(text: &str) -> Pattern {
        Pattern { text: text.to_owned(), compiled: OnceLock::new() }
    }

    /// A pattern of a user.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn now(text: &str) -> Result<Pattern, String> {
        let compiled = compile(text).map_err(|error| {
            let error = error.to_string();
            error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
        })?;
        Ok(Pattern { text: text.to_owned(), compiled: OnceLock::from(Some(compiled)) })
    }

    pub fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.text).ok()).as_ref()
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}

fn compile(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(MAX_BYTES).build()
}
