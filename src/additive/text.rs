//! The line rule: the old lines are a subsequence of the new ones, byte for byte (S3).
//!
//! A line is the bytes up to and including LF; CR belongs to it, and nothing is normalised. The
//! one exception: a last line without a line end may gain `LF` or `CRLF`.
//!
//! Taking the leftmost match for each old line is complete: given any embedding, moving each old
//! line's image to the leftmost equal line behind its predecessor's image never moves an image to
//! the right, so what follows still fits behind it (exchange argument). One pass therefore decides
//! the rule in O(|old| + |new|), and no diff is needed.

use memchr::memchr;

use super::{Code, Found, Layer, quoted};

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
pub fn losses(before: &[u8], after: &[u8]) -> Vec<Found> {
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
            let shown = quoted(&String::from_utf8_lossy(without_end(line)));
            let message = match shown.as_str() {
                "" => "a blank line is lost, or stands elsewhere".to_owned(),
                _ => format!("the line \"{shown}\" is lost, changed or moved"),
            };
            return vec![Found::new(Layer::Line, Code::LineLost, number, message)];
        }
        passed += 1;
    }
    Vec::new()
}

/// How many bytes two texts begin with alike: in large steps, then in smaller ones.
pub(super) fn shared(a: &[u8], b: &[u8]) -> usize {
    STEPS.iter().fold(0, |at, step| {
        let pairs = a[at..].chunks_exact(*step).zip(b[at..].chunks_exact(*step));
        at + pairs.take_while(|(a, b)| a == b).count() * step
    })
}

/// How many bytes two texts end with alike.
pub(super) fn shared_end(a: &[u8], b: &[u8]) -> usize {
    STEPS.iter().fold(0, |at, step| {
        let (a, b) = (&a[..a.len() - at], &b[..b.len() - at]);
        let pairs = a.rchunks_exact(*step).zip(b.rchunks_exact(*step));
        at + pairs.take_while(|(a, b)| a == b).count() * step
    })
}

const STEPS: [usize; 4] = [4096, 256, 16, 1];

/// The old bytes are what the new ones begin with: a log (S2) grows at its end only.
pub fn log_losses(before: &[u8], after: &[u8]) -> Vec<Found> {
    if after.starts_with(before) {
        return Vec::new();
    }
    let shared = shared(before, after);
    let number =
        1 + memchr::memchr_iter(b'\n', &before[..shared.min(before.len().saturating_sub(1))]).count();
    let message = "the log changed before its end; it may only grow there".to_owned();
    vec![Found::new(Layer::Line, Code::LineLost, number, message).head(number)]
}

fn without_end(line: &[u8]) -> &[u8] {
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
    }

    #[test]
    fn a_log_grows_at_its_end() {
        assert!(log_losses(b"{}\n", b"{}\n{}\n").is_empty());
        assert_eq!(log_losses(b"{}\n{1}\n", b"{}\n{2}\n")[0].line, 2);
        assert_eq!(log_losses(b"{}\n", b"")[0].line, 1);
    }

    proptest! {
        #[test]
        fn what_two_texts_share_is_counted_to_the_byte(
            start in "[ab]{0,40}", a in "[abc]{0,9000}", b in "[abd]{0,9}", end in "[ab]{0,300}",
        ) {
            let (a, b) = (format!("{start}{a}{end}").into_bytes(), format!("{start}{b}{end}").into_bytes());
            let same = |(a, b): &(&u8, &u8)| a == b;
            prop_assert_eq!(shared(&a, &b), a.iter().zip(&b).take_while(same).count());
            prop_assert_eq!(shared_end(&a, &b), a.iter().rev().zip(b.iter().rev()).take_while(same).count());
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
