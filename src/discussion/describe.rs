//! Events in a few words, for messages.

use super::event::Event;
use crate::text::plain;

pub(super) fn describe_text(text: &str) -> String {
    format!("\"{}\"", plain::cut(&plain::shown(text), 60))
}

/// An event in a few words, for messages.
pub fn describe(event: &Event) -> String {
    match event {
        Event::Opened(_) => "an opening".to_owned(),
        Event::Contribution(said) => {
            format!(
                "turn {} by {} ({:?}): \"{}\"",
                said.turn,
                said.by,
                said.purpose,
                plain::cut(&plain::one_line(&said.text), 60)
            )
        }
        Event::User(message) => {
            let turn = message.turn.map_or("no turn".to_owned(), |turn| format!("turn {turn}"));
            let text = plain::cut(&plain::one_line(&message.text), 60);
            format!("the user's {turn}, {:?} to [{}]: \"{text}\"", message.class, message.to.join(", "))
        }
        Event::Points(found) if found.points.is_empty() && found.need.is_some() => {
            "what a model asked for".to_owned()
        }
        Event::Points(found) => format!("{} of a reader", plain::count(found.points.len(), "point")),
        Event::Unheard(late) => {
            format!("a message that came too late: \"{}\"", plain::cut(&plain::one_line(&late.text), 60))
        }
        Event::Silence {} => "silence".to_owned(),
        Event::Paused(paused) => format!("the end of a run after {} turns", paused.turn_count),
        Event::Resumed(resumed) => {
            format!("another run on {}", plain::cut(&plain::shown(&resumed.base), 40))
        }
        Event::Notice(notice) => {
            format!(
                "the {:?} notice by {}: \"{}\"",
                notice.notice,
                notice.by,
                plain::cut(&plain::one_line(&notice.text), 60)
            )
        }
        Event::Critique(critique) => format!("a critique of {}", plain::cut(&plain::shown(&critique.on), 40)),
        Event::Synthesis(summary) => format!("a synthesis with {}", summary.description()),
        Event::Closed(closed) => {
            let digest = plain::cut(&plain::shown(&closed.digest), 64);
            format!(
                "the end by {} after {} turns, over a log of digest {digest}",
                closed.exit, closed.turn_count
            )
        }
    }
}
