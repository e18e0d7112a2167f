//! `roundtable doctor`, and what other verbs say of the set-up, over real repositories.

use crate::kit::{AT, ITEM, Sandbox, empty, sandbox};

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
fn the_doctor_finds_in_the_settings_what_a_verb_would_stop_at() {
    let sandbox = sandbox();
    sandbox.commit(&[("own/review/x.yaml", "rule: x\nbad: 1\n")]);
    let script = sandbox.script("talk.txt", "done\n");
    let talk = ["elaborate", "offline-mode", "--dry-run", "--script", &script];
    for (settings, verb, wanted) in [
        (
            "protect: [{paths: [docs/typo.md], rule: content}]",
            &["check", "--base", "HEAD~1"][..],
            "docs/typo.md",
        ),
        ("review: {off: [open-makrer]}", &["review"], "did you mean \"open-marker\"?"),
        ("price: cheap", &talk, "\"cheap\" is not a price"),
        ("rules: own", &talk, "own/review/x.yaml:2:1: unknown key \"bad\""),
        ("rules: own", &["review"], "own/review/x.yaml:2:1: unknown key \"bad\""),
    ] {
        sandbox.commit(&[(".roundtable.yaml", &format!("{settings}\n"))]);
        sandbox.commit(&[("docs/other.md", settings)]);
        let refused = sandbox.run(verb);
        assert!(refused.code == 2 && refused.stderr.contains(wanted), "{settings}: {}", refused.stderr);
        let told = sandbox.run(&["doctor", "--offline"]);
        assert!(told.code == 1 && told.stdout.contains(wanted), "{settings}: {}", told.stdout);
    }
}

#[test]
fn the_doctor_is_content_with_what_init_writes_beside_an_item_anywhere() {
    let sandbox = empty();
    let meta = "{\"slug\": \"fees\", \"name\": \"Fees\", \"analysis_status\": \"raw\"}";
    sandbox.commit(&[("notes/fees/spec.md", "# Fees\n"), ("notes/fees/meta.json", meta)]);
    let action = format!("example/roundtable@{}", "0123456789".repeat(4));
    sandbox.run(&["init", "--github", "--action", &action]).ok();
    let told = sandbox.run(&["doctor", "--offline"]);
    assert!(told.stdout.contains("layout: notes/fees is document"), "{}", told.stdout);
    assert!(!told.stdout.contains("no item yet"), "{}", told.stdout);
    assert!(!told.stdout.contains("fix  items"), "{}", told.stdout);
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
