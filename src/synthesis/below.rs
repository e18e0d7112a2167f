//! The line that a decision leaves below the id it names: `- Decided 2026-02-20 (Sam): FR-002 names …`.
//!
//! Invariant: one line for each id, in the main document or an output of the step where that defines it, else in the
//! first document that does, directly after the id's own block, and none where that place would change what is there.
//! An id in a table row, in a quotation or in what an earlier discussion added is not a definition.
//!
//! ```
//! use roundtable::synthesis::below::place_below;
//!
//! let text = "- **FR-1**: one letter\n- **FR-2**: a fee\n";
//! let placed = place_below(text, "FR-1", "- Decided 2026-02-20 (Sam): FR-1 is by post.", &[]).unwrap();
//! assert_eq!(placed, "- **FR-1**: one letter\n  - Decided 2026-02-20 (Sam): FR-1 is by post.\n- **FR-2**: a fee\n");
//! ```

use std::ops::Range;

use minijinja::context;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::outline::{MARKDOWN, Outline};
use super::typed::cells;
use super::{Left, Outcome, Placed, lists};
use crate::additive::verify;
use crate::discussion::LandingEntries;
use crate::discussion::consent::{consent, seen_before};
use crate::discussion::event;
use crate::discussion::summary::{Decision, Proposed};
use crate::item::layout::{Layout, Numbers, Place};
use crate::item::library::Library;
use crate::item::{Change, File, Item};
use crate::text::ids::{id_of_entry, leading_id, mentioned_ids, record_numbers};
use crate::text::markdown;
use crate::text::path::is_markdown;
use crate::text::plain::line_end;
use crate::text::template::{Failed, safe};

/// A line of a decision, and the ids it goes below.
pub struct DecisionLine {
    pub text: String,
    pub ids: Vec<String>,
    /// The number of its decision.
    pub decision: usize,
}

/// The lines of a discussion's decisions, each with the ids that it names.
///
/// # Errors
/// A template that cannot be rendered.
pub fn lines(said: LandingEntries<'_>, library: &Library) -> Result<Vec<DecisionLine>, Failed> {
    let layout = library.layout(said.layout);
    let mut found = Vec::new();
    for (number, decision) in said.summary.decisions.iter().enumerate() {
        let mut named: Vec<String> = Vec::new();
        for id in mentioned_ids(&decision.text).chain(numbers_in(&decision.text, layout.numbers.as_ref())) {
            if !named.iter().any(|known| known == id) {
                named.push(id.to_owned());
            }
        }
        found.push(DecisionLine { text: line(decision, said, library)?, ids: named, decision: number });
    }
    Ok(found)
}

/// The numbers such as `2.3` that a text names as ids: at its beginning, after the name of their section or list, or after
/// another one of them; `2` after the name of the section is the section itself.
fn numbers_in<'t>(text: &'t str, numbers: Option<&Numbers>) -> Vec<&'t str> {
    let Some(numbers) = numbers else { return Vec::new() };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let list = numbers.list.rsplit(' ').next().unwrap_or_default();
    let mut found = Vec::new();
    let (mut is_section, mut is_next) = (false, true);
    for word in text.split_whitespace() {
        let bare = word.trim_start_matches('(').trim_end_matches([',', ':', ';', '.', ')']);
        let is_number = match bare.split_once('.') {
            Some((section, item)) => digits(section) && digits(item),
            None => is_section && digits(bare),
        };
        if is_number && is_next {
            found.push(bare);
            continue;
        }
        let joins = matches!(word, "and" | "or" | "to" | "&") && !found.is_empty();
        is_section = is_called(bare, &numbers.section) || joins && is_section;
        is_next = is_section || is_called(bare, list) || joins && is_next;
    }
    found
}

/// Whether a word is a name, in one number or several: "criterion" and "Criteria".
fn is_called(word: &str, name: &str) -> bool {
    const ENDING: usize = 2;
    let stem = name.get(..name.len().saturating_sub(ENDING)).unwrap_or(name);
    let begins = word.get(..stem.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(stem));
    begins && word.len() <= name.len() + ENDING
}

/// The place below the item that a number names, or after the list of the section that it names.
fn numbered_item(text: &str, id: &str, numbers: &Numbers) -> Option<LineSpot> {
    let (section, item) = id.split_once('.').map_or((id, None), |(section, item)| (section, Some(item)));
    let outline = Outline::new(text);
    let name = format!("{} {section}", numbers.section);
    let is_section = |text: &str| {
        text.strip_prefix(&name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let at = outline.headings.iter().position(|heading| !heading.added && is_section(&heading.text))?;
    let end = outline.end(at);
    let mut below = outline.headings.iter().enumerate().skip(at + 1);
    let (list, _) = below.find(|(_, one)| one.start < end && one.is_called(&numbers.list))?;
    let items = lists::items_of(text, &(outline.headings[list].start..outline.end(list)));
    let Some(item) = item else {
        let (first, last) = (items.first()?, items.last()?);
        let block = first.start..outline.end(list).max(last.end);
        return Some(LineSpot { at: last.end, indent: String::new(), is_apart: true, block });
    };
    let found = items
        .into_iter()
        .find(|one| one.number().map(|number| number.to_string()).as_deref() == Some(item))?;
    let indent = found.indent();
    Some(LineSpot { at: found.end, indent, is_apart: false, block: found.start..found.end })
}

/// The line of a decision: `- Decided 2026-02-20 (Sam): …`.
///
/// # Errors
/// A template that cannot be rendered.
pub fn line(decision: &Decision, said: LandingEntries<'_>, library: &Library) -> Result<String, Failed> {
    let values = context! {
        date => safe(said.at.day()),
        by => super::decider(decision, said),
        text => decision.text.as_str(),
        reason => super::reason(decision),
    };
    let text = library.templates.render("additions/decided.md", values)?;
    Ok(text.trim().to_owned())
}

/// Puts the lines into the documents; the item as it is with them.
///
/// # Errors
/// A template that cannot be rendered.
pub(super) fn add(
    item: &Item,
    said: LandingEntries<'_>,
    library: &Library,
    left: &mut Vec<Left>,
) -> Result<(Item, Vec<Placed>), Failed> {
    let first: Vec<&str> = said.document.into_iter().chain(said.outputs.iter().map(String::as_str)).collect();
    let (mut now, mut placed) = (item.clone(), Vec::new());
    let layout = library.layout(said.layout);
    let logs = logs(layout);
    // The title of the only document names all of it: what is decided about it is in the block.
    let mut documents = item.documents().filter(|(name, _)| is_markdown(name)).map(|(_, text)| text);
    let title = documents.next().filter(|_| documents.next().is_none()).and_then(title);
    let is_title = |id: &str| title.as_deref().is_some_and(|title| begins_with(title, id));
    // A decision about a record is at the end of that record.
    let is_record = |id: &str| layout.decisions == Place::Record && !record_numbers(id).is_empty();
    let definition = |text: &str, id: &str| {
        let numbered = || numbered_item(text, id, layout.numbers.as_ref()?);
        match id.bytes().all(|byte| byte.is_ascii_digit()) {
            true => numbered(),
            false => definition(text, id, &logs).or_else(numbered),
        }
    };
    for line in lines(said, library)? {
        for id in line.ids.iter().filter(|id| !is_record(id) && !is_title(id)) {
            let found = put((item, &first), &mut now, id, &line.text, "1 decision", &definition);
            if found.is_none() {
                left.extend(without_line(item, id, &definition));
            }
            placed.extend(found);
        }
    }
    let proposed = |text: &str, id: &str| {
        let numbered = || numbered_item(text, id, layout.numbers.as_ref()?);
        let numbered = || numbered().filter(|place| text[place.block.clone()].contains(PROPOSED));
        proposal(text, id, &logs).or_else(numbered)
    };
    let open = |text: &str, id: &str| proposed(text, id).filter(|place| !is_accepted(text, place));
    for (id, line) in acceptances(said, library)? {
        let found = put((item, &first), &mut now, &id, &line, "1 acceptance", &open);
        if found.is_none() {
            let has_it = |(_, text): (&str, &str)| proposed(text, &id).is_some();
            let why = if item.documents().any(has_it) {
                format!("the proposal {id} is accepted already")
            } else if let Some(within) = item.documents().find_map(|(_, text)| defined_within(text, &id)) {
                format!("{within} has {id}, and no line goes below that")
            } else {
                format!("no document of it has a proposal {id}")
            };
            let reason = format!("{why}, so \"{ACCEPTED} {id}\" adds nothing");
            left.push(Left { path: item.path.clone(), reason });
        }
        placed.extend(found);
    }
    Ok((now, placed))
}

/// Why a decision leaves no line below an id that only a table, a quotation or HTML defines.
fn without_line(item: &Item, id: &str, find: &dyn Fn(&str, &str) -> Option<LineSpot>) -> Option<Left> {
    let documents = || item.documents().filter(|(name, _)| is_markdown(name));
    if documents().any(|(_, text)| find(text, id).is_some()) {
        return None;
    }
    let (name, within) = documents().find_map(|(name, text)| Some((name, defined_within(text, id)?)))?;
    let reason = format!("{within} defines {id}, so the decision has no line below it");
    Some(Left { path: item.path_of(name), reason })
}

/// The block that takes no lines and has a line which begins with an id.
fn defined_within(text: &str, id: &str) -> Option<&'static str> {
    if !text.contains(id) {
        return None;
    }
    let defines = |range: Range<usize>| {
        text[range].lines().any(|line| begins_with(line.trim_start_matches(['>', '|', ' ']), id))
    };
    Parser::new_ext(text, MARKDOWN).into_offset_iter().find_map(|(event, range)| {
        let name = match event {
            Event::Start(Tag::Table(_)) => "a row of a table",
            Event::Start(Tag::BlockQuote(_)) => "a quotation",
            Event::Start(Tag::HtmlBlock) => "a block of HTML",
            _ => return None,
        };
        defines(range).then_some(name)
    })
}

/// The headings of a layout's lists: what is below them says what was decided, and defines no id.
fn logs<'l>(layout: &'l Layout) -> Vec<&'l str> {
    let places = [&layout.decisions, &layout.questions, &layout.actions, &layout.insights];
    let heading = |place: &'l Place| match place {
        Place::List(list) => Some(list.heading.as_str()),
        _ => None,
    };
    places.into_iter().filter_map(heading).collect()
}

/// The first heading of a text, where it is the only one of its level and none is above it.
fn title(text: &str) -> Option<String> {
    let outline = Outline::new(text);
    let (first, rest) = outline.headings.split_first()?;
    rest.iter().all(|other| other.level > first.level).then(|| first.text.clone())
}

/// Puts a line below an id, in the first of these documents that has a place for it, else in the first one at all.
fn put(
    (item, first): (&Item, &[&str]),
    now: &mut Item,
    id: &str,
    line: &str,
    description: &str,
    find: &dyn Fn(&str, &str) -> Option<LineSpot>,
) -> Option<Placed> {
    let has_place = |(name, text): &(&str, &str)| is_markdown(name) && find(text, id).is_some();
    let named = |wanted: &&str| item.documents().find(|(name, _)| name == wanted);
    let mut of_first = first.iter().filter_map(named);
    let (name, before) = of_first.find(has_place).or_else(|| item.documents().find(has_place))?;
    let Some(File::Bytes(bytes)) = now.files.get(name) else { return None };
    let text = String::from_utf8_lossy(bytes).into_owned();
    let spot = find(&text, id)?;
    let after = place_at(&text, &spot, line)?;
    let path = item.path_of(name);
    let change = Change {
        path: path.clone(),
        before: Some(before.as_bytes().to_vec()),
        after: after.clone().into_bytes(),
    };
    verify(vec![change]).ok()?;
    let placed = Placed {
        path,
        section: section_at(&text, spot.block.start),
        created: false,
        added_lines: after.lines().count() - text.lines().count(),
        description: format!("{description} below {id}"),
    };
    now.files.insert(name.to_owned(), File::Bytes(after.into_bytes()));
    Some(placed)
}

/// The heading that a place is under, or that begins there; empty where there is none.
fn section_at(text: &str, place: usize) -> String {
    let outline = Outline::new(text);
    let above = outline.headings.iter().rev().find(|heading| heading.start <= place);
    above.map_or_else(String::new, |heading| heading.text.clone())
}

/// What an entry says that a persona proposed and nobody has accepted.
const PROPOSED: &str = "(proposed by ";

/// Lines that are looked at for proposals in a document at most.
const MAX_PROPOSED: usize = 20;

/// What personas proposed in a document and nobody has accepted: each id with the words after it.
pub fn open_proposals(text: &str, layout: &Layout) -> Vec<(String, String)> {
    let logs = logs(layout);
    let named = |line: &str| {
        let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let id = &bare[leading_id(bare)?];
        let words = bare[id.len()..].trim_start_matches(['*', '_', '`', ']', ':', ' ']);
        let place = proposal(text, id, &logs)?;
        (!is_accepted(text, &place)).then(|| (id.to_owned(), words.trim().to_owned()))
    };
    let lines = text.lines().filter(|line| line.contains(PROPOSED)).take(MAX_PROPOSED);
    lines.filter_map(named).collect()
}

/// Whether a line below a proposal says that somebody accepted it.
fn is_accepted(text: &str, proposal: &LineSpot) -> bool {
    text[proposal.block.clone()].lines().any(|line| line.trim().starts_with("- Accepted "))
}

/// The label by which a user accepts what was proposed before: `Accepted: FR-004`.
const ACCEPTED: &str = "Accepted:";

/// The ids that users accepted, each with the line that says so.
fn acceptances(said: LandingEntries<'_>, library: &Library) -> Result<Vec<(String, String)>, Failed> {
    let mut found: Vec<(String, String)> = Vec::new();
    for record in said.log {
        let event::Event::User(message) = &record.event else { continue };
        // In a script that was known from the start only the label accepts.
        let has_seen = message.turn.and_then(|turn| seen_before(turn, said.log)).is_some();
        let consent = consent(&message.text, library.forms()).flatten().filter(|_| has_seen);
        let by_model = said.summary.accepted.iter().filter(|one| Some(one.turn) == message.turn);
        let by_model = by_model.filter_map(|one| match &one.of {
            Proposed::Id(id) => Some(id.clone()),
            Proposed::Turn(_) => None,
        });
        let numbers = library.layout(said.layout).numbers.as_ref();
        for id in labelled_accepted(&message.text, numbers).into_iter().chain(consent).chain(by_model) {
            let values = context! { date => safe(said.at.day()), by => message.by.as_str() };
            let line = library.templates.render("additions/accepted.md", values)?.trim().to_owned();
            if !found.iter().any(|(known, _)| *known == id) {
                found.push((id, line));
            }
        }
    }
    Ok(found)
}

/// The ids that a message accepts by the label: below it, or behind it in one sentence of nothing but ids. A condition,
/// an exception or a question accepts nothing.
fn labelled_accepted(message: &str, numbers: Option<&Numbers>) -> Vec<String> {
    let lines = markdown::read(message);
    let labelled = |text: &str| {
        let (label, rest) = text.trim().split_at_checked(ACCEPTED.len())?;
        label.eq_ignore_ascii_case(ACCEPTED).then(|| rest.trim().to_owned())
    };
    let is_label = |line: &markdown::VisibleLine| {
        line.text().trim().trim_end_matches(':').eq_ignore_ascii_case(ACCEPTED.trim_end_matches(':'))
    };
    let mut found = Vec::new();
    for line in lines.iter().filter(|line| line.is_said()) {
        if line.lead.is_some_and(|lead| is_label(&lines[lead])) {
            found.extend(only_ids(&line.text(), numbers));
        }
        let labelled = line.sentences.iter().filter_map(|sentence| labelled(&sentence.text));
        found.extend(labelled.flat_map(|rest| only_ids(&rest, numbers)));
    }
    found
}

/// The ids of a text that is a list of ids, or of numbers such as `2.3` where these are ids; else none.
fn only_ids(text: &str, numbers: Option<&Numbers>) -> Vec<String> {
    let words =
        text.trim_end_matches('.').split([',', ';', ' ']).filter(|word| !matches!(*word, "" | "and" | "&"));
    let ids: Option<Vec<&str>> = words
        .map(|word| word.trim_matches('`'))
        .map(|word| {
            let is_number = numbers.is_some() && numbers_in(word, numbers) == [word];
            mentioned_ids(word).next().filter(|id| *id == word).or(is_number.then_some(word))
        })
        .collect();
    ids.unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// Whether a user of a discussion accepted an entry that documents mark as proposed.
///
/// # Errors
/// A template that cannot be rendered.
pub fn accepts_entries(said: LandingEntries<'_>, library: &Library) -> Result<bool, Failed> {
    Ok(!acceptances(said, library)?.is_empty())
}

/// Changes that the outcome has, or has not yet, for the files that took lines: each from what was there first.
pub(super) fn settle(item: &Item, with_lines: &Item, outcome: &mut Outcome) {
    for (name, file) in &with_lines.files {
        let File::Bytes(after) = file else { continue };
        let before = match item.files.get(name) {
            Some(File::Bytes(before)) => Some(before.clone()),
            _ => None,
        };
        if before.as_ref() == Some(after) {
            continue;
        }
        let path = item.path_of(name);
        match outcome.changes.iter_mut().find(|change| change.path == path) {
            Some(change) => change.before = before,
            None => outcome.changes.push(Change { path, before, after: after.clone() }),
        }
    }
}

/// The text with a line directly below the block of an id; none where nothing defines it, where the line is there, or
/// where no line can be added without a change to what is there. Nothing below the headings of `logs` defines one.
pub fn place_below(text: &str, id: &str, line: &str, logs: &[&str]) -> Option<String> {
    place_at(text, &definition(text, id, logs)?, line)
}

/// The text with a line below each of these items of lists, which are in order and have no items below them.
pub(super) fn lines_below_items(text: &str, lines: &[(Range<usize>, String)]) -> String {
    let end = line_end(text);
    let (mut after, mut copied) = (String::with_capacity(text.len()), 0);
    for (item, line) in lines {
        let spot = below_item(text, item);
        after.push_str(&text[copied..spot.at]);
        let gap = if after.ends_with('\n') { "" } else { end };
        after.push_str(&format!("{gap}{}{line}{end}", spot.indent));
        copied = spot.at;
    }
    after.push_str(&text[copied..]);
    after
}

fn place_at(text: &str, place: &LineSpot, line: &str) -> Option<String> {
    if text[place.block.clone()].lines().any(|known| known.trim() == line) {
        return None;
    }
    let end = line_end(text);
    let (above, below) = text.split_at(place.at);
    let gap = if above.ends_with('\n') { "" } else { end };
    let entry = format!("{}{line}{end}", place.indent);
    let before = if place.is_apart { end } else { "" };
    let after = if place.is_apart && !below.is_empty() && !below.starts_with(end) { end } else { "" };
    Some(format!("{above}{gap}{before}{entry}{after}{below}"))
}

/// Where a line below an id goes.
#[derive(Debug, PartialEq, Eq)]
struct LineSpot {
    at: usize,
    /// The id's block, and what was added below it.
    block: Range<usize>,
    indent: String,
    /// A blank line is between it and what is above it.
    is_apart: bool,
}

/// A block that may define an id.
struct Block {
    kind: BlockKind,
    range: Range<usize>,
    /// It is inside a list item, whose place it takes.
    is_inside: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Heading,
    Item,
    Paragraph,
    List,
    Other,
}

/// The place below the block of an id, if a heading, an item of a list or a paragraph begins with it.
fn definition(text: &str, id: &str, logs: &[&str]) -> Option<LineSpot> {
    find_block(text, id, false, logs)
}

/// Where a document gives an id its meaning: in a heading, an item of a list or a paragraph that begins with it, else in
/// a row of a table.
pub(super) fn place_of(text: &str, id: &str, layout: &Layout) -> Option<usize> {
    let is_row = |range: &Range<usize>| cells(&text[range.clone()]).iter().any(|cell| cell == id);
    let row = || {
        let rows = Parser::new_ext(text, MARKDOWN).into_offset_iter();
        let mut rows = rows.filter(|(event, _)| matches!(event, Event::Start(Tag::TableRow)));
        rows.find(|(_, range)| is_row(range)).map(|(_, range)| range.start)
    };
    definition(text, id, &logs(layout)).map(|spot| spot.block.start).or_else(row)
}

/// The same of what a persona proposed in an earlier discussion.
fn proposal(text: &str, id: &str, logs: &[&str]) -> Option<LineSpot> {
    find_block(text, id, true, logs).filter(|place| text[place.block.clone()].contains(PROPOSED))
}

/// `with_ours`: what a discussion added counts too.
fn find_block(text: &str, id: &str, with_ours: bool, logs: &[&str]) -> Option<LineSpot> {
    if !text.contains(id) && user_story(id).is_none() {
        return None;
    }
    let blocks = blocks(text);
    let outline = Outline::new(text);
    let ours = outline.added(&outline.markers);
    let is_ours = |at: usize| ours.iter().any(|range| range.contains(&at));
    let is_log = |at: usize| {
        let above = outline.headings.iter().rposition(|heading| heading.start <= at);
        let mut next = above;
        while let Some(heading) = next {
            if logs.iter().any(|log| outline.headings[heading].is_called(log)) {
                return true;
            }
            next = outline.parent(heading);
        }
        false
    };
    let at = blocks.iter().position(|block| {
        let can_define = matches!(block.kind, BlockKind::Heading | BlockKind::Item | BlockKind::Paragraph);
        can_define
            && !(block.kind == BlockKind::Paragraph && block.is_inside)
            && begins_with(&text[block.range.clone()], id)
            && (with_ours || !is_ours(block.range.start))
            && !is_log(block.range.start)
    })?;
    Some(match blocks[at].kind {
        BlockKind::Item => below_item(text, &blocks[at].range),
        _ => below_block(text, &blocks, at),
    })
}

/// The blocks of a text in order, those in quotations and tables left out.
fn blocks(text: &str) -> Vec<Block> {
    let skipped = text.len() - text.trim_start_matches('\u{feff}').len();
    let (mut found, mut quoted) = (Vec::new(), 0_usize);
    for (event, range) in Parser::new_ext(&text[skipped..], MARKDOWN).into_offset_iter() {
        let range = range.start + skipped..range.end + skipped;
        let kind = match event {
            Event::Start(Tag::BlockQuote(_) | Tag::Table(_)) => {
                found.extend((quoted == 0).then_some((BlockKind::Other, range.clone())));
                quoted += 1;
                None
            }
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Table) => {
                quoted -= 1;
                None
            }
            Event::Start(Tag::Heading { .. }) => Some(BlockKind::Heading),
            Event::Start(Tag::Item) => Some(BlockKind::Item),
            Event::Start(Tag::Paragraph) => Some(BlockKind::Paragraph),
            Event::Start(Tag::List(_)) => Some(BlockKind::List),
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::Rule => Some(BlockKind::Other),
            _ => None,
        };
        let Some(kind) = kind.filter(|_| quoted == 0) else { continue };
        found.push((kind, range));
    }
    let mut open: Vec<Range<usize>> = Vec::new();
    let block = |(kind, range): (BlockKind, Range<usize>)| {
        open.retain(|item| range.start < item.end);
        let is_inside = !open.is_empty();
        if kind == BlockKind::Item {
            open.push(range.clone());
        }
        Block { kind, range, is_inside }
    };
    found.into_iter().map(block).collect()
}

/// Whether a block's words begin with an id: after the marks of a heading, an item, a box, bold and code. A link to a
/// heading of the same page, as in a table of contents, defines nothing.
fn begins_with(block: &str, id: &str) -> bool {
    let first = block.trim_start().lines().next().unwrap_or_default();
    let words = first.trim_start_matches(|sign: char| !sign.is_alphanumeric() && sign != '[');
    let is_link = words.strip_prefix('[').is_some_and(|linked| linked.contains("](#"));
    let is_story = |story: String| {
        let rest = words.strip_prefix(&story);
        rest.is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric() || "-_".contains(sign)))
    };
    let is_entry = || !first.starts_with('|') && id_of_entry(first) == Some(id);
    !is_link && (is_entry() || user_story(id).is_some_and(is_story))
}

/// What spec-kit writes in full: `US1` is "User Story 1".
fn user_story(id: &str) -> Option<String> {
    let number = id.strip_prefix("US")?;
    number.bytes().all(|digit| digit.is_ascii_digit()).then(|| format!("User Story {number}"))
}

/// A child of an item: after all that the item has.
fn below_item(text: &str, item: &Range<usize>) -> LineSpot {
    let whole = &text[item.clone()];
    let at = item.start + whole.trim_end().len();
    let at = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    // The range of an item may begin with the blanks and the end of the line before it.
    let start = item.start + (whole.len() - whole.trim_start().len());
    LineSpot { at, indent: lists::content_indent(text, start), is_apart: false, block: item.start..at }
}

/// After a paragraph and its list, or after what is below a heading up to the next one.
fn below_block(text: &str, blocks: &[Block], at: usize) -> LineSpot {
    let below = blocks[at + 1..].iter().filter(|block| !block.is_inside);
    let mut last = &blocks[at];
    // "These columns:" goes on in what is below it.
    let announces = text[blocks[at].range.clone()].trim_end().trim_end_matches('*').ends_with(':');
    for block in below {
        let continues = match blocks[at].kind {
            BlockKind::Heading => block.kind != BlockKind::Heading,
            _ => {
                let is_part = block.kind == BlockKind::List || announces && block.kind == BlockKind::Other;
                is_part && last.kind == BlockKind::Paragraph
            }
        };
        if block.kind == BlockKind::Item {
            continue;
        }
        if !continues {
            break;
        }
        last = block;
    }
    let end = last.range.start + text[last.range.clone()].trim_end().len();
    let end = text[end..].find('\n').map_or(text.len(), |next| end + next + 1);
    let is_list = last.kind == BlockKind::List && text[last.range.clone()].trim_start().starts_with("- ");
    LineSpot { at: end, indent: String::new(), is_apart: !is_list, block: blocks[at].range.start..end }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "- Decided 2026-02-20 (Sam): x.";

    #[test]
    fn a_line_goes_directly_after_the_block_that_defines_the_id() {
        for (text, wanted) in [
            ("- **A-1**: a\n- A-2: b\n", "- **A-1**: a\n  - LINE\n- A-2: b\n"),
            ("1. A-1: a\n   more\n2. A-2\n", "1. A-1: a\n   more\n   - LINE\n2. A-2\n"),
            ("- [ ] A-1 a\n  - child\n\n- A-2\n", "- [ ] A-1 a\n  - child\n  - LINE\n\n- A-2\n"),
            ("## A-1: a\n\ntext\n\n### sub\n", "## A-1: a\n\ntext\n\n- LINE\n\n### sub\n"),
            ("### 3.2 A-1 a\n\ntext\n", "### 3.2 A-1 a\n\ntext\n\n- LINE\n"),
            ("## A-1: a\n\n- one\n\n## B\n", "## A-1: a\n\n- one\n- LINE\n\n## B\n"),
            ("**A-1**: a\nb\n\nc\n", "**A-1**: a\nb\n\n- LINE\n\nc\n"),
            (
                "**A-1**: these:\n\n| a |\n| - |\n| b |\n\nc\n",
                "**A-1**: these:\n\n| a |\n| - |\n| b |\n\n- LINE\n\nc\n",
            ),
            ("- A-1: a", "- A-1: a\n  - LINE\n"),
            (" - A-1: a\n - b\n", " - A-1: a\n   - LINE\n - b\n"),
            ("  * A-1: a\n  * b\n", "  * A-1: a\n    - LINE\n  * b\n"),
            ("   + A-1: a\n   + b\n", "   + A-1: a\n     - LINE\n   + b\n"),
            (" 1) A-1: a\n 2) b\n", " 1) A-1: a\n    - LINE\n 2) b\n"),
            ("*\tA-1: a\n*\tb\n", "*\tA-1: a\n    - LINE\n*\tb\n"),
            ("10.\tA-1: a\n11.\tb\n", "10.\tA-1: a\n    - LINE\n11.\tb\n"),
            ("- x\n\t- A-1: a\n", "- x\n\t- A-1: a\n\t  - LINE\n"),
            ("- A-1: a\r\n- A-2\r\n", "- A-1: a\r\n  - LINE\r\n- A-2\r\n"),
        ] {
            let wanted = wanted.replace("- LINE", LINE);
            assert_eq!(
                place_below(text, "A-1", LINE, &["Clarifications"]).as_deref(),
                Some(wanted.as_str()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_defines_an_id_and_takes_no_line_is_told() {
        for (text, wanted) in [
            ("| Id | Rule |\n| --- | --- |\n| A-1 | b |\n", Some("a row of a table")),
            ("> - A-1: a\n", Some("a quotation")),
            ("<details>\n<p>\nA-1: a\n</details>\n", Some("a block of HTML")),
            ("> See A-1.\n", None),
            ("A-1: a\n", None),
            ("| Id |\n| --- |\n| A-10 |\n", None),
        ] {
            assert_eq!(defined_within(text, "A-1"), wanted, "{text}");
        }
    }

    #[test]
    fn numbers_are_ids_where_their_section_says_so() {
        let layout = Library::built_in().unwrap().layout("kiro").clone();
        for (text, wanted) in [
            ("1.1 and 1.2 are merged", &["1.1", "1.2"][..]),
            ("criterion 2.1 waits 1.5 days", &["2.1"]),
            ("Requirements 1.1, 1.3 and 2.2 stay", &["1.1", "1.3", "2.2"]),
            ("Requirement 2 stays, and 2.5 euros are paid", &["2"]),
            ("requirement 2 and 3 stay", &["2", "3"]),
            ("the fee is 2.1 euros", &[]),
            ("2 letters are sent", &[]),
        ] {
            assert_eq!(numbers_in(text, layout.numbers.as_ref()), wanted, "{text}");
        }
    }

    #[test]
    fn an_id_is_found_in_all_its_forms() {
        for (text, id) in [
            ("- **FR-002**: a\n- **FR-002a**: b\n", "FR-002a"),
            ("- [ ] T041 a\n- [ ] T042 [P] [US1] b\n", "T042"),
            ("- A4: a\n- A4/1: b\n", "A4/1"),
            ("- A4/1: a\n- A4: b\n", "A4"),
            ("- US2: a\n- US1: b\n", "US1"),
            ("### User Story 10 - a\n\n### User Story 1 - b\n", "US1"),
        ] {
            let placed = place_below(text, id, LINE, &[]);
            let below = placed.and_then(|placed| placed.lines().last().map(|last| last.trim().to_owned()));
            assert_eq!(below.as_deref(), Some(LINE), "{text}");
        }
    }

    #[test]
    fn what_only_mentions_an_id_defines_nothing() {
        for text in [
            "See A-1.\n",
            "| A-1 | a |\n| --- | --- |\n| A-1 | b |\n",
            "> A-1: a\n",
            "- A-10: a\n- A-1-b\n",
            "```\nA-1: a\n```\n",
            "<!-- Elaboration: step 01-03, 2026-02-20T14:30:00.000Z -->\n### E\n\n- A-1: a\n",
            "- [A-1: a](#a-1-a)\n",
            "- A-1: a\n  - Decided 2026-02-20 (Sam): x.\n",
        ] {
            assert_eq!(place_below(text, "A-1", LINE, &["Clarifications"]), None, "{text}");
        }
    }
}
