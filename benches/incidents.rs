//! The public shapes of loss as a table: `cargo bench --bench incidents`.

#![allow(clippy::print_stdout)]

#[path = "incidents/run.rs"]
mod run;

fn main() {
    let outcome = run::run(std::path::Path::new(env!("CARGO_BIN_EXE_roundtable")));
    print!("{}", outcome.table());
    for (name, tally) in &outcome.guards {
        println!(
            "\n{name} misses: {}\n{name} is wrong about: {}",
            tally.missed.join(", "),
            tally.false_alarms.join(", ")
        );
    }
}
