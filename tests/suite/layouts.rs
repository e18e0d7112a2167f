//! A folder of `tests/layouts/` is an item of a layout and a discussion of it; its README says how to add one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cases::{changes, files, lend_voice};
use crate::kit::{AT, BRANCH, Run, Sandbox, empty};

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/layouts");
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn line_of(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap().trim().to_owned()
}

/// The files of a branch, without recordings and records of discussions.
fn documents(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let tree = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
    let mut found = BTreeMap::new();
    tree.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
        let name = format!("{folder}{}", entry.name().unwrap());
        if entry.kind() == Some(git2::ObjectType::Blob)
            && !name.ends_with(".jsonl")
            && !name.ends_with("meta.json")
        {
            found.insert(name, sandbox.git.find_blob(entry.id()).unwrap().content().to_vec());
        }
        git2::TreeWalkResult::Ok
    })
    .unwrap();
    found
}

fn talk(folder: &Path, sandbox: &Sandbox, script: &str, at: &str) -> serde_json::Value {
    let (item, script) = (line_of(folder, "item"), folder.join(script));
    let mut args = vec!["elaborate", &item, "--branch", BRANCH, "--step", "01-06", "--json"];
    args.extend(["--script", script.to_str().unwrap(), "--at", at]);
    if folder.join("voice.jsonl").exists() {
        lend_voice(folder, sandbox);
        // It answers from its first line on.
        let _ = std::fs::remove_file(sandbox.root().join("asked"));
        args.extend(["--voice", "command:./voice.sh"]);
    }
    Run::of(sandbox.command(&args).env("PATH", "/usr/bin:/bin").output().unwrap()).json()
}

#[test]
#[cfg(unix)]
fn every_layout_takes_a_discussion_as_its_community_writes() {
    for folder in folders() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let sandbox = empty();
        let given = files(&folder.join("given"));
        for (path, bytes) in &given {
            let path = sandbox.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        sandbox.commit_all();
        let report = talk(&folder, &sandbox, "script.txt", AT);
        let layout = name.split('-').next().unwrap();
        assert_eq!(report["layout"], layout, "{name}");
        let after = documents(&sandbox);
        let found = changes(&given, &after);
        let expected = folder.join("expected.diff");
        if std::env::var_os("ROUNDTABLE_BLESS").is_some() {
            std::fs::write(&expected, &found).unwrap();
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        let diff = similar::TextDiff::from_lines(&wanted, &found);
        assert!(wanted == found, "{name}:\n{}", diff.unified_diff());
        sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
        sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
        a_second_discussion_repeats_nothing(&folder, &sandbox, &after);
    }
}

fn a_second_discussion_repeats_nothing(folder: &Path, sandbox: &Sandbox, first: &BTreeMap<String, Vec<u8>>) {
    talk(folder, sandbox, "second.txt", "2026-03-02T09:00:00Z");
    let text = changes(first, &documents(sandbox));
    assert!(text.contains("Letters are blue"), "{}: {text}", folder.display());
    assert!(!text.lines().any(|line| line.starts_with('+') && line.contains("white")), "{text}");
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
}

#[test]
fn a_layout_of_a_team_is_a_file() {
    let sandbox = empty();
    let layout = "layout: rfc\ntitle: A request for comments\norder: 1\nrecognised: {files: [rfc.md]}\n\
        document: [rfc.md]\nblock: none\ndecisions: {heading: Resolutions}\nquestions: {heading: Unresolved questions}\n\
        actions: recording\ninsights: recording\n";
    sandbox.commit(&[
        (".roundtable.yaml", "layouts: ours/layouts\nlayout: {'x/*': isdlc}\n"),
        ("ours/layouts/rfc.yaml", layout),
        ("rfcs/letters/rfc.md", "# Letters\n\n## Resolutions\n\n1. They are monthly\n"),
        ("x/letters/rfc.md", "# Letters\n"),
    ]);
    let script = sandbox.script("s.txt", "Decision: Letters are white.\nWho folds them?\ndone\n");
    let args = |item| ["elaborate", item, "--step", "01-03", "--script", &script, "--at", AT, "--json"];
    let report = sandbox.run(&args("rfcs/letters")).json();
    assert_eq!(report["layout"], "rfc");
    let text = sandbox.file(report["branch"].as_str().unwrap(), "rfcs/letters/rfc.md");
    assert!(
        text.contains("1. They are monthly\n2. Letters are white (")
            && text.contains("## Unresolved questions\n\n- Who folds them?\n"),
        "{text}"
    );
    sandbox.run(&["replay", "--all", "--rev", report["branch"].as_str().unwrap()]).ok();
    assert_eq!(sandbox.run(&args("x/letters")).json()["layout"], "isdlc");
    sandbox.commit(&[("ours/layouts/rfc.yaml", &layout.replace("heading: Res", "title: Res"))]);
    let mut anew = args("rfcs/letters").to_vec();
    anew.extend(["--branch", "anew"]);
    let refused = sandbox.run(&anew);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("ours/layouts/rfc.yaml:7"), "{}", refused.stderr);
}
