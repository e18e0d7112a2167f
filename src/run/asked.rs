//! The person who types in a discussion: they are asked for its next message, and may ask how far it is.

use crate::discussion::Discussion;
use crate::discussion::event::Event;
use crate::minutes;
use crate::run::Observer;
use crate::run::script::{Occasion, Reply, Script};

/// Asks until there is something for the table.
///
/// # Errors
/// They stopped, or cannot be asked: which of them.
pub fn listen(talk: &Discussion<'_>, script: &mut Script, observer: &dyn Observer) -> Result<(), String> {
    if !talk.log().iter().any(|record| matches!(record.event, Event::User(_) | Event::Silence {})) {
        observer.say("\nWhat you type is heard line by line. /help lists what else there is.");
    }
    observer.say(&format!("\n{}", place(talk)));
    loop {
        match script.ask(Occasion::Discussion { user: &talk.opened().user }) {
            Reply::Said(_) | Reply::Silence => {
                script.warnings.drain(..).for_each(|warning| observer.warn(&warning));
                return Ok(());
            }
            Reply::End => return Ok(()),
            Reply::Stopped => return Err("stopped by Ctrl-C".to_owned()),
            Reply::Status => status(talk).iter().for_each(|line| observer.say(line)),
            Reply::Failed(why) => return Err(why),
        }
    }
}

/// Where a discussion is: "[late fees 01-03, turn 3 of 60]".
fn place(talk: &Discussion<'_>) -> String {
    let opened = talk.opened();
    let (name, step, turn) = (&opened.item_name, &opened.step.id, talk.turn_count());
    format!("[{name} {step}, turn {turn} of {}]", opened.max_turns)
}

/// How far a discussion is, in lines: turns, decisions and open questions.
fn status(talk: &Discussion<'_>) -> Vec<String> {
    let so_far = minutes::summary(talk, talk.library().forms());
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
    lines
}
