//! What `replay --all` says of today's documents: what was recorded and is not there as it was recorded.

use std::collections::BTreeSet;

use git2::Oid;
use serde_json::{Value, json};

use super::super::exit::Fail;
use super::super::screen::Screen;
use crate::additive::declared::Declaration;
use crate::additive::policy::Policy;
use crate::git::short;
use crate::item::config::Config;
use crate::replay::Replay;
use crate::replay::today::{Lost, Part, Today, Wrong, alone, without_meta};
use crate::run::check::losses;
use crate::text::plain::{count, one_line};

/// What a revision says of its documents: read before anything is told, as it may be wrong.
pub struct Held {
    pub policy: Policy,
    declarations: Vec<Declaration>,
}

impl Held {
    pub fn read(replay: &Replay, commit: Oid, config: &Config) -> Result<Held, Fail> {
        let policies = [config.policy().map_err(|error| Fail::new(error.what))?];
        let tree = replay.repo().tree_of(commit)?;
        let (declarations, _) = losses::declared(replay.repo(), &policies, None, Some(tree))?;
        let [policy] = policies;
        Ok(Held { policy, declarations })
    }
}

/// What was looked at, and what does not fit.
#[derive(Default)]
pub struct Documents {
    pub lost: Vec<Lost>,
    /// The recordings whose documents were drafts, and still are.
    pub uncompared: BTreeSet<String>,
    /// Items of which nothing was recorded yet.
    unrecorded: usize,
    /// The logs of an analysis' steps.
    logs: usize,
}

impl Documents {
    /// Holds the documents of a commit against what the recordings added to them.
    pub fn read(
        &mut self,
        replay: &Replay,
        commit: Oid,
        config: &Config,
        held: Held,
        parts: Vec<Part>,
    ) -> Result<(), Fail> {
        let Held { policy, declarations } = held;
        let mut items = Vec::new();
        for folder in config.folders() {
            items.extend(replay.repo().items(commit, folder)?);
            let bare = replay.repo().recordings_without_item(commit, folder)?;
            self.lost.extend(bare.iter().map(|item| without_meta(item)));
        }
        items.sort_unstable();
        items.dedup();
        for item in &items {
            let (found, [recordings, logs]) = alone(replay, commit, item)?;
            self.lost.extend(found);
            self.unrecorded += usize::from(recordings + logs == 0);
            self.logs += logs;
        }
        let analysis = replay.analysis_parts(commit, &items, &policy)?;
        let mut today = Today::new(replay, commit, policy, &declarations);
        today.hold(parts);
        today.hold(analysis);
        self.lost.extend(today.losses()?);
        self.uncompared = today.uncompared;
        let order = |one: &Lost| (one.path.clone(), one.recording.clone(), one.recorded_line, one.line);
        self.lost.sort_by_cached_key(order);
        self.lost.dedup();
        Ok(())
    }

    /// Whether everything is there, or declared lost.
    pub fn is_kept(&self) -> bool {
        self.lost.iter().all(|one| one.declared.is_some())
    }

    /// Each loss, then what they come to. Only what was reproduced is held against documents.
    pub fn say(&self, reproduced: usize, is_all: bool, screen: &Screen) {
        let (declared, open): (Vec<&Lost>, Vec<&Lost>) =
            self.lost.iter().partition(|one| one.declared.is_some());
        for one in &declared {
            say_declared(one, screen);
        }
        // What is gone from one place is told together.
        for group in
            open.chunk_by(|a, b| is_gone(a) && is_gone(b) && a.path == b.path && a.recording == b.recording)
        {
            say_lost(group, screen);
        }
        let has_any = reproduced + self.logs > 0;
        if self.unrecorded > 0 && has_any {
            screen.say(&format!("{}: nothing recorded yet", count(self.unrecorded, "item")));
        }
        let except = match declared.len() {
            0 => String::new(),
            many => format!(", except for {many} declared as lost"),
        };
        match open.len() {
            0 if !has_any && declared.is_empty() => {}
            0 if !is_all => {
                screen.say_strong(&format!(
                    "Documents: what the reproduced recordings added is still there{except}"
                ));
            }
            0 => {
                let what = if self.uncompared.is_empty() { "recorded" } else { "that was compared" };
                screen.say_strong(&format!("Documents: everything {what} is still there{except}"));
            }
            1 => screen.say_strong(&format!("Documents: 1 thing is not as it was recorded{except}")),
            many => {
                screen.say_strong(&format!("Documents: {many} things are not as they were recorded{except}"))
            }
        }
        say_remedy(&open, screen);
        self.say_uncompared(screen);
    }

    /// The recordings whose documents may be rewritten.
    fn say_uncompared(&self, screen: &Screen) {
        let whose = match self.uncompared.len() {
            0 => return,
            1 => "its document was a draft",
            _ => "their documents were drafts",
        };
        screen.say_strong(&format!("{} not compared: {whose}", count(self.uncompared.len(), "recording")));
        for recording in &self.uncompared {
            screen.say(&format!("  {}", crate::text::plain::shown(recording)));
        }
    }

    /// How many steps of an analysis have a log.
    pub const fn logs(&self) -> usize {
        self.logs
    }

    pub fn json(&self) -> Value {
        self.lost.iter().map(entry).collect()
    }
}

fn place(one: &Lost) -> String {
    one.line.map_or_else(|| one.path.clone(), |line| format!("{}:{line}", one.path))
}

fn say_declared(one: &Lost, screen: &Screen) {
    let Some(declared) = &one.declared else { return };
    let (file, reason) = (crate::text::plain::shown(&declared.file), one_line(&declared.reason));
    screen.say_strong(&format!("{}: declared as lost in {file}: {reason}", place(one)));
    say_texts(&[one], screen);
}

/// Whether it is recorded words that nothing has taken the place of.
fn is_gone(one: &Lost) -> bool {
    one.new.is_none() && !one.old.is_empty()
}

fn say_lost(group: &[&Lost], screen: &Screen) {
    let Some(first) = group.first() else { return };
    screen.say_strong(&match (&first.kind, &first.new) {
        (Wrong::Loss(_), None) if is_gone(first) => format!("{}: recorded, and gone", place(first)),
        (Wrong::Loss(kind), Some(_)) => format!("{}: recorded, and changed ({})", place(first), kind.name()),
        _ => format!("{}: {}", place(first), one_line(&first.message)),
    });
    say_texts(group, screen);
}

/// The old text beside the new, and where it was recorded.
fn say_texts(group: &[&Lost], screen: &Screen) {
    for one in group.iter().filter(|one| !one.old.is_empty()) {
        screen.say(&format!("  recorded   {}", one_line(&one.old)));
        if let Some(new) = &one.new {
            screen.say(&format!("  now        {}", one_line(new)));
        }
    }
    if let Some(recording) = group.first().and_then(|one| one.recording.as_ref()) {
        screen.say(&format!("  recording  {}", crate::text::plain::shown(recording)));
    }
}

/// How to put it right: a loss that is committed is declared against a commit that still has the words.
fn say_remedy(open: &[&Lost], screen: &Screen) {
    let Some(first) = open.iter().find(|one| one.recording.is_some()) else { return };
    let base = first.commit.map_or_else(|| "REV".to_owned(), short);
    screen.say("  Put the recorded words back; what is new can be written below them.");
    screen.say(&format!(
        "  If the loss is right, declare it and commit the file: roundtable check --base {base} --declare REASON"
    ));
}

fn entry(one: &Lost) -> Value {
    let mut entry = json!({
        "path": one.path,
        "line": one.line,
        "old": one.old,
        "new": one.new,
        "kind": one.kind.name(),
        "message": one.message,
        "recording": one.recording,
    });
    if let Some(declared) = &one.declared {
        entry["declared"] = json!({"file": declared.file, "reason": declared.reason});
    }
    entry
}
