//! A program that is run once a request: what it reads on standard input, what it prints, and within which bounds.
//!
//! Never through a shell. The program does not see the tokens of a job, and what it writes to standard error shows only
//! where it fails, without the keys of the environment.
//!
//! ```
//! use std::time::Duration;
//! use roundtable::voice::model::process::Process;
//!
//! let process = Process::new(vec!["cat".to_owned()], Duration::from_secs(10), Vec::new());
//! # #[cfg(unix)]
//! assert_eq!(process.run("hello").unwrap().stdout, "hello");
//! ```

use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::http::{self, Secret, left};
use crate::text::remedy::Problem;
use crate::text::{plain, secrets};

/// The longest answer that is read, in bytes (4 MiB).
const LARGEST: u64 = 4 << 20;
/// What helps where the time is over.
const MORE_TIME: &str = "--timeout SECONDS gives it more";
/// Tokens that a program gets no sight of: what it is to know, it is given by another name.
const WITHHELD: [&str; 3] = ["GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN"];

/// A program with its arguments.
pub struct Process {
    words: Vec<String>,
    limit: Duration,
    /// What its error messages must not show.
    secrets: Vec<Secret>,
    /// All that its environment holds; none is that of this process without the tokens.
    environment: Option<Vec<(String, OsString)>>,
    /// What its environment has besides; none takes a variable away.
    more: &'static [(&'static str, Option<&'static str>)],
    folder: Option<PathBuf>,
}

/// What a program printed before it ended.
#[derive(Clone, Debug)]
pub struct Printed {
    pub stdout: String,
    /// Without what is secret and cannot be seen.
    pub stderr: String,
    pub status: ExitStatus,
}

/// Why a program printed nothing that can be used.
#[derive(Debug)]
pub enum Unrun {
    /// It could not be started.
    NotStarted(io::Error),
    /// It was ended, or wrote too much.
    Ended(Problem),
}

impl Process {
    pub fn new(words: Vec<String>, limit: Duration, secrets: Vec<Secret>) -> Process {
        Process { words, limit, secrets, environment: None, more: &[], folder: None }
    }

    /// The program's name or path.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The program with this environment and nothing else.
    #[must_use]
    pub fn within(self, environment: Vec<(String, OsString)>) -> Process {
        Process { environment: Some(environment), ..self }
    }

    /// The same with more variables, and without those that have no value.
    #[must_use]
    pub fn with(self, more: &'static [(&'static str, Option<&'static str>)]) -> Process {
        Process { more, ..self }
    }

    /// The same in this folder.
    #[must_use]
    pub fn inside(self, folder: PathBuf) -> Process {
        Process { folder: Some(folder), ..self }
    }

    /// Runs it to its end, however it ends.
    ///
    /// # Errors
    /// It cannot be started, takes too long, or writes too much.
    pub fn run(&self, input: &str) -> Result<Printed, Unrun> {
        let deadline = http::deadline(self.limit);
        let mut child = self.start().map_err(Unrun::NotStarted)?;
        let done = talk_to(&mut child, input, deadline, &self.secrets);
        if done.is_err() {
            // Nobody waits for it any more.
            let _ = child.kill();
            let _ = child.wait();
        }
        done.map_err(Unrun::Ended)
    }

    fn start(&self) -> io::Result<Child> {
        let (program, arguments) = self.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        match &self.environment {
            Some(environment) => {
                command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
            }
            None => WITHHELD.iter().for_each(|name| {
                command.env_remove(name);
            }),
        }
        for (name, value) in self.more {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let piped = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        piped.stderr(Stdio::piped()).spawn()
    }
}

fn talk_to(
    child: &mut Child,
    input: &str,
    deadline: Instant,
    secrets: &[Secret],
) -> Result<Printed, Problem> {
    let late = |_| Problem::new("it gave no answer in time").with(MORE_TIME);
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
            None if left(deadline).is_zero() => {
                return Err(Problem::new("it did not end in time").with(MORE_TIME));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let said = stderr.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).into_owned();
    let stderr = without_secrets(&secrets.iter().fold(said, |said, secret| secret.redact(&said)));
    if out.len() as u64 > LARGEST {
        return Err(Problem::new(format!("it wrote more than {} MiB", LARGEST >> 20)));
    }
    Ok(Printed { stdout: String::from_utf8_lossy(&out).into_owned(), stderr, status })
}

/// What a program says of itself, as it may be shown: without credentials and what cannot be seen.
pub(super) fn without_secrets(said: &str) -> String {
    let clean = plain::clean(said);
    plain::shown(&secrets::mask(&clean).map_or(clean, |(masked, _)| masked))
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
