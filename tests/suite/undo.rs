//! `roundtable undo` and `roundtable doctor`, over real repositories.

use crate::forge::git;
use crate::kit::{AT, ITEM, Sandbox, sandbox};

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
    sandbox.run(&["replay", recording, "--onto", "main", "--branch", "roundtable/offline-mode"]).ok();
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

/// The ids of the decisions that `show` prints, the oldest first.
fn decisions(sandbox: &Sandbox) -> Vec<serde_json::Value> {
    let shown = sandbox.run(&["show", "offline-mode", "--json"]).json();
    shown["decisions"].as_array().unwrap().clone()
}

#[test]
fn a_published_decision_is_replaced_by_a_later_one_that_names_it() {
    let sandbox = sandbox();
    let first = "Decision: photos are kept for 10 days because phones are small.\ndone\n";
    sandbox.elaborate(first, &["--at", AT]).ok();
    git(&sandbox.root(), &["tag", "v1", "roundtable/offline-mode"]);
    let old = decisions(&sandbox)[0]["id"].as_str().unwrap().to_owned();

    let refused = sandbox.run(&["undo", "offline-mode"]);
    let how = format!("Decision: …, replaces {old}");
    assert!(refused.code == 2 && refused.stderr.contains(&how), "{}", refused.stderr);

    let second = format!(
        "Decision: the map is kept.\nDecision: photos are kept for 20 days because rangers ask for them; replaces {old}.\ndone\n"
    );
    let run = sandbox.elaborate(&second, &["--at", "2026-02-21T10:00:00Z"]).ok();
    assert!(run.stdout.contains(&format!("Replaces {old}: ")), "{}", run.stdout);

    let all = decisions(&sandbox);
    let new = all[2]["id"].as_str().unwrap().to_owned();
    assert_eq!(all[0]["replaced_by"], serde_json::json!([new]), "{all:?}");
    assert_eq!(
        (&all[1]["replaces"], &all[1]["replaced_by"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
    assert_eq!(all[2]["replaces"], serde_json::json!([old]), "{all:?}");

    let shown = sandbox.run(&["show", "offline-mode"]).ok().stdout;
    assert!(
        shown.contains(&format!("replaced by {new}")) && shown.contains(&format!("replaces {old}")),
        "{shown}"
    );
    let status = sandbox.run(&["status", "offline-mode"]).ok().stdout;
    assert!(status.contains("1 decision replaced by a later one:"), "{status}");
    assert!(
        status.contains(&format!("(replaced by {new})")) && status.contains(&format!("{old}: ")),
        "{status}"
    );
    let page = sandbox.run(&["show", "offline-mode", "--format", "html"]).ok().stdout;
    let link = format!("replaced by <a href=\"#i1{new}\">{new}</a>");
    assert!(
        page.contains(&link) && page.contains(&format!("<li id=\"i1{old}\" data-find class=\"replaced\">")),
        "{page}"
    );
    let rows = sandbox.run(&["export", "--format", "csv", "--rev", "roundtable/offline-mode"]).ok().stdout;
    assert!(rows.contains(&format!("{old},{new}")), "{rows}");

    // The old line is in the document as it was, and `why` says that it no longer holds.
    let text = git(
        &sandbox.root(),
        &["show", "roundtable/offline-mode:docs/requirements/offline-mode/requirements-spec.md"],
    );
    let line = text.lines().position(|line| line.contains("photos are kept for 10 days")).unwrap() + 1;
    let place = format!("docs/requirements/offline-mode/requirements-spec.md:{line}");
    let why = sandbox.run(&["why", &place, "--rev", "roundtable/offline-mode"]).ok().stdout;
    assert!(why.contains(&old) && why.contains(&format!("by {new}")), "{why}");
}

#[test]
fn an_id_that_no_decision_has_is_told() {
    let sandbox = sandbox();
    let run = sandbox.elaborate("Decision: photos are kept; replaces D-0000000.\ndone\n", &["--at", AT]).ok();
    assert!(run.stderr.contains("D-0000000 is no earlier decision of this item"), "{}", run.stderr);
    assert!(run.stderr.contains("`roundtable show offline-mode` lists the ids"), "{}", run.stderr);
    assert_eq!(decisions(&sandbox)[0]["replaces"], serde_json::json!([]));
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

#[test]
fn the_doctor_finds_an_item_that_cannot_be_read_and_a_folder_that_is_not_there() {
    let sandbox = sandbox();
    let wrong = |sandbox: &Sandbox| {
        let run = sandbox.run(&["doctor"]);
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        run.stdout
    };
    sandbox.commit(&[(".roundtable.yaml", "items: docs/nowhere\n")]);
    assert!(wrong(&sandbox).contains("`items` names docs/nowhere, and HEAD has no such folder"));
    let meta = format!("{}/meta.json", ITEM);
    sandbox.commit(&[(".roundtable.yaml", "items: docs/requirements\n"), (&meta, "{bad")]);
    assert!(wrong(&sandbox).contains("fix  items: "));
}

#[test]
fn a_commit_without_an_identity_or_a_signature_says_so_and_the_doctor_too() {
    let sandbox = sandbox();
    let count = |run: &crate::kit::Run, words: &str| run.stderr.matches(words).count();
    let (nobody, unsigned) = ("the commit is by roundtable <roundtable@localhost>", "commit.gpgsign is set");
    let run = sandbox.elaborate("done\n", &["--at", AT]).ok();
    assert_eq!((count(&run, nobody), count(&run, unsigned)), (1, 0), "{}", run.stderr);
    assert!(run.stderr.contains("git config user.name"), "{}", run.stderr);
    let mut config = sandbox.git.config().unwrap();
    for (name, value) in [("user.name", "Sam"), ("user.email", "sam@example.org"), ("commit.gpgsign", "true")]
    {
        config.set_str(name, value).unwrap();
    }
    let run = sandbox.elaborate("done\n", &["--at", "2026-02-21T14:30:00Z"]).ok();
    assert_eq!((count(&run, nobody), count(&run, unsigned)), (0, 1), "{}", run.stderr);
    let run = sandbox.run(&["add", "late-fees", "--name", "Late fees"]).ok();
    assert_eq!(count(&run, unsigned), 1, "{}", run.stderr);
    // A run that commits nothing has nothing to say of a commit.
    let run = sandbox.elaborate("done\n", &["--at", "2026-02-22T14:30:00Z", "--dry-run"]).ok();
    assert_eq!(count(&run, unsigned), 0, "{}", run.stderr);
    let told = sandbox.run(&["doctor"]).ok().stdout;
    assert!(told.contains("note signing: commit.gpgsign is set"), "{told}");
}

#[test]
fn the_doctor_names_merged_branches_in_one_line() {
    let sandbox = sandbox();
    sandbox.elaborate("done\n", &["--at", AT]).ok();
    git(&sandbox.root(), &["checkout", "--quiet", "--force", "main"]);
    git(&sandbox.root(), &["merge", "--quiet", "roundtable/offline-mode"]);
    let told = |sandbox: &Sandbox| sandbox.run(&["doctor"]).ok().stdout;
    assert!(told(&sandbox).contains("branch: roundtable/offline-mode is merged\n"), "{}", told(&sandbox));
    for number in 2..=6 {
        git(&sandbox.root(), &["branch", &format!("roundtable/offline-mode-{number}")]);
    }
    let told = told(&sandbox);
    assert_eq!(told.matches("branch: ").count(), 1, "{told}");
    assert!(told.contains("6 branches are merged: roundtable/offline-mode, "), "{told}");
    assert!(told.contains(" and 3 more"), "{told}");
}

#[test]
fn status_says_which_settings_count_where_they_are_edited() {
    let sandbox = sandbox();
    let told = |sandbox: &Sandbox| sandbox.run(&["status"]).ok().stderr;
    assert_eq!(told(&sandbox), "");
    let path = sandbox.root().join(".roundtable.yaml");
    std::fs::write(&path, "max_turns: 20\n").unwrap();
    assert!(told(&sandbox).contains("has no settings, so the defaults count"), "{}", told(&sandbox));
    sandbox.commit(&[(".roundtable.yaml", "max_turns: 20\n")]);
    assert_eq!(told(&sandbox), "");
    std::fs::write(&path, "max_turns: 30\n").unwrap();
    let commit = sandbox.git.head().unwrap().target().unwrap().to_string();
    let wanted = format!(
        ".roundtable.yaml is edited and not committed; the settings of commit {} count",
        &commit[..10]
    );
    assert!(told(&sandbox).contains(&wanted), "{}", told(&sandbox));
    std::fs::remove_file(&path).unwrap();
    assert!(told(&sandbox).contains("is gone here and committed"), "{}", told(&sandbox));
}
