//! Real repositories in temporary folders, and the program run in them with an empty environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use git2::{Oid, Repository, Signature, Time};

pub const AT: &str = "2026-02-20T14:30:00Z";
pub const ITEM: &str = "docs/requirements/offline-mode";
pub const BRANCH: &str = "roundtable/offline-mode";
pub const META: &str = "{\n  \"slug\": \"offline-mode\",\n  \"analysis_status\": \"partial\"\n}\n";
pub const SPEC: &str = "# Requirements\n\n## 2. User Needs\n\nSync should be fast.\n\n## 3. User Journeys\n\n- The inspector saves an answer.\n\n## 4. Technical Context\n\nThe server keeps 500 photos.\n";

pub struct Sandbox {
    dir: tempfile::TempDir,
    pub git: Repository,
}

/// A repository with the item `offline-mode` on `main`.
pub fn sandbox() -> Sandbox {
    let sandbox = empty();
    sandbox.commit(&[
        (&format!("{ITEM}/meta.json"), META),
        (&format!("{ITEM}/requirements-spec.md"), SPEC),
        ("src/sync.rs", "// offline sync\n"),
    ]);
    sandbox
}

/// One in `n` of all, the first of them always; all with `ROUNDTABLE_ALL=1`, as CI has it for what is merged.
pub fn one_in<T>(n: usize, all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    all.into_iter().step_by(if std::env::var_os("ROUNDTABLE_ALL").is_some_and(|all| !all.is_empty()) {
        1
    } else {
        n
    })
}

/// A repository without a commit, on the branch `main`.
pub fn empty() -> Sandbox {
    let dir = tempfile::tempdir().unwrap();
    let mut options = git2::RepositoryInitOptions::new();
    let git = Repository::init_opts(dir.path().join("repo"), options.initial_head("main")).unwrap();
    Sandbox { dir, git }
}

impl Sandbox {
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    /// A folder beside the repository.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes files into the work tree and commits them on the current branch.
    pub fn commit(&self, files: &[(&str, &str)]) -> Oid {
        for (path, text) in files {
            let path = self.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self.commit_all()
    }

    pub fn commit_all(&self) -> Oid {
        let mut index = self.git.index().unwrap();
        index.add_all(["*"], git2::IndexAddOption::FORCE, None).unwrap();
        index.write().unwrap();
        let tree = self.git.find_tree(index.write_tree().unwrap()).unwrap();
        let who = Signature::new("Sam", "sam@example.org", &Time::new(1_770_000_000, 0)).unwrap();
        let parent = self.git.head().ok().map(|head| head.peel_to_commit().unwrap());
        let parents: Vec<_> = parent.iter().collect();
        self.git.commit(Some("HEAD"), &who, &who, "documents", &tree, &parents).unwrap()
    }

    /// Commits the absence of a file.
    pub fn commit_all_removed(&self, path: &str) -> Oid {
        let mut index = self.git.index().unwrap();
        index.remove_path(Path::new(path)).unwrap();
        index.write().unwrap();
        self.commit_all()
    }

    /// A script beside the repository.
    pub fn script(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.outside(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let home = self.outside("home");
        std::fs::create_dir_all(&home).unwrap();
        let mut command = program(&self.root(), &home);
        command.args(args);
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).output().unwrap())
    }

    /// `elaborate offline-mode --step 01-03` with a script of these lines.
    pub fn elaborate(&self, lines: &str, more: &[&str]) -> Run {
        Run::of(self.elaborate_command(lines, more).output().unwrap())
    }

    /// The same, before it is run.
    pub fn elaborate_command(&self, lines: &str, more: &[&str]) -> Command {
        let script = self.script("script.txt", lines);
        self.command(&[&["elaborate", "offline-mode", "--step", "01-03", "--script", &script], more].concat())
    }

    pub fn tip(&self, branch: &str) -> Option<Oid> {
        self.git.refname_to_id(&format!("refs/heads/{branch}")).ok()
    }

    /// A file at a branch.
    pub fn file(&self, branch: &str, path: &str) -> String {
        let commit = self.git.find_commit(self.tip(branch).expect("no such branch")).unwrap();
        let entry = commit.tree().unwrap().get_path(Path::new(path)).unwrap();
        String::from_utf8(self.git.find_blob(entry.id()).unwrap().content().to_vec()).unwrap()
    }

    /// The artifact that step 01-03 writes.
    pub fn spec(&self) -> String {
        self.file(BRANCH, &format!("{ITEM}/requirements-spec.md"))
    }

    pub fn meta(&self) -> serde_json::Value {
        serde_json::from_str(&self.file(BRANCH, &format!("{ITEM}/meta.json"))).unwrap()
    }

    /// The paths of the item's recordings.
    pub fn recordings(&self) -> Vec<String> {
        let tree = self.git.find_commit(self.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
        let Ok(entry) = tree.get_path(Path::new(&format!("{ITEM}/elaborations"))) else { return Vec::new() };
        let folder = self.git.find_tree(entry.id()).unwrap();
        folder.iter().map(|entry| format!("{ITEM}/elaborations/{}", entry.name().unwrap())).collect()
    }

    /// The events of the only recording.
    pub fn events(&self) -> Vec<serde_json::Value> {
        let recordings = self.recordings();
        assert_eq!(recordings.len(), 1, "{recordings:?}");
        self.file(BRANCH, &recordings[0]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Every reference with what it points at.
    pub fn refs(&self) -> Vec<String> {
        let mut found: Vec<String> = self
            .git
            .references()
            .unwrap()
            .map(|found| found.unwrap())
            .map(|found| format!("{:?} {:?}", found.name().unwrap(), found.target()))
            .collect();
        found.sort();
        found
    }

    /// `git fsck --strict` finds nothing but objects that nothing refers to.
    pub fn assert_sound(&self) {
        let output = Command::new("git")
            .args(["-C", self.root().to_str().unwrap(), "fsck", "--strict", "--full", "--no-dangling"])
            .output()
            .expect("the tests need git");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The program in a folder, with an empty home and no other environment.
pub fn program(at: &Path, home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roundtable"));
    command.env_clear().env("HOME", home).current_dir(at).stdin(Stdio::null());
    // Windows programs do not start without it.
    if let Some(root) = std::env::var_os("SystemRoot") {
        command.env("SystemRoot", root);
    }
    command
}

/// What a run printed, and its exit code.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(output: Output) -> Run {
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("stdout is not UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is not UTF-8"),
        }
    }

    pub fn ok(self) -> Run {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self
    }

    pub fn json(self) -> serde_json::Value {
        let run = self.ok();
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
    }
}
