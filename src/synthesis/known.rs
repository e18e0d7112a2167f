//! What of a discussion goes to no document: questions that the documents ask already, and kinds of entries that the
//! item's layout has no place for.
//!
//! Invariant: a question is left out only where a line of a document has its words; the recording keeps it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Placed, Staying};
use crate::discussion::Finished;
use crate::discussion::closing::key;
use crate::discussion::summary::{Question, Summary};
use crate::item::Item;
use crate::item::layout::{Layout, Place};
use crate::text::ids::is_line_below;
use crate::text::markdown::{Part, VisibleLine, read};
use crate::text::plain::count;

/// How a question ends.
const MARKS: [char; 3] = ['?', '？', '؟'];

/// A discussion without the questions that the item's documents ask already.
pub(super) fn without_known_questions<'f>(item: &Item, finished: &'f Finished) -> Cow<'f, Finished> {
    if finished.summary.landing_questions().is_empty() {
        return Cow::Borrowed(finished);
    }
    let asked: HashSet<String> = item.documents().flat_map(|(_, text)| asked_in(text)).collect();
    if !finished.summary.landing_questions().iter().any(|one| asked.contains(&key(&one.text))) {
        return Cow::Borrowed(finished);
    }
    Cow::Owned(with_questions(finished, &|one| !asked.contains(&key(&one.text))))
}

/// A discussion with some of its open questions.
pub fn with_questions(finished: &Finished, is_wanted: &dyn Fn(&Question) -> bool) -> Finished {
    let mut some = finished.clone();
    if let Some(lands) = &mut some.summary.lands {
        let landing = finished.summary.landing_questions();
        lands.open_questions = landing.iter().filter(|one| is_wanted(one)).count();
    }
    some.summary.open_questions.retain(|one| is_wanted(one));
    some
}

/// The keys of the questions that people see in a document: no heading, and no line with a decision below it.
pub fn asked_in(text: &str) -> Vec<String> {
    if !text.contains(MARKS) {
        return Vec::new();
    }
    let lines = read(text);
    let is_answered = |at: usize| lines.get(at + 1).is_some_and(|next| is_line_below(&next.text()));
    let is_asked = |(at, line): &(usize, &VisibleLine)| line.part != Part::Heading && !is_answered(*at);
    let asked = lines.iter().enumerate().filter(is_asked).map(|(_, line)| line.text());
    asked.filter(|line| line.contains(MARKS)).map(|line| key(&line)).collect()
}

/// The additions that go to no document.
fn further_additions(summary: &Summary) -> usize {
    summary.additions.len() - summary.landing_additions().len()
}

/// What of a discussion stays in the recording; `new` is what went to the documents.
pub(super) fn staying(
    finished: &Finished,
    new: &Finished,
    layout: &Layout,
    placed_at: &[Placed],
) -> Vec<Staying> {
    let (all, added) = (&finished.summary, &new.summary);
    let (landing, placed) = (all.landing_questions().len(), added.landing_questions().len());
    let (questions, additions) = (all.open_questions.len() - landing, further_additions(all));
    let most = |number: usize| format!("a discussion adds the first {number}");
    let no_place = format!("the layout {} has no place for such entries", layout.name);
    let without_place = |place: &Place, number: usize| if *place == Place::Recording { number } else { 0 };
    // Without a new record there is no place that they could go to.
    let is_recordless = layout.questions == Place::Record && !placed_at.iter().any(|one| one.created);
    let recordless = if is_recordless { all.open_questions.len() } else { 0 };
    let why_recordless = match all.decisions.is_empty() {
        true => "no decision was made, so there is no new record",
        false => "the decisions are in an earlier record, so there is no new one",
    };
    let questions = if is_recordless { 0 } else { questions };
    [
        (questions, "open question", most(landing)),
        (additions, "proposed addition", most(all.landing_additions().len())),
        (
            if is_recordless { 0 } else { landing - placed },
            "open question",
            "the documents have the same words".to_owned(),
        ),
        (recordless, "open question", why_recordless.to_owned()),
        (without_place(&layout.actions, all.action_items.len()), "action item", no_place.clone()),
        (without_place(&layout.insights, all.insights.len()), "insight", no_place),
    ]
    .into_iter()
    .filter(|(number, ..)| *number > 0)
    .map(|(number, what, reason)| Staying { what: count(number, what), is_one: number == 1, reason })
    .collect()
}
