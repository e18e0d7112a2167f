//! The person at the keyboard: what they type is heard line by line, and the personas answer as it comes.
//!
//! Ctrl-C leaves a discussion with its log, for `--resume`; Ctrl-D is silence from then on, which ends it.
//!
//! Invariant: nothing that was typed is lost. It is heard, or kept word for word.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _};

use rustyline::config::Config;
use rustyline::error::ReadlineError;
use rustyline::{ColorMode, DefaultEditor};

use super::exit::Fail;
use super::screen::Screen;
use crate::run::script::{Occasion, Reply};
use crate::text::plain;

/// What can be typed instead of a message.
const HELP: &str = "\
  /done           end the discussion and commit it
  /status         turns, decisions and open questions so far
  /help           this list
An empty line is silence. Ctrl-C stops and keeps the discussion; Ctrl-D ends it by silence, and with it the analysis that it
is part of.";

const MISPLACED: &str =
    "/done is a line of its own; the arrow key up brings back what you typed, which was not sent.";

/// What somebody typed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Typed {
    Message(String),
    Silence,
    Status,
    Help,
    /// A command that there is none of.
    Unknown(String),
    /// Words with the command that ends a discussion after them.
    Misplaced,
}

/// What came from the keyboard.
enum Heard {
    Line(String),
    /// Ctrl-D.
    End,
    /// Ctrl-C.
    Interrupt,
}

thread_local! {
    /// The line editor, which keeps the history of the run.
    static EDITOR: RefCell<Option<DefaultEditor>> = const { RefCell::new(None) };
}

/// Whether there is somebody to ask.
pub fn is_there() -> bool {
    io::stdin().is_terminal()
}

/// Refuses a run that nobody can be asked in: without a terminal, or where the flags ask for no conversation.
pub fn must_be_there(verb: &str, what: &str, is_silent: bool) -> Result<(), Fail> {
    if is_there() && !is_silent {
        return Ok(());
    }
    let why =
        if is_silent { "with --json and --plan nobody is asked" } else { "there is no terminal to ask at" };
    Err(Fail::new(format!("{verb} needs {what}: {why}")).with_hint("name them with --script or --issue"))
}

/// Reads one line.
fn read_line(prompt: &str) -> Result<Heard, Fail> {
    let failed = |error: &dyn std::fmt::Display| Fail::new(format!("the keyboard cannot be read: {error}"));
    EDITOR.with_borrow_mut(|editor| {
        let editor = match editor {
            Some(editor) => editor,
            None => {
                let config = Config::builder().auto_add_history(true).color_mode(ColorMode::Disabled).build();
                editor.insert(DefaultEditor::with_config(config).map_err(|error| failed(&error))?)
            }
        };
        loop {
            match editor.readline(prompt) {
                Ok(line) => return Ok(Heard::Line(line)),
                Err(ReadlineError::Eof) => return Ok(Heard::End),
                Err(ReadlineError::Interrupted) => return Ok(Heard::Interrupt),
                Err(ReadlineError::Signal(_)) => {}
                Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(
                        Fail::new("what was typed is not UTF-8").with_hint("set the terminal to UTF-8")
                    );
                }
                Err(error) => return Err(failed(&error)),
            }
        }
    })
}

/// What a line asks for.
fn typed(line: &str) -> Typed {
    let line = line.trim_end();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let is_command = word.starts_with('/') && word[1..].bytes().all(|byte| byte.is_ascii_lowercase());
    match (word, rest.trim()) {
        ("", _) if line.trim().is_empty() => Typed::Silence,
        ("/help", "") => Typed::Help,
        ("/status", "") => Typed::Status,
        ("/done", "") => Typed::Message("done".to_owned()),
        ("/done", _) => Typed::Misplaced,
        _ if is_command => Typed::Unknown(word.to_owned()),
        _ if rest.split_whitespace().next_back() == Some("/done") => Typed::Misplaced,
        _ => Typed::Message(line.trim().to_owned()),
    }
}

/// Asks for the next answer of an analysis, or the next message of a discussion.
pub fn ask(occasion: Occasion<'_>) -> Reply {
    let screen = Screen::new(super::Color::Auto, false, false);
    let prompt = match occasion {
        Occasion::Step => "> ".to_owned(),
        Occasion::Discussion { user } => format!("{}> ", plain::cut(user, 20)),
    };
    loop {
        let line = match read_line(&prompt) {
            Ok(Heard::Line(line)) => line,
            Ok(Heard::Interrupt) => return Reply::Stopped,
            Ok(Heard::End) => return Reply::End,
            Err(fail) => return Reply::Failed(fail.to_line()),
        };
        match (typed(&line), occasion) {
            (Typed::Message(text), _) => return Reply::Said(text),
            (Typed::Silence, _) => return Reply::Silence,
            (Typed::Status, Occasion::Discussion { .. }) => return Reply::Status,
            (Typed::Help, Occasion::Discussion { .. }) => screen.say(HELP),
            (Typed::Help, Occasion::Step) => screen.say(HELP_OF_ANALYSIS),
            (Typed::Status, Occasion::Step) => {
                screen.say("That is for discussions; roundtable status shows how far the item is.");
            }
            (Typed::Unknown(word), _) => {
                screen.say(&format!("There is no {word}; /help lists what there is."));
            }
            (Typed::Misplaced, _) => screen.say(MISPLACED),
        }
    }
}

/// What can be typed in an analysis.
const HELP_OF_ANALYSIS: &str = "\
Each line answers the question above it; an empty line leaves it open. At a menu: C continues, E discusses the
step, S skips the rest of the phase. Ctrl-D and Ctrl-C stop: finished steps are committed, what you typed of the other is
kept, and the same command continues.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_message_unless_it_is_a_command() {
        let message = |text: &str| Typed::Message(text.to_owned());
        for (line, wanted) in [
            ("", Typed::Silence),
            ("  \t", Typed::Silence),
            (" Photos wait. ", message("Photos wait.")),
            ("one\ntwo", message("one\ntwo")),
            ("/done", message("done")),
            ("/status ", Typed::Status),
            ("/help", Typed::Help),
            ("/nothing", Typed::Unknown("/nothing".to_owned())),
            ("/api/v1 is slow", message("/api/v1 is slow")),
            ("/", Typed::Unknown("/".to_owned())),
            ("hello /done", Typed::Misplaced),
            ("/done is a path", Typed::Misplaced),
            ("\u{0}x", message("\u{0}x")),
        ] {
            assert_eq!(typed(line), wanted, "{line:?}");
        }
    }
}
