//! `roundtable status`: where items stand, and the discussions that were cut off.

use std::collections::BTreeMap;

use clap::Args;
use git2::Oid;
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open, table};
use crate::discussion::event::Event;
use crate::item::meta::{Meta, Standing};
use crate::library::Library;
use crate::plain::{self, count};
use crate::repo::{Leftover, Repo};

#[derive(Debug, Args)]
#[command(
    after_help = "An item is read on its branch roundtable/<slug> where that is ahead of HEAD, else at HEAD."
)]
pub struct Options {
    /// One item: its folder's path, or its slug
    item: Option<String>,
    /// Drop the log of a discussion that was cut off: its run's first digits, or all
    #[arg(long, value_name = "RUN")]
    drop: Option<String>,
}

/// Lists items and leftovers, or drops leftovers.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    if let Some(run) = &options.drop {
        return drop_leftovers(&repo, run, screen);
    }
    let head = repo.resolve("HEAD")?;
    let config = table::config(global, &repo, head)?;
    let library = table::BuiltIn::begin().library(&repo, head, &config)?;
    let mut found = BTreeMap::new();
    collect(&repo, head, config.items(), &mut found)?;
    for branch in repo.branches("roundtable/")? {
        let Some(tip) = repo.tip(&branch)?.filter(|_| repo.is_ahead(&branch, head)) else { continue };
        let slug = table::slug(&branch).to_owned();
        let mut there = BTreeMap::new();
        collect(&repo, tip, config.items(), &mut there)?;
        found.extend(there.into_iter().filter(|(path, _)| table::slug(path) == slug));
    }
    if let Some(item) = &options.item {
        let wanted = item.trim_start_matches("./").trim_end_matches('/');
        let known: Vec<&str> = found.keys().map(|path| table::slug(path)).collect();
        let hint = crate::finding::did_you_mean(wanted, &known);
        let kept: Vec<String> = found
            .keys()
            .filter(|path| path.as_str() == wanted || table::slug(path) == wanted)
            .cloned()
            .collect();
        if kept.is_empty() {
            return Err(Fail::new(format!("no item {}{hint}", plain::shown(wanted))));
        }
        found.retain(|path, _| kept.contains(path));
    }
    let items: Vec<Value> = found.iter().map(|(path, meta)| entry(path, meta, &library)).collect();
    let leftovers = repo.leftovers();
    say(&found, &library, screen);
    say_leftovers(&leftovers, screen);
    let leftovers: Vec<Value> = leftovers.iter().map(leftover).collect();
    screen.json(&json!({"items": items, "leftovers": leftovers}));
    Ok(Code::Yes)
}

/// The items of a commit, by their paths; a meta.json that cannot be read is an error.
fn collect(repo: &Repo, commit: Oid, items: &str, found: &mut BTreeMap<String, Meta>) -> Result<(), Fail> {
    for path in repo.items(commit, items)? {
        let at = format!("{path}/{}", crate::item::meta::FILE);
        let bytes = repo.file(commit, &at)?.unwrap_or_default();
        found.insert(path, Meta::read(&at, &bytes)?);
    }
    Ok(())
}

fn standing(meta: &Meta, library: &Library) -> Standing {
    meta.standing(library.steps.iter().map(|step| (step.phase.as_str(), step.id.as_str())))
}

fn entry(path: &str, meta: &Meta, library: &Library) -> Value {
    let stands = standing(meta, library);
    json!({
        "path": path,
        "slug": table::slug(path),
        "analysis_status": meta.analysis_status(),
        "phase": stands.phase,
        "next_step": stands.next_step,
        "steps_completed": meta.steps_completed(),
        "elaborations": meta.elaborations().len(),
    })
}

fn say(found: &BTreeMap<String, Meta>, library: &Library, screen: &Screen) {
    if found.is_empty() {
        screen.say("No items yet; `roundtable add SLUG --name TEXT` makes one.");
        return;
    }
    let width = found.keys().map(|path| path.chars().count()).max().unwrap_or(0).min(60);
    for (path, meta) in found {
        let stands = standing(meta, library);
        let next = stands.next_step.map_or("complete".to_owned(), |step| format!("next {step}"));
        let steps = count(meta.steps_completed().len(), "step");
        let talks = count(meta.elaborations().len(), "discussion");
        let status = plain::shown(&meta.analysis_status());
        screen.say(&format!("{:width$}  {status:8}  {next:10}  {steps} done, {talks}", plain::shown(path)));
    }
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
        return Err(Fail::new(format!(
            "no discussion that was cut off has the run {}; `roundtable status` lists them",
            plain::shown(run)
        )));
    }
    if wanted.len() > 1 && run != "all" {
        return Err(Fail::new(format!(
            "{} begins {} runs; give more of its digits, or `all`",
            plain::shown(run),
            wanted.len()
        )));
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
