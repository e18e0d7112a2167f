//! `roundtable review`: what do these documents leave open? (tests/requirements.md)

mod rules;

use std::path::PathBuf;

use clap::Args;

use super::check::CheckFormat;
use super::exit::{Code, Fail};
use super::screen::Screen;
use super::voices::VoiceArgs;
use super::{Global, report};
use crate::item::config::FailOn;
use crate::run::documents::{ReviewInput, ReviewRequest, review};
use crate::run::open_points::find_open_points;
use crate::voice::SECRETARY;

#[derive(Debug, Default, Args)]
#[command(
    after_help = "Examples: roundtable review docs/requirements\n          roundtable review late-fees --fail-on minor\n          roundtable review --base origin/main\n\nExit codes: 0 no finding at or above --fail-on; 1 at least one; 2 not done: wrong use, or a document that cannot be read."
)]
pub struct ReviewArgs {
    /// Files and folders, an item, or - for standard input [default: `review.paths` of the settings, else the items]
    #[arg(value_name = "PATH|ITEM")]
    paths: Vec<PathBuf>,
    /// Only findings on lines that changed since this revision
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The files of the index, and only findings on lines that differ from HEAD
    #[arg(long, conflicts_with_all = ["base", "rev"])]
    staged: bool,
    /// The files of this commit instead of those on disk
    #[arg(long, value_name = "REV")]
    rev: Option<String>,
    /// How to report [default: github in Actions, else human]
    #[arg(long, value_name = "FORMAT")]
    format: Option<CheckFormat>,
    /// Exit with 1 for findings that are at least this severe [default: major]
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Explain every finding (why it matters, what helps), not only the first of each rule
    #[arg(long)]
    explain: bool,
    /// List the rules, the repository's own among them, or show one
    #[arg(long, value_name = "RULE", num_args = 0..=1, conflicts_with_all = ["paths", "base", "staged", "rev", "fail_on"])]
    rules: Option<Option<String>>,
    #[command(flatten)]
    voice: VoiceArgs,
}

/// Reviews, and reports in the wanted form.
pub fn run(global: &Global, options: &ReviewArgs, screen: &Screen) -> Result<Code, Fail> {
    if let Some(rule) = &options.rules {
        return rules::run(global, rule.as_deref(), screen);
    }
    let format = CheckFormat::wanted(options.format, screen)?;
    let request = ReviewRequest {
        paths: options.paths.clone(),
        base: options.base.clone(),
        staged: options.staged,
        rev: options.rev.clone(),
        step: None,
    };
    let source = ReviewInput::open(&global.workspace, &request)?;
    let found = review(&source, &request, screen)?;
    let set = source.config.review.as_ref().and_then(|review| review.fail_on);
    let fail_on = options.fail_on.or(set).unwrap_or(FailOn::Major);
    let wanted = options.voice.wanted();
    let asks = wanted.voice.as_deref().is_some_and(|voice| voice != SECRETARY);
    let points = match asks {
        true => Some(find_open_points(&source, &wanted, &global.workspace, screen)?),
        false => None,
    };
    report::review::write(&found, points.as_ref(), format, options.explain, screen)?;
    screen.check().map_err(Fail::new)?;
    let fails = found.findings.iter().any(|finding| !finding.is_hint && fail_on.fails(finding.severity));
    Ok(if fails { Code::No } else { Code::Yes })
}
