//! `roundtable undo`: takes an item's last discussion back, as long as nobody else can have it.
//!
//! Invariant: a discussion that another branch, a tag or a remote has is never taken back, and no recording is lost.

use std::path::PathBuf;

use clap::Args;
use git2::Oid;
use serde_json::json;

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::table::{self, Place};
use super::{Global, open};
use crate::decisions;
use crate::discussion::event::from_any_lines;
use crate::discussion::finished;
use crate::plain;
use crate::repo::{Repo, short, trailers};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roundtable undo late-fees\n\nA discussion that another branch, a tag or a remote already has is not taken back. The recording is kept in the git folder, and `roundtable replay FILE --onto REV` commits it again.\n\nExit codes: 0 taken back; 2 it could not be done, and nothing was changed."
)]
pub struct Options {
    /// The item: its folder's path, or its slug
    pub(super) item: String,
    /// The branch that the discussion is on [default: roundtable/<slug>]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Show what would be taken back, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// The last discussion of a branch.
struct Last {
    item: String,
    step: String,
    commit: Oid,
    parent: Oid,
    /// Name and bytes of its recording.
    recording: (String, Vec<u8>),
}

impl Last {
    /// How to go on from a discussion that is published.
    fn how_to_replace(&self) -> String {
        let (name, bytes) = &self.recording;
        let log = std::str::from_utf8(bytes).ok().and_then(|text| from_any_lines(name, text).ok());
        let decisions = log.and_then(|(log, _)| finished(log)).map(|finished| finished.summary.decisions);
        let decisions = decisions.unwrap_or_default();
        let Some(first) = decisions.first() else {
            return "it has no decision to replace, so say in a new discussion what is different now"
                .to_owned();
        };
        let (id, text) =
            (decisions::id(name, 0), plain::cut(&plain::one_line(&plain::clean(&first.text)), 60));
        let slug = table::slug(&self.item);
        format!(
            "to replace a decision, such as {id} (\"{text}\"), hold a new discussion and say: \"Decision: …, replaces {id}\" (`roundtable show {slug}` lists the ids)"
        )
    }
}

/// Takes the discussion back.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let own = options.branch.clone().or_else(|| own_branch(global, &repo, &options.item));
    let place = table::place(&repo, &options.item, own.as_deref(), None)?;
    let branch = plain::shown(&place.branch);
    if !place.exists {
        return Err(Fail::new(format!(
            "there is no branch {branch}; name the discussion's branch with --branch"
        )));
    }
    let last = last(&repo, &place)?;
    refuse_published(&repo, &place, &last)?;
    let (name, bytes) = &last.recording;
    let kept = if options.dry_run {
        None
    } else {
        let kept = repo.keep_undone(name, bytes);
        let kept = kept.map_err(|error| {
            Fail::new(format!("the recording cannot be kept: {error}; make room in the git folder"))
        })?;
        repo.put_back(&place.branch, last.commit, Some(last.parent))?;
        Some(kept)
    };
    say(&last, &branch, kept, screen);
    Ok(Code::Yes)
}

fn say(last: &Last, branch: &str, kept: Option<PathBuf>, screen: &Screen) {
    let (step, parent) = (plain::shown(&last.step), short(last.parent));
    let kept = kept.map(|path| plain::shown(&path.display().to_string()));
    match &kept {
        Some(path) => {
            screen.say(&format!("Took back the discussion of step {step}: {branch} is at {parent} again."));
            screen.say(&format!("Its recording is kept in {path}."));
            screen
                .say(&format!("To commit it again: roundtable replay {path} --onto HEAD --branch {branch}"));
        }
        None => screen
            .say(&format!("Would take back the discussion of step {step}: {branch} would be at {parent}.")),
    }
    screen.json(&json!({
        "item": last.item, "branch": branch, "step_id": last.step, "undone": last.commit.to_string(),
        "commit": last.parent.to_string(), "recording": kept,
    }));
}

/// The branch that an item is ahead of HEAD on, where it is on any.
fn own_branch(global: &Global, repo: &Repo, item: &str) -> Option<String> {
    let head = repo.resolve("HEAD").ok()?;
    let config = table::config(global, repo, head).ok()?;
    table::own_branch(&table::ahead(repo, head, &config).ok()?, item).map(|(_, branch)| branch)
}

/// The discussion that the branch ends with.
fn last(repo: &Repo, place: &Place) -> Result<Last, Fail> {
    let branch = plain::shown(&place.branch);
    let trailers = trailers(&repo.message_of(place.base)?);
    let (Some(item), Some(step), true) =
        (trailers.get("Item"), trailers.get("Step"), trailers.contains_key("Recording"))
    else {
        return Err(Fail::new(format!(
            "the last commit of {branch}, {}, is no discussion; only a branch's last commit is taken back",
            short(place.base)
        )));
    };
    let parents = repo.parents_of(place.base)?;
    let [parent] = parents.as_slice() else {
        return Err(Fail::new(format!("{} is a merge; it is not taken back", short(place.base))));
    };
    let before = repo.logs(*parent, item)?;
    let mut new = repo.logs(place.base, item)?.into_iter().filter(|log| !before.contains(log));
    let (Some((name, blob)), None) = (new.next(), new.next()) else {
        return Err(Fail::new(format!(
            "{} does not add exactly one recording; take it back with git",
            short(place.base)
        )));
    };
    let recording = (name, repo.bytes(blob)?);
    Ok(Last { item: item.clone(), step: step.clone(), commit: place.base, parent: *parent, recording })
}

/// Refuses a discussion that somebody else may have: one that is merged or pushed.
fn refuse_published(repo: &Repo, place: &Place, last: &Last) -> Result<(), Fail> {
    let holders = repo.holders(last.commit, &format!("refs/heads/{}", place.branch))?;
    if let Some(holder) = holders.first() {
        return Err(Fail::new(format!(
            "the discussion of step {} is on {} already and is not taken back; {}",
            plain::shown(&last.step),
            plain::shown(holder),
            last.how_to_replace()
        )));
    }
    // After a squash or a rebase the same recording is in other commits.
    let Ok(head) = repo.resolve("HEAD") else { return Ok(()) };
    let merged = repo.logs(head, &last.item)?;
    if head != last.commit && merged.iter().any(|(name, _)| *name == last.recording.0) {
        return Err(Fail::new(format!(
            "the discussion of step {} is merged already and is not taken back; {}",
            plain::shown(&last.step),
            last.how_to_replace()
        )));
    }
    Ok(())
}
