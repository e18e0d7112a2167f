//! Sections that hold text of a template alone: nobody has written anything there.
//!
//! A block is such text where all of it is in brackets, `[Describe the journey]`, apart from a label before it and the fixed
//! words of the templates of spec-kit, Kiro and MADR: "**Given** [state], **When** [action], **Then** [outcome]". A
//! section needs two such blocks, one of them with a label or such words: `[None so far]` alone may be an answer, and
//! `[Log in button]` a drawing. Comments are not read.

use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, CODE, Kind, Page};
use super::{leaves_nothing_open, slots};

/// Blocks of a template that a section needs.
const MIN_BLOCKS: usize = 2;
/// Bytes of a block that can be one of a template.
const MAX_BYTES: usize = 600;

/// Sections and single places that a template left open.
pub fn template_text(page: &Page<'_>) -> Vec<Hit> {
    if leaves_nothing_open(page) {
        return Vec::new();
    }
    let mut found = template_sections(page);
    found.extend(slots::slots(page));
    found
}

/// The block is brackets with a label or with the words of a template.
pub fn is_of_template(page: &Page<'_>, block: &Block) -> bool {
    is_written(page, block) && form_of(page, block) == Some(Form::Framed)
}

/// The first block of each section that holds nothing but such blocks, with the rest of them.
fn template_sections(page: &Page<'_>) -> Vec<Hit> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < page.blocks.len() {
        let section = page.blocks[from].section;
        let count = page.blocks[from..].iter().take_while(|block| block.section == section).count();
        let blocks = &page.blocks[from..from + count];
        from += count;
        let end = page.blocks.get(from).map_or(page.text.len(), |next| next.range.start);
        found.extend(template_of(page, blocks, end).map(Hit::at));
    }
    found
}

/// The place of a section's blocks, where they are all of a template.
fn template_of(page: &Page<'_>, blocks: &[Block], end: usize) -> Option<Range<usize>> {
    let written: Vec<&Block> = blocks.iter().filter(|block| is_written(page, block)).collect();
    let (first, last) = (written.first()?, written.last()?);
    if written.len() < MIN_BLOCKS || page.text[first.range.start..end].contains("```") {
        return None;
    }
    let forms: Option<Vec<Form>> = written.iter().map(|block| form_of(page, block)).collect();
    forms?.contains(&Form::Framed).then(|| page.source(first.plain.start..last.plain.end))
}

/// How a block is one of a template.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Brackets alone.
    Bare,
    /// Brackets with a label or with words of a template.
    Framed,
}

/// Headings, headers of tables and "Acceptance scenarios:" name what belongs there; front matter is of the document.
fn is_written(page: &Page<'_>, block: &Block) -> bool {
    let text = page.text_of(block).trim();
    let is_name = match block.kind {
        Kind::Heading | Kind::Value => true,
        Kind::Cell(cell) => cell.row == 0,
        Kind::Item(_) | Kind::Paragraph => {
            text.ends_with(':') && !text.trim_end_matches(':').contains([':', '.'])
        }
    };
    !is_name && !text.is_empty()
}

fn form_of(page: &Page<'_>, block: &Block) -> Option<Form> {
    let text = page.text_of(block).trim();
    let link = page.links.partition_point(|link| link.range.start < block.range.start);
    let has_link = page.links.get(link).is_some_and(|link| link.range.start < block.range.end);
    if text.len() > MAX_BYTES || has_link || block.is_quoted || text.contains(CODE) || text.contains("[[") {
        return None;
    }
    // "Primary actor: [Who uses it]", "FR-001: System MUST [capability]".
    let labelled = text.split_once(": ").filter(|(label, _)| !label.contains(['[', '{', '<']));
    let of_label = || labelled.and_then(|(_, rest)| form_of_brackets(rest)).map(|_| Form::Framed);
    form_of_brackets(text).or_else(of_label)
}

/// What templates have around their brackets.
const FRAMES: [&[&str]; 11] = [
    &[],
    &["given", "when", "then"],
    &["system must"],
    &["users must be able to"],
    &["as a", "i want", "so that"],
    &["as a", "i want to", "so that"],
    &["what happens when"],
    &["how does system handle"],
    &["when", "then the system shall"],
    &["when", "then", "shall"],
    &["if", "then", "shall"],
];

/// Brackets that describe, at least one of them, and the words of a frame between them.
fn form_of_brackets(text: &str) -> Option<Form> {
    let mut rest = text;
    let mut around: Vec<String> = Vec::new();
    let mut describes = false;
    while let Some(open) = rest.find(['[', '{', '<']) {
        let length = length_of_brackets(&rest.as_bytes()[open..])?;
        around.push(words(&rest[..open]));
        describes |= is_description(&rest[open + 1..open + length]);
        rest = &rest[open + length + 1..];
    }
    around.push(words(rest));
    around.retain(|part| !part.is_empty());
    let is_known = describes && FRAMES.iter().any(|frame| around == *frame);
    // "[Entity]: [What it is]"
    let is_framed = !around.is_empty() || text.contains("]: ");
    is_known.then_some(if is_framed { Form::Framed } else { Form::Bare })
}

/// The bytes up to the bracket that closes the first one.
fn length_of_brackets(text: &[u8]) -> Option<usize> {
    let open = *text.first()?;
    let close = match open {
        b'[' => b']',
        b'{' => b'}',
        _ => b'>',
    };
    let mut depth = 0;
    text.iter().position(|byte| {
        depth += i32::from(*byte == open) - i32::from(*byte == close);
        depth == 0
    })
}

/// Several words, the first not in capitals: `[NEEDS CLARIFICATION: who?]` and `[RFC 2119]` are something else.
fn is_description(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    first.contains(|sign: char| sign.is_lowercase()) && words.next().is_some() && !text.contains(':')
}

/// The words of a part in small letters, without marks.
fn words(text: &str) -> String {
    let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}
