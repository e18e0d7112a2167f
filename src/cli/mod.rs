//! The program: arguments into requests, results into text or JSON; one file per verb.

mod add;
mod analyze;

mod check;
mod columns;
mod commit_hook;
mod complete;
mod doctor;
mod elaborate;
mod exit;
mod first_page;
mod github;
mod init;
mod keyboard;
mod landed;
mod mcp;
mod replay;
mod report;
mod review;
mod screen;
mod show;
mod status;
mod steps;
mod voices;
mod why;

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

pub use self::exit::Code;
use self::exit::Fail;
use self::screen::Screen;
use crate::git::{Repo, truncated};
use crate::run::RunRequest;
use crate::run::clock;
use crate::run::environment::current_folder;
use crate::run::workspace::{EVERYWHERE, Workspace};
use crate::text::time::Time;

/// Keep what people decide about requirements, designs and decision records: write it into the documents in git, and
/// fail a change that loses it.
#[derive(Debug, Parser)]
#[command(name = "roundtable", version, long_version = LONG_VERSION)]
#[command(max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Examples: roundtable elaborate docs/late-fees/requirements.md --script talk.txt\n          roundtable check --base main\n          roundtable replay --all\n\nExit codes: 0 done, and the answer is yes; 1 done, and the answer is no; 2 not done (wrong use, bad input, a file or network error), and nothing was changed; a failed --push leaves the new commit on the local branch."
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: Verb,
}

include!(concat!(env!("OUT_DIR"), "/version.rs"));

#[derive(Clone, Debug, Args)]
struct Global {
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object on standard output, and nothing else
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    json: bool,
    /// Print nothing but warnings and errors
    #[arg(short, long, global = true, help_heading = EVERYWHERE)]
    quiet: bool,
    /// When to use colour; NO_COLOR is honoured
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto")]
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
    /// Discuss a document or an item, and commit the outcome
    Elaborate(elaborate::ElaborateArgs),
    /// Show decisions, open questions and discussions
    Show(show::ShowArgs),
    /// Show the discussion and the turns that a line rests on
    Why(why::WhyArgs),
    /// Run recorded discussions again and compare the results
    Replay(replay::ReplayArgs),
    /// Check that a change loses nothing: the gate before a merge
    Check(check::CheckArgs),
    /// Show what documents leave open: markers, questions, links and ids
    Review(review::ReviewArgs),
    /// Set a repository up: configuration, git's hook, agents, workflows
    Init(init::InitArgs),
    /// Show what is not set up here, and how to fix it
    Doctor(doctor::DoctorArgs),
    /// Walk an item through its steps, phase by phase, and commit each one
    Analyze(analyze::AnalyzeArgs),
    /// Show how far items are, and which discussions were cut off
    Status(status::StatusArgs),
    /// Make an item before its first discussion
    Add(add::AddArgs),
    /// List, read and check the step files
    Steps(steps::StepsArgs),
    /// Handle an event of GitHub Actions: a label, or a change to check
    #[command(
        after_help = "Examples: roundtable github run --issue 12 --label roundtable:01-03\n          roundtable github plan"
    )]
    Github(github::GithubArgs),
    /// Let an agent speak for the personas (Model Context Protocol, stdio)
    Mcp(mcp::McpArgs),
    /// Print the completions for a shell
    #[command(
        hide = true,
        after_help = "Have your shell read the script when it starts:\n\nExamples: roundtable completions bash > ~/.local/share/bash-completion/completions/roundtable\n          roundtable completions zsh > ~/.zfunc/_roundtable\n          roundtable completions fish > ~/.config/fish/completions/roundtable.fish"
    )]
    Completions {
        /// bash, zsh, fish, powershell or elvish
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(hide = true, after_help = "Example: roundtable man > roundtable.1")]
    Man,
}

/// Runs the program with the process's arguments.
pub fn main() -> Code {
    let given: Vec<OsString> = std::env::args_os().collect();
    let wanted = wanted_color(&given);
    let command = first_page::of_help(Cli::command()).color(wanted.for_clap());
    let parsed = command.try_get_matches_from(&given).and_then(|found| Cli::from_arg_matches(&found));
    let mut cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error, &given, &Screen::new(wanted, false, wants_json(&given))),
    };
    cli.global.workspace.when_opened = Some(look_after);
    let screen = Screen::new(cli.global.color, cli.global.quiet, cli.global.json);
    match perform(&cli.global, cli.verb, &screen) {
        Ok(code) => screen.finish(code),
        Err(fail) => {
            screen.error(&with_cause(fail, &cli.global));
            Code::Failed
        }
    }
}

/// The error of a run, and for an object that is missing what brings it back in this repository.
fn with_cause(fail: Fail, global: &Global) -> Fail {
    let hint = || {
        let path = global.workspace.repo.clone().or_else(|| current_folder().ok())?;
        Some(Repo::open(&path).ok()?.hint_for_lost_objects())
    };
    match fail.lacks_object.then(hint).flatten() {
        Some(hint) => fail.with_hint(hint),
        None => fail,
    }
}

fn perform(global: &Global, verb: Verb, screen: &Screen) -> Result<Code, Fail> {
    match verb {
        Verb::Elaborate(mut options) => {
            from_here(global, Some(&mut options.item));
            elaborate::run(global, options, screen)
        }
        Verb::Analyze(mut options) => {
            from_here(global, Some(&mut options.item));
            analyze::run(global, options, screen)
        }
        Verb::Check(options) => check::run(global, &options, screen),
        Verb::Doctor(options) => doctor::run(global, &options, screen),
        Verb::Add(mut options) => {
            from_here(global, options.item.as_mut());
            add::run(global, &options, screen)
        }
        Verb::Replay(options) => replay::run(global, &options, screen),
        Verb::Why(options) => why::run(global, &options, screen),
        Verb::Show(mut options) => {
            from_here(global, options.what.as_mut());
            show::run(global, &options, screen)
        }
        Verb::Status(mut options) => {
            from_here(global, options.item.as_mut());
            status::run(global, &options, screen)
        }
        Verb::Steps(options) => steps::run(global, &options, screen),
        Verb::Review(options) => review::run(global, &options, screen),
        Verb::Github(options) => github::run(global, options, screen),
        Verb::Mcp(options) => mcp::run(global, &options),
        Verb::Init(options) => init::run(global, &options, screen),
        Verb::Completions { shell } => complete::script(shell, screen),
        Verb::Man => man(screen),
    }
}

/// Whether `--json` is among the arguments, for an error in the others.
fn wants_json(given: &[OsString]) -> bool {
    given.iter().take_while(|word| *word != "--").any(|word| word == "--json")
}

/// What the arguments say of colour, before they are parsed: what is wrong with them is coloured, too.
fn wanted_color(given: &[OsString]) -> Color {
    let words: Vec<&str> =
        given.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--").collect();
    let behind = words.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1]);
    let named = words.iter().filter_map(|word| word.strip_prefix("--color=")).chain(behind).last();
    named.and_then(|name| Color::from_str(name, false).ok()).unwrap_or(Color::Auto)
}

impl Color {
    const fn for_clap(self) -> clap::ColorChoice {
        match self {
            Color::Auto => clap::ColorChoice::Auto,
            Color::Always => clap::ColorChoice::Always,
            Color::Never => clap::ColorChoice::Never,
        }
    }
}

/// The examples that the help of a verb ends with.
fn examples(verb: &clap::Command) -> Vec<String> {
    let text = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let example = |line: &str| {
        let line = line.trim().trim_start_matches("Examples:").trim_start_matches("Example:").trim();
        line.starts_with("roundtable ").then(|| line.to_owned())
    };
    text.lines().filter_map(example).collect()
}

/// The manual page (man(7)): the program's own, and after it a part for each verb.
fn man(screen: &Screen) -> Result<Code, Fail> {
    let mut command = Cli::command();
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

/// The heading of what a verb takes and few runs need.
const RARE: &str = "Rarely needed";

/// Where a verb commits, when and in whose name.
#[derive(Debug, Args)]
#[command(next_help_heading = RARE)]
struct CommitOptions {
    /// The branch to commit on [default: roundtable/<slug>]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Where a new branch starts [default: HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// A fixed clock (RFC 3339); SOURCE_DATE_EPOCH does the same
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// End the commit message with a Signed-off-by line of the author
    #[arg(long)]
    signoff: bool,
}

impl CommitOptions {
    /// What they ask of a run.
    fn request(&self) -> Result<RunRequest, Fail> {
        Ok(RunRequest {
            branch: self.branch.clone(),
            base: self.base.clone(),
            fixed: self.fixed()?,
            signed_off: self.signoff,
            leaves_merged: true,
            ..RunRequest::default()
        })
    }

    /// The fixed moment, if one is asked for.
    fn fixed(&self) -> Result<Option<Time>, Fail> {
        self.at.as_ref().map_or_else(clock::epoch, |at| clock::fixed_at("--at", at).map(Some))
    }
}

/// Makes an item that is named by its folder or document as seen from the current folder (`.`, `../late-fees`,
/// `pricing.md`) a path of the repository. A slug, a path that exists from the root, a recording, and what does not exist
/// stay as they are.
fn from_here(global: &Global, item: Option<&mut String>) {
    let (Some(item), None, Ok(here)) = (item, &global.workspace.repo, current_folder()) else { return };
    let named = here.join(&*item);
    let is_path = item.contains('/') || matches!(item.as_str(), "." | "..") || named.is_file();
    if !is_path || named.extension().is_some_and(|ending| ending == "jsonl") {
        return;
    }
    let Ok(repo) = Repo::open(&here) else { return };
    let is_from_root = !item.starts_with('.') && !Path::new(&*item).is_absolute();
    if is_from_root && repo.work_tree().is_some_and(|root| root.join(&*item).exists()) {
        return;
    }
    let path = named.canonicalize().ok().and_then(|named| repo.path_within(&named));
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        *item = path;
    }
}

/// Opens the repository of the options.
fn open(global: &Global) -> Result<Repo, Fail> {
    global.workspace.open()
}

/// How long a run may take before its repository is looked at.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ends a run that libgit2 would never end: it hangs on an object that is cut off (see [`truncated`]). Nothing is lost by
/// that: a run may be killed at any moment.
fn look_after(repo: &Repo) {
    static ONCE: OnceLock<()> = OnceLock::new();
    let folders = repo.object_folders();
    let color = wanted_color(&std::env::args_os().collect::<Vec<_>>());
    ONCE.get_or_init(|| {
        // Where there is no thread to be had, nobody looks.
        let _ = std::thread::Builder::new().spawn(move || {
            std::thread::sleep(PATIENCE);
            if let Some(error) = truncated::first_truncated(&folders) {
                std::thread::sleep(PATIENCE);
                if clock::is_waiting() {
                    return;
                }
                Screen::new(color, false, false).error(&Fail::from(error));
                std::process::exit(2);
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every verb with the verbs below it, and its path.
    fn verbs(command: &clap::Command, path: &str, found: &mut Vec<(String, clap::Command)>) {
        for verb in command.get_subcommands() {
            let path = format!("{path} {}", verb.get_name());
            found.push((path.clone(), verb.clone()));
            verbs(verb, &path, found);
        }
    }

    /// An example's words, as a shell would give them.
    fn words(example: &str) -> Vec<String> {
        let (example, _) = example.split_once(" > ").unwrap_or((example, ""));
        let mut found = vec![String::new()];
        let mut is_quoted = false;
        for sign in example.chars() {
            match sign {
                '"' => is_quoted = !is_quoted,
                ' ' if !is_quoted => found.push(String::new()),
                _ => found.iter_mut().last().unwrap().push(sign),
            }
        }
        found
    }

    #[test]
    fn the_help_of_every_verb_has_examples_that_are_right() {
        let command = Cli::command();
        let mut all = vec![("roundtable".to_owned(), command.clone())];
        verbs(&command, "roundtable", &mut all);
        let every: Vec<String> = all.iter().flat_map(|(_, verb)| examples(verb)).collect();
        for (path, verb) in &all {
            let own = examples(verb).len()
                + every.iter().filter(|example| example.starts_with(&format!("{path} "))).count();
            assert!(own > 0 || every.contains(path), "{path} --help has no example");
        }
        for example in every {
            let parsed = command.clone().try_get_matches_from(words(&example));
            assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
        }
    }

    #[test]
    fn colour_is_known_before_the_arguments_are() {
        let wanted = |words: &[&str]| wanted_color(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(wanted(&["roundtable", "--color", "never"]), Color::Never);
        assert_eq!(wanted(&["roundtable", "x", "--color=always"]), Color::Always);
        assert_eq!(wanted(&["roundtable", "--", "--color=always"]), Color::Auto);
        assert_eq!(wanted(&["roundtable", "--color"]), Color::Auto);
    }
}
