//! Which entries of a model's synthesis go to documents: a reader takes a few in, so the best do.
//!
//! Invariant: nothing is lost. All entries are in the summary; the first ones go to documents, and the summary says how
//! many. What a user asked is always among them.

use super::summary::asked;
use crate::discussion::Discussion;
use crate::discussion::event::{Event, NoticeKind};
use crate::discussion::points::Weight;
use crate::discussion::summary::{Lands, Question, Summary};

/// Open questions that a document takes, users' own apart.
const MAX_QUESTIONS: usize = 7;
/// Proposals that the documents take.
const MAX_ADDITIONS: usize = 5;

/// Where a question comes from: the first kinds go first, and the last one to no document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    User,
    Disagreement,
    Synthesis,
    Point,
    Detail,
}

/// A summary with its questions and proposals in the order in which documents take them, and how many they take. One
/// that has few is as it was.
#[must_use]
pub fn with_limits(mut summary: Summary, talk: &Discussion<'_>) -> Summary {
    let origins: Vec<Origin> = summary.open_questions.iter().map(|one| origin(one, talk)).collect();
    let own = origins.iter().filter(|one| **one == Origin::User).count();
    let wanted = origins.iter().filter(|one| **one != Origin::Detail).count();
    let lands = Lands {
        open_questions: wanted.min(MAX_QUESTIONS.max(own)),
        additions: summary.additions.len().min(MAX_ADDITIONS),
    };
    if (lands.open_questions, lands.additions) == (origins.len(), summary.additions.len()) {
        return summary;
    }
    summary.open_questions.sort_by_key(|question| origin(question, talk));
    summary.lands = Some(lands);
    summary
}

fn origin(question: &Question, talk: &Discussion<'_>) -> Origin {
    if let Some(point) = talk.points().iter().find(|point| point.question == question.text) {
        return if point.weight == Weight::Detail { Origin::Detail } else { Origin::Point };
    }
    if question.turns.is_empty() {
        return Origin::Point;
    }
    let mut origin = Origin::Synthesis;
    for record in talk.log() {
        match &record.event {
            Event::User(message) if message.turn.is_some_and(|turn| question.turns.contains(&turn)) => {
                return Origin::User;
            }
            Event::Notice(notice)
                if notice.notice == NoticeKind::Disagreement && asked(&notice.text) == question.text =>
            {
                origin = Origin::Disagreement;
            }
            _ => {}
        }
    }
    origin
}
