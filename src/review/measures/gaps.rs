//! What somebody began and did not finish: a heading with nothing below it, a sentence that breaks off.
//!
//! Code, tables, pictures and sub-sections are content, and a comment is none. Invariant: what a list, a table or
//! code goes on with is no broken sentence. "The clerk forwards the form to the" is one.

use std::ops::Range;

use super::{Hit, OnPage, hit, judged};
use crate::review::page::{Page, Unit, UnitKind};
use crate::review::token::{EMPHASIS, Kind, LINK, QUOTED, TIGHT, Token};

/// A title alone is no section.
const MIN_SECTIONS: usize = 2;

/// Headings with nothing before the next one.
pub fn empty_sections(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let page = on.page;
    let headings: Vec<u32> = page.sections.iter().filter_map(|section| section.heading).collect();
    if headings.len() < MIN_SECTIONS {
        return Vec::new();
    }
    let sections = page.sections.iter().filter_map(|section| Some((section, section.heading?)));
    // "3. Sync", "Step 1", "Phase B2".
    let is_numbered = |unit: &Unit| {
        let first = |token: &Token| page.word(token).contains(|sign: char| sign.is_ascii_digit());
        page.tokens_of(unit).iter().take(2).any(first)
    };
    let empty = sections.enumerate().filter(|(at, (section, heading))| {
        let unit = &page.units[*heading as usize];
        let next = headings.get(at + 1).map(|next| &page.units[*next as usize]);
        // A title, a link to where the text is, or a caption over numbered sections.
        let is_title = *at == 0 && section.level == 1;
        let is_link = page.tokens_of(unit).iter().any(|token| token.has(LINK));
        let is_caption = !is_numbered(unit) && next.is_some_and(is_numbered);
        let end = next.map_or(page.text.len(), |next| next.start as usize);
        *heading + 1 >= section.end
            && !(is_title || is_link || is_caption)
            && !unit.is_quotation
            && on.rule.is_for(unit.kinds)
            && page.tokens_of(unit).iter().any(|token| token.kind == Kind::Word)
            && !says_it_all(on, unit)
            && on.rule.set("caption").at(page.tokens_of(unit), 0).is_none()
            && !on.rule.set("optional").is_in(page.tokens_of(unit))
            && is_blank(page, unit.end as usize, end.max(unit.end as usize))
    });
    let mut places =
        empty.filter_map(|(_, (_, heading))| Page::span(page.tokens_of(&page.units[heading as usize])));
    let Some(first) = places.next() else { return Vec::new() };
    // A template that nobody has filled in yet is one finding.
    let related: Vec<(u32, Range<usize>)> = places.map(|range| (0, range)).collect();
    let more = match related.len() {
        0 => String::new(),
        1 => " and one more heading".to_owned(),
        count => format!(" and {count} more headings"),
    };
    vec![Hit { related, ..hit(first).with("more", more) }]
}

/// "Files: 20" and "As a guest, I want a desk" need no text below them.
fn says_it_all(on: &OnPage<'_, '_>, unit: &Unit) -> bool {
    let tokens = on.page.tokens_of(unit);
    let colon = tokens.iter().position(|token| on.page.word(token) == ":");
    let has_value =
        colon.is_some_and(|colon| tokens[colon..].iter().take(3).any(|token| token.kind == Kind::Number));
    has_value || on.rules.story.is_in(tokens)
}

/// Nothing but white space, rules across the page and comments is in the range.
fn is_blank(page: &Page<'_>, begin: usize, end: usize) -> bool {
    let mut rest = &page.text[begin..end];
    loop {
        rest = rest.trim_start_matches(|sign: char| sign.is_whitespace() || "-_*".contains(sign));
        match rest.strip_prefix("<!--") {
            Some(comment) => rest = comment.split_once("-->").map_or("", |(_, after)| after),
            None => return rest.is_empty(),
        }
    }
}

/// Paragraphs and items whose last word calls for another one.
pub fn broken_sentences(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let page = on.page;
    let units = judged(on).filter(|unit| matches!(unit.kind, UnitKind::Paragraph | UnitKind::Item));
    let broken = units.filter_map(|unit| {
        let sentence = page.sentences_of(unit).last().filter(|sentence| sentence.len() >= MIN_TOKENS)?;
        let last = sentence.last()?;
        let is_word = last.kind == Kind::Word && !last.has(QUOTED | EMPHASIS | TIGHT);
        let is_small = page.word(last).chars().all(char::is_lowercase);
        let is_open = on.rule.set("open").at(sentence, sentence.len() - 1).is_some();
        let ends_here = page.text[last.range().end..].trim_start_matches([' ', '\t', '\r']);
        let is_end = ends_here.is_empty() || ends_here.starts_with('\n');
        // An item that ends with "and" goes on in the next one.
        let goes_on = match unit.kind {
            UnitKind::Item => on.rule.set("joins").at(sentence, sentence.len() - 1).is_some(),
            _ => goes_on(ends_here),
        };
        (is_word && is_small && is_open && is_end && !goes_on).then_some(sentence)
    });
    let shown = broken.filter_map(|sentence| Page::span(&sentence[sentence.len().saturating_sub(SHOWN)..]));
    shown.map(hit).collect()
}

/// Shorter ones are labels.
const MIN_TOKENS: usize = 5;
/// The last tokens are quoted.
const SHOWN: usize = 8;

/// A list, a table, code, a picture or a quotation follows.
fn goes_on(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['\n', '\r']);
    let next = rest.trim_start();
    let is_numbered = next.starts_with(|first: char| first.is_ascii_digit());
    rest.starts_with([' ', '\t'])
        || next.starts_with(['-', '*', '+', '|', '`', '~', '>', '<', '!', '[', '$'])
        || is_numbered
}
