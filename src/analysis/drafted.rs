//! What a model's draft comes to: lines for people, and, once a user has confirmed them, the same forms that a person
//! would have written.
//!
//! A draft decides nothing and defines nothing by itself. Until somebody says yes, its lines are in the artifacts as
//! drafted; with the yes, what has a form becomes a requirement, a story, an operation, and gets its id.

use crate::discussion::event::Rest;
use crate::item::step::Step;
use crate::text::plain;
use crate::voice::model::drafting::{DraftLine, Kind};

use super::answer_forms;
use super::artifact::draft::named;

/// What a model drafted of a step, and who has confirmed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drafted {
    pub voice: String,
    pub lines: Vec<DraftLine>,
    pub confirmed_by: Option<String>,
}

/// The kinds of lines that a step's artifacts have a place for.
pub fn wanted(step: &Step) -> Vec<Kind> {
    let parts = named(step);
    let writes = |file: &str| step.outputs.iter().any(|output| output.trim_end_matches('/') == file);
    let speaks = |word: &str| {
        parts.iter().any(|part| format!("{} {}", part.name, part.about).to_lowercase().contains(word))
    };
    let mut kinds = vec![Kind::Summary, Kind::Verdict, Kind::Note];
    let more: [(bool, &[Kind]); 9] = [
        (speaks("functional requirement"), &[Kind::Requirement, Kind::AcceptanceCriterion]),
        (writes("user-stories.json"), &[Kind::UserStory, Kind::AcceptanceCriterion]),
        (writes("nfr-matrix.md"), &[Kind::Nfr]),
        (speaks("risk"), &[Kind::Risk]),
        (speaks("glossary") || step.phase.starts_with("01-"), &[Kind::Term]),
        (step.phase.starts_with("03-") || speaks("option"), &[Kind::Option]),
        (writes("module-designs"), &[Kind::Module, Kind::Structure, Kind::Operation]),
        (writes("interface-spec.yaml"), &[Kind::Structure, Kind::Operation, Kind::Error]),
        (writes("data-flow.md") || writes("error-taxonomy.md"), &[Kind::Flow, Kind::Error]),
    ];
    for kind in more.into_iter().filter(|(is, _)| *is).flat_map(|(_, kinds)| kinds) {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    kinds
}

impl Drafted {
    /// Its lines with what they rest on, for a person to judge.
    pub fn shown(&self) -> Vec<String> {
        self.lines.iter().map(|line| format!("{} ({})", words(line), resting(&line.rests))).collect()
    }

    /// The lines that stay text once the draft is confirmed: those that have no form.
    pub fn notes(&self) -> Vec<String> {
        let notes = self.lines.iter().filter(|line| form(line).is_none());
        notes.map(|line| format!("{} ({})", words(line), resting(&line.rests))).collect()
    }

    /// The lines that have a form, written in it.
    pub fn forms(&self) -> String {
        self.lines.iter().filter_map(form).collect::<Vec<String>>().join("\n")
    }

    /// The goals of the step that it finds unmet, as questions.
    pub fn unmet(&self) -> Vec<String> {
        let unmet = self.lines.iter().filter(|line| line.kind == Kind::Verdict && !is_met(line));
        unmet
            .map(|line| match field(line, "because").as_str() {
                "" => field(line, "criterion"),
                because => format!("{} ({because})", field(line, "criterion")),
            })
            .filter(|text| !text.is_empty())
            .collect()
    }
}

/// Whether a verdict says yes; a doubtful one does not.
fn is_met(line: &DraftLine) -> bool {
    let said = field(line, "verdict").to_lowercase();
    ["met", "fully met", "yes", "fulfilled", "satisfied"].contains(&said.trim_end_matches('.'))
}

/// A field on one line, without the bar that parts the fields of a form.
fn field(line: &DraftLine, name: &str) -> String {
    let text = line.fields.get(name).map(|field| field.text()).unwrap_or_default();
    plain::one_line(&text.replace('|', "/"))
}

fn text(line: &DraftLine) -> String {
    plain::one_line(&line.text.clone().unwrap_or_default().replace('|', "/"))
}

/// ` | name: value` for each field that says something.
fn with_fields(line: &DraftLine, lead: String, names: &[&str]) -> String {
    let told = names.iter().map(|name| (name, field(line, name))).filter(|(_, value)| !value.is_empty());
    told.fold(lead, |form, (name, value)| format!("{form} | {name}: {value}"))
}

/// The line as a person would write it in its form; none where its kind has no form, or where something that the form
/// needs is missing.
fn form(line: &DraftLine) -> Option<String> {
    let of = |name: &str| Some(field(line, name)).filter(|text| !text.is_empty());
    let anchor = line.anchor.as_deref().unwrap_or_default();
    let text = Some(text(line)).filter(|text| !text.is_empty());
    let form = match line.kind {
        Kind::Requirement => format!("FR: {}", text?),
        Kind::Nfr => with_fields(line, format!("NFR: {}", text?), &["target", "measure"]),
        Kind::UserStory => {
            let links =
                if answer_forms::is_id(anchor) { format!("\nLinks: {anchor}") } else { String::new() };
            format!("As a {}, I want {}, so that {}.{links}", of("as_a")?, of("i_want")?, of("so_that")?)
        }
        Kind::AcceptanceCriterion if answer_forms::is_id(anchor) => format!("{anchor}: {}", text?),
        // Below the story or requirement that was drafted before it.
        Kind::AcceptanceCriterion if anchor.is_empty() => text?,
        Kind::Risk => {
            with_fields(line, format!("RISK: {}", of("risk").or(text)?), &["likelihood", "impact", "owner"])
        }
        Kind::Module => format!("MODULE {}: {}", name_of(line)?, of("purpose")?),
        Kind::Operation => {
            let module = of("module").map(|module| format!("{module}.")).unwrap_or_default();
            let lead = format!(
                "OP {module}{}({}) -> {}",
                name_of(line)?,
                field(line, "input").trim_matches(['(', ')']),
                of("output")?
            );
            with_fields(line, lead, &["errors"])
        }
        Kind::Error => with_fields(line, format!("ERROR {}: {}", of("code")?, of("when")?), &["action"]),
        Kind::Flow => format!("FLOW: {} -> {}: {}", of("from")?, of("to")?, of("data")?),
        Kind::Term => format!("TERM: {} = {}", of("term")?, of("meaning")?),
        _ => return None,
    };
    let said = answer_forms::read(&form, &[]);
    // A criterion belongs to the line above it; anything else must be read as what it is.
    let is_below = line.kind == Kind::AcceptanceCriterion && anchor.is_empty();
    (is_below || said.notes.is_empty() && !said.facts.is_empty()).then_some(form)
}

/// A name that is one word.
fn name_of(line: &DraftLine) -> Option<String> {
    Some(field(line, "name")).filter(|name| !name.is_empty() && !name.contains(' '))
}

/// A line for people, whatever its kind.
fn words(line: &DraftLine) -> String {
    let of = |name: &str| field(line, name);
    let told = match line.kind {
        Kind::Verdict => format!("{}: {}, because {}", of("criterion"), of("verdict"), of("because")),
        Kind::Option => format!("Option {}. For: {}. Against: {}", of("option"), of("for"), of("against")),
        Kind::Structure => format!("Structure {}: {}", of("name"), of("holds")),
        Kind::DecisionRecord => format!(
            "Record \"{}\". Context: {}. Options: {}. Consequences: {}",
            of("title"),
            of("context"),
            of("options"),
            of("consequences")
        ),
        _ => match form(line) {
            Some(form) => plain::one_line(&form),
            None => {
                let fields = line.fields.keys().map(|name| format!("{name}: {}", of(name)));
                let text = Some(text(line)).filter(|text| !text.is_empty());
                text.into_iter().chain(fields).collect::<Vec<String>>().join("; ")
            }
        },
    };
    match line.anchor.as_deref() {
        Some(anchor) if !told.contains(anchor) => format!("{}: {told}", plain::one_line(anchor)),
        _ => told,
    }
}

/// `answer 2; src/fees.rs:12`.
fn resting(rests: &[Rest]) -> String {
    let place = |rest: &Rest| match rest.path.strip_prefix("answers/") {
        Some(number) => format!("answer {number}"),
        None => format!("{}:{}", plain::shown(&rest.path), rest.line),
    };
    let mut places: Vec<String> = Vec::new();
    for rest in rests {
        let place = place(rest);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::answer_forms::Label;
    use serde_json::json;

    fn line(kind: &str, fields: serde_json::Value) -> DraftLine {
        let rests = json!([{"path": "answers/2", "line": 1, "quote": "x"}, {"path": "src/a.rs", "line": 7, "quote": "y"}]);
        let mut value = json!({"kind": kind, "rests": rests});
        for (key, field) in fields.as_object().unwrap() {
            value[key] = field.clone();
        }
        serde_json::from_value(value).unwrap()
    }

    fn drafted(lines: Vec<DraftLine>) -> Drafted {
        Drafted { voice: "openai".into(), lines, confirmed_by: None }
    }

    #[test]
    fn lines_become_the_forms_that_a_person_writes() {
        let draft = drafted(vec![
            line("requirement", json!({"text": "The system sums | all fees"})),
            line(
                "acceptance-criterion",
                json!({"text": "Given two fees, when the sum is shown, then it is their total"}),
            ),
            line(
                "nfr",
                json!({"text": "the sum is shown", "fields": {"target": "2 seconds", "measure": "load test"}}),
            ),
            line(
                "user-story",
                json!({"anchor": "FR-001", "fields": {"as_a": "reader", "i_want": "one letter", "so_that": "I pay once"}}),
            ),
            line(
                "risk",
                json!({"fields": {"risk": "wrong letters", "likelihood": "low", "owner": "unassigned"}}),
            ),
            line("module", json!({"fields": {"name": "fee-sum", "purpose": "adds open fees"}})),
            line(
                "operation",
                json!({"fields": {"module": "fee-sum", "name": "sum", "input": "reader: Id", "output": "Cents", "errors": "NO_READER"}}),
            ),
            line(
                "error",
                json!({"fields": {"code": "NO_READER", "when": "the id is unknown", "action": "ask again"}}),
            ),
            line("flow", json!({"fields": {"from": "lending", "to": "fee-sum", "data": "open fees"}})),
            line("term", json!({"fields": {"term": "waiver", "meaning": "a fee that nobody collects"}})),
            line("option", json!({"fields": {"option": "A", "for": "cheap", "against": "slow"}})),
        ]);
        let said = answer_forms::read(&draft.forms(), &[]);
        assert_eq!((said.notes.len(), said.problems.len()), (0, 0), "{said:?}");
        let labels: Vec<Label> = said.facts.iter().map(|fact| fact.label).collect();
        let wanted = [
            Label::Requirement,
            Label::Quality,
            Label::Story,
            Label::Risk,
            Label::Module,
            Label::Operation,
            Label::Error,
            Label::Flow,
            Label::Term,
        ];
        assert_eq!(labels, wanted);
        assert_eq!(said.facts[0].criteria.len(), 1);
        assert_eq!(said.facts[2].links, ["FR-001"]);
        assert_eq!(draft.notes(), ["Option A. For: cheap. Against: slow (answer 2; src/a.rs:7)"]);
        assert_eq!(draft.shown().len(), 11);
    }

    #[test]
    fn what_lacks_something_stays_a_note() {
        let draft = drafted(vec![
            line("module", json!({"fields": {"name": "two words", "purpose": "x"}})),
            line("operation", json!({"fields": {"name": "sum"}})),
            line("acceptance-criterion", json!({"anchor": "US-001", "text": "Given a, when b, then c"})),
        ]);
        assert_eq!((draft.forms().as_str(), draft.notes().len()), ("", 3));
        assert!(draft.notes()[2].starts_with("US-001: Given a"), "{:?}", draft.notes());
    }

    #[test]
    fn only_a_verdict_that_says_yes_is_met() {
        let verdict = |verdict: &str| {
            line(
                "verdict",
                json!({"fields": {"criterion": "Each rule is named.", "verdict": verdict, "because": "one is not"}}),
            )
        };
        let open = |said: &str| drafted(vec![verdict(said)]).unmet();
        for met in ["met", "Yes", "Fully met."] {
            assert_eq!(open(met), Vec::<String>::new(), "{met}");
        }
        for unmet in ["not met", "partly met", "", "unclear"] {
            assert_eq!(open(unmet), ["Each rule is named. (one is not)"], "{unmet}");
        }
    }

    #[test]
    fn a_step_takes_the_kinds_that_its_artifacts_have_a_place_for() {
        let library = crate::item::library::Library::built_in().unwrap();
        let kinds = |id: &str| wanted(library.step(id).unwrap());
        assert!(kinds("01-06").contains(&Kind::Requirement) && !kinds("01-06").contains(&Kind::Module));
        assert!(kinds("01-07").contains(&Kind::UserStory) && kinds("01-05").contains(&Kind::Nfr));
        assert!(kinds("03-01").contains(&Kind::Option) && kinds("04-02").contains(&Kind::Operation));
        assert!(kinds("04-04").contains(&Kind::Error) && kinds("02-03").contains(&Kind::Risk));
    }
}
