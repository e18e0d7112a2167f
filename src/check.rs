//! The gate of `roundtable check`: two commits, the policies in force, and a verdict a file.
//!
//! The verdict is a function of the two trees and the policies (S0). Blobs are read raw from the
//! object database: no work tree, no text conversion, no filters, attributes or rename detection.
//!
//! Several policies may be in force, that of the merge base and that of the branch's tip. Of each the
//! entries that apply to a path are looked up, and the path has to pass all of them. A finding is a warning
//! only where every entry that makes it says so.
//!
//! ```no_run
//! use roundtable::check::{Explain, Gate, judge};
//! use roundtable::config::Config;
//! use roundtable::repo::{Repo, Unwritten};
//!
//! let repo = Repo::open(std::path::Path::new(".")).unwrap();
//! let policies = [Config::default().policy().unwrap()];
//! let (base, head) = (repo.resolve("main").unwrap(), repo.resolve("HEAD").unwrap());
//! let tree = |commit| Some(repo.tree_of(commit).unwrap());
//! let (old, new) = (tree(base), tree(head));
//! let gate = Gate { base, head, old, new, policies: &policies, branch: None, paths: &[] };
//! let reports = judge(&[gate], repo.objects(Unwritten::new()), Explain::All).unwrap();
//! assert!(reports[0].is_additive());
//! ```

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError, mpsc};

use git2::{ObjectType, Oid};

use crate::additive::{self, Code, Compared, Found, Layer, Loss, Rule, block};
use crate::item::meta;
use crate::policy::{Entry, Policy};
use crate::repo::{Changed, Error, Now, Object, Objects, Step, changed};

/// One protected path that is not the same any more.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// As people read it; a name that is no UTF-8 is shown as near as can be.
    pub path: String,
    pub old: Oid,
    /// What is at the path now.
    pub new: Option<Oid>,
    pub violations: Vec<Loss>,
    /// Losses that the policy downgrades.
    pub warnings: Vec<Loss>,
    /// The exception that a commit makes for this path, with its reason.
    pub exception: Option<Exception>,
    /// Blocks of a Markdown file that are new.
    pub added: usize,
    /// Only the verdict is known: of the violations one is told, without its details.
    pub is_brief: bool,
    changed: Changed,
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
#[derive(Clone, Copy)]
pub struct Gate<'a> {
    /// What the report calls the two sides.
    pub base: Oid,
    pub head: Oid,
    /// The trees; none where nothing is.
    pub old: Option<Oid>,
    pub new: Option<Oid>,
    /// All of them are in force.
    pub policies: &'a [Policy],
    /// The branch that the change is to land on, where that is known.
    pub branch: Option<&'a str>,
    /// Only these paths and what is below them; all where none is given.
    pub paths: &'a [Vec<u8>],
}

/// Of which violations it is said where the lost text is now. That takes more time than the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explain {
    All,
    /// Those of the first so many files, in the order of the comparisons.
    First(usize),
}

/// So many trees are compared side by side; fewer one after the other, with the files of each side by side.
const MANY: usize = 32;

/// What a thread takes at a time. Where there is no more to do than this, there is one thread.
const PART: usize = 16;

/// Larger files are not read: whether they only grow cannot be told.
const LARGEST: usize = 1 << 30;

/// Judges every pair of trees: many of them side by side, a few each with its files side by side.
///
/// # Errors
/// An object that is missing or damaged: then nothing is said about any of them.
pub fn judge(gates: &[Gate<'_>], objects: Objects, explain: Explain) -> Result<Vec<Report>, Error> {
    let many = gates.len() >= MANY;
    let mut desk = Desk::of(if many { objects.of_history() } else { objects }, explain == Explain::All);
    let mut reports = if many {
        let all = |_: &Objects, give: &mut dyn FnMut(_)| {
            gates.iter().for_each(give);
            Ok(())
        };
        shared(&mut desk, all, &|desk, gate: &Gate<'_>| gate.judge(desk))?
    } else {
        gates.iter().map(|gate| gate.judge_shared(&mut desk)).collect::<Result<Vec<_>, _>>()?
    };
    if let Explain::First(most) = explain {
        desk.explains = true;
        let files = gates.iter().zip(&mut reports);
        let files = files.flat_map(|(gate, report)| report.files.iter_mut().map(move |file| (gate, file)));
        for (gate, file) in files.filter(|(_, file)| file.is_brief).take(most) {
            gate.explain(&mut desk, file)?;
        }
    }
    Ok(reports)
}

/// Whether any of the policies protects anything that is in a tree: if not, there is a mistake.
///
/// # Errors
/// A tree that is missing or damaged.
pub fn protects_anything(objects: &Objects, tree: Oid, policies: &[Policy]) -> Result<bool, Error> {
    let mut is = |path: &[u8]| policies.iter().any(|policy| policy.protects(path));
    let reaches = |folder: &[u8]| policies.iter().any(|policy| policy.reaches(folder));
    crate::repo::holds(objects, tree, &reaches, &mut is)
}

/// A path that is not the same any more, and the entries of the policies that protect it.
type Job<'p> = (Changed, Vec<&'p Entry>);

impl<'p> Gate<'p> {
    fn judge(&self, desk: &mut Desk) -> Result<Report, Error> {
        let mut jobs = Vec::new();
        self.jobs(&desk.objects, &mut |job| jobs.push(job))?;
        let moved = Moved::default();
        let files = jobs.into_iter().map(|job| self.file(desk, job, &moved)).collect::<Result<_, _>>()?;
        Ok(self.report(files))
    }

    /// As [`judge`](Self::judge), on all processors, while the trees are still walked.
    fn judge_shared(&self, desk: &mut Desk) -> Result<Report, Error> {
        let moved = Moved::default();
        let all = |objects: &Objects, give: &mut dyn FnMut(_)| self.jobs(objects, give);
        let files = shared(desk, all, &|desk, job: Job<'_>| self.file(desk, job, &moved))?;
        Ok(self.report(files))
    }

    fn report(&self, files: Vec<FileReport>) -> Report {
        Report { base: self.base, head: self.head, files }
    }

    fn reaches(&self, folder: &[u8]) -> bool {
        self.policies.iter().any(|policy| policy.reaches(folder))
    }

    /// The entries of all policies that apply to a path.
    fn entries(&self, states: &mut States<'_>, path: &[u8]) -> Vec<&'p Entry> {
        let mut found: Vec<&Entry> = Vec::new();
        for policy in self.policies {
            for entry in policy.applying(path, self.branch, &mut || states.of(path)) {
                if !found.iter().any(|known| known.judges_like(entry)) {
                    found.push(entry);
                }
            }
        }
        found
    }

    /// Gives out the protected paths that are not the same any more.
    fn jobs(&self, objects: &Objects, give: &mut dyn FnMut(Job<'p>)) -> Result<(), Error> {
        let wanted =
            |path: &[u8]| self.paths.is_empty() || self.paths.iter().any(|only| is_below(path, only));
        let reaches = |folder: &[u8]| {
            self.reaches(folder) && (wanted(folder) || self.paths.iter().any(|only| is_below(only, folder)))
        };
        let mut states = States { objects, tree: self.old, found: BTreeMap::new() };
        changed(objects, self.old, self.new, &reaches, &mut |one| {
            if !wanted(&one.path) {
                return;
            }
            let entries = self.entries(&mut states, &one.path);
            if !entries.is_empty() {
                give((one, entries));
            }
        })
    }

    fn file(&self, desk: &mut Desk, job: Job<'_>, moved: &Moved) -> Result<FileReport, Error> {
        let (one, entries) = job;
        let path = String::from_utf8_lossy(&one.path).into_owned();
        let moved = match one.now {
            Now::Nothing => moved.to(one.old.id, || self.moved(&desk.objects))?,
            Now::Object(_) | Now::Folder | Now::Twin(_) => None,
        };
        // Where the policy lets some findings pass, all have to be known.
        let explains = desk.explains || entries.iter().any(|entry| !entry.warn.is_empty());
        let (mut violations, mut warnings, mut added): (Vec<Loss>, Vec<Loss>, usize) = Default::default();
        for entry in &entries {
            let how = How { rule: entry.rule(&path), written: entry.written, explains };
            let outcome = compare(desk, &one, &path, how, moved.as_deref())?;
            added = added.max(outcome.added);
            for loss in outcome.losses {
                let list = if entry.warn.contains(&loss.code) { &mut warnings } else { &mut violations };
                if !list.contains(&loss) {
                    list.push(loss);
                }
            }
        }
        warnings.retain(|loss| !violations.contains(loss));
        Ok(FileReport {
            old: one.old.id,
            new: match one.now {
                Now::Object(object) => Some(object.id),
                Now::Twin(_) => Some(one.old.id),
                Now::Folder | Now::Nothing => None,
            },
            exception: None,
            path,
            is_brief: !explains && !violations.is_empty(),
            violations,
            warnings,
            added,
            changed: one,
        })
    }

    /// Says of a file that was judged briefly what is wrong with it.
    fn explain(&self, desk: &mut Desk, file: &mut FileReport) -> Result<(), Error> {
        let entries = {
            let mut states = States { objects: &desk.objects, tree: self.old, found: BTreeMap::new() };
            self.entries(&mut states, &file.changed.path)
        };
        let told = self.file(desk, (file.changed.clone(), entries), &Moved::default())?;
        file.violations = told.violations;
        file.is_brief = false;
        Ok(())
    }

    /// Where blobs are that are new at their path: a file that is lost may only have moved.
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

/// A push to a reference that replaces objects: whatever it replaces, every later check would read another
/// object than the one that was named.
pub fn replaced(reference: &str, old: Oid, new: Oid) -> Report {
    let message = "objects are not replaced".to_owned();
    let loss = Found::new(Layer::Tree, Code::ReplaceRef, 1, message).at(reference);
    let file = FileReport {
        path: reference.to_owned(),
        old,
        new: None,
        violations: vec![loss],
        warnings: Vec::new(),
        exception: None,
        added: 0,
        is_brief: false,
        changed: Changed { path: Vec::new(), old: Object { id: old, mode: 0 }, now: Now::Nothing },
    };
    Report { base: old, head: new, files: vec![file] }
}

/// The exceptions that count for a comparison: a trailer covers only what its own commit loses.
///
/// A file is excepted if there is a way from the base to the head on which every commit keeps the file or has
/// a trailer for it.
pub struct Exceptions<'a> {
    /// The commits between base and head, the oldest first.
    pub steps: &'a [&'a Step],
    pub trailers: &'a [Exception],
}

impl Exceptions<'_> {
    /// Marks the files of a report that are excepted.
    ///
    /// # Errors
    /// An object that is missing or damaged.
    pub fn apply(&self, gate: &Gate<'_>, report: &mut Report, objects: &Objects) -> Result<(), Error> {
        let mut desk = Desk::of(objects.again(), false);
        for file in report.files.iter_mut().filter(|file| !file.violations.is_empty()) {
            let own: Vec<&Exception> =
                self.trailers.iter().filter(|trailer| trailer.path == file.path).collect();
            if !own.is_empty() {
                file.exception = self.covering(gate, &mut desk, &file.changed.path, &own)?.cloned();
            }
        }
        Ok(())
    }

    fn covering<'e>(
        &self,
        gate: &Gate<'_>,
        desk: &mut Desk,
        path: &[u8],
        own: &[&'e Exception],
    ) -> Result<Option<&'e Exception>, Error> {
        let trees: HashMap<Oid, Oid> = self.steps.iter().map(|step| (step.commit, step.tree)).collect();
        let mut reached: HashSet<Oid> = HashSet::from([gate.base]);
        let (mut last, paths) = (None, [path.to_vec()]);
        for step in self.steps {
            let covered = own.iter().find(|trailer| trailer.commit == step.commit);
            for parent in
                step.parents.iter().filter(|parent| reached.contains(*parent)).copied().collect::<Vec<_>>()
            {
                let old = if parent == gate.base { gate.old } else { trees.get(&parent).copied() };
                let pair = Gate {
                    base: parent,
                    head: step.commit,
                    old,
                    new: Some(step.tree),
                    paths: &paths,
                    ..*gate
                };
                let keeps = pair.judge(desk)?.is_additive();
                if keeps || covered.is_some() {
                    reached.insert(step.commit);
                }
                if !keeps {
                    last = covered.copied().or(last);
                }
            }
        }
        Ok(last.filter(|_| reached.contains(&gate.head)))
    }
}

/// Where blobs are that are new at their path, looked for once something is gone.
#[derive(Default)]
struct Moved(Mutex<Option<BTreeMap<Oid, String>>>);

impl Moved {
    /// Where a blob is now; `find` looks for all of them.
    fn to(
        &self,
        blob: Oid,
        find: impl FnOnce() -> Result<BTreeMap<Oid, String>, Error>,
    ) -> Result<Option<String>, Error> {
        // Its last holder set it whole, or not at all.
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
    /// Whether it is to be said what became of what is lost.
    explains: bool,
    /// Pairs that were compared before and lost nothing, with the blocks that were new. The same
    /// pair comes up again at every merge of a range.
    known: HashMap<(Oid, Oid, Rule, bool), usize, foldhash::fast::RandomState>,
}

impl Desk {
    fn of(objects: Objects, explains: bool) -> Desk {
        Desk { objects, explains, known: HashMap::default() }
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
        // The lock is held while waiting: the next caller would wait as well.
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
                    let (mut desk, work) = (Desk::of(desk.objects.again(), desk.explains), &work);
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
    /// `analysis_status` of every item that a path may belong to: of all folders on the way up that hold a
    /// meta.json, so that one that is nearer cannot lift a rule. What cannot be read is unknown.
    fn of(&mut self, path: &[u8]) -> Vec<Option<String>> {
        let (mut folder, mut all) = (path, Vec::new());
        while let Some(slash) = folder.iter().rposition(|byte| *byte == b'/') {
            folder = &folder[..slash];
            if !self.found.contains_key(folder) {
                let state = self.read(folder);
                self.found.insert(folder.to_vec(), state);
            }
            if let Some(Some(state)) = self.found.get(folder)
                && !all.contains(state)
            {
                all.push(state.clone());
            }
        }
        all
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

const fn is_blob(mode: u32) -> bool {
    mode != LINK && mode != SUBMODULE
}

fn kind_of(mode: u32) -> &'static str {
    match mode {
        LINK => "a symbolic link",
        SUBMODULE => "a submodule",
        _ => "a file",
    }
}

/// How one path is compared.
#[derive(Clone, Copy)]
struct How {
    rule: Rule,
    /// Only what roundtable wrote counts.
    written: bool,
    explains: bool,
}

/// Compares one path: the tree layer first, then what the two objects hold.
fn compare(
    desk: &mut Desk,
    one: &Changed,
    path: &str,
    how: How,
    moved: Option<&str>,
) -> Result<Compared, Error> {
    let tree = |code, message: String| Compared {
        losses: vec![Found::new(Layer::Tree, code, 1, message).at(path)],
        ..Compared::default()
    };
    let old = one.old;
    let new = match &one.now {
        Now::Object(new) => *new,
        Now::Folder => return Ok(tree(Code::Type, "a folder is where this file was".to_owned())),
        Now::Nothing => {
            let message = match moved {
                Some(to) => format!("the file is gone from its path; the same file is at {to} now"),
                None => "the file is gone".to_owned(),
            };
            return Ok(tree(Code::PathLost, message));
        }
        Now::Twin(twin) => {
            let twin = String::from_utf8_lossy(twin);
            return Ok(tree(Code::PathTwin, format!("the new path {twin} is the same on some file systems")));
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
            found.losses.extend(contents(desk, old, new, path, how)?.losses);
        }
        return Ok(found);
    }
    if !is_blob(old.mode) {
        return Ok(tree(Code::Opaque, format!("{was} points elsewhere now")));
    }
    contents(desk, old, new, path, how)
}

/// Compares the bytes of two blobs.
fn contents(desk: &mut Desk, old: Object, new: Object, path: &str, how: How) -> Result<Compared, Error> {
    let opaque = |found: Found| Compared { losses: vec![found.at(path)], ..Compared::default() };
    let changed = "a file of this kind must stay as it is";
    if how.rule == Rule::Frozen && !how.explains {
        // Other ids are other bytes: there is nothing to read.
        return Ok(opaque(Found::new(Layer::Data, Code::Opaque, 1, changed.to_owned())));
    }
    let pair = (old.id, new.id, how.rule, how.written);
    if let Some(added) = desk.known.get(&pair) {
        return Ok(Compared { losses: Vec::new(), added: *added });
    }
    let before = desk.objects.read(old.id, ObjectType::Blob)?;
    let after = desk.objects.read(new.id, ObjectType::Blob)?;
    if before.len().max(after.len()) > LARGEST {
        let message = "the file is over 1 GiB, so whether it only grew cannot be told".to_owned();
        return Ok(opaque(Found::new(Layer::Data, Code::Opaque, 1, message)));
    }
    if how.written && how.rule == Rule::Markdown {
        let blocks = block::compare_written(&before, &after);
        let losses = blocks.found.into_iter().map(|found| found.at(path)).collect();
        return Ok(Compared { losses, added: blocks.added });
    }
    let outcome = match how.explains {
        true => additive::compare(path, how.rule, &before, &after),
        false => additive::compare_briefly(path, how.rule, &before, &after),
    };
    if outcome.losses.is_empty() {
        desk.known.insert(pair, outcome.added);
    }
    Ok(outcome)
}
