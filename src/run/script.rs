//! The user's messages in order, wherever they came from.
//!
//! Text is cleaned when it is read: what cannot be seen never reaches a voice, a log or a
//! document, and what was removed or cut is said in [`Script::notes`].
//!
//! After its end a script is silent for ever, so whatever asks it comes to an end.
//!
//! ```
//! use roundtable::run::script::Script;
//!
//! let mut script = Script::read("talk.txt", b"Maya, why?\n\ndone\n").unwrap();
//! assert_eq!(script.next_input().unwrap().text, "Maya, why?");
//! assert!(script.next_input().is_none()); // the blank line
//! assert_eq!(script.next_input().unwrap().text, "done");
//! assert!(script.next_input().is_none() && script.next_input().is_none());
//! ```

mod by_number;
pub mod comments;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use self::by_number::RawAnswers;
pub use self::by_number::{Answers, AskedAt, asked};
use self::comments::Exported;
pub use self::comments::LeftOut;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::item::step::{Depth, Prompt};
use crate::text::finding::{self, Finding};
use crate::text::secrets::{self, Masked};
use crate::text::source::Source;
use crate::text::time;
use crate::text::time::Time;
use crate::text::{front_matter, json, plain};

/// A script over this many bytes is refused (16 MiB).
pub const LARGEST: usize = 16 * 1024 * 1024;
/// A script has at most this many inputs.
pub const MOST: usize = 20_000;
/// A message has at most this many characters.
pub const LONGEST: usize = 2_097_152;
/// What becomes of an analysis that is interrupted at a question.
const STOPPED: &str = "stopped by Ctrl-C; what you typed is kept, and the same command goes on with it";

/// What the user says at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub text: String,
    /// Who says it, where that is not the script's user.
    pub by: Option<String>,
    /// When it was said.
    pub at: Option<Time>,
    /// The comment on GitHub that it is, by its id.
    pub comment: Option<u64>,
}

/// The user's side of a discussion. Its end is silence for ever, unless it stays open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub user: Option<String>,
    inputs: VecDeque<Option<Input>>,
    /// What is meant for one step of an analysis each.
    answers: BTreeMap<String, Answers>,
    /// The depth that the numbers of its answers belong to.
    pub depth: Option<Depth>,
    /// The list answers by number, or by quoting the question; what does neither is a note of the step.
    pub is_by_number: bool,
    /// The issue that the messages are about, where the script is one: text for a document, and no message.
    pub source: Option<Source>,
    /// The comments of an issue that are not heard.
    pub left_out: Vec<LeftOut>,
    /// What was removed or cut.
    pub notes: Vec<String>,
    /// Which messages held a credential, and of which kind; it is masked.
    pub warnings: Vec<String>,
    /// The end is no silence: the user may go on in another run.
    pub stays_open: bool,
    /// It was [lent](Script::lend): the rest belongs to the lender.
    pub is_shared: bool,
    /// Who is asked where there are no more inputs.
    live: Option<Prompter>,
}

/// Asks a person for the next input.
#[derive(Clone, Copy, Debug)]
pub struct Prompter(pub fn(Occasion<'_>) -> Reply);

/// What a person is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion<'t> {
    /// An answer to a question of a step, or a choice at its menu.
    Step,
    /// A message of a discussion, from the user of this name.
    Discussion { user: &'t str },
}

/// What a person who is asked gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Said(String),
    Silence,
    /// How far the discussion is.
    Status,
    /// Nothing more comes.
    End,
    /// The discussion stops here and is gone on with later.
    Stopped,
    /// The person cannot be asked, and why.
    Failed(String),
}

impl PartialEq for Prompter {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Prompter {}

/// How a script is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    Yaml,
    Json,
}

impl Form {
    /// The form of a file by its ending; what comes on standard input (`-`) by how it begins.
    ///
    /// # Errors
    /// Another ending.
    pub fn of(name: &str, bytes: &[u8]) -> Result<Form, Finding> {
        if name == "-" {
            return Ok(Form::by_beginning(bytes));
        }
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let ending = file.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase());
        match ending.as_str() {
            "txt" => Ok(Form::Text),
            "yaml" | "yml" => Ok(Form::Yaml),
            "json" => Ok(Form::Json),
            _ => {
                let message = "the name of a script ends in .txt, .yaml or .json".to_owned();
                Err(Finding::at(name, "", 1, 1, message).hint(
                    "a .txt has one message a line; rename the file, or pass it on standard input with --script -",
                ))
            }
        }
    }

    fn by_beginning(bytes: &[u8]) -> Form {
        if matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[')) {
            return Form::Json;
        }
        // Comments may come before the keys.
        let mut lines =
            bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        let is_keyed = lines.next().is_some_and(|line| {
            let has_key = |key: &[u8]| line.starts_with(key);
            has_key(b"inputs:")
                || has_key(b"answers:")
                || has_key(b"user:")
                || line.trim_ascii_end() == b"---"
        });
        if is_keyed { Form::Yaml } else { Form::Text }
    }
}

/// Whether a text is UTF-16: by its byte order mark, or by a zero beside its first sign.
fn is_utf_16(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [0, sign, 0, next, ..] | [sign, 0, next, 0, ..] => sign.is_ascii_graphic() && next.is_ascii(),
        _ => false,
    }
}

/// What an analysis takes from a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    Said(Input),
    Silence,
    /// The answers that were meant for this step have all been given: it goes on.
    Through,
    /// Nothing is left.
    End,
    /// The person cannot be asked, and why.
    Failed(String),
}

impl Script {
    /// Reads the script of an analysis, which may name its answers by step instead of giving `inputs`.
    ///
    /// # Errors
    /// As [`Script::read`]; and a key of `answers` that is no step's id.
    pub fn for_analysis(name: &str, bytes: &[u8]) -> Result<Script, Finding> {
        Script::read_as(name, bytes, true)
    }

    /// Reads a script. `name` is its file name, or `-`.
    ///
    /// # Errors
    /// A script that is empty, binary, too large, or has a wrong key or value, with the place.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Script, Finding> {
        Script::read_as(name, bytes, false)
    }

    fn read_as(name: &str, bytes: &[u8], has_answers: bool) -> Result<Script, Finding> {
        if bytes.len() > LARGEST {
            let finding = Finding::at(name, "", 1, 1, format!("the script is over {} MiB", LARGEST >> 20));
            return Err(finding.hint("leave out what is not said"));
        }
        let form = Form::of(name, bytes)?;
        if is_utf_16(bytes) {
            return Err(Finding::at(name, "", 1, 1, "the script is in UTF-16, not in UTF-8").hint(
                "save it as UTF-8, or convert it: `iconv -f UTF-16 -t UTF-8 FILE | roundtable … --script -`",
            ));
        }
        if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
            let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            return Err(Finding::at(name, "", line, 1, "the script is binary, not text")
                .hint("a script is .txt, .yaml or .json, in UTF-8"));
        }
        let text = json::utf8(name, bytes)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() && (text.is_empty() || form != Form::Text) {
            return Err(Finding::at(name, text, 1, 1, "the script is empty")
                .hint("write one message a line; the discussion ends with a line `done`"));
        }
        let raw = match form {
            Form::Text if text.bytes().filter(|byte| *byte == b'\n').count() > MOST => {
                let finding =
                    Finding::at(name, "", MOST + 1, 1, format!("the script has more than {MOST} lines"));
                return Err(finding.hint("a discussion ends within its turn limit; leave the rest out"));
            }
            Form::Text => {
                let (masked, warnings) = masked_lines(text);
                let inputs = Some(masked.lines().map(|line| said(line.trim().to_owned())).collect());
                let raw = Raw { inputs, ..Raw::default() };
                let script = Script::from_raw(name, &masked, raw, has_answers)?;
                return Ok(Script { warnings, ..script });
            }
            Form::Yaml => front_matter::parse(name, text, text, 0).map_err(with_quotes)?,
            Form::Json => from_json(name, text)?,
        };
        Script::from_raw(name, text, raw, has_answers)
    }

    fn from_raw(name: &str, text: &str, raw: Raw, has_answers: bool) -> Result<Script, Finding> {
        let mut script = Script {
            user: raw.user.map(|user| person(&user)).filter(|user| !user.is_empty()),
            ..Script::default()
        };
        script.left_out = raw.left_out;
        let answers = raw.answers.unwrap_or_default();
        if let Some(source) = raw.source {
            script.draws_on(source);
        }
        // Nobody has to comment on an issue: then its discussion is one without the user.
        let suffices = script.source.is_some() || has_answers && !answers.is_empty();
        let is_given = raw.inputs.is_some();
        let inputs = raw.inputs.filter(|inputs| !inputs.is_empty());
        let Some(inputs) = inputs.or_else(|| suffices.then(Vec::new)) else {
            let what =
                if is_given { "the script's `inputs` are empty" } else { "the script has no `inputs`" };
            return Err(Finding::at(name, text, 1, 1, what)
                .hint("write `inputs:` and below it one `- \"message\"` a line; `null` is silence"));
        };
        if inputs.len() > MOST {
            let message = format!("the script has {} inputs, more than {MOST}", inputs.len());
            return Err(Finding::at(name, text, 1, 1, message)
                .hint("a discussion ends within its turn limit; leave the rest out"));
        }
        script.depth = raw.depth;
        let count: usize = answers.values().map(RawAnswers::len).sum();
        if count > MOST {
            let message = format!("the script has {count} answers, more than {MOST}");
            return Err(Finding::at(name, text, 1, 1, message).hint("leave the rest out"));
        }
        let mut findings = Vec::new();
        script.inputs = script.each(name, text, inputs, &mut findings);
        for (step, inputs) in answers {
            if !crate::item::step::is_step_id(&step) && findings.len() < finding::MOST {
                let message = format!(
                    "`answers` names \"{}\", which is not a step",
                    plain::cut(&plain::shown(&step), 60)
                );
                findings.push(
                    Finding::near(name, text, &step, message).hint(
                        "a step's id is two digits, a hyphen and two digits in quotes, such as \"01-03\"",
                    ),
                );
            }
            let own = match inputs {
                RawAnswers::List(list) => Answers::list(script.each(name, text, list, &mut findings)),
                RawAnswers::Numbered(numbered, menu) => {
                    let (numbers, inputs): (Vec<usize>, Vec<Option<RawInput>>) = numbered.into_iter().unzip();
                    let said = script.each(name, text, inputs, &mut findings);
                    let menu = script.each(name, text, menu, &mut findings);
                    Answers::numbered(numbers.into_iter().zip(said).collect(), menu)
                }
            };
            script.answers.insert(step, own);
        }
        Finding::all(findings).map_or(Ok(script), Err)
    }

    /// The inputs of a list; what is wrong with them goes to the findings.
    fn each(
        &mut self,
        name: &str,
        text: &str,
        inputs: Vec<Option<RawInput>>,
        findings: &mut Vec<Finding>,
    ) -> VecDeque<Option<Input>> {
        let mut found = VecDeque::new();
        for (number, raw) in (1..).zip(inputs) {
            let at = raw.as_ref().and_then(|raw| raw.at.as_deref());
            if let Some((at, Err(error))) = at.map(|at| (at, Time::parse(at)))
                && findings.len() < finding::MOST
            {
                findings.push(Finding::near(name, text, at, error.to_string()).hint(time::FORM));
            }
            let length = raw.as_ref().map_or(0, |raw| plain::clean(&raw.text).chars().count());
            if length > LONGEST && findings.len() < finding::MOST {
                let begin: String = raw.iter().flat_map(|raw| raw.text.lines()).take(1).collect();
                let what = format!("input {number} has {length} characters, and a message at most {LONGEST}");
                findings.push(Finding::near(name, text, &begin, what).hint("make two messages of it"));
            }
            found.push_back(raw.and_then(|raw| self.input(number, raw)));
        }
        found
    }

    fn input(&mut self, number: usize, raw: RawInput) -> Option<Input> {
        let clean = plain::clean(&raw.text);
        let (was, is) = (raw.text.replace("\r\n", "\n").chars().count(), clean.chars().count());
        if is < was {
            self.notes.push(format!("input {number}: {} invisible characters were removed", was - is));
        }
        if is > LONGEST {
            // Only who types can come here: a script is refused.
            self.warnings.push(format!("input {number} is cut from {is} to {LONGEST} characters"));
        }
        let message = plain::cut(&self.masked(number, plain::without_blank_ends(&clean)), LONGEST);
        let by = raw.by.map(|by| person(&by)).filter(|by| !by.is_empty());
        let at = raw.at.and_then(|at| Time::parse(&at).ok());
        (!message.is_empty()).then_some(Input { text: message, by, at, comment: raw.comment })
    }

    /// A message without the credentials in it; the warning names their kinds only.
    fn masked<'t>(&mut self, number: usize, message: &'t str) -> Cow<'t, str> {
        let Some((text, masked)) = secrets::mask(message) else { return message.into() };
        self.warnings.push(warning(&format!("message {number}"), &masked));
        text.into()
    }

    /// Takes the text of an issue along. It becomes a document of the item, and is no message.
    pub fn draws_on(&mut self, source: Source) {
        for (part, masked) in &source.masked {
            self.warnings.push(warning(&format!("the issue's {part}"), masked));
        }
        self.notes.extend(source.note());
        self.source = Some(source);
    }

    /// A script of inputs that were read elsewhere; they are cleaned, masked and cut like any others.
    pub fn of(user: Option<String>, inputs: Vec<Option<Input>>) -> Script {
        let mut script = Script {
            user: user.map(|user| person(&user)).filter(|user| !user.is_empty()),
            ..Script::default()
        };
        inputs.into_iter().take(MOST).for_each(|input| script.push(input));
        script
    }

    /// The same, said by this person where a message does not say who speaks; without one as it is.
    #[must_use]
    pub fn spoken_by(self, user: Option<&str>) -> Script {
        let user = user.map(person).filter(|user| !user.is_empty());
        Script { user: user.or(self.user), ..self }
    }

    /// One more input at the end, cleaned, masked and cut like any other.
    pub fn push(&mut self, input: Option<Input>) {
        let number = self.inputs.len() + 1;
        let input = input.and_then(|input| self.cleaned(number, input));
        self.inputs.push_back(input);
    }

    fn cleaned(&mut self, number: usize, input: Input) -> Option<Input> {
        let clean = plain::clean(&input.text);
        let text = plain::cut(&self.masked(number, plain::without_blank_ends(&clean)), LONGEST);
        let by = input.by.map(|by| person(&by)).filter(|by| !by.is_empty());
        (!text.is_empty()).then_some(Input { text, by, ..input })
    }

    /// A script whose inputs come one by one, from somebody who is asked.
    pub fn asking(live: Prompter) -> Script {
        Script { live: Some(live), ..Script::default() }
    }

    /// Adds an input at the end, cleaned, masked and cut like any other; what is to be said of it.
    pub fn add(&mut self, text: Option<String>) -> Vec<String> {
        let input = text.map(|text| Input { text, by: None, at: None, comment: None });
        let mut more = Script::of(None, vec![input]);
        self.inputs.append(&mut more.inputs);
        more.warnings
    }

    /// The next input of the list; where it is empty, of who is asked.
    fn next_of_list(&mut self) -> Taken {
        let reply = if self.inputs.is_empty() { Some(self.ask(Occasion::Step)) } else { None };
        match reply {
            Some(Reply::Failed(why)) => return Taken::Failed(why),
            Some(Reply::Stopped) => return Taken::Failed(STOPPED.to_owned()),
            _ => {}
        }
        self.inputs.pop_front().map_or(Taken::End, taken)
    }

    /// Asks the person who is there for one more input, and adds it. After the end nobody is asked any more.
    pub fn ask(&mut self, occasion: Occasion<'_>) -> Reply {
        let Some(Prompter(ask)) = self.live else { return Reply::End };
        let reply = ask(occasion);
        match &reply {
            Reply::Said(text) => self.warnings = self.add(Some(text.clone())),
            Reply::Silence => self.warnings = self.add(None),
            Reply::End | Reply::Stopped | Reply::Failed(_) => {
                self.live = None;
                self.stays_open = false;
            }
            Reply::Status => {}
        }
        reply
    }

    /// What comes next: a message, or none for silence. After the end there is only silence.
    pub fn next_input(&mut self) -> Option<Input> {
        self.inputs.pop_front().flatten()
    }

    /// Whether a person is asked.
    pub const fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// Whether the next input is typed by a person, who sees it.
    pub fn is_typed_now(&self) -> bool {
        self.is_live() && self.inputs.is_empty()
    }

    /// The messages that are left, taken from it; what is left of a script that was lent belongs to the lender.
    pub fn rest(&mut self) -> Vec<Input> {
        let left = if self.is_shared { VecDeque::new() } else { std::mem::take(&mut self.inputs) };
        left.into_iter().flatten().collect()
    }

    /// Whether the user has said all for now, and may say more later.
    pub fn waits(&self) -> bool {
        self.stays_open && self.inputs.is_empty()
    }

    /// What comes next for a step of an analysis: from the answers that name it, else from the list.
    /// At a menu the list may settle what the answers leave open, but only by a choice.
    pub fn take(&mut self, step: &str, at: AskedAt) -> Taken {
        let Some(own) = self.answers.get_mut(step) else {
            return self.next_of_list();
        };
        if let Some(input) = own.take(at) {
            return taken(input);
        }
        let chooses = |input: &Option<Input>| {
            input.as_ref().is_some_and(|input| crate::analysis::menu::letter(&input.text).is_some())
        };
        match self.inputs.front() {
            Some(next) if at == AskedAt::Menu && chooses(next) => {
                self.inputs.pop_front().map_or(Taken::End, taken)
            }
            _ if at == AskedAt::Menu => Taken::Through,
            _ => Taken::Silence,
        }
    }

    /// A step begins, and asks these: where the list answers by number, what comes before the next choice at a
    /// menu belongs to this step. A list that begins a run does where each of these messages names a question.
    pub fn begin(&mut self, step: &str, prompts: &[Prompt]) {
        if self.live.is_some() || self.answers.contains_key(step) {
            return;
        }
        let chooses = |input: &Option<Input>| {
            input.as_ref().is_some_and(|input| crate::analysis::menu::letter(&input.text).is_some())
        };
        let end = self.inputs.iter().position(chooses).unwrap_or(self.inputs.len());
        let own = || self.inputs.iter().take(end);
        let names = |input: &Input| by_number::answers_only(&input.text, prompts);
        // A list that begins with silence is in order.
        let is_named = matches!(own().next(), Some(Some(_))) && own().flatten().all(names);
        if self.is_by_number || is_named {
            let own = self.inputs.drain(..end).flatten();
            let answers = by_number::distribute(own, prompts);
            self.answers.insert(step.to_owned(), answers);
        }
    }

    /// The step is asked anew with other questions: numbers of the old ones say nothing any more.
    pub fn forget_numbers(&mut self, step: &str) {
        if let Some(own) = self.answers.get_mut(step) {
            own.forget_numbers();
        }
    }

    /// The same, of comments: where they name questions, they answer those and no others.
    #[must_use]
    pub fn by_number(self) -> Script {
        Script { is_by_number: true, ..self }
    }

    /// Whether the list names questions, by number or by quoting them.
    pub fn names_questions(&self) -> bool {
        self.inputs.iter().flatten().any(|input| by_number::names_questions(&input.text))
    }

    /// Nothing is left.for a step.
    pub fn is_over(&self, step: &str) -> bool {
        self.inputs.is_empty() && self.live.is_none() && !self.answers.contains_key(step)
    }

    /// The steps that have answers by their id of which something was not taken.
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        let is_left = |own: &Answers| !own.is_of_list() && own.iter().any(|(_, input)| input.is_some());
        self.answers.iter().filter(move |(_, own)| is_left(own)).map(|(step, _)| step.as_str())
    }

    /// What is left for a step, as the script of a discussion; [`Script::give_back`] returns the rest. Where a person
    /// is asked, it stays open for what they say next.
    pub fn lend(&mut self, step: &str) -> Script {
        let own = self.answers.get_mut(step).and_then(Answers::lend);
        let inputs = own.unwrap_or_else(|| std::mem::take(&mut self.inputs));
        let (user, live) = (self.user.clone(), self.live);
        Script { user, inputs, is_shared: true, live, stays_open: live.is_some(), ..Script::default() }
    }

    /// Takes back what a discussion has left.
    pub fn give_back(&mut self, step: &str, rest: Script) {
        self.live = rest.live;
        match self.answers.get_mut(step).filter(|own| !own.is_of_list()) {
            Some(own) => own.give_back(rest.inputs),
            None => self.inputs = rest.inputs,
        }
    }

    /// How many inputs are left: of the list, and of those meant for a step.
    pub fn left(&self, step: &str) -> (usize, usize) {
        (self.inputs.len(), self.answers.get(step).map_or(0, Answers::len))
    }

    /// Passes over what a run that was cut off had heard: so many of the list, and of those meant for a
    /// step.
    pub fn skip(&mut self, step: &str, (list, own): (usize, usize)) {
        self.inputs.drain(..list.min(self.inputs.len()));
        if let Some(answers) = self.answers.get_mut(step) {
            answers.skip(own);
        }
    }

    /// The steps that answers are meant for, with these, and the number of the question where there is one.
    pub fn answers(
        &self,
    ) -> impl Iterator<Item = (&str, impl Iterator<Item = (Option<usize>, Option<&Input>)>)> {
        self.answers.iter().map(|(step, own)| (step.as_str(), own.iter()))
    }

    /// The comments that are still to come.
    pub fn comments(&self) -> impl Iterator<Item = u64> {
        let of_steps = self.answers.values().flat_map(|own| own.iter().filter_map(|(_, input)| input));
        self.inputs().flatten().chain(of_steps).filter_map(|input| input.comment)
    }

    /// Everything that is still to come, for the run id.
    pub fn inputs(&self) -> impl Iterator<Item = Option<&Input>> {
        self.inputs.iter().map(Option::as_ref)
    }
}

fn taken(input: Option<Input>) -> Taken {
    input.map_or(Taken::Silence, Taken::Said)
}

/// A text of one message a line with its credentials masked, and the warnings; a private key, which has lines
/// of its own, becomes one line.
fn masked_lines(text: &str) -> (Cow<'_, str>, Vec<String>) {
    let Some((masked, found)) = secrets::mask(text) else { return (text.into(), Vec::new()) };
    let breaks = |part: Range<usize>| text.get(part).map_or(0, |part| part.matches('\n').count());
    let mut by_line: Vec<(usize, Vec<Masked>)> = Vec::new();
    let (mut line, mut end) = (1, 0);
    for masked in found {
        line += breaks(end..masked.at.start);
        end = masked.at.end;
        match by_line.last_mut() {
            Some((last, same)) if *last == line => same.push(masked),
            _ => by_line.push((line, vec![masked])),
        }
    }
    let warnings = by_line.iter().map(|(line, masked)| warning(&format!("message {line}"), masked)).collect();
    (masked.into(), warnings)
}

fn warning(place: &str, masked: &[Masked]) -> String {
    let kinds = secrets::named(masked);
    format!(
        "{place} holds {kinds}, masked in the recording; revoke it, because it can still be read where the message came from"
    )
}

/// A person's name on one line, without control signs.
fn person(name: &str) -> String {
    plain::cut(&plain::one_line(&plain::clean(name)), 60)
}

fn said(text: String) -> Option<RawInput> {
    Some(RawInput { text, ..RawInput::default() })
}

/// A script as `.yaml` and `.json` write it: with keys, or a list of its inputs.
#[derive(Debug, Default)]
struct Raw {
    user: Option<String>,
    inputs: Option<Vec<Option<RawInput>>>,
    /// Answers by step, for the analysis; a discussion has none.
    answers: Option<BTreeMap<String, RawAnswers>>,
    /// The depth that the numbers of the answers belong to.
    depth: Option<Depth>,
    source: Option<Source>,
    left_out: Vec<LeftOut>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Keyed {
    user: Option<String>,
    inputs: Option<Vec<Option<RawInput>>>,
    #[serde(deserialize_with = "answers_of_each_once")]
    answers: Option<BTreeMap<String, RawAnswers>>,
    depth: Option<Depth>,
}

/// The answers by step; a step that is named twice, as by `00-01` and `"00-01"`, is refused.
fn answers_of_each_once<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<BTreeMap<String, RawAnswers>>, D::Error> {
    struct ByStep;
    impl<'de> Visitor<'de> for ByStep {
        type Value = Option<BTreeMap<String, RawAnswers>>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the answers by step")
        }
        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = BTreeMap::new();
            while let Some((step, answers)) = map.next_entry::<String, RawAnswers>()? {
                let shown = plain::cut(&plain::shown(&step), 60);
                if found.insert(step, answers).is_some() {
                    return Err(A::Error::custom(format!("duplicate field `{shown}`")));
                }
            }
            Ok(Some(found))
        }
    }
    deserializer.deserialize_any(ByStep)
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        struct Script;
        impl<'de> Visitor<'de> for Script {
            type Value = Raw;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("`inputs:` with a list of messages")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Raw, A::Error> {
                let inputs = Vec::deserialize(serde::de::value::SeqAccessDeserializer::new(list))?;
                Ok(Raw { inputs: Some(inputs), ..Raw::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Raw, A::Error> {
                let keyed = Keyed::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                let Keyed { user, inputs, answers, depth } = keyed;
                Ok(Raw { user, inputs, answers, depth, ..Raw::default() })
            }
        }
        deserializer.deserialize_any(Script)
    }
}

#[derive(Debug, Default)]
struct RawInput {
    text: String,
    by: Option<String>,
    at: Option<String>,
    comment: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spelled {
    text: String,
    by: Option<String>,
    at: Option<String>,
}

impl<'de> Deserialize<'de> for RawInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawInput, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = RawInput;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text in quotes, null for silence, or {text, by, at}")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<RawInput, E> {
                Ok(RawInput { text: text.to_owned(), ..RawInput::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawInput, A::Error> {
                let spelled = Spelled::deserialize(serde::de::value::MapAccessDeserializer::new(map));
                let Spelled { text, by, at } = spelled.map_err(A::Error::custom)?;
                Ok(RawInput { text, by, at, comment: None })
            }
        }
        deserializer.deserialize_any(Words)
    }
}

/// A message with a colon in it that is not in quotes looks like a key.
fn with_quotes(mut finding: Finding) -> Finding {
    let mend = |finding: &mut Finding| {
        let is_of_input = finding.hint.as_deref() == Some("the keys are text, by, at");
        if is_of_input && !finding.message.contains("did you mean") {
            let hint = "put a message with a colon in quotes; else an input has text, by, at";
            finding.hint = Some(hint.to_owned());
        }
    };
    mend(&mut finding);
    finding.more.iter_mut().for_each(mend);
    finding
}

/// JSON: our own form, or a thread as GitHub and `gh` export it.
fn from_json(name: &str, text: &str) -> Result<Raw, Finding> {
    let document = json::Document::read(name, text.as_bytes())?;
    if let Some(exported) = comments::exported(name, text, &document.value) {
        let Exported { inputs, left_out, source } = exported?;
        return Ok(Raw { inputs: Some(inputs), source, left_out, ..Raw::default() });
    }
    serde_json::from_str(text).map_err(|error| {
        // JSON's parser points after a value, YAML's at it; what both can read, YAML's finds.
        let found = front_matter::parse::<Raw>(name, text, text, 0).err();
        found.filter(|found| !found.message.starts_with("not valid")).unwrap_or_else(|| {
            let said = crate::text::wording::json(&error.to_string());
            let column = json::column(text, error.line(), error.column());
            Finding { hint: said.hint, ..Finding::at(name, text, error.line().max(1), column, said.message) }
        })
    })
}

#[cfg(test)]
mod tests;
