//! `roundtable analyze ITEM --plan`: what a model would be sent at the next step that has one, before anything is.

use serde_json::json;

use super::super::elaborate;
use super::super::exit::{Code, Fail};
use super::super::screen::Screen;
use super::super::{Global, open};
use super::{AnalyzeArgs, AnalyzeRequest};
use crate::analysis::depth;
use crate::analysis::plan::{Progress, plan};
use crate::analysis::skip::Facts;
use crate::discussion::turn_limit::TURNS_AT_A_MENU;
use crate::item::Item;
use crate::item::config::Config;
use crate::item::library::Library;
use crate::item::step::{Depth, Step};
use crate::run;
use crate::run::analyze::check_script;
use crate::run::place;
use crate::run::script::{Input, Script};
use crate::run::settings;
use crate::run::voices::{self, Choice};
use crate::run::{RunRequest, set_up};

/// Shows the plan. The answers to the step's questions are known where the script has them; they are what a discussion
/// of the step hears here, and what its evidence is looked for with.
pub(super) fn run(global: &Global, options: &AnalyzeArgs, screen: &Screen) -> Result<Code, Fail> {
    let task = options.task(global)?;
    let repo = open(global)?;
    let settings = global.workspace.settings()?;
    let place =
        place::place(&settings, &repo, &task.run.item, task.run.branch.as_deref(), task.run.base.as_deref())?;
    let config = global.workspace.settings_at(&repo, place.base)?;
    let trusted = settings.trusted(&repo, &place, &config)?;
    let library = settings::library(&repo, place.base, &config)?;
    let path = repo.find_item(place.base, &task.run.item, &config.folders())?;
    let item = repo.item(place.base, &path)?;
    check_script(&task.run.script, &library, screen)?;
    let Some(step) = next_with_a_model(&item, &library, &task, &trusted)? else {
        voices::needs_a_model(&task.run.voice)?;
        screen.say("No model speaks at any step that is left: nothing would be sent (--plan).");
        screen.json(&json!({"item": path, "step_id": null, "requests": 0}));
        return Ok(Code::Yes);
    };
    let depth = task.depth.or(task.run.script.depth).or_else(|| item.meta.depth(&step.phase));
    let script = answers(&task.run.script, step, depth.unwrap_or(step.depth));
    let max_turns = task.run.max_turns.or_else(|| item.meta.max_turns()).or(config.max_turns);
    let talk = of_step(task, step, script, max_turns.unwrap_or(TURNS_AT_A_MENU));
    let setup = set_up(open(global)?, &settings, talk, screen)?;
    screen.say(&format!(
        "A model drafts step {} from its documents and answers: one request, or two where nothing of the first can be \
         taken. A discussion of it ([E] at the menu), with the same files:\n",
        step.id
    ));
    screen.json(&elaborate::plan(&setup, screen)?);
    Ok(Code::Yes)
}

/// The first step still to be walked at which a model speaks.
fn next_with_a_model<'l>(
    item: &Item,
    library: &'l Library,
    task: &AnalyzeRequest,
    config: &Config,
) -> Result<Option<&'l Step>, Fail> {
    let scan = item.documents().find(|(name, _)| *name == "quick-scan.md").map_or("", |(_, text)| text);
    let (scope, complexity) = depth::stated(scan);
    let facts = Facts { scope, complexity, item: item.path.clone(), ..Facts::default() };
    let (mut passed, phases) = (item.meta.steps_completed(), item.meta.phases_completed());
    loop {
        let progress =
            Progress { steps: &passed, phases: &phases, facts: facts.clone(), ..Progress::default() };
        let next = plan(&library.steps, &progress).map_err(|error| Fail::new(error.to_string()))?.next;
        let Some(step) = next.map(|at| &library.steps[at]) else { return Ok(None) };
        if !Choice::of_walk(&task.run.voice, config, &step.id, &step.phase)?.is_secretary() {
            return Ok(Some(step));
        }
        passed.push(step.id.clone());
    }
}

/// The script's answers to a step's questions: those that are named by it, else the first of the list.
fn answers(script: &Script, step: &Step, depth: Depth) -> Script {
    let named = script.answers().find(|(id, _)| *id == step.id);
    let said: Vec<Option<Input>> = match named {
        Some((_, own)) => own.map(|(_, input)| input.cloned()).collect(),
        None => script.inputs().take(step.prompts(depth).len()).map(|input| input.cloned()).collect(),
    };
    Script::of(script.user.clone(), said)
}

/// The discussion of a step, as `elaborate` would hold it.
fn of_step(task: AnalyzeRequest, step: &Step, script: Script, max_turns: u32) -> run::ElaborateRequest {
    let asked = RunRequest { new: None, script, max_turns: Some(max_turns), ..task.run };
    run::ElaborateRequest { run: asked, step: Some(step.id.clone()), ..Default::default() }
}
