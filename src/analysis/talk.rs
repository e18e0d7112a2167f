//! A step as far as it was talked through.

use super::answer_forms;
use super::drafted::Drafted;
use super::menu::Choice;
use crate::item::step::{Depth, Prompt};

/// An answer to a prompt, or the lack of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub question: Option<usize>,
    pub asked: String,
    /// The forms that the question asks for.
    pub asks: Vec<answer_forms::Label>,
    /// Who answered what; none where it stays open.
    pub said: Option<(String, String)>,
}

/// A step as far as it was talked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Talk {
    /// The step, by its index among the library's.
    pub step: usize,
    pub depth: Depth,
    pub prompts: Vec<Prompt>,
    pub answers: Vec<Answer>,
    /// What was said at the menu, and by whom.
    pub feedback: Vec<(String, String)>,
    /// What a model has drafted.
    pub drafted: Option<Drafted>,
    /// How many of the prompts have been put.
    pub(super) put: usize,
    /// Where in the log the part begins that has not landed yet.
    pub(super) from: usize,
    /// Something has not landed yet.
    pub(super) fresh: bool,
    /// Only what was said since the last landing counts from here.
    pub(super) landed: bool,
    /// The rest of the phase was left out before anything was said of this step: it is not done.
    pub(super) dropped: bool,
}

impl Talk {
    /// The questions that were not put stay open; a step that is skipped without a word writes nothing.
    pub fn leave(&mut self, choice: Choice) {
        let says_nothing =
            self.answers.iter().all(|answer| answer.said.is_none()) && self.feedback.is_empty();
        self.dropped = choice == Choice::Skip && says_nothing;
        self.answers.extend(self.prompts[self.put..].iter().map(|prompt| Answer {
            question: prompt.number,
            asked: prompt.text.clone(),
            asks: Vec::new(),
            said: None,
        }));
        self.put = self.prompts.len();
    }

    /// Something was said that has not landed yet.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// There is something to draft from, and nobody has drafted yet: in brief depth before the one question, else
    /// once its questions are answered.
    pub fn may_be_drafted(&self) -> bool {
        let is_asked = self.put >= self.prompts.len();
        let has_answers = self.answers.iter().any(|answer| answer.said.is_some());
        !self.landed && self.drafted.is_none() && (self.is_brief() || is_asked && has_answers)
    }

    /// It asks its one question, which a draft comes before.
    pub fn is_brief(&self) -> bool {
        self.depth == Depth::Brief && self.prompts.iter().all(|prompt| prompt.number.is_none())
    }

    /// The user confirms the draft, if there is one to confirm and that is what the message says.
    pub(super) fn confirm(&mut self, by: &str, text: &str) {
        if let Some(drafted) = self.drafted.as_mut().filter(|draft| draft.confirmed_by.is_none())
            && !drafted.lines.is_empty()
            && answer_forms::confirms(text)
        {
            drafted.confirmed_by = Some(by.to_owned());
        }
    }

    /// Something was answered or added.
    pub(super) fn has_words(&self) -> bool {
        !self.feedback.is_empty() || self.answers.iter().any(|answer| answer.said.is_some())
    }

    /// The step was committed before.
    pub fn is_landed(&self) -> bool {
        self.landed
    }
}
