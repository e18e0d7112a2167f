//! What people read: standard output and standard error, with colour where it belongs.
//!
//! A closed pipe is no error (`| head` has seen enough); any other failure to write is kept and
//! ends the program with exit code 2.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};

use super::Color;
use super::exit::{Code, Fail};
use crate::discussion::event::Record;
use crate::discussion::transcript::{self, Speaker};
use crate::item::persona::Cast;
use crate::review;
use crate::run::Observer;
use crate::text::finding::{Finding, Severity};
use crate::text::plain;
use unicode_width::UnicodeWidthStr as _;

/// Where the program writes to.
pub struct Screen {
    colour: bool,
    colour_errors: bool,
    quiet: bool,
    json: bool,
    /// The object of `--json` is out, or a document that is the answer itself.
    has_printed_json: Cell<bool>,
    /// A runner of GitHub Actions reads along and obeys commands in what is printed.
    runner: bool,
    /// Standard error is a terminal: somebody waits there.
    progress: bool,
    /// Since when.
    begun: Instant,
    /// A line of progress is there, and goes before anything else is said.
    is_waiting: Cell<bool>,
    broken: RefCell<Option<io::Error>>,
}

/// The columns of a terminal that says no width.
const USUAL_WIDTH: usize = 80;
/// The further lines of a message begin here.
const INDENT: usize = 4;

/// What is over before this needs no progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// A colour a seat at the table; more personas than colours share them.
const SEATS: [AnsiColor; 6] = [
    AnsiColor::Magenta,
    AnsiColor::Cyan,
    AnsiColor::Yellow,
    AnsiColor::Blue,
    AnsiColor::Red,
    AnsiColor::White,
];

/// The same JSON in signs that everybody sees and no runner obeys.
fn harmless(json: &str) -> String {
    crate::text::json::visible(json).replace("##[", "##\\u005b")
}

/// The colour of a finding.
fn color_of(severity: Severity) -> AnsiColor {
    match severity {
        Severity::Major => AnsiColor::Red,
        Severity::Minor => AnsiColor::Yellow,
        Severity::Note => AnsiColor::Cyan,
    }
}

impl Screen {
    #[allow(clippy::disallowed_methods)]
    pub fn new(color: Color, quiet: bool, json: bool) -> Screen {
        let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let unwanted = anstyle_query::no_color() || is_dumb;
        let wanted = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !unwanted && understands_colour(),
        };
        Screen {
            colour: wanted(io::stdout().is_terminal()),
            colour_errors: wanted(io::stderr().is_terminal()),
            quiet,
            json,
            has_printed_json: Cell::new(false),
            runner: std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            progress: io::stderr().is_terminal() && !is_dumb && !anstyle_query::is_ci(),
            begun: Instant::now(),
            is_waiting: Cell::new(false),
            broken: RefCell::new(None),
        }
    }

    /// The columns of the terminal; none in a pipe, which has no width.
    pub fn width(&self) -> Option<usize> {
        let is_terminal = io::stdout().is_terminal();
        let size = if is_terminal { terminal_size::terminal_size_of(io::stdout()) } else { None };
        let width = size.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0);
        width.or(is_terminal.then_some(USUAL_WIDTH))
    }

    /// Whether people read along.
    fn talks(&self) -> bool {
        !self.quiet && !self.json
    }

    fn write(&self, text: &str) {
        let text = self.disarmed(text);
        self.clear_progress();
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.broken.borrow_mut().get_or_insert(error);
        }
    }

    /// The text without workflow commands where a runner would obey them: `::name::` at a line's
    /// start, `##[name]` anywhere.
    fn disarmed(&self, text: &str) -> String {
        if !self.runner {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        for line in text.replace("##[", "## [").split_inclusive('\n') {
            let words = line.trim_start();
            let indent = &line[..line.len() - words.len()];
            out.push_str(indent);
            out.push_str(&words.strip_prefix("::").map_or(words.to_owned(), |rest| format!(": :{rest}")));
        }
        out
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// A defect of a file, with its place.
    pub fn say_place(&self, finding: &Finding) {
        if self.talks() {
            self.write(&format!("{}\n", painted(&plain::clean(&finding.to_string()), self.colour)));
        }
    }

    /// Text for people, with a line end.
    pub fn say(&self, text: &str) {
        if self.talks() {
            self.write(&format!("{}\n", plain::clean(text)));
        }
    }

    /// Whether a runner of GitHub Actions reads along.
    pub fn is_runner(&self) -> bool {
        self.runner
    }

    /// Text for programs, as it is except for what a runner would obey: JSON in which no string is
    /// another for it.
    pub fn raw(&self, text: &str) -> Result<(), Fail> {
        self.has_printed_json.set(true);
        self.write(&harmless(text));
        self.check().map_err(Fail::new)
    }

    /// A document for a file or another program, as it is except for what a runner would obey.
    pub fn document(&self, text: &str) -> Result<(), Fail> {
        self.has_printed_json.set(true);
        self.write(text);
        self.check().map_err(Fail::new)
    }

    /// Workflow commands of our own; everything in them is escaped.
    pub fn commands(&self, lines: &str) -> Result<(), Fail> {
        let mut out = io::stdout().lock();
        let text = lines.replace("##[", "## [");
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| Fail::new(format!("standard output cannot be written: {error}")))
    }

    /// Whether one JSON object is wanted.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// How far a work is that takes longer than a second, on a terminal; gone at its end.
    pub fn progress(&self, done: usize, total: usize) {
        if done >= total || !self.is_long() {
            return self.clear_progress();
        }
        let percent = |done: usize| done * 100 / total.max(1);
        if self.is_waiting.get() && percent(done) == percent(done.saturating_sub(1)) {
            return;
        }
        let width = 30;
        let full = width * done / total.max(1);
        self.wait_line(&format!("[{}{}] {done} of {total}", "=".repeat(full), " ".repeat(width - full)));
    }

    /// What is being waited for, on a terminal, until something else is said.
    pub fn waiting(&self, what: &str) {
        if self.shows_progress() {
            self.wait_line(&format!("… {what}"));
        }
    }

    /// Whether somebody waits who would like to know how far a work is.
    fn shows_progress(&self) -> bool {
        self.progress && self.talks()
    }

    fn is_long(&self) -> bool {
        self.shows_progress() && self.begun.elapsed() >= PATIENCE
    }

    /// One line on standard error without a line end; it never wraps.
    fn wait_line(&self, text: &str) {
        let size = terminal_size::terminal_size_of(io::stderr());
        let room = size.map_or(80, |(width, _)| usize::from(width.0)).saturating_sub(1);
        let line = super::columns::end_cut(&plain::one_line(&plain::clean(text)), room);
        // Nobody misses it. The line is wiped to its end (ECMA-48, EL).
        let _ = write!(io::stderr().lock(), "\r{line}\u{1b}[K");
        self.is_waiting.set(true);
    }

    fn clear_progress(&self) {
        if self.is_waiting.replace(false) {
            let _ = write!(io::stderr().lock(), "\r\u{1b}[K");
        }
    }

    /// The first line of a finding: what kind, and what happened.
    pub fn say_finding(&self, fails: bool, code: &str, message: &str) {
        let (kind, color) =
            if fails { ("violation", AnsiColor::Red) } else { ("warning", AnsiColor::Yellow) };
        let label = self.styled(color.on_default().bold(), &format!("{kind}[{code}]"));
        if self.talks() {
            self.write(&format!("{label}: {}\n", plain::one_line(message)));
        }
    }

    /// The first line of a finding of a review: its place, its rule, what was found.
    pub fn say_review(&self, found: &review::Finding) {
        let place = format!("{}:{}:{}", plain::shown(&found.path), found.line, found.column);
        let label = format!("{}[{}]", found.severity.name(), found.rule);
        let used = place.width() + label.width() + ": : ".len();
        let message = self.hung(&plain::one_line(&plain::clean(&found.message)), used, INDENT);
        let label = self.styled(color_of(found.severity).on_default().bold(), &label);
        if self.talks() {
            self.write(&format!("{place}: {label}: {message}\n"));
        }
    }

    /// Text for people after some words; further lines begin below its first word.
    pub fn say_hung(&self, words: &str, text: &str) {
        self.say(&format!("{words}{}", self.hung(text, words.width(), words.width())));
    }

    /// A text as wide as the terminal, of which the first line begins at column `used`, the others at `indent`.
    fn hung(&self, text: &str, used: usize, indent: usize) -> String {
        let Some(width) = self.width() else { return text.to_owned() };
        let text = super::columns::wrapped(text, used - indent, width.saturating_sub(indent));
        text.replace('\n', &format!("\n{}", " ".repeat(indent)))
    }

    /// A line for people that stands out.
    pub fn say_strong(&self, text: &str) {
        if self.talks() {
            self.write(&format!("{}\n", self.styled(Style::new().bold(), &plain::clean(text))));
        }
    }

    /// One entry of the transcript, with a blank line before it.
    pub fn say_record(&self, record: &Record, cast: &Cast) {
        if transcript::entry(record, cast).is_some() {
            self.say("");
        }
        self.say_entry(record, cast);
    }

    /// One entry of the transcript.
    pub fn say_entry(&self, record: &Record, cast: &Cast) {
        let Some(entry) = transcript::entry(record, cast).filter(|_| self.talks()) else { return };
        let style = match entry.speaker {
            Speaker::Persona(seat) => SEATS[seat % SEATS.len()].on_default().bold(),
            Speaker::User => AnsiColor::Green.on_default().bold(),
            Speaker::Table => Style::new().dimmed(),
        };
        if entry.label.is_empty() {
            self.write(&format!("{}\n", self.styled(style, &entry.text)));
        } else {
            let label = plain::one_line(&plain::clean(&entry.label));
            let text = match self.width() {
                Some(width) => super::columns::wrapped(&entry.text, label.width() + 1, width),
                None => entry.text,
            };
            self.write(&format!("{} {text}\n", self.styled(style, &label)));
        }
    }

    /// What the user says; further lines are set in, so that none passes for somebody else's.
    pub fn say_user(&self, by: &str, text: &str) {
        if self.talks() {
            let label = format!("{} (user):", plain::one_line(&plain::clean(by)));
            let style = AnsiColor::Green.on_default().bold();
            self.write(&format!(
                "{} {}\n",
                self.styled(style, &label),
                plain::clean(text).replace('\n', "\n  ")
            ));
        }
    }

    /// A unified diff: what is added in green, what is lost in red.
    pub fn say_diff(&self, diff: &str) {
        for line in diff.lines().filter(|_| self.talks()) {
            let style = match line.as_bytes().first() {
                Some(b'+') => AnsiColor::Green.on_default(),
                Some(b'-') => AnsiColor::Red.on_default(),
                Some(b'@') => AnsiColor::Cyan.on_default(),
                _ => Style::new(),
            };
            self.write(&format!("{}\n", self.styled(style, &plain::clean(line))));
        }
    }

    /// The one JSON object of `--json`; an error after it goes to standard error alone.
    pub fn json(&self, value: &serde_json::Value) {
        if self.json && !self.has_printed_json.replace(true) {
            self.write(&harmless(&format!("{value:#}\n")));
        }
    }

    /// A note on standard error: progress, something set aside.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.complain("note", AnsiColor::Cyan, text);
        }
    }

    pub fn warn(&self, text: &str) {
        self.complain("warning", AnsiColor::Yellow, text);
    }

    /// What went wrong, and what to do about it.
    pub fn error(&self, fail: &Fail) {
        self.json(&super::exit::to_json(fail));
        let help = fail.remedy().map_or(String::new(), |help| format!("\n  = help: {help}"));
        self.complain("error", AnsiColor::Red, &format!("{}{help}", plain::without_numbers(&fail.message)));
    }

    /// A message of clap's about what was `given`, with colour where it belongs: not where somebody else's
    /// signs may be in it.
    pub fn rendered(&self, text: &clap::builder::StyledStr, given: &[OsString]) -> String {
        let is_clean = given.iter().all(|word| plain::is_clean(&word.to_string_lossy()));
        if self.colour_errors && is_clean { text.ansi().to_string() } else { plain::clean(&text.to_string()) }
    }

    /// How the program is used.
    pub fn usage(&self, text: &str) {
        let _ = write!(io::stderr().lock(), "{}", self.disarmed(text));
    }

    fn complain(&self, kind: &str, color: AnsiColor, text: &str) {
        self.clear_progress();
        let style = color.on_default().bold();
        let label = if self.colour_errors { format!("{style}{kind}{style:#}") } else { kind.to_owned() };
        // There is nowhere left to report that standard error is gone.
        let text = painted(&self.disarmed(&plain::clean(text)), self.colour_errors);
        let _ = writeln!(io::stderr().lock(), "{label}: {text}");
    }

    /// An output that could not be written so far, as an error.
    pub fn check(&self) -> Result<(), String> {
        match &*self.broken.borrow() {
            Some(error) => Err(format!("standard output cannot be written: {error}")),
            None => Ok(()),
        }
    }

    /// The exit code, unless the output could not be written.
    pub fn finish(&self, code: Code) -> Code {
        self.clear_progress();
        match self.check() {
            Ok(()) => code,
            Err(message) => {
                self.error(&Fail::new(message));
                Code::Failed
            }
        }
    }
}

/// A message with its places and its help in colour: lines of `^` after a bar, and `= help:`.
fn painted(text: &str, colour: bool) -> String {
    if !colour {
        return text.to_owned();
    }
    let (place, help) = (AnsiColor::Red.on_default().bold(), AnsiColor::Cyan.on_default().bold());
    let paint = |line: &str| match (line.split_once("| "), line.split_once("= help:")) {
        (Some((bar, marks)), _)
            if bar.trim().is_empty() && !marks.is_empty() && marks.trim().trim_matches('^').is_empty() =>
        {
            format!("{bar}| {place}{marks}{place:#}")
        }
        (_, Some((indent, rest))) if indent.trim().is_empty() => {
            format!("{indent}= {help}help{help:#}:{rest}")
        }
        _ => line.to_owned(),
    };
    text.lines().map(paint).collect::<Vec<_>>().join("\n")
}

/// Whether the terminal understands colour; the one of Windows has to be asked.
fn understands_colour() -> bool {
    #[cfg(windows)]
    return anstyle_query::windows::enable_ansi_colors().unwrap_or(true);
    #[cfg(not(windows))]
    true
}

impl Observer for Screen {
    fn say(&self, text: &str) {
        Screen::say(self, text);
    }

    fn say_strong(&self, text: &str) {
        Screen::say_strong(self, text);
    }

    fn note(&self, text: &str) {
        Screen::note(self, text);
    }

    fn warn(&self, text: &str) {
        Screen::warn(self, text);
    }

    fn say_user(&self, by: &str, text: &str) {
        Screen::say_user(self, by, text);
    }

    fn say_record(&self, record: &Record, cast: &Cast) {
        Screen::say_record(self, record, cast);
    }

    fn waiting(&self, text: &str) {
        Screen::waiting(self, text);
    }

    fn progress(&self, done: usize, total: usize) {
        Screen::progress(self, done, total);
    }

    fn check(&self) -> Result<(), String> {
        Screen::check(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_and_the_help_are_painted_and_nothing_else() {
        let finding = Finding::at("a", "x | ^ y", 1, 1, "m").hint("h");
        let shown = painted(&finding.to_string(), true);
        assert_eq!(shown.matches("\u{1b}[").count(), 6, "{shown:?}");
        assert!(shown.contains("   | \u{1b}[1m\u{1b}[31m^\u{1b}[0m\n"), "{shown:?}");
        assert_eq!(painted("a | ^", false), "a | ^");
    }
}
