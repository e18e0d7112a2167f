//! Documents that are data: JSON, CSV and YAML, whose values are blocks.
//!
//! The keys above a text are its heading (`stories[2].criteria`; in CSV row and column, `[2].criteria`), the first line
//! of a CSV file is a table's header.
//! A file that cannot be parsed has no findings: other programs say what is wrong with it.

use std::ops::Range;

use super::page::{Builder, Page};

pub fn json<'t>(path: &'t str, text: &'t str) -> Page<'t> {
    let mut builder = Builder::new(path, text);
    strings(text, 0..text.len(), |levels, range| value(&mut builder, inside(levels), range));
    builder.finish()
}

/// A text of a document that is data, as a unit.
fn value(builder: &mut Builder<'_>, path: String, range: Range<usize>) {
    builder.page.keys.push((range.start, path));
    builder.value(range);
}

/// The strings of a JSON text that are values, each with what it is in.
fn strings<'t>(text: &'t str, range: Range<usize>, mut found: impl FnMut(&[Level<'t>], Range<usize>)) {
    let bytes = &text.as_bytes()[..range.end];
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut at = range.start;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => levels.push(Level::Object("")),
            b'[' => levels.push(Level::Array(0)),
            b'}' | b']' => {
                levels.pop();
            }
            b',' => {
                if let Some(Level::Array(index)) = levels.last_mut() {
                    *index += 1;
                }
            }
            b'"' => {
                let end = end_of_string(bytes, at + 1);
                let is_key =
                    bytes[end..].iter().skip(1).find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                if let (true, Some(Level::Object(key))) = (is_key, levels.last_mut()) {
                    *key = &text[at + 1..end];
                } else if !is_key && end > at + 1 {
                    found(&levels, at + 1..end);
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
}

/// What a value is in.
#[derive(Clone, Copy)]
enum Level<'t> {
    Object(&'t str),
    Array(usize),
}

/// Deeper levels are left out of a path.
const MAX_LEVELS: usize = 16;

/// `stories[2].criteria`.
fn inside(levels: &[Level<'_>]) -> String {
    let mut path = String::new();
    for level in levels.iter().take(MAX_LEVELS) {
        match level {
            Level::Object(key) if path.is_empty() => path.push_str(key),
            Level::Object(key) => path.push_str(&format!(".{key}")),
            Level::Array(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}

fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

pub fn csv<'t>(path: &'t str, text: &'t str) -> Page<'t> {
    let mut builder = Builder::new(path, text);
    builder.begin_table();
    let bytes = text.as_bytes();
    let (mut names, mut row, mut column): (Vec<&str>, usize, usize) = (Vec::new(), 0, 0);
    let mut at = 0;
    while at < bytes.len() {
        let is_quoted = bytes[at] == b'"';
        let from = if is_quoted { at + 1 } else { at };
        let end = end_of_cell(bytes, from, is_quoted);
        match row.checked_sub(1) {
            None => names.push(&text[from..end]),
            Some(row) if end > from => {
                let name = names.get(column).copied().unwrap_or_default();
                let levels = [Level::Array(row), Level::Object(name)];
                builder.page.keys.push((from, inside(&levels)));
            }
            Some(_) => {}
        }
        column += 1;
        builder.begin_cell(from);
        builder.text(from..end);
        builder.end_cell(end);
        at = if is_quoted { (end + 1).min(bytes.len()) } else { end };
        while bytes.get(at).is_some_and(|byte| !matches!(byte, b',' | b'\n')) {
            at += 1;
        }
        if bytes.get(at) == Some(&b'\n') {
            builder.next_row();
            (row, column) = (row + 1, 0);
        }
        at += 1;
    }
    builder.end_table();
    builder.finish()
}

fn end_of_cell(bytes: &[u8], from: usize, is_quoted: bool) -> usize {
    let mut at = from;
    while at < bytes.len() {
        match (bytes[at], is_quoted) {
            (b'"', true) if bytes.get(at + 1) == Some(&b'"') => at += 1,
            (b'"', true) | (b',' | b'\n' | b'\r', false) => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

pub fn yaml<'t>(path: &'t str, text: &'t str) -> Page<'t> {
    let mut builder = Builder::new(path, text);
    let mut levels: Vec<(usize, Level<'_>)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let body = line.split(" #").next().unwrap_or(line).trim_end();
        let inner = body.trim_start();
        let value = inner.trim_start_matches("- ").trim_start();
        if value.starts_with('#') || value.is_empty() {
            continue;
        }
        let key = value.find(": ").filter(|colon| {
            value[..*colon].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        });
        let indent = body.len() - inner.len();
        if value.len() < inner.len() {
            enter_item(&mut levels, indent);
        }
        let name = key.map(|colon| &value[..colon]).or_else(|| value.strip_suffix(':'));
        if let Some(name) = name.filter(|name| !name.contains(' ')) {
            enter_key(&mut levels, indent + inner.len() - value.len(), name);
        }
        let value = key.map_or(value, |colon| value[colon + 2..].trim_start()).trim_matches(['"', '\'']);
        let from = begin + (value.as_ptr() as usize - line.as_ptr() as usize);
        if !value.is_empty() && !value.ends_with(':') {
            let path: Vec<Level<'_>> = levels.iter().map(|(_, level)| *level).collect();
            self::value(&mut builder, inside(&path), from..from + value.len());
        }
    }
    builder.finish()
}

/// An item of a list: its list may begin where the key above it begins.
fn enter_item(levels: &mut Vec<(usize, Level<'_>)>, indent: usize) {
    while levels.last().is_some_and(|(at, _)| *at > indent) {
        levels.pop();
    }
    match levels.last_mut() {
        Some((at, Level::Array(index))) if *at == indent => *index += 1,
        _ => push(levels, indent, Level::Array(0)),
    }
}

fn enter_key<'t>(levels: &mut Vec<(usize, Level<'t>)>, indent: usize, name: &'t str) {
    while levels.last().is_some_and(|(at, _)| *at >= indent) {
        levels.pop();
    }
    push(levels, indent, Level::Object(name));
}

fn push<'t>(levels: &mut Vec<(usize, Level<'t>)>, indent: usize, level: Level<'t>) {
    if levels.len() < MAX_LEVELS {
        levels.push((indent, level));
    }
}
