//! Where typed additions are in JSON, YAML and CSV, which hold no markers: each is found by what it says, its id apart.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::{criteria, data, data_text, keys, list, object, row, with_id};
use crate::additions::{Addition, Kind, snake};
use crate::json::{Document, Kind as Json, Node};
use crate::synthesis::suffix;

/// The lines (from one) that an addition has in a data file as it was added; none where it is not there, or was changed.
pub fn lines(name: &str, text: &str, addition: &Addition) -> Option<RangeInclusive<usize>> {
    match suffix(name).as_str() {
        "json" => json(name, text, addition),
        "yaml" | "yml" => yaml(text, addition),
        "csv" => csv(text, addition),
        _ => None,
    }
}

/// Whether an entry says all that an addition says.
fn is_of(value: &Value, addition: &Addition) -> bool {
    let id = value.get("id").and_then(Value::as_str).map(str::to_owned);
    let ours = object(addition, None, id);
    let fields = ours.as_object().into_iter().flatten();
    value.is_object() && fields.into_iter().all(|(key, ours)| value.get(key) == Some(ours))
}

fn json(name: &str, text: &str, addition: &Addition) -> Option<RangeInclusive<usize>> {
    let document = Document::read(name, text.as_bytes()).ok()?;
    let value = |node: &Node| serde_json::from_str::<Value>(&document.text[node.span.clone()]).ok();
    let is_ours = |node: &Node| match addition.kind {
        Kind::AcceptanceCriterion => value(node) == Some(Value::String(data_text(&addition.shown()))),
        _ => value(node).is_some_and(|value| is_of(&value, addition)),
    };
    let list = match addition.kind {
        Kind::AcceptanceCriterion => criteria(with_id(&document, &document.root, addition.anchor.trim())?)?,
        _ => list(addition, &document)?.0,
    };
    let Json::Array(elements) = &list.kind else { return None };
    let found = elements.iter().find(|node| is_ours(node))?;
    let line = |at: usize| memchr::memchr_iter(b'\n', &document.text.as_bytes()[..at]).count() + 1;
    Some(line(found.span.start)..=line(found.span.end - 1))
}

/// An entry of the list under the key, read by itself.
fn yaml(text: &str, addition: &Addition) -> Option<RangeInclusive<usize>> {
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
    starts.iter().copied().zip(ends).find_map(|(start, end)| {
        let is_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        let end = (start..end).rev().find(|at| !is_nothing(lines[*at]))?;
        let own = lines[start..=end].iter().map(|line| line.get(width..).unwrap_or_default());
        let entry: Vec<Value> = serde_yaml::from_str(&own.collect::<Vec<_>>().join("\n")).ok()?;
        entry.first().is_some_and(|value| is_of(value, addition)).then_some(start + 1..=end + 1)
    })
}

/// A row under the file's header.
fn csv(text: &str, addition: &Addition) -> Option<RangeInclusive<usize>> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(body.as_bytes());
    let mut records = reader.records().map_while(Result::ok);
    let headers: Vec<String> = records.next()?.iter().map(str::to_owned).collect();
    let id = headers.iter().position(|header| snake(header) == "id");
    records.find_map(|record| {
        let id = id.and_then(|at| record.get(at)).filter(|id| *id != "--").map(str::to_owned);
        let ours = row(addition, id, &headers)?;
        // What a spreadsheet would run begins with a quotation mark.
        let shown = ours.iter().map(|text| data::cell(text)).collect::<Vec<_>>().join(",");
        let line = usize::try_from(record.position()?.line()).ok()?;
        (text.lines().nth(line - 1) == Some(shown.as_str())).then_some(line..=line)
    })
}
