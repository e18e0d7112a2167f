//! The gate of `roundtable check`: two commits, the policy of the base, and a verdict a file.
//!
//! The verdict is a function of the two trees and the policy (S0). Blobs are read raw from the
//! object database: no work tree, no text conversion, no filters, attributes or rename detection.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use git2::Oid;

use crate::additive::{self, Code, Compared, Found, Layer, Loss, Rule, block};
use crate::item::meta;
use crate::policy::Policy;
use crate::repo::{Changed, Error, Now, Object, Repo};

/// One protected path that is not the same any more.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// As people read it; a name that is no UTF-8 is shown as near as can be.
    pub path: String,
    pub old: Oid,
    /// What stands at the path now.
    pub new: Option<Oid>,
    pub violations: Vec<Loss>,
    /// Losses that the policy downgrades.
    pub warnings: Vec<Loss>,
    /// The exception that a commit makes for this path, with its reason.
    pub exception: Option<Exception>,
    /// Blocks of a Markdown file that are new.
    pub added: usize,
}

impl FileReport {
    /// Whether the file keeps what it held, or a considered exception is made.
    pub fn is_additive(&self) -> bool {
        self.violations.is_empty() || self.exception.is_some()
    }
}

/// A commit's trailer `Roundtable-Allow: <path> <reason>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    pub path: String,
    pub reason: String,
    pub commit: Oid,
}

/// What one comparison came to.
#[derive(Clone, Debug)]
pub struct Report {
    pub base: Oid,
    pub head: Oid,
    /// The files that were compared, in path order.
    pub files: Vec<FileReport>,
    /// Paths that were only lost as trees go: nothing of them had to be read.
    pub compared: usize,
}

impl Report {
    pub fn is_additive(&self) -> bool {
        self.files.iter().all(FileReport::is_additive)
    }
}

/// What is compared, and by which rules.
pub struct Gate<'a> {
    pub repo: &'a Repo,
    pub policy: &'a Policy,
    /// The branch that the change is to land on, where that is known.
    pub branch: Option<&'a str>,
    /// Only these paths and what is below them; all where none is given.
    pub paths: &'a [Vec<u8>],
    pub exceptions: &'a [Exception],
}

/// As many files are compared at once as there are processors, from this number on.
const SHARED: usize = 32;

/// Larger files are not read: whether they only grow cannot be told.
const LARGEST: usize = 1 << 30;

impl Gate<'_> {
    /// Compares two trees. `base` and `head` are what the report calls them.
    ///
    /// # Errors
    /// An object that is missing or damaged: then nothing is said about the change.
    pub fn judge(&self, base: (Oid, Option<Oid>), head: (Oid, Option<Oid>)) -> Result<Report, Error> {
        let (old, new) = (base.1, head.1);
        let wanted =
            |path: &[u8]| self.paths.is_empty() || self.paths.iter().any(|only| is_below(path, only));
        let reaches = |folder: &[u8]| {
            self.policy.reaches(folder)
                && (wanted(folder) || self.paths.iter().any(|only| is_below(only, folder)))
        };
        let changed = self.repo.changed(old, new, &reaches)?;
        let mut states = States { repo: self.repo, tree: old, found: BTreeMap::new() };
        let mut jobs = Vec::new();
        for one in changed.into_iter().filter(|one| wanted(&one.path)) {
            let entry = self.policy.entry(&one.path, self.branch, &mut || states.of(&one.path));
            if let Some(entry) = entry {
                jobs.push((one, entry));
            }
        }
        let gone = jobs.iter().any(|(one, _)| one.now == Now::Nothing);
        let moved = if gone { self.moved(old, new)? } else { BTreeMap::new() };
        let compared = jobs.len();
        let one =
            |repo: &Repo, (one, entry): &(Changed, &crate::policy::Entry)| -> Result<FileReport, Error> {
                let path = String::from_utf8_lossy(&one.path).into_owned();
                let rule = entry.rule(&path);
                let outcome = compare(repo, one, &path, rule, entry.written, &moved)?;
                let (warnings, violations) =
                    outcome.losses.into_iter().partition(|loss| entry.warn.contains(&loss.code));
                Ok(FileReport {
                    old: one.old.id,
                    new: match one.now {
                        Now::Object(object) => Some(object.id),
                        Now::Folder | Now::Nothing => None,
                    },
                    exception: self.exceptions.iter().find(|exception| exception.path == path).cloned(),
                    path,
                    violations,
                    warnings,
                    added: outcome.added,
                })
            };
        let files = if jobs.len() < SHARED {
            jobs.iter().map(|job| one(self.repo, job)).collect::<Result<Vec<_>, _>>()?
        } else {
            shared(self.repo, &jobs, &one)?
        };
        Ok(Report { base: base.0, head: head.0, files, compared })
    }

    /// Where blobs stand that are new at their path: a file that is lost may only have moved.
    fn moved(&self, old: Option<Oid>, new: Option<Oid>) -> Result<BTreeMap<Oid, String>, Error> {
        let added = self.repo.changed(new, old, &|_| true)?;
        let added = added.into_iter().filter(|one| one.now == Now::Nothing);
        Ok(added.map(|one| (one.old.id, String::from_utf8_lossy(&one.path).into_owned())).collect())
    }
}

/// Does every job, on all processors; each with a repository of its own, since one cannot be shared.
fn shared<J: Sync>(
    repo: &Repo,
    jobs: &[J],
    one: &(dyn Fn(&Repo, &J) -> Result<FileReport, Error> + Sync),
) -> Result<Vec<FileReport>, Error> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs.len())));
    let work = |repo: &Repo| {
        let mut mine = Vec::new();
        loop {
            let from = next.fetch_add(16, Ordering::Relaxed);
            let Some(some) = jobs.get(from..jobs.len().min(from + 16)).filter(|some| !some.is_empty()) else {
                break;
            };
            mine.extend(some.iter().enumerate().map(|(at, job)| (from + at, one(repo, job))));
        }
        if let Ok(mut done) = done.lock() {
            done.extend(mine);
        }
    };
    std::thread::scope(|scope| -> Result<(), Error> {
        for _ in 1..threads {
            let again = repo.again()?;
            let work = &work;
            scope.spawn(move || work(&again));
        }
        work(repo);
        Ok(())
    })?;
    let mut done = done.into_inner().unwrap_or_default();
    if done.len() != jobs.len() {
        return Err(Error::Damaged("a comparison ended without an outcome".to_owned()));
    }
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, report)| report).collect()
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || folder.is_empty() || rest[0] == b'/')
}

/// The states of items, by the folder that holds a meta.json.
struct States<'a> {
    repo: &'a Repo,
    tree: Option<Oid>,
    /// None where the folder holds no meta.json.
    found: BTreeMap<Vec<u8>, Option<Option<String>>>,
}

impl States<'_> {
    /// `analysis_status` of the item that a path belongs to; none where there is none to be read,
    /// and then every rule holds.
    fn of(&mut self, path: &[u8]) -> Option<String> {
        let mut folder = path;
        loop {
            let slash = folder.iter().rposition(|byte| *byte == b'/')?;
            folder = &folder[..slash];
            if !self.found.contains_key(folder) {
                let state = self.read(folder);
                self.found.insert(folder.to_vec(), state);
            }
            if let Some(Some(state)) = self.found.get(folder) {
                return state.clone();
            }
        }
    }

    fn read(&self, folder: &[u8]) -> Option<Option<String>> {
        let path = format!("{}/{}", std::str::from_utf8(folder).ok()?, meta::FILE);
        let bytes = self.repo.blob_at(self.tree?, &path).ok()??;
        let value: Option<serde_json::Value> = serde_json::from_slice(&bytes).ok();
        Some(value.and_then(|value| value.get("analysis_status")?.as_str().map(str::to_owned)))
    }
}

const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;

fn kind_of(mode: u32) -> &'static str {
    match mode {
        LINK => "a symbolic link",
        SUBMODULE => "a submodule",
        _ => "a file",
    }
}

/// Compares one path: the tree layer first, then what the two objects hold.
fn compare(
    repo: &Repo,
    one: &Changed,
    path: &str,
    rule: Rule,
    written: bool,
    moved: &BTreeMap<Oid, String>,
) -> Result<Compared, Error> {
    let tree = |code, message: String| Compared {
        losses: vec![Found::new(Layer::Tree, code, 1, message).of(path)],
        ..Compared::default()
    };
    let old = one.old;
    let new = match one.now {
        Now::Object(new) => new,
        Now::Folder => return Ok(tree(Code::Type, "a folder stands where this file stood".to_owned())),
        Now::Nothing => {
            let message = match moved.get(&old.id) {
                Some(to) => format!("the file is gone from its path; the same file stands at {to} now"),
                None => "the file is gone".to_owned(),
            };
            return Ok(tree(Code::PathLost, message));
        }
    };
    let (was, is) = (kind_of(old.mode), kind_of(new.mode));
    if was != is {
        return Ok(tree(Code::Type, format!("{was} has become {is}")));
    }
    if old.mode != new.mode {
        let message = format!("the mode went from {:o} to {:o}", old.mode, new.mode);
        let mut found = tree(Code::Mode, message);
        if old.id != new.id {
            found.losses.extend(contents(repo, old, new, path, rule, written)?.losses);
        }
        return Ok(found);
    }
    if old.mode == LINK || old.mode == SUBMODULE {
        return Ok(tree(Code::Opaque, format!("{was} points elsewhere now")));
    }
    contents(repo, old, new, path, rule, written)
}

/// Compares the bytes of two blobs.
fn contents(
    repo: &Repo,
    old: Object,
    new: Object,
    path: &str,
    rule: Rule,
    written: bool,
) -> Result<Compared, Error> {
    let opaque = |message: &str| Compared {
        losses: vec![Found::new(Layer::Data, Code::Opaque, 1, message.to_owned()).of(path)],
        ..Compared::default()
    };
    if rule == Rule::Frozen {
        // Other ids are other bytes: there is nothing to read.
        return Ok(opaque("a file of this kind must stay as it is"));
    }
    if repo.size(old.id)?.max(repo.size(new.id)?) > LARGEST {
        return Ok(opaque("the file is over 1 GiB, so whether it only grew cannot be told"));
    }
    let outcome = repo.with_blob(old.id, |before| {
        repo.with_blob(new.id, |after| match (written, rule) {
            (true, Rule::Markdown) => {
                let blocks = block::compare_written(before, after);
                let losses = blocks.found.into_iter().map(|found| found.of(path)).collect();
                Compared { losses, added: blocks.added }
            }
            _ => additive::compare(path, rule, before, after),
        })
    })??;
    Ok(outcome)
}
