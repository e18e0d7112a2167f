//! What an earlier run of the same id has left on the branch: with a fixed clock the same run, repeated,
//! goes on where it was cut off. Only commit messages are read for it.

use std::collections::{BTreeMap, BTreeSet};

use git2::Oid;

use super::talk::{read_talk, talk_run};
use super::{WalkError, WalkSetup, Walked, facts};
use crate::analysis::event::{Event, Opened, Record};
use crate::analysis::{Analysis, Stopped};
use crate::git::{Error, trailers};
use crate::run::landing;
use crate::run::{Held, Landed, Talk};
use crate::synthesis::Outcome;
use crate::voice::model::Meter;

/// Commits of a branch that are looked at to find where it was cut off.
const MOST: usize = 2_000;
/// Discussions of one step that are told to be a run's own.
const TALKS: usize = 256;

/// What an earlier run of the same id has left on the branch.
#[derive(Default)]
pub(super) struct Earlier {
    /// Its commits, the oldest first.
    pub(super) commits: Vec<Oid>,
    /// The last step it landed, and how much it had heard by then.
    pub(super) at: Option<(String, (usize, usize))>,
    /// The steps that it landed.
    pub(super) steps: BTreeSet<String>,
    /// How many discussions of that step it had held by then.
    pub(super) talks_before: usize,
    /// Another run of the analysis has gone on since.
    pub(super) is_outrun: bool,
    /// The discussions among them: the commit, the step, the discussion's run.
    pub(super) talks: Vec<(Oid, String, String)>,
}

/// Looks for commits of this run along the branch's first parents; those of others are passed over.
pub(super) fn earlier(setup: &WalkSetup<'_>) -> Result<Earlier, Error> {
    commits_of_run(setup, setup.base, None)
}

/// Whether a copy of this run, and no other run, has brought the branch from one commit to another.
pub(super) fn same_run(setup: &WalkSetup<'_>, from: Oid, tip: Oid) -> Result<bool, Error> {
    let found = commits_of_run(setup, tip, Some(from))?;
    Ok(!found.commits.is_empty() && !found.is_outrun)
}

/// The commits of this run from a tip down to a commit, which is not looked at any more.
fn commits_of_run(setup: &WalkSetup<'_>, tip: Oid, until: Option<Oid>) -> Result<Earlier, Error> {
    let mut found = Earlier::default();
    let mut talk_runs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut at = tip;
    for _ in 0..MOST {
        if Some(at) == until {
            break;
        }
        let message = setup.repo.message_of(at)?;
        let trailers = trailers(&message);
        let get = |name: &str| trailers.get(name).map(String::as_str).unwrap_or_default();
        let is_item = get("Item") == setup.item.path;
        let (run, step) = (get("Run"), get("Step"));
        let is_talk = is_item && !get("Recording").is_empty() && {
            let all = || (0..TALKS).map(|number| talk_run(&setup.run, step, number)).collect();
            talk_runs.entry(step.to_owned()).or_insert_with(all).contains(run)
        };
        if is_talk {
            found.commits.push(at);
            found.talks.push((at, step.to_owned(), run.to_owned()));
            let is_before = found.at.as_ref().is_some_and(|(at, _)| at == step);
            found.talks_before += usize::from(is_before);
        } else if is_item && run == setup.run {
            found.commits.push(at);
            found.steps.insert(step.to_owned());
            if found.at.is_none() && !step.is_empty() {
                found.at = Some((step.to_owned(), pair(get("Heard"))));
            }
        } else if is_item && found.commits.is_empty() {
            // What an analysis leaves, in one commit or in many.
            found.is_outrun |= ["Log", "Heard", "Steps"].iter().any(|name| trailers.contains_key(*name));
        }
        match setup.repo.parents_of(at)?.first() {
            Some(parent) => at = *parent,
            None => break,
        }
    }
    found.commits.reverse();
    found.talks.reverse();
    Ok(found)
}

/// Two numbers with a blank between.
fn pair(text: &str) -> (usize, usize) {
    let (a, b) = text.split_once(' ').unwrap_or((text, "0"));
    (a.parse().unwrap_or(0), b.parse().unwrap_or(0))
}

/// The discussions that an earlier run of the same id has held.
pub(super) fn earlier_talks(setup: &WalkSetup<'_>, earlier: &Earlier) -> Result<Vec<Landed>, WalkError> {
    let Some(fixed) = setup.fixed else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (commit, step, run) in &earlier.talks {
        let Some(path) = landing::recorded(setup.repo, *commit, &setup.item, step, fixed, run)? else {
            continue;
        };
        if let Some(finished) = read_talk(setup.repo, *commit, &path)? {
            found.push(Landed {
                branch: finished.opened.branch.clone(),
                base: finished.opened.base.clone(),
                commit: Some(*commit),
                already_recorded: true,
                outcome: Outcome::nothing(&path),
                held: Held {
                    talk: Talk::Finished(Box::new(finished)),
                    usage: Meter::default(),
                    left_out: Vec::new(),
                },
            });
        }
    }
    Ok(found)
}

/// The report of a run that is on the branch already.
pub(super) fn recorded(setup: &WalkSetup<'_>, earlier: Earlier) -> Result<Walked, WalkError> {
    let facts = facts(setup, &setup.item);
    let opened = Opened {
        item: setup.item.path.clone(),
        item_name: setup.item.name(),
        steps_completed: setup.item.meta.steps_completed(),
        phases_completed: setup.item.meta.phases_completed(),
        depth_overrides: setup.item.meta.depth_overrides(),
        scope: facts.scope,
        complexity: facts.complexity,
        ..Opened::default()
    };
    let first = Record { at: (setup.clock)(), event: Event::Opened(Box::new(opened)) };
    let analysis = Analysis::open(setup.library, first)?;
    let (next, _) = analysis.standing();
    Ok(Walked {
        stopped: if next.is_some() { Stopped::OutOfAnswers } else { Stopped::Complete },
        phase: next.map(|step| step.phase.clone()),
        next_step: next.map(|step| step.id.clone()),
        elaborations: earlier_talks(setup, &earlier)?,
        drafts: Vec::new(),
        commits: earlier.commits,
        already_recorded: true,
        unwritten: BTreeSet::new(),
        item: setup.item.clone(),
        pending: Vec::new(),
        log: analysis.log().to_vec(),
    })
}
