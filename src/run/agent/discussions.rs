//! The discussions of an agent over the Model Context Protocol.
//!
//! Each call runs the log of its discussion through the rules again, makes its move and keeps what was
//! recorded; the same events go to the log in the git folder, so that a discussion outlives the program.
//! Nothing is written anywhere else before `close` commits.

use std::collections::BTreeMap;
use std::path::{Component, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::tools::{self, Call};
use super::{AgentTable, NAME, Referee, RefusedLine, Said, Stage, State};
use crate::discussion::event::{Event, Record, SECRETARY, to_lines};
use crate::discussion::{self, Discussion, Finished, transcript};
use crate::git::{Pending, Repo};
use crate::item::Item;
use crate::item::persona::{Cast, Persona};
use crate::run::clock::{epoch, fixed_at, now};
use crate::run::decided::{self, Decided};
use crate::run::documents::{self, ReviewInput};
use crate::run::elaborate::stand_in;
use crate::run::landing;
use crate::run::observer::Warnings;
use crate::run::script::{Input, Script};
use crate::run::session::Stopped;
use crate::run::settings;
use crate::run::workspace::Workspace;
use crate::run::{ElaborateRequest, Fail, Medium, Observer as _, RunRequest, Setup, place, set_up, voices};
use crate::synthesis;
use crate::text::plain;
use crate::voice::sources::Excerpt;

/// Documents together are cut to so many characters.
const DOCUMENTS: usize = 200_000;
/// The digits of a run that name its discussion.
const ID: usize = 12;

/// The discussions of one client.
pub struct Discussions {
    workspace: Workspace,
    warnings: Warnings,
    by_id: BTreeMap<String, OpenDiscussion>,
}

impl Discussions {
    pub fn new(workspace: Workspace) -> Discussions {
        Discussions { workspace, warnings: Warnings::default(), by_id: BTreeMap::new() }
    }
}

/// A discussion under way; its events are `setup.begun`.
struct OpenDiscussion {
    setup: Setup,
    pending: Option<Pending>,
    referee: Referee,
    /// Where it was committed.
    landed: Option<Value>,
}

/// What is refused of a move.
type Refused = Result<Vec<RefusedLine>, Stopped>;

impl Discussions {
    /// Answers a call: a value, or an error as one.
    ///
    /// # Errors
    /// What is wrong with the call, as `--json` prints it.
    pub(super) fn answer(&mut self, call: Call) -> Result<Value, Value> {
        let answered = match call {
            Call::Review(review) => self.review(review),
            Call::Open(open) => self.open(open),
            Call::Say(tools::Say { discussion, lines }) => {
                let lines: Vec<Said> = lines.into_iter().map(Said::from).collect();
                self.play(&discussion, |referee, talk, table| referee.say(talk, lines, table))
            }
            Call::Hear(tools::Hear { discussion, text, by }) => {
                let mut script = Script::of(None, vec![Some(Input { text, by, at: None, comment: None })]);
                script.warnings.iter().for_each(|warning| self.warnings.warn(warning));
                let input = script.next_input();
                self.play(&discussion, |referee, talk, table| referee.hear(talk, input, table))
            }
            Call::Close(close) => self.close(close),
            Call::Read(read) => self.read(&read),
            Call::Decisions(asked) => self.decisions(&asked),
        };
        let warnings = self.warnings.take();
        match answered {
            Ok(mut value) => {
                if !warnings.is_empty() {
                    value["warnings"] = json!(warnings);
                }
                Ok(value)
            }
            Err(fail) => Err(error(&fail)),
        }
    }

    fn review(&self, asked: tools::Review) -> Result<Value, Fail> {
        let repo = self.workspace.open()?;
        let mut paths = Vec::new();
        for path in asked.paths.iter().chain(&asked.item) {
            paths.push(inside(&repo, path)?);
        }
        let rev = repo.work_tree().is_none().then(|| "HEAD".to_owned());
        let request =
            documents::ReviewRequest { paths, step: asked.step, rev, ..documents::ReviewRequest::default() };
        let source = ReviewInput::open(&self.workspace, &request)?;
        let found = documents::review(&source, &request, &self.warnings)?;
        let root = repo.work_tree().map(|root| format!("{}/", root.to_string_lossy().trim_end_matches('/')));
        let mut findings = json!(found.findings);
        for finding in findings.as_array_mut().into_iter().flatten() {
            let inner = finding["path"].as_str().zip(root.as_deref());
            if let Some(path) = inner.and_then(|(path, root)| path.strip_prefix(root)).map(str::to_owned) {
                finding["path"] = json!(path);
            }
        }
        Ok(json!({"findings": findings}))
    }

    fn read(&self, asked: &tools::Read) -> Result<Value, Fail> {
        let repo = self.workspace.open()?;
        let place = place::place(&self.workspace.settings()?, &repo, &asked.item, None, None)?;
        let config = self.workspace.settings_at(&repo, place.base)?;
        let path = repo.find_item(place.base, &asked.item, &config.folders())?;
        let item = repo.item_or_documents(place.base, &path)?;
        let evidence = repo.evidence(place.base, &item, Vec::new(), &config.evidence(), &config.folders())?;
        let piece = |one: &Excerpt| json!({"path": one.path, "line": one.line, "text": one.text});
        let mut answer = json!({
            "item": item.path,
            "name": item.name(),
            "commit": place.base.to_string(),
            "documents": documents(&item),
            "evidence": evidence.excerpts.iter().map(piece).collect::<Vec<_>>(),
            "commits": evidence.commits.iter().map(|(path, commits)| json!({"path": path, "commits": commits})).collect::<Vec<_>>(),
        });
        if let Some(step) = &asked.step {
            let library = settings::library(&repo, place.base, &config)?;
            let step = library.step(step)?;
            answer["step"] = json!({
                "id": step.id,
                "title": step.title,
                "outputs": step.outputs,
                "asks": step.validation,
                "lead": library.cast.lead(&step.phase).0.key,
            });
            let persona = |one: &Persona| {
                let Persona { key, name, role, lens, style, .. } = one;
                json!({"persona": key, "name": name, "role": role, "lens": lens, "style": style})
            };
            answer["personas"] = library.cast.iter().map(persona).collect();
        }
        Ok(answer)
    }

    /// What was decided in items, each on its branch where that is ahead; with a path, what is about that file.
    fn decisions(&self, asked: &tools::DecisionsCall) -> Result<Value, Fail> {
        let repo = self.workspace.open()?;
        let config = self.workspace.settings_at(&repo, repo.resolve("HEAD")?)?;
        let (found, unread) = decided::read(&repo, asked.item.as_deref(), None, &config)?;
        if let Some(finding) = unread {
            return Err(finding.into());
        }
        for (recording, why) in found.iter().flat_map(|shown| &shown.dossier.unread) {
            self.warnings.warn(&format!("{} is left out: {why}", plain::shown(recording)));
        }
        let Some(path) = asked.path.as_deref().map(|path| path.trim_start_matches("./")) else {
            return Ok(decided::as_json(&found));
        };
        let all = found.iter().flat_map(|shown| decided::decided(&shown.dossier));
        let about: Vec<Decided> = all.filter(|one| decided::is_about(one, path)).collect();
        Ok(json!({"decisions": about}))
    }

    /// Begins a discussion, or goes on with the one of the same item and step.
    fn open(&mut self, asked: tools::OpenCall) -> Result<Value, Fail> {
        let fixed = asked.at.as_deref().map(|at| fixed_at("at", at)).transpose()?;
        if asked.max_turns.is_some_and(|turns| !(3..=100_000).contains(&turns)) {
            return Err(Fail::new("max_turns is not between 3 and 100000"));
        }
        let script = Script::of(asked.user.clone(), Vec::new());
        let run = RunRequest {
            item: place::forward(&asked.item),
            script,
            max_turns: asked.max_turns,
            fixed: fixed.map_or_else(epoch, |at| Ok(Some(at)))?,
            leaves_merged: true,
            ..RunRequest::default()
        };
        let (step, medium) = (Some(asked.step), Medium::Agent);
        let task = ElaborateRequest { run, step, resume: true, medium, ..ElaborateRequest::default() };
        let setup = set_up(self.workspace.open()?, &self.workspace.settings()?, task, &self.warnings)?;
        let id = match self.live(&setup) {
            Some(id) => id,
            None => self.begin(setup)?,
        };
        self.shown_from_the_start(&id)
    }

    /// The discussion under way of the same item and step.
    fn live(&self, setup: &Setup) -> Option<String> {
        let wanted = setup.opened();
        let is_same = |open: &OpenDiscussion| {
            let opened = open.setup.opened();
            let began = open.setup.begun.first().map(|first| first.at);
            open.landed.is_none()
                && (&opened.item, &opened.step.id, &opened.branch)
                    == (&wanted.item, &wanted.step.id, &wanted.branch)
                && setup.fixed.is_none_or(|fixed| began == Some(fixed))
        };
        self.by_id.iter().find(|(_, open)| is_same(open)).map(|(id, _)| id.clone())
    }

    fn begin(&mut self, mut setup: Setup) -> Result<String, Fail> {
        if setup.begun.is_empty() {
            let at = setup.fixed.unwrap_or_else(now);
            setup.begun.push(Record { at, event: Event::Opened(Box::new(setup.opened.clone())) });
        }
        let run = &setup.opened.run;
        let pending = setup.repo.write_pending(run, &setup.begun);
        let pending = pending.map_err(|error| Fail::new(format!("the log cannot be kept: {error}")))?;
        if pending.is_none() {
            return Err(Fail::new("another program holds this discussion").with_hint("end it there first"));
        }
        let id = run[..ID.min(run.len())].to_owned();
        self.by_id
            .insert(id.clone(), OpenDiscussion { setup, pending, referee: Referee::default(), landed: None });
        Ok(id)
    }

    /// The state, with all that was said so far.
    fn shown_from_the_start(&mut self, id: &str) -> Result<Value, Fail> {
        let open = self.by_id.get_mut(id).ok_or_else(|| unknown(id))?;
        let mut state = open.play(id, |_, _, _| Ok(Vec::new()))?;
        let cast = &open.setup.library.cast;
        let introduction = discussion::introduction(&open.setup.library, &open.setup.opened)?;
        let said = open.setup.begun.iter().filter_map(|record| shown(record, cast));
        state["show"] = std::iter::once(introduction).chain(said).collect();
        // It was ended before it was committed.
        if state["stage"] == json!(Stage::Closed) {
            extend(&mut state, open.land()?);
        }
        Ok(state)
    }

    /// The discussion of this id; where the program was ended meanwhile, from its log.
    fn find(&mut self, id: &str) -> Result<&mut OpenDiscussion, Fail> {
        if !self.by_id.contains_key(id) {
            let repo = self.workspace.open()?;
            let is_it = |run: &str| id.len() == ID && run.starts_with(id);
            let left =
                repo.leftovers().into_iter().find(|left| is_it(&left.run)).ok_or_else(|| unknown(id))?;
            let opened = left.opened().filter(|opened| opened.voice == NAME);
            let opened = opened.ok_or_else(|| unknown(id))?;
            // With a fixed clock all events have one time.
            let first = left.log.first().map(|first| first.at);
            let is_fixed = left.log.len() > 1 && left.log.iter().all(|record| Some(record.at) == first);
            self.open(tools::OpenCall {
                item: opened.item.clone(),
                step: opened.step.id.clone(),
                user: None,
                max_turns: Some(opened.max_turns),
                at: first.filter(|_| is_fixed).map(|at| at.to_string()),
            })?;
        }
        self.by_id.get_mut(id).ok_or_else(|| unknown(id))
    }

    /// A move in a discussion, and where it is then.
    fn play(
        &mut self,
        id: &str,
        act: impl FnOnce(&mut Referee, &mut Discussion<'_>, &mut AgentTable<'_, '_>) -> Refused,
    ) -> Result<Value, Fail> {
        self.find(id)?;
        let open = self.by_id.get_mut(id).ok_or_else(|| unknown(id))?;
        open.play(id, act)
    }

    fn close(&mut self, asked: tools::Close) -> Result<Value, Fail> {
        let id = &asked.discussion;
        let synthesis = asked.synthesis.filter(|value| !value.is_null()).map(whole);
        self.find(id)?;
        let open = self.by_id.get_mut(id).ok_or_else(|| unknown(id))?;
        let act = |referee: &mut Referee, talk: &mut Discussion<'_>, table: &mut AgentTable<'_, '_>| {
            referee.close(talk, synthesis.as_deref(), table)
        };
        let mut state = open.play(id, act)?;
        if state["stage"] == json!(Stage::Closed) {
            extend(&mut state, open.land()?);
        }
        Ok(state)
    }
}

/// Adds the fields of one object to another.
fn extend(state: &mut Value, more: Value) {
    if let (Value::Object(state), Value::Object(more)) = (state, more) {
        state.extend(more);
    }
}

/// A synthesis with the lists it leaves out, as text.
fn whole(mut synthesis: Value) -> String {
    if let Value::Object(fields) = &mut synthesis {
        for list in ["insights", "decisions", "open_questions", "action_items"] {
            fields.entry(list).or_insert_with(|| json!([]));
        }
    }
    synthesis.to_string()
}

fn unknown(id: &str) -> Fail {
    let shown = plain::cut(&plain::shown(id), 40);
    Fail::new(format!("there is no discussion {shown} here")).with_hint("begin one with `open`")
}

/// A path of an argument, within the repository.
fn inside(repo: &Repo, path: &str) -> Result<PathBuf, Fail> {
    let given = PathBuf::from(place::forward(path));
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let outside = || Fail::new(format!("{} is not in the repository", plain::cut(&plain::shown(path), 120)));
    if path == "-" || !given.components().all(is_plain) || path.contains('\0') {
        return Err(outside());
    }
    let Some(root) = repo.work_tree() else { return Ok(given) };
    let full = root.join(&given);
    // An item is named by its slug, too.
    let Ok(real) = full.canonicalize() else { return Ok(given) };
    repo.path_within(&real).map(|_| full).ok_or_else(outside)
}

/// The documents of an item, cut where they are too much.
fn documents(item: &Item) -> Vec<Value> {
    let mut left = DOCUMENTS;
    let one = |(name, text): (&str, &str)| {
        let text = plain::clean(text);
        let kept: String = text.chars().take(left).collect();
        left -= kept.chars().count();
        let mut document = json!({"path": name, "text": kept});
        if kept.len() < text.len() {
            document["cut"] = json!(true);
        }
        document
    };
    item.documents().map(one).collect()
}

/// What the user should see of an event.
fn shown(record: &Record, cast: &Cast) -> Option<String> {
    let entry = transcript::entry(record, cast)?;
    Some(format!("{} {}", entry.label, entry.text).trim().to_owned())
}

/// Whether an event is news to the agent that sent the move.
fn is_news(record: &Record) -> bool {
    match &record.event {
        Event::Contribution(said) => said.voice.as_deref() == Some(SECRETARY),
        Event::Notice(_) => true,
        _ => false,
    }
}

impl OpenDiscussion {
    /// A move, from the log and back to it, and where the discussion is then.
    fn play(
        &mut self,
        id: &str,
        act: impl FnOnce(&mut Referee, &mut Discussion<'_>, &mut AgentTable<'_, '_>) -> Refused,
    ) -> Result<Value, Fail> {
        let OpenDiscussion { setup, pending, referee, .. } = self;
        let before = setup.begun.len();
        let mut tell = |record: &Record| {
            voices::refuse_secrets("the message", &record.to_line()).map_err(|fail| fail.to_line())?;
            if let Some(Err(error)) = pending.as_mut().map(|pending| pending.append(record)) {
                return Err(format!("the log cannot be written: {error}"));
            }
            Ok(())
        };
        let (log, played) = moved(setup, referee, id, &mut tell, act)?;
        setup.begun = log;
        let mut state = played?;
        let news: Vec<String> = setup.begun[before..]
            .iter()
            .filter(|record| is_news(record))
            .filter_map(|record| shown(record, &setup.library.cast))
            .collect();
        if !news.is_empty() {
            state["show"] = json!(news);
        }
        Ok(state)
    }

    /// Commits the discussion; again, where it was committed already, says where.
    fn land(&mut self) -> Result<Value, Fail> {
        if let Some(landed) = &self.landed {
            return Ok(landed.clone());
        }
        let setup = &self.setup;
        let unfinished = || Fail::new("the discussion did not come to its end");
        let finished = discussion::finished(setup.begun.clone()).ok_or_else(unfinished)?;
        voices::refuse_secrets("the discussion", &to_lines(&finished.log))?;
        let landed = landing::land(&setup.repo, &setup.library, &finished, setup.base, &setup.item)?;
        let recording = landed.outcome.recording;
        let commit = match landed.already_recorded {
            true => {
                is_this(&setup.repo, landed.commit, &recording, &finished)?;
                setup.repo.introducing_commit(landed.commit, &recording)?
            }
            false => landed.commit,
        };
        let summary = synthesis::spoken_summary(&finished, &setup.library)?;
        let landed = json!({
            "commit": commit.to_string(),
            "branch": setup.opened.branch,
            "recording": recording,
            "show": std::iter::once(summary).chain(finished.summary.unlisted()).collect::<Vec<_>>(),
        });
        if let Some(pending) = self.pending.take() {
            pending.finish();
        }
        self.landed = Some(landed.clone());
        Ok(landed)
    }
}

/// Refuses to call another discussion of the same moment this one.
fn is_this(repo: &Repo, commit: git2::Oid, recording: &str, finished: &Finished) -> Result<(), Fail> {
    let bytes = repo.file(commit, recording)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let said = |line: &str| Record::from_line(line).ok().filter(|record| !is_about_place(record));
    let theirs = text.lines().filter_map(said);
    let ours = finished.log.iter().filter(|record| !is_about_place(record));
    if theirs.eq(ours.cloned()) {
        return Ok(());
    }
    Err(Fail::new(format!("{recording} records another discussion of the same moment"))
        .with_hint("open it again with another `at`"))
}

/// Whether an event says where the discussion was placed.
fn is_about_place(record: &Record) -> bool {
    matches!(record.event, Event::Opened(_) | Event::Closed(_))
}

/// The events after a move, and the state or what stopped it.
fn moved(
    setup: &Setup,
    referee: &mut Referee,
    id: &str,
    tell: &mut dyn FnMut(&Record) -> Result<(), String>,
    act: impl FnOnce(&mut Referee, &mut Discussion<'_>, &mut AgentTable<'_, '_>) -> Refused,
) -> Result<(Vec<Record>, Result<Value, Fail>), Fail> {
    let library = Arc::clone(&setup.library);
    let step = library.step(&setup.opened.step.id)?;
    let mut talk = Discussion::replay(&library, step, &setup.begun)?;
    let mut secretary = stand_in(setup, step)?;
    let clock = || setup.fixed.unwrap_or_else(now);
    let file = |path: &str| {
        let bytes = setup.repo.file(setup.base, path).ok().flatten()?;
        String::from_utf8(bytes).ok()
    };
    let mut table = AgentTable { secretary: &mut secretary, file: &file, clock: &clock, tell };
    let played = act(referee, &mut talk, &mut table).and_then(|refused| {
        let awaited = referee.advance(&mut talk, &mut table)?;
        let state = State { refused, ..super::state(&talk, id, &awaited, referee) };
        Ok(json!(state))
    });
    let log: Vec<Record> = talk.log().to_vec();
    Ok((log, played.map_err(Fail::from)))
}

/// An error as `--json` prints one.
pub(super) fn error(fail: &Fail) -> Value {
    let mut error = json!({"message": plain::clean(&fail.message)});
    if let Some(help) = fail.remedy() {
        error["help"] = json!(plain::clean(help));
    }
    json!({"error": error})
}
