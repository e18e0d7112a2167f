//! How strictly a file is protected, and how its kind of file is compared.
//!
//! ```
//! use roundtable::additive::{Format, Rule};
//!
//! assert_eq!(Rule::parse("append-only"), Some(Rule::Strict));
//! assert!(Rule::Living < Rule::Content);
//! assert_eq!(Format::of("docs/notes.RST"), Format::Text);
//! ```

use super::{Class, Kind, Severity};

/// How strictly a file is protected. The stricter rule is greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Not at all.
    None,
    /// By `content`, what roundtable wrote alone.
    Written,
    /// As `content`, and changes that harm little are warnings: for documents that teams rewrite.
    Living,
    /// Old content is there, in its place and order.
    #[default]
    Content,
    /// Old lines and blocks are there byte for byte.
    Strict,
}

impl Rule {
    pub const ALL: [Rule; 5] = [Rule::Content, Rule::Living, Rule::Strict, Rule::Written, Rule::None];

    /// The rule's name in a policy.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::None => "none",
            Rule::Written => "written",
            Rule::Living => "living",
            Rule::Content => "content",
            Rule::Strict => "strict",
        }
    }

    /// The rule with a name; `append-only` is another name of `strict`.
    pub fn parse(name: &str) -> Option<Rule> {
        let name = if name == "append-only" { "strict" } else { name };
        Rule::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// What is asked of a file: a rule, and kinds of change that are warnings or violations whatever the rule says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Demand {
    pub rule: Rule,
    pub warn: Vec<Kind>,
    pub deny: Vec<Kind>,
    /// What may change in this file all the same.
    pub freedom: Freedom,
}

impl Demand {
    pub fn of(rule: Rule) -> Demand {
        Demand { rule, ..Demand::default() }
    }

    /// How bad a finding of this kind is; `is_entry` where it is about an item or a row.
    pub fn severity(&self, class: Class, kind: Kind, is_entry: bool) -> Severity {
        if self.deny.contains(&kind) {
            Severity::Violation
        } else if self.warn.contains(&kind) || self.is_warning(class, kind, is_entry) {
            Severity::Warning
        } else {
            Severity::Violation
        }
    }

    fn is_warning(&self, class: Class, kind: Kind, is_entry: bool) -> bool {
        let is_mild = match kind {
            Kind::Renumbered | Kind::CodeExtended => true,
            Kind::Reordered => is_entry,
            _ => false,
        };
        match self.rule {
            Rule::None => true,
            Rule::Strict => false,
            Rule::Content | Rule::Written => is_mild,
            Rule::Living => is_mild || class == Class::Changed && !STOPS_LIVING.contains(&kind),
        }
    }
}

/// Changes that `living` stops, as `content` does.
const STOPS_LIVING: &[Kind] = &[
    Kind::PathLost,
    Kind::Type,
    Kind::Mode,
    Kind::PathTwin,
    Kind::Weakened,
    Kind::Number,
    Kind::Struck,
    Kind::Folded,
    Kind::Moved,
    Kind::Renamed,
    Kind::Hidden,
    Kind::RawHtml,
    Kind::Control,
    Kind::Opaque,
    Kind::DuplicateKey,
    Kind::Unparsable,
];

/// What of a document may change because its life cycle says so. Names are compared without letter case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Freedom {
    /// Keys of front matter, and what lines begin with before a colon, that may take another value.
    pub fields: Vec<String>,
    /// Headings whose own text may be replaced.
    pub sections: Vec<String>,
    /// Headings below which everything is free.
    pub drafts: Vec<String>,
    /// Labels of link definitions that may lead elsewhere.
    pub links: Vec<String>,
    /// What a heading may gain at its end.
    pub suffixes: Vec<String>,
    /// Keys of front matter that a later state does without.
    pub passing: Vec<String>,
    /// Comments are a template's instructions, and may go; ours stay.
    pub comments: bool,
    /// A list of links to the document's own headings is made anew from these.
    pub contents: bool,
}

/// What a file is, by its suffix (G-S2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Markdown,
    Csv,
    Json,
    Meta,
    Yaml,
    /// Only at the end of the file.
    Log,
    /// Text of another kind: lines to `content`, bytes to `strict`.
    Text,
    /// No byte may change.
    Opaque,
}

impl Format {
    /// The format of a path. Letter case does not count in a suffix.
    pub fn of(path: &str) -> Format {
        let name = path.rsplit('/').next().unwrap_or(path);
        let suffix = name.rsplit_once('.').map_or("", |(_, suffix)| suffix).to_ascii_lowercase();
        match (name, suffix.as_str()) {
            ("meta.json", _) => Format::Meta,
            (_, "md" | "markdown" | "mdown" | "mkd") => Format::Markdown,
            (_, "csv" | "tsv") => Format::Csv,
            (_, "json") => Format::Json,
            (_, "yaml" | "yml") => Format::Yaml,
            (_, "jsonl" | "ndjson" | "log") => Format::Log,
            (_, "txt" | "text" | "rst" | "adoc" | "asciidoc" | "mdx" | "org" | "feature" | "qmd" | "rmd") => {
                Format::Text
            }
            _ => Format::Opaque,
        }
    }
}
