//! What a model answered, written down and given again: for a job that may write and has no key.
//!
//! An analysis asks a model at many places, for lines, syntheses and drafts. Run again over the same
//! documents and the same script it asks for the same, so the answers are kept by what was asked
//! (the SHA-256 of the whole prompt) and not by their order: whatever was not asked then has no
//! answer, and the run fails instead of going on with another one's.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::prompt::Prompt;
use super::{Answer, Model, Usage};
use crate::finding::Finding;
use crate::library::sha256;
use crate::voice::Speechless;

/// The format number of tapes.
const FORMAT: u32 = 1;

/// Who answered, and within which bounds: the first line of a tape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    pub format: u32,
    /// The voice as recordings name it.
    pub voice: String,
    pub model: Option<String>,
    /// What tells it from other voices, for the run id.
    pub identity: String,
    /// The most tokens that a discussion could take.
    pub tokens: Option<u64>,
}

/// One answer: every other line of a tape.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    asked: String,
    text: String,
    usage: Option<Usage>,
}

fn key(prompt: &Prompt) -> String {
    sha256(format!("{}\n{}\n{}", prompt.want.name(), prompt.want.who(), prompt.text()).as_bytes())
}

/// A tape that is being written; its copies write the same one.
#[derive(Clone, Debug)]
pub struct Lines(Arc<Mutex<String>>);

impl Lines {
    pub fn begin(voice: &str, model: Option<String>, identity: &str, tokens: Option<u64>) -> Lines {
        let (voice, identity) = (voice.to_owned(), identity.to_owned());
        let head = Head { format: FORMAT, voice, model, identity, tokens };
        let lines = Lines(Arc::default());
        lines.add(&head);
        lines
    }

    fn add(&self, line: &impl Serialize) {
        if let (Ok(mut text), Ok(line)) = (self.0.lock(), serde_json::to_string(line)) {
            text.push_str(&line);
            text.push('\n');
        }
    }

    /// The tape so far, as JSON Lines.
    pub fn text(&self) -> String {
        self.0.lock().map(|text| text.clone()).unwrap_or_default()
    }
}

/// A model whose answers are written down.
pub struct Taping {
    model: Box<dyn Model>,
    lines: Lines,
}

impl Taping {
    pub fn new(model: Box<dyn Model>, lines: Lines) -> Taping {
        Taping { model, lines }
    }
}

impl Model for Taping {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        let answer = self.model.ask(prompt)?;
        self.lines.add(&Said { asked: key(prompt), text: answer.text.clone(), usage: answer.usage });
        Ok(answer)
    }

    fn requests(&self) -> u64 {
        self.model.requests()
    }
}

/// A tape, as a model: it answers what was asked when it was written, and nothing else.
#[derive(Clone, Debug)]
pub struct Tape {
    pub head: Head,
    answers: BTreeMap<String, VecDeque<Answer>>,
    given: u64,
}

impl Tape {
    /// Reads a tape.
    ///
    /// # Errors
    /// The first line that is none of a tape's, with its place.
    pub fn read(path: &str, text: &str) -> Result<Tape, Finding> {
        let refused = |line: usize, error: serde_json::Error| {
            Finding::at(path, text, line, 1, format!("no line of a model's recorded answers: {error}"))
        };
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().ok_or_else(|| Finding::at(path, text, 1, 1, "the file is empty"))?;
        let head: Head = serde_json::from_str(first).map_err(|error| refused(1, error))?;
        if head.format != FORMAT {
            let message =
                format!("the answers have format {}; this version reads format {FORMAT}", head.format);
            return Err(Finding::at(path, text, 1, 1, message));
        }
        let mut answers: BTreeMap<String, VecDeque<Answer>> = BTreeMap::new();
        for (number, line) in lines {
            let said: Said = serde_json::from_str(line).map_err(|error| refused(number + 1, error))?;
            answers.entry(said.asked).or_default().push_back(Answer { text: said.text, usage: said.usage });
        }
        Ok(Tape { head, answers, given: 0 })
    }
}

impl Model for Tape {
    fn name(&self) -> &str {
        &self.head.voice
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        self.given += 1;
        let answer = self.answers.get_mut(&key(prompt)).and_then(VecDeque::pop_front);
        answer.ok_or_else(|| Speechless::Model {
            voice: self.head.voice.clone(),
            why: "this was not asked when its answers were recorded: documents, script or settings are others now; record them again".to_owned(),
        })
    }

    fn requests(&self) -> u64 {
        self.given
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::prompt::Want;

    struct Echo(u64);

    impl Model for Echo {
        fn name(&self) -> &str {
            "echo"
        }
        fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
            self.0 += 1;
            Ok(Answer { text: format!("{} {}", self.0, prompt.wanted), usage: None })
        }
        fn requests(&self) -> u64 {
            self.0
        }
    }

    fn prompt(wanted: &str) -> Prompt {
        Prompt { head: "head".into(), talk: Vec::new(), wanted: wanted.into(), want: Want::Synthesis }
    }

    #[test]
    fn a_tape_answers_what_was_asked_and_nothing_else() {
        let lines = Lines::begin("echo", None, "echo", Some(7));
        let mut taping = Taping::new(Box::new(Echo(0)), lines.clone());
        for wanted in ["a", "b", "a"] {
            taping.ask(&prompt(wanted)).unwrap();
        }
        let mut tape = Tape::read("t", &lines.text()).unwrap();
        assert_eq!((tape.head.tokens, tape.name()), (Some(7), "echo"));
        let mut ask = |wanted: &str| tape.ask(&prompt(wanted)).map(|answer| answer.text);
        // By what was asked, and where that was asked twice, in order.
        assert_eq!(ask("b").unwrap(), "2 b");
        assert_eq!((ask("a").unwrap(), ask("a").unwrap()), ("1 a".to_owned(), "3 a".to_owned()));
        assert!(ask("a").is_err() && ask("c").unwrap_err().to_string().contains("was not asked"));
    }

    #[test]
    fn what_is_no_tape_is_refused_with_its_line() {
        let head = Lines::begin("echo", None, "echo", None).text();
        for (text, line) in [("", 1), ("{}\n", 1), ("[1]\n", 1), (&format!("{head}{{\"asked\": 1}}\n"), 2)] {
            assert_eq!(Tape::read("t", text).unwrap_err().line, line, "{text}");
        }
        let newer = head.replace("\"format\":1", "\"format\":2");
        assert!(Tape::read("t", &newer).unwrap_err().to_string().contains("format 2"));
    }
}
