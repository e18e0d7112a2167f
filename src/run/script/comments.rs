//! Comments of an issue: which are heard, and how GitHub and `gh` export them.
//!
//! One filter serves exported threads and `github run`: a comment that is hidden, our own, an app's, in the list
//! twice, or by somebody who may not write is left out. Each is named with the reason, since a list that leaves
//! things out silently is no record. What differs is only how it is known who may write: `github run` asks for
//! permissions, an export has associations.
//!
//! Invariant: what is heard has an author who is named; no comment is ever the caller's own words.
//!
//! ```
//! use roundtable::run::script::Script;
//!
//! let list = br#"[{"user": {"login": "kim"}, "author_association": "MEMBER", "body": "Who pays?"},
//!                 {"user": {"login": "zoe"}, "author_association": "NONE", "body": "I do."}]"#;
//! let script = Script::read("comments.json", list).unwrap();
//! assert_eq!((script.inputs().count(), script.left_out[0].by.as_str()), (1, "zoe"));
//! ```

use std::collections::BTreeSet;

use serde_json::Value;

use super::RawInput;
use crate::text::finding::Finding;
use crate::text::plain;
use crate::text::source::Source;

/// What the first line of a comment of ours begins with.
pub const OUR_MARK: &str = "<!-- roundtable:";
/// The name of every account that was deleted.
pub const GHOST: &str = "ghost";
/// The associations of people who may write in a repository.
const WRITERS: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];
/// At most this many authors are named in a line.
const MAX_NAMED: usize = 8;

/// A comment that is no input, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub by: String,
    pub reason: &'static str,
}

/// Why the filter leaves a comment out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmissionReason {
    Minimized,
    Ours,
    App,
    Doubled,
    /// The account was deleted, and nothing says that it could write.
    Deleted,
    Outsider,
    /// Nobody could say whether the author may write.
    Unknown,
}

impl OmissionReason {
    pub const fn reason(self) -> &'static str {
        match self {
            OmissionReason::Minimized => "somebody has hidden it",
            OmissionReason::Ours => "it is roundtable's own comment",
            OmissionReason::App => "its author is an app",
            OmissionReason::Doubled => "it is in the list twice",
            OmissionReason::Deleted => "its author's account was deleted",
            OmissionReason::Outsider => "its author may not write in this repository",
            OmissionReason::Unknown => "GitHub does not say whether its author may write here",
        }
    }
}

/// Whether an author may write in the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Writer,
    Outsider,
    /// Nothing is known of it.
    Unknown,
}

/// What the filter looks at.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'c> {
    /// None where the account was deleted.
    pub login: Option<&'c str>,
    pub is_bot: bool,
    pub is_minimized: bool,
    pub body: &'c str,
    pub trust: Trust,
}

/// Why a comment is left out, if it is.
pub fn refusal(comment: &Heard<'_>) -> Option<OmissionReason> {
    let is_deleted = comment.login.is_none_or(|login| login.eq_ignore_ascii_case(GHOST));
    if comment.is_minimized {
        return Some(OmissionReason::Minimized);
    }
    if is_ours(comment.body) {
        return Some(OmissionReason::Ours);
    }
    if comment.is_bot {
        return Some(OmissionReason::App);
    }
    match comment.trust {
        Trust::Writer => None,
        Trust::Outsider | Trust::Unknown if is_deleted => Some(OmissionReason::Deleted),
        Trust::Outsider => Some(OmissionReason::Outsider),
        Trust::Unknown => Some(OmissionReason::Unknown),
    }
}

/// Whether a comment begins with the whole line that ours begin with.
fn is_ours(body: &str) -> bool {
    let first = body.trim_start().lines().next().unwrap_or_default();
    first.starts_with(OUR_MARK) && first.trim_end().ends_with("-->")
}

/// The comments that were left out in one line: each author once for a reason.
pub fn told(left_out: &[LeftOut]) -> Option<String> {
    let mut counts: Vec<(&LeftOut, usize)> = Vec::new();
    for one in left_out {
        match counts.iter().position(|(known, _)| *known == one) {
            Some(at) => counts[at].1 += 1,
            None if counts.len() < MAX_NAMED => counts.push((one, 1)),
            None => {}
        }
    }
    let named: usize = counts.iter().map(|(_, count)| count).sum();
    let each = |(one, count): &(&LeftOut, usize)| match count {
        1 => format!("{} ({})", one.by, one.reason),
        count => format!("{count} by {} ({})", one.by, one.reason),
    };
    let mut shown: Vec<String> = counts.iter().map(each).collect();
    shown.extend((named < left_out.len()).then(|| format!("{} more", left_out.len() - named)));
    let comments = plain::count(left_out.len(), "comment");
    (!left_out.is_empty()).then(|| format!("{comments} left out: {}", shown.join(", ")))
}

/// A thread as it was exported.
#[derive(Debug, Default)]
pub(super) struct Exported {
    pub inputs: Vec<Option<RawInput>>,
    pub left_out: Vec<LeftOut>,
    pub source: Option<Source>,
}

/// Reads an export: an issue, or a list of comments (of lists of them, as `--slurp` prints pages). None where the
/// value is neither.
///
/// # Errors
/// An issue whose comments are not in it, or a list of other things.
pub(super) fn exported(name: &str, text: &str, value: &Value) -> Option<Result<Exported, Finding>> {
    if let Some(list) = value.as_array() {
        let all = flat(list);
        let is_script = all.iter().any(|one| !one.is_object() || one.get("text").is_some());
        return match (all.is_empty(), list.is_empty()) {
            _ if is_script => None,
            (true, true) => None,
            // Pages without a comment.
            (true, false) => Some(Ok(Exported::default())),
            (false, _) => Some(of_list(name, text, &all)),
        };
    }
    let is_issue = value.get("inputs").is_none()
        && ["title", "body", "comments"].iter().any(|key| value.get(key).is_some());
    is_issue.then(|| of_issue(name, text, value))
}

/// The entries of a list, those of its pages where it is a list of lists.
fn flat(list: &[Value]) -> Vec<&Value> {
    let is_paged = !list.is_empty() && list.iter().all(Value::is_array);
    match is_paged {
        true => list.iter().filter_map(Value::as_array).flatten().collect(),
        false => list.iter().collect(),
    }
}

fn of_list(name: &str, text: &str, all: &[&Value]) -> Result<Exported, Finding> {
    let is_issue = |one: &&&Value| one.get("title").is_some() || one.get("comments").is_some();
    if let Some(issue) = all.iter().find(is_issue) {
        return Err(Finding::near(name, text, "\"title\"", "this is a list of issues, and none of comments")
            .hint(how_to_export(issue)));
    }
    if !all.iter().any(|one| one.get("body").is_some()) {
        return Err(Finding::at(name, text, 1, 1, "the list has no comments and no messages").hint(
            "a list has one \"message\" an entry, null for silence, or is GitHub's list of comments, with `body`",
        ));
    }
    let exported = heard(all);
    if exported.inputs.is_empty() && !exported.left_out.is_empty() {
        let message = told(&exported.left_out).unwrap_or_default();
        return Err(Finding::at(name, text, 1, 1, format!("no comment of the list can be heard: {message}"))
            .hint("only comments of people who may write in the repository are heard"));
    }
    Ok(exported)
}

fn of_issue(name: &str, text: &str, value: &Value) -> Result<Exported, Finding> {
    let part = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let all = match value.get("comments") {
        None => Vec::new(),
        Some(Value::Array(list)) => flat(list),
        Some(other) => {
            let what = match other.as_u64() {
                Some(count) => {
                    format!("`comments` is a number: the issue has {count}, and they are not in this file")
                }
                None => "`comments` is not a list: the comments are not in this file".to_owned(),
            };
            return Err(Finding::near(name, text, "\"comments\"", what).hint(how_to_export(value)));
        }
    };
    let link = ["url", "html_url"].iter().map(|key| part(key)).find(|link| link.contains("/issues/"));
    let link = link.filter(|link| !link.contains("/repos/")).map(str::to_owned);
    let is_told = value.get("author").or_else(|| value.get("user")).is_some();
    let by = author(value).login.or_else(|| is_told.then(|| GHOST.to_owned()));
    let source = Source::new(part("title"), part("body")).by(&by.unwrap_or_default());
    let source = source.at(value.get("number").and_then(Value::as_u64), link);
    let source = Source { is_outsider: trust(value) == Trust::Outsider, ..source };
    Ok(Exported { source: Some(source).filter(|source| !source.is_empty()), ..heard(&all) })
}

/// The command that prints an issue with its comments.
fn how_to_export(issue: &Value) -> String {
    let number = issue.get("number").and_then(Value::as_u64).map_or("N".to_owned(), |n| n.to_string());
    format!(
        "export them with `gh issue view {number} --json number,title,body,author,url,comments`, or with \
         `gh api repos/OWNER/NAME/issues/{number}/comments --paginate --slurp`"
    )
}

/// The comments that are heard, and those that are not; one without a body says nothing.
fn heard(all: &[&Value]) -> Exported {
    let (mut exported, mut known) = (Exported::default(), BTreeSet::new());
    for comment in all {
        let body = plain::without_blank_ends(comment.get("body").and_then(Value::as_str).unwrap_or_default());
        if body.is_empty() {
            continue;
        }
        let by = author(comment);
        let login = by.login.as_deref();
        let id = comment.get("id").filter(|id| id.is_u64() || id.is_string());
        let is_doubled = id.is_some_and(|id| !known.insert(id.to_string()));
        let asked = Heard {
            login,
            is_bot: by.is_bot,
            is_minimized: is_minimized(comment),
            body,
            trust: trust_of_export(comment, login),
        };
        let refused = if is_doubled { Some(OmissionReason::Doubled) } else { refusal(&asked) };
        let by = login.unwrap_or(GHOST).to_owned();
        match refused {
            Some(refused) => exported.left_out.push(LeftOut { by, reason: refused.reason() }),
            None => exported.inputs.push(Some(RawInput {
                text: body.to_owned(),
                by: Some(by),
                at: moment(comment),
                comment: comment.get("id").and_then(Value::as_u64),
            })),
        }
    }
    exported
}

/// Who wrote something on GitHub, in both spellings.
struct Author {
    login: Option<String>,
    is_bot: bool,
}

fn author(of: &Value) -> Author {
    let person = of.get("author").or_else(|| of.get("user")).unwrap_or(&Value::Null);
    let text = |key: &str| person.get(key).and_then(Value::as_str).unwrap_or_default();
    let login = plain::shown(text("login").trim());
    let is_named_so = login.to_ascii_lowercase().ends_with("[bot]") || login.starts_with("app/");
    let is_bot = is_named_so
        || [text("type"), text("__typename")].contains(&"Bot")
        || person.get("is_bot").and_then(Value::as_bool) == Some(true);
    Author { login: Some(login).filter(|login| !login.is_empty()), is_bot }
}

/// What an association says, where one is given.
fn trust(of: &Value) -> Trust {
    let given = of.get("authorAssociation").or_else(|| of.get("author_association"));
    match given.and_then(Value::as_str).unwrap_or_default() {
        "" => Trust::Unknown,
        association if WRITERS.iter().any(|one| one.eq_ignore_ascii_case(association)) => Trust::Writer,
        _ => Trust::Outsider,
    }
}

/// An export without associations was chosen by who gives it: its authors are heard, if they are anybody.
fn trust_of_export(comment: &Value, login: Option<&str>) -> Trust {
    match trust(comment) {
        Trust::Unknown if login.is_some_and(|login| !login.eq_ignore_ascii_case(GHOST)) => Trust::Writer,
        known => known,
    }
}

/// Whether somebody has hidden a comment: `isMinimized` of `gh`, `minimized` of the REST API.
pub fn is_minimized(comment: &Value) -> bool {
    let is_set =
        |key: &str| comment.get(key).is_some_and(|found| !found.is_null() && found != &Value::Bool(false));
    is_set("isMinimized") || is_set("minimized")
}

fn moment(of: &Value) -> Option<String> {
    let at = of.get("createdAt").or_else(|| of.get("created_at"))?;
    Some(at.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::Script;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let script = Script::read("s.json", text.as_bytes()).unwrap();
        let said = script.inputs().flatten();
        let said = said.map(|input| format!("{}: {}", input.by.clone().unwrap_or_default(), input.text));
        let left = script.left_out.iter().map(|one| format!("{}: {}", one.by, one.reason));
        (said.collect(), left.collect())
    }

    fn refused(text: &str) -> String {
        Script::read("s.json", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_left_out_is_named_in_both_spellings() {
        let of_gh = r#"{"title": "T", "comments": [
            {"id": "a", "author": {"login": "kim"}, "authorAssociation": "MEMBER", "body": "one"},
            {"id": "a", "author": {"login": "kim"}, "authorAssociation": "MEMBER", "body": "one"},
            {"id": "b", "author": {"login": "kim"}, "body": "spam", "isMinimized": true, "minimizedReason": "SPAM"},
            {"id": "c", "author": {"login": "zoe"}, "authorAssociation": "CONTRIBUTOR", "body": "me too"},
            {"id": "d", "author": {"login": ""}, "authorAssociation": "NONE", "body": "gone"},
            {"id": "e", "author": null, "body": "gone, too"},
            {"id": "f", "author": {"login": ""}, "authorAssociation": "OWNER", "body": "two"},
            {"id": "g", "author": {"login": "github-actions[bot]"}, "body": "beep"},
            {"id": "h", "author": {"login": "kim"}, "body": "<!-- roundtable:0.1.0 issue=7 run=0 -->\nDecision: x"}
        ]}"#;
        let (said, left) = read(of_gh);
        assert_eq!(said, ["kim: one", "ghost: two"]);
        insta::assert_snapshot!(left.join("\n"), @r"
        kim: it is in the list twice
        kim: somebody has hidden it
        zoe: its author may not write in this repository
        ghost: its author's account was deleted
        ghost: its author's account was deleted
        github-actions[bot]: its author is an app
        kim: it is roundtable's own comment
        ");
        let of_rest = r#"[[{"id": 1, "user": {"login": "sam", "type": "User"}, "author_association": "OWNER", "body": "a"},
            {"id": 2, "user": null, "author_association": "NONE", "body": "b"}],
            [{"id": 1, "user": {"login": "sam"}, "author_association": "OWNER", "body": "a"},
            {"id": 3, "user": {"login": "ci", "type": "Bot"}, "body": "c"},
            {"id": 4, "user": {"login": "sam"}, "minimized": {"reason": "off-topic"}, "body": "d"},
            {"id": 5, "user": {"login": "ghost"}, "body": "e"}], []]"#;
        let (said, left) = read(of_rest);
        assert_eq!((said, left.len()), (vec!["sam: a".to_owned()], 5), "{left:?}");
    }

    #[test]
    fn an_export_without_its_comments_says_how_to_export_them() {
        let error = refused(r#"{"number": 12, "title": "T", "body": "b", "comments": 3}"#);
        assert!(error.contains("the issue has 3") && error.contains("gh issue view 12 --json"), "{error}");
        assert!(refused(r#"{"title": "T", "comments": {"totalCount": 3}}"#).contains("gh issue view N"));
        assert!(refused(r#"[{"title": "T", "number": 2, "comments": 0}]"#).contains("list of issues"));
        assert!(refused(r#"[{"id": 1}]"#).contains("no comments and no messages"));
        assert!(refused("[[]]").contains("`inputs` are empty"));
        let outsider = r#"[{"user": {"login": "zoe"}, "author_association": "NONE", "body": "hi"}]"#;
        assert!(refused(outsider).contains("1 comment left out: zoe (its author may not write"));
    }

    #[test]
    fn the_text_of_an_outsider_is_quoted_as_theirs() {
        let of = |association: &str| {
            let text = format!(
                r#"{{"title": "T", "body": "b", "user": {{"login": "zoe"}}, "author_association": "{association}", "comments": []}}"#
            );
            Script::read("s.json", text.as_bytes()).unwrap().source.unwrap().is_outsider
        };
        assert_eq!([of("NONE"), of("OWNER"), of("")], [true, false, false]);
    }
}
