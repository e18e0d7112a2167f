//! A step's words in an item whose documents are its team's own: by its layout, as a discussion's.
//!
//! What has a form goes among its kind, what decides or stays open where the layout has that, and everything else
//! becomes one section of the layout's document, under the step's title.
//!
//! Invariant: no file is made beside the document, unless the layout itself makes one (a decision record).
//!
//! ```text
//! FR: The system prints the sum   ->  spec.md, "### Functional Requirements", under the next id of that list
//! Decision: monthly               ->  spec.md, "## Clarifications", Session 2026-02-20: - monthly (Sam)
//! The desk closes at noon.        ->  spec.md, "## Business Context", below its question
//! ```

use super::draft::{Draft, Entry, Named};
use super::{Material, Outcome, Part, Written, draft, facts, keep, markdown};
use crate::analysis::answer_forms::{Fact, Label};
use crate::discussion::LandingEntries;
use crate::discussion::additions::{Addition, Field, Kind};
use crate::discussion::event::{self, Class, Event, Record};
use crate::discussion::summary::{Decision, Question, Recognised, Summary};
use crate::item::layout::{Block, Laid, Layout, Place};
use crate::item::{File, Item};
use crate::synthesis::typed::{self, PlacedEntry};
use crate::synthesis::{self, Left, Placed, Unplaced, existing};
use crate::text::ids::{family, ids};
use crate::text::path::suffix;
use crate::text::plain;

/// The document that takes a step's words; none where each step has documents of its own.
pub fn document<'l>(laid: &'l Laid<'_>) -> Option<&'l str> {
    laid.document.as_deref().filter(|_| laid.layout.block != Block::Section)
}

/// The changes that a step comes to in the documents of its item.
pub(super) fn write(material: &Material<'_>, laid: &Laid<'_>, name: &str) -> Result<Outcome, Unplaced> {
    let (layout, mut outcome) = (laid.layout, Outcome::default());
    let mut rest = material.draft.clone();
    let (summary, log) = as_discussion(material, laid, &mut rest);
    let said = LandingEntries {
        layout: &layout.name,
        document: laid.document.as_deref(),
        outputs: &material.step.outputs,
        voice: event::SECRETARY,
        at: material.at,
        summary: &summary,
        log: &log,
    };
    let marker = markdown::marker(material);
    let elsewhere = synthesis::add_elsewhere(material.item, said, material.library, &marker)?;
    let mut now = elsewhere.item;
    outcome.placed = elsewhere.placed;
    outcome.left = elsewhere.left;
    add_facts(material, layout, (name, &mut now), &mut rest, &mut outcome)?;
    add_section(material, layout, (name, &mut now), rest, &mut outcome)?;
    outcome.changes = synthesis::changes(material.item, &now);
    Ok(outcome)
}

/// What was decided and left open in a step's answers, and their words, as a discussion has them: decisions and questions
/// land as those of any other. What the layout has another place for is taken out of the rest.
fn as_discussion(material: &Material<'_>, laid: &Laid<'_>, rest: &mut Draft) -> (Summary, Vec<Record>) {
    let (mut log, mut summary) = (Vec::new(), Summary::default());
    let has_place = !matches!(laid.layout.decisions, Place::Block | Place::Recording);
    for entry in rest.entries.iter_mut().chain(&mut rest.feedback) {
        let turn = u32::try_from(log.len() + 1).unwrap_or(u32::MAX);
        log.push(Record { at: material.at, event: Event::User(message(turn, entry)) });
        for (text, reason) in &entry.decisions {
            let (by, turns) = (&entry.by, vec![turn]);
            summary.decisions.push(Decision::new(text, reason.as_deref(), by, turns, Recognised::Form));
        }
        if has_place {
            let lines = std::mem::take(&mut entry.lines);
            entry.lines = lines.into_iter().filter(|line| !entry.is_decision(line)).collect();
        }
    }
    rest.entries.retain(|entry| !entry.lines.is_empty());
    rest.feedback.retain(|entry| !entry.lines.is_empty());
    // What a step asks and nobody answers is in its log; the team's documents take what people ask.
    rest.open.retain(|open| !open.is_of_step);
    if laid.layout.questions != Place::Block {
        let asked = std::mem::take(&mut rest.open).into_iter();
        let question = |text: String| Question { text, context: String::new(), turns: Vec::new() };
        summary.open_questions = asked.map(|open| question(open.text)).collect();
    }
    (summary, log)
}

fn message(turn: u32, entry: &Entry) -> event::Message {
    event::Message {
        turn: Some(turn),
        by: entry.by.clone(),
        text: entry.lines.join("\n"),
        class: Class::Default,
        to: Vec::new(),
        comment: None,
    }
}

/// Puts each fact among its kind in the document; what has no place there stays a note, word for word.
fn add_facts(
    material: &Material<'_>,
    layout: &Layout,
    (name, now): (&str, &mut Item),
    rest: &mut Draft,
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    for (fact, by) in std::mem::take(&mut rest.facts) {
        let Some(placed) = put_fact(material, layout, (name, now), &fact, outcome)? else {
            // Facts of one text are told with it once.
            let note = note(&fact.said, &by);
            if !rest.feedback.contains(&note) {
                rest.feedback.push(note);
            }
            continue;
        };
        let owner = placed.or_else(|| fact.id.clone()).unwrap_or_default();
        for criterion in &fact.criteria {
            let own = Fact {
                label: Label::Criterion,
                id: Some(owner.clone()),
                text: criterion.clone(),
                criteria: Vec::new(),
                ..fact.clone()
            };
            if put_fact(material, layout, (name, now), &own, outcome)?.is_none() {
                let lead = if owner.is_empty() { String::new() } else { format!("{owner}: ") };
                rest.feedback.push(note(&format!("{lead}{criterion}"), &by));
            }
        }
    }
    Ok(())
}

fn note(said: &str, by: &str) -> Entry {
    let lines = said.lines().map(str::to_owned).collect();
    Entry::note(lines, by)
}

/// Puts a fact into the document; the id that it got there, or none where it has no place.
fn put_fact(
    material: &Material<'_>,
    layout: &Layout,
    (name, now): (&str, &mut Item),
    fact: &Fact,
    outcome: &mut Outcome,
) -> Result<Option<Option<String>>, Unplaced> {
    let Some(File::Bytes(bytes)) = now.files.get(name) else { return Ok(None) };
    let text = String::from_utf8_lossy(bytes).into_owned();
    for addition in additions(fact, name, &text, layout) {
        let Some(entry) = typed::put_entry(name, &text, &addition, layout, material.library)? else {
            continue;
        };
        let PlacedEntry { text: after, section, id } = entry;
        // An id that was given is kept, or the fact stays a note.
        if fact.label != Label::Criterion && fact.id.is_some() && fact.id != id {
            continue;
        }
        outcome.placed.push(Placed {
            path: now.path_of(name),
            section,
            created: false,
            added_lines: after.lines().count().saturating_sub(text.lines().count()),
            description: format!("1 {}", addition.kind.words()),
        });
        now.files.insert(name.to_owned(), File::Bytes(after.into_bytes()));
        return Ok(Some(id));
    }
    Ok(None)
}

/// A fact as additions to a document, the first that fits is taken: below the last id of its series, else under a
/// heading of its kind.
fn additions(fact: &Fact, name: &str, text: &str, layout: &Layout) -> Vec<Addition> {
    let Some((kind, headings)) = kind_of(fact.label) else { return Vec::new() };
    let Some(place) = kind.place(layout) else { return Vec::new() };
    let last = ids(text).filter(|id| place.ids.iter().any(|own| own == family(id))).last();
    let anchors: Vec<&str> = match (fact.label, &fact.id) {
        (Label::Criterion, Some(id)) => vec![id],
        _ => place.heading.iter().map(|_| "").chain(last).chain(headings.iter().copied()).collect(),
    };
    let (words, fields) = words_of(fact);
    let addition = |anchor: &str| Addition {
        path: name.to_owned(),
        kind,
        anchor: anchor.to_owned(),
        text: words.clone(),
        fields: fields.clone(),
        several_lines: false,
        turns: Vec::new(),
    };
    anchors.into_iter().map(addition).collect()
}

/// What a form is among a layout's entries, and the headings that documents have them under; none where no layout has
/// such entries.
const fn kind_of(label: Label) -> Option<(Kind, &'static [&'static str])> {
    Some(match label {
        Label::Requirement => (Kind::Requirement, &["Functional Requirements", "Requirements"]),
        Label::Quality => (Kind::Nfr, &["Non-Functional Requirements", "Quality Requirements"]),
        Label::Story => (Kind::UserStory, &["User Stories"]),
        Label::Criterion => (Kind::AcceptanceCriterion, &[]),
        Label::Error => (Kind::Error, &["Errors", "Error Handling"]),
        Label::Risk => (Kind::Risk, &["Risks"]),
        Label::Term => (Kind::Term, &["Glossary", "Terms"]),
        Label::Priority(_) | Label::Module | Label::Operation | Label::Flow | Label::Decision => return None,
    })
}

/// The words of a fact and its further fields, as additions have them.
fn words_of(fact: &Fact) -> (Option<String>, std::collections::BTreeMap<String, Field>) {
    let field = |(name, text): (&&str, &String)| ((*name).to_owned(), Field::Text(text.clone()));
    let mut fields: std::collections::BTreeMap<String, Field> = fact.fields.iter().map(field).collect();
    let (lead, words) = match fact.label {
        Label::Story => return (None, fields),
        Label::Criterion => return (Some(fact.text.clone()), std::collections::BTreeMap::new()),
        Label::Error => ("code", "cause"),
        Label::Term => ("term", "meaning"),
        _ => return (Some(fact.text.clone()), fields),
    };
    let words = fields.remove(words).map(|field| field.text());
    fields.insert(lead.to_owned(), Field::Text(fact.text.clone()));
    (words, fields)
}

/// Everything else: a section of the document, opened under the step's title.
fn add_section(
    material: &Material<'_>,
    layout: &Layout,
    (name, now): (&str, &mut Item),
    rest: Draft,
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    let path = now.path_of(name);
    let has_words = !rest.entries.is_empty() || !rest.feedback.is_empty() || !rest.drafted.is_empty();
    if layout.block == Block::None {
        if has_words {
            let reason = "what has no form is only in the step's log: the layout has no place for it";
            outcome.left.push(Left { path, reason: reason.to_owned() });
        }
        return Ok(());
    }
    let measured = measured(material)?;
    if rest.is_empty() && measured.is_empty() {
        return Ok(());
    }
    let before = existing(now, name, &path)?;
    let text = before.as_deref().map_or(Ok(""), std::str::from_utf8);
    let (Ok(text), "md" | "markdown") = (text, suffix(name).as_str()) else {
        outcome.left.push(Left { path, reason: "a file of this kind takes no addition".to_owned() });
        return Ok(());
    };
    let parts = [Part { named: Named::section(name, &material.step.title), share: rest }];
    let written = markdown::write(material, name, text, &parts, &|_, _, _| Ok(measured.clone()))?;
    let mut added = Outcome::default();
    if let Written::Into { text: after, .. } = &written {
        now.files.insert(name.to_owned(), File::Bytes(after.clone().into_bytes()));
    }
    keep(&mut added, path, before, written);
    outcome.placed.extend(added.placed);
    outcome.left.extend(added.left);
    Ok(())
}

/// What the step counted in the repository; the table of keywords is the scan's own.
fn measured(material: &Material<'_>) -> Result<String, Unplaced> {
    let nothing = Draft::default();
    let counts = Material { draft: &nothing, risks: None, ..*material };
    let mut found = Vec::new();
    for part in draft::named(material.step).iter().filter(|part| part.name != "Keywords") {
        found.push(facts::facts(&counts, part, &part.file)?);
    }
    found.retain(|text| !text.is_empty());
    Ok(plain::clean(&found.join("\n\n")))
}
