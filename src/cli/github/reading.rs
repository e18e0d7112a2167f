//! Reading an issue: its words as they stood when they were asked for, and whose they are.

use serde_json::Value;

use super::super::exit::Fail;
use super::super::screen::Screen;
use super::super::{Global, open, service, table};
use super::{failed, moment};
use crate::discussion::event::{Record, Time};
use crate::github::hub::Hub;
use crate::github::page;
use crate::github::thread::{self, Comment, Thread, Unused};
use crate::github::trigger::{Asked, Person, What};
use crate::github::{ACTIONS_BOT, Permission, Settings};
use crate::plain;

/// What was read of an issue.
pub(super) struct Read {
    pub(super) asked: Asked,
    pub(super) at: Option<Time>,
    pub(super) own: Vec<u64>,
    /// Comments that are marked as ours, by whoever: author, id and text.
    pub(super) marked: Vec<(u64, u64, String)>,
    /// Our comment from before: its id and text.
    pub(super) known: Option<(u64, String)>,
    pub(super) thread: Thread,
}

impl Read {
    /// The comment of ours that a batch run writes over: of a conversation every one stays.
    pub(super) fn ours<'r>(&'r self, own: &[u64]) -> Option<(u64, &'r str)> {
        let ours = self.marked.iter().rfind(|(author, _, body)| own.contains(author) && !page::is_part(body));
        ours.map(|(_, id, body)| (*id, body.as_str()))
    }

    /// The comment of ours that a run before this one has written.
    pub(super) fn known_id(&self) -> Option<u64> {
        self.known.as_ref().map(|(id, _)| *id)
    }

    /// Every comment that was not used, those among them that came behind the discussion's end.
    pub(super) fn unused(&self, log: &[Record]) -> Vec<Unused> {
        self.thread.unused.iter().cloned().chain(self.thread.too_late(log)).collect()
    }

    /// Our comment on this very run of a conversation.
    pub(super) fn part(&self, own: &[u64], run: &str) -> Option<u64> {
        let is_it = |(author, _, body): &&(u64, u64, String)| {
            own.contains(author) && page::is_part(body) && page::run_of(body) == Some(run)
        };
        self.marked.iter().find(is_it).map(|(_, id, _)| *id)
    }

    /// The same, as one of our own ids is learned: a token of an app does not say whose it is.
    pub(super) fn known_as(&self, id: Option<u64>) -> (Vec<u64>, Option<u64>) {
        let own: Vec<u64> = self.own.iter().copied().chain(id).collect();
        let ours = self.ours(&own).map(|(id, _)| id);
        (own, ours)
    }
}

/// Who writes our comments: a workflow's own bot, and the user of any other token.
pub(super) fn own_ids(hub: &mut Hub) -> Vec<u64> {
    let mut own = vec![ACTIONS_BOT];
    if hub.has_token() && service::variable("GITHUB_TOKEN").is_none_or(|token| !token.starts_with("ghs_")) {
        own.extend(hub.own_id());
    }
    own
}

/// Reads an issue and its comments; `known` gets our own comment.
pub(super) fn read_thread(
    hub: &mut Hub,
    asked: &Asked,
    at: Option<Time>,
    own: &[u64],
    settings: &Settings,
    marked: &mut Vec<(u64, u64, String)>,
) -> Result<Thread, Fail> {
    let issue = match &asked.issue {
        Some(issue) => issue.clone(),
        None => hub.issue(asked.number).map_err(failed)?,
    };
    if issue.get("number").and_then(Value::as_u64) != Some(asked.number) {
        return Err(Fail::new(format!(
            "what GitHub gives for the issue {} is another one: it was transferred, or is none",
            asked.number
        )));
    }
    if issue.get("pull_request").is_some_and(|pull| !pull.is_null()) {
        return Err(Fail::new(format!(
            "{} is a pull request, and discussions are held on issues; give the number of an issue",
            asked.number
        )));
    }
    let issue = match at {
        Some(at) if asked.issue.is_none() => as_it_was(hub, issue, at)?,
        _ => issue,
    };
    let mut comments: Vec<Comment> = hub.comments(asked.number).map_err(failed)?;
    // Pages shift when a comment goes while they are read, and another one is missed.
    let counted = issue.get("comments").and_then(Value::as_u64).unwrap_or_default();
    if (comments.len() as u64) < counted {
        comments.extend(hub.comments(asked.number).map_err(failed)?);
    }
    let of = |one: &Comment| Some((one.author.as_ref()?.id, one.id, one.body.clone()));
    *marked = comments.iter().filter(|one| one.is_marked(asked.number)).filter_map(of).collect();
    let mut asked_for: Vec<(Person, Permission)> = Vec::new();
    if let (Some(sender), true) = (&asked.sender, at.is_some()) {
        asked_for.push((sender.clone(), settings.min_permission));
    }
    let mut may = |person: &Person, association: &str| {
        if let Some((_, found)) = asked_for.iter().find(|(known, _)| known.login == person.login) {
            return Ok(*found);
        }
        let found = match hub.has_token() {
            true => hub.permission(person)?,
            false => Permission::of_association(association),
        };
        asked_for.push((person.clone(), found));
        Ok(found)
    };
    thread::thread(&issue, comments, at, own, settings, &mut may).map_err(failed)
}

/// An issue that is read now, with the title it had when the label was set. A body that was edited
/// since cannot be had any more: then nothing is done.
pub(super) fn as_it_was(hub: &mut Hub, mut issue: Value, at: Time) -> Result<Value, Fail> {
    if moment(&issue, "updated_at").is_none_or(|updated| updated <= at) {
        return Ok(issue);
    }
    let number = issue.get("number").and_then(Value::as_u64).unwrap_or_default();
    let events = hub.events(number).map_err(failed)?;
    let renamed = events.iter().filter(|event| {
        event.get("event").and_then(Value::as_str) == Some("renamed")
            && moment(event, "created_at").is_none_or(|when| when > at)
    });
    let first = renamed.min_by_key(|event| moment(event, "created_at").map(Time::seconds));
    if let Some(from) = first.and_then(|event| event.pointer("/rename/from")) {
        issue["title"] = from.clone();
    }
    match hub.body_edited(number).map_err(failed)? {
        Some(edited) if edited > at => Err(Fail::new(format!(
            "the issue {number} was edited after its label was set, and what it said before cannot be read; set the label again"
        ))),
        _ => Ok(issue),
    }
}

/// An issue as a script, for `--issue` from anywhere.
pub fn thread(global: &Global, number: u64, screen: &Screen) -> Result<Thread, Fail> {
    let repo = open(global)?;
    let config = table::config(global, &repo, repo.resolve("HEAD")?)?;
    let settings = config.github.unwrap_or_default();
    let mut hub = service::hub(&repo)?;
    let asked =
        Asked { number, what: What::Discussion(None), label: None, comment: None, sender: None, issue: None };
    let own = own_ids(&mut hub);
    let thread = read_thread(&mut hub, &asked, None, &own, &settings, &mut Vec::new())?;
    for one in &thread.unused {
        screen.note(&format!("comment {} by {} is not used: {}", one.id, one.by, one.why));
    }
    Ok(thread)
}

/// An issue's title.
pub fn title(global: &Global, number: u64) -> Result<String, Fail> {
    let mut hub = service::hub(&open(global)?)?;
    let issue = hub.issue(number).map_err(failed)?;
    let title = issue.get("title").and_then(Value::as_str).map(plain::shown).unwrap_or_default();
    if title.is_empty() {
        return Err(Fail::new(format!("the issue {number} has no title; name the item with --name")));
    }
    Ok(title)
}
