//! `roundtable review`: what do these documents leave open? (docs/spec/review.md)

mod documents;
mod rules;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::check::Format;
use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, report};
use crate::item::config::{self, Config};
use crate::item::library::{File, Library};
use crate::review::{self, Document, Review, Rules};
use crate::run::settings;
use crate::text::finding::Severity;
pub use documents::Source;

#[derive(Debug, Default, Args)]
#[command(
    after_help = "Examples: roundtable review docs/requirements\n          roundtable review late-fees --fail-on minor\n          roundtable review --base origin/main\n\nExit codes: 0 nothing at or above --fail-on; 1 there is; 2 could not be reviewed."
)]
pub struct Options {
    /// Files and folders, an item, or - for standard input [default: `review.paths` of the settings, else the items]
    #[arg(value_name = "PATH|ITEM")]
    pub paths: Vec<PathBuf>,
    /// Only findings on lines that changed since this revision
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// The files of the index, and only findings on lines that differ from HEAD
    #[arg(long, conflicts_with_all = ["base", "rev"])]
    pub staged: bool,
    /// The files of this commit instead of those on disk
    #[arg(long, value_name = "REV")]
    pub rev: Option<String>,
    /// How to report [default: github in Actions, else human]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Exit with 1 for findings that are at least this severe [default: major]
    #[arg(long, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Say of each finding why it matters and what helps, not once a rule
    #[arg(long)]
    pub explain: bool,
    /// List the rules, the repository's own among them, or show one
    #[arg(long, value_name = "RULE", num_args = 0..=1, conflicts_with_all = ["paths", "base", "staged", "rev", "fail_on"])]
    pub rules: Option<Option<String>>,
    #[arg(skip)]
    pub step: Option<String>,
}

/// From which severity on the answer is no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Major,
    Minor,
    Note,
    None,
}

impl FailOn {
    fn fails(self, severity: Severity) -> bool {
        match self {
            FailOn::Major => severity == Severity::Major,
            FailOn::Minor => severity <= Severity::Minor,
            FailOn::Note => true,
            FailOn::None => false,
        }
    }
}

/// Reviews, and reports in the wanted form.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    if let Some(rule) = &options.rules {
        return rules::run(global, rule.as_deref(), screen);
    }
    let format = Format::wanted(options.format, screen)?;
    let source = Source::open(global, options)?;
    let found = reviewed(&source, options, screen)?;
    let fail_on = match (options.fail_on, source.config.review.as_ref().and_then(|review| review.fail_on)) {
        (Some(fail_on), _) => fail_on,
        (None, Some(config::FailOn::Major) | None) => FailOn::Major,
        (None, Some(config::FailOn::Minor)) => FailOn::Minor,
        (None, Some(config::FailOn::Note)) => FailOn::Note,
        (None, Some(config::FailOn::None)) => FailOn::None,
    };
    report::review::write(&found, format, options.explain, screen)?;
    screen.check().map_err(Fail::new)?;
    let fails = found.findings.iter().any(|finding| !finding.is_hint && fail_on.fails(finding.severity));
    Ok(if fails { Code::No } else { Code::Yes })
}

/// The findings of a source, only those on changed lines where that is asked for.
pub fn reviewed(source: &Source, options: &Options, screen: &Screen) -> Result<Review, Fail> {
    let rules = read_rules(&source.rules)?;
    let mut wanted = wanted(&source.config, options, &rules)?;
    wanted.files = source.files.clone();
    let documents: Vec<Document<'_>> =
        source.texts.iter().map(|(path, text)| Document { path, text }).collect();
    if documents.is_empty() {
        if !options.staged && source.changed.is_none() {
            return Err(Fail::new("there is no document to review")
                .with_hint("name Markdown files, or folders that hold some"));
        }
        screen.warn("there is no document to review");
    }
    let mut found = review::review(&documents, &rules, &wanted);
    if let Some(changed) = &source.changed {
        let is_new = |path: &String, line: usize| {
            changed.get(path).is_some_and(|lines| lines.iter().any(|range| range.contains(&line)))
        };
        // A finding of two places is new where one of them is.
        found.findings.retain(|finding| {
            let mut places = finding.related.iter().map(|other| (&other.path, other.line));
            is_new(&finding.path, finding.line) || places.any(|(path, line)| is_new(path, line))
        });
    }
    Ok(found)
}

/// The built-in rules with those of the repository laid over them.
fn read_rules(own: &[File]) -> Result<Rules, Fail> {
    Ok(Rules::over(own)?)
}

/// What is asked for, by the settings and the arguments.
fn wanted(config: &Config, options: &Options, rules: &Rules) -> Result<review::Options, Fail> {
    let mut wanted = settings::review_options(config);
    for name in wanted.off.iter().chain(wanted.severity.keys()) {
        rules.find(name).map_err(|error| Fail::new(format!("{}: `review`: {error}", config::FILE)))?;
    }
    if let Some(step) = &options.step {
        wanted.personas.insert(Library::built_in()?.step(step)?.persona.clone());
    }
    Ok(wanted)
}
