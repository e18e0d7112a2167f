//! Does a change only add? The rule of every commit that roundtable makes.
//!
//! [`verify`] is a function of two texts a path, and nothing else: no history, no diff, no
//! configuration. Only it can build an [`Additive`], and only an [`Additive`] can be committed.
//!
//! | path | rule |
//! | --- | --- |
//! | `.md` `.markdown` `.csv` `.yaml` `.yml` | the old lines are a subsequence of the new ones ([`text`]) |
//! | `meta.json` | as JSON; records, steps and phases are append-only and stay identical ([`json`]) |
//! | `.json` | objects gain keys, arrays grow at their end, scalars stay ([`json`]) |
//! | `.jsonl` | the old bytes are a prefix of the new ones |
//! | anything else | not one byte changes |

pub mod json;
pub mod text;

use crate::item::Change;

/// Something that a change loses or alters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub path: String,
    /// The line in the old text, from one.
    pub line: usize,
    pub code: &'static str,
    pub message: String,
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {} ({})", self.path, self.line, self.message, self.code)
    }
}

/// Changes that were compared with what they replace, and only add to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Additive(Vec<Change>);

impl Additive {
    /// The changes, one a path.
    pub fn changes(&self) -> &[Change] {
        &self.0
    }
}

/// Compares every change with what it replaces.
///
/// # Errors
/// Everything that would be lost or altered.
pub fn verify(changes: Vec<Change>) -> Result<Additive, Vec<Loss>> {
    let mut losses = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        if changes[..at].iter().any(|other| other.path.eq_ignore_ascii_case(&change.path)) {
            let message = "two changes are meant for one path".to_owned();
            losses.push(Loss { path: change.path.clone(), line: 1, code: "path-lost", message });
        }
        if let Some(before) = &change.before {
            losses.extend(compare(&change.path, before, &change.after));
        }
    }
    if losses.is_empty() { Ok(Additive(changes)) } else { Err(losses) }
}

/// What `after` loses of `before`, by the rule of the path.
pub fn compare(path: &str, before: &[u8], after: &[u8]) -> Vec<Loss> {
    if before == after {
        return Vec::new();
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let suffix = name.rsplit_once('.').map_or(String::new(), |(_, suffix)| suffix.to_ascii_lowercase());
    let found = match suffix.as_str() {
        "md" | "markdown" | "csv" | "yaml" | "yml" => text::losses(before, after),
        "json" if name == "meta.json" => json::meta_losses(before, after),
        "json" => json::losses(before, after),
        "jsonl" if after.starts_with(before) => Vec::new(),
        "jsonl" => vec![(1, "line-lost", "the log was changed where it may only grow at its end".to_owned())],
        _ => vec![(1, "opaque", "a file of this kind must stay as it is".to_owned())],
    };
    let loss = |(line, code, message)| Loss { path: path.to_owned(), line, code, message };
    found.into_iter().map(loss).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, before: &str, after: &str) -> Vec<Change> {
        vec![Change { path: path.into(), before: Some(before.into()), after: after.into() }]
    }

    #[test]
    fn what_only_adds_is_additive() {
        for (path, before, after) in [
            ("a.md", "x\n", "x\ny\n"),
            ("a.json", "[1]", "[1, 2]"),
            ("a.jsonl", "{}\n", "{}\n{}\n"),
            ("a.png", "x", "x"),
        ] {
            assert!(verify(change(path, before, after)).is_ok(), "{path}");
        }
        assert!(verify(vec![Change { path: "n.png".into(), before: None, after: b"x".to_vec() }]).is_ok());
    }

    #[test]
    fn what_loses_or_alters_is_refused() {
        for (path, before, after, code) in [
            ("a.md", "x\ny\n", "x\n", "line-lost"),
            ("a.json", "[1, 2]", "[2, 1]", "scalar"),
            ("a.jsonl", "{}\n", "x{}\n", "line-lost"),
            ("a.png", "x", "xy", "opaque"),
        ] {
            assert_eq!(verify(change(path, before, after)).unwrap_err()[0].code, code, "{path}");
        }
        let mut twice = change("a.md", "x\n", "x\ny\n");
        twice.extend(change("A.md", "x\n", "x\ny\n"));
        assert!(verify(twice).is_err());
    }
}
