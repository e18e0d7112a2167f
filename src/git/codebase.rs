//! The codebase that an analysis looks at: the commits of people, without those that roundtable made.

use std::collections::BTreeMap;

use git2::Oid;

use super::{Error, Repo};

/// Commits of our own that are walked past on the way to the codebase.
const MOST: usize = 10_000;

/// The trailers of one of our commit messages, by name, `Roundtable-` left out.
pub(crate) fn trailers(message: &str) -> BTreeMap<String, String> {
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
    pub(crate) fn codebase(&self, commit: Oid) -> Result<Oid, Error> {
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
