//! The program: arguments and environment, a file a verb. The only place that reads the clock,
//! the environment or a work tree.

mod actions;
mod add;
mod analyze;
mod audit;
mod check;
mod elaborate;
mod event;
mod exit;
mod github;
mod init;
mod landed;
mod plan;
mod push;
mod recording;
mod replay;
mod report;
mod resume;
mod screen;
mod service;
mod show;
mod status;
mod steps;
mod table;
mod voices;
mod why;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::exit::Code;
use self::exit::Fail;
use self::screen::Screen;
use crate::discussion::event::Time;
use crate::repo::Repo;

/// Three personas discuss a step of a document with you; what they find is committed to it, and
/// nothing that stood there changes.
#[derive(Debug, Parser)]
#[command(name = "roundtable", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 done, and the answer is yes; 1 done, and the answer is no; 2 could not be done, and nothing was changed."
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Args)]
struct Global {
    /// The repository, or a folder in it; a bare one works [default: the current folder]
    #[arg(long, global = true, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Settings from this file instead of .roundtable.yaml
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print one JSON object on standard output, and nothing else there
    #[arg(long, global = true)]
    json: bool,
    /// Print nothing but warnings and errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// When to use colour; NO_COLOR is honoured
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)] // There is one of them, once.
enum Verb {
    /// Hold one discussion on a step and commit what it adds
    Elaborate(elaborate::Options),
    /// Walk an item through its steps, phase by phase, and commit what each one adds
    Analyze(analyze::Options),
    /// Tell whether a change only adds: the gate before a merge
    Check(check::Options),
    /// Make a new item: a folder with its meta.json
    Add(add::Options),
    /// Run a recording again and compare what comes out; with --branch, commit it
    Replay(replay::Options),
    /// Tell where a line came from: its discussion, and the turns it rests on
    Why(why::Options),
    /// Tell whether markers, records and recordings agree
    Audit(audit::Options),
    /// Read a recorded discussion
    Show(show::Options),
    /// Tell where items stand, and which discussions were cut off
    Status(status::Options),
    /// List, read and check the step files
    Steps(steps::Options),
    /// Answer an event of GitHub Actions: a label on an issue, a change to be checked
    Github(github::Options),
    /// Set a repository up: a workflow, the settings, a hook
    Init(init::Options),
    /// Print the completions for a shell
    Completions {
        /// bash, zsh, fish, powershell or elvish
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Runs the program with the process's arguments.
pub fn main() -> Code {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    let screen = Screen::new(cli.global.color, cli.global.quiet, cli.global.json);
    let done = match cli.verb {
        Verb::Elaborate(options) => elaborate::run(&cli.global, options, &screen),
        Verb::Analyze(options) => analyze::run(&cli.global, options, &screen),
        Verb::Check(options) => check::run(&cli.global, &options, &screen),
        Verb::Add(options) => add::run(&cli.global, &options, &screen),
        Verb::Replay(options) => replay::run(&cli.global, &options, &screen),
        Verb::Why(options) => why::run(&cli.global, &options, &screen),
        Verb::Audit(options) => audit::run(&cli.global, &options, &screen),
        Verb::Show(options) => show::run(&cli.global, &options, &screen),
        Verb::Status(options) => status::run(&cli.global, &options, &screen),
        Verb::Steps(options) => steps::run(&cli.global, &options, &screen),
        Verb::Github(options) => github::run(&cli.global, options, &screen),
        Verb::Init(options) => init::run(&cli.global, &options, &screen),
        Verb::Completions { shell } => completions(shell, &screen),
        Verb::Man => man(&screen),
    };
    match done {
        Ok(code) => screen.finish(code),
        Err(fail) => {
            screen.error(&fail);
            Code::Failed
        }
    }
}

/// The completions for a shell, to be sourced or put where the shell looks for them.
fn completions(shell: clap_complete::Shell, screen: &Screen) -> Result<Code, Fail> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut <Cli as clap::CommandFactory>::command(), "roundtable", &mut text);
    screen.document(&String::from_utf8_lossy(&text))?;
    Ok(Code::Yes)
}

/// The manual page (man(7)): the program's own, and behind it a part for each verb.
fn man(screen: &Screen) -> Result<Code, Fail> {
    let mut command = <Cli as clap::CommandFactory>::command();
    command.build();
    let failed = |error: std::io::Error| Fail::new(format!("the manual page cannot be made: {error}"));
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(command.clone())
        .date("")
        .source(concat!("roundtable ", env!("CARGO_PKG_VERSION")));
    page.render(&mut text).map_err(failed)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        text.extend(format!(".SH \"ROUNDTABLE {}\"\n", verb.get_name().to_uppercase()).bytes());
        let page = clap_mangen::Man::new(verb.clone());
        page.render_description_section(&mut text).map_err(failed)?;
        page.render_options_section(&mut text).map_err(failed)?;
    }
    screen.document(&String::from_utf8_lossy(&text))?;
    Ok(Code::Yes)
}

/// A clock option: a fixed moment, or the machine's.
#[derive(Debug, Args)]
struct Clock {
    /// A fixed clock (RFC 3339); SOURCE_DATE_EPOCH does the same
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
}

impl Clock {
    /// The fixed moment, if one is asked for.
    fn fixed(&self) -> Result<Option<Time>, Fail> {
        let (name, time) = match &self.at {
            Some(at) => ("--at", Time::parse(at).map_err(|error| Fail::new(format!("--at: {error}")))?),
            None => match epoch()? {
                Some(time) => ("SOURCE_DATE_EPOCH", time),
                None => return Ok(None),
            },
        };
        // git keeps times outside of these, and libgit2 turns them into others.
        if u32::try_from(time.seconds()).is_err() {
            return Err(Fail::new(format!(
                "{name}: {time} is no time of a commit; use one from 1970 to 2105"
            )));
        }
        Ok(Some(time))
    }
}

/// The moment that SOURCE_DATE_EPOCH names, if it is set.
fn epoch() -> Result<Option<Time>, Fail> {
    #[allow(clippy::disallowed_methods)]
    let Some(epoch) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let text = crate::plain::shown(&epoch.to_string_lossy());
    let wrong =
        || Fail::new(format!("SOURCE_DATE_EPOCH is \"{text}\"; it is a whole number of seconds since 1970"));
    let seconds: i64 = text.parse().map_err(|_| wrong())?;
    let moment = chrono::DateTime::from_timestamp(seconds, 0).ok_or_else(wrong)?;
    Ok(Some(Time::new(moment)))
}

/// The machine's clock.
#[allow(clippy::disallowed_methods)]
fn now() -> Time {
    Time::new(chrono::DateTime::from(std::time::SystemTime::now()))
}

/// Nanoseconds since the epoch: what tells two runs of the same moment apart.
#[allow(clippy::disallowed_methods)]
fn nanoseconds() -> u128 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos())
}

/// Opens the repository of the options.
fn open(global: &Global) -> Result<Repo, Fail> {
    let path = match &global.repo {
        Some(path) if !path.exists() => {
            return Err(Fail::new(format!(
                "--repo: {} does not exist",
                crate::plain::shown(&path.display().to_string())
            )));
        }
        Some(path) => path.clone(),
        None => current_folder()?,
    };
    Ok(Repo::open(&path)?)
}

#[allow(clippy::disallowed_methods)]
fn current_folder() -> Result<PathBuf, Fail> {
    std::env::current_dir().map_err(|error| Fail::new(format!("the current folder cannot be read: {error}")))
}

/// Reads a file that an argument names.
fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, Fail> {
    use std::io::Read as _;
    let shown = crate::plain::shown(&path.display().to_string());
    let refused = |error: std::io::Error| Fail::new(format!("{shown} cannot be read: {error}"));
    let file = std::fs::File::open(path).map_err(refused)?;
    if file.metadata().map_err(refused)?.is_dir() {
        return Err(Fail::new(format!("{shown} is a folder; name a file")));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(refused)?;
    if bytes.len() as u64 > limit {
        return Err(Fail::new(format!("{shown} is larger than {} MiB", limit >> 20)));
    }
    Ok(bytes)
}

/// Writes a file whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    if path.is_dir() {
        return Err(std::io::Error::other("it is a folder"));
    }
    // A device or a pipe takes the bytes as they are: there is nothing to put in its place.
    if path.exists() && !path.metadata()?.is_file() {
        return std::fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let mut name = path.file_name().ok_or_else(|| std::io::Error::other("it names no file"))?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = std::fs::File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| std::fs::rename(&beside, path));
    if moved.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    moved
}
