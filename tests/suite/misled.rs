//! What could mislead: a wrong diagnosis, a remedy that makes something else, a result that is not told.

use crate::kit::{AT, BRANCH, ITEM, Run, Sandbox, empty, sandbox};

const DOCUMENT: &str = "docs/late-fees/requirements.md";
const TEXT: &str =
    "# Late fees\n\n- FR-001: Readers get one letter a month.\n- FR-002: It arrives within TBD days.\n";
const DECISION: &str = "Decision: FR-002 is 14 days.\ndone\n";

/// A document in a folder that is no item yet.
fn library() -> Sandbox {
    let sandbox = empty();
    sandbox.commit(&[(DOCUMENT, TEXT)]);
    sandbox
}

fn discuss(sandbox: &Sandbox, item: &str, script: &str, more: &[&str]) -> Run {
    let script = sandbox.script("talk.txt", script);
    sandbox.run(&[&["elaborate", item, "--step", "01-03", "--script", &script, "--at", AT], more].concat())
}

fn write(sandbox: &Sandbox, path: &str, bytes: &[u8]) {
    std::fs::create_dir_all(sandbox.root().join(path).parent().unwrap()).unwrap();
    std::fs::write(sandbox.root().join(path), bytes).unwrap();
}

#[test]
fn a_document_that_is_not_utf_8_is_told_as_that() {
    let sandbox = library();
    write(&sandbox, "docs/late-fees/l1.md", b"# Fees\n\n- FR-001: Geb\xfchren TBD\n");
    sandbox.commit_all();
    let run = discuss(&sandbox, "docs/late-fees/l1.md", DECISION, &[]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stderr.contains("l1.md is not UTF-8") && !run.stderr.contains("roundtable add"),
        "{}",
        run.stderr
    );
    let run = discuss(&sandbox, "docs/late-fees", DECISION, &["-q"]).ok();
    assert!(run.stderr.contains("warning: not UTF-8 text, and left out: l1.md"), "{}", run.stderr);
}

#[test]
fn a_name_of_no_item_leads_to_the_folder_that_has_documents() {
    let sandbox = library();
    for name in ["late-fees", "late-fes", "docs/late-fes", "docs/latefees/"] {
        let run = discuss(&sandbox, name, DECISION, &[]);
        assert_eq!(run.code, 2, "{name}: {}", run.stdout);
        assert!(run.stderr.contains("did you mean \"docs/late-fees\"?"), "{name}: {}", run.stderr);
    }
    for name in ["docs/late-fees/requirement.md", "docs/late-fes/requirements.md", "requirements.md"] {
        let run = discuss(&sandbox, name, DECISION, &[]);
        assert_eq!(run.code, 2, "{name}: {}", run.stdout);
        let near = "did you mean \"docs/late-fees/requirements.md\"?";
        assert!(run.stderr.contains(near), "{name}: {}", run.stderr);
    }
    write(&sandbox, "docs/new/requirements.md", TEXT.as_bytes());
    let run = discuss(&sandbox, "docs/new", DECISION, &[]);
    assert!(run.code == 2 && run.stderr.contains("git add docs/new && git commit"), "{}", run.stderr);
    // A shell completes names with a slash.
    let sandbox = crate::kit::sandbox();
    discuss(&sandbox, "offline-mode/", DECISION, &[]).ok();
    assert!(sandbox.spec().contains("14 days"));
}

#[test]
fn report_only_over_settings_prints_the_line_to_add() {
    let sandbox = library();
    write(&sandbox, ".roundtable.yaml", b"max_turns: 12\n");
    let run = sandbox.run(&["init", "--report-only"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    let line = run.stderr.split('`').nth(1).expect("a line to add").to_owned();
    assert!(line.starts_with("report_until: 2"), "{}", run.stderr);
    write(&sandbox, ".roundtable.yaml", format!("max_turns: 12\n{line}\n").as_bytes());
    let run = sandbox.run(&["init", "--report-only"]).ok();
    assert!(run.stdout.contains("reported only"), "{}", run.stdout);
}

#[test]
fn an_edit_that_is_not_committed_is_told_at_the_first_discussion() {
    let sandbox = library();
    write(&sandbox, DOCUMENT, format!("{TEXT}- FR-003: New.\n").as_bytes());
    let run = discuss(&sandbox, DOCUMENT, DECISION, &[]).ok();
    assert!(run.stderr.contains("requirements.md is edited and not committed"), "{}", run.stderr);
    // A document among others, whose folder is not there yet.
    let sandbox = library();
    sandbox.commit(&[("docs/late-fees/other.md", TEXT)]);
    write(&sandbox, DOCUMENT, format!("{TEXT}- FR-003: New.\n").as_bytes());
    let run = discuss(&sandbox, DOCUMENT, DECISION, &[]).ok();
    assert!(run.stderr.contains("requirements.md is edited and not committed"), "{}", run.stderr);
}

#[test]
fn a_decision_that_gets_into_no_document_is_a_warning_and_one_that_comes_late_is_none() {
    let sandbox = library();
    write(&sandbox, "docs/nul/requirements.md", b"# Fees\n\n- FR-001: One \x00 letter.\n");
    sandbox.commit_all();
    let run = discuss(&sandbox, "docs/nul", DECISION, &["-q"]).ok();
    assert!(run.stderr.contains("warning: Left requirements.md as it is"), "{}", run.stderr);
    let sandbox = library();
    let run = discuss(&sandbox, DOCUMENT, "done\nDecision: FR-002 is late.\n", &["-q"]).ok();
    assert!(run.stderr.contains("came too late") && !run.stderr.contains("no document"), "{}", run.stderr);
}

#[test]
fn a_decision_without_words_is_none() {
    for script in ["Decision: .\ndone\n", "Decision: ```\ndone\n"] {
        let sandbox = library();
        discuss(&sandbox, DOCUMENT, script, &[]).ok();
        let branch = "roundtable/late-fees";
        let document = sandbox.file(branch, DOCUMENT);
        assert!(!document.contains("(Sam)") && !document.contains("Decisions"), "{script}: {document}");
    }
}

#[test]
fn an_item_that_cannot_be_read_hides_no_other() {
    let sandbox = sandbox();
    for (name, meta) in [("a", "{slug: 1}\n"), ("z", "[\n")] {
        write(&sandbox, &format!("docs/requirements/{name}/meta.json"), meta.as_bytes());
    }
    sandbox.commit_all();
    for verb in [&["status"][..], &["show"], &["show", "--decisions"]] {
        let run = sandbox.run(verb);
        assert_eq!(run.code, 2, "{verb:?} {}", run.stdout);
        assert!(run.stdout.contains(ITEM), "{verb:?} {}", run.stdout);
        for name in ["a/meta.json:1", "z/meta.json:", "read from commit"] {
            assert!(run.stderr.contains(name), "{verb:?} {name}: {}", run.stderr);
        }
    }
    sandbox.run(&["status", "offline-mode"]).ok();
    assert!(sandbox.run(&["status", "a"]).stderr.contains("a/meta.json:1"));
}

#[test]
fn an_analysis_that_only_adds_the_item_says_so() {
    let sandbox = library();
    let script = sandbox.script("a.txt", "\n");
    let run = sandbox.run(&["analyze", DOCUMENT, "--script", &script]).ok();
    assert!(run.stdout.contains("which adds the item") && !run.stdout.contains("Nothing"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn a_program_that_cannot_be_started_is_told_why() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox();
    let path = sandbox.script("voice", "#!/nope -x\n");
    for (mode, said) in [(0o644, "chmod +x"), (0o755, "its first line names /nope")] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let run = sandbox.elaborate("Who?\ndone\n", &["--voice", &format!("command:{path}")]);
        assert!(run.code == 2 && run.stderr.contains(said), "{}", run.stderr);
    }
    let folder = sandbox.outside("home").display().to_string();
    let run = sandbox.elaborate("Who?\ndone\n", &["--voice", &format!("command:{folder}")]);
    assert!(run.code == 2 && run.stderr.contains("it is a folder"), "{}", run.stderr);
    let run = sandbox.elaborate("Who?\ndone\n", &["--voice", "command:sleep 9", "--timeout", "1"]);
    assert!(run.code == 2 && run.stderr.contains("--timeout SECONDS"), "{}", run.stderr);
    assert_eq!(sandbox.tip(BRANCH), None);
}

#[test]
fn a_folder_whose_name_is_no_branch_leads_to_the_option() {
    let sandbox = empty();
    sandbox.commit(&[("docs/x.lock/requirements.md", TEXT)]);
    let run = discuss(&sandbox, "docs/x.lock", DECISION, &[]);
    assert!(run.code == 2 && run.stderr.contains("--branch"), "{}", run.stderr);
    discuss(&sandbox, "docs/x.lock", DECISION, &["--branch", "roundtable/x"]).ok();
}

/// The work for a text that is not plain grows with its length.
#[test]
fn a_long_text_with_a_sign_beyond_ascii_is_written_in_one_pass() {
    let text = format!("{}…", "word ".repeat(200_000));
    let begun = std::time::Instant::now();
    assert_eq!(roundtable::text::plain::markdown(&text), text);
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
