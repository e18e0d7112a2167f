//! Reading an issue: its words as they were when they were asked for, and whose they are.

use std::collections::BTreeSet;

use serde_json::Value;

use super::moment;
use crate::discussion::event::{Record, Time};
use crate::git::Repo;
use crate::github::ACTIONS_BOT;
use crate::github::cards::Cards;
use crate::github::hub::{Edit, Hub};
use crate::github::marker::Marker;
use crate::github::page;
use crate::github::possible::{self, Tick};
use crate::github::service;
use crate::github::thread::{self, Comment, Known, Thread, Unused};
use crate::github::trigger::{Asked, Person, What, is_pull_request};
use crate::item::config::github::{Permission, Settings};
use crate::run::Fail;
use crate::run::environment::variable;
use crate::run::settings;
use crate::text::source;

/// What was read of an issue.
pub(super) struct Read {
    pub(super) asked: Asked,
    pub(super) at: Option<Time>,
    pub(super) own: Vec<u64>,
    /// Comments that are marked as ours, by any author.
    pub(super) marked: Vec<Comment>,
    pub(super) thread: Thread,
    /// Possible decisions that somebody with the right to write has ticked.
    pub(super) ticks: Vec<Tick>,
    /// The comments that earlier runs heard, by recordings and markers.
    pub(super) heard: BTreeSet<u64>,
    /// What this run leaves out of earlier discussions, and why.
    pub(super) leaves: Vec<String>,
    /// The comments that are heard as they were before an edit, a sentence each.
    pub(super) edited: Vec<String>,
    /// The cards of our last comment that has any, and when it was written.
    pub(super) asked_cards: Option<(Cards, Time)>,
    /// What users said in the item's recordings, and who.
    pub(super) said: Vec<(String, String)>,
    /// The cards that somebody could not answer.
    pub(super) unsure: Vec<u32>,
    /// What was understood of answers to cards, besides the decisions.
    pub(super) notes: Vec<String>,
}

impl Read {
    /// Our comments, the oldest first.
    fn ours(&self, own: &[u64]) -> Vec<&Comment> {
        let is_ours = |one: &&Comment| one.author.as_ref().is_some_and(|author| own.contains(&author.id));
        self.marked.iter().filter(is_ours).collect()
    }

    /// The comment of ours that a batch run writes over: of a conversation every one stays.
    pub(super) fn known(&self, own: &[u64]) -> Option<&Comment> {
        self.ours(own).into_iter().rfind(|one| !page::is_part(&one.body))
    }

    /// Whether cards wait for answers.
    pub(super) fn has_cards(&self) -> bool {
        self.asked_cards.as_ref().is_some_and(|(cards, _)| !cards.cards.is_empty())
    }

    /// The id of the comment that a batch run writes over.
    pub(super) fn known_id(&self) -> Option<u64> {
        self.known(&self.own).map(|one| one.id)
    }

    /// Whether our comment tells of a run already.
    pub(super) fn tells_of(&self, run: &str) -> bool {
        let known = self.known(&self.own).and_then(|one| Marker::of(&one.body, self.thread.number));
        known.is_some_and(|marker| marker.run == run)
    }

    /// The markers of our comments.
    pub(super) fn markers(&self) -> Vec<Marker> {
        self.ours(&self.own).into_iter().filter_map(|one| Marker::of(&one.body, self.thread.number)).collect()
    }

    /// The marker of the comment that tells of a run: how far the thread is heard with it. Comments that nothing was
    /// written of are heard again by the next run.
    pub(super) fn marker(&self, run: &str, unwritten: &BTreeSet<u64>) -> String {
        let heard = self.markers().iter().map(|marker| marker.heard).max().unwrap_or_default();
        let mut marker = self.thread.marker(run, &Marker { heard, ..Marker::default() });
        marker.waits.retain(|id| !self.heard.contains(id));
        marker.waits.extend(unwritten);
        marker.line(self.thread.number)
    }

    /// Every comment that was not used, those among them that came after the discussion's end.
    pub(super) fn unused(&self, log: &[Record]) -> Vec<Unused> {
        let new = self.thread.unused.iter().filter(|one| !self.heard.contains(&one.id));
        new.cloned().chain(thread::kept(log)).collect()
    }

    /// Our comment on this very run of a conversation.
    pub(super) fn part(&self, own: &[u64], run: &str) -> Option<u64> {
        let is_it = |one: &&Comment| {
            let marker = Marker::of(&one.body, self.thread.number);
            page::is_part(&one.body) && marker.is_some_and(|marker| marker.run == run)
        };
        self.ours(own).into_iter().find(is_it).map(|one| one.id)
    }

    /// The ids that are ours, with one that was learned since: a token of an app does not say whose it is.
    pub(super) fn known_as(&self, id: Option<u64>) -> Vec<u64> {
        self.own.iter().copied().chain(id).collect()
    }
}

/// Who writes our comments: a workflow's own bot, and the user of any other token.
pub(super) fn own_ids(hub: &mut Hub) -> Vec<u64> {
    let mut own = vec![ACTIONS_BOT];
    if hub.has_token() && variable("GITHUB_TOKEN").is_none_or(|token| !token.starts_with("ghs_")) {
        own.extend(hub.own_id());
    }
    own
}

/// Reads an issue and its comments.
pub(super) fn read_thread(
    hub: &mut Hub,
    asked: Asked,
    at: Option<Time>,
    own: Vec<u64>,
    settings: &Settings,
) -> Result<Read, Fail> {
    let issue = issue_of(hub, &asked, at)?;
    let mut comments: Vec<Comment> = hub.comments(asked.number)?;
    // Pages shift when a comment goes while they are read, and another one is missed.
    let counted = issue.get("comments").and_then(Value::as_u64).unwrap_or_default();
    if (comments.len() as u64) < counted {
        comments.extend(hub.comments(asked.number)?);
    }
    let marked: Vec<Comment> = comments.iter().filter(|one| one.is_marked(asked.number)).cloned().collect();
    let History { mut known, ticked, asked_cards } = history(hub, &comments, &marked, &asked, at, &own)?;
    let mut people = thread::authors(&issue, &comments, asked.number, at, &own);
    let tickers = ticked.iter().filter_map(|(_, person)| person.clone());
    people.extend(tickers.map(|person| (person, String::new())));
    known.permissions = permissions(hub, &people, asked.sender.as_ref().filter(|_| at.is_some()), settings)?;
    let thread = thread::thread(&issue, comments, at, &own, settings, &known);
    let may =
        |person: &Person| known.permission(&person.login).is_some_and(|may| may >= settings.min_permission);
    let ticks = ticked.into_iter().filter_map(|(listed, by)| Some(Tick { listed, by: by.filter(may)? }));
    let ticks = ticks.collect();
    Ok(Read {
        asked,
        at,
        own,
        marked,
        thread,
        ticks,
        heard: BTreeSet::new(),
        leaves: Vec::new(),
        edited: Vec::new(),
        asked_cards,
        said: Vec::new(),
        unsure: Vec::new(),
        notes: Vec::new(),
    })
}

/// The issue as it was when the label was set.
fn issue_of(hub: &mut Hub, asked: &Asked, at: Option<Time>) -> Result<Value, Fail> {
    let issue = match &asked.issue {
        Some(issue) => issue.clone(),
        None => hub.issue(asked.number)?,
    };
    if issue.get("number").and_then(Value::as_u64) != Some(asked.number) {
        return Err(Fail::new(format!(
            "what GitHub gives for the issue {} is another one: it was transferred, or is none",
            asked.number
        )));
    }
    if is_pull_request(&issue) {
        return Err(Fail::new(format!(
            "{} is a pull request, and discussions are held on issues",
            asked.number
        ))
        .with_hint("give the number of an issue"));
    }
    match at {
        Some(at) if asked.issue.is_none() => as_it_was(hub, issue, at),
        _ => Ok(issue),
    }
}

/// What the history of comments tells.
struct History {
    /// Those that were edited since the label was set, as they were.
    known: Known,
    /// The ticked lines of our comments, and who ticked each.
    ticked: Vec<(possible::Listed, Option<Person>)>,
    /// The cards of our last comment that has any, and when they were first shown.
    asked_cards: Option<(Cards, Time)>,
}

/// Asks for the history of the comments whose earlier versions matter, in one request.
fn history(
    hub: &mut Hub,
    comments: &[Comment],
    marked: &[Comment],
    asked: &Asked,
    at: Option<Time>,
    own: &[u64],
) -> Result<History, Fail> {
    let edited = thread::edited(comments, asked.number, at, own);
    let is_ours = |one: &&Comment| one.is_ours(asked.number, own);
    let has_ticks = |one: &&Comment| possible::Listed::all(&one.body).iter().any(|(is_ticked, _)| *is_ticked);
    let ticked: Vec<&Comment> = marked.iter().filter(is_ours).filter(has_ticks).collect();
    let cards = marked.iter().rev().filter(is_ours).find_map(|one| Some((one, Cards::of(&one.body)?)));
    let rewritten = cards.iter().map(|(one, _)| *one).filter(|one| one.created != one.updated);
    let nodes = edited.iter().chain(&ticked).copied().chain(rewritten).map(|one| one.node.as_str());
    let edits = hub.edits(&nodes.collect::<Vec<_>>())?;
    let of = |comment: &Comment| edits.get(&comment.node).map_or(&[][..], Vec::as_slice);
    let mut known = Known::default();
    for comment in edited {
        let then = of(comment).iter().rfind(|edit| at.is_none_or(|at| edit.at <= at));
        if let Some(text) = then.and_then(|edit| edit.text.clone()) {
            known.earlier.insert(comment.id, text);
        }
    }
    let ticks = ticked.iter().flat_map(|one| possible::ticks(&one.body, of(one), at));
    let shown = |(one, cards): (&Comment, Cards)| {
        let has_them = |edit: &&Edit| edit.text.as_deref().and_then(Cards::of).as_ref() == Some(&cards);
        let first = of(one).iter().rev().take_while(has_them).last().map(|edit| edit.at);
        let at = first.or(one.updated)?;
        Some((cards, at))
    };
    Ok(History { known, ticked: ticks.collect(), asked_cards: cards.and_then(shown) })
}

/// What everybody may do here; the sender's permission was asked before.
fn permissions(
    hub: &mut Hub,
    people: &[(Person, String)],
    sender: Option<&Person>,
    settings: &Settings,
) -> Result<std::collections::BTreeMap<String, Permission>, Fail> {
    let mut known = std::collections::BTreeMap::new();
    if !hub.has_token() {
        let of = |(person, association): &(Person, String)| {
            (person.login.to_lowercase(), Permission::of_association(association))
        };
        return Ok(people.iter().map(of).collect());
    }
    let others: Vec<Person> = people
        .iter()
        .map(|(person, _)| person.clone())
        .filter(|person| sender.is_none_or(|sender| sender.login != person.login))
        .collect();
    if !others.is_empty() {
        known = hub.permissions(&others)?;
    }
    if let Some(sender) = sender {
        known.entry(sender.login.to_lowercase()).or_insert(settings.min_permission);
    }
    Ok(known)
}

/// An issue that is read now, with the title it had when the label was set. A body that was edited
/// since cannot be had any more: then nothing is done.
pub(super) fn as_it_was(hub: &mut Hub, mut issue: Value, at: Time) -> Result<Value, Fail> {
    if moment(&issue, "updated_at").is_none_or(|updated| updated <= at) {
        return Ok(issue);
    }
    let number = issue.get("number").and_then(Value::as_u64).unwrap_or_default();
    let events = hub.events(number)?;
    let renamed = events.iter().filter(|event| {
        event.get("event").and_then(Value::as_str) == Some("renamed")
            && moment(event, "created_at").is_none_or(|when| when > at)
    });
    let first = renamed.min_by_key(|event| moment(event, "created_at").map(Time::seconds));
    if let Some(from) = first.and_then(|event| event.pointer("/rename/from")) {
        issue["title"] = from.clone();
    }
    match hub.body_edited(number)? {
        Some(edited) if edited > at => Err(Fail::new(format!(
            "the issue {number} was edited after its label was set, and what it said before cannot be read"
        ))
        .with_hint("set the label again")),
        _ => Ok(issue),
    }
}

/// An issue as a script, for `--issue` from anywhere.
///
/// # Errors
/// An issue that cannot be read.
pub fn thread(repo: &Repo, own: &settings::Settings, number: u64) -> Result<Thread, Fail> {
    let config = own.at(repo, repo.resolve("HEAD")?)?;
    let settings = config.github.unwrap_or_default();
    let mut hub = service::hub(repo)?;
    let asked = Asked::new(number, What::Discussion(None));
    let own = own_ids(&mut hub);
    let Read { thread, .. } = read_thread(&mut hub, asked, None, own, &settings)?;
    Ok(thread)
}

/// An issue's title, and its text as source text.
///
/// # Errors
/// An issue that cannot be read.
pub fn text(repo: &Repo, own: &settings::Settings, number: u64) -> Result<source::Source, Fail> {
    let config = own.at(repo, repo.resolve("HEAD")?)?;
    let settings = config.github.unwrap_or_default();
    let mut hub = service::hub(repo)?;
    let issue = hub.issue(number)?;
    let people = thread::authors(&issue, &[], number, None, &[]);
    let permissions = permissions(&mut hub, &people, None, &settings)?;
    let known = Known { permissions, ..Known::default() };
    let source = thread::thread(&issue, Vec::new(), None, &[], &settings, &known).source;
    if source.title.is_empty() {
        return Err(
            Fail::new(format!("the issue {number} has no title")).with_hint("name the item with --name")
        );
    }
    Ok(source)
}
