//! Discussions of one item that began from one base on two branches. Both end the same lists, of `meta.json` and often
//! of a document, so git cannot merge them, and one command puts those of a branch after the others.
//!
//! Invariant: nothing is changed here; a recording is told by its name, which is its step and its moment.

use std::collections::BTreeSet;

use git2::Oid;

use super::Fail;
use crate::git::{Repo, trailers};
use crate::item::RECORDINGS;
use crate::text::path::is_plain;
use crate::text::plain;

/// The discussions of an item that a revision has and another lacks: their recordings' paths, the oldest first.
pub struct Missing {
    pub item: String,
    pub recordings: Vec<String>,
    /// The other one has discussions of the item since the two parted.
    pub is_parted: bool,
}

/// What a revision has that `onto` lacks, by item: of the items that its own commits say they are about.
///
/// # Errors
/// A commit that cannot be read.
pub fn missing(repo: &Repo, onto: Oid, tip: Oid) -> Result<Vec<Missing>, Fail> {
    let Ok(base) = repo.merge_base(onto, tip) else { return Ok(Vec::new()) };
    let mut items = BTreeSet::new();
    for step in repo.commits_between(base, tip)? {
        let message = repo.message_of(step.commit)?;
        items.extend(trailers(&message).get("Item").filter(|item| is_plain(item)).cloned());
    }
    let mut found = Vec::new();
    for item in items {
        let (then, theirs, ours) =
            (names(repo, base, &item)?, names(repo, tip, &item)?, names(repo, onto, &item)?);
        let is_parted = ours.difference(&then).any(|name| !theirs.contains(name));
        let mut recordings: Vec<String> =
            theirs.difference(&ours).map(|name| format!("{item}/{name}")).collect();
        // By their moments: `01-06-20260220T143000000Z`.
        let moment =
            |path: &String| path.rsplit('/').next().and_then(|name| name.get(6..)).map(str::to_owned);
        recordings.sort_by_key(moment);
        if !recordings.is_empty() {
            found.push(Missing { item, recordings, is_parted });
        }
    }
    Ok(found)
}

/// The recordings of an item, by their names within it.
fn names(repo: &Repo, commit: Oid, item: &str) -> Result<BTreeSet<String>, Fail> {
    let logs = repo.logs(commit, item)?.into_iter().map(|(name, _)| name);
    Ok(logs.filter(|name| name.starts_with(RECORDINGS)).collect())
}

/// What to say of a revision whose discussions git cannot merge into another one; both as the user names them.
///
/// # Errors
/// A commit that cannot be read.
pub fn notes(
    repo: &Repo,
    (onto_name, onto): (&str, Oid),
    (name, tip): (&str, Oid),
) -> Result<Vec<String>, Fail> {
    let (name, onto_name) = (plain::shown(name), plain::shown(onto_name));
    let parted = missing(repo, onto, tip)?.into_iter().filter(|missing| missing.is_parted);
    Ok(parted
        .map(|Missing { item, .. }| {
            format!(
                "{onto_name} and {name} each have a discussion of {item} that the other lacks, which git cannot merge; \
                 `roundtable replay {name} --onto {onto_name}` puts those of {name} after the others on a new branch"
            )
        })
        .collect())
}
