//! Questions that are left under a heading such as "Open questions".

use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, Kind, Page};
use super::records::is_over;

/// What makes a section one of open questions: the first word of its heading and the last one.
const OPEN: [&str; 4] = ["open", "outstanding", "unanswered", "unresolved"];
const QUESTIONS: [&str; 6] = ["issues", "items", "points", "question", "questions", "topics"];
/// Headings and remarks that say that a question was answered.
const ANSWERED: [&str; 6] = ["answer", "answered", "closed", "decided", "resolution", "resolved"];

/// Items, headings and paragraphs of such sections that end with a question mark, without anything below them.
pub fn open_questions(page: &Page<'_>) -> Vec<Hit> {
    if is_over(page) {
        return Vec::new();
    }
    let is_open = page.for_sections(false, is_open);
    let mut found = Vec::new();
    // Deeper items are options of the question above them.
    let mut above: Option<(usize, usize)> = None;
    // A paragraph in bold is a heading of what follows in its section.
    let mut titled = (usize::MAX, false);
    for (at, block) in page.blocks.iter().enumerate() {
        if block.kind == Kind::Paragraph && is_bold(page, block) {
            titled = (block.section, self::is_open(page.text_of(block), is_open[block.section]));
        }
        let is_open = if titled.0 == block.section { titled.1 } else { is_open[block.section] };
        above = above.filter(|(section, depth)| *section == block.section && block.depth > *depth);
        if above.is_some() {
            continue;
        }
        let text = page.text_of(block).trim_end();
        let is_question = ends_as_question(without_remark(text));
        if !is_question || block.is_quoted || !is_open || says_answered(text) {
            continue;
        }
        let is_left = match block.kind {
            Kind::Item(boxed) => boxed != Some(true) && !goes_on(page, at),
            Kind::Paragraph => !goes_on(page, at),
            Kind::Heading => is_last_of_section(page, at),
            // Nothing is in the cells after it.
            Kind::Cell(cell) => page.row(cell.table, cell.row).iter().all(|other| match other.kind {
                Kind::Cell(one) if one.column > cell.column => page.text_of(other).trim().is_empty(),
                _ => true,
            }),
            Kind::Value => false,
        };
        if is_left {
            above = Some((block.section, block.depth)).filter(|_| matches!(block.kind, Kind::Item(_)));
            found.push(Hit::at(with_emphasis(page, page.source(block.plain.clone()))));
        }
    }
    found
}

/// `**Open questions**`, all of a paragraph.
fn is_bold(page: &Page<'_>, block: &Block) -> bool {
    let text = page.text[block.range.clone()].trim();
    let inner = ["**", "__"].iter().find_map(|mark| text.strip_prefix(mark)?.strip_suffix(mark));
    inner.is_some_and(|inner| !inner.contains("**") && !inner.contains("__"))
}

/// The words of a block with the marks of emphasis that they begin and end with.
fn with_emphasis(page: &Page<'_>, words: Range<usize>) -> Range<usize> {
    let is_mark = |sign: char| sign == '*' || sign == '_';
    let start = page.text[..words.start].trim_end_matches(is_mark).len();
    let end = page.text.len() - page.text[words.end..].trim_start_matches(is_mark).len();
    start..end
}

/// A question without the remark in brackets after it: "Who folds the letters? (asked by Sam)".
fn without_remark(text: &str) -> &str {
    let end = ["? (", "？ ("].iter().filter_map(|mark| Some(text.rfind(mark)? + mark.len() - 2)).max();
    end.filter(|_| text.ends_with(')')).map_or(text, |end| &text[..end])
}

fn ends_as_question(text: &str) -> bool {
    text.ends_with('？')
        || text.ends_with('?') && text.contains(char::is_alphabetic) && text.split_whitespace().count() > 1
}

/// The section or one around it is of open questions.
pub fn is_open_section(page: &Page<'_>, section: usize) -> bool {
    page.for_sections(false, is_open)[section]
}

/// The section is of open questions, by its heading or the one around it; not where a heading speaks of answers.
fn is_open(heading: &str, outer: bool) -> bool {
    let heading = heading.to_lowercase();
    let words: Vec<&str> =
        heading.split(|sign: char| !sign.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let open = words.iter().position(|word| OPEN.contains(word));
    // "Open questions", "Open design questions", "2. Unresolved issues".
    let names_questions = open.is_some_and(|at| at < 2)
        && words.iter().any(|word| QUESTIONS.contains(word))
        && words.len() <= 5;
    !says_answered(&heading) && (names_questions || words == ["open"] || outer)
}

fn says_answered(text: &str) -> bool {
    text.split(|sign: char| !sign.is_alphabetic())
        .any(|word| ANSWERED.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Something follows that may be the answer: deeper in the list, in the same item, or in the section's text.
fn goes_on(page: &Page<'_>, at: usize) -> bool {
    let block = &page.blocks[at];
    let Some(next) = page.blocks.get(at + 1) else { return has_more(page, at) };
    if next.section != block.section {
        return has_more(page, at);
    }
    let is_answer = match (block.kind, next.kind) {
        (Kind::Paragraph, Kind::Paragraph) => !page.text_of(next).trim_end().ends_with('?'),
        (Kind::Paragraph, _) => true,
        (_, Kind::Paragraph) => next.depth >= block.depth && block.depth > 0,
        (_, Kind::Item(_)) => next.depth > block.depth && !page.text_of(next).trim_end().ends_with('?'),
        (_, Kind::Cell(_)) => next.depth >= block.depth,
        _ => false,
    };
    is_answer || has_more(page, at)
}

/// Between a block and the next one there is something that is no block: code, an image, a quotation mark.
fn has_more(page: &Page<'_>, at: usize) -> bool {
    let block = &page.blocks[at];
    let end = page.blocks.get(at + 1).map_or(page.text.len(), |next| next.range.start);
    let between = page.text.get(block.range.end..end).unwrap_or_default();
    between.contains("```") || between.contains("~~~") || between.contains("![")
}

/// A heading has nothing below it.
fn is_last_of_section(page: &Page<'_>, at: usize) -> bool {
    let block = &page.blocks[at];
    let end = page.blocks.get(at + 1).map_or(page.text.len(), |next| next.range.start);
    let is_alone = page.blocks.get(at + 1).is_none_or(|next| next.section != block.section);
    is_alone && page.text.get(block.range.end..end).is_none_or(|below| below.trim().is_empty())
}
