//! What a run says before it starts, and which branch it goes to.

use crate::kit::{AT, BRANCH, ITEM, Sandbox, sandbox};

const TALK: &str = "We decided to keep both answers because nobody may lose work.\ndone\n";
const LATER: &str = "2026-02-21T14:30:00Z";

fn warnings(stderr: &str) -> Vec<&str> {
    stderr.lines().filter_map(|line| line.strip_prefix("warning: ")).collect()
}

/// Moves `main` forward to the branch, with its files.
fn merge(sandbox: &Sandbox) {
    let tip = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    sandbox.git.reset(tip.as_object(), git2::ResetType::Hard, None).unwrap();
}

/// The same files as one commit of somebody's on `main`.
fn squash(sandbox: &Sandbox) {
    let tree = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
    let head = sandbox.git.head().unwrap().peel_to_commit().unwrap();
    let who = head.author();
    let id = sandbox.git.commit(Some("HEAD"), &who, &who, "squash", &tree, &[&head]).unwrap();
    let commit = sandbox.git.find_object(id, None).unwrap();
    sandbox.git.reset(&commit, git2::ResetType::Hard, None).unwrap();
}

#[test]
fn documents_that_are_edited_and_not_committed_are_named() {
    let sandbox = sandbox();
    assert_eq!(warnings(&sandbox.elaborate(TALK, &["--dry-run"]).ok().stderr), Vec::<&str>::new());
    let path = sandbox.root().join(ITEM).join("requirements-spec.md");
    let text = std::fs::read_to_string(&path).unwrap();
    // Line ends that git itself writes into a work tree are no edit.
    std::fs::write(&path, text.replace('\n', "\r\n")).unwrap();
    assert_eq!(warnings(&sandbox.elaborate(TALK, &["--dry-run"]).ok().stderr), Vec::<&str>::new());
    std::fs::write(&path, text.replace("500 photos", "900 photos")).unwrap();
    let wanted = ["requirements-spec.md is edited and not committed; the committed text is discussed"];
    let run = sandbox.elaborate(TALK, &["--at", AT]).ok();
    assert_eq!(warnings(&run.stderr), wanted);
    assert!(sandbox.spec().contains("500 photos"));
    let script = sandbox.script("answers.txt", "C\n");
    let run = sandbox.run(&["analyze", "offline-mode", "--script", &script, "--dry-run"]).ok();
    assert_eq!(warnings(&run.stderr), wanted);
}

#[test]
fn a_merged_branch_is_left_and_the_next_free_one_taken() {
    for squashed in [false, true] {
        let sandbox = sandbox();
        sandbox.elaborate(TALK, &["--at", AT]).ok();
        let (first, second) = (sandbox.tip(BRANCH).unwrap(), format!("{BRANCH}-2"));
        // It is no question while nothing is merged.
        assert_eq!(warnings(&sandbox.elaborate("done\n", &["--dry-run"]).ok().stderr), Vec::<&str>::new());
        if squashed {
            squash(&sandbox)
        } else {
            merge(&sandbox)
        };
        let head = sandbox.git.head().unwrap().peel_to_commit().unwrap().id();
        let run = sandbox.elaborate("Maya, who waits for it?\ndone\n", &["--at", LATER]).ok();
        let told = warnings(&run.stderr);
        assert_eq!(told.len(), 1, "{}", run.stderr);
        assert!(told[0].starts_with(&format!("{BRANCH} is merged already")), "{told:?}");
        assert_eq!(sandbox.tip(BRANCH), Some(first));
        let tip = sandbox.git.find_commit(sandbox.tip(&second).unwrap()).unwrap();
        assert_eq!(tip.parent_id(0).unwrap(), head);
        // Whoever asks how the item is reads it there, and takes back from there.
        for arguments in [&["show", "offline-mode"][..], &["status", "offline-mode"]] {
            let told = sandbox.run(arguments).ok().stdout;
            let is_there = told.contains(&second) || told.contains("who waits for it?");
            assert!(is_there, "{arguments:?}: {told}");
        }
        // The next one goes on there.
        let report = sandbox.elaborate("Alex, why?\ndone\n", &["--json"]).json();
        assert_eq!(
            (report["branch"].as_str(), report["base"].as_str()),
            (Some(second.as_str()), Some(tip.id().to_string().as_str()))
        );
        // Where the merged branch is gone, its name is free again.
        sandbox.git.find_branch(BRANCH, git2::BranchType::Local).unwrap().delete().unwrap();
        let report = sandbox.elaborate("Alex, why?\ndone\n", &["--json"]).json();
        assert_eq!(
            (report["branch"].as_str(), report["base"].as_str()),
            (Some(BRANCH), Some(head.to_string().as_str()))
        );
    }
}

#[test]
fn the_same_run_after_a_merge_is_recorded_already() {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    merge(&sandbox);
    sandbox.git.find_branch(BRANCH, git2::BranchType::Local).unwrap().delete().unwrap();
    let again = sandbox.elaborate(TALK, &["--at", AT]).ok();
    assert!(again.stdout.contains("Already recorded: commit "), "{}", again.stdout);
    assert_eq!((sandbox.tip(BRANCH), warnings(&again.stderr)), (None, Vec::new()));
}

#[test]
fn a_script_that_was_recorded_before_is_said() {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    let run = sandbox.elaborate(TALK, &["--at", LATER]).ok();
    let told = warnings(&run.stderr);
    assert_eq!(told.len(), 1, "{}", run.stderr);
    let path = format!("in {ITEM}/elaborations/01-03-20260220T143000000Z.jsonl; it is discussed again");
    assert!(told[0].starts_with("this script was recorded before") && told[0].ends_with(&path), "{told:?}");
    // Another word, or another step, is another script.
    let other = sandbox.elaborate(&TALK.replace("keep", "show"), &["--at", LATER]).ok();
    assert_eq!(warnings(&other.stderr), Vec::<&str>::new());
    let again = sandbox.elaborate(TALK, &["--at", AT]).ok();
    assert!(again.stdout.contains("Already recorded"));
    assert_eq!(warnings(&again.stderr), Vec::<&str>::new());
}

#[test]
fn a_base_that_does_not_exist_is_refused_even_where_it_is_not_used() {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    let refs = sandbox.refs();
    let run = sandbox.elaborate("Alex, why?\ndone\n", &["--base", "nowhere"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("no commit \"nowhere\""), "{}", run.stderr);
    assert_eq!(sandbox.refs(), refs);
    let run = sandbox.elaborate("Alex, why?\ndone\n", &["--base", "main"]).ok();
    assert!(run.stderr.contains("--base says where a new one starts and is not used"), "{}", run.stderr);
}

#[test]
fn a_new_document_that_is_not_committed_is_named() {
    let sandbox = sandbox();
    let folder = sandbox.root().join(ITEM);
    std::fs::write(folder.join("fees.md"), "# Fees\n").unwrap();
    std::fs::write(folder.join("notes.bak"), "no document\n").unwrap();
    std::fs::write(folder.join("own.txt"), "ignored\n").unwrap();
    std::fs::write(sandbox.root().join(".git/info/exclude"), "own.txt\n").unwrap();
    let run = sandbox.elaborate(TALK, &["--dry-run"]).ok();
    assert_eq!(
        warnings(&run.stderr),
        ["fees.md is edited and not committed; the committed text is discussed"]
    );
}

#[test]
fn a_branch_that_only_added_the_item_is_left_once_it_is_merged() {
    let sandbox = sandbox();
    sandbox.run(&["add", "fees", "--name", "late fees", "--branch", "roundtable/fees"]).ok();
    let tip = sandbox.git.find_commit(sandbox.tip("roundtable/fees").unwrap()).unwrap();
    sandbox.git.reset(tip.as_object(), git2::ResetType::Hard, None).unwrap();
    let script = sandbox.script("talk.txt", TALK);
    let words = ["elaborate", "fees", "--step", "01-03", "--script", &script, "--json"];
    // Nothing has happened since: the branch is as good as the base.
    assert_eq!(sandbox.run(&[&words[..], &["--dry-run"]].concat()).json()["branch"], "roundtable/fees");
    std::fs::write(sandbox.root().join("docs/requirements/fees/fees.md"), "# Fees\n").unwrap();
    sandbox.commit_all();
    let run = sandbox.run(&words).ok();
    assert!(run.stdout.contains("roundtable/fees-2"), "{}", run.stdout);
    let told = warnings(&run.stderr);
    assert!(told.len() == 1 && told[0].starts_with("roundtable/fees is merged already"), "{told:?}");
}

#[test]
fn documents_that_changed_on_head_since_the_branch_began_are_named() {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    let path = sandbox.root().join(ITEM).join("requirements-spec.md");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}\nA new line.\n")).unwrap();
    sandbox.commit_all();
    let run = sandbox.elaborate("Alex, why?\ndone\n", &["--at", LATER]).ok();
    let told = warnings(&run.stderr);
    let wanted = format!(
        "requirements-spec.md changed on HEAD after {BRANCH} began; the text on {BRANCH} is discussed"
    );
    assert!(told.len() == 1 && told[0].starts_with(&wanted), "{told:?}");
}
