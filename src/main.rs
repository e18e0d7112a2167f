//! Parses, runs, and turns the result into an exit code.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    roundtable::cli::main().into()
}
