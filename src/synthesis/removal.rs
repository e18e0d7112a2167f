//! Additions looked for in a text that holds them, where the earlier text is not in the repository any more.
//!
//! Invariant: an addition that is taken off is a guess. It counts if adding it again comes to the text that is there.
//!
//! ```
//! use roundtable::discussion::Finished;
//! use roundtable::item::library::Library;
//! use roundtable::synthesis::removal::holds_addition;
//! use roundtable::text::template::Failed;
//!
//! fn is_there(spec: &str, finished: &Finished, library: &Library) -> Result<bool, Failed> {
//!     holds_addition("spec.md", spec, false, finished, library)
//! }
//! ```

use std::ops::Range;

use memchr::memmem;

use super::section_choice::{self, ELSEWHERE};
use super::{Addition, Unplaced, add, addition_text, create, data, outline};
use crate::discussion::Finished;
use crate::item::library::Library;
use crate::item::{Meta, meta};
use crate::text::json::{Document, Kind, Node};
use crate::text::path::suffix;
use crate::text::plain::line_end;
use crate::text::template::Failed;
use crate::text::time::Time;
use crate::text::words::subjects;

/// An addition taken off a text: the bytes that go, and what is put in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Removed {
    range: Range<usize>,
    put: &'static str,
}

impl Removed {
    /// The text without the addition.
    fn text(&self, now: &str) -> String {
        format!("{}{}{}", &now[..self.range.start], self.put, &now[self.range.end..])
    }
}

fn marker(finished: &Finished) -> String {
    format!("<!-- Elaboration: step {}, {} -->", finished.opened.step.id, finished.at)
}

/// The ways to take the addition of a discussion off a file's text, the most likely first. meta.json is
/// one of the files.
///
/// # Errors
/// A template that cannot be rendered.
fn removals(name: &str, now: &str, finished: &Finished, library: &Library) -> Result<Vec<Removed>, Failed> {
    let end = line_end(now);
    Ok(match suffix(name).as_str() {
        "md" | "markdown" => {
            let mut found = Vec::new();
            for (range, _) in in_markdown(now, finished, library)? {
                found.extend(around(now, range, end, &[2, 1, 0]));
            }
            found
        }
        "yaml" | "yml" => {
            let body = yaml_body(end, finished, library);
            occurrences(now, &body).flat_map(|range| around(now, range, end, &[0])).collect()
        }
        "csv" => {
            let rows = csv_body(end, finished, library);
            occurrences(now, &rows).flat_map(|range| csv_cuts(now, range, end)).collect()
        }
        "json" => json_cuts(name, now, finished.opened.step.id.as_str(), finished.at),
        _ => Vec::new(),
    })
}

/// Whether the record of a discussion is in a meta.json as it was written, letter by letter.
pub fn holds_record(now: &str, finished: &Finished, library: &Library) -> bool {
    let (step, at) = (finished.opened.step.id.as_str(), finished.at);
    let Some(now) = without_later(meta::FILE, now, step, at) else { return false };
    let personas = library.cast.keys();
    json_cuts(meta::FILE, &now, step, at).iter().any(|removed| {
        let before = Meta::read(meta::FILE, removed.text(&now).as_bytes());
        before.is_ok_and(|before| {
            before.with_elaboration(&finished.elaboration(&personas)).is_ok_and(|again| again == now)
        })
    })
}

/// Whether a file holds the addition of a discussion letter by letter: every line in its order, where a
/// discussion adds. People may have written around it, in Markdown between its lines too. `is_new` says
/// that the discussion made the file.
///
/// # Errors
/// A template that cannot be rendered.
pub fn holds_addition(
    name: &str,
    now: &str,
    is_new: bool,
    finished: &Finished,
    library: &Library,
) -> Result<bool, Failed> {
    let suffix = suffix(name);
    let later = (suffix == "json")
        .then(|| without_later(name, now, finished.opened.step.id.as_str(), finished.at))
        .flatten();
    let now = later.as_deref().unwrap_or(now);
    if is_new && created(name, finished, library)?.as_deref() == Some(now) {
        return Ok(true);
    }
    if !is_new {
        for removed in removals(name, now, finished, library)? {
            if added(name, &removed.text(now), finished, library)?.as_deref() == Some(now) {
                return Ok(true);
            }
        }
    }
    let end = line_end(now);
    match suffix.as_str() {
        "md" | "markdown" => holds_lines(name, now, is_new, finished, library),
        "yaml" | "yml" => {
            let is_apart = |range: Range<usize>| match range.start {
                0 => true,
                _ if is_new => false,
                start => now[..start].ends_with(&format!("{end}{end}")),
            };
            Ok(occurrences(now, &yaml_body(end, finished, library)).any(is_apart))
        }
        "csv" => {
            let header = now.trim_start_matches('\u{feff}').split('\n').next().unwrap_or_default();
            let is_ours = header.strip_suffix('\r').unwrap_or(header) == data::HEADER;
            Ok(is_ours && occurrences(now, &csv_body(end, finished, library)).next().is_some())
        }
        _ => Ok(false),
    }
}

/// The text with the addition in it once more; none where it takes none.
fn added(name: &str, text: &str, finished: &Finished, library: &Library) -> Result<Option<String>, Failed> {
    failed_or(add(name, text, finished, library).map(into_text))
}

/// The text that the discussion makes of a file that was not there.
fn created(name: &str, finished: &Finished, library: &Library) -> Result<Option<String>, Failed> {
    failed_or(create(name, finished, library).map(into_text))
}

fn into_text(addition: Addition) -> Option<String> {
    match addition {
        Addition::Into(text, _) => Some(text),
        Addition::None(_) => None,
    }
}

/// Whatever else keeps an addition from its place: then it has none there.
fn failed_or(placed: Result<Option<String>, Unplaced>) -> Result<Option<String>, Failed> {
    match placed {
        Err(Unplaced::Template(failed)) => Err(failed),
        placed => Ok(placed.ok().flatten()),
    }
}

/// Where a block of whole lines is in a text.
fn occurrences<'t>(text: &'t str, block: &str) -> impl Iterator<Item = Range<usize>> + use<'t> {
    let is_line = |at: &usize| {
        *at == 0 || matches!(text.as_bytes()[*at - 1], b'\n') || text[..*at].ends_with('\u{feff}')
    };
    let (length, found) =
        (block.len(), memmem::find_iter(text.as_bytes(), block.as_bytes()).collect::<Vec<_>>());
    found.into_iter().filter(is_line).map(move |at| at..at + length)
}

/// A block with the line ends around it that may have come with it: up to two before, as many as `tails` say after.
fn around(now: &str, block: Range<usize>, end: &str, tails: &[usize]) -> Vec<Removed> {
    let mut starts = vec![block.start];
    let own_heading = now[..block.start].strip_suffix(&end.repeat(2)).and_then(|above| {
        let line = above.rfind('\n').map_or(0, |at| at + 1);
        (above[line..].trim_start_matches('#') == format!(" {ELSEWHERE}")).then_some(line)
    });
    for start in [Some(block.start), own_heading].into_iter().flatten() {
        starts.push(start);
        for gap in 1..=2 {
            starts.extend(now[..start].ends_with(&end.repeat(gap)).then(|| start - gap * end.len()));
        }
    }
    starts.dedup();
    let ends = tails.iter().filter(|tail| now[block.end..].starts_with(&end.repeat(**tail)));
    let ends: Vec<usize> = ends.map(|tail| block.end + tail * end.len()).collect();
    let pairs = starts.iter().flat_map(|start| ends.iter().map(|end| *start..*end));
    pairs.map(|range| Removed { range, put: "" }).collect()
}

/// Where the addition is in a Markdown text, with the level of its heading.
fn in_markdown(now: &str, finished: &Finished, library: &Library) -> Result<Vec<(Range<usize>, u8)>, Failed> {
    let marker = marker(finished);
    let mut found = Vec::new();
    if memmem::find(now.as_bytes(), marker.as_bytes()).is_none() {
        return Ok(found);
    }
    let end = line_end(now);
    for level in 1..=7 {
        let body = addition_text(finished, library, level)?.replace('\n', end);
        let is_whole = |range: &Range<usize>| range.end == now.len() || now[range.end..].starts_with(end);
        found.extend(occurrences(now, &body).filter(is_whole).map(|range| (range, level)));
    }
    Ok(found)
}

fn yaml_body(end: &str, finished: &Finished, library: &Library) -> String {
    data::lines(finished, library).iter().map(|line| format!("# {line}{end}")).collect()
}

fn csv_body(end: &str, finished: &Finished, library: &Library) -> String {
    data::csv_rows(finished, library).iter().map(|row| format!("{row}{end}")).collect()
}

/// Rows are added at the end; the header comes with the first ones, and the last line gets its end.
fn csv_cuts(now: &str, rows: Range<usize>, end: &str) -> Vec<Removed> {
    let mark = now.len() - now.trim_start_matches('\u{feff}').len();
    let header = now[mark..rows.start].strip_suffix(end) == Some(data::HEADER);
    let without_end = now[..rows.start].ends_with(end).then(|| rows.start - end.len());
    let starts = [Some(rows.start), without_end, header.then_some(mark)];
    starts.into_iter().flatten().map(|start| Removed { range: start..rows.end, put: "" }).collect()
}

/// The list that takes entries, as [`data::json`] finds it.
fn list(document: &Document) -> Option<(&Node, &[Node], Vec<&serde_json::Value>)> {
    let (node, values) = match &document.root.kind {
        Kind::Array(_) => (&document.root, document.value.as_array()),
        _ => (document.member("elaborations")?, document.value["elaborations"].as_array()),
    };
    let Kind::Array(nodes) = &node.kind else { return None };
    Some((node, nodes, values.into_iter().flatten().collect()))
}

/// Which entry of the list is a discussion's.
fn entry_of(values: &[&serde_json::Value], step: &str, at: Time) -> Option<usize> {
    values.iter().rposition(|value| {
        let time = value["timestamp"].as_str().and_then(|time| Time::parse(time).ok());
        value["step_id"] == step && time == Some(at)
    })
}

/// A JSON text without the entries after a discussion's own.
fn without_later(name: &str, now: &str, step: &str, at: Time) -> Option<String> {
    let document = Document::read(name, now.as_bytes()).ok()?;
    let (_, nodes, values) = list(&document)?;
    let (own, last) = (nodes.get(entry_of(&values, step, at)?)?, nodes.last()?);
    Some(format!("{}{}", &now[..own.span.end], &now[last.span.end..]))
}

/// An entry is the last of its list: it goes with the comma before it; the first one perhaps with the list.
fn json_cuts(name: &str, now: &str, step: &str, at: Time) -> Vec<Removed> {
    let Ok(document) = Document::read(name, now.as_bytes()) else { return Vec::new() };
    let Some((list, nodes, values)) = list(&document) else { return Vec::new() };
    let Some(own) = entry_of(&values, step, at).filter(|own| own + 1 == nodes.len()) else {
        return Vec::new();
    };
    if let Some(before) = own.checked_sub(1) {
        return vec![Removed { range: nodes[before].span.end..nodes[own].span.end, put: "" }];
    }
    let (inside, whole) = (list.span.start + 1..list.span.end - 1, list.span.clone());
    let mut found = vec![Removed { range: inside, put: "" }];
    if let Kind::Object(members) = &document.root.kind {
        let at = members.iter().position(|(_, node)| node.span == whole).unwrap_or_default();
        let before = at.checked_sub(1).map(|before| members[before].1.span.end);
        if at + 1 == members.len() {
            let range = match before {
                Some(before) => before..whole.end,
                None => document.root.span.start + 1..document.root.span.end - 1,
            };
            found.push(Removed { range, put: "" });
        }
        found.push(Removed { range: whole, put: "null" });
    }
    found
}

/// Whether the lines of the addition are in a Markdown text, in their order, a blank line before and after,
/// in a section that could take them. The text's lines may be between them.
fn holds_lines(
    name: &str,
    now: &str,
    is_new: bool,
    finished: &Finished,
    library: &Library,
) -> Result<bool, Failed> {
    let marker = marker(finished);
    let mut lines: Vec<&str> = now.split('\n').collect();
    let returns = lines.iter().any(|line| line.strip_suffix('\r') == Some(marker.as_str()));
    if returns && lines.last() != Some(&"") {
        lines.push("");
    }
    let bare = |line: &'_ str| -> Option<String> {
        if returns { line.strip_suffix('\r').map(str::to_owned) } else { Some(line.to_owned()) }
    };
    for level in 1..=7 {
        let mut ours: Vec<String> =
            addition_text(finished, library, level)?.lines().map(str::to_owned).collect();
        let mut from = 0;
        if is_new {
            // The heads of a file that was made are part of what was added.
            let made = created(name, finished, library)?.unwrap_or_default();
            let Some(at) = made.find(&marker) else { continue };
            let head = made[..at].lines().map(str::to_owned);
            ours = head.chain(ours).collect();
        } else {
            let is_marker = |line: &&str| bare(line).as_deref() == Some(marker.as_str());
            // A typed addition has the same marker, and no heading below it.
            let has_title =
                |at: &usize| lines.get(at + 1).and_then(|next| bare(next)) == ours.get(1).cloned();
            let markers = || (0..lines.len()).filter(|at| is_marker(&lines[*at]));
            let Some(at) = markers().find(has_title).or_else(|| markers().next()) else { return Ok(false) };
            from = at;
            let start = lines[..at].iter().map(|line| line.len() + 1).sum();
            let is_at_end = super::is_at_end(library.layout(&finished.opened.layout), name);
            let is_place = is_at_end || may_take(now, start, level, finished);
            if (at > 0 && !lines[at - 1].trim().is_empty()) || !is_place {
                continue;
            }
        }
        let mut rest = lines.iter().enumerate().skip(from);
        let places: Option<Vec<usize>> = ours
            .iter()
            .map(|own| rest.find(|(_, line)| bare(line).as_deref() == Some(own)).map(|(at, _)| at))
            .collect();
        if let Some((first, last)) =
            places.as_ref().and_then(|places| Some((*places.first()?, *places.last()?)))
            && (!is_new || first == 0)
            && lines.get(last + 1).is_some_and(|next| next.trim().is_empty())
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the section that a place is in may take the addition: our own heading, or one that a word of the
/// step's title names, itself or below it.
fn may_take(now: &str, start: usize, level: u8, finished: &Finished) -> bool {
    let outline = outline::Outline::new(now);
    let above = outline.headings.iter().rposition(|heading| heading.start < start && !heading.added);
    let holds = |at: &usize| outline.headings[*at].level < level;
    let mut next = above;
    while let Some(at) = next.filter(|at| !holds(at)) {
        next = outline.parent(at);
    }
    let Some(holder) = next.filter(|at| outline.headings[*at].level + 1 == level) else { return false };
    if outline.headings[holder].text == ELSEWHERE {
        return true;
    }
    let end = outline.end(holder);
    let keys = subjects(&finished.opened.step.title);
    let below = outline.headings.iter().skip(holder).take_while(|heading| heading.start < end);
    let mut names = below.filter(|heading| !heading.added).map(|heading| heading.text.to_lowercase());
    names.any(|text| {
        keys.iter().any(|key| text.contains(key.as_str()))
            || section_choice::is_named(&text, &finished.opened.step.title)
    })
}
