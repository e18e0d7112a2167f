//! The map of the house: which module may use which.
//!
//! The arrows are read from the `crate::` paths of the sources. One that is not in the table fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Modules that only hold values or make texts: everybody may use them.
const VALUES: [&str; 16] = [
    "additions",
    "finding",
    "front_matter",
    "json",
    "library",
    "marks",
    "path",
    "persona",
    "plain",
    "remedy",
    "secrets",
    "sections",
    "step",
    "template",
    "time",
    "wording",
];

/// Every other room, and what it may use besides values.
const ARROWS: [(&str, &[&str]); 30] = [
    ("additive", &["text"]),
    ("agent", &["discussion", "minutes", "model", "script", "session", "text", "voice"]),
    ("analysis", &["discussion", "item", "minutes", "model", "synthesis", "text"]),
    ("check", &["additive", "item", "policy", "repo"]),
    (
        "cli",
        &[
            "additive",
            "agent",
            "analysis",
            "check",
            "config",
            "decisions",
            "discussion",
            "files",
            "github",
            "http",
            "item",
            "landing",
            "model",
            "page",
            "policy",
            "provenance",
            "replay",
            "repo",
            "review",
            "run",
            "script",
            "session",
            "site",
            "source",
            "synthesis",
            "text",
            "trace",
            "voice",
        ],
    ),
    ("config", &["additive", "discussion", "github", "item", "policy", "review"]),
    ("decisions", &["discussion"]),
    ("discussion", &["text"]),
    ("files", &[]),
    ("github", &["discussion", "http", "page", "script", "source"]),
    ("http", &[]),
    ("item", &["additive", "discussion"]),
    ("landing", &["additive", "discussion", "item", "model", "repo", "review", "synthesis", "voice"]),
    ("minutes", &["discussion", "text"]),
    ("model", &["discussion", "http", "minutes", "text", "voice"]),
    ("page", &["discussion", "synthesis"]),
    ("policy", &["additive"]),
    ("provenance", &["analysis", "decisions", "discussion", "item", "repo"]),
    (
        "replay",
        &[
            "additive",
            "agent",
            "analysis",
            "config",
            "discussion",
            "item",
            "landing",
            "minutes",
            "model",
            "policy",
            "repo",
            "review",
            "script",
            "session",
            "synthesis",
            "trace",
            "voice",
        ],
    ),
    (
        "repo",
        &[
            "additive",
            "analysis",
            "config",
            "discussion",
            "http",
            "item",
            "model",
            "synthesis",
            "text",
            "voice",
        ],
    ),
    ("review", &[]),
    (
        "run",
        &[
            "additive",
            "agent",
            "analysis",
            "config",
            "decisions",
            "discussion",
            "files",
            "http",
            "item",
            "landing",
            "model",
            "provenance",
            "replay",
            "repo",
            "review",
            "script",
            "session",
            "synthesis",
            "voice",
        ],
    ),
    ("script", &["analysis", "discussion", "source"]),
    ("session", &["discussion", "minutes", "script", "text", "voice"]),
    ("site", &["decisions", "discussion", "item", "page", "provenance", "repo"]),
    ("source", &[]),
    ("synthesis", &["additive", "discussion", "item", "text", "voice"]),
    ("text", &[]),
    ("trace", &["discussion", "synthesis", "voice"]),
    ("voice", &["discussion", "minutes", "review", "text"]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|suffix| suffix == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The modules that a source names by `crate::`, its tests and comments left out.
fn used(path: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = lines.flat_map(|line| line.split("crate::").skip(1));
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    names.map(name).filter(|name| !name.is_empty()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The sources of a room: a folder, a file, or both.
fn room(name: &str) -> Vec<PathBuf> {
    let (folder, file) = (root().join(name), root().join(format!("{name}.rs")));
    let mut found = if folder.is_dir() { sources(&folder) } else { Vec::new() };
    found.extend(file.is_file().then_some(file));
    found.retain(|path| !path.ends_with("tests.rs"));
    found
}

#[test]
fn every_room_is_in_the_table() {
    let known: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).chain(VALUES).collect();
    let names = std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    for name in names {
        let name = name.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(known.contains(name.as_str()) || ["main", "lib"].contains(&name.as_str()), "{name}");
    }
}

#[test]
fn every_arrow_is_in_the_table() {
    let mut wrong = Vec::new();
    for (module, allowed) in ARROWS {
        let mut unused: BTreeSet<&str> = allowed.iter().copied().collect();
        for path in room(module) {
            for name in used(&path).into_iter().filter(|name| name != module) {
                unused.remove(name.as_str());
                if !VALUES.contains(&name.as_str()) && !allowed.contains(&name.as_str()) {
                    wrong.push(format!("{} uses {name}", path.display()));
                }
            }
        }
        wrong.extend(unused.into_iter().map(|name| format!("{module} does not use {name} any more")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rooms are in one direction: taking away those that use no other leaves none.
#[test]
fn no_two_rooms_know_each_other() {
    let mut left: Vec<(&str, BTreeSet<&str>)> =
        ARROWS.iter().map(|(name, uses)| (*name, uses.iter().copied().collect())).collect();
    while let Some(at) = left.iter().position(|(_, uses)| uses.is_empty()) {
        let (done, _) = left.remove(at);
        left.iter_mut().for_each(|(_, uses)| uses.retain(|other| *other != done));
    }
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn values_use_nothing_at_the_table() {
    let tables: Vec<&str> =
        ARROWS.iter().map(|(module, _)| *module).filter(|module| *module != "text").collect();
    for value in VALUES {
        let file = root().join(format!("{value}.rs"));
        let files = if file.exists() { vec![file] } else { sources(&root().join(value)) };
        for path in files {
            let used = used(&path);
            let arrows: Vec<&String> = used.iter().filter(|name| tables.contains(&name.as_str())).collect();
            assert!(arrows.is_empty(), "{} uses {arrows:?}", path.display());
        }
    }
}
