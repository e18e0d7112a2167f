//! Who a commit is by, and that a replay takes that from the recording.

use crate::kit::{AT, BRANCH, Run, Sandbox, sandbox};

const TALK: &str = "We decided to keep both answers because nobody may lose work.\ndone\n";

/// The author of the branch's tip, as `name <email>`.
fn author(sandbox: &Sandbox) -> String {
    let commit = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    let (author, committer) = (commit.author(), commit.committer());
    assert_eq!(author.name_bytes(), committer.name_bytes());
    format!("{} <{}>", author.name().unwrap(), author.email().unwrap())
}

fn message(sandbox: &Sandbox) -> String {
    sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().message().unwrap().to_owned()
}

fn elaborate(sandbox: &Sandbox, variables: &[(&str, &str)], more: &[&str]) -> Run {
    let script = sandbox.script("talk.txt", TALK);
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT];
    let mut command = sandbox.command(&[&args, more].concat());
    Run::of(command.envs(variables.iter().copied()).output().unwrap())
}

#[test]
fn the_author_is_who_the_settings_or_git_name() {
    let sam = [("GIT_AUTHOR_NAME", "Sam <x> Lee"), ("GIT_AUTHOR_EMAIL", "sam@example.org")];
    let half = [("GIT_AUTHOR_NAME", "Sam")];
    let job = [("GITHUB_ACTIONS", "true")];
    for (variables, configured, in_git, wanted) in [
        (&[][..], false, false, "roundtable <roundtable@localhost>"),
        (&half[..], false, false, "roundtable <roundtable@localhost>"),
        (
            &job[..],
            false,
            false,
            "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>",
        ),
        (&sam[..], false, true, "Sam x Lee <sam@example.org>"),
        (&half[..], false, true, "Sam <kim@example.org>"),
        (&job[..], false, true, "Kim <kim@example.org>"),
        (&sam[..], true, true, "Team <team@example.org>"),
    ] {
        let sandbox = sandbox();
        if configured {
            let settings = "author: {name: Team, email: team@example.org}\n";
            sandbox.commit(&[(".roundtable.yaml", settings)]);
        }
        if in_git {
            let mut config = sandbox.git.config().unwrap();
            config.set_str("user.name", "Kim").unwrap();
            config.set_str("user.email", "kim@example.org").unwrap();
        }
        elaborate(&sandbox, variables, &[]).ok();
        assert_eq!(author(&sandbox), wanted);
        let opened = &sandbox.events()[0]["author"];
        let recorded =
            format!("{} <{}>", opened["name"].as_str().unwrap(), opened["email"].as_str().unwrap());
        assert_eq!(recorded, wanted);
        assert!(!message(&sandbox).contains("Signed-off-by"));
    }
}

#[test]
fn a_replay_takes_author_and_sign_off_from_the_recording() {
    let sandbox = sandbox();
    let sam = [("GIT_AUTHOR_NAME", "Sam Lee"), ("GIT_AUTHOR_EMAIL", "sam@example.org")];
    elaborate(&sandbox, &sam, &["--signoff"]).ok();
    let (commit, said) = (sandbox.tip(BRANCH).unwrap(), message(&sandbox));
    assert!(said.ends_with("\nSigned-off-by: Sam Lee <sam@example.org>\n"), "{said}");
    assert_eq!(said.matches("Signed-off-by").count(), 1);
    let out = sandbox.outside("talk.jsonl");
    std::fs::write(&out, sandbox.file(BRANCH, &sandbox.recordings()[0])).unwrap();
    // Somebody else, without the flag: the same commit.
    sandbox.git.find_branch(BRANCH, git2::BranchType::Local).unwrap().delete().unwrap();
    sandbox.run(&["replay", out.to_str().unwrap(), "--onto", "main", "--branch", BRANCH]).ok();
    assert_eq!(sandbox.tip(BRANCH), Some(commit));
    sandbox.run(&["replay", "--all"]).ok();
}

#[test]
fn a_new_item_and_an_analysis_are_signed_off_too() {
    let sandbox = sandbox();
    sandbox.run(&["add", "late-fees", "--name", "late fees", "--at", AT, "--signoff"]).ok();
    let tip = sandbox.tip("roundtable/late-fees").unwrap();
    let said = sandbox.git.find_commit(tip).unwrap().message().unwrap().to_owned();
    assert!(said.ends_with("\nSigned-off-by: roundtable <roundtable@localhost>\n"), "{said}");
    let script = sandbox.script("answers.txt", "Fees are charged after 14 days.\nC\n");
    sandbox.run(&["analyze", "late-fees", "--script", &script, "--at", AT, "--signoff"]).ok();
    let tip = sandbox.tip("roundtable/late-fees").unwrap();
    let said = sandbox.git.find_commit(tip).unwrap().message().unwrap().to_owned();
    assert!(said.ends_with("\nSigned-off-by: roundtable <roundtable@localhost>\n"), "{said}");
}

#[test]
fn an_author_that_git_has_no_form_for_is_refused() {
    for author in
        ["{name: '', email: a@b}", "{name: \"a\\nb\", email: a@b}", "{name: a, email: '<a@b>'}", "{name: a}"]
    {
        let sandbox = sandbox();
        sandbox.commit(&[(".roundtable.yaml", &format!("author: {author}\n"))]);
        let run = elaborate(&sandbox, &[], &[]);
        assert_eq!(run.code, 2, "{author}: {}", run.stderr);
        assert!(run.stderr.contains(".roundtable.yaml:1:"), "{author}: {}", run.stderr);
        assert_eq!(sandbox.tip(BRANCH), None);
    }
}
