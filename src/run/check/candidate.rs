//! `check --candidate PATH`: the text that would be written, against what is there, for the hooks of editors and
//! agents. The answer is one short text that says what to put back.

use std::io::Read as _;
use std::path::Path;

use super::{FileReport, judge_text, twin_report};
use crate::additive::content::change::differences;
use crate::additive::looks_alike;
use crate::additive::policy::Policy;
use crate::git::{Repo, twin_of};
use crate::run::Fail;
use crate::run::check::ranges::{Side, policies};
use crate::run::environment::current_folder;
use crate::run::workspace::Workspace;
use crate::text::plain;
use git2::Oid;

/// The largest text that is read.
const LARGEST: u64 = 1 << 30;
/// Words of old text in the answer, so that the whole has at most sixty.
const SHOWN_WORDS: usize = 24;

/// Compares the text on standard input with what is at a path; none where nothing is protected there.
///
/// # Errors
/// A bare repository, and what cannot be read.
pub fn judge(workspace: &Workspace, repo: &Repo, path: &Path) -> Result<Option<FileReport>, Fail> {
    let Some(root) = repo.work_tree() else {
        return Err(
            Fail::new("a bare repository has no files").with_hint("compare commits with --base and --head")
        );
    };
    let Some(inside) = repo.path_within(&current_folder()?.join(path)) else { return Ok(None) };
    let mut after = Vec::new();
    let read = std::io::stdin().lock().take(LARGEST).read_to_end(&mut after);
    read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
    let head = Side::head(repo)?;
    let tree = head.as_ref().map(|head| head.tree);
    let policies = policies(workspace, repo, head.as_slice(), None, &|_| Ok(Vec::new()))?;
    let read = |path: &str| before(repo, root, tree, path).ok().flatten();
    match before(repo, root, tree, &inside)? {
        Some(old) => Ok(judge_text(&policies, &inside, &old, &after, &read)),
        None => Ok(judge_twin(repo, tree, &policies, &inside)?),
    }
}

/// A new file whose path is a protected one to some file systems.
fn judge_twin(
    repo: &Repo,
    tree: Option<Oid>,
    policies: &[Policy],
    path: &str,
) -> Result<Option<FileReport>, Fail> {
    let twin = tree.map(|tree| twin_of(repo, tree, path)).transpose()?.flatten();
    let Some(twin) = twin.filter(|twin| policies.iter().any(|policy| policy.protects(twin.as_bytes())))
    else {
        return Ok(None);
    };
    let before = tree.map(|tree| repo.blob_at(tree, &twin)).transpose()?.flatten().unwrap_or_default();
    Ok(Some(twin_report(&twin, path, &before)))
}

/// What is on disk, else what HEAD has.
pub(super) fn before(
    repo: &Repo,
    root: &Path,
    tree: Option<Oid>,
    path: &str,
) -> Result<Option<Vec<u8>>, Fail> {
    match std::fs::read(root.join(path)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => match tree {
            Some(tree) => Ok(repo.blob_at(tree, path)?),
            None => Ok(None),
        },
        Err(error) => Err(Fail::new(format!("{} cannot be read: {error}", plain::shown(path)))),
    }
}

/// Whether the text is written already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Before,
    After,
}

/// What an agent is told: at most sixty words.
pub fn answer(file: &FileReport, when: When) -> String {
    let (becomes, is_lost) = match when {
        When::Before => ("would become", "would be lost"),
        When::After => ("became", "is lost"),
    };
    let failing: Vec<_> = file.findings().iter().filter(|finding| finding.fails()).collect();
    let Some(first) = failing.first() else { return String::new() };
    let path = plain::shown(&file.path);
    let start = file.catastrophe().map_or_else(String::new, |line| format!("{line}. "));
    let old = plain::one_line(&plain::clean(&first.old));
    let new = first.new.as_ref().map(|new| plain::one_line(&plain::clean(new)));
    let line = first.line;
    if old.is_empty() || new.as_ref().is_some_and(|new| looks_alike(&old, new)) {
        return format!("{start}{path}:{line}: {}; {}.", plain::shown(&first.message), first.hint);
    }
    let what = match &new {
        Some(new) => {
            let (taken, put) = differences(&old, new);
            let from = taken.first().or(put.first()).map_or(0, |range| range.start);
            format!(
                "{path}:{line}: \"{}\" {becomes} \"{}\".",
                around(&old, from, 12),
                around(new, from.min(new.len()), 12)
            )
        }
        None => format!("{path}:{line}: \"{}\" {is_lost}.", around(&old, 0, SHOWN_WORDS)),
    };
    let more = match failing.len() {
        1 => String::new(),
        count => format!(" And {} more.", count - 1),
    };
    format!("{start}{what}{more} Put the old text back as it was, and write what is new below it.")
}

/// So many words of a text from a few before a place on.
fn around(text: &str, from: usize, words: usize) -> String {
    let before = text.get(..from).unwrap_or_default().split_whitespace().count().saturating_sub(3);
    let all: Vec<&str> = text.split_whitespace().collect();
    let before = before.min(all.len().saturating_sub(words));
    let end = (before + words).min(all.len());
    let (start_mark, end_mark) =
        (if before > 0 { "… " } else { "" }, if end < all.len() { " …" } else { "" });
    let shown = all.get(before..end).unwrap_or_default().join(" ");
    plain::cut(&format!("{start_mark}{shown}{end_mark}"), 400)
}
