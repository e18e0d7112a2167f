//! A model's synthesis, held against what was said: an entry is kept only on turns that were taken, by those who spoke
//! in them, in words near to theirs, with their figures and ids (V-6).
//!
//! A true entry that names a wrong turn gets the right one. What rests on nothing is dropped; both are recorded as
//! critiques. Only people decide: a decision is words of a user, found by their form, or named by a model and then found
//! in a turn of a user to the letter. The users' own statements stay as they were said.

use std::collections::BTreeSet;

use serde_json::Value;

use super::clauses::{Claimed, Lack, supports};
use super::prompt::RefusedEntry;
use crate::discussion::Discussion;
use crate::discussion::additions::{Addition, Field, Kind, Proposal, UNASSIGNED};
use crate::discussion::address::without_vocative;
use crate::discussion::closing;
use crate::discussion::consent::{is_accepted, seen_before};
use crate::discussion::event::{Class, Contribution, Critique, Event, Message, Rest, Verdict};
use crate::discussion::points::Point;
use crate::discussion::summary::{
    Acceptance, Decision, Insight, Possible, Proposed, Question, Recognised, Summary, USER,
};
use crate::item::persona::Persona;
use crate::minutes::{Forms, NOT_SETTLED, decisions_in, in_one_line, says_nothing, with_limits};
use crate::text::ids::mentioned_ids;
use crate::text::markdown;
use crate::text::plain::{clean, cut, one_line, shown};
use crate::text::words::{subjects, words};
use crate::voice::Synthesis;
use crate::voice::sources::Folded;

/// The longest entry, in characters.
const ENTRY: usize = 400;
/// Characters of the words that a decision is named by.
const CLAIM: usize = 4_000;
/// An insight of more words is asked for again, once.
const MAX_INSIGHT_WORDS: usize = 40;
/// The most insights of a model.
const INSIGHTS: usize = 7;
/// The most entries of another kind.
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
/// A decision has at most so many sentences.
const SENTENCES: usize = 12;
/// Who is to do what nobody has taken.
const NOBODY: &str = "(unassigned)";
/// What is wrong with an entry without words of a subject.
const EMPTY: &str = "it says nothing";

/// What is wrong with an insight that nobody but users said.
const USERS_ALONE: &str = "only a user said it, and the recording has those words";

/// What is left of a model's synthesis, and what was wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grounded {
    pub summary: Summary,
    pub critiques: Vec<Critique>,
}

/// A synthesis as a model wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelSynthesis {
    insights: Vec<Entry>,
    decisions: Vec<Claim>,
    open_questions: Vec<Entry>,
    action_items: Vec<Entry>,
    /// The turns whose proposals are to be kept.
    proposals: Vec<u32>,
}

/// A decision as a model names it: a user's words, and the turn that they are in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    turn: u32,
    text: String,
    /// The turn of the question that it answers.
    answers: Option<u32>,
    /// The proposal that it accepts.
    accepts: Option<Proposed>,
}

/// An entry of a synthesis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub text: String,
    /// The rationale of a decision, the context of a question.
    more: String,
    pub by: Vec<String>,
    pub turns: Vec<u32>,
    rests: Vec<Rest>,
}

impl Entry {
    pub fn new(text: &str, turns: &[u32], by: &[String]) -> Entry {
        let text = cut(&one_line(&clean(text)), ENTRY);
        Entry { text, by: by.to_vec(), turns: turns.to_vec(), ..Entry::default() }
    }
}

/// Reads a model's answer, whatever is around its JSON.
///
/// # Errors
/// What is missing, in words that a model can act on.
pub fn read(answer: &str) -> Result<ModelSynthesis, String> {
    let mut object = super::rounds::object(answer).ok_or("it was no JSON object, or it broke off")?;
    // In the form that all answers of a discussion have, it is a field.
    if let Some(Value::Object(inner)) = object.remove("synthesis") {
        object = inner;
    }
    let list =
        |key: &str| object.get(key).and_then(Value::as_array).ok_or(format!("the list \"{key}\" is missing"));
    let entries = |key: &str, more: &str| -> Result<Vec<Entry>, String> {
        Ok(list(key)?.iter().take(READ).map(|entry| of_value(entry, more)).collect())
    };
    Ok(ModelSynthesis {
        insights: entries("insights", "")?,
        decisions: list("decisions")?.iter().take(READ).filter_map(claim).collect(),
        open_questions: entries("open_questions", "context")?,
        action_items: entries("action_items", "")?,
        // A synthesis without any needs no such list.
        proposals: object.get("proposals").map(numbers_of).unwrap_or_default(),
    })
}

fn of_value(value: &Value, more: &str) -> Entry {
    let text = |key: &str| {
        let found = value.get(key).and_then(Value::as_str).unwrap_or_default();
        cut(&one_line(&clean(found)), ENTRY)
    };
    let names = match value.get("by") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        by => by.and_then(Value::as_str).into_iter().collect::<Vec<_>>(),
    };
    // `User/Maya` names two, as documents do.
    let by = names.into_iter().flat_map(|name| name.split('/')).map(str::to_owned).collect();
    Entry {
        text: text("text"),
        more: text(more),
        by,
        turns: value.get("turns").map(numbers_of).unwrap_or_default(),
        rests: rests_of(value),
    }
}

fn claim(value: &Value) -> Option<Claim> {
    let text = cut(&one_line(&clean(value.get("text")?.as_str()?)), CLAIM);
    let turn = |key: &str| value.get(key).and_then(Value::as_u64).and_then(|turn| turn.try_into().ok());
    let accepts = match value.get("accepts").and_then(Value::as_str).map(str::trim) {
        Some(said) => said.parse().map(Proposed::Turn).ok().or_else(|| proposed_id(said)),
        None => turn("accepts").map(Proposed::Turn),
    };
    Some(Claim { turn: turn("turn")?, text, answers: turn("answers"), accepts })
}

fn proposed_id(said: &str) -> Option<Proposed> {
    (mentioned_ids(said).next() == Some(said)).then(|| Proposed::Id(said.to_owned()))
}

fn numbers_of(value: &Value) -> Vec<u32> {
    let numbers = value.as_array().into_iter().flatten();
    numbers.filter_map(|turn| turn.as_u64().and_then(|turn| turn.try_into().ok())).take(READ).collect()
}

fn rests_of(value: &Value) -> Vec<Rest> {
    let rests = value.get("rests").and_then(Value::as_array).into_iter().flatten();
    rests.filter_map(super::rounds::rest).take(READ).collect()
}

impl ModelSynthesis {
    /// Takes the words of a repair for the entries that it names; one that is to be dropped says nothing then.
    pub fn repair(&mut self, answer: &str) {
        for fix in super::rounds::list(answer, "repair").unwrap_or_default() {
            let on = fix.get("on").and_then(Value::as_str).and_then(|on| on.split_once('/'));
            let Some((name, Ok(at))) = on.map(|(name, at)| (name, at.parse::<usize>())) else { continue };
            let list = match name {
                "insights" => &mut self.insights,
                "open_questions" => &mut self.open_questions,
                "action_items" => &mut self.action_items,
                _ => continue,
            };
            let Some(entry) = list.get_mut(at) else { continue };
            let drops = fix.get("drop").and_then(Value::as_bool) == Some(true);
            let text = fix.get("text").and_then(Value::as_str).filter(|_| !drops).unwrap_or_default();
            entry.text = cut(&one_line(&clean(text)), ENTRY);
            if fix.get("rests").is_some() {
                entry.rests = rests_of(&fix);
            }
        }
    }
}

impl ModelSynthesis {
    /// The insights that are paragraphs, as a model may shorten them.
    pub fn long_insights(&self) -> Vec<RefusedEntry> {
        let count = |entry: &Entry| entry.text.split_whitespace().count();
        let is_long = |(_, entry): &(usize, &Entry)| count(entry) > MAX_INSIGHT_WORDS;
        let problem = |(at, entry): (usize, &Entry)| {
            let why = format!("it has {} words; state its fact in one sentence of at most 30", count(entry));
            let critique = critique("insights", at, &entry.text, &why, Verdict::Dropped);
            RefusedEntry { on: critique.on, problem: critique.problem }
        };
        self.insights.iter().enumerate().filter(is_long).map(problem).collect()
    }

    /// Takes back the first words of insights that were only long, where the shorter ones are refused.
    pub fn keep_refused(&mut self, first: &ModelSynthesis, long: &[RefusedEntry], held: &Grounded) {
        for (at, entry) in self.insights.iter_mut().enumerate() {
            let on = format!("insights/{at}");
            let is_refused = held.critiques.iter().any(|one| one.on == on && one.outcome == Verdict::Dropped);
            let is_dropped = entry.text.is_empty();
            if is_refused && !is_dropped && long.iter().any(|one| one.on == on) {
                entry.clone_from(&first.insights[at]);
            }
        }
    }

    /// Whether an insight has other words than in another version.
    pub fn is_changed(&self, first: &ModelSynthesis, on: &str) -> bool {
        let at = on.strip_prefix("insights/").and_then(|at| at.parse::<usize>().ok());
        at.is_some_and(|at| self.insights.get(at) != first.insights.get(at))
    }
}

impl Grounded {
    /// The entries that were refused, as a model may put them right.
    pub fn problems(&self) -> Vec<RefusedEntry> {
        // Words of users are not put right, and what a proposal lacks is no wording.
        let is_own = |one: &&Critique| {
            let is_fixed = one.on.starts_with("decisions/") || one.on.starts_with("additions/");
            one.outcome == Verdict::Dropped && !is_fixed
        };
        let refused = self.critiques.iter().filter(is_own);
        refused.map(|one| RefusedEntry { on: one.on.clone(), problem: one.problem.clone() }).collect()
    }

    /// The same after a repair: what was refused before was changed, or is refused still, for the reason it had.
    #[must_use]
    pub fn after(mut self, problems: &[RefusedEntry]) -> Grounded {
        for problem in problems {
            match self.critiques.iter_mut().find(|one| one.on == problem.on) {
                Some(again) => again.problem.clone_from(&problem.problem),
                None => self.critiques.push(Critique {
                    on: problem.on.clone(),
                    problem: problem.problem.clone(),
                    outcome: Verdict::Changed,
                }),
            }
        }
        self
    }
}

/// The turn of the decision that a line is about: the last one before it, else the first after it.
fn decided_near(decided: &[u32], turn: u32) -> Option<u32> {
    let before = decided.iter().filter(|at| **at < turn).max();
    before.or_else(|| decided.iter().min()).copied()
}

/// What was said in a turn, and by whom.
struct Turn {
    number: u32,
    /// A persona's key, or [`USER`].
    by: String,
    full_name: String,
    /// The first name, in lower case.
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
    pub fn hold(&self, said: &ModelSynthesis) -> Grounded {
        let mut critiques = Vec::new();
        let mut kept =
            |list: &str, entries: &[Entry], most: usize| self.kept(list, entries, most, &mut critiques);
        let insight = |entry: Entry| Insight {
            rests: self.rests_said(&entry),
            text: entry.text,
            by: entry.by,
            turns: entry.turns,
        };
        let action = |entry: Entry| Insight { rests: Vec::new(), ..insight(entry) };
        let question = |entry: Entry| Question { text: entry.text, context: entry.more, turns: entry.turns };
        let mut summary = Summary {
            insights: kept("insights", &said.insights, INSIGHTS).into_iter().map(insight).collect(),
            open_questions: kept("open_questions", &said.open_questions, MOST)
                .into_iter()
                .map(question)
                .collect(),
            action_items: kept("action_items", &said.action_items, MOST).into_iter().map(action).collect(),
            ..Summary::default()
        };
        for (at, claim) in said.decisions.iter().enumerate() {
            let claim = &Claim { turn: self.turn_of(claim), ..claim.clone() };
            match self.heard(claim.turn) {
                Some(_) => self.decide(claim, &mut summary),
                None => {
                    let why = format!("no user spoke in turn {}", claim.turn);
                    critiques.push(critique("decisions", at, &claim.text, &why, Verdict::Dropped));
                }
            }
        }
        let mut proposals = said.proposals.clone();
        let accepted = summary.accepted.iter().filter_map(|one| match one.of {
            Proposed::Turn(turn) => Some(turn).filter(|turn| !said.proposals.contains(turn)),
            Proposed::Id(_) => None,
        });
        proposals.extend(accepted);
        let decided = self.by_rule.decisions.iter().chain(&summary.decisions);
        let decided: Vec<u32> = decided.filter_map(|one| one.turns.last().copied()).collect();
        summary.additions = self.additions(&proposals, &summary.accepted, &decided, &mut critiques);
        Grounded { summary, critiques }
    }

    /// Takes a decision that a model names by words of one turn of a user, to the letter: the sentences that hold them,
    /// where these ask nothing.
    fn decide(&self, claim: &Claim, summary: &mut Summary) {
        if let Some(accepted) = self.acceptance(claim) {
            let is_turn = matches!(accepted.of, Proposed::Turn(_));
            let is_known = summary.accepted.iter().any(|known| known.of == accepted.of);
            if !is_known && summary.accepted.len() < MOST {
                summary.accepted.push(accepted);
            }
            // Whether an id is proposed only the documents say: the words stay a decision.
            if is_turn {
                return;
            }
        }
        let by_rule = self.by_rule.decisions.iter().find(|one| one.turns.contains(&claim.turn));
        if by_rule
            .is_some_and(|known| has_words(&known.text, &claim.text) || has_words(&claim.text, &known.text))
        {
            self.answered(claim, summary);
            return;
        }
        match self.sentences_of(claim).filter(|_| !says_nothing(&claim.text)) {
            Some((by, said)) => {
                self.answered(claim, summary);
                let is_same = |one: &Decision| one.span == said && one.turns.last() == Some(&claim.turn);
                if !summary.decisions.iter().any(is_same) && summary.decisions.len() < MOST {
                    let is_asked = |turn: &u32| *turn < claim.turn && self.is_turn(*turn);
                    let asked = claim.answers.filter(is_asked);
                    let turns = asked.into_iter().chain([claim.turn]).collect();
                    let mut decision = Decision::new(&said, None, &by, turns, Recognised::Model);
                    // An answer alone says too little: it has the form of one to a choice that was put.
                    if let Some(question) = asked.and_then(|turn| self.question_in(turn, claim.turn)) {
                        decision.text = format!("{question} → {}", decision.text);
                    }
                    summary.decisions.push(decision);
                }
            }
            None => {
                let possible = Possible { text: claim.text.clone(), turn: claim.turn };
                let is_new = !summary.possible_decisions.contains(&possible);
                let is_possible = !says_nothing(&claim.text);
                if is_new && is_possible && summary.possible_decisions.len() < MOST {
                    summary.possible_decisions.push(possible);
                }
            }
        }
    }

    /// What was asked in a turn: the point that a persona raised there, else the only question of its words. A message
    /// that was written before a persona's question was shown does not answer it.
    fn question_in(&self, turn: u32, answer: u32) -> Option<String> {
        if let Some(asked) = self.talk.contributions().find(|said| said.turn == turn) {
            seen_before(answer, self.talk.log()).filter(|seen| turn <= *seen)?;
            if let [point] = asked.points.as_slice() {
                return Some(self.talk.points().get(*point)?.question.clone());
            }
        }
        let said = self.turns.iter().find(|one| one.number == turn)?;
        let lines = markdown::read(&said.text).into_iter().filter(markdown::VisibleLine::is_said);
        let asks = |text: &String| text.ends_with('?');
        let mut questions = lines.flat_map(|line| line.sentences).map(|one| one_line(&one.text)).filter(asks);
        let question = questions.next().filter(|_| questions.next().is_none())?;
        let names: Vec<&str> = self.talk.library().cast.iter().map(Persona::first_name).collect();
        Some(without_vocative(&question, &names).to_owned())
    }

    /// Words of a user as consent to what was shown before them.
    fn acceptance(&self, claim: &Claim) -> Option<Acceptance> {
        let of = claim.accepts.clone()?;
        let seen = seen_before(claim.turn, self.talk.log())?;
        if let Proposed::Turn(turn) = of {
            let proposes = |said: &Contribution| said.turn == turn && said.proposal.is_some();
            let is_shown = turn <= seen && turn < claim.turn && self.talk.contributions().any(proposes);
            is_shown.then_some(())?;
        }
        let (_, span) = self.sentences_of(claim)?;
        Some(Acceptance { of, turn: claim.turn, span })
    }

    /// The turn that a decision names, or the only turn of a user that has its words where that one has not.
    fn turn_of(&self, claim: &Claim) -> u32 {
        let says = |message: &Message| has_words(&message.text, &claim.text);
        if says_nothing(&claim.text) || self.heard(claim.turn).is_some_and(says) {
            return claim.turn;
        }
        let mut turns = self.talk.log().iter().filter_map(|record| match &record.event {
            Event::User(message) if says(message) => message.turn,
            _ => None,
        });
        turns.next().filter(|_| turns.next().is_none()).unwrap_or(claim.turn)
    }

    /// What a user said in a turn.
    fn heard(&self, turn: u32) -> Option<&Message> {
        self.talk.log().iter().find_map(|record| match &record.event {
            Event::User(message) if message.turn == Some(turn) => Some(message),
            _ => None,
        })
    }

    /// Who said a decision, and the sentences that hold the words which the model names: a part of a sentence may say
    /// the opposite of the whole.
    fn sentences_of(&self, claim: &Claim) -> Option<(String, String)> {
        let message = self.heard(claim.turn)?;
        let names: Vec<&str> = self.talk.library().cast.iter().map(Persona::first_name).collect();
        let visible = |text: &str| -> Vec<String> {
            let lines = markdown::read(text).into_iter().filter(markdown::VisibleLine::is_said);
            lines.flat_map(|line| line.sentences).map(|sentence| one_line(&sentence.text)).collect()
        };
        let sentences = visible(&message.text);
        let named = visible(&claim.text).join(" ");
        let is_said = |said: &str| has_words(said, &claim.text) || has_words(said, &named);
        let mut runs = (1..=SENTENCES).flat_map(|count| sentences.windows(count));
        let said = runs.find(|run| is_said(&run.join(" ")))?;
        // "Singular or plural? Plural." answers what it asks.
        let asks = said.last().is_some_and(|sentence| sentence.trim_end().ends_with('?'));
        let said = said.join(" ");
        (!asks).then(|| (message.by.clone(), without_vocative(&said, &names).to_owned()))
    }

    fn is_turn(&self, number: u32) -> bool {
        self.turns.iter().any(|turn| turn.number == number)
    }

    /// Whether one of an entry's turns has its very words.
    fn has_the_words(&self, entry: &Entry) -> bool {
        let own = |turn: &&Turn| entry.turns.contains(&turn.number);
        self.turns.iter().filter(own).any(|turn| has_words(&turn.text, &entry.text))
    }

    /// The question that a decision answers is open no more.
    fn answered(&self, claim: &Claim, summary: &mut Summary) {
        if let Some(turn) = claim.answers {
            summary.open_questions.retain(|question| question.turns != [turn]);
        }
    }

    /// The quotations of an entry that were said with its turns.
    fn rests_said(&self, entry: &Entry) -> Vec<Rest> {
        let said = self.talk.contributions().filter(|said| entry.turns.contains(&said.turn));
        let said: Vec<&Rest> = said.flat_map(|said| &said.rests).collect();
        let is_named = |rest: &&&Rest| {
            let is_it = |named: &Rest| named.path == rest.path && has_words(&rest.quote, &named.quote);
            entry.rests.is_empty() || entry.rests.iter().any(is_it)
        };
        let named: Vec<&Rest> = said.iter().filter(is_named).copied().collect();
        // Passages that no turn has are none: then those of the turns are shown.
        let shown = if named.is_empty() { said } else { named };
        let mut found: Vec<Rest> = Vec::new();
        for rest in shown {
            if !found.contains(rest) {
                found.push(rest.clone());
            }
        }
        found
    }

    /// The entries of a list that rest on turns; what is wrong with the others is noted.
    fn kept(&self, list: &str, entries: &[Entry], most: usize, critiques: &mut Vec<Critique>) -> Vec<Entry> {
        let mut kept: Vec<Entry> = Vec::new();
        for (at, entry) in entries.iter().cloned().enumerate() {
            let (text, named) = (entry.text.clone(), entry.turns.clone());
            let problem = match self.rests(entry) {
                Ok(entry) if list == "insights" && entry.by == [USER] => Err(USERS_ALONE.to_owned()),
                Ok(entry) if kept.iter().any(|known| subjects(&known.text) == subjects(&entry.text)) => {
                    Err("it says what another entry says".to_owned())
                }
                Ok(_) if kept.len() >= most => Err(format!("the list has at most {most} entries")),
                // What a question is about says it in other words: the turns that it names hold, but where another has
                // the very words.
                Ok(entry)
                    if list == "open_questions"
                        && !named.is_empty()
                        && named.iter().all(|turn| self.is_turn(*turn))
                        && !self.has_the_words(&entry) =>
                {
                    kept.push(Entry { turns: named, ..entry });
                    Ok(None)
                }
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

    /// What was proposed in these turns, each once, in their order.
    fn additions(
        &self,
        turns: &[u32],
        accepted: &[Acceptance],
        decided: &[u32],
        critiques: &mut Vec<Critique>,
    ) -> Vec<Addition> {
        let mut found: Vec<Addition> = Vec::new();
        let said_in = |turn: &u32| self.talk.contributions().find(|said| said.turn == *turn);
        let said = turns.iter().filter_map(said_in);
        let proposed = said.filter_map(|said| Some((said, said.proposal.as_ref()?)));
        for (at, (said, proposal)) in proposed.enumerate() {
            let by = self.talk.library().cast.get(&said.by).map_or("", Persona::first_name);
            let by = (!is_accepted(said.turn, accepted, self.talk)).then_some(by);
            let mut addition = proposal.addition(&self.document(&proposal.document), said.turn, by);
            // A persona owns nothing: there is nobody to ask.
            if let Some(Field::Text(owner)) = addition.fields.get_mut("owner")
                && self.key_of(owner).is_some()
            {
                UNASSIGNED.clone_into(owner);
            }
            let is_known = found.iter().any(|known| known.words() == addition.words());
            // A record is of a decision, and only people decide.
            if addition.kind == Kind::DecisionRecord {
                let Some(decided) = decided_near(decided, said.turn) else {
                    let why = "a record is of a decision, and nobody decided anything";
                    critiques.push(critique("additions", at, &proposal.shown(), why, Verdict::Dropped));
                    continue;
                };
                addition.turns.insert(0, decided);
            }
            if !is_known && found.len() < MOST {
                found.push(addition);
            }
        }
        found
    }

    /// The path of a document that is named by it, or by a name that no other has.
    fn document(&self, name: &str) -> String {
        let paths = &self.talk.opened().read;
        let mut ending = paths.keys().filter(|path| path.rsplit('/').next() == Some(name));
        match (paths.contains_key(name), ending.next(), ending.next()) {
            (false, Some(only), None) => only.clone(),
            _ => name.to_owned(),
        }
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
        let all: Vec<&Turn> = self.turns.iter().collect();
        if reason.is_empty() || self.supports(&entry.more, &reason, &all, NEAR).is_err() {
            entry.more.clear();
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
        let turns = &self.with_answered(turns);
        let grounds: Vec<&Claimed> = turns.iter().map(|turn| &turn.claimed).collect();
        supports(text, words, &grounds, near).map_err(|lack| lack.told("the turns it names"))?;
        match self.unspoken(text, turns) {
            Some(name) => Err(Lack::Unsaid(name).told("the turns it names")),
            None => Ok(()),
        }
    }

    /// These turns, and before each of a persona the message that it answers.
    fn with_answered<'t>(&'t self, turns: &[&'t Turn]) -> Vec<&'t Turn> {
        let answered = turns
            .iter()
            .filter(|turn| turn.by != USER)
            .filter_map(|turn| self.turns.iter().rfind(|one| one.by == USER && one.number < turn.number));
        turns.iter().copied().chain(answered).collect()
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
        let is_user = |turn: &Turn| turn.by == USER && turn.full_name.eq_ignore_ascii_case(name);
        if name.eq_ignore_ascii_case(USER)
            || name.eq_ignore_ascii_case("the user")
            || self.turns.iter().any(is_user)
        {
            return Some(USER.to_owned());
        }
        let is = |text: &str| text.eq_ignore_ascii_case(name);
        let mut cast = self.talk.library().cast.iter();
        cast.find(|one| is(&one.key) || is(&one.name) || is(one.first_name())).map(|one| one.key.clone())
    }

    /// The model's synthesis with what is not for a model to say: decisions that a form tells, and the users' own
    /// statements.
    pub fn complete(&self, grounded: Grounded) -> Synthesis {
        let Grounded { mut summary, critiques } = grounded;
        let by_rule = self.by_rule.clone();
        let is_user = |insight: &Insight| insight.by.iter().any(|key| key == USER);
        let noted: Vec<Insight> = by_rule.insights.into_iter().filter(is_user).collect();
        summary.insights.retain(|one| !noted.iter().any(|note| has_words(&note.text, &one.text)));
        summary.insights.extend(noted);
        summary.decisions.extend(by_rule.decisions);
        summary.decisions.sort_by_key(|one| one.turns.last().copied());
        // What a form tells of a turn is in the user's own words: the model's words for it would be a second item.
        let is_told = |item: &Insight| {
            let says = |told: &Insight| {
                told.turns == item.turns
                    || has_words(&told.text, &item.text)
                    || self.is_of_one_message(&told.turns, &item.turns) && has_half(&told.text, &item.text)
            };
            by_rule.action_items.iter().any(says)
        };
        summary.action_items.retain(|item| by_rule.action_items.contains(item) || !is_told(item));
        for item in summary.action_items.iter_mut().filter(|item| !by_rule.action_items.contains(item)) {
            self.name_owner(item);
        }
        let own = summary.open_questions.len();
        let (judged, others): (Vec<Question>, Vec<Question>) =
            by_rule.open_questions.into_iter().partition(|one| self.is_for_a_model(one));
        summary.unlisted_questions = unlisted(&judged, &summary);
        for question in others {
            // A choice that was put may be there in better words, or a decision answers it.
            let is_put = self.is_put(&question);
            let is_judged = self.is_judged(&question, &summary.open_questions[..own]);
            if is_judged || is_put && has_answer(&question, &summary.decisions) {
                continue;
            }
            let is_there = |known: &Question| {
                let is_of_it = is_put && self.is_of_one_message(&known.turns, &question.turns);
                known.text == question.text || is_of_it && has_half(&known.text, &question.text)
            };
            if !summary.open_questions.iter().any(is_there) {
                summary.open_questions.push(question);
            }
        }
        // What a user said in so many words is in those words, once.
        let is_own = |one: &Insight| by_rule.action_items.iter().any(|own| own.turns == one.turns);
        summary.action_items.retain(|one| !is_own(one));
        summary.action_items.extend(by_rule.action_items);
        let decided: Vec<&str> = summary.decisions.iter().map(|one| one.text.as_str()).collect();
        let open: Vec<&str> = summary.open_questions.iter().map(|one| one.text.as_str()).collect();
        summary.summary = in_one_line(&decided, &open, self.talk);
        Synthesis { summary, critiques }
    }

    /// Whether the last of these turns are a message of a user and an answer to it, or answers to the same one.
    fn is_of_one_message(&self, some: &[u32], others: &[u32]) -> bool {
        let message = |turns: &[u32]| {
            let last = turns.last()?;
            let users = self.turns.iter().filter(|turn| turn.by == USER && turn.number <= *last);
            users.map(|turn| turn.number).max()
        };
        message(some) == message(others)
    }

    /// Whether it is a point that was raised in a turn of which the model says what is open.
    fn is_judged(&self, question: &Question, own: &[Question]) -> bool {
        let at = self.talk.points().iter().position(|point| point.question == question.text);
        let raises = |said: &&Contribution| at.is_some_and(|at| said.points.contains(&at));
        let raised: BTreeSet<u32> = self.talk.contributions().filter(raises).map(|said| said.turn).collect();
        own.iter().flat_map(|one| &one.turns).any(|turn| raised.contains(turn))
    }

    /// Whether it is a choice that the lead put, or a point that a persona raised.
    fn is_put(&self, question: &Question) -> bool {
        let is_it = |point: &Point| point.question == question.text;
        question.context == NOT_SETTLED || !question.turns.is_empty() && self.talk.points().iter().any(is_it)
    }

    /// Whether it is a user's question on the subject: whether it was answered is for a model to say.
    fn is_for_a_model(&self, question: &Question) -> bool {
        let asked = self.talk.log().iter().find_map(|record| match &record.event {
            Event::User(message) if message.turn.is_some_and(|turn| question.turns == [turn]) => {
                Some(message.class)
            }
            _ => None,
        });
        asked.is_some_and(|class| class != Class::OffTopic)
    }

    /// What is left of a recorded synthesis where it is held again: itself, if it follows from the discussion.
    pub fn again(&self, said: &Summary) -> Summary {
        if said == self.by_rule {
            return said.clone();
        }
        let made = self.complete(self.hold(&self.own(said))).summary;
        // One that was made without limits landed whole.
        if said.lands.is_some() { with_limits(made, self.talk) } else { made }
    }

    /// What of a recorded synthesis its model wrote: all that is not by rule.
    fn own(&self, said: &Summary) -> ModelSynthesis {
        let by_rule = self.by_rule;
        let insight =
            |one: &Insight| Entry { rests: one.rests.clone(), ..Entry::new(&one.text, &one.turns, &one.by) };
        let action = |one: &Insight| {
            let text = one.text.strip_suffix(NOBODY).map_or(one.text.as_str(), str::trim_end);
            let is_users = one.by.iter().any(|key| key == USER);
            let owners = self.turns.iter().filter(|turn| is_users && turn.by == USER);
            let named = owners.filter_map(|turn| text.strip_prefix(&format!("{}: ", turn.full_name))).next();
            Entry::new(named.unwrap_or(text), &one.turns, &one.by)
        };
        let question = |one: &Question| {
            let more = one.context.clone();
            Entry { more, ..Entry::new(&one.text, &one.turns, &[]) }
        };
        let is_noted =
            |one: &&Insight| by_rule.insights.contains(one) && one.by.iter().any(|key| key == USER);
        let is_own = |one: &&Question| !by_rule.open_questions.contains(one) || self.is_for_a_model(one);
        let questions = said.open_questions.iter().filter(is_own);
        let actions = said.action_items.iter().filter(|one| !by_rule.action_items.contains(one));
        let claims =
            said.decisions.iter().filter(|one| one.recognised == Recognised::Model).map(|one| Claim {
                turn: one.turns.last().copied().unwrap_or_default(),
                text: one.span.clone(),
                answers: one.turns.first().copied().filter(|_| one.turns.len() > 1),
                accepts: None,
            });
        let accepted = said.accepted.iter().map(|one| Claim {
            turn: one.turn,
            text: one.span.clone(),
            accepts: Some(one.of.clone()),
            answers: None,
        });
        let possible = said.possible_decisions.iter();
        let possible =
            possible.map(|one| Claim { turn: one.turn, text: one.text.clone(), ..Claim::default() });
        ModelSynthesis {
            insights: said.insights.iter().filter(|one| !is_noted(one)).map(insight).collect(),
            decisions: claims.chain(accepted).chain(possible).collect(),
            open_questions: questions.map(question).collect(),
            action_items: actions.map(action).collect(),
            proposals: said.additions.iter().flat_map(|one| one.turns.clone()).collect(),
        }
    }

    /// An action item has the owner that its words or its turn name; else it says that it has none.
    fn name_owner(&self, item: &mut Insight) {
        let said: BTreeSet<String> =
            words(&item.text).into_iter().map(|word| word.text.into_owned()).collect();
        let mut users = self.turns.iter().filter(|turn| turn.by == USER);
        if item.text.contains("unassigned") || users.clone().any(|turn| said.contains(&turn.name)) {
            return;
        }
        let is_users = item.by.iter().any(|key| key == USER);
        let owner = users.find(|turn| is_users && item.turns.contains(&turn.number));
        item.text = match owner {
            Some(turn) => format!("{}: {}", turn.full_name, item.text),
            None => format!("{} {NOBODY}", item.text),
        };
    }
}

/// The users' questions that a model judges and neither lists as open nor names an answer of. One is listed in its own
/// words, or by an entry of its turn: of several questions in a turn as many are listed as there are entries.
fn unlisted(judged: &[Question], summary: &Summary) -> Vec<Question> {
    let is_listed = |one: &Question| {
        let of_turn = |known: &&Question| known.turns.iter().any(|turn| one.turns.contains(turn));
        let in_words = |known: &Question| closing::key(&known.text) == closing::key(&one.text);
        let listed = summary.open_questions.iter().filter(of_turn).count();
        summary.open_questions.iter().any(in_words)
            || listed > 0 && listed >= judged.iter().filter(|other| other.turns == one.turns).count()
    };
    let is_open = |one: &&Question| !is_listed(one) && !has_answer(one, &summary.decisions);
    judged.iter().filter(is_open).cloned().collect()
}

/// Whether a model names one of the decisions as the answer to a question.
fn has_answer(question: &Question, decisions: &[Decision]) -> bool {
    let is_it = |one: &Decision| one.turns.len() > 1 && question.turns == one.turns[..1];
    decisions.iter().any(|one| one.recognised == Recognised::Model && is_it(one))
}

/// Whether a text has half of the significant words of another.
fn has_half(text: &str, other: &str) -> bool {
    let (known, wanted) = (subjects(text), subjects(other));
    wanted.iter().filter(|word| known.contains(word)).count() * 2 >= wanted.len()
}

/// Whether a text has some words in it to the letter; blanks, letter case, emphasis and kinds of quotation marks apart.
fn has_words(text: &str, words: &str) -> bool {
    let folded = |text: &str| Folded::new(text).text.trim().to_owned();
    let words = folded(words);
    let words = words.trim_matches(|sign: char| sign.is_whitespace() || ".!".contains(sign));
    !words.is_empty() && folded(text).contains(words)
}

fn critique(list: &str, at: usize, text: &str, why: &str, outcome: Verdict) -> Critique {
    let problem = format!("\"{}\": {why}", cut(&shown(text), 120));
    Critique { on: format!("{list}/{at}"), problem, outcome }
}

fn turns<'t>(talk: &'t Discussion<'_>) -> impl Iterator<Item = Turn> + 't {
    let cast = &talk.library().cast;
    talk.log().iter().filter_map(move |record| {
        let (number, by, name, text, beside): (_, _, &str, _, Vec<String>) = match &record.event {
            Event::Contribution(said) => {
                let name = cast.get(&said.by).map_or("", |one| one.first_name());
                (said.turn, said.by.as_str(), name, &said.text, beside(said))
            }
            Event::User(message) => (message.turn?, USER, message.by.as_str(), &message.text, Vec::new()),
            _ => return None,
        };
        let whole = beside.iter().fold(text.clone(), |whole, more| format!("{whole}\n{more}"));
        Some(Turn {
            number,
            by: by.to_owned(),
            full_name: name.to_owned(),
            name: name.split(' ').next().unwrap_or_default().to_lowercase(),
            claimed: Claimed::new(&whole),
            text: text.clone(),
        })
    })
}

/// What is said with a line: the passages that it rests on, its side, and what it proposes.
fn beside(said: &Contribution) -> Vec<String> {
    let side = said.position.iter().map(|side| format!("{}. {}. {}.", side.on, side.favors, side.because));
    let proposal = said.proposal.iter().map(Proposal::shown);
    said.rests.iter().map(|rest| rest.quote.clone()).chain(side).chain(proposal).collect()
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
            (r#"{"insights": [], "decisions": [], "open_questions": []}"#, "\"action_items\""),
            (r#"{"insights": [{"text": "a"#, "broke off"),
        ] {
            assert!(read(answer).unwrap_err().contains(wrong), "{answer}: {:?}", read(answer));
        }
        let whole = r#"Here: {} "#;
        assert!(read(whole).is_err());
        let fenced = "```json\n{\"insights\": [], \"decisions\": [], \"open_questions\": [], \"action_items\": [], \"proposals\": [4]}\n```";
        assert_eq!(read(fenced).unwrap().proposals, [4]);
    }
}
