//! `roundtable show --decisions`: who decided what, when and why, on which words, for people and for other programs.
//!
//! A decision is named by its id. Decision records of the item (`adr/`) are listed after those of discussions.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::exit::Fail;
use super::super::screen::Screen;
use super::item::{ItemAtRevision, say_records, say_replaced};
use crate::discussion::event::{Message, Time};
use crate::discussion::summary::Decision;
use crate::history::decisions::ListedDecision;
use crate::history::provenance::{Dossier, Talk};
use crate::history::site::{DecisionRecord, records};
use crate::text::plain::{self, count};

/// A decision of a discussion, with where it comes from.
#[derive(Debug, Serialize)]
struct Decided {
    id: String,
    item: String,
    text: String,
    /// Empty where nobody gave a reason.
    rationale: String,
    /// Who said the words that it rests on.
    by: String,
    /// When the last of these words was said.
    at: String,
    step_id: String,
    turns: Vec<u32>,
    words: Vec<Words>,
    recording: String,
    commit: Option<String>,
    replaces: Vec<String>,
    replaced_by: Vec<String>,
}

/// What a user said in one turn.
#[derive(Debug, Serialize)]
struct Words {
    turn: Option<u32>,
    by: String,
    text: String,
    /// The comment on GitHub, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<u64>,
}

/// What users said in a discussion and when, by turn.
type Said<'t> = BTreeMap<u32, (Time, &'t Message)>;

impl Words {
    fn of(message: &Message) -> Words {
        Words {
            turn: message.turn,
            by: plain::shown(&message.by),
            text: plain::clean(&message.text),
            comment: message.comment,
        }
    }
}

impl Decided {
    fn of(
        dossier: &Dossier,
        talk: &Talk,
        said: &Said<'_>,
        decision: &Decision,
        entry: &ListedDecision,
    ) -> Decided {
        let said: Vec<&(Time, &Message)> = decision.turns.iter().filter_map(|turn| said.get(turn)).collect();
        let last = said.iter().map(|(at, _)| *at).max();
        let words: Vec<Words> = said.iter().map(|(_, message)| Words::of(message)).collect();
        let mut by: Vec<&str> = words.iter().map(|one| one.by.as_str()).collect();
        by.dedup();
        Decided {
            id: entry.id.clone(),
            item: dossier.item.path.clone(),
            text: plain::clean(&decision.text),
            rationale: plain::clean(&decision.rationale),
            by: by.join(", "),
            at: last.unwrap_or(talk.finished.at).to_string(),
            step_id: plain::shown(&talk.finished.opened.step.id),
            turns: decision.turns.clone(),
            words,
            recording: talk.recording.clone(),
            commit: talk.commit.map(|id| id.to_string()),
            replaces: entry.replaces.clone(),
            replaced_by: entry.replaced_by.clone(),
        }
    }

    fn day(&self) -> &str {
        self.at.get(..10).unwrap_or(&self.at)
    }

    /// The reason, where the decision's own words do not give it.
    fn added_reason(&self) -> Option<&str> {
        (!self.rationale.is_empty() && !self.text.contains(&self.rationale)).then_some(&self.rationale)
    }
}

/// The decisions of an item's discussions, in the order they were made.
fn decided(dossier: &Dossier) -> Vec<Decided> {
    let mut entries = dossier.decisions.of_discussions();
    let mut found = Vec::new();
    for talk in &dossier.talks {
        let said: Said<'_> = talk.finished.timed_messages().collect();
        let own = talk.finished.summary.decisions.iter().zip(entries.by_ref());
        found.extend(own.map(|(decision, entry)| Decided::of(dossier, talk, &said, decision, entry)));
    }
    found
}

/// Shows the decisions of items as text or JSON.
pub fn say(found: &[ItemAtRevision], screen: &Screen) {
    let (mut all, mut all_records) = (Vec::new(), Vec::new());
    for shown in found {
        let (own, own_records) = (decided(&shown.dossier), records(&shown.dossier.decisions));
        let (name, path) = (shown.dossier.item.name(), plain::shown(&shown.dossier.item.path));
        screen.say_strong(&format!("{name} ({path})"));
        let counted = count(own.len() + own_records.len(), "decision");
        screen.say(&format!("{counted}, read at {}", plain::shown(&shown.rev)));
        own.iter().for_each(|one| say_decided(one, screen));
        say_records(&own_records, screen);
        screen.say("");
        let item = &shown.dossier.item.path;
        all_records.extend(own_records.iter().map(|record| record_as_json(item, record)));
        all.extend(own);
    }
    screen.json(&json!({ "decisions": all, "decision_records": all_records }));
}

fn record_as_json(item: &str, record: &DecisionRecord) -> Value {
    json!({
        "id": record.id, "item": item, "title": record.title, "path": record.path,
        "replaces": record.replaces, "replaced_by": record.replaced_by,
    })
}

fn say_decided(one: &Decided, screen: &Screen) {
    screen.say(&format!("\n  - {}", plain::one_line(&one.text)));
    if let Some(reason) = one.added_reason() {
        screen.say(&format!("    reason: {}", plain::one_line(reason)));
    }
    screen.say(&format!(
        "    {}, {}, {}, step {}, {}",
        one.id,
        one.by,
        one.day(),
        one.step_id,
        turns(&one.turns)
    ));
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
    lines.push(format!("- Recording: {}, {}", line(&one.recording), turns(&one.turns)));
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
