//! `roundtable show` of a step's log: what an analysis asked, and what was answered.

use serde_json::{Value, json};

use super::super::exit::Code;
use super::super::screen::Screen;
use crate::analysis::drafted::Drafted;
use crate::analysis::event::{Begun, Event};
use crate::analysis::provenance::Log;
use crate::item::library::Library;
use crate::text::plain;

/// A log begins like this, and no recording of a discussion does.
const BEGINNING: &[u8] = b"{\"kind\":\"begun\"";

/// Whether these are the bytes of a step's log.
pub fn is_log(bytes: &[u8]) -> bool {
    bytes.starts_with(BEGINNING)
}

/// Shows the log; false where it does not begin with a step.
pub fn say(log: &Log, library: &Library, screen: &Screen) -> Option<Code> {
    let first = log.records.first()?;
    let Event::Begun(begun) = &first.event else { return None };
    screen.say_strong(&format!("{}, {}", title(begun, library), first.at));
    for record in &log.records[1..] {
        for line in told(&record.event) {
            screen.say(&line);
        }
    }
    let events: Vec<Value> =
        log.records.iter().filter_map(|record| serde_json::from_str(&record.to_line()).ok()).collect();
    screen.json(&json!({ "log": log.path, "events": events }));
    Some(Code::Yes)
}

/// `Maya Chen (Business Analyst) -- Step 01-05: Quality`.
fn title(begun: &Begun, library: &Library) -> String {
    let persona = library.cast.get(&begun.persona);
    let asks = persona.map_or_else(
        || plain::shown(&begun.persona),
        |persona| format!("{} ({})", persona.name, persona.role),
    );
    format!("{asks} -- Step {}: {}", plain::shown(&begun.step.id), plain::shown(&begun.step.title))
}

/// An event in lines for people; none for what only the machine needs.
fn told(event: &Event) -> Vec<String> {
    let clean = |text: &str| plain::clean(text).replace('\n', "\n   ");
    let asked = |question: &Option<usize>, asked: &str| {
        let number = question.map_or(String::new(), |number| format!("{number}. "));
        format!("\n{number}{}", plain::one_line(&plain::clean(asked)))
    };
    let said = |by: &str, text: &str| format!("   {}: {}", plain::shown(by), clean(text));
    match event {
        Event::Answered { question, asked: words, by, text } => vec![asked(question, words), said(by, text)],
        Event::Unanswered { question, asked: words } => {
            vec![asked(question, words), "   (no answer)".to_owned()]
        }
        Event::Feedback { by, text } => vec!["\nAt the menu:".to_owned(), said(by, text)],
        Event::Depth { by, text, .. } => vec![format!("\n{}", said(by, text).trim_start())],
        Event::Drafted { voice, lines } => {
            let head = format!("\nDrafted by {}:", plain::shown(voice));
            let draft = Drafted { voice: voice.clone(), lines: lines.clone(), confirmed_by: None };
            let lines = draft.shown().into_iter().map(|line| format!("   - {}", clean(&line)));
            std::iter::once(head).chain(lines).collect()
        }
        _ => Vec::new(),
    }
}

/// What the list of an item's steps says of a log: day, step, answers and open questions, path.
pub fn summary(log: &Log) -> Option<String> {
    let first = log.records.first()?;
    let Event::Begun(begun) = &first.event else { return None };
    let (answers, open) = log.counts();
    let day = first.at.day();
    let open = if open == 0 { String::new() } else { format!(", {} open", plain::count(open, "question")) };
    Some(format!(
        "  {day} {} ({}): {}{open}\n    {}",
        plain::shown(&begun.step.id),
        plain::shown(&begun.step.title),
        plain::count(answers, "answer"),
        plain::shown(&log.path)
    ))
}
