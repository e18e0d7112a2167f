//! What a review found, for people, programs, GitHub's annotations and SARIF's readers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::points;
use super::sarif::{self, location};
use crate::cli::check::CheckFormat;
use crate::cli::exit::Fail;
use crate::cli::screen::Screen;
use crate::github::actions::{data, property};
use crate::item::library::sha256;
use crate::review::{Context, Finding, Review};
use crate::run::open_points::OpenPoints;
use crate::text::finding;
use crate::text::finding::Severity;
use crate::text::plain;

/// Annotations of a kind that the runner shows.
const SHOWN: usize = 10;

/// Writes the findings in the wanted form, and what a model found open.
pub fn write(
    found: &Review,
    points: Option<&OpenPoints>,
    format: CheckFormat,
    explain: bool,
    screen: &Screen,
) -> Result<(), Fail> {
    let told = || {
        human(found, explain, screen);
        points.iter().for_each(|points| points::tell(points, screen));
    };
    match format {
        CheckFormat::Human => told(),
        CheckFormat::Json => return screen.raw(&format!("{:#}\n", as_json(found, points))),
        CheckFormat::Sarif => return screen.raw(&format!("{:#}\n", as_sarif(found, points))),
        CheckFormat::Github => {
            told();
            let notices = points.map(points::annotations).unwrap_or_default();
            return screen.commands(&format!("{}{notices}", annotations(found, None)));
        }
    }
    Ok(())
}

/// What `--json` prints.
fn as_json(found: &Review, points: Option<&OpenPoints>) -> Value {
    let mut value = json!({
        "findings": found.findings,
        "documents": found.documents,
        "lines": found.lines,
        "suppressed": found.suppressed,
        "settled": found.settled,
    });
    if let Some(OpenPoints { voice, model, points, left_out, usage }) = points {
        value["voice"] = json!(voice);
        value["model"] = json!(model);
        value["points"] = json!(points);
        value["left_out"] = json!(left_out);
        value["usage"] = json!(usage);
    }
    value
}

fn human(found: &Review, explain: bool, screen: &Screen) {
    let mut explained = BTreeSet::new();
    for finding in &found.findings {
        let is_first = explained.insert(&finding.rule);
        show(finding, explain || is_first, screen);
    }
    for one in &found.settled {
        let place = plain::shown(&format!("{}:{}", one.path, one.line));
        let by = plain::shown(&format!("{}:{}", one.by.path, one.by.line));
        screen.say_hung(
            &format!("{place}: "),
            &format!("{}: settled by {by}: {}", one.rule, plain::shown(&one.by.quote)),
        );
    }
    summary(found, screen);
}

/// One finding: place and message, the line, the other place; why and what helps where that is to be said.
fn show(found: &Finding, explain: bool, screen: &Screen) {
    screen.say_review(found);
    let room = screen.width().map(|room| room.saturating_sub(MARGIN.len()));
    // A long line is cut so that the quotation stays in view.
    let Context { text, column } = &found.context;
    let excerpt = finding::Excerpt::marked(text, *column, found.quote.chars().count(), room);
    screen.say(&format!("{MARGIN}{}", excerpt.text));
    let others = found.related.iter().filter(|other| other.path != found.path);
    for other in others {
        let quote = plain::cut(&plain::one_line(&other.quote), 90);
        screen.say_hung("    see: ", &format!("{}:{}: {quote}", other.path, other.line));
    }
    if explain {
        screen.say_hung("    why: ", &found.why);
        screen.say_hung("    help: ", &found.suggestion);
    }
}

/// Before the line that a finding is in.
const MARGIN: &str = "    | ";

/// How many findings of which rule.
fn summary(found: &Review, screen: &Screen) {
    let mut rules: BTreeMap<(Severity, &str), usize> = BTreeMap::new();
    for finding in &found.findings {
        *rules.entry((finding.severity, &finding.rule)).or_default() += 1;
    }
    let mut rows: Vec<((Severity, &str), usize)> = rules.into_iter().collect();
    rows.sort_by_key(|((severity, rule), count)| (*severity, usize::MAX - count, *rule));
    if !rows.is_empty() {
        screen.say("");
    }
    for ((severity, rule), count) in &rows {
        screen.say(&format!("{count:>5}  {:<5}  {rule}", severity.name()));
    }
    let silenced = match found.suppressed {
        0 => String::new(),
        count => format!("; {} silenced", plain::count(count, "finding")),
    };
    let unexplained = match found.unexplained {
        0 => String::new(),
        count => format!(", {count} without a reason"),
    };
    let rules = plain::count(found.rules, "rule");
    let total = match found.findings.len() {
        0 => format!("No findings ({rules}; rules match words and structure only)"),
        count => plain::count(count, "finding"),
    };
    let (documents, lines) = (plain::count(found.documents, "document"), plain::count(found.lines, "line"));
    screen.say_strong(&format!("{total} in {documents} ({lines}){silenced}{unexplained}."));
}

/// Annotations: the most severe first, as many as the runner shows of each kind.
pub fn annotations(found: &Review, level: Option<&'static str>) -> String {
    let mut sorted: Vec<&Finding> = found.findings.iter().collect();
    sorted.sort_by_key(|finding| finding.severity);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut lines, mut more) = (String::new(), 0);
    for finding in sorted {
        let command = level.unwrap_or(match finding.severity {
            Severity::Major => "error",
            Severity::Minor => "warning",
            Severity::Note => "notice",
        });
        let count = counts.entry(command).or_default();
        *count += 1;
        // The last notice is kept for the count of the rest.
        if *count >= SHOWN {
            more += 1;
            continue;
        }
        let message = format!("{}. {} {}", finding.message, finding.why, finding.suggestion);
        lines.push_str(&format!(
            "::{command} file={},line={},endLine={},col={},title={}::{}\n",
            property(&finding.path),
            finding.line,
            finding.end_line,
            finding.column,
            property(&finding.rule),
            data(&plain::clean(&message)),
        ));
    }
    if more > 0 {
        lines.push_str(&format!(
            "::notice title=roundtable review::{} in the log of this step\n",
            plain::count(more, "more finding")
        ));
    }
    lines
}

/// SARIF 2.1.0 (OASIS): a rule a review rule, with fingerprints of rule and quotation.
fn as_sarif(found: &Review, points: Option<&OpenPoints>) -> Value {
    let mut rules: BTreeMap<&str, &Finding> = BTreeMap::new();
    found.findings.iter().for_each(|finding| {
        rules.entry(&finding.rule).or_insert(finding);
    });
    let level = |severity: Severity| match severity {
        Severity::Major => "error",
        Severity::Minor => "warning",
        Severity::Note => "note",
    };
    let rule = |finding: &&Finding| {
        json!({
            "id": finding.rule,
            "shortDescription": { "text": finding.rule.replace('-', " ") },
            "fullDescription": { "text": finding.why },
            "help": { "text": finding.suggestion },
            "defaultConfiguration": { "level": level(finding.severity) },
            "properties": { "reference": finding.reference },
        })
    };
    let names: Vec<&str> = rules.keys().copied().collect();
    let result = |finding: &Finding| {
        let print = format!("{}\n{}\n{}\n{}", finding.path, finding.rule, finding.heading, finding.quote);
        json!({
            "ruleId": finding.rule,
            "ruleIndex": names.binary_search(&finding.rule.as_str()).unwrap_or(0),
            "level": level(finding.severity),
            "message": { "text": format!("{}. {}", finding.message, finding.suggestion) },
            "locations": [location(&finding.path, json!({
                "startLine": finding.line, "startColumn": finding.column,
                "endLine": finding.end_line, "endColumn": finding.end_column,
            }))],
            "relatedLocations": finding.related.iter().map(|other| {
                location(&other.path, json!({ "startLine": other.line }))
            }).collect::<Vec<_>>(),
            "partialFingerprints": { "finding/v1": &sha256(print.as_bytes())[..32] },
        })
    };
    let mut all: Vec<Value> = rules.values().map(rule).collect();
    let mut results: Vec<Value> = found.findings.iter().map(result).collect();
    if let Some(points) = points.filter(|points| !points.points.is_empty()) {
        results.extend(points::sarif(points, all.len()));
        all.push(points::sarif_rule());
    }
    sarif::whole(all, results)
}
