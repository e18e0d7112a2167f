//! `roundtable analyze ITEM --questions`: an answers file with every question that is still to be asked, its
//! number and the form of its answer. Filled in, it is a script.

use serde_json::{Value, json};

use super::super::exit::{Code, Fail};
use super::super::screen::Screen;
use super::super::{Global, open};
use super::AnalyzeArgs;
use crate::analysis::greeting::header;
use crate::item::step::{Depth, Prompt, Step};
use crate::run::place;
use crate::run::settings;
use crate::text::plain;

/// Prints the questions of the steps that are not completed.
pub(super) fn run(global: &Global, options: &AnalyzeArgs, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let name = place::forward(&options.item);
    let place = place::place(
        &global.workspace.settings()?,
        &repo,
        &name,
        options.commit.branch.as_deref(),
        options.commit.base.as_deref(),
    )?;
    let config = global.workspace.settings_at(&repo, place.base)?;
    let library = settings::library(&repo, place.base, &config)?;
    let path = repo.find_item(place.base, &name, &config.folders())?;
    let item = repo.item(place.base, &path)?;
    let depth = options.depth.as_deref().and_then(Depth::from_word).unwrap_or(Depth::Standard);
    let (done, phases) = (item.meta.steps_completed(), item.meta.phases_completed());
    let is_open = |step: &&Step| !done.contains(&step.id) && !phases.contains(&step.phase);
    let steps: Vec<&Step> = library.steps.iter().filter(is_open).collect();
    screen.say(&head(&plain::shown(&item.name()), place::slug(&path), depth));
    for step in &steps {
        let persona = library.cast.get(&step.persona).unwrap_or_else(|| library.cast.lead(&step.phase).0);
        screen.say(&format!("  # {}", header(persona, step)));
        screen.say(&format!("  \"{}\":", step.id));
        for prompt in step.prompts(depth) {
            screen.say(&question(&prompt));
        }
    }
    if steps.is_empty() {
        screen.say("  {}  # every step is completed");
    }
    let of = |step: &&Step| {
        let questions: Vec<Value> = step.prompts(depth).iter().map(value).collect();
        json!({"step_id": step.id, "title": step.title, "phase": step.phase, "questions": questions})
    };
    screen.json(
        &json!({"item": path, "depth": depth.to_string(), "steps": steps.iter().map(of).collect::<Vec<_>>()}),
    );
    Ok(Code::Yes)
}

fn head(name: &str, slug: &str, depth: Depth) -> String {
    format!(
        "# The questions of the analysis of {name}.\n\
         # Write each answer behind its number and hand the file back:\n\
         #   roundtable analyze {slug} --script FILE\n\
         # null leaves a question open. An answer of several lines begins with |. Steps that you take out are not\n\
         # walked. Below the numbers of a step, `menu: [text]` adds remarks, and E in it opens a discussion.\n\
         depth: {depth}\n\
         answers:"
    )
}

/// A question as comments, and its number with nothing after it.
fn question(prompt: &Prompt) -> String {
    let number = prompt.number.unwrap_or(1);
    let mut lines = vec![format!("    # {}", plain::one_line(&plain::clean(&prompt.text)))];
    lines.extend(
        prompt.probes.iter().map(|probe| format!("    #   - {}", plain::one_line(&plain::clean(probe)))),
    );
    if !prompt.form.is_empty() {
        lines.push(format!("    #   Form: {}", plain::one_line(&plain::clean(&prompt.form))));
    }
    lines.push(format!("    {number}: null"));
    lines.join("\n")
}

fn value(prompt: &Prompt) -> Value {
    json!({"number": prompt.number.unwrap_or(1), "text": prompt.text, "probes": prompt.probes, "form": prompt.form})
}
