//! What a shell is told when somebody presses tab: verbs and flags.

use clap_complete::Shell;

use super::exit::{Code, Fail};
use super::screen::Screen;

/// Prints the script that a shell reads at its start.
pub fn script(shell: Shell, screen: &Screen) -> Result<Code, Fail> {
    let mut text = Vec::new();
    let mut command = <super::Cli as clap::CommandFactory>::command();
    clap_complete::generate(shell, &mut command, "roundtable", &mut text);
    screen.document(&String::from_utf8_lossy(&text))?;
    Ok(Code::Yes)
}
