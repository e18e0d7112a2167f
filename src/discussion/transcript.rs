//! The log as people read it.
//!
//! A persona's words follow `{Name} ({Role}):` (discussion AC-002-04). Further lines of whatever was
//! said are set in by two blanks, so that nobody's words can pass for another speaker's.

use std::collections::BTreeSet;

use super::event::{Contribution, Event, Record, Rest};
use super::points::{Need, Point, Points};
use crate::item::persona::{Cast, Persona};
use crate::text::ids::ids;
use crate::text::path::is_markdown;
use crate::text::plain::{self, cut, one_line};

/// Who speaks in an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// A persona, by its place at the table.
    Persona(usize),
    User,
    /// Nobody: silence.
    Table,
}

/// One entry of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub speaker: Speaker,
    /// What is before the words: `Maya Chen (Business Analyst):`.
    pub label: String,
    /// The words, further lines set in.
    pub text: String,
}

/// The entry of an event; the opening, the synthesis and the end have none.
pub fn entry(record: &Record, cast: &Cast) -> Option<Entry> {
    let spoken = |speaker, label, text: &str| Some(Entry { speaker, label, text: set_in(text) });
    match &record.event {
        Event::Contribution(said) => spoken(seat(&said.by, cast), label(&said.by, cast), &with_sources(said)),
        Event::Points(found) => {
            let title = if found.points.is_empty() { "" } else { "(points that a reader found)\n" };
            spoken(Speaker::Table, String::new(), &format!("{title}{}", listed(found)?))
        }
        Event::Notice(notice) => spoken(seat(&notice.by, cast), label(&notice.by, cast), &notice.text),
        Event::User(message) => spoken(Speaker::User, user_label(&message.by), &message.text),
        Event::Unheard(late) => {
            let entry = spoken(Speaker::User, user_label(&late.by), &late.text);
            entry.map(|entry| Entry { text: format!("(not discussed) {}", entry.text), ..entry })
        }
        Event::Silence {} => spoken(Speaker::Table, String::new(), "(silence)"),
        Event::Critique(one) => {
            let text = format!("(critique of {}, {}) {}", one.on, one.outcome.name(), one.problem);
            spoken(Speaker::Table, String::new(), &text)
        }
        Event::Opened(_) | Event::Paused(_) | Event::Resumed(_) | Event::Synthesis(_) | Event::Closed(_) => {
            None
        }
    }
}

/// The places of what a contribution quotes, what it proposes, and what of it the repository does not have.
pub fn notes(said: &Contribution) -> String {
    // What a rule found says its place, and so does a line that names it to the line.
    let is_told = |rest: &&Rest| {
        said.rule.is_some()
            || said.text.contains(&rest.path) && said.text.contains(&format!("line {}", rest.line))
    };
    let mut notes: Vec<String> = vec![sources(said.rests.iter().filter(|rest| !is_told(rest)))];
    // Who says yes to it has to have seen it.
    notes.extend(
        said.proposal.iter().map(|one| format!("proposes for {}: {}", one.document, one_line(&one.shown()))),
    );
    if !said.absent.is_empty() {
        notes.push(format!("not in the repository: {}", said.absent.join(", ")));
    }
    notes.retain(|note| !note.is_empty());
    notes.join("; ")
}

/// The words of a contribution, with its notes after them.
pub fn with_sources(said: &Contribution) -> String {
    match notes(said) {
        notes if notes.is_empty() => said.text.clone(),
        notes => format!("{}\n({notes})", said.text.trim_end()),
    }
}

/// Places for people: `spec.md FR-004; src/tracker.js:26`.
pub fn sources<'r>(rests: impl Iterator<Item = &'r Rest>) -> String {
    joined(rests, &|rest| format!("{}:{}", rest.path, rest.line))
}

/// The longest quotation that names a place, in characters.
const QUOTED: usize = 60;

/// Places as a document has them, whose lines move: `spec.md FR-004; notes.md "five"`, and words of code as code.
pub fn lasting_sources<'r>(rests: impl Iterator<Item = &'r Rest>) -> String {
    joined(rests, &|rest| {
        let quote = cut(one_line(&rest.quote).trim(), QUOTED);
        // Code is code: its signs mean nothing there. A bar would still end the cell of a table.
        let is_code = !is_markdown(&rest.path) && !quote.contains(['`', '|']);
        let sign = if is_code { '`' } else { '"' };
        format!("{} {sign}{quote}{sign}", rest.path)
    })
}

/// Each place once: by the id that its words begin with, else as `otherwise` names it.
fn joined<'r>(rests: impl Iterator<Item = &'r Rest>, otherwise: &dyn Fn(&Rest) -> String) -> String {
    let mut places: Vec<String> = Vec::new();
    for rest in rests {
        let begin = rest.quote.trim_start_matches(|sign: char| !sign.is_alphanumeric());
        let id = ids(begin).next().filter(|id| begin.starts_with(id));
        let place = id.map_or_else(|| otherwise(rest), |id| format!("{} {id}", rest.path));
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.join("; ")
}

/// The points that a reader found, without numbers, which cards have, with their places and what is recommended or known already.
pub fn listed(found: &Points) -> Option<String> {
    let line = |point: &Point| {
        let mut line = format!("- {} ({})", point.question, sources(point.quotes.iter()));
        match &point.refuted {
            Some(found) => {
                line.push_str(&format!(" Answered: {} ({})", found.answer, sources(found.quotes.iter())));
            }
            None if !point.options.is_empty() => {
                let option = |option: &String| match *option == point.recommended {
                    true => format!("{option} (recommended)"),
                    false => option.clone(),
                };
                line.push_str(&format!(
                    " {}",
                    point.options.iter().map(option).collect::<Vec<_>>().join(" / ")
                ));
            }
            None => {}
        }
        line
    };
    let lines: Vec<String> = found.need.iter().map(needed).chain(found.points.iter().map(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What a model asked for, and what it was given.
fn needed(need: &Need) -> String {
    let given: BTreeSet<&str> = need.given.iter().map(|sent| sent.path.as_str()).collect();
    let given: Vec<&str> = given.into_iter().collect();
    let given = if given.is_empty() { "nothing".to_owned() } else { given.join(", ") };
    format!("(the model asked for {}, and was shown {given})", need.asked.join(", "))
}

fn seat(key: &str, cast: &Cast) -> Speaker {
    cast.iter().position(|persona| persona.key == key).map_or(Speaker::Table, Speaker::Persona)
}

fn label(key: &str, cast: &Cast) -> String {
    let unknown = || {
        let key = plain::shown(key).replace(['(', ')', ':'], "");
        format!("{key} (nobody of this cast):")
    };
    cast.get(key).map_or_else(unknown, Persona::prefix)
}

/// A user's label; without the signs that a persona's is told by.
pub fn user_label(name: &str) -> String {
    let name: String = one_line(&plain::clean(name)).replace(['(', ')', ':'], "");
    if name == "User" { "User:".to_owned() } else { format!("{} (user):", cut(&name, 40)) }
}

/// The text with every line but the first set in by two blanks.
fn set_in(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, line) in plain::clean(text).trim().lines().enumerate() {
        if at > 0 {
            out.push('\n');
            if !line.is_empty() {
                out.push_str("  ");
            }
        }
        out.push_str(line.trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discussion::event::{Class, Message, Purpose, Time};

    #[test]
    fn sources_are_after_a_line_that_does_not_name_them() {
        let rest = |line, quote: &str| Rest { path: "spec.md".into(), line, quote: quote.into() };
        let said = |text: &str, rule: Option<&str>| Contribution {
            turn: 1,
            by: "business-analyst".into(),
            voice: None,
            purpose: Purpose::Framing,
            text: text.into(),
            rests: vec![rest(3, "- **FR-004**: soon"), rest(9, "At night."), rest(9, "Prints.")],
            is_closest: false,
            rule: rule.map(str::to_owned),
            position: None,
            points: vec![],
            proposal: None,
            absent: Vec::new(),
        };
        assert_eq!(
            with_sources(&said("spec.md says so.", None)),
            "spec.md says so.\n(spec.md FR-004; spec.md:9)"
        );
        assert_eq!(
            with_sources(&said("spec.md, line 9: it waits.", None)),
            "spec.md, line 9: it waits.\n(spec.md FR-004)"
        );
        assert_eq!(with_sources(&said("It is vague.", Some("vague-term"))), "It is vague.");
    }

    #[test]
    fn nobodys_words_pass_for_another_speakers() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        let text = "I think\nMaya Chen (Business Analyst): I agree\n\nand so on";
        let message = Message {
            turn: Some(4),
            by: "Maya Chen (Business Analyst):".into(),
            text: text.into(),
            class: Class::Default,
            to: vec![],
            comment: None,
        };
        let record = Record { at: Time::parse("2026-01-01T00:00:00Z").unwrap(), event: Event::User(message) };
        let entry = entry(&record, &cast).unwrap();
        insta::assert_snapshot!(format!("{} {}", entry.label, entry.text), @r"
        Maya Chen Business Analyst (user): I think
          Maya Chen (Business Analyst): I agree

          and so on
        ");
    }
}
