//! What `roundtable check` compares: commits, the index or the files on disk, each with the policies in force and what
//! the change declares (tests/requirements.md).
//!
//! Invariant: the policy is the base's; what a change does to it is told and has no effect on its own verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use git2::Oid;

use super::losses::{self, Unused};
use super::{Gate, Report, judge, protects_anything, replaced};
use crate::additive::Rule;
use crate::additive::declared::Declaration;
use crate::additive::policy::{Entry, Policy};
use crate::git::{Repo, Step, short};
use crate::item::Elsewhere;
use crate::item::config::{self, Config};
use crate::run::clock::{epoch, now};
use crate::run::environment::current_folder;
use crate::run::workspace::Workspace;
use crate::run::{Fail, Observer};
use crate::text::plain;

/// What is to be compared.
#[derive(Clone, Debug, Default)]
pub struct CheckRequest {
    /// Files and folders to look at; none for all that the policies protect.
    pub paths: Vec<PathBuf>,
    /// What the change is to be merged into.
    pub target: Target,
    /// The change, where it is not what the target says.
    pub head: Option<String>,
    /// The base itself is meant, not the common ancestor.
    pub direct: bool,
    /// Every commit on the way is judged.
    pub each: bool,
}

/// What a change is held against.
#[derive(Clone, Debug, Default)]
pub enum Target {
    /// The upstream of the current branch.
    #[default]
    Upstream,
    Revision(String),
    /// A range that is known already, as from an event of Actions.
    Known(Known),
    /// The index, against HEAD.
    Index,
    /// The files on disk, against HEAD.
    Disk,
    /// `old new ref` lines on standard input.
    Pushed,
}

/// A base and a head, and the branch that the change is to land on.
#[derive(Clone, Debug)]
pub struct Known {
    /// None where nothing can be lost.
    pub base: Option<Oid>,
    /// None where nothing is to be judged.
    pub head: Option<Oid>,
    /// The base itself is meant, not the common ancestor.
    pub direct: bool,
    pub branch: Option<String>,
}

/// One comparison that is wanted.
struct Range {
    /// What the report calls the two.
    base: Oid,
    head: Oid,
    /// The trees; none where nothing was there.
    old: Option<Oid>,
    new: Option<Oid>,
    way: Rc<Way>,
    /// A commit of a range, with `--each`.
    of_each: bool,
}

/// What all comparisons came to.
pub struct Checked {
    /// Reports, each with whether it is of one commit of a range.
    pub reports: Vec<(Report, bool)>,
    /// What the change does to the policy.
    pub notices: BTreeSet<String>,
    /// Declared losses that cover nothing.
    pub unused: Vec<Unused>,
    /// Whether the policies let a change declare what it loses.
    pub allows_losses: bool,
    /// Losses are reported only, until this day.
    pub reported_until: Option<String>,
}

impl Checked {
    pub fn is_kept(&self) -> bool {
        self.reports.iter().all(|(report, _)| report.is_kept())
    }
}

/// What a repository without items and without a policy is told, and what protects.
pub const NOTHING_PROTECTED: &str =
    "nothing is protected yet: there is no item, and .roundtable.yaml has no `protect`";
pub const WHAT_PROTECTS: &str =
    "roundtable init protects the layouts that it finds, a first discussion its item";

/// Whether HEAD has nothing that is protected, and no settings say what is.
///
/// # Errors
/// Settings or a tree that cannot be read.
pub fn protects_nothing(repo: &Repo, config: &Config) -> Result<bool, Fail> {
    let policies = [config.policy().map_err(|error| Fail::new(error.what))?];
    let Some(head) = repo.head()? else { return Ok(!policies[0].is_explicit) };
    Ok(!policies[0].is_explicit && !protects_anything(repo, repo.tree_of(head)?, &policies)?)
}

/// Compares what is asked for.
///
/// # Errors
/// What cannot be compared, and a policy that protects nothing.
pub fn check(
    workspace: &Workspace,
    repo: &Repo,
    request: &CheckRequest,
    observer: &dyn Observer,
) -> Result<Checked, Fail> {
    let Ranges { ranges, notes, refused, in_memory } = ranges(workspace, request, repo)?;
    notes.iter().for_each(|note| observer.note(note));
    let reader = in_memory.as_ref().unwrap_or(repo);
    let paths = wanted_paths(request, reader, &ranges)?;
    named_paths_exist(reader, &ranges)?;
    let (judged, unused) = compare(&ranges, &paths, reader, observer)?;
    protects_something(&ranges, &judged, reader, observer)?;
    let policies = || ranges.iter().flat_map(|range| &range.way.policies);
    let is_trial =
        refused.is_empty() && !ranges.is_empty() && ranges.iter().all(|range| is_trial(&range.way.policies));
    let day = policies().find_map(|policy| policy.report_until.clone());
    let judged = judged.into_iter().zip(ranges.iter().map(|range| range.of_each));
    Ok(Checked {
        notices: ranges.iter().flat_map(|range| range.way.notices.clone()).collect(),
        unused,
        allows_losses: policies().all(|policy| policy.allows_losses),
        reported_until: day.filter(|_| is_trial),
        reports: refused.into_iter().map(|report| (report, false)).chain(judged).collect(),
    })
}

/// The first thing that the files on disk have lost since HEAD; none where losses are reported only.
///
/// # Errors
/// What cannot be compared.
pub fn lost_on_disk<T>(
    workspace: &Workspace,
    repo: &Repo,
    show: impl FnMut(&Report) -> Option<T>,
    observer: &dyn Observer,
) -> Result<Option<T>, Fail> {
    let compared = beside_head(workspace, repo, true)?;
    if compared.ranges.iter().any(|range| is_trial(&range.way.policies)) {
        return Ok(None);
    }
    let reader = compared.in_memory.as_ref().unwrap_or(repo);
    let (reports, _) = compare(&compared.ranges, &[], reader, observer)?;
    Ok(reports.iter().find_map(show))
}

/// All that is to be compared.
struct Ranges {
    ranges: Vec<Range>,
    notes: Vec<String>,
    /// Pushes that are refused without a comparison.
    refused: Vec<Report>,
    /// Where trees of the index can be read.
    in_memory: Option<Repo>,
}

/// What all comparisons on the way from a base to a head have in common.
struct Way {
    policies: Vec<Policy>,
    branch: Option<String>,
    /// The commits on the way, where each is judged.
    steps: Vec<Step>,
    /// What the change declares to lose.
    declarations: Vec<Declaration>,
    /// What the change does to the policy itself, and declares in spite of it.
    notices: Vec<String>,
}

/// What is missing; a revision among the paths was meant for `--base`.
fn no_upstream(repo: &Repo, request: &CheckRequest) -> Fail {
    let root = repo.work_tree().unwrap_or_else(|| repo.path());
    let named = request.paths.iter().find_map(|path| {
        let text = path.to_str()?;
        (!root.join(text).exists() && repo.resolve(text).is_ok()).then(|| plain::shown(text))
    });
    match named {
        Some(revision) => Fail::new(format!("{revision} is taken for a path here, and is a revision"))
            .with_hint(format!("did you mean --base {revision}?")),
        None => Fail::new("there is no upstream to compare with")
            .with_hint("name what the change is to be merged into with --base REV"),
    }
}

/// Whether losses are reported only: all policies say so, and the day has not come.
pub fn is_trial(policies: &[Policy]) -> bool {
    let today = epoch().ok().flatten().unwrap_or_else(now).to_string();
    let is_early = |policy: &Policy| policy.report_until.as_deref().is_some_and(|day| today.as_str() < day);
    !policies.is_empty() && policies.iter().all(is_early)
}

/// The comparisons of all ranges, with what is declared taken off, and the declarations that nothing needs.
fn compare(
    ranges: &[Range],
    paths: &[Vec<u8>],
    repo: &Repo,
    observer: &dyn Observer,
) -> Result<(Vec<Report>, Vec<Unused>), Fail> {
    let gates = ranges.iter().map(|range| Gate {
        base: range.base,
        head: range.head,
        old: range.old,
        new: range.new,
        policies: &range.way.policies,
        branch: range.way.branch.as_deref(),
        paths,
    });
    let gates: Vec<Gate<'_>> = gates.collect();
    let mut judged = judged(&gates, repo, observer)?;
    let mut unused = Vec::new();
    for (range, report) in ranges.iter().zip(&mut judged) {
        let left = losses::cover(&range.way.declarations, report);
        // The parts of a range may do without what the whole needs.
        if !range.of_each {
            unused.extend(left);
        }
    }
    Ok((judged, unused))
}

/// A path that an entry names without a wildcard is in the base or in the head: else it is a slip, and what was
/// meant is not protected.
fn named_paths_exist(repo: &Repo, ranges: &[Range]) -> Result<(), Fail> {
    for range in ranges.iter().filter(|range| !range.of_each) {
        let entries = range.way.policies.iter().flat_map(Policy::entries);
        for named in entries.flat_map(Entry::named) {
            let mut is_there = range.old.is_none();
            for tree in [range.old, range.new].into_iter().flatten() {
                is_there = is_there || repo.has_path(tree, Path::new(named))?;
            }
            if !is_there {
                return Err(unknown_path(named, "neither in the base nor in the head"));
            }
        }
    }
    Ok(())
}

fn unknown_path(named: &str, place: &str) -> Fail {
    Fail::new(format!("`protect` names {}, which is {place}", plain::shown(named)))
        .with_hint(format!("correct the path in {}, or remove the entry", config::FILE))
}

/// Refuses a path that the settings protect by its name, and that neither HEAD nor the work tree has: a change
/// that does not add it cannot be checked.
///
/// # Errors
/// Such a path.
pub fn unknown_protected(repo: &Repo, config: &Config) -> Result<(), Fail> {
    let policy = config.policy().map_err(|error| Fail::new(error.what))?;
    let head = repo.head()?.map(|head| repo.tree_of(head)).transpose()?;
    for named in policy.entries().iter().flat_map(Entry::named) {
        let is_on_disk = repo.work_tree().is_some_and(|root| root.join(named).exists());
        let is_in_head = head.map(|tree| repo.has_path(tree, Path::new(named))).transpose()?;
        if !is_on_disk && is_in_head == Some(false) {
            return Err(unknown_path(named, "neither in HEAD nor in the work tree"));
        }
    }
    Ok(())
}

/// Where nothing was compared, something is protected at least: else there is nothing that could be measured.
fn protects_something(
    ranges: &[Range],
    judged: &[Report],
    repo: &Repo,
    observer: &dyn Observer,
) -> Result<(), Fail> {
    for (range, report) in ranges.iter().zip(judged).filter(|(range, _)| !range.of_each) {
        let policies = &range.way.policies;
        let protects_none = |policy: &Policy| policy.entries().iter().all(|entry| entry.rule() == Rule::None);
        let on_purpose = policies.iter().all(|policy| policy.is_explicit && protects_none(policy));
        let Some(old) = range.old.filter(|_| !on_purpose) else { continue };
        let trees = [Some(old), range.new];
        let mut protects = report.compared() > 0;
        for tree in trees.into_iter().flatten() {
            protects = protects || protects_anything(repo, tree, policies)?;
        }
        if !protects {
            let message = "nothing in the base or in the head is protected";
            if policies.iter().any(|policy| policy.is_explicit) {
                let hint = "see `protect` in .roundtable.yaml; `protect: []` protects nothing on purpose";
                return Err(Fail::new(message).with_hint(hint));
            }
            observer.note(&format!("{NOTHING_PROTECTED}; {WHAT_PROTECTS}"));
            continue;
        }
        for glob in unmatched(policies, repo, trees)? {
            observer.warn(&format!(
                "`protect`: {} matches nothing in the base and in the head",
                plain::shown(&glob)
            ));
        }
    }
    Ok(())
}

/// The globs of the policies that match nothing.
fn unmatched(policies: &[Policy], repo: &Repo, trees: [Option<Oid>; 2]) -> Result<BTreeSet<String>, Fail> {
    let mut found = BTreeSet::new();
    for entry in policies.iter().flat_map(Policy::entries).filter(|entry| entry.is_meant()) {
        let mut matches = entry.named().next().is_some();
        for tree in trees.into_iter().flatten() {
            let reaches = |folder: &[u8]| entry.reaches(folder);
            matches =
                matches || crate::git::has_path_where(repo, tree, &reaches, &mut |path| entry.matches(path))?;
        }
        if !matches {
            found.extend(entry.globs().map(str::to_owned));
        }
    }
    Ok(found)
}

/// As many comparisons are made between two looks at the clock.
const PART: usize = 128;

/// All comparisons, in parts, so that it can be said how far they are.
fn judged(gates: &[Gate<'_>], repo: &Repo, observer: &dyn Observer) -> Result<Vec<Report>, Fail> {
    let mut found = Vec::with_capacity(gates.len());
    for part in gates.chunks(PART) {
        found.extend(judge(part, repo)?);
        observer.progress(found.len(), gates.len());
    }
    Ok(found)
}

/// A tree whose settings are read, and what it is called.
pub(super) struct Side {
    pub(super) tree: Oid,
    name: String,
}

impl Side {
    fn of(repo: &Repo, commit: Oid) -> Result<Side, Fail> {
        Ok(Side { tree: repo.tree_of(commit)?, name: format!("commit {}", short(commit)) })
    }

    /// HEAD, where that has a commit.
    pub(super) fn head(repo: &Repo) -> Result<Option<Side>, Fail> {
        repo.head()?.map(|head| Side::of(repo, head)).transpose()
    }
}

/// The settings of a tree.
fn config_at(repo: &Repo, side: &Side) -> Result<Config, Fail> {
    match repo.blob_at(side.tree, config::FILE)? {
        Some(bytes) => Ok(Config::read_version(config::FILE, &bytes, &side.name)?),
        None => Ok(Config::default()),
    }
}

/// The items that are made, in none of the folders that settings name.
type Made<'m> = &'m dyn Fn(&Config) -> Result<Vec<Elsewhere>, Fail>;

/// The policies in force: those of the sides, each once, or that of `--config`; they cover every item of the sides,
/// and those that are made. Where a side cannot be read, a change with settings that can be is held against the
/// defaults and against its own: so it can repair them.
///
/// # Errors
/// A change whose settings cannot be read.
pub(super) fn policies(
    workspace: &Workspace,
    repo: &Repo,
    sides: &[Side],
    change: Option<&Side>,
    made: Made<'_>,
) -> Result<Vec<Policy>, Fail> {
    let operators = workspace.own_settings()?;
    let change = change.filter(|_| operators.is_none()).map(|change| config_at(repo, change)).transpose()?;
    let (mut known, mut configs) = (Vec::new(), Vec::new());
    for side in sides {
        let read = match (&operators, config_at(repo, side), &change) {
            (Some(operators), ..) => vec![operators.clone()],
            (None, Err(fail), Some(change)) if fail.finding.is_some() => {
                vec![Config::default(), change.clone()]
            }
            (None, config, _) => vec![config?],
        };
        for (at, config) in read.into_iter().enumerate() {
            let config = repo.with_items_of(side.tree, config)?;
            let facts = (repo.blob_at(side.tree, config::FILE)?, config.elsewhere.clone(), at);
            if !known.contains(&facts) {
                known.push(facts);
                configs.push(config);
            }
        }
    }
    if configs.is_empty() {
        configs.push(operators.unwrap_or_default());
    }
    for config in &mut configs {
        let made = made(config)?;
        config.elsewhere.extend(made);
    }
    configs.iter().map(|config| config.policy().map_err(|error| Fail::new(error.what))).collect()
}

/// The items of a commit's tree.
fn items_of(repo: &Repo, tree: Oid) -> impl Fn(&Config) -> Result<Vec<Elsewhere>, Fail> {
    move |config| Ok(repo.with_items_of(tree, config.clone())?.elsewhere)
}

/// What a change does to the policy, if anything.
fn policy_notice(workspace: &Workspace, repo: &Repo, old: Option<&Side>, new: &Side) -> Option<String> {
    let old = old?;
    let same = repo.blob_at(old.tree, config::FILE).ok()? == repo.blob_at(new.tree, config::FILE).ok()?;
    if same || workspace.config.is_some() {
        return None;
    }
    let is = config_at(repo, new).ok()?;
    let Ok(was) = config_at(repo, old) else {
        return Some(format!(
            "{} of {} cannot be read; the defaults and the policy of this change are applied to it",
            config::FILE,
            old.name
        ));
    };
    let keys = |config: &Config| {
        (config.protect.clone(), config.losses, config.report_until.clone(), config.items().to_owned())
    };
    (keys(&was) != keys(&is)).then(|| {
        format!("this change alters the policy in {}; the base's policy is applied to it", config::FILE)
    })
}

/// What is to be compared, with notes on what is not.
fn ranges(workspace: &Workspace, request: &CheckRequest, repo: &Repo) -> Result<Ranges, Fail> {
    if let Target::Index | Target::Disk = request.target {
        return beside_head(workspace, repo, matches!(request.target, Target::Disk));
    }
    let mut found = Ranges { ranges: Vec::new(), notes: Vec::new(), refused: Vec::new(), in_memory: None };
    let wanted = match &request.target {
        Target::Pushed => pushed(repo, &mut found.refused)?,
        _ => vec![asked(request, repo, &mut found.notes)?],
    };
    for wanted in wanted {
        let Some(head) = wanted.head else { continue };
        if wanted.bases.is_empty() {
            let change = Side::of(repo, head)?;
            let way = Way {
                policies: policies(workspace, repo, &[], Some(&change), &items_of(repo, change.tree))?,
                branch: wanted.branch.clone(),
                steps: Vec::new(),
                declarations: Vec::new(),
                notices: Vec::new(),
            };
            let new = Some(repo.tree_of(head)?);
            let base = Oid::ZERO_SHA1;
            found.ranges.push(Range { base, head, old: None, new, way: Rc::new(way), of_each: false });
        }
        for (tip, start) in starts(repo, &wanted, head)? {
            let way = Rc::new(way(workspace, repo, &wanted, [start, tip, head], request.each)?);
            compare_from(repo, &way, start, head, request.each, &mut found.ranges)?;
        }
    }
    Ok(found)
}

/// The index, or the files on disk, beside HEAD.
fn beside_head(workspace: &Workspace, repo: &Repo, is_on_disk: bool) -> Result<Ranges, Fail> {
    if repo.work_tree().is_none() {
        let what = if is_on_disk { "files on disk" } else { "index" };
        return Err(Fail::new(format!("a bare repository has no {what}"))
            .with_hint("compare commits with --base and --head"));
    }
    let (base, side) = (repo.head()?.unwrap_or(Oid::ZERO_SHA1), Side::head(repo)?);
    let old = side.as_ref().map(|side| side.tree);
    let (new, reader) = if is_on_disk { repo.disk_tree()? } else { repo.index_tree()? };
    let made = |config: &Config| Ok(reader.new_items(old, new, &config.roots())?);
    let name = if is_on_disk { config::ON_DISK } else { "the index" };
    let change = Side { tree: new, name: name.to_owned() };
    let policies = policies(workspace, &reader, side.as_slice(), Some(&change), &made)?;
    let (declarations, ignored) = losses::declared(&reader, &policies, old, Some(new))?;
    let way = Way {
        declarations,
        policies,
        branch: repo.current_branch(),
        steps: Vec::new(),
        notices: policy_notice(workspace, &reader, side.as_ref(), &change)
            .into_iter()
            .chain(ignored)
            .collect(),
    };
    let range = Range { base, head: Oid::ZERO_SHA1, old, new: Some(new), way: Rc::new(way), of_each: false };
    Ok(Ranges { ranges: vec![range], notes: Vec::new(), refused: Vec::new(), in_memory: Some(reader) })
}

/// Where comparisons begin: the tip that was asked for, and the commit itself. Of two tips with a common start it is
/// one comparison.
fn starts(repo: &Repo, wanted: &ResolvedRange, head: Oid) -> Result<Vec<(Oid, Oid)>, Fail> {
    let mut found: Vec<(Oid, Oid)> = Vec::new();
    let mut unrelated = None;
    for tip in &wanted.bases {
        let bases = if wanted.direct { Ok(vec![*tip]) } else { repo.merge_bases(*tip, head) };
        match bases {
            Ok(bases) => {
                for base in bases {
                    if !found.contains(&(*tip, base)) {
                        found.push((*tip, base));
                    }
                }
            }
            Err(error) => unrelated = Some(error),
        }
    }
    match unrelated {
        // One tip that has something in common is enough where several were tried.
        Some(error) if found.is_empty() => Err(error.into()),
        _ => Ok(found),
    }
}

/// What the comparisons from a start to a head have in common.
fn way(
    workspace: &Workspace,
    repo: &Repo,
    wanted: &ResolvedRange,
    [start, tip, head]: [Oid; 3],
    each: bool,
) -> Result<Way, Fail> {
    let (sides, change) = ([Side::of(repo, start)?, Side::of(repo, tip)?], Side::of(repo, head)?);
    let (old, new) = (sides[0].tree, change.tree);
    let policies = policies(workspace, repo, &sides, Some(&change), &items_of(repo, new))?;
    let steps = if each { repo.commits_between(start, head)? } else { Vec::new() };
    let (declarations, ignored) = losses::declared(repo, &policies, Some(old), Some(new))?;
    let notices = policy_notice(workspace, repo, sides.first(), &change).into_iter().chain(ignored).collect();
    Ok(Way { policies, branch: wanted.branch.clone(), steps, declarations, notices })
}

/// Adds the comparison of a start with a head, and before it those of every commit on the way.
fn compare_from(
    repo: &Repo,
    way: &Rc<Way>,
    start: Oid,
    head: Oid,
    each: bool,
    found: &mut Vec<Range>,
) -> Result<(), Fail> {
    if each {
        let trees: BTreeMap<Oid, Oid> = way.steps.iter().map(|step| (step.commit, step.tree)).collect();
        let tree = |commit: Oid| trees.get(&commit).map_or_else(|| repo.tree_of(commit), |tree| Ok(*tree));
        for step in &way.steps {
            for parent in &step.parents {
                let (old, new) = (Some(tree(*parent)?), Some(step.tree));
                let way = Rc::clone(way);
                found.push(Range { base: *parent, head: step.commit, old, new, way, of_each: true });
            }
        }
    }
    let (old, new) = (Some(repo.tree_of(start)?), Some(repo.tree_of(head)?));
    found.push(Range { base: start, head, old, new, way: Rc::clone(way), of_each: false });
    Ok(())
}

/// A base and a head as they were asked for.
struct ResolvedRange {
    /// What it is to be merged into; none where there is nothing that could be lost.
    bases: Vec<Oid>,
    /// None where nothing is to be judged.
    head: Option<Oid>,
    /// The branch that the change is to land on.
    branch: Option<String>,
    direct: bool,
}

/// The range of the arguments, of an event, or of the upstream.
fn asked(request: &CheckRequest, repo: &Repo, notes: &mut Vec<String>) -> Result<ResolvedRange, Fail> {
    let head = request.head.as_deref().map(|head| resolve(repo, head)).transpose()?;
    let base = match &request.target {
        Target::Known(Known { base, head: known, direct, branch }) => {
            let (bases, direct) = (base.iter().copied().collect(), *direct || request.direct);
            return Ok(ResolvedRange { bases, head: head.or(*known), branch: branch.clone(), direct });
        }
        Target::Revision(base) => base.clone(),
        _ => {
            let found = repo.upstream().ok_or_else(|| no_upstream(repo, request))?;
            notes.push(format!("compared with {found}; --base REV names another"));
            found
        }
    };
    let head = head.map_or_else(|| resolve(repo, "HEAD"), Ok)?;
    let branch = repo.branch_named(&base);
    Ok(ResolvedRange { bases: vec![resolve(repo, &base)?], head: Some(head), branch, direct: request.direct })
}

/// The commit of a revision. A name of several references is refused: git would take one of them, and a tag
/// before a branch.
fn resolve(repo: &Repo, revision: &str) -> Result<Oid, Fail> {
    let meanings = repo.meanings(revision);
    if meanings.is_empty() {
        return Ok(repo.resolve(revision)?);
    }
    Err(Fail::new(format!(
        "\"{}\" may be {}",
        plain::shown(revision),
        meanings.iter().map(|name| plain::shown(name)).collect::<Vec<_>>().join(" or ")
    ))
    .with_hint("write one of them out"))
}

/// The updates of a push: `old new ref` lines on standard input.
fn pushed(repo: &Repo, refused: &mut Vec<Report>) -> Result<Vec<ResolvedRange>, Fail> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(64 << 20).read_to_string(&mut text);
    read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
    let mut found = Vec::new();
    for (at, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || {
            let shown = plain::cut(&plain::one_line(&plain::clean(line)), 80);
            Fail::new(format!("standard input, line {at}: \"{shown}\" is no `old new ref`"))
                .with_hint("git gives such lines to a pre-receive hook")
        };
        let mut words = line.splitn(3, ' ');
        let mut id = || {
            words.next().filter(|id| id.len() == 40).and_then(|id| Oid::from_str(id).ok()).ok_or_else(wrong)
        };
        let (old, new) = (id()?, id()?);
        let name = words.next().filter(|name| name.starts_with("refs/")).ok_or_else(wrong)?;
        if name.starts_with("refs/replace/") {
            refused.push(replaced(&plain::shown(name), old, new));
            continue;
        }
        let branch = name.strip_prefix("refs/heads/").map(str::to_owned);
        // A tag may point at anything; what it points at is judged where it is a commit.
        let commit = |id: Oid| repo.resolve(&id.to_string());
        let (bases, head, direct) = match (old == Oid::ZERO_SHA1, new == Oid::ZERO_SHA1) {
            (_, true) => (Vec::new(), None, true),
            (false, false) => (vec![commit(old)?], Some(commit(new)?), true),
            // A new reference: what it forked from, or where HEAD has no commit, from anything there is.
            (true, false) => match repo.head()? {
                Some(head) => (vec![head], Some(commit(new)?), false),
                None => (repo.tips()?, Some(commit(new)?), false),
            },
        };
        found.push(ResolvedRange { bases, head, branch, direct });
    }
    Ok(found)
}

/// The paths of the arguments, from the repository's root; each must be on one of the sides.
fn wanted_paths(request: &CheckRequest, repo: &Repo, ranges: &[Range]) -> Result<Vec<Vec<u8>>, Fail> {
    let here = current_folder()?;
    let below = PathBuf::from(repo.path_within(&here).unwrap_or_default());
    let mut found = Vec::new();
    for path in &request.paths {
        let mut whole = PathBuf::new();
        for part in below.join(path).components() {
            match part {
                std::path::Component::Normal(name) => whole.push(name),
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir if whole.pop() => {}
                _ => {
                    let shown = plain::shown(&path.display().to_string());
                    return Err(Fail::new(format!("{shown} is not a path in this repository"))
                        .with_hint("name one from the current folder"));
                }
            }
        }
        let mut is_there = whole.as_os_str().is_empty() || ranges.is_empty();
        for tree in ranges.iter().flat_map(|range| [range.old, range.new]).flatten() {
            is_there = is_there || repo.has_path(tree, &whole)?;
        }
        if !is_there {
            let shown = plain::shown(&path.display().to_string());
            return Err(Fail::new(format!("{shown} is neither in the base nor in the head"))
                .with_hint("name a path from the current folder, or none to compare all that is protected"));
        }
        found.push(whole.as_os_str().as_encoded_bytes().to_vec());
    }
    Ok(found)
}
