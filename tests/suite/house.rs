//! The map of the house: which module may use which.
//!
//! The arrows are read from the `crate::` paths of the sources. One that is not in the table fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every room, and which others it may use.
const ARROWS: [(&str, &[&str]); 16] = [
    ("additive", &["text"]),
    ("analysis", &["discussion", "item", "minutes", "synthesis", "text", "voice"]),
    (
        "cli",
        &[
            "additive",
            "analysis",
            "discussion",
            "git",
            "github",
            "history",
            "item",
            "replay",
            "review",
            "run",
            "synthesis",
            "text",
            "voice",
        ],
    ),
    ("discussion", &["item", "text"]),
    ("git", &["additive", "analysis", "discussion", "http", "item", "synthesis", "text", "voice"]),
    (
        "github",
        &[
            "analysis",
            "discussion",
            "git",
            "history",
            "http",
            "item",
            "replay",
            "review",
            "run",
            "synthesis",
            "text",
            "voice",
        ],
    ),
    ("history", &["analysis", "discussion", "git", "item", "synthesis", "text"]),
    ("http", &["text"]),
    ("item", &["additive", "text"]),
    ("minutes", &["discussion", "text"]),
    (
        "replay",
        &[
            "additive",
            "analysis",
            "discussion",
            "git",
            "history",
            "item",
            "minutes",
            "review",
            "run",
            "synthesis",
            "text",
            "voice",
        ],
    ),
    ("review", &["item", "text"]),
    (
        "run",
        &[
            "additive",
            "analysis",
            "discussion",
            "git",
            "history",
            "http",
            "item",
            "minutes",
            "review",
            "synthesis",
            "text",
            "voice",
        ],
    ),
    ("synthesis", &["additive", "discussion", "item", "text"]),
    ("text", &[]),
    ("voice", &["discussion", "http", "item", "minutes", "review", "text"]),
];

/// The rooms at the table: they read no clock, disk, network or environment.
const AT_THE_TABLE: [&str; 8] =
    ["additive", "analysis", "discussion", "item", "minutes", "review", "synthesis", "text"];

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

/// A source without its tests and comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The modules that a source names by `crate::`, its tests and comments left out.
fn used(path: &Path) -> BTreeSet<String> {
    let code = code(path);
    let names = code.lines().flat_map(|line| line.split("crate::").skip(1));
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
    let known: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
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
                if !allowed.contains(&name.as_str()) {
                    wrong.push(format!("{} uses {name}", path.display()));
                }
            }
        }
        wrong.extend(unused.into_iter().map(|name| format!("{module} does not use {name} any more")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The types that a source declares outside of its functions.
fn types(path: &Path) -> Vec<String> {
    const KEYWORDS: [&str; 4] = ["struct", "enum", "trait", "type"];
    let text = code(path);
    let lines = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
            let is_type = words.next().is_some_and(|word| KEYWORDS.contains(&word));
            let name = words.next().filter(|_| is_type)?;
            Some(name.chars().take_while(|c| c.is_alphanumeric()).collect())
        })
        .collect()
}

#[test]
fn no_two_types_of_a_room_have_one_name() {
    let mut wrong = Vec::new();
    for (module, _) in ARROWS {
        let mut known: BTreeSet<String> = BTreeSet::new();
        let found = room(module).into_iter().flat_map(|path| types(&path));
        wrong
            .extend(found.filter(|name| !known.insert(name.clone())).map(|name| format!("{module}: {name}")));
    }
    assert!(wrong.is_empty(), "two types of one name: {}", wrong.join(", "));
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
fn nothing_at_the_table_does_io() {
    const OUTSIDE: [&str; 6] =
        ["std::fs", "std::net", "std::process", "std::env::", "SystemTime", "std::io::std"];
    for room_name in AT_THE_TABLE {
        for path in room(room_name) {
            let code = code(&path);
            let used: Vec<&str> = OUTSIDE.into_iter().filter(|name| code.contains(name)).collect();
            assert!(used.is_empty(), "{} uses {used:?}", path.display());
        }
    }
}
