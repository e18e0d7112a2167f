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
