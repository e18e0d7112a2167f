//! Which words of an issue are the user's: its comments, in order. Title and body are source text.
//!
//! The thread is read as it was when the label was set. A comment that was edited since is read as it was then,
//! where the history of its edits tells; else it waits for the next run. Comments that came later, that somebody
//! hid, that are our own or by people without the right to write are no inputs. Each is named with the reason: a list
//! that leaves things out silently is no record.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::marker::{BEGIN, Marker};
use super::trigger::Person;
use crate::discussion::event::{Event, Record, Time};
use crate::discussion::runs;
use crate::item::config::github::{Permission, Settings};
use crate::run::script::comments::{GHOST, Heard, OmissionReason, Trust, is_minimized, refusal};
use crate::run::script::{Input, LeftOut, Script};
use crate::text::source::{Source, own_words, visible};

/// A comment of an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub id: u64,
    /// Its id in the GraphQL API.
    pub node: String,
    pub author: Option<Person>,
    pub body: String,
    pub created: Option<Time>,
    pub updated: Option<Time>,
    pub is_minimized: bool,
    pub association: String,
}

impl Comment {
    /// Reads one entry of GitHub's list; none where it has no id.
    pub fn of(value: &Value) -> Option<Comment> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let time = |key: &str| Time::parse(text(key)).ok();
        Some(Comment {
            id: value.get("id")?.as_u64()?,
            node: text("node_id").to_owned(),
            author: value.get("user").and_then(Person::of),
            body: text("body").to_owned(),
            created: time("created_at"),
            updated: time("updated_at"),
            is_minimized: is_minimized(value),
            association: text("author_association").to_owned(),
        })
    }

    /// Whether it is a comment of this program's own, written by one of `own`.
    pub fn is_ours(&self, number: u64, own: &[u64]) -> bool {
        self.is_marked(number) && self.author.as_ref().is_some_and(|author| own.contains(&author.id))
    }

    /// Whether it begins with our marker, whole and for this issue; anybody can write that.
    pub fn is_marked(&self, number: u64) -> bool {
        self.body.starts_with(BEGIN) && Marker::of(&self.body, number).is_some()
    }
}

/// A comment that is no input, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    pub id: u64,
    pub by: String,
    pub why: &'static str,
}

/// What is asked of GitHub about a thread before it is read.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What people may do here, by their logins in lower case. Logins that are missing could not be looked up.
    pub permissions: BTreeMap<String, Permission>,
    /// Comments as they were when the label was set, by their ids.
    pub earlier: BTreeMap<u64, String>,
}

impl Known {
    pub fn permission(&self, login: &str) -> Option<Permission> {
        self.permissions.get(&login.to_lowercase()).copied()
    }
}

/// An issue as a script.
#[derive(Clone, Debug)]
pub struct Thread {
    pub number: u64,
    pub title: String,
    /// Title and body.
    pub source: Source,
    /// Who opened it.
    user: String,
    /// The comments that are used.
    said: Vec<Said>,
    pub unused: Vec<Unused>,
    /// Those of the unused that a later run may hear.
    waits: Vec<u64>,
}

/// A comment that is used.
#[derive(Clone, Debug)]
pub struct Said {
    pub id: u64,
    pub created: Option<Time>,
    pub input: Input,
    /// The same words with what they quote: an answer may quote its question.
    pub whole: String,
    /// It was edited after the moment that counts, and is heard as it was then.
    pub is_earlier: bool,
}

impl Thread {
    /// Everything that was said.
    pub fn script(&self) -> Script {
        let left_out = |one: &Unused| LeftOut { by: one.by.clone(), reason: one.why };
        let mut script = self.since(&BTreeSet::new()).0;
        script.left_out = self.unused.iter().map(left_out).collect();
        script
    }

    /// The comments that are used, by their ids.
    pub fn comments(&self) -> Vec<u64> {
        self.said.iter().map(|one| one.id).collect()
    }

    /// The words of each comment that is used.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.said.iter().map(|one| one.input.text.as_str())
    }

    /// What was said besides the comments that were heard, and by which comments.
    pub fn since(&self, heard: &BTreeSet<u64>) -> (Script, Vec<u64>) {
        let new = self.said.iter().filter(|one| !heard.contains(&one.id));
        let (ids, inputs): (Vec<u64>, Vec<Option<Input>>) =
            new.map(|one| (one.id, Some(one.input.clone()))).unzip();
        let mut script = Script::of(Some(self.user.clone()), inputs);
        if !self.source.is_empty() {
            script.draws_on(self.source.clone());
        }
        (script, ids)
    }

    /// The answers to an analysis besides the comments that were heard; what they quote is kept.
    pub fn answers(&self, heard: &BTreeSet<u64>) -> Script {
        let new = self.said.iter().filter(|one| !heard.contains(&one.id));
        let inputs = new.map(|one| Some(Input { text: one.whole.clone(), ..one.input.clone() }));
        let mut script = Script::of(Some(self.user.clone()), inputs.collect());
        if !self.source.is_empty() {
            script.draws_on(self.source.clone());
        }
        script
    }

    /// The comments that are used and that were not heard, to be changed where they answer something.
    pub fn new_comments(&mut self, heard: &BTreeSet<u64>) -> impl Iterator<Item = &mut Said> {
        self.said.iter_mut().filter(|one| !heard.contains(&one.id))
    }

    /// The marker of a comment of ours that tells of this thread; `before` is the last one.
    pub fn marker(&self, run: &str, before: &Marker) -> Marker {
        let heard = self.said.iter().map(|one| one.id).max().unwrap_or(0).max(before.heard);
        let waits = self.waits.iter().copied().filter(|id| *id <= heard).collect();
        Marker { run: run.to_owned(), heard, waits }
    }
}

/// The comments that came after the end of a discussion's last run.
pub fn kept(log: &[Record]) -> Vec<Unused> {
    let of = |record: &Record| match &record.event {
        Event::Unheard(late) => Some(Unused {
            id: late.comment?,
            by: late.by.clone(),
            why: "the discussion had ended before it; set the label again to have it heard",
        }),
        _ => None,
    };
    runs::added(log).iter().filter_map(of).collect()
}

/// Whether a moment is after the one that counts.
fn is_late(time: Option<Time>, until: Option<Time>) -> bool {
    until.is_some_and(|until| time.is_none_or(|time| time > until))
}

/// The comments whose words may count, as far as the thread itself tells.
fn candidates<'c>(
    comments: &'c [Comment],
    number: u64,
    until: Option<Time>,
    own: &'c [u64],
) -> impl Iterator<Item = &'c Comment> {
    let is_one = move |comment: &&Comment| {
        !comment.is_ours(number, own) && !is_late(comment.created, until) && !comment.is_minimized
    };
    comments.iter().filter(is_one)
}

/// Everybody whose permission has to be known: the author of the issue and of each comment that may count.
pub fn authors(
    issue: &Value,
    comments: &[Comment],
    number: u64,
    until: Option<Time>,
    own: &[u64],
) -> Vec<(Person, String)> {
    let association = issue.get("author_association").and_then(Value::as_str).unwrap_or_default();
    let opener = issue.get("user").and_then(Person::of).map(|person| (person, association.to_owned()));
    let of = |comment: &Comment| Some((comment.author.clone()?, comment.association.clone()));
    let mut found: Vec<(Person, String)> = Vec::new();
    for (person, association) in
        opener.into_iter().chain(candidates(comments, number, until, own).filter_map(of))
    {
        let may = Permission::of_association;
        match found.iter_mut().find(|(known, _)| known.login == person.login) {
            Some((_, known)) if may(&association) > may(known) => *known = association,
            Some(_) => {}
            None if person.is_bot => {}
            None => found.push((person, association)),
        }
    }
    found
}

/// The comments that may count and were edited after the label was set.
pub fn edited<'c>(
    comments: &'c [Comment],
    number: u64,
    until: Option<Time>,
    own: &'c [u64],
) -> Vec<&'c Comment> {
    candidates(comments, number, until, own).filter(|comment| is_late(comment.updated, until)).collect()
}

/// Makes a script of an issue and its comments. `until` is when the label was set.
pub fn thread(
    issue: &Value,
    mut comments: Vec<Comment>,
    until: Option<Time>,
    own: &[u64],
    settings: &Settings,
    known: &Known,
) -> Thread {
    let number = issue.get("number").and_then(Value::as_u64).unwrap_or_default();
    let author =
        issue.get("user").and_then(Person::of).map_or_else(|| GHOST.to_owned(), |author| author.login);
    let source = source(issue, settings, known);
    // Pages shift while they are read: the id says which comment is which.
    comments.sort_by_key(|comment| (comment.created.map(Time::seconds), comment.id));
    comments.dedup_by_key(|comment| comment.id);
    let mut thread = Thread {
        number,
        title: source.title.clone(),
        source,
        user: author,
        said: Vec::new(),
        unused: Vec::new(),
        waits: Vec::new(),
    };
    for comment in comments.iter().filter(|comment| !comment.is_ours(number, own)) {
        let by = comment.author.as_ref().map_or(GHOST, |author| author.login.as_str());
        match words(comment, thread.said.len(), until, settings, known) {
            Ok((text, whole)) => {
                let input = Input { text, by: Some(by.to_owned()), at: None, comment: Some(comment.id) };
                let is_earlier = is_late(comment.updated, until);
                thread.said.push(Said { id: comment.id, created: comment.created, input, whole, is_earlier });
            }
            Err((why, waits)) => {
                thread.unused.push(Unused { id: comment.id, by: by.to_owned(), why });
                thread.waits.extend(waits.then_some(comment.id));
            }
        }
    }
    thread
}

/// The text of an issue as source text.
fn source(issue: &Value, settings: &Settings, known: &Known) -> Source {
    let text = |key: &str| issue.get(key).and_then(Value::as_str).unwrap_or_default();
    let login = issue.get("user").and_then(Person::of).map(|author| author.login).unwrap_or_default();
    let may = known.permission(&login);
    let link = Some(text("html_url").to_owned()).filter(|link| !link.is_empty());
    let source = Source::new(text("title"), text("body")).by(&login);
    let source = source.at(issue.get("number").and_then(Value::as_u64), link);
    Source { is_outsider: may.is_none_or(|may| may < settings.min_permission), ..source }
}

/// The words of a comment, without and with what they quote; or why it is not used, and whether a later run may hear it.
fn words(
    comment: &Comment,
    used: usize,
    until: Option<Time>,
    settings: &Settings,
    known: &Known,
) -> Result<(String, String), (&'static str, bool)> {
    if is_late(comment.created, until) {
        return Err(("it was written after the label was set; the next run hears it", true));
    }
    let mut body = &comment.body;
    if is_late(comment.updated, until) {
        let earlier = known.earlier.get(&comment.id);
        body = earlier.ok_or(("it was edited after the label was set; the next run hears it", true))?;
    }
    if let Some(refused) = refused(comment, settings, known) {
        return Err((
            refused.reason(),
            matches!(refused, OmissionReason::Minimized | OmissionReason::Unknown),
        ));
    }
    let words = own_words(body);
    if words.is_empty() {
        return Err(("it only quotes or is empty", false));
    }
    if used >= settings.comments {
        return Err(("there are more comments than are used", true));
    }
    Ok((words, visible(body).0))
}

/// What the filter of all threads says of a comment: who may write is what GitHub was asked for, and of a deleted
/// account what is left of it.
fn refused(comment: &Comment, settings: &Settings, known: &Known) -> Option<OmissionReason> {
    let trust = |may: Permission| match may >= settings.min_permission {
        true => Trust::Writer,
        false => Trust::Outsider,
    };
    let (login, is_bot, trust) = match &comment.author {
        Some(author) => {
            let may = known.permission(&author.login);
            (Some(author.login.as_str()), author.is_bot, may.map_or(Trust::Unknown, trust))
        }
        None => (None, false, trust(Permission::of_association(&comment.association))),
    };
    refusal(&Heard { login, is_bot, is_minimized: comment.is_minimized, body: &comment.body, trust })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const UNTIL: &str = "2026-11-20T10:00:00Z";

    fn comment(id: u64, login: &str, body: &str, created: &str) -> Value {
        json!({"id": id, "user": {"login": login, "id": id + 100, "type": "User"}, "body": body,
               "created_at": created, "updated_at": created, "author_association": "NONE"})
    }

    fn may(login: &str) -> Permission {
        if login.starts_with("out") { Permission::Read } else { Permission::Write }
    }

    fn read(comments: &[Value]) -> Thread {
        let issue = json!({"number": 7, "title": "Late\u{202e} fees", "body": "Who pays?\r\n<!-- hidden -->", "user": {"login": "sam", "id": 1, "type": "User"}});
        let comments: Vec<Comment> = comments.iter().filter_map(Comment::of).collect();
        let until = Time::parse(UNTIL).ok();
        let people = authors(&issue, &comments, 7, until, &[41_898_282]);
        let known = people.iter().filter(|(person, _)| person.login != "unknown");
        let permissions = known.map(|(person, _)| (person.login.clone(), may(&person.login))).collect();
        let known = Known { permissions, earlier: [(14, "as it was".to_owned())].into() };
        let settings = Settings { comments: 4, ..Settings::default() };
        thread(&issue, comments, until, &[41_898_282], &settings, &known)
    }

    fn texts(thread: &Thread) -> Vec<String> {
        thread
            .script()
            .inputs()
            .flatten()
            .map(|input| format!("{}: {}", input.by.clone().unwrap_or_default(), input.text))
            .collect()
    }

    #[test]
    fn title_and_body_are_source_text_and_comments_come_in_order_once() {
        let early = "2026-11-20T08:00:00Z";
        let thread = read(&[
            comment(3, "kim", "second", "2026-11-20T09:00:00Z"),
            comment(2, "sam", "first", early),
            comment(3, "kim", "second", "2026-11-20T09:00:00Z"),
        ]);
        assert_eq!(texts(&thread), ["sam: first", "kim: second"]);
        assert_eq!((thread.number, thread.title.as_str()), (7, "Late fees"));
        assert_eq!((thread.source.body.as_str(), thread.source.hidden), ("Who pays?", 1));
        assert!(!thread.source.is_outsider);
        assert!(thread.unused.is_empty());
    }

    #[test]
    fn what_is_not_used_is_named_with_its_reason() {
        let early = "2026-11-20T08:00:00Z";
        let mut edited = comment(2, "sam", "changed my mind", early);
        edited["updated_at"] = json!("2026-11-20T10:00:01Z");
        let mut hidden = comment(3, "sam", "spam", early);
        hidden["minimized"] = json!({"reason": "spam"});
        let mut bot = comment(4, "helper[bot]", "I am an app", early);
        bot["user"]["type"] = json!("Bot");
        let mut ours = comment(
            5,
            "github-actions[bot]",
            "<!-- roundtable:0.1.0 issue=7 run=0123456789abcdef0123456789abcdef -->\nhello",
            early,
        );
        ours["user"] = json!({"login": "github-actions[bot]", "id": 41_898_282, "type": "Bot"});
        let mut forged = comment(6, "outsider", "<!-- roundtable:0.1.0 issue=7 --> done", early);
        forged["author_association"] = json!("MEMBER");
        let mut gone = comment(7, "x", "who was that", early);
        gone["user"] = Value::Null;
        let mut then = comment(14, "sam", "changed", early);
        then["updated_at"] = json!("2026-11-20T10:00:01Z");
        let thread = read(&[
            comment(1, "unknown", "may I?", early),
            edited,
            hidden,
            bot,
            ours,
            forged,
            gone,
            comment(8, "sam", "too late", "2026-11-20T10:00:01Z"),
            comment(9, "sam", "> only a quotation", early),
            comment(10, "sam", "one", early),
            comment(11, "sam", "two", early),
            comment(12, "sam", "three", early),
            then,
            comment(16, "sam", "four", early),
        ]);
        let unused: Vec<String> =
            thread.unused.iter().map(|one| format!("{} {}: {}", one.id, one.by, one.why)).collect();
        insta::assert_snapshot!(unused.join("\n"), @r"
        1 unknown: GitHub does not say whether its author may write here
        2 sam: it was edited after the label was set; the next run hears it
        3 sam: somebody has hidden it
        4 helper[bot]: its author is an app
        6 outsider: its author may not write in this repository
        7 ghost: its author's account was deleted
        9 sam: it only quotes or is empty
        16 sam: there are more comments than are used
        8 sam: it was written after the label was set; the next run hears it
        ");
        assert_eq!(texts(&thread), ["sam: one", "sam: two", "sam: three", "sam: as it was"]);
        let marker = thread.marker(&"0".repeat(32), &Marker::default());
        // What the next run may hear is below the last one heard, too.
        assert_eq!((marker.heard, marker.waits), (14, vec![1, 2, 3, 8]));
    }
}
