//! Changes and repositories as attacks: text that is hidden, edits that pass for additions, and
//! settings of git that would run something.

use serde_json::Value;

use crate::forge::git;
use crate::kit::{ITEM, Run, Sandbox, sandbox};

const PATH: &str = "docs/requirements/offline-mode/spec.md";
const OLD: &str = "# Requirements\n\nThe first line stays.\n\n| a | b |\n| --- | --- |\n| one | two |\n\n- an item\n- another one\n\nSee [the list][x].\n\n[x]: https://example.org/list\n\nThe last line stays.\n";

/// The gate over a change of one file that may only grow.
fn gate(before: &str, after: &str) -> Run {
    let sandbox = sandbox();
    let policy = "protect: [{paths: docs/**, rule: strict}]\n";
    let base = sandbox.commit(&[(".roundtable.yaml", policy), (PATH, before)]);
    sandbox.commit(&[(PATH, after)]);
    sandbox.run(&["check", "--base", &base.to_string(), "--json"])
}

#[track_caller]
fn violates(run: &Run, what: &str) {
    assert_eq!(run.code, 1, "{what}: {}{}", run.stdout, run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["verdict"], "lost", "{what}");
}

/// Also: `no_wrong_verdict_over_our_own_documents`, `a_block_deleted_changed_or_moved_fails`.
#[test]
fn a13_old_text_is_not_hidden_by_what_is_put_before_it() {
    for (what, line, more) in [
        ("a comment", "The first", "<!--\n\n"),
        ("a fence", "The first", "```\n\n"),
        ("a fence of tildes", "The first", "~~~\n\n"),
        ("details", "The first", "<details>\n\n"),
        ("a block of HTML", "The first", "<div hidden>\n"),
        ("CDATA", "The first", "<![CDATA[\n\n"),
        ("a definition", "See [the", "[x]: https://evil.example\n\n"),
        ("a deeper list", "- another", "- between\n  "),
        ("code", "The last", "- a list\n\n      "),
        ("a row that ends the table", "| one", "\n"),
        ("a script", "The first", "<script>\n"),
        ("a template", "The first", "<template>\n\n"),
        ("a style", "The first", "<style>\n"),
    ] {
        assert!(OLD.contains(line), "{what}");
        violates(&gate(OLD, &OLD.replacen(line, &format!("{more}{line}"), 1)), what);
    }
    violates(&gate(OLD, &OLD.replacen("stays.\n\n|", "stays.\n===\n\n|", 1)), "an underline");
    let ruled = "title: a photo\n\n---\n\nThe end.\n";
    violates(&gate(ruled, &format!("---\n{ruled}")), "front matter");
    // And what only adds is no violation: the oracle can say yes.
    assert_eq!(gate(OLD, &OLD.replacen("The last", "Something new.\n\nThe last", 1)).code, 0);
}

/// Also: `the_tree_is_judged_before_what_files_hold`, `each_commit_on_the_way_is_judged`.
#[test]
fn a14_an_edit_that_passes_for_an_addition_is_seen() {
    let line = "The first line stays.\n\n";
    for (what, after) in [
        ("moved", OLD.replacen(line, "", 1) + "\n" + line),
        ("CRLF", OLD.replace('\n', "\r\n")),
        ("one CRLF", OLD.replacen("stays.\n", "stays.\r\n", 1)),
        ("a blank at the end", OLD.replacen("stays.\n", "stays. \n", 1)),
        ("a blank in the middle", OLD.replacen("first line", "first  line", 1)),
        ("another sign that looks alike", OLD.replacen("line", "l\u{456}ne", 1)),
        ("a sign of no width", OLD.replacen("line", "li\u{200b}ne", 1)),
        ("rows in another order", OLD.replacen("- an item\n- another one", "- another one\n- an item", 1)),
        ("no line end", OLD.trim_end().to_owned() + " more\n"),
        ("a mark at the beginning", format!("\u{feff}{OLD}")),
    ] {
        violates(&gate(OLD, &after), what);
    }
    violates(&gate("# Café\n", "# Cafe\u{301}\n"), "another form of the same letters");
    // Deleted in one commit, and there again in the next.
    let sandbox = sandbox();
    let base = sandbox.commit(&[(PATH, OLD)]).to_string();
    sandbox.commit(&[(PATH, "# Requirements\n")]);
    sandbox.commit(&[(PATH, OLD)]);
    assert_eq!(sandbox.run(&["check", "--base", &base]).code, 0);
    assert_eq!(sandbox.run(&["check", "--base", &base, "--each"]).code, 1);
    // Lost in a merge that nobody wrote a line of.
    let root = sandbox.root();
    let author = ["-c", "user.name=Sam", "-c", "user.email=sam@example.org"];
    git(&root, &["checkout", "-q", "-b", "side", &base]);
    sandbox.commit(&[("side.md", "x\n")]);
    git(&root, &["checkout", "-q", "main"]);
    git(&root, &[&author[..], &["merge", "-q", "--no-commit", "--no-ff", "side"]].concat());
    std::fs::write(root.join(PATH), "# Requirements\n").unwrap();
    git(&root, &["add", "."]);
    git(&root, &[&author[..], &["commit", "-q", "-m", "merge"]].concat());
    assert_eq!(sandbox.run(&["check", "--base", &base, "--each"]).code, 1);
    assert_eq!(sandbox.run(&["check", "--base", &base]).code, 1);
}

/// Also: `meta_json_changes_by_one_record_and_nothing_else`, `a_recording_rewritten_on_its_branch_is_not_reproduced`.
#[test]
fn a15_no_byte_of_an_earlier_record_changes() {
    let meta = r#"{"slug": "x", "n": 1.57, "elaborations": [{"step_id": "01-01", "turn_count": 7}, {"step_id": "01-02"}]}"#;
    let verdict = |after: Vec<u8>| {
        let change =
            roundtable::item::Change { path: format!("{ITEM}/meta.json"), before: Some(meta.into()), after };
        roundtable::additive::verify(vec![change]).is_ok()
    };
    assert!(verdict(meta.replace("\"01-02\"}]", "\"01-02\"}, {\"step_id\": \"01-03\"}]").into_bytes()));
    for at in 0..meta.len() {
        for sign in [b'x', b'0', b'"', b' ', b',', b'}', 0xff] {
            let mut after = meta.as_bytes().to_vec();
            if after[at] == sign {
                continue;
            }
            after[at] = sign;
            assert!(!verdict(after), "byte {at} became {:?}", char::from(sign));
        }
        let mut after = meta.as_bytes().to_vec();
        let gone = after.remove(at);
        // A blank between two values says nothing.
        assert!(gone == b' ' || !verdict(after), "byte {at}, {:?}, is gone", char::from(gone));
    }
    let one = r#"{"step_id": "01-01", "turn_count": 7}"#;
    for (what, after) in [
        ("another order", meta.replace(one, "{}").replace(r#"{"step_id": "01-02"}"#, one)),
        (
            "a record in front",
            meta.replace(&format!("[{one}"), &format!("[{{\"step_id\": \"01-00\"}}, {one}")),
        ),
        ("a record dropped", meta.replace(&format!("{one}, "), "")),
        ("a field dropped", meta.replace(", \"turn_count\": 7", "")),
        ("all dropped", r#"{"slug": "x", "n": 1.57}"#.to_owned()),
        ("a key twice", meta.replace("\"n\"", "\"slug\": \"y\", \"n\"")),
        ("another number", meta.replace("1.57", "1.571")),
    ] {
        assert_ne!(after, meta, "{what}");
        assert!(!verdict(after.into_bytes()), "{what}");
    }
}

/// A repository in which everything that git would run makes a canary.
#[cfg(unix)]
fn hostile(sandbox: &Sandbox) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let canary = sandbox.outside("canary");
    let touch = format!("touch {}", canary.display());
    let root = sandbox.root();
    for hook in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "prepare-commit-msg",
        "pre-push",
        "post-checkout",
        "post-merge",
        "reference-transaction",
        "update",
        "pre-receive",
        "post-update",
        "push-to-checkout",
        "fsmonitor-watchman",
        "pre-auto-gc",
    ] {
        let path = root.join(".git/hooks").join(hook);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{touch}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let included =
        sandbox.script("included", format!("[core]\n\tfsmonitor = {touch}\n\tsshCommand = {touch}\n"));
    for (key, value) in [
        ("include.path", included.as_str()),
        ("core.askPass", &touch),
        ("core.gitProxy", &touch),
        ("core.alternateRefsCommand", &touch),
        ("credential.helper", &format!("!{touch}")),
        ("uploadpack.packObjectsHook", &touch),
        ("remote.origin.uploadpack", &touch),
        ("remote.origin.receivepack", &touch),
        ("remote.origin.vcs", "ext"),
        ("protocol.ext.allow", "always"),
        ("interactive.diffFilter", &touch),
        ("gc.auto", "1"),
    ] {
        sandbox.git.config().unwrap().set_str(key, value).unwrap();
    }
    canary
}

/// Also: `nothing_of_the_repository_is_run`, `attributes_and_settings_of_git_change_nothing`.
#[test]
#[cfg(unix)]
fn a20_nothing_that_a_repository_names_is_run_where_nothing_is_pushed() {
    let sandbox = sandbox();
    sandbox.commit(&[(".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c 'touch canary'\n")]);
    let canary = hostile(&sandbox);
    for args in [
        &["check", "--base", "main~1", "--head", "main"][..],
        &["check", "--staged"],
        &["status"],
        &["replay", "--all"],
        &["steps", "check"],
    ] {
        sandbox.run(args);
    }
    sandbox.elaborate("done\n", &[]);
    assert!(!canary.exists());
}
