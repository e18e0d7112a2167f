//! Where a run goes: the branch of an item, its path, and the text a new one begins with.

use std::collections::{BTreeMap, BTreeSet};

use git2::Oid;

use super::settings::Settings;
use super::{Fail, Observer};
use crate::git::{AtPath, Error, Repo, trailers};
use crate::item::config::Config;
use crate::item::{Begin, meta};
use crate::text::path;
use crate::text::time::Time;
use path::{as_branch, is_device, is_item_name, is_item_path, is_plain};

/// The branch of an item and where it is.
pub struct Place {
    pub branch: String,
    /// The branch's tip, or where it will start.
    pub base: Oid,
    /// The branch exists.
    pub exists: bool,
    /// Says that another branch was asked for, and why it was left.
    pub left: Option<String>,
}

/// The branch an item's changes go to: `--branch`, else `roundtable/<slug>`.
pub fn place(
    settings: &Settings,
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
        None => branch_of(settings, repo, item, base)?,
    };
    let tip = repo.tip(&branch)?;
    repo.refuse_checked_out(&branch)?;
    // A base that is named exists, used or not.
    let base = base.map(|base| repo.resolve(base)).transpose()?;
    let start = match (tip, base) {
        (Some(start), _) | (None, Some(start)) => start,
        (None, None) => repo.resolve("HEAD")?,
    };
    Ok(Place { branch, base: start, exists: tip.is_some(), left: None })
}

/// The branch that an item is discussed on, where none is named: after its slug; where another item of the base, or of a
/// branch ahead of it, has the same, after the end of its path that is its own.
///
/// # Errors
/// A slug that two items have.
fn branch_of(settings: &Settings, repo: &Repo, item: &str, base: Option<&str>) -> Result<String, Fail> {
    let named = || format!("roundtable/{}", as_branch(slug(item)));
    let Ok(base) = repo.resolve(base.unwrap_or("HEAD")) else { return Ok(named()) };
    let config = settings.at(repo, base)?;
    let own = as_branch(slug(item));
    let ahead = ahead_on(repo, base, &config, &|branch| branch.contains(&own))?;
    let path = match find(repo, (base, ""), &ahead, item, &config) {
        Ok((path, _)) => path,
        Err(error @ Error::TwoItems { .. }) => return Err(error.into()),
        // An item that is new is on its branch only.
        Err(_) => return Ok(named()),
    };
    let mut twins: Vec<String> = ahead.into_keys().filter(|other| slug(other) == slug(&path)).collect();
    for folder in config.folders() {
        twins.extend(repo.items(base, folder)?.into_iter().filter(|other| slug(other) == slug(&path)));
        let new = format!("{folder}/{}", slug(&path));
        twins.extend(repo.exists(base, &new)?.then_some(new));
    }
    let ends = path.rmatch_indices('/').map(|(at, _)| &path[at + 1..]).chain([path.as_str()]);
    let is_own = |end: &&str| {
        let is_twin =
            |other: &String| *other != path && (other == end || other.ends_with(&format!("/{end}")));
        !twins.iter().any(is_twin)
    };
    let end = ends.into_iter().find(is_own).unwrap_or(&path);
    Ok(format!("roundtable/{}", as_branch(end)))
}

/// The items that are ahead of a commit on a branch of their own, by path, each with the branch and its tip:
/// `roundtable/<slug>`, or the last of `roundtable/<slug>-2`, `-3` …, where runs went on once it was merged.
pub fn ahead(repo: &Repo, head: Oid, config: &Config) -> Result<BTreeMap<String, (String, Oid)>, Fail> {
    ahead_on(repo, head, config, &|_| true)
}

/// As [`ahead`], of the branches that may be the ones.
fn ahead_on(
    repo: &Repo,
    head: Oid,
    config: &Config,
    may_be: &dyn Fn(&str) -> bool,
) -> Result<BTreeMap<String, (String, Oid)>, Fail> {
    let numbered = |branch: &str| -> Option<(String, u32)> {
        let (stem, number) = branch.rsplit_once('-')?;
        Some((stem.to_owned(), number.parse().ok().filter(|number| *number > 1)?))
    };
    let mut branches = repo.branches("roundtable/")?;
    branches.retain(|branch| may_be(branch));
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

/// Says where to look, when a commit holds nothing of what was asked for: what is new is on branches of
/// its own until they are merged.
pub fn note_nothing(repo: &Repo, what: &str, revision: &str, observer: &dyn Observer) {
    let branches = repo.branches("roundtable/").unwrap_or_default();
    let Some(branch) = branches.iter().find(|branch| branch.as_str() != revision) else { return };
    let revision = crate::text::plain::shown(revision);
    observer.note(&format!("there is no {what} at {revision}; --rev {branch} looks at that branch"));
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

/// Path and revision of the item that a name means: on its own branch where that is ahead, else at a commit.
///
/// # Errors
/// No such item, or a slug that two items have, on whatever branch each is.
pub fn find(
    repo: &Repo,
    (commit, revision): (Oid, &str),
    ahead: &BTreeMap<String, (String, Oid)>,
    item: &str,
    config: &Config,
) -> Result<(String, String), Error> {
    let item = forward(item);
    let wanted = item.trim_start_matches("./").trim_end_matches('/');
    let has_file = |path: &str, tip: Oid| {
        is_plain(wanted)
            && matches!(repo.look_up(tip, wanted), Some(AtPath::File(_)))
            && repo.find_item(tip, wanted, &config.folders()).is_ok_and(|found| found == path)
    };
    let at =
        |path: &str| (path.to_owned(), ahead.get(path).map_or(revision, |(branch, _)| branch).to_owned());
    if let Some((path, _)) = ahead.iter().find(|(path, (_, tip))| *path == wanted || has_file(path, *tip)) {
        return Ok(at(path));
    }
    let here = repo.find_item(commit, &item, &config.folders());
    let mut paths: BTreeSet<&str> = match &here {
        Err(Error::TwoItems { paths, .. }) => paths.iter().map(String::as_str).collect(),
        here => here.iter().map(String::as_str).collect(),
    };
    if !wanted.contains('/') {
        paths.extend(ahead.keys().map(String::as_str).filter(|path| slug(path) == wanted));
    }
    match (paths.len(), paths.first()) {
        (1, Some(path)) => Ok(at(path)),
        (0, _) | (_, None) => here.map(|path| at(&path)),
        _ => Err(Error::TwoItems {
            slug: crate::text::plain::shown(wanted),
            paths: paths.into_iter().map(str::to_owned).collect(),
        }),
    }
}

/// Where a new item goes: a folder's path as it is, a slug below the folder of items; plain names only.
pub fn new_path(item: &str, items: &str) -> Result<String, Fail> {
    let item = item.trim_start_matches("./").trim_end_matches('/');
    if !is_item_path(item) {
        let shown = crate::text::plain::cut(&crate::text::plain::shown(item), 80);
        if let Some(name) = item.split('/').find(|name| is_device(name)) {
            let name = crate::text::plain::shown(name);
            return Err(Fail::new(format!(
                "\"{shown}\" cannot be an item: Windows keeps the name {name} for a device"
            ))
            .with_hint(format!("take another, as in {}", path::beside_device(&name))));
        }
        let example = path::slug_of(slug(item), 0);
        let is_like = item.is_ascii() && is_item_name(&example) && slug(item) != example;
        let example = if is_like { example } else { "offline-mode".to_owned() };
        return Err(Fail::new(format!("\"{shown}\" is not an item")).with_hint(format!(
            "name its folder with at most 120 bytes of letters, digits, blanks, `.`, `_` and `-`, as in {example}"
        )));
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
    let is_laid_out = repo.laid_out_above(commit, named)?.is_some();
    let is_named = |named: &&str| *named != path && !is_laid_out && repo.is_file(commit, named);
    let document = Some(named).filter(is_named).map(slug);
    let name = slug(path).replace(['-', '_'], " ");
    let base = commit.to_string();
    let text = meta::new_item_about(meta::Source::Manual, slug(path), &name, at, &base, document);
    let item = repo.item_or_new(commit, path, Begin { meta: Some(&text), draft: None })?;
    // A folder of code is no item.
    if !item.has_markdown() {
        return Err(Error::NoMeta { path: path.to_owned() }.into());
    }
    Ok(Some(text))
}

/// The last name of an item's path.
pub fn slug(item: &str) -> &str {
    let trimmed = item.trim_end_matches('/');
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}

/// A path of an argument as git writes it: on Windows people write `\`, which git never does.
pub fn forward(path: &str) -> String {
    if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() }
}
