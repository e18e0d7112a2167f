//! A voice that is any program: it gets one JSON object on standard input, and what it prints is
//! the answer.
//!
//! The program is run with its arguments as they are, never through a shell, once a request, within
//! the time limit. What it writes to standard error shows only when it fails.

use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::prompt::{Prompt, Want};
use super::{Answer, Model};
use crate::discussion::points::Point;
use crate::http::{self, Secret, left};
use crate::text::plain;
use crate::text::remedy::Problem;
use crate::voice::Speechless;

/// What `--voice` begins with for this voice.
pub const PREFIX: &str = "command:";
/// The longest answer that is read, in bytes (4 MiB).
const LARGEST: u64 = 4 << 20;

/// A program at the table.
pub struct Program {
    /// `command:` and the program, as recordings carry it: no arguments, which may hold secrets.
    name: String,
    words: Vec<String>,
    limit: Duration,
    /// What its error messages must not show.
    secrets: Vec<Secret>,
    /// All that its environment holds; none is that of this process without the tokens.
    environment: Option<Vec<(String, OsString)>>,
    runs: u64,
}

/// How a program is named.
const EXAMPLE: &str = "name a program with its path, as in command:./answer.py";
/// Tokens that a program gets no sight of: what it is to know, it is given by another name.
const WITHHELD: [&str; 3] = ["GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN"];

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
        Ok(Program { name, words, limit, secrets, environment: None, runs: 0 })
    }

    /// The program with this environment and nothing else.
    #[must_use]
    pub fn within(self, environment: Vec<(String, OsString)>) -> Program {
        Program { environment: Some(environment), ..self }
    }

    fn run(&self, input: &str) -> Result<String, Problem> {
        let deadline = http::deadline(self.limit);
        let Some((program, arguments)) = self.words.split_first() else { return Ok(String::new()) };
        let mut command = Command::new(program);
        match &self.environment {
            Some(environment) => {
                command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
            }
            None => WITHHELD.iter().for_each(|name| {
                command.env_remove(name);
            }),
        }
        let piped = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child =
            piped.map_err(|error| Problem::new(format!("it cannot be run: {error}")).with(EXAMPLE))?;
        let done = talk_to(&mut child, input, deadline, &self.secrets);
        if done.is_err() {
            // Nobody waits for it any more.
            let _ = child.kill();
            let _ = child.wait();
        }
        done
    }
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

fn talk_to(child: &mut Child, input: &str, deadline: Instant, secrets: &[Secret]) -> Result<String, Problem> {
    let late = |_| Problem::new("it gave no answer in time");
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        // A program that does not read must not stop us, and one that does not care may say so.
        std::thread::spawn(move || {
            let _ = stdin.write_all(input.as_bytes());
        });
    }
    let out = stdout.recv_timeout(left(deadline)).map_err(late)?;
    let status = loop {
        match child.try_wait().map_err(|error| Problem::new(format!("it cannot be waited for: {error}")))? {
            Some(status) => break status,
            None if left(deadline).is_zero() => return Err(Problem::new("it did not end in time")),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    if !status.success() {
        let said = stderr.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
        let said = String::from_utf8_lossy(&said).into_owned();
        let said = plain::shown(&secrets.iter().fold(said, |said, secret| secret.redact(&said)));
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        return Err(Problem::new(format!("it ended with {status}{said}")));
    }
    if out.len() as u64 > LARGEST {
        return Err(Problem::new(format!("it wrote more than {} MiB", LARGEST >> 20)));
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Reads a stream to its end, or a byte beyond the limit, on a thread of its own.
fn reader(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            let _ = stream.take(LARGEST + 1).read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_without_its_arguments() {
        let program = Program::new(" ./answer.py --key abc ", Duration::from_secs(1), Vec::new()).unwrap();
        assert_eq!(program.name(), "command:./answer.py");
        assert_eq!(program.words, ["./answer.py", "--key", "abc"]);
        assert!(Program::new("  ", Duration::from_secs(1), Vec::new()).is_err());
    }

    #[test]
    fn a_synthesis_may_stand_in_text() {
        assert_eq!(unwrapped(r#"{"text": "{\"insights\": []}"}"#.to_owned()), r#"{"insights": []}"#);
        assert_eq!(unwrapped(r#"{"text": "hello"}"#.to_owned()), r#"{"text": "hello"}"#);
        assert_eq!(unwrapped("hello".to_owned()), "hello");
    }
}
