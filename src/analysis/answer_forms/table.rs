//! A table whose columns are those of a form: each row is one.

use super::line::{class, fields, shaped};
use super::{Fact, Label, is_id};

/// The forms that may come as a table: a column that tells it, and the column with what it is about.
const TABLES: [(Label, &[&str], &[&str]); 9] = [
    (Label::Error, &["code"], &["code"]),
    (Label::Risk, &["likelihood"], &["risk"]),
    (Label::Quality, &["target", "measure"], &["requirement", "quality", "nfr", "goal"]),
    (Label::Priority(0), &["priority"], &["id", "requirement"]),
    (Label::Term, &["term"], &["term"]),
    (Label::Module, &["module"], &["module"]),
    (Label::Operation, &["operation"], &["operation"]),
    (Label::Story, &["i want"], &["as a"]),
    (Label::Requirement, &["requirement", "feature", "fr"], &["requirement", "feature", "fr"]),
];

/// The rows of the table that some lines begin with, as facts, and how many lines it takes. None where it
/// is no table, or one with a column or a row that the form has not: then all of it is a note.
pub(super) fn read(lines: &[&str]) -> Option<(Vec<Fact>, usize)> {
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
    let rows = lines[2..end].iter().map(|line| row(*label, about, &header, &cells(line)?));
    let facts: Option<Vec<Fact>> = rows.collect();
    facts.filter(|facts| !facts.is_empty()).map(|facts| (facts, end))
}

fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    Some(inner.split('|').map(str::trim).collect())
}

fn row(label: Label, about: &[&str], header: &[String], cells: &[&str]) -> Option<Fact> {
    if cells.len() > header.len() {
        return None;
    }
    let at = header.iter().position(|name| about.contains(&name.as_str()))?;
    let head = *cells.get(at)?;
    let mut fact = begun(label, head, header, cells)?;
    for (name, value) in header.iter().zip(cells).filter(|(_, value)| !value.is_empty()) {
        let name = name.as_str();
        if about.contains(&name) || own(label, name) {
            continue;
        }
        if name == "id" {
            fact.id = Some((*value).to_owned()).filter(|id| is_id(id));
            fact.id.as_ref()?;
            continue;
        }
        let (key, _) = fields(label).iter().find(|(key, others)| *key == name || others.contains(&name))?;
        fact.fields.insert(key, (*value).to_owned());
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
        Label::Story => matches!(name, "i want" | "so that"),
        Label::Priority(_) => name == "priority",
        _ => false,
    }
}

/// A row's fact before its further columns.
fn begun(label: Label, head: &str, header: &[String], cells: &[&str]) -> Option<Fact> {
    let cell = |names: &[&str]| {
        let at = header.iter().position(|name| names.contains(&name.as_str()))?;
        cells.get(at).copied().filter(|cell| !cell.is_empty())
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
