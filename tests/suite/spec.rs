//! `tests/requirements.md`: every id has its place in the code and a test, and every id that a comment cites is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

const PAGE: &str = "tests/requirements.md";

static CITED_AS: LazyLock<Regex> = LazyLock::new(|| {
    let requirement = r"(?:discussion |analysis )?(?:AC-)?(?:FR-|NFR-|US-)?\d{3}(?:-\d{2})?";
    Regex::new(&format!(r"^(?:{requirement}|[DVLMRCPAFG]-\d+|G-S\d)$")).unwrap()
});

/// A row of the page.
struct Row<'p> {
    /// As comments cite it.
    id: &'p str,
    /// A requirement in bold is tested by its criteria.
    has_test: bool,
    what: &'p str,
    file: &'p str,
    test: &'p str,
}

/// The rows of the page; a row of another form is an error.
fn rows(page: &str) -> Vec<Row<'_>> {
    let lines = page.lines().filter(|line| line.starts_with('|'));
    let rows = lines.filter(|line| *line != "| id | what | file | test |" && !line.starts_with("| --- "));
    let row = |line| {
        let cells = cells(line).unwrap_or_default();
        let [id, what, file, test] = cells[..] else { panic!("{PAGE}: this is not a row: {line}") };
        Row { id: id.trim_matches('*'), has_test: !id.starts_with('*'), what, file, test }
    };
    rows.map(row).collect()
}

/// The cells of a row of a table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix("| ")?.strip_suffix('|')?;
    Some(row.split(" |").map(str::trim).collect())
}

/// Every id that the page defines, as it is cited.
fn defined(page: &str) -> BTreeSet<&str> {
    rows(page).into_iter().map(|row| row.id).collect()
}

#[test]
fn every_id_is_defined_once_in_its_form_and_says_what_it_wants() {
    let page = read(PAGE);
    let rows = rows(&page);
    let mut seen = BTreeSet::new();
    for Row { id, what, .. } in &rows {
        assert!(CITED_AS.is_match(id), "{PAGE}: {id} has not the form of an id");
        assert!(seen.insert(id), "{PAGE}: {id} is defined twice");
        assert!(!what.is_empty(), "{PAGE}: {id} does not say what it wants");
    }
    let tested = rows.iter().filter(|row| row.has_test).count();
    assert!(tested > 180, "{tested}");
}

/// What a cell of the page names and nobody has.
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
fn every_file_and_test_that_the_page_names_exists() {
    assert_eq!(wrong_in("`src/lib.rs::no_such_test`, `src/none.rs`, `src/lib.rs`").len(), 2);
    let page = read(PAGE);
    for Row { id, file, test, .. } in rows(&page).iter().filter(|row| row.has_test) {
        let wrong: Vec<String> = [file, test].into_iter().flat_map(|cell| wrong_in(cell)).collect();
        assert!(wrong.is_empty(), "{PAGE}, {id}: there is no {}", wrong.join(", "));
        let has_test = test.contains("::") || test.contains("`tests/cases/");
        assert!(has_test || test.starts_with("does not apply: "), "{id} has neither a test nor a reason");
        assert_eq!(file.is_empty(), !has_test, "{id} has a file where it has a test");
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
fn wrong_citations(comment: &str, defined: &BTreeSet<&str>) -> Vec<String> {
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
    wrong.extend(cited.into_iter().filter(|id| !defined.contains(id.as_str())));
    wrong
}

#[test]
fn a_comment_cites_what_the_specification_has() {
    let page = read(PAGE);
    let defined = defined(&page);
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
