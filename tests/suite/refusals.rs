//! Bad input of any kind: exit 2, a message that says what, where and what to do, nothing moved.

use std::path::Path;

use crate::kit::{BRANCH, ITEM, META, Run, SPEC, Sandbox, empty, program, sandbox};

/// Runs, and expects a refusal that mentions `wanted` and changes nothing.
fn refused(sandbox: &Sandbox, args: &[&str], wanted: &str) {
    let refs = sandbox.refs();
    let run = sandbox.run(args);
    assert_eq!(run.code, 2, "{args:?}: {}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains(wanted), "{args:?}: wanted \"{wanted}\" in: {}", run.stderr);
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("RUST_BACKTRACE"), "{}", run.stderr);
    assert_eq!(sandbox.refs(), refs, "{args:?} moved a ref");
    sandbox.assert_sound();
}

fn elaborate<'a>(script: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["elaborate", "offline-mode", "--step", "01-03", "--script", script], more].concat()
}

#[test]
fn what_is_not_there_is_named() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    refused(
        &sandbox,
        &["elaborate", "ofline-mode", "--step", "01-03", "--script", &script],
        "did you mean \"offline-mode\"?",
    );
    refused(&sandbox, &["elaborate", "zzz", "--step", "01-03", "--script", &script], "roundtable add zzz");
    refused(
        &sandbox,
        &["elaborate", "offline-mode", "--step", "01-99", "--script", &script],
        "no step 01-99",
    );
    refused(
        &sandbox,
        &["elaborate", "offline-mode", "--step", "01-03", "--script", "nowhere.txt"],
        "there is no file nowhere.txt",
    );
    refused(&sandbox, &["elaborate", "offline-mode", "--step", "01-03", "--script", "docs"], "is a folder");
    refused(&sandbox, &elaborate(&script, &["--base", "nowhere"]), "no commit \"nowhere\"");
    refused(&sandbox, &["elaborate", "src", "--step", "01-03", "--script", &script], "no meta.json");
    refused(
        &sandbox,
        &["elaborate", "src/sync.rs", "--step", "01-03", "--script", &script],
        "is not an item",
    );
    refused(&sandbox, &["elaborate", "../offline-mode", "--step", "01-03", "--script", &script], "");
}

#[test]
fn outside_of_a_repository_and_before_the_first_commit() {
    let sandbox = empty();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    refused(&sandbox, &elaborate(&script, &[]), "HEAD has no commit yet");
    let home = sandbox.outside("home");
    let run = Run::of(program(&home, &home).args(elaborate(&script, &[])).output().unwrap());
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("not in a git repository") && run.stderr.contains("--repo"),
        "{}",
        run.stderr
    );
    refused(&sandbox, &elaborate(&script, &["--repo", "/nowhere/at/all"]), "does not exist");
}

#[test]
fn meta_json_that_cannot_be_read() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    for (meta, wanted) in [
        ("{\n  \"slug\": ,\n}\n", "meta.json:2:11"),
        ("[]\n", "not an object"),
        ("", "not valid JSON"),
        ("{\"a\": 1, \"a\": 2}\n", "occurs twice"),
        ("{\"elaborations\": \"none\"}\n", "not a list"),
        ("{\"elaborations\": {}}\n", "not a list"),
    ] {
        sandbox.commit(&[(&format!("{ITEM}/meta.json"), meta)]);
        refused(&sandbox, &elaborate(&script, &[]), wanted);
    }
    std::fs::write(sandbox.root().join(ITEM).join("meta.json"), b"{\"a\": \"\xff\"}").unwrap();
    sandbox.commit_all();
    refused(&sandbox, &elaborate(&script, &[]), "UTF-8");
    std::fs::remove_file(sandbox.root().join(ITEM).join("meta.json")).unwrap();
    sandbox.commit_all_removed(&format!("{ITEM}/meta.json"));
    // A folder of documents becomes an item with its first discussion.
    sandbox.run(&elaborate(&script, &[])).ok();
    assert!(sandbox.file(BRANCH, &format!("{ITEM}/meta.json")).contains("elaborations"));
}

#[test]
fn scripts_that_cannot_be_used() {
    let sandbox = sandbox();
    for (name, text, wanted) in [
        ("s.txt", &b""[..], "empty"),
        ("s.txt", b"a\0b", "binary"),
        ("s.txt", b"a\xff", "UTF-8"),
        ("s.yaml", b"input: [a]\n", "did you mean \"inputs\"?"),
        ("s.yaml", b"inputs: [a\n", "s.yaml:"),
        ("s.yaml", b"inputs:\n  - 7\n", "s.yaml:2:"),
        ("s.json", b"{\"inputs\": []}", "`inputs` are empty"),
        ("s.json", b"{\"inputs\": [\"a\"}", "s.json:1:"),
        ("s.yaml", b"inputs: [{text: a, at: never}]\n", "not a time"),
    ] {
        let script = sandbox.script(name, text);
        refused(&sandbox, &elaborate(&script, &[]), wanted);
    }
}

fn step(outputs: &str) -> String {
    format!(
        "---\nstep_id: \"01-09\"\ntitle: X\npersona: business-analyst\ndepth: brief\noutputs: [{outputs}]\n---\n## Brief Mode\nx\n## Standard Mode\n1. Why?\n"
    )
}

#[test]
fn outputs_that_must_not_be_written() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    let own = "own/01-requirements/09-x.md";
    sandbox.commit(&[(".roundtable.yaml", "steps: own\n"), ("outside.md", "x\n")]);
    let root = sandbox.root().join(ITEM);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../../../outside.md", root.join("link.md")).unwrap();
        std::os::unix::fs::symlink("..", root.join("up")).unwrap();
    }
    std::fs::create_dir_all(root.join("folder.md")).unwrap();
    std::fs::write(root.join("folder.md/x.md"), "x\n").unwrap();
    std::fs::write(root.join("file"), "x\n").unwrap();
    let mut cases = vec![
        ("/etc/passwd", "absolute"),
        ("../other/x.md", "climbs out"),
        ("a/../../x.md", "climbs out"),
        (".git/config", "name"),
        ("meta.json", "roundtable's own"),
        ("elaborations/x.md", "roundtable's own"),
        ("Requirements-Spec.md", "differs only in case"),
        ("folder.md", "a folder"),
        ("file/x.md", "is not a folder"),
        ("\"a b.md\"", "name"),
    ];
    if cfg!(unix) {
        cases.extend([("link.md", "a symbolic link"), ("up/x.md", "a symbolic link")]);
    }
    for (output, wanted) in cases {
        sandbox.commit(&[(own, &step(output))]);
        refused(&sandbox, &["elaborate", "offline-mode", "--step", "01-09", "--script", &script], wanted);
    }
}

#[cfg(unix)]
#[test]
fn items_steps_and_settings_behind_links_are_refused() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    std::os::unix::fs::symlink("offline-mode", sandbox.root().join("docs/requirements/linked")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", sandbox.root().join("settings")).unwrap();
    sandbox.commit_all();
    refused(&sandbox, &["elaborate", "linked", "--step", "01-03", "--script", &script], "a symbolic link");
    std::fs::create_dir_all(sandbox.root().join("own/01-requirements")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", sandbox.root().join("own/01-requirements/09-x.md")).unwrap();
    sandbox.commit(&[(".roundtable.yaml", "steps: own\n")]);
    refused(&sandbox, &elaborate(&script, &[]), "a symbolic link");
    std::fs::remove_file(sandbox.root().join(".roundtable.yaml")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", sandbox.root().join(".roundtable.yaml")).unwrap();
    sandbox.commit_all();
    refused(&sandbox, &elaborate(&script, &[]), "a symbolic link");
}

#[test]
fn branches_that_must_not_be_moved() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    refused(&sandbox, &elaborate(&script, &["--branch", "main"]), "is checked out in");
    let tip = sandbox.git.find_commit(sandbox.tip("main").unwrap()).unwrap();
    let linked = sandbox.git.branch("linked", &tip, false).unwrap().into_reference();
    let mut options = git2::WorktreeAddOptions::new();
    options.reference(Some(&linked));
    sandbox.git.worktree("linked", &sandbox.outside("linked"), Some(&options)).unwrap();
    refused(&sandbox, &elaborate(&script, &["--branch", "linked"]), "is checked out in");
    sandbox.git.set_head("refs/heads/roundtable/unborn").unwrap();
    refused(
        &sandbox,
        &elaborate(&script, &["--branch", "roundtable/unborn", "--base", "main"]),
        "is checked out in",
    );
    for name in [
        "-x",
        "a..b",
        "a b",
        "HEAD",
        "refs/heads/x",
        "x.lock",
        "a//b",
        "a~1",
        "a\u{202e}b",
        "@{",
        "x/",
        "/x",
        "a\\b",
    ] {
        refused(
            &sandbox,
            &elaborate(&script, &[&format!("--branch={name}"), "--base", "main"]),
            "is not a branch name",
        );
    }
    // A branch that is a folder of branches already.
    sandbox.git.branch("taken/x", &tip, false).unwrap();
    refused(
        &sandbox,
        &elaborate(&script, &["--branch", "taken", "--base", "main"]),
        "beside the branch taken/x",
    );
    refused(
        &sandbox,
        &elaborate(&script, &["--branch", "main/x", "--base", "main"]),
        "beside the branch main",
    );
    refused(&sandbox, &elaborate(&script, &["--branch", "LINKED", "--base", "main"]), "is checked out in");
}

#[test]
fn settings_steps_personas_and_templates_that_are_broken() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    let bomb: String = std::iter::once("a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned())
        .chain(
            "bcdefghi"
                .chars()
                .zip("abcdefgh".chars())
                .map(|(name, from)| format!("{name}: &{name} [{}]\n", vec![format!("*{from}"); 9].join(","))),
        )
        .collect();
    let deep = format!("---\nstep_id: {}\n---\n", "[".repeat(30_000));
    for (file, text, wanted) in [
        (".roundtable.yaml", "step: own\n".to_owned(), "did you mean \"steps\"?"),
        (".roundtable.yaml", "steps: nowhere\n".to_owned(), "nowhere does not exist"),
        (".roundtable.yaml", "max_turns: two\n".to_owned(), ".roundtable.yaml:1:"),
        (".roundtable.yaml", bomb.clone(), ".roundtable.yaml:1:1"),
        ("own/01-requirements/09-x.md", "# no front matter\n".to_owned(), "no front matter"),
        ("own/01-requirements/09-x.md", "---\nstep_id: [\n---\n".to_owned(), "09-x.md:2:"),
        ("own/01-requirements/09-x.md", format!("---\n{bomb}title: *i\n---\n"), "09-x.md:"),
        ("own/01-requirements/09-x.md", deep, "levels deep"),
        ("own/personas/x.md", "---\nkey: x\n---\n".to_owned(), "personas/x.md"),
        ("templates/notices/closing.txt", "{{ nothing }}\n".to_owned(), "notices/closing.txt:1:"),
        ("templates/notices/closing.txt", "{% if %}\n".to_owned(), "notices/closing.txt:1"),
        (
            "templates/addition.md",
            "{% for a in range(9000) %}{% for b in range(9000) %}x{% endfor %}{% endfor %}".to_owned(),
            "fuel",
        ),
    ] {
        let settings = if file == ".roundtable.yaml" {
            text.clone()
        } else {
            "steps: own\ntemplates: templates\n".to_owned()
        };
        let fresh = crate::kit::sandbox();
        fresh.commit(&[
            ("own/README.md", "x\n"),
            ("templates/README.md", "x\n"),
            (file, &text),
            (".roundtable.yaml", &settings),
        ]);
        let _ = &script;
        let script = fresh.script("s.txt", "We decided to wait.\ndone\n");
        refused(&fresh, &elaborate(&script, &[]), wanted);
    }
}

#[test]
fn artifacts_without_a_place_are_refused_and_odd_ones_left_alone() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    sandbox.commit(&[(&format!("{ITEM}/requirements-spec.md"), "```\nopen fence\n")]);
    refused(&sandbox, &elaborate(&script, &[]), "has no place for an addition");
    std::fs::write(sandbox.root().join(ITEM).join("requirements-spec.md"), b"# caf\xe9\n").unwrap();
    sandbox.commit_all();
    let run = sandbox.elaborate("We decided to wait.\ndone\n", &[]).ok();
    assert!(
        run.stderr.contains("Left requirements-spec.md as it is: it is not UTF-8 text."),
        "{}",
        run.stderr
    );
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    refused(&sandbox, &elaborate(&script, &["--max-turns", "2"]), "3");
    refused(&sandbox, &elaborate(&script, &["--at", "yesterday"]), "--at: \"yesterday\" is not a time");
    for at in ["1960-01-01T00:00:00Z", "2200-01-01T00:00:00Z", "0001-01-01T00:00:00Z"] {
        refused(&sandbox, &elaborate(&script, &["--at", at]), "is not a time of a commit");
    }
    for item in ["", ".", "docs/.."] {
        refused(
            &sandbox,
            &["elaborate", item, "--step", "01-03", "--script", &script],
            "ITEM is empty or names no folder",
        );
    }
    refused(&sandbox, &elaborate(&script, &["--voice", "nobody"]), "there is no voice");
    refused(&sandbox, &["elaborat"], "elaborate");
    refused(&sandbox, &["elaborate", "offline-mode"], "needs messages");
    refused(&sandbox, &elaborate(&script, &["--out", "/nowhere/x.jsonl"]), "cannot be written");
    refused(&sandbox, &["show", "nowhere.jsonl"], "does not exist");
    refused(&sandbox, &["show", "main:nowhere.jsonl"], "no file nowhere.jsonl at main");
    refused(&sandbox, &["show", &script], "s.txt:1:1");
    let mut command = sandbox.command(&elaborate(&script, &[]));
    let run = Run::of(command.env("SOURCE_DATE_EPOCH", "soon").output().unwrap());
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("SOURCE_DATE_EPOCH is \"soon\""));
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_an_error_and_a_closed_pipe_is_none() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
    let refs = sandbox.refs();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run = Run::of(sandbox.command(&elaborate(&script, &[])).stdout(full).output().unwrap());
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("standard output cannot be written"));
    assert_eq!(sandbox.refs(), refs);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let run = Run::of(sandbox.command(&elaborate(&script, &[])).stdout(writer).output().unwrap());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(sandbox.tip(BRANCH).is_some());
}

#[test]
fn uncommitted_work_is_neither_read_nor_touched() {
    let sandbox = sandbox();
    let path = sandbox.root().join(ITEM).join("requirements-spec.md");
    std::fs::write(&path, "# Something else entirely\n").unwrap();
    std::fs::write(sandbox.root().join("docs/new.md"), "new\n").unwrap();
    let index = std::fs::read(sandbox.root().join(".git/index")).unwrap();
    sandbox.elaborate("We decided to wait.\ndone\n", &[]).ok();
    assert!(sandbox.spec().starts_with(&SPEC[..40]));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Something else entirely\n");
    assert_eq!(std::fs::read(sandbox.root().join(".git/index")).unwrap(), index);
    assert!(Path::new(&sandbox.root()).join("docs/new.md").exists());
    assert!(sandbox.meta()["slug"] == serde_json::from_str::<serde_json::Value>(META).unwrap()["slug"]);
}

#[test]
fn templates_that_fail_after_the_discussion_fail_before_the_commit() {
    for (file, text, wanted) in [
        ("templates/announcement.txt", "{{ nothing }}\n", "announcement.txt:1:"),
        ("templates/commit-elaborate.txt", "{{ nothing }}\n", "commit-elaborate.txt:1:"),
        ("templates/addition.md", "hello\n", "must hold the marker line once"),
        (
            "templates/addition.md",
            "<!-- x -->\n{% include \"synthesis.md\" %}\n",
            "must hold the marker line once",
        ),
    ] {
        let sandbox = sandbox();
        sandbox.commit(&[(file, text), (".roundtable.yaml", "templates: templates\n")]);
        let script = sandbox.script("s.txt", "We decided to wait.\ndone\n");
        refused(&sandbox, &elaborate(&script, &[]), wanted);
    }
}

#[test]
fn a_template_of_ones_own_cannot_leave_out_the_trailers() {
    let sandbox = sandbox();
    sandbox.commit(&[
        ("templates/commit-elaborate.txt", "hello\n"),
        (".roundtable.yaml", "templates: templates\n"),
    ]);
    sandbox.elaborate("We decided to wait.\ndone\n", &[]).ok();
    let commit = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    assert!(
        commit.message().unwrap().starts_with("hello\n\nRoundtable-Item: "),
        "{}",
        commit.message().unwrap()
    );
}

#[test]
fn files_of_other_kinds_and_names_are_no_reason_to_fail() {
    let sandbox = sandbox();
    sandbox.commit(&[
        (&format!("{ITEM}/diagram.puml"), "@startuml\n"),
        (&format!("{ITEM}/x line 5\u{e9}.md"), "Sync should be fast.\n"),
        (&format!("{ITEM}/data-schema.md"), "# Schema\n\nThe schema has to be readable.\n"),
        ("offline-mode/code.rs", "// a folder of code with the item's slug\n"),
        (
            ".roundtable.yaml",
            "# ----------------------------------------------------------------------\nsteps: own\n",
        ),
        ("own/01-requirements/09-x.md", &step("diagram.puml, new.puml")),
    ]);
    let script = sandbox.script("s.txt", "What about the schema?\n\n\ndone\n");
    let run = sandbox.run(&["elaborate", "offline-mode", "--step", "01-09", "--script", &script]).ok();
    assert!(
        run.stderr.contains("Left diagram.puml as it is: a file of this kind takes no addition."),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("I think we could benefit"), "{}", run.stdout);
    sandbox.commit(&[(&format!("{ITEM}/Elaborations/x.md"), "x\n")]);
    refused(
        &sandbox,
        &["elaborate", "offline-mode", "--step", "01-09", "--script", &script, "--branch", "b"],
        "is in the way of recordings",
    );
}

#[test]
fn messages_behind_the_end_of_a_discussion_are_said_to_be_too_late() {
    let sandbox = sandbox();
    let run = sandbox.elaborate("done\nWe decided to drop it all.\nAlex, why?\n", &["--json"]);
    assert!(run.stderr.contains("2 messages came too late"), "{}", run.stderr);
    assert_eq!(run.json()["unheard"], 2);
    let run = sandbox.elaborate("Alex, why?\ndone\n", &["--at", "2026-02-21T14:30:00Z", "--json"]);
    assert_eq!((run.stderr.contains("too late"), &run.json()["unheard"]), (false, &serde_json::json!(0)));
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_held() {
    let sandbox = sandbox();
    for (path, why) in [("nowhere/r.jsonl", "there is no folder"), ("docs", "it is a folder")] {
        let run = sandbox.elaborate("We decided to wait.\ndone\n", &["--out", path]);
        assert!(run.code == 2 && run.stderr.contains(why) && run.stdout.is_empty(), "{path}: {}", run.stderr);
    }
}
