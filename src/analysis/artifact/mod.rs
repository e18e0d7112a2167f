//! The artifacts of a step (FR-010, AC-012-04): from what was said to new contents of files.
//!
//! A function of the item's files, the step and the answers. What stands is never changed: a section
//! takes additions at its end, a missing one is opened in its place, lists and tables grow at their
//! end. Words of users and documents are values of templates, or strings of data. Whatever comes out
//! still has to pass [`additive::verify`](crate::additive::verify).

pub mod data;
pub mod draft;
mod facts;
mod folder;
pub mod ids;
mod markdown;
pub mod priorities;

use minijinja::context;

use self::draft::Named;
pub use self::draft::{Draft, Line};
use super::scan::Measure;
use crate::discussion::event::Time;
use crate::item::path::OutputPath;
use crate::item::{Change, File, Item};
use crate::library::Library;
use crate::persona::Persona;
use crate::plain::count;
use crate::step::{Depth, Step};
use crate::synthesis::{Left, Placed, Unplaced, existing, suffix};
use crate::template::Failed;

/// Everything that a step's artifacts are made from.
pub struct Material<'a> {
    pub item: &'a Item,
    pub library: &'a Library,
    pub step: &'a Step,
    pub persona: &'a Persona,
    pub depth: Depth,
    pub draft: &'a Draft,
    pub measure: Option<&'a Measure>,
    /// The step was committed before; this adds what was said since.
    pub again: bool,
    pub at: Time,
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
}

/// A file's new text, the place it was added to, and what was added; or why it is left alone.
pub(crate) enum Written {
    Into { text: String, section: String, what: String },
    Left(String),
}

/// The changes of a step's outputs.
///
/// # Errors
/// An output that must not be written, or that has no place for an addition.
pub fn outcome(material: &Material<'_>) -> Result<Outcome, Unplaced> {
    let mut outcome = Outcome::default();
    let mut parts = parts(material);
    for output in &material.step.outputs {
        let refused = |refused| Unplaced::Output(refused, material.step.id.clone());
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
    outcome.announcements = announce(material, &outcome)?;
    Ok(outcome)
}

/// What belongs to which part of which output. Each answer goes to one part: the one that its
/// question speaks of. Tables, rows and decision records are made from the answers and take none.
fn parts(material: &Material<'_>) -> Vec<Part> {
    let mut named: Vec<Named> = Vec::new();
    for part in draft::named(material.step) {
        let same = |other: &&mut Named| other.file == part.file && other.name == part.name;
        match named.iter_mut().find(same) {
            Some(other) => other.about = format!("{}; {}", other.about, part.about),
            None => named.push(part),
        }
    }
    for output in &material.step.outputs {
        let file = output.trim_end_matches('/').to_owned();
        if !named.iter().any(|part| part.file == file) {
            let name = material.step.title.clone();
            named.push(Named { file, kind: "section".to_owned(), name, about: String::new() });
        }
    }
    named.retain(|part| material.step.outputs.iter().any(|output| output.trim_end_matches('/') == part.file));
    let takes =
        |part: &Named| !matches!(part.kind.as_str(), "table" | "header") && !folder::is_records(&part.file);
    let (takers, others): (Vec<Named>, Vec<Named>) = named.into_iter().partition(takes);
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
        give(&mut shares, draft::belongs(open, &takers), |share| share.open.push(open.clone()));
    }
    give(&mut shares, 0, |share| {
        share.confirmed.clone_from(&draft.confirmed);
        share.sums.clone_from(&draft.sums);
        share.sums_by.clone_from(&draft.sums_by);
    });
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
        (draft.confirmed.len(), "confirmed line"),
        (draft.feedback.len(), "remark"),
        (draft.open.len(), "open question"),
    ];
    let counted = parts.into_iter().filter(|(number, _)| *number > 0);
    let said: Vec<String> = counted.map(|(number, what)| count(number, what)).collect();
    if said.is_empty() { "what was found".to_owned() } else { said.join(", ") }
}

fn announce(material: &Material<'_>, outcome: &Outcome) -> Result<Vec<String>, Failed> {
    let item = format!("{}/", material.item.path);
    let name = |path: &str| path.strip_prefix(&item).unwrap_or(path).to_owned();
    let updated = outcome.placed.iter().map(|placed| {
        let values = context! { artifact => name(&placed.path), section => placed.section.as_str(), description => placed.description.as_str() };
        material.library.templates.render("announcement.txt", values)
    });
    let left = outcome.left.iter().map(|left| {
        let values = context! { artifact => name(&left.path), reason => left.reason.as_str() };
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
    /// Open questions with the document they stand in.
    pub open: Vec<(String, String)>,
}

/// The line that open questions stand under, up to the step's id.
pub(crate) const OPEN: &str = "Open after step ";

impl Known {
    /// Reads an item's documents.
    pub fn read(item: &Item) -> Known {
        let mut known = Known {
            requirements: data::given(item, "FR"),
            qualities: data::given(item, "NFR"),
            stories: ids::of_item(item, "US").len(),
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

    /// One or two sentences, for a hand-over (AC-008-03).
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
