//! The review at the end of a phase: the phase's artifacts, as they would be committed, go through the rules of
//! `roundtable review`. Lines that contradict each other become open questions of the step that ends the phase;
//! the other findings are only shown.

use std::collections::BTreeMap;

use minijinja::context;

use super::{Audience, Stumbled, Walk};
use crate::analysis::artifact::Known;
use crate::analysis::event::Event;
use crate::analysis::menu::Menu;
use crate::analysis::{Landing, phase_name};
use crate::item::Change;
use crate::plain;
use crate::review::{Document, Finding, Options, Rules, review};
use crate::session::Stopped;
use crate::step::Step;
use crate::voice::Speechless;

/// Rules that hold two lines against each other.
const CONTRADICTS: [&str; 4] =
    ["boundary-gap", "conflicting-figures", "contradicted-decision", "contradicting-rules"];
/// The rule that finds questions without an answer.
const LISTED_AS_OPEN: &str = "unresolved-question";
/// Contradictions that become open questions of one phase.
const MAX_CONTRADICTIONS: usize = 10;
/// Other findings that are shown.
const MAX_SHOWN: usize = 5;
/// A line is quoted up to so many characters.
const QUOTE: usize = 200;

/// Two lines that cannot both hold.
struct Contradiction {
    place: String,
    quote: String,
    other_place: String,
    other: String,
    /// As an open question, whose places are headings: lines move when a document grows.
    question: String,
}

impl Walk<'_> {
    /// At the menu that ends a phase: reviews it once, with what the step would change. True where it asks
    /// something.
    pub(super) fn review_at(
        &mut self,
        menu: &Menu,
        changes: &[Change],
        audience: &dyn Audience,
    ) -> Result<bool, Stumbled> {
        let Some(talk) = self.analysis.current() else { return Ok(false) };
        if *menu == Menu::MidPhase || talk.reviewed.is_some() || !talk.may_be_reviewed() {
            return Ok(false);
        }
        let phase = self.setup.library.steps[talk.step].phase.clone();
        let questions = self.review(&phase, changes, audience)?;
        let asks = !questions.is_empty();
        self.record(Event::Reviewed { questions }, None)?;
        Ok(asks)
    }

    /// Before a phase is left: reviews it where the menu has not, or where remarks have come since.
    pub(super) fn review_before(
        &mut self,
        landing: &Landing,
        audience: &dyn Audience,
    ) -> Result<(), Stumbled> {
        let Some(talk) = self.analysis.current() else { return Ok(()) };
        let step = &self.setup.library.steps[talk.step];
        if !landing.phases.contains(&step.phase) {
            return Ok(());
        }
        if !landing.has_words {
            // There is no artifact to ask in.
            self.review(&step.phase, &[], audience)?;
        } else if talk.may_be_reviewed() {
            let draft = self.draft();
            let measured = self.measured(step, &draft, landing.again)?;
            let at = (self.setup.clock)();
            let changes =
                self.outcome(&self.item, step, &draft, measured.as_ref(), landing.again, at)?.changes;
            let questions = self.review(&step.phase, &changes, audience)?;
            self.record(Event::Reviewed { questions }, None)?;
        }
        Ok(())
    }

    /// Shows what the rules find in a phase's artifacts; the questions that contradictions ask.
    fn review(
        &self,
        phase: &str,
        changes: &[Change],
        audience: &dyn Audience,
    ) -> Result<Vec<String>, Stumbled> {
        let documents = self.with(changes);
        let outputs = self.outputs_of(phase);
        let is_of_phase = |name: &str| {
            outputs.iter().any(|output| name == *output || output.ends_with('/') && name.starts_with(output))
        };
        let rules = Rules::of(&self.setup.library.own_review_rules());
        let rules = rules.map_err(Speechless::from).map_err(Stopped::Voice)?;
        let read: Vec<Document<'_>> = documents.iter().map(|(path, text)| Document { path, text }).collect();
        let options = Options { are_answers: true, ..self.setup.review.clone() };
        let found = review(&read, &rules, &options).findings;
        let is_pair = |one: &Finding| CONTRADICTS.contains(&one.rule.as_str()) && !one.related.is_empty();
        // What is listed as open is known to be.
        let is_told = |one: &Finding| is_of_phase(&one.path) && one.rule != LISTED_AS_OPEN;
        let (pairs, others): (Vec<Finding>, Vec<Finding>) =
            found.into_iter().filter(is_told).partition(is_pair);
        let known = Known::read(&self.item).open;
        let is_new = |one: &Contradiction| known.iter().all(|(_, open)| *open != one.question);
        let pairs: Vec<Contradiction> =
            pairs.iter().filter_map(|one| contradiction(one, &documents)).filter(is_new).collect();
        if !pairs.is_empty() || !others.is_empty() {
            audience.say(&format!("\n{}", self.told_of_review(phase, &pairs, &others)?));
        }
        Ok(pairs.into_iter().take(MAX_CONTRADICTIONS).map(|one| one.question).collect())
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

    fn told_of_review(
        &self,
        phase: &str,
        pairs: &[Contradiction],
        others: &[Finding],
    ) -> Result<String, Stumbled> {
        let shown = |one: &Contradiction| {
            context! {
                place => one.place.as_str(),
                quote => one.quote.as_str(),
                other_place => one.other_place.as_str(),
                other => one.other.as_str(),
            }
        };
        let found = |one: &Finding| {
            context! { place => format!("{}:{}", one.path, one.line), message => plain::shown(&one.message) }
        };
        let values = context! {
            phase => phase_name(phase),
            contradictions => pairs.iter().take(MAX_CONTRADICTIONS).map(shown).collect::<Vec<_>>(),
            more_contradictions => pairs.len().saturating_sub(MAX_CONTRADICTIONS),
            findings => others.iter().take(MAX_SHOWN).map(found).collect::<Vec<_>>(),
            more_findings => others.len().saturating_sub(MAX_SHOWN),
        };
        Ok(self.setup.library.templates.render("analysis/review.txt", values)?)
    }
}

/// Both lines of a finding, with their places.
fn contradiction(finding: &Finding, documents: &BTreeMap<String, String>) -> Option<Contradiction> {
    let related = finding.related.first()?;
    let quote = line_of(documents, &finding.path, finding.line)?;
    let other = line_of(documents, &related.path, related.line)?;
    let heading = heading_above(documents, &related.path, related.line);
    let at = |path: &str, heading: &str| match heading {
        "" => path.to_owned(),
        heading => format!("{path}, {heading}"),
    };
    let question = format!(
        "\"{quote}\" ({}) and \"{other}\" ({}): which one holds?",
        at(&finding.path, &plain::shown(&finding.heading)),
        at(&related.path, &heading)
    );
    Some(Contradiction {
        place: format!("{}:{}", finding.path, finding.line),
        other_place: format!("{}:{}", related.path, related.line),
        quote,
        other,
        question,
    })
}

/// A line without its list marker, on one line.
fn line_of(documents: &BTreeMap<String, String>, path: &str, line: usize) -> Option<String> {
    let text = documents.get(path)?.lines().nth(line.checked_sub(1)?)?;
    let text = text.trim().trim_start_matches(['-', '*', '>', '|', '#', ' ']).trim_end_matches(['|', ' ']);
    Some(plain::cut(&plain::shown(text), QUOTE))
}

/// The last heading above a line.
fn heading_above(documents: &BTreeMap<String, String>, path: &str, line: usize) -> String {
    let text = documents.get(path).map_or("", String::as_str);
    let above: Vec<&str> = text.lines().take(line).collect();
    let heading = above.into_iter().rev().find(|line| line.starts_with('#') && line.contains("# "));
    heading.map(|line| plain::shown(line.trim_start_matches('#').trim())).unwrap_or_default()
}
