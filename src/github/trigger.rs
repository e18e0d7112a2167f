//! What an event of Actions asks for.
//!
//! Only `issues` with `labeled` and one of our labels begins anything, and only for the label that
//! was just added: the labels an issue carries are no request. Any other event is nothing to
//! do, and no request is sent for it. Where a discussion stays open (`live`), a new comment on its
//! issue goes on with it, if the workflow listens to comments.

use serde_json::Value;

use super::marker::BEGIN;
use crate::item::config::github::Settings;
use crate::item::step::is_step_id;
use crate::text::plain;
use crate::text::time::Time;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A discussion on an issue, or its analysis.
    Issue(Asked),
    /// The gate, for a range of commits.
    Check,
    /// Nothing, and why.
    Nothing(String),
    /// An input that cannot be used, and why.
    Unusable(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub number: u64,
    pub what: What,
    /// The label that was added, as it is spelt there; none where the run was dispatched.
    pub label: Option<String>,
    /// When the comment was written that goes on with an open discussion, or edited that somebody ticked;
    /// none for anything else.
    pub comment: Option<Time>,
    /// Somebody ticked a line of our comment.
    pub is_tick: bool,
    /// Who asks: who added the label or wrote the comment.
    pub sender: Option<Person>,
    /// Title and body as they were when the label was set; to be read where they are none.
    pub issue: Option<Value>,
}

impl Asked {
    /// Asked by hand, for an issue that is to be read.
    pub const fn new(number: u64, what: What) -> Asked {
        Asked { number, what, label: None, comment: None, is_tick: false, sender: None, issue: None }
    }

    /// Whether the issue may have a label: it has it in the event, or there was none to look in.
    pub fn has_label(&self, label: &str) -> bool {
        let Some(labels) = self.issue.as_ref().and_then(|issue| issue.get("labels")?.as_array()) else {
            return true;
        };
        let mut names = labels.iter().filter_map(|one| one.get("name")?.as_str());
        names.any(|name| name.eq_ignore_ascii_case(label))
    }

    /// Asked by the sender of an event that has the issue.
    fn of_event(number: u64, what: What, payload: &Value) -> Asked {
        let sender = payload.get("sender").and_then(Person::of);
        Asked { sender, issue: payload.get("issue").cloned(), ..Asked::new(number, what) }
    }
}

/// What the label names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A discussion on this step, else on the item's current one.
    Discussion(Option<String>),
    Analysis,
    /// The end of the discussion that is open.
    Close,
}

/// Somebody on GitHub.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Person {
    pub id: u64,
    pub login: String,
    /// An app, whatever it is called.
    pub is_bot: bool,
}

impl Person {
    pub fn of(value: &Value) -> Option<Person> {
        let login = value.get("login")?.as_str()?;
        Some(Person {
            id: value.get("id").and_then(Value::as_u64).unwrap_or_default(),
            login: plain::shown(login),
            is_bot: value.get("type").and_then(Value::as_str) != Some("User"),
        })
    }
}

/// Reads an event.
pub fn trigger(event: &str, payload: &Value, settings: &Settings) -> Trigger {
    let nothing = |why: &str| Trigger::Nothing(why.to_owned());
    let text = |pointer: &str| payload.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    match event {
        "pull_request" | "merge_group" | "push" => Trigger::Check,
        "issues" if text("/action") != "labeled" => nothing("the issue was not labelled"),
        "issues" => {
            let label = text("/label/name");
            let Some(what) = asked(label, &settings.label) else {
                return nothing("the label is not one of roundtable's");
            };
            let Some((issue, number)) = issue_of(payload) else { return nothing("the event has no issue") };
            if is_pull_request(issue) {
                return nothing("it is a pull request, not an issue");
            }
            let label = Some(label.to_owned());
            Trigger::Issue(Asked { label, ..Asked::of_event(number, what, payload) })
        }
        "issue_comment" if text("/action") == "edited" => ticked(payload),
        "issue_comment" if settings.live => commented(payload, settings),
        "workflow_dispatch" => {
            dispatched(text("/inputs/issue"), text("/inputs/step"), text("/inputs/label"), settings)
        }
        _ => nothing("no event that roundtable answers"),
    }
}

/// The issue of an event, and its number.
fn issue_of(payload: &Value) -> Option<(&Value, u64)> {
    let issue = payload.get("issue").filter(|issue| issue.is_object())?;
    Some((issue, issue.get("number")?.as_u64()?))
}

/// Whether GitHub's issue is a pull request.
pub fn is_pull_request(issue: &Value) -> bool {
    issue.get("pull_request").is_some_and(|pull| !pull.is_null())
}

/// A comment: it goes on with the discussion that is open on its issue, and begins none.
fn commented(payload: &Value, settings: &Settings) -> Trigger {
    let nothing = |why: &str| Trigger::Nothing(why.to_owned());
    let text = |pointer: &str| payload.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let Some((issue, number)) = issue_of(payload) else { return nothing("the event has no issue") };
    let labels = issue.get("labels").and_then(Value::as_array).into_iter().flatten();
    let names = labels.filter_map(|label| label.get("name")?.as_str());
    let is_open = names.into_iter().any(|name| name.eq_ignore_ascii_case(&settings.open_label()));
    if text("/action") != "created" {
        return nothing("the comment is not new");
    }
    if is_pull_request(issue) || !is_open {
        return nothing("no discussion is open on the issue");
    }
    if text("/comment/body").starts_with(BEGIN) {
        return nothing("it is a comment of roundtable's own");
    }
    let Ok(at) = Time::parse(text("/comment/created_at")) else {
        return nothing("the comment has no time");
    };
    let comment = Some(at);
    Trigger::Issue(Asked { comment, ..Asked::of_event(number, What::Discussion(None), payload) })
}

/// An edit of our own comment that ticks a line: the tick is a decision of who edited it.
fn ticked(payload: &Value) -> Trigger {
    let nothing = |why: &str| Trigger::Nothing(why.to_owned());
    let text = |pointer: &str| payload.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let Some((issue, number)) = issue_of(payload) else { return nothing("the event has no issue") };
    if is_pull_request(issue) || !text("/comment/body").starts_with(BEGIN) {
        return nothing("the edited comment is none of roundtable's own");
    }
    let ticks = |pointer: &str| text(pointer).lines().filter(|line| line.starts_with("- [x] ")).count();
    if ticks("/comment/body") <= ticks("/changes/body/from") {
        return nothing("no line was ticked");
    }
    let Ok(at) = Time::parse(text("/comment/updated_at")) else { return nothing("the edit has no time") };
    let comment = Some(at);
    Trigger::Issue(Asked {
        comment,
        is_tick: true,
        ..Asked::of_event(number, What::Discussion(None), payload)
    })
}

/// The inputs of a run that somebody with the right to write has started by hand.
pub fn dispatched(issue: &str, step: &str, label: &str, settings: &Settings) -> Trigger {
    let Ok(number) = issue.trim().trim_start_matches('#').parse() else {
        return Trigger::Unusable("the input `issue` is not a number; write it like 12");
    };
    let (step, label) = (step.trim(), label.trim());
    let what = match step {
        _ if !label.is_empty() => match asked(label, &settings.label) {
            Some(what) => what,
            None => return Trigger::Unusable("the input `label` is not one of roundtable's labels"),
        },
        "" => What::Discussion(None),
        "analyze" => What::Analysis,
        step if is_step_id(step) => What::Discussion(Some(step.to_owned())),
        _ => return Trigger::Unusable("the input `step` is not a step; write it like 01-03"),
    };
    let label = Some(label.to_owned()).filter(|label| !label.is_empty());
    Trigger::Issue(Asked { label, ..Asked::new(number, what) })
}

/// What somebody asks for by a label's name; none where it is not one of ours.
pub fn by_label(number: u64, label: &str, settings: &Settings) -> Option<Trigger> {
    let (what, label) = (asked(label, &settings.label)?, Some(label.to_owned()));
    Some(Trigger::Issue(Asked { label, ..Asked::new(number, what) }))
}

/// What a label asks for, in any case.
pub fn asked(label: &str, ours: &str) -> Option<What> {
    let label = label.to_lowercase();
    let rest = label.strip_prefix(ours.to_lowercase().as_str())?;
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Some(What::Discussion(None)),
        Some("analyze") => Some(What::Analysis),
        Some("close") => Some(What::Close),
        Some(step) if is_step_id(step) => Some(What::Discussion(Some(step.to_owned()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn labeled(label: &str) -> Value {
        json!({
            "action": "labeled", "label": {"name": label},
            "issue": {"number": 7, "title": "T", "labels": [{"name": "roundtable"}]},
            "sender": {"login": "sam", "id": 3, "type": "User"},
        })
    }

    #[test]
    fn only_the_label_that_was_just_added_counts() {
        let read = |label: &str| trigger("issues", &labeled(label), &Settings::default());
        for (label, what) in [
            ("roundtable", What::Discussion(None)),
            ("Roundtable", What::Discussion(None)),
            ("roundtable:01-03", What::Discussion(Some("01-03".into()))),
            ("roundtable:analyze", What::Analysis),
            ("roundtable:close", What::Close),
        ] {
            let Trigger::Issue(asked) = read(label) else { panic!("{label}") };
            assert_eq!((asked.number, &asked.what, asked.label.as_deref()), (7, &what, Some(label)));
            assert_eq!(asked.sender.unwrap().login, "sam");
        }
        for label in
            ["bug", "", "roundtable2", "roundtable:", "roundtable:1-3", "roundtable:done", "xroundtable"]
        {
            assert!(matches!(read(label), Trigger::Nothing(_)), "{label}");
        }
    }

    #[test]
    fn anything_else_is_nothing_to_do() {
        let settings = Settings::default();
        for action in ["opened", "unlabeled", "closed", "edited"] {
            let mut event = labeled("roundtable");
            event["action"] = json!(action);
            assert!(matches!(trigger("issues", &event, &settings), Trigger::Nothing(_)), "{action}");
        }
        let mut pull = labeled("roundtable");
        pull["issue"]["pull_request"] = json!({"url": "x"});
        assert!(matches!(trigger("issues", &pull, &settings), Trigger::Nothing(_)));
        for event in ["issue_comment", "schedule", "pull_request_target", "release", ""] {
            assert!(
                matches!(trigger(event, &labeled("roundtable"), &settings), Trigger::Nothing(_)),
                "{event}"
            );
        }
        assert!(matches!(trigger("issues", &json!({}), &settings), Trigger::Nothing(_)));
        assert!(matches!(trigger("issues", &json!([1]), &settings), Trigger::Nothing(_)));
        for event in ["pull_request", "merge_group", "push"] {
            assert_eq!(trigger(event, &json!({}), &settings), Trigger::Check);
        }
    }

    #[test]
    fn a_comment_goes_on_with_an_open_discussion_and_begins_none() {
        let settings = Settings { live: true, ..Settings::default() };
        let event = |action: &str, label: &str, body: &str| {
            json!({
                "action": action,
                "comment": {"body": body, "created_at": "2026-11-20T10:00:00Z"},
                "issue": {"number": 7, "title": "T", "labels": [{"name": label}]},
                "sender": {"login": "sam", "id": 3, "type": "User"},
            })
        };
        let good = event("created", "Roundtable:Open", "What about refunds?");
        let Trigger::Issue(asked) = trigger("issue_comment", &good, &settings) else { panic!() };
        assert_eq!((asked.number, asked.label, asked.comment.is_some()), (7, None, true));
        let own = "<!-- roundtable:0.1.0 issue=7 run=0 -->";
        for other in [
            event("edited", "roundtable:open", "x"),
            event("created", "roundtable", "x"),
            event("created", "roundtable:open", own),
        ] {
            assert!(matches!(trigger("issue_comment", &other, &settings), Trigger::Nothing(_)), "{other}");
        }
        assert!(matches!(trigger("issue_comment", &good, &Settings::default()), Trigger::Nothing(_)));
    }

    #[test]
    fn a_dispatch_names_issue_and_step() {
        let read = |issue: &str, step: &str| dispatched(issue, step, "", &Settings::default());
        let by_label = |label: &str| dispatched("12", "", label, &Settings::default());
        assert!(matches!(by_label("roundtable:analyze"), Trigger::Issue(Asked { what: What::Analysis, .. })));
        assert!(matches!(by_label("bug"), Trigger::Unusable(_)));
        assert!(matches!(
            read("12", ""),
            Trigger::Issue(Asked { number: 12, what: What::Discussion(None), .. })
        ));
        assert!(matches!(read(" #12 ", "01-03"), Trigger::Issue(Asked { number: 12, .. })));
        for (issue, step) in [("", ""), ("x", ""), ("-1", ""), ("12", "1"), ("12", "01-03; rm -rf /")] {
            assert!(matches!(read(issue, step), Trigger::Unusable(_)), "{issue} {step}");
        }
    }
}
