//! Which documents are reviewed, and which of their lines changed: from disk, the index, a commit or standard input.

use std::collections::{BTreeMap, HashSet};
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use git2::Oid;

use super::diff;
use super::environment::current_folder;
use super::files::{self, missing, read_file};
use super::settings::{review_options, rules_folder};
use super::workspace::Workspace;
use super::{Fail, Observer};
use crate::git::{Error, Repo};
use crate::item::RECORDINGS;
use crate::item::config::{self, Config};
use crate::item::library::Library;
use crate::item::library::OverlayFile;
use crate::review::{self, Document, Files, Review, Rules};
use crate::text::path::is_below;
use crate::text::plain;

/// Larger documents are refused.
const LARGEST: u64 = 64 << 20;
/// The path of standard input in findings.
const STANDARD_INPUT: &str = "<stdin>";

/// What is to be reviewed.
#[derive(Clone, Debug, Default)]
pub struct ReviewRequest {
    /// Files, folders, an item or `-`; none for what the settings name.
    pub paths: Vec<PathBuf>,
    /// Only lines that changed since this revision.
    pub base: Option<String>,
    /// The files of the index, and only lines that differ from HEAD.
    pub staged: bool,
    /// The files of this commit instead of those on disk.
    pub rev: Option<String>,
    /// Only rules of the persona of this step.
    pub step: Option<String>,
}

/// Documents with the settings and rules that hold for them.
pub struct ReviewInput {
    pub config: Config,
    /// Files laid over the built-in review rules.
    pub rules: Vec<OverlayFile>,
    /// Path and text.
    pub texts: Vec<(String, String)>,
    /// The lines that changed, by path; none where all lines count.
    pub changed: Option<BTreeMap<String, Vec<Range<usize>>>>,
    /// What else there is, for links.
    pub files: Files,
}

impl ReviewInput {
    /// Reads what is asked for.
    ///
    /// # Errors
    /// What cannot be read, or is no text.
    pub fn open(workspace: &Workspace, options: &ReviewRequest) -> Result<ReviewInput, Fail> {
        if options.paths.iter().any(|path| path.as_os_str() == "-") {
            return standard_input(workspace, options);
        }
        let needs_repo = options.base.is_some() || options.staged || options.rev.is_some();
        let repo = match if options.staged { workspace.open_in_hook() } else { workspace.open() } {
            Ok(repo) => Some(repo),
            Err(fail) if needs_repo || workspace.repo.is_some() => return Err(fail),
            Err(_) => None,
        };
        match repo {
            Some(repo) if options.staged => of_index(workspace, options, &repo),
            Some(repo) if options.rev.is_some() => of_commit(workspace, options, &repo),
            repo => of_disk(workspace, options, repo.as_ref()),
        }
    }
}

/// The files of an overlay that are review rules, by their path below `review/`.
fn review_rules(files: Vec<OverlayFile>) -> Vec<OverlayFile> {
    let own = |(path, text): OverlayFile| path.strip_prefix("review/").map(|path| (path.to_owned(), text));
    files.into_iter().filter_map(own).collect()
}

fn rules_on_disk(config: &Config, root: Option<&Path>) -> Result<Vec<OverlayFile>, Fail> {
    match (&config.rules, root) {
        (Some(folder), Some(root)) => Ok(review_rules(files::read(&root.join(folder))?)),
        _ => Ok(Vec::new()),
    }
}

/// The settings and review rules of the repository, or of `--config`, as they are on disk.
///
/// # Errors
/// A file that cannot be read.
pub fn on_disk(workspace: &Workspace) -> Result<(Config, Vec<OverlayFile>), Fail> {
    let repo = workspace.open().ok();
    let root = repo.as_ref().and_then(Repo::work_tree);
    let config = workspace.settings_on_disk(root)?;
    let rules = rules_on_disk(&config, root)?;
    Ok((config, rules))
}

fn standard_input(workspace: &Workspace, options: &ReviewRequest) -> Result<ReviewInput, Fail> {
    if options.paths.len() > 1 || options.base.is_some() || options.staged || options.rev.is_some() {
        return Err(Fail::new(
            "- (standard input) is reviewed alone: leave out other paths, --base, --staged and --rev",
        ));
    }
    let mut bytes = Vec::new();
    let input = std::io::stdin().lock();
    let read = input.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
    let (config, rules) = on_disk(workspace)?;
    let texts = vec![(STANDARD_INPUT.to_owned(), text_of(STANDARD_INPUT, bytes)?)];
    Ok(ReviewInput { config, rules, texts, changed: None, files: Files::default() })
}

/// The bytes of a document as text.
pub(super) fn text_of(path: &str, bytes: Vec<u8>) -> Result<String, Fail> {
    let shown = plain::shown(path);
    if bytes.len() as u64 > LARGEST {
        return Err(Fail::new(format!("{shown} is larger than {} MiB", LARGEST >> 20)));
    }
    let what = match &bytes[..] {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
        bytes if bytes.contains(&0) => "no text (it has NUL bytes)",
        _ => match String::from_utf8(bytes) {
            Ok(text) => return Ok(text),
            Err(_) => "not UTF-8",
        },
    };
    Err(Fail::new(format!("{shown} is {what}")).with_hint("save it as UTF-8 text, or leave it out"))
}

/// A document by its ending. Data is read in item folders, and where it is named; recordings are no documents.
fn is_document(path: &str, is_item: bool) -> bool {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or(path).to_ascii_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_record = parts.next() == Some(RECORDINGS);
    match ending {
        _ if is_record => false,
        "md" | "markdown" => true,
        "json" | "csv" | "yaml" | "yml" => is_item && name != "meta.json",
        _ => false,
    }
}

/// Hidden folders and those of tools; `.kiro` and `.specify` hold documents.
fn is_passed_over(name: &str) -> bool {
    let is_hidden = name.starts_with('.') && !matches!(name, ".kiro" | ".specify");
    is_hidden || matches!(name, "node_modules" | "target" | "vendor")
}

fn of_disk(workspace: &Workspace, options: &ReviewRequest, repo: Option<&Repo>) -> Result<ReviewInput, Fail> {
    let root = repo.and_then(Repo::work_tree);
    let config = workspace.settings_on_disk(root)?;
    let rules = rules_on_disk(&config, root)?;
    let mut paths = Vec::new();
    for wanted in wanted(options, &config, repo)? {
        collect(&wanted, &mut paths)?;
    }
    paths.sort();
    paths.dedup();
    let here = current_folder()?;
    let mut texts = Vec::with_capacity(paths.len());
    for path in &paths {
        let shown = shown_path(path, &here);
        texts.push((shown.clone(), text_of(&shown, read_file(path, LARGEST)?)?));
    }
    let changed = match (&options.base, repo) {
        (Some(base), Some(repo)) => Some(changed_since(repo, base, "HEAD", &paths, &texts)?),
        _ => None,
    };
    let files = root.map_or_else(Files::default, |root| files_below(root, &here));
    Ok(ReviewInput { config, rules, texts, changed, files })
}

/// The files of a work tree, by paths as findings show them; what is outside is not looked at.
fn files_below(root: &Path, here: &Path) -> Files {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let here = here.canonicalize().unwrap_or_else(|_| here.to_owned());
    Files::new(move |path| {
        let full = here.join(path);
        !full.starts_with(&root) || full.exists()
    })
}

/// A path as findings show it: from the current folder, with forward slashes.
fn shown_path(path: &Path, here: &Path) -> String {
    path.strip_prefix(here).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// The files and folders that are asked for, on disk.
fn wanted(options: &ReviewRequest, config: &Config, repo: Option<&Repo>) -> Result<Vec<PathBuf>, Fail> {
    let root = repo.and_then(Repo::work_tree);
    if !options.paths.is_empty() {
        let found = options.paths.iter().map(|path| named(path, config, root, repo));
        return Ok(found.collect::<Result<Vec<_>, Fail>>()?.concat());
    }
    let Some(root) = root else {
        let is_bare = repo.is_some();
        let (what, hint) = match is_bare {
            true => ("a bare repository has no files", "name a commit: roundtable review --rev HEAD"),
            false => ("there is no repository here", "name the files or folders to review"),
        };
        return Err(Fail::new(what).with_hint(hint));
    };
    if let Some(globs) = config.review.as_ref().map(|review| &review.paths).filter(|globs| !globs.is_empty())
    {
        return matching(globs, root);
    }
    let items = items_on_disk(config, root, repo)?;
    if !items.is_empty() {
        return Ok(items);
    }
    Err(Fail::new(format!("there is no folder {} of items", plain::shown(config.items())))
        .with_hint("name the files or folders to review, or set `review.paths`"))
}

/// The settings with the items of HEAD that are in none of their folders.
fn with_items(config: &Config, repo: Option<&Repo>) -> Result<Config, Fail> {
    let head = repo.map(|repo| Ok::<_, Fail>(repo.head()?.map(|head| (repo, head)))).transpose()?.flatten();
    Ok(match head {
        Some((repo, head)) => repo.with_items_of(repo.tree_of(head)?, config.clone())?,
        None => config.clone(),
    })
}

/// The folders of items that the settings name, the items of HEAD that are elsewhere, and their documents.
fn items_on_disk(config: &Config, root: &Path, repo: Option<&Repo>) -> Result<Vec<PathBuf>, Fail> {
    let config = with_items(config, repo)?;
    let folders = config.folders().into_iter().map(str::to_owned);
    let beside = config.elsewhere.iter().filter_map(|item| item.document.clone());
    Ok(folders.chain(beside).map(|path| root.join(path)).filter(|path| path.exists()).collect())
}

/// A path as it is named, else the folder of the item that the name means; with the document that the item is about,
/// where it lies beside.
fn named(
    path: &Path,
    config: &Config,
    root: Option<&Path>,
    repo: Option<&Repo>,
) -> Result<Vec<PathBuf>, Fail> {
    let at = if path.is_absolute() { path.to_owned() } else { current_folder()?.join(path) };
    let head = match repo {
        Some(repo) => repo.head()?.map(|head| (repo, head)),
        None => None,
    };
    let Some(((repo, head), root)) = head.zip(root) else {
        return if at.exists() { Ok(vec![at]) } else { Err(missing(path)) };
    };
    let item = match at.exists() {
        true => at.canonicalize().ok().and_then(|full| repo.path_within(&full)),
        false => item_of(repo, head, path, config)?,
    };
    let beside = item.as_deref().and_then(|item| beside(repo, head, item)).map(|name| root.join(name));
    let folder = if at.exists() { Some(at) } else { item.map(|item| root.join(item)) };
    let found: Vec<PathBuf> = folder.into_iter().chain(beside).filter(|path| path.exists()).collect();
    if found.is_empty() { Err(missing(path)) } else { Ok(found) }
}

/// What is asked for, with the folders and documents of the items that names mean at a commit.
fn with_named_items(
    repo: &Repo,
    commit: Oid,
    options: &ReviewRequest,
    config: &Config,
) -> Result<ReviewRequest, Fail> {
    let mut wanted = options.clone();
    for path in &options.paths {
        let Some(item) = item_of(repo, commit, path, config)? else { continue };
        wanted.paths.extend(beside(repo, commit, &item).map(PathBuf::from));
        wanted.paths.push(PathBuf::from(item));
    }
    Ok(wanted)
}

/// The item that a name means at a commit, none where it means none.
fn item_of(repo: &Repo, commit: Oid, name: &Path, config: &Config) -> Result<Option<String>, Fail> {
    let config = repo.with_items(commit, config.clone())?;
    match repo.find_item(commit, &name.to_string_lossy().replace('\\', "/"), &config.folders()) {
        Ok(item) => Ok(Some(item)),
        Err(error @ Error::TwoItems { .. }) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// The document beside an item's folder that it is about.
fn beside(repo: &Repo, commit: Oid, item: &str) -> Option<String> {
    let item = repo.item(commit, item).ok()?;
    item.beside.as_deref().map(|name| item.path_of(name))
}

/// The documents of the work tree that the settings name.
fn matching(globs: &[String], root: &Path) -> Result<Vec<PathBuf>, Fail> {
    let mut set = globset::GlobSetBuilder::new();
    for glob in globs {
        let glob = globset::GlobBuilder::new(glob).literal_separator(true).build();
        set.add(glob.map_err(|error| Fail::new(format!("{}: `review.paths`: {error}", config::FILE)))?);
    }
    let set = set.build().map_err(|error| Fail::new(format!("`review.paths`: {error}")))?;
    let mut all = Vec::new();
    collect(root, &mut all)?;
    all.retain(|path| set.is_match(shown_path(path, root)));
    Ok(all)
}

/// A file, or the documents below a folder. Links are not followed.
fn collect(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), Fail> {
    if !path.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    let walk = walkdir::WalkDir::new(path).sort_by_file_name().into_iter();
    let walk = walk.filter_entry(|entry| {
        entry.depth() == 0
            || !entry.file_type().is_dir()
            || !is_passed_over(&entry.file_name().to_string_lossy())
    });
    let mut item: Option<(PathBuf, bool)> = None;
    for entry in walk {
        let entry = entry
            .map_err(|error| Fail::new(format!("{}: {error}", plain::shown(&path.display().to_string()))))?;
        if !entry.file_type().is_file() {
            continue;
        }
        let folder = entry.path().parent().unwrap_or(path).to_owned();
        if item.as_ref().is_none_or(|(known, _)| *known != folder) {
            let is_item = folder.join("meta.json").is_file();
            item = Some((folder, is_item));
        }
        let is_item = item.as_ref().is_some_and(|(_, is_item)| *is_item);
        if is_document(&entry.path().to_string_lossy(), is_item) {
            found.push(entry.into_path());
        }
    }
    Ok(())
}

/// The changed lines of documents on disk.
fn changed_since(
    repo: &Repo,
    base: &str,
    head: &str,
    paths: &[PathBuf],
    texts: &[(String, String)],
) -> Result<BTreeMap<String, Vec<Range<usize>>>, Fail> {
    let base = repo.merge_base(repo.resolve(base)?, repo.resolve(head)?)?;
    let tree = repo.tree_of(base)?;
    let mut changed = BTreeMap::new();
    for (path, (shown, text)) in paths.iter().zip(texts) {
        let full = path.canonicalize().ok();
        let lines = match full.and_then(|full| repo.path_within(&full)) {
            Some(inside) => changed_lines(repo, tree, &inside, text)?,
            None => all_lines(),
        };
        changed.insert(shown.clone(), lines);
    }
    Ok(changed)
}

/// Every line of a new document.
fn all_lines() -> Vec<Range<usize>> {
    std::iter::once(1..usize::MAX).collect()
}

/// The lines of a text that differ from those of a tree's file; all where there is no such file.
fn changed_lines(repo: &Repo, tree: Oid, path: &str, text: &str) -> Result<Vec<Range<usize>>, Fail> {
    let old = repo.blob_at(tree, path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(old.map_or_else(all_lines, |old| diff::changed_lines(&old, text)))
}

fn config_of(workspace: &Workspace, repo: &Repo, tree: Oid) -> Result<Config, Fail> {
    if workspace.config.is_some() {
        return workspace.settings_on_disk(None);
    }
    let bytes = repo.blob_at(tree, config::FILE)?;
    Ok(bytes.map_or(Ok(Config::default()), |bytes| Config::read(config::FILE, &bytes))?)
}

fn of_commit(workspace: &Workspace, options: &ReviewRequest, repo: &Repo) -> Result<ReviewInput, Fail> {
    let revision = options.rev.as_deref().unwrap_or("HEAD");
    let commit = repo.resolve(revision)?;
    let tree = repo.tree_of(commit)?;
    let config = config_of(workspace, repo, tree)?;
    let rules = config.rules.as_ref().map(|folder| repo.overlay(commit, folder)).transpose()?;
    let texts = texts_of(repo, tree, &with_named_items(repo, commit, options, &config)?, &config)?;
    let changed = match &options.base {
        Some(base) => {
            let base = repo.tree_of(repo.merge_base(repo.resolve(base)?, commit)?)?;
            Some(changed_in(repo, base, &texts)?)
        }
        None => None,
    };
    let files = files_among(repo.tree_files(tree)?);
    Ok(ReviewInput { config, rules: review_rules(rules.unwrap_or_default()), texts, changed, files })
}

/// The files of a tree or the index, and their folders.
fn files_among(files: Vec<(String, Oid)>) -> Files {
    let mut paths: HashSet<String> = HashSet::new();
    for (path, _) in files {
        let folders = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
        paths.extend(folders.rev().take_while(|folder| !paths.contains(folder)).collect::<Vec<_>>());
        paths.insert(path);
    }
    Files::new(move |path| paths.contains(path))
}

fn changed_in(
    repo: &Repo,
    base: Oid,
    texts: &[(String, String)],
) -> Result<BTreeMap<String, Vec<Range<usize>>>, Fail> {
    let lines = texts.iter().map(|(path, text)| Ok((path.clone(), changed_lines(repo, base, path, text)?)));
    lines.collect()
}

/// The index: what the next commit would hold.
fn of_index(workspace: &Workspace, options: &ReviewRequest, repo: &Repo) -> Result<ReviewInput, Fail> {
    let root = repo.work_tree();
    let config = workspace.settings_on_disk(root)?;
    let rules = rules_on_disk(&config, root)?;
    let staged = repo.staged_files()?;
    let wanted = match repo.head()? {
        Some(head) => with_named_items(repo, head, options, &config)?,
        None => options.clone(),
    };
    let texts: Vec<(String, String)> = staged
        .iter()
        .filter(|(path, _)| is_wanted(path, &wanted, &config))
        .map(|(path, id)| Ok((path.clone(), text_of(path, repo.bytes(*id)?)?)))
        .collect::<Result<_, Fail>>()?;
    let changed = match repo.head()? {
        Some(head) => changed_in(repo, repo.tree_of(head)?, &texts)?,
        None => texts.iter().map(|(path, _)| (path.clone(), all_lines())).collect(),
    };
    Ok(ReviewInput { config, rules, texts, changed: Some(changed), files: files_among(staged) })
}

/// The documents of a tree.
fn texts_of(
    repo: &Repo,
    tree: Oid,
    options: &ReviewRequest,
    config: &Config,
) -> Result<Vec<(String, String)>, Fail> {
    let mut texts = Vec::new();
    for (path, id) in repo.tree_files(tree)? {
        if is_wanted(&path, options, config) {
            texts.push((path.clone(), text_of(&path, repo.bytes(id)?)?));
        }
    }
    if texts.is_empty() && !options.paths.is_empty() {
        let shown = plain::shown(&options.paths[0].display().to_string());
        return Err(Fail::new(format!("no document of that commit is {shown} or below it")));
    }
    Ok(texts)
}

/// A path of a tree is asked for: by name, by a folder above it, by its item, or by the settings.
fn is_wanted(path: &str, options: &ReviewRequest, config: &Config) -> bool {
    let is_below = |folder: &str| {
        let folder = folder.trim_start_matches("./").trim_end_matches('/');
        path == folder || is_below(path, folder)
    };
    let in_items = is_below(config.items());
    let is_kind = is_document(path, in_items) && !path.split('/').rev().skip(1).any(is_passed_over);
    if !options.paths.is_empty() {
        return options.paths.iter().map(|path| path.to_string_lossy().replace('\\', "/")).any(|wanted| {
            let item = format!("{}/{wanted}", config.items());
            path == wanted || is_kind && (is_below(&wanted) || is_below(&item))
        });
    }
    let globs = config.review.as_ref().map(|review| review.paths.as_slice()).unwrap_or_default();
    if globs.is_empty() {
        return is_kind && in_items;
    }
    is_kind
        && globs
            .iter()
            .any(|glob| globset::Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(path)))
}

/// The findings of a source, only those on changed lines where that is asked for.
///
/// # Errors
/// No document, or a rule that cannot be used.
pub fn review(
    source: &ReviewInput,
    options: &ReviewRequest,
    observer: &dyn Observer,
) -> Result<Review, Fail> {
    let rules = rules_over(&source.config, &source.rules)?;
    let mut wanted = review_wanted(&source.config, &rules)?;
    if let Some(step) = &options.step {
        wanted.personas.insert(Library::built_in()?.step(step)?.persona.clone());
    }
    wanted.files = source.files.clone();
    let documents: Vec<Document<'_>> =
        source.texts.iter().map(|(path, text)| Document { path, text }).collect();
    if documents.is_empty() {
        if !options.staged && source.changed.is_none() {
            return Err(Fail::new("there is no document to review")
                .with_hint("name Markdown files, or folders that hold some"));
        }
        observer.warn("there is no document to review");
    }
    let mut found = review::review(&documents, &rules, &wanted);
    if let Some(changed) = &source.changed {
        let is_new = |path: &String, line: usize| {
            changed.get(path).is_some_and(|lines| lines.iter().any(|range| range.contains(&line)))
        };
        // A finding of two places is new where one of them is.
        found.findings.retain(|finding| {
            let mut places = finding.related.iter().map(|other| (&other.path, other.line));
            is_new(&finding.path, finding.line) || places.any(|(path, line)| is_new(path, line))
        });
    }
    Ok(found)
}

/// The built-in rules with a repository's own over them.
///
/// # Errors
/// A rule that cannot be used, with its path as the repository has it.
pub fn rules_over(config: &Config, own: &[OverlayFile]) -> Result<Rules, Fail> {
    Ok(Rules::over(own).map_err(|finding| finding.below(rules_folder(config).as_deref()))?)
}

/// What the settings ask of a review, by these rules.
///
/// # Errors
/// A rule that the settings name and nobody has.
pub fn review_wanted(config: &Config, rules: &Rules) -> Result<review::Options, Fail> {
    let wanted = review_options(config);
    for name in wanted.off.iter().chain(wanted.severity.keys()) {
        rules.find(name).map_err(|error| Fail::new(format!("{}: `review`: {error}", config::FILE)))?;
    }
    Ok(wanted)
}
