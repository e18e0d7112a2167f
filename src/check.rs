//! The gate of `roundtable check`: two commits, the policy of the base, and a verdict a file.
//!
//! The verdict is a function of the two trees and the policy (S0). Blobs are read raw from the
//! object database: no work tree, no text conversion, no filters, attributes or rename detection.
//!
//! ```no_run
//! use roundtable::check::{Gate, judge};
//! use roundtable::config::Config;
//! use roundtable::repo::{Repo, Unwritten};
//!
//! let repo = Repo::open(std::path::Path::new(".")).unwrap();
//! let policy = Config::default().policy().unwrap();
//! let (base, head) = (repo.resolve("main").unwrap(), repo.resolve("HEAD").unwrap());
//! let tree = |commit| Some(repo.tree_of(commit).unwrap());
//! let (old, new) = (tree(base), tree(head));
//! let gate = Gate { base, head, old, new, policy: &policy, branch: None, paths: &[], exceptions: &[] };
//! let reports = judge(&[gate], repo.objects(Unwritten::new())).unwrap();
//! assert!(reports[0].is_additive());
//! ```

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError, mpsc};

use git2::{ObjectType, Oid};

use crate::additive::{self, Code, Compared, Found, Layer, Loss, Rule, block};
use crate::item::meta;
use crate::policy::{Entry, Policy};
use crate::repo::{Changed, Error, Now, Object, Objects, changed};

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
}

impl Report {
    /// How many protected paths differ, and were therefore compared.
    pub fn compared(&self) -> usize {
        self.files.len()
    }

    pub fn is_additive(&self) -> bool {
        self.files.iter().all(FileReport::is_additive)
    }
}

/// Two trees that are to be compared, and by which rules.
pub struct Gate<'a> {
    /// What the report calls the two sides.
    pub base: Oid,
    pub head: Oid,
    /// The trees; none where nothing stands.
    pub old: Option<Oid>,
    pub new: Option<Oid>,
    pub policy: &'a Policy,
    /// The branch that the change is to land on, where that is known.
    pub branch: Option<&'a str>,
    /// Only these paths and what is below them; all where none is given.
    pub paths: &'a [Vec<u8>],
    pub exceptions: &'a [Exception],
}

/// So many trees are compared side by side; fewer one behind the other, with the files of each side by side.
const MANY: usize = 32;

/// What a thread takes at a time. Where there is no more to do than this, there is one thread.
const PART: usize = 16;

/// Larger files are not read: whether they only grow cannot be told.
const LARGEST: usize = 1 << 30;

/// Judges every pair of trees: many of them side by side, a few each with its files side by side.
///
/// # Errors
/// An object that is missing or damaged: then nothing is said about any of them.
pub fn judge(gates: &[Gate<'_>], objects: Objects) -> Result<Vec<Report>, Error> {
    if gates.len() < MANY {
        let mut desk = Desk::of(objects);
        return gates.iter().map(|gate| gate.judge_shared(&mut desk)).collect();
    }
    let mut desk = Desk::of(objects.of_history());
    let all = |_: &Objects, give: &mut dyn FnMut(_)| {
        gates.iter().for_each(give);
        Ok(())
    };
    shared(&mut desk, all, &|desk, gate: &Gate<'_>| gate.judge(desk))
}

/// Whether a policy protects anything that stands in a tree: one that does not is a mistake.
///
/// # Errors
/// A tree that is missing or damaged.
pub fn protects_anything(objects: &Objects, tree: Oid, policy: &Policy) -> Result<bool, Error> {
    let mut is = |path: &[u8]| policy.entry(path, None, &mut || None).is_some();
    crate::repo::holds(objects, tree, &|folder| policy.reaches(folder), &mut is)
}

/// A path that is not the same any more, and the entry of the policy that protects it.
type Job<'p> = (Changed, &'p Entry);

impl<'p> Gate<'p> {
    fn judge(&self, desk: &mut Desk) -> Result<Report, Error> {
        let mut jobs = Vec::new();
        self.jobs(&desk.objects, &mut |job| jobs.push(job))?;
        let moved = Moved::default();
        let files = jobs.iter().map(|job| self.file(desk, job, &moved)).collect::<Result<_, _>>()?;
        Ok(Report { base: self.base, head: self.head, files })
    }

    /// As [`judge`](Self::judge), on all processors, while the trees are still walked.
    fn judge_shared(&self, desk: &mut Desk) -> Result<Report, Error> {
        let moved = Moved::default();
        let all = |objects: &Objects, give: &mut dyn FnMut(_)| self.jobs(objects, give);
        let files = shared(desk, all, &|desk, job: Job<'_>| self.file(desk, &job, &moved))?;
        Ok(Report { base: self.base, head: self.head, files })
    }

    /// Gives out the protected paths that are not the same any more.
    fn jobs(&self, objects: &Objects, give: &mut dyn FnMut(Job<'p>)) -> Result<(), Error> {
        let wanted =
            |path: &[u8]| self.paths.is_empty() || self.paths.iter().any(|only| is_below(path, only));
        let reaches = |folder: &[u8]| {
            self.policy.reaches(folder)
                && (wanted(folder) || self.paths.iter().any(|only| is_below(only, folder)))
        };
        let mut states = States { objects, tree: self.old, found: BTreeMap::new() };
        changed(objects, self.old, self.new, &reaches, &mut |one| {
            if !wanted(&one.path) {
                return;
            }
            let entry = self.policy.entry(&one.path, self.branch, &mut || states.of(&one.path));
            if let Some(entry) = entry {
                give((one, entry));
            }
        })
    }

    fn file(&self, desk: &mut Desk, job: &Job<'_>, moved: &Moved) -> Result<FileReport, Error> {
        let (one, entry) = job;
        let path = String::from_utf8_lossy(&one.path).into_owned();
        let moved = match one.now {
            Now::Nothing => moved.to(one.old.id, || self.moved(&desk.objects))?,
            Now::Object(_) | Now::Folder => None,
        };
        let outcome = compare(desk, one, &path, entry.rule(&path), entry.written, moved.as_deref())?;
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
    }

    /// Where blobs stand that are new at their path: a file that is lost may only have moved.
    fn moved(&self, objects: &Objects) -> Result<BTreeMap<Oid, String>, Error> {
        let mut found = BTreeMap::new();
        changed(objects, self.new, self.old, &|_| true, &mut |one| {
            if one.now == Now::Nothing {
                found.insert(one.old.id, String::from_utf8_lossy(&one.path).into_owned());
            }
        })?;
        Ok(found)
    }
}

/// Where blobs stand that are new at their path, looked for once something is gone.
#[derive(Default)]
struct Moved(Mutex<Option<BTreeMap<Oid, String>>>);

impl Moved {
    /// Where a blob stands now; `find` looks for all of them.
    fn to(
        &self,
        blob: Oid,
        find: impl FnOnce() -> Result<BTreeMap<Oid, String>, Error>,
    ) -> Result<Option<String>, Error> {
        // Whoever held it set it whole, or not at all.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match &mut *known {
            Some(known) => known,
            unknown => unknown.insert(find()?),
        };
        Ok(known.get(&blob).cloned())
    }
}

/// What comparing needs.
struct Desk {
    objects: Objects,
    /// Pairs that were compared before and lost nothing, with the blocks that were new. The same
    /// pair comes up again at every merge of a range.
    known: HashMap<(Oid, Oid, Rule, bool), usize, foldhash::fast::RandomState>,
}

impl Desk {
    fn of(objects: Objects) -> Desk {
        Desk { objects, known: HashMap::default() }
    }
}

/// Does every job that `find` gives out, on all processors and while it still finds more; the outcomes in
/// the order of the jobs.
fn shared<J: Send, T: Send>(
    desk: &mut Desk,
    find: impl FnOnce(&Objects, &mut dyn FnMut(J)) -> Result<(), Error>,
    one: &(dyn Fn(&mut Desk, J) -> Result<T, Error> + Sync),
) -> Result<Vec<T>, Error> {
    type Part<J> = (usize, Vec<J>);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let (send, receive) = mpsc::channel::<Part<J>>();
    let (receive, done) = (Mutex::new(receive), Mutex::new(Vec::new()));
    let work = |desk: &mut Desk| {
        let mut mine = Vec::new();
        // The lock is held while waiting: whoever comes next would wait as well.
        let next = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        while let Some((from, part)) = next() {
            let outcomes: Vec<_> = part.into_iter().map(|job| one(desk, job)).collect();
            mine.push((from, outcomes));
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut mine);
    };
    let mut count = 0;
    std::thread::scope(|scope| {
        let mut part = Vec::with_capacity(PART);
        let found = find(&desk.objects, &mut |job| {
            part.push(job);
            if part.len() < PART {
                return;
            }
            if count == 0 {
                for _ in 1..threads {
                    let (mut desk, work) = (Desk::of(desk.objects.again()), &work);
                    scope.spawn(move || work(&mut desk));
                }
            }
            // Nobody can have hung up: the receiver lives as long as this function.
            let _ = send.send((count, std::mem::replace(&mut part, Vec::with_capacity(PART))));
            count += PART;
        });
        let rest = part.len();
        let _ = send.send((count, part));
        count += rest;
        drop(send);
        work(desk);
        found
    })?;
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_unstable_by_key(|(from, _)| *from);
    if done.iter().map(|(_, outcomes)| outcomes.len()).sum::<usize>() != count {
        return Err(Error::Damaged("a comparison ended without an outcome".to_owned()));
    }
    let mut all = Vec::with_capacity(count);
    for outcome in done.into_iter().flat_map(|(_, outcomes)| outcomes) {
        all.push(outcome?);
    }
    Ok(all)
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || folder.is_empty() || rest[0] == b'/')
}

/// The states of items, by the folder that holds a meta.json.
struct States<'a> {
    objects: &'a Objects,
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
        // What cannot be read is not known: then every rule holds.
        let tree = self.tree?;
        let Ok(bytes) = self.objects.repo().and_then(|repo| repo.blob_at(tree, &path)) else {
            return Some(None);
        };
        let bytes = bytes?;
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
    desk: &mut Desk,
    one: &Changed,
    path: &str,
    rule: Rule,
    written: bool,
    moved: Option<&str>,
) -> Result<Compared, Error> {
    let tree = |code, message: String| Compared {
        losses: vec![Found::new(Layer::Tree, code, 1, message).at(path)],
        ..Compared::default()
    };
    let old = one.old;
    let new = match one.now {
        Now::Object(new) => new,
        Now::Folder => return Ok(tree(Code::Type, "a folder stands where this file stood".to_owned())),
        Now::Nothing => {
            let message = match moved {
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
            found.losses.extend(contents(desk, old, new, path, rule, written)?.losses);
        }
        return Ok(found);
    }
    if old.mode == LINK || old.mode == SUBMODULE {
        return Ok(tree(Code::Opaque, format!("{was} points elsewhere now")));
    }
    contents(desk, old, new, path, rule, written)
}

/// Compares the bytes of two blobs.
fn contents(
    desk: &mut Desk,
    old: Object,
    new: Object,
    path: &str,
    rule: Rule,
    written: bool,
) -> Result<Compared, Error> {
    let opaque = |message: &str| Compared {
        losses: vec![Found::new(Layer::Data, Code::Opaque, 1, message.to_owned()).at(path)],
        ..Compared::default()
    };
    if rule == Rule::Frozen {
        // Other ids are other bytes: there is nothing to read.
        return Ok(opaque("a file of this kind must stay as it is"));
    }
    let pair = (old.id, new.id, rule, written);
    if let Some(added) = desk.known.get(&pair) {
        return Ok(Compared { losses: Vec::new(), added: *added });
    }
    let before = desk.objects.read(old.id, ObjectType::Blob)?;
    let after = desk.objects.read(new.id, ObjectType::Blob)?;
    if before.len().max(after.len()) > LARGEST {
        return Ok(opaque("the file is over 1 GiB, so whether it only grew cannot be told"));
    }
    if written && rule == Rule::Markdown {
        let blocks = block::compare_written(&before, &after);
        let losses = blocks.found.into_iter().map(|found| found.at(path)).collect();
        return Ok(Compared { losses, added: blocks.added });
    }
    let outcome = additive::compare(path, rule, &before, &after);
    if outcome.losses.is_empty() {
        desk.known.insert(pair, outcome.added);
    }
    Ok(outcome)
}
