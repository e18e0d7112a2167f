//! Annotations of GitHub Actions and the job's summary.
//!
//! The runner shows ten errors, ten warnings and ten notices a step and drops the rest silently: the
//! worst come first, and a notice says how many more there are. Everything that others wrote is
//! escaped as the runner's toolkit does it, so that no text can begin a command of its own.

use std::collections::BTreeSet;

use super::super::exit::Fail;
use super::super::screen::Screen;
use super::{Reports, catastrophes, declared, findings, sum};
use crate::additive::Finding;
use crate::github::actions::{self, data, property};
use crate::github::page::inert;
use crate::text::plain;

/// Annotations of a kind that are shown.
const SHOWN: usize = 10;
/// Bytes of a summary; the runner refuses all of one that is over 1 MiB.
const SUMMARY: usize = 512 * 1024;

pub fn write(reports: &Reports, notices: &BTreeSet<String>, screen: &Screen) -> Result<(), Fail> {
    let found = findings(reports);
    let mut lines = String::new();
    for ((reason, file), count) in declared(reports) {
        let message = format!("{count} declared: {} ({})", plain::shown(reason), plain::shown(file));
        lines.push_str(&format!("::notice title=declared losses::{}\n", data(&message)));
    }
    for line in catastrophes(reports) {
        lines.push_str(&format!("::error title=most of a file is lost::{}\n", data(&line)));
    }
    for fails in [true, false] {
        for shown in found.iter().filter(|shown| shown.finding.fails() == fails).take(SHOWN) {
            let (file, finding) = (shown.file, shown.finding);
            let command = if fails { "error" } else { "warning" };
            let title = property(&title(finding));
            // GitHub shows what has a file and a line; what is gone is shown where it was.
            let place = match plain::is_clean(&file.path) {
                true => {
                    let line = finding.head_line.or(finding.near_line).unwrap_or(1).max(1);
                    format!("file={},line={line},", property(&file.path))
                }
                false => String::new(),
            };
            let message = format!(
                "{}, line {} of the old text: {}. To fix it: {}.",
                plain::shown(&file.path),
                finding.line,
                plain::clean(&finding.message),
                finding.hint
            );
            lines.push_str(&format!("::{command} {place}title={title}::{}\n", data(&message)));
        }
    }
    for notice in notices {
        let file = crate::item::config::FILE;
        lines.push_str(&format!("::notice file={file},line=1,title=roundtable check::{}\n", data(notice)));
    }
    let count = |fails: bool| found.iter().filter(|shown| shown.finding.fails() == fails).count();
    let more = count(true).saturating_sub(SHOWN) + count(false).saturating_sub(SHOWN);
    if more > 0 {
        lines.push_str(&format!(
            "::notice title=roundtable check::{more} more findings are in the log of this step\n"
        ));
    }
    screen.commands(&lines)?;
    summary(reports)
}

/// The class and the kind of a finding, where they are not one word.
fn title(finding: &Finding) -> String {
    match (finding.class.name(), finding.kind.name()) {
        (class, kind) if class == kind => kind.to_owned(),
        (class, kind) => format!("{class} ({kind})"),
    }
}

/// Appends to the job's summary, if the runner wants one.
fn summary(reports: &Reports) -> Result<(), Fail> {
    let mut text = format!("### roundtable check\n\n{}\n", plain::markdown(&sum(reports)));
    for ((reason, file), count) in declared(reports) {
        let line = format!("{count} declared: {} ({})", plain::shown(reason), plain::shown(file));
        text.push_str(&format!("\n{}\n", inert(&plain::markdown(&line))));
    }
    for line in catastrophes(reports) {
        text.push_str(&format!("\n**{}**\n", inert(&plain::markdown(&line))));
    }
    let found = findings(reports);
    if !found.is_empty() {
        text.push_str("\n| file | line | finding | what happened |\n| --- | ---: | --- | --- |\n");
    }
    for (at, shown) in found.iter().enumerate() {
        let cell = |text: &str| inert(&plain::cell(&plain::shown(text)));
        let row = format!(
            "| {} | {} | {} | {} |\n",
            cell(&shown.file.path),
            shown.finding.line,
            shown.finding.kind.name(),
            cell(&shown.finding.message)
        );
        if text.len() + row.len() > SUMMARY {
            text.push_str(&format!("\nand {} more\n", found.len() - at));
            break;
        }
        text.push_str(&row);
    }
    actions::summary(&text)
}
