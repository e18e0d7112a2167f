//! Who a commit is by (C-5): `author` of the settings, else git's own identity, else
//! the bot of a GitHub Actions job, else roundtable itself.
//!
//! The author is recorded with the discussion: a replay takes it from there, so that the same recording
//! is the same commit on every machine.

use std::path::Path;

use super::Observer;
use super::environment::variable;
use crate::git::Repo;
use crate::item::Author;
use crate::item::config::Config;
use crate::text::plain;

/// Who commits where a job of GitHub Actions has no other identity.
const BOT: (&str, &str) = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com");
/// Who commits where nobody says who they are.
const NOBODY: (&str, &str) = ("roundtable", "roundtable@localhost");

/// The author of what this run commits.
pub fn author(repo: &Repo, config: &Config, signed_off: bool) -> Author {
    if let Some(person) = &config.author {
        return person.author(signed_off);
    }
    if let Some((name, email)) = of_git(repo) {
        return Author { name, email, signed_off };
    }
    let is_job = variable("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let (name, email) = if is_job { BOT } else { NOBODY };
    Author { name: name.to_owned(), email: email.to_owned(), signed_off }
}

/// The name and the address that git commits with, where it knows both.
pub fn of_git(repo: &Repo) -> Option<(String, String)> {
    Some((part(repo, "name")?, part(repo, "email")?))
}

/// Who speaks where no message says it: who is named, else git's own identity. None where nobody is known.
pub fn user(repo: &Repo, named: Option<&str>) -> Option<String> {
    let named = named.map(str::to_owned).or_else(|| setting(repo, "user.name"));
    named.as_deref().and_then(kept).or_else(|| part(repo, "name"))
}

/// Says, after a commit, what of it people may not expect: a name that is nobody's, and no signature.
pub fn note_commit(repo: &Repo, author: &Author, observer: &dyn Observer) {
    if (author.name.as_str(), author.email.as_str()) == NOBODY {
        observer.note(&format!(
            "git has no identity here, so the commit is by {} <{}>; set one with git config user.name and \
             user.email, or `author` in .roundtable.yaml",
            author.name, author.email
        ));
    }
    if signs(repo) {
        observer.note(&format!("{UNSIGNED}; {SIGN}"));
    }
}

/// What is said of a commit where git signs its own.
pub const UNSIGNED: &str =
    "commit.gpgsign is set, and roundtable does not sign: a replay comes to the same commit id everywhere";
/// What to do about it.
pub const SIGN: &str = "sign the merge";

/// Whether git signs every commit here.
pub fn signs(repo: &Repo) -> bool {
    repo.is_set("commit.gpgsign")
}

/// The name or the address that git would write, without what git leaves out of it.
fn part(repo: &Repo, part: &str) -> Option<String> {
    let found = variable(&format!("GIT_AUTHOR_{}", part.to_uppercase()))
        .or_else(|| setting(repo, &format!("author.{part}")))
        .or_else(|| setting(repo, &format!("user.{part}")))?;
    kept(&found)
}

/// What git keeps of a name or an address.
fn kept(found: &str) -> Option<String> {
    let kept = plain::one_line(&plain::clean(found)).replace(['<', '>'], "");
    Some(kept.trim().to_owned()).filter(|kept| !kept.is_empty())
}

/// A setting of git, where its variables stand above its files, or for one (git-config(1), "Environment").
fn setting(repo: &Repo, name: &str) -> Option<String> {
    let count: usize = variable("GIT_CONFIG_COUNT").and_then(|count| count.parse().ok()).unwrap_or(0);
    let given = (0..count).rev().find_map(|at| {
        let key = variable(&format!("GIT_CONFIG_KEY_{at}"))?;
        key.eq_ignore_ascii_case(name).then(|| variable(&format!("GIT_CONFIG_VALUE_{at}")))?
    });
    given.or_else(|| match variable("GIT_CONFIG_GLOBAL") {
        Some(global) => repo.setting_beside(Path::new(&global), name),
        None => repo.setting(name),
    })
}
