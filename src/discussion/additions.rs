//! Typed additions: what a discussion adds to a document at a place of its own, as a value (L-6).
//!
//! A value says what is added, and at which id or heading. Its words are those of a model or a user: one line each,
//! visible. A line makes a [`Proposal`] of it; the synthesis says which proposals are kept.
//!
//! ```
//! use roundtable::discussion::additions::{Addition, Kind};
//!
//! let value = serde_json::json!({"path": "spec.md", "kind": "risk", "anchor": "5. Risks", "text": "Photos\nare lost", "turns": [4]});
//! let risk = Addition::read(&value).unwrap();
//! assert_eq!((risk.kind, risk.text.as_deref()), (Kind::Risk, Some("Photos are lost")));
//! assert!(Addition::read(&serde_json::json!({"kind": "joke"})).is_err());
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::item::layout::{self, Layout};
use crate::text::ids::ids;
use crate::text::plain::{clean, cut, one_line, shown};

/// The longest text of an addition or a field, in characters.
const LONGEST: usize = 2_000;
/// The most fields of an addition, and the most entries of a field that is a list.
const MOST: usize = 24;

/// The owner of what nobody has taken on. A persona owns nothing: there is nobody to ask.
pub const UNASSIGNED: &str = "unassigned";

/// What is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    AcceptanceCriterion,
    UserStory,
    Requirement,
    SuccessCriterion,
    Nfr,
    Risk,
    DecisionRecord,
    Error,
    Term,
    Note,
}

impl Kind {
    /// The place that a layout has for additions of the kind.
    pub fn place(self, layout: &Layout) -> Option<&layout::Proposal> {
        let places = &layout.proposals;
        match self {
            Kind::AcceptanceCriterion => &places.acceptance_criterion,
            Kind::UserStory => &places.user_story,
            Kind::Requirement => &places.requirement,
            Kind::SuccessCriterion => &places.success_criterion,
            Kind::Nfr => &places.nfr,
            Kind::Risk => &places.risk,
            Kind::DecisionRecord => &places.decision_record,
            Kind::Error => &places.error,
            Kind::Term => &places.term,
            Kind::Note => &places.note,
        }
        .as_ref()
    }

    /// Whether ids that begin with these letters can count entries of the kind. What a team calls its requirements is
    /// theirs, unless these letters count another kind.
    pub fn is_counted_by(self, letters: &str, layout: &Layout) -> bool {
        let counts = |kind: &Kind| {
            kind.place(layout).is_some_and(|place| place.ids.iter().any(|known| known == letters))
        };
        match self {
            Kind::Requirement | Kind::Nfr => {
                counts(&self) || !letters.is_empty() && !Kind::ALL.iter().any(counts)
            }
            _ => counts(&self),
        }
    }

    pub const ALL: [Kind; 10] = [
        Kind::AcceptanceCriterion,
        Kind::UserStory,
        Kind::Requirement,
        Kind::SuccessCriterion,
        Kind::Nfr,
        Kind::Risk,
        Kind::DecisionRecord,
        Kind::Error,
        Kind::Term,
        Kind::Note,
    ];

    /// The kind as recordings write it, and the name of its template.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::AcceptanceCriterion => "acceptance-criterion",
            Kind::UserStory => "user-story",
            Kind::Requirement => "requirement",
            Kind::SuccessCriterion => "success-criterion",
            Kind::Nfr => "nfr",
            Kind::Risk => "risk",
            Kind::DecisionRecord => "decision-record",
            Kind::Error => "error",
            Kind::Term => "term",
            Kind::Note => "note",
        }
    }

    /// The kind for people.
    pub const fn words(self) -> &'static str {
        match self {
            Kind::AcceptanceCriterion => "acceptance criterion",
            Kind::UserStory => "user story",
            Kind::SuccessCriterion => "success criterion",
            Kind::Nfr => "quality requirement",
            Kind::DecisionRecord => "decision record",
            other => other.name(),
        }
    }
}

/// One addition of a synthesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Addition {
    /// An artifact, within the item folder; a decision record gets a file of its own.
    pub path: String,
    pub kind: Kind,
    /// The id or the heading that it goes to.
    pub anchor: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// By the table's headers, or the parts of the kind, in snake_case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Field>,
    /// It was written in several lines, which are one here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub several_lines: bool,
    pub turns: Vec<u32>,
}

/// The field that says who proposed it, where there is no text: the kind's own, else the first of these that it has,
/// else the longest.
const MARKED: [&str; 9] =
    ["so_that", "text", "description", "meaning", "decision", "action", "title", "name", "term"];
/// Fields that name an entry: no mark is part of a name.
const NAMES: [&str; 2] = ["id", "code"];
/// How the mark of what nobody has accepted begins, after the words.
pub const PROPOSED_BY: &str = " (proposed by ";

/// What a line proposes for a document, at its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// A path, or a bare name that only one document of the item has.
    pub document: String,
    /// The id or the heading that it goes to.
    pub anchor: String,
    pub kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Field>,
    /// It was written in several lines, which are one here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub several_lines: bool,
}

impl Proposal {
    /// Its text, else its fields with their names, in one line.
    pub fn shown(&self) -> String {
        words_of(self.text.as_ref(), &self.fields)
    }

    /// Reads what a model wrote beside a line; none where it lacks a kind or words.
    pub fn read(value: &Value) -> Option<Proposal> {
        let mut value = value.as_object()?.clone();
        let document = value.remove("document")?;
        value.insert("path".to_owned(), document);
        if let Some(text) = value.get("text").and_then(Value::as_str).and_then(with_bold_subject) {
            value.insert("text".to_owned(), Value::String(text));
        }
        let addition = Addition::read(&Value::Object(value)).ok()?;
        let Addition { path: document, anchor, kind, text, fields, several_lines, .. } = addition;
        let text = text.map(|text| own_words(&text));
        Some(Proposal { document, anchor, kind, text, fields, several_lines })
    }

    /// What it adds, as it was said in a turn, marked with who proposed it unless somebody accepted it; `path` is the
    /// document that it means.
    pub fn addition(&self, path: &str, turn: u32, by: Option<&str>) -> Addition {
        let Proposal { anchor, kind, mut text, mut fields, several_lines, .. } = self.clone();
        if let Some(by) = by {
            let mark = format!("{PROPOSED_BY}{by})");
            let field = marked_field(kind, &fields).and_then(|name| fields.get_mut(&name));
            let words = text.as_mut().or_else(|| match field? {
                Field::Text(text) => Some(text),
                Field::List(list) => list.last_mut(),
            });
            match words {
                Some(words) => words.push_str(&mark),
                // It is a name alone.
                None => text = Some(mark.trim_start().to_owned()),
            }
        }
        Addition { path: path.to_owned(), kind, anchor, text, fields, several_lines, turns: vec![turn] }
    }

    /// Whether all of it is one visible line each.
    pub(super) fn is_clean(&self) -> bool {
        let is_line = |text: &str| *text == line(text);
        let is_field = |(name, field): (&String, &Field)| {
            *name == snake(name) && field.list().iter().all(|one| is_line(one))
        };
        let mut texts = [&self.document, &self.anchor].into_iter().chain(&self.text);
        texts.all(|text| is_line(text)) && self.fields.iter().all(is_field)
    }
}

/// The field that takes the mark.
fn marked_field(kind: Kind, fields: &BTreeMap<String, Field>) -> Option<String> {
    // A term is the name of its entry.
    let own = Some(snake(kind.name())).filter(|_| kind != Kind::Term);
    let known = MARKED.into_iter().take(1).chain(own.as_deref()).chain(MARKED);
    let known = known.filter(|name| fields.contains_key(*name)).map(str::to_owned).next();
    let others = fields.iter().filter(|(name, _)| !NAMES.contains(&name.as_str()));
    known.or_else(|| others.max_by_key(|(_, field)| field.text().len()).map(|(name, _)| name.clone()))
}

/// The words of an entry without the mark, number or id that it has in a list: the place gives it those of its
/// neighbours. All other words stay as they are.
fn own_words(text: &str) -> String {
    if text.starts_with('|') {
        return text.trim_end_matches(['|', ' ']).to_owned();
    }
    let entry = without_mark(text);
    let words = match entry.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
        Some((subject, rest)) if subject.ends_with(':') || rest.starts_with(':') => {
            format!("{}: {}", subject.trim_end_matches(':'), rest.trim_start_matches(':').trim_start())
        }
        _ => entry.to_owned(),
    };
    let after = words.split_once(": ").filter(|(subject, _)| is_id(subject)).map(|(_, rest)| rest.to_owned());
    after.unwrap_or(words)
}

/// A text whose first line is a heading, with that line in bold: an addition is a paragraph.
fn with_bold_subject(text: &str) -> Option<String> {
    let (first, rest) = text.trim_start().split_once('\n')?;
    let subject = first.trim_start_matches('#').strip_prefix(' ')?.trim();
    let is_heading = first.starts_with('#') && !subject.is_empty() && !rest.trim().is_empty();
    is_heading.then(|| format!("**{subject}**: {}", rest.trim_start()))
}

/// An entry without the sign or number that begins an item of a list.
fn without_mark(text: &str) -> &str {
    let digits = text.len() - text.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    let signs: &[char] = if digits > 0 { &['.', ')'] } else { &['-', '*', '+'] };
    let rest = text[digits..].strip_prefix(signs).and_then(|rest| rest.strip_prefix(' '));
    rest.map_or(text, str::trim_start)
}

/// Whether words are an id alone.
fn is_id(words: &str) -> bool {
    ids(words).next() == Some(words)
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Field {
    Text(String),
    List(Vec<String>),
}

impl Field {
    /// The words in one line.
    pub fn text(&self) -> String {
        match self {
            Field::Text(text) => text.clone(),
            Field::List(list) => list.join("; "),
        }
    }

    /// The words as a list.
    pub fn list(&self) -> Vec<String> {
        match self {
            Field::Text(text) => vec![text.clone()],
            Field::List(list) => list.clone(),
        }
    }
}

impl Addition {
    /// Reads what a model wrote.
    ///
    /// # Errors
    /// What is missing, in words that a model can act on.
    pub fn read(value: &Value) -> Result<Addition, String> {
        let text =
            |key: &str| value.get(key).and_then(Value::as_str).map(line).filter(|text| !text.is_empty());
        let said = text("kind").unwrap_or_default();
        let kind =
            Kind::ALL.into_iter().find(|kind| kind.name() == said.to_lowercase().replace([' ', '_'], "-"));
        let kind = kind.ok_or_else(|| {
            let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            format!("\"{}\" is not a kind of addition; the kinds are {}", shown(&said), kinds.join(", "))
        })?;
        let fields: BTreeMap<String, Field> = value.get("fields").map(fields).unwrap_or_default();
        let turns = value.get("turns").and_then(Value::as_array).into_iter().flatten();
        let addition = Addition {
            path: text("path").unwrap_or_default(),
            kind,
            anchor: text("anchor").unwrap_or_default(),
            text: text("text"),
            fields,
            several_lines: value.get("text").and_then(Value::as_str).is_some_and(has_several_lines),
            turns: turns.filter_map(|turn| turn.as_u64().and_then(|turn| turn.try_into().ok())).collect(),
        };
        match addition.says_something() {
            true => Ok(addition),
            false => Err(format!("an addition of the kind {} has neither text nor fields", kind.name())),
        }
    }

    fn says_something(&self) -> bool {
        self.text.is_some() || self.fields.values().any(|field| !field.text().is_empty())
    }

    /// Its text, else its fields with their names, in one line.
    pub fn shown(&self) -> String {
        words_of(self.text.as_ref(), &self.fields)
    }

    /// Whether it says who proposed it: nobody has accepted it.
    pub fn is_marked(&self) -> bool {
        let texts = self.fields.values().flat_map(Field::list).chain(self.text.clone());
        texts.into_iter().any(|text| text.ends_with(')') && text.contains(PROPOSED_BY.trim_start()))
    }

    /// Everything it says, for comparing it with the turns it names.
    pub fn words(&self) -> String {
        let fields = self.fields.values().map(Field::text);
        self.text.iter().cloned().chain(fields).collect::<Vec<_>>().join(" ")
    }
}

fn words_of(text: Option<&String>, fields: &BTreeMap<String, Field>) -> String {
    let fields = fields.iter().map(|(name, field)| format!("{}: {}", name.replace('_', " "), field.text()));
    text.into_iter().cloned().chain(fields).collect::<Vec<_>>().join("; ")
}

fn has_several_lines(text: &str) -> bool {
    text.lines().filter(|line| !line.trim().is_empty()).nth(1).is_some()
}

/// A text as a document takes it: one line, visible, not too long.
fn line(text: &str) -> String {
    cut(&one_line(&clean(text)), LONGEST)
}

/// Fields as a model writes them, by their names in snake_case.
pub(crate) fn fields(value: &Value) -> BTreeMap<String, Field> {
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(line(text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    };
    let field = |value: &Value| match value {
        Value::Array(list) => Some(Field::List(list.iter().filter_map(scalar).take(MOST).collect())),
        other => scalar(other).map(Field::Text),
    };
    // An object, or a list of names and texts where a schema allows no open objects.
    let members = value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value));
    let listed = value.as_array().into_iter().flatten();
    let listed = listed.filter_map(|one| Some((one.get("name")?.as_str()?, one.get("text")?)));
    let found = members.chain(listed).filter_map(|(key, value)| Some((snake(key), field(value)?)));
    found.filter(|(key, field)| !key.is_empty() && !field.text().is_empty()).take(MOST).collect()
}

/// A header or a key in snake_case: `Who decides?` is `who_decides`.
pub fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in clean(name).to_lowercase().chars() {
        match c {
            c if c.is_alphanumeric() => out.push(c),
            _ if !out.is_empty() && !out.ends_with('_') => out.push('_'),
            _ => {}
        }
    }
    out.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_addition_is_read_as_a_model_writes_it_and_written_as_the_contract_has_it() {
        let said = json!({
            "path": "requirements-spec.md", "kind": "user_story", "anchor": "US-001", "turns": [3, "x", -1, 7],
            "fields": {"As a": "inspector", "I want": "to see", "so that": "nothing is lost", "links": ["FR-001"], "bad": {}},
        });
        let story = Addition::read(&said).unwrap();
        assert_eq!(
            serde_json::to_string(&story).unwrap(),
            r#"{"path":"requirements-spec.md","kind":"user-story","anchor":"US-001","fields":{"as_a":"inspector","i_want":"to see","links":["FR-001"],"so_that":"nothing is lost"},"turns":[3,7]}"#
        );
        for wrong in [
            json!({}),
            json!({"kind": "note"}),
            json!({"kind": "note", "text": " ", "fields": {"a": ""}}),
            json!(7),
        ] {
            assert!(Addition::read(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_proposal_leaves_marks_and_numbers_to_its_place() {
        for (written, wanted) in [
            (
                "7. WHEN a letter is lost, THE desk SHALL print it.",
                "WHEN a letter is lost, THE desk SHALL print it.",
            ),
            ("- **FR-012**: Letters are free.", "Letters are free."),
            ("- **Letter**: What a reader gets.", "Letter: What a reader gets."),
            ("FR-001 and FR-002 need one letter.", "FR-001 and FR-002 need one letter."),
            (
                "- FR-006a: `send_letter` keeps <name> and TEXT_BLOCK.",
                "`send_letter` keeps <name> and TEXT_BLOCK.",
            ),
            ("### Lost letters\n\nThe desk prints them again.", "Lost letters: The desk prints them again."),
            ("::error::x", "::error::x"),
            ("1.5 euros a day", "1.5 euros a day"),
        ] {
            let said = json!({"document": "spec.md", "anchor": "A", "kind": "requirement", "text": written});
            assert_eq!(Proposal::read(&said).unwrap().text.as_deref(), Some(wanted));
        }
    }

    #[test]
    fn headers_are_fields_in_snake_case() {
        for (header, field) in
            [("ID", "id"), ("Who decides?", "who_decides"), ("**Target**", "target"), ("--", "")]
        {
            assert_eq!(snake(header), field);
        }
    }

    #[test]
    fn the_mark_is_in_the_words_and_never_in_a_name() {
        let marked = |kind: &str, fields: Value| {
            let said = json!({"document": "spec.md", "anchor": "x", "kind": kind, "fields": fields});
            Proposal::read(&said).unwrap().addition("spec.md", 4, Some("Jordan"))
        };
        let field = |addition: &Addition, name: &str| addition.fields[name].text();
        for (kind, fields, name) in [
            ("requirement", json!({"id": "FR-003", "text": "oranges are sent"}), "text"),
            ("error", json!({"code": "E-003", "cause": "an orange is lost", "level": "x"}), "cause"),
            ("risk", json!({"id": "R-2", "risk": "fire", "description": "it burns"}), "risk"),
            ("user-story", json!({"as_a": "reader", "i_want": "fruit", "so_that": "I eat"}), "so_that"),
            ("nfr", json!({"target": ["fast", "cheap"]}), "target"),
        ] {
            let addition = marked(kind, fields);
            assert!(
                addition.is_marked() && field(&addition, name).ends_with("(proposed by Jordan)"),
                "{addition:?}"
            );
            assert_eq!(addition.words().matches("proposed by").count(), 1, "{addition:?}");
        }
        // A name alone gets no mark: it is beside it.
        let named = marked("error", json!({"code": "E-003"}));
        assert_eq!(
            (field(&named, "code").as_str(), named.text.as_deref()),
            ("E-003", Some("(proposed by Jordan)"))
        );
    }
}
