//! What is wrong with a file, and where: path, line, column, the line itself with the place
//! underlined, and how to fix it. One form for every kind of file.
//!
//! ```
//! use roundtable::text::finding::Finding;
//!
//! let finding = Finding::near("talk.yaml", "user: Sam\nimputs: []\n", "imputs", "unknown key \"imputs\"");
//! assert_eq!((finding.line, finding.column), (2, 1));
//! ```

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::text::plain;

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
    /// The line at `line`, or the part of it around `column`.
    pub excerpt: Option<Box<Excerpt>>,
    /// What else the same reading has found.
    pub more: Box<[Finding]>,
}

/// A line as it is shown: harmless, no tabs, cut where it is long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// The characters before what is underlined.
    pub before: usize,
    /// The characters that are underlined, at least one.
    pub marked: usize,
}

/// Findings show at most this many characters of a line: a file may be one line of a megabyte.
const SHOWN: usize = 120;
/// A narrow terminal shows at least so many.
const LEAST: usize = 20;
/// A tab reaches to the next multiple of this.
const TAB: usize = 4;
/// As many findings of one reading are kept: a file may be wrong a million times.
pub const MOST: usize = 20;

impl Finding {
    /// A finding at `line` and `column` of `text`.
    pub fn at(path: &str, text: &str, line: usize, column: usize, message: impl Into<String>) -> Finding {
        let found = text.lines().nth(line.saturating_sub(1));
        let excerpt = found.map(|found| Box::new(Excerpt::of(found, column)));
        let (path, message) = (path.to_owned(), message.into());
        Finding { path, line, column, message, hint: None, excerpt, more: Box::default() }
    }

    /// A finding where `needle` first occurs in `text`, or at its beginning.
    pub fn near(path: &str, text: &str, needle: &str, message: impl Into<String>) -> Finding {
        let (line, column) = text.find(needle).map_or((1, 1), |offset| place(text, offset));
        let marked = needle.lines().next().unwrap_or_default().trim_end_matches(':').chars().count();
        Finding::at(path, text, line, column, message).marked(marked)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = Some(hint.into());
        self
    }

    /// This finding and those with it, which say which version of the file was read.
    pub fn of_version(mut self, version: &str) -> Finding {
        let told = self.hint.as_mut().unwrap_or(&mut self.message);
        told.push_str(&format!(" (read from {version})"));
        self.more = self.more.into_iter().map(|more| more.of_version(version)).collect();
        self
    }

    /// With so many characters underlined, as far as the line goes.
    pub fn marked(mut self, marked: usize) -> Finding {
        if let Some(excerpt) = &mut self.excerpt {
            let left = excerpt.text.chars().count().saturating_sub(excerpt.before);
            excerpt.marked = marked.min(left).max(1);
        }
        self
    }

    /// This finding and those with it, with their paths below a folder.
    pub(crate) fn below(mut self, folder: Option<&str>) -> Finding {
        let Some(folder) = folder.map(|folder| folder.trim_end_matches('/')) else { return self };
        for path in std::iter::once(&mut self.path).chain(self.more.iter_mut().map(|more| &mut more.path)) {
            *path = format!("{folder}/{path}");
        }
        self
    }

    /// The first findings of one reading as one; none where there is none.
    pub fn all(findings: Vec<Finding>) -> Option<Finding> {
        let mut findings = findings.into_iter().flat_map(Finding::apart).take(MOST);
        let mut first = findings.next()?;
        first.more = findings.collect();
        Some(first)
    }

    /// This finding and what was found with it, each alone.
    pub fn apart(mut self) -> Vec<Finding> {
        let more = std::mem::take(&mut self.more);
        std::iter::once(self).chain(more.into_iter().flat_map(Finding::apart)).collect()
    }
}

impl Excerpt {
    /// A line with `marked` characters from `column` on underlined, at least one, in at most `room` columns.
    pub fn marked(line: &str, column: usize, marked: usize, room: Option<usize>) -> Excerpt {
        let mut excerpt =
            Excerpt::within(line, column, marked, room.map_or(SHOWN, |room| room.clamp(LEAST, SHOWN)));
        let left = excerpt.text.chars().count().saturating_sub(excerpt.before);
        excerpt.marked = marked.min(left).max(1);
        excerpt
    }

    /// A line, with the word at `column` underlined.
    pub fn of(line: &str, column: usize) -> Excerpt {
        Excerpt::within(line, column, 1, SHOWN)
    }

    /// The same in about so many columns, with what is to be underlined in view.
    fn within(line: &str, column: usize, marked: usize, shown: usize) -> Excerpt {
        // The cut ends of the line take a column each.
        let is_long = shown < SHOWN && line.width() > shown;
        let shown = if is_long { shown - 2 } else { shown };
        let reach = column + marked.min(shown / 2);
        let is_far = column > shown - shown / 4 || is_long && reach > shown;
        let skipped = if is_far { column.saturating_sub(shown / 2) } else { 0 };
        let mut text = if skipped > 0 { "…".to_owned() } else { String::new() };
        let (mut before, mut marked) = (None, 0);
        let end = column.saturating_sub(1) + word(line, column);
        let mut end_of_text = skipped;
        for (at, found) in line.chars().enumerate().skip(skipped) {
            // A wide character takes two columns.
            if at >= skipped + shown || text.width() + found.width().unwrap_or(0) > shown + 1 {
                break;
            }
            end_of_text = at + 1;
            let stands = text.chars().count();
            if at + 1 == column {
                before = Some(stands);
            }
            match found {
                '\t' => text.push_str(&" ".repeat(TAB - text.width() % TAB)),
                _ if plain::is_harmless(found) => text.push(found),
                _ if plain::is_variation(found) => {}
                _ => text.push('\u{fffd}'),
            }
            if (column..=end).contains(&(at + 1)) {
                marked += text.chars().count() - stands;
            }
        }
        let before = before.unwrap_or_else(|| text.chars().count());
        if line.chars().nth(end_of_text).is_some() {
            text.push('…');
        }
        Excerpt { text: text.trim_end().to_owned(), before, marked: marked.max(1) }
    }
}

/// How many characters the word, number or quoted text at a column has; one for any other sign.
fn word(line: &str, column: usize) -> usize {
    let mut rest = line.chars().skip(column.saturating_sub(1));
    match rest.next() {
        Some(quote @ ('"' | '\'')) => rest.position(|found| found == quote).map_or(1, |at| at + 2),
        Some(first) if first.is_alphanumeric() => {
            1 + rest.take_while(|found| found.is_alphanumeric() || "_-.".contains(*found)).count()
        }
        _ => 1,
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
        self.fmt_alone(f)?;
        for finding in &self.more {
            write!(f, "\n\n")?;
            finding.fmt_alone(f)?;
        }
        match self.more.len() + 1 {
            1 => Ok(()),
            all if all < MOST => write!(f, "\n\n{all} findings"),
            all => write!(f, "\n\n{all} findings, and there may be more"),
        }
    }
}

impl Finding {
    fn fmt_alone(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path, self.line, self.column, self.message)?;
        let number = self.line.to_string();
        if let Some(Excerpt { text, before, marked }) = self.excerpt.as_deref() {
            let width =
                |from: usize, count: usize| text.chars().skip(from).take(count).collect::<String>().width();
            let (indent, marks) = (" ".repeat(width(0, *before)), "^".repeat(width(*before, *marked).max(1)));
            let blank = " ".repeat(number.len());
            write!(f, "\n {number} | {text}\n {blank} | {indent}{marks}")?;
        }
        if let Some(help) = &self.hint {
            write!(f, "\n {} = help: {help}", " ".repeat(number.len()))?;
        }
        Ok(())
    }
}

impl std::error::Error for Finding {}

/// How near two words are, from 0 to 1, where one may be meant by the other: by the letters to be changed
/// ("1-3" for "01-03"), and by those that they share ("mane" for "main").
const CHANGED: f64 = 0.6;
const SHARED: f64 = 0.8;
/// As many bytes of a word tell what it is a part of.
const PART: usize = 4;
/// Of more bytes it is no misspelt word, and to compare it takes time and memory.
const LONGEST: usize = 100;

/// The known word nearest to a misspelt one, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let same = known.iter().find(|known| known.to_lowercase() == lower);
    // Of a path, the name counts: "examples/ofline-mode" for "offline-mode".
    let name = word.rsplit('/').next().unwrap_or(word);
    let near = |known: &&'a str| {
        let [whole, last] = [word, name].map(|word| nearness(word, known));
        // None is less than any.
        let near = if whole > last { whole } else { last };
        Some((near?, *known))
    };
    // Of equals the first; `max_by` gives the last.
    let nearest = || known.iter().rev().filter_map(near).max_by(|(a, _), (b, _)| a.total_cmp(b));
    same.copied().or_else(|| nearest().map(|(_, known)| known))
}

/// How near a word is to a known one; nothing where it is too far.
fn nearness(word: &str, known: &str) -> Option<f64> {
    if word.len() > LONGEST {
        return None;
    }
    let (changed, shared) =
        (strsim::normalized_damerau_levenshtein(word, known), strsim::jaro_winkler(word, known));
    // "analyst" for "business-analyst".
    let is_part = word.len() >= PART && known.contains(word);
    (is_part || changed >= CHANGED || shared >= SHARED).then_some(changed + shared)
}

/// `did you mean "…"?`, where a known word is near.
pub fn suggestion(word: &str, known: &[&str]) -> Option<String> {
    nearest(word, known).map(|found| format!("did you mean \"{found}\"?"))
}

/// `; did you mean "…"?`, or nothing: for a message that has a hint of its own.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    suggestion(word, known).map(|found| format!("; {found}")).unwrap_or_default()
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Major,
    Minor,
    Note,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Major => "major",
            Severity::Minor => "minor",
            Severity::Note => "note",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_shows_the_line_and_underlines_the_place() {
        let finding = Finding::near("a.md", "x: 1\nstep: 2\n", "step", "unknown key").hint("write `step_id`");
        insta::assert_snapshot!(finding.to_string(), @r"
        a.md:2:1: unknown key
         2 | step: 2
           | ^^^^
           = help: write `step_id`
        ");
    }

    #[test]
    fn wide_signs_tabs_and_what_cannot_be_seen_keep_the_underline_in_place() {
        let shown = |line: &str, column: usize| Finding::at("a", line, 1, column, "x").to_string();
        insta::assert_snapshot!(shown("日本: zwei", 5), @r"
        a:1:5: x
         1 | 日本: zwei
           |       ^^^^
        ");
        insta::assert_snapshot!(shown("🙂e\u{301}: \u{1b}[31mred", 6), @r"
        a:1:6: x
         1 | 🙂é: �[31mred
           |      ^
        ");
        insta::assert_snapshot!(shown("\ta\tb", 4), @r"
        a:1:4: x
         1 |     a   b
           |         ^
        ");
    }

    #[test]
    fn the_nearest_word_is_the_one_that_is_meant() {
        let known = ["business-analyst", "architect", "designer"];
        let near = |word: &str| nearest(word, &known);
        assert_eq!(near("architcet"), Some("architect"));
        assert_eq!(near("Designer"), Some("designer"));
        assert_eq!(near("analyst"), Some("business-analyst"));
        assert_eq!(nearest("1-3", &["01-03", "02-01"]), Some("01-03"));
        assert_eq!(nearest("mane", &["gh-pages", "main"]), Some("main"));
        assert_eq!(nearest("examples/ofline-mode", &["offline-mode"]), Some("offline-mode"));
        assert_eq!(near(&"architect".repeat(1_000)), None);
        assert_eq!(near("as"), None);
        assert_eq!(near("secretary"), None);
    }

    #[test]
    fn a_long_line_is_shown_around_its_place() {
        let line = format!("{}here{}", "x ".repeat(500), " y".repeat(500));
        let shown = Finding::at("a", &line, 1, 1001, "m").to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert!(
            lines[1].contains("… x") && lines[1].contains("here y") && lines[1].ends_with('…'),
            "{shown}"
        );
        assert_eq!(
            lines[1].chars().position(|c| c == 'h'),
            lines[2].chars().position(|c| c == '^'),
            "{shown}"
        );
        assert!(lines[1].chars().count() < 140);
    }

    #[test]
    fn several_findings_of_one_reading_are_one_message() {
        let one = |line| Finding::at("a", "p\nq\n", line, 1, format!("no {line}"));
        let all = Finding::all(vec![one(1), one(2)]).unwrap();
        insta::assert_snapshot!(all.to_string(), @r"
        a:1:1: no 1
         1 | p
           | ^

        a:2:1: no 2
         2 | q
           | ^

        2 findings
        ");
        assert_eq!(all.apart().len(), 2);
        assert!(Finding::all(Vec::new()).is_none());
        let many = Finding::all((0..30).map(|_| one(1)).collect()).unwrap().to_string();
        assert!(many.ends_with("20 findings, and there may be more"), "{many}");
    }

    #[test]
    fn the_nearest_word_is_named_only_when_near() {
        assert_eq!(nearest("max_turn", &["voice", "max_turns"]), Some("max_turns"));
        assert_eq!(nearest("Voice", &["vice", "voice"]), Some("voice"));
        assert_eq!(nearest("zzz", &["voice", "max_turns"]), None);
    }
}
