//! `roundtable check`: does a change lose anything? (docs/spec/gate.md)

mod candidate;
mod hook;
pub mod losses;

pub use self::losses::Unused;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::{Args, ValueEnum};
use git2::Oid;

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open, report};
use crate::additive::Rule;
use crate::additive::declared::Declaration;
use crate::additive::policy::Policy;
use crate::cli::agent_hook::Agent;
use crate::git::{Objects, Repo, Step, Unwritten, WayBack, short};
use crate::github::event::Event;
use crate::item::Elsewhere;
use crate::item::config::{self, Config};
use crate::run::check::{self, Gate, Report};
use crate::run::files::read_file;

#[derive(Debug, Default, Args)]
#[command(
    after_help = "Examples: roundtable check --base origin/main\n          roundtable check --staged\n          roundtable check --staged --declare \"the desk has no till any more\"\n\nExit codes: 0 nothing is lost; 1 something is lost or changed; 2 it could not be measured."
)]
pub struct Options {
    /// Files and folders to look at; all that the policy protects where none is named
    paths: Vec<PathBuf>,
    /// What the change is to be merged into [default: the event in Actions, else the upstream]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The change [default: HEAD]
    #[arg(long, value_name = "REV")]
    head: Option<String>,
    /// Compare with the base itself, not with the common ancestor
    #[arg(long)]
    direct: bool,
    /// Compare the index with HEAD, as a pre-commit hook does
    #[arg(long, conflicts_with_all = ["base", "head", "direct", "each"])]
    staged: bool,
    /// Compare the files as they are on disk with HEAD
    #[arg(long, conflicts_with_all = ["base", "head", "direct", "each", "staged", "stdin"])]
    worktree: bool,
    /// Compare the text on standard input, which would be written to PATH, with what is there
    #[arg(long, value_name = "PATH", conflicts_with_all = ["paths", "base", "head", "direct", "each", "staged", "stdin", "worktree"])]
    candidate: Option<PathBuf>,
    /// Answer the hook of an agent, which sends what its tool is about to write, or that its turn ends
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["paths", "base", "head", "direct", "each", "staged", "stdin", "worktree", "candidate", "declare", "format"])]
    hook: Option<Agent>,
    /// Declare what is lost, and why: writes a file below .roundtable/losses
    #[arg(long, value_name = "REASON", conflicts_with_all = ["candidate", "stdin", "each"])]
    declare: Option<String>,
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

impl Format {
    /// The format that the flags ask for; in Actions the runner's, unless another is named.
    pub fn wanted(given: Option<Format>, screen: &Screen) -> Result<Format, Fail> {
        match (given, screen.is_json()) {
            (Some(Format::Json) | None, true) => Ok(Format::Json),
            (Some(_), true) => {
                Err(Fail::new("--json and --format say different things").with_hint("leave one of them out"))
            }
            (Some(format), false) => Ok(format),
            (None, false) if screen.is_runner() => Ok(Format::Github),
            (None, false) => Ok(Format::Human),
        }
    }
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

/// All that is to be compared.
struct Ranges {
    ranges: Vec<Range>,
    notes: Vec<String>,
    /// Pushes that are refused without a comparison.
    refused: Vec<Report>,
    /// Trees of the index.
    unwritten: Unwritten,
}

/// What all comparisons on the way from a base to a head have in common.
struct Way {
    policies: Vec<Policy>,
    branch: Option<String>,
    /// The commits on the way, where each is judged.
    steps: Vec<Step>,
    /// What the change declares to lose.
    declarations: Vec<Declaration>,
    /// What the change does to the policy itself.
    notice: Option<String>,
}

/// What is missing; a revision among the paths was meant for `--base`.
fn no_upstream(repo: &Repo, options: &Options) -> Fail {
    let root = repo.work_tree().unwrap_or_else(|| repo.path());
    let named = options.paths.iter().find_map(|path| {
        let text = path.to_str()?;
        (!root.join(text).exists() && repo.resolve(text).is_ok()).then(|| crate::text::plain::shown(text))
    });
    match named {
        Some(revision) => Fail::new(format!("{revision} is taken for a path here, and is a revision"))
            .with_hint(format!("did you mean --base {revision}?")),
        None => Fail::new("there is no upstream to compare with")
            .with_hint("name what the change is to be merged into with --base REV"),
    }
}

/// Judges, and reports in the wanted form.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    if let Some(agent) = options.hook {
        return hook::run(global, agent, screen);
    }
    let format = Format::wanted(options.format, screen)?;
    let repo = open_here(global)?;
    repo.trust_objects();
    if let Some(path) = &options.candidate {
        return candidate::run(global, &repo, path, format, screen);
    }
    let Ranges { ranges, notes, refused, unwritten } = ranges(global, options, &repo)?;
    for note in &notes {
        screen.note(note);
    }
    let paths = wanted_paths(options, &repo, &ranges)?;
    let objects = repo.objects(unwritten);
    named_paths_exist(&repo, &ranges)?;
    let spare = objects.again();
    let (judged, unused) = compare(&ranges, &paths, objects, screen)?;
    let is_hook = options.staged || options.stdin || options.worktree;
    protects_something(&ranges, &judged, &spare, is_hook, screen)?;
    let notices: BTreeSet<&str> = ranges.iter().filter_map(|range| range.way.notice.as_deref()).collect();
    if let Some(reason) = &options.declare {
        let may = ranges.iter().all(|range| range.way.policies.iter().all(|policy| policy.allows_losses));
        return losses::declare(&repo, &judged, reason, options.staged, may, screen);
    }
    let judged = judged.into_iter().zip(ranges.iter().map(|range| range.of_each));
    let is_refused = !refused.is_empty();
    let reports: Vec<(Report, bool)> =
        refused.into_iter().map(|report| (report, false)).chain(judged).collect();
    let is_kept = reports.iter().all(|(report, _)| report.is_kept());
    report::write(&reports, &notices, &unused, format, screen)?;
    screen.check().map_err(Fail::new)?;
    let is_tried = !is_refused && !ranges.is_empty();
    let is_trial = !is_kept && is_tried && ranges.iter().all(|range| is_trial(&range.way.policies));
    if is_trial {
        let day = ranges
            .iter()
            .find_map(|range| range.way.policies.iter().find_map(|policy| policy.report_until.as_deref()));
        screen
            .note(&format!("reported only, until {}: from that day on this fails", day.unwrap_or_default()));
    }
    Ok(if is_kept || is_trial { Code::Yes } else { Code::No })
}

/// Whether losses are reported only: all policies say so, and the day has not come.
fn is_trial(policies: &[Policy]) -> bool {
    let today = super::epoch().ok().flatten().unwrap_or_else(crate::run::clock::now).to_string();
    let is_early = |policy: &Policy| policy.report_until.as_deref().is_some_and(|day| today.as_str() < day);
    !policies.is_empty() && policies.iter().all(is_early)
}

/// The comparisons of all ranges, with what is declared taken off, and the declarations that nothing needs.
fn compare(
    ranges: &[Range],
    paths: &[Vec<u8>],
    objects: Objects,
    screen: &Screen,
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
    let mut judged = judged(&gates, objects, screen)?;
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
        for named in entries.flat_map(crate::additive::policy::Entry::named) {
            let mut is_there = range.old.is_none();
            for tree in [range.old, range.new].into_iter().flatten() {
                is_there = is_there || repo.has_path(tree, Path::new(named))?;
            }
            if !is_there {
                return Err(Fail::new(format!(
                    "`protect` names {}, which is neither in the base nor in the head",
                    crate::text::plain::shown(named)
                ))
                .with_hint(format!("correct the path in {}, or remove the entry", config::FILE)));
            }
        }
    }
    Ok(())
}

/// Where nothing was compared, something is protected at least: else there is nothing that could be measured.
fn protects_something(
    ranges: &[Range],
    judged: &[Report],
    objects: &Objects,
    is_hook: bool,
    screen: &Screen,
) -> Result<(), Fail> {
    for (range, report) in ranges.iter().zip(judged).filter(|(range, _)| !range.of_each) {
        let policies = &range.way.policies;
        let protects_none = |policy: &Policy| policy.entries().iter().all(|entry| entry.rule() == Rule::None);
        let on_purpose = policies.iter().all(|policy| policy.is_explicit && protects_none(policy));
        let Some(old) = range.old.filter(|_| !on_purpose) else { continue };
        let trees = [Some(old), range.new];
        let mut protects = report.compared() > 0;
        for tree in trees.into_iter().flatten() {
            protects = protects || check::protects_anything(objects, tree, policies)?;
        }
        if !protects {
            let message = "nothing in the base or in the head is protected";
            if policies.iter().any(|policy| policy.is_explicit) {
                let hint = "see `protect` in .roundtable.yaml; `protect: []` protects nothing on purpose";
                return Err(Fail::new(message).with_hint(hint));
            }
            if !is_hook {
                screen
                    .note("there are no items, and .roundtable.yaml has no `protect`: nothing is protected");
            }
            continue;
        }
        for glob in unmatched(policies, objects, trees)? {
            screen.warn(&format!(
                "`protect`: {} matches nothing in the base and in the head",
                crate::text::plain::shown(&glob)
            ));
        }
    }
    Ok(())
}

/// The globs of the policies that match nothing.
fn unmatched(
    policies: &[Policy],
    objects: &Objects,
    trees: [Option<Oid>; 2],
) -> Result<BTreeSet<String>, Fail> {
    let mut found = BTreeSet::new();
    for entry in policies.iter().flat_map(Policy::entries).filter(|entry| entry.is_meant()) {
        let mut matches = entry.named().next().is_some();
        for tree in trees.into_iter().flatten() {
            let reaches = |folder: &[u8]| entry.reaches(folder);
            matches = matches || crate::git::holds(objects, tree, &reaches, &mut |path| entry.matches(path))?;
        }
        if !matches {
            found.extend(entry.globs().map(str::to_owned));
        }
    }
    Ok(found)
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

/// The settings at a commit.
fn config_at(repo: &Repo, tree: Oid) -> Result<Config, Fail> {
    match repo.blob_at(tree, config::FILE)? {
        Some(bytes) => Ok(Config::read(config::FILE, &bytes)?),
        None => Ok(Config::default()),
    }
}

/// The items that are made, in none of the folders that settings name.
type Made<'m> = &'m dyn Fn(&Config) -> Result<Vec<Elsewhere>, Fail>;

/// The policies in force: those of the trees, each once, or that of `--config`; they cover every item of the trees,
/// and those that are made.
fn policies(global: &Global, repo: &Repo, trees: &[Oid], made: Made<'_>) -> Result<Vec<Policy>, Fail> {
    let operators = match &global.config {
        Some(path) => {
            let name = crate::text::plain::shown(&path.display().to_string());
            Some(Config::read(&name, &read_file(path, 1 << 20)?)?)
        }
        None => None,
    };
    let (mut known, mut configs) = (Vec::new(), Vec::new());
    for tree in trees {
        let config = operators.clone().map_or_else(|| config_at(repo, *tree), Ok)?;
        let config = repo.with_items_of(*tree, config)?;
        let facts = (repo.blob_at(*tree, config::FILE)?, config.elsewhere.clone());
        if !known.contains(&facts) {
            known.push(facts);
            configs.push(config);
        }
    }
    if configs.is_empty() {
        configs.push(operators.unwrap_or_default());
    }
    for config in &mut configs {
        let made = made(config)?;
        config.elsewhere.extend(made);
    }
    configs.iter().map(|config| config.policy().map_err(Fail::new)).collect()
}

/// The items of a commit's tree.
fn items_of(repo: &Repo, tree: Oid) -> impl Fn(&Config) -> Result<Vec<Elsewhere>, Fail> {
    move |config| Ok(repo.with_items_of(tree, config.clone())?.elsewhere)
}

/// What a change does to the policy, if anything.
fn policy_notice(global: &Global, repo: &Repo, old: Option<Oid>, new: Option<Oid>) -> Option<String> {
    let (old, new) = (old?, new?);
    let same = repo.blob_at(old, config::FILE).ok()? == repo.blob_at(new, config::FILE).ok()?;
    if same || global.config.is_some() {
        return None;
    }
    let was = config_at(repo, old).ok();
    let Ok(is) = config_at(repo, new) else {
        return Some(format!("this change makes {} unreadable; the base's policy is applied", config::FILE));
    };
    let keys = |config: &Config| {
        (config.protect.clone(), config.losses, config.report_until.clone(), config.items().to_owned())
    };
    (was.as_ref().map(keys) != Some(keys(&is))).then(|| {
        format!("this change alters the policy in {}; the base's policy is applied to it", config::FILE)
    })
}

/// What is to be compared, with notes on what is not.
fn ranges(global: &Global, options: &Options, repo: &Repo) -> Result<Ranges, Fail> {
    if options.staged || options.worktree {
        return beside_head(global, repo, options.worktree);
    }
    let objects = repo.objects(Unwritten::new());
    let mut found =
        Ranges { ranges: Vec::new(), notes: Vec::new(), refused: Vec::new(), unwritten: Unwritten::new() };
    let wanted = match options.stdin {
        true => pushed(repo, &mut found.refused)?,
        false => vec![asked(options, repo, &mut found.notes)?],
    };
    for wanted in wanted {
        let Some(head) = wanted.head else { continue };
        if wanted.bases.is_empty() {
            let way = Way {
                policies: policies(global, repo, &[], &items_of(repo, repo.tree_of(head)?))?,
                branch: wanted.branch.clone(),
                steps: Vec::new(),
                declarations: Vec::new(),
                notice: None,
            };
            let new = Some(repo.tree_of(head)?);
            let base = Oid::ZERO_SHA1;
            found.ranges.push(Range { base, head, old: None, new, way: Rc::new(way), of_each: false });
        }
        for (tip, start, straight) in starts(repo, &objects, &wanted, head)? {
            let way = Rc::new(way(global, repo, &wanted, [start, tip, head], straight, options.each)?);
            compare_from(repo, &way, start, head, options.each, &mut found.ranges)?;
        }
    }
    Ok(found)
}

/// The index, or the files on disk, beside HEAD.
fn beside_head(global: &Global, repo: &Repo, is_on_disk: bool) -> Result<Ranges, Fail> {
    if repo.work_tree().is_none() {
        let what = if is_on_disk { "files on disk" } else { "index" };
        return Err(Fail::new(format!("a bare repository has no {what}"))
            .with_hint("compare commits with --base and --head"));
    }
    let head = repo.head()?;
    let old = head.map(|head| repo.tree_of(head)).transpose()?;
    let (new, unwritten) = if is_on_disk { repo.disk_tree()? } else { repo.index_tree()? };
    let objects = repo.objects(unwritten.clone());
    let made = |config: &Config| Ok(Repo::new_items(&objects, old, new, &config.roots())?);
    let policies = policies(global, repo, old.as_slice(), &made)?;
    let way = Way {
        declarations: losses::declared(&objects, &policies, old, Some(new))?,
        policies,
        branch: repo.current_branch(),
        steps: Vec::new(),
        notice: policy_notice_of_index(global, repo, old, new, &unwritten),
    };
    let base = head.unwrap_or(Oid::ZERO_SHA1);
    let range = Range { base, head: Oid::ZERO_SHA1, old, new: Some(new), way: Rc::new(way), of_each: false };
    Ok(Ranges { ranges: vec![range], notes: Vec::new(), refused: Vec::new(), unwritten })
}

/// As [`policy_notice`]: trees of the index may be in memory only.
fn policy_notice_of_index(
    global: &Global,
    repo: &Repo,
    old: Option<Oid>,
    new: Oid,
    unwritten: &Unwritten,
) -> Option<String> {
    match unwritten.contains_key(&new) {
        true => None,
        false => policy_notice(global, repo, old, Some(new)),
    }
}

/// Where comparisons begin: the tip that was asked for, the commit itself, and the commits on the way where
/// they are known already. Of two tips with a common start it is one comparison.
type Start = (Oid, Oid, Option<Vec<Step>>);

fn starts(repo: &Repo, objects: &Objects, wanted: &Wanted, head: Oid) -> Result<Vec<Start>, Fail> {
    let mut found: Vec<Start> = Vec::new();
    let mut unrelated = None;
    for tip in &wanted.bases {
        let way = if wanted.direct { WayBack::Ancestor } else { objects.way_back(*tip, head) };
        let (bases, straight) = match way {
            WayBack::Straight(steps) => (vec![*tip], Some(steps)),
            WayBack::Ancestor => (vec![*tip], None),
            WayBack::Unknown => match repo.merge_bases(*tip, head) {
                Ok(bases) => (bases, None),
                Err(error) => {
                    unrelated = Some(error);
                    continue;
                }
            },
        };
        let mut straight = straight;
        for base in bases {
            if !found.iter().any(|(known, start, _)| (*known, *start) == (*tip, base)) {
                found.push((*tip, base, straight.take()));
            }
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
    global: &Global,
    repo: &Repo,
    wanted: &Wanted,
    [start, tip, head]: [Oid; 3],
    straight: Option<Vec<Step>>,
    each: bool,
) -> Result<Way, Fail> {
    let (old, new) = (repo.tree_of(start)?, repo.tree_of(head)?);
    let policies = policies(global, repo, &[old, repo.tree_of(tip)?], &items_of(repo, new))?;
    let steps = match (each, straight) {
        (false, _) => Vec::new(),
        (true, Some(steps)) => steps,
        (true, None) => repo.commits_between(start, head)?,
    };
    let declarations = losses::declared(&repo.objects(Unwritten::new()), &policies, Some(old), Some(new))?;
    let notice = policy_notice(global, repo, Some(old), Some(new));
    Ok(Way { policies, branch: wanted.branch.clone(), steps, declarations, notice })
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
struct Wanted {
    /// What it is to be merged into; none where there is nothing that could be lost.
    bases: Vec<Oid>,
    /// None where nothing is to be judged.
    head: Option<Oid>,
    /// The branch that the change is to land on.
    branch: Option<String>,
    direct: bool,
}

/// The range of the arguments, of the event in Actions, or of the upstream.
fn asked(options: &Options, repo: &Repo, notes: &mut Vec<String>) -> Result<Wanted, Fail> {
    if options.base.is_none()
        && let Some(event) = Event::read()?
    {
        let (base, head, direct) = event.range(repo)?;
        let head = match &options.head {
            Some(head) => Some(resolve(repo, head)?),
            None => head,
        };
        let bases = base.into_iter().collect();
        return Ok(Wanted { bases, head, branch: event.branch(), direct: direct || options.direct });
    }
    let base = match &options.base {
        Some(base) => base.clone(),
        None => {
            let found = repo.upstream().ok_or_else(|| no_upstream(repo, options))?;
            notes.push(format!("compared with {found}; --base REV names another"));
            found
        }
    };
    let head = resolve(repo, options.head.as_deref().unwrap_or("HEAD"))?;
    let branch = repo.branch_named(&base);
    Ok(Wanted { bases: vec![resolve(repo, &base)?], head: Some(head), branch, direct: options.direct })
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
        crate::text::plain::shown(revision),
        meanings.iter().map(|name| crate::text::plain::shown(name)).collect::<Vec<_>>().join(" or ")
    ))
    .with_hint("write one of them out"))
}

/// The updates of a push: `old new ref` lines on standard input.
fn pushed(repo: &Repo, refused: &mut Vec<Report>) -> Result<Vec<Wanted>, Fail> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(64 << 20).read_to_string(&mut text);
    read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
    let mut found = Vec::new();
    for (at, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || {
            let shown =
                crate::text::plain::cut(&crate::text::plain::one_line(&crate::text::plain::clean(line)), 80);
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
            refused.push(check::replaced(&crate::text::plain::shown(name), old, new));
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
        found.push(Wanted { bases, head, branch, direct });
    }
    Ok(found)
}

/// The paths of the arguments, from the repository's root; each must be on one of the sides.
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
                    let shown = crate::text::plain::shown(&path.display().to_string());
                    return Err(Fail::new(format!("{shown} is no path in this repository"))
                        .with_hint("name one from the current folder"));
                }
            }
        }
        let mut is_there = whole.as_os_str().is_empty() || ranges.is_empty();
        for tree in ranges.iter().flat_map(|range| [range.old, range.new]).flatten() {
            is_there = is_there || repo.has_path(tree, &whole)?;
        }
        if !is_there {
            let shown = crate::text::plain::shown(&path.display().to_string());
            return Err(Fail::new(format!("{shown} is neither in the base nor in the head"))
                .with_hint("name a path from the current folder, or none to compare all that is protected"));
        }
        found.push(whole.as_os_str().as_encoded_bytes().to_vec());
    }
    Ok(found)
}

/// What a report calls the two sides.
pub fn sides(report: &Report) -> (String, String) {
    let name = |id: Oid, empty: &str| if id == Oid::ZERO_SHA1 { empty.to_owned() } else { short(id) };
    (name(report.base, "nothing"), name(report.head, "what is not committed yet"))
}
