//! The event that started a run in GitHub Actions, as far as a range of commits can be read from it.
//! What the event says is data of others: ids are parsed as ids, and names are only compared.

use git2::Oid;
use serde_json::Value;

use crate::git::Repo;
use crate::run::Fail;
use crate::run::environment::variable;
use crate::run::files::read_file;

/// An event of Actions.
pub struct Event {
    name: String,
    payload: Value,
}

impl Event {
    /// The event of the environment, if there is one.
    ///
    /// # Errors
    /// An event file that cannot be read.
    pub fn read() -> Result<Option<Event>, Fail> {
        if variable("GITHUB_ACTIONS").as_deref() != Some("true") {
            return Ok(None);
        }
        let (Some(name), Some(path)) = (variable("GITHUB_EVENT_NAME"), variable("GITHUB_EVENT_PATH")) else {
            return Ok(None);
        };
        let bytes = read_file(std::path::Path::new(&path), 32 << 20)?;
        let payload = serde_json::from_slice(&bytes)
            .map_err(|error| Fail::new(format!("the event file of Actions is no JSON: {error}")))?;
        Ok(Some(Event { name: crate::text::plain::shown(&name), payload }))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub const fn payload(&self) -> &Value {
        &self.payload
    }

    /// Whether it is a push to the default branch: what is there now is what everybody goes on from.
    pub fn is_push_to_default(&self) -> bool {
        let text = |pointer: &str| self.payload.pointer(pointer).and_then(Value::as_str);
        let name = text("/ref").and_then(|name| name.strip_prefix("refs/heads/"));
        self.name == "push" && name.is_some() && name == text("/repository/default_branch")
    }

    fn id(&self, pointer: &str) -> Result<Oid, Fail> {
        let value = self.payload.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        Oid::from_str(value).ok().filter(|_| value.len() == 40).ok_or_else(|| {
            Fail::new(format!("the event {} of Actions has no commit at {pointer}", self.name))
                .with_hint("name one with --base")
        })
    }

    /// Base and head, and whether the base itself is meant. No base: nothing can be lost; no head:
    /// nothing is to be judged.
    ///
    /// # Errors
    /// An event that has no range, or commits that are not in this clone.
    pub fn range(&self, repo: &Repo) -> Result<(Option<Oid>, Option<Oid>, bool), Fail> {
        let here = |id: Oid| {
            if repo.has(id) {
                return Ok(id);
            }
            Err(Fail::new(format!("the commit {id} is not in this clone: check out with `fetch-depth: 0`")))
        };
        match self.name.as_str() {
            "pull_request" => {
                let base = here(self.id("/pull_request/base/sha")?)?;
                // A checkout without history has the merge of the two only: that is another commit.
                let head = here(self.id("/pull_request/head/sha")?)?;
                Ok((Some(base), Some(head), false))
            }
            "merge_group" => {
                let base = here(self.id("/merge_group/base_sha")?)?;
                Ok((Some(base), Some(here(self.id("/merge_group/head_sha")?)?), false))
            }
            "push" => {
                let (before, after) = (self.id("/before")?, self.id("/after")?);
                if after == Oid::ZERO_SHA1 {
                    return Ok((None, None, true));
                }
                let after = here(after)?;
                if before != Oid::ZERO_SHA1 {
                    return Ok((Some(here(before)?), Some(after), true));
                }
                let main = self.payload.pointer("/repository/default_branch").and_then(Value::as_str);
                let main = repo.resolve(&format!("refs/remotes/origin/{}", main.unwrap_or("HEAD")))?;
                Ok((Some(main), Some(after), false))
            }
            other => Err(Fail::new(format!("the event {other} of Actions names no range of commits"))
                .with_hint("name what the change is to be merged into with --base REV")),
        }
    }

    /// The branch that the change is to land on.
    pub fn branch(&self) -> Option<String> {
        let pointer = match self.name.as_str() {
            "pull_request" => "/pull_request/base/ref",
            "merge_group" => "/merge_group/base_ref",
            _ => "/ref",
        };
        let name = self.payload.pointer(pointer)?.as_str()?;
        Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
    }
}
