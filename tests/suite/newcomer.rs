//! The first hour of somebody who has only read the README: an own repository, an empty home, no identity
//! of git's. What the terminal shows at each step stands in the snapshots.

use crate::kit::{Run, Sandbox, empty};

const TALK: &str = "Maya, who is hurt when a fee is wrong?\nWhat do you all think about a limit per month?\nWe decided to stop fees at 10 euros because more would keep people away.\ndone\n";
const SPEC: &str = "docs/requirements/late-fees/requirements-spec.md";
const BRANCH: &str = "roundtable/late-fees";

/// Runs a command, and writes down what was typed and what came of it.
fn types(sandbox: &Sandbox, session: &mut String, words: &[&str]) -> Run {
    let mut command = sandbox.command(words);
    // A clock that stands still, for the snapshot.
    let run = Run::of(command.env("SOURCE_DATE_EPOCH", "1771597800").output().unwrap());
    let typed: Vec<String> = words
        .iter()
        .map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() })
        .collect();
    let said = format!("{}{}", run.stdout, run.stderr);
    session.push_str(&format!(
        "{}\n{}",
        [&["$ roundtable".to_owned()], &typed[..]].concat().join(" "),
        told(&said)
    ));
    session.push_str(&if run.code == 0 { "\n".to_owned() } else { format!("[exit code {}]\n\n", run.code) });
    run
}

/// What is said without what the three say and what follows from it: that is shown by other tests, and
/// changes with their words.
fn told(said: &str) -> String {
    let (start, end) = ("\nMaya Chen (Business Analyst): ", "\nUpdated requirements-spec.md");
    let cut = match (said.find(start), said.rfind(end)) {
        (Some(from), Some(to)) if from < to => format!("{}\n  […]\n{}", &said[..from], &said[to..]),
        _ => said.to_owned(),
    };
    let is_commit = |word: &str| word.len() == 10 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    cut.split_inclusive([' ', '\n', '.', ','])
        .map(|word| match word.trim_end_matches([' ', '\n', '.', ',']) {
            bare if is_commit(bare) => word.replace(bare, "0123456789"),
            _ => word.to_owned(),
        })
        .collect()
}

/// The README's own commands, copied from it, from the clone to the check that fails.
#[cfg(unix)]
#[test]
fn who_copies_the_commands_of_the_readme_sees_this() {
    let session: Vec<String> = crate::documents::session("README.md").iter().map(|said| told(said)).collect();
    let codes = session.iter().filter(|said| said.contains("[exit code")).count();
    // The last check says no.
    assert_eq!(codes, 1, "{session:?}");
    for verb in ["elaborate", "check", "replay", "why"] {
        assert!(session.iter().any(|said| said.starts_with(&format!("$ roundtable {verb} "))), "{verb}");
    }
    insta::assert_snapshot!(session.join("\n"));
}

#[test]
fn a_newcomer_reaches_a_commit_a_check_that_passes_one_that_fails_and_a_replay() {
    let sandbox = empty();
    sandbox.commit(&[
        ("README.md", "# Library\n\nBooks, readers, late fees.\n"),
        ("src/fees.rs", "// late fees\n"),
    ]);
    std::fs::write(sandbox.root().join("talk.txt"), TALK).unwrap();
    let mut session = String::new();
    let mut step = |words: &[&str]| types(&sandbox, &mut session, words).code;
    assert_eq!(step(&[]), 2);
    let action = "example/roundtable@0123456789012345678901234567890123456789";
    assert_eq!(step(&["init", "--github", "--action", action]), 0);
    assert_eq!(step(&["add", "late-fees", "--name", "late fees"]), 0);
    let talk = ["elaborate", "late-fees", "--step", "01-01", "--script", "talk.txt"];
    assert_eq!(step(&[&talk[..], &["--dry-run"]].concat()), 0);
    assert_eq!(step(&talk), 0);
    assert_eq!(step(&["status"]), 0);
    assert_eq!(step(&["check", "--base", "main", "--head", BRANCH]), 0);
    assert_eq!(step(&["replay", "--all", "--rev", BRANCH]), 0);
    let text = sandbox.file(BRANCH, SPEC);
    let decided = text.lines().position(|line| line.contains("10 euros")).unwrap() + 1;
    assert_eq!(step(&["why", &format!("{SPEC}:{decided}"), "--rev", BRANCH]), 0);
    rewrite(&sandbox, &text);
    assert_eq!(step(&["check", "--base", "main", "--head", "HEAD"]), 0);
    assert_eq!(step(&["check", "--base", BRANCH, "--head", "HEAD"]), 1);
    insta::assert_snapshot!(session);
}

/// Somebody makes the limit 20 euros, on a branch from the item's.
fn rewrite(sandbox: &Sandbox, text: &str) {
    let tip = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    sandbox.git.branch("twenty", &tip, false).unwrap();
    sandbox.git.set_head("refs/heads/twenty").unwrap();
    sandbox.git.checkout_head(Some(git2::build::CheckoutBuilder::new().force())).unwrap();
    sandbox.commit(&[(SPEC, &text.replace("10 euros", "20 euros"))]);
}
