//! A step's draft: what a persona makes of the answers, documents and evidence, for a user to judge (A-6).
//!
//! Every line names what it rests on: an answer (`answers/2`), a document, a file of the evidence, or an earlier step
//! (`steps/01-02`), with line and quotation. A line is kept only if its passages are real and its figures and
//! ids are theirs; what is refused is told with the reason. Only users decide: a decision record rests on an answer
//! that decides.
//!
//! ```
//! use roundtable::item::library::Library;
//! use roundtable::voice::model::drafting::{Answered, Kind, Material};
//! use roundtable::voice::model::prompt::Given;
//!
//! let library = Library::built_in().unwrap();
//! let step = library.step("01-01").unwrap();
//! let answers = [Answered { number: 1, asked: "Who pays?", said: "Readers pay at the desk.", decides: false }];
//! let given = Given::default();
//! let material = Material {
//!     persona: library.cast.get(&step.persona).unwrap(),
//!     library: &library, step, depth: step.depth, item_name: "late fees", documents: Vec::new(), given: &given,
//!     answers: &answers, wanted: &[Kind::Summary],
//! };
//! let said = r#"{"lines": [
//!     {"kind": "summary", "text": "Readers pay at the desk", "rests": [{"path": "answers/1", "line": 1, "quote": "pay at the desk"}]},
//!     {"kind": "summary", "text": "Readers pay 5 euros", "rests": [{"path": "answers/1", "line": 1, "quote": "pay at the desk"}]}]}"#;
//! let draft = material.judge(said).unwrap();
//! assert_eq!(draft.lines[0].text.as_deref(), Some("Readers pay at the desk"));
//! assert!(draft.refused[0].why.contains("\"5\""));
//! ```

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clauses::{Claimed, Lack, supports};
use super::meter::Metered;
use super::prompt::{self, Given, Prompt, Subject, Want, fenced, numbered};
use super::rounds;
use crate::discussion::additions::{self, Field, UNASSIGNED};
use crate::discussion::event::Rest;
use crate::item::library::Library;
use crate::item::persona::Persona;
use crate::item::step::{Depth, Step};
use crate::minutes::{Forms, decisions_in, says_nothing};
use crate::text::plain;
use crate::text::template::safe;
use crate::text::words::{subjects, words};
use crate::voice::Speechless;
use crate::voice::basis::Basis;
use crate::voice::breaches::forged;
use crate::voice::claims::unreal_claims;
use crate::voice::quotations::PASSAGES;
use crate::voice::sources::Sources;

/// The longest text of a line, in characters.
const LONGEST: usize = 600;
/// The most lines of a draft, of these the most summaries, and the most that are read.
const MAX_LINES: usize = 40;
const MAX_SUMMARIES: usize = 7;
const MAX_READ: usize = 120;
/// Of a hundred words of a line that tells what was said, so many are words of what it rests on.
const NEAR: usize = 50;
/// The same of a line that proposes something.
const PROPOSED: usize = 30;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What a reader should know first: `text`.
    Summary,
    /// Whether a goal of the step is met: `criterion`, `verdict`, `because`.
    Verdict,
    /// One way to do it: `option`, `for`, `against`.
    Option,
    /// `as_a`, `i_want`, `so_that`.
    UserStory,
    /// `text` with Given, When and Then; `anchor` is the id of a story or requirement.
    AcceptanceCriterion,
    /// `text`.
    Requirement,
    /// `text`, `target`, `measure`.
    Nfr,
    /// `risk`, `likelihood`, `impact`, `owner`.
    Risk,
    /// `name`, `purpose`.
    Module,
    /// `name`, `holds`.
    Structure,
    /// `module`, `name`, `input`, `output`, `errors`.
    Operation,
    /// `code`, `when`, `action`.
    Error,
    /// `from`, `to`, `data`.
    Flow,
    /// `title`, `context`, `options`, `decision`, `consequences`; a user has decided it.
    DecisionRecord,
    /// `term`, `meaning`.
    Term,
    /// `text`.
    Note,
}

impl Kind {
    pub const ALL: [(Kind, &str); 16] = [
        (Kind::Summary, "summary"),
        (Kind::Verdict, "verdict"),
        (Kind::Option, "option"),
        (Kind::UserStory, "user-story"),
        (Kind::AcceptanceCriterion, "acceptance-criterion"),
        (Kind::Requirement, "requirement"),
        (Kind::Nfr, "nfr"),
        (Kind::Risk, "risk"),
        (Kind::Module, "module"),
        (Kind::Structure, "structure"),
        (Kind::Operation, "operation"),
        (Kind::Error, "error"),
        (Kind::Flow, "flow"),
        (Kind::DecisionRecord, "decision-record"),
        (Kind::Term, "term"),
        (Kind::Note, "note"),
    ];

    /// The kind as answers and logs write it.
    pub fn name(self) -> &'static str {
        Kind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| *name)
    }

    /// Tells what was said, instead of proposing what could be.
    const fn tells(self) -> bool {
        matches!(self, Kind::Summary | Kind::Verdict | Kind::Term | Kind::Note)
    }
}

/// A line of a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftLine {
    pub kind: Kind,
    /// An id or a heading of a document that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// One line of plain text; a line has a text, or fields, or both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// In snake_case, as [`Kind`] lists them. Never an id: ids are the program's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Field>,
    /// Never empty, and every quotation is real.
    pub rests: Vec<Rest>,
}

impl DraftLine {
    /// Everything that it claims.
    pub fn words(&self) -> String {
        // A code is a name that the line gives.
        let fields = self.fields.iter().filter(|(name, _)| *name != "code").map(|(_, field)| field.text());
        self.text.iter().cloned().chain(fields).collect::<Vec<_>>().join(". ")
    }

    fn texts(&self) -> impl Iterator<Item = String> + '_ {
        let fields = self.fields.values().flat_map(Field::list);
        self.text.iter().chain(&self.anchor).cloned().chain(fields)
    }
}

/// A line that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedDraftLine {
    /// Its words, short and in one line.
    pub text: String,
    /// What is wrong with it, and the nearest real line where there is one.
    pub why: String,
}

/// What came of a request for a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    pub lines: Vec<DraftLine>,
    pub refused: Vec<RefusedDraftLine>,
}

/// A question and what was answered.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// It is `answers/NUMBER` in what a line rests on.
    pub number: usize,
    pub asked: &'a str,
    pub said: &'a str,
    /// The question asks for a decision, so the answer is one whatever its form.
    pub decides: bool,
}

/// What a draft is made of.
pub struct Material<'a> {
    pub library: &'a Library,
    pub step: &'a Step,
    pub depth: Depth,
    /// Who drafts.
    pub persona: &'a Persona,
    pub item_name: &'a str,
    /// The item's documents, by their names.
    pub documents: Vec<(&'a str, &'a str)>,
    /// Evidence, and what earlier steps and discussions have settled.
    pub given: &'a Given<'a>,
    pub answers: &'a [Answered<'a>],
    /// The kinds that the step may hold; lines of others are refused.
    pub wanted: &'a [Kind],
}

impl Material<'_> {
    /// Asks for a draft. An answer of which nothing can be taken is asked for once more, with what was wrong.
    ///
    /// # Errors
    /// The model does not answer, its limit is reached, or a template cannot be rendered.
    pub fn draft(&self, model: &mut Metered<'_>) -> Result<Draft, Speechless> {
        let mut last = Draft::default();
        for _ in 0..2 {
            let prompt = self.prompt(&last.refused)?;
            if !model.affords(&prompt, 0) {
                return if last == Draft::default() { Err(model.spent()) } else { Ok(last) };
            }
            last = self.judge(&model.ask(0, &prompt)?)?;
            if last.refused.is_empty() || !last.lines.is_empty() {
                break;
            }
        }
        Ok(last)
    }

    /// The request.
    ///
    /// # Errors
    /// A template cannot be rendered.
    pub fn prompt(&self, refused: &[RefusedDraftLine]) -> Result<Prompt, Speechless> {
        let subject = Subject { library: self.library, step: self.step, item_name: self.item_name };
        let (head, _) = prompt::head(&subject, self.documents.iter().copied(), self.given)?;
        let answer = |answer: &Answered<'_>| {
            let name = format!("answers/{}", answer.number);
            let said = fenced(&name, &numbered(&plain::clean(answer.said), 1));
            format!("{}\n{said}\n\n", plain::one_line(answer.asked))
        };
        let refused = refused.iter().map(|one| format!("{}: {}", one.text, one.why)).collect::<Vec<_>>();
        let values = context! {
            name => self.persona.name.as_str(),
            role => self.persona.role.as_str(),
            id => self.step.id.as_str(),
            title => self.step.title.as_str(),
            depth => self.depth.to_string(),
            kinds => self.wanted.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
            refused => (!refused.is_empty()).then(|| safe(fenced("refused", &refused.join("\n")))),
        };
        let mut talk = vec!["The answers to the step's questions:\n\n".to_owned()];
        match self.answers {
            [] => talk.push("There are none yet.\n\n".to_owned()),
            answers => talk.extend(answers.iter().map(answer)),
        }
        let wanted = self.library.templates.render("prompts/draft.txt", values)?;
        Ok(Prompt { head, talk, wanted, want: Want::Draft { step: self.step.id.clone(), depth: self.depth } })
    }

    /// The lines of an answer that may be taken, and what is wrong with the others.
    ///
    /// # Errors
    /// The rules that tell a decision cannot be read.
    pub fn judge(&self, answer: &str) -> Result<Draft, Speechless> {
        let forms = self.library.forms();
        let texts = self.texts();
        let pairs = texts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let sources =
            Sources::new(self.documents.iter().copied().chain(pairs), &self.given.evidence.excerpts);
        let judge = Judge { material: self, forms, sources: &sources, texts: &texts };
        let object = rounds::object(answer);
        let list = |key: &str| object.as_ref().and_then(|object| object.get(key)?.as_array());
        let Some(said) = list("lines").or_else(|| list("draft")) else {
            let why = "it was no JSON object with a list \"lines\"".to_owned();
            return Ok(Draft { refused: vec![refused(answer, why)], ..Draft::default() });
        };
        let mut draft = Draft::default();
        for value in said.iter().take(MAX_READ) {
            match read(value).and_then(|line| judge.judged(line)) {
                Ok(line) if draft.says(&line) => {}
                Ok(line) if draft.has_room_for(&line) => draft.lines.push(line),
                Ok(line) => draft.refused.push(refused(&line.words(), "there are too many lines".to_owned())),
                Err(why) => draft.refused.push(refused(&said_by(value), why)),
            }
        }
        Ok(draft)
    }

    /// What a line may rest on besides documents and evidence, by path.
    fn texts(&self) -> Vec<(String, String)> {
        let answer = |one: &Answered<'_>| (format!("answers/{}", one.number), plain::clean(one.said));
        let earlier = self.given.earlier.iter().map(|one| (one.path.clone(), plain::clean(&one.text)));
        let goals = ("step".to_owned(), self.step.validation.join("\n"));
        self.answers.iter().map(answer).chain(earlier).chain([goals]).collect()
    }
}

impl Draft {
    fn says(&self, line: &DraftLine) -> bool {
        let said = subjects(&line.words());
        self.lines.iter().any(|one| one.kind == line.kind && subjects(&one.words()) == said)
    }

    fn has_room_for(&self, line: &DraftLine) -> bool {
        let summaries = self.lines.iter().filter(|one| one.kind == Kind::Summary).count();
        self.lines.len() < MAX_LINES && (line.kind != Kind::Summary || summaries < MAX_SUMMARIES)
    }
}

fn refused(text: &str, why: String) -> RefusedDraftLine {
    RefusedDraftLine { text: plain::cut(&plain::shown(text), 160), why }
}

/// The words of a line that could not be read.
fn said_by(value: &Value) -> String {
    let text = value.get("text").and_then(Value::as_str).filter(|text| !text.is_empty());
    let told = |(name, field): (String, Field)| format!("{}: {}", name.replace('_', " "), field.text());
    let fields = || value.get("fields").map(additions::fields).unwrap_or_default();
    text.map_or_else(|| fields().into_iter().map(told).collect::<Vec<_>>().join("; "), str::to_owned)
}

/// A line as a model wrote it.
fn read(value: &Value) -> Result<DraftLine, String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(plain::clean);
    let text = |key: &str| text(key).map(|text| plain::one_line(&text)).filter(|text| !text.is_empty());
    let said = text("kind").unwrap_or_default().to_lowercase().replace([' ', '_'], "-");
    let kind = Kind::ALL.iter().find(|(_, name)| *name == said);
    let kind = kind.ok_or_else(|| format!("\"{}\" is not a kind of a line", plain::shown(&said)))?.0;
    let mut fields = value.get("fields").map(additions::fields).unwrap_or_default();
    fields.remove("id");
    let rests = value.get("rests").and_then(Value::as_array).into_iter().flatten().map(|rest| {
        let text = |key: &str| rest.get(key).and_then(Value::as_str).map(plain::clean).unwrap_or_default();
        let line = rest.get("line").and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok());
        Rest { path: text("path"), line: line.unwrap_or_default(), quote: text("quote") }
    });
    let line = DraftLine { kind, anchor: text("anchor"), text: text("text"), fields, rests: rests.collect() };
    if line.words().trim().is_empty() {
        return Err("it has neither text nor fields".to_owned());
    }
    let is_long = line.texts().any(|text| text.chars().count() > LONGEST);
    if is_long { Err(format!("a text has at most {LONGEST} characters")) } else { Ok(line) }
}

/// What lines are held against.
struct Judge<'a> {
    material: &'a Material<'a>,
    forms: &'a Forms,
    sources: &'a Sources<'a>,
    texts: &'a [(String, String)],
}

impl Judge<'_> {
    /// The line with its passages as they are written.
    fn judged(&self, mut line: DraftLine) -> Result<DraftLine, String> {
        let cast = &self.material.library.cast;
        if !self.material.wanted.contains(&line.kind) {
            return Err(format!("this step takes no line of the kind {}", line.kind.name()));
        }
        if let Some(breach) = line.texts().find_map(|text| forged(&text, cast)) {
            return Err(breach.reason());
        }
        let fields = line.fields.values().map(Field::text);
        if line.text.iter().cloned().chain(fields).all(|part| says_nothing(&part))
            || self.judges_nothing(&line)
        {
            return Err("it says nothing".to_owned());
        }
        line.rests = self.real(&line.rests)?;
        let words = line.words();
        let basis = Basis { sources: Some(self.sources), cited: line.rests.clone(), ..Basis::default() };
        if let Some(breach) = unreal_claims(&words, &[], &basis).into_iter().next() {
            let nearest = breach.nearest.as_ref().map(|line| format!("; the nearest line is {line}"));
            return Err(format!("{}{}", breach.reason(), nearest.unwrap_or_default()));
        }
        if let Some(Field::Text(owner)) = line.fields.get_mut("owner")
            && cast.iter().any(|one| [&one.key, &one.name].contains(&&*owner) || owner == one.first_name())
        {
            UNASSIGNED.clone_into(owner);
        }
        let words = line.words();
        let mut grounds: Vec<Claimed> =
            line.rests.iter().map(|rest| Claimed::new(self.ground(rest))).collect();
        if line.kind == Kind::Verdict {
            grounds.push(Claimed::new(&self.material.step.validation.join("\n")));
        }
        let near = if line.kind.tells() { NEAR } else { PROPOSED };
        self.decides(&line, &words)?;
        let known = subjects(&words);
        let grounds: Vec<&Claimed> = grounds.iter().collect();
        let told = |lack: Lack| lack.told("the passages it rests on");
        supports(&words, &known, &grounds, near).map_err(told)?;
        self.names_nobody(&words, &line).map_or(Ok(line), |name| Err(told(Lack::Unsaid(name))))
    }

    /// Whether a verdict names nothing that it is about.
    fn judges_nothing(&self, line: &DraftLine) -> bool {
        let criterion = line.fields.get("criterion").map(Field::text).unwrap_or_default();
        line.kind == Kind::Verdict && says_nothing(&criterion)
    }

    /// The passages at their real places; a place without a quotation is the line that it names, or a whole answer.
    fn real(&self, rests: &[Rest]) -> Result<Vec<Rest>, String> {
        let mut found: Vec<Rest> = Vec::new();
        for rest in rests.iter().take(PASSAGES) {
            let quote = match rest.quote.trim() {
                "" => self.sources.line(&rest.path, rest.line.max(1)).unwrap_or_default().to_owned(),
                quote => quote.to_owned(),
            };
            let real = self.sources.find(&rest.path, rest.line, &quote).filter(|_| rest.path != "step");
            let Some(real) = real else {
                let place = plain::shown(&format!("{}:{}: {}", rest.path, rest.line, rest.quote));
                let nearest = self.sources.nearest(&rest.path, &rest.quote);
                let nearest = nearest.map(|line| format!("; the nearest line is {line}")).unwrap_or_default();
                return Err(format!("it rests on a passage that there is not: \"{place}\"{nearest}"));
            };
            if !found.contains(&real) {
                found.push(real);
            }
        }
        if found.is_empty() { Err("it names nothing that it rests on".to_owned()) } else { Ok(found) }
    }

    /// What a passage is part of: the whole answer, or the lines around it.
    fn ground<'s>(&'s self, rest: &'s Rest) -> &'s str {
        let whole = self.texts.iter().find(|(path, _)| *path == rest.path).map(|(_, text)| text.as_str());
        whole.or_else(|| self.sources.around(rest)).unwrap_or_default()
    }

    /// That a decision is a user's.
    fn decides(&self, line: &DraftLine, words: &str) -> Result<(), String> {
        let decision = match line.kind {
            Kind::DecisionRecord => {
                let said = line.fields.get("decision").map(Field::text).or_else(|| line.text.clone());
                Some(said.ok_or("a decision record needs a decision; what is open is an option")?)
            }
            _ => (!decisions_in(words, self.forms).is_empty()).then(|| words.to_owned()),
        };
        let Some(decision) = decision else { return Ok(()) };
        let decided = line.rests.iter().filter(|rest| self.is_decided(rest));
        let grounds: Vec<Claimed> = decided.map(|rest| Claimed::new(self.ground(rest))).collect();
        let is_theirs = !grounds.is_empty()
            && supports(&decision, &subjects(&decision), &grounds.iter().collect::<Vec<_>>(), NEAR).is_ok();
        if is_theirs { Ok(()) } else { Err("only users decide, and none has decided that".to_owned()) }
    }

    /// Whether a passage is of words with which a user decides.
    fn is_decided(&self, rest: &Rest) -> bool {
        let of_answer = |one: &Answered<'_>| format!("answers/{}", one.number) == rest.path && one.decides;
        let is_users = self.texts.iter().any(|(path, _)| *path == rest.path);
        self.material.answers.iter().any(of_answer)
            || is_users && !decisions_in(self.ground(rest), self.forms).is_empty()
    }

    /// Somebody at the table whom the line names, and whom nothing that it rests on names.
    fn names_nobody(&self, text: &str, line: &DraftLine) -> Option<String> {
        let in_words = |text: &str| -> BTreeSet<String> {
            words(text).into_iter().map(|word| word.text.into_owned()).collect::<BTreeSet<_>>()
        };
        let said = in_words(text);
        let known: Vec<BTreeSet<String>> =
            line.rests.iter().map(|rest| in_words(self.ground(rest))).collect();
        let mut cast = self.material.library.cast.iter().map(|one| one.first_name().to_lowercase());
        cast.find(|name| said.contains(name) && !known.iter().any(|words| words.contains(name)))
    }
}
