//! Units of measure and numbers in words, for all who hold figures against each other.
//!
//! ```
//! use roundtable::text::units::{number, unit};
//!
//! assert_eq!(number("two"), Some(2.0));
//! assert_eq!((unit("hours"), unit("kg"), unit("lorries")), (Some(("time", 3600.0)), Some(("mass", 1.0)), None));
//! ```

/// Longer words are no unit and no number.
const MAX_BYTES: usize = 12;

/// A short word in lower case.
fn lower<'b>(word: &str, buffer: &'b mut [u8; MAX_BYTES]) -> Option<&'b str> {
    let buffer = buffer.get_mut(..word.len())?;
    buffer.copy_from_slice(word.as_bytes());
    buffer.make_ascii_lowercase();
    std::str::from_utf8(buffer).ok()
}

/// What a word measures, and how much of it one unit is: `min` is 60 of `time`. Signs such as `V` are read as they are
/// written, words in any case.
pub fn unit(word: &str) -> Option<(&'static str, f64)> {
    symbol(word).or_else(|| named(lower(word, &mut [0; MAX_BYTES])?))
}

fn symbol(word: &str) -> Option<(&'static str, f64)> {
    Some(match word {
        "%" => ("percent", 1.0),
        "€" => ("euro", 1.0),
        "$" => ("dollar", 1.0),
        "mm" => ("length", 0.001),
        "cm" => ("length", 0.01),
        "m" => ("length", 1.0),
        "km" => ("length", 1e3),
        "mg" => ("mass", 1e-6),
        "g" => ("mass", 1e-3),
        "kg" => ("mass", 1.0),
        "t" => ("mass", 1e3),
        "ml" | "mL" => ("volume", 1e-3),
        "l" | "L" => ("volume", 1.0),
        "mV" => ("voltage", 1e-3),
        "V" => ("voltage", 1.0),
        "kV" => ("voltage", 1e3),
        "mA" => ("current", 1e-3),
        "W" => ("power", 1.0),
        "kW" => ("power", 1e3),
        "MW" => ("power", 1e6),
        "kWh" => ("energy", 1.0),
        "Hz" => ("frequency", 1.0),
        "kHz" => ("frequency", 1e3),
        "MHz" => ("frequency", 1e6),
        "bar" => ("pressure", 1e3),
        "hPa" => ("pressure", 1.0),
        "dB" => ("level", 1.0),
        "dpi" => ("resolution", 1.0),
        "px" => ("pixel", 1.0),
        "rpm" => ("speed", 1.0),
        _ => return None,
    })
}

fn named(word: &str) -> Option<(&'static str, f64)> {
    Some(match word {
        "ms" | "millisecond" | "milliseconds" => ("time", 0.001),
        "s" | "sec" | "secs" | "second" | "seconds" => ("time", 1.0),
        "min" | "mins" | "minute" | "minutes" => ("time", 60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => ("time", 3600.0),
        "d" | "day" | "days" => ("time", 86400.0),
        "week" | "weeks" => ("time", 604_800.0),
        "mo" | "month" | "months" => ("time", 2_629_746.0),
        "year" | "years" => ("time", 31_556_952.0),
        "kb" => ("size", 1e3),
        "mb" => ("size", 1e6),
        "gb" => ("size", 1e9),
        "tb" => ("size", 1e12),
        "kib" => ("size", 1024.0),
        "mib" => ("size", 1_048_576.0),
        "gib" => ("size", 1_073_741_824.0),
        "tib" => ("size", 1_099_511_627_776.0),
        "percent" => ("percent", 1.0),
        "euro" | "euros" | "eur" => ("euro", 1.0),
        "cent" | "cents" => ("euro", 0.01),
        "dollar" | "dollars" | "usd" => ("dollar", 1.0),
        "metre" | "metres" => ("length", 1.0),
        "kilogram" | "kilograms" => ("mass", 1.0),
        "litre" | "litres" | "liter" | "liters" => ("volume", 1.0),
        "volt" | "volts" => ("voltage", 1.0),
        _ => return None,
    })
}

/// The bytes of the shortest and the longest number in words.
const NUMBER_BYTES: std::ops::RangeInclusive<usize> = 3..=7;

/// The value of a number in words, in any case.
pub fn number(word: &str) -> Option<f64> {
    if !NUMBER_BYTES.contains(&word.len()) {
        return None;
    }
    Some(match lower(word, &mut [0; MAX_BYTES])? {
        "one" => 1.0,
        "two" => 2.0,
        "three" => 3.0,
        "four" => 4.0,
        "five" => 5.0,
        "six" => 6.0,
        "seven" => 7.0,
        "eight" => 8.0,
        "nine" => 9.0,
        "ten" => 10.0,
        "eleven" => 11.0,
        "twelve" => 12.0,
        "fifteen" => 15.0,
        "twenty" => 20.0,
        "thirty" => 30.0,
        "forty" => 40.0,
        "fifty" => 50.0,
        "sixty" => 60.0,
        "ninety" => 90.0,
        _ => return None,
    })
}
