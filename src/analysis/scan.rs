//! The quick scan (phase 00): where the base tree mentions the item's subject, and what size follows
//! from it. The counting is the repository's; the judgement here is a function of the counts.

use std::collections::BTreeMap;

use super::depth::Size;
use crate::text::words::{is_significant, stem, words};

/// A keyword in so many times more files than any other, in more than so many, and in more than half of all,
/// says nothing about this item.
const NOISE: usize = 4;
const NOISE_FILES: usize = 20;
/// Places of a keyword that are named.
const PLACES: usize = 4;
/// Words of the item's name that are looked for.
const MOST_SUBJECTS: usize = 5;
/// Keywords of the user's that are counted beside those of the item's name.
const MOST_KEYWORDS: usize = 12;

/// What was counted in a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeywordCounts {
    /// The commit, in a few digits.
    pub commit: String,
    pub keywords: Vec<String>,
    /// Files that mention a keyword: how often each is mentioned, in the order of `keywords`.
    pub files: BTreeMap<String, Vec<usize>>,
    /// Files that were looked into.
    pub looked_at: usize,
    /// Files left out: binary, ignored, generated.
    pub left_out: usize,
    /// Not everything was read: the counts are lower bounds.
    pub partial: bool,
    /// A source file was looked into.
    pub has_code: bool,
}

/// A keyword and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyword {
    pub word: String,
    pub files: usize,
    pub hits: usize,
    pub places: Vec<String>,
    /// Left out of the count as noise.
    pub is_noise: bool,
}

/// What the counts come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    pub keywords: Vec<Keyword>,
    /// The files that mention a keyword which is no noise.
    pub affected: Vec<String>,
    /// Those of them that mention several, or carry one in their path.
    pub direct: usize,
    /// Source, tests, settings, documents.
    pub kinds: [usize; 4],
    pub size: Size,
    pub commit: String,
    pub looked_at: usize,
    pub left_out: usize,
    pub partial: bool,
    /// There is code to count in; without any, the size says nothing and is medium.
    pub has_code: bool,
}

/// Names of [`Measure::kinds`].
pub const KINDS: [&str; 4] = ["source", "tests", "settings", "documents"];

/// Judges what was counted (analysis AC-006-01 to AC-006-03: fewer than 5 files, 5 to 15, more).
pub fn measure(counted: &KeywordCounts) -> Measure {
    let of =
        |at: usize| counted.files.iter().filter(move |(_, counts)| counts.get(at).is_some_and(|n| *n > 0));
    let totals: Vec<usize> = (0..counted.keywords.len()).map(|at| of(at).count()).collect();
    let is_noise = |at: usize| {
        let others = totals.iter().enumerate().filter(|(other, _)| *other != at);
        let most = others.map(|(_, total)| *total).max().unwrap_or(0);
        totals.get(at).is_some_and(|total| {
            most > 0 && *total > NOISE_FILES && *total > most * NOISE && *total * 2 > counted.looked_at
        })
    };
    let keywords = counted.keywords.iter().enumerate().map(|(at, word)| Keyword {
        word: word.clone(),
        files: totals[at],
        hits: of(at).filter_map(|(_, counts)| counts.get(at)).sum(),
        places: most_hits(of(at), at),
        is_noise: is_noise(at),
    });
    let counts = |counts: &Vec<usize>| {
        counts.iter().enumerate().filter(|(at, count)| **count > 0 && !is_noise(*at)).count()
    };
    let affected: Vec<&String> =
        counted.files.iter().filter(|(_, found)| counts(found) > 0).map(|(path, _)| path).collect();
    let in_path = |path: &str| {
        let path = path.to_lowercase();
        counted.keywords.iter().enumerate().any(|(at, word)| !is_noise(at) && path.contains(word.as_str()))
    };
    let direct =
        counted.files.iter().filter(|(path, found)| counts(found) > 1 || counts(found) == 1 && in_path(path));
    let mut kinds = [0; 4];
    for path in &affected {
        kinds[kind(path)] += 1;
    }
    Measure {
        keywords: keywords.collect(),
        direct: direct.count(),
        kinds,
        size: size(counted, affected.len()),
        has_code: counted.has_code,
        affected: affected.into_iter().cloned().collect(),
        commit: counted.commit.clone(),
        looked_at: counted.looked_at,
        left_out: counted.left_out,
        partial: counted.partial,
    }
}

/// The class of a number of affected files. Left out as noise or not, many files are not few: where a word was
/// left out, the size is at least medium. So it is where there is no code to count in.
fn size(counted: &KeywordCounts, affected: usize) -> Size {
    let is_noisy = affected < counted.files.len();
    match Size::of(affected) {
        Size::Small if is_noisy || !counted.has_code => Size::Medium,
        size => size,
    }
}

/// The files that mention a keyword most, and then by name.
fn most_hits<'c>(files: impl Iterator<Item = (&'c String, &'c Vec<usize>)>, at: usize) -> Vec<String> {
    let mut found: Vec<(usize, &String)> = files.map(|(path, counts)| (counts[at], path)).collect();
    found.sort_by(|a, b| (b.0, a.1).cmp(&(a.0, b.1)));
    found.into_iter().take(PLACES).map(|(_, path)| path.clone()).collect()
}

/// Which of [`KINDS`] a path is.
pub(crate) fn kind(path: &str) -> usize {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let suffix = name.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    let test_folder =
        folders.split('/').any(|folder| matches!(folder, "test" | "tests" | "spec" | "specs" | "__tests__"));
    let test_name =
        ["test_", "_test.", ".test.", "_spec.", ".spec.", "-test."].iter().any(|part| name.contains(part));
    match suffix {
        _ if test_folder || test_name => 1,
        "md" | "markdown" | "txt" | "rst" | "adoc" | "org" | "tex" => 3,
        "json" | "yaml" | "yml" | "toml" | "ini" | "cfg" | "conf" | "xml" | "properties" | "env" | "csv" => 2,
        _ => 0,
    }
}

/// The keywords of an item's name, and those that the user names: what is in quotation marks or
/// backticks, and the entries of a list of short names.
pub fn keywords<'a>(item_name: &str, said: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words(item_name).into_iter().filter(|word| is_significant(&word.text)) {
        let word = stem(&word.text).into_owned();
        if word.chars().count() > 2 && !found.contains(&word) && found.len() < MOST_SUBJECTS {
            found.push(word);
        }
    }
    if found.is_empty() {
        let short = words(item_name).into_iter().map(|word| word.text.into_owned());
        found.extend(short.filter(|word| word.chars().count() > 1).take(MOST_SUBJECTS));
    }
    for text in said {
        for word in named(text) {
            if found.len() < MOST_KEYWORDS && !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found
}

/// What a message names as keywords.
fn named(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for mark in ['"', '`', '\''] {
        let blank = |at: Option<char>| at.is_none_or(|c| !c.is_alphanumeric());
        let parts: Vec<&str> = text.split(mark).collect();
        // An apostrophe is inside a word; a quotation mark is not.
        for (at, part) in parts.iter().enumerate().skip(1).step_by(2) {
            let before = parts[at - 1].chars().next_back();
            let after = parts.get(at + 1).and_then(|next| next.chars().next());
            if at + 1 < parts.len() && blank(before) && blank(after) {
                found.push(*part);
            }
        }
    }
    let entries: Vec<&str> =
        text.split([',', ';', '\n']).map(str::trim).filter(|entry| !entry.is_empty()).collect();
    if entries.len() > 1 && entries.iter().all(|entry| entry.split_whitespace().count() <= 2) {
        found.extend(entries);
    }
    let keyword = |text: &str| {
        let text = text.trim().trim_end_matches(['.', '!', '?']).to_lowercase();
        let count = text.chars().count();
        let plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.' | '/'));
        (plain
            && (3..=40).contains(&count)
            && (text.contains(['_', '-', '.']) || words(&text).iter().any(|word| is_significant(&word.text))))
        .then_some(text)
    };
    found.into_iter().filter_map(keyword).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(files: &[(&str, &[usize])]) -> KeywordCounts {
        KeywordCounts {
            commit: "0123456".into(),
            keywords: vec!["offline".into(), "mode".into()],
            files: files.iter().map(|(path, counts)| ((*path).to_owned(), counts.to_vec())).collect(),
            looked_at: 40,
            has_code: true,
            ..KeywordCounts::default()
        }
    }

    #[test]
    fn the_size_follows_from_the_files_that_mention_the_subject() {
        let found = measure(&counted(&[
            ("src/sync.rs", &[2, 1]),
            ("tests/sync_test.rs", &[1, 0]),
            ("docs/offline.md", &[1, 0]),
            ("app.yaml", &[0, 1]),
        ]));
        assert_eq!((found.affected.len(), found.direct, found.kinds), (4, 2, [1, 1, 1, 1]));
        assert_eq!((found.size.scope(), found.size.complexity()), ("small", "low"));
        assert_eq!(found.keywords[0].places[0], "src/sync.rs");
        assert_eq!(found.kinds.iter().sum::<usize>(), found.affected.len());
    }

    #[test]
    fn a_word_that_is_everywhere_is_noise() {
        let many: Vec<(String, [usize; 2])> =
            (0..30).map(|n| (format!("src/{n}.rs"), [usize::from(n < 6), 1])).collect();
        let files: Vec<(&str, &[usize])> =
            many.iter().map(|(path, counts)| (path.as_str(), counts.as_slice())).collect();
        let found = measure(&counted(&files));
        assert_eq!((found.affected.len(), found.size), (6, Size::Medium));
        assert!(found.keywords[1].is_noise && !found.keywords[0].is_noise);
        let nothing = measure(&counted(&[]));
        assert_eq!((nothing.affected.len(), nothing.size), (0, Size::Small));
    }

    #[test]
    fn the_user_names_keywords_in_quotes_or_as_a_list() {
        let found = keywords(
            "offline mode",
            ["In the code it's called \"sync_queue\" or `Outbox`.", "tablet, depot wireless"],
        );
        assert_eq!(found, ["offline", "mode", "sync_queue", "outbox", "tablet", "depot wireless"]);
        assert_eq!(
            keywords("offline mode", ["It's the users' view, I don't know any."]),
            ["offline", "mode"]
        );
        assert_eq!(keywords("PDF", []), ["pdf"]);
    }
}
