//! What a section holds beside questions and answers: the facts of the documented forms, and the quick
//! scan's counts. Which of them a section gets follows from the artifact and the section's name, so that a step
//! of somebody's own that writes there gets it too.

use minijinja::{Value, context};

use super::draft::{Draft, Named};
use super::{Material, ids};
use crate::analysis::answer_forms::{CLASSES, Fact, Label};
use crate::analysis::depth::Size;
use crate::analysis::scan::{KINDS, Measure};
use crate::synthesis::Unplaced;
use crate::synthesis::records::squeezed;
use crate::text::plain;
use crate::text::template::safe;

/// Places of affected files that are named.
const MOST_FILES: usize = 15;
/// Where terms go: a section of its own, which no step names.
const GLOSSARY: &str = "Glossary";

/// Where a form's facts are written: the document, and a part of the section's name.
pub(super) const fn homes(label: Label) -> &'static [(&'static str, &'static str)] {
    match label {
        Label::Requirement | Label::Criterion => &[("requirements-spec.md", "functional requirements")],
        Label::Quality => &[("requirements-spec.md", "quality"), ("nfr-matrix.md", "")],
        Label::Story => &[("user-stories.json", "")],
        Label::Priority(_) => &[("requirements-spec.md", "prioritization")],
        Label::Module => &[("module-designs", "responsibility")],
        Label::Operation => &[("interface-spec.yaml", "")],
        Label::Error => &[("error-taxonomy.md", "errors")],
        Label::Flow => &[("data-flow.md", "flow")],
        Label::Term => &[("requirements-spec.md", "glossary")],
        Label::Risk => &[("requirements-spec.md", "risk")],
        Label::Decision => &[],
    }
}

/// The part of some steps' artifacts that is a form's home.
pub(super) fn home(parts: &[Named], file: &str, fragment: &str) -> Option<Named> {
    let is_file = |part: &&Named| part.file == file;
    if fragment == "glossary" {
        return parts.iter().find(is_file).map(|part| Named::section(&part.file, GLOSSARY));
    }
    parts.iter().find(|part| is_file(part) && fits(part, fragment)).cloned()
}

fn fits(part: &Named, fragment: &str) -> bool {
    let name = part.name.to_lowercase();
    name.contains(fragment) && !(fragment == "functional requirements" && name.contains("non-"))
}

/// The facts of a section; nothing where it has none.
pub(super) fn facts(material: &Material<'_>, part: &Named, file: &str) -> Result<String, Unplaced> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |template: &str, values: Value| -> Result<(), Unplaced> {
        let text = material.library.templates.render(&format!("artifacts/facts/{template}.md"), values)?;
        found.push(squeezed(&text));
        Ok(())
    };
    let name = part.name.to_lowercase();
    match (file, material.measure) {
        ("quick-scan.md", Some(measure)) if name == "scope" || states_scope(material, part) => {
            add("scope", scope(measure))?;
        }
        ("quick-scan.md", Some(measure)) if name == "keywords" => add("keywords", keywords(measure))?,
        ("quick-scan.md", Some(measure)) if name == "file count" => add("file-count", file_count(measure))?,
        ("impact-analysis.md", Some(measure)) if name.contains("blast radius") => {
            add("mentions", file_count(measure))?;
        }
        _ => {}
    }
    let draft = material.draft;
    let is_home = |label: Label| homes(label).iter().any(|(home, name)| *home == file && fits(part, name));
    let has = |label: Label| draft.of(label).next().is_some();
    if is_home(Label::Requirement) && (has(Label::Requirement) || has(Label::Criterion)) {
        add("requirements", requirements(material, Label::Requirement))?;
    }
    if file == "nfr-matrix.md" && has(Label::Quality) {
        add("nfr-rows", rows(material))?;
    } else if is_home(Label::Quality) && has(Label::Quality) {
        add("requirements", requirements(material, Label::Quality))?;
    }
    if material.risks.as_ref().is_some_and(|home| home.file == part.file && home.name == part.name)
        && has(Label::Risk)
    {
        add("risks", table(draft, Label::Risk, &["likelihood", "impact", "owner", "answer"]))?;
    }
    if is_home(Label::Priority(0)) && !by_class(draft).is_empty() {
        add("priorities", context! { classes => by_class(draft) })?;
    }
    if is_home(Label::Term) && has(Label::Term) {
        add("terms", table(draft, Label::Term, &["meaning"]))?;
    }
    if is_home(Label::Flow) && has(Label::Flow) {
        add("flow", flow(draft))?;
    }
    if is_home(Label::Error) && has(Label::Error) {
        add("errors", table(draft, Label::Error, &["cause", "action", "retry", "log"]))?;
    }
    Ok(found.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"))
}

/// The sections of the quick scan that get counts.
const COUNTED: [&str; 3] = ["scope", "keywords", "file count"];

/// A step of somebody's own may call the sections something else: then its first one states the scope, so that the
/// depth follows from the counts and not from a title.
fn states_scope(material: &Material<'_>, part: &Named) -> bool {
    let own = super::draft::named(material.step);
    let mut scans = own.iter().filter(|own| own.file == part.file).peekable();
    let is_first = scans.peek().is_none_or(|first| first.name == part.name);
    is_first && scans.all(|own| !COUNTED.contains(&own.name.to_lowercase().as_str()))
}

/// Why the size is what it is.
fn limit(measure: &Measure) -> &'static str {
    match Size::of(measure.affected.len()) {
        size if size != measure.size => {
            "a word was left out as noise, so more files may be affected, and the size is at least medium"
        }
        Size::Small => "fewer than 5 files are small",
        Size::Medium => "5 to 15 files are medium",
        Size::Large => "more than 15 files are large",
    }
}

fn scope(measure: &Measure) -> Value {
    context! {
        scope => measure.size.scope(),
        complexity => measure.size.complexity(),
        files => measure.affected.len(),
        looked_at => measure.looked_at,
        words => counted(measure),
        commit => measure.commit.as_str(),
        limit => limit(measure),
        partial => measure.partial,
        has_code => measure.has_code,
    }
}

/// The keywords that the count rests on.
fn counted(measure: &Measure) -> String {
    let words = measure.keywords.iter().filter(|keyword| !keyword.is_noise && keyword.files > 0);
    words.map(|keyword| format!("\"{}\"", keyword.word)).collect::<Vec<_>>().join(", ")
}

fn keywords(measure: &Measure) -> Value {
    let rows: Vec<Value> = measure
        .keywords
        .iter()
        .map(|keyword| {
            let rating = match keyword {
                _ if keyword.files == 0 => "no hits",
                _ if keyword.is_noise => "coincidental, left out as noise",
                _ => "direct",
            };
            context! {
                word => keyword.word.as_str(),
                files => keyword.files,
                hits => keyword.hits,
                places => keyword.places.join(", "),
                rating,
            }
        })
        .collect();
    context! {
        rows,
        commit => measure.commit.as_str(),
        looked_at => measure.looked_at,
        left_out => measure.left_out,
        partial => measure.partial,
    }
}

fn file_count(measure: &Measure) -> Value {
    let kinds: Vec<Value> =
        KINDS.iter().zip(measure.kinds).map(|(name, files)| context! { name => *name, files }).collect();
    let shown: Vec<String> = measure.affected.iter().take(MOST_FILES).cloned().collect();
    context! {
        lowest => measure.direct,
        highest => measure.affected.len(),
        kinds,
        scope => measure.size.scope(),
        complexity => measure.size.complexity(),
        limit => limit(measure),
        words => counted(measure),
        files => shown,
        more => measure.affected.len().saturating_sub(MOST_FILES),
        commit => measure.commit.as_str(),
        looked_at => measure.looked_at,
        partial => measure.partial,
        has_code => measure.has_code,
    }
}

/// The new requirements or quality goals, each under its id with the criteria below it; and criteria of those
/// that a document has already.
fn requirements(material: &Material<'_>, label: Label) -> Value {
    let facts = || material.draft.facts.iter().map(|(fact, _)| fact);
    let minted = material.defined.minted(label, facts());
    let later = |id: &str| -> Vec<String> {
        let of = material.draft.of(Label::Criterion).filter(|fact| fact.id.as_deref() == Some(id));
        of.map(|fact| fact.text.clone()).collect()
    };
    let shown: Vec<Value> = minted
        .iter()
        .map(|(id, fact)| {
            let criteria: Vec<String> = fact.criteria.iter().cloned().chain(later(id)).collect();
            context! { id, text => fact.text.as_str(), criteria }
        })
        .collect();
    let kind = if label == Label::Quality { "NFR-" } else { "FR-" };
    let is_new = |id: &str| minted.iter().any(|(own, _)| own == id);
    let added: Vec<Value> = material
        .draft
        .of(Label::Criterion)
        .filter_map(|fact| Some((fact.id.as_deref()?, fact)))
        .filter(|(id, _)| !is_new(id) && (id.starts_with(kind) || kind == "FR-"))
        .map(|(id, fact)| context! { id, text => fact.text.as_str() })
        .collect();
    context! { requirements => shown, added }
}

/// A row of the matrix for each new quality goal.
fn rows(material: &Material<'_>) -> Value {
    let minted = material.defined.minted(Label::Quality, material.draft.facts.iter().map(|(fact, _)| fact));
    let rows: Vec<Value> = minted
        .iter()
        .map(|(id, fact)| {
            context! {
                id,
                text => fact.text.as_str(),
                target => fact.field("target"),
                conditions => fact.field("conditions"),
                measure => fact.field("measure"),
            }
        })
        .collect();
    context! { rows }
}

/// The facts of a form as rows: what it is about, and these of its fields; a column in which nobody has said
/// anything is left out, unless it is one of the first two.
fn table(draft: &Draft, label: Label, columns: &[&'static str]) -> Value {
    let facts: Vec<&Fact> = draft.of(label).collect();
    let used = |at: usize| at < 2 || facts.iter().any(|fact| !fact.field(columns[at]).is_empty());
    let kept: Vec<&'static str> = (0..columns.len()).filter(|at| used(*at)).map(|at| columns[at]).collect();
    let rows: Vec<Value> = facts
        .iter()
        .map(|fact| {
            let cell = |name: &&'static str| fact.field(name).to_owned();
            context! { text => fact.text.as_str(), cells => kept.iter().map(cell).collect::<Vec<String>>() }
        })
        .collect();
    context! { rows, columns => kept }
}

/// What was given each priority: ids, words where it has none, and reasons. A class of which nobody spoke is
/// left out.
fn by_class(draft: &Draft) -> Vec<Value> {
    let mut found = Vec::new();
    for (class, name) in CLASSES.iter().enumerate() {
        for fact in draft.of(Label::Priority(class)) {
            let what = if fact.links.is_empty() { fact.text.clone() } else { fact.links.join(", ") };
            found.push(context! { name => *name, what, why => fact.field("why") });
        }
    }
    found
}

/// The paths of what was said as one diagram.
fn flow(draft: &Draft) -> Value {
    let mut stations: Vec<String> = Vec::new();
    let mut arrows: Vec<Value> = Vec::new();
    let label = |text: &str| safe(plain::mermaid(&plain::cut(text, 80)).replace("<br/>", " "));
    for fact in draft.of(Label::Flow) {
        let own: Vec<usize> = fact
            .stations()
            .into_iter()
            .map(|station| {
                stations.iter().position(|known| known == station).unwrap_or_else(|| {
                    stations.push(station.to_owned());
                    stations.len() - 1
                })
            })
            .collect();
        for (at, pair) in own.windows(2).enumerate() {
            let data = if at + 2 == own.len() { fact.field("data") } else { "" };
            arrows.push(context! { from => pair[0] + 1, to => pair[1] + 1, data => label(data), has_data => !data.is_empty() });
        }
    }
    let stations: Vec<Value> = stations.iter().map(|station| label(station)).collect();
    context! { stations, arrows }
}

/// The classes of this step's draft by id.
pub(super) fn priority(material: &Material<'_>, id: &str) -> Option<&'static str> {
    let found = ids::classes(material.draft.facts.iter().map(|(fact, _)| fact));
    found.get(id).and_then(|classes| classes.first().copied()).or_else(|| material.defined.class(id))
}
