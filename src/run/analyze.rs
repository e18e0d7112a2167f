//! An analysis, from its request to its commits (analysis FR-001 to FR-012).

mod step_voices;

use git2::Oid;
use serde_json::{Value, json};

use self::step_voices::Chooser;
pub use self::step_voices::{AnswerLog, AnswerSource};
use super::clock::now;
use super::place::Place;
use super::push::Committed;
use super::run_id::{message, run_id};
use super::script::{Input, Script, comments};
use super::settings::{Settings, library};
use super::voices;
use super::walk::{Mode, WalkSetup, Walked, walk};
use super::{Fail, Observer, RunRequest, before, check_outputs, identity, landing};
use crate::analysis::Stopped;
use crate::discussion::event::{Author, Time};
use crate::discussion::turn_limit;
use crate::git::{Repo, short};
use crate::item::config::Config;
use crate::item::library::Library;
use crate::item::step::Depth;
use crate::item::{Begin, Item};
use crate::text::plain::count;

/// An analysis that is to be walked, whichever verb asks for it.
#[derive(Clone)]
pub struct AnalyzeRequest {
    pub run: RunRequest,
    /// The depth of every phase.
    pub depth: Option<Depth>,
    pub mode: Mode,
    pub answers: AnswerSource,
}

/// An analysis as far as it came, and where.
pub struct Analyzed {
    pub walked: Walked,
    /// The item's path.
    pub path: String,
    pub branch: String,
    /// The commit that added the item.
    pub added: Option<Oid>,
}

impl Committed for Analyzed {
    fn commits(&self) -> Vec<Oid> {
        self.added.iter().chain(&self.walked.commits).copied().collect()
    }
}

/// Walks an item through its steps and says how far it is.
///
/// # Errors
/// An item, a step, a voice or an answer that cannot be used, and whatever ends the walk.
pub fn analyze(
    repo: &Repo,
    settings: &Settings,
    task: AnalyzeRequest,
    observer: &dyn Observer,
) -> Result<Analyzed, Fail> {
    let mut place = before::place(settings, repo, &task.run)?;
    let config = settings.at(repo, place.base)?;
    let trusted = settings.trusted(repo, &place, &config)?;
    let author = identity::author(repo, &trusted, task.run.signed_off);
    let library = library(repo, place.base, &config)?;
    let chooser = Chooser { options: &task.run.voice, config: &trusted, library: &library };
    let chosen = chooser.choose(&task.answers, &done(repo, &task, &place, &config))?;
    let readers = chosen.readers(&chooser, &task.answers)?;
    let (item, added) = find_or_add(repo, &library, &task, &mut place, &config, &author)?;
    item.meta.known_status()?;
    let path = item.path.clone();
    before::tell_place(&place, &task.run, observer);
    before::edited(repo, &item, observer)?;
    before::newer(repo, &place, &item, observer)?;
    // Every step may come to be walked.
    check_outputs(&library.steps)?;
    let mut script = task.run.script;
    script.depth = task.depth.or(script.depth);
    script.user = identity::user(repo, script.user.as_deref());
    check_script(&script, &library, observer)?;
    let max_turns = task.run.max_turns.or_else(|| item.meta.max_turns()).or(config.max_turns);
    let max_turns = max_turns.unwrap_or(if script.is_live() {
        turn_limit::TURNS_ONE_BY_ONE
    } else {
        turn_limit::TURNS_AT_A_MENU
    });
    let run =
        id_of(&path, &script, max_turns, &library, &config, &chosen.spoken_by(&chooser), task.run.fixed);
    let tokens = chosen.tokens();
    let clock = || task.run.fixed.unwrap_or_else(now);
    let setup = WalkSetup {
        repo,
        library: &library,
        item,
        script,
        branch: place.branch.clone(),
        base: place.base,
        author: author.clone(),
        speakers: chosen.begin(&task.answers)?.beside(readers),
        tokens,
        evidence: trusted.evidence(),
        max_turns,
        mode: task.mode,
        run,
        items: config.roots().into_iter().map(str::to_owned).collect(),
        layout: config.layout_of(&path).map(str::to_owned),
        fixed: task.run.fixed,
        clock: &clock,
    };
    let walked = walk(setup, observer)?;
    tell(&walked, added, &place.branch, task.mode, observer);
    if added.is_some() || !walked.commits.is_empty() && !walked.already_recorded {
        identity::note_commit(repo, &author, observer);
    }
    Ok(Analyzed { walked, path, branch: place.branch, added })
}

/// The steps that the item has behind it: their voices are not asked any more.
fn done(repo: &Repo, task: &AnalyzeRequest, place: &Place, config: &Config) -> Vec<String> {
    let found = repo.find_item(place.base, &task.run.item, &config.folders());
    let item = found.ok().and_then(|path| repo.item(place.base, &path).ok());
    item.map(|item| item.meta.steps_completed()).unwrap_or_default()
}

/// Says what the script has to be told of, and refuses answers to steps that there are not, and credentials.
pub fn check_script(script: &Script, library: &Library, observer: &dyn Observer) -> Result<(), Fail> {
    comments::told(&script.left_out).iter().for_each(|told| observer.warn(told));
    script.notes.iter().for_each(|note| observer.note(note));
    script.warnings.iter().for_each(|warning| observer.warn(warning));
    let secrets = |input: &Input| voices::refuse_secrets("the script", &input.text);
    for (step, mut inputs) in script.answers() {
        library.step(step).map_err(|unknown| {
            Fail::new(format!("the script's `answers` name a step that there is not: {unknown}"))
        })?;
        inputs.try_for_each(|(_, input)| input.map_or(Ok(()), secrets))?;
    }
    script.inputs().flatten().try_for_each(secrets)
}

/// The item; one that is to be made is added first, with a commit that comes with it, unless nothing is committed.
fn find_or_add(
    repo: &Repo,
    library: &Library,
    task: &AnalyzeRequest,
    place: &mut Place,
    config: &Config,
    author: &Author,
) -> Result<(Item, Option<Oid>), Fail> {
    let (path, text) = before::find_or_begin(repo, &task.run, place, config)?;
    let draft = task.run.script.source.as_ref().map(|source| source.draft());
    let Some(text) = text else { return Ok((repo.item(place.base, &path)?, None)) };
    if task.mode == Mode::Dry {
        let begin = Begin { meta: Some(&text), draft: draft.as_deref() };
        return Ok((repo.item_or_new(place.base, &path, begin)?, None));
    }
    let new = landing::NewItem {
        path: &path,
        meta: &text,
        draft: draft.as_deref(),
        branch: &place.branch,
        start: place.base,
        author,
        time: task.run.fixed.unwrap_or_else(now).seconds(),
    };
    place.base = landing::add(repo, library, &new)?;
    place.exists = true;
    Ok((repo.item(place.base, &path)?, Some(place.base)))
}

/// The run id: a digest of item, inputs, configuration, library and clock.
fn id_of(
    item: &str,
    script: &Script,
    max_turns: u32,
    library: &Library,
    config: &Config,
    voice: &str,
    fixed: Option<Time>,
) -> String {
    let depth = script.depth.map(|depth| depth.to_string());
    let inputs: Vec<Value> = script.inputs().map(message).collect();
    let answers: Vec<Value> = script
        .answers()
        .map(|(step, inputs)| {
            let numbered = inputs.map(|(number, input)| json!([number, message(input)]));
            json!([step, numbered.collect::<Vec<_>>()])
        })
        .collect();
    let digests = library.steps.first().map(|step| library.digests(step));
    let folders = config.roots().join(" ");
    let parts =
        json!(["analyze", depth, item, script.user, inputs, answers, max_turns, digests, folders, voice]);
    run_id(parts, fixed)
}

/// How far the analysis is, in words.
fn tell(walked: &Walked, added: Option<Oid>, branch: &str, mode: Mode, observer: &dyn Observer) {
    let done = walked.item.meta.steps_completed().len();
    observer.say("");
    match (walked.stopped, &walked.next_step) {
        (Stopped::Complete, _) => {
            observer.say_strong(&format!("The analysis is complete: {} done.", count(done, "step")))
        }
        (Stopped::OutOfAnswers, Some(next)) => {
            observer.say_strong(&format!(
                "Out of answers: {} done, step {next} comes next.",
                count(done, "step")
            ));
        }
        (Stopped::OutOfAnswers, None) => observer.say_strong("Out of answers."),
    }
    match (walked.commits.as_slice(), mode) {
        ([], Mode::Dry) => {}
        (commits, _) if walked.already_recorded => {
            let last = commits.last().map(|commit| short(*commit)).unwrap_or_default();
            observer.say(&format!(
                "Already recorded: {branch} carries this run up to {last}. Nothing was changed."
            ));
        }
        ([], _) => observer.say(&match added {
            None => "Nothing was committed.".to_owned(),
            Some(added) => {
                format!("Committed {} on {branch}, which adds the item, and nothing else.", short(added))
            }
        }),
        (commits, _) => {
            let last = commits.last().map(|commit| short(*commit)).unwrap_or_default();
            observer.say(&format!(
                "{} on {branch}, the last is {last}. See them with: git log -p {branch}",
                count(commits.len(), "commit")
            ));
        }
    }
}
