//! Pushing what was committed: forward only, placed anew where somebody else was first.
//!
//! Invariant: the branch here loses nothing but commits of this very run, and these only for ones that replace them.
//! Where it has other commits that the remote lacks, nothing is moved, and the error names them.

use git2::Oid;

use super::{Fail, Observer};
use super::{Landed, Setup, land_again};
use crate::git::remote::{Pushed, Remote};
use crate::git::{Repo, short};
use crate::text::plain::count;

/// How often additions are placed again after somebody else's commits.
const TRIES: usize = 3;

/// Pushes the branch of a discussion.
///
/// # Errors
/// As [`forward`].
pub fn discussion(
    setup: &Setup,
    remote: &Remote,
    landed: Landed,
    observer: &dyn Observer,
) -> Result<Landed, Fail> {
    let mut again = |landed: &Landed, tip| land_again(setup, landed, tip, observer);
    forward(setup.repo(), &setup.opened().branch, remote, landed, &mut again, observer)
}

/// What has come to commits.
pub trait Committed {
    /// The commits of this run, the first one first; none where nothing was to be committed.
    fn commits(&self) -> Vec<Oid>;

    /// The last of them.
    fn commit(&self) -> Option<Oid> {
        self.commits().pop()
    }
}

impl Committed for Landed {
    fn commits(&self) -> Vec<Oid> {
        self.commit.into_iter().collect()
    }
}

/// Pushes a branch; a remote that has moved on gets the additions on its new tip, by `again`, at
/// most three times.
///
/// # Errors
/// A remote that cannot be reached, refuses, or keeps moving; a note says where the commit is.
pub fn forward<T: Committed>(
    repo: &Repo,
    branch: &str,
    remote: &Remote,
    mut landed: T,
    again: &mut dyn FnMut(&T, Oid) -> Result<T, Fail>,
    observer: &dyn Observer,
) -> Result<T, Fail> {
    let shown = |landed: &T| landed.commit().map(short).unwrap_or_default();
    for _ in 0..=TRIES {
        let committed = shown(&landed);
        let committed_but = |why: String| {
            observer.note(&format!("the commit {committed} is in this clone, on {branch}"));
            Fail::new(format!("nothing was pushed: {why}"))
        };
        match repo.push(remote, branch).map_err(|error| committed_but(error.to_string()))? {
            Pushed::Done => {
                observer.say(&format!("Pushed {branch}."));
                return Ok(landed);
            }
            Pushed::Refused(why) => return Err(committed_but(format!("the remote refuses {branch}: {why}"))),
            Pushed::Behind => {
                let tip = repo.fetch(remote, branch).map_err(|error| committed_but(error.to_string()))?;
                let tip =
                    tip.ok_or_else(|| committed_but(format!("the remote has lost {branch} meanwhile")))?;
                refuse_others(repo, branch, tip, &landed.commits())?;
                observer.note(&format!(
                    "{branch} has moved on to {}; the additions are placed there",
                    short(tip)
                ));
                landed = replace(repo, branch, tip, &landed, again)?;
            }
        }
    }
    Err(Fail::new(format!(
        "the remote's {branch} kept moving; try again: the commit {} is on the branch here",
        shown(&landed)
    )))
}

/// Refuses to move a branch to where it is at a remote if it has commits here that this run did not make.
fn refuse_others(repo: &Repo, branch: &str, tip: Oid, own: &[Oid]) -> Result<(), Fail> {
    let Some(here) = repo.tip(branch)? else { return Ok(()) };
    let between = repo.commits_between(tip, here)?;
    if between.iter().all(|step| own.contains(&step.commit)) {
        return Ok(());
    }
    let commits: Vec<String> = between.iter().map(|step| short(step.commit)).collect();
    let theirs = short(tip);
    Err(Fail::new(format!(
        "nothing was pushed: the remote's {branch} has moved on to {theirs}, and {branch} here has {} that it lacks: {}",
        count(commits.len(), "commit"),
        commits.join(", ")
    ))
    .with_hint(format!(
        "`git branch -m {branch} {branch}-here && roundtable replay {branch}-here --onto {theirs} --branch {branch}` \
         puts the discussions after the remote's, then push {branch}; a commit made by hand stays on {branch}-here"
    )))
}

/// Commits again what this run has committed, on the tip that the remote has; the branch is where it was if that fails.
fn replace<T: Committed>(
    repo: &Repo,
    branch: &str,
    tip: Oid,
    landed: &T,
    again: &mut dyn FnMut(&T, Oid) -> Result<T, Fail>,
) -> Result<T, Fail> {
    let before = repo.tip(branch)?;
    repo.follow(branch, tip, landed.commit())?;
    again(landed, tip).inspect_err(|_| {
        // A part of it may have been committed.
        let now = repo.tip(branch).ok().flatten().unwrap_or(tip);
        let _ = repo.put_back(branch, now, before);
    })
}
