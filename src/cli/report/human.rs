//! A report as people read it: what is declared, the worst in one line, and each finding with the old text beside
//! the new one. What helps is said once for each remedy.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use unicode_width::UnicodeWidthStr as _;

use super::super::screen::Screen;
use super::{ReportedFinding, Reports, catastrophes, declared, findings, sum};
use crate::additive::Finding;
use crate::additive::content::change::differences;
use crate::text::plain;

/// Findings that are shown; more are counted.
const SHOWN: usize = 12;
/// Findings that are shown of a file of which little is left.
const OF_CATASTROPHE: usize = 3;
/// Characters of a text that are shown.
const WIDE: usize = 100;

pub fn write(reports: &Reports, notices: &BTreeSet<String>, declare: Option<&str>, screen: &Screen) {
    notices.iter().for_each(|notice| screen.note(notice));
    for ((reason, file), count) in declared(reports) {
        let losses = if count == 1 { "1 loss is".to_owned() } else { format!("{count} losses are") };
        screen.say_strong(&format!("{losses} declared: {} ({})", plain::shown(reason), plain::shown(file)));
    }
    catastrophes(reports).iter().for_each(|line| screen.say_strong(line));
    let found = findings(reports);
    let mut of_file: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shown = 0;
    let mut helped: BTreeSet<&str> = BTreeSet::new();
    for one in &found {
        let count = of_file.entry(&one.file.path).or_default();
        *count += 1;
        let is_enough = *count > OF_CATASTROPHE && one.file.catastrophe().is_some();
        if shown < SHOWN && !is_enough {
            show(one, reports.len() > 1, screen);
            if helped.insert(&one.finding.hint) {
                screen.say(&format!("      = help: {}", one.finding.hint));
            }
            shown += 1;
        }
    }
    if found.len() > shown {
        screen.say(&format!("… and {} more; --json lists them all.", found.len() - shown));
    }
    if found.iter().any(|one| one.finding.fails())
        && let Some(command) = declare
    {
        screen.say(&format!("To lose something on purpose, say why: {command}"));
    }
    screen.say_strong(&sum(reports));
}

fn show(one: &ReportedFinding<'_>, several: bool, screen: &Screen) {
    let ReportedFinding { report, file, finding } = one;
    screen.say_finding(finding.fails(), finding.kind.name(), &plain::clean(&finding.message));
    let at = if several { format!(" (in {})", super::super::check::sides(report).1) } else { String::new() };
    screen.say(&format!("  --> {}{}{at}", plain::shown(&file.path), place(finding)));
    let clean = |text: &str| plain::one_line(&plain::clean(text));
    let old = clean(&finding.old);
    if let Some(new) = finding.new.as_deref().map(clean).filter(|new| *new != old) {
        let (taken, put) = differences(&old, &new);
        if !old.is_empty() {
            marked("old", &old, &taken, screen);
        }
        marked("now", &new, &put, screen);
    } else if !old.is_empty() && !finding.is_of_file && !clean(&finding.message).contains(&old) {
        screen.say(&format!("  old | {}", plain::cut(&old, WIDE)));
    }
}

/// The line of a finding: in the new text where it shows there, and in the old one where that is another.
fn place(finding: &Finding) -> String {
    let has_old = !finding.old.is_empty();
    match finding.head_line {
        _ if finding.is_of_file => String::new(),
        Some(head) if head == finding.line || !has_old => format!(":{head}"),
        Some(head) => format!(":{head} (line {} of the old text)", finding.line),
        None => format!(":{} (line of the old text)", finding.line),
    }
}

/// A text with the words marked that differ; of a long one the part around the first of them.
fn marked(label: &str, text: &str, ranges: &[Range<usize>], screen: &Screen) {
    let first = ranges.first().map_or(0, |range| range.start);
    let before = text[..first].char_indices().rev().nth(WIDE / 3).map_or(0, |(at, _)| at);
    let start = if text.chars().count() > WIDE { before } else { 0 };
    let end = text[start..].char_indices().nth(WIDE).map_or(text.len(), |(at, _)| start + at);
    let (prefix, suffix) = (if start > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
    screen.say(&format!("  {label} | {prefix}{}{suffix}", &text[start..end]));
    let mut marks = " ".repeat(prefix.width());
    let mut at = start;
    for range in ranges.iter().filter(|range| range.start < end && range.end > start) {
        let (from, to) = (range.start.max(at), range.end.min(end));
        if from >= at && to > from {
            marks.push_str(&" ".repeat(text[at..from].width()));
            marks.push_str(&"^".repeat(text[from..to].width().max(1)));
            at = to;
        }
    }
    if marks.contains('^') {
        screen.say(&format!("      | {marks}"));
    }
}
