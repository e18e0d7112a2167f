//! Any two texts under any rule: no panic, no hang, and what the short way accepts the long way
//! accepts too. Run with `cargo fuzz run additive`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use roundtable::additive::{Rule, block, compare};

const RULES: [Rule; 9] = [
    Rule::Lines,
    Rule::Markdown,
    Rule::Csv,
    Rule::Json,
    Rule::Meta,
    Rule::Yaml,
    Rule::Log,
    Rule::Frozen,
    Rule::Kept,
];

fuzz_target!(|input: &[u8]| {
    // The first three bytes choose the rule and where the second text is in the first.
    let [rule, cut, at, rest @ ..] = input else { return };
    let rule = RULES[usize::from(*rule) % RULES.len()];
    let (before, more) = rest.split_at(rest.len() * usize::from(*cut) / 255);
    let place = before.len() * usize::from(*at) / 255;
    let after = [&before[..place], more, &before[place..]].concat();
    let outcome = compare("a", rule, before, &after);
    assert!(outcome.losses.iter().all(|loss| loss.line >= 1));
    assert!(compare("a", rule, before, before).losses.is_empty());
    if rule == Rule::Markdown && block::added(before, &after).is_some() {
        assert!(block::compare(before, &after).found.is_empty());
        assert!(compare("a", Rule::Lines, before, &after).losses.is_empty());
    }
    let _ = compare("a", rule, before, more);
});
