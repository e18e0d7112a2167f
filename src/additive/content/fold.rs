//! Text as `content` compares it: white space folded, and quotation marks, dashes and Unicode forms in one style.
//!
//! ```
//! use roundtable::additive::content::fold::folded;
//!
//! assert_eq!(folded("The “desk” sends\none — no more"), folded("The \"desk\" sends one -- no more"));
//! assert_ne!(folded("--all"), folded("-all"));
//! ```

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// Stands for an image or a tag in a text.
pub const OBJECT: char = '\u{fffc}';
/// Where a strike begins and ends.
pub const STRIKE: char = '\u{1}';
pub const END_STRIKE: char = '\u{2}';
/// Where the target of an image begins and ends, which is shown with the text of the image.
pub const TARGET: char = '\u{3}';
pub const END_TARGET: char = '\u{4}';

/// A text folded, without blanks around it.
pub fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(&mut out, text);
    out.truncate(out.trim_end().len());
    out
}

/// Adds a text to one that is folded. Blanks at the beginning of a line are none.
pub fn fold_into(out: &mut String, text: &str) {
    fold_with(out, text, &mut |_, _| {});
}

/// As [`fold_into`]; says where a sign was written in another style, and how.
pub fn fold_with(out: &mut String, text: &str, note: &mut dyn FnMut(Range<usize>, String)) {
    let text: Cow<'_, str> = match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    };
    let mut signs = text.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(sign) = signs.next() {
        let (start, mut count) = (out.len(), 1);
        match sign {
            _ if sign.is_whitespace() => push_space(out),
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' => out.push('"'),
            '‘' | '’' | '‚' | '‛' | '′' => out.push('\''),
            '…' => out.push_str("..."),
            '\u{2010}' | '\u{2011}' => out.push('-'),
            '—' | '―' => out.push_str("--"),
            '–' => {
                let is_digit = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_digit());
                let is_range = is_digit(before) && is_digit(signs.peek().copied());
                out.push_str(if is_range { "-" } else { "--" });
            }
            '-' => {
                while signs.next_if_eq(&'-').is_some() {
                    count += 1;
                }
                // A line may be wrapped after it.
                let is_blank = |sign: char| sign.is_whitespace();
                let is_alone = before.is_some_and(is_blank) && signs.peek().copied().is_none_or(is_blank);
                match count {
                    1 if !is_alone => out.push('-'),
                    1..=3 => out.push_str("--"),
                    _ => (0..count).for_each(|_| out.push('-')),
                }
            }
            OBJECT => out.push('\u{fffd}'),
            _ if sign.is_control() => out.push('\u{fffd}'),
            _ => out.push(sign),
        }
        let may_differ = sign == '-' || !sign.is_ascii() && !sign.is_whitespace() && !sign.is_control();
        if may_differ && sign != OBJECT && !out[start..].chars().eq(std::iter::repeat_n(sign, count)) {
            note(start..out.len(), std::iter::repeat_n(sign, count).collect());
        }
        before = Some(sign);
    }
}

pub fn push_space(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

/// Whether a sign is of a script that is written without blanks, in which lines are wrapped anywhere: Chinese, Japanese
/// and the marks of both (CJK blocks of Unicode 16).
pub fn is_unspaced(sign: char) -> bool {
    matches!(sign, '\u{2e80}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// A piece's text for people.
pub fn shown(text: &str) -> String {
    text.replace([STRIKE, END_STRIKE], "~~").replace([TARGET, END_TARGET], "")
}

/// A piece's text without where its images are.
pub fn without_targets(text: &str) -> String {
    let mut is_target = false;
    let is_shown = |sign: &char| {
        is_target = *sign == TARGET || is_target && *sign != END_TARGET;
        !is_target && *sign != END_TARGET
    };
    text.chars().filter(is_shown).collect()
}

/// A piece's words, struck out or not, without where its images are.
pub fn words_of(text: &str) -> String {
    without_targets(text).replace([STRIKE, END_STRIKE], "").trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_is_folded_and_meaning_is_not() {
        for (a, b) in [
            ("a -- b", "a – b"),
            ("a - b", "a — b"),
            ("a -", "a —"),
            ("1–2", "1-2"),
            ("it’s …", "it's ..."),
            ("a\u{a0}b \t c", "a b c"),
            ("e\u{301}", "é"),
        ] {
            assert_eq!(folded(a), folded(b), "{a:?} {b:?}");
        }
        for (a, b) in [("--x", "-x"), ("a-b", "a--b"), ("a b", "ab"), ("A", "a"), ("a\u{200b}b", "ab")] {
            assert_ne!(folded(a), folded(b), "{a:?} {b:?}");
        }
    }
}
