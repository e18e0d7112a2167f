//! The presets against what the tools do whose records they know, on documents in those tools' forms.

use serde_json::Value;

use crate::kit::{Sandbox, empty};

type Files<'t> = &'t [(&'t str, &'t str)];

/// What is stopped when a repository goes from some files to others; those without text are taken away.
fn stopped(preset: &str, before: Files<'_>, after: Files<'_>) -> Vec<String> {
    let sandbox = empty();
    sandbox.commit(before);
    let settings = sandbox.outside("settings.yaml");
    std::fs::write(&settings, format!("protect: [{{preset: {preset}}}]\n")).unwrap();
    let base = sandbox.tip("main").unwrap().to_string();
    change(&sandbox, after);
    let settings = settings.to_str().unwrap();
    let run = sandbox.run(&["check", "--config", settings, "--base", &base, "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    assert!(report["compared"].is_number(), "{report}");
    let files = report["files"].as_array().unwrap().iter();
    let found = files.flat_map(|file| file["findings"].as_array().unwrap().clone());
    let open = found.filter(|one| one["severity"] == "violation" && one.get("declared").is_none());
    let kinds: Vec<String> = open.map(|one| one["kind"].as_str().unwrap().to_owned()).collect();
    assert_eq!(run.code, i32::from(!kinds.is_empty()), "{report}");
    kinds
}

fn change(sandbox: &Sandbox, files: Files<'_>) {
    for (path, _) in files.iter().filter(|(_, text)| text.is_empty()) {
        std::fs::remove_file(sandbox.root().join(path)).unwrap();
        let mut index = sandbox.git.index().unwrap();
        index.remove_path(std::path::Path::new(path)).unwrap();
        index.write().unwrap();
    }
    let written: Vec<(&str, &str)> = files.iter().filter(|(_, text)| !text.is_empty()).copied().collect();
    sandbox.commit(&written);
}

/// One file that is edited: the words that are replaced, and what is stopped of it.
fn edits(preset: &str, path: &str, text: &str, edits: &[(&str, &str, &[&str])]) {
    for (was, is, wanted) in edits {
        assert!(text.contains(was), "{was}");
        let after = text.replacen(was, is, 1);
        assert_eq!(stopped(preset, &[(path, text)], &[(path, &after)]), *wanted, "{was:?} -> {is:?}");
    }
}

const ADR: &str = "# 3. Keep the queue in Postgres\n\nDate: 2026-01-05\n\n## Status\n\nAccepted\n\n## Context\n\nLetters wait in a queue.\n\n## Decision\n\nWe will keep the queue in Postgres.\n\n## Consequences\n\nThere is no new server.\n";

#[test]
fn adr_new_supersedes_a_record_and_the_decision_stays() {
    let path = "doc/adr/0003-keep-the-queue.md";
    let superseded = ADR.replace("Accepted", "Superceded by [4. Use RabbitMQ](0004-use-rabbitmq.md)");
    let new = "# 4. Use RabbitMQ\n\nDate: 2026-02-20\n\n## Status\n\nAccepted\n\nSupercedes [3. Keep the queue in Postgres](0003-keep-the-queue.md)\n";
    let after = [(path, superseded.as_str()), ("doc/adr/0004-use-rabbitmq.md", new)];
    assert_eq!(stopped("adr", &[(path, ADR)], &after), [""; 0]);
    edits(
        "adr",
        path,
        ADR,
        &[
            ("Accepted", "Accepted\n\nAmended by [5. Two queues](0005-two-queues.md)", &[]),
            ("keep the queue in Postgres.", "keep the queue in Kafka.", &["name"]),
            ("There is no new server.\n", "", &["gone"]),
            // Only the value may become another one; it may not go.
            ("Accepted\n\n", "", &["gone"]),
            ("Accepted\n\n## Context", "Accepted on Monday.\n\n## Context", &[]),
            // An accepted record is no draft again, in which all would be free.
            ("## Status\n\nAccepted", "## Status\n\nProposed", &["wording"]),
        ],
    );
    let amended = ADR.replace("Accepted", "Accepted\n\nIt must hold until May.");
    edits(
        "adr",
        path,
        &amended,
        &[
            ("Accepted\n\nIt must", "Superseded by 4\n\nIt must", &[]),
            ("It must hold", "It may hold", &["weakened"]),
            ("Accepted\n\nIt must hold", "It may hold", &["gone", "weakened"]),
            ("It must hold until May.\n", "", &["gone"]),
        ],
    );
    let lines = "# 3. Keep it\n\nStatus: Accepted\nDate: 2026-01-05\n\n- Deciders: Kim\n- Updated: 2026-01-06\n\nLetters wait.\n";
    edits(
        "adr",
        path,
        lines,
        &[
            ("Status: Accepted\nDate: 2026-01-05", "Date: 2026-02-20\nStatus: Superseded by 4", &[]),
            ("Status: Accepted\n", "", &["gone"]),
            ("- Deciders: Kim\n", "", &["gone"]),
            ("Deciders: Kim", "Deciders: Kim, Sam", &[]),
        ],
    );
    let proposed = ADR.replace("Accepted", "Proposed");
    edits(
        "adr",
        path,
        &proposed,
        &[("Proposed\n\n## Context\n\nLetters wait", "Accepted\n\n## Context\n\nMails wait", &[])],
    );
    assert_eq!(stopped("adr", &[(path, ADR)], &[(path, "")]), ["gone"]);
}

const MADR: &str = "---\nstatus: accepted\ndate: 2026-01-05\ndecision-makers: Kim\n---\n\n# Use one queue\n\n## Considered Options\n\n* One queue\n* Two queues\n\n## Decision Outcome\n\nChosen option: \"One queue\", because letters must stay in order.\n\n<!-- This is an optional element. Feel free to remove. -->\n### Consequences\n\n* Good, because it is simple\n";

#[test]
fn madr_records_are_accepted_and_superseded() {
    let path = "docs/decisions/0004-use-one-queue.md";
    let proposed = MADR.replace("status: accepted", "status: proposed");
    edits("madr", path, &proposed, &[("proposed\ndate: 2026-01-05", "accepted\ndate: 2026-02-20", &[])]);
    edits(
        "madr",
        path,
        MADR,
        &[
            ("accepted\ndate: 2026-01-05", "superseded by ADR-0009\ndate: 2026-02-20", &[]),
            ("<!-- This is an optional element. Feel free to remove. -->\n", "", &[]),
            ("must stay", "should stay", &["weakened"]),
            ("* Two queues\n", "", &["gone"]),
            ("decision-makers: Kim\n", "", &["gone"]),
            ("status: accepted", "status:", &["gone"]),
        ],
    );
}

const STAGED: &str = "---\nstage: accepted\nstart-date: 2026-01-05T00:00:00.000Z\nrelease-date: # FIXME\nteams: # delete teams that aren't relevant\n  - desk\nprs:\n  accepted: https://example.org/pull/12\nproject-link:\n---\n\n# Late fees\n\n- Start Date: 2026-01-05\n- RFC PR: [rfcs#0000](https://example.org/pull/0)\n\n## Contents\n\n- [Rules](#rules)\n\n## Rules\n\nA reader must get a letter within 14 days.\nThe desk prints it.\n";

#[test]
fn rfcs_move_through_stages_and_folders_and_get_a_number() {
    edits(
        "rfc",
        "text/0012-late-fees.md",
        STAGED,
        &[
            ("stage: accepted", "stage: ready-for-release", &[]),
            ("stage: accepted", "stage: draft", &["wording"]),
            ("release-date: # FIXME", "release-date: 2026-02-20", &[]),
            ("teams: # delete teams that aren't relevant", "teams:", &[]),
            ("project-link:", "project-link: https://example.org/project", &[]),
            ("rfcs#0000](https://example.org/pull/0)", "rfcs#12](https://example.org/pull/12)", &[]),
            ("The desk prints it.", "The desk writes it.", &[]),
            ("- [Rules](#rules)", "- [The rules](#the-rules)", &[]),
            ("must get", "may get", &["weakened"]),
            ("14 days", "30 days", &["number"]),
            ("  - desk\n", "", &["gone"]),
        ],
    );
    let moved =
        |from: &str, to: &str, text: &str| stopped("rfc", &[(from, STAGED)], &[(from, ""), (to, text)]);
    let done = STAGED.replace("stage: accepted", "stage: implemented");
    let from = "rfcs/accepted/0012-late-fees.md";
    assert_eq!(moved(from, "rfcs/implemented/0012-late-fees.md", &done), [""; 0]);
    assert_eq!(moved(from, "rfcs/implemented/0012-late-fees.md", &done.replace("must", "may")), ["weakened"]);
    assert_eq!(moved(from, "rfcs/draft/0012-late-fees.md", STAGED), ["renamed"]);
    assert_eq!(moved(from, "notes/0012-late-fees.md", STAGED), ["gone"]);
    assert_eq!(moved("text/0000-late-fees.md", "text/0031-late-fees.md", &done), [""; 0]);
    assert_eq!(moved("text/0012-late-fees.md", "text/0031-late-fees.md", STAGED), ["renamed"]);
}

const KEP: &str = "# KEP-31: Late fees\n\n<!-- toc -->\n- [Goals](#goals)\n  - [Letters](#letters)\n<!-- /toc -->\n\n## Goals\n\n<!--\nList the goals.\n-->\n\n### Letters\n\nA reader must get a letter within 14 days.\n";

#[test]
fn the_state_of_a_kep_is_in_the_file_beside_it() {
    let (readme, data) = ("keps/sig-desk/31-late-fees/README.md", "keps/sig-desk/31-late-fees/kep.yaml");
    let state = |name: &str| format!("title: Late fees\nkep-number: 31\nstatus: {name}\nstage: alpha\n");
    let (open, agreed, done) = (state("provisional"), state("implementable"), state("implemented"));
    let other = KEP.replace("14 days", "30 days");
    let files = [(readme, KEP), (data, open.as_str())];
    assert_eq!(stopped("kep", &files, &[(readme, &other), (data, &agreed)]), [""; 0]);
    let files = [(readme, KEP), (data, agreed.as_str())];
    assert_eq!(stopped("kep", &files, &[(readme, &other)]), ["number"]);
    // The state is the base's: nobody makes a draft of it first in the same change.
    assert_eq!(stopped("kep", &files, &[(readme, &other), (data, &open)]), ["number"]);
    assert_eq!(stopped("kep", &files, &[(data, &done)]), [""; 0]);
    let filled = KEP
        .replace("<!--\nList the goals.\n-->", "Letters come early.")
        .replace("- [Goals](#goals)\n", "- [All goals](#all-goals)\n");
    assert_eq!(stopped("kep", &files, &[(readme, &filled)]), [""; 0]);
    assert_eq!(stopped("kep", &[(readme, KEP)], &[(readme, &other)]), ["number"], "no kep.yaml, no draft");
}

const FEES: &str = "# fees Specification\n\n## Purpose\n\nTBD - created by archiving change add-fees. Update Purpose after archive.\n\n## Requirements\n\n### Requirement: Late letters\nThe desk SHALL send a letter within 14 days.\n\n#### Scenario: A book is late\n- **WHEN** a book is late\n- **THEN** a letter is sent\n\n### Requirement: Cash\nCash SHALL be counted.\n";

#[test]
fn an_archived_change_of_openspec_declares_what_it_names() {
    let (spec, delta) = ("openspec/specs/fees/spec.md", "specs/fees/spec.md");
    let (open, archived) = (
        format!("openspec/changes/cut-fees/{delta}"),
        format!("openspec/changes/archive/2026-02-20-cut-fees/{delta}"),
    );
    let text = "## MODIFIED Requirements\n### Requirement: Late letters\nThe desk SHALL send a letter within 30 days.\n\n## REMOVED Requirements\n### Requirement: Cash\n**Reason**: the desk has no till\n";
    let cash = "\n### Requirement: Cash\nCash SHALL be counted.\n";
    let cut = FEES.replace("14 days", "30 days").replace(cash, "");
    let files = [(spec, FEES), (open.as_str(), text)];
    let archive =
        |spec_text: &str| stopped("openspec", &files, &[(spec, spec_text), (&open, ""), (&archived, text)]);
    assert_eq!(archive(&cut), [""; 0]);
    assert_eq!(archive(&cut.replace("- **THEN** a letter is sent\n", "")), [""; 0]);
    let title = cut.replace("# fees Specification", "# fees");
    assert_eq!(archive(&title).len(), 0, "{}", "the rule is living: a heading with fewer words is reworded");
    // Without the delta, and with one that is archived already.
    assert_eq!(stopped("openspec", &files, &[(spec, &cut)]), ["number", "gone", "gone"]);
    let long_ago = [(spec, FEES), (archived.as_str(), text)];
    assert_eq!(stopped("openspec", &long_ago, &[(spec, &cut)]), ["number", "gone", "gone"]);
    assert_eq!(
        stopped("openspec", &long_ago, &[(&archived, &text.replace("30 days", "31 days"))]),
        ["number"]
    );
    edits(
        "openspec",
        spec,
        FEES,
        &[(
            "TBD - created by archiving change add-fees. Update Purpose after archive.",
            "What readers pay.",
            &[],
        )],
    );
}

#[test]
fn specifications_of_spec_kit_are_drafted_and_tasks_are_ticked() {
    let tasks = "# Tasks: Late fees\n\n## Phase 1: Setup\n\n- [ ] T001 Create the queue in src/queue.rs\n- [ ] T002 [P] Print a letter\n";
    edits(
        "speckit",
        "specs/001-late-fees/tasks.md",
        tasks,
        &[
            ("- [ ] T001", "- [X] T001", &[]),
            ("- [ ] T002 [P] Print a letter\n", "- [ ] T002 [P] Print a letter\n- [ ] T003 Send it\n", &[]),
            ("- [ ] T002 [P] Print a letter\n", "", &["gone"]),
        ],
    );
    let spec = "# Feature Specification: Late fees\n\n**Feature Branch**: `001-late-fees`  \n**Created**: 2026-01-05  \n**Status**: Draft  \n**Input**: User description: \"late fees\"\n\n## Requirements\n\n- **FR-001**: The desk MUST send a letter.\n";
    let path = "specs/001-late-fees/spec.md";
    edits(
        "speckit",
        path,
        spec,
        &[("MUST send", "MAY send", &[]), ("Status**: Draft", "Status**: Approved", &[])],
    );
    let agreed = spec.replace("Draft", "Approved");
    edits(
        "speckit",
        path,
        &agreed,
        &[("MUST send", "MAY send", &["weakened"]), ("Approved", "Implemented", &[])],
    );
    let constitution = "# Library Constitution\n\n## Core Principles\n\n### I. Letters\n\nLetters MUST be short.\n\n**Version**: 1.0.0 | **Ratified**: 2026-01-05 | **Last Amended**: 2026-01-05\n";
    edits(
        "speckit",
        ".specify/memory/constitution.md",
        constitution,
        &[
            (
                "1.0.0 | **Ratified**: 2026-01-05 | **Last Amended**: 2026-01-05",
                "1.1.0 | **Ratified**: 2026-01-05 | **Last Amended**: 2026-02-20",
                &[],
            ),
            ("MUST be short", "should be short", &["weakened"]),
        ],
    );
}

#[test]
fn tasks_of_kiro_are_ticked_and_requirements_stay() {
    let tasks = "# Implementation Plan\n\n- [ ] 1. Set up the queue\n  - Create the table\n  - _Requirements: 1.1, 1.2_\n- [ ]* 1.1 Write tests\n";
    edits(
        "kiro",
        ".kiro/specs/late-fees/tasks.md",
        tasks,
        &[("- [ ] 1.", "- [x] 1.", &[]), ("  - Create the table\n", "", &["gone"])],
    );
    let requirements = "# Requirements Document\n\n### Requirement 1\n\n#### Acceptance Criteria\n\n1. WHEN a book is late THEN the desk SHALL send a letter\n2. IF a letter comes back THEN the desk SHALL call\n";
    edits(
        "kiro",
        ".kiro/specs/late-fees/requirements.md",
        requirements,
        &[
            ("SHALL call\n", "SHALL call\n3. WHEN it is paid THEN the desk SHALL say so\n", &[]),
            ("desk SHALL call", "desk MAY call", &["weakened"]),
            ("1. WHEN a book is late THEN the desk SHALL send a letter\n2. IF", "1. IF", &["gone"]),
        ],
    );
}

const CHANGELOG: &str = "# Changelog\n\nThe format is based on [Keep a Changelog](https://keepachangelog.com/en/1.1.0/).\n\n## [Unreleased]\n\n### Added\n\n- Fees by card.\n- Letters in Danish.\n\n## [1.0.0] - 2026-01-05\n\n### Added\n\n- Letters.\n\n[unreleased]: https://example.org/compare/v1.0.0...HEAD\n[1.0.0]: https://example.org/releases/v1.0.0\n";

#[test]
fn a_release_commit_keeps_a_changelog() {
    let released = CHANGELOG
        .replace("## [Unreleased]\n", "## [Unreleased]\n\n## [1.1.0] - 2026-02-20\n")
        .replace(
            "[unreleased]: https://example.org/compare/v1.0.0...HEAD\n",
            "[unreleased]: https://example.org/compare/v1.1.0...HEAD\n[1.1.0]: https://example.org/compare/v1.0.0...v1.1.0\n",
        );
    assert_eq!(
        stopped("keepachangelog", &[("CHANGELOG.md", CHANGELOG)], &[("CHANGELOG.md", &released)]),
        [""; 0]
    );
    edits(
        "keepachangelog",
        "CHANGELOG.md",
        CHANGELOG,
        &[
            ("- Fees by card.\n", "", &[]),
            ("## [1.0.0] - 2026-01-05", "## [1.0.0] - 2026-01-05 [YANKED]", &[]),
            ("- Letters.\n", "", &["gone"]),
            ("[1.0.0] - 2026-01-05", "[1.0.0] - 2026-01-06", &["date"]),
            // The heading leads there, too.
            ("releases/v1.0.0", "releases/v1.0.1", &["retargeted", "retargeted"]),
        ],
    );
}
