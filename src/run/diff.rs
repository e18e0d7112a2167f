//! A change as a unified diff: what `git diff` shows, on the terminal.

use similar::{DiffTag, TextDiff};

use crate::item::Change;

/// A change as a unified diff.
pub fn unified(change: &Change) -> String {
    let before = String::from_utf8_lossy(change.before.as_deref().unwrap_or_default());
    let after = String::from_utf8_lossy(&change.after);
    let old = if change.before.is_some() { format!("a/{}", change.path) } else { "/dev/null".to_owned() };
    diff(&before, &after, &old, &format!("b/{}", change.path))
}

/// Two texts as a unified diff, under these names; nothing where they are the same.
pub fn diff(before: &str, after: &str, old: &str, new: &str) -> String {
    compare(before, after).unified_diff().header(old, new).to_string()
}

/// The lines of the new text that differ from the old one, counted from 1.
pub fn changed_lines(old: &str, new: &str) -> Vec<std::ops::Range<usize>> {
    let diff = compare(old, new);
    let changed = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal).map(|op| op.new_range());
    changed.filter(|range| !range.is_empty()).map(|range| range.start + 1..range.end + 1).collect()
}

/// Two texts, line by line; as git has it, a carriage return alone ends no line.
fn compare<'t>(before: &'t str, after: &'t str) -> TextDiff<'t, 't, str> {
    let lines = |text: &'t str| text.split_inclusive('\n').collect::<Vec<&str>>();
    TextDiff::configure().newline_terminated(true).diff_slices(&lines(before), &lines(after))
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
