//! Killed at any call that changes a file, or with that call failing: the branch is exactly old
//! or exactly new, and the next run ends in the same tree. What a power cut would leave is read
//! off the order of writes, flushes and renames.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::forge::git;
use crate::kit::{AT, BRANCH, ITEM, Run, Sandbox, sandbox};

const TALK: &str = "Alex, what breaks first?\nWe decided to keep both answers.\ndone\n";
const ENOSPC: &str = "28";
const EIO: &str = "5";

/// The library that counts calls, compiled once.
fn shim() -> &'static Path {
    static SHIM: OnceLock<PathBuf> = OnceLock::new();
    SHIM.get_or_init(|| {
        let library =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{}.so", std::process::id()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/faults.c");
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
            .arg(&library)
            .arg(source)
            .arg("-ldl")
            .status()
            .expect("the tests need a C compiler, as libgit2 does");
        assert!(status.success());
        library
    })
}

/// One run under the shim.
fn run(sandbox: &Sandbox, at: usize, kind: &str, sticky: bool) -> (Run, Vec<Vec<String>>) {
    run_with(sandbox, at, kind, sticky, &[])
}

fn run_with(
    sandbox: &Sandbox,
    at: usize,
    kind: &str,
    sticky: bool,
    more: &[&str],
) -> (Run, Vec<Vec<String>>) {
    let script = sandbox.script("script.txt", TALK);
    let log = sandbox.outside("calls");
    let _ = std::fs::remove_file(&log);
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT];
    let mut command = sandbox.command(&[&args, more].concat());
    command.env("LD_PRELOAD", shim()).env("FAULT_LOG", &log);
    if at > 0 {
        command.env("FAULT_AT", at.to_string()).env("FAULT_KIND", kind);
    }
    if sticky {
        command.env("FAULT_STICKY", "1");
    }
    let run = Run::of(command.output().unwrap());
    let calls = std::fs::read_to_string(&log).unwrap_or_default();
    (run, calls.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

/// A second discussion on a branch that exists, or the first on one that does not.
fn setting(second: bool) -> Sandbox {
    let sandbox = sandbox();
    if second {
        sandbox.elaborate("done\n", &["--at", "2026-02-19T14:30:00Z"]).ok();
    }
    sandbox
}

fn tree(sandbox: &Sandbox) -> String {
    let tip = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    tip.tree_id().to_string()
}

/// Files in the object database that no run may leave behind for good.
fn leftovers(sandbox: &Sandbox) -> Vec<String> {
    let git = sandbox.root().join(".git");
    let mut found = Vec::new();
    for folder in ["objects/pack", "roundtable", "refs/heads/roundtable", "refs/heads"] {
        for entry in std::fs::read_dir(git.join(folder)).into_iter().flatten() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            let stray = name.ends_with(".lock") || (folder == "roundtable" && name != "lock");
            let orphan =
                name.ends_with(".pack") && !git.join(folder).join(name.replace(".pack", ".idx")).exists();
            if stray || orphan {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found
}

/// Tries every call: with the fault, then again without.
fn every_call(second: bool, kind: &str, sticky: bool) {
    let plain = setting(second);
    let (done, calls) = run(&plain, 0, "", false);
    done.ok();
    let wanted = tree(&plain);
    assert!(calls.len() >= 8, "{calls:?}");
    for at in 1..=calls.len() {
        let sandbox = setting(second);
        let old = sandbox.tip(BRANCH);
        let (failed, _) = run(&sandbox, at, kind, sticky);
        let new = sandbox.tip(BRANCH);
        let what = format!("call {at} ({:?}), {kind}: {}", calls[at - 1], failed.stderr);
        assert!(!failed.stderr.contains("panicked"), "{what}");
        if new == old {
            assert_ne!(failed.code, 0, "a success that is none at {what}");
        } else {
            assert_eq!(tree(&sandbox), wanted, "half a commit at {what}");
            assert!(kind == "kill" || failed.code == 0, "a failure that is none at {what}");
        }
        sandbox.assert_sound();
        let (again, _) = run(&sandbox, 0, "", false);
        assert_eq!(again.code, 0, "the next run is hindered after {what}: {}", again.stderr);
        assert_eq!(tree(&sandbox), wanted, "another tree after {what}");
        sandbox.assert_sound();
        assert_eq!(leftovers(&sandbox), Vec::<String>::new(), "after {what}");
    }
}

#[test]
fn killed_at_any_call_on_a_new_branch() {
    every_call(false, "kill", false);
}

/// A run that was killed goes on with `--resume` to the commit of the run that was not.
#[test]
fn killed_at_any_call_and_resumed_it_is_the_same_commit() {
    let plain = setting(false);
    let (done, calls) = run(&plain, 0, "", false);
    done.ok();
    for at in 1..=calls.len() {
        let sandbox = setting(false);
        run(&sandbox, at, "kill", false);
        let resumed = sandbox.elaborate(TALK, &["--at", AT, "--resume"]);
        // Killed before its log was begun, or when all was done.
        match resumed.stderr.contains("nothing was cut off here") {
            true => sandbox.elaborate(TALK, &["--at", AT]).ok(),
            false => resumed.ok(),
        };
        assert_eq!(sandbox.tip(BRANCH), plain.tip(BRANCH), "killed at call {at} ({:?})", calls[at - 1]);
        assert_eq!(leftovers(&sandbox), Vec::<String>::new(), "killed at call {at}");
    }
}

#[test]
fn killed_at_any_call_on_a_branch_that_exists() {
    every_call(true, "kill", false);
}

#[test]
fn the_disk_is_full_from_any_call_on() {
    every_call(true, ENOSPC, true);
}

#[test]
fn any_one_call_fails() {
    every_call(false, ENOSPC, false);
    every_call(true, EIO, false);
}

/// After the last call everything that the branch needs is on disk: each file was flushed after
/// its last write and before it got its name, each folder after it got a new name in it.
#[test]
fn what_exit_0_promises_survives_a_power_cut() {
    for second in [false, true] {
        let sandbox = setting(second);
        let (done, calls) = run(&sandbox, 0, "", false);
        done.ok();
        let mut unflushed: Vec<String> = Vec::new();
        let mut renamed: Vec<String> = Vec::new();
        for call in &calls {
            let path = &call[1];
            match call[0].as_str() {
                "write" | "create" | "truncate" => unflushed.push(path.clone()),
                // A folder of a branch is a name too.
                "mkdir" if path.contains(".git/refs/heads/") && !second => {
                    renamed.push(Path::new(path).parent().unwrap().to_string_lossy().into_owned());
                }
                "sync" => {
                    unflushed.retain(|other| other != path);
                    renamed.retain(|folder| folder != path);
                }
                // What is there only while it is read.
                "unlink" => unflushed.retain(|other| other != path),
                "rename" | "link" => {
                    assert!(!unflushed.contains(path), "{path} got its name before it was flushed");
                    let to = Path::new(&call[2]).parent().unwrap().to_string_lossy().into_owned();
                    // The reference names the commit: whatever it needs has to be there before.
                    if call[2].contains("refs/heads") {
                        let others = renamed.iter().filter(|folder| **folder != to);
                        assert_eq!(others.count(), 0, "{renamed:?} before the reference moved");
                    }
                    renamed.push(to);
                }
                _ => {}
            }
        }
        assert_eq!(renamed, Vec::<String>::new(), "a name that is not durable");
        // Neither is needed by the branch: git's log of it, our lock, the log of the discussion.
        let ours = |path: &str| path.ends_with("/roundtable/lock") || path.ends_with(".jsonl");
        unflushed.retain(|path| !path.contains("/logs/") && !ours(path));
        assert_eq!(unflushed, Vec::<String>::new());
        let flushes = calls.iter().filter(|call| call[0] == "sync").count();
        // Two of them are libgit2's, of the branch's log and its folder.
        assert!(flushes <= 9, "{flushes} flushes: {calls:?}");
    }
}

#[test]
fn without_flushes_where_git_is_told_so() {
    let sandbox = sandbox();
    sandbox.git.config().unwrap().set_str("core.fsync", "none").unwrap();
    let (done, calls) = run(&sandbox, 0, "", false);
    done.ok();
    assert!(calls.iter().all(|call| call[0] != "sync"), "{calls:?}");
}

#[test]
fn a_reference_is_flushed_whatever_the_settings_say_of_objects() {
    let sandbox = sandbox();
    sandbox.git.config().unwrap().set_bool("core.fsyncObjectFiles", false).unwrap();
    let (done, calls) = run(&sandbox, 0, "", false);
    done.ok();
    let lock = format!("refs/heads/{BRANCH}.lock");
    let place = |what: &[&str]| {
        calls.iter().position(|call| what.contains(&call[0].as_str()) && call[1].ends_with(&lock)).unwrap()
    };
    assert!(place(&["sync"]) < place(&["rename", "link"]), "{calls:?}");
}

#[test]
fn a_lock_of_somebody_else_is_not_removed() {
    let sandbox = setting(true);
    let lock = sandbox.root().join(format!(".git/refs/heads/{BRANCH}.lock"));
    std::fs::write(&lock, "").unwrap();
    let tip = sandbox.tip(BRANCH);
    let run = sandbox.elaborate(TALK, &["--at", AT]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("is locked by") && run.stderr.contains("delete that file"), "{}", run.stderr);
    assert!(lock.exists());
    assert_eq!(sandbox.tip(BRANCH), tip);
}

#[test]
fn twenty_four_at_once_all_land() {
    let sandbox = sandbox();
    let mut children = Vec::new();
    for number in 0..24 {
        let script =
            sandbox.script(&format!("{number}.txt"), format!("We decided on number {number}.\ndone\n"));
        let args =
            ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT, "--json"];
        let mut command = sandbox.command(&args);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        children.push(command.spawn().unwrap());
    }
    let mut landed = 0;
    for child in children {
        let run = Run::of(child.wait_with_output().unwrap());
        assert!(run.code == 0 || run.code == 2, "{}", run.stderr);
        landed += usize::from(run.code == 0);
    }
    assert_eq!(landed, 24);
    for number in 0..24 {
        assert_eq!(sandbox.spec().matches(&format!("- We decided on number {number} (")).count(), 1);
    }
    assert_eq!(sandbox.meta()["elaborations"].as_array().unwrap().len(), 24);
    assert_eq!(sandbox.recordings().len(), 24);
    sandbox.assert_sound();
}

#[test]
fn eight_copies_of_one_run_are_one_commit() {
    let sandbox = sandbox();
    let base = sandbox.tip("main").unwrap();
    let script = sandbox.script("script.txt", TALK);
    let spawn = |_| {
        let args = ["elaborate", ITEM, "--step", "01-03", "--script", &script, "--at", AT, "--json"];
        sandbox.command(&args).stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(spawn).collect();
    let runs: Vec<serde_json::Value> =
        children.into_iter().map(|child| Run::of(child.wait_with_output().unwrap()).json()).collect();
    assert!(runs.iter().all(|run| run["commit"] == runs[0]["commit"]));
    assert_eq!(runs.iter().filter(|run| run["already_recorded"] == false).count(), 1);
    assert_eq!(sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().parent_id(0).unwrap(), base);
}

#[test]
fn somebody_elses_commit_is_built_upon() {
    let sandbox = setting(true);
    let before = sandbox.tip(BRANCH).unwrap();
    let other = sandbox.git.find_commit(before).unwrap();
    let who = other.author();
    let text = sandbox.spec().replace("## 4. Technical", "Somebody else wrote this.\n\n## 4. Technical");
    let blob = sandbox.git.blob(text.as_bytes()).unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    update.upsert(format!("{ITEM}/requirements-spec.md"), blob, git2::FileMode::Blob);
    let tree = update.create_updated(&sandbox.git, &other.tree().unwrap()).unwrap();
    let tree = sandbox.git.find_tree(tree).unwrap();
    sandbox.git.commit(Some(&format!("refs/heads/{BRANCH}")), &who, &who, "other", &tree, &[&other]).unwrap();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    assert!(sandbox.spec().contains("Somebody else wrote this."));
    assert_eq!(sandbox.meta()["elaborations"].as_array().unwrap().len(), 2);
}

/// The log of the branch, as git reads it: where it stood, where it stands, why.
fn logged(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let entries = git(&sandbox.root(), &["reflog", "show", "--format=%H %gn %gs", name, "--"]);
    entries.lines().map(str::to_owned).collect()
}

#[test]
fn the_branch_has_a_log_as_git_keeps_it() {
    for flushes in ["all", "none"] {
        let sandbox = sandbox();
        sandbox.git.config().unwrap().set_str("core.fsync", flushes).unwrap();
        sandbox.elaborate(TALK, &[]).ok();
        let first = sandbox.tip(BRANCH).unwrap();
        sandbox.elaborate("Jordan, what is missing?\ndone\n", &["--at", "2026-01-16T09:00:00Z"]).ok();
        let second = sandbox.tip(BRANCH).unwrap();
        let log = logged(&sandbox, BRANCH);
        assert_eq!(log.len(), 2, "{flushes}: {log:?}");
        for (entry, id) in log.iter().zip([second, first]) {
            let subject = sandbox.git.find_commit(id).unwrap().summary().unwrap().unwrap().to_owned();
            assert!(entry.starts_with(&id.to_string()), "{entry}");
            assert!(entry.ends_with(&format!("commit: {subject}")), "{entry}");
        }
        let path = sandbox.root().join(".git/logs/refs/heads").join(BRANCH);
        let text = std::fs::read_to_string(path).unwrap();
        let olds: Vec<String> = text.lines().map(|line| line[..40].to_owned()).collect();
        assert_eq!(olds, [git2::Oid::ZERO_SHA1.to_string(), first.to_string()]);
        sandbox.assert_sound();
    }
}

#[test]
fn no_log_is_begun_where_git_begins_none() {
    let sandbox = sandbox();
    sandbox.git.config().unwrap().set_str("core.logAllRefUpdates", "off").unwrap();
    sandbox.elaborate(TALK, &[]).ok();
    let path = sandbox.root().join(".git/logs/refs/heads").join(BRANCH);
    assert!(!path.exists());
}

#[test]
fn where_a_bare_repository_s_head_names_the_branch_its_log_goes_on_too() {
    let sandbox = sandbox();
    let script = sandbox.script("script.txt", TALK);
    for (setting, begun) in [(None, false), (Some("always"), true)] {
        let bare = sandbox.outside(setting.unwrap_or("unset"));
        let there = git2::build::RepoBuilder::new()
            .bare(true)
            .clone(sandbox.root().to_str().unwrap(), &bare)
            .unwrap();
        let base = there.head().unwrap().target().unwrap().to_string();
        there.set_head(&format!("refs/heads/{BRANCH}")).unwrap();
        if let Some(setting) = setting {
            there.config().unwrap().set_str("core.logAllRefUpdates", setting).unwrap();
        }
        let repo = bare.to_str().unwrap();
        let args = [
            "elaborate",
            "offline-mode",
            "--step",
            "01-03",
            "--script",
            &script,
            "--at",
            AT,
            "--base",
            &base,
        ];
        sandbox.run(&[&args[..], &["--repo", repo]].concat()).ok();
        for log in ["logs/HEAD".to_owned(), format!("logs/refs/heads/{BRANCH}")] {
            let entries = std::fs::read_to_string(bare.join(&log)).unwrap_or_default();
            assert_eq!(entries.contains("commit: "), begun, "{setting:?} {log}: {entries}");
        }
    }
}

#[test]
fn a_log_that_cannot_be_written_is_no_reason_to_fail() {
    // A file where the log needs a folder, and a folder where it needs a file: left of other branches.
    for in_the_way in ["roundtable", "roundtable/offline-mode/before"] {
        for flushes in ["all", "none"] {
            let sandbox = sandbox();
            sandbox.git.config().unwrap().set_str("core.fsync", flushes).unwrap();
            let file = sandbox.root().join(".git/logs/refs/heads").join(in_the_way);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "").unwrap();
            sandbox.elaborate(TALK, &[]).ok();
            let first = sandbox.tip(BRANCH).unwrap();
            sandbox.elaborate("Jordan, what is missing?\ndone\n", &["--at", "2026-01-16T09:00:00Z"]).ok();
            let second = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
            assert_eq!(second.parent_id(0).unwrap(), first, "{in_the_way}, {flushes}");
            assert_eq!(std::fs::read(&file).unwrap(), b"");
            assert!(leftovers(&sandbox).is_empty(), "{in_the_way}, {flushes}: {:?}", leftovers(&sandbox));
            sandbox.assert_sound();
        }
    }
}

#[test]
fn a_document_that_may_not_be_read_is_named_and_the_index_is_not_blamed() {
    let sandbox = sandbox();
    let document = format!("{ITEM}/requirements-spec.md");
    let new = format!("{ITEM}/new.md");
    for path in [&document, &new] {
        // Its content may be another one now: then it has to be read.
        std::fs::write(sandbox.root().join(path), "# Requirements\n\nOther words.\n").unwrap();
        let mut command = sandbox.command(&["check", "--worktree"]);
        command.env("LD_PRELOAD", shim()).env("FAULT_DENIED", path);
        let run = Run::of(command.output().unwrap());
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(&format!("{path} cannot be read")), "{}", run.stderr);
        assert!(!run.stderr.contains("index") && !run.stderr.contains("git reset"), "{}", run.stderr);
    }
}
