//! Rules that are patterns: what their `any` matches in a block, unless a match of `unless` touches it.

use std::collections::HashSet;
use std::ops::Range;

use super::facts::ids::leading_id;
use super::facts::questions;
use super::page::{Block, Kind, Page};
use super::rule::Rule;
use super::{Hit, Rules};
use crate::text::pattern::Pattern;

/// The rule for marks, which can also be the name of a section or an abbreviation.
const MARKERS: &str = "open-marker";

/// The hits of all rules with patterns on a page.
pub fn find(page: &Page<'_>, rules: &Rules, active: &[bool], hits: &mut Vec<Hit>) {
    let is_criteria = page.for_sections(false, |heading, _| is_criteria(heading));
    let mut explained = None;
    let mut closed: Vec<Option<Vec<bool>>> = vec![None; rules.rules.len()];
    for (number, block) in page.blocks.iter().enumerate().filter(|(_, block)| !block.is_quoted) {
        if block.kind == Kind::Item(Some(true)) {
            continue;
        }
        let text = page.text_of(block);
        let matched = rules.patterns().matches(text);
        if !matched.matched_any() {
            continue;
        }
        let mut demand = None;
        for (at, pattern) in matched.iter().map(|at| rules.pattern_of[at]).filter(|(at, _)| active[*at]) {
            let rule = &rules.rules[at];
            let is_hint = rule.is_wording();
            let demand = demand.get_or_insert_with(|| demand_of(page, block, is_criteria[block.section]));
            let closed = closed[at].get_or_insert_with(|| closed_sections(page, rule));
            if closed[block.section] || is_hint && *demand == Demand::None {
                continue;
            }
            quotations(rule, pattern, text, |range| {
                let explained = explained.get_or_insert_with(|| explained_abbreviations(&page.plain));
                let is_word = explained.contains(&text[range.clone()])
                    || names_section(page, number, &range)
                    || explains_mark(page, block)
                    || asks_about_mark(page, block, &range);
                if is_word && rule.file.rule == MARKERS {
                    return;
                }
                if !is_hint || demand.includes(text, &range) {
                    let plain = block.plain.start + range.start..block.plain.start + range.end;
                    hits.push(Hit { rule: at, ..Hit::at(page.source(plain)) });
                }
            });
        }
    }
}

/// A heading that begins with the words, says more and has text below it, or `## TODO` alone: it is a name and no gap.
fn names_section(page: &Page<'_>, number: usize, range: &Range<usize>) -> bool {
    let block = &page.blocks[number];
    let text = page.text_of(block).trim_end();
    let is_first = range.start == 0 && text.starts_with(char::is_alphabetic);
    let is_filled = range.end < text.len()
        && page.blocks.get(number + 1).is_some_and(|next| next.section == block.section);
    block.kind == Kind::Heading && is_first && (text == "TODO" || is_filled)
}

/// A row that says what the mark means: `| TBD | to be decided |`.
fn explains_mark(page: &Page<'_>, block: &Block) -> bool {
    let Kind::Cell(cell) = block.kind else { return false };
    let row = page.row(cell.table, cell.row);
    let is_mark = |cell: &Block| {
        ["TBA", "TBC", "TBD"].iter().any(|mark| page.text_of(cell).trim().eq_ignore_ascii_case(mark))
    };
    let is_meaning = |cell: &Block| {
        page.text_of(cell)
            .trim_start()
            .get(.."to be ".len())
            .is_some_and(|start| start.eq_ignore_ascii_case("to be "))
    };
    row.iter().any(is_mark) && row.iter().any(is_meaning)
}

/// "What is still TBD?" asks for what is open. "Price: TBD?", "TBD?" and open questions are marks.
fn asks_about_mark(page: &Page<'_>, block: &Block, range: &Range<usize>) -> bool {
    const MIN_BEFORE: usize = 3;
    const MAX_QUESTION: usize = 300;
    let text = page.text_of(block);
    let is_end = |sign: char| ":([?.!;–—|\n".contains(sign);
    let before = text[..range.start].chars().rev().take(MAX_QUESTION).take_while(|sign| !is_end(*sign));
    // A blank after each word.
    let blanks = before.filter(|sign| *sign == ' ').take(MIN_BEFORE).count();
    let end = text[range.end..].chars().take(MAX_QUESTION).find(|sign| ".!?\n".contains(*sign));
    let is_left = || matches!(block.kind, Kind::Item(_)) && questions::is_open_section(page, block.section);
    !text.starts_with('[')
        && !text[range.clone()].contains(['?', '['])
        && blanks >= MIN_BEFORE
        && end == Some('?')
        && !is_left()
}

/// Abbreviations that the document itself explains, "trunk-based development (TBD)": there they are no marks.
fn explained_abbreviations(text: &str) -> HashSet<&str> {
    let mut found = HashSet::new();
    for open in memchr::memmem::find_iter(text.as_bytes(), " (") {
        let name = &text[open + 2..];
        let name = &name[..name.bytes().take_while(u8::is_ascii_uppercase).count()];
        if name.len() < 2 || !text[open + 2 + name.len()..].starts_with(')') {
            continue;
        }
        let words: Vec<&str> = text[..open].rsplit([' ', '-', '\n']).take(name.len()).collect();
        let initials = words.iter().rev().filter_map(|word| word.chars().next());
        let is_explained = initials.flat_map(char::to_uppercase).eq(name.chars());
        // "To be decided (TBD)" explains the mark.
        if is_explained && words.last().is_some_and(|first| !first.eq_ignore_ascii_case("to")) {
            found.insert(name);
        }
    }
    found
}

/// What a pattern of a rule quotes in a text.
fn quotations(rule: &Rule, pattern: usize, text: &str, mut found: impl FnMut(Range<usize>)) {
    let mut unless: Option<Vec<Range<usize>>> = None;
    for matched in rule.any[pattern].regex().into_iter().flat_map(|regex| regex.captures_iter(text)) {
        let Some(quote) = matched.get(1).or(matched.get(0)).map(|quote| quote.range()) else { continue };
        let unless = unless.get_or_insert_with(|| excused(rule, text));
        let next = unless.partition_point(|range| range.end <= quote.start);
        let is_excused = unless.get(next).is_some_and(|range| range.start < quote.end);
        if !is_excused && !quote.is_empty() {
            found(quote);
        }
    }
}

/// The parts of a text that a rule's `unless` matches, from left to right, none touching the next.
fn excused(rule: &Rule, text: &str) -> Vec<Range<usize>> {
    let all = rule.unless.iter().filter_map(Pattern::regex).flat_map(|pattern| pattern.find_iter(text));
    let mut all: Vec<Range<usize>> = all.map(|found| found.range()).collect();
    if rule.is_wording() {
        all.extend(quoted_parts(text));
    }
    all.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(all.len());
    for range in all {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// What is between quotation marks: words that are talked about.
fn quoted_parts(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut open: Option<usize> = None;
    for (at, sign) in text.char_indices().filter(|(_, sign)| matches!(sign, '"' | '“' | '”')) {
        match open.take() {
            Some(start) => parts.push(start..at),
            None if sign != '”' => open = Some(at),
            None => {}
        }
    }
    parts
}

/// The sections that a rule does not read, by their headings or those around them.
fn closed_sections(page: &Page<'_>, rule: &Rule) -> Vec<bool> {
    page.for_sections(false, |heading, outer| {
        outer || rule.unless_section.iter().any(|pattern| pattern.is_match(heading))
    })
}

/// The heading of criteria.
fn is_criteria(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["acceptance criteria", "acceptance scenarios", "success criteria", "exit criteria"]
        .iter()
        .any(|name| heading.contains(name))
}

/// What of a block is demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    None,
    /// Sentences with "must" or "shall".
    Bound,
    /// Its first sentence: what follows an id.
    First,
    All,
}

impl Demand {
    /// The sentence of a place is demanded.
    fn includes(self, text: &str, range: &Range<usize>) -> bool {
        if self == Demand::All || text.len() > MAX_DEMAND {
            return self == Demand::All;
        }
        let start = text[..range.start].rfind(". ").map_or(0, |at| at + 1);
        // A quotation may end with the full stop itself: "etc."
        let from = range.end - usize::from(text[range.clone()].ends_with('.'));
        let end = text[from..].find(". ").map_or(text.len(), |at| from + at);
        match self {
            Demand::None | Demand::All => false,
            Demand::Bound => binds(&text[start..end]),
            Demand::First => start == 0 || binds(&text[start..end]),
        }
    }
}

/// Bytes of a block that is read as a demand: a longer one is a tale.
const MAX_DEMAND: usize = 4096;

/// Items and the second cells of rows that begin with an id, items and cells with a binding word, criteria.
fn demand_of(page: &Page<'_>, block: &Block, is_criterion: bool) -> Demand {
    let text = page.text_of(block);
    match block.kind {
        Kind::Heading | Kind::Paragraph | Kind::Value => Demand::None,
        Kind::Cell(cell) if cell.row == 0 => Demand::None,
        _ if is_criterion => Demand::All,
        Kind::Item(_) if text.starts_with("Given ") => Demand::All,
        Kind::Item(_) if leading_id(text).is_some() => Demand::First,
        Kind::Cell(cell) if cell.column == 1 => {
            let first = page.row(cell.table, cell.row).first();
            let has_id = first.is_some_and(|first| leading_id(page.text_of(first)).is_some());
            if has_id { Demand::First } else { Demand::Bound }
        }
        Kind::Item(_) | Kind::Cell(_) => Demand::Bound,
    }
}

/// The text has "must" or "shall".
fn binds(text: &str) -> bool {
    let words = text.split(|sign: char| !sign.is_alphabetic());
    words.into_iter().any(|word| word.eq_ignore_ascii_case("must") || word.eq_ignore_ascii_case("shall"))
}
