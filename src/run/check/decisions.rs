//! `check --decisions`: which decisions of the items that a change implements no changed line and no message of its
//! commits mentions.
//!
//! A decision is mentioned by its id (`D-4f2a91c`), by an id that its words have (`FR-002`), or by its words. This is a
//! notice: whether the change keeps to a decision is for people to say.

use std::collections::{BTreeMap, BTreeSet};

use git2::Oid;

use super::super::Fail;
use super::super::decided::{Decided, in_force, items_of_issues};
use super::super::settings;
use crate::git::Repo;
use crate::history::provenance::items;
use crate::item::config::Config;
use crate::text::ids::ids;
use crate::text::links::{closed_issues, named_item};
use crate::text::plain::{cut, one_line};

/// Files over this many bytes are not searched.
const LARGEST: usize = 4 << 20;
/// Decisions that are told of at most.
const MAX_TOLD: usize = 50;
/// What is shown of a decision's words, in characters.
const SHOWN: usize = 160;

/// The change, and the items that it is about.
pub struct Implements<'r> {
    /// Where the change begins, and its last commit.
    pub base: Oid,
    pub head: Oid,
    /// The commit whose decisions count: the tip of what the change is to be merged into.
    pub decided_at: Oid,
    /// An item that is named.
    pub item: Option<&'r str>,
    /// The text of the pull request.
    pub text: &'r str,
}

/// The items that a change implements: the one that is named, else those of the issues that its pull request and commits
/// close, and those that they name.
///
/// # Errors
/// An item that is not there, a commit that cannot be read.
pub fn implemented(repo: &Repo, config: &Config, change: &Implements<'_>) -> Result<Vec<String>, Fail> {
    if let Some(item) = change.item {
        return Ok(vec![repo.find_item(change.decided_at, item, &config.folders())?]);
    }
    let mut texts = vec![change.text.to_owned()];
    for step in repo.commits_between(change.base, change.head)? {
        texts.push(repo.message_of(step.commit)?);
    }
    let issues: Vec<u64> = texts.iter().flat_map(|text| closed_issues(text)).collect();
    let mut found = items_of_issues(repo, change.decided_at, config, &issues)?;
    for named in texts.iter().filter_map(|text| named_item(text)) {
        // What a text names may be anything: one that is no item names none.
        found.extend(repo.find_item(change.decided_at, &named, &config.folders()));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// A notice for each decision that nothing of the change mentions.
///
/// # Errors
/// A commit or file that cannot be read.
pub fn unmentioned(
    repo: &Repo,
    config: &Config,
    change: &Implements<'_>,
    implemented: &[String],
) -> Result<Vec<String>, Fail> {
    let library = settings::library(repo, change.decided_at, config)?;
    let dossiers = items(repo, change.decided_at, implemented, library.forms())?;
    let decisions: Vec<Decided> = dossiers.iter().flat_map(in_force).collect();
    if decisions.is_empty() {
        return Ok(Vec::new());
    }
    let texts = texts(repo, change)?;
    let missing: Vec<&Decided> = decisions.iter().filter(|one| !is_mentioned(one, &texts)).collect();
    let mut told: Vec<String> = missing.iter().take(MAX_TOLD).map(|one| notice(one)).collect();
    if missing.len() > MAX_TOLD {
        let more = missing.len() - MAX_TOLD;
        told.push(format!("{more} more decisions are mentioned by no changed file and no commit"));
    }
    Ok(told)
}

fn notice(one: &Decided) -> String {
    format!(
        "the decision {} of {} is mentioned by no changed file and no commit: {} ({})",
        one.id,
        one.item,
        cut(&one_line(&one.text), SHOWN),
        one.by
    )
}

/// What the change adds to files, recordings left out, and the messages of its commits.
fn texts(repo: &Repo, change: &Implements<'_>) -> Result<Vec<String>, Fail> {
    let before: BTreeMap<String, Oid> = repo.tree_files(repo.tree_of(change.base)?)?.into_iter().collect();
    let mut found = Vec::new();
    for (path, blob) in repo.tree_files(repo.tree_of(change.head)?)? {
        // A recording says what was decided, and implements nothing.
        if before.get(&path) == Some(&blob) || path.contains("/elaborations/") {
            continue;
        }
        let bytes = repo.bytes(blob)?;
        if bytes.len() <= LARGEST {
            let old = before.get(&path).map(|blob| repo.bytes(*blob)).transpose()?.unwrap_or_default();
            found.push(added(&String::from_utf8_lossy(&old), &String::from_utf8_lossy(&bytes)));
        }
    }
    for step in repo.commits_between(change.base, change.head)? {
        found.push(one_line(&repo.message_of(step.commit)?));
    }
    found.push(one_line(change.text));
    Ok(found)
}

/// The lines that a file did not have before, as one.
fn added(old: &str, new: &str) -> String {
    let known: BTreeSet<&str> = old.lines().collect();
    let lines: Vec<&str> = new.lines().filter(|line| !known.contains(line)).collect();
    one_line(&lines.join(" "))
}

fn is_mentioned(one: &Decided, texts: &[String]) -> bool {
    let mut wanted = vec![one.id.as_str()];
    wanted.extend(ids(&one.text));
    let words = one_line(&one.text);
    wanted.push(&words);
    texts.iter().any(|text| wanted.iter().any(|wanted| is_in(text, wanted)))
}

/// Whether a text has words that are no part of longer ones.
fn is_in(text: &str, wanted: &str) -> bool {
    let is_sign = |c: char| c.is_alphanumeric();
    text.match_indices(wanted).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + wanted.len()..]);
        !before.ends_with(is_sign) && !after.starts_with(is_sign)
    })
}

#[cfg(test)]
mod tests {
    use super::is_in;

    #[test]
    fn an_id_is_no_part_of_a_longer_one() {
        assert!(is_in("as FR-002, so", "FR-002") && is_in("D-4f2a91c", "D-4f2a91c"));
        assert!(!is_in("FR-0021", "FR-002") && !is_in("XFR-002", "FR-002"));
    }
}
