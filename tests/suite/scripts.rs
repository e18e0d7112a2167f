//! What a script may be, and what is taken out of it.

use crate::kit::{AT, BRANCH, sandbox};

#[test]
fn a_credential_in_a_message_is_masked_before_it_is_recorded() {
    let sandbox = sandbox();
    // Put together here, so that no scanner finds a token in this file.
    let token = format!("{}{}", "npm_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let lines =
        format!("Alex, does the server take {token}?\nWe keep postgres://app:s3cr3t-w0rd@db/x.\ndone\n");
    let run = sandbox.elaborate(&lines, &["--at", AT]).ok();
    let warnings: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warnings.len(), 2, "{}", run.stderr);
    assert!(warnings[0].starts_with("warning: message 1 holds an npm token, masked"), "{}", run.stderr);
    assert!(warnings[1].starts_with("warning: message 2 holds a password, masked"), "{}", run.stderr);
    let recording = sandbox.file(BRANCH, &sandbox.recordings()[0]);
    assert!(recording.contains("does the server take [masked: npm token]?"), "{recording}");
    for text in [recording, sandbox.spec(), run.stdout, run.stderr] {
        assert!(!text.contains(&token) && !text.contains("s3cr3t"), "{text}");
    }
    assert!(sandbox.run(&["replay", "--all", "--rev", BRANCH]).code == 0);
}

#[test]
fn another_ending_and_another_encoding_are_refused_by_name() {
    let sandbox = sandbox();
    for (name, bytes, wanted) in [
        ("talk.md", &b"Maya, why?\n"[..], "ends in .txt, .yaml or .json"),
        ("talk", b"Maya, why?\n", "ends in .txt, .yaml or .json"),
        ("talk.txt", b"\xff\xfeM\0a\0y\0a\0", "UTF-16"),
    ] {
        let script = sandbox.script(name, bytes);
        let run = sandbox.run(&["elaborate", "offline-mode", "--step", "01-03", "--script", &script]);
        assert_eq!(run.code, 2, "{name}: {}", run.stderr);
        assert!(run.stderr.contains(wanted) && run.stderr.contains("help: "), "{name}: {}", run.stderr);
        assert_eq!(sandbox.tip(BRANCH), None);
    }
}

#[test]
fn title_and_body_of_an_issue_are_no_turns() {
    let sandbox = sandbox();
    let view = r#"{"title": "Sync", "body": "It is slow.", "author": {"login": "kim"},
        "comments": [{"author": {"login": "sam"}, "body": "Maya, who waits for it?"}]}"#;
    let script = sandbox.script("issue.json", view);
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT];
    let run = sandbox.run(&args).ok();
    assert!(
        run.stderr.contains("note: the issue's text becomes draft.md of the item; it is not a message"),
        "{}",
        run.stderr
    );
    let said: Vec<String> = sandbox
        .events()
        .iter()
        .filter(|event| event["kind"] == "user")
        .map(|event| format!("{}: {}", event["by"].as_str().unwrap(), event["text"].as_str().unwrap()))
        .collect();
    assert_eq!(said, ["sam: Maya, who waits for it?"]);
}
