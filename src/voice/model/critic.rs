//! The critic and the refiner of a drafted synthesis: what they say, and what comes of it.
//!
//! Every entry can be criticised, and every critique is recorded with its outcome. What a user said or decided stays as
//! it is, whatever a critic says; a fixed entry has to rest on its turns like any other, or the first one stays.

use std::collections::BTreeMap;

use serde_json::Value;

use super::grounding::{Entry, Grounds};
use super::rounds::list;
use crate::discussion::additions::Addition;
use crate::discussion::event::{Critique, Verdict};
use crate::discussion::summary::{Summary, USER};
use crate::text::plain::{clean, cut, one_line, shown};

/// The longest problem, in characters.
const PROBLEM: usize = 300;
/// The longest words of an entry in a critique, in characters.
const SHOWN: usize = 120;

/// What a refiner makes of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    on: String,
    outcome: Verdict,
    text: String,
}

/// Every entry of a draft by its list and place, with its words.
pub fn entries(draft: &Summary) -> Vec<(String, String)> {
    let numbered = |list: &str, texts: Vec<String>| {
        texts.into_iter().enumerate().map(|(at, text)| (format!("{list}/{at}"), text)).collect::<Vec<_>>()
    };
    let insights = draft.insights.iter().map(|one| one.text.clone()).collect();
    let decisions = draft.decisions.iter().map(|one| one.text.clone()).collect();
    let questions =
        draft.open_questions.iter().map(|one| format!("{} ({})", one.text, one.context)).collect();
    let actions = draft.action_items.iter().map(|one| one.text.clone()).collect();
    let additions = draft.additions.iter().map(Addition::words).collect();
    let lists = [
        ("insights", insights),
        ("decisions", decisions),
        ("open_questions", questions),
        ("action_items", actions),
        ("additions", additions),
    ];
    lists.into_iter().flat_map(|(list, texts)| numbered(list, texts)).collect()
}

/// What a critic found wrong, by entry: the first problem of each entry that there is.
pub fn problems(answer: &str, entries: &[(String, String)]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for one in list(answer, "critique").unwrap_or_default() {
        let text = |key: &str| one.get(key).and_then(Value::as_str).map(|text| one_line(&clean(text)));
        if let (Some(on), Some(problem)) = (text("on"), text("problem"))
            && entries.iter().any(|(known, _)| *known == on)
            && !problem.trim().is_empty()
        {
            found.entry(on).or_insert_with(|| cut(&problem, PROBLEM));
        }
    }
    found
}

/// The criticised entries that may be changed, with their words and problems.
pub fn judged(
    draft: &Summary,
    entries: &[(String, String)],
    problems: &BTreeMap<String, String>,
    grounds: &Grounds<'_>,
) -> Vec<(String, String, String)> {
    let may_change = entries.iter().filter(|(on, _)| !is_users(draft, on, grounds));
    may_change.filter_map(|(on, text)| Some((on.clone(), text.clone(), problems.get(on)?.clone()))).collect()
}

/// What a refiner answered.
pub fn fixes(answer: &str) -> Vec<Fix> {
    let read = |one: Value| {
        let text = |key: &str| one.get(key).and_then(Value::as_str).map(|text| one_line(&clean(text)));
        let outcome = match text("outcome")?.as_str() {
            "kept" => Verdict::Kept,
            "changed" => Verdict::Changed,
            "dropped" => Verdict::Dropped,
            _ => return None,
        };
        Some(Fix { on: text("on")?, outcome, text: text("text").unwrap_or_default() })
    };
    list(answer, "refine").unwrap_or_default().into_iter().filter_map(read).collect()
}

/// Changes a draft as the fixes say where they may; the critiques with what came of each.
pub fn apply(
    draft: &mut Summary,
    entries: &[(String, String)],
    problems: &BTreeMap<String, String>,
    fixes: &[Fix],
    grounds: &Grounds<'_>,
) -> Vec<Critique> {
    let (mut critiques, mut dropped) = (Vec::new(), Vec::new());
    for (on, text) in entries {
        let Some(problem) = problems.get(on) else { continue };
        let mut problem = format!("\"{}\": {problem}", cut(&shown(text), SHOWN));
        let fix = fixes.iter().find(|fix| fix.on == *on);
        let outcome = match fix.map_or(Verdict::Kept, |fix| fix.outcome) {
            _ if is_users(draft, on, grounds) => {
                problem.push_str("; a user's words stay");
                Verdict::Kept
            }
            Verdict::Kept => Verdict::Kept,
            Verdict::Dropped => {
                dropped.push(on.as_str());
                Verdict::Dropped
            }
            Verdict::Changed => match change(draft, on, fix.map_or("", |fix| fix.text.as_str()), grounds) {
                Ok(()) => Verdict::Changed,
                Err(why) => {
                    problem.push_str(&format!("; the new words are not taken: {why}"));
                    Verdict::Kept
                }
            },
        };
        critiques.push(Critique { on: on.clone(), problem, outcome });
    }
    without(draft, &dropped);
    critiques
}

/// Whether an entry is a user's: a decision, a statement, a question or a task that the rules found.
fn is_users(draft: &Summary, on: &str, grounds: &Grounds<'_>) -> bool {
    let Some((list, at)) = place(on) else { return true };
    let is_by_user = |by: &[String]| by.iter().any(|key| key == USER);
    match list {
        "insights" => draft.insights.get(at).is_none_or(|one| is_by_user(&one.by)),
        "action_items" => draft.action_items.get(at).is_none_or(|one| is_by_user(&one.by)),
        "open_questions" => {
            draft.open_questions.get(at).is_none_or(|one| grounds.by_rule.open_questions.contains(one))
        }
        "additions" => draft.additions.get(at).is_none(),
        _ => true,
    }
}

fn place(on: &str) -> Option<(&str, usize)> {
    let (list, at) = on.split_once('/')?;
    Some((list, at.parse().ok()?))
}

/// New words for an entry; they have to rest on its turns.
fn change(draft: &mut Summary, on: &str, text: &str, grounds: &Grounds<'_>) -> Result<(), String> {
    let Some((list, at)) = place(on) else { return Err("there is no such entry".to_owned()) };
    let new = |turns: &[u32], by: &[String]| grounds.rests(Entry::new(text, turns, by));
    match list {
        "insights" | "action_items" => {
            let list = if list == "insights" { &mut draft.insights } else { &mut draft.action_items };
            let Some(one) = list.get_mut(at) else { return Err("there is no such entry".to_owned()) };
            let entry = new(&one.turns, &one.by)?;
            (one.text, one.turns, one.by) = (entry.text, entry.turns, entry.by);
        }
        "open_questions" => {
            let Some(one) = draft.open_questions.get_mut(at) else {
                return Err("there is no such entry".to_owned());
            };
            let entry = new(&one.turns, &[])?;
            (one.text, one.turns) = (entry.text, entry.turns);
        }
        "additions" => {
            let Some(one) = draft.additions.get_mut(at) else {
                return Err("there is no such entry".to_owned());
            };
            let entry = new(&one.turns, &[])?;
            match &mut one.text {
                Some(old) => (*old, one.turns) = (entry.text, entry.turns),
                None => return Err("it has fields instead of a text".to_owned()),
            }
        }
        _ => return Err("it is a user's".to_owned()),
    }
    Ok(())
}

/// Takes entries out, by their places in the draft.
fn without(draft: &mut Summary, dropped: &[&str]) {
    fn keep<T>(list: &mut Vec<T>, name: &str, dropped: &[&str]) {
        let mut at = 0;
        list.retain(|_| {
            at += 1;
            !dropped.contains(&format!("{name}/{}", at - 1).as_str())
        });
    }
    keep(&mut draft.insights, "insights", dropped);
    keep(&mut draft.open_questions, "open_questions", dropped);
    keep(&mut draft.action_items, "action_items", dropped);
    keep(&mut draft.additions, "additions", dropped);
}
