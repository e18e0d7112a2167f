//! The map of the house: which module may use which.
//!
//! The arrows are read from the `crate::` paths of the sources. One that is not in the table fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Modules that only hold values or make texts: everybody at the table may use them.
const VALUES: [&str; 14] = [
    "additions",
    "finding",
    "front_matter",
    "json",
    "library",
    "marks",
    "persona",
    "plain",
    "secrets",
    "sections",
    "step",
    "template",
    "time",
    "wording",
];

/// A module at the table, and what it may use besides values.
const ARROWS: [(&str, &[&str]); 8] = [
    ("additive", &["text"]),
    ("agent", &["discussion", "minutes", "model", "script", "session", "text", "voice"]),
    ("text", &[]),
    ("review", &["text"]),
    ("discussion", &["text"]),
    ("minutes", &["discussion", "text"]),
    ("voice", &["discussion", "minutes", "review", "text"]),
    ("model", &["discussion", "http", "minutes", "text", "voice"]),
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

#[test]
fn every_arrow_is_in_the_table() {
    let mut wrong = Vec::new();
    for (module, allowed) in ARROWS {
        for path in sources(&root().join(module)) {
            let is_allowed = |name: &String| {
                name == module || VALUES.contains(&name.as_str()) || allowed.contains(&name.as_str())
            };
            let others: Vec<String> = used(&path).into_iter().filter(|name| !is_allowed(name)).collect();
            wrong.extend(others.into_iter().map(|name| format!("{} uses {name}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
