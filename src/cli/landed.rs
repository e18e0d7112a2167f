//! What is said of a discussion that has landed, or would land, whichever verb it came from.

use serde_json::{Value, json};

use super::screen::Screen;
use super::unified::unified;
use crate::item::Change;
use crate::plain::count;
use crate::synthesis::Outcome;
use crate::walk::Held;

/// `Updated …, section "…": added ….`, a line an artifact.
pub fn announce(outcome: &Outcome, screen: &Screen) {
    screen.say("");
    for line in &outcome.announcements {
        screen.say(line);
    }
}

/// The artifacts that took an addition, as `--json` names them (contract, section 2).
pub fn artifacts(outcome: &Outcome) -> Vec<Value> {
    let one = |placed: &crate::synthesis::Placed| {
        json!({
            "path": placed.path, "section": placed.section, "created": placed.created,
            "added_lines": placed.added_lines, "description": placed.description,
        })
    };
    outcome.placed.iter().map(one).collect()
}

/// A discussion that an analysis has held, as `--json` tells it (contract, section 2).
pub fn held(held: &Held) -> Value {
    let (finished, outcome) = (&held.finished, &held.outcome);
    let opened = &finished.opened;
    json!({
        "item": opened.item,
        "step_id": opened.step.id,
        "branch": opened.branch,
        "base": held.base,
        "commit": held.commit.map(|commit| commit.to_string()),
        "exit": finished.closed.exit,
        "turn_count": finished.closed.turn_count,
        "max_turns": opened.max_turns,
        "lead": opened.lead,
        "voice": opened.voice,
        "artifacts": artifacts(outcome),
        "recording": outcome.recording,
        "run": opened.run,
        "already_recorded": held.already_recorded,
        "synthesis_summary": finished.summary.summary,
        "usage": held.usage,
    })
}

/// A change as people read it: of a new recording, which repeats what was just said, only that it is there.
pub fn say_change(change: &Change, screen: &Screen) {
    if change.path.ends_with(".jsonl") && change.before.is_none() {
        let events = String::from_utf8_lossy(&change.after).lines().count();
        let path = crate::plain::shown(&change.path);
        return screen.say_diff(&format!(
            "--- /dev/null\n+++ b/{path}\n+{} of this discussion",
            count(events, "event")
        ));
    }
    screen.say_diff(&unified(change));
}
