//! Which words of an issue are the user's: title and body first, then the comments, in order.
//!
//! The thread is read as it stood when the label was set. Comments that came or were edited
//! later, that somebody hid, that are our own or by people without the right to write are no inputs;
//! each is named with the reason, because a list that leaves things out silently is no record.

use std::collections::BTreeSet;

use serde_json::Value;

use super::trigger::Person;
use super::{Permission, Settings};
use crate::discussion::event::{Event, Record, Time};
use crate::discussion::open;
use crate::plain;
use crate::script::{Input, Script};
use crate::secrets;

/// What the first line of our own comment begins with.
pub const MARKER: &str = "<!-- roundtable:";

/// A comment of an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub id: u64,
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
            author: value.get("user").and_then(Person::of),
            body: text("body").to_owned(),
            created: time("created_at"),
            updated: time("updated_at"),
            is_minimized: value
                .get("minimized")
                .is_some_and(|found| !found.is_null() && found != &Value::Bool(false)),
            association: text("author_association").to_owned(),
        })
    }

    /// Whether it is a comment of this program's own, written by one of `own`.
    pub fn is_ours(&self, number: u64, own: &[u64]) -> bool {
        self.is_marked(number) && self.author.as_ref().is_some_and(|author| own.contains(&author.id))
    }

    /// Whether it begins with our marker, whole and for this issue; anybody can write that.
    pub fn is_marked(&self, number: u64) -> bool {
        let line = self.body.lines().next().unwrap_or_default();
        let Some(rest) = line.strip_prefix(MARKER).and_then(|rest| rest.strip_suffix(" -->")) else {
            return false;
        };
        let words: Vec<&str> = rest.split(' ').collect();
        let [_, issue, run] = words.as_slice() else { return false };
        let is_run = |run: &str| run.len() == 32 && run.bytes().all(|byte| byte.is_ascii_hexdigit());
        *issue == format!("issue={number}") && run.strip_prefix("run=").is_some_and(is_run)
    }
}

/// A comment that is no input, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    pub id: u64,
    pub by: String,
    pub why: &'static str,
}

/// An issue as a script.
#[derive(Clone, Debug)]
pub struct Thread {
    pub number: u64,
    pub title: String,
    /// Who opened it.
    user: Option<String>,
    /// Title and body.
    opening: Option<Input>,
    /// The comments that are used, by their ids.
    said: Vec<(u64, Input)>,
    pub unused: Vec<Unused>,
}

impl Thread {
    /// Everything that was said.
    pub fn script(&self) -> Script {
        let said = self.said.iter().map(|(_, input)| input);
        Script::of(self.user.clone(), self.opening.iter().chain(said).cloned().map(Some).collect())
    }

    /// The comments that are used, by their ids.
    pub fn comments(&self) -> Vec<u64> {
        self.said.iter().map(|(id, _)| *id).collect()
    }

    /// The comments that the last run of a discussion did not come to: it had ended before.
    pub fn too_late(&self, log: &[Record]) -> Vec<Unused> {
        let heard = open::added(log).iter().filter(|record| matches!(record.event, Event::User(_))).count();
        // The first run hears title and body first.
        let opening = usize::from(open::before(log).is_none() && self.opening.is_some());
        let ids = match open::stays_open(log) {
            true => open::last_comments(log).to_vec(),
            false => self.comments(),
        };
        let late = ids.iter().skip(heard.saturating_sub(opening));
        let of = |id: &u64| {
            let (_, input) = self.said.iter().find(|(known, _)| known == id)?;
            let by = input.by.clone().unwrap_or_default();
            Some(Unused { id: *id, by, why: "the discussion had ended before it" })
        };
        late.filter_map(of).collect()
    }

    /// What was said since others of the comments were heard, and by which comments.
    pub fn since(&self, heard: &[u64]) -> (Script, Vec<u64>) {
        let heard: BTreeSet<&u64> = heard.iter().collect();
        let new = self.said.iter().filter(|(id, _)| !heard.contains(id));
        let (ids, inputs): (Vec<u64>, Vec<Option<Input>>) =
            new.map(|(id, input)| (*id, Some(input.clone()))).unzip();
        (Script::of(self.user.clone(), inputs), ids)
    }
}

/// Makes a script of an issue and its comments. `until` is when the label was set; `may` tells what
/// somebody may do in the repository, and is asked once for each person whose words would count.
///
/// # Errors
/// Whatever `may` says; then nothing is known and nothing may be used.
pub fn thread<E>(
    issue: &Value,
    mut comments: Vec<Comment>,
    until: Option<Time>,
    own: &[u64],
    settings: &Settings,
    may: &mut dyn FnMut(&Person, &str) -> Result<Permission, E>,
) -> Result<Thread, E> {
    let text = |key: &str| issue.get(key).and_then(Value::as_str).unwrap_or_default();
    let title = plain::shown(text("title"));
    // It names a new item, and is recorded with it.
    let title = plain::cut(&secrets::mask(&title).map_or(title, |(masked, _)| masked), 120);
    let number = issue.get("number").and_then(Value::as_u64).unwrap_or_default();
    let author = issue.get("user").and_then(Person::of);
    let mut said = Vec::new();
    let opening = [plain::shown(text("title")), readable(text("body"))];
    let opening: Vec<&str> = opening.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    let by = author.as_ref().map(|author| author.login.clone());
    let opening =
        (!opening.is_empty()).then(|| Input { text: opening.join("\n\n"), by, at: None, comment: None });
    // Pages shift while they are read: the id says which comment is which.
    comments.sort_by_key(|comment| (comment.created.map(Time::seconds), comment.id));
    comments.dedup_by_key(|comment| comment.id);
    let (mut unused, mut used) = (Vec::new(), 0);
    for comment in comments {
        let by = comment
            .author
            .as_ref()
            .map_or_else(|| "a deleted user".to_owned(), |author| author.login.clone());
        let mut leave = |why: &'static str| unused.push(Unused { id: comment.id, by: by.clone(), why });
        if comment.is_ours(number, own) {
            continue;
        }
        let is_late = |time: Option<Time>| until.is_some_and(|until| time.is_none_or(|time| time > until));
        if is_late(comment.created) {
            leave("it was written after the label was set");
            continue;
        }
        if is_late(comment.updated) {
            leave("it was edited after the label was set");
            continue;
        }
        if comment.is_minimized {
            leave("somebody has hidden it");
            continue;
        }
        let words = readable(&comment.body);
        if words.is_empty() {
            leave("it says nothing of its own");
            continue;
        }
        if used >= settings.comments {
            leave("there are more comments than are used");
            continue;
        }
        match &comment.author {
            Some(author) if author.is_bot => leave("its author is an app"),
            Some(author) if may(author, &comment.association)? >= settings.min_permission => {
                used += 1;
                said.push((
                    comment.id,
                    Input { text: words, by: Some(by), at: None, comment: Some(comment.id) },
                ));
            }
            Some(_) => leave("its author may not write in this repository"),
            None => leave("its author is gone"),
        }
    }
    let user = author.map(|author| author.login);
    Ok(Thread { number, title, user, opening, said, unused })
}

/// A body as a reader takes it: without what it quotes, without what does not show, without the
/// footer of an e-mail.
pub fn readable(body: &str) -> String {
    let body = plain::clean(body);
    let all: Vec<&str> = body.lines().collect();
    let (mut lines, mut fence, mut hidden, mut quoted) = (Vec::new(), None::<String>, false, false);
    for (at, line) in all.iter().enumerate() {
        let trimmed = line.trim_start();
        if !hidden && let Some(run) = fence_of(trimmed) {
            match &fence {
                Some(open) if run.starts_with(open.as_str()) && trimmed.trim_end() == run => {
                    fence = None;
                    lines.push((*line).to_owned());
                    continue;
                }
                None => fence = Some(run),
                Some(_) => {}
            }
        }
        // Code is kept as it is, quotations and footers are somebody else's.
        if fence.is_some() {
            lines.push((*line).to_owned());
            continue;
        }
        // A line right behind a quotation goes on with it (CommonMark 5.1, lazy continuation).
        quoted = !hidden && (trimmed.starts_with('>') || quoted && !trimmed.is_empty());
        if quoted {
            continue;
        }
        let quotes_next = || {
            all[at + 1..]
                .iter()
                .find(|line| !line.trim().is_empty())
                .is_some_and(|line| line.trim_start().starts_with('>'))
        };
        let is_attribution =
            trimmed.starts_with("On ") && trimmed.trim_end().ends_with("wrote:") && quotes_next();
        if !hidden && (*line == "-- " || is_attribution) {
            break;
        }
        lines.push(shown_of(line, &mut hidden));
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let mut text = String::new();
    let mut blank = 0;
    for line in lines {
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if blank < 2 {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

/// The run of signs that opens or closes a fence, if the line does (CommonMark 4.5).
fn fence_of(line: &str) -> Option<String> {
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let run: String = line.chars().take_while(|c| *c == sign).collect();
    let inline = sign == '`' && line[run.len()..].contains('`');
    (run.len() >= 3 && !inline).then_some(run)
}

/// What shows of a line: no HTML comment, but for one in a code span. `hidden` says whether a comment
/// is open at its beginning, and then at its end; one that nobody closes hides the rest, as browsers have it.
fn shown_of(line: &str, hidden: &mut bool) -> String {
    let (mut out, mut rest) = (String::with_capacity(line.len()), line);
    loop {
        if *hidden {
            let Some(end) = rest.find("-->") else { return out };
            rest = &rest[end + 3..];
            *hidden = false;
        }
        let Some(start) = rest.find("<!--") else {
            out.push_str(rest);
            return out;
        };
        let before = &rest[..start];
        let closes = rest[start..].find('`');
        if let (1, Some(end)) = (before.matches('`').count() % 2, closes) {
            out.push_str(&rest[..=start + end]);
            rest = &rest[start + end + 1..];
            continue;
        }
        out.push_str(before);
        rest = &rest[start + 4..];
        *hidden = true;
    }
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

    fn read(comments: &[Value]) -> Thread {
        let issue = json!({"number": 7, "title": "Late\u{202e} fees", "body": "Who pays?\r\n<!-- hidden -->", "user": {"login": "sam", "id": 1, "type": "User"}});
        let comments = comments.iter().filter_map(Comment::of).collect();
        let until = Time::parse(UNTIL).ok();
        let mut may = |person: &Person, _: &str| -> Result<Permission, ()> {
            Ok(if person.login.starts_with("out") { Permission::Read } else { Permission::Write })
        };
        thread(
            &issue,
            comments,
            until,
            &[41_898_282],
            &Settings { comments: 3, ..Settings::default() },
            &mut may,
        )
        .unwrap()
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
    fn title_and_body_come_first_and_comments_in_order_once() {
        let early = "2026-11-20T08:00:00Z";
        let thread = read(&[
            comment(3, "kim", "second", "2026-11-20T09:00:00Z"),
            comment(2, "sam", "first", early),
            comment(3, "kim", "second", "2026-11-20T09:00:00Z"),
        ]);
        assert_eq!(texts(&thread), ["sam: Late fees\n\nWho pays?", "sam: first", "kim: second"]);
        assert_eq!((thread.number, thread.title.as_str()), (7, "Late fees"));
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
        let thread = read(&[
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
            comment(13, "sam", "four", early),
        ]);
        let unused: Vec<String> =
            thread.unused.iter().map(|one| format!("{} {}: {}", one.id, one.by, one.why)).collect();
        insta::assert_snapshot!(unused.join("\n"), @r"
        2 sam: it was edited after the label was set
        3 sam: somebody has hidden it
        4 helper[bot]: its author is an app
        6 outsider: its author may not write in this repository
        7 a deleted user: its author is gone
        9 sam: it says nothing of its own
        13 sam: there are more comments than are used
        8 sam: it was written after the label was set
        ");
        assert_eq!(texts(&thread).len(), 4);
    }

    #[test]
    fn a_body_is_read_without_quotations_comments_and_footers() {
        assert_eq!(readable("> you said\n\nI say\n> again\nthis"), "I say");
        assert_eq!(
            readable("kept\n\nOn Fri, 20 Nov 2026 at 10:00, Kim <k@example.org> wrote:\n> x\n> y"),
            "kept"
        );
        assert_eq!(readable("Use `<!--` to hide. We decided."), "Use `<!--` to hide. We decided.");
        assert_eq!(readable("```html\n<!-- a\n```\nkept"), "```html\n<!-- a\n```\nkept");
        assert_eq!(
            readable("On the other hand, here is what the auditor wrote:\nkept"),
            "On the other hand, here is what the auditor wrote:\nkept"
        );
        assert_eq!(readable("Summary\n--\nkept"), "Summary\n--\nkept");
        assert_eq!(readable("```inline``` code\n> quoted\nlazy\n\nmine"), "```inline``` code\n\nmine");
        assert_eq!(readable("kept\n-- \nKim\nExample Ltd"), "kept");
        assert_eq!(readable("a <!-- hidden\nover lines --> b <!-- open\nnever shown"), "a\n b");
        assert_eq!(
            readable("```sh\n> not a quotation\n--\n```\nafter"),
            "```sh\n> not a quotation\n--\n```\nafter"
        );
        assert_eq!(readable("a\u{200b}b\r\n\r\n\r\n\r\nc"), "ab\n\nc");
    }

    #[test]
    fn whoever_cannot_be_asked_stops_everything() {
        let issue = json!({"number": 7, "title": "T"});
        let comments = vec![Comment::of(&comment(1, "sam", "x", "2026-11-20T08:00:00Z")).unwrap()];
        let mut may = |_: &Person, _: &str| -> Result<Permission, &str> { Err("no answer") };
        let read = thread(&issue, comments, None, &[], &Settings::default(), &mut may);
        assert_eq!(read.unwrap_err(), "no answer");
    }
}
