//! Typed additions after the item's folder was moved, and in a history that was squashed: `why` leads to their turns,
//! and `replay` proves them or names what is missing.
#![cfg(unix)]

use std::path::Path;

use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, ITEM, Sandbox, sandbox};
use crate::replay_rewritten::{Files, MOVED, git, judged, proofs};
use crate::typed::{ERRORS, STORIES, TERMS, program};

const TALK: &str =
    "We decided to keep both answers, because a lost answer costs a day.\nHow many photos fit?\ndone\n";

/// What the lines propose, each in its turn: documents take a few, so half of them at a time.
fn proposals(half: usize) -> Vec<Value> {
    let mut all = vec![
        json!({"document": "risks.md", "kind": "risk", "anchor": "Risks", "text": "One server ties every tablet", "fields": {"owner": "Alex"}}),
        json!({"document": "", "kind": "decision-record", "anchor": "", "fields": {"title": "Both answers", "decision": "keep both answers", "options": ["a lost answer costs a day"]}}),
        json!({"document": "requirements-spec.md", "kind": "acceptance-criterion", "anchor": "3. User Journeys", "text": "A photo that arrives twice is stored once"}),
        json!({"document": "requirements-spec.md", "kind": "requirement", "anchor": "4. Technical Context", "text": "Each upload carries its own number"}),
        json!({"document": "stories.json", "kind": "acceptance-criterion", "anchor": "US-001", "text": "A photo that arrives twice has to be stored once"}),
        json!({"document": "stories.json", "kind": "user-story", "anchor": "", "fields": {"as_a": "inspector", "i_want": "a photo stored once", "so_that": "each upload carries its own number"}}),
        json!({"document": "errors.yaml", "kind": "error", "anchor": "", "fields": {"code": "photo-twice", "action": "a photo that arrives twice is stored once"}}),
        json!({"document": "terms.csv", "kind": "term", "anchor": "", "fields": {"term": "upload", "meaning": "a photo, with its own number"}}),
    ];
    let is_other = |at: &usize| at / 4 != half;
    (0..8).filter(is_other).for_each(|at| all[at] = Value::Null);
    all
}

const RISKS: &str =
    "# Risks\n\n| ID | Risk | Owner |\n|----|------|-------|\n| R-01 | Tablets break | Kim |\n\n## Later\n";

/// By halves a word of each typed addition, the document it is in, its kind, and the turn it rests on. The decision record's
/// file has a number of its own.
const ADDED: [[(&str, &str, &str, u32); 4]; 2] = [
    [
        ("requirements-spec.md", "- A photo that arrives twice is stored once", "proposed addition", 3),
        ("requirements-spec.md", "Each upload carries its own number", "proposed addition", 5),
        ("risks.md", "One server ties every tablet", "proposed addition", 1),
        ("adr/", "keep both answers", "decision", 4),
    ],
    [
        ("stories.json", "arrives twice has to be stored once", "proposed addition", 6),
        ("stories.json", "\"i_want\": \"a photo stored once\"", "proposed addition", 7),
        ("errors.yaml", "photo-twice", "proposed addition", 9),
        ("terms.csv", "upload,", "proposed addition", 10),
    ],
];

/// How a branch gets onto `main`, with its name.
type Way = (&'static str, fn(&Path));

/// The documents that the additions are for.
fn documents() -> [(String, &'static str); 4] {
    let files =
        [("stories.json", STORIES), ("errors.yaml", ERRORS), ("terms.csv", TERMS), ("risks.md", RISKS)];
    files.map(|(name, text)| (format!("{ITEM}/{name}"), text))
}

/// A repository on `main`, whose item was discussed on its branch, with half of the additions.
fn discussed(half: usize) -> Sandbox {
    let sandbox = sandbox();
    let files = documents();
    sandbox.commit(&files.each_ref().map(|(path, text)| (path.as_str(), *text)));
    let script = sandbox.script("s.txt", TALK);
    let voice = format!("command:/bin/sh {}", program(&sandbox, &proposals(half)));
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT];
    let run = sandbox.run(&[&args[..], &["--voice", &voice]].concat()).ok();
    assert!(!run.stdout.contains("only in the recording"), "{}", run.stdout);
    git(&sandbox.root(), &["checkout", "--quiet", "--force", "main"]);
    sandbox
}

/// Squashes the branch, deletes it, and removes every object that nothing refers to.
fn squash(at: &Path) {
    git(at, &["merge", "--quiet", "--squash", BRANCH]);
    git(at, &["commit", "--quiet", "-m", "Squashed (#1)"]);
    git(at, &["branch", "--quiet", "-D", BRANCH]);
    git(at, &["reflog", "expire", "--expire=now", "--all"]);
    git(at, &["gc", "--quiet", "--prune=now"]);
}

fn move_folder(at: &Path) {
    git(at, &["mv", ITEM, MOVED]);
    git(at, &["commit", "--quiet", "-m", "Moved"]);
}

/// The files of the item, in this folder on `main`.
fn files_of(sandbox: &Sandbox, folder: &str) -> Files {
    let names = git(&sandbox.root(), &["ls-tree", "-r", "--name-only", "main", "--", folder]);
    let file = |path: &str| {
        let name = path.strip_prefix(&format!("{folder}/")).unwrap().to_owned();
        (name, sandbox.file("main", path).into_bytes())
    };
    names.lines().map(file).collect()
}

#[test]
fn why_leads_to_the_turns_of_typed_additions_wherever_the_folder_is() {
    let ways: [Way; 3] = [
        ("moved", |at| {
            git(at, &["merge", "--quiet", BRANCH]);
            move_folder(at);
        }),
        ("squashed, then moved", |at| {
            squash(at);
            move_folder(at);
        }),
        ("squashed in a moved folder", |at| {
            git(at, &["merge", "--quiet", "--squash", BRANCH]);
            move_folder(at);
            git(at, &["branch", "--quiet", "-D", BRANCH]);
        }),
    ];
    for ((way, merge), half) in ways.into_iter().flat_map(|way| [(way, 0), (way, 1)]) {
        let sandbox = discussed(half);
        merge(&sandbox.root());
        let files = files_of(&sandbox, MOVED);
        let (recording, _) = files.iter().find(|(name, _)| name.starts_with("elaborations/")).unwrap();
        for (document, words, kind, turn) in ADDED[half] {
            let (name, bytes) = files.iter().find(|(name, _)| name.starts_with(document)).unwrap();
            let text = String::from_utf8(bytes.clone()).unwrap();
            let line =
                text.lines().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{text}")) + 1;
            let found = sandbox.run(&["why", &format!("{MOVED}/{name}:{line}"), "--json"]).json();
            let told = || format!("{way}, {name}: {found}");
            assert_eq!(found["by"], "discussion", "{}", told());
            assert_eq!(
                (&found["finding"]["kind"], &found["finding"]["turns"]),
                (&json!(kind), &json!([turn])),
                "{}",
                told()
            );
            assert_eq!(found["recording"], json!(format!("{MOVED}/{recording}")), "{}", told());
            assert_eq!(found["turns"][0]["turn"], json!(turn), "{}", told());
            assert!(found["commit"].is_string(), "{}", told());
        }
        let by = if way == "moved" { "commit" } else { "content" };
        assert_eq!(proofs(&sandbox.root()), (0, vec![by.to_owned()]), "{way}");
    }
}

#[test]
fn typed_additions_are_proved_where_no_earlier_blob_is_left_and_a_changed_one_is_named() {
    [0, 1].into_iter().for_each(prove_half);
}

fn prove_half(half: usize) {
    let sandbox = discussed(half);
    squash(&sandbox.root());
    let files = files_of(&sandbox, ITEM);
    let mut changed = vec![files.clone()];
    let mut told = vec![String::new()];
    for (document, words, ..) in ADDED[half] {
        let at = files.iter().position(|(name, _)| name.starts_with(document)).unwrap();
        let text = String::from_utf8(files[at].1.clone()).unwrap();
        let found = text.find(words).unwrap();
        let start = text[..found].rfind('\n').map_or(0, |end| end + 1);
        let line = text[start..].lines().next().unwrap();
        // Not white space around it, which says nothing in data, nor what else is on a line of JSON.
        let own = match document == "stories.json" {
            true => found..found + words.len(),
            false => start + line.len() - line.trim_start().len()..start + line.len(),
        };
        for byte in own.step_by(3) {
            let mut files = files.clone();
            files[at].1[byte] ^= 1;
            told.push(String::from_utf8_lossy(&files[at].1).into_owned());
            changed.push(files);
        }
    }
    let by = judged(&changed);
    assert_eq!(by[0].as_deref(), Some("text"));
    for (by, told) in by.iter().zip(told).skip(1) {
        assert!(by.is_none(), "{by:?}: {told}");
    }
}

#[test]
fn what_replay_misses_is_named_where_the_blob_of_a_document_is_gone() {
    let sandbox = discussed(1);
    let read: Value = sandbox.events().remove(0);
    squash(&sandbox.root());
    let path = format!("{ITEM}/errors.yaml");
    let blob = read["read"]["errors.yaml"].as_str().unwrap().to_owned();
    assert_eq!(git(&sandbox.root(), &["rev-parse", &format!("HEAD~:{path}")]), blob);
    // The history before is cut off, and somebody edits another line of the document in the same commit.
    let now = sandbox.file("main", &path);
    let files = |text: String| {
        let mut files = files_of(&sandbox, ITEM);
        let at = files.iter().position(|(name, _)| name == "errors.yaml").unwrap();
        files[at].1 = text.into_bytes();
        files
    };
    let edited = now.replace("ask again", "ask once more");
    let altered = now.replace("photo-twice", "photo-again");
    assert!(edited != now && altered != now);
    let by = judged(&[files(now.clone()), files(edited), files(altered.clone()), files(ERRORS.to_owned())]);
    assert_eq!(by, [Some("text"), Some("text"), None, None].map(|by| by.map(str::to_owned)));
    // With all of it here, the answer names the document and the addition.
    std::fs::write(sandbox.root().join(&path), altered).unwrap();
    git(&sandbox.root(), &["commit", "--quiet", "--all", "--amend", "-m", "Squashed (#1)"]);
    let run = sandbox.run(&["replay", "--all"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(&format!("differs in {path}")), "{}", run.stdout);
    assert!(run.stdout.contains("photo-twice"), "{}", run.stdout);
}
