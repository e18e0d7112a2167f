//! Where additions go, for every shape of artifact, and that nothing that stood there moves.

use roundtable::additive::{Demand, Rule};

use crate::kit::{AT, BRANCH, ITEM, Sandbox, sandbox};

const TALK: &str = "We decided to keep both answers because nobody may lose work.\ndone\n";

/// Elaborates on a step with this one output, and gives the artifact before and after.
fn add(sandbox: &Sandbox, output: &str, before: Option<&[u8]>, title: &str) -> Vec<u8> {
    let step = format!(
        "---\nstep_id: \"01-09\"\ntitle: {title}\npersona: business-analyst\ndepth: brief\noutputs: [{output}]\n---\n## Brief Mode\nx\n## Standard Mode\n1. Which answers does the user keep?\n"
    );
    if let Some(bytes) = before {
        let path = sandbox.root().join(ITEM).join(output);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    sandbox.commit(&[(".roundtable.yaml", "steps: own\n"), ("own/01-requirements/09-x.md", &step)]);
    let script = sandbox.script("s.txt", TALK);
    sandbox.run(&["elaborate", "offline-mode", "--step", "01-09", "--script", &script, "--at", AT]).ok();
    sandbox.assert_sound();
    let commit = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    let file = roundtable::text::path::OutputPath::parse(output).unwrap().file();
    let path = format!("{ITEM}/{file}");
    let Ok(entry) = commit.tree().unwrap().get_path(std::path::Path::new(&path)) else { return Vec::new() };
    sandbox.git.find_blob(entry.id()).unwrap().content().to_vec()
}

#[test]
fn every_shape_of_a_markdown_file_only_gains() {
    for before in [
        "",
        "\n",
        "# T",
        "# T\n\n## User Journeys\n",
        "# T\r\n\r\n## User Journeys\r\n\r\nx\r\n\r\n## B\r\n",
        "\u{feff}# T\n\n## User Journeys\ny\n## B\nz",
        "text before any heading",
        "---\ntitle: x\n---\n\n# T\n",
        "# T\n\n## User Journeys\n\n```\n# User Journeys\n```\n\n## B\n",
        "# T\n\nUser Journeys\n---\n\nx\n\nB\n---\n",
        "# T\n\n## User Journeys\n\n- a\n- b\n\n---\n\nfooter\n",
        "# T\n\n## User Journeys\n\n| a |\n|---|\n| b |\n\n## B\n",
        "# T\n\n## User Journeys\n\n> quoted\n> more\n## B\n",
        "# T\n\n## User Journeys\n\n    code\n\n## B\n",
        "# T\n\n## User Journeys\n\n### J1\n\nx\n\n#### deep\n\ny\n\n## B\n",
        "# T\n\n###### User Journeys\n\nx\n",
        "# T\n\n## User Journeys\n\n## User Journeys\n",
        "# User Journeys\n",
        "# T\n\n## User Journeys\n\nx\n\n   ## Next\n\ny\n",
        "# T\n\n## User Journeys\n\nx\n\n  Next\n  ---\n\ny\n",
        "# T\n\n## Users\n\n[a]: http://x\n\n## B\n\n[a]\n",
        "# T\n\n## User Journeys\n\n<div>\n\nx\n\n</div>\n\n## B\n",
    ] {
        let sandbox = sandbox();
        let after =
            String::from_utf8(add(&sandbox, "spec.md", Some(before.as_bytes()), "User Journeys")).unwrap();
        assert!(
            roundtable::additive::compare(
                "spec.md",
                &Demand::of(Rule::Strict),
                before.as_bytes(),
                after.as_bytes()
            )
            .findings
            .is_empty(),
            "{before:?}"
        );
        assert_eq!(
            after.matches("<!-- Elaboration: step 01-09, 2026-02-20T14:30:00.000Z -->").count(),
            1,
            "{after}"
        );
        let crlf = before.contains("\r\n");
        assert_eq!(
            after.matches("\r\n").count(),
            if crlf { after.matches('\n').count() } else { 0 },
            "{after:?}"
        );
        // One piece was put in, and nothing else changed.
        let shared = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let tail = &before.as_bytes()[shared..];
        let tail = tail.strip_suffix(b"\n").unwrap_or(tail);
        assert!(after.trim_end_matches('\n').as_bytes().ends_with(tail), "{before:?}\n{after}");
    }
}

#[test]
fn the_heading_is_one_level_below_the_sections() {
    for (before, heading, after_it) in [
        ("# T\n\n## User Journeys\n\n### J\n\n## B\n", "\n### Elaboration Insights (", "\n## B"),
        ("# T\n\n### User Journeys\n\n#### J\n\n### B\n", "\n#### Elaboration Insights (", "\n### B"),
        ("# T\n\n##### User Journeys\n", "\n###### Elaboration Insights (", ""),
        ("# T\n\n###### User Journeys\n", "\n**Elaboration Insights (", ""),
        (
            "# T\n\n## Journeys\n\n### Option 1\n\n#### Users\n\n### Option 2\n\n## B\n",
            "\n### Elaboration Insights (",
            "\n## B",
        ),
        (
            "# T\n\n## A\n\n## B\n",
            "\n### Additional Insights from Elaboration\n\n<!-- Elaboration: step 01-09, 2026-02-20T14:30:00.000Z -->\n#### Elaboration Insights (",
            "",
        ),
    ] {
        let sandbox = sandbox();
        let after =
            String::from_utf8(add(&sandbox, "spec.md", Some(before.as_bytes()), "User Journeys")).unwrap();
        let at = after.find(heading).unwrap_or_else(|| panic!("{after}"));
        assert!(after_it.is_empty() || after[at..].contains(after_it), "{after}");
        assert!(after.contains("eep both answers"), "{after}");
    }
}

#[test]
fn one_artifact_takes_the_addition_the_first_that_exists() {
    for (given, outputs, took, left) in [
        (&["b.md", "c.json"][..], "a.md, b.md, c.json", "b.md", &[][..]),
        (&[], "a.md, b.md", "a.md", &[]),
        (&["c.json", "b.md"], "c.json, b.md", "c.json", &[]),
        (&["x.csv", "b.md"], "x.csv, b.md", "b.md", &["x.csv"]),
        (&["x.csv"], "x.csv, a.md", "a.md", &["x.csv"]),
    ] {
        let sandbox = sandbox();
        for name in given {
            let text = match *name {
                "c.json" => "{}\n",
                // A table of other columns takes no addition.
                "x.csv" => "Requirement,Priority\nFR-001,Must\n",
                _ => "# T\n\n## User Journeys\n",
            };
            sandbox.commit(&[(&format!("{ITEM}/{name}"), text)]);
        }
        let step = format!(
            "---\nstep_id: \"01-09\"\ntitle: User Journeys\npersona: business-analyst\ndepth: brief\noutputs: [{outputs}]\n---\n## Brief Mode\nx\n## Standard Mode\n1. Which answers does the user keep?\n"
        );
        sandbox.commit(&[(".roundtable.yaml", "steps: own\n"), ("own/01-requirements/09-x.md", &step)]);
        let script = sandbox.script("s.txt", TALK);
        let args =
            ["elaborate", "offline-mode", "--step", "01-09", "--script", &script, "--at", AT, "--json"];
        let report = sandbox.run(&args).json();
        let paths = |list: &serde_json::Value| -> Vec<String> {
            let name = |entry: &serde_json::Value| {
                entry["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
            };
            list.as_array().unwrap().iter().map(name).collect()
        };
        assert_eq!(paths(&report["artifacts"]), [took], "{outputs}");
        assert_eq!(paths(&report["left"]), left, "{outputs}");
        assert_eq!(sandbox.run(&["replay", "--all", "--rev", BRANCH]).code, 0);
    }
}

#[test]
fn a_missing_artifact_is_created_and_a_folder_gets_its_own_file() {
    for (output, start) in [
        ("user-notes.md", "# User Notes\n\n## User Journeys\n\n<!-- Elaboration: "),
        ("adr/", "# Elaboration Insights\n\n## User Journeys\n\n<!-- Elaboration: "),
        ("deep/er/x.json", "{\n  \"elaborations\": [\n    {\n      \"step_id\": \"01-09\",\n"),
        ("x.yaml", "# <!-- Elaboration: step 01-09, 2026-02-20T14:30:00.000Z -->\n# Elaboration Insights ("),
        ("x.csv", "step_id,timestamp,kind,by,text,rationale\n01-09,2026-02-20T14:30:00.000Z,"),
    ] {
        let text = String::from_utf8(add(&sandbox(), output, None, "User Journeys")).unwrap();
        assert!(text.starts_with(start), "{output}: {text}");
    }
}

#[test]
fn data_keeps_its_values_and_takes_the_addition_where_it_can() {
    for (output, before, gains) in [
        ("x.json", "{\"stories\": [1e400, 0.10]}", "\"elaborations\""),
        ("x.json", "[{\"id\": \"US-001\"}]\n", "\"type\":\"elaboration\""),
        ("x.yaml", "a: &x 1\nb: *x\n", "# - decision: [User] We decided to keep both answers"),
    ] {
        let after =
            String::from_utf8(add(&sandbox(), output, Some(before.as_bytes()), "User Journeys")).unwrap();
        assert!(after.contains(gains), "{after}");
        assert!(
            roundtable::additive::compare(
                output,
                &Demand::of(Rule::Strict),
                before.as_bytes(),
                after.as_bytes()
            )
            .findings
            .is_empty(),
            "{after}"
        );
    }
    for (output, before) in [
        ("x.json", "[1, 2]\n"),
        ("x.json", "{\"a\": 1, \"a\": 2}\n"),
        ("x.yaml", "a: [\n"),
        ("x.csv", "Requirement,User Story,Priority,Status\nFR-001,US-001,Must,Draft\n"),
        ("x.txt", "text\n"),
    ] {
        let after = add(&sandbox(), output, Some(before.as_bytes()), "User Journeys");
        assert_eq!(String::from_utf8(after).unwrap(), before, "{output}");
    }
}

#[test]
fn executable_files_stay_executable() {
    let sandbox = sandbox();
    let path = format!("{ITEM}/requirements-spec.md");
    let mut index = sandbox.git.index().unwrap();
    let mut entry = index.get_path(std::path::Path::new(&path), 0).unwrap();
    entry.mode = 0o100_755;
    index.add(&entry).unwrap();
    index.write().unwrap();
    let tree = sandbox.git.find_tree(index.write_tree().unwrap()).unwrap();
    let parent = sandbox.git.head().unwrap().peel_to_commit().unwrap();
    let who = parent.author();
    sandbox.git.commit(Some("HEAD"), &who, &who, "mode", &tree, &[&parent]).unwrap();
    sandbox.elaborate(TALK, &[]).ok();
    let commit = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    let entry = commit.tree().unwrap().get_path(std::path::Path::new(&path)).unwrap();
    assert_eq!(entry.filemode(), 0o100_755);
}

#[test]
fn meta_json_changes_by_one_record_and_nothing_else() {
    for before in [
        "{\"n\": 123456789012345678901234567890, \"f\": 1.10, \"elaborations\": []}",
        "{\n\t\"z\": 1,\n\t\"elaborations\": [\n\t\t{\"step_id\": \"00-01\", \"extra\": true}\n\t],\n\t\"a\": null\n}",
        "{\r\n    \"slug\": \"x\"\r\n}\r\n",
        "\u{feff}{ }\n",
        "{\"elaborations\": null, \"x\": \"\\u00e9\"}\n",
    ] {
        let sandbox = sandbox();
        sandbox.commit(&[(&format!("{ITEM}/meta.json"), before)]);
        sandbox.elaborate(TALK, &["--at", AT]).ok();
        let after = sandbox.file(BRANCH, &format!("{ITEM}/meta.json"));
        assert!(
            roundtable::additive::compare(
                "meta.json",
                &Demand::of(Rule::Strict),
                before.as_bytes(),
                after.as_bytes()
            )
            .findings
            .is_empty(),
            "{after}"
        );
        let start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let end = before.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
        let gone = before.len().saturating_sub(start + end);
        assert!(gone <= 4, "{before:?} lost {gone} bytes: {after:?}");
    }
}
