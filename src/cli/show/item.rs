//! `roundtable show ITEM`: everything that an item's discussions came to, and `--format html` for all items.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::Global;
use super::super::exit::{Code, Fail};
use super::super::screen::Screen;
use super::{ShowFormat, decisions, step};
use crate::analysis::event::Event;
use crate::git::Repo;
use crate::history::provenance::Dossier;
use crate::history::site::{self, DecisionRecord, Point, Points};
use crate::item::config::Config;
use crate::item::library::Library;
use crate::run::decided::{self, ItemAtRevision};
use crate::run::place;
use crate::run::settings;
use crate::text::plain::{self, count};

/// Shows one item, or all of them.
pub fn run(
    global: &Global,
    repo: &Repo,
    item: Option<&str>,
    revision: Option<&str>,
    format: ShowFormat,
    screen: &Screen,
) -> Result<Code, Fail> {
    let head = repo.resolve(revision.unwrap_or("HEAD"))?;
    let config = global.workspace.settings_at(repo, head)?;
    let library = settings::library(repo, head, &config)?;
    let (found, unread) = found(repo, item, revision, &config, screen)?;
    if let Some(format) = format.of_pages() {
        let (dossiers, revisions): (Vec<Dossier>, Vec<String>) =
            found.into_iter().map(|shown| (shown.dossier, shown.rev)).unzip();
        screen.document(&site::render(&dossiers, &revisions, &library, format)?)?;
        return unread.map_or(Ok(Code::Yes), Err);
    }
    for shown in &found {
        say(shown, &library, screen);
    }
    let all: Vec<Value> = found.iter().map(|shown| entry(shown, &library)).collect();
    match (item, all.first()) {
        (Some(_), Some(one)) => screen.json(one),
        _ => screen.json(&json!({ "items": all })),
    }
    unread.map_or(Ok(Code::Yes), Err)
}

/// Shows the decisions of one item, or of all of them.
pub fn run_decisions(
    global: &Global,
    repo: &Repo,
    item: Option<&str>,
    revision: Option<&str>,
    is_markdown: bool,
    screen: &Screen,
) -> Result<Code, Fail> {
    let config = global.workspace.settings_at(repo, repo.resolve(revision.unwrap_or("HEAD"))?)?;
    let (found, unread) = found(repo, item, revision, &config, screen)?;
    if found.is_empty() && unread.is_none() {
        place::note_nothing(repo, "item", revision.unwrap_or("HEAD"), screen);
    }
    if is_markdown {
        decisions::print_log(&found, screen)?;
    } else {
        decisions::say(&found, screen);
    }
    unread.map_or(Ok(Code::Yes), Err)
}

/// The items; what cannot be read of them is told.
fn found(
    repo: &Repo,
    item: Option<&str>,
    revision: Option<&str>,
    config: &Config,
    screen: &Screen,
) -> Result<(Vec<ItemAtRevision>, Option<Fail>), Fail> {
    let (found, unread) = decided::read(repo, item, revision, config)?;
    for (recording, why) in found.iter().flat_map(|shown| &shown.dossier.unread) {
        screen.warn(&format!("{} is left out: {why}", plain::shown(recording)));
    }
    match unread.map(Fail::from) {
        // One JSON document says one thing.
        Some(fail) if screen.is_json() => Err(fail),
        unread => Ok((found, unread)),
    }
}

fn say(shown: &ItemAtRevision, library: &Arc<Library>, screen: &Screen) {
    let (dossier, points) = (&shown.dossier, Points::of(&shown.dossier, library));
    screen.say_strong(&format!("{} ({})", dossier.item.name(), plain::shown(&dossier.item.path)));
    screen.say(&format!("{}, read at {}", points.counts(dossier.talks.len()), plain::shown(&shown.rev)));
    let documents = site::documents(dossier);
    if !documents.is_empty() {
        screen.say(&format!("Documents: {}", documents.join(", ")));
    }
    say_points("Decisions", &points.decisions, screen);
    say_records(&points.records, screen);
    say_points("Open questions", &points.questions, screen);
    say_points("Action items", &points.actions, screen);
    let steps: Vec<String> = dossier.logs.iter().filter_map(step::summary).collect();
    if !steps.is_empty() {
        screen.say_strong("\nSteps of the analysis");
        steps.iter().for_each(|step| screen.say(step));
    }
    if !dossier.talks.is_empty() {
        screen.say_strong("\nDiscussions");
    }
    for talk in &dossier.talks {
        let opened = &talk.finished.opened;
        let (step, title) = (plain::shown(&opened.step.id), plain::shown(&opened.step.title));
        let turns = count(talk.finished.closed.turn_count as usize, "turn");
        screen.say(&format!("  {} {step} ({title}): {turns}", talk.finished.at.day()));
        screen.say(&format!("    {}", plain::one_line(&plain::clean(&talk.finished.summary.summary))));
        screen.say(&format!("    {}", plain::shown(&talk.recording)));
    }
}

fn say_points(title: &str, points: &[Point], screen: &Screen) {
    if points.is_empty() {
        return;
    }
    screen.say_strong(&format!("\n{title}"));
    for point in points {
        let who = [&point.id, &point.by].into_iter().filter(|word| !word.is_empty());
        let who: String = who.map(|word| format!("{word}, ")).collect();
        screen.say(&format!("  - {}", plain::one_line(&point.text)));
        screen.say(&format!("    {who}{}, step {}", point.day, point.step));
        say_replaced(&point.replaces, &point.replaced_by, screen);
    }
}

pub(super) fn say_records(records: &[DecisionRecord], screen: &Screen) {
    if !records.is_empty() {
        screen.say_strong("\nDecision records");
    }
    for record in records {
        screen.say(&format!("  - {}", plain::one_line(&record.title)));
        screen.say(&format!("    {}, {}", record.id, record.path));
        say_replaced(&record.replaces, &record.replaced_by, screen);
    }
}

pub(super) fn say_replaced(replaces: &[String], replaced_by: &[String], screen: &Screen) {
    if !replaces.is_empty() {
        screen.say(&format!("    replaces {}", replaces.join(", ")));
    }
    if !replaced_by.is_empty() {
        screen.say(&format!("    replaced by {}", replaced_by.join(", ")));
    }
}

/// What `--json` prints of an item.
fn entry(shown: &ItemAtRevision, library: &Arc<Library>) -> Value {
    let (dossier, points) = (&shown.dossier, Points::of(&shown.dossier, library));
    let recording =
        |talk: usize| dossier.talks.get(talk.saturating_sub(1)).map(|talk| talk.recording.as_str());
    let list = |points: &[Point], context: &str| -> Vec<Value> {
        let one = |point: &Point| {
            json!({
                "text": point.text, context: point.context, "by": point.by, "day": point.day,
                "step_id": point.step, "turns": point.turns, "recording": recording(point.talk),
            })
        };
        points.iter().map(one).collect()
    };
    let decisions: Vec<Value> = list(&points.decisions, "rationale")
        .into_iter()
        .zip(&points.decisions)
        .map(|(mut decision, point)| {
            decision["id"] = json!(point.id);
            decision["replaces"] = json!(point.replaces);
            decision["replaced_by"] = json!(point.replaced_by);
            decision
        })
        .collect();
    let talks = dossier.talks.iter().map(|talk| {
        let (opened, closed) = (&talk.finished.opened, &talk.finished.closed);
        json!({
            "recording": talk.recording, "step_id": opened.step.id, "title": opened.step.title,
            "timestamp": talk.finished.at.to_string(), "turn_count": closed.turn_count, "exit": closed.exit,
            "summary": talk.finished.summary.summary, "commit": talk.commit.map(|id| id.to_string()),
        })
    });
    let steps = dossier.logs.iter().filter_map(|log| {
        let (answers, open) = log.counts();
        let Event::Begun(begun) = &log.records.first()?.event else { return None };
        Some(json!({
            "log": log.path, "step_id": begun.step.id, "title": begun.step.title,
            "timestamp": log.records.first()?.at.to_string(), "answers": answers, "open_questions": open,
        }))
    });
    json!({
        "path": dossier.item.path, "name": dossier.item.name(), "rev": shown.rev,
        "documents": site::documents(dossier),
        "decisions": decisions,
        "decision_records": points.records,
        "open_questions": list(&points.questions, "context"),
        "action_items": list(&points.actions, "context"),
        "steps": steps.collect::<Vec<_>>(),
        "discussions": talks.collect::<Vec<_>>(),
    })
}
