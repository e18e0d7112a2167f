//! `roundtable show --decisions`: who decided what, when and why, on which words, for people and for other programs.
//!
//! A decision is named by its id. Decision records of the item (`adr/`) are listed after those of discussions.

use super::super::exit::Fail;
use super::super::screen::Screen;
use super::item::{say_records, say_replaced};
use crate::history::site::{DecisionRecord, records};
use crate::run::decided::{Decided, ItemAtRevision, as_json, decided};
use crate::text::plain::{self, count};

/// Shows the decisions of items as text or JSON.
pub fn say(found: &[ItemAtRevision], screen: &Screen) {
    for shown in found {
        let (own, own_records) = (decided(&shown.dossier), records(&shown.dossier.decisions));
        let (name, path) = (shown.dossier.item.name(), plain::shown(&shown.dossier.item.path));
        screen.say_strong(&format!("{name} ({path})"));
        let counted = count(own.len() + own_records.len(), "decision");
        screen.say(&format!("{counted}, read at {}", plain::shown(&shown.rev)));
        own.iter().for_each(|one| say_decided(one, screen));
        say_records(&own_records, screen);
        screen.say("");
    }
    screen.json(&as_json(found));
}

fn say_decided(one: &Decided, screen: &Screen) {
    screen.say(&format!("\n  - {}", plain::one_line(&one.text)));
    if let Some(reason) = one.added_reason() {
        screen.say(&format!("    reason: {}", plain::one_line(reason)));
    }
    let turns = if one.turns.is_empty() { String::new() } else { format!(", {}", turns(&one.turns)) };
    screen.say(&format!("    {}, {}, {}, step {}{turns}", one.id, one.by, one.day(), one.step_id));
    screen.say(&format!("    {}", plain::shown(&one.recording)));
    say_replaced(&one.replaces, &one.replaced_by, screen);
}

fn turns(numbers: &[u32]) -> String {
    let listed: Vec<String> = numbers.iter().map(u32::to_string).collect();
    format!("{} {}", if numbers.len() == 1 { "turn" } else { "turns" }, listed.join(", "))
}

/// Prints the decisions of items as a decision log in Markdown: each with the words it rests on.
///
/// # Errors
/// Standard output cannot be written.
pub fn print_log(found: &[ItemAtRevision], screen: &Screen) -> Result<(), Fail> {
    let mut text = "# Decisions\n".to_owned();
    for shown in found {
        let item = &shown.dossier.item;
        let (name, path) = (plain::markdown(&item.name()), plain::markdown(&item.path));
        text.push_str(&format!("\n## {name}\n\n{path}, read at {}\n", plain::markdown(&shown.rev)));
        decided(&shown.dossier).iter().for_each(|one| text.push_str(&section(one)));
        records(&shown.dossier.decisions).iter().for_each(|one| text.push_str(&record_section(one)));
    }
    screen.document(&text)
}

fn section(one: &Decided) -> String {
    let line = |text: &str| plain::markdown(&plain::one_line(text));
    let mut lines = vec![format!("\n### {}\n\n{}\n", one.id, line(&one.text))];
    lines.extend(one.added_reason().map(|reason| format!("- Reason: {}", line(reason))));
    lines.push(format!("- Decided by {}, {}, in step {}", line(&one.by), one.at, line(&one.step_id)));
    lines.extend(replaced_lines(&one.replaces, &one.replaced_by));
    let turns = if one.turns.is_empty() { String::new() } else { format!(", {}", turns(&one.turns)) };
    lines.push(format!("- Recording: {}{turns}", line(&one.recording)));
    lines.extend(one.commit.as_ref().map(|commit| format!("- Commit: {commit}")));
    lines.extend(one.words.iter().map(|words| format!("\n> {}: {}", line(&words.by), line(&words.text))));
    lines.join("\n") + "\n"
}

fn record_section(record: &DecisionRecord) -> String {
    let mut lines = vec![format!("\n### {}\n\n{}\n", record.id, plain::markdown(&record.title))];
    lines.push(format!("- Record: {}", plain::markdown(&record.path)));
    lines.extend(replaced_lines(&record.replaces, &record.replaced_by));
    lines.join("\n") + "\n"
}

fn replaced_lines(replaces: &[String], replaced_by: &[String]) -> Vec<String> {
    let line = |what: &str, ids: &[String]| (!ids.is_empty()).then(|| format!("- {what} {}", ids.join(", ")));
    [line("Replaces", replaces), line("Replaced by", replaced_by)].into_iter().flatten().collect()
}
