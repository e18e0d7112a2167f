//! `roundtable review` over documents of three sizes, each four times the one before: `cargo bench --bench review`.
//! Reports medians and how many times longer a size takes than the one before; linear time is about 4. Nothing here
//! can fail on a slow machine.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use roundtable::review::{Document, Options, Rules, review};

/// Sections of the smallest document.
const SECTIONS: usize = 100;
const TIMES_LARGER: usize = 4;
const SIZES: usize = 3;
const ROUNDS: usize = 5;

fn main() {
    let rules = Rules::built_in().unwrap();
    type Shape = fn(usize) -> String;
    let shapes = [("a specification", specification as Shape), ("prose", prose), ("one line", one_line)];
    for (name, shape) in shapes {
        println!("{name}:");
        let mut before: Option<Duration> = None;
        for size in 0..SIZES {
            let text = shape(SECTIONS * TIMES_LARGER.pow(size as u32));
            let (time, found) = median(&rules, &text);
            let times = before.map_or(1.0, |before| time.as_secs_f64() / before.as_secs_f64());
            let kilobytes = text.len() / 1024;
            println!("  {kilobytes:>6} KB {time:>10.1?}  {times:>5.1} times as long  {found} findings");
            before = Some(time);
        }
    }
}

fn median(rules: &Rules, text: &str) -> (Duration, usize) {
    let mut times = Vec::with_capacity(ROUNDS);
    let mut found = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        found = review(&[Document { path: "a.md", text }], rules, &Options::default()).findings.len();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    (times[ROUNDS / 2], found)
}

fn specification(sections: usize) -> String {
    let mut text = String::from("# Requirements: depot\n");
    for at in 0..sections {
        let _ = write!(
            text,
            "\n## Part {at}\n\n- **R-{at}** The desk shall answer within {at} s, as RX-{at} says.\n\
             - **S-{at}** Tool {at} must be locked quickly after several failures.\n\n\
             | Id | Owner |\n|---|---|\n| T-{at} | Kim |\n| U-{at} | |\n"
        );
    }
    text
}

fn prose(sections: usize) -> String {
    let mut text = String::from("# A new queue\n");
    for at in 0..sections {
        let _ = write!(
            text,
            "\n## Step {at}\n\nThe queue keeps {at} messages, and later ones wait for {at} seconds. See section {at}.\n\
             Nobody has to read it twice — which must have been a problem “before” — and TODO: say why.\n"
        );
    }
    text
}

fn one_line(sections: usize) -> String {
    "The desk must be fast, and 5 tools are locked within 3 days if possible; ".repeat(sections * 5)
}
