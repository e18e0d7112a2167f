//! A run that was cut off leaves its log; `--resume` goes on from it to the very same commit.

use std::path::PathBuf;

use crate::kit::{AT, BRANCH, ITEM, Sandbox, sandbox};

const TALK: &str =
    "Alex, what breaks first?\n\nWe decided to keep both answers.\neveryone, last thoughts?\ndone\n";

/// What a whole run comes to: the commit, its run, and its events as lines.
fn whole() -> (String, String, Vec<String>) {
    let sandbox = sandbox();
    let report = sandbox.elaborate(TALK, &["--at", AT, "--json"]).json();
    let text = sandbox.file(BRANCH, &sandbox.recordings()[0]);
    let lines = text.lines().map(str::to_owned).collect();
    (report["commit"].as_str().unwrap().to_owned(), report["run"].as_str().unwrap().to_owned(), lines)
}

fn pending(sandbox: &Sandbox, run: &str) -> PathBuf {
    sandbox.root().join(".git/roundtable").join(format!("{run}.jsonl"))
}

/// A sandbox in which a run was cut off with this in its log.
fn cut_off(run: &str, log: &str) -> Sandbox {
    let sandbox = sandbox();
    std::fs::create_dir_all(sandbox.root().join(".git/roundtable")).unwrap();
    std::fs::write(pending(&sandbox, run), log).unwrap();
    sandbox
}

#[test]
fn cut_off_behind_any_event_it_ends_in_the_same_commit() {
    let (commit, run, lines) = whole();
    for kept in 1..=lines.len() {
        let log = lines[..kept].join("\n") + "\n";
        // The next line half written, too.
        for torn in ["", lines.get(kept).map_or("", |line| &line[..line.len() / 2])] {
            let sandbox = cut_off(&run, &format!("{log}{torn}"));
            let report = sandbox.elaborate(TALK, &["--at", AT, "--resume", "--json"]).json();
            assert_eq!(report["commit"], commit, "behind event {kept}");
            assert!(!pending(&sandbox, &run).exists());
        }
    }
}

#[test]
fn the_turn_bound_counts_on() {
    let sandbox = sandbox();
    let report = sandbox.elaborate(TALK, &["--at", AT, "--max-turns", "6", "--json"]).json();
    let text = sandbox.file(BRANCH, &sandbox.recordings()[0]);
    let log: String = text.split_inclusive('\n').take(6).collect();
    let again = cut_off(report["run"].as_str().unwrap(), &log);
    let resumed = again.elaborate(TALK, &["--at", AT, "--max-turns", "6", "--resume", "--json"]).json();
    assert_eq!((&resumed["turn_count"], &resumed["commit"]), (&report["turn_count"], &report["commit"]));
    assert_eq!(resumed["exit"], "turn-limit");
}

#[test]
fn without_a_fixed_clock_the_last_one_of_item_step_and_branch_goes_on() {
    let (_, run, lines) = whole();
    let sandbox = cut_off(&run, &(lines[..5].join("\n") + "\n"));
    // Somebody has moved the branch meanwhile.
    sandbox.elaborate("done\n", &["--at", "2026-02-19T14:30:00Z"]).ok();
    let report = sandbox.elaborate(TALK, &["--resume", "--json"]).json();
    assert_eq!(report["run"], run);
    assert_eq!(sandbox.recordings().len(), 2);
    assert_eq!(sandbox.run(&["replay", "--all", "--rev", BRANCH]).code, 0);
}

#[test]
fn nothing_to_go_on_from_is_refused() {
    let (_, run, lines) = whole();
    // A log whose first line is half written is no discussion.
    for sandbox in [sandbox(), cut_off(&run, &lines[0][..20])] {
        let refused = sandbox.elaborate(TALK, &["--at", AT, "--resume", "-q"]);
        assert_eq!(refused.code, 2, "{}", refused.stdout);
        assert!(refused.stderr.contains("nothing was cut off here"), "{}", refused.stderr);
        assert_eq!(sandbox.tip(BRANCH), None);
    }
}

#[cfg(unix)]
#[test]
fn a_run_in_which_nobody_spoke_leaves_no_log_and_hides_none() {
    let sandbox = sandbox();
    let program = sandbox.script("voice.sh", "#!/bin/sh\nexit 1\n");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let logs = || std::fs::read_dir(sandbox.root().join(".git/roundtable")).unwrap();
    let is_log = |name: &std::ffi::OsStr| name.to_string_lossy().ends_with(".jsonl");
    let voice = format!("command:{program}");
    let run = sandbox.elaborate(TALK, &["--at", AT, "--voice", &voice]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(!run.stderr.contains("--resume"), "{}", run.stderr);
    assert!(!logs().any(|file| is_log(&file.unwrap().file_name())));
    // Of two discussions that were cut off the one with this voice and this script goes on.
    let (commit, run, lines) = whole();
    let mine = lines[..5].join("\n") + "\n";
    let theirs = mine.replace("\"voice\":\"secretary\"", "\"voice\":\"gemini\"").replace(&run, "later");
    assert_ne!(mine.replace(&run, "later"), theirs);
    std::fs::write(pending(&sandbox, &run), &mine).unwrap();
    std::fs::write(pending(&sandbox, "later"), theirs).unwrap();
    let report = sandbox.elaborate(TALK, &["--at", AT, "--resume", "--json"]).json();
    assert_eq!(report["commit"], commit);
}

#[test]
fn what_does_not_go_on_as_it_was_begun_is_refused() {
    let (_, run, lines) = whole();
    let log = lines[..7].join("\n") + "\n";
    let refused = |script: &str, more: &[&str], why: &str| {
        let sandbox = cut_off(&run, &log);
        let refs = sandbox.refs();
        let found = sandbox.elaborate(script, &[&["--at", AT, "--resume"], more].concat());
        assert_eq!(found.code, 2, "{}", found.stdout);
        assert!(found.stderr.contains(why), "{}", found.stderr);
        assert_eq!(sandbox.refs(), refs);
        assert!(pending(&sandbox, &run).exists(), "the log is gone");
    };
    refused("Alex, what breaks last?\ndone\n", &[], "input 1 of the script");
    refused(TALK, &["--max-turns", "12"], "--max-turns 15");
    let changed = log.replace("Alex, what breaks first?", "Jordan, what breaks first?");
    let sandbox = cut_off(&run, &changed);
    let found = sandbox.elaborate(TALK, &["--at", AT, "--resume"]);
    assert_eq!(found.code, 2, "{}", found.stdout);
}

#[test]
fn status_lists_items_and_what_was_cut_off_and_drops_it() {
    let (_, run, lines) = whole();
    let sandbox = cut_off(&run, &(lines[..5].join("\n") + "\n"));
    sandbox.commit(&[(
        &format!("{ITEM}/meta.json"),
        "{\"steps_completed\": [\"00-01\"], \"elaborations\": \"invalid\"}\n",
    )]);
    let status = sandbox.run(&["status", "--json"]).json();
    let item = &status["items"][0];
    assert_eq!((item["path"].as_str(), item["slug"].as_str()), (Some(ITEM), Some("offline-mode")));
    assert_eq!(
        (item["analysis_status"].as_str(), item["phase"].as_str()),
        (Some("raw"), Some("00-quick-scan"))
    );
    assert_eq!((item["next_step"].as_str(), item["elaborations"].as_u64()), (Some("00-02"), Some(0)));
    assert_eq!(item["steps_completed"], serde_json::json!(["00-01"]));
    let left = &status["leftovers"][0];
    assert_eq!((left["run"].as_str(), left["turns"].as_u64()), (Some(run.as_str()), Some(4)));
    let told = sandbox.run(&["status", "offline-mode"]).ok();
    assert!(told.stdout.contains("next 00-02") && told.stdout.contains(&run), "{}", told.stdout);
    assert_eq!(sandbox.run(&["status", "--drop", "zzz"]).code, 2);
    assert!(sandbox.run(&["status", "oflin-mode"]).stderr.contains("did you mean \"offline-mode\""));
    sandbox.run(&["status", "--drop", &run[..6]]).ok();
    assert!(!pending(&sandbox, &run).exists());
    assert!(sandbox.run(&["status", "--json"]).json()["leftovers"].as_array().unwrap().is_empty());
}

#[test]
fn status_reads_an_item_on_its_branch_until_it_is_merged() {
    let sandbox = sandbox();
    sandbox.elaborate("done\n", &["--at", AT]).ok();
    sandbox.run(&["add", "new-thing", "--name", "New thing"]).ok();
    let status = sandbox.run(&["status", "--json"]).json();
    let counts: Vec<_> = status["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["slug"].as_str().unwrap(), item["elaborations"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts, [("new-thing", 0), ("offline-mode", 1)]);
    let done = "{\"phase_a_completed\": true}\n";
    let other = crate::kit::empty();
    other.commit(&[("docs/requirements/old/meta.json", done)]);
    let item = &other.run(&["status", "--json"]).json()["items"][0];
    assert!(item["phase"].is_null() && item["next_step"].is_null(), "{item}");
}
