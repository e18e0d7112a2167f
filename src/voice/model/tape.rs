//! What a model answered, written down and given again: for a job that may write and has no key.
//!
//! An analysis asks a model at many places, for lines, syntheses and drafts. Run again over the same
//! documents and the same script it asks for the same, so the answers are kept by what was asked
//! (the SHA-256 of the whole prompt) and not by their order: whatever was not asked then has no
//! answer, and the run fails instead of going on with another one's.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::prompt::{Prompt, Want};
use super::{Answer, Model, Usage};
use crate::item::library::sha256;
use crate::text::finding::Finding;
use crate::text::remedy::Problem;
use crate::voice::Speechless;

/// The format number of tapes.
const FORMAT: u32 = 2;

/// Who answered, and within which bounds: the first line of a tape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    pub format: u32,
    pub voices: Vec<Speaker>,
    /// The voice of each step, by its place in `voices`.
    pub steps: BTreeMap<String, usize>,
    /// The most tokens that a discussion could take.
    pub tokens: Option<u64>,
}

/// A voice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speaker {
    /// As recordings name it.
    pub voice: String,
    pub model: Option<String>,
    /// What tells it from other voices, for the run id.
    pub identity: String,
}

/// One answer: every other line of a tape.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TapedAnswer {
    /// The voice, by its place in the head.
    by: usize,
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
    pub fn begin(voices: Vec<Speaker>, steps: BTreeMap<String, usize>, tokens: Option<u64>) -> Lines {
        let lines = Lines(Arc::default());
        lines.add(&Head { format: FORMAT, voices, steps, tokens });
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
    by: usize,
    lines: Lines,
}

impl Taping {
    /// `by` is the voice's place in the head of the tape.
    pub fn new(model: Box<dyn Model>, by: usize, lines: Lines) -> Taping {
        Taping { model, by, lines }
    }
}

impl Model for Taping {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        let answer = self.model.ask(prompt)?;
        let (by, text) = (self.by, answer.text.clone());
        self.lines.add(&TapedAnswer { by, asked: key(prompt), text, usage: answer.usage });
        Ok(answer)
    }

    fn requests(&self) -> u64 {
        self.model.requests()
    }

    fn most_tokens(&self, want: &Want) -> u64 {
        self.model.most_tokens(want)
    }
}

/// Answers by what was asked; what was asked twice has two.
type Answers = BTreeMap<String, VecDeque<Answer>>;

/// A tape that was read.
#[derive(Clone, Debug)]
pub struct Tape {
    pub head: Head,
    /// Of each voice.
    answers: Vec<Answers>,
}

/// A voice of a tape, as a model: it answers what was asked when it was written, and nothing else.
pub struct Played {
    voice: String,
    answers: Answers,
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
        let mut answers = vec![Answers::new(); head.voices.len()];
        for (number, line) in lines {
            let said: TapedAnswer = serde_json::from_str(line).map_err(|error| refused(number + 1, error))?;
            let Some(own) = answers.get_mut(said.by) else {
                let message = format!("it is of the voice {}, which the first line does not name", said.by);
                return Err(Finding::at(path, text, number + 1, 1, message));
            };
            own.entry(said.asked).or_default().push_back(Answer { text: said.text, usage: said.usage });
        }
        let is_known = |voice: &usize| *voice < answers.len();
        match head.steps.values().all(is_known) {
            true => Ok(Tape { head, answers }),
            false => Err(Finding::at(path, text, 1, 1, "a step has a voice that is not named")),
        }
    }

    /// The answers of the voice at this place of the head.
    pub fn played(&self, by: usize) -> Option<Played> {
        let (speaker, answers) = (self.head.voices.get(by)?, self.answers.get(by)?);
        Some(Played { voice: speaker.voice.clone(), answers: answers.clone(), given: 0 })
    }
}

impl Model for Played {
    fn name(&self) -> &str {
        &self.voice
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        self.given += 1;
        let answer = self.answers.get_mut(&key(prompt)).and_then(VecDeque::pop_front);
        answer.ok_or_else(|| Speechless::Model {
            voice: self.voice.clone(),
            why: Problem::new(
                "this was not asked when its answers were recorded: documents, script or settings are others now",
            )
            .with("record them again"),
        })
    }

    fn requests(&self) -> u64 {
        self.given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// A tape of two voices.
    fn begun() -> Lines {
        let speaker = |voice: &str| Speaker { voice: voice.into(), model: None, identity: voice.into() };
        let steps = BTreeMap::from([("00-01".to_owned(), 0), ("01-03".to_owned(), 1)]);
        Lines::begin(vec![speaker("echo"), speaker("other")], steps, Some(7))
    }

    #[test]
    fn a_tape_answers_what_was_asked_and_nothing_else() {
        let lines = begun();
        let mut taping = Taping::new(Box::new(Echo(0)), 0, lines.clone());
        let mut other = Taping::new(Box::new(Echo(70)), 1, lines.clone());
        other.ask(&prompt("a")).unwrap();
        for wanted in ["a", "b", "a"] {
            taping.ask(&prompt(wanted)).unwrap();
        }
        let tape = Tape::read("t", &lines.text()).unwrap();
        let (mut tape, other, tokens) = (tape.played(0).unwrap(), tape.played(1), tape.head.tokens);
        assert_eq!((tokens, tape.name()), (Some(7), "echo"));
        assert_eq!(other.unwrap().ask(&prompt("a")).unwrap().text, "71 a");
        let mut ask = |wanted: &str| tape.ask(&prompt(wanted)).map(|answer| answer.text);
        // By what was asked, and where that was asked twice, in order.
        assert_eq!(ask("b").unwrap(), "2 b");
        assert_eq!((ask("a").unwrap(), ask("a").unwrap()), ("1 a".to_owned(), "3 a".to_owned()));
        assert!(ask("a").is_err() && ask("c").unwrap_err().to_string().contains("was not asked"));
    }

    #[test]
    fn what_is_no_tape_is_refused_with_its_line() {
        let head = begun().text();
        let stranger = format!("{head}{{\"by\":2,\"asked\":\"a\",\"text\":\"b\",\"usage\":null}}\n");
        let unseated = head.replace("\"01-03\":1", "\"01-03\":2");
        for (text, line) in [
            ("", 1),
            ("{}\n", 1),
            ("[1]\n", 1),
            (&format!("{head}{{\"asked\": 1}}\n"), 2),
            (&stranger, 2),
            (&unseated, 1),
        ] {
            assert_eq!(Tape::read("t", text).unwrap_err().line, line, "{text}");
        }
        let newer = head.replace("\"format\":2", "\"format\":3");
        assert!(Tape::read("t", &newer).unwrap_err().to_string().contains("format 3"));
    }
}
