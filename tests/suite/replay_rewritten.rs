//! Recordings are proved however their branch was merged, and from clones of any depth (P-2).

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::kit::{AT, BRANCH, ITEM, Run, Sandbox, program, sandbox};

const TIMES: [&str; 3] = [AT, "2026-02-21T14:30:00Z", "2026-02-22T14:30:00Z"];
const STEPS: [&str; 3] = ["01-03", "01-04", "01-03"];
const TALK: &str = "Alex, what breaks first?\nWe decided to keep both answers.\ndone\n";
pub const MOVED: &str = "docs/requirements/sync";

/// git in a folder, with a fixed identity and nothing of the machine's settings.
pub fn git(at: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(at).args(args).env("HOME", at).env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Kim").env(format!("GIT_{who}_EMAIL"), "kim@example.org");
        command.env(format!("GIT_{who}_DATE"), "2026-03-01T10:00:00Z");
    }
    command.env("GIT_EDITOR", "true").env("GIT_SEQUENCE_EDITOR", "true");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository whose item was discussed so many times on its branch.
fn discussed(count: usize) -> Sandbox {
    let sandbox = sandbox();
    for at in 0..count {
        let script = sandbox.script("talk.txt", TALK);
        let args = ["elaborate", "offline-mode", "--step", STEPS[at], "--script", &script, "--at", TIMES[at]];
        sandbox.run(&args).ok();
    }
    git(&sandbox.root(), &["checkout", "--quiet", "--force", "main"]);
    sandbox
}

/// A way in which a branch gets onto `main`, and what a full clone is proved by then.
struct Way {
    name: &'static str,
    by: &'static str,
    merge: fn(&Path),
}

const WAYS: [Way; 8] = [
    Way { name: "fast-forward", by: "commit", merge: |at| drop(git(at, &["merge", "--quiet", BRANCH])) },
    Way {
        name: "merge commit",
        by: "commit",
        merge: |at| {
            elsewhere(at);
            git(at, &["merge", "--quiet", "--no-ff", "-m", "Merge", BRANCH]);
        },
    },
    Way {
        name: "squash",
        by: "content",
        merge: |at| {
            git(at, &["merge", "--quiet", "--squash", BRANCH]);
            git(at, &["commit", "--quiet", "-m", "Squashed (#1)"]);
        },
    },
    Way {
        name: "rebase",
        by: "content",
        merge: |at| {
            elsewhere(at);
            git(at, &["rebase", "--quiet", "main", BRANCH]);
            git(at, &["checkout", "--quiet", "main"]);
            git(at, &["merge", "--quiet", BRANCH]);
        },
    },
    Way {
        name: "cherry-pick",
        by: "content",
        merge: |at| {
            elsewhere(at);
            git(at, &["cherry-pick", &format!("main..{BRANCH}")]);
        },
    },
    Way {
        name: "amended",
        by: "content",
        merge: |at| {
            git(
                at,
                &[
                    "rebase",
                    "--quiet",
                    "--force-rebase",
                    "--exec",
                    "git commit --quiet --amend -m x",
                    "main",
                    BRANCH,
                ],
            );
            git(at, &["checkout", "--quiet", "main"]);
            git(at, &["merge", "--quiet", BRANCH]);
        },
    },
    Way {
        name: "squash in a moved folder",
        by: "content",
        merge: |at| {
            git(at, &["merge", "--quiet", "--squash", BRANCH]);
            git(at, &["mv", ITEM, MOVED]);
            git(at, &["commit", "--quiet", "-m", "Squashed and moved"]);
        },
    },
    Way {
        name: "folder moved after a squash",
        by: "content",
        merge: |at| {
            git(at, &["merge", "--quiet", "--squash", BRANCH]);
            git(at, &["commit", "--quiet", "-m", "Squashed"]);
            git(at, &["mv", ITEM, MOVED]);
            git(at, &["commit", "--quiet", "-m", "Moved"]);
        },
    },
];

/// Another commit on `main`, which has nothing to do with the item.
fn elsewhere(at: &Path) {
    std::fs::write(at.join("other.txt"), "other\n").unwrap();
    git(at, &["add", "other.txt"]);
    git(at, &["commit", "--quiet", "-m", "Other"]);
}

/// Only `main` of a repository, with so much of its history, as CI has it.
pub fn cloned(sandbox: &Sandbox, depth: Option<usize>) -> PathBuf {
    let to = sandbox.outside(&depth.map_or("full".to_owned(), |depth| format!("depth-{depth}")));
    let url = format!("file://{}", sandbox.root().display());
    let depth = depth.map(|depth| format!("--depth={depth}"));
    let mut args = vec!["clone", "--quiet", "--bare", "--single-branch", "--branch", "main"];
    args.extend(depth.as_deref());
    git(&sandbox.outside(""), &[&args[..], &[&url, to.to_str().unwrap()]].concat());
    to
}

fn run(at: &Path, args: &[&str]) -> Run {
    Run::of(program(at, &at.join("..")).args(args).output().unwrap())
}

pub fn report(run: &Run) -> Value {
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
}

/// How each recording of HEAD is proved.
pub fn proofs(at: &Path) -> (i32, Vec<String>) {
    let run = run(at, &["replay", "--all", "--json"]);
    let report = report(&run);
    let by = |one: &Value| one["by"].as_str().unwrap_or("none").to_owned();
    (run.code, report["recordings"].as_array().unwrap().iter().map(by).collect())
}

#[test]
fn every_way_to_merge_is_proved_from_every_clone() {
    for way in WAYS {
        for count in 1..=3 {
            let sandbox = discussed(count);
            (way.merge)(&sandbox.root());
            for depth in [None, Some(1), Some(2)] {
                let at = cloned(&sandbox, depth);
                let case = format!("{}, {count} discussions, depth {depth:?}", way.name);
                let (code, by) = proofs(&at);
                assert_eq!((code, by.len()), (0, count), "{case}: {by:?}");
                let wanted = if depth.is_none() { vec![way.by] } else { vec![way.by, "content", "text"] };
                assert!(by.iter().all(|by| wanted.contains(&by.as_str())), "{case}: {by:?}");
            }
        }
    }
}

/// Files by name.
pub type Files = Vec<(String, Vec<u8>)>;

/// A repository of one commit, `main`, with these items: folder, files.
fn alone(items: &[(String, Files)]) -> Sandbox {
    let sandbox = crate::kit::empty();
    let mut builder = git2::build::TreeUpdateBuilder::new();
    for (folder, files) in items {
        for (name, bytes) in files {
            let blob = sandbox.git.blob(bytes).unwrap();
            builder.upsert(format!("{folder}/{name}"), blob, git2::FileMode::Blob);
        }
    }
    let who = git2::Signature::new("Kim", "kim@example.org", &git2::Time::new(1_772_000_000, 0)).unwrap();
    {
        let git = &sandbox.git;
        let empty = git.find_tree(git.treebuilder(None).unwrap().write().unwrap()).unwrap();
        let tree = git.find_tree(builder.create_updated(git, &empty).unwrap()).unwrap();
        git.commit(Some("HEAD"), &who, &who, "All of it", &tree, &[]).unwrap();
    }
    sandbox
}

/// The files of an item that was discussed, and where the addition is in its specification.
fn files_of(sandbox: &Sandbox) -> (Files, Range<usize>) {
    let (before, after) = (crate::kit::SPEC.as_bytes(), sandbox.spec().into_bytes());
    let start = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let added = start..start + after.len() - before.len();
    let recording = &sandbox.recordings()[0];
    let name = recording.strip_prefix(&format!("{ITEM}/")).unwrap().to_owned();
    let files = vec![
        (name, sandbox.file(BRANCH, recording).into_bytes()),
        ("meta.json".to_owned(), sandbox.file(BRANCH, &format!("{ITEM}/meta.json")).into_bytes()),
        ("requirements-spec.md".to_owned(), after),
    ];
    (files, added)
}

/// The items of a changed copy each, replayed together: who is reproduced, and how.
pub fn judged(changed: &[Files]) -> Vec<Option<String>> {
    let sandbox = copies(changed);
    replayed(&sandbox, changed.len())
}

/// A repository of one commit with an item for each changed copy.
fn copies(changed: &[Files]) -> Sandbox {
    let items: Vec<_> = changed.iter().enumerate().map(|(at, files)| (copy(at), files.clone())).collect();
    alone(&items)
}

fn copy(number: usize) -> String {
    format!("docs/requirements/copy-{number:04}")
}

/// How each of so many copies is reproduced, if it is.
fn replayed(sandbox: &Sandbox, count: usize) -> Vec<Option<String>> {
    let report = report(&sandbox.run(&["replay", "--all", "--json"]));
    let all = report["recordings"].as_array().unwrap();
    assert_eq!(all.len(), count);
    let by =
        |one: &Value| one["reproduced"].as_bool().unwrap().then(|| one["by"].as_str().unwrap().to_owned());
    all.iter().map(by).collect()
}

#[test]
fn any_changed_byte_of_an_addition_is_seen_without_a_history() {
    let sandbox = discussed(1);
    let (files, added) = files_of(&sandbox);
    let mut changed = vec![files.clone()];
    for at in added {
        let mut files = files.clone();
        let byte = &mut files[2].1[at];
        *byte = match *byte {
            b'\n' => b' ',
            byte => byte ^ 1,
        };
        changed.push(files);
    }
    let by = judged(&changed);
    assert_eq!(by[0].as_deref(), Some("text"), "the item's name is its folder's");
    for (at, by) in by.iter().enumerate().skip(1) {
        assert!(by.is_none(), "byte {at}: {}", String::from_utf8_lossy(&changed[at][2].1));
    }
}

#[test]
fn what_people_write_around_an_addition_leaves_its_text() {
    let sandbox = discussed(1);
    let (files, _) = files_of(&sandbox);
    let edited = |from: &str, to: &str| {
        let mut files = files.clone();
        let text = String::from_utf8(files[2].1.clone()).unwrap();
        assert!(text.contains(from), "{text}");
        files[2].1 = text.replacen(from, to, 1).into_bytes();
        files
    };
    let own = edited("Sync should be fast.", "Sync takes 2 seconds.");
    let inside = edited("#### Decisions Made\n", "A note of ours.\n\n#### Decisions Made\n");
    let after = edited("## 4. Technical", "- The dispatcher sees it.\n\n## 4. Technical");
    let gone = edited("### Elaboration", "### elaboration");
    let by = judged(&[own, inside, after, gone]);
    let wanted = [Some("text"), Some("text"), Some("text"), None].map(|by| by.map(str::to_owned));
    assert_eq!(by, wanted);
}

#[test]
fn what_is_declared_lost_later_leaves_the_proof_by_text() {
    let (files, _) = files_of(&discussed(1));
    let sandbox = copies(std::slice::from_ref(&files));
    git(&sandbox.root(), &["checkout", "--quiet", "--force", "main"]);
    let text = String::from_utf8(files[2].1.clone()).unwrap();
    let edited = text.replace("keep both answers", "keep one answer");
    sandbox.commit(&[(&format!("{}/requirements-spec.md", copy(0)), &edited)]);
    assert_eq!(proofs(&sandbox.root()), (1, vec!["text".to_owned()]));
    sandbox.run(&["check", "--base", "HEAD~1", "--declare", "One answer is enough"]);
    git(&sandbox.root(), &["add", "--all"]);
    git(&sandbox.root(), &["commit", "--quiet", "-m", "Declared"]);
    assert_eq!(proofs(&sandbox.root()), (0, vec!["text".to_owned()]));
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// Changes a text in one place of a range: a byte, or whole lines.
    fn change(&mut self, bytes: &mut Vec<u8>, within: Range<usize>) {
        let at = within.start + self.below(within.len());
        let before = bytes.clone();
        while *bytes == before {
            match self.below(7) {
                0 => bytes[at] = bytes[at].wrapping_add(1 + self.below(255) as u8),
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b' ' + self.below(95) as u8),
                3 => drop(bytes.splice(at..=at, *b"xy")),
                4 => bytes[at] = bytes[at].to_ascii_uppercase(),
                5 => drop(bytes.drain(line_at(bytes, at))),
                _ => {
                    let line = bytes.drain(line_at(bytes, at)).collect::<Vec<_>>();
                    let other = line_at(bytes, within.start + self.below(within.len() - line.len())).start;
                    drop(bytes.splice(other..other, line));
                }
            }
        }
    }
}

/// The line that a byte is in.
fn line_at(bytes: &[u8], at: usize) -> Range<usize> {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
    start..end
}

#[test]
fn a_thousand_mutations_of_recordings_and_documents_are_seen() {
    let sandbox = discussed(1);
    let (files, added) = files_of(&sandbox);
    let mut random = Random(7);
    let mut changed: Vec<Files> = Vec::new();
    while changed.len() < 1_000 {
        let mut files = files.clone();
        let (file, within) = match changed.len() % 2 {
            0 => (0, 0..files[0].1.len() - 1),
            // The blank lines around an addition are no part of it.
            _ => (2, added.start..added.end - 2),
        };
        random.change(&mut files[file].1, within);
        changed.push(files);
    }
    let sandbox = copies(&changed);
    for (at, by) in replayed(&sandbox, changed.len()).iter().enumerate() {
        let files = changed[at].iter().map(|(_, bytes)| String::from_utf8_lossy(bytes));
        let told = || format!("{at}: {}", files.clone().collect::<String>());
        assert!(by.is_none(), "{}", told());
    }
    // One at a time, the answer is the exit code.
    for at in (0..1_000).step_by(97) {
        let path = format!("HEAD:{}/{}", copy(at), changed[at][0].0);
        let code = sandbox.run(&["replay", &path]).code;
        assert!([1, 2].contains(&code), "{path}: {code}");
    }
}
