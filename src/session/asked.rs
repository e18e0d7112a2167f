//! What a person who types in a discussion may ask for besides being heard: to take the last message back,
//! and to see how far the discussion is.

use crate::discussion::event::{Event, Record, Unheard};
use crate::discussion::{Discussion, Refused};
use crate::finding::Finding;
use crate::minutes::{self, Forms};
use crate::plain;
use crate::script::{Input, Script};

/// The answer where nothing was said that could be taken back.
pub const NOTHING_TO_TAKE_BACK: &str = "There is no message to take back.";

/// Where a discussion is: "[late fees 01-03, turn 3 of 60]".
pub fn place(talk: &Discussion<'_>) -> String {
    let opened = talk.opened();
    let (name, step, turn) = (&opened.item_name, &opened.step.id, talk.turn_count());
    format!("[{name} {step}, turn {turn} of {}]", opened.max_turns)
}

/// How far a discussion is, in lines: turns, decisions and open questions.
///
/// # Errors
/// A rule file of the repository that cannot be read.
pub fn status(talk: &Discussion<'_>) -> Result<Vec<String>, Finding> {
    let so_far = minutes::summary(talk, &Forms::of(talk.library())?);
    let opened = talk.opened();
    let mut lines = vec![format!(
        "Turn {} of {}; {} leads step {}, {}.",
        talk.turn_count(),
        opened.max_turns,
        talk.lead().first_name(),
        opened.step.id,
        opened.step.title
    )];
    let decisions = so_far.decisions.iter().map(|one| one.text.as_str()).collect();
    let questions = so_far.open_questions.iter().map(|one| one.text.as_str()).collect();
    let lists: [(&str, Vec<&str>); 2] = [("Decisions", decisions), ("Open questions", questions)];
    for (name, list) in lists {
        lines.push(format!("{name}: {}", if list.is_empty() { "none" } else { "" }));
        lines.extend(list.iter().map(|text| format!("- {text}")));
    }
    Ok(lines)
}

/// Takes the last message back: the discussion goes on from before it, and the script keeps it as not discussed.
/// Gives what is to be said of it; none where there is no message.
///
/// # Errors
/// The log does not replay.
pub fn take_back(talk: &mut Discussion<'_>, script: &mut Script) -> Result<Option<String>, Refused> {
    let of_user = |record: &Record| match &record.event {
        Event::User(message) => Some(message.clone()),
        _ => None,
    };
    let last = talk.log().iter().enumerate().rev();
    let Some((at, message)) = last.into_iter().find_map(|(at, one)| Some((at, of_user(one)?))) else {
        return Ok(None);
    };
    let before = talk.log()[..at].to_vec();
    *talk = Discussion::replay(talk.library(), talk.step(), &before.into())?;
    let said = format!("Taken back: {}", plain::cut(&plain::one_line(&message.text), 100));
    script.withdraw(Input { text: message.text, by: Some(message.by), at: None, comment: None });
    Ok(Some(said))
}

/// All that a log keeps of a discussion under way: its events, and the messages that were taken back.
pub fn kept(talk: &Discussion<'_>, script: &Script) -> Vec<Record> {
    let at = talk.log().last().map(|last| last.at);
    let unheard = |input: &Input| {
        let by = input.by.clone().unwrap_or_else(|| talk.opened().user.clone());
        Some(Record {
            at: at?,
            event: Event::Unheard(Unheard { by, text: input.text.clone(), comment: None }),
        })
    };
    talk.log().iter().cloned().chain(script.withdrawn().filter_map(unheard)).collect()
}

/// The events of a log that was cut off, and the messages in it that were taken back.
pub fn apart(log: Vec<Record>) -> (Vec<Record>, Vec<Input>) {
    let (mut events, mut withdrawn) = (Vec::new(), Vec::new());
    for record in log {
        match record.event {
            Event::Unheard(Unheard { by, text, comment }) => {
                withdrawn.push(Input { text, by: Some(by), at: None, comment });
            }
            _ => events.push(record),
        }
    }
    (events, withdrawn)
}
