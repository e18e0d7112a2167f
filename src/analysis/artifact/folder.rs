//! Outputs that are folders: decision records (one file a decision), module designs (one file a
//! module), and any other (one file a step).

use minijinja::context;

use super::draft::{Entry, Named};
use super::markdown::{self, asker, marker};
use super::{Material, Outcome, Part, Written, draft, facts, keep};
use crate::analysis::answer_forms::{Fact, Label};
use crate::synthesis::outline::{fits, insert};
use crate::synthesis::records::{self, Record, is_records, next_number, slug, squeezed, unlabelled};
use crate::synthesis::{Unplaced, existing};
use crate::text::template::safe;

/// Writes a step's share of a folder.
pub(super) fn write(
    material: &Material<'_>,
    folder: &str,
    parts: &[Part],
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    if is_records(folder) {
        return decided(material, folder, outcome);
    }
    for module in material.draft.of(Label::Module) {
        self::module(material, folder, module, outcome)?;
    }
    let has_words = parts.iter().any(|part| !part.share.is_empty());
    let is_new = !material.item.files.keys().any(|name| name.starts_with(&format!("{folder}/")));
    let named_any = material.draft.of(Label::Module).next().is_some();
    // The overview has what speaks of no module, or of all of them.
    if has_words || is_new && !named_any {
        add(material, &format!("{folder}/overview.md"), parts, outcome)?;
    }
    Ok(())
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

/// The file of one module: its duty, and the operations that carry its name.
fn module(
    material: &Material<'_>,
    folder: &str,
    module: &Fact,
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    let slug = Some(slug(&module.text, 48)).filter(|slug| !slug.is_empty() && slug != "overview");
    let slug = slug.unwrap_or_else(|| format!("module-{}", material.step.id));
    let name = format!("{folder}/{slug}.md");
    let path = format!("{}/{name}", material.item.path);
    let before = existing(material.item, &name, &path)?;
    let is_own = |fact: &&Fact| {
        let lead = fact.text.split(['.', ':', '/']).next().unwrap_or_default();
        lead.len() < fact.text.len() && lead == module.text
    };
    let operations = material.draft.of(Label::Operation).filter(is_own).map(|fact| fact.said.clone());
    let values = context! {
        marker => safe(marker(material)),
        name => module.text.as_str(),
        duty => module.field("duty"),
        operations => operations.collect::<Vec<String>>(),
        is_new => before.is_none(),
    };
    let text = squeezed(&material.library.templates.render("artifacts/module.md", values)?);
    let written = match before.as_deref().map(std::str::from_utf8) {
        None => Written::Into {
            text: text + "\n",
            section: "Responsibility".to_owned(),
            what: "1 module".to_owned(),
        },
        Some(Ok(earlier)) => {
            let inserted = insert(earlier, earlier.len(), &text);
            if fits(earlier, &inserted) {
                Written::Into {
                    text: inserted.text,
                    section: "Responsibility".to_owned(),
                    what: "1 module".to_owned(),
                }
            } else {
                Written::Left("it ends in an open fence, comment or HTML block".to_owned())
            }
        }
        Some(Err(_)) => Written::Left("it is not UTF-8 text".to_owned()),
    };
    keep(outcome, path, before, written);
    Ok(())
}

/// A decision record a decision of what was said (US-005).
fn decided(material: &Material<'_>, folder: &str, outcome: &mut Outcome) -> Result<(), Unplaced> {
    let said = material.draft.entries.iter().chain(&material.draft.feedback);
    let decisions = said.flat_map(|entry| entry.decisions.iter().map(move |(text, why)| (entry, text, why)));
    let first = next_number(material.item.files.keys(), folder);
    for (number, (entry, decision, rationale)) in (first..).zip(decisions) {
        record(material, folder, number, (entry, decision, rationale.as_deref()), outcome)?;
    }
    Ok(())
}

type Decision<'d> = (&'d Entry, &'d String, Option<&'d str>);

fn record(
    material: &Material<'_>,
    folder: &str,
    number: u32,
    (from, text, rationale): Decision<'_>,
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    let status = format!("Accepted by {}, {} (step {})", from.by, material.at.day(), material.step.id);
    // The other answers of the step are the decision's context, or its consequences.
    let parts: Vec<Named> =
        material.library.steps.iter().flat_map(draft::named).filter(|part| part.file == folder).collect();
    let is_consequence = |entry: &&Entry| {
        parts.get(draft::belongs(&entry.asked, &parts)).is_some_and(|part| part.name == "Consequences")
    };
    let own = |entry: &Entry| -> Vec<String> {
        let is_other = |line: &&String| from != entry || !line.contains(text.as_str());
        entry.lines.iter().filter(is_other).cloned().collect()
    };
    let entries = material.draft.entries.iter();
    let (consequences, context_entries): (Vec<&Entry>, Vec<&Entry>) = entries.partition(is_consequence);
    let shown = |entries: Vec<&Entry>| -> Vec<records::AnsweredQuestion> {
        let shown = entries.into_iter().map(|entry| (entry.asked.clone(), own(entry)));
        shown.filter(|(_, lines)| !lines.is_empty()).collect()
    };
    let record = Record {
        number,
        title: unlabelled(text),
        status,
        marker: marker(material),
        step_id: &material.step.id,
        persona: asker(material.persona),
        context: shown(context_entries),
        consequences: shown(consequences),
        decision: text,
        rationale: rationale.unwrap_or_default(),
    };
    let (file, text) = record.file(material.library)?;
    let name = format!("{folder}/{file}");
    let path = format!("{}/{name}", material.item.path);
    let before = existing(material.item, &name, &path)?;
    let written = Written::Into { text, section: "Decision".to_owned(), what: "1 decision".to_owned() };
    keep(outcome, path, before, written);
    Ok(())
}
