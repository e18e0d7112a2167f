//! What a model found open in documents, beside a review's findings: no judgement of the rules, never a failure.

use serde_json::{Value, json};

use super::sarif::location;
use crate::cli::screen::Screen;
use crate::discussion::event::Rest;
use crate::discussion::points::Point;
use crate::github::actions::{data, property};
use crate::item::library::sha256;
use crate::run::open_points::OpenPoints;
use crate::text::plain;

/// The rule that SARIF and annotations name.
const RULE: &str = "open-point";

/// The points for people: what is open with its choices, then what something answers.
pub fn tell(found: &OpenPoints, screen: &Screen) {
    let by = found
        .model
        .as_deref()
        .map_or_else(|| found.voice.clone(), |model| format!("{} ({model})", found.voice));
    let kept = if found.usage.is_none() { ", asked before" } else { "" };
    let (answered, open): (Vec<&Point>, Vec<&Point>) =
        found.points.iter().partition(|point| point.refuted.is_some());
    screen.say("");
    let title = match open.len() {
        0 => "No open point was found".to_owned(),
        count => plain::count(count, "open point"),
    };
    screen.say_strong(&format!(
        "{title}, as {} reads it{kept}. A model may be wrong; nothing fails by it.",
        plain::shown(&by)
    ));
    if let [first, rest @ ..] = found.left_out.as_slice() {
        let count = plain::count(found.left_out.len(), "point");
        let more = if rest.is_empty() { "" } else { " … (--json lists all)" };
        screen.say_hung(&format!("Left out, {count}: "), &format!("{}{more}", plain::shown(first)));
    }
    for point in open {
        tell_open(point, screen);
    }
    for point in answered {
        let Some(found) = &point.refuted else { continue };
        screen.say_hung(&format!("{}: ", place(point.quotes.first())), &plain::shown(&point.question));
        screen.say_hung(
            &format!("    answered in {}: ", place(found.quotes.first())),
            &plain::shown(&found.answer),
        );
    }
}

fn tell_open(point: &Point, screen: &Screen) {
    screen.say_hung(
        &format!("{}: ", place(point.quotes.first())),
        &format!("{} ({})", plain::shown(&point.question), point.weight.name()),
    );
    for (at, quote) in point.quotes.iter().enumerate() {
        let words = plain::cut(&plain::shown(&plain::one_line(&quote.quote)), 90);
        // The first place is above; the other one of a contradiction is another.
        let place = if at == 0 { String::new() } else { format!("{}: ", place(Some(quote))) };
        screen.say(&format!("    | {place}{words}"));
    }
    if !point.why.is_empty() {
        screen.say_hung("    why: ", &plain::shown(&point.why));
    }
    if !point.options.is_empty() {
        screen.say_hung("    options: ", &options(point));
    }
}

fn options(point: &Point) -> String {
    let option = |option: &String| match *option == point.recommended {
        true => format!("{} (recommended)", plain::shown(option)),
        false => plain::shown(option),
    };
    point.options.iter().map(option).collect::<Vec<_>>().join(" / ")
}

fn place(quote: Option<&Rest>) -> String {
    quote.map_or_else(String::new, |quote| plain::shown(&format!("{}:{}", quote.path, quote.line)))
}

/// A notice for each point that is open.
pub fn annotations(found: &OpenPoints) -> String {
    let line = |point: &Point| {
        let quote = point.quotes.first().filter(|_| point.refuted.is_none())?;
        let choices = if point.options.is_empty() { String::new() } else { format!(" {}", options(point)) };
        let message = format!("{}{choices}", point.question);
        let (file, line) = (property(&quote.path), quote.line);
        Some(format!("::notice file={file},line={line},title={RULE}::{}\n", data(&plain::clean(&message))))
    };
    found.points.iter().filter_map(line).collect()
}

/// The rule of all points, for SARIF.
pub fn sarif_rule() -> Value {
    json!({
        "id": RULE,
        "shortDescription": { "text": "open point" },
        "fullDescription": { "text": "A model finds that the documents leave this open." },
        "help": { "text": "Answer it in the document, or decide it in a discussion." },
        "defaultConfiguration": { "level": "note" },
    })
}

/// A result for each point that is open; `rule` is the rule's place in the list.
pub fn sarif(found: &OpenPoints, rule: usize) -> Vec<Value> {
    let result = |point: &Point| {
        let quote = point.quotes.first().filter(|_| point.refuted.is_none())?;
        let others = point.quotes.iter().skip(1);
        let print = format!("{}\n{RULE}\n{}", quote.path, quote.quote);
        Some(json!({
            "ruleId": RULE,
            "ruleIndex": rule,
            "level": "note",
            "message": { "text": format!("{} {}", point.question, options(point)).trim_end() },
            "locations": [location(&quote.path, json!({ "startLine": quote.line }))],
            "relatedLocations": others.map(|other| {
                location(&other.path, json!({ "startLine": other.line }))
            }).collect::<Vec<_>>(),
            "partialFingerprints": { "finding/v1": &sha256(print.as_bytes())[..32] },
        }))
    };
    found.points.iter().filter_map(result).collect()
}
