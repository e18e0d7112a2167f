//! Which item a name means, what the first run makes of a document, and which branch it goes to.

use std::process::Command;

use crate::kit::{AT, BRANCH, Run, Sandbox, empty, sandbox};

const TALK: &str = "Decision: FR-001 ends at eleven on Sundays.\ndone\n";
const DOCUMENT: &str = "# Swaps\n\n## Rules\n\n- **FR-001**: A shift can be swapped until noon.\n";

/// A repository with these files in its first commit.
fn with(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = empty();
    sandbox.commit(files);
    sandbox
}

fn git(sandbox: &Sandbox, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Sam", "-c", "user.email=sam@example.org"]).args(args);
    assert!(git.current_dir(sandbox.root()).status().unwrap().success(), "git {args:?}");
}

fn elaborate(sandbox: &Sandbox, item: &str, more: &[&str]) -> Run {
    let script = sandbox.script("talk.txt", TALK);
    sandbox.run(&[&["elaborate", item, "--at", AT, "--script", &script], more].concat())
}

#[test]
fn a_document_that_is_named_becomes_an_item_and_every_verb_finds_it_again() {
    let documents = [
        ("notes/swap/requirements.md", "notes/swap"),
        ("design/x.md", "design/x"),
        ("design/Öfen und Brot.md", "design/Öfen und Brot"),
    ];
    for (path, item) in documents {
        let sandbox = with(&[(path, DOCUMENT), ("design/y.md", "# Y\n"), ("README.md", "# R\n")]);
        let report = elaborate(&sandbox, path, &["--json"]).json();
        let branch = report["branch"].as_str().unwrap().to_owned();
        let name = item.rsplit('/').next().unwrap().replace(' ', "-");
        assert_eq!((report["item"].as_str(), branch.rsplit('/').next()), (Some(item), Some(&*name)));
        assert!(sandbox.file(&branch, path).contains("eleven on Sundays"), "{path}");
        // The same run again is known.
        assert_eq!(elaborate(&sandbox, path, &["--json"]).json()["already_recorded"], true);
        git(&sandbox, &["reset", "-q", "--hard", &branch]);
        let status = sandbox.run(&["status", "--json"]).json();
        assert_eq!(status["items"][0]["path"], item);
        let replay = sandbox.run(&["replay", "--all", "--json"]).json();
        assert_eq!(
            (&replay["reproduced"], replay["recordings"].as_array().unwrap().len()),
            (&true.into(), 1)
        );
        let slug = item.rsplit('/').next().unwrap();
        for name in [item, slug, path] {
            assert!(sandbox.run(&["show", name]).ok().stdout.contains("eleven on Sundays"), "{name}");
            let status = sandbox.run(&["status", name, "--json"]).ok().json();
            assert_eq!(status["items"][0]["path"], item, "{name}");
            for at in [&[][..], &["--rev", "HEAD"], &["--staged"]] {
                let run = sandbox.run(&[&["review", name, "--json"], at].concat());
                assert_eq!(run.code, 0, "{name} {at:?}: {}{}", run.stdout, run.stderr);
            }
        }
        assert_eq!(sandbox.run(&["check", "--base", "HEAD~1"]).code, 0);
        let changed = sandbox.file("main", path).replace("until noon", "until nine");
        sandbox.commit(&[(path, &changed)]);
        assert_eq!(sandbox.run(&["check", "--base", "HEAD~1"]).code, 1, "{path}");
    }
}

#[test]
fn another_document_that_is_named_in_the_folder_of_an_item_gets_its_own_item() {
    let sandbox = with(&[("docs/webhooks.md", DOCUMENT)]);
    assert_eq!(elaborate(&sandbox, "docs/webhooks.md", &["--json"]).json()["item"], "docs");
    git(&sandbox, &["reset", "-q", "--hard", "roundtable/docs"]);
    sandbox.commit(&[("docs/billing.md", "# Billing\n\nBills go out monthly.\n")]);
    let report = elaborate(&sandbox, "docs/billing.md", &["--json"]).json();
    assert_eq!((&report["item"], &report["branch"]), (&"docs/billing".into(), &"roundtable/billing".into()));
    let paths: Vec<&str> =
        report["artifacts"].as_array().unwrap().iter().filter_map(|one| one["path"].as_str()).collect();
    assert_eq!(paths, ["docs/billing.md"]);
    git(&sandbox, &["reset", "-q", "--hard", "roundtable/billing"]);
    // Both are found by every verb: the one in the folder of the other, too.
    let status = sandbox.run(&["status", "--json"]).json();
    let items: Vec<&str> =
        status["items"].as_array().unwrap().iter().filter_map(|item| item["path"].as_str()).collect();
    assert_eq!(items, ["docs", "docs/billing"]);
    let replay = sandbox.run(&["replay", "--all", "--json"]).json();
    assert_eq!((&replay["reproduced"], replay["recordings"].as_array().unwrap().len()), (&true.into(), 2));
    let again = elaborate(&sandbox, "billing", &["--dry-run", "--json"]).json();
    assert_eq!(again["item"], "docs/billing");
    // What belongs to the one in the folder is committed, and no new document of the outer one.
    let outer = elaborate(&sandbox, "docs", &["--dry-run"]);
    assert!(!outer.stderr.contains("not committed"), "{}", outer.stderr);
    // The first one keeps its document, and a folder below `items` is no other than one elsewhere.
    assert_eq!(elaborate(&sandbox, "docs/webhooks.md", &["--dry-run", "--json"]).json()["item"], "docs");
    sandbox.commit(&[(".roundtable.yaml", "items: docs\n")]);
    let status = sandbox.run(&["status", "--json"]).json();
    assert_eq!(status["items"].as_array().unwrap().len(), 2);
}

#[test]
fn a_document_is_named_from_the_folder_that_somebody_is_in() {
    let sandbox = with(&[("design/x.md", DOCUMENT), ("design/y.md", "# Y\n"), ("design/old/z.md", "# Z\n")]);
    let script = sandbox.script("talk.txt", TALK);
    for (folder, named) in [("design", "x.md"), ("design", "./x.md"), ("design/old", "../x.md")] {
        let mut command = sandbox.command(&["elaborate", named, "--script", &script, "--dry-run", "--json"]);
        let run = Run::of(command.current_dir(sandbox.root().join(folder)).output().unwrap());
        assert_eq!(run.json()["item"], "design/x", "{named} in {folder}");
    }
}

#[test]
fn a_file_that_no_commit_has_is_committed_first_or_is_no_document() {
    let sandbox = with(&[("design/x.md", DOCUMENT)]);
    for (file, remedy) in [("new.md", "git add new.md && git commit"), ("new.pdf", "a Markdown document")] {
        std::fs::write(sandbox.root().join(file), "# New\n").unwrap();
        let run = elaborate(&sandbox, file, &[]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(remedy), "{}", run.stderr);
    }
}

#[test]
fn a_document_beside_its_recordings_is_replayed_after_a_squash_too() {
    let path = "design/x.md";
    let sandbox = with(&[(path, DOCUMENT), ("design/y.md", "# Y\n")]);
    let report = elaborate(&sandbox, path, &["--json"]).json();
    let branch = report["branch"].as_str().unwrap().to_owned();
    git(&sandbox, &["checkout", "-q", "--force", "main"]);
    git(&sandbox, &["merge", "-q", "--squash", &branch]);
    git(&sandbox, &["commit", "-q", "-m", "Squashed"]);
    git(&sandbox, &["branch", "-q", "-D", &branch]);
    let run = sandbox.run(&["replay", "--all"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let removed = sandbox.file("main", path).replace("eleven on Sundays", "noon on Sundays");
    sandbox.commit(&[(path, &removed)]);
    assert_eq!(sandbox.run(&["replay", "--all"]).code, 1);
}

#[test]
fn what_is_decided_lands_in_documents_of_the_item_alone() {
    let sandbox = with(&[
        ("docs/billing/reminders.md", "# Reminders\n\n- R1: one is sent\n"),
        ("docs/billing/rules.md", "# Rules\n\n- B1: bills are white\n"),
        ("docs/billing.md", "# Billing\n\n- C1: bills are sent\n"),
    ]);
    let script = sandbox.script("b1.txt", "Decision: R1, B1 and C1 hold for letters.\ndone\n");
    let discuss = |item: &str| sandbox.run(&["elaborate", item, "--script", &script, "--at", AT, "--json"]);
    let merge = |run: Run| {
        git(&sandbox, &["merge", "-q", run.json()["branch"].as_str().unwrap()]);
    };
    merge(discuss("docs/billing/rules.md"));
    let run = discuss("docs/billing");
    for (id, path) in [("B1", "docs/billing/rules.md"), ("C1", "docs/billing.md")] {
        let told =
            format!("{id}, which a decision names, is in {path}, and that is not a document of this item");
        assert!(run.stderr.contains(&told), "{}", run.stderr);
    }
    assert!(!run.stderr.contains("R1,"), "{}", run.stderr);
    merge(run);
    let of = |path: &str| sandbox.file("main", path).matches("- Decided ").count();
    assert_eq!(["docs/billing/reminders.md", "docs/billing/rules.md", "docs/billing.md"].map(of), [1, 1, 0]);
    // Its folder is taken.
    let run = sandbox.run(&["elaborate", "docs/billing.md", "--script", &script, "--at", AT]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("docs/billing.md is not one of them"), "{}", run.stderr);
    assert!(run.stderr.contains("git mv docs/billing.md docs/billing/"), "{}", run.stderr);
    git(&sandbox, &["mv", "docs/billing.md", "docs/billing/"]);
    git(&sandbox, &["commit", "-q", "-m", "Move"]);
    let script = sandbox.script("c1.txt", "Decision: C1 holds for cards.\ndone\n");
    let run = sandbox.run(&["elaborate", "docs/billing/billing.md", "--script", &script, "--at", AT]).ok();
    assert!(
        run.stdout.contains("Updated billing.md, section \"Billing\": added 1 decision below C1."),
        "{}",
        run.stdout
    );
}

#[test]
fn a_document_that_is_renamed_keeps_its_discussions() {
    // With its folder, or alone.
    for folder in ["design/z", "design/x"] {
        renamed(folder);
    }
}

fn renamed(folder: &str) {
    let sandbox = with(&[("design/x.md", DOCUMENT), ("design/y.md", "# Y\n")]);
    let report = elaborate(&sandbox, "design/x.md", &["--json"]).json();
    git(&sandbox, &["reset", "-q", "--hard", report["branch"].as_str().unwrap()]);
    git(&sandbox, &["mv", "design/x.md", "design/z.md"]);
    if folder != "design/x" {
        git(&sandbox, &["mv", "design/x", folder]);
    }
    let meta = sandbox.root().join(folder).join("meta.json");
    let text = std::fs::read_to_string(&meta).unwrap();
    std::fs::write(&meta, text.replace("\"x.md\"", "\"z.md\"")).unwrap();
    git(&sandbox, &["add", "."]);
    assert_eq!(sandbox.run(&["check", "--staged"]).code, 1);
    sandbox.run(&["check", "--staged", "--declare", "the document has another name"]).ok();
    git(&sandbox, &["commit", "-q", "-m", "Rename"]);
    let checked = sandbox.run(&["check", "--base", "HEAD~1"]).ok();
    assert!(!checked.stderr.contains("nothing like it is lost"), "{}", checked.stderr);
    let replayed = sandbox.run(&["replay", "--all"]).ok();
    assert!(!replayed.stdout.contains("design/x.md"), "{}", replayed.stdout);
    let text = std::fs::read_to_string(sandbox.root().join("design/z.md")).unwrap();
    let line = 1 + text.lines().position(|line| line.contains("- Decided ")).unwrap();
    let why = sandbox.run(&["why", &format!("design/z.md:{line}")]).ok();
    assert!(why.stdout.contains("Decision, from turn"), "{}", why.stdout);
    // What is changed in it is found under its new name.
    sandbox.commit(&[("design/z.md", &text.replace("eleven on Sundays", "noon on Sundays"))]);
    let replayed = sandbox.run(&["replay", "--all"]);
    assert!(replayed.code == 1 && replayed.stdout.contains("design/z.md:"), "{}", replayed.stdout);
    assert_eq!(elaborate(&sandbox, "design/z.md", &["--dry-run", "--json"]).json()["item"], folder);
}

#[test]
fn a_folder_of_documents_becomes_an_item_whatever_its_name() {
    let path = "docs/Größe und Maß";
    let sandbox = with(&[(&format!("{path}/requirements-spec.md"), DOCUMENT)]);
    let report = elaborate(&sandbox, path, &["--step", "01-03", "--json"]).json();
    assert_eq!(
        (report["item"].as_str(), report["branch"].as_str()),
        (Some(path), Some("roundtable/Größe-und-Maß"))
    );
    let shown = sandbox.run(&["show", "Größe und Maß"]).ok().stdout;
    assert!(shown.contains("eleven on Sundays"), "{shown}");
}

#[test]
fn a_file_in_an_item_means_the_item_whatever_its_meta_says() {
    let item = "docs/requirements/swaps";
    let path = format!("{item}/requirements-spec.md");
    let meta = "{\"slug\": \"swaps\", \"name\": \"Swaps\"}\n";
    let sandbox = with(&[(&path, DOCUMENT), (&format!("{item}/meta.json"), meta)]);
    for name in ["swaps", item, &path] {
        let report = elaborate(&sandbox, name, &["--step", "01-03", "--json", "--dry-run"]).json();
        assert_eq!(report["item"], item, "{name}");
    }
}

#[test]
fn one_of_several_documents_takes_what_is_said_about_it() {
    let sandbox = with(&[
        ("d/ledger.md", DOCUMENT),
        ("d/webhooks.md", "# Hooks\n\n## Open questions\n\n1. Who pays?\n"),
    ]);
    let report = elaborate(&sandbox, "d", &["--json"]).json();
    git(&sandbox, &["reset", "-q", "--hard", report["branch"].as_str().unwrap()]);
    let script = sandbox.script("hooks.txt", "Decision: Who pays? The branch. But not in May.\ndone\n");
    let run = sandbox.run(&[
        "elaborate",
        "d/webhooks.md",
        "--at",
        "2026-03-20T14:30:00Z",
        "--script",
        &script,
        "--json",
    ]);
    let stderr = run.stderr.clone();
    let branch = run.json()["branch"].as_str().unwrap().to_owned();
    let text = sandbox.file(&branch, "d/webhooks.md");
    assert!(
        text.contains("1. Who pays?\n   - Decided 2026-03-20 (User): Who pays? → The branch\n"),
        "{text}"
    );
    // What is no part of the decision is told.
    let told = "1 sentence after a decision stays in the recording: \"But not in May.\"";
    assert!(stderr.contains(told), "{stderr}");
    sandbox.run(&["replay", "--all", "--rev", &branch]).ok();
    let named = sandbox.run(&["elaborate", "webhooks", "--script", &script]);
    assert!(named.code == 2 && named.stderr.contains("did you mean \"d/webhooks.md\"?"), "{}", named.stderr);
}

#[test]
fn documents_are_shown_before_their_first_discussion() {
    let sandbox = with(&[("specs/003-swaps/spec.md", DOCUMENT), ("src/a.rs", "fn a() {}\n")]);
    assert!(sandbox.run(&["show", "specs/003-swaps"]).ok().stdout.contains("003 swaps"));
    assert!(sandbox.run(&["show", "specs/003-swaps", "--decisions"]).ok().stdout.contains("0 decisions"));
    let refused = sandbox.run(&["show", "src"]);
    assert!(
        refused.code == 2 && refused.stderr.contains("put a Markdown document into it"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_slug_that_two_items_have_is_refused_and_a_path_is_not() {
    let meta = "{\"slug\": \"x\"}\n";
    let sandbox = with(&[
        ("packages/a/x/meta.json", meta),
        ("packages/a/x/requirements-spec.md", DOCUMENT),
        ("packages/b/x/meta.json", meta),
        ("packages/b/x/requirements-spec.md", DOCUMENT),
        (".roundtable.yaml", "items: [packages/a, packages/b]\n"),
    ]);
    let refused = elaborate(&sandbox, "x", &["--step", "01-03"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("packages/a/x, packages/b/x"), "{}", refused.stderr);
    let report = elaborate(&sandbox, "packages/b/x", &["--step", "01-03", "--json"]).json();
    assert_eq!(report["branch"], "roundtable/b-x");
    assert_eq!(sandbox.run(&["status", "packages/b/x", "--json"]).json()["items"][0]["elaborations"], 1);
}

/// The first discussion is on its branch when the second begins.
#[test]
fn a_slug_that_an_item_of_another_branch_has_is_refused_by_every_verb() {
    let sandbox = with(&[("one/swap/spec.md", DOCUMENT), ("two/swap/spec.md", DOCUMENT)]);
    for (item, branch) in [("one/swap", "roundtable/swap"), ("two/swap", "roundtable/two-swap")] {
        assert_eq!(elaborate(&sandbox, item, &["--json"]).json()["branch"], branch);
    }
    let refused = |verb: &[&str]| {
        let run = sandbox.run(verb);
        assert!(run.code == 2 && run.stderr.contains("one/swap, two/swap"), "{verb:?}: {}", run.stderr);
    };
    let script = sandbox.script("talk.txt", TALK);
    let talk = ["elaborate", "swap", "--script", &script];
    [&["status", "swap"][..], &["show", "swap"], &talk].into_iter().for_each(refused);
    for branch in ["roundtable/swap", "roundtable/two-swap"] {
        git(&sandbox, &["merge", "-q", "-m", "Merge", branch]);
    }
    [&["status", "swap"][..], &["show", "swap"], &["review", "swap"], &talk].into_iter().for_each(refused);
    assert_eq!(elaborate(&sandbox, "two/swap", &["--json"]).json()["item"], "two/swap");
}

#[test]
fn an_item_of_its_own_branch_is_not_to_be_added_again() {
    let sandbox = with(&[("README.md", "# R\n")]);
    sandbox.run(&["add", "Späte Gebühren", "--name", "late fees", "--at", AT]).ok();
    let run = elaborate(&sandbox, "Späte Gebühren", &["--branch", "other"]);
    let remedy = "git merge roundtable/Späte-Gebühren";
    assert!(run.code == 2 && run.stderr.contains(remedy), "{}", run.stderr);
    git(&sandbox, &["merge", "-q", "roundtable/Späte-Gebühren"]);
    elaborate(&sandbox, "Späte Gebühren", &["--branch", "other", "--step", "01-03"]).ok();
}

/// Folders that no discussion has made items yet.
#[test]
fn two_folders_of_one_name_go_to_branches_of_their_own() {
    let sandbox = with(&[
        ("docs/requirements/x/requirements-spec.md", DOCUMENT),
        ("specs/x/requirements-spec.md", DOCUMENT),
    ]);
    let step = ["--step", "01-03", "--json"];
    let report = elaborate(&sandbox, "specs/x", &step).json();
    assert_eq!(report["branch"], "roundtable/specs-x");
    let report = elaborate(&sandbox, "docs/requirements/x", &step).json();
    assert_eq!(report["branch"], "roundtable/requirements-x");
    git(&sandbox, &["merge", "-q", "roundtable/specs-x"]);
    let refused = elaborate(&sandbox, "x", &step);
    assert!(
        refused.stdout.contains("docs/requirements/x, specs/x") || refused.stderr.contains("specs/x"),
        "{}",
        refused.stdout
    );
    assert_eq!(refused.code, 2);
    // What only holds items is none.
    let refused = elaborate(&sandbox, "docs", &step);
    assert!(refused.code == 2 && refused.stdout.contains("items are in this folder"), "{}", refused.stdout);
}

#[test]
fn without_a_step_the_one_that_is_most_open_is_discussed_and_said() {
    let sandbox = sandbox();
    let spec = crate::kit::SPEC.replace("Sync should be fast.", "Seconds that a sync takes: TBD");
    sandbox.commit(&[("docs/requirements/offline-mode/requirements-spec.md", &spec)]);
    let run = elaborate(&sandbox, "offline-mode", &["--dry-run"]).ok();
    assert!(run.stderr.contains("note: step 01-02 is discussed: the documents leave"), "{}", run.stderr);
    let closed =
        with(&[("docs/requirements/x/meta.json", "{\"slug\": \"x\", \"steps_completed\": [\"01-02\"]}")]);
    let run = elaborate(&closed, "x", &["--dry-run"]).ok();
    assert!(run.stderr.contains("note: step 01-02 is discussed: it was completed last"), "{}", run.stderr);
}

#[test]
fn a_branch_that_is_older_than_its_item_is_left_if_merged_and_explained_if_not() {
    let sandbox = empty();
    sandbox.commit(&[("README.md", "# R\n")]);
    git(&sandbox, &["branch", BRANCH]);
    sandbox.commit(&[
        ("docs/requirements/offline-mode/meta.json", "{\"slug\": \"offline-mode\"}"),
        ("docs/requirements/offline-mode/requirements-spec.md", DOCUMENT),
    ]);
    let report = elaborate(&sandbox, "offline-mode", &["--step", "01-03", "--json"]).json();
    assert_eq!(report["branch"], format!("{BRANCH}-2"));
    git(&sandbox, &["branch", "-D", &format!("{BRANCH}-2"), "-q"]);
    git(&sandbox, &["checkout", "-q", BRANCH]);
    sandbox.commit(&[("own.txt", "mine\n")]);
    git(&sandbox, &["checkout", "-q", "-"]);
    let refused = elaborate(&sandbox, "offline-mode", &["--step", "01-03"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains(&format!("git switch {BRANCH}")), "{}", refused.stderr);
    assert!(!refused.stderr.contains("roundtable add"), "{}", refused.stderr);
}

#[test]
fn who_decides_is_the_flag_the_script_or_git() {
    let sandbox = sandbox();
    let user = |script: &str, more: &[&str]| {
        let out = sandbox.outside("talk.jsonl");
        let (script, out) = (sandbox.script("talk.yaml", script), out.display().to_string());
        let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--out", &out];
        sandbox.run(&[&args[..], more].concat()).ok();
        let text = std::fs::read_to_string(out).unwrap();
        let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        first["user"].as_str().unwrap().to_owned()
    };
    let (bare, named) =
        ("[\"Decision: x is y.\", done]\n", "user: Kim\ninputs: [\"Decision: x is y.\", done]\n");
    assert_eq!(user(bare, &[]), "User");
    git(&sandbox, &["config", "user.name", "Rita Weber"]);
    assert_eq!(
        [user(bare, &[]), user(named, &[]), user(named, &["--user", "Noor"])],
        ["Rita Weber", "Kim", "Noor"]
    );
}

#[test]
fn a_discussion_without_a_word_of_a_user_changes_no_document() {
    for talk in ["done\n", "\n\n\n\n", "quit\n", "bye\n", "Ok, done.\n", "done\nbye\n", "done\nquit\n"] {
        let sandbox = sandbox();
        let report = sandbox.elaborate(talk, &["--json"]).json();
        assert_eq!(report["artifacts"].as_array().unwrap().len(), 0, "{talk}");
        assert_eq!(
            (sandbox.recordings().len(), sandbox.spec()),
            (1, sandbox.file("main", "docs/requirements/offline-mode/requirements-spec.md"))
        );
    }
    let heard = sandbox();
    heard.elaborate("quit\nDecision: photos wait.\ndone\n", &[]).ok();
    assert!(heard.spec().contains("photos wait"));
}

#[test]
fn the_folder_of_the_items_is_not_an_item() {
    let sandbox = sandbox();
    for name in ["docs/requirements", "docs/requirements/"] {
        let run = elaborate(&sandbox, name, &["--step", "01-03"]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("name one of them: docs/requirements/offline-mode"), "{}", run.stderr);
    }
    assert_eq!(sandbox.refs().len(), 1);
}

#[test]
fn an_unknown_status_of_an_item_is_refused_with_its_value() {
    let sandbox = sandbox();
    let meta = format!("{}/meta.json", crate::kit::ITEM);
    sandbox.commit(&[(&meta, "{\"slug\": \"offline-mode\", \"analysis_status\": \"weird\"}\n")]);
    let script = sandbox.script("talk.txt", TALK);
    for args in [
        &["elaborate", "offline-mode", "--step", "01-03", "--script", &script][..],
        &["analyze", "offline-mode", "--script", &script],
        &["status"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stdout);
        assert!(
            run.stderr.contains("\"weird\"") && run.stderr.contains("partial"),
            "{args:?}: {}",
            run.stderr
        );
    }
    assert_eq!(sandbox.refs().len(), 1);
}
