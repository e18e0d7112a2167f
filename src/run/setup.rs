//! Everything that a discussion starts from: settings, item, step, voice, script, and the log of a run that was cut off.

use git2::Oid;
use serde_json::{Value, json};

use super::clock::now;
use super::open_step::open_step;
use super::place::Place;
use super::played::Played;
use super::resume::{ResumeTarget, begun, catch_up, gone_on};
use super::run_id::{message, run_id};
use super::settings::{Settings, library, review_options, review_rules};
use super::voices::{self, Choice, Source};
use super::{ElaborateRequest, Fail, Medium, Observer, OpenRun, RunRequest, Setup, before, identity};
use crate::discussion::address::stranger;
use crate::discussion::event::{Event, FORMAT, Opened, Record, Resumed, Sent, StepRef, Time};
use crate::discussion::turn_limit::{self, default_turns};
use crate::git::{self, Leftover, Repo};
use crate::item::config::Config;
use crate::item::layout::Laid;
use crate::item::library::Library;
use crate::item::persona::{Cast, Persona};
use crate::item::step::Step;
use crate::item::{self, Begin, Item};
use crate::review::Rules;
use crate::run::script::{Script, comments};
use crate::text::path;
use crate::text::plain;
use crate::voice::model::evidence::Evidence;
use crate::voice::recorded;
use path::OutputPath;

/// A layout with the document that somebody named: who names one of several means it.
fn with_named<'l>(laid: Laid<'l>, item: &Item, named: &str) -> Laid<'l> {
    let name = named.trim_start_matches("./").strip_prefix(&format!("{}/", item.path));
    let name = name.filter(|name| item.files.contains_key(*name) && laid.layout.may_be_main(name));
    Laid { document: name.map(str::to_owned).or(laid.document), ..laid }
}

/// Reads everything that a discussion starts from.
pub fn set_up(
    repo: Repo,
    settings: &Settings,
    task: ElaborateRequest,
    observer: &dyn Observer,
) -> Result<Setup, Fail> {
    let located = locate_item(settings, &repo, &task, observer)?;
    let library = library(&repo, located.rules, &located.config)?;
    let rules = review_rules(&library, &located.config)?;
    let named = named_recording(&repo, &task.run.voice)?;
    let laid = library.laid_item(&located.item, located.config.layout_of(&located.item.path))?;
    let laid = with_named(laid, &located.item, &task.run.item);
    let step = step_id(&task, &located, (&library, &laid), &rules, named.as_ref(), observer)?;
    let step = library.step(&step)?;
    let voice = match task.medium {
        Medium::Agent => Choice::Agent,
        _ => Choice::of(&task.run.voice, &located.trusted, &step.id, &step.phase)?,
    };
    let played = match &voice {
        Choice::Recorded(Source::Setting(path)) => Some(set_recording(&repo, &located, path)?),
        _ => named,
    };
    check_outputs([step])?;
    let lead = lead(&library.cast, step, observer);
    tell_of(&task.run.script, &library.cast, lead, observer)?;
    let prices = voices::prices(&task.run.voice, &located.trusted, &step.id, &step.phase)?;
    let setup = StepSetup { step, lead, voice: &voice, played: played.as_ref(), laid };
    let opened = opened(&repo, &task, &located, &library, &setup)?;
    played.as_ref().map_or(Ok(()), |played| played.fits(&opened))?;
    before::edited(&repo, &located.item, observer)?;
    if task.open.is_none() {
        before::recorded(&repo, located.base, &located.item, &opened, &task.run.script, observer)?;
    }
    let evidence = given(&repo, &located, &setup, &opened)?;
    let items = located.trusted.folders().into_iter().map(str::to_owned).collect();
    let may_read = (located.trusted.evidence(), items);
    let readers = setup.readers(&task, &located)?;
    let RunRequest { script, fixed, .. } = task.run;
    let LocatedItem { place, item, base, left, .. } = located;
    let begun = match task.open {
        Some(open) => resumed(open, task.comments.unwrap_or_default(), base, fixed),
        None => left.map(|left| left.log).unwrap_or_default(),
    };
    Ok(Setup {
        repo,
        library,
        rules,
        item,
        script,
        opened,
        voice,
        played,
        tokens: task.run.voice.max_tokens_total,
        prices,
        evidence,
        may_read,
        readers,
        base,
        fixed,
        exists: place.exists,
        begun,
        medium: task.medium,
    })
}

/// The recording that `--voice` names.
fn named_recording(repo: &Repo, voice: &voices::Wanted) -> Result<Option<Played>, Fail> {
    let named = voice.voice.as_deref().and_then(|voice| voice.strip_prefix(recorded::PREFIX));
    let named = named.map(str::trim).filter(|path| !path.is_empty());
    named.map(|path| Played::read(path, || Ok(repo.again()?))).transpose()
}

/// The recording that the settings name.
fn set_recording(repo: &Repo, located: &LocatedItem, path: &str) -> Result<Played, Fail> {
    Played::read_at(repo, repo.resolve("HEAD").unwrap_or(located.base), path)
}

/// The item as it is found, the settings that hold for it, and what an earlier run left of this discussion.
struct LocatedItem {
    place: Place,
    config: Config,
    trusted: Config,
    item: Item,
    /// The text that `meta.json` begins with, where the item does not exist yet.
    new_meta: Option<String>,
    /// The `draft.md` that the item gets.
    draft: Option<String>,
    /// The commit that the discussion adds to.
    base: Oid,
    /// The commit that its settings and rules are read from.
    rules: Oid,
    left: Option<Leftover>,
    /// How the discussion began that stays open, where this run is not its first.
    opening: Option<Opened>,
}

impl LocatedItem {
    /// How the run began that was cut off.
    fn begun(&self) -> Option<&Opened> {
        self.left.as_ref().and_then(Leftover::opened)
    }
}

fn locate_item(
    settings: &Settings,
    repo: &Repo,
    task: &ElaborateRequest,
    observer: &dyn Observer,
) -> Result<LocatedItem, Fail> {
    let left = match task.resume {
        true => cut_off(settings, repo, task, observer)?,
        false => None,
    };
    let place = match left.as_ref().and_then(Leftover::opened) {
        Some(opened) => place_of(repo, opened)?,
        None => before::place(settings, repo, &task.run)?,
    };
    let config = settings.at(repo, place.base)?;
    let trusted = settings.trusted(repo, &place, &config)?;
    let (path, new_meta) = match left.as_ref().and_then(Leftover::opened) {
        Some(opened) => (opened.item.clone(), opened.new_meta.clone()),
        None => before::find_or_begin(repo, &task.run, &place, &config)?,
    };
    let opening = opening(task);
    // What was begun goes on where it began, wherever the branch is by now.
    let base = match left.as_ref().and_then(Leftover::opened) {
        Some(opened) => repo.resolve(&opened.base)?,
        None => place.base,
    };
    // What stays open keeps the rules it was opened with, and looks at the item as it is now.
    let rules = opening.as_ref().map_or(Ok(base), |opened| repo.resolve(&opened.base))?;
    let config = if rules == place.base { config } else { settings.at(repo, rules)? };
    let item = repo.item_or_new(base, &path, Begin { meta: new_meta.as_deref(), draft: None })?;
    item.meta.known_status()?;
    if left.is_none() {
        before::tell_place(&place, &task.run, observer);
    }
    if settings.operators.is_none()
        && let Ok(head) = repo.resolve("HEAD")
    {
        before::edited_settings(repo, head, observer)?;
    }
    let draft = draft(&task.run.script, &item, observer);
    let item = item.with_draft(draft.as_deref());
    before::newer(repo, &place, &item, observer)?;
    before::parted(repo, &place, observer)?;
    Ok(LocatedItem { place, config, trusted, item, new_meta, draft, base, rules, left, opening })
}

/// The run that was cut off, on whatever branch it was.
fn cut_off(
    settings: &Settings,
    repo: &Repo,
    task: &ElaborateRequest,
    observer: &dyn Observer,
) -> Result<Option<Leftover>, Fail> {
    let base = repo.resolve(task.run.base.as_deref().unwrap_or("HEAD"))?;
    let config = settings.at(repo, base)?;
    let path = match repo.find_item(base, &task.run.item, &config.folders()) {
        Ok(path) => path,
        Err(error @ git::Error::TwoItems { .. }) => return Err(error.into()),
        // An item that is new is on its branch only.
        Err(_) => task.run.item.trim_start_matches("./").trim_end_matches('/').to_owned(),
    };
    let wanted = ResumeTarget {
        item: &path,
        step: task.step.as_deref(),
        branch: task.run.branch.as_deref(),
        fixed: task.run.fixed,
        by_agent: task.medium == Medium::Agent,
    };
    let found = begun(repo, &wanted, |left| goes_on(task, &config, left), observer);
    if found.is_none() && task.medium != Medium::Agent {
        return Err(Fail::new("--resume: nothing was cut off here").with_hint(
            "leave --resume out to begin anew; `roundtable status` lists the discussions that were cut off",
        ));
    }
    Ok(found)
}

/// Whether a discussion that was cut off has the voice and the messages that are asked for.
fn goes_on(task: &ElaborateRequest, config: &Config, left: &Leftover) -> bool {
    let Some(opened) = left.opened() else { return false };
    let is_heard = is_live(task) || catch_up(&mut task.run.script.clone(), &left.log).is_ok();
    let voice = Choice::of(&task.run.voice, config, &opened.step.id, &opened.step.phase);
    is_heard && voice.is_ok_and(|voice| voice.name() == opened.voice && voice.model() == opened.model)
}

/// Where a run that was cut off goes on.
fn place_of(repo: &Repo, opened: &Opened) -> Result<Place, Fail> {
    let tip = repo.tip(&opened.branch)?;
    repo.refuse_checked_out(&opened.branch)?;
    let base = tip.map_or_else(|| repo.resolve(&opened.base), Ok)?;
    Ok(Place { branch: opened.branch.clone(), base, exists: tip.is_some(), left: None })
}

/// The step that is discussed: the one that is named, or was begun, or is most open; that is said.
fn step_id(
    task: &ElaborateRequest,
    located: &LocatedItem,
    (library, laid): (&Library, &Laid<'_>),
    rules: &Rules,
    played: Option<&Played>,
    observer: &dyn Observer,
) -> Result<String, Fail> {
    let begun = || located.begun().map(|opened| opened.step.id.clone());
    let recorded = || played.map(|played| played.step().to_owned());
    if let Some(step) = task.step.clone().or_else(begun).or_else(recorded) {
        return Ok(step);
    }
    let options = review_options(&located.config);
    let (step, why) = open_step(&located.item, (library, laid), rules, &options);
    observer.note(&format!("step {step} is discussed: {why}; --step names another"));
    Ok(step)
}

/// Who speaks first, on which step, with which voice.
struct StepSetup<'l> {
    step: &'l Step,
    lead: &'l Persona,
    voice: &'l Choice,
    /// The recording that the voice gives again.
    played: Option<&'l Played>,
    laid: Laid<'l>,
}

impl StepSetup<'_> {
    /// The models that read beside the voice, where it asks one.
    fn readers(&self, task: &ElaborateRequest, located: &LocatedItem) -> Result<Vec<Choice>, Fail> {
        match self.voice.asks_a_model() {
            true => voices::readers(&task.run.voice, &located.trusted, &self.step.id, &self.step.phase),
            false => Ok(Vec::new()),
        }
    }

    /// The voice as recordings name it.
    fn name(&self) -> String {
        self.played.map_or_else(|| self.voice.name(), Played::voice)
    }

    fn model(&self) -> Option<String> {
        self.played.map_or_else(|| self.voice.model(), Played::model)
    }

    fn identity(&self) -> String {
        self.played.map_or_else(|| self.voice.identity(), Played::identity)
    }
}

/// The first event of the recording: this run's own, or that of the run it goes on with.
fn opened(
    repo: &Repo,
    task: &ElaborateRequest,
    located: &LocatedItem,
    library: &Library,
    setup: &StepSetup<'_>,
) -> Result<Opened, Fail> {
    let StepSetup { step, lead, laid, .. } = setup;
    let LocatedItem { item, place, base, trusted, .. } = located;
    let max_turns = max_turns(task, located, &library.cast);
    let digests = library.digests(step);
    let spoken_by = voices::spoken_by(&setup.identity(), trusted);
    let author = identity::author(repo, trusted, task.run.signed_off);
    let begun_by = located.begun().filter(|_| is_live(task)).map(|opened| opened.user.clone());
    let named = task.run.script.user.clone().or(begun_by);
    let user = identity::user(repo, named.as_deref());
    let folders = located.config.roots().join(" ");
    let parts =
        json!([item.path, step.id, user, inputs(task, *base), max_turns, digests, folders, spoken_by]);
    let run = run_id(parts, task.run.fixed);
    let now = Opened {
        format: FORMAT,
        item: item.path.clone(),
        item_name: item.name(),
        step: StepRef::from(*step),
        lead: lead.key.clone(),
        max_turns,
        base: base.to_string(),
        read: item.ids.clone(),
        branch: place.branch.clone(),
        layout: laid.layout.name.clone(),
        document: laid.document.clone(),
        voice: setup.name(),
        model: setup.model(),
        user: user.unwrap_or_else(|| "User".to_owned()),
        digests: digests.into(),
        author,
        run,
        new_meta: located.new_meta.clone().filter(|_| item.is_new()),
        draft: located.draft.clone(),
        comments: task.comments.clone(),
        stays_open: task.open.is_some(),
        is_live: is_live(task),
        evidence: evidence(repo, *base, item, &task.run.script, trusted, setup)?,
    };
    match (&located.opening, located.begun()) {
        (Some(begun), _) => stayed_open(&now, begun),
        (None, Some(begun)) => gone_on(&now, begun),
        (None, None) => Ok(now),
    }
}

/// What a voice is given of the repository, as the opening names it.
fn given(
    repo: &Repo,
    located: &LocatedItem,
    setup: &StepSetup<'_>,
    opened: &Opened,
) -> Result<Evidence, Fail> {
    Ok(match (setup.played, setup.voice.asks_a_model()) {
        (Some(_), _) => repo.pieces(&opened.evidence),
        (None, true) => {
            let (base, trusted) = (repo.resolve(&opened.base)?, &located.trusted);
            repo.sent(base, &opened.evidence, &located.item, &trusted.evidence(), &trusted.folders())?
        }
        (None, false) => Evidence::default(),
    })
}

/// Whether messages come one by one.
fn is_live(task: &ElaborateRequest) -> bool {
    task.medium != Medium::Script
}

/// The turns that the discussion has at most.
fn max_turns(task: &ElaborateRequest, located: &LocatedItem, cast: &Cast) -> u32 {
    let set = task.run.max_turns.or_else(|| located.item.meta.max_turns()).or(located.config.max_turns);
    set.or(located.begun().map(|opened| opened.max_turns)).unwrap_or_else(|| {
        if task.open.is_some() || is_live(task) {
            return turn_limit::TURNS_ONE_BY_ONE;
        }
        default_turns(task.run.script.inputs().flatten().map(|input| input.text.as_str()), cast)
    })
}

/// Documents of steps are written where their files say, never outside of the item: refused before anything is.
pub fn check_outputs<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Result<(), Fail> {
    for step in steps {
        for output in &step.outputs {
            OutputPath::parse(output)
                .map_err(|refused| Fail::new(format!("step {} ({}): {refused}", step.id, step.path)))?;
        }
    }
    Ok(())
}

fn lead<'c>(cast: &'c Cast, step: &Step, observer: &dyn Observer) -> &'c Persona {
    let (lead, known) = cast.lead(&step.phase);
    if !known {
        observer
            .warn(&format!("nobody leads the phase \"{}\"; {} leads this discussion", step.phase, lead.name));
    }
    lead
}

/// What a script has to be told of: notes, warnings, names that nobody at the table has. A credential is refused.
fn tell_of(script: &Script, cast: &Cast, lead: &Persona, observer: &dyn Observer) -> Result<(), Fail> {
    for input in script.inputs().flatten() {
        voices::refuse_secrets("the script", &input.text)?;
    }
    comments::told(&script.left_out).iter().for_each(|told| observer.warn(told));
    script.notes.iter().for_each(|note| observer.note(note));
    script.warnings.iter().for_each(|warning| observer.warn(warning));
    for name in script.inputs().flatten().filter_map(|input| stranger(&input.text, cast)) {
        observer.note(&format!("nobody at the table is called {name}; {} answers", lead.first_name()));
    }
    Ok(())
}

/// What of the repository a model is to read besides the item's documents; the secretary reads nothing else.
fn evidence(
    repo: &Repo,
    base: Oid,
    item: &Item,
    script: &Script,
    config: &Config,
    setup: &StepSetup<'_>,
) -> Result<Vec<Sent>, Fail> {
    if let Some(played) = setup.played {
        return Ok(played.evidence(repo, base));
    }
    if !setup.voice.asks_a_model() {
        return Ok(Vec::new());
    }
    let messages = script.inputs().flatten().map(|input| input.text.as_str()).collect();
    Ok(repo.evidence(base, item, messages, &config.evidence(), &config.folders())?.sent)
}

/// How the discussion began that stays open, where this run is not its first.
fn opening(task: &ElaborateRequest) -> Option<Opened> {
    match &task.open.as_ref()?.log.first()?.event {
        Event::Opened(opened) => Some(opened.as_ref().clone()),
        _ => None,
    }
}

/// The opening of a discussion that stays open, if this run speaks with the same voice.
fn stayed_open(now: &Opened, begun: &Opened) -> Result<Opened, Fail> {
    if (&now.voice, &now.model) == (&begun.voice, &begun.model) {
        return Ok(begun.clone());
    }
    let name = |opened: &Opened| {
        let model = opened.model.as_ref().map_or(String::new(), |model| format!(" {model}"));
        plain::shown(&format!("{}{model}", opened.voice))
    };
    Err(Fail::new(format!(
        "the discussion of step {} is open and was begun with the voice {}, and {} is set now",
        begun.step.id,
        name(begun),
        name(now)
    ))
    .with_hint("go on with the first one, or end it there with a comment that says done"))
}

/// The draft.md that the item gets: the text of the script's issue, where the item has none yet.
fn draft(script: &Script, item: &Item, observer: &dyn Observer) -> Option<String> {
    let source = script.source.as_ref()?;
    if item.has_draft() {
        return None;
    }
    observer.note(&format!("the issue's text becomes {} of the item; it is not a message", item::DRAFT));
    Some(source.draft())
}

/// The recording so far, and the beginning of this run.
fn resumed(open: OpenRun, comments: Vec<u64>, base: Oid, fixed: Option<Time>) -> Vec<Record> {
    let OpenRun { mut log } = open;
    if !log.is_empty() {
        let event = Event::Resumed(Resumed { base: base.to_string(), comments });
        log.push(Record { at: fixed.unwrap_or_else(now), event });
    }
    log
}

/// The messages that a run's id depends on. Those that come one by one are not known yet: what they are added to
/// tells such runs apart.
fn inputs(task: &ElaborateRequest, base: Oid) -> Vec<Value> {
    let mut inputs: Vec<Value> = task.run.script.inputs().map(message).collect();
    inputs.extend(is_live(task).then(|| json!({"base": base.to_string()})));
    inputs.extend(task.run.script.source.as_ref().map(|source| json!({"draft": source.draft()})));
    inputs
}
