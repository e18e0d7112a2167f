//! Entries of a discussion that a layout has a list for: spec-kit's `## Clarifications` › `### Session DATE`, the
//! `## Decisions` and `## Open Questions` of an OpenSpec design.
//!
//! Invariant: an entry is one line, in the pattern of the list that it goes on with; a heading is made where there is
//! none, and everything that was there stays.
//!
//! ```
//! use roundtable::item::layout::List;
//! use roundtable::synthesis::lists::place_entries;
//!
//! let list = List { heading: "Decisions".into(), session: false, form: Default::default(), first: false };
//! let placed = place_entries("# Feature\n\n## Decisions\n\n* Letters are white\n", &list, "2026-02-20", &["At night"]);
//! assert_eq!(placed.unwrap(), "# Feature\n\n## Decisions\n\n* Letters are white\n* At night\n");
//! ```

use std::ops::Range;

use minijinja::{Value, context};
use pulldown_cmark::{Event as Token, Parser, Tag};

use super::outline::{MARKDOWN, Outline, fits, insert};
use super::{Left, Placed, Unplaced, decider, existing, guarded, places, reason};
use crate::discussion::LandingEntries;
use crate::discussion::address::without_vocative;
use crate::discussion::event::{Event, SECRETARY};
use crate::discussion::summary::{Decision, Insight, Question, attribution};
use crate::item::layout::{Form, List, Place};
use crate::item::library::Library;
use crate::item::persona::Persona;
use crate::item::{self, File};
use crate::text::ids::ids;
use crate::text::markdown::{self, Part};
use crate::text::plain;
use crate::text::sentences::sentences;
use crate::text::template::{Failed, safe};

/// The entries that go to one list.
pub struct Section<'l> {
    pub list: &'l List,
    pub entries: Vec<ListEntry>,
}

/// An entry without the mark of its list.
pub struct ListEntry {
    pub text: String,
    /// Its number among everything that the discussion found.
    pub finding: usize,
    kind: &'static str,
}

/// The entries of a discussion that its layout has lists for, by list.
///
/// # Errors
/// A template that cannot be rendered.
pub fn sections<'l>(said: LandingEntries<'_>, library: &'l Library) -> Result<Vec<Section<'l>>, Failed> {
    let layout = library.layout(said.layout);
    let mut found: Vec<Section<'_>> = Vec::new();
    let mut number = 0;
    for (kind, place) in [
        (Kind::Insight, &layout.insights),
        (Kind::Decision, &layout.decisions),
        (Kind::Question, &layout.questions),
        (Kind::Action, &layout.actions),
    ] {
        let list = if let Place::List(list) = place { Some(list) } else { None };
        for at in 0..kind.count(said) {
            if let Some(list) = list {
                let entry = ListEntry {
                    text: kind.text(at, list.form, said, library)?,
                    finding: number,
                    kind: kind.name(),
                };
                match found.iter_mut().find(|section| section.list == list) {
                    Some(section) => section.entries.push(entry),
                    None => found.push(Section { list, entries: vec![entry] }),
                }
            }
            number += 1;
        }
        number += kind.further(said);
    }
    Ok(found)
}

#[derive(Clone, Copy)]
enum Kind {
    Insight,
    Decision,
    Question,
    Action,
}

impl Kind {
    fn count(self, said: LandingEntries<'_>) -> usize {
        let summary = &said.summary;
        match self {
            Kind::Insight => summary.insights.len(),
            Kind::Decision => summary.decisions.len(),
            Kind::Question => summary.landing_questions().len(),
            Kind::Action => summary.action_items.len(),
        }
    }

    /// How many more there are, which go to no document.
    fn further(self, said: LandingEntries<'_>) -> usize {
        match self {
            Kind::Question => said.summary.open_questions.len() - self.count(said),
            _ => 0,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Kind::Insight => "insight",
            Kind::Decision => "decision",
            Kind::Question => "open question",
            Kind::Action => "action item",
        }
    }

    fn text(
        self,
        at: usize,
        form: Form,
        said: LandingEntries<'_>,
        library: &Library,
    ) -> Result<String, Failed> {
        let summary = &said.summary;
        let spoken = |one: &Insight| {
            let text = guarded(&one.text, &library.cast).into_owned();
            let places = places(one, said.voice, true);
            context! { text, by => safe(attribution(&one.by, &library.cast)), places }
        };
        let (name, values) = match self {
            Kind::Insight => ("insight", spoken(&summary.insights[at])),
            Kind::Action => ("action", spoken(&summary.action_items[at])),
            Kind::Question => return asked(&summary.open_questions[at], said, library),
            Kind::Decision => ("clarification", decided(&summary.decisions[at], form, said, library)),
        };
        let text = library.templates.render(&format!("additions/{name}.md"), values)?;
        let text = text.trim();
        Ok(text.strip_prefix("- ").unwrap_or(text).to_owned())
    }
}

/// An open question as an entry of a list, without its mark, and what it depends on. Without a model that is only who
/// asked, which a team's own list does not say.
pub(super) fn asked(
    question: &Question,
    said: LandingEntries<'_>,
    library: &Library,
) -> Result<String, Failed> {
    let context = Some(&question.context).filter(|_| said.voice != SECRETARY);
    let context = context.map(|context| guarded(context, &library.cast));
    let values = context! { text => guarded(&question.text, &library.cast), context };
    let text = library.templates.render("additions/question.md", values)?;
    let text = text.trim();
    Ok(text.strip_prefix("- ").unwrap_or(text).to_owned())
}

fn decided(decision: &Decision, form: Form, said: LandingEntries<'_>, library: &Library) -> Value {
    let put = (form == Form::QuestionAndAnswer).then(|| match decision.text.split_once(" → ") {
        // What somebody only wrote with an arrow is no question.
        Some((question, answer)) if is_question(question) => (Some(question.to_owned()), answer),
        _ => (question_of(decision, said, library), decision.text.as_str()),
    });
    let (question, answer) = put.unwrap_or((None, decision.text.as_str()));
    context! { question, answer, by => decider(decision, said), reason => reason(decision) }
}

fn is_question(text: &str) -> bool {
    text.trim_end().ends_with(['?', '？', '؟'])
}

/// The question that a decision answers: the one that its message quotes, else the last question of a user before it
/// that names one of its ids.
fn question_of(decision: &Decision, said: LandingEntries<'_>, library: &Library) -> Option<String> {
    let turn = decision.turns.last()?;
    let quoted = || {
        let message = said.log.iter().find_map(|record| match &record.event {
            Event::User(message) if message.turn == Some(*turn) => Some(&message.text),
            _ => None,
        })?;
        question_quoted(message)
    };
    quoted().or_else(|| question_with_id(decision, *turn, said, library))
}

/// The question that a message quotes, if it quotes one alone.
fn question_quoted(message: &str) -> Option<String> {
    let quotations = markdown::read(message).into_iter().filter(|line| line.part == Part::Quotation);
    let mut questions = quotations.map(|line| line.text()).filter(|text| is_question(text));
    questions.next().filter(|_| questions.next().is_none())
}

fn question_with_id(
    decision: &Decision,
    turn: u32,
    said: LandingEntries<'_>,
    library: &Library,
) -> Option<String> {
    let named: Vec<&str> = ids(&decision.text).collect();
    let asked = said.log.iter().rev().filter_map(|record| match &record.event {
        Event::User(message) if message.turn.is_some_and(|asked| asked < turn) => Some(&message.text),
        _ => None,
    });
    let mut questions = asked.flat_map(|text| sentences(text)).filter(|one| is_question(one));
    let question = questions.find(|one| ids(one).any(|id| named.contains(&id)))?;
    let names: Vec<&str> = library.cast.iter().map(Persona::first_name).collect();
    Some(plain::one_line(without_vocative(question, &names)))
}

/// Whether a section has paragraphs and no list: a "None." would contradict an entry that is only put below it. A line
/// that ends in a colon leads to the entries.
fn has_only_prose(text: &str, section: &Range<usize>) -> bool {
    let paragraphs = Parser::new_ext(text, MARKDOWN).into_offset_iter().filter(|(token, range)| {
        matches!(token, Token::Start(Tag::Paragraph)) && section.contains(&range.start)
    });
    let last = paragraphs.last().is_some_and(|(_, range)| !text[range].trim_end().ends_with(':'));
    last && items_of(text, section).is_empty()
}

/// Puts the entries into the main document, which is made where it is missing.
///
/// # Errors
/// A template that cannot be rendered, or a document that must not be written.
pub(super) fn add(
    item: &mut item::Item,
    said: LandingEntries<'_>,
    library: &Library,
    left: &mut Vec<Left>,
) -> Result<Vec<Placed>, Unplaced> {
    let mut placed = Vec::new();
    let Some(name) = said.document else { return Ok(placed) };
    for Section { list, entries } in sections(said, library)? {
        let path = item.path_of(name);
        let before = existing(item, name, &path)?;
        let text = before.as_deref().map_or(Some(""), |bytes| std::str::from_utf8(bytes).ok());
        let lines: Vec<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
        let Some((text, after)) =
            text.and_then(|text| Some((text, place_entries(text, list, &said.at.day(), &lines)?)))
        else {
            let reason = format!("\"{}\" has no room for an entry", list.heading);
            left.push(Left { path, reason });
            continue;
        };
        placed.push(Placed {
            path,
            section: list.heading.clone(),
            created: before.is_none(),
            added_lines: after.lines().count() - text.lines().count(),
            description: plain::count(entries.len(), entries[0].kind),
        });
        item.files.insert(name.to_owned(), File::Bytes(after.into_bytes()));
    }
    Ok(placed)
}

/// The heading of a day within a list that has one for each.
pub fn session_heading(date: &str) -> String {
    format!("Session {date}")
}

/// A text with entries in a list; none where no such place leaves everything as it is.
pub fn place_entries(text: &str, list: &List, date: &str, entries: &[&str]) -> Option<String> {
    let outline = Outline::new(text);
    let is_it = |heading: &super::outline::Heading| !heading.added && heading.is_called(&list.heading);
    let session = list.session.then(|| session_heading(date));
    let new = bulleted(entries);
    let Some(section) = outline.headings.iter().position(is_it) else {
        let first = outline.headings.iter().find(|heading| list.first && heading.level > 1);
        let at = first.map_or(text.len(), |heading| heading.start);
        let below = session.map(|session| format!("### {session}\n\n")).unwrap_or_default();
        return inserted(text, at, &format!("## {}\n\n{below}{new}", list.heading));
    };
    let Some(session) = session else {
        let section = own_range(&outline, section);
        if has_only_prose(text, &section) {
            return inserted(text, section.end, &format!("As of {date}:\n\n{new}"));
        }
        return go_on(text, section, entries);
    };
    let end = outline.end(section);
    let below = outline.headings.iter().enumerate().skip(section + 1);
    let mut below = below.take_while(|(_, heading)| heading.start < end);
    match below.find(|(_, heading)| heading.text == session) {
        Some((at, _)) => go_on(text, own_range(&outline, at), entries),
        None => {
            let level = usize::from(outline.headings[section].level) + 1;
            inserted(text, end, &format!("{} {session}\n\n{new}", "#".repeat(level)))
        }
    }
}

/// A text with entries at its end: in the pattern of the list that it ends in, else as a list of their own.
pub(super) fn at_end(text: &str, entries: &[&str]) -> Option<String> {
    go_on(text, 0..text.len(), entries)
}

fn bulleted(entries: &[&str]) -> String {
    entries.iter().map(|entry| format!("- {entry}")).collect::<Vec<_>>().join("\n")
}

fn inserted(text: &str, at: usize, body: &str) -> Option<String> {
    let inserted = insert(text, at, body);
    fits(text, &inserted).then_some(inserted.text)
}

/// A section without its sub-sections.
fn own_range(outline: &Outline, heading: usize) -> Range<usize> {
    outline.headings[heading].start..outline.own_end(heading)
}

/// The text with entries after the last list of a section, if it ends in one; else as a list of its own.
fn go_on(text: &str, section: Range<usize>, entries: &[&str]) -> Option<String> {
    let items = items_of(text, &section);
    let Some(list) = items.last().filter(|item| text[item.end..section.end].trim().is_empty()) else {
        return inserted(text, section.end, &bulleted(entries));
    };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut pattern = list.pattern.clone();
    let gap = if list.is_loose { end } else { "" };
    let mut added = if text[..list.end].ends_with('\n') { String::new() } else { end.to_owned() };
    for entry in entries {
        pattern = pattern.next();
        added.push_str(&format!("{gap}{}{entry}{end}", pattern.mark()));
    }
    Some(format!("{}{added}{}", &text[..list.end], &text[list.end..]))
}

/// Whether this is all that a list puts before the words of an item.
pub fn is_mark(lead: &str) -> bool {
    let bare = lead.trim();
    let number = bare.trim_end_matches(['.', ')']);
    matches!(bare, "-" | "*" | "+")
        || number.len() < bare.len()
            && !number.is_empty()
            && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// How the items of a list begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    indent: String,
    /// The number of the last item, where items have numbers.
    number: Option<u32>,
    sign: char,
    blanks: String,
}

impl Pattern {
    /// The pattern of an item's first line; none of a line that begins no item.
    pub(super) fn of(line: &str) -> Option<Pattern> {
        let bare = line.trim_start_matches([' ', '\t']);
        let indent = line[..line.len() - bare.len()].to_owned();
        let digits = bare.len() - bare.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
        let number = if digits > 0 { Some(bare[..digits].parse().ok()?) } else { None };
        let signs = if digits > 0 { ['.', ')', '.'] } else { ['-', '*', '+'] };
        let sign = bare[digits..].chars().next().filter(|sign| signs.contains(sign))?;
        let rest = &bare[digits + 1..];
        let blanks = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
        let shown = if blanks.contains('\t') { blanks } else { &blanks[..blanks.len().min(4)] };
        (!blanks.is_empty()).then(|| Pattern { indent, number, sign, blanks: shown.to_owned() })
    }

    /// The pattern of the item after this one.
    #[must_use]
    pub(super) fn next(&self) -> Pattern {
        Pattern { number: self.number.map(|number| number.saturating_add(1)), ..self.clone() }
    }

    pub(super) fn mark(&self) -> String {
        let number = self.number.map(|number| number.to_string()).unwrap_or_default();
        format!("{}{number}{}{}", self.indent, self.sign, self.blanks)
    }
}

/// An item of a list that is in no other list.
pub(super) struct Item {
    pub(super) pattern: Pattern,
    pub(super) start: usize,
    /// Where its last line ends.
    pub(super) end: usize,
    /// A blank line is between it and the item above it.
    pub(super) is_loose: bool,
}

impl Item {
    pub(super) const fn number(&self) -> Option<u32> {
        self.pattern.number
    }

    /// What an item inside of it is indented by.
    pub(super) fn indent(&self) -> String {
        content_indent(&self.pattern.mark(), self.pattern.indent.len())
    }

    /// Its first line, without the mark.
    pub(super) fn words<'t>(&self, text: &'t str) -> &'t str {
        let line = text[self.start..].lines().next().unwrap_or_default();
        &line[self.pattern.mark().len().min(line.len())..]
    }
}

/// What is before the words of an item whose mark begins at a place, in blanks; tabs before the mark stay (CommonMark,
/// 5.2). After a mark and more than four columns of blanks, code begins.
pub(super) fn content_indent(text: &str, mark: usize) -> String {
    let start = text[..mark].rfind('\n').map_or(0, |end| end + 1);
    let lead: String = text[start..mark].chars().map(|c| if c == '\t' { c } else { ' ' }).collect();
    let rest = &text[mark..];
    let width = rest.find([' ', '\t', '\r', '\n']).unwrap_or(rest.len());
    let from = columns(0, &lead) + width;
    let blanks = &rest[width..];
    let blanks = &blanks[..blanks.len() - blanks.trim_start_matches([' ', '\t']).len()];
    let gap = columns(from, blanks) - from;
    let gap = if (1..=4).contains(&gap) { gap } else { 1 };
    format!("{lead}{}", " ".repeat(width + gap))
}

/// The column after blanks that begin at one; a tab goes to the next column that is a multiple of four.
fn columns(from: usize, blanks: &str) -> usize {
    blanks.chars().fold(from, |at, blank| if blank == '\t' { at / 4 * 4 + 4 } else { at + 1 })
}

/// The items of the lists in a part of a text.
pub(super) fn items_of(text: &str, section: &Range<usize>) -> Vec<Item> {
    let (mut found, mut depth) = (Vec::<Item>::new(), 0_usize);
    for (token, range) in Parser::new_ext(text, MARKDOWN).into_offset_iter() {
        if range.start < section.start || range.start >= section.end {
            continue;
        }
        match token {
            Token::Start(Tag::Item) if depth == 1 => {
                found.extend(item_at(text, &range, found.last()));
                depth += 1;
            }
            Token::Start(_) => depth += 1,
            Token::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

fn item_at(text: &str, range: &Range<usize>, above: Option<&Item>) -> Option<Item> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let pattern = Pattern::of(text[start..].lines().next()?)?;
    let filled = range.start + text[range.clone()].trim_end().len();
    let end = text[filled..].find('\n').map_or(text.len(), |at| filled + at + 1);
    let is_loose = above.is_some_and(|above| above.end < start && text[above.end..start].trim().is_empty());
    Some(Item { pattern, start, end, is_loose })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, list: &List, date: &str, entry: &str) -> String {
        place_entries(text, list, date, &[entry]).unwrap()
    }

    #[test]
    fn a_session_goes_where_spec_kit_has_it() {
        let list = List {
            heading: "Clarifications".into(),
            session: true,
            form: Form::QuestionAndAnswer,
            first: true,
        };
        let first = place("# F\n\n**Status**: Draft\n\n## User Scenarios\n", &list, "2026-02-20", "a");
        assert_eq!(
            first,
            "# F\n\n**Status**: Draft\n\n## Clarifications\n\n### Session 2026-02-20\n\n- a\n\n## User Scenarios\n"
        );
        let same_day = place(&first, &list, "2026-02-20", "b");
        assert_eq!(same_day, first.replace("- a\n", "- a\n- b\n"));
        let later = place(&first, &list, "2026-02-21", "c");
        assert_eq!(later, first.replace("- a\n\n", "- a\n\n### Session 2026-02-21\n\n- c\n\n"));
    }

    #[test]
    fn a_decision_answers_the_one_question_that_its_message_quotes() {
        let quoted = |message| question_quoted(message);
        assert_eq!(quoted("> Who signs?\n\nDecision: Ada.").as_deref(), Some("Who signs?"));
        for message in
            ["> Who signs?\n> When?\n\nDecision: Ada.", "Who signs? Decision: Ada.", "> It rains.\n\nNo."]
        {
            assert_eq!(quoted(message), None, "{message}");
        }
    }

    #[test]
    fn a_list_goes_on_in_its_own_pattern() {
        let list = List { heading: "Decisions".into(), session: false, form: Form::Sentence, first: false };
        for (text, wanted) in [
            ("## Decisions\n\n* a\n* b\n\n## C\n", "## Decisions\n\n* a\n* b\n* NEW\n\n## C\n"),
            ("## Decisions\n\n1. a\n2. b\n", "## Decisions\n\n1. a\n2. b\n3. NEW\n"),
            ("## Decisions\n\n- a\n\n- b\n\n## C\n", "## Decisions\n\n- a\n\n- b\n\n- NEW\n\n## C\n"),
            (
                "## Decisions\n\n- a\n\n<!-- Elaboration: step 01-03, x -->\n## Block\n\n- b\n",
                "## Decisions\n\n- a\n- NEW\n\n<!-- Elaboration: step 01-03, x -->\n## Block\n\n- b\n",
            ),
            ("## Decisions\n\n- a\n  - b", "## Decisions\n\n- a\n  - b\n- NEW\n"),
            (
                "## Decisions\n\nNone.\n\n### One\n\nx\n",
                "## Decisions\n\nNone.\n\nAs of 2026-02-20:\n\n- NEW\n\n### One\n\nx\n",
            ),
            ("## Decisions\n\nSo far:\n", "## Decisions\n\nSo far:\n\n- NEW\n"),
            ("## Decisions\n\n<!-- a list -->\n", "## Decisions\n\n<!-- a list -->\n\n- NEW\n"),
            ("## Decisions\n\n- a\n\nText.\n", "## Decisions\n\n- a\n\nText.\n\n- NEW\n"),
            ("# D\n", "# D\n\n## Decisions\n\n- NEW\n"),
            ("", "## Decisions\n\n- NEW\n"),
            ("## Decisions\r\n\r\n- a\r\n", "## Decisions\r\n\r\n- a\r\n- NEW\r\n"),
        ] {
            assert_eq!(place(text, &list, "2026-02-20", "NEW"), wanted, "{text}");
        }
    }
}
