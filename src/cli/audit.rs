//! `roundtable audit`: markers, records and recordings, do they agree?

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use clap::Args;
use git2::Oid;
use serde_json::json;

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open, table};
use crate::audit::{self, Audit};
use crate::library::Library;
use crate::plain::count;
use crate::replay::Replay;
use crate::repo;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable audit\n          roundtable audit --rev roundtable/late-fees\n\nExit codes: 0 everything agrees; 1 something does not; 2 the repository could not be read."
)]
pub struct Options {
    /// The commit whose items are audited
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    rev: String,
}

/// Audits every item at a commit.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    repo.trust_objects();
    repo.forget_objects();
    let commit = repo.resolve(&options.rev)?;
    let replay = Replay::new(repo, Arc::new(Library::built_in()?), table::operators(global)?);
    let mut items = Vec::new();
    for folder in replay.config(commit)?.folders() {
        items.extend(replay.repo().items(commit, folder)?);
    }
    if items.is_empty() {
        table::note_nothing(replay.repo(), "item", &options.rev, screen);
    }
    let replay = replay.at(commit)?;
    let audit = audit_all(&replay, commit, &items, screen)?;
    for misfit in &audit.misfits {
        let line = misfit.line.map_or(String::new(), |line| format!(":{line}"));
        screen.say(&format!("{}{line}: {}", misfit.path, misfit.what));
    }
    for note in &audit.notes {
        screen.note(note);
    }
    let fits = audit.misfits.is_empty();
    let verdict = match audit.misfits.len() {
        0 => "all agree".to_owned(),
        1 => "1 thing does not fit".to_owned(),
        many => format!("{many} things do not fit"),
    };
    screen.say_strong(&format!(
        "{}, {}, {}, {}: {verdict}",
        count(items.len(), "item"),
        count(audit.markers, "marker"),
        count(audit.records, "record"),
        count(audit.recordings, "recording"),
    ));
    let [by_commit, by_content, by_text] = audit.proofs;
    if by_content + by_text > 0 {
        screen.say(&format!(
            "Recordings: {by_commit} proved by commit, {by_content} by content, {by_text} by text."
        ));
        screen.say("  content: the history was rewritten, and the files before and after are the same bytes");
        screen.say("  text: what was recorded is in today's documents, letter by letter");
    }
    let misfits: Vec<_> = audit
        .misfits
        .iter()
        .map(|misfit| json!({"path": misfit.path, "line": misfit.line, "what": misfit.what}))
        .collect();
    screen.json(&json!({
        "rev": commit.to_string(), "agree": fits, "items": items.len(), "markers": audit.markers,
        "records": audit.records, "recordings": audit.recordings, "logs": audit.logs,
        "proofs": {"commit": by_commit, "content": by_content, "text": by_text}, "findings": misfits, "notes": audit.notes,
    }));
    Ok(if fits { Code::Yes } else { Code::No })
}

/// What a push to the default branch is audited by: the same, with an annotation where something does not fit.
pub fn pushed(global: &Global, screen: &Screen) -> Result<Code, Fail> {
    if screen.is_json() {
        return Ok(Code::Yes);
    }
    run(global, &Options { rev: "HEAD".to_owned() }, screen)
}

/// The items on all processors, told in their order.
fn audit_all(replay: &Replay, commit: Oid, items: &[String], screen: &Screen) -> Result<Audit, Fail> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(items.len());
    let workers = (0..threads).map(|_| replay.again()).collect::<Result<Vec<_>, _>>()?;
    let (next, (told, done)) = (AtomicUsize::new(0), channel::<(usize, Result<Audit, repo::Error>)>());
    let mut found = std::thread::scope(|scope| {
        for worker in workers {
            let (next, told) = (&next, told.clone());
            scope.spawn(move || {
                while let Some((at, path)) = claim(next, items) {
                    let _ = told.send((at, audit::item(&worker, commit, path)));
                }
            });
        }
        drop(told);
        let count = |(number, result)| {
            screen.progress(number, items.len());
            result
        };
        (1..).zip(done).map(count).collect::<Vec<_>>()
    });
    found.sort_by_key(|(at, _)| *at);
    let mut whole = Audit::default();
    for (_, result) in found {
        whole.and(result?);
    }
    Ok(whole)
}

fn claim<'i>(next: &AtomicUsize, items: &'i [String]) -> Option<(usize, &'i str)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, items.get(at)?.as_str()))
}
