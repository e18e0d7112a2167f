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
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

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

/// A pattern that matches wherever `pattern` does and asks nothing about the borders of words. To ask that of a text
/// that is not ASCII, the regex crate leaves its fast engines (regex crate, "Performance"): a first look does without.
///
/// ```
/// use roundtable::text::pattern::without_word_borders;
///
/// assert_eq!(without_word_borders(r"^a\b").as_deref(), Some(r"(?:\Aa)"));
/// ```
pub fn without_word_borders(pattern: &str) -> Option<String> {
    regex_syntax::parse(pattern).ok().map(|hir| without_borders(&hir).to_string())
}

/// The looks around a place that ask for a line's or the text's begin and end, and not for a word's.
const OF_LINES: [Look; 6] =
    [Look::Start, Look::End, Look::StartLF, Look::EndLF, Look::StartCRLF, Look::EndCRLF];

fn without_borders(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(look) if !OF_LINES.contains(look) => Hir::empty(),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(without_borders(&repetition.sub)),
            ..repetition.clone()
        }),
        HirKind::Capture(group) => without_borders(&group.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_borders).collect()),
        HirKind::Alternation(ways) => Hir::alternation(ways.iter().map(without_borders).collect()),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => hir.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_of_words_go_and_those_of_lines_stay() {
        for (pattern, text, is_match, is_without) in [
            (r"(?i)\bTBD\b", "atbdé", false, true),
            (r"\b(?:a|bc)+\b", "xbcax", false, true),
            (r"^\bTODO\b$", "TODO", true, true),
            (r"^\bTODO\b$", "a TODO", false, false),
            (r"(?m)^\w+\B!$", "\nwhy!", false, true),
            (r"a.b", "a\nb", false, false),
        ] {
            let without = without_word_borders(pattern).unwrap_or_default();
            let found = [pattern, &without].map(|pattern| Pattern::later(pattern).is_match(text));
            assert_eq!(found, [is_match, is_without], "{pattern}, {without}");
        }
    }
}
