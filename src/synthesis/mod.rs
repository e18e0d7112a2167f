//! From a finished discussion to the changes of its item: artifacts, meta.json, recording.
//!
//! A function of the item's files and the discussion; nothing is read or written here. What
//! comes out still has to pass [`additive::verify`](crate::additive::verify).
//!
//! ```
//! use roundtable::additive::{Additive, verify};
//! use roundtable::discussion::Finished;
//! use roundtable::item::Item;
//! use roundtable::item::library::Library;
//! use roundtable::synthesis::outcome;
//!
//! fn additions(item: &Item, finished: &Finished, library: &Library) -> Option<Additive> {
//!     verify(outcome(item, finished, library).ok()?.changes).ok()
//! }
//! ```

pub mod below;
mod closed;
pub mod data;
pub mod known;
pub mod lists;
pub mod numbered;
pub mod outline;
pub mod records;
pub mod related;
pub mod section_choice;
pub mod typed;
pub mod yaml_list;

use std::borrow::Cow;

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::discussion::additions::Addition as Proposed;
use crate::discussion::event::{Event, Opened, Record, SECRETARY, Time, to_lines};
use crate::discussion::runs::{self, PausedDiscussion};
use crate::discussion::summary::{Decision, Insight, Question, USER, attribution, without_end};
use crate::discussion::transcript::{lasting_sources, sources};
use crate::discussion::{Finished, LandingEntries, is_speakable};
use crate::item::layout::{Block, Laid, Layout, Place};
use crate::item::library::Library;
use crate::item::persona::Cast;
use crate::item::step::Step;
use crate::item::{Begin, Change, DRAFT, File, Item, meta};
use crate::text::finding::Finding;
use crate::text::path;
use crate::text::path::{is_markdown, suffix};
use crate::text::plain;
use crate::text::remedy::Remedy;
use crate::text::template::{Failed, safe};
use path::{OutputPath, Refused};

/// An artifact that took the addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The path in the repository.
    pub path: String,
    pub section: String,
    pub created: bool,
    pub added_lines: usize,
    pub description: String,
}

/// An artifact that was left as it is, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub path: String,
    pub reason: String,
}

/// Entries that go to no document, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staying {
    /// `2 action items`.
    pub what: String,
    pub is_one: bool,
    pub reason: String,
}

/// What a discussion does to its item.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub changes: Vec<Change>,
    pub placed: Vec<Placed>,
    pub left: Vec<Left>,
    /// What stays in the recording.
    pub stays: Vec<Staying>,
    /// The recording's path in the repository.
    pub recording: String,
    /// What is said of each artifact (discussion AC-008-04).
    pub announcements: Vec<String>,
}

/// Why a discussion cannot be written into its item.
#[derive(Debug, thiserror::Error)]
pub enum Unplaced {
    #[error("step {1}: {0}")]
    Output(Refused, String),
    #[error("{path} is {what}")]
    Foreign { path: String, what: &'static str },
    #[error("{path} holds {size} bytes, more than roundtable reads ({} MiB)", crate::item::LARGEST >> 20)]
    Large { path: String, size: u64 },
    #[error("{path} differs only in case from {other}")]
    Case { path: String, other: String },
    #[error("{path} cannot be written: {other} is not a folder")]
    NoFolder { path: String, other: String },
    #[error("{path} has no place for an addition: {why}")]
    NoPlace { path: String, why: &'static str },
    #[error("the template addition.md must hold the marker line once and no other comment")]
    Marker,
    #[error("{0}")]
    Meta(#[from] Finding),
    #[error("{0}")]
    Template(#[from] Failed),
}

impl Remedy for Unplaced {
    fn remedy(&self) -> Option<String> {
        let fixed = match self {
            Unplaced::Output(_, step) => return Some(format!("fix `outputs` of step {step}")),
            Unplaced::Foreign { .. } => "roundtable writes ordinary files only",
            Unplaced::Marker => "the built-in one shows it",
            _ => return None,
        };
        Some(fixed.to_owned())
    }
}

/// What an artifact's own format makes of an addition.
pub(crate) enum Addition {
    /// The new text, and the section it went to.
    Into(String, String),
    /// The artifact takes none, and why.
    None(String),
}

/// Everything a finished discussion changes.
///
/// # Errors
/// An output that must not be written, or that has no place for an addition.
pub fn outcome(item: &Item, finished: &Finished, library: &Library) -> Result<Outcome, Unplaced> {
    let mut outcome = Outcome::nothing(&recording(item, finished));
    if !finished.is_wordless(&library.cast) {
        let new = known::without_known_questions(item, finished);
        add_to_documents(item, &new, library, &mut outcome)?;
        outcome.stays =
            known::staying(finished, &new, library.layout(&finished.opened.layout), &outcome.placed);
    }
    let text = item.meta.with_elaboration(&finished.elaboration(&library.cast.keys()))?;
    let before = match item.files.get(meta::FILE) {
        Some(File::Bytes(bytes)) => Some(bytes.clone()),
        _ => None,
    };
    outcome.changes.push(Change {
        path: format!("{}/{}", item.path, meta::FILE),
        before,
        after: text.into_bytes(),
    });
    let draft = Begin { meta: None, ..Begin::from(&finished.opened) };
    for begun in item.begun(draft) {
        // An issue's text that something was added to already is new with it.
        match outcome.changes.iter_mut().find(|change| change.path == begun.path) {
            Some(change) => change.before = None,
            None => outcome.changes.push(begun),
        }
    }
    outcome.changes.push(recorded(item, &outcome.recording, &finished.log));
    // Rendered here, so that a template that fails does so before anything is committed.
    outcome.announcements = outcome.announce(item, library)?;
    Ok(outcome)
}

/// Adds what was said to the step's artifact, and what belongs elsewhere to its place.
fn add_to_documents(
    item: &Item,
    finished: &Finished,
    library: &Library,
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    let marker = format!("<!-- Elaboration: step {}, {} -->", finished.opened.step.id, finished.at);
    let Elsewhere { item: with_lines, placed, left } =
        add_elsewhere(item, finished.entries(), library, &marker)?;
    outcome.left.extend(left);
    if has_block(finished, library) {
        for name in candidates(&with_lines, finished)? {
            if add_to(&with_lines, &name, finished, library, outcome)? {
                break;
            }
        }
    }
    typed::place(&with_lines, finished, library, outcome)?;
    records::add(&with_lines, finished, library, outcome)?;
    below::settle(item, &with_lines, outcome);
    outcome.placed.extend(placed);
    Ok(())
}

/// An item with what was decided and asked in the places that its layout has for that besides the block.
pub(crate) struct Elsewhere {
    pub item: Item,
    pub placed: Vec<Placed>,
    pub left: Vec<Left>,
}

/// Adds decisions and questions where the layout has a place for them besides the block: below the ids that they name,
/// in lists, in records. The marker names what a new record comes from.
pub(crate) fn add_elsewhere(
    item: &Item,
    said: LandingEntries<'_>,
    library: &Library,
    marker: &str,
) -> Result<Elsewhere, Unplaced> {
    let mut left = Vec::new();
    // First, so that nothing that is new is taken for the definition of an id.
    let (mut now, mut placed) = below::add(item, said, library, &mut left)?;
    placed.extend(closed::add(item, &mut now, said, library)?);
    placed.extend(lists::add(&mut now, said, library, &mut left)?);
    placed.extend(numbered::add(&mut now, said, library, marker)?);
    Ok(Elsewhere { item: now, placed, left })
}

/// The changes between an item as it was and as it is now.
pub(crate) fn changes(before: &Item, now: &Item) -> Vec<Change> {
    let mut outcome = Outcome::nothing("");
    below::settle(before, now, &mut outcome);
    outcome.changes
}

/// Whether a discussion has anything for a block of its own: what its layout has no other place for.
pub fn has_block(finished: &Finished, library: &Library) -> bool {
    let (layout, summary) = (library.layout(&finished.opened.layout), &finished.summary);
    let is_there = |place: &Place, entries: usize| *place == Place::Block && entries > 0;
    layout.block != Block::None
        && (is_there(&layout.insights, summary.insights.len())
            || is_there(&layout.decisions, summary.decisions.len())
            || is_there(&layout.questions, summary.landing_questions().len())
            || is_there(&layout.actions, summary.action_items.len())
            || !finished.late_words(library).is_empty())
}

/// The layout that a discussion was opened with.
pub fn laid<'l>(opened: &Opened, library: &'l Library) -> Laid<'l> {
    Laid { layout: library.layout(&opened.layout), document: opened.document.clone() }
}

/// The artifact and the section that will take what is decided in a discussion of `step`, as the item is now: the path
/// within the item folder, and the heading.
pub fn target(item: &Item, laid: &Laid<'_>, step: &Step) -> Option<(String, String)> {
    target_of(&laid.layout.decisions, item, laid, step)
}

/// The same of what is decided, of what is to be done, and of notes; none of what stays in the recording.
pub fn targets(item: &Item, laid: &Laid<'_>, step: &Step) -> [Option<(String, String)>; 3] {
    let layout = laid.layout;
    [&layout.decisions, &layout.actions, &layout.insights].map(|place| target_of(place, item, laid, step))
}

fn target_of(place: &Place, item: &Item, laid: &Laid<'_>, step: &Step) -> Option<(String, String)> {
    match (place, &laid.document) {
        (Place::Recording, _) => return None,
        (Place::List(list), Some(document)) => return Some((document.clone(), list.heading.clone())),
        (Place::Record, Some(document)) => {
            let record = item.beside.as_ref().map_or("a decision record", |_| document.as_str());
            return Some((record.to_owned(), String::new()));
        }
        (Place::Block, Some(document)) if is_at_end(laid.layout, document) => {
            return Some((document.clone(), BLOCK.to_owned()));
        }
        _ => {}
    }
    let outputs = step.outputs.iter().filter_map(|output| Some(OutputPath::parse(output).ok()?.file()));
    let names: Vec<String> =
        laid.document.clone().map_or_else(|| outputs.collect(), |document| vec![document]);
    let existing = names.iter().find_map(|name| match item.files.get(name) {
        Some(File::Bytes(bytes)) => Some((name, std::str::from_utf8(bytes).ok()?)),
        _ => None,
    });
    let Some((name, text)) = existing else {
        return names.first().map(|name| (name.clone(), step.title.clone()));
    };
    if !is_markdown(name) {
        return Some((name.clone(), "elaborations".to_owned()));
    }
    let outline = outline::Outline::new(text);
    let spot = section_choice::rank_spots(&outline, &step.title, text.len()).into_iter().next()?;
    Some((name.clone(), spot.section))
}

/// The line, from one, of a section's heading in a document of an item; none where there is no such heading.
pub fn line_of_section(item: &Item, document: &str, section: &str) -> Option<usize> {
    let Some(File::Bytes(bytes)) = item.files.get(document) else { return None };
    let text = std::str::from_utf8(bytes).ok()?;
    let outline = outline::Outline::new(text);
    let heading = outline.headings.iter().find(|heading| heading.text == section)?;
    Some(text[..heading.start].matches('\n').count() + 1)
}

/// What the last run of a discussion that stays open does to its item: the recording grows, and
/// nothing else changes; a new item begins with it.
pub fn pause(item: &Item, paused: &PausedDiscussion) -> Outcome {
    let recording = open_recording(&item.path, &paused.log);
    let mut outcome = Outcome::nothing(&recording);
    outcome.changes.extend(item.begun((&paused.opened).into()));
    outcome.changes.push(recorded(item, &recording, &paused.log));
    outcome
}

/// Where the recording of a discussion is that stays open: its place is known from its first
/// event on.
pub fn open_recording(item: &str, log: &[Record]) -> String {
    let step = match log.first().map(|first| &first.event) {
        Some(Event::Opened(opened)) => opened.step.id.as_str(),
        _ => "",
    };
    let digits = runs::moment(log).map(Time::digits).unwrap_or_default();
    format!("{item}/elaborations/{step}-{digits}.jsonl")
}

/// The recording, new or grown by the last run.
fn recorded(item: &Item, path: &str, log: &[Record]) -> Change {
    let is_there = item.recordings.iter().any(|name| path.rsplit('/').next() == Some(name));
    let before = runs::before(log).filter(|_| is_there).map(String::into_bytes);
    Change { path: path.to_owned(), before, after: to_lines(log).into_bytes() }
}

/// Where the recording goes; a second one of the same moment gets a number.
fn recording(item: &Item, finished: &Finished) -> String {
    if runs::stays_open(&finished.log) {
        return open_recording(&item.path, &finished.log);
    }
    let stem = format!("{}-{}", finished.opened.step.id, finished.at.digits());
    let mut name = format!("{stem}.jsonl");
    let mut number = 2;
    while item.recordings.contains(&name) {
        name = format!("{stem}-{number}.jsonl");
        number += 1;
    }
    format!("{}/elaborations/{name}", item.path)
}

/// The step's outputs in the order in which they are asked to take the addition, of which one does: those
/// that exist, then the others.
fn candidates(item: &Item, finished: &Finished) -> Result<Vec<String>, Unplaced> {
    if let Some(document) = finished.opened.document.as_ref().filter(|document| *document != DRAFT) {
        return Ok(vec![document.clone()]);
    }
    let mut names: Vec<String> = Vec::new();
    for output in &finished.opened.step.outputs {
        let refused = |refused| Unplaced::Output(refused, finished.opened.step.id.clone());
        let name = OutputPath::parse(output).map_err(refused)?.file();
        let path = |name: &str| format!("{}/{name}", item.path);
        for other in names.iter().filter(|other| **other != name) {
            let (ours, theirs) = (name.to_lowercase(), other.to_lowercase());
            if ours == theirs {
                return Err(Unplaced::Case { path: path(&name), other: path(other) });
            }
            if path::is_below(&ours, &theirs) || path::is_below(&theirs, &ours) {
                return Err(Unplaced::NoFolder { path: path(&name), other: path(other) });
            }
        }
        let name = if item.files.contains_key(&name) { name } else { same_role(item, &name).unwrap_or(name) };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (there, missing): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| item.files.contains_key(name));
    // An issue's text takes it as long as there is nothing else; it may end in something that takes nothing after it.
    let is_alone = item.documents().all(|(name, _)| name == DRAFT);
    let issue = finished.opened.document.iter().filter(|_| is_alone).cloned();
    Ok(issue.chain(there).chain(missing).collect())
}

/// The document of an item that has the role of one that it has not: the same name in another form, or as far as one of
/// the names goes, as `user-stories.md` and `user-stories.json`, `requirements.md` and `requirements-spec.md`.
fn same_role(item: &Item, name: &str) -> Option<String> {
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    let wanted = stem(name);
    let begins = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('-'));
    let is_it = |known: &&str| {
        let stem = stem(known);
        let is_it = stem == wanted || begins(&stem, &wanted) || begins(&wanted, &stem);
        is_it && !known.eq_ignore_ascii_case(name)
    };
    item.documents().map(|(known, _)| known).find(is_it).map(str::to_owned)
}

/// Adds to one artifact; whether it took the addition.
fn add_to(
    item: &Item,
    name: &str,
    finished: &Finished,
    library: &Library,
    outcome: &mut Outcome,
) -> Result<bool, Unplaced> {
    let path = item.path_of(name);
    let before = existing(item, name, &path)?;
    if item.files.get(name) == Some(&File::Opaque) {
        outcome.left.push(Left { path, reason: "a file of this kind takes no addition".to_owned() });
        return Ok(false);
    }
    let addition = match &before {
        Some(bytes) => match std::str::from_utf8(bytes).ok().filter(|_| memchr::memchr(0, bytes).is_none()) {
            Some(text) => add(name, text, finished, library).map_err(|why| at_path(why, &path))?,
            None => Addition::None("it is not UTF-8 text".to_owned()),
        },
        None => create(name, finished, library)?,
    };
    match addition {
        Addition::None(reason) => {
            outcome.left.push(Left { path, reason });
            return Ok(false);
        }
        Addition::Into(text, section) => {
            let lines = |bytes: &[u8]| {
                memchr::memchr_iter(b'\n', bytes).count()
                    + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
            };
            let was = before.as_deref().map_or(0, lines);
            outcome.placed.push(Placed {
                path: path.clone(),
                section,
                created: before.is_none(),
                added_lines: lines(text.as_bytes()).saturating_sub(was),
                description: match is_markdown(name) {
                    true => finished.summary.description_without_additions(),
                    false => finished.summary.description(),
                },
            });
            outcome.changes.push(Change { path, before, after: text.into_bytes() });
        }
    }
    Ok(true)
}

fn at_path(why: Unplaced, at: &str) -> Unplaced {
    match why {
        Unplaced::NoPlace { why, .. } => Unplaced::NoPlace { path: at.to_owned(), why },
        other => other,
    }
}

/// The bytes at a path of the item, if there are any; what must not be written is refused.
pub(crate) fn existing(item: &Item, name: &str, path: &str) -> Result<Option<Vec<u8>>, Unplaced> {
    let path = path.to_owned();
    for (other, file) in &item.files {
        let other_path = || item.path_of(other);
        if let Some((folder, _)) = shared_folder(name, other) {
            // The same folder or file in another case would be one path on other systems.
            if !other.starts_with(&folder) {
                return Err(Unplaced::Case { path, other: other_path() });
            }
        }
        let stands_for_folder = path::is_below(name, other);
        match file {
            File::Foreign(what) if other == name || stands_for_folder => {
                return Err(Unplaced::Foreign { path: other_path(), what });
            }
            _ if stands_for_folder => return Err(Unplaced::NoFolder { path, other: other_path() }),
            _ if path::is_below(other, name) => {
                return Err(Unplaced::Foreign { path, what: "a folder" });
            }
            _ => {}
        }
    }
    match item.files.get(name) {
        Some(File::Bytes(bytes)) => Ok(Some(bytes.clone())),
        Some(File::Large(size)) => Err(Unplaced::Large { path, size: *size }),
        Some(File::Foreign(what)) => Err(Unplaced::Foreign { path, what }),
        Some(File::Opaque) | None => Ok(None),
    }
}

/// The longest leading part of `name` that equals one of `other` except for case, as `name` has it.
fn shared_folder(name: &str, other: &str) -> Option<(String, usize)> {
    let pairs = name.split('/').zip(other.split('/'));
    let count = pairs.take_while(|(a, b)| a.to_lowercase() == b.to_lowercase()).count();
    (count > 0).then(|| (name.split('/').take(count).collect::<Vec<_>>().join("/"), count))
}

/// The addition to an artifact that exists.
fn add(name: &str, text: &str, finished: &Finished, library: &Library) -> Result<Addition, Unplaced> {
    // Such a file is one line to the line rule, and nothing can be inside a line.
    let alone = |at: usize| text.as_bytes().get(at + 1) != Some(&b'\n');
    if memchr::memchr_iter(b'\r', text.as_bytes()).any(alone) {
        return Ok(Addition::None("its lines end in a carriage return alone".to_owned()));
    }
    Ok(match suffix(name).as_str() {
        "md" | "markdown" if is_at_end(library.layout(&finished.opened.layout), name) => {
            at_end(text, finished, library)?
        }
        "md" | "markdown" => markdown(text, finished, library)?,
        "json" => data::json(name, text, finished, library),
        "yaml" | "yml" => data::yaml(text, finished, library),
        "csv" => data::csv(text, finished, library),
        _ => Addition::None("a file of this kind takes no addition".to_owned()),
    })
}

/// The text that a discussion makes of a file that did not exist; none where it makes none of that kind.
///
/// # Errors
/// A template that cannot be used.
pub fn created_text(name: &str, finished: &Finished, library: &Library) -> Result<Option<String>, Unplaced> {
    Ok(match create(name, finished, library)? {
        Addition::Into(text, _) => Some(text),
        Addition::None(_) => None,
    })
}

/// An artifact that did not exist.
fn create(name: &str, finished: &Finished, library: &Library) -> Result<Addition, Unplaced> {
    Ok(match suffix(name).as_str() {
        "md" | "markdown" => {
            let stem = name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or(name);
            let words: Vec<String> = stem.split(['-', '_']).map(plain::capital).collect();
            let title = plain::markdown(&finished.opened.step.title);
            let body = addition(finished, library, 3)?;
            let text = format!("# {}\n\n## {title}\n\n{body}\n", words.join(" "));
            Addition::Into(text, finished.opened.step.title.clone())
        }
        "json" => data::new_json(finished, library),
        "yaml" | "yml" => data::yaml("", finished, library),
        "csv" => data::csv("", finished, library),
        _ => Addition::None("roundtable creates Markdown, JSON, YAML and CSV files only".to_owned()),
    })
}

/// The addition at the first place of a Markdown text where nothing else changes by it.
fn markdown(text: &str, finished: &Finished, library: &Library) -> Result<Addition, Unplaced> {
    let outline = outline::Outline::new(text);
    for spot in section_choice::rank_spots(&outline, &finished.opened.step.title, text.len()) {
        let body = addition(finished, library, spot.level)?;
        let body = match &spot.opens {
            Some((heading, level)) => format!("{} {heading}\n\n{body}", "#".repeat(usize::from(*level))),
            None => body,
        };
        let inserted = outline::insert(text, spot.at, &body);
        if outline::fits(text, &inserted) {
            return Ok(Addition::Into(inserted.text, spot.section));
        }
    }
    let why = "it ends in an open fence, comment or HTML block, or defines a link of a persona's name; close or rename it";
    Err(Unplaced::NoPlace { path: String::new(), why })
}

/// The addition at the end of a Markdown text, in no section that is there: before the definitions of links that end it.
fn at_end(text: &str, finished: &Finished, library: &Library) -> Result<Addition, Unplaced> {
    let inserted =
        outline::insert(text, outline::end_of_words(text), &addition(finished, library, END_LEVEL)?);
    if outline::fits(text, &inserted) {
        return Ok(Addition::Into(inserted.text, BLOCK.to_owned()));
    }
    Ok(Addition::None("it ends in an open fence, comment or HTML block; close it".to_owned()))
}

/// Whether a block goes to the end of a document: the text of an issue has none of the sections that steps name.
fn is_at_end(layout: &Layout, document: &str) -> bool {
    layout.block == Block::End || layout.block == Block::Section && document == DRAFT
}

/// How the heading of a block begins.
const BLOCK: &str = "Elaboration Insights";
/// The level of a block at the end of a document: beside its sections.
const END_LEVEL: u8 = 2;

/// The addition to a Markdown file: marker and synthesis, its heading at `level`.
///
/// # Errors
/// A template that cannot be rendered.
pub fn addition_text(finished: &Finished, library: &Library, level: u8) -> Result<String, Failed> {
    render("addition.md", finished, library, level, &|text| Value::from(text))
}

fn addition(finished: &Finished, library: &Library, level: u8) -> Result<String, Unplaced> {
    let text = addition_text(finished, library, level)?;
    let marker = format!("<!-- Elaboration: step {}, {} -->", finished.opened.step.id, finished.at);
    if text.matches("<!--").count() == 1 && text.lines().any(|line| line == marker) {
        Ok(text)
    } else {
        Err(Unplaced::Marker)
    }
}

/// The synthesis as the user sees it (L-1).
///
/// # Errors
/// A template that cannot be rendered.
pub fn summary_text(finished: &Finished, library: &Library) -> Result<String, Failed> {
    render("synthesis.md", finished, library, 3, &|text| Value::from(text))
}

/// The same for a terminal: the words as they were said, with no sign that only Markdown needs.
///
/// # Errors
/// A template that cannot be rendered.
pub fn spoken_summary(finished: &Finished, library: &Library) -> Result<String, Failed> {
    render("synthesis.md", finished, library, 3, &|text| safe(plain::clean(text)))
}

/// Who said a decision.
pub(crate) fn decider<'a>(decision: &Decision, said: LandingEntries<'a>) -> &'a str {
    said.messages(&decision.turns).last().map_or("User", |message| &message.by)
}

/// Why a decision was made, where a user said so in other words than the decision's own.
pub(crate) fn reason(decision: &Decision) -> Option<&str> {
    let is_own = !decision.rationale.is_empty() && !decision.text.contains(&decision.rationale);
    is_own.then_some(decision.rationale.as_str())
}

/// A text that could be taken for a persona's line, in quotation marks.
pub(crate) fn guarded<'t>(text: &'t str, cast: &Cast) -> Cow<'t, str> {
    let is_plain = text.trim().is_empty() || is_speakable(text, cast);
    if is_plain { Cow::Borrowed(text) } else { Cow::Owned(format!("\"{text}\"")) }
}

/// The most places that are shown after an entry; the recording has all.
const PLACES: usize = 3;

/// The places of what an entry rests on, for a document as these last; what a rule found says its own.
fn places(one: &Insight, voice: &str, lasts: bool) -> String {
    if voice == SECRETARY {
        return String::new();
    }
    let rests = one.rests.iter().take(PLACES);
    if lasts { lasting_sources(rests) } else { sources(rests) }
}

/// Statements of users that an addition shows at most.
const STATEMENTS: usize = 12;
/// Characters that they take at most.
const STATEMENT_CHARACTERS: usize = 2_000;

/// The insights that an addition shows, and how many statements it only counts: those are in the recording.
pub fn shown_insights(finished: &Finished) -> (Vec<&Insight>, usize) {
    let (mut count, mut characters, mut further) = (0, 0, 0);
    let mut is_shown = |one: &&Insight| {
        if !one.by.iter().any(|key| key == USER) {
            return true;
        }
        (count, characters) = (count + 1, characters + one.text.chars().count());
        let shown = count <= STATEMENTS && characters <= STATEMENT_CHARACTERS;
        further += usize::from(!shown);
        shown
    };
    let shown = finished.summary.insights.iter().filter(&mut is_shown).collect();
    (shown, further)
}

fn render(
    template: &str,
    finished: &Finished,
    library: &Library,
    level: u8,
    put: &dyn Fn(&str) -> Value,
) -> Result<String, Failed> {
    let summary = &finished.summary;
    let cast = &library.cast;
    let (insights, further) = shown_insights(finished);
    let late = |(by, text): (&str, String)| context! { by => put(by), text => put(&text) };
    // A text that begins like a line of a persona's is quoted.
    let put = |text: &str| put(&guarded(text, cast));
    let is_in_document = template == "addition.md";
    let said = |one: &Insight| {
        let shown = places(one, finished.entries().voice, is_in_document);
        let shown = (!shown.is_empty()).then(|| put(&shown));
        context! { attribution => safe(attribution(&one.by, cast)), text => put(&one.text), places => shown }
    };
    let layout = library.layout(&finished.opened.layout);
    let has = |place: &Place| !is_in_document || *place == Place::Block;
    let see = see(layout, finished).filter(|_| is_in_document);
    let open_questions = if is_in_document { summary.landing_questions() } else { &summary.open_questions };
    let decided = |one: &Decision| context! { text => put(&one.text), rationale => reason(one).map(put), by => put(decider(one, finished.entries())), turns => &one.turns };
    let why = |one: &Question| if is_in_document { why_open(one, finished) } else { one.context.clone() };
    let asked = |one: &Question| context! { text => put(&one.text), context => put(without_end(&why(one))), turns => &one.turns };
    let proposed = |one: &Proposed| context! { kind => safe(one.kind.words()), anchor => put(&one.anchor), path => put(&one.path), text => put(&one.shown()) };
    let marks = |level: u8| match level {
        1..=6 => (safe(format!("{} ", "#".repeat(level.into()))), safe("")),
        _ => (safe("**"), safe("**")),
    };
    let ((open, close), (sub_open, sub_close)) = (marks(level), marks(level + 1));
    let values = context! {
        step => Serde(&finished.opened.step),
        participants => cast.iter().map(|p| context! { name => p.name.as_str(), short_role => p.short_role.as_str() }).collect::<Vec<_>>(),
        turn_count => finished.closed.turn_count,
        exit => safe(finished.closed.exit.to_string()),
        timestamp => safe(finished.at.to_string()),
        insights => insights.into_iter().filter(|_| has(&layout.insights)).map(said).collect::<Vec<_>>(),
        further,
        recording => safe(finished.recording()),
        decisions => summary.decisions.iter().filter(|_| has(&layout.decisions)).map(decided).collect::<Vec<_>>(),
        see,
        open_questions => open_questions.iter().filter(|_| has(&layout.questions)).map(asked).collect::<Vec<_>>(),
        action_items => summary.action_items.iter().filter(|_| has(&layout.actions)).map(said).collect::<Vec<_>>(),
        // In a document a proposal is at its place alone.
        proposed => summary.additions.iter().filter(|_| !is_in_document).map(proposed).collect::<Vec<_>>(),
        not_discussed => finished.late_words(library).into_iter().map(late).collect::<Vec<_>>(),
        open, close, sub_open, sub_close,
    };
    library.templates.render(template, values)
}

/// What a document says of an open question: of a point that nobody took up the answers to choose from, else why it is
/// open.
fn why_open(question: &Question, finished: &Finished) -> String {
    if !question.turns.is_empty() {
        return question.context.clone();
    }
    let points = finished.log.iter().find_map(|record| match &record.event {
        Event::Points(found) if !found.points.is_empty() => Some(found.points.as_slice()),
        _ => None,
    });
    let point = points.unwrap_or_default().iter().find(|point| point.question == question.text);
    point.map_or_else(|| question.context.clone(), |point| point.options.join(" / "))
}

/// Where the block's reader finds the decisions that a list of their own has.
fn see(layout: &Layout, finished: &Finished) -> Option<String> {
    let Place::List(list) = &layout.decisions else { return None };
    let session = list.session.then(|| lists::session_heading(&finished.at.day()));
    let parts: Vec<String> = std::iter::once(list.heading.clone()).chain(session).collect();
    (!finished.summary.decisions.is_empty()).then(|| format!("See {}", parts.join(", ")))
}

impl Outcome {
    /// An outcome that changes nothing.
    pub fn nothing(recording: &str) -> Outcome {
        Outcome {
            changes: Vec::new(),
            placed: Vec::new(),
            left: Vec::new(),
            stays: Vec::new(),
            recording: recording.to_owned(),
            announcements: Vec::new(),
        }
    }

    /// `Updated …, section "…": added ….`, one line an artifact (discussion AC-008-04).
    fn announce(&self, item: &Item, library: &Library) -> Result<Vec<String>, Failed> {
        let name = |path: &str| item.name_of(path).to_owned();
        let updated = self.placed.iter().map(|placed| {
            let values = context! { artifact => name(&placed.path), section => placed.section.as_str(), description => placed.description.as_str() };
            library.templates.render("announcement.txt", values)
        });
        let left = self.left.iter().map(|left| {
            let is_updated = self.placed.iter().any(|placed| placed.path == left.path);
            library.templates.render(
                "announcement-left.txt",
                context! { artifact => name(&left.path), reason => left.reason.as_str(), is_updated },
            )
        });
        let stays = self.stays.iter().map(|staying| {
            library.templates.render(
                "announcement-recording.txt",
                context! { what => staying.what.as_str(), is_one => staying.is_one, reason => staying.reason.as_str() },
            )
        });
        updated.chain(left).chain(stays).collect()
    }
}
