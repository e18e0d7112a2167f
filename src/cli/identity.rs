//! Who a commit is by (contract, section 6): `author` of the settings, else git's own identity, else
//! the bot of a GitHub Actions job, else roundtable itself.
//!
//! The author is recorded with the discussion: a replay takes it from there, so that the same recording
//! is the same commit on every machine.

use super::service::variable;
use crate::config::Config;
use crate::discussion::event::Author;
use crate::plain;
use crate::repo::Repo;

/// Who commits where a job of GitHub Actions has no other identity.
const BOT: (&str, &str) = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com");
/// Who commits where nobody says who they are.
const NOBODY: (&str, &str) = ("roundtable", "roundtable@localhost");

/// The author of what this run commits.
pub fn author(repo: &Repo, config: &Config, signed_off: bool) -> Author {
    if let Some(person) = &config.author {
        return person.author(signed_off);
    }
    if let (Some(name), Some(email)) = (part(repo, "name"), part(repo, "email")) {
        return Author { name, email, signed_off };
    }
    let is_job = variable("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let (name, email) = if is_job { BOT } else { NOBODY };
    Author { name: name.to_owned(), email: email.to_owned(), signed_off }
}

/// The name or the address that git would write, without what git leaves out of it.
fn part(repo: &Repo, part: &str) -> Option<String> {
    let found = variable(&format!("GIT_AUTHOR_{}", part.to_uppercase()))
        .or_else(|| repo.setting(&format!("author.{part}")))
        .or_else(|| repo.setting(&format!("user.{part}")))?;
    let kept = plain::one_line(&plain::clean(&found)).replace(['<', '>'], "");
    Some(kept.trim().to_owned()).filter(|kept| !kept.is_empty())
}
