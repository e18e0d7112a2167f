//! Artifacts that programs read: user stories as JSON, the traceability matrix as CSV, operations as
//! YAML, the table of quality goals. They are made of data, not of text, so that they parse whatever was
//! said; `schemas/` says what they look like. What a file holds stays: lists and tables grow at their
//! end, and a file whose form leaves no room is left as it is.

use serde_json::{Map, Value, json};

use super::draft::{Draft, items};
use super::{Material, OPEN, Part, Written, description, facts, ids, priorities};
use crate::analysis::depth::before_ours;
use crate::front_matter::too_deep;
use crate::item::Item;
use crate::json::{Document, Kind};
use crate::plain::{self, without_comments};
use crate::synthesis::Unplaced;
use crate::synthesis::data::cell;
use crate::text::words::subjects;

/// The header of the traceability matrix (step 01-08).
pub const MATRIX: &str = "Requirement,User Story,Priority,Status";
/// The header that answers stand under in any other CSV file.
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
    for line in &share.confirmed {
        found.push(note("", Some(format!("{} ({})", line.text, line.source)), None));
    }
    for open in &share.open {
        found.push(note(open, None, None));
    }
    found
}

/// A JSON artifact: stories where the step names an array of them, and what was said as notes.
pub(super) fn json(material: &Material<'_>, name: &str, text: &str, parts: &[Part]) -> Written {
    let share = merged(parts);
    let list = parts.iter().find(|part| part.named.kind == "array").map(|part| part.named.name.clone());
    let stories = match &list {
        Some(_) => stories(material, &share),
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

/// The stories of what was said ("As a …, I want …, so that …"); where nobody told one, a story for
/// each requirement that has none yet, with what is not known named as open.
fn stories(material: &Material<'_>, share: &Draft) -> Vec<Value> {
    let mut next = ids::next(material.item, "US");
    let mut known = numbered(material.item, "FR");
    known.retain(|(_, text)| !text.is_empty());
    let mut found = Vec::new();
    for text in share.said().flat_map(items) {
        if let Some(told) = told(&text) {
            let criteria = criteria(share, &text);
            found.push(story(&ids::show("US", next), &told, links(&text, &known), criteria));
            next += 1;
        }
    }
    if found.is_empty() && !material.again {
        let linked = linked(material.item);
        for (id, text) in known.iter().filter(|(id, _)| !linked.contains(id)) {
            let told = Told { want: Some(text.clone()), ..Told::default() };
            let criteria = criteria(share, text);
            found.push(story(&ids::show("US", next), &told, vec![id.clone()], criteria));
            next += 1;
        }
    }
    found
}

/// The parts of a story.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    role: Option<String>,
    want: Option<String>,
    benefit: Option<String>,
}

/// Reads "As a ROLE, I want (to) GOAL(,) so that BENEFIT".
fn told(text: &str) -> Option<Told> {
    let lower = text.to_ascii_lowercase();
    let at = ["as a ", "as an ", "as the "]
        .iter()
        .filter_map(|lead| lower.find(lead).map(|at| (at, at + lead.len())))
        .min()?;
    let want = lower[at.1..].find("i want").map(|found| at.1 + found)?;
    let role = text[at.1..want].trim().trim_end_matches(',').trim();
    let rest = want + "i want".len();
    let benefit = lower[rest..].find("so that").map(|found| rest + found);
    let goal = text[rest..benefit.unwrap_or(text.len())].trim().trim_end_matches([',', '.']).trim();
    let clause =
        |text: &str| Some(text.trim().trim_end_matches('.').to_owned()).filter(|text| !text.is_empty());
    let benefit = benefit.and_then(|at| clause(&text[at + "so that".len()..]));
    let told = Told { role: clause(role), want: clause(goal), benefit };
    (told.role.is_some() && told.want.is_some()).then_some(told)
}

/// The acceptance criteria ("Given …, When …, Then …") that speak of a story more than of nothing.
fn criteria(share: &Draft, story: &str) -> Vec<String> {
    let about = subjects(story);
    let is_criterion = |text: &&str| {
        let text = text.to_lowercase();
        text.starts_with("given ") && text.contains("when ") && text.contains("then ")
    };
    let speaks = |text: &&str| subjects(text).iter().any(|word| about.contains(word));
    share.said().filter(is_criterion).filter(speaks).map(harmless).collect()
}

fn story(id: &str, told: &Told, links: Vec<String>, criteria: Vec<String>) -> Value {
    let mut fields = Map::new();
    fields.insert("id".into(), json!(id));
    let mut open: Vec<&str> = Vec::new();
    for (key, value) in [("as_a", &told.role), ("i_want", &told.want), ("so_that", &told.benefit)] {
        match value {
            Some(text) => drop(fields.insert(key.into(), json!(harmless(text)))),
            None => open.push(key),
        }
    }
    if criteria.is_empty() {
        open.push("acceptance_criteria");
    }
    fields.insert("acceptance_criteria".into(), json!(criteria));
    fields.insert("links".into(), json!(links));
    open.push("priority");
    fields.insert("open".into(), json!(open));
    Value::Object(fields)
}

/// The requirements that a story serves: those it names, else those it shares most subjects with.
fn links(text: &str, known: &[(String, String)]) -> Vec<String> {
    let named: Vec<String> = ids::all(text);
    if !named.is_empty() {
        return named;
    }
    let said = subjects(text);
    let shared = |about: &str| subjects(about).iter().filter(|word| said.contains(word)).count();
    let best = known.iter().map(|(_, about)| shared(about)).max().filter(|most| *most >= 2);
    known.iter().filter(|(_, about)| Some(shared(about)) == best).map(|(id, _)| id.clone()).collect()
}

/// The ids of a kind that are given to something, with the text behind each: `**FR-001**: text`, `### FR-001:
/// text` and table rows. A mention in an answer gives no id to anything.
fn numbered(item: &Item, kind: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (_, text) in item.documents().filter(|(name, _)| name.ends_with(".md")) {
        let (theirs, ours) = before_ours(text);
        let lines = theirs.lines().map(|line| (line, false)).chain(ours.lines().map(|line| (line, true)));
        for (line, is_ours) in lines {
            let plain = line.trim().trim_start_matches(['#', '-', '*', '|', ' ']);
            let marked =
                line.starts_with('#') || line.starts_with('|') || line.contains(&format!("**{kind}-"));
            let Some(number) = ids::of_text(plain, kind).into_iter().next() else { continue };
            let id = ids::show(kind, number);
            let Some(rest) = plain.strip_prefix(&id).filter(|_| marked || !is_ours) else { continue };
            let rest = rest.trim_start_matches(['*', ':', '|', ' ', '.', '-']);
            let rest = rest.split('|').next().unwrap_or_default().trim();
            if !found.iter().any(|(known, _)| *known == id) {
                found.push((id, rest.replace('\\', "")));
            }
        }
    }
    found.sort();
    found
}

/// How many ids of a kind are given to something.
pub(super) fn given(item: &Item, kind: &str) -> usize {
    numbered(item, kind).len()
}

/// The requirements that a story links to already.
fn linked(item: &Item) -> Vec<String> {
    serving(item).into_iter().map(|(requirement, _)| requirement).collect()
}

/// Pairs of a requirement and a story that serves it, from every JSON document of stories.
fn serving(item: &Item) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, text) in item.documents().filter(|(name, _)| name.ends_with(".json")) {
        let Ok(document) = Document::read(name, text.as_bytes()) else { continue };
        let list = document.value().get("stories").unwrap_or(document.value());
        for story in list.as_array().into_iter().flatten() {
            let Some(id) = story.get("id").and_then(Value::as_str) else { continue };
            for link in story.get("links").and_then(Value::as_array).into_iter().flatten() {
                found.extend(link.as_str().map(|link| (link.to_owned(), id.to_owned())));
            }
        }
    }
    found
}

/// Every requirement and quality goal of the item, in order.
pub(super) fn requirements(item: &Item) -> Vec<String> {
    let of = |kind: &str| numbered(item, kind).into_iter().map(|(id, _)| id);
    of("FR").chain(of("NFR")).collect()
}

/// A CSV artifact: rows of the traceability matrix under its header, answers under that of answers.
pub(super) fn csv(material: &Material<'_>, text: &str, parts: &[Part]) -> Written {
    let wanted = parts.iter().any(|part| part.named.kind == "header" && part.named.name == MATRIX);
    let header = if wanted { MATRIX } else { ANSWERS };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let own = body.lines().next().unwrap_or_default().trim_end();
    if !body.is_empty() && own != header {
        return Written::Left(format!("rows stand under the header {header}, and it has another"));
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

/// One row for each requirement that has none.
fn matrix(material: &Material<'_>, body: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(body.as_bytes());
    let stand: Vec<String> =
        reader.records().flatten().filter_map(|row| Some(row.get(0)?.trim().to_owned())).collect();
    let given = priorities::given(material.draft.said());
    let serving = serving(material.item);
    let row = |id: String| {
        let stories: Vec<&str> = serving
            .iter()
            .filter(|(requirement, _)| *requirement == id)
            .map(|(_, story)| story.as_str())
            .collect();
        let stories = if stories.is_empty() { "--".to_owned() } else { stories.join(", ") };
        let priority = given.get(&id).copied().unwrap_or("--").to_owned();
        vec![id, stories, priority, "Draft".to_owned()]
    };
    requirements(material.item).into_iter().filter(|id| !stand.contains(id)).map(row).collect()
}

fn answers(material: &Material<'_>, parts: &[Part]) -> Vec<Vec<String>> {
    let share = merged(parts);
    let head = [material.step.id.clone(), material.at.to_string()];
    let row = |question: &str, answer: &str, by: &str| {
        head.iter().cloned().chain([question, answer, by].map(str::to_owned)).collect::<Vec<_>>()
    };
    let said = share.entries.iter().chain(&share.feedback);
    let said = said.map(|entry| row(&entry.asked, &entry.lines.join("; "), &entry.by));
    let confirmed = share.confirmed.iter().map(|line| row("", &line.text, ""));
    said.chain(confirmed).chain(share.open.iter().map(|open| row(open, "", ""))).collect()
}

/// A YAML artifact: operations where the step names them, and what was said as notes.
pub(super) fn yaml(material: &Material<'_>, name: &str, text: &str, parts: &[Part]) -> Written {
    let share = merged(parts);
    let list = parts.iter().find(|part| part.named.kind == "key").map(|part| part.named.name.clone());
    let about = parts.iter().map(|part| part.named.about.as_str()).collect::<Vec<_>>().join(" ");
    let operations = match &list {
        Some(key) if key == "operations" => operations(material, &share, about.contains("each confirmed")),
        _ => Vec::new(),
    };
    let mut notes = notes(material, &share);
    if notes.is_empty() && operations.is_empty() && text.is_empty() && !about.is_empty() {
        let open = Draft { open: vec![plain::capital(&about)], ..Draft::default() };
        notes = self::notes(material, &open);
    }
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

/// A YAML text with entries at the end of the block list under a top-level key; none where what stood
/// there would not stay, or the list is written in another form.
fn with_entries(text: &str, key: &str, values: &[Value]) -> Option<String> {
    if too_deep(text).is_some() {
        return None;
    }
    let before: serde_yaml::Value = serde_yaml::from_str(text).ok()?;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_key = |line: &&str| line.trim_end() == format!("{key}:");
    let own = lines.iter().position(is_key);
    let entries = |indent: &str| -> String {
        // JSON is YAML: one line an entry keeps words of others inside their quotation marks.
        values.iter().map(|value| block(value, indent, end)).collect()
    };
    let mut new = String::new();
    match own {
        None if before.get(key).is_some() => return None,
        None => {
            new.push_str(text);
            if !text.is_empty() && !text.ends_with('\n') {
                new.push_str(end);
            }
            new.push_str(&format!("{key}:{end}{}", entries("  ")));
        }
        Some(own) => {
            // Comments between entries belong to the list; those behind its last line do not.
            let belongs = |line: &&&str| {
                let bare = line.trim_start();
                line.starts_with([' ', '\t'])
                    || bare.starts_with("- ")
                    || bare.starts_with('#')
                    || bare.trim().is_empty()
            };
            let mut at = own + 1 + lines[own + 1..].iter().take_while(belongs).count();
            let is_nothing = |line: &str| line.trim().is_empty() || line.starts_with('#');
            while at > own + 1 && is_nothing(lines[at - 1]) {
                at -= 1;
            }
            let first = lines[own + 1..at].iter().find(|line| line.trim_start().starts_with("- "))?;
            let indent = &first[..first.len() - first.trim_start().len()];
            new.push_str(&lines[..at].concat());
            if !new.ends_with('\n') {
                new.push_str(end);
            }
            new.push_str(&entries(indent));
            new.push_str(&lines[at..].concat());
        }
    }
    let after: serde_yaml::Value = serde_yaml::from_str(&new).ok()?;
    let list = |value: &serde_yaml::Value| {
        value.get(key).and_then(serde_yaml::Value::as_sequence).cloned().unwrap_or_default()
    };
    let (was, is) = (list(&before), list(&after));
    (is.len() == was.len() + values.len() && is.starts_with(&was)).then_some(new)
}

/// An entry of a block list: a field a line, each value as JSON.
fn block(value: &Value, indent: &str, end: &str) -> String {
    let Some(fields) = value.as_object() else { return format!("{indent}- {value}{end}") };
    let mut out = String::new();
    for (at, (key, value)) in fields.iter().enumerate() {
        let lead = if at == 0 { "- " } else { "  " };
        out.push_str(&format!("{indent}{lead}{key}: {value}{end}"));
    }
    out
}

/// Operations: an entry of the first answer each where the step asks for all of them, else whatever
/// looks like a signature.
fn operations(material: &Material<'_>, share: &Draft, all: bool) -> Vec<Value> {
    let signature = |text: &str| {
        let head = text.split('(').next().unwrap_or_default();
        let is_name = !head.is_empty()
            && head.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-'));
        text.contains('(') && is_name
    };
    let mut found: Vec<String> = material.draft.first.iter().filter(|_| all).cloned().collect();
    for entry in share.said().flat_map(items) {
        if signature(&entry) && !found.contains(&entry) {
            found.push(entry);
        }
    }
    found.iter().map(|text| operation(text, signature(text))).collect()
}

fn operation(text: &str, is_signature: bool) -> Value {
    let name = text.split(['(', ':', ',']).next().unwrap_or(text).trim();
    let mut fields = Map::new();
    fields.insert("name".into(), json!(harmless(&plain::cut(name, 80))));
    fields.insert("statement".into(), json!(harmless(text)));
    let mut open = vec!["errors", "limits", "idempotent"];
    if is_signature {
        let call = text.split_once("->").or_else(|| text.split_once("=>"));
        let (call, output) = call.map_or((text, None), |(call, output)| (call, Some(output.trim())));
        let input =
            call.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map(|(input, _)| input.trim());
        fields.insert("input".into(), json!(harmless(input.unwrap_or_default())));
        match output {
            Some(output) => drop(fields.insert("output".into(), json!(harmless(output)))),
            None => open.insert(0, "output"),
        }
    } else {
        open.splice(0..0, ["input", "output"]);
    }
    fields.insert("open".into(), json!(open));
    Value::Object(fields)
}

/// Whether a Markdown text has a table whose first column are ids.
pub(super) fn has_table(text: &str) -> bool {
    table(text).is_some()
}

/// The header's cells and the line behind the last row of the last table with an `ID` column.
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

/// Rows for new quality goals at the end of a table that stands, in its own columns.
pub(super) fn rows(material: &Material<'_>, text: &str) -> Result<Written, Unplaced> {
    let goals = facts::goals(material);
    let nothing = Written::Into { text: text.to_owned(), section: String::new(), what: String::new() };
    let Some((columns, at)) = table(text).filter(|_| !goals.is_empty()) else { return Ok(nothing) };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut new = lines[..at].concat();
    if !new.ends_with('\n') {
        new.push_str(end);
    }
    for goal in &goals {
        let cell = |column: &String| match column.as_str() {
            "id" => goal.id.clone(),
            "requirement" | "quality" | "goal" | "description" => plain::markdown(&goal.text),
            "target" | "number" | "metric" => plain::markdown(&goal.number),
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
    let mut found = Vec::new();
    if name.ends_with(".md") {
        let mut within = false;
        for line in text.lines() {
            match line.strip_prefix("- ") {
                Some(question) if within => found.push(question.replace('\\', "")),
                _ if line.starts_with(OPEN) => within = true,
                _ if line.trim().is_empty() => {}
                _ => within = false,
            }
        }
        return found;
    }
    let value: Option<Value> = match name.rsplit('.').next() {
        Some("json") => serde_json::from_str(text).ok(),
        Some("yaml" | "yml") if too_deep(text).is_none() && text.contains("open: true") => {
            serde_yaml::from_str(text).ok()
        }
        _ => None,
    };
    let notes = value.as_ref().and_then(|value| value.get("notes")).and_then(Value::as_array);
    for note in notes.into_iter().flatten().filter(|note| note.get("open") == Some(&Value::Bool(true))) {
        found.extend(note.get("question").and_then(Value::as_str).map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_read_in_its_three_parts() {
        let found = told("As a librarian, I want to waive a fee, so that readers come back.").unwrap();
        assert_eq!(
            found,
            Told {
                role: Some("librarian".into()),
                want: Some("to waive a fee".into()),
                benefit: Some("readers come back".into())
            }
        );
        assert_eq!(told("As an auditor I want a log").unwrap().benefit, None);
        assert!(told("I want a log as a file").is_none() && told("as a rule, nothing").is_none());
    }

    #[test]
    fn yaml_lists_grow_at_their_end_and_nothing_else_moves() {
        let entry = [json!({"name": "x: [", "open": ["a"]})];
        for (before, after) in [
            ("a: 1\n", "a: 1\noperations:\n  - name: \"x: [\"\n    open: [\"a\"]\n"),
            (
                "operations:\n- name: y\n\n# end\nnotes: 1\n",
                "operations:\n- name: y\n- name: \"x: [\"\n  open: [\"a\"]\n\n# end\nnotes: 1\n",
            ),
        ] {
            let found = with_entries(before, "operations", &entry).unwrap();
            assert_eq!(found, after);
            assert!(crate::additive::yaml::losses(before.as_bytes(), found.as_bytes()).is_empty());
        }
        assert!(with_entries("operations: []\n", "operations", &entry).is_none());
        assert!(with_entries("operations: [\n", "operations", &entry).is_none());
    }

    #[test]
    fn the_last_table_of_ids_takes_rows() {
        let text = "| ID | x |\n|----|---|\n| NFR-001 | y |\n\ntext\n";
        assert_eq!(table(text), Some((vec!["id".into(), "x".into()], 3)));
        assert!(!has_table("| a | b |\n|---|---|\n"));
    }

    #[test]
    fn open_questions_are_found_where_we_write_them() {
        let text = "Open after step 01-01:\n\n- Who\\*?\n- Why?\n\n*Sam*\n- no\n";
        assert_eq!(open_questions("a.md", text), ["Who*?", "Why?"]);
        let json = "{\"notes\": [{\"question\": \"Q?\", \"open\": true}, {\"question\": \"R?\", \"answer\": \"x\"}]}";
        assert_eq!(open_questions("a.json", json), ["Q?"]);
    }
}
