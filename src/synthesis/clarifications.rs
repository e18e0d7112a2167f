//! spec-kit's place for decisions: `## Clarifications` › `### Session DATE`, as `/speckit.clarify` writes it.
//!
//! Invariant: an answered question is `- Q: … → A: …`, another decision is `- …`; the section is made before the first
//! section of the specification where it is missing, and a session of the day goes on.
//!
//! ```
//! use roundtable::synthesis::clarifications::place_session;
//!
//! let text = "# Feature\n\n## Requirements\n";
//! let placed = place_session(text, "2026-02-20", "- Q: When? → A: At night").unwrap();
//! assert!(placed.starts_with("# Feature\n\n## Clarifications\n\n### Session 2026-02-20\n\n- Q: When?"));
//! ```

use minijinja::context;

use super::CLARIFICATIONS;
use super::outline::{Outline, fits, insert};
use crate::discussion::Finished;
use crate::discussion::address::without_vocative;
use crate::discussion::event::Event;
use crate::discussion::summary::Decision;
use crate::item::library::Library;
use crate::item::persona::Persona;
use crate::text::ids::ids;
use crate::text::sentences::sentences;
use crate::text::template::Failed;

/// The entries of a discussion's decisions, a line each.
///
/// # Errors
/// A template that cannot be rendered.
pub fn entries(finished: &Finished, library: &Library) -> Result<String, Failed> {
    let entry = |decision: &Decision| {
        let (question, answer) = match decision.text.split_once(" → ") {
            Some((question, answer)) => (Some(question.to_owned()), answer),
            None => (question_of(decision, finished, library), decision.text.as_str()),
        };
        let values = context! {
            question, answer,
            by => super::decider(decision, finished),
            reason => super::reason(decision),
        };
        Ok(library.templates.render("additions/clarification.md", values)?.trim().to_owned())
    };
    let found: Result<Vec<String>, Failed> = finished.summary.decisions.iter().map(entry).collect();
    Ok(found?.join("\n"))
}

/// The last question of a user before a decision that names one of its ids.
fn question_of(decision: &Decision, finished: &Finished, library: &Library) -> Option<String> {
    let turn = decision.turns.last()?;
    let named: Vec<&str> = ids(&decision.text).collect();
    let asked = finished.log.iter().rev().filter_map(|record| match &record.event {
        Event::User(message) if message.turn.is_some_and(|asked| asked < *turn) => Some(&message.text),
        _ => None,
    });
    let mut questions = asked.flat_map(|text| sentences(text)).filter(|one| one.trim().ends_with('?'));
    let question = questions.find(|one| ids(one).any(|id| named.contains(&id)))?;
    let names: Vec<&str> = library.cast.iter().map(Persona::first_name).collect();
    Some(crate::text::plain::one_line(without_vocative(question, &names)))
}

/// The text with entries in the session of a day; none where no such place leaves everything as it is.
pub fn place_session(text: &str, date: &str, entries: &str) -> Option<String> {
    let outline = Outline::new(text);
    let session = format!("Session {date}");
    let section = outline.headings.iter().position(|heading| heading.text == CLARIFICATIONS);
    let (at, body) = match section {
        None => {
            let first = outline.headings.iter().find(|heading| heading.level > 1);
            let at = first.map_or(text.len(), |heading| heading.start);
            (at, format!("## {CLARIFICATIONS}\n\n### {session}\n\n{entries}"))
        }
        Some(section) => {
            let end = outline.end(section);
            let below = outline.headings.iter().enumerate().skip(section + 1);
            let mut below = below.take_while(|(_, heading)| heading.start < end);
            match below.find(|(_, heading)| heading.text == session) {
                Some((at, _)) => return continue_list(text, outline.end(at), entries),
                None => (end, format!("### {session}\n\n{entries}")),
            }
        }
    };
    let inserted = insert(text, at, &body);
    fits(text, &inserted).then_some(inserted.text)
}

/// The text with more entries right below what ends at a place.
fn continue_list(text: &str, end: usize, entries: &str) -> Option<String> {
    let line_end = text.find('\n').map_or("\n", |at| if text[..at].ends_with('\r') { "\r\n" } else { "\n" });
    let at = text[..end].trim_end().len();
    Some(format!("{}{line_end}{}{}", &text[..at], entries.replace('\n', line_end), &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_goes_where_spec_kit_has_it() {
        let first =
            place_session("# F\n\n**Status**: Draft\n\n## User Scenarios\n", "2026-02-20", "- a").unwrap();
        assert_eq!(
            first,
            "# F\n\n**Status**: Draft\n\n## Clarifications\n\n### Session 2026-02-20\n\n- a\n\n## User Scenarios\n"
        );
        let same_day = place_session(&first, "2026-02-20", "- b").unwrap();
        assert_eq!(same_day, first.replace("- a\n", "- a\n- b\n"));
        let later = place_session(&first, "2026-02-21", "- c").unwrap();
        assert_eq!(later, first.replace("- a\n\n", "- a\n\n### Session 2026-02-21\n\n- c\n\n"));
    }
}
