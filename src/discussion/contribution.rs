//! What a persona says: it answers a cue of the queue, and is a turn.

use super::additions::Proposal;
use super::event::{self, Contribution, Event};
use super::recordable::{is_one_clean_line, is_place, is_side, is_speakable};
use super::{Discussion, Due, Refused, Stage};

impl Discussion<'_> {
    pub(super) fn record_contribution(&mut self, said: &Contribution, event: &Event) -> Result<(), Refused> {
        let Some(at) = self.cue_of(said) else { return Err(self.refuse(event)?) };
        let Stage::Speaking(cues) = &mut self.state.stage else { return Err(self.refuse(event)?) };
        cues.drain(..=at);
        let over = cues.is_empty();
        if over {
            self.state.stage = Stage::Listening;
        }
        self.state.turn += 1;
        self.state.round.push(said.clone());
        if self.reached_limit() {
            return Ok(());
        }
        let is_built_in = said.voice.as_deref().unwrap_or(&self.opened.voice) == event::SECRETARY;
        if !is_built_in
            && said.by != self.lead.key
            && let Some(drift) = self.focus.drift(&said.text)
        {
            self.state.due.push_back(Due::RedirectPersona(said.by.clone(), drift));
        }
        self.warn();
        Ok(())
    }

    /// The place in the queue that a contribution answers: nobody who owes a line is before
    /// it, and turn, purpose and words are what they have to be.
    fn cue_of(&self, said: &Contribution) -> Option<usize> {
        let Stage::Speaking(cues) = &self.state.stage else { return None };
        let fits = self.state.due.is_empty()
            && said.turn == self.state.turn + 1
            && said.voice.as_ref() != Some(&self.opened.voice)
            && is_speakable(&said.text, &self.library.cast)
            && said.rests.iter().all(is_place)
            && said.position.iter().all(is_side)
            && said.points.iter().all(|at| *at < self.points().len())
            && said.proposal.iter().all(Proposal::is_clean)
            && said.absent.iter().all(|name| is_one_clean_line(name));
        let at = cues.iter().position(|cue| cue.persona == said.by && cue.purpose == said.purpose)?;
        (fits && cues.iter().take(at).all(|cue| !cue.owed)).then_some(at)
    }
}
