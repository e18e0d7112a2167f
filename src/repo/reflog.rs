//! Where a branch was before, for people who look back (git's `core.logAllRefUpdates`).
//!
//! No branch needs its log: git flushes none, while libgit2 flushes the file and its folder. So ours is
//! written here, once the branch has moved.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use git2::{Oid, Repository, Signature};

/// A repository opened anew to move a reference in.
pub(super) struct Fresh {
    pub git: Repository,
    /// None where libgit2 keeps the logs.
    pub logs: Option<Logs>,
}

impl Deref for Fresh {
    type Target = Repository;

    fn deref(&self) -> &Repository {
        &self.git
    }
}

impl Fresh {
    /// Points a reference at a commit if it is at another, which is zero where there is none yet.
    ///
    /// # Errors
    /// As libgit2 says them: `Modified` where the reference points elsewhere, `Locked` where somebody moves it.
    pub fn point(&self, name: &str, to: Oid, from: Oid, why: &str) -> Result<(), git2::Error> {
        // Forced, since a new branch has nothing to be a fast-forward of; the old value decides.
        self.git.reference_matching(name, to, true, from, why)?;
        if let Some(logs) = &self.logs {
            // The branch has moved: an entry that cannot be written changes nothing of that.
            let _ = logs.note(&self.git, name, from, to, why);
        }
        Ok(())
    }
}

/// Which references have a log.
pub(super) struct Logs {
    common: PathBuf,
    begins: Begins,
}

/// Which logs are begun; those that exist are always continued.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    None,
    /// Of branches, local and remote, of notes and of HEAD.
    Heads,
    All,
}

impl Logs {
    /// As a repository's settings say.
    ///
    /// # Errors
    /// Settings that cannot be read.
    pub fn of(git: &Repository) -> Result<Logs, git2::Error> {
        let said = git.config()?.get_string("core.logAllRefUpdates").ok();
        let begins = match said.as_deref() {
            None if git.is_bare() => Begins::None,
            None => Begins::Heads,
            Some(said) if said.eq_ignore_ascii_case("always") => Begins::All,
            Some(said) if git2::Config::parse_bool(said)? => Begins::Heads,
            Some(_) => Begins::None,
        };
        Ok(Logs { common: git.commondir().to_owned(), begins })
    }

    fn note(&self, git: &Repository, name: &str, from: Oid, to: Oid, why: &str) -> std::io::Result<()> {
        let who = git.signature().or_else(|_| Signature::now("unknown", "unknown"));
        let who = who.map_err(std::io::Error::other)?;
        let (at, why) = (who.when(), why.split_whitespace().collect::<Vec<_>>().join(" "));
        let minutes = at.offset_minutes().abs();
        let offset = format!("{}{:02}{:02}", at.sign(), minutes / 60, minutes % 60);
        let (by, mail) = (text(who.name_bytes()), text(who.email_bytes()));
        let line = format!("{from} {to} {by} <{mail}> {} {offset}\t{why}\n", at.seconds());
        self.append(name, &self.common.join("logs").join(name), &line)?;
        // Where a bare repository's HEAD names the branch, it has moved as well.
        let head = git.find_reference("HEAD").map_err(std::io::Error::other)?;
        if head.symbolic_target().ok().flatten() == Some(name) {
            self.append("HEAD", &git.path().join("logs/HEAD"), &line)?;
        }
        Ok(())
    }

    fn append(&self, name: &str, path: &Path, line: &str) -> std::io::Result<()> {
        let begins = match self.begins {
            Begins::None => false,
            Begins::Heads => {
                name == "HEAD"
                    || ["refs/heads/", "refs/remotes/", "refs/notes/"]
                        .iter()
                        .any(|kind| name.starts_with(kind))
            }
            Begins::All => true,
        };
        if let (true, Some(folder)) = (begins, path.parent()) {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = match OpenOptions::new().append(true).create(begins).open(path) {
            Err(error) if !begins && error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        let length = file.metadata()?.len();
        let written = file.write_all(line.as_bytes());
        if written.is_err() {
            // Half a line would be read with the next one.
            file.set_len(length)?;
        }
        written
    }
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
