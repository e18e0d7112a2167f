//! Fetching and pushing one branch, to and from a server or a folder on this machine.
//!
//! A server is spoken to by `wire`, over our own HTTP client; a folder is opened as a
//! repository. Both ways a pack crosses over: what comes in is indexed, verified and flushed before
//! any reference gets to it, what goes out lacks what the other side has. Nothing is ever forced, and no
//! helper or hook of this machine is run.

use std::path::{Path, PathBuf};

use git2::{Buf, ErrorCode, Oid, Repository};

use super::pack::pack;
use super::wire::{Advertised, Failed, Have, Move, Service, Wire};
use super::{Error, Repo};
use crate::http::{self, Secret, Url};

/// So many commits of ours are told to a remote at most, the latest first: what it has in common with us
/// is among them, or more is sent than is needed.
const TOLD: usize = 1024;

/// A remote repository and the token to it, if there is one.
#[derive(Clone, Debug)]
pub struct Remote {
    pub url: String,
    pub token: Option<Secret>,
}

/// How a push ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pushed {
    Done,
    /// The remote's branch has commits that this one lacks.
    Behind,
    /// The remote says no: a protected branch, a hook.
    Refused(String),
}

impl Repo {
    /// The URL of a remote of this repository.
    ///
    /// # Errors
    /// No remote of this name, or one without a URL.
    pub fn remote_url(&self, name: &str) -> Result<String, Error> {
        let shown = crate::plain::shown(name);
        let missing = || Error::NoRemote(shown.clone());
        let remote = self.git().find_remote(name).map_err(|_| missing())?;
        remote.url().ok().filter(|url| !url.is_empty()).map(str::to_owned).ok_or_else(missing)
    }

    /// Where a branch is at a remote, with everything of it fetched; none where there is no
    /// such branch. No reference of this repository changes.
    ///
    /// # Errors
    /// A remote that cannot be read.
    pub fn fetch(&self, remote: &Remote, branch: &str) -> Result<Option<Oid>, Error> {
        let fetched = || {
            let mut peer = Peer::open(self, remote, Service::Fetch)?;
            let there = peer.references(Service::Fetch)?;
            let tip = there.tip(&format!("refs/heads/{branch}"));
            self.bring(&mut peer, &there, tip.as_slice())?;
            Ok(tip)
        };
        fetched().map_err(|failed| remote.failed(&failed))
    }

    /// Where the branches below a name are at a remote, with everything of them fetched.
    ///
    /// # Errors
    /// A remote that cannot be read.
    pub fn fetch_below(&self, remote: &Remote, name: &str) -> Result<Vec<(String, Oid)>, Error> {
        let fetched = || {
            let mut peer = Peer::open(self, remote, Service::Fetch)?;
            let there = peer.references(Service::Fetch)?;
            let below = format!("refs/heads/{name}/");
            let is_below = |name: &str| name.starts_with(&below) && git2::Reference::is_valid_name(name);
            let heads: Vec<(String, Oid)> = there
                .references
                .iter()
                .filter(|(name, _)| is_below(name))
                .map(|(name, tip)| (name["refs/heads/".len()..].to_owned(), *tip))
                .collect();
            let tips: Vec<Oid> = heads.iter().map(|(_, tip)| *tip).collect();
            self.bring(&mut peer, &there, &tips)?;
            Ok(heads)
        };
        fetched().map_err(|failed| remote.failed(&failed))
    }

    /// Fetches those of some commits that are not here, with all that they need.
    fn bring(&self, peer: &mut Peer, there: &Advertised, tips: &[Oid]) -> Result<(), Failed> {
        let mut lacking = tips.to_vec();
        lacking.sort();
        lacking.dedup();
        lacking.retain(|tip| self.git().find_commit(*tip).is_err());
        if lacking.is_empty() {
            return Ok(());
        }
        let pack = peer.pack(there, &lacking, &self.have()?)?;
        self.lock()?.take_in(self, &pack)?;
        for tip in lacking {
            self.git().find_commit(tip)?;
        }
        Ok(())
    }

    /// What to tell a remote that we have.
    fn have(&self) -> Result<Have, Failed> {
        let mut walk = self.git().revwalk()?;
        walk.push_glob("*")?;
        // It may be on no branch.
        let _ = walk.push_head();
        // Where a history is damaged, less of it is told.
        let commits = walk.map_while(Result::ok).take(TOLD).collect();
        let ends = std::fs::read_to_string(self.git().commondir().join("shallow")).unwrap_or_default();
        Ok(Have { commits, ends: ends.lines().filter_map(|id| Oid::from_str(id).ok()).collect() })
    }

    /// Pushes a branch to a remote, forward only.
    ///
    /// # Errors
    /// A remote that cannot be reached or does not answer as one.
    pub fn push(&self, remote: &Remote, branch: &str) -> Result<Pushed, Error> {
        let name = format!("refs/heads/{branch}");
        let pushed = || {
            let mut peer = Peer::open(self, remote, Service::Push)?;
            let there = peer.references(Service::Push)?;
            let to = Move { name: &name, old: there.tip(&name), new: self.git().refname_to_id(&name)? };
            if to.old == Some(to.new) {
                return Ok(Pushed::Done);
            }
            if to.old.is_some_and(|old| !self.git().graph_descendant_of(to.new, old).unwrap_or(false)) {
                return Ok(Pushed::Behind);
            }
            let known: Vec<Oid> = there.references.iter().map(|(_, id)| *id).collect();
            let why = peer.update(&there, &to, &packed(self.git(), &[to.new], &known)?)?;
            Ok(match why.map(|why| remote.harmless(&why)) {
                None => Pushed::Done,
                Some(why) if is_race(&why) => Pushed::Behind,
                Some(why) => Pushed::Refused(why),
            })
        };
        pushed().map_err(|failed| remote.failed(&failed))
    }

    /// Notes where a branch is at a remote, as `git push` does. Where that cannot be noted, the next fetch does it.
    pub fn track(&self, remote: &str, branch: &str, tip: Oid) {
        let name = format!("refs/remotes/{remote}/{branch}");
        let _ = self.git().reference(&name, tip, true, "roundtable: pushed");
    }

    /// Puts a branch of ours back to where it was before, if it is still at `now`: for commits
    /// that are not to stay here.
    ///
    /// # Errors
    /// A branch that somebody moves meanwhile.
    pub fn put_back(&self, branch: &str, now: Oid, before: Option<Oid>) -> Result<(), Error> {
        if before == Some(now) {
            return Ok(());
        }
        let name = format!("refs/heads/{branch}");
        let mut lock = self.lock()?;
        let fresh = lock.open_anew(self)?;
        let mut reference = fresh.find_reference(&name)?;
        let log = "roundtable: put back";
        let put = lock.moving(self, &name, before.unwrap_or(now), || match before {
            None if reference.target() == Some(now) => Ok(reference.delete()),
            None => Err(Error::Diverged(branch.to_owned())),
            Some(before) => Ok(fresh.point(&name, before, now, log)),
        })??;
        put.map_err(|error| moved_meanwhile(branch, &error))
    }

    /// Moves a branch to where it is at a remote, if nothing of it is lost by that; `instead_of`
    /// is a commit of ours that the remote has not taken and that may go.
    ///
    /// # Errors
    /// A branch with commits of its own, or that somebody moves meanwhile.
    pub fn follow(&self, branch: &str, to: Oid, instead_of: Option<Oid>) -> Result<(), Error> {
        let name = format!("refs/heads/{branch}");
        let tip = self.tip(branch)?;
        if tip == Some(to) {
            return Ok(());
        }
        if let Some(tip) = tip.filter(|tip| instead_of != Some(*tip))
            && !self.git().graph_descendant_of(to, tip)?
        {
            // Ahead of the remote: what is here is pushed later.
            let is_ahead = self.git().graph_descendant_of(tip, to)?;
            return if is_ahead { Ok(()) } else { Err(Error::Diverged(branch.to_owned())) };
        }
        let mut lock = self.lock()?;
        let fresh = lock.open_anew(self)?;
        if tip.is_none() {
            self.make_folders(branch)?;
        }
        let old = tip.unwrap_or(Oid::ZERO_SHA1);
        let log = "roundtable: fetched";
        let moved = lock.moving(self, &name, to, || fresh.point(&name, to, old, log))?;
        moved.map_err(|error| moved_meanwhile(branch, &error))
    }
}

fn moved_meanwhile(branch: &str, error: &git2::Error) -> Error {
    Error::Moved { branch: branch.to_owned(), reason: error.message().to_owned() }
}

/// Words of a remote that only say that somebody else was first.
fn is_race(why: &str) -> bool {
    ["fetch first", "non-fast-forward", "stale info", "failed to update ref", "cannot lock ref"]
        .iter()
        .any(|words| why.contains(words))
}

impl Remote {
    /// Words of this remote or about it, without its token, harmless and short.
    fn harmless(&self, words: &str) -> String {
        let clean = crate::plain::one_line(&crate::plain::clean(words));
        crate::plain::shown(&self.token.as_ref().map_or(clean.clone(), |token| token.redact(&clean)))
    }

    fn failed(&self, failed: &Failed) -> Error {
        let url = crate::plain::shown(&without_credentials(&self.url));
        Error::Remote { url, reason: self.harmless(&failed.to_string()) }
    }
}

/// The other side.
enum Peer {
    Server(Box<Wire>),
    Folder(Repo),
}

impl Peer {
    /// The remote, where git's configuration sends it (`url.….insteadOf`); the token is for the place that
    /// was named, and goes nowhere else.
    fn open(repo: &Repo, remote: &Remote, service: Service) -> Result<Peer, Failed> {
        let found = repo.git().remote_anonymous(&remote.url)?;
        let url = match found.pushurl()? {
            Some(url) if service == Service::Push => url,
            _ => found.url()?,
        };
        if let Some(folder) = folder_of(url) {
            return Ok(Peer::Folder(Repo::of(Repository::open(folder)?)));
        }
        let is_http = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !is_http {
            let what = crate::plain::shown(&without_credentials(url));
            return Err(Failed::NoPlace(format!("{what} is neither reached over https nor a folder here")));
        }
        let base = http::base_url("the remote", url)?;
        let place = Url::parse(&remote.url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        let there = base.origin().ascii_serialization();
        if remote.token.is_some() && place != there {
            return Err(Failed::NoPlace(format!(
                "git's configuration sends {place} to {there} (insteadOf); the token is for {place} only"
            )));
        }
        Ok(Peer::Server(Box::new(Wire::new(base, remote.token.clone())?)))
    }

    fn references(&mut self, service: Service) -> Result<Advertised, Failed> {
        match self {
            Peer::Server(wire) => wire.references(service),
            Peer::Folder(there) => {
                let found = there.git().references()?.flatten().filter_map(|reference| {
                    let id = reference.target().or_else(|| reference.resolve().ok()?.target())?;
                    Some((reference.name().ok()?.to_owned(), id))
                });
                Ok(Advertised::of(found.collect()))
            }
        }
    }

    fn pack(&mut self, there: &Advertised, wants: &[Oid], have: &Have) -> Result<Vec<u8>, Failed> {
        match self {
            Peer::Server(wire) => wire.pack(there, wants, have),
            // Where our history ends early, a commit of ours does not mean that we have those before it.
            Peer::Folder(there) if !have.ends.is_empty() => packed(there.git(), wants, &[]),
            Peer::Folder(there) => packed(there.git(), wants, &have.commits),
        }
    }

    fn update(&mut self, there: &Advertised, to: &Move<'_>, pack: &[u8]) -> Result<Option<String>, Failed> {
        match self {
            Peer::Server(wire) => wire.update(there, to, pack),
            Peer::Folder(there) => there.take_move(to, pack),
        }
    }
}

impl Repo {
    /// Moves a reference of this repository for somebody who pushes to it; the words of a refusal.
    fn take_move(&self, to: &Move<'_>, pack: &[u8]) -> Result<Option<String>, Failed> {
        if !self.git().is_bare() {
            return Err(Failed::NoPlace("its files are checked out there; push to a bare repository".into()));
        }
        let mut lock = self.lock()?;
        lock.take_in(self, pack)?;
        let fresh = lock.open_anew(self)?;
        if let (None, Some(branch)) = (to.old, to.name.strip_prefix("refs/heads/")) {
            self.make_folders(branch)?;
        }
        let old = to.old.unwrap_or(Oid::ZERO_SHA1);
        let moved = lock.moving(self, to.name, to.new, || fresh.point(to.name, to.new, old, "push"))?;
        Ok(moved.err().map(|error| match error.code() {
            ErrorCode::Modified => "cannot lock ref".to_owned(),
            _ => error.message().to_owned(),
        }))
    }
}

/// The folder that a URL or a path names. What has a colon is somebody's host, whatever is here.
fn folder_of(url: &str) -> Option<PathBuf> {
    if let Ok(file) = Url::parse(url)
        && file.scheme() == "file"
    {
        return file.to_file_path().ok();
    }
    let path = Path::new(url);
    (path.is_dir() && (path.is_absolute() || !url.contains(':'))).then(|| path.to_owned())
}

/// A pack of commits and all that they need, without what other commits need.
fn packed(git: &Repository, wanted: &[Oid], known: &[Oid]) -> Result<Vec<u8>, Failed> {
    let mut walk = git.revwalk()?;
    for id in wanted {
        walk.push(*id)?;
    }
    for id in known {
        // What is not here, or no commit, tells nothing.
        let _ = walk.hide(*id);
    }
    let mut builder = git.packbuilder()?;
    builder.insert_walk(&mut walk)?;
    if builder.object_count() == 0 {
        // libgit2 writes nothing at all then.
        return Ok(pack(Vec::new()).map_err(|error| git2::Error::from_str(&error.to_string()))?.pack);
    }
    let mut buffer = Buf::new();
    builder.write_buf(&mut buffer)?;
    Ok(buffer.to_vec())
}

/// A URL without a name and password in it.
fn without_credentials(url: &str) -> String {
    match Url::parse(url) {
        Ok(mut url) => {
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.to_string()
        }
        Err(_) => url.to_owned(),
    }
}
