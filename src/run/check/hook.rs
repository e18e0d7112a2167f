//! `check --hook AGENT`: what an agent's hook hands over, judged before a tool writes and at the end of a turn.
//!
//! The answer is in the agent's own form, with exit code 0: codes mean something else to each of them. What cannot be
//! looked at is exit code 1 with the reason, and the agent goes on: a broken configuration must not keep it from
//! mending that very file, and the check of the commit and of the pull request come later. Nothing that is printed
//! speaks of declared losses.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::agent_hook::{Agent, Moment, Write};
use super::candidate::{When, answer, before};
use super::ranges::{Side, is_trial, lost_on_disk, policies};
use super::{Report, judge_text};
use crate::git::Repo;
use crate::run::environment::current_folder;
use crate::run::workspace::Workspace;
use crate::run::{Fail, Observer};
use crate::text::plain;

/// The largest call that is read.
const LARGEST: u64 = 1 << 28;

/// Judges what the hook hands over: the answer that refuses it, if it is refused.
///
/// # Errors
/// What cannot be read or compared.
pub fn judge(
    workspace: &Workspace,
    agent: Agent,
    observer: &dyn Observer,
) -> Result<Option<serde_json::Value>, Fail> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LARGEST).read_to_end(&mut bytes);
    read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
    let moment = Moment::read(&bytes).map_err(|error| {
        Fail::new(format!(
            "standard input is not what a hook of {} sends: {}",
            agent.name(),
            plain::shown(&error)
        ))
        .with_hint("the agent runs this itself; `roundtable check --worktree` is for people")
    })?;
    match moment {
        Moment::BeforeWrite { writes, folder } => {
            let why = before_write(workspace, &writes, folder.as_deref().map(Path::new))?;
            Ok(why.map(|why| agent.refuse_write(&why)))
        }
        // Who has been sent back once is not sent back for ever.
        Moment::EndOfTurn { again: true, .. } => Ok(None),
        Moment::EndOfTurn { folder, .. } => {
            let why = end_of_turn(workspace, folder.map(PathBuf::from), observer)?;
            Ok(why.map(|why| agent.refuse_end(&why)))
        }
    }
}

/// The repository that a folder is in; none outside of one.
fn repository(workspace: &Workspace, folder: Option<&Path>) -> Result<Option<(Workspace, Repo)>, Fail> {
    let mut workspace = workspace.clone();
    if workspace.repo.is_none() {
        workspace.repo = folder.filter(|folder| folder.is_dir()).map(Path::to_owned);
    }
    let here = workspace.repo.clone().map_or_else(current_folder, Ok)?;
    match Repo::open(&here) {
        Ok(repo) => Ok(Some((workspace, repo))),
        Err(crate::git::Error::None { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes with their paths, by the folder that they are in.
type ByFolder<'w> = BTreeMap<PathBuf, Vec<(PathBuf, &'w Write)>>;

/// The writes by the folder of the file, which need not be in the repository that the agent began in.
fn by_folder<'w>(writes: &'w [Write], folder: Option<&Path>) -> Result<ByFolder<'w>, Fail> {
    let from = folder.map_or_else(current_folder, |folder| Ok(folder.to_owned()))?;
    let mut found = ByFolder::new();
    for write in writes {
        let path = from.join(&write.path);
        let above = path.ancestors().skip(1).find(|above| above.is_dir()).unwrap_or(&from).to_owned();
        found.entry(above).or_default().push((path, write));
    }
    Ok(found)
}

/// Why a call must not write, if it must not. The first file that loses something is named.
fn before_write(
    workspace: &Workspace,
    writes: &[Write],
    folder: Option<&Path>,
) -> Result<Option<String>, Fail> {
    for (folder, writes) in by_folder(writes, folder)? {
        let Some((workspace, repo)) = repository(workspace, Some(&folder))? else { continue };
        if let Some(why) = judge_writes(&workspace, &repo, &writes)? {
            return Ok(Some(why));
        }
    }
    Ok(None)
}

fn judge_writes(
    workspace: &Workspace,
    repo: &Repo,
    writes: &[(PathBuf, &Write)],
) -> Result<Option<String>, Fail> {
    let Some(root) = repo.work_tree() else { return Ok(None) };
    let head = Side::head(repo)?;
    let tree = head.as_ref().map(|head| head.tree);
    let policies = policies(workspace, repo, head.as_slice(), None, &|_| Ok(Vec::new()))?;
    if is_trial(&policies) {
        return Ok(None);
    }
    // A call may change a file in two steps.
    let mut texts: BTreeMap<String, (Vec<u8>, Vec<u8>)> = BTreeMap::new();
    for (path, write) in writes {
        let Some(path) = repo.path_within(path) else { continue };
        let (old, now) = match texts.remove(&path) {
            Some(known) => known,
            None => match before(repo, root, tree, &path)? {
                Some(old) => (old.clone(), old),
                None => continue,
            },
        };
        let after = write.result(std::str::from_utf8(&now).ok()).map_or(now, String::into_bytes);
        texts.insert(path, (old, after));
    }
    let read = |path: &str| before(repo, root, tree, path).ok().flatten();
    Ok(texts.iter().find_map(|(path, (old, after))| {
        let file = judge_text(&policies, path, old, after, &read)?;
        (!file.is_kept()).then(|| answer(&file, When::Before))
    }))
}

/// What the files on disk have lost since HEAD, if anything.
fn end_of_turn(
    workspace: &Workspace,
    folder: Option<PathBuf>,
    observer: &dyn Observer,
) -> Result<Option<String>, Fail> {
    // The agent may have gone to another folder since it began.
    #[allow(clippy::disallowed_methods)]
    let began = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from).or(folder);
    let Some((workspace, repo)) = repository(workspace, began.as_deref())? else { return Ok(None) };
    if repo.work_tree().is_none() {
        return Ok(None);
    }
    lost_on_disk(&workspace, &repo, lost, observer)
}

fn lost(report: &Report) -> Option<String> {
    let lost: Vec<_> = report.files.iter().filter(|file| !file.is_kept()).collect();
    let first = answer(lost.first()?, When::After);
    Some(match lost.len() {
        1 => first,
        many => format!("{first} Then {} more.", plain::count(many - 1, "file")),
    })
}
