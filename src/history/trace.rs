//! Where discussions have written in a file: the way back from a line to the discussion, and from
//! there to the turns it rests on (discussion NFR-003).
//!
//! A trace is found by what is in the file alone. Whether a line in it really is the
//! discussion's is told by rendering the discussion's addition again: people may write between its
//! lines, and what they wrote is theirs.
//!
//! ```
//! use roundtable::history::trace::traces;
//!
//! let text = "# Fees\n\n<!-- Elaboration: step 01-03, 2026-02-20T14:30:00.000Z -->\n### Insights\n";
//! let found = traces("spec.md", text);
//! assert_eq!((found[0].step_id.as_str(), found[0].line), ("01-03", 3));
//! ```

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use serde_json::Value;

use crate::discussion::additions::{Addition, Kind as ProposalKind};
use crate::discussion::event::Rest;
use crate::discussion::summary::{Insight, Question, Summary, USER};
use crate::discussion::{Finished, closing};
use crate::item::MARKERS;
use crate::item::layout::{Layout, Place};
use crate::item::library::Library;
use crate::synthesis::typed::{in_data, in_markdown as in_lines};
use crate::synthesis::{self, below, data, known, lists, numbered, outline, records, typed};
use crate::text::json::{Document, Kind, Node};
use crate::text::path::suffix;
use crate::text::plain;
use crate::text::template::Failed;
use crate::text::time::Time;

/// What one discussion added to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub step_id: String,
    pub at: Time,
    /// Its first line, from one: the marker, the entry, the row.
    pub line: usize,
    /// The last line it may reach to.
    pub end: usize,
}

/// One finding of a discussion, in the order they are written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: &'static str,
    pub text: String,
    /// Persona keys and [`USER`]; nobody where the synthesis names nobody.
    pub by: Vec<String>,
    pub turns: Vec<u32>,
    /// The passages that it rests on.
    pub rests: Vec<Rest>,
}

/// Everything that a discussion found: insights, decisions, open questions, action items, proposed additions.
pub fn findings(summary: &Summary) -> Vec<Finding> {
    let one = |kind, text: &str, by: &[String], turns: &[u32]| Finding {
        kind,
        text: text.to_owned(),
        by: by.to_vec(),
        turns: turns.to_vec(),
        rests: Vec::new(),
    };
    let insight =
        |x: &Insight| Finding { rests: x.rests.clone(), ..one("insight", &x.text, &x.by, &x.turns) };
    let insights = summary.insights.iter().map(insight);
    let decisions = summary.decisions.iter().map(|x| one("decision", &x.text, &[], &x.turns));
    let questions = summary.open_questions.iter().map(|x| one("open question", &x.text, &[], &x.turns));
    let actions = summary.action_items.iter().map(|x| one("action item", &x.text, &x.by, &x.turns));
    let proposed = summary.additions.iter().map(|x| one("proposed addition", &x.shown(), &[], &x.turns));
    insights.chain(decisions).chain(questions).chain(actions).chain(proposed).collect()
}

/// Lines of a discussion, each with its finding if it is one.
pub type Written = Vec<(usize, Option<usize>)>;

/// The traces in a file, by its name's ending; none in files that take no addition.
pub fn traces(name: &str, text: &str) -> Vec<Trace> {
    match suffix(name).as_str() {
        "md" | "markdown" if is_record(name) => record(text),
        "md" | "markdown" => markdown(text),
        "json" => json(name, text),
        "yaml" | "yml" => yaml(text),
        "csv" => csv(text),
        _ => Vec::new(),
    }
}

/// The lines (from one) that a discussion wrote in `trace`, in order, each with the number of its finding if it is
/// one. All other lines there are somebody else's.
///
/// # Errors
/// A template that cannot be rendered.
pub fn written(
    name: &str,
    text: &str,
    trace: &Trace,
    finished: &Finished,
    library: &Library,
) -> Result<Written, Failed> {
    Ok(match suffix(name).as_str() {
        "md" | "markdown" if is_record(name) => return in_record(name, text, finished, library),
        "md" | "markdown" => return in_markdown(text, trace, finished, library),
        "json" => in_json(name, text, trace),
        // After the marker and the title, a line a finding.
        "yaml" | "yml" => {
            let ours = data::lines(finished, library);
            at_offset(text, trace, &ours, |at| at.checked_sub(2), |line| line.strip_prefix("# "))
        }
        "csv" => at_offset(text, trace, &data::csv_rows(finished, library), Some, Some),
        _ => Written::new(),
    })
}

/// Whether a file is data, which takes no comment beside an entry.
pub fn is_data(name: &str) -> bool {
    matches!(suffix(name).as_str(), "json" | "yaml" | "yml" | "csv")
}

/// The lines without a marker of their own that a discussion wrote, each with its finding: typed additions, entries of
/// lists, decisions below their ids.
///
/// # Errors
/// A template that cannot be rendered.
pub fn entries_of(
    name: &str,
    text: &str,
    finished: &Finished,
    library: &Library,
) -> Result<Vec<(RangeInclusive<usize>, Finding)>, Failed> {
    let mut found = typed_of(name, text, finished, library)?;
    if is_data(name) {
        return Ok(found);
    }
    let own = findings(&finished.summary);
    for line in below::lines(finished.entries(), library)? {
        let finding = &own[finished.summary.insights.len() + line.decision];
        let at = (1..).zip(text.lines()).filter(|(_, known)| known.trim() == line.text);
        found.extend(at.map(|(at, _)| (at..=at, finding.clone())));
    }
    let own_marker = (finished.opened.step.id.clone(), finished.at);
    let is_made = text.lines().filter_map(marker).any(|known| known == own_marker);
    for (number, decision) in finished.summary.decisions.iter().enumerate() {
        if library.layout(&finished.opened.layout).decisions != Place::Record {
            break;
        }
        let ours = numbered::entry(decision, finished.entries(), library)?;
        let title = plain::markdown(&numbered::title(decision));
        let is_title = |line: &str| is_made && line.starts_with("# ") && line.ends_with(&title);
        let is_it = |line: &str| ours == line || line.strip_prefix("- ") == Some(&ours) || is_title(line);
        let finding = &own[finished.summary.insights.len() + number];
        let at = (1..).zip(text.lines()).filter(|(_, known)| is_it(known));
        found.extend(at.map(|(at, _)| (at..=at, finding.clone())));
    }
    for entry in lists::sections(finished.entries(), library)?.iter().flat_map(|section| &section.entries) {
        let is_it = |line: &str| line.strip_suffix(&entry.text).is_some_and(lists::is_mark);
        let at = (1..).zip(text.lines()).filter(|(_, known)| is_it(known));
        found.extend(at.map(|(at, _)| (at..=at, own[entry.finding].clone())));
    }
    Ok(found)
}

/// The typed additions that a file has, each with its finding.
fn typed_of(
    name: &str,
    text: &str,
    finished: &Finished,
    library: &Library,
) -> Result<Vec<(RangeInclusive<usize>, Finding)>, Failed> {
    let additions = &finished.summary.additions;
    let own = findings(&finished.summary);
    let own = own.into_iter().rev().take(additions.len()).rev();
    let names = typed::files(&finished.opened.item, additions);
    let mut found = Vec::new();
    for ((one, _), finding) in additions.iter().zip(names).zip(own).filter(|((_, file), _)| file == name) {
        found.extend(lines_of(name, text, one, library)?.map(|found| (found.lines, finding)));
    }
    Ok(found)
}

/// A typed addition in a document: its lines, the id that it got, and whether it is as it was added.
struct TypedLines {
    lines: RangeInclusive<usize>,
    id: Option<String>,
    is_whole: bool,
}

/// Where a typed addition is in a document.
fn lines_of(
    name: &str,
    text: &str,
    addition: &Addition,
    library: &Library,
) -> Result<Option<TypedLines>, Failed> {
    if is_data(name) {
        let entry = in_data::entry(name, text, addition);
        return Ok(entry.map(|one| TypedLines { lines: one.lines, id: one.id, is_whole: one.has_lists }));
    }
    // A decision record is a file of its own.
    if addition.kind == ProposalKind::DecisionRecord {
        return Ok(None);
    }
    let index = LineIndex::new(text);
    let entry = in_lines::entry(text, addition, library)?;
    Ok(entry.map(|one| TypedLines {
        lines: index.of(one.range.start)..=index.of(one.range.end - 1),
        id: one.id,
        is_whole: true,
    }))
}

/// Which typed additions of a discussion a file holds letter by letter, by their number: a block of lines with a blank
/// line below it, an entry, a row.
///
/// # Errors
/// A template that cannot be rendered.
pub fn typed_in(
    name: &str,
    text: &str,
    finished: &Finished,
    library: &Library,
) -> Result<BTreeSet<usize>, Failed> {
    let additions = finished.summary.landing_additions();
    if additions.len() > typed::MOST {
        return Ok(BTreeSet::new());
    }
    let layout = library.layout(&finished.opened.layout);
    let mut held = BTreeSet::new();
    for (number, one) in additions.iter().enumerate() {
        let found = lines_of(name, text, one, library)?.filter(|found| found.is_whole);
        if found.is_some_and(|found| is_numbered(found.id, layout, one, text)) {
            held.insert(number);
        }
    }
    Ok(held)
}

/// Whether a file holds the addition of a discussion letter by letter: every line in its order, in Markdown with a
/// blank line before and after. People may have written between them. `is_new` says that the discussion made the file.
///
/// # Errors
/// A template that cannot be rendered.
pub fn holds_addition(
    name: &str,
    text: &str,
    is_new: bool,
    finished: &Finished,
    library: &Library,
) -> Result<bool, Failed> {
    let is_own = |trace: &Trace| trace.step_id == finished.opened.step.id && trace.at == finished.at;
    for trace in traces(name, text).into_iter().filter(is_own) {
        let is_held = match suffix(name).as_str() {
            "md" | "markdown" => {
                (!is_new || has_our_head(name, text, finished, library))
                    && holds_block(text, &trace, finished, library)?
            }
            "json" => holds_entry(name, text, finished, library),
            _ => !written(name, text, &trace, finished, library)?.is_empty(),
        };
        if is_held {
            return Ok(true);
        }
    }
    Ok(false)
}

fn holds_block(text: &str, trace: &Trace, finished: &Finished, library: &Library) -> Result<bool, Failed> {
    let lines: Vec<&str> = text.lines().collect();
    let is_blank = |line: usize| lines.get(line).is_none_or(|line| line.trim().is_empty());
    let ours = block_lines(text, trace, &as_placed(text, trace, finished), library)?;
    let found = standing(text, trace, &ours, Some);
    let last = found.and_then(|found| found.last().copied());
    Ok(last.is_some_and(is_blank) && (trace.line == 1 || is_blank(trace.line - 2)))
}

/// Whether a file that a discussion made begins as it was made.
fn has_our_head(name: &str, text: &str, finished: &Finished, library: &Library) -> bool {
    let Ok(Some(made)) = synthesis::created_text(name, finished, library) else { return false };
    let head = made.lines().take_while(|line| marker(line).is_none());
    head.zip(text.lines()).all(|(made, now)| made == now)
}

fn holds_entry(name: &str, text: &str, finished: &Finished, library: &Library) -> bool {
    let Ok(document) = Document::read(name, text.as_bytes()) else { return false };
    let Value::Object(ours) = data::entry(finished, library) else { return false };
    let is_it = |(_, value): (&Node, &Value)| ours.iter().all(|(key, ours)| value.get(key) == Some(ours));
    entries(&document).any(is_it)
}

/// Whether a text has all lines of another one, in their order: people may have written between them.
pub fn holds_lines_of(text: &str, ours: &str) -> bool {
    let mut lines = text.lines();
    ours.lines().all(|own| lines.any(|line| line == own))
}

/// Step and time of a marker line.
fn marker(line: &str) -> Option<(String, Time)> {
    let inside = line.trim().strip_prefix(MARKERS[0])?.strip_suffix(" -->")?;
    let (step, at) = inside.split_once(", ")?;
    Some((step.to_owned(), Time::parse(at).ok()?))
}

/// A marker is in an HTML block of its own; it reaches to the next marker, or the next heading
/// that is no part of its addition.
fn markdown(text: &str) -> Vec<Trace> {
    if memchr::memmem::find(text.as_bytes(), outline::MARKER).is_none() {
        return Vec::new();
    }
    let outline = outline::Outline::new(text);
    let line = |start: usize| text[start..].lines().next().unwrap_or_default();
    let read = |start: &usize| marker(line(*start)).map(|(step, at)| (*start, step, at));
    let found: Vec<(usize, String, Time)> = outline.markers.iter().filter_map(read).collect();
    let starts: Vec<usize> = found.iter().map(|(start, ..)| *start).collect();
    let lines = LineIndex::new(text);
    let trace = |((_, step_id, at), range): ((usize, String, Time), Range<usize>)| {
        let is_last = range.end == text.len();
        let end = if is_last { lines.of(range.end.saturating_sub(1)) } else { lines.of(range.end) - 1 };
        Trace { step_id, at, line: lines.of(range.start), end }
    };
    found.into_iter().zip(outline.added(&starts)).map(trace).collect()
}

/// Whether a file is a decision record, which has one decision.
fn is_record(name: &str) -> bool {
    let is_numbered = |file: &str| file.get(..4).is_some_and(|number| number.parse::<u32>().is_ok());
    name.split_once('/').is_some_and(|(folder, file)| records::is_records(folder) && is_numbered(file))
}

/// A record that a discussion wrote is its to the end.
fn record(text: &str) -> Vec<Trace> {
    let end = text.lines().count();
    let marked = (1..).zip(text.lines()).find_map(|(line, text)| Some((line, marker(text)?)));
    marked.map(|(_, (step_id, at))| Trace { step_id, at, line: 1, end }).into_iter().collect()
}

/// The lines of a decision record that are as the discussion wrote them.
fn in_record(name: &str, text: &str, finished: &Finished, library: &Library) -> Result<Written, Failed> {
    let files = (0..).zip(records::files(name, finished, library)?);
    let own = files.filter(|(_, (file, _))| name.ends_with(file));
    let mut written = Written::new();
    for (at, (_, ours)) in own {
        let number = finished.summary.insights.len() + at;
        let same = (1..).zip(text.lines().zip(ours.lines())).filter(|(_, (now, then))| now == then);
        written.extend(same.map(|(line, _)| (line, Some(number))));
    }
    Ok(written)
}

/// Where lines begin, for many questions about one text.
struct LineIndex(Vec<usize>);

impl LineIndex {
    fn new(text: &str) -> LineIndex {
        LineIndex(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    /// The line of a byte, from one.
    fn of(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

/// Records and entries: objects with a step and a time, in `elaborations` or in the list that the
/// file is.
fn json(name: &str, text: &str) -> Vec<Trace> {
    let Ok(document) = Document::read(name, text.as_bytes()) else { return Vec::new() };
    let lines = LineIndex::new(text);
    entries(&document)
        .filter_map(|(node, value)| {
            let step_id = value.get("step_id")?.as_str()?.to_owned();
            let at = Time::parse(value.get("timestamp")?.as_str()?).ok()?;
            Some(Trace { step_id, at, line: lines.of(node.span.start), end: lines.of(node.span.end - 1) })
        })
        .collect()
}

/// The elements of the list that takes additions: where each is, and its value.
fn entries(document: &Document) -> impl Iterator<Item = (&Node, &Value)> {
    let (node, values) = match &document.root.kind {
        Kind::Array(_) => (Some(&document.root), document.value.as_array()),
        _ => (document.member("elaborations"), document.value["elaborations"].as_array()),
    };
    let nodes = match node.map(|node| &node.kind) {
        Some(Kind::Array(nodes)) => nodes.as_slice(),
        _ => &[],
    };
    nodes.iter().zip(values.into_iter().flatten())
}

/// Comments after a marker that is a comment.
fn yaml(text: &str) -> Vec<Trace> {
    let mut found: Vec<Trace> = Vec::new();
    let mut open = false;
    for (at, line) in text.lines().enumerate() {
        let comment = line.strip_prefix("# ");
        if let Some((step_id, time)) = comment.and_then(marker) {
            found.push(Trace { step_id, at: time, line: at + 1, end: at + 1 });
            open = true;
        } else if let (true, Some(_), Some(last)) = (open, comment, found.last_mut()) {
            last.end = at + 1;
        } else {
            open = false;
        }
    }
    found
}

/// Rows under our own header, those of one discussion together.
fn csv(text: &str) -> Vec<Trace> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    if body.lines().next().map(str::trim_end) != Some(data::HEADER) {
        return Vec::new();
    }
    let mut found: Vec<Trace> = Vec::new();
    // No cell of ours holds a line end, so a row is a line.
    for (at, line) in body.lines().enumerate().skip(1) {
        let mut cells = line.split(',');
        let (Some(step), Some(time)) = (cells.next(), cells.next()) else { continue };
        let Ok(time) = Time::parse(time) else { continue };
        match found.last_mut().filter(|last| last.step_id == step && last.at == time && last.end == at) {
            Some(last) => last.end = at + 1,
            None => found.push(Trace { step_id: step.to_owned(), at: time, line: at + 1, end: at + 1 }),
        }
    }
    found
}

/// The lines of a file that `ours` are on, in order, from the trace's first: leftmost, so that what
/// is between them is somebody else's. None where one of them is missing.
fn standing<'t>(
    text: &'t str,
    trace: &Trace,
    ours: &[String],
    bare: impl Fn(&'t str) -> Option<&'t str>,
) -> Option<Vec<usize>> {
    let mut lines = text.lines().enumerate().skip(trace.line - 1);
    ours.iter()
        .map(|wanted| {
            lines.by_ref().find(|(_, line)| bare(line) == Some(wanted.as_str())).map(|(at, _)| at + 1)
        })
        .collect()
}

fn at_offset<'t>(
    text: &'t str,
    trace: &Trace,
    ours: &[String],
    finding: impl Fn(usize) -> Option<usize>,
    bare: impl Fn(&'t str) -> Option<&'t str>,
) -> Written {
    let stands = standing(text, trace, ours, bare).unwrap_or_default();
    stands.into_iter().enumerate().map(|(at, line)| (line, finding(at))).collect()
}

/// Whether the id of an addition, if it has one, is the next of its series.
fn is_numbered(id: Option<String>, layout: &Layout, addition: &Addition, text: &str) -> bool {
    id.is_none_or(|id| typed::follows(&id, addition.kind, layout, text))
}

/// A discussion with the questions that its block in a document has; those that the document asks elsewhere were there
/// before.
fn as_placed<'f>(text: &str, trace: &Trace, finished: &'f Finished) -> Cow<'f, Finished> {
    let (own, all) =
        (asked_within(text, trace), known::asked_in(text).into_iter().collect::<BTreeSet<String>>());
    let is_wanted = |key: &String| own.contains(key) || !all.contains(key);
    if finished.summary.open_questions.iter().all(|one| is_wanted(&closing::key(&one.text))) {
        return Cow::Borrowed(finished);
    }
    let is_kept = |one: &Question| is_wanted(&closing::key(&one.text));
    Cow::Owned(known::with_questions(finished, &is_kept))
}

/// The keys of the questions in a trace's lines.
fn asked_within(text: &str, trace: &Trace) -> BTreeSet<String> {
    let lines = text.lines().skip(trace.line - 1).take(trace.end + 1 - trace.line);
    lines.flat_map(known::asked_in).collect()
}

fn in_markdown(text: &str, trace: &Trace, finished: &Finished, library: &Library) -> Result<Written, Failed> {
    let summary = &finished.summary;
    let further = summary.open_questions.len() - summary.landing_questions().len();
    let asked = summary.insights.len() + summary.decisions.len() + summary.landing_questions().len();
    // Entries after the questions are counted on from those that no document took.
    let counted = |at: usize| if at < asked { at } else { at + further };
    let whole = in_block(text, trace, finished, library)?;
    if !whole.is_empty() {
        return Ok(whole.into_iter().map(|(line, finding)| (line, finding.map(counted))).collect());
    }
    // Questions that a document had already are not in the block.
    let asked = asked_within(text, trace);
    let is_there = |one: &Question| asked.contains(&closing::key(&one.text));
    let some = known::with_questions(finished, &is_there);
    let first = finished.summary.insights.len() + finished.summary.decisions.len();
    let questions = finished.summary.open_questions.iter().enumerate();
    let kept: Vec<usize> = questions.filter(|(_, one)| is_there(one)).map(|(at, _)| first + at).collect();
    let after = first + finished.summary.open_questions.len();
    let number = |at: usize| match at.checked_sub(first) {
        None => at,
        Some(at) => kept.get(at).copied().unwrap_or(after + at - kept.len().min(at)),
    };
    let written = in_block(text, trace, &some, library)?;
    Ok(written.into_iter().map(|(line, finding)| (line, finding.map(number))).collect())
}

/// The lines of the block of a discussion, where all of them are there.
fn in_block(text: &str, trace: &Trace, finished: &Finished, library: &Library) -> Result<Written, Failed> {
    let ours = block_lines(text, trace, finished, library)?;
    let Some(found) = standing(text, trace, &ours, Some) else { return Ok(Written::new()) };
    let mut written: Written = found.into_iter().map(|line| (line, None)).collect();
    // A finding is told by what changes when it does: a template may put it anywhere.
    for number in 0..findings(&finished.summary).len() {
        let mut other = finished.clone();
        touch(&mut other.summary, number);
        let other = block_lines(text, trace, &other, library)?;
        for (at, (_, finding)) in written.iter_mut().enumerate() {
            if finding.is_none() && other.get(at) != ours.get(at) {
                *finding = Some(number);
            }
        }
    }
    Ok(written)
}

/// The lines that a discussion writes in a block whose heading has the level of the one in a trace; the deepest one is
/// a line in bold.
fn block_lines(
    text: &str,
    trace: &Trace,
    finished: &Finished,
    library: &Library,
) -> Result<Vec<String>, Failed> {
    let mut below = text.lines().skip(trace.line).take(trace.end - trace.line);
    let heading = below.find(|line| line.starts_with('#'));
    let marks = heading.map_or(7, |line| line.len() - line.trim_start_matches('#').len());
    let level = u8::try_from(marks).unwrap_or(7);
    Ok(synthesis::addition_text(finished, library, level)?.lines().map(str::to_owned).collect())
}

/// Changes the text of one finding.
fn touch(summary: &mut Summary, number: usize) {
    let texts = summary
        .insights
        .iter_mut()
        .map(|x| &mut x.text)
        .chain(summary.decisions.iter_mut().map(|x| &mut x.text))
        .chain(summary.open_questions.iter_mut().map(|x| &mut x.text))
        .chain(summary.action_items.iter_mut().map(|x| &mut x.text))
        .chain(summary.additions.iter_mut().map(|x| &mut x.anchor));
    if let Some(text) = texts.into_iter().nth(number) {
        text.push_str(" (changed)");
    }
}

/// In an entry the finding is the object that a line is in: `insights`, `decisions`,
/// `open_questions`, `action_items`, `proposed`, in this order.
fn in_json(name: &str, text: &str, trace: &Trace) -> Written {
    let Ok(document) = Document::read(name, text.as_bytes()) else { return Written::new() };
    let index = LineIndex::new(text);
    let lines = |node: &Node| index.of(node.span.start)..=index.of(node.span.end - 1);
    let of_trace = |node: &Node| lines(node) == (trace.line..=trace.end);
    let found = entries(&document).find(|(node, _)| of_trace(node));
    let Some(Kind::Object(members)) = found.map(|(node, _)| &node.kind) else { return Written::new() };
    let mut written: Written = (trace.line..=trace.end).map(|line| (line, None)).collect();
    let mut number = 0;
    for key in ["insights", "decisions", "open_questions", "action_items", "proposed"] {
        let nodes = match members.iter().find(|(name, _)| name == key).map(|(_, node)| &node.kind) {
            Some(Kind::Array(nodes)) => nodes.as_slice(),
            _ => &[],
        };
        for node in nodes {
            for line in lines(node) {
                written[line - trace.line].1.get_or_insert(number);
            }
            number += 1;
        }
    }
    written
}

/// Who a finding is by, in words: `Maya Chen and the user`.
pub fn authors(by: &[String], library: &Library) -> String {
    let name = |key: &String| match library.cast.get(key) {
        Some(persona) => persona.name.clone(),
        None if key == USER => "the user".to_owned(),
        None => plain::shown(key),
    };
    let names: Vec<String> = by.iter().map(name).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKER: &str = "<!-- Elaboration: step 01-03, 2026-02-20T14:30:00.000Z -->";

    fn lines(name: &str, text: &str) -> Vec<(usize, usize)> {
        traces(name, text).iter().map(|trace| (trace.line, trace.end)).collect()
    }

    #[test]
    fn a_marker_reaches_to_what_is_no_part_of_its_addition() {
        let text =
            format!("# A\n\n## B\n\n{MARKER}\n### E\n\n#### K\n- x\n\n{MARKER}\n### E\n\n- y\n\n## C\n\nz\n");
        assert_eq!(lines("a.md", &text), [(5, 10), (11, 15)]);
        assert_eq!(lines("a.md", &format!("{MARKER}\n### E\n- x")), [(1, 3)]);
    }

    #[test]
    fn a_marker_that_is_shown_is_none() {
        for text in [
            format!("```\n{MARKER}\n```\n"),
            format!("    {MARKER}\n"),
            format!("> {MARKER}\n"),
            format!("a {MARKER}\n"),
            "<!-- Elaboration: step 01-03, yesterday -->\n".to_owned(),
        ] {
            assert_eq!(lines("a.md", &text), [], "{text}");
        }
    }

    #[test]
    fn data_files_have_their_entries_comments_and_rows() {
        let json = "{\n  \"elaborations\": [\n    {\"step_id\": \"01-03\", \"timestamp\": \"2026-02-20T14:30:00.000Z\"},\n    {\"x\": 1}\n  ]\n}\n";
        assert_eq!(lines("meta.json", json), [(3, 3)]);
        assert_eq!(lines("a.yaml", &format!("a: 1\n# {MARKER}\n# Title\n# - x\nb: 2\n# - y\n")), [(2, 4)]);
        let csv = format!(
            "{}\n01-03,2026-02-20T14:30:00.000Z,insight,Maya,x,,1\n01-03,2026-02-20T14:30:00.000Z,decision,,y,,2\n",
            data::HEADER
        );
        assert_eq!(lines("a.csv", &csv), [(2, 3)]);
        assert_eq!(lines("a.csv", "a,b\n01-03,2026-02-20T14:30:00.000Z\n"), []);
        assert_eq!(lines("a.txt", MARKER), []);
    }
}
