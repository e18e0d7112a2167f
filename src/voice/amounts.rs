//! Figures as lines and documents have them, with their units: `1,600`, `30 seconds`, `8 MB`, `80%`, `one hundred`.
//!
//! Two amounts are the same where figure and unit are; a minute is sixty seconds. Where one of them has no unit, the
//! figures alone are compared. Ids and names with digits are no amounts.
//!
//! ```
//! use roundtable::voice::amounts::amounts;
//!
//! let said = amounts("It waits 1 minute, at most.");
//! assert!(said[0].is_same(&amounts("60 s")[0]) && !said[0].is_same(&amounts("1 hour")[0]));
//! assert!(amounts("FR-001 and UTF-8").is_empty());
//! ```

use crate::text::words::{is_small, stem};

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    Time,
    Share,
    Data,
    Euros,
    Dollars,
}

use Measure::{Data, Dollars, Euros, Share, Time};

/// Units by their names in lower case, each with how much it is of the smallest one.
const UNITS: [(&str, Measure, f64); 38] = [
    ("ms", Time, 0.001),
    ("millisecond", Time, 0.001),
    ("milliseconds", Time, 0.001),
    ("s", Time, 1.0),
    ("sec", Time, 1.0),
    ("second", Time, 1.0),
    ("seconds", Time, 1.0),
    ("min", Time, 60.0),
    ("minute", Time, 60.0),
    ("minutes", Time, 60.0),
    ("h", Time, 3_600.0),
    ("hour", Time, 3_600.0),
    ("hours", Time, 3_600.0),
    ("day", Time, 86_400.0),
    ("days", Time, 86_400.0),
    ("week", Time, 604_800.0),
    ("weeks", Time, 604_800.0),
    ("month", Time, 2_592_000.0),
    ("months", Time, 2_592_000.0),
    ("year", Time, 31_536_000.0),
    ("years", Time, 31_536_000.0),
    ("%", Share, 1.0),
    ("percent", Share, 1.0),
    ("byte", Data, 1.0),
    ("bytes", Data, 1.0),
    ("kb", Data, 1e3),
    ("mb", Data, 1e6),
    ("gb", Data, 1e9),
    ("tb", Data, 1e12),
    ("kib", Data, 1_024.0),
    ("mib", Data, 1_048_576.0),
    ("gib", Data, 1_073_741_824.0),
    ("€", Euros, 1.0),
    ("eur", Euros, 1.0),
    ("euro", Euros, 1.0),
    ("euros", Euros, 1.0),
    ("$", Dollars, 1.0),
    ("usd", Dollars, 1.0),
];

/// English words of numbers below a hundred.
const NUMBERS: [(&str, f64); 27] = [
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("one", 1.0),
];
/// Sums of more amounts than this are not tried.
const MOST_PARTS: usize = 8;

/// A figure, and what it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    /// As it is written; digits without commas between thousands.
    pub figure: String,
    value: f64,
    unit: Option<(Measure, f64)>,
    /// It is written in words.
    is_spelled: bool,
    /// The stem of the word after it, where that has a subject: `answer` in "64 answers".
    counted: Option<String>,
}

impl Amount {
    pub const fn has_unit(&self) -> bool {
        self.unit.is_some()
    }

    /// Whether it may count what a line itself lists: a small number without a unit.
    pub fn is_count(&self) -> bool {
        self.unit.is_none() && self.value.fract() == 0.0 && self.value <= f64::from(MAX_COUNT)
    }

    /// Whether it is a small number in words: "two of them" claims nothing.
    pub fn is_spelled_count(&self) -> bool {
        self.is_spelled && self.is_count()
    }

    /// Whether it is "one", which others say as "a".
    pub fn is_article(&self) -> bool {
        self.is_spelled && self.value <= 1.0
    }

    /// Whether it says of nothing how many there are: it has neither a unit nor a word after it.
    pub const fn counts_nothing(&self) -> bool {
        self.unit.is_none() && self.counted.is_none()
    }

    /// Whether both say the same.
    pub fn is_same(&self, other: &Amount) -> bool {
        match (self.unit, other.unit) {
            (Some((what, scale)), Some((other_what, other_scale))) => {
                what == other_what && is_near(self.value * scale, other.value * other_scale)
            }
            _ => self.figure == other.figure || is_near(self.value, other.value),
        }
    }

    /// Whether the other counts the same things, and another number of them.
    pub fn contradicts(&self, other: &Amount) -> bool {
        self.counted.is_some() && self.counted == other.counted && !self.is_same(other)
    }

    /// Takes what the next figure counts: "30 and 45 seconds".
    fn share(&mut self, next: &Amount) {
        if self.unit.is_none() && self.counted.is_none() {
            self.unit = next.unit;
            self.counted.clone_from(&next.counted);
        }
    }

    /// Whether this is the sum of some of these.
    pub fn is_sum_of(&self, others: &[Amount]) -> bool {
        let measure = |one: &Amount| one.unit.map(|(what, _)| what);
        let value = |one: &Amount| one.value * one.unit.map_or(1.0, |(_, scale)| scale);
        let same = others.iter().filter(|one| measure(one) == measure(self));
        let values: Vec<f64> = same.take(MOST_PARTS).map(value).collect();
        let wanted = value(self);
        (0_u32..1 << values.len()).filter(|set| set.count_ones() > 1).any(|set| {
            let chosen = values.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
            is_near(chosen.map(|(_, value)| value).sum(), wanted)
        })
    }
}

/// A bare figure up to this may count what a line itself lists.
const MAX_COUNT: u32 = 12;

fn is_near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-9 * one.abs().max(two.abs())
}

/// The amounts of a text, in order.
pub fn amounts(text: &str) -> Vec<Amount> {
    let mut found: Vec<Amount> = Vec::new();
    let mut end_of_last = 0;
    let mut at = 0;
    while let Some(start) = text[at..].find(char::is_alphanumeric).map(|from| at + from) {
        let rest = &text[start..];
        let is_spelled = !rest.starts_with(|c: char| c.is_ascii_digit());
        let read = if is_spelled { spelled(rest) } else { digits(rest) };
        let Some((figure, value, length)) = read else {
            at = start + end_of_word(rest);
            continue;
        };
        at = start + length;
        let after = &text[at..];
        let unit = unit_before(&text[..start]).or_else(|| unit_after(after));
        let is_whole = unit.is_some() || !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if is_of_name(&text[..start]) || !is_whole {
            at += end_of_word(after);
            continue;
        }
        let counted = counted(after);
        // "One" alone is as often a pronoun.
        if is_spelled && value <= 1.0 && (unit.is_some() || counted.is_none()) {
            continue;
        }
        let amount = Amount { figure, value, unit, is_spelled, counted };
        if let Some(last) = found.last_mut().filter(|_| is_joined(&text[end_of_last..start])) {
            last.share(&amount);
        }
        found.push(amount);
        end_of_last = at;
    }
    found
}

/// A number in digits: as it is written, its value, and its length.
fn digits(text: &str) -> Option<(String, f64, usize)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !".,:".contains(c)).unwrap_or(text.len());
    let written = text[..end].trim_end_matches(['.', ',', ':']);
    let figure = written.replace(',', "");
    let value = figure.parse().unwrap_or(f64::NAN);
    Some((figure, value, written.len()))
}

/// A number in words: "thirty", "sixty-four", "one hundred".
fn spelled(text: &str) -> Option<(String, f64, usize)> {
    let (mut value, mut length) = below_hundred(text)?;
    for (word, factor) in [("hundred", 100.0), ("thousand", 1_000.0)] {
        let rest = text[length..].trim_start();
        let is_next = rest.get(..word.len()).is_some_and(|next| next.eq_ignore_ascii_case(word));
        if is_next && end_of_word(rest) == word.len() {
            value *= factor;
            length = text.len() - rest.len() + word.len();
        }
    }
    Some((text[..length].to_owned(), value, length))
}

fn below_hundred(text: &str) -> Option<(f64, usize)> {
    let of = |word: &str| {
        NUMBERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, value)| *value)
    };
    let end = end_of_word(text);
    let tens = of(&text[..end])?;
    let ones = text[end..].strip_prefix('-').and_then(|rest| Some((of(&rest[..end_of_word(rest)])?, rest)));
    Some(match ones {
        Some((ones, rest)) if tens >= 20.0 && ones < 10.0 => (tens + ones, end + 1 + end_of_word(rest)),
        _ => (tens, end),
    })
}

fn end_of_word(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len())
}

/// Whether there is nothing between two figures but what joins them.
fn is_joined(between: &str) -> bool {
    matches!(between.trim_matches([' ', ',', '\u{a0}']), "and" | "or" | "to" | "-" | "–" | "/")
}

/// Whether what is before a figure makes it part of a name: `FR-`, `v`, `a_`, `B2-`.
fn is_of_name(before: &str) -> bool {
    let is_joint = |c: char| c.is_alphanumeric() || "-_.#/".contains(c);
    let word = before.trim_end_matches(is_joint).len();
    before[word..].contains(char::is_alphabetic)
}

/// A sign of money just before a figure.
fn unit_before(before: &str) -> Option<(Measure, f64)> {
    let sign = before.chars().next_back().filter(|sign| matches!(sign, '€' | '$'))?;
    unit_named(sign.encode_utf8(&mut [0; 4]))
}

/// The unit that a text begins with, after a blank or a hyphen at most.
fn unit_after(after: &str) -> Option<(Measure, f64)> {
    let after = after.strip_prefix([' ', '-', '\u{a0}']).unwrap_or(after);
    let is_sign = after.starts_with(['%', '€', '$']);
    let end = match is_sign {
        true => after.chars().next().map_or(0, char::len_utf8),
        false => end_of_word(after),
    };
    unit_named(&after[..end])
}

fn unit_named(word: &str) -> Option<(Measure, f64)> {
    let word = word.to_lowercase();
    UNITS.iter().find(|(name, ..)| *name == word).map(|(_, what, scale)| (*what, *scale))
}

/// What a figure counts: the next word, unless it is one of the small words.
fn counted(after: &str) -> Option<String> {
    let word = after.strip_prefix([' ', '-', '\u{a0}'])?;
    let word = word[..end_of_word(word)].to_lowercase();
    let is_subject =
        word.chars().nth(2).is_some() && word.chars().all(char::is_alphabetic) && !is_small(&word);
    is_subject.then(|| stem(&word).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, bool)> {
        amounts(text).into_iter().map(|one| (one.figure.clone(), one.has_unit())).collect()
    }

    #[test]
    fn amounts_are_figures_with_their_units() {
        let text = "1,600 pixels, 30 seconds, 8 MB, 80%, 2-3 s, 500ms, €5. FR-001, UTF-8, v2, B2-7, a_1 and 3rd: none.";
        let wanted = [
            ("1600", false),
            ("30", true),
            ("8", true),
            ("80", true),
            ("2", true),
            ("3", true),
            ("500", true),
            ("5", true),
        ];
        assert_eq!(found(text), wanted.map(|(figure, unit)| (figure.to_owned(), unit)));
        assert_eq!(found("…5 ½ größe 7").len(), 2);
    }

    #[test]
    fn numbers_in_words_are_figures() {
        let text = "one hundred answers, sixty-four photos, thirty days, two thousand; one of ten someones";
        let wanted = [
            ("one hundred", false),
            ("sixty-four", false),
            ("thirty", true),
            ("two thousand", false),
            ("ten", false),
        ];
        assert_eq!(found(text), wanted.map(|(figure, unit)| (figure.to_owned(), unit)));
    }

    #[test]
    fn sums_are_of_one_kind() {
        let one = |text: &str| amounts(text).remove(0);
        let others = amounts("30 seconds, 10 s, 1 minute, 5 MB and 7");
        assert!(one("40 s").is_sum_of(&others) && one("100 seconds").is_sum_of(&others));
        assert!(
            !one("35 s").is_sum_of(&others)
                && !one("30 s").is_sum_of(&others)
                && !one("12").is_sum_of(&others)
        );
    }

    #[test]
    fn another_number_of_the_same_things_contradicts() {
        let one = |text: &str| amounts(text).remove(0);
        assert!(one("5 attempts").contradicts(&one("3 attempts")));
        assert!(!one("three attempts").contradicts(&one("3 attempts")));
        assert!(one("2 letters").contradicts(&one("one letter a month")));
        assert_eq!(amounts("one of them, that one, one day, one by one"), []);
        assert!(
            !one("5 gaps").contradicts(&one("3 attempts"))
                && !one("5 of them").contradicts(&one("3 of them"))
        );
    }
}
