//! A table whose columns are those of a form: each row is one.

use super::line::{class, fields, shaped};
use super::{Fact, Label, is_id};

/// The forms that may come as a table: a column that tells it, and the column with what it is about.
const TABLES: [(Label, &[&str], &[&str]); 10] = [
    (Label::Error, &["code", "error"], &["code", "error"]),
    (Label::Flow, &["from", "flow"], &["from", "flow"]),
    (Label::Risk, &["likelihood"], &["risk"]),
    (Label::Quality, &["target", "measure"], &["requirement", "quality", "nfr", "goal"]),
    (Label::Priority(0), &["priority"], &["id", "requirement"]),
    (Label::Term, &["term"], &["term"]),
    (Label::Module, &["module"], &["module"]),
    (Label::Operation, &["operation", "op"], &["operation", "op"]),
    (Label::Story, &["i want"], &["as a"]),
    (Label::Requirement, &["requirement", "feature", "fr"], &["requirement", "feature", "fr"]),
];

/// The rows of the table that some lines begin with, each as its facts, and how many lines it takes. None where it
/// is no table, or one with a column or a row that the form has not: then all of it is a note.
pub(super) fn read(lines: &[&str]) -> Option<(Vec<Vec<Fact>>, usize)> {
    let header: Vec<String> = cells(lines.first()?)?.iter().map(|cell| cell.to_lowercase()).collect();
    let is_rule = |line: &&str| {
        cells(line).is_some_and(|cells| {
            cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':')))
        })
    };
    lines.get(1).filter(|line| is_rule(line))?;
    // The next table begins two lines before its own rule.
    let end = (2..lines.len())
        .find(|at| cells(lines[*at]).is_none() || lines.get(at + 1).is_some_and(is_rule))
        .unwrap_or(lines.len());
    let has = |names: &[&str]| header.iter().any(|cell| names.contains(&cell.as_str()));
    let (label, _, about) = TABLES.iter().find(|(_, tells, about)| has(tells) && has(about))?;
    let is_ranked = has(&["id"]) && has(&["requirement"]) && has(&["priority"]);
    let rows = lines[2..end].iter().map(|line| match cells(line)? {
        cells if is_ranked => ranked(&header, &cells),
        cells => Some(vec![row(*label, about, &header, &cells)?]),
    });
    let facts: Option<Vec<Vec<Fact>>> = rows.collect();
    facts.filter(|facts| !facts.is_empty()).map(|facts| (facts, end))
}

/// The cells of a row; a bar behind a backslash is a sign of its cell (GitHub Flavored Markdown, "Tables").
fn cells(line: &str) -> Option<Vec<String>> {
    const BAR: char = '\u{e000}';
    let line = line.trim().replace("\\|", BAR.encode_utf8(&mut [0; 3]));
    let inner = line.strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    Some(inner.split('|').map(|cell| cell.trim().replace(BAR, "|")).collect())
}

/// `| FR-001 | what | Must |`: a requirement and its priority.
fn ranked(header: &[String], cells: &[String]) -> Option<Vec<Fact>> {
    let without: Vec<usize> = (0..header.len()).filter(|at| header[*at] != "priority").collect();
    let pick =
        |all: &[String]| -> Vec<String> { without.iter().filter_map(|at| all.get(*at).cloned()).collect() };
    let about = &["requirement"];
    let requirement = row(Label::Requirement, about, &pick(header), &pick(cells))?;
    let priority = cells.get(header.iter().position(|name| name == "priority")?)?;
    let label = Label::Priority(class(priority)?);
    let priority = Fact { links: vec![requirement.id.clone()?], ..Fact::new(label, "") };
    Some(vec![requirement, priority])
}

fn row(label: Label, about: &[&str], header: &[String], cells: &[String]) -> Option<Fact> {
    if cells.len() > header.len() {
        return None;
    }
    let at = header.iter().position(|name| about.contains(&name.as_str()))?;
    let head = cells.get(at)?.as_str();
    let mut fact = begun(label, head, header, cells)?;
    for (name, value) in header.iter().zip(cells).filter(|(_, value)| !value.is_empty()) {
        let name = name.as_str();
        if about.contains(&name) || own(label, name) {
            continue;
        }
        if name == "id" {
            fact.id = Some(value.clone()).filter(|id| is_id(id));
            fact.id.as_ref()?;
            continue;
        }
        let (key, _) = fields(label).iter().find(|(key, others)| *key == name || others.contains(&name))?;
        fact.fields.insert(key, value.clone());
    }
    Some(fact)
}

/// Columns that [`begun`] has read.
fn own(label: Label, name: &str) -> bool {
    match label {
        Label::Error => name == "cause",
        Label::Term => matches!(name, "meaning" | "definition"),
        Label::Module => matches!(name, "responsibility" | "duty"),
        Label::Operation => matches!(name, "input" | "output"),
        Label::Flow => matches!(name, "to" | "data"),
        Label::Story => matches!(name, "i want" | "so that"),
        Label::Priority(_) => name == "priority",
        _ => false,
    }
}

/// A row's fact before its further columns.
fn begun(label: Label, head: &str, header: &[String], cells: &[String]) -> Option<Fact> {
    let cell = |names: &[&str]| {
        let at = header.iter().position(|name| names.contains(&name.as_str()))?;
        cells.get(at).map(String::as_str).filter(|cell| !cell.is_empty())
    };
    match label {
        Label::Error => shaped(label, &format!("{head}: {}", cell(&["cause"])?)),
        Label::Term => shaped(label, &format!("{head}={}", cell(&["meaning", "definition"])?)),
        Label::Module => shaped(label, &format!("{head}: {}", cell(&["responsibility", "duty"])?)),
        Label::Operation if head.contains("->") => shaped(label, head),
        Label::Operation => {
            let name = head.split('(').next().unwrap_or_default();
            shaped(label, &format!("{name}({}) -> {}", cell(&["input"]).unwrap_or(""), cell(&["output"])?))
        }
        Label::Flow => {
            let to = cell(&["to"]).map(|to| format!(" -> {to}")).unwrap_or_default();
            let data = cell(&["data"]).map(|data| format!(": {data}")).unwrap_or_default();
            shaped(label, &format!("{head}{to}{data}"))
        }
        Label::Story => {
            let mut fact = Fact::new(label, "");
            for (key, name) in [("as_a", "as a"), ("i_want", "i want"), ("so_that", "so that")] {
                fact.fields.insert(key, cell(&[name])?.to_owned());
            }
            Some(fact)
        }
        Label::Priority(_) => {
            let label = Label::Priority(class(cell(&["priority"])?)?);
            is_id(head).then(|| Fact { links: vec![head.to_owned()], ..Fact::new(label, "") })
        }
        _ => shaped(label, head),
    }
}
