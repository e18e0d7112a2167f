//! What is wrong with a file, and where: path, line, column, the line itself, and how to mend it.
//!
//! ```
//! use roundtable::finding::Finding;
//!
//! let finding = Finding::near("talk.yaml", "user: Sam\nimputs: []\n", "imputs", "unknown key \"imputs\"");
//! assert_eq!((finding.line, finding.column), (2, 1));
//! ```

use std::fmt;

/// A defect of a text, at a place a reader can go to. Lines and columns count from one; a column
/// counts characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub path: String,
    pub line: usize,
    pub column: usize,
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The line at `line`, as it stands in the file.
    pub source: Option<String>,
}

/// Findings show at most this many characters of a line: a file may be one line of a megabyte.
const SHOWN: usize = 120;

impl Finding {
    /// A finding at `line` and `column` of `text`.
    pub fn at(path: &str, text: &str, line: usize, column: usize, message: impl Into<String>) -> Finding {
        let source = text.lines().nth(line.saturating_sub(1)).map(|found| crate::plain::cut(found, SHOWN));
        Finding { path: path.to_owned(), line, column, message: message.into(), hint: None, source }
    }

    /// A finding where `needle` first stands in `text`, or at its beginning.
    pub fn near(path: &str, text: &str, needle: &str, message: impl Into<String>) -> Finding {
        let (line, column) = text.find(needle).map_or((1, 1), |offset| place(text, offset));
        Finding::at(path, text, line, column, message)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = Some(hint.into());
        self
    }
}

/// The line and column of a byte offset, both from one.
pub fn place(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path, self.line, self.column, self.message)?;
        if let Some(source) = &self.source {
            let number = self.line.to_string();
            let shown: String = crate::plain::clean(source).replace('\t', " ");
            let indent = " ".repeat(self.column.saturating_sub(1).min(shown.chars().count()));
            write!(f, "\n {number} | {shown}\n {} | {indent}^", " ".repeat(number.len()))?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n   = {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Finding {}

/// The known word nearest to a misspelt one, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    similar::get_close_matches(word, known, 1, 0.6).into_iter().next()
}

/// `; did you mean "…"?`, or nothing.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    nearest(word, known).map(|found| format!("; did you mean \"{found}\"?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_shows_the_line_and_points_at_the_column() {
        let finding = Finding::near("a.md", "x: 1\nstep: 2\n", "step", "unknown key").hint("write `step_id`");
        insta::assert_snapshot!(finding.to_string(), @r"
        a.md:2:1: unknown key
         2 | step: 2
           | ^
           = write `step_id`
        ");
    }

    #[test]
    fn the_nearest_word_is_named_only_when_near() {
        assert_eq!(nearest("max_turn", &["voice", "max_turns"]), Some("max_turns"));
        assert_eq!(nearest("zzz", &["voice", "max_turns"]), None);
    }
}
