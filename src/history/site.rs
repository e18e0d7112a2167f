//! Items as one page: what was decided, what is open, and the discussions it came from. It needs no server and
//! asks for nothing on the network; its one script, which searches, is part of the template.
//!
//! Invariant: every word of a user, a voice or a document is a value, and is made harmless by the template
//! ([`crate::text::template`]); the page's policy lets no other script run.
//!
//! ```
//! use roundtable::item::library::Library;
//! use roundtable::history::page::Format;
//! use roundtable::history::provenance::Dossier;
//! use roundtable::history::site::render;
//! use roundtable::text::template::Failed;
//!
//! fn page(found: &[Dossier], library: &Library) -> Result<String, Failed> {
//!     render(found, &vec!["main".to_owned(); found.len()], library, Format::Html)
//! }
//! ```

use std::collections::BTreeSet;

use minijinja::context;
use minijinja::value::Serde;
use serde::Serialize;

use crate::discussion::closing::OpenQuestions;
use crate::discussion::summary::{USER, attribution};
use crate::git::short;
use crate::history::decisions::{Decisions, ListedDecision, Source};
use crate::history::page::{self, Format};
use crate::history::provenance::{Dossier, Talk};
use crate::item::library::Library;
use crate::item::meta;
use crate::text::plain::{self, count};
use crate::text::template::{Failed, safe};

/// A decision, a question or an action item, and the discussion that it is from.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    pub text: String,
    /// Why it was decided; what was asked about.
    pub context: String,
    /// Who decided it, or is to do it.
    pub by: String,
    pub day: String,
    pub step: String,
    pub turns: Vec<u32>,
    /// The discussion, from one; 0 is an answer to a step.
    pub talk: usize,
    /// Of a decision: its id, and those of the decisions that it replaces and that replace it.
    pub id: String,
    pub replaces: Vec<String>,
    pub replaced_by: Vec<String>,
}

/// Everything that an item's discussions came to.
#[derive(Clone, Debug, Default)]
pub struct Points {
    pub decisions: Vec<Point>,
    pub questions: Vec<Point>,
    pub actions: Vec<Point>,
    pub records: Vec<DecisionRecord>,
}

/// A decision record of the item.
#[derive(Clone, Debug, Serialize)]
pub struct DecisionRecord {
    pub id: String,
    pub title: String,
    pub path: String,
    pub replaces: Vec<String>,
    pub replaced_by: Vec<String>,
}

impl Points {
    pub fn of(dossier: &Dossier, library: &Library) -> Points {
        let mut found = Points { records: records(&dossier.decisions), ..Points::default() };
        let mut entries = dossier.decisions.of_discussions();
        let open = open_questions(&dossier.talks);
        for (number, talk) in (1..).zip(&dossier.talks) {
            let summary = &talk.finished.summary;
            let point = |text: &str, context: &str, by: String, turns: &[u32]| Point {
                text: plain::clean(text),
                context: plain::clean(context),
                by,
                day: talk.finished.at.day(),
                step: plain::shown(&talk.finished.opened.step.id),
                turns: turns.to_vec(),
                talk: number,
                id: String::new(),
                replaces: Vec::new(),
                replaced_by: Vec::new(),
            };
            for one in &summary.decisions {
                // A reason among the words is not told twice.
                let reason = if one.text.contains(&one.rationale) { "" } else { &one.rationale };
                let decision = point(&one.text, reason, deciders(talk, &one.turns), &one.turns);
                let Some(entry) = entries.next().cloned() else { continue };
                let (id, replaces, replaced_by) = (entry.id, entry.replaces, entry.replaced_by);
                found.decisions.push(Point { id, replaces, replaced_by, ..decision });
            }
            let questions = summary.open_questions.iter().enumerate();
            for (_, one) in questions.filter(|(at, _)| open.contains(&(number - 1, *at))) {
                found.questions.push(point(&one.text, &one.context, String::new(), &one.turns));
            }
            for one in &summary.action_items {
                let is_users = one.by.iter().any(|key| key == USER);
                let by =
                    if is_users { deciders(talk, &one.turns) } else { attribution(&one.by, &library.cast) };
                found.actions.push(point(&one.text, "", by, &one.turns));
            }
        }
        for (id, _, one) in &dossier.of_steps {
            let reason = one.reason.as_deref().filter(|reason| !one.text.contains(*reason));
            found.decisions.push(Point {
                text: plain::clean(&one.text),
                context: plain::clean(reason.unwrap_or_default()),
                by: plain::shown(&one.by),
                day: one.at.day(),
                step: plain::shown(&one.step_id),
                turns: Vec::new(),
                talk: 0,
                id: id.clone(),
                replaces: Vec::new(),
                replaced_by: Vec::new(),
            });
        }
        found
    }

    /// `2 decisions, 1 open question, 3 discussions`.
    pub fn counts(&self, discussions: usize) -> String {
        let questions = count(self.questions.len(), "open question");
        format!(
            "{}, {questions}, {}",
            count(self.decisions.len(), "decision"),
            count(discussions, "discussion")
        )
    }
}

/// The open questions that no later decision has closed: the discussion of each, and its number there.
pub fn open_questions(talks: &[Talk]) -> BTreeSet<(usize, usize)> {
    let mut open = OpenQuestions::default();
    for (at, talk) in talks.iter().enumerate() {
        let said = |turns: &[u32]| {
            let is_of = |turn: u32| turns.contains(&turn);
            let said = talk.finished.messages_of_users().filter(|one| one.turn.is_some_and(is_of));
            said.last().map_or("", |message| message.text.as_str())
        };
        open.add(at, &talk.finished.summary, said);
    }
    open.places()
}

/// The decision records of an item.
pub fn records(decisions: &Decisions) -> Vec<DecisionRecord> {
    let record = |entry: &ListedDecision| match &entry.source {
        Source::Discussion { .. } => None,
        Source::Record(path) => Some(DecisionRecord {
            id: entry.id.clone(),
            title: plain::clean(&entry.text),
            path: plain::shown(path),
            replaces: entry.replaces.clone(),
            replaced_by: entry.replaced_by.clone(),
        }),
    };
    decisions.iter().filter_map(record).collect()
}

/// Who said the words that a decision rests on.
fn deciders(talk: &Talk, turns: &[u32]) -> String {
    let mut names: Vec<String> = Vec::new();
    for message in talk.finished.entries().messages(turns) {
        let name = plain::shown(&message.by);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// The documents of an item, by name.
pub fn documents(dossier: &Dossier) -> Vec<String> {
    let names =
        dossier.item.files.keys().filter(|name| crate::item::is_document(name) && *name != meta::FILE);
    names.map(|name| plain::shown(name)).collect()
}

/// One page of these items; `read_at` names the revision of each.
///
/// # Errors
/// A template that cannot be rendered.
pub fn render(
    found: &[Dossier],
    read_at: &[String],
    library: &Library,
    format: Format,
) -> Result<String, Failed> {
    let [page, part] = match format {
        Format::Markdown => ["pages/items.md", "pages/item.md"],
        Format::Html => ["pages/items.html", "pages/item.html"],
    };
    let (mut sections, mut index, mut sums) = (Vec::new(), Vec::new(), [0; 3]);
    for ((number, dossier), rev) in (1..).zip(found).zip(read_at) {
        let points = Points::of(dossier, library);
        for (sum, more) in
            sums.iter_mut().zip([points.decisions.len(), points.questions.len(), dossier.talks.len()])
        {
            *sum += more;
        }
        let counts = points.counts(dossier.talks.len());
        index.push(context! { name => dossier.item.name(), counts => counts.as_str() });
        let item = shown_item(dossier, &points, rev, library);
        sections.push(safe(library.templates.render(part, context! { item, number })?));
    }
    let [decisions, questions, talks] = sums;
    let title = match found {
        [one] => one.item.name(),
        many => count(many.len(), "item"),
    };
    let questions = count(questions, "open question");
    let counts = format!("{}, {questions}, {}", count(decisions, "decision"), count(talks, "discussion"));
    let mut text = library.templates.render(page, context! { title, counts, items => index, sections })?;
    text.push('\n');
    Ok(text)
}

fn shown_item(dossier: &Dossier, points: &Points, rev: &str, library: &Library) -> minijinja::Value {
    let talks: Vec<minijinja::Value> = (1..)
        .zip(&dossier.talks)
        .map(|(number, talk)| {
            let opened = &talk.finished.opened;
            context! {
                number,
                step => plain::shown(&opened.step.id),
                title => plain::shown(&opened.step.title),
                day => talk.finished.at.day(),
                turns => count(talk.finished.closed.turn_count as usize, "turn"),
                summary => plain::clean(&talk.finished.summary.summary),
                entries => Serde(&page::entries(&talk.finished.log, library)),
                recording => plain::shown(&talk.recording),
                commit => talk.commit.map(short),
            }
        })
        .collect();
    context! {
        name => dossier.item.name(),
        path => plain::shown(&dossier.item.path),
        rev => plain::shown(rev),
        counts => points.counts(dossier.talks.len()),
        documents => documents(dossier),
        decisions => Serde(&points.decisions),
        questions => Serde(&points.questions),
        actions => Serde(&points.actions),
        records => Serde(&points.records),
        talks,
    }
}
