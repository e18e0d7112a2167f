//! The same script, clock, base and version give the same commit; run again it is recorded.

use crate::kit::{AT, BRANCH, ITEM, Run, empty, program, sandbox};

const TALK: &str = "Alex, what breaks first?\n\nWe decided to keep both answers.\ndone\n";

#[test]
fn the_same_run_is_the_same_commit_on_another_machine() {
    // The author is an input too: here the repository says who it is; so is the user.
    let made = || {
        let sandbox = sandbox();
        sandbox.commit(&[(".roundtable.yaml", "author: {name: Team, email: team@example.org}\n")]);
        sandbox
    };
    let one = made().elaborate(TALK, &["--at", AT, "--user", "Sam", "--json"]).json();
    let sandbox = made();
    let script = sandbox.script("script.txt", TALK);
    let home = sandbox.outside("other-home");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join(".gitconfig"), "[user]\n\tname = Kim\n\temail = kim@example.org\n[core]\n\tautocrlf = true\n[commit]\n\tgpgsign = true\n").unwrap();
    std::fs::create_dir_all(sandbox.root().join("deep/er")).unwrap();
    let mut command = program(&sandbox.root().join("deep/er"), &home);
    command.args(["elaborate", ITEM, "--step", "01-03", "--script", &script, "--user", "Sam", "--json"]);
    command.env("SOURCE_DATE_EPOCH", "1771597800").env("TZ", "Asia/Tokyo").env("LANG", "de_DE.UTF-8");
    command.env("GIT_AUTHOR_NAME", "Kim").env("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z");
    let other = Run::of(command.output().unwrap()).json();
    assert_eq!(one["commit"], other["commit"]);
    assert_eq!(one["run"], other["run"]);
}

#[test]
fn with_a_fixed_clock_a_second_run_is_already_recorded() {
    let sandbox = sandbox();
    let first = sandbox.elaborate(TALK, &["--at", AT, "--json"]).json();
    let refs = sandbox.refs();
    let second = sandbox.elaborate(TALK, &["--at", AT, "--json"]).json();
    assert_eq!(second["already_recorded"], true);
    assert_eq!(first["already_recorded"], false);
    for key in ["commit", "run", "recording", "turn_count", "exit", "synthesis_summary"] {
        assert_eq!(first[key], second[key], "{key}");
    }
    assert_eq!(sandbox.refs(), refs);
    let told = sandbox.elaborate(TALK, &["--at", AT]).ok();
    assert!(told.stdout.contains("Already recorded"), "{}", told.stdout);
}

#[test]
fn with_another_clock_it_is_a_second_discussion() {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    sandbox.elaborate(TALK, &["--at", "2026-02-21T14:30:00Z"]).ok();
    sandbox.elaborate(TALK, &[]).ok();
    sandbox.elaborate(TALK, &[]).ok();
    assert_eq!(sandbox.meta()["elaborations"].as_array().unwrap().len(), 4);
    assert_eq!(sandbox.spec().matches("<!-- Elaboration: step 01-03, ").count(), 4);
    assert_eq!(sandbox.recordings().len(), 4);
    // The second stands after the first, not inside it.
    let headings: Vec<String> = sandbox
        .spec()
        .lines()
        .filter(|line| line.starts_with("### ") || line.starts_with("## "))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        headings.iter().filter(|line| line.starts_with("### Elaboration Insights")).count(),
        4,
        "{headings:?}"
    );
    sandbox.assert_sound();
}

#[test]
fn two_scripts_of_the_same_moment_are_two_recordings() {
    let sandbox = sandbox();
    sandbox.elaborate("done\n", &["--at", AT]).ok();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    let names = sandbox.recordings();
    assert_eq!(
        names,
        [
            format!("{ITEM}/elaborations/01-03-20260220T143000000Z-2.jsonl"),
            format!("{ITEM}/elaborations/01-03-20260220T143000000Z.jsonl"),
        ]
    );
}

#[test]
fn the_commit_says_what_it_is_and_only_adds() {
    let sandbox = sandbox();
    let base = sandbox.tip("main").unwrap();
    let report = sandbox.elaborate(TALK, &["--at", AT, "--json"]).json();
    let commit = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    assert_eq!(report["commit"], commit.id().to_string());
    assert_eq!(report["base"], base.to_string());
    assert_eq!(commit.parent_id(0).unwrap(), base);
    assert_eq!(commit.time().seconds(), 1_771_597_800);
    let message = commit.message().unwrap();
    for trailer in ["Item", "Step", "Turns", "Exit", "Recording", "Run"] {
        assert_eq!(message.matches(&format!("\nRoundtable-{trailer}: ")).count(), 1, "{message}");
    }
    assert!(!message.contains("keep both"), "{message}");
    let recording = sandbox.file(BRANCH, &sandbox.recordings()[0]);
    let digest = roundtable::item::library::sha256(recording.as_bytes());
    assert!(message.contains(&format!("\nRoundtable-Recording: {digest}\n")), "{message}");
    assert!(
        message.contains(&format!("\nRoundtable-Run: {}\n", report["run"].as_str().unwrap())),
        "{message}"
    );
    let diff = sandbox
        .git
        .diff_tree_to_tree(
            Some(&commit.parent(0).unwrap().tree().unwrap()),
            Some(&commit.tree().unwrap()),
            None,
        )
        .unwrap();
    // A comma and the element after it: the only old line that a diff shows as changed.
    assert_eq!(diff.stats().unwrap().deletions(), 1);
    assert_eq!(diff.deltas().len(), 3);
    sandbox.assert_sound();
    assert_eq!(report["artifacts"][0]["section"], "3. User Journeys");
    assert_eq!(report["artifacts"][0]["created"], false);
    assert_eq!(report["recording"], format!("{ITEM}/elaborations/01-03-20260220T143000000Z.jsonl"));
    assert_eq!(report["usage"]["requests"], 0);
}

#[test]
fn the_recording_is_the_log_the_record_and_the_marker_agree() {
    let sandbox = sandbox();
    let report = sandbox.elaborate(TALK, &["--at", AT, "--json"]).json();
    let events = sandbox.events();
    assert_eq!(events[0]["kind"], "opened");
    assert_eq!(events[0]["format"], 3);
    assert_eq!(events.last().unwrap()["kind"], "closed");
    let record = &sandbox.meta()["elaborations"][0];
    let keys: Vec<&String> = record.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["step_id", "turn_count", "personas_active", "timestamp", "synthesis_summary"]);
    assert_eq!(record["timestamp"], "2026-02-20T14:30:00.000Z");
    assert_eq!(record["turn_count"], report["turn_count"]);
    assert!(sandbox.spec().contains("<!-- Elaboration: step 01-03, 2026-02-20T14:30:00.000Z -->\n### Elaboration Insights (Step 01-03: User Experience & Journeys)\n"));
}

#[test]
fn a_bare_repository_and_standard_input_work() {
    let sandbox = sandbox();
    let bare = sandbox.outside("bare.git");
    git2::build::RepoBuilder::new().bare(true).clone(sandbox.root().to_str().unwrap(), &bare).unwrap();
    let mut command = program(&sandbox.outside(""), &sandbox.outside(""));
    command.args([
        "--repo",
        bare.to_str().unwrap(),
        "elaborate",
        "offline-mode",
        "--step",
        "01-03",
        "--script",
        "-",
        "--at",
        AT,
        "--json",
    ]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), TALK.as_bytes()).unwrap();
    let report = Run::of(child.wait_with_output().unwrap()).json();
    let repo = git2::Repository::open(&bare).unwrap();
    let commit = report["commit"].as_str().unwrap();
    assert_eq!(repo.refname_to_id("refs/heads/roundtable/offline-mode").unwrap().to_string(), commit);
    assert_eq!(sandbox.elaborate(TALK, &["--at", AT, "--json"]).json()["commit"], commit);
}

#[test]
fn branch_base_and_max_turns_are_honoured() {
    let sandbox = sandbox();
    let first = sandbox.tip("main").unwrap();
    sandbox.commit(&[("later.md", "later\n")]);
    let options = ["--branch", "topic/x", "--base", "HEAD~1", "--max-turns", "4", "--json"];
    let report = sandbox.elaborate(TALK, &options).json();
    assert_eq!(report["base"], first.to_string());
    assert_eq!((report["max_turns"].as_u64(), report["turn_count"].as_u64()), (Some(4), Some(4)));
    assert_eq!(report["exit"], "turn-limit");
    assert!(sandbox.tip("topic/x").is_some() && sandbox.tip(BRANCH).is_none());
}

#[test]
fn the_turn_limit_comes_from_the_item_then_the_settings() {
    let sandbox = sandbox();
    let meta = |turns: &str| format!("{{\"elaboration_config\": {{\"max_turns\": {turns}}}}}");
    for (turns, config, wanted) in [("7", "max_turns: 5\n", 7), ("2", "max_turns: 5\n", 5), ("\"7\"", "", 11)]
    {
        sandbox.commit(&[(&format!("{ITEM}/meta.json"), &meta(turns)), (".roundtable.yaml", config)]);
        let report = sandbox.elaborate(TALK, &["--dry-run", "--json"]).json();
        assert_eq!(report["max_turns"], wanted, "{turns} {config}");
    }
}

#[test]
fn a_dry_run_shows_the_diff_and_writes_nothing() {
    let sandbox = sandbox();
    let refs = sandbox.refs();
    let run = sandbox.elaborate(TALK, &["--dry-run", "--at", AT]).ok();
    assert!(run.stdout.contains("+### Elaboration Insights") && run.stdout.contains("Nothing was written"));
    let report = sandbox.elaborate(TALK, &["--dry-run", "--at", AT, "--json"]).json();
    assert!(report["commit"].is_null() && report["diff"].as_str().unwrap().contains("+++ b/"));
    assert_eq!(sandbox.refs(), refs);
}

#[test]
fn out_writes_the_recording_and_commits_nothing() {
    let sandbox = sandbox();
    let refs = sandbox.refs();
    let out = sandbox.outside("talk.jsonl");
    let report = sandbox.elaborate(TALK, &["--out", out.to_str().unwrap(), "--at", AT, "--json"]).json();
    assert!(report["commit"].is_null());
    assert_eq!(sandbox.refs(), refs);
    let kept = std::fs::read_to_string(&out).unwrap();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    assert_eq!(kept, sandbox.file(BRANCH, &sandbox.recordings()[0]));
    let shown = sandbox.run(&["show", out.to_str().unwrap()]).ok();
    assert!(shown.stdout.contains("Alex Rivera (Solutions Architect): "), "{}", shown.stdout);
}

#[test]
fn show_prints_what_the_run_printed() {
    let sandbox = sandbox();
    let run = sandbox.elaborate(TALK, &["--at", AT]).ok();
    let shown = sandbox.run(&["show", &format!("{BRANCH}:{}", sandbox.recordings()[0])]).ok();
    let told = run.stdout.split("\nUpdated ").next().unwrap().trim_end();
    assert_eq!(told, shown.stdout.trim_end());
    let json = sandbox.run(&["show", "--json", &format!("{BRANCH}:{}", sandbox.recordings()[0])]).json();
    assert_eq!(json["events"].as_array().unwrap().len(), sandbox.events().len());
}

#[test]
fn quiet_and_json_keep_standard_output_clean() {
    let sandbox = sandbox();
    let quiet = sandbox.elaborate("done\n", &["--quiet"]).ok();
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let plain = sandbox.elaborate("done\n", &[]).ok();
    assert!(!plain.stdout.contains('\u{1b}'));
    let colour = sandbox.elaborate("done\n", &["--color", "always"]).ok();
    assert!(colour.stdout.contains("\u{1b}["));
}

#[test]
fn a_repository_by_another_name_has_its_own_settings() {
    let sandbox = empty();
    sandbox.commit(&[
        (".roundtable.yaml", "items: specs\nsteps: own/steps\ntemplates: own/templates\n"),
        ("specs/login/meta.json", "{}\n"),
        ("own/steps/01-requirements/09-compliance.md", "---\nstep_id: \"01-09\"\ntitle: Compliance\npersona: business-analyst\ndepth: brief\noutputs: [rules.md]\n---\n## Brief Mode\nx\n## Standard Mode\n1. Which rules apply to the login?\n## Deep Mode\n1. Which rules?\n## Validation\n- Each rule is named.\n## Artifacts\n- x\n"),
        ("own/templates/notices/closing.txt", "That was it.\n"),
        ("own/steps/personas/security.md", "---\nkey: security-engineer\nname: Robin Vale\nrole: Security Engineer\nshort_role: Security\norder: 4\nlens: security\nphases: []\nforbidden: []\n---\n## Identity\nx\n## Style\ny\n## Principles\n1. a\n2. b\n3. c\n"),
    ]);
    let script = sandbox.script("s.yaml", "inputs: ['everyone, which password rules?', done]");
    let run = sandbox
        .run(&["elaborate", "login", "--step", "01-09", "--script", &script, "--max-turns", "20"])
        .ok();
    assert!(run.stdout.contains("Bringing Alex Rivera (Solutions Architect), Jordan Park (System Designer) and Robin Vale (Security Engineer)\ninto the discussion."), "{}", run.stdout);
    assert!(run.stdout.contains("That was it."), "{}", run.stdout);
    assert!(run.stdout.contains("Robin Vale (Security Engineer): "));
    let rules = sandbox.file("roundtable/login", "specs/login/rules.md");
    assert!(rules.starts_with("# Rules\n\n## Compliance\n\n<!-- Elaboration: step 01-09, "), "{rules}");
    assert!(rules.contains("Robin Vale (Security)"));
}

#[test]
fn a_run_is_recorded_on_its_branch_and_nowhere_else() {
    let sandbox = sandbox();
    sandbox.elaborate(TALK, &["--at", AT]).ok();
    let other =
        sandbox.elaborate(TALK, &["--at", AT, "--branch", "other", "--base", BRANCH, "--json"]).json();
    assert_eq!(other["already_recorded"], false);
    assert_eq!(sandbox.tip("other").unwrap().to_string(), other["commit"]);
}

#[test]
fn the_recording_names_the_commit_that_the_additions_stand_on() {
    let sandbox = sandbox();
    for at in [AT, "2026-02-21T14:30:00Z"] {
        sandbox.elaborate(TALK, &["--at", at]).ok();
        let commit = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
        let recording = sandbox.recordings().pop().unwrap();
        let first = sandbox.file(BRANCH, &recording).lines().next().unwrap().to_owned();
        assert!(first.contains(&format!("\"base\":\"{}\"", commit.parent_id(0).unwrap())), "{first}");
    }
}
