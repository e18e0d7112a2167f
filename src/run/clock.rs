//! The machine's clock, and whether a run waits for somebody.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::text::time::Time;

/// The machine's clock.
#[allow(clippy::disallowed_methods)]
pub fn now() -> Time {
    Time::new(chrono::DateTime::from(std::time::SystemTime::now()))
}

/// Nanoseconds since the epoch: what tells two runs of the same moment apart.
#[allow(clippy::disallowed_methods)]
pub fn nanoseconds() -> u128 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos())
}

/// Whether this run waits for a model: then it takes its time, and has read what it needs.
static WAITS: AtomicBool = AtomicBool::new(false);

/// From here on a run may take as long as it takes.
pub fn takes_its_time() {
    WAITS.store(true, Ordering::Relaxed);
}

/// Whether a run waits for a model.
pub fn is_waiting() -> bool {
    WAITS.load(Ordering::Relaxed)
}
