//! A decision that names an id leaves a line below that id; replay and `why` know it as ours.

use crate::kit::{AT, BRANCH, ITEM, sandbox};

const NOTES: &str = "# Notes\n\n- **FR-002**: the fee is named\n- FR-003: an answer\n";

#[test]
fn a_decision_is_below_its_id_once_for_each_id_and_replays() {
    let sandbox = sandbox();
    let path = format!("{ITEM}/a-notes.md");
    sandbox.commit(&[(&path, NOTES)]);
    let talk = "Decision: FR-002 and FR-003 hold for letters, because letters take days.\ndone\n";
    let script = sandbox.script("s.txt", talk);
    sandbox.run(&["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT]).ok();
    let line = "  - Decided 2026-02-20 (Sam): FR-002 and FR-003 hold for letters, because letters take days";
    let wanted = format!("# Notes\n\n- **FR-002**: the fee is named\n{line}\n- FR-003: an answer\n{line}\n");
    let commit = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    let entry = commit.tree().unwrap().get_path(std::path::Path::new(&path)).unwrap();
    let after = String::from_utf8(sandbox.git.find_blob(entry.id()).unwrap().content().to_vec()).unwrap();
    let by = after.split_once("2026-02-20 (").unwrap().1.split_once(')').unwrap().0.to_owned();
    assert_eq!(after.replace(&format!("({by})"), "(Sam)"), wanted);
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    sandbox.assert_sound();
}
