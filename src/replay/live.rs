//! A recording held again: its messages and lines go through the live path, and each event that comes of them is
//! compared with the recorded one.
//!
//! The users' words and a model's lines are inputs, and silence is one. Everything else has to follow from them: the
//! lines of the built-in voice from the documents, the entries that are recognised by form from the users' words. A
//! model's lines pass the same judge as when they were said, and its synthesis the same referee, over the documents
//! and evidence of the base.
//!
//! Invariant: nothing is judged here. [`session::hold`](crate::run::session::hold) holds the discussion, with a voice that
//! says what is recorded; what it makes of that is right, and what the recording has beside it is the difference.
//!
//! ```no_run
//! use git2::Oid;
//! use roundtable::replay::{Replay, Replayed, Unread};
//! use roundtable::run::played::Recording;
//!
//! fn may_land(replay: &Replay, recording: &Recording, onto: Oid) -> Result<bool, Unread> {
//!     Ok(replay.run_for_landing(recording, onto, None)?.divergence.is_none())
//! }
//! ```

use std::cell::{Cell, RefCell};

use git2::Oid;

use super::{Divergence, Read, Replay, Replayed, Stop, Unread, first_event, moved};
use crate::discussion::Discussion;
use crate::discussion::address::{Address, address};
use crate::discussion::divergence::{SHOWN, differs};
use crate::discussion::event::{Event, Message, Opened, Record, Rest, SECRETARY, Sent, Time, Unheard};
use crate::discussion::summary::Insight;
use crate::discussion::turn_limit::{TURNS_AT_A_MENU, TURNS_ONE_BY_ONE, default_turns};
use crate::git::{AtPath, short};
use crate::item::library::Library;
use crate::item::persona::Cast;
use crate::item::step::Step;
use crate::item::{DRAFT, Item};
use crate::minutes;
use crate::review::Rules;
use crate::run::landing;
use crate::run::played::Recording;
use crate::run::script::{Input, Script};
use crate::run::session::{SessionEnd, Stopped, hold};
use crate::synthesis;
use crate::text::path;
use crate::text::plain;
use crate::voice::recorded::{Recorded, need_of, summed_up};
use crate::voice::sources::Excerpt;
use crate::voice::{Speechless, Voice};

/// Commits that others may have made on the branch while a discussion went on.
const RACED: usize = 100;

impl Replay {
    /// Runs a recording again as [`Replay::run`] does, and holds it again: what is found may be committed. `max_turns`
    /// is the turn limit that its run was given, where it was given one.
    ///
    /// # Errors
    /// A recording, or something it was made from, that cannot be read.
    pub fn run_for_landing(
        &self,
        recording: &Recording,
        instead: Oid,
        max_turns: Option<u32>,
    ) -> Result<Replayed, Unread> {
        let mut found = self.run(recording, Some(instead))?;
        if found.divergence.is_none() {
            let read = Read::of(recording)?;
            found.divergence = match later_than_the_end(&read.log) {
                Some(later) => Some(later),
                None => self.held_again(&recording.name, &read, instead, max_turns)?,
            };
        }
        Ok(found)
    }

    /// The first thing that the live path would not have made so.
    fn held_again(
        &self,
        name: &str,
        read: &Read,
        instead: Oid,
        max_turns: Option<u32>,
    ) -> Result<Option<Divergence>, Unread> {
        let (opened, log) = (&read.opened, &read.log);
        let begun = self.commit_of(name, &opened.base, Some(instead))?;
        let library = self.library(begun)?;
        let step = library.step(&opened.step.id)?;
        if *opened.digests != library.digests(step) {
            return Ok(Some(other_files(&library, step, opened, begun)));
        }
        for (at, base) in runs(log) {
            let base = self.commit_of(name, base, Some(instead))?;
            let item = self.repo.item_or_new(base, &opened.item, opened.into())?;
            let item = if at == 0 { self.as_read(opened, base, item)? } else { item };
            if at == 0
                && let Some(other) = self.other_opening(opened, log, &item, begun, &library, max_turns)?
            {
                return Ok(Some(other));
            }
            let run =
                Run { replay: self, library: &library, step, opened, log, begin: at, base, item: &item };
            if let Some(divergence) = run.differs()? {
                return Ok(Some(divergence));
            }
        }
        Ok(None)
    }

    /// The item with the files that the discussion read: where others moved the branch while it went on, it landed on
    /// their commits.
    fn as_read(&self, opened: &Opened, base: Oid, item: Item) -> Result<Item, Unread> {
        let (mut at, mut found) = (base, item.clone());
        for _ in 0..RACED {
            if found.ids == opened.read {
                return Ok(found);
            }
            let Some(parent) = self.repo.parents_of(at)?.first().copied() else { break };
            (at, found) = (parent, self.repo.item_or_new(parent, &opened.item, opened.into())?);
        }
        Ok(item)
    }

    /// What the opening says that is not so at the base.
    fn other_opening(
        &self,
        opened: &Opened,
        log: &[Record],
        item: &Item,
        begun: Oid,
        library: &Library,
        max_turns: Option<u32>,
    ) -> Result<Option<Divergence>, Unread> {
        let config = self.config(begun)?;
        let laid = library.laid_item(item, config.layout_of(&opened.item))?;
        let is_named = |name: &String| item.files.contains_key(name) && laid.layout.may_be_main(name);
        let is_main = laid.document == opened.document || opened.document.as_ref().is_some_and(is_named);
        if laid.layout.name != opened.layout || !is_main {
            let expected =
                format!("the layout {} of {} at commit {}", laid.layout.name, item.path, short(begun));
            return Ok(Some(first_event(expected, &plain::shown(&opened.layout))));
        }
        if opened.read != item.ids {
            let expected = format!("the files of {} at commit {}", item.path, short(begun));
            return Ok(Some(first_event(expected, "other files in `read`")));
        }
        if opened.draft.is_some() && item.ids.keys().any(|name| name.eq_ignore_ascii_case(DRAFT)) {
            return Ok(Some(first_event(format!("no {DRAFT}: the item has one"), "one in `draft`")));
        }
        let is_twice = |sent: &Sent| opened.evidence.iter().filter(|one| one.path == sent.path).count() > 1;
        let wrong = |sent: &&Sent| !self.is_there(begun, sent) || is_twice(sent);
        let needed = log.iter().filter_map(need_of).flat_map(|need| &need.given);
        if let Some(sent) = opened.evidence.iter().chain(needed).find(wrong) {
            let expected = format!("files of commit {} in `evidence`", short(begun));
            let found = format!("{}, which is not there once with these lines", plain::shown(&sent.path));
            return Ok(Some(first_event(expected, &found)));
        }
        let config = self.config(begun)?;
        let set = max_turns.or_else(|| item.meta.max_turns()).or(config.max_turns);
        let known = default_turns(messages(log).map(|(_, text)| text), &library.cast);
        let fits = match set {
            Some(set) => opened.max_turns == set,
            None => [known, TURNS_ONE_BY_ONE, TURNS_AT_A_MENU].contains(&opened.max_turns),
        };
        let expected = || format!("a turn limit of {}", set.unwrap_or(known));
        let found = || format!("{}; if its run was given that limit, add --max-turns", opened.max_turns);
        Ok((!fits).then(|| first_event(expected(), &found())))
    }

    /// Whether a commit has a file that was sent to a model, with these lines.
    fn is_there(&self, commit: Oid, sent: &Sent) -> bool {
        let file = self.repo.look_up(commit, &sent.path);
        let Some(AtPath::File(blob)) = file.filter(|_| path::is_plain(&sent.path)) else {
            return false;
        };
        let Ok(bytes) = self.repo.bytes(blob) else { return false };
        let lines = bytes.split(|byte| *byte == b'\n').count();
        blob.to_string() == sent.blob
            && sent
                .lines
                .iter()
                .all(|(first, last)| (1..=lines).contains(first) && (first..=&lines).contains(&last))
    }
}

/// Where each run begins in a log, and the commit it builds on.
fn runs(log: &[Record]) -> impl Iterator<Item = (usize, &str)> {
    log.iter().enumerate().filter_map(|(at, record)| match &record.event {
        Event::Opened(opened) => Some((at, opened.base.as_str())),
        Event::Resumed(resumed) => Some((at, resumed.base.as_str())),
        _ => None,
    })
}

/// A message that was written after the discussion had ended.
fn later_than_the_end(log: &[Record]) -> Option<Divergence> {
    let end = log.last()?.at;
    let is_later =
        |record: &Record| matches!(record.event, Event::User(_) | Event::Unheard(_)) && record.at > end;
    let at = log.iter().position(is_later)?;
    let expected = format!("a time before the end of the discussion, {end}");
    Some(Divergence {
        event: Some(at + 1),
        what: "event".to_owned(),
        expected,
        found: log[at].at.to_string(),
    })
}

/// What users said, heard or not, by whom.
fn messages(log: &[Record]) -> impl Iterator<Item = (&str, &str)> {
    log.iter().filter_map(|record| match &record.event {
        Event::User(message) => Some((message.by.as_str(), message.text.as_str())),
        Event::Unheard(late) => Some((late.by.as_str(), late.text.as_str())),
        _ => None,
    })
}

fn other_files(library: &Library, step: &Step, opened: &Opened, begun: Oid) -> Divergence {
    let changed: Vec<String> =
        moved(&opened.digests, &library.digests(step)).iter().map(ToString::to_string).collect();
    let expected = format!("the steps, personas, rules and templates of commit {}", short(begun));
    let found = format!(
        "others: {}; hold the discussion again from its script",
        plain::cut(&changed.join(", "), SHOWN)
    );
    first_event(expected, &found)
}

/// One run of a recording, and what it was held with.
struct Run<'r> {
    replay: &'r Replay,
    library: &'r Library,
    step: &'r Step,
    opened: &'r Opened,
    log: &'r [Record],
    /// Where it begins in the log.
    begin: usize,
    base: Oid,
    item: &'r Item,
}

/// What a recording does not tell of how it was held.
#[derive(Clone, Copy)]
struct Circumstances {
    /// The user's messages came one by one.
    is_live: bool,
    /// The step was worked through before.
    is_covered: bool,
}

impl Run<'_> {
    /// The first event that does not come out as it is recorded, in the circumstances in which most of them do.
    fn differs(&self) -> Result<Option<Divergence>, Unread> {
        let mut furthest: Option<Divergence> = None;
        let is_covered = self.item.meta.steps_completed().contains(&self.step.id);
        let ways = [(false, is_covered), (true, is_covered), (false, true), (true, true)];
        for (is_live, is_covered) in ways.into_iter().take(if is_covered { 2 } else { 4 }) {
            let Some(other) = self.held(Circumstances { is_live, is_covered })? else { return Ok(None) };
            if furthest.as_ref().is_none_or(|known| known.event < other.event) {
                furthest = Some(other);
            }
        }
        Ok(furthest)
    }

    /// The records of this run, up to the next one.
    fn end(&self) -> usize {
        let next = runs(self.log).map(|(at, _)| at).find(|at| *at > self.begin);
        next.unwrap_or(self.log.len())
    }

    fn talk(&self) -> Result<Discussion<'_>, Stop> {
        let (library, step) = (self.library, self.step);
        let before = &self.log[..=self.begin];
        Ok(match before {
            [first] => Discussion::open(library, step, first.clone())?,
            before => Discussion::replay(library, step, before)?,
        })
    }

    /// Holds the run again; the first event that does not come out as it is recorded.
    fn held(&self, how: Circumstances) -> Result<Option<Divergence>, Unread> {
        let mut talk = match self.talk() {
            Ok(talk) => talk,
            Err(stop) => return stopped(stop).map(Some),
        };
        let rules = Rules::of(&self.library.own_review_rules())?;
        let laid = synthesis::laid(self.opened, self.library);
        let (repo, step) = (&self.replay.repo, (self.step, &laid));
        let mut stand_in = landing::stand_in(repo, self.item, self.base, step, rules, how.is_covered)?;
        let log = &self.log[..self.end()];
        let held = Held { log, next: Cell::new(self.begin + 1), other: RefCell::new(None) };
        let voice = &self.opened.voice;
        let mut voice =
            (voice != SECRETARY).then(|| Recorded::new(log, voice, self.excerpts()).and_later(self.needed()));
        let went = self.go(&mut talk, voice.as_mut(), &mut stand_in, how.is_live, &held);
        match (went, held.other.into_inner()) {
            (_, Some(other)) => Ok(Some(match &voice {
                Some(voice) => voice.explained(other),
                None => other,
            })),
            (Ok(()), None) => {
                let at = talk.log().len();
                Ok((at < log.len()).then(|| differs(at, None, log.get(at))))
            }
            (Err(Stopped::Refused(refused)), None) => stopped(refused.into()).map(Some),
            (Err(Stopped::Template(failed)), None) => Err(failed.into()),
            (Err(Stopped::Voice(Speechless::Rules(finding))), None) => Err(finding.into()),
            (Err(why), None) => {
                let (expected, found) = ("a discussion that can be held again".to_owned(), why.to_string());
                Ok(Some(Divergence {
                    event: Some(talk.log().len() + 1),
                    what: "event".to_owned(),
                    expected,
                    found,
                }))
            }
        }
    }

    /// Holds it with its messages: all known from the start, or each when it is asked for.
    fn go(
        &self,
        talk: &mut Discussion<'_>,
        mut voice: Option<&mut Recorded<'_>>,
        stand_in: &mut crate::voice::secretary::Secretary<'_>,
        is_live: bool,
        held: &Held<'_>,
    ) -> Result<(), Stopped> {
        let records = &self.log[self.begin + 1..self.end()];
        let (heard, late) = inputs(records);
        let waits = matches!(records.last(), Some(Record { event: Event::Paused(_), .. }));
        let (mut heard, mut late) = (heard.into_iter().peekable(), late.into_iter());
        let mut script = Script::default();
        script.stays_open = waits || is_live;
        if !is_live {
            heard.by_ref().chain(late.by_ref()).for_each(|input| script.push(input));
        }
        let clock = || held.now();
        let mut tell = |record: &Record| held.compare(record);
        loop {
            let voice: Option<&mut dyn Voice> = match &mut voice {
                Some(voice) => Some(&mut **voice),
                None => None,
            };
            let went = hold(talk, voice, stand_in, &mut script, &clock, &mut tell)?;
            if went == SessionEnd::Complete || waits && heard.peek().is_none() {
                return Ok(());
            }
            match heard.next() {
                Some(input) => script.push(input),
                None => script.stays_open = false,
            }
            if heard.peek().is_none() {
                late.by_ref().for_each(|input| script.push(input));
            }
        }
    }

    /// What the voice asked for beyond that.
    fn needed(&self) -> Vec<Excerpt> {
        let needs = self.log.iter().filter_map(need_of);
        needs.flat_map(|need| self.replay.repo.pieces(&need.given).excerpts).collect()
    }

    /// What the voice read besides the item's documents, and may have quoted.
    fn excerpts(&self) -> Vec<Excerpt> {
        if self.opened.voice != crate::run::agent::NAME {
            return self.replay.repo.pieces(&self.opened.evidence).excerpts;
        }
        // An agent reads what it likes, and quotes files of the base.
        let own: Vec<&str> = self.item.documents().map(|(name, _)| name).collect();
        let rests = self.log.iter().flat_map(rests).filter(|rest| !own.contains(&rest.path.as_str()));
        let mut paths: Vec<&str> = rests.map(|rest| rest.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let text = |path: &str| {
            let bytes = self.replay.repo.file(self.base, path).ok().flatten()?;
            Some(Excerpt { path: path.to_owned(), line: 1, text: String::from_utf8(bytes).ok()? })
        };
        paths.into_iter().filter(|path| path::is_plain(path)).filter_map(text).collect()
    }
}

/// The first message from an event on that is not what a script says; `user` is who writes what names nobody. Of the
/// messages after the end those that only end a discussion are not kept.
pub fn other_words(
    log: &[Record],
    begin: usize,
    mut script: Script,
    user: &str,
    cast: &Cast,
) -> Option<Divergence> {
    let is_kept = |input: &Input| address(&input.text, cast, false) != Address::Exit { has_content: false };
    let words = |by: &str, text: &str| format!("{by}: {}", plain::cut(&plain::one_line(text), SHOWN));
    let other = |at: usize, said: Option<&Input>, heard: String| Divergence {
        event: Some(at + 1),
        what: "words".to_owned(),
        expected: said
            .map_or("silence".to_owned(), |said| words(said.by.as_deref().unwrap_or(user), &said.text)),
        found: heard,
    };
    for (at, record) in log.iter().enumerate().skip(begin) {
        let (heard, is_late) = match &record.event {
            Event::User(Message { by, text, comment, .. }) => (Some((by, text, comment)), false),
            Event::Unheard(Unheard { by, text, comment }) => (Some((by, text, comment)), true),
            Event::Silence {} => (None, false),
            _ => continue,
        };
        let mut said = script.next_input();
        while is_late && said.as_ref().is_some_and(|said| !is_kept(said)) {
            said = script.next_input();
        }
        let is_same = match (&said, heard) {
            (Some(said), Some((by, text, comment))) => {
                (said.by.as_deref().unwrap_or(user), &said.text, &said.comment) == (by, text, comment)
                    && said.at.is_none_or(|at| at == record.at)
            }
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            let heard = heard.map_or("silence".to_owned(), |(by, text, _)| words(by, text));
            return Some(other(at, said.as_ref(), heard));
        }
    }
    let left = script.rest().into_iter().find(is_kept)?;
    Some(other(log.len().saturating_sub(1), Some(&left), "the end".to_owned()))
}

/// The passages that an event names.
fn rests(record: &Record) -> impl Iterator<Item = &Rest> {
    let (said, insights): (&[Rest], &[Insight]) = match &record.event {
        Event::Contribution(said) => (&said.rests, &[]),
        Event::Synthesis(summary) => (&[], &summary.insights),
        _ => (&[], &[]),
    };
    said.iter().chain(insights.iter().flat_map(|one| &one.rests))
}

/// What the users said in a run, and what of it came too late.
fn inputs(records: &[Record]) -> (Vec<Option<Input>>, Vec<Option<Input>>) {
    let input = |by: &str, text: &str, comment: Option<u64>| {
        Some(Input { text: text.to_owned(), by: Some(by.to_owned()), at: None, comment })
    };
    let heard = records.iter().filter_map(|record| match &record.event {
        Event::User(Message { by, text, comment, .. }) => Some(input(by, text, *comment)),
        Event::Silence {} => Some(None),
        _ => None,
    });
    let late = records.iter().filter_map(|record| match &record.event {
        Event::Unheard(Unheard { by, text, comment }) => Some(input(by, text, *comment)),
        _ => None,
    });
    (heard.collect(), late.collect())
}

/// How far a run that is held again has come, and the first event that is not as it is recorded.
struct Held<'r> {
    log: &'r [Record],
    /// The place of the next event in the log.
    next: Cell<usize>,
    other: RefCell<Option<Divergence>>,
}

impl Held<'_> {
    /// The recorded time of the next event.
    fn now(&self) -> Time {
        let last = self.log.len() - 1;
        self.log[self.next.get().min(last)].at
    }

    /// # Errors
    /// The event is not the recorded one: the run ends here.
    fn compare(&self, record: &Record) -> Result<(), String> {
        let at = self.next.get();
        self.next.set(at + 1);
        if self.log.get(at) == Some(record) {
            return Ok(());
        }
        self.other.replace(Some(differs(at, Some(record), self.log.get(at))));
        Err("it is not as it was recorded".to_owned())
    }
}

/// What of the recorded synthesis does not follow from what was said.
pub(super) fn other_synthesis(talk: &Discussion<'_>) -> Option<Divergence> {
    let (at, record, said) = talk.log().iter().enumerate().find_map(|(at, record)| match &record.event {
        Event::Synthesis(said) => Some((at, record, said)),
        _ => None,
    })?;
    let forms = talk.library().forms();
    let mut made = summed_up(talk, minutes::summary(talk, forms), said, forms);
    // The commit that lines are of is another one where the discussion was placed elsewhere.
    let bare = |one: &Insight| one.text.split(" (lines of ").next().unwrap_or_default().to_owned();
    for (own, recorded) in made.insights.iter_mut().zip(&said.insights) {
        if bare(own) == bare(recorded) {
            own.text.clone_from(&recorded.text);
        }
    }
    let made = Record { at: record.at, event: Event::Synthesis(made) };
    (made != *record).then(|| differs(at, Some(&made), Some(record)))
}

impl Replay {
    /// The first quotation that is not in the file that it names, as it was read.
    pub(super) fn other_quotation(&self, log: &[Record], opened: &Opened) -> Option<Divergence> {
        let mut base = None;
        log.iter().enumerate().find_map(|(at, record)| {
            base = match &record.event {
                Event::Opened(opened) => Oid::from_str(&opened.base).ok(),
                Event::Resumed(resumed) => Oid::from_str(&resumed.base).ok(),
                _ => base,
            };
            let wrong =
                rests(record).find(|rest| base.is_some_and(|base| !self.quotes(opened, base, rest)))?;
            let expected = format!("a quotation of {}, line {}", plain::shown(&wrong.path), wrong.line);
            let found =
                format!("\"{}\", which is not there", plain::cut(&plain::one_line(&wrong.quote), SHOWN));
            Some(Divergence { event: Some(at + 1), what: "rests".to_owned(), expected, found })
        })
    }

    /// Whether a passage is in its file, as the discussion read it or as its run's base has it. What is not here any
    /// more cannot be told.
    fn quotes(&self, opened: &Opened, base: Oid, rest: &Rest) -> bool {
        let text =
            |blob: Oid| self.repo.bytes(blob).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let there = |path: &str| match self.repo.look_up(base, path) {
            Some(AtPath::File(blob)) => text(blob),
            _ => None,
        };
        let sent = opened.evidence.iter().filter(|sent| sent.path == rest.path).map(|sent| &sent.blob);
        let blobs: Vec<&String> = opened.read.get(&rest.path).into_iter().chain(sent).collect();
        let read = blobs.iter().map(|id| Oid::from_str(id).ok().and_then(text));
        let read: Vec<Option<String>> = read.collect();
        if read.contains(&None) {
            return true;
        }
        let draft = opened.draft.clone().filter(|_| rest.path.eq_ignore_ascii_case(DRAFT));
        let own = there(&format!("{}/{}", opened.item, rest.path));
        let texts = read.into_iter().flatten().chain(draft).chain(own).chain(there(&rest.path));
        texts.into_iter().any(|text| is_at(&text, rest))
    }
}

/// Whether a quotation begins on its line of a text.
fn is_at(text: &str, rest: &Rest) -> bool {
    let Some(line) = text.split_inclusive('\n').nth(rest.line.wrapping_sub(1)) else { return false };
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    // What cannot be seen is left out of a quotation.
    let mut end = (start + line.len() + 2 * rest.quote.len() + 64).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let first = plain::clean(line).len();
    plain::clean(&text[start..end]).match_indices(&rest.quote).any(|(at, _)| at <= first)
}

fn stopped(stop: Stop) -> Result<Divergence, Unread> {
    match stop {
        Stop::Divergence(divergence) => Ok(divergence),
        Stop::Template(failed) => Err(failed.into()),
    }
}
