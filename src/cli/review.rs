//! `roundtable review`: what do these documents leave open? (contract, section 10)

mod documents;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::check::Format;
use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, report};
use crate::config::{self, Config};
use crate::front_matter;
use crate::library::{File, Library};
use crate::plain;
use crate::review::{self, Document, Review, Rules, Severity};
use crate::text::words::is_english;
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
    /// Show the notes on the wording of documents that explain and argue, too
    #[arg(long)]
    pub notes: bool,
    /// Only this rule; may be given again
    #[arg(long, value_name = "RULE")]
    pub rule: Vec<String>,
    /// Only the rules of this persona
    #[arg(long, value_name = "PERSONA")]
    pub persona: Vec<String>,
    /// Only the rules of the persona that leads this step
    #[arg(long, value_name = "NN-NN")]
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
    // Who asks for a rule, or fails for notes, wants to see them.
    let has_asides = options.notes || !options.rule.is_empty() || fail_on == FailOn::Note;
    report::review::write(&found, &source.texts, format, has_asides, screen)?;
    screen.check().map_err(Fail::new)?;
    let fails = found.findings.iter().any(|finding| fail_on.fails(finding.severity));
    Ok(if fails { Code::No } else { Code::Yes })
}

/// The findings of a source, only those on changed lines where that is asked for.
pub fn reviewed(source: &Source, options: &Options, screen: &Screen) -> Result<Review, Fail> {
    let rules = rules(&source.rules)?;
    let wanted = wanted(&source.config, options, &rules)?;
    let documents: Vec<Document<'_>> =
        source.texts.iter().map(|(path, text)| Document { path, text }).collect();
    if documents.is_empty() {
        if !options.staged && source.changed.is_none() {
            return Err(Fail::new(
                "there is no document to review; name Markdown files, or folders that hold some",
            ));
        }
        screen.warn("there is no document to review");
    }
    for (path, _) in source.texts.iter().filter(|(_, text)| text.contains('\0')) {
        screen.warn(&format!(
            "{} is no text: it holds NUL bytes, and what was found in it means nothing; save it as UTF-8",
            plain::shown(path)
        ));
    }
    warn_of_languages(&documents, screen);
    warn_of_data(&documents, screen);
    let mut found = review::review(&documents, &rules, &wanted);
    if let Some(changed) = &source.changed {
        let is_new = |path: &String, line: usize| {
            changed.get(path).is_some_and(|lines| lines.iter().any(|range| range.contains(&line)))
        };
        // A line that contradicts an older one is new, wherever the finding is.
        found.findings.retain(|finding| {
            let mut places = finding.related.iter().map(|other| (&other.path, other.line));
            is_new(&finding.path, finding.line) || places.any(|(path, line)| is_new(path, line))
        });
    }
    Ok(found)
}

/// Says which documents the rules cannot read, by their first lines.
fn warn_of_languages(documents: &[Document<'_>], screen: &Screen) {
    const FIRST_LINES: usize = 200;
    const MOST_NAMES: usize = 3;
    let is_foreign = |document: &&Document<'_>| {
        let is_prose = !document.path.ends_with(".jsonl") && !document.path.ends_with(".json");
        is_prose && is_english(without_code(document.text).take(FIRST_LINES)) == Some(false)
    };
    let foreign: Vec<&str> = documents.iter().filter(is_foreign).map(|document| document.path).collect();
    let more = foreign.len().saturating_sub(MOST_NAMES);
    if !foreign.is_empty() {
        let names = plain::shown(&foreign[..foreign.len() - more].join(", "));
        let more =
            if more > 0 { format!(" and {}", plain::count(more, "more document")) } else { String::new() };
        screen.warn(&format!("the rules read English, which {names}{more} does not seem to be in"));
    }
}

/// Says which documents end in .yaml and are none: text is judged as Markdown only under its own ending.
fn warn_of_data(documents: &[Document<'_>], screen: &Screen) {
    // Several documents in one file are YAML too, and a very long one is no text by mistake.
    let is_read = |document: &&Document<'_>| {
        (document.path.ends_with(".yaml") || document.path.ends_with(".yml"))
            && document.text.len() <= MOST_YAML
            && !document.text.contains("\n---")
    };
    for document in documents.iter().filter(is_read) {
        let path = plain::shown(document.path);
        let parsed = front_matter::parse::<serde_yaml::Value>(document.path, document.text, document.text, 0);
        let line = match parsed {
            Ok(serde_yaml::Value::String(_)) => 1,
            Err(error) => error.line,
            Ok(_) => continue,
        };
        let stem = plain::shown(document.path.rsplit_once('.').map_or("", |(stem, _)| stem));
        screen.warn(&format!(
            "{path} is no YAML (line {line}), so headings and lists in it are not read; if it is text, rename it to {stem}.md"
        ));
    }
}

/// Bytes of a file that is looked at for YAML.
const MOST_YAML: usize = 1 << 18;

/// The lines of a document outside of fenced code.
fn without_code(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The built-in rules with those of the repository laid over them.
pub fn rules(own: &[File]) -> Result<Rules, Fail> {
    Ok(Rules::over(own)?)
}

/// What the settings ask for.
pub fn set(config: &Config) -> review::Options {
    let mut wanted = review::Options::default();
    if let Some(settings) = &config.review {
        wanted.off = settings.off.iter().cloned().collect::<BTreeSet<_>>();
        wanted.severity = settings.severity.clone();
    }
    wanted
}

/// What is asked for, by the settings and the arguments.
fn wanted(config: &Config, options: &Options, rules: &Rules) -> Result<review::Options, Fail> {
    let mut wanted = set(config);
    for name in wanted.off.iter().chain(wanted.severity.keys()) {
        rules.find(name).map_err(|error| Fail::new(format!("{}: `review`: {error}", config::FILE)))?;
    }
    for name in &options.rule {
        rules.find(name).map_err(|error| Fail::new(format!("--rule: {}", plain::clean(&error))))?;
        wanted.rules.insert(name.clone());
    }
    let known: BTreeSet<&str> = rules.iter().map(|rule| rule.file.persona.as_str()).collect();
    for name in &options.persona {
        if !known.contains(name.as_str()) {
            let known: Vec<&str> = known.iter().copied().collect();
            let shown = plain::shown(name);
            return Err(Fail::new(format!(
                "--persona: no rule is of \"{shown}\"; the personas with rules are {}",
                known.join(", ")
            )));
        }
        wanted.personas.insert(name.clone());
    }
    if let Some(step) = &options.step {
        wanted.personas.insert(Library::built_in()?.step(step)?.persona.clone());
    }
    Ok(wanted)
}
