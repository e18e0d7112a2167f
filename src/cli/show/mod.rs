//! `roundtable show`: a recorded discussion as people read it, or all of an item.

mod decisions;
mod item;
mod step;

use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open};
use crate::analysis::provenance::Log;
use crate::discussion::critiques::critiques;
use crate::discussion::event::{Contribution, Event, Record, Verdict, from_any_lines};
use crate::discussion::summary::USER;
use crate::discussion::{Said, finished, introduction};
use crate::history::page;
use crate::item::library::Library;
use crate::run::played::{self, Recording};
use crate::run::settings;
use crate::synthesis::spoken_summary;
use crate::text::echo::Echo;
use crate::text::plain;
use crate::voice::SECRETARY;
use crate::voice::basis::Basis;
use crate::voice::breaches::judged;
use crate::voice::rules::Rule;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable show late-fees\n          roundtable show late-fees --decisions\n          roundtable show --decisions --markdown > decisions.md\n          roundtable show --format html > items.html\n          roundtable show roundtable/offline-mode:docs/requirements/offline-mode/elaborations/01-03-20260220T143000000Z.jsonl\n\nAn item is read on its branch roundtable/<slug> (after a merge roundtable/<slug>-2, -3 …) where that is ahead of HEAD, else at HEAD."
)]
pub struct ShowArgs {
    /// A recording or the log of a step (a file, or REV:PATH in the repository), or an item: its folder's path, or its slug [default: every item]
    #[arg(value_name = "RECORDING|ITEM")]
    pub(super) what: Option<String>,
    /// The commit to read items at
    #[arg(long, value_name = "REV")]
    rev: Option<String>,
    /// How to show it: html is one self-contained page
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "json")]
    format: ShowFormat,
    /// Only the decisions of items: id, words, reason, who and when, and what a later one replaces
    #[arg(long, conflicts_with = "integrity")]
    decisions: bool,
    /// The same as --format markdown
    #[arg(long, conflicts_with_all = ["format", "json", "integrity"])]
    markdown: bool,
    /// Check each line of a recording, and list which parts of a model's answers were left out or changed
    #[arg(long, conflicts_with = "format")]
    integrity: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    Text,
    Markdown,
    Html,
}

impl ShowFormat {
    /// The format of a page; none of what is shown line by line.
    const fn of_pages(self) -> Option<page::Format> {
        match self {
            ShowFormat::Text => None,
            ShowFormat::Markdown => Some(page::Format::Markdown),
            ShowFormat::Html => Some(page::Format::Html),
        }
    }
}

/// Endings of an item's documents.
const DOCUMENTS: [&str; 6] = [".csv", ".json", ".markdown", ".md", ".yaml", ".yml"];

/// The recording that is meant: a file, or `REV:PATH`; anything else, and a document, is an item.
fn recording_of(options: &ShowArgs) -> Option<&str> {
    let what = options.what.as_deref()?;
    if DOCUMENTS.iter().any(|ending| what.ends_with(ending)) {
        return None;
    }
    let is_file = std::path::Path::new(what).is_file() || what.ends_with(".jsonl");
    (is_file || what.split_once(':').is_some_and(|(rev, path)| !rev.is_empty() && !path.is_empty()))
        .then_some(what)
}

/// Prints the transcript.
pub fn run(global: &Global, options: &ShowArgs, screen: &Screen) -> Result<Code, Fail> {
    let format = if options.markdown { ShowFormat::Markdown } else { options.format };
    if options.decisions {
        return show_decisions(global, options, format, screen);
    }
    let Some(argument) = recording_of(options) else {
        if options.integrity {
            return Err(
                Fail::new("--integrity is for one recording").with_hint("name it as a file or REV:PATH")
            );
        }
        let (what, rev) = (options.what.as_deref(), options.rev.as_deref());
        return item::run(global, &open(global)?, what, rev, format, screen);
    };
    let recording = played::find(argument, || open(global))?;
    let library = library(global, &recording)?;
    let name = recording.name;
    if step::is_log(&recording.bytes) && !options.integrity && format == ShowFormat::Text {
        let log = Log::read(&name, crate::text::json::utf8(&name, &recording.bytes)?);
        if let Some(code) = step::say(&log, &library, screen) {
            return Ok(code);
        }
    }
    // A reader gets a recording of any format.
    let (log, _) = from_any_lines(&name, crate::text::json::utf8(&name, &recording.bytes)?)?;
    let Some(Record { event: Event::Opened(opened), .. }) = log.first() else {
        return Err(Fail::new(format!("{name}: a recording begins with the event `opened`"))
            .with_hint("its first lines are missing, `git log` of the file says since when"));
    };
    if options.integrity {
        return integrity(&log, &library, &name, screen);
    }
    if let Some(format) = format.of_pages() {
        screen.document(&page::render(&log, opened, &library, format)?)?;
        return Ok(Code::Yes);
    }
    screen.say(&introduction(&library, opened)?);
    for record in &log {
        screen.say_record(record, &library.cast);
    }
    if let Some(finished) = finished(log.clone()) {
        screen.say(&format!("\n{}", spoken_summary(&finished, &library)?));
    } else {
        screen.say("\n(this recording has no end)");
    }
    let events: Vec<Value> =
        log.iter().filter_map(|record| serde_json::from_str(&record.to_line()).ok()).collect();
    screen.json(&json!({ "recording": name, "events": events }));
    Ok(Code::Yes)
}

/// The decisions of an item, or of all items.
fn show_decisions(
    global: &Global,
    options: &ShowArgs,
    format: ShowFormat,
    screen: &Screen,
) -> Result<Code, Fail> {
    if recording_of(options).is_some() {
        return Err(Fail::new("--decisions is for items").with_hint("name an item, or nothing for all items"));
    }
    if format == ShowFormat::Html {
        return Err(
            Fail::new("--decisions is shown as text, --markdown or --json").with_hint("leave --format out")
        );
    }
    let (what, rev) = (options.what.as_deref(), options.rev.as_deref());
    item::run_decisions(global, &open(global)?, what, rev, format == ShowFormat::Markdown, screen)
}

/// The library that a recording's commit has; for a file, the built-in one.
fn library(global: &Global, recording: &Recording) -> Result<Arc<Library>, Fail> {
    let Some(place) = &recording.place else { return Ok(Arc::new(Library::built_in()?)) };
    let repo = open(global)?;
    let config = global.workspace.settings_at(&repo, place.commit)?;
    settings::library(&repo, place.commit, &config)
}

/// What contributions are judged against when only the recording is at hand.
fn basis(log: &[Record]) -> Basis<'_> {
    let users = || {
        log.iter().filter_map(|record| match &record.event {
            Event::User(message) => Some(message),
            _ => None,
        })
    };
    let first = users().next().map(|message| message.text.as_str());
    Basis {
        sources: None,
        first,
        users: users().map(|message| message.by.clone()).collect(),
        ..Basis::default()
    }
}

/// How many of a persona's contributions keep to its voice, and the words that do not.
fn integrity(log: &[Record], library: &Library, name: &str, screen: &Screen) -> Result<Code, Fail> {
    let said: Vec<(&str, &str, Option<&Contribution>)> = log
        .iter()
        .filter_map(|record| match &record.event {
            Event::Contribution(said) => Some((said.by.as_str(), said.text.as_str(), Some(said))),
            Event::User(message) => Some((USER, message.text.as_str(), None)),
            _ => None,
        })
        .collect();
    let voice = log.iter().find_map(|record| match &record.event {
        Event::Opened(opened) => Some(opened.voice.as_str()),
        _ => None,
    });
    // The secretary's phrases without a quotation are the same for every persona.
    let is_fixed = |own: &Contribution| own.voice.as_deref().or(voice) == Some(SECRETARY);
    let echoes: Vec<Echo> = said.iter().map(|(_, text, _)| Echo::of(text)).collect();
    let basis = basis(log);
    let mut entries = Vec::new();
    let mut is_whole = true;
    for persona in library.cast.iter() {
        let (mut count, mut broken) = (0_usize, Vec::new());
        let owns = said.iter().enumerate().filter_map(|(at, (.., own))| Some((at, (*own)?)));
        for (at, own) in owns.filter(|(_, own)| own.by == persona.key) {
            count += 1;
            let earlier = said[..at].iter().zip(&echoes);
            let earlier: Vec<Said<'_>> =
                earlier.map(|((by, text, _), echo)| Said { by, text, echo }).collect();
            let mut breaches = judged(&own.text, persona, &library.cast, &earlier, &basis);
            if is_fixed(own) {
                breaches.retain(|breach| breach.rule != Rule::Echo);
            }
            if !breaches.is_empty() {
                broken.push((own.turn, breaches));
            }
        }
        if count == 0 {
            continue;
        }
        is_whole &= broken.is_empty();
        let kept = count - broken.len();
        let percent = kept * 100 / count;
        screen.say_strong(&format!("{}: {kept} of {count} in character ({percent} %)", persona.name));
        for (turn, breaches) in &broken {
            for breach in breaches {
                screen.say(&format!("  turn {turn}: {}: \"{}\"", breach.rule.name(), breach.words));
            }
        }
        let list = broken.iter().flat_map(|(turn, breaches)| {
            breaches
                .iter()
                .map(move |breach| json!({"turn": turn, "rule": breach.rule.name(), "words": breach.words}))
        });
        entries.push(json!({
            "persona": persona.key, "contributions": count, "kept": kept, "score": percent,
            "breaches": list.collect::<Vec<_>>(),
        }));
    }
    let (left_out, refuted) = say_unused(log, screen);
    screen.json(&json!({"recording": name, "integrity": entries, "left_out": left_out, "refuted": refuted}));
    Ok(if is_whole { Code::Yes } else { Code::No })
}

/// What of a model's answers was left out or changed, and which of its points something answers, each with the reason.
fn say_unused(log: &[Record], screen: &Screen) -> (Vec<Value>, Vec<Value>) {
    let mut left_out = Vec::new();
    for one in critiques(log).filter(|one| one.outcome != Verdict::Kept) {
        let outcome = if one.outcome == Verdict::Dropped { "left out" } else { "changed" };
        screen.say_hung(&format!("{}, {outcome}: ", plain::shown(&one.on)), &plain::clean(&one.problem));
        left_out.push(json!({"on": one.on, "outcome": one.outcome.name(), "reason": one.problem}));
    }
    let points = log.iter().filter_map(|record| match &record.event {
        Event::Points(found) => Some(found.points.iter().enumerate()),
        _ => None,
    });
    let mut refuted = Vec::new();
    for (at, point, by) in
        points.flatten().filter_map(|(at, point)| Some((at, point, point.refuted.as_ref()?)))
    {
        let places: Vec<String> = by.quotes.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
        let text = format!("{} Answered in {}: {}", point.question, places.join(", "), by.answer);
        screen.say_hung(&format!("points/{at}, answered: "), &plain::clean(&text));
        refuted.push(json!({
            "on": format!("points/{at}"), "question": point.question, "answer": by.answer, "quotes": by.quotes,
        }));
    }
    (left_out, refuted)
}
