//! `roundtable review` as a whole program: what is read, how it is reported, what silences it.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::kit::{ITEM, Run, Sandbox, sandbox};

const VAGUE: &str =
    "# Desk\n\n- **R-1** Errors must be handled appropriately.\n- **R-2** The owner is TBD.\n";

/// Runs `review` with `--json`, whatever the answer is.
fn found(sandbox: &Sandbox, args: &[&str]) -> (i32, Vec<Value>) {
    let run = sandbox.run(&[&["review", "--json"], args].concat());
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    (run.code, report["findings"].as_array().unwrap().clone())
}

fn rules_of(findings: &[Value]) -> Vec<&str> {
    findings.iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

fn on_stdin(sandbox: &Sandbox, text: &str, args: &[&str]) -> Run {
    let mut command = sandbox.command(&[&["review", "-"], args].concat());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

fn with_desk() -> Sandbox {
    let sandbox = sandbox();
    sandbox.commit(&[("docs/desk.md", VAGUE)]);
    sandbox
}

#[test]
fn files_folders_items_commits_and_standard_input_are_read() {
    let sandbox = with_desk();
    let expected = ["vague-term", "open-marker"];
    for args in [&["docs/desk.md"][..], &["docs"], &["--rev", "HEAD", "docs/desk.md"]] {
        let (code, findings) = found(&sandbox, args);
        let of_desk: Vec<Value> = findings.into_iter().filter(|one| one["path"] == "docs/desk.md").collect();
        assert_eq!((code, rules_of(&of_desk)), (1, expected.to_vec()), "{args:?}");
    }
    let spec = format!("{ITEM}/requirements-spec.md");
    for args in [&["offline-mode"][..], &[ITEM], &[]] {
        let (_, findings) = found(&sandbox, args);
        assert!(findings.iter().all(|one| one["path"] == spec.as_str()), "{args:?}");
    }
    let run = on_stdin(&sandbox, VAGUE, &["--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &report["findings"][0]["path"]), (1, &Value::from("<stdin>")));
}

#[test]
fn only_changed_lines_count_with_a_base_or_the_index() {
    let sandbox = with_desk();
    let more = format!("{VAGUE}- **R-3** The page must close gracefully.\n");
    std::fs::write(sandbox.root().join("docs/desk.md"), &more).unwrap();
    let (code, findings) = found(&sandbox, &["--base", "HEAD", "docs"]);
    assert_eq!((code, findings.len(), findings[0]["line"].as_u64()), (0, 1, Some(5)));
    let (code, findings) = found(&sandbox, &["--staged", "docs"]);
    assert_eq!((code, findings.len()), (0, 0), "nothing is staged");
    let mut index = sandbox.git.index().unwrap();
    index.add_path(std::path::Path::new("docs/desk.md")).unwrap();
    index.write().unwrap();
    assert_eq!(rules_of(&found(&sandbox, &["--staged", "docs"]).1), ["vague-term"]);
}

#[test]
fn people_programs_annotations_and_sarif_get_their_form() {
    let sandbox = with_desk();
    let formatted = |format: &str| sandbox.run(&["review", "docs/desk.md", "--format", format]).stdout;
    let human = formatted("human");
    assert!(
        human.contains("docs/desk.md:4:") && human.contains("TBD") && human.contains("open-marker"),
        "{human}"
    );
    let github = formatted("github");
    assert!(github.contains("::error ") && github.contains("file=docs/desk.md,line=4"), "{github}");
    let sarif: Value = serde_json::from_str(&formatted("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["ruleId"]), (2, &Value::from("vague-term")));
    let region = &results[1]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 4);
    let report: Value = serde_json::from_str(&formatted("json")).unwrap();
    let keys = [
        "rule",
        "severity",
        "path",
        "line",
        "column",
        "end_line",
        "end_column",
        "quote",
        "message",
        "why",
        "suggestion",
        "reference",
        "persona",
        "related",
    ];
    assert!(keys.iter().all(|key| report["findings"][0].get(key).is_some()), "{report}");
    assert_eq!(
        (&report["documents"], &report["lines"], &report["suppressed"]),
        (&1.into(), &4.into(), &0.into())
    );
}

#[test]
fn a_comment_silences_the_next_block_and_an_idle_one_is_a_finding() {
    let sandbox = sandbox();
    let text = "<!-- roundtable-ignore open-marker: decided in May -->\nThe owner is TBD.\n\n\
                <!-- roundtable-ignore vague-term: none here -->\nThe desk opens at nine.\n";
    sandbox.commit(&[("a.md", text)]);
    let report: Value = serde_json::from_str(&sandbox.run(&["review", "a.md", "--json"]).stdout).unwrap();
    assert_eq!(report["suppressed"], 1);
    let findings = report["findings"].as_array().unwrap();
    assert_eq!((rules_of(findings), findings[0]["line"].as_u64()), (vec!["unused-ignore"], Some(4)));
}

#[test]
fn the_settings_switch_rules_off_and_change_paths_severity_and_limit() {
    let sandbox = with_desk();
    let set = |text: &str| std::fs::write(sandbox.root().join(".roundtable.yaml"), text).unwrap();
    set("review:\n  off: [open-marker]\n  severity: {vague-term: major}\n  paths: [\"docs/*.md\"]\n");
    let (code, findings) = found(&sandbox, &[]);
    assert_eq!((code, rules_of(&findings)), (1, vec!["vague-term"]));
    assert_eq!(findings[0]["severity"], "major");
    set("review:\n  fail_on: none\n");
    assert_eq!(found(&sandbox, &["docs/desk.md"]).0, 0);
    set("review:\n  off: [open-markr]\n");
    let run = sandbox.run(&["review", "docs/desk.md"]);
    assert!(run.code == 2 && run.stderr.contains("open-marker"), "{}", run.stderr);
}

#[test]
fn a_rule_file_that_is_wrong_is_named_with_line_and_column() {
    let sandbox = with_desk();
    let folder = sandbox.root().join("own/review/business-analyst");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(sandbox.root().join(".roundtable.yaml"), "rules: own\n").unwrap();
    std::fs::write(folder.join("house.yaml"), "rule: house\ntitle: t\nseverity: enormous\n").unwrap();
    let run = sandbox.run(&["review", "docs/desk.md"]);
    assert!(run.code == 2 && run.stderr.contains("house.yaml:3:"), "{}", run.stderr);
    let rule = "rule: house\ntitle: A desk\nreference: our own\nseverity: note\npersona: business-analyst\n\
                any: [Desk]\nmessage: \"“{quote}”\"\nwhy: w\nhelp: s\nyes: [door]\n";
    std::fs::write(folder.join("house.yaml"), rule).unwrap();
    assert!(rules_of(&found(&sandbox, &["docs/desk.md"]).1).contains(&"house"));
    // `--rules` lists it with the others, and runs its examples.
    let run = sandbox.run(&["review", "--rules"]);
    assert!(run.code == 1 && run.stdout.contains("A desk (own)"), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("own/review/business-analyst/house.yaml") && run.stderr.contains("`yes`"));
}

#[test]
fn findings_in_data_have_their_line_and_their_path_inside() {
    let sandbox = sandbox();
    let json = "{\n  \"stories\": [\n    {\"id\": \"US-1\", \"text\": \"Limit: TBD\"}\n  ]\n}\n";
    let csv = "id,owner,text\nA-1,Kim,\"Limit is TBD, so far\"\nA-2,Lee,y\n";
    let yaml = "rules:\n  - id: R-1\n    text: to be decided\n";
    let paths = ["user-stories.json", "list.csv", "rules.yaml"].map(|name| format!("{ITEM}/{name}"));
    sandbox.commit(&[(&paths[0], json), (&paths[1], csv), (&paths[2], yaml)]);
    let (_, findings) = found(&sandbox, &["offline-mode"]);
    let place = |name: &str| {
        let one = findings.iter().find(|one| one["path"].as_str().unwrap().ends_with(name)).unwrap();
        (one["rule"].as_str().unwrap(), one["line"].as_u64().unwrap(), one["heading"].as_str().unwrap())
    };
    assert_eq!(place(".json"), ("open-marker", 3, "stories[0].text"));
    assert_eq!(place(".csv"), ("open-marker", 2, "[0].text"));
    assert_eq!(place(".yaml"), ("open-marker", 3, "rules[0].text"));
}

#[test]
fn a_pull_request_gets_notices_on_its_changed_lines() {
    let sandbox = sandbox();
    let forge = crate::forge::forge(&sandbox);
    let base = sandbox.tip("main").unwrap();
    let text = format!("{}\n## 5. Limits\n\n- **R-9** The limit is TBD.\n", crate::kit::SPEC);
    let head = sandbox.commit(&[(&format!("{ITEM}/requirements-spec.md"), &text)]);
    let event = serde_json::json!({"pull_request": {
        "base": {"sha": base.to_string(), "ref": "main"}, "head": {"sha": head.to_string()}}});
    let run = forge.run(&sandbox, "pull_request", &event, &["run"]);
    let notices: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("::notice ")).collect();
    assert!(run.code == 0 && notices.len() == 1 && notices[0].contains("line=17"), "{}", run.stdout);
}

#[test]
fn the_rules_are_listed_and_shown() {
    let sandbox = sandbox();
    let listed: Value =
        serde_json::from_str(&sandbox.run(&["review", "--rules", "--json"]).ok().stdout).unwrap();
    let rule = listed["rules"].as_array().unwrap().iter().find(|one| one["rule"] == "open-marker").unwrap();
    assert_eq!((&rule["severity"], &rule["path"]), (&"major".into(), &"review/open-marker.yaml".into()));
    let shown = sandbox.run(&["review", "--rules", "open-marker"]).ok().stdout;
    assert!(shown.contains("why: ") && shown.contains("\nyes\n"), "{shown}");
    let wrong = sandbox.run(&["review", "--rules", "open-markr"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("open-marker"), "{}", wrong.stderr);
}

#[test]
fn hints_on_wording_fail_nothing_and_no_finding_says_what_rules_do() {
    let sandbox = with_desk();
    std::fs::write(sandbox.root().join("a.md"), "- **R-1** Errors must be handled appropriately.\n").unwrap();
    assert_eq!(sandbox.run(&["review", "a.md", "--fail-on", "note"]).code, 0);
    for (limit, code) in [("none", 0), ("major", 1), ("minor", 1), ("note", 1)] {
        assert_eq!(sandbox.run(&["review", "docs/desk.md", "--fail-on", limit]).code, code, "{limit}");
    }
    std::fs::write(sandbox.root().join("a.md"), "Nothing.\n").unwrap();
    let run = sandbox.run(&["review", "a.md"]).ok();
    assert!(run.stdout.contains("rules match words and structure only"), "{}", run.stdout);
    assert!(run.stdout.starts_with("No findings ("), "{}", run.stdout);
}

#[test]
fn why_and_help_are_told_once_a_rule_unless_asked_for() {
    let sandbox = sandbox();
    sandbox.commit(&[("a.md", "- Owner: TBD\n- Limit: TBD\n")]);
    let told =
        |args: &[&str]| sandbox.run(&[&["review", "a.md"], args].concat()).stdout.matches("why: ").count();
    assert_eq!((told(&[]), told(&["--explain"])), (1, 2));
}

#[test]
fn links_to_files_that_are_not_there_are_found_on_disk_and_in_a_commit() {
    let sandbox = sandbox();
    sandbox
        .commit(&[("docs/a.md", "See [b](b.md) and [c](c.md).\n"), ("docs/b.md", "# B\n\nSee [a](a.md).\n")]);
    for args in [&["docs"][..], &["--rev", "HEAD", "docs"]] {
        let (_, findings) = found(&sandbox, args);
        assert_eq!(rules_of(&findings), ["broken-link"], "{args:?}");
        assert!(findings[0]["message"].as_str().unwrap().contains("docs/c.md"), "{findings:?}");
    }
}

#[test]
fn what_is_no_text_is_refused() {
    let sandbox = sandbox();
    let utf16: Vec<u8> = "\u{feff}Limit: TBD".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, what) in [(&utf16[..], "UTF-16"), (b"%PDF-1.4\0", "NUL"), (b"Limit: \xff", "UTF-8")] {
        std::fs::write(sandbox.root().join("a.md"), bytes).unwrap();
        let run = sandbox.run(&["review", "a.md"]);
        assert!(run.code == 2 && run.stderr.contains(what), "{what}: {}", run.stderr);
    }
}

#[test]
fn hidden_folders_of_documents_are_read_and_others_are_not() {
    let sandbox = sandbox();
    let text = "# Gate\n\nThe owner is TBD.\n";
    sandbox.commit(&[(".kiro/specs/gate/design.md", text), (".cache/gate.md", text)]);
    let (_, findings) = found(&sandbox, &["."]);
    let paths: Vec<&str> = findings.iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(paths.iter().filter(|path| path.ends_with("design.md")).count(), 1, "{paths:?}");
    assert!(!paths.iter().any(|path| path.contains(".cache")), "{paths:?}");
}

#[test]
fn without_paths_the_items_are_read_wherever_they_are() {
    let sandbox = sandbox();
    sandbox.commit(&[
        ("areas/gate/meta.json", "{\"analysis_status\": \"raw\", \"steps_completed\": []}"),
        ("areas/gate/requirements-spec.md", "# Gate\n\nThe owner is TBD.\n"),
    ]);
    std::fs::remove_dir_all(sandbox.root().join("docs/requirements")).unwrap();
    let (code, findings) = found(&sandbox, &[]);
    assert_eq!((code, rules_of(&findings)), (1, vec!["open-marker"]));
    assert_eq!(findings[0]["path"], "areas/gate/requirements-spec.md");
}

#[test]
fn documents_of_a_folder_are_held_together() {
    let sandbox = sandbox();
    let spec = "- **FR-001**: It locks.\n- **FR-002**: It opens.\n- **FR-003**: It rings.\n";
    let tasks = "- [ ] T001 Lock and open it (FR-001, FR-002)\n";
    sandbox.commit(&[("specs/001-gate/spec.md", spec), ("specs/001-gate/tasks.md", tasks)]);
    for args in [&["specs"][..], &["--rev", "HEAD", "specs"]] {
        let (code, findings) = found(&sandbox, args);
        assert_eq!((code, rules_of(&findings)), (0, vec!["untraced-requirement"]), "{args:?}");
    }
}

/// A voice that finds three points, one of them with words that no document has, answers the second, and counts how often
/// it is asked.
const READER: &str = r##"request=$(cat)
echo asked >> "$0.log"
case "$request" in
  *'"want": "points"'* | *'"want":"points"'*) cat <<'END'
{"points": [
  {"question": "Who owns the desk?", "quotes": [{"path": "docs/desk.md", "line": 1, "quote": "The owner is TBD."}],
   "why": "Nobody can be asked.", "options": ["The branch", "The head office"], "recommended": "The branch",
   "weight": "changes what gets built", "kind": "value"},
  {"question": "What happens to errors?", "quotes": [{"path": "docs/desk.md", "line": 9, "quote": "errors must be handled"}],
   "why": "", "options": [], "recommended": "", "weight": "detail", "kind": "ambiguity"},
  {"question": "Who paints it?", "quotes": [{"path": "docs/desk.md", "line": 3, "quote": "it is painted red"}],
   "why": "", "options": [], "recommended": "", "weight": "detail", "kind": "value"}]}
END
  ;;
  *) cat <<'END'
{"refute": [{"on": 1, "answer": "They are handled.", "quotes": [{"path": "docs/desk.md", "line": 3, "quote": "must be handled appropriately"}]}]}
END
  ;;
esac
"##;

#[test]
fn a_model_reads_documents_once_and_what_it_finds_is_checked() {
    let sandbox = with_desk();
    let program = sandbox.script("reader.sh", READER);
    let voice = format!("command:/bin/sh {program}");
    let asked = || std::fs::read_to_string(format!("{program}.log")).unwrap_or_default().lines().count();
    let run = sandbox.run(&["review", "docs/desk.md", "--voice", &voice, "--fail-on", "none"]);
    assert_eq!((run.code, asked()), (0, 2), "{}", run.stderr);
    let told = run.stdout.split_once("1 open point").unwrap_or_else(|| panic!("{}", run.stdout)).1;
    assert!(told.contains("docs/desk.md:4: Who owns the desk? (changes what gets built)"), "{told}");
    assert!(told.contains("options: The branch (recommended) / The head office"), "{told}");
    assert!(told.contains("answered in docs/desk.md:3: They are handled."), "{told}");
    assert!(
        told.contains("Left out, 1 point: Who paints it?: \"it is painted red\" is not in docs/desk.md"),
        "{told}"
    );

    let (code, report) = {
        let run = sandbox.run(&["review", "--json", "docs/desk.md", "--voice", &voice]);
        (run.code, serde_json::from_str::<Value>(&run.stdout).unwrap())
    };
    // The rules decide the exit code alone; the same words are not asked about again.
    assert_eq!((code, asked(), &report["usage"]), (1, 2, &Value::Null));
    assert_eq!(report["points"][0]["quotes"][0]["line"], 4);
    assert_eq!(report["points"].as_array().unwrap().len(), 2);

    let sarif = sandbox.run(&["review", "docs/desk.md", "--voice", &voice, "--format", "sarif"]);
    let log: Value = serde_json::from_str(&sarif.stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let points: Vec<&Value> = results.iter().filter(|one| one["ruleId"] == "open-point").collect();
    assert_eq!((points.len(), &points[0]["level"]), (1, &Value::from("note")));
    let index = usize::try_from(points[0]["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], "open-point");

    sandbox.commit(&[("docs/desk.md", &format!("{VAGUE}- **R-3** The desk closes at 18:00.\n"))]);
    let base = sandbox.run(&["review", "--json", "--base", "HEAD~1", "docs/desk.md", "--voice", &voice]);
    let report: Value = serde_json::from_str(&base.stdout).unwrap();
    assert_eq!((asked(), report["points"].as_array().unwrap().len()), (4, 0), "{report}");
}

#[test]
fn a_review_says_which_voices_can_read() {
    let sandbox = with_desk();
    for (voice, wanted) in [
        ("recorded:talk.jsonl", "has no model to ask"),
        ("nobody", "there is no voice \"nobody\""),
        ("command:/bin/false", "/bin/false"),
    ] {
        let run = sandbox.run(&["review", "docs/desk.md", "--voice", voice]);
        assert!(
            run.code == 2 && run.stdout.is_empty() && run.stderr.contains(wanted),
            "{voice}: {}",
            run.stderr
        );
    }
    assert_eq!(sandbox.run(&["review", "docs/desk.md", "--voice", "secretary"]).code, 1);
}
