//! What a check came to, for people, programs, GitHub's annotations and SARIF's readers.

mod github;
mod human;
mod points;
pub mod review;
mod sarif;

use std::collections::{BTreeMap, BTreeSet};

use git2::Oid;
use serde_json::{Value, json};

use super::check::CheckFormat;
use super::exit::Fail;
use super::screen::Screen;
use crate::additive::Finding;
use crate::run::check::losses::Unused;
use crate::run::check::{FileReport, Report};
use crate::text::plain;

/// Reports with whether they are of one commit of a range (`--each`).
type Reports = [(Report, bool)];

/// Writes the reports in the wanted form; `declare` is the command that declares their losses, where that is allowed.
pub fn write(
    reports: &Reports,
    notices: &BTreeSet<String>,
    unused: &[Unused],
    declare: Option<&str>,
    format: CheckFormat,
    screen: &Screen,
) -> Result<(), Fail> {
    for (file, loss) in unused {
        let text = loss
            .text
            .as_deref()
            .map_or_else(|| "the file".to_owned(), |text| format!("\"{}\"", plain::cut(text, 60)));
        screen.warn(&format!(
            "{} declares the loss of {} in {}, and nothing like it is lost",
            plain::shown(file),
            plain::one_line(&plain::clean(&text)),
            plain::shown(&loss.path)
        ));
    }
    match format {
        CheckFormat::Human => human::write(reports, notices, declare, screen),
        CheckFormat::Json => return screen.raw(&format!("{:#}\n", as_json(reports, notices))),
        CheckFormat::Sarif => return screen.raw(&format!("{:#}\n", sarif::log(reports))),
        CheckFormat::Github => {
            human::write(reports, notices, declare, screen);
            return github::write(reports, notices, screen);
        }
    }
    Ok(())
}

/// What `--json` prints. Of several comparisons (`--stdin`, `--each`) the last
/// names base and head, all are under `ranges`, and each file says its commit.
fn as_json(reports: &Reports, notices: &BTreeSet<String>) -> Value {
    let id = |id: Oid| if id == Oid::ZERO_SHA1 { Value::Null } else { json!(id.to_string()) };
    let verdict = |is_kept: bool| if is_kept { "kept" } else { "lost" };
    let is_kept = reports.iter().all(|(report, _)| report.is_kept());
    let mut files: Vec<Value> = Vec::new();
    for (report, of_each) in reports {
        for file in &report.files {
            let mut value = json!({
                "path": file.path,
                "class": file.compared.class.name(),
                "kept_lines": file.compared.kept_lines,
                "lines": file.compared.lines,
                "findings": file.findings().iter().map(finding_json).collect::<Vec<_>>(),
            });
            if *of_each {
                value["commit"] = id(report.head);
            }
            files.push(value);
        }
    }
    let last = reports.last().map(|(report, _)| report);
    let mut value = json!({
        "verdict": verdict(is_kept),
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
                "verdict": verdict(report.is_kept()),
            })
        };
        value["ranges"] = reports.iter().map(|(report, _)| range(report)).collect();
    }
    value
}

fn finding_json(finding: &Finding) -> Value {
    let mut value = json!({
        "class": finding.class.name(), "kind": finding.kind.name(), "severity": finding.severity.name(),
        "line": finding.line, "head_line": finding.head_line, "old": finding.old, "new": finding.new,
        "message": finding.message, "hint": finding.hint,
    });
    if let Some(declared) = &finding.declared {
        value["declared"] = json!({ "file": declared.file, "reason": declared.reason });
    }
    value
}

/// A finding that is shown, with what it is about.
struct ReportedFinding<'a> {
    report: &'a Report,
    file: &'a FileReport,
    finding: &'a Finding,
}

/// Every finding that is not declared.
fn findings(reports: &Reports) -> Vec<ReportedFinding<'_>> {
    let mut found = all_findings(reports);
    found.retain(|shown| shown.finding.declared.is_none());
    found
}

/// Every finding, the failing ones first, then by path and line.
fn all_findings(reports: &Reports) -> Vec<ReportedFinding<'_>> {
    // What a commit of the range has lost is not told once more of the range as a whole.
    let told: BTreeSet<(&str, &str, &str)> = reports
        .iter()
        .filter(|(_, of_each)| *of_each)
        .flat_map(|(report, _)| &report.files)
        .flat_map(|file| {
            file.findings().iter().map(|one| (file.path.as_str(), one.kind.name(), one.old.as_str()))
        })
        .collect();
    let mut found = Vec::new();
    for (report, of_each) in reports {
        for file in &report.files {
            let all = file.findings().iter();
            let is_new = |finding: &&Finding| {
                *of_each || !told.contains(&(file.path.as_str(), finding.kind.name(), finding.old.as_str()))
            };
            found.extend(all.filter(is_new).map(|finding| ReportedFinding { report, file, finding }));
        }
    }
    found.sort_by(|a, b| {
        let key = |shown: &ReportedFinding<'_>| (!shown.finding.fails(), shown.finding.line);
        (key(a).0, &a.file.path, key(a).1).cmp(&(key(b).0, &b.file.path, key(b).1))
    });
    found
}

/// The reasons that were declared, with how many losses each covers.
fn declared(reports: &Reports) -> BTreeMap<(&str, &str), usize> {
    let mut found = BTreeMap::new();
    for file in reports.iter().filter(|(_, of_each)| !of_each).flat_map(|(report, _)| &report.files) {
        for declared in file.findings().iter().filter_map(|finding| finding.declared.as_ref()) {
            *found.entry((declared.reason.as_str(), declared.file.as_str())).or_default() += 1;
        }
    }
    found
}

/// Files of which little is left, in one line each.
fn catastrophes(reports: &Reports) -> Vec<String> {
    let files = reports.iter().filter(|(_, of_each)| !of_each).flat_map(|(report, _)| &report.files);
    files.filter_map(FileReport::catastrophe).collect()
}

/// A sentence on the changed files that nobody looked at; empty where there are none.
fn unprotected(reports: &Reports) -> String {
    match reports.iter().map(|(report, _)| report.unprotected).max().unwrap_or_default() {
        0 => String::new(),
        1 => " No rule protects 1 other file that changed.".to_owned(),
        count => format!(" No rule protects {count} other files that changed."),
    }
}

/// What sums up everything.
fn sum(reports: &Reports) -> String {
    let compared: usize = reports.iter().map(|(report, _)| report.compared()).sum();
    let files = || reports.iter().flat_map(|(report, _)| &report.files);
    let lost = files().filter(|file| !file.is_kept()).count();
    let between = match reports {
        [(report, _)] => {
            let (base, head) = super::check::sides(report);
            format!(" between {base} and {head}")
        }
        [] => return "Kept: there was nothing to compare.".to_owned(),
        _ => format!(" in {} comparisons", reports.len()),
    };
    let count_of = |count: usize| plain::count(count, "protected file");
    let declared: usize = declared(reports).values().sum();
    let others = unprotected(reports);
    match (compared, lost) {
        (0, _) => format!("Kept: nothing that is protected changed{between}.{others}"),
        (_, 0) if declared > 0 => {
            let losses = if declared == 1 {
                "1 declared loss".to_owned()
            } else {
                format!("{declared} declared losses")
            };
            format!("Kept, except for {losses}: {} changed{between}.{others}", count_of(compared))
        }
        (_, 0) => format!("Kept: {} changed{between}, and nothing is lost.{others}", count_of(compared)),
        (1, _) => format!("Lost: the one protected file that changed{between} has lost text."),
        (_, 1) => format!("Lost: 1 of {} that changed{between} has lost text.", count_of(compared)),
        _ => format!("Lost: {lost} of {} that changed{between} have lost text.", count_of(compared)),
    }
}
