//! A model's synthesis, held against what was said: an entry is kept only on turns that were taken, by those who spoke
//! in them, in words near to theirs, with their figures and ids (V-6).
//!
//! A true entry that names a wrong turn gets the right one. What rests on nothing is dropped; both are recorded as
//! critiques. Only people decide: the decisions are those that the rules find in the users' words, whatever a model says.
//! The users' own statements stay as they were said.

use std::collections::BTreeSet;

use serde_json::Value;

use super::clauses::{Claimed, Lack, supports};
use crate::discussion::Discussion;
use crate::discussion::additions::{Addition, Field, Kind, UNASSIGNED};
use crate::discussion::event::{Critique, Event, Rest, Verdict};
use crate::discussion::summary::{Decision, Insight, ONE_LINE, Question, Summary, USER};
use crate::minutes::{Forms, decisions_in, says_nothing};
use crate::text::plain::{clean, cut, one_line, shown};
use crate::text::words::{subjects, words};
use crate::voice::Synthesis;

/// The longest entry, in characters.
const ENTRY: usize = 400;
/// The most entries of a kind.
const MOST: usize = 12;
/// Entries of a kind that are looked at.
const READ: usize = 48;
/// Of a hundred words of an entry, so many are words of the turns it names.
const NEAR: usize = 50;
/// An entry that names a wrong turn gets others that have so many of a hundred of its words.
const NEARER: usize = 65;
/// It shares at least so many words with one of them; it has twice as many where several say it.
const FEW: usize = 3;
/// The most turns that such an entry gets.
const TURNS: usize = 3;
/// Who is to do what nobody has taken.
const NOBODY: &str = "(unassigned)";
/// What is wrong with an entry without words of a subject.
const EMPTY: &str = "it says nothing";

/// What is left of a model's synthesis, and what was wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grounded {
    pub summary: Summary,
    pub critiques: Vec<Critique>,
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

/// An entry of a synthesis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub text: String,
    /// The rationale of a decision, the context of a question.
    more: String,
    pub by: Vec<String>,
    pub turns: Vec<u32>,
}

impl Entry {
    pub fn new(text: &str, turns: &[u32], by: &[String]) -> Entry {
        let text = cut(&one_line(&clean(text)), ENTRY);
        Entry { text, more: String::new(), by: by.to_vec(), turns: turns.to_vec() }
    }
}

/// Reads a model's answer, whatever is around its JSON.
///
/// # Errors
/// What is missing, in words that a model can act on.
pub fn read(answer: &str) -> Result<Said, String> {
    let mut object = super::rounds::object(answer).ok_or("it was no JSON object, or it broke off")?;
    // In the form that all answers of a discussion have, it is a field.
    if let Some(Value::Object(inner)) = object.remove("synthesis") {
        object = inner;
    }
    let list = |key: &str, more: &str| -> Result<Vec<Entry>, String> {
        let found =
            object.get(key).and_then(Value::as_array).ok_or(format!("the list \"{key}\" is missing"))?;
        Ok(found.iter().take(READ).map(|entry| of_value(entry, more)).collect())
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
    /// A persona's key, or [`USER`].
    by: String,
    /// What the speaker is called, in lower case.
    name: String,
    text: String,
    claimed: Claimed,
}

/// What a synthesis is held against.
pub struct Grounds<'a> {
    talk: &'a Discussion<'a>,
    forms: &'a Forms,
    /// The synthesis that the rules have drawn up.
    pub by_rule: &'a Summary,
    turns: Vec<Turn>,
}

impl<'a> Grounds<'a> {
    pub fn new(talk: &'a Discussion<'a>, forms: &'a Forms, by_rule: &'a Summary) -> Grounds<'a> {
        Grounds { talk, forms, by_rule, turns: turns(talk).collect() }
    }

    /// Keeps what rests on the discussion.
    pub fn hold(&self, said: Said) -> Grounded {
        let mut critiques = Vec::new();
        let mut kept = |list: &str, entries: Vec<Entry>| self.kept(list, entries, &mut critiques);
        let insight =
            |entry: Entry| Insight { text: entry.text, by: entry.by, turns: entry.turns, rests: Vec::new() };
        let question = |entry: Entry| Question { text: entry.text, context: entry.more, turns: entry.turns };
        let decision =
            |entry: Entry| Decision { text: entry.text, rationale: entry.more, turns: entry.turns };
        let mut summary = Summary {
            insights: kept("insights", said.insights).into_iter().map(insight).collect(),
            open_questions: kept("open_questions", said.open_questions).into_iter().map(question).collect(),
            action_items: kept("action_items", said.action_items).into_iter().map(insight).collect(),
            summary: one_line(&clean(&said.summary)),
            ..Summary::default()
        };
        summary.additions = self.additions(&said.additions, &mut critiques);
        let decisions = said.decisions.into_iter().enumerate();
        let (own, others): (Vec<_>, Vec<_>) = decisions.partition(|(_, entry)| self.is_decided(&entry.turns));
        summary.decisions = own.into_iter().map(|(_, entry)| decision(entry)).collect();
        critiques.extend(others.into_iter().map(|(at, entry)| {
            critique("decisions", at, &entry.text, "no decision of a user", Verdict::Dropped)
        }));
        Grounded { summary, critiques }
    }

    /// The entries of a list that rest on turns; what is wrong with the others is noted.
    fn kept(&self, list: &str, entries: Vec<Entry>, critiques: &mut Vec<Critique>) -> Vec<Entry> {
        let mut kept: Vec<Entry> = Vec::new();
        for (at, entry) in entries.into_iter().enumerate() {
            let (text, named) = (entry.text.clone(), entry.turns.clone());
            let problem = match self.rests(entry) {
                Ok(entry) if kept.iter().any(|known| subjects(&known.text) == subjects(&entry.text)) => {
                    Err("it says what another entry says".to_owned())
                }
                Ok(_) if kept.len() >= MOST => Err(format!("a list has at most {MOST} entries")),
                Ok(entry) => {
                    let is_moved = !entry.turns.iter().any(|turn| named.contains(turn));
                    let moved = is_moved.then(|| format!("it was said in {}", numbers(&entry.turns)));
                    kept.push(entry);
                    Ok(moved)
                }
                Err(why) => Err(why),
            };
            critiques.extend(match problem {
                Ok(moved) => moved.map(|why| critique(list, at, &text, &why, Verdict::Changed)),
                Err(why) => Some(critique(list, at, &text, &why, Verdict::Dropped)),
            });
        }
        kept
    }

    /// The additions that rest on turns, each with an owner who can be one.
    fn additions(&self, said: &[Value], critiques: &mut Vec<Critique>) -> Vec<Addition> {
        let mut found: Vec<Addition> = Vec::new();
        for (at, value) in said.iter().take(READ).enumerate() {
            match Addition::read(value).and_then(|addition| self.addition(addition)) {
                Ok(addition) if found.contains(&addition) => {}
                Ok(addition) if found.len() < MOST => found.push(addition),
                Ok(_) => {
                    critiques.push(critique("additions", at, "", "there are too many", Verdict::Dropped))
                }
                Err(why) => {
                    let text = value.get("text").and_then(Value::as_str).unwrap_or_default();
                    critiques.push(critique("additions", at, text, &why, Verdict::Dropped));
                }
            }
        }
        found
    }

    fn addition(&self, mut addition: Addition) -> Result<Addition, String> {
        // Each part alone: several times nothing is nothing.
        let is_empty = |text: &String| says_nothing(text);
        let mut parts = addition.text.iter().cloned().chain(addition.fields.values().map(Field::text));
        if parts.all(|part| is_empty(&part)) {
            return Err(EMPTY.to_owned());
        }
        addition.text = addition.text.filter(|text| !is_empty(text));
        let words = addition.words();
        let decided = addition.kind == Kind::DecisionRecord;
        if decided && !self.is_decided(&addition.turns) {
            return Err("no user decided that in the turns it names".to_owned());
        }
        if addition.kind == Kind::Note && !decisions_in(&words, self.forms).is_empty() {
            return Err("it reads as a decision, and only users decide".to_owned());
        }
        addition.turns = self.carrying(&words, &addition.turns)?.iter().map(|turn| turn.number).collect();
        if decided && !self.is_decided(&addition.turns) {
            return Err("no user decided that".to_owned());
        }
        if let Some(Field::Text(owner)) = addition.fields.get_mut("owner")
            && self.key_of(owner).is_some()
        {
            UNASSIGNED.clone_into(owner);
        }
        Ok(addition)
    }

    /// Whether the rules found a decision in one of these turns.
    fn is_decided(&self, turns: &[u32]) -> bool {
        self.by_rule.decisions.iter().any(|known| known.turns.iter().any(|turn| turns.contains(turn)))
    }

    /// The entry with the turns it rests on, and who of them said it.
    ///
    /// # Errors
    /// What it lacks.
    pub fn rests(&self, mut entry: Entry) -> Result<Entry, String> {
        if says_nothing(&entry.text) {
            return Err(EMPTY.to_owned());
        }
        if !decisions_in(&entry.text, self.forms).is_empty() {
            return Err("it reads as a decision, and only users decide".to_owned());
        }
        let found = self.carrying(&entry.text, &entry.turns)?;
        entry.turns = found.iter().map(|turn| turn.number).collect();
        let claimed = entry.by.iter().filter_map(|name| self.key_of(name));
        let mut by: Vec<String> = claimed.filter(|key| found.iter().any(|turn| turn.by == *key)).collect();
        if by.is_empty() {
            by = found.iter().map(|turn| turn.by.clone()).collect();
        }
        by.sort();
        by.dedup();
        entry.by = by;
        // A reason that nobody gave is none.
        let reason = subjects(&entry.more);
        if reason.is_empty() || self.supports(&entry.more, &reason, &found, NEAR).is_err() {
            entry.more = format!("said in {}", numbers(&entry.turns));
        }
        Ok(entry)
    }

    /// The turns that say a text: those that it names, or else those that have most of it.
    fn carrying(&self, text: &str, turns: &[u32]) -> Result<Vec<&Turn>, String> {
        let words = subjects(text);
        if words.is_empty() {
            return Err(EMPTY.to_owned());
        }
        let named: Vec<&Turn> = self.turns.iter().filter(|turn| turns.contains(&turn.number)).collect();
        let found = match self.supports(text, &words, &named, NEAR) {
            Ok(()) => named,
            Err(why) => self.better(text, &words).ok_or(why)?,
        };
        // A turn that has none of the words carries nothing of it.
        let carries = |turn: &&Turn| words.iter().any(|word| turn.claimed.words.contains(word));
        Ok(found.into_iter().filter(carries).collect())
    }

    /// Whether these turns say a text: its words, figures, ids and names.
    fn supports(&self, text: &str, words: &[String], turns: &[&Turn], near: usize) -> Result<(), String> {
        if turns.is_empty() {
            return Err("it names no turn that was taken".to_owned());
        }
        let grounds: Vec<&Claimed> = turns.iter().map(|turn| &turn.claimed).collect();
        supports(text, words, &grounds, near).map_err(|lack| lack.told("the turns it names"))?;
        match self.unspoken(text, turns) {
            Some(name) => Err(Lack::Unsaid(name).told("the turns it names")),
            None => Ok(()),
        }
    }

    /// A name at the table that a text has, and that none of these turns is by or has.
    fn unspoken(&self, text: &str, turns: &[&Turn]) -> Option<String> {
        let named: BTreeSet<String> = words(text).into_iter().map(|word| word.text.into_owned()).collect();
        let cast = self.talk.library().cast.iter().map(|one| one.first_name().to_lowercase());
        let names: BTreeSet<String> = self.turns.iter().map(|turn| turn.name.clone()).chain(cast).collect();
        let is_there = |name: &String| {
            let has =
                |turn: &&Turn| turn.name == *name || words(&turn.text).iter().any(|word| word.text == *name);
            turns.iter().any(has)
        };
        names.into_iter().find(|name| named.contains(name) && !is_there(name))
    }

    /// The turns that say a text, where it names others: the one that has most of it, or a few together.
    fn better(&self, text: &str, words: &[String]) -> Option<Vec<&Turn>> {
        let shared = |turn: &Turn| words.iter().filter(|word| turn.claimed.words.contains(*word)).count();
        let mut ranked: Vec<&Turn> = self.turns.iter().collect();
        ranked.sort_by_key(|turn| std::cmp::Reverse(shared(turn)));
        ranked.truncate(TURNS);
        // A few words are in any turn.
        let alone = ranked
            .iter()
            .find(|turn| shared(turn) >= FEW && self.supports(text, words, &[turn], NEARER).is_ok());
        let together = || {
            let mut turns = ranked.clone();
            turns.sort_by_key(|turn| turn.number);
            let is_there = words.len() >= 2 * FEW && self.supports(text, words, &turns, NEARER).is_ok();
            is_there.then_some(turns)
        };
        alone.map(|turn| vec![*turn]).or_else(together)
    }

    /// A persona's key by its key or name in any case, or the user's.
    fn key_of(&self, name: &str) -> Option<String> {
        let name = name.trim();
        if name.eq_ignore_ascii_case(USER) || name.eq_ignore_ascii_case("the user") {
            return Some(USER.to_owned());
        }
        let is = |text: &str| text.eq_ignore_ascii_case(name);
        let mut cast = self.talk.library().cast.iter();
        cast.find(|one| is(&one.key) || is(&one.name) || is(one.first_name())).map(|one| one.key.clone())
    }

    /// The model's synthesis with what is not for a model to say: decisions, and the users' own statements, are those that
    /// the rules find.
    pub fn complete(&self, grounded: Grounded) -> Synthesis {
        let Grounded { mut summary, critiques } = grounded;
        let by_rule = self.by_rule.clone();
        let is_user = |insight: &Insight| insight.by.iter().any(|key| key == USER);
        let not_by_user = |mut insight: Insight| {
            insight.by.retain(|key| key != USER);
            (!insight.by.is_empty()).then_some(insight)
        };
        summary.insights = summary.insights.into_iter().filter_map(not_by_user).collect();
        summary.insights.extend(by_rule.insights.into_iter().filter(is_user));
        summary.decisions = by_rule.decisions;
        for item in summary.action_items.iter_mut().filter(|item| !by_rule.action_items.contains(item)) {
            self.unassign(item);
        }
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
        Synthesis { summary, critiques }
    }

    /// What is left of a recorded synthesis where it is held again: itself, if it follows from the discussion.
    pub fn again(&self, said: &Summary) -> Summary {
        if said == self.by_rule {
            return said.clone();
        }
        let own = self.own(said);
        let Synthesis { mut summary, .. } = self.complete(self.hold(own));
        if !self.sums_up(&said.summary, &summary) {
            self.by_rule.summary.clone_into(&mut summary.summary);
        }
        summary
    }

    /// What of a recorded synthesis its model wrote: all that is not by rule.
    fn own(&self, said: &Summary) -> Said {
        let by_rule = self.by_rule;
        let insight = |one: &Insight| Entry::new(&one.text, &one.turns, &one.by);
        let action = |one: &Insight| {
            let text = one.text.strip_suffix(NOBODY).map_or(one.text.as_str(), str::trim_end);
            Entry::new(text, &one.turns, &one.by)
        };
        let question = |one: &Question| {
            let more = one.context.clone();
            Entry { more, ..Entry::new(&one.text, &one.turns, &[]) }
        };
        let is_users = |one: &&Insight| one.by.iter().any(|key| key == USER);
        let questions = said.open_questions.iter().filter(|one| !by_rule.open_questions.contains(one));
        let actions = said.action_items.iter().filter(|one| !by_rule.action_items.contains(one));
        let additions = said.additions.iter().filter_map(|one| serde_json::to_value(one).ok());
        Said {
            insights: said.insights.iter().filter(|one| !is_users(one)).map(insight).collect(),
            decisions: Vec::new(),
            open_questions: questions.map(question).collect(),
            action_items: actions.map(action).collect(),
            additions: additions.collect(),
            summary: said.summary.clone(),
        }
    }

    /// An action item that a persona named has no owner, unless it names a user.
    fn unassign(&self, item: &mut Insight) {
        let said: BTreeSet<String> =
            words(&item.text).into_iter().map(|word| word.text.into_owned()).collect::<BTreeSet<_>>();
        let names_user = self.turns.iter().any(|turn| turn.by == USER && said.contains(&turn.name));
        if !names_user && !item.text.contains("unassigned") {
            item.text = format!("{} {NOBODY}", item.text);
        }
    }

    /// Whether a line is short and says what the entries say.
    pub fn sums_up(&self, line: &str, summary: &Summary) -> bool {
        let entries: Vec<Claimed> = texts(summary).iter().map(|text| Claimed::new(text)).collect();
        let words = subjects(line);
        let is_decided = |(decided, _): &(String, Option<String>)| {
            let words = subjects(decided);
            let decisions = summary.decisions.iter().map(|one| subjects(&one.text));
            decisions
                .into_iter()
                .any(|known| words.iter().filter(|word| known.contains(word)).count() * 4 >= words.len() * 3)
        };
        !words.is_empty()
            && line.chars().count() <= ONE_LINE
            && decisions_in(line, self.forms).iter().all(is_decided)
            && supports(line, &words, &entries.iter().collect::<Vec<_>>(), NEAR).is_ok()
    }
}

/// The words of all entries.
fn texts(summary: &Summary) -> Vec<String> {
    let insights = summary.insights.iter().chain(&summary.action_items).map(|one| one.text.clone());
    let decisions = summary.decisions.iter().map(|one| format!("{}; {}", one.text, one.rationale));
    let questions = summary.open_questions.iter().map(|one| format!("{}; {}", one.text, one.context));
    insights.chain(decisions).chain(questions).chain(summary.additions.iter().map(Addition::words)).collect()
}

fn critique(list: &str, at: usize, text: &str, why: &str, outcome: Verdict) -> Critique {
    let problem = format!("\"{}\": {why}", cut(&shown(text), 120));
    Critique { on: format!("{list}/{at}"), problem, outcome }
}

fn turns<'t>(talk: &'t Discussion<'_>) -> impl Iterator<Item = Turn> + 't {
    let cast = &talk.library().cast;
    talk.log().iter().filter_map(move |record| {
        let (number, by, name, text, rests): (_, _, &str, _, &[Rest]) = match &record.event {
            Event::Contribution(said) => {
                let name = cast.get(&said.by).map_or("", |one| one.first_name());
                (said.turn, said.by.as_str(), name, &said.text, &said.rests)
            }
            Event::User(message) => (message.turn?, USER, message.by.as_str(), &message.text, &[]),
            _ => return None,
        };
        // What a line rests on is said with it.
        let whole = rests.iter().fold(text.clone(), |whole, rest| format!("{whole}\n{}", rest.quote));
        Some(Turn {
            number,
            by: by.to_owned(),
            name: name.split(' ').next().unwrap_or_default().to_lowercase(),
            claimed: Claimed::new(&whole),
            text: text.clone(),
        })
    })
}

fn numbers(turns: &[u32]) -> String {
    let all: Vec<String> = turns.iter().map(u32::to_string).collect();
    format!("{} {}", if turns.len() == 1 { "turn" } else { "turns" }, all.join(", "))
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
}
