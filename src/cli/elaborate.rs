//! `roundtable elaborate`: one discussion, from a script to a commit.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use clap::Args;
use git2::Oid;
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::landed::{announce, artifacts, unified};
use super::resume::{Log, begun, catch_up, gone_on};
use super::screen::Screen;
use super::{Clock, Global, nanoseconds, now, open, read_file, table};
use crate::config::Config;
use crate::discussion::event::{Author, Event, FORMAT, Opened, Record, StepRef, Time, to_lines};
use crate::discussion::{Discussion, Finished, Refused};
use crate::item::Item;
use crate::item::path::OutputPath;
use crate::landing::{self, Landing};
use crate::library::{Library, sha256};
use crate::repo::{self, Leftover, Repo, short};
use crate::script::{self, Script};
use crate::session::hold;
use crate::step::Step;
use crate::synthesis::{self, Outcome};
use crate::voice::evidence::{Evidence, Mentions, search_words};
use crate::voice::offline::{self, Offline};

/// The turn limit where nothing says another (AC-007-03).
const DEFAULT_TURNS: u32 = 10;

#[derive(Debug, Args)]
#[command(after_help = "Example: roundtable elaborate offline-mode --step 01-03 --script talk.txt")]
pub struct Options {
    /// The item: its folder's path in the repository, or its slug
    item: String,
    /// The step to discuss
    #[arg(long, value_name = "NN-NN")]
    step: String,
    /// What the user says: .txt (a message a line), .yaml or .json; - is standard input
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    /// The branch to commit on [default: roundtable/<slug>]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Where a new branch starts [default: HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Who speaks [default: offline]
    #[arg(long, value_name = "VOICE")]
    voice: Option<String>,
    /// The turn limit, at least 3 [default: the item's, else 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=100_000))]
    max_turns: Option<u32>,
    #[command(flatten)]
    clock: Clock,
    /// Print the diff and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write the recording to this file and commit nothing
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    out: Option<PathBuf>,
    /// Go on with the discussion of this item and step that was cut off
    #[arg(long, conflicts_with = "dry_run")]
    resume: bool,
}

/// Everything a run starts from.
struct Setup {
    repo: Repo,
    library: Library,
    item: Item,
    script: Script,
    opened: Opened,
    base: Oid,
    fixed: Option<Time>,
    /// The branch exists already.
    exists: bool,
    /// The events of a run that was cut off, to go on from.
    begun: Vec<Record>,
    /// Where the repository mentions the item's subject; taken when the discussion begins.
    mentions: Cell<Option<Search>>,
}

/// Holds one discussion and lands it.
pub fn run(global: &Global, options: Options, screen: &Screen) -> Result<Code, Fail> {
    let setup = set_up(global, &options, screen)?;
    let step = setup.library.step(&setup.opened.step.id)?;
    if let Some(fixed) = setup.fixed.filter(|_| setup.exists && options.out.is_none() && !options.dry_run) {
        let item = &setup.item;
        if let Some(path) =
            landing::recorded(&setup.repo, setup.base, item, &step.id, fixed, &setup.opened.run)?
        {
            // A run that was killed behind its commit may have left something to clear.
            setup.repo.lock()?;
            let _ = setup.repo.drop_pending(&setup.opened.run);
            return already_recorded(&setup, setup.base, &path, screen);
        }
    }
    let mut log = match options.dry_run {
        true => Log::none(),
        false => Log::begin(&setup.repo, &setup.opened.run, &setup.begun, screen),
    };
    let done = discuss(&setup, step, &mut log, screen).and_then(|finished| {
        screen.say(&format!("\n{}", synthesis::summary_text(&finished, &setup.library)?));
        if let Some(path) = &options.out {
            return keep(&setup, &finished, path, screen);
        }
        if options.dry_run {
            return rehearse(&setup, &finished, screen);
        }
        screen.check().map_err(Fail::new)?;
        land(&setup, &finished, screen)
    });
    log.end(&setup.opened.voice, done.is_ok(), &setup.begun, screen);
    done
}

/// Commits the discussion and says where it is.
fn land(setup: &Setup, finished: &Finished, screen: &Screen) -> Result<Code, Fail> {
    match landing::land(&setup.repo, &setup.library, finished, setup.base, &setup.item)? {
        Landing::Recorded { commit, recording } => already_recorded(setup, commit, &recording, screen),
        Landing::Done(landed) => {
            announce(&landed.outcome, screen);
            let branch = &setup.opened.branch;
            screen.say_strong(&format!("\nCommitted {} on {branch}.", short(landed.commit)));
            screen.say(&format!("See it with: git show {branch}"));
            let mut report = report(setup, finished, &landed.outcome);
            report["base"] = json!(landed.parent.to_string());
            report["commit"] = json!(landed.commit.to_string());
            screen.json(&report);
            // Too late to change nothing: then the error says what stands.
            let stands = |message| {
                Fail::new(format!("{message}; the commit {} on {branch} stands", short(landed.commit)))
            };
            screen.check().map_err(stands)?;
            Ok(Code::Yes)
        }
    }
}

fn set_up(global: &Global, options: &Options, screen: &Screen) -> Result<Setup, Fail> {
    let built_in = table::BuiltIn::begin();
    let repo = open(global)?;
    let place = table::place(&repo, &options.item, options.branch.as_deref(), options.base.as_deref())?;
    if place.exists && options.base.is_some() {
        screen.note(&format!(
            "the branch {} exists; --base says where a new one starts and is not used",
            place.branch
        ));
    }
    let config = table::config(global, &repo, place.base)?;
    let voice =
        options.voice.clone().or_else(|| config.voice.clone()).unwrap_or_else(|| offline::NAME.to_owned());
    if voice != offline::NAME {
        let voice = crate::plain::shown(&voice);
        return Err(Fail::new(format!(
            "the voice \"{voice}\" is not built yet; use --voice {}",
            offline::NAME
        )));
    }
    let path = repo.find_item(place.base, &options.item, config.items())?;
    let fixed = options.clock.fixed()?;
    let left =
        options.resume.then(|| begun(&repo, &path, &options.step, &place.branch, fixed, screen)).flatten();
    // What was begun goes on where it began, wherever the branch is by now.
    let base = match left.as_ref().and_then(Leftover::opened) {
        Some(opened) => repo.resolve(&opened.base)?,
        None => place.base,
    };
    let config = if base == place.base { config } else { table::config(global, &repo, base)? };
    let item = repo.item(base, &path)?;
    let mentions = search(&repo, base, &item);
    let library = built_in.library(&repo, base, &config)?;
    let step = library.step(&options.step)?;
    for output in &step.outputs {
        OutputPath::parse(output)
            .map_err(|refused| Fail::new(format!("step {} ({}): {refused}", step.id, step.path)))?;
    }
    let (lead, known) = library.cast.lead(&step.phase);
    if !known {
        screen
            .warn(&format!("nobody leads the phase \"{}\"; {} leads this discussion", step.phase, lead.name));
    }
    let script = read_script(&options.script)?;
    for note in &script.notes {
        screen.note(note);
    }
    let max_turns =
        options.max_turns.or_else(|| item.meta.max_turns()).or(config.max_turns).unwrap_or(DEFAULT_TURNS);
    let digests = library.digests(step);
    let run = run_id(&item, step, &script, max_turns, &digests, &config, fixed);
    let opened = Opened {
        format: FORMAT,
        item: item.path.clone(),
        item_name: item.name(),
        step: StepRef {
            id: step.id.clone(),
            title: step.title.clone(),
            phase: step.phase.clone(),
            outputs: step.outputs.clone(),
        },
        lead: lead.key.clone(),
        max_turns,
        base: base.to_string(),
        branch: place.branch,
        voice,
        model: None,
        user: script.user.clone().unwrap_or_else(|| "User".to_owned()),
        digests,
        author: author(),
        run,
    };
    let begun = left.map(|left| left.log).unwrap_or_default();
    let opened = match begun.first().map(|first| &first.event) {
        Some(Event::Opened(begun)) => gone_on(&opened, begun)?,
        _ => opened,
    };
    Ok(Setup { repo, library, item, script, opened, base, fixed, exists: place.exists, begun, mentions })
}

/// Who commits: roundtable itself, on every machine alike, so that the same run is the same
/// commit wherever it is made.
pub fn author() -> Author {
    Author { name: "roundtable".to_owned(), email: "roundtable@localhost".to_owned() }
}

/// Reads the script; `-` is standard input.
fn read_script(path: &Path) -> Result<Script, Fail> {
    let limit = script::LARGEST as u64;
    if path == Path::new("-") {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
        return Ok(Script::read("-", &bytes)?);
    }
    Ok(Script::read(&crate::plain::shown(&path.display().to_string()), &read_file(path, limit)?)?)
}

/// The run id: a digest of item, step, inputs, configuration, voice and clock. Without a fixed
/// clock every run is its own.
fn run_id(
    item: &Item,
    step: &Step,
    script: &Script,
    max_turns: u32,
    digests: &BTreeMap<String, String>,
    config: &Config,
    fixed: Option<Time>,
) -> String {
    let inputs: Vec<Value> = script
        .inputs()
        .map(|input| {
            input
                .map_or(Value::Null, |input| json!([input.text, input.by, input.at.map(|at| at.to_string())]))
        })
        .collect();
    let clock = match fixed {
        Some(at) => json!(at.to_string()),
        None => json!([nanoseconds().to_string(), std::process::id()]),
    };
    let all = json!([
        item.path,
        step.id,
        script.user,
        inputs,
        max_turns,
        digests,
        config.items(),
        offline::NAME,
        clock
    ]);
    sha256(all.to_string().as_bytes())[..32].to_owned()
}

type Search = JoinHandle<Result<Mentions, repo::Error>>;

/// Looks for the item's subject in the repository, beside everything else that is to be read.
fn search(repo: &Repo, base: Oid, item: &Item) -> Cell<Option<Search>> {
    let (place, own, words) = (repo.path().to_owned(), item.path.clone(), search_words(&item.name()));
    let look = move || Repo::open(&place).and_then(|repo| repo.mentions(base, &words, &own));
    Cell::new(Some(std::thread::spawn(look)))
}

/// Holds the discussion, told line by line.
fn discuss(setup: &Setup, step: &Step, log: &mut Log, screen: &Screen) -> Result<Finished, Fail> {
    let clock = || setup.fixed.unwrap_or_else(now);
    let mut talk = if setup.begun.is_empty() {
        let first = Record { at: clock(), event: Event::Opened(Box::new(setup.opened.clone())) };
        log.append(&first, screen);
        Discussion::open(&setup.library, step, first)?
    } else {
        let gone = |refused: Refused| {
            Fail::new(format!(
                "--resume: the log of run {} cannot be gone on with: {refused}",
                setup.opened.run
            ))
        };
        Discussion::replay(&setup.library, step, &setup.begun).map_err(gone)?
    };
    let depth = setup.item.meta.depth(&step.phase).unwrap_or(step.depth);
    screen.say(&talk.introduction()?);
    let mut evidence = Evidence::new(setup.item.documents(), &step.outputs);
    let found = setup.mentions.take().and_then(|search| search.join().ok());
    evidence.mentions = found.unwrap_or_else(|| Ok(Mentions::default()))?;
    let mut stand_in = Offline::new(evidence, depth);
    let cast = &setup.library.cast;
    let mut script = setup.script.clone();
    for record in &setup.begun {
        screen.say_record(record, cast);
    }
    catch_up(&mut script, &setup.begun)?;
    let mut tell = |record: &Record| {
        log.append(record, screen);
        screen.say_record(record, cast);
        screen.check()
    };
    hold(&mut talk, None, &mut stand_in, &mut script, &clock, &mut tell)?;
    talk.finish().ok_or_else(|| Fail::new("the discussion did not come to its end"))
}

/// `--dry-run`: the same change, verified, and shown instead of committed.
fn rehearse(setup: &Setup, finished: &Finished, screen: &Screen) -> Result<Code, Fail> {
    let (outcome, additive) = landing::place(&setup.item, finished, &setup.library)?;
    let diff: String = additive.changes().iter().map(unified).collect();
    screen.say("");
    screen.say_diff(&diff);
    announce(&outcome, screen);
    screen.say("\nNothing was written (--dry-run).");
    let mut report = report(setup, finished, &outcome);
    report["diff"] = json!(diff);
    screen.json(&report);
    Ok(Code::Yes)
}

/// `--out`: the recording goes to a file of the user's, and nothing is committed.
fn keep(setup: &Setup, finished: &Finished, path: &Path, screen: &Screen) -> Result<Code, Fail> {
    let (outcome, _) = landing::place(&setup.item, finished, &setup.library)?;
    screen.check().map_err(Fail::new)?;
    let shown = crate::plain::shown(&path.display().to_string());
    write_whole(path, to_lines(&finished.log).as_bytes())
        .map_err(|error| Fail::new(format!("{shown} cannot be written: {error}")))?;
    screen.say_strong(&format!("\nRecorded in {shown}; nothing was committed."));
    screen.json(&report(setup, finished, &outcome));
    Ok(Code::Yes)
}

/// Writes a file whole or not at all.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    if path.is_dir() {
        return Err(std::io::Error::other("it is a folder"));
    }
    // A device or a pipe takes the bytes as they are: there is nothing to put in its place.
    if path.exists() && !path.metadata()?.is_file() {
        return std::fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let mut name = path.file_name().ok_or_else(|| std::io::Error::other("it names no file"))?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = std::fs::File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| std::fs::rename(&beside, path));
    if moved.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    moved
}

fn already_recorded(setup: &Setup, commit: Oid, recording: &str, screen: &Screen) -> Result<Code, Fail> {
    let branch = &setup.opened.branch;
    let bytes = setup.repo.file(commit, recording)?.unwrap_or_default();
    let log = crate::discussion::event::from_lines(recording, crate::json::utf8(recording, &bytes)?)?;
    let step = setup.library.step(&setup.opened.step.id)?;
    let finished = Discussion::replay(&setup.library, step, &log)?.finish();
    let finished = finished.ok_or_else(|| Fail::new(format!("{recording} has no end")))?;
    screen.say(&format!("Already recorded: {branch} carries this run in {recording}. Nothing was changed."));
    let outcome = Outcome::nothing(recording);
    let mut report = report(setup, &finished, &outcome);
    report["base"] = json!(finished.opened.base);
    report["commit"] = json!(setup.repo.brought(commit, recording)?.to_string());
    report["already_recorded"] = json!(true);
    screen.json(&report);
    Ok(Code::Yes)
}

/// What `--json` prints (contract, section 2).
fn report(setup: &Setup, finished: &Finished, outcome: &Outcome) -> Value {
    let opened = &finished.opened;
    let left: Vec<Value> =
        outcome.left.iter().map(|left| json!({"path": left.path, "reason": left.reason})).collect();
    json!({
        "item": opened.item,
        "step_id": opened.step.id,
        "branch": setup.opened.branch,
        "base": setup.base.to_string(),
        "commit": null,
        "exit": finished.closed.exit,
        "turn_count": finished.closed.turn_count,
        "max_turns": opened.max_turns,
        "lead": opened.lead,
        "voice": opened.voice,
        "artifacts": artifacts(outcome),
        "left": left,
        "recording": outcome.recording,
        "run": opened.run,
        "already_recorded": false,
        "synthesis_summary": finished.summary.summary,
        "usage": {"requests": 0, "input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0},
    })
}
