//! Outputs that are folders: decision records (one file a decision), module designs (one file a
//! module), and any other (one file a step).

use minijinja::{Value, context};

use super::draft::{Entry, Named};
use super::markdown::{self, asker, marker, squeezed};
use super::{Draft, Material, Outcome, Part, Written, draft, facts, keep};
use crate::item::Item;
use crate::minutes::{Forms, decisions_in};
use crate::plain;
use crate::synthesis::{Unplaced, existing};
use crate::template::safe;

/// Whether a folder holds decision records.
pub(super) fn is_records(folder: &str) -> bool {
    matches!(folder.to_ascii_lowercase().as_str(), "adr" | "adrs" | "decisions")
}

/// Writes a step's share of a folder.
pub(super) fn write(
    material: &Material<'_>,
    folder: &str,
    parts: &[Part],
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    if is_records(folder) {
        return records(material, folder, outcome);
    }
    let of_its_own = parts.iter().any(|part| part.named.about.contains("file of its own"));
    let mut rest: Vec<Part> = Vec::new();
    let modules = if of_its_own { modules(material) } else { Vec::new() };
    for module in &modules {
        self::module(material, folder, module, parts, outcome)?;
    }
    // What speaks of a module stands in its file; the overview has the rest, and what names them all.
    let is_apart =
        |line: &String| modules.iter().any(|module| module.is_meant(line) && *line != module.statement);
    for part in parts {
        let mut share = part.share.clone();
        for entry in share.entries.iter_mut().chain(&mut share.feedback) {
            entry.lines.retain(|line| !is_apart(line));
        }
        share.entries.retain(|entry| !entry.lines.is_empty());
        share.feedback.retain(|entry| !entry.lines.is_empty());
        rest.push(Part { named: part.named.clone(), share });
    }
    let name = format!("{folder}/overview.md");
    add(material, &name, &rest, outcome)
}

fn add(material: &Material<'_>, name: &str, parts: &[Part], outcome: &mut Outcome) -> Result<(), Unplaced> {
    let path = format!("{}/{name}", material.item.path);
    let before = existing(material.item, name, &path)?;
    let text = before.as_deref().map_or(Ok(""), std::str::from_utf8);
    let written = match text {
        Ok(text) => markdown::write(material, name, text, parts, &facts::facts)?,
        Err(_) => Written::Left("it is not UTF-8 text".to_owned()),
    };
    keep(outcome, path, before, written);
    Ok(())
}

/// A module that an answer names.
struct Module {
    name: String,
    slug: String,
    /// The entry that names it.
    statement: String,
}

impl Module {
    fn is_meant(&self, line: &str) -> bool {
        let (line, name) = (line.to_lowercase(), self.name.to_lowercase());
        let at = line.find(&name);
        at.is_some_and(|at| !line[at + name.len()..].starts_with(char::is_alphanumeric))
    }
}

/// The modules of the first answer: `name: what it does`.
fn modules(material: &Material<'_>) -> Vec<Module> {
    let mut found: Vec<Module> = Vec::new();
    for text in &material.draft.first {
        let Some((name, _)) =
            text.split_once(':').or_else(|| text.split_once(" - ")).or_else(|| text.split_once(" -- "))
        else {
            continue;
        };
        let name = plain::shown(name);
        let slug = slug(&name, 48);
        let is_name = !slug.is_empty() && name.split(' ').count() <= 4 && slug != "overview";
        if is_name && !found.iter().any(|module| module.slug == slug) {
            found.push(Module { name, slug, statement: text.clone() });
        }
    }
    found
}

/// The file of one module: what names it, under the first section, and every line that speaks of it
/// under the section that its question belongs to.
fn module(
    material: &Material<'_>,
    folder: &str,
    module: &Module,
    parts: &[Part],
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    let mut own: Vec<Part> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let mut share = Draft::default();
        for entry in part.share.entries.iter().chain(&part.share.feedback) {
            let lines: Vec<String> =
                entry.lines.iter().filter(|line| module.is_meant(line)).cloned().collect();
            let names_it = lines.contains(&module.statement);
            let lines = if names_it { vec![module.statement.clone()] } else { lines };
            let is_remark = entry.asked.is_empty();
            let own = if is_remark { &mut share.feedback } else { &mut share.entries };
            if !lines.is_empty() {
                own.push(Entry { lines, ..entry.clone() });
            }
        }
        if at == 0 && share.is_empty() {
            let by = material.draft.entries.first().map(|entry| entry.by.clone()).unwrap_or_default();
            let asked = material.draft.entries.first().map(|entry| entry.asked.clone()).unwrap_or_default();
            let lines = vec![module.statement.clone()];
            share.entries.push(Entry { asked, is_numbered: false, lines, by });
        }
        // What nobody has said of one module is open for all of them, in the overview.
        if !share.is_empty() {
            own.push(Part { named: part.named.clone(), share });
        }
    }
    add(material, &format!("{folder}/{}.md", module.slug), &own, outcome)
}

/// A decision record a decision of what was said (US-005); where nothing was decided, one that says
/// so, for the step's first time.
fn records(material: &Material<'_>, folder: &str, outcome: &mut Outcome) -> Result<(), Unplaced> {
    let said = material.draft.entries.iter().chain(&material.draft.feedback);
    let forms = Forms::of(material.library)?;
    let mut decisions: Vec<(&Entry, String, Option<String>)> = Vec::new();
    for entry in said {
        for line in &entry.lines {
            let found = decisions_in(line, &forms).into_iter();
            decisions.extend(found.map(|(decision, reason)| (entry, decision, reason)));
        }
    }
    let mut number = next_number(material.item, folder);
    for (entry, decision, rationale) in &decisions {
        record(material, folder, number, Some((entry, decision, rationale.as_deref())), outcome)?;
        number += 1;
    }
    if decisions.is_empty() && !material.again {
        record(material, folder, number, None, outcome)?;
    }
    Ok(())
}

type Decision<'d> = (&'d Entry, &'d String, Option<&'d str>);

fn record(
    material: &Material<'_>,
    folder: &str,
    number: u32,
    decision: Option<Decision<'_>>,
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    let title = decision.map_or(material.step.title.as_str(), |(_, text, _)| text.as_str());
    let date: String = material.at.to_string().chars().take(10).collect();
    let status = match decision {
        Some((entry, ..)) => format!("Accepted by {}, {date} (step {})", entry.by, material.step.id),
        None => format!("Proposed, {date} (step {})", material.step.id),
    };
    let parts = draft::named(material.step);
    let parts: Vec<Named> = parts.into_iter().filter(|part| part.file == folder).collect();
    let consequences: Vec<Value> = material
        .draft
        .entries
        .iter()
        .filter(|entry| {
            parts.get(draft::belongs(&entry.asked, &parts)).is_some_and(|part| part.name == "Consequences")
        })
        .map(shown)
        .collect();
    let context_entries: Vec<Value> = decision
        .iter()
        .filter(|(entry, ..)| !entry.asked.is_empty())
        .map(|(entry, ..)| shown(entry))
        .collect();
    let values = context! {
        number => format!("{number:04}"),
        title => plain::cut(title, 100),
        marker => safe(marker(material)),
        status,
        persona => asker(material.persona),
        step_id => material.step.id.as_str(),
        context_entries,
        consequences,
        decision => decision.map(|(_, text, _)| text.as_str()).unwrap_or_default(),
        rationale => decision.and_then(|(.., reason)| reason).unwrap_or_default(),
    };
    let text = material.library.templates.render("artifacts/adr.md", values)?;
    let slug = Some(slug(title, 48)).filter(|slug| !slug.is_empty()).unwrap_or_else(|| "decision".to_owned());
    let name = format!("{folder}/{number:04}-{slug}.md");
    let path = format!("{}/{name}", material.item.path);
    let before = existing(material.item, &name, &path)?;
    let what = if decision.is_some() { "1 decision" } else { "1 open decision" };
    let written =
        Written::Into { text: squeezed(&text) + "\n", section: "Decision".to_owned(), what: what.to_owned() };
    keep(outcome, path, before, written);
    Ok(())
}

fn shown(entry: &Entry) -> Value {
    context! { asked => entry.asked.as_str(), lines => entry.lines.clone() }
}

/// The first number that no record of the folder has.
fn next_number(item: &Item, folder: &str) -> u32 {
    let below = format!("{folder}/");
    let names = item.files.keys().filter_map(|name| name.strip_prefix(&below));
    let numbers = names.filter_map(|name| name.get(..4)?.parse::<u32>().ok());
    numbers.max().map_or(1, |last| last + 1)
}

/// A name for a file: lower-case letters and digits with hyphens between.
fn slug(text: &str, longest: usize) -> String {
    let mut slug = String::new();
    for c in text.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= longest {
            break;
        }
    }
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_safe_name() {
        assert_eq!(slug("Keep both answers, & ask!", 48), "keep-both-answers-ask");
        assert_eq!(slug("../../etc/passwd", 48), "etc-passwd");
        assert_eq!(slug("日本", 48), "");
        assert!(slug(&"ab ".repeat(60), 48).len() <= 48);
    }

    #[test]
    fn a_module_is_meant_by_its_whole_name() {
        let module = Module { name: "sync".into(), slug: "sync".into(), statement: String::new() };
        assert!(module.is_meant("the Sync module calls the store") && !module.is_meant("synchronous calls"));
    }
}
