//! What `steps check` says of the files it reads.

use serde_json::{Value, json};

use super::exit::Code;
use super::screen::Screen;
use crate::text::finding::Finding;
use crate::text::plain;

/// Shows the findings and how many files were read: `24 built-in step files, nothing to fix.`
pub fn say(findings: &[Finding], files: usize, what: &str, screen: &Screen) -> Code {
    for (at, finding) in findings.iter().enumerate() {
        if at > 0 {
            screen.say("");
        }
        screen.say_place(finding);
    }
    let counted = plain::count(files, what);
    match findings.len() {
        0 => screen.say(&format!("{counted}, nothing to fix.")),
        found => screen.say(&format!("\n{counted}, {found} to fix.")),
    }
    let listed: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({"path": finding.path, "line": finding.line, "column": finding.column,
                   "message": finding.message, "hint": finding.hint})
        })
        .collect();
    screen.json(&json!({ "checked": files, "findings": listed }));
    if findings.is_empty() { Code::Yes } else { Code::No }
}
