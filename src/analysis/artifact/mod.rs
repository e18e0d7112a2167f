//! The artifacts of a step (analysis FR-010, AC-012-04): from what was said to new contents of files.
//!
//! A function of the item's files, the step and the answers. Existing text is never changed: a section
//! takes additions at its end, a missing one is opened in its place, lists and tables grow at their
//! end. Words of users and documents are values of templates, or strings of data. What comes out
//! still has to pass [`additive::verify`](crate::additive::verify).

pub mod data;
pub mod draft;
mod facts;
mod folder;
pub mod ids;
pub mod laid;
mod markdown;

use minijinja::context;

pub use self::draft::Draft;
use self::draft::{Named, Open};
use self::ids::Defined;
use super::answer_forms::Label;
use super::scan::Measure;
use crate::item::layout::Laid;
use crate::item::library::Library;
use crate::item::persona::Persona;
use crate::item::step::Step;
use crate::item::{Change, File, Item};
use crate::synthesis::records::{is_architecture, is_records};
use crate::synthesis::{Left, Placed, Unplaced, existing};
use crate::text::path;
use crate::text::path::{is_markdown, suffix};
use crate::text::plain::count;
use crate::text::template::Failed;
use crate::text::time::Time;
use path::OutputPath;

/// Everything that a step's artifacts are made from.
pub struct Source<'a> {
    pub item: &'a Item,
    pub laid: &'a Laid<'a>,
    pub library: &'a Library,
    /// What [`parts_of`] says of the library.
    pub parts: &'a [Named],
    pub step: &'a Step,
    pub persona: &'a Persona,
    pub draft: &'a Draft,
    pub measure: Option<&'a Measure>,
    /// The step was committed before; this adds what was said since.
    pub again: bool,
    pub at: Time,
}

/// A source with what its ids say, and what has no place in its form among the notes.
pub(crate) struct Material<'a> {
    pub item: &'a Item,
    pub library: &'a Library,
    pub step: &'a Step,
    pub persona: &'a Persona,
    pub draft: &'a Draft,
    pub measure: Option<&'a Measure>,
    pub at: Time,
    pub defined: &'a Defined,
    /// Where the step's risks go.
    pub risks: Option<Named>,
}

/// A part of an artifact, and what of the step belongs there.
pub(crate) struct Part {
    pub named: Named,
    pub share: Draft,
}

/// What a step does to its item.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub changes: Vec<Change>,
    pub placed: Vec<Placed>,
    pub left: Vec<Left>,
    pub announcements: Vec<String>,
    /// The questions that are open after it.
    pub open: Vec<String>,
}

/// A file's new text, the place it was added to, and what was added; or why it is left alone.
pub(crate) enum Written {
    Into { text: String, section: String, what: String },
    Left(String),
}

/// The changes of a step's outputs, and of the documents that its facts belong in.
///
/// # Errors
/// An output that must not be written, or that has no place for an addition.
pub fn outcome(source: &Source<'_>) -> Result<Outcome, Unplaced> {
    let (step, library_parts) = (source.step, source.parts);
    let own = own_parts(step);
    let mut draft = source.draft.clone();
    let defined = Defined::read(source.item);
    let document = laid::document(source.laid);
    if document.is_none() {
        homeless(&mut draft, library_parts);
    }
    ids::settle(&mut draft, &defined);
    let is_matrix = |part: &Named| part.kind == "header" && part.name == data::MATRIX;
    if !source.again && own.iter().any(is_matrix) {
        let classes = ids::classes(draft.facts.iter().map(|(fact, _)| fact));
        draft.open.extend(defined.gaps(&classes).into_iter().map(|text| Open::new(None, text)));
    }
    let has_risk = |part: &&Named| {
        let is_markdown = is_markdown(&part.file) && part.kind == "section";
        is_markdown && format!("{} {}", part.name, part.about).to_lowercase().contains("risk")
    };
    let risks = own
        .iter()
        .find(has_risk)
        .cloned()
        .or_else(|| facts::home(library_parts, "requirements-spec.md", "risk"));
    let material = Material {
        item: source.item,
        library: source.library,
        step,
        persona: source.persona,
        draft: &draft,
        measure: source.measure,
        at: source.at,
        defined: &defined,
        risks,
    };
    let mut outcome = match document {
        Some(name) => laid::write(&material, source.laid, name)?,
        None => written(&material, own, library_parts)?,
    };
    outcome.open = draft.open.iter().map(|open| open.text.clone()).collect();
    outcome.announcements = announce(&material, &outcome)?;
    Ok(outcome)
}

/// The parts of artifacts that the steps of a library name.
pub fn parts_of(library: &Library) -> Vec<Named> {
    library.steps.iter().flat_map(draft::named).collect()
}

fn written(material: &Material<'_>, own: Vec<Named>, library_parts: &[Named]) -> Result<Outcome, Unplaced> {
    let mut outcome = Outcome::default();
    let step = material.step;
    let extra = extra_parts(material, &own, library_parts);
    let mut files: Vec<String> = step.outputs.clone();
    for part in &extra {
        if !files.iter().any(|file| file.trim_end_matches('/') == part.file) {
            let is_folder = !part.file.contains('.');
            files.push(if is_folder { format!("{}/", part.file) } else { part.file.clone() });
        }
    }
    let mut parts = parts(material, own);
    parts.extend(extra.into_iter().map(|named| Part { named, share: Draft::default() }));
    for output in &files {
        let refused = |refused| Unplaced::Output(refused, step.id.clone());
        let path = OutputPath::parse(output).map_err(refused)?;
        let (name, is_folder) = (path.to_string(), path.file() != path.to_string());
        let (own, others): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|part| part.named.file == name);
        parts = others;
        if is_folder {
            folder::write(material, &name, &own, &mut outcome)?;
        } else {
            file(material, &name, &own, &mut outcome)?;
        }
    }
    let has_records = files.iter().any(|output| is_records(output.trim_end_matches('/')));
    let records = library_parts.iter().find(|part| is_records(&part.file));
    if let Some(records) = records.filter(|_| !has_records && is_architecture(&step.phase)) {
        folder::write(material, &records.file, &[], &mut outcome)?;
    }
    Ok(outcome)
}

/// What no document of the library is the home of stays a note.
fn homeless(draft: &mut Draft, library_parts: &[Named]) {
    let has_home = |label: Label| {
        facts::homes(label).iter().any(|(file, name)| facts::home(library_parts, file, name).is_some())
    };
    let (kept, lost) =
        std::mem::take(&mut draft.facts).into_iter().partition(|(fact, _)| has_home(fact.label));
    draft.facts = kept;
    let lost: Vec<(super::answer_forms::Fact, String)> = lost;
    for (fact, by) in lost {
        let lines = fact.said.lines().map(str::to_owned).collect();
        draft.feedback.push(draft::Entry::note(lines, &by));
    }
}

/// The parts that the step itself names, each once.
fn own_parts(step: &Step) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for part in draft::named(step) {
        let same = |other: &&mut Named| other.file == part.file && other.name == part.name;
        match named.iter_mut().find(same) {
            Some(other) => other.about = format!("{}; {}", other.about, part.about),
            None => named.push(part),
        }
    }
    for output in &step.outputs {
        let file = output.trim_end_matches('/');
        if !named.iter().any(|part| part.file == file) {
            named.push(Named::section(file, &step.title));
        }
    }
    named.retain(|part| step.outputs.iter().any(|output| output.trim_end_matches('/') == part.file));
    named
}

/// The parts of other steps' documents that facts of this one belong in.
fn extra_parts(material: &Material<'_>, own: &[Named], library_parts: &[Named]) -> Vec<Named> {
    let mut extra: Vec<Named> = Vec::new();
    let mut labels: Vec<Label> = material.draft.facts.iter().map(|(fact, _)| fact.label).collect();
    labels.sort();
    labels.dedup();
    for label in labels {
        let homes =
            facts::homes(label).iter().filter_map(|(file, name)| facts::home(library_parts, file, name));
        let homes: Vec<Named> =
            if label == Label::Risk { material.risks.clone().into_iter().collect() } else { homes.collect() };
        for home in homes {
            let is_known = |part: &Named| part.file == home.file && part.name == home.name;
            if !own.iter().chain(&extra).any(is_known) {
                extra.push(home);
            }
        }
    }
    extra
}

/// What belongs to which part of which output. Each answer goes to one part: the one that its
/// question speaks of. Tables, rows and decision records are made from the answers and take none.
fn parts(material: &Material<'_>, named: Vec<Named>) -> Vec<Part> {
    let takes = |part: &Named| !matches!(part.kind.as_str(), "table" | "header") && !is_records(&part.file);
    let (mut takers, mut others): (Vec<Named>, Vec<Named>) = named.into_iter().partition(takes);
    if takers.is_empty() {
        std::mem::swap(&mut takers, &mut others);
    }
    let mut shares = vec![Draft::default(); takers.len()];
    let draft = material.draft;
    for entry in &draft.entries {
        give(&mut shares, draft::belongs(&entry.asked, &takers), |share| share.entries.push(entry.clone()));
    }
    for entry in &draft.feedback {
        let at = draft::belongs(&entry.lines.join(" "), &takers);
        give(&mut shares, at, |share| share.feedback.push(entry.clone()));
    }
    for open in &draft.open {
        let at = draft::belongs(&open.text, &takers);
        give(&mut shares, at, |share| share.open.push(open.clone()));
    }
    for line in &draft.drafted {
        give(&mut shares, draft::belongs(line, &takers), |share| share.drafted.push(line.clone()));
    }
    for share in &mut shares {
        share.drafted_by.clone_from(&draft.drafted_by);
        share.confirmed_by.clone_from(&draft.confirmed_by);
    }
    let given = takers.into_iter().zip(shares).map(|(named, share)| Part { named, share });
    given.chain(others.into_iter().map(|named| Part { named, share: Draft::default() })).collect()
}

fn give(shares: &mut [Draft], at: usize, add: impl FnOnce(&mut Draft)) {
    if let Some(share) = shares.get_mut(at) {
        add(share);
    }
}

/// One file among the outputs.
fn file(material: &Material<'_>, name: &str, parts: &[Part], outcome: &mut Outcome) -> Result<(), Unplaced> {
    let path = format!("{}/{name}", material.item.path);
    let before = existing(material.item, name, &path)?;
    if material.item.files.get(name) == Some(&File::Opaque) {
        outcome.left.push(Left { path, reason: "a file of this kind takes no addition".to_owned() });
        return Ok(());
    }
    let text = match before.as_deref().map(std::str::from_utf8) {
        Some(Ok(text)) if !text.contains('\0') => text,
        None => "",
        Some(_) => {
            outcome.left.push(Left { path, reason: "it is not UTF-8 text".to_owned() });
            return Ok(());
        }
    };
    let is_table = parts.iter().any(|part| part.named.kind == "table");
    let written = match suffix(name).as_str() {
        "md" | "markdown" if is_table && data::has_table(text) => data::rows(material, text)?,
        "md" | "markdown" => markdown::write(material, name, text, parts, &facts::facts)?,
        "json" => data::json(material, name, text, parts),
        "yaml" | "yml" => data::yaml(material, name, text, parts),
        "csv" => data::csv(material, text, parts),
        _ => Written::Left("roundtable writes Markdown, JSON, YAML and CSV files only".to_owned()),
    };
    keep(outcome, path, before, written);
    Ok(())
}

/// Adds what was written to the outcome; what changes nothing is no change.
pub(crate) fn keep(outcome: &mut Outcome, path: String, before: Option<Vec<u8>>, written: Written) {
    match written {
        Written::Left(reason) => outcome.left.push(Left { path, reason }),
        Written::Into { text, section, what } => {
            let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').count();
            let was = before.as_deref().map_or(0, lines);
            if before.as_deref() == Some(text.as_bytes()) {
                return;
            }
            outcome.placed.push(Placed {
                path: path.clone(),
                section,
                created: before.is_none(),
                added_lines: lines(text.as_bytes()).saturating_sub(was),
                description: what,
            });
            outcome.changes.push(Change { path, before, after: text.into_bytes() });
        }
    }
}

/// `3 answers, 2 open questions`.
pub(crate) fn description(draft: &Draft) -> String {
    let parts = [
        (draft.entries.len(), "answer"),
        (draft.feedback.len(), "remark"),
        (draft.drafted.len(), "drafted line"),
        (draft.open.len(), "open question"),
    ];
    let counted = parts.into_iter().filter(|(number, _)| *number > 0);
    let said: Vec<String> = counted.map(|(number, what)| count(number, what)).collect();
    if said.is_empty() { "what was found".to_owned() } else { said.join(", ") }
}

fn announce(material: &Material<'_>, outcome: &Outcome) -> Result<Vec<String>, Failed> {
    let name = |path: &str| material.item.name_of(path).to_owned();
    let updated = outcome.placed.iter().map(|placed| {
        let values = context! { artifact => name(&placed.path), section => placed.section.as_str(), description => placed.description.as_str() };
        material.library.templates.render("announcement.txt", values)
    });
    let left = outcome.left.iter().map(|left| {
        let is_updated = outcome.placed.iter().any(|placed| placed.path == left.path);
        let values = context! { artifact => name(&left.path), reason => left.reason.as_str(), is_updated };
        material.library.templates.render("announcement-left.txt", values)
    });
    updated.chain(left).collect()
}

/// What is known of an item from its documents: its ids and what is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub requirements: usize,
    pub qualities: usize,
    pub stories: usize,
    pub documents: usize,
    /// Open questions with the document they are in.
    pub open: Vec<(String, String)>,
}

impl Known {
    /// Reads an item's documents.
    pub fn read(item: &Item) -> Known {
        let defined = Defined::read(item);
        let mut known = Known {
            requirements: defined.count("FR"),
            qualities: defined.count("NFR"),
            stories: defined.stories(),
            ..Known::default()
        };
        for (name, text) in item.documents() {
            known.documents += 1;
            known
                .open
                .extend(data::open_questions(name, text).into_iter().map(|open| (name.to_owned(), open)));
        }
        known
    }

    /// One or two sentences, for a hand-over (analysis AC-008-03).
    pub fn summary(&self) -> String {
        let parts: Vec<String> = [
            (self.requirements, "functional requirement", "functional requirements"),
            (self.qualities, "quality goal", "quality goals"),
            (self.stories, "user story", "user stories"),
        ]
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| format!("{number} {}", if number == 1 { one } else { many }))
        .collect();
        let first = match parts.len() {
            0 => format!("{}.", count(self.documents, "document")),
            _ => format!("{} in {}.", super::greeting::listed(&parts), count(self.documents, "document")),
        };
        match self.open.len() {
            0 => first,
            1 => format!("{first} 1 question is still open."),
            many => format!("{first} {many} questions are still open."),
        }
    }
}
