//! Artifacts that programs read: user stories as JSON, the traceability matrix as CSV, operations as
//! YAML, the table of quality goals. They are made of data, not of text, so that they parse whatever was
//! said; `schemas/` says what they look like. What a file holds stays: lists and tables grow at their
//! end, and a file whose form leaves no room is left as it is.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::draft::Draft;
use super::{Material, Part, Written, description, facts};
use crate::analysis::answer_forms::{Fact, Label};
use crate::synthesis::Unplaced;
use crate::synthesis::data::cell;
use crate::synthesis::yaml_list::with_entries;
use crate::text::front_matter::too_deep;
use crate::text::json::{Document, Kind};
use crate::text::plain::{self, without_comments};

/// The header of the traceability matrix (step 01-08).
pub const MATRIX: &str = "Requirement,User Story,Priority,Status";
/// The header that answers are under in any other CSV file.
const ANSWERS: &str = "step_id,timestamp,question,answer,by";

/// A text as data holds it: visible, without comments.
fn harmless(text: &str) -> String {
    without_comments(&plain::clean(text))
}

/// Answers and open questions as data.
fn notes(material: &Material<'_>, share: &Draft) -> Vec<Value> {
    let mut found = Vec::new();
    let note = |question: &str, answer: Option<String>, by: Option<&str>| {
        let mut fields = Map::new();
        fields.insert("step_id".into(), json!(material.step.id));
        fields.insert("timestamp".into(), json!(material.at.to_string()));
        if !question.is_empty() {
            fields.insert("question".into(), json!(harmless(question)));
        }
        match answer {
            Some(answer) => drop(fields.insert("answer".into(), json!(harmless(&answer)))),
            None => drop(fields.insert("open".into(), json!(true))),
        }
        if let Some(by) = by {
            fields.insert("by".into(), json!(harmless(by)));
        }
        Value::Object(fields)
    };
    for entry in share.entries.iter().chain(&share.feedback) {
        found.push(note(&entry.asked, Some(entry.lines.join("\n")), Some(&entry.by)));
    }
    if !share.drafted.is_empty() {
        let head = match share.confirmed_by.as_str() {
            "" => "Drafted, not confirmed".to_owned(),
            by => format!("Drafted, confirmed by {by}"),
        };
        found.push(note(&head, Some(share.drafted.join("\n")), Some(&share.drafted_by)));
    }
    for open in &share.open {
        found.push(note(&open.text, None, None));
    }
    found
}

/// A JSON artifact: stories where the step names an array of them, and what was said as notes.
pub(super) fn json(material: &Material<'_>, name: &str, text: &str, parts: &[Part]) -> Written {
    let share = merged(parts);
    let list = parts.iter().find(|part| part.named.kind == "array").map(|part| part.named.name.clone());
    let stories = match &list {
        Some(_) => stories(material),
        None => Vec::new(),
    };
    let notes = notes(material, &share);
    let section = list.clone().unwrap_or_else(|| "notes".to_owned());
    let said = |count: usize| match count {
        0 => description(&share),
        1 => format!("1 story, {}", description(&share)),
        many => format!("{many} stories, {}", description(&share)),
    };
    if text.trim().is_empty() {
        let mut fields = Map::new();
        fields.insert("item".into(), json!(harmless(&material.item.name())));
        if let Some(list) = list {
            fields.insert(list, Value::Array(stories.clone()));
        }
        fields.insert("notes".into(), Value::Array(notes));
        return Written::Into {
            text: format!("{:#}\n", Value::Object(fields)),
            section,
            what: said(stories.len()),
        };
    }
    let mut new = text.to_owned();
    let what = said(stories.len());
    for (key, values) in [(list.unwrap_or_default(), stories), ("notes".to_owned(), notes)] {
        for value in values {
            new = match with_element(name, &new, &key, &value) {
                Ok(text) => text,
                Err(reason) => return Written::Left(reason),
            };
        }
    }
    Written::Into { text: new, section, what }
}

/// A JSON text with an element more in the array under a key; in a file that is an array itself, in
/// that.
fn with_element(name: &str, text: &str, key: &str, value: &Value) -> Result<String, String> {
    let read = Document::read(name, text.as_bytes());
    let document = read.map_err(|finding| format!("line {}: {}", finding.line, finding.message))?;
    match &document.root.kind {
        Kind::Array(elements) if elements.iter().all(|one| matches!(one.kind, Kind::Object(_))) => {
            Ok(document.with_element(&document.root, value))
        }
        Kind::Object(_) => match document.member(key) {
            None => Ok(document.with_member(key, &json!([value]))),
            Some(node) if matches!(node.kind, Kind::Array(_)) => Ok(document.with_element(node, value)),
            Some(_) => Err(format!("its `{key}` is not a list")),
        },
        _ => Err("it is neither an object nor a list of objects".to_owned()),
    }
}

fn merged(parts: &[Part]) -> Draft {
    let mut all = Draft::default();
    for part in parts {
        all.add(&part.share);
    }
    all
}

/// The stories of what was said, each with the criteria and links below it.
fn stories(material: &Material<'_>) -> Vec<Value> {
    let facts = material.draft.facts.iter().map(|(fact, _)| fact);
    let later = |id: &str| {
        let of = material.draft.of(Label::Criterion).filter(|fact| fact.id.as_deref() == Some(id));
        of.map(|fact| fact.text.clone()).collect::<Vec<String>>()
    };
    let minted = material.defined.minted(Label::Story, facts);
    minted.iter().map(|(id, fact)| story(id, fact, &later(id))).collect()
}

fn story(id: &str, fact: &Fact, later: &[String]) -> Value {
    let mut fields = Map::new();
    fields.insert("id".into(), json!(id));
    for key in ["as_a", "i_want", "so_that"] {
        fields.insert(key.into(), json!(harmless(fact.field(key))));
    }
    let criteria: Vec<String> = fact.criteria.iter().chain(later).map(|text| harmless(text)).collect();
    let open: Vec<&str> = [("acceptance_criteria", criteria.is_empty()), ("links", fact.links.is_empty())]
        .into_iter()
        .filter_map(|(key, is_open)| is_open.then_some(key))
        .collect();
    fields.insert("acceptance_criteria".into(), json!(criteria));
    fields.insert("links".into(), json!(fact.links));
    fields.insert("open".into(), json!(open));
    Value::Object(fields)
}

/// A CSV artifact: rows of the traceability matrix under its header, answers under that of answers.
pub(super) fn csv(material: &Material<'_>, text: &str, parts: &[Part]) -> Written {
    let wanted = parts.iter().any(|part| part.named.kind == "header" && part.named.name == MATRIX);
    let header = if wanted { MATRIX } else { ANSWERS };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let own = body.lines().next().unwrap_or_default().trim_end();
    if !body.is_empty() && own != header {
        return Written::Left(format!("rows need the header {header}, and it has another"));
    }
    // An unclosed quotation mark would take our rows into its cell.
    if body.matches('"').count() % 2 == 1 {
        return Written::Left("a quotation mark in it is not closed".to_owned());
    }
    let rows = if wanted { matrix(material, body) } else { answers(material, parts) };
    let mut new = if body.is_empty() { format!("{text}{header}{end}") } else { text.to_owned() };
    if !new.ends_with('\n') {
        new.push_str(end);
    }
    for row in &rows {
        // Two hyphens are what the matrix has for "none", and nothing that a spreadsheet calculates.
        let cells: Vec<String> =
            row.iter().map(|text| if text == "--" { text.clone() } else { cell(text) }).collect();
        new.push_str(&cells.join(","));
        new.push_str(end);
    }
    let what = plain::count(rows.len(), "row");
    if rows.is_empty() && !body.is_empty() {
        return Written::Into { text: text.to_owned(), section: String::new(), what };
    }
    Written::Into { text: new, section: "rows".to_owned(), what }
}

/// One row for each requirement and quality goal that has none, with those of this step.
fn matrix(material: &Material<'_>, body: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(body.as_bytes());
    let known: BTreeSet<String> = reader
        .records()
        .flatten()
        .filter_map(|row| Some(row.get(0)?.trim().to_owned()))
        .collect::<BTreeSet<_>>();
    let facts = || material.draft.facts.iter().map(|(fact, _)| fact);
    let new = |label| material.defined.minted(label, facts());
    let stories = new(Label::Story);
    let of = |kind: &'static str, label: Label| -> Vec<String> {
        let known = material.defined.requirements().filter(move |id| id.starts_with(kind)).map(str::to_owned);
        known.chain(new(label).into_iter().map(|(id, _)| id)).collect()
    };
    let row = |id: String| {
        let own = material.defined.serving(&id).into_iter();
        let added =
            stories.iter().filter(|(_, fact)| fact.links.contains(&id)).map(|(story, _)| story.as_str());
        let serving: Vec<&str> = own.chain(added).collect();
        let serving = if serving.is_empty() { "--".to_owned() } else { serving.join(", ") };
        let priority = facts::priority(material, &id).unwrap_or("--").to_owned();
        vec![id, serving, priority, "Draft".to_owned()]
    };
    let all = of("FR-", Label::Requirement).into_iter().chain(of("NFR-", Label::Quality));
    all.filter(|id| !known.contains(id)).map(row).collect()
}

fn answers(material: &Material<'_>, parts: &[Part]) -> Vec<Vec<String>> {
    let share = merged(parts);
    let head = [material.step.id.clone(), material.at.to_string()];
    let row = |question: &str, answer: &str, by: &str| {
        head.iter().cloned().chain([question, answer, by].map(str::to_owned)).collect::<Vec<_>>()
    };
    let said = share.entries.iter().chain(&share.feedback);
    let said = said.map(|entry| row(&entry.asked, &entry.lines.join("; "), &entry.by));
    said.chain(share.open.iter().map(|open| row(&open.text, "", ""))).collect()
}

/// A YAML artifact: operations where the step names them, and what was said as notes.
pub(super) fn yaml(material: &Material<'_>, name: &str, text: &str, parts: &[Part]) -> Written {
    let share = merged(parts);
    let list = parts.iter().find(|part| part.named.kind == "key").map(|part| part.named.name.clone());
    let operations = match &list {
        Some(key) if key == "operations" => material.draft.of(Label::Operation).map(operation).collect(),
        _ => Vec::new(),
    };
    let notes = notes(material, &share);
    let what = match operations.len() {
        0 => description(&share),
        count => format!("{}, {}", plain::count(count, "operation"), description(&share)),
    };
    let mut new = text.to_owned();
    if new.trim().is_empty() {
        new = format!("item: {}\n", json!(harmless(&material.item.name())));
    }
    let lists = [(list.clone().unwrap_or_default(), operations), ("notes".to_owned(), notes)];
    for (key, values) in lists.iter().filter(|(_, values)| !values.is_empty()) {
        match with_entries(&new, key, values) {
            Some(text) => new = text,
            None => {
                return Written::Left(format!(
                    "its `{key}` has no room at its end for another entry ({name})"
                ));
            }
        }
    }
    Written::Into { text: new, section: list.unwrap_or_else(|| "notes".to_owned()), what }
}

/// An operation in the fields of its form, those that were filled in; without its errors it is open.
fn operation(fact: &Fact) -> Value {
    let mut fields = Map::new();
    fields.insert("name".into(), json!(harmless(&fact.text)));
    for key in ["input", "output", "errors", "limits", "idempotent"] {
        let text = fact.field(key);
        // An operation may take nothing.
        if !text.is_empty() || key == "input" {
            fields.insert(key.into(), json!(harmless(text)));
        }
    }
    if fact.field("errors").is_empty() {
        fields.insert("open".into(), json!(["errors"]));
    }
    Value::Object(fields)
}

/// Whether a Markdown text has a table whose first column are ids.
pub(super) fn has_table(text: &str) -> bool {
    table(text).is_some()
}

/// The header's cells and the line after the last row of the last table with an `ID` column.
fn table(text: &str) -> Option<(Vec<String>, usize)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_lowercase()).collect()
    };
    let is_header = |at: &usize| {
        lines[*at].trim_start().starts_with('|')
            && cells(lines[*at]).first().is_some_and(|first| first == "id")
            && lines.get(at + 1).is_some_and(|next| next.contains("--"))
    };
    let header = (0..lines.len()).rfind(is_header)?;
    let rows = lines[header..].iter().take_while(|line| line.trim_start().starts_with('|')).count();
    Some((cells(lines[header]), header + rows))
}

/// Rows for new quality goals at the end of an existing table, in its own columns.
pub(super) fn rows(material: &Material<'_>, text: &str) -> Result<Written, Unplaced> {
    let goals = material.defined.minted(Label::Quality, material.draft.facts.iter().map(|(fact, _)| fact));
    let nothing = Written::Into { text: text.to_owned(), section: String::new(), what: String::new() };
    let Some((columns, at)) = table(text).filter(|_| !goals.is_empty()) else { return Ok(nothing) };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut new = lines[..at].concat();
    if !new.ends_with('\n') {
        new.push_str(end);
    }
    for (id, goal) in &goals {
        let field = |name: &str| {
            Some(goal.field(name))
                .filter(|text| !text.is_empty())
                .map_or_else(|| "--".to_owned(), plain::markdown)
        };
        let cell = |column: &String| match column.as_str() {
            "id" => id.clone(),
            "requirement" | "quality" | "goal" | "description" => plain::markdown(&goal.text),
            "target" | "number" | "metric" => field("target"),
            "conditions" | "condition" => field("conditions"),
            "how measured" | "measure" | "verification" => field("measure"),
            _ => "--".to_owned(),
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        new.push_str(&format!("| {} |{end}", cells.join(" | ")));
    }
    new.push_str(&lines[at..].concat());
    let section = "Non-Functional Requirements".to_owned();
    Ok(Written::Into { text: new, section, what: plain::count(goals.len(), "row") })
}

/// What a document of ours lists as open.
pub(crate) fn open_questions(name: &str, text: &str) -> Vec<String> {
    if name.ends_with(".md") {
        let open = text.lines().filter_map(crate::item::step::listed_as_open);
        return open.map(|(_, question)| question.replace('\\', "")).collect();
    }
    let value: Option<Value> = match name.rsplit('.').next() {
        Some("json") => serde_json::from_str(text).ok(),
        Some("yaml" | "yml") if too_deep(text).is_none() && text.contains("open: true") => {
            serde_yaml::from_str(text).ok()
        }
        _ => None,
    };
    let notes = value.as_ref().and_then(|value| value.get("notes")).and_then(Value::as_array);
    let open = notes.into_iter().flatten().filter(|note| note.get("open") == Some(&Value::Bool(true)));
    open.filter_map(|note| note.get("question").and_then(Value::as_str).map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_table_of_ids_takes_rows() {
        let text = "| ID | x |\n|----|---|\n| NFR-001 | y |\n\ntext\n";
        assert_eq!(table(text), Some((vec!["id".into(), "x".into()], 3)));
        assert!(!has_table("| a | b |\n|---|---|\n"));
    }

    #[test]
    fn open_questions_are_found_where_we_write_them() {
        let text = "- Step 01-01, question 1: Who\\*?\n- Step 01-01: Why?\n\n*Sam*\n- Step by step: no\n";
        assert_eq!(open_questions("a.md", text), ["Who*?", "Why?"]);
        let json = "{\"notes\": [{\"question\": \"Q?\", \"open\": true}, {\"question\": \"R?\", \"answer\": \"x\"}]}";
        assert_eq!(open_questions("a.json", json), ["Q?"]);
    }
}
