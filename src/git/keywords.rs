//! The quick scan's counting: which files of a commit mention an item's subject, read from git's own
//! objects. Binary, generated and ignored files are left out (`.gitignore` is read from the commit
//! too), and folders that speak of the item anyway.

use git2::{ObjectType, Oid, Tree};
use globset::{GlobBuilder, GlobMatcher};

use super::{Entry, Error, Repo, kind, name_of};
use crate::analysis::scan::KeywordCounts;

/// Beyond these the counts are lower bounds.
const MOST_BYTES: usize = 192 << 20;
const MOST_FILES: usize = 60_000;
/// Larger files are data, not text about something.
const LARGEST: usize = 1 << 20;
/// Folders are entered to this depth.
const DEEPEST: usize = 32;
/// Lines of a `.gitignore` that are heeded.
const MOST_RULES: usize = 2_000;

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
            ignores: Vec::new(),
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
        let own = tree.get_name(".gitignore").filter(|entry| matches!(kind(entry), Entry::File));
        let has_own = own.is_some();
        if let Some(entry) = own {
            let blob = self.git().find_blob(entry.id())?;
            count.ignores.push((prefix.to_owned(), rules(&String::from_utf8_lossy(blob.content()))));
        }
        for entry in tree {
            let path = format!("{prefix}{}", name_of(&entry));
            let is_folder = matches!(kind(&entry), Entry::Folder);
            if count.leave_out.contains(&path) || !crate::text::plain::is_clean(&path) {
                continue;
            }
            if count.is_ignored(&path, is_folder) {
                count.counted.left_out += usize::from(!is_folder);
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
        if has_own {
            count.ignores.pop();
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
    /// The rules of the folders on the way, with their prefix; the innermost last.
    ignores: Vec<(String, Vec<Rule>)>,
    bytes: usize,
    counted: KeywordCounts,
}

impl Count<'_> {
    /// The last rule that matches decides (gitignore, "Pattern format").
    fn is_ignored(&self, path: &str, is_folder: bool) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let decides = |(prefix, rules): &(String, Vec<Rule>)| {
            let below = path.strip_prefix(prefix.as_str()).unwrap_or(path);
            let matches = |rule: &&Rule| {
                (is_folder || !rule.folders_only)
                    && rule.glob.is_match(if rule.anchored { below } else { name })
            };
            rules.iter().rev().find(matches).map(|rule| !rule.negated)
        };
        self.ignores.iter().rev().find_map(decides).unwrap_or(false)
    }
}

struct Rule {
    glob: GlobMatcher,
    negated: bool,
    folders_only: bool,
    /// Matched against the path below the rule's folder, else against the name.
    anchored: bool,
}

fn rules(text: &str) -> Vec<Rule> {
    let rule = |line: &str| {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (negated, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let (folders_only, line) = line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
        let anchored = line.contains('/');
        let glob = GlobBuilder::new(line.trim_start_matches('/')).literal_separator(true).build().ok()?;
        Some(Rule { glob: glob.compile_matcher(), negated, folders_only, anchored })
    };
    text.lines().take(MOST_RULES).filter_map(rule).collect()
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

    #[test]
    fn rules_of_a_gitignore_decide_last_match_first() {
        let count = |rules_of: &str| Count {
            leave_out: &[],
            ignores: vec![(String::new(), rules(rules_of))],
            bytes: 0,
            counted: KeywordCounts::default(),
        };
        let ignored = count("# x\n*.log\n!keep.log\n/build/\ndocs/**/out\nvendor/\n");
        for (path, folder, wanted) in [
            ("a/b.log", false, true),
            ("a/keep.log", false, false),
            ("build", true, true),
            ("a/build", true, false),
            ("build", false, false),
            ("docs/a/b/out", false, true),
            ("a/vendor", true, true),
            ("src/x.rs", false, false),
        ] {
            assert_eq!(ignored.is_ignored(path, folder), wanted, "{path}");
        }
    }
}
