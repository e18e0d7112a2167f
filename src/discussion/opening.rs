//! ENTRY: a discussion opens with facts that agree with its library, and with its introduction.

use std::collections::VecDeque;
use std::sync::OnceLock;

use minijinja::context;

use super::describe::{describe, describe_text};
use super::event::{self, Event, Opened, Purpose, Record};
use super::focus::Focus;
use super::recordable::{is_hex, is_one_clean_line};
use super::{Discussion, Refused, Stage, State, cue};
use crate::item::LEAST_TURNS;
use crate::item::library::Library;
use crate::item::step::Step;
use crate::text::plain;
use crate::text::template::Failed;

impl<'l> Discussion<'l> {
    /// Opens a discussion of `step`.
    ///
    /// # Errors
    /// An opening that contradicts the library: another lead, another step, too few turns.
    pub fn open(library: &'l Library, step: &'l Step, first: Record) -> Result<Discussion<'l>, Refused> {
        let refused = |expected: String, found: String| Refused::Unexpected { number: 1, expected, found };
        let event = &first.event;
        let Event::Opened(opened) = event else {
            return Err(refused("the opening".to_owned(), describe(event)));
        };
        let opened = opened.as_ref().clone();
        let (lead, _) = library.cast.lead(&step.phase);
        let facts = [
            ("format", event::FORMAT.to_string(), opened.format.to_string()),
            ("step", step.id.clone(), opened.step.id.clone()),
            ("title", step.title.clone(), opened.step.title.clone()),
            ("phase", step.phase.clone(), opened.step.phase.clone()),
            ("outputs", step.outputs.join(", "), opened.step.outputs.join(", ")),
            ("lead", lead.key.clone(), opened.lead.clone()),
        ];
        for (what, expected, found) in facts {
            if expected != found {
                return Err(refused(format!("{what} \"{expected}\""), format!("\"{found}\"")));
            }
        }
        if opened.max_turns < LEAST_TURNS {
            return Err(refused(
                format!("a turn limit of at least {LEAST_TURNS}"),
                opened.max_turns.to_string(),
            ));
        }
        let Opened { author, branch, voice, .. } = &opened;
        let names =
            [&opened.item_name, &opened.user, &opened.item, branch, voice, &author.name, &author.email];
        if let Some(name) = names.into_iter().chain(&opened.model).find(|text| !is_one_clean_line(text)) {
            return Err(refused("names on one line of visible characters".to_owned(), describe_text(name)));
        }
        // Both end up in a commit: nothing but what we write ourselves may be there.
        for (what, text, length) in [("base", &opened.base, 40), ("run", &opened.run, 32)] {
            if !is_hex(text, length) {
                return Err(refused(format!("a {what} of {length} hexadecimal digits"), describe_text(text)));
            }
        }
        if [&author.name, &author.email].iter().any(|text| text.contains(['<', '>'])) {
            return Err(refused("an author without < and >".to_owned(), describe_text(&author.name)));
        }
        let mut cues = VecDeque::from([cue(lead, Purpose::Framing, true)]);
        cues.extend(library.cast.others(&lead.key).map(|persona| cue(persona, Purpose::Round, true)));
        let state = State {
            stage: Stage::Speaking(cues),
            due: VecDeque::new(),
            turn: 0,
            silences: 0,
            asked: false,
            round: Vec::new(),
            disagreed: false,
        };
        let focus = Focus::new(library, step, &opened.item_name);
        let echoes = vec![OnceLock::new()];
        Ok(Discussion { library, step, lead, focus, opened, log: vec![first], echoes, state })
    }
}

/// The introduction of a discussion, from its opening.
///
/// # Errors
/// A template that cannot be rendered.
pub fn introduction(library: &Library, opened: &Opened) -> Result<String, Failed> {
    let others: Vec<_> = library
        .cast
        .others(&opened.lead)
        .map(|persona| context! { name => persona.name.as_str(), role => persona.role.as_str() })
        .collect();
    let step = context! { id => plain::shown(&opened.step.id), title => plain::shown(&opened.step.title) };
    let values = context! { others, step, item_name => plain::shown(&opened.item_name), max_turns => opened.max_turns };
    library.templates.render("introduction.txt", values)
}
