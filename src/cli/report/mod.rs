//! What a check came to, for people, programs, GitHub's annotations and SARIF's readers.

pub(super) mod github;
mod human;
pub mod review;
mod sarif;

use std::collections::BTreeSet;

use git2::Oid;
use serde_json::{Value, json};

use super::check::Format;
use super::exit::Fail;
use super::screen::Screen;
use crate::additive::Loss;
use crate::check::{FileReport, Report};
use crate::repo::Repo;

/// Reports with whether they are of one commit of a range (`--each`).
type Reports = [(Report, bool)];

/// Writes the reports in the wanted form.
pub fn write(
    repo: &Repo,
    reports: &Reports,
    notices: &BTreeSet<&str>,
    format: Format,
    screen: &Screen,
) -> Result<(), Fail> {
    match format {
        Format::Human => human::write(repo, reports, notices, screen),
        Format::Json => screen.raw(&format!("{:#}\n", as_json(reports, notices))),
        Format::Sarif => screen.raw(&format!("{:#}\n", sarif::log(reports))),
        Format::Github => {
            human::write(repo, reports, notices, screen)?;
            github::write(reports, notices, screen)
        }
    }
}

/// Findings that a report for people shows; more are counted. As many files are explained.
pub const SHOWN: usize = 50;

/// What `--json` prints (contract, section 2). Of several comparisons (`--stdin`, `--each`) the last
/// names base and head, all are under `ranges`, and each file says its commit.
fn as_json(reports: &Reports, notices: &BTreeSet<&str>) -> Value {
    let id = |id: Oid| if id == Oid::ZERO_SHA1 { Value::Null } else { json!(id.to_string()) };
    let verdict = |additive: bool| if additive { "additive" } else { "violation" };
    let additive = reports.iter().all(|(report, _)| report.is_additive());
    let mut files: Vec<Value> = Vec::new();
    for (report, of_each) in reports {
        for file in &report.files {
            let mut value = json!({
                "path": file.path,
                "verdict": verdict(file.is_additive()),
                "violations": losses(&file.violations),
                "warnings": losses(&file.warnings),
                "added_blocks": file.added,
            });
            if let Some(exception) = &file.exception {
                value["exception"] =
                    json!({ "reason": exception.reason, "commit": exception.commit.to_string() });
            }
            if *of_each {
                value["commit"] = id(report.head);
            }
            files.push(value);
        }
    }
    let last = reports.last().map(|(report, _)| report);
    let mut value = json!({
        "verdict": verdict(additive),
        "base": last.map_or(Value::Null, |report| id(report.base)),
        "head": last.map_or(Value::Null, |report| id(report.head)),
        "compared": reports.iter().map(|(report, _)| report.compared()).sum::<usize>(),
        "files": files,
    });
    if !notices.is_empty() {
        value["notices"] = json!(notices);
    }
    if reports.len() > 1 {
        let range = |report: &Report| {
            json!({
                "base": id(report.base), "head": id(report.head), "compared": report.compared(),
                "verdict": verdict(report.is_additive()),
            })
        };
        value["ranges"] = reports.iter().map(|(report, _)| range(report)).collect();
    }
    value
}

fn losses(losses: &[Loss]) -> Vec<Value> {
    let one = |loss: &Loss| {
        json!({
            "layer": loss.layer.name(), "code": loss.code.name(), "line": loss.line,
            "head_line": loss.head_line, "message": loss.message, "hint": loss.hint,
        })
    };
    losses.iter().map(one).collect()
}

/// A finding that is shown, with what it is about.
struct Shown<'a> {
    report: &'a Report,
    file: &'a FileReport,
    loss: &'a Loss,
    /// It fails the check.
    fails: bool,
}

/// Every finding, the failing ones first, the worst code first, then by path and line.
fn findings(reports: &Reports) -> Vec<Shown<'_>> {
    // What a commit of the range has lost is not told once more of the range as a whole.
    let of_commits: BTreeSet<(&str, &str)> = reports
        .iter()
        .filter(|(_, of_each)| *of_each)
        .flat_map(|(report, _)| &report.files)
        .flat_map(|file| file.violations.iter().map(|loss| (file.path.as_str(), loss.code.name())))
        .collect::<BTreeSet<_>>();
    let mut found = Vec::new();
    for (report, of_each) in reports {
        for file in &report.files {
            let fails = file.exception.is_none();
            let is_told =
                |loss: &&Loss| *of_each || !of_commits.contains(&(file.path.as_str(), loss.code.name()));
            let losses = file.violations.iter().filter(is_told);
            found.extend(losses.map(|loss| Shown { report, file, loss, fails }));
            found.extend(file.warnings.iter().map(|loss| Shown { report, file, loss, fails: false }));
        }
    }
    found.sort_by_key(|shown| (!shown.fails, shown.loss.code, shown.file.path.clone(), shown.loss.line));
    found
}

/// One sentence that sums up everything.
fn sum(reports: &Reports) -> String {
    let compared: usize = reports.iter().map(|(report, _)| report.compared()).sum();
    let lost =
        reports.iter().flat_map(|(report, _)| &report.files).filter(|file| !file.is_additive()).count();
    let added: usize = reports.iter().flat_map(|(report, _)| &report.files).map(|file| file.added).sum();
    let between = match reports {
        [(report, _)] => {
            let (base, head) = super::check::sides(report);
            format!(" between {base} and {head}")
        }
        [] => return "Additive: there was nothing to compare.".to_owned(),
        _ => format!(" in {} comparisons", reports.len()),
    };
    let excepted = reports.iter().flat_map(|(report, _)| &report.files);
    let excepted = excepted.filter(|file| file.exception.is_some() && !file.violations.is_empty()).count();
    let files = |count: usize| match count {
        1 => "1 protected file".to_owned(),
        _ => format!("{count} protected files"),
    };
    match (compared, lost) {
        (0, _) => format!("Additive: nothing that is protected changed{between}."),
        (_, 0) if excepted > 0 => {
            let but = match excepted {
                1 => "1 exception that was considered".to_owned(),
                _ => format!("{excepted} exceptions that were considered"),
            };
            format!("Additive, except for {but}: {} changed{between}.", files(compared))
        }
        (_, 0) => {
            let blocks = match added {
                0 => String::new(),
                1 => " 1 new block.".to_owned(),
                _ => format!(" {added} new blocks."),
            };
            format!("Additive: {} changed{between}, and only gained.{blocks}", files(compared))
        }
        _ => {
            let changed = if compared == 1 { "that changed" } else { "protected files that changed" };
            let of = if compared == 1 { files(1) } else { format!("{lost} of {compared}") };
            format!("Violation: {of} {changed}{between} lost or altered something.")
        }
    }
}
