//! Any text as a document of any kind: no panic, no hang, and each finding quotes what the document has.
//! Run with `cargo fuzz run review`.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use roundtable::review::{Document, Options, Rules, review};

fuzz_target!(|input: &[u8]| {
    static RULES: OnceLock<Rules> = OnceLock::new();
    let [kind, rest @ ..] = input else { return };
    let path = ["a.md", "a.json", "a.csv", "a.yaml"][usize::from(*kind) % 4];
    let text = String::from_utf8_lossy(rest);
    let rules = RULES.get_or_init(|| Rules::built_in().unwrap());
    let found = review(&[Document { path, text: &text }], rules, &Options::default());
    assert!(found.findings.iter().all(|finding| text.contains(&finding.quote)));
});
