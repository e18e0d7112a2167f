//! `roundtable add`: a new item, then a discussion on it.

use crate::kit::{AT, BRANCH, ITEM, Run, empty, program, sandbox};

#[test]
fn a_new_item_is_a_commit_on_its_branch_and_can_be_discussed() {
    let sandbox = empty();
    sandbox.commit(&[("README.md", "x\n")]);
    let report = sandbox.run(&["add", "offline-mode", "--name", "offline mode", "--at", AT, "--json"]).json();
    assert_eq!((report["item"].as_str(), report["branch"].as_str()), (Some(ITEM), Some(BRANCH)));
    let meta = sandbox.meta();
    assert_eq!(meta["name"], "offline mode");
    assert_eq!(meta["created_at"], "2026-02-20T14:30:00.000Z");
    assert_eq!(meta["analysis_status"], "raw");
    let run = sandbox.elaborate("Who needs it?\ndone\n", &[]).ok();
    assert!(run.stdout.contains("Topic: User Experience & Journeys for offline mode"), "{}", run.stdout);
    assert!(sandbox.spec().starts_with("# Requirements Spec\n\n## User Experience &"), "{}", sandbox.spec());
    sandbox.assert_sound();
}

#[test]
fn documents_that_stand_already_become_an_item() {
    let sandbox = empty();
    let spec = "# Offline mode\n\n- It should be fast.\n";
    sandbox.commit(&[(&format!("{ITEM}/requirements-spec.md"), spec)]);
    sandbox.run(&["add", ITEM, "--name", "offline mode", "--at", AT]).ok();
    assert_eq!(sandbox.spec(), spec, "nothing but meta.json is new");
    sandbox.elaborate("Who needs it?\ndone\n", &[]).ok();
    assert!(sandbox.spec().starts_with(spec), "{}", sandbox.spec());
    sandbox.assert_sound();
}

#[test]
fn documents_that_are_not_committed_are_said_to_be_no_part_of_the_item() {
    let sandbox = empty();
    sandbox.commit(&[("README.md", "x\n")]);
    let folder = sandbox.root().join(ITEM);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("requirements-spec.md"), "# Offline mode\n").unwrap();
    let run = sandbox.run(&["add", ITEM, "--name", "offline mode", "--at", AT]).ok();
    assert!(run.stderr.contains(&format!("1 document in {ITEM} is not committed")), "{}", run.stderr);
}

#[test]
fn a_folder_whose_meta_json_is_none_or_a_file_is_no_new_item() {
    for there in [format!("{ITEM}/meta.json"), format!("{ITEM}/META.json"), ITEM.to_owned()] {
        let sandbox = empty();
        sandbox.commit(&[(&there, "\0\n")]);
        let run = sandbox.run(&["add", ITEM, "--name", "x"]);
        assert_eq!(run.code, 2, "{there}");
        let wanted =
            if there == ITEM { "is a file, and an item is a folder" } else { "already exists on the branch" };
        assert!(run.stderr.contains(wanted), "{there}: {}", run.stderr);
    }
}

#[test]
fn a_path_of_its_own_and_a_fixed_clock_give_the_same_commit() {
    let make = || {
        let sandbox = sandbox();
        sandbox.run(&["add", "specs/login", "--name", "Login", "--at", AT, "--json"]).json()
    };
    let (one, two) = (make(), make());
    assert_eq!(one["commit"], two["commit"]);
    assert_eq!(one["item"], "specs/login");
}

#[test]
fn what_exists_or_is_no_item_is_refused() {
    let sandbox = sandbox();
    let refs = sandbox.refs();
    for (args, wanted) in [
        (vec!["add", "offline-mode", "--name", "x"], "already exists on the branch"),
        (vec!["add", "a:b", "--name", "x"], "is not an item"),
        (vec!["add", &"a".repeat(121), "--name", "x"], "is not an item"),
        (vec!["add", "../x", "--name", "x"], "is not an item"),
        (vec!["add", ".git/x", "--name", "x"], "is not an item"),
        (vec!["add", "ok", "--name", " \u{200b} "], "--name is empty"),
        (vec!["add", "ok"], "--name"),
        (vec!["add", "ok", "--name", "x", "--branch", "main"], "is checked out"),
    ] {
        let run = sandbox.run(&args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.stderr.contains(wanted), "{args:?}: {}", run.stderr);
    }
    assert_eq!(sandbox.refs(), refs);
}

#[test]
fn an_item_has_a_name_of_any_language() {
    let sandbox = sandbox();
    for name in ["Über stunden", "夜班", "late fees"] {
        let added = sandbox.run(&["add", name, "--name", "x"]).ok();
        assert!(added.stdout.contains(&format!("roundtable analyze '{name}' --script")), "{}", added.stdout);
        let script = sandbox.script("s.txt", "Decision: no cards.\ndone\n");
        let run = sandbox.run(&["elaborate", name, "--step", "00-01", "--script", &script, "--json"]).json();
        assert_eq!(run["item"], format!("docs/requirements/{name}"));
    }
}

#[test]
fn items_may_be_in_several_folders() {
    let sandbox = empty();
    let meta = crate::kit::META;
    sandbox.commit(&[
        (".roundtable.yaml", "items: [specs, docs/old]\n"),
        ("specs/late-fees/meta.json", meta),
        ("docs/old/holds/meta.json", meta),
        ("docs/old/holds/impact-analysis.md", "# Impact\n"),
        ("src/x.rs", "// x\n"),
    ]);
    let script = sandbox.script("talk.txt", "Maya, who waits?\ndone\n");
    let args = ["elaborate", "holds", "--step", "00-01", "--script", &script, "--at", AT, "--json"];
    let report = sandbox.run(&args).json();
    assert_eq!(report["item"], "docs/old/holds");
    let status = sandbox.run(&["status", "--json"]).json();
    let paths: Vec<&str> =
        status["items"].as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["docs/old/holds", "specs/late-fees"]);
    let branch = "roundtable/holds";
    let told = sandbox.run(&["replay", "--all", "--rev", branch]).ok().stdout;
    assert!(told.contains("1 item: nothing recorded yet"), "{told}");
    let replay = sandbox.run(&["replay", "--all", "--rev", branch, "--json"]).json();
    assert_eq!(replay["recordings"].as_array().unwrap().len(), 1);
    // A new item goes to the first, and both must only grow.
    let added = sandbox.run(&["add", "fines", "--name", "fines", "--json"]).json();
    assert_eq!(added["item"], "specs/fines");
    let missing = sandbox.run(&["elaborate", "nothing", "--step", "00-01", "--script", &script]);
    assert!(
        missing.stderr.contains("looked for nothing and specs/nothing and docs/old/nothing"),
        "{}",
        missing.stderr
    );
    sandbox.commit(&[("docs/old/holds/impact-analysis.md", "# Other\n")]);
    assert_eq!(sandbox.run(&["check", "--base", "HEAD~1"]).code, 1);
}

#[test]
fn a_message_about_the_settings_says_which_version_was_read() {
    let sandbox = sandbox();
    let commit = sandbox.commit(&[(".roundtable.yaml", "max_turn: 5\n")]).to_string();
    std::fs::write(sandbox.root().join(".roundtable.yaml"), "max_turns: 5\n").unwrap();
    let run = sandbox.run(&["status"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains(&format!("(read from commit {})", &commit[..10])), "{}", run.stderr);
    let own = sandbox.script("own.yaml", "max_turn: 5\n");
    let run = sandbox.run(&["status", "--config", &own]);
    assert!(run.stderr.contains("(read from the file on disk)"), "{}", run.stderr);
    std::fs::write(sandbox.root().join(".roundtable.yaml"), "max_turn: 5\n").unwrap();
    let run = sandbox.run(&["steps", "list"]);
    assert!(run.stderr.contains("(read from the file on disk)"), "{}", run.stderr);
}

/// An item is named from where one is: `.` in its folder, a path from a folder beside it, an absolute one.
#[test]
fn an_item_is_named_by_its_folder_from_the_current_one() {
    let sandbox = sandbox();
    let script = sandbox.script("talk.txt", "done\n");
    let folder = sandbox.root().join(ITEM);
    let beside = folder.parent().unwrap().to_owned();
    let absolute = folder.to_str().unwrap();
    let places =
        [(&folder, "."), (&folder, "../offline-mode"), (&beside, "./offline-mode/"), (&beside, absolute)];
    for (here, item) in places {
        for verb in
            [&["elaborate", item, "--step", "01-03", "--script", &script, "--dry-run"][..], &["status", item]]
        {
            let mut command = program(here, &sandbox.outside("home"));
            let run = Run::of(command.args(verb).output().unwrap());
            assert_eq!(run.code, 0, "{verb:?} in {}: {}", here.display(), run.stderr);
        }
    }
    let run = sandbox.run(&["elaborate", ".", "--step", "01-03", "--script", &script, "--dry-run"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("ITEM is empty or names no folder below the repository's root"),
        "{}",
        run.stderr
    );
    std::fs::create_dir_all(sandbox.root().join("docs/fees")).unwrap();
    let here = sandbox.root().join("docs/fees");
    let mut command = program(&here, &sandbox.outside("home"));
    let run = Run::of(command.args(["add", ".", "--name", "late fees", "--json"]).output().unwrap());
    assert_eq!(run.json()["item"], "docs/fees");
}

/// `status` counts what is open, and the item's page lists it.
#[test]
fn status_counts_what_discussions_left_open() {
    let sandbox = sandbox();
    let before = sandbox.run(&["status", "--json"]).json()["items"][0]["open_questions"].clone();
    let report = sandbox.elaborate("Maya, who repairs a torn sail?\ndone\n", &["--at", AT, "--json"]).json();
    assert_eq!(report["open_questions"], 1);
    let after = sandbox.run(&["status", "--json"]).json()["items"][0]["open_questions"].clone();
    assert_eq!(after.as_u64().unwrap(), before.as_u64().unwrap() + 1);
    let page = sandbox.run(&["status", "offline-mode"]).ok().stdout;
    assert!(page.contains("discussion of 01-03: who repairs a torn sail?"), "{page}");
}
