//! What is said around the questions: greeting, welcome back, hand-over, step header, prompts,
//! reflection, progress (analysis FR-002, FR-008, FR-011, NFR-006). All of it is templates under `analysis/`;
//! what users and documents say comes in as values.

use minijinja::{Value, context};

use super::{Analysis, Beginning, Opening, Talk, phase_name};
use crate::analysis::answer_forms::acknowledges;
use crate::analysis::artifact::Known;
use crate::item::library::Library;
use crate::item::persona::Persona;
use crate::item::step::{Depth, Prompt, Step};
use crate::text::plain;
use crate::text::sentences::sentences;
use crate::text::template::Failed;

/// A few words of an answer are given back, at most this many characters.
const GIST: usize = 90;

/// A list as people write it: `a, b and c`.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What a phase is called in a greeting and a hand-over.
fn description(phase: &str) -> String {
    match phase {
        "01-requirements" => "Requirements Discovery".to_owned(),
        other => phase_name(other),
    }
}

fn render(library: &Library, name: &str, values: Value) -> Result<String, Failed> {
    library.templates.render(&format!("analysis/{name}.txt"), values)
}

fn of(persona: &Persona) -> Value {
    context! {
        key => persona.key.as_str(),
        name => persona.name.as_str(),
        first_name => persona.first_name(),
        role => persona.role.as_str(),
        identity => persona.identity.as_str(),
    }
}

/// Everything that is said before a step's prompts, a text an entry.
///
/// # Errors
/// A template that cannot be rendered.
pub fn beginning(
    analysis: &Analysis<'_>,
    beginning: &Beginning,
    known: &Known,
) -> Result<Vec<String>, Failed> {
    let library = analysis.library();
    let step = &library.steps[beginning.step];
    let mut said = Vec::new();
    if let Some(opening) = &beginning.opening {
        said.extend(opened(library, opening, step, known)?);
    }
    if beginning.says_depth {
        let depth = beginning.depth.to_string();
        let text = render(library, "depth", context! { depth })?;
        if !text.is_empty() {
            said.push(text);
        }
    }
    said.push(header(analysis.persona(step).0, step));
    Ok(said)
}

fn opened(library: &Library, opening: &Opening, step: &Step, known: &Known) -> Result<Vec<String>, Failed> {
    let lead = library.cast.lead(&step.phase).0;
    let phase = description(&step.phase);
    let mut said = Vec::new();
    if let Some(completed) = &opening.completed {
        let number = |phase: &str| phase.split('-').next().unwrap_or_default().to_owned();
        let values = context! { completed => number(completed), next => number(&step.phase) };
        said.push(render(library, "phase", values)?);
    }
    if let Some(from) = &opening.handed_over_from {
        let previous = library.cast.lead(from).0;
        let values = context! {
            previous => of(previous),
            persona => of(lead),
            done => description(from).to_lowercase(),
            from => from.as_str(),
            to => step.phase.as_str(),
            phase => phase.as_str(),
        };
        said.push(render(library, "hand-over", values)?);
    }
    if opening.introduces {
        let values = context! { persona => of(lead), phase => phase.as_str() };
        said.push(render(library, "greeting", values)?);
    }
    if let Some(from) = &opening.handed_over_from {
        let values = context! {
            persona => of(lead),
            previous => of(library.cast.lead(from).0),
            artifact => phase_name(from).to_lowercase(),
            summary => known.summary(),
        };
        said.push(render(library, "reviewed", values)?);
    }
    if let Some(recovered) = &opening.recovered {
        let elaborations: Vec<Value> = recovered
            .elaborations
            .iter()
            .map(|(id, summary)| {
                let summary = plain::shown(summary).trim_end_matches('.').to_owned();
                context! { step_id => plain::shown(id), summary }
            })
            .collect();
        let values = context! {
            persona => of(lead),
            completed => listed(&recovered.titles),
            elaborations,
            next => step.title.as_str(),
        };
        said.push(render(library, "welcome-back", values)?);
    }
    Ok(said)
}

/// `Maya Chen (Business Analyst) -- Step 01-02: User Needs Discovery`.
pub fn header(persona: &Persona, step: &Step) -> String {
    format!("{} ({}) -- Step {}: {}", persona.name, persona.role, step.id, step.title)
}

/// A prompt, with the form of its answer where it asks for one.
///
/// # Errors
/// A template that cannot be rendered.
pub fn prompt(library: &Library, prompt: &Prompt, depth: Depth, is_drafted: bool) -> Result<String, Failed> {
    if prompt.number.is_none() && depth == Depth::Brief {
        let values = context! { text => prompt.text.as_str(), form => prompt.form.as_str(), is_drafted };
        return render(library, "brief", values);
    }
    let number = prompt.number.map_or(Value::from(()), Value::from);
    render(
        library,
        "question",
        context! {
            number,
            text => prompt.text.as_str(),
            probes => prompt.probes.clone(),
            form => prompt.form.as_str(),
        },
    )
}

/// What a model has drafted, for the user to judge.
///
/// # Errors
/// A template that cannot be rendered.
pub fn drafted(
    library: &Library,
    persona: &Persona,
    lines: &[String],
    is_brief: bool,
) -> Result<String, Failed> {
    render(library, "drafted", context! { persona => of(persona), lines => lines.to_vec(), is_brief })
}

/// A brief reflection of an answer (analysis AC-NFR-006-02): its beginning, in the user's own words. `number` counts
/// the answers of the step, so that not each of them is taken up in the same way.
///
/// # Errors
/// A template that cannot be rendered.
pub fn reflection(
    library: &Library,
    persona: &Persona,
    answer: &str,
    number: usize,
) -> Result<String, Failed> {
    let text = plain::one_line(&plain::clean(answer));
    let first = sentences(&text).into_iter().next().unwrap_or(&text);
    let gist = plain::cut(first.trim_end_matches(['.', '!', '?', ';']), GIST);
    // A yes has no words to give back.
    let gist = if acknowledges(answer) { String::new() } else { gist };
    render(library, "reflection", context! { persona => of(persona), gist, number })
}

/// What the criteria of the step's validation have found, and how far the analysis is.
///
/// # Errors
/// A template that cannot be rendered.
pub fn closing(
    analysis: &Analysis<'_>,
    talk: &Talk,
    uncovered: Option<&[String]>,
) -> Result<Vec<String>, Failed> {
    let library = analysis.library();
    let step = &library.steps[talk.step];
    let (done, _) = analysis.progress();
    let is_done = |other: &&Step| other.id == step.id || done.contains(&other.id);
    let of_phase = || library.steps.iter().filter(|other| other.phase == step.phase);
    let mut said = Vec::new();
    if let Some(uncovered) = uncovered.filter(|_| !step.validation.is_empty()) {
        let values = context! { all => step.validation.len(), uncovered => uncovered.to_vec() };
        said.push(render(library, "validation", values)?);
    }
    let values = context! {
        phase => phase_name(&step.phase),
        done_in_phase => of_phase().filter(is_done).count(),
        in_phase => of_phase().count(),
        done => library.steps.iter().filter(is_done).count(),
        all => library.steps.len(),
    };
    said.push(render(library, "progress", values)?);
    Ok(said)
}
