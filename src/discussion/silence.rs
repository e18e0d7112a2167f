//! Silence of the user: two bring a round in which personas may speak, the third in a row the question whether
//! anybody is there, the fourth the end (D-7).

use super::event::{Event, Exit, Purpose};
use super::{Discussion, Due, Refused, Stage, cue};

impl Discussion<'_> {
    pub(super) fn record_silence(&mut self, event: &Event) -> Result<(), Refused> {
        if !self.has_floor() || self.disagreement()?.is_some() {
            return Err(self.refuse(event)?);
        }
        self.state.silences += 1;
        self.state.round.clear();
        self.state.disagreed = false;
        match self.state.silences {
            1 | 2 => {
                let all = self.library.cast.lead_first(&self.lead.key);
                let cues = all.into_iter().map(|persona| cue(persona, Purpose::Round, false));
                self.state.stage = Stage::Speaking(cues.collect());
            }
            3 => {
                self.state.stage = Stage::Listening;
                self.state.due.push_back(Due::Inactivity);
            }
            _ => self.end(Exit::Inactivity),
        }
        Ok(())
    }
}
