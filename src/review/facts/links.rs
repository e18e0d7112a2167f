//! Links within a document or to another file: does the heading or the file exist?
//!
//! Renderers name headings in different ways, so an anchor is broken only if no heading has its letters and digits. Files
//! may be made by a site's generator, so a link is broken only if its folder exists and the file in it does not.

use std::collections::{BTreeMap, HashSet};

use super::super::Hit;
use super::super::page::{Link, Page};
use super::Pages;

/// Endings of files that a link can name and that no site generator makes of another file.
const FILES: [&str; 14] = [
    "md", "markdown", "txt", "png", "jpg", "jpeg", "gif", "svg", "yaml", "yml", "json", "csv", "pdf", "proto",
];

/// Links to a heading that no document has.
pub fn broken_anchors(all: &Pages<'_, '_>) -> Vec<Hit> {
    let by_path: BTreeMap<&str, usize> =
        all.pages.iter().enumerate().map(|(at, page)| (page.path, at)).collect();
    let mut anchors: Vec<Option<HashSet<String>>> = vec![None; all.pages.len()];
    let mut found = Vec::new();
    for (number, page) in all.pages.iter().enumerate() {
        for link in &page.links {
            let Some((file, anchor)) = link.target.split_once('#') else { continue };
            let target = match file {
                "" => Some(number),
                file => resolve(page.path, file).and_then(|path| by_path.get(path.as_str()).copied()),
            };
            let Some(target) = target.filter(|target| is_anchor(anchor, all.pages[*target].path)) else {
                continue;
            };
            let known = anchors[target].get_or_insert_with(|| anchors_of(&all.pages[target]));
            if !has_anchor(known, anchor) {
                let hit = Hit::at(link.range.clone()).with("target", format!("#{anchor}"));
                found.push(Hit { page: number, ..hit.with("path", all.pages[target].path.to_owned()) });
            }
        }
    }
    found
}

/// `#` alone and `#top` are the beginning of a page; routes, lines, text fragments and variables name no heading.
fn is_anchor(anchor: &str, path: &str) -> bool {
    let is_markdown = !path.ends_with(".json") && !path.ends_with(".csv") && !path.ends_with(".yaml");
    let is_line =
        anchor.strip_prefix('L').is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()));
    let is_special = anchor.is_empty()
        || is_line
        || anchor.eq_ignore_ascii_case("top")
        || anchor.starts_with([':', '/', '!', '?'])
        || anchor.contains(['{', '=', '<', '$']);
    is_markdown && !is_special
}

fn has_anchor(known: &HashSet<String>, anchor: &str) -> bool {
    let name = letters(decoded(anchor).trim_start_matches("user-content-"));
    // The second of two equal headings is `heading-1`.
    let first = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
    known.contains(&name) || known.contains(without_number(&name)) || known.contains(first)
}

/// What a link can name in a document: its headings, and names that HTML and attributes give.
fn anchors_of(page: &Page<'_>) -> HashSet<String> {
    let mut anchors = HashSet::new();
    let mut add = |text: &str| {
        let name = letters(text);
        anchors.insert(without_number(&name).to_owned());
        anchors.insert(name);
    };
    for section in page.sections.iter().filter_map(|section| section.heading) {
        let block = &page.blocks[section];
        let source = &page.text[block.range.clone()];
        let text = source.trim_start_matches(['#', ' ']);
        add(page.text_of(block));
        // With the code in it, without the target of a link, and without an id that follows it.
        add(text);
        add(text.split('{').next().unwrap_or_default());
        add(&without_targets(text));
    }
    for mark in ["{#", "{: #", "id=\"", "id='", "id={\"", "name=\"", "name='", "id: ", "[["] {
        for at in memchr::memmem::find_iter(page.text.as_bytes(), mark) {
            let name = head(&page.text[at + mark.len()..]);
            let end = name.find(['"', '\'', '}', ' ', '\n', '>', ']', ',']).unwrap_or(name.len());
            add(&name[..end]);
        }
    }
    anchors
}

/// Bytes of a name, at most.
const MAX_NAME: usize = 200;

fn head(text: &str) -> &str {
    let mut end = text.len().min(MAX_NAME);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// `[text](target)` without the target.
pub fn without_targets(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        plain.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    plain + rest
}

/// Letters and digits in lower case: what joins them, each renderer says in its way.
fn letters(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A name without the number of its section.
fn without_number(name: &str) -> &str {
    name.trim_start_matches(|sign: char| sign.is_ascii_digit())
}

/// A target whose `%20` are blanks.
fn decoded(target: &str) -> String {
    let mut bytes = Vec::with_capacity(target.len());
    let mut rest = target.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%');
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `[text][name]` and `[^name]` whose name the document does not define. It has to define others: elsewhere brackets
/// are notation.
pub fn broken_references(page: &Page<'_>) -> Vec<Hit> {
    let defines = |mark: &str| page.text.lines().any(|line| line.starts_with(mark) && line.contains("]: "));
    let (notes, links) = (defines("[^"), defines("["));
    if !notes && !links {
        return Vec::new();
    }
    let mut found = Vec::new();
    for block in &page.blocks {
        let text = page.text_of(block);
        for (open, _) in text.match_indices('[') {
            let Some(name) = reference(&text[open..], notes, links) else { continue };
            let plain = block.plain.start + open..block.plain.start + open + name;
            found.push(Hit::at(page.source(plain)));
        }
    }
    found
}

/// How long a reference is that a text begins with.
fn reference(text: &str, notes: bool, links: bool) -> Option<usize> {
    let end = head(text).find(']')?;
    let name = &text[1..end];
    if let Some(note) = name.strip_prefix('^') {
        let is_name =
            !note.is_empty() && note.chars().all(|sign| sign.is_alphanumeric() || "-_".contains(sign));
        return (notes && is_name).then_some(end + 1);
    }
    let rest = text[end + 1..].strip_prefix('[')?;
    let close = head(rest).find(']')?;
    let is_prose = |text: &str| text.contains(char::is_lowercase) && !text.contains(['[', '|', '\n']);
    (links && is_prose(name) && is_prose(&rest[..close])).then_some(end + 1 + 1 + close + 1)
}

/// Relative links to a file that is not there.
pub fn broken_links(all: &Pages<'_, '_>) -> Vec<Hit> {
    let mut found = Vec::new();
    let known: HashSet<&str> = all.pages.iter().map(|page| page.path).collect();
    for (number, page) in all.pages.iter().enumerate() {
        for link in &page.links {
            let Some(path) = file_of(page, link) else { continue };
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let is_lost =
                all.options.files.lacks(&path) && (folder.is_empty() || !all.options.files.lacks(folder));
            if is_lost && !known.contains(path.as_str()) {
                let hit = Hit::at(link.range.clone()).with("target", path);
                found.push(Hit { page: number, ..hit });
            }
        }
    }
    found
}

/// The file that a link names, where it is relative, has an ending of a file, and is below the same root.
fn file_of(page: &Page<'_>, link: &Link) -> Option<String> {
    let file = link.target.split(['#', '?']).next().unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    let (_, ending) = name.rsplit_once('.')?;
    let is_file = FILES.contains(&ending.to_ascii_lowercase().as_str());
    // Variables, other repositories, pages that GitHub makes.
    let is_special =
        file.contains(['{', '}', '<', '>', '$', '*', '@', ':', '|', '\\', '…']) || file.contains("...");
    let is_made = file
        .split('/')
        .any(|part| matches!(part, "blob" | "tree" | "raw" | "wiki" | "releases" | "path" | "uploads"));
    if !is_file || is_special || is_made || file.starts_with(['/', '~', '#']) {
        return None;
    }
    resolve(page.path, &decoded(file))
}

/// A relative path beside a document; none where it leaves the root.
pub fn resolve(document: &str, file: &str) -> Option<String> {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    for part in file.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let root = if document.starts_with('/') { "/" } else { "" };
    Some(format!("{root}{}", parts.join("/")))
}
