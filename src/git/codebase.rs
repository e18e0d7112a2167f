//! The codebase that an analysis looks at: the commits of people, without those that roundtable made.

use std::collections::BTreeMap;

use git2::Oid;

use super::{Error, Repo};

/// Commits of our own that are walked past on the way to the codebase.
const MOST: usize = 10_000;

/// The trailers of one of our commit messages, by name, `Roundtable-` left out.
pub fn trailers(message: &str) -> BTreeMap<String, String> {
    let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
    let trailer = |line: &str| {
        let (name, value) = line.strip_prefix("Roundtable-")?.split_once(": ")?;
        Some((name.to_owned(), value.to_owned()))
    };
    last.lines().filter_map(trailer).collect()
}

impl Repo {
    /// The newest commit along first parents that roundtable did not make.
    ///
    /// # Errors
    /// A commit that cannot be read.
    pub fn codebase(&self, commit: Oid) -> Result<Oid, Error> {
        let mut at = commit;
        for _ in 0..MOST {
            if !trailers(&self.message_of(at)?).contains_key("Item") {
                return Ok(at);
            }
            match self.parents_of(at)?.first() {
                Some(parent) => at = *parent,
                None => return Ok(at),
            }
        }
        Ok(at)
    }

    /// Whether anything outside of the folders of items differs between the commit that a hash begins and
    /// another. A hash that names no commit here is one that was left behind.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub fn moved_on(&self, hash: &str, now: Oid, items: &[&str]) -> Result<bool, Error> {
        if now.to_string().starts_with(hash) {
            return Ok(false);
        }
        let is_hash = hash.len() >= 4 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let then = if is_hash { self.resolve(hash).ok() } else { None };
        let Some(then) = then else { return Ok(true) };
        let (old, new) = (self.tree(then)?, self.tree(now)?);
        self.differs(&old, &new, items)
    }

    /// Whether two trees differ outside of these folders.
    fn differs(&self, old: &git2::Tree<'_>, new: &git2::Tree<'_>, apart: &[&str]) -> Result<bool, Error> {
        if old.id() == new.id() {
            return Ok(false);
        }
        let below = below(apart);
        let others = |tree: &git2::Tree<'_>| -> Vec<(Vec<u8>, Oid, i32)> {
            let others = tree.iter().filter(|entry| {
                std::str::from_utf8(entry.name_bytes()).map_or(true, |name| !below.contains_key(name))
            });
            others.map(|entry| (entry.name_bytes().to_vec(), entry.id(), entry.filemode_raw())).collect()
        };
        if others(old) != others(new) {
            return Ok(true);
        }
        let folder = |tree: &git2::Tree<'_>, name: &str| {
            let entry = tree.get_name(name)?;
            self.git().find_tree(entry.id()).ok()
        };
        for (name, rest) in &below {
            let is_apart = rest.contains(&"");
            let differs = match (folder(old, name), folder(new, name)) {
                _ if is_apart => false,
                (Some(old), Some(new)) => self.differs(&old, &new, rest)?,
                // A folder on the way that came or went with nothing in it but the items.
                (Some(tree), None) | (None, Some(tree)) => self.holds_more(&tree, rest),
                (None, None) => false,
            };
            if differs {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a tree holds anything but these folders.
    fn holds_more(&self, tree: &git2::Tree<'_>, apart: &[&str]) -> bool {
        let below = below(apart);
        tree.iter().any(|entry| {
            let name = String::from_utf8_lossy(entry.name_bytes());
            let Some(rest) = below.get(name.as_ref()) else { return true };
            let tree = self.git().find_tree(entry.id());
            !rest.contains(&"") && tree.is_ok_and(|tree| self.holds_more(&tree, rest))
        })
    }
}

/// Paths by their first name; what is left of a path that has no more is empty.
fn below<'p>(paths: &[&'p str]) -> BTreeMap<&'p str, Vec<&'p str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in paths {
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        found.entry(first).or_default().push(rest);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_are_the_last_paragraph_of_our_own() {
        let message =
            "docs(x): y\n\nRoundtable-No: z\n\nRoundtable-Item: docs/x\nRoundtable-Inputs: 12 0\nOther: a\n";
        let found = trailers(message);
        assert_eq!((found.len(), found["Item"].as_str(), found["Inputs"].as_str()), (2, "docs/x", "12 0"));
        assert!(trailers("x").is_empty());
    }
}
