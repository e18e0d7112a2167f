//! Pushing what was committed: forward only, placed anew where somebody else was first.

use git2::Oid;

use super::exit::Fail;
use super::screen::Screen;
use super::service;
use crate::git::remote::{Pushed, Remote};
use crate::git::{Repo, short};
use crate::run::{Landed, Setup, land_again};

/// How often additions are placed again after somebody else's commits.
const TRIES: usize = 3;

/// Whether the repository has a remote of this name: known before anything is held.
pub fn possible(repo: &Repo, name: &str) -> Result<(), Fail> {
    repo.remote_url(name)?;
    Ok(())
}

/// `--push`: to a remote of this repository, by its name.
pub fn to_remote(setup: &Setup, name: &str, landed: Landed, screen: &Screen) -> Result<Landed, Fail> {
    let mut again = |landed: &Landed, tip| land_again(setup, landed, tip, screen);
    named(setup.repo(), name, &setup.opened().branch, landed, &mut again, screen)
}

/// Pushes a branch to a remote of this repository, by its name.
pub fn named<T: Committed>(
    repo: &Repo,
    name: &str,
    branch: &str,
    landed: T,
    again: &mut dyn FnMut(&T, Oid) -> Result<T, Fail>,
    screen: &Screen,
) -> Result<T, Fail> {
    forward(repo, branch, &service::named_remote(repo, name)?, landed, again, screen)
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
pub fn forward<T: Committed>(
    repo: &Repo,
    branch: &str,
    remote: &Remote,
    mut landed: T,
    again: &mut dyn FnMut(&T, Oid) -> Result<T, Fail>,
    screen: &Screen,
) -> Result<T, Fail> {
    let shown = |landed: &T| landed.commit().map(short).unwrap_or_default();
    for _ in 0..=TRIES {
        let committed = shown(&landed);
        let committed_but = |why: String| {
            Fail::new(format!("{why}; the commit {committed} is on {branch} here and was not pushed"))
        };
        match repo.push(remote, branch).map_err(|error| committed_but(error.to_string()))? {
            Pushed::Done => {
                screen.say(&format!("Pushed {branch}."));
                return Ok(landed);
            }
            Pushed::Refused(why) => return Err(committed_but(format!("the remote refuses {branch}: {why}"))),
            Pushed::Behind => {
                let tip = repo.fetch(remote, branch).map_err(|error| committed_but(error.to_string()))?;
                let tip =
                    tip.ok_or_else(|| committed_but(format!("the remote has lost {branch} meanwhile")))?;
                screen.note(&format!(
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
