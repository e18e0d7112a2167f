//! A recording run again gives the same bytes, or says what does not (P-1).

use std::path::Path;

use proptest::prelude::*;

use crate::kit::{AT, BRANCH, ITEM, Run, SPEC, Sandbox, one_in, program, sandbox};

const TALK: &str = "Alex, what breaks first?\n\nWe decided to keep both answers.\ndone\n";

/// A sandbox with one recording on its branch, the recording's path and its text.
fn recorded(talk: &str) -> (Sandbox, String, String) {
    let sandbox = sandbox();
    sandbox.elaborate(talk, &["--at", AT]).ok();
    let path = sandbox.recordings()[0].clone();
    let text = sandbox.file(BRANCH, &path);
    (sandbox, path, text)
}

/// Replays a file of this text.
fn replayed(sandbox: &Sandbox, text: impl AsRef<[u8]>) -> Run {
    let path = sandbox.script("again.jsonl", text);
    sandbox.run(&["replay", &path, "--json"])
}

fn report(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
}

/// A log that is closed again over what it holds now, as a forger would.
fn resealed(text: &str) -> String {
    let mut log = roundtable::discussion::event::from_lines("r", text).unwrap();
    let digest = roundtable::discussion::event::digest(&log);
    if let Some(roundtable::discussion::event::Event::Closed(closed)) =
        log.last_mut().map(|last| &mut last.event)
    {
        closed.digest = digest;
    }
    roundtable::discussion::event::to_lines(&log)
}

#[test]
fn section_6_a_recording_is_reproduced_to_the_commit_id() {
    let (sandbox, path, text) = recorded(TALK);
    let commit = sandbox.tip(BRANCH).unwrap().to_string();
    let run = sandbox.run(&["replay", &format!("{BRANCH}:{path}"), "--json"]);
    let named = report(&run);
    assert_eq!(run.code, 0);
    assert_eq!(named["reproduced"], true);
    let one = &named["recordings"][0];
    assert_eq!((one["commit"].as_str(), one["divergence"].is_null()), (Some(commit.as_str()), true));
    assert_eq!(report(&replayed(&sandbox, text))["recordings"][0]["commit"], commit);
    let told = sandbox.run(&["replay", &format!("{BRANCH}:{path}")]).ok();
    assert!(told.stdout.contains("reproduced") && told.stdout.contains(&commit[..10]), "{}", told.stdout);
}

#[test]
fn the_same_events_in_other_bytes_are_shown_and_differ() {
    let (sandbox, _, text) = recorded(TALK);
    let spaced = text.replace("\":", "\": ");
    let run = replayed(&sandbox, &spaced);
    let divergence = &report(&run)["recordings"][0]["divergence"];
    assert_eq!((run.code, divergence["event"].as_u64()), (1, Some(1)), "{}", run.stdout);
    assert_eq!(divergence["what"], "form of a line");
    // What was changed beside the form is told first.
    let changed = spaced.replacen("\"class\": \"direct\"", "\"class\": \"default\"", 1);
    assert_ne!(changed, spaced);
    let run = replayed(&sandbox, &changed);
    let divergence = &report(&run)["recordings"][0]["divergence"];
    assert!(run.code == 1 && divergence["what"] != "form of a line", "{}", run.stdout);
    let (plain, other) = (sandbox.script("plain.jsonl", &text), sandbox.script("other.jsonl", &spaced));
    let shown = |path: &str| sandbox.run(&["show", path]).ok().stdout;
    assert_eq!(shown(&plain), shown(&other));
}

#[test]
fn replays_are_the_same_whatever_surrounds_them() {
    let (sandbox, path, _) = recorded(TALK);
    let named = format!("{BRANCH}:{path}");
    let home = sandbox.outside("other-home");
    std::fs::create_dir_all(home.join("templates/hooks")).unwrap();
    std::fs::write(
        home.join(".gitconfig"),
        "[user]\n\tname = Kim\n\temail = kim@example.org\n[core]\n\tautocrlf = true\n\thooksPath = /nonexistent\n[commit]\n\tgpgsign = true\n[init]\n\ttemplateDir = templates\n",
    )
    .unwrap();
    let wanted = sandbox.tip(BRANCH).unwrap().to_string();
    for (name, value) in [
        ("TZ", "Asia/Tokyo"),
        ("TZ", "America/St_Johns"),
        ("LANG", "tr_TR.UTF-8"),
        ("LC_ALL", "C"),
        ("GIT_AUTHOR_NAME", "Kim"),
        ("SOURCE_DATE_EPOCH", "1"),
        ("http_proxy", "http://127.0.0.1:9"),
    ] {
        let mut command = program(&sandbox.root(), &home);
        command.args(["replay", &named, "--json"]).env(name, value);
        let run = Run::of(command.output().unwrap());
        assert_eq!(run.code, 0, "{name}={value}: {}{}", run.stdout, run.stderr);
        assert_eq!(report(&run)["recordings"][0]["commit"], wanted);
    }
}

#[test]
fn a_thousand_replays_are_one_commit() {
    let (sandbox, path, _) = recorded(TALK);
    // In one process, a thousand times over: the same name as often as arguments take it.
    let named = format!("{BRANCH}:{path}");
    let args: Vec<&str> =
        ["replay", "--json"].into_iter().chain(std::iter::repeat_n(named.as_str(), 1_000)).collect();
    let run = sandbox.run(&args).json();
    let commits: std::collections::BTreeSet<&str> =
        run["recordings"].as_array().unwrap().iter().map(|one| one["commit"].as_str().unwrap()).collect();
    assert_eq!(commits.len(), 1);
    assert_eq!(run["recordings"].as_array().unwrap().len(), 1_000);
}

#[test]
fn every_changed_byte_of_a_small_recording_is_seen() {
    let (sandbox, _, text) = recorded("done\n");
    // In files of one run each of many: an argument a changed copy.
    let bytes = text.as_bytes();
    let mut names = Vec::new();
    for at in one_in(4, 0..bytes.len()) {
        let mut changed = bytes.to_vec();
        changed[at] = if changed[at] == b'0' { b'1' } else { changed[at] ^ 1 };
        names.push(sandbox.script(&format!("b{at}.jsonl"), changed));
    }
    for names in names.chunks(500) {
        let args: Vec<&str> =
            ["replay", "--json"].into_iter().chain(names.iter().map(String::as_str)).collect();
        let run = sandbox.run(&args);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        for one in report(&run)["recordings"].as_array().unwrap() {
            assert_eq!(one["reproduced"], false, "{one}");
        }
    }
}

#[test]
fn lines_dropped_doubled_or_swapped_are_seen_even_when_closed_again() {
    let (sandbox, _, text) = recorded(TALK);
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..lines.len() {
        let mut dropped = lines.clone();
        dropped.remove(at);
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        let mut swapped = lines.clone();
        swapped.swap(at, (at + 1) % lines.len());
        for changed in [dropped, doubled, swapped] {
            let changed = changed.join("\n") + "\n";
            for text in [changed.clone(), resealed(&changed)] {
                let run = replayed(&sandbox, &text);
                assert!(matches!(run.code, 1 | 2), "{}: {text}", run.code);
                assert!(!run.stderr.contains("panicked"));
            }
        }
    }
}

#[test]
fn a_forged_event_is_named_with_what_the_rules_expect() {
    let (sandbox, _, text) = recorded(TALK);
    for (from, to, event) in [
        ("\"turn\":2,", "\"turn\":3,", 3),
        ("\"by\":\"solutions-architect\"", "\"by\":\"system-designer\"", 3),
        ("\"class\":\"direct\"", "\"class\":\"group\"", 5),
        ("\"purpose\":\"framing\"", "\"purpose\":\"round\"", 2),
        ("\"max_turns\":11", "\"max_turns\":2", 1),
        (
            "\"item\":\"docs/requirements/offline-mode\"",
            "\"item\":\"docs/../docs/requirements/offline-mode\"",
            1,
        ),
        ("\"item_name\":\"offline mode\"", "\"item_name\":\"other mode\"", 1),
        ("\"title\":\"User", "\"title\":\"Uses", 1),
        ("\"name\":\"roundtable\"", "\"name\":\"a<b\"", 1),
    ] {
        assert!(text.contains(from), "{from}");
        let run = replayed(&sandbox, resealed(&text.replacen(from, to, 1)));
        let report = report(&run);
        assert_eq!(run.code, 1, "{to}: {report}");
        let divergence = &report["recordings"][0]["divergence"];
        assert_eq!(divergence["event"], event, "{to}: {divergence}");
        assert_ne!(divergence["expected"], divergence["found"]);
    }
    for (from, to, why) in [
        ("\"format\":3", "\"format\":2", "format 2"),
        ("docs/requirements/offline-mode\"", "docs/requirements/elsewhere\"", "elsewhere"),
        ("\"kind\":\"closed\"", "\"kind\":\"over\"", "unknown word"),
    ] {
        let run = replayed(&sandbox, text.replacen(from, to, 1));
        assert_eq!(run.code, 2, "{to}");
        assert!(run.stderr.contains(why), "{to}: {}", run.stderr);
    }
}

#[test]
fn words_changed_under_a_new_seal_are_seen_beside_the_commit() {
    let (sandbox, _, text) = recorded(TALK);
    let forged = resealed(&text.replace("eep both answers", "eep one answer"));
    let run = replayed(&sandbox, forged);
    let report = report(&run);
    assert_eq!(run.code, 1, "{report}");
    let divergence = &report["recordings"][0]["divergence"];
    assert!(divergence["event"].is_null());
    assert_eq!(divergence["what"], format!("{ITEM}/requirements-spec.md"));
    let told = sandbox.run(&["replay", sandbox.outside("again.jsonl").to_str().unwrap()]);
    assert!(told.stdout.contains("\n-- ") && told.stdout.contains("\n+- "), "{}", told.stdout);
}

#[test]
fn a_base_that_is_not_here_is_exit_2() {
    let (sandbox, _, text) = recorded("done\n");
    let base = sandbox.tip("main").unwrap().to_string();
    let run = replayed(&sandbox, text.replace(&base, &"1".repeat(40)));
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("is not in this repository") && run.stderr.contains("--onto"),
        "{}",
        run.stderr
    );
}

#[test]
fn all_takes_every_recording_of_a_revision() {
    let sandbox = sandbox();
    for at in [AT, "2026-02-21T14:30:00Z", "2026-02-22T14:30:00Z"] {
        sandbox.elaborate(TALK, &["--at", at]).ok();
    }
    let all = sandbox.run(&["replay", "--all", "--rev", BRANCH, "--json"]).json();
    let paths: Vec<&str> =
        all["recordings"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(paths, sandbox.recordings());
    let told = sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    assert!(told.stdout.contains("3 recordings: 3 reproduced"), "{}", told.stdout);
    let none = sandbox.run(&["replay", "--all"]).ok();
    assert!(none.stdout.contains("0 recordings"), "{}", none.stdout);
}

#[test]
fn a_recording_rewritten_on_its_branch_is_not_reproduced() {
    let (sandbox, path, text) = recorded(TALK);
    // The branch's own files with another recording in them, as an amended commit has them.
    let tree = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
    let forged = sandbox
        .git
        .blob(resealed(&text.replace("\"user\":\"User\"", "\"user\":\"Kim\"")).as_bytes())
        .unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    update.upsert(path.as_str(), forged, git2::FileMode::Blob);
    let tree = sandbox.git.find_tree(update.create_updated(&sandbox.git, &tree).unwrap()).unwrap();
    let who = git2::Signature::new("Sam", "sam@example.org", &git2::Time::new(1_770_000_000, 0)).unwrap();
    let parent = sandbox.git.find_commit(sandbox.tip("main").unwrap()).unwrap();
    sandbox.git.commit(Some("refs/heads/amended"), &who, &who, "amended", &tree, &[&parent]).unwrap();
    let run = sandbox.run(&["replay", "--all", "--rev", "amended", "--json"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    // The very files under another message are another commit with the same content.
    let whole = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
    let squashed =
        sandbox.git.commit(Some("refs/heads/squashed"), &who, &who, "squashed", &whole, &[&parent]).unwrap();
    let all =
        |more: &[&str]| sandbox.run(&[&["replay", "--all", "--rev", "squashed", "--json"], more].concat());
    let one = report(&all(&[]))["recordings"][0].clone();
    assert_eq!(
        (one["by"].as_str(), one["commit"].as_str()),
        (Some("content"), Some(squashed.to_string().as_str()))
    );
}

#[test]
fn branch_commits_what_out_recorded_as_elaborate_would_have() {
    let one = sandbox();
    one.elaborate(TALK, &["--at", AT]).ok();
    let sandbox = sandbox();
    let out = sandbox.outside("talk.jsonl");
    let out = out.to_str().unwrap();
    sandbox.elaborate(TALK, &["--at", AT, "--out", out]).ok();
    // Nothing is committed yet: it is reproduced, and said to be nowhere.
    let before = sandbox.run(&["replay", out, "--json"]).json();
    assert_eq!(before["recordings"][0]["committed"], false);
    let landed = sandbox.run(&["replay", out, "--onto", "main", "--branch", BRANCH, "--json"]).json();
    assert_eq!(landed["recordings"][0]["commit"], one.tip(BRANCH).unwrap().to_string());
    assert_eq!(sandbox.tip(BRANCH), one.tip(BRANCH));
    let refs = sandbox.refs();
    let again = sandbox.run(&["replay", out, "--onto", "main", "--branch", BRANCH, "--json"]).json();
    assert_eq!(again["recordings"][0]["already_recorded"], true);
    assert_eq!(sandbox.refs(), refs);
    sandbox.assert_sound();
}

#[test]
fn onto_another_commit_the_same_log_is_a_new_commit() {
    let sandbox = sandbox();
    let out = sandbox.outside("talk.jsonl");
    let out = out.to_str().unwrap();
    sandbox.elaborate(TALK, &["--at", AT, "--out", out]).ok();
    let longer = SPEC.replace("## 4. Technical", "- The dispatcher sees it.\n\n## 4. Technical");
    sandbox.commit(&[(&format!("{ITEM}/requirements-spec.md"), &longer)]);
    let landed = sandbox.run(&["replay", out, "--onto", "main", "--branch", "moved", "--json"]).json();
    let commit = sandbox.git.find_commit(sandbox.tip("moved").unwrap()).unwrap();
    assert_eq!(landed["recordings"][0]["commit"], commit.id().to_string());
    assert_eq!(commit.parent_id(0).unwrap(), sandbox.tip("main").unwrap());
    let spec = sandbox.file("moved", &format!("{ITEM}/requirements-spec.md"));
    let (dispatcher, marker) = (spec.find("dispatcher").unwrap(), spec.find("<!-- Elab").unwrap());
    assert!(dispatcher < marker && marker < spec.find("## 4.").unwrap(), "{spec}");
    // What was committed replays in its turn, and the gate takes it.
    assert_eq!(sandbox.run(&["replay", "--all", "--rev", "moved"]).code, 0);
    assert_eq!(sandbox.run(&["check", "--base", "main", "--head", "moved"]).code, 0);
    // A base that is not here is no hindrance when another one is named.
    let other = crate::kit::sandbox();
    other.commit(&[("later.md", "later\n")]);
    let text = std::fs::read_to_string(out).unwrap();
    let base =
        sandbox.git.find_commit(sandbox.tip("main").unwrap()).unwrap().parent_id(0).unwrap().to_string();
    let lost = text.replace(&base, &"1".repeat(40)).replace(&base[..7], &"1".repeat(7));
    let lost = other.script("lost.jsonl", resealed(&lost));
    other.run(&["replay", &lost, "--onto", "main", "--branch", "x"]).ok();
    other.run(&["replay", "--all", "--rev", "x"]).ok();
}

#[test]
fn a_forged_recording_is_not_committed() {
    let sandbox = sandbox();
    let out = sandbox.outside("talk.jsonl");
    sandbox.elaborate(TALK, &["--at", AT, "--out", out.to_str().unwrap()]).ok();
    let refs = sandbox.refs();
    let text = std::fs::read_to_string(&out).unwrap();
    let forged = resealed(&text.replacen("\"turn\":2,", "\"turn\":3,", 1));
    let forged = sandbox.script("forged.jsonl", forged);
    let run = sandbox.run(&["replay", &forged, "--onto", "main", "--branch", BRANCH]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("nothing was committed"));
    // Words that would end up in the commit as something else.
    for (from, to) in [
        ("\"run\":\"", "\"run\":\"x\\nSigned-off-by: y"),
        ("roundtable@localhost", "a>b"),
        ("roundtable@localhost", "a\\nb"),
    ] {
        let forged = text.replacen(from, to, 1);
        let forged = sandbox.script("forged.jsonl", resealed(&forged));
        assert_eq!(sandbox.run(&["replay", &forged, "--onto", "main", "--branch", BRANCH]).code, 2);
    }
    assert_eq!(sandbox.refs(), refs);
}

#[test]
fn a_template_that_has_changed_since_is_named_with_what_it_changed() {
    let (sandbox, _, text) = recorded("done\n");
    let config = sandbox.script("own.yaml", "templates: own\n");
    // The operator's settings lay another template over the recorded base.
    sandbox.commit(&[("own/notices/closing.txt", "That was it.\n")]);
    let base = sandbox.tip("main").unwrap().to_string();
    let old =
        sandbox.git.find_commit(sandbox.tip("main").unwrap()).unwrap().parent_id(0).unwrap().to_string();
    let moved = resealed(&text.replace(&old, &base));
    let path = sandbox.script("moved.jsonl", moved);
    let run = sandbox.run(&["replay", &path, "--config", &config]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("That was it."), "{}", run.stdout);
    assert!(run.stdout.contains("templates/notices/closing.txt has changed"), "{}", run.stdout);
}

#[test]
fn arguments_that_cannot_be_meant_are_exit_2() {
    let (sandbox, path, _) = recorded("done\n");
    let named = format!("{BRANCH}:{path}");
    for args in [
        vec!["replay"],
        vec!["replay", "nowhere.jsonl"],
        vec!["replay", "nowhere:x.jsonl"],
        vec!["replay", "--all", &named],
        vec!["replay", &named, "--onto", "nowhere"],
        vec!["replay", &named, "--branch", "x"],
        vec!["replay", &named, &named, "--onto", "main", "--branch", "x"],
        vec!["replay", &named, "--onto", "main", "--branch", "a..b"],
        vec!["replay", &named, "--onto", "main", "--branch", "main"],
        vec!["replay", &named, "--script", "talk.txt"],
        vec!["replay", "--all", "--rev", "nowhere"],
        vec!["replay", &format!("{BRANCH}:{ITEM}/meta.json")],
    ] {
        let run = sandbox.run(&args);
        assert_eq!(run.code, 2, "{args:?}: {}{}", run.stdout, run.stderr);
        assert!(!run.stderr.is_empty());
    }
    assert!(Path::new(&sandbox.root()).exists());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Any bytes in place of any others: never reproduced, never a panic.
    #[test]
    fn any_damage_to_a_recording_is_seen(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..8, prop::collection::vec(any::<u8>(), 0..8)), 12),
    ) {
        let (sandbox, _, text) = recorded(TALK);
        let mut names = Vec::new();
        for (number, (at, length, bytes)) in cuts.iter().enumerate() {
            let mut damaged = text.clone().into_bytes();
            let at = at.index(damaged.len());
            let end = (at + length).min(damaged.len());
            damaged.splice(at..end, bytes.iter().copied());
            if damaged != text.as_bytes() {
                names.push(sandbox.script(&format!("d{number}.jsonl"), damaged));
            }
        }
        let args: Vec<&str> = ["replay", "--json"].into_iter().chain(names.iter().map(String::as_str)).collect();
        let run = sandbox.run(&args);
        prop_assert!(!run.stderr.contains("panicked"));
        for one in report(&run)["recordings"].as_array().unwrap() {
            prop_assert_eq!(&one["reproduced"], false);
        }
    }
}

/// Somebody else's discussion lands while this one goes on: its recording read other files than those of its base.
#[test]
#[cfg(unix)]
fn what_landed_on_somebody_elses_commit_is_held_again_like_anything_else() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox();
    let program = env!("CARGO_BIN_EXE_roundtable");
    let other = sandbox.script("other.txt", "Decision: photos wait for the tablet.\ndone\n");
    let elaborate = format!("{program} -q elaborate offline-mode --step 01-03 --script {other}");
    let voice = sandbox.script(
        "voice.sh",
        format!(
            "#!/bin/sh\ncase \"$(cat)\" in\n*'\"want\":\"points\"'*) {elaborate} >&2; echo '{{\"points\": []}}';;\n*'\"want\":\"round\"'*) echo '{{\"lines\": []}}';;\n*'\"want\":\"synthesis\"'*) echo '{{\"insights\": [], \"decisions\": [], \"open_questions\": [], \"action_items\": [], \"proposals\": []}}';;\n*) echo '{{\"pass\": true}}';;\nesac\n"
        ),
    );
    std::fs::set_permissions(&voice, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = sandbox.script("own.txt", "Decision: answers are kept for 14 days.\ndone\n");
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--at", AT, "--script", &script];
    sandbox.run(&[&args[..], &["--voice", &format!("command:{voice}")]].concat()).ok();
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    let landed = sandbox.run(&["replay", BRANCH, "--onto", "main", "--branch", "moved"]).ok();
    assert_eq!(landed.stdout.matches("Reproduced from its recording.").count(), 2, "{}", landed.stdout);
}
