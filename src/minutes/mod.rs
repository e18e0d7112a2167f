//! What a discussion comes to: decisions, open questions, action items and notes, drawn from what users said.
//!
//! Only users decide, and every entry is a user's own words, as people see them. A sentence decides by a form of
//! `rules/en/decisions.yaml`, below a label such as "Decisions:", or as the answer to a choice that was put before it
//! was written. Every other sentence stays in the recording; nothing is judged by anything else.
//!
//! ```
//! use roundtable::item::library::Library;
//! use roundtable::minutes::{self, Spoken};
//!
//! let library = Library::built_in().unwrap();
//! let said = [
//!     Spoken::by_user(4, "Sam", "Maya, we decided to keep SQLite because one file is easy to back up."),
//!     Spoken::by_user(5, "Ada", "Who writes the migration?"),
//! ];
//! let minutes = minutes::draw(&said, library.forms(), &["Maya"]);
//! assert_eq!(minutes.decisions[0].text, "we decided to keep SQLite because one file is easy to back up.");
//! assert_eq!(minutes.decisions[0].reason.as_deref(), Some("one file is easy to back up"));
//! assert_eq!(minutes.open_questions[0].text, "Who writes the migration?");
//! ```

use std::collections::HashSet;

mod choice;
mod kinds;
mod landing;
mod message;
mod summary;

use crate::discussion::closing::{AskedQuestions, key};
use crate::text::markdown::{VisibleLine, read};
pub use crate::text::sentence_forms::Forms;

use self::choice::{OwnChoices, Pending};
pub use self::kinds::{Kinds, kinds_in, left_behind};
pub use self::landing::with_limits;
use self::message::{Kind, UserStatement, entries};
use self::summary::first_name;
pub use self::summary::{NOT_SETTLED, decisions_in, in_one_line, people, says_nothing, summary};

/// One contribution, input or notice, in the order of the discussion.
#[derive(Clone, Debug)]
pub struct Spoken<'t> {
    pub turn: u32,
    pub speaker: Speaker<'t>,
    pub text: &'t str,
    /// The choice that this line puts to the user.
    pub choice: Option<Choice<'t>>,
    /// A user's message was written after the choices that were put up to this turn were shown.
    pub shown: u32,
    /// The step that this message was redirected to.
    pub off_topic: Option<&'t str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker<'t> {
    /// By the name a script or GitHub gives.
    User(&'t str),
    /// By its key. A notice of the lead counts as the lead's.
    Persona(&'t str),
}

/// A choice that is put to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<'t> {
    /// The question, as it is listed where nobody answers it.
    pub on: &'t str,
    pub options: Vec<&'t str>,
    /// It is a point that a reader found, else a disagreement.
    pub is_point: bool,
}

/// What was said, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minutes {
    pub decisions: Vec<Decision>,
    pub notes: Vec<Note>,
    pub open_questions: Vec<OpenQuestion>,
    pub action_items: Vec<ActionItem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The user's words; for a choice "question → answer".
    pub text: String,
    /// What was said after "because" and its like, or in a sentence that begins with "Reason".
    pub reason: Option<String>,
    pub by: String,
    /// The user's turn, and before it that of the choice which it answers.
    pub turns: Vec<u32>,
}

/// A line with the label "Note:" or "Fact:".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub text: String,
    pub turn: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion {
    pub text: String,
    /// None for a choice that nobody made.
    pub by: Option<String>,
    /// The step it was redirected to.
    pub step: Option<String>,
    pub turns: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionItem {
    pub text: String,
    /// Who does it; none where nobody is named.
    pub owner: Option<String>,
    pub turn: u32,
}

impl<'t> Spoken<'t> {
    /// A user's message.
    pub fn by_user(turn: u32, name: &'t str, text: &'t str) -> Spoken<'t> {
        Spoken { turn, speaker: Speaker::User(name), text, choice: None, shown: 0, off_topic: None }
    }
}

/// Draws up the minutes of what was said. `names` are the first names of those at the table.
pub fn draw(said: &[Spoken<'_>], forms: &Forms, names: &[&str]) -> Minutes {
    let mut names: Vec<&str> = names.to_vec();
    names.extend(said.iter().filter_map(|spoken| match spoken.speaker {
        Speaker::User(name) => first_name(name),
        Speaker::Persona(_) => None,
    }));
    names.sort_unstable();
    names.dedup();
    let mut draft = Draft::default();
    for spoken in said {
        // Of a persona's line only the choice that it puts counts.
        if let Speaker::User(by) = spoken.speaker {
            if !draft.take_option(spoken, by) {
                for entry in entries(spoken.text, forms, &names) {
                    draft.take(entry, spoken, by, forms);
                }
            }
            draft.pending.iter_mut().for_each(|put| put.is_next = false);
        }
        draft.pending.extend(spoken.choice.as_ref().map(|choice| Pending::new(spoken.turn, choice)));
    }
    draft.finish()
}

/// Minutes that are being drawn up.
#[derive(Default)]
struct Draft<'s, 't> {
    minutes: Minutes,
    pending: Vec<Pending<'s, 't>>,
    /// The questions that were asked, by their places.
    asked: AskedQuestions,
    own: OwnChoices,
    closed: HashSet<usize>,
    actions: HashSet<(Option<String>, String)>,
}

impl<'s, 't> Draft<'s, 't> {
    /// Takes what a user said.
    fn take(&mut self, entry: UserStatement, spoken: &'s Spoken<'t>, by: &str, forms: &Forms) {
        let (by, turn) = (by.to_owned(), spoken.turn);
        let UserStatement { text, kind, reason, .. } = entry;
        match kind {
            Kind::Decision => {
                let put = self.pending.iter().position(|put| put.is_settled_by(&text, spoken.text, forms));
                let put = put.map(|at| self.pending.remove(at).turn);
                self.closed.extend(self.asked.closed_by(&text, spoken.text));
                self.closed.extend(self.own.answered_by(&text, &by, forms));
                let turns = put.into_iter().chain([turn]).collect();
                // Who says it again has not decided something else.
                if !self.minutes.decisions.iter().any(|known| known.text == text && known.by == by) {
                    self.minutes.decisions.push(Decision { text, reason, by, turns });
                }
            }
            Kind::Question => self.ask(text, by, spoken, forms),
            Kind::Action { owner, is_speakers } => {
                let owner = if is_speakers { Some(by) } else { owner };
                // Two people may promise the same.
                let promise = (is_speakers.then(|| owner.clone()).flatten(), text.clone());
                if self.actions.insert(promise) {
                    self.minutes.action_items.push(ActionItem { text, owner, turn });
                }
            }
            Kind::Note => {
                if !self.minutes.notes.iter().any(|known| known.text == text) {
                    self.minutes.notes.push(Note { text, turn });
                }
            }
            Kind::Statement => {
                let Some(put) = self.shown_choice(spoken, |put| put.is_answered_by(&text, forms)) else {
                    return;
                };
                self.answer(put, &text, reason, by, turn);
            }
        }
    }

    /// Takes a message that is one of the options as a whole, whatever marks the option has.
    fn take_option(&mut self, spoken: &'s Spoken<'t>, by: &str) -> bool {
        if self.pending.is_empty() {
            return false;
        }
        let lines = read(spoken.text);
        if !lines.iter().all(VisibleLine::is_said) {
            return false;
        }
        let lines: Vec<String> = lines.iter().map(VisibleLine::text).collect();
        let said = lines.join(" ");
        let Some(put) = self.shown_choice(spoken, |put| put.has_option(&said)) else { return false };
        self.answer(put, &said, None, by.to_owned(), spoken.turn);
        true
    }

    /// The choice that is meant: the only one that was shown before the message and that fits.
    fn shown_choice(&self, spoken: &Spoken<'_>, fits: impl Fn(&Pending<'s, 't>) -> bool) -> Option<usize> {
        let shown = |put: &&Pending<'s, 't>| put.turn <= spoken.shown && fits(put);
        let (at, first) = self.pending.iter().enumerate().find(|(_, put)| shown(put))?;
        let is_clear = self.pending.iter().filter(shown).all(|put| put.choice.on == first.choice.on);
        is_clear.then_some(at)
    }

    fn answer(&mut self, put: usize, said: &str, reason: Option<String>, by: String, turn: u32) {
        let put = self.pending.remove(put);
        let text = format!("{} → {said}", put.choice.on);
        self.minutes.decisions.push(Decision { text, reason, by, turns: vec![put.turn, turn] });
    }

    fn ask(&mut self, text: String, by: String, spoken: &Spoken<'_>, forms: &Forms) {
        let step = spoken.off_topic.map(str::to_owned);
        // What was redirected stays open.
        if step.is_none() {
            self.asked.add(&text, self.minutes.open_questions.len());
            self.own.add(&text, self.minutes.open_questions.len(), &by, forms);
        }
        let question = OpenQuestion { text, by: Some(by), step, turns: vec![spoken.turn] };
        self.minutes.open_questions.push(question);
    }

    fn finish(self) -> Minutes {
        let Draft { mut minutes, pending, closed, .. } = self;
        let questions = minutes.open_questions.into_iter().enumerate();
        let mut known = HashSet::new();
        minutes.open_questions = questions
            .filter(|(at, _)| !closed.contains(at))
            .map(|(_, question)| question)
            .filter(|question| known.insert(key(&question.text)))
            .collect();
        minutes.open_questions.extend(pending.iter().map(|put| OpenQuestion {
            text: put.choice.on.to_owned(),
            by: None,
            step: None,
            turns: vec![put.turn],
        }));
        minutes
    }
}
