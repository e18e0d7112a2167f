//! `roundtable show`: a recorded discussion as people read it.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open, read_file};
use crate::discussion::event::{Event, Record, from_lines};
use crate::discussion::{Finished, introduction};
use crate::library::Library;
use crate::plain;
use crate::synthesis::summary_text;

/// Recordings over this many bytes are refused (64 MiB).
const LARGEST: u64 = 64 << 20;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roundtable show roundtable/offline-mode:docs/requirements/offline-mode/elaborations/01-03-20260220T143000000Z.jsonl"
)]
pub struct Options {
    /// A recording: a file, or REV:PATH in the repository
    recording: String,
}

/// Prints the transcript.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let (bytes, library) = read(global, &options.recording)?;
    let name = plain::clean(&options.recording);
    let log = from_lines(&name, crate::json::utf8(&name, &bytes)?)?;
    let Some(Record { event: Event::Opened(opened), .. }) = log.first() else {
        return Err(Fail::new(format!("{name}: a recording begins with the event `opened`")));
    };
    screen.say(&introduction(&library, opened)?);
    for record in &log {
        screen.say_record(record, &library.cast);
    }
    if let Some(finished) = finished(&log) {
        screen.say(&format!("\n{}", summary_text(&finished, &library)?));
    } else {
        screen.say("\n(this recording has no end)");
    }
    let events: Vec<Value> =
        log.iter().filter_map(|record| serde_json::from_str(&record.to_line()).ok()).collect();
    screen.json(&json!({ "recording": name, "events": events }));
    Ok(Code::Yes)
}

/// The bytes of a recording, and the library its commit has.
fn read(global: &Global, recording: &str) -> Result<(Vec<u8>, Library), Fail> {
    let path = Path::new(recording);
    if path.exists() {
        return Ok((read_file(path, LARGEST)?, Library::built_in()?));
    }
    let Some((revision, inside)) =
        recording.split_once(':').filter(|(revision, inside)| !revision.is_empty() && !inside.is_empty())
    else {
        let shown = plain::shown(recording);
        return Err(Fail::new(format!("{shown} does not exist; name a file, or REV:PATH in the repository")));
    };
    let repo = open(global)?;
    let commit = repo.resolve(revision)?;
    let bytes = repo.file(commit, inside.trim_start_matches("./"))?;
    let missing = || Fail::new(format!("no file {} at {}", plain::shown(inside), plain::shown(revision)));
    let config = super::table::config(global, &repo, commit)?;
    Ok((bytes.ok_or_else(missing)?, super::table::BuiltIn::begin().library(&repo, commit, &config)?))
}

/// The end of a log, read without judging the way there.
fn finished(log: &[Record]) -> Option<Finished> {
    let Event::Opened(opened) = &log.first()?.event else { return None };
    let summary = log.iter().find_map(|record| match &record.event {
        Event::Synthesis(summary) => Some(summary.clone()),
        _ => None,
    })?;
    let last = log.last()?;
    let Event::Closed(closed) = &last.event else { return None };
    Some(Finished {
        opened: opened.as_ref().clone(),
        summary,
        closed: closed.clone(),
        at: last.at,
        log: log.to_vec(),
    })
}
