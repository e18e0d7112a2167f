//! How the program ends: three codes, and errors that say what, where and what to do.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use serde_json::{Map, Value, json};

use super::screen::Screen;
pub use crate::run::Fail;
use crate::text::finding::{Finding, nearest};
use crate::text::plain;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Done, and the answer is yes.
    Yes,
    /// Done, and the answer is no: findings, a difference, a violation.
    No,
    /// Could not be done; nothing was changed.
    Failed,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> ExitCode {
        ExitCode::from(match code {
            Code::Yes => 0,
            Code::No => 1,
            Code::Failed => 2,
        })
    }
}

/// What `--json` prints of it: `message`, and where known `path`, `line`, `column`
/// and `help`.
pub fn to_json(fail: &Fail) -> Value {
    let help = fail.help();
    let mut error = Map::new();
    let mut put = |key: &str, value: Value| {
        error.insert(key.to_owned(), value);
    };
    match fail.finding.as_deref() {
        Some(Finding { path, line, column, message, .. }) => {
            put("message", message.as_str().into());
            put("path", path.as_str().into());
            put("line", (*line).into());
            put("column", (*column).into());
        }
        None => put("message", plain::without_numbers(&fail.message).into()),
    }
    if let Some(help) = help {
        put("help", help.into());
    }
    json!({ "error": error })
}

/// Prints what clap has to say: help and version on standard output with 0, else 2.
pub fn usage(error: &clap::Error, given: &[OsString], screen: &Screen) -> Code {
    if !error.use_stderr() {
        // Nothing can be said about a terminal that takes no more text.
        let _ = error.print();
        return Code::Yes;
    }
    let text = match (error.kind(), given) {
        (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, [_]) => FIRST.to_owned(),
        (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, _) => screen.rendered(&error.render(), given),
        (kind, _) => with_example(&screen.rendered(&error.render(), given), kind, given),
    };
    screen.usage(&text);
    let plain_text = error.render().to_string();
    let (what, _) = plain_text.split_once("\n\n").unwrap_or((&plain_text, ""));
    let what = in_our_words(what.trim().trim_start_matches("error: "));
    screen.json(&json!({"error": {"message": plain::clean(&what), "help": "roundtable --help"}}));
    Code::Failed
}

/// What the program alone says.
const FIRST: &str = "\
Keep what people decide about requirements, designs and decision records: write it into the
documents in git, and fail a change that loses it. You need no model, no key and no network.

To begin, in a git repository:

  roundtable elaborate docs/late-fees/requirements.md --script talk.txt --dry-run
      shows a discussion of a document and what it would add; talk.txt has your messages, one a line
  roundtable review docs
      shows what the documents of a folder leave open
  roundtable check --base main
      tells whether a branch loses anything of the documents that were discussed
  roundtable doctor
      shows what is not set up, and how to fix it

`roundtable --help` lists all commands; the --help of each has examples.
";

/// What clap says of numbers, without the words of its parser.
fn in_our_words(text: &str) -> String {
    let text = text.replace("invalid digit found in string", "it is not a whole number");
    let Some((before, range)) = text.split_once(" is not in ") else { return text };
    let (range, rest) = range.split_once('\n').unwrap_or((range, ""));
    match range.split_once("..=").or_else(|| range.split_once("..")) {
        Some((least, "")) => format!("{before} is less than {least}\n{rest}"),
        Some((least, most)) => format!("{before} is not between {least} and {most}\n{rest}"),
        None => format!("{before} is not in {range}\n{rest}"),
    }
}

/// The message without a tip that names an option of a quite different name, or that says to pass the option as a value.
fn without_far_tips(text: &str) -> String {
    let given = text.split("unexpected argument '").nth(1).and_then(|rest| rest.split('\'').next());
    let Some(given) = given else { return text.to_owned() };
    let bare = |option: &'_ str| option.trim_start_matches('-').to_owned();
    let is_kept = |paragraph: &&str| {
        let Some(tip) = paragraph.trim_start().strip_prefix("tip: ") else { return true };
        let similar =
            tip.strip_prefix("a similar argument exists: '").and_then(|rest| rest.split('\'').next());
        similar.is_some_and(|similar| nearest(&bare(given), &[&bare(similar)]).is_some())
    };
    let paragraphs: Vec<&str> = text.split("\n\n").collect();
    let mut kept: Vec<&str> = paragraphs.iter().filter(|paragraph| is_kept(paragraph)).copied().collect();
    // The usage repeats the tip.
    if kept.len() < paragraphs.len() {
        kept.retain(|paragraph| !paragraph.starts_with("Usage: "));
    }
    kept.join("\n\n")
}

/// A message of clap's with an example of the verb in place of its last line.
fn with_example(text: &str, kind: ErrorKind, given: &[OsString]) -> String {
    let command = <super::Cli as clap::CommandFactory>::command();
    let (mut verb, mut name) = (&command, "roundtable".to_owned());
    for word in given.iter().skip(1) {
        if let Some(found) = verb.find_subcommand(word) {
            name = format!("{name} {}", found.get_name());
            verb = found;
        }
    }
    let text = without_far_tips(&in_our_words(text));
    let said = text.split_once("For more information").map_or(text.as_str(), |(said, _)| said).trim_end();
    let misspelt = kind == ErrorKind::InvalidSubcommand;
    let help = match super::examples(verb).first().filter(|_| !misspelt) {
        Some(example) => format!("for example `{example}`; `{name} --help` says more"),
        None => format!("`{name} --help` lists the commands"),
    };
    format!("{said}\n\n  = help: {help}\n")
}
