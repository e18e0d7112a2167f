//! The review at the end of a phase: the phase's artifacts, as they would be committed, go through the rules of
//! `roundtable review`, and what they find is shown.

use std::collections::BTreeMap;

use minijinja::context;

use super::{Walk, WalkError};
use crate::analysis::event::Event;
use crate::analysis::menu::Menu;
use crate::analysis::{Landing, phase_name};
use crate::item::Change;
use crate::item::step::Step;
use crate::review::{Document, Finding, Rules, review};
use crate::run::Observer;
use crate::run::session::Stopped;
use crate::text::plain;
use crate::voice::Speechless;

/// The rule that finds questions without an answer.
const LISTED_AS_OPEN: &str = "unresolved-question";
/// Findings that are shown.
const MAX_SHOWN: usize = 5;

impl Walk<'_> {
    /// At the menu that ends a phase: reviews it once, with what the step would change.
    pub(super) fn review_at(
        &mut self,
        menu: &Menu,
        changes: &[Change],
        observer: &dyn Observer,
    ) -> Result<(), WalkError> {
        let Some(talk) = self.analysis.current() else { return Ok(()) };
        if *menu == Menu::MidPhase || talk.reviewed.is_some() || !talk.may_be_reviewed() {
            return Ok(());
        }
        let phase = self.setup.library.steps[talk.step].phase.clone();
        self.review(&phase, changes, observer)?;
        self.record(Event::Reviewed {}, None)
    }

    /// Before a phase is left: reviews it where the menu has not, or where remarks have come since.
    pub(super) fn review_before(
        &mut self,
        landing: &Landing,
        observer: &dyn Observer,
    ) -> Result<(), WalkError> {
        let Some(talk) = self.analysis.current() else { return Ok(()) };
        let step = &self.setup.library.steps[talk.step];
        if !landing.phases.contains(&step.phase) {
            return Ok(());
        }
        if !landing.has_words {
            // There is no artifact to ask in.
            self.review(&step.phase, &[], observer)?;
        } else if talk.may_be_reviewed() {
            let draft = self.draft();
            let measured = self.measured(step, &draft, landing.again)?;
            let at = (self.setup.clock)();
            let changes =
                self.outcome(&self.item, step, &draft, measured.as_ref(), landing.again, at)?.changes;
            self.review(&step.phase, &changes, observer)?;
            self.record(Event::Reviewed {}, None)?;
        }
        Ok(())
    }

    /// Shows what the rules find in a phase's artifacts.
    fn review(&self, phase: &str, changes: &[Change], observer: &dyn Observer) -> Result<(), WalkError> {
        let documents = self.with(changes);
        let outputs = self.outputs_of(phase);
        let is_of_phase = |name: &str| {
            outputs.iter().any(|output| name == *output || output.ends_with('/') && name.starts_with(output))
        };
        let rules = Rules::of(&self.setup.library.own_review_rules());
        let rules = rules.map_err(Speechless::from).map_err(Stopped::Voice)?;
        let read: Vec<Document<'_>> = documents.iter().map(|(path, text)| Document { path, text }).collect();
        let mut found = review(&read, &rules, &self.setup.review).findings;
        // What is listed as open is known to be.
        found.retain(|one| is_of_phase(&one.path) && one.rule != LISTED_AS_OPEN);
        if !found.is_empty() {
            observer.say(&format!("\n{}", self.told_of_review(phase, &found)?));
        }
        Ok(())
    }

    /// The item's documents as they would be after these changes.
    fn with(&self, changes: &[Change]) -> BTreeMap<String, String> {
        let mut documents: BTreeMap<String, String> = self
            .item
            .documents()
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect::<BTreeMap<_, _>>();
        let below = format!("{}/", self.item.path);
        for change in changes {
            let name = change.path.strip_prefix(&below).filter(|name| crate::item::is_document(name));
            if let (Some(name), Ok(text)) = (name, std::str::from_utf8(&change.after)) {
                documents.insert(name.to_owned(), text.to_owned());
            }
        }
        documents
    }

    fn outputs_of(&self, phase: &str) -> Vec<&str> {
        let steps: Vec<&Step> = self.setup.library.steps.iter().filter(|step| step.phase == phase).collect();
        steps.into_iter().flat_map(|step| step.outputs.iter().map(String::as_str)).collect()
    }

    fn told_of_review(&self, phase: &str, found: &[Finding]) -> Result<String, WalkError> {
        let shown = |one: &Finding| {
            context! { place => format!("{}:{}", one.path, one.line), message => plain::shown(&one.message) }
        };
        let values = context! {
            phase => phase_name(phase),
            findings => found.iter().take(MAX_SHOWN).map(shown).collect::<Vec<_>>(),
            more => found.len().saturating_sub(MAX_SHOWN),
        };
        Ok(self.setup.library.templates.render("analysis/review.txt", values)?)
    }
}
