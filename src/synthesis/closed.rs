//! The line that a decision leaves below an open question that it closes: `- Decided 2026-03-02 (Sam): …`.
//!
//! Invariant: only below an item of a list of open questions that has nothing below it yet, and only where nothing else
//! changes by it.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::outline::{MARKDOWN, Outline};
use super::{Placed, below, lists};
use crate::additive::verify;
use crate::discussion::LandingEntries;
use crate::discussion::closing::AskedQuestions;
use crate::item::layout::{Layout, Place};
use crate::item::library::Library;
use crate::item::{Change, File, Item};
use crate::text::path::is_markdown;
use crate::text::template::Failed;

/// The heading that the block has its questions under, and most documents.
const HEADING: &str = "Open Questions";

/// Puts the lines into the documents of an item as it was, as far as it is by now.
pub(super) fn add(
    item: &Item,
    now: &mut Item,
    said: LandingEntries<'_>,
    library: &Library,
) -> Result<Vec<Placed>, Failed> {
    let layout = library.layout(said.layout);
    let mut placed = Vec::new();
    let names: Vec<String> = item.documents().map(|(name, _)| name.to_owned()).collect();
    for name in names.iter().filter(|name| is_markdown(name)) {
        let (Some(File::Bytes(before)), Some(File::Bytes(bytes))) =
            (item.files.get(name), now.files.get(name))
        else {
            continue;
        };
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        let lines = lines(text, layout, said, library)?;
        if lines.is_empty() {
            continue;
        }
        let after = below::lines_below_items(text, &lines);
        let path = item.path_of(name);
        let change =
            Change { path: path.clone(), before: Some(before.clone()), after: after.clone().into_bytes() };
        if verify(vec![change]).is_err() {
            continue;
        }
        placed.push(Placed {
            path,
            section: HEADING.to_owned(),
            created: false,
            added_lines: lines.len(),
            description: crate::text::plain::count(lines.len(), "answer"),
        });
        now.files.insert(name.clone(), File::Bytes(after.into_bytes()));
    }
    Ok(placed)
}

/// A line, and the item that it goes below.
type LineBelow = (Range<usize>, String);

/// The lines for the questions of a text that are closed by now: of each the first decision that does it.
fn lines(
    text: &str,
    layout: &Layout,
    said: LandingEntries<'_>,
    library: &Library,
) -> Result<Vec<LineBelow>, Failed> {
    let questions = open_questions(text, layout);
    let mut asked = AskedQuestions::default();
    for (number, question) in questions.iter().enumerate() {
        asked.add(without_mark(&text[question.clone()]), number);
    }
    let mut found: Vec<Option<String>> = vec![None; questions.len()];
    for decision in &said.summary.decisions {
        let message = said.messages(&decision.turns).last().map_or("", |message| message.text.as_str());
        let closed = asked.closed_by(&decision.text, message);
        if closed.is_empty() {
            continue;
        }
        let line = below::line(decision, said, library)?;
        closed.into_iter().for_each(|number| {
            found[number].get_or_insert_with(|| line.clone());
        });
    }
    Ok(questions.into_iter().zip(found).filter_map(|(question, line)| Some((question, line?))).collect())
}

/// An item without the number or the sign before it.
fn without_mark(item: &str) -> &str {
    let words = item.trim_start();
    let first = words.find(' ').unwrap_or_default();
    if lists::is_mark(&words[..first]) { words[first..].trim_start() } else { words }
}

/// The items of lists of open questions that ask something and have nothing below them.
fn open_questions(text: &str, layout: &Layout) -> Vec<Range<usize>> {
    let own = if let Place::List(list) = &layout.questions { list.heading.as_str() } else { HEADING };
    let sections = sections_named(text, &[own, HEADING]);
    if sections.is_empty() {
        return Vec::new();
    }
    let mut sections = sections.into_iter().peekable();
    let mut items = items_without_items(text);
    items.retain(|item| {
        while sections.next_if(|section| section.end <= item.start).is_some() {}
        let is_listed = sections.peek().is_some_and(|section| section.contains(&item.start));
        is_listed && text[item.clone()].contains(['?', '？', '؟'])
    });
    items
}

/// The sections with one of these headings, in order; none is inside another.
fn sections_named(text: &str, names: &[&str]) -> Vec<Range<usize>> {
    let outline = Outline::new(text);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, heading) in outline.headings.iter().enumerate() {
        let is_inside = found.last().is_some_and(|last| heading.start < last.end);
        if !is_inside && names.iter().any(|name| heading.is_called(name)) {
            found.push(heading.start..outline.end(at));
        }
    }
    found
}

/// The items of lists that have no items below them, in order.
fn items_without_items(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Those that the parser is in, each with whether an item was in it.
    let mut open: Vec<(Range<usize>, bool)> = Vec::new();
    for (event, range) in Parser::new_ext(text, MARKDOWN).into_offset_iter() {
        match event {
            Event::Start(Tag::Item) => {
                if let Some((_, has_more)) = open.last_mut() {
                    *has_more = true;
                }
                open.push((range, false));
            }
            Event::End(TagEnd::Item) => {
                found.extend(open.pop().filter(|(_, has_more)| !has_more).map(|(range, _)| range));
            }
            _ => {}
        }
    }
    found.sort_by_key(|item| item.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(text: &str) -> Vec<&str> {
        let library = Library::built_in().unwrap();
        open_questions(text, library.layout("document"))
            .into_iter()
            .map(|item| text[item].trim_end())
            .collect()
    }

    #[test]
    fn only_items_of_lists_of_open_questions_are_closed() {
        let text = "# A\n\n- Who?\n\n## Open questions\n\n- Who pays?\n- When?\n  - Monday\n- No.\n\n### Later\n\n1. Where?\n\n## B\n\n- Why?\n";
        assert_eq!(questions(text), ["- Who pays?", "1. Where?"]);
    }

    #[test]
    fn a_line_is_below_its_question() {
        let text = "## Open Questions\n\n- Who pays?\n- When?\n";
        let items = [(19..31, "- Decided".to_owned()), (31..38, "- Told".to_owned())];
        assert_eq!(
            below::lines_below_items(text, &items),
            "## Open Questions\n\n- Who pays?\n  - Decided\n- When?\n  - Told\n"
        );
    }
}
