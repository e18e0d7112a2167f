//! Taking back the last message of the step under way. The log keeps the message and that it was taken back;
//! the state is what it was before the message.

use super::event::{Event, Record};
use super::{Analysis, Refused, Stage};

/// An answer, silence at a question, a remark at the menu, or another depth.
const fn is_message(event: &Event) -> bool {
    matches!(
        event,
        Event::Answered { .. } | Event::Unanswered { .. } | Event::Feedback { .. } | Event::Depth { .. }
    )
}

/// What was said in the discussion is committed, or is of another step.
const fn is_bound(event: &Event) -> bool {
    matches!(event, Event::Begun(_) | Event::Landed(_) | Event::Elaborated { .. })
}

/// The log without what was taken back.
pub(super) fn standing(log: &[Record]) -> Vec<&Record> {
    let mut kept: Vec<&Record> = Vec::new();
    for record in log {
        match record.event {
            Event::TakenBack {} => {
                let last = kept.iter().rposition(|record| is_message(&record.event));
                kept.truncate(last.unwrap_or(kept.len()));
            }
            _ => kept.push(record),
        }
    }
    kept
}

impl Analysis<'_> {
    /// The last message of the step under way that can be taken back: its words, empty for silence.
    pub fn last_message(&self) -> Option<&str> {
        self.current()?;
        let own = standing(&self.log);
        let last = own.into_iter().rev().take_while(|record| !is_bound(&record.event));
        last.map(|record| &record.event).find(|event| is_message(event)).map(|event| match event {
            Event::Answered { text, .. } | Event::Feedback { text, .. } | Event::Depth { text, .. } => text,
            _ => "",
        })
    }

    /// What was said of the step under way since it began or landed, in order; none is silence.
    pub fn said_so_far(&self) -> Vec<Option<String>> {
        let own = standing(&self.log);
        let last = own.iter().rposition(|record| is_bound(&record.event));
        let own = own.get(last.map_or(0, |at| at + 1)..).unwrap_or_default();
        let said = own.iter().filter(|record| is_message(&record.event)).map(|record| match &record.event {
            Event::Answered { text, .. } | Event::Feedback { text, .. } | Event::Depth { text, .. } => {
                Some(text.clone())
            }
            _ => None,
        });
        said.collect()
    }

    /// Folds the log again up to the last message.
    pub(super) fn before_last(&mut self, stage: Stage) -> Result<Stage, (Box<Stage>, Refused)> {
        let refused = Refused("a message that is taken back");
        let (Stage::Asking(talk) | Stage::Choosing(talk)) = &stage else {
            return Err((Box::new(stage), refused));
        };
        let from = talk.from;
        let kept = standing(&self.log);
        let is_own = kept.iter().rev().find(|one| is_message(&one.event) || is_bound(&one.event));
        let last = kept.iter().rposition(|record| is_message(&record.event));
        let (true, Some(last)) = (is_own.is_some_and(|one| is_message(&one.event)), last) else {
            return Err((Box::new(stage), refused));
        };
        let Ok(mut earlier) = Analysis::open(self.library, self.log[0].clone()) else {
            return Err((Box::new(stage), refused));
        };
        for record in &kept[1..last] {
            if let Err(refused) = earlier.record((*record).clone()) {
                return Err((Box::new(stage), refused));
            }
        }
        self.depths = earlier.depths;
        Ok(match earlier.stage {
            Stage::Asking(mut talk) => {
                talk.from = from;
                Stage::Asking(talk)
            }
            Stage::Choosing(mut talk) => {
                talk.from = from;
                Stage::Choosing(talk)
            }
            stage => stage,
        })
    }
}
