//! A discussion on an issue that stays open between runs (`github: { live: true }`): one comment a run,
//! one recording that grows, and the end of it all in one commit.

use serde_json::{Value, json};

use crate::forge::{EARLY, Fault, Forge, SET, comment, forge, fresh, git};
use crate::kit::{Sandbox, sandbox};

const BRANCH: &str = "roundtable/late-fees-for-library-books";
const ITEM: &str = "docs/requirements/late-fees-for-library-books";
const RECORDING: &str =
    "docs/requirements/late-fees-for-library-books/elaborations/01-03-20261120T100000000Z.jsonl";

/// A repository whose discussions stay open, and an issue that says nothing but its title and body.
fn both() -> (Sandbox, Forge) {
    with("github:\n  live: true\n")
}

fn with(settings: &str) -> (Sandbox, Forge) {
    let sandbox = sandbox();
    sandbox.commit(&[(".roundtable.yaml", settings)]);
    let forge = forge(&sandbox);
    forge.set(|state| state.comments.clear());
    (sandbox, forge)
}

fn say(forge: &Forge, id: u64, body: &str, at: &str) {
    forge.set(|state| state.comments.push(comment(id, "sam", body, at)));
}

/// The label is set again at a time; the event of it.
fn label_again(forge: &Forge, at: &str) -> Value {
    forge.set(|state| {
        state.labels.push("roundtable:01-03".to_owned());
        state
            .events
            .push(json!({"event": "labeled", "label": {"name": "roundtable:01-03"}, "created_at": at,
                                 "actor": {"login": "sam", "id": 1, "type": "User"}}));
    });
    forge.labeled("roundtable:01-03")
}

fn run(forge: &Forge, sandbox: &Sandbox, event: &Value, args: &[&str]) -> crate::kit::Run {
    forge.run(sandbox, "issues", event, &[&["run"], args].concat())
}

/// The event of a new comment on the issue, whose labels are those it has by now.
fn commented(forge: &Forge, login: &str, body: &str, at: &str) -> Value {
    let state = forge.state();
    let mut issue = state.issue.clone();
    issue["labels"] = state.labels.iter().map(|name| json!({"name": name})).collect();
    json!({
        "action": "created", "issue": issue,
        "comment": {"body": body, "created_at": at, "user": {"login": login, "id": 1, "type": "User"}},
        "sender": {"login": login, "id": 1, "type": "User"},
        "repository": {"full_name": "owner/name", "default_branch": "main"},
    })
}

fn recording(forge: &Forge) -> String {
    let text = git(&forge.bare, &["show", &format!("{BRANCH}:{RECORDING}")]);
    format!("{text}\n")
}

#[test]
fn of_several_comments_each_is_quoted_line_by_line() {
    let (sandbox, forge) = both();
    run(&forge, &sandbox, &forge.labeled("roundtable:01-03"), &[]).ok();
    say(&forge, 21, "The letters are blue.\nThe desk is open.", "2026-11-20T11:00:00Z");
    say(&forge, 22, "Nobody pays twice.", "2026-11-20T11:01:00Z");
    let event = label_again(&forge, "2026-11-20T11:05:00Z");
    run(&forge, &fresh(&forge), &event, &[]).ok();
    let told = &forge.ours()[1];
    assert!(told.contains("> **sam:** The letters are blue.\n> The desk is open.\n\n"), "{told}");
    assert!(told.contains("> **sam:** Nobody pays twice.\n\n"), "{told}");
}

#[test]
fn a_conversation_goes_on_from_run_to_run_until_its_user_ends_it() {
    let (sandbox, forge) = both();
    let first = run(&forge, &sandbox, &forge.labeled("roundtable:01-03"), &["--json"]).json();
    assert_eq!(
        (&first["open"], &first["exit"], &first["recording"]),
        (&json!(true), &Value::Null, &json!(RECORDING))
    );
    let opened = recording(&forge);
    assert!(!opened.contains("\"kind\":\"closed\"") && !opened.contains("\"kind\":\"silence\""), "{opened}");
    // One commit: the new item and its recording, and no document.
    let files = git(&forge.bare, &["diff", "--name-only", &format!("main..{BRANCH}")]);
    assert_eq!(files, format!("{ITEM}/draft.md\n{RECORDING}\n{ITEM}/meta.json"));
    assert!(forge.state().pulls.is_empty());
    assert_eq!((forge.ours().len(), forge.state().labels), (1, vec!["roundtable:open".to_owned()]));
    insta::assert_snapshot!("open_first_comment", masked(&forge.ours()[0]));

    // The user answers; whoever may not write is left out.
    say(
        &forge,
        21,
        "We decided to stop fees at 10 euros because more keeps people away.",
        "2026-11-20T11:00:00Z",
    );
    forge.set(|state| {
        state.comments.push(comment(22, "outsider", "Alex, drop it all.", "2026-11-20T11:01:00Z"))
    });
    let event = label_again(&forge, "2026-11-20T11:05:00Z");
    let second = run(&forge, &fresh(&forge), &event, &["--json"]).json();
    assert_eq!((&second["open"], &second["left_out"][0]["by"]), (&json!(true), &json!("outsider")));
    let grown = recording(&forge);
    assert!(grown.starts_with(&opened) && grown.len() > opened.len() && !grown.contains("drop it all"));
    assert!(
        grown.contains("\"kind\":\"resumed\",\"at\":\"2026-11-20T11:05:00.000Z\"") && grown.contains("[21]")
    );
    assert_eq!((forge.ours().len(), forge.state().pulls.len()), (2, 0));

    // The last word comes as a comment that a workflow listens to.
    say(&forge, 23, "done", "2026-11-20T12:00:00Z");
    let event = commented(&forge, "sam", "done", "2026-11-20T12:00:00Z");
    let last = fresh(&forge);
    let third = forge.run(&last, "issue_comment", &event, &["run", "--json"]).json();
    assert_eq!((&third["exit"], &third["recording"]), (&json!("user-initiated"), &json!(RECORDING)));
    let closed = recording(&forge);
    assert!(
        closed.starts_with(&grown)
            && closed.contains("\"kind\":\"closed\",\"at\":\"2026-11-20T12:00:00.000Z\"")
    );
    let state = forge.state();
    assert_eq!(
        (forge.ours().len(), state.pulls.len(), state.labels),
        (3, 1, vec!["roundtable:open".to_owned()]),
        "the questions of the step wait for answers"
    );
    insta::assert_snapshot!("open_last_comment", masked(&forge.ours()[2]));

    // What came of it is as good as any other discussion's.
    let commit = third["commit"].as_str().unwrap();
    let meta: Value = serde_json::from_str(&last.file(BRANCH, &format!("{ITEM}/meta.json"))).unwrap();
    assert_eq!(meta["elaborations"][0]["timestamp"], "2026-11-20T10:00:00.000Z");
    let replayed = last.run(&["replay", &format!("{BRANCH}:{RECORDING}"), "--json"]).json();
    assert_eq!(
        (&replayed["reproduced"], &replayed["recordings"][0]["commit"]),
        (&json!(true), &json!(commit))
    );
    last.run(&["check", "--base", "main", "--head", BRANCH, "--each"]).ok();
    last.run(&["replay", "--all", "--rev", BRANCH]).ok();
    let spec = last.file(BRANCH, &format!("{ITEM}/draft.md"));
    let line = 1 + spec.lines().position(|line| line.contains("10 euros")).unwrap();
    let why = last.run(&["why", &format!("{ITEM}/draft.md:{line}"), "--rev", BRANCH]).ok();
    assert!(why.stdout.contains("We decided to stop fees"), "{}", why.stdout);
}

/// A comment without what differs from run to run.
fn masked(text: &str) -> String {
    let mut out = text.to_owned();
    for (before, length) in [("run=", 32), ("blob/", 40), ("http://127.0.0.1:", 5)] {
        let parts: Vec<&str> = out.split(before).collect();
        let rest = parts[1..].iter().map(|part| format!("{before}…{}", &part[length..]));
        out = parts[0].to_owned() + &rest.collect::<String>();
    }
    out
}

#[test]
fn the_same_event_again_writes_nothing() {
    let (sandbox, forge) = both();
    let event = forge.labeled("roundtable:01-03");
    run(&forge, &sandbox, &event, &[]).ok();
    say(&forge, 21, "done", "2026-11-20T11:00:00Z");
    let (tip, writes) = (forge.tip(BRANCH), forge.writes().len());
    let again = run(&forge, &fresh(&forge), &event, &["--json"]).json();
    assert_eq!(again["already_recorded"], true);
    assert_eq!((forge.tip(BRANCH), forge.writes().len()), (tip, writes));
    // The run that ends it, too: it opens no other discussion.
    let event = label_again(&forge, "2026-11-20T11:05:00Z");
    run(&forge, &sandbox, &event, &[]).ok();
    let (tip, writes) = (forge.tip(BRANCH), forge.writes().len());
    let again = run(&forge, &fresh(&forge), &event, &["--json"]).json();
    assert_eq!(again["already_recorded"], true);
    assert_eq!((forge.tip(BRANCH), forge.writes().len()), (tip, writes));
}

#[test]
fn a_comment_that_was_lost_is_written_by_the_same_event_again() {
    let (sandbox, forge) = both();
    let event = forge.labeled("roundtable:01-03");
    let refused =
        Fault::Status(403, Vec::new(), json!({"message": "Resource not accessible by integration"}));
    forge.set(|state| {
        state.faults.push(("POST".into(), "/api/v3/repos/owner/name/issues/7/comments".into(), refused));
    });
    let first = run(&forge, &sandbox, &event, &[]).ok();
    assert!(first.stderr.contains("the issue has no comment") && forge.ours().is_empty(), "{}", first.stderr);
    let tip = forge.tip(BRANCH);
    run(&forge, &fresh(&forge), &event, &[]).ok();
    assert_eq!((forge.ours().len(), forge.tip(BRANCH)), (1, tip));
}

#[test]
fn asked_to_go_on_with_nothing_new_is_silence_and_the_fourth_ends_it() {
    let (sandbox, forge) = both();
    run(&forge, &sandbox, &forge.labeled("roundtable:01-03"), &[]).ok();
    for (hour, open) in [(11, true), (12, true), (13, true), (14, false)] {
        let event = label_again(&forge, &format!("2026-11-20T{hour}:00:00Z"));
        let report = run(&forge, &fresh(&forge), &event, &["--json"]).json();
        assert_eq!(report["open"] == true, open, "{hour}: {report}");
        if !open {
            assert_eq!(report["exit"], "inactivity");
        }
    }
    assert_eq!(recording(&forge).matches("\"kind\":\"silence\"").count(), 4);
    assert_eq!((forge.ours().len(), forge.state().pulls.len()), (5, 1));
}

#[test]
fn the_turn_limit_counts_over_all_runs() {
    let (sandbox, forge) = with("max_turns: 8\ngithub:\n  live: true\n");
    run(&forge, &sandbox, &forge.labeled("roundtable:01-03"), &[]).ok();
    let mut exit = Value::Null;
    for hour in 11..20 {
        say(&forge, hour, &format!("Alex, what breaks at {hour}?"), &format!("2026-11-20T{hour}:00:00Z"));
        let event = label_again(&forge, &format!("2026-11-20T{hour}:05:00Z"));
        let report = run(&forge, &sandbox, &event, &["--json"]).json();
        assert!(report["turn_count"].as_u64().unwrap() <= 8, "{report}");
        if report["open"] != true {
            exit = report["exit"].clone();
            break;
        }
    }
    assert_eq!(exit, "turn-limit");
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
}

#[test]
fn a_comment_that_is_edited_before_its_run_is_heard_as_it_was_and_that_is_said() {
    let (sandbox, forge) = both();
    let event = forge.labeled("roundtable:01-03");
    run(&forge, &sandbox, &event, &[]).ok();
    say(&forge, 31, "Maya, is 10 euros right?", "2026-11-20T11:00:00Z");
    let event = commented(&forge, "sam", "Maya, is 10 euros right?", "2026-11-20T11:00:00Z");
    forge.edit(31, "sam", "Maya, is 20 euros right?", "2026-11-20T11:00:30Z");
    forge.run(&fresh(&forge), "issue_comment", &event, &["run"]).ok();
    let log = recording(&forge);
    assert!(log.contains("is 10 euros right?") && !log.contains("is 20 euros"), "{log}");
    assert!(forge.ours().last().unwrap().contains("A comment by sam was edited"), "{:?}", forge.ours());
}

#[test]
fn a_comment_begins_nothing_and_nobody_else_goes_on() {
    let (sandbox, forge) = both();
    // No discussion is open: no request is sent.
    let event = commented(&forge, "sam", "hello", "2026-11-20T09:00:00Z");
    forge.run(&sandbox, "issue_comment", &event, &["run"]).ok();
    assert_eq!(forge.api_requests(), 0);
    run(&forge, &sandbox, &forge.labeled("roundtable:01-03"), &[]).ok();
    let (tip, ours) = (forge.tip(BRANCH), forge.ours().len());
    // A stranger's comment, an app's, one of our own.
    let own = forge.ours()[0].clone();
    forge.set(|state| {
        state.comments.push(comment(31, "outsider", "done", "2026-11-20T11:00:00Z"));
        state.comments.push(comment(32, "helper[bot]", "done", "2026-11-20T11:00:00Z"));
    });
    for (login, body) in [("outsider", "done"), ("sam", own.as_str())] {
        let event = commented(&forge, login, body, "2026-11-20T11:00:00Z");
        forge.run(&sandbox, "issue_comment", &event, &["run"]).ok();
    }
    let mut event = commented(&forge, "helper[bot]", "done", "2026-11-20T11:00:00Z");
    event["sender"]["type"] = json!("Bot");
    forge.run(&sandbox, "issue_comment", &event, &["run"]).ok();
    // Somebody with the right to write, and nothing that is not heard yet: a run for each of many
    // comments, of which the first has heard them all.
    let event = commented(&forge, "sam", "x", "2026-11-20T11:00:00Z");
    let run = forge.run(&sandbox, "issue_comment", &event, &["run"]).ok();
    assert!(run.stdout.contains("Nothing to do"), "{}", run.stdout);
    assert_eq!((forge.tip(BRANCH), forge.ours().len()), (tip, ours));
    assert!(!recording(&forge).contains("\"kind\":\"silence\""));
}

#[test]
fn two_jobs_go_on_with_a_conversation() {
    let (sandbox, forge) = both();
    let folder = sandbox.outside("handed");
    let folder = folder.to_str().unwrap();
    let both_jobs = |event: &Value| {
        let (first, writes) = (fresh(&forge), forge.writes().len());
        let report = run(&forge, &first, event, &["--out", folder, "--json"]).json();
        assert_eq!(forge.writes().len(), writes, "the first job writes nothing");
        let digest = report["digest"].as_str().unwrap().to_owned();
        run(&forge, &fresh(&forge), event, &["--recording", folder, "--digest", &digest, "--json"]).json()
    };
    let report = both_jobs(&forge.labeled("roundtable:01-03"));
    assert_eq!((&report["open"], forge.ours().len()), (&json!(true), 1));
    say(&forge, 21, "Alex, who computes the fee?", "2026-11-20T11:00:00Z");
    let report = both_jobs(&label_again(&forge, "2026-11-20T11:05:00Z"));
    assert_eq!((&report["open"], forge.ours().len()), (&json!(true), 2));
    // A recording that leaves out what was said before, or says it otherwise, is another one.
    say(&forge, 22, "done", "2026-11-20T12:00:00Z");
    let event = label_again(&forge, "2026-11-20T12:05:00Z");
    run(&forge, &fresh(&forge), &event, &["--out", folder]).ok();
    let path = sandbox.outside("handed/recording.jsonl");
    let whole = std::fs::read_to_string(&path).unwrap();
    let tip = forge.tip(BRANCH);
    for forged in [
        whole.replace("who computes", "who forgives"),
        whole.replace("[22]", "[22,23]"),
        whole.replace("[21]", "[]"),
    ] {
        assert_ne!(forged, whole);
        std::fs::write(&path, &forged).unwrap();
        let digest = roundtable::item::library::sha256(forged.as_bytes());
        let refused = run(&forge, &fresh(&forge), &event, &["--recording", folder, "--digest", &digest]);
        assert!(refused.code == 2 && forge.tip(BRANCH) == tip, "{}", refused.stderr);
    }
    let report = both_jobs(&event);
    assert_eq!((&report["open"], forge.state().pulls.len()), (&Value::Null, 1));
    assert_eq!(recording(&forge), whole);
}

#[test]
fn a_colleagues_commits_come_between_two_runs_and_stay() {
    let (sandbox, forge) = both();
    run(&forge, &sandbox, &forge.labeled("roundtable:01-03"), &[]).ok();
    let other = fresh(&forge);
    git(&other.root(), &["checkout", "-q", "-b", "work", &format!("refs/remotes/origin/{BRANCH}")]);
    other.commit(&[(
        &format!("{ITEM}/requirements-spec.md"),
        "# Requirements\n\n## 3. User Journeys\n\nThey pay.\n",
    )]);
    git(&other.root(), &["push", "-q", forge.bare.to_str().unwrap(), &format!("HEAD:refs/heads/{BRANCH}")]);
    say(
        &forge,
        21,
        "We decided to stop fees at 10 euros because more keeps people away.",
        "2026-11-20T11:00:00Z",
    );
    say(&forge, 22, "done", "2026-11-20T11:01:00Z");
    let event = label_again(&forge, "2026-11-20T11:05:00Z");
    let last = fresh(&forge);
    let report = run(&forge, &last, &event, &["--json"]).json();
    let spec = last.file(BRANCH, &format!("{ITEM}/requirements-spec.md"));
    assert!(spec.contains("They pay.") && spec.contains("10 euros"), "{spec}");
    let replayed = last.run(&["replay", &format!("{BRANCH}:{RECORDING}"), "--json"]).json();
    assert_eq!(
        (&replayed["reproduced"], &replayed["recordings"][0]["commit"]),
        (&json!(true), &report["commit"])
    );
}

#[test]
fn a_recording_that_another_run_has_overtaken_is_refused_and_nothing_is_lost() {
    let (sandbox, forge) = both();
    run(&forge, &sandbox, &forge.labeled("roundtable:01-03"), &[]).ok();
    say(&forge, 21, "Alex, who computes the fee?", "2026-11-20T11:00:00Z");
    let event = label_again(&forge, "2026-11-20T11:05:00Z");
    let folder = sandbox.outside("handed");
    let folder = folder.to_str().unwrap();
    let first = run(&forge, &fresh(&forge), &event, &["--out", folder, "--json"]).json();
    // Before the second job begins, a comment was answered.
    say(&forge, 22, "Jordan, and who sees it?", "2026-11-20T11:06:00Z");
    let other = commented(&forge, "sam", "Jordan, and who sees it?", "2026-11-20T11:06:00Z");
    forge.run(&fresh(&forge), "issue_comment", &other, &["run"]).ok();
    let stood = recording(&forge);
    let digest = first["digest"].as_str().unwrap();
    let refused = run(&forge, &fresh(&forge), &event, &["--recording", folder, "--digest", digest]);
    assert!(refused.code == 2 && refused.stderr.contains("nothing was done"), "{}", refused.stderr);
    assert_eq!(recording(&forge), stood);
}

#[test]
fn an_open_recording_replays_and_every_change_of_it_is_found() {
    let (sandbox, forge) = both();
    run(&forge, &sandbox, &forge.labeled("roundtable:01-03"), &[]).ok();
    say(&forge, 21, "Alex, who computes the fee?", "2026-11-20T11:00:00Z");
    run(&forge, &sandbox, &label_again(&forge, "2026-11-20T11:05:00Z"), &[]).ok();
    let spec = format!("{BRANCH}:{RECORDING}");
    let shown = sandbox.run(&["replay", &spec]).ok();
    assert!(shown.stdout.contains("open: it waits for its user"), "{}", shown.stdout);
    let all = sandbox.run(&["replay", "--all", "--rev", BRANCH, "--json"]).json();
    assert_eq!((&all["recordings"][0]["open"], &all["documents"]), (&json!(true), &json!([])));
    sandbox.run(&["show", &spec]).ok();
    sandbox.run(&["status"]).ok();
    let status = sandbox.run(&["status", "late-fees-for-library-books"]).ok();
    assert!(
        status.stdout.contains("Open: the discussion of step 01-03 waits for its user, 5 turns so far"),
        "{}",
        status.stdout
    );
    let refused = sandbox.run(&["replay", &spec, "--onto", "main", "--branch", "elsewhere"]);
    assert!(refused.code == 2 && refused.stderr.contains("waits for its user"), "{}", refused.stderr);
    let text = recording(&forge);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let path = sandbox.outside("changed.jsonl");
    let code = |text: &str| {
        std::fs::write(&path, text).unwrap();
        sandbox.run(&["replay", path.to_str().unwrap()]).code
    };
    assert_eq!(code(&text), 0);
    for at in 0..lines.len() {
        let without: String =
            lines.iter().enumerate().filter(|(line, _)| *line != at).map(|(_, line)| *line).collect();
        assert_ne!(code(&without), 0, "line {} is missed", at + 1);
    }
    for at in (0..text.len()).step_by(97) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_ne!(sandbox.run(&["replay", path.to_str().unwrap()]).code, 0, "byte {at}");
    }
    assert_eq!(forge.state().events[0]["created_at"], SET);
}

#[test]
fn an_analysis_leaves_the_conversations_comments_alone() {
    let (sandbox, forge) = both();
    run(&forge, &sandbox, &forge.labeled("roundtable:01-03"), &[]).ok();
    let first = forge.ours()[0].clone();
    forge.set(|state| {
        state.events.push(json!({"event": "labeled", "label": {"name": "roundtable:analyze"},
            "created_at": "2026-11-20T11:00:00Z", "actor": {"login": "sam", "id": 1, "type": "User"}}));
    });
    run(&forge, &sandbox, &forge.labeled("roundtable:analyze"), &[]).ok();
    assert_eq!(forge.ours()[0], first);
    assert_eq!(forge.ours().len(), 2);
    assert!(EARLY < SET);
}
