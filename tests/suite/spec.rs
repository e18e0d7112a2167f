//! `docs/spec/`: every id has its place in the code and a test, and every id that a comment cites is there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pages, by what is said before a requirement's id: two specifications number theirs alike.
const PAGES: [(&str, &str); 7] = [
    ("discussion", "discussion "),
    ("analysis", "analysis "),
    ("voices", ""),
    ("synthesis", ""),
    ("state", ""),
    ("gate", ""),
    ("review", ""),
];

static REQUIREMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:AC-)?(?:FR-|NFR-|US-)?\d{3}(?:-\d{2})?$").unwrap());
static LAW: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(?:[DVLMRCPAFG]-\d+|G-S\d)$").unwrap());

/// The cells of a row of a table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix("| ")?.strip_suffix('|')?;
    Some(row.split(" |").map(str::trim).collect())
}

/// Every id that a page defines, as it is cited, and whether it is a criterion or law with a test of its own: a
/// requirement in bold is the heading of its criteria.
fn defined() -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for (page, lead) in PAGES {
        let text = read(&format!("docs/spec/{page}.md"));
        for row in text.lines().filter_map(cells) {
            let id = row[0].trim_matches('*');
            let cited = if REQUIREMENT.is_match(id) {
                format!("{lead}{id}")
            } else if LAW.is_match(id) {
                id.to_owned()
            } else {
                continue;
            };
            let is_new = found.insert(cited.clone(), row[0] == id).is_none();
            assert!(is_new, "docs/spec/{page}.md: {cited} is defined twice");
        }
    }
    found
}

/// The rows of the page on coverage: the id, and the rest.
fn rows(page: &str) -> Vec<(&str, Vec<&str>)> {
    let rows = page.lines().filter_map(cells).filter(|row| row.len() == 3);
    let is_head = |id: &str| id == "id" || id.starts_with("---");
    rows.filter(|row| !is_head(row[0])).map(|row| (row[0], row[1..].to_vec())).collect()
}

#[test]
fn every_criterion_and_law_has_a_row_and_every_row_a_criterion_or_law() {
    let page = read("docs/spec/coverage.md");
    let covered: Vec<&str> = rows(&page).into_iter().map(|(id, _)| id).collect();
    let unique: BTreeSet<String> = covered.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(unique.len(), covered.len(), "an id has two rows");
    let wanted: BTreeSet<String> =
        defined().into_iter().filter_map(|(id, has_test)| has_test.then_some(id)).collect();
    assert!(wanted.len() > 180, "{}", wanted.len());
    let missing: Vec<&String> = wanted.difference(&unique).collect();
    let unknown: Vec<&String> = unique.difference(&wanted).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "no row: {missing:?}; no such id: {unknown:?}");
}

/// What is wrong with a cell of the page on coverage.
fn wrong_in(cell: &str) -> Vec<String> {
    let names = cell.split('`').skip(1).step_by(2);
    let is_wrong = |name: &&str| match name.split_once("::") {
        Some((file, test)) => {
            let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
            !text.contains(&format!("fn {test}("))
        }
        None => name.contains('/') && !root().join(name).exists(),
    };
    names.filter(is_wrong).map(str::to_owned).collect()
}

#[test]
fn every_file_and_test_that_coverage_names_exists() {
    assert_eq!(wrong_in("`src/lib.rs::no_such_test`, `src/none.rs`, `src/lib.rs`").len(), 2);
    let page = read("docs/spec/coverage.md");
    for (id, cells) in rows(&page) {
        let wrong: Vec<String> = cells.iter().flat_map(|cell| wrong_in(cell)).collect();
        assert!(wrong.is_empty(), "docs/spec/coverage.md, {id}: there is no {}", wrong.join(", "));
        let has_test = cells[1].contains("::") || cells[1].contains("`tests/cases/");
        assert!(has_test || cells[1].starts_with("does not apply: "), "{id} has neither a test nor a reason");
        assert_eq!(cells[0].is_empty(), !has_test, "{id} has a file where it has a test");
    }
}

fn sources() -> Vec<PathBuf> {
    let folders = ["src", "tests", "benches"].into_iter();
    let files = folders.flat_map(|folder| walkdir::WalkDir::new(root().join(folder))).flatten();
    let paths = files.map(walkdir::DirEntry::into_path);
    paths.filter(|path| path.extension().is_some_and(|suffix| suffix == "rs")).collect()
}

static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new("`[^`]*`|\"[^\"]*\"").unwrap());
static CITED: LazyLock<Regex> = LazyLock::new(|| {
    let id = r"(?:AC-(?:NFR-)?|FR-|NFR-|US-)\d{3}(?:-\d{2})?";
    Regex::new(&format!("(discussion|analysis) ({id}(?:(?:, | and | to ){id})*)")).unwrap()
});
static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:AC-(?:NFR-)?|FR-|NFR-)\d{3}(?:-\d{2})?").unwrap());
static CITED_LAW: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:[DVLMRCPAFG]-\d{1,2}|G-S\d)\b(?:[^-\w]|$)").unwrap());
/// What a comment may not cite: something that is not part of the project, or a number without a page.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\bcontract\b|interface specification|state tracking|\b4\.4\.\d|(?:^|[^-\w])S[0-8]\b|ADR-000\d",
    )
    .unwrap()
});

/// What is wrong with the citations of a comment, outside of code and quotations.
fn wrong_citations(comment: &str, defined: &BTreeMap<String, bool>) -> Vec<String> {
    let said = CODE.replace_all(comment, "");
    let mut wrong: Vec<String> = ELSEWHERE.find_iter(&said).map(|found| found.as_str().to_owned()).collect();
    let mut cited = Vec::new();
    for found in CITED.captures_iter(&said) {
        let ids = ID.find_iter(found.get(2).map_or("", |ids| ids.as_str()));
        cited.extend(ids.map(|id| format!("{} {}", &found[1], id.as_str())));
    }
    let rest = CITED.replace_all(&said, "");
    cited.extend(ID.find_iter(&rest).map(|id| id.as_str().to_owned()));
    let laws = CITED_LAW.find_iter(&rest).map(|law| law.as_str());
    cited.extend(laws.map(|law| law.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned()));
    wrong.extend(cited.into_iter().filter(|id| !defined.contains_key(id)));
    wrong
}

#[test]
fn a_comment_cites_what_the_specification_has() {
    let defined = defined();
    for (comment, wrong) in [
        ("/// The warning (discussion AC-007-02), once (D-6).", vec![]),
        ("/// Whole files: `FR-001` and \"AC-1\".", vec![]),
        ("/// (analysis FR-002, FR-008 to FR-011)", vec![]),
        ("/// As the contract has it.", vec!["contract"]),
        ("/// The parser (4.4.4).", vec!["4.4.4"]),
        ("/// A warning (AC-007-02).", vec!["AC-007-02"]),
        ("/// (discussion AC-099-01, G-77)", vec!["discussion AC-099-01", "G-77"]),
    ] {
        assert_eq!(wrong_citations(comment, &defined), wrong, "{comment}");
    }
    let mut wrong = Vec::new();
    for path in sources().iter().filter(|path| !path.ends_with("suite/spec.rs")) {
        let text = std::fs::read_to_string(path).unwrap();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//")) {
            let found = wrong_citations(line, &defined);
            let place = format!("{}:{}", path.display(), at + 1);
            wrong.extend(found.into_iter().map(|what| format!("{place}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
