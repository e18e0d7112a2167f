//! What a person who types in a discussion may ask for besides being heard: how far the discussion is.

use crate::discussion::Discussion;
use crate::minutes;

/// Where a discussion is: "[late fees 01-03, turn 3 of 60]".
pub fn place(talk: &Discussion<'_>) -> String {
    let opened = talk.opened();
    let (name, step, turn) = (&opened.item_name, &opened.step.id, talk.turn_count());
    format!("[{name} {step}, turn {turn} of {}]", opened.max_turns)
}

/// How far a discussion is, in lines: turns, decisions and open questions.
pub fn status(talk: &Discussion<'_>) -> Vec<String> {
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
