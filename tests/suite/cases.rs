//! One case a folder in `tests/cases/`: `given/` is the item, `script.*` what the user says,
//! `step` the step, `expected/` what the item is afterwards, with the transcript. A new folder
//! is a new case; `ROUNDTABLE_BLESS=1 cargo test` writes what is expected.

use std::collections::BTreeMap;
use std::path::Path;

use crate::kit::{AT, BRANCH, empty};

const ITEM: &str = "docs/requirements/case";

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in
        walkdir::WalkDir::new(folder).into_iter().flatten().filter(|entry| entry.file_type().is_file())
    {
        let name = entry.path().strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
        found.insert(name, std::fs::read(entry.path()).unwrap());
    }
    found
}

fn outcome(case: &Path) -> BTreeMap<String, Vec<u8>> {
    let sandbox = empty();
    for (name, bytes) in files(&case.join("given")) {
        let path = sandbox.root().join(ITEM).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    sandbox.commit_all();
    let step = std::fs::read_to_string(case.join("step")).unwrap();
    let script = std::fs::read_dir(case)
        .unwrap()
        .flatten()
        .find(|entry| entry.file_name().to_string_lossy().starts_with("script."));
    let script = script.unwrap().path();
    let args = [
        "elaborate",
        "case",
        "--branch",
        BRANCH,
        "--step",
        step.trim(),
        "--script",
        script.to_str().unwrap(),
        "--at",
        AT,
    ];
    let run = sandbox.run(&args).ok();
    let tree = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
    let item = sandbox.git.find_tree(tree.get_path(Path::new(ITEM)).unwrap().id()).unwrap();
    let mut found = BTreeMap::new();
    item.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
        if entry.kind() == Some(git2::ObjectType::Blob) && !folder.starts_with("elaborations/") {
            let blob = sandbox.git.find_blob(entry.id()).unwrap();
            found.insert(format!("{folder}{}", entry.name().unwrap()), blob.content().to_vec());
        }
        git2::TreeWalkResult::Ok
    })
    .unwrap();
    let told = run.stdout.split("\nCommitted ").next().unwrap().to_owned();
    found.insert("transcript.txt".to_owned(), told.into_bytes());
    found
}

#[test]
fn every_case_comes_out_as_expected() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut count = 0;
    for case in std::fs::read_dir(root).unwrap() {
        let case = case.unwrap().path();
        let found = outcome(&case);
        let expected = case.join("expected");
        if std::env::var_os("ROUNDTABLE_BLESS").is_some() {
            let _ = std::fs::remove_dir_all(&expected);
            for (name, bytes) in &found {
                let path = expected.join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
        }
        let wanted = files(&expected);
        assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{}", case.display());
        for (name, bytes) in &found {
            let (found, wanted) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&wanted[name]));
            let diff = similar::TextDiff::from_lines(wanted.as_ref(), found.as_ref());
            assert!(wanted == found, "{}/{name}:\n{}", case.display(), diff.unified_diff());
        }
        count += 1;
    }
    assert!(count >= 3);
}
