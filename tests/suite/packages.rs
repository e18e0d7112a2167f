//! What a release is made of: names, versions and files that several places say have to agree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::kit::sandbox;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The value of a key in the first section of the manifest that has it.
fn manifest(key: &str) -> String {
    let text = read("Cargo.toml");
    let line = text.lines().find(|line| line.starts_with(&format!("{key} = \""))).unwrap();
    line.split('"').nth(1).unwrap().to_owned()
}

/// Workflows and the action, by name.
fn workflows() -> BTreeMap<String, Value> {
    let folder = std::fs::read_dir(root().join(".github/workflows")).unwrap();
    let names = folder.map(|entry| format!(".github/workflows/{}", entry.unwrap().file_name().display()));
    let read_yaml = |name: String| {
        let value = serde_yaml::from_str(&read(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, value)
    };
    names.chain(["action.yml".to_owned()]).map(read_yaml).collect()
}

#[test]
fn the_oldest_rust_is_the_same_everywhere() {
    let oldest = manifest("rust-version");
    for (name, text) in [
        (".github/workflows/ci.yml", format!("cargo +{oldest} check --locked --all-targets")),
        (".github/container/Containerfile", format!("docker.io/library/rust:{oldest}-alpine@sha256:")),
        ("README.md", format!("Rust {oldest} or newer")),
        ("CONTRIBUTING.md", format!("Rust {oldest}")),
    ] {
        assert!(read(name).contains(&text), "{name} does not say \"{text}\"");
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let text = read("Cargo.toml");
    let sections = text.split("\n[").filter(|section| {
        section.lines().next().is_some_and(|head| head.trim_end_matches(']').ends_with("dependencies"))
    });
    let lines = sections.flat_map(|section| section.lines().skip(1)).filter(|line| !line.starts_with('#'));
    let names: BTreeSet<&str> = lines.filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    assert!(names.len() > 40, "{names:?}");
    let page = read("CONTRIBUTING.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let reasons: Vec<&str> = rows.flat_map(|(crates, _)| crates.split([',', ' ', '(', ')'])).collect();
    for name in names {
        assert!(reasons.contains(&name), "the table of dependencies in CONTRIBUTING.md has no {name}");
    }
}

#[test]
fn every_job_has_a_time_limit_and_names_its_permissions() {
    for (name, workflow) in workflows().iter().filter(|(name, _)| *name != "action.yml") {
        assert_eq!(workflow["permissions"], serde_json::json!({}), "{name}");
        for (id, job) in workflow["jobs"].as_object().unwrap() {
            assert!(job["timeout-minutes"].is_u64() && job["permissions"].is_object(), "{name}: {id}");
        }
    }
}

#[test]
fn actions_are_pinned_by_one_commit_each_with_its_version() {
    let mut pins: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in workflows().keys() {
        for line in
            read(name).lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: "))
        {
            if line.starts_with("./") {
                continue;
            }
            let (action, pin) = line.split_once('@').unwrap();
            let (commit, version) = pin.split_once(" # v").unwrap_or_else(|| panic!("{name}: {line}"));
            let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_commit && version.starts_with(|c: char| c.is_ascii_digit()), "{name}: {line}");
            pins.entry(action.to_owned()).or_default().insert(commit.to_owned());
        }
    }
    assert!(pins.len() >= 4, "{pins:?}");
    assert!(pins.values().all(|commits| commits.len() == 1), "{pins:?}");
}

#[test]
fn a_tool_has_one_version_in_all_workflows() {
    for tool in ["cargo-deb", "cargo-cyclonedx", "cargo-semver-checks", "cargo-deny"] {
        let mut versions = BTreeSet::new();
        for name in workflows().keys() {
            for line in read(name).lines().filter(|line| line.contains("install") && line.contains(tool)) {
                let version = line.split("--version ").nth(1).unwrap_or_else(|| panic!("{name}: {line}"));
                versions.insert(version.split_whitespace().next().unwrap().to_owned());
            }
        }
        assert_eq!(versions.len(), 1, "{tool}: {versions:?}");
    }
}

#[test]
fn archives_have_one_name_wherever_they_are_made_or_fetched() {
    let release = &workflows()[".github/workflows/release.yml"];
    let matrix = release["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
    let built: BTreeSet<&str> = matrix.iter().map(|one| one["target"].as_str().unwrap()).collect();
    let action = read("action.yml");
    let cases = action.lines().filter(|line| line.contains(") target="));
    let fetched: BTreeSet<&str> =
        cases.filter_map(|line| line.split("target=").nth(1)?.split_whitespace().next()).collect();
    assert_eq!(fetched, built);
    assert!(read(".github/workflows/release.yml").contains("name=roundtable-$TAG-$TARGET"));
    assert!(action.contains("name=roundtable-$tag-$target archive=roundtable-$tag-$target.$suffix"));
    let manifest = read("Cargo.toml");
    for suffix in ["tar.gz", "zip"] {
        let address =
            format!("/releases/download/v{{ version }}/roundtable-v{{ version }}-{{ target }}.{suffix}");
        assert!(manifest.contains(&address), "{address}");
    }
    let mut in_formula: Vec<&str> =
        built.iter().copied().filter(|target| !target.contains("windows")).collect();
    in_formula.retain(|target| read(".ci/formula").contains(&format!("archive {target})")));
    assert_eq!(in_formula.len(), 4, "{in_formula:?}");
}

#[test]
fn files_of_the_debian_package_exist_or_are_made_by_the_workflow() {
    let text = read("Cargo.toml");
    let assets = text.split("assets = [").nth(1).unwrap().split("\n]").next().unwrap();
    let sources: Vec<&str> = assets.lines().filter_map(|line| line.split('"').nth(1)).collect();
    assert!(sources.len() >= 8, "{sources:?}");
    for source in sources {
        let made = source.starts_with("target/release/") || source.starts_with("target/extras/");
        let folder = source.split('*').next().unwrap();
        assert!(made || root().join(folder).exists(), "{source}");
    }
    for name in ["roundtable.1", "roundtable.bash", "_roundtable", "roundtable.fish"] {
        assert!(read(".ci/extras").contains(name) && read(".ci/formula").contains(name), "{name}");
    }
}

#[test]
fn hooks_of_pre_commit_run_verbs_that_exist() {
    let hooks: Value = serde_yaml::from_str(&read(".pre-commit-hooks.yaml")).unwrap();
    let sandbox = sandbox();
    for hook in hooks.as_array().unwrap() {
        let words: Vec<&str> = hook["entry"].as_str().unwrap().split(' ').collect();
        assert_eq!(words[0], "roundtable", "{hook}");
        // Nothing is staged, so there is nothing to find.
        let run = sandbox.run(&words[1..]);
        assert_eq!(run.code, 0, "{hook}: {}", run.stderr);
    }
}

/// The sums of a release, one file a line.
#[cfg(unix)]
fn sums(folder: &Path, targets: &[&str]) -> PathBuf {
    let line = |(number, target): (usize, &&str)| {
        format!("{}  roundtable-v1.2.3-{target}.tar.gz\n", number.to_string().repeat(64))
    };
    let file = folder.join("SHA256SUMS");
    std::fs::write(&file, (1..).zip(targets).map(line).collect::<String>()).unwrap();
    file
}

#[cfg(unix)]
#[test]
fn the_formula_has_the_sum_of_each_archive_or_is_not_written() {
    const TARGETS: [&str; 4] = [
        "aarch64-apple-darwin",
        "x86_64-apple-darwin",
        "aarch64-unknown-linux-gnu",
        "x86_64-unknown-linux-gnu",
    ];
    let folder = tempfile::tempdir().unwrap();
    let formula = |repository: &str, version: &str, sums: &Path| {
        let script = root().join(".ci/formula");
        Command::new("bash").arg(script).args([repository, version]).arg(sums).output().unwrap()
    };
    let whole = sums(folder.path(), &TARGETS);
    let output = formula("acme/roundtable", "1.2.3", &whole);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (number, target) in (1..).zip(TARGETS) {
        let address = "https://github.com/acme/roundtable/releases/download/v1.2.3/roundtable-v1.2.3";
        let sum = i32::to_string(&number).repeat(64);
        assert!(
            text.contains(&format!("url \"{address}-{target}.tar.gz\"\n      sha256 \"{sum}\"")),
            "{text}"
        );
    }
    assert_eq!(formula("no repository", "1.2.3", &whole).status.code(), Some(2));
    assert_eq!(formula("acme/roundtable", "1.2", &whole).status.code(), Some(2));
    let short = sums(folder.path(), &TARGETS[..3]);
    let output = formula("acme/roundtable", "1.2.3", &short);
    assert!(!output.status.success() && output.stdout.is_empty());
}

#[test]
fn the_package_of_the_sources_has_what_the_build_needs_and_no_tests() {
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let files: BTreeSet<&str> = text.lines().collect();
    for name in [
        "build.rs",
        "src/main.rs",
        "rules/en/decisions.yaml",
        "templates/synthesis.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        assert!(files.contains(name), "{name}");
    }
    for folder in ["rules/", "steps/", "templates/", "schemas/", "skills/", "docs/"] {
        assert!(files.iter().any(|name| name.starts_with(folder)), "{folder}");
    }
    let private =
        |name: &&&str| ["tests/", ".github/", ".ci/", "fuzz/"].iter().any(|start| name.starts_with(start));
    assert_eq!(files.iter().find(private), None);
}
