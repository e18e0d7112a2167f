//! Repositories of every kind: those that can be read are, and each other kind names the remedy for that very case.
//! The remedy is run, and then the same command works.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kit::{Run, program};

const SPEC: &str = "docs/requirements/late-fees/spec.md";

/// A folder for repositories, with git's settings for it.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(place.at("home")).unwrap();
        std::fs::write(
            place.at("home/.gitconfig"),
            "[user]\nname = Sam\nemail = sam@example.org\n[init]\ndefaultBranch = main\n[protocol \"file\"]\nallow = always\n[uploadpack]\nallowFilter = true\nallowAnySHA1InWant = true\n",
        )
        .unwrap();
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a line of shell in one of the folders, as somebody would who reads a hint.
    fn shell(&self, at: &str, line: &str) -> std::process::Output {
        let mut command = Command::new("sh");
        command.current_dir(self.at(at)).args(["-c", line]).env_clear().env("HOME", self.at("home"));
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.output().unwrap()
    }

    #[track_caller]
    fn does(&self, at: &str, line: &str) {
        let output = self.shell(at, line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A repository with one protected item and three commits: the second adds a line and the third another.
    #[track_caller]
    fn repository(&self, name: &str, flags: &str) {
        self.does(".", &format!("git init --quiet {flags} {name}"));
        let spec = self.at(name).join(SPEC);
        std::fs::create_dir_all(spec.parent().unwrap()).unwrap();
        std::fs::write(
            spec.with_file_name("meta.json"),
            "{\"slug\": \"late-fees\", \"name\": \"late fees\"}\n",
        )
        .unwrap();
        for (at, line) in ["# Late fees\n\n- one\n", "- two\n", "- three\n"].iter().enumerate() {
            let before = std::fs::read_to_string(&spec).unwrap_or_default();
            std::fs::write(&spec, format!("{before}{line}")).unwrap();
            self.does(name, &format!("git add . && git commit --quiet --message {at}"));
        }
    }

    fn stage(&self, name: &str) {
        self.does(name, &format!("printf -- '- four\\n' >> {SPEC} && git add {SPEC}"));
    }

    fn run(&self, at: &str, args: &[&str]) -> Run {
        Run::of(program(&self.at(at), &self.at("home")).args(args).output().unwrap())
    }

    /// The command is refused with the hint, and works after the remedy.
    #[track_caller]
    fn is_healed(&self, at: &str, args: &[&str], hint: &str, remedy: (&str, &str)) {
        let refused = self.run(at, args);
        assert_eq!(refused.code, 2, "{at}: {}{}", refused.stdout, refused.stderr);
        assert!(refused.stderr.contains(hint), "{at}: wanted \"{hint}\" in {}", refused.stderr);
        let value: serde_json::Value =
            serde_json::from_str(&self.run(at, &[args, &["--json"]].concat()).stdout).unwrap();
        assert!(value["error"]["help"].as_str().unwrap().contains(hint), "{at}: {value}");
        assert!(!value["error"]["message"].as_str().unwrap().contains(hint), "{at}: {value}");
        self.does(at, remedy.0);
        let healed = self.run(remedy.1, args);
        assert_eq!(healed.code, 0, "{at}: {}{}", healed.stdout, healed.stderr);
    }
}

const STAGED: [&str; 2] = ["check", "--staged"];
const HISTORY: [&str; 3] = ["check", "--base", "HEAD~1"];

#[test]
fn a_split_sparse_damaged_or_unmerged_index() {
    let place = Place::new();
    place.repository("split", "");
    place.stage("split");
    place.does("split", "git config core.splitIndex true && git update-index --split-index");
    let remedy = "git config core.splitIndex false && git update-index --no-split-index";
    place.is_healed("split", &STAGED, remedy, (remedy, "split"));

    place.repository("damaged", "");
    std::fs::write(place.at("damaged/.git/index"), b"DIRC\0\0\0\x02\0\0\0\x09").unwrap();
    let remedy = "rm \"$(git rev-parse --git-path index)\" && git reset";
    place.is_healed("damaged", &STAGED, remedy, (remedy, "damaged"));

    place.repository("merge", "");
    place.does("merge", &format!("printf -- '- a\\n' >> {SPEC} && git commit --quiet --all --message a && git switch --quiet --create b HEAD~1 && printf -- '- b\\n' >> {SPEC} && git commit --quiet --all --message b && ! git merge main"));
    place.is_healed("merge", &STAGED, "git merge --abort", ("git merge --abort", "merge"));
}

#[test]
fn formats_that_are_not_read() {
    let place = Place::new();
    let has_reftable = place.shell(".", "git init --quiet --ref-format=reftable probe").status.success();
    if has_reftable {
        place.repository("reftable", "--ref-format=reftable");
        let remedy = "git refs migrate --ref-format=files";
        // Before git 2.49 it refuses a repository with reflogs.
        if place.shell("reftable", &format!("{remedy} --dry-run")).status.success() {
            place.is_healed("reftable", &HISTORY, remedy, (remedy, "reftable"));
        } else {
            place.is_healed(
                "reftable",
                &HISTORY,
                remedy,
                ("git clone --quiet --ref-format=files . ../copied", "copied"),
            );
        }
        place.repository("linked", "--ref-format=reftable");
        place.does("linked", "git worktree add --quiet ../side");
        let remedy = "git clone --ref-format=files . ../copy";
        place.is_healed("linked", &HISTORY, remedy, (remedy, "copy"));
    }
    place.repository("sha/256", "--object-format=sha256");
    let remedy = "git init ../copy && git fast-export --all | git -C ../copy fast-import";
    place.is_healed(
        "sha/256",
        &["check", "--base", "main~1", "--head", "main"],
        remedy,
        (remedy, "sha/copy"),
    );

    place.repository("unknown", "");
    place.does("unknown", "git config core.repositoryformatversion 1 && git config extensions.fancy true");
    let run = place.run("unknown", &HISTORY);
    assert!(run.code == 2 && run.stderr.contains("extensions.fancy"), "{}", run.stderr);
    for (name, value, remedy) in [
        ("refstorage", "files", "git config --unset extensions.refstorage"),
        (
            "partialclone",
            "origin",
            "git config remote.origin.promisor true && git config --unset extensions.partialclone",
        ),
    ] {
        place.repository(name, "");
        place.does(
            name,
            &format!("git config core.repositoryformatversion 1 && git config extensions.{name} {value}"),
        );
        place.is_healed(name, &HISTORY, remedy, (remedy, name));
    }
}

#[test]
fn objects_that_are_elsewhere() {
    let place = Place::new();
    place.repository("source", "");
    let url = format!("file://{}", place.at("source").display());
    place.does(".", &format!("git clone --quiet --filter=blob:none {url} partial"));
    let remedy = "git fetch --refetch --no-filter";
    place.is_healed("partial", &HISTORY, remedy, (remedy, "partial"));

    place.does(".", &format!("git clone --quiet --depth 1 {url} shallow"));
    place.is_healed(
        "shallow",
        &HISTORY,
        "git fetch --unshallow",
        ("git fetch --quiet --unshallow", "shallow"),
    );

    place.does(".", "git clone --quiet --shared source borrowed && mv source away");
    let gone = place.at("source/.git/objects").display().to_string();
    for args in [&STAGED[..], &HISTORY] {
        let run = place.run("borrowed", args);
        assert!(run.code == 2 && run.stderr.contains(&gone), "{}", run.stderr);
    }
    let told = place.run("borrowed", &["doctor", "--offline"]);
    assert!(told.code == 1 && told.stdout.contains(&gone), "{}{}", told.stdout, told.stderr);
    place.is_healed("borrowed", &HISTORY, "put it back", ("mv ../away ../source", "borrowed"));
}

#[test]
#[cfg(unix)]
fn a_repository_of_another_user() {
    let place = Place::new();
    place.repository("theirs", "");
    let chown = |at: &Path| std::os::unix::fs::chown(at, Some(12_345), None);
    // Only the superuser can give a folder away.
    if chown(&place.at("theirs")).is_err() {
        return;
    }
    place.does("theirs", "chown -R 12345 .");
    let remedy = format!(
        "git config --global --add safe.directory '{}'",
        place.at("theirs").canonicalize().unwrap().display()
    );
    place.is_healed("theirs/docs", &HISTORY, &remedy, (&remedy, "theirs/docs"));
}

#[test]
fn work_trees_submodules_bare_repositories_and_a_lock_are_read() {
    let place = Place::new();
    place.repository("main", "");
    place.does("main", "git worktree add --quiet ../linked && git worktree add --quiet --detach ../detached");
    place.repository("outer", "");
    place.does("outer", &format!("git submodule --quiet add {} sub", place.at("main").display()));
    place.does("outer/sub", "git switch --quiet --create topic");
    std::fs::write(place.at("main/.git/index.lock"), "").unwrap();
    for name in ["linked", "detached", "outer", "outer/sub"] {
        assert_eq!(place.run(name, &HISTORY).code, 0, "{name}");
        place.stage(name);
        assert_eq!(place.run(name, &STAGED).code, 0, "{name}");
        place.does(name, &format!("sed -i.old '/one/d' {SPEC} && git add {SPEC}"));
        let run = place.run(name, &STAGED);
        assert!(run.code == 1 && run.stdout.contains("one"), "{name}: {}{}", run.stdout, run.stderr);
    }
    assert_eq!(place.run("main", &STAGED).code, 0, "git holds the lock while a hook runs");
    place.does(".", "git clone --quiet --bare main bare.git");
    assert_eq!(place.run("bare.git", &HISTORY).code, 0);
    let run = place.run("bare.git", &STAGED);
    assert!(run.code == 2 && run.stderr.contains("--base and --head"), "{}", run.stderr);
}
