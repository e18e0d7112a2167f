//! Which step is discussed where none is named: the one that the documents leave most open,
//! else the last that was completed, else the one of the layout, else the first.
//!
//! Invariant: the choice follows from the documents and meta.json alone, and comes with its reason.

use crate::item::Item;
use crate::item::layout::Laid;
use crate::item::library::Library;
use crate::item::step::{Step, is_step_id};
use crate::review::{self, Document, Finding, Rules};
use crate::synthesis;
use crate::text::plain::count;

/// The step where nothing says another.
const FIRST: &str = "00-01";

/// The step, and why it is that one.
pub fn open_step(
    item: &Item,
    (library, laid): (&Library, &Laid<'_>),
    rules: &Rules,
    options: &review::Options,
) -> (String, String) {
    let documents: Vec<Document<'_>> = item.documents().map(|(path, text)| Document { path, text }).collect();
    let found = review::review(&documents, rules, options).findings;
    let sections = sections(item, laid, &library.steps);
    let mut points: Vec<usize> = vec![0; library.steps.len()];
    for at in found.iter().filter_map(|one| step_of(one, &sections)) {
        points[at] += 1;
    }
    // Of two steps that are equally open, the earlier one.
    let most = (0..points.len()).rev().max_by_key(|at| points[*at]).filter(|at| points[*at] > 0);
    if let Some(at) = most {
        let why = format!("the documents leave {} open there", count(points[at], "point"));
        return (library.steps[at].id.clone(), why);
    }
    let completed = item.meta.steps_completed().into_iter().rfind(|step| is_step_id(step));
    if let Some(step) = completed {
        return (step, "it was completed last".to_owned());
    }
    let own = laid.layout.step.as_deref().filter(|own| library.steps.iter().any(|step| step.id == *own));
    let (step, what) = match own {
        Some(own) => (own, format!("it is the step of the layout {}", laid.layout.name)),
        None => (FIRST, "it is the first".to_owned()),
    };
    let why = match found.is_empty() {
        true => "the review has no findings",
        false => "no finding is in a step's own section",
    };
    (step.to_owned(), format!("{what}, and {why}"))
}

/// A section of a document that takes what is said of a step.
struct Section {
    document: String,
    /// The heading's line; 0 where there is none yet, or where the whole document belongs to it.
    line: usize,
    step: usize,
}

fn sections(item: &Item, laid: &Laid<'_>, steps: &[Step]) -> Vec<Section> {
    let target = |(at, step): (usize, &Step)| {
        let (document, section) = synthesis::target(item, laid, step)?;
        let line = synthesis::line_of_section(item, &document, &section).unwrap_or(0);
        Some(Section { document, line, step: at })
    };
    steps.iter().enumerate().filter_map(target).collect()
}

/// The step whose section a finding is in: of those of its document the nearest above it.
fn step_of(finding: &Finding, sections: &[Section]) -> Option<usize> {
    let of_document = sections.iter().filter(|section| section.document == finding.path);
    let above = of_document.clone().filter(|section| section.line <= finding.line);
    let nearest = above.rev().max_by_key(|section| section.line);
    nearest.or_else(|| of_document.clone().next()).map(|section| section.step)
}
