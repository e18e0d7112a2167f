//! The forms of answers: how a round, a line and a synthesis are read, and their JSON schemas.
//!
//! An answer is read tolerantly, whatever is written around its JSON; prose alone is none. A line that cannot be read has
//! no words, and is refused as such.
//!
//! ```
//! use roundtable::voice::model::rounds::{lines, object};
//!
//! let answer = "Sure:\n```json\n{\"lines\": [{\"persona\": \"a\", \"text\": \"It waits.\"}]}\n```";
//! assert!(object(answer).is_some());
//! assert!(lines(answer, &[]).is_empty());
//! ```

use serde_json::{Map, Value, json};

use super::drafting;
use super::prompt::{AskedMessage, Seat, Want};
use crate::discussion::additions::{Kind, Proposal};
use crate::discussion::event::{Position, Rest};
use crate::discussion::points::{PointKind, Weight};
use crate::text::plain;
use crate::text::words::words;
use crate::voice::Line;
use crate::voice::names::absent_names;

/// A line of a round names at most so many passages.
const PASSAGES: usize = 24;

/// What the personas say in an answer to a block, in its order: none where one passes. A persona that the answer does
/// not have passes, too.
pub fn lines(answer: &str, block: &[AskedMessage]) -> Vec<Vec<Option<Line>>> {
    let object = object(answer);
    let list = object.as_ref().and_then(|object| object.get("lines")).and_then(Value::as_array);
    let Some(list) = list else {
        // One line may come as it would alone; of several nobody knows whose it is.
        let unread = || (!is_pass(answer)).then(|| Line::plain(""));
        return match block {
            [AskedMessage { personas, .. }] if personas.len() == 1 => vec![vec![line(answer)]],
            _ => block.iter().map(|asked| asked.personas.iter().map(|_| unread()).collect()).collect(),
        };
    };
    let said = list.iter().filter_map(Value::as_object);
    let said: Vec<_> = said.map(|one| (place_of(one, block), one)).collect();
    let line_of = |at: usize, seat: &Seat| {
        let is_theirs =
            |one: &Map<String, Value>| one.get("persona").and_then(Value::as_str) == Some(&*seat.persona);
        let found = said.iter().find(|(place, one)| *place == Some(at) && is_theirs(one));
        found.and_then(|(_, one)| of_object(one))
    };
    let lines =
        |(at, asked): (usize, &AskedMessage)| asked.personas.iter().map(|seat| line_of(at, seat)).collect();
    block.iter().enumerate().map(lines).collect()
}

/// The place in a block of the exchange that a line is for; where there is one alone, a line need not say so.
fn place_of(line: &Map<String, Value>, block: &[AskedMessage]) -> Option<usize> {
    let number = line.get("message").and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    block.iter().position(|asked| asked.message == number).or((block.len() == 1).then_some(0))
}

/// What an answer to the request for one line says; none where the persona passes.
pub fn line(answer: &str) -> Option<Line> {
    if is_pass(answer) {
        return None;
    }
    let Some(object) = object(answer) else { return Some(Line::plain("")) };
    match object.get("lines").and_then(Value::as_array) {
        Some(list) => list.first().and_then(Value::as_object).and_then(of_object),
        None => of_object(&object),
    }
}

/// Whether an answer to a request for lines is one: JSON, or that the persona passes.
pub fn is_said(answer: &str) -> bool {
    is_pass(answer) || object(answer).is_some()
}

fn is_pass(answer: &str) -> bool {
    let passes = |object: Map<String, Value>| object.get("pass").and_then(Value::as_bool) == Some(true);
    if object(answer).is_some_and(passes) {
        return true;
    }
    let bare = answer.trim().trim_matches(['"', '.', '*', '`']).trim();
    bare.eq_ignore_ascii_case("pass") || bare.is_empty()
}

/// A line with what it rests on; passages that have no place, and positions that lack a part, are left out.
fn of_object(object: &Map<String, Value>) -> Option<Line> {
    if object.get("pass").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let text = object.get("text").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let rests = object.get("rests").and_then(Value::as_array).into_iter().flatten().filter_map(rest);
    let position = object.get("position").and_then(position);
    let proposal = object.get("proposal").and_then(Proposal::read);
    let rests = rests.take(PASSAGES).collect();
    let listed = object.get("absent").and_then(Value::as_array).into_iter().flatten();
    let absent = absent_names(listed.filter_map(Value::as_str), &text);
    Some(Line { rests, position, proposal, absent, ..Line::plain(text) })
}

pub(super) fn rest(value: &Value) -> Option<Rest> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(plain::clean);
    let line = value.get("line").and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok());
    let rest = Rest { path: text("path")?, line: line.unwrap_or_default(), quote: text("quote")? };
    (!rest.path.is_empty() && !rest.quote.trim().is_empty()).then_some(rest)
}

fn position(value: &Value) -> Option<Position> {
    let text = |key: &str| {
        let text = plain::one_line(&plain::clean(value.get(key)?.as_str()?)).trim().to_owned();
        (!words(&text).is_empty()).then(|| plain::cut(&text, 200))
    };
    // None may be against whom: then it is nobody.
    let against = value.get("against").map(|_| text("against").unwrap_or_else(|| NOBODY.to_owned()));
    Some(Position { on: text("on")?, favors: text("favors")?, because: text("because")?, against })
}

/// Whom a side is against that is against no colleague's.
const NOBODY: &str = "nobody";
/// The most names that an answer may ask for, and the longest, in characters.
pub const MOST_NEEDED: usize = 24;
const LONGEST_NAME: usize = 200;

/// What an answer asks for beyond what the prompt shows: paths, and names in the code.
pub fn need(answer: &str) -> Vec<String> {
    let object = object(answer);
    let asked = object.as_ref().and_then(|object| object.get("need")).and_then(Value::as_array);
    let names = asked.into_iter().flatten().filter_map(Value::as_str);
    let names = names.map(|name| plain::cut(plain::one_line(&plain::clean(name)).trim(), LONGEST_NAME));
    names.filter(|name| !name.is_empty()).take(MOST_NEEDED).collect()
}

/// The JSON object of an answer, whatever is around it.
pub fn object(answer: &str) -> Option<Map<String, Value>> {
    match value(answer, &Value::is_object)? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// A list that an answer is, or has under this name, whatever its elements are.
pub fn list(answer: &str, name: &str) -> Option<Vec<Value>> {
    let is_list = |value: &Value| {
        value.as_array().is_some_and(|list| list.is_empty() || list.iter().any(Value::is_object))
    };
    let found = value(answer, &|value| is_list(value) || value.get(name).is_some_and(Value::is_array))?;
    match found {
        Value::Array(list) => Some(list),
        mut object => match object.get_mut(name).map(Value::take) {
            Some(Value::Array(list)) => Some(list),
            _ => None,
        },
    }
}

/// Places of an answer where a value may begin.
const MAX_BEGINNINGS: usize = 64;

/// The first JSON value of a kind that an answer is: bare, fenced, or after prose. It begins a line or ends the answer; a
/// value in the middle of a sentence is prose.
fn value(answer: &str, is_wanted: &dyn Fn(&Value) -> bool) -> Option<Value> {
    let mut at = 0;
    for _ in 0..MAX_BEGINNINGS {
        let start = at + answer[at..].find(['{', '['])?;
        let mut values = serde_json::Deserializer::from_str(&answer[start..]).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else {
            at = start + 1;
            continue;
        };
        let end = start + values.byte_offset();
        let begins_line = answer[..start].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
        let is_last = answer[end..].trim().trim_matches('`').is_empty();
        if (begins_line || is_last) && is_wanted(&value) {
            return Some(value);
        }
        at = end;
    }
    None
}

fn object_of(fields: Value) -> Value {
    let names: Vec<&String> = fields.as_object().map(|fields| fields.keys().collect()).unwrap_or_default();
    json!({"type": "object", "properties": fields, "required": names, "additionalProperties": false})
}

fn list_of(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn turns() -> Value {
    list_of(json!({"type": "integer"}))
}

/// The JSON schema of an answer (JSON Schema as both APIs take it: every field required, no others).
pub fn schema(want: &Want) -> Value {
    let (name, form) = form(want);
    match want {
        Want::Synthesis => form,
        Want::Draft { .. } => object_of(json!({ name: form })),
        _ => object_of(json!({ name: form, "need": or_null(list_of(text())) })),
    }
}

/// The name of an answer's form in the schema of all, and the form.
fn form(want: &Want) -> (&'static str, Value) {
    match want {
        Want::Points => ("points", points()),
        Want::Refute { .. } => ("refute", refute()),
        Want::Round { .. } | Want::Line { .. } => ("lines", said()),
        Want::Synthesis => ("synthesis", synthesis()),
        Want::Repair { .. } => ("repair", repair()),
        Want::Draft { .. } => ("lines", draft()),
    }
}

/// One schema for all answers of a discussion: what is not asked for is null. Services whose cache begins with the
/// schema read it again as long as it stays the same.
pub fn whole_schema() -> Value {
    object_of(json!({
        "points": or_null(points()),
        "refute": or_null(refute()),
        "lines": or_null(said()),
        "synthesis": or_null(synthesis()),
        "repair": or_null(repair()),
        "draft": or_null(draft()),
        "need": or_null(list_of(text())),
    }))
}

fn or_null(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

fn one_of<'n>(names: impl Iterator<Item = &'n str>) -> Value {
    json!({"type": "string", "enum": names.collect::<Vec<_>>()})
}

fn points() -> Value {
    list_of(object_of(json!({
        "question": text(), "quotes": rests(), "why": text(), "options": list_of(text()), "recommended": text(),
        "weight": one_of(Weight::ALL.into_iter().map(Weight::name)),
        "kind": one_of(PointKind::ALL.into_iter().map(PointKind::name)),
    })))
}

fn refute() -> Value {
    list_of(object_of(json!({"on": {"type": "integer"}, "answer": text(), "quotes": rests()})))
}

fn said() -> Value {
    let position =
        object_of(json!({"on": text(), "favors": text(), "because": text(), "against": or_null(text())}));
    let proposal = object_of(json!({
        "document": text(), "anchor": text(), "kind": one_of(Kind::ALL.into_iter().map(Kind::name)),
        "text": text(), "fields": fields_of(),
    }));
    list_of(object_of(json!({
        "message": or_null(json!({"type": "integer"})),
        "persona": text(),
        "pass": {"type": "boolean"},
        "text": text(),
        "rests": rests(),
        "position": or_null(position),
        "proposal": or_null(proposal),
        "absent": list_of(text()),
    })))
}

fn rests() -> Value {
    list_of(object_of(json!({"path": text(), "line": {"type": "integer"}, "quote": text()})))
}

/// Schemas of both APIs know no open objects: a field is a name and its text.
fn fields_of() -> Value {
    list_of(object_of(json!({"name": text(), "text": text()})))
}

fn draft() -> Value {
    list_of(object_of(json!({
        "kind": one_of(drafting::Kind::ALL.iter().map(|(_, name)| *name)), "text": text(), "fields": fields_of(),
        "anchor": text(), "rests": rests(),
    })))
}

fn synthesis() -> Value {
    object_of(json!({
        "insights": list_of(object_of(json!({"text": text(), "by": list_of(text()), "turns": turns(), "rests": rests()}))),
        "decisions": list_of(object_of(
            json!({"turn": {"type": "integer"}, "text": text(), "answers": or_null(json!({"type": "integer"})), "accepts": or_null(text())}),
        )),
        "open_questions": list_of(object_of(json!({"text": text(), "context": text(), "turns": turns()}))),
        "action_items": list_of(object_of(json!({"text": text(), "by": text(), "turns": turns()}))),
        "proposals": turns(),
        "need": or_null(list_of(text())),
    }))
}

fn repair() -> Value {
    list_of(object_of(json!({"on": text(), "drop": {"type": "boolean"}, "text": text(), "rests": rests()})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_in_whatever_it_is_wrapped() {
        let said = |answer: &str| line(answer).map(|line| line.text);
        for (answer, wanted) in [
            ("Sorry, I cannot help with that.", ""),
            (r#"{"pass": false, "text": "The queue waits."}"#, "The queue waits."),
            ("```json\n{\"text\": \"It waits.\"}\n```", "It waits."),
            (r#"{"lines": [{"persona": "a", "text": "It waits."}]}"#, "It waits."),
            ("It takes {\"a\": 1} as input.", ""),
            ("I looked at FR-001 [1]. {\"text\": \"It waits.\"}", "It waits."),
            ("Sure:\n\n{\"text\": \"It waits.\"}\n\nShall I go on?", "It waits."),
            ("Sure:\n{\"text\": \"cut o", ""),
            (r#"{"text": "cut o"#, ""),
            (r#"{"pass": false}"#, ""),
            ("[1]", ""),
            ("```json\n{", ""),
            (r#"{"text": 7}"#, ""),
        ] {
            assert_eq!(said(answer).as_deref(), Some(wanted), "{answer}");
        }
        for pass in ["PASS", " pass. ", "\"Pass\"", r#"{"pass": true, "text": "x"}"#, "", "  "] {
            assert_eq!(said(pass), None, "{pass}");
        }
    }

    fn asked(message: Option<usize>, keys: &[&str]) -> AskedMessage {
        let seat = |key: &&str| Seat { persona: (*key).to_owned(), purpose: "round".to_owned(), owed: false };
        AskedMessage { message, by: None, text: None, personas: keys.iter().map(seat).collect() }
    }

    fn block(keys: &[&str]) -> Vec<AskedMessage> {
        vec![asked(None, keys)]
    }

    #[test]
    fn a_line_is_of_the_message_that_it_names() {
        let block = [asked(None, &["a"]), asked(Some(0), &["a", "b"]), asked(Some(1), &["a"])];
        let answer = r#"{"lines": [{"message": 1, "persona": "a", "text": "Second."}, {"message": null, "persona": "a", "text": "Opening."},
            {"message": 0, "persona": "b", "text": "First."}, {"message": 7, "persona": "a", "text": "Nowhere."}]}"#;
        let said = lines(answer, &block);
        let texts: Vec<Vec<Option<&str>>> = said
            .iter()
            .map(|lines| lines.iter().map(|line| line.as_ref().map(|line| line.text.as_str())).collect())
            .collect();
        assert_eq!(texts, [vec![Some("Opening.")], vec![None, Some("First.")], vec![Some("Second.")]]);
    }

    #[test]
    fn a_round_has_a_line_for_each_key_and_none_for_others() {
        let answer = r#"{"lines": [
            {"persona": "b", "text": "Two.", "rests": [{"path": "a.md", "line": 3, "quote": "x"}, {"path": "a.md"}, 7],
             "position": {"on": "storage", "favors": "one file", "because": "it is small"}},
            {"persona": "c", "text": "Three."}, {"persona": "a", "pass": true}, {"persona": "b", "text": "Again."}]}"#;
        let said = lines(answer, &block(&["a", "b", "d"]));
        assert_eq!((said[0][0].is_none(), said[0][2].is_none()), (true, true));
        let line = said[0][1].as_ref().unwrap();
        assert_eq!((line.text.as_str(), line.rests.len(), line.rests[0].line), ("Two.", 1, 3));
        assert_eq!(line.position.as_ref().unwrap().favors, "one file");
        // Prose is nobody's line.
        assert_eq!(lines("It waits.", &block(&["a"]))[0][0].as_ref().unwrap().text, "");
        let of_two = lines("It waits.", &block(&["a", "b"]));
        assert!(of_two[0].iter().all(|line| line.as_ref().unwrap().text.is_empty()));
        assert!(lines("PASS", &block(&["a", "b"]))[0].iter().all(Option::is_none));
    }

    #[test]
    fn a_list_is_read_bare_fenced_or_after_prose() {
        for answer in [
            r#"[{"on": 0}]"#,
            r#"{"refute": [{"on": 0}], "need": ["a"]}"#,
            "Point [0] is answered:\n[{\"on\": 0}]",
            "Point [0] is answered by {x}: {\"refute\": [{\"on\": 0}]}",
            "As asked:\n```json\n[{\"on\": 0}]\n```\nNothing else.",
        ] {
            assert_eq!(list(answer, "refute").map(|list| list.len()), Some(1), "{answer}");
        }
        for answer in ["none", "[1, 2]", r#"{"points": []}"#, "[{\"on\": 0}"] {
            assert_eq!(list(answer, "refute"), None, "{answer}");
        }
        assert_eq!(list(r#"{"refute": []}"#, "refute"), Some(vec![]));
    }

    #[test]
    fn what_an_answer_asks_for_is_a_short_list_of_names() {
        let asked = need(
            "Sure:\n```json\n{\"lines\": [], \"need\": [\"src/x.js\", \" pushAnswer\\n\", \"\", 7]}\n```",
        );
        assert_eq!(asked, ["src/x.js", "pushAnswer"]);
        let many = json!({ "need": vec!["a".repeat(900); 40] }).to_string();
        assert!(need(&many).len() == MOST_NEEDED && need(&many)[0].chars().count() <= LONGEST_NAME);
        for none in ["{\"need\": null}", "{\"need\": \"x\"}", "[1]", "need", "{\"points\": []}"] {
            assert_eq!(need(none), Vec::<String>::new(), "{none}");
        }
    }

    #[test]
    fn a_list_is_bare_or_has_its_name() {
        for answer in ["[{\"on\": \"insights/0\"}]", "```json\n{\"repair\": [{\"on\": \"insights/0\"}]}\n```"]
        {
            assert_eq!(list(answer, "repair").unwrap().len(), 1, "{answer}");
        }
        assert_eq!(list("none", "repair"), None);
        assert_eq!(list("{\"repair\": null}", "repair"), None);
    }
}
