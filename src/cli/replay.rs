//! `roundtable replay`: a recording run again, compared, and, with `--onto`, committed. `--all` also holds today's
//! documents against what was recorded.

mod documents;
pub mod onto;

use std::sync::Arc;

use clap::Args;
use git2::Oid;
use serde_json::{Value, json};

use self::documents::{Documents, Held};
use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open};
use crate::additive::policy::Policy;
use crate::git::short;
use crate::item::library::Library;
use crate::replay::today::{self, Lost, Part};
use crate::replay::{By, Divergence, Replay, Replayed, Unread};
use crate::run::diff::diff;
use crate::run::place;
use crate::run::played::{self, CommittedPath, Recording};
use crate::text::plain::count;
use crate::text::remedy::Problem;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable replay --all --rev main\n          roundtable replay HEAD:docs/requirements/offline-mode/elaborations/01-03-20260220T143000000Z.jsonl\n          roundtable replay talk.jsonl --onto main --script talk.txt\n          roundtable replay roundtable/offline-mode-2 --onto main\n\nExit codes: 0 reproduced; 1 something comes out differently, or a document has lost what was recorded; 2 a recording could not be read, or is refused by --onto.\n\n--all also holds the documents of --rev against every recording: each decision, each open question and every other line that it added must still be there, word for word. Text that was moved, reflowed or ticked is kept. A loss that a file below .roundtable/losses declares is listed with its reason.\n\nA recording is proved by commit (its commit is in the history), by content (the history was rewritten, and the files before and after are the same bytes) or by text (the files before are not there, or were edited in the same commit, and what it renders is in the documents letter by letter).\n\n--onto commits what follows from the recorded messages, after all checks of a discussion. Who said these messages is known only from the comments on GitHub, or from a --script beside the recording; a model's lines are checked against documents, evidence and turns, not against the model."
)]
pub struct ReplayArgs {
    /// Recordings: files, or REV:PATH in the repository; with --onto also a branch, for all that it has
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    recordings: Vec<String>,
    /// Every recording of every item, and today's documents against them
    #[arg(long)]
    all: bool,
    /// The commit whose recordings and documents --all takes [default: HEAD]
    #[arg(long, value_name = "REV", requires = "all")]
    rev: Option<String>,
    #[command(flatten)]
    onto: onto::OntoArgs,
}

/// Runs recordings again.
pub fn run(global: &Global, options: &ReplayArgs, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let replay = Replay::new(repo, Arc::new(Library::built_in()?), global.workspace.own_settings()?);
    if options.onto.is_asked() {
        return onto::land(global, &options.recordings, &options.onto, &replay, screen);
    }
    replay.repo().trust_objects();
    let mut told = Told::begin(screen);
    if options.all {
        all(replay, options.rev.as_deref().unwrap_or("HEAD"), &mut told)?;
    } else {
        for argument in &options.recordings {
            let (name, result) = match played::find(argument, || open(global)) {
                Ok(recording) => (recording.name.clone(), again(&replay, &recording)),
                Err(fail) => (crate::text::plain::shown(argument), Err(fail.into_problem())),
            };
            told.tell(&name, true, result)?;
        }
    }
    told.end(options.all)
}

/// What is kept of a replay: little, since there may be many.
struct Told<'s> {
    screen: &'s Screen,
    /// How many came out the same, differently, could not be read.
    counts: [usize; 3],
    /// How many were proved by commit, content and text.
    proofs: [usize; 3],
    entries: usize,
    /// What the recordings added to documents.
    parts: Vec<Part>,
    documents: Documents,
}

/// One result in short.
struct Verdict {
    commit: Option<Oid>,
    is_committed: bool,
    divergence: Option<Divergence>,
    by: Option<By>,
    moved: Vec<String>,
    turns: u32,
    files: usize,
    /// The discussion waits for its user.
    is_open: bool,
    /// What it added to documents, where those are looked at.
    parts: Vec<Part>,
    misnamed: Option<Lost>,
}

type Outcome = Result<Verdict, Problem>;

fn again(replay: &Replay, recording: &Recording) -> Outcome {
    replay.run(recording, None).map(Verdict::of).map_err(|error| Problem::of(&error))
}

impl Verdict {
    fn of(found: Replayed) -> Verdict {
        let (closed, open) = (found.finished, found.paused);
        let turns = closed.map(|finished| finished.closed.turn_count);
        Verdict {
            is_open: open.is_some(),
            turns: turns.or(open.map(|paused| paused.turn_count)).unwrap_or(0),
            commit: found.commit,
            is_committed: found.is_committed,
            divergence: found.divergence,
            by: found.by,
            moved: found.moved.iter().map(ToString::to_string).collect(),
            files: found.rehearsed.map_or(0, |rehearsed| rehearsed.additive.changes().len()),
            parts: Vec::new(),
            misnamed: None,
        }
    }
}

impl<'s> Told<'s> {
    fn begin(screen: &'s Screen) -> Told<'s> {
        Told {
            screen,
            counts: [0; 3],
            proofs: [0; 3],
            entries: 0,
            parts: Vec::new(),
            documents: Documents::default(),
        }
    }

    /// Tells one result. Of one of many only what is wrong is worth a line.
    fn tell(&mut self, name: &str, is_alone: bool, mut result: Outcome) -> Result<(), Fail> {
        if let Ok(found) = &mut result {
            self.parts.append(&mut found.parts);
            self.documents.lost.extend(found.misnamed.take());
        }
        if let Ok(Verdict { by: Some(by), divergence: None, .. }) = &result {
            self.proofs[*by as usize] += 1;
        }
        let slot = match &result {
            Ok(found) if found.divergence.is_none() => 0,
            Ok(_) => 1,
            Err(_) => 2,
        };
        self.counts[slot] += 1;
        if self.screen.is_json() {
            let start = if self.entries == 0 { "{\"recordings\": [\n" } else { ",\n" };
            self.screen.raw(&format!("{start}  {}", entry(name, &result)))?;
        } else {
            self.say(name, is_alone, &result);
        }
        if let Err(error) = &result {
            let is_named = error.what.starts_with(name);
            let what = if is_named { error.what.clone() } else { format!("{name}: {error}") };
            self.screen.error(&Problem { what, ..error.clone() }.into());
        }
        self.entries += 1;
        Ok(())
    }

    fn say(&self, name: &str, alone: bool, result: &Outcome) {
        let screen = self.screen;
        let Ok(found) = result else { return };
        match &found.divergence {
            None if alone => {
                screen.say_strong(&format!("{name}: reproduced"));
                let commit = found.commit.map(short).unwrap_or_default();
                let stands = match found.by {
                    Some(By::Commit) => format!("commit {commit}"),
                    Some(By::Content) => format!("by content: commit {commit} has the same bytes"),
                    Some(By::Text) => {
                        format!("by text: the documents of commit {commit} have what it renders")
                    }
                    None => format!("commit {commit}, which nothing carries yet; --onto REV commits it"),
                };
                let turns = count(found.turns as usize, "turn");
                let files =
                    if found.files > 0 { format!(", {}", count(found.files, "file")) } else { String::new() };
                let open = if found.is_open { ", open: it waits for its user" } else { "" };
                screen.say(&format!("  {turns}{files}, {stands}{open}"));
            }
            None => {}
            Some(divergence) => say_divergence(name, divergence, screen),
        }
        if alone || found.divergence.is_some() {
            for moved in &found.moved {
                screen.say(&format!("  since it was recorded, {moved}"));
            }
            if !found.moved.is_empty() && found.divergence.is_none() {
                screen.say("  nothing of it shows in the outcome");
            }
        }
    }

    fn end(self, all: bool) -> Result<Code, Fail> {
        let [same, other, unread] = self.counts;
        if self.screen.is_json() {
            let start = if self.entries == 0 { "{\"recordings\": [" } else { "\n" };
            let reproduced = other + unread == 0;
            let documents = match all {
                true => format!(
                    ", \"documents\": {}, \"not_compared\": {}",
                    self.documents.json(),
                    json!(self.documents.uncompared)
                ),
                false => String::new(),
            };
            self.screen.raw(&format!("{start}], \"reproduced\": {reproduced}{documents}}}\n"))?;
        } else if all {
            self.say_all([same, other, unread]);
            self.documents.say(same, other + unread == 0, self.screen);
        }
        Ok(match (other, unread) {
            (_, 1..) => Code::Failed,
            (1.., _) => Code::No,
            _ if !self.documents.is_kept() => Code::No,
            _ => Code::Yes,
        })
    }

    /// What all of them come to.
    fn say_all(&self, [same, other, unread]: [usize; 3]) {
        let logs = self.documents.logs();
        if same + other + unread == 0 {
            self.screen.say_strong(&match logs {
                0 => "Nothing is recorded here yet: 0 recordings".to_owned(),
                _ => format!("0 recordings of discussions, {} of an analysis", count(logs, "log")),
            });
            return;
        }
        self.screen.say_strong(&format!(
            "{}: {same} reproduced, {other} came out differently, {unread} could not be read",
            count(same + other + unread, "recording")
        ));
        let [commit, content, text] = self.proofs;
        if content + text > 0 {
            self.screen.say(&format!("  {commit} by commit, {content} by content, {text} by text"));
        }
    }
}

/// What `--json` prints of a recording.
fn entry(name: &str, result: &Outcome) -> Value {
    match result {
        Ok(found) => json!({
            "path": name,
            "reproduced": found.divergence.is_none(),
            "by": found.by.map(|by| by.to_string()),
            "commit": found.commit.map(|commit| commit.to_string()),
            "committed": found.is_committed,
            "divergence": found.divergence.as_ref().map(divergence),
            "moved": found.moved,
            "open": found.is_open,
        }),
        Err(error) => {
            json!({"path": name, "reproduced": false, "by": null, "commit": null, "divergence": null, "error": error.to_line()})
        }
    }
}

fn divergence(found: &Divergence) -> Value {
    json!({"event": found.event, "what": found.what, "expected": found.expected, "found": found.found})
}

/// The first thing that differs, both sides of it.
fn say_divergence(name: &str, found: &Divergence, screen: &Screen) {
    match found.event {
        Some(event) => screen.say_strong(&format!("{name}: differs at event {event} (line {event})")),
        None => screen.say_strong(&format!("{name}: differs in {}", found.what)),
    }
    if found.event.is_none() && found.what.contains('/') {
        screen.say_diff(&diff(&found.found, &found.expected, "as it is", "as it comes out"));
        return;
    }
    screen.say(&format!("  expected  {}", found.expected));
    screen.say(&format!("  found     {}", found.found));
}

/// A recording below the items folder: its path and its blob.
struct FoundRecording {
    path: String,
    blob: Oid,
}

/// So many recordings are judged before they are told: memory does not grow with their number.
const PART: usize = 512;

/// `--all`: every recording below the items folder at a commit, on all processors, told in order.
fn all(replay: Replay, revision: &str, told: &mut Told<'_>) -> Result<(), Fail> {
    replay.repo().forget_objects();
    let commit = replay.repo().resolve(revision)?;
    let config = replay.config(commit)?;
    let config = replay.repo().with_items(commit, config)?;
    let mut found = Vec::new();
    for folder in config.folders() {
        replay.repo().recordings(commit, folder, &mut |_, path, blob| {
            found.push(FoundRecording { path: path.to_owned(), blob });
            true
        })?;
    }
    if found.is_empty() {
        place::note_nothing(replay.repo(), "recording", revision, told.screen);
    }
    let replay = replay.at(commit)?;
    let held = Held::read(&replay, commit, &config)?;
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut workers = (0..threads).map(|_| replay.again()).collect::<Result<Vec<_>, _>>()?;
    for (part, recordings) in found.chunks(PART).enumerate() {
        told.screen.progress(part * PART, found.len());
        let outcomes = judge_all(&mut workers, recordings, commit, &held.policy);
        for (recording, outcome) in recordings.iter().zip(outcomes) {
            told.tell(&recording.path, false, outcome)?;
        }
    }
    told.screen.progress(found.len(), found.len());
    let parts = std::mem::take(&mut told.parts);
    told.documents.read(&replay, commit, &config, held, parts)
}

/// What a push to the default branch is held against: every recording, with an annotation for what does not fit.
pub fn pushed(global: &Global, screen: &Screen) -> Result<Code, Fail> {
    if screen.is_json() {
        return Ok(Code::Yes);
    }
    let repo = open(global)?;
    let replay = Replay::new(repo, Arc::new(Library::built_in()?), global.workspace.own_settings()?);
    replay.repo().trust_objects();
    let mut told = Told::begin(screen);
    all(replay, "HEAD", &mut told)?;
    told.end(true)
}

/// Judges recordings, each worker its share of them; the outcomes are in the recordings' order.
fn judge_all(workers: &mut [Replay], found: &[FoundRecording], commit: Oid, policy: &Policy) -> Vec<Outcome> {
    let share = found.len().div_ceil(workers.len()).max(1);
    std::thread::scope(|scope| {
        let shares = workers.iter_mut().zip(found.chunks(share));
        let threads: Vec<_> = shares
            .map(|(worker, share)| {
                let judge = move |one| judged(worker, commit, policy, one);
                scope.spawn(move || share.iter().map(judge).collect::<Vec<Outcome>>())
            })
            .collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined
            .flat_map(|outcomes| outcomes.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn judged(replay: &Replay, commit: Oid, policy: &Policy, found: &FoundRecording) -> Outcome {
    let told = |error: Unread| Problem::of(&error);
    let bytes = replay.repo().bytes(found.blob).map_err(|error| told(error.into()))?.to_vec();
    let place = CommittedPath { commit, path: found.path.clone() };
    let recording = Recording { name: found.path.clone(), bytes, place: Some(place.clone()) };
    let replayed = replay.run(&recording, None).map_err(told)?;
    let parts = replay.parts(&place, &replayed, policy).map_err(told)?;
    let misnamed = replayed.finished.as_ref().and_then(|finished| today::misnamed(&found.path, finished));
    Ok(Verdict { parts, misnamed, ..Verdict::of(replayed) })
}
