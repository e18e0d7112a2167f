//! The pager that a long text is read in, as git chooses it: GIT_PAGER, PAGER, else less. It is run
//! without a shell.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The pager and its arguments; none where the environment says so, or the terminal cannot.
#[allow(clippy::disallowed_methods)]
pub fn wanted() -> Option<Vec<String>> {
    let of = |name: &str| std::env::var(name).ok();
    if of("TERM").is_some_and(|term| term == "dumb") {
        return None;
    }
    let named = of("GIT_PAGER").or_else(|| of("PAGER")).unwrap_or_else(|| "less".to_owned());
    chosen(&named)
}

/// A pager by the words of its variable; an empty one and `cat` are none.
fn chosen(named: &str) -> Option<Vec<String>> {
    let words: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
    if words.first().is_none_or(|program| program == "cat") { None } else { Some(words) }
}

/// Shows a text, and waits until it has been read. Whether the pager could be started.
#[allow(clippy::disallowed_methods)]
pub fn show(pager: &[String], text: &str) -> bool {
    let Some((program, arguments)) = pager.split_first() else { return false };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped());
    // As git has it: what fits the screen is printed, colours are shown, the screen is not cleared.
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // Closing the pager early is no error.
        let _ = input.write_all(text.as_bytes());
    }
    let _ = child.wait();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_variable_are_a_program_and_its_arguments() {
        assert_eq!(chosen("less -FRX"), Some(vec!["less".to_owned(), "-FRX".to_owned()]));
        assert_eq!((chosen(""), chosen("  "), chosen("cat")), (None, None, None));
        assert!(!show(&["/nowhere/at/all".to_owned()], "x"));
        assert!(show(&["true".to_owned()], &"x".repeat(1 << 20)));
    }
}
