//! Decisions as those who implement them get them: who decided what, when and why, on which words, and what replaces it.
//!
//! Invariant: everything is read from recordings and documents at a commit; nothing is judged.
//!
//! `show --decisions`, the tool `decisions` of an agent and the block in a pull request tell the same.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::{Fail, place, settings};
use crate::analysis::provenance::StepDecision;
use crate::discussion::event::{Message, Time};
use crate::discussion::summary::Decision;
use crate::git::{Error, Repo, short};
use crate::history::decisions::ListedDecision;
use crate::history::provenance::{Dossier, Talk, items};
use crate::history::site::{DecisionRecord, records};
use crate::item::config::Config;
use crate::item::meta::Source;
use crate::text::finding::Finding;
use crate::text::path::is_below;
use crate::text::plain;

/// An item, and the name of the revision that it was read at.
pub struct ItemAtRevision {
    pub dossier: Dossier,
    pub rev: String,
}

/// A decision of a discussion, with where it comes from.
#[derive(Clone, Debug, Serialize)]
pub struct Decided {
    pub id: String,
    pub item: String,
    pub text: String,
    /// Empty where nobody gave a reason.
    pub rationale: String,
    /// Who said the words that it rests on.
    pub by: String,
    /// When the last of these words was said.
    pub at: String,
    pub step_id: String,
    pub turns: Vec<u32>,
    pub words: Vec<Words>,
    pub recording: String,
    pub commit: Option<String>,
    pub replaces: Vec<String>,
    pub replaced_by: Vec<String>,
}

/// What a user said in one turn.
#[derive(Clone, Debug, Serialize)]
pub struct Words {
    pub turn: Option<u32>,
    pub by: String,
    pub text: String,
    /// The comment on GitHub, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<u64>,
}

/// What users said in a discussion and when, by turn.
type WordsByTurn<'t> = BTreeMap<u32, (Time, &'t Message)>;

impl Words {
    fn of(message: &Message) -> Words {
        Words {
            turn: message.turn,
            by: plain::shown(&message.by),
            text: plain::clean(&message.text),
            comment: message.comment,
        }
    }
}

impl Decided {
    fn of(
        dossier: &Dossier,
        talk: &Talk,
        said: &WordsByTurn<'_>,
        decision: &Decision,
        entry: &ListedDecision,
    ) -> Decided {
        let said: Vec<&(Time, &Message)> = decision.turns.iter().filter_map(|turn| said.get(turn)).collect();
        let last = said.iter().map(|(at, _)| *at).max();
        let words: Vec<Words> = said.iter().map(|(_, message)| Words::of(message)).collect();
        let mut by: Vec<&str> = words.iter().map(|one| one.by.as_str()).collect();
        by.dedup();
        Decided {
            id: entry.id.clone(),
            item: dossier.item.path.clone(),
            text: plain::clean(&decision.text),
            rationale: plain::clean(&decision.rationale),
            by: by.join(", "),
            at: last.unwrap_or(talk.finished.at).to_string(),
            step_id: plain::shown(&talk.finished.opened.step.id),
            turns: decision.turns.clone(),
            words,
            recording: talk.recording.clone(),
            commit: talk.commit.map(|id| id.to_string()),
            replaces: entry.replaces.clone(),
            replaced_by: entry.replaced_by.clone(),
        }
    }

    fn of_step(dossier: &Dossier, id: &str, log: &str, one: &StepDecision) -> Decided {
        let by = plain::shown(&one.by);
        let text = plain::clean(&one.message);
        Decided {
            id: id.to_owned(),
            item: dossier.item.path.clone(),
            text: plain::clean(&one.text),
            rationale: plain::clean(one.reason.as_deref().unwrap_or_default()),
            at: one.at.to_string(),
            step_id: plain::shown(&one.step_id),
            turns: Vec::new(),
            words: vec![Words { turn: None, by: by.clone(), text, comment: None }],
            by,
            recording: log.to_owned(),
            commit: None,
            replaces: Vec::new(),
            replaced_by: Vec::new(),
        }
    }

    pub fn day(&self) -> &str {
        self.at.get(..10).unwrap_or(&self.at)
    }

    /// The reason, where the decision's own words do not give it.
    pub fn added_reason(&self) -> Option<&str> {
        (!self.rationale.is_empty() && !self.text.contains(&self.rationale)).then_some(&self.rationale)
    }
}

/// The decisions of an item's discussions, in the order they were made, and those of its steps.
pub fn decided(dossier: &Dossier) -> Vec<Decided> {
    let mut entries = dossier.decisions.of_discussions();
    let mut found = Vec::new();
    for talk in &dossier.talks {
        let said: WordsByTurn<'_> = talk.finished.timed_messages().collect();
        let own = talk.finished.summary.decisions.iter().zip(entries.by_ref());
        found.extend(own.map(|(decision, entry)| Decided::of(dossier, talk, &said, decision, entry)));
    }
    found.extend(dossier.of_steps.iter().map(|(id, log, one)| Decided::of_step(dossier, id, log, one)));
    found
}

/// The items, each on its own branch where that is ahead of HEAD, and what keeps others from being read.
///
/// # Errors
/// A named item that cannot be read, and a repository that cannot.
pub fn read(
    repo: &Repo,
    item: Option<&str>,
    revision: Option<&str>,
    config: &Config,
) -> Result<(Vec<ItemAtRevision>, Option<Finding>), Fail> {
    let head = repo.resolve(revision.unwrap_or("HEAD"))?;
    let ahead = if revision.is_none() { place::ahead(repo, head, config)? } else { BTreeMap::new() };
    let named = revision.unwrap_or("HEAD").to_owned();
    let mut places: Vec<(String, String)> = Vec::new();
    if let Some(item) = item {
        places.push(place::find(repo, (head, &named), &ahead, item, config)?);
    } else {
        for folder in config.folders() {
            for path in repo.items(head, folder)? {
                let rev = ahead.get(&path).map_or(&named, |(branch, _)| branch).clone();
                places.push((path, rev));
            }
        }
        for (path, (branch, _)) in &ahead {
            if places.iter().all(|(known, _)| known != path) {
                places.push((path.clone(), branch.clone()));
            }
        }
        places.sort();
    }
    let library = settings::library(repo, head, config)?;
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    for (path, rev) in places {
        let commit = repo.resolve(&rev)?;
        let dossiers = match items(repo, commit, &[path], library.forms()) {
            Err(Error::File(finding)) if item.is_none() => {
                unread.push(finding.of_version(&format!("commit {}", short(commit))));
                continue;
            }
            dossiers => dossiers?,
        };
        let rev = format!("{rev} ({})", short(commit));
        found.extend(dossiers.into_iter().map(|dossier| ItemAtRevision { dossier, rev: rev.clone() }));
    }
    Ok((found, Finding::all(unread)))
}

/// The decisions that no later one replaces.
pub fn in_force(dossier: &Dossier) -> Vec<Decided> {
    decided(dossier).into_iter().filter(|one| one.replaced_by.is_empty()).collect()
}

/// What `show --decisions --json` prints.
pub fn as_json(found: &[ItemAtRevision]) -> Value {
    let all: Vec<Decided> = found.iter().flat_map(|shown| decided(&shown.dossier)).collect();
    let all_records: Vec<Value> = found
        .iter()
        .flat_map(|shown| {
            let item = &shown.dossier.item.path;
            records(&shown.dossier.decisions)
                .into_iter()
                .map(|record| record_as_json(item, &record))
                .collect::<Vec<_>>()
        })
        .collect();
    json!({ "decisions": all, "decision_records": all_records })
}

fn record_as_json(item: &str, record: &DecisionRecord) -> Value {
    json!({
        "id": record.id, "item": item, "title": record.title, "path": record.path,
        "replaces": record.replaces, "replaced_by": record.replaced_by,
    })
}

/// The items at a commit whose `meta.json` names one of these issues.
///
/// # Errors
/// A commit that cannot be read.
pub fn items_of_issues(
    repo: &Repo,
    commit: git2::Oid,
    config: &Config,
    issues: &[u64],
) -> Result<Vec<String>, Fail> {
    let ids: Vec<String> = issues.iter().filter_map(|number| Source::GitHub(*number).id()).collect();
    let mut found = Vec::new();
    if ids.is_empty() {
        return Ok(found);
    }
    for folder in config.folders() {
        for path in repo.items(commit, folder)? {
            let item = repo.item(commit, &path)?;
            if item.meta.source_id().is_some_and(|id| ids.iter().any(|known| known == id)) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Whether a decision is about a file: its item has it, or its words or the user's name it.
pub fn is_about(one: &Decided, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let names = |text: &str| {
        let is_sign = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
        let mut words = text.split(|c: char| !is_sign(c)).map(|word| word.trim_end_matches('.'));
        words.any(|word| word == path || word == name || word.ends_with(&format!("/{name}")))
    };
    let is_of_item = is_below(path, &one.item);
    is_of_item || names(&one.text) || names(&one.rationale) || one.words.iter().any(|said| names(&said.text))
}
