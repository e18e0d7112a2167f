//! What does a change lose? The rule of every commit that roundtable makes, and of `roundtable check`.
//!
//! [`verify`] and [`compare`] are functions of two texts a path, and nothing else: no history, no
//! diff, no configuration of git. Only [`verify`] can build an [`Additive`], and only an
//! [`Additive`] can be committed.
//!
//! A [`Rule`] says how strictly, a [`Format`] how a kind of file is compared:
//!
//! | format | `strict` | `content` and `living` |
//! | --- | --- | --- |
//! | [`Format::Markdown`] | old lines and blocks stay byte for byte ([`block`]) | old sentences, rows, items and sections stay ([`content`]) |
//! | [`Format::Csv`] | old records stay, new ones beside them ([`csv`]) | rows anywhere, columns at the end |
//! | [`Format::Meta`] | as JSON; records, steps and phases are append-only and stay identical ([`json`]) | the same |
//! | [`Format::Json`], [`Format::Yaml`] | keys are added, arrays grow at their end ([`json`], [`yaml`]) | elements anywhere, empty values may be filled |
//! | [`Format::Log`] | the old bytes are a prefix of the new ones | the same |
//! | [`Format::Text`] | not one byte changes | old lines stay, in order |
//! | [`Format::Opaque`] | not one byte changes | the same |
//!
//! # What is proven, what is assumed
//! Each rule asks whether *some* embedding of the old text in the new one exists. The leftmost candidate is
//! taken at every step; [`text`], [`block`] and [`content`] argue why that finds an embedding whenever there is
//! one, and property tests compare them with the definition itself. Assumed are the parsers: that
//! pulldown-cmark reads CommonMark 0.31 with GFM's extensions as the pages are rendered that people read (a
//! test compares what passes with comrak's rendering), that html5gum reads HTML as a browser's tokenizer does,
//! saphyr-parser YAML 1.2, and csv RFC 4180.
//!
//! # Decided where the definition leaves it open
//! `strict`: rows may be added between rows of a table or CSV file (no row changes by it). A `null` is a value:
//! filling it in changes it. In meta.json the depth of a phase (`depth_overrides`) may become another
//! of the three: it is the user's, like the turn limit. Front matter may be given to a document that has
//! none. Fragment anchors, `style=` and `on*=` attributes and mathematics are not judged.
//!
//! # Example
//!
//! ```
//! use roundtable::additive::{Change, Class, Demand, Kind, Rule, compare, verify};
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
//! assert_eq!((losses[0].finding.line, losses[0].finding.kind), (3, Kind::LineLost));
//! // By content it is a changed item; another marker is no change at all.
//! let by_content = |after: &str| {
//!     compare("spec.md", &Demand::of(Rule::Content), b"- one letter a month\n", after.as_bytes())
//! };
//! assert_eq!(by_content("* one letter a month\n").class, Class::Kept);
//! let found = &by_content("- two letters a month\n").findings[0];
//! assert_eq!((found.class, found.new.as_deref()), (Class::Changed, Some("two letters a month")));
//! ```

pub mod block;
pub mod content;
pub mod csv;
pub mod declared;
mod finding;
pub mod json;
pub mod policy;
mod rule;
mod shown;
pub mod text;
pub mod yaml;

pub use finding::{Class, Declared, Finding, Kind, Loss, Severity};
pub use rule::{Demand, Format, Freedom, Rule};
pub use shown::looks_alike;

/// New contents for a path, beside what it replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path in the repository.
    pub path: String,
    /// None where there is no such file yet.
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
}

/// A piece of somebody's text, for a message: one line without markup, cut.
pub(crate) fn quoted(text: &str) -> String {
    let start: String = text.chars().take(400).collect();
    crate::text::plain::cut(&crate::text::plain::one_line(&crate::text::plain::clean(&start)), 100)
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The worst class of its findings.
    pub class: Class,
    /// How many of the old lines that are not blank the new text keeps.
    pub kept_lines: usize,
    /// The old lines that are not blank.
    pub lines: usize,
    pub findings: Vec<Finding>,
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

/// Compares every change with what it replaces, by the rule `strict`.
///
/// # Errors
/// Everything that would be lost or altered.
pub fn verify(changes: Vec<Change>) -> Result<Additive, Vec<Loss>> {
    let mut losses = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        let path = &change.path;
        if changes[..at].iter().any(|other| other.path.eq_ignore_ascii_case(path)) {
            let finding = Finding::new(Kind::PathLost, 1, "two changes are meant for one path".to_owned());
            losses.push(Loss { path: path.clone(), finding });
        }
        if let Some(before) = &change.before {
            let found = strict(Format::of(path), before, &change.after);
            losses.extend(found.into_iter().map(|finding| Loss { path: path.clone(), finding }));
        }
    }
    if losses.is_empty() { Ok(Additive(changes)) } else { Err(losses) }
}

/// What `after` keeps of `before`, as a policy demands it.
pub fn compare(path: &str, demand: &Demand, before: &[u8], after: &[u8]) -> Comparison {
    let format = Format::of(path);
    let mut findings = match (demand.rule, format) {
        _ if before == after => Vec::new(),
        (Rule::None, _) => Vec::new(),
        (Rule::Strict, _) => strict(format, before, after),
        (Rule::Written, Format::Markdown) => content::written::compare(demand, before, after),
        _ => content::compare(format, demand, before, after),
    };
    if demand.rule == Rule::Strict || matches!(format, Format::Meta | Format::Log | Format::Opaque) {
        shown::show_lines(&mut findings, before, after);
        for finding in &mut findings {
            finding.severity = demand.severity(finding.class, finding.kind, false);
        }
    }
    summed(format, findings, before, after)
}

/// Findings with what they come to.
fn summed(format: Format, mut findings: Vec<Finding>, before: &[u8], after: &[u8]) -> Comparison {
    findings.sort_by_key(|finding| finding.line);
    let class = findings.iter().map(|finding| finding.class).max().unwrap_or(Class::Kept);
    shown::find_near_lines(&mut findings, before, after);
    let (kept_lines, lines) = shown::count_kept(format, &findings, before, after);
    Comparison { class, kept_lines, lines, findings }
}

/// What a file that is not there any more has lost.
pub fn lost_file(finding: Finding, before: &[u8]) -> Comparison {
    let lines = shown::count_lines(before);
    Comparison { class: Class::Gone, kept_lines: 0, lines, findings: vec![finding] }
}

/// Everything that the rule `strict` finds.
fn strict(format: Format, before: &[u8], after: &[u8]) -> Vec<Finding> {
    if before == after {
        return Vec::new();
    }
    match format {
        Format::Markdown => {
            shown::one_by_one(block::compare(before, after), (before, after), &block::compare)
        }
        Format::Csv => match text::losses(before, after) {
            found if found.is_empty() => csv::losses(before, after),
            found => shown::one_by_one(found, (before, after), &csv::losses),
        },
        Format::Json => json::losses(before, after),
        Format::Meta => json::meta_losses(before, after),
        Format::Yaml => yaml::losses(before, after),
        Format::Log => {
            let found = text::log_losses(before, after);
            let message = found.first().map(|finding| finding.message.clone()).unwrap_or_default();
            let all = shown::one_by_one(found, (before, after), &|_, _| Vec::new());
            all.into_iter().map(|finding| Finding { message: message.clone(), ..finding }).collect()
        }
        Format::Text | Format::Opaque => vec![frozen(before, after)],
    }
}

/// The finding for a file of which no byte may change, with the first line that differs.
pub(crate) fn frozen(before: &[u8], after: &[u8]) -> Finding {
    let same = text::shared(before, after);
    let line = |text: &[u8]| {
        let end = same.min(text.len().saturating_sub(1));
        1 + memchr::memchr_iter(b'\n', &text[..end]).count()
    };
    let message = "a file of this kind must stay as it is".to_owned();
    let found = Finding::new(Kind::Opaque, line(before), message);
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
            ("a.md", "x\ny\n", "x\n", Kind::LineLost),
            ("a.md", "x\n", "x\ny\n", Kind::ParagraphExtended),
            ("a.json", "[1, 2]", "[2, 1]", Kind::Scalar),
            ("a.jsonl", "{}\n", "x{}\n", Kind::LineLost),
            ("a.png", "x", "xy", Kind::Opaque),
        ] {
            assert_eq!(verify(change(path, before, after)).unwrap_err()[0].finding.kind, code, "{path}");
        }
        let mut twice = change("a.md", "x\n", "x\n\ny\n");
        twice.extend(change("A.md", "x\n", "x\n\ny\n"));
        assert!(verify(twice).is_err());
    }
}
