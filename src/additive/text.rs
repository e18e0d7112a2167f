//! The line rule: the old lines are a subsequence of the new ones, byte for byte (G-S3).
//!
//! A line is the bytes up to and including LF; CR belongs to it, and nothing is normalised. The
//! one exception: a last line without a line end may gain `LF` or `CRLF`.
//!
//! Taking the leftmost match for each old line is complete: given any embedding, moving each old
//! line's image to the leftmost equal line after its predecessor's image never moves an image to
//! the right, so what follows still fits after it (exchange argument). One pass therefore decides
//! the rule in O(|old| + |new|), and no diff is needed.

use std::collections::HashMap;

use memchr::memchr;

use super::content::change::common;
use super::{Finding, Kind, quoted};

/// The lines of a text with their ends.
pub(super) struct Lines<'t>(&'t [u8]);

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t [u8]) -> Lines<'t> {
        Lines(text)
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let end = memchr(b'\n', self.0).map_or(self.0.len(), |at| at + 1);
        let (line, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(line)
    }
}

/// The first old line that the new text does not keep in order, if there is one.
pub fn losses(before: &[u8], after: &[u8]) -> Vec<Finding> {
    // What the two begin with alike needs no look at its lines.
    let shared = shared(before, after);
    let start = before[..shared].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (mut old, mut new) = (Lines::of(&before[start..]), Lines::of(&after[start..]));
    let mut passed = 0;
    while let Some(line) = old.next() {
        let last = old.0.is_empty() && !line.ends_with(b"\n");
        let keeps = |new: &[u8]| new == line || (last && without_end(new) == line);
        if !new.any(keeps) {
            let number = 1 + memchr::memchr_iter(b'\n', &before[..start]).count() + passed;
            return vec![first_lost(before, after, number, &|_, _| false)];
        }
        passed += 1;
    }
    Vec::new()
}

/// The first old line that is not kept, where the leftmost match finds no place for the line `failed`: a blank line
/// that is lost before it takes the place of a later one. Of several in a row it is the first with words.
pub(super) fn first_lost(
    before: &[u8],
    after: &[u8],
    failed: usize,
    may_change: &dyn Fn(usize, &[u8]) -> bool,
) -> Finding {
    let (old, new): (Vec<&[u8]>, Vec<&[u8]>) = (Lines::of(before).collect(), Lines::of(after).collect());
    let common = common(&old, &new);
    let is_lost = |at: &usize| {
        let gained_end = |line: &[u8]| *at + 1 == old.len() && new.iter().any(|new| without_end(new) == line);
        !common.old[*at] && !may_change(*at, old[*at]) && !gained_end(old[*at])
    };
    let first = (0..old.len()).find(is_lost).filter(|_| common.is_longest).unwrap_or(failed - 1);
    let has_words = |at: &usize| !old[*at].trim_ascii().is_empty();
    let at = (first..old.len()).take_while(is_lost).find(has_words).unwrap_or(first);
    lost(old[at], at + 1)
}

/// The old lines, by their places from zero, that the new text does not keep in order.
pub(super) fn lost_lines(before: &[u8], after: &[u8]) -> Vec<usize> {
    let (old, new): (Vec<&[u8]>, Vec<&[u8]>) = (Lines::of(before).collect(), Lines::of(after).collect());
    let gained_end = |at: usize| at + 1 == old.len() && new.iter().any(|new| without_end(new) == old[at]);
    let common = common(&old, &new);
    if common.is_longest {
        return (0..old.len()).filter(|at| !common.old[*at] && !gained_end(*at)).collect();
    }
    // The next place of each line, one after the other.
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    new.iter().enumerate().for_each(|(at, line)| places.entry(line).or_default().push(at));
    let mut next = 0;
    let mut is_lost = |at: &usize| {
        let found = places.get(old[*at]).and_then(|all| all.get(all.partition_point(|place| *place < next)));
        next = found.map_or(next, |place| place + 1);
        found.is_none() && !gained_end(*at)
    };
    (0..old.len()).filter(|at| is_lost(at)).collect()
}

/// A finding for each lost line; blank ones are named where there are no others.
pub(super) fn lost_one_by_one(before: &[u8], places: &[usize]) -> Vec<Finding> {
    let old: Vec<&[u8]> = Lines::of(before).collect();
    let has_words = |at: &&usize| !old[**at].trim_ascii().is_empty();
    let mut named: Vec<usize> = places.iter().filter(has_words).copied().collect();
    if named.is_empty() {
        named.extend(places.first());
    }
    named.into_iter().map(|at| lost(old[at], at + 1)).collect()
}

/// A text without some of its lines, and the numbers that the others had.
pub(super) fn without_lines(text: &[u8], places: &[usize]) -> (Vec<u8>, Vec<usize>) {
    let kept = Lines::of(text).enumerate().filter(|(at, _)| places.binary_search(at).is_err());
    let (mut left, mut numbers) = (Vec::with_capacity(text.len()), Vec::new());
    for (at, line) in kept {
        left.extend_from_slice(line);
        numbers.push(at + 1);
    }
    (left, numbers)
}

/// An old line that the new text does not keep.
fn lost(line: &[u8], number: usize) -> Finding {
    let shown = quoted(&String::from_utf8_lossy(without_end(line)));
    if memchr::memmem::find(line, super::block::MARKER.as_bytes()).is_some() {
        let message = format!("the marker \"{shown}\" is lost, changed or moved");
        return Finding::new(Kind::Hidden, number, message);
    }
    let message = match shown.as_str() {
        "" => "a blank line is lost or moved".to_owned(),
        _ => format!("the line \"{shown}\" is lost, changed or moved"),
    };
    Finding::new(Kind::LineLost, number, message)
}

/// A new line that holds a control character: readers disagree on what such a line is. Tabs and line ends
/// are none; old lines may hold what they hold.
pub fn control(before: &[u8], after: &[u8]) -> Option<Finding> {
    if !Lines::of(after).any(is_control) {
        return None;
    }
    let mut old: HashMap<&[u8], usize> = HashMap::new();
    Lines::of(before)
        .filter(|line| is_control(line))
        .for_each(|line| *old.entry(without_end(line)).or_default() += 1);
    for (at, line) in Lines::of(after).enumerate().filter(|(_, line)| is_control(line)) {
        match old.get_mut(without_end(line)).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => {
                let message = "a new line holds a control character".to_owned();
                let new = Some(String::from_utf8_lossy(without_end(line)).into_owned());
                return Some(Finding { new, ..Finding::new(Kind::Control, 1, message).head(at + 1) });
            }
        }
    }
    None
}

/// Whether a line holds a control character (Unicode's Cc, and the line and paragraph separators) besides
/// tabs and its end.
pub(super) fn is_control(line: &[u8]) -> bool {
    let line = without_end(line);
    let plain = line.iter().all(|byte| (0x20..0x7f).contains(byte) || *byte == b'\t');
    !plain
        && String::from_utf8_lossy(line)
            .chars()
            .any(|sign| sign.is_control() && sign != '\t' || matches!(sign, '\u{2028}' | '\u{2029}'))
}

/// How many bytes two texts begin with alike: in large steps, then in smaller ones.
pub(super) fn shared(a: &[u8], b: &[u8]) -> usize {
    STEPS.iter().fold(0, |at, step| {
        let pairs = a[at..].chunks_exact(*step).zip(b[at..].chunks_exact(*step));
        at + pairs.take_while(|(a, b)| a == b).count() * step
    })
}

const STEPS: [usize; 4] = [4096, 256, 16, 1];

/// The old bytes are what the new ones begin with: a log (G-S2) grows at its end only.
pub fn log_losses(before: &[u8], after: &[u8]) -> Vec<Finding> {
    let whole = before.is_empty() || before.ends_with(b"\n");
    if let Some(more) = after.strip_prefix(before) {
        if whole || more.is_empty() || more.starts_with(b"\n") || more.starts_with(b"\r\n") {
            return Vec::new();
        }
        let number = 1 + memchr::memchr_iter(b'\n', before).count();
        let message = "the last line of the log goes on; a new record begins on a line of its own".to_owned();
        return vec![Finding::new(Kind::LineLost, number, message).head(number)];
    }
    let shared = shared(before, after);
    let number =
        1 + memchr::memchr_iter(b'\n', &before[..shared.min(before.len().saturating_sub(1))]).count();
    let message = "the log changed before its end; it may only grow there".to_owned();
    vec![Finding::new(Kind::LineLost, number, message).head(number)]
}

pub(super) fn without_end(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_lines_between_lines_are_additive() {
        for (before, after, additive) in [
            ("", "x\n", true),
            ("a\nb\n", "a\nx\nb\n", true),
            ("a\nb", "a\nb\nc\n", true),
            ("a\nb", "a\nb\r\n", true),
            ("a\nb\n", "a\nb", false),
            ("a\r\nb\r\n", "a\nb\n", false),
            ("a\nb\n", "b\na\n", false),
            ("a\n\nb\n", "a\nb\n", false),
            ("a \n", "a\n", false),
            ("a\n", "xa\n", false),
            ("ab\nb\n", "ab\nab\nb\n", true),
            ("a\nb", "a\nbc\n", false),
            ("a", "a\r", false),
        ] {
            assert_eq!(
                losses(before.as_bytes(), after.as_bytes()).is_empty(),
                additive,
                "{before:?} {after:?}"
            );
        }
    }

    #[test]
    fn the_lost_line_is_named() {
        let line = |before: &str, after: &str| losses(before.as_bytes(), after.as_bytes())[0].line;
        assert_eq!(line("a\nb\nc\n", "a\nb\n"), 3);
        assert_eq!(line("a\n", ""), 1);
        assert_eq!(line("a\nb", "a\n"), 2);
        assert_eq!(line("a\n\nb\n\nc\n", "a\nb\n\nc\n"), 2);
        assert_eq!(line("a\n\nb\n\nc\n", "a\n  \nb\n\nc\n"), 2);
        assert_eq!(line("a\n\nb\n\nc", "a\n\nb\n"), 5);
        assert_eq!(line("a\nb\n\nc", "b\n\nc\n"), 1);
    }

    #[test]
    fn a_log_grows_at_its_end() {
        assert!(log_losses(b"{}\n", b"{}\n{}\n").is_empty());
        assert_eq!(log_losses(b"{}\n{1}\n", b"{}\n{2}\n")[0].line, 2);
        assert_eq!(log_losses(b"{}\n", b"")[0].line, 1);
        assert!(log_losses(b"{}", b"{}\n{}").is_empty());
        assert_eq!(log_losses(b"{}", b"{}{}")[0].line, 1);
    }

    #[test]
    fn new_control_characters_are_found() {
        for line in ["\u{c}", "a\u{b}", "\u{1b}[0m", "\u{85}", "\u{2028}", "a\rb"] {
            let after = format!("a\n{line}\n");
            assert_eq!(
                control(b"a\n", after.as_bytes()).and_then(|found| found.head_line),
                Some(2),
                "{line:?}"
            );
            assert_eq!(control(after.as_bytes(), after.as_bytes()), None);
        }
        assert_eq!(control(b"", "a\tb\r\n\u{e9}\n\u{a0}".as_bytes()), None);
    }

    proptest! {
        #[test]
        fn what_two_texts_share_is_counted_to_the_byte(
            start in "[ab]{0,40}", a in "[abc]{0,9000}", b in "[abd]{0,9}", end in "[ab]{0,300}",
        ) {
            let (a, b) = (format!("{start}{a}{end}").into_bytes(), format!("{start}{b}{end}").into_bytes());
            let same = |(a, b): &(&u8, &u8)| a == b;
            prop_assert_eq!(shared(&a, &b), a.iter().zip(&b).take_while(same).count());
        }

        /// The same verdict as the definition itself: a subsequence, tried position by position.
        #[test]
        fn the_one_pass_decides_what_the_definition_says(
            old in proptest::collection::vec("[ab]{0,1}", 0..7),
            new in proptest::collection::vec("[ab]{0,1}", 0..9),
        ) {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let mut rest = new.iter();
            let embeds = old.iter().all(|line| rest.any(|new| new == line));
            prop_assert_eq!(losses(text(&old).as_bytes(), text(&new).as_bytes()).is_empty(), embeds);
        }

        #[test]
        fn inserting_lines_passes_and_losing_one_fails(
            lines in proptest::collection::vec("[a-z]{1,3}", 1..20),
            at in any::<prop::sample::Index>(),
        ) {
            let before: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let mut more = lines.clone();
            more.insert(at.index(lines.len()), "NEW".to_owned());
            let after: String = more.iter().map(|line| format!("{line}\n")).collect();
            prop_assert!(losses(before.as_bytes(), after.as_bytes()).is_empty());
            prop_assert!(!losses(after.as_bytes(), before.as_bytes()).is_empty());
        }
    }
}
