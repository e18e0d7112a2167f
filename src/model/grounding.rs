//! A model's synthesis, held against what was said: an entry stands only on turns that were
//! taken, by those who spoke in them, in words near to theirs (contract, section 5).
//!
//! What rests on nothing is dropped and named. Only people decide: the decisions are those that the rules find in
//! the users' words, whatever a model says; a model's other decisions are dropped and named. The users' own
//! statements stay as they were said.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::additions::{Addition, Field, UNASSIGNED};
use crate::discussion::Discussion;
use crate::discussion::event::Event;
use crate::discussion::summary::{Decision, Insight, ONE_LINE, Question, Summary, USER};
use crate::plain::{clean, cut, one_line, shown};
use crate::text::words::subjects;

/// The longest entry, in characters.
const ENTRY: usize = 400;
/// The most entries of a kind.
const MOST: usize = 12;
/// Of a hundred words of an entry, so many are words of the turns it names.
const NEAR: usize = 50;

/// What is left of a model's synthesis, and what was dropped of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grounded {
    pub summary: Summary,
    /// An entry's words and what it lacks.
    pub dropped: Vec<String>,
}

/// A synthesis as a model wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    insights: Vec<Entry>,
    decisions: Vec<Entry>,
    open_questions: Vec<Entry>,
    action_items: Vec<Entry>,
    additions: Vec<Value>,
    summary: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    text: String,
    /// The rationale of a decision, the context of a question.
    more: String,
    by: Vec<String>,
    turns: Vec<u32>,
}

/// Reads a model's answer, whatever stands around its JSON.
///
/// # Errors
/// What is missing, in words that a model can act on.
pub fn read(answer: &str) -> Result<Said, String> {
    let object = super::object(answer).ok_or("it was no JSON object, or it broke off")?;
    let list = |key: &str, more: &str| -> Result<Vec<Entry>, String> {
        let found =
            object.get(key).and_then(Value::as_array).ok_or(format!("the list \"{key}\" is missing"))?;
        Ok(found.iter().map(|entry| of_value(entry, more)).collect())
    };
    Ok(Said {
        insights: list("insights", "")?,
        decisions: list("decisions", "rationale")?,
        open_questions: list("open_questions", "context")?,
        action_items: list("action_items", "")?,
        // A synthesis without any needs no such list.
        additions: object.get("additions").and_then(Value::as_array).cloned().unwrap_or_default(),
        summary: object.get("summary").and_then(Value::as_str).ok_or("\"summary\" is missing")?.to_owned(),
    })
}

fn of_value(value: &Value, more: &str) -> Entry {
    let text = |key: &str| {
        let found = value.get(key).and_then(Value::as_str).unwrap_or_default();
        cut(&one_line(&clean(found)), ENTRY)
    };
    let list = |key: &str| value.get(key).and_then(Value::as_array).into_iter().flatten();
    Entry {
        text: text("text"),
        more: text(more),
        by: list("by").filter_map(|by| by.as_str().map(str::to_owned)).collect(),
        turns: list("turns").filter_map(|turn| turn.as_u64().and_then(|turn| turn.try_into().ok())).collect(),
    }
}

/// What was said in a turn, and by whom.
struct Turn {
    number: u32,
    by: String,
    words: BTreeSet<String>,
}

/// Keeps what rests on the discussion.
pub fn ground(said: Said, talk: &Discussion<'_>) -> Grounded {
    let turns: Vec<Turn> = turns(talk).collect();
    let mut dropped = Vec::new();
    let mut kept = |entries: Vec<Entry>| -> Vec<Entry> {
        let mut stands: Vec<Entry> = Vec::new();
        for entry in entries {
            match grounded(entry, &turns, talk) {
                Ok(entry) if stands.iter().any(|known| subjects(&known.text) == subjects(&entry.text)) => {}
                Ok(entry) if stands.len() < MOST => stands.push(entry),
                Ok(_) => {}
                Err(why) => dropped.push(why),
            }
        }
        stands
    };
    let insight =
        |entry: Entry| Insight { text: entry.text, by: entry.by, turns: entry.turns, rests: Vec::new() };
    let insights = kept(said.insights).into_iter().map(insight).collect();
    let decisions = kept(said.decisions).into_iter();
    let decisions =
        decisions.map(|entry| Decision { text: entry.text, rationale: entry.more, turns: entry.turns });
    let decisions = decisions.collect();
    let questions = kept(said.open_questions).into_iter();
    let questions =
        questions.map(|entry| Question { text: entry.text, context: entry.more, turns: entry.turns });
    let open_questions = questions.collect();
    let action_items = kept(said.action_items).into_iter().map(insight).collect();
    let additions = additions(&said.additions, &turns, talk, &mut dropped);
    let summary = one_line(&clean(&said.summary));
    let summary =
        Summary { insights, decisions, open_questions, action_items, additions, summary, voice: None };
    Grounded { summary, dropped }
}

/// The additions that rest on turns, each with an owner who can be one.
fn additions(
    said: &[Value],
    turns: &[Turn],
    talk: &Discussion<'_>,
    dropped: &mut Vec<String>,
) -> Vec<Addition> {
    let mut found: Vec<Addition> = Vec::new();
    for value in said {
        let read = Addition::read(value).and_then(|addition| {
            let entry = Entry { text: addition.words(), turns: addition.turns.clone(), ..Entry::default() };
            let turns = grounded(entry, turns, talk)?.turns;
            Ok(Addition { turns, ..addition })
        });
        match read {
            Ok(mut addition) if found.len() < MOST => {
                if let Some(Field::Text(owner)) = addition.fields.get_mut("owner")
                    && key_of(owner, talk).is_some()
                {
                    UNASSIGNED.clone_into(owner);
                }
                if !found.contains(&addition) {
                    found.push(addition);
                }
            }
            Ok(_) => {}
            Err(why) => dropped.push(why),
        }
    }
    found
}

fn turns<'t>(talk: &'t Discussion<'_>) -> impl Iterator<Item = Turn> + 't {
    talk.log().iter().filter_map(|record| {
        let (number, by, text) = match &record.event {
            Event::Contribution(said) => (said.turn, said.by.as_str(), &said.text),
            Event::User(message) => (message.turn?, USER, &message.text),
            _ => return None,
        };
        Some(Turn { number, by: by.to_owned(), words: subjects(text).into_iter().collect() })
    })
}

/// The entry with the turns it can name, and who of them said it; or what it lacks.
fn grounded(mut entry: Entry, turns: &[Turn], talk: &Discussion<'_>) -> Result<Entry, String> {
    let what = format!("\"{}\"", cut(&shown(&entry.text), 60));
    let words = subjects(&entry.text);
    if words.is_empty() {
        return Err(format!("{what} says nothing"));
    }
    let named: Vec<&Turn> = turns.iter().filter(|turn| entry.turns.contains(&turn.number)).collect();
    if named.is_empty() {
        return Err(format!("{what} names no turn that was taken"));
    }
    let near = words.iter().filter(|word| named.iter().any(|turn| turn.words.contains(*word))).count();
    if near * 100 < words.len() * NEAR {
        return Err(format!("{what} is in none of the turns it names"));
    }
    // A turn that has none of the words carries nothing of it.
    let named: Vec<&Turn> =
        named.into_iter().filter(|turn| words.iter().any(|word| turn.words.contains(word))).collect();
    entry.turns = named.iter().map(|turn| turn.number).collect();
    let claimed: Vec<String> = entry.by.iter().filter_map(|name| key_of(name, talk)).collect();
    let spoke = |key: &String| named.iter().any(|turn| turn.by == *key);
    let mut by: Vec<String> = claimed.into_iter().filter(|key| spoke(key)).collect();
    if by.is_empty() {
        by = named.iter().map(|turn| turn.by.clone()).collect();
    }
    by.sort();
    by.dedup();
    entry.by = by;
    // A reason that nobody gave is none.
    let reason = subjects(&entry.more);
    let near = reason.iter().filter(|word| named.iter().any(|turn| turn.words.contains(*word))).count();
    if reason.is_empty() || near * 100 < reason.len() * NEAR {
        entry.more = format!("said in {}", numbers(&entry.turns));
    }
    Ok(entry)
}

/// A persona's key by its key or name in any case, or the user's.
fn key_of(name: &str, talk: &Discussion<'_>) -> Option<String> {
    let name = name.trim();
    if name.eq_ignore_ascii_case(USER) || name.eq_ignore_ascii_case("the user") {
        return Some(USER.to_owned());
    }
    let is = |text: &str| text.eq_ignore_ascii_case(name);
    let found =
        talk.library().cast.iter().find(|one| is(&one.key) || is(&one.name) || is(one.first_name()))?;
    Some(found.key.clone())
}

fn numbers(turns: &[u32]) -> String {
    let all: Vec<String> = turns.iter().map(u32::to_string).collect();
    format!("{} {}", if turns.len() == 1 { "turn" } else { "turns" }, all.join(", "))
}

/// The model's synthesis with what is not for a model to say: decisions, and the users' own statements, are those that
/// the rules find. Gives the decisions of the model that are none, too.
pub fn complete(mut summary: Summary, by_rule: Summary) -> (Summary, Vec<String>) {
    let is_user = |insight: &Insight| insight.by.iter().any(|key| key == USER);
    summary.insights.retain(|insight| !is_user(insight));
    summary.insights.extend(by_rule.insights.into_iter().filter(is_user));
    let said = std::mem::replace(&mut summary.decisions, by_rule.decisions);
    let is_decided = |one: &Decision| {
        summary.decisions.iter().any(|known| known.turns.iter().any(|turn| one.turns.contains(turn)))
    };
    let dropped: Vec<String> = said
        .iter()
        .filter(|one| !is_decided(one))
        .map(|one| format!("\"{}\" is no decision of a user", cut(&shown(&one.text), 60)))
        .collect();
    let is_new = |list: &[Question], one: &Question| !list.iter().any(|known| known.text == one.text);
    for question in by_rule.open_questions {
        if is_new(&summary.open_questions, &question) {
            summary.open_questions.push(question);
        }
    }
    for item in by_rule.action_items {
        if !summary.action_items.iter().any(|known| known.text == item.text) {
            summary.action_items.push(item);
        }
    }
    if summary.summary.is_empty() || summary.summary.chars().nth(ONE_LINE).is_some() {
        summary.summary = by_rule.summary;
    }
    (summary, dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        for (answer, wrong) in [
            ("no JSON", "no JSON object"),
            (r#"{"insights": []}"#, "\"decisions\" is missing"),
            (r#"{"insights": [], "decisions": [], "open_questions": [], "action_items": []}"#, "\"summary\""),
            (r#"{"insights": [{"text": "a"#, "broke off"),
        ] {
            assert!(read(answer).unwrap_err().contains(wrong), "{answer}: {:?}", read(answer));
        }
        let whole = r#"Here: {} "#;
        assert!(read(whole).is_err());
        let fenced = "```json\n{\"insights\": [], \"decisions\": [], \"open_questions\": [], \"action_items\": [], \"summary\": \"s\"}\n```";
        assert_eq!(read(fenced).unwrap().summary, "s");
    }

    #[test]
    fn only_the_decisions_of_users_are_kept() {
        let decision =
            |text: &str, turn| Decision { text: text.into(), rationale: "r".into(), turns: vec![turn] };
        let model = Summary {
            decisions: vec![decision("Photos stay on the phone", 4), decision("Delete it all tonight", 6)],
            ..Summary::default()
        };
        let by_rule = Summary {
            decisions: vec![decision("Keep photos on the phone 30 days", 4)],
            summary: "by rule".into(),
            ..Summary::default()
        };
        let (whole, dropped) = complete(model, by_rule.clone());
        assert_eq!(whole.decisions, by_rule.decisions);
        assert_eq!(whole.summary, "by rule");
        assert_eq!(dropped, ["\"Delete it all tonight\" is no decision of a user"]);
    }
}
