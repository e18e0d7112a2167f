//! SARIF 2.1.0 (OASIS), as code scanning reads it: one run, a rule a finding code, a result a
//! finding, with fingerprints that stay the same while the lost text does.

use serde_json::{Value, json};

use super::{ReportedFinding, Reports, all_findings};
use crate::additive::Kind;
use crate::item::library::sha256;
use crate::text::path::encoded_path;
use crate::text::plain;

/// The log of a check.
pub fn log(reports: &Reports) -> Value {
    let rule = |kind: &Kind| {
        json!({
            "id": kind.name(),
            "shortDescription": { "text": plain::capital(kind.meaning()) },
            "help": { "text": plain::capital(kind.hint()) },
            "defaultConfiguration": { "level": "error" },
        })
    };
    whole(Kind::ALL.iter().map(rule).collect(), all_findings(reports).iter().map(result).collect())
}

/// A log with one run of these rules and results.
pub fn whole(rules: Vec<Value>, results: Vec<Value>) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "roundtable",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// A place in a file.
pub fn location(path: &str, region: Value) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": encoded_path(path) }, "region": region } })
}

fn result(shown: &ReportedFinding<'_>) -> Value {
    let (file, finding) = (shown.file, shown.finding);
    let index = Kind::ALL.iter().position(|kind| *kind == finding.kind);
    let print = format!("{}\n{}\n{}", file.path, finding.kind.name(), finding.old);
    let text = format!(
        "{} (line {} of the old text). To fix it: {}.",
        plain::clean(&finding.message),
        finding.line,
        finding.hint
    );
    let start = finding.head_line.or(finding.near_line).unwrap_or(1).max(1);
    let mut result = json!({
        "ruleId": finding.kind.name(),
        "ruleIndex": index,
        "level": if finding.fails() { "error" } else { "warning" },
        "message": { "text": text },
        "locations": [location(&file.path, json!({ "startLine": start }))],
        "partialFingerprints": { "loss/v1": &sha256(print.as_bytes())[..32] },
    });
    if let Some(declared) = &finding.declared {
        result["suppressions"] =
            json!([{ "kind": "external", "justification": plain::shown(&declared.reason) }]);
    }
    result
}
