//! `roundtable undo` and `roundtable doctor`, over real repositories.

use crate::forge::git;
use crate::kit::{AT, Sandbox, sandbox};

const SCRIPT: &str = "We keep local answers for 30 days.\ndone\n";

/// A discussion on its branch: the commit before it, and the commit.
fn discussed(sandbox: &Sandbox) -> (String, String) {
    sandbox.elaborate(SCRIPT, &["--at", AT]).ok();
    (id(sandbox, "HEAD"), id(sandbox, "roundtable/offline-mode"))
}

fn id(sandbox: &Sandbox, revision: &str) -> String {
    git(&sandbox.root(), &["rev-parse", revision])
}

#[test]
fn a_discussion_that_nobody_has_is_taken_back_and_can_be_committed_again() {
    let sandbox = sandbox();
    let (before, commit) = discussed(&sandbox);
    let dry = sandbox.run(&["undo", "offline-mode", "--dry-run"]).ok();
    assert!(dry.stdout.contains("Would take back the discussion of step 01-03"), "{}", dry.stdout);
    assert_eq!(id(&sandbox, "roundtable/offline-mode"), commit);
    let value = sandbox.run(&["undo", "offline-mode", "--json"]).json();
    assert_eq!((value["undone"].as_str(), value["commit"].as_str()), (Some(&*commit), Some(&*before)));
    assert_eq!(id(&sandbox, "roundtable/offline-mode"), before);
    let recording = value["recording"].as_str().unwrap();
    sandbox.run(&["replay", recording, "--branch", "roundtable/offline-mode"]).ok();
    assert_eq!(id(&sandbox, "roundtable/offline-mode"), commit);
}

#[test]
fn a_discussion_that_somebody_may_have_is_not_taken_back() {
    let sandbox = sandbox();
    let (_, commit) = discussed(&sandbox);
    let refused = |why: &str| {
        let run = sandbox.run(&["undo", "offline-mode"]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(why) && run.stderr.contains("replace"), "{}", run.stderr);
        assert_eq!(id(&sandbox, "roundtable/offline-mode"), commit);
    };
    git(&sandbox.root(), &["tag", "v1", "roundtable/offline-mode"]);
    refused("refs/tags/v1");
    git(&sandbox.root(), &["tag", "-d", "v1"]);
    let remote = sandbox.outside("remote.git");
    git(&sandbox.root(), &["init", "--quiet", "--bare", remote.to_str().unwrap()]);
    git(&sandbox.root(), &["remote", "add", "origin", remote.to_str().unwrap()]);
    sandbox
        .elaborate("Decision: photos are kept.\ndone\n", &["--branch", "roundtable/b", "--push", "origin"])
        .ok();
    let run = sandbox.run(&["undo", "offline-mode", "--branch", "roundtable/b"]);
    assert!(run.code == 2 && run.stderr.contains("refs/remotes/origin/roundtable/b"), "{}", run.stderr);
    git(
        &sandbox.root(),
        &[
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
            "merge",
            "--quiet",
            "--squash",
            "roundtable/offline-mode",
        ],
    );
    git(
        &sandbox.root(),
        &["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "squashed"],
    );
    refused("merged already");
}

#[test]
fn what_is_no_discussion_is_not_taken_back() {
    let sandbox = sandbox();
    let run = sandbox.run(&["undo", "offline-mode"]);
    assert!(run.code == 2 && run.stderr.contains("there is no branch"), "{}", run.stderr);
    git(&sandbox.root(), &["branch", "roundtable/offline-mode"]);
    let run = sandbox.run(&["undo", "offline-mode"]);
    assert!(run.code == 2 && run.stderr.contains("is no discussion"), "{}", run.stderr);
}

#[test]
fn the_doctor_names_what_is_to_be_fixed_and_how() {
    let sandbox = sandbox();
    let folder = sandbox.root().join(".github/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    let value = sandbox.run(&["doctor", "--json"]).json();
    assert_eq!(value["to_fix"], 0, "{value}");
    std::fs::write(
        folder.join("roundtable.yml"),
        "jobs:\n  a:\n    steps:\n      - uses: OWNER/roundtable@000\n",
    )
    .unwrap();
    std::fs::write(sandbox.root().join(".roundtable.yaml"), "voice: openai\n").unwrap();
    let run = sandbox.run(&["doctor"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    for part in ["line 4, names no repository", "OPENAI_API_KEY is not set", "2 things to fix"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    std::fs::write(sandbox.root().join(".roundtable.yaml"), "voise: openai\n").unwrap();
    let run = sandbox.run(&["doctor"]);
    assert!(run.code == 1 && run.stdout.contains("fix  settings: "), "{}{}", run.stdout, run.stderr);
}
