//! Files beside those that are named: what these import, and who uses them.
//!
//! Two files are connected where one has the other's name as code writes it: spelled as only code is, or as part of a
//! path (`crate::fees`, `./fees`, `from fees import`). A name that more files have leaves open which one is meant.
//! What is connected with more of the named files comes first.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{Named, is_prose, is_spelled_as_code, last_part, tested};
use super::symbols::{Symbols, is_part};
use super::{Files, Listed, SAME_NAME};

/// The most files that are taken besides the named ones.
const MOST: usize = 24;
/// A file that more others use is used everywhere.
const USERS: usize = 12;
/// Words after which a name is a module's, in most languages.
const IMPORTING: [&str; 7] = ["from", "import", "include", "mod", "package", "require", "use"];

/// The files that are connected with these, the closest first; of a file that uses them, the lines that do.
pub fn neighbours(chosen: &[Named], files: &dyn Files) -> Vec<Named> {
    let listed = files.listed();
    let is_code = |file: usize| {
        let Listed { path, is_of_other_item, .. } = &listed[file];
        !is_of_other_item && !is_prose(path) && tested(path).is_none()
    };
    let named: Vec<usize> = chosen.iter().map(|one| one.file).filter(|file| is_code(*file)).collect();
    let stems = stems(listed);
    let mut links: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut link = |from: usize, to: usize| {
        if is_code(to) && chosen.iter().all(|one| one.file != to) {
            links.entry(to).or_default().insert(from);
        }
    };
    for file in &named {
        let text = files.text(*file).unwrap_or_default();
        let imported = modules(&text).into_iter().filter_map(|name| stems.get(name)).flatten();
        imported.for_each(|other| link(*file, *other));
    }
    for (file, users) in users(&named, files) {
        users.into_iter().for_each(|user| link(file, user));
    }
    let mut all: Vec<(usize, BTreeSet<usize>)> = links.into_iter().collect();
    all.sort_by_key(|(file, with)| (std::cmp::Reverse(with.len()), *file));
    let lines = |with: &BTreeSet<usize>, file: usize| {
        let names: BTreeSet<&str> = with.iter().map(|one| stem(&listed[*one].path)).collect();
        lines_with(&names, &files.text(file).unwrap_or_default())
    };
    all.into_iter().take(MOST).map(|(file, with)| Named { file, lines: lines(&with, file) }).collect()
}

/// The files of each name, without folder and ending, where it tells them apart.
fn stems(listed: &[Listed]) -> BTreeMap<&str, Vec<usize>> {
    let mut stems: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (file, one) in listed.iter().enumerate().filter(|(_, one)| !one.is_of_other_item) {
        stems.entry(stem(&one.path)).or_default().push(file);
    }
    stems.retain(|name, files| name.len() > 2 && files.len() <= SAME_NAME);
    stems
}

/// For each of these files that has a name as only code has them, who uses it.
fn users(named: &[usize], files: &dyn Files) -> Vec<(usize, Vec<usize>)> {
    let name = |file: &usize| stem(&files.listed()[*file].path).to_owned();
    let named: Vec<usize> = named.iter().copied().filter(|file| is_code_name(&name(file))).collect();
    let names: Vec<String> = named.iter().map(name).collect();
    let places = files.find(&Symbols::new(&names)).into_iter();
    let found =
        named.into_iter().zip(places.map(|places| places.into_iter().map(|(file, _)| file).collect()));
    found.filter(|(_, users): &(usize, Vec<usize>)| users.len() <= USERS).collect()
}

/// The names that a text uses as those of modules or types.
fn modules(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let mut last = "";
        let mut rest = line;
        while let Some(start) = rest.find(is_part) {
            let word = &rest[start..];
            let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
            let (before, word, after) = (&rest[..start], &word[..end], &word[end..]);
            let is_in_path =
                before.ends_with(['/', '.']) || before.ends_with("::") || after.starts_with("::");
            if is_in_path || is_code_name(word) || IMPORTING.contains(&last) {
                found.insert(word);
            }
            (last, rest) = (word, after);
        }
    }
    found
}

/// The lines (from one) of a text that have one of these names.
fn lines_with(names: &BTreeSet<&str>, text: &str) -> BTreeSet<usize> {
    let has = |line: &str| line.split(|c| !is_part(c)).any(|word| names.contains(word));
    (1..).zip(text.lines()).filter(|(_, line)| has(line)).map(|(number, _)| number).collect()
}

/// A name that no word of prose is spelled like: `retryLimit`, `retry_limit`, or a type's, `Retry`.
fn is_code_name(name: &str) -> bool {
    is_spelled_as_code(name) || name.starts_with(char::is_uppercase)
}

/// A file's name without its ending; of one that is called like its folder's entry, the folder's.
fn stem(path: &str) -> &str {
    let name = last_part(path);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let is_entry = ["__init__", "index", "lib", "main", "mod"].contains(&stem);
    let folder = path.strip_suffix(name).map(|folder| last_part(folder.trim_end_matches('/')));
    folder.filter(|folder| is_entry && !folder.is_empty()).unwrap_or(stem)
}
