//! SYNTHESIS and STATE_PERSIST: what may be recorded once a discussion ends, and that a summary rests on its turns.

use super::critiques::is_of_points;
use super::event::{self, Critique, Event, Exit, Record, Unheard};
use super::recordable::{is_one_clean_line, is_place};
use super::summary::{Summary, USER};
use super::{Discussion, Due, Refused, Stage};
use crate::text::plain;

impl Discussion<'_> {
    pub(super) fn end(&mut self, exit: Exit) {
        self.state.due.push_back(Due::Closing);
        self.state.stage = Stage::Summarizing(exit);
    }

    /// A message that came too late: after the limit, after an exit, or when no tokens are left.
    pub(super) fn record_unheard(&mut self, late: &Unheard, event: &Event) -> Result<(), Refused> {
        let is_message =
            is_one_clean_line(&late.by) && plain::is_clean(&late.text) && !late.text.trim().is_empty();
        self.ends_by(self.ending().filter(|_| is_message), event)
    }

    /// What was wrong with a draft of the synthesis, or with a list of points; only another voice than the secretary's
    /// makes them.
    pub(super) fn record_critique(&mut self, critique: &Critique, event: &Event) -> Result<(), Refused> {
        let fits = self.is_metered()
            && [&critique.on, &critique.problem].into_iter().all(|text| is_one_clean_line(text));
        let is_early = |record: &Record| {
            matches!(record.event, Event::Opened(_) | Event::Points(_) | Event::Critique(_))
        };
        if fits && is_of_points(critique) && self.log.iter().all(is_early) {
            return Ok(());
        }
        self.ends_by(self.ending().filter(|_| fits), event)
    }

    pub(super) fn record_summary(&mut self, summary: &Summary, event: &Event) -> Result<(), Refused> {
        // Only the secretary speaks for another voice.
        let stands_in = |voice: &String| voice == event::SECRETARY && self.is_metered();
        let is_known = summary.voice.as_ref().is_none_or(stands_in);
        match self.ending().filter(|_| is_known && self.is_grounded(summary)) {
            Some(exit) => self.state.stage = Stage::Closing(exit),
            None => return Err(self.refuse(event)?),
        }
        Ok(())
    }

    /// How the discussion ends, where its last words may be recorded now.
    fn ending(&self) -> Option<Exit> {
        match &self.state.stage {
            Stage::Summarizing(exit) => Some(*exit),
            // Before its time a synthesis can only come of a voice that counts tokens.
            Stage::Speaking(_) if self.may_run_out() => Some(Exit::Budget),
            _ => None,
        }
        .filter(|_| self.state.due.is_empty())
    }

    fn ends_by(&mut self, exit: Option<Exit>, event: &Event) -> Result<(), Refused> {
        let Some(exit) = exit else { return Err(self.refuse(event)?) };
        self.state.stage = Stage::Summarizing(exit);
        Ok(())
    }

    /// Whether the discussion may end here because no tokens are left.
    fn may_run_out(&self) -> bool {
        self.is_metered() && self.state.turn > 0
    }

    /// An end takes no time, so that the digest before it vouches for its time too.
    pub(super) fn takes_no_time(&self, record: &Record) -> Result<(), Refused> {
        match self.log.last().filter(|last| last.at != record.at) {
            None => Ok(()),
            Some(last) => {
                let (expected, found) = (format!("the end at {}", last.at), record.at.to_string());
                Err(Refused::Unexpected { number: self.log.len() + 1, expected, found })
            }
        }
    }

    /// Whether every entry names turns, and only those who spoke in them.
    fn is_grounded(&self, summary: &Summary) -> bool {
        let spoke = |turn: u32| self.speaker(turn);
        let rests = |turns: &[u32]| !turns.is_empty() && turns.iter().all(|turn| spoke(*turn).is_some());
        let said = |by: &[String], turns: &[u32]| {
            !by.is_empty()
                && rests(turns)
                && by.iter().all(|key| turns.iter().any(|turn| spoke(*turn) == Some(key.as_str())))
        };
        let clean = |text: &str| plain::is_clean(text) && !text.contains('\n');
        // Only people decide.
        let by_a_user = |turns: &[u32]| turns.iter().any(|turn| spoke(*turn) == Some(USER));
        summary
            .insights
            .iter()
            .chain(&summary.action_items)
            .all(|one| said(&one.by, &one.turns) && clean(&one.text) && one.rests.iter().all(is_place))
            && summary.decisions.iter().all(|one| {
                rests(&one.turns) && by_a_user(&one.turns) && clean(&one.text) && clean(&one.rationale)
            })
            && summary.open_questions.iter().all(|one| {
                (rests(&one.turns) || self.is_point(one)) && clean(&one.text) && clean(&one.context)
            })
            && clean(&summary.summary)
    }
}
