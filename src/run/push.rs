//! Pushing what was committed: forward only, placed anew where somebody else was first.

use git2::Oid;

use super::{Fail, Observer};
use super::{Landed, Setup, land_again};
use crate::git::remote::{Pushed, Remote};
use crate::git::{Repo, short};

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

/// What has come to a commit.
pub trait Committed {
    /// The last commit; none where nothing was to be committed.
    fn commit(&self) -> Option<Oid>;
}

impl Committed for Landed {
    fn commit(&self) -> Option<Oid> {
        self.commit
    }
}

/// Pushes a branch; a remote that has moved on gets the additions on its new tip, by `again`, at
/// most three times.
///
/// # Errors
/// A remote that cannot be reached, refuses, or keeps moving; the error says which commit was not pushed.
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
            Fail::new(format!("{why}; the commit {committed} is on {branch} here and was not pushed"))
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
                observer.note(&format!(
                    "{branch} has moved on to {}; the additions are placed there",
                    short(tip)
                ));
                repo.follow(branch, tip, landed.commit())?;
                landed = again(&landed, tip)?;
            }
        }
    }
    Err(Fail::new(format!(
        "the remote's {branch} kept moving; try again: the commit {} is on the branch here",
        shown(&landed)
    )))
}
