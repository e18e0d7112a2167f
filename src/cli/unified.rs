//! A change as a unified diff: what `git diff` shows, on the terminal.

use std::fmt::Write as _;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, DiffOp, DiffTag, group_diff_ops};

use crate::item::Change;

/// Lines that are shown around a change.
const AROUND: usize = 3;

/// A change as a unified diff.
pub fn unified(change: &Change) -> String {
    let before = String::from_utf8_lossy(change.before.as_deref().unwrap_or_default());
    let after = String::from_utf8_lossy(&change.after);
    let old = if change.before.is_some() { format!("a/{}", change.path) } else { "/dev/null".to_owned() };
    diff(&before, &after, &old, &format!("b/{}", change.path))
}

/// Two texts as a unified diff, under these names; nothing where they are the same.
pub fn diff(before: &str, after: &str, old: &str, new: &str) -> String {
    let texts = [lines(before), lines(after)];
    let mut shown = String::new();
    for ops in hunks(&texts) {
        if shown.is_empty() {
            let _ = writeln!(shown, "--- {old}\n+++ {new}");
        }
        let _ = writeln!(shown, "{}", UnifiedHunkHeader::new(&ops));
        ops.iter().for_each(|op| show(*op, &texts, &mut shown));
    }
    shown
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// What differs, in groups with the lines around them. One algorithm is named: a choice of six would put
/// all of them into the program.
fn hunks([old, new]: &[Vec<&str>; 2]) -> Vec<Vec<DiffOp>> {
    let (old, new) = (old.as_slice(), new.as_slice());
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    // A capture takes whatever it is given.
    let done: Result<(), std::convert::Infallible> =
        myers::diff(&mut found, old, 0..old.len(), new, 0..new.len());
    done.map_or_else(
        |never| match never {},
        |()| {
            let ops = found.into_inner().into_inner().into_ops();
            let mut groups = group_diff_ops(ops, AROUND);
            groups.retain(|ops| ops.iter().any(|op| op.tag() != DiffTag::Equal));
            groups
        },
    )
}

/// The lines of the new text that differ from the old one, counted from 1.
pub fn changed_lines(old: &str, new: &str) -> Vec<std::ops::Range<usize>> {
    let texts = [lines(old), lines(new)];
    let ops = hunks(&texts).into_iter().flatten().filter(|op| op.tag() != DiffTag::Equal);
    ops.map(|op| op.new_range())
        .filter(|range| !range.is_empty())
        .map(|range| range.start + 1..range.end + 1)
        .collect()
}

/// The lines of one operation, each after its sign.
fn show(op: DiffOp, [old, new]: &[Vec<&str>; 2], shown: &mut String) {
    let (gone, come) = match op.tag() {
        DiffTag::Equal => return put(ChangeTag::Equal, &old[op.old_range()], shown),
        _ => (&old[op.old_range()], &new[op.new_range()]),
    };
    put(ChangeTag::Delete, gone, shown);
    put(ChangeTag::Insert, come, shown);
}

fn put(sign: ChangeTag, lines: &[&str], shown: &mut String) {
    for line in lines {
        let _ = write!(shown, "{sign}{line}");
        if !line.ends_with('\n') {
            shown.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = before.replace("e\n", "e\nnew\n");
        assert_eq!(
            diff(before, &after, "a/x", "b/x"),
            "--- a/x\n+++ b/x\n@@ -3,6 +3,7 @@\n c\n d\n e\n+new\n f\n g\n h\n"
        );
        assert_eq!(diff(before, before, "a/x", "b/x"), "");
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let before: String = (1..=30).map(|number| format!("{number}\n")).collect();
        let after = before.replace("\n2\n", "\n2\nx\n").replace("\n25\n", "\ny\n");
        let shown = diff(&before, &after, "a", "b");
        assert_eq!(shown.matches("@@ -").count(), 2, "{shown}");
        assert!(shown.contains("-25\n+y\n"), "{shown}");
    }

    #[test]
    fn a_missing_last_line_feed_is_told() {
        let end = "\\ No newline at end of file\n";
        assert_eq!(
            diff("a", "a\nb", "x", "y"),
            format!("--- x\n+++ y\n@@ -1 +1,2 @@\n-a\n{end}+a\n+b\n{end}")
        );
        assert_eq!(diff("", "a\n", "/dev/null", "b/y"), "--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+a\n");
    }
}
