//! The README's commands run, and print what it shows.

use std::process::Command;

use crate::kit::{AT, empty, sandbox};

const README: &str = include_str!("../../README.md");

/// The fenced blocks with an info string.
fn blocks(info: &str) -> Vec<String> {
    let open = format!("```{info}\n");
    README.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// A repository with this project's example in it.
fn example() -> crate::kit::Sandbox {
    let sandbox = empty();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in walkdir::WalkDir::new(root.join("examples")) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let to = sandbox.root().join(entry.path().strip_prefix(root).unwrap());
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
    sandbox.commit_all();
    sandbox
}

#[test]
fn the_first_command_prints_what_the_readme_shows() {
    let sandbox = example();
    let command = blocks("sh")[0].clone();
    let args: Vec<&str> =
        command.trim().strip_prefix("cargo run --release -- ").unwrap().split(' ').collect();
    let run = sandbox.run(&[args.as_slice(), &["--at", AT]].concat()).ok();
    for line in blocks("text")[0].lines().filter(|line| !line.is_empty()) {
        assert!(run.stdout.lines().any(|printed| printed == line), "not printed: {line}\n{}", run.stdout);
    }
    let spec = sandbox.file("roundtable/offline-mode", "examples/offline-mode/requirements-spec.md");
    for line in blocks("diff")[0].lines().map(|line| line.strip_prefix('+').unwrap()) {
        assert!(spec.lines().any(|written| written == line), "not written: {line}\n{spec}");
    }
}

#[test]
fn the_example_shows_every_kind_of_input() {
    let sandbox = example();
    let run = sandbox.run(&[
        "elaborate",
        "examples/offline-mode",
        "--step",
        "01-03",
        "--script",
        "examples/offline-mode.yaml",
        "--json",
    ]);
    let report = run.json();
    assert_eq!(report["exit"], "user-initiated");
    let path = report["recording"].as_str().unwrap();
    let log = sandbox.file("roundtable/offline-mode", path);
    for class in ["direct", "group", "default", "off-topic", "exit"] {
        assert!(log.contains(&format!("\"class\":\"{class}\"")), "{class}");
    }
}

#[cfg(unix)]
#[test]
fn the_commands_for_ones_own_repository_work() {
    let sandbox = sandbox();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_roundtable")).parent().unwrap();
    let script = format!("set -eu\n{}", blocks("sh roundtable").concat());
    let output = Command::new("sh")
        .arg("-c")
        .arg(&script)
        .current_dir(sandbox.root())
        .env_clear()
        .env("HOME", sandbox.outside(""))
        .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", program.display()))
        .env("GIT_PAGER", "cat")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("Stop fees at 10 euros: more would keep people away"), "{printed}");
}

#[test]
fn the_settings_of_the_readme_are_settings() {
    let yaml = &blocks("yaml")[0];
    roundtable::config::Config::read("README.md", yaml.as_bytes()).unwrap();
}
