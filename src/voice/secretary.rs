//! The secretary: the voice without a model, the same words for the same input (V-2).
//!
//! It says what it does with each message and what it found, each with its place, and nothing else: to a question the
//! passages that have its words, to everything else as what it is recorded. It judges nothing: it never calls anything
//! answered, contradicted or agreed. All words around quotations are templates below `phrases/`.
//!
//! ```
//! use roundtable::discussion::{Discussion, Next};
//! use roundtable::voice::secretary::Secretary;
//! use roundtable::voice::Voice;
//!
//! /// What the persona says whose turn it is.
//! fn line(secretary: &mut Secretary, talk: &Discussion) -> Option<String> {
//!     let Next::Line(cue) = talk.next().ok()? else { return None };
//!     Some(secretary.line(&cue, talk, None).ok()??.text)
//! }
//! ```

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use minijinja::{Value, context};

use super::names::Codebase;
use super::passages::{Passage, Passages};
use super::settled::Settled;
use super::{Line, Rejected, SECRETARY, Speechless, Synthesis, Voice};
use crate::discussion::event::{Class, Contribution, Event, Message, Purpose, Rest};
use crate::discussion::points::{self, untaken};
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion, is_speakable};
use crate::item::persona::Persona;
use crate::item::step::{Depth, listed_as_open};
use crate::minutes::{self, Kinds};
use crate::review::{Document, Finding, Options, Rules, review};
use crate::text::finding::Severity;
use crate::text::plain;
use crate::text::sentences::sentences;
use crate::text::template::Failed;

/// Passages that are shown to a message.
const SHOWN: usize = 3;
/// The rule of questions that a document itself asks: they are the first that a discussion is about.
const ASKED: &str = "unresolved-question";
/// Open points that the framing lists.
const LISTED: usize = 3;
/// Questions that a step has left open, and that are read.
const MAX_LEFT_OPEN: usize = 50;
/// Documents that the framing names: the step's outputs.
const DOCUMENTS: usize = 3;
/// The longest quotation in a line of several, in characters.
const QUOTED: usize = 160;
/// In longer passages no sentence is looked for.
const MAX_SENTENCES_BYTES: usize = 8_000;

/// The section that takes the outcome of a discussion.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    path: String,
    /// The heading's text.
    section: String,
}

/// The documents of an item as they were read, and what the rules find in them.
pub struct Secretary<'t> {
    /// The files of the base commit, that others at the table may name.
    code: Option<Rc<dyn Codebase + 't>>,
    /// By path within the item folder, the step's outputs first.
    documents: Vec<(&'t str, &'t str)>,
    depth: Depth,
    /// Where decisions, action items and notes will be added.
    targets: [Option<Target>; 3],
    /// Whether the step was worked through before the discussion.
    is_covered: bool,
    settled: Settled,
    rules: Arc<Rules>,
    /// Made when they are first asked for: a model needs none of them.
    passages: OnceCell<Passages<'t>>,
    findings: OnceCell<Vec<Finding>>,
    /// The turn of the first message that is only a statement, once it is known.
    first_statement: Cell<Option<u32>>,
}

/// An open point: its place and words for a template, and where it is.
struct Point {
    shown: Value,
    rest: Rest,
}

impl<'t> Secretary<'t> {
    /// A secretary with these documents, for a step with these outputs.
    pub fn new(
        documents: impl Iterator<Item = (&'t str, &'t str)>,
        outputs: &[String],
        rules: Arc<Rules>,
        depth: Depth,
    ) -> Secretary<'t> {
        let mut documents: Vec<(&str, &str)> = documents.collect();
        let rank = |path: &str| outputs.iter().position(|output| output == path).unwrap_or(usize::MAX);
        documents.sort_by_key(|(path, _)| (rank(path), *path));
        Secretary {
            code: None,
            documents,
            depth,
            targets: [const { None }; 3],
            is_covered: false,
            settled: Settled::default(),
            rules,
            passages: OnceCell::new(),
            findings: OnceCell::new(),
            first_statement: Cell::new(None),
        }
    }

    /// The same, with the files of the base commit.
    #[must_use]
    pub fn beside(self, code: Rc<dyn Codebase + 't>) -> Secretary<'t> {
        Secretary { code: Some(code), ..self }
    }

    /// The files of the base commit, where they are at hand.
    pub fn code(&self) -> Option<Rc<dyn Codebase + 't>> {
        self.code.clone()
    }

    /// The same, knowing where decisions, action items and notes will be added: each the artifact and its section.
    #[must_use]
    pub fn adding_to(self, targets: [Option<(String, String)>; 3]) -> Secretary<'t> {
        let targets = targets.map(|target| target.map(|(path, section)| Target { path, section }));
        Secretary { targets, ..self }
    }

    /// What is recorded of a message by its name, each with the place that it goes to.
    fn recorded(&self, kinds: &Kinds) -> Vec<(&'static str, Option<&Target>)> {
        let [decisions, actions, notes] = self.targets.each_ref().map(Option::as_ref);
        let all = [
            (kinds.decides, "decision", decisions),
            (kinds.takes_action, "action item", actions),
            (kinds.notes, "note", notes),
            (kinds.states, "statement", None),
        ];
        all.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, name, target)| (name, target)).collect()
    }

    /// The same, knowing whether the step was worked through before the discussion.
    #[must_use]
    pub fn after(self, is_covered: bool) -> Secretary<'t> {
        Secretary { is_covered, ..self }
    }

    /// The same, knowing what earlier discussions of the item have asked and decided.
    #[must_use]
    pub fn knowing(self, settled: Settled) -> Secretary<'t> {
        Secretary { settled, ..self }
    }

    /// The documents, the step's outputs first.
    pub fn documents(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.documents.iter().copied()
    }

    fn passages(&self) -> &Passages<'t> {
        self.passages.get_or_init(|| Passages::new(&self.documents))
    }

    /// What the rules find: the documents' own questions, then the most severe, in the documents' order; last the
    /// questions that earlier discussions have left there.
    fn findings(&self) -> &[Finding] {
        self.findings.get_or_init(|| {
            let documents: Vec<Document<'_>> =
                self.documents.iter().map(|(path, text)| Document { path, text }).collect();
            let mut found = review(&documents, &self.rules, &Options::default()).findings;
            found.retain(|one| one.severity != Severity::Note);
            let rank = |path: &str| self.documents.iter().position(|(own, _)| *own == path);
            let is_ours = |one: &Finding| one.rule == ASKED && self.settled.has_left_open(&one.quote);
            found.sort_by_cached_key(|one| {
                (is_ours(one), one.rule != ASKED, one.severity, rank(&one.path), one.line, one.column)
            });
            found
        })
    }

    fn framing(&self, talk: &Discussion<'_>) -> Result<Line, Failed> {
        let found = self.findings().iter().map(|one| self.point(one));
        let of_model = untaken(talk.points(), &[]).map(of_reader);
        let points = of_model.chain(self.left_open(talk)).chain(found);
        let (settled, open): (Vec<Point>, Vec<Point>) =
            points.partition(|one| self.settled.has_settled(&one.rest));
        let (settled_count, open_count) = (settled.len(), open.len());
        // The documents still have them: they are counted, and not asked about again.
        let points: Vec<Point> = open.into_iter().chain(settled).collect();
        let listed = &points[..points.len().min(LISTED)];
        let outputs = &talk.step().outputs;
        let own =
            self.documents.iter().filter(|(path, _)| outputs.iter().any(|output| output == path)).count();
        let told = own.clamp(1, DOCUMENTS).min(self.documents.len());
        let values = context! {
            documents => self.documents.iter().take(told).map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>(),
            others => self.documents.len() - told,
            points => listed.iter().map(|one| one.shown.clone()).collect::<Vec<_>>(),
            settled => settled_count,
            count => points.len(),
            more => points.len() - listed.len(),
        };
        let summary = render(talk, "framing-summary", values)?;
        let question = match listed.first().filter(|_| open_count > 0) {
            Some(point) => render(talk, "framing-question", point.shown.clone())?,
            None => self.step_question(talk),
        };
        let next = talk.library().cast.others(&talk.lead().key).next();
        let lens = next.map_or("", |persona| persona.lens.as_str());
        let article = if lens.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        let values = context! {
            step => context! { title => talk.step().title.as_str() },
            title => talk.step().title.as_str(),
            is_covered => self.is_covered,
            summary => summary.trim_end_matches('.'),
            question,
            addressee => next.map_or("", Persona::first_name),
            article,
            lens,
        };
        let text = talk.library().templates.render("framing.txt", values)?;
        Ok(Line { rests: listed.iter().map(|one| one.rest.clone()).collect(), ..Line::plain(text) })
    }

    /// The questions that an analysis has listed as open of this step, and that nobody has answered since.
    fn left_open(&self, talk: &Discussion<'_>) -> Vec<Point> {
        let is_answered = |question: &str| {
            let heading = format!("**{question}**");
            self.documents.iter().any(|(_, text)| text.contains(&heading))
        };
        let lines = self
            .documents
            .iter()
            .flat_map(|(path, text)| (1..).zip(text.lines()).map(move |(line, text)| (*path, line, text)));
        let listed = lines.filter_map(|(path, line, text)| {
            let (step, question) = listed_as_open(text)?;
            (step == talk.step().id).then_some((path, line, question))
        });
        let open = listed.take(MAX_LEFT_OPEN).filter(|(_, _, question)| !is_answered(question));
        let point = |(path, line, question): (&str, usize, &str)| {
            let quote = plain::clean(question);
            let shown = plain::cut(&plain::one_line(&quote), QUOTED);
            Point {
                shown: context! { place => place(path, "Open Questions", Some(line)), quote => shown },
                rest: Rest { path: path.to_owned(), line, quote },
            }
        };
        open.map(point).collect()
    }

    /// A finding as an open point, in the words of its sentence or row.
    fn point(&self, finding: &Finding) -> Point {
        let rest = self.rest(finding);
        let shown = context! {
            place => place(&finding.path, &finding.heading, Some(finding.line)),
            quote => plain::cut(&plain::one_line(rest.quote.trim_matches(['|', ' '])), QUOTED),
        };
        Point { shown, rest }
    }

    /// Where a finding is: the sentence or row that its quotation is in.
    fn rest(&self, finding: &Finding) -> Rest {
        let (path, quote) = (finding.path.clone(), finding.quote.as_str());
        let whole = || Rest { path: path.clone(), line: finding.line, quote: plain::clean(quote) };
        let passage = self.passages().at(&path, finding.line);
        let Some(passage) = passage.filter(|one| one.text.len() <= MAX_SENTENCES_BYTES) else {
            return whole();
        };
        // The quotation as it is on its own line, not an equal one before it.
        let above: usize =
            passage.text.split_inclusive('\n').take(finding.line - passage.line).map(str::len).sum();
        let Some(at) = passage.text[above..].find(quote).map(|at| above + at) else { return whole() };
        let start = |part: &str| part.as_ptr() as usize - passage.text.as_ptr() as usize;
        let parts = if passage.text.starts_with('|') { vec![passage.text] } else { sentences(passage.text) };
        let has_it = |part: &&str| start(part) <= at && at + quote.len() <= start(part) + part.len();
        let Some(part) = parts.into_iter().find(has_it) else { return whole() };
        let line = passage.line + passage.text[..start(part)].matches('\n').count();
        Rest { path, line, quote: plain::clean(part) }
    }

    /// The first question of the step's file that was not answered before: in a discussion, or by an analysis, which
    /// writes its questions into the documents with their answers.
    fn step_question(&self, talk: &Discussion<'_>) -> String {
        let questions = talk.step().questions(self.depth);
        let is_written = |question: &str| self.documents.iter().any(|(_, text)| text.contains(question));
        let is_open = |question: &&String| !self.settled.has_asked(question) && !is_written(question);
        let open = questions.iter().find(is_open).or(questions.first());
        let last = || {
            let brief = plain::one_line(&talk.step().brief);
            let asked = brief.rfind('?').map(|end| &brief[..=end]).unwrap_or_default();
            asked.rsplit(['.', '!']).next().unwrap_or_default().trim().to_owned()
        };
        let question = open.cloned().unwrap_or_else(last);
        if question.contains('?') { question } else { format!("{}?", question.trim_end_matches('.')) }
    }

    /// A persona's first finding that nobody has said, in this discussion or before; of those at some places.
    fn own_finding(
        &self,
        persona: &Persona,
        is_there: impl Fn(&Finding) -> bool,
        talk: &Discussion<'_>,
    ) -> Result<Option<Line>, Failed> {
        let said: BTreeSet<(&str, usize, &str)> = talk
            .contributions()
            .filter(|said| said.rule.is_some())
            .filter_map(|said| said.rests.first())
            .map(|rest| (rest.path.as_str(), rest.line, rest.quote.as_str()))
            .collect();
        let mut own = self.findings().iter().filter(|one| one.persona == persona.key && is_there(one));
        let new = own.find_map(|finding| {
            let rest = self.rest(finding);
            let is_said = said.contains(&(rest.path.as_str(), rest.line, rest.quote.as_str()));
            (!is_said && !self.settled.has_found(&rest)).then_some((finding, rest))
        });
        let Some((finding, rest)) = new else { return Ok(None) };
        let related = finding.related.iter().map(|one| Rest {
            path: one.path.clone(),
            line: one.line,
            quote: plain::clean(&one.quote),
        });
        let rests = std::iter::once(rest).chain(related).collect();
        let line = Line::plain(render(talk, "finding", shown(finding))?);
        Ok(Some(Line { rests, rule: Some(finding.rule.clone()), ..line }))
    }

    /// A persona's finding about a passage that was shown to the last message.
    fn finding_on_shown(&self, persona: &Persona, talk: &Discussion<'_>) -> Result<Option<Line>, Failed> {
        let asked = talk.last_message().and_then(|message| message.turn).unwrap_or_default();
        let shown: Vec<&Passage<'t>> = talk
            .contributions()
            .filter(|said| said.turn > asked && said.is_closest)
            .flat_map(|said| &said.rests)
            .filter_map(|rest| self.passages().at(&rest.path, rest.line))
            .collect();
        let is_there = |one: &Finding| shown.iter().any(|passage| passage.has_line(&one.path, one.line));
        self.own_finding(persona, is_there, talk)
    }

    /// What is said to a message: by the first who answers what is done with it, by others a finding.
    fn answer(
        &self,
        persona: &Persona,
        message: &Message,
        talk: &Discussion<'_>,
    ) -> Result<Line, Speechless> {
        let answers = || talk.contributions().filter(|said| Some(said.turn) > message.turn);
        let is_again = answers().skip(1).any(is_nothing);
        let nothing = || render(talk, "nothing", context! { is_again }).map(Line::plain);
        if answers().next().is_some() {
            return Ok(self.own_finding(persona, |_| true, talk)?.map_or_else(nothing, Ok)?);
        }
        let kinds = kinds_of(message, talk);
        if kinds.is_empty() {
            return Ok(nothing()?);
        }
        let passages = self.passages();
        let shown = match kinds.asks {
            true => passages.closest(&message.text, SHOWN),
            false => passages.on(&message.text, SHOWN),
        };
        let tells_forms = self.is_first_statement(message, &kinds, talk);
        Ok(self.about_message(&kinds, tells_forms, &shown, talk)?)
    }

    /// Whether a message is the first of a discussion that is recorded as a statement and nothing else: it is told then
    /// how a decision begins.
    fn is_first_statement(&self, message: &Message, kinds: &Kinds, talk: &Discussion<'_>) -> bool {
        if !kinds.is_only_statement() {
            return false;
        }
        if self.first_statement.get().is_none() {
            let said = talk.log().iter().filter_map(|record| match &record.event {
                Event::User(said) if said.class != Class::Exit => Some(said),
                _ => None,
            });
            let is_statement = |said: &&Message| kinds_of(said, talk).is_only_statement();
            self.first_statement.set(said.into_iter().find(is_statement).and_then(|said| said.turn));
        }
        self.first_statement.get() == message.turn
    }

    /// What a message is recorded as and where, with passages and their places.
    fn about_message(
        &self,
        kinds: &Kinds,
        tells_forms: bool,
        found: &[&Passage<'_>],
        talk: &Discussion<'_>,
    ) -> Result<Line, Failed> {
        let recorded = self.recorded(kinds);
        let named = |is_added: bool| {
            let of = recorded.iter().filter(|(_, target)| target.is_some() == is_added);
            of.map(|(name, _)| format!("the {name}")).collect::<Vec<_>>()
        };
        let (added, left) = (named(true), named(false));
        let target = recorded.iter().find_map(|(_, target)| *target);
        // Of a statement alone it is known, and without a document there is nothing to be told.
        let is_told =
            self.targets.iter().any(Option::is_some) && recorded.iter().any(|(name, _)| *name != "statement");
        let values = |found: &[&Passage<'_>], is_one_line: bool| {
            let value =
                |one: &&Passage<'_>| context! { place => placed(one), text => quoted(one, is_one_line) };
            context! {
                kinds => recorded.iter().map(|(name, _)| with_article(name)).collect::<Vec<_>>(),
                path => target.as_ref().map(|target| target.path.as_str()),
                section => target.as_ref().map(|target| target.section.as_str()),
                added => if left.is_empty() { vec!["it".to_owned()] } else { added.clone() },
                left => match (is_told, added.is_empty() && !left.is_empty()) {
                    (false, _) => Vec::new(),
                    (true, true) => vec!["it".to_owned()],
                    (true, false) => left.clone(),
                },
                tells_forms,
                asks => kinds.asks,
                // With a model its list says so.
                stays_open => !talk.is_metered(),
                passages => found.iter().map(value).collect::<Vec<_>>(),
            }
        };
        let is_speakable = |text: &str| is_speakable(text, &talk.library().cast);
        let (mut text, mut found) = (render(talk, "message", values(found, false))?, found);
        // A line of a document that begins like a persona's would be taken for one.
        if !is_speakable(&text) {
            text = render(talk, "message", values(found, true))?;
        }
        // So would a heading.
        if !is_speakable(&text) {
            found = &[];
            text = render(talk, "message", values(found, true))?;
        }
        let rests = found.iter().map(|one| Rest {
            path: one.path.to_owned(),
            line: one.line,
            quote: plain::clean(one.text),
        });
        Ok(Line { rests: rests.collect(), is_closest: !found.is_empty(), ..Line::plain(text) })
    }

    fn spoken(&self, cue: &Cue, talk: &Discussion<'_>) -> Result<Option<Line>, Speechless> {
        let Some(persona) = talk.library().cast.get(&cue.persona) else { return Ok(None) };
        let message = talk.last_message().filter(|message| message.class != Class::Exit);
        Ok(match (cue.purpose, message) {
            (Purpose::Framing, _) => Some(self.framing(talk)?),
            (Purpose::Answer, Some(message)) => Some(self.answer(persona, message, talk)?),
            (Purpose::Answer, None) => None,
            (Purpose::FollowUp, _) => self.finding_on_shown(persona, talk)?,
            (Purpose::Round, _) => match self.own_finding(persona, |_| true, talk)? {
                None if cue.owed => {
                    let is_again = said_in_round(talk).any(is_nothing);
                    Some(Line::plain(render(talk, "nothing", context! { is_again })?))
                }
                found => found,
            },
        })
    }
}

impl Voice for Secretary<'_> {
    fn name(&self) -> &str {
        SECRETARY
    }

    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        _: Option<&Rejected>,
    ) -> Result<Option<Line>, Speechless> {
        self.spoken(cue, talk)
    }

    fn summary(&mut self, _: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        Ok(Synthesis { summary: by_rule, critiques: Vec::new() })
    }
}

/// What a message is recorded as.
fn kinds_of(message: &Message, talk: &Discussion<'_>) -> Kinds {
    let mut names = minutes::people(talk);
    names.extend(message.by.split(' ').next());
    minutes::kinds_in(&message.text, talk.library().forms(), &names)
}

/// What was said since the last message, silence or framing.
fn said_in_round<'t>(talk: &'t Discussion<'_>) -> impl Iterator<Item = &'t Contribution> {
    let said = talk.log().iter().rev().map_while(|record| match &record.event {
        Event::User(_) | Event::Silence {} => None,
        Event::Contribution(said) if said.purpose == Purpose::Framing => None,
        other => Some(other),
    });
    said.filter_map(|event| match event {
        Event::Contribution(said) => Some(said),
        _ => None,
    })
}

/// Whether a persona had nothing to show.
fn is_nothing(said: &Contribution) -> bool {
    said.rule.is_none() && said.rests.is_empty()
}

/// Renders a phrase. What documents and users say comes in as values.
fn render(talk: &Discussion<'_>, name: &str, values: Value) -> Result<String, Failed> {
    talk.library().templates.render(&format!("phrases/{name}.txt"), values)
}

/// `requirements-spec.md, 3.2 Fees, line 41`.
fn place(path: &str, heading: &str, line: Option<usize>) -> String {
    let parts = [path, heading].into_iter().filter(|part| !part.is_empty()).map(str::to_owned);
    parts.chain(line.map(|line| format!("line {line}"))).collect::<Vec<_>>().join(", ")
}

/// The place of a passage; an ambiguous heading is shown below the one above it.
fn placed(passage: &Passage<'_>) -> String {
    match passage.above {
        "" => place(passage.path, passage.heading, Some(passage.line)),
        above => place(passage.path, &format!("{above} > {}", passage.heading), Some(passage.line)),
    }
}

/// The words of a passage after what leads to it; a list and code by their lines.
fn quoted(passage: &Passage<'_>, is_one_line: bool) -> String {
    let one_line = |text: &str| plain::one_line(text.trim_matches(['|', ' ']));
    let text = match passage.is_lines && !is_one_line {
        true => passage.text.to_owned(),
        false => one_line(passage.text),
    };
    match passage.lead {
        "" => text,
        lead => format!("{} … {text}", plain::cut(&one_line(lead), QUOTED)),
    }
}

/// What a model found open, where it does not speak of it itself.
fn of_reader(point: &points::Point) -> Point {
    let rest = point.quotes.first().cloned();
    let rest = rest.unwrap_or_else(|| Rest { path: String::new(), line: 0, quote: String::new() });
    let question = plain::cut(&plain::one_line(&point.question), QUOTED);
    let shown = context! { place => place(&rest.path, "", Some(rest.line)), quote => question };
    Point { shown, rest }
}

/// A finding's values for a phrase. Its place has no line: the lines of a document move, and it goes into documents.
fn shown(finding: &Finding) -> Value {
    let related: Vec<Value> = finding
        .related
        .iter()
        .map(|one| context! { place => one.path.as_str(), quote => plain::cut(&plain::one_line(&one.quote), QUOTED) })
        .collect();
    context! {
        place => place(&finding.path, &finding.heading, None),
        message => plain::one_line(&finding.said),
        related,
    }
}
fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}
