//! What is different on a terminal: colour, the width, what is waited for; and what a shell is
//! told when somebody presses tab. The terminal is made by script(1) of util-linux.

use std::process::Command;

use unicode_width::UnicodeWidthStr as _;

use crate::kit::{BRANCH, Run, Sandbox, sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_roundtable");

/// Runs a command of the shell's in the repository, on a terminal; both outputs come together.
#[cfg(target_os = "linux")]
fn on_terminal(sandbox: &Sandbox, command: &str, environment: &[(&str, &str)]) -> Run {
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", command, "/dev/null"]);
    script.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", sandbox.outside("home"));
    script.env("SHELL", "/bin/sh").env("TERM", "xterm").envs(environment.iter().copied());
    Run::of(
        script
            .current_dir(sandbox.root())
            .stdin(std::process::Stdio::null())
            .output()
            .expect("the tests need script(1)"),
    )
}

fn talked() -> (Sandbox, String) {
    let sandbox = sandbox();
    sandbox.elaborate("Maya, who is hurt?\ndone\n", &[]).ok();
    let recording = format!("{BRANCH}:{}", sandbox.recordings()[0]);
    (sandbox, recording)
}

#[cfg(target_os = "linux")]
#[test]
fn colour_is_for_terminals_and_for_who_asks() {
    let (sandbox, recording) = talked();
    let coloured = |more: &str, environment: &[(&str, &str)]| {
        let command = format!("{PROGRAM} show {recording} {more}");
        on_terminal(&sandbox, &command, environment).ok().stdout.contains("\u{1b}[")
    };
    assert!(coloured("", &[]));
    assert!(!coloured("", &[("NO_COLOR", "1")]));
    assert!(!coloured("", &[("TERM", "dumb")]));
    assert!(!coloured("--color never", &[]));
    assert!(coloured("--color always", &[("NO_COLOR", "1")]));
    let piped =
        |more: &[&str]| sandbox.run(&[&["show", &recording], more].concat()).ok().stdout.contains('\u{1b}');
    assert!(!piped(&[]));
    assert!(piped(&["--color", "always"]));
    // What is wrong with the arguments is coloured alike.
    let usage = |more: &str| on_terminal(&sandbox, &format!("{PROGRAM} {more} shwo"), &[]).stdout;
    assert!(usage("").contains("\u{1b}[") && usage("--color always").contains("\u{1b}["));
    assert!(!usage("--color never").contains('\u{1b}'), "{}", usage("--color never"));
    assert!(!usage("--color=never").contains('\u{1b}'));
}

#[cfg(target_os = "linux")]
#[test]
fn findings_fit_the_terminal_and_their_quotations_stay_in_view() {
    let sandbox = sandbox();
    let long = "Every office of the district keeps its own list, ";
    let text =
        format!("# Desk\n\n- **R-1** {long}{long}{long}and the number of errors is TBD, 日本語 included.\n");
    let path = "docs/a-desk-whose-name-is-longer-than-most-names-that-people-give-to-a-file.md";
    sandbox.commit(&[(path, text.as_str())]);
    for columns in [30, 60, 100] {
        let command = format!("stty cols {columns} rows 24; {PROGRAM} review --color never docs");
        let run = on_terminal(&sandbox, &command, &[]);
        let lines: Vec<&str> = run.stdout.lines().map(str::trim_end).collect();
        // A place is one word.
        let is_text = |line: &&&str| line.starts_with("    ");
        assert!(
            lines.iter().filter(is_text).all(|line| line.width() <= columns),
            "{columns}: {}",
            run.stdout
        );
        assert!(
            lines.iter().any(|line| line.starts_with("    | ") && line.contains("TBD")),
            "{}",
            run.stdout
        );
    }
    let piped = sandbox.run(&["review", "docs"]).stdout;
    assert!(piped.lines().any(|line| line.len() > 100), "{piped}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_waited_for_is_said_on_a_terminal_and_goes_away() {
    let sandbox = sandbox();
    let script = sandbox.script("talk.txt", "done\n");
    let voice = sandbox.script("voice.sh", "#!/bin/sh\ncat > /dev/null\necho nothing\n");
    let command = format!(
        "{PROGRAM} elaborate offline-mode --step 01-03 --script {script} --dry-run --voice 'command:sh {voice}'"
    );
    let waits = |environment: &[(&str, &str)]| on_terminal(&sandbox, &command, environment).stdout;
    let said = waits(&[]);
    assert!(said.contains("\r… waiting for command:sh\u{1b}[K") && said.contains("\r\u{1b}[K"), "{said}");
    assert!(!waits(&[("CI", "true")]).contains("waiting for"));
    assert!(!waits(&[("TERM", "dumb")]).contains("waiting for"));
    let piped = sandbox.run(&[
        "elaborate",
        "offline-mode",
        "--step",
        "01-03",
        "--script",
        &script,
        "--dry-run",
        "--voice",
        &format!("command:sh {voice}"),
    ]);
    assert!(!piped.stderr.contains("waiting for") && !piped.stdout.contains('\r'), "{}", piped.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_draft_shows_that_it_is_made_what_it_took_and_what_was_left_out() {
    let sandbox = sandbox();
    let script = sandbox.script("answers.txt", "Photos of one day\nC\n");
    let draft = r#"{"lines": [{"kind": "summary", "text": "Photos of one day", "rests": [{"path": "requirements-spec.md", "line": 1, "quote": "Requirements"}]}, {"kind": "verdict", "fields": {"criterion": "A goal", "because": "7 photos"}, "rests": []}]}"#;
    let draft = sandbox.script("draft.json", draft);
    let voice = sandbox.script("voice.sh", format!("cat > /dev/null\ncat {draft}\n"));
    let command = format!(
        "{PROGRAM} analyze offline-mode --script {script} --depth brief --price 1,1,1 --voice 'command:sh {voice}'"
    );
    let said = on_terminal(&sandbox, &command, &[]).stdout;
    assert!(said.contains("\r… step 00-01 is drafted\u{1b}[K"), "{said}");
    assert!(said.contains(" tokens so far, $"), "the second try: {said}");
    assert!(said.contains("left out of the draft: \"because: 7 photos; criterion: A goal\""), "{said}");
    assert!(said.contains("2 requests in all"), "{said}");
}

#[cfg(unix)]
#[test]
fn bash_completes_with_the_script_that_is_printed() {
    let (sandbox, _) = talked();
    let completions = sandbox.script("completions.bash", sandbox.run(&["completions", "bash"]).ok().stdout);
    let press_tab = "source \"$1\"; COMP_WORDS=(roundtable elab); COMP_CWORD=1; COMP_TYPE=9; \
                     $(complete -p roundtable | sed 's/.*-F \\([^ ]*\\).*/\\1/') roundtable elab roundtable; \
                     printf '%s\\n' \"${COMPREPLY[@]}\"";
    let folder = std::path::Path::new(PROGRAM).parent().unwrap().to_str().unwrap();
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", press_tab, "bash", &completions]).current_dir(sandbox.root());
    bash.env_clear().env("HOME", sandbox.outside("home")).env("PATH", format!("{folder}:/usr/bin:/bin"));
    let run = Run::of(bash.output().expect("the tests need bash")).ok();
    assert_eq!(run.stdout.trim(), "elaborate", "{}", run.stderr);
}

#[test]
fn the_program_alone_says_what_it_is_for_and_what_to_try() {
    let sandbox = sandbox();
    let run = sandbox.run(&[]);
    insta::assert_snapshot!(format!("{}{}[exit code {}]", run.stdout, run.stderr, run.code));
    let version = sandbox.run(&["--version"]).ok().stdout;
    let first = format!("roundtable {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(version.lines().next(), Some(first.as_str()));
    assert!(version.contains("\ntarget: "), "{version}");
    assert_eq!(sandbox.run(&["-V"]).ok().stdout, format!("{first}\n"));
}

#[test]
fn packages_are_named_as_the_release_names_them() {
    let root = env!("CARGO_MANIFEST_DIR");
    let manifest = std::fs::read_to_string(format!("{root}/Cargo.toml")).unwrap();
    let release = std::fs::read_to_string(format!("{root}/.github/workflows/release.yml")).unwrap();
    assert!(
        release.contains("name=roundtable-$TAG-$TARGET")
            && release.contains("\"$name.tar.gz\"")
            && release.contains("\"$name.zip\"")
    );
    assert!(manifest.contains("/v{ version }/roundtable-v{ version }-{ target }.tar.gz\""));
    assert!(manifest.contains("/v{ version }/roundtable-v{ version }-{ target }.zip\""));
    assert!(manifest.contains("bin-dir = \"roundtable-v{ version }-{ target }/{ bin }{ binary-ext }\""));
    // What .ci/extras makes is what the Debian package takes.
    let extras = std::fs::read_to_string(format!("{root}/.ci/extras")).unwrap();
    for line in manifest.lines().filter(|line| line.contains("target/extras/")) {
        let name = line.split("target/extras/").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert!(extras.contains(&format!("$dir/{name}")), "{name}");
    }
}
