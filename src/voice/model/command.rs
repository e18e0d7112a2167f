//! A voice that is any program: it gets one JSON object on standard input, and what it prints is
//! the answer.
//!
//! The program is run with its arguments as they are, never through a shell, once a request, within
//! the time limit. What it writes to standard error shows only when it fails.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::process::{Process, Unrun};
use super::prompt::{Prompt, Want};
use super::{Answer, Model};
use crate::discussion::points::Point;
use crate::http::Secret;
use crate::text::plain;
use crate::text::remedy::Problem;
use crate::voice::Speechless;

/// What `--voice` begins with for this voice.
pub const PREFIX: &str = "command:";

/// A program at the table.
pub struct Program {
    /// `command:` and the program, as recordings carry it: no arguments, which may hold secrets.
    name: String,
    process: Process,
    runs: u64,
}

/// A script's first line is read this far, in bytes.
const LONGEST_LINE: u64 = 512;
/// How a program is named.
const EXAMPLE: &str = "name a program with its path, as in command:./answer.py";

impl Program {
    /// A program and its arguments, split on blanks.
    ///
    /// # Errors
    /// No program is named.
    pub fn new(line: &str, limit: Duration, secrets: Vec<Secret>) -> Result<Program, Problem> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let first =
            words.first().ok_or_else(|| Problem::new("--voice command: names no program").with(EXAMPLE))?;
        let name = format!("{PREFIX}{}", plain::shown(first));
        Ok(Program { name, process: Process::new(words, limit, secrets), runs: 0 })
    }

    /// The program with this environment and nothing else.
    #[must_use]
    pub fn within(self, environment: Vec<(String, OsString)>) -> Program {
        Program { process: self.process.within(environment), ..self }
    }

    fn run(&self, input: &str) -> Result<String, Problem> {
        let printed = self.process.run(input).map_err(|unrun| match unrun {
            Unrun::NotStarted(error) => not_started(self.process.program(), &error),
            Unrun::Ended(problem) => problem,
        })?;
        if printed.status.success() {
            return Ok(printed.stdout);
        }
        let said = if printed.stderr.is_empty() { String::new() } else { format!(": {}", printed.stderr) };
        Err(Problem::new(format!("it ended with {}{said}", printed.status)))
    }
}

/// Why a program cannot be started.
fn not_started(program: &str, error: &io::Error) -> Problem {
    let (path, shown) = (Path::new(program), plain::shown(program));
    match (error.kind(), interpreter(path)) {
        _ if path.is_dir() => Problem::new("it cannot be run: it is a folder").with(EXAMPLE),
        (io::ErrorKind::PermissionDenied, _) if path.is_file() => {
            Problem::new("it cannot be run: it is not executable").with(format!("chmod +x {shown}"))
        }
        (io::ErrorKind::NotFound, Some(interpreter)) if program.contains('/') => {
            Problem::new(format!("it cannot be run: its first line names {interpreter}, which is not there"))
                .with(format!("install that program, or correct the first line of {shown}"))
        }
        _ => Problem::new(format!("it cannot be run: {error}")).with(EXAMPLE),
    }
}

/// The program that a script's first line names.
fn interpreter(path: &Path) -> Option<String> {
    let mut line = String::new();
    BufReader::new(File::open(path).ok()?.take(LONGEST_LINE)).read_line(&mut line).ok()?;
    let word = line.strip_prefix("#!")?.split_whitespace().next()?;
    Some(plain::shown(word))
}

impl Model for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        self.runs += 1;
        let input = request(prompt);
        let said = self.run(&format!("{input}\n"));
        let text = said.map_err(|why| Speechless::Model { voice: self.name.clone(), why })?;
        Ok(Answer { text: unwrapped(text), usage: None })
    }

    fn requests(&self) -> u64 {
        self.runs
    }
}

/// The request.
fn request(prompt: &Prompt) -> Value {
    let mut input = json!({"want": prompt.want.name()});
    match &prompt.want {
        Want::Round { turn, left, exchanges } => {
            input["turn"] = json!(turn);
            input["left"] = json!(left);
            input["messages"] = json!(exchanges);
        }
        Want::Line { seat, rejected } => {
            input["persona"] = json!(seat.persona);
            input["purpose"] = json!(seat.purpose);
            if let Some(rejected) = rejected
                && let Some(breach) = rejected.breaches.first()
            {
                let (rule, reason) = (breach.rule.name(), breach.reason());
                input["rejected"] = json!({"text": rejected.text, "rule": rule, "reason": reason});
                if let Some(nearest) = &breach.nearest {
                    input["rejected"]["nearest"] = json!(nearest);
                }
            }
        }
        Want::Draft { step, depth } => {
            input["step"] = json!(step);
            input["depth"] = json!(depth.to_string());
        }
        Want::Refute { points } => {
            let shown = |(on, point): (usize, &Point)| json!({"on": on, "question": point.question, "quotes": point.quotes});
            input["points"] = points.iter().enumerate().map(shown).collect();
        }
        Want::Repair { problems } => input["problems"] = json!(problems),
        Want::Points | Want::Synthesis => {}
    }
    input["prompt"] = json!(prompt.text());
    input
}

/// A synthesis may be in `text` as JSON; a line is read with its object.
fn unwrapped(text: String) -> String {
    let inner = super::rounds::object(&text)
        .filter(|object| object.len() == 1)
        .and_then(|object| object.get("text").and_then(|text| text.as_str().map(str::to_owned)));
    match inner {
        Some(inner) if inner.trim_start().starts_with(['{', '`']) => inner,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_without_its_arguments() {
        let program = Program::new(" ./answer.py --key abc ", Duration::from_secs(1), Vec::new()).unwrap();
        assert_eq!(program.name(), "command:./answer.py");
        assert!(Program::new("  ", Duration::from_secs(1), Vec::new()).is_err());
    }

    #[test]
    fn a_synthesis_may_stand_in_text() {
        assert_eq!(unwrapped(r#"{"text": "{\"insights\": []}"}"#.to_owned()), r#"{"insights": []}"#);
        assert_eq!(unwrapped(r#"{"text": "hello"}"#.to_owned()), r#"{"text": "hello"}"#);
        assert_eq!(unwrapped("hello".to_owned()), "hello");
    }
}
