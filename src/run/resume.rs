//! `--resume`: the log that a discussion leaves while it goes on, and how another run goes on with it.

use super::place;
use super::{Fail, Observer};
use crate::discussion::event::{Event, Opened, Record, Time};
use crate::git::{Leftover, Pending, Repo};
use crate::run::agent;
use crate::run::script::Script;

/// The log of a run in the git folder, and what was said in it.
pub struct Log {
    pending: Option<Pending>,
    has_turn: bool,
    has_message: bool,
}

impl Log {
    const fn of(pending: Option<Pending>) -> Log {
        Log { pending, has_turn: false, has_message: false }
    }

    /// No log, for a run that writes nothing.
    pub const fn none() -> Log {
        Log::of(None)
    }

    /// Begins the log of a run with the events it has.
    pub fn begin(repo: &Repo, run: &str, begun: &[Record], observer: &dyn Observer) -> Log {
        let pending = repo.write_pending(run, begun);
        Log::of(pending.unwrap_or_else(|error| {
            observer.note(&format!("no log is kept for --resume: {error}"));
            None
        }))
    }

    pub fn append(&mut self, record: &Record, observer: &dyn Observer) {
        self.has_turn |= matches!(record.event, Event::Contribution(_) | Event::Points(_));
        self.has_message |= matches!(record.event, Event::User(_));
        if let Some(Err(error)) = self.pending.as_mut().map(|pending| pending.append(record)) {
            observer.note(&format!("no log is kept for --resume: {error}"));
            self.pending = None;
        }
    }

    /// Whether a model or a person has said something: what can be said again for nothing is not worth keeping.
    pub const fn is_worth_keeping(&self, asks_a_model: bool, is_script: bool) -> bool {
        self.has_turn && (asks_a_model || !is_script) || self.has_message && !is_script
    }

    /// Removes the log of a run that is done, or that is not to be kept; one that a run began with stays.
    pub fn end(self, is_kept: bool, observer: &dyn Observer) {
        let Some(pending) = self.pending else { return };
        if is_kept {
            observer.note("the discussion so far is kept; the same command with --resume continues it");
        } else {
            pending.finish();
        }
    }
}

/// Which discussion is to go on.
pub struct ResumeTarget<'w> {
    /// The item's path, or its slug where no path is known.
    pub item: &'w str,
    /// None for any step.
    pub step: Option<&'w str>,
    /// None for any branch.
    pub branch: Option<&'w str>,
    pub fixed: Option<Time>,
    /// An agent speaks for the personas.
    pub by_agent: bool,
}

impl ResumeTarget<'_> {
    fn is(&self, left: &Leftover) -> bool {
        let is_fixed_at = |fixed: Time| left.log.first().is_some_and(|first| first.at == fixed);
        left.opened().is_some_and(|opened| {
            (opened.item == self.item || place::slug(&opened.item) == self.item)
                && self.step.is_none_or(|step| opened.step.id == step)
                && self.branch.is_none_or(|branch| opened.branch == branch)
                && (opened.voice == agent::NAME) == self.by_agent
        }) && self.fixed.is_none_or(is_fixed_at)
    }
}

/// The last discussion that was cut off: of those that this run can go on with, else of all.
pub fn begun(
    repo: &Repo,
    wanted: &ResumeTarget<'_>,
    fits: impl Fn(&Leftover) -> bool,
    observer: &dyn Observer,
) -> Option<Leftover> {
    let mut found: Vec<Leftover> = repo.leftovers().into_iter().filter(|left| wanted.is(left)).collect();
    let at = found.iter().rposition(fits).or(found.len().checked_sub(1))?;
    let left = found.swap_remove(at);
    observer.note(&format!("continuing run {} after its event {}", left.run, left.log.len()));
    Some(left)
}

/// Takes what was already heard from the script: the rest is what the discussion goes on with.
pub fn catch_up(script: &mut Script, begun: &[Record]) -> Result<(), Fail> {
    let heard = begun.iter().filter_map(|record| match &record.event {
        Event::User(message) => Some(Some(message.text.as_str())),
        Event::Silence {} => Some(None),
        Event::Unheard(late) => Some(Some(late.text.as_str())),
        _ => None,
    });
    for (at, heard) in heard.enumerate() {
        let input = script.next_input();
        if input.as_ref().map(|input| input.text.as_str()) != heard {
            return Err(Fail::new(format!(
                "--resume: input {} of the script is not the one that was heard before",
                at + 1
            ))
            .with_hint(
                "give the script the run was begun with, or drop the run (roundtable status --drop RUN)",
            ));
        }
    }
    Ok(())
}

/// The opening of the run that was cut off, if this one would have been opened alike.
pub fn gone_on(now: &Opened, begun: &Opened) -> Result<Opened, Fail> {
    let model = |opened: &Opened| opened.model.clone().unwrap_or_default();
    let facts = [
        ("--voice", &begun.voice, &now.voice),
        ("--model", &model(begun), &model(now)),
        ("--max-turns", &begun.max_turns.to_string(), &now.max_turns.to_string()),
        ("--user", &begun.user, &now.user),
    ];
    for (what, begun, now) in facts {
        if begun != now {
            return Err(Fail::new(format!(
                "--resume: the discussion was begun with {what} {begun}, and {now} is asked for"
            ))
            .with_hint("go on with what it was begun with"));
        }
    }
    Ok(begun.clone())
}
