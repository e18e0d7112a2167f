//! `roundtable check` beside `git`, as whole processes on a generated repository, each run in turn:
//! `cargo bench --bench check`. Reports medians and their ratio; nothing here can fail on a slow
//! machine. `ROUNDTABLE_BENCH_REPO=DIR` adds a repository of your own, between its first and last
//! commit and over its last thousand; `ROUNDTABLE_BENCH_AT=DIR`, a folder that does not exist yet,
//! keeps the generated ones.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods, clippy::print_stdout)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use git2::{Oid, Repository, Signature, Time};

const FILES: usize = 5_000;
const COMMITS: usize = 1_000;
const ROUNDS: usize = 9;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let at = std::env::var_os("ROUNDTABLE_BENCH_AT").map_or_else(|| dir.path().to_owned(), Into::into);
    println!("{FILES} Markdown files, two additions each:");
    let many = at.join("many");
    let (base, head) = many_files(&many);
    beside(&many, &["check", "--base", &base, "--head", &head], &["diff", "--numstat", &base, &head]);
    println!("a change of three files among {FILES}:");
    let (base, head) = three_files(&many, &head);
    beside(&many, &["check", "--base", &base, "--head", &head], &["diff", "--numstat", &base, &head]);
    println!("{COMMITS} commits, each one file:");
    let history = at.join("history");
    let (base, head) = commits(&history);
    let range = format!("{base}..{head}");
    beside(&history, &["check", "--each", "--base", &base, "--head", &head], &["log", "--numstat", &range]);
    one_by_one(&history, &base, &head);
    if let Some(own) = std::env::var_os("ROUNDTABLE_BENCH_REPO") {
        let own = Path::new(&own);
        println!("{}:", own.display());
        let first = git(own, &["rev-list", "--max-parents=0", "HEAD"]).lines().next().unwrap().to_owned();
        let base = git(own, &["rev-list", "--first-parent", "-n", "1001", "HEAD"])
            .lines()
            .last()
            .unwrap()
            .to_owned();
        beside(
            own,
            &["check", "--direct", "--base", &first, "--head", "HEAD"],
            &["diff", "--numstat", &first, "HEAD"],
        );
        let range = format!("{base}..HEAD");
        beside(
            own,
            &["check", "--each", "--base", &base, "--head", "HEAD"],
            &["log", "--numstat", "-m", &range],
        );
    }
}

/// Medians of the program and of git, run in turn.
fn beside(at: &Path, ours: &[&str], theirs: &[&str]) {
    let policy = at.join("../policy.yaml");
    let _ = std::fs::write(&policy, "protect: [{paths: '**/*.md', rule: content}]\n");
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_roundtable"));
        own.push(timed(command.arg("--config").arg(&policy).args(ours).arg("-q").current_dir(at)));
        other.push(timed(Command::new("git").args(theirs).current_dir(at)));
    }
    report(&format!("git {}", theirs[..2].join(" ")), &mut own, &mut other);
}

/// The same thousand commits with a process for each: what a shell loop costs.
fn one_by_one(at: &Path, base: &str, head: &str) {
    let commits = git(at, &["rev-list", &format!("{base}..{head}")]);
    let policy = at.join("../policy.yaml");
    let (mut own, mut other) = (Vec::new(), Vec::new());
    let mut command = Command::new(env!("CARGO_BIN_EXE_roundtable"));
    own.push(timed(
        command
            .arg("--config")
            .arg(&policy)
            .args(["check", "--each", "--base", base, "--head", head, "-q"])
            .current_dir(at),
    ));
    let start = Instant::now();
    for commit in commits.lines() {
        timed(
            Command::new("git").args(["diff", "--numstat", &format!("{commit}~1"), commit]).current_dir(at),
        );
    }
    other.push(start.elapsed());
    report("a git diff --numstat a commit", &mut own, &mut other);
}

fn report(name: &str, own: &mut [Duration], other: &mut [Duration]) {
    own.sort_unstable();
    other.sort_unstable();
    let (own, other) = (own[own.len() / 2].as_secs_f64() * 1e3, other[other.len() / 2].as_secs_f64() * 1e3);
    println!("  roundtable check {own:8.1} ms   {name} {other:8.1} ms   {:.1} times as fast", other / own);
}

fn timed(command: &mut Command) -> Duration {
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap();
    assert_ne!(status.code(), Some(2), "{command:?}");
    start.elapsed()
}

fn git(at: &Path, args: &[&str]) -> String {
    let output = Command::new("git").args(args).current_dir(at).output().expect("the benchmark needs git");
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Sentences that are not alike, the same on every machine.
struct Words(u64);

impl Words {
    fn sentence(&mut self, length: usize) -> String {
        const WORDS: [&str; 24] = [
            "sync", "tool", "keeps", "answers", "person", "works", "without", "network", "later", "sends",
            "server", "piece", "nobody", "loses", "work", "list", "screen", "photo", "limit", "order",
            "result", "error", "second", "call",
        ];
        let mut next = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            WORDS[(self.0 >> 33) as usize % WORDS.len()]
        };
        let words: Vec<&str> = (0..length).map(|_| next()).collect();
        format!("The {}.", words.join(" "))
    }

    fn document(&mut self, at: usize) -> String {
        let mut out = format!("# Item {at}\n\n");
        for part in 1..7 {
            let _ = write!(out, "## {part}. Part {part}\n\n{}\n\n", self.sentence(60));
            for _ in 0..5 {
                let _ = writeln!(out, "- {}", self.sentence(9));
            }
            let _ = write!(
                out,
                "\n1. {}\n2. {}\n\n| id | what |\n|----|------|\n",
                self.sentence(7),
                self.sentence(7)
            );
            for row in 0..4 {
                let _ = writeln!(out, "| {row} | {} |", self.sentence(4));
            }
            out.push('\n');
        }
        out
    }
}

fn repository(at: &Path) -> Repository {
    let git = Repository::init(at).unwrap();
    git.config().unwrap().set_str("gc.auto", "0").unwrap();
    git
}

/// Commits files on top of a parent.
fn commit(git: &Repository, parent: Option<Oid>, files: &[(String, String)]) -> Oid {
    let parent = parent.map(|parent| git.find_commit(parent).unwrap());
    let base = match &parent {
        Some(parent) => parent.tree().unwrap(),
        None => git.find_tree(git.treebuilder(None).unwrap().write().unwrap()).unwrap(),
    };
    let mut update = git2::build::TreeUpdateBuilder::new();
    for (path, text) in files {
        update.upsert(path.as_str(), git.blob(text.as_bytes()).unwrap(), git2::FileMode::Blob);
    }
    let tree = git.find_tree(update.create_updated(git, &base).unwrap()).unwrap();
    let who = Signature::new("Sam", "sam@example.org", &Time::new(1_770_000_000, 0)).unwrap();
    git.commit(None, &who, &who, "documents", &tree, &parent.iter().collect::<Vec<_>>()).unwrap()
}

fn path(at: usize) -> String {
    format!("docs/requirements/area-{:03}/item-{at:05}.md", at / 50)
}

fn many_files(at: &Path) -> (String, String) {
    let git = repository(at);
    let mut words = Words(7);
    let old: Vec<(String, String)> = (0..FILES).map(|at| (path(at), words.document(at))).collect();
    let grown = |(path, text): &(String, String)| {
        let cut = text.find("## 4.").unwrap();
        let mut words = Words(text.len() as u64);
        let added = format!("### Added\n\n{}\n\n- {}\n\n", words.sentence(30), words.sentence(6));
        (path.clone(), format!("{}{added}{}## Last\n\n{}\n", &text[..cut], &text[cut..], words.sentence(20)))
    };
    let new: Vec<(String, String)> = old.iter().map(grown).collect();
    let base = commit(&git, None, &old);
    let head = commit(&git, Some(base), &new);
    git.reference("refs/heads/main", head, true, "benchmark").unwrap();
    self::git(at, &["repack", "-adq"]);
    (base.to_string(), head.to_string())
}

fn three_files(at: &Path, base: &str) -> (String, String) {
    let git = Repository::open(at).unwrap();
    let parent = Oid::from_str(base).unwrap();
    let tree = git.find_commit(parent).unwrap().tree().unwrap();
    let grown = |at: usize| {
        let blob = git.find_blob(tree.get_path(Path::new(&path(at))).unwrap().id()).unwrap();
        (path(at), format!("{}\n## More\n\nNew words.\n", std::str::from_utf8(blob.content()).unwrap()))
    };
    let head = commit(&git, Some(parent), &[grown(17), grown(1_700), grown(3_400)]);
    (base.to_owned(), head.to_string())
}

fn commits(at: &Path) -> (String, String) {
    let git = repository(at);
    let mut words = Words(11);
    let mut files: Vec<(String, String)> = (0..200).map(|at| (path(at), words.document(at))).collect();
    let base = commit(&git, None, &files);
    let mut head = base;
    for number in 0..COMMITS {
        let at = number * 7 % files.len();
        files[at].1.push_str(&format!("\n## Note {number}\n\n{}\n", words.sentence(25)));
        head = commit(&git, Some(head), &files[at..=at]);
    }
    git.reference("refs/heads/main", head, true, "benchmark").unwrap();
    self::git(at, &["repack", "-adq"]);
    (base.to_string(), head.to_string())
}
