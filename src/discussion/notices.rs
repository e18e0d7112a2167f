//! What the lead says beside its turns: a notice that is due, and the disagreement of a round, word for word from
//! their templates.

use minijinja::context;

use super::event::{Event, Notice, NoticeKind, Position};
use super::{Discussion, Due, Refused, Stage, positions};
use crate::item::persona::Persona;
use crate::text::plain;
use crate::text::template::Failed;

impl Discussion<'_> {
    pub(super) fn record_notice(&mut self, notice: &Notice, event: &Event) -> Result<(), Refused> {
        if let Some(due) = self.state.due.front() {
            if *notice != self.notice(due)? {
                return Err(self.refuse(event)?);
            }
            self.state.due.pop_front();
        } else if self.has_floor() && self.disagreement()?.as_ref() == Some(notice) {
            self.state.stage = Stage::Listening;
            self.state.disagreed = true;
        } else {
            return Err(self.refuse(event)?);
        }
        Ok(())
    }

    pub(super) fn notice(&self, due: &Due) -> Result<Notice, Failed> {
        let words = |name: &str, values: minijinja::Value| {
            self.library.templates.render(&format!("notices/{name}.txt"), values)
        };
        let fixed = |name: &str| self.library.templates.fixed(&format!("notices/{name}.txt"));
        let focus = || self.focus_of_talk();
        let (notice, text) = match due {
            Due::Warning => (NoticeKind::Warning, fixed("warning")?),
            Due::Limit => (NoticeKind::Limit, fixed("limit")?),
            Due::Inactivity => (NoticeKind::Inactivity, fixed("inactivity")?),
            Due::Clarification => (NoticeKind::Clarification, fixed("clarification")?),
            Due::Closing => (NoticeKind::Closing, fixed("closing")?),
            Due::RedirectUser(drift) => {
                let values = context! { focus => focus(), belongs => drift.belongs.as_str(), subject => drift.subject.as_str() };
                (NoticeKind::Redirect, words("redirect-user", values)?)
            }
            Due::RedirectPersona(key, drift) => {
                let drifter = self.library.cast.get(key).map_or(key.as_str(), Persona::first_name);
                let values = context! { drifter, focus => focus(), belongs => drift.belongs.as_str(), subject => drift.subject.as_str() };
                (NoticeKind::Redirect, words("redirect-persona", values)?)
            }
        };
        Ok(Notice { notice, by: self.lead.key.clone(), text: plain::clean(&text) })
    }

    /// The round's disagreement, summed up by the lead (D-9).
    pub(super) fn disagreement(&self) -> Result<Option<Notice>, Failed> {
        let found = (!self.state.disagreed)
            .then(|| positions::opposition(&self.library.cast, &self.state.round))
            .flatten();
        let Some(found) = found else { return Ok(None) };
        let side = |(persona, side): &(&Persona, Position)| {
            context! { name => persona.first_name(), option => side.favors.as_str(), reason => side.because.as_str() }
        };
        let values = context! { a => side(&found.a), b => side(&found.b) };
        let text = self.library.templates.render("notices/disagreement.txt", values)?;
        Ok(Some(Notice {
            notice: NoticeKind::Disagreement,
            by: self.lead.key.clone(),
            text: plain::clean(&text),
        }))
    }
}
