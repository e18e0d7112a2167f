//! `roundtable replay`: one discussion in memory, then every recording of a generated repository as a
//! whole process beside `git cat-file --batch` over the objects that must be read for it, and beside our own
//! reading of what they rest on, on the same processors: `cargo bench --bench replay`. `ROUNDTABLE_BENCH_RECORDINGS=10000` says how many,
//! `ROUNDTABLE_BENCH_AT=DIR` keeps the repository there; nothing here can fail on a slow machine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods, clippy::print_stdout)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use git2::{Oid, Repository, Signature, Time as GitTime};
use roundtable::discussion::Discussion;
use roundtable::discussion::event::{
    Author, Event, FORMAT, Opened, Record, StepRef, Time, from_lines, to_lines,
};
use roundtable::git::{AtPath, Repo};
use roundtable::item::library::Library;
use roundtable::item::step::Depth;
use roundtable::run::landing::land;
use roundtable::run::played::Recording;
use roundtable::run::script::Script;
use roundtable::run::session::hold;
use roundtable::voice::SECRETARY;
use roundtable::voice::secretary::Secretary;

/// What an item goes through in its life, about.
const DISCUSSIONS_AN_ITEM: usize = 10;
const SPEC: &str = "# Requirements\n\n## 2. User Needs\n\nSync should be fast.\n\n## 3. User Journeys\n\n- The inspector saves an answer.\n\n## 4. Technical Context\n\nThe server keeps 500 photos.\n";
const TALK: &str = "Alex, what breaks first?\nWe decided to keep both answers.\nEveryone, what is left?\nAnd the photos?\ndone\n";

fn main() {
    let library = Library::built_in().unwrap();
    in_memory(&library);
    let count = std::env::var("ROUNDTABLE_BENCH_RECORDINGS").ok().and_then(|text| text.parse().ok());
    all(&library, count.unwrap_or(1_000));
}

/// A discussion of ten turns, held as the program holds it.
fn held<'l>(library: &'l Library, item: &str, base: Oid, at: Time) -> Discussion<'l> {
    let step = library.step("01-03").unwrap();
    let opened = Opened {
        format: FORMAT,
        item: format!("docs/requirements/{item}"),
        item_name: item.replace('-', " "),
        step: StepRef {
            id: step.id.clone(),
            title: step.title.clone(),
            phase: step.phase.clone(),
            outputs: step.outputs.clone(),
        },
        lead: library.cast.lead(&step.phase).0.key.clone(),
        max_turns: 10,
        base: base.to_string(),
        read: Default::default(),
        branch: "talks".into(),
        layout: "isdlc".into(),
        document: None,
        voice: SECRETARY.into(),
        model: None,
        user: "Sam".into(),
        digests: library.digests(step).into(),
        author: Author { name: "roundtable".into(), email: "roundtable@localhost".into(), signed_off: false },
        run: format!("{:032x}", at.seconds()),
        new_meta: None,
        draft: None,
        comments: None,
        stays_open: false,
        is_live: false,
        evidence: Vec::new(),
    };
    let first = Record { at, event: Event::Opened(Box::new(opened)) };
    let mut talk = Discussion::open(library, step, first).unwrap();
    let mut script = Script::read("talk.txt", TALK.as_bytes()).unwrap();
    let files = [("requirements-spec.md", SPEC)];
    let mut voice = Secretary::new(
        files.into_iter(),
        &step.outputs,
        std::sync::Arc::new(roundtable::review::Rules::over(&library.own_review_rules()).unwrap()),
        Depth::Standard,
    );
    hold(&mut talk, None, &mut voice, &mut script, &|| at, &mut |_| Ok(())).unwrap();
    talk
}

fn items_of(recordings: usize) -> usize {
    (recordings / DISCUSSIONS_AN_ITEM).max(1)
}

fn time(number: usize) -> Time {
    let moment = chrono::DateTime::from_timestamp(1_771_597_800 + number as i64, 0).unwrap();
    Time::new(moment)
}

/// Reading and judging one recording, without a repository.
fn in_memory(library: &Library) {
    let talk = held(library, "offline-mode", Oid::ZERO_SHA1, time(0));
    let (step, text) = (talk.step(), to_lines(talk.log()));
    let turns = talk.turn_count();
    let once = || {
        let log = from_lines("talk.jsonl", &text).unwrap();
        Discussion::replay(library, step, &log).unwrap().finish().unwrap()
    };
    let mut rounds: Vec<Duration> = (0..2_000)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(once());
            start.elapsed()
        })
        .collect();
    rounds.sort();
    println!(
        "a discussion of {turns} turns ({} bytes), read and judged in memory: {:?} (least {:?})",
        text.len(),
        rounds[rounds.len() / 2],
        rounds[0]
    );
}

/// Every recording of a repository, as the program replays them.
fn all(library: &Library, count: usize) {
    let dir = tempfile::tempdir().unwrap();
    let at = std::env::var_os("ROUNDTABLE_BENCH_AT").map_or_else(|| dir.path().to_owned(), Into::into);
    let root = at.join("talks.git");
    if !root.exists() {
        generate(library, &root, count);
    }
    let items = items_of(count);
    println!("{count} recordings in {items} items, `replay --all` as a whole process:");
    let ours = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_roundtable"));
        command.args(["--repo", root.to_str().unwrap(), "replay", "--all", "--rev", "talks", "--quiet"]);
        command.env("TZ", "UTC");
        command
    };
    let theirs = || {
        let mut command = Command::new("git");
        command.arg("-C").arg(&root).args(["cat-file", "--batch-all-objects", "--batch", "--buffer"]);
        command
    };
    for round in 0..3 {
        let (a, b, c) = (timed(ours()), timed(theirs()), reading(&root));
        println!(
            "  round {round}: {a:?} beside {b:?} of reading every object with git ({:.2} times), {:?} a recording; \
             reading alone {c:?} ({:.0} %)",
            a.as_secs_f64() / b.as_secs_f64(),
            a / count as u32,
            c.as_secs_f64() * 100.0 / a.as_secs_f64()
        );
    }
}

/// What every recording rests on, read as the program reads it and not looked at: the list, the history, and
/// for each the recording, its base, and the trees and files of the item there.
fn reading(root: &Path) -> Duration {
    let repo = Repo::open(root).unwrap();
    repo.forget_objects();
    let tip = repo.resolve("talks").unwrap();
    // Which bases there are is no question of time.
    let mut found = Vec::new();
    let mut each = |item: &str, path: &str, blob: Oid| {
        let bytes = repo.bytes(blob).unwrap();
        let opened = Recording { name: String::new(), bytes, place: None }.opened().unwrap();
        let time = path.rsplit('/').next().unwrap()[6..].to_owned();
        found.push((time, blob, Oid::from_str(&opened.base).unwrap(), item.to_owned()));
        true
    };
    repo.recordings(tip, "docs/requirements", &mut each).unwrap();
    found.sort_by(|a, b| b.cmp(a));

    let start = Instant::now();
    for _ in 0..2 {
        repo.recordings(tip, "docs/requirements", &mut |_, _, _| true).unwrap();
    }
    repo.history(tip).unwrap();
    let threads = std::thread::available_parallelism().unwrap().get();
    let runs = Mutex::new(found.chunks((found.len() / (threads * 8)).clamp(1, 128)));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (repo, runs) = (repo.again().unwrap(), &runs);
            let next = || runs.lock().unwrap().next();
            scope.spawn(move || {
                while let Some(run) = next() {
                    for (_, blob, base, item) in run {
                        std::hint::black_box(repo.bytes(*blob).unwrap());
                        let Some(AtPath::Folder(tree)) = repo.look_up(*base, item) else { panic!("no item") };
                        let files = repo.tree_files(tree).unwrap().into_iter();
                        for (_, id) in files.filter(|(path, _)| !path.starts_with("elaborations/")) {
                            std::hint::black_box(repo.bytes(id).unwrap());
                        }
                    }
                }
            });
        }
    });
    start.elapsed()
}

fn timed(mut command: Command) -> Duration {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
    start.elapsed()
}

fn git(at: &Path, args: &[&str]) {
    assert!(Command::new("git").arg("-C").arg(at).args(args).status().unwrap().success());
}

fn generate(library: &Library, root: &Path, count: usize) {
    let git2 = Repository::init_bare(root).unwrap();
    git(root, &["config", "core.fsync", "none"]);
    let mut files = git2.treebuilder(None).unwrap();
    for (name, text) in [("meta.json", "{}\n"), ("requirements-spec.md", SPEC)] {
        files.insert(name, git2.blob(text.as_bytes()).unwrap(), 0o100_644).unwrap();
    }
    let item = files.write().unwrap();
    let mut items = git2.treebuilder(None).unwrap();
    for number in 0..items_of(count) {
        items.insert(format!("item-{number}"), item, 0o040_000).unwrap();
    }
    let mut tree = items.write().unwrap();
    for name in ["requirements", "docs"] {
        let mut above = git2.treebuilder(None).unwrap();
        above.insert(name, tree, 0o040_000).unwrap();
        tree = above.write().unwrap();
    }
    let who = Signature::new("Sam", "sam@example.org", &GitTime::new(1_771_000_000, 0)).unwrap();
    let tree = git2.find_tree(tree).unwrap();
    let mut tip = git2.commit(Some("refs/heads/talks"), &who, &who, "items", &tree, &[]).unwrap();
    for number in 0..count {
        let repo = Repo::open(root).unwrap();
        let name = format!("item-{}", number % items_of(count));
        let finished = held(library, &name, tip, time(number)).finish().unwrap();
        let item = repo.item(tip, &finished.opened.item).unwrap();
        let landed = land(&repo, library, &finished, tip, &item).unwrap();
        assert!(!landed.already_recorded);
        tip = landed.commit;
        if number % 250 == 249 {
            git(root, &["repack", "-adq"]);
        }
    }
    git(root, &["repack", "-adq"]);
}
