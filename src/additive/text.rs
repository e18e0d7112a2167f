//! The line rule: the old lines are a subsequence of the new ones, byte for byte (S3).
//!
//! A line is the bytes up to and including LF. Taking the leftmost match for each old line is
//! always safe (if any embedding exists, the leftmost one does), so one pass decides it. The one
//! exception: a last line without a line end may gain `LF` or `CRLF`.

type Found = (usize, &'static str, String);

/// The old lines that the new text does not keep in order; the first of them.
pub fn losses(before: &[u8], after: &[u8]) -> Vec<Found> {
    let mut kept = after.split_inclusive(|byte| *byte == b'\n');
    let mut old = before.split_inclusive(|byte| *byte == b'\n').enumerate().peekable();
    while let Some((at, line)) = old.next() {
        let last = old.peek().is_none() && !line.ends_with(b"\n");
        let same = |new: &[u8]| new == line || (last && without_end(new) == line);
        if !kept.any(same) {
            let shown = String::from_utf8_lossy(without_end(line)).into_owned();
            let shown = crate::plain::cut(&crate::plain::one_line(&crate::plain::clean(&shown)), 120);
            return vec![(at + 1, "line-lost", format!("the line \"{shown}\" is lost, changed or moved"))];
        }
    }
    Vec::new()
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
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
        ] {
            assert_eq!(
                losses(before.as_bytes(), after.as_bytes()).is_empty(),
                additive,
                "{before:?} {after:?}"
            );
        }
    }

    proptest! {
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
