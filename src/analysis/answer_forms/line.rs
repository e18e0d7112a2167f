//! A form on one line: a label, what it is about, and fields after vertical bars.

use super::{Fact, Label, acknowledges, id_list, is_id};
use crate::text::finding::did_you_mean;

/// What a line is.
pub(super) enum FormLine {
    /// A form, or several that semicolons part.
    Facts(Vec<Fact>),
    /// `Links: FR-001, FR-002`
    Links(Vec<String>),
    /// It begins like a form, and is none.
    Problem(String),
    Note,
}

/// A label with a colon after it, the form it opens, and the fields it may have: names and other names.
struct Spelling {
    words: &'static [&'static str],
    label: Label,
}

const SPELLINGS: [Spelling; 9] = [
    Spelling { words: &["FR"], label: Label::Requirement },
    Spelling { words: &["NFR"], label: Label::Quality },
    Spelling { words: &["RISK"], label: Label::Risk },
    Spelling { words: &["FLOW"], label: Label::Flow },
    Spelling { words: &["TERM"], label: Label::Term },
    Spelling { words: &["MUST", "MUSTS", "MUST HAVE"], label: Label::Priority(0) },
    Spelling { words: &["SHOULD", "SHOULDS", "SHOULD HAVE"], label: Label::Priority(1) },
    Spelling { words: &["COULD", "COULDS", "COULD HAVE"], label: Label::Priority(2) },
    Spelling {
        words: &["WON'T", "WON’T", "WONT", "WON'TS", "WON'T HAVE", "WON’T HAVE"],
        label: Label::Priority(3),
    },
];

/// The fields of a form: the name and what else it may be called.
pub(super) const fn fields(label: Label) -> &'static [(&'static str, &'static [&'static str])] {
    match label {
        Label::Quality => &[
            ("target", &["number", "goal"]),
            ("measure", &["measured", "how measured", "verified by", "verification"]),
            ("conditions", &["condition", "when"]),
        ],
        Label::Risk => &[
            ("likelihood", &["probability"]),
            ("impact", &[]),
            ("owner", &[]),
            ("answer", &["mitigation", "response"]),
        ],
        Label::Operation => &[("errors", &["error"]), ("limits", &["limit"]), ("idempotent", &["repeat"])],
        Label::Error => &[("action", &["what the caller does"]), ("retry", &["retries"]), ("log", &[])],
        Label::Priority(_) => &[("why", &["reason"])],
        _ => &[],
    }
}

/// The class of a priority's word.
pub(super) fn class(word: &str) -> Option<usize> {
    let word = word.trim().to_uppercase();
    SPELLINGS.iter().find_map(|spelling| match spelling.label {
        Label::Priority(class) if spelling.words.contains(&word.as_str()) => Some(class),
        _ => None,
    })
}

pub(super) fn read(line: &str, asked: &[Label]) -> FormLine {
    let text = without_marker(line);
    if let Some(ids) = links(text) {
        return FormLine::Links(ids);
    }
    let parts: Vec<&str> = text.split("; ").collect();
    if parts.len() > 1 {
        let facts: Vec<Fact> = parts.iter().filter_map(|part| form(part).ok().flatten()).collect();
        if facts.len() == parts.len() {
            return FormLine::Facts(facts);
        }
    }
    match form(text) {
        Ok(Some(fact)) => FormLine::Facts(vec![fact]),
        Err(why) => FormLine::Problem(why),
        Ok(None) => {
            let is_item = text.len() < line.trim().len();
            let found = asked.iter().find_map(|label| unlabelled(text, *label, is_item));
            found.map_or(FormLine::Note, |fact| FormLine::Facts(vec![fact]))
        }
    }
}

/// A line without the marker of a list.
pub fn without_marker(line: &str) -> &str {
    let line = line.trim();
    let bare = ["- ", "* ", "• "].iter().find_map(|marker| line.strip_prefix(marker));
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (number.len() < line.len())
        .then(|| number.strip_prefix(". ").or_else(|| number.strip_prefix(") ")))
        .flatten();
    bare.or(numbered).unwrap_or(line).trim()
}

/// What a question's form shows (`` `FR: what the system does` ``) asks for.
pub fn asked_by(form: &str) -> Vec<Label> {
    let shown = form.split('`').skip(1).step_by(2);
    let label = |text: &str| {
        let (word, _) = text.split_once([':', ' '])?;
        SPELLINGS.iter().find(|spelling| spelling.words.contains(&word.to_uppercase().as_str())).map_or_else(
            || match word {
                "MODULE" => Some(Label::Module),
                "OP" => Some(Label::Operation),
                "ERROR" => Some(Label::Error),
                "Decision" => Some(Label::Decision),
                _ => None,
            },
            |spelling| Some(spelling.label),
        )
    };
    shown.filter_map(label).collect()
}

fn links(text: &str) -> Option<Vec<String>> {
    let (word, rest) = text.split_once(':')?;
    matches!(word.trim().to_lowercase().as_str(), "links" | "link" | "serves").then(|| id_list(rest))?
}

/// A line that carries its label.
///
/// # Errors
/// Why a line that begins like a form is none.
fn form(text: &str) -> Result<Option<Fact>, String> {
    if let Some((id, rest)) = with_id(text) {
        let label = if id.starts_with('N') { Label::Quality } else { Label::Requirement };
        return Ok(with_fields(label, rest)?.map(|fact| Fact { id: Some(id.to_owned()), ..fact }));
    }
    for (word, label) in [("MODULE ", Label::Module), ("OP ", Label::Operation), ("ERROR ", Label::Error)] {
        if let Some(rest) = text.strip_prefix(word) {
            return with_fields(label, rest);
        }
    }
    let Some((word, rest)) = text.split_once(':') else { return Ok(None) };
    let word = word.trim_matches(['*', '_', ' ']).to_uppercase();
    let found = SPELLINGS.iter().find(|spelling| spelling.words.contains(&word.as_str()));
    let Some(spelling) = found else { return Ok(None) };
    with_fields(spelling.label, rest.trim_start_matches(['*', '_']))
}

/// `FR-003: …`, the id in bold or not.
fn with_id(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(['*', '_']);
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(text.len());
    let (id, rest) = text.split_at(end);
    let rest = rest.trim_start_matches(['*', '_']);
    let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix(" - "))?;
    is_id(id).then_some((id, rest.trim_start_matches(['*', '_'])))
}

/// A form's text and fields.
fn with_fields(label: Label, rest: &str) -> Result<Option<Fact>, String> {
    let mut parts = rest.split('|').map(str::trim);
    let head = parts.next().unwrap_or_default();
    let mut fact = match shaped(label, head) {
        Some(fact) => fact,
        None if head.is_empty() => return Ok(None),
        None => return Err(format!("{} is not of the form {}", quoted(head), shape(label))),
    };
    let known = fields(label);
    for part in parts.filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once(':').unwrap_or((part, ""));
        let key = key.trim().to_lowercase();
        let found = known.iter().find(|(name, others)| *name == key || others.contains(&key.as_str()));
        let Some((name, _)) = found else {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let hint = did_you_mean(&key, &names);
            let all = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(format!(
                "{} is not a field of {}{hint} (its fields: {all})",
                quoted(&key),
                shape(label)
            ));
        };
        if !value.trim().is_empty() {
            fact.fields.insert(name, value.trim().to_owned());
        }
    }
    Ok(Some(fact))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", crate::text::plain::cut(&crate::text::plain::shown(text), 60))
}

/// A form as people write it.
pub(super) const fn shape(label: Label) -> &'static str {
    match label {
        Label::Requirement => "`FR: …`",
        Label::Quality => "`NFR: … | target: … | measure: …`",
        Label::Story => "`As a …, I want …, so that …`",
        Label::Criterion => "`FR-001: Given … when … then …`",
        Label::Priority(_) => "`Must: FR-001, FR-002`",
        Label::Module => "`MODULE name: …`",
        Label::Operation => "`OP name(input) -> output | errors: …`",
        Label::Error => "`ERROR CODE: … | action: …`",
        Label::Risk => "`RISK: … | likelihood: … | impact: … | owner: …`",
        Label::Flow => "`FLOW: a -> b: data`",
        Label::Term => "`TERM: word = meaning`",
        Label::Decision => "`Decision: … because …`",
    }
}

/// What a form is about, in the shape that it has; none where the text has another.
pub(super) fn shaped(label: Label, head: &str) -> Option<Fact> {
    let head = head.trim();
    if head.is_empty() {
        return None;
    }
    let mut fact = Fact::new(label, head);
    let mut pair = |text: &str, name, value: &str| {
        (fact.text, _) = (text.trim().to_owned(), fact.fields.insert(name, value.trim().to_owned()));
        !text.trim().is_empty() && !value.trim().is_empty()
    };
    let is_shaped = match label {
        Label::Module => {
            let (name, duty) = head.split_once(':')?;
            pair(name, "duty", duty) && name.split_whitespace().count() <= 4
        }
        Label::Error => {
            let (code, cause) = head.split_once(':')?;
            pair(code, "cause", cause) && !code.trim().contains(char::is_whitespace)
        }
        Label::Term => {
            let (term, meaning) = head.split_once('=').or_else(|| head.split_once(':'))?;
            pair(term, "meaning", meaning)
        }
        Label::Operation => return operation(head),
        Label::Flow => return flow(head),
        Label::Priority(_) => {
            priority(head, &mut fact);
            true
        }
        Label::Decision | Label::Story | Label::Criterion => false,
        Label::Requirement | Label::Quality | Label::Risk => true,
    };
    is_shaped.then_some(fact)
}

/// `name(input) -> output`.
fn operation(head: &str) -> Option<Fact> {
    let (call, output) = head.split_once("->").or_else(|| head.split_once('→'))?;
    let (name, input) = call.split_once('(')?;
    let (input, after) = input.rsplit_once(')')?;
    let name = name.trim();
    let is_name = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '/'));
    let mut fact = Fact::new(Label::Operation, name);
    for (key, value) in [("input", input), ("output", output)] {
        fact.fields.insert(key, value.trim().to_owned());
    }
    (is_name && after.trim().is_empty() && !output.trim().is_empty()).then_some(fact)
}

/// `a -> b -> c: data`.
fn flow(head: &str) -> Option<Fact> {
    let head = head.replace('→', "->");
    let (path, data) = match head.rsplit_once("->") {
        Some((before, last)) => match last.split_once(':') {
            Some((station, data)) => (format!("{before}->{station}"), data),
            None => (head.clone(), ""),
        },
        None => return None,
    };
    let mut fact = Fact::new(Label::Flow, &path);
    if !data.trim().is_empty() {
        fact.fields.insert("data", data.trim().to_owned());
    }
    fact.stations().iter().all(|station| !station.is_empty()).then_some(fact)
}

/// Ids, and then words where it names something that has none: `Won't: card payment`.
fn priority(head: &str, fact: &mut Fact) {
    fact.text.clear();
    if let Some(ids) = id_list(head) {
        fact.links = ids;
    } else if let Some((ids, why)) = head.split_once(" because ").and_then(|(a, b)| Some((id_list(a)?, b))) {
        fact.links = ids;
        fact.fields.insert("why", why.trim().to_owned());
    } else {
        fact.text = head.to_owned();
    }
}

/// An answer to a question that asks for exactly this form, without its label. Free text has to be an item
/// of a list; what has a shape of its own may be a line.
fn unlabelled(text: &str, label: Label, is_item: bool) -> Option<Fact> {
    if acknowledges(text) || super::is_unknown(text) || text.ends_with('?') {
        return None;
    }
    let has_own_shape = match label {
        Label::Operation => true,
        Label::Error => text.split(':').next().is_some_and(is_code),
        _ => false,
    };
    let is_free = matches!(
        label,
        Label::Requirement | Label::Quality | Label::Risk | Label::Term | Label::Module | Label::Flow
    );
    (has_own_shape || is_item && is_free).then(|| with_fields(label, text).ok().flatten()).flatten()
}

/// `NO_READER`.
fn is_code(word: &str) -> bool {
    word.len() >= 3
        && word.contains(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
}
