//! What the user says: how it is classified, and who answers it (D-3 to D-5).

use std::collections::VecDeque;

use super::address::{Address, address, without_vocative};
use super::event::{Class, Event, Exit, Message, Purpose};
use super::recordable::is_one_clean_line;
use super::{Cue, Discussion, Due, Refused, Stage, cue};
use crate::item::persona::Persona;
use crate::text::markdown::{Sentence, VisibleLine, read};
use crate::text::plain;

impl Discussion<'_> {
    /// A user's message as the rules see it, ready to be recorded. Its class depends on exit words, address
    /// and named topics only, never on what it may decide.
    pub fn hear(&self, by: &str, text: &str) -> Message {
        let message = |turn: Option<u32>, class: Class, to: Vec<String>| Message {
            turn,
            by: by.to_owned(),
            text: text.to_owned(),
            class,
            to,
            comment: None,
        };
        let turn = Some(self.state.turn + 1);
        match address(text, &self.library.cast, self.state.asked) {
            Address::Exit { has_content } => message(turn.filter(|_| has_content), Class::Exit, Vec::new()),
            Address::Unclear => message(turn, Class::Unclear, Vec::new()),
            _ if self.focus.drift(text).is_some() => message(turn, Class::OffTopic, Vec::new()),
            Address::Direct(keys) => message(turn, Class::Direct, keys),
            Address::Group => message(turn, Class::Group, self.everyone().map(|p| p.key.clone()).collect()),
            Address::Neither => message(turn, Class::Default, vec![self.lead.key.clone()]),
        }
    }

    /// How many turns a message takes as long as nobody speaks who owes no answer: its own and the answers
    /// that it is owed. None for a message that only ends the discussion.
    pub fn turns_owed(&self, text: &str) -> u32 {
        let message = self.hear("", text);
        match message.class {
            Class::Exit => u32::from(message.turn.is_some()),
            Class::Unclear | Class::OffTopic => 1,
            _ if self.owes_no_answer(text) => 1,
            _ => 1 + u32::try_from(message.to.len()).unwrap_or(u32::MAX - 1),
        }
    }

    /// Who may speak to a message that is heard now, in order: nobody where it ends the discussion, or is about
    /// something else.
    pub fn cues_to(&self, message: &Message) -> Vec<Cue> {
        match message.class {
            Class::Exit | Class::Unclear | Class::OffTopic => Vec::new(),
            Class::Direct | Class::Group | Class::Default => self.answers(message).into(),
        }
    }

    pub(super) fn record_message(&mut self, message: &Message, event: &Event) -> Result<(), Refused> {
        let spoken = is_one_clean_line(&message.by)
            && plain::is_clean(&message.text)
            && !message.text.trim().is_empty();
        if !self.has_floor()
            || self.disagreement()?.is_some()
            || !spoken
            || *message != (Message { comment: message.comment, ..self.hear(&message.by, &message.text) })
        {
            return Err(self.refuse(event)?);
        }
        let state = &mut self.state;
        state.silences = 0;
        state.round.clear();
        state.disagreed = false;
        state.asked = message.class == Class::Unclear;
        state.stage = Stage::Listening;
        if message.class == Class::Exit {
            // What it says beside the exit words is a turn like any other.
            if message.turn.is_some() {
                self.state.turn += 1;
                if self.reached_limit() {
                    return Ok(());
                }
                self.warn();
            }
            self.end(Exit::UserInitiated);
            return Ok(());
        }
        self.state.turn += 1;
        if self.reached_limit() {
            return Ok(());
        }
        match message.class {
            Class::Unclear => self.state.due.push_back(Due::Clarification),
            Class::OffTopic => {
                let drift = self.focus.drift(&message.text);
                self.state.due.extend(drift.map(Due::RedirectUser));
            }
            _ => self.state.stage = Stage::Speaking(self.answers(message)),
        }
        self.warn();
        Ok(())
    }

    /// Who answers a message, in order (D-5): those who must, then those who have something to add.
    fn answers(&self, message: &Message) -> VecDeque<Cue> {
        let cast = &self.library.cast;
        let owed = !self.owes_no_answer(&message.text);
        let answering = message.to.iter().filter_map(|key| cast.get(key));
        let mut cues: VecDeque<Cue> = answering.map(|persona| cue(persona, Purpose::Answer, owed)).collect();
        let others = cast.lead_first(&self.lead.key);
        let others = others.into_iter().filter(|persona| !message.to.contains(&persona.key));
        cues.extend(others.map(|persona| cue(persona, Purpose::FollowUp, false)));
        cues
    }

    /// Whether a message is nothing but action items, thanks or mere agreement: nobody has to answer it.
    pub fn owes_no_answer(&self, text: &str) -> bool {
        let names: Vec<&str> = self.library.cast.iter().map(Persona::first_name).collect();
        let lines = read(text).into_iter().filter(VisibleLine::is_said);
        let sentences: Vec<_> = lines.flat_map(|line| line.sentences).collect();
        let is_aside = |sentence: &Sentence| {
            let said = without_vocative(&sentence.text, &names);
            ["acknowledgements", "actions"].iter().any(|file| self.library.forms().fits(file, said))
        };
        !sentences.is_empty() && sentences.iter().all(is_aside)
    }
}
