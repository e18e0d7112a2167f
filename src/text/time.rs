//! Moments, as recordings and records write them.

use chrono::{DateTime, SecondsFormat, Utc};

/// A moment in UTC, to the millisecond, as recordings and records write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(DateTime<Utc>);

/// How a time is written.
pub const FORM: &str = "write it like 2026-02-20T14:30:00Z (RFC 3339)";

impl Time {
    /// A moment, cut to its millisecond.
    pub fn new(moment: DateTime<Utc>) -> Time {
        Time(DateTime::from_timestamp_millis(moment.timestamp_millis()).unwrap_or(moment))
    }

    /// Reads RFC 3339.
    ///
    /// # Errors
    /// Text in another form, or a year outside 0 to 9999.
    pub fn parse(text: &str) -> Result<Time, NotATime> {
        let refused = || {
            NotATime(crate::text::plain::cut(
                &crate::text::plain::one_line(&crate::text::plain::clean(text)),
                40,
            ))
        };
        let moment = DateTime::parse_from_rfc3339(text).map_err(|_| refused())?.with_timezone(&Utc);
        (0..=9999).contains(&chrono::Datelike::year(&moment)).then(|| Time::new(moment)).ok_or_else(refused)
    }

    /// The moment so many days later.
    pub fn after_days(self, days: i64) -> Time {
        Time(self.0 + chrono::TimeDelta::days(days))
    }

    /// Seconds since the epoch.
    pub fn seconds(self) -> i64 {
        self.0.timestamp()
    }

    /// The day in the form of ISO 8601: `2026-02-20`.
    pub fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }

    /// The digits of the timestamp, as file names carry them: `20260220T143000000Z`.
    pub fn digits(self) -> String {
        self.to_string().replace(['-', ':', '.'], "")
    }
}

/// Text that is no RFC 3339 time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a time")]
pub struct NotATime(String);

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use chrono::{Datelike as _, Timelike as _};
        let Time(at) = self;
        // What chrono's own form comes to for the years there are, many times faster: every line of a
        // recording has one.
        if !(0..=9999).contains(&at.year()) || at.nanosecond() >= 1_000_000_000 {
            return f.write_str(&at.to_rfc3339_opts(SecondsFormat::Millis, true));
        }
        let (date, time) = (at.date_naive(), at.time());
        let mut text = *b"0000-00-00T00:00:00.000Z";
        put(&mut text[..4], date.year().unsigned_abs());
        put(&mut text[5..7], date.month());
        put(&mut text[8..10], date.day());
        put(&mut text[11..13], time.hour());
        put(&mut text[14..16], time.minute());
        put(&mut text[17..19], time.second());
        put(&mut text[20..23], time.nanosecond() / 1_000_000);
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

/// The last digits of a number.
fn put(digits: &mut [u8], mut number: u32) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Whether a text is a day, such as `2026-02-20`.
pub fn is_day(text: &str) -> bool {
    let is_sign = |(byte, form): (u8, u8)| if form == b'0' { byte.is_ascii_digit() } else { byte == form };
    text.len() == 10 && text.bytes().zip(*b"0000-00-00").all(is_sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_chrono_writes_it() {
        for seconds in [-62_167_219_200, -1, 0, 951_782_400, 1_771_597_800, 253_402_300_799] {
            for nanoseconds in [0, 1_000_000, 999_999_999] {
                let at = Time::new(DateTime::from_timestamp(seconds, nanoseconds).unwrap());
                assert_eq!(at.to_string(), at.0.to_rfc3339_opts(SecondsFormat::Millis, true));
            }
        }
    }

    #[test]
    fn times_outside_rfc_3339_are_refused() {
        for text in ["", "yesterday", "2026-02-20", "2026-02-30T00:00:00Z", "2026-02-20 14:30"] {
            assert!(Time::parse(text).is_err(), "{text}");
        }
    }
}
