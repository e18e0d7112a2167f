//! The machine's clock, and whether a run waits for somebody.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Fail;
use crate::text::plain;
use crate::text::time::{self, Time};

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

/// A moment to measure a time from: it is recorded nowhere.
#[allow(clippy::disallowed_methods)]
pub fn moment() -> std::time::Instant {
    std::time::Instant::now()
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

/// A moment that an argument names.
///
/// # Errors
/// No moment, or one that git has no commit of.
pub fn fixed_at(name: &str, at: &str) -> Result<Time, Fail> {
    let time =
        Time::parse(at).map_err(|error| Fail::new(format!("{name}: {error}")).with_hint(time::FORM))?;
    of_a_commit(name, time)
}

/// git keeps times outside of these, and libgit2 turns them into others.
fn of_a_commit(name: &str, time: Time) -> Result<Time, Fail> {
    if u32::try_from(time.seconds()).is_err() {
        return Err(Fail::new(format!("{name}: {time} is not a time of a commit"))
            .with_hint("use one from 1970 to 2105"));
    }
    Ok(time)
}

/// The moment that SOURCE_DATE_EPOCH names, if it is set.
///
/// # Errors
/// No moment.
pub fn epoch() -> Result<Option<Time>, Fail> {
    #[allow(clippy::disallowed_methods)]
    let Some(epoch) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let text = plain::shown(&epoch.to_string_lossy());
    let wrong = || {
        Fail::new(format!("SOURCE_DATE_EPOCH is \"{text}\""))
            .with_hint("it is a whole number of seconds since 1970")
    };
    let seconds: i64 = text.parse().map_err(|_| wrong())?;
    let moment = chrono::DateTime::from_timestamp(seconds, 0).ok_or_else(wrong)?;
    of_a_commit("SOURCE_DATE_EPOCH", Time::new(moment)).map(Some)
}

/// The moment of SOURCE_DATE_EPOCH, else the machine's.
///
/// # Errors
/// As [`epoch`].
pub fn fixed_or_now() -> Result<Time, Fail> {
    Ok(epoch()?.unwrap_or_else(now))
}
