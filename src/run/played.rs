//! A recording whose lines are given to a discussion again (`--voice recorded:FILE`).
//!
//! The discussion goes its whole way: machine, referee, synthesis, landing. Invariant: it comes to what is recorded,
//! event for event, or it ends with the first that does not, and nothing is committed.
//!
//! ```no_run
//! use roundtable::git::Repo;
//! use roundtable::run::played::Played;
//!
//! let repo = Repo::open(std::path::Path::new(".")).unwrap();
//! let played = Played::read("talk.jsonl", || Ok(repo)).unwrap();
//! assert_eq!(played.voice(), "recorded:anthropic");
//! ```

use std::cell::{Cell, RefCell};
use std::path::Path;

use git2::Oid;

use super::Fail;
use super::files::read_file;
use super::place::forward;
use crate::discussion::Discussion;
use crate::discussion::divergence::Divergence;
use crate::discussion::event::{
    AGENT, Event, Opened, Record, SECRETARY, Sent, Time, from_any_lines, to_lines,
};
use crate::git::{AtPath, Repo};
use crate::item::{is_document, meta};
use crate::text::finding::Finding;
use crate::text::json::utf8;
use crate::text::path::is_plain;
use crate::text::plain;
use crate::voice::recorded::{self, Recorded, departure};
use crate::voice::sources::Excerpt;

/// Recordings over this many bytes are refused (64 MiB).
const LARGEST: u64 = 64 << 20;

/// A recording's bytes.
pub struct Recording {
    /// What it is called in messages.
    pub name: String,
    pub bytes: Vec<u8>,
    /// Where it is in the repository, if that was said.
    pub place: Option<CommittedPath>,
}

/// A path at a commit.
#[derive(Clone, Debug)]
pub struct CommittedPath {
    pub commit: Oid,
    pub path: String,
}

impl Recording {
    /// How it begins, if it does as recordings do.
    pub fn opened(&self) -> Option<Opened> {
        let first = self.bytes.split(|byte| *byte == b'\n').next()?;
        match Record::from_line(std::str::from_utf8(first).ok()?).ok()?.event {
            Event::Opened(opened) => Some(*opened),
            _ => None,
        }
    }
}

/// Reads a file, else `REV:PATH` in the repository: a file of that name wins.
///
/// # Errors
/// Neither can be read.
pub fn find(argument: &str, repo: impl FnOnce() -> Result<Repo, Fail>) -> Result<Recording, Fail> {
    let name = plain::shown(argument);
    let path = Path::new(argument);
    if path.exists() {
        return Ok(Recording { name, bytes: read_file(path, LARGEST)?, place: None });
    }
    let Some((revision, inside)) =
        argument.split_once(':').filter(|(revision, inside)| !revision.is_empty() && !inside.is_empty())
    else {
        return Err(Fail::new(format!("{name} does not exist"))
            .with_hint("name a file, or REV:PATH in the repository"));
    };
    let repo = repo()?;
    let commit = repo.resolve(revision)?;
    at(&repo, commit, revision, inside)
}

/// Reads a file of a commit.
fn at(repo: &Repo, commit: Oid, revision: &str, inside: &str) -> Result<Recording, Fail> {
    let path = forward(inside.trim_start_matches("./"));
    let missing = || {
        let (near, revision) = (repo.near_file(commit, &path), plain::shown(revision));
        let listed = || format!("`git ls-tree -r --name-only {revision}` lists the files there");
        Fail::new(format!("no file {} at {revision}", plain::shown(inside)))
            .with_hint(near.unwrap_or_else(listed))
    };
    let bytes = repo.file(commit, &path)?.ok_or_else(missing)?;
    Ok(Recording {
        name: plain::shown(&format!("{revision}:{inside}")),
        bytes,
        place: Some(CommittedPath { commit, path }),
    })
}

/// A finished discussion that is given again.
pub struct Played {
    name: String,
    opened: Opened,
    began: Time,
    /// Its records without those that only end and begin runs.
    log: Vec<Record>,
    /// Of each of them, its line in the file.
    lines: Vec<usize>,
    digest: String,
}

impl Played {
    /// Reads what `--voice recorded:` names.
    ///
    /// # Errors
    /// No recording, or one that has no end.
    pub fn read(argument: &str, repo: impl FnOnce() -> Result<Repo, Fail>) -> Result<Played, Fail> {
        Played::of(find(argument, repo)?)
    }

    /// Reads what the settings name: a path from the repository's root, at HEAD.
    ///
    /// # Errors
    /// As [`Played::read`].
    pub fn read_at(repo: &Repo, commit: Oid, path: &str) -> Result<Played, Fail> {
        Played::of(at(repo, commit, "HEAD", path)?)
    }

    fn of(found: Recording) -> Result<Played, Fail> {
        let name = found.name;
        let text = utf8(&name, &found.bytes)?;
        let (log, _) = from_any_lines(&name, text)?;
        let digest = crate::item::library::sha256(to_lines(&log).as_bytes());
        let only_runs = |record: &Record| matches!(record.event, Event::Paused(_) | Event::Resumed(_));
        let numbered = (1..).zip(log.iter().cloned()).filter(|(_, record)| !only_runs(record));
        let (lines, log): (Vec<usize>, Vec<Record>) = numbered.unzip();
        let opened = match log.first() {
            Some(Record { event: Event::Opened(opened), .. }) => opened.as_ref().clone(),
            _ => {
                return Err(
                    Finding::at(&name, text, 1, 1, "a recording begins with the event `opened`").into()
                );
            }
        };
        if !matches!(log.last(), Some(Record { event: Event::Closed(_), .. })) {
            return Err(Fail::new(format!(
                "{name} has no end, and only a finished discussion is given again"
            ))
            .with_hint("end it first: the last line of a recording is `closed`"));
        }
        let began = log[0].at;
        Ok(Played { name, opened, began, log, lines, digest })
    }

    /// The voice as the new recording names it: who said the words first.
    pub fn voice(&self) -> String {
        recorded::played_name(&self.opened.voice)
    }

    pub fn model(&self) -> Option<String> {
        self.opened.model.clone()
    }

    pub fn step(&self) -> &str {
        &self.opened.step.id
    }

    /// What tells it from other voices, for the run id. The secretary says the same without a recording.
    pub fn identity(&self) -> String {
        match self.is_secretarys() {
            true => SECRETARY.to_owned(),
            false => format!("{} {}", self.voice(), self.digest),
        }
    }

    /// The turns that it took.
    pub fn turn_count(&self) -> u32 {
        match self.log.last().map(|record| &record.event) {
            Some(Event::Closed(closed)) => closed.turn_count,
            _ => 0,
        }
    }

    fn is_secretarys(&self) -> bool {
        self.opened.voice == SECRETARY
    }

    /// Whose lines these are, in a sentence.
    pub fn told(&self) -> String {
        let who = plain::shown(recorded::original(&self.opened.voice));
        let model =
            self.opened.model.as_ref().map_or(String::new(), |model| format!(" ({})", plain::shown(model)));
        let day = self.began.day();
        format!(
            "The lines are those of {who}{model}, recorded {day} in {}; no model is asked now.",
            self.name
        )
    }

    /// What its voice read of the repository, as far as a commit has the same. An agent quotes what it likes: its
    /// files are those that its lines name.
    pub fn evidence(&self, repo: &Repo, base: Oid) -> Vec<Sent> {
        if recorded::original(&self.opened.voice) == AGENT {
            return self.quoted(repo, base);
        }
        let blob = |path: &str| match repo.look_up(base, path) {
            Some(AtPath::File(blob)) if is_plain(path) => Some(blob.to_string()),
            _ => None,
        };
        let is_same = |sent: &&Sent| blob(&sent.path).as_ref() == Some(&sent.blob);
        self.opened.evidence.iter().filter(is_same).cloned().collect()
    }

    /// The files outside of the item that its lines quote.
    fn quoted(&self, repo: &Repo, base: Oid) -> Vec<Sent> {
        let rests = self.log.iter().flat_map(|record| match &record.event {
            Event::Contribution(said) => said.rests.as_slice(),
            _ => &[],
        });
        let mut paths: Vec<&str> = rests.map(|rest| rest.path.as_str()).collect();
        paths.retain(|path| is_plain(path) && !self.opened.read.contains_key(*path));
        paths.sort_unstable();
        paths.dedup();
        let sent = |path: &str| match repo.look_up(base, path) {
            Some(AtPath::File(blob)) => {
                let lines = repo.bytes(blob).ok()?.split(|byte| *byte == b'\n').count();
                Some(Sent { path: path.to_owned(), blob: blob.to_string(), lines: vec![(1, lines)] })
            }
            _ => None,
        };
        paths.into_iter().filter_map(sent).collect()
    }

    /// The voice that says what is recorded; none where the secretary says it itself.
    pub fn speaker<'p>(
        &'p self,
        voice: &'p str,
        excerpts: Vec<Excerpt>,
        repo: &Repo,
    ) -> Option<Recorded<'p>> {
        let needs = || self.log.iter().filter_map(recorded::need_of);
        let later = || needs().flat_map(|need| repo.pieces(&need.given).excerpts).collect();
        (!self.is_secretarys()).then(|| Recorded::new(&self.log, voice, excerpts).and_later(later()))
    }

    /// Refuses a discussion of another step.
    ///
    /// # Errors
    /// It is of another step.
    pub fn fits(&self, now: &Opened) -> Result<(), Fail> {
        let (then, now) = (&self.opened.step.id, &now.step.id);
        if then == now {
            return Ok(());
        }
        let message = format!("{} is a discussion of step {then}, and step {now} is asked for", self.name);
        Err(Fail::new(message).with_hint(format!("add --step {then}, or name a recording of step {now}")))
    }

    /// Why a discussion cannot be the recorded one, with what is different about it.
    pub fn misfit(&self, other: &Divergence, now: &Opened) -> Fail {
        let event = other.event.and_then(|number| self.lines.get(number.checked_sub(1)?).copied());
        let other = Divergence { event: event.or(other.event), ..other.clone() };
        let mut hints = Vec::new();
        if self.opened.max_turns != now.max_turns {
            let then = self.opened.max_turns;
            hints
                .push(format!("its turn limit was {then}, and is {} now: --max-turns {then}", now.max_turns));
        }
        if self.opened.user != now.user {
            let then = plain::shown(&self.opened.user);
            hints.push(format!(
                "its user was {then}, and is {} now: --user \"{then}\"",
                plain::shown(&now.user)
            ));
        }
        let changed = self.changed(now);
        if !changed.is_empty() {
            let base: String = plain::shown(&self.opened.base).chars().take(10).collect();
            hints.push(format!("other documents since: {} (--base {base} has them)", changed.join(", ")));
        }
        if hints.is_empty() {
            hints.push(format!(
                "give it the script that it was held with: roundtable show {} has it",
                self.name
            ));
        }
        Fail::new(format!("the recording {} does not fit this discussion: {other}", self.name))
            .with_hint(hints.join("; "))
    }

    /// The documents that were others when it was recorded.
    fn changed(&self, now: &Opened) -> Vec<String> {
        let names = self.opened.read.keys().chain(now.read.keys());
        let is_other = |name: &&String| {
            is_document(name) && *name != meta::FILE && self.opened.read.get(*name) != now.read.get(*name)
        };
        let mut changed: Vec<String> = names.filter(is_other).map(|name| plain::shown(name)).collect();
        changed.sort();
        changed.dedup();
        changed
    }
}

/// A discussion that is held against its recording, event by event.
pub struct Follower<'p> {
    played: &'p Played,
    next: Cell<usize>,
    other: RefCell<Option<Divergence>>,
}

impl<'p> Follower<'p> {
    pub fn new(played: &'p Played, talk: &Discussion<'_>) -> Follower<'p> {
        Follower { played, next: Cell::new(talk.log().len()), other: RefCell::new(None) }
    }

    /// # Errors
    /// The event is not the recorded one: the discussion ends here.
    pub fn compare(&self, record: &Record) -> Result<(), String> {
        if matches!(record.event, Event::Paused(_) | Event::Resumed(_)) {
            return Ok(());
        }
        let at = self.next.get();
        self.next.set(at + 1);
        match departure(at, record, &self.played.log) {
            Some(other) => {
                self.other.replace(Some(other));
                Err("it is not as it was recorded".to_owned())
            }
            None => Ok(()),
        }
    }

    /// Where it departed from the recording, if it did.
    pub fn into_other(self) -> Option<Divergence> {
        self.other.into_inner()
    }
}
