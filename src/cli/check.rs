//! `roundtable check`: does a change only add? (contract, section 7)

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use git2::Oid;

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, complete, open, read_file, report};
use crate::check::{self, Exception, Gate, Report};
use crate::config::{self, Config};
use crate::policy::Policy;
use crate::repo::{Objects, Repo, Step, Unwritten, WayBack, short};

#[derive(Debug, Default, Args)]
#[command(
    after_help = "Examples: roundtable check --base origin/main\n          roundtable check --staged\n\nExit codes: 0 only additions; 1 something is lost or changed; 2 it could not be measured."
)]
pub struct Options {
    /// Files and folders to look at; all that the policy protects where none is named
    paths: Vec<PathBuf>,
    /// What the change is to be merged into [default: the event in Actions, else the upstream]
    #[arg(long, value_name = "REV", add = ArgValueCandidates::new(complete::revisions))]
    base: Option<String>,
    /// The change [default: HEAD]
    #[arg(long, value_name = "REV", add = ArgValueCandidates::new(complete::revisions))]
    head: Option<String>,
    /// Compare with the base itself, not with the common ancestor
    #[arg(long)]
    direct: bool,
    /// Compare the index with HEAD, as a pre-commit hook does
    #[arg(long, conflicts_with_all = ["base", "head", "direct", "each"])]
    staged: bool,
    /// Read `old new ref` lines from standard input, as a pre-receive hook does
    #[arg(long, conflicts_with_all = ["base", "head", "direct", "staged"])]
    stdin: bool,
    /// Judge every commit on the way, not only the sum
    #[arg(long)]
    each: bool,
    /// How to report [default: github in Actions, else human]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Human,
    Json,
    Github,
    Sarif,
}

/// One comparison that is wanted.
struct Range {
    /// What the report calls the two.
    base: Oid,
    head: Oid,
    /// The trees; none where nothing stood there.
    old: Option<Oid>,
    new: Option<Oid>,
    way: Rc<Way>,
    /// A commit of a range, with `--each`.
    of_each: bool,
}

/// All that is to be compared.
struct Ranges {
    ranges: Vec<Range>,
    notes: Vec<String>,
    /// Trees of the index.
    unwritten: Unwritten,
}

/// What all comparisons on the way from a base to a head have in common.
struct Way {
    policy: Policy,
    branch: Option<String>,
    exceptions: Vec<Exception>,
}

/// Judges, and reports in the wanted form.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let format = match (options.format, global.json) {
        (Some(Format::Json) | None, true) => Format::Json,
        (Some(_), true) => {
            return Err(Fail::new("--json and --format say different things; leave one of them out"));
        }
        (Some(format), false) => format,
        (None, false) if screen.is_runner() => Format::Github,
        (None, false) => Format::Human,
    };
    let repo = open_here(global)?;
    repo.trust_objects();
    let Ranges { ranges, notes, unwritten } = ranges(global, options, &repo)?;
    for note in &notes {
        screen.note(note);
    }
    let paths = wanted_paths(options, &repo, &ranges)?;
    let objects = repo.objects(unwritten);
    let gates = ranges.iter().map(|range| Gate {
        base: range.base,
        head: range.head,
        old: range.old,
        new: range.new,
        policy: &range.way.policy,
        branch: range.way.branch.as_deref(),
        paths: &paths,
        exceptions: &range.way.exceptions,
    });
    let gates: Vec<Gate<'_>> = gates.collect();
    let spare = objects.again();
    let judged = judged(&gates, objects, screen)?;
    if let (Some(last), Some(report)) = (ranges.last(), judged.last())
        && let (0, Some(tree)) = (report.compared(), last.old)
        && !check::protects_anything(&spare, tree, &last.way.policy)?
    {
        screen.warn("nothing that stands in the base is protected: see `append_only` in .roundtable.yaml");
    }
    let reports: Vec<(Report, bool)> =
        judged.into_iter().zip(&ranges).map(|(report, range)| (report, range.of_each)).collect();
    let additive = reports.iter().all(|(report, _)| report.is_additive());
    report::write(&repo, &reports, format, screen)?;
    // The process ends: taking thousands of reports apart first only takes time.
    std::mem::forget(reports);
    screen.check().map_err(Fail::new)?;
    Ok(if additive { Code::Yes } else { Code::No })
}

/// As many comparisons are made between two looks at the clock.
const PART: usize = 128;

/// All comparisons; where somebody waits in parts, so that it can be said how far they are.
fn judged(gates: &[Gate<'_>], objects: Objects, screen: &Screen) -> Result<Vec<Report>, Fail> {
    if !screen.shows_progress() || gates.len() <= PART {
        return Ok(check::judge(gates, objects)?);
    }
    let mut found = Vec::with_capacity(gates.len());
    for part in gates.chunks(PART) {
        found.extend(check::judge(part, objects.again())?);
        screen.progress(found.len(), gates.len());
    }
    Ok(found)
}

/// The repository of the options; in a hook, the one that git's own variables name. `git commit --all` and
/// `git commit FILE` name an index of their own, and no folder.
pub fn open_here(global: &Global) -> Result<Repo, Fail> {
    #[allow(clippy::disallowed_methods)]
    let in_hook = ["GIT_DIR", "GIT_INDEX_FILE"].iter().any(|name| std::env::var_os(name).is_some());
    if global.repo.is_none() && in_hook {
        return Ok(Repo::open_from_env(Path::new("GIT_DIR"))?);
    }
    open(global)
}

/// The settings that hold at a commit, or those of `--config`.
fn policy(global: &Global, repo: &Repo, tree: Option<Oid>) -> Result<Policy, Fail> {
    let config = if let Some(path) = &global.config {
        let name = crate::plain::shown(&path.display().to_string());
        Config::read(&name, &read_file(path, 1 << 20)?)?
    } else {
        let bytes = tree.map_or(Ok(None), |tree| repo.blob_at(tree, config::FILE))?;
        bytes.map_or(Ok(Config::default()), |bytes| Config::read(config::FILE, &bytes))?
    };
    config.policy().map_err(Fail::new)
}

/// What is to be compared, with notes on what is not.
fn ranges(global: &Global, options: &Options, repo: &Repo) -> Result<Ranges, Fail> {
    if options.staged {
        if repo.work_tree().is_none() {
            return Err(Fail::new("a bare repository has no index; compare commits with --base and --head"));
        }
        let head = repo.head()?;
        let old = head.map(|head| repo.tree_of(head)).transpose()?;
        let policy = policy(global, repo, old)?;
        let (new, unwritten) = repo.index_tree()?;
        let base = head.unwrap_or(Oid::ZERO_SHA1);
        let branch = repo.current_branch();
        let way = Rc::new(Way { policy, branch, exceptions: Vec::new() });
        let range = Range { base, head: Oid::ZERO_SHA1, old, new: Some(new), way, of_each: false };
        return Ok(Ranges { ranges: vec![range], notes: Vec::new(), unwritten });
    }
    let objects = repo.objects(Unwritten::new());
    let mut notes = Vec::new();
    let mut found = Vec::new();
    let wanted = if options.stdin { pushed(repo)? } else { vec![asked(options, repo, &mut notes)?] };
    for wanted in wanted {
        let Wanted { base, head, branch, direct } = wanted;
        let Some(head) = head else { continue };
        let mut straight = None;
        let start = match base {
            None => None,
            Some(base) if direct => Some(base),
            Some(base) => Some(match objects.way_back(base, head) {
                WayBack::Straight(steps) => {
                    straight = Some(steps);
                    base
                }
                WayBack::Ancestor => base,
                WayBack::Unknown => repo.merge_base(base, head)?,
            }),
        };
        let old = start.map(|start| repo.tree_of(start)).transpose()?;
        let policy = policy(global, repo, old)?;
        let exceptions = match (policy.allow_exceptions, start) {
            (true, Some(start)) => exceptions(repo, start, head)?,
            _ => Vec::new(),
        };
        let way = Rc::new(Way { policy, branch, exceptions });
        let base = start.unwrap_or(Oid::ZERO_SHA1);
        if let (true, Some(start)) = (options.each, start) {
            let steps = straight.map_or_else(|| repo.commits_between(start, head), Ok)?;
            let trees: BTreeMap<Oid, Oid> = steps.iter().map(|step| (step.commit, step.tree)).collect();
            let tree =
                |commit: Oid| trees.get(&commit).map_or_else(|| repo.tree_of(commit), |tree| Ok(*tree));
            for step in &steps {
                for parent in &step.parents {
                    let (old, new) = (Some(tree(*parent)?), Some(step.tree));
                    let way = Rc::clone(&way);
                    found.push(Range { base: *parent, head: step.commit, old, new, way, of_each: true });
                }
            }
        }
        let new = Some(repo.tree_of(head)?);
        found.push(Range { base, head, old, new, way, of_each: false });
    }
    Ok(Ranges { ranges: found, notes, unwritten: Unwritten::new() })
}

/// A base and a head as they were asked for.
struct Wanted {
    /// None where there is nothing that could be lost.
    base: Option<Oid>,
    /// None where nothing is to be judged.
    head: Option<Oid>,
    /// The branch that the change is to land on.
    branch: Option<String>,
    direct: bool,
}

/// The range of the arguments, of the event in Actions, or of the upstream.
fn asked(options: &Options, repo: &Repo, notes: &mut Vec<String>) -> Result<Wanted, Fail> {
    if options.base.is_none()
        && let Some(event) = super::event::Event::read()?
    {
        let (base, head, direct) = event.range(repo)?;
        let head = match &options.head {
            Some(head) => Some(repo.resolve(head)?),
            None => head,
        };
        return Ok(Wanted { base, head, branch: event.branch(), direct: direct || options.direct });
    }
    let base = match &options.base {
        Some(base) => base.clone(),
        None => {
            let found = repo.upstream().ok_or_else(|| {
                Fail::new("there is no upstream to compare with; name what the change is to be merged into with --base REV")
            })?;
            notes.push(format!("compared with {found}; --base REV names another"));
            found
        }
    };
    let head = repo.resolve(options.head.as_deref().unwrap_or("HEAD"))?;
    let branch = repo.branch_named(&base);
    Ok(Wanted { base: Some(repo.resolve(&base)?), head: Some(head), branch, direct: options.direct })
}

/// The updates of a push: `old new ref` lines on standard input.
fn pushed(repo: &Repo) -> Result<Vec<Wanted>, Fail> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(64 << 20).read_to_string(&mut text);
    read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
    let mut found = Vec::new();
    for (at, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || {
            let shown = crate::plain::cut(&crate::plain::one_line(&crate::plain::clean(line)), 80);
            Fail::new(format!(
                "standard input, line {at}: \"{shown}\" is no `old new ref`; git gives such lines to a pre-receive hook"
            ))
        };
        let mut words = line.splitn(3, ' ');
        let mut id = || {
            words.next().filter(|id| id.len() == 40).and_then(|id| Oid::from_str(id).ok()).ok_or_else(wrong)
        };
        let (old, new) = (id()?, id()?);
        let name = words.next().filter(|name| name.starts_with("refs/")).ok_or_else(wrong)?;
        let branch = name.strip_prefix("refs/heads/").map(str::to_owned);
        // A tag may point at anything; what it points at is judged where it is a commit.
        let commit = |id: Oid| repo.resolve(&id.to_string());
        let (base, head, direct) = match (old == Oid::ZERO_SHA1, new == Oid::ZERO_SHA1) {
            (_, true) => (None, None, true),
            (false, false) => (Some(commit(old)?), Some(commit(new)?), true),
            (true, false) => (repo.head()?, Some(commit(new)?), false),
        };
        found.push(Wanted { base, head, branch, direct });
    }
    Ok(found)
}

/// The exceptions that commits make: trailers `Roundtable-Allow: <path> <reason>`.
fn exceptions(repo: &Repo, base: Oid, head: Oid) -> Result<Vec<Exception>, Fail> {
    let mut found = Vec::new();
    for Step { commit, .. } in repo.commits_between(base, head)? {
        let message = repo.message_of(commit)?;
        let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
        for line in last.lines() {
            let Some(value) = line.strip_prefix("Roundtable-Allow:") else { continue };
            if let Some((path, reason)) = value.trim().split_once(char::is_whitespace) {
                found.push(Exception { path: path.to_owned(), reason: reason.trim().to_owned(), commit });
            }
        }
    }
    Ok(found)
}

/// The paths of the arguments, from the repository's root; each must stand on one of the sides.
fn wanted_paths(options: &Options, repo: &Repo, ranges: &[Range]) -> Result<Vec<Vec<u8>>, Fail> {
    let here = super::current_folder()?;
    let below = repo.work_tree().and_then(|root| {
        let (root, here) = (root.canonicalize().ok()?, here.canonicalize().ok()?);
        here.strip_prefix(root).ok().map(Path::to_owned)
    });
    let mut found = Vec::new();
    for path in &options.paths {
        let mut whole = PathBuf::new();
        for part in below.clone().unwrap_or_default().join(path).components() {
            match part {
                std::path::Component::Normal(name) => whole.push(name),
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir if whole.pop() => {}
                _ => {
                    let shown = crate::plain::shown(&path.display().to_string());
                    return Err(Fail::new(format!(
                        "{shown} is no path in this repository; name one from the current folder"
                    )));
                }
            }
        }
        let mut stands = whole.as_os_str().is_empty() || ranges.is_empty();
        for tree in ranges.iter().flat_map(|range| [range.old, range.new]).flatten() {
            stands = stands || repo.stands(tree, &whole)?;
        }
        if !stands {
            let shown = crate::plain::shown(&path.display().to_string());
            return Err(Fail::new(format!(
                "{shown} stands neither in the base nor in the head; name a path from the current folder, or none to compare all that is protected"
            )));
        }
        found.push(whole.as_os_str().as_encoded_bytes().to_vec());
    }
    Ok(found)
}

/// What a report calls the two sides.
pub fn sides(report: &Report) -> (String, String) {
    let name = |id: Oid, empty: &str| if id == Oid::ZERO_SHA1 { empty.to_owned() } else { short(id) };
    (name(report.base, "nothing"), name(report.head, "the index"))
}
