//! The first page of help: eight verbs in the order of use, a line of at most 80 columns each, and below them the others.
//!
//! Every verb that is not hidden is on one of the two lists; completions and the manual page take them all from
//! clap.
//!
//! ```text
//! Commands:
//!   elaborate  Discuss a document or an item, and commit the outcome
//!   …
//!
//! More commands:
//!   analyze    Walk an item through its steps, phase by phase, and commit each one
//! ```

use std::fmt::Write as _;

use clap::Command;
use clap::builder::styling::Styles;

/// How many verbs of the main job the help begins with; they are declared first.
const MAIN_VERBS: usize = 8;

/// The command with this page for its help.
pub fn of_help(command: Command) -> Command {
    let verbs: Vec<(String, String)> =
        command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(line_of).collect();
    let width = verbs.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let (main, more) = verbs.split_at(MAIN_VERBS.min(verbs.len()));
    let styles = command.get_styles();
    let page = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\n{}\n{}{{options}}{{after-help}}",
        list("Commands", main, width, styles),
        list("More commands", more, width, styles),
        heading("Options", styles),
    );
    command.help_template(page)
}

/// A verb's name, and what it does.
fn line_of(verb: &Command) -> (String, String) {
    (verb.get_name().to_owned(), verb.get_about().map(ToString::to_string).unwrap_or_default())
}

fn heading(name: &str, styles: &Styles) -> String {
    let style = styles.get_header();
    format!("{style}{name}:{style:#}\n")
}

fn list(name: &str, verbs: &[(String, String)], width: usize, styles: &Styles) -> String {
    let style = styles.get_literal();
    let mut text = heading(name, styles);
    for (verb, about) in verbs {
        let _ = writeln!(text, "  {style}{verb}{style:#}{:1$}  {about}", "", width - verb.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::super::Cli;
    use super::*;

    #[test]
    fn every_verb_is_on_the_first_page_on_a_line_of_its_own() {
        let page = of_help(Cli::command()).render_help().to_string();
        let (main, rest) = page.split_once("\nMore commands:\n").unwrap();
        let (_, main) = main.split_once("\nCommands:\n").unwrap();
        assert_eq!(main.lines().filter(|line| !line.is_empty()).count(), MAIN_VERBS, "{page}");
        let (more, _) = rest.split_once("\nOptions:\n").unwrap();
        for verb in Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let (name, about) = line_of(verb);
            let is_its_line = |line: &str| {
                line.strip_prefix(&format!("  {name} ")).is_some_and(|rest| rest.trim_start() == about)
            };
            assert_eq!(
                main.lines().chain(more.lines()).filter(|line| is_its_line(line)).count(),
                1,
                "{name}"
            );
        }
        assert!(main.lines().chain(more.lines()).all(|line| line.len() <= 80), "{page}");
    }
}
