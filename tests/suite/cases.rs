//! A folder of `tests/cases/` is a discussion and what comes of it; its README says how to read and to add one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::kit::{AT, BRANCH, Run, Sandbox, empty};

const ITEM: &str = "docs/requirements/case";

/// A model that answers what the case says, a line for each request; then it passes.
const VOICE: &str = r#"#!/bin/sh
cd "$(dirname "$0")"
case "$(cat)" in
*'"want":"round"'* | *'"want":"line"'*)
  n=$(($(cat asked 2>/dev/null || echo 0) + 1))
  echo $n > asked
  answer=$(sed -n "${n}p" voice.jsonl)
  printf '%s' "${answer:-{\"pass\": true\}}" ;;
*'"want":"synthesis"'*) cat synthesis.json ;;
*) echo '[]' ;;
esac
"#;

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name_of(case: &Path) -> &str {
    case.file_name().unwrap().to_str().unwrap()
}

pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in
        walkdir::WalkDir::new(folder).into_iter().flatten().filter(|entry| entry.file_type().is_file())
    {
        let name = entry.path().strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
        found.insert(name, std::fs::read(entry.path()).unwrap());
    }
    found
}

/// The item before. Its meta.json has another name in a case: this repository would take it for an item of its own.
fn given(case: &Path) -> BTreeMap<String, Vec<u8>> {
    let named = |name: String| if name == "item.json" { "meta.json".to_owned() } else { name };
    files(&case.join("given")).into_iter().map(|(name, bytes)| (named(name), bytes)).collect()
}

/// Holds the discussion of a case.
fn held(case: &Path, sandbox: &Sandbox) -> Run {
    for (name, bytes) in given(case) {
        let path = sandbox.root().join(ITEM).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    sandbox.commit_all();
    let step = std::fs::read_to_string(case.join("step")).unwrap();
    let scripts = ["script.txt", "script.yaml"].map(|name| case.join(name));
    let script = scripts.iter().find(|path| path.exists()).expect("a case has a script.txt or script.yaml");
    let script = script.to_str().unwrap();
    let mut args = vec!["elaborate", "case", "--branch", BRANCH, "--step", step.trim()];
    args.extend(["--script", script, "--at", AT]);
    if case.join("voice.jsonl").exists() {
        lend_voice(case, sandbox);
        args.extend(["--voice", "command:./voice.sh"]);
    }
    Run::of(sandbox.command(&args).env("PATH", "/usr/bin:/bin").output().unwrap()).ok()
}

/// Puts the model of a case where the program finds it.
pub fn lend_voice(case: &Path, sandbox: &Sandbox) {
    for name in ["voice.jsonl", "synthesis.json"] {
        std::fs::copy(case.join(name), sandbox.root().join(name)).unwrap();
    }
    let program = sandbox.root().join("voice.sh");
    std::fs::write(&program, VOICE).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// What was printed up to the commit, without what a model took: the prompts' length is no part of a case.
fn transcript(printed: &str) -> String {
    let told = printed.split("\nCommitted ").next().unwrap_or_default();
    let blocks: Vec<&str> = told.split("\n\n").filter(|block| !block.starts_with("turn  by ")).collect();
    blocks.join("\n\n")
}

/// The files of the item on its branch, without recordings.
fn documents(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
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
    found
}

/// What differs between the files before and after, as a unified diff; a file that stays as it is has no part in it.
pub fn changes(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> String {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let text = |files: &BTreeMap<String, Vec<u8>>, name: &String| {
        String::from_utf8_lossy(files.get(name).map_or(&[][..], Vec::as_slice)).into_owned()
    };
    let diff = |name: &&String| {
        let (old, new) = (text(before, name), text(after, name));
        let side =
            |lead: &str, is_there: bool| if is_there { format!("{lead}/{name}") } else { "/dev/null".into() };
        let (from, to) = (side("a", before.contains_key(*name)), side("b", after.contains_key(*name)));
        similar::TextDiff::from_lines(&old, &new).unified_diff().header(&from, &to).to_string()
    };
    let differ = names.iter().filter(|name| before.get(**name) != after.get(**name));
    differ.map(diff).collect()
}

/// What a case comes to: the changes of the item, and what was printed up to the commit.
fn outcome(case: &Path) -> BTreeMap<String, Vec<u8>> {
    let sandbox = empty();
    let run = held(case, &sandbox);
    let changes = changes(&given(case), &documents(&sandbox));
    let replayed = sandbox.run(&["replay", "--all", "--rev", BRANCH, "--json"]).stdout;
    let replayed: serde_json::Value = serde_json::from_str(&replayed).unwrap();
    assert_eq!(replayed["recordings"][0]["reproduced"], true, "{}: {replayed}", name_of(case));
    BTreeMap::from([
        ("changes.diff".to_owned(), changes.into_bytes()),
        ("transcript.txt".to_owned(), transcript(&run.stdout).into_bytes()),
    ])
}

/// Writes what is expected, when `ROUNDTABLE_BLESS` is set.
fn bless(expected: &Path, found: &BTreeMap<String, Vec<u8>>) {
    let _ = std::fs::remove_dir_all(expected);
    std::fs::create_dir_all(expected).unwrap();
    for (name, bytes) in found {
        std::fs::write(expected.join(name), bytes).unwrap();
    }
}

#[test]
fn every_case_comes_out_as_expected() {
    for case in cases() {
        if cfg!(not(unix)) && case.join("voice.jsonl").exists() {
            continue; // Its model is a shell script.
        }
        let found = outcome(&case);
        let expected = case.join("expected");
        if std::env::var_os("ROUNDTABLE_BLESS").is_some() {
            bless(&expected, &found);
        }
        let wanted = files(&expected);
        assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{}", case.display());
        for (name, bytes) in &found {
            let (found, wanted) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&wanted[name]));
            let diff = similar::TextDiff::from_lines(wanted.as_ref(), found.as_ref());
            assert!(wanted == found, "{}/{name}:\n{}", case.display(), diff.unified_diff());
        }
    }
}

/// The requirements of a discussion that no case is called after.
fn without_case(cases: &[PathBuf]) -> Vec<String> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requirements.md"));
    let page = page.unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| **discussion FR-")?.split_once("**"));
    let numbers: BTreeSet<&str> = rows.map(|(number, _)| number).collect();
    assert!(numbers.len() > 8, "{numbers:?}");
    let has_case =
        |number: &str| cases.iter().any(|case| name_of(case).starts_with(&format!("fr-{number}-")));
    numbers.into_iter().filter(|number| !has_case(number)).map(|number| format!("FR-{number}")).collect()
}

#[test]
fn every_requirement_of_a_discussion_has_a_case_that_says_what_it_shows() {
    let cases = cases();
    assert_eq!(without_case(&cases), [""; 0], "these have no folder in tests/cases/");
    for case in &cases {
        let number = name_of(case).split('-').nth(1).unwrap_or_default();
        let says = std::fs::read_to_string(case.join("case.md")).unwrap_or_default();
        let is_said = says.contains(&format!("AC-{number}-"));
        assert!(is_said, "{}/case.md has to say which criteria of FR-{number} it shows", case.display());
    }
}

#[test]
fn a_requirement_without_a_case_is_named() {
    let others: Vec<PathBuf> =
        cases().into_iter().filter(|case| !name_of(case).starts_with("fr-007")).collect();
    assert_eq!(without_case(&others), ["FR-007"]);
}
