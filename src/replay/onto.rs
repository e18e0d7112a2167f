//! A discussion that was run again, committed on a branch.

use git2::Oid;

use super::Replay;
use crate::discussion::Finished;
use crate::git::short;
use crate::run::elaborate::announce;
use crate::run::landing::LandedCommit;
use crate::run::{Fail, Held, Landed, Observer, Talk};
use crate::voice::model::Meter;

/// Commits a discussion that came out the same on a branch that is at `start`.
///
/// # Errors
/// Whatever keeps it from being placed or committed.
pub fn land_on(
    replay: &Replay,
    finished: Finished,
    branch: &str,
    start: Oid,
    observer: &dyn Observer,
) -> Result<Landed, Fail> {
    let base = finished.opened.base.clone();
    let talk = Talk::Finished(Box::new(finished.clone()));
    let held = Held { talk, usage: Meter::default(), left_out: Vec::new() };
    let branch = branch.to_owned();
    let LandedCommit { commit, parent, outcome, already_recorded } = replay.land(finished, &branch, start)?;
    if already_recorded {
        let recording = &outcome.recording;
        observer.say(&format!(
            "Already recorded: {branch} carries this run in {recording}. Nothing was changed."
        ));
        let commit = Some(replay.repo().introducing_commit(commit, recording)?);
        return Ok(Landed { held, branch, base, commit, already_recorded, outcome });
    }
    observer.say_strong("Reproduced from its recording.");
    announce(&outcome, observer);
    observer.say_strong(&format!("\nCommitted {} on {branch}.", short(commit)));
    observer.say(&format!("See it with: git show {branch}"));
    let (base, commit) = (parent.to_string(), Some(commit));
    Ok(Landed { held, branch, base, commit, already_recorded, outcome })
}
