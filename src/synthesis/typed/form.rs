//! The form of the place that an addition goes to: where its section ends, which words its neighbours have in bold, and
//! whether one of them says the same already.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::in_markdown::lead;
use crate::synthesis::lists::{Item, items_of};
use crate::synthesis::outline::{Heading, MARKDOWN, Outline};
use crate::synthesis::section_choice::ELSEWHERE;

/// Words with those in bold that every item of a list has in bold: `**Given** …, **When** …`.
pub(super) fn with_bold_words(words: &str, text: &str, items: &[Item]) -> String {
    let bold_of = |item: &Item| strong(&text[item.start..item.end]);
    let mut bold = items.last().map(bold_of).unwrap_or_default();
    bold.retain(|word| items.iter().all(|item| bold_of(item).contains(word)));
    let (mut out, mut rest) = (String::new(), words);
    for word in &bold {
        let Some(at) = whole_word(rest, word) else { return words.to_owned() };
        out.push_str(&format!("{}**{word}**", &rest[..at]));
        rest = &rest[at + word.len()..];
    }
    out + rest
}

/// What is in bold in a text, in its order.
fn strong(text: &str) -> Vec<String> {
    let (mut found, mut is_open) = (Vec::<String>::new(), false);
    for event in Parser::new_ext(text, MARKDOWN) {
        match event {
            Event::Start(Tag::Strong) => {
                found.push(String::new());
                is_open = true;
            }
            Event::End(TagEnd::Strong) => is_open = false,
            Event::Text(words) if is_open => {
                found.iter_mut().next_back().into_iter().for_each(|last| last.push_str(&words))
            }
            _ => {}
        }
    }
    found
}

/// Where a text has a word that is no part of another.
fn whole_word(text: &str, word: &str) -> Option<usize> {
    let is_apart = |at: usize| {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    };
    text.match_indices(word).map(|(at, _)| at).find(|at| is_apart(*at))
}

/// A text without the marks of bold and of emphasis: an entry has those of its neighbours.
pub(super) fn unmarked(text: &str) -> String {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new_ext(text, MARKDOWN).into_offset_iter() {
        let width = match event {
            Event::Start(Tag::Strong) => 2,
            Event::Start(Tag::Emphasis) => 1,
            _ => continue,
        };
        cuts.extend([range.start..range.start + width, range.end - width..range.end]);
    }
    cuts.sort_by_key(|cut| cut.start);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for cut in cuts {
        out.push_str(&text[at..cut.start]);
        at = cut.end;
    }
    out + &text[at..]
}

/// An item of a list of fewer words is part of many sentences.
const MIN_WORDS: usize = 4;
/// The words of the first item that a text has and that these words have whole: they are a new version of it.
pub(super) fn repeated(text: &str, words: &str) -> Option<String> {
    let all = folded(words);
    let items = items_of(text, &(0..text.len()));
    let is_in = |words: &&str| {
        let own = folded(words);
        own.len() >= MIN_WORDS && all.windows(own.len()).any(|run| run == own)
    };
    items.iter().map(|item| without_lead(item.words(text))).find(is_in).map(str::to_owned)
}

/// The words of an item without its id.
fn without_lead(words: &str) -> &str {
    lead(words).map_or(words, |lead| &words[lead.before.len() + lead.id.len() + lead.after.len()..])
}

/// The words of a text without marks and case.
fn folded(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// A section's own text, without its sub-sections.
pub(super) struct SectionText {
    /// From its heading to the end of its own text.
    pub(super) range: Range<usize>,
    pub(super) has_text: bool,
    pub(super) has_sections: bool,
    /// It has code, and neither prose nor a list or a table.
    pub(super) is_code: bool,
}

impl SectionText {
    pub(super) fn new(text: &str, outline: &Outline, heading: usize) -> SectionText {
        let own = &outline.headings[heading];
        let next = outline.headings.get(heading + 1);
        let end = before_rules(text, own.start..own_end(text, next.map(|next| next.start)));
        let below = text[own.start..end].split_once('\n').map_or("", |(_, below)| below);
        let is_underline = |line: &str| !line.is_empty() && line.chars().all(|c| matches!(c, '=' | '-'));
        // What discussions add below a heading of theirs is no section of the document.
        let is_theirs = |heading: &Heading| !heading.added && heading.text != ELSEWHERE;
        let is_text = |line: &str| !line.trim().is_empty() && !is_underline(line.trim());
        SectionText {
            range: own.start..end,
            has_text: below.lines().any(is_text),
            has_sections: next.is_some_and(is_theirs) && next.is_some_and(|next| next.level > own.level),
            is_code: is_code(below),
        }
    }
}

/// Whether a text has code and nothing else.
fn is_code(text: &str) -> bool {
    let (mut has_code, mut has_more) = (false, false);
    for event in Parser::new_ext(text, MARKDOWN) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => has_code = true,
            Event::Start(Tag::Paragraph | Tag::Item | Tag::Table(_)) => has_more = true,
            _ => {}
        }
    }
    has_code && !has_more
}

/// Where a section's own text ends: before its first sub-section, and before the marker above that.
fn own_end(text: &str, next: Option<usize>) -> usize {
    let Some(next) = next else { return text.len() };
    let above = text[..next].trim_end();
    let line = above.rfind('\n').map_or(0, |at| at + 1);
    if above[line..].starts_with("<!-- Elaboration: step ") { line } else { next }
}

/// Where a section's own text ends before the rules that part it from the next one.
fn before_rules(text: &str, section: Range<usize>) -> usize {
    let body = &text[section.clone()];
    let rules = Parser::new_ext(body, MARKDOWN).into_offset_iter();
    let rules: Vec<Range<usize>> =
        rules.filter(|(event, _)| *event == Event::Rule).map(|(_, range)| range).collect();
    let mut end = body.len();
    for rule in rules.into_iter().rev() {
        if !body[rule.end..end].trim().is_empty() {
            break;
        }
        end = body[..rule.start].rfind('\n').map_or(0, |at| at + 1);
    }
    section.start + end
}
