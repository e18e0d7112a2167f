//! `roundtable status`: how far items are, and the discussions that were cut off.

use std::collections::BTreeMap;

use clap::Args;
use git2::Oid;
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, columns, open};
use crate::analysis::artifact::data;
use crate::analysis::plan::{self, Progress};
use crate::analysis::skip::Facts;
use crate::analysis::{depth, phase_name};
use crate::discussion::closing::OpenQuestions;
use crate::discussion::event::{Event, Record};
use crate::discussion::summary::Summary;
use crate::git::{Leftover, Repo, Stored, short};
use crate::item::library::Library;
use crate::item::meta::{Meta, Standing};
use crate::item::step::Step;
use crate::run::before;
use crate::run::parted;
use crate::run::place;
use crate::run::settings;
use crate::text::finding::{Finding, suggestion};
use crate::text::plain::{self, count};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable status\n          roundtable status late-fees\n\nAn item is read on its branch roundtable/<slug> (after a merge roundtable/<slug>-2, -3 …) where that is ahead of HEAD, else at HEAD."
)]
pub struct StatusArgs {
    /// One item: its folder's path, or its slug
    pub(super) item: Option<String>,
    /// Drop the log of a discussion that was cut off: its run's first digits, or all
    #[arg(long, value_name = "RUN")]
    drop: Option<String>,
}

/// Lists items and leftovers, or drops leftovers.
pub fn run(global: &Global, options: &StatusArgs, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    if let Some(run) = &options.drop {
        return drop_leftovers(&repo, run, screen);
    }
    let head = repo.resolve("HEAD")?;
    let config = global.workspace.settings_at(&repo, head)?;
    if global.workspace.config.is_none() {
        before::edited_settings(&repo, head, screen)?;
    }
    let library = settings::library(&repo, head, &config)?;
    let (mut found, mut unread) = (BTreeMap::new(), Vec::new());
    for folder in config.folders() {
        collect(repo.stored_items(head, folder)?, head, &mut found, &mut unread);
    }
    for (path, (_, tip)) in place::ahead(&repo, head, &config)? {
        collect(repo.stored_items(tip, &path)?, tip, &mut found, &mut unread);
    }
    if let Some(item) = &options.item {
        let wanted = place::forward(item);
        let wanted = wanted.trim_start_matches("./").trim_end_matches('/');
        let known: Vec<&str> = found.keys().map(|path| place::slug(path)).collect();
        let near = suggestion(wanted, &known);
        let kept: Vec<String> = found
            .keys()
            .filter(|path| path.as_str() == wanted || place::slug(path) == wanted)
            .cloned()
            .collect();
        unread.retain(|finding: &Finding| {
            finding
                .path
                .rsplit_once('/')
                .is_some_and(|(path, _)| path == wanted || place::slug(path) == wanted)
        });
        if kept.is_empty() && unread.is_empty() {
            let hint = near.unwrap_or_else(|| "`roundtable status` lists the items".to_owned());
            return Err(Fail::new(format!("no item {}", plain::shown(wanted))).with_hint(hint));
        }
        found.retain(|path, _| kept.contains(path));
    }
    let mut items = Vec::new();
    for (path, item) in &found {
        items.push(entry(path, item, &library, &repo)?);
    }
    let leftovers = repo.leftovers();
    if !found.is_empty() || unread.is_empty() {
        say(&found, &items, screen);
    }
    if options.item.is_some() {
        for ((path, item), entry) in found.iter().zip(&items) {
            page(path, item, entry, &library, &repo, screen)?;
        }
    }
    say_leftovers(&leftovers, screen);
    say_parted(&repo, head, &found, screen)?;
    // The others are listed: one that cannot be read hides none.
    if let Some(finding) = Finding::all(unread) {
        return Err(finding.into());
    }
    let leftovers: Vec<Value> = leftovers.iter().map(leftover).collect();
    screen.json(&json!({"items": items, "leftovers": leftovers}));
    Ok(Code::Yes)
}

/// How the line of a recording's synthesis begins, and how many lines from the end it is looked for: only what
/// was criticised and the end come after it.
const SYNTHESIS: &str = "{\"kind\":\"synthesis\"";
const MOST_AFTER: usize = 1_000;
/// How the line of a user's message begins.
const USER: &str = "{\"kind\":\"user\"";

/// An item, where it was found.
struct FoundItem {
    meta: Meta,
    commit: Oid,
    scan: Option<Oid>,
    documents: Vec<(String, Oid)>,
    recordings: Vec<(String, Oid)>,
}

/// Reads the items that a commit holds, and finds each meta.json that cannot be read.
fn collect(
    stored: Vec<Stored>,
    commit: Oid,
    found: &mut BTreeMap<String, FoundItem>,
    unread: &mut Vec<Finding>,
) {
    for item in stored {
        let at = format!("{}/{}", item.path, crate::item::meta::FILE);
        let read = Meta::read(&at, &item.meta);
        match read.and_then(|meta| meta.known_status().map(|()| meta)) {
            Ok(meta) => {
                let Stored { path, scan, documents, recordings, .. } = item;
                found.insert(path, FoundItem { meta, commit, scan, documents, recordings });
            }
            Err(finding) => unread.push(finding.of_version(&format!("commit {}", short(commit)))),
        }
    }
}

/// How far an item is. What `skip_if` leaves out is asked only in a phase that has such a step.
fn standing(path: &str, item: &FoundItem, library: &Library, repo: &Repo) -> Result<Standing, Fail> {
    let meta = &item.meta;
    let stands = meta.standing(library.steps.iter().map(|step| (step.phase.as_str(), step.id.as_str())));
    let of_phase = |step: &&Step| Some(&step.phase) == stands.phase.as_ref();
    let is_plain = |step: &Step| step.skip_if.is_empty() && step.depends_on.is_empty();
    if library.steps.iter().filter(of_phase).all(is_plain) {
        return Ok(stands);
    }
    let asks = library.steps.iter().filter(of_phase).any(|step| !step.skip_if.is_empty());
    let scan = match item.scan.filter(|_| asks) {
        Some(scan) => repo.bytes(scan)?,
        None => Vec::new(),
    };
    let (scope, complexity) = depth::stated(&String::from_utf8_lossy(&scan));
    let facts = Facts { scope, complexity, item: path.to_owned(), ..Facts::default() };
    let (steps, phases) = (meta.steps_completed(), meta.phases_completed());
    let progress = Progress { steps: &steps, phases: &phases, facts, depths: BTreeMap::new() };
    let next = plan::plan(&library.steps, &progress).map_err(|error| Fail::new(error.to_string()))?.next;
    let next = next.map(|at| &library.steps[at]);
    Ok(Standing { phase: next.map(|step| step.phase.clone()), next_step: next.map(|step| step.id.clone()) })
}

fn entry(path: &str, item: &FoundItem, library: &Library, repo: &Repo) -> Result<Value, Fail> {
    let meta = &item.meta;
    let open = open_questions(repo, item)?;
    let stands = standing(path, item, library, repo)?;
    Ok(json!({
        "path": path,
        "slug": place::slug(path),
        "analysis_status": meta.analysis_status(),
        "phase": stands.phase,
        "next_step": stands.next_step,
        "steps_completed": meta.steps_completed(),
        "elaborations": meta.elaborations().len(),
        "open_questions": open.len(),
    }))
}

/// Where each open question of an item was asked, and its words: what its documents list as open, then what
/// its discussions left open.
fn open_questions(repo: &Repo, item: &FoundItem) -> Result<Vec<(String, String)>, Fail> {
    let mut open = Vec::new();
    for (name, id) in &item.documents {
        let bytes = repo.bytes(*id)?;
        let listed = data::open_questions(name, std::str::from_utf8(&bytes).unwrap_or_default());
        open.extend(listed.into_iter().map(|question| (name.clone(), question)));
    }
    let mut recordings: Vec<&(String, Oid)> = item.recordings.iter().collect();
    // By the digits of their times.
    recordings.sort_by_key(|(name, _)| name.get(6..));
    let (mut left_open, mut talks) = (OpenQuestions::default(), Vec::new());
    for (name, id) in recordings {
        let bytes = repo.bytes(*id)?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let Some(summary) = synthesis(text) else { continue };
        let said = if summary.decisions.is_empty() { BTreeMap::new() } else { messages(text) };
        let last = |turns: &[u32]| turns.last().and_then(|turn| said.get(turn)).map_or("", String::as_str);
        left_open.add(talks.len(), &summary, last);
        talks.push((name, summary));
    }
    for (talk, number) in left_open.places() {
        let (name, summary) = &talks[talk];
        let asked = format!("discussion of {}", name.get(..5).unwrap_or_default());
        open.push((asked, summary.open_questions[number].text.clone()));
    }
    Ok(open)
}

/// The synthesis of a recording.
fn synthesis(text: &str) -> Option<Summary> {
    let line = text.lines().rev().take(MOST_AFTER).find(|line| line.starts_with(SYNTHESIS))?;
    match Record::from_line(line) {
        Ok(Record { event: Event::Synthesis(summary), .. }) => Some(summary),
        _ => None,
    }
}

/// What users said in a recording, by turn.
fn messages(text: &str) -> BTreeMap<u32, String> {
    let read = |line: &str| match Record::from_line(line).ok()?.event {
        Event::User(message) => Some((message.turn?, message.text)),
        _ => None,
    };
    text.lines().filter(|line| line.starts_with(USER)).filter_map(read).collect()
}

fn word<'v>(entry: &'v Value, key: &str) -> &'v str {
    entry[key].as_str().unwrap_or_default()
}

fn say(found: &BTreeMap<String, FoundItem>, items: &[Value], screen: &Screen) {
    if found.is_empty() {
        screen.say(
            "No items yet: the first discussion makes one (roundtable elaborate DOCUMENT --script FILE).",
        );
        return;
    }
    let row = |((path, item), entry): ((&String, &FoundItem), &Value)| {
        let next = entry["next_step"].as_str().map_or("complete".to_owned(), |step| format!("next {step}"));
        let steps = count(item.meta.steps_completed().len(), "step");
        let talks = count(item.meta.elaborations().len(), "discussion");
        let status = plain::shown(&item.meta.analysis_status());
        vec![plain::shown(path), status, next, format!("{steps} done, {talks}")]
    };
    let rows: Vec<Vec<String>> = found.iter().zip(items).map(row).collect();
    for line in columns::lines(&rows) {
        screen.say(&line);
    }
}

/// One item, for people: its phases, its discussions, what is open.
fn page(
    path: &str,
    item: &FoundItem,
    entry: &Value,
    library: &Library,
    repo: &Repo,
    screen: &Screen,
) -> Result<(), Fail> {
    /// As many open questions are listed.
    const MOST: usize = 20;
    let read = repo.item(item.commit, path)?;
    screen.say("");
    screen.say_strong(&read.name());
    let (done, phases) = (item.meta.steps_completed(), item.meta.phases_completed());
    let mut of_library: Vec<&str> = library.steps.iter().map(|step| step.phase.as_str()).collect();
    of_library.dedup();
    for phase in of_library {
        let steps = || library.steps.iter().filter(|step| step.phase == phase);
        let mark = if phases.iter().any(|known| known == phase) { "x" } else { " " };
        let finished = steps().filter(|step| done.contains(&step.id)).count();
        screen.say(&format!(
            "  [{mark}] {:16} {finished} of {}",
            phase_name(phase),
            count(steps().count(), "step")
        ));
    }
    if let Ok(next) = library.step(word(entry, "next_step")) {
        screen.say(&format!("  Next: step {} ({}), {}", next.id, next.title, phase_name(&next.phase)));
    }
    for name in &read.recordings {
        let bytes = repo.file(item.commit, &format!("{path}/elaborations/{name}"))?.unwrap_or_default();
        let last = std::str::from_utf8(&bytes).ok().and_then(|text| text.lines().next_back());
        let last = last.and_then(|line| Record::from_line(line).ok());
        if let Some(Record { event: Event::Paused(paused), .. }) = last {
            let (step, turns) =
                (name.get(..5).unwrap_or_default(), count(paused.turn_count as usize, "turn"));
            screen.say(&format!("  Open: the discussion of step {step} waits for its user, {turns} so far"));
        }
    }
    for record in item.meta.elaborations() {
        let field = |key: &str| plain::shown(record.get(key).and_then(Value::as_str).unwrap_or_default());
        screen.say(&format!("  Discussed {}: {}", field("step_id"), field("synthesis_summary")));
    }
    let open = open_questions(repo, item)?;
    if !open.is_empty() {
        screen.say(&format!("  {} open:", count(open.len(), "question")));
    }
    for (name, question) in open.iter().take(MOST) {
        screen.say(&format!("    {}: {}", plain::shown(name), plain::shown(question)));
    }
    if open.len() > MOST {
        screen.say(&format!("    and {} more", open.len() - MOST));
    }
    Ok(())
}

fn say_leftovers(leftovers: &[Leftover], screen: &Screen) {
    if leftovers.is_empty() {
        return;
    }
    screen
        .say("\nCut off; `roundtable elaborate … --resume` goes on, `roundtable status --drop RUN` forgets:");
    for left in leftovers {
        let what = left.opened().map_or("nothing in it".to_owned(), |opened| {
            let at = left.log.first().map(|first| first.at.to_string()).unwrap_or_default();
            format!(
                "{} step {}, begun {at}, {}",
                plain::shown(&opened.item),
                plain::shown(&opened.step.id),
                count(turns(left), "turn")
            )
        });
        screen.say(&format!("  {}  {what}", plain::cut(&plain::shown(&left.run), 32)));
    }
}

/// Says which branches have discussions of these items that git cannot merge any more.
fn say_parted(
    repo: &Repo,
    head: Oid,
    found: &BTreeMap<String, FoundItem>,
    screen: &Screen,
) -> Result<(), Fail> {
    for branch in repo.branches("roundtable/")? {
        let Some(tip) = repo.tip(&branch)? else { continue };
        let notes = parted::notes(repo, ("HEAD", head), (&branch, tip))?;
        let is_asked = |note: &&String| found.keys().any(|item| note.contains(item.as_str()));
        notes.iter().filter(is_asked).for_each(|note| screen.warn(note));
    }
    Ok(())
}

fn turns(left: &Leftover) -> usize {
    let is_turn = |event: &Event| match event {
        Event::Contribution(_) => true,
        Event::User(message) => message.turn.is_some(),
        _ => false,
    };
    left.log.iter().filter(|record| is_turn(&record.event)).count()
}

fn leftover(left: &Leftover) -> Value {
    let opened = left.opened();
    json!({
        "run": plain::shown(&left.run),
        "item": opened.map(|opened| plain::shown(&opened.item)),
        "step_id": opened.map(|opened| plain::shown(&opened.step.id)),
        "branch": opened.map(|opened| plain::shown(&opened.branch)),
        "begun": left.log.first().map(|first| first.at.to_string()),
        "turns": turns(left),
    })
}

fn drop_leftovers(repo: &Repo, run: &str, screen: &Screen) -> Result<Code, Fail> {
    let wanted: Vec<Leftover> = repo
        .leftovers()
        .into_iter()
        .filter(|left| run == "all" || !run.is_empty() && left.run.starts_with(run))
        .collect();
    if wanted.is_empty() && run != "all" {
        return Err(Fail::new(format!("no discussion that was cut off has the run {}", plain::shown(run)))
            .with_hint("`roundtable status` lists them"));
    }
    if wanted.len() > 1 && run != "all" {
        return Err(Fail::new(format!("{} begins {} runs", plain::shown(run), wanted.len()))
            .with_hint("give more of its digits, or `all`"));
    }
    for left in &wanted {
        let gone = repo.drop_pending(&left.run);
        gone.map_err(|error| Fail::new(format!("{} cannot be removed: {error}", left.path.display())))?;
        screen.say(&format!("Dropped {}.", plain::shown(&left.run)));
    }
    let runs: Vec<String> = wanted.iter().map(|left| plain::shown(&left.run)).collect();
    screen.json(&json!({"dropped": runs}));
    Ok(Code::Yes)
}
