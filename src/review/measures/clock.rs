//! Times of the day: "19:00", "six o'clock", "7 pm", "2 a.m.".
//!
//! Hours are told on the clock's face, from 0 to 12: "six o'clock" may be in the morning or in the evening, and in
//! doubt two times are the same.

use crate::review::page::Page;
use crate::review::token::{Kind, TIGHT, Token};

/// The time at a token, in hours, and where it ends; `number_word` is the value of "six".
pub fn at(
    page: &Page<'_>,
    sentence: &[Token],
    from: usize,
    number_word: impl Fn(&str) -> Option<f64>,
) -> Option<(f64, usize)> {
    let token = &sentence[from];
    let word = page.word(token);
    let hour = match token.kind {
        Kind::Number => word.parse().ok()?,
        Kind::Word => number_word(word)?,
        _ => return None,
    };
    if !(0.0..=24.0).contains(&hour) || is_tight(page, sentence, from) {
        return None;
    }
    let (minutes, to) = minutes(page, sentence, from).unwrap_or((None, from + 1));
    let half = half_of_day(page, sentence, to);
    let is_on_the_hour =
        sentence.get(to).is_some_and(|next| matches!(page.word(next), "o'clock" | "o\u{2019}clock"));
    let end = match (minutes, is_on_the_hour, half) {
        (_, true, _) => to + 1,
        (_, false, Some(end)) => end,
        (Some(_), false, None) => to,
        (None, false, None) => return None,
    };
    Some((hour % 12.0 + minutes.unwrap_or(0.0) / 60.0, end))
}

/// `:30` behind the hour, and nothing tight behind it.
fn minutes(page: &Page<'_>, sentence: &[Token], from: usize) -> Option<(Option<f64>, usize)> {
    let (sign, number) = (sentence.get(from + 1)?, sentence.get(from + 2)?);
    let is_joined = page.word(sign) == ":" && sign.has(TIGHT) && number.has(TIGHT);
    let is_pair = number.kind == Kind::Number && number.end - number.start == 2;
    let goes_on = sentence.get(from + 3).is_some_and(|next| next.has(TIGHT) && page.word(next) == ":");
    let minutes: f64 = page.word(number).parse().ok()?;
    (is_joined && is_pair && !goes_on && minutes < 60.0).then_some((Some(minutes), from + 3))
}

/// Where "am" or "p.m." ends.
fn half_of_day(page: &Page<'_>, sentence: &[Token], at: usize) -> Option<usize> {
    let word = |at: usize| sentence.get(at).map_or("", |token| page.word(token));
    match word(at) {
        "am" | "pm" | "AM" | "PM" => Some(at + 1),
        "a" | "p" if word(at + 1) == "." && word(at + 2) == "m" => Some(at + 3),
        _ => None,
    }
}

/// Something tight before it: "1:19:00", "v19:00".
fn is_tight(page: &Page<'_>, sentence: &[Token], from: usize) -> bool {
    let before = from.checked_sub(1).map_or("", |at| page.word(&sentence[at]));
    sentence[from].has(TIGHT) && !matches!(before, "(" | "\u{2013}" | "-" | "\"" | "\u{201c}")
}
