//! The gate of `roundtable check`: two commits, the policies in force, and a verdict a file.
//!
//! The verdict is a function of the two trees and the policies (G-S0). Blobs are read raw from the
//! object database: no work tree, no text conversion, no filters, attributes or rename detection.
//!
//! Several policies may be in force, that of the merge base and that of the branch's tip. Of each the
//! entries that apply to a path are looked up, and the strictest rule among them holds.
//!
//! ```no_run
//! use roundtable::run::check::{Gate, judge};
//! use roundtable::item::config::Config;
//! use roundtable::git::Repo;
//!
//! let repo = Repo::open(std::path::Path::new(".")).unwrap();
//! let policies = [Config::default().policy().unwrap()];
//! let (base, head) = (repo.resolve("main").unwrap(), repo.resolve("HEAD").unwrap());
//! let tree = |commit| Some(repo.tree_of(commit).unwrap());
//! let (old, new) = (tree(base), tree(head));
//! let gate = Gate { base, head, old, new, policies: &policies, branch: None, paths: &[] };
//! let reports = judge(&[gate], &repo).unwrap();
//! assert!(reports[0].is_kept());
//! ```

pub mod agent_hook;
pub mod candidate;
pub mod decisions;
mod deltas;
pub mod hook;
pub mod losses;
pub mod ranges;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use git2::Oid;

use crate::additive::policy::{Entry, Policy};
use crate::additive::{self, Class, Comparison, Demand, Finding, Format, Kind, Rule, content};
use crate::git::{After, ChangedPath, Error, PathObject, Repo, compare_trees, differing_paths};
use crate::item::meta;
use crate::text::plain;

/// One protected path that is not the same any more.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// As people read it; a name that is no UTF-8 is shown as near as can be.
    pub path: String,
    pub old: Oid,
    /// What is at the path now.
    pub new: Option<Oid>,
    pub compared: Comparison,
    /// What was asked of it.
    demand: Demand,
}

impl FileReport {
    pub fn findings(&self) -> &[Finding] {
        &self.compared.findings
    }

    /// Whether nothing is lost that is not declared.
    pub fn is_kept(&self) -> bool {
        !self.findings().iter().any(Finding::fails)
    }

    /// One line on a file of which little is left.
    pub fn catastrophe(&self) -> Option<String> {
        let Comparison { kept_lines, lines, .. } = self.compared;
        let is_one = !self.is_kept() && 2 * kept_lines < lines && lines - kept_lines > MANY_LINES;
        is_one.then(|| format!("{} keeps {kept_lines} of {lines} lines", plain::shown(&self.path)))
    }
}

/// A file keeps less than half of its lines and loses more than this: that is said first.
const MANY_LINES: usize = 20;

/// What one comparison came to.
#[derive(Clone, Debug)]
pub struct Report {
    pub base: Oid,
    pub head: Oid,
    /// The files that were compared, in path order.
    pub files: Vec<FileReport>,
    /// How many other files are changed or gone: no rule protects them.
    pub unprotected: usize,
}

impl Report {
    /// How many protected paths differ, and were therefore compared.
    pub fn compared(&self) -> usize {
        self.files.len()
    }

    pub fn is_kept(&self) -> bool {
        self.files.iter().all(FileReport::is_kept)
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

/// So many trees are compared side by side; fewer one after the other, with the files of each side by side.
const MANY: usize = 32;

/// The jobs that are worth a thread.
const PART: usize = 16;

/// Larger files are not read: whether they only grow cannot be told.
const LARGEST: usize = 1 << 30;

/// Judges every pair of trees: many of them side by side, a few each with its files side by side.
///
/// # Errors
/// An object that is missing or damaged: then nothing is said about any of them.
pub fn judge(gates: &[Gate<'_>], repo: &Repo) -> Result<Vec<Report>, Error> {
    let mut desk = Comparer::of(repo);
    if gates.len() >= MANY {
        return shared(&mut desk, gates.iter().collect(), &|desk, gate: &Gate<'_>| gate.judge(desk));
    }
    gates.iter().map(|gate| gate.judge_shared(&mut desk)).collect()
}

/// Whether any of the policies protects anything that is in a tree: if not, there is a mistake.
///
/// # Errors
/// A tree that is missing or damaged.
pub fn protects_anything(repo: &Repo, tree: Oid, policies: &[Policy]) -> Result<bool, Error> {
    let mut is = |path: &[u8]| policies.iter().any(|policy| policy.protects(path));
    let reaches = |folder: &[u8]| policies.iter().any(|policy| policy.reaches(folder));
    crate::git::has_path_where(repo, tree, &reaches, &mut is)
}

/// A path that is not the same any more, and the entries of the policies that protect it.
type Job<'p> = (ChangedPath, Vec<&'p Entry>);

impl<'p> Gate<'p> {
    fn judge(&self, desk: &mut Comparer<'_>) -> Result<Report, Error> {
        let jobs = self.jobs(desk.repo)?.into_iter();
        let added = Added::default();
        let files = jobs.map(|job| self.file(desk, job, &added)).collect::<Result<Vec<_>, _>>()?;
        self.report(desk, files.into_iter().flatten().collect(), &added)
    }

    /// As [`judge`](Self::judge), on all processors.
    fn judge_shared(&self, desk: &mut Comparer<'_>) -> Result<Report, Error> {
        let added = Added::default();
        let jobs = self.jobs(desk.repo)?;
        let files = shared(desk, jobs, &|desk, job: Job<'_>| self.file(desk, job, &added))?;
        self.report(desk, files.into_iter().flatten().collect(), &added)
    }

    fn report(
        &self,
        desk: &Comparer<'_>,
        mut files: Vec<FileReport>,
        added: &Added,
    ) -> Result<Report, Error> {
        self.find_in_other_files(desk, &mut files, added)?;
        let unprotected = if self.paths.is_empty() { self.count_unprotected(desk.repo)? } else { 0 };
        Ok(Report { base: self.base, head: self.head, files, unprotected })
    }

    fn count_unprotected(&self, repo: &Repo) -> Result<usize, Error> {
        let mut count = 0;
        differing_paths(repo, self.old, self.new, &|_| true, &mut |one| {
            let is_protected = self.policies.iter().any(|policy| policy.protects(&one.path));
            count += usize::from(!is_protected);
        })?;
        Ok(count)
    }

    fn reaches(&self, folder: &[u8]) -> bool {
        self.policies.iter().any(|policy| policy.reaches(folder))
    }

    fn protects(&self, path: &str) -> bool {
        self.policies.iter().any(|policy| policy.protects(path.as_bytes()))
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

    /// The protected paths that are not the same any more.
    fn jobs(&self, repo: &Repo) -> Result<Vec<Job<'p>>, Error> {
        let wanted =
            |path: &[u8]| self.paths.is_empty() || self.paths.iter().any(|only| is_below(path, only));
        let reaches = |folder: &[u8]| {
            self.reaches(folder) && (wanted(folder) || self.paths.iter().any(|only| is_below(only, folder)))
        };
        let mut states = States { repo, tree: self.old, found: BTreeMap::new() };
        let mut jobs = Vec::new();
        compare_trees(repo, self.old, self.new, &reaches, &mut |one| {
            if !wanted(&one.path) {
                return;
            }
            let entries = self.entries(&mut states, &one.path);
            if !entries.is_empty() {
                jobs.push((one, entries));
            }
        })?;
        Ok(jobs)
    }

    /// Judges one path; nothing where its life cycle leaves it free.
    fn file(
        &self,
        desk: &mut Comparer<'_>,
        job: Job<'_>,
        added: &Added,
    ) -> Result<Option<FileReport>, Error> {
        let (one, entries) = job;
        let path = String::from_utf8_lossy(&one.path).into_owned();
        let before = match is_blob(one.old.mode) {
            true => desk.read(one.old.id)?,
            false => Bytes::default(),
        };
        let beside = |name: &str| self.read_beside(desk.repo, &path, name);
        let mut demands: Vec<(&Entry, Demand)> =
            entries.iter().map(|entry| (*entry, entry.demand(&before, &beside))).collect();
        let rule = demands.iter().map(|(_, demand)| demand.rule).max().unwrap_or_default();
        demands.retain(|(_, demand)| demand.rule == rule);
        if rule == Rule::None || rule == Rule::Written && !content::holds_written(&before) {
            return Ok(None);
        }
        let mut whole: Option<FileReport> = None;
        for (entry, demand) in demands {
            let Some(mut compared) = self.compare(desk, &one, &path, entry, &demand, (&before, added))?
            else {
                return Ok(None);
            };
            self.cover_described(desk, entry, &path, &mut compared, (&before, added))?;
            match &mut whole {
                None => {
                    let new = match one.after {
                        After::Object(object) => Some(object.id),
                        After::Twin(_) => Some(one.old.id),
                        After::Folder | After::Nothing => None,
                    };
                    whole = Some(FileReport { path: path.clone(), old: one.old.id, new, compared, demand });
                }
                Some(file) => join(&mut file.compared, compared),
            }
        }
        Ok(whole)
    }

    /// A file of the folder that a path is in, as it was.
    fn read_beside(&self, repo: &Repo, path: &str, name: &str) -> Option<Bytes> {
        let tree = self.old?;
        // What cannot be read says nothing: then the rule holds.
        repo.blob_at(tree, &beside(path, name)).ok()?
    }

    /// Declares what the change itself describes.
    fn cover_described(
        &self,
        desk: &Comparer<'_>,
        entry: &Entry,
        path: &str,
        compared: &mut Comparison,
        (before, added): (&Bytes, &Added),
    ) -> Result<(), Error> {
        let Some(deltas) = entry.deltas().filter(|_| compared.findings.iter().any(Finding::fails)) else {
            return Ok(());
        };
        if !self.policies.iter().all(|policy| policy.allows_losses) {
            return Ok(());
        }
        let mut described = Vec::new();
        for (file, id) in added.paths(|| self.added(desk.repo))?.iter() {
            if deltas.describes(path, file) {
                described.push((file.clone(), desk.read(*id)?));
            }
        }
        deltas::cover(&mut compared.findings, before, &described);
        Ok(())
    }

    /// Compares one path: the tree first, then what the two objects hold. None where a record moved as it may.
    fn compare(
        &self,
        desk: &mut Comparer<'_>,
        one: &ChangedPath,
        path: &str,
        entry: &Entry,
        demand: &Demand,
        (before, added): (&Bytes, &Added),
    ) -> Result<Option<Comparison>, Error> {
        let old = one.old;
        let new = match &one.after {
            After::Object(new) => *new,
            After::Nothing => {
                let others = added.paths(|| self.added(desk.repo))?;
                if let Some((_, id)) = others.iter().find(|(to, _)| entry.may_move(path, to)) {
                    let after = desk.read(*id)?;
                    let compared = additive::compare(path, demand, before, &after);
                    return Ok((!compared.findings.is_empty()).then_some(compared));
                }
                let to = others.iter().find(|(_, id)| *id == old.id).map(|(to, _)| to.as_str());
                return Ok(Some(self.lost(path, demand, to, before)));
            }
            After::Folder => {
                return Ok(Some(lost(
                    Kind::Type,
                    "a folder is where this file was".to_owned(),
                    path,
                    before,
                )));
            }
            After::Twin(twin) => {
                return Ok(Some(twin_of_tree(&String::from_utf8_lossy(twin), before)));
            }
        };
        let (was, is) = (kind_of(old.mode), kind_of(new.mode));
        if was != is {
            return Ok(Some(lost(Kind::Type, format!("{was} has become {is}"), path, before)));
        }
        if !is_blob(old.mode) {
            return Ok(Some(of_tree(Kind::Opaque, format!("{was} points elsewhere now"), before)));
        }
        let mut compared = contents(desk, old, new, path, demand)?;
        let states =
            entry.goes_back(before, &desk.read(new.id)?, &|name| self.read_beside(desk.repo, path, name));
        compared.findings.extend(states.map(|(was, is)| gone_back(was, is)));
        if old.mode != new.mode {
            let message = format!("the mode went from {:o} to {:o}", old.mode, new.mode);
            join(&mut compared, of_tree(Kind::Mode, message, before));
        }
        Ok(Some(compared))
    }

    /// The finding for a file that is gone from its path; the same content may be elsewhere.
    fn lost(&self, path: &str, demand: &Demand, to: Option<&str>, before: &[u8]) -> Comparison {
        let is_strict = demand.rule == Rule::Strict;
        let (kind, message) = match to {
            Some(to) if is_strict => {
                (Kind::PathLost, format!("the file is gone from its path; the same file is at {to} now"))
            }
            Some(to) if self.protects(to) => (Kind::Renamed, format!("the file is at {to} now")),
            Some(to) => (Kind::Gone, format!("the file is at {to} now, where nothing protects it")),
            None if is_strict => (Kind::PathLost, "the file is gone".to_owned()),
            None => (Kind::Gone, "the file is gone".to_owned()),
        };
        let mut compared = lost(kind, message, path, before);
        for finding in &mut compared.findings {
            finding.hint = Kind::PathLost.hint().to_owned();
            finding.severity = demand.severity(finding.class, kind, false);
            finding.new = to.map(str::to_owned);
        }
        compared
    }

    /// Content that is gone from one protected file may be in another one: then it has moved.
    fn find_in_other_files(
        &self,
        desk: &Comparer<'_>,
        files: &mut [FileReport],
        added: &Added,
    ) -> Result<(), Error> {
        let is_open = |finding: &Finding| finding.kind == Kind::Gone && finding.new.is_none();
        if !files.iter().any(|file| file.findings().iter().any(is_open)) {
            return Ok(());
        }
        let mut gained: HashMap<String, (usize, String)> = HashMap::new();
        let mut gain = |path: &str, before: HashMap<String, usize>, after: HashMap<String, usize>| {
            for (text, count) in after {
                let more = count.saturating_sub(before.get(&text).copied().unwrap_or(0));
                if more > 0 && text.split_whitespace().count() > 1 {
                    gained.entry(text).or_insert((0, path.to_owned())).0 += more;
                }
            }
        };
        for file in files.iter() {
            if let Some(new) = file.new.filter(|new| *new != file.old) {
                let format = Format::of(&file.path);
                let (before, after) = (desk.read(file.old)?, desk.read(new)?);
                gain(&file.path, content::texts(format, &before), content::texts(format, &after));
            }
        }
        for (path, id) in
            added.paths(|| self.added(desk.repo))?.iter().filter(|(path, _)| self.protects(path))
        {
            gain(path, HashMap::new(), content::texts(Format::of(path), &desk.read(*id)?));
        }
        for file in files {
            let demand = &file.demand;
            for finding in file.compared.findings.iter_mut().filter(|finding| is_open(finding)) {
                let Some((count, to)) =
                    gained.get_mut(&content::fold::folded(&finding.old)).filter(|(count, _)| *count > 0)
                else {
                    continue;
                };
                *count -= 1;
                finding.message = format!("\"{}\" is in {to} now", additive::quoted(&finding.old));
                finding.hint = Kind::Moved.hint().to_owned();
                (finding.class, finding.kind) = (Class::Changed, Kind::Moved);
                finding.severity = demand.severity(Class::Changed, Kind::Moved, false);
            }
            let worst = file.compared.findings.iter().map(|finding| finding.class).max();
            file.compared.class = worst.unwrap_or(Class::Kept);
        }
        Ok(())
    }

    /// The paths that are new, with their blobs.
    fn added(&self, repo: &Repo) -> Result<Vec<(String, Oid)>, Error> {
        let mut found = Vec::new();
        differing_paths(repo, self.new, self.old, &|_| true, &mut |one| {
            if one.after == After::Nothing && is_blob(one.old.mode) {
                found.push((String::from_utf8_lossy(&one.path).into_owned(), one.old.id));
            }
        })?;
        Ok(found)
    }
}

/// A finding about the path itself; the content is there.
fn of_tree(kind: Kind, message: String, before: &[u8]) -> Comparison {
    let mut compared = additive::compare("", &Demand::of(Rule::None), before, before);
    compared.class = Class::Changed;
    compared.findings.push(Finding::new(kind, 1, message));
    compared
}

/// A finding for a file that has got a twin.
fn twin_of_tree(twin: &str, before: &[u8]) -> Comparison {
    let message = format!("the new path {twin} is the same on some file systems");
    of_tree(Kind::PathTwin, message, before)
}

/// A finding for a whole file that is not there any more.
fn lost(kind: Kind, message: String, path: &str, before: &[u8]) -> Comparison {
    let mut finding = Finding::new(kind, 1, message);
    finding.old = path.to_owned();
    finding.is_of_file = true;
    additive::lost_file(finding, before)
}

/// Adds what another entry of a policy finds in a file; of two equal findings the stricter one stays.
fn join(file: &mut Comparison, other: Comparison) {
    for finding in other.findings {
        let is_same = |known: &&mut Finding| {
            (known.kind, known.line, &known.old, &known.message)
                == (finding.kind, finding.line, &finding.old, &finding.message)
        };
        match file.findings.iter_mut().find(is_same) {
            Some(known) => known.severity = known.severity.max(finding.severity),
            None => file.findings.push(finding),
        }
    }
    file.class = file.class.max(other.class);
    file.kept_lines = file.kept_lines.min(other.kept_lines);
}

/// A push to a reference that replaces objects: whatever it replaces, every later check would read another
/// object than the one that was named.
pub fn replaced(reference: &str, old: Oid, new: Oid) -> Report {
    let compared = of_tree(Kind::ReplaceRef, "objects are not replaced".to_owned(), b"");
    let file =
        FileReport { path: reference.to_owned(), old, new: None, compared, demand: Demand::of(Rule::Strict) };
    Report { base: old, head: new, files: vec![file], unprotected: 0 }
}

/// Files that are new at their path: each with its blob.
type AddedPaths = std::sync::Arc<Vec<(String, Oid)>>;

/// Files that are new at their path, looked for once something is gone.
#[derive(Default)]
struct Added(Mutex<Option<AddedPaths>>);

impl Added {
    fn paths(&self, find: impl FnOnce() -> Result<Vec<(String, Oid)>, Error>) -> Result<AddedPaths, Error> {
        // Its last holder set it whole, or not at all.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = Some(std::sync::Arc::new(find()?));
        }
        Ok(known.clone().unwrap_or_default())
    }
}

/// The path of another file in a file's folder.
fn beside(path: &str, name: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    }
}

/// What a policy says of a text that would be written to a path. `read` reads another file of the repository.
pub fn judge_text(
    policies: &[Policy],
    path: &str,
    before: &[u8],
    after: &[u8],
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Option<FileReport> {
    let applying = policies.iter().flat_map(|policy| policy.applying(path.as_bytes(), None, &mut Vec::new));
    let near = |name: &str| read(&beside(path, name));
    let demand = applying.map(|entry| entry.demand(before, &near)).max_by_key(|demand| demand.rule)?;
    let is_free =
        demand.rule == Rule::None || demand.rule == Rule::Written && !content::holds_written(before);
    let compared = additive::compare(path, &demand, before, after);
    let (old, new) = (Oid::ZERO_SHA1, None);
    (!is_free).then(|| FileReport { path: path.to_owned(), old, new, compared, demand })
}

/// What is said of a new file whose path is that of `path` on some file systems.
pub fn twin_report(path: &str, twin: &str, before: &[u8]) -> FileReport {
    let (old, demand) = (Oid::ZERO_SHA1, Demand::of(Rule::Content));
    FileReport { path: path.to_owned(), old, new: None, compared: twin_of_tree(twin, before), demand }
}

/// The bytes of a blob.
type Bytes = Vec<u8>;

/// What comparing needs.
struct Comparer<'r> {
    repo: &'r Repo,
    /// Pairs that were compared before and lost nothing. The same pair comes up again at every merge of a range.
    known: HashMap<(Oid, Oid, Format, Demand), Comparison, foldhash::fast::RandomState>,
}

impl Comparer<'_> {
    fn of(repo: &Repo) -> Comparer<'_> {
        Comparer { repo, known: HashMap::default() }
    }

    fn read(&self, id: Oid) -> Result<Bytes, Error> {
        self.repo.bytes(id)
    }
}

/// Does every job, on all processors where there are many; the outcomes in the order of the jobs.
fn shared<J: Send, T: Send>(
    desk: &mut Comparer<'_>,
    jobs: Vec<J>,
    one: &(dyn Fn(&mut Comparer<'_>, J) -> Result<T, Error> + Sync),
) -> Result<Vec<T>, Error> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let threads = threads.min(jobs.len().div_ceil(PART));
    let left = Mutex::new(jobs.into_iter().enumerate());
    let work = |desk: &mut Comparer<'_>| {
        let take = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        std::iter::from_fn(take).map(|(at, job)| (at, one(desk, job))).collect::<Vec<_>>()
    };
    let mut done = std::thread::scope(|scope| {
        // Without a reader of its own a thread has nothing to do; this one does it all.
        let readers = (1..threads).map_while(|_| desk.repo.again().ok());
        let others: Vec<_> = readers.map(|repo| scope.spawn(|| work(&mut Comparer::of(&{ repo })))).collect();
        let mut done = work(desk);
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, outcome)| outcome).collect()
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
        let Ok(bytes) = self.repo.blob_at(tree, &path) else {
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

/// Compares the bytes of two blobs.
/// A record that becomes a draft again.
fn gone_back(was: String, is: String) -> Finding {
    let message = format!("the status goes back from {was} to {is}, in which the text is free");
    Finding {
        old: was,
        new: Some(is),
        hint: "put the old status back; a new record supersedes an accepted one".to_owned(),
        ..Finding::new(Kind::Wording, 1, message)
    }
}

fn contents(
    desk: &mut Comparer<'_>,
    old: PathObject,
    new: PathObject,
    path: &str,
    demand: &Demand,
) -> Result<Comparison, Error> {
    let key = (old.id, new.id, Format::of(path), demand.clone());
    if let Some(known) = desk.known.get(&key) {
        return Ok(known.clone());
    }
    let (before, after) = (desk.read(old.id)?, desk.read(new.id)?);
    if before.len().max(after.len()) > LARGEST {
        let message = "the file is over 1 GiB, so whether it only grew cannot be told".to_owned();
        return Ok(of_tree(Kind::Opaque, message, b""));
    }
    let compared = additive::compare(path, demand, &before, &after);
    if compared.findings.is_empty() {
        desk.known.insert(key, compared.clone());
    }
    Ok(compared)
}
