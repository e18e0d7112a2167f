//! Where typed additions are in JSON, YAML and CSV, which hold no markers: each is found by what it says, its id apart.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::{columns, criteria, data, data_text, keys, list, object, row, with_id};
use crate::discussion::additions::{Addition, Kind, snake};
use crate::text::path::suffix;

use crate::text::json::{Document, Kind as Json, Node};

/// An addition that was found in a data file.
pub struct DataEntry {
    /// Its lines, from one.
    pub lines: RangeInclusive<usize>,
    /// The id that it got, if it has one.
    pub id: Option<String>,
    /// Whether it has the empty lists that an entry beside its list's first one gets.
    pub has_lists: bool,
}

/// Where an addition is in a data file as it was added; none where it is not there, or was changed.
pub fn entry(name: &str, text: &str, addition: &Addition) -> Option<DataEntry> {
    match suffix(name).as_str() {
        "json" => json(name, text, addition),
        "yaml" | "yml" => yaml(text, addition),
        "csv" => csv(text, addition),
        _ => None,
    }
}

/// Whether an entry says all that an addition says, beside the first one of its list too.
fn is_of(value: &Value, addition: &Addition, first: Option<&Value>) -> bool {
    let ours = object(addition, first, id_of(value));
    let fields = ours.as_object().into_iter().flatten();
    value.is_object() && fields.into_iter().all(|(key, ours)| value.get(key) == Some(ours))
}

fn id_of(value: &Value) -> Option<String> {
    value.get("id").and_then(Value::as_str).map(str::to_owned)
}

fn json(name: &str, text: &str, addition: &Addition) -> Option<DataEntry> {
    let document = Document::read(name, text.as_bytes()).ok()?;
    let value = |node: &Node| serde_json::from_str::<Value>(&document.text[node.span.clone()]).ok();
    let is_ours = |node: &Node| match addition.kind {
        Kind::AcceptanceCriterion if matches!(node.kind, Json::Scalar) => {
            value(node) == Some(Value::String(data_text(&addition.shown())))
        }
        _ => value(node).is_some_and(|value| is_of(&value, addition, None)),
    };
    let list = match addition.kind {
        Kind::AcceptanceCriterion => criteria(with_id(&document, &document.root, addition.anchor.trim())?)?,
        _ => list(addition, &document)?.0,
    };
    let Json::Array(elements) = &list.kind else { return None };
    let found = elements.iter().find(|element| is_ours(element))?;
    let (own, first) = (value(found)?, elements.first().and_then(value));
    let line = |at: usize| memchr::memchr_iter(b'\n', &document.text.as_bytes()[..at]).count() + 1;
    Some(DataEntry {
        lines: line(found.span.start)..=line(found.span.end - 1),
        id: id_of(&own),
        has_lists: !own.is_object() || is_of(&own, addition, first.as_ref()),
    })
}

/// An entry of the list under the key, read by itself.
fn yaml(text: &str, addition: &Addition) -> Option<DataEntry> {
    let keys = keys(addition);
    let lines: Vec<&str> = text.lines().collect();
    let is_key = |line: &&str| line.strip_suffix(':').is_some_and(|key| keys.contains(&snake(key)));
    let below = lines.iter().position(is_key)? + 1;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let first = lines[below..].iter().find(|line| line.trim_start().starts_with("- "))?;
    let width = indent(first);
    let is_entry = |line: &str| indent(line) == width && line[width..].starts_with("- ");
    let is_inside = |line: &str| line.trim().is_empty() || indent(line) >= width;
    let end = below + lines[below..].iter().take_while(|line| is_inside(line)).count();
    let starts: Vec<usize> = (below..end).filter(|at| is_entry(lines[*at])).collect();
    let ends = starts.iter().copied().skip(1).chain([end]);
    let entries = starts.iter().copied().zip(ends).filter_map(|(start, end)| {
        let is_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        let end = (start..end).rev().find(|at| !is_nothing(lines[*at]))?;
        let own = lines[start..=end].iter().map(|line| line.get(width..).unwrap_or_default());
        let entry: Vec<Value> = serde_yaml::from_str(&own.collect::<Vec<_>>().join("\n")).ok()?;
        Some((start + 1..=end + 1, entry.into_iter().next()?))
    });
    let entries: Vec<(RangeInclusive<usize>, Value)> = entries.collect();
    let (lines, own) = entries.iter().find(|(_, value)| is_of(value, addition, None))?;
    let has_lists = is_of(own, addition, entries.first().map(|(_, first)| first));
    Some(DataEntry { lines: lines.clone(), id: id_of(own), has_lists })
}

/// A row under the file's header.
fn csv(text: &str, addition: &Addition) -> Option<DataEntry> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(body.as_bytes());
    let mut records = reader.records().map_while(Result::ok);
    let read = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
    let headers = read(&records.next()?);
    let records: Vec<csv::StringRecord> = records.collect();
    let headers = columns(&headers, &records.iter().map(read).collect::<Vec<_>>());
    let id = headers.iter().position(|header| snake(header) == "id");
    records.into_iter().find_map(|record| {
        let id = id.and_then(|at| record.get(at)).filter(|id| !id.is_empty()).map(str::to_owned);
        let ours = row(addition, id.clone(), &headers)?;
        // What a spreadsheet would run begins with a quotation mark.
        let shown = ours.iter().map(|text| data::cell(text)).collect::<Vec<_>>().join(",");
        let line = usize::try_from(record.position()?.line()).ok()?;
        let is_it = text.lines().nth(line - 1) == Some(shown.as_str());
        is_it.then_some(DataEntry { lines: line..=line, id, has_lists: true })
    })
}
