//! `roundtable check` on real repositories: what it compares, by whose rules, and how it reports.

use std::io::Write as _;
use std::process::Stdio;

use git2::Oid;
use serde_json::Value;

use crate::forge::git;
use crate::kit::{ITEM, Run, SPEC, Sandbox, empty, sandbox};

const SPEC_PATH: &str = "docs/requirements/offline-mode/requirements-spec.md";

/// The sandbox with a change of the specification on top.
fn changed(spec: &str) -> (Sandbox, Oid) {
    let sandbox = sandbox();
    let base = sandbox.tip("main").unwrap();
    sandbox.commit(&[(SPEC_PATH, spec)]);
    (sandbox, base)
}

fn grown() -> String {
    format!("{SPEC}\n## 5. More\n\nNew words.\n")
}

fn check(sandbox: &Sandbox, base: Oid, more: &[&str]) -> Run {
    sandbox.run(&[&["check", "--base", &base.to_string()], more].concat())
}

fn json(sandbox: &Sandbox, base: Oid, more: &[&str]) -> (i32, Value) {
    let run = check(sandbox, base, &[&["--format", "json"], more].concat());
    (run.code, serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr)))
}

/// The kinds of all findings that are violations and not declared.
fn kinds(value: &Value) -> Vec<String> {
    let files = value["files"].as_array().unwrap().iter();
    let found = files.flat_map(|file| file["findings"].as_array().unwrap().clone());
    let open = found.filter(|one| one["severity"] == "violation" && one.get("declared").is_none());
    open.map(|one| one["kind"].as_str().unwrap().to_owned()).collect()
}

/// The settings that protect all documents by a rule.
fn all_by(rule: &str) -> String {
    format!("protect: [{{paths: ['docs/**'], rule: {rule}}}]\n")
}

fn piped(sandbox: &Sandbox, args: &[&str], input: &str, vars: &[(&str, String)]) -> Run {
    let mut command = sandbox.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(vars.iter().map(|(name, value)| (*name, value)));
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn a_change_that_only_adds_is_0() {
    let (sandbox, base) = changed(&grown());
    let (code, value) = json(&sandbox, base, &[]);
    assert_eq!((code, &value["verdict"], &value["compared"]), (0, &"kept".into(), &1.into()), "{value}");
    assert_eq!(value["base"], base.to_string());
    assert_eq!(value["head"], sandbox.tip("main").unwrap().to_string());
    assert_eq!(value["files"][0]["path"], SPEC_PATH);
    let run = check(&sandbox, base, &[]).ok();
    assert!(run.stdout.starts_with("Kept: 1 protected file changed between "), "{}", run.stdout);
}

#[test]
fn a_change_that_loses_something_is_1_and_says_where_and_why() {
    let (sandbox, base) = changed(&SPEC.replace("Sync should be fast.", "Sync takes 2 seconds."));
    let run = check(&sandbox, base, &[]);
    assert_eq!(run.code, 1);
    let shown = run.stdout.trim_start().replace(&base.to_string()[..10], "BASE");
    let shown = shown.replace(&sandbox.tip("main").unwrap().to_string()[..10], "HEAD");
    insta::assert_snapshot!(shown, @r#"
    violation[weakened]: the paragraph "Sync should be fast.": "should be fast." became "takes 2 seconds."
      --> docs/requirements/offline-mode/requirements-spec.md:5
      old | Sync should be fast.
          |      ^^^^^^^^^^^^^^^
      now | Sync takes 2 seconds.
          |      ^^^^^^^^^^^^^^^^
          = help: put the old words back, and write what is new below them
    To lose something on purpose, say why: roundtable check --base BASE --declare REASON
    Lost: the one protected file that changed between BASE and HEAD has lost text.
    "#);
    let (_, value) = json(&sandbox, base, &[]);
    let found = &value["files"][0]["findings"][0];
    assert_eq!((&found["class"], &found["line"]), (&"changed".into(), &5.into()));
    for key in ["message", "hint", "kind", "old", "new"] {
        assert!(found[key].is_string(), "{found}");
    }
}

#[test]
fn what_is_not_protected_does_not_count() {
    let sandbox = sandbox();
    let base = sandbox.tip("main").unwrap();
    sandbox.commit(&[("src/sync.rs", "// other\n"), ("docs/requirements/new/meta.json", "{}\n")]);
    let (code, value) = json(&sandbox, base, &[]);
    assert_eq!((code, &value["compared"]), (0, &0.into()));
    assert_eq!(check(&sandbox, base, &[]).stderr, "");
    // New files are free; of those that were there each is counted.
    let with_code = sandbox.tip("main").unwrap();
    sandbox.commit(&[("src/sync.rs", "// another\n"), (SPEC_PATH, &format!("{SPEC}\nMore words.\n"))]);
    let said = check(&sandbox, with_code, &[]).ok().stdout;
    assert!(said.ends_with("and nothing is lost. No rule protects 1 other file that changed.\n"), "{said}");
    // A policy that protects nothing at all is a mistake that is worth a word.
    let config = sandbox.script("typo.yaml", all_by("content").replace("docs", "dcos"));
    let run = check(&sandbox, base, &["--config", &config]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("nothing in the base or in the head is protected"), "{}", run.stderr);
    // On purpose it is none, and of several globs one may match nothing.
    let nothing = sandbox.script("nothing.yaml", "protect: []\n");
    assert_eq!(check(&sandbox, base, &["--config", &nothing]).code, 0);
    let glob = sandbox.script(
        "glob.yaml",
        "protect: [{paths: ['docs/**'], rule: content}, {paths: ['dcos/**'], rule: content}]\n",
    );
    let run = check(&sandbox, base, &["--config", &glob]).ok();
    assert!(run.stderr.contains("dcos/** matches nothing"), "{}", run.stderr);
    // A path without a wildcard has to be there.
    for (path, code) in [("dcos", 2), ("docs/requirements/offline-mode/spec.md", 2), ("docs", 0)] {
        let named = sandbox.script("named.yaml", format!("protect: [{{paths: [{path}], rule: content}}]\n"));
        assert_eq!(check(&sandbox, base, &["--config", &named]).code, code, "{path}");
    }
}

#[test]
fn what_cannot_be_measured_is_2() {
    let (sandbox, base) = changed(&grown());
    for args in [
        vec!["check", "--base", "nowhere"],
        vec!["check", "--base", "HEAD", "--head", "nowhere"],
        vec!["check"],
        vec!["check", "--base", "HEAD~1", "no/such/path"],
        vec!["check", "--base", "HEAD~1", "../outside"],
        vec!["check", "--staged", "--base", "HEAD"],
        vec!["check", "--base", "HEAD~1", "--config", "no-such-file"],
    ] {
        let run = sandbox.run(&args);
        assert_eq!(run.code, 2, "{args:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.is_empty() && run.stderr.contains("error: "), "{args:?}: {}", run.stderr);
    }
    // A blob that is missing is no verdict either.
    let tree = sandbox.git.find_commit(base).unwrap().tree().unwrap();
    let blob = tree.get_path(std::path::Path::new(SPEC_PATH)).unwrap().id().to_string();
    std::fs::remove_file(sandbox.root().join(format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    assert_eq!(check(&sandbox, base, &[]).code, 2);
}

#[test]
fn a_loose_object_that_is_cut_off_ends_every_run_with_2() {
    let (sandbox, base) = changed(&grown());
    let head = sandbox.git.head().unwrap().peel_to_commit().unwrap();
    let blob = head.tree().unwrap().get_path(std::path::Path::new(SPEC_PATH)).unwrap().id();
    // The blob is read by our own reader, and libgit2 would hang on the tree and on the commit.
    for (id, args) in [
        (blob, vec!["check", "--direct", "--base"]),
        (head.tree_id(), vec!["status"]),
        (head.id(), vec!["check", "--base"]),
    ] {
        let id = id.to_string();
        let path = sandbox.root().join(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        let whole = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() / 3]).unwrap();
        let base = base.to_string();
        let args: Vec<&str> = args.iter().copied().chain((args.len() > 1).then_some(base.as_str())).collect();
        let run = sandbox.run(&args);
        assert_eq!(run.code, 2, "{args:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(&id[2..]) && run.stderr.contains("is cut off after"), "{}", run.stderr);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, whole).unwrap();
    }
    assert_eq!(check(&sandbox, base, &[]).code, 0);
}

#[test]
fn the_merge_base_is_compared_unless_direct() {
    let sandbox = sandbox();
    let fork = sandbox.tip("main").unwrap();
    sandbox.commit(&[(SPEC_PATH, &grown())]);
    let main = sandbox.tip("main").unwrap();
    // A branch that forked before: it lacks what main has gained, and loses nothing.
    sandbox.git.branch("topic", &sandbox.git.find_commit(fork).unwrap(), false).unwrap();
    let (code, value) = json(&sandbox, main, &["--head", "topic"]);
    assert_eq!((code, &value["base"]), (0, &fork.to_string().into()));
    let (code, value) = json(&sandbox, main, &["--head", "topic", "--direct"]);
    assert_eq!((code, &value["base"]), (1, &main.to_string().into()));
}

#[test]
fn the_policy_is_the_bases_and_a_change_cannot_lift_it() {
    let sandbox = sandbox();
    let base = sandbox.tip("main").unwrap();
    sandbox.commit(&[(".roundtable.yaml", "protect: []\n"), (SPEC_PATH, "gone\n")]);
    assert_eq!(json(&sandbox, base, &[]).0, 1);
    // From then on it holds; the operator's word wins over both.
    let lifted = sandbox.tip("main").unwrap();
    sandbox.commit(&[(SPEC_PATH, "gone again\n")]);
    assert_eq!(json(&sandbox, lifted, &[]).0, 0);
    let config = sandbox.script("strict.yaml", all_by("strict"));
    assert_eq!(json(&sandbox, lifted, &["--config", &config]).0, 1);
}

#[test]
fn rules_bind_to_globs_states_and_branches_and_kinds_to_severities() {
    let policy = "protect:
  - {paths: docs/**, rule: content}
  - {paths: 'docs/requirements/*/strict.md', rule: append-only}
  - {paths: 'docs/requirements/*/living.md', rule: living}
  - {paths: 'docs/requirements/*/dates.md', rule: living, deny: [date]}
  - {paths: 'docs/requirements/*/draft.md', rule: none, when: {status: [raw, partial]}}
  - {paths: 'docs/requirements/*/other.md', rule: none, when: {status: analyzed}}
  - {paths: 'docs/requirements/*/warned.md', rule: content, warn: [wording]}
";
    let names = ["strict.md", "living.md", "dates.md", "draft.md", "other.md", "warned.md"];
    let sandbox = sandbox();
    let files = names.map(|name| format!("{ITEM}/{name}"));
    let first = "It is paid at the desk by 2026-03-01.\n";
    let mut all: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), first)).collect();
    all.push((".roundtable.yaml", policy));
    let base = sandbox.commit(&all);
    sandbox.commit(&[
        (&files[0], "It is paid at the desk  by 2026-03-01.\n"),
        (&files[1], "It is paid at the gate by 2026-03-01.\n"),
        (&files[2], "It is paid at the desk by 2026-04-01.\n"),
        (&files[3], "Gone.\n"),
        (&files[4], "It is paid at the gate by 2026-03-01.\n"),
        (&files[5], "It is paid at the gate by 2026-03-01.\n"),
    ]);
    let (code, value) = json(&sandbox, base, &[]);
    let found = |name: &str| {
        let files = value["files"].as_array().unwrap();
        let file = files.iter().find(|file| file["path"].as_str().unwrap().ends_with(name));
        file.map(|file| {
            (kinds(&serde_json::json!({ "files": [file] })).join(" "), file["findings"][0]["kind"].clone())
        })
    };
    assert_eq!(code, 1);
    assert_eq!(found("strict.md"), Some(("line-lost".to_owned(), "line-lost".into())));
    assert_eq!(found("living.md"), Some((String::new(), "wording".into())));
    assert_eq!(found("dates.md"), Some(("date".to_owned(), "date".into())));
    assert_eq!(found("draft.md"), None);
    assert_eq!(found("other.md"), Some(("wording".to_owned(), "wording".into())));
    assert_eq!(found("warned.md"), Some((String::new(), "wording".into())));
}

#[test]
fn what_roundtable_wrote_can_be_protected_alone() {
    let sandbox = sandbox();
    sandbox.commit(&[(".roundtable.yaml", "protect: [{paths: docs/**, rule: written}]\n")]);
    sandbox.elaborate("We decided to keep both answers.\ndone\n", &["--at", crate::kit::AT]).ok();
    let tip = sandbox.tip(crate::kit::BRANCH).unwrap();
    sandbox
        .git
        .reset(sandbox.git.find_commit(tip).unwrap().as_object(), git2::ResetType::Hard, None)
        .unwrap();
    let spec = std::fs::read_to_string(sandbox.root().join(SPEC_PATH)).unwrap();
    sandbox.commit(&[(SPEC_PATH, &spec.replace("Sync should be fast.", "Sync takes 2 seconds."))]);
    assert_eq!(json(&sandbox, tip, &[]).0, 0, "the authors' own words may change");
    sandbox.commit(&[(SPEC_PATH, &spec.replacen("#### Key Insights", "#### Other", 1))]);
    let (code, value) = json(&sandbox, tip, &[]);
    assert_eq!((code, kinds(&value)), (1, vec!["gone".to_owned()]));
    // By content: another marker or line break is nothing.
    let bullets = spec.replace("\n- ", "\n* ").replace("We decided to keep", "We decided\n  to keep");
    assert_ne!(bullets, spec);
    sandbox.commit(&[(SPEC_PATH, &bullets)]);
    assert_eq!(json(&sandbox, tip, &[]).0, 0);
}

#[test]
fn a_declared_loss_counts_only_where_the_base_allows_it() {
    for (allowed, code) in [("none", 1), ("declared", 0)] {
        let sandbox = sandbox();
        let policy = format!("{}losses: {allowed}\n", all_by("content"));
        let base = sandbox.commit(&[(".roundtable.yaml", &policy)]);
        let shorter = SPEC.replace("Sync should be fast.\n", "");
        let loss = format!(
            "reason: the owner agreed\nlosses:\n- path: {SPEC_PATH}\n  kind: gone\n  text: Sync should be fast.\n"
        );
        let files = [
            (SPEC_PATH, shorter.as_str()),
            (".roundtable/losses/a.yaml", loss.as_str()),
            (".roundtable.yaml", "losses: declared\n"),
        ];
        sandbox.commit(&files);
        let run = check(&sandbox, base, &[]);
        assert_eq!(run.code, code, "{}{}", run.stdout, run.stderr);
        assert_eq!(
            run.stdout.starts_with("1 loss is declared: the owner agreed"),
            allowed != "none",
            "{}",
            run.stdout
        );
        let ignored = ".roundtable/losses/a.yaml covers nothing: the base's policy says `losses: none`";
        assert_eq!(run.stderr.contains(ignored), allowed == "none", "{}", run.stderr);
        let (_, value) = json(&sandbox, base, &[]);
        let declared = &value["files"]
            .as_array()
            .unwrap()
            .iter()
            .find(|file| file["path"] == SPEC_PATH)
            .unwrap()["findings"][0]["declared"];
        assert_eq!(declared["reason"] == "the owner agreed", allowed != "none", "{value}");
    }
}

#[test]
fn a_declaration_covers_exactly_what_it_names() {
    let sandbox = sandbox();
    let base = sandbox.tip("main").unwrap();
    let shorter = SPEC.replace("Sync should be fast.\n", "");
    std::fs::write(sandbox.root().join(SPEC_PATH), &shorter).unwrap();
    let run = sandbox.run(&["check", "--worktree", "--declare", "said by the owner"]).ok();
    assert!(run.stdout.starts_with(".roundtable/losses/"), "{}", run.stdout);
    let lost = sandbox.commit_all();
    assert_eq!(json(&sandbox, base, &[]).0, 0);
    // A later loss is not covered, nor the same one again once it is in the base.
    let more = shorter.replace("## 3. User Journeys", "## 3. Journeys");
    sandbox.commit(&[(SPEC_PATH, &more)]);
    assert_eq!(json(&sandbox, base, &[]).0, 1);
    let back = commit_on(&sandbox, &[lost], &[(SPEC_PATH, SPEC)], "back");
    let again = commit_on(&sandbox, &[back], &[(SPEC_PATH, &shorter)], "again");
    assert_eq!(json(&sandbox, back, &["--head", &again.to_string()]).0, 1);
    // What covers nothing is a warning, and what is no declaration is an error.
    let unused = commit_on(
        &sandbox,
        &[base],
        &[(".roundtable/losses/b.yaml", "reason: x\nlosses: [{path: a.md, kind: gone, text: b}]\n")],
        "unused",
    );
    let run = check(&sandbox, base, &["--head", &unused.to_string()]).ok();
    assert!(run.stderr.contains("nothing like it is lost"), "{}", run.stderr);
    let wrong = commit_on(&sandbox, &[base], &[(".roundtable/losses/b.yaml", "losses: []\n")], "wrong");
    let run = check(&sandbox, base, &["--head", &wrong.to_string()]);
    assert!(run.code == 2 && run.stderr.contains("reason"), "{}", run.stderr);
    // A declaration stays as it is.
    let kept = sandbox.tip("main").unwrap();
    let name = std::fs::read_dir(sandbox.root().join(".roundtable/losses")).unwrap().next().unwrap().unwrap();
    let path = format!(".roundtable/losses/{}", name.file_name().to_string_lossy());
    let gone = commit_on(&sandbox, &[kept], &[(&path, "reason: other\nlosses: []\n")], "edited");
    assert_eq!(json(&sandbox, kept, &["--head", &gone.to_string()]).0, 1);
}

#[test]
fn paths_narrow_the_comparison() {
    let sandbox = sandbox();
    let base = sandbox.tip("main").unwrap();
    sandbox.commit(&[(SPEC_PATH, "gone\n"), ("docs/requirements/offline-mode/new.md", "new\n")]);
    for (path, code) in
        [(SPEC_PATH, 1), ("docs", 1), (".", 1), ("docs/requirements/offline-mode/new.md", 0), ("src", 0)]
    {
        assert_eq!(json(&sandbox, base, &[path]).0, code, "{path}");
    }
    // From a folder of the work tree, as git reads them.
    let mut command = sandbox.command(&["check", "--base", &base.to_string(), "requirements-spec.md"]);
    command.current_dir(sandbox.root().join(ITEM));
    assert_eq!(Run::of(command.output().unwrap()).code, 1);
}

#[test]
fn staged_compares_the_index_with_head() {
    let sandbox = sandbox();
    let stage = |text: &str| {
        std::fs::write(sandbox.root().join(SPEC_PATH), text).unwrap();
        let mut index = sandbox.git.index().unwrap();
        index.add_path(std::path::Path::new(SPEC_PATH)).unwrap();
        index.write().unwrap();
    };
    assert_eq!(sandbox.run(&["check", "--staged"]).code, 0);
    stage(&grown());
    let value = sandbox.run(&["check", "--staged", "--json"]).json();
    assert_eq!((&value["compared"], &value["head"]), (&1.into(), &Value::Null));
    stage("gone\n");
    assert_eq!(sandbox.run(&["check", "--staged"]).code, 1);
    // What is not staged does not count, and the index of git's variables is the one that is read.
    std::fs::write(sandbox.root().join(SPEC_PATH), SPEC).unwrap();
    assert_eq!(sandbox.run(&["check", "--staged"]).code, 1);
    let other = sandbox.outside("other-index");
    std::fs::copy(sandbox.root().join(".git/index"), &other).unwrap();
    stage(SPEC);
    let git = sandbox.root().join(".git").to_str().unwrap().to_owned();
    let vars = [("GIT_DIR", git), ("GIT_INDEX_FILE", other.to_str().unwrap().to_owned())];
    assert_eq!(piped(&sandbox, &["check", "--staged"], "", &vars).code, 1);
    // So is the one that `git commit --all` makes: its hook is told the index alone.
    assert_eq!(piped(&sandbox, &["check", "--staged"], "", &vars[1..]).code, 1);
    assert_eq!(sandbox.run(&["check", "--staged"]).code, 0);
    sandbox.assert_sound();
    // Before the first commit there is nothing to lose.
    assert_eq!(empty().run(&["check", "--staged"]).code, 0);
}

#[test]
fn an_item_that_is_only_in_the_index_is_protected() {
    let sandbox = sandbox();
    let (folder, notes) = ("notes/fees", "notes/fees/fees.md");
    sandbox.commit(&[(notes, "# Fees\n\nOne letter a month.\n")]);
    let stage = |path: &str, text: &str| {
        std::fs::write(sandbox.root().join(path), text).unwrap();
        let mut index = sandbox.git.index().unwrap();
        index.add_path(std::path::Path::new(path)).unwrap();
        index.write().unwrap();
    };
    stage(notes, "# Fees\n\nTwo letters a month.\n");
    assert_eq!(sandbox.run(&["check", "--staged"]).code, 0, "no item, no rule");
    stage(&format!("{folder}/meta.json"), "{\n  \"slug\": \"fees\",\n  \"analysis_status\": \"raw\"\n}\n");
    let run = sandbox.run(&["check", "--staged"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(notes), "{}", run.stdout);
}

#[test]
fn a_push_is_judged_line_by_line() {
    let (sandbox, base) = changed(&grown());
    let head = sandbox.tip("main").unwrap();
    let zero = "0".repeat(40);
    for (input, code) in [
        (format!("{base} {head} refs/heads/main\n"), 0),
        // A forced step back is a loss.
        (format!("{head} {base} refs/heads/main\n"), 1),
        // A new branch is compared from where it left HEAD; a deleted one is not judged.
        (format!("{zero} {base} refs/heads/new\n"), 0),
        (format!("{head} {zero} refs/heads/old\n"), 0),
        (format!("{base} {head} refs/heads/main\n{head} {base} refs/heads/b\n"), 1),
        (String::new(), 0),
        ("nonsense\n".to_owned(), 2),
        (format!("{base} {head} main\n"), 2),
        (format!("{base} {} refs/heads/main\n", "1".repeat(40)), 2),
    ] {
        let run = piped(&sandbox, &["check", "--stdin"], &input, &[]);
        assert_eq!(run.code, code, "{input}: {}{}", run.stdout, run.stderr);
    }
    let config =
        sandbox.script("p.yaml", "protect:\n  - {paths: 'docs/**', rule: content, when: {branch: main}}\n");
    for (name, code) in [("main", 1), ("other", 0)] {
        let input = format!("{head} {base} refs/heads/{name}\n");
        assert_eq!(piped(&sandbox, &["check", "--stdin", "--config", &config], &input, &[]).code, code);
    }
}

#[test]
fn a_real_push_is_stopped_by_a_pre_receive_hook() {
    let (sandbox, _) = changed(&grown());
    let server = sandbox.outside("server.git");
    let git = |at: &std::path::Path, args: &[&str]| {
        let output = std::process::Command::new("git")
            .arg("-C")
            .arg(at)
            .args(args)
            .env_clear()
            .env("HOME", sandbox.outside("home"))
            .env("PATH", std::env::var_os("PATH").unwrap())
            .output()
            .unwrap();
        Run::of(output)
    };
    std::fs::create_dir_all(sandbox.outside("home")).unwrap();
    git(&sandbox.root(), &["clone", "-q", "--bare", ".", server.to_str().unwrap()]).ok();
    let hook = server.join("hooks/pre-receive");
    std::fs::write(&hook, format!("#!/bin/sh\nexec {} check --stdin\n", env!("CARGO_BIN_EXE_roundtable")))
        .unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let push = || git(&sandbox.root(), &["push", "-q", "-f", server.to_str().unwrap(), "main"]);
    sandbox.commit(&[(SPEC_PATH, &format!("{}\nEven more.\n", grown()))]);
    assert_eq!(push().code, 0, "the objects are in quarantine, and only git's variables say where");
    sandbox.commit(&[(SPEC_PATH, "gone\n")]);
    let refused = push();
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("violation[gone]"), "{}", refused.stderr);
}

/// Versions of a document that each add a little, so that packs keep them as differences.
fn versions() -> (Sandbox, Oid) {
    let long: String =
        (0..200).map(|at| format!("- Rule {at} holds for group {}.\n", at * 7919 % 83)).collect();
    let (sandbox, _) = changed(&format!("{SPEC}\n## 5. Rules\n\n{long}"));
    let base = sandbox.tip("main").unwrap();
    for version in 0..6 {
        let more: String =
            (0..=version).map(|at| format!("\n## {}. More\n\nNew words {at}.\n", at + 6)).collect();
        sandbox.commit(&[(SPEC_PATH, &format!("{SPEC}\n## 5. Rules\n\n{long}{more}"))]);
    }
    (sandbox, base)
}

#[test]
fn however_objects_are_stored_the_verdict_is_one() {
    let (sandbox, base) = versions();
    let good = sandbox.tip("main").unwrap();
    sandbox.commit(&[(SPEC_PATH, SPEC)]);
    let bad = sandbox.tip("main").unwrap();
    let judged = |sandbox: &Sandbox, more: &[&str]| {
        let good = json(sandbox, base, &[&["--each", "--head", &good.to_string()], more].concat());
        let bad = json(sandbox, base, &[&["--each", "--head", &bad.to_string()], more].concat());
        assert_eq!((good.0, bad.0), (0, 1), "{}", bad.1);
        (good.1, bad.1)
    };
    let loose = judged(&sandbox, &[]);
    for how in [&["repack", "-adqf"][..], &["-c", "repack.useDeltaBaseOffset=false", "repack", "-adqf"]] {
        git(&sandbox.root(), how);
        assert_eq!(judged(&sandbox, &[]), loose, "{how:?}");
    }
    let (root, at) = (sandbox.root(), sandbox.outside("shared"));
    git(&root, &["clone", "-q", "--shared", root.to_str().unwrap(), at.to_str().unwrap()]);
    assert_eq!(judged(&sandbox, &["--repo", at.to_str().unwrap()]), loose, "objects of another repository");
}

#[test]
fn a_damaged_pack_is_2_and_never_another_verdict() {
    let (sandbox, base) = versions();
    let good = sandbox.tip("main").unwrap().to_string();
    sandbox.commit(&[(SPEC_PATH, SPEC)]);
    git(&sandbox.root(), &["repack", "-adqf"]);
    let packs = std::fs::read_dir(sandbox.root().join(".git/objects/pack")).unwrap();
    let pack =
        packs.map(|entry| entry.unwrap().path()).find(|path| path.extension().unwrap() == "pack").unwrap();
    let whole = std::fs::read(&pack).unwrap();
    let mut failed = 0;
    for at in (12..whole.len() - 20).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x15;
        std::fs::remove_file(&pack).unwrap();
        std::fs::write(&pack, &damaged).unwrap();
        let (good, bad) = (check(&sandbox, base, &["--head", &good]), check(&sandbox, base, &[]));
        assert!(matches!(good.code, 0 | 2), "byte {at}: {}{}", good.stdout, good.stderr);
        assert!(matches!(bad.code, 1 | 2), "byte {at}: {}{}", bad.stdout, bad.stderr);
        assert!(good.code == 0 || good.stderr.starts_with("error: "), "{}", good.stderr);
        failed += usize::from(good.code == 2);
    }
    assert!(failed > 0, "no byte that was changed was read");
}

#[test]
fn each_commit_on_the_way_is_judged() {
    let sandbox = sandbox();
    let base = sandbox.tip("main").unwrap();
    let culprit = sandbox.commit(&[(SPEC_PATH, "gone\n")]);
    sandbox.commit(&[(SPEC_PATH, &grown())]);
    assert_eq!(json(&sandbox, base, &[]).0, 0, "the sum only adds");
    let (code, value) = json(&sandbox, base, &["--each"]);
    assert_eq!(code, 1);
    let lost: Vec<&Value> =
        value["files"].as_array().unwrap().iter().filter(|file| file["class"] != "kept").collect();
    // The commit that lost the text, and the one that lost what stood in its place.
    assert_eq!((lost.len(), &lost[0]["commit"]), (2, &culprit.to_string().into()));
    assert_eq!(value["base"], base.to_string());
    assert_eq!(value["ranges"].as_array().unwrap().len(), 3);
}

/// A commit whose tree is the parent's with one entry changed.
fn with_entry(sandbox: &Sandbox, path: &str, object: Option<(Oid, git2::FileMode)>) -> Oid {
    let parent = sandbox.git.find_commit(sandbox.tip("main").unwrap()).unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    match object {
        Some((id, mode)) => update.upsert(path, id, mode),
        None => update.remove(path),
    };
    let tree = update.create_updated(&sandbox.git, &parent.tree().unwrap()).unwrap();
    let tree = sandbox.git.find_tree(tree).unwrap();
    let who = git2::Signature::new("Sam", "sam@example.org", &git2::Time::new(1_770_000_100, 0)).unwrap();
    sandbox.git.commit(None, &who, &who, "tree", &tree, &[&parent]).unwrap()
}

#[test]
fn the_tree_is_judged_before_what_files_hold() {
    use git2::FileMode::{Blob, BlobExecutable, Commit, Link};
    let sandbox = sandbox();
    let link = format!("{ITEM}/link.md");
    let module = format!("{ITEM}/module");
    let (one, two) = (sandbox.git.blob(b"a.md").unwrap(), sandbox.git.blob(b"b.md").unwrap());
    for (path, object) in [(&link, (one, Link)), (&module, (sandbox.tip("main").unwrap(), Commit))] {
        let id = with_entry(&sandbox, path, Some(object));
        sandbox.git.reference("refs/heads/main", id, true, "test").unwrap();
    }
    let base = sandbox.tip("main").unwrap();
    let spec = sandbox.git.blob(SPEC.as_bytes()).unwrap();
    for (path, object, code) in [
        (SPEC_PATH, None, "gone"),
        (SPEC_PATH, Some((spec, BlobExecutable)), "mode"),
        (SPEC_PATH, Some((one, Link)), "type"),
        (&link, Some((two, Link)), "opaque"),
        (&link, Some((one, Blob)), "type"),
        (&module, Some((two, Commit)), "opaque"),
        (&module, None, "gone"),
    ] {
        let head = with_entry(&sandbox, path, object);
        let (exit, value) = json(&sandbox, base, &["--head", &head.to_string()]);
        assert_eq!((exit, kinds(&value)), (1, vec![code.to_owned()]), "{path}");
    }
    // A folder where a file stood, and a rename, which says where the file is now.
    let sandbox = crate::kit::sandbox();
    let base = sandbox.tip("main").unwrap();
    std::fs::rename(sandbox.root().join(SPEC_PATH), sandbox.root().join("moved.md")).unwrap();
    sandbox.commit_all_removed(SPEC_PATH);
    let run = check(&sandbox, base, &[]);
    assert!(run.code == 1 && run.stdout.contains("is at moved.md now"), "{}", run.stdout);
    sandbox.commit(&[(&format!("{SPEC_PATH}/inner.md"), "x\n")]);
    assert_eq!(kinds(&json(&sandbox, base, &[]).1), ["type"]);
}

#[test]
fn attributes_and_settings_of_git_change_nothing() {
    let sandbox = sandbox();
    let base = sandbox.commit(&[(".gitattributes", "*.md binary\n*.json -diff\n")]);
    let mut config = sandbox.git.config().unwrap();
    config.set_str("core.autocrlf", "true").unwrap();
    config.set_str("diff.external", "/bin/false").unwrap();
    let canary = sandbox.outside("canary");
    config.set_str("core.fsmonitor", &format!("touch {}", canary.display())).unwrap();
    sandbox.commit(&[(SPEC_PATH, "gone\n")]);
    assert_eq!(json(&sandbox, base, &[]).0, 1);
    assert!(!canary.exists());
}

#[test]
fn a_sparse_checkout_is_read_and_a_sparse_index_is_named_with_its_remedy() {
    let sandbox = sandbox();
    sandbox.commit(&[
        ("docs/a.md", "# A\n"),
        ("other/deep/b.md", "# B\n"),
        (".roundtable.yaml", &all_by("content")),
    ]);
    let root = sandbox.root().to_str().unwrap().to_owned();
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git").arg("-C").arg(&root).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["reset", "--hard", "-q"]);
    git(&["sparse-checkout", "init", "--cone", "--sparse-index"]);
    git(&["sparse-checkout", "set", "docs"]);
    std::fs::write(sandbox.root().join("docs/a.md"), "# Other\n").unwrap();
    git(&["add", "docs"]);
    let refused = sandbox.run(&["check", "--staged"]);
    assert!(
        refused.code == 2 && refused.stderr.contains("git sparse-checkout reapply --no-sparse-index"),
        "{}",
        refused.stderr
    );
    git(&["sparse-checkout", "reapply", "--no-sparse-index"]);
    assert!(!sandbox.root().join("other/deep/b.md").exists());
    let run = sandbox.run(&["check", "--staged"]);
    assert!(run.code == 1 && run.stdout.contains("docs/a.md:1"), "{}", run.stdout);
}

#[test]
fn bare_and_shallow_repositories_and_those_that_cannot_be_read() {
    let (sandbox, base) = changed(&grown());
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git").args(args).output().expect("the tests need git");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let root = sandbox.root().to_str().unwrap().to_owned();
    let at = |name: &str| sandbox.outside(name).to_str().unwrap().to_owned();
    git(&["clone", "-q", "--bare", &root, &at("bare.git")]);
    let run = sandbox.run(&["--repo", &at("bare.git"), "check", "--base", &base.to_string()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = sandbox.run(&["--repo", &at("bare.git"), "check", "--staged"]);
    assert!(run.code == 2 && run.stderr.contains("no index"), "{}{}", run.stdout, run.stderr);
    git(&["-C", &root, "branch", "-q", "old", &base.to_string()]);
    // What lies between the two is not in a shallow clone of both.
    sandbox.commit(&[(SPEC_PATH, &format!("{}\nEven more.\n", grown()))]);
    git(&["clone", "-q", "--depth", "1", "--no-single-branch", &format!("file://{root}"), &at("shallow")]);
    let run = sandbox.run(&["--repo", &at("shallow"), "check", "--base", "origin/old"]);
    assert!(run.code == 2 && run.stderr.contains("fetch-depth: 0"), "{}", run.stderr);
    git(&["init", "-q", "--object-format=sha256", &at("sha256")]);
    let run = sandbox.run(&["--repo", &at("sha256"), "check", "--staged"]);
    assert!(run.code == 2 && run.stderr.contains("SHA-1"), "{}", run.stderr);
}

#[test]
fn events_of_actions_name_the_range() {
    let (sandbox, base) = changed("gone\n");
    let head = sandbox.tip("main").unwrap();
    let run = |name: &str, payload: Value| {
        let event = sandbox.script("event.json", payload.to_string());
        let summary = sandbox.outside("summary.md");
        let _ = std::fs::remove_file(&summary);
        let vars = [
            ("GITHUB_ACTIONS", "true".to_owned()),
            ("GITHUB_EVENT_NAME", name.to_owned()),
            ("GITHUB_EVENT_PATH", event),
            ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap().to_owned()),
        ];
        let run = piped(&sandbox, &["check"], "", &vars);
        (run, std::fs::read_to_string(summary).unwrap_or_default())
    };
    let zero = "0".repeat(40);
    for (name, payload, code) in [
        (
            "pull_request",
            serde_json::json!({"pull_request": {"base": {"sha": base.to_string(), "ref": "main"}, "head": {"sha": head.to_string()}}}),
            1,
        ),
        (
            "merge_group",
            serde_json::json!({"merge_group": {"base_sha": base.to_string(), "head_sha": head.to_string(), "base_ref": "refs/heads/main"}}),
            1,
        ),
        (
            "push",
            serde_json::json!({"before": base.to_string(), "after": head.to_string(), "ref": "refs/heads/main"}),
            1,
        ),
        (
            "push",
            serde_json::json!({"before": head.to_string(), "after": head.to_string(), "ref": "refs/heads/main"}),
            0,
        ),
        ("push", serde_json::json!({"before": base.to_string(), "after": zero, "ref": "refs/heads/main"}), 0),
        ("push", serde_json::json!({"before": "1".repeat(40), "after": head.to_string()}), 2),
        ("pull_request", serde_json::json!({}), 2),
        ("schedule", serde_json::json!({}), 2),
    ] {
        let (run, summary) = run(name, payload);
        assert_eq!(run.code, code, "{name}: {}{}", run.stdout, run.stderr);
        if code == 1 {
            let line = run.stdout.lines().find(|line| line.starts_with("::error ")).unwrap();
            assert!(line.contains("title=gone::"), "{line}");
            assert!(summary.contains("| gone |"), "{summary}");
        }
    }
}

#[test]
fn annotations_are_escaped_and_keep_to_the_runners_limits() {
    let sandbox = sandbox();
    let name = |at: usize| format!("{ITEM}/n{at:02},a:b%.md");
    let text = "first ::error::x ##[error]y %0A \u{2028}::warning::z\n";
    let files: Vec<(String, &str)> = (0..14).map(|at| (name(at), text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let base = sandbox.commit(&files);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, _)| (*path, "other\n")).collect();
    sandbox.commit(&files);
    let mut command = sandbox.command(&["check", "--base", &base.to_string()]);
    command.env("GITHUB_ACTIONS", "true");
    let run = Run::of(command.output().unwrap());
    let commands: Vec<&str> = run.stdout.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    assert_eq!(commands.len(), 11, "{commands:#?}");
    assert!(
        commands[..10].iter().all(|line| line.starts_with("::error file=docs/requirements/offline-mode/n"))
    );
    assert!(commands[0].contains("n00%2Ca%3Ab%25.md,"), "{}", commands[0]);
    assert_eq!(commands[10], "::notice title=roundtable check::4 more findings are in the log of this step");
    assert!(!run.stdout.contains("##["));
}

#[test]
fn sarif_says_what_code_scanning_needs() {
    let (sandbox, base) = changed("gone\n");
    let run = check(&sandbox, base, &["--format", "sarif"]);
    assert_eq!(run.code, 1);
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&"2.1.0".into(), 1));
    let driver = &log["runs"][0]["tool"]["driver"];
    let result = &log["runs"][0]["results"][0];
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(driver["rules"][index]["id"], result["ruleId"]);
    assert_eq!((&result["level"], &result["ruleId"]), (&"error".into(), &"gone".into()));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], SPEC_PATH);
    assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
    assert_eq!(result["partialFingerprints"]["loss/v1"].as_str().unwrap().len(), 32);
    // No finding is still a log, with an empty list.
    let log: Value = serde_json::from_str(
        &check(&sandbox, sandbox.tip("main").unwrap(), &["--format", "sarif"]).ok().stdout,
    )
    .unwrap();
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn hostile_names_and_texts_reach_the_terminal_as_text() {
    let sandbox = sandbox();
    let path = format!("{ITEM}/a\u{202e}b\u{1b}[31m.md");
    let base = sandbox.commit(&[(&path, "\u{1b}]0;title\u{7}old\r\u{9b}31m\n")]);
    sandbox.commit(&[(&path, "new\n")]);
    for format in ["human", "github"] {
        let run = check(&sandbox, base, &["--format", format]);
        assert_eq!(run.code, 1);
        assert!(
            run.stdout.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'),
            "{:?}",
            run.stdout
        );
    }
    let (_, value) = json(&sandbox, base, &[]);
    assert_eq!(value["files"][0]["path"], path);
}

#[test]
fn a_hundred_thousand_changed_files() {
    let sandbox = empty();
    let build = |blob: Oid| {
        let mut folder = sandbox.git.treebuilder(None).unwrap();
        for at in 0..1_000 {
            folder.insert(format!("{at:04}.md"), blob, 0o100_644).unwrap();
        }
        let folder = folder.write().unwrap();
        let mut tree = sandbox.git.treebuilder(None).unwrap();
        for at in 0..100 {
            tree.insert(format!("{at:03}"), folder, 0o040_000).unwrap();
        }
        let inner = tree.write().unwrap();
        let mut tree = sandbox.git.treebuilder(None).unwrap();
        tree.insert("docs", inner, 0o040_000).unwrap();
        sandbox.git.find_tree(tree.write().unwrap()).unwrap()
    };
    let who = git2::Signature::new("Sam", "sam@example.org", &git2::Time::new(1_770_000_000, 0)).unwrap();
    let (old, new) =
        (sandbox.git.blob(b"# A\n\nx\n").unwrap(), sandbox.git.blob(b"# A\n\nx\n\ny\n").unwrap());
    let base = sandbox.git.commit(Some("HEAD"), &who, &who, "a", &build(old), &[]).unwrap();
    let parent = sandbox.git.find_commit(base).unwrap();
    sandbox.git.commit(Some("HEAD"), &who, &who, "b", &build(new), &[&parent]).unwrap();
    let config = sandbox.script("p.yaml", all_by("content"));
    let run = check(&sandbox, base, &["--config", &config]).ok();
    assert!(run.stdout.starts_with("Kept: 100000 protected files changed"), "{}", run.stdout);
}

/// A commit with parents, made of the tree of another with files put in.
fn commit_on(sandbox: &Sandbox, parents: &[Oid], files: &[(&str, &str)], message: &str) -> Oid {
    let git = &sandbox.git;
    let commits: Vec<_> = parents.iter().map(|id| git.find_commit(*id).unwrap()).collect();
    let mut update = git2::build::TreeUpdateBuilder::new();
    for (path, text) in files {
        update.upsert(*path, git.blob(text.as_bytes()).unwrap(), git2::FileMode::Blob);
    }
    let tree = update.create_updated(git, &commits[0].tree().unwrap()).unwrap();
    let who = git2::Signature::new("Sam", "sam@example.org", &git2::Time::new(1_770_000_000, 0)).unwrap();
    let tree = git.find_tree(tree).unwrap();
    git.commit(None, &who, &who, message, &tree, &commits.iter().collect::<Vec<_>>()).unwrap()
}

#[test]
fn every_merge_base_counts() {
    let sandbox = sandbox();
    let root = sandbox.tip("main").unwrap();
    let spec = |more: &str| format!("{SPEC}\n{more}\n");
    // Two branches that were merged into each other both ways have two merge bases.
    let one = commit_on(&sandbox, &[root], &[(SPEC_PATH, &spec("One."))], "one");
    let two = commit_on(&sandbox, &[root], &[(SPEC_PATH, &spec("Two."))], "two");
    let both = format!("{SPEC}\nOne.\n\nTwo.\n");
    let base = commit_on(&sandbox, &[one, two], &[(SPEC_PATH, &both)], "base");
    for (text, code) in [(both.clone(), 0), (spec("One."), 1), (spec("Two."), 1)] {
        let head = commit_on(&sandbox, &[two, one], &[(SPEC_PATH, &text)], "head");
        let (exit, value) = json(&sandbox, base, &["--head", &head.to_string()]);
        assert_eq!(exit, code, "{value}");
    }
}

#[test]
fn the_stricter_of_merge_base_and_tip_holds() {
    for (at_fork, at_tip) in [("living", "strict"), ("strict", "living")] {
        let sandbox = sandbox();
        let fork = sandbox.commit(&[(".roundtable.yaml", &all_by(at_fork))]);
        let tip = commit_on(&sandbox, &[fork], &[(".roundtable.yaml", &all_by(at_tip))], "tip");
        let glued = SPEC.replace("Sync should be fast.\n", "Sync should be fast.\nAnd safe.\n");
        let head = commit_on(&sandbox, &[fork], &[(SPEC_PATH, &glued)], "head");
        let (exit, value) = json(&sandbox, tip, &["--head", &head.to_string()]);
        assert_eq!((exit, kinds(&value)), (1, vec!["paragraph-extended".to_owned()]), "{at_fork} {at_tip}");
    }
}

#[test]
fn a_change_of_the_policy_is_reported() {
    let sandbox = sandbox();
    let base = sandbox.commit(&[(".roundtable.yaml", &all_by("content"))]);
    sandbox.commit(&[(".roundtable.yaml", &format!("{}# the same\n", all_by("content")))]);
    assert!(json(&sandbox, base, &[]).1.get("notices").is_none());
    sandbox.commit(&[(".roundtable.yaml", "protect: []\n")]);
    let (exit, value) = json(&sandbox, base, &[]);
    assert_eq!(exit, 0);
    assert!(value["notices"][0].as_str().unwrap().contains("alters the policy"), "{value}");
    let run = check(&sandbox, base, &["--format", "github"]).ok();
    assert!(run.stdout.contains("::notice file=.roundtable.yaml,line=1,"), "{}", run.stdout);
}

#[test]
fn settings_that_cannot_be_read_are_refused_and_a_change_that_repairs_them_passes() {
    let sandbox = sandbox();
    let good = sandbox.tip("main").unwrap();
    let write = |text: &str| {
        std::fs::write(sandbox.root().join(".roundtable.yaml"), text).unwrap();
        git(&sandbox.root(), &["add", "."]);
    };
    let staged = || sandbox.run(&["check", "--staged"]);
    write("protect: docs\n");
    let run = staged();
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stderr.contains(".roundtable.yaml:1:10") && run.stderr.contains("the index"),
        "{}",
        run.stderr
    );
    let broken = sandbox.commit_all();
    let run = check(&sandbox, good, &[]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains(&format!("commit {}", &broken.to_string()[..10])), "{}", run.stderr);
    // An unrelated change does not hide them, a repair passes, and what the repair loses is a loss.
    assert_eq!(staged().code, 2);
    write(&all_by("content"));
    staged().ok();
    write("protect: []\n");
    std::fs::write(sandbox.root().join(SPEC_PATH), "gone\n").unwrap();
    git(&sandbox.root(), &["add", "."]);
    assert_eq!(staged().code, 1);
    std::fs::write(sandbox.root().join(SPEC_PATH), SPEC).unwrap();
    write(&all_by("content"));
    sandbox.commit_all();
    check(&sandbox, broken, &[]).ok();
}

#[test]
fn a_name_of_a_tag_and_a_branch_is_refused() {
    let (sandbox, base) = changed(&grown());
    let commit = sandbox.git.find_commit(base).unwrap();
    sandbox.git.branch("release", &commit, false).unwrap();
    assert_eq!(sandbox.run(&["check", "--base", "release"]).code, 0);
    sandbox.git.tag_lightweight("release", commit.as_object(), false).unwrap();
    for name in ["release", "release~0", "release^{commit}"] {
        let run = sandbox.run(&["check", "--base", name]);
        assert_eq!(run.code, 2, "{name}");
        assert!(run.stderr.contains("refs/tags/release or refs/heads/release"), "{}", run.stderr);
    }
    assert_eq!(sandbox.run(&["check", "--base", "refs/heads/release"]).code, 0);
}

#[test]
fn a_twin_of_a_protected_path_is_a_violation() {
    for (path, twin) in [
        (SPEC_PATH, SPEC_PATH.replace("requirements-spec", "Requirements-Spec")),
        (SPEC_PATH, SPEC_PATH.replace("docs", "Docs")),
        ("docs/requirements/caf\u{e9}.md", "docs/requirements/cafe\u{301}.md".to_owned()),
    ] {
        let sandbox = sandbox();
        let root = sandbox.tip("main").unwrap();
        let base = commit_on(&sandbox, &[root], &[(path, SPEC)], "base");
        let head = commit_on(&sandbox, &[base], &[(&twin, "new\n")], "head");
        let (exit, value) = json(&sandbox, base, &["--head", &head.to_string()]);
        assert_eq!((exit, kinds(&value)), (1, vec!["path-twin".to_owned()]), "{twin}");
    }
}

#[test]
fn replacements_and_unborn_heads_are_judged() {
    let (sandbox, base) = changed("gone\n");
    let head = sandbox.tip("main").unwrap();
    let zero = "0".repeat(40);
    let run = piped(
        &sandbox,
        &["check", "--stdin", "--json"],
        &format!("{zero} {head} refs/replace/{base}\n"),
        &[],
    );
    let value: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, kinds(&value)), (1, vec!["replace-ref".to_owned()]));
    // Where HEAD has no commit, a new reference is held against all that exist.
    sandbox.git.reference("refs/heads/kept", base, true, "test").unwrap();
    sandbox.git.find_reference("refs/heads/main").unwrap().delete().unwrap();
    let push = |new: Oid| {
        piped(&sandbox, &["check", "--stdin"], &format!("{zero} {new} refs/heads/new\n"), &[]).code
    };
    assert_eq!((push(base), push(head)), (0, 1));
}

#[test]
fn a_nearer_meta_json_lifts_nothing() {
    let sandbox = sandbox();
    let policy = "protect: [{paths: docs/**, rule: content, when: {status: [raw, analyzed]}}]\n";
    let near = "docs/requirements/offline-mode/deep/meta.json";
    let deep = "docs/requirements/offline-mode/deep/spec.md";
    let status = |status: &str| format!("{{\"analysis_status\": \"{status}\"}}");
    let above = "docs/requirements/offline-mode/meta.json";
    let base = sandbox.commit(&[
        (".roundtable.yaml", policy),
        (above, &status("analyzed")),
        (near, &status("partial")),
        (deep, "old\n"),
    ]);
    sandbox.commit(&[(deep, "new\n")]);
    assert_eq!(json(&sandbox, base, &[]).0, 1);
}

/// `check --candidate` of a text for a path.
#[cfg(unix)]
fn candidate(sandbox: &Sandbox, path: &str, text: &[u8]) -> Run {
    let mut command = sandbox.command(&["check", "--candidate", path]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

#[cfg(unix)]
#[test]
fn a_candidate_that_is_a_twin_or_no_text_is_refused_and_says_so() {
    let sandbox = sandbox();
    let twin = SPEC_PATH.replace("requirements-spec", "Requirements-Spec");
    let said = candidate(&sandbox, &twin, b"# New\n");
    assert!(
        said.code == 1
            && said.stdout.contains("is the same on some file systems; give the new file another name"),
        "{}",
        said.stdout
    );
    let said = candidate(&sandbox, SPEC_PATH, b"a\0b");
    assert!(
        said.code == 1 && !said.stdout.contains("\"\"") && said.stdout.contains("NUL"),
        "{}",
        said.stdout
    );
    assert!(said.stdout.split_whitespace().count() <= 60, "{}", said.stdout);
    candidate(&sandbox, &SPEC_PATH.replace("requirements-spec", "other"), b"# New\n").ok();
    // What only moved, or differs in what nobody sees, is said as such; the worst comes first.
    let list: String = (1..40).map(|at| format!("- Step {at} is taken.\n")).collect();
    let spec = format!("# A\n\n## B\n\nOne letter a month.\n\n## C\n\n{list}");
    sandbox.commit(&[(SPEC_PATH, &spec)]);
    let moved =
        spec.replace("One letter a month.\n\n", "").replace("## C\n", "## C\n\nOne letter a month.\n");
    for (after, wanted) in [
        (moved, "\"One letter a month.\" is under \"C\" now, and was under \"B\"; put it back where it was"),
        (spec.replace("One", "One\u{200b}"), "only an invisible character (U+200B) changed in the paragraph"),
        (
            spec.replace(&list, ""),
            "docs/requirements/offline-mode/requirements-spec.md keeps 4 of 43 lines. ",
        ),
    ] {
        let said = candidate(&sandbox, SPEC_PATH, after.as_bytes());
        assert_eq!(said.code, 1);
        assert!(said.stdout.contains(wanted), "{}", said.stdout);
        assert!(said.stdout.split_whitespace().count() <= 60, "{}", said.stdout);
    }
}

#[test]
fn a_declaration_covers_losses_of_one_line_that_look_alike() {
    let sandbox = empty();
    let policy = "protect: [{paths: [\"docs/**\"], rule: content}]\n";
    sandbox.commit(&[(".roundtable.yaml", policy), ("docs/a.md", "# T\n\nOld text is here.\n\nz w.\n")]);
    let hidden = "# T\n\n<div>\n\n<details>\n\nOld text is here.\n\n</details>\n\n</div>\n\nz w.\n";
    std::fs::write(sandbox.root().join("docs/a.md"), hidden).unwrap();
    let mut index = sandbox.git.index().unwrap();
    index.add_path(std::path::Path::new("docs/a.md")).unwrap();
    index.write().unwrap();
    assert_eq!(sandbox.run(&["check", "--staged"]).code, 1);
    sandbox.run(&["check", "--staged", "--declare", "nobody reads it"]).ok();
    sandbox.run(&["check", "--staged"]).ok();
}

#[test]
fn what_a_refused_commit_prints_declares_what_is_staged() {
    let sandbox = sandbox();
    let other = "docs/requirements/other/spec.md";
    sandbox.commit(&[(other, "# Other\n\nOld text is here.\n")]);
    std::fs::write(sandbox.root().join(other), "# Other\n").unwrap();
    std::fs::write(sandbox.root().join(SPEC_PATH), SPEC.replace("Sync should be fast.\n", "")).unwrap();
    let mut index = sandbox.git.index().unwrap();
    index.add_path(std::path::Path::new(SPEC_PATH)).unwrap();
    index.write().unwrap();
    std::fs::write(sandbox.root().join(SPEC_PATH), SPEC).unwrap();
    let refused = sandbox.run(&["check", "--staged"]);
    assert_eq!(refused.code, 1);
    let declared = sandbox.run(&printed_command(&refused.stdout)).ok();
    assert!(declared.stdout.contains("Sync should be fast."), "{}", declared.stdout);
    assert!(!declared.stdout.contains("Old text"), "{}", declared.stdout);
    sandbox.run(&["check", "--staged"]).ok();
}

/// The arguments of the command that declares the losses of a report.
fn printed_command(report: &str) -> Vec<&str> {
    let printed = report.lines().find_map(|line| line.split("say why: roundtable ").nth(1)).unwrap();
    printed.split(' ').map(|word| if word == "REASON" { "said by the owner" } else { word }).collect()
}

#[test]
fn what_a_refused_commit_of_files_prints_declares_the_loss_of_these() {
    let sandbox = sandbox();
    let other = "docs/requirements/other/spec.md";
    sandbox.commit(&[(other, "# Other\n\nOld text is here.\n")]);
    std::fs::write(sandbox.root().join(other), "# Other\n").unwrap();
    std::fs::write(sandbox.root().join(SPEC_PATH), SPEC.replace("Sync should be fast.\n", "")).unwrap();
    let mut index = sandbox.git.index().unwrap();
    index.add_path(std::path::Path::new(SPEC_PATH)).unwrap();
    index.write().unwrap();
    // `git commit FILE` makes an index of its own, and throws it away.
    let own = sandbox.root().join(".git/next-index-12.lock");
    std::fs::copy(sandbox.root().join(".git/index"), &own).unwrap();
    index.read_tree(&sandbox.git.head().unwrap().peel_to_tree().unwrap()).unwrap();
    index.write().unwrap();
    let mut command = sandbox.command(&["check", "--staged"]);
    command.env("GIT_INDEX_FILE", &own).current_dir(sandbox.root());
    let refused = Run::of(command.output().unwrap());
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    let run = sandbox.run(&["check", "--staged", "--declare", "said by the owner"]).ok();
    assert!(
        run.stdout.contains("nothing is lost in the index; --worktree looks at the files"),
        "{}",
        run.stdout
    );
    let declared = sandbox.run(&printed_command(&refused.stdout)).ok();
    assert!(declared.stdout.contains("Sync should be fast."), "{}", declared.stdout);
    assert!(!declared.stdout.contains("Old text"), "{}", declared.stdout);
    sandbox.run(&["check", "--worktree", SPEC_PATH]).ok();
}

#[test]
fn where_nothing_is_protected_yet_every_verb_that_guards_says_so() {
    let sandbox = empty();
    sandbox.commit(&[("docs/adr/0001-fees.md", "# 1. Fees\n\n## Status\n\nAccepted\n")]);
    let told = "nothing is protected yet: there is no item, and .roundtable.yaml has no `protect`";
    let says = |args: &[&str], is_said: bool| {
        // Whether the hook finds the program is another question.
        let run = sandbox.run(args);
        assert_eq!(
            format!("{}{}", run.stdout, run.stderr).contains(told),
            is_said,
            "{args:?}: {}",
            run.stderr
        );
    };
    for args in [&["init", "--hook"][..], &["doctor"], &["check", "--staged"], &["check", "--base", "HEAD"]] {
        says(args, true);
    }
    sandbox.run(&["check", "--staged"]).ok();
    sandbox.commit(&[(".roundtable.yaml", "protect: [{preset: adr}]\n")]);
    for args in [&["doctor"][..], &["check", "--staged"], &["init", "--hook"]] {
        says(args, false);
    }
}

#[test]
fn a_declared_line_covers_no_other_line_of_a_strict_file() {
    let sandbox = empty();
    let text = "# Fees\n\nOne letter.\n\nNobody pays twice.\n\nChildren pay nothing.\n";
    let settings = "protect: [{paths: [\"docs/**\"], rule: strict}]\n";
    sandbox.commit(&[("docs/s.md", text), (".roundtable.yaml", settings)]);
    std::fs::write(sandbox.root().join("docs/s.md"), text.replace("One letter.\n", "")).unwrap();
    git(&sandbox.root(), &["add", "."]);
    sandbox.run(&["check", "--staged", "--declare", "no letters"]).ok();
    sandbox.run(&["check", "--staged"]).ok();
    let less = text.replace("One letter.\n", "").replace("Children pay nothing.\n", "");
    std::fs::write(sandbox.root().join("docs/s.md"), less).unwrap();
    git(&sandbox.root(), &["add", "."]);
    let run = sandbox.run(&["check", "--staged"]);
    assert!(run.code == 1 && run.stdout.contains("Children pay nothing."), "{}", run.stdout);
    // With all of them declared it passes.
    sandbox.run(&["check", "--staged", "--declare", "no children"]).ok();
    sandbox.run(&["check", "--staged"]).ok();
}
