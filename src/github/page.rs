//! What goes to GitHub: the comment, the pull request, the summary of the job.
//!
//! Markdown is made harmless as everywhere; here names and numbers are, too, because GitHub reads
//! them in plain text: nobody is called, no issue is closed, nothing is linked by words of others.

use minijinja::context;

use super::cards::{self, Card, Cards};
use super::possible::Listed;
use super::thread::Unused;
use crate::discussion::event::{Event, Opened, Record};
use crate::discussion::points::{Point, Weight};
use crate::discussion::summary::{Decision, Insight, Question};
use crate::discussion::transcript::with_sources;
use crate::discussion::{Finished, runs};
use crate::history::page::{self, Format};
use crate::item::library::Library;
use crate::review;
use crate::text::path::encoded_path;
use crate::text::plain;
use crate::text::template::{Failed, safe};

/// Room for a transcript in a comment, in characters.
const TRANSCRIPT: usize = 40_000;

/// What is told of an analysis.
pub struct Walked<'a> {
    pub name: &'a str,
    /// The item's folder.
    pub slug: &'a str,
    pub branch: &'a str,
    pub number: u64,
    pub is_complete: bool,
    pub done: Vec<String>,
    /// The id and the title of the step that comes next.
    pub next: Option<(&'a str, &'a str)>,
    /// What that step asks.
    pub questions: &'a [String],
    pub understood: &'a [Understood],
    /// The label that goes on.
    pub label: String,
    pub links: Links,
    /// What is left out of earlier runs, and why.
    pub leaves: &'a [String],
    pub unused: &'a [Unused],
}

impl Walked<'_> {
    /// The comment.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn comment(&self, library: &Library, marker: &str) -> std::result::Result<String, Failed> {
        let values = context! {
            marker => safe(marker),
            name => safe(inert(&plain::markdown(self.name))),
            complete => self.is_complete,
            done => self.done.iter().map(|one| harmless(one)).collect::<Vec<_>>(),
            done_count => plain::count(self.done.len(), "step"),
            next => self.next.map(|(id, title)| context! { id, title => safe(inert(&plain::markdown(title))) }),
            questions => self.questions.iter().map(|one| safe(inert(&plain::markdown(one)))).collect::<Vec<_>>(),
            understood => self.understood.iter().map(Understood::shown).collect::<Vec<_>>(),
            label => safe(inert(&plain::markdown(&self.label))),
            branch => safe(self.branch),
            branch_url => safe(self.links.branch_url.clone()),
            pull_request => safe(self.links.pull_request.clone()),
            compare_url => safe(self.links.compare_url.clone()),
            needs_approval => self.links.needs_approval,
            leaves => sentences(self.leaves),
            unused => unused(self.unused, &self.links.issue_url),
            unused_count => self.unused.len(),
        };
        library.templates.render("github/analysis.md", values)
    }

    /// The pull request's title and body.
    pub fn pull_request(&self) -> (String, String) {
        let steps = plain::count(self.done.len(), "step");
        let body = format!(
            "Refs #{}\n\nThe analysis of an item, a commit a step: {steps} done. The change only adds: `roundtable check` compares every file with its earlier version.\n",
            self.number
        );
        (format!("docs({}): analysis", self.slug), body)
    }
}

/// The comments that were not used; of many the rest is counted.
fn unused(all: &[Unused], issue_url: &str) -> Vec<minijinja::Value> {
    let one = |one: &Unused| {
        let link = format!("{issue_url}#issuecomment-{}", one.id);
        context! { by => safe(inert(&plain::markdown(&one.by))), why => one.why, link => safe(link) }
    };
    let mut shown: Vec<_> = all.iter().take(UNUSED).map(one).collect();
    if all.len() > UNUSED {
        let by = format!("{} more", all.len() - UNUSED);
        shown.push(context! { by, why => "the log of the job names them", link => () });
    }
    shown
}

/// An answer as an analysis took it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Understood {
    pub step: String,
    /// The question; empty for a note.
    pub asked: String,
    pub by: String,
    pub text: String,
}

impl Understood {
    fn shown(&self) -> minijinja::Value {
        let harmless =
            |text: &str| safe(inert(&plain::markdown(&plain::cut(&plain::one_line(text), QUOTED))));
        context! {
            step => self.step.as_str(),
            asked => harmless(&self.asked),
            by => harmless(&self.by),
            text => harmless(&self.text),
        }
    }
}

/// Our own sentences, whose names of branches stay as they are.
fn sentences(all: &[String]) -> Vec<minijinja::Value> {
    all.iter().map(|one| safe(inert(one))).collect()
}

/// Addresses, for links.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub branch_url: String,
    pub recording_url: String,
    /// The issue.
    pub issue_url: String,
    /// Where the files of the commit are: `…/blob/COMMIT`.
    pub blob_url: String,
    /// Where a pull request can be opened by hand.
    pub compare_url: String,
    /// Empty where there is none.
    pub pull_request: String,
    /// The checks of the pull request wait until somebody approves them.
    pub needs_approval: bool,
}

/// What is told besides the discussion itself.
#[derive(Clone, Copy)]
pub struct Result<'a> {
    pub open: &'a OpenPoints,
    /// What is left out of earlier discussions, and why.
    pub leaves: &'a [String],
    /// What was understood of answers, besides the decisions.
    pub notes: &'a [String],
}

/// What is open when a discussion is over.
#[derive(Clone, Debug, Default)]
pub struct OpenPoints {
    pub cards: Cards,
    /// Points that documents, code or decisions answer.
    pub answered: Vec<Point>,
    /// What the rules find beside the cards, the worst first.
    pub gaps: Vec<review::Finding>,
    /// Possible decisions, and whether they are ticked.
    pub possible: Vec<(bool, Listed)>,
    /// What personas proposed in the documents, and nobody has accepted.
    pub proposals: Vec<Listed>,
}

impl OpenPoints {
    /// Whether nothing is left: neither a question nor a finding of the rules.
    pub fn is_settled(&self) -> bool {
        self.cards.all().next().is_none() && self.cards.waiting == 0 && self.gaps.is_empty()
    }
}

/// Comments that are named at most as not used.
const UNUSED: usize = 100;
/// Gaps that are listed at most; the rest is counted.
const GAPS: usize = 10;
/// What people read in about a minute, in words: all that is before the first fold. Strangers read cards, half of them
/// names and code, at 100 to 150 words a minute.
const MAX_WORDS: usize = 150;
/// Room for the cards and what is told with them, in characters: the rest of a comment's room is the discussion's.
const RESULT: usize = 48_000;
/// Decisions that are listed before the folds, where there is room.
const DECISIONS: usize = 5;
/// Places that are linked of an insight.
const PLACES: usize = 3;
/// How a note above a comment begins and ends.
const NOTE: (&str, &str) = ("<!-- note -->", "<!-- end of note -->");
/// How our part of a pull request's text begins and ends.
const OURS: (&str, &str) = ("<!-- roundtable -->", "<!-- end of roundtable -->");

/// The text of a pull request with our part as it is now; none where somebody has taken our signs away.
pub fn retold(text: &str, own: &str) -> Option<String> {
    let parts = |text: &str| {
        let (before, rest) = text.split_once(OURS.0)?;
        let (part, after) = rest.split_once(OURS.1)?;
        Some((before.to_owned(), part.to_owned(), after.to_owned()))
    };
    let ((before, _, after), (_, part, _)) = (parts(text)?, parts(own)?);
    Some(format!("{before}{}{part}{}{after}", OURS.0, OURS.1))
}

/// How a note is set off from the text.
#[derive(Clone, Copy)]
pub enum Tone {
    Note,
    Warning,
}

/// A comment with a note above its text, in place of an earlier one.
pub fn noted(body: &str, tone: Tone, note: &str) -> String {
    let (marker, rest) = body.split_once('\n').unwrap_or((body, ""));
    let rest = match (rest.strip_prefix(NOTE.0), rest.split_once(NOTE.1)) {
        (Some(_), Some((_, after))) => after.trim_start_matches('\n'),
        _ => rest,
    };
    // The second line of a comment may say what it is.
    let lines: String = note.trim().lines().map(|line| format!("> {line}\n")).collect();
    let alert = match tone {
        Tone::Note => "NOTE",
        Tone::Warning => "WARNING",
    };
    let whole = format!("{marker}\n{}\n> [!{alert}]\n{lines}{}\n\n{rest}", NOTE.0, NOTE.1);
    cut(&whole, super::hub::LONGEST, "")
}

/// Why a run failed, for the comment and the job's summary.
pub fn failure(message: &str) -> String {
    inert(&plain::markdown(&plain::cut(&plain::one_line(&plain::clean(message)), 1_000)))
}

/// A note, with what was left out and not used.
pub fn note_text(note: &str, leaves: &[String], unused: &[Unused]) -> String {
    let mut text = note.to_owned();
    leaves.iter().for_each(|one| text.push_str(&format!("\n{}", inert(one))));
    for one in unused.iter().take(GAPS) {
        let by = inert(&plain::markdown(&one.by));
        text.push_str(&format!("\n- not used: a comment by {by}, because {}", one.why));
    }
    if unused.len() > GAPS {
        text.push_str(&format!("\n- not used: {} more", plain::count(unused.len() - GAPS, "comment")));
    }
    text
}

/// The second line of a comment that is part of a conversation, and is never written over by another
/// run.
const PART: &str = "<!-- a run of an open discussion -->";

/// Whether a comment is part of a conversation.
pub fn is_part(body: &str) -> bool {
    body.lines().nth(1) == Some(PART)
}

/// What one run of a discussion that stays open says on the issue.
pub struct Part<'a> {
    /// The log to the end of this run.
    pub log: &'a [Record],
    pub opened: &'a Opened,
    pub library: &'a Library,
    /// The label that goes on; none where a comment alone does.
    pub label: Option<&'a str>,
    pub links: &'a Links,
    pub unused: &'a [Unused],
    /// What is left out of earlier discussions, and why.
    pub leaves: &'a [String],
    /// The heading and the rendered result, where the discussion is over.
    pub result: Option<(&'a str, &'a str)>,
}

impl Part<'_> {
    /// The comment: what was said since the last one, as people talk.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn comment(&self, marker: &str) -> std::result::Result<String, Failed> {
        let added = runs::added(self.log);
        let begins = runs::before(self.log).is_none();
        let heard: Vec<_> = added.iter().filter(|record| matches!(record.event, Event::User(_))).collect();
        // One message above is what the answer is to; of several each answer says which.
        let quotes = heard.len() > 1;
        let lines: Vec<_> = added.iter().filter_map(|record| self.line(&record.event, quotes)).collect();
        let turns = self.log.iter().filter_map(|record| turn_of(&record.event)).max();
        let values = context! {
            marker => safe(format!("{marker}\n{PART}")),
            begins,
            step => step(self.opened),
            lines,
            closed => self.result.is_some(),
            heading => safe(self.result.unwrap_or_default().0),
            result => safe(self.result.unwrap_or_default().1),
            leaves => sentences(self.leaves),
            turn_count => turns.unwrap_or(0),
            max_turns => self.opened.max_turns,
            label => self.label.map(|label| safe(inert(&plain::markdown(label)))),
            branch => safe(self.opened.branch.clone()),
            branch_url => safe(self.links.branch_url.clone()),
            recording_url => safe(self.links.recording_url.clone()),
            pull_request => safe(self.links.pull_request.clone()),
            unused => unused(self.unused, &self.links.issue_url),
            unused_count => self.unused.len(),
        };
        let whole = self.library.templates.render("github/open.md", values)?;
        Ok(cut(&whole, super::hub::LONGEST, &self.links.recording_url))
    }

    fn line(&self, event: &Event, quotes: bool) -> Option<minijinja::Value> {
        let cast = &self.library.cast;
        let name = |key: &str| cast.get(key).map_or_else(|| key.to_owned(), |one| one.name.clone());
        let role = |key: &str| cast.get(key).map_or_else(String::new, |one| one.role.clone());
        let harmless = |text: &str| safe(inert(&plain::markdown(text)));
        let lines = |text: &str| -> Vec<minijinja::Value> {
            text.lines().filter(|line| !line.trim().is_empty()).map(harmless).collect()
        };
        Some(match event {
            Event::Contribution(said) => context! {
                kind => "line",
                by => harmless(&name(&said.by)),
                role => harmless(&role(&said.by)),
                lines => lines(&with_sources(said)),
            },
            Event::Notice(notice) => {
                context! { kind => "notice", by => harmless(&name(&notice.by)), lines => lines(&notice.text) }
            }
            Event::User(message) if quotes => {
                context! {
                    kind => "user", by => harmless(&message.by), lines => lines(&plain::cut(&message.text, QUOTED)),
                }
            }
            _ => return None,
        })
    }
}

/// What is shown of a question, and of what answers it already, in characters.
const QUESTION: usize = 240;
/// What is quoted at most of a message that is answered, in characters.
const QUOTED: usize = 160;

fn turn_of(event: &Event) -> Option<u32> {
    match event {
        Event::Contribution(said) => Some(said.turn),
        Event::User(message) => message.turn,
        _ => None,
    }
}

fn step(opened: &Opened) -> minijinja::Value {
    let step = &opened.step;
    context! { id => step.id.as_str(), title => safe(inert(&plain::markdown(&step.title))) }
}

/// What is told of a discussion.
pub struct Told<'a> {
    pub finished: &'a Finished,
    pub library: &'a Library,
    pub number: u64,
    pub links: Links,
    pub unused: &'a [Unused],
    /// The label that asks again.
    pub label: &'a str,
    pub outcome: Result<'a>,
}

/// Text in which GitHub finds nobody to call and nothing to link or close, and an app that reads along no
/// command (`/close` at a line's beginning).
pub fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    let (mut before, mut begins) = (' ', true);
    while let Some(c) = chars.next() {
        // A backslash before the sign is Markdown's, and GitHub reads the text after Markdown does.
        if c == '\\' && chars.peek() == Some(&'@') {
            continue;
        }
        out.push(c);
        let next = chars.peek().copied().unwrap_or(' ');
        let calls = c == '@' && next.is_alphanumeric();
        let refers = c == '#' && next.is_ascii_digit();
        let names = matches!(c, 'H' | 'h') && matches!(before, 'G' | 'g') && next == '-';
        let leads = c == ':' && next == '/';
        let commands = c == '/' && begins;
        if calls || refers || names || leads || commands {
            out.push('\u{2060}');
        }
        begins = c == '\n' || begins && c.is_whitespace();
        before = c;
    }
    out
}

fn harmless(text: &str) -> minijinja::Value {
    safe(inert(&plain::markdown(text)))
}

fn possible((is_ticked, one): &(bool, Listed)) -> minijinja::Value {
    context! {
        box => safe(if *is_ticked { "[x]" } else { "[ ]" }),
        text => harmless(&one.text),
        by => harmless(&one.by),
        anchor => safe(one.anchor()),
    }
}

/// The words that a reader sees before the first fold: not boxes, nor what is hidden.
fn words_before_folds(text: &str) -> usize {
    let open = text.split("<details>").next().unwrap_or_default();
    let after_comment =
        |part: &'_ str| part.split_once("-->").map_or(String::new(), |(_, rest)| rest.to_owned());
    let mut parts = open.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let words = |part: String| part.split_whitespace().filter(is_word).count();
    words(first) + parts.map(|part| words(after_comment(part))).sum::<usize>()
}

/// What of a result is before the first fold.
struct Front {
    cards: Cards,
    /// Decisions that are listed.
    decisions: usize,
    has_possible: bool,
    /// What was understood, and what is left out of earlier discussions.
    has_notes: bool,
}

impl Front {
    /// Puts something behind a fold: decisions first, as the documents have them already. One card stays. Whether there
    /// was anything.
    fn shorten(&mut self) -> bool {
        match () {
            () if self.decisions > 1 => self.decisions = 1,
            () if self.has_possible => self.has_possible = false,
            () if self.cards.cards.len() > 1 => self.cards.fold_one(),
            () if self.decisions > 0 => self.decisions = 0,
            () if self.has_notes => self.has_notes = false,
            () => return false,
        }
        true
    }
}

impl Told<'_> {
    fn is_wordless(&self) -> bool {
        self.finished.is_wordless(&self.library.cast)
    }

    /// What was recorded: decisions and action items.
    fn recorded(&self) -> String {
        let summary = &self.finished.summary;
        let counted = [(summary.decisions.len(), "decision"), (summary.action_items.len(), "action item")];
        let counted = counted.into_iter().filter(|(number, _)| *number > 0);
        counted.map(|(number, what)| plain::count(number, what)).collect::<Vec<_>>().join(", ")
    }

    /// How much is open, with what was recorded, as the comment counts it.
    fn counts(&self) -> String {
        let counts = [self.recorded(), self.open_count()];
        let counts = counts.into_iter().filter(|count| !count.is_empty()).collect::<Vec<_>>().join(", ");
        let silent = if self.is_wordless() { ", and nobody has answered yet" } else { "" };
        plain::capital(&format!("{counts}{silent}"))
    }

    fn open_count(&self) -> String {
        let OpenPoints { cards, gaps, .. } = self.outcome.open;
        match cards.all().count() + cards.waiting {
            0 if !gaps.is_empty() => format!("{} left open", plain::count(gaps.len(), "passage")),
            0 => "no open question".to_owned(),
            number => plain::count(number, "open question"),
        }
    }

    /// What is above the cards; no word of it is anybody's.
    pub fn heading(&self) -> String {
        format!("Roundtable: {}", self.open_count())
    }

    fn unused(&self) -> Vec<minijinja::Value> {
        unused(self.unused, &self.links.issue_url)
    }

    fn step(&self) -> minijinja::Value {
        step(&self.finished.opened)
    }

    /// The comment, whole or without its transcript where that is too long.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn comment(&self, marker: &str) -> std::result::Result<String, Failed> {
        let finished = self.finished;
        let mut log = finished.log.clone();
        log.dedup_by(|next, one| matches!((&next.event, &one.event), (Event::Silence {}, Event::Silence {})));
        let transcript = page::render(&log, &finished.opened, self.library, Format::Markdown)?;
        // The page's own head and summary are above already.
        let begin = transcript.find("## Discussion").map_or(0, |at| at + "## Discussion".len());
        let end = transcript.rfind("\n## Summary").unwrap_or(transcript.len());
        let transcript = inert(transcript.get(begin..end).unwrap_or_default().trim());
        let is_short = transcript.chars().count() <= TRANSCRIPT;
        let whole = self.comment_with(marker, if is_short { &transcript } else { "" })?;
        // The transcript gives way to what people answer.
        if is_short && whole.chars().count() > super::hub::LONGEST {
            return Ok(cut(&self.comment_with(marker, "")?, super::hub::LONGEST, &self.links.recording_url));
        }
        Ok(cut(&whole, super::hub::LONGEST, &self.links.recording_url))
    }

    fn comment_with(&self, marker: &str, transcript: &str) -> std::result::Result<String, Failed> {
        let values = context! {
            marker => safe(marker),
            heading => safe(self.heading()),
            step => self.step(),
            recording_url => safe(self.links.recording_url.clone()),
            result => safe(self.result()?),
            unused => self.unused(),
            unused_count => self.unused.len(),
            turn_count => self.finished.closed.turn_count,
            transcript => safe(transcript),
        };
        self.library.templates.render("github/comment.md", values)
    }

    /// Cards, decisions, and behind folds the rest. What is before the first fold is cut until a minute is enough.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn result(&self) -> std::result::Result<String, Failed> {
        let cards = self.outcome.open.cards.clone();
        let mut front = Front { cards, decisions: DECISIONS, has_possible: true, has_notes: true };
        let heading_words = self.heading().split_whitespace().count();
        loop {
            let text = self.result_with(&front)?;
            let is_short = words_before_folds(&text) + heading_words <= MAX_WORDS;
            if !is_short && front.shorten() || text.chars().count() > RESULT && front.cards.put_off_one() {
                continue;
            }
            return Ok(format!("{}\n{text}", front.cards.line()));
        }
    }

    fn result_with(&self, front: &Front) -> std::result::Result<String, Failed> {
        let cards = &front.cards;
        let summary = &self.finished.summary;
        let links = &self.links;
        let open = self.outcome.open;
        let asked = |text: &str| {
            cards.all().any(|card| card.question == text)
                || open.answered.iter().any(|point| point.question == text)
        };
        let questions = summary.open_questions.iter().filter(|one| !asked(&one.text) && !self.is_point(one));
        let has_no_card = |one: &&review::Finding| {
            let own = Card::of_finding(one);
            let is_own = |card: &Card| card.question == own.question;
            !cards.all().any(|card| is_own(card) || (&card.path, card.line) == (&one.path, one.line))
        };
        let gaps: Vec<&review::Finding> = open.gaps.iter().filter(has_no_card).collect();
        let shown = summary.decisions.len().min(front.decisions);
        let (first, rest) = summary.decisions.split_at(shown);
        let notes = self.outcome.notes.iter().map(|one| harmless(one));
        let values = context! {
            wordless => self.is_wordless(),
            recorded => self.recorded(),
            branch => safe(self.finished.opened.branch.clone()),
            branch_url => safe(links.branch_url.clone()),
            pull_request => safe(links.pull_request.clone()),
            compare_url => safe(links.compare_url.clone()),
            needs_approval => links.needs_approval,
            notes => notes.chain(sentences(self.outcome.leaves)).collect::<Vec<_>>(),
            has_notes => front.has_notes,
            cards => cards.cards.iter().map(|card| self.card(card)).collect::<Vec<_>>(),
            folded => cards.folded.iter().map(|card| self.card(card)).collect::<Vec<_>>(),
            waiting => cards.waiting,
            has_options => cards.cards.iter().any(|card| !card.options.is_empty()),
            recommended => cards.cards.iter().filter(|card| !card.recommended.is_empty()).count(),
            label => harmless(self.label),
            answered => open.answered.iter().map(|one| self.answered(one)).collect::<Vec<_>>(),
            decisions => first.iter().map(|one| self.decision(one)).collect::<Vec<_>>(),
            more_decisions => rest.iter().map(|one| self.decision(one)).collect::<Vec<_>>(),
            possible => open.possible.iter().map(possible).collect::<Vec<_>>(),
            has_possible => front.has_possible,
            proposals => open.proposals.iter().map(|one| possible(&(false, one.clone()))).collect::<Vec<_>>(),
            open_questions => questions.map(|one| self.question(one)).collect::<Vec<_>>(),
            unlisted => summary.unlisted_questions.iter().map(|one| self.question(one)).collect::<Vec<_>>(),
            insights => self.insights(),
            actions => summary.action_items.iter().map(|one| harmless(&one.text)).collect::<Vec<_>>(),
            gaps => gaps.iter().take(GAPS).map(|one| self.gap(one)).collect::<Vec<_>>(),
            more_gaps => gaps.len().saturating_sub(GAPS),
            slug => self.finished.opened.item.rsplit('/').next(),
        };
        self.library.templates.render("github/result.md", values)
    }

    /// Whether a question only repeats what personas said for points of the reader: those are the cards.
    fn is_point(&self, question: &Question) -> bool {
        let speaks_for_point = |turn: &u32| {
            self.finished.log.iter().any(|record| match &record.event {
                Event::Contribution(said) => said.turn == *turn && !said.points.is_empty(),
                _ => false,
            })
        };
        !question.turns.is_empty() && question.turns.iter().all(speaks_for_point)
    }

    /// A card with a box for each option.
    fn card(&self, card: &Card) -> minijinja::Value {
        let step = &self.finished.opened.step.id;
        let option = |text: &String| {
            let anchor = Listed::option(step, &card.question, text).anchor();
            context! { text => harmless(text), recommended => *text == card.recommended, anchor => safe(anchor) }
        };
        let place = (!card.path.is_empty()).then(|| self.place(&card.path, card.line));
        context! {
            number => card.number,
            question => harmless(&plain::capital(&plain::cut(&card.question, QUESTION))),
            place,
            other => card.other.as_ref().map(|(path, line)| self.place(path, *line)),
            why => harmless(&card.why),
            weight => card.weight.map(|weight| match weight {
                Weight::Built => "changes what gets built",
                Weight::Detail => "settles a detail",
            }),
            smaller => card.is_smaller,
            options => card.options.iter().map(option).collect::<Vec<_>>(),
        }
    }

    /// A point that something answers: the question, the answer and where it is.
    fn answered(&self, point: &Point) -> minijinja::Value {
        let refuted = point.refuted.as_ref();
        let place = refuted.and_then(|by| by.quotes.first());
        context! {
            question => harmless(&plain::cut(&point.question, QUESTION)),
            answer => refuted.map(|by| harmless(&plain::cut(&by.answer, QUESTION))),
            place => place.map(|rest| self.place(&rest.path, rest.line)),
        }
    }

    /// A place in the commit: of the item's files where it has one of the name, else from the repository's root.
    fn place(&self, path: &str, line: usize) -> minijinja::Value {
        let opened = &self.finished.opened;
        let is_own =
            opened.read.contains_key(path) || opened.step.outputs.iter().any(|output| output == path);
        let is_own = is_own || path == crate::item::DRAFT;
        let whole = if is_own { format!("{}/{path}", opened.item) } else { path.to_owned() };
        let address = encoded_path(&whole);
        let url = format!("{}/{address}?plain=1#L{line}", self.links.blob_url);
        context! { text => safe(inert(&plain::markdown(&format!("{path}:{line}")))), url => safe(url) }
    }

    fn decision(&self, one: &Decision) -> minijinja::Value {
        let (by, link) = self.said_in(one.turns.last().copied());
        let reason =
            Some(one.rationale.as_str()).filter(|reason| !reason.is_empty() && !one.text.contains(reason));
        context! {
            text => harmless(&one.text),
            by => by.map(|by| harmless(&by)),
            link => link.map(safe),
            reason => reason.map(harmless),
        }
    }

    fn question(&self, one: &Question) -> minijinja::Value {
        let (_, link) = self.said_in(one.turns.last().copied());
        let text = plain::capital(&one.text);
        context! { text => harmless(&text), context => harmless(&one.context), link => link.map(safe) }
    }

    /// What a model found; the secretary's findings are cards already.
    fn insights(&self) -> Vec<minijinja::Value> {
        let is_read = self.finished.log.iter().any(|record| matches!(record.event, Event::Points(_)));
        let insights = self.finished.summary.insights.iter().filter(|_| is_read);
        insights.map(|one| self.insight(one)).collect()
    }

    fn insight(&self, one: &Insight) -> minijinja::Value {
        let places = one.rests.iter().take(PLACES).map(|rest| self.place(&rest.path, rest.line));
        context! { text => harmless(&one.text), places => places.collect::<Vec<_>>() }
    }

    fn gap(&self, one: &review::Finding) -> minijinja::Value {
        let passage = cards::passage(one).filter(|passage| !one.message.contains(passage));
        context! {
            place => self.place(&one.path, one.line),
            message => harmless(&plain::capital(&one.message)),
            passage => passage.map(|passage| harmless(&plain::cut(&passage, QUOTED))),
        }
    }

    /// Who spoke in a turn, and the address of the comment that it was.
    fn said_in(&self, turn: Option<u32>) -> (Option<String>, Option<String>) {
        let heard = self.finished.log.iter().find_map(|record| match &record.event {
            Event::User(message) if message.turn.is_some() && message.turn == turn => Some(message),
            _ => None,
        });
        let link = heard.and_then(|message| message.comment);
        let link = link.map(|id| format!("{}#issuecomment-{id}", self.links.issue_url));
        (heard.map(|message| message.by.clone()), link)
    }

    /// The pull request's title and body; no word of the title is anybody's.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn pull_request(&self) -> std::result::Result<(String, String), Failed> {
        let (opened, decisions) = (&self.finished.opened, &self.finished.summary.decisions);
        let slug = opened.item.rsplit('/').next().unwrap_or_default();
        let title = format!("docs({slug}): elaborate step {}", opened.step.id);
        let values = context! {
            number => self.number,
            step => self.step(),
            begin => safe(OURS.0),
            end => safe(OURS.1),
            decisions => decisions.iter().take(DECISIONS).map(|one| self.decision(one)).collect::<Vec<_>>(),
            more_decisions => decisions.len().saturating_sub(DECISIONS),
            counts => self.counts(),
            turn_count => self.finished.closed.turn_count,
            needs_approval => self.links.needs_approval,
        };
        Ok((title, self.library.templates.render("github/pull-request.md", values)?))
    }
}

/// Text of at most so many characters, cut at a line, with where the rest is.
fn cut(text: &str, limit: usize, rest: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let head = &text[..end];
    let head = head.rfind('\n').map_or(head, |at| &head[..at]);
    format!("{head}\n\n… full text: {rest}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_called_and_nothing_is_closed() {
        let text = inert("\\@sam and @team/x fixes #12, GH-3, a/b#4; mail a\\@b.c, 5 # 6, #x");
        for live in ["@s", "@t", "#1", "GH-", "#4", "@b"] {
            assert!(!text.contains(live), "{live}: {text}");
        }
        assert!(text.contains("# 6") && text.contains("#x"));
        assert_eq!(
            text.replace('\u{2060}', ""),
            "@sam and @team/x fixes #12, GH-3, a/b#4; mail a@b.c, 5 # 6, #x"
        );
        let text = inert("/close\n  /merge a/b fixes https\\://github.com/a/b/issues/1");
        assert_eq!(
            text,
            "/\u{2060}close\n  /\u{2060}merge a/b fixes https\\:\u{2060}//github.com/a/b/issues/1"
        );
    }

    #[test]
    fn a_note_is_above_the_text_and_only_one() {
        let once = noted("<!-- marker -->\ntext\n", Tone::Note, "One.\n- a");
        assert_eq!(
            once,
            "<!-- marker -->\n<!-- note -->\n> [!NOTE]\n> One.\n> - a\n<!-- end of note -->\n\ntext\n"
        );
        let twice = noted(&once, Tone::Warning, "Two.");
        assert!(
            twice.contains("> [!WARNING]\n> Two.")
                && !twice.contains("One.")
                && twice.ends_with("-->\n\ntext\n"),
            "{twice}"
        );
        assert_eq!(noted("<!-- marker -->", Tone::Note, "x").lines().count(), 6);
    }

    #[test]
    fn only_our_part_of_a_pull_requests_text_changes() {
        let text = |part: &str| format!("Refs #7\n\n{}\n{part}\n{}\nOwn.", OURS.0, OURS.1);
        assert_eq!(retold(&text("a"), &text("b")), Some(text("b")));
        assert_eq!(retold("Somebody's own words.", &text("b")), None);
    }

    #[test]
    fn what_is_too_long_is_cut_at_a_line_and_says_where_the_rest_is() {
        assert_eq!(cut("one\ntwo\nthree", 9, "there"), "one\ntwo\n\n… full text: there\n");
        assert_eq!(cut("one", 9, "there"), "one");
    }
}
