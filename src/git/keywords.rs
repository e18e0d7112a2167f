//! The quick scan's counting: which files of a commit mention an item's subject, read from git's own
//! objects. Binary and generated files are left out, and folders that speak of the item anyway.

use git2::{ObjectType, Oid, Tree};

use super::{Entry, Error, Repo, kind, name_of};
use crate::analysis::scan::KeywordCounts;

/// Beyond these the counts are lower bounds.
const MOST_BYTES: usize = 192 << 20;
const MOST_FILES: usize = 60_000;
/// Larger files are data, not text about something.
const LARGEST: usize = 1 << 20;
/// Folders are entered to this depth.
const DEEPEST: usize = 32;

impl Repo {
    /// Counts in a commit's files how often each keyword is at the beginning of a word.
    ///
    /// # Errors
    /// An object that cannot be read.
    pub(crate) fn count_keywords(
        &self,
        commit: Oid,
        keywords: &[String],
        leave_out: &[String],
    ) -> Result<KeywordCounts, Error> {
        let mut count = Count {
            leave_out,
            bytes: 0,
            counted: KeywordCounts {
                commit: super::short(commit)[..7].to_owned(),
                keywords: keywords.to_vec(),
                ..KeywordCounts::default()
            },
        };
        self.count(&self.tree(commit)?, "", &mut count)?;
        Ok(count.counted)
    }

    fn count(&self, tree: &Tree<'_>, prefix: &str, count: &mut Count<'_>) -> Result<(), Error> {
        for entry in tree {
            let path = format!("{prefix}{}", name_of(&entry));
            if count.leave_out.contains(&path) || !crate::text::plain::is_clean(&path) {
                continue;
            }
            match kind(&entry) {
                Entry::Folder if prefix.matches('/').count() >= DEEPEST => count.counted.partial = true,
                Entry::Folder => {
                    self.count(&self.git().find_tree(entry.id())?, &format!("{path}/"), count)?
                }
                Entry::File => self.count_in(entry.id(), path, count)?,
                Entry::Foreign(_) => {}
            }
        }
        Ok(())
    }

    fn count_in(&self, id: Oid, path: String, count: &mut Count<'_>) -> Result<(), Error> {
        let (size, kind) = self.git().odb()?.read_header(id)?;
        if is_generated(&path) || kind != ObjectType::Blob || size > LARGEST {
            count.counted.left_out += 1;
            return Ok(());
        }
        if count.bytes >= MOST_BYTES || count.counted.looked_at >= MOST_FILES {
            count.counted.partial = true;
            return Ok(());
        }
        let blob = self.git().find_blob(id)?;
        if blob.is_binary() || blob.content().contains(&0) {
            count.counted.left_out += 1;
            return Ok(());
        }
        count.bytes += size;
        count.counted.looked_at += 1;
        count.counted.has_code |= crate::analysis::scan::kind(&path) == 0;
        let lower = blob.content().to_ascii_lowercase();
        let name = path.to_ascii_lowercase();
        let found = count.counted.keywords.iter().map(|word| {
            let word = word.as_bytes();
            occurrences(blob.content(), &lower, word) + occurrences(path.as_bytes(), name.as_bytes(), word)
        });
        let found: Vec<usize> = found.collect();
        if found.iter().any(|hits| *hits > 0) {
            count.counted.files.insert(path, found);
        }
        Ok(())
    }
}

struct Count<'a> {
    leave_out: &'a [String],
    bytes: usize,
    counted: KeywordCounts,
}

/// How often a word is in a text at the beginning of a word, or of a part of one
/// (`lateFees`), with a short ending at most.
fn occurrences(text: &[u8], lower: &[u8], word: &[u8]) -> usize {
    if word.is_empty() {
        return 0;
    }
    let ending = if word.len() < 6 { 3 } else { 5 };
    memchr::memmem::find_iter(lower, word)
        .filter(|at| {
            let begins = match at.checked_sub(1).map(|before| text[before]) {
                None => true,
                Some(before) => {
                    !before.is_ascii_alphanumeric()
                        || text[*at].is_ascii_uppercase() && before.is_ascii_lowercase()
                }
            };
            let rest = &text[at + word.len()..];
            let tail = rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
            begins && tail <= ending
        })
        .count()
}

/// Lock files, snapshots and drawings mention everything and mean nothing by it.
fn is_generated(path: &str) -> bool {
    [".lock", "-lock.json", ".snap", ".svg", ".min.js", ".map"].iter().any(|suffix| path.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_at_the_beginning_of_a_word_with_a_short_ending() {
        let count = |text: &str, word: &str| {
            occurrences(text.as_bytes(), text.to_ascii_lowercase().as_bytes(), word.as_bytes())
        };
        assert_eq!(count("fee fees lateFees late_fee FEE feedback coffee", "fee"), 5);
        assert_eq!(count("offline Offline-mode offliner", "offline"), 3);
        assert_eq!((count("", "fee"), count("fee", "")), (0, 0));
    }
}
