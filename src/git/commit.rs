//! The commit phase: objects into one pack, flushed and read back; then the branch, by
//! compare-and-swap. No checkout, index or working file is touched.
//!
//! Invariants, in the order of the code:
//! - only an [`Additive`] comes in, and only onto the very files it was compared with;
//! - the kernel's lock on `roundtable/lock` (freed at death) is held, so two runs never interleave;
//! - the branch moves after every object is durable and was read back from disk;
//! - the lock file says what is about to happen (ref, new id, pack) before it does, so that the
//!   next run can clear what a killed one left, and nothing else.
//!
//! libgit2's `Repository::commit` is not used: it can return success when the write failed.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use git2::{ConfigLevel, ErrorCode, Oid, Repository};

use super::commit_objects::build_commit;
use super::pack::{PackedObject, pack};
use super::{Error, Repo};
use crate::additive::Additive;
use crate::item::Author;

/// A commit that is wanted.
pub struct Wanted<'a> {
    /// The branch, without `refs/heads/`.
    pub branch: &'a str,
    /// What the branch points at now; none where it is new.
    pub tip: Option<Oid>,
    /// The commit to build on.
    pub parent: Oid,
    pub additive: &'a Additive,
    pub message: &'a str,
    pub author: &'a Author,
    /// Seconds since the epoch, in UTC.
    pub time: i64,
}

impl Wanted<'_> {
    /// The commit that this would be; nothing is written. None where the parent's files are not
    /// those that were compared.
    ///
    /// # Errors
    /// A parent that cannot be read, a path or an author that git has no form for.
    pub(crate) fn id(&self, repo: &Repo) -> Result<Option<Oid>, Error> {
        Ok(build_commit(repo, self)?.map(|commit| commit.id))
    }
}

/// How a commit ended.
pub enum Committed {
    Done(Oid),
    /// The branch is no longer where it was: read it again.
    Moved,
}

/// The right to commit: the kernel's lock, held until this is dropped.
pub struct Lock {
    file: File,
    /// Where packs are prepared.
    staging: PathBuf,
}

/// A file of settings in the staging folder, there only while it is read.
const SETTINGS: &str = "settings";
/// What makes libgit2 flush a reference before it gets its name.
const FLUSHED: (&str, bool) = ("core.fsyncObjectFiles", true);
/// What makes it keep no logs.
const UNLOGGED: (&str, bool) = ("core.logAllRefUpdates", false);

impl Repo {
    /// Waits for the right to commit, and clears what a killed run left.
    ///
    /// # Errors
    /// A folder or file that cannot be made or locked.
    pub(crate) fn lock(&self) -> Result<Lock, Error> {
        let staging = self.git().commondir().join("roundtable");
        let path = staging.join("lock");
        let at = |error| Error::Io { what: "lock", path: path.clone(), error };
        if !staging.exists() {
            fs::create_dir_all(&staging).map_err(at)?;
            if self.flushes() {
                flush_folder(self.git().commondir()).map_err(at)?;
            }
        }
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(at)?;
        file.lock().map_err(at)?;
        let mut intent = String::new();
        // What cannot be read was not written by us: then there is nothing to clear.
        let read = file.read_to_string(&mut intent);
        let held = Lock { file, staging };
        held.clear(self, &intent).map_err(at)?;
        if !matches!(read, Ok(0)) {
            held.forget().map_err(at)?;
        }
        Ok(held)
    }

    /// Commits, if the branch is still where `wanted` says.
    ///
    /// # Errors
    /// Anything that keeps the objects or the branch from being written; the branch is then where
    /// it was.
    pub(crate) fn commit(&self, lock: &mut Lock, wanted: &Wanted<'_>) -> Result<Committed, Error> {
        let Some(commit) = build_commit(self, wanted)? else { return Ok(Committed::Moved) };
        let (id, name) = (commit.id, format!("refs/heads/{}", wanted.branch));
        let place = Place::of(self);
        let held: &Lock = lock;
        held.announce(&format!("ref {name} {id}\n"), place.flushes)?;
        if wanted.tip.is_none() {
            place.make_folders(wanted.branch)?;
        }
        let fresh = held.open_anew(self)?;
        let packed = held.write_pack(&place, &commit.objects)?;
        lock.publish(self, &packs_of(self)?, &packed)?;
        read_back(&fresh, id, wanted)?;
        lock.carry_out(self, &name, id, || {
            self.refuse_checked_out(wanted.branch).and_then(|()| self.move_branch(&fresh, id, wanted))
        })
    }

    /// The folders of a new branch, durable before the branch is.
    pub(super) fn make_folders(&self, branch: &str) -> Result<(), Error> {
        Place::of(self).make_folders(branch)
    }

    fn move_branch(&self, fresh: &Fresh, id: Oid, wanted: &Wanted<'_>) -> Result<Committed, Error> {
        let name = format!("refs/heads/{}", wanted.branch);
        let old = wanted.tip.unwrap_or(Oid::ZERO_SHA1);
        let subject = wanted.message.lines().next().unwrap_or_default();
        match fresh.point(&name, id, old, &format!("commit: {subject}")) {
            Ok(()) => {}
            Err(error) if matches!(error.code(), ErrorCode::Modified | ErrorCode::Exists) => {
                return Ok(Committed::Moved);
            }
            Err(error) if error.code() == ErrorCode::Locked => {
                let path = self.git().commondir().join(format!("{name}.lock"));
                return Err(Error::Locked { branch: wanted.branch.to_owned(), path });
            }
            // The branch may have moved before the failure: then the commit stays.
            Err(error) if fresh.refname_to_id(&name).ok() != Some(id) => return Err(error.into()),
            Err(_) => {}
        }
        if fresh.refname_to_id(&name)? != id {
            return Ok(Committed::Moved);
        }
        Ok(Committed::Done(id))
    }
}

/// Everything that the branch will refer to is on disk.
fn read_back(fresh: &Repository, id: Oid, wanted: &Wanted<'_>) -> Result<(), Error> {
    let tree = fresh.find_commit(id)?.tree()?;
    for change in wanted.additive.changes() {
        let blob = fresh.find_blob(tree.get_path(Path::new(&change.path))?.id())?;
        if blob.content() != change.after {
            return Err(Error::NotWritten(change.path.clone()));
        }
    }
    Ok(())
}

/// Where a repository is, for a thread that cannot have the repository itself.
struct Place {
    git: PathBuf,
    common: PathBuf,
    /// Whether writes wait for the disk.
    flushes: bool,
}

impl Place {
    fn of(repo: &Repo) -> Place {
        let git = repo.git();
        Place { git: git.path().to_owned(), common: git.commondir().to_owned(), flushes: repo.flushes() }
    }

    /// The folders of a new branch, durable before the branch is.
    fn make_folders(&self, branch: &str) -> Result<(), Error> {
        let mut folder = self.common.join("refs/heads");
        let (folders, _) = branch.rsplit_once('/').unwrap_or(("", branch));
        for name in folders.split('/').filter(|name| !name.is_empty()) {
            let above = folder.clone();
            folder.push(name);
            let made = match fs::create_dir(&folder) {
                Ok(()) if self.flushes => flush_folder(&above),
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
                _ => Ok(()),
            };
            made.map_err(|error| Error::Io { what: "make", path: folder.clone(), error })?;
        }
        Ok(())
    }
}

/// A repository opened anew to move a reference in.
pub(super) struct Fresh {
    git: Repository,
    place: Place,
    staging: PathBuf,
}

impl Deref for Fresh {
    type Target = Repository;

    fn deref(&self) -> &Repository {
        &self.git
    }
}

impl Fresh {
    fn open(place: Place, staging: &Path) -> Result<Fresh, Error> {
        let settings: &[_] = if place.flushes { &[FLUSHED] } else { &[] };
        Ok(Fresh { git: open_with(&place, staging, settings)?, place, staging: staging.to_owned() })
    }

    /// Points a reference at a commit if it is at another, which is zero where there is none yet.
    ///
    /// libgit2, like git, writes the reference's log first and gives up where that fails. No branch needs
    /// its log, so the reference then moves without an entry.
    ///
    /// # Errors
    /// As libgit2 says them: `Modified` where the reference points elsewhere, `Locked` where somebody moves it.
    pub(crate) fn point(&self, name: &str, to: Oid, from: Oid, why: &str) -> Result<(), git2::Error> {
        // Forced, since a new branch has nothing to be a fast-forward of; the old value decides.
        let point = |git: &Repository| git.reference_matching(name, to, true, from, why).map(drop);
        let Err(error) = point(&self.git) else { return Ok(()) };
        if matches!(error.code(), ErrorCode::Modified | ErrorCode::Exists | ErrorCode::Locked) {
            return Err(error);
        }
        let settings: &[_] = if self.place.flushes { &[FLUSHED, UNLOGGED] } else { &[UNLOGGED] };
        match open_with(&self.place, &self.staging, settings) {
            Ok(unlogged) => point(&unlogged),
            Err(_) => Err(error),
        }
    }
}

/// The repository opened anew, with settings that override its own.
fn open_with(place: &Place, staging: &Path, settings: &[(&str, bool)]) -> Result<Repository, Error> {
    let git = Repository::open(&place.git)?;
    if settings.is_empty() {
        return Ok(git);
    }
    let path = staging.join(SETTINGS);
    let lines: String =
        settings.iter().map(|(key, value)| format!("{} = {value}\n", key.replace("core.", "\t"))).collect();
    fs::write(&path, format!("[core]\n{lines}")).map_err(|error| at(&path, error))?;
    let mut config = git.config()?;
    config.add_file(&path, ConfigLevel::App, false)?;
    // One that stays is cleared by the next run.
    let _ = fs::remove_file(&path);
    for (key, value) in settings {
        if config.get_bool(key)? != *value {
            return Err(Error::NotWritten(path.display().to_string()));
        }
    }
    Ok(git)
}

impl Lock {
    /// The repository opened anew: no object of it is in memory, and its references are flushed before
    /// they get their names. libgit2 asks the settings for that when a reference is first used.
    ///
    /// # Errors
    /// A repository that cannot be opened, or settings that do not hold.
    pub(super) fn open_anew(&self, repo: &Repo) -> Result<Fresh, Error> {
        Fresh::open(Place::of(repo), &self.staging)
    }

    /// Writes the objects as a pack in the staging folder, durable before it is seen; its name.
    fn write_pack(&self, place: &Place, objects: &[PackedObject]) -> Result<String, Error> {
        let folder = place.common.join("objects/pack");
        let packed = pack(objects).map_err(|error| at(&folder, error))?;
        // A killed run may have got this far with the very same objects.
        if !folder.join(file(&packed.name, "idx")).exists() {
            for (suffix, bytes) in [("pack", &packed.pack), ("idx", &packed.index)] {
                let path = self.staging.join(file(&packed.name, suffix));
                write(&path, bytes, place.flushes).map_err(|error| at(&path, error))?;
            }
        }
        Ok(packed.name)
    }

    /// Puts a pack that is in the staging folder, and durable there, where objects are looked for.
    fn publish(&mut self, repo: &Repo, folder: &Path, name: &str) -> Result<(), Error> {
        let stands = folder.join(file(name, "idx")).exists();
        if !stands {
            self.announce(&format!("pack {name}\n"), false)?;
        }
        for suffix in ["pack", "idx"] {
            let (from, to) = (self.staging.join(file(name, suffix)), folder.join(file(name, suffix)));
            if stands {
                let _ = fs::remove_file(from);
            } else {
                fs::rename(from, &to).map_err(|error| at(&to, error))?;
            }
        }
        if repo.flushes() {
            flush_folder(folder).map_err(|error| at(folder, error))?;
        }
        Ok(())
    }

    /// Says that a reference is to be moved, and moves it.
    pub(super) fn moving<T>(
        &mut self,
        repo: &Repo,
        name: &str,
        to: Oid,
        act: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        self.announce(&format!("ref {name} {to}\n"), repo.flushes())?;
        Ok(self.carry_out(repo, name, to, act))
    }

    /// Moves a reference as the lock file says: what a kill leaves of that is cleared by the next run.
    fn carry_out<T>(&self, repo: &Repo, name: &str, to: Oid, act: impl FnOnce() -> T) -> T {
        let moved = act();
        // libgit2 ignores a lock that it could not remove: then the next run is told to.
        let left = repo.git().commondir().join(format!("{name}.lock"));
        let ours = fs::read(&left).is_ok_and(|held| held.trim_ascii() == to.to_string().as_bytes());
        if !ours || fs::remove_file(&left).is_ok() {
            // The branch is where it is: an intent that stays is only looked at once more.
            let _ = self.forget();
        }
        moved
    }

    /// Says in the lock file what is about to happen, too.
    fn announce(&self, intent: &str, flush: bool) -> Result<(), Error> {
        let written = (&self.file)
            .write_all(intent.as_bytes())
            .and_then(|()| if flush { self.file.sync_data() } else { Ok(()) });
        written.map_err(|error| at(&self.staging.join("lock"), error))
    }

    /// Says in the lock file that nothing is about to happen.
    fn forget(&self) -> std::io::Result<()> {
        self.file.set_len(0)?;
        (&self.file).rewind()
    }

    /// Clears what a killed run left: its half-written packs and settings, a pack without index, and its
    /// lock on the branch, which is empty or holds the id it announced.
    fn clear(&self, repo: &Repo, intent: &str) -> std::io::Result<()> {
        for entry in fs::read_dir(&self.staging)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("pack") || name == SETTINGS {
                fs::remove_file(path)?;
            }
        }
        let common = repo.git().commondir();
        for intent in intent.lines() {
            match intent.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["pack", name] if name.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                    let pack = common.join(format!("objects/pack/pack-{name}.pack"));
                    if pack.exists() && !pack.with_extension("idx").exists() {
                        fs::remove_file(pack)?;
                    }
                }
                ["ref", name, id] if super::branch_of(name).is_some() => {
                    let lock = common.join(format!("{name}.lock"));
                    if fs::read(&lock).is_ok_and(|held| held.is_empty() || held.trim_ascii() == id.as_bytes())
                    {
                        fs::remove_file(lock)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The folder of a repository's packs, made where there is none.
fn packs_of(repo: &Repo) -> Result<PathBuf, Error> {
    let objects = repo.git().commondir().join("objects");
    let folder = objects.join("pack");
    if !folder.exists() {
        fs::create_dir(&folder).and_then(|()| flush_folder(&objects)).map_err(|error| at(&folder, error))?;
    }
    Ok(folder)
}

/// The name of one of a pack's files.
fn file(name: &str, suffix: &str) -> String {
    format!("pack-{name}.{suffix}")
}

fn at(path: &Path, error: std::io::Error) -> Error {
    Error::Io { what: "write", path: path.to_owned(), error }
}

fn write(path: &Path, bytes: &[u8], flush: bool) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o444);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    if flush { file.sync_all() } else { Ok(()) }
}

/// Makes renames in a folder durable; systems without folder handles do so themselves.
fn flush_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
