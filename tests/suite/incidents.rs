//! The public shapes of loss: every one is found, and no harmless edit is stopped.

#[path = "../../benches/incidents/run.rs"]
mod run;

#[test]
fn every_shape_of_loss_is_found_and_no_harmless_edit_is_stopped() {
    let outcome = run::run(std::path::Path::new(env!("CARGO_BIN_EXE_roundtable")));
    let (_, check) = &outcome.guards[0];
    assert!(outcome.harms >= 30 && outcome.harmless >= 15);
    assert!(check.missed.is_empty(), "missed: {:?}\n{}", check.missed, outcome.table());
    assert!(check.false_alarms.is_empty(), "stopped: {:?}\n{}", check.false_alarms, outcome.table());
}
