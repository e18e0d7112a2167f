//! Documents that are data: JSON, CSV and YAML, whose texts are judged like paragraphs.
//!
//! The keys above a text are its heading (`stories[2].criteria`), the first line of a CSV file is a table's header.
//! A file that cannot be parsed has no findings: other programs say what is wrong with it.

use super::page::{Builder, Page, UnitKind};
use super::scope::Scope;
use super::token::Vocabulary;

pub fn json<'t>(path: &'t str, text: &'t str, words: &Vocabulary, scope: &Scope) -> Page<'t> {
    let mut builder = Builder::new(path, text, words, scope);
    let bytes = text.as_bytes();
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut at = 0;
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
                    builder.page.keys.push((at as u32 + 1, inside(&levels)));
                    builder.begin(UnitKind::Paragraph, at + 1);
                    builder.text(at + 1..end);
                    builder.close(end);
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    builder.finish()
}

/// What a value is in.
enum Level<'t> {
    Object(&'t str),
    Array(usize),
}

/// Deeper levels are left out of a path.
const MAX_LEVELS: usize = 16;

/// `stories[2].criteria`.
fn inside(levels: &[Level<'_>]) -> Box<str> {
    let mut path = String::new();
    for level in levels.iter().take(MAX_LEVELS) {
        match level {
            Level::Object(key) if path.is_empty() => path.push_str(key),
            Level::Object(key) => path.push_str(&format!(".{key}")),
            Level::Array(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path.into()
}

fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

pub fn csv<'t>(path: &'t str, text: &'t str, words: &Vocabulary, scope: &Scope) -> Page<'t> {
    let mut builder = Builder::new(path, text, words, scope);
    builder.table();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_quoted = bytes[at] == b'"';
        let from = if is_quoted { at + 1 } else { at };
        let end = end_of_cell(bytes, from, is_quoted);
        builder.begin(UnitKind::Cell, from);
        builder.text(from..end);
        builder.end_cell(end);
        at = if is_quoted { (end + 1).min(bytes.len()) } else { end };
        while bytes.get(at).is_some_and(|byte| !matches!(byte, b',' | b'\n')) {
            at += 1;
        }
        if bytes.get(at) == Some(&b'\n') {
            builder.next_row();
        }
        at += 1;
    }
    builder.end_table(text.len());
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

pub fn yaml<'t>(path: &'t str, text: &'t str, words: &Vocabulary, scope: &Scope) -> Page<'t> {
    let mut builder = Builder::new(path, text, words, scope);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let body = line.split(" #").next().unwrap_or(line).trim_end();
        let value = body.trim_start().trim_start_matches("- ");
        if value.starts_with('#') || value.is_empty() {
            continue;
        }
        let key = value.find(": ").filter(|colon| {
            value[..*colon].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        });
        let value = key.map_or(value, |colon| value[colon + 2..].trim_start()).trim_matches(['"', '\'']);
        let from = begin + (value.as_ptr() as usize - line.as_ptr() as usize);
        if value.contains(' ') {
            builder.begin(UnitKind::Paragraph, from);
            builder.text(from..from + value.len());
            builder.close(from + value.len());
        }
    }
    builder.finish()
}
