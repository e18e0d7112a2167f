//! Decision records: one file a decision, numbered, below `adr/`. An analysis writes them from answers, a
//! discussion of an architecture step from what was decided in it.

use std::collections::BTreeMap;

use minijinja::{Value, context};

use super::{Left, Outcome, Placed, Unplaced, existing, guarded, shown_insights};
use crate::discussion::Finished;
use crate::discussion::additions::{Addition, Field, Kind};
use crate::discussion::event::Event;
use crate::discussion::summary::{Decision, Insight, USER, attribution};
use crate::item::library::Library;
use crate::item::{Change, Item};
use crate::text::plain;
use crate::text::template::{Failed, safe};

/// The folder of the records where no step names one.
const FOLDER: &str = "adr";
/// The longest title and the longest file name of a record, in characters.
const TITLE: usize = 100;
const SLUG: usize = 48;

/// What was said to a question.
pub type AnsweredQuestion = (String, Vec<String>);

/// A decision record before it is a file.
pub struct Record<'r> {
    pub number: u32,
    pub title: &'r str,
    pub status: String,
    /// The comment that names the step and the time.
    pub marker: String,
    pub step_id: &'r str,
    /// Who asked, with the role.
    pub persona: String,
    pub context: Vec<AnsweredQuestion>,
    pub consequences: Vec<AnsweredQuestion>,
    pub decision: &'r str,
    pub rationale: &'r str,
}

impl Record<'_> {
    /// The file's name within the folder, and its text.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn file(&self, library: &Library) -> Result<(String, String), Failed> {
        let entry = |(asked, lines): &AnsweredQuestion| context! { asked, lines };
        let values = context! {
            number => format!("{:04}", self.number),
            title => plain::capital(&plain::headline(self.title, TITLE)),
            marker => safe(self.marker.clone()),
            status => self.status.as_str(),
            persona => self.persona.as_str(),
            step_id => self.step_id,
            context_entries => self.context.iter().map(entry).collect::<Vec<Value>>(),
            consequences => self.consequences.iter().map(entry).collect::<Vec<Value>>(),
            decision => self.decision,
            rationale => self.rationale,
        };
        let text = library.templates.render("artifacts/adr.md", values)?;
        Ok((format!("{:04}-{}.md", self.number, name(self.title)), squeezed(&text) + "\n"))
    }
}

/// Whether a folder holds decision records.
pub fn is_records(folder: &str) -> bool {
    matches!(folder.to_ascii_lowercase().as_str(), "adr" | "adrs" | "decisions")
}

/// Decisions of this phase get records.
pub fn is_architecture(phase: &str) -> bool {
    phase.starts_with("03-")
}

/// A decision without the label that it is written with.
pub fn unlabelled(text: &str) -> &str {
    match text.split_once(':') {
        Some((label, rest)) if label.eq_ignore_ascii_case("decision") && !rest.trim().is_empty() => {
            rest.trim()
        }
        _ => text,
    }
}

/// The first number that no record of the folder has among an item's files.
pub fn next_number<'n>(files: impl Iterator<Item = &'n String>, folder: &str) -> u32 {
    let below = format!("{folder}/");
    let names = files.filter_map(|name| name.strip_prefix(&below));
    let numbers = names.filter_map(|name| name.get(..4)?.parse::<u32>().ok());
    numbers.max().map_or(1, |last| last + 1)
}

/// What a title is called in a file's name.
pub(super) fn name(title: &str) -> String {
    Some(slug(title, SLUG)).filter(|slug| !slug.is_empty()).unwrap_or_else(|| "decision".to_owned())
}

/// A name for a file: lower-case letters and digits with hyphens between, cut after a word.
pub fn slug(text: &str, longest: usize) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words {
        if !slug.is_empty() && slug.len() + 1 + word.len() > longest {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word[..word.len().min(longest)]);
    }
    slug
}

/// Without doubled blank lines: a template need not care how many of its parts there are.
/// Fenced code is left as it is.
pub fn squeezed(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut fenced = false;
    for line in text.trim().lines() {
        fenced ^= line.starts_with("```");
        if fenced || !line.is_empty() || out.last().is_some_and(|last| !last.is_empty()) {
            out.push(line);
        }
    }
    out.join("\n")
}

/// Adds the records of a discussion's decisions.
pub(super) fn add(
    item: &Item,
    finished: &Finished,
    library: &Library,
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    let new = new_files(&item.files, finished, library)?;
    outcome.left.extend(unplaced(item, &new, finished, library));
    for (file, text) in new {
        let path = format!("{}/{file}", item.path);
        let before = existing(item, &file, &path)?;
        outcome.placed.push(Placed {
            path: path.clone(),
            section: "Decision".to_owned(),
            created: before.is_none(),
            added_lines: text.lines().count(),
            description: "1 decision".to_owned(),
        });
        outcome.changes.push(Change { path, before, after: text.into_bytes() });
    }
    Ok(())
}

/// The proposed records that become no file, and why.
fn unplaced(item: &Item, new: &[(String, String)], finished: &Finished, library: &Library) -> Vec<Left> {
    let layout = library.layout(&finished.opened.layout);
    let proposals = finished.summary.landing_additions().iter();
    let why_not = |addition: &Addition| {
        if layout.proposals.decision_record.is_none() {
            return Some(format!("the layout {} has no place for one", layout.name));
        }
        let decisions = finished.summary.decisions.iter();
        let mut own = decisions.filter(|one| proposed(one, finished) == Some(addition)).peekable();
        if own.peek().is_none() {
            return Some("no decision is left that it is about".to_owned());
        }
        let is_new = |decision: &Decision| {
            let ending = format!("-{}.md", name(unlabelled(&decision.text)));
            new.iter().any(|(path, _)| path.ends_with(&ending))
        };
        (!own.any(is_new)).then(|| "its decision has one already".to_owned())
    };
    let left = |addition: &Addition| {
        let (kind, why) = (addition.kind.words(), why_not(addition)?);
        let reason = format!("the {kind} is only in the recording: {why}");
        Some(Left { path: item.path.clone(), reason })
    };
    proposals.filter(|one| one.kind == Kind::DecisionRecord).filter_map(left).collect()
}

/// A record for each decision of a discussion of an architecture step, and for each decision that a record was proposed
/// for, unless one of its name is among the item's files: their paths below the item's folder, and their texts.
///
/// # Errors
/// A template that cannot be rendered.
pub fn new_files<V>(
    files: &BTreeMap<String, V>,
    finished: &Finished,
    library: &Library,
) -> Result<Vec<(String, String)>, Failed> {
    let outputs = library.steps.iter().flat_map(|step| &step.outputs);
    let layout = library.layout(&finished.opened.layout);
    if layout.proposals.decision_record.is_none() {
        return Ok(Vec::new());
    }
    let mut folders = outputs.map(|output| output.trim_end_matches('/')).filter(|folder| is_records(folder));
    let folder = folders.next().unwrap_or(FOLDER);
    let mut number = next_number(files.keys(), folder);
    let gets_record = |decision: &&Decision| {
        is_architecture(&finished.opened.step.phase) || proposed(decision, finished).is_some()
    };
    let mut new: Vec<(String, String)> = Vec::new();
    for decision in finished.summary.decisions.iter().filter(gets_record) {
        let record = of_discussion(decision, number, finished, library);
        let ending = format!("-{}.md", name(record.title));
        let is_there = |path: &str| path.rsplit('/').next().and_then(|name| name.get(4..)) == Some(&ending);
        let known = files.keys().filter(|path| path.starts_with(folder));
        if !known.chain(new.iter().map(|(path, _)| path)).any(|path| is_there(path)) {
            let (file, text) = record.file(library)?;
            new.push((format!("{folder}/{file}"), text));
            number += 1;
        }
    }
    Ok(new)
}

/// The record that the synthesis proposes for a decision.
fn proposed<'f>(decision: &Decision, finished: &'f Finished) -> Option<&'f Addition> {
    let is_of = |addition: &&Addition| {
        addition.kind == Kind::DecisionRecord
            && addition.turns.iter().any(|turn| decision.turns.contains(turn))
    };
    finished.summary.landing_additions().iter().find(is_of)
}

/// The records that a discussion's decisions come to, with the number that a record's name has.
///
/// # Errors
/// A template that cannot be rendered.
pub fn files(path: &str, finished: &Finished, library: &Library) -> Result<Vec<(String, String)>, Failed> {
    let digits = path.rsplit('/').next().and_then(|name| name.get(..4)?.parse().ok());
    let Some(number) = digits else { return Ok(Vec::new()) };
    let decisions = finished.summary.decisions.iter();
    decisions.map(|decision| of_discussion(decision, number, finished, library).file(library)).collect()
}

/// The record of a decision: its context is what was said in the discussion, its consequences what a proposed
/// record of the same turns names.
fn of_discussion<'f>(
    decision: &'f Decision,
    number: u32,
    finished: &'f Finished,
    library: &Library,
) -> Record<'f> {
    let (cast, opened) = (&library.cast, &finished.opened);
    let by = said_by(&decision.turns, finished);
    let date = finished.at.day();
    let proposed = proposed(decision, finished);
    let field = |name: &str| proposed.and_then(|addition| addition.fields.get(name)).map(Field::list);
    let entries = |asked: &str, lines: Option<Vec<String>>| {
        lines.filter(|lines| !lines.is_empty()).map(|lines| (asked.to_owned(), lines))
    };
    let said = shown_insights(finished).0.into_iter().filter(|one| !one.text.contains(&decision.text));
    let author = |one: &Insight| match one.by.as_slice() {
        [user] if user == USER => plain::shown(said_by(&one.turns, finished).unwrap_or(&opened.user)),
        by => attribution(by, cast),
    };
    let said = said.map(|one| format!("{}: {}", author(one), guarded(&one.text, cast)));
    let context = [
        entries("Drafted from the discussion", field("context")),
        entries("Options that were named", field("options")),
        entries("What was said in the discussion", Some(said.collect())),
    ];
    let lead = cast.get(&opened.lead);
    Record {
        number,
        title: unlabelled(&decision.text),
        status: format!("Accepted by {}, {date} (step {})", by.unwrap_or(&opened.user), opened.step.id),
        marker: format!("<!-- Elaboration: step {}, {} -->", opened.step.id, finished.at),
        step_id: &opened.step.id,
        persona: lead.map(|lead| format!("{} ({})", lead.name, lead.role)).unwrap_or_default(),
        context: context.into_iter().flatten().collect(),
        consequences: entries("Drafted from the discussion", field("consequences")).into_iter().collect(),
        decision: &decision.text,
        rationale: &decision.rationale,
    }
}

/// The user who spoke in one of these turns.
fn said_by<'f>(turns: &[u32], finished: &'f Finished) -> Option<&'f str> {
    finished.log.iter().rev().find_map(|record| match &record.event {
        Event::User(message) if turns.contains(&message.turn?) => Some(message.by.as_str()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_safe_name() {
        assert_eq!(slug("Keep both answers, & ask!", 48), "keep-both-answers-ask");
        assert_eq!(slug("../../etc/passwd", 48), "etc-passwd");
        assert_eq!(slug("日本", 48), "");
        assert!(slug(&"ab ".repeat(60), 48).len() <= 48);
        assert_eq!(slug("Letters name the fee of the day of printing", 20), "letters-name-the-fee");
        assert_eq!(slug(&"a".repeat(60), 48).len(), 48);
    }
}
