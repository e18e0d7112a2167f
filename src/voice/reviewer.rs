//! The built-in voice: no key, no network, the same words for the same input.
//!
//! It does not imitate conversation. It says three things: what a review rule found and where, the passage that a
//! question is about, and what a statement touches. Each line carries what it rests on, and all words around it are
//! templates below `phrases/`. A persona with nothing of its own is silent; one that owes an answer says that the
//! documents don't say.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use minijinja::{Value, context};

use super::contradictions::{Contradiction, Difference, contradictions};
use super::integrity::only_agrees;
use super::memory::Memory;
use super::passages::{Found, Passage, Passages, is_question};
use super::{Line, REVIEWER, Rejected, Speechless, Synthesis, Voice};
use crate::discussion::event::{Begin, CONTRADICTED, Class, Message, Purpose, Rest};
use crate::discussion::summary::Summary;
use crate::discussion::{Cue, Discussion, is_speakable};
use crate::persona::Persona;
use crate::plain;
use crate::review::{Document, Finding, Options, Rules, Severity, review};
use crate::step::{Depth, listed_as_open};
use crate::template::Failed;
use crate::text::words::subjects;
use crate::text::{Language, Message as Said, Sentence, sentences};

/// Passages that are shown to one question.
const SHOWN: usize = 3;
/// Passages that are shown to a statement.
const RELATED: usize = 2;
/// Review rules whose findings are too small to follow an answer.
const WEAK: [&str; 2] = ["unmeasurable-quality", "vague-term"];
/// The rule of questions that a document itself asks: they are the first that a discussion is about.
const ASKED: &str = "unresolved-question";
/// Open points that the framing lists.
const LISTED: usize = 3;
/// Questions that a step has left open, and that are read.
const MAX_LEFT_OPEN: usize = 50;
/// Documents that the framing names: the step's outputs.
const DOCUMENTS: usize = 3;
/// A quotation of fewer words is shown in its sentence.
const SHORT: usize = 6;
/// The longest quotation in a line of several, in characters.
const QUOTED: usize = 160;

/// The section that takes the outcome of a discussion.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    path: String,
    /// The heading's text.
    section: String,
    /// The heading's line, from one; none where the section will be made.
    line: Option<usize>,
}

/// The embedded voice: the documents of an item as they were read, and what the rules find in them.
pub struct Reviewer<'t> {
    /// By path within the item folder, the step's outputs first.
    documents: Vec<(&'t str, &'t str)>,
    depth: Depth,
    /// Where the outcome will be added.
    target: Option<Target>,
    /// Whether the step was worked through before the discussion.
    is_covered: bool,
    memory: Memory,
    rules: Arc<Rules>,
    /// Made when they are first asked for: a model needs neither.
    passages: OnceCell<Passages<'t>>,
    findings: OnceCell<Vec<Finding>>,
}

impl<'t> Reviewer<'t> {
    /// A reviewer of these documents, for a step with these outputs.
    pub fn new(
        documents: impl Iterator<Item = (&'t str, &'t str)>,
        outputs: &[String],
        rules: Arc<Rules>,
        depth: Depth,
    ) -> Reviewer<'t> {
        let mut documents: Vec<(&str, &str)> = documents.collect();
        let rank = |path: &str| outputs.iter().position(|output| output == path).unwrap_or(usize::MAX);
        documents.sort_by_key(|(path, _)| (rank(path), *path));
        Reviewer {
            documents,
            depth,
            target: None,
            is_covered: false,
            memory: Memory::default(),
            rules,
            passages: OnceCell::new(),
            findings: OnceCell::new(),
        }
    }

    /// The same, knowing where the outcome will be added: the artifact, its section, and the heading's line.
    #[must_use]
    pub fn adding_to(self, target: Option<(String, String, Option<usize>)>) -> Reviewer<'t> {
        let target = target.map(|(path, section, line)| Target { path, section, line });
        Reviewer { target, ..self }
    }

    /// The same, knowing whether the step was worked through before the discussion.
    #[must_use]
    pub fn after(self, is_covered: bool) -> Reviewer<'t> {
        Reviewer { is_covered, ..self }
    }

    /// The same, knowing what earlier discussions of the item have settled.
    #[must_use]
    pub fn knowing(self, memory: Memory) -> Reviewer<'t> {
        Reviewer { memory, ..self }
    }

    /// Makes what most discussions ask for: the passages on one thread, the findings on another.
    pub fn prepare(&self) {
        let passages = std::thread::scope(|scope| {
            let documents = &self.documents;
            let made = std::thread::Builder::new()
                .spawn_scoped(scope, || Passages::new(documents, Language::english()));
            self.findings();
            made.ok().and_then(|made| made.join().ok())
        });
        passages.into_iter().for_each(|passages| drop(self.passages.set(passages)));
    }

    fn passages(&self) -> &Passages<'t> {
        self.passages.get_or_init(|| Passages::new(&self.documents, Language::english()))
    }

    /// What the rules find: the documents' own questions, then the most severe, in the documents' order.
    fn findings(&self) -> &[Finding] {
        self.findings.get_or_init(|| {
            let documents: Vec<Document<'_>> =
                self.documents.iter().map(|(path, text)| Document { path, text }).collect();
            let mut found = review(&documents, &self.rules, &Options::default()).findings;
            found.retain(|one| one.severity != Severity::Note);
            let rank = |path: &str| self.documents.iter().position(|(own, _)| *own == path);
            found.sort_by_key(|one| (one.rule != ASKED, one.severity, rank(&one.path), one.line, one.column));
            found
        })
    }

    /// The documents, the step's outputs first.
    pub fn documents(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.documents.iter().copied()
    }

    /// Whether the documents say a word or phrase.
    pub fn mentions(&self, phrase: &str) -> bool {
        self.passages().mentions(phrase)
    }

    /// Whether an open point was neither put to a user before nor settled by what one said.
    fn is_unsettled(&self, point: &Value, words: &str, talk: &Discussion<'_>) -> bool {
        let question = || render(talk, "framing-question", point.clone());
        !self.memory.has_settled(words) && !question().is_ok_and(|question| self.memory.has_asked(&question))
    }

    fn framing(&self, talk: &Discussion<'_>) -> Result<Line, Failed> {
        let is_open = |one: &&Finding| {
            self.memory.is_empty() || self.is_unsettled(&self.named(one), self.around(one), talk)
        };
        let found: Vec<&Finding> = self.open_points(talk).filter(is_open).collect();
        let mut listed = self.left_open(talk);
        let count = listed.len() + found.len();
        listed.extend(found.into_iter().take(LISTED).map(|one| (self.named(one), rest(one))));
        listed.truncate(LISTED);
        let outputs = &talk.step().outputs;
        let own =
            self.documents.iter().filter(|(path, _)| outputs.iter().any(|output| output == path)).count();
        let told = own.clamp(1, DOCUMENTS).min(self.documents.len());
        let values = context! {
            documents => self.documents.iter().take(told).map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>(),
            others => self.documents.len() - told,
            points => listed.iter().map(|(shown, _)| shown.clone()).collect::<Vec<_>>(),
            count,
            more => count - listed.len(),
        };
        let summary = render(talk, "framing-summary", values)?;
        let question = match listed.first() {
            Some((point, _)) => render(talk, "framing-question", point.clone())?,
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
        Ok(Line { rests: listed.iter().map(|(_, rest)| rest.clone()).collect(), ..Line::plain(text) })
    }

    /// The questions that an analysis has listed as open of this step, and that nobody has answered since.
    fn left_open(&self, talk: &Discussion<'_>) -> Vec<(Value, Rest)> {
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
        let listed = listed.take(MAX_LEFT_OPEN);
        let open = listed.filter(|(_, _, question)| !is_answered(question));
        let point = |(path, line, question): (&str, usize, &str)| {
            let quote = plain::clean(question);
            let shown = plain::cut(&plain::one_line(&quote), QUOTED);
            let values = context! { place => place(path, "Open Questions", line), quote => shown };
            (values, Rest { path: path.to_owned(), line, quote })
        };
        open.map(point).filter(|(point, rest)| self.is_unsettled(point, &rest.quote, talk)).collect()
    }

    /// The words of a finding; a quotation of a few words is shown in its sentence or row.
    fn around<'f>(&'f self, finding: &'f Finding) -> &'f str {
        let is_short = finding.quote.split_whitespace().count() < SHORT;
        let Some(passage) = self.passages().at(&finding.path, finding.line).filter(|_| is_short) else {
            return &finding.quote;
        };
        let is_row = passage.text.starts_with('|');
        let parts = if is_row { cells(passage.text, &finding.quote) } else { sentences(passage.text) };
        parts.into_iter().find(|part| part.contains(&finding.quote)).unwrap_or(&finding.quote)
    }

    /// An open point by its place and words.
    fn named(&self, finding: &Finding) -> Value {
        context! {
            place => place(&finding.path, &finding.heading, finding.line),
            quote => plain::cut(&plain::one_line(self.around(finding)), QUOTED),
        }
    }

    /// The first question of the step's file that was not answered before: in a discussion, or by an analysis, which
    /// writes its questions into the documents with their answers.
    fn step_question(&self, talk: &Discussion<'_>) -> String {
        let questions = talk.step().questions(self.depth);
        let is_written = |question: &str| self.documents.iter().any(|(_, text)| text.contains(question));
        let is_open = |question: &&String| !self.memory.has_asked(question) && !is_written(question);
        let open = questions.iter().find(is_open).or(questions.first());
        let last = || {
            let brief = plain::one_line(&talk.step().brief);
            let asked = brief.rfind('?').map(|end| &brief[..=end]).unwrap_or_default();
            asked.rsplit(['.', '!']).next().unwrap_or_default().trim().to_owned()
        };
        let question = open.cloned().unwrap_or_else(last);
        if question.contains('?') { question } else { format!("{}?", question.trim_end_matches('.')) }
    }

    /// Findings that nobody has said in this discussion yet.
    fn open_points<'s>(&'s self, talk: &Discussion<'_>) -> impl Iterator<Item = &'s Finding> {
        let said: BTreeSet<(String, usize, String)> = talk
            .contributions()
            .filter(|said| said.purpose != Purpose::Framing)
            .flat_map(|said| said.rests.iter().map(|rest| (rest.path.clone(), rest.line, rest.quote.clone())))
            .collect();
        let is_new =
            move |one: &&Finding| !said.contains(&(one.path.clone(), one.line, plain::clean(&one.quote)));
        self.findings().iter().filter(is_new)
    }

    /// Findings that were not said in an earlier discussion either.
    fn new_points<'s>(&'s self, talk: &Discussion<'_>) -> impl Iterator<Item = &'s Finding> {
        // Of equal quotations those were said that come first.
        let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let said: BTreeSet<*const Finding> = self
            .findings()
            .iter()
            .filter(|one| {
                let count = seen.entry((&one.path, &one.quote)).or_default();
                *count += 1;
                *count <= self.memory.times_said(&one.path, &plain::clean(&one.quote))
            })
            .map(std::ptr::from_ref)
            .collect();
        self.open_points(talk).filter(move |one| !said.contains(&std::ptr::from_ref(*one)))
    }

    fn point(&self, talk: &Discussion<'_>, finding: &Finding) -> Result<Line, Failed> {
        let text = render(talk, "finding", shown(finding))?;
        let related = finding.related.iter().map(|one| Rest {
            path: one.path.clone(),
            line: one.line,
            quote: plain::clean(&one.quote),
        });
        let rests = std::iter::once(rest(finding)).chain(related).collect();
        Ok(Line { rests, rule: Some(finding.rule.clone()), ..Line::plain(text) })
    }

    /// A persona's first point that nobody has said, on the matter of a message where there is one.
    fn own_point(
        &self,
        persona: &Persona,
        message: Option<&Message>,
        talk: &Discussion<'_>,
    ) -> Option<&Finding> {
        let matter = message.map(|message| subjects(&message.text));
        let concerns = |one: &&Finding| {
            matter.as_ref().is_none_or(|matter| {
                let words = subjects(&format!("{} {}", one.heading, one.quote));
                let shared = matter.iter().filter(|word| words.contains(word)).count();
                shared >= 2 || shared == 1 && matter.len() == 1
            })
        };
        self.new_points(talk).filter(|one| one.persona == persona.key).find(concerns)
    }

    /// The turn in which a passage was shown before.
    fn shown_in(&self, passage: &Passage<'_>, talk: &Discussion<'_>) -> Option<u32> {
        let is_it = |rest: &Rest| {
            rest.path == passage.path && rest.line == passage.line && rest.quote == plain::clean(passage.text)
        };
        talk.contributions().find(|said| said.rests.iter().any(is_it)).map(|said| said.turn)
    }

    /// A line of passages with their places, in the words of a phrase with further values.
    fn shown_passages(
        &self,
        phrase: &str,
        found: &[&Passage<'_>],
        more: &Value,
        talk: &Discussion<'_>,
    ) -> Result<Line, Failed> {
        let values = |text: fn(&str) -> String| {
            let value = |one: &&Passage<'_>| {
                let turn = self.shown_in(one, talk);
                context! { place => placed(one, one.line), text => text(one.text), turn }
            };
            context! { passages => found.iter().map(value).collect::<Vec<_>>(), ..more.clone() }
        };
        let mut text = render(talk, phrase, values(str::to_owned))?;
        // A line of a document that begins like a persona's would be taken for one.
        if !is_speakable(&text, &talk.library().cast) {
            text = render(talk, phrase, values(plain::one_line))?;
        }
        let rests = found.iter().map(|one| Rest {
            path: one.path.to_owned(),
            line: one.line,
            quote: plain::clean(one.text),
        });
        Ok(Line { rests: rests.collect(), ..Line::plain(text) })
    }

    /// What an owed answer says. After a colleague, a persona answers only with another finding.
    fn answer(&self, persona: &Persona, message: &Message, talk: &Discussion<'_>) -> Result<Line, Failed> {
        if self.has_answer(message, talk) {
            return match self.own_point(persona, Some(message), talk) {
                Some(point) => self.point(talk, point),
                None => Ok(Line::plain(render(talk, "nothing", context! {})?)),
            };
        }
        if !is_question(&message.text) {
            return self.to_statement(message, talk);
        }
        self.to_question(&self.passages().about(&message.text, SHOWN), talk)
    }

    /// To a question: the passages that it is about, and a finding that bears on one of them.
    fn to_question(&self, found: &Found<'_, 't>, talk: &Discussion<'_>) -> Result<Line, Failed> {
        let shown = &found.passages;
        let is_hinted = talk.contributions().any(|said| said.is_closest);
        let (phrase, values) = match (shown.is_empty(), found.is_sure) {
            (true, _) => ("unanswered", self.addition(talk)),
            (_, true) => ("passages", Value::default()),
            (_, false) => ("closest", context! { is_hinted }),
        };
        let mut line = self.shown_passages(phrase, shown, &values, talk)?;
        line.is_closest = !found.is_sure && !shown.is_empty();
        self.with_finding(line, shown, talk)
    }

    /// A line with the first finding that bears on one of some passages.
    fn with_finding(
        &self,
        mut line: Line,
        passages: &[&Passage<'_>],
        talk: &Discussion<'_>,
    ) -> Result<Line, Failed> {
        let bears = |one: &&Finding| {
            !WEAK.contains(&one.rule.as_str())
                && passages.iter().any(|passage| passage.has_line(&one.path, one.line))
        };
        if let Some(finding) = self.new_points(talk).find(bears) {
            let point = self.point(talk, finding)?;
            line.finding = Some(Begin { text: line.text.len() + 2, rests: line.rests.len() });
            line.text = format!("{}\n\n{}", line.text, point.text);
            line.rests.extend(point.rests);
            line.rule = point.rule;
        }
        Ok(line)
    }

    /// To a statement: the lines that say otherwise, else those that speak of the same, else where it will be added.
    fn to_statement(&self, message: &Message, talk: &Discussion<'_>) -> Result<Line, Failed> {
        if self.is_small_talk(&message.text, talk) {
            return Ok(Line::plain(render(talk, "nothing", context! {})?));
        }
        let told = contradictions(&message.text, self.passages());
        if !told.is_empty() {
            return self.contradicted(&told, talk);
        }
        match self.passages().on(&message.text, RELATED).as_slice() {
            [] => self.added(talk),
            found => self.shown_passages("related", found, &Value::default(), talk),
        }
    }

    /// Whether a statement says nothing that a document could: a greeting, thanks, agreement.
    fn is_small_talk(&self, text: &str, talk: &Discussion<'_>) -> bool {
        let (cast, forms) = (&talk.library().cast, talk.library().forms());
        let is_passing = |sentence: &Sentence<'_>| {
            only_agrees(sentence.text, cast) || forms.fits("acknowledgements", sentence.text)
        };
        Said::new(text, Language::english()).sentences.iter().all(is_passing)
    }

    /// Whether somebody has answered the message already.
    fn has_answer(&self, message: &Message, talk: &Discussion<'_>) -> bool {
        talk.contributions().any(|said| Some(said.turn) > message.turn)
    }

    /// What a statement contradicts, by place.
    fn contradicted(&self, found: &[Contradiction<'_>], talk: &Discussion<'_>) -> Result<Line, Failed> {
        let value = |one: &Contradiction<'_>| {
            let (there, said) = match &one.difference {
                Difference::Figure { there, said } => (there.clone(), said.clone()),
                Difference::Verb { there, said } => (format!("\"{there}\""), format!("\"{said}\"")),
                Difference::Negation | Difference::LeftOut => Default::default(),
            };
            context! {
                place => placed(&one.passage, one.line),
                quote => plain::cut(&plain::one_line(&one.quote), QUOTED),
                there => plain::one_line(&there),
                said => plain::one_line(&said),
                is_left_out => one.difference == Difference::LeftOut,
            }
        };
        let values: Vec<Value> = found.iter().map(value).collect();
        let text = render(talk, "contradicts", context! { places => values })?;
        let rests = found.iter().map(|one| Rest {
            path: one.passage.path.to_owned(),
            line: one.line,
            quote: plain::clean(&one.quote),
        });
        // It goes into the synthesis like a finding: a line that still says the opposite is not to be lost.
        Ok(Line { rests: rests.collect(), rule: Some(CONTRADICTED.to_owned()), ..Line::plain(text) })
    }

    /// Where the outcome will be added, for a phrase; and whether that was told before.
    fn addition(&self, talk: &Discussion<'_>) -> Value {
        let target = self.target.as_ref();
        let is_told = target.is_some_and(|target| {
            let place = format!("{}, {}.", target.path, target.section);
            talk.contributions().any(|said| said.text.contains(&place))
        });
        context! {
            path => target.map(|target| target.path.as_str()),
            section => target.map(|target| target.section.as_str()),
            is_told,
        }
    }

    /// To a statement that no passage is about: where it will be added.
    fn added(&self, talk: &Discussion<'_>) -> Result<Line, Failed> {
        let text = render(talk, "added", self.addition(talk))?;
        let rests = self.target.iter().filter_map(|target| {
            let quote = plain::clean(&target.section);
            target.line.map(|line| Rest { path: target.path.clone(), line, quote })
        });
        Ok(Line { rests: rests.collect(), ..Line::plain(text) })
    }

    fn spoken(&self, cue: &Cue, talk: &Discussion<'_>) -> Result<Option<Line>, Failed> {
        let Some(persona) = talk.library().cast.get(&cue.persona) else { return Ok(None) };
        let message = talk.last_message().filter(|message| message.class != Class::Exit);
        Ok(match cue.purpose {
            Purpose::Framing => Some(self.framing(talk)?),
            Purpose::Answer => match message {
                Some(message) => Some(self.answer(persona, message, talk)?),
                None => None,
            },
            Purpose::FollowUp => match self.own_point(persona, message, talk) {
                Some(point) => Some(self.point(talk, point)?),
                None => None,
            },
            Purpose::Round => {
                // Who owes a line and has none raises one of the lead, who has framed and is not asked.
                let lead = || self.own_point(talk.lead(), None, talk).filter(|_| cue.owed);
                match self.own_point(persona, None, talk).or_else(lead) {
                    Some(point) => Some(self.point(talk, point)?),
                    None if cue.owed => Some(Line::plain(render(
                        talk,
                        "no-point",
                        context! { lens => persona.lens.as_str() },
                    )?)),
                    None => None,
                }
            }
        })
    }
}

impl Voice for Reviewer<'_> {
    fn name(&self) -> &str {
        REVIEWER
    }

    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        _: Option<&Rejected>,
    ) -> Result<Option<Line>, Speechless> {
        Ok(self.spoken(cue, talk)?)
    }

    fn summary(&mut self, _: &Discussion<'_>, by_rule: Summary) -> Result<Synthesis, Speechless> {
        Ok(Synthesis { summary: by_rule, critiques: Vec::new() })
    }
}

/// Renders a phrase. What documents and users say comes in as values.
fn render(talk: &Discussion<'_>, name: &str, values: Value) -> Result<String, Failed> {
    talk.library().templates.render(&format!("phrases/{name}.txt"), values)
}

/// `requirements-spec.md, 3.2 Fees, line 41`.
fn place(path: &str, heading: &str, line: usize) -> String {
    match heading.is_empty() {
        true => format!("{path}, line {line}"),
        false => format!("{path}, {heading}, line {line}"),
    }
}

/// The place of a line in a passage; an ambiguous heading is shown below the one above it.
fn placed(passage: &Passage<'_>, line: usize) -> String {
    match passage.above {
        "" => place(passage.path, passage.heading, line),
        above => place(passage.path, &format!("{above} > {}", passage.heading), line),
    }
}

/// What is shown of a table row for a quotation in it: its cell, or of a cell of a few words the row.
fn cells<'t>(row: &'t str, quote: &str) -> Vec<&'t str> {
    let is_long = |cell: &&str| cell.contains(quote) && cell.split_whitespace().count() >= SHORT / 2;
    let cell = row.split('|').map(str::trim).find(is_long);
    vec![cell.unwrap_or_else(|| row.trim_matches(['|', ' ']))]
}

fn shown(finding: &Finding) -> Value {
    let related: Vec<Value> = finding
        .related
        .iter()
        .map(|one| context! { place => place(&one.path, "", one.line), quote => plain::cut(&plain::one_line(&one.quote), QUOTED) })
        .collect();
    context! {
        place => place(&finding.path, &finding.heading, finding.line),
        quote => plain::cut(&plain::one_line(&finding.quote), QUOTED),
        message => plain::one_line(&finding.message),
        why => finding.why.as_str(),
        suggestion => finding.suggestion.as_str(),
        options => &finding.options,
        related,
    }
}

fn rest(finding: &Finding) -> Rest {
    Rest { path: finding.path.clone(), line: finding.line, quote: plain::clean(&finding.quote) }
}
