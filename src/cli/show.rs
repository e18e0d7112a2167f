//! `roundtable show`: a recorded discussion as people read it.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open, recording, table};
use crate::discussion::event::{Event, Record, from_lines};
use crate::discussion::{finished, introduction};
use crate::library::Library;
use crate::page;
use crate::replay::Recording;
use crate::synthesis::summary_text;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roundtable show roundtable/offline-mode:docs/requirements/offline-mode/elaborations/01-03-20260220T143000000Z.jsonl"
)]
pub struct Options {
    /// A recording: a file, or REV:PATH in the repository
    recording: String,
    /// How to show it: html is one self-contained page, mermaid a diagram that GitHub renders
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "json")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Markdown,
    Html,
    Mermaid,
}

/// Prints the transcript.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let recording = recording::read(global, &options.recording)?;
    let library = library(global, &recording)?;
    let name = recording.name;
    let log = from_lines(&name, crate::json::utf8(&name, &recording.bytes)?)?;
    let Some(Record { event: Event::Opened(opened), .. }) = log.first() else {
        return Err(Fail::new(format!("{name}: a recording begins with the event `opened`")));
    };
    let format = match options.format {
        Format::Text => None,
        Format::Markdown => Some(page::Format::Markdown),
        Format::Html => Some(page::Format::Html),
        Format::Mermaid => Some(page::Format::Mermaid),
    };
    if let Some(format) = format {
        screen.document(&page::render(&log, opened, &library, format)?)?;
        return Ok(Code::Yes);
    }
    screen.say(&introduction(&library, opened)?);
    for record in &log {
        screen.say_record(record, &library.cast);
    }
    if let Some(finished) = finished(log.clone()) {
        screen.say(&format!("\n{}", summary_text(&finished, &library)?));
    } else {
        screen.say("\n(this recording has no end)");
    }
    let events: Vec<Value> =
        log.iter().filter_map(|record| serde_json::from_str(&record.to_line()).ok()).collect();
    screen.json(&json!({ "recording": name, "events": events }));
    Ok(Code::Yes)
}

/// The library that a recording's commit has; for a file, the built-in one.
fn library(global: &Global, recording: &Recording) -> Result<Library, Fail> {
    let Some(place) = &recording.place else { return Ok(Library::built_in()?) };
    let built_in = table::BuiltIn::begin();
    let repo = open(global)?;
    let config = table::config(global, &repo, place.commit)?;
    built_in.library(&repo, place.commit, &config)
}
