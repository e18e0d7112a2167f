//! `roundtable steps list | show | check`: the step files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, columns, open};
use crate::analysis::plan::{self, Unplannable};
use crate::analysis::skip::{Facts, is_skipped};
use crate::git::Repo;
use crate::item::library::{
    Library, OverlayFile, Overlays, embedded_files, embedded_steps, is_persona, is_step,
};
use crate::item::persona::{Cast, PHASES, Persona};
use crate::item::step::{Depth, Step, lint};
use crate::run::environment::current_folder;
use crate::run::files;
use crate::run::settings;
use crate::text::finding::Finding;
use crate::text::plain;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable steps list\n          roundtable steps show 01-03\n          roundtable steps check .roundtable/steps"
)]
pub struct StepsArgs {
    #[command(subcommand)]
    verb: StepsVerb,
}

#[derive(Debug, Subcommand)]
enum StepsVerb {
    /// The steps of all phases, the repository's own among them
    #[command(after_help = "Example: roundtable steps list")]
    List,
    /// One step: what it asks, checks and writes
    #[command(after_help = "Example: roundtable steps show 01-03")]
    Show {
        /// The step's id
        #[arg(value_name = "NN-NN")]
        id: String,
    },
    /// Check step files: exit 1 when there is something to fix
    #[command(after_help = "Example: roundtable steps check .roundtable/steps")]
    Check {
        /// An overlay's root [default: the repository's steps folder, else the built-in steps]
        dir: Option<PathBuf>,
    },
}

pub fn run(global: &Global, options: &StepsArgs, screen: &Screen) -> Result<Code, Fail> {
    match &options.verb {
        StepsVerb::List => list(&*library(global)?, screen),
        StepsVerb::Show { id } => show(library(global)?.step(id)?, screen),
        StepsVerb::Check { dir } => check(global, dir.as_deref(), screen),
    }
}

/// The steps as somebody working in the repository has them: the work tree's overlay, or HEAD's
/// in a bare repository, or the built-in ones alone outside of one.
fn library(global: &Global) -> Result<Arc<Library>, Fail> {
    let Some(repo) = repository(global)? else { return Ok(Arc::new(Library::built_in()?)) };
    let Some(root) = repo.work_tree() else {
        return match repo.resolve("HEAD") {
            Ok(head) => settings::library(&repo, head, &global.workspace.settings_at(&repo, head)?),
            Err(_) => Ok(Arc::new(Library::built_in()?)),
        };
    };
    let config = global.workspace.settings_on_disk(Some(root))?;
    let overlays = Overlays::read(&config, |folder| files::read(&root.join(folder)))?;
    Ok(Arc::new(Library::new(&overlays).map_err(|error| error.below(&config))?))
}

fn repository(global: &Global) -> Result<Option<Repo>, Fail> {
    match open(global) {
        Ok(repo) => Ok(Some(repo)),
        Err(fail) if global.workspace.repo.is_some() => Err(fail),
        Err(_) => Ok(None),
    }
}

fn list(library: &Library, screen: &Screen) -> Result<Code, Fail> {
    let row = |step: &Step| {
        vec![format!("  {}", step.id), step.title.clone(), step.depth.to_string(), step.outputs.join(", ")]
    };
    let rows: Vec<Vec<String>> = library.steps.iter().map(row).collect();
    let mut phase = "";
    for (step, line) in library.steps.iter().zip(columns::lines(&rows)) {
        if step.phase != phase {
            phase = &step.phase;
            let title = PHASES.iter().find(|(key, _)| *key == phase).map_or("", |(_, title)| title);
            let (lead, _) = library.cast.lead(phase);
            screen.say_strong(&format!("{phase}  {title} -- {} ({})", lead.name, lead.role));
        }
        screen.say(&line);
    }
    let steps: Vec<Value> = library.steps.iter().map(as_json).collect();
    screen.json(&json!({ "steps": steps }));
    Ok(Code::Yes)
}

fn as_json(step: &Step) -> Value {
    json!({
        "step_id": step.id, "title": step.title, "phase": step.phase, "persona": step.persona,
        "depth": step.depth, "outputs": step.outputs, "depends_on": step.depends_on,
        "skip_if": step.skip_if, "path": step.path,
    })
}

fn show(step: &Step, screen: &Screen) -> Result<Code, Fail> {
    screen.say_strong(&format!("Step {}: {}", step.id, step.title));
    screen.say(&format!(
        "{}, {} depth, asked by {}; writes {}",
        step.phase,
        step.depth,
        step.persona,
        step.outputs.join(", ")
    ));
    if !step.depends_on.is_empty() {
        screen.say(&format!("after {}", step.depends_on.join(", ")));
    }
    if !step.skip_if.is_empty() {
        screen.say(&format!("skipped if {}", step.skip_if));
    }
    screen.say_strong("\nBrief Mode");
    screen.say(&step.brief);
    if !step.brief_form.is_empty() {
        screen.say(&format!("   Form: {}", step.brief_form));
    }
    for depth in [Depth::Standard, Depth::Deep] {
        screen.say_strong(if depth == Depth::Deep { "\nDeep Mode" } else { "\nStandard Mode" });
        for (number, question) in step.questions(depth).iter().enumerate() {
            screen.say(&format!("{}. {question}", number + 1));
        }
    }
    screen.say_strong("\nValidation");
    for criterion in &step.validation {
        screen.say(&format!("- {criterion}"));
    }
    screen.say_strong("\nArtifacts");
    screen.say(&step.artifacts);
    let mut value = as_json(step);
    value["brief"] = json!(step.brief);
    value["brief_form"] = json!(step.brief_form);
    value["standard"] = json!(step.standard);
    value["deep"] = json!(step.deep);
    value["validation"] = json!(step.validation);
    value["artifacts"] = json!(step.artifacts);
    screen.json(&value);
    Ok(Code::Yes)
}

fn check(global: &Global, dir: Option<&Path>, screen: &Screen) -> Result<Code, Fail> {
    let overlay = overlay(global, dir)?;
    let own = overlay.is_some();
    let files: Vec<OverlayFile> = overlay
        .unwrap_or_else(|| embedded_files().map(|(path, text)| (path.to_owned(), text.to_owned())).collect());
    let mut findings = Vec::new();
    let cast = cast(&files, &mut findings)?;
    let steps: Vec<&OverlayFile> = files.iter().filter(|(path, _)| is_step(path)).collect();
    for (path, text) in &steps {
        findings.extend(lint(path, text, &cast));
    }
    findings.extend(doubles(&steps, own));
    findings.extend(walkable(&steps, own));
    let what = if own { "step file" } else { "built-in step file" };
    Ok(report(&findings, steps.len(), what, screen))
}

/// What would keep an analysis from walking the steps: a `skip_if` that cannot be used, a circle of
/// dependencies among these and the built-in ones.
fn walkable(files: &[&OverlayFile], own: bool) -> Vec<Finding> {
    let read = |(path, text): &&OverlayFile| Step::read(path, text).ok();
    let mut steps: Vec<Step> = files.iter().filter_map(read).collect();
    let facts = Facts::default();
    let broken = |step: &Step| is_skipped(step, &facts).err().map(|finding| *finding);
    let mut findings: Vec<Finding> = steps.iter().filter_map(broken).collect();
    if own {
        let replaced: Vec<String> = steps.iter().map(|step| step.path.clone()).collect();
        let built_in = embedded_steps().filter(|(path, _)| !replaced.iter().any(|own| own == path));
        steps.extend(built_in.filter_map(|(path, text)| Step::read(path, text).ok()));
    }
    if let Err(Unplannable::Cycle { cycle }) = plan::circle(&steps) {
        let of_cycle =
            |(path, text): &&&OverlayFile| Step::read(path, text).is_ok_and(|step| cycle.contains(&step.id));
        let message = format!("steps depend on each other: {}", cycle.join(" -> "));
        findings.extend(files.iter().find(of_cycle).map(|(path, text)| {
            Finding::near(path, text, "depends_on:", message).hint("take one of them out of `depends_on`")
        }));
    }
    findings
}

/// The files to check: a folder's, or the repository's overlay; none for the built-in ones.
fn overlay(global: &Global, dir: Option<&Path>) -> Result<Option<Vec<OverlayFile>>, Fail> {
    if let Some(dir) = dir {
        let at = if dir.is_absolute() { dir.to_owned() } else { current_folder()?.join(dir) };
        if !at.is_dir() {
            return Err(Fail::new(format!("{} is not a folder", plain::shown(&dir.display().to_string())))
                .with_hint("name the root of the steps, such as .roundtable/steps"));
        }
        return Ok(Some(files::read(&at)?));
    }
    let Some(repo) = repository(global)? else { return Ok(None) };
    if let Some(root) = repo.work_tree() {
        let config = global.workspace.settings_on_disk(Some(root))?;
        return Ok(config.steps.map(|folder| files::read(&root.join(folder))).transpose()?);
    }
    let Ok(head) = repo.resolve("HEAD") else { return Ok(None) };
    let config = global.workspace.settings_at(&repo, head)?;
    Ok(config.steps.map(|folder| repo.overlay(head, &folder)).transpose()?)
}

/// The cast that the steps may name: the built-in personas and those of the overlay.
fn cast(files: &[OverlayFile], findings: &mut Vec<Finding>) -> Result<Cast, Fail> {
    let mut personas: Vec<Persona> = Library::built_in()?.cast.iter().cloned().collect();
    for (path, text) in files.iter().filter(|(path, _)| is_persona(path)) {
        match Persona::read(path, text) {
            Ok(persona) => {
                personas.retain(|other| other.key != persona.key);
                personas.push(persona);
            }
            Err(finding) => findings.extend(finding.apart()),
        }
    }
    Cast::new(personas).map_err(|error| Fail::new(error.to_string()))
}

/// Steps with one id, and dependencies on steps that do not exist.
fn doubles(files: &[&OverlayFile], own: bool) -> Vec<Finding> {
    let read = |(path, text): &&OverlayFile| Step::read(path, text).ok().map(|step| (step, text.clone()));
    let steps: Vec<(Step, String)> = files.iter().filter_map(read).collect();
    let paths: Vec<&str> = steps.iter().map(|(step, _)| step.path.as_str()).collect();
    let built_in: Vec<Step> = embedded_steps()
        .filter(|(path, _)| own && !paths.contains(path))
        .filter_map(|(path, text)| Step::read(path, text).ok())
        .collect();
    let mut findings = Vec::new();
    for (at, (step, text)) in steps.iter().enumerate() {
        let others = steps[..at].iter().map(|(step, _)| step).chain(&built_in);
        if let Some(other) = others.into_iter().find(|other| other.id == step.id) {
            let message = format!("step {} is also {}", step.id, other.path);
            findings.push(
                Finding::near(&step.path, text, "step_id:", message).hint("give one of them a free number"),
            );
        }
        for id in &step.depends_on {
            let known = steps.iter().map(|(step, _)| step).chain(&built_in).any(|other| other.id == *id);
            if crate::item::step::is_step_id(id) && !known {
                let message = format!("depends on step {id}, which does not exist");
                let finding = Finding::near(&step.path, text, id, message);
                findings.push(finding.hint("`roundtable steps list` shows the steps there are"));
            }
        }
    }
    findings
}

/// Shows the findings and how many files were read: `24 built-in step files, nothing to fix.`
fn report(findings: &[Finding], files: usize, what: &str, screen: &Screen) -> Code {
    for (at, finding) in findings.iter().enumerate() {
        if at > 0 {
            screen.say("");
        }
        screen.say_place(finding);
    }
    let counted = plain::count(files, what);
    match findings.len() {
        0 => screen.say(&format!("{counted}, nothing to fix.")),
        found => screen.say(&format!("\n{counted}, {found} to fix.")),
    }
    let listed: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({"path": finding.path, "line": finding.line, "column": finding.column,
                   "message": finding.message, "hint": finding.hint})
        })
        .collect();
    screen.json(&json!({ "checked": files, "findings": listed }));
    if findings.is_empty() { Code::Yes } else { Code::No }
}
