//! What is said of a discussion that has landed, or would land, whichever verb it came from.

use serde_json::{Value, json};

use super::screen::Screen;
use crate::analysis::Stopped;
use crate::discussion::critiques;
use crate::item::Change;
use crate::run::Landed;
use crate::run::analyze::Analyzed;
use crate::run::diff::unified;
use crate::run::walk::Drafting;
use crate::synthesis::Outcome;
use crate::text::plain::count;

/// The artifacts that took an addition, as `--json` names them.
pub fn artifacts(outcome: &Outcome) -> Vec<Value> {
    let one = |placed: &crate::synthesis::Placed| {
        json!({
            "path": placed.path, "section": placed.section, "created": placed.created,
            "added_lines": placed.added_lines, "description": placed.description,
        })
    };
    outcome.placed.iter().map(one).collect()
}

/// What `--json` prints of a discussion.
pub fn to_json(landed: &Landed) -> Value {
    let Landed { held, outcome, .. } = landed;
    let (opened, finished) = (held.opened(), held.finished());
    let summary = finished.map(|finished| &finished.summary);
    let left: Vec<Value> =
        outcome.left.iter().map(|left| json!({"path": left.path, "reason": left.reason})).collect();
    let stays: Vec<Value> =
        outcome.stays.iter().map(|one| json!({"what": one.what, "reason": one.reason})).collect();
    let left_out: Vec<Value> =
        held.left_out.iter().map(|one| json!({"by": one.by, "reason": one.reason})).collect();
    let mut report = json!({
        "item": opened.item,
        "step_id": opened.step.id,
        "branch": landed.branch,
        "base": landed.base,
        "commit": landed.commit.map(|commit| commit.to_string()),
        "exit": finished.map(|finished| finished.closed.exit),
        "turn_count": held.turn_count(),
        "max_turns": opened.max_turns,
        "lead": opened.lead,
        "voice": opened.voice,
        "model": opened.model,
        "artifacts": artifacts(outcome),
        "left": left,
        "stays_in_recording": stays,
        "recording": outcome.recording,
        "run": opened.run,
        "already_recorded": landed.already_recorded,
        "synthesis_summary": summary.map(|summary| &summary.summary),
        "decisions": summary.map_or(0, |summary| summary.decisions.len()),
        "open_questions": summary.map_or(0, |summary| summary.open_questions.len()),
        "unheard": held.unheard(),
        "possible_decisions": summary.map_or(&[][..], |summary| &summary.possible_decisions),
        "unlisted_questions": summary.map_or(&[][..], |summary| &summary.unlisted_questions),
        "left_out": left_out,
        "warnings": critiques::warnings(held.log()).collect::<Vec<_>>(),
        "layout": opened.layout,
        "usage": held.usage.value(),
    });
    if finished.is_none() {
        report["open"] = json!(true);
    }
    report
}

fn drafted(draft: &Drafting) -> Value {
    json!({"step_id": draft.step, "voice": draft.voice, "usage": draft.usage.value()})
}

/// What `--json` prints of an analysis.
pub fn analysis_to_json(analyzed: &Analyzed) -> Value {
    let Analyzed { walked, path, branch, .. } = analyzed;
    let commits: Vec<String> = walked.commits.iter().map(ToString::to_string).collect();
    let mut report = json!({
        "item": path,
        "branch": branch,
        "commit": commits.last(),
        "commits": commits,
        "steps_completed": walked.item.meta.steps_completed(),
        "phases_completed": walked.item.meta.phases_completed(),
        "phase": walked.phase,
        "next_step": walked.next_step,
        "elaborations": walked.elaborations.iter().map(to_json).collect::<Vec<_>>(),
        "stopped": match walked.stopped {
            Stopped::Complete => "complete",
            Stopped::OutOfAnswers => "out-of-answers",
        },
    });
    if !walked.drafts.is_empty() {
        report["drafts"] = walked.drafts.iter().map(drafted).collect();
    }
    report
}

/// A change as people read it: of a new recording, which repeats what was just said, only that it is there.
pub fn say_change(change: &Change, screen: &Screen) {
    if change.path.ends_with(".jsonl") && change.before.is_none() {
        let events = String::from_utf8_lossy(&change.after).lines().count();
        let path = crate::text::plain::shown(&change.path);
        return screen.say_diff(&format!(
            "--- /dev/null\n+++ b/{path}\n+{} of this discussion",
            count(events, "event")
        ));
    }
    screen.say_diff(&unified(change));
}
