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
use crate::discussion::event::{Event, Record};
use crate::git::{self, Leftover, Repo, short};
use crate::history::{provenance, site};
use crate::item::library::Library;
use crate::item::step::Step;
use crate::item::{Item, meta};
use crate::run::before;
use crate::run::parted;
use crate::run::place;
use crate::run::settings;
use crate::text::finding::Finding;
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
        collect(&repo, head, folder, &mut found, &mut unread)?;
    }
    let ahead = place::ahead(&repo, head, &config)?;
    for (path, (_, tip)) in &ahead {
        collect(&repo, *tip, path, &mut found, &mut unread)?;
    }
    if let Some(item) = &options.item {
        let (wanted, _) = place::find(&repo, (head, "HEAD"), &ahead, item, &config)?;
        found.retain(|path, _| *path == wanted);
        unread.retain(|finding: &Finding| {
            finding.path.rsplit_once('/').is_some_and(|(path, _)| path == wanted)
        });
        if found.is_empty() && unread.is_empty() {
            return Err(Fail::new(format!("{} is not an item yet", plain::shown(&wanted))).with_hint(
                format!(
                    "its first discussion makes it one: roundtable elaborate {} --script FILE",
                    plain::word(&wanted)
                ),
            ));
        }
    }
    let mut items = Vec::new();
    for (path, item) in &found {
        items.push(entry(path, item, &library)?);
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

/// An item, where it was found.
struct FoundItem {
    item: Item,
    commit: Oid,
    /// Where each open question was asked, and its words.
    open: Vec<(String, String)>,
}

/// Reads the items below a folder of a commit, and finds each that cannot be read.
fn collect(
    repo: &Repo,
    commit: Oid,
    folder: &str,
    found: &mut BTreeMap<String, FoundItem>,
    unread: &mut Vec<Finding>,
) -> Result<(), Fail> {
    for (path, read) in repo.read_items(commit, folder)? {
        let finding = match read.and_then(|item| Ok(item.meta.known_status().map(|()| item)?)) {
            Ok(item) => {
                let open = open_questions(repo, commit, &item)?;
                found.insert(path, FoundItem { item, commit, open });
                continue;
            }
            Err(git::Error::File(finding)) => finding,
            Err(error) => Finding::at(&format!("{path}/{}", meta::FILE), "", 1, 1, error.to_string()),
        };
        unread.push(finding.of_version(&format!("commit {}", short(commit))));
    }
    Ok(())
}

/// The step that comes next, by the steps' own conditions.
fn next_step<'l>(item: &Item, library: &'l Library) -> Result<Option<&'l Step>, Fail> {
    let scan = item.documents().find(|(name, _)| *name == "quick-scan.md").map_or("", |(_, text)| text);
    let (scope, complexity) = depth::stated(scan);
    let facts = Facts { scope, complexity, item: item.path.clone(), ..Facts::default() };
    let (steps, phases) = (item.meta.steps_completed(), item.meta.phases_completed());
    let progress = Progress { steps: &steps, phases: &phases, facts, depths: BTreeMap::new() };
    let plan = plan::plan(&library.steps, &progress).map_err(|error| Fail::new(error.to_string()))?;
    Ok(plan.next.map(|at| &library.steps[at]))
}

fn entry(path: &str, found: &FoundItem, library: &Library) -> Result<Value, Fail> {
    let meta = &found.item.meta;
    let next = next_step(&found.item, library)?;
    Ok(json!({
        "path": path,
        "slug": place::slug(path),
        "analysis_status": meta.analysis_status(),
        "phase": next.map(|step| &step.phase),
        "next_step": next.map(|step| &step.id),
        "steps_completed": meta.steps_completed(),
        "elaborations": meta.elaborations().len(),
        "open_questions": found.open.len(),
    }))
}

/// Where each open question of an item was asked, and its words: what its documents list as open, then what
/// its discussions left open.
fn open_questions(repo: &Repo, commit: Oid, item: &Item) -> Result<Vec<(String, String)>, Fail> {
    let mut open = Vec::new();
    for (name, text) in item.documents() {
        open.extend(data::open_questions(name, text).into_iter().map(|question| (name.to_owned(), question)));
    }
    let (talks, _) = provenance::talks(repo, commit, item)?;
    for (talk, number) in site::open_questions(&talks) {
        let finished = &talks[talk].finished;
        let asked = format!("discussion of {}", finished.opened.step.id);
        open.push((asked, finished.summary.open_questions[number].text.clone()));
    }
    Ok(open)
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
        let steps = count(item.item.meta.steps_completed().len(), "step");
        let talks = count(item.item.meta.elaborations().len(), "discussion");
        let status = plain::shown(&item.item.meta.analysis_status());
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
    screen.say("");
    screen.say_strong(&item.item.name());
    let (done, phases) = (item.item.meta.steps_completed(), item.item.meta.phases_completed());
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
    for name in &item.item.recordings {
        let bytes = repo.file(item.commit, &format!("{path}/elaborations/{name}"))?.unwrap_or_default();
        let last = std::str::from_utf8(&bytes).ok().and_then(|text| text.lines().next_back());
        let last = last.and_then(|line| Record::from_line(line).ok());
        if let Some(Record { event: Event::Paused(paused), .. }) = last {
            let (step, turns) =
                (name.get(..5).unwrap_or_default(), count(paused.turn_count as usize, "turn"));
            screen.say(&format!("  Open: the discussion of step {step} waits for its user, {turns} so far"));
        }
    }
    for record in item.item.meta.elaborations() {
        let field = |key: &str| plain::shown(record.get(key).and_then(Value::as_str).unwrap_or_default());
        screen.say(&format!("  Discussed {}: {}", field("step_id"), field("synthesis_summary")));
    }
    let open = &item.open;
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
