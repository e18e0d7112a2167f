//! Does a change only add? The rule of every commit that roundtable makes, and of `roundtable check`.
//!
//! [`verify`] and [`compare`] are functions of two texts a path, and nothing else: no history, no
//! diff, no configuration of git. Only [`verify`] can build an [`Additive`], and only an
//! [`Additive`] can be committed.
//!
//! | rule | files | what must hold |
//! | --- | --- | --- |
//! | [`Rule::Markdown`] | `.md` `.markdown` `.mdown` `.mkd` | the line rule ([`text`]), and every old block is still in its place ([`block`]) |
//! | [`Rule::Csv`] | `.csv` `.tsv` | the line rule, and every old record still reads the same ([`csv`]) |
//! | [`Rule::Meta`] | `meta.json` | as JSON; records, steps and phases are append-only and stay identical ([`json`]) |
//! | [`Rule::Json`] | `.json` | objects gain keys, arrays grow at their end, scalars stay ([`json`]) |
//! | [`Rule::Yaml`] | `.yaml` `.yml` | the same as data, scalars as they are written, and comments stay ([`yaml`]) |
//! | [`Rule::Log`] | `.jsonl` `.ndjson` `.log` | the old bytes are a prefix of the new ones |
//! | [`Rule::Frozen`] | anything else | not one byte changes |
//!
//! Letter case does not count in a suffix.
//!
//! # What is proven, what is assumed
//! Each rule asks whether *some* embedding of the old text in the new one exists. For lines and for
//! blocks the leftmost candidate is taken at every step; both modules argue why that finds an
//! embedding whenever there is one, and property tests compare them with the definition itself.
//! Assumed are the parsers: that pulldown-cmark reads CommonMark 0.31 with GFM's extensions as the pages
//! are rendered that people read (a test compares what passes with comrak's rendering), that html5gum
//! reads HTML as a browser's tokenizer does, saphyr-parser YAML 1.2, and csv RFC 4180.
//!
//! # Decided where the definition leaves it open
//! Rows may be added between rows of a table or CSV file (no row changes by it). A `null` is a value:
//! filling it in changes it. In meta.json the depth of a phase (`depth_overrides`) may become another
//! of the three: it is the user's, like the turn limit. Front matter may be given to a document that has
//! none. Fragment anchors, `style=` and `on*=` attributes and mathematics are not judged.
//!
//! # Example
//!
//! ```
//! use roundtable::additive::{Code, Rule, compare, verify};
//! use roundtable::item::Change;
//!
//! let to = |after: &str| Change {
//!     path: "docs/spec.md".into(),
//!     before: Some(b"# Fees\n\n- one letter a month\n".to_vec()),
//!     after: after.into(),
//! };
//! // A bullet of its own is an addition.
//! let additive = verify(vec![to("# Fees\n\n- one letter a month\n- payment by card\n")]).unwrap();
//! assert_eq!(additive.changes().len(), 1);
//! // A changed line is a loss, with its place in the old text and what to do about it.
//! let losses = verify(vec![to("# Fees\n\n- one letter a week\n")]).unwrap_err();
//! assert_eq!((losses[0].line, losses[0].code), (3, Code::LineLost));
//! assert_eq!(losses[0].hint, "put the line back as it was and write the new text below it");
//! // A rule can be asked for that is not the one of the path's ending.
//! let log = compare("audit.md", Rule::Log, b"- a\n", b"- a\n- b\n");
//! assert!(log.losses.is_empty());
//! ```

pub mod block;
pub mod csv;
pub mod json;
pub mod text;
pub mod yaml;

use crate::item::Change;

/// Where a loss was seen (S1 to S7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    Tree,
    Line,
    Block,
    Data,
}

impl Layer {
    pub const fn name(self) -> &'static str {
        match self {
            Layer::Tree => "tree",
            Layer::Line => "line",
            Layer::Block => "block",
            Layer::Data => "data",
        }
    }
}

macro_rules! codes {
    ($($code:ident $name:literal: $why:literal, $hint:literal;)+) => {
        /// What kind of loss it is (S8), the worst first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $($code),+ }

        impl Code {
            /// Every code there is.
            pub const ALL: &[Code] = &[$(Code::$code),+];

            /// The code's name in reports and policies.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$code => $name),+ }
            }

            /// Why this is a loss, in one sentence.
            pub const fn why(self) -> &'static str {
                match self { $(Code::$code => $why),+ }
            }

            /// What to do about it, in one line.
            pub const fn hint(self) -> &'static str {
                match self { $(Code::$code => $hint),+ }
            }
        }
    };
}

codes! {
    PathLost "path-lost": "a protected file stays where it is, under the same name", "put the file back under its old path; a renamed copy may be added";
    Type "type": "a file, a link and a submodule are not the same thing", "restore its old type";
    Mode "mode": "the mode of a protected file stays as it is", "restore the mode with git update-index --chmod";
    Opaque "opaque": "a file of this kind cannot be compared by its parts, so no byte of it may change", "put the old file back, and the new one beside it under another name";
    LineLost "line-lost": "every old line must be in the new text, byte for byte and in the same order", "put the line back as it was and write the new text below it";
    Hidden "hidden": "old text must be displayed as before, not inside a comment, a code block or other raw HTML", "close what was opened before the old text, or put it after the old text";
    ParagraphChanged "paragraph-changed": "a paragraph is read as a whole: a line glued to it changes it", "leave a blank line between the old paragraph and the new text";
    BlockLost "block-lost": "every old block must be in the new text, under the same heading, list or quotation, and in the same order", "put the block back as it was and write new blocks before or after it";
    SectionMoved "section-moved": "old text stays under its heading", "put the new heading after the old text and its sub-sections";
    ListSplit "list-split": "an old list stays one list", "put the new block before or after the list";
    ListLoosened "list-loosened": "a blank line between bullets sets every bullet of the list apart", "take the blank line out again";
    Renumbered "renumbered": "the numbers of a list are what people refer to", "put the new step after the last old one";
    LinkTarget "link-target": "links keep their targets, and brackets that were no link do not become one", "rename or remove the new link definition";
    RawHtml "raw-html": "new raw HTML must be closed and harmless, since it changes what follows", "close the tag or comment, or write it in backticks";
    FrontMatter "front-matter": "front matter stays the first thing in a file", "put the front matter back on line 1";
    KeyLost "key-lost": "objects may gain keys and never lose one", "put the key back";
    Scalar "scalar": "an existing value is not changed", "put the old value back, and the new one under a new key";
    Array "array": "arrays grow at their end only, since positions are referred to", "put new elements after the last old one";
    DuplicateKey "duplicate-key": "of two equal keys a reader sees only one", "give the new key another name";
    CsvHeader "csv-header": "the first record names the columns of all others", "put the old header back; new columns need a new file";
    CsvRagged "csv-ragged": "every new record has as many cells as the first one", "give the record a cell for each column, and close its quotation marks";
    Control "control": "a line of control characters is a blank line to one reader and text to another", "remove the control character";
    PathTwin "path-twin": "two paths that differ in letter case or Unicode form alone are one file on some systems", "give the new file another name";
    ReplaceRef "replace-ref": "a replacement shows other content under an old object's name", "do not push to refs/replace/";
    TaskTicked "task-ticked": "a task that was open is marked as done", "restore the empty box, or allow task-ticked in the policy";
    CommentChanged "comment-changed": "a comment is part of the document, though readers of the page do not see it", "restore the comment, or allow comment-changed in the policy";
    ParagraphExtended "paragraph-extended": "a paragraph is read as a whole: more text in it changes it", "put the new text into a paragraph of its own, or allow paragraph-extended in the policy";
    Unparsable "unparsable": "what cannot be read cannot be compared", "make the file valid again";
}

impl Code {
    /// The code with a name.
    pub fn parse(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.name() == name)
    }
}

/// Something that a change loses or alters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub path: String,
    /// The line in the old text, from one.
    pub line: usize,
    /// The line in the new text where it shows, if there is one.
    pub head_line: Option<usize>,
    pub layer: Layer,
    pub code: Code,
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {} ({})", self.path, self.line, self.message, self.code.name())
    }
}

/// A loss in one file, before it is known which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    layer: Layer,
    code: Code,
    line: usize,
    head_line: Option<usize>,
    message: String,
}

impl Found {
    pub(crate) fn new(layer: Layer, code: Code, line: usize, message: String) -> Found {
        Found { layer, code, line, head_line: None, message }
    }

    /// With the line of the new text where it shows.
    pub(crate) fn head(self, line: usize) -> Found {
        Found { head_line: Some(line), ..self }
    }

    /// As many lines further down: for a part of a file.
    pub(crate) fn below(self, lines: usize) -> Found {
        Found { line: self.line + lines, head_line: self.head_line.map(|line| line + lines), ..self }
    }

    pub(crate) fn at(self, path: &str) -> Loss {
        Loss {
            path: path.to_owned(),
            line: self.line,
            head_line: self.head_line,
            layer: self.layer,
            code: self.code,
            message: self.message,
            hint: self.code.hint().to_owned(),
        }
    }
}

/// A piece of somebody's text, for a message: one line without markup, cut.
pub(crate) fn quoted(text: &str) -> String {
    let start: String = text.chars().take(400).collect();
    crate::plain::cut(&crate::plain::one_line(&crate::plain::clean(&start)), 100)
}

/// How a file is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The line rule alone.
    Lines,
    Markdown,
    Csv,
    Json,
    Meta,
    Yaml,
    /// Only at the end of the file.
    Log,
    /// No change at all.
    Frozen,
}

impl Rule {
    /// The rule of a path, by its suffix (S2).
    pub fn of(path: &str) -> Rule {
        let name = path.rsplit('/').next().unwrap_or(path);
        let suffix = name.rsplit_once('.').map_or("", |(_, suffix)| suffix).to_ascii_lowercase();
        match (name, suffix.as_str()) {
            ("meta.json", _) => Rule::Meta,
            (_, "md" | "markdown" | "mdown" | "mkd") => Rule::Markdown,
            (_, "csv" | "tsv") => Rule::Csv,
            (_, "json") => Rule::Json,
            (_, "yaml" | "yml") => Rule::Yaml,
            (_, "jsonl" | "ndjson" | "log") => Rule::Log,
            _ => Rule::Frozen,
        }
    }
}

/// The outcome of comparing one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    pub losses: Vec<Loss>,
    /// Blocks of a Markdown file that are new.
    pub added: usize,
}

/// Changes that were compared with what they replace, and only add to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Additive(Vec<Change>);

impl Additive {
    /// The changes, one a path.
    pub fn changes(&self) -> &[Change] {
        &self.0
    }
}

/// Compares every change with what it replaces, by the rule of its path.
///
/// # Errors
/// Everything that would be lost or altered.
pub fn verify(changes: Vec<Change>) -> Result<Additive, Vec<Loss>> {
    let mut losses = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        if changes[..at].iter().any(|other| other.path.eq_ignore_ascii_case(&change.path)) {
            let message = "two changes are meant for one path".to_owned();
            losses.push(Found::new(Layer::Tree, Code::PathLost, 1, message).at(&change.path));
        }
        if let Some(before) = &change.before {
            losses.extend(compare(&change.path, Rule::of(&change.path), before, &change.after).losses);
        }
    }
    if losses.is_empty() { Ok(Additive(changes)) } else { Err(losses) }
}

/// What `after` loses of `before`, by a rule.
pub fn compare(path: &str, rule: Rule, before: &[u8], after: &[u8]) -> Compared {
    judge(path, rule, before, after, true)
}

/// As [`compare`], where only the verdict counts: of many losses one is told, and not where its text is now.
pub fn compare_briefly(path: &str, rule: Rule, before: &[u8], after: &[u8]) -> Compared {
    judge(path, rule, before, after, false)
}

fn judge(path: &str, rule: Rule, before: &[u8], after: &[u8], explain: bool) -> Compared {
    if before == after {
        return Compared::default();
    }
    let mut added = 0;
    let mut found = match rule {
        Rule::Lines => text::losses(before, after),
        Rule::Markdown => match block::added(before, after) {
            Some(more) => {
                added = more;
                Vec::new()
            }
            None => {
                let blocks = block::compare_for(before, after, explain);
                added = blocks.added;
                blocks.found
            }
        },
        Rule::Csv => match text::losses(before, after) {
            found if found.is_empty() => csv::losses(before, after),
            found => found,
        },
        Rule::Json => json::losses(before, after),
        Rule::Meta => json::meta_losses(before, after),
        Rule::Yaml => yaml::losses(before, after),
        Rule::Log => text::log_losses(before, after),
        Rule::Frozen => vec![frozen(before, after)],
    };
    if let [only] = &mut found[..]
        && explain
        && (only.layer, only.code) == (Layer::Line, Code::LineLost)
        && matches!(rule, Rule::Lines | Rule::Markdown | Rule::Csv)
    {
        only.message.push_str(&text::gone_too(before, after, only.line));
    }
    Compared { losses: found.into_iter().map(|found| found.at(path)).collect(), added }
}

/// The finding for a file of which no byte may change, with the first line that differs.
pub(crate) fn frozen(before: &[u8], after: &[u8]) -> Found {
    let same = text::shared(before, after);
    let line = |text: &[u8]| {
        let end = same.min(text.len().saturating_sub(1));
        1 + memchr::memchr_iter(b'\n', &text[..end]).count()
    };
    let message = "a file of this kind must stay as it is".to_owned();
    let found = Found::new(Layer::Data, Code::Opaque, line(before), message);
    if after.is_empty() { found } else { found.head(line(after)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, before: &str, after: &str) -> Vec<Change> {
        vec![Change { path: path.into(), before: Some(before.into()), after: after.into() }]
    }

    #[test]
    fn what_only_adds_is_additive() {
        for (path, before, after) in [
            ("a.md", "x\n", "x\n\ny\n"),
            ("a.json", "[1]", "[1, 2]"),
            ("a.jsonl", "{}\n", "{}\n{}\n"),
            ("a.yaml", "a: 1\n", "b: 2\na: 1\n"),
            ("a.TSV", "id\tx\n1\t2\n", "id\tx\n1\t2\n3\t4\n"),
            ("a.log", "x\n", "x\ny\n"),
            ("a.mkd", "x\n", "x\n\ny\n"),
            ("a.csv", "id\n1\n", "id\n1\n2\n"),
            ("a.png", "x", "x"),
        ] {
            assert!(verify(change(path, before, after)).is_ok(), "{path}");
        }
        assert!(verify(vec![Change { path: "n.png".into(), before: None, after: b"x".to_vec() }]).is_ok());
    }

    #[test]
    fn what_loses_or_alters_is_refused() {
        for (path, before, after, code) in [
            ("a.md", "x\ny\n", "x\n", Code::LineLost),
            ("a.md", "x\n", "x\ny\n", Code::ParagraphExtended),
            ("a.json", "[1, 2]", "[2, 1]", Code::Scalar),
            ("a.jsonl", "{}\n", "x{}\n", Code::LineLost),
            ("a.png", "x", "xy", Code::Opaque),
        ] {
            assert_eq!(verify(change(path, before, after)).unwrap_err()[0].code, code, "{path}");
        }
        let mut twice = change("a.md", "x\n", "x\n\ny\n");
        twice.extend(change("A.md", "x\n", "x\n\ny\n"));
        assert!(verify(twice).is_err());
    }

    #[test]
    fn codes_have_names_of_their_own() {
        for code in Code::ALL {
            assert_eq!(Code::parse(code.name()), Some(*code));
        }
        assert_eq!(Code::ALL.len(), 28);
    }
}
