//! Typed additions at their places: what a model has ready for a document goes to its anchor, in every format, and only
//! adds.

use proptest::prelude::*;
use roundtable::additive::verify;
use roundtable::discussion::Finished;
use roundtable::discussion::additions::Addition;
use roundtable::item::library::Library;
use roundtable::item::{File, Item};
use roundtable::run::script::Script;
use roundtable::run::session::hold;
use roundtable::synthesis::{Outcome, outcome};
use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, ITEM, META, Sandbox, sandbox};
use crate::machine::{opened, secretary, time};

const SPEC: &str = "# Requirements\n\n## 3. User Journeys\n\n### US-001: An inspector saves\n\n- AC-001-01: Given a tablet, When it saves, Then it answers.\n\n### US-002: An inspector sends\n\n## 5. Risks\n\n| ID | Risk | Likelihood | Owner |\n|----|------|------------|-------|\n| R-01 | Tablets break | low | Kim |\n\n## 6. Terms\n\n- **Tablet**: what inspectors carry.\n";
pub const STORIES: &str = "{\n  \"stories\": [\n    {\"id\": \"US-001\", \"as_a\": \"inspector\", \"acceptance_criteria\": [\"It answers.\"]}\n  ]\n}\n";
pub const ERRORS: &str =
    "item: offline\nerrors:\n  - code: \"E-LOST\"\n    action: \"ask again\"\n# the end\n";
pub const TERMS: &str = "Term,Meaning\nTablet,what inspectors carry\n";

fn finished(library: &Library, additions: Vec<Addition>) -> Finished {
    let step = library.step("01-03").unwrap();
    let first = opened(library, "01-03", 10, "secretary");
    let mut talk = roundtable::discussion::Discussion::open(library, step, first).unwrap();
    let mut script = Script::read("s.txt", b"We decided to keep both answers.\ndone\n").unwrap();
    hold(&mut talk, None, &mut secretary(library, step), &mut script, &time, &mut |_| Ok(())).unwrap();
    let mut finished = talk.finish().unwrap();
    finished.summary.additions = additions;
    finished
}

fn item() -> Item {
    let mut item = Item::new("docs/requirements/offline-mode", META).unwrap();
    let files = [
        ("requirements-spec.md", SPEC),
        ("user-stories.json", STORIES),
        ("errors.yaml", ERRORS),
        ("terms.csv", TERMS),
        ("meta.json", META),
    ];
    for (name, text) in files {
        item.files.insert(name.to_owned(), File::Bytes(text.as_bytes().to_vec()));
    }
    item
}

fn placed(additions: Vec<Value>) -> Outcome {
    let library = Library::built_in().unwrap();
    let additions = additions.iter().map(|value| Addition::read(value).unwrap()).collect();
    let outcome = outcome(&item(), &finished(&library, additions), &library).unwrap();
    verify(outcome.changes.clone()).unwrap();
    outcome
}

fn text(outcome: &Outcome, name: &str) -> String {
    let change = outcome.changes.iter().find(|change| change.path.ends_with(name)).unwrap();
    String::from_utf8(change.after.clone()).unwrap()
}

#[test]
fn an_addition_goes_to_its_anchor_in_every_format() {
    let outcome = placed(vec![
        json!({"path": "requirements-spec.md", "kind": "acceptance-criterion", "anchor": "US-001", "text": "Given no network, When it saves, Then it waits.", "turns": [3]}),
        json!({"path": "requirements-spec.md", "kind": "risk", "anchor": "Risks", "text": "Photos | lost", "fields": {"likelihood": "high", "owner": "unassigned"}, "turns": [2]}),
        json!({"path": "requirements-spec.md", "kind": "term", "anchor": "6. Terms", "fields": {"term": "Outbox", "meaning": "what waits"}, "turns": [2]}),
        json!({"path": "docs/requirements/offline-mode/user-stories.json", "kind": "acceptance-criterion", "anchor": "US-001", "text": "It waits.", "turns": [3]}),
        json!({"path": "user-stories.json", "kind": "user-story", "anchor": "", "fields": {"as_a": "inspector", "i_want": "to see what waits", "so_that": "nothing is lost"}, "turns": [3]}),
        json!({"path": "errors.yaml", "kind": "error", "anchor": "", "fields": {"code": "E-FULL", "action": "wait"}, "turns": [3]}),
        json!({"path": "terms.csv", "kind": "term", "anchor": "", "fields": {"term": "=Outbox", "meaning": "what waits, in order"}, "turns": [3]}),
    ]);
    assert_eq!(outcome.left, []);
    let spec = text(&outcome, "requirements-spec.md");
    for (before, lines, after) in [
        ("Then it answers.", "- AC-001-02: Given no network, When it saves, Then it waits.", "### US-002"),
        ("| low | Kim |", "| R-02 | Photos \\| lost | high | unassigned |", "## 6. Terms"),
    ] {
        assert!(spec.contains(&format!("{before}\n{lines}\n\n{after}")), "{spec}");
    }
    assert!(spec.contains("- **Outbox**: what waits\n"), "{spec}");
    let stories: Value = serde_json::from_str(&text(&outcome, "user-stories.json")).unwrap();
    assert_eq!(stories["stories"][0]["acceptance_criteria"], json!(["It answers.", "It waits."]));
    let story = json!({"id": "US-002", "as_a": "inspector", "i_want": "to see what waits", "so_that": "nothing is lost", "acceptance_criteria": []});
    assert_eq!(stories["stories"][1], story);
    assert!(
        text(&outcome, "errors.yaml").contains("  - code: \"E-FULL\"\n    action: \"wait\"\n# the end\n")
    );
    assert!(text(&outcome, "terms.csv").ends_with("'=Outbox,\"what waits, in order\"\n"));
}

#[test]
fn an_addition_without_a_place_is_named_and_in_no_document() {
    let nowhere = |path: &str, kind: &str, anchor: &str| json!({"path": path, "kind": kind, "anchor": anchor, "text": "Photos are lost", "turns": [2]});
    let outcome = placed(vec![
        nowhere("requirements-spec.md", "risk", "9. Nowhere"),
        nowhere("requirements-spec.md", "note", ""),
        nowhere("other.md", "note", "Risks"),
        nowhere("meta.json", "note", "elaborations"),
        nowhere("../x.md", "note", "x"),
        nowhere("user-stories.json", "acceptance-criterion", "US-009"),
        nowhere("terms.csv", "risk", ""),
        nowhere("errors.yaml", "note", "item"),
    ]);
    assert_eq!(outcome.left.len(), 8, "{:?}", outcome.left);
    assert!(outcome.left[0].reason.contains("\"9. Nowhere\" is no heading and no id there"));
    let spec = text(&outcome, "requirements-spec.md");
    assert_eq!(spec.matches("Photos are lost").count(), 0, "{spec}");
    // Only the synthesis, meta.json and the recording have changed.
    assert_eq!(outcome.changes.len(), 3);
}

/// A document of sections in many forms.
const FORMS: &str = "# Letters\n\n## 1. Scenarios\n\n1. **Given** a late book, **When** a month ends, **Then** a letter is sent\n2. **Given** a letter, **When** it comes back, **Then** the desk knows\n\n---\n\n## 2. Fees\n\nFees grow daily.\n\n## 3. File\n\nThe file has these columns:\n\n- book\n- fee\n\n## 4. Desk\n\n### 4.1 Hours\n\nNine to five.\n\n## 5. Numbers\n\n- **SC-001**: All letters arrive within 3 days\n\n## 6. Table\n\n| Case | Answer |\n| --- | --- |\n| **Late** | `send_it` |\n\n## 7. Form\n\n```json\n{}\n```\n\n## 8. Rules\n\n- **FR-002**: MUST send letters\n- **FR-002a**: MUST print them\n\n## 9. Limits\n\n- **PC-1**: No colour\n- **PC-2**: No cloud\n\n## 10. Rights\n\n**SEC-1:** Cards are read here.\n\n- at the desk\n\n**SEC-2:** Names stay.\n\n## 11. Bills\n\n- B11: A bill is paid on S3.\n\n## 12. Dunning\n\n- B1: A bill is sent.\n- B2: It is sent once.\n";

/// The document with one addition, or why it has no place there.
fn formed(anchor: &str, kind: &str, text: &str) -> Result<String, String> {
    formed_in("requirements-spec.md", FORMS, &json!({"kind": kind, "anchor": anchor, "text": text}))
}

/// A document of this text with one addition, or why it has no place there.
fn formed_in(name: &str, document: &str, addition: &Value) -> Result<String, String> {
    let library = Library::built_in().unwrap();
    let mut item = item();
    item.files.insert(name.to_owned(), File::Bytes(document.as_bytes().to_vec()));
    let mut value = addition.clone();
    (value["path"], value["turns"]) = (json!(name), json!([2]));
    let addition = Addition::read(&value).unwrap();
    let outcome = outcome(&item, &finished(&library, vec![addition]), &library).unwrap();
    verify(outcome.changes.clone()).unwrap();
    match outcome.left.first() {
        Some(left) => Err(left.reason.clone()),
        None => Ok(text(&outcome, name)),
    }
}

#[test]
fn a_requirement_counts_on_from_its_neighbours_in_their_form() {
    let list = |last: &str| {
        format!("# Letters\n\n## 2. Functional:\n\n- **FR-001**: One letter\n{last}\n\n## End\n\n- a\n")
    };
    let table =
        |head: &str, rows: &str| format!("# Letters\n\n## Functional\n\n{head}\n{rows}\n\n## End\n\nText.\n");
    for (document, anchor, wanted) in [
        // What the words of the last entry begin with is no form.
        (list("- **FR-002**: ≥ 95% arrive"), "FR-002", "- **FR-002**: ≥ 95% arrive\n- **FR-003**: NEW\n"),
        (list("- **FR-002**: **95%** arrive"), "FR-002", "arrive\n- **FR-003**: NEW\n"),
        (list("- FR-002 - `GET` answers"), "FR-002", "answers\n- FR-003 - NEW\n"),
        (list("- **FR-002:** \"Paid\" is shown"), "FR-002", "shown\n- **FR-003:** NEW\n"),
        // What is only mentioned is no entry, and neither is a decision, code or a comment.
        (list("- **FR-002**: The fee, as FR-040 has it"), "FR-002", "has it\n- **FR-003**: NEW\n"),
        (list("- **FR-002**: The fee\n\nFR-040 stays."), "FR-002", "The fee\n- **FR-003**: NEW\n"),
        (
            format!("```\nFR-002: x\n```\n\n{}", list("- **FR-002**: The fee")),
            "FR-002",
            "The fee\n- **FR-003**: NEW\n",
        ),
        // Without an anchor it is the section that has such entries.
        (list("- **FR-002**: The fee"), "", "The fee\n- **FR-003**: NEW\n"),
        (list("- **FR-002**: The fee"), "Functional", "The fee\n- **FR-003**: NEW\n"),
        // Tables.
        (
            table("| ID | Requirement |\n|-|-|", "| FR-001 | a |"),
            "FR-001",
            "| FR-001 | a |\n| FR-002 | NEW |\n\n##",
        ),
        (table("| Code | What |\n| --- | --- |", "| FR-001 | a |"), "FR-001", "| FR-002 | NEW |\n\n##"),
        (table("ID | Requirement\n---|---", "FR-001 | a"), "FR-001", "FR-001 | a\nFR-002 | NEW\n\n##"),
        (
            table("| Topic | ID | Requirement |\n|---|---|---|", "| post | FR-001 | a |"),
            "FR-001",
            "|  | FR-002 | NEW |\n\n##",
        ),
        (
            table(
                "| ID | Requirement |\n|---|---|",
                "| FR-001 | a |\n\nDesk:\n\n| ID | Requirement |\n|---|---|\n| FR-101 | b |",
            ),
            "FR-001",
            "| FR-001 | a |\n| FR-002 | NEW |\n\nDesk:",
        ),
    ] {
        let addition = json!({"kind": "requirement", "anchor": anchor, "text": "NEW"});
        let placed = formed_in("requirements-spec.md", &document, &addition).unwrap();
        assert!(placed.contains(wanted), "{anchor} in {document}\n{placed}");
    }
}

#[test]
fn a_criterion_goes_where_those_of_its_story_are() {
    let criterion =
        json!({"kind": "acceptance-criterion", "anchor": "US-001", "text": "Given a, when b, then c"});
    let document = "# Stories\n\n## US-001: Letters\n\nText.\n\n### Acceptance Criteria\n\n- AC-001-01: Given x\n\n## US-002\n";
    let placed = formed_in("stories.md", document, &criterion).unwrap();
    assert!(placed.contains("Given x\n- AC-001-02: Given a, when b, then c\n"), "{placed}");
    let data = |first: &str| {
        format!("{{\"stories\": [{{\"id\": \"US-001\", \"acceptance_criteria\": [{first}]}}]}}\n")
    };
    let object = data("{\"id\": \"AC-001-01\", \"given\": \"x\", \"when\": \"y\", \"then\": \"z\"}");
    let fields = json!({"kind": "acceptance-criterion", "anchor": "US-001", "fields": {"given": "a", "when": "b", "then": "c"}});
    let placed: Value =
        serde_json::from_str(&formed_in("user-stories.json", &object, &fields).unwrap()).unwrap();
    let added = &placed["stories"][0]["acceptance_criteria"][1];
    assert_eq!(*added, json!({"id": "AC-001-02", "given": "a", "when": "b", "then": "c"}));
    let refused = formed_in("user-stories.json", &object, &criterion).unwrap_err();
    assert!(refused.contains("the criteria there have other fields"), "{refused}");
}

#[test]
fn an_addition_has_the_form_of_its_place() {
    for (anchor, kind, text, wanted) in [
        (
            "1. Scenarios",
            "acceptance-criterion",
            "**Given** two books, **When** a month ends, **Then** one letter is sent.",
            "the desk knows\n3. **Given** two books, **When** a month ends, **Then** one letter is sent.\n\n---\n",
        ),
        (
            "1. Scenarios",
            "acceptance-criterion",
            "Given two books, When a month ends, Then one letter is sent.",
            "the desk knows\n3. **Given** two books, **When** a month ends, **Then** one letter is sent.\n\n---\n",
        ),
        (
            "2. Fees",
            "note",
            "A fee ends at *20* euros.",
            "Fees grow daily.\n\nA fee ends at 20 euros.\n\n## 3.",
        ),
        ("3. File", "note", "No row is removed.", "- book\n- fee\n\nNo row is removed.\n\n## 4."),
        ("6. Table", "note", "| **Lost** | `ask_again` |", "`send_it` |\n| **Lost** | `ask_again` |\n"),
        ("9. Limits", "requirement", "No paper", "- **PC-2**: No cloud\n- **PC-3**: No paper"),
        ("10. Rights", "requirement", "Fees stay.", "**SEC-2:** Names stay.\n\n**SEC-3:** Fees stay."),
        ("B1", "requirement", "It has a date.", "- B2: It is sent once.\n- B3: It has a date"),
        ("8. Rules", "requirement", "MUST fold them", "MUST print them\n- **FR-003**: MUST fold them"),
    ] {
        let placed = formed(anchor, kind, text).unwrap();
        assert!(placed.contains(wanted), "{anchor}: {placed}");
    }
    for (anchor, kind, text, wanted) in [
        ("4. Desk", "note", "The desk opens on Sundays.", "sections of its own"),
        ("5. Numbers", "nfr", "A letter is printed in a second.", "ids of another kind"),
        ("S3", "note", "Bills stay.", "\"S3\" is no heading and no id there"),
        ("7. Form", "note", "\"kind\": \"late\"", "only code"),
        ("2. Fees", "note", "Fees grow.\nThey end.", "several lines"),
        ("2. Fees", "note", "All letters arrive within 3 days, except in May.", "says again what is there"),
    ] {
        let reason = formed(anchor, kind, text).unwrap_err();
        assert!(reason.contains(wanted), "{anchor}: {reason}");
    }
}

/// What the lines of the opening and of the first answer propose.
fn proposals() -> Vec<Value> {
    vec![
        json!({"document": "requirements-spec.md", "kind": "note", "anchor": "7. Costs", "text": "The inspector sees what is saved"}),
        json!({"document": "requirements-spec.md", "kind": "risk", "anchor": "4. Technical Context", "text": "One server ties every tablet", "fields": {"owner": "Alex"}}),
        json!({"document": "requirements-spec.md", "kind": "acceptance-criterion", "anchor": "3. User Journeys", "text": "A photo that arrives twice is stored once"}),
        json!({"document": "", "kind": "decision-record", "anchor": "", "fields": {"title": "Both answers", "decision": "keep both answers", "options": ["a lost answer costs a day"]}}),
    ]
}

/// A program that speaks in the opening and to the first messages; each line proposes something.
pub fn program(sandbox: &Sandbox, proposals: &[Value]) -> String {
    let said = [
        (
            None,
            "business-analyst",
            "The inspector saves an answer and nobody says what shows on the screen then; where do people look first?",
        ),
        (
            None,
            "solutions-architect",
            "Five hundred photos on one server tie every tablet to that single box during an outage.",
        ),
        (
            None,
            "system-designer",
            "A photo that arrives twice has to be stored once, so each upload carries its own number.",
        ),
        (
            Some(0),
            "business-analyst",
            "Somebody who waits in the depot wants to know which of both is newer.",
        ),
        (Some(0), "solutions-architect", "Both versions need room, and the disk of the depot is small."),
        (Some(0), "system-designer", "The list shows both with their hours, oldest first."),
        (Some(1), "business-analyst", "A clerk without a tablet asks on the phone."),
        (Some(1), "solutions-architect", "The nightly copy holds everything twice for a week."),
    ];
    let line = |((message, persona, text), proposal): (&(Option<u32>, &str, &str), &Value)| json!({"message": message, "persona": persona, "text": text, "proposal": proposal});
    let lines: Vec<Value> = said.iter().zip(proposals).map(line).collect();
    let turns: Vec<usize> = (1..20).collect();
    let synthesis = json!({"insights": [], "decisions": [], "open_questions": [], "action_items": [], "proposals": turns});
    let said = json!({ "lines": lines });
    sandbox.script(
        "voice.sh",
        format!(
            "#!/bin/sh\nread -r asked\ncase \"$asked\" in\n*'\"want\":\"synthesis\"'*) cat <<'END'\n{synthesis}\nEND\n;;\n*'\"want\":\"round\"'*) cat <<'END'\n{said}\nEND\n;;\n*'\"want\":\"line\"'*) echo '{{\"pass\": true}}' ;;\n*) echo '[]' ;;\nesac\n"
        ),
    )
}

#[test]
#[cfg(unix)]
fn placed_additions_are_committed_replayed_and_lead_to_their_turns() {
    let sandbox = sandbox();
    let script = sandbox
        .script("s.txt", "We decided to keep both answers, because a lost answer costs a day.\ndone\n");
    let voice = format!("command:/bin/sh {}", program(&sandbox, &proposals()));
    let args =
        ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT, "--voice", &voice];
    let run = sandbox.run(&[&args[..], &["--json"]].concat());
    let report = run.json();
    let spec = sandbox.file(BRANCH, &format!("{ITEM}/requirements-spec.md"));
    let line_of =
        |line: &str| spec.lines().position(|one| one == line).unwrap_or_else(|| panic!("{spec}")) + 1;
    let criterion = line_of("- A photo that arrives twice is stored once (proposed by Jordan)");
    let risk = line_of("- One server ties every tablet (proposed by Alex)");
    assert!(spec.contains("\n  - Owner: unassigned\n"), "{spec}");
    let paths: Vec<&str> =
        report["artifacts"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert!(
        paths
            .iter()
            .any(|path| path.ends_with("adr/0001-we-decided-to-keep-both-answers-because-a-lost-a.md")
                || path.contains("/adr/0001-")),
        "{paths:?}"
    );
    for (line, turn, kind) in [(criterion, 3, "proposed addition"), (risk, 2, "proposed addition")] {
        let why = sandbox
            .run(&["why", &format!("{ITEM}/requirements-spec.md:{line}"), "--rev", BRANCH, "--json"])
            .json();
        assert_eq!(
            (&why["finding"]["kind"], &why["finding"]["turns"]),
            (&json!(kind), &json!([turn])),
            "{why}"
        );
    }
    sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
    let recording = format!("{BRANCH}:{}", report["recording"].as_str().unwrap());
    let replayed = sandbox.run(&["replay", &recording, "--json"]).json();
    assert_eq!(
        (&replayed["reproduced"], &replayed["recordings"][0]["by"]),
        (&json!(true), &json!("commit")),
        "{replayed}"
    );
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    let plain = sandbox.run(&[&args[..], &["--dry-run"]].concat());
    // Each that is written is told where it is.
    assert!(!plain.stdout.contains(" proposed addition"), "{}", plain.stdout);
    assert!(
        plain.stderr.contains("is only in the recording: \"7. Costs\" is no heading"),
        "{}",
        plain.stderr
    );
}

#[test]
#[cfg(unix)]
fn a_proposal_that_copies_the_marks_of_its_neighbours_has_them_once() {
    let sandbox = sandbox();
    let path = format!("{ITEM}/words.md");
    let document = "# Words\n\n## Glossary\n\n- **Tablet**: what an inspector holds\n- **Desk**: where reports arrive\n\n\
         ## Rules\n\n1. WHEN a photo arrives, THE desk SHALL store it.\n2. THE desk SHALL answer.\n\n\
         ## Errors\n\n| Case | What happens |\n| --- | --- |\n| No network | The tablet waits |\n";
    sandbox.commit(&[(path.as_str(), document)]);
    let proposals = [
        json!({"document": "words.md", "kind": "term", "anchor": "Glossary", "text": "- **Outbox**: what waits on the tablet"}),
        json!({"document": "words.md", "kind": "acceptance-criterion", "anchor": "Rules", "text": "3. IF a photo arrives twice, THEN THE desk SHALL store it once."}),
        json!({"document": "words.md", "kind": "error", "anchor": "Errors", "text": "| Storage full | The tablet asks |"}),
    ];
    let script = sandbox.script("s.txt", "We decided to keep both answers.\ndone\n");
    let voice = format!("command:/bin/sh {}", program(&sandbox, &proposals));
    sandbox
        .run(&[
            "elaborate",
            "offline-mode",
            "--step",
            "01-03",
            "--script",
            &script,
            "--at",
            AT,
            "--voice",
            &voice,
        ])
        .ok();
    let words = sandbox.file(BRANCH, &path);
    for line in [
        "- **Desk**: where reports arrive\n- **Outbox**: what waits on the tablet (proposed by ",
        "2. THE desk SHALL answer.\n3. IF a photo arrives twice, THEN THE desk SHALL store it once. (proposed by ",
        "| No network | The tablet waits |\n| Storage full | The tablet asks (proposed by ",
    ] {
        assert!(words.contains(line), "{words}");
    }
}

#[test]
#[cfg(unix)]
fn lines_that_were_added_to_data_lead_to_their_turns() {
    let proposals = [
        json!({"document": "stories.json", "kind": "acceptance-criterion", "anchor": "US-001", "text": "A photo that arrives twice has to be stored once"}),
        json!({"document": "stories.json", "kind": "user-story", "anchor": "", "fields": {"as_a": "inspector", "i_want": "a photo stored once", "so_that": "each upload carries its own number"}}),
        json!({"document": "errors.yaml", "kind": "error", "anchor": "", "fields": {"code": "photo-twice", "action": "a photo that arrives twice is stored once"}}),
        json!({"document": "terms.csv", "kind": "term", "anchor": "", "fields": {"term": "upload", "meaning": "a photo, with its own number"}}),
    ];
    let sandbox = sandbox();
    let path = |name: &str| format!("{ITEM}/{name}");
    let files = [("stories.json", STORIES), ("errors.yaml", ERRORS), ("terms.csv", TERMS)];
    let files = files.map(|(name, text)| (path(name), text));
    sandbox.commit(&files.each_ref().map(|(path, text)| (path.as_str(), *text)));
    let script =
        sandbox.script("s.txt", "We decided to keep both answers, because a lost one costs a day.\ndone\n");
    let voice = format!("command:/bin/sh {}", program(&sandbox, &proposals));
    let args =
        ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT, "--voice", &voice];
    sandbox.run(&args).ok();
    // What people write later, and a squash, change nothing of it.
    let now = |name: &str| sandbox.file(BRANCH, &path(name));
    let stories = now("stories.json").replacen(
        "  \"stories\": [\n",
        "  \"stories\": [\n    {\"id\": \"US-007\"},\n",
        1,
    );
    let errors = now("errors.yaml").replacen("errors:\n", "errors:\n  - code: E-OTHER\n", 1);
    let terms = format!("{}Depot,where trams sleep\n", now("terms.csv"));
    let recording = sandbox.recordings().remove(0);
    let kept = sandbox.file(BRANCH, &recording);
    let meta = now("meta.json");
    sandbox.commit(&[
        (&path("stories.json"), &stories),
        (&path("errors.yaml"), &errors),
        (&path("terms.csv"), &terms),
        (&path("meta.json"), &meta),
        (&recording, &kept),
    ]);
    let why =
        |name: &str, line: usize| sandbox.run(&["why", &format!("{}:{line}", path(name)), "--json"]).json();
    let line = |text: &str, part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    for (name, text, part, said, turn) in [
        (
            "stories.json",
            &stories,
            "arrives twice has",
            "A photo that arrives twice has to be stored once",
            1,
        ),
        ("stories.json", &stories, "\"i_want\"", "a photo stored once", 2),
        ("errors.yaml", &errors, "photo-twice", "a photo that arrives twice is stored once", 3),
        ("errors.yaml", &errors, "is stored once", "a photo that arrives twice is stored once", 3),
        ("terms.csv", &terms, "upload,", "a photo, with its own number", 5),
    ] {
        let found = why(name, line(text, part));
        assert_eq!(
            (&found["by"], &found["finding"]["turns"]),
            (&json!("discussion"), &json!([turn])),
            "{found}"
        );
        assert!(found["finding"]["text"].as_str().unwrap().contains(said), "{found}");
        assert_eq!((&found["recording"], &found["marker"]), (&json!(recording), &Value::Null), "{found}");
        assert_eq!(found["turns"][0]["turn"], turn, "{found}");
    }
    for (name, text, part) in [
        ("stories.json", &stories, "US-007"),
        ("errors.yaml", &errors, "E-LOST"),
        ("terms.csv", &terms, "Depot"),
    ] {
        assert_eq!(why(name, line(text, part))["by"], "commit", "{name} {part}");
    }
    let list = sandbox.run(&["why", &path("stories.json"), "--json"]).json();
    assert_eq!(list["discussions"].as_array().unwrap().len(), 2, "{list}");
    // An entry that was changed since is nobody's turn any more.
    sandbox.commit(&[(&path("terms.csv"), &terms.replace("its own number", "no number"))]);
    assert_eq!(why("terms.csv", line(&terms, "upload,"))["by"], "commit");
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Photos are lost"),
        Just("```"),
        Just("<!-- x"),
        Just("| a | b |"),
        Just("# T"),
        Just("-"),
        Just("[a]: http://x"),
        Just("</details>"),
        Just("\"; ,"),
        Just("US-001"),
        Just("- item\n\n## x"),
        Just("{{ 7 }}"),
        Just("'"),
        Just("&: *x"),
    ]
    .prop_map(str::to_owned)
}

fn any_addition() -> impl Strategy<Value = Value> {
    let path = prop_oneof![
        Just("requirements-spec.md"),
        Just("user-stories.json"),
        Just("errors.yaml"),
        Just("terms.csv"),
        Just("meta.json")
    ];
    let kind = prop::sample::select(roundtable::discussion::additions::Kind::ALL.to_vec());
    let anchor = prop_oneof![
        Just("US-001"),
        Just("Risks"),
        Just("5. Risks"),
        Just("6. Terms"),
        Just("errors"),
        Just("stories"),
        Just("Requirements"),
        Just("AC-001-01"),
        Just("")
    ];
    let names = prop_oneof![
        Just("term"),
        Just("meaning"),
        Just("code"),
        Just("likelihood"),
        Just("owner"),
        Just("as_a"),
        Just("title")
    ];
    let fields = prop::collection::btree_map(names, any_text(), 0..4);
    (path, kind, anchor, any_text(), fields, any::<bool>()).prop_map(|(path, kind, anchor, text, fields, has_text)| {
        let text = if has_text || fields.is_empty() { text } else { String::new() };
        json!({"path": path, "kind": kind.name(), "anchor": anchor, "text": text, "fields": fields, "turns": [1, 4]})
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_added_only_adds(values in prop::collection::vec(any_addition(), 1..6)) {
        let library = Library::built_in().unwrap();
        let additions: Vec<Addition> = values.iter().filter_map(|value| Addition::read(value).ok()).collect();
        let finished = finished(&library, additions);
        let first = outcome(&item(), &finished, &library).unwrap();
        prop_assert_eq!(&first.changes, &outcome(&item(), &finished, &library).unwrap().changes);
        prop_assert!(verify(first.changes).is_ok());
    }
}

#[test]
#[cfg(unix)]
fn a_proposed_record_that_has_no_place_is_told() {
    let record = json!({"document": "spec.md", "kind": "decision-record", "anchor": "", "fields": {"title": "White letters", "context": "Letters are grey today"}});
    let nothing = json!(null);
    let sandbox = crate::kit::empty();
    let second = "# 2. Fold letters\n\n## Status\n\nAccepted\n\n## Decision\n\nOnce.\n";
    sandbox.commit(&[
        ("adr/0002-fold-letters.md", second),
        ("specs/letters/spec.md", "# Letters\n\n- **FR-001**: Letters are sent.\n\n| Id | Rule |\n| --- | --- |\n| FR-002 | Letters are short |\n"),
        ("adr/0001-send-letters.md", "# 1. Send letters\n\nDate: 2025-01-07\n\n## Status\n\nAccepted\n\n## Decision\n\nMonthly.\n"),
    ]);
    let voice = format!("command:/bin/sh {}", program(&sandbox, &[nothing.clone(), nothing, record]));
    let script = sandbox.script("s.txt", "We decided to send letters in white, as FR-002 says.\ndone\n");
    for (item, layout) in [("specs/letters", "speckit"), ("adr", "adr")] {
        let args = [
            "elaborate",
            item,
            "--step",
            "01-03",
            "--script",
            &script,
            "--at",
            AT,
            "--voice",
            &voice,
            "--dry-run",
        ];
        let run = sandbox.run(&args);
        let told =
            format!("the decision record is only in the recording: the layout {layout} has no place for one");
        assert!(run.stderr.contains(&told), "{}\n{}", run.stdout, run.stderr);
        let row =
            "Not added to spec.md: a row of a table defines FR-002, so the decision has no line below it";
        assert_eq!(run.stderr.contains(row), layout == "speckit", "{}", run.stderr);
    }
}
