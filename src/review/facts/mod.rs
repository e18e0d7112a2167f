//! Facts that structure and exact marks decide, and that patterns alone can't: a check each, named by its rule's file.
//!
//! Invariant: a check reads pages only. One that needs a single page gets that; one that holds documents together gets
//! all of them, with a way to ask which other files there are.

mod decisions;
mod gaps;
pub mod ids;
mod kiro;
mod links;
mod marks;
pub mod naming;
mod openspec;
pub mod questions;
mod records;
mod slots;
mod template;
mod trace;
mod values;

use super::page::Page;
use super::{Hit, Options};
use crate::text::finding::did_you_mean;
use records::is_over;

/// Nobody has to fill in what the document leaves open: it is history, or it tells an agent what to fill in.
pub fn leaves_nothing_open(page: &Page<'_>) -> bool {
    is_over(page) || naming::is_instruction(page.path)
}

/// The pages of a review, and what else there is.
pub struct Pages<'p, 't> {
    pub pages: &'p [Page<'t>],
    pub options: &'p Options,
}

/// What a rule's `check` runs.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// On each page alone.
    Page(fn(&Page<'_>) -> Vec<Hit>),
    /// On all pages together.
    Pages(fn(&Pages<'_, '_>) -> Vec<Hit>),
    /// On the comments that silence rules, after all others.
    Ignores,
}

const CHECKS: [(&str, Check); 15] = [
    ("broken-anchors", Check::Pages(links::broken_anchors)),
    ("broken-links", Check::Pages(links::broken_links)),
    ("broken-references", Check::Page(links::broken_references)),
    ("conflicting-fields", Check::Pages(records::conflicting_fields)),
    ("contradicted-decisions", Check::Pages(decisions::contradicted_decisions)),
    ("duplicate-ids", Check::Page(ids::duplicate_ids)),
    ("empty-cells", Check::Page(gaps::empty_cells)),
    ("empty-sections", Check::Page(gaps::empty_sections)),
    ("ignores", Check::Ignores),
    ("marks-alone", Check::Page(marks::marks_alone)),
    ("openspec-deltas", Check::Pages(openspec::deltas)),
    ("questions", Check::Page(questions::open_questions)),
    ("template-text", Check::Page(template::template_text)),
    ("undecided-records", Check::Page(records::undecided_records)),
    ("untraced-ids", Check::Pages(trace::untraced_ids)),
];

/// # Errors
/// A message that names the nearest check.
pub fn find(name: &str) -> Result<Check, String> {
    let known = CHECKS.map(|(name, _)| name);
    let found = CHECKS.iter().find(|(known, _)| *known == name);
    let hint = || format!("no check \"{name}\"{}", did_you_mean(name, &known));
    found.map(|(_, check)| *check).ok_or_else(hint)
}
