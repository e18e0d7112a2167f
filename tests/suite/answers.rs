//! What becomes of answers in an analysis: ids, rows, entries, and remarks that must not go astray.

use crate::kit::{AT, Sandbox, empty};

const X: &str = "docs/requirements/x";
const BRANCH: &str = "roundtable/x";

/// An item whose next step is 01-06, in brief.
fn before_features(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = empty();
    let meta = r#"{"slug": "x", "name": "offline mode", "phases_completed": ["00-quick-scan"],
 "steps_completed": ["01-01", "01-02", "01-03", "01-04", "01-05"], "depth_overrides": {"01-requirements": "brief"}}"#;
    with_meta(&sandbox, meta, files);
    sandbox
}

fn with_meta(sandbox: &Sandbox, meta: &str, files: &[(&str, &str)]) {
    let named: Vec<(String, &str)> =
        files.iter().map(|(name, text)| (format!("{X}/{name}"), *text)).collect();
    let mut all = vec![(format!("{X}/meta.json"), meta)];
    all.extend(named);
    let all: Vec<(&str, &str)> = all.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    sandbox.commit(&all);
}

fn analyze(sandbox: &Sandbox, script: &str) -> serde_json::Value {
    let script = sandbox.script("s.txt", script);
    sandbox.run(&["analyze", "x", "--script", &script, "--at", AT, "--json"]).json()
}

fn file(sandbox: &Sandbox, name: &str) -> String {
    sandbox.file(BRANCH, &format!("{X}/{name}"))
}

#[test]
fn a_requirement_keeps_the_id_it_is_given_and_none_is_dropped() {
    let sandbox = before_features(&[]);
    analyze(
        &sandbox,
        "FR-001: inspectors save drafts; print labels; drafts replace what FR-012 of the old product did\nC\nC\nMust: FR-001\nC\n",
    );
    let spec = file(&sandbox, "requirements-spec.md");
    for wanted in [
        "**FR-001**: inspectors save drafts",
        "**FR-002**: print labels",
        "**FR-003**: drafts replace what FR-012",
    ] {
        assert!(spec.contains(wanted), "{wanted}: {spec}");
    }
    let matrix = file(&sandbox, "traceability-matrix.csv");
    assert!(matrix.lines().any(|row| row.starts_with("FR-001,") && row.contains("Must Have")), "{matrix}");
    assert!(matrix.contains("FR-002,") && matrix.contains("FR-003,"), "{matrix}");
}

#[test]
fn entries_of_a_list_are_minted_once_and_not_as_a_whole_again() {
    let sandbox = before_features(&[]);
    analyze(
        &sandbox,
        "The system must save offline; The system must sync later; The system must warn the inspector\nC\n",
    );
    let spec = file(&sandbox, "requirements-spec.md");
    assert!(spec.contains("**FR-003**") && !spec.contains("**FR-004**"), "{spec}");
}

#[test]
fn a_number_far_off_is_no_count() {
    let sandbox = before_features(&[("notes.md", "The old system had FR-999999.\n")]);
    analyze(&sandbox, "The system must save offline; The system must print\nC\n");
    let spec = file(&sandbox, "requirements-spec.md");
    assert!(spec.contains("**FR-001**") && spec.contains("**FR-002**"), "{spec}");
}

#[test]
fn a_row_that_stands_in_quotation_marks_is_not_doubled() {
    let matrix = "Requirement ID,User Story ID,MoSCoW Priority,Status\n\"FR-001\",\"US-001\",\"Must Have\",\"Draft\"\n";
    let sandbox = before_features(&[
        ("traceability-matrix.csv", matrix),
        (
            "requirements-spec.md",
            "# Requirements\n\n## 6. Functional Requirements\n\n- **FR-001**: Save drafts\n",
        ),
    ]);
    analyze(&sandbox, "The system must print\nC\nC\nC\nC\n");
    let text = file(&sandbox, "traceability-matrix.csv");
    assert_eq!(text.matches("FR-001").count(), 1, "{text}");
}

#[test]
fn a_remark_survives_a_change_of_depth_and_a_skip() {
    let sandbox = before_features(&[]);
    analyze(&sandbox, "\nThe warehouse has no network at all\ndeep\nS\n");
    let spec = file(&sandbox, "requirements-spec.md");
    assert!(spec.contains("The warehouse has no network at all"), "{spec}");
}

#[test]
fn an_older_item_is_migrated_once_and_never_by_an_empty_commit() {
    let phases =
        r#"["00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture", "04-design"]"#;
    for status in ["\"complete\"", "null", "\"analyzed\"", "\"raw\""] {
        let sandbox = empty();
        let meta = format!(
            r#"{{"slug": "x", "phase_a_completed": true, "phases_completed": {phases}, "analysis_status": {status}}}"#
        );
        with_meta(&sandbox, &meta, &[]);
        let tips: Vec<Option<git2::Oid>> = (0..3)
            .map(|_| {
                analyze(&sandbox, "C\n");
                sandbox.tip(BRANCH)
            })
            .collect();
        assert!(tips[0] == tips[1] && tips[1] == tips[2], "{status}: {tips:?}");
        if let Some(tip) = tips[0] {
            let commit = sandbox.git.find_commit(tip).unwrap();
            assert_ne!(commit.tree_id(), commit.parent(0).unwrap().tree_id(), "{status}: an empty commit");
        }
    }
}

#[test]
fn operations_of_a_list_with_comments_are_added_behind_it_or_it_is_left_alone() {
    let done = r#""01-01", "01-02", "01-03", "01-04", "01-05", "01-06", "01-07", "01-08", "02-01", "02-02", "02-03", "02-04", "03-01", "03-02", "03-03", "03-04", "04-01""#;
    let meta = format!(
        r#"{{"slug": "x", "phases_completed": ["00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture"], "steps_completed": [{done}], "depth_overrides": {{"04-design": "brief"}}}}"#
    );
    for text in [
        "operations:\n# first\n- name: a\n",
        "operations:\n- name: a\n# second\n- name: b\n",
        "operations:\nother: 1\n",
        "operations:\n  - name: a\n# the end\nother: 1\n",
    ] {
        let sandbox = empty();
        with_meta(&sandbox, &meta, &[("interface-spec.yaml", text)]);
        let report = analyze(&sandbox, "save(answer) -> version; send(version) -> receipt\nC\n");
        let steps = report["steps_completed"].as_array().unwrap();
        assert!(steps.iter().any(|step| step == "04-02"), "{text}: {report}");
        let after = file(&sandbox, "interface-spec.yaml");
        let value: serde_yaml::Value = serde_yaml::from_str(&after).unwrap();
        if let Some(list) = value["operations"].as_sequence().filter(|list| list.len() > 2) {
            assert_eq!(list[0]["name"], "a", "{after}");
            assert_eq!(list.last().unwrap()["name"], "send", "{after}");
        }
        sandbox.run(&["check", "--base", "main", "--head", BRANCH, "--each"]).ok();
    }
}
