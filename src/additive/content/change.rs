//! How two texts differ: the words that do, and what kind of change it is.
//!
//! A change is `weakened` by the keywords of BCP 14 and a closed list of words of the same kind; all other kinds
//! are told by structure and digits.
//!
//! ```
//! use roundtable::additive::Kind;
//! use roundtable::additive::content::change::{differences, kind};
//!
//! assert_eq!(kind("A swap must be answered.", "A swap should be answered."), Kind::Weakened);
//! assert_eq!(kind("Within 24 hours.", "Within 48 hours."), Kind::Number);
//! let (old, new) = differences("Within 24 hours.", "Within 48 hours.");
//! assert_eq!((old, new), (vec![7..9], vec![7..9]));
//! ```

use std::ops::Range;

use super::fold::{folded, is_unspaced};
use crate::additive::Kind;

/// Words that make a demand one (BCP 14). In lower case.
const DEMANDS: &[&str] = &["may", "must", "optional", "recommended", "required", "shall", "should"];
/// Words that deny a demand, or say for how many it holds.
const SCOPES: &[&str] = &["all", "each", "every", "never", "no", "not", "only"];

/// Texts with more pairs of words than this are compared from both ends only.
const MOST_PAIRS: usize = 250_000;

/// The words of a text, with the marks that are on them.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, sign) in text.char_indices() {
        // In a script without blanks each sign counts as a word.
        let is_unspaced = is_unspaced(sign);
        if sign.is_whitespace() || is_unspaced {
            found.extend(start.take().map(|from| from..at));
        } else if start.is_none() {
            start = Some(at);
        }
        if is_unspaced && sign.is_alphanumeric() {
            found.push(at..at + sign.len_utf8());
        }
    }
    found.extend(start.map(|from| from..text.len()));
    found
}

/// A word without the marks around it; the minus of a number is none.
fn bare(word: &str) -> &str {
    let is_mark = |sign: char| !sign.is_alphanumeric() && sign != '%' && sign != '@';
    let bare = word.trim_matches(is_mark);
    let start = word.len() - word.trim_start_matches(is_mark).len();
    let minus = word[..start].chars().next_back().filter(|sign| matches!(sign, '-' | '−'));
    match minus.filter(|_| bare.starts_with(|sign: char| sign.is_ascii_digit())) {
        Some(minus) => &word[start - minus.len_utf8()..start + bare.len()],
        None => bare,
    }
}

/// Which parts of two texts have a partner, in order, in the other.
pub(in crate::additive) struct Common {
    pub old: Vec<bool>,
    pub new: Vec<bool>,
    /// There is no longer common subsequence.
    pub is_longest: bool,
}

/// The longest common subsequence of words or lines; of very long texts what they begin and end with alike.
pub(in crate::additive) fn common<T: PartialEq>(old: &[T], new: &[T]) -> Common {
    let (mut in_old, mut in_new) = (vec![false; old.len()], vec![false; new.len()]);
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    in_old[..start].fill(true);
    in_new[..start].fill(true);
    in_old[old.len() - end..].fill(true);
    in_new[new.len() - end..].fill(true);
    let is_longest = a.len() * b.len() <= MOST_PAIRS;
    if a.is_empty() || b.is_empty() || !is_longest {
        return Common { old: in_old, new: in_new, is_longest };
    }
    // lengths[i][j]: the longest common subsequence of a[i..] and b[j..].
    let width = b.len() + 1;
    let mut lengths = vec![0_u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i * width + j] = match a[i] == b[j] {
                true => lengths[(i + 1) * width + j + 1].saturating_add(1),
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            (in_old[start + i], in_new[start + j]) = (true, true);
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    Common { old: in_old, new: in_new, is_longest }
}

/// The words that differ, as ranges of both texts; neighbours are one range.
pub fn differences(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (was, is) = (words(old), words(new));
    let a: Vec<String> = was.iter().map(|range| word_key(&old[range.clone()])).collect();
    let b: Vec<String> = is.iter().map(|range| word_key(&new[range.clone()])).collect();
    let Common { old: in_old, new: in_new, .. } = common(&a, &b);
    (joined(&was, &in_old), joined(&is, &in_new))
}

/// A word as it is compared, whatever its style; a dash between blanks is a dash.
fn word_key(word: &str) -> String {
    match folded(word) {
        dash if dash == "-" => "--".to_owned(),
        word => word,
    }
}

/// The ranges of words that are not common, neighbours joined.
fn joined(ranges: &[Range<usize>], is_common: &[bool]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut continues = false;
    for (range, common) in ranges.iter().zip(is_common) {
        match (common, continues, found.last_mut()) {
            (true, _, _) => {}
            (false, true, Some(last)) => last.end = range.end,
            _ => found.push(range.clone()),
        }
        continues = !common;
    }
    found
}

/// How many words of an old text a new one has in order, and how many there are.
pub fn kept_words(old: &str, new: &str) -> (usize, usize) {
    let (was, is) = (words(old), words(new));
    let a: Vec<&str> = was.iter().map(|range| bare(&old[range.clone()])).collect();
    let b: Vec<&str> = is.iter().map(|range| bare(&new[range.clone()])).collect();
    let in_old = common(&a, &b).old;
    (in_old.iter().filter(|kept| **kept).count(), a.len())
}

/// What kind of change makes the one text of the other.
pub fn kind(old: &str, new: &str) -> Kind {
    kind_of(old, new, true)
}

/// What kind of change makes one block of code of another, and how many of its lines are kept. In code `not`, `all`
/// and their like are names; the keywords of BCP 14 are what they are in text.
pub fn code_kind(old: &str, new: &str) -> (Kind, usize) {
    let (was, is): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let Common { old: in_old, new: in_new, .. } = common(&was, &is);
    let differing = |lines: &[&str], is_common: &[bool]| {
        let all = lines.iter().zip(is_common).filter(|(_, common)| !**common).map(|(line, _)| *line);
        all.collect::<Vec<_>>().join("\n")
    };
    let kind = kind_of(&differing(&was, &in_old), &differing(&is, &in_new), false);
    (kind, in_old.iter().filter(|kept| **kept).count())
}

fn kind_of(old: &str, new: &str, is_speech: bool) -> Kind {
    let (was, is) = (words(old), words(new));
    let mut a: Vec<&str> = was.iter().map(|range| bare(&old[range.clone()])).collect();
    let mut b: Vec<&str> = is.iter().map(|range| bare(&new[range.clone()])).collect();
    // A word that is there twice in a row is there once; a number is not.
    let is_again = |this: &mut &str, last: &mut &str| this == last && !has_number(this);
    a.dedup_by(is_again);
    b.dedup_by(is_again);
    let Common { old: in_old, new: in_new, .. } = common(&a, &b);
    let pick = |words: &[&'_ str], common: &[bool]| -> Vec<(usize, String)> {
        let all = words.iter().zip(common).enumerate();
        all.filter(|(_, (_, common))| !**common).map(|(at, (word, _))| (at, (*word).to_owned())).collect()
    };
    let (taken, put) = (pick(&a, &in_old), pick(&b, &in_new));
    let mut differing = taken.iter().chain(&put);
    let any = |test: &dyn Fn(&str) -> bool| differing.clone().any(|(_, word)| test(word));
    if taken.iter().chain(&put).any(|(at, word)| is_modal(*at, word, is_speech)) {
        Kind::Weakened
    } else if any(&is_date) && !taken.iter().any(|(_, word)| has_number(word) && !is_date(word)) {
        Kind::Date
    } else if taken.iter().any(|(_, word)| has_number(word)) {
        Kind::Number
    } else if !taken.is_empty() && differing.all(|(at, word)| is_name(*at, word)) {
        Kind::Name
    } else {
        Kind::Wording
    }
}

/// Whether a word is one of modality, in any letter case; but May inside of a sentence is a month.
fn is_modal(at: usize, word: &str, is_speech: bool) -> bool {
    let lower = word.to_lowercase();
    let is_known = DEMANDS.contains(&lower.as_str()) || is_speech && SCOPES.contains(&lower.as_str());
    is_known && (at == 0 || word != "May")
}

/// Whether a word holds a number; digits between letters, as in e2e, are part of a name.
fn has_number(word: &str) -> bool {
    let signs: Vec<char> = word.chars().collect();
    let runs = signs.split(|sign| !sign.is_numeric());
    let mut start = 0;
    for run in runs {
        let end = start + run.len();
        let is_letter =
            |at: Option<usize>| at.and_then(|at| signs.get(at)).is_some_and(|sign| sign.is_alphabetic());
        let is_in_a_name = is_letter(start.checked_sub(1)) && is_letter(Some(end));
        if !run.is_empty() && !is_in_a_name {
            return true;
        }
        start = end + 1;
    }
    false
}

/// Whether a word is a date: three numbers with the same sign between them.
fn is_date(word: &str) -> bool {
    ['-', '.', '/'].iter().any(|sign| {
        let parts: Vec<&str> = word.split(['T', 't']).next().unwrap_or(word).split(*sign).collect();
        let is_number =
            |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let has_year = parts.iter().any(|part| part.len() == 4);
        parts.len() == 3 && parts.iter().all(is_number) && has_year
    })
}

/// Whether a word is a name by its form: a capital letter that begins no sentence, or a sign that words don't have.
fn is_name(at: usize, word: &str) -> bool {
    let has_inner = |signs: &[char]| word.trim_matches(signs).contains(signs);
    let is_capital = word.starts_with(char::is_uppercase);
    is_capital && at > 0
        || word.starts_with('@')
        || has_inner(&['_', '.', '/', ':'])
        || word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_marks_digits_and_form() {
        for (old, new, wanted) in [
            ("Letters are never sent on Sundays.", "Letters are sent on Sundays.", Kind::Weakened),
            ("All letters are kept.", "Letters are kept.", Kind::Weakened),
            ("Users MUST log in.", "Users must log in.", Kind::Weakened),
            ("Users log in.", "Users may log in.", Kind::Weakened),
            ("It is due in May.", "It is due in June.", Kind::Name),
            ("Due on 2026-03-01.", "Due on 2026-04-01.", Kind::Date),
            ("Due on 1.3.2026.", "Due on 1.4.2026.", Kind::Date),
            ("Within 24 hours.", "Within 24h.", Kind::Number),
            ("Version 1.2.3 is used.", "Version 1.2.4 is used.", Kind::Number),
            ("From 2026-03-01 it is 5 euros.", "From 2026-04-01 it is 50 euros.", Kind::Number),
            ("It is (0, 0, 1, 1).", "It is (0, 0, 8, 1).", Kind::Number),
            ("It is -5 degrees.", "It is 5 degrees.", Kind::Number),
            ("等待30天。", "等待60天。", Kind::Number),
            ("每位讀者收到一封信。", "每位讀者收到兩封信。", Kind::Wording),
            ("See #12 there.", "See the page there.", Kind::Number),
            ("Run the e2e tests.", "Run the slow tests.", Kind::Wording),
            ("The tests are planned.", "The tests are planned in step 3.", Kind::Wording),
            ("It should should say so.", "It should say so.", Kind::Wording),
            ("Ask Maya about it.", "Ask Tom about it.", Kind::Name),
            ("Call app.start first.", "Call app.begin first.", Kind::Name),
            ("Pay at the desk.", "Pay at the gate.", Kind::Wording),
            ("The rota is printed.", "The rota is sent.", Kind::Wording),
        ] {
            assert_eq!(kind(old, new), wanted, "{old} -> {new}");
        }
    }

    #[test]
    fn code_is_told_by_the_lines_that_differ() {
        let old = "wait 5\nif not open\nall = 1\n";
        for (new, wanted) in [
            ("wait 5\nif open\nall = 1\n", (Kind::Wording, 2)),
            ("wait 6\nif not open\nall = 1\n", (Kind::Number, 2)),
            ("wait 5\nif not open\n", (Kind::Number, 2)),
            ("wait 5\nif not open\nall = 1\nit must be so\n", (Kind::Weakened, 3)),
        ] {
            assert_eq!(code_kind(old, new), wanted, "{new}");
        }
    }

    #[test]
    fn words_are_counted_in_order() {
        assert_eq!(kept_words("a b c d", "x a c d"), (3, 4));
        assert_eq!(kept_words("a b", "b a"), (1, 2));
        assert_eq!(kept_words("收到一封信", "收到兩封信"), (4, 5));
        assert_eq!(kept_words("Pay now.", "pay now"), (1, 2));
        assert_eq!(differences("a b c", "a x y c").1, vec![2..5]);
        let long = "w ".repeat(3_000);
        assert_eq!(kept_words(&long, &format!("x {long} y")), (0, 3_000));
    }
}
