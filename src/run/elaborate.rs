//! One discussion, from its request to its commit.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use git2::Oid;

use super::clock::now;
use super::played::{Follower, Played};
use super::resume::{Log, catch_up};
use super::voices::{self, Choice};
use super::{Fail, Held, Landed, Observer, Talk, before, identity};
use crate::discussion::event::{Event, Exit, Opened, Record, SECRETARY, Time, from_lines, to_lines};
use crate::discussion::runs::PausedDiscussion;
use crate::discussion::{Discussion, Finished, Refused, critiques};
use crate::git::{Repo, short};
use crate::history::decisions;
use crate::history::provenance;
use crate::item::Item;
use crate::item::config;
use crate::item::library::Library;
use crate::item::meta::Source;
use crate::item::step::Step;
use crate::minutes::left_behind;
use crate::review::Rules;
use crate::run::asked;
use crate::run::files::write_whole;
use crate::run::landing::{self, LandedCommit};
use crate::run::script::Script;
use crate::run::session::{SessionEnd, hold};
use crate::synthesis::{self, Outcome};
use crate::text::ids::{DefinedIds, family, mentioned_ids, record_numbers};
use crate::text::path::is_markdown;
use crate::text::plain;
use crate::voice::Voice;
use crate::voice::model::evidence::Evidence;
use crate::voice::model::prompt::{self, Want};
use crate::voice::model::{Live, Meter, Prices};
use crate::voice::secretary::Secretary;
use crate::voice::sources::Excerpt;

/// What every run on an item is asked for: which item, what is said, by whom, and where it commits.
#[derive(Clone, Default)]
pub struct RunRequest {
    /// The item's path or slug.
    pub item: String,
    /// What to make of the item where it does not exist: its source and its name.
    pub new: Option<(Source, String)>,
    pub script: Script,
    pub branch: Option<String>,
    /// Where a new branch starts.
    pub base: Option<String>,
    pub voice: voices::Wanted,
    pub max_turns: Option<u32>,
    pub fixed: Option<Time>,
    /// The commits say so with a trailer.
    pub signed_off: bool,
    /// A branch whose discussions are merged already is left, and the next free one taken.
    pub leaves_merged: bool,
}

/// A discussion that is to be held, whichever verb asks for it.
#[derive(Default)]
pub struct ElaborateRequest {
    pub run: RunRequest,
    /// None for the one that the documents leave most open.
    pub step: Option<String>,
    pub resume: bool,
    /// The comments of an issue that this run hears, by their ids.
    pub comments: Option<Vec<u64>>,
    pub open: Option<OpenRun>,
    pub medium: Medium,
}

/// Where the user's messages come from: known from the start, or one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Medium {
    #[default]
    Script,
    Keyboard,
    /// An agent passes them on, and speaks for the personas.
    Agent,
}

/// One run of a discussion that stays open between runs.
pub struct OpenRun {
    /// Its recording so far; empty where this run opens it.
    pub log: Vec<Record>,
}

/// Everything a run starts from.
pub struct Setup {
    pub repo: Repo,
    pub library: Arc<Library>,
    pub item: Item,
    pub script: Script,
    pub opened: Opened,
    pub voice: Choice,
    /// The recording whose lines are given again.
    pub played: Option<Played>,
    pub rules: Arc<Rules>,
    /// The most tokens that may be taken.
    pub tokens: Option<u64>,
    pub prices: Option<Prices>,
    /// What a model is sent of the repository.
    pub evidence: Evidence,
    /// How much of it may be sent, and the folders of other items.
    pub may_read: (config::Evidence, Vec<String>),
    /// Other models that list points.
    pub readers: Vec<Choice>,
    pub base: Oid,
    pub fixed: Option<Time>,
    /// The branch exists already.
    pub exists: bool,
    /// The events of a run that was cut off, to go on from.
    pub begun: Vec<Record>,
    pub medium: Medium,
}

impl Setup {
    pub const fn opened(&self) -> &Opened {
        &self.opened
    }

    pub const fn repo(&self) -> &Repo {
        &self.repo
    }

    /// Whether the discussion stays open between runs.
    const fn stays_open(&self) -> bool {
        self.opened.stays_open
    }
}

/// Holds the discussion and commits it.
pub fn hold_and_land(setup: &Setup, observer: &dyn Observer) -> Result<Landed, Fail> {
    let step = &setup.opened.step.id;
    if let Some(fixed) = setup.fixed.filter(|_| !setup.stays_open()) {
        let item = &setup.item;
        let opened = &setup.opened;
        let found = landing::recorded(&setup.repo, setup.base, item, step, fixed, &opened.run)?;
        if let Some(path) = found
            && (setup.exists || before::is_of_branch(&setup.repo, setup.base, &path, &opened.branch)?)
        {
            // A run that was killed after its commit may have left something to clear.
            setup.repo.lock()?;
            let _ = setup.repo.drop_pending(&setup.opened.run);
            return already_recorded(setup, setup.base, &path, observer);
        }
    }
    with_log(setup, observer, |held| land(setup, held, observer))
}

/// Holds the discussion and writes its recording to a file; nothing is committed.
pub fn hold_and_keep(setup: &Setup, path: &Path, observer: &dyn Observer) -> Result<Landed, Fail> {
    with_log(setup, observer, |held| keep(setup, held, path, observer))
}

/// Places a discussion that was committed anew, on the tip that somebody else's commits have.
pub fn land_again(setup: &Setup, landed: &Landed, tip: Oid, observer: &dyn Observer) -> Result<Landed, Fail> {
    let held = landed.held.clone();
    let finished = match &held.talk {
        Talk::Open(paused) => return pause(setup, paused.as_ref().clone(), held, tip, observer),
        Talk::Finished(finished) => finished,
    };
    // What was read of the item is at another commit: it is read again on this one.
    let item = setup.repo.item_or_new(tip, &setup.opened.item, (&setup.opened).into())?;
    let placed = landing::land(&setup.repo, &setup.library, finished, tip, &item)?;
    match placed.already_recorded {
        true => already_recorded(setup, placed.commit, &placed.outcome.recording, observer),
        false => Ok(landed_on(setup, held, placed)),
    }
}

/// Holds the discussion with its log in the git folder, and does something about its outcome.
fn with_log(
    setup: &Setup,
    observer: &dyn Observer,
    then: impl FnOnce(Held) -> Result<Landed, Fail>,
) -> Result<Landed, Fail> {
    let step = setup.library.step(&setup.opened.step.id)?;
    // What stays open goes on from the branch.
    let mut log = match setup.stays_open() {
        true => Log::none(),
        false => Log::begin(&setup.repo, &setup.opened.run, &setup.begun, observer),
    };
    let done = discuss(setup, step, &mut log, observer).and_then(|held| {
        observer.check().map_err(Fail::new)?;
        then(held)
    });
    let is_script = setup.medium == Medium::Script;
    let is_worth = !setup.begun.is_empty() || log.is_worth_keeping(setup.voice.asks_a_model(), is_script);
    log.end(done.is_err() && is_worth, observer);
    done
}

/// Commits the discussion and says where it is.
fn land(setup: &Setup, held: Held, observer: &dyn Observer) -> Result<Landed, Fail> {
    let finished = match &held.talk {
        Talk::Open(paused) => return pause(setup, paused.as_ref().clone(), held, setup.base, observer),
        Talk::Finished(finished) => finished,
    };
    let placed = landing::land(&setup.repo, &setup.library, finished, setup.base, &setup.item)?;
    if placed.already_recorded {
        return already_recorded(setup, placed.commit, &placed.outcome.recording, observer);
    }
    announce(&placed.outcome, observer);
    let branch = &setup.opened.branch;
    observer.say_strong(&format!("\nCommitted {} on {branch}.", short(placed.commit)));
    observer.say(&format!("See it with: git show {branch}"));
    identity::note_commit(&setup.repo, &setup.opened.author, observer);
    Ok(landed_on(setup, held, placed))
}

/// The discussion with the commit that it came to.
fn landed_on(setup: &Setup, held: Held, placed: LandedCommit) -> Landed {
    let LandedCommit { commit, parent, outcome, already_recorded } = placed;
    let branch = setup.opened.branch.clone();
    Landed { held, branch, base: parent.to_string(), commit: Some(commit), already_recorded, outcome }
}

/// Commits what this run has added to the recording of a discussion that stays open.
fn pause(
    setup: &Setup,
    paused: PausedDiscussion,
    held: Held,
    start: Oid,
    observer: &dyn Observer,
) -> Result<Landed, Fail> {
    let grown = landing::pause(&setup.repo, &setup.library, &paused, start)?;
    let (branch, recording) = (&setup.opened.branch, &grown.outcome.recording);
    if grown.already_recorded {
        observer.say(&format!("Already recorded: {branch} carries this run in {recording}."));
    } else {
        observer.say_strong(&format!("\nCommitted {} on {branch}.", short(grown.commit)));
        observer.say("The discussion is open: the next run continues from its recording.");
        identity::note_commit(&setup.repo, &setup.opened.author, observer);
    }
    Ok(landed_on(setup, held, grown))
}

/// Holds the discussion, told line by line; with it comes what it took.
pub fn discuss(setup: &Setup, step: &Step, log: &mut Log, observer: &dyn Observer) -> Result<Held, Fail> {
    let clock = || setup.fixed.unwrap_or_else(now);
    let mut talk = begin(setup, step, &clock)?;
    if setup.begun.is_empty() {
        talk.log().iter().for_each(|first| log.append(first, observer));
    }
    observer.say(&talk.introduction()?);
    let mut stand_in = stand_in(setup, step)?;
    let cast = &setup.library.cast;
    let mut script = setup.script.clone();
    for record in &setup.begun {
        observer.say_record(record, cast);
    }
    if !setup.stays_open() && setup.medium == Medium::Script {
        catch_up(&mut script, &setup.begun)?;
    }
    waiting(setup, observer);
    let usage = match (&setup.played, setup.voice.begin()?) {
        (Some(played), _) => {
            play(setup, played, &mut talk, &mut stand_in, &mut script, log, observer)?;
            Meter::default()
        }
        (None, None) => {
            converse(setup, &mut talk, None, &mut stand_in, &mut script, log, None, observer)?;
            Meter::default()
        }
        (None, Some(mut model)) => {
            let watch = |want: &Want, meter: &Meter| observer.waiting(&voices::thinking(want, meter, cast));
            let more = |asked: &[String]| more_evidence(setup, asked);
            let mut live = Live::new(model.as_mut(), head(setup, &talk, observer)?, setup.tokens);
            live = live
                .reading(excerpts(setup, &talk))
                .asking(&more, granted(setup, &talk)?)
                .beside(voices::ask_readers(&setup.readers));
            live = live.priced(setup.prices).watched(&watch);
            converse(setup, &mut talk, Some(&mut live), &mut stand_in, &mut script, log, None, observer)?;
            live.notes().iter().for_each(|note| observer.note(note));
            observer.say(&format!("\n{}", live.meter().table()));
            live.meter().clone()
        }
    };
    voices::refuse_secrets("the discussion", &to_lines(talk.log()))?;
    let unfinished = || Fail::new("the discussion did not come to its end");
    let held = |talk| Held { talk, usage, left_out: setup.script.left_out.clone() };
    if !talk.is_closed() {
        let paused = talk.pause().ok_or_else(unfinished)?;
        return Ok(held(Talk::Open(Box::new(paused))));
    }
    let finished = talk.finish().ok_or_else(unfinished)?;
    observer.say(&format!("\n{}", synthesis::spoken_summary(&finished, &setup.library)?));
    say_replaced(setup, &finished, observer)?;
    say_unknown_ids(setup, &finished, observer)?;
    let exit = finished.closed.exit;
    let held = held(Talk::Finished(Box::new(finished)));
    say_limits(setup, &held, exit, observer)?;
    Ok(held)
}

/// What of the base has the names that a model asks for; nothing where it cannot be read.
fn more_evidence(setup: &Setup, asked: &[String]) -> Evidence {
    let (settings, items) = &setup.may_read;
    let items: Vec<&str> = items.iter().map(String::as_str).collect();
    let found = setup.repo.more_evidence(setup.base, &setup.item, asked, &setup.evidence, settings, &items);
    found.unwrap_or_default()
}

/// What a model may quote: its evidence, and what it asked for before the run was cut off.
fn excerpts(setup: &Setup, talk: &Discussion<'_>) -> Vec<Excerpt> {
    let needed = talk.need().map(|need| setup.repo.pieces(&need.given).excerpts);
    setup.evidence.excerpts.iter().cloned().chain(needed.into_iter().flatten()).collect()
}

/// What a model asked for before the run was cut off, as its prompts show it.
fn granted(setup: &Setup, talk: &Discussion<'_>) -> Result<Option<String>, Fail> {
    let Some(need) = talk.need() else { return Ok(None) };
    let found = setup.repo.pieces(&need.given);
    Ok(Some(prompt::needed(&setup.library, &need.asked, &found)?))
}

/// Says what the discussion could not do with what was read or said.
fn say_limits(setup: &Setup, held: &Held, exit: Exit, observer: &dyn Observer) -> Result<(), Fail> {
    if let Some(finished) = held.finished().filter(|_| held.unheard() == 0) {
        if finished.is_wordless(&setup.library.cast) {
            observer.note("no user said anything, so no document is changed");
        } else if finished.summary.is_empty()
            && !synthesis::below::accepts_entries(finished.entries(), &setup.library)?
        {
            let is_by_model = finished.opened.voice != SECRETARY && finished.summary.voice.is_none();
            let why = match is_by_model {
                true => {
                    "the synthesis of the model has no entry, and no message has a form that decides or promises"
                }
                false => "no message has a form that decides, asks or promises",
            };
            observer.warn(&format!(
                "no document is changed: {why}, such as \"Decision: …\"; all of them are in the recording"
            ));
        }
    }
    say_left_behind(setup, held, observer);
    critiques::warnings(held.log()).for_each(|one| observer.warn(one));
    critiques::counted(held.log()).iter().for_each(|one| observer.note(one));
    let late = held.finished().map_or(0, |finished| finished.late_words(&setup.library).len());
    if late > 0 {
        let messages = plain::count(late, "message");
        observer.warn(&format!(
            "{messages} came too late to be discussed (exit {exit}, turn limit {}); kept under \"Not Discussed\"",
            setup.opened.max_turns
        ));
    }
    Ok(())
}

/// The words of a sentence that a warning shows at most.
const MAX_SHOWN: usize = 80;

/// Says which sentences after a decision no document has: a condition may be among them. A model's synthesis names its own.
fn say_left_behind(setup: &Setup, held: &Held, observer: &dyn Observer) {
    let Some(finished) = held.finished().filter(|finished| finished.summary.voice.is_none()) else { return };
    let names: Vec<&str> = setup.library.cast.iter().map(|persona| persona.first_name()).collect();
    let messages = finished.log.iter().filter_map(|record| match &record.event {
        Event::User(message) => Some(message.text.as_str()),
        _ => None,
    });
    let left: Vec<String> =
        messages.flat_map(|text| left_behind(text, setup.library.forms(), &names)).collect();
    let Some(first) = left.first() else { return };
    let (shown, of) = (plain::cut(&plain::shown(first), MAX_SHOWN), plain::count(left.len(), "sentence"));
    let more = if left.len() > 1 { " and others" } else { "" };
    let stay = if left.len() > 1 { "stay" } else { "stays" };
    observer.warn(&format!(
        "{of} after a decision {stay} in the recording: \"{shown}\"{more}; a decision is one sentence, or all that is below a line \"Decision:\""
    ));
}

/// Holds the discussion with the lines of a recording, and ends where it departs from that.
fn play(
    setup: &Setup,
    played: &Played,
    talk: &mut Discussion<'_>,
    stand_in: &mut Secretary<'_>,
    script: &mut Script,
    log: &mut Log,
    observer: &dyn Observer,
) -> Result<(), Fail> {
    observer.say(&format!("{}\n", played.told()));
    let mut voice = played.speaker(&setup.opened.voice, setup.evidence.excerpts.clone(), &setup.repo);
    let follower = Follower::new(played, talk);
    let speaker = voice.as_mut().map(|voice| voice as &mut dyn Voice);
    let went = converse(setup, talk, speaker, stand_in, script, log, Some(&follower), observer);
    match follower.into_other() {
        Some(other) => {
            let other = voice.map_or(other.clone(), |voice| voice.explained(other));
            Err(played.misfit(&other, &setup.opened))
        }
        None => went,
    }
}

/// Holds the discussion to its end, with the script or with the person at the keyboard.
#[allow(clippy::too_many_arguments)] // It only passes them on.
fn converse(
    setup: &Setup,
    talk: &mut Discussion<'_>,
    voice: Option<&mut dyn Voice>,
    stand_in: &mut Secretary<'_>,
    script: &mut Script,
    log: &mut Log,
    follower: Option<&Follower<'_>>,
    observer: &dyn Observer,
) -> Result<(), Fail> {
    let clock = || setup.fixed.unwrap_or_else(now);
    let mut voice = voice;
    script.stays_open |= setup.medium == Medium::Keyboard;
    loop {
        let voice: Option<&mut dyn Voice> = match &mut voice {
            Some(voice) => Some(&mut **voice),
            None => None,
        };
        let mut tell = |record: &Record| {
            follower.map_or(Ok(()), |follower| follower.compare(record))?;
            announced(record, setup, log, observer)
        };
        let went = hold(talk, voice, stand_in, script, &clock, &mut tell)?;
        if setup.medium != Medium::Keyboard || went == SessionEnd::Complete {
            return Ok(());
        }
        let stopped = |why| Fail::new(format!("{why}; nothing was committed"));
        asked::listen(talk, script, observer).map_err(stopped)?;
    }
}

/// Keeps an event in the log and shows it.
fn announced(record: &Record, setup: &Setup, log: &mut Log, observer: &dyn Observer) -> Result<(), String> {
    voices::refuse_secrets("the next line", &record.to_line()).map_err(|fail| fail.to_line())?;
    log.append(record, observer);
    // The person who typed it has seen it.
    if setup.medium != Medium::Keyboard || !matches!(record.event, Event::User(_)) {
        observer.say_record(record, &setup.library.cast);
    }
    waiting(setup, observer);
    observer.check()
}

/// Shows that a model is being waited for.
fn waiting(setup: &Setup, observer: &dyn Observer) {
    if setup.voice.asks_a_model() {
        observer.waiting(&format!("waiting for {}", setup.opened.voice));
    }
}

/// Which decisions the new ones replace; an id that no decision of the item has is a warning.
fn say_replaced(setup: &Setup, finished: &Finished, observer: &dyn Observer) -> Result<(), Fail> {
    let mut messages = finished.messages_of_users();
    if messages.all(|message| decisions::named(&message.text).is_empty()) {
        return Ok(());
    }
    let name = finished.recording();
    let all = provenance::decisions(&setup.repo, setup.base, &setup.item, Some((&name, finished)))?;
    let is_new =
        |id: &String| (0..finished.summary.decisions.len()).any(|at| decisions::id(&name, at) == *id);
    for entry in all.replaced().filter(|entry| entry.replaced_by.iter().any(is_new)) {
        observer.say(&format!("Replaces {}: {}", entry.id, plain::one_line(&plain::clean(&entry.text))));
    }
    let layout = setup.library.layout(&finished.opened.layout);
    let records = layout.records(setup.item.files.keys().map(String::as_str));
    let is_record = |wanted: &str| {
        let number = record_numbers(wanted).first().copied();
        records.iter().any(|(known, _)| Some(*known) == number)
    };
    for (_, wanted) in all.unknown.iter().filter(|(id, wanted)| is_new(id) && !is_record(wanted)) {
        observer.warn(&format!(
            "{wanted} is not an earlier decision of this item, so nothing is marked as replaced; `roundtable show {}` lists the ids",
            super::place::slug(&setup.item.path)
        ));
    }
    if finished.summary.decisions.is_empty() {
        observer
            .warn("no decision was recorded, so none is replaced; write it as \"Decision: …, replaces D-…\"");
    }
    Ok(())
}

/// Warns of ids that decisions name and no document of the item has, where a document near it defines them, or where its
/// own have others of their kind.
fn say_unknown_ids(setup: &Setup, finished: &Finished, observer: &dyn Observer) -> Result<(), Fail> {
    let texts = || setup.item.documents();
    let known: BTreeSet<&str> = texts().flat_map(|(_, text)| mentioned_ids(text)).collect();
    let decided = || finished.summary.decisions.iter().map(|one| one.text.as_str());
    if decided().flat_map(mentioned_ids).all(|id| known.contains(id)) {
        return Ok(());
    }
    let defined = DefinedIds::new(texts().filter(|(name, _)| is_markdown(name)).map(|(_, text)| text));
    let families: BTreeSet<&str> = texts().flat_map(|(_, text)| defined.named(text)).map(family).collect();
    let near = setup.repo.documents_near(setup.base, &setup.item)?;
    let near: Vec<(&str, DefinedIds)> =
        near.iter().map(|(path, text)| (path.as_str(), DefinedIds::new([text.as_str()]))).collect();
    let unknown: BTreeSet<&str> =
        decided().flat_map(mentioned_ids).filter(|id| !known.contains(id)).collect();
    for id in unknown {
        if let Some((path, _)) = near.iter().find(|(_, defined)| defined.has(id)) {
            let path = plain::shown(path);
            observer.warn(&format!(
                "{id}, which a decision names, is in {path}, and that is not a document of this item: no line goes below it"
            ));
        } else if families.contains(family(id)) && defined.named(id).next().is_some() {
            observer.warn(&format!("no document has {id}, which a decision names"));
        }
    }
    Ok(())
}

/// The discussion as it begins, or where it was cut off.
pub fn begin<'s>(setup: &'s Setup, step: &'s Step, clock: &dyn Fn() -> Time) -> Result<Discussion<'s>, Fail> {
    if setup.begun.is_empty() {
        let first = Record { at: clock(), event: Event::Opened(Box::new(setup.opened.clone())) };
        return Ok(Discussion::open(&setup.library, step, first)?);
    }
    let gone = |refused: Refused| {
        Fail::new(format!("--resume: the log of run {} cannot be continued: {refused}", setup.opened.run))
    };
    Discussion::replay(&setup.library, step, &setup.begun).map_err(gone)
}

/// The secretary: it speaks itself, or for a model that gave no line.
pub fn stand_in<'s>(setup: &'s Setup, step: &Step) -> Result<Secretary<'s>, Fail> {
    let is_covered = setup.item.meta.steps_completed().contains(&step.id);
    let rules = Arc::clone(&setup.rules);
    let laid = synthesis::laid(&setup.opened, &setup.library);
    Ok(landing::stand_in(&setup.repo, &setup.item, setup.base, (step, &laid), rules, is_covered)?)
}

/// The head of a model's prompts.
pub fn head(setup: &Setup, talk: &Discussion<'_>, observer: &dyn Observer) -> Result<String, Fail> {
    let step = setup.library.step(&setup.opened.step.id)?;
    let target = synthesis::target(&setup.item, &synthesis::laid(&setup.opened, &setup.library), step);
    let messages = setup.script.inputs().flatten().map(|input| input.text.as_str()).collect();
    let earlier = landing::decided(&setup.repo, setup.base, &setup.item)?;
    let max_chars = setup.may_read.0.max_chars;
    let given = prompt::Given { evidence: setup.evidence.clone(), earlier, target, messages, max_chars };
    let (head, cut) = prompt::head(&prompt::Subject::new(talk), setup.item.documents(), &given)?;
    for name in cut {
        observer.note(&format!(
            "{name}: the model gets only its beginning (all documents together are cut at {} characters)",
            prompt::DOCUMENTS
        ));
    }
    voices::refuse_secrets("the item", &head)?;
    Ok(head)
}

/// A discussion that is committed nowhere.
pub fn not_committed(setup: &Setup, held: Held, outcome: Outcome) -> Landed {
    let (branch, base) = (setup.opened.branch.clone(), setup.base.to_string());
    Landed { held, branch, base, commit: None, already_recorded: false, outcome }
}

/// `--out`: the recording goes to a file of the user's, and nothing is committed.
fn keep(setup: &Setup, held: Held, path: &Path, observer: &dyn Observer) -> Result<Landed, Fail> {
    let outcome = match &held.talk {
        Talk::Finished(finished) => landing::place(&setup.item, finished, &setup.library)?.0,
        Talk::Open(paused) => Outcome::nothing(&synthesis::open_recording(&paused.opened.item, &paused.log)),
    };
    observer.check().map_err(Fail::new)?;
    let shown = plain::shown(&path.display().to_string());
    write_whole(path, to_lines(held.log()).as_bytes())
        .map_err(|error| Fail::new(format!("{shown} cannot be written: {error}")))?;
    observer.say_strong(&format!("\nRecorded in {shown}; nothing was committed."));
    Ok(not_committed(setup, held, outcome))
}

fn already_recorded(
    setup: &Setup,
    commit: Oid,
    recording: &str,
    observer: &dyn Observer,
) -> Result<Landed, Fail> {
    let branch = &setup.opened.branch;
    let bytes = setup.repo.file(commit, recording)?.unwrap_or_default();
    let log = from_lines(recording, crate::text::json::utf8(recording, &bytes)?)?;
    let step = setup.library.step(&setup.opened.step.id)?;
    let finished = Discussion::replay(&setup.library, step, &log)?.finish();
    let finished = finished.ok_or_else(|| Fail::new(format!("{recording} has no end")))?;
    let carrier = if setup.exists { branch.clone() } else { format!("commit {}", short(commit)) };
    observer
        .say(&format!("Already recorded: {carrier} carries this run in {recording}. Nothing was changed."));
    Ok(Landed {
        branch: branch.clone(),
        base: finished.opened.base.clone(),
        commit: Some(setup.repo.introducing_commit(commit, recording)?),
        already_recorded: true,
        outcome: Outcome::nothing(recording),
        held: Held {
            talk: Talk::Finished(Box::new(finished)),
            usage: Meter::default(),
            left_out: setup.script.left_out.clone(),
        },
    })
}

/// `Updated …, section "…": added ….`, a line an artifact; what took no addition is a warning.
pub fn announce(outcome: &Outcome, observer: &dyn Observer) {
    observer.say("");
    // In this order: what was written, what was left, what stays in the recording.
    let left = outcome.placed.len()..outcome.placed.len() + outcome.left.len();
    for (at, line) in outcome.announcements.iter().enumerate() {
        if left.contains(&at) { observer.warn(line) } else { observer.say(line) }
    }
}
