//! A report as people read it: each finding with the place, the lost text in its context, why it is
//! a loss, and what to do.

use std::collections::BTreeSet;

use super::super::exit::Fail;
use super::super::screen::Screen;
use super::{Reports, SHOWN, Shown, findings, sum};
use crate::plain;
use crate::repo::{Repo, short};

/// Lines shown before and after the line that is meant.
const AROUND: usize = 2;
/// Characters of a line that are shown.
const WIDE: usize = 110;

pub fn write(repo: &Repo, reports: &Reports, notices: &BTreeSet<&str>, screen: &Screen) -> Result<(), Fail> {
    notices.iter().for_each(|notice| screen.note(notice));
    let found = findings(reports);
    for (at, shown) in found.iter().take(SHOWN).enumerate() {
        if at > 0 {
            screen.say("");
        }
        one(repo, shown, reports.len() > 1, screen)?;
    }
    if found.len() > SHOWN {
        screen.say(&format!("\n… and {} more; --json lists them all.", found.len() - SHOWN));
    }
    for (report, _) in reports {
        for file in report.files.iter().filter(|file| file.exception.is_some()) {
            let Some(exception) = &file.exception else { continue };
            let path = plain::shown(&file.path);
            let reason = plain::shown(&exception.reason);
            screen.warn(&format!("{path} is excepted by commit {}: {reason}", short(exception.commit)));
        }
    }
    if !found.is_empty() {
        screen.say("");
    }
    screen.say_strong(&sum(reports));
    Ok(())
}

fn one(repo: &Repo, shown: &Shown<'_>, several: bool, screen: &Screen) -> Result<(), Fail> {
    let Shown { report, file, loss, fails } = shown;
    let (path, line) = (plain::shown(&file.path), loss.line);
    screen.say_finding(*fails, loss.code.name(), &plain::clean(&loss.message));
    let at = if several { format!(" (in {})", super::super::check::sides(report).1) } else { String::new() };
    screen.say(&format!("  --> {path}:{line}{at}"));
    let old = repo.with_blob(file.old, |bytes| excerpt(bytes, line));
    // A submodule's commit is no blob of this repository.
    let old = old.unwrap_or_default();
    let width = old.last().map_or(1, |(number, _)| number.to_string().len());
    for (number, text) in &old {
        let sign = if *number == line { ">" } else { " " };
        screen.say(format!("{sign} {number:>width$} | {text}").trim_end());
    }
    if let (Some(head_line), Some(new)) = (loss.head_line, file.new) {
        let now = repo.with_blob(new, |bytes| excerpt(bytes, head_line)).unwrap_or_default();
        if let Some((number, text)) = now.iter().find(|(number, _)| *number == head_line) {
            screen.say(format!("  {:>width$} = now, line {number}: {text}", "").trim_end());
        }
    }
    screen.say(&format!("  {:>width$} = {}: {}", "", loss.layer.name(), loss.code.why()));
    screen.say(&format!("  {:>width$} = help: {}", "", loss.hint));
    Ok(())
}

/// A line of a text with those around it, each with its number; cut where they are long.
fn excerpt(bytes: &[u8], line: usize) -> Vec<(usize, String)> {
    let first = line.saturating_sub(AROUND).max(1);
    let lines =
        bytes.split(|byte| *byte == b'\n').enumerate().skip(first - 1).take(line + AROUND + 1 - first);
    let mut found: Vec<(usize, String)> = lines
        .map(|(at, text)| {
            let text = String::from_utf8_lossy(&text[..text.len().min(4 * WIDE)]).into_owned();
            (at + 1, plain::cut(plain::clean(&text).trim_end().replace('\t', "    ").as_str(), WIDE))
        })
        .collect();
    // What follows the last line end is no line.
    if found.len() > 1 && found.last().is_some_and(|(number, text)| text.is_empty() && *number > line) {
        found.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_the_line_and_its_neighbours() {
        let numbers = |text: &str, line| {
            excerpt(text.as_bytes(), line).into_iter().map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(numbers("a\nb\nc\nd\ne\nf\n", 4), [2, 3, 4, 5, 6]);
        assert_eq!(numbers("a\nb\n", 1), [1, 2]);
        assert_eq!(numbers("a", 1), [1]);
    }
}
