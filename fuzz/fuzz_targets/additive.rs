//! Any two texts under any rule: no panic, no hang. Run with `cargo fuzz run additive`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use roundtable::additive::{Demand, Rule, compare};

const NAMES: [&str; 8] = ["a.md", "a.csv", "a.json", "meta.json", "a.yaml", "a.jsonl", "a.txt", "a.png"];

fuzz_target!(|input: &[u8]| {
    // The first three bytes choose the rule and the format, and where the second text is in the first.
    let [choice, cut, at, rest @ ..] = input else { return };
    let name = NAMES[usize::from(*choice) % NAMES.len()];
    let rule = Rule::ALL[usize::from(*choice) / NAMES.len() % Rule::ALL.len()];
    let (before, more) = rest.split_at(rest.len() * usize::from(*cut) / 255);
    let place = before.len() * usize::from(*at) / 255;
    let after = [&before[..place], more, &before[place..]].concat();
    let demand = Demand::of(rule);
    assert!(compare(name, &demand, before, &after).findings.iter().all(|found| found.line >= 1));
    assert!(compare(name, &demand, before, before).findings.is_empty());
    let _ = compare(name, &demand, before, more);
});
