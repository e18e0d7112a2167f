//! What the verbs set up alike: settings, library, branch and base of an item.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use git2::Oid;

use super::screen::Screen;
use super::{Global, exit::Fail, read_file};
use crate::config::{self, Config};
use crate::discussion::event::Time;
use crate::item::path::{is_device, is_plain, is_safe_name};
use crate::item::{Begin, meta};
use crate::library::{Library, Unusable};
use crate::repo::{Error, Repo, short, trailers};
use crate::review::Rules;

/// The settings of `--config`, which win over a commit's own.
pub fn operators(global: &Global) -> Result<Option<Config>, Fail> {
    let Some(path) = &global.config else { return Ok(None) };
    let name = crate::plain::shown(&path.display().to_string());
    Ok(Some(Config::read_version(&name, &read_file(path, 1 << 20)?, config::ON_DISK)?))
}

/// The settings at a commit, or those of `--config`.
pub fn config(global: &Global, repo: &Repo, commit: Oid) -> Result<Config, Fail> {
    if let Some(config) = operators(global)? {
        return Ok(repo.with_items(commit, config)?);
    }
    let config = match repo.file(commit, config::FILE)? {
        Some(bytes) => Config::read_version(config::FILE, &bytes, &format!("commit {}", short(commit)))?,
        None => Config::default(),
    };
    Ok(repo.with_items(commit, config)?)
}

/// The settings that say who speaks: those of `--config` or of HEAD. What is on an item's branch
/// was written by a run or by anybody who may push there, and starts no program.
///
/// `based` are the settings at the place's base.
pub fn trusted(global: &Global, repo: &Repo, place: &Place, based: &Config) -> Result<Config, Fail> {
    match repo.resolve("HEAD") {
        Ok(head) if head == place.base => Ok(based.clone()),
        Ok(head) => config(global, repo, head),
        Err(_) if place.exists => Ok(operators(global)?.unwrap_or_default()),
        Err(_) => config(global, repo, place.base),
    }
}

/// The built-in steps, cast and templates, read beside the repository: most runs need no others.
pub struct BuiltIn(Receiver<Result<Arc<Library>, Unusable>>);

impl BuiltIn {
    /// Begins to read.
    pub fn begin() -> BuiltIn {
        BuiltIn::and_then(|_| {})
    }

    /// The same for a discussion: its rules are read as soon as the library is.
    pub fn for_a_discussion() -> BuiltIn {
        BuiltIn::and_then(|_| {
            // In the order they are needed; what is wrong with them is told where they are asked for.
            let _ = Rules::of(&[]).is_ok();
        })
    }

    fn and_then(then: fn(&Library)) -> BuiltIn {
        let (tell, told) = mpsc::channel();
        let read = move || {
            let library = Library::built_in().map(Arc::new);
            let own = library.as_ref().ok().map(Arc::clone);
            // Nobody waits for it where the repository could not be read.
            let _ = tell.send(library);
            own.as_deref().into_iter().for_each(then);
        };
        // Where there is no second thread, the library is read when it is asked for.
        let _ = std::thread::Builder::new().spawn(read);
        BuiltIn(told)
    }

    /// Steps, cast and templates, with the overlays of a commit.
    pub fn library(self, repo: &Repo, commit: Oid, config: &Config) -> Result<Arc<Library>, Fail> {
        let overlay = |folder: &Option<String>| {
            folder.as_ref().map_or(Ok(Vec::new()), |folder| repo.overlay(commit, folder))
        };
        let (steps, templates) = (overlay(&config.steps)?, overlay(&config.templates)?);
        let rules = overlay(&config.rules)?;
        let is_built_in = steps.is_empty() && templates.is_empty() && rules.is_empty();
        match self.0.recv() {
            Ok(library) if is_built_in => Ok(library?),
            _ => {
                let below =
                    |unusable: Unusable| unusable.below(config.steps.as_deref(), config.templates.as_deref());
                Ok(Arc::new(Library::new(&steps, &templates, &rules).map_err(below)?))
            }
        }
    }
}

/// The bytes of a script, with its name; `-` is standard input.
pub fn script(path: &Path) -> Result<(String, Vec<u8>), Fail> {
    let limit = crate::script::LARGEST as u64;
    if path != Path::new("-") {
        // A pipe has no name that says anything: `--script <(…)`.
        let is_named = std::fs::metadata(path).map_or(true, |file| file.is_file() || file.is_dir());
        let name = if is_named { crate::plain::shown(&path.display().to_string()) } else { "-".to_owned() };
        return Ok((name, read_file(path, limit)?));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
    Ok(("-".to_owned(), bytes))
}

/// The branch of an item and where it is.
pub struct Place {
    pub branch: String,
    /// The branch's tip, or where it will start.
    pub base: Oid,
    /// The branch exists.
    pub exists: bool,
}

/// The branch an item's changes go to: `--branch`, else `roundtable/<slug>`.
pub fn place(
    global: &Global,
    repo: &Repo,
    item: &str,
    branch: Option<&str>,
    base: Option<&str>,
) -> Result<Place, Fail> {
    if matches!(slug(item), "" | "." | "..") {
        return Err(Fail::new("ITEM is empty or names no folder below the repository's root")
            .with_hint("give the item's slug or its folder's path"));
    }
    let branch = match branch {
        Some(branch) => branch.to_owned(),
        None => branch_of(global, repo, item, base)?,
    };
    let tip = repo.tip(&branch)?;
    repo.refuse_checked_out(&branch)?;
    // A base that is named exists, used or not.
    let base = base.map(|base| repo.resolve(base)).transpose()?;
    let start = match (tip, base) {
        (Some(start), _) | (None, Some(start)) => start,
        (None, None) => repo.resolve("HEAD")?,
    };
    Ok(Place { branch, base: start, exists: tip.is_some() })
}

/// The branch that an item is discussed on, where none is named: after its slug; where another item of the base has
/// the same, after the end of its path that is its own.
///
/// # Errors
/// A slug that two items of the base have.
fn branch_of(global: &Global, repo: &Repo, item: &str, base: Option<&str>) -> Result<String, Fail> {
    let named = || format!("roundtable/{}", branch_name(slug(item)));
    let Ok(base) = repo.resolve(base.unwrap_or("HEAD")) else { return Ok(named()) };
    let config = config(global, repo, base)?;
    let path = match repo.find_item(base, item, &config.folders()) {
        Ok(path) => path,
        Err(error @ Error::TwoItems { .. }) => return Err(error.into()),
        // An item that is new is on its branch only.
        Err(_) => return Ok(named()),
    };
    let mut twins = Vec::new();
    for folder in config.folders() {
        twins.extend(repo.items(base, folder)?.into_iter().filter(|other| slug(other) == slug(&path)));
    }
    let ends = path.rmatch_indices('/').map(|(at, _)| &path[at + 1..]).chain([path.as_str()]);
    let is_own = |end: &&str| {
        let is_twin =
            |other: &String| *other != path && (other == end || other.ends_with(&format!("/{end}")));
        !twins.iter().any(is_twin)
    };
    let end = ends.into_iter().find(is_own).unwrap_or(&path);
    Ok(format!("roundtable/{}", branch_name(end)))
}

/// A path as one part of a branch's name: what git has no place for there is a hyphen.
fn branch_name(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '#');
    let name: String = path.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let name = name.replace("..", "-");
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "item".to_owned() } else { name.to_owned() }
}

/// The items that are ahead of a commit on a branch of their own, by path, each with the branch and its tip:
/// `roundtable/<slug>`, or the last of `roundtable/<slug>-2`, `-3` …, where runs went on once it was merged.
pub fn ahead(repo: &Repo, head: Oid, config: &Config) -> Result<BTreeMap<String, (String, Oid)>, Fail> {
    let numbered = |branch: &str| -> Option<(String, u32)> {
        let (stem, number) = branch.rsplit_once('-')?;
        Some((stem.to_owned(), number.parse().ok().filter(|number| *number > 1)?))
    };
    let mut branches = repo.branches("roundtable/")?;
    branches.sort_by_cached_key(|branch| numbered(branch).unwrap_or_else(|| (branch.clone(), 1)));
    let mut found = BTreeMap::new();
    for branch in branches {
        let Some(tip) = repo.tip(&branch)?.filter(|_| repo.is_ahead(&branch, head)) else { continue };
        if let Some(path) = item_of_branch(repo, &branch, tip, config) {
            found.insert(path, (branch, tip));
        }
    }
    Ok(found)
}

/// The item of a branch of ours: the one that its last commit says it is about, else the one of its name.
fn item_of_branch(repo: &Repo, branch: &str, tip: Oid, config: &Config) -> Option<String> {
    let message = repo.message_of(tip).unwrap_or_default();
    let said = trailers(&message).get("Item").filter(|path| is_plain(path)).map(ToString::to_string);
    if let Some(path) = said.filter(|path| repo.item(tip, path).is_ok()) {
        return Some(path);
    }
    let stem =
        branch.rsplit_once('-').filter(|(_, number)| number.parse::<u32>().is_ok()).map(|(stem, _)| stem);
    let mut names = std::iter::once(branch).chain(stem).map(slug);
    names.find_map(|name| repo.find_item(tip, name, &config.folders()).ok())
}

/// Path and branch of the item that a path or slug means, among those that are ahead.
pub fn own_branch(ahead: &BTreeMap<String, (String, Oid)>, item: &str) -> Option<(String, String)> {
    let wanted = item.trim_start_matches("./").trim_end_matches('/');
    let (path, (branch, _)) = ahead.iter().find(|(path, _)| *path == wanted || slug(path) == wanted)?;
    Some((path.clone(), branch.clone()))
}

/// Where a new item goes: a folder's path as it is, a slug below the folder of items; plain names only.
pub fn new_path(item: &str, items: &str) -> Result<String, Fail> {
    let item = item.trim_start_matches("./").trim_end_matches('/');
    if !item.split('/').all(is_safe_name) {
        let shown = crate::plain::cut(&crate::plain::shown(item), 80);
        if let Some(name) = item.split('/').find(|name| is_device(name)) {
            let name = crate::plain::shown(name);
            return Err(Fail::new(format!(
                "\"{shown}\" cannot be an item: Windows keeps the name {name} for a device"
            ))
            .with_hint(format!("take another, as in {name}-item")));
        }
        let example = crate::cli::github::slug_of(slug(item), 0);
        let is_like = item.is_ascii() && is_safe_name(&example) && slug(item) != example;
        let example = if is_like { example } else { "offline-mode".to_owned() };
        return Err(Fail::new(format!("\"{shown}\" is no item"))
            .with_hint(format!("name its folder with letters, digits, `.`, `_` and `-`, as in {example}")));
    }
    Ok(if item.contains('/') { item.to_owned() } else { format!("{items}/{item}") })
}

/// The text of the meta.json that a folder of documents gets, where it has none: its first discussion makes it an item.
/// A document that was named is its document, unless a step has it as its output.
///
/// # Errors
/// A commit that cannot be read.
pub fn new_meta(repo: &Repo, commit: Oid, path: &str, named: &str, at: Time) -> Result<Option<String>, Fail> {
    if repo.exists(commit, &format!("{path}/{}", meta::FILE))? {
        return Ok(None);
    }
    let named = named.trim_start_matches("./").trim_end_matches('/');
    let document = Some(named).filter(|named| *named != path && repo.is_file(commit, named)).map(slug);
    let name = slug(path).replace(['-', '_'], " ");
    let base = commit.to_string();
    let text = meta::new_item_about(meta::Source::Manual, slug(path), &name, at, &base, document);
    let item = repo.item_or_new(commit, path, Begin { meta: Some(&text), draft: None })?;
    // A folder of code is no item.
    let is_prose = |name: &str| name.ends_with(".md") || name.ends_with(".markdown");
    if !item.documents().any(|(name, _)| is_prose(name)) {
        return Err(Error::NoMeta { path: path.to_owned() }.into());
    }
    Ok(Some(text))
}

/// Says where to look, when a commit holds nothing of what was asked for: what is new is on branches of
/// its own until they are merged.
pub fn note_nothing(repo: &Repo, what: &str, revision: &str, screen: &Screen) {
    let branches = repo.branches("roundtable/").unwrap_or_default();
    let Some(branch) = branches.iter().find(|branch| branch.as_str() != revision) else { return };
    let revision = crate::plain::shown(revision);
    screen.note(&format!("there is no {what} at {revision}; --rev {branch} looks at that branch"));
}

/// A path of an argument as git writes it: on Windows people write `\`, which git never does.
pub fn forward(path: &str) -> String {
    if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() }
}

/// The last name of an item's path.
pub fn slug(item: &str) -> &str {
    let trimmed = item.trim_end_matches('/');
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}
