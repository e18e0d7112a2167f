//! Additions to artifacts that programs read: JSON, YAML, CSV. What a file holds as data stays;
//! a file whose format leaves no room is left as it is.

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::{Addition, decider, shown_insights};
use crate::discussion::summary::{Decision, Insight, Question, attribution};
use crate::discussion::{Finished, additions};
use crate::item::library::Library;
use crate::text::front_matter;
use crate::text::json::{Document, Kind};
use crate::text::plain::{clean, count, line_end, one_line, without_comments};

/// A discussion as JSON artifacts carry it.
pub fn entry(finished: &Finished, library: &Library) -> Value {
    harmless(raw_entry(finished, library))
}

/// A value whose texts hold no comment.
fn harmless(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_comments(&text)),
        Value::Array(list) => list.into_iter().map(harmless).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, harmless(value))).collect(),
        other => other,
    }
}

fn raw_entry(finished: &Finished, library: &Library) -> Value {
    let said = |one: &Insight| json!({"text": one.text, "by": attribution(&one.by, &library.cast)});
    let decided = |one: &Decision| json!({"text": one.text, "rationale": one.rationale, "by": decider(one, finished.entries())});
    let asked = |one: &Question| json!({"text": one.text, "context": one.context});
    let proposed = |one: &additions::Addition| {
        let mut value = json!(one);
        value.as_object_mut().map(|fields| fields.shift_remove("turns"));
        value
    };
    let summary = &finished.summary;
    let (insights, further) = shown_insights(finished);
    let mut entry = json!({
        "step_id": finished.opened.step.id,
        "timestamp": finished.at.to_string(),
        "turn_count": finished.closed.turn_count,
        "exit": finished.closed.exit,
        "insights": insights.into_iter().map(said).collect::<Vec<_>>(),
        "decisions": summary.decisions.iter().map(decided).collect::<Vec<_>>(),
        "open_questions": summary.landing_questions().iter().map(asked).collect::<Vec<_>>(),
        "action_items": summary.action_items.iter().map(said).collect::<Vec<_>>(),
    });
    if further > 0 {
        entry["more_statements"] = json!({"count": further, "recording": finished.recording()});
    }
    if !summary.additions.is_empty() {
        entry["proposed"] = summary.landing_additions().iter().map(proposed).collect();
    }
    let late = finished.late_words(library).into_iter();
    let late: Vec<Value> = late.map(|(by, text)| json!({"by": by, "text": text})).collect();
    if !late.is_empty() {
        entry["not_discussed"] = Value::Array(late);
    }
    entry
}

/// An object gains an entry in `elaborations`; an array of objects gains an entry that says what
/// it is.
pub(super) fn json(name: &str, text: &str, finished: &Finished, library: &Library) -> Addition {
    let document = match Document::read(name, text.as_bytes()) {
        Ok(document) => document,
        Err(finding) => return Addition::None(format!("line {}: {}", finding.line, finding.message)),
    };
    match &document.root.kind {
        Kind::Object(_) => match document.member("elaborations") {
            None => into(document.with_member("elaborations", &json!([entry(finished, library)]))),
            Some(node) if matches!(node.kind, Kind::Array(_)) => {
                into(document.with_element(node, &entry(finished, library)))
            }
            Some(_) => Addition::None("its `elaborations` is not a list".to_owned()),
        },
        Kind::Array(elements) if elements.iter().all(|element| matches!(element.kind, Kind::Object(_))) => {
            let mut entry = entry(finished, library);
            if let Value::Object(fields) = &mut entry {
                fields.shift_insert(0, "type".to_owned(), json!("elaboration"));
            }
            into(document.with_element(&document.root, &entry))
        }
        _ => Addition::None("it is neither an object nor a list of objects".to_owned()),
    }
}

fn into(text: String) -> Addition {
    Addition::Into(text, "elaborations".to_owned())
}

pub(super) fn new_json(finished: &Finished, library: &Library) -> Addition {
    let document = json!({"elaborations": [entry(finished, library)]});
    into(format!("{document:#}\n"))
}

/// YAML gains comments at the end. They must be comments to a parser too: a block scalar at the
/// end of the file might take them for text.
pub(super) fn yaml(text: &str, finished: &Finished, library: &Library) -> Addition {
    let end = line_end(text);
    let gap = if text.is_empty() {
        ""
    } else if text.ends_with('\n') {
        end
    } else {
        &format!("{end}{end}")
    };
    let comments: Vec<String> =
        lines(finished, library).into_iter().map(|line| format!("# {line}{end}")).collect();
    let new = format!("{text}{gap}{}", comments.concat());
    if text.is_empty() {
        return Addition::Into(new, "end of file".to_owned());
    }
    match (documents(text), documents(&new)) {
        (None, _) => Addition::None("it is not valid YAML".to_owned()),
        (Some(before), Some(after)) if before == after => Addition::Into(new, "end of file".to_owned()),
        _ => Addition::None("comments at its end would become part of its last value".to_owned()),
    }
}

/// The documents of a YAML stream as data.
fn documents(text: &str) -> Option<Vec<serde_yaml::Value>> {
    if front_matter::too_deep(text).is_some() {
        return None;
    }
    serde_yaml::Deserializer::from_str(text)
        .map(serde_yaml::Value::deserialize)
        .collect::<Result<_, _>>()
        .ok()
}

/// The synthesis as lines of plain text: the marker, a title, a line a finding.
pub fn lines(finished: &Finished, library: &Library) -> Vec<String> {
    let step = &finished.opened.step;
    let mut found = vec![
        format!("<!-- Elaboration: step {}, {} -->", step.id, finished.at),
        format!("Elaboration Insights (Step {}: {})", step.id, step.title),
    ];
    let harmless = |text: &str| without_comments(&one_line(&clean(text)));
    for [kind, by, text, why] in rows(finished, library) {
        let by = if by.is_empty() { by } else { format!("[{by}] ") };
        let why = if why.is_empty() { why } else { format!(": {why}") };
        found.push(harmless(&format!("- {kind}: {by}{text}{why}")));
    }
    found
}

/// The synthesis as rows: kind, by, text, rationale or context.
fn rows(finished: &Finished, library: &Library) -> Vec<[String; 4]> {
    let by = |one: &Insight| attribution(&one.by, &library.cast);
    let summary = &finished.summary;
    let said = |kind: &str, one: &Insight| [kind.to_owned(), by(one), one.text.clone(), String::new()];
    let (insights, further) = shown_insights(finished);
    let insights = insights.into_iter().map(|one| said("insight", one));
    let plain =
        |kind: &str, by: &str, text: &str| [kind.to_owned(), by.to_owned(), text.to_owned(), String::new()];
    let more = (further > 0).then(|| {
        let text = format!("{} in {}", count(further, "more statement"), finished.recording());
        plain("more statements", "", &text)
    });
    let late = finished.late_words(library).into_iter().map(|(by, text)| plain("not discussed", by, &text));
    let decisions = summary.decisions.iter().map(|one| {
        let by = decider(one, finished.entries()).to_owned();
        ["decision".to_owned(), by, one.text.clone(), one.rationale.clone()]
    });
    let questions = summary
        .landing_questions()
        .iter()
        .map(|one| ["open question".to_owned(), String::new(), one.text.clone(), one.context.clone()]);
    let actions = summary.action_items.iter().map(|one| said("action item", one));
    let proposed = summary.landing_additions().iter().map(|one| {
        let place = [one.anchor.as_str(), one.path.as_str()].into_iter().filter(|part| !part.is_empty());
        let place = place.collect::<Vec<_>>().join(", ");
        let kind = format!("proposed {}", one.kind.words());
        [kind, String::new(), one.shown(), place]
    });
    insights
        .chain(more)
        .chain(decisions)
        .chain(questions)
        .chain(actions)
        .chain(proposed)
        .chain(late)
        .collect()
}

/// The header that rows of ours are under.
pub const HEADER: &str = "step_id,timestamp,kind,by,text,rationale";

/// CSV takes rows only under our own header.
pub(super) fn csv(text: &str, finished: &Finished, library: &Library) -> Addition {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let end = line_end(text);
    let header = body.lines().next().unwrap_or_default();
    if !body.is_empty() && header.trim_end() != HEADER {
        return Addition::None(format!("rows of a discussion need the header {HEADER}, and it has another"));
    }
    // An unclosed quotation mark would take our rows into its cell.
    if body.matches('"').count() % 2 == 1 {
        return Addition::None("a quotation mark in it is not closed".to_owned());
    }
    let mut new = if body.is_empty() { format!("{text}{HEADER}{end}") } else { text.to_owned() };
    if !new.ends_with('\n') {
        new.push_str(end);
    }
    for row in csv_rows(finished, library) {
        new.push_str(&row);
        new.push_str(end);
    }
    Addition::Into(new, "rows".to_owned())
}

/// The rows of a CSV file, without their line ends: one a finding, or one that says there was none.
pub fn csv_rows(finished: &Finished, library: &Library) -> Vec<String> {
    let mut found = rows(finished, library);
    if found.is_empty() {
        found.push(["none".to_owned(), String::new(), String::new(), String::new()]);
    }
    let head = [finished.opened.step.id.clone(), finished.at.to_string()];
    let line = |row: &[String; 4]| {
        let cells: Vec<String> = head.iter().chain(row).map(|text| cell(text)).collect();
        cells.join(",")
    };
    found.iter().map(line).collect()
}

/// A cell (RFC 4180), with nothing at its start that a spreadsheet would calculate.
pub(crate) fn cell(text: &str) -> String {
    let text = without_comments(&one_line(&clean(text)));
    let text = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text };
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discussion::event::{Author, Closed, Exit, Opened, StepRef, Time};
    use crate::discussion::summary::Summary;

    fn finished() -> (Finished, Library) {
        let step = StepRef {
            id: "01-03".into(),
            title: "User Journeys".into(),
            phase: "01-requirements".into(),
            outputs: vec![],
        };
        let opened = Opened {
            format: crate::discussion::event::FORMAT,
            item: "docs/x".into(),
            item_name: "x".into(),
            step,
            lead: "business-analyst".into(),
            max_turns: 10,
            base: String::new(),
            read: Default::default(),
            branch: String::new(),
            layout: "isdlc".into(),
            document: None,
            voice: "secretary".into(),
            model: None,
            user: "Sam".into(),
            digests: Default::default(),
            author: Author { name: "a".into(), email: "b".into(), signed_off: false },
            run: String::new(),
            new_meta: None,
            draft: None,
            comments: None,
            stays_open: false,
            is_live: false,
            evidence: Vec::new(),
        };
        let insight = Insight {
            text: "=cmd, \"x\" --> <!--".into(),
            by: vec!["business-analyst".into()],
            turns: vec![2],
            rests: vec![],
        };
        let decision = Decision::new("Keep it", Some("why"), "Sam", vec![3], Default::default());
        let summary = Summary { insights: vec![insight], decisions: vec![decision], ..Summary::default() };
        let at = Time::parse("2026-02-20T14:30:00Z").unwrap();
        let closed = Closed { exit: Exit::UserInitiated, turn_count: 4, digest: String::new() };
        (Finished { opened, summary, closed, at, log: Vec::new() }, Library::built_in().unwrap())
    }

    fn text(addition: Addition) -> Result<String, String> {
        match addition {
            Addition::Into(text, _) => Ok(text),
            Addition::None(reason) => Err(reason),
        }
    }

    #[test]
    fn json_gains_an_entry_and_keeps_the_rest() {
        let (finished, library) = finished();
        let add = |before: &str| text(json("a.json", before, &finished, &library));
        for before in ["{\"stories\": [1e400]}", "{\n  \"elaborations\": []\n}\n", "[]", "[{\"a\": 1}]"] {
            let after = add(before).unwrap();
            assert!(crate::additive::json::losses(before.as_bytes(), after.as_bytes()).is_empty(), "{after}");
        }
        assert!(add("[{\"a\": 1}]").unwrap().contains("\"type\":\"elaboration\""));
        for before in ["[1]", "7", "{\"elaborations\": 1}", "{", "{\"a\":1,\"a\":1}"] {
            assert!(add(before).is_err(), "{before}");
        }
    }

    #[test]
    fn yaml_gains_comments_only() {
        let (finished, library) = finished();
        let add = |before: &str| text(yaml(before, &finished, &library));
        for before in ["a: 1\n", "a: 1", "a: |\n  text\n", "- x\n---\n- y\n"] {
            let after = add(before).unwrap();
            assert!(after.starts_with(before) && documents(&after) == documents(before), "{after}");
            assert_eq!((after.matches("<!--").count(), after.matches("-->").count()), (1, 1));
        }
        assert!(add("a: [\n").is_err());
        assert!(add("--- |\ntext\n").is_err());
    }

    #[test]
    fn csv_takes_rows_under_its_own_header_only() {
        let (finished, library) = finished();
        let add = |before: &str| text(csv(before, &finished, &library));
        insta::assert_snapshot!(add("").unwrap(), @r#"
        step_id,timestamp,kind,by,text,rationale
        01-03,2026-02-20T14:30:00.000Z,insight,Maya,"'=cmd, ""x"" -- > <! --",
        01-03,2026-02-20T14:30:00.000Z,decision,User,Keep it,why
        "#);
        let again = add(&add("").unwrap()).unwrap();
        assert_eq!(again.lines().count(), 5);
        assert!(add("Requirement,User Story,Priority,Status\nFR-001,US-001,Must,Draft\n").is_err());
    }
}
