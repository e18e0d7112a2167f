//! `roundtable why`: from a line of an artifact to the turns it rests on.

mod analysis;

use std::sync::Arc;

use clap::Args;
use git2::Oid;
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open};
use crate::discussion::event::{Event, Record, Time, from_lines};
use crate::discussion::summary::Decision;
use crate::discussion::transcript::sources;
use crate::discussion::{Finished, finished};
use crate::git::{AtPath, Repo, short};
use crate::history::decisions::{self, ListedDecision};
use crate::history::provenance;
use crate::history::trace::{self, Finding, Trace};
use crate::item::Meta;
use crate::item::library::Library;
use crate::item::meta;
use crate::run::place;
use crate::run::settings;
use crate::text::path::is_markdown;

use crate::text::path;
use crate::text::plain::{self, count};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable why docs/requirements/offline-mode/requirements-spec.md:42\n          roundtable why docs/requirements/offline-mode/requirements-spec.md --rev roundtable/offline-mode"
)]
pub struct WhyArgs {
    /// A file of the repository, and a line of it; without a line, every discussion that wrote in it
    #[arg(value_name = "FILE[:LINE[:COL]]")]
    place: String,
    /// The commit to read the file at
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    rev: String,
}

/// A file at a commit, and what is needed to explain it.
struct Subject<'a> {
    repo: &'a Repo,
    commit: Oid,
    library: Arc<Library>,
    path: String,
    /// The file's name in its item folder, and the item; none for a file in no item.
    item: Option<(String, String)>,
    text: String,
}

/// A discussion that wrote in the file.
struct Source {
    recording: String,
    finished: Finished,
}

/// What a discussion added to the file, where its recording is here.
struct Added {
    trace: Trace,
    source: Option<Source>,
    /// The one finding that it is, where it has no marker: an entry of data.
    finding: Option<Finding>,
}

/// Explains a line, or lists who wrote in a file.
pub fn run(global: &Global, options: &WhyArgs, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let commit = repo.resolve(&options.rev)?;
    let (name, line) = split(&options.place);
    let path = in_repository(&repo, name)?;
    let missing = || {
        let near = repo.near_file(commit, &path);
        let hint = "name a file by its path in the repository, and a commit that has it with --rev";
        Fail::new(format!("no file {} at {}", plain::shown(&path), plain::shown(&options.rev)))
            .with_hint(near.as_deref().unwrap_or(hint))
    };
    let bytes = match repo.file(commit, &path) {
        Err(crate::git::Error::Foreign { what: "a folder", .. }) => {
            return Err(
                Fail::new(format!("{} is a folder", plain::shown(&path))).with_hint("name a file in it")
            );
        }
        read => read?.ok_or_else(missing)?,
    };
    let text = crate::text::json::utf8(&plain::shown(&path), &bytes)?.to_owned();
    let config = global.workspace.settings_at(&repo, commit)?;
    let library = settings::library(&repo, commit, &config)?;
    let item = repo.item_and_name(commit, &path)?.map(|(item, name)| (name, item));
    let subject = Subject { repo: &repo, commit, library, path, item, text };
    let lines = subject.text.lines().count();
    match line {
        None => subject.list(screen),
        Some(line) if line == 0 || line > lines => {
            let path = plain::shown(&subject.path);
            Err(Fail::new(format!("{path} has {} and no line {line}", count(lines, "line")))
                .with_hint("lines count from 1"))
        }
        Some(line) => subject.explain(line, screen),
    }
}

/// `FILE:LINE` or `FILE:LINE:COL` in its parts; a name that ends in no number is a file's alone.
fn split(place: &str) -> (&str, Option<usize>) {
    let last = |place: &'_ str| -> Option<(usize, usize)> {
        let (name, number) = place.rsplit_once(':').filter(|(name, _)| !name.is_empty())?;
        Some((name.len(), number.parse().ok()?))
    };
    let Some((end, number)) = last(place) else { return (place, None) };
    // A column says nothing here: editors and linters write one.
    match last(&place[..end]) {
        Some((name, line)) => (&place[..name], Some(line)),
        None => (&place[..end], Some(number)),
    }
}

/// A path from the repository's root. What is in the work tree is named from the current
/// folder, anything else from the root.
fn in_repository(repo: &Repo, name: &str) -> Result<String, Fail> {
    let here = crate::run::environment::current_folder()?.join(name);
    let on_disk = here.canonicalize().ok().and_then(|full| repo.path_within(&full));
    let path = on_disk.unwrap_or_else(|| place::forward(name.trim_start_matches("./")));
    if !path::is_plain(&path) {
        let shown = plain::shown(name);
        return Err(Fail::new(format!("\"{shown}\" is not a path of a file in the repository"))
            .with_hint("write it like docs/requirements/late-fees/spec.md"));
    }
    Ok(path)
}

impl Subject<'_> {
    /// The discussions that a trace may be of: their recordings carry its step and time.
    fn sources(&self, trace: &Trace) -> Result<Vec<Source>, Fail> {
        let Some((_, item)) = &self.item else { return Ok(Vec::new()) };
        let item = self.repo.item(self.commit, item)?;
        let stem = format!("{}-{}", trace.step_id, trace.at.digits());
        let mut found = Vec::new();
        for name in item.recordings.iter().filter(|name| name.starts_with(&stem)) {
            let recording = format!("{}/elaborations/{name}", item.path);
            let Some(finished) = self.recorded(&recording)?.and_then(finished) else { continue };
            if finished.at == trace.at && finished.opened.step.id == trace.step_id {
                found.push(Source { recording, finished });
            }
        }
        Ok(found)
    }

    /// All additions to the file, in the order of their lines.
    fn additions(&self) -> Result<Vec<Added>, Fail> {
        let name = self.item.as_ref().map(|(name, _)| name.as_str()).unwrap_or_default();
        let mut found = self.entries()?;
        for trace in trace::traces(name, &self.text) {
            let source = self.sources(&trace)?.into_iter().next();
            found.push(Added { trace, source, finding: None });
        }
        found.sort_by_key(|one| one.trace.line);
        Ok(found)
    }

    /// What all discussions of the item added to this file without a marker of its own.
    fn entries(&self) -> Result<Vec<Added>, Fail> {
        let is_text = |name: &str| is_markdown(name);
        let Some((name, item)) = self.item.as_ref().filter(|(name, _)| trace::is_data(name) || is_text(name))
        else {
            return Ok(Vec::new());
        };
        let item = self.repo.item(self.commit, item)?;
        let mut found = Vec::new();
        for recording in &item.recordings {
            let recording = format!("{}/elaborations/{recording}", item.path);
            let Some(finished) = self.recorded(&recording)?.and_then(finished) else { continue };
            for (lines, finding) in trace::entries_of(name, &self.text, &finished, &self.library)? {
                let (step_id, at) = (finished.opened.step.id.clone(), finished.at);
                let trace = Trace { step_id, at, line: *lines.start(), end: *lines.end() };
                let source = Source { recording: recording.clone(), finished: finished.clone() };
                found.push(Added { trace, source: Some(source), finding: Some(finding) });
            }
        }
        Ok(found)
    }

    /// The log of a recording, if it can be read.
    fn recorded(&self, path: &str) -> Result<Option<Vec<Record>>, Fail> {
        let Some(bytes) = self.repo.file(self.commit, path)? else { return Ok(None) };
        Ok(Some(from_lines(path, crate::text::json::utf8(path, &bytes)?)?))
    }

    /// The record of a discussion in meta.json: which one, of how many.
    fn record(&self, step_id: &str, at: Time) -> Result<Option<(usize, usize, Value)>, Fail> {
        let Some((_, item)) = &self.item else { return Ok(None) };
        let path = format!("{item}/{}", meta::FILE);
        let bytes = self.repo.file(self.commit, &path)?.unwrap_or_default();
        let meta = Meta::read(&path, &bytes)?;
        let all = meta.elaborations();
        let is = |record: &&Value| {
            record["step_id"] == step_id && record["timestamp"].as_str() == Some(at.to_string().as_str())
        };
        let at = all.iter().position(|record| is(&record));
        Ok(at.map(|at| (at + 1, all.len(), all[at].clone())))
    }

    fn explain(&self, line: usize, screen: &Screen) -> Result<Code, Fail> {
        let said = self.text.lines().nth(line - 1).unwrap_or_default();
        if !plain::is_clean(said) || !said.trim().is_empty() {
            screen.say(&format!("{}:{line}\n  {}\n", self.path, plain::cut(said.trim(), 400)));
        }
        if let Some(event) = self.own_event(line)? {
            return self.say_event(line, &event, screen);
        }
        let name = self.item.as_ref().map(|(name, _)| name.as_str()).unwrap_or_default();
        let traces = trace::traces(name, &self.text);
        let around: Vec<&Trace> = traces.iter().filter(|t| (t.line..=t.end).contains(&line)).collect();
        for trace in &around {
            for source in self.sources(trace)? {
                let written = trace::written(name, &self.text, trace, &source.finished, &self.library)?;
                if let Some((_, number)) = written.iter().find(|(at, _)| *at == line) {
                    let all = trace::findings(&source.finished.summary);
                    return self.say_ours(
                        line,
                        trace,
                        true,
                        &source,
                        number.and_then(|at| all.get(at)),
                        screen,
                    );
                }
            }
        }
        let entry = self.entries()?.into_iter().find(|one| (one.trace.line..=one.trace.end).contains(&line));
        if let Some(Added { trace, source: Some(source), finding }) = entry {
            return self.say_ours(line, &trace, false, &source, finding.as_ref(), screen);
        }
        if around.is_empty() && self.say_answer(line, screen)? {
            return Ok(Code::Yes);
        }
        self.say_blame(line, around.first().copied(), screen)
    }

    /// The event of a line of a recording.
    fn own_event(&self, line: usize) -> Result<Option<Record>, Fail> {
        let is_recording = self
            .item
            .as_ref()
            .is_some_and(|(name, _)| name.starts_with("elaborations/") && name.ends_with(".jsonl"));
        if !is_recording {
            return Ok(None);
        }
        Ok(self.recorded(&self.path)?.and_then(|log| log.get(line - 1).cloned()))
    }

    fn say_event(&self, line: usize, event: &Record, screen: &Screen) -> Result<Code, Fail> {
        let commit = self.repo.introducing_commit(self.commit, &self.path)?;
        screen.say(&format!(
            "Event {line} of this recording, {}, committed in {}.",
            event.at,
            self.named(commit)?
        ));
        screen.say_record(event, &self.library.cast);
        screen.json(&json!({
            "path": self.path, "line": line, "rev": self.commit.to_string(), "by": "recording",
            "commit": commit.to_string(), "event": serde_json::from_str::<Value>(&event.to_line()).ok(),
        }));
        Ok(Code::Yes)
    }

    /// A commit by its digits and subject.
    fn named(&self, commit: Oid) -> Result<String, Fail> {
        Ok(format!("{} ({})", short(commit), plain::cut(&plain::shown(&self.repo.subject_of(commit)?), 80)))
    }

    /// What a line is, and of which discussion.
    fn headline(&self, finding: Option<&Finding>, talk: &str) -> String {
        let Some(found) = finding else { return format!("Written by {talk}; it belongs to no single turn.") };
        let authors = trace::authors(&found.by, &self.library);
        let by = if authors.is_empty() { String::new() } else { format!(" by {authors}") };
        format!("{}{by}, from {} of {talk}.", plain::capital(found.kind), turns_named(&found.turns))
    }

    fn say_ours(
        &self,
        line: usize,
        trace: &Trace,
        is_marked: bool,
        source: &Source,
        finding: Option<&Finding>,
        screen: &Screen,
    ) -> Result<Code, Fail> {
        let opened = &source.finished.opened;
        let commit = self.brought(&source.recording)?;
        let record = self.record(&trace.step_id, trace.at)?;
        let talk = format!(
            "the discussion of step {} ({}), {}",
            plain::shown(&opened.step.id),
            plain::shown(&opened.step.title),
            trace.at
        );
        screen.say_strong(&self.headline(finding, &talk));
        screen.say(&match is_marked {
            true => format!("  marker     line {}", trace.line),
            false => "  marker     none at this line; it is found by what it says".to_owned(),
        });
        if let (Some((number, all, _)), Some((_, item))) = (&record, &self.item) {
            screen.say(&format!("  record     {item}/{}, {number} of {all}", meta::FILE));
        } else {
            screen.say("  record     none in meta.json; `roundtable replay --all` says what does not fit");
        }
        screen.say(&format!("  recording  {}", source.recording));
        screen.say(&format!("  commit     {}", self.named(commit)?));
        let decision = finding.map_or(Ok(None), |finding| self.decision(source, finding))?;
        if let Some(decision) = &decision {
            screen.say(&format!("  decision   {}", decision.id));
            if !decision.replaced_by.is_empty() {
                screen.say(&format!("  replaced   by {}", decision.replaced_by.join(", ")));
            }
        }
        let places = finding.map_or_else(String::new, |finding| sources(finding.rests.iter()));
        if !places.is_empty() {
            screen.say(&format!("  places     {}", plain::clean(&places)));
        }
        let said = said(source, finding);
        for record in &said {
            screen.say(&format!("\nTurn {}", turn(record).unwrap_or_default()));
            screen.say_entry(record, &self.library.cast);
        }
        let turns: Vec<Value> = said.iter().filter_map(|record| spoken(record)).collect();
        screen.json(&json!({
            "path": self.path,
            "line": line,
            "rev": self.commit.to_string(),
            "by": "discussion",
            "marker": is_marked.then(|| {
                json!({"line": trace.line, "step_id": trace.step_id, "timestamp": trace.at.to_string()})
            }),
            "record": record.map(|(.., record)| record),
            "recording": source.recording,
            "commit": commit.to_string(),
            "run": opened.run,
            "finding": finding.map(|found| {
                json!({
                    "kind": found.kind, "text": found.text, "by": found.by, "turns": found.turns,
                    "rests": found.rests,
                })
            }),
            "turns": turns,
            "decision": decision.map(|one| json!({"id": one.id, "replaced_by": one.replaced_by})),
        }));
        Ok(Code::Yes)
    }

    /// The decision that a finding is, with what replaces it.
    fn decision(&self, source: &Source, finding: &Finding) -> Result<Option<ListedDecision>, Fail> {
        let all = &source.finished.summary.decisions;
        let is_it = |one: &Decision| finding.text == one.text && finding.turns == one.turns;
        let (Some(number), Some((_, item))) = (all.iter().position(is_it), &self.item) else {
            return Ok(None);
        };
        let id = decisions::id(&source.recording, number);
        let known = provenance::decisions(self.repo, self.commit, &self.repo.item(self.commit, item)?, None)?;
        Ok(known.iter().find(|entry| entry.id == id).cloned())
    }

    /// A line that no discussion wrote: the commit that did.
    fn say_blame(&self, line: usize, around: Option<&Trace>, screen: &Screen) -> Result<Code, Fail> {
        let found = self.repo.blame(self.commit, &self.path, line)?;
        let when = chrono::DateTime::from_timestamp(found.seconds, 0).map(Time::new);
        let when = when.map(|when| when.to_string()).unwrap_or_default();
        screen.say_strong("No discussion wrote this line.");
        if let Some(trace) = around {
            screen.say(&format!(
                "  It is part of what the discussion of step {}, {}, added (marker on line {}).",
                plain::shown(&trace.step_id),
                trace.at,
                trace.line
            ));
        }
        let author = plain::cut(&plain::shown(&found.author), 80);
        screen.say(&format!("  commit     {}", self.named(found.commit)?));
        screen.say(&format!("  author     {author}, {when}"));
        screen.json(&json!({
            "path": self.path, "line": line, "rev": self.commit.to_string(), "by": "commit",
            "commit": found.commit.to_string(), "author": author, "time": when,
            "subject": plain::shown(&found.subject),
        }));
        Ok(Code::Yes)
    }

    /// The commit that brought a recording to this history, wherever its item's folder was then.
    fn brought(&self, recording: &str) -> Result<Oid, Fail> {
        if let Some(AtPath::File(blob)) = self.repo.look_up(self.commit, recording) {
            let found = self.repo.introductions(self.commit, &[(recording.to_owned(), blob)])?;
            if let Some(introduction) = found.get(recording) {
                return Ok(introduction.commit);
            }
        }
        Ok(self.repo.introducing_commit(self.commit, recording)?)
    }

    /// Every discussion that wrote in the file.
    fn list(&self, screen: &Screen) -> Result<Code, Fail> {
        let found = self.additions()?;
        if found.is_empty() {
            screen.say(&format!("No discussion has written in {}.", self.path));
        }
        let mut entries = Vec::new();
        for Added { trace, source, finding } in &found {
            screen.say_strong(&format!(
                "lines {} to {}: step {}, {}",
                trace.line,
                trace.end,
                plain::shown(&trace.step_id),
                trace.at
            ));
            match source {
                Some(source) => {
                    let (closed, summary) = (&source.finished.closed, &source.finished.summary);
                    let turns = count(closed.turn_count as usize, "turn");
                    let what = finding.as_ref().map_or(summary.description(), |finding| finding.text.clone());
                    screen.say(&format!("  {turns}, {}\n  {}", plain::one_line(&what), source.recording));
                }
                None => screen.say("  no recording of it is here"),
            }
            entries.push(json!({
                "line": trace.line, "end": trace.end, "step_id": trace.step_id,
                "timestamp": trace.at.to_string(),
                "recording": source.as_ref().map(|source| &source.recording),
            }));
        }
        screen.json(&json!({"path": self.path, "rev": self.commit.to_string(), "discussions": entries}));
        Ok(Code::Yes)
    }
}

/// The turns that a finding rests on.
fn said<'s>(source: &'s Source, finding: Option<&Finding>) -> Vec<&'s Record> {
    let rests: &[u32] = finding.map_or(&[], |finding| &finding.turns);
    source.finished.log.iter().filter(|record| turn(record).is_some_and(|t| rests.contains(&t))).collect()
}

/// "turn 4", "turns 4 and 7".
fn turns_named(turns: &[u32]) -> String {
    let words: Vec<String> = turns.iter().map(u32::to_string).collect();
    match words.split_last() {
        Some((last, [])) => format!("turn {last}"),
        Some((last, rest)) => format!("turns {} and {last}", rest.join(", ")),
        None => "no turn".to_owned(),
    }
}

fn turn(record: &Record) -> Option<u32> {
    match &record.event {
        Event::Contribution(said) => Some(said.turn),
        Event::User(message) => message.turn,
        _ => None,
    }
}

/// What was said in a turn, for programs.
fn spoken(record: &Record) -> Option<Value> {
    match &record.event {
        Event::Contribution(said) => Some(json!({"turn": said.turn, "by": said.by, "text": said.text})),
        Event::User(said) => {
            Some(json!({"turn": said.turn, "by": "user", "name": said.by, "text": said.text}))
        }
        _ => None,
    }
}
