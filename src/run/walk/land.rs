//! How a walk lands: a step as one commit, a phase that is left, an older field of meta.json, or the
//! whole run at once. What is committed is built on the branch's tip, anew where somebody else moved
//! it, and goes through [`additive::verify`].

use std::collections::BTreeMap;

use git2::Oid;
use minijinja::context;

use super::earlier::same_run;
use super::{Mode, Walk, WalkError, WalkSetup};
use crate::additive;
use crate::analysis::Landing;
use crate::analysis::artifact::Draft;
use crate::analysis::event::to_lines;
use crate::git::{Committed, Wanted};
use crate::item::library::sha256;
use crate::item::meta::{self, Advance};
use crate::item::step::Step;
use crate::item::{Change, File, Item, Meta};
use crate::run::Observer;
use crate::run::landing::{NotLanded, TRIES, with_trailers};
use crate::text::template::Failed;
use crate::text::time::Time;

impl Walk<'_> {
    /// Commits what the step has come to, or lets the item grow in memory.
    pub(super) fn land(&mut self, landing: &Landing, observer: &dyn Observer) -> Result<(), WalkError> {
        if !landing.has_words && landing.phases.is_empty() {
            return Ok(());
        }
        let library = self.setup.library;
        let step = &library.steps[landing.step];
        let draft = self.draft();
        let measure = self.measured(step, &draft, landing.again)?;
        let at = (self.setup.clock)();
        let log = to_lines(&self.analysis.step_log(&self.at.to_string(), at));
        let is_more = self.setup.mode == Mode::Each && landing.again && landing.has_words;
        let told = if is_more { self.counted(step, &log)? } else { 0 };
        if self.setup.mode == Mode::Each
            && self.is_overtaken
            && already_landed(&self.setup, (self.at, &self.item), landing, step, &log, told)?
        {
            return Ok(());
        }
        let codebase = self.codebase.to_string();
        let mut build = |item: &Item| -> Result<Vec<Change>, WalkError> {
            let mut changes = Vec::new();
            if landing.has_words {
                changes = self.outcome(item, step, &draft, measure.as_ref(), landing.again, at)?.changes;
                let path = log_path(item, step, at);
                changes.push(Change { path, before: None, after: log.clone().into_bytes() });
            }
            let steps: Vec<String> = landing.is_done.then(|| step.id.clone()).into_iter().collect();
            let advance = Advance {
                steps: &steps,
                phases: &landing.phases,
                depths: &landing.depths,
                codebase: codebase.get(..7).filter(|_| !landing.phases.is_empty()),
            };
            changes.extend(meta_change(item, item.meta.advanced(&advance)?));
            Ok(changes)
        };
        if self.setup.mode != Mode::Each {
            let changes = build(&self.item)?;
            let additive = additive::verify(changes).map_err(|losses| NotLanded::Losses { losses })?;
            self.grow(additive.changes())?;
            return Ok(());
        }
        let body = self.message(landing, step, &draft)?;
        let heard = self.heard(&step.id);
        let mut trailers = vec![("Item", self.item.path.clone()), ("Step", step.id.clone())];
        if landing.has_words {
            trailers.push(("Log", sha256(log.as_bytes())));
        }
        trailers.push(("Heard", format!("{} {}", heard.0, heard.1)));
        trailers.push(("Run", self.setup.run.clone()));
        let message = with_trailers(&body, &trailers, &self.setup.author);
        let is_done = |tip, item: &Item| already_landed(&self.setup, (tip, item), landing, step, &log, told);
        let landed = commit(&self.setup, self.at, &self.item, &message, at, &mut build, &is_done)?;
        self.landed(landed, &step.id, observer)
    }

    /// How many logs of a step say what this one says, by what this walk has come to: those that it began
    /// with and its own. One more than that is a copy's.
    fn counted(&mut self, step: &Step, log: &str) -> Result<usize, WalkError> {
        let before = alike(&self.setup, (self.start.0, &self.start.1), step, log)?;
        let own = self.told.entry(format!("{}\n{}", step.id, words(log))).or_default();
        *own += 1;
        Ok(before + *own - 1)
    }

    /// Goes on from a commit.
    fn landed(&mut self, landed: Stood, step: &str, observer: &dyn Observer) -> Result<(), WalkError> {
        match landed {
            Stood::Done(commit) => {
                observer.say_strong(&format!(
                    "Committed {} on {}: step {step}.",
                    crate::git::short(commit),
                    self.setup.branch
                ));
                self.commits.push(commit);
                self.at = commit;
            }
            // A copy of this very run was faster.
            Stood::Overtaken(tip) => {
                if !same_run(&self.setup, self.at, tip)? {
                    return Err(WalkError::Overtaken(step.to_owned()));
                }
                self.is_overtaken = true;
                self.at = tip;
            }
        }
        self.item = self.setup.repo.item(self.at, &self.item.path)?;
        Ok(())
    }

    fn message(&self, landing: &Landing, step: &Step, draft: &Draft) -> Result<String, Failed> {
        let open = match draft.open.len() {
            0 => String::new(),
            1 => "1 question".to_owned(),
            many => format!("{many} questions"),
        };
        let values = context! {
            slug => self.item.slug(),
            step_id => step.id.as_str(),
            title => step.title.as_str(),
            phase => step.phase.as_str(),
            open,
            again => landing.again,
        };
        let template = if landing.has_words { "commit-step" } else { "commit-close" };
        self.setup.library.templates.render(&format!("analysis/{template}.txt"), values)
    }

    /// How much of the script was heard before the choice at hand: a run that is cut off after the
    /// commit hears the choice again.
    fn heard(&self, step: &str) -> (usize, usize) {
        let (total, left) = (self.total.left(step), self.left_at_choice);
        (total.0.saturating_sub(left.0), total.1.saturating_sub(left.1))
    }

    /// What an older field of meta.json stands for is said by the newer ones, in a commit of its own
    ///
    pub(super) fn migrate(&mut self, observer: &dyn Observer) -> Result<(), WalkError> {
        if !self.item.meta.owed_by_legacy() {
            return Ok(());
        }
        let at = (self.setup.clock)();
        let none = BTreeMap::new();
        let advance = Advance { steps: &[], phases: &[], depths: &none, codebase: None };
        let mut build = |item: &Item| -> Result<Vec<Change>, WalkError> {
            Ok(meta_change(item, item.meta.advanced(&advance)?).into_iter().collect())
        };
        if self.setup.mode != Mode::Each {
            let changes = build(&self.item)?;
            return self.grow(&changes);
        }
        let body = self
            .setup
            .library
            .templates
            .render("analysis/commit-migrate.txt", context! { slug => self.item.slug() })?;
        let trailers = [("Item", self.item.path.clone()), ("Run", self.setup.run.clone())];
        let message = with_trailers(&body, &trailers, &self.setup.author);
        let is_done = |_, item: &Item| Ok(!item.meta.owed_by_legacy());
        let landed = commit(&self.setup, self.at, &self.item, &message, at, &mut build, &is_done)?;
        self.landed(landed, "meta.json", observer)
    }

    /// Lets the item grow in memory.
    pub(super) fn grow(&mut self, changes: &[Change]) -> Result<(), WalkError> {
        for change in changes {
            let grown = self.grown.entry(change.path.clone());
            grown.or_insert_with(|| (change.before.clone(), Vec::new())).1.clone_from(&change.after);
            let Some(name) = change.path.strip_prefix(&format!("{}/", self.item.path)) else { continue };
            if let Some(recording) = name.strip_prefix("elaborations/") {
                self.item.recordings.push(recording.to_owned());
                continue;
            }
            if name == meta::FILE {
                self.item.meta = Meta::read(&change.path, &change.after)?;
            }
            let is_document = crate::item::is_document(name);
            let file = if is_document { File::Bytes(change.after.clone()) } else { File::Opaque };
            self.item.files.insert(name.to_owned(), file);
        }
        Ok(())
    }

    pub(super) fn commit_all(&mut self, changes: Vec<Change>) -> Result<(), WalkError> {
        let before = self.analysis.opened().steps_completed.len();
        let steps = self.analysis.progress().0.get(before..).unwrap_or_default().to_vec();
        let shown = match steps.as_slice() {
            [] => "the item".to_owned(),
            [one] => format!("step {one}"),
            [first, .., last] => format!("steps {first} to {last}"),
        };
        let values = context! { slug => self.item.slug(), steps => shown };
        let body = self.setup.library.templates.render("analysis/commit-all.txt", values)?;
        let trailers =
            [("Item", self.item.path.clone()), ("Steps", steps.join(" ")), ("Run", self.setup.run.clone())];
        let message = with_trailers(&body, &trailers, &self.setup.author);
        let at = (self.setup.clock)();
        let mut build = |_: &Item| Ok(changes.clone());
        let landed =
            commit(&self.setup, self.at, &self.setup.item, &message, at, &mut build, &|_, _| Ok(true))?;
        match landed {
            Stood::Done(commit) => self.commits.push(commit),
            Stood::Overtaken(tip) if self.setup.repo.message_of(tip)? == message => self.commits.push(tip),
            Stood::Overtaken(_) => return Err(NotLanded::Busy(self.setup.branch.clone()).into()),
        }
        for landed in &mut self.elaborations {
            landed.commit = self.commits.last().copied();
        }
        Ok(())
    }
}

/// Whether an item, as it is at a commit, carries a landing already; `told` logs that say the same were
/// there before.
fn already_landed(
    setup: &WalkSetup<'_>,
    (at, item): (Oid, &Item),
    landing: &Landing,
    step: &Step,
    log: &str,
    told: usize,
) -> Result<bool, WalkError> {
    if !landing.has_words {
        let phases = item.meta.phases_completed();
        return Ok(landing.phases.iter().all(|phase| phases.contains(phase)));
    }
    if !landing.again {
        return Ok(item.meta.steps_completed().contains(&step.id));
    }
    Ok(alike(setup, (at, item), step, log)? > told)
}

/// How many logs of a step this very run has left at a commit that say what this one says.
fn alike(
    setup: &WalkSetup<'_>,
    (at, item): (Oid, &Item),
    step: &Step,
    log: &str,
) -> Result<usize, WalkError> {
    let stem = format!("analysis/{}-", step.id);
    let run = format!("\"run\":\"{}\"", setup.run);
    let mut count = 0;
    for name in item.files.keys().filter(|name| name.starts_with(&stem)) {
        let bytes = setup.repo.file(at, &format!("{}/{name}", item.path))?.unwrap_or_default();
        let found = String::from_utf8_lossy(&bytes);
        let is_own = found.lines().next().is_some_and(|first| first.contains(&run));
        count += usize::from(is_own && words(&found) == words(log));
    }
    Ok(count)
}

/// A log except for its beginning, which names the commit it was read from.
fn words(log: &str) -> &str {
    log.split_once('\n').map_or("", |(_, rest)| rest)
}

/// Where a step's log goes; a second one of the same moment gets a number.
fn log_path(item: &Item, step: &Step, at: Time) -> String {
    let stem = format!("analysis/{}-{}", step.id, at.digits());
    let mut name = format!("{stem}.jsonl");
    let mut number = 2;
    while item.files.contains_key(&name) {
        name = format!("{stem}-{number}.jsonl");
        number += 1;
    }
    format!("{}/{name}", item.path)
}

/// The change of meta.json, if it changes.
fn meta_change(item: &Item, after: String) -> Option<Change> {
    let before = match item.files.get(meta::FILE) {
        Some(File::Bytes(before)) => Some(before.clone()),
        _ => None,
    };
    (before.as_deref() != Some(after.as_bytes())).then(|| Change {
        path: format!("{}/{}", item.path, meta::FILE),
        before,
        after: after.into_bytes(),
    })
}

/// How a commit ended.
enum Stood {
    Done(Oid),
    /// Somebody else has brought what was to be committed; the branch's tip.
    Overtaken(Oid),
}

/// Commits changes on the branch, made anew on its tip when somebody else has moved it.
fn commit(
    setup: &WalkSetup<'_>,
    start: Oid,
    read: &Item,
    message: &str,
    at: Time,
    build: &mut dyn FnMut(&Item) -> Result<Vec<Change>, WalkError>,
    is_done: &dyn Fn(Oid, &Item) -> Result<bool, WalkError>,
) -> Result<Stood, WalkError> {
    let repo = setup.repo;
    let mut lock = repo.lock()?;
    for _ in 0..TRIES {
        let tip = repo.tip(&setup.branch)?;
        repo.refuse_checked_out(&setup.branch)?;
        let parent = tip.unwrap_or(start);
        let moved;
        let item = if parent == start {
            read
        } else {
            moved = repo.item(parent, &read.path)?;
            if is_done(parent, &moved)? {
                return Ok(Stood::Overtaken(parent));
            }
            &moved
        };
        let changes = build(item)?;
        let additive = additive::verify(changes).map_err(|losses| NotLanded::Losses { losses })?;
        let wanted = Wanted {
            branch: &setup.branch,
            tip,
            parent,
            additive: &additive,
            message,
            author: &setup.author,
            time: at.seconds(),
        };
        if let Committed::Done(commit) = repo.commit(&mut lock, &wanted)? {
            return Ok(Stood::Done(commit));
        }
    }
    Err(NotLanded::Busy(setup.branch.clone()).into())
}
