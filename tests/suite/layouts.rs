//! A folder of `tests/layouts/` is an item of a layout and a discussion of it; its README says how to add one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cases::{changes, files, lend_voice};
use crate::kit::{AT, BRANCH, Run, Sandbox, empty};
use crate::replay_rewritten::{cloned, proofs};

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/layouts");
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn line_of(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap().trim().to_owned()
}

/// The files of a branch, without recordings and records of discussions.
fn documents(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let tree = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
    let mut found = BTreeMap::new();
    tree.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
        let name = format!("{folder}{}", entry.name().unwrap());
        if entry.kind() == Some(git2::ObjectType::Blob)
            && !name.ends_with(".jsonl")
            && !name.ends_with("meta.json")
        {
            found.insert(name, sandbox.git.find_blob(entry.id()).unwrap().content().to_vec());
        }
        git2::TreeWalkResult::Ok
    })
    .unwrap();
    found
}

fn talk(folder: &Path, sandbox: &Sandbox, script: &str, at: &str) -> serde_json::Value {
    let (item, script) = (line_of(folder, "item"), folder.join(script));
    let mut args = vec!["elaborate", &item, "--branch", BRANCH, "--step", "01-06", "--json"];
    args.extend(["--script", script.to_str().unwrap(), "--at", at]);
    if folder.join("voice.jsonl").exists() {
        lend_voice(folder, sandbox);
        // It answers from its first line on.
        let _ = std::fs::remove_file(sandbox.root().join("asked"));
        args.extend(["--voice", "command:./voice.sh"]);
    }
    Run::of(sandbox.command(&args).env("PATH", "/usr/bin:/bin").output().unwrap()).json()
}

#[test]
#[cfg(unix)]
fn every_layout_takes_a_discussion_as_its_community_writes() {
    for folder in folders() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let (sandbox, given) = given(&folder);
        let report = talk(&folder, &sandbox, "script.txt", AT);
        let layout = name.split('-').next().unwrap();
        assert_eq!(report["layout"], layout, "{name}");
        let after = documents(&sandbox);
        assert_changes(&folder.join("expected.diff"), &changes(&given, &after));
        sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
        sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
        a_second_discussion_repeats_nothing(&folder, &sandbox, &after);
        a_squash_is_proved(name, &sandbox);
    }
}

/// A repository with a folder's files, and those.
fn given(folder: &Path) -> (Sandbox, BTreeMap<String, Vec<u8>>) {
    let sandbox = empty();
    let given = files(&folder.join("given"));
    for (path, bytes) in &given {
        let path = sandbox.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    sandbox.commit_all();
    (sandbox, given)
}

fn assert_changes(expected: &Path, found: &str) {
    if std::env::var_os("ROUNDTABLE_BLESS").is_some() {
        std::fs::write(expected, found).unwrap();
    }
    let wanted = std::fs::read_to_string(expected).unwrap_or_default();
    let diff = similar::TextDiff::from_lines(wanted.as_str(), found);
    assert!(wanted == found, "{}:\n{}", expected.display(), diff.unified_diff());
}

#[test]
fn an_analysis_adds_to_the_documents_that_are_there() {
    for folder in folders().iter().filter(|folder| folder.join("analysis.yaml").exists()) {
        let (sandbox, given) = given(folder);
        let (item, script) = (line_of(folder, "item"), folder.join("analysis.yaml"));
        let args = ["analyze", &item, "--branch", BRANCH, "--at", AT, "--script", script.to_str().unwrap()];
        sandbox.run(&[&args[..], &["--dry-run"]].concat()).ok();
        sandbox.run(&args).ok();
        let after = documents(&sandbox);
        assert_changes(&folder.join("analysis.diff"), &changes(&given, &after));
        sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
        sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
        let decided = after.iter().find_map(|(path, text)| {
            let text = String::from_utf8_lossy(text).into_owned();
            let line = text.lines().position(|line| line.contains("names the fee of the day"))?;
            Some(format!("{path}:{}", line + 1))
        });
        let why = sandbox.run(&["why", &decided.unwrap(), "--rev", BRANCH]).ok();
        assert!(why.stdout.contains("01-01"), "{}", why.stdout);
    }
}

fn a_squash_is_proved(name: &str, sandbox: &Sandbox) {
    assert!(git(sandbox, &["checkout", "--quiet", "--force", "main"]), "{name}");
    assert!(git(sandbox, &["merge", "--quiet", "--squash", BRANCH]), "{name}");
    assert!(git(sandbox, &["commit", "--quiet", "-m", "Squashed"]), "{name}");
    assert_eq!(proofs(&cloned(sandbox, None)), (0, vec!["content".to_owned(); 2]), "{name}");
    // What the discussions read is not there.
    let (code, by) = proofs(&cloned(sandbox, Some(1)));
    assert_eq!((code, by.len()), (0, 2), "{name}: {by:?}");
}

fn a_second_discussion_repeats_nothing(folder: &Path, sandbox: &Sandbox, first: &BTreeMap<String, Vec<u8>>) {
    talk(folder, sandbox, "second.txt", "2026-03-02T09:00:00Z");
    let text = changes(first, &documents(sandbox));
    assert!(text.contains("Letters are blue"), "{}: {text}", folder.display());
    assert!(!text.lines().any(|line| line.starts_with('+') && line.contains("white")), "{text}");
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
}

/// Runs git in a sandbox's work tree; whether it succeeded.
fn git(sandbox: &Sandbox, args: &[&str]) -> bool {
    let mut command = std::process::Command::new("git");
    command.current_dir(sandbox.root()).args(["-c", "user.name=Sam", "-c", "user.email=sam@example.org"]);
    command.args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap().status.success()
}

/// Both discussions end a list of meta.json, so git has to be told which is first: one command, which is printed where
/// the user is, puts the second after the first, in every layout.
#[test]
#[cfg(unix)]
fn the_second_of_two_discussions_from_one_base_is_brought_after_the_first_by_one_command() {
    for folder in folders() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let (sandbox, _) = given(&folder);
        let item = line_of(&folder, "item");
        let talk = |branch: &str, color: &str, day: u32| {
            let script = sandbox.script(
                "talk.txt",
                format!("Decision: Letters are {color}.\nWho folds {color} ones?\ndone\n"),
            );
            let at = format!("2026-02-{day}T14:30:00Z");
            let args = ["elaborate", &item, "--step", "01-06", "--script", &script, "--at", &at];
            let branch = ["--branch", branch, "--base", "main"];
            sandbox.run(&[&args[..], &branch].concat()).ok()
        };
        talk("roundtable/first", "white", 20);
        talk("roundtable/second", "blue", 21);
        talk("roundtable/second", "red", 22);
        assert!(git(&sandbox, &["merge", "--quiet", "roundtable/first"]), "{name}");
        assert!(!git(&sandbox, &["merge", "--quiet", "roundtable/second"]), "{name}: git can merge it");
        assert!(git(&sandbox, &["merge", "--abort"]), "{name}");
        let told = sandbox.run(&["status"]).ok().stderr;
        let command = told.split('`').nth(1).unwrap_or_default().to_owned();
        assert_eq!(command, "roundtable replay roundtable/second --onto HEAD", "{name}: {told}");
        let gate = sandbox.run(&["check", "--base", "main", "--head", "roundtable/second"]).ok().stderr;
        assert!(gate.contains("`roundtable replay roundtable/second --onto main`"), "{name}: {gate}");
        let again = talk("roundtable/second", "green", 23).stderr;
        assert!(again.contains(&command), "{name}: {again}");
        let args: Vec<&str> = command.split(' ').skip(1).collect();
        let placed = sandbox.run(&args).ok().stdout;
        let merge = placed.lines().find_map(|line| line.strip_prefix("Merge it with: git ")).unwrap();
        assert!(git(&sandbox, &merge.split(' ').collect::<Vec<_>>()), "{name}: {merge}");
        sandbox.run(&["replay", "--all", "--rev", "main"]).ok();
        sandbox.run(&["check", "--base", "roundtable/first", "--head", "main"]).ok();
        let told = sandbox.run(&["status"]).ok().stderr;
        assert!(!told.contains("--onto"), "{name}: {told}");
        assert_eq!(sandbox.run(&[&args[..], &["--json"]].concat()).code, 2, "{name}");
    }
}

const RECORD: &str =
    "# 1. Send letters\n\nDate: 2025-01-07\n\n## Status\n\nAccepted\n\n## Decision\n\nMonthly.\n";

#[test]
fn an_item_with_nothing_but_records_of_its_own_gets_one_more() {
    let sandbox = empty();
    let folder = "docs/requirements/letters";
    sandbox.commit(&[(&format!("{folder}/adr/0001-send-letters.md"), RECORD)]);
    let script = sandbox.script("talk.txt", "Decision: Letters go by mail because it is quick.\ndone\n");
    let args = ["elaborate", folder, "--step", "03-02", "--script", &script, "--at", AT, "--branch", BRANCH];
    let report = sandbox.run(&[&args[..], &["--json"]].concat()).json();
    assert_eq!(report["layout"], "isdlc");
    let record =
        sandbox.file(BRANCH, &format!("{folder}/adr/0002-letters-go-by-mail-because-it-is-quick.md"));
    assert!(record.contains("Accepted by User, 2026-02-20 (step 03-02)\n"), "{record}");
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
}

#[test]
fn a_record_that_a_decision_supersedes_is_known() {
    let sandbox = empty();
    for folder in ["docs/adr", "docs/requirements/letters/adr"] {
        let other = RECORD.replace("1.", "2.");
        let files = ["0001-send-letters.md", "0002-by-post.md"].map(|name| format!("{folder}/{name}"));
        sandbox.commit(&[(&files[0], RECORD), (&files[1], &other)]);
    }
    for (number, folder) in ["docs/adr", "docs/requirements/letters/adr"].into_iter().enumerate() {
        let talk = |text: &str| {
            let script = sandbox.script("talk.txt", format!("{text}\ndone\n"));
            let branch = format!("b{number}");
            let args = ["elaborate", folder, "--step", "03-02", "--script", &script, "--at", AT];
            sandbox.run(&[&args[..], &["--dry-run", "--branch", &branch]].concat()).ok()
        };
        let known = talk("Decision: Letters are weekly, supersedes ADR-0002.");
        assert!(known.stdout.contains("+Supersedes [2. Send letters](0002-by-post.md)"), "{}", known.stdout);
        assert!(!known.stderr.contains("no earlier decision"), "{}", known.stderr);
        let unknown = talk("Decision: Letters are weekly, supersedes ADR-0007.");
        assert!(unknown.stderr.contains("ADR-0007 is not an earlier decision"), "{}", unknown.stderr);
    }
}

#[test]
fn a_layout_of_a_team_is_a_file() {
    let sandbox = empty();
    let layout = "layout: rfc\ntitle: A request for comments\norder: 1\nrecognised: {files: [rfc.md]}\n\
        document: [rfc.md]\nblock: none\ndecisions: {heading: Resolutions}\nquestions: {heading: Unresolved questions}\n\
        actions: recording\ninsights: recording\n";
    sandbox.commit(&[
        (".roundtable.yaml", "layouts: ours/layouts\nlayout: {'x/*': isdlc}\n"),
        ("ours/layouts/rfc.yaml", layout),
        ("rfcs/letters/rfc.md", "# Letters\n\n## Resolutions\n\n1. They are monthly\n"),
        ("x/letters/rfc.md", "# Letters\n"),
    ]);
    let script = sandbox.script("s.txt", "Decision: Letters are white.\nWho folds them?\ndone\n");
    let args = |item| ["elaborate", item, "--step", "01-03", "--script", &script, "--at", AT, "--json"];
    let report = sandbox.run(&args("rfcs/letters")).json();
    assert_eq!(report["layout"], "rfc");
    let text = sandbox.file(report["branch"].as_str().unwrap(), "rfcs/letters/rfc.md");
    assert!(
        text.contains("1. They are monthly\n2. Letters are white (")
            && text.contains("## Unresolved questions\n\n- Who folds them?\n"),
        "{text}"
    );
    sandbox.run(&["replay", "--all", "--rev", report["branch"].as_str().unwrap()]).ok();
    assert_eq!(sandbox.run(&args("x/letters")).json()["layout"], "isdlc");
    sandbox.commit(&[("ours/layouts/rfc.yaml", &layout.replace("heading: Res", "title: Res"))]);
    let mut anew = args("rfcs/letters").to_vec();
    anew.extend(["--branch", "anew"]);
    let refused = sandbox.run(&anew);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("ours/layouts/rfc.yaml:7"), "{}", refused.stderr);
}

#[test]
fn a_file_in_a_folder_of_a_teams_own_layout_is_of_the_folders_item() {
    let sandbox = empty();
    let layout = "layout: rfc\ntitle: A request for comments\norder: 1\nrecognised: {files: [rfc.md]}\n\
        document: [rfc.md]\nblock: end\ndecisions: block\nquestions: block\nactions: block\ninsights: block\n";
    sandbox.commit(&[
        (".roundtable.yaml", "layouts: ours\n"),
        ("ours/rfc.yaml", layout),
        ("rfcs/letters/rfc.md", "# Letters\n"),
        ("rfcs/letters/notes.md", "# Notes\n"),
    ]);
    let script = sandbox.script("s.txt", "Decision: Letters are white.\ndone\n");
    let report = sandbox.run(&["elaborate", "rfcs/letters/notes.md", "--script", &script, "--json"]).json();
    assert_eq!((&report["item"], &report["layout"]), (&"rfcs/letters".into(), &"rfc".into()));
}

#[test]
fn a_layout_that_the_settings_name_and_nobody_has_is_an_error_wherever_it_is_named() {
    let sandbox = empty();
    sandbox.commit(&[
        (".roundtable.yaml", "layout: {'elsewhere/*': madr}\n"),
        ("design/letters.md", "# Letters\n"),
    ]);
    let script = sandbox.script("s.txt", "Decision: Letters are white.\ndone\n");
    let run = sandbox.run(&["elaborate", "design/letters.md", "--script", &script]);
    assert!(
        run.code == 2 && run.stderr.contains("\"madr\"") && run.stderr.contains("speckit"),
        "{}",
        run.stderr
    );
    assert_eq!(sandbox.run(&["doctor", "--offline"]).code, 1);
}

#[test]
fn a_proposed_record_is_accepted_without_settings_and_then_stays() {
    let sandbox = empty();
    sandbox.commit(&[
        (
            "docs/adr/0001-record.md",
            "# 1. Record\n\nDate: 2025-01-07\n\n## Status\n\nAccepted\n\n## Decision\n\nx\n",
        ),
        (
            "docs/adr/0002-send.md",
            "# 2. Send\n\nDate: 2025-01-08\n\n## Status\n\nAccepted\n\n## Decision\n\ny\n",
        ),
    ]);
    let script = sandbox.script("s.txt", "Decision: letters are white, amends ADR 0002.\ndone\n");
    sandbox.run(&["elaborate", "docs/adr", "--script", &script, "--branch", "b", "--at", AT]).ok();
    let name = "docs/adr/0003-letters-are-white.md";
    let record = sandbox.file("b", name);
    assert!(record.starts_with("# 3. Letters are white\n"), "{record}");
    assert!(record.contains("Proposed\n\nAmends [2. Send](0002-send.md)\n"), "{record}");
    let why = sandbox.run(&["why", &format!("{name}:1"), "--rev", "b"]).ok().stdout;
    assert!(why.contains("Decision: letters are white, amends ADR 0002."), "{why}");
    crate::replay_rewritten::git(&sandbox.root(), &["checkout", "--quiet", "--force", "b"]);
    let path = sandbox.root().join(name);
    std::fs::write(&path, record.replace("Proposed", "Accepted")).unwrap();
    sandbox.run(&["check", "--worktree"]).ok();
    sandbox.commit_all();
    std::fs::write(&path, record.replace("Proposed", "Accepted").replace("white", "blue")).unwrap();
    assert_eq!(sandbox.run(&["check", "--worktree"]).code, 1);
}

#[test]
fn a_line_in_an_earlier_record_names_its_place_and_what_stays_in_the_recording() {
    let sandbox = empty();
    let text = format!("{RECORD}\n## Consequences\n\nStamps are needed.\n");
    sandbox.commit(&[("docs/adr/0001-send-letters.md", &text), ("docs/adr/0002-by-post.md", RECORD)]);
    let script = sandbox.script("t.txt", "Decision: Letters are weekly.\nWho pays the stamps?\ndone\n");
    let item = "docs/adr/0001-send-letters.md";
    let args = ["elaborate", item, "--step", "03-02", "--script", &script, "--at", AT, "--dry-run"];
    let told = sandbox.run(&args).ok().stdout;
    assert!(
        told.contains("Updated 0001-send-letters.md, section \"Consequences\": added 1 decision."),
        "{told}"
    );
    let stays = "1 open question stays in the recording: the decisions are in an earlier record, so there is no new one.";
    assert!(told.contains(stays), "{told}");
}
