//! The words a model gets: one head, the talk so far, and last what is wanted now.
//!
//! The head never changes during a discussion and the talk only grows, so every prompt begins
//! with the one before it up to its last part: what a service has cached is read again instead of
//! paid again. Words of users and documents are between fences longer than any inside them, and
//! without what cannot be seen.

use minijinja::context;
use serde::Serialize;

use super::evidence::Evidence;
use super::rounds::MOST_NEEDED;
use crate::discussion::additions::Kind;
use crate::discussion::event::{Contribution, Event, Message, Notice, Record};
use crate::discussion::points::{Point, assigned};
use crate::discussion::{Cue, Discussion};
use crate::item::library::Library;
use crate::item::persona::{Cast, Persona};
use crate::item::step::{Depth, Step};
use crate::text::plain;
use crate::text::template::{Failed, safe};
use crate::voice::{Exchange, Rejected};

/// All documents together are cut to this many characters, the step's outputs first.
pub const DOCUMENTS: usize = 200_000;
/// A refused line in a prompt, in characters.
const SHOWN: usize = 600;

/// What is asked of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Rules, cast, step and documents.
    pub head: String,
    /// The discussion so far, an entry an event.
    pub talk: Vec<String>,
    /// What is wanted now, and from whom.
    pub wanted: String,
    pub want: Want,
}

/// The kinds of answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// What the documents leave open.
    Points,
    /// What answers some of these points already.
    Refute {
        points: Vec<Point>,
    },
    /// The lines of everybody who may speak now.
    Round {
        /// The number of the turn that comes next.
        turn: u32,
        /// Turns until the limit.
        left: u32,
        exchanges: Vec<AskedMessage>,
    },
    /// One line in place of another.
    Line {
        seat: Seat,
        rejected: Option<Rejected>,
    },
    Synthesis,
    /// Entries of a synthesis in other words.
    Repair {
        problems: Vec<RefusedEntry>,
    },
    /// A step's answers, drawn together.
    Draft {
        step: String,
        depth: Depth,
    },
}

/// An entry of a synthesis that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedEntry {
    /// Its list and its place there: `insights/0`.
    pub on: String,
    pub problem: String,
}

/// Who may speak to what; the opening, and a round after silence, have no message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AskedMessage {
    /// Its number in the request, by which an answer names it.
    pub message: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub personas: Vec<Seat>,
}

impl AskedMessage {
    /// The exchanges of a block, their messages numbered from zero.
    fn block(block: &[Exchange]) -> Vec<AskedMessage> {
        let mut next = 0;
        let asked = |exchange: &Exchange| {
            let message = exchange.message.as_ref().map(|_| next);
            next += usize::from(message.is_some());
            AskedMessage {
                message,
                by: exchange.message.as_ref().map(|heard| heard.by.clone()),
                text: exchange.message.as_ref().map(|heard| heard.text.clone()),
                personas: exchange.cues.iter().map(Seat::new).collect(),
            }
        };
        block.iter().map(asked).collect()
    }
}

/// Who may speak, and why, as recordings write it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seat {
    pub persona: String,
    pub purpose: String,
    pub owed: bool,
}

impl Seat {
    fn new(cue: &Cue) -> Seat {
        Seat { persona: cue.persona.clone(), purpose: purpose(cue), owed: cue.owed }
    }
}

impl Want {
    /// Its word in what a program reads.
    pub const fn name(&self) -> &'static str {
        match self {
            Want::Points => "points",
            Want::Refute { .. } => "refute",
            Want::Round { .. } => "round",
            Want::Line { .. } => "line",
            Want::Synthesis => "synthesis",
            Want::Repair { .. } => "repair",
            Want::Draft { .. } => "draft",
        }
    }

    /// Who is asked: persona keys, or what is asked for.
    pub fn who(&self) -> String {
        match self {
            Want::Round { .. } => self.personas().join(", "),
            Want::Line { seat, .. } => seat.persona.clone(),
            other => other.name().to_owned(),
        }
    }

    /// The keys of the personas that are asked, each once.
    pub fn personas(&self) -> Vec<&str> {
        let exchanges = if let Want::Round { exchanges, .. } = self { exchanges.as_slice() } else { &[] };
        let mut keys: Vec<&str> = Vec::new();
        for seat in exchanges.iter().flat_map(|asked| &asked.personas) {
            if !keys.contains(&seat.persona.as_str()) {
                keys.push(&seat.persona);
            }
        }
        keys
    }

    /// The most tokens an answer may take.
    pub fn most_tokens(&self) -> u64 {
        match self {
            Want::Round { exchanges, .. } => {
                2_048 + 512 * exchanges.iter().map(|asked| asked.personas.len() as u64).sum::<u64>()
            }
            Want::Line { .. } => 1_024,
            Want::Refute { .. } | Want::Repair { .. } | Want::Draft { .. } => 4_096,
            Want::Points | Want::Synthesis => 8_192,
        }
    }
}

impl Prompt {
    /// All of it in one text.
    pub fn text(&self) -> String {
        format!("{}\n\n{}", self.head, self.rest())
    }

    /// The talk and what is wanted, for protocols that know a head and a message.
    pub fn rest(&self) -> String {
        format!("{}{}", self.talk.concat(), self.wanted)
    }

    /// The length in bytes.
    pub fn byte_count(&self) -> usize {
        self.head.len() + self.talk.iter().map(String::len).sum::<usize>() + self.wanted.len()
    }
}

/// What is worked on.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub library: &'a Library,
    pub step: &'a Step,
    pub item_name: &'a str,
}

impl<'a> Subject<'a> {
    /// What a discussion is about.
    pub fn new(talk: &'a Discussion<'_>) -> Subject<'a> {
        Subject { library: talk.library(), step: talk.step(), item_name: &talk.opened().item_name }
    }
}

/// What was settled before about the item, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Earlier {
    /// A step (`steps/01-02`), or a recording.
    pub path: String,
    pub text: String,
}

/// What the head tells besides the item's documents.
#[derive(Clone, Debug, Default)]
pub struct Given<'a> {
    pub evidence: Evidence,
    /// What earlier steps and discussions have settled.
    pub earlier: Vec<Earlier>,
    /// The artifact and the heading of it that take the outcome.
    pub target: Option<(String, String)>,
    /// The user's messages, as far as they are known before the framing.
    pub messages: Vec<&'a str>,
    /// The most characters of evidence in all.
    pub max_chars: usize,
}

/// The head of every prompt about a step, and the names of documents that were cut.
///
/// # Errors
/// The template cannot be rendered.
pub fn head<'d>(
    subject: &Subject<'_>,
    documents: impl Iterator<Item = (&'d str, &'d str)>,
    given: &Given<'_>,
) -> Result<(String, Vec<String>), Failed> {
    let (library, step) = (subject.library, subject.step);
    let mut documents: Vec<(&str, &str)> = documents.collect();
    documents.sort_by_key(|(name, _)| {
        (step.outputs.iter().position(|output| output == name).unwrap_or(usize::MAX), *name)
    });
    let (shown, cut) = shown_documents(documents);
    let cast: Vec<_> = library.cast.iter().map(of_persona).collect();
    let values = context! {
        cast,
        step => context! { id => step.id.as_str(), title => step.title.as_str() },
        goals => &step.validation,
        item_name => safe(fenced("item", subject.item_name)),
        documents => shown,
        questions => step.questions(step.depth).to_vec(),
        target => given.target.as_ref().map(|(path, section)| safe(fenced(&plain::shown(path), &plain::shown(section)))),
        messages => given.messages.iter().map(|text| safe(fenced("message", &plain::clean(text)))).collect::<Vec<_>>(),
        earlier => given.earlier.iter().map(earlier).collect::<Vec<_>>(),
        evidence => given.evidence.shown().into_iter().map(safe).collect::<Vec<_>>(),
        room => given.max_chars.saturating_sub(given.evidence.size()),
        most => MOST_NEEDED,
    };
    Ok((library.templates.render("prompts/head.txt", values)?, cut))
}

/// Documents as prompts show them, together at most [`DOCUMENTS`], and the names of those that were cut.
fn shown_documents(documents: Vec<(&str, &str)>) -> (Vec<minijinja::Value>, Vec<String>) {
    let (mut left, mut cut, mut shown) = (DOCUMENTS, Vec::new(), Vec::new());
    for (name, text) in documents {
        let text = plain::clean(text);
        let kept = beginning(&text, left);
        left -= kept.chars().count().min(left);
        if kept.len() < text.len() {
            cut.push(plain::shown(name));
        }
        if !kept.trim().is_empty() {
            let rest = if kept.len() < text.len() { "\n(the document goes on)" } else { "" };
            shown.push(safe(format!("{}{rest}", fenced(&plain::shown(name), &numbered(kept, 1)))));
        }
    }
    (shown, cut)
}

/// The head of prompts about documents that nobody discusses, and the names of those that were cut.
///
/// # Errors
/// The template cannot be rendered.
pub fn review_head(
    library: &Library,
    documents: Vec<(&str, &str)>,
    evidence: &Evidence,
    max_chars: usize,
) -> Result<(String, Vec<String>), Failed> {
    let (documents, cut) = shown_documents(documents);
    let values = context! {
        documents,
        evidence => evidence.shown().into_iter().map(safe).collect::<Vec<_>>(),
        room => max_chars.saturating_sub(evidence.size()),
        most => MOST_NEEDED,
    };
    Ok((library.templates.render("prompts/review.txt", values)?, cut))
}

fn earlier(one: &Earlier) -> minijinja::Value {
    safe(fenced(&plain::shown(&one.path), &numbered(&plain::clean(&one.text), 1)))
}

fn of_persona(persona: &Persona) -> minijinja::Value {
    let words: Vec<String> = persona.forbidden.iter().flat_map(|rule| rule.phrases.clone()).collect();
    context! {
        name => persona.name.as_str(),
        role => persona.role.as_str(),
        lens => persona.lens.as_str(),
        identity => plain::one_line(&persona.identity),
        style => plain::one_line(&persona.style),
        principles => &persona.principles,
        elaboration => persona.elaboration.trim(),
        words,
    }
}

/// The talk so far, an entry an event that was seen; an entry never changes.
pub fn talk(talk: &Discussion<'_>) -> Vec<String> {
    let said = talk.log().iter().filter_map(|record| entry(record, &talk.library().cast));
    ["The discussion:\n\n".to_owned()].into_iter().chain(said).collect()
}

fn entry(record: &Record, cast: &Cast) -> Option<String> {
    let prefix = |key: &str| cast.get(key).map_or_else(|| format!("{key}:"), Persona::prefix);
    Some(match &record.event {
        Event::Contribution(said) => {
            let beside = beside(said).into_iter().map(|note| format!("\n({note})")).collect::<String>();
            format!("[{}] {} {}{beside}\n\n", said.turn, prefix(&said.by), said.text)
        }
        Event::User(Message { turn, by, text, .. }) => {
            let turn = turn.map_or_else(|| "no turn".to_owned(), |turn| turn.to_string());
            format!("[{turn}] The user:\n{}\n\n", fenced(&plain::shown(by), text))
        }
        Event::Points(found) if found.points.is_empty() => return None,
        Event::Points(found) => {
            let lines: Vec<String> = found.points.iter().enumerate().map(numbered_point).collect();
            format!(
                "Points that a reader found open, best first:\n{}\n\n",
                fenced("points", &lines.join("\n"))
            )
        }
        Event::Silence {} => "The user says nothing.\n\n".to_owned(),
        Event::Notice(Notice { by, text, .. }) => format!("(notice) {} {text}\n\n", prefix(by)),
        _ => return None,
    })
}

/// What a line has beside its words: the side it takes, and what it proposes.
fn beside(said: &Contribution) -> Vec<String> {
    let side = said
        .position
        .as_ref()
        .map(|side| format!("on {}, {} favors {}, because {}", side.on, said.by, side.favors, side.because));
    let proposal = said.proposal.as_ref().map(|proposal| {
        let words = plain::one_line(&proposal.shown());
        format!("proposes for {} {}, {}: {words}", proposal.document, proposal.anchor, proposal.kind.name())
    });
    side.into_iter().chain(proposal).map(|note| plain::shown(&note)).collect()
}

/// The prompt for the lines of a block.
///
/// # Errors
/// The template cannot be rendered.
pub fn round(head: &str, block: &[Exchange], now: &Discussion<'_>) -> Result<Prompt, Failed> {
    let exchanges = AskedMessage::block(block);
    let (turn, left) = (now.turn_count() + 1, now.turns_left());
    let shown: Vec<_> = exchanges.iter().map(|asked| shown_exchange(asked, now)).collect();
    let first = exchanges.iter().flat_map(|asked| &asked.personas).next();
    let layout = now.library().layout(&now.opened().layout);
    let kinds = Kind::ALL.iter().filter(|kind| kind.place(layout).is_some());
    let kinds: Vec<&str> = kinds.map(|kind| kind.name()).collect();
    let wanted = context! {
        turn, left, kinds,
        exchanges => shown,
        first => first.map(|seat| seat.persona.as_str()),
        has_points => !now.points().is_empty(),
    };
    prompt(head, now, "round", wanted, Want::Round { turn, left, exchanges })
}

/// An exchange as the template shows it: a message between fences.
fn shown_exchange(asked: &AskedMessage, now: &Discussion<'_>) -> minijinja::Value {
    let message = asked.text.as_ref().map(|text| {
        let by = plain::shown(asked.by.as_deref().unwrap_or_default());
        safe(fenced(&by, text))
    });
    let points = match asked.message {
        None => points_of(&asked.personas, now),
        Some(_) => vec![None; asked.personas.len()],
    };
    let seats = asked.personas.iter().zip(points);
    let seats: Vec<_> = seats.map(|(seat, point)| context! { point, ..shown(seat, now) }).collect();
    context! { number => asked.message, message, seats }
}

/// The points that those speak of who answer no message.
fn points_of(seats: &[Seat], now: &Discussion<'_>) -> Vec<Option<usize>> {
    let raised: Vec<usize> = now.contributions().flat_map(|said| said.points.iter().copied()).collect();
    let takes = |key: &str| now.library().cast.get(key).map_or(&[][..], |persona| persona.takes.as_slice());
    let seats: Vec<(bool, &[String])> =
        seats.iter().map(|seat| (seat.purpose == "framing", takes(&seat.persona))).collect();
    assigned(now.points(), &raised, &seats)
}

/// The prompt for one line; `rejected` is the last try at it.
///
/// # Errors
/// The template cannot be rendered.
pub fn line(
    head: &str,
    cue: &Cue,
    now: &Discussion<'_>,
    rejected: Option<&Rejected>,
) -> Result<Prompt, Failed> {
    let seat = Seat::new(cue);
    let breaches = rejected.iter().flat_map(|rejected| &rejected.breaches);
    let broken: Vec<_> = breaches
        .map(|breach| {
            let nearest = breach.nearest.as_deref().map(plain::shown);
            context! { rule => breach.rule.name(), reason => breach.reason(), nearest }
        })
        .collect();
    let text = rejected
        .map(|rejected| plain::cut(&plain::clean(&rejected.text), SHOWN))
        .filter(|text| !text.trim().is_empty());
    let rejected_text = text.map(|text| safe(fenced("refused", &text)));
    let values = context! { turn => now.turn_count() + 1, seat => shown(&seat, now), broken, rejected_text };
    prompt(head, now, "line", values, Want::Line { seat, rejected: rejected.cloned() })
}

/// A seat as the templates show it.
fn shown(seat: &Seat, now: &Discussion<'_>) -> minijinja::Value {
    let cast = &now.library().cast;
    let persona = cast.get(&seat.persona).unwrap_or_else(|| now.lead());
    context! {
        key => persona.key.as_str(),
        name => persona.name.as_str(),
        role => persona.role.as_str(),
        lens => persona.lens.as_str(),
        purpose => seat.purpose.as_str(),
        owed => seat.owed,
        next => cast.others(&persona.key).next().map_or("", Persona::first_name),
    }
}

/// The purpose as recordings write it.
fn purpose(cue: &Cue) -> String {
    serde_json::to_value(cue.purpose)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// The prompt for the synthesis; `wrong` says what was wrong with the last try.
///
/// # Errors
/// The template cannot be rendered.
pub fn synthesis(head: &str, now: &Discussion<'_>, wrong: &str) -> Result<Prompt, Failed> {
    let keys: Vec<String> = now.library().cast.iter().map(|persona| persona.key.clone()).collect();
    prompt(head, now, "synthesis", context! { keys, wrong }, Want::Synthesis)
}

/// What a model asked for, as the talk shows it.
///
/// # Errors
/// The template cannot be rendered.
pub fn needed(library: &Library, asked: &[String], found: &Evidence) -> Result<String, Failed> {
    let (unknown, not_shown) =
        (plain::shown(&found.unknown.join(", ")), plain::shown(&found.not_shown.join(", ")));
    let asked = plain::shown(&asked.join(", "));
    let evidence = found.shown().into_iter().map(safe).collect::<Vec<_>>();
    let shown =
        library.templates.render("prompts/need.txt", context! { asked, evidence, unknown, not_shown })?;
    Ok(format!("{}\n\n", shown.trim_end()))
}

/// The entry of the talk before which it shows what was asked for: where that was recorded.
pub fn place_of_need(talk: &Discussion<'_>) -> Option<usize> {
    let is_need = |record: &Record| matches!(&record.event, Event::Points(found) if found.need.is_some());
    let at = talk.log().iter().position(is_need)?;
    let before = talk.log().iter().take(at).filter_map(|record| entry(record, &talk.library().cast));
    Some(1 + before.count())
}

/// The prompt for points.
///
/// # Errors
/// The template cannot be rendered.
pub fn points(head: &str, now: &Discussion<'_>) -> Result<Prompt, Failed> {
    prompt(head, now, "points", context! { is_review => false }, Want::Points)
}

/// The same prompt after an answer that could not be read, and why.
///
/// # Errors
/// The template cannot be rendered.
pub fn again(library: &Library, prompt: &Prompt, why: &str) -> Result<Prompt, Failed> {
    let refused = library.templates.render("prompts/unread.txt", context! { why })?;
    Ok(Prompt { wanted: format!("{}\n\n{}", refused.trim_end(), prompt.wanted), ..prompt.clone() })
}

/// What asks for the points of documents that nobody discusses.
///
/// # Errors
/// The template cannot be rendered.
pub fn review_points(library: &Library) -> Result<String, Failed> {
    library.templates.render("prompts/points.txt", context! { is_review => true })
}

/// What asks for answers to points of documents that nobody discusses.
///
/// # Errors
/// The template cannot be rendered.
pub fn review_refute(library: &Library, points: &[Point]) -> Result<String, Failed> {
    library.templates.render("prompts/refute.txt", context! { points => listed(points) })
}

/// Points between fences, numbered.
fn listed(points: &[Point]) -> minijinja::Value {
    let lines: Vec<String> = points.iter().enumerate().map(numbered_point).collect();
    safe(fenced("points", &lines.join("\n")))
}

/// The prompt for what answers points.
///
/// # Errors
/// The template cannot be rendered.
pub fn refute(head: &str, points: &[Point], now: &Discussion<'_>) -> Result<Prompt, Failed> {
    let values = context! { points => listed(points) };
    prompt(head, now, "refute", values, Want::Refute { points: points.to_vec() })
}

/// The prompt for entries in other words.
///
/// # Errors
/// The template cannot be rendered.
pub fn repair(head: &str, problems: Vec<RefusedEntry>, now: &Discussion<'_>) -> Result<Prompt, Failed> {
    let lines: Vec<String> = problems.iter().map(|one| format!("{}: {}", one.on, one.problem)).collect();
    let values = context! { problems => safe(fenced("problems", &lines.join("\n"))) };
    prompt(head, now, "repair", values, Want::Repair { problems })
}

/// A point with its number, quotations and what is recommended.
fn numbered_point((number, point): (usize, &Point)) -> String {
    let mut line = format!("{number}. [{}, {}] {}", point.kind.name(), point.weight.name(), point.question);
    for quote in &point.quotes {
        line.push_str(&format!("\n   {}:{}: {}", quote.path, quote.line, plain::one_line(&quote.quote)));
    }
    if !point.options.is_empty() {
        line.push_str(&format!(
            "\n   options: {} (recommended: {})",
            point.options.join(" / "),
            point.recommended
        ));
    }
    if let Some(found) = &point.refuted {
        line.push_str(&format!("\n   answered already: {}", found.answer));
    }
    line
}

fn prompt(
    head: &str,
    now: &Discussion<'_>,
    template: &str,
    values: minijinja::Value,
    want: Want,
) -> Result<Prompt, Failed> {
    let wanted = now.library().templates.render(&format!("prompts/{template}.txt"), values)?;
    Ok(Prompt { head: head.to_owned(), talk: talk(now), wanted, want })
}

/// A text between fences that nothing in it can close.
pub fn fenced(name: &str, text: &str) -> String {
    let (mut longest, mut run) = (2, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}{}\n{}\n{fence}", name.replace('`', "'"), text.trim_end())
}

/// A text with its line numbers, from `first` on. Blank lines show none: nobody quotes them, and each would be paid for.
pub fn numbered(text: &str, first: usize) -> String {
    let shown = |(number, line): (usize, &str)| {
        if line.trim().is_empty() { String::new() } else { format!("{number}| {line}") }
    };
    (first..).zip(text.lines()).map(shown).collect::<Vec<_>>().join("\n")
}

/// At most `limit` characters from the beginning, in whole lines.
fn beginning(text: &str, limit: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text };
    let head = &text[..end];
    head.rfind('\n').map_or(head, |at| &head[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_inside_closes_the_fence() {
        assert_eq!(fenced("a.md", "text\n"), "```a.md\ntext\n```");
        assert_eq!(fenced("a`b", "````x"), "`````a'b\n````x\n`````");
    }

    #[test]
    fn a_long_document_is_cut_at_a_line() {
        assert_eq!(beginning("one\ntwo\nthree", 6), "one");
        assert_eq!(beginning("one\ntwo", 7), "one\ntwo");
        assert_eq!(beginning("onetwo", 3), "one");
        assert_eq!(beginning("x", 0), "");
    }
}
